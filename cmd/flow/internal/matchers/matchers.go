// Package matchers reads from Go source which matchers an application gives to
// Router.Matchers, and which values those of flow.OneOf take. The source is parsed, and not
// type-checked: what it does not say plainly is not known.
package matchers

import (
	"go/ast"
	"go/token"
	"slices"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Set is what is known of the matchers of an application. The zero Set is that of an
// application without matchers of its own.
type Set struct {
	lists map[string][]string // the values that a matcher takes, by its name; nil if they are not known
	open  bool                // there may be others
}

// Add adds a matcher whose values are not known.
func (s *Set) Add(name string) { s.add(name, nil) }

func (s *Set) add(name string, list []string) {
	if s.lists == nil {
		s.lists = map[string][]string{}
	}
	if before, ok := s.lists[name]; ok && !slices.Equal(before, list) {
		list = nil // it depends on the run, or on the application
	}
	s.lists[name] = list
}

// Values returns the values that a matcher takes, or nil if they are not known.
func (s *Set) Values(name string) []string { return s.lists[name] }

// Has reports whether the application surely has a matcher of this name.
func (s *Set) Has(name string) bool {
	_, ok := s.lists[name]
	return ok
}

// Lacks reports whether the application has no matcher of this name.
func (s *Set) Lacks(name string) bool {
	return !s.Has(name) && !s.open && pattern.BuiltIn(name) == nil
}

// Fill gives the matchers of a tree their functions, as far as the values are known; the
// others get the function unknown. It returns the faults of matchers that there are not.
func (s *Set) Fill(t *routetree.Tree, unknown func(string) bool) []fault.Fault {
	own := map[string]func(string) bool{}
	for name, list := range s.lists {
		own[name] = func(value string) bool { return slices.Contains(list, value) }
	}
	for name := range t.Matchers {
		if !s.Lacks(name) && pattern.BuiltIn(name) == nil && own[name] == nil {
			own[name] = func(string) bool { return true }
		}
	}
	faults := t.SetMatchers(own, nil)
	for name, m := range t.Matchers {
		if s.lists[name] == nil && (own[name] != nil || pattern.BuiltIn(name) == nil) {
			m.Fits = unknown
		}
	}
	return faults
}

// MayMatch reports whether the segments of a pattern match the unescaped segments of a path. A matcher
// whose function is not known is taken to match any value. A pattern.Hole may be any value of a
// parameter, and is no literal.
func MayMatch(segments []pattern.Segment, path []string) bool {
	for i, s := range segments {
		switch {
		case i == len(path), s.Kind == pattern.Literal && s.Text != path[i]:
			return false
		case s.Kind == pattern.Rest:
			return !slices.ContainsFunc(path[i:], func(value string) bool { return !mayTake(s, value) })
		case !mayTake(s, path[i]):
			return false
		}
	}
	return len(path) == len(segments)
}

func mayTake(s pattern.Segment, value string) bool {
	return s.Matcher == nil || s.Matcher.Fits == nil || value == pattern.Hole || s.Matcher.Fits(value)
}

// Read adds what the Go files of one package say, tests left out.
func (s *Set) Read(files []*ast.File) {
	r := &reader{Set: s, values: map[string]ast.Expr{}}
	for _, f := range files {
		r.declare(f)
	}
	for _, f := range files {
		ast.Inspect(f, r.forget)
	}
	for _, f := range files {
		r.flow = calls.ImportName(f)
		ast.Inspect(f, r.visit)
	}
}

// A reader reads the files of a package.
type reader struct {
	*Set
	values map[string]ast.Expr // of constants, and of package variables that are not changed
	flow   string              // what the file calls flow
}

// declare notes the variables and constants of a file.
func (r *reader) declare(f *ast.File) {
	for _, d := range f.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
				for i, name := range v.Names {
					r.values[name.Name] = v.Values[i]
				}
			}
		}
	}
}

// forget forgets variables that a statement changes, or that something may change which gets
// their address. Local ones of such a name count, too.
func (r *reader) forget(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			if index, ok := left.(*ast.IndexExpr); ok {
				left = index.X
			}
			r.forgetName(left)
		}
	case *ast.RangeStmt:
		r.forgetName(n.Key)
		r.forgetName(n.Value)
	case *ast.Field: // a parameter
		for _, name := range n.Names {
			r.forgetName(name)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			r.forgetName(n.X)
		}
	}
	return true
}

func (r *reader) forgetName(e ast.Expr) {
	if name, ok := e.(*ast.Ident); ok {
		delete(r.values, name.Name)
	}
}

// visit looks at what a node does with a field Matchers.
func (r *reader) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			index, isIndex := left.(*ast.IndexExpr)
			switch {
			case isIndex && isMatchers(index.X) && len(n.Lhs) == len(n.Rhs):
				r.matcher(index.Index, n.Rhs[i])
			case isMatchers(left) && len(n.Lhs) == len(n.Rhs):
				r.table(n.Rhs[i])
			case isMatchers(left) || isIndex && isMatchers(index.X):
				r.open = true
			}
		}
	case *ast.CallExpr: // maps.Copy, say
		r.open = r.open || slices.ContainsFunc(n.Args, isMatchers)
	case *ast.UnaryExpr:
		r.open = r.open || n.Op == token.AND && isMatchers(n.X)
	}
	return true
}

func isMatchers(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Matchers"
}

// value returns what a name of the package stands for, or the expression itself.
func (r *reader) value(e ast.Expr) ast.Expr {
	if name, ok := e.(*ast.Ident); ok && r.values[name.Name] != nil {
		return r.values[name.Name]
	}
	return e
}

// text returns the value of a string.
func (r *reader) text(e ast.Expr) (string, bool) {
	lit, text := calls.Literal(r.value(e))
	return text, lit != nil
}

// table adds the matchers of a map.
func (r *reader) table(e ast.Expr) {
	lit, ok := r.value(e).(*ast.CompositeLit)
	if !ok {
		r.open = true
		return
	}
	for _, element := range lit.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			r.matcher(pair.Key, pair.Value)
		} else {
			r.open = true
		}
	}
}

// matcher adds a matcher of a name.
func (r *reader) matcher(name, function ast.Expr) {
	if text, ok := r.text(name); ok {
		r.add(text, r.oneOf(function))
	} else {
		r.open = true
	}
}

// oneOf returns the values that a call of flow.OneOf is given, or nil if they are not known,
// or it is none.
func (r *reader) oneOf(e ast.Expr) []string {
	call, ok := r.value(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "OneOf" {
		return nil
	}
	if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != r.flow {
		return nil
	}
	args := call.Args
	if call.Ellipsis.IsValid() { // flow.OneOf(languages...)
		lit, ok := r.value(args[0]).(*ast.CompositeLit)
		if !ok {
			return nil
		}
		args = lit.Elts
	}
	list := []string{}
	for _, arg := range args {
		text, ok := r.text(arg)
		if !ok {
			return nil
		}
		list = append(list, text)
	}
	return list
}
