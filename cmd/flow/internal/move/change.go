package move

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// A change is a transfer with the tree before it and after it.
type change struct {
	transfer
	before, after *routetree.Tree
	routes        []*route // those that move
	paths         paths    // of route files, for At
	templates     paths    // of pages and +files, for View
	partials      paths    // for {{template}}
	lists         paths    // directories with pages, for Entries
	pages         paths    // by their places, for {{page}}
	automatic     paths    // of route files, by their automatic names
}

// A route is a route file that moves.
type route struct {
	before, after *routetree.Route
	// renamed are the parameters that have other names, by the old ones; added and removed
	// are those without a partner. required are those that each URL needs now, and did not.
	renamed                  map[string]string
	added, removed, required []string
}

func newChange(t transfer, before, after *routetree.Tree) *change {
	c := &change{transfer: t, before: before, after: after}
	byFile := map[string]*routetree.Route{}
	for _, r := range after.Routes {
		byFile[r.InTree()] = r
	}
	for _, r := range before.Routes {
		if moved := byFile[t.new(r.InTree())]; moved != nil && moved.InTree() != r.InTree() {
			c.routes = append(c.routes, newRoute(r, moved))
		}
	}
	by := func(names func(*routetree.Tree) map[string]string) paths {
		return paths{names(before), names(after), t}
	}
	c.paths, c.templates, c.partials, c.automatic = by(routesByPath), by(templatesByPath), by(partialsByPath), by(automaticNames)
	c.lists, c.pages = by(project.Listed), by(pagesByPlace)
	return c
}

// partialsByPath returns the templates that {{template}} can call.
func partialsByPath(t *routetree.Tree) map[string]string {
	files := templatesByPath(t)
	maps.DeleteFunc(files, func(_, file string) bool { return role(file) != "partial" })
	return files
}

// pagesByPlace returns the pages with a URL without parameters, docs/index as "docs".
func pagesByPlace(t *routetree.Tree) map[string]string {
	pages := map[string]string{}
	for _, r := range t.Routes {
		if r.Page && !r.Store && len(r.Patterns[0].Names) == 0 {
			layers := routetree.Layers(r.Path)
			pages[layers[len(layers)-1]] = r.InTree()
		}
	}
	return pages
}

// newRoute tells what becomes of the parameters of a route. Those that keep their name
// are the same, wherever they stand; the others have changed their names if there are as
// many of them as before.
func newRoute(before, after *routetree.Route) *route {
	without := func(names, others []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
	}
	old, now := before.Longest().Names, after.Longest().Names
	r := &route{before: before, after: after, renamed: map[string]string{}, removed: without(old, now), added: without(now, old)}
	if len(r.removed) == len(r.added) {
		for i, name := range r.removed {
			r.renamed[name] = r.added[i]
		}
		r.removed, r.added = nil, nil
	}
	var needed []string
	for _, name := range before.Patterns[0].Names {
		needed = append(needed, cmp.Or(r.renamed[name], name))
	}
	r.required = without(after.Patterns[0].Names, needed)
	return r
}

// movesURL reports whether the route has other URLs than before. Names of parameters are
// in no URL.
func (r *route) movesURL() bool {
	return !slices.EqualFunc(r.before.Patterns, r.after.Patterns, func(a, b *pattern.Pattern) bool { return a.Key() == b.Key() })
}

// moved returns the route that moves, given by its old name in the tree, or nil.
func (c *change) moved(file string) *route {
	for _, r := range c.routes {
		if r.before.InTree() == file {
			return r
		}
	}
	return nil
}

// A verdict says what is to be done about a name in the source.
type verdict int

const (
	unknown verdict = iota // it is not one of the tree
	stays                  // it means the same as before
	rewritten
	lost // nothing means the same any more
)

// paths are the files of both trees that a path, or an automatic name, may be written for.
type paths struct {
	before, after map[string]string // names in the tree, by path
	transfer
}

// rewrite returns what to write in place of a path, so that it means the same file.
func (p paths) rewrite(written string) (string, verdict) {
	found := routetree.Find(p.before, written)
	if len(found) == 0 {
		return "", unknown
	}
	file := p.new(p.before[found[0]])
	means := func(written string) bool {
		now := routetree.Find(p.after, written)
		return len(now) == 1 && p.after[now[0]] == file
	}
	if means(written) {
		return written, stays
	}
	for path, f := range p.after {
		if f != file {
			continue
		}
		if styled := inStyle(written, path); means(styled) {
			return styled, rewritten
		}
		return path, rewritten
	}
	return "", lost
}

