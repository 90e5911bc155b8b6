package existing

import (
	"html/template"
	"strings"

	"example.com/flow"
	"github.com/yuin/goldmark"
)

type front struct{ Title string }

// markdown converts a page whose first line is its title.
func markdown(src flow.Source) (template.HTML, front, error) {
	title, body, _ := strings.Cut(src.Text, "\n")
	var html strings.Builder
	err := goldmark.Convert([]byte(body), &html)
	return template.HTML(html.String()), front{strings.TrimPrefix(title, "# ")}, err
}
