package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/serve/routes/routetree"
)

// A unit is the Go code of one package, without its tests.
type unit struct {
	dir   string // absolute
	fset  *token.FileSet
	pkg   *types.Package
	files []*ast.File
	info  *types.Info
	calls []calls.Call
	app   *app // the application whose tree is in dir; nil if there is none
	// open: it makes a Router whose tree is not the one in dir, so that nothing is known
	// of its names.
	open bool
	defs map[types.Object][]ast.Expr // what variables are set to
	// holders are the variables that functions without a name are assigned to.
	holders map[*ast.FuncLit]types.Object
	// uses are where functions and variables are used, and places where the calls stand.
	uses    map[types.Object][]codePlace
	places  map[*ast.CallExpr]codePlace
	dynamic map[string]bool            // methods that are called through interfaces
	byName  bool                       // To gets names of methods that are not constant
	withs   map[types.Object]token.Pos // the Files that functions of flow.With get, and where With is called
	news    int                        // how often flow.New is mentioned
	routers map[*types.Package]bool    // other packages that Routers are taken from
}

// An app is a tree of route files that a package embeds and gives to flow.New.
type app struct {
	tree   *routetree.Tree
	shared bool // further trees are given to New, which may hold any +file
	// formats says that the formats of the application are known, and so which files of the tree
	// are pages.
	formats bool
	byPath  map[string]*routetree.Route
	byStem  map[string][]*routetree.Route
}

// newGiven returns the unit of a package that is type-checked already, or nil if it has no
// files but tests.
func newGiven(fset *token.FileSet, pkg *types.Package, files []*ast.File, info *types.Info) *unit {
	files = slices.DeleteFunc(slices.Clone(files), func(f *ast.File) bool {
		name := fileName(fset, f.Package)
		return strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "_cgo_gotypes.go"
	})
	if len(files) == 0 {
		return nil
	}
	return newUnit(filepath.Dir(fileName(fset, files[0].Package)), fset, pkg, files, info)
}

func newUnit(dir string, fset *token.FileSet, pkg *types.Package, files []*ast.File, info *types.Info) *unit {
	u := &unit{dir: dir, fset: fset, pkg: pkg, info: info, files: files}
	u.calls = calls.Find(u.files, info)
	u.readDefs()
	u.readUses()
	u.readWiths()
	u.readApp()
	return u
}

// fileName returns the file of a position, whatever line directives say, other than those
// of cgo, whose files are copies.
func fileName(fset *token.FileSet, pos token.Pos) string {
	name := fset.PositionFor(pos, false).Filename
	if strings.HasSuffix(name, ".cgo1.go") {
		return fset.Position(pos).Filename
	}
	return name
}

// goFile returns the name of a Go file without its directory.
func (u *unit) goFile(f *ast.File) string { return filepath.Base(fileName(u.fset, f.Package)) }

// readDefs notes what each variable is set to, in its declaration or later; nil for what is
// not known, such as the argument that a parameter gets.
func (u *unit) readDefs() {
	u.defs, u.holders = map[types.Object][]ast.Expr{}, map[*ast.FuncLit]types.Object{}
	set := func(to ast.Expr, from ast.Expr) {
		if id, ok := ast.Unparen(to).(*ast.Ident); ok {
			if obj := u.info.ObjectOf(id); obj != nil {
				u.defs[obj] = append(u.defs[obj], from)
				if f, ok := from.(*ast.FuncLit); ok {
					u.holders[f] = obj
				}
			}
		}
	}
	for _, f := range u.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					set(to, valueAt(n.Rhs, len(n.Lhs), i))
				}
			case *ast.ValueSpec:
				for i, to := range n.Names {
					if len(n.Values) > 0 {
						set(to, valueAt(n.Values, len(n.Names), i))
					}
				}
			case *ast.RangeStmt:
				set(n.Key, nil)
				set(n.Value, nil)
			case *ast.UnaryExpr:
				if n.Op == token.AND { // whoever gets the address may set it
					set(n.X, nil)
				}
			case *ast.FuncType:
				for _, param := range n.Params.List {
					for _, name := range param.Names {
						set(name, nil)
					}
				}
			}
			return true
		})
	}
}

// valueAt returns the value that the variable i of n is set to, or nil if one call gives
// several.
func valueAt(values []ast.Expr, n, i int) ast.Expr {
	if len(values) != n {
		return nil
	}
	return ast.Unparen(values[i])
}

