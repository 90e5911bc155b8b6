package requests_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		tree   []string
		method string
		target string
		want   string
	}{
		// Literal text beats a parameter, a parameter beats a catch-all.
		{[]string{"users/new.http GET", "users/[id].http GET", "users/[...rest].http GET"}, "GET", "/users/new", "200 router/users/new.http GET"},
		{[]string{"users/new.http GET", "users/[id].http GET", "users/[...rest].http GET"}, "GET", "/users/5", "200 router/users/[id].http GET id=5"},
		{[]string{"users/new.http GET", "users/[id].http GET", "users/[...rest].http GET"}, "GET", "/users/5/x", "200 router/users/[...rest].http GET rest=5|x"},
		// The leftmost literal wins, and abandoned branches leak nothing.
		{[]string{"a/b/c.http GET", "a/[x]/d.http GET", "[y]/[z]/e.http GET"}, "GET", "/a/b/e", "200 router/[y]/[z]/e.http GET y=a z=b"},
		// Each file has its own parameter names.
		{[]string{"users/[id].http GET", "users/[name]/posts.http GET"}, "GET", "/users/7/posts", "200 router/users/[name]/posts.http GET name=7"},
		// The method takes part.
		{[]string{"users/new.http GET", "users/[id].http POST"}, "POST", "/users/new", "200 router/users/[id].http POST id=new"},
		{[]string{"users/new.http GET", "users/[id].http POST"}, "PUT", "/users/new", "405 Allow GET, HEAD, OPTIONS, POST"},
		{[]string{"users/new.http GET", "users/[id].http ANY"}, "PROPFIND", "/users/new", "200 router/users/[id].http ANY id=new"},
		{[]string{"x.http GET ANY"}, "OPTIONS", "/x", "200 router/x.http ANY"},
		{[]string{"x.http PROPFIND"}, "PROPFIND", "/x", "200 router/x.http PROPFIND"},
		{[]string{"x.http PROPFIND"}, "GET", "/x", "405 Allow OPTIONS, PROPFIND"},
		// HEAD, OPTIONS, 405, 404.
		{[]string{"x.http HEAD GET"}, "OPTIONS", "/x", "204 Allow GET, HEAD, OPTIONS"},
		{[]string{"x.http POST"}, "HEAD", "/x", "405 Allow OPTIONS, POST"},
		{[]string{"x.http ANY"}, "PUT", "/y", "404"},
		// A store answers POST and nothing but POST, before the index's ANY.
		{[]string{"users/index.http GET", "users/store.http POST"}, "POST", "/users", "200 router/users/store.http POST"},
		{[]string{"users/index.http GET", "users/store.http POST"}, "DELETE", "/users", "405 Allow GET, HEAD, OPTIONS, POST"},
		{[]string{"users/index.http ANY", "users/store.http POST"}, "POST", "/users", "200 router/users/store.http POST"},
		{[]string{"users/store.http POST"}, "OPTIONS", "/users", "204 Allow OPTIONS, POST"},
		{[]string{"(a)/users/index.http GET", "(b)/users/store.http POST"}, "POST", "/users", "200 router/(b)/users/store.http POST"},
		// Optional segments and catch-alls.
		{[]string{"[[lang]]/about.http GET"}, "GET", "/about", "200 router/[[lang]]/about.http GET lang="},
		{[]string{"[[lang]]/about.http GET"}, "GET", "/de/about", "200 router/[[lang]]/about.http GET lang=de"},
		{[]string{"docs/[...rest].http GET"}, "GET", "/docs", "404"},
		{[]string{"docs/[[...rest]].http GET"}, "GET", "/docs", "200 router/docs/[[...rest]].http GET rest="},
		{[]string{"index.http GET", "[...rest].http GET"}, "GET", "/", "200 router/index.http GET"},
		{[]string{"[[...rest]].http GET"}, "GET", "/", "200 router/[[...rest]].http GET rest="},
		// A value that does not match is as if the file were not there.
		{[]string{"users/[id=int].http GET"}, "GET", "/users/7", "200 router/users/[id=int].http GET id=7"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/x", "404"},
		{[]string{"users/[id=int].http GET"}, "POST", "/users/x", "404"},
		{[]string{"users/[id=int].http GET"}, "POST", "/users/7", "405 Allow GET, HEAD, OPTIONS"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/7/", "308 Location /users/7"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/%37", "200 router/users/[id=int].http GET id=7"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/7%2F", "404"},
		{[]string{"users/[id=int].http GET", "users/[slug].http GET"}, "GET", "/users/7", "200 router/users/[id=int].http GET id=7"},
		{[]string{"users/[id=int].http GET", "users/[slug].http GET"}, "GET", "/users/ada", "200 router/users/[slug].http GET slug=ada"},
		{[]string{"users/[id=int].http GET", "users/[slug].http GET POST"}, "POST", "/users/7", "200 router/users/[slug].http POST slug=7"},
		{[]string{"users/[id=int].http GET", "users/[slug].http POST"}, "PUT", "/users/7", "405 Allow GET, HEAD, OPTIONS, POST"},
		{[]string{"[id=int]/edit.http GET", "[slug]/[page].http GET"}, "GET", "/7/edit", "200 router/[id=int]/edit.http GET id=7"},
		{[]string{"[id=int]/edit.http GET", "[slug]/[page].http GET"}, "GET", "/7/x", "200 router/[slug]/[page].http GET slug=7 page=x"},
		{[]string{"[d=date].http GET", "[n=int].http GET", "[s=slug].http GET"}, "GET", "/2026-11-22", "200 router/[d=date].http GET d=2026-11-22"},
		{[]string{"[u=uuid].http GET"}, "GET", "/f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "200 router/[u=uuid].http GET u=f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
		{[]string{"[...n=int].http GET"}, "GET", "/1/2/3", "200 router/[...n=int].http GET n=1|2|3"},
		{[]string{"[...n=int].http GET"}, "GET", "/1/x/3", "404"},
		{[]string{"[...n=int].http GET", "[...rest].http GET"}, "GET", "/1/x/3", "200 router/[...rest].http GET rest=1|x|3"},
		{[]string{"[[n=int]]/about.http GET", "[x]/about.http GET"}, "GET", "/about", "200 router/[[n=int]]/about.http GET n="},
		{[]string{"[[n=int]]/about.http GET", "[x]/about.http GET"}, "GET", "/x/about", "200 router/[x]/about.http GET x=x"},
		// Escapes: each segment is unescaped once.
		{[]string{"[a].http GET"}, "GET", "/%2F", "200 router/[a].http GET a=/"},
		{[]string{"[a].http GET"}, "GET", "/a+b", "200 router/[a].http GET a=a+b"},
		{[]string{"[a].http GET"}, "GET", "/%2561", "200 router/[a].http GET a=%61"},
		{[]string{"[a].http GET"}, "GET", "/%00%ff", "200 router/[a].http GET a=\x00\xff"},
		{[]string{"[...r].http GET"}, "GET", "/a%2Fb/c", "200 router/[...r].http GET r=a/b|c"},
		{[]string{"a.http GET"}, "GET", "/%61", "200 router/a.http GET"},
		{[]string{"a.http GET"}, "GET", "/A", "404"},
		{[]string{"50%.http GET"}, "GET", "/50%25", "200 router/50%.http GET"},
		{[]string{"%61.http GET"}, "GET", "/a", "404"},
		{[]string{"about.html"}, "GET", "/about.html", "404"},
		{[]string{"a/b.http GET"}, "GET", "/a%2Fb", "404"},
		// Another spelling is redirected, once, if a route answers it.
		{[]string{"a/b.http GET"}, "GET", "/a/b/", "308 Location /a/b"},
		{[]string{"a/b.http GET"}, "GET", "//a///b?x=%2f&y", "308 Location /a/b?x=%2f&y"},
		{[]string{"a/b.http GET"}, "GET", "/a//b?q=\xff%zz;", "308 Location /a/b?q=\xff%zz;"},
		{[]string{"a/b.http GET"}, "GET", "/../a/b", "308 Location /a/b"},
		{[]string{"a/b.http GET"}, "GET", "/c//", "404"},
		{[]string{"a/[b].http GET"}, "GET", "/a/%2e%2e/", "308 Location /a/%2e%2e"},
		{[]string{"a/[b].http GET"}, "GET", "/a/..", "404"},
		{[]string{"a/[b]/c.http GET"}, "GET", "/a//c", "404"},
		{[]string{"a/index.http GET", "a/[...r].http GET"}, "GET", "/a/", "308 Location /a"},
		{[]string{"a/[...r].http GET"}, "GET", "/a/b/../c", "308 Location /a/c"},
		{[]string{"[...r].http GET"}, "GET", "//evil.example/", "308 Location /evil.example"},
		{[]string{"[...r].http GET"}, "GET", "/%5Cevil.example/", "308 Location /%5Cevil.example"},
		{[]string{"index.http GET"}, "GET", "//", "308 Location /"},
		{[]string{"index.http GET"}, "GET", "/?", "200 router/index.http GET"},
	} {
		t.Run(strings.Join(tt.tree, ",")+" "+tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			r := apptest.Registered(t, tt.tree...)
			is.Equal(apptest.Says(apptest.Serve(r, tt.method, tt.target)), tt.want)
		})
	}
}

func TestMatchOddRequests(t *testing.T) {
	r := apptest.Registered(t, "index.http GET ANY", "a.http GET", "[x]/[y].http GET")
	for _, tt := range []struct {
		name    string
		request func() *http.Request
		want    string
	}{
		{"CONNECT has no path", func() *http.Request {
			req := apptest.Request("CONNECT", "/")
			req.URL = &url.URL{Host: "example.com:443"}
			return req
		}, "404"},
		{"OPTIONS *", func() *http.Request { return apptest.Request("OPTIONS", "*") }, "404"},
		{"GET http://host", func() *http.Request { return apptest.Request("GET", "http://example.com") }, "200 router/index.http GET"},
		{"GET http://host/a/", func() *http.Request { return apptest.Request("GET", "http://example.com/a/?q") }, "308 Location /a?q"},
		{"a stale RawPath is not asked", func() *http.Request {
			req := apptest.Request("GET", "/a")
			req.URL.RawPath = "/x%2Fy"
			return req
		}, "200 router/a.http GET"},
		{"a path that middleware emptied", func() *http.Request {
			req := apptest.Request("GET", "/a")
			req.URL.Path = "a"
			return req
		}, "404"},
		{"64 KB of slashes", func() *http.Request { return apptest.Request("GET", "/a"+strings.Repeat("/", 64<<10)) }, "308 Location /a"},
		{"64 KB of segments", func() *http.Request { return apptest.Request("GET", strings.Repeat("/a", 32<<10)) }, "404"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			w := apptest.Do(r, tt.request())
			is.Equal(apptest.Says(w), tt.want)
		})
	}
}

