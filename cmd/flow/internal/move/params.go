package move

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
)

// paramChanges returns what a parameter of that name is called now in some route, and
// whether there is one that has it no more.
func (p *planner) paramChanges(param string) (routes []*route) {
	for _, r := range p.c.routes {
		if r.renamed[param] != "" || slices.Contains(r.removed, param) {
			routes = append(routes, r)
		}
	}
	return routes
}

func (p *planner) changesParams() bool {
	return slices.ContainsFunc(p.c.routes, (*route).changesParams)
}

// param rewrites the name of a parameter where it is surely that of a route that moves: in
// its counterpart, in a function that nothing else calls.
func (p *planner) param(f *goFile, ref reference, expr *ast.CallExpr) {
	if !p.changesParams() {
		return // none is called otherwise
	}
	s := p.serves(f, expr.Pos())
	if !ref.known {
		if len(s.unknown) > 0 || slices.ContainsFunc(p.c.routes, func(r *route) bool { return r.changesParams() && s.has(r) }) {
			p.leave(ref, "the name is known only when it runs: %s", p.allParams())
		}
		return
	}
	change, shared := p.changedParam(s, ref.value)
	now := p.renamedParam(f, s, ref.value)
	switch {
	case change == "":
	case shared || now == "":
		p.leave(ref, "%s", change)
	case len(s.unknown) > 0:
		p.leave(ref, "%s, but %s calls this function, too", change, shownLine(s.unknown[0]))
	default:
		p.settle(ref, now, rewritten, ours)
		for _, pos := range s.tests {
			if strings.TrimSuffix(pos.Filename, "_test.go") != strings.TrimSuffix(f.name, ".go") {
				p.left(pos.Filename, pos.Line, "what is called here asks for the parameter %q now, and no more for %q", now, ref.value)
			}
		}
	}
}

// renamedParam returns what a parameter is called now in the route of a counterpart, "" if
// this has no other name for it or the code does not run for the route.
func (p *planner) renamedParam(f *goFile, s codeRoutes, name string) string {
	if r := p.c.moved(p.routeOfFile(f.name)); r != nil && s.has(r) {
		return r.renamed[name]
	}
	return ""
}

// allParams says what becomes of the parameters of all routes.
func (p *planner) allParams() string {
	var all []string
	for _, r := range p.c.routes {
		if text := r.paramsText(); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// changedParam says what has become of a parameter that code asks for which runs for these
// routes, or "" if it is the same in all of them. shared says that the code also runs for
// routes that keep the parameter.
func (p *planner) changedParam(s codeRoutes, value string) (text string, shared bool) {
	changed := p.paramChanges(value)
	known := slices.DeleteFunc(slices.Clone(changed), func(r *route) bool { return !s.has(r) })
	if len(known) > 0 {
		changed = known
	} else if len(changed) == 0 || len(s.unknown) == 0 && !s.partial { // it runs for no other routes
		return "", false
	}
	text = fmt.Sprintf("%s in %s", changed[0].paramsText(), changed[0].after.File)
	var keep []string
	for _, r := range p.c.before.Routes {
		if pos, ok := s.routes[r.InTree()]; ok && slices.Contains(r.Longest().Names, value) && !slices.Contains(changed, p.c.moved(r.InTree())) {
			keep = append(keep, p.app.Shown(p.c.new(r.InTree()))+reachedAt(pos))
		}
	}
	for _, pos := range s.theirs {
		keep = append(keep, "another application"+reachedAt(pos))
	}
	if len(keep) > 0 {
		text += fmt.Sprintf(", but it runs for %s, too, where %q stays", strings.Join(keep, " and "), value)
	}
	return text, len(keep) > 0
}

// reachedAt says from where code is reached, if it is from elsewhere.
func reachedAt(pos token.Position) string {
	if !pos.IsValid() {
		return ""
	}
	return fmt.Sprintf(" (%s)", shownLine(pos))
}

func shownLine(pos token.Position) string { return fmt.Sprintf("%s:%d", Shown(pos.Filename), pos.Line) }

// pathValue looks at calls of net/http's Request.PathValue, which gives the same values.
func (p *planner) pathValue(f *goFile, expr *ast.CallExpr) {
	sel, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "PathValue" && sel.Sel.Name != "SetPathValue" || len(expr.Args) == 0 || slices.ContainsFunc(f.calls, func(c call) bool { return c.Expr == expr }) {
		return
	}
	if t := p.argumentOf(f, expr.Args[0]); t.size > 0 {
		p.param(f, reference{argument: t, what: fmt.Sprintf("%s(%q)", sel.Sel.Name, t.value), file: f.name, sure: f.info != nil}, expr)
	}
}

// tag rewrites struct tags by which Bind, and the input of a handler, take a parameter: in the
// counterpart of a route that moves, if nothing else fills the struct. It tells of others.
func (p *planner) tag(f *goFile, lit *ast.BasicLit) {
	_, text := calls.Literal(lit)
	tag, ok := reflect.StructTag(text).Lookup("param")
	name, _, _ := strings.Cut(tag, ",")
	s := p.serves(f, lit.Pos())
	change, shared := p.changedParam(s, name)
	if !ok || change == "" {
		return
	}
	pos, now := p.code.position(lit.Pos()), p.renamedParam(f, s, name)
	at := strings.Index(lit.Value, fmt.Sprintf("param:%q", tag))
	plain := at > 0 && strings.Contains("` ", lit.Value[at-1:at]) // and not the end of another key, or escaped
	if shared || len(s.unknown) > 0 || f.info == nil || !plain || now == "" {
		p.left(f.name, pos.Line, "the tag param:%q: %s", name, change)
		return
	}
	p.edit(f.name, pos.Offset+at+len(`param:"`), len(name), now)
}

// enclosing returns the function declaration around a position, or nil.
func enclosing(file *ast.File, pos token.Pos) *ast.FuncDecl {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= pos && pos < fn.End() {
			return fn
		}
	}
	return nil
}
