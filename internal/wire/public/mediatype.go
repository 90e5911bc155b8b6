package public

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// mediaTypes holds the media types by file extension. Package mime is not used, since it
// reads tables of the machine, and a binary should serve the same types everywhere. ".ts" is
// missing because it may be TypeScript or video.
var mediaTypes = map[string]string{
	// Text
	".atom":        "application/atom+xml",
	".conf":        "text/plain; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".csv":         "text/csv; charset=utf-8",
	".ehtml":       "text/html; charset=utf-8",
	".geojson":     "application/geo+json",
	".gpx":         "application/gpx+xml",
	".htm":         "text/html; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ics":         "text/calendar; charset=utf-8",
	".ini":         "text/plain; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".jsonl":       "application/jsonl",
	".jsonld":      "application/ld+json",
	".kml":         "application/vnd.google-earth.kml+xml",
	".log":         "text/plain; charset=utf-8",
	".map":         "application/json",
	".markdown":    "text/markdown; charset=utf-8",
	".md":          "text/markdown; charset=utf-8",
	".cjs":         "text/javascript; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".ndjson":      "application/x-ndjson",
	".opml":        "text/x-opml; charset=utf-8",
	".rdf":         "application/rdf+xml",
	".rss":         "application/rss+xml",
	".shtml":       "text/html; charset=utf-8",
	".srt":         "application/x-subrip",
	".text":        "text/plain; charset=utf-8",
	".toml":        "application/toml",
	".topojson":    "application/json",
	".tsv":         "text/tab-separated-values; charset=utf-8",
	".txt":         "text/plain; charset=utf-8",
	".vcf":         "text/vcard; charset=utf-8",
	".vtt":         "text/vtt; charset=utf-8",
	".webmanifest": "application/manifest+json",
	".xht":         "application/xhtml+xml",
	".xhtml":       "application/xhtml+xml",
	".xml":         "text/xml; charset=utf-8",
	".xsl":         "text/xml; charset=utf-8",
	".xslt":        "application/xslt+xml",
	".yaml":        "application/yaml",
	".yml":         "application/yaml",

	// Images
	".apng":  "image/apng",
	".avif":  "image/avif",
	".bmp":   "image/bmp",
	".cur":   "image/x-icon",
	".gif":   "image/gif",
	".heic":  "image/heic",
	".heif":  "image/heif",
	".ico":   "image/vnd.microsoft.icon",
	".jfif":  "image/jpeg",
	".jpeg":  "image/jpeg",
	".jpg":   "image/jpeg",
	".jxl":   "image/jxl",
	".pjp":   "image/jpeg",
	".pjpeg": "image/jpeg",
	".png":   "image/png",
	".svg":   "image/svg+xml",
	".tif":   "image/tiff",
	".tiff":  "image/tiff",
	".webp":  "image/webp",
	".xbm":   "image/x-xbitmap",

	// Fonts
	".eot":   "application/vnd.ms-fontobject",
	".otf":   "font/otf",
	".ttc":   "font/collection",
	".ttf":   "font/ttf",
	".woff":  "font/woff",
	".woff2": "font/woff2",

	// Audio and video
	".aac":  "audio/aac",
	".avi":  "video/x-msvideo",
	".flac": "audio/flac",
	".m3u8": "application/vnd.apple.mpegurl",
	".m4a":  "audio/mp4",
	".m4s":  "video/iso.segment",
	".m4v":  "video/mp4",
	".mid":  "audio/midi",
	".midi": "audio/midi",
	".mkv":  "video/matroska",
	".mov":  "video/quicktime",
	".mp3":  "audio/mpeg",
	".mp4":  "video/mp4",
	".mpd":  "application/dash+xml",
	".mpeg": "video/mpeg",
	".mpg":  "video/mpeg",
	".oga":  "audio/ogg",
	".ogg":  "audio/ogg",
	".ogv":  "video/ogg",
	".opus": "audio/ogg",
	".wav":  "audio/wav",
	".weba": "audio/webm",
	".webm": "video/webm", // net/http says audio

	// Documents
	".doc":  "application/msword",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".eml":  "message/rfc822",
	".epub": "application/epub+zip",
	".eps":  "application/postscript",
	".odp":  "application/vnd.oasis.opendocument.presentation",
	".ods":  "application/vnd.oasis.opendocument.spreadsheet",
	".odt":  "application/vnd.oasis.opendocument.text",
	".pdf":  "application/pdf",
	".ppt":  "application/vnd.ms-powerpoint",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".ps":   "application/postscript",
	".rtf":  "application/rtf",
	".xls":  "application/vnd.ms-excel",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",

	// Formats that clients accept under this type only
	".crt":          "application/x-x509-ca-cert",
	".der":          "application/x-x509-ca-cert",
	".ipa":          "application/octet-stream",
	".mobileconfig": "application/x-apple-aspen-config",
	".pem":          "application/x-x509-ca-cert",
	".pkpass":       "application/vnd.apple.pkpass",
	".plist":        "application/xml",
	".usdz":         "model/vnd.usdz+zip",
	".xpi":          "application/x-xpinstall",

	// Archives and programs
	".7z":      "application/x-7z-compressed",
	".apk":     "application/vnd.android.package-archive",
	".bin":     "application/octet-stream",
	".br":      "application/x-brotli",
	".bz2":     "application/x-bzip2",
	".deb":     "application/vnd.debian.binary-package",
	".dmg":     "application/x-apple-diskimage",
	".exe":     "application/octet-stream",
	".glb":     "model/gltf-binary",
	".gltf":    "model/gltf+json",
	".gz":      "application/gzip",
	".iso":     "application/octet-stream",
	".jar":     "application/java-archive",
	".msi":     "application/octet-stream",
	".parquet": "application/vnd.apache.parquet",
	".rar":     "application/vnd.rar",
	".rpm":     "application/x-rpm",
	".sqlite":  "application/vnd.sqlite3",
	".tar":     "application/x-tar",
	".tgz":     "application/gzip",
	".torrent": "application/x-bittorrent",
	".wasm":    "application/wasm",
	".xz":      "application/x-xz",
	".zip":     "application/zip",
	".zst":     "application/zstd",
}

