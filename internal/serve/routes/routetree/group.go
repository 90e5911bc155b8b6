package routetree

import (
	"maps"
	"slices"
	"strings"
)

// IsGroup reports whether a directory is a group, such as "(admin)".
func IsGroup(name string) bool { return strings.HasPrefix(name, "(") }

// ungrouped returns the names of a path that are no groups.
func ungrouped(path string) []string { return slices.DeleteFunc(strings.Split(path, "/"), IsGroup) }

// withoutMatcher returns the name of a parameter without its matcher: "[id=int]" is "[id]".
func withoutMatcher(name string) string {
	if !strings.Contains(name, "=") {
		return name
	}
	return matcherText.ReplaceAllString(name, "]")
}

// Means reports whether a path in a call, such as flow.At("users/[id]"), means a path of the
// tree. It may leave out groups and matchers, so that the call need not change when the file
// moves into a group, or when a parameter gets a matcher.
//
//	users/[id]            means users/[id], (admin)/users/[id], users/(all)/[id=int]
//	(admin)/users/[id]    means (admin)/users/[id], (site)/(admin)/users/[id]
func Means(written, path string) bool {
	if written == path || !strings.ContainsAny(path, "(=") {
		return written == path
	}
	rest := written + "/"
	if written == "" {
		rest = ""
	}
	for name := range strings.SplitSeq(path, "/") {
		if after, ok := strings.CutPrefix(rest, name+"/"); ok {
			rest = after
		} else if after, ok := strings.CutPrefix(rest, withoutMatcher(name)+"/"); ok {
			rest = after
		} else if !IsGroup(name) {
			return false
		}
	}
	return rest == ""
}

// Find returns those keys of all that a written path means, sorted. If the path is a key
// itself, it means only that one.
func Find[V any](all map[string]V, written string) []string {
	if _, ok := all[written]; ok {
		return []string{written}
	}
	found := slices.Collect(maps.Keys(all))
	found = slices.DeleteFunc(found, func(path string) bool { return !Means(written, path) })
	slices.Sort(found)
	return found
}

// Layer returns the index in Layers(path) of the directory that a written path means: of the
// outermost if there are several, and -1 if there is none. "users" is layer 1 of
// users/(all)/[id], and layer 2 of (admin)/users/[id].
func Layer(dir, path string) int {
	return slices.IndexFunc(Layers(path), func(layer string) bool { return Means(dir, layer) })
}

// A LayerIndex finds the Layers of the routes of a tree that written paths mean, without
// asking Means about each of them.
type LayerIndex map[string][]string // the layers by their paths without groups and matchers

// IndexLayers returns a LayerIndex of the tree.
func (t *Tree) IndexLayers() LayerIndex {
	index, known := LayerIndex{}, map[string]bool{}
	for _, r := range t.Routes {
		for _, layer := range Layers(r.Path) {
			if !known[layer] {
				known[layer] = true
				key := withoutGroups(layer)
				index[key] = append(index[key], layer)
			}
		}
	}
	return index
}

// Meant returns all layers that a written path means, in the order of the routes. Means lets
// a path leave out groups and matchers only, so without these it is that of each such layer.
func (x LayerIndex) Meant(written string) (meant []string) {
	for _, layer := range x[withoutGroups(written)] {
		if Means(written, layer) {
			meant = append(meant, layer)
		}
	}
	return meant
}

// withoutGroups returns a path without groups and matchers: (admin)/users/[id=int] is
// users/[id].
func withoutGroups(path string) string {
	if !strings.ContainsAny(path, "(=") {
		return path
	}
	names := ungrouped(path)
	for i, name := range names {
		names[i] = withoutMatcher(name)
	}
	return strings.Join(names, "/")
}
