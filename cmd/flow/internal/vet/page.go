package vet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/serve/routes/routetree"
)

// A declaredData is a type that the application has said the data of a page to have, or of a block
// of it. The packages of a module are type-checked by themselves, so types of two of them are
// compared by their text, with the import path.
type declaredData struct {
	data  types.Type
	block string
}

// readDeclared notes what typed handlers and PageOf say of the data of pages. openPages says
// that a handler may be of any route, and so declare any page.
func (m *module) readDeclared() {
	m.declared, m.openPages = map[*routetree.Route][]declaredData{}, false
	for _, u := range m.units {
		for _, call := range u.calls {
			switch {
			case call.Kind == calls.Handler:
				data, known := u.dataOf(call)
				if data == nil && known {
					continue
				}
				r, ok := m.origin(u, receiver(call.Expr))
				if m.openPages = m.openPages || !ok; ok { // nil if it is not known, which fits any
					m.declared[r] = append(m.declared[r], declaredData{data: data})
				}
			case call.Kind == calls.Static && call.Func.Name() == "PageOf":
				r, ok := u.counterpart(call.Expr.Pos())
				made, isFunc := u.typeOf(call.Expr).Underlying().(*types.Signature)
				if !ok || !isFunc || made.Params().Len() != 1 { // Check reports one that is no counterpart
					continue
				}
				d := declaredData{data: made.Params().At(0).Type()}
				for _, arg := range call.Expr.Args {
					if d.block, ok = calls.StringOf(arg, u.info); !ok {
						d = declaredData{}
					}
				}
				m.declared[r] = append(m.declared[r], d)
			}
		}
	}
}

// dataOf returns what a handler that Do or To gets says of the data of its page, nil if
// nothing, and whether that is known.
func (u *unit) dataOf(call calls.Call) (data types.Type, known bool) {
	f, known := u.handlerOf(call)
	if f == nil || f.Results().Len() != 2 || f.Params().Len() == 0 || !isFlowType(f.Params().At(0).Type(), "Request") {
		return nil, known
	}
	out := f.Results().At(0).Type()
	if isResponse(out) || types.Identical(out, types.Typ[types.String]) {
		return nil, true
	}
	return out, true
}

// checkPage looks at Page, which needs a route that is a page, and data of a type that is
// declared for it. It is silent where the answer may become one of a block, or where one of the
// routes that the handler is for takes the data.
func (c *checker) checkPage(call calls.Call) {
	routes, known := c.module.routesAt(c.unit, c.places[call.Expr])
	if !known {
		return
	}
	pages := slices.DeleteFunc(slices.Clone(routes), func(r *routetree.Route) bool { return !r.Page })
	if len(pages) == 0 {
		c.report(call.Pos(), "Page renders the page of the route, and %s is an endpoint, which has none: use View, or call the file .html", routes[0].File)
		return
	}
	if c.module.openPages || len(call.Expr.Args) != 1 {
		return
	}
	block, ok := c.blockReturned(call)
	if !ok {
		return
	}
	var said []declaredData
	for _, r := range pages {
		of := c.module.misfit(r, block, c.typeOf(call.Expr.Args[0]))
		if len(of) == 0 {
			return
		}
		said = append(said, of...)
	}
	c.report(call.Expr.Args[0].Pos(), "Page: the data of %s is declared to be %s, and this is %s: use what flow.PageOf returns, or declare this type, too", pages[0].File, typeNames(said), shortName(c.typeOf(call.Expr.Args[0])))
}

// blockReturned returns the block that the answer of a call of Page is for, "" for the whole
// page. ok is false unless the answer is returned at once, since a variable may become anything.
func (c *checker) blockReturned(call calls.Call) (block string, ok bool) {
	around, _ := astutil.PathEnclosingInterval(call.File, call.Expr.Pos(), call.Expr.End())
	i := slices.Index(around, ast.Node(call.Expr))
	for i++; i > 0 && i < len(around); i++ {
		switch n := around[i].(type) {
		case *ast.SelectorExpr, *ast.ParenExpr: // a method of the answer
		case *ast.CallExpr:
			if next, isFlow := calls.Of(n, nil, c.info); isFlow && next.Kind == calls.Block {
				if !next.Constant {
					return "", false
				}
				block = next.Value
			} else if n.Fun != around[i-1] { // it is given to something
				return "", false
			}
		case *ast.ReturnStmt:
			return block, true
		default:
			return "", false
		}
	}
	return "", false
}

// misfit returns what is declared of a page, or of a block of it, if none of it fits a type of
// data. It returns nil if something may fit, by the rules of pages.View.Misfit in flow.
func (m *module) misfit(r *routetree.Route, block string, data types.Type) (said []declaredData) {
	if types.IsInterface(data) || !isComplete(data) {
		return nil
	}
	elem := data
	if p, ok := types.Unalias(data).(*types.Pointer); ok {
		elem = p.Elem()
	}
	own := false
	for _, d := range m.declared[r] {
		switch {
		case d.data == nil, types.IsInterface(d.data), !isComplete(d.data):
			return nil
		case d.block != "" && d.block != block:
			continue
		case same(d.data, data), same(d.data, elem):
			return nil
		}
		own = own || d.block == block
		said = append(said, d)
	}
	if !own {
		return nil
	}
	return said
}

// same reports whether two types are the same, of one package or of its copies.
func same(a, b types.Type) bool { return types.Identical(a, b) || longName(a) == longName(b) }

// isComplete reports whether a type is known whole: none of its parts is a type parameter, or
// of a package that could not be read.
func isComplete(t types.Type) bool {
	return t != nil && !isTypeParam(t) && !strings.Contains(longName(t), types.Typ[types.Invalid].String())
}

// longName returns the text of a type with import paths, which tells it from all others.
func longName(t types.Type) string {
	return types.TypeString(types.Unalias(t), func(p *types.Package) string {
		path, _, _ := strings.Cut(p.Path(), " ") // "shop/app [shop/app.test]"
		return path
	})
}

// shortName returns the text of a type as Go code has it.
func shortName(t types.Type) string {
	if t == types.Typ[types.UntypedNil] {
		return "nil"
	}
	return types.TypeString(t, (*types.Package).Name)
}

// typeNames returns the types that are declared, for messages.
func typeNames(said []declaredData) string {
	var names []string
	for _, d := range said {
		if name := shortName(d.data); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
