package calls

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/tools/go/packages"
)

func TestFindListsCallsWithTheirArguments(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         string // the calls, one per line: line, function, kind, argument
	}{
		{"paths", `package p
import "example.com/flow"
func f(r *flow.Router) {
	flow.At("users/[id]")
	r.At("about")
	flow.In("")
	r.In("(admin)")
	flow.View("users/+row", nil).Block("name")
	flow.ViewOf[int]("users/+row")(1).Block("count")
	page := flow.PageOf[string]("block")
	page("x").Block("other")
}`, `
4 At Path "users/[id]" literal directory
5 At Path "about" literal
6 In Dir "" literal directory
7 In Dir "(admin)" literal
8 View Template "users/+row" literal
8 Block Block "name" literal
9 ViewOf Template "users/+row" literal directory
9 Block Block "count" literal
10 flow.PageOf Static directory
11 Block Block "other" literal`},
		{"names", `package p
import "example.com/flow"
func f(r *flow.Router, req *flow.Request) {
	flow.Route("a", "id", 1)
	r.Route("b")
	req.Route("c")
	flow.RedirectTo("d")
	r.At("x").GET().Name("e")
	flow.Redirect("/x"); r.Mount("/f/[g]", nil).Name("h")
}`, `
4 Route RouteName "a" literal
5 Route RouteName "b" literal
6 Route RouteName "c" literal
7 RedirectTo RouteName "d" literal
8 At Path "x" literal
8 Name Label "e" literal
9 Redirect URL "/x" literal
9 Mount Prefix "/f/[g]" literal
9 Name MountName "h" literal`},
		{"of a request", `package p
import "example.com/flow"
func f(r *flow.Router, req *flow.Request) {
	req.Param("a")
	req.PathValue("b")
	req.Segments("c")
	req.Asset("d")
	r.Asset("e")
	req.Request.PathValue("net/http's own")
	flow.NewRequest(nil, "k1", "v1", "k2", "v2", "odd")
	flow.NewRequest(nil)
	r.NewRequest(nil)
	flow.Page("data")
	req.Bind(r)
	flow.Next().Header("a", "b")
}`, `
4 Param Param "a" literal
5 PathValue Param "b" literal
6 Segments Segments "c" literal
7 Asset Asset "d" literal
8 Asset Asset "e" literal
10 NewRequest Param "k1" literal
10 NewRequest Param "k2" literal
10 NewRequest Param "odd" literal
13 Page Page
14 Bind Bind ?
15 flow.Next Next`},
		{"registrations", `package p
import "example.com/flow"
func h(*flow.Request) string { return "" }
func f(r *flow.Router, file *flow.File) {
	flow.GET().Do(h)
	flow.Method("LOCK").To(r, "Show")
	flow.With(func(f *flow.File, v int) { f.POST().Do(h) })
	flow.With[string](nil)
	flow.Use()
	r.Use()
	file.GET()
	flow.New(nil)
}`, `
5 flow.GET Static directory
5 Do Handler ?
6 flow.Method Static directory
6 To Handler ?
7 flow.With Static directory
7 Do Handler ?
8 flow.With Static directory
9 flow.Use Use directory
12 flow.New New ?`},
		{"constants", `package p
import "example.com/flow"
const users = "users"
type text string
var about = "about"
func pair() (string, any) { return "", nil }
func both() (string, string) { return "", "" }
func f() {
	flow.At(users)
	flow.At(users + "/[id]")
	flow.At(("x"))
	flow.At(` + "`raw`" + `)
	flow.At(about)
	flow.At(string(text("t")))
	flow.View(pair())
}`, `
9 At Path "users" directory
10 At Path "users/[id]" directory
11 At Path "x" literal directory
12 At Path "raw" literal directory
13 At Path ? directory
14 At Path "t" directory
15 View Template`},
		{"under other names", `package p
import . "example.com/flow"
import other "example.com/flow"
type router struct{ *Router }
type alias = other.Router
func f(r router, a *alias, d interface{ At(string) *File }) {
	At("dot")
	other.At("other")
	r.At("embedded")
	a.At("alias")
	(r.At)("parentheses")
	d.At("an interface of others")
}`, `
7 At Path "dot" literal directory
8 At Path "other" literal directory
9 At Path "embedded" literal
10 At Path "alias" literal
11 At Path "parentheses" literal`},
		{"of others", `package p
type Router struct{}
func (Router) At(string) {}
func At(string) {}
func f() { At("x"); Router{}.At("y"); func(string) {}("z"); _ = string("w") }`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			fset, files, info := load(t, tt.source)
			is.Equal(show(fset, Find(files, info)), strings.TrimPrefix(tt.want, "\n"))
		})
	}
}

func TestOfReadsACallOfFlow(t *testing.T) {
	is := is.New(t)
	_, files, info := load(t, "package p\nimport \"example.com/flow\"\nfunc f() { flow.At(\"x\"); println() }\n")
	var names []string
	ast.Inspect(files[0], func(n ast.Node) bool {
		if expr, ok := n.(*ast.CallExpr); ok {
			c, ok := Of(expr, files[0], info)
			names = append(names, fmt.Sprint(c.Value, ok))
		}
		return true
	})
	is.Equal(strings.Join(names, ","), "xtrue,false")
}

// load type-checks one file that may import flow.
func load(t *testing.T, source string) (*token.FileSet, []*ast.File, *types.Info) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the go command")
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if _, err := (&types.Config{Importer: flowOnly{}}).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	return fset, []*ast.File{file}, info
}

// library is the directory of flow, whose module has the sums of what it needs.
const library = "../../../.."

// flowOnly imports flow and nothing else.
type flowOnly struct{}

func (flowOnly) Import(path string) (*types.Package, error) {
	if path != FlowPath {
		return nil, fmt.Errorf("the package %s is not imported in this test", path)
	}
	return loadFlow()
}

var loadFlow = sync.OnceValues(func() (*types.Package, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile, Dir: library}, FlowPath)
	if err != nil {
		return nil, err
	}
	if len(pkgs[0].Errors) > 0 {
		return nil, fmt.Errorf("flow cannot be loaded: %v", pkgs[0].Errors)
	}
	return pkgs[0].Types, nil
})

func show(fset *token.FileSet, found []Call) string {
	var lines []string
	for _, c := range found {
		line := fmt.Sprintf("%d %s %v", fset.Position(c.Pos()).Line, c.Name(), c.Kind)
		switch {
		case c.Constant:
			line += fmt.Sprintf(" %q", c.Value)
		case c.Arg != nil:
			line += " ?"
		}
		if c.Literal != nil {
			line += " literal"
		}
		if c.ForDirectory() {
			line += " directory"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
