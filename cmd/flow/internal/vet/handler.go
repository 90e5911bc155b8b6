package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/serve/routes/routetree"
)

// A codePlace is where something stands, as far as that tells for which routes it runs: in
// what a call of Do or To is given, or else in a function, or a variable that holds one.
// With neither, it may run for any route.
type codePlace struct {
	do *ast.CallExpr
	in types.Object
}

// readUses notes where each function and variable is used, and where flow's calls stand.
func (u *unit) readUses() {
	u.uses, u.places, u.dynamic, u.routers = map[types.Object][]codePlace{}, map[*ast.CallExpr]codePlace{}, map[string]bool{}, map[*types.Package]bool{}
	for _, f := range u.files {
		var above []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				above = above[:len(above)-1]
				return true
			}
			above = append(above, n)
			switch n := n.(type) {
			case *ast.Ident:
				if obj := u.info.Uses[n]; obj != nil && !isSet(n, above) {
					u.readUse(obj, above)
				}
			case *ast.CallExpr:
				u.places[n] = u.place(above)
				if method := u.controllerMethod(n); method != nil {
					u.uses[method] = append(u.uses[method], codePlace{do: n})
				}
			}
			return true
		})
	}
}

// isSet reports whether a name, the last of the nodes, is what is assigned to.
func isSet(name *ast.Ident, nodes []ast.Node) bool {
	assign, ok := nodes[max(0, len(nodes)-2)].(*ast.AssignStmt)
	return ok && slices.Contains(assign.Lhs, ast.Expr(name))
}

func (u *unit) readUse(obj types.Object, above []ast.Node) {
	switch of := obj.(type) {
	case *types.Func:
		obj = of.Origin()
		if recv := of.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			u.dynamic[of.Name()] = true
		}
		if calls.IsFlow(of.Pkg()) && of.Name() == "New" && of.Signature().Recv() == nil {
			u.news++
		}
	case *types.Var:
		obj = of.Origin()
	default:
		return
	}
	u.uses[obj] = append(u.uses[obj], u.place(above))
	if pkg := obj.Pkg(); pkg != nil && pkg != u.pkg && !calls.IsFlow(pkg) && givesRouter(obj) {
		u.routers[pkg] = true
	}
}

// place returns where the last of the nodes stands, each of which is in the one before.
func (u *unit) place(nodes []ast.Node) codePlace {
	for i := len(nodes) - 2; i >= 0; i-- {
		switch n := nodes[i].(type) {
		case *ast.CallExpr:
			if arg, ok := nodes[i+1].(ast.Expr); !ok || !slices.Contains(n.Args, arg) {
				continue
			}
			called, ok := typeutil.Callee(u.info, n).(*types.Func)
			if !ok || !calls.IsFlow(called.Pkg()) {
				continue
			}
			switch called.Name() {
			case "Do", "To":
				return codePlace{do: n}
			case "Use": // what it is given may run for any route
				return codePlace{}
			}
		case *ast.FuncLit:
			if obj := u.holders[n]; obj != nil {
				return codePlace{in: obj}
			}
		case *ast.FuncDecl:
			return codePlace{in: u.info.Defs[n.Name]}
		case *ast.ValueSpec:
			if i >= 2 && len(n.Names) == 1 {
				if _, isFile := nodes[i-2].(*ast.File); isFile {
					return codePlace{in: u.info.Defs[n.Names[0]]}
				}
			}
		}
	}
	return codePlace{}
}

// controllerMethod returns the method that a call of To names, if it is one of the
// package, or nil. It notes if the name is not constant, so that any method may be meant.
func (u *unit) controllerMethod(expr *ast.CallExpr) types.Object {
	c, ok := calls.Of(expr, nil, u.info)
	if !ok || c.Func.Name() != "To" || len(expr.Args) != 2 {
		return nil
	}
	name, ok := calls.StringOf(expr.Args[1], u.info)
	u.byName = u.byName || !ok
	t := u.info.TypeOf(expr.Args[0])
	if !ok || t == nil {
		return nil
	}
	method, _, _ := types.LookupFieldOrMethod(t, true, u.pkg, name)
	if f, ok := method.(*types.Func); ok {
		return f.Origin()
	}
	return nil
}

