package flow

import (
	"fmt"
	"html/template"
	"net/http/httptest"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/routes/registry"
)

// TestLayouts renders pages in the layouts of their directories. The templates of
// each row are written "file: text", one per line.
func TestLayouts(t *testing.T) {
	for _, tt := range []struct{ name, files, target, want string }{
		{"no layout", `a.html: A`, "/a", "A"},
		{"of the root", `+layout.html: [{{template "content" .}}]
			a.html: A`, "/a", "[A]"},
		{"nested", `+layout.html: 1[{{template "content" .}}]
			x/+layout.html: 2[{{template "content" .}}]
			x/y/+layout.html: 3[{{template "content" .}}]
			x/y/z.html: Z`, "/x/y/z", "1[2[3[Z]]]"},
		{"of groups", `(a)/+layout.html: <a>{{template "content" .}}</a>
			(a)/(b)/+layout.html: <b>{{template "content" .}}</b>
			(a)/(b)/x.html: X`, "/x", "<a><b>X</b></a>"},
		{"of a parameter", `users/[id]/+layout.html: <u>{{template "content" .}}</u>
			users/[id]/posts.html: P`, "/users/1/posts", "<u>P</u>"},
		{"of the directory beside the page", `admin/+layout.html: <a>{{template "content" .}}</a>
			admin/x.html: X
			admin.html: A`, "/admin", "<a>A</a>"},
		{"of index, not of its name", `index/+layout.html: <i>{{template "content" .}}</i>
			index/x.html: X
			index.html: I`, "/", "I"},
		{"not of a neighbour", `x/+layout.html: <x>{{template "content" .}}</x>
			x/a.html: A
			y/a.html: B`, "/y/a", "B"},
		{"a block is filled by the page", `+layout.html: <title>{{block "title" .}}site{{end}}</title>{{template "content" .}}
			a.html: {{define "title"}}mine{{end}}A`, "/a", "<title>mine</title>A"},
		{"a block has a default", `+layout.html: <title>{{block "title" .}}site{{end}}</title>{{template "content" .}}
			a.html: A`, "/a", "<title>site</title>A"},
		{"a block is filled at every depth", `+layout.html: [{{block "title" .}}site{{end}}]{{template "content" .}}
			x/+layout.html: ({{block "title" .}}x{{end}}){{template "content" .}}
			x/a.html: {{define "title"}}mine{{end}}A`, "/x/a", "[mine](mine)A"},
		{"an inner layout fills blocks of an outer one", `+layout.html: [{{block "title" .}}site{{end}}]{{template "content" .}}
			x/+layout.html: {{define "title"}}x{{end}}{{template "content" .}}
			x/a.html: A`, "/x/a", "[x]A"},
		{"a partial of a layout has blocks", `+head.html: <title>{{block "title" .}}site{{end}}</title>
			+layout.html: {{template "+head" .}}{{template "content" .}}
			a.html: {{define "title"}}mine{{end}}A`, "/a", "<title>mine</title>A"},
		{"pages do not collide", `+layout.html: [{{block "title" .}}site{{end}}]{{template "content" .}}
			a.html: {{define "title"}}a{{end}}A
			b.html: {{define "title"}}b{{end}}B
			title.html: {{define "title"}}t{{end}}T`, "/title", "[t]T"},
		{"a page called like a partial's directory", `users/+row.html: row
			users.html: {{template "users/+row" .}}`, "/users", "row"},
		{"the slot in a block", `+layout.html: ({{block "main" .}}[{{template "content" .}}]{{end}})
			a.html: A`, "/a", "([A])"},
		{"the slot as a block", `+layout.html: [{{block "content" .}}nothing{{end}}]
			a.html: A`, "/a", "[A]"},
		{"the slot twice", `+layout.html: {{template "content" .}}{{template "content" .}}
			a.html: A`, "/a", "AA"},
		{"partials of partials", `x/+a.html: a{{template "y/+b" .}}
			y/+b.html: b
			index.html: {{template "x/+a" .}}{{template "y/+b" .}}`, "/", "abb"},
		{"a partial that calls itself", `+tree.html: [{{range .}}{{template "+tree" .}}{{end}}]
			index.html: {{template "+tree" .}}`, "/", "[]"},
		{"a partial in an attribute", `+a.html: {{"<"}}x
			index.html: <p title="{{template "+a"}}">{{template "+a"}}</p>`, "/", `<p title="&lt;x">&lt;x</p>`},
		{"half an element in a partial", `+p.html: <a href="{{.}}
			a.html: {{template "+p" 1}}">A</a>`, "/a", `<a href="1">A</a>`},
		{"a partial that ends a script, twice", `+end.html: </script>
			a.html: <script>a = {{1}};{{template "+end"}}<script>b = {{2}};{{template "+end"}}<button onclick="f({{"1);g("}})">`, "/a",
			`<script>a =  1 ;</script><script>b =  2 ;</script><button onclick="f(&#34;1);g(&#34;)">`},
		{"a define that begins a script, twice", `a.html: {{define "s"}}<script>x = {{end}}{{template "s"}}{{"<"}}</script>{{template "s"}}{{"<"}}</script>`, "/a",
			`<script>x = "\u003c"</script><script>x = "\u003c"</script>`},
		{"a define that begins an attribute, in a page and in a fragment", `a.html: {{template "u"}}{{"<"}}">A</a>{{define "u"}}<a href="{{end}}{{define "f"}}{{template "u"}}{{.}}">F</a>{{end}}`, "/a",
			`<a href="%3c">A</a>`},
		{"blocks and the page of a layout that are halves", `+layout.html: {{block "a" .}}{{end}}{{template "content" .}}{{block "z" .}}{{end}}<p title="{{template "z" .}}">
			a.html: {{define "a"}}<script>f({{end}}{{"<"}}{{define "z"}});</script>{{end}}`, "/a", `<script>f("\u003c");</script><p title=");</script>">`},
		{"a word in two templates", `+t.html: ipt
			a.html: <scr{{template "+t"}}>{{"<"}}</scr{{template "+t"}}><p onc{{define "k"}}lick="f({{end}}{{template "k"}}{{"<"}})">`, "/a",
			`<script>"\u003c"</script><p onclick="f(&#34;\u003c&#34;)">`},
		{"a word around an empty template in another", `+e.html: {{template "+f"}}
			+f.html: {{/* nothing */}}
			a.html: <{{template "+e"}}script>{{"<"}}</script>`, "/a", `<script>"\u003c"</script>`},
		{"a partial in loops that are elsewhere", `+u.html: {{.}}
			a.html: {{range slice "ab" 0 2 | printf "%s" | html | len}}<a href="{{template "+u" .}}" title={{template "+u" "<"}}>{{end}}`, "/a",
			`<a href="0" title=&lt;><a href="1" title=&lt;>`},
		{"a loop that is left in an attribute", `+u.html: {{if .}}x{{end}}
			a.html: <p title="{{range 3}}{{template "+u" .}}{{if .}}{{break}}{{end}}-{{end}}">`, "/a", `<p title="-x">`},
		{"a loop that goes on in a script", `+u.html: {{.}}
			a.html: <script>[{{range 3}}{{if eq . 1}}{{continue}}{{end}}{{template "+u" .}},{{end}}]</script>`, "/a", `<script>[ 0 , 2 ,]</script>`},
		{"dot and variables of a partial in an attribute", `+u.html: {{$v := .}}{{range 1}}{{$}}{{$v}}{{template "+w" $v}}{{end}}
			+w.html: {{with $}}{{.}}{{end}}
			a.html: {{$v := "a"}}<p title="{{template "+u" "<"}}{{$v}}">{{$}}`, "/a", `<p title="&lt;&lt;&lt;a">`},
		{"a partial that calls itself in a title", `+t.html: {{.}}{{range .}} / {{template "+t" .}}{{end}}
			a.html: <title>{{template "+t" 2}}</title>{{template "+t" 1}}`, "/a", `<title>2 / 0 / 1 / 0</title>1 / 0`},
		{"partials that call each other in a style", `+t.html: a{{.}} { {{range .}}{{template "+u" .}}{{end}} }
			+u.html: {{with .}}{{template "+t" .}}{{end}}
			a.html: <style>{{template "+t" 2}}</style>`, "/a", `<style>a2 { a1 {  } }</style>`},
		{"a partial that calls itself between others", `+t.html: <ul>{{range .}}<li>{{template "+u" .}}</li>{{end}}</ul>
			+u.html: <b title="{{template "+v" .}}">{{template "+t" .}}</b>
			+v.html: {{.}}
			a.html: {{template "+t" 2}}{{template "+u" 0}}`, "/a",
			`<ul><li><b title="0"><ul></ul></b></li><li><b title="1"><ul><li><b title="0"><ul></ul></b></li></ul></b></li></ul><b title="0"><ul></ul></b>`},
		{"a partial that needs another", `+a.html: {{define "x"}}x{{end}}{{template "+b"}}
			+b.html: {{template "x"}}
			index.html: I`, "/", "I"},
		{"a define of a partial that is called later", `+p.html: {{define "x"}}x{{end}}p
			index.html: {{template "x"}}{{template "+p"}}`, "/", "xp"},
		{"a block that a page fills with another partial", `+layout.html: {{block "nav" .}}{{template "+nav"}}{{end}}{{template "content" .}}
			+nav.html: {{define "item"}}1{{end}}{{template "item"}}
			+mine.html: {{define "item"}}2{{end}}{{template "item"}}
			a.html: {{define "nav"}}{{template "+mine"}}{{end}}A
			b.html: B`, "/a", "2A"},
		{"a byte order mark", "+layout.html: [{{template \"content\" .}}]\n\t\t\ta.html: \ufeffA", "/a", "[A]"},
		{"a name with a per cent sign", `50%.html: A`, "/50%25", "A"},
		{"what nobody reaches is not there", `+layout.html: {{block "nav" .}}{{template "missing" .}}{{end}}{{template "content" .}}
			a.html: {{define "nav"}}nav{{end}}A`, "/a", "navA"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(pagesOf(tt.files)))
			is.NoErr(r.Check())
			is.Equal(says(serve(r, "GET", tt.target)), "200 "+tt.want)
		})
	}
}

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
			err := New(flowtest.Pages(pagesOf(tt.files))).Check()
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
			err := New(flowtest.Pages(pagesOf(tt.files))).Check()
			is.True(err != nil)
			golden.Equal(t, tt.name, err.Error())
		})
	}
}

