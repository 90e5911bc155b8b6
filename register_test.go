package flow_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

type controller struct{}

func (controller) Show(*flow.Request) string { return "shown" }

func (*controller) Destroy(*flow.Request) string { return "destroyed" }

func (controller) Odd(int) {}

func nothing(*flow.Request, error) flow.Response { return flow.Response{} }

func TestRegistrationFaults(t *testing.T) {
	golden := flowtest.OpenGolden(t, "faults/registration.txt")
	for _, tt := range []struct {
		name     string
		register func(r *flow.Router)
	}{
		{"unknown handler form", func(r *flow.Router) { r.At("a").GET().Do(func() {}) }},
		{"nil handler", func(r *flow.Router) { r.At("a").GET().Do(nil) }},
		{"nil function", func(r *flow.Router) { r.At("a").GET().Do((func(*flow.Request) string)(nil)) }},
		{"nil http.Handler", func(r *flow.Router) { r.At("a").GET().Do((*http.ServeMux)(nil)) }},
		{"unfinished", func(r *flow.Router) { r.At("a").POST().Name("x") }},
		{"unfinished GET of a page", func(r *flow.Router) { r.At("a").GET().MaxBody(1) }},
		{"unfinished GET beside a handler", func(r *flow.Router) { r.At("a").ANY().Do(hello); r.At("a").GET().Name("x") }},
		{"unfinished twice", func(r *flow.Router) { r.At("a").GET().Name("x"); r.At("a").GET().Use(pass) }},
		{"name of a page that is taken", func(r *flow.Router) { r.At("a").GET().Name("x"); r.At("users/index").GET().Name("x") }},
		{"finished twice", func(r *flow.Router) { r.At("a").GET().Do(hello).Do(hello) }},
		{"registered twice", func(r *flow.Router) { r.At("a").GET().Do(hello); r.At("a").GET().Do(hello) }},
		{"no such method", func(r *flow.Router) { r.At("a").GET().To(controller{}, "Hide") }},
		{"method in another case", func(r *flow.Router) { r.At("a").GET().To(controller{}, "show") }},
		{"path without brackets", func(r *flow.Router) { r.At("users/name") }},
		{"group without parentheses", func(r *flow.Router) { r.In("staff") }},
		{"ANY as a name", func(r *flow.Router) { r.At("a").Method("ANY").Do(hello) }},
		{"pointer receiver", func(r *flow.Router) { r.At("a").GET().To(controller{}, "Destroy") }},
		{"method of another form", func(r *flow.Router) { r.At("a").GET().To(controller{}, "Odd") }},
		{"nil controller", func(r *flow.Router) { r.At("a").GET().To(nil, "Show") }},
		{"unknown middleware form", func(r *flow.Router) { r.Use(func(*flow.Request) {}) }},
		{"nil middleware", func(r *flow.Router) { r.In("").Use(nil) }},
		{"middleware that makes nil", func(r *flow.Router) { r.Use(func(http.Handler) http.Handler { return nil }) }},
		{"middleware that panics", func(r *flow.Router) { r.Use(func(http.Handler) http.Handler { panic("no") }) }},
		{"unknown path", func(r *flow.Router) { r.At("b") }},
		{"path of a file", func(r *flow.Router) { r.At("/router/a.html") }},
		{"path of a directory", func(r *flow.Router) { r.At("users") }},
		{"unknown directory", func(r *flow.Router) { r.In("admin") }},
		{"index is no directory", func(r *flow.Router) { r.In("users/index") }},
		{"no token", func(r *flow.Router) { r.At("a").Method("GET POST").Do(hello) }},
		{"empty method", func(r *flow.Router) { r.At("a").Method("").Do(hello) }},
		{"lower case", func(r *flow.Router) { r.At("a").Method("get").Do(hello) }},
		{"no limit", func(r *flow.Router) { r.At("a").GET().MaxBody(0).Do(hello) }},
		{"negative Router.MaxBody", func(r *flow.Router) { r.MaxBody = -1 }},
		{"empty label", func(r *flow.Router) { r.At("a").GET().Name("").Do(hello) }},
		{"two labels", func(r *flow.Router) { r.At("a").GET().Name("x").Name("y").Do(hello) }},
		{"label of another route", func(r *flow.Router) {
			r.At("a").GET().Name("x").Do(hello)
			r.At("users/index").GET().Name("x").Do(hello)
		}},
		{"automatic name of another route", func(r *flow.Router) { r.At("a").GET().Name("users.index").Do(hello) }},
		{"nil value", func(r *flow.Router) { r.Provide((*controller)(nil)) }},
		{"OnError of an unknown directory", func(r *flow.Router) { r.In("admin").OnError(nothing) }},
		{"nil OnError", func(r *flow.Router) { r.In("users").OnError(nil) }},
		{"two OnErrors", func(r *flow.Router) { r.In("users").OnError(nothing); r.In("users").OnError(nothing) }},
		{"two OnErrors of one Dir", func(r *flow.Router) { d := r.In(""); d.OnError(nothing); d.OnError(nothing) }},
		{"two OnErrors, one with the group", func(r *flow.Router) { r.In("desk").OnError(nothing); r.In("(staff)/desk").OnError(nothing) }},
		{"a Funcs that is none", func(r *flow.Router) { r.Funcs = map[string]any{"x": 1} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/a.html", "router/users/index.html", "router/users/[name].html", "router/(staff)/desk.html"))
			logged(r)
			tt.register(r)
			got := report(r)
			slices.Sort(got)
			is.True(len(got) > 0)                             // a fault is reported
			golden.Equal(t, tt.name, strings.Join(got, "\n")) // with its place and remedy
			w := serve(r, "GET", "/a")                        // and nothing is served
			is.Equal(w.Code, 500)                             // but an error
			is.True(!thisTest.MatchString(w.Body.String()))   // without detail
		})
	}
}

