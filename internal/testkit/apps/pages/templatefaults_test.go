package pages_test

import (
	"html/template"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// TestTemplateFaults holds the report of Check for each fault against a literal.
func TestTemplateFaults(t *testing.T) {
	const content = `{{template "content" .}}`
	golden := flowtest.OpenGolden(t, "faults/templates.txt")
	for _, tt := range []struct{ name, files string }{
		{"syntax", `a.html: {{if}}`},
		{"an end that is missing", `a.html: {{range .}}`},
		{"a block in a define that are not ended", `a.html: {{define "x"}}{{block "y" .}}{{with 1}}{{end}}`},
		{"an end in a string and in a comment", "a.html: {{if `{{end}}`}}{{- /* {{end}} \" */ -}}{{print \"\\\"}}{{end}}\" '\"'}}{{- if\t1 -}} {{- end -}}"},
		{"fields and methods of the request", `a.html: {{request.Inptu "q"}}{{(request).input "q" | print}}{{if request.URL.Pth}}{{end}}{{request.Header.Accept}}{{request.User.Name}}{{request.Nothing.At.All}}{{request.Form.q}}{{request.Host.Name}}`},
		{"a define that is meant for a block", `+layout.html: {{block "title" .}}{{end}}{{template "+head"}}{{template "content" .}}
			+head.html: {{block "scripts" .}}{{end}}
			x/+layout.html: {{define "Scripts"}}{{end}}{{template "content" .}}
			a.html: {{define "titel"}}{{end}}
			b.html: {{define "title"}}{{end}}{{define "titel"}}{{end}}{{define "comments"}}{{end}}
			c.html: {{define "titel"}}{{end}}{{block "ttile" .}}{{end}}
			d.html: {{define "script"}}one of several, that only Block shows{{end}}
			x/a.html: X`},
		{"a string that does not end", `a.html: {{"x}}`},
		{"defined twice", `a.html: {{define "x"}}1{{end}}{{define "x"}}2{{end}}`},
		{"unknown functions, all of them", `a.html: {{one}}{{print (two 1)}}{{(three).URL}}{{print four}}`},
		{"an unknown route", `a.html: {{route "b"}}`},
		{"an unknown route in a branch", `a.html: {{with 1}}{{else with 2}}{{.|print (route "b")}}{{end}}`},
		{"an unknown route in a block", "a.html: {{block `x` .}}{{if route `b`}}{{end}}{{end}}"},
		{"a route by its group", `a.html: {{route "admin.b"}}
			(admin)/b.html: B`},
		{"a route without its parameter", `a.html: {{route "users.id"}}
			users/[id].html: X`},
		{"a route with another parameter", `a.html: {{route "users.id" "name" .}}
			users/[id].html: X`},
		{"a route with half a parameter", `a.html: {{route "users.id" "id"}}
			users/[id].html: X`},
		{"a route whose key was forgotten", `a.html: {{route "users.id" .ID}}
			users/[id].html: X`},
		{"a route with an empty parameter", `a.html: {{route "users.id" "id" ""}}
			users/[id].html: X`},
		{"an unknown file", `a.html: {{asset "app.css"}}`},
		{"an unknown partial", `a.html: {{template "+row"}}`},
		{"a partial without its path", `a.html: {{template "+row"}}
			users/+row.html: X`},
		{"an unknown partial in a layout of no page", `x/+layout.html: {{template "+row"}}` + content},
		{"a partial with its extension", `a.html: {{template "users/+row.html"}}
			users/+row.html: X`},
		{"names that are misspelt", `a.html: {{template "users/+rwo"}}
			b.html: {{route "user.id" "id" 1}}
			users/+row.html: X
			users/[id].html: X`},
		{"a document in a layout", `+layout.html: <!doctype html><body>{{template "content" .}}
			a.html:   {{/* frame */}} <!DOCTYPE html><title>A</title>
			b.html: <p>&lt;!doctype`},
		{"a document between layouts", `+layout.html: {{template "content" .}}
			x/+layout.html: <!doctype html>{{template "content" .}}
			x/a.html: A
			x/b.html: B`},
		{"an unknown template", `a.html: {{template "x"}}`},
		{"a page as a partial", `a.html: {{template "b"}}
			b.html: B`},
		{"a slot that the page does not fill", `+layout.html: {{template "title" .}}` + content + `
			a.html: A
			b.html: {{define "title"}}b{{end}}B`},
		{"a slot in the slot", `+layout.html: {{define "content"}}{{template "content" .}}{{end}}
			a.html: A`},
		{"a page by its file", `a.html: {{template "router/b.html"}}
			b.html: B`},
		{"a partial that calls itself in a loop, and ends in an attribute", `+row.html: <li>{{range .}}{{template "+row" .}}{{end}}<a href="/x>x</a>
			a.html: <ul>{{template "+row" .}}</ul>`},
		{"a partial that calls itself in a script, and ends otherwise", `+t.html: [{{range .}}{{template "+t" .}},{{end}}]
			a.html: <script>{{template "+t"}}</script>`},
		{"a partial that calls itself in a title, beside text", `+t.html: x{{range .}}<{{template "+t" .}}{{end}}
			a.html: <title>{{template "+t"}}</title>`},
		{"partials that call each other in braces of a template literal", "+t.html: {{range .}}{{template \"+u\" .}}{{end}}\n" +
			"+u.html: {{range .}}{{template \"+t\" .}}{{end}}\n" +
			"a.html: <script>x = `${ {{template \"+t\"}} }`</script>"},
		{"what fails in a block that is joined", `+layout.html: <title>{{block "t" .}}{{end}}</title>{{template "content" .}}
			a.html: {{define "t"}}{{index . 3}}{{end}}`},
		{"a layout without a slot", `+layout.html: <body>
			a.html: A`},
		{"a slot without data", `+layout.html: {{template "content"}}`},
		{"a slot that is no layout's", `a.html: ` + content},
		{"a page that defines the slot", `+layout.html: ` + content + `
			a.html: {{define "content"}}A{{end}}`},
		{"a slot that a page defines away", `+layout.html: {{block "main" .}}` + content + `{{end}}
			a.html: {{define "main"}}A{{end}}`},
		{"a slot in a block of two layouts", `+layout.html: {{block "main" .}}` + content + `{{end}}
			x/+layout.html: {{block "main" .}}` + content + `{{end}}
			x/a.html: A`},
		{"a slot in what nothing calls", `+layout.html: {{define "main"}}` + content + `{{end}}
			a.html: A`},
		{"faults of files and of sets, all at once", `+layout.html: {{one}}{{template "content" .}}
			a.html: {{two}}{{template "x"}}
			b.html: {{template "y"}}`},
		{"names with a per cent sign", `50%d.html: {{if}}
			60%.html: {{x}}`},
		{"a partial of its own tree that nobody calls", `+p.html: {{template "x"}}`},
		{"a layout as a partial", `a.html: {{template "+layout"}}
			+layout.html: ` + content},
		{"a define called like a partial", `a.html: {{define "+row"}}A{{end}}`},
		{"two partials define a name", `a.html: {{template "+x"}}{{template "+y"}}
			+x.html: {{define "b"}}x{{end}}
			+y.html: {{define "b"}}y{{end}}`},
		{"a page without a handler fails", `a.html: {{index . 3}}`},
		{"a layout and its pages, each fault once", `+layout.html: {{nothing}}` + content + `
			a.html: {{if}}
			b.html: B`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := flow.New(flowtest.Pages(apptest.PagesOf(tt.files))).Check()
			is.True(err != nil)
			golden.Equal(t, tt.name, err.Error())
		})
	}
}

