package flow

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/flowtest"
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
func githubFlow(tb testing.TB, handler any) *Router {
	tb.Helper()
	files := fstest.MapFS{}
	for _, route := range githubRoutes(tb) {
		files["router/"+treePath(route[1])+".http"] = &fstest.MapFile{}
	}
	r := New(files)
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
			w.Header()["Content-Type"] = textType
			io.WriteString(w, benchAnswer)
		})
	}
	return r
}

// A sink is a ResponseWriter that costs next to nothing.
type sink struct {
	header http.Header
	wrote  int
}

func (s *sink) Header() http.Header                  { return s.header }
func (s *sink) Write(b []byte) (int, error)          { s.wrote += len(b); return len(b), nil }
func (s *sink) WriteString(text string) (int, error) { s.wrote += len(text); return len(text), nil }
func (s *sink) WriteHeader(int)                      {}

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
		{"flow", githubFlow(b, func(*Request) string { return benchAnswer })},
	} {
		b.Run(bm.name, func(b *testing.B) {
			routes := githubRoutes(b)
			w := &sink{header: http.Header{}}
			r, err := http.NewRequest("GET", "/", nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, route := range routes {
				r.Method, r.RequestURI, r.URL.Path = route[0], route[1], route[1]
				w.wrote = 0
				if bm.handler.ServeHTTP(w, r); w.wrote != len(benchAnswer) {
					b.Fatalf("%v: wrote %d bytes", route, w.wrote)
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
				r := New(tree)
				for _, p := range paths {
					r.At(p).GET().Do(func(*Request) string { return benchAnswer })
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
	before, r := heap(), (*Router)(nil)
	for b.Loop() {
		r = New(tree)
		for i := range n {
			r.At(fmt.Sprintf("page%d", i)).GET().Do(func(*Request) Response { return Page(nil) })
		}
		if err := r.Check(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(heap()-before)/n, "heap-B/page")
	runtime.KeepAlive(r)
}