func TestRouteFaults(t *testing.T) {
	golden := flowtest.OpenGolden(t, "faults/routes.txt")
	for _, tt := range []struct {
		name     string
		tree     []string
		register func(r *flow.Router)
	}{
		{"endpoint without a handler", []string{"users/[id].http"}, func(*flow.Router) {}},
		{"endpoint with a shared counterpart", []string{"a/b.http", "a.b.http"}, func(*flow.Router) {}},
		{"store without POST", []string{"users/store.html"}, func(*flow.Router) {}},
		{"store with GET", []string{"users/store.http"}, func(r *flow.Router) { r.At("users/store").GET().Do(hello) }},
		{"store beside POST", []string{"users/store.http", "users.http"}, func(r *flow.Router) {
			r.At("users/store").POST().Do(hello)
			r.At("users").POST().Do(hello)
		}},
		{"counterpart of another system", []string{"x_windows.html", "y_test.http", ".well-known/z.http", "@me.html", "ok_linuxes.html"}, func(*flow.Router) {}},
		{"such a counterpart with At", []string{"x_windows.html", "y_test.http"}, func(r *flow.Router) {
			r.At("y_test").GET().Do(hello)
		}},
		{"unfinished GET of what is no page", []string{"a.http", "users/store.html"}, func(r *flow.Router) {
			r.At("a").POST().Do(hello)
			r.At("a").GET().Name("x")
			r.At("users/store").POST().Do(hello)
			r.At("users/store").GET().Name("y")
		}},
		{"everything at once", []string{"a.http", "[b.html", "c.css"}, func(r *flow.Router) { r.At("d"); r.Use(1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for _, name := range tt.tree {
				tree["router/"+name] = &fstest.MapFile{}
			}
			r := flow.New(tree)
			tt.register(r)
			got := report(r) // ordered by file, and so by the name of this directory
			slices.Sort(got)
			golden.Equal(t, tt.name, strings.Join(got, "\n"))
		})
	}
}

func TestHandlerForms(t *testing.T) {
	type named func(*flow.Request) string
	for _, tt := range []struct {
		name    string
		handler any
	}{
		{"response", func(*flow.Request) flow.Response { return flow.Text("hello") }},
		{"string", hello},
		{"response and error", func(*flow.Request) (flow.Response, error) { return flow.Text("hello"), nil }},
		{"string and error", func(*flow.Request) (string, error) { return "hello", nil }},
		{"named type", named(hello)},
		{"net/http function", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }},
		{"http.Handler", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/a.http"))
			r.At("a").GET().Do(tt.handler)
			is.NoErr(r.Check())
			is.Equal(says(serve(r, "GET", "/a")), "200 hello")
		})
	}
	t.Run("To", func(t *testing.T) {
		is := is.New(t)
		r := flow.New(flowtest.Files("router/a.http"))
		r.At("a").GET().To(controller{}, "Show")
		r.At("a").DELETE().To(&controller{}, "Destroy")
		is.NoErr(r.Check())
		is.Equal(says(serve(r, "GET", "/a")), "200 shown")
		is.Equal(says(serve(r, "DELETE", "/a")), "200 destroyed")
	})
}

// TestUseReturnsItsReceiver: what is registered after Use is for the same directory or file.
func TestUseReturnsItsReceiver(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/api/items.http": {}, "router/other.http": {}})
	refuse := func(req *flow.Request) flow.Response {
		if req.URL.Query().Has("refused") {
			return flow.Fail(403, "")
		}
		return flow.Next()
	}
	r.In("api").Use(refuse).OnError(func(*flow.Request, error) flow.Response { return flow.Text("api") })
	r.At("api/items").Use().GET().Do(func(*flow.Request) string { return "items" })
	r.At("other").Use(refuse).GET().Do(func(*flow.Request) string { return "other" })
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/api/items")), "200 items")
	is.Equal(serve(r, "GET", "/api/items?refused").Body.String(), "api") // of OnError
	is.Equal(says(serve(r, "GET", "/other")), "200 other")
	is.Equal(serve(r, "GET", "/other?refused").Code, 403)
}

// TestPositionOfStandardHandlers: the code of a net/http handler may be anywhere, and so the
// routes name the line that registers it. A handler of flow's forms has its own line.
func TestPositionOfStandardHandlers(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/a.http", "router/b.http", "router/c.http", "router/d.http"))
	own := func(*flow.Request) string { return "" }
	_, _, first, _ := runtime.Caller(0)
	r.At("a").GET().Do(http.StripPrefix("/a", http.NotFoundHandler()))
	r.At("b").GET().Do(http.NotFound)
	r.At("c").GET().Do(http.FileServerFS(fstest.MapFS{}))
	r.At("d").GET().Do(own)
	is.NoErr(r.Check())
	for i, want := range []int{1, 2, 3, -1} {
		is.True(strings.HasSuffix(r.Routes()[i].Handler, fmt.Sprintf("/register_test.go:%d", first+want)))
	}
}
