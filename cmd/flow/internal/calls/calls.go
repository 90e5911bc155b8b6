// Package calls finds the calls of flow's API in type-checked Go code that speak of the
// tree: with the path of a route file, the name of a route, of a parameter, of a public
// file, and so on. It knows flow's functions by their types, so that dot imports, other
// names of the import and embedded types make no difference.
package calls

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// FlowPath is the import path of flow.
const FlowPath = "example.com/flow"

// A Kind says what a call speaks of, and so what its argument is.
type Kind int

// The kinds of calls. Path, Dir, Template and List are paths below router/.
const (
	Path      Kind = iota + 1 // At: a route file, "users/[id]"
	Dir                       // In: a directory, or a route file with what is below it
	Template                  // View, ViewOf: a page or a partial, "users/+row"
	List                      // Entries: a directory whose pages are listed, "blog"
	Block                     // Response.Block: a template block of a page
	RouteName                 // Route, RedirectTo: the name of a route; the parameters follow
	URL                       // Redirect: a URL
	Label                     // Verb.Name: a name that is given to a route
	Param                     // Param, PathValue, and each key of flow.NewRequest: a parameter
	Segments                  // Segments: a catch-all
	Asset                     // Asset: a public file, "css/app.css"
	Prefix                    // Mount: a prefix of URLs, "/orgs/[org]"
	MountName                 // Mounted.Name: what the names of a mounted Router begin with
	Page                      // Page: the page of the route; no argument to look at
	Bind                      // Request.Bind: the argument is what it fills
	Next                      // Next: the answer of a guard that lets pass; no argument
	Handler                   // Do, To: the argument is the handler, or the controller
	Static                    // flow.GET … flow.Method, flow.With, flow.PageOf: for the counterpart's route; no argument
	Use                       // flow.Use: for the Routers of the directory; no argument
	New                       // flow.New: the argument is the tree
)

// kinds are the names of the kinds.
var kinds = [...]string{Path: "Path", Dir: "Dir", Template: "Template", List: "List", Block: "Block", RouteName: "RouteName", URL: "URL", Label: "Label", Param: "Param", Segments: "Segments", Asset: "Asset", Prefix: "Prefix", MountName: "MountName", Page: "Page", Bind: "Bind", Next: "Next", Handler: "Handler", Static: "Static", Use: "Use", New: "New"}

// String returns the name of the kind.
func (k Kind) String() string { return kinds[k] }

// A Call is one call of flow's API. A call with several arguments that matter, such as
// flow.NewRequest, is several of them.
type Call struct {
	Kind Kind
	Func *types.Func   // what is called
	Expr *ast.CallExpr // the whole call
	File *ast.File     // that it is in
	// Arg is the argument that Kind describes; nil if the call has none, as it is written
	// or because it takes what another call returns: f(g()).
	Arg ast.Expr
	// Value is the constant value of Arg, if Constant: named constants and concatenations
	// are constant, too.
	Value    string
	Constant bool
	// Literal is Arg if it is a plain string in the source, whose text can be replaced, in
	// parentheses or not; else nil.
	Literal *ast.BasicLit
}

// Pos returns where the argument stands, or else the call.
func (c Call) Pos() token.Pos {
	if c.Arg != nil {
		return c.Arg.Pos()
	}
	return c.Expr.Pos()
}

// Name returns how messages call the function: "flow.GET", "At", "Block".
func (c Call) Name() string {
	if c.Kind == Static || c.Kind == Use || c.Kind == New || c.Kind == Next {
		return "flow." + c.Func.Name()
	}
	return c.Func.Name()
}

// ForDirectory reports whether the call is one of a package function that speaks to the
// Routers which are made in the directory of the Go file: flow.GET, flow.At, flow.ViewOf and
// so on.
func (c Call) ForDirectory() bool {
	switch c.Kind {
	case Static, Use:
		return true
	case Path, Dir:
		return c.Func.Signature().Recv() == nil
	case Template:
		return c.Func.Name() == "ViewOf"
	}
	return false
}

// A form is what is to be known of one function: the argument that matters, -1 for none,
// and whether that one and each second one after it are keys.
type form struct {
	kind Kind
	arg  int
	keys bool
}

