package pages

import (
	"maps"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/routetree"
)

// findPlaces notes for each directory of literal names, groups aside, which error
// page is the nearest. A plain directory goes before one of the same URL in a
// group, and one that has an error page of its own before both.
func (v *Views) findPlaces(t *routetree.Tree) {
	v.places = map[string]*View{}
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
		if _, taken := v.places[u]; ok && !taken {
			v.places[u] = v.nearest(routetree.Layers(path.Join(dir, "index")))
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
	page := v.places[""]
	u := ""
	for _, segment := range path {
		u += "/" + segment
		place, ok := v.places[u]
		if !ok || strings.Contains(segment, "/") {
			break
		}
		page = place
	}
	return page
}
