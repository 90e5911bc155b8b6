package flow

import (
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/forms"
)

const (
	noCall     = "no template calls this partial"
	noCallWarn = ": warning: no template calls this partial: delete it, unless flow.View renders it"
	inAFile    = " on this Router, which was made in a test file and so has no static calls, or write {{with .}} around it"
)

var thisWarningsFile = regexp.MustCompile(`\S*warnings_test\.go:\d+`)

// TestSilentMistakes are those that would show in no answer: what Check and the command
// check say of them.
func TestSilentMistakes(t *testing.T) {
	const plain = `a.html: A`
	for _, tt := range []struct {
		name, files string
		register    func(*Router)
		faults      string
		warnings    string
	}{
		{"braces", "{id}.html: X\nusers/user-{id}.html: X", nil, `
router/users/user-{id}.html: a parameter is written with brackets, and fills a whole segment: write [id] in place of "user-{id}"
router/{id}.html: a parameter is written with brackets: write [id] in place of "{id}"`, ""},

		{"a page of another framework", "users/+page.html: X", nil, `
router/users/+page.html: ` + noCall + `, and it has no URL: a page is called by its URL, and the page of a directory index.html`, ""},
		{"nearly a layout", "users/+layot.html: X\n+Layout.html: Y\n" + plain, nil, `
router/+Layout.html: ` + noCall + `: did you mean "+layout"?
router/users/+layot.html: ` + noCall + `: did you mean "+layout"?`, ""},
		{"nearly an error page", "+eror.html: X\n" + plain, nil, `
router/+eror.html: ` + noCall + `: did you mean "+error"?`, ""},
		{"another word", "+errors.html: X\n" + plain, nil, "", `
router/+errors.html` + noCallWarn},
		{"such names, called", "+errors.html: X\n+page.html: Y\na.html: {{template `+errors`}}{{template `+page`}}", nil, "", ""},
		{"a partial that nobody calls", "users/+row.html: X\n" + plain, nil, "", `
router/users/+row.html` + noCallWarn},
		{"one that only calls itself", "+tree.html: {{range .}}{{template `+tree` .}}{{end}}\n" + plain, nil, "", `
router/+tree.html` + noCallWarn},
		{"called by a layout, and without its group", "+layout.html: {{template `+foot`}}{{template `content` .}}\n(parts)/+foot.html: X\n" + plain, nil, "", ""},

		{"a define that is near a block", "+layout.html: {{block `main` .}}{{end}}{{template `content` .}}\na.html: {{define `mail`}}{{end}}{{define `row`}}{{end}}", nil, "", `
router/a.html:1: warning: {{define "mail"}}: no template asks for it, only Block can show it: did you mean "main"?`},
		{"such a define that a template calls", "+layout.html: {{block `main` .}}{{end}}{{template `content` .}}\na.html: {{define `mail`}}{{end}}{{define `mian`}}{{end}}\n" +
			"+p.html: {{if .}}{{template `mail`}}{{template `mian`}}{{end}}\nb.html: {{define `mail`}}{{end}}{{define `mian`}}{{end}}{{template `+p`}}", nil, "", ""},
		{"an error page in no layout", "+error.html: {{.Title}}\n(site)/+layout.html: <!doctype html>{{template `content` .}}\n(site)/a.html: A\nb.html: <!doctype html>", nil, "", `
router/+error.html: warning: no layout is around this error page, since layouts begin further down, as router/(site)/+layout.html does, and it has no doctype of its own: write a whole document here, or in a partial that it calls`},
		{"an error page that is a document", "+error.html: {{template `+head`}}\n+head.html: <HTML>\n(site)/+layout.html: <!doctype html>{{template `content` .}}\n(site)/a.html: A", nil, "", ""},
		{"an error page in its layout", "+error.html: {{.Title}}\n+layout.html: {{template `content` .}}\na.html: A\nx/+layout.html: {{template `content` .}}\nx/b.html: B", nil, "", ""},
		{"an error page where nothing has a layout", "+error.html: {{.Title}}\na.html: A", nil, "", ""},

		{"data without GET", "+layout.html: {{template `content` .}}\nusers/[id].html: <h1>{{.Name}}</h1>", func(r *Router) { r.At("users/[id]").POST().Do(hello) }, `
router/users/[id].html:1: {{.Name}} asks for data, and no handler for GET gives any: call At("users/[id]").GET().Do(…)` + inAFile, ""},
		{"data of a method, with a name only", "a.html: {{$.Born.Format `2006`}}", func(r *Router) { r.At("a").PUT().Do(hello); r.At("a").GET().Name("x") }, `
router/a.html:1: {{$.Born.Format ` + "`2006`" + `}} asks for data, and no handler for GET gives any: call At("a").GET().Do(…)` + inAFile, ""},
		{"data without a handler", "a.html: {{.Name}}", nil, "", `
router/a.html:1: warning: {{.Name}} asks for data, and a page without a handler has none: call At("a").GET().Do(…)` + inAFile},
		{"data with a GET that is wrong", "a.html: {{.Name}}", func(r *Router) { r.At("a").POST().Do(hello); r.At("a").GET().Do(1) }, `
HERE: Do: int is no handler; ` + forms.OneLine(handlerForms), ""},
		{"such a name, called by who knows whom", "+errors.html: X\na.html: {{template `+errors`}}{{if}}", nil, `
router/a.html:1: missing value for if`, ""},
		{"data with GET", "a.html: {{.Name}}", func(r *Router) { r.At("a").GET().Do(hello) }, "", ""},
		{"data with ANY", "a.html: {{.Name}}", func(r *Router) { r.At("a").ANY().Do(hello) }, "", ""},
		{"a form that POST shows again", "a.html: {{if .Wrong}}no{{end}}{{with .Error}}{{.}}{{end}}{{range .All}}{{.Name}}{{end}}" +
			"<form><input {{if .Bad}}class=bad {{end}}value=\"{{.Name}}\"><textarea name=text>{{.Text}}</textarea></form>", func(r *Router) { r.At("a").POST().Do(hello) }, "", ""},
		{"data behind a form", "a.html: <form><input value='{{.Name}}'></form><p>{{.Name}}", func(r *Router) { r.At("a").POST().Do(hello) }, `
router/a.html:1: {{.Name}} asks for data, and no handler for GET gives any: call At("a").GET().Do(…)` + inAFile, ""},
		{"data that is no field of the page's", "+layout.html: <title>{{.Title}}</title>{{template `content` .}}\na.html: {{with user}}{{.Name}}{{end}}{{range list}}{{.Name}}{{end}}{{$x := 1}}{{$x}}{{.}}{{or .A `b`}}{{define `f`}}{{.Name}}{{end}}", func(r *Router) {
			r.At("a").POST().Do(hello)
			r.Funcs = map[string]any{"list": func() []controller { return nil }}
		}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(pagesOf(tt.files)))
			if tt.register != nil {
				tt.register(r)
			}
			got := runWith(t.Context(), r, nil, "check")
			got.stderr = thisWarningsFile.ReplaceAllString(got.stderr, "HERE")
			if tt.faults != "" {
				is.Equal(got, result{command.Failure, "", strings.TrimPrefix(tt.faults, "\n") + "\n"})
				return
			}
			want := strings.TrimPrefix(tt.warnings, "\n")
			if want != "" {
				want += "\n"
			}
			is.Equal(got.stderr, want)
			is.Equal(got.code, command.OK)
		})
	}
}

// TestWarningsOfASharedTree: what an application does not use of it is not its mistake.
func TestWarningsOfASharedTree(t *testing.T) {
	is := is.New(t)
	inner := New(flowtest.Pages(pagesOf("a.html: A\n+own.html: X")), flowtest.Pages(pagesOf("+row.html: X\n+layot.html: Y")))
	r := New(flowtest.Pages(pagesOf("b.html: B")))
	r.Mount("/in", inner)
	is.Equal(runWith(t.Context(), r, nil, "check"), result{command.OK, "no faults in 2 routes\n", `Mount("/in"): router/+own.html` + noCallWarn + "\n"})
}
