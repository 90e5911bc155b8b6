package move

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/cmd/flow/internal/typed"
)

// goCode is the Go code of a module, tests included.
type goCode struct {
	fset   *token.FileSet
	files  []*goFile // in the order of their names
	broken []string  // what is wrong about packages that do not type-check, a line for each package
}

// A goFile is one file of Go code.
type goFile struct {
	name  string // absolute
	file  *ast.File
	info  *types.Info // nil if the file is known by its syntax only
	calls []call
}

// isTest reports whether the file is one of tests.
func (f *goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// A call is a call of flow's API.
type call struct {
	calls.Call
	name string // what is called, "At"
	// guessed: only the syntax is known, so that it may be a call of something else.
	guessed   bool
	directory bool // it is for the Routers that are made in the directory of the file
}

// loadGo reads the packages of a module that have to do with an application, each with its
// tests. Code that does not type-check is no error.
func loadGo(ctx context.Context, app project.App) (*goCode, error) {
	code := &goCode{fset: token.NewFileSet()}
	m := app.Module
	cfg := packages.Config{Context: ctx, Dir: m.Dir, Fset: code.fset, Tests: true, Mode: packages.NeedName | packages.NeedImports | packages.NeedForTest}
	all, err := packages.Load(&cfg, "./...")
	if err != nil {
		return nil, fmt.Errorf("the packages of %s cannot be read: %w", m.Path, err)
	}
	pkgs, err := typed.Packages(cfg, related(all, app)...)
	if err != nil {
		return nil, fmt.Errorf("the packages of %s cannot be read: %w", m.Path, err)
	}
	// A test variant knows of a package what tests add to it, and so goes first.
	slices.SortStableFunc(pkgs, func(a, b *packages.Package) int {
		return cmp.Or(-cmp.Compare(strings.Count(a.ID, " "), strings.Count(b.ID, " ")), cmp.Compare(a.ID, b.ID))
	})
	broken := map[string]string{}
	for _, p := range slices.Concat(all, pkgs) {
		if len(p.Errors) > 0 {
			broken[packageOf(p)] = firstError(p.Errors)
		}
	}
	for _, path := range sortedKeys(broken) {
		code.broken = append(code.broken, path+" has errors, "+broken[path])
	}
	seen := map[string]bool{}
	isNew := func(name string) bool {
		isNew := !seen[name] && isBelow(m.Dir, name)
		seen[name] = true
		return isNew
	}
	for _, p := range pkgs {
		for _, file := range p.Syntax {
			if name := code.position(file.FileStart).Filename; isNew(name) {
				code.add(name, file, p.TypesInfo, len(p.Errors) > 0)
			}
		}
	}
	for _, p := range pkgs {
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
			if !strings.HasSuffix(name, ".go") || !isNew(name) {
				continue
			}
			if file, _ := parser.ParseFile(code.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution); file != nil {
				code.add(name, file, nil, true)
			}
		}
	}
	slices.SortFunc(code.files, func(a, b *goFile) int { return cmp.Compare(a.name, b.name) })
	return code, nil
}

// related returns the import paths of the packages that have to do with an application:
// its own, those that import it, and whatever these import of the module. Those of flow
// itself, whose module has a sample application, have trees of their own.
func related(all []*packages.Package, app project.App) []string {
	imports, importedBy := map[string][]string{}, map[string][]string{}
	for _, p := range all {
		from := packageOf(p)
		for _, to := range p.Imports {
			to := packageOf(to)
			imports[from] = append(imports[from], to)
			importedBy[to] = append(importedBy[to], from)
		}
	}
	own := app.ImportPath()
	reached := reach([]string{own}, importedBy)
	reached = reach(reached, imports)
	return append(slices.DeleteFunc(reached, func(path string) bool {
		return path == own || imports[path] == nil || path != app.Module.Path && !strings.HasPrefix(path, app.Module.Path+"/") ||
			path == calls.FlowPath || strings.HasPrefix(path, calls.FlowPath+"/internal/")
	}), own)
}

