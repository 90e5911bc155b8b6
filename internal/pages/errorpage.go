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

// indexErrorPages maps the URL of each directory without parameters to the nearest error
// page. Groups can give several directories the same URL: one with an error page of its own
// goes first, then the one in the fewest groups.
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

// documentStart matches the beginning of a whole HTML document.
var documentStart = regexp.MustCompile(`(?i)<(!doctype|html)\b`)

// makesDocument reports whether the templates of a set contain the beginning of a whole HTML
// document.
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
		if f := m.files[0]; m.isPart && len(m.layouts) == 0 && layout != nil && l.used[f] {
			l.faults = append(l.faults, fault.Warn(f.file, 0, "no layout is around this error page, since layouts begin further down, as %s does, and it has no doctype of its own: write a whole document here, or in a partial that it calls", layout.file))
		}
	}
}

// literalURL returns the URL of a directory: that of "(site)/blog" is "/blog". It reports
// false if the directory has parameters or is a group itself.
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

// nearest returns the error page of the last of the directories that has one, or nil. The
// directories are given from the outside in.
func (v *Views) nearest(dirs []string) *View {
	for _, dir := range slices.Backward(dirs) {
		if page := v.errors[dir]; page != nil {
			return page
		}
	}
	return nil
}

// ErrorPage returns the error page for a request, or nil if there is none. It is the nearest
// one to the file of the route. For a request without a route, r is nil, and the error page
// is the nearest one to the URL: path holds its segments below the prefix of the tree.
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
