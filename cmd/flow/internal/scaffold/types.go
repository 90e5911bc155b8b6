package scaffold

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
)

// typesOf returns the types in files of one directory, as far as they are known without the
// packages that these import, and whatever is wrong with them.
func typesOf(fset *token.FileSet, files []*ast.File) *types.Info {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}, FakeImportC: true}
	packages := map[string][]*ast.File{} // such as that of a generator, which is not built
	for _, f := range files {
		packages[f.Name.Name] = append(packages[f.Name.Name], f)
	}
	for _, files := range packages {
		_, _ = config.Check("", fset, files, info) // the errors are the compiler's to tell
	}
	return info
}

// nothing imports no package.
type nothing struct{}

func (nothing) Import(string) (*types.Package, error) { return nil, errors.ErrUnsupported }

// pointee returns the name of the type that a pointer leads to, or "" if no package declares
// one that is used by its name alone. Since no other package is known, it is this package.
func pointee(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		if named, ok := types.Unalias(p.Elem()).(*types.Named); ok && named.TypeArgs().Len() == 0 {
			if obj := named.Obj(); obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
				return obj.Name()
			}
		}
	}
	return ""
}