// TestSharedTemplatesThatNobodyUses may need what other applications have.
func TestSharedTemplatesThatNobodyUses(t *testing.T) {
	is := is.New(t)
	shared := flowtest.Pages(pagesOf(`+cart.html: {{route "cart"}}{{cart}}{{asset "cart.css"}}{{template "+none"}}
		x/+layout.html: {{nothing}}
		x/+error.html: {{template "none"}}
		+half.html: {{if}}`))
	r := New(flowtest.Pages(pagesOf("a.html: A\nb.http: ")), shared)
	r.At("b").GET().Do(func(*Request) Response { return View("+cart", nil) })
	log := logged(r)
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/a")), "200 A")
	is.Equal(serve(r, "GET", "/b").Code, 500)
	is.True(strings.Contains(log.String(), "+cart"))
	err := New(flowtest.Pages(pagesOf(`a.html: {{template "+cart"}}`)), shared).Check()
	is.True(err != nil)
	is.Equal(strings.Count(err.Error(), "router/+cart.html:1: "), 4) // and no other
	is.Equal(strings.Count(err.Error(), "router/"), 5)
	err = New(flowtest.Pages(pagesOf(`x/a.html: {{template "+half"}}`)), shared).Check()
	is.True(err != nil)
	is.Equal(err.Error(), `router/+half.html:1: missing value for if
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
			r := New(flowtest.Pages(map[string]string{"a.html": tt.text}))
			r.Funcs = template.FuncMap{"currency": func(int) string { return "" }}
			err := r.Check()
			is.True(err != nil)
			is.Equal(err.Error(), "router/a.html:1: "+tt.want)
		})
	}
}

func TestFaultOfATemplateHasItsLine(t *testing.T) {
	is := is.New(t)
	err := New(flowtest.Pages(map[string]string{
		"+layout.html": "<body>\n\n{{template \"content\" .}}\n{{block \"foot\" .}}\n{{nothing}}{{end}}",
		"a.html":       "\n{{define `x`}}\n\n{{template `y`}}{{end}}\n{{route `z`}}",
	})).Check()
	is.True(err != nil)
	is.Equal(err.Error(), `router/+layout.html:5: function "nothing" not defined: add it to Router.Funcs
router/a.html:4: no template is called "y": {{define}} it in this file, or call a partial by its path, as in "users/+row"
router/a.html:5: no route is called "z": name one with Name, or use an automatic name`)

	err = New(flowtest.Pages(map[string]string{
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
		{"taken", template.FuncMap{"user": func() string { return "" }}, `Router.Funcs: "user" is a function of every template already: call this one otherwise`},
		{"no function", template.FuncMap{"x": 1}, `Router.Funcs: value for x not a function`},
		{"no name", template.FuncMap{"x-y": func() string { return "" }}, `Router.Funcs: function name "x-y" is not a valid identifier`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(map[string]string{"a.html": "A"}))
			r.Funcs = tt.funcs
			err := r.Check()
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

func TestFuncsMayReplaceThoseOfTheLanguage(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(map[string]string{"a.html": "{{len 1}}"}))
	r.Funcs = template.FuncMap{"len": func(int) string { return "mine" }}
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/a")), "200 mine")
}

// FuzzLayouts makes a directory in a directory for each byte, with what its bits
// say, and holds the page in the innermost one against what plain strings give.
func FuzzLayouts(f *testing.F) {
	const (
		isLayout = 1 << iota
		hasTitle
		hasPartial
		hasBlock // with the slot in it
	)
	f.Add([]byte{1, 2, 3}, byte(0))
	f.Add([]byte{7, 135, 71, 199}, byte(6))
	f.Add([]byte{0, 9, 4, 15, 8}, byte(2))
	f.Fuzz(func(t *testing.T, dirs []byte, page byte) {
		dirs = dirs[:min(len(dirs), 6)]
		texts := map[string]string{"+mark.html": "!"}
		dir, target, title := "", "/", "default"
		for i, bits := range dirs {
			n := strconv.Itoa(i)
			if i > 0 {
				dir += []string{"a" + n, "(g" + n + ")", "[p" + n + "]", "b" + n}[bits>>6] + "/"
				target += []string{"a" + n + "/", "", "value/", "b" + n + "/"}[bits>>6]
			}
			if bits&isLayout == 0 {
				continue
			}
			text := n + "("
			if bits&hasTitle != 0 {
				text += `{{block "title" .}}title` + n + `{{end}} `
				title = "title" + n // of a page that has none, the innermost
			}
			if bits&hasPartial != 0 {
				text += `{{template "+mark"}}`
			}
			content := `{{template "content" .}}`
			if bits&hasBlock != 0 {
				content = `{{block "block` + n + `" .}}` + content + `{{end}}`
			}
			texts[dir+"+layout.html"] = text + content + ")"
		}
		text, want := "page", "page"
		if page&hasTitle != 0 {
			text, title = `{{define "title"}}mine{{end}}`+text, "mine"
		}
		if page&hasPartial != 0 {
			text, want = text+`{{template "+mark"}}`, want+"!"
		}
		texts[dir+"page.html"] = text
		for i, bits := range slices.Backward(dirs) {
			if bits&isLayout == 0 {
				continue
			}
			before := strconv.Itoa(i) + "("
			if bits&hasTitle != 0 {
				before += title + " "
			}
			if bits&hasPartial != 0 {
				before += "!"
			}
			want = before + want + ")"
		}
		r := New(flowtest.Pages(texts))
		if err := r.Check(); err != nil {
			t.Fatalf("%v: %v", texts, err)
		}
		if got := says(serve(r, "GET", target+"page")); got != "200 "+want {
			t.Errorf("%v: got %q, want %q", texts, got, "200 "+want)
		}
	})
}

// TestOnePieceEverywhere: in each kind of answer that templates give, one ends what
// others began, twice.
func TestOnePieceEverywhere(t *testing.T) {
	const (
		text = `<script>a = {{.}};{{template "+end"}}<script>b = {{.}};{{template "+end"}}<button onclick="f({{.}})">go</button><script>done()</script>`
		want = `<script>a = "\u003c";</script><script>b = "\u003c";</script><button onclick="f(&#34;\u003c&#34;)">go</button><script>done()</script>`
	)
	tree := func() map[string]string {
		return map[string]string{
			"page.html":     text,
			"fixed.html":    strings.ReplaceAll(text, "{{.}}", `{{"<"}}`),
			"asks.html":     `{{with user}}{{end}}` + text,
			"shared.html":   `{{template "+shared" .}}`,
			"block.html":    `{{define "b"}}` + text + `{{end}}`,
			"+part.html":    text,
			"e/+error.html": strings.ReplaceAll(text, "{{.}}", "{{.Detail}}"),
			"e/fails.http":  ``,
		}
	}
	shared := flowtest.Pages(map[string]string{"+shared.html": text, "+end.html": "</script>"})
	router := func(dir string) *Router {
		r := New(flowtest.Pages(tree()), shared)
		for _, name := range []string{"page", "asks", "shared"} {
			r.At(name).GET().Do(func(*Request) Response { return Page("<") })
		}
		r.At("block").GET().Do(func(*Request) Response { return Page("<").Block("b") })
		r.At("page").POST().Do(func(*Request) Response { return View("+part", "<") })
		r.At("e/fails").GET().Do(func(*Request) (string, error) { return "", Error(404, "<") })
		if dir != "" {
			r.Dev(dir)
		}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, dir := range []string{"", onDisk(t, flowtest.Pages(tree()))} {
		r := router(dir)
		for _, tt := range []struct{ method, target, status string }{
			{"GET", "/page", "200 "},
			{"POST", "/page", "200 "},
			{"GET", "/fixed", "200 "},
			{"GET", "/asks", "200 "},
			{"GET", "/shared", "200 "},
			{"GET", "/block", "200 "},
			{"GET", "/e/fails", "404 "},
		} {
			t.Run(fmt.Sprintf("%s %s, Dev(%q)", tt.method, tt.target, path.Base(dir)), func(t *testing.T) {
				is := is.New(t)
				w := browse(r, tt.target)
				if tt.method != "GET" {
					w = serve(r, tt.method, tt.target)
				}
				is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.status+want)
			})
		}
	}
}

func TestViews(t *testing.T) {
	r := New(flowtest.Pages(map[string]string{
		"about.html":      `About <a href="{{route "users.show" "id" 7 "tab" "x y"}}">7</a>`,
		"users/[id].html": `User {{.Name}} {{shout .Name}}`,
		"users/+row.html": `<tr><td>{{.}}</td></tr>`,
		"plain.http":      ``,
	}))
	r.Funcs = template.FuncMap{"shout": strings.ToUpper}
	type user struct{ Name string }
	r.At("users/[id]").GET().Name("users.show").Do(func(*Request) Response { return Page(user{"<Ann>"}) })
	r.At("users/[id]").POST().Do(func(*Request) Response { return Page(user{"Bob"}).Status(422).Header("X", "y") })
	r.At("users/[id]").PUT().Do(func(*Request) Response { return View("users/+row", "<Cy>") })
	r.At("users/[id]").PATCH().Do(func(*Request) Response { return View("users/row", nil) })
	r.At("users/[id]").DELETE().Do(func(*Request) Response { return Page(1) })
	r.At("plain").GET().Do(func(*Request) Response { return Page(nil) })
	r.At("plain").POST().Do(func(*Request) Response { return View("about", nil) })
	log := logged(r)
	for _, tt := range []struct {
		method, target string
		status         int
		want           string
		log            string
	}{
		{"GET", "/about", 200, `About <a href="/users/7?tab=x&#43;y">7</a>`, ""},
		{"HEAD", "/about", 200, "", ""},
		{"POST", "/plain", 200, `About <a href="/users/7?tab=x&#43;y">7</a>`, ""},
		{"GET", "/users/1", 200, "User &lt;Ann&gt; &lt;ANN&gt;", ""},
		{"POST", "/users/1", 422, "User Bob BOB", ""},
		{"PUT", "/users/1", 200, "<tr><td>&lt;Cy&gt;</td></tr>", ""},
		{"PATCH", "/users/1", 500, "", `no template is called \"users/row\"`},
		{"DELETE", "/users/1", 500, "", "can't evaluate field Name"},
		{"GET", "/plain", 500, "", "this route has none"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			log.Reset()
			w := serve(r, tt.method, tt.target)
			is.Equal(w.Code, tt.status)
			if tt.status != 500 {
				is.Equal(w.Body.String(), tt.want)
				is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
			}
			is.True(strings.Contains(log.String(), tt.log))
			is.True(tt.log != "" || log.Len() == 0)
		})
	}
}

func TestViewFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"syntax", "one\n{{if}}", "router/a.html:2: missing value for if"},
		{"unknown function", "{{nothing}}", `router/a.html:1: function "nothing" not defined`},
		{"unknown route", "\n\n{{with 1}}{{. | print (route `b`)}}{{end}}", `router/a.html:3: no route is called "b": name one with Name, or use an automatic name`},
		{"unknown route in a block", "{{block `x` .}}{{if route \"b\"}}{{end}}{{end}}", `router/a.html:1: no route is called "b": name one with Name, or use an automatic name`},
		{"not escapable", "\n<a href='{{if .}}'{{end}}>", "router/a.html:2: {{if}} branches end in different contexts"},
		{"unknown template", "{{template \"x\"}}", `router/a.html:1: no template is called "x": {{define}} it in this file`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := New(flowtest.Pages(map[string]string{"a.html": tt.text})).Check()
			is.True(err != nil)
			is.True(strings.HasPrefix(err.Error(), tt.want)) // got: see the name
			is.True(!strings.Contains(err.Error(), "\n"))
		})
	}
}

func TestFuncsAreNotCalledAtStartUp(t *testing.T) {
	is := is.New(t)
	t.Setenv("FLOW_PLANS", "") // to compare, functions are called twice
	r := New(flowtest.Pages(map[string]string{"index.html": "{{calls}} {{len routes}}"}))
	calls := 0
	r.Funcs = template.FuncMap{
		"calls":  func() int { calls++; return calls },
		"routes": r.Routes, // waits for Check, if Check waits for it
	}
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/")), "200 1 1")
}

