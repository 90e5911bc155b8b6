package templates

import (
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

// TestHTMLTemplateTellsContexts fails with a version of Go whose html/template notes its decisions
// elsewhere. Pages are right then, and slower.
func TestHTMLTemplateTellsContexts(t *testing.T) {
	is := is.New(t)
	is.True(tellsContexts())
}

// TestUnknownHTMLTemplate has pages of a version of Go whose html/template tells nothing.
func TestUnknownHTMLTemplate(t *testing.T) {
	known := tellsContexts
	defer func() { tellsContexts = known }()
	for _, tt := range []struct {
		name  string
		texts map[string]string
		want  string
	}{
		{"calls in many places", map[string]string{
			"+layout.html": `<title>{{template "+text" .}}</title>{{template "content" .}}`,
			"+text.html":   `{{.A}}`,
			"a.html":       `{{template "+text" .}}<p title="{{template "+text" .}}"><a href="/?q={{template "+text" .}}"><script>var a = {{template "+text" .}}</script>`,
		}, `<title>&lt;&#39;&amp;</title>&lt;&#39;&amp;<p title="&lt;&#39;&amp;"><a href="/?q=%3c%27%26"><script>var a = "\u003c'\u0026"</script>`},
		{"a recursive one", map[string]string{
			"+list.html": `<li>{{.A}}{{range .L}}{{template "+list" .}}{{end}}`,
			"a.html":     `{{template "+list" .}}`,
		}, `<li>&lt;&#39;&amp;<li>inner`},
		{"literal", map[string]string{"+layout.html": `<body>{{template "content" .}}`, "a.html": `<p>text`}, `<body><p>text`},
		{"a fault", map[string]string{"a.html": `<a href=x"y>`}, `router/a.html:1: "\"" in unquoted attr: "x\"y"`},
	} {
		for _, tells := range []bool{true, false} {
			t.Run(tt.name, func(t *testing.T) {
				is := is.New(t)
				tellsContexts = func() bool { return tells }
				views, err := made(flowtest.Pages(tt.texts))
				if err != nil {
					is.Equal(err.Error(), tt.want)
					return
				}
				got, err := render(views, views.byName["a"], "", row{A: "<'&", L: []row{{A: "inner"}}})
				is.NoErr(err)
				is.Equal(got, tt.want)
			})
		}
	}
}
