package app

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// asBrowser is the Accept of a browser that follows a link.
const asBrowser = "text/html,application/xhtml+xml,*/*;q=0.8"

// signedInRequest returns a request of the sample's account.
func signedInRequest(a *App, target string) *http.Request {
	r := newRequest("GET", target, "", "Accept", asBrowser)
	r.AddCookie(&http.Cookie{Name: sessionCookie, Value: sign(a.Secret, demoName, time.Now().Add(time.Hour))})
	return r
}

var (
	titleOf   = regexp.MustCompile(`(?s)<title>(.*?)</title>`)
	headingOf = regexp.MustCompile(`(?s)<h1>(.*?)</h1>`)
	mainNavOf = regexp.MustCompile(`(?s)<nav aria-label="Main">(.*?)</nav>`)
	currentOf = regexp.MustCompile(`<a href="([^"]*)" aria-current="page">`)
)

// TestLayout looks at what is around each page of the application.
func TestLayout(t *testing.T) {
	a := &App{Secret: []byte("a secret of this test")}
	router := newRouter(t, a)
	seen := map[string]bool{} // patterns
	for _, tt := range []struct {
		target  string
		signed  bool
		title   string
		heading string
		current string // the link of the navigation that is marked, if one is
	}{
		{"/", false, "A directory is a router", "A directory is a router", "/"},
		{"/about", false, "About", "About", "/about"},
		{"/users", false, "Users", "Users", "/users"},
		{"/users?q=ada", false, "Users", "Users", "/users"},
		{"/users/2", false, "Grace Hopper", "Grace Hopper", ""},
		{"/blog", false, "Blog", "Blog", "/blog"},
		{"/blog/2026/names-are-urls", false, "Names are URLs", "Names are URLs", ""},
		{"/docs", false, "Docs", "Docs", "/docs"},
		{"/docs/a/b", false, "Docs", "Docs", "/docs"},
		{"/upload", false, "Upload", "Upload", "/upload"},
		{"/events", false, "Events", "Events", "/events"},
		{"/login", false, "Sign in", "Sign in", ""},
		{"/dashboard", true, "Dashboard", "Dashboard", "/dashboard"},
		{"/reports", true, "Report", "Where users have their mail", "/dashboard"},
		{"/nothing", false, "Not Found", "Not Found", ""},
		{"/users/99", false, "Not Found", "Not Found", ""},
		{"/logout", false, "Method Not Allowed", "Method Not Allowed", ""},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			r := newRequest("GET", tt.target, "", "Accept", asBrowser)
			if tt.signed {
				r = signedInRequest(a, tt.target)
			}
			got := do(router, r)
			seen[r.Pattern] = true
			is.Equal(got.header.Get("Content-Type"), textHTML)
			is.True(strings.HasPrefix(got.body, "<!doctype html>\n"))
			is.Equal(strings.Count(got.body, "<!doctype"), 1)
			is.Equal(only(t, titleOf, got.body), tt.title+" · flow")
			is.Equal(only(t, headingOf, got.body), tt.heading)
			nav := only(t, mainNavOf, got.body)
			is.Equal(strings.Count(nav, "<a "), 8)
			if tt.current == "" {
				is.True(!currentOf.MatchString(nav)) // no link is marked
				return
			}
			is.Equal(only(t, currentOf, nav), tt.current)
		})
	}
	for _, r := range router.Routes() {
		if r.Method == "GET" && strings.HasSuffix(r.File, ".html") && !seen["GET "+r.Pattern] {
			t.Errorf("no row looks at %s", r.Pattern)
		}
	}
}

// only returns what the group of a pattern matches, and fails unless the pattern matches
// the text once.
func only(t testing.TB, pattern *regexp.Regexp, text string) string {
	t.Helper()
	all := pattern.FindAllStringSubmatch(text, -1)
	if len(all) != 1 {
		t.Fatalf("%v: got %d of them, want 1", pattern, len(all))
	}
	return all[0][1]
}