// givesRouter reports whether an object is a Router, or a function that returns one.
func givesRouter(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return isRouter(obj.Type())
	case *types.Func:
		for v := range obj.Signature().Results().Variables() {
			if isRouter(v.Type()) {
				return true
			}
		}
	}
	return false
}

func isRouter(t types.Type) bool { return isFlowType(t, "Router") }

// isFlowType reports whether a type is a pointer to a type of flow.
func isFlowType(t types.Type, name string) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && named.Obj().Name() == name && calls.IsFlow(named.Obj().Pkg())
}

// readApp finds out which tree the Routers have that the package makes.
func (u *unit) readApp() {
	called, shared := 0, false
	for _, c := range u.calls {
		if c.Kind != calls.New {
			continue
		}
		called++
		shared = shared || len(c.Expr.Args) > 1 || c.Expr.Ellipsis.IsValid()
		if u.embedVar(c.Arg) == nil {
			u.open = true
		}
	}
	switch {
	case u.news == 0:
	case u.news > called || u.open || !disk.IsDir(filepath.Join(u.dir, routetree.RouterDir)): // New is called by another name, or with another tree
		u.open = true
	default:
		u.app = readTree(u.dir, shared)
	}
}

// readTree reads the tree of a directory as it is on disk.
func readTree(dir string, shared bool) *app {
	module, _ := project.FindModule(dir) // whoever asks for a unit has found it
	formats, known := project.App{Module: module, Dir: dir}.Formats()
	a := &app{
		tree:    routetree.ParseIn(filepath.ToSlash(dir), disk.Dir(dir), nil, formats),
		shared:  shared,
		formats: known,
		byPath:  map[string]*routetree.Route{},
		byStem:  map[string][]*routetree.Route{},
	}
	for _, r := range a.tree.Routes {
		a.byPath[r.Path] = r
		a.byStem[r.Stem] = append(a.byStem[r.Stem], r)
	}
	return a
}

// embedVar returns the variable of the package that an expression names, if it is an
// embed.FS, or else nil.
func (u *unit) embedVar(e ast.Expr) *types.Var {
	if e == nil {
		return nil
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := u.info.Uses[id].(*types.Var)
	if !ok || v.Pkg() != u.pkg || v.Parent() != u.pkg.Scope() || !u.isEmbedFS(v) {
		return nil
	}
	if slices.ContainsFunc(u.defs[v], func(def ast.Expr) bool { return def != nil }) {
		return nil
	}
	return v
}

// isEmbedFS reports whether a variable is an embed.FS. In a package that was not imported
// with the types of embed, its directive tells.
func (u *unit) isEmbedFS(v *types.Var) bool {
	if named, ok := types.Unalias(v.Type()).(*types.Named); ok {
		obj := named.Obj()
		return obj.Pkg() != nil && obj.Pkg().Path() == "embed" && obj.Name() == "FS"
	}
	return len(u.directives()[v]) > 0
}

// A directive is one pattern of a go:embed comment.
type directive struct {
	pos     token.Pos // of the comment
	pattern string
}

// directives returns the patterns of each variable of the package that has any.
func (u *unit) directives() map[*types.Var][]directive {
	found := map[*types.Var][]directive{}
	for _, f := range u.files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				v, ok := u.info.Defs[spec.Names[0]].(*types.Var)
				if !ok {
					continue
				}
				found[v] = append(found[v], parseDirectives(spec.Doc)...)
				if !decl.Lparen.IsValid() {
					found[v] = append(found[v], parseDirectives(decl.Doc)...)
				}
			}
		}
	}
	return found
}

// embedPatterns matches the patterns of a go:embed comment, of which some may be quoted.
var embedPatterns = regexp.MustCompile("`[^`]*`" + `|"(?:[^"\\]|\\.)*"|\S+`)

func parseDirectives(doc *ast.CommentGroup) []directive {
	if doc == nil {
		return nil
	}
	var found []directive
	for _, c := range doc.List {
		rest, ok := strings.CutPrefix(strings.ReplaceAll(c.Text, "\t", " "), "//go:embed ")
		if !ok {
			continue
		}
		for _, pattern := range embedPatterns.FindAllString(rest, -1) {
			if text, err := strconv.Unquote(pattern); err == nil {
				pattern = text
			}
			found = append(found, directive{c.Pos(), path.Clean(pattern)})
		}
	}
	return found
}
