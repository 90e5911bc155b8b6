package app

import (
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
)

// newRouter returns a Router for the application, which may be nil.
func newRouter(t testing.TB, a *App) *flow.Router {
	t.Helper()
	if a == nil {
		a = &App{}
	}
	a.Logger = slog.New(slog.DiscardHandler)
	r := New(a)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// newRequest returns a request with headers that are pairs of key and value.
func newRequest(method, target, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// An answer is what a client sees of a response.
type answer struct {
	status int
	header http.Header
	body   string
}

func do(h http.Handler, r *http.Request) answer {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

const (
	textHTML    = "text/html; charset=utf-8"
	problemJSON = "application/problem+json"
	asForm      = "application/x-www-form-urlencoded"
	asJSON      = "application/json"
)

func TestRouteTable(t *testing.T) {
	is := is.New(t)
	var b strings.Builder
	for _, r := range newRouter(t, nil).Routes() {
		line := fmt.Sprintf("%-6s %-20s %-34s %-16s %d", r.Method, r.Pattern, r.File, r.Name, r.Middleware)
		b.WriteString(line + "\n")
	}
	is.Equal(b.String(), `
GET    /                    router/index.html                  home             3
GET    /about               router/about.html                  about            3
GET    /api/docs            router/api/docs.http               api.docs         3
PATCH  /api/echo            router/api/echo.http               api.echo         3
ANY    /api/echo            router/api/echo.http               api.echo         3
GET    /api/openapi.json    router/api/openapi.json.http       api.openapi.json 3
GET    /api/users           router/api/users/index.http        api.users        3
POST   /api/users           router/api/users/store.http        api.users.create 3
GET    /api/users/{id}      router/api/users/[id].http         api.users.show   3
PUT    /api/users/{id}      router/api/users/[id].http         api.users.show   3
DELETE /api/users/{id}      router/api/users/[id].http         api.users.show   3
GET    /blog                router/blog/index.html             blog             3
GET    /blog/{year}/{slug}  router/blog/[year]/[slug].html     blog.post        3
GET    /dashboard           router/(admin)/dashboard.html      dashboard        4
GET    /docs                router/docs/[[...path]].html       docs             3
GET    /docs/{path...}      router/docs/[[...path]].html       docs             3
GET    /events              router/events/index.html           events           3
GET    /events/stream       router/events/stream.http          events.stream    3
GET    /livez               router/livez.http                  livez            3
GET    /login               router/(auth)/login.html           login            3
POST   /login               router/(auth)/login.html           login            3
POST   /logout              router/(auth)/logout.http          logout           3
GET    /readyz              router/readyz.http                 readyz           3
GET    /reports             router/(admin)/reports.html        reports          4
GET    /reports.json        router/(admin)/reports.json.http   reports.json     4
GET    /upload              router/upload.html                 upload           3
POST   /upload              router/upload.html                 upload           3
GET    /users               router/users/index.html            users            3
POST   /users               router/users/store.http            users.create     3
GET    /users/{id}          router/users/[id].html             users.show       3
POST   /users/{id}          router/users/[id].html             users.show       3
`[1:]) // the whole route table
}

func TestPages(t *testing.T) {
	router := newRouter(t, nil)
	for _, tt := range []struct {
		method, target string
		status         int
		contentType    string
		piece          string
	}{
		{"GET", "/", 200, textHTML, "<h1>A directory is a router</h1>"},
		{"GET", "/", 200, textHTML, "/docs/[[...path]].html</code>"},
		{"GET", "/about", 200, textHTML, "<h1>About</h1>"},
		{"GET", "/about?utm=1", 200, textHTML, "<h1>About</h1>"},
		{"GET", "/users", 200, textHTML, `<a href="/users/2">Grace Hopper</a>`},
		{"GET", "/users/2", 200, textHTML, "grace@example.com"},
		{"GET", "/users/99", 404, textHTML, "there is no user 99"},
		{"GET", "/users/2x", 404, textHTML, "<h1>Not Found</h1>"},
		{"GET", "/users/%3Cb%3E", 404, textHTML, "<h1>Not Found</h1>"},
		{"GET", "/blog", 200, textHTML, `<a href="/blog/2026/names-are-urls">Names are URLs</a>`},
		{"GET", "/blog/2026/names-are-urls", 200, textHTML, "<h1>Names are URLs</h1>"},
		{"GET", "/blog/2025/names-are-urls", 404, textHTML, "no such post"},
		{"GET", "/blog/2026", 404, problemJSON, ""},
		{"GET", "/docs", 200, textHTML, "everything below"},
		{"GET", "/docs/a", 200, textHTML, "1 segment,"},
		{"GET", "/docs/a/b%2Fc", 200, textHTML, `<a href="/docs/a/b%2Fc">b/c</a>`},
		{"GET", "/docs/%2e%2e/a", 200, textHTML, "<li>..</li>"},
		{"GET", "/docs/%3Cscript%3E", 200, textHTML, "<code>&lt;script&gt;</code>"},
		{"GET", "/login", 200, textHTML, "<h1>Sign in</h1>"},
		{"GET", "/upload", 200, textHTML, "A file may have 1.0 MiB."},
		{"GET", "/events", 200, textHTML, `new EventSource("/events/stream")`},
		{"GET", "/app.css", 200, "text/css; charset=utf-8", "color-scheme"},
		{"GET", "/favicon.svg", 200, "image/svg+xml", "<svg"},
		{"GET", "/robots.txt", 200, "text/plain; charset=utf-8", "Disallow: /api/"},
		{"GET", "/about.html", 404, problemJSON, ""},
		{"GET", "/nothing", 404, problemJSON, ""},
		{"HEAD", "/", 200, textHTML, ""},
		{"HEAD", "/events/stream", 200, "text/event-stream", ""},
		{"GET", "/api/users", 200, asJSON, `[{"id":1,"name":"Ada Lovelace"},{"id":2,"name":"Grace Hopper"},{"id":3,"name":"Edsger Dijkstra"}]`},
		{"GET", "/api/users/1", 200, asJSON, `{"id":1,"name":"Ada Lovelace"}`},
		{"BREW", "/api/echo?a=1", 200, asJSON, `{"method":"BREW","data":{"a":"1"}}`},
		{"PATCH", "/api/echo?name=Ada", 200, "text/plain; charset=utf-8", "PATCH Ada"},
		{"GET", "/api/users/99", 404, problemJSON, "there is no user 99"},
		{"GET", "/api/users/ada", 404, problemJSON, `"title":"Not Found"`},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			got := do(router, newRequest(tt.method, tt.target, ""))
			is.Equal(got.status, tt.status)
			is.Equal(got.header.Get("Content-Type"), tt.contentType)
			is.True(strings.Contains(got.body, tt.piece))                 // the body has that piece
			is.Equal(got.header.Get("X-Content-Type-Options"), "nosniff") // on errors and public files too
		})
	}
}

func TestOtherAnswers(t *testing.T) {
	router := newRouter(t, nil)
	for _, tt := range []struct {
		method, target string
		status         int
		key, value     string
	}{
		{"GET", "/users/", 308, "Location", "/users"},
		{"GET", "//blog//2026/names-are-urls?page=2", 308, "Location", "/blog/2026/names-are-urls?page=2"},
		{"GET", "/dashboard", 302, "Location", "/login"},
		{"GET", "/reports", 302, "Location", "/login"},
		{"GET", "/reports.json", 302, "Location", "/login"},
		{"POST", "/about", 405, "Allow", "GET, HEAD, OPTIONS"},
		{"DELETE", "/users", 405, "Allow", "GET, HEAD, OPTIONS, POST"},
		{"DELETE", "/users/1", 405, "Allow", "GET, HEAD, OPTIONS, POST"},
		{"GET", "/logout", 405, "Allow", "OPTIONS, POST"},
		{"PATCH", "/api/users/1", 405, "Allow", "DELETE, GET, HEAD, OPTIONS, PUT"},
		{"OPTIONS", "/api/users", 204, "Allow", "GET, HEAD, OPTIONS, POST"},
		{"OPTIONS", "/upload", 204, "Allow", "GET, HEAD, OPTIONS, POST"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			got := do(router, newRequest(tt.method, tt.target, ""))
			is.Equal(got.status, tt.status)
			is.Equal(got.header.Get(tt.key), tt.value)
		})
	}
}

