package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"example.com/flow/cmd/flow/internal/calls"
)

// checkHandlers looks for handlers that return flow.Next, which only a guard may.
func (c *checker) checkHandlers() {
	direct := map[types.Object]int{} // functions that Do and To get by themselves, and how often
	var bodies []*ast.BlockStmt
	for _, call := range c.calls {
		if call.Kind != calls.Handler || call.Arg == nil {
			continue
		}
		if call.Func.Name() == "To" {
			if method := c.controllerMethod(call.Expr); method != nil {
				direct[method]++
			}
			continue
		}
		switch arg := ast.Unparen(call.Arg).(type) {
		case *ast.FuncLit:
			bodies = append(bodies, arg.Body)
		case *ast.Ident:
			direct[c.info.Uses[arg]]++
		case *ast.SelectorExpr:
			if f, ok := c.info.Uses[arg.Sel].(*types.Func); ok {
				direct[f.Origin()]++
			}
		}
	}
	for _, f := range c.files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			// A function that others call too may be part of a guard.
			if obj := c.info.Defs[decl.Name]; direct[obj] > 0 && direct[obj] == len(c.uses[obj]) && !c.module.usedElsewhere(c.unit, obj) {
				bodies = append(bodies, decl.Body)
			}
		}
	}
	for _, body := range bodies {
		for _, pos := range c.returnsNext(body) {
			c.report(pos, "flow.Next() lets a request pass, which only a guard does, and this is a handler: return its answer, or register it with Use")
		}
	}
}

// returnsNext returns where flow.Next is called that a function returns.
func (c *checker) returnsNext(body *ast.BlockStmt) (found []token.Pos) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // its answer is its caller's
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				if pos := c.nextIn(result); pos.IsValid() && !slices.Contains(found, pos) {
					found = append(found, pos)
				}
			}
		}
		return true
	})
	return found
}

// nextIn returns where flow.Next is called if an expression is what it has returned, with
// headers or not, or a variable that is set to nothing else.
func (c *checker) nextIn(e ast.Expr) token.Pos {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if call, ok := calls.Of(e, nil, c.info); ok && call.Kind == calls.Next {
			return e.Pos()
		}
		if isResponse(c.typeOf(receiver(e))) {
			return c.nextIn(receiver(e))
		}
	case *ast.Ident:
		if defs := c.defs[c.info.Uses[e]]; len(defs) == 1 && defs[0] != nil && isResponse(c.typeOf(e)) {
			return c.nextIn(defs[0])
		}
	}
	return token.NoPos
}
