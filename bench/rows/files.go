package rows

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

var fileRows = []Row{
	{"file/plain", "a public file of 20 KB, in memory", func() measure.Group { return publicFile(nil) }},
	{"file/gzip", "the same for a client that takes gzip", publicFileGzip},
	{"file/304", "the same for a client that has it", publicFile304},
}

const (
	fileServerName  = "FileServerFS"
	chiCompressName = "FileServerFS, chi's Compress"
)

var takesGzip = map[string]string{"Accept-Encoding": "gzip, deflate, br"}

// CSS is a style sheet of about 20 KB.
var CSS = func() string {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, ".card-%d > .title:hover {\n\tmargin: %dpx auto;\n\tcolor: #%06x;\n\tbackground: var(--paper-%d);\n}\n\n", i, i%17, i*7919, i%5)
	}
	return b.String()
}()

// Changed is when it was changed. A file of go:embed has no such time, and FileServerFS
// no 304 for it.
var Changed = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// publicFiles returns an application of flow that has the file, and the file for others.
func publicFiles() (h http.Handler, files fs.FS) {
	r := flow.New(tree.New(map[string]string{"router/index.html": "", "public/site.css": CSS}, Changed))
	return ready(r), tree.New(map[string]string{"site.css": CSS}, Changed)
}

// ofFile returns a call of the file.
func ofFile(header map[string]string, want measure.Answer) []measure.Call {
	return []measure.Call{{Method: "GET", Path: "/site.css", Header: header, Want: want}}
}

func publicFile(header map[string]string) measure.Group {
	site, files := publicFiles()
	g := newGin()
	g.StaticFS("/", http.FS(files))
	e := newEcho()
	e.StaticFS("/", files)
	want := measure.Answer{Status: 200, Body: strings.TrimRight(CSS, "\n"), Size: len(CSS), Header: map[string]string{"Content-Type": "text/css; charset=utf-8"}}
	return measure.Group{Base: fileServerName, Calls: ofFile(header, want), Contestants: []measure.Contestant{
		{Name: flowName, Handler: site},
		{Name: fileServerName, Handler: recovered(http.FileServerFS(files))},
		{Name: ginName, Handler: g},
		{Name: echoName, Handler: e},
	}}
}

// compressed packs each answer anew.
func compressed(h http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Use(chimiddleware.Recoverer, chimiddleware.Compress(5))
	r.Handle("/*", h)
	return r
}

func publicFileGzip() measure.Group {
	site, files := publicFiles()
	want := measure.Answer{Status: 200, Body: strings.TrimRight(CSS, "\n"), Header: map[string]string{"Content-Encoding": "gzip"}}
	return measure.Group{Base: chiCompressName, Counted: 2, Calls: ofFile(takesGzip, want), Contestants: []measure.Contestant{
		{Name: flowName, Handler: site},
		{Name: chiCompressName, Handler: compressed(http.FileServerFS(files))},
	}}
}

// publicFile304 asks flow with the tag of its answer, and others with the date of theirs.
func publicFile304() measure.Group {
	g := publicFile(nil)
	want := measure.Answer{Status: http.StatusNotModified}
	for i := range g.Contestants {
		c := &g.Contestants[i]
		w := httptest.NewRecorder()
		c.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/site.css", nil))
		header := map[string]string{"If-Modified-Since": w.Header().Get("Last-Modified")}
		if tag := w.Header().Get("ETag"); tag != "" {
			header = map[string]string{"If-None-Match": tag}
		}
		c.Calls = ofFile(header, want)
	}
	return g
}