// TestFaultsOfEscaping leaves the end of the text to html/template.
func TestFaultsOfEscaping(t *testing.T) {
	golden := flowtest.OpenGolden(t, "faults/escaping.txt")
	for _, tt := range []struct{ name, files string }{
		{"in a page", `a.html: <a href='{{if .}}'{{end}}>`},
		{"in a layout", `+layout.html: <script>{{template "content" .}}
			a.html: A`},
		{"in a page's partial", `+p.html: <a href="{{.}}
			a.html: {{template "+p"}}`},
		{"in a partial of no page", `+p.html: <a href="{{.}}`},
		{"in what only Block reaches, under a title", `+layout.html: <title>{{block "title" .}}x{{end}}</title>{{template "content" .}}
			a.html: A{{define "b"}}<a href="{{.}}{{end}}`},
		{"in a layout, around half a page", `+layout.html: {{template "content" .}}<a href=x"y>
			a.html: A<p `},
		{"in a page, under a layout that has quotes", `+layout.html: <main>{{template "content" .}}</main><p class="foot">f</p>
			a.html: <h1><a href="/x>y</a>
			b.html: B`},
		{"in a layout, around pages that have quotes", `+layout.html: <main class=">{{template "content" .}}</main>
			a.html: <a href="{{1}}">x</a>
			b.html: <a href="{{1}}">x</a>`},
		{"in a partial of a page that has quotes", `+row.html: <li><a href="{{.}}>
			a.html: {{template "+row" 1}}<p class="x">`},
		{"in neither by itself", `+layout.html: <p title="{{template "content" .}}">
			a.html: "b"`},
		{"in what only Block reaches", `a.html: A{{define "b"}}<a href="{{.}}{{end}}`},
		{"without a place, in a page", `+layout.html: <main>{{template "content" .}}</main>
			a.html: <a href=x"y>`},
		{"in what a layout does not close", `+layout.html: {{template "content" .}}
			a.html: <a href="{{.}}`},
		{"of a layout, for many pages", `+layout.html: <p {{template "content" .}}
			a.html: A
			b.html: B`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := flow.New(flowtest.Pages(apptest.PagesOf(tt.files))).Check()
			is.True(err != nil)
			golden.Equal(t, tt.name, err.Error())
		})
	}
}

