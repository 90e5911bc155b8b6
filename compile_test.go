package flow

import (
	"fmt"
	"html"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/flowtest"
)

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
func mistaken() (r *Router, files fstest.MapFS, want []string) {
	files = fstest.MapFS{}
	for _, m := range mistakes {
		if m.file != "" {
			files[m.file] = &fstest.MapFile{Data: []byte(m.text)}
		}
		if m.fault != "" {
			want = append(want, m.fault)
		}
	}
	r = New(files)
	r.app = &application{path: "app"}
	static := func(file string, line int, method string) *Verb {
		return &Verb{r.app.statics.Static(fault.Position{File: "app/" + file, Line: line}, method)}
	}
	finish := func(v *Verb, file string, line int, handler any) {
		h, err := parseHandler(handler)
		v.of.Finish(fault.Position{File: "app/" + file, Line: line}, "Do", h, err)
	}
	at := func(line int) fault.Position { return fault.Position{File: "app/guards.go", Line: line} }
	finish(static("shop.store.go", 1, "GET"), "shop.store.go", 1, hello)
	finish(static("form.go", 1, "GET"), "form.go", 1, 1)
	static("begun.go", 1, "POST")
	again := static("again.go", 1, "GET")
	again.of.Name(fault.Position{File: "app/again.go", Line: 1}, "begun")
	finish(again, "again.go", 1, hello)
	finish(static("again.go", 2, "GET"), "again.go", 2, hello)
	finish(static("posts.go", 1, "POST"), "posts.go", 1, hello)
	r.app.statics.In(at(1), "admn")
	r.app.statics.At(at(2), "users/[idd]")
	misplaced := static("guards.go", 3, "GET")
	misplaced.of.Name(at(3), "misplaced")
	finish(misplaced, "guards.go", 3, hello)
	r.app.statics.Use(at(4), "Use", []any{"guard"}, parseMiddleware)
	given := static("both.go", 1, "GET")
	given.of.Name(fault.Position{File: "app/both.go", Line: 1}, "given")
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
		r.Dev(onDisk(t, files))
		logged(r)
		err := r.Check() // flow dev tells this
		is.New(t).True(err != nil)
		check(t, err.Error(), want)
		check(t, html.UnescapeString(visit(r, "/").Body.String()), want)
	})
}

func TestFirstRequestsCompileOnce(t *testing.T) {
	is := is.New(t)
	made := 0
	r := New(flowtest.Files("router/a.http"))
	r.Use(func(next http.Handler) http.Handler { made++; return next })
	r.At("a").GET().Do(hello)
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() { serve(r, "GET", "/a") })
	}
	clients.Wait()
	is.Equal(made, 1)
}

func TestFaultsAreLoggedOnce(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/a.http"))
	log := logged(r)
	for range 3 {
		is.Equal(serve(r, "GET", "/a").Code, 500)
	}
	is.Equal(strings.Count(log.String(), "no handler is registered"), 1)
}

func TestMiddlewareThatAsksForRoutesWhenConstructed(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/a.http"))
	r.At("a").GET().Do(hello)
	r.Use(func(next http.Handler) http.Handler {
		_, err := r.Route("a")
		is.True(err != nil)          // rather than wait for Check, which waits for it
		is.Equal(len(r.Routes()), 0) // likewise
		return next
	})
	is.NoErr(r.Check())
}

// A page whose counterpart no Go file could be is served like any other.
func TestPagesWithoutACounterpart(t *testing.T) {
	names := []string{"@me", "~x", "-x", "x_test", "x_linux", "x_windows_amd64", ".well-known/about"}
	r := New(flowtest.Files("router/index.html", "router/@me.html", "router/~x.html", "router/-x.html", "router/x_test.html", "router/x_linux.html", "router/x_windows_amd64.html", "router/.well-known/about.html"))
	for _, name := range append(names, "") {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(r.Check())
			is.Equal(serve(r, "GET", "/"+name).Code, 200)
		})
	}
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
				text := thisTest.ReplaceAllString(fmt.Sprint(recover()), "HERE")
				is.Equal(text, "HERE: "+tt.want+" comes too late: the routes were compiled by Check or by the first request, register before")
			}()
			tt.late(r, f, d, v)
		})
	}
}

// TestFaultsAreInAFixedOrder reads the same partials in any order.
func TestFaultsAreInAFixedOrder(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf(`a.html: {{template "m1"}}{{template "m2"}}{{template "m3"}}{{template "+p"}}
		+p.html: {{define "m1"}}{{template "+q"}}{{end}}{{define "m2"}}{{template "+r"}}{{end}}{{define "m3"}}{{template "+s"}}{{end}}
		+q.html: {{define "d"}}{{end}}
		+r.html: {{define "d"}}{{end}}
		+s.html: {{define "d"}}{{end}}`))
	first := New(tree).Check()
	is.True(first != nil)
	for range 50 {
		is.Equal(New(tree).Check().Error(), first.Error())
	}
}

const (
	noCall     = "no template calls this partial"
	noCallWarn = ": warning: no template calls this partial: delete it, unless flow.View renders it"
	inAFile    = " on this Router, which was made in a test file and so has no static calls, or write {{with .}} around it"
)

