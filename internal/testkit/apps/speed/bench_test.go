// Package speed_test has benchmarks of whole applications, for profiles, and for comparing two versions of
// flow. Those in bench/ compare flow with others.
package speed_test

import (
	"bufio"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/julienschmidt/httprouter"
	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// githubRoutes returns the 203 routes of GitHub's REST API, as the author of
// httprouter lists them for his benchmark: method and httprouter's pattern.
func githubRoutes(tb testing.TB) [][2]string {
	tb.Helper()
	f, err := os.Open("testdata/github.txt")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var routes [][2]string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		method, pattern, _ := strings.Cut(lines.Text(), " ")
		routes = append(routes, [2]string{method, pattern})
	}
	if len(routes) != 203 {
		tb.Fatalf("got %d routes, want 203", len(routes))
	}
	return routes
}

// treePath returns the path of a route file for one of httprouter's patterns.
func treePath(pattern string) string {
	names := strings.Split(pattern[1:], "/")
	for i, name := range names {
		if strings.HasPrefix(name, ":") {
			names[i] = "[" + name[1:] + "]"
		}
	}
	return strings.Join(names, "/")
}

const benchAnswer = "hello"

// githubFlow returns a Router for the routes, one file for each URL.
func githubFlow(tb testing.TB, handler any) *flow.Router {
	tb.Helper()
	files := fstest.MapFS{}
	for _, route := range githubRoutes(tb) {
		files["router/"+treePath(route[1])+".http"] = &fstest.MapFile{}
	}
	r := flow.New(files)
	for _, route := range githubRoutes(tb) {
		r.At(treePath(route[1])).Method(route[0]).Do(handler)
	}
	if err := r.Check(); err != nil {
		tb.Fatal(err)
	}
	return r
}

func githubHTTPRouter(tb testing.TB) http.Handler {
	tb.Helper()
	r := httprouter.New()
	for _, route := range githubRoutes(tb) {
		r.Handle(route[0], route[1], func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
			w.Header()["Content-Type"] = []string{"text/plain; charset=utf-8"}
			io.WriteString(w, benchAnswer)
		})
	}
	return r
}

