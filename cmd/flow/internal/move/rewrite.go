package move

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/routes/routetree"
)

// A place is where something is written: in Go code or in a template.
type place struct {
	file         string
	line         int
	offset, size int    // of the literal
	text         string // the literal
	sure         bool   // it is known that it is a call of flow
	literal      bool
	what         string // how messages call it: `View("users")`
}

// settle does what a verdict says about a name at a place.
func (p *planner) settle(at place, old, now string, v verdict, o owner) {
	switch {
	case v == stays || v == unknown || o == theirs:
	case v == lost:
		p.left(at.file, at.line, "%s: two route files share that name now, so no name means what %q has meant: give it a name with Name, or write the new one", at.what, old)
	case o == anybodys:
		p.left(at.file, at.line, "%s: several applications of the module have %q: if this one is meant, write %q", at.what, old, now)
	case !at.sure:
		p.left(at.file, at.line, "%s: if this speaks of the tree, write %q", at.what, now)
	case !at.literal:
		p.left(at.file, at.line, "%s: the text is %q, and is not written as one string here: make it %q", at.what, old, now)
	default:
		p.edit(at.file, at.offset, at.size, quote(now, at.text))
	}
}

// makesRouter reports whether the function around a position calls flow.New.
func makesRouter(f *goFile, pos token.Pos) bool {
	fn := enclosing(f.file, pos)
	return fn != nil && slices.ContainsFunc(f.calls, func(c call) bool { return c.Kind == calls.New && fn.Pos() <= c.Pos() && c.Pos() < fn.End() })
}

// hasOwnTree reports whether a call stands in a test that makes a Router of its own.
func (p *planner) hasOwnTree(f *goFile, c call) bool {
	return strings.HasSuffix(f.name, "_test.go") && makesRouter(f, c.Pos())
}

// placeOf returns the place of a call in Go code.
func (p *planner) placeOf(f *goFile, c call) place {
	pos := p.code.position(c.Pos())
	at := place{file: f.name, line: pos.Line, sure: !c.guessed, literal: c.Literal != nil, what: c.name + "(…)"}
	if c.Constant {
		at.what = fmt.Sprintf("%s(%q)", c.name, c.Value)
	}
	if p.hasOwnTree(f, c) {
		at.sure = false
	}
	if c.Literal != nil {
		start := p.code.position(c.Literal.Pos())
		at.offset, at.size, at.text = start.Offset, len(c.Literal.Value), c.Literal.Value
	}
	return at
}

