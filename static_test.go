package flow

// What static calls do can only be seen in programs of their own: they are in
// internal/programs.

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/routes/registry"
)

// TestNamesWaitForWith: a function of With may give any name, but it changes no other fault.
func TestNamesWaitForWith(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(pagesOf("index.html: {{route `users.show` `id` 1}}{{route `users.id`}}{{none}}\nusers/[id].html: U")))
	r.app = &application{}
	r.app.statics.With(fault.Position{File: "app/users.id.go", Line: 1}, reflect.TypeFor[int](), func(*registry.File[handler, middleware], any) {})
	err := r.Check()
	is.True(err != nil)
	is.Equal(err.Error(), `app/users.id.go:1: flow.With asks for a int, and nothing was provided: give one to Router.Provide
router/index.html:1: function "none" not defined: did you mean "nonce"?
router/index.html:1: route "users.id" (router/users/[id].html): the parameter "id" is missing`)
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
