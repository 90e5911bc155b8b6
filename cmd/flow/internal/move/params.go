package move

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
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

// rewriteTemplates looks at all templates of the application, and at the names of routes
// in those of others.
func (p *planner) rewriteTemplates() {
	for _, src := range p.c.before.Templates {
		p.template(p.path(src.InTree), src.InTree)
	}
	for _, o := range p.others {
		for _, src := range o.tree.Templates {
			p.template(filepath.Join(o.app.Dir, filepath.FromSlash(src.InTree)), "")
		}
	}
	p.plainFiles()
}

// template looks at one template. name is its name in the tree, or "" if it is of another
// application.
func (p *planner) template(file, name string) {
	text, err := p.text(file)
	if err != nil {
		p.left(file, 0, "it cannot be read: %v", err)
		return
	}
	src, err := readTemplate(text)
	if err != nil {
		p.left(file, 0, "it cannot be parsed, so that nothing in it was rewritten: %v", err)
	}
	for _, h := range p.finder.find(src.plain) {
		p.hit(file, lineAt(text, h.offset), h)
	}
	for _, m := range src.mentions {
		at := place{file: file, line: lineAt(text, m.offset), offset: m.offset, size: m.size, sure: m.sure, literal: m.literal, what: fmt.Sprintf("{{%s %q}}", m.name, m.value)}
		if m.literal {
			at.text = text[m.offset : m.offset+m.size]
		} else {
			at.what = fmt.Sprintf("{{%s …}}", m.name)
		}
		p.mention(at, m, name)
	}
}

// mention rewrites what a template says of the tree.
func (p *planner) mention(at place, m mention, name string) {
	switch {
	case m.kind == calls.Template && name != "":
		now, v := p.c.partials.rewrite(m.value)
		p.settle(at, m.value, now, v, ours)
	case m.kind == calls.Asset && name != "" && m.literal:
		now, v := p.asset(m.value)
		p.settle(at, m.value, now, v, ours)
	case m.kind == calls.Asset && name != "" && !p.movesRoutes():
		p.left(at.file, at.line, "%s: the name is known only when it runs: it may be that of what moves", at.what)
	case m.kind == calls.RouteName:
		p.mentionedRoute(at, m, name)
	case m.kind == calls.Param || m.kind == calls.Segments:
		changed := p.paramChanges(m.value)
		if len(changed) == 0 || !m.literal {
			return
		}
		r := p.c.moved(name)
		switch {
		case r != nil && m.sure && r.renamed[m.value] != "":
			p.settle(at, m.value, r.renamed[m.value], rewritten, ours)
		case r != nil || role(name) != "route file" || !m.sure:
			p.left(at.file, at.line, "%s: %s in %s", at.what, changed[0].paramsText(), changed[0].after.File)
		}
	}
}

// mentionedRoute rewrites the name of a route in a template, and the keys of its
// parameters.
func (p *planner) mentionedRoute(at place, m mention, name string) {
	if !m.literal {
		if p.renames() && m.sure {
			p.left(at.file, at.line, "%s: the name is known only when it runs: it may be that of what moves", at.what)
		}
		return
	}
	now, v, r := p.nameVerdict(m.value)
	o := ours
	if name == "" {
		o = p.owner(at.file, func(o *other) bool { return o.names[m.value] })
	}
	p.settle(at, m.value, now, v, o)
	if r == nil || o == theirs || !r.changesParams() {
		return
	}
	given := map[string]bool{}
	for _, k := range m.keys {
		kp := at
		kp.offset, kp.size, kp.literal, kp.text = k.offset, k.size, k.literal, ""
		if text, err := p.text(at.file); err == nil {
			kp.line = lineAt(text, k.offset)
			if k.literal {
				kp.text = text[k.offset : k.offset+k.size]
			}
		}
		p.key(kp, k.value, k.literal, r, o)
		given[cmp.Or(r.renamed[k.value], k.value)] = true
	}
	p.missing(at, r, given)
}

// lineAt returns the line of an offset in a text.
func lineAt(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
