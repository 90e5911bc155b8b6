package routetree

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
)

// A LinkIndex finds the files of a tree that the texts of its pages link to by relative paths, as
// editors and forges read them: "../routes.md#names" in router/docs/intro.md.
type LinkIndex struct {
	tree   *Tree
	routes map[string]*Route  // by InTree
	public map[string]*Public // by InTree
}

// IndexLinks returns a LinkIndex of the tree.
func (t *Tree) IndexLinks() *LinkIndex {
	x := &LinkIndex{t, make(map[string]*Route, len(t.Routes)), make(map[string]*Public, len(t.Public))}
	for _, r := range t.Routes {
		x.routes[r.InTree()] = r
	}
	for _, p := range t.Public {
		x.public[p.InTree] = p
	}
	return x
}

// URL returns the URL of what a text links to, with its query and its fragment. name is the path
// below router/ of the file that has the text. The relative path of a route file or a public file
// stands for its URL; a public file may be named as if it stood beside the route file, at the same
// path below public/, groups left out. URL returns an error if a relative path with the extension of a route file, or
// one into public/, is that of no file, and for a file that has no URL or not one alone. It returns
// anything else unchanged.
func (x *LinkIndex) URL(name, to string) (string, error) {
	file, rest, ok := Linked(name, to)
	if !ok {
		return to, nil
	}
	if r := x.routes[file]; r != nil {
		return x.only(r.File, r.Patterns[0], rest) // without its optional segments
	}
	below, inRouter := strings.CutPrefix(file, RouterDir+"/")
	inPublic := strings.HasPrefix(file, PublicDir+"/")
	names := []string{file}
	if inRouter {
		names = InPublic(below)
	}
	for _, name := range names {
		if p := x.public[name]; p != nil {
			return x.only(p.File, p.Pattern, rest)
		}
	}
	ext := path.Ext(file)
	switch {
	case !inPublic && ext != ".http" && !x.tree.IsPage(ext):
		return to, nil
	case !inRouter && !inPublic:
		return "", fmt.Errorf("%s leads out of %s/", to, x.tree.Shown(RouterDir))
	case inRouter && path.Base(file)[0] == '+':
		return "", fmt.Errorf("%s has no URL", x.tree.Shown(file))
	}
	return "", fmt.Errorf("%s leads to no file: there is no %s%s", to, x.tree.Shown(file), x.suggest(path.Dir(path.Join(RouterDir, name)), file))
}

// InPublic returns the names of the public files that a path below router/ may stand for, as if they
// stood there: the one at the same path, and the one at that path without groups, which its URL does
// not have either.
func InPublic(below string) []string {
	dir, base := path.Split(below)
	return []string{path.Join(PublicDir, below), path.Join(PublicDir, strings.Join(ungrouped(dir), "/"), base)}
}

// only returns the URL of a file, with rest behind it, if the pattern is that of one URL.
func (x *LinkIndex) only(file string, p *pattern.Pattern, rest string) (string, error) {
	switch prefix := pattern.New(x.tree.Prefix); {
	case len(prefix.Names) > 0:
		return "", fmt.Errorf("the URL of %s has the parameter %q, since the Router is mounted at %s, so it is not one: link to it in a template, with {{route}} or {{asset}}", file, prefix.Names[0], prefix)
	case len(p.Names) > 0:
		return "", fmt.Errorf("the URL of %s has the parameter %q, so it is not one: link to the URL for a value", file, p.Names[0])
	}
	return p.URL(nil) + rest, nil
}

// suggest returns the end of a message about a file that is not there, which a text in a directory
// links to: a similar one, as the text would name it.
func (x *LinkIndex) suggest(dir, file string) string {
	for _, ext := range append([]string{".html", ".http"}, x.tree.Formats...) {
		if name := strings.TrimSuffix(file, path.Ext(file)) + ext; x.routes[name] != nil {
			return fmt.Sprintf(": did you mean %q?", relative(dir, name))
		}
	}
	var called []string // those of the same name elsewhere
	written := make(map[string]bool, len(x.routes))
	for name := range x.routes {
		r := relative(dir, name)
		written[r] = true
		if path.Base(name) == path.Base(file) {
			called = append(called, r)
		}
	}
	if len(called) == 1 {
		return fmt.Sprintf(": did you mean %q?", called[0])
	}
	return fault.Suggest(relative(dir, file), written, "")
}

// relative returns the path of a file from a directory of the same tree.
func relative(dir, file string) string {
	up := ""
	for dir != "." && !strings.HasPrefix(file, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	return up + strings.TrimPrefix(file, dir+"/")
}

// Linked returns the name in the tree of what a relative path in a text leads to, whether it is
// there or not, and the query and the fragment behind the path. name is that of URL. ok is false for
// what is no relative path.
func Linked(name, to string) (file, rest string, ok bool) {
	written := to
	if i := strings.IndexAny(to, "?#"); i >= 0 {
		written, rest = to[:i], to[i:]
	}
	if first, _, _ := strings.Cut(written, "/"); first == "" && !strings.HasPrefix(written, "./") || strings.Contains(first, ":") {
		return "", "", false // "", a path from the root, or a URL with a scheme (RFC 3986, section 4.2)
	}
	return path.Join(RouterDir, path.Dir(name), decoded(written)), rest, true
}

// decoded returns a path of a URL without its escapes. A segment stays as it is if it has a broken
// escape, or one of a slash, which no name of a file has.
func decoded(written string) string {
	segments := strings.Split(written, "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil && !strings.Contains(plain, "/") {
			segments[i] = plain
		}
	}
	return strings.Join(segments, "/")
}
