package routetree

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
)

// Covers reports whether a written path means a directory with route files, or a route
// file that may stand beside one.
func (t *Tree) Covers(dir string) bool {
	return dir == "" || slices.ContainsFunc(t.Routes, func(r *Route) bool { return Layer(dir, r.Path) >= 0 })
}

// HasDir reports whether a written path means a directory of the tree.
func (t *Tree) HasDir(dir string) bool { return len(Find(t.Dirs, dir)) > 0 }

// Hint says what a path that is not in the tree may have been meant to be, as the end
// of a fault.
func (t *Tree) Hint(p string) string {
	clean := strings.Trim(p, "/")
	clean = strings.TrimPrefix(strings.TrimPrefix(clean, t.Shown(RouterDir)+"/"), RouterDir+"/")
	clean = strings.TrimSuffix(strings.TrimSuffix(clean, ".html"), ".http")
	for _, r := range t.Routes {
		if bare(r.Path) == bare(clean) || r.Path == path.Join(clean, "index") {
			return fmt.Sprintf(": %s is called %q", r.File, r.Path)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(t.Dirs)) {
		if bare(dir) == bare(clean) {
			return fmt.Sprintf(": %s is called %q", t.Shown(RouterDir+"/"+dir), dir)
		}
	}
	return `: write the path below ` + RouterDir + `/ with its brackets and without extension, as in "users/[id]"`
}

// HintFile is Hint for what should be a route file, or the one that is spelled nearly so.
func (t *Tree) HintFile(p string) string {
	known := map[string]bool{}
	for _, r := range t.Routes {
		known[r.Path] = true
	}
	return t.nearly(p, known)
}

// HintDir is Hint for what may also be a directory.
func (t *Tree) HintDir(p string) string {
	known := map[string]bool{}
	for _, r := range t.Routes {
		known[r.Path] = true
	}
	for dir := range t.Dirs {
		known[dir] = true
	}
	return t.nearly(p, known)
}

func (t *Tree) nearly(p string, known map[string]bool) string {
	hint := t.Hint(p)
	if strings.Contains(hint, " is called ") {
		return hint
	}
	return SuggestPath(p, known, hint)
}

// SuggestPath is fault.Suggest for a path of the tree, in which groups may be left out.
func SuggestPath[V any](written string, known map[string]V, otherwise string) string {
	without := map[string]bool{}
	for p := range known {
		without[groups.ReplaceAllString(p, "")] = true
	}
	delete(without, "")
	return fault.Suggest(written, known, fault.Suggest(written, without, otherwise))
}

// groups are the groups in a path, with the slash behind them.
var groups = regexp.MustCompile(`\([^/]*\)(/|$)`)

// matcherText is the matcher of a parameter, to the bracket behind it.
var matcherText = regexp.MustCompile(`=[^\]/]*\]`)

// bare returns a path without what is easily forgotten: brackets, matchers, parentheses,
// case.
func bare(path string) string {
	path = matcherText.ReplaceAllString(path, "]")
	return strings.ToLower(strings.NewReplacer("[", "", "]", "", "(", "", ")", "", "...", "").Replace(path))
}
