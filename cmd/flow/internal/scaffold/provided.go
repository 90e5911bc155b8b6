package scaffold

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// typesOf returns the types of a package, as far as they are known without those that it
// imports, and whatever is wrong with it.
func typesOf(fset *token.FileSet, files []*ast.File) *types.Info {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}, FakeImportC: true}
	_, _ = config.Check("", fset, files, info) // the errors are the compiler's to tell
	return info
}

// nothing imports no package.
type nothing struct{}

func (nothing) Import(string) (*types.Package, error) { return nil, errors.ErrUnsupported }

// provided returns what counterparts can ask for with flow.With, though none does yet: a
// pointer to a type of the package that is given to Provide. It is nil if there is none, or
// if there are several.
//
//	func New(a *App) *flow.Router { return flow.New(files).Provide(a) }  => a *App
func provided(files []*ast.File, info *types.Info) *shared {
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

// pointee returns the name of the type that a pointer leads to, or "". Since no other package
// is known, the type is one of this package.
func pointee(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		if named, ok := types.Unalias(p.Elem()).(*types.Named); ok {
			return named.Obj().Name()
		}
	}
	return ""
}
