package scaffold

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/routetree"
)

// A goPackage is what "flow add" has to know of the Go files in the directory of an
// application, also if the package does not build right now.
type goPackage struct {
	name    string
	taken   map[string]bool              // names of declarations, methods included
	labels  map[string]string            // what Name was given, and where
	handled map[string]map[string]string // by file, the methods that it registers, and where
	uses    map[string]string            // by file, where it calls flow.Use
	ins     []inCall                     // calls of In that give middleware
	strings map[string]bool              // all string literals, for names of matchers
	// matchers are those that the package gives to a Router.
	matchers  matchers.Set
	withParam *withParam // what its counterparts ask for with flow.With, if they do, or could
	static    int        // how many counterparts do not ask
	tests     []project.GoFile
}

// withParam is what a flow.With in a counterpart asks for: flow.With(func(f *flow.File, a *App)
// has the name a and the type *App.
type withParam struct {
	file, name, typ string
	count           int
}

// readPackage parses the Go files beside the route directory.
func readPackage(app project.App) (*goPackage, error) {
	pkg := &goPackage{taken: map[string]bool{}, labels: map[string]string{}, handled: map[string]map[string]string{}, uses: map[string]string{}, strings: map[string]bool{}}
	sources, err := project.GoFiles(app.Dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	fset := token.NewFileSet()
	for _, source := range sources {
		name := filepath.Base(source.Name)
		f, err := parser.ParseFile(fset, app.Shown(name), source.Text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		pkg.addDeclarations(f)
		if source.IsTest() {
			pkg.tests = append(pkg.tests, source)
			continue
		}
		// A file that is not built here, such as a generator, may be of another package.
		if built, err := build.Default.MatchFile(app.Dir, name); pkg.name == "" || err == nil && built {
			pkg.name = f.Name.Name
		}
		files = append(files, f)
	}
	pkg.matchers.Read(files)
	info := typesOf(fset, files)
	for _, f := range files {
		pkg.addCalls(fset, f, info)
	}
	pkg.ins = insOf(fset, files, info)
	others, err := insElsewhere(app)
	if err != nil {
		return nil, err
	}
	pkg.ins = append(pkg.ins, others...)
	if pkg.withParam == nil {
		pkg.withParam = provided(files, info)
	}
	if pkg.name == "" {
		return nil, fmt.Errorf("%s has no Go files but tests: write the one that embeds %s", app.Shown(""), routetree.RouterDir)
	}
	return pkg, nil
}

func (pkg *goPackage) addDeclarations(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			pkg.taken[d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					pkg.taken[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range s.Names {
						pkg.taken[name.Name] = true
					}
				case *ast.ImportSpec: // a function of that name would not compile beside it
					pkg.taken[importName(s)] = true
				}
			}
		}
	}
}

// importName returns what a file calls a package that it imports: where the import has no name,
// the last element of the path before a major version.
func importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	p, _ := strconv.Unquote(s.Path.Value)
	return nameOf(p)
}

// addCalls notes the calls of flow that "flow add" has to know.
func (pkg *goPackage) addCalls(fset *token.FileSet, f *ast.File, info *types.Info) {
	name := filepath.Base(fset.File(f.Package).Name())
	with, registers := false, false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if lit, text := calls.Literal(n); lit != nil {
				pkg.strings[text] = true
			}
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			where := shownLine(fset, n.Pos())
			switch text, has := stringArg(n); {
			case called.Sel.Name == "Name" && has && isVerb(called.X):
				pkg.labels[text] = where
			case called.Sel.Name == "Use" && isFlow(called.X):
				pkg.uses[name] = where
			case len(n.Args) == 0 && isMethod(called.Sel.Name):
				if pkg.handled[name] == nil {
					pkg.handled[name] = map[string]string{}
				}
				pkg.handled[name][called.Sel.Name] = where
			}
			if called.Sel.Name == "With" && len(n.Args) == 1 {
				with = pkg.addWith(n.Args[0], info) || with
			}
			registers = registers || isVerb(n)
		}
		return true
	})
	if registers && !with {
		pkg.static++
	}
}

// addWith notes what the function of a flow.With asks for, if it is a function literal that
// asks for a pointer to a type of this package.
func (pkg *goPackage) addWith(arg ast.Expr, info *types.Info) bool {
	f, ok := info.TypeOf(arg).(*types.Signature)
	if _, isLiteral := arg.(*ast.FuncLit); !ok || !isLiteral || f.Params().Len() != 2 {
		return false
	}
	asks := withParam{file: f.Params().At(0).Name(), name: f.Params().At(1).Name(), typ: pointee(f.Params().At(1).Type())}
	switch {
	case asks.typ == "" || slices.Contains([]string{"", "_"}, asks.file) || slices.Contains([]string{"", "_", "req"}, asks.name):
		return false
	case pkg.withParam == nil:
		pkg.withParam = &asks
	case pkg.withParam.typ != asks.typ:
		return false
	}
	pkg.withParam.count++
	return true
}

// stringArg returns the only argument of a call, if it is a string literal.
func stringArg(call *ast.CallExpr) (string, bool) {
	if len(call.Args) != 1 {
		return "", false
	}
	lit, text := calls.Literal(call.Args[0])
	return text, lit != nil
}

// A chainCall is one call of a chain of them: Name("x") in flow.GET().Name("x").Do(h).
type chainCall struct {
	name string
	call *ast.CallExpr
}

// chainOf returns the calls of the chain that an expression is, the last one first.
func chainOf(e ast.Expr) (chain []chainCall) {
	for {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return chain
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return chain
		}
		chain, e = append(chain, chainCall{called.Sel.Name, call}), called.X
	}
}

// isVerb reports whether an expression is the registration of a method with calls of it, as
// f.GET().Use(x) is.
func isVerb(e ast.Expr) bool {
	return slices.ContainsFunc(chainOf(e), func(l chainCall) bool { return isMethod(l.name) || l.name == "Method" })
}

// shownLine returns where a position is, for messages.
func shownLine(fset *token.FileSet, at token.Pos) string {
	pos := fset.Position(at)
	return fmt.Sprintf("%s:%d", pos.Filename, pos.Line)
}

// isFlow reports whether an expression is the package flow.
func isFlow(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "flow"
}

// isMethod reports whether a method of HTTP has a call of that name, such as GET().
func isMethod(name string) bool { return name == methodAny || slices.Contains(forms.Methods, name) }

// asks returns what most counterparts ask for with flow.With, or nil if most do not. What is
// provided counts like one that asks.
func (pkg *goPackage) asks() *withParam {
	if pkg.withParam == nil || pkg.withParam.count < pkg.static {
		return nil
	}
	return pkg.withParam
}
