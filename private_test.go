package flow_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

// cacheOf returns the Cache-Control of the answer to GET, with header fields that are pairs of
// key and value.
func cacheOf(h http.Handler, path string, header ...string) string {
	req := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := do(h, req)
	return w.Header().Get("Cache-Control")
}

// TestPersonalAnswers: what may be about a person is private, unless somebody has said
// otherwise.
func TestPersonalAnswers(t *testing.T) {
	const private, public = "private, no-cache", "public, max-age=60"
	text := func(*flow.Request) string { return "x" }
	fails := func(*flow.Request) (flow.Response, error) { return flow.Response{}, errors.New("x") }
	page := func(*flow.Request) flow.Response { return flow.Page(nil) }
	answer := func(resp flow.Response) any { return func(*flow.Request) flow.Response { return resp } }
	next := func(*flow.Request) flow.Response { return flow.Next().Header("Cache-Control", public) }
	std := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("x")) })
	for _, tt := range []struct {
		name    string
		handler any
		use     []any
		want    string // for a stranger
		known   string // with a cookie, and with Authorization
	}{
		{"text", text, nil, "", private},
		{"text behind a guard", text, []any{pass}, "", private},
		{"JSON", answer(flow.JSON(1)), nil, "", private},
		{"an error", fails, nil, "", private},
		{"Fail", answer(flow.Fail(404, "")), nil, "", private},
		{"net/http", std, nil, "", ""},
		{"Handler", answer(flow.Handler(std)), nil, "", ""},
		{"a page", page, nil, private, private},
		{"a view", answer(flow.View("x", nil)), nil, private, private},
		{"a cookie", answer(flow.Text("x").Cookie(&http.Cookie{Name: "a", Value: "b"})), nil, private, private},
		{"a cookie of a guard", text, []any{func(*flow.Request) flow.Response { return flow.Next().Cookie(&http.Cookie{Name: "a", Value: "b"}) }}, private, private},
		{"who asks for the user", func(req *flow.Request) string { req.User(); return "x" }, nil, private, private},
		{"a guard that asks for the user", text, []any{func(req *flow.Request) flow.Response { req.IsAuthenticated(); return flow.Next() }}, private, private},
		{"middleware that asks for the user", text, []any{func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { flow.From(r.Context()).User(); next.ServeHTTP(w, r) })
		}}, private, private},

		{"the handler says otherwise", answer(flow.Page(nil).Header("cache-control", public)), nil, public, public},
		{"the handler adds it", answer(flow.Page(nil).AddHeader("Cache-Control", public)), nil, public, public},
		{"a guard says otherwise", page, []any{next}, public, public},
		{"middleware says otherwise", page, []any{sets("Cache-Control", public)}, public, public},
		{"an error after a guard has said otherwise", fails, []any{next}, "", private},
		{"an error after middleware has said otherwise", fails, []any{sets("Cache-Control", public)}, public, private},
		{"an error after middleware has said more", fails, []any{sets("Cache-Control", "no-store")}, "no-store", "no-store"},
		{"Fail says otherwise", answer(flow.Fail(404, "").Header("Cache-Control", public)), nil, public, public},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/x.html"))
			journalOf(r)
			r.Authenticate = func(*flow.Request) (any, error) { return nil, nil }
			r.At("x").GET().Use(tt.use...).Do(tt.handler)
			is.NoErr(r.Check())
			for range 2 { // the second one may have an exchange of the pool
				is.Equal(cacheOf(r, "/x"), tt.want)
				is.Equal(cacheOf(r, "/x", "Accept", "text/html", "User-Agent", "x"), tt.want)
				is.Equal(cacheOf(r, "/x", "Cookie", "a=b"), tt.known)
				is.Equal(cacheOf(r, "/x", "Authorization", "Bearer x"), tt.known)
			}
		})
	}
}

// TestPersonalAnswersOfTheRouter: those that no handler gives.
func TestPersonalAnswersOfTheRouter(t *testing.T) {
	is := is.New(t)
	const private = "private, no-cache"
	r := flow.New(flowtest.Files("router/x.http", "router/+error.html", "public/a.css"))
	journalOf(r)
	r.At("x").POST().Do(func(*flow.Request) string { return "" })
	r.OnError = func(req *flow.Request, err error) flow.Response {
		if req.URL.Path == "/kept" {
			return flow.Text("x").Header("Cache-Control", "max-age=1")
		}
		return flow.Response{}
	}
	is.NoErr(r.Check())
	for _, tt := range []struct{ path, accept, want, known string }{
		{"/none", "text/plain", "", private},
		{"/none", "text/html", private, private}, // an error page is rendered for the request
		{"/x", "text/plain", "", private},        // 405
		{"/x/", "text/plain", "", private},       // 308
		{"/kept", "text/html", "max-age=1", "max-age=1"},
		{"/a.css", "text/css", "no-cache", "no-cache"},
	} {
		is.Equal(cacheOf(r, tt.path, "Accept", tt.accept), tt.want)
		is.Equal(cacheOf(r, tt.path, "Accept", tt.accept, "Cookie", "a=b"), tt.known)
	}
	w := httptest.NewRecorder()
	req := httptest.NewRequest("POST", "/x", nil)
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	req.Header.Set("Cookie", "a=b")
	r.ServeHTTP(w, req)
	is.Equal(w.Code, 403)
	is.Equal(w.Header().Get("Cache-Control"), private)
}