func TestSharedTreesFillInPlusFiles(t *testing.T) {
	is := is.New(t)
	own := flowtest.Pages(map[string]string{"a.http": "", "+one.html": "own one"})
	shared := flowtest.Pages(map[string]string{"+one.html": "shared one", "+two.html": "shared two", "b.html": "no route"})
	r := New(own, shared)
	r.At("a").GET().Do(func(req *Request) Response { return View(req.Input("view"), nil) })
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/a?view=%2Bone")), "200 own one")
	is.Equal(says(serve(r, "GET", "/a?view=%2Btwo")), "200 shared two")
	is.Equal(says(serve(r, "GET", "/b")), "404")
}

func TestTemplatesKnowTheRequest(t *testing.T) {
	r := New(flowtest.Pages(pagesOf(`+layout.html: {{with user}}{{.}}{{else}}nobody{{end}} at {{request.URL.Path}}: {{template "content" .}}
		users/[id].html: {{request.Param "id"}} {{.}}
		plain.html: {{template "+who"}}
		+who.html: {{user}} asked with {{request.Method}}
		+error.html: {{.Status}} for {{user}}`)))
	r.Authenticate = func(req *Request) (any, error) {
		if name := req.Header.Get("Name"); name != "" {
			return name, nil
		}
		return nil, nil
	}
	r.At("users/[id]").GET().Do(func(req *Request) Response { return Page("of data") })
	r.At("users/[id]").POST().Do(func(req *Request) Response { return View("+who", nil) })
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, target, name, want string }{
		{"GET", "/users/7", "Ann", "200 Ann at /users/7: 7 of data"},
		{"GET", "/users/8", "", "200 nobody at /users/8: 8 of data"},
		{"GET", "/plain", "Bob", "200 Bob at /plain: Bob asked with GET"},
		{"GET", "/plain", "", "200 nobody at /plain:  asked with GET"},
		{"POST", "/users/7", "Cy", "200 Cy asked with POST"},
		{"GET", "/none", "Di", "404 Di at /none: 404 for Di"},
	} {
		t.Run(tt.method+" "+tt.target+" "+tt.name, func(t *testing.T) {
			is := is.New(t)
			req := httptest.NewRequest(tt.method, tt.target, nil)
			req.Header.Set("Name", tt.name)
			req.Header.Set("Accept", "text/html")
			w := do(r, req)
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
		})
	}
}

