package flow_test

// What static calls do can only be seen in programs of their own: they are in
// internal/testkit/programs.

import (
	"html"
	"html/template"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/testkit/flowtest"
)

// TestNamesWaitForWith: a function of With may give any name, but it changes no other fault.
func TestNamesWaitForWith(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(pagesOf("index.html: {{route `users.show` `id` 1}}{{route `users.id`}}{{none}}\nusers/[id].html: U")))
	r.SetApp("app").With(fault.Position{File: "app/users.id.go", Line: 1}, reflect.TypeFor[int](), func(*flow.StaticFile, any) {})
	is.Equal(errorText(r.Check()), `app/users.id.go:1: flow.With asks for a int, and nothing was provided: give one to Router.Provide
router/index.html:1: function "none" not defined: did you mean "nonce"?
router/index.html:1: route "users.id" (router/users/[id].html): the parameter "id" is missing`)
}

// TestWithMayHaveTheRouter: what With runs may register for the Router itself, too.
func TestWithMayHaveTheRouter(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/a.http", "router/b.http"))
	r.Provide(r)
	r.SetApp("app").With(fault.Position{File: "app/a.go", Line: 1}, reflect.TypeFor[*flow.Router](), func(f *flow.StaticFile, v any) {
		flow.FileOf(f).GET().Do(hello)
		v.(*flow.Router).At("b").GET().Do(hello)
		v.(*flow.Router).Mount("/c", http.HandlerFunc(asked))
	})
	is.NoErr(r.Check())
	for _, target := range []string{"/a", "/b", "/c/d"} {
		is.Equal(serve(r, "GET", target).Code, 200)
	}
}

// mistakes is an application with a mistake of each kind: files, by their names below the
// directory that holds router/, and what Check says of each.
var mistakes = []struct{ file, text, fault string }{
	// Names of files.
	{"router/{id}.html", "", `router/{id}.html: a parameter is written with brackets`},
	{"router/names/[1st].html", "", `router/names/[1st].html: `},
	{"router/names/notes.txt", "", `router/names/notes.txt: a route file ends in .html`},
	{"router/names/[id=nope].html", "", `router/names/[id=nope].html: `},
	{"router/names/a:b.html", "", `router/names/a:b.html: the name holds ':'`},
	{"router/names/Case.html", "", ``},
	{"router/names/case.html", "", `router/names/case.html: router/names/Case.html differs only in case`},
	{"router/names/[[a]]/[x]/[[b]].html", "", `router/names/[[a]]/[x]/[[b]].html: `},
	{"router/names/+layot.html", "", `router/names/+layot.html: no template calls this partial: did you mean "+layout"?`},
	// Clashes.
	{"router/twice.html", "", ``},
	{"router/twice/index.html", "", `router/twice.html and router/twice/index.html both answer /twice`},
	{"router/both.html", "", ``},
	{"router/both.http", "", `router/both.html and router/both.http both answer /both`},
	{"router/file.css.html", "", ``},
	{"public/file.css", "", `router/file.css.html and public/file.css both answer /file.css`},
	// Handlers.
	{"router/none.http", "", `router/none.http: no handler is registered for it`},
	{"router/shop/store.http", "", `router/shop/store.http: no handler is registered for POST`},
	{"router/form.http", "", `app/form.go:1: Do: int is no handler`},
	{"router/begun.http", "", `app/begun.go:1: POST() of router/begun.http is never finished`},
	{"router/again.http", "", `app/again.go:2: GET() of router/again.http is registered a second time, after app/again.go:1`},
	{"", "", `app/guards.go:1: In("admn"): the tree has no such directory`},
	{"", "", `app/guards.go:2: At("users/[idd]"): the tree has no such route file`},
	{"", "", `app/guards.go:3: flow.GET() speaks of the route whose counterpart this file is, and no route file has the counterpart guards.go`},
	{"", "", `app/guards.go:4: Use: string is no middleware`},
	{"", "", `app/again.go:1: Name: "begun" is the automatic name of router/begun.http`},
	{"router/posts.html", `<h1>{{.Title}}</h1>`, `router/posts.html:1: {{.Title}} asks for data, and no handler for GET gives any`},
	// Templates.
	{"router/+layout.html", `<title>{{block "title" .}}{{end}}</title>{{nothing}}{{template "content" .}}`, `router/+layout.html:1: function "nothing" not defined`},
	{"router/users/[id].html", "", ``},
	{"router/users/+row.html", "", ``},
	{"router/parse.html", "\n{{if .}}", `router/parse.html:2: unexpected EOF: {{if .}} has no {{end}}`},
	{"router/escape.html", `<a href="x`, `router/escape.html:1: ends within a tag, an attribute, a script or a style`},
	{"router/define.html", `{{define "titel"}}{{end}}`, `router/define.html:1: {{define "titel"}}: no template asks for it: did you mean "title"?`},
	{"router/calls.html", "{{template `users/+rwo`}}\n{{template `none`}}\n{{route `user.id` `id` 1}}\n{{route `users.id`}}\n{{asset `fiel.css`}}\n{{request.Inptu `q`}}",
		`router/calls.html:1: no partial is called "users/+rwo": did you mean "users/+row"?`},
	{"", "", `router/calls.html:2: no template is called "none"`},
	{"", "", `router/calls.html:3: no route is called "user.id": did you mean "users.id"?`},
	{"", "", `router/calls.html:4: route "users.id" (router/users/[id].html): the parameter "id" is missing`},
	{"", "", `router/calls.html:5: no public file is called "fiel.css": did you mean "file.css"?`},
	{"", "", "router/calls.html:6:11: {{request.Inptu `q`}}: flow.Request has no field or method Inptu: did you mean \"Input\"?"},
	{"router/known.html", "{{route `given`}}{{route `misplaced`}}", ``}, // names of registrations that have faults
	{"router/inner/+layout.html", `no slot`, `router/inner/+layout.html:1: the layout does not say where the page goes`},
	{"router/inner/page.html", `<!doctype html>`, `router/inner/page.html:1: it begins with <!doctype, and is shown inside router/inner/+layout.html`},
	// Settings.
	{"", "", `Router.Funcs: "route" is a function of every template already`},
	{"", "", `Router.MaxBody is -1`},
	{"", "", `Mount("no-slash"): `},
}

