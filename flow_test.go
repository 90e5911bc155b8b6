package flow

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/registry"
)

func hello(*Request) string { return "hello" }

func pass(*Request) Response { return Next() }

// wrap is standard middleware that marks the answer.
func wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Trace", "wrap")
		next.ServeHTTP(w, r)
	})
}

// thisFile is a position in this file, whose directory is called as the
// repository was cloned.
var thisFile = regexp.MustCompile(`\S*flow_test\.go:\d+`)

// report returns the faults of r, a line each, with HERE for positions in this file.
func report(r *Router) []string {
	err := r.Check()
	if err == nil {
		return nil
	}
	return strings.Split(thisFile.ReplaceAllString(err.Error(), "HERE"), "\n")
}

type controller struct{}

func (controller) Show(*Request) string     { return "shown" }
func (*controller) Destroy(*Request) string { return "destroyed" }
func (controller) Odd(int)                  {}

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

func TestRegisteringAfterCheckPanics(t *testing.T) {
	for _, tt := range []struct {
		name string
		late func(r *Router, f *File, d *Dir, v *Verb)
		want string
	}{
		{"At", func(r *Router, _ *File, _ *Dir, _ *Verb) { r.At("a") }, "At"},
		{"In", func(r *Router, _ *File, _ *Dir, _ *Verb) { r.In("") }, "In"},
		{"Use", func(r *Router, _ *File, _ *Dir, _ *Verb) { r.Use(pass) }, "Use"},
		{"Provide", func(r *Router, _ *File, _ *Dir, _ *Verb) { r.Provide(1) }, "Provide"},
		{"File.GET", func(_ *Router, f *File, _ *Dir, _ *Verb) { f.GET() }, "GET()"},
		{"File.Use", func(_ *Router, f *File, _ *Dir, _ *Verb) { f.Use(pass) }, "Use"},
		{"Dir.Use", func(_ *Router, _ *File, d *Dir, _ *Verb) { d.Use(pass) }, "Use"},
		{"Verb.Name", func(_ *Router, _ *File, _ *Dir, v *Verb) { v.Name("x") }, "Name"},
		{"Verb.Use", func(_ *Router, _ *File, _ *Dir, v *Verb) { v.Use(pass) }, "Use"},
		{"Verb.MaxBody", func(_ *Router, _ *File, _ *Dir, v *Verb) { v.MaxBody(1) }, "MaxBody"},
		{"Verb.Do", func(_ *Router, _ *File, _ *Dir, v *Verb) { v.Do(hello) }, "Do"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/a.http"))
			f, d := r.At("a"), r.In("")
			v := f.GET().Do(hello)
			is.NoErr(r.Check())
			defer func() {
				text := thisFile.ReplaceAllString(fmt.Sprint(recover()), "HERE")
				is.Equal(text, "HERE: "+tt.want+" comes too late: the routes were compiled by Check or by the first request, register before")
			}()
			tt.late(r, f, d, v)
		})
	}
}

// mark returns a guard that adds to the header Trace.
func mark(name string) func(*Request) Response {
	return func(*Request) Response { return Next().Cookie(&http.Cookie{Name: name, Value: "1"}) }
}

// marks returns the names that mark left, in order.
func marks(w *httptest.ResponseRecorder) string {
	var names []string
	for _, c := range w.Result().Cookies() {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

// markStd is mark as standard middleware.
func markStd(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: name, Value: "1"})
			next.ServeHTTP(w, r)
		})
	}
}

