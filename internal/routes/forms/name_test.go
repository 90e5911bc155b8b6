package forms

import (
	"reflect"
	"testing"

	"github.com/matryer/is"
)

func TestReadName(t *testing.T) {
	for _, tt := range []struct{ name, dir, want string }{
		{"example.com/hello/app.signedIn", "/src/app", "app.signedIn"},
		{"main.named", "/src", "main.named"},
		{"example.com/hello/app.(*App).guard-fm", "/src/app", "app.(*App).guard"},
		{"example.com/hello/app.(*App).guard", "/src/app", "app.(*App).guard"},
		{"example.com/hello/app.limit.func1", "/src/app", "app.limit"},
		{"example.com/hello/app.outer.func1.1", "/src/app", "app.outer"},
		{"example.com/hello/app.(*App).limit.func2", "/src/app", "app.(*App).limit"},
		{"example.com/hello/app.of[...].func2", "/src/app", "app.of"},
		{"example.com/hello/app.init.0.func1", "/src/app", "a function in app"},
		{"example.com/hello/app.init.func3", "/src/app", "a function in app"},
		{"example.com/hello/app.glob..func3", "/src/app", "a function in app"},
		{"github.com/go-chi/chi/v5.New", "/mod/chi/v5", "chi.New"},
		{"example.com/flow.RequestID", "/src/flow", "flow.RequestID"},
		{"example.com/flow/internal/wire/logging.Logger.func1", "/src/flow/internal/logging", "flow.Logger"},
		{"example.com/flow/app.signedIn", "/src/flow/app", "app.signedIn"},

		// Functions that were inlined where they are called.
		{"example.com/hello/app.init.0.Limit.func2", "/src/lib", "lib.Limit"},
		{"main.main.build.Limit.func6", "/src/lib/v2", "lib.Limit"},
		{"main.main.(*T).Make.func1", "/src/lib", "lib.(*T).Make"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(parseName(tt.name, tt.dir), tt.want)
		})
	}
}

func limit() func() { n := 0; return func() { n++ } }

func TestNameOf(t *testing.T) {
	is := is.New(t)
	pc := func(f any) uintptr { return reflect.ValueOf(f).Pointer() }
	is.Equal(NameOf(pc(TestReadName)), "flow.TestReadName") // forms is a room of flow
	is.Equal(NameOf(pc(limit())), "flow.limit")
	is.Equal(NameOf(pc(controller{}.Show)), "flow.controller.Show")
	is.Equal(NameOf(0), "a function")
}
