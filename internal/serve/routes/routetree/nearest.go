package routetree

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// A Nearest finds what the directories around a request have, such as their error pages. A
// request without a route has the directories that its URL passes through.
type Nearest[V any] struct {
	byDir map[string]V
	byURL map[string][]V // for each URL of a directory without parameters: what it and the directories around it have, the nearest first
}

// NewNearest returns a Nearest for what directories of a tree have, by their paths. Groups can
// give several directories the same URL: one that has something of its own goes first, then
// the one in the fewest groups.
func NewNearest[V any](t *Tree, byDir map[string]V) *Nearest[V] {
	n := &Nearest[V]{byDir, map[string][]V{}}
	has := func(dir string) bool { _, ok := byDir[dir]; return ok }
	dirs := append(slices.Sorted(maps.Keys(t.Dirs)), "")
	slices.SortStableFunc(dirs, func(a, b string) int {
		if own := has(a); own != has(b) {
			if own {
				return -1
			}
			return 1
		}
		return strings.Count(a, "(") - strings.Count(b, "(")
	})
	for _, dir := range dirs {
		u, ok := literalURL(dir)
		if _, taken := n.byURL[u]; ok && !taken {
			n.byURL[u] = n.of(path.Join(dir, "index"))
		}
	}
	return n
}

// literalURL returns the URL of a directory: that of "(site)/blog" is "/blog". It reports
// false if the directory has parameters or is a group itself.
func literalURL(dir string) (u string, ok bool) {
	if dir == "" {
		return "", true
	}
	group := false
	for name := range strings.SplitSeq(dir, "/") {
		if group = IsGroup(name); group {
			continue
		}
		if strings.ContainsAny(name, "[]") {
			return "", false
		}
		u += "/" + name
	}
	return u, !group
}

// of returns what the Layers of a file have, the nearest first.
func (n *Nearest[V]) of(file string) (found []V) {
	for _, dir := range slices.Backward(Layers(file)) {
		if v, ok := n.byDir[dir]; ok {
			found = append(found, v)
		}
	}
	return found
}

// Around returns what the directories around a request have, the nearest first: those around
// the file of the route. For a request without a route, r is nil, and they are those around
// the URL: path holds its segments below the prefix of the tree.
func (n *Nearest[V]) Around(r *Route, path []string) []V {
	if r != nil {
		return n.of(r.Path)
	}
	found := n.byURL[""]
	u := ""
	for _, segment := range path {
		u += "/" + segment
		deeper, ok := n.byURL[u]
		if !ok || strings.Contains(segment, "/") {
			break
		}
		found = deeper
	}
	return found
}

// Meant returns the directories that a written path means, which may leave out groups: those
// that middleware runs for. If one of them is inside another, it returns the outer one only.
// A route file counts as a directory of its own name, as in Layers.
func (t *Tree) Meant(written string) []string { return t.IndexLayers().Outermost(written) }

// Outermost is Tree.Meant.
func (x LayerIndex) Outermost(written string) []string {
	meant := x.Meant(written)
	outermost := slices.DeleteFunc(slices.Clone(meant), func(dir string) bool {
		around := Layers(path.Join(dir, "index"))
		return slices.ContainsFunc(around[:len(around)-1], func(outer string) bool { return slices.Contains(meant, outer) })
	})
	slices.Sort(outermost)
	return outermost
}
