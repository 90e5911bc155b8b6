package move

import (
	"go/ast"
	"go/token"
	"go/types"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/types/typeutil"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/routes/pattern"
)

// testURL rewrites a string of a test of the application that is a URL of a file that
// moves, as a row of a table has it. It reports whether that was sure enough to be done.
func (p *planner) testURL(f *goFile, lit *ast.BasicLit, value string) bool {
	if !p.isOurs(f.name) || !strings.HasSuffix(f.name, "_test.go") || f.info == nil {
		return false
	}
	now, ok := p.finder.newURL(value)
	if !ok || !p.isURL(f, lit, now) {
		return false
	}
	pos := p.code.position(lit.Pos())
	p.edit(f.name, pos.Offset, len(lit.Value), quote(now, lit.Value))
	return true
}

// plainURL is a URL of the application with nothing around it. Braces and asterisks are
// those of patterns.
var plainURL = regexp.MustCompile(`^/[^\s"'<>` + "`" + `,;\\{}\[\]*]*$`)

// newURL returns the URL that answers as an old one did. ok is false if that is not sure:
// if other files answer the old one, too, before or after the move, or if the new one needs
// values that the old one does not have.
func (f *finder) newURL(text string) (now string, ok bool) {
	old, isPath := pathOf(text)
	segments, _ := split(old)
	if !isPath || !plainURL.MatchString(text) || slices.Contains(segments, string(hole)) {
		return "", false
	}
	now, ok = f.newPath(old)
	return now + text[len(old):], ok
}

// newPath is newURL for a path, whose segments may be references such as {{id}}.
func (f *finder) newPath(old string) (now string, ok bool) {
	segments, open := split(old)
	raw := strings.Split(strings.TrimPrefix(old, "/"), "/")
	if open || len(segments) == 0 || slices.ContainsFunc(raw, isUnclean) {
		return "", false
	}
	if slices.ContainsFunc(f.mounts, func(prefix []string) bool { return isBelowPrefix(segments, prefix) }) || answerer(f.after, segments) != nil {
		return "", false
	}
	was := answerer(f.targets, segments)
	if was == nil {
		return "", false
	}
	for _, t := range f.targets {
		if t.pattern.Key() != was.pattern.Key() {
			continue
		}
		moved, sure := t.newURL(segments, raw)
		if !sure || now != "" && moved != now {
			return "", false
		}
		now = moved
	}
	read, _ := split(now)
	if is := answerer(f.after, read); is == nil || is.file != f.c.new(was.file) {
		return "", false
	}
	return now, true
}

// isUnclean reports whether a segment of a path is one that redirects lead away from.
func isUnclean(segment string) bool { return segment == "" || segment == "." || segment == ".." }

// answerer returns the most specific of the targets, which are in this order, that may
// answer the path of these segments, or nil.
func answerer(targets []target, segments []string) *target {
	i := slices.IndexFunc(targets, func(t target) bool { return takes(t.pattern.Segments, segments) })
	if i < 0 {
		return nil
	}
	return &targets[i]
}

// newURL returns the URL of the target after the move for the values that an old URL has.
// raw are its segments as they are written.
func (t target) newURL(segments, raw []string) (string, bool) {
	if t.route == nil { // a public file
		return (&url.URL{Path: t.moves}).EscapedPath(), t.moves != ""
	}
	values := map[string][]string{} // by the new names
	for i, seg := range t.pattern.Segments {
		name := seg.Text
		if renamed := t.route.renamed[name]; renamed != "" {
			name = renamed
		}
		switch seg.Kind {
		case pattern.Param:
			values[name] = raw[i : i+1]
		case pattern.Rest:
			values[name] = raw[i:]
		}
	}
	i := slices.IndexFunc(t.now, func(p *pattern.Pattern) bool {
		return len(p.Names) == len(values) && !slices.ContainsFunc(p.Names, func(name string) bool { return values[name] == nil })
	})
	if i < 0 {
		return "", false
	}
	var written []string
	for _, seg := range t.now[i].Segments {
		if seg.Kind == pattern.Literal {
			written = append(written, url.PathEscape(seg.Text))
		} else {
			written = append(written, values[seg.Text]...)
		}
	}
	now := "/" + strings.Join(written, "/")
	read, _ := split(now)
	return now, agree(t.pattern, t.now[i], t.route.renamed) && matches(t.pattern.Segments, segments) && matches(t.now[i].Segments, read)
}

// agree reports whether it is known of all parameters which values they take: the matchers
// are the same in both patterns, or are flow's own.
func agree(old, now *pattern.Pattern, renamed map[string]string) bool {
	isKnown := func(s pattern.Segment) bool { return s.Matcher == nil || s.Matcher.Fits != nil }
	return !slices.ContainsFunc(old.Names, func(name string) bool {
		before, _ := old.Param(name)
		if renamed[name] != "" {
			name = renamed[name]
		}
		after, _ := now.Param(name)
		return matcherName(before) != matcherName(after) && !(isKnown(before) && isKnown(after))
	})
}

// matches is takes, with the matcher of a catch-all.
func matches(pat []pattern.Segment, segments []string) bool {
	if n := len(pat); n > 0 && pat[n-1].Kind == pattern.Rest && len(segments) >= n {
		if slices.ContainsFunc(segments[n-1:], func(s string) bool { return !fits(pat[n-1], s) }) {
			return false
		}
	}
	return takes(pat, segments)
}

