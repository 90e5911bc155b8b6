package templates

import (
	"regexp"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/routes/routetree"
)

// documentStart matches the beginning of a whole HTML document.
var documentStart = regexp.MustCompile(`(?i)<(!doctype|html)\b`)

// makesDocument reports whether the templates of a set contain the beginning of a whole HTML
// document.
func (s *set) makesDocument() bool {
	found := false
	for _, t := range s.trees {
		language.EachAction(t.Root, func(n parse.Node) {
			if n, ok := n.(*parse.TextNode); ok {
				found = found || documentStart.Match(n.Text)
			}
		})
	}
	return found
}

// warnBareErrorPages warns about an error page that neither has a layout nor is a whole
// document, in an application whose other pages have layouts.
func (l *library) warnBareErrorPages(v *Views) {
	var layout *templateFile
	for _, m := range v.made {
		if n := len(m.layouts); n > 0 && (layout == nil || m.layouts[n-1].file < layout.file) {
			layout = m.layouts[n-1]
		}
	}
	for _, m := range v.made {
		if f := m.file; m.isPart && len(m.layouts) == 0 && layout != nil && l.used[f] {
			l.faults = append(l.faults, fault.Warn(f.file, 0, "no layout is around this error page, since layouts begin further down, as %s does, and it has no doctype of its own: write a whole document here, or in a partial that it calls", layout.file))
		}
	}
}

// ErrorPage returns the error page for a request, or nil if there is none: the nearest of
// those around the route or, if r is nil, around the URL. path holds the segments of the URL
// below the prefix of the tree.
func (v *Views) ErrorPage(r *routetree.Route, path []string) *View {
	if v.errorPages == nil {
		return nil
	}
	if around := v.errorPages.Around(r, path); len(around) > 0 {
		return around[0]
	}
	return nil
}