// TestAdminLayout looks at what the layout of (admin) puts around its pages.
func TestAdminLayout(t *testing.T) {
	a := &App{Secret: []byte("a secret of this test")}
	router := newRouter(t, a)
	adminNav := regexp.MustCompile(`(?s)<nav aria-label="Admin">(.*?)</nav>`)
	for _, target := range []string{"/dashboard", "/reports"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			got := do(router, signedInRequest(a, target))
			is.True(strings.Contains(got.body, "Signed in as <strong>ada</strong>"))
			is.True(strings.Contains(got.body, `action="/logout"`))
			is.Equal(only(t, currentOf, only(t, adminNav, got.body)), target)
		})
	}
	is := is.New(t)
	is.True(!strings.Contains(do(router, signedInRequest(a, "/")).body, "Signed in as")) // it is of (admin) only
}

func TestErrorPages(t *testing.T) {
	const site, ofUsers = "Go to the home page", `<a href="/users">all users</a>`
	router := newRouter(t, nil)
	for _, tt := range []struct {
		method, target, accept string
		status                 int
		contentType            string
		piece                  string
	}{
		{"GET", "/nothing", asBrowser, 404, textHTML, site},
		{"GET", "/nothing", asBrowser, 404, textHTML, "Nothing is at <code>/nothing</code>."},
		{"GET", "/%3Cb%3E", asBrowser, 404, textHTML, "<code>/&lt;b&gt;</code>"},
		{"GET", "/about.html", asBrowser, 404, textHTML, site},
		{"GET", "/blog/1999/nothing", asBrowser, 404, textHTML, "The server says: the blog has no such post."},
		{"GET", "/users/99", asBrowser, 404, textHTML, "The server says: there is no user 99."},
		{"GET", "/users/99", asBrowser, 404, textHTML, ofUsers},
		{"GET", "/users/99", "*/*", 404, textHTML, ofUsers}, // the route is a page
		{"GET", "/users/1/posts", asBrowser, 404, textHTML, ofUsers},
		{"DELETE", "/users/1", asBrowser, 405, textHTML, ofUsers},
		{"POST", "/about", asBrowser, 405, textHTML, site},
		{"GET", "/nothing", "*/*", 404, problemJSON, `"title":"Not Found"`},
		{"GET", "/users/1/posts", "*/*", 404, problemJSON, `"title":"Not Found"`},
		{"GET", "/users/99", "application/json", 404, problemJSON, "there is no user 99"},
		{"GET", "/api/users/99", "*/*", 404, problemJSON, "there is no user 99"},
		{"GET", "/api/users/99", asBrowser, 404, textHTML, "The server says: there is no user 99."},
		{"POST", "/api/users", asBrowser, 422, textHTML, "<li><code>email</code> is required</li>"},
	} {
		t.Run(tt.method+" "+tt.target+" "+tt.accept, func(t *testing.T) {
			is := is.New(t)
			got := do(router, newRequest(tt.method, tt.target, "", "Accept", tt.accept))
			is.Equal(got.status, tt.status)
			is.Equal(got.header.Get("Content-Type"), tt.contentType)
			is.True(strings.Contains(got.body, tt.piece)) // the answer has that piece
		})
	}
}

// TestRenderedOnce asks again for a page that is the same for everyone.
func TestRenderedOnce(t *testing.T) {
	is := is.New(t)
	router := newRouter(t, nil)
	first := do(router, newRequest("GET", "/about", ""))
	tag := first.header.Get("ETag")
	is.True(tag != "") // it is rendered once
	second := do(router, newRequest("GET", "/about", "", "If-None-Match", tag))
	is.Equal(second.status, 304)
	is.Equal(second.body, "")
	compressed := do(router, newRequest("GET", "/about", "", "Accept-Encoding", "gzip"))
	is.Equal(compressed.header.Get("Content-Encoding"), "gzip")
	is.True(len(compressed.body) < len(first.body))
}

