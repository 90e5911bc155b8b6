package flow_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/flowtest"
)

func TestFirstRequestsCompileOnce(t *testing.T) {
	is := is.New(t)
	made := 0
	r := flow.New(flowtest.Files("router/a.http"))
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
	r := flow.New(flowtest.Files("router/a.http"))
	log := logged(r)
	for range 3 {
		is.Equal(serve(r, "GET", "/a").Code, 500)
	}
	is.Equal(strings.Count(log.String(), "no handler is registered"), 1)
}

func TestMiddlewareThatAsksForRoutesWhenConstructed(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/a.http"))
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
	r := flow.New(flowtest.Files("router/index.html", "router/@me.html", "router/~x.html", "router/-x.html", "router/x_test.html", "router/x_linux.html", "router/x_windows_amd64.html", "router/.well-known/about.html"))
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
		late func(r *flow.Router, f *flow.File, d *flow.Dir, v *flow.Verb)
		want string
	}{
		{"At", func(r *flow.Router, _ *flow.File, _ *flow.Dir, _ *flow.Verb) { r.At("a") }, "At"},
		{"In", func(r *flow.Router, _ *flow.File, _ *flow.Dir, _ *flow.Verb) { r.In("") }, "In"},
		{"Use", func(r *flow.Router, _ *flow.File, _ *flow.Dir, _ *flow.Verb) { r.Use(pass) }, "Use"},
		{"Provide", func(r *flow.Router, _ *flow.File, _ *flow.Dir, _ *flow.Verb) { r.Provide(1) }, "Provide"},
		{"File.GET", func(_ *flow.Router, f *flow.File, _ *flow.Dir, _ *flow.Verb) { f.GET() }, "GET()"},
		{"File.Use", func(_ *flow.Router, f *flow.File, _ *flow.Dir, _ *flow.Verb) { f.Use(pass) }, "Use"},
		{"Dir.Use", func(_ *flow.Router, _ *flow.File, d *flow.Dir, _ *flow.Verb) { d.Use(pass) }, "Use"},
		{"Verb.Name", func(_ *flow.Router, _ *flow.File, _ *flow.Dir, v *flow.Verb) { v.Name("x") }, "Name"},
		{"Verb.Use", func(_ *flow.Router, _ *flow.File, _ *flow.Dir, v *flow.Verb) { v.Use(pass) }, "Use"},
		{"Verb.MaxBody", func(_ *flow.Router, _ *flow.File, _ *flow.Dir, v *flow.Verb) { v.MaxBody(1) }, "MaxBody"},
		{"Verb.Do", func(_ *flow.Router, _ *flow.File, _ *flow.Dir, v *flow.Verb) { v.Do(hello) }, "Do"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/a.http"))
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
	first := flow.New(tree).Check()
	is.True(first != nil)
	for range 50 {
		is.Equal(flow.New(tree).Check().Error(), first.Error())
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
		register    func(*flow.Router)
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
		{"an error page that is a document", "+error.html: {{template `+head`}}\n+head.html: <HTML lang=en><title>A</title>\n(site)/+layout.html: <!doctype html>{{template `content` .}}\n(site)/a.html: A", nil},
		{"an error page in its layout", "+error.html: {{.Title}}\n+layout.html: {{template `content` .}}\na.html: A\nx/+layout.html: {{template `content` .}}\nx/b.html: B", nil},
		{"an error page where nothing has a layout", "+error.html: {{.Title}}\na.html: A", nil},

		{"data without GET", "+layout.html: {{template `content` .}}\nusers/[id].html: <h1>{{.Name}}</h1>", func(r *flow.Router) { r.At("users/[id]").POST().Do(hello) }},
		{"data of a method, with a name only", "a.html: {{$.Born.Format `2006`}}", func(r *flow.Router) { r.At("a").PUT().Do(hello); r.At("a").GET().Name("x") }},
		{"data without a handler", "a.html: {{.Name}}", nil},
		{"data with a GET that is wrong", "a.html: {{.Name}}", func(r *flow.Router) { r.At("a").POST().Do(hello); r.At("a").GET().Do(1) }},
		{"such a name, called by who knows whom", "+errors.html: X\na.html: {{template `+errors`}}{{if}}", nil},
		{"data with GET", "a.html: {{.Name}}", func(r *flow.Router) { r.At("a").GET().Do(hello) }},
		{"data with ANY", "a.html: {{.Name}}", func(r *flow.Router) { r.At("a").ANY().Do(hello) }},
		{"a form that POST shows again", "a.html: {{if .Wrong}}no{{end}}{{with .Error}}{{.}}{{end}}{{range .All}}{{.Name}}{{end}}" +
			"<form><input title=Name {{if .Bad}}class=bad {{end}}value=\"{{.Name}}\"><textarea title=Text name=text>{{.Text}}</textarea></form>", func(r *flow.Router) { r.At("a").POST().Do(hello) }},
		{"data behind a form", "a.html: <form><input title=Name value='{{.Name}}'></form><p>{{.Name}}", func(r *flow.Router) { r.At("a").POST().Do(hello) }},
		{"data that is no field of the page's", "+layout.html: <title>{{.Title}}</title>{{template `content` .}}\na.html: {{with user}}{{.Name}}{{end}}{{range list}}{{.Status}}{{end}}{{$x := 1}}{{$x}}{{.}}{{or .A `b`}}{{define `f`}}{{.Name}}{{end}}", func(r *flow.Router) {
			r.At("a").POST().Do(hello)
			r.Funcs = map[string]any{"list": func() []flow.HTTPError { return nil }}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(pagesOf(tt.files)))
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
	inner := flow.New(flowtest.Pages(pagesOf("a.html: A\n+own.html: X")), flowtest.Pages(pagesOf("+row.html: X\n+layot.html: Y")))
	r := flow.New(flowtest.Pages(pagesOf("b.html: B")))
	r.Mount("/in", inner)
	is.Equal(runWith(t.Context(), r, nil, "check"), result{command.OK, "no faults in 2 routes\n", `Mount("/in"): router/+own.html` + noCallWarn + "\n"})
}
