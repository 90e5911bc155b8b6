package ecosystem_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/klauspost/compress/gzhttp"
	"github.com/matryer/is"

	"example.com/flow"
)

// TestCompress compresses what handlers answer. Pages without a handler and public
// files are compressed once, by flow: middleware leaves them as they are.
func TestCompress(t *testing.T) {
	long := strings.Repeat("compress me ", 1000)
	for library, compress := range map[string]func(http.Handler) http.Handler{
		"chi": middleware.Compress(5),
		// GzipHandler returns an http.HandlerFunc, so it is no middleware by itself.
		"gzhttp": func(next http.Handler) http.Handler { return gzhttp.GzipHandler(next) },
	} {
		r := flow.New(fstest.MapFS{
			"router/text.http": {},
			"router/film.http": {},
			"router/boom.http": {},
			"router/mine.http": {},
			"router/page.html": {Data: []byte(long)},
			"public/app.css":   {Data: []byte(long)},
		})
		r.Logger = quiet
		r.Use(compress)
		r.At("text").GET().Do(func(*flow.Request) string { return long })
		r.At("film").GET().Do(func(*flow.Request) flow.Response { return flow.Bytes("video/mp4", []byte(long)) })
		r.At("boom").GET().Do(func(*flow.Request) string { panic("boom") })
		r.At("mine").Use(func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "br")
				panic("boom")
			})
		})
		r.At("mine").GET().Do(func(*flow.Request) string { return "" })
		v := visit(t, r)

		for _, tt := range []struct{ path, encoding string }{
			{"/text", "gzip"},
			{"/page", "gzip"},
			{"/app.css", "gzip"},
			{"/film", ""},
		} {
			t.Run(library+tt.path, func(t *testing.T) {
				is := is.New(t)
				plain := v.ask(t, "GET", tt.path, "Accept-Encoding", "identity")
				is.Equal(plain.Header.Get("Content-Encoding"), "")
				is.Equal(plain.text, long)

				packed := v.ask(t, "GET", tt.path, "Accept-Encoding", "gzip")
				is.Equal(packed.StatusCode, 200)
				is.Equal(packed.Header.Get("Content-Encoding"), tt.encoding)
				is.Equal(unpacked(t, packed), long)

				if tag := packed.Header.Get("ETag"); tag != "" {
					again := v.ask(t, "GET", tt.path, "Accept-Encoding", "gzip", "If-None-Match", tag)
					is.Equal(again.StatusCode, http.StatusNotModified)
				}
			})
		}
		for _, path := range []string{"/boom", "/mine"} { // of a handler, of middleware
			t.Run(library+path, func(t *testing.T) {
				is := is.New(t)
				a := v.ask(t, "GET", path, "Accept-Encoding", "gzip")
				is.Equal(a.StatusCode, 500)
				is.True(strings.Contains(unpacked(t, a), "Internal Server Error"))
			})
		}
	}
}

// unpacked returns the text of an answer, whose encoding was asked for by hand and
// so is not undone by net/http.
func unpacked(t *testing.T, a answer) string {
	t.Helper()
	if a.Header.Get("Content-Encoding") == "" {
		return a.text
	}
	unzip, err := gzip.NewReader(strings.NewReader(a.text))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
