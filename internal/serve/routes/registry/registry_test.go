package registry

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

// In these tests a handler and a middleware are their names.
type (
	testRegistry = Registry[string, string]
	testFile     = File[string, string]
)

func parse(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", errors.New("no middleware")
}

func at(file string, line int) fault.Position {
	return fault.Position{File: "/src/app/" + file, Line: line}
}

// do registers a handler that is called as its method.
func do(v *Verb[string, string]) { v.Finish(v.Pos, "Do", &v.Method, nil) }

func tree(files ...string) *routetree.Tree { return routetree.Parse(flowtest.Files(files...), nil) }

func TestPlanReportsWhatDoesNotFit(t *testing.T) {
	files := []string{"router/users/[id].http", "router/users/store.http", "router/users/index.http", "router/(admin)/page.html"}
	fine := func(g *testRegistry) {
		do(g.Static(at("users.id.go", 1), "GET"))
		do(g.Static(at("users.store.go", 1), "POST"))
		do(g.At(at("x.go", 1), "users/index").Verb(at("x.go", 1), "GET"))
	}
	for _, tt := range []struct {
		name     string
		register func(*testRegistry)
		want     string // the fault
	}{
		{"nothing", func(*testRegistry) {}, ""},
		{"unknown path", func(g *testRegistry) { g.At(at("x.go", 2), "users/id") }, `app/x.go:2: At("users/id"): the tree has no such route file: router/users/[id].http is called "users/[id]"`},
		{"unknown directory", func(g *testRegistry) { g.In(at("x.go", 2), "none") }, `app/x.go:2: In("none"): the tree has no such directory: write the path below router/ with its brackets and without extension, as in "users/[id]"`},
		{"no counterpart", func(g *testRegistry) { do(g.Static(at("y.go", 2), "GET")) }, `app/y.go:2: flow.GET() speaks of the route whose counterpart this file is, and no route file has the counterpart y.go: rename one of them, or say the path with flow.At`},
		{"with its group", func(g *testRegistry) { do(g.Static(at("admin.page.go", 2), "GET")) }, `app/admin.page.go:2: flow.GET(): a group is in no name, so the counterpart of router/(admin)/page.html is page.go: rename this file`},
		{"twice", func(g *testRegistry) { do(g.At(at("x.go", 3), "users/[id]").Verb(at("x.go", 3), "GET")) }, `app/x.go:3: GET() of router/users/[id].http is registered a second time, after app/users.id.go:1: keep one`},
		{"unfinished", func(g *testRegistry) { g.Static(at("users.id.go", 4), "PUT") }, `app/users.id.go:4: PUT() of router/users/[id].http is never finished: end it with Do or To`},
		{"a store", func(g *testRegistry) { do(g.Static(at("users.store.go", 4), "PUT")) }, `app/users.store.go:4: PUT(): router/users/store.http serves POST and nothing but POST: register other methods for the index file beside it`},
		{"beside a store", func(g *testRegistry) { do(g.Static(at("users.index.go", 4), "POST")) }, `app/users.index.go:4: router/users/index.http and router/users/store.http both answer POST /users: keep one of them`},
		{"no method", func(g *testRegistry) { do(g.Static(at("users.id.go", 4), "a b")) }, `app/users.id.go:4: "a b" is not a method (RFC 9110, section 5.6.2)`},
		{"no middleware", func(g *testRegistry) { g.Use(at("x.go", 5), "Use", []any{1}, parse) }, `app/x.go:5: Use: no middleware`},
		{"Use in a counterpart", func(g *testRegistry) { g.Use(at("page.go", 5), "Use", []any{"m"}, parse) }, `app/page.go:5: flow.Use is for the whole application, and stands in the counterpart of router/(admin)/page.html: call it in another file, or use flow.At("(admin)/page").Use`},
		{"refused", func(g *testRegistry) {
			v := g.Static(at("page.go", 6), "GET")
			v.Finish(v.Pos, "Do", nil, errors.New("no handler"))
		}, `app/page.go:6: Do: no handler`},
		{"finished twice", func(g *testRegistry) { v := g.Static(at("page.go", 6), "GET"); do(v); do(v) }, `app/page.go:6: Do: this GET() has a handler already: one method has one`},
		{"no limit", func(g *testRegistry) { v := g.Static(at("page.go", 6), "GET"); do(v); v.Limit(v.Pos, 0) }, `app/page.go:6: MaxBody: 0 is no limit: give the largest number of bytes that a body may have`},
		{"a name that is taken", func(g *testRegistry) {
			v := g.Static(at("page.go", 7), "GET")
			v.Name(v.Pos, "users.id")
			do(v)
		}, `app/page.go:7: Name: "users.id" is the automatic name of router/users/[id].http: call this one otherwise`},
		{"nothing provided", func(g *testRegistry) { g.With(at("page.go", 8), reflect.TypeFor[int](), func(*testFile, any) {}) }, `app/page.go:8: flow.With asks for a int, and what was provided is string: give one to Router.Provide`},
		{"With nil", func(g *testRegistry) { g.With(at("page.go", 8), reflect.TypeFor[string](), nil) }, `app/page.go:8: flow.With was given nil: give it a func(*flow.File, string)`},
		{"With panics", func(g *testRegistry) {
			g.With(at("page.go", 8), reflect.TypeFor[string](), func(*testFile, any) { panic("no") })
		}, `app/page.go:8: flow.With: the function panicked: no`},
		{"static calls inside With", func(g *testRegistry) {
			g.With(at("page.go", 8), reflect.TypeFor[string](), func(*testFile, any) { do(g.Static(at("page.go", 9), "GET")) })
		}, `app/page.go:9: flow.GET() is called inside flow.With: call it on the *flow.File that the function is given, as in f.GET(), or outside if it is not for that file`},
		{"At inside With", func(g *testRegistry) {
			g.With(at("page.go", 8), reflect.TypeFor[string](), func(*testFile, any) { g.At(at("page.go", 9), "page") })
		}, `app/page.go:9: At is called inside flow.With: call it on the *flow.File that the function is given, as in f.GET(), or outside if it is not for that file`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			g := &testRegistry{}
			fine(g)
			tt.register(g)
			p := NewPlan[string, string](tree(files...), "/src/app")
			p.AddStatic(g, []any{"value"})
			p.Check()
			p.Names()
			got := ""
			if err := fault.Join(p.Faults); err != nil {
				got = err.Error()
			}
			is.Equal(got, tt.want)
		})
	}
}

