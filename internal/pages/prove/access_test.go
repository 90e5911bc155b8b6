package prove

import (
	"strings"
	"testing"
	"text/template/parse"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/pages/markup"
)

// pageOf reads a template as a page. Its actions may write HTML if they name a field HTML.
func pageOf(t *testing.T, text string) *Page {
	trees := map[string]*parse.Tree{}
	tree := parse.New("a.html")
	tree.Mode = parse.SkipFuncCheck
	_, err := tree.Parse(text, "", "", trees)
	is.New(t).NoErr(err)
	return &Page{
		File:  "a.html",
		Nodes: markup.Read(trees["a.html"], markup.Rules, func(_ *parse.Tree, n *parse.TemplateNode) *parse.Tree { return trees[n.Name] }),
		HTML:  func(n *parse.ActionNode) bool { return strings.HasSuffix(n.Pipe.String(), ".HTML") },
		At: func(p markup.Place) (line, column int) {
			before := text[:p.Offset]
			return strings.Count(before, "\n") + 1, p.Offset - strings.LastIndex(before, "\n")
		},
	}
}

// said returns what is said of a page.
func said(faults []fault.Fault) string {
	if err := fault.Warnings(faults); err != nil {
		return err.Error()
	}
	return ""
}

func TestAccessibility(t *testing.T) {
	const image = `: describe the image, or write alt="" if it only adorns`
	for _, tt := range []struct{ name, text, want string }{
		{"an image", "<p>\n<img src=/a>", "a.html:2:1: warning: <img> has no alt" + image},
		{"an image with alt", `<img alt="">`, ""},
		{"an image under a condition", `{{if .A}}<img>{{end}}`, "a.html:1:10: warning: <img> has no alt" + image},
		{"an alt under a condition", `<img {{if .A}}alt="a"{{end}}>`, "a.html:1:1: warning: <img> has no alt, unless .A" + image},
		{"an alt under the condition of the image", `{{if .A}}<img {{if .A}}alt=""{{end}}>{{end}}`, ""},
		{"an alt under two conditions", `<img {{if .A}}{{if .B}}alt=""{{end}}{{end}}>`, ""},
		{"an alt in with", `<img {{with .A}}alt="{{.}}"{{end}}>`, ""},
		{"an image with other attributes", `<img {{.A}}>`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is.New(t).Equal(said(pageOf(t, tt.text).Accessibility()), tt.want)
		})
	}
}