func TestOrderOfMiddleware(t *testing.T) {
	r := New(flowtest.Files("router/admin.html", "router/admin/users/[id].http", "router/(g)/x.http", "router/index.html", "public/app.css"))
	r.At("admin/users/[id]").GET().Use(mark("verb1"), markStd("verb2")).Do(hello)
	r.At("admin/users/[id]").POST().Do(hello)
	r.At("admin/users/[id]").Use(mark("file1"), markStd("file2"))
	r.At("(g)/x").GET().Do(hello)
	r.In("admin/users").Use(markStd("users"))
	r.In("admin").Use(mark("admin1"), markStd("admin2"))
	r.In("(g)").Use(mark("group"))
	r.In("").Use(mark("all"))
	r.Use(mark("router1"), markStd("router2"))
	r.Use(mark("router3"))
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, target, want string }{
		{"GET", "/admin/users/1", "router1 router2 router3 all admin1 admin2 users file1 file2 verb1 verb2"},
		{"POST", "/admin/users/1", "router1 router2 router3 all admin1 admin2 users file1 file2"},
		{"GET", "/admin", "router1 router2 router3 all admin1 admin2"},
		{"GET", "/x", "router1 router2 router3 all group"},
		{"GET", "/", "router1 router2 router3 all"},
		// What no handler answers meets standard middleware only.
		{"GET", "/nothing", "router2"},
		{"GET", "/app.css", "router2"},
		{"GET", "/admin/", "router2"},
		{"PUT", "/admin/users/1", "router2 admin2 users file2"},
		{"OPTIONS", "/admin/users/1", "router2 admin2 users file2"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(marks(serve(r, tt.method, tt.target)), tt.want)
		})
	}
}

func TestPreflightMeetsTheFileItAsksFor(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/users/new.http", "router/users/[id].http"))
	r.At("users/new").GET().Do(hello)
	r.At("users/[id]").PUT().Do(hello)
	r.At("users/new").Use(markStd("new"))
	r.At("users/[id]").Use(markStd("id"))
	is.NoErr(r.Check())
	ask := func(method string) string {
		req := request("OPTIONS", "/users/new")
		req.Header.Set("Access-Control-Request-Method", method)
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		is.Equal(w.Code, 204)
		return marks(w)
	}
	is.Equal(ask("GET"), "new")
	is.Equal(ask("PUT"), "id")
	is.Equal(ask("DELETE"), "new") // nobody answers it: the most specific file
}

func TestStandardMiddlewareIsConstructedOnce(t *testing.T) {
	is := is.New(t)
	made := 0
	r := New(flowtest.Files("router/a/b.http", "router/a/c.http"))
	r.In("a").Use(func(next http.Handler) http.Handler {
		made++
		return next
	})
	r.At("a/b").GET().Do(hello)
	r.At("a/c").GET().Do(hello)
	is.NoErr(r.Check())
	is.Equal(made, 1)
	is.Equal(says(serve(r, "GET", "/a/b")), "200 hello")
	is.Equal(says(serve(r, "GET", "/a/c")), "200 hello")
}

func TestPatternAndPathValues(t *testing.T) {
	r := New(flowtest.Files("router/users/[id]/[...rest].http", "router/[[lang]]/x.http", "router/50%.http", "router/any.http", "public/app.css"))
	std := func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprintf(w, "%s id=%s rest=%s param=%s", req.Pattern, req.PathValue("id"), req.PathValue("rest"), From(req.Context()).Param("id"))
	}
	r.At("users/[id]/[...rest]").GET().Do(std)
	r.At("users/[id]/[...rest]").POST().Do(func(req *Request) string {
		return req.Pattern + " id=" + req.PathValue("id")
	})
	r.At("users/[id]/[...rest]").PUT().Do(func(*Request) Response { return Handler(http.HandlerFunc(std)) })
	r.At("[[lang]]/x").GET().Do(func(req *Request) string { return req.Pattern })
	r.At("50%").GET().Do(func(req *Request) string { return req.Pattern })
	r.At("any").ANY().Do(func(req *Request) string { return req.Pattern })
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, target, want, pattern string }{
		{"GET", "/users/7/a%2Fb/c", "GET /users/{id}/{rest...} id=7 rest=a/b/c param=7", "GET /users/{id}/{rest...}"},
		{"POST", "/users/7/a", "POST /users/{id}/{rest...} id=7", "POST /users/{id}/{rest...}"},
		{"PUT", "/users/7/a", "PUT /users/{id}/{rest...} id=7 rest=a param=7", "PUT /users/{id}/{rest...}"},
		{"GET", "/x", "GET /x", "GET /x"},
		{"GET", "/de/x", "GET /{lang}/x", "GET /{lang}/x"},
		{"GET", "/50%25", "GET /50%25", "GET /50%25"},
		{"BREW", "/any", "/any", "/any"},
		{"GET", "/app.css", "", "GET /app.css"},
		{"GET", "/nothing", "", ""},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			req := request(tt.method, tt.target)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, req)
			if w.Code == 200 {
				is.Equal(w.Body.String(), tt.want)
			}
			is.Equal(req.Pattern, tt.pattern) // outer tracing sees it
		})
	}
}

