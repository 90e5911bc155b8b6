package move

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/routes/pattern"
	"example.com/flow/internal/routes/routetree"
)

// A change is a transfer with the tree before it and after it.
type change struct {
	transfer
	before, after *routetree.Tree
	routes        []*route // those that move
	paths         paths    // of route files, for At
	templates     paths    // of pages and +files, for View
	partials      paths    // for {{template}}
	automatic     automatic
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
	c.paths = paths{routesByPath(before), routesByPath(after), t}
	c.templates = paths{templatesByPath(before), templatesByPath(after), t}
	c.partials = paths{partialsOnly(c.templates.before), partialsOnly(c.templates.after), t}
	c.automatic = automatic{automaticNames(before), automaticNames(after), t}
	return c
}

// partialsOnly returns the templates that {{template}} can call.
func partialsOnly(all map[string]string) map[string]string {
	only := maps.Clone(all)
	maps.DeleteFunc(only, func(_, file string) bool { return role(file) != "partial" })
	return only
}

// newRoute tells what becomes of the parameters of a route. Those that keep their name
// are the same, wherever they stand; the others have changed their names if there are as
// many of them as before.
func newRoute(before, after *routetree.Route) *route {
	r, needed := &route{before: before, after: after, renamed: map[string]string{}}, map[string]bool{}
	old, now := longest(before).Names, longest(after).Names
	for _, name := range old {
		if !slices.Contains(now, name) {
			r.removed = append(r.removed, name)
		}
	}
	for _, name := range now {
		if !slices.Contains(old, name) {
			r.added = append(r.added, name)
		}
	}
	if len(r.removed) == len(r.added) {
		for i, name := range r.removed {
			r.renamed[name] = r.added[i]
		}
		r.removed, r.added = nil, nil
	}
	for _, name := range before.Patterns[0].Names {
		needed[cmp.Or(r.renamed[name], name)] = true
	}
	for _, name := range after.Patterns[0].Names {
		if !needed[name] {
			r.required = append(r.required, name)
		}
	}
	return r
}

// longest returns the pattern of a route that has all its parameters.
func longest(r *routetree.Route) *pattern.Pattern { return r.Patterns[len(r.Patterns)-1] }

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

// paths are the files of a tree that a path may be written for.
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

// automatic are the automatic names of a tree.
type automatic struct {
	before, after map[string]string // names in the tree, by automatic name
	transfer
}

// automaticNames returns the stems that one route alone has.
func automaticNames(t *routetree.Tree) map[string]string {
	names, shared := map[string]string{}, map[string]bool{}
	for _, r := range t.Routes {
		shared[r.Stem] = names[r.Stem] != ""
		names[r.Stem] = r.InTree()
	}
	maps.DeleteFunc(names, func(stem, _ string) bool { return shared[stem] })
	return names
}

// rewrite returns what to write in place of an automatic name.
func (a automatic) rewrite(written string) (string, verdict) {
	file := a.before[written]
	if file == "" {
		return "", unknown
	}
	file = a.new(file)
	if a.after[written] == file {
		return written, stays
	}
	for name, f := range a.after {
		if f == file {
			return name, rewritten
		}
	}
	return "", lost
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
	before := covered(c.before, written)
	if len(before) == 0 {
		return coverage{}, false
	}
	want := map[string]bool{}
	for file := range before {
		want[c.new(file)] = true
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

// stays returns what becomes of an In that is not written anew.
func (c *change) stays(written string) coverage {
	want := map[string]bool{}
	for file := range covered(c.before, written) {
		want[c.new(file)] = true
	}
	return c.compare(written, want)
}

// compare says how what In covers now differs from what it should.
func (c *change) compare(written string, want map[string]bool) coverage {
	now := covered(c.after, written)
	cov := coverage{written: written, none: len(now) == 0}
	for file := range want {
		if !now[file] {
			cov.lost = append(cov.lost, file)
		}
	}
	for file := range now {
		if !want[file] {
			cov.gained = append(cov.gained, file)
		}
	}
	slices.Sort(cov.lost)
	slices.Sort(cov.gained)
	return cov
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
