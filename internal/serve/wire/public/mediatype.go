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

// The media types of files, each with its extensions. Package mime is not used, since it reads
// tables of the machine, and a binary should serve the same types everywhere. ".ts" is missing
// because it may be TypeScript or video.
//
// Those of compressibleTypes are texts, and binary formats without a compression of their own:
// gzip is likely to make them smaller.
var compressibleTypes = map[string]string{
	// Text
	"application/atom+xml":                     ".atom",
	"application/geo+json":                     ".geojson",
	"application/gpx+xml":                      ".gpx",
	"application/json":                         ".json .map .topojson",
	"application/jsonl":                        ".jsonl",
	"application/ld+json":                      ".jsonld",
	"application/manifest+json":                ".webmanifest",
	"application/rdf+xml":                      ".rdf",
	"application/rss+xml":                      ".rss",
	"application/toml":                         ".toml",
	"application/vnd.google-earth.kml+xml":     ".kml",
	"application/x-ndjson":                     ".ndjson",
	"application/x-subrip":                     ".srt",
	"application/xhtml+xml":                    ".xht .xhtml",
	"application/xslt+xml":                     ".xslt",
	"application/yaml":                         ".yaml .yml",
	"text/calendar; charset=utf-8":             ".ics",
	"text/css; charset=utf-8":                  ".css",
	"text/csv; charset=utf-8":                  ".csv",
	"text/html; charset=utf-8":                 ".ehtml .htm .html .shtml",
	"text/javascript; charset=utf-8":           ".cjs .js .mjs",
	"text/markdown; charset=utf-8":             ".markdown .md",
	"text/plain; charset=utf-8":                ".conf .ini .log .text .txt",
	"text/tab-separated-values; charset=utf-8": ".tsv",
	"text/vcard; charset=utf-8":                ".vcf",
	"text/vtt; charset=utf-8":                  ".vtt",
	"text/x-opml; charset=utf-8":               ".opml",
	"text/xml; charset=utf-8":                  ".xml .xsl",

	// Images
	"image/bmp":                ".bmp",
	"image/svg+xml":            ".svg",
	"image/vnd.microsoft.icon": ".ico",
	"image/x-icon":             ".cur",
	"image/x-xbitmap":          ".xbm",

	// Fonts
	"application/vnd.ms-fontobject": ".eot",
	"font/collection":               ".ttc",
	"font/otf":                      ".otf",
	"font/ttf":                      ".ttf",

	// Audio and video
	"application/dash+xml":          ".mpd",
	"application/vnd.apple.mpegurl": ".m3u8",
	"audio/midi":                    ".mid .midi",
	"audio/wav":                     ".wav",

	// Documents
	"application/postscript": ".eps .ps",
	"application/rtf":        ".rtf",
	"message/rfc822":         ".eml",

	// Formats that clients accept under this type only
	"application/xml": ".plist",

	// Archives and programs
	"application/vnd.sqlite3": ".sqlite",
	"application/wasm":        ".wasm",
	"application/x-tar":       ".tar",
	"model/gltf+json":         ".gltf",
	"model/gltf-binary":       ".glb",
}

// Those of compressedTypes have a compression of their own, or it is not known what is in them.
var compressedTypes = map[string]string{
	// Images
	"image/apng": ".apng",
	"image/avif": ".avif",
	"image/gif":  ".gif",
	"image/heic": ".heic",
	"image/heif": ".heif",
	"image/jpeg": ".jfif .jpeg .jpg .pjp .pjpeg",
	"image/jxl":  ".jxl",
	"image/png":  ".png",
	"image/tiff": ".tif .tiff",
	"image/webp": ".webp",

	// Fonts
	"font/woff":  ".woff",
	"font/woff2": ".woff2",

	// Audio and video
	"audio/aac":         ".aac",
	"audio/flac":        ".flac",
	"audio/mp4":         ".m4a",
	"audio/mpeg":        ".mp3",
	"audio/ogg":         ".oga .ogg .opus",
	"audio/webm":        ".weba",
	"video/iso.segment": ".m4s",
	"video/matroska":    ".mkv",
	"video/mp4":         ".m4v .mp4",
	"video/mpeg":        ".mpeg .mpg",
	"video/ogg":         ".ogv",
	"video/quicktime":   ".mov",
	"video/webm":        ".webm", // net/http says audio
	"video/x-msvideo":   ".avi",

	// Documents
	"application/epub+zip":                            ".epub",
	"application/msword":                              ".doc",
	"application/pdf":                                 ".pdf",
	"application/vnd.ms-excel":                        ".xls",
	"application/vnd.ms-powerpoint":                   ".ppt",
	"application/vnd.oasis.opendocument.presentation": ".odp",
	"application/vnd.oasis.opendocument.spreadsheet":  ".ods",
	"application/vnd.oasis.opendocument.text":         ".odt",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         ".xlsx",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   ".docx",

	// Formats that clients accept under this type only
	"application/vnd.apple.pkpass":     ".pkpass",
	"application/x-apple-aspen-config": ".mobileconfig",
	"application/x-x509-ca-cert":       ".crt .der .pem",
	"application/x-xpinstall":          ".xpi",
	"model/vnd.usdz+zip":               ".usdz",

	// Archives and programs
	"application/gzip":                        ".gz .tgz",
	"application/java-archive":                ".jar",
	"application/octet-stream":                ".bin .exe .ipa .iso .msi",
	"application/vnd.android.package-archive": ".apk",
	"application/vnd.apache.parquet":          ".parquet",
	"application/vnd.debian.binary-package":   ".deb",
	"application/vnd.rar":                     ".rar",
	"application/x-7z-compressed":             ".7z",
	"application/x-apple-diskimage":           ".dmg",
	"application/x-bittorrent":                ".torrent",
	"application/x-brotli":                    ".br",
	"application/x-bzip2":                     ".bz2",
	"application/x-rpm":                       ".rpm",
	"application/x-xz":                        ".xz",
	"application/zip":                         ".zip",
	"application/zstd":                        ".zst",
}

// mediaTypes holds the media types by file extension.
var mediaTypes = func() map[string]string {
	byExtension := map[string]string{}
	for _, types := range []map[string]string{compressibleTypes, compressedTypes} {
		for mediaType, extensions := range types {
			for extension := range strings.FieldsSeq(extensions) {
				byExtension[extension] = mediaType
			}
		}
	}
	return byExtension
}()

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

// compressible reports whether gzip is likely to make contents of a media type smaller.
func compressible(mediaType string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	major, minor, _ := strings.Cut(mediaType, "/")
	return compressibleTypes[mediaType] != "" || major == "text" || major == "message" || strings.HasSuffix(minor, "+json") || strings.HasSuffix(minor, "+xml")
}