func TestCrossOrigin(t *testing.T) {
	newRouter := func() *Router {
		r := New(flowtest.Files("router/a.html"))
		r.At("a").POST().Use(mark("guard")).Do(hello)
		r.Use(markStd("std"))
		return r
	}
	ask := func(r *Router, method, origin, site string) *httptest.ResponseRecorder {
		req := request(method, "/a")
		req.Host = "example.com"
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		if site != "" {
			req.Header.Set("Sec-Fetch-Site", site)
		}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		return w
	}
	for _, tt := range []struct {
		method, origin, site string
		want                 int
		marks                string
	}{
		{"POST", "", "", 200, "std guard"},
		{"POST", "https://example.com", "same-origin", 200, "std guard"},
		{"POST", "https://evil.example", "cross-site", 403, "std"},
		{"POST", "https://evil.example", "", 403, "std"},
		{"GET", "https://evil.example", "cross-site", 200, "std"},
	} {
		t.Run(tt.method+" "+tt.origin+" "+tt.site, func(t *testing.T) {
			is := is.New(t)
			w := ask(newRouter(), tt.method, tt.origin, tt.site)
			is.Equal(w.Code, tt.want)
			is.Equal(marks(w), tt.marks)
		})
	}
	t.Run("trusted", func(t *testing.T) {
		is := is.New(t)
		r := newRouter()
		is.NoErr(r.CrossOrigin.AddTrustedOrigin("https://friend.example"))
		is.Equal(ask(r, "POST", "https://friend.example", "cross-site").Code, 200)
	})
	t.Run("deny handler", func(t *testing.T) {
		is := is.New(t)
		r := newRouter()
		r.CrossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) }))
		w := ask(r, "POST", "https://evil.example", "cross-site")
		is.Equal(w.Code, 418)
		is.Equal(marks(w), "std")
	})
}

func TestRoutes(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/index.html", "router/users/[id].http", "router/users/new.html", "router/[...rest].http", "router/[[lang]]/x.http", "router/users/store.http"))
	r.At("users/[id]").ANY().Do(hello)
	r.At("users/[id]").GET().Name("users.show").Use(pass).Do(hello)
	r.At("[...rest]").GET().Do(hello)
	r.At("[[lang]]/x").GET().Do(hello)
	r.At("users/store").POST().Do(hello)
	r.At("users/store").Use(wrap)
	r.Use(pass)
	is.NoErr(r.Check())
	var b strings.Builder
	for _, i := range r.Routes() {
		fmt.Fprintf(&b, "%-4s %-12s %-27s %-11s %-5s %d\n", i.Method, i.Pattern, i.File, i.Name, regexp.MustCompile(`.*/flow_test.go:\d+`).ReplaceAllString(i.Handler, "HERE"), i.Middleware)
	}
	is.Equal(b.String(), `
GET  /            router/index.html           index             1
POST /users       router/users/store.http     users.store HERE  2
GET  /users/new   router/users/new.html       users.new         1
GET  /users/{id}  router/users/[id].http      users.show  HERE  2
ANY  /users/{id}  router/users/[id].http      users.show  HERE  1
GET  /x           router/[[lang]]/x.http      lang.x      HERE  1
GET  /{lang}/x    router/[[lang]]/x.http      lang.x      HERE  1
GET  /{rest...}   router/[...rest].http       rest        HERE  1
`[1:])
}

