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
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/project"
)

// Analyzer reports calls of flow's API that the tree of route files does not fit.
var Analyzer = &analysis.Analyzer{
	Name: "flow",
	Doc:  "report calls of flow's API that do not fit the tree of route files\n\nIt looks at what only Go's source shows: constant names and paths that the tree does not have, go:embed directives that leave files out, and registrations that no Router gets.",
	Run:  run,
}

func run(pass *analysis.Pass) (_ any, err error) {
	defer func() { // "go vet" runs this in a goroutine of its own
		if v := recover(); v != nil {
			err = cli.Bug([]string{"vet", pass.Pkg.Path()}, v)
		}
	}()
	u := newGiven(pass.Fset, pass.Pkg, pass.Files, pass.TypesInfo)
	if u == nil || flowOf(u.pkg) == nil {
		return nil, nil
	}
	at, err := project.FindModule(u.dir)
	if err != nil {
		return nil, err
	}
	m, err := readModule(at, map[string]*unit{u.dir: u})
	if err != nil {
		return nil, err
	}
	c := &checker{u, m, pass.IgnoredFiles, pass.Report}
	c.checkAll()
	return nil, nil
}

// A checker looks at one package.
type checker struct {
	*unit
	module  *module  // that the package is of; only read, since other checkers have it too
	ignored []string // Go files of the package that are not built
	found   func(analysis.Diagnostic)
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
	c.found(analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// checkAll looks at all that the package says.
func (c *checker) checkAll() {
	c.checkEmbedded()
	c.checkDirectory()
	c.checkHandlers()
	for _, call := range c.calls {
		if check := checks[call.Kind]; check != nil {
			check(c, call)
		}
	}
}

// checks look at what one call says.
var checks = map[calls.Kind]func(*checker, calls.Call){
	calls.Path:      (*checker).checkPath,
	calls.Dir:       (*checker).checkDir,
	calls.Template:  (*checker).checkTemplate,
	calls.List:      (*checker).checkList,
	calls.Block:     (*checker).checkBlock,
	calls.RouteName: (*checker).checkRoute,
	calls.URL:       (*checker).checkRedirect,
	calls.Param:     (*checker).checkParam,
	calls.Segments:  (*checker).checkParam,
	calls.Bind:      (*checker).checkBind,
	calls.Asset:     (*checker).checkAsset,
	calls.Page:      (*checker).checkPage,
	calls.Static:    (*checker).checkStatic,
	calls.Use:       (*checker).checkStatic,
}
