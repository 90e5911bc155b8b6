package project

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/shell"
)

// WithGroups returns the path below router/ of a file to be made, or to be moved there, that
// somebody has written. As in At and In, the groups and matchers of directories may be left
// out: the file goes to the directory that is meant, and gets its guards. A route file counts
// as a directory of its own name. A path with a group is taken as it is. That several
// directories may be meant is an error.
//
//	staff/reports  => (staff)/staff/reports, if there is (staff)/staff/index.html
//	staff/+row     => (staff)/staff/+row
//	staff          => (staff)/staff, beside the directory
func WithGroups(t *routetree.Tree, written string) (string, error) {
	if slices.ContainsFunc(strings.Split(written, "/"), routetree.IsGroup) {
		return written, nil
	}
	for dir := written; dir != "."; dir = path.Dir(dir) {
		found := outermost(append(Dirs(t, dir), t.Meant(dir)...))
		if dir == written { // [id] is another file than [id=int]
			found = slices.DeleteFunc(found, func(f string) bool { return path.Base(f) != path.Base(written) })
		}
		rest := written[len(dir):]
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0] + rest, nil
		}
		var choices []string
		for _, f := range found {
			if f == dir {
				f = "./" + f // which is exact
			}
			choices = append(choices, shell.Quote(f+rest))
		}
		last := len(choices) - 1
		return "", fmt.Errorf("%s may be in several directories: write %s or %s", written, strings.Join(choices[:last], ", "), choices[last])
	}
	return written, nil
}

// Dirs returns the directories of the tree that a path means, without those that are in
// another one of them: users/(all) is in users.
func Dirs(t *routetree.Tree, written string) []string {
	return outermost(routetree.Find(t.Dirs, written))
}

// Listed returns the directories that have pages for lists, those whose URL has no parameters, by
// path. The values are their names in the tree.
func Listed(t *routetree.Tree) map[string]string {
	dirs := map[string]string{}
	for _, r := range t.Routes {
		if !r.Page || len(r.Patterns[0].Names) > 0 {
			continue
		}
		for dir := path.Dir(r.Path); dir != "."; dir = path.Dir(dir) {
			dirs[dir] = routetree.RouterDir + "/" + dir
		}
	}
	return dirs
}

// PlusFiles returns the +files of a name around a file, such as its layouts, the outermost first.
func PlusFiles(t *routetree.Tree, around, name string) (files []routetree.Source) {
	for _, dir := range routetree.Layers(around) {
		if src, ok := t.Templates[path.Join(dir, name)]; ok {
			files = append(files, src)
		}
	}
	return files
}

// outermost returns those of some directories that are in none of the others, sorted.
func outermost(dirs []string) []string {
	slices.Sort(dirs)
	var outer []string
	for _, dir := range dirs {
		if n := len(outer); n == 0 || dir != outer[n-1] && !strings.HasPrefix(dir, outer[n-1]+"/") {
			outer = append(outer, dir)
		}
	}
	return outer
}
