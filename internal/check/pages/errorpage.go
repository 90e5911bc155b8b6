package pages

import (
	"path"
	"regexp"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/pages/templates"
)

// bareErrorPages warns about an error page that neither has a layout nor is a whole document, in an
// application whose other pages have layouts.
func (c *Checked) bareErrorPages() (warnings []fault.Fault) {
	parsed := c.Views.Parsed
	var layout *templates.File
	for _, m := range parsed.Made {
		if n := len(m.Layouts); n > 0 && (layout == nil || m.Layouts[n-1].File < layout.File) {
			layout = m.Layouts[n-1]
		}
	}
	for name, m := range parsed.Made {
		if path.Base(name) == templates.ErrorName && len(m.Layouts) == 0 && layout != nil && parsed.Used[m.File] && !makesDocument(m.Set) {
			warnings = append(warnings, fault.Warn(m.File.File, 0, "no layout is around this error page, since layouts begin further down, as %s does, and it has no doctype of its own: write a whole document here, or in a partial that it calls", layout.File))
		}
	}
	return warnings
}

// documentStart matches the beginning of a whole HTML document.
var documentStart = regexp.MustCompile(`(?i)<(!doctype|html)\b`)

// makesDocument reports whether the templates of a set contain the beginning of a whole HTML
// document.
func makesDocument(s *templates.Set) bool {
	found := false
	for _, t := range s.Templates() {
		language.EachAction(t.Root, func(n parse.Node) {
			if n, ok := n.(*parse.TextNode); ok {
				found = found || documentStart.Match(n.Text)
			}
		})
	}
	return found
}
