package flow

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

// shop is an application whose Go code and links say no group. Its tree is the same
// wherever the files lie.
func shop(tree map[string]string) *Router {
	r := New(flowtest.Pages(tree))
	r.In("users").Use(mark("users"))
	r.In("").Use(mark("all"))
	r.In("users/[id]").Use(mark("user"))
	r.At("index").GET().Name("home").Do(func(req *Request) (Response, error) { return Page(nil), nil })
	r.At("users/[id]").GET().Do(func(req *Request) (string, error) { return req.Route("users.id.posts", "id", req.Param("id")) })
	r.At("users/[id]/posts").GET().Do(func(req *Request) Response { return View("users/+row", req.Param("id")) })
	r.At("users/index").GET().Do(func(*Request) Response { return Page([]string{"7"}) })
	r.At("users/store").POST().Do(func(*Request) Response { return RedirectTo("users.id", "id", 8) })
	r.At("about").POST().Do(func(*Request) Response { return View("about", "seen") })
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
func tour(t *testing.T, r *Router) string {
	t.Helper()
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, info := range r.Routes() {
		fmt.Fprintln(&b, info.Method, info.Pattern, info.Name, info.Handler, info.Middleware)
	}
	for _, target := range []string{"GET /", "GET /about", "POST /about", "GET /users", "POST /users", "GET /users/7", "GET /users/7/posts", "PUT /users/7", "GET /users/7/none"} {
		method, url, _ := strings.Cut(target, " ")
		w := serve(r, method, url)
		fmt.Fprintln(&b, target, w.Code, marks(w), w.Header().Get("Location"), w.Header().Get("Allow"), w.Body)
	}
	return b.String()
}

// TestGroupsChangeNothing compares an application whose files and directories lie in groups
// with the same application without groups.
func TestGroupsChangeNothing(t *testing.T) {
	want := tour(t, shop(shopTree))
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
			is.Equal(tour(t, shop(moved)), want)
		})
	}
}

// TestGroupsThatAreWritten: a path that names a group speaks of that group.
func TestGroupsThatAreWritten(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(map[string]string{
		"(a)/users/x.http": "", "(b)/users/y.http": "", "users/z.http": "", "(c)/(a)/users/w.http": "", "(b)/users.http": "",
	}))
	r.In("(a)/users").Use(mark("a-users"))
	r.In("users").Use(mark("users"))
	r.In("(a)").Use(mark("a"))
	r.In("(b)").Use(mark("b"))
	r.In("users").Use(mark("users-again"))
	for _, path := range []string{"(a)/users/x", "users/y", "users/z", "(a)/users/w", "users"} {
		r.At(path).GET().Do(hello)
	}
	is.NoErr(r.Check())
	for target, want := range map[string]string{
		"/users/x": "a a-users users users-again", // in the order of registration where two are the same directory
		"/users/y": "b users users-again",
		"/users/z": "users users-again",
		"/users/w": "a a-users users users-again",
		"/users":   "b users users-again", // the file beside the directory
	} {
		w := serve(r, "GET", target)
		is.Equal(target+" "+marks(w), target+" "+want)
		is.Equal(w.Code, 200)
	}
}

func TestGroupsThatAreInDoubt(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(map[string]string{
		"(a)/+row.html": "a", "(b)/+row.html": "b", "x.html": `{{template "+row"}}{{template "(a)/+row"}}`,
	}))
	is.Equal(r.Check().Error(), `router/x.html:1: {{template "+row"}}: "+row" may be "(a)/+row" or "(b)/+row": write which group`)

	r = New(flowtest.Pages(map[string]string{"(a)/+row.html": "a", "(b)/+row.html": "b", "x.http": ""}))
	r.At("x").GET().Do(func(req *Request) Response { return View(req.Input("view"), nil) })
	log := logged(r)
	is.Equal(says(serve(r, "GET", "/x?view=(b)/%2Brow")), "200 b")
	is.Equal(says(serve(r, "GET", "/x?view=%2Brow")), "500")
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
			r := New(flowtest.Pages(pagesOf(tt.files)))
			r.In(tt.in).Use(func(*Request) Response { return Fail(403, "") })
			for _, rt := range r.tree.Routes {
				r.At(rt.Path).GET().Do(func(*Request) string { return "" })
			}
			if err := r.Check(); err != nil {
				is.True(strings.Contains(err.Error(), tt.want))
				return
			}
			is.Equal(fmt.Sprint(serve(r, "GET", "/u/1/a").Code), tt.want)
		})
	}
}
