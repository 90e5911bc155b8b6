package flow

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

type controller struct{}

func (controller) Show(*Request) string { return "shown" }

func (*controller) Destroy(*Request) string { return "destroyed" }

func (controller) Odd(int) {}

func TestRegistrationFaults(t *testing.T) {
	const (
		handlers    = "a handler is one of func(*flow.Request) flow.Response; func(*flow.Request) string; func(*flow.Request) (flow.Response, error); func(*flow.Request) (string, error); http.Handler; func(http.ResponseWriter, *http.Request); func(*flow.Request, In) (Out, error); func(*flow.Request) (Out, error); func(*flow.Request, In) error"
		middlewares = "middleware is one of func(*flow.Request) flow.Response; func(*flow.Request) (flow.Response, error); func(http.Handler) http.Handler"
	)
	for _, tt := range []struct {
		name     string
		register func(r *Router)
		want     string
	}{
		{"unknown handler form", func(r *Router) { r.At("a").GET().Do(func() {}) }, "HERE: Do: func() is no handler; " + handlers},
		{"nil handler", func(r *Router) { r.At("a").GET().Do(nil) }, "HERE: Do: the handler is nil; " + handlers},
		{"nil function", func(r *Router) { r.At("a").GET().Do((func(*Request) string)(nil)) }, "HERE: Do: the handler is nil; " + handlers},
		{"nil http.Handler", func(r *Router) { r.At("a").GET().Do((*http.ServeMux)(nil)) }, "HERE: Do: the handler is nil; " + handlers},
		{"unfinished", func(r *Router) { r.At("a").POST().Name("x") }, "HERE: POST() of router/a.html is never finished: end it with Do or To"},
		{"unfinished GET of a page", func(r *Router) { r.At("a").GET().MaxBody(1) }, "HERE: GET() of router/a.html is never finished: end it with Do or To, or give the page a name or middleware with it"},
		{"unfinished GET beside a handler", func(r *Router) { r.At("a").ANY().Do(hello); r.At("a").GET().Name("x") }, "HERE: GET() of router/a.html is never finished: end it with Do or To"},
		{"unfinished twice", func(r *Router) { r.At("a").GET().Name("x"); r.At("a").GET().Use(pass) }, "HERE: GET() of router/a.html is begun a second time, after HERE: keep one"},
		{"name of a page that is taken", func(r *Router) { r.At("a").GET().Name("x"); r.At("users/index").GET().Name("x") }, `HERE: Name: "x" is the name of router/a.html already, given at HERE: call this one otherwise`},
		{"finished twice", func(r *Router) { r.At("a").GET().Do(hello).Do(hello) }, "HERE: Do: this GET() has a handler already: one method has one"},
		{"registered twice", func(r *Router) { r.At("a").GET().Do(hello); r.At("a").GET().Do(hello) }, "HERE: GET() of router/a.html is registered a second time, after HERE: keep one"},
		{"no such method", func(r *Router) { r.At("a").GET().To(controller{}, "Hide") }, `HERE: To: flow.controller has no exported method "Hide"`},
		{"method in another case", func(r *Router) { r.At("a").GET().To(controller{}, "show") }, `HERE: To: flow.controller has no exported method "show": it has Show`},
		{"path without brackets", func(r *Router) { r.At("users/name") }, `HERE: At("users/name"): the tree has no such route file: router/users/[name].html is called "users/[name]"`},
		{"group without parentheses", func(r *Router) { r.In("staff") }, `HERE: In("staff"): the tree has no such directory: router/(staff) is called "(staff)"`},
		{"ANY as a name", func(r *Router) { r.At("a").Method("ANY").Do(hello) }, `HERE: "ANY" is no method: call ANY() for every method`},
		{"pointer receiver", func(r *Router) { r.At("a").GET().To(controller{}, "Destroy") }, "HERE: To: flow.controller.Destroy has a pointer receiver: give &flow.controller{…}"},
		{"method of another form", func(r *Router) { r.At("a").GET().To(controller{}, "Odd") }, "HERE: To: flow.controller.Odd: func(int) is no handler; " + handlers},
		{"nil controller", func(r *Router) { r.At("a").GET().To(nil, "Show") }, "HERE: To: the controller is nil: give a value that has the method Show"},
		{"unknown middleware form", func(r *Router) { r.Use(func(*Request) {}) }, "HERE: Use: func(*flow.Request) is no middleware; " + middlewares},
		{"nil middleware", func(r *Router) { r.In("").Use(nil) }, "HERE: Use: the middleware is nil; " + middlewares},
		{"middleware that makes nil", func(r *Router) { r.Use(func(http.Handler) http.Handler { return nil }) }, "HERE: Use: the middleware returned a nil handler"},
		{"middleware that panics", func(r *Router) { r.Use(func(http.Handler) http.Handler { panic("no") }) }, "HERE: Use: the middleware panicked when it was constructed: no"},
		{"unknown path", func(r *Router) { r.At("b") }, `HERE: At("b"): the tree has no such route file: write the path below router/ with its brackets and without extension, as in "users/[id]"`},
		{"path of a file", func(r *Router) { r.At("/router/a.html") }, `HERE: At("/router/a.html"): the tree has no such route file: router/a.html is called "a"`},
		{"path of a directory", func(r *Router) { r.At("users") }, `HERE: At("users"): the tree has no such route file: router/users/index.html is called "users/index"`},
		{"unknown directory", func(r *Router) { r.In("admin") }, `HERE: In("admin"): the tree has no such directory: write the path below router/ with its brackets and without extension, as in "users/[id]"`},
		{"index is no directory", func(r *Router) { r.In("users/index") }, `HERE: In("users/index"): the tree has no such directory: router/users/index.html is called "users/index"`},
		{"no token", func(r *Router) { r.At("a").Method("GET POST").Do(hello) }, `HERE: "GET POST" is not a method (RFC 9110, section 5.6.2)`},
		{"empty method", func(r *Router) { r.At("a").Method("").Do(hello) }, `HERE: a method has a name, such as "PROPFIND"`},
		{"lower case", func(r *Router) { r.At("a").Method("get").Do(hello) }, `HERE: methods are case-sensitive: write "GET", not "get"`},
		{"no limit", func(r *Router) { r.At("a").GET().MaxBody(0).Do(hello) }, "HERE: MaxBody: 0 is no limit: give the largest number of bytes that a body may have"},
		{"negative Router.MaxBody", func(r *Router) { r.MaxBody = -1 }, "Router.MaxBody is -1: give a number of bytes, or 0 for 10485760"},
		{"empty label", func(r *Router) { r.At("a").GET().Name("").Do(hello) }, "HERE: Name: a label is not empty"},
		{"two labels", func(r *Router) { r.At("a").GET().Name("x").Name("y").Do(hello) }, `HERE: Name: this GET() is called "x" already`},
		{"label of another route", func(r *Router) { r.At("a").GET().Name("x").Do(hello); r.At("users/index").GET().Name("x").Do(hello) }, `HERE: Name: "x" is the name of router/a.html already, given at HERE: call this one otherwise`},
		{"automatic name of another route", func(r *Router) { r.At("a").GET().Name("users.index").Do(hello) }, `HERE: Name: "users.index" is the automatic name of router/users/index.html: call this one otherwise`},
		{"nil value", func(r *Router) { r.Provide((*controller)(nil)) }, "HERE: Provide: a value is nil (*flow.controller)"},
		{"a Funcs that is none", func(r *Router) { r.Funcs = map[string]any{"x": 1} }, "Router.Funcs: value for x not a function"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/a.html", "router/users/index.html", "router/users/[name].html", "router/(staff)/desk.html"))
			logged(r)
			tt.register(r)
			got := report(r)
			is.True(len(got) > 0)                                                                                  // a fault is reported
			is.Equal(got[0], tt.want)                                                                              // with its place and remedy
			w := serve(r, "GET", "/a")                                                                             // and nothing is served
			is.Equal(w.Code, 500)                                                                                  // but an error
			is.True(!strings.Contains(w.Body.String(), "HERE") && !strings.Contains(w.Body.String(), "flow_test")) // without detail
		})
	}
}

