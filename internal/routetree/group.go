package routetree

import (
	"maps"
	"slices"
	"strings"
)

// IsGroup reports whether a name of the tree is that of a group, "(admin)".
func IsGroup(name string) bool { return strings.HasPrefix(name, "(") }

// withoutMatcher returns the name of a parameter without its matcher: "[id=int]" is "[id]".
func withoutMatcher(name string) string {
	if !strings.Contains(name, "=") {
		return name
	}
	return matcherText.ReplaceAllString(name, "]")
}

// Means reports whether a path that somebody has written stands for a path of the tree: it
// is that path, or that path without some of its groups. So what speaks of a file need not
// change when the file is put into a group.
//
//	users/[id]            means users/[id], (admin)/users/[id], users/(all)/[id]
//	(admin)/users/[id]    means (admin)/users/[id], (site)/(admin)/users/[id]
//
// Nor need it change when a parameter gets a matcher: users/[id] means users/[id=int], too.
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

// Find returns the paths among the keys of all that a written path means, sorted. If it is
// one of them itself, that is the only one.
func Find[V any](all map[string]V, written string) []string {
	if _, ok := all[written]; ok {
		return []string{written}
	}
	found := slices.Collect(maps.Keys(all))
	found = slices.DeleteFunc(found, func(path string) bool { return !Means(written, path) })
	slices.Sort(found)
	return found
}

// Layer returns which of the Layers of a route file a written directory means, the
// outermost if there are several, or -1 if it means none. "users" is layer 1 of
// users/(all)/[id], and layer 2 of (admin)/users/[id].
func Layer(dir, path string) int {
	return slices.IndexFunc(Layers(path), func(layer string) bool { return Means(dir, layer) })
}
