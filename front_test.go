package flow

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/devpage"
)

// failing is an application in development whose requests fail.
func failing(t *testing.T) (*Router, string) {
	t.Helper()
	tree := fstest.MapFS{}
	for file, text := range map[string]string{
		"router/index.html": "home", "router/+error.html": "sorry {{.Status}} {{.Detail}}", "router/broken.html": "one\n{{index . 1}}\nthree", "router/fragment.http": "",
		"router/panics/[token].http": "", "router/error.http": "", "router/form.http": "", "router/again.http": "", "router/std.http": "", "public/app.css": "b{}",
	} {
		tree[file] = &fstest.MapFile{Data: []byte(text)}
	}
	dir := onDisk(t, tree)
	r := New(tree)
	r.At("panics/[token]").GET().Do(func(req *Request) string { return []string{}[len(req.Param("token"))] })
	r.At("error").GET().Do(func(*Request) (string, error) { return "", errors.New("dial tcp: refused") })
	r.At("fragment").GET().Do(func(*Request) Response { return View("broken", nil) })
	r.At("form").POST().Do(func(req *Request) (string, error) { return "", errors.New("no " + req.Input("name")) })
	r.At("again").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		inner := q.Clone(q.Context())
		inner.URL.Path = "/"
		r.ServeHTTP(w, inner)
	}))
	r.At("std").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { io.WriteString(w, "<html>std") }))
	r.Dev(dir)
	journalOf(r)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r, dir
}

// TestDevShowsAPage with the source, the stack and the request.
func TestDevShowsAPage(t *testing.T) {
	for _, tt := range []struct {
		target string
		wants  []string
	}{
		{"/broken", []string{"This request failed", "router/broken.html:2", `<mark class="row" data-line="2">{{index . 1}}`, "<dd><code>GET /broken</code></dd>", "<dd><code>router/broken.html</code></dd>"}},
		{"/error", []string{"dial tcp: refused", "front_test.go:", "<dd><code>GET /error</code></dd>"}},
		{"/panics/s3cret?q=1&password=s3cret", []string{"This request panicked", "panic: runtime error: index out of range [6] with length 0",
			"<code>front_test.go:", `<mark class="row"`, "failing", "frames of Go, flow and other packages", "/panics/•••?q=1&amp;password=•••", "<dt>token</dt>"}},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			r, _ := failing(t)
			w := do(r, func() *http.Request {
				req := here(request("GET", tt.target))
				req.Header.Set("Accept", "text/html")
				req.Header.Set("Authorization", "Bearer s3cret")
				return req
			}())
			is.Equal(w.Code, 500)
			is.Equal(w.Header().Get("Content-Type"), devpage.ContentType)
			is.Equal(w.Header().Get("Content-Security-Policy"), devpage.Policy) // which allows the script already
			is.Equal(w.Header().Get("Vary"), "Accept")
			is.True(script.Match(w.Body.Bytes()))
			for _, want := range tt.wants {
				is.True(strings.Contains(w.Body.String(), want))
			}
			is.True(!strings.Contains(w.Body.String(), "s3cret"))
		})
	}
}

func TestDevShowsAForm(t *testing.T) {
	is := is.New(t)
	r, _ := failing(t)
	for _, body := range []string{"name=Ada&password=s3cret", `{"name": "Ada", "password": "s3cret"}`} {
		req := here(httptest.NewRequest("POST", "/form", strings.NewReader(body)))
		req.Header.Set("Content-Type", map[bool]string{true: "application/json", false: "application/x-www-form-urlencoded"}[body[0] == '{'])
		req.Header.Set("Accept", "text/html")
		text := do(r, req).Body.String()
		is.True(strings.Contains(text, "<dt>name</dt><dd>Ada</dd>"))
		is.True(strings.Contains(text, "<dt>password</dt>"))
		is.True(!strings.Contains(text, "s3cret"))
		is.True(strings.Contains(text, "data-post"))
	}
}