// At may leave out a matcher only if one file is meant then.
func TestAtLeavesOutMatchers(t *testing.T) {
	files := []string{"router/items/[id=int].http", "router/(g)/items/[id=slug].html"}
	for _, tt := range []struct{ path, want string }{
		{"items/[id=int]", ""},
		{"items/[id]", `app/x.go:1: At("items/[id]"): both router/(g)/items/[id=slug].html and router/items/[id=int].http are meant: give the path of one of them with its matcher, as in At("(g)/items/[id=slug]")`},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			g := &testRegistry{}
			do(g.At(at("x.go", 1), tt.path).Verb(at("x.go", 1), "GET"))
			p := NewPlan[string, string](tree(files...), "/src/app")
			p.AddStatic(g, nil)
			p.Check()
			got := ""
			if err := fault.Join(p.Faults); err != nil {
				got = err.Error()
			}
			is.Equal(got, tt.want)
		})
	}
}

func TestPlanSaysWhatIsMissing(t *testing.T) {
	is := is.New(t)
	p := NewPlan[string, string](tree("router/a.http", "router/store.http"), "/src/app")
	p.Check()
	is.Equal(fault.Join(p.Faults).Error(), `router/a.http: no handler is registered for it: call flow.GET().Do(…) in app/a.go, or flow.At("a").GET().Do(…) in another file there
router/store.http: no handler is registered for it, and a file called store answers POST on the URL of its directory: call flow.POST().Do(…) in app/store.go, or flow.At("store").POST().Do(…) in another file there`)
	p = NewPlan[string, string](tree("router/@me.html", "router/~x.http", "router/.well-known/z.http", "router/x_linux.html", "router/y_test/store.html", "router/z_test.http"), "/src/app")
	p.Check()
	is.Equal(fault.Join(p.Faults).Error(), `router/.well-known/z.http: no handler is registered for it: call flow.At(".well-known/z").GET().Do(…) in app, in a file of another name, since the go tool ignores .well-known.z.go, which begins with .
router/y_test/store.html: no handler is registered for it, and a file called store answers POST on the URL of its directory: call flow.POST().Do(…) in app/y_test.store.go, or flow.At("y_test/store").POST().Do(…) in another file there
router/z_test.http: no handler is registered for it: call flow.At("z_test").GET().Do(…) in app, in a file of another name, since the go tool builds z_test.go for tests only
router/~x.http: no handler is registered for it: call flow.At("~x").GET().Do(…) in app, in a file of another name, since the go tool refuses ~x.go, which begins with ~`)
	p = NewPlan[string, string](tree("router/a.http"), "")
	p.Check()
	is.Equal(fault.Join(p.Faults).Error(), `router/a.http: no handler is registered for it: call At("a").GET().Do(…) on this Router, which was made in a test file and so has no static calls`)
}

