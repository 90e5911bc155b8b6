package scaffold

import (
	"go/ast"
	"go/types"
	"strings"
)

// provided returns what counterparts can ask for with flow.With, though none does yet: a
// pointer to a type of the package that is given to Provide. It is nil if there is none, or
// if there are several.
//
//	func New(a *App) *flow.Router { return flow.New(files).Provide(a) }  => a *App
func provided(files []*ast.File, info *types.Info) *withParam {
	names := map[string]string{} // of what is provided, by type
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if called, ok := call.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Provide" {
				for _, arg := range call.Args {
					if typ := pointee(info.TypeOf(arg)); typ != "" {
						names[typ] = ""
						if name, ok := arg.(*ast.Ident); ok {
							names[typ] = name.Name
						}
					}
				}
			}
			return true
		})
	}
	if len(names) != 1 {
		return nil
	}
	s := &withParam{file: "f", count: 1}
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