// forms are the functions of flow by name, methods with the name of their type before.
var forms = map[string]form{
	"At": {Path, 0, false}, "Router.At": {Path, 0, false},
	"In": {Dir, 0, false}, "Router.In": {Dir, 0, false},
	"View": {Template, 0, false}, "ViewOf": {Template, 0, false},
	"Entries":        {List, 1, false},
	"Response.Block": {Block, 0, false},
	"Route":          {RouteName, 0, false}, "Router.Route": {RouteName, 0, false}, "Request.Route": {RouteName, 0, false},
	"RedirectTo":    {RouteName, 0, false},
	"Redirect":      {URL, 0, false},
	"Verb.Name":     {Label, 0, false},
	"Request.Param": {Param, 0, false}, "Request.PathValue": {Param, 0, false},
	"NewRequest":       {Param, 1, true},
	"Request.Segments": {Segments, 0, false},
	"Router.Asset":     {Asset, 0, false}, "Request.Asset": {Asset, 0, false},
	"Router.Mount": {Prefix, 0, false},
	"Mounted.Name": {MountName, 0, false},
	"Page":         {Page, -1, false},
	"Request.Bind": {Bind, 0, false},
	"Next":         {Next, -1, false},
	"Verb.Do":      {Handler, 0, false}, "Verb.To": {Handler, 0, false},
	"GET": {Static, -1, false}, "POST": {Static, -1, false}, "PUT": {Static, -1, false}, "PATCH": {Static, -1, false},
	"DELETE": {Static, -1, false}, "HEAD": {Static, -1, false}, "OPTIONS": {Static, -1, false}, "ANY": {Static, -1, false},
	"Method": {Static, -1, false}, "With": {Static, -1, false}, "PageOf": {Static, -1, false}, "JSONOf": {Static, -1, false},
	"Use": {Use, -1, false},
	"New": {New, 0, false},
}

// Find returns the calls in the files of one package, in the order of their arguments.
// info needs Types, Uses and Selections.
func Find(files []*ast.File, info *types.Info) []Call {
	var found []Call
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if expr, ok := n.(*ast.CallExpr); ok {
				found = append(found, of(expr, file, info)...)
			}
			return true
		})
	}
	slices.SortStableFunc(found, func(a, b Call) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return found
}

// Of returns the call that an expression is, and whether it is one of flow's. For a call
// that is several of them it returns the first.
func Of(expr *ast.CallExpr, file *ast.File, info *types.Info) (Call, bool) {
	if all := of(expr, file, info); len(all) > 0 {
		return all[0], true
	}
	return Call{}, false
}

func of(expr *ast.CallExpr, file *ast.File, info *types.Info) []Call {
	called, ok := typeutil.Callee(info, expr).(*types.Func)
	if !ok {
		return nil
	}
	called = called.Origin()
	f, ok := forms[nameOf(called)]
	if !ok {
		return nil
	}
	c := Call{Kind: f.kind, Func: called, Expr: expr, File: file}
	switch {
	case f.keys && expr.Ellipsis.IsValid():
		return nil
	case f.keys:
		var keys []Call
		for i := f.arg; i < len(expr.Args); i += 2 {
			keys = append(keys, c.with(expr.Args[i], info))
		}
		return keys
	case f.arg >= 0 && f.arg < len(expr.Args):
		return []Call{c.with(expr.Args[f.arg], info)}
	}
	return []Call{c}
}

// with returns the call with its argument. A call that returns several values is all arguments
// of the call around it, and none of them.
func (c Call) with(arg ast.Expr, info *types.Info) Call {
	if _, isTuple := info.TypeOf(arg).(*types.Tuple); isTuple {
		return c
	}
	c.Arg = arg
	c.Value, c.Constant = StringOf(arg, info)
	c.Literal, _ = Literal(arg)
	return c
}

// Literal returns a plain string in the source, in parentheses or not, with its value, or nil.
func Literal(e ast.Expr) (lit *ast.BasicLit, value string) {
	if lit, ok := ast.Unparen(e).(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if value, err := strconv.Unquote(lit.Value); err == nil {
			return lit, value
		}
	}
	return nil, ""
}

// StringOf returns the value of a constant string.
func StringOf(e ast.Expr, info *types.Info) (string, bool) {
	v := info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// nameOf returns the key of a function in forms, or "" if it is none of flow's.
func nameOf(f *types.Func) string {
	if !IsFlow(f.Pkg()) {
		return ""
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Name()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj().Name() + "." + f.Name()
	}
	return ""
}

// IsFlow reports whether a package is flow itself, as others import it or with its tests.
func IsFlow(p *types.Package) bool {
	if p == nil {
		return false
	}
	path, _, _ := strings.Cut(p.Path(), " ") // "example.com/flow [example.com/flow.test]"
	return path == FlowPath
}

// ImportName returns what a file calls flow; "" if it does not import it.
func ImportName(file *ast.File) string {
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == FlowPath {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return "flow"
		}
	}
	return ""
}
