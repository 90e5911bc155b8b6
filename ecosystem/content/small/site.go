package small

import (
	"embed"
	"html/template"
	"strings"

	"example.com/flow"
	"github.com/yuin/goldmark"
)

//go:embed all:router
var files embed.FS

// Router serves the site.
var Router = flow.New(files)

func init() { Router.Formats = map[string]flow.Format{".md": flow.FormatOf(markdown)} }

func markdown(src flow.Source) (template.HTML, struct{}, error) {
	var html strings.Builder
	err := goldmark.Convert([]byte(src.Text), &html)
	return template.HTML(html.String()), struct{}{}, err
}