// shopOf returns an application whose Go code and links say no group. Its tree is the same
// wherever the files lie.
func shopOf(tree map[string]string) *flow.Router {
	r := flow.New(flowtest.Pages(tree))
	r.In("users").Use(apptest.Mark("users"))
	r.In("").Use(apptest.Mark("all"))
	r.In("users/[id]").Use(apptest.Mark("user"))
	r.At("index").GET().Name("home").Do(func(req *flow.Request) (flow.Response, error) { return flow.Page(nil), nil })
	r.At("users/[id]").GET().Do(func(req *flow.Request) (string, error) { return req.Route("users.id.posts", "id", req.Param("id")) })
	r.At("users/[id]/posts").GET().Do(func(req *flow.Request) flow.Response { return flow.View("users/+row", req.Param("id")) })
	r.At("users/index").GET().Do(func(*flow.Request) flow.Response { return flow.Page([]string{"7"}) })
	r.At("users/store").POST().Do(func(*flow.Request) flow.Response { return flow.RedirectTo("users.id", "id", 8) })
	r.At("about").POST().Do(func(*flow.Request) flow.Response { return flow.View("about", "seen") })
	return r
}

var shopTree = map[string]string{
	"+layout.html":          `[{{template "content" .}}]`,
	"+error.html":           `{{.Status}}`,
	"index.html":            `{{route "users.index"}} {{route "about"}} {{template "+foot" .}}`,
	"+foot.html":            `foot`,
	"about.html":            `about {{.}} {{route "home"}}`,
	"users/+layout.html":    `({{template "content" .}})`,
	"users/+row.html":       `<li>{{.}} <a href="{{route "users.id" "id" .}}">`,
	"users/index.html":      `{{range .}}{{template "users/+row" .}}{{end}}`,
	"users/store.http":      "",
	"users/[id].http":       "",
	"users/[id]/posts.http": "",
}