func TestPlanBinds(t *testing.T) {
	is := is.New(t)
	g := &testRegistry{}
	g.Use(at("x.go", 1), "Use", []any{"everywhere"}, parse)
	g.In(at("x.go", 2), "users").Use(at("x.go", 2), []any{"users"}, parse)
	g.In(at("x.go", 3), "").Use(at("x.go", 3), []any{"all"}, parse)
	g.With(at("users.id.go", 4), reflect.TypeFor[error](), func(f *testFile, v any) {
		verb := f.Verb(at("users.id.go", 5), "GET")
		verb.Name(at("users.id.go", 5), v.(error).Error())
		do(verb)
		for _, method := range []string{"PUT", "DELETE"} {
			verb := f.Verb(at("users.id.go", 6), method)
			verb.Use(at("users.id.go", 6), []any{"of " + method}, parse)
			do(verb)
		}
	})
	g.Static(at("page.go", 6), "GET").Name(at("page.go", 6), "the page")
	tr := tree("router/users/[id].http", "router/page.html")
	p := NewPlan[string, string](tr, "/src/app")
	p.AddStatic(g, []any{1, errors.New("show")})
	p.Check()
	is.Equal(len(p.Faults), 0)
	is.Equal(p.Uses[0].Middleware, "everywhere")
	names := p.Names()
	is.Equal(len(names), 4)
	for _, r := range tr.Routes {
		b := p.Of(r)
		switch r.Path {
		case "page":
			is.True(b.servesPage())
			is.Equal(b.Page.Label, "the page")
			is.Equal(p.Name(r), "the page")
			is.Equal(names["the page"], r)
			is.Equal(names["page"], r)
			is.Equal(calls(p.Answers(r)[0].Before), `everywhere by Use, all by In("").Use`)
		case "users/[id]":
			is.Equal(*b.Verbs[0].Handler, "GET")
			is.Equal(p.Name(r), "show")
			is.Equal(names["show"], r)
			is.Equal(names["users.id"], r)
			const before = `everywhere by Use, all by In("").Use, users by In("users").Use` // from the outermost in
			is.Equal(calls(p.Before(r)), before)
			var ofEach []string
			for _, a := range p.Answers(r) {
				ofEach = append(ofEach, calls(a.Before))
			}
			is.Equal(ofEach, []string{before, before + ", of PUT by PUT().Use", before + ", of DELETE by DELETE().Use"})
		}
	}
	is.Equal(flowtest.PanicOf(func() { g.At(at("x.go", 9), "page") }), "app/x.go:9: At comes too late: the routes were compiled by Check or by the first request, register before")
}

// calls returns middleware, each with the call that has registered it.
func calls(uses []*Use[string]) string {
	var all []string
	for _, u := range uses {
		all = append(all, u.Middleware+" by "+u.By)
	}
	return strings.Join(all, ", ")
}

func TestByDir(t *testing.T) {
	is := is.New(t)
	var b ByDir[string]
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, dir := range []string{"b", "a", "c"} {
				b.Of(dir, func() *string { return &dir })
			}
		})
	}
	all.Wait()
	var got []string
	for v := range b.All() {
		got = append(got, *v)
		if *v == "b" {
			break
		}
	}
	is.Equal(got, []string{"a", "b"})
	is.Equal(b.Of("c", nil), slices.Collect(b.All())[2])
}