// mistaken returns a Router of that application, and the faults that it should have.
func mistaken() (r *flow.Router, files fstest.MapFS, want []string) {
	files = fstest.MapFS{}
	for _, m := range mistakes {
		if m.file != "" {
			files[m.file] = &fstest.MapFile{Data: []byte(m.text)}
		}
		if m.fault != "" {
			want = append(want, m.fault)
		}
	}
	r = flow.New(files)
	statics := r.SetApp("app")
	static := func(file string, line int, method string) *flow.StaticVerb {
		return statics.Static(fault.Position{File: "app/" + file, Line: line}, method)
	}
	finish := func(v *flow.StaticVerb, file string, line int, handler any) {
		h, err := flow.ParseHandler(handler)
		v.Finish(fault.Position{File: "app/" + file, Line: line}, "Do", h, err)
	}
	at := func(line int) fault.Position { return fault.Position{File: "app/guards.go", Line: line} }
	finish(static("shop.store.go", 1, "GET"), "shop.store.go", 1, hello)
	finish(static("form.go", 1, "GET"), "form.go", 1, 1)
	static("begun.go", 1, "POST")
	again := static("again.go", 1, "GET")
	again.Name(fault.Position{File: "app/again.go", Line: 1}, "begun")
	finish(again, "again.go", 1, hello)
	finish(static("again.go", 2, "GET"), "again.go", 2, hello)
	finish(static("posts.go", 1, "POST"), "posts.go", 1, hello)
	statics.In(at(1), "admn")
	statics.At(at(2), "users/[idd]")
	misplaced := static("guards.go", 3, "GET")
	misplaced.Name(at(3), "misplaced")
	finish(misplaced, "guards.go", 3, hello)
	statics.Use(at(4), "Use", []any{"guard"}, flow.ParseMiddleware)
	given := static("both.go", 1, "GET")
	given.Name(fault.Position{File: "app/both.go", Line: 1}, "given")
	finish(given, "both.go", 1, hello)
	r.Funcs = template.FuncMap{"route": strings.ToUpper}
	r.MaxBody = -1
	r.Mount("no-slash", http.NotFoundHandler())
	return r, files, want
}

// TestAllFaultsAtOnce: no mistake hides another one, in a build and in development.
func TestAllFaultsAtOnce(t *testing.T) {
	check := func(t *testing.T, got string, want []string) {
		t.Helper()
		for _, f := range want {
			if !strings.Contains(got, f) {
				t.Errorf("it is not told that %s", f)
			}
		}
	}
	t.Run("Check", func(t *testing.T) {
		r, _, want := mistaken()
		err := r.Check()
		is.New(t).True(err != nil)
		check(t, err.Error(), want)
	})
	t.Run("development", func(t *testing.T) {
		r, files, want := mistaken()
		laid := maps.Clone(files)
		for _, name := range []string{"router/names/a:b.html", "router/names/case.html"} { // which only the binary can have on Windows
			delete(laid, name)
		}
		r.Dev(onDisk(t, laid))
		logged(r)
		err := r.Check() // flow dev tells this
		is.New(t).True(err != nil)
		check(t, err.Error(), want)
		check(t, html.UnescapeString(visit(r, "/").Body.String()), want)
	})
}
