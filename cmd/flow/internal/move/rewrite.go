package move

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/routetree"
)

// labels are the names that Name gives.
type labels struct {
	files  map[string]string // of the route that has it, in the tree before; "" if it is not known
	at     map[string]token.Position
	mounts []string // what the names of mounted Routers begin with
	// prefixes are the paths that Routers are mounted at, in segments.
	prefixes [][]string
}

// eachCall calls do for each call in the module.
func (p *planner) eachCall(do func(f *goFile, c call)) {
	for _, f := range p.code.files {
		for _, c := range f.calls {
			do(f, c)
		}
	}
}

// readLabels collects what Name names.
func (p *planner) readLabels() {
	p.names = labels{files: map[string]string{}, at: map[string]token.Position{}}
	p.eachCall(func(f *goFile, c call) {
		if !c.Constant {
			return
		}
		switch {
		case c.Kind == calls.Prefix:
			if prefix := strings.Trim(c.Value, "/"); prefix != "" {
				p.names.prefixes = append(p.names.prefixes, strings.Split(prefix, "/"))
			}
		case c.Kind == calls.MountName:
			p.names.mounts = append(p.names.mounts, c.Value)
		case c.Kind != calls.Label || c.guessed && c.Literal == nil:
		default:
			for _, o := range p.others {
				if filepath.Dir(f.name) == o.app.Dir {
					o.names[c.Value] = true
					return
				}
			}
			p.names.files[c.Value] = p.routeOf(f, c.Expr)
			p.names.at[c.Value] = p.code.position(c.Pos())
		}
	})
}

// routeOf returns the route file, by its name in the tree before, that a chain of calls
// such as flow.At("users").GET().Name("x") speaks of; "" if it is not known.
func (p *planner) routeOf(f *goFile, e ast.Expr) string {
	for {
		expr, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			return p.routeOfFile(f.name)
		}
		for _, c := range f.calls {
			if c.Expr != expr {
				continue
			}
			switch c.Kind {
			case calls.Path:
				if found := routetree.Find(p.c.paths.before, c.Value); c.Constant && len(found) > 0 {
					return p.c.paths.before[found[0]]
				}
				return ""
			case calls.Static:
				return p.routeOfFile(f.name)
			}
		}
		sel, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		e = sel.X
	}
}

// routeOfFile returns the route file whose counterpart a Go file is, or ""; that of a test
// if the file is called like the test of a counterpart.
func (p *planner) routeOfFile(file string) string {
	if filepath.Dir(file) != p.app.Dir {
		return ""
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".go"), "_test")
	if routes := byStem(p.c.before)[stem]; len(routes) == 1 {
		return routes[0].InTree()
	}
	return ""
}

// An owner says whose tree something in a file speaks of.
type owner int

const (
	ours owner = iota
	theirs
	anybodys
)

// owner says whether something that our tree has is meant in a file, which other
// applications may have, too.
func (p *planner) owner(file string, has func(*other) bool) owner {
	dir, shared := filepath.Dir(file), false
	if dir == p.app.Dir {
		return ours
	}
	for _, o := range p.others {
		switch known := has(o); {
		case known && (dir == o.app.Dir || isBelow(filepath.Join(o.app.Dir, routetree.RouterDir), file)):
			return theirs
		case known:
			shared = true
		}
	}
	if shared {
		return anybodys
	}
	return ours
}

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