// TestDevAnswersOthersAsProductionDoes: those that are not on this machine, or come through
// a proxy, or under a name that is not of this machine.
func TestDevAnswersOthersAsProductionDoes(t *testing.T) {
	others := map[string]func(*http.Request){
		"another machine": func(r *http.Request) { r.RemoteAddr = "192.0.2.1:1234" },
		"another name":    func(r *http.Request) { r.Host = "evil.example" },
		"another page":    func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"a proxy":         func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") },
	}
	for _, target := range []string{"/", "/broken", "/error", "/panics/x", "/none", "/new", "/app.css", "/gone.css", "/std", "/_flow", "/_flow/events", "/_flow/reload.js"} {
		for name, change := range others {
			t.Run(target+" "+name, func(t *testing.T) {
				is := is.New(t)
				r, dir := failing(t)
				write(t, dir, "router/new.html", "new")
				for _, accept := range []string{"text/html", "application/json", "*/*"} {
					req := here(request("GET", target))
					req.Header.Set("Accept", accept)
					change(req)
					w := do(r, req)
					got := w.Body.String()
					for _, never := range []string{"<script", "broken.html", "refused", "index out of range", "is new", "router/", "EventSource", "event-stream"} {
						is.True(!strings.Contains(got+w.Header().Get("Content-Type"), never))
					}
					if accept == "text/html" && w.Code >= 500 {
						is.Equal(got, "sorry 500 ") // the error page of the application
					}
				}
			})
		}
	}
}

func TestDevHidesFaultsOfTheApplicationFromOthers(t *testing.T) {
	is := is.New(t)
	r := New(devTree())
	r.Dev(onDisk(t, devTree()))
	logged(r)
	is.True(!strings.Contains(browse(r, "/").Body.String(), "router/"))
	text := visit(r, "/").Body.String()
	is.True(strings.Contains(text, "The application has faults"))
	is.True(strings.Contains(text, "router/users/[id].html") || strings.Contains(text, "router/row.http")) // all of them
	is.True(strings.Contains(text, "router/fails.http"))
}

// TestDevAddsToPagesOnly compares the answers to a local request that is no navigation
// with those to one of another machine.
func TestDevAddsToPagesOnly(t *testing.T) {
	for _, target := range []string{"/", "/app.css", "/none", "/std", "/again"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			r, _ := failing(t)
			local, other := ask(r, target), serve(r, "GET", target)
			is.Equal(local.Code, other.Code)
			is.Equal(local.Body.String(), other.Body.String())
			is.Equal(local.Header(), other.Header())
		})
	}
	is := is.New(t)
	r, _ := failing(t)
	for _, target := range []string{"/", "/none", "/std", "/again"} {
		req := here(request("GET", target))
		req.Header.Set("Sec-Fetch-Dest", "document")
		req.Header.Set("Accept", "text/html")
		is.Equal(strings.Count(do(r, req).Body.String(), "<script"), 1) // a handler that has the Router answer, too
	}
}

// TestProductionHasNoFront and keeps its table at hand.
func TestProductionHasNoFront(t *testing.T) {
	is := is.New(t)
	r := New(fstest.MapFS{"router/index.html": {Data: []byte("home")}})
	is.Equal(visit(r, "/").Body.String(), "home")
	is.True(r.front == nil && r.serving.Load() != nil)
	is.Equal(ask(r, "/_flow").Code, 404)
}

// TestDevTellsOpenPages of a fault in the answer to a script.
func TestDevTellsOpenPages(t *testing.T) {
	is := is.New(t)
	r, dir := failing(t)
	s := httptest.NewServer(r)
	defer s.Close()
	resp, err := http.Get(s.URL + "/_flow/events")
	is.NoErr(err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	is.True(strings.Contains(next(), `"faults":null`))
	_, err = http.Get(s.URL + "/fragment")
	is.NoErr(err)
	event := next()
	is.True(strings.Contains(event, `"file":"router/broken.html","line":2`))
	is.True(strings.Contains(event, `"text":"{{index . 1}}","marked":true`))
	write(t, dir, "router/broken.html", "mended")
	is.True(strings.Contains(next(), `"faults":null`))
}