// TestFixedPagesBehindGuards: a page that is rendered once is the same for all whom a guard
// lets through, wherever it stands.
func TestFixedPagesBehindGuards(t *testing.T) {
	const private, everybody = "private, no-cache", "no-cache"
	inner := func() *flow.Router { return flow.New(flowtest.Files("router/a/x.html")) }
	mount := func(r *flow.Router, use ...any) *flow.Router {
		outer := flow.New(flowtest.Files("router/index.http"))
		outer.At("index").GET().Do(hello)
		outer.Mount("/m", r).Use(use...)
		return outer
	}
	guards := func(use func(*flow.Router)) *flow.Router {
		r := inner()
		use(r)
		return r
	}
	around := mount(inner())
	around.Use(pass)
	for _, tt := range []struct {
		name   string
		router *flow.Router
		path   string
		want   string
	}{
		{"no guard", inner(), "/a/x", everybody},
		{"middleware", guards(func(r *flow.Router) { r.Use(wrap) }), "/a/x", everybody},
		{"of the Router", guards(func(r *flow.Router) { r.Use(pass) }), "/a/x", private},
		{"of a directory", guards(func(r *flow.Router) { r.In("a").Use(pass) }), "/a/x", private},
		{"of the file", guards(func(r *flow.Router) { r.At("a/x").Use(pass) }), "/a/x", private},
		{"of the method", guards(func(r *flow.Router) { r.At("a/x").GET().Use(pass).Name("x") }), "/a/x", private},
		{"mounted", mount(inner()), "/m/a/x", everybody},
		{"of the mount", mount(inner(), pass), "/m/a/x", private},
		{"of the Router around it", around, "/m/a/x", private},
		{"of the one around that", func() *flow.Router { r := mount(mount(inner())); r.Use(pass); return r }(), "/m/m/a/x", private},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(tt.router.Check())
			is.Equal(cacheOf(tt.router, tt.path), tt.want)
			is.Equal(cacheOf(tt.router, tt.path, "Cookie", "a=b"), tt.want)
		})
	}
}

// TestCookiesOfContents: middleware sets a cookie, and what is answered is the same for everybody.
// A cache that people share would give all of them the cookie.
func TestCookiesOfContents(t *testing.T) {
	is := is.New(t)
	setsCookie := around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "secret"})
		next.ServeHTTP(w, r)
	})
	for _, tt := range []struct {
		use                []any
		page, file, hashed string
	}{
		{nil, "no-cache", "no-cache", "public, max-age=31536000, immutable"},
		{[]any{setsCookie}, "private, no-cache", "private, no-cache", "private, max-age=31536000, immutable"},
		{[]any{setsCookie, pass}, "private, no-cache", "private, no-cache", "private, max-age=31536000, immutable"},
		{[]any{setsCookie, sets("Cache-Control", "public, max-age=60")}, "public, max-age=60", "public, max-age=60", "public, max-age=60"},
	} {
		r := flow.New(flowtest.Files("router/x.html", "public/a.css"))
		r.Use(tt.use...)
		is.NoErr(r.Check())
		hashed, err := r.Asset("a.css")
		is.NoErr(err)
		is.Equal(cacheOf(r, "/x"), tt.page)
		is.Equal(cacheOf(r, "/a.css"), tt.file)
		is.Equal(cacheOf(r, hashed), tt.hashed)
	}
}

// TestAnswersWithNonces are private, whatever has written them.
func TestAnswersWithNonces(t *testing.T) {
	const private = "private, no-cache"
	html := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(flow.From(r.Context()).Nonce()))
	}
	for _, tt := range []struct {
		name    string
		handler any
		want    string
	}{
		{"HTML", func(*flow.Request) flow.Response { return flow.HTML("x") }, private},
		{"text with the nonce", func(req *flow.Request) string { return req.Nonce() }, private},
		{"text", func(req *flow.Request) string { return "x" }, ""},
		{"net/http", html, private},
		{"Handler", func(*flow.Request) flow.Response { return flow.Handler(http.HandlerFunc(html)) }, private},
		{"net/http, text", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Write([]byte("x"))
		}, ""},
		{"net/http that says otherwise", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			html(w, r)
		}, "no-store"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(tt.handler)
			r.ContentSecurityPolicy = "script-src 'nonce'"
			is.Equal(cacheOf(r, "/x"), tt.want)
		})
	}
}

// TestUserOfTheRouterAround: its guard has asked, and the answer is that of the mounted one.
func TestUserOfTheRouterAround(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/x.http"))
	inner.At("x").GET().Do(hello)
	outer := flow.New(flowtest.Files("router/x.http"))
	outer.At("x").GET().Do(hello)
	outer.Authenticate = func(*flow.Request) (any, error) { return "ada", nil }
	outer.Mount("/m", inner).Use(func(req *flow.Request) flow.Response { req.User(); return flow.Next() })
	is.NoErr(outer.Check())
	is.Equal(cacheOf(outer, "/m/x"), "private, no-cache")
}
