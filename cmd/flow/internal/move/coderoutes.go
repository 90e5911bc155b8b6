package move

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/serve/routes/routetree"
)

// codeRoutes are the routes for which a piece of Go code runs. Each has the position of the code that
// reaches the piece, which is not valid if the piece is registered for the route itself.
type codeRoutes struct {
	routes  map[string]token.Position // by route files of the application, as they are named in the tree before
	theirs  []token.Position          // for routes of other applications
	unknown []token.Position
	tests   []token.Position // from tests, which are in none of the others
	// partial says that not all code has types, so that there may be more. What stands in
	// a counterpart is for its route.
	partial bool
}

// serves returns for which routes the code at a position runs: those that it is registered
// for, or else those of what uses the function or type that it stands in. A function of a
// counterpart that nothing uses runs for the route of the counterpart.
func (p *planner) serves(f *goFile, pos token.Pos) codeRoutes {
	s := codeRoutes{routes: map[string]token.Position{}}
	s.partial = len(p.code.broken) > 0 && p.routeOfFile(f.name) == "" && p.otherOf(f.name) == nil
	seen := map[*ast.Ident]bool{}
	var follow func(f *goFile, pos token.Pos, from token.Position)
	follow = func(f *goFile, pos token.Pos, from token.Position) {
		isTheirs := p.otherOf(f.name) != nil
		if isTheirs && !slices.Contains(s.theirs, from) {
			s.theirs = append(s.theirs, from)
		} else if files, ok := p.registered(f, pos); ok && !isTheirs {
			for _, file := range files {
				s.reached(file, from)
			}
			return
		}
		name := declared(f.file, pos)
		if name != nil && seen[name] {
			return
		}
		seen[name] = true
		used := false
		for _, use := range p.usesOf(name) {
			next := from
			if !next.IsValid() {
				next = p.code.position(use.pos)
			}
			if use.file.isTest() {
				s.tests = append(s.tests, p.code.position(use.pos))
				continue
			}
			used = true
			follow(use.file, use.pos, next)
		}
		switch file := p.routeOfFile(f.name); {
		case used || isTheirs:
		case file != "":
			s.reached(file, from)
		default:
			s.unknown = append(s.unknown, from)
		}
	}
	follow(f, pos, token.Position{})
	return s
}

// reached notes a route, with the first place that leads to it.
func (s codeRoutes) reached(file string, from token.Position) {
	if _, ok := s.routes[file]; !ok {
		s.routes[file] = from
	}
}

func (s codeRoutes) has(r *route) bool {
	_, ok := s.routes[r.before.InTree()]
	return ok
}

// registered returns the route files that the registration around a position is for, and
// whether there is one of which that is known.
func (p *planner) registered(f *goFile, pos token.Pos) (files []string, ok bool) {
	ast.Inspect(f.file, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		expr, isCall := n.(*ast.CallExpr)
		if !isCall {
			return true
		}
		c, _ := f.registration(expr)
		if c.directory && !p.isOurs(f.name) {
			return true
		}
		switch found := routetree.Find(p.c.paths.before, c.Value); {
		case c.Kind == calls.Static:
			if file := p.routeOfFile(f.name); file != "" {
				files, ok = []string{file}, true
			}
		case !c.Constant || !c.directory && slices.ContainsFunc(p.others, func(o *otherApp) bool { return o.tree.Covers(c.Value) }):
		case c.Kind == calls.Path && len(found) > 0:
			files, ok = []string{p.c.paths.before[found[0]]}, true
		case c.Kind == calls.Dir:
			files, ok = sortedKeys(covered(p.c.before, c.Value)), true
		}
		return true
	})
	return files, ok
}

// registration returns the call of At, In or a static function that a chain of calls such
// as flow.At("users").GET().Name("x") begins with; else the expression that it begins with.
func (f *goFile) registration(e ast.Expr) (call, ast.Expr) {
	for {
		expr, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			return call{}, e
		}
		for _, c := range f.calls {
			if c.Expr == expr && (c.Kind == calls.Path || c.Kind == calls.Dir || c.Kind == calls.Static) {
				return c, nil
			}
		}
		sel, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr)
		if !ok {
			return call{}, e
		}
		e = sel.X
	}
}

// declared returns the name of the function or type that is declared around a position,
// or nil.
func declared(file *ast.File, pos token.Pos) *ast.Ident {
	for _, d := range file.Decls {
		if pos < d.Pos() || d.End() <= pos {
			continue
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			return d.Name
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Pos() <= pos && pos < t.End() {
					return t.Name
				}
			}
		}
	}
	return nil
}

// A useOf is a place where a function or a type is used.
type useOf struct {
	file *goFile
	pos  token.Pos
}

// key names a position by its file and offset, which is the same for a package and its test
// variant.
func (code *goCode) key(pos token.Pos) string {
	p := code.position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Offset)
}

// readUses finds where the functions and types of the module are used. They are known by the
// place of their name, since a package and its test variant have objects of their own.
func (p *planner) readUses() {
	p.uses = map[string][]useOf{}
	for _, f := range p.code.files {
		if f.info == nil {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			id, _ := n.(*ast.Ident)
			obj := f.info.Uses[id]
			if fn, ok := obj.(*types.Func); ok {
				obj = fn.Origin()
			} else if _, ok := obj.(*types.TypeName); !ok {
				return true
			}
			if obj.Pos().IsValid() {
				p.uses[p.code.key(obj.Pos())] = append(p.uses[p.code.key(obj.Pos())], useOf{f, id.Pos()})
			}
			return true
		})
	}
}

// usesOf returns the uses of what a name, which may be nil, declares.
func (p *planner) usesOf(name *ast.Ident) []useOf {
	if name == nil {
		return nil
	}
	return p.uses[p.code.key(name.Pos())]
}