// placeOf returns the place of a call in Go code.
func (p *planner) placeOf(f *goFile, c call) place {
	pos := p.code.position(c.Pos())
	at := place{file: f.name, line: pos.Line, sure: !c.guessed, literal: c.Literal != nil, what: c.name + "(…)"}
	if c.Constant {
		at.what = fmt.Sprintf("%s(%q)", c.name, c.Value)
	}
	if strings.HasSuffix(f.name, "_test.go") && makesRouter(f, c.Pos()) {
		at.sure = false // it has a tree of its own
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
		p.note("%s; what it calls is known by its looks only", broken)
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
			p.path1(at, c, p.c.paths, "path")
		case calls.Template:
			p.path1(at, c, p.c.templates, "path")
		case calls.Dir:
			p.dir(at, c)
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

func (o *other) hasAsset(name string) bool {
	return slices.ContainsFunc(o.tree.Public, func(f *routetree.Public) bool { return f.Name() == name })
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

// path1 rewrites the path of one file.
func (p *planner) path1(at place, c call, in paths, what string) {
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
func (p *planner) dir(at place, c call) {
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
	changes := cov.written != c.Value || len(cov.lost)+len(cov.gained) > 0
	if o == theirs || !changes {
		return
	}
	if cov.written != c.Value {
		p.settle(at, c.Value, cov.written, rewritten, o)
		if o != ours || !at.sure || !at.literal {
			p.guard(at, "%s does not cover what it did: see below", at.what)
			return
		}
		if !p.c.dir {
			p.plan.Notes = append(p.plan.Notes, Note{at.file, at.line, fmt.Sprintf("%s would cover nothing, and is %s(%q) now, so that its middleware runs for what it did", at.what, c.name, cov.written)})
		}
		at.what = fmt.Sprintf("%s(%q), now %s(%q),", c.name, c.Value, c.name, cov.written)
	}
	for _, file := range cov.lost {
		p.guard(at, "%s does not cover %s, and has covered it until now: its middleware does not run there any more", at.what, p.app.Shown(file))
	}
	for _, file := range cov.gained {
		p.guard(at, "%s covers %s, and has not until now: its middleware runs there, too", at.what, p.app.Shown(file))
	}
	if cov.none {
		p.guard(at, "%s covers no route file any more, which Check calls a fault: write another directory, or take it away", at.what)
	}
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

// literals tells of strings that may speak of what moves.
func (p *planner) literals(f *goFile, spoken map[token.Pos]bool) {
	for _, group := range f.file.Comments {
		for _, c := range group.List {
			if patterns, ok := strings.CutPrefix(c.Text, "//go:embed "); ok && filepath.Dir(f.name) == p.app.Dir {
				p.embed(f, c, patterns)
			}
		}
	}
	skip := map[token.Pos]bool{}
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				skip[n.Tag.Pos()] = true
				p.tag(f, n.Tag)
			}
		case *ast.CallExpr:
			p.pathValue(f, n)
		case *ast.BasicLit:
			if n.Kind == token.STRING && !spoken[n.Pos()] && !skip[n.Pos()] {
				p.literal(f, n)
			}
		}
		return true
	})
}

// literal tells of one string.
func (p *planner) literal(f *goFile, lit *ast.BasicLit) {
	value, err := strconv.Unquote(lit.Value)
	if err != nil {
		return
	}
	pos := p.code.position(lit.Pos())
	for _, h := range p.finder.find(value) {
		line := pos.Line
		if lit.Value[0] == '`' {
			line += strings.Count(value[:h.offset], "\n")
		}
		p.hit(f.name, line, h)
	}
	if filepath.Dir(f.name) != p.app.Dir && p.finder.isShort(value) {
		return
	}
	p.word(f.name, pos.Line, value)
}

// isShort reports whether a string may be a word of any program.
func (f *finder) isShort(value string) bool { return !strings.ContainsAny(value, "./[(") }

// holes are what was known when it runs only.
var holes = regexp.MustCompile("\x00+")

// hit tells of what a finder has found.
func (p *planner) hit(file string, line int, h hit) {
	if h.file {
		p.left(file, line, "%q is the name of a file that moves: it is %q now", h.text, h.now)
		return
	}
	p.left(file, line, "%q may be the old URL: it is %s now", holes.ReplaceAllString(h.text, "…"), h.now)
}

// word tells of a string that is just the path or the name of what moves: it may be used
// in a call that is given no literal.
func (p *planner) word(file string, line int, value string) {
	if strings.ContainsAny(value, "/[(") {
		for _, in := range []paths{p.c.paths, p.c.templates} {
			if now, v := in.rewrite(value); v == rewritten && strings.Trim(value, "/") == value {
				p.left(file, line, "%q may be the path of what moves: it is %q now", value, now)
				return
			}
		}
	}
	if now, v := p.c.automatic.rewrite(value); v == rewritten && strings.Contains(value, ".") {
		p.left(file, line, "%q may be the name of a route that moves: it is %q now", value, now)
	}
}

// embed tells of patterns of go:embed that name what moves.
func (p *planner) embed(f *goFile, c *ast.Comment, patterns string) {
	for _, pattern := range strings.Fields(patterns) {
		name := strings.TrimPrefix(strings.Trim(pattern, "\"`"), "all:")
		if name == p.c.from || strings.HasPrefix(name, p.c.from+"/") || strings.HasPrefix(p.c.from, name+"/") && !strings.HasPrefix(p.c.to, name+"/") {
			p.left(f.name, p.code.position(c.Pos()).Line, "go:embed %s: write all:%s, which embeds the tree wherever its files are", pattern, routetree.RouterDir)
		}
	}
}
