package scaffold

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// A notFound is a row of a test that wants 404.
type notFound struct {
	line         int
	method, path string
}

// notFounds returns the rows of the tables in a test file that want 404. Each table is a
// slice of structs like that of TestRoutes; one without a method asks with GET.
func notFounds(src []byte) []notFound {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var rows []notFound
	ast.Inspect(f, func(n ast.Node) bool {
		t := tableAt(f, n)
		if t == nil || t.index(pathFields) < 0 || t.index(statusFields) < 0 {
			return true
		}
		for _, e := range t.lit.Elts {
			r := notFound{fset.Position(e.Pos()).Line, http.MethodGet, ""}
			if lit, method := calls.Literal(t.value(e, methodFields)); lit != nil {
				r.method = method
			}
			lit, path := calls.Literal(t.value(e, pathFields))
			if r.path, _, _ = strings.Cut(path, "?"); lit != nil && is404(t.value(e, statusFields)) {
				rows = append(rows, r)
			}
		}
		return true
	})
	return rows
}

// value returns what a row has in the field of one of the names, or nil.
func (t *table) value(row ast.Expr, names []string) ast.Expr {
	lit, ok := row.(*ast.CompositeLit)
	i := t.index(names)
	if !ok || i < 0 {
		return nil
	}
	for n, e := range lit.Elts {
		pair, keyed := e.(*ast.KeyValueExpr)
		if !keyed && n == i {
			return e
		}
		if keyed {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == t.fields[i].name {
				return pair.Value
			}
		}
	}
	return nil
}

// is404 reports whether an expression is 404 or http.StatusNotFound.
func is404(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value == strconv.Itoa(http.StatusNotFound)
	case *ast.SelectorExpr:
		return e.Sel.Name == "StatusNotFound"
	}
	return false
}

// findFalse notes the rows of the tests that the new file makes false: they want 404 for a
// URL that it answers.
func (p *plan) findFalse(t *routetree.Tree, pkg *goPackage, c *counterpart) {
	for _, test := range pkg.tests {
		src := test.Text
		for _, f := range p.anew {
			if f.name == test.Name {
				src = f.text // where lines may be others
			}
		}
		if !bytes.Contains(src, []byte("404")) && !bytes.Contains(src, []byte("StatusNotFound")) {
			continue
		}
		for _, row := range notFounds(src) {
			if !answers(t, c.route, row.path) {
				continue
			}
			status, advice := c.status(row.method), "change the row"
			if path, _ := pattern.Clean(row.path); !path.IsCanonical() {
				status = http.StatusPermanentRedirect
			}
			if i := slices.IndexFunc(c.handlers, func(h handler) bool { return h.status == status }); i >= 0 && len(paramsOf(c.route)) > 0 {
				advice += fmt.Sprintf(", or let %s answer 404 for what it does not know", c.handlers[i].name)
			}
			p.falsified = append(p.falsified, fmt.Sprintf("%s:%d: %s %s is %d now, by %s: %s", shown(test.Name), row.line, row.method, row.path, status, c.route.File, advice))
		}
	}
}

// status returns what the file answers a method with, as it is written.
func (c *counterpart) status(method string) int {
	for _, m := range []string{method, methodAny} {
		for _, h := range c.handlers {
			if h.method == m {
				return h.status
			}
		}
	}
	switch {
	case method == http.MethodHead:
		return c.status(http.MethodGet)
	case method == http.MethodGet && c.route.Page:
		return http.StatusOK
	case method == http.MethodOptions:
		return http.StatusNoContent
	}
	return http.StatusMethodNotAllowed
}
