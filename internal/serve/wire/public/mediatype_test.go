package public

import (
	"mime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
)

func TestMediaType(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"app.css", "", "text/css; charset=utf-8"},
		{"a/b.d/APP.CSS", "", "text/css; charset=utf-8"},
		{"app.min.js", "", "text/javascript; charset=utf-8"},
		{"app.mjs", "", "text/javascript; charset=utf-8"},
		{"app.js.map", "", "application/json"},
		{"a.json", "", "application/json"},
		{"a.svg", "<html>", "image/svg+xml"},
		{"a.wasm", "", "application/wasm"},
		{"a.avif", "", "image/avif"},
		{"a.webp", "", "image/webp"},
		{"favicon.ico", "", "image/vnd.microsoft.icon"},
		{"a.woff2", "", "font/woff2"},
		{"site.webmanifest", "", "application/manifest+json"},
		{"feed.atom", "", "application/atom+xml"},
		{"robots.txt", "<html>", "text/plain; charset=utf-8"},
		{"a.tar.gz", "", "application/gzip"},
		{"a.webm", "", "video/webm"},
		{"LICENSE", "MIT License", "text/plain; charset=utf-8"},
		{"apple-app-site-association", `{"applinks":{}}`, "application/json"},
		{"webauthn", " [1]\n", "application/json"},
		{"webauthn", "[1", "text/plain; charset=utf-8"},
		{"README", "{{template}}", "text/plain; charset=utf-8"},
		{"a.b/page", "<!DOCTYPE html>", "text/html; charset=utf-8"},
		{"a.unknown", "%PDF-1.7", "application/pdf"},
		{"a.unknown", "\x00\x01", "application/octet-stream"},
		{"a.", "", "text/plain; charset=utf-8"},
		{".gif", "", "image/gif"},
		{"main.ts", "let a: string", "text/plain; charset=utf-8"},
	} {
		t.Run(tt.name+" "+tt.content, func(t *testing.T) {
			is := is.New(t)
			is.Equal(MediaType(fstest.MapFS{tt.name: {Data: []byte(tt.content)}}, tt.name), tt.want)
		})
	}
}

func TestMediaTypesAreWellFormed(t *testing.T) {
	for ext, mediaType := range mediaTypes {
		t.Run(ext, func(t *testing.T) {
			is := is.New(t)
			is.Equal(ext, strings.ToLower(ext))
			is.True(strings.HasPrefix(ext, "."))
			parsed, params, err := mime.ParseMediaType(mediaType)
			is.NoErr(err)
			is.Equal(mime.FormatMediaType(parsed, params), mediaType)
			// Text without a charset would be read in one that the browser guesses.
			is.Equal(strings.HasPrefix(parsed, "text/"), params["charset"] == "utf-8")
		})
	}
}

func TestCompressible(t *testing.T) {
	for _, tt := range []struct {
		mediaType string
		want      bool
	}{
		{"text/css; charset=utf-8", true},
		{"application/json", true},
		{"application/manifest+json", true},
		{"application/rss+xml", true},
		{"image/svg+xml", true},
		{"image/vnd.microsoft.icon", true},
		{"application/wasm", true},
		{"font/ttf", true},
		{"font/woff2", false},
		{"image/png", false},
		{"video/mp4", false},
		{"application/zip", false},
		{"application/pdf", false},
		{"application/octet-stream", false},
		{"", false},
	} {
		t.Run(tt.mediaType, func(t *testing.T) {
			is := is.New(t)
			is.Equal(compressible(tt.mediaType), tt.want)
		})
	}
}