// isURL reports whether a string in a test can be nothing but a URL that the application is
// asked for, or that it answers with: it is no piece of another string, and the test makes
// no server of its own. now is what is to be written.
func (p *planner) isURL(f *goFile, lit *ast.BasicLit, now string) bool {
	path, _ := astutil.PathEnclosingInterval(f.file, lit.Pos(), lit.End())
	path = slices.DeleteFunc(path, func(n ast.Node) bool { _, ok := n.(*ast.ParenExpr); return ok })
	switch n := path[1].(type) {
	case *ast.BinaryExpr:
		if n.Op == token.ADD && !isBehindServer(f, n, lit, path[2]) {
			return false
		}
	case *ast.CallExpr:
		if takesPieces(f, n) {
			return false
		}
	case *ast.KeyValueExpr:
		if n.Key == lit && hasString(path[2], now) {
			return false
		}
	case *ast.CaseClause:
		if hasString(path[3], now) {
			return false
		}
	case *ast.ValueSpec:
		if slices.ContainsFunc(n.Names, func(name *ast.Ident) bool { return p.isAdded(f.info.Defs[name]) }) {
			return false
		}
	case *ast.AssignStmt:
		if slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool {
			id, ok := e.(*ast.Ident)
			return ok && p.isAdded(f.info.ObjectOf(id))
		}) {
			return false
		}
	}
	return !hasHandler(enclosing(f.file, lit.Pos())) && !p.ofOwnRouter(f, lit.Pos())
}

// isBehindServer reports whether a string is the path behind the URL of a test server,
// server.URL + "/users", and nothing is added to it.
func isBehindServer(f *goFile, sum *ast.BinaryExpr, lit *ast.BasicLit, around ast.Node) bool {
	if outer, ok := around.(*ast.BinaryExpr); ok && outer.Op == token.ADD || ast.Unparen(sum.Y) != lit {
		return false
	}
	sel, ok := ast.Unparen(sum.X).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "URL" {
		return false
	}
	server := f.info.TypeOf(sel.X)
	if ptr, ok := server.(*types.Pointer); ok {
		server = ptr.Elem()
	}
	return server != nil && server.String() == "net/http/httptest.Server"
}

// takesPieces reports whether a function may be given a piece of a URL.
func takesPieces(f *goFile, expr *ast.CallExpr) bool {
	fn := typeutil.Callee(f.info, expr)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	return slices.Contains([]string{"bytes", "fmt", "path", "path/filepath", "regexp", "strings"}, fn.Pkg().Path())
}

// hasString reports whether a string is written somewhere in a node.
func hasString(n ast.Node, value string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			found = found || err == nil && text == value
		}
		return true
	})
	return found
}

// hasHandler reports whether a function of a test has a handler of its own in it, or is one:
// what it asks for may be asked of that one.
func hasHandler(fn *ast.FuncDecl) bool {
	if fn == nil {
		return false
	}
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			found = found || slices.ContainsFunc(n.Params.List, func(field *ast.Field) bool {
				sel, ok := field.Type.(*ast.SelectorExpr)
				return ok && sel.Sel.Name == "ResponseWriter"
			})
		case *ast.SelectorExpr:
			found = found || slices.Contains(registers, n.Sel.Name)
		}
		return true
	})
	return found
}

// registers are the functions and methods by which a handler is given a pattern or prefix.
var registers = []string{"Handle", "HandleFunc", "StripPrefix", "Mount"}

// isAdded reports whether something is added to a constant or variable of a test, so that
// it is the beginning of URLs.
func (p *planner) isAdded(obj types.Object) bool {
	if obj == nil {
		return false
	}
	if p.added == nil {
		p.added = map[string]bool{}
		for _, f := range p.code.files {
			if f.info != nil && p.isOurs(f.name) {
				ast.Inspect(f.file, func(n ast.Node) bool {
					if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
						for _, e := range []ast.Expr{sum.X, sum.Y} {
							if id, ok := ast.Unparen(e).(*ast.Ident); ok && f.info.Uses[id] != nil {
								p.added[p.code.place(f.info.Uses[id].Pos())] = true
							}
						}
					}
					return true
				})
			}
		}
	}
	return p.added[p.code.place(obj.Pos())]
}

// ofOwnRouter reports whether a position is in a test that makes a Router of its own, or
// uses a function of the tests that does. What is in no function may be for any of them.
func (p *planner) ofOwnRouter(f *goFile, pos token.Pos) bool {
	if p.makers == nil {
		p.makers = p.routerMakers()
	}
	fn := enclosing(f.file, pos)
	if fn == nil {
		return slices.ContainsFunc(f.file.Decls, func(d ast.Decl) bool {
			fn, ok := d.(*ast.FuncDecl)
			return ok && p.makers[p.code.place(fn.Name.Pos())]
		})
	}
	return p.makers[p.code.place(fn.Name.Pos())]
}

// routerMakers returns the functions of tests that make Routers, by their places.
func (p *planner) routerMakers() map[string]bool {
	makers := map[string]bool{}
	var note func(f *goFile, pos token.Pos)
	note = func(f *goFile, pos token.Pos) {
		fn := enclosing(f.file, pos)
		if fn == nil || !strings.HasSuffix(f.name, "_test.go") || filepath.Dir(f.name) != p.app.Dir || makers[p.code.place(fn.Name.Pos())] {
			return
		}
		makers[p.code.place(fn.Name.Pos())] = true
		for _, use := range p.use.of(fn.Name) {
			note(use.file, use.pos)
		}
	}
	p.eachCall(func(f *goFile, c call) {
		if c.Kind == calls.New {
			note(f, c.Pos())
		}
	})
	return makers
}
