package move

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/serve/routes/routetree"
)

// A reference is a call in Go code or in a template that speaks of the tree, such as
// View("users") or {{route "users"}}.
type reference struct {
	kind calls.Kind
	name string // what is called, "View"
	what string // how messages call it: `View("users")`
	file string
	argument
	keys []argument // of the parameters behind the name of a route
	// spread says that the keys are in a slice, and known only when the program runs.
	spread bool
	// sure is false for what may be a call of something else.
	sure bool
	// directory says that it is for the Routers that are made in the directory of the file.
	directory bool
	template  bool // it stands in a template
	ownTree   bool // it stands in a test that makes a Router of its own
}

// An argument is a string that a call is given.
type argument struct {
	value        string
	known        bool // else value is known only when the program runs
	line         int
	offset, size int // of its literal, with the quotes; size is 0 if it is not written as one
}

// leave lists a reference as left to do.
func (p *planner) leave(ref reference, format string, args ...any) {
	p.left(ref.file, ref.line, "%s: %s", ref.what, fmt.Sprintf(format, args...))
}

// refer rewrites what a reference says of the tree.
func (p *planner) refer(ref reference) {
	switch ref.kind {
	case calls.Path, calls.Template:
		in := p.c.paths
		if ref.template {
			in = p.c.partials
		} else if ref.kind == calls.Template {
			in = p.c.templates
		}
		p.rewrite(ref, "path", p.movesRoutes(), in.rewrite, func(o *otherApp) bool { return o.hasPath(ref.value) })
	case calls.Asset:
		p.rewrite(ref, "name", !p.movesRoutes(), p.asset, func(o *otherApp) bool { return o.hasAsset(ref.value) })
	case calls.List:
		has := func(o *otherApp) bool { return len(routetree.Find(project.Listed(o.tree), ref.value)) > 0 }
		if _, v := p.c.list(ref.value); ref.known && v == lost && p.owner(ref, has) != theirs {
			p.leave(ref, "the pages of that directory have moved: write another one")
			return
		}
		p.rewrite(ref, "directory", p.movesRoutes(), p.c.list, has)
	case calls.Page: // in a template
		has := func(o *otherApp) bool { return len(routetree.Find(pagesByPlace(o.tree), ref.value)) > 0 }
		if _, v := p.c.pages.rewrite(ref.value); ref.known && v == lost && p.owner(ref, has) != theirs {
			p.leave(ref, "the URL of that page has a parameter now, so that it is in no list")
			return
		}
		p.rewrite(ref, "path", p.movesRoutes(), p.c.pages.rewrite, has)
	case calls.RouteName:
		p.rewriteRoute(ref)
	}
}

// rewrite rewrites the path or name of a file. mayMove says that an unknown one may be
// that of what moves.
func (p *planner) rewrite(ref reference, what string, mayMove bool, rewrite func(string) (string, verdict), has func(*otherApp) bool) {
	if ref.known {
		now, v := rewrite(ref.value)
		p.settle(ref, now, v, p.owner(ref, has))
	} else if mayMove {
		p.leave(ref, "the %s is known only when it runs: it may be that of what moves", what)
	}
}

// rewriteRoute rewrites the name of a route, and the keys of its parameters.
func (p *planner) rewriteRoute(ref reference) {
	var r *route
	has := func(o *otherApp) bool { return o.names[ref.value] }
	p.rewrite(ref, "name", p.renames(), func(name string) (now string, v verdict) {
		now, v, r = p.nameVerdict(name)
		return now, v
	}, has)
	if !ref.known {
		return
	}
	o := p.owner(ref, has)
	if file, ok := p.names.files[ref.value]; ok && file == "" && o != theirs {
		for _, k := range ref.keys {
			p.perhapsKey(ref, k)
		}
	}
	switch {
	case r == nil || o == theirs || !r.changesParams():
	case ref.spread:
		p.leave(ref, "its parameters are known only when it runs: %s", r.paramsText())
	default:
		p.keys(ref, r, o)
	}
}

// perhapsKey tells of a key behind a name that Name gives, without that it is known to which
// route.
func (p *planner) perhapsKey(ref reference, k argument) {
	if changed := p.paramChanges(k.value); k.size > 0 && len(changed) > 0 {
		p.leave(ref, "if %q is a name of %s: %s", ref.value, changed[0].after.File, changed[0].paramsText())
	}
}