// readWiths notes the Files that functions of flow.With are given.
func (u *unit) readWiths() {
	u.withs = map[types.Object]token.Pos{}
	for _, c := range u.calls {
		if c.Kind != calls.Static || c.Func.Name() != "With" || len(c.Expr.Args) != 1 {
			continue
		}
		if f, ok := u.typeOf(c.Expr.Args[0]).(*types.Signature); ok && f.Params().Len() > 0 {
			u.withs[f.Params().At(0)] = c.Expr.Pos()
		}
	}
}

// receiver returns what a method is called of, or nil if a call is none of a method.
func receiver(expr *ast.CallExpr) ast.Expr {
	if sel, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr); ok {
		return sel.X
	}
	return nil
}

// origin returns the route that a File or a Verb is for, and whether that is known.
func (m *module) origin(u *unit, e ast.Expr) (*routetree.Route, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		c, ok := calls.Of(e, nil, u.info)
		switch {
		case ok && c.Kind == calls.Path && c.Constant:
			for _, a := range m.scope(u, c.ForDirectory()) {
				if found := routetree.Find(a.byPath, c.Value); len(found) == 1 {
					return a.byPath[found[0]], true
				}
			}
		case ok && c.Kind == calls.Static:
			return u.counterpart(e.Pos())
		case isFlowType(u.typeOf(receiver(e)), "Verb") || isFlowType(u.typeOf(receiver(e)), "File"):
			return m.origin(u, receiver(e))
		}
	case *ast.Ident:
		obj := u.info.Uses[e]
		if pos, ok := u.withs[obj]; ok {
			return u.counterpart(pos)
		}
		if defs := u.defs[obj]; len(defs) == 1 && defs[0] != nil {
			return m.origin(u, defs[0])
		}
	}
	return nil, false
}

func (u *unit) typeOf(e ast.Expr) types.Type {
	if e == nil {
		return types.Typ[types.Invalid]
	}
	if t := u.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// counterpart returns the route whose counterpart the file of a position is.
func (u *unit) counterpart(pos token.Pos) (*routetree.Route, bool) {
	if u.app == nil {
		return nil, false
	}
	routes := u.app.byStem[strings.TrimSuffix(filepath.Base(fileName(u.fset, pos)), ".go")]
	if len(routes) != 1 {
		return nil, false
	}
	return routes[0], true
}

// routesAt returns the routes for which the code at a place runs, and whether they are
// known.
func (m *module) routesAt(u *unit, p codePlace) ([]*routetree.Route, bool) {
	routes, known := m.routesOf(u, p, map[types.Object]bool{})
	return routes, known && len(routes) > 0
}

func (m *module) routesOf(u *unit, p codePlace, seen map[types.Object]bool) ([]*routetree.Route, bool) {
	switch {
	case p.do != nil:
		r, ok := m.origin(u, receiver(p.do))
		if !ok {
			return nil, false
		}
		return []*routetree.Route{r}, true
	case p.in == nil || m.usedElsewhere(u, p.in) || len(u.uses[p.in]) == 0:
		return nil, false
	case seen[p.in]:
		return nil, true // one that calls itself
	}
	seen[p.in] = true
	var all []*routetree.Route
	for _, use := range u.uses[p.in] {
		routes, known := m.routesOf(u, use, seen)
		if !known {
			return nil, false
		}
		all = append(all, routes...)
	}
	return all, true
}

// usedElsewhere reports whether code that is not seen here may call what an object of the
// package stands for.
func (m *module) usedElsewhere(u *unit, obj types.Object) bool {
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil && u.dynamic[f.Name()] {
		return true
	}
	if !obj.Exported() || u.pkg.Name() == "main" {
		return false
	}
	by := m.mentioned[obj.Name()]
	return m.openParams || len(by) > 1 || len(by) == 1 && !by[u]
}