// TestSilentMistakes are those that would show in no answer: what Check and the command
// check say of them.
func TestSilentMistakes(t *testing.T) {
	const plain = `a.html: A`
	golden := flowtest.OpenGolden(t, "faults/silent.txt")
	for _, tt := range []struct {
		name, files string
		register    func(*Router)
	}{
		{"braces", "{id}.html: X\nusers/user-{id}.html: X", nil},

		{"a page of another framework", "users/+page.html: X", nil},
		{"nearly a layout", "users/+layot.html: X\n+Layout.html: Y\n" + plain, nil},
		{"nearly an error page", "+eror.html: X\n" + plain, nil},
		{"another word", "+errors.html: X\n" + plain, nil},
		{"such names, called", "+errors.html: X\n+page.html: Y\na.html: {{template `+errors`}}{{template `+page`}}", nil},
		{"a partial that nobody calls", "users/+row.html: X\n" + plain, nil},
		{"one that only calls itself", "+tree.html: {{range .}}{{template `+tree` .}}{{end}}\n" + plain, nil},
		{"called by a layout, and without its group", "+layout.html: {{template `+foot`}}{{template `content` .}}\n(parts)/+foot.html: X\n" + plain, nil},

		{"a define that is near a block", "+layout.html: {{block `main` .}}{{end}}{{template `content` .}}\na.html: {{define `mail`}}{{end}}{{define `row`}}{{end}}", nil},
		{"such a define that a template calls", "+layout.html: {{block `main` .}}{{end}}{{template `content` .}}\na.html: {{define `mail`}}{{end}}{{define `mian`}}{{end}}\n" +
			"+p.html: {{if .}}{{template `mail`}}{{template `mian`}}{{end}}\nb.html: {{define `mail`}}{{end}}{{define `mian`}}{{end}}{{template `+p`}}", nil},
		{"an error page in no layout", "+error.html: {{.Title}}\n(site)/+layout.html: <!doctype html>{{template `content` .}}\n(site)/a.html: A\nb.html: <!doctype html>", nil},
		{"an error page that is a document", "+error.html: {{template `+head`}}\n+head.html: <HTML>\n(site)/+layout.html: <!doctype html>{{template `content` .}}\n(site)/a.html: A", nil},
		{"an error page in its layout", "+error.html: {{.Title}}\n+layout.html: {{template `content` .}}\na.html: A\nx/+layout.html: {{template `content` .}}\nx/b.html: B", nil},
		{"an error page where nothing has a layout", "+error.html: {{.Title}}\na.html: A", nil},

		{"data without GET", "+layout.html: {{template `content` .}}\nusers/[id].html: <h1>{{.Name}}</h1>", func(r *Router) { r.At("users/[id]").POST().Do(hello) }},
		{"data of a method, with a name only", "a.html: {{$.Born.Format `2006`}}", func(r *Router) { r.At("a").PUT().Do(hello); r.At("a").GET().Name("x") }},
		{"data without a handler", "a.html: {{.Name}}", nil},
		{"data with a GET that is wrong", "a.html: {{.Name}}", func(r *Router) { r.At("a").POST().Do(hello); r.At("a").GET().Do(1) }},
		{"such a name, called by who knows whom", "+errors.html: X\na.html: {{template `+errors`}}{{if}}", nil},
		{"data with GET", "a.html: {{.Name}}", func(r *Router) { r.At("a").GET().Do(hello) }},
		{"data with ANY", "a.html: {{.Name}}", func(r *Router) { r.At("a").ANY().Do(hello) }},
		{"a form that POST shows again", "a.html: {{if .Wrong}}no{{end}}{{with .Error}}{{.}}{{end}}{{range .All}}{{.Name}}{{end}}" +
			"<form><input {{if .Bad}}class=bad {{end}}value=\"{{.Name}}\"><textarea name=text>{{.Text}}</textarea></form>", func(r *Router) { r.At("a").POST().Do(hello) }},
		{"data behind a form", "a.html: <form><input value='{{.Name}}'></form><p>{{.Name}}", func(r *Router) { r.At("a").POST().Do(hello) }},
		{"data that is no field of the page's", "+layout.html: <title>{{.Title}}</title>{{template `content` .}}\na.html: {{with user}}{{.Name}}{{end}}{{range list}}{{.Status}}{{end}}{{$x := 1}}{{$x}}{{.}}{{or .A `b`}}{{define `f`}}{{.Name}}{{end}}", func(r *Router) {
			r.At("a").POST().Do(hello)
			r.Funcs = map[string]any{"list": func() []HTTPError { return nil }}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(pagesOf(tt.files)))
			if tt.register != nil {
				tt.register(r)
			}
			got := runWith(t.Context(), r, nil, "check")
			is.Equal(got.code == command.OK, got.stdout != "") // it says how many routes have no faults
			text := fmt.Sprintf("exit code %d\n%s", got.code, thisTest.ReplaceAllString(excerpts.ReplaceAllString(got.stderr, ""), "HERE"))
			golden.Equal(t, tt.name, strings.TrimSuffix(text, "\n"))
		})
	}
}

// excerpts matches the lines of the source that the command check prints.
var excerpts = regexp.MustCompile(`\n\n +\d+ \| .*(\n +\| .*)?(\n\n)?`)

// TestWarningsOfASharedTree: what an application does not use of it is not its mistake.
func TestWarningsOfASharedTree(t *testing.T) {
	is := is.New(t)
	inner := New(flowtest.Pages(pagesOf("a.html: A\n+own.html: X")), flowtest.Pages(pagesOf("+row.html: X\n+layot.html: Y")))
	r := New(flowtest.Pages(pagesOf("b.html: B")))
	r.Mount("/in", inner)
	is.Equal(runWith(t.Context(), r, nil, "check"), result{command.OK, "no faults in 2 routes\n", `Mount("/in"): router/+own.html` + noCallWarn + "\n"})
}