// packageOf returns the import path of a package, or of the one that it tests.
func packageOf(p *packages.Package) string {
	if p.ForTest != "" {
		return p.ForTest
	}
	return strings.TrimSuffix(p.PkgPath, ".test")
}

// reach returns what is reached from some nodes of a graph, with themselves.
func reach(from []string, edges map[string][]string) []string {
	seen := map[string]bool{}
	for todo := slices.Clone(from); len(todo) > 0; {
		node := todo[0]
		todo = todo[1:]
		if !seen[node] {
			seen[node] = true
			todo = append(todo, edges[node]...)
		}
	}
	return sortedKeys(seen)
}

// firstError returns the first error that says where it is.
func firstError(errs []packages.Error) string {
	i := slices.IndexFunc(errs, func(e packages.Error) bool { return strings.Contains(e.Pos, ":") })
	text, _, _ := strings.Cut(errs[max(i, 0)].Msg, "\n")
	if i < 0 {
		return text
	}
	at := strings.SplitN(errs[i].Pos, ":", 3)
	return fmt.Sprintf("%s:%s: %s", Shown(at[0]), at[1], text)
}

// isBelow reports whether a file is in a directory. Files that the go tool has made are
// elsewhere.
func isBelow(dir, file string) bool {
	below, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(below)
}

// add adds a file, and finds the calls in it. broken says that types may be missing.
func (code *goCode) add(name string, file *ast.File, info *types.Info, broken bool) {
	f := &goFile{name: name, file: file, info: info}
	if info != nil {
		for _, c := range calls.Find([]*ast.File{file}, info) {
			f.calls = append(f.calls, call{Call: c, name: c.Func.Name(), directory: c.ForDirectory()})
		}
	}
	if broken {
		f.calls = append(f.calls, guess(file, info)...)
		slices.SortStableFunc(f.calls, func(a, b call) int { return cmp.Compare(a.Pos(), b.Pos()) })
	}
	code.files = append(code.files, f)
}

// guessable are the functions and methods that are known without types.
var guessable = map[string]calls.Kind{
	"At": calls.Path, "In": calls.Dir, "View": calls.Template, "ViewOf": calls.Template, "Route": calls.RouteName, "RedirectTo": calls.RouteName,
	"Name": calls.Label, "Param": calls.Param, "PathValue": calls.Param, "Segments": calls.Segments, "Asset": calls.Asset, "Use": calls.Use,
}

// guess finds calls of which no type is known. A function of the package that is imported
// as flow is flow's; a method may be that of anything.
func guess(file *ast.File, info *types.Info) []call {
	flow := calls.ImportName(file)
	var found []call
	ast.Inspect(file, func(n ast.Node) bool {
		expr, ok := n.(*ast.CallExpr)
		if !ok || info != nil && typeutil.Callee(info, expr) != nil {
			return true
		}
		fun := ast.Unparen(expr.Fun)
		if of, ok := fun.(*ast.IndexExpr); ok { // ViewOf[T]
			fun = of.X
		}
		sel, ok := fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		kind, ok := guessable[sel.Sel.Name]
		x, isName := sel.X.(*ast.Ident)
		ofPackage := isName && flow != "" && x.Name == flow
		if !ok || !ofPackage && (kind == calls.Template || kind == calls.Use) {
			return true
		}
		c := call{Call: calls.Call{Kind: kind, Expr: expr, File: file}, name: sel.Sel.Name, guessed: !ofPackage}
		c.directory = ofPackage && (kind == calls.Path || kind == calls.Dir || kind == calls.Use || c.name == "ViewOf")
		if len(expr.Args) > 0 && kind != calls.Use {
			c.Arg = expr.Args[0]
			c.Literal, c.Value = calls.Literal(c.Arg)
			c.Constant = c.Literal != nil
		}
		if !c.guessed || c.Literal != nil {
			found = append(found, c)
		}
		return true
	})
	return found
}

// position returns where a node stands in its file on disk.
func (code *goCode) position(pos token.Pos) token.Position { return code.fset.PositionFor(pos, false) }