// maxHead is how many bytes of a file are read at most to detect its media type.
const maxHead = 64 << 10

// MediaType returns the media type of a file by its extension. Without a known extension it
// is detected from the beginning of the file: also JSON, which http.DetectContentType does
// not know and which files of .well-known/ often hold.
func MediaType(files fs.FS, file string) string {
	if t, ok := mediaTypes[strings.ToLower(path.Ext(file))]; ok {
		return t
	}
	var head []byte
	if f, err := files.Open(file); err == nil { // Files.Content reports an error
		defer f.Close()
		head, _ = io.ReadAll(io.LimitReader(f, maxHead))
	}
	if start := bytes.TrimLeft(head, " \t\r\n"); len(start) > 0 && (start[0] == '{' || start[0] == '[') && json.Valid(head) {
		return "application/json"
	}
	return http.DetectContentType(head)
}

// compressible reports whether gzip is likely to make contents of a media type smaller: text
// formats, and binary formats without a compression of their own.
func compressible(mediaType string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	major, minor, _ := strings.Cut(mediaType, "/")
	if major == "text" || major == "message" || strings.HasSuffix(minor, "+json") || strings.HasSuffix(minor, "+xml") {
		return true
	}
	switch mediaType {
	case "application/javascript", "application/json", "application/jsonl", "application/postscript", "application/rtf",
		"application/toml", "application/vnd.apple.mpegurl", "application/vnd.ms-fontobject", "application/vnd.sqlite3",
		"application/wasm", "application/x-ndjson", "application/x-subrip", "application/x-tar", "application/xml",
		"application/yaml", "audio/midi", "audio/wav", "font/collection", "font/otf", "font/ttf", "image/bmp",
		"image/vnd.microsoft.icon", "image/x-icon", "image/x-xbitmap", "model/gltf-binary":
		return true
	}
	return false
}
