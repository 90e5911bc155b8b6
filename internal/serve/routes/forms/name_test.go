package forms

import (
	"reflect"
	"runtime"
	"slices"
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
		{"example.com/flow/internal/serve/wire/logging.Logger.func1", "/src/flow/internal/logging", "flow.Logger"},
		{"example.com/flow/app.signedIn", "/src/flow/app", "app.signedIn"},

		// Functions that were inlined where they are called.
		{"example.com/hello/app.init.0.Limit.func2", "/src/lib", "lib.Limit"},
		{"main.main.build.Limit.func6", "/src/lib/v2", "lib.Limit"},
		{"main.main.(*T).Make.func1", "/src/lib", "lib.(*T).Make"},
		{"example.com/hello/app.init.21.func1.roleOnly.1", "/src/app", "app.roleOnly"},
		{"example.com/hello/app.init.0.with.init.0.func2.roleOnly.func12", "/src/app", "app.roleOnly"},
		{"example.com/hello/app.init.0.with.init.0.func2.func9", "/src/app", "a function in app"},
		{"example.com/hello/app.init.0.seq.init.0-range1.roleOnly.func14", "/src/app", "app.roleOnly"},
		{"example.com/hello/app.run.func2-range1.roleOnly.1", "/src/app", "app.roleOnly"},
		{"example.com/hello/app.run.with.(*App).run.func4.(*App).limit.func15", "/src/app", "app.(*App).limit"},
		{"example.com/hello/app.(*App).init.func1", "/src/app", "app.(*App).init"},
		{"example.com/hello/app.of[...].roleOnly.func1", "/src/app", "app.roleOnly"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(parseName(tt.name, tt.dir), tt.want)
		})
	}
}

func limit() func() { n := 0; return func() { n++ } }

//go:noinline
func kept() func() { n := 0; return func() { n++ } }

func inner() func() {
	f := func() func() { return limit() }
	return f()
}

func generic[T any](v T) func() T { return func() T { return v } }

func plain[T any]() {}

func call(f func()) { f() }

type shop struct{ n int }

func (s *shop) open()         {}
func (s *shop) init() func()  { return func() { s.n++ } }
func (s *shop) limit() func() { return func() { s.n++ } }
func (s shop) price() func()  { return func() { s.n++ } }
func (s *shop) uses() func()  { return limit() }

type crate[T any] struct{ v T }

func (c *crate[T]) get() T       { return c.v }
func (c *crate[T]) of() func() T { return func() T { return c.v } }

var (
	inVar     = limit()
	literal   = func() {}
	fromCall  = func() func() { return limit() }()
	inInit    []any
	inLiteral []any
)

func init() {
	inInit = []any{limit(), kept(), generic(1), func() {}}
	call(func() {
		inLiteral = []any{limit(), kept(), generic(1), func() {}}
		call(func() { inLiteral = append(inLiteral, limit(), (&shop{}).limit()) })
		for range slices.Values([]int{1}) {
			inLiteral = append(inLiteral, limit())
		}
	})
}

// TestNameOf has the names of functions as they are compiled. They are the same with
// -gcflags=all=-l, by which none is inlined.
func TestNameOf(t *testing.T) {
	is := is.New(t)
	is.Equal(NameOf(0), "a function")
	const init = "a function in flow" // forms is a room of flow
	s := &shop{}
	var deferred any
	func() {
		defer func() { deferred = s.uses() }()
	}()
	for _, tt := range []struct {
		f       any
		want    string
		closure bool
	}{
		{TestReadName, "flow.TestReadName", false},
		{plain[int], "flow.plain", false},
		{controller{}.Show, "flow.controller.Show", true},
		{s.open, "flow.(*shop).open", true},
		{(*shop).open, "flow.(*shop).open", false},
		{(&crate[int]{}).get, "flow.(*crate).get", true},

		{limit(), "flow.limit", true},
		{kept(), "flow.kept", true},
		{inner(), "flow.limit", true},
		{generic("x"), "flow.generic", true},
		{func() {}, "flow.TestNameOf", true},
		{slices.Values([]int{}), "slices.Values", true},
		{slices.Values([]string{}), "slices.Values", true},
		{s.limit(), "flow.(*shop).limit", true},
		{s.init(), "flow.(*shop).init", true},
		{s.price(), "flow.price", true},
		{s.uses(), "flow.limit", true},
		{(&crate[int]{}).of(), "flow.(*crate).of", true},
		{deferred, "flow.limit", true},

		{inVar, "flow.limit", true},
		{literal, init, true},
		{fromCall, "flow.limit", true},
		{inInit[0], "flow.limit", true},
		{inInit[1], "flow.kept", true},
		{inInit[2], "flow.generic", true},
		{inInit[3], init, true},
		{inLiteral[0], "flow.limit", true},
		{inLiteral[1], "flow.kept", true},
		{inLiteral[2], "flow.generic", true},
		{inLiteral[3], init, true},
		{inLiteral[4], "flow.limit", true},
		{inLiteral[5], "flow.(*shop).limit", true},
		{inLiteral[6], "flow.limit", true},
	} {
		pc := reflect.ValueOf(tt.f).Pointer()
		linker := runtime.FuncForPC(pc).Name()
		t.Run(linker, func(t *testing.T) {
			is := is.New(t)
			is.Equal(NameOf(pc), tt.want)
			is.Equal(IsClosure(pc), tt.closure)
		})
	}
}