// TestAssets asks for the style sheet and the pictures of the home page.
func TestAssets(t *testing.T) {
	router := newRouter(t, nil)
	home := do(router, newRequest("GET", "/", "")).body
	for _, tt := range []struct{ url, contentType string }{
		{`/app\.\w+\.css`, "text/css; charset=utf-8"},
		{`/favicon\.\w+\.svg`, "image/svg+xml"},
		{`/files\.\w+\.svg`, "image/svg+xml"},
	} {
		t.Run(tt.url, func(t *testing.T) {
			is := is.New(t)
			m := regexp.MustCompile(`(?:href|src)="(` + tt.url + `)"`).FindStringSubmatch(home)
			is.True(m != nil) // the page names it with its hash
			got := do(router, newRequest("GET", m[1], ""))
			is.Equal(got.status, 200)
			is.Equal(got.header.Get("Content-Type"), tt.contentType)
			is.True(strings.Contains(got.header.Get("Cache-Control"), "immutable"))
		})
	}
}

// TestUserSearch looks for users, with the page around them and without.
func TestUserSearch(t *testing.T) {
	const adaRow = `<li><a href="/users/1">Ada Lovelace</a> <span class="quiet">ada@example.com</span></li>`
	router := newRouter(t, nil)
	for _, tt := range []struct {
		query  string
		rows   int
		pieces []string
	}{
		{"", 3, []string{adaRow, "Grace Hopper", "Edsger Dijkstra"}},
		{"?q=ADA", 1, []string{adaRow}},
		{"?q=example.com", 2, []string{adaRow, "Grace Hopper"}},
		{"?q=%3Cb%3E", 1, []string{"There is nobody with “&lt;b&gt;” in name or email."}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			is := is.New(t)
			page := do(router, newRequest("GET", "/users"+tt.query, ""))
			is.Equal(page.status, 200)
			part := "?part=list"
			if tt.query != "" {
				part = tt.query + "&part=list"
			}
			list := do(router, newRequest("GET", "/users"+part, ""))
			is.Equal(list.status, 200)
			is.Equal(list.header.Get("Content-Type"), textHTML)
			is.True(strings.HasPrefix(list.body, `<ul class="rows">`)) // the list alone
			is.True(strings.HasSuffix(list.body, "</ul>"))
			is.Equal(strings.Count(list.body, "<li>"), tt.rows)
			is.True(strings.Contains(page.body, list.body)) // and the page shows the same
			for _, piece := range tt.pieces {
				is.True(strings.Contains(list.body, piece)) // the row is there
			}
		})
	}
}

// TestScripts checks that the scripts of a page may run, and no other ones: the policy has
// the nonce of this answer, or the hash of the script of a page that is rendered once.
func TestScripts(t *testing.T) {
	router := newRouter(t, nil)
	nonce := regexp.MustCompile(`<script nonce="(\w+)">`)
	for _, tt := range []struct {
		method, target string
		status         int
	}{
		{"GET", "/users", 200},
		{"POST", "/users", 422}, // the same page again
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			first, second := do(router, newRequest(tt.method, tt.target, "")), do(router, newRequest(tt.method, tt.target, ""))
			is.Equal(first.status, tt.status)
			value := only(t, nonce, first.body)
			is.Equal(first.header.Get("Content-Security-Policy"), strings.Replace(contentPolicy, "'nonce'", "'nonce-"+value+"'", 1))
			is.True(!strings.Contains(second.body, value)) // each answer has a nonce of its own
		})
	}
	is := is.New(t)
	events := do(router, newRequest("GET", "/events", "")) // which is rendered once
	_, script, _ := strings.Cut(events.body, `<script nonce="">`)
	script, _, _ = strings.Cut(script, "</script>")
	hash := sha256.Sum256([]byte(script))
	is.Equal(events.header.Get("Content-Security-Policy"), strings.Replace(contentPolicy, "'nonce'", "'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'", 1))
	is.True(events.header.Get("Etag") != "")
}