// TestSharedTemplatesThatNobodyUses may need what other applications have.
func TestSharedTemplatesThatNobodyUses(t *testing.T) {
	is := is.New(t)
	shared := flowtest.Pages(apptest.PagesOf(`+cart.html: {{route "cart"}}{{cart}}{{asset "cart.css"}}{{template "+none"}}
		x/+layout.html: {{nothing}}
		x/+error.html: {{template "none"}}
		+half.html: {{if}}`))
	r := flow.New(flowtest.Pages(apptest.PagesOf("a.html: A\nb.http: ")), shared)
	r.At("b").GET().Do(func(*flow.Request) flow.Response { return flow.View("+cart", nil) })
	log := apptest.Logged(r)
	is.NoErr(r.Check())
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/a")), "200 A")
	is.Equal(apptest.Serve(r, "GET", "/b").Code, 500)
	is.True(strings.Contains(log.String(), "+cart"))
	err := flow.New(flowtest.Pages(apptest.PagesOf(`a.html: {{template "+cart"}}`)), shared).Check()
	is.True(err != nil)
	is.Equal(strings.Count(err.Error(), "router/+cart.html:1: "), 4) // and no other
	is.Equal(strings.Count(err.Error(), "router/"), 5)
	is.Equal(apptest.ErrorText(flow.New(flowtest.Pages(apptest.PagesOf(`x/a.html: {{template "+half"}}`)), shared).Check()), `router/+half.html:1: missing value for if
router/x/+error.html:1: no template is called "none": {{define}} it in this file, or call a partial by its path, as in "users/+row"
router/x/+layout.html:1: function "nothing" not defined: add it to Router.Funcs`)
}