func TestOtherOrigins(t *testing.T) {
	router := newRouter(t, nil)
	for _, tt := range []struct {
		method, target, site string
		status               int
	}{
		{"GET", "/users", "cross-site", 200},
		{"POST", "/users", "same-origin", 422},
		{"POST", "/users", "cross-site", 403},
		{"POST", "/users/1", "cross-site", 403},
		{"POST", "/login", "cross-site", 403},
		{"POST", "/logout", "cross-site", 403},
		{"POST", "/upload", "cross-site", 403},
		{"POST", "/api/users", "cross-site", 403},
		{"DELETE", "/api/users/1", "same-site", 403},
	} {
		t.Run(tt.method+" "+tt.target+" "+tt.site, func(t *testing.T) {
			is := is.New(t)
			got := do(router, newRequest(tt.method, tt.target, "", "Sec-Fetch-Site", tt.site))
			is.Equal(got.status, tt.status)
		})
	}
	is := is.New(t)
	is.Equal(do(router, newRequest("GET", "/api/users/1", "")).status, 200) // nothing was deleted
}

var link = regexp.MustCompile(`(?:href|src)="(/[^"]*)"`)

// TestLinks follows every link of every page that a visitor can reach.
func TestLinks(t *testing.T) {
	router := newRouter(t, nil)
	seen := map[string]bool{
		"/events/stream": true, // which has no end
		"/users/99":      true, // which is nobody
	}
	queue := []string{"/"}
	for len(queue) > 0 {
		url, _, _ := strings.Cut(queue[0], "#")
		queue = queue[1:]
		if seen[url] {
			continue
		}
		seen[url] = true
		got := do(router, newRequest("GET", url, ""))
		if got.status >= 400 {
			t.Errorf("%s: got %d, want a page", url, got.status)
		}
		for _, m := range link.FindAllStringSubmatch(got.body, -1) {
			queue = append(queue, html.UnescapeString(m[1]))
		}
	}
	is := is.New(t)
	is.True(len(seen) > 15) // there were links to follow
}

func TestSizeText(t *testing.T) {
	for _, tt := range []struct {
		bytes int64
		want  string
	}{
		{0, "0 B"},
		{1023, "1023 B"},
		{1536, "1.5 KiB"},
		{1 << 20, "1.0 MiB"},
		{3 << 30, "3072.0 MiB"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			is := is.New(t)
			is.Equal(sizeText(tt.bytes), tt.want)
		})
	}
}

// TestRoutersShareNothing makes two Routers, as tests do that run side by side.
func TestRoutersShareNothing(t *testing.T) {
	is := is.New(t)
	a, b := newRouter(t, nil), newRouter(t, nil)
	is.Equal(do(a, newRequest("DELETE", "/api/users/1", "")).status, 200)
	is.Equal(do(a, newRequest("GET", "/users/1", "")).status, 404)
	is.Equal(do(b, newRequest("GET", "/users/1", "")).status, 200)
}

// readAll returns what a server sent.
func readAll(t testing.TB, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
