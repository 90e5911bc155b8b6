package scaffold

import (
	"go/ast"
	"go/token"
	"strings"
)

// provided returns what counterparts can ask for with flow.With, though none does yet: a
// pointer to a type of the package that is given to Provide. It is nil if there is none, or
// if there are several. Files are not type-checked: what a name stands for is known from
// its declaration in the same file.
//
//	func New(a *App) *flow.Router { return flow.New(files).Provide(a) }  => a *App
func provided(files []*ast.File) *shared {
	names := map[string]string{} // of what is provided, by type
	for _, f := range files {
		known := pointers(f)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if called, ok := call.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Provide" {
				for _, arg := range call.Args {
					name := identOf(arg)
					if typ := known[name] + pointee(arg); typ != "" {
						names[typ] = name
					}
				}
			}
			return true
		})
	}
	if len(names) != 1 {
		return nil
	}
	s := &shared{file: "f", count: 1}
	for s.typ, s.name = range names {
		if s.name == "" || s.name == "req" || s.name == "flow" {
			s.name = strings.ToLower(string([]rune(s.typ)[:1]))
		}
		if s.name == s.file {
			s.file = "file"
		}
	}
	return s
}

// pointers returns the names that a file declares for pointers to types of the package, in
// whatever function, with these types. A name that stands for several has "".
func pointers(f *ast.File) map[string]string {
	known := map[string]string{}
	declare := func(name *ast.Ident, typ string) {
		if before, ok := known[name.Name]; ok && before != typ {
			typ = ""
		}
		known[name.Name] = typ
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // parameters and receivers, too
			for _, name := range n.Names {
				declare(name, pointee(n.Type))
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					declare(name, pointee(n.Values[i]))
				} else {
					declare(name, pointee(n.Type))
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE && len(n.Rhs) == len(n.Lhs) {
					declare(name, pointee(n.Rhs[i]))
				}
			}
		}
		return true
	})
	return known
}

// pointee returns the name of the type that a type, &T{} or new(T) points to, or "".
func pointee(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return identOf(e.X)
	case *ast.UnaryExpr:
		if lit, ok := e.X.(*ast.CompositeLit); ok && e.Op == token.AND {
			return identOf(lit.Type)
		}
	case *ast.CallExpr:
		if identOf(e.Fun) == "new" && len(e.Args) == 1 {
			return identOf(e.Args[0])
		}
	}
	return ""
}

func identOf(e ast.Expr) string {
	if name, ok := e.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
