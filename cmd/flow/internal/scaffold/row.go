package scaffold

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// testName is the function whose table gets the rows.
const testName = "TestRoutes"

// A row is one of the table: a request, and the status of its answer.
type row struct {
	method, path string
	status       int
}

// String returns the row as it stands in a table of these three.
func (r row) String() string { return fmt.Sprintf("{%q, %q, %d}", r.method, r.path, r.status) }

// The names of fields that are taken for what a row has.
var (
	methodFields = []string{"method", "verb"}
	pathFields   = []string{"path", "target", "url"}
	statusFields = []string{"status", "code", "wantstatus", "wantcode", "statuscode"}
)

// addRows adds rows to the table of TestRoutes in a test file, and returns the file, or ""
// without an error if it has no such function. The table is a composite literal,
// []struct{ method, path string; status int; … }{…}, with these fields and others, or a
// slice of a struct type that the file declares.
func addRows(src []byte, rows []row) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	for _, d := range f.Decls {
		if test, ok := d.(*ast.FuncDecl); ok && test.Name.Name == testName && test.Recv == nil && test.Body != nil {
			t, err := findTable(f, test)
			if err != nil {
				return "", err
			}
			return t.insert(fset, string(src), rows)
		}
	}
	return "", nil
}

// A table is that of a test.
type table struct {
	lit    *ast.CompositeLit
	fields []field
}

// A field is one of the struct that a row is.
type field struct {
	name string
	typ  ast.Expr
}

// findTable finds the first table in a test that has the fields.
func findTable(f *ast.File, test *ast.FuncDecl) (found *table, err error) {
	ast.Inspect(test.Body, func(n ast.Node) bool {
		if t := tableAt(f, n); found == nil && t != nil && t.index(methodFields) >= 0 && t.index(pathFields) >= 0 && t.index(statusFields) >= 0 {
			found = t
		}
		return found == nil
	})
	if found == nil {
		return nil, errors.New("its table has not the fields method, path and status")
	}
	return found, nil
}

// tableAt returns the table that a node is, or nil.
func tableAt(f *ast.File, n ast.Node) *table {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	array, ok := lit.Type.(*ast.ArrayType)
	if !ok || array.Len != nil {
		return nil
	}
	return &table{lit, fieldsOf(f, array.Elt)}
}

// fieldsOf returns the fields of a struct type, given as such or by its name.
func fieldsOf(f *ast.File, typ ast.Expr) (fields []field) {
	if name, ok := typ.(*ast.Ident); ok {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.Name == name.Name {
				typ = s.Type
			}
			return true
		})
	}
	s, ok := typ.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, list := range s.Fields.List {
		if len(list.Names) == 0 { // an embedded field
			return nil
		}
		for _, name := range list.Names {
			fields = append(fields, field{name.Name, list.Type})
		}
	}
	return fields
}

// index returns which field has one of the names, or -1.
func (t *table) index(names []string) int {
	return slices.IndexFunc(t.fields, func(f field) bool { return slices.Contains(names, strings.ToLower(f.name)) })
}

// insert adds the rows behind the last one, in a form like that one has.
func (t *table) insert(fset *token.FileSet, src string, rows []row) (string, error) {
	end := fset.Position(t.lit.Rbrace).Offset
	line := strings.LastIndexByte(src[:end], '\n') + 1
	own := strings.TrimSpace(src[line:end]) == "" // the brace stands in a line of its own
	keyed := len(t.lit.Elts) == 0
	if !keyed {
		last, ok := t.lit.Elts[len(t.lit.Elts)-1].(*ast.CompositeLit)
		keyed = !ok || len(last.Elts) == 0
		if !keyed {
			_, keyed = last.Elts[0].(*ast.KeyValueExpr)
		}
	}
	var text strings.Builder
	for _, r := range rows {
		text.WriteString(t.element(r, keyed) + ",\n")
	}
	if own {
		src = src[:line] + text.String() + src[line:]
	} else {
		separator := "\n"
		if before := strings.TrimSpace(src[:end]); len(t.lit.Elts) > 0 && !strings.HasSuffix(before, ",") {
			separator = ",\n"
		}
		src = src[:end] + separator + text.String() + src[end:]
	}
	out, err := format.Source([]byte(src))
	return withEnds(src, string(out)), err
}

// withEnds returns a text that was formatted with the line endings of the one before, of which
// gofmt takes those of Windows away.
func withEnds(before, formatted string) string {
	if strings.Contains(before, "\r\n") {
		return strings.ReplaceAll(formatted, "\n", "\r\n")
	}
	return formatted
}

// element returns a row as it is written, with the names of fields if keyed, or if the zero
// value of one is not known.
func (t *table) element(r row, keyed bool) string {
	given := map[int]string{
		t.index(methodFields): strconv.Quote(r.method),
		t.index(pathFields):   strconv.Quote(r.path),
		t.index(statusFields): strconv.Itoa(r.status),
	}
	var values []string
	for i, f := range t.fields {
		value, ok := given[i]
		switch {
		case ok && keyed:
			value = f.name + ": " + value
		case keyed:
			continue
		case !ok:
			value = zero(f.typ)
		}
		if value == "" {
			return t.element(r, true)
		}
		values = append(values, value)
	}
	return "{" + strings.Join(values, ", ") + "}"
}

// zero returns the zero value of a type as it is written, or "" if that is not known.
func zero(typ ast.Expr) string {
	switch typ := typ.(type) {
	case *ast.Ident:
		switch typ.Name {
		case "string":
			return `""`
		case "bool":
			return "false"
		case "int", "int64":
			return "0"
		case "any", "error":
			return "nil"
		}
	case *ast.ArrayType:
		if typ.Len == nil {
			return "nil"
		}
	case *ast.MapType, *ast.StarExpr, *ast.FuncType, *ast.InterfaceType, *ast.ChanType:
		return "nil"
	}
	return ""
}