// tour asks an application for everything it has.
func tour(t *testing.T, r *flow.Router) string {
	t.Helper()
	is.New(t).NoErr(r.Check())
	var b strings.Builder
	for _, info := range r.Routes() {
		fmt.Fprintln(&b, info.Method, info.Pattern, info.Name, info.Handler, info.Middleware)
	}
	for _, target := range []string{"GET /", "GET /about", "POST /about", "GET /users", "POST /users", "GET /users/7", "GET /users/7/posts", "PUT /users/7", "GET /users/7/none"} {
		method, url, _ := strings.Cut(target, " ")
		w := apptest.Serve(r, method, url)
		fmt.Fprintln(&b, target, w.Code, apptest.Marks(w), w.Header().Get("Location"), w.Header().Get("Allow"), w.Body)
	}
	return b.String()
}

// TestGroupsChangeNothing compares an application whose files and directories lie in groups
// with the same application without groups.
func TestGroupsChangeNothing(t *testing.T) {
	want := tour(t, shopOf(shopTree))
	for _, tt := range []struct{ name, from, to string }{
		{"a file", "about.html", "(site)/about.html"},
		{"a partial", "+foot.html", "(parts)/+foot.html"},
		{"the file of the directory", "index.html", "(site)/index.html"},
		{"a directory", "users/", "(people)/users/"},
		{"a directory, two deep", "users/", "(site)/(people)/users/"},
		{"a group within a directory", "users/[id]", "users/(one)/[id]"},
		{"a group below a parameter", "users/[id]/", "users/[id]/(deep)/"},
		{"everything", "", "(all)/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			moved := map[string]string{}
			n := 0
			for file, text := range shopTree {
				if rest, ok := strings.CutPrefix(file, tt.from); ok && path.Base(file) != "+error.html" {
					file = tt.to + rest
					n++
				}
				moved[file] = text
			}
			is.True(n > 0) // something has moved
			is.Equal(tour(t, shopOf(moved)), want)
		})
	}
}