// TestTemplatesKnowTheirOwnRequest renders more pages at a time than there are
// instances, each of which waits in the middle for all the others.
func TestTemplatesKnowTheirOwnRequest(t *testing.T) {
	is := is.New(t)
	t.Setenv("FLOW_PLANS", "") // to compare, meet is called twice
	const n = 50
	r := New(flowtest.Pages(map[string]string{"[id].html": `{{request.Param "id"}}{{meet}}{{user}}`}))
	var all sync.WaitGroup
	all.Add(n)
	r.Funcs = template.FuncMap{"meet": func() string { all.Done(); all.Wait(); return " " }}
	r.Authenticate = func(req *Request) (any, error) { return req.Param("id"), nil }
	is.NoErr(r.Check())
	answers := make([]string, n)
	var done sync.WaitGroup
	for i := range n {
		done.Go(func() { answers[i] = says(serve(r, "GET", fmt.Sprintf("/%d", i))) })
	}
	done.Wait()
	for i, got := range answers {
		is.Equal(got, fmt.Sprintf("200 %d %d", i, i))
	}
}

func TestBlock(t *testing.T) {
	r := New(flowtest.Pages(pagesOf(`+layout.html: <body>{{block "title" .}}site{{end}}{{template "content" .}}{{block "foot" .}}{{end}}</body>
		posts.html: {{define "title"}}posts{{end}}<h1>Posts</h1>{{block "comments" .}}<li>{{.}} {{template "+mark"}}{{end}}{{define "toast"}}<p>{{.}}{{end}}<script>{{block "js" .}}if(a<b){{.}}{{end}}</script>
		+mark.html: !
		plain.http: `)))
	answer := func(req *Request) Response {
		switch name := req.Input("block"); req.Input("of") {
		case "page":
			return Page("<a>").Status(201).Header("X", "1").Block(name)
		case "view":
			return View("posts", "<b>").Block(name)
		default:
			return Text("text").Block(name)
		}
	}
	r.At("posts").GET().Do(answer)
	r.At("plain").GET().Do(answer)
	log := logged(r)
	for _, tt := range []struct{ target, want, log string }{
		{"/posts?of=page&block=comments", "201 <li>&lt;a&gt; !", ""},
		{"/posts?of=page&block=toast", "201 <p>&lt;a&gt;", ""},
		{"/posts?of=page&block=title", "201 posts", ""},
		{"/plain?of=view&block=comments", "200 <li>&lt;b&gt; !", ""},
		{"/posts?of=page&block=none", "500", `Block(\"none\"): router/posts.html has no such {{define}} or {{block}}`},
		{"/posts?of=page&block=router/posts.html", "500", `router/posts.html has no such`},
		{"/posts?of=page&block=router/%2Blayout.html", "500", `router/posts.html has no such`},
		{"/posts?of=page&block=foot", "500", `router/posts.html has no such`},
		{"/posts?of=page&block=js", "500", `Block(\"js\"): it cannot be shown by itself: html/template:js: ends within a tag`},
		{"/posts?of=page", "500", `Block(\"\") takes the name of a block of a Page or a View`},
		{"/posts?of=text&block=comments", "500", `Block(\"comments\") takes the name of a block of a Page or a View`},
		{"/plain?of=page&block=comments", "500", "this route has none"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			log.Reset()
			w := serve(r, "GET", tt.target)
			got := fmt.Sprint(w.Code, " ", w.Body)
			if tt.log != "" {
				got = got[:3]
			}
			is.Equal(got, tt.want)
			is.True(strings.Contains(log.String(), tt.log))
		})
	}
}