// keys rewrites the keys of parameters of a route, and tells of those that the URL needs now.
func (p *planner) keys(ref reference, r *route, o owner) {
	given := map[string]bool{}
	for _, k := range ref.keys {
		at := ref
		at.argument = k
		now := r.renamed[k.value]
		switch {
		case !k.known:
			p.leave(at, "a key is known only when it runs: %s", r.paramsText())
		case now != "":
			p.settle(at, now, rewritten, o)
		case slices.Contains(r.removed, k.value):
			p.leave(at, "the route has no parameter %q any more, so it becomes part of the query", k.value)
		}
		given[cmp.Or(now, k.value)] = true
	}
	for _, name := range r.required {
		if !given[name] {
			p.leave(ref, "the URL needs the parameter %q now: give it", name)
		}
	}
}

// settle does what a verdict says about a reference.
func (p *planner) settle(ref reference, now string, v verdict, o owner) {
	switch {
	case v == stays || v == unknown || o == theirs:
	case v == lost:
		p.leave(ref, "two route files share that name now, so no name means what %q has meant: give it a name with Name, or write the new one", ref.value)
	case o == anybodys:
		p.leave(ref, "several applications of the module have %q: if this one is meant, write %q", ref.value, now)
	case !ref.sure:
		p.leave(ref, "if this speaks of the tree, write %q", now)
	case ref.size == 0:
		p.leave(ref, "the text is %q, and is not written as one string here: make it %q", ref.value, now)
	default:
		p.write(ref.file, ref.argument, now)
	}
}

// write plans to write a string anew, in the quotes that it has if they can hold it.
func (p *planner) write(file string, t argument, now string) {
	quoted := fmt.Sprintf("%q", now)
	if all, err := p.text(file); err == nil && strings.HasPrefix(all[min(t.offset, len(all)):], "`") {
		quoted = fmt.Sprintf("%#q", now)
	}
	p.edit(file, t.offset, t.size, quoted)
}

// asset returns what a public file is called after the move.
func (p *planner) asset(name string) (string, verdict) {
	old := routetree.PublicDir + "/" + name
	now := p.c.new(old)
	if now == old {
		return name, stays
	}
	if !slices.ContainsFunc(p.c.before.Public, func(f *routetree.Public) bool { return f.InTree == old }) {
		return "", unknown
	}
	return strings.TrimPrefix(now, routetree.PublicDir+"/"), rewritten
}

// movesRoutes reports whether route files or +files move, and not public ones.
func (p *planner) movesRoutes() bool { return strings.HasPrefix(p.c.from, routetree.RouterDir+"/") }

// nameVerdict returns what to write in place of a name, and the moved route that it
// names, or nil.
func (p *planner) nameVerdict(written string) (now string, v verdict, r *route) {
	for _, prefix := range append([]string{""}, p.names.mounts...) {
		name, ok := strings.CutPrefix(written, prefix)
		if !ok {
			continue
		}
		if file, ok := p.names.files[name]; ok {
			return written, stays, p.c.moved(file)
		}
		if now, v := p.c.automatic.rewrite(name); v != unknown {
			return prefix + now, v, p.c.moved(p.c.automatic.before[name])
		}
	}
	return "", unknown, nil
}

// renames reports whether the move changes names, or the parameters of routes.
func (p *planner) renames() bool {
	return slices.ContainsFunc(p.c.routes, func(r *route) bool {
		return r.before.Stem != r.after.Stem || r.changesParams()
	})
}

func (r *route) changesParams() bool {
	return len(r.renamed)+len(r.added)+len(r.removed)+len(r.required) > 0
}

// paramsText says what has become of the parameters of a route.
func (r *route) paramsText() string {
	var parts []string
	add := func(format string, names ...any) { parts = append(parts, fmt.Sprintf(format, names...)) }
	for _, old := range slices.Sorted(maps.Keys(r.renamed)) {
		add("%q is called %q now", old, r.renamed[old])
	}
	for _, name := range r.removed {
		add("%q is gone", name)
	}
	for _, name := range r.added {
		add("%q is new", name)
	}
	for _, name := range r.required {
		if !slices.Contains(r.added, name) {
			add("%q is needed now", name)
		}
	}
	return strings.Join(parts, ", ")
}
