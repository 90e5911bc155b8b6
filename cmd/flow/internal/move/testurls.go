package move

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/types/typeutil"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/internal/serve/routes/pattern"
)

// testURL rewrites a string of a test of the application that is a URL of a file that
// moves, as a row of a table has it. It reports whether that was sure enough to be done.
func (p *planner) testURL(f *goFile, lit *ast.BasicLit, value string) bool {
	if !p.isOurs(f.name) || !f.isTest() || f.info == nil {
		return false
	}
	now, ok := p.finder.newURL(value)
	if !ok || !p.isURL(f, lit, now) {
		return false
	}
	p.write(f.name, p.argumentOf(f, lit), now)
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
	if !isPath || !plainURL.MatchString(text) || slices.Contains(segments, pattern.Hole) {
		return "", false
	}
	now, ok = f.newPath(old)
	return now + text[len(old):], ok
}

// newPath is newURL for a path, whose segments may be references such as {{id}}.
func (f *finder) newPath(old string) (now string, ok bool) {
	segments, open := split(old)
	raw := strings.Split(strings.TrimPrefix(old, "/"), "/")
	if open || len(segments) == 0 || slices.ContainsFunc(raw, pattern.EmptyOrDots) {
		return "", false
	}
	if slices.ContainsFunc(f.mounts, func(prefix []string) bool { return isBelowPrefix(segments, prefix) }) || answerer(f.after, segments) != nil {
		return "", false
	}
	was := answerer(f.before, segments)
	if was == nil {
		return "", false
	}
	for _, t := range f.before {
		if t.Key() != was.Key() {
			continue
		}
		moved, sure := t.newURL(raw)
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

// answerer returns the most specific of the patterns, which are in this order, that may
// match the path of these segments, or nil.
func answerer(patterns []treePattern, segments []string) *treePattern {
	i := slices.IndexFunc(patterns, func(t treePattern) bool { return matchers.MayMatch(t.Segments, segments) })
	if i < 0 {
		return nil
	}
	return &patterns[i]
}

// newURL returns the URL after the move for the values that an old URL has, whose segments are
// written like this.
func (t treePattern) newURL(raw []string) (string, bool) {
	if t.moved == nil { // a public file
		return (&url.URL{Path: t.nowURL}).EscapedPath(), t.nowURL != ""
	}
	values := map[string][]string{} // by the new names
	for i, seg := range t.Segments {
		name := cmp.Or(t.moved.renamed[seg.Text], seg.Text)
		switch seg.Kind {
		case pattern.Param:
			values[name] = raw[i : i+1]
		case pattern.Rest:
			values[name] = raw[i:]
		}
	}
	after, _ := pattern.ForValues(t.moved.after.Patterns, values)
	if after == nil {
		return "", false
	}
	var written []string
	for _, seg := range after.Segments {
		if seg.Kind == pattern.Literal {
			written = append(written, url.PathEscape(seg.Text))
		} else {
			written = append(written, values[seg.Text]...)
		}
	}
	now := "/" + strings.Join(written, "/")
	read, _ := split(now)
	return now, agree(t.Pattern, after, t.moved.renamed) && matchers.MayMatch(after.Segments, read)
}

// agree reports whether it is known of all parameters which values they take: the matchers
// are the same in both patterns, or are flow's own.
func agree(old, now *pattern.Pattern, renamed map[string]string) bool {
	isKnown := func(s pattern.Segment) bool { return s.Matcher == nil || s.Matcher.Fits != nil }
	return !slices.ContainsFunc(old.Names, func(name string) bool {
		before, _ := old.Param(name)
		after, _ := now.Param(cmp.Or(renamed[name], name))
		return matcherName(before) != matcherName(after) && !(isKnown(before) && isKnown(after))
	})
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
		for _, name := range n.Names {
			if p.isAdded(f.info.Defs[name]) {
				return false
			}
		}
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			if id, ok := left.(*ast.Ident); ok && p.isAdded(f.info.ObjectOf(id)) {
				return false
			}
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

// contains reports whether a node is in another one, or is that itself.
func contains(n ast.Node, is func(ast.Node) bool) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || is(n)
		return !found
	})
	return found
}

// hasString reports whether a string is written somewhere in a node.
func hasString(n ast.Node, value string) bool {
	return contains(n, func(n ast.Node) bool {
		e, _ := n.(ast.Expr)
		lit, text := calls.Literal(e)
		return lit != nil && text == value
	})
}

// hasHandler reports whether a function of a test has a handler of its own in it, or is one:
// what it asks for may be asked of that one.
func hasHandler(fn *ast.FuncDecl) bool {
	return fn != nil && contains(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			return slices.ContainsFunc(n.Params.List, func(field *ast.Field) bool {
				sel, ok := field.Type.(*ast.SelectorExpr)
				return ok && sel.Sel.Name == "ResponseWriter"
			})
		case *ast.SelectorExpr:
			return slices.Contains(registers, n.Sel.Name)
		}
		return false
	})
}

// registers are the functions and methods by which a handler is given a pattern or prefix.
var registers = []string{"Handle", "HandleFunc", "StripPrefix", "Mount"}

// isAdded reports whether something is added to a constant or variable of a test, so that
// it is the beginning of URLs.
func (p *planner) isAdded(obj types.Object) bool {
	return obj != nil && p.added[p.code.key(obj.Pos())]
}

// ofOwnRouter reports whether a position is in a test that makes a Router of its own, or
// uses a function of the tests that does. What is in no function may be for any of them.
func (p *planner) ofOwnRouter(f *goFile, pos token.Pos) bool {
	fn := enclosing(f.file, pos)
	return slices.ContainsFunc(f.file.Decls, func(d ast.Decl) bool {
		other, ok := d.(*ast.FuncDecl)
		return ok && (fn == nil || fn == other) && p.makers[p.code.key(other.Name.Pos())]
	})
}

// readTests finds what the tests of the application add to, and which of their functions make
// Routers.
func (p *planner) readTests() {
	p.added, p.makers = map[string]bool{}, map[string]bool{}
	for _, f := range p.code.files {
		if f.info == nil || !p.isOurs(f.name) {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
				for _, e := range []ast.Expr{sum.X, sum.Y} {
					if id, ok := ast.Unparen(e).(*ast.Ident); ok && f.info.Uses[id] != nil {
						p.added[p.code.key(f.info.Uses[id].Pos())] = true
					}
				}
			}
			return true
		})
	}
	p.eachCall(func(f *goFile, c call) {
		if c.Kind == calls.New {
			p.makesRouter(useOf{f, c.Pos()})
		}
	})
}

// makesRouter notes that the function of a test around a position makes a Router, and so what
// calls it.
func (p *planner) makesRouter(at useOf) {
	fn := enclosing(at.file.file, at.pos)
	if fn == nil || !at.file.isTest() || !p.isOurs(at.file.name) || p.makers[p.code.key(fn.Name.Pos())] {
		return
	}
	p.makers[p.code.key(fn.Name.Pos())] = true
	for _, use := range p.usesOf(fn.Name) {
		p.makesRouter(use)
	}
}
