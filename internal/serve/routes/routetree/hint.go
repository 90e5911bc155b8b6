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

// Covers reports whether middleware for a written directory has any route file to run for:
// see Layers.
func (t *Tree) Covers(dir string) bool {
	return dir == "" || slices.ContainsFunc(t.Routes, func(r *Route) bool { return Layer(dir, r.Path) >= 0 })
}

// HasDir reports whether the tree has a directory that a written path means.
func (t *Tree) HasDir(dir string) bool { return len(Find(t.Dirs, dir)) > 0 }

// Hint returns the end of a fault about a path that the tree lacks: the route file or
// directory that has this path but for brackets and the like, or how paths are written.
func (t *Tree) Hint(p string) string {
	clean := strings.Trim(p, "/")
	clean = strings.TrimPrefix(strings.TrimPrefix(clean, t.Shown(RouterDir)+"/"), RouterDir+"/")
	if ext := path.Ext(clean); ext == ".http" || t.IsPage(ext) {
		clean = strings.TrimSuffix(clean, ext)
	}
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
	if dir, _, _ := strings.Cut(clean, "/"); dir == ".well-known" && !t.Dirs[dir] {
		return ": if it is there, embed it by //go:embed all:" + RouterDir + ", without which names that begin with a dot are left out"
	}
	return `: write the path below ` + RouterDir + `/ with its brackets and without extension, as in "users/[id]"`
}

// HintFile is Hint for the path of a route file. It also suggests one of a similar name.
func (t *Tree) HintFile(p string) string { return t.hintAmong(p, t.routePaths()) }

// HintDir is Hint for the path of a directory or a route file. It also suggests one of a
// similar name.
func (t *Tree) HintDir(p string) string {
	known := t.routePaths()
	maps.Copy(known, t.Dirs)
	return t.hintAmong(p, known)
}

func (t *Tree) routePaths() map[string]bool {
	paths := map[string]bool{}
	for _, r := range t.Routes {
		paths[r.Path] = true
	}
	return paths
}

// hintAmong returns the Hint for p if it names a file, else one of the known paths if it is
// similar to p.
func (t *Tree) hintAmong(p string, known map[string]bool) string {
	hint := t.Hint(p)
	if strings.Contains(hint, " is called ") {
		return hint
	}
	return SuggestPath(p, known, hint)
}

// SuggestPath is fault.Suggest for a path of the tree, which may leave out its groups.
func SuggestPath[V any](written string, known map[string]V, otherwise string) string {
	without := map[string]bool{}
	for p := range known {
		without[strings.Join(ungrouped(p), "/")] = true
	}
	delete(without, "")
	return fault.Suggest(written, known, fault.Suggest(written, without, otherwise))
}

// matcherText matches the matcher of a parameter, and the bracket after it.
var matcherText = regexp.MustCompile(`=[^\]/]*\]`)

// bare returns a path in lower case, without brackets, matchers and parentheses, which are
// easily forgotten.
func bare(path string) string {
	path = matcherText.ReplaceAllString(path, "]")
	return strings.ToLower(strings.NewReplacer("[", "", "]", "", "(", "", ")", "", "...", "").Replace(path))
}