func TestBlockChangesACopy(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(map[string]string{"a.html": `A{{define "b"}}B{{end}}`}))
	whole := Page(nil)
	_ = whole.Block("b")
	r.At("a").GET().Do(func(*Request) Response { return whole })
	is.Equal(says(serve(r, "GET", "/a")), "200 A")
}

func TestPartialsThatNeedTheirPage(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(pagesOf(`+p.html: {{template "x" .}}
		a.html: {{template "+p" 1}}{{define "x"}}x{{.}}{{end}}
		b.http: `)))
	r.At("b").GET().Do(func(*Request) Response { return View("+p", nil) })
	log := logged(r)
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/a")), "200 x1")
	is.Equal(serve(r, "GET", "/b").Code, 500)
	is.True(strings.Contains(log.String(), `router/+p.html cannot be rendered by itself`))
}

func TestErrorPageByItself(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(pagesOf(`+layout.html: <body>{{template "content" .}}</body>
		+error.html: {{.Status}}
		a.http: `)))
	r.At("a").GET().Do(func(*Request) Response { return View("+error", map[string]int{"Status": 1}) })
	is.Equal(says(serve(r, "GET", "/a")), "200 1")
}

// TestPagesWithoutCode are the same for everyone, and so are sent as a file is.
func TestPagesWithoutCode(t *testing.T) {
	long := strings.Repeat("a long page, ", 100)
	r := New(flowtest.Pages(map[string]string{
		"+layout.html":            `<title>{{block "title" .}}site{{end}}</title>{{template "content" .}}`,
		"about.html":              `{{define "title"}}About{{end}}<a href="{{route "about"}}">` + long,
		"[[lang]]/help.html":      long,
		"(admin)/secret.html":     long,
		"who/+layout.html":        `{{with user}}{{.}}{{end}}{{template "content" .}}`,
		"who/index.html":          `no code, but its layout asks`,
		"time.html":               `{{now}}`,
		"deaf.html":               `A{{define "unused"}}{{user}}{{end}}`,
		"posted.html":             long,
		"any.html":                long,
		"answered/[id]/page.html": long,
	}))
	r.Funcs = template.FuncMap{"now": func() string { return "now" }}
	r.In("(admin)").Use(func(req *Request) Response {
		if req.Header.Get("Let") == "" {
			return Redirect("/login")
		}
		return Next().Header("X-Guard", "passed")
	})
	r.At("posted").POST().Do(func(*Request) string { return "posted" })
	r.At("any").ANY().Do(func(*Request) Response { return Page(nil) })
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	tag := func(target string) string {
		req := httptest.NewRequest("GET", target, nil)
		req.Header.Set("Let", "in")
		return do(r, req).Header().Get("ETag")
	}
	for _, tt := range []struct {
		target string
		header []string
		status int
		tagged bool
		coding string
	}{
		{"/about", nil, 200, true, ""},
		{"/about", []string{"Accept-Encoding", "gzip"}, 200, true, "gzip"},
		{"/about", []string{"If-None-Match", tag("/about")}, 304, true, ""},
		{"/about?x=1", []string{"If-None-Match", "W/" + tag("/about") + `, "b"`}, 304, true, ""},
		{"/about", []string{"If-None-Match", `"other"`}, 200, true, ""},
		{"/about", []string{"Range", "bytes=0-3"}, 206, true, ""},
		{"/help", []string{"If-None-Match", tag("/en/help")}, 304, true, ""},
		{"/en/help", nil, 200, true, ""},
		{"/answered/5/page", nil, 200, true, ""},
		{"/posted", nil, 200, true, ""},
		{"/secret", nil, 302, false, ""},
		{"/secret", []string{"If-None-Match", tag("/secret")}, 302, false, ""},
		{"/secret", []string{"Let", "in", "If-None-Match", tag("/secret")}, 304, true, ""},
		{"/secret", []string{"Let", "in"}, 200, true, ""},
		{"/who", []string{"Accept-Encoding", "gzip"}, 200, false, ""},
		{"/time", nil, 200, false, ""},
		{"/any", []string{"Accept-Encoding", "gzip"}, 200, false, ""},
		{"/deaf", nil, 200, false, ""}, // whatever Block could show counts
	} {
		t.Run(fmt.Sprint(tt.target, tt.header), func(t *testing.T) {
			is := is.New(t)
			for _, method := range []string{"GET", "HEAD"} {
				if method == "HEAD" && tt.status == 206 {
					continue // ranges are for GET
				}
				req := httptest.NewRequest(method, tt.target, nil)
				for i := 0; i < len(tt.header); i += 2 {
					req.Header.Set(tt.header[i], tt.header[i+1])
				}
				w := do(r, req)
				is.Equal(w.Code, tt.status)
				is.Equal(w.Header().Get("ETag") != "", tt.tagged)
				is.Equal(w.Header().Get("Content-Encoding"), tt.coding)
				if tt.tagged {
					want := "no-cache"
					if tt.target == "/secret" {
						want = "private, no-cache" // others may not see it
					}
					is.Equal(w.Header().Get("Cache-Control"), want)
				}
				if tt.status == 200 {
					is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
				}
			}
		})
	}
}

