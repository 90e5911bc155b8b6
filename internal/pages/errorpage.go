package pages

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/routetree"
)

// indexErrorPages notes for each directory of literal names, groups aside, which error
// page is the nearest. A plain directory goes before one of the same URL in a
// group, and one that has an error page of its own before both.
func (v *Views) indexErrorPages(t *routetree.Tree) {
	v.errorByURL = map[string]*View{}
	dirs := append(slices.Sorted(maps.Keys(t.Dirs)), "")
	slices.SortStableFunc(dirs, func(a, b string) int {
		if own := v.errors[a] != nil; own != (v.errors[b] != nil) {
			if own {
				return -1
			}
			return 1
		}
		return strings.Count(a, "(") - strings.Count(b, "(")
	})
	for _, dir := range dirs {
		u, ok := literalURL(dir)
		if _, taken := v.errorByURL[u]; ok && !taken {
			v.errorByURL[u] = v.nearest(routetree.Layers(path.Join(dir, "index")))
		}
	}
}

// documentStart is what a whole HTML document begins with.
var documentStart = regexp.MustCompile(`(?i)<(!doctype|html)\b`)

// makesDocument reports whether the templates of a set make a whole HTML document.
func (s *set) makesDocument() bool {
	found := false
	for _, t := range s.trees {
		EachNode(t.Root, func(n parse.Node) {
			if n, ok := n.(*parse.TextNode); ok {
				found = found || documentStart.Match(n.Text)
			}
		})
	}
	return found
}

// warnBareErrorPages warns about error pages that are part of a document, and that no layout is
// around, while the pages of the application have layouts.
func (l *library) warnBareErrorPages(v *Views) {
	var layout *templateFile
	for _, m := range v.made {
		if n := len(m.layouts); n > 0 && (layout == nil || m.layouts[n-1].file < layout.file) {
			layout = m.layouts[n-1]
		}
	}
	for _, m := range v.made {
		if f := m.files[0]; m.isPart && len(m.layouts) == 0 && layout != nil && l.used[f] {
			l.faults = append(l.faults, fault.Warn(f.file, 0, "no layout is around this error page, since layouts begin further down, as %s does, and it has no doctype of its own: write a whole document here, or in a partial that it calls", layout.file))
		}
	}
}

// literalURL returns the URL of a directory that has no parameters and is no
// group itself: "(site)/blog" is "/blog".
func literalURL(dir string) (u string, ok bool) {
	if dir == "" {
		return "", true
	}
	group := false
	for name := range strings.SplitSeq(dir, "/") {
		if group = name[0] == '('; group {
			continue
		}
		if strings.ContainsAny(name, "[]") {
			return "", false
		}
		u += "/" + name
	}
	return u, !group
}

// nearest returns the error page of the innermost directory that has one, or nil.
func (v *Views) nearest(dirs []string) *View {
	for _, dir := range slices.Backward(dirs) {
		if page := v.errors[dir]; page != nil {
			return page
		}
	}
	return nil
}

// ErrorPage returns the error page for a route, or if that is nil for the segments of
// a path that matches nothing, below the prefix of the tree: the nearest to its file, or
// else to its URL. It is nil if there is none.
func (v *Views) ErrorPage(r *routetree.Route, path []string) *View {
	if r != nil {
		return v.nearest(routetree.Layers(r.Path))
	}
	page := v.errorByURL[""]
	u := ""
	for _, segment := range path {
		u += "/" + segment
		place, ok := v.errorByURL[u]
		if !ok || strings.Contains(segment, "/") {
			break
		}
		page = place
	}
	return page
}
