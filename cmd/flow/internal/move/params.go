package move

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// renamedOf returns the route file that a Go file is the counterpart or its test of, if
// the route moves and a parameter of that name is called otherwise then or is gone. known
// says that the file is the counterpart of a route at all.
func (p *planner) renamedOf(file, param string) (r *route, known bool) {
	name := p.routeOfFile(file)
	if name == "" {
		return nil, false
	}
	r = p.c.moved(name)
	if r == nil || r.renamed[param] == "" && !slices.Contains(r.removed, param) {
		return nil, true
	}
	return r, true
}

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
func (p *planner) param(f *goFile, at place, c call) {
	if !p.changesParams() {
		return // none is called otherwise
	}
	if !c.Constant {
		if r, known := p.renamedOfAny(f.name); r != nil || !known {
			p.left(at.file, at.line, "%s: the name is known only when it runs: %s", at.what, p.allParams())
		}
		return
	}
	p.paramName(f, at, c.Expr, c.Value)
}

// renamedOfAny is renamedOf for any parameter.
func (p *planner) renamedOfAny(file string) (r *route, known bool) {
	name := p.routeOfFile(file)
	if r = p.c.moved(name); r != nil && !r.changesParams() {
		r = nil
	}
	return r, name != ""
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

func (p *planner) paramName(f *goFile, at place, expr ast.Expr, value string) {
	changed := p.paramChanges(value)
	if len(changed) == 0 {
		return
	}
	r, known := p.renamedOf(f.name, value)
	callers, tests := p.use.elsewhere(f, enclosing(f.file, expr.Pos()))
	switch {
	case known && r == nil && len(callers) == 0: // it speaks of another route, which keeps the parameter
	case r == nil || r.renamed[value] == "":
		p.left(at.file, at.line, "%s: %s in %s", at.what, changed[0].paramsText(), changed[0].after.File)
	case len(callers) > 0:
		p.left(at.file, at.line, "%s: %q is called %q in %s, but %s:%d calls this function, too", at.what, value, r.renamed[value], r.after.File, Shown(callers[0].Filename), callers[0].Line)
	default:
		p.settle(at, value, r.renamed[value], rewritten, ours)
		for _, pos := range tests {
			p.left(pos.Filename, pos.Line, "what is called here asks for the parameter %q now, and no more for %q", r.renamed[value], value)
		}
	}
}

// pathValue looks at calls of net/http's Request.PathValue, which gives the same values.
func (p *planner) pathValue(f *goFile, expr *ast.CallExpr) {
	sel, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "PathValue" && sel.Sel.Name != "SetPathValue" || len(expr.Args) == 0 || !p.changesParams() {
		return
	}
	if slices.ContainsFunc(f.calls, func(c call) bool { return c.Expr == expr }) {
		return
	}
	lit, value, ok := literal(expr.Args[0])
	pos := p.code.position(expr.Args[0].Pos())
	at := place{file: f.name, line: pos.Line, what: fmt.Sprintf("%s(%q)", sel.Sel.Name, value), sure: f.info != nil, literal: ok}
	if ok {
		at.offset, at.size, at.text = pos.Offset, len(lit.Value), lit.Value
		p.paramName(f, at, expr, value)
	}
}

// tag tells of struct tags by which Bind takes a parameter.
func (p *planner) tag(f *goFile, lit *ast.BasicLit) {
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return
	}
	name, ok := reflect.StructTag(text).Lookup("param")
	name, _, _ = strings.Cut(name, ",")
	if changed := p.paramChanges(name); ok && len(changed) > 0 {
		p.left(f.name, p.code.position(lit.Pos()).Line, "the tag param:%q: %s in %s", name, changed[0].paramsText(), changed[0].after.File)
	}
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

// uses says where functions are used. A function is known by the position of its name,
// since a package and its test variant have objects of their own.
type uses struct {
	code *goCode
	of   map[string][]useOf
}

type useOf struct {
	file *goFile
	pos  token.Pos
}

func (code *goCode) place(pos token.Pos) string {
	p := code.position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Offset)
}

func findUses(code *goCode) *uses {
	u := &uses{code, map[string][]useOf{}}
	for _, f := range code.files {
		if f.info == nil {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if fn, ok := f.info.Uses[id].(*types.Func); ok && fn.Pos().IsValid() {
					key := code.place(fn.Origin().Pos())
					u.of[key] = append(u.of[key], useOf{f, id.Pos()})
				}
			}
			return true
		})
	}
	return u
}

// elsewhere returns the places outside of a Go file, and of the test that is called like
// it, from which a function of the file is reached: those in tests apart.
func (u *uses) elsewhere(f *goFile, fn *ast.FuncDecl) (code, tests []token.Position) {
	seen := map[*ast.FuncDecl]bool{}
	var look func(fn *ast.FuncDecl)
	look = func(fn *ast.FuncDecl) {
		if fn == nil || seen[fn] {
			return
		}
		seen[fn] = true
		for _, use := range u.of[u.code.place(fn.Name.Pos())] {
			pos := u.code.position(use.pos)
			switch name := use.file.name; {
			case name == f.name:
				look(enclosing(f.file, use.pos))
			case strings.TrimSuffix(name, "_test.go") == strings.TrimSuffix(f.name, ".go"):
			case strings.HasSuffix(name, "_test.go"):
				tests = append(tests, pos)
			default:
				code = append(code, pos)
			}
		}
	}
	look(fn)
	return code, tests
}