// TestPageIsNamed: GET without a handler gives a page a name and middleware. It stays
// rendered once.
func TestPageIsNamed(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(map[string]string{
		"about.html":  `about {{route "us"}} {{route "about"}} {{route "members"}}`,
		"secret.html": `secret`,
		"live.html":   `{{request.Method}}`,
	}))
	r.At("about").POST().Name("us").Do(hello)
	r.At("about").GET().Name("us")
	r.At("secret").GET().Name("members").MaxBody(3).Use(markStd("std"), func(req *Request) Response {
		if req.Input("key") != "yes" {
			return Fail(403, "")
		}
		return Next()
	})
	r.At("live").GET().Use(mark("guard"))
	is.NoErr(r.Check())
	w := serve(r, "GET", "/about")
	is.Equal(says(w), "200 about /about /about /secret")
	is.True(w.Header().Get("ETag") != "")
	is.Equal(serve(r, "GET", "/secret").Code, 403)
	is.Equal(serve(r, "HEAD", "/secret").Code, 403)
	w = serve(r, "GET", "/secret?key=yes")
	is.Equal(says(w), "200 secret")
	is.Equal(marks(w), "std")
	is.Equal(w.Header().Get("Cache-Control"), "private, no-cache") // a guard has let it through
	is.Equal(do(r, flowtest.Sending("GET", "/secret", "application/x-www-form-urlencoded", "key=yes")).Code, 413)
	is.Equal(says(serve(r, "GET", "/live")), "200 GET")
	is.Equal(marks(serve(r, "GET", "/live")), "guard")
	is.Equal(says(serve(r, "PUT", "/secret")), "405 Allow GET, HEAD, OPTIONS")
	var listed []string
	for _, i := range r.Routes() {
		listed = append(listed, fmt.Sprint(i.Method, " ", i.Pattern, " ", i.Name, " ", i.Handler != "", " ", i.Middleware))
	}
	is.Equal(listed, []string{"GET /about us false 0", "POST /about us true 0", "GET /live live false 1", "GET /secret members false 2"})
}

