package project

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/fault"
)

// Formats returns the extensions of the pages of an application besides .html, sorted and with
// the dot: the keys of Router.Formats. They are read from its Go source, tests left out: the
// keys of maps of flow.Format and of what flow.FormatOf makes, in the package itself or else in
// those of the module that are no applications, such as main. sure is false if the source sets
// the field and does not say plainly to what; the extensions are then those that it says, and
// .md. An application that sets no formats has none, which is sure.
func (a App) Formats() (extensions []string, sure bool) {
	r := &formatReader{module: a.Module, keys: map[string]bool{}}
	r.readDir(a.Dir)
	// Another package may set the field, or make what it is set to. In most modules none does.
	if len(r.keys) == 0 && (r.set || len(a.Module.mentions("Formats")) > 0) {
		for _, dir := range a.Module.mentions("Format") {
			r.readDir(dir)
		}
	}
	if !r.set {
		return nil, true
	}
	if r.unsure || len(r.keys) == 0 {
		r.keys[".md"], r.unsure = true, true
	}
	return slices.Sorted(maps.Keys(r.keys)), !r.unsure
}

// mentions returns the packages that have a text in one of their files, without applications.
func (m Module) mentions(text string) (dirs []string) {
	_ = m.EachFile(token.NewFileSet(), text, func(dir string, _ *ast.File) { // what cannot be read says nothing
		if !slices.Contains(dirs, dir) && !isApp(dir) {
			dirs = append(dirs, dir)
		}
	})
	return dirs
}

// EachFile calls do for each Go file of a module that has a text in it, tests left out, with
// its directory. Files that do not parse count as far as they do.
func (m Module) EachFile(fset *token.FileSet, has string, do func(dir string, f *ast.File)) error {
	dirs, err := m.Packages()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := eachFile(dir, fset, has, func(f *ast.File) { do(dir, f) }); err != nil {
			return err
		}
	}
	return nil
}

// eachFile is EachFile for one directory.
func eachFile(dir string, fset *token.FileSet, has string, do func(f *ast.File)) error {
	files, err := GoFiles(dir)
	for _, file := range files {
		if file.IsTest() || !bytes.Contains(file.Text, []byte(has)) {
			continue
		}
		shown := filepath.ToSlash(filepath.Join(fault.DisplayDir(filepath.ToSlash(dir)), filepath.Base(file.Name)))
		if f, _ := parser.ParseFile(fset, shown, file.Text, parser.SkipObjectResolution); f != nil {
			do(f)
		}
	}
	return err
}

// A formatReader reads what packages say of formats.
type formatReader struct {
	module Module
	keys   map[string]bool
	set    bool // the field is set
	unsure bool // there may be other keys

	texts  map[string]ast.Expr // what the constants and variables of the package are set to
	tables map[string]bool     // its types that are maps of flow.Format
	file   *ast.File
	flow   string // what the file calls flow
}

// readDir reads a package.
func (r *formatReader) readDir(dir string) {
	var files []*ast.File
	_ = eachFile(dir, token.NewFileSet(), "", func(f *ast.File) { files = append(files, f) }) // what cannot be read says nothing
	r.texts, r.tables = map[string]ast.Expr{}, map[string]bool{}
	for _, f := range files {
		r.enter(f)
		ast.Inspect(f, r.declare)
	}
	for _, f := range files {
		if r.enter(f); r.flow != "" {
			ast.Inspect(f, r.visit)
		}
	}
}

func (r *formatReader) enter(f *ast.File) { r.file, r.flow = f, calls.ImportName(f) }

// declare notes the constants, variables and types of a package.
func (r *formatReader) declare(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Names) == len(n.Values) {
				r.texts[name.Name] = n.Values[i]
			}
		}
	case *ast.TypeSpec:
		r.tables[n.Name.Name] = r.isTable(n.Type)
	case *ast.FuncDecl:
		return false
	}
	return true
}

