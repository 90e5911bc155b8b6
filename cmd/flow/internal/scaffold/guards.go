package scaffold

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/routetree"
)

// An in is a call In("admin") that gives middleware to a directory.
type in struct {
	dir ast.Expr // the argument
	pos string
}

// addIns notes the calls of In in a file. One that only gives an error page, by OnError, is
// none, nor is the method In of something else, as of a time.Time.
func (pkg *goPackage) addIns(fset *token.FileSet, f *ast.File) {
	seen := map[*ast.CallExpr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		outer, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		call, methods := inCall(outer)
		if call == nil || seen[call] {
			return true
		}
		seen[call] = true // ast.Inspect comes to the whole chain of calls first
		_, literal := text(call.Args[0])
		if slices.Contains(methods, "Use") || len(methods) == 0 && literal { // In("admin") may be kept, and used later
			pos := fset.Position(call.Pos())
			pkg.ins = append(pkg.ins, in{call.Args[0], fmt.Sprintf("%s:%d", pos.Filename, pos.Line)})
		}
		return true
	})
}

// inCall returns the call of In that a chain of calls begins with, and the methods that are
// called of it: Use and OnError of flow.In("admin").Use(g).OnError(f).
func inCall(call *ast.CallExpr) (in *ast.CallExpr, methods []string) {
	for {
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil, nil
		}
		if called.Sel.Name == "In" && len(call.Args) == 1 {
			return call, methods
		}
		methods = append(methods, called.Sel.Name)
		if call, ok = called.X.(*ast.CallExpr); !ok {
			return nil, nil
		}
	}
}

// guards returns the calls of In whose middleware runs before a route, or may: a directory
// that is known only when the program runs may be any.
func (pkg *goPackage) guards(r *routetree.Route) []string {
	var guards []string
	for _, in := range pkg.ins {
		dir, known := text(in.dir)
		written := fmt.Sprintf("In(%q)", dir)
		if name, ok := in.dir.(*ast.Ident); ok {
			dir, known = pkg.consts[name.Name]
			written = fmt.Sprintf("In(%s)", name.Name)
		} else if !known {
			written = "In"
		}
		if !known || routetree.Layer(dir, r.Path) >= 0 {
			guards = append(guards, written+" at "+in.pos)
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
		case pattern.New(longest(other)).Key() != dir:
			continue
		}
		for _, guard := range pkg.guards(other) {
			if !slices.Contains(own, guard) && !slices.Contains(said, guard) {
				said = append(said, guard)
				notes = append(notes, fmt.Sprintf("%s the middleware of %s, which %s beside it has. If it should: flow mv %s %s",
					subject, guard, other.File, project.Quoted("./"+r.Path), project.Quoted(at+"/")))
			}
		}
	}
	return notes
}

// urlDir returns the pattern of a route up to its last segment, as a key.
func urlDir(r *routetree.Route) string {
	segments := longest(r)
	return pattern.New(segments[:max(0, len(segments)-1)]).Key()
}