// BenchmarkGitHub requests each route of the GitHub API in turn; one operation is
// one request. The ratio of flow to httprouter is what counts. One request is
// used for all, as in the benchmark that the routes are from: a server's request
// has just been read, and is in the cache too.
func BenchmarkGitHub(b *testing.B) {
	for _, bm := range []struct {
		name    string
		handler http.Handler
	}{
		{"httprouter", githubHTTPRouter(b)},
		{"flow", githubFlow(b, func(*flow.Request) string { return benchAnswer })},
	} {
		b.Run(bm.name, func(b *testing.B) {
			routes := githubRoutes(b)
			w := &apptest.Sink{Headers: http.Header{}}
			r, err := http.NewRequest("GET", "/", nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, route := range routes {
				r.Method, r.RequestURI, r.URL.Path = route[0], route[1], route[1]
				w.Wrote = 0
				if bm.handler.ServeHTTP(w, r); w.Wrote != len(benchAnswer) {
					b.Fatalf("%v: wrote %d bytes", route, w.Wrote)
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				r.Method, r.RequestURI, r.URL.Path = routes[i][0], routes[i][1], routes[i][1]
				bm.handler.ServeHTTP(w, r)
				if i++; i == len(routes) {
					i = 0
				}
			}
		})
	}
}

// BenchmarkReady makes an application of many route files ready to serve: New,
// registration and Check.
func BenchmarkReady(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			// A MapFS reads all of its files for each directory.
			dir := b.TempDir()
			var paths []string
			for i := range n {
				p := fmt.Sprintf("area%d/item%d/[id]/part%d", i/100, i/10, i)
				paths = append(paths, p)
				file := filepath.Join(dir, "router", filepath.FromSlash(p)+".http")
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(file, nil, 0o644); err != nil {
					b.Fatal(err)
				}
			}
			tree := os.DirFS(dir)
			for b.Loop() {
				r := flow.New(tree)
				for _, p := range paths {
					r.At(p).GET().Do(func(*flow.Request) string { return benchAnswer })
				}
				if err := r.Check(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadyPages makes an application of many pages ready, each in a layout
// with a title and a partial, and tells how much memory it keeps for a page.
func BenchmarkReadyPages(b *testing.B) {
	const n = 2_000
	texts := map[string]string{
		"+layout.html": `<!doctype html><title>{{block "title" .}}site{{end}}</title><nav>{{template "+link" "/"}}</nav><main class="page">{{template "content" .}}</main>`,
		"+link.html":   `<a href="{{.}}">{{.}}</a>`,
	}
	for i := range n {
		texts[fmt.Sprintf("page%d.html", i)] = `{{define "title"}}A page{{end}}<h1>{{.Title}}</h1>{{range .Links}}<p>{{template "+link" .}}</p>{{end}}<script>show({{.Data}})</script>`
	}
	tree := flowtest.Pages(texts)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, r := heap(), (*flow.Router)(nil)
	for b.Loop() {
		r = flow.New(tree)
		for i := range n {
			r.At(fmt.Sprintf("page%d", i)).GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
		}
		if err := r.Check(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(heap()-before)/n, "heap-B/page")
	runtime.KeepAlive(r)
}

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
	r := flow.New(site(b, "."))
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
		{"file/304", "/site.css", r, []string{"If-None-Match", apptest.Serve(r, "GET", "/site.css").Header().Get("ETag")}, 304, 0},
		{"page/FileServerFS", "/page.html", http.FileServerFS(site(b, "router")), nil, 200, 20042},
		{"page", "/page", r, nil, 200, 20048},
		{"page/gzip", "/page", r, []string{"Accept-Encoding", "gzip, deflate, br, zstd"}, 200, 0},
		{"page/304", "/page", r, []string{"If-None-Match", apptest.Serve(r, "GET", "/page").Header().Get("ETag")}, 304, 0},
	} {
		b.Run(bm.name, func(b *testing.B) {
			req, err := http.NewRequest("GET", bm.target, nil)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; i < len(bm.header); i += 2 {
				req.Header.Set(bm.header[i], bm.header[i+1])
			}
			w := &statusSink{Sink: apptest.Sink{Headers: http.Header{}}}
			bm.handler.ServeHTTP(w, req)
			if w.status != bm.status || bm.size > 0 && w.Wrote != bm.size {
				b.Fatalf("got %d with %d bytes, want %d with %d", w.status, w.Wrote, bm.status, bm.size)
			}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.Headers)
				bm.handler.ServeHTTP(w, req)
			}
		})
	}
}

// A statusSink is a sink that remembers the status.
type statusSink struct {
	apptest.Sink
	status int
}

func (s *statusSink) WriteHeader(status int) { s.status = status }

// ReadFrom needs no buffer for each call, as that of net/http's connections.
func (s *statusSink) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(io.Discard, r)
	s.Wrote += int(n)
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
		w.Header()["Content-Type"] = []string{"text/html; charset=utf-8"}
		if err := t.Execute(w, data); err != nil {
			tb.Error(err)
		}
	})
}

func listRouter(tb testing.TB, data any) *flow.Router {
	tb.Helper()
	r := flow.New(flowtest.Pages(map[string]string{"index.html": "", "users/[id].html": "", "+layout.html": listLayout, "users.html": listTitle + listText}))
	r.At("users").GET().Do(func(*flow.Request) flow.Response { return flow.Page(data) })
	if err := r.Check(); err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestPageIsWhatTemplatesMakeByHand(t *testing.T) {
	is := is.New(t)
	data := listData()
	is.Equal(apptest.Serve(listRouter(t, data), "GET", "/users").Body.String(), apptest.Serve(handmade(t, data), "GET", "/users").Body.String())
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
			w := &apptest.Sink{Headers: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.Headers)
				bm.handler.ServeHTTP(w, req)
			}
		})
	}
}