// rewriteGo looks at all Go code of the module.
func (p *planner) rewriteGo() {
	for _, broken := range p.code.broken {
		p.note("%s: calls without types are known by their names only", broken)
	}
	p.readLabels()
	p.use = findUses(p.code)
	p.finder = newFinder(p.c, p.goFiles, p.names.prefixes)
	spoken := map[token.Pos]bool{} // literals that calls of the API have
	p.eachCall(func(f *goFile, c call) {
		if c.Literal != nil && !c.guessed && c.Kind != calls.Prefix {
			spoken[c.Literal.Pos()] = true
		}
		if c.directory && filepath.Dir(f.name) != p.app.Dir {
			return
		}
		if c.Arg == nil && c.Kind != calls.RouteName {
			return
		}
		at := p.placeOf(f, c)
		switch c.Kind {
		case calls.Path:
			p.rewritePath(at, c, p.c.paths, "path")
		case calls.Template:
			p.rewritePath(at, c, p.c.templates, "path")
		case calls.Dir:
			p.dir(f, at, c)
		case calls.RouteName:
			p.routeName(f, at, c, spoken)
		case calls.Param, calls.Segments:
			p.param(f, at, c)
		case calls.Asset:
			if !c.Constant {
				if strings.HasPrefix(p.c.from, routetree.PublicDir+"/") {
					p.left(at.file, at.line, "%s: the name is known only when it runs: it may be that of what moves", at.what)
				}
				return
			}
			now, v := p.asset(c.Value)
			p.settle(at, c.Value, now, v, p.owner(at.file, func(o *other) bool { return o.hasAsset(c.Value) }))
		}
	})
	for _, f := range p.code.files {
		p.literals(f, spoken)
	}
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

// rewritePath rewrites the path of one file.
func (p *planner) rewritePath(at place, c call, in paths, what string) {
	if !c.Constant {
		if p.movesRoutes() {
			p.left(at.file, at.line, "%s: the %s is known only when it runs: it may be that of what moves", at.what, what)
		}
		return
	}
	now, v := in.rewrite(c.Value)
	o := ours
	if !c.directory {
		o = p.owner(at.file, func(o *other) bool { return len(routetree.Find(o.paths, c.Value)) > 0 })
	}
	p.settle(at, c.Value, now, v, o)
}

// dir rewrites the directory of In, and says what it covers now.
func (p *planner) dir(f *goFile, at place, c call) {
	if !p.movesRoutes() {
		return
	}
	if !c.Constant {
		p.guard(at, "%s: the directory is known only when it runs: see whether it covers what moves, before and after", at.what)
		return
	}
	cov, ok := p.c.directory(c.Value)
	if !ok {
		return
	}
	o := ours
	if !c.directory {
		o = p.owner(at.file, func(o *other) bool { return o.tree.Covers(c.Value) })
	}
	if o == theirs || cov.written == c.Value && len(cov.lost)+len(cov.gained) == 0 {
		return
	}
	if cov.written != c.Value {
		p.settle(at, c.Value, cov.written, rewritten, o)
		if p.hasOwnTree(f, c) {
			return
		}
		kept := p.c.stays(c.Value)
		if o == ours && at.sure && at.literal {
			if !p.c.dir {
				p.plan.Notes = append(p.plan.Notes, Note{at.file, at.line, fmt.Sprintf("%s %s, and is %s(%q) now, so that its middleware runs for what it did", at.what, p.wouldCover(kept), c.name, cov.written)})
			}
			at.what = fmt.Sprintf("%s(%q), now %s(%q),", c.name, c.Value, c.name, cov.written)
		} else {
			cov = kept // it was not written anew
		}
	}
	guards := len(p.plan.Guards)
	for _, file := range cov.lost {
		p.guard(at, "%s does not cover %s, and has covered it until now: its middleware does not run there any more", at.what, p.app.Shown(file))
	}
	if !strings.HasSuffix(f.name, "_test.go") { // what only tests run guards nothing
		p.plan.Lost = append(p.plan.Lost, p.plan.Guards[guards:]...)
	}
	for _, file := range cov.gained {
		p.guard(at, "%s covers %s, and has not until now: its middleware runs there, too", at.what, p.app.Shown(file))
	}
	if cov.none {
		p.guard(at, "%s covers no route file of the application any more, which Check calls a fault: write another directory, or take it away", at.what)
	}
}

// wouldCover says what In would cover if it were not written anew.
func (p *planner) wouldCover(kept coverage) string {
	switch {
	case kept.none:
		return "would cover nothing"
	case len(kept.lost) > 0:
		return "would not cover " + p.inWords(kept.lost) + " any more"
	}
	return "would cover " + p.inWords(kept.gained) + ", too"
}

func (p *planner) guard(at place, format string, args ...any) {
	p.plan.Guards = append(p.plan.Guards, Note{at.file, at.line, fmt.Sprintf(format, args...)})
}

// nameVerdict returns what to write in place of a name, and the moved route that it
// names, or nil.
func (p *planner) nameVerdict(written string) (now string, v verdict, r *route) {
	for _, prefix := range append([]string{""}, p.names.mounts...) {
		name := written
		if prefix != "" {
			var ok bool
			if name, ok = strings.CutPrefix(written, prefix+"."); !ok {
				continue
			}
			prefix += "."
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

// routeName rewrites the name of a route, and the keys of its parameters.
func (p *planner) routeName(f *goFile, at place, c call, spoken map[token.Pos]bool) {
	if !c.Constant {
		if p.renames() {
			p.left(at.file, at.line, "%s: the name is known only when it runs: it may be that of what moves", at.what)
		}
		return
	}
	now, v, r := p.nameVerdict(c.Value)
	o := p.owner(at.file, func(o *other) bool { return o.names[c.Value] })
	p.settle(at, c.Value, now, v, o)
	if o != theirs && p.isUnknown(c.Value) {
		for i := 1; i < len(c.Expr.Args); i += 2 {
			if _, value, ok := literal(c.Expr.Args[i]); ok {
				p.perhaps(at, c.Value, value)
			}
		}
	}
	if r == nil || o == theirs || !r.changesParams() {
		return
	}
	if c.Expr.Ellipsis != token.NoPos {
		p.left(at.file, at.line, "%s: its parameters are known only when it runs: %s", at.what, r.paramsText())
		return
	}
	given := map[string]bool{}
	for i := 1; i < len(c.Expr.Args); i += 2 {
		arg := c.Expr.Args[i]
		pos := p.code.position(arg.Pos())
		k := place{file: at.file, line: pos.Line, offset: pos.Offset, what: at.what, sure: at.sure}
		lit, value, ok := literal(arg)
		if ok {
			pos = p.code.position(lit.Pos())
			k.literal, k.offset, k.size, k.text = true, pos.Offset, len(lit.Value), lit.Value
			spoken[lit.Pos()] = true
		} else if f.info != nil {
			value, ok = calls.StringOf(arg, f.info)
		}
		p.key(k, value, ok, r, o)
		given[cmp.Or(r.renamed[value], value)] = true
	}
	p.missing(at, r, given)
}

// isUnknown reports whether a name is one that Name gives to a route which is not known.
func (p *planner) isUnknown(name string) bool {
	file, ok := p.names.files[name]
	return ok && file == ""
}

// perhaps tells of the key of a parameter, for a name of which it is not known whose it is.
func (p *planner) perhaps(at place, name, key string) {
	if changed := p.paramChanges(key); len(changed) > 0 {
		p.left(at.file, at.line, "%s: if %q is a name of %s: %s", at.what, name, changed[0].after.File, changed[0].paramsText())
	}
}

// key rewrites the key of a parameter.
func (p *planner) key(at place, value string, known bool, r *route, o owner) {
	switch now := r.renamed[value]; {
	case !known:
		p.left(at.file, at.line, "%s: a key is known only when it runs: %s", at.what, r.paramsText())
	case now != "":
		p.settle(at, value, now, rewritten, o)
	case slices.Contains(r.removed, value):
		p.left(at.file, at.line, "%s: the route has no parameter %q any more, so it becomes part of the query", at.what, value)
	}
}

// missing tells of parameters that the URL needs now.
func (p *planner) missing(at place, r *route, given map[string]bool) {
	for _, name := range r.required {
		if !given[name] {
			p.left(at.file, at.line, "%s: the URL needs the parameter %q now: give it", at.what, name)
		}
	}
}

// paramsText says what has become of the parameters of a route.
func (r *route) paramsText() string {
	var parts []string
	for _, old := range slices.Sorted(maps.Keys(r.renamed)) {
		parts = append(parts, fmt.Sprintf("%q is called %q now", old, r.renamed[old]))
	}
	for _, name := range r.removed {
		parts = append(parts, fmt.Sprintf("%q is gone", name))
	}
	for _, name := range r.added {
		parts = append(parts, fmt.Sprintf("%q is new", name))
	}
	for _, name := range r.required {
		if !slices.Contains(r.added, name) {
			parts = append(parts, fmt.Sprintf("%q is needed now", name))
		}
	}
	return strings.Join(parts, ", ")
}