func TestPageWithoutCodeIsRenderedOnce(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(map[string]string{"a.html": `<title>{{block "t" .}}A{{end}}</title> {{"<"}}`}))
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/a")), "200 <title>A</title> &lt;")
	tag := serve(r, "GET", "/a").Header().Get("ETag")
	is.True(tag != "")
	is.Equal(serve(r, "HEAD", "/a").Header().Get("ETag"), tag)
}

// TestPartialsOfSharedTrees may need what only some applications define.
func TestPartialsOfSharedTrees(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(pagesOf("a.html: A")), flowtest.Pages(pagesOf(`+head.html: {{template "title" .}}`)))
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/a")), "200 A")
}

// TestUnknownNamesAreNoFaultsIfNobodyCanKnow: a function of With was not called.
func TestUnknownNamesAreNoFaultsIfNobodyCanKnow(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(pagesOf("index.html: {{route `users.show` `id` 1}}\nusers/[id].html: U")))
	r.app = &application{}
	r.app.statics.With(fault.Position{File: "app/users.id.go", Line: 1}, reflect.TypeFor[int](), func(*registry.File[handler, middleware], any) {})
	err := r.Check()
	is.True(err != nil)
	is.Equal(err.Error(), "app/users.id.go:1: flow.With asks for a int, and nothing was provided: give one to Router.Provide")
}
