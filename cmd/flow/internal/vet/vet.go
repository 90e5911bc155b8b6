// Package vet says what only the Go source of an application shows: names and paths in
// calls of flow's API that the tree of route files does not have, embed directives that
// leave files out, and registrations that no Router gets. [Analyzer] looks at one package,
// as "go vet -vettool" asks it to, and [Command] is "flow vet".
//
// Where something cannot be known from the source the analyzer is silent. Tests are not
// looked at: they run.
package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"example.com/flow/cmd/flow/internal/calls"
)

// Analyzer reports calls of flow's API that the tree of route files does not fit.
var Analyzer = &analysis.Analyzer{
	Name: "flow",
	Doc:  "report calls of flow's API that do not fit the tree of route files\n\nIt looks at what only Go's source shows: constant names and paths that the tree does not have, go:embed directives that leave files out, and registrations that no Router gets.",
	Run:  run,
}

// A checker looks at one package.
type checker struct {
	*unit
	module *module
	pass   *analysis.Pass
}

func run(pass *analysis.Pass) (any, error) {
	flow := flowOf(pass.Pkg)
	if flow == nil {
		return nil, nil
	}
	files := slices.DeleteFunc(slices.Clone(pass.Files), func(f *ast.File) bool {
		name := fileName(pass.Fset, f.Package)
		return strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "_cgo_gotypes.go"
	})
	if len(files) == 0 {
		return nil, nil
	}
	own := newUnit(filepath.Dir(fileName(pass.Fset, files[0].Package)), pass.Fset, pass.Pkg, files, pass.TypesInfo)
	m, err := readModule(own, flow)
	if err != nil {
		return nil, err
	}
	c := &checker{own, m, pass}
	c.checkEmbedded()
	c.checkDirectory()
	for _, call := range c.calls {
		c.check(call)
	}
	return nil, nil
}

// flowOf returns flow as a package imports it, or nil if it does not, or is flow itself.
func flowOf(pkg *types.Package) *types.Package {
	if calls.IsFlow(pkg) {
		return nil
	}
	for _, p := range pkg.Imports() {
		if calls.IsFlow(p) {
			return p
		}
	}
	return nil
}

func (c *checker) report(pos token.Pos, format string, args ...any) {
	c.pass.Report(analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// check looks at what one call says.
func (c *checker) check(call calls.Call) {
	switch call.Kind {
	case calls.Path:
		c.checkPath(call)
	case calls.Dir:
		c.checkDir(call)
	case calls.Template:
		c.checkTemplate(call)
	case calls.Block:
		c.checkBlock(call)
	case calls.RouteName:
		c.checkRoute(call)
	case calls.Param, calls.Segments:
		c.checkParam(call)
	case calls.Asset:
		c.checkAsset(call)
	case calls.Page:
		c.checkPage(call)
	case calls.Static, calls.Use:
		c.checkStatic(call)
	}
}
