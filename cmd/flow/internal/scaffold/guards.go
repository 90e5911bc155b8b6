package scaffold

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/shell"
)

// An inCall is a call In("admin") that gives middleware to a directory.
type inCall struct {
	dir   string
	known bool   // dir is constant
	text  string // for messages: In("admin") at app/app.go:7
}

// insOf returns the calls of In in the files of a package. One that only gives an error page,
// by OnError, is left out, and so is a method In of something else, as of a time.Time.
func insOf(fset *token.FileSet, files []*ast.File, info *types.Info) (ins []inCall) {
	for _, f := range files {
		seen := map[*ast.CallExpr]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			outer, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			chain := chainOf(outer)
			at := slices.IndexFunc(chain, func(l chainCall) bool { return l.name == "In" && len(l.call.Args) == 1 })
			if at < 0 || seen[chain[at].call] {
				return true
			}
			call := chain[at].call
			seen[call] = true // ast.Inspect comes to the whole chain of calls first
			i := inCall{text: "In"}
			i.dir, i.known = calls.StringOf(call.Args[0], info)
			if name, ok := call.Args[0].(*ast.Ident); ok {
				i.text = fmt.Sprintf("In(%s)", name.Name)
			} else if i.known {
				i.text = fmt.Sprintf("In(%q)", i.dir)
			}
			used := slices.ContainsFunc(chain[:at], func(l chainCall) bool { return l.name == "Use" })
			if used || at == 0 && i.known { // In("admin") may be kept, and used later
				i.text += " at " + shownLine(fset, call.Pos())
				ins = append(ins, i)
			}
			return true
		})
	}
	return ins
}

// insElsewhere returns the calls of In with a constant directory in the packages of the module
// that are no applications, as in main: there they are of a Router. The function flow.In is for
// the package that it stands in. A file with a mistake counts up to there, since a guard that is
// named without need does less harm than one that is not.
func insElsewhere(app project.App) (ins []inCall, err error) {
	apps, err := app.Module.Apps()
	if err != nil {
		return nil, err
	}
	isApp := map[string]bool{app.Dir: true}
	for _, a := range apps {
		isApp[a.Dir] = true
	}
	byDir, fset := map[string][]*ast.File{}, token.NewFileSet()
	err = app.Module.EachFile(fset, ".In(", func(dir string, f *ast.File) {
		if !isApp[dir] && calls.ImportName(f) != "" {
			byDir[dir] = append(byDir[dir], f)
		}
	})
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		ins = append(ins, slices.DeleteFunc(insOf(fset, byDir[dir], typesOf(fset, byDir[dir])), func(i inCall) bool { return !i.known })...)
	}
	return ins, err
}

// guards returns the calls of In whose middleware runs before a route, or may: a directory
// that is known only when the program runs may be any.
func (pkg *goPackage) guards(r *routetree.Route) []string {
	var guards []string
	for _, in := range pkg.ins {
		if !in.known || routetree.Layer(in.dir, r.Path) >= 0 {
			guards = append(guards, in.text)
		}
	}
	return guards
}

// unguarded says which middleware of In runs for other files in the URL directory of a new
// route, or for the URL of that directory, and does not run for the route: the file may have
// been meant to lie beside them.
func unguarded(t *routetree.Tree, pkg *goPackage, r *routetree.Route) (notes []string) {
	dir := urlDir(r)
	if dir == "/" { // what all URLs have in common is no directory
		return nil
	}
	own := pkg.guards(r)
	subject := "It does not have"
	if len(own) == 0 {
		subject = "It is public, and does not have"
	}
	var said []string
	for _, other := range t.Routes {
		layers := routetree.Layers(other.Path)
		at := layers[len(layers)-1] // the directory of users/index, and the one of users beside it
		switch {
		case urlDir(other) == dir:
			at = layers[strings.Count(other.Path, "/")]
		case other.Longest().Key() != dir:
			continue
		}
		for _, guard := range pkg.guards(other) {
			if !slices.Contains(own, guard) && !slices.Contains(said, guard) {
				said = append(said, guard)
				notes = append(notes, fmt.Sprintf("%s the middleware of %s, which %s beside it has. If it should: flow mv %s %s",
					subject, guard, other.File, shell.Quote("./"+r.Path), shell.Quote(at+"/")))
			}
		}
	}
	return notes
}

// urlDir returns the pattern of a route up to its last segment, as a key.
func urlDir(r *routetree.Route) string {
	segments := r.Longest().Segments
	return pattern.New(segments[:max(0, len(segments)-1)]).Key()
}
