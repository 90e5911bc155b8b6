package move

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/serve/routes/routetree"
)

// labels are the names that Name gives.
type labels struct {
	files  map[string]string // of the route that has it, in the tree before; "" if it is not known
	at     map[string]token.Position
	mounts []string // what the names of mounted Routers begin with, "admin."
	// prefixes are the paths that Routers are mounted at, in segments.
	prefixes [][]string
}

// eachCall calls do for each call in the module.
func (p *planner) eachCall(do func(f *goFile, c call)) {
	for _, f := range p.code.files {
		for _, c := range f.calls {
			do(f, c)
		}
	}
}

// readLabels collects what Name names.
func (p *planner) readLabels() {
	p.names = labels{files: map[string]string{}, at: map[string]token.Position{}}
	p.eachCall(func(f *goFile, c call) {
		switch {
		case !c.Constant:
		case c.Kind == calls.Prefix:
			if prefix := strings.Trim(c.Value, "/"); prefix != "" {
				p.names.prefixes = append(p.names.prefixes, strings.Split(prefix, "/"))
			}
		case c.Kind == calls.MountName:
			p.names.mounts = append(p.names.mounts, c.Value+".")
		case c.Kind != calls.Label || c.guessed && c.Literal == nil:
		default:
			if o := p.otherOf(f.name); o != nil {
				o.names[c.Value] = true
				return
			}
			if file := p.routeOf(f, c.Expr); p.names.files[c.Value] == "" {
				p.names.files[c.Value] = file
			}
			p.names.at[c.Value] = p.code.position(c.Pos())
		}
	})
}

// routeOf returns the route file, by its name in the tree before, that a chain of calls
// such as flow.At("users").GET().Name("x") speaks of; "" if it is not known.
func (p *planner) routeOf(f *goFile, e ast.Expr) string {
	c, begin := f.registration(e)
	switch _, isCall := begin.(*ast.CallExpr); {
	case c.Kind == calls.Path:
		if found := routetree.Find(p.c.paths.before, c.Value); c.Constant && len(found) > 0 {
			return p.c.paths.before[found[0]]
		}
		return ""
	case isCall || c.Kind == calls.Dir:
		return ""
	}
	return p.routeOfFile(f.name)
}

// routeOfFile returns the route file whose counterpart a Go file is, or ""; that of a test
// if the file is called like the test of a counterpart.
func (p *planner) routeOfFile(file string) string {
	if filepath.Dir(file) != p.app.Dir {
		return ""
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".go"), "_test")
	if routes := byStem(p.c.before)[stem]; len(routes) == 1 {
		return routes[0].InTree()
	}
	return ""
}
