package app

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
)

// TestFaults: a link to no document, and a document that no list has, are faults.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"routes", "# Routes\n\nA list:\n\n- [files](pages.md) and\n  [others](page.md#x)\n", "router/docs/routes.md:6:12: page.md#x leads to no file: there is no router/docs/page.md: did you mean \"pages.md\"?"},
		{"routes", "# Routes\n\n| a | b |\n|---|---|\n| [files](page.md) | x |\n", "router/docs/routes.md:5:11: page.md leads to no file: there is no router/docs/page.md: did you mean \"pages.md\"?"},
		{"routes", "# Routes\n\n[files](pages.md#none) [ecosystem](../ecosystem/) [mail](mailto:a@example.com)\n", ""},
		{"unlisted", "# Unlisted\n", "router/docs/unlisted.md:1: neither index.md nor recipes.md leads to it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(fstest.MapFS{"router/docs/pages.md": {Data: []byte("# Pages\n")}, "router/docs/" + tt.name + ".md": {Data: []byte(tt.text)}})
			r.Formats = Router.Formats
			err := r.Check()
			if tt.want == "" {
				is.NoErr(err)
				return
			}
			is.True(err != nil)
			is.Equal(strings.TrimPrefix(err.Error(), "flow: "), tt.want)
		})
	}
}

func TestExtract(t *testing.T) {
	long := strings.Repeat("word ", 100)
	for _, tt := range []struct{ text, word, want string }{
		{"a page and its pages", "page", "a [page] and its [page]s"},
		{"homepage", "page", "homepage"},
		{long + "page " + long, "page", "… " + strings.Repeat("word ", 8) + "[page] " + strings.TrimSpace(strings.Repeat("word ", 23)) + " …"},
		{strings.Repeat("x", 500), "page", " …"},
		{long + strings.Repeat("x", 500) + " page", "page", "…  …"},
		{"", "page", ""},
	} {
		t.Run(tt.text[:min(len(tt.text), 20)], func(t *testing.T) {
			is := is.New(t)
			var b strings.Builder
			for _, p := range extract(tt.text, []string{tt.word}) {
				if p.Hit {
					b.WriteString("[" + p.Text + "]")
				} else {
					b.WriteString(p.Text)
				}
			}
			is.Equal(b.String(), tt.want)
		})
	}
}