func TestRouteFaults(t *testing.T) {
	for _, tt := range []struct {
		name     string
		tree     []string
		register func(r *Router)
		want     []string
	}{
		{"endpoint without a handler", []string{"users/[id].http"}, func(*Router) {},
			[]string{`router/users/[id].http: no handler is registered for it: call At("users/[id]").GET().Do(…) on this Router, which was made in a test file and so has no static calls`}},
		{"endpoint with a shared counterpart", []string{"a/b.http", "a.b.http"}, func(*Router) {},
			[]string{`router/a.b.http: no handler is registered for it: call At("a.b").GET().Do(…) on this Router, which was made in a test file and so has no static calls`, `router/a/b.http: no handler is registered for it: call At("a/b").GET().Do(…) on this Router, which was made in a test file and so has no static calls`}},
		{"store without POST", []string{"users/store.html"}, func(*Router) {},
			[]string{`router/users/store.html: no handler is registered for it, and a file called store answers POST on the URL of its directory: call At("users/store").POST().Do(…) on this Router, which was made in a test file and so has no static calls`}},
		{"store with GET", []string{"users/store.http"}, func(r *Router) { r.At("users/store").GET().Do(hello) },
			[]string{`HERE: GET(): router/users/store.http serves POST and nothing but POST: register other methods for the index file beside it`,
				`router/users/store.http: no handler is registered for POST: call At("users/store").POST().Do(…) on this Router, which was made in a test file and so has no static calls`}},
		{"store beside POST", []string{"users/store.http", "users.http"}, func(r *Router) {
			r.At("users/store").POST().Do(hello)
			r.At("users").POST().Do(hello)
		}, []string{`HERE: router/users.http and router/users/store.http both answer POST /users: keep one of them`}},
		{"counterpart of another system", []string{"x_windows.html", "y_test.http", ".well-known/z.http", "@me.html", "ok_linuxes.html"}, func(*Router) {},
			[]string{`router/.well-known/z.http: no handler is registered for it: call At(".well-known/z").GET().Do(…) on this Router, which was made in a test file and so has no static calls`,
				`router/y_test.http: no handler is registered for it: call At("y_test").GET().Do(…) on this Router, which was made in a test file and so has no static calls`}},
		{"such a counterpart with At", []string{"x_windows.html", "y_test.http"}, func(r *Router) {
			r.At("y_test").GET().Do(hello)
		}, nil},
		{"unfinished GET of what is no page", []string{"a.http", "users/store.html"}, func(r *Router) {
			r.At("a").POST().Do(hello)
			r.At("a").GET().Name("x")
			r.At("users/store").POST().Do(hello)
			r.At("users/store").GET().Name("y")
		}, []string{`HERE: GET() of router/a.http is never finished: end it with Do or To`, `HERE: GET() of router/users/store.html is never finished: end it with Do or To`}},
		{"everything at once", []string{"a.http", "[b.html", "c.css"}, func(r *Router) { r.At("d"); r.Use(1) },
			[]string{
				`HERE: At("d"): the tree has no such route file: write the path below router/ with its brackets and without extension, as in "users/[id]"`,
				`HERE: Use: int is no middleware; middleware is one of func(*flow.Request) flow.Response; func(*flow.Request) (flow.Response, error); func(http.Handler) http.Handler`,
				`router/[b.html: a parameter fills a whole segment, and "[b" is not one of [id], [[id]], [...id], [[...id]]`,
				`router/a.http: no handler is registered for it: call At("a").GET().Do(…) on this Router, which was made in a test file and so has no static calls`,
				`router/c.css: a route file ends in .html (a page) or .http (an endpoint): other files belong in public/`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tree := fstest.MapFS{}
			for _, name := range tt.tree {
				tree["router/"+name] = &fstest.MapFile{}
			}
			r := New(tree)
			tt.register(r)
			got := report(r) // ordered by file, and so by the name of this directory
			slices.Sort(got)
			slices.Sort(tt.want)
			is.Equal(strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		})
	}
}

func TestHandlerForms(t *testing.T) {
	type named func(*Request) string
	for _, tt := range []struct {
		name    string
		handler any
	}{
		{"response", func(*Request) Response { return Text("hello") }},
		{"string", hello},
		{"response and error", func(*Request) (Response, error) { return Text("hello"), nil }},
		{"string and error", func(*Request) (string, error) { return "hello", nil }},
		{"named type", named(hello)},
		{"net/http function", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }},
		{"http.Handler", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/a.http"))
			r.At("a").GET().Do(tt.handler)
			is.NoErr(r.Check())
			is.Equal(says(serve(r, "GET", "/a")), "200 hello")
		})
	}
	t.Run("To", func(t *testing.T) {
		is := is.New(t)
		r := New(flowtest.Files("router/a.http"))
		r.At("a").GET().To(controller{}, "Show")
		r.At("a").DELETE().To(&controller{}, "Destroy")
		is.NoErr(r.Check())
		is.Equal(says(serve(r, "GET", "/a")), "200 shown")
		is.Equal(says(serve(r, "DELETE", "/a")), "200 destroyed")
	})
}