// TestFaultSuggestsTheFunction: a misspelt function is told with the nearest of flow's own, of
// text/template's and of the application's, and any other with where to add it.
func TestFaultSuggestsTheFunction(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"{{requst.URL}}", `function "requst" not defined: did you mean "request"?`},
		{"{{urlqury 1}}", `function "urlqury" not defined: did you mean "urlquery"?`},
		{"{{1 | curency}}", `function "curency" not defined: did you mean "currency"?`},
		{"{{om}}", `function "om" not defined: add it to Router.Funcs`}, // and not "or"
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(map[string]string{"a.html": tt.text}))
			r.Funcs = template.FuncMap{"currency": func(int) string { return "" }}
			is.Equal(apptest.ErrorText(r.Check()), "router/a.html:1: "+tt.want)
		})
	}
}

func TestFaultOfATemplateHasItsLine(t *testing.T) {
	is := is.New(t)
	err := flow.New(flowtest.Pages(map[string]string{
		"+layout.html": "<body>\n\n{{template \"content\" .}}\n{{block \"foot\" .}}\n{{nothing}}{{end}}",
		"a.html":       "\n{{define `x`}}\n\n{{template `y`}}{{end}}\n{{route `z`}}",
	})).Check()
	is.True(err != nil)
	is.Equal(err.Error(), `router/+layout.html:5: function "nothing" not defined: add it to Router.Funcs
router/a.html:4: no template is called "y": {{define}} it in this file, or call a partial by its path, as in "users/+row"
router/a.html:5: no route is called "z": name one with Name, or use an automatic name`)

	err = flow.New(flowtest.Pages(map[string]string{
		"a.html": "<p>\n{{.}}\n\n<a href=x\"y>\n",
		"b.html": "<p>\n<a href=\"\n{{.}}\n\n",
	})).Check()
	is.True(err != nil)
	is.Equal(err.Error(), `router/a.html:4: "\"" in unquoted attr: "x\"y"
router/b.html:5: ends within a tag, an attribute, a script or a style`)
}

func TestFuncsOfTheirOwn(t *testing.T) {
	for _, tt := range []struct {
		name  string
		funcs template.FuncMap
		want  string
	}{
		{"several", template.FuncMap{"x": 1, "break": func() string { return "" }, "route": func() string { return "" }, "good": func() string { return "" }},
			`Router.Funcs: "break" is a word of html/template itself: call this one otherwise
Router.Funcs: "route" is a function of every template already: call this one otherwise
Router.Funcs: value for x not a function`},
		{"no name", template.FuncMap{"x-y": func() string { return "" }}, `Router.Funcs: function name "x-y" is not a valid identifier`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(map[string]string{"a.html": "A"}))
			r.Funcs = tt.funcs
			is.Equal(apptest.ErrorText(r.Check()), tt.want)
		})
	}
}

// TestDict: a partial gets several values, whose keys are checked.
func TestDict(t *testing.T) {
	for _, tt := range []struct{ page, want string }{
		{`{{template "+field" (dict "label" "Name" "value" "Ada")}}`, "Name Ada"},
		{`{{template "+field" (dict "lable" "Name" "value" "Ada")}}`, `router/+field.html:1:4: {{.label}}: the dict that it gets has no key "label": did you mean "lable"?, with the dot of router/index.html:1:12`},
		{`{{template "+field" (dict "label")}}`, "router/index.html:1:"},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(map[string]string{"+field.html": "{{.label}} {{.value}}", "index.html": tt.page}))
			r.At("index").GET().Do(func(*flow.Request) (struct{ X int }, error) { return struct{ X int }{}, nil })
			got := ""
			if err := r.Check(); err != nil {
				got = err.Error()
			} else {
				got = apptest.Serve(r, "GET", "/").Body.String()
			}
			if !strings.HasPrefix(got, tt.want) {
				is.Equal(got, tt.want)
			}
		})
	}
}