// TestGroupsThatAreWritten: a path that names a group speaks of that group.
func TestGroupsThatAreWritten(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{
		"(a)/users/x.http": "", "(b)/users/y.http": "", "users/z.http": "", "(c)/(a)/users/w.http": "", "(b)/users.http": "",
	}))
	r.In("(a)/users").Use(apptest.Mark("a-users"))
	r.In("users").Use(apptest.Mark("users"))
	r.In("(a)").Use(apptest.Mark("a"))
	r.In("(b)").Use(apptest.Mark("b"))
	r.In("users").Use(apptest.Mark("users-again"))
	for _, path := range []string{"(a)/users/x", "users/y", "users/z", "(a)/users/w", "users"} {
		r.At(path).GET().Do(apptest.Hello)
	}
	is.NoErr(r.Check())
	for target, want := range map[string]string{
		"/users/x": "a a-users users users-again", // in the order of registration where two are the same directory
		"/users/y": "b users users-again",
		"/users/z": "users users-again",
		"/users/w": "a a-users users users-again",
		"/users":   "b users users-again", // the file beside the directory
	} {
		w := apptest.Serve(r, "GET", target)
		is.Equal(target+" "+apptest.Marks(w), target+" "+want)
		is.Equal(w.Code, 200)
	}
}

func TestGroupsThatAreInDoubt(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{
		"(a)/+row.html": "a", "(b)/+row.html": "b", "x.html": `{{template "+row"}}{{template "(a)/+row"}}`,
	}))
	is.Equal(r.Check().Error(), `router/x.html:1: {{template "+row"}}: "+row" may be "(a)/+row" or "(b)/+row": write which group`)

	r = flow.New(flowtest.Pages(map[string]string{"(a)/+row.html": "a", "(b)/+row.html": "b", "x.http": ""}))
	r.At("x").GET().Do(func(req *flow.Request) flow.Response { return flow.View(req.Input("view"), nil) })
	log := apptest.Logged(r)
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/x?view=(b)/%2Brow")), "200 b")
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/x?view=%2Brow")), "500")
	is.True(strings.Contains(log.String(), `flow: View: \"+row\" may be \"(a)/+row\" or \"(b)/+row\": write which group`))
}

// TestGuardsFollowFiles or are told that they have lost them.
func TestGuardsFollowFiles(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		files    string
		want     string // of GET /u/1/a, or a part of the fault
	}{
		{"a matcher beside", "u/[id]", "u/[id]/b.http: \nu/[id=int]/a.http: ", "403"},
		{"a matcher alone", "u/[id]", "u/[id=int]/a.http: ", "403"},
		{"only the matcher", "u/[id=int]", "u/[id=int]/b.http: \nu/[id]/a.http: ", "200"},
		{"nothing left", "(staff)", "u/[id]/a.http: \n(staff)/+layout.html: {{template \"content\" .}}", `In("(staff)"): no route file is in that directory, so this would guard nothing: have the files been moved?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tree := flowtest.Pages(apptest.PagesOf(tt.files))
			r := flow.New(tree)
			r.In(tt.in).Use(func(*flow.Request) flow.Response { return flow.Fail(403, "") })
			for _, rt := range routetree.Parse(tree, nil).Routes {
				r.At(rt.Path).GET().Do(func(*flow.Request) string { return "" })
			}
			if err := r.Check(); err != nil {
				is.True(strings.Contains(err.Error(), tt.want))
				return
			}
			is.Equal(fmt.Sprint(apptest.Serve(r, "GET", "/u/1/a").Code), tt.want)
		})
	}
}