func TestRouterThatNewDidNotMake(t *testing.T) {
	is := is.New(t)
	r := &Router{}
	logged(r)
	is.Equal(report(r), []string{"flow.New got no files: give it the embed.FS that holds router/"})
	is.Equal(serve(r, "GET", "/").Code, 500)
}

func TestRoutersDoNotShareAnything(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Files("router/a.http")
	one, two := New(tree), New(tree)
	one.At("a").GET().Do(func(*Request) string { return "one" })
	two.At("a").GET().Do(func(*Request) string { return "two" })
	is.Equal(says(serve(one, "GET", "/a")), "200 one")
	is.Equal(says(serve(two, "GET", "/a")), "200 two")
}

func TestGuardPassesValuesOn(t *testing.T) {
	type key struct{}
	guard := func(req *Request) Response {
		req.Request = req.WithContext(context.WithValue(req.Context(), key{}, "value"))
		return Next()
	}
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
	}{
		{"to a handler", []any{guard}, func(req *Request) string { return fmt.Sprint(req.Context().Value(key{})) }},
		{"through standard middleware", []any{wrap, guard, wrap}, func(req *Request) string { return fmt.Sprint(req.Context().Value(key{})) }},
		{"to a net/http handler", []any{guard, wrap}, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Context().Value(key{})) }},
		{"to From", []any{wrap, guard}, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, From(r.Context()).Context().Value(key{})) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/a.http"))
			r.At("a").GET().Use(tt.use...).Do(tt.handler)
			is.NoErr(r.Check())
			is.Equal(says(serve(r, "GET", "/a")), "200 value")
		})
	}
}

// TestNoSniffing: whatever answers, browsers believe its media type.
func TestNoSniffing(t *testing.T) {
	tree := flowtest.Files("router/text.http", "router/json.http", "router/std.http", "router/own.http", "router/page.html", "router/once.html", "router/bad.http", "public/app.css")
	newRouter := func() *Router {
		r := New(tree)
		r.At("text").GET().Do(hello)
		r.At("json").GET().Do(func(*Request) Response { return JSON(1) })
		r.At("std").GET().Do(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<script>") })
		r.At("own").GET().Do(func(w http.ResponseWriter, r *http.Request) { w.Header().Del("X-Content-Type-Options") })
		r.At("page").GET().Do(func(*Request) Response { return Page(nil) })
		r.At("bad").GET().Do(func(*Request) string { panic("x") })
		r.Mount("/mount", http.HandlerFunc(http.NotFound))
		journalOf(r)
		return r
	}
	good, bad := newRouter(), newRouter()
	bad.At("none").GET().Do(hello)
	for _, target := range []string{"/text", "/json", "/std", "/page", "/once", "/bad", "/app.css", "/none", "/text/", "/mount/x"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			for _, method := range []string{"GET", "POST", "OPTIONS"} {
				is.Equal(serve(good, method, target).Header()["X-Content-Type-Options"], []string{"nosniff"})
				is.Equal(serve(bad, method, target).Header()["X-Content-Type-Options"], []string{"nosniff"})
			}
		})
	}
	is := is.New(t)
	is.Equal(serve(good, "GET", "/own").Header()["X-Content-Type-Options"], nil) // a handler may take it away
}

// TestWithMayHaveTheRouter: what With runs may register for the Router itself, too.
func TestWithMayHaveTheRouter(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/a.http", "router/b.http"))
	r.Provide(r)
	r.app = &application{}
	r.app.statics.With(fault.Position{File: "app/a.go", Line: 1}, reflect.TypeFor[*Router](), func(f *registry.File[handler, middleware], v any) {
		(&File{f}).GET().Do(hello)
		v.(*Router).At("b").GET().Do(hello)
		v.(*Router).Mount("/c", http.HandlerFunc(asked))
	})
	is.NoErr(r.Check())
	for _, target := range []string{"/a", "/b", "/c/d"} {
		is.Equal(serve(r, "GET", target).Code, 200)
	}
}