// A matcherMark is the matcher of a parameter in a path, to the bracket behind it.
var matcherMark = regexp.MustCompile(`=[^\]/]*\]`)

// inStyle returns a path as somebody writes it who has written another one so: without
// groups and matchers, if that one has none.
func inStyle(written, path string) string {
	if !strings.Contains(written, "=") {
		path = matcherMark.ReplaceAllString(path, "]")
	}
	if !strings.Contains(written, "(") {
		path = strings.Join(slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool { return strings.HasPrefix(name, "(") }), "/")
	}
	return path
}

// list returns what to write in place of a directory whose pages are listed. lost is one that has
// no pages any more, or that has meant several directories, of which one moves: without groups, the
// pages of all of them are listed.
func (c *change) list(written string) (string, verdict) {
	found := slices.DeleteFunc(sortedKeys(c.lists.before), func(dir string) bool { return inStyle(written, dir) != written })
	stayed := func(dir string) bool { return c.lists.after[dir] == c.new(c.lists.before[dir]) }
	switch {
	case len(found) == 0:
		return "", unknown
	case len(found) == 1:
		return c.lists.rewrite(written)
	case slices.ContainsFunc(found, func(dir string) bool { return !stayed(dir) }):
		return "", lost
	}
	return written, stays
}

// automaticNames returns the files of the stems that one route alone has.
func automaticNames(t *routetree.Tree) map[string]string {
	names := map[string]string{}
	for stem, routes := range byStem(t) {
		if len(routes) == 1 {
			names[stem] = routes[0].InTree()
		}
	}
	return names
}

// covered returns the route files, by their names in the tree, that In covers for a
// written directory.
func covered(t *routetree.Tree, dir string) map[string]bool {
	files := map[string]bool{}
	for _, r := range t.Routes {
		if routetree.Layer(dir, r.Path) >= 0 {
			files[r.InTree()] = true
		}
	}
	return files
}

// A coverage is what an In covers before and after the move.
type coverage struct {
	written      string   // what In is given after the move
	lost, gained []string // names in the tree after the move
	none         bool     // it covers no file any more
}

// directory returns what becomes of the directory that In is given. It is written anew if
// what it meant has another name; among such names the one that covers the same files
// goes first.
func (c *change) directory(written string) (coverage, bool) {
	want := c.meant(written)
	if len(want) == 0 {
		return coverage{}, false
	}
	same, nearer := c.newLayers(written)
	if c.dir { // its name is the one to be guarded, whatever else is in it
		nearer = nil
	}
	for _, layer := range append(append([]string{written}, same...), nearer...) {
		for _, candidate := range []string{inStyle(written, layer), layer} {
			if maps.Equal(covered(c.after, candidate), want) {
				return c.compare(candidate, want), true
			}
		}
	}
	kept := c.compare(written, want)
	if kept.none && len(same) > 0 { // a name of what has moved is better than one of nothing
		return c.compare(same[0], want), true
	}
	return kept, true
}

// meant returns the files that In has covered for a written directory, by their names after
// the move.
func (c *change) meant(written string) map[string]bool {
	files := map[string]bool{}
	for file := range covered(c.before, written) {
		files[c.new(file)] = true
	}
	return files
}

// compare says how what In covers now differs from what it should.
func (c *change) compare(written string, want map[string]bool) coverage {
	now := covered(c.after, written)
	missing := func(files, from map[string]bool) []string {
		return slices.DeleteFunc(sortedKeys(files), func(file string) bool { return from[file] })
	}
	return coverage{written: written, lost: missing(want, now), gained: missing(now, want), none: len(now) == 0}
}

// newLayers returns what the directories may be called now that a written one meant: those
// that are as far from a moved file as before, and then those nearer to it. The tree as a
// whole is none of them.
func (c *change) newLayers(written string) (same, nearer []string) {
	for _, r := range c.routes {
		i := routetree.Layer(written, r.before.Path)
		if i < 1 {
			continue
		}
		old, layers := routetree.Layers(r.before.Path), routetree.Layers(r.after.Path)
		if j := len(layers) - (len(old) - i); j >= 1 && j < len(layers) {
			same = append(same, layers[j])
		}
		nearer = append(nearer, layers[1:]...)
	}
	slices.Sort(same)
	slices.Sort(nearer)
	return slices.Compact(same), slices.Compact(nearer)
}