// visit looks at what a node says of formats.
func (r *formatReader) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		table, router := r.isTable(n.Type), r.isOfFlow(n.Type, "Router")
		for _, element := range n.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if name, ok := pair.Key.(*ast.Ident); ok && router && name.Name == "Formats" {
				r.value(pair.Value)
			} else if table || r.isFormatOf(pair.Value) {
				r.key(pair.Key)
			}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			index, isIndex := left.(*ast.IndexExpr)
			switch single := len(n.Lhs) == len(n.Rhs); {
			case isFormats(left) && single:
				r.value(n.Rhs[i])
			case isFormats(left):
				r.set, r.unsure = true, true
			case isIndex && (isFormats(index.X) || single && r.isFormatOf(n.Rhs[i])):
				r.set = r.set || isFormats(index.X)
				r.key(index.Index)
			}
		}
	case *ast.CallExpr: // maps.Copy(r.Formats, others)
		if len(n.Args) == 2 && isFormats(n.Args[0]) {
			r.value(n.Args[1])
		}
	}
	return true
}

// value notes that the field is set to a value. The keys of a map that the module writes are
// read where it stands.
func (r *formatReader) value(e ast.Expr) {
	if lit, ok := e.(*ast.CompositeLit); ok && !r.isTable(lit.Type) {
		return // a field of another type
	}
	r.set = true
	if call, ok := e.(*ast.CallExpr); ok {
		e = call.Fun
	}
	if sel, ok := e.(*ast.SelectorExpr); ok {
		pkg, _ := sel.X.(*ast.Ident)
		r.unsure = r.unsure || pkg != nil && r.isForeign(pkg.Name)
	}
}

// isForeign reports whether a name in the file is that of an imported package of another module.
func (r *formatReader) isForeign(name string) bool {
	return slices.ContainsFunc(r.file.Imports, func(s *ast.ImportSpec) bool {
		path, _ := strconv.Unquote(s.Path.Value)
		if path == r.module.Path || strings.HasPrefix(path, r.module.Path+"/") {
			return false
		}
		return s.Name != nil && s.Name.Name == name || s.Name == nil && path[strings.LastIndex(path, "/")+1:] == name
	})
}

// extension matches a key that is the extension of a format.
var extension = regexp.MustCompile(`^\.[a-z0-9_-]+$`)

// key notes a key. Check says what is wrong about one that can be none.
func (r *formatReader) key(e ast.Expr) {
	text, ok := r.text(e)
	switch {
	case !ok:
		r.unsure = true
	case extension.MatchString(text) && text != ".html" && text != ".http":
		r.keys[text] = true
	}
}

// text returns the value of a constant string.
func (r *formatReader) text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		lit, text := calls.Literal(e)
		return text, lit != nil
	case *ast.ParenExpr:
		return r.text(e.X)
	case *ast.BinaryExpr:
		left, ok1 := r.text(e.X)
		right, ok2 := r.text(e.Y)
		return left + right, ok1 && ok2
	case *ast.Ident:
		if value := r.texts[e.Name]; value != nil {
			delete(r.texts, e.Name) // it may not mean itself
			defer func() { r.texts[e.Name] = value }()
			return r.text(value)
		}
	}
	return "", false
}

// isFormats reports whether an expression is a field of that name.
func isFormats(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Formats"
}

// isTable reports whether a type is a map of flow.Format.
func (r *formatReader) isTable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.MapType:
		return r.isOfFlow(e.Value, "Format")
	case *ast.Ident:
		return r.tables[e.Name]
	}
	return false
}

// isFormatOf reports whether an expression is a call of flow.FormatOf.
func (r *formatReader) isFormatOf(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	called := call.Fun
	if index, ok := called.(*ast.IndexExpr); ok { // flow.FormatOf[front](markdown)
		called = index.X
	}
	return r.isOfFlow(called, "FormatOf")
}

// isOfFlow reports whether an expression is a name of flow.
func (r *formatReader) isOfFlow(e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return r.flow == "." && e.Name == name
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		return ok && pkg.Name == r.flow && e.Sel.Name == name
	}
	return false
}
