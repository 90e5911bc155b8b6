package flow

import (
	"bytes"
	"compress/gzip"
	"embed"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

//go:embed all:testdata/site
var siteFiles embed.FS

// site returns the tree of the benchmark, and a part of it.
func site(tb testing.TB, dir string) fs.FS {
	tb.Helper()
	sub, err := fs.Sub(siteFiles, path.Join("testdata/site", dir))
	if err != nil {
		tb.Fatal(err)
	}
	return sub
}

// BenchmarkFiles answers with a page without code and with a public file of 20 KB
// each, beside net/http's FileServerFS over the same files, which knows neither
// ETags nor compression here: its 200 is what all are compared to.
func BenchmarkFiles(b *testing.B) {
	r := New(site(b, "."))
	if err := r.Check(); err != nil {
		b.Fatal(err)
	}
	for _, bm := range []struct {
		name, target string
		handler      http.Handler
		header       []string
		status, size int
	}{
		{"FileServerFS", "/site.css", http.FileServerFS(site(b, "public")), nil, 200, 20475},
		{"file", "/site.css", r, nil, 200, 20475},
		{"file/gzip", "/site.css", r, []string{"Accept-Encoding", "gzip, deflate, br, zstd"}, 200, 0},
		{"file/304", "/site.css", r, []string{"If-None-Match", serve(r, "GET", "/site.css").Header().Get("ETag")}, 304, 0},
		{"page/FileServerFS", "/page.html", http.FileServerFS(site(b, "router")), nil, 200, 20042},
		{"page", "/page", r, nil, 200, 20048},
		{"page/gzip", "/page", r, []string{"Accept-Encoding", "gzip, deflate, br, zstd"}, 200, 0},
		{"page/304", "/page", r, []string{"If-None-Match", serve(r, "GET", "/page").Header().Get("ETag")}, 304, 0},
	} {
		b.Run(bm.name, func(b *testing.B) {
			req, err := http.NewRequest("GET", bm.target, nil)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; i < len(bm.header); i += 2 {
				req.Header.Set(bm.header[i], bm.header[i+1])
			}
			w := &statusSink{sink: sink{header: http.Header{}}}
			bm.handler.ServeHTTP(w, req)
			if w.status != bm.status || bm.size > 0 && w.wrote != bm.size {
				b.Fatalf("got %d with %d bytes, want %d with %d", w.status, w.wrote, bm.status, bm.size)
			}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				bm.handler.ServeHTTP(w, req)
			}
		})
	}
}

// A statusSink is a sink that remembers the status.
type statusSink struct {
	sink
	status int
}

func (s *statusSink) WriteHeader(status int) { s.status = status }

// ReadFrom needs no buffer for each call, as that of net/http's connections.
func (s *statusSink) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(io.Discard, r)
	s.wrote += int(n)
	return n, err
}

// A listPage is a page of some length, as applications have them.
type listPage struct {
	Title string
	Users []listUser
}

type listUser struct {
	ID          int
	Name, Email string
}

const (
	listLayout = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{block "title" .}}Site{{end}}</title></head>
<body><nav><a href="/">Home</a></nav><main>{{template "content" .}}</main></body>
</html>`
	listText = `<h1>{{.Title}}</h1>
<ul>{{range .Users}}<li><a href="/users/{{.ID}}" title="{{.Name}}">{{.Name}}</a> {{.Email}}</li>
{{end}}</ul>`
	listTitle = `{{define "title"}}{{.Title}} · Site{{end}}`
)

func listData() listPage {
	p := listPage{Title: "Users"}
	for i := range 20 {
		p.Users = append(p.Users, listUser{i, "Ada <Lovelace>", "ada@example.com"})
	}
	return p
}

// handmade answers with the same templates by hand.
func handmade(tb testing.TB, data any) http.Handler {
	tb.Helper()
	t := template.Must(template.New("layout").Parse(listLayout))
	template.Must(t.New("content").Parse(listText))
	template.Must(t.Parse(listTitle))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = htmlType
		if err := t.Execute(w, data); err != nil {
			tb.Error(err)
		}
	})
}

func listRouter(tb testing.TB, data any) *Router {
	tb.Helper()
	r := New(flowtest.Pages(map[string]string{"+layout.html": listLayout, "users.html": listTitle + listText}))
	r.At("users").GET().Do(func(*Request) Response { return Page(data) })
	if err := r.Check(); err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestPageIsWhatTemplatesMakeByHand(t *testing.T) {
	is := is.New(t)
	data := listData()
	is.Equal(serve(listRouter(t, data), "GET", "/users").Body.String(), serve(handmade(t, data), "GET", "/users").Body.String())
}

// BenchmarkPage renders a page of a handler in a layout, beside html/template by hand.
func BenchmarkPage(b *testing.B) {
	data := listData()
	for _, bm := range []struct {
		name    string
		handler http.Handler
	}{
		{"html/template", handmade(b, data)},
		{"flow", listRouter(b, data)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			req, err := http.NewRequest("GET", "/users", nil)
			if err != nil {
				b.Fatal(err)
			}
			w := &sink{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				bm.handler.ServeHTTP(w, req)
			}
		})
	}
}

func TestSiteOfTheBenchmarkUnpacks(t *testing.T) {
	is := is.New(t)
	r := New(site(t, "."))
	is.NoErr(r.Check())
	for target, file := range map[string]string{"/site.css": "testdata/site/public/site.css"} {
		want, err := siteFiles.ReadFile(file)
		is.NoErr(err)
		req, err := http.NewRequest("GET", target, nil)
		is.NoErr(err)
		req.Header.Set("Accept-Encoding", "gzip")
		w := do(r, req)
		is.Equal(w.Header().Get("Content-Encoding"), "gzip")
		z, err := gzip.NewReader(w.Body)
		is.NoErr(err)
		got, err := io.ReadAll(z)
		is.NoErr(err)
		is.True(bytes.Equal(got, want))
	}
}
