package templates

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

// TestInsidesOfHTMLTemplate fails with a version of Go whose html/template notes its decisions
// elsewhere than flow looks for them.
func TestInsidesOfHTMLTemplate(t *testing.T) {
	is := is.New(t)
	is.True(escapesInPlace())
	is.True(namesContexts())
}

// TestUnknownContexts has pages with a version of Go whose html/template does not name contexts. They
// are escaped as with one that does, except that recursive calls are refused.
func TestUnknownContexts(t *testing.T) {
	known := namesContexts
	defer func() { namesContexts = known }()
	const recursive = `router/+list.html:1: "+list" calls itself, and html/template cannot tell where it ends`
	for _, tt := range []struct {
		name          string
		texts         map[string]string
		want, unknown string // unknown is "" if it is want
	}{
		{"calls in many places", map[string]string{
			"+layout.html": `<title>{{template "+text" .}}</title>{{template "content" .}}`,
			"+text.html":   `{{.A}}`,
			"a.html":       `{{template "+text" .}}<p title="{{template "+text" .}}"><a href="/?q={{template "+text" .}}"><script>var a = {{template "+text" .}}</script>`,
		}, `<title>&lt;&#39;&amp;</title>&lt;&#39;&amp;<p title="&lt;&#39;&amp;"><a href="/?q=%3c%27%26"><script>var a = "\u003c'\u0026"</script>`, ""},
		{"calls that begin and end a script", map[string]string{
			"+open.html":  `<script>`,
			"+close.html": `</script>`,
			"a.html":      `{{template "+open"}}var a={{.A}}{{template "+close"}}{{.A}}{{template "+open"}}var b={{.A}}{{template "+close"}}`,
		}, `<script>var a="\u003c'\u0026"</script>&lt;&#39;&amp;<script>var b="\u003c'\u0026"</script>`, ""},
		{"calls in the middle of a word", map[string]string{
			"+open.html": `<scr`,
			"a.html":     `{{template "+open"}}ipt>var x = {{.A}}</script>`,
		}, `<script>var x = "\u003c'\u0026"</script>`, ""},
		{"a recursive call", map[string]string{
			"+list.html": `<li>{{.A}}{{range .L}}{{template "+list" .}}{{end}}`,
			"a.html":     `{{template "+list" .}}`,
		}, `<li>&lt;&#39;&amp;<li>inner`, recursive},
		{"a literal page", map[string]string{"+layout.html": `<body>{{template "content" .}}`, "a.html": `<p>text`}, `<body><p>text`, ""},
		{"a fault", map[string]string{"a.html": `<a href=x"y>`}, `router/a.html:1: "\"" in unquoted attr: "x\"y"`, ""},
	} {
		for _, names := range []bool{true, false} {
			t.Run(fmt.Sprint(tt.name, ", named: ", names), func(t *testing.T) {
				is := is.New(t)
				namesContexts = func() bool { return names }
				want := tt.want
				if !names && tt.unknown != "" {
					want = tt.unknown
				}
				views, err := made(flowtest.Pages(tt.texts))
				if err != nil {
					is.True(strings.HasPrefix(err.Error(), want))
					return
				}
				got, err := render(views, views.byName["a"], "", row{A: "<'&", L: []row{{A: "inner"}}})
				is.NoErr(err)
				is.Equal(got, want)
			})
		}
	}
}

// TestUnknownEscapes: a page is not served if nobody knows how it is escaped.
func TestUnknownEscapes(t *testing.T) {
	is := is.New(t)
	known := escapesInPlace
	defer func() { escapesInPlace = known }()
	escapesInPlace = func() bool { return false }
	_, err := made(flowtest.Pages(map[string]string{"a.html": `<p>{{.A}}`}))
	is.True(err != nil)
	is.True(strings.HasPrefix(err.Error(), "router/a.html: flow does not know html/template of go1."))
}
