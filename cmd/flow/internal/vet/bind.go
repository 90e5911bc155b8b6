package vet

import (
	"fmt"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/serve/routes/routetree"
)

// A paramField is a field that Bind fills from a parameter of the route, since it has the
// tag param:"id".
type paramField struct {
	field *types.Var
	param string
}

// A boundField says where a request fills a field: the routes, unless a call may run for any.
type boundField struct {
	routes  []*routetree.Route
	anyCall bool
}

// paramFields returns the fields that a call of Bind fills from the route, or those of the
// input of a typed handler that Do or To gets, and whether the type is known that is filled.
func (u *unit) paramFields(call calls.Call) (fields []paramField, known bool) {
	if call.Arg == nil {
		return nil, false
	}
	filled, known := u.filledBy(call)
	if filled == nil {
		return nil, known
	}
	return addParamFields(nil, filled, map[types.Type]bool{}), known
}

// filledBy returns the type that a call of Bind, Do or To fills for a request, and whether
// it is known. It is nil if a handler has no input.
func (u *unit) filledBy(call calls.Call) (filled types.Type, known bool) {
	if call.Kind == calls.Bind {
		p, ok := u.typeOf(call.Arg).Underlying().(*types.Pointer)
		if !ok || isTypeParam(p.Elem()) {
			return nil, false
		}
		return p.Elem(), true
	}
	f, known := u.handlerOf(call)
	if f == nil || f.Params().Len() != 2 || !isFlowType(f.Params().At(0).Type(), "Request") {
		return nil, known
	}
	in := f.Params().At(1).Type()
	if form, ok := types.Unalias(in).(*types.Named); ok && isFlowType(types.NewPointer(in), "Form") {
		in = form.TypeArgs().At(0)
	}
	return in, !isTypeParam(in)
}

// handlerOf returns the signature of the function that Do or To gets, and whether it is known.
// It is nil for an http.Handler.
func (u *unit) handlerOf(call calls.Call) (f *types.Signature, known bool) {
	if call.Arg == nil {
		return nil, false
	}
	handler := u.typeOf(call.Arg)
	if call.Func.Name() == "To" {
		method := u.controllerMethod(call.Expr)
		if method == nil {
			return nil, false
		}
		handler = method.Type()
	}
	switch t := handler.Underlying().(type) {
	case *types.Signature:
		return t, true
	case *types.Interface: // any may hold a function
		return nil, t.NumMethods() > 0
	}
	return nil, handler != types.Typ[types.Invalid]
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// addParamFields adds the fields of a struct and of those embedded in it, by the rules of
// Bind: an embedded struct with a name of its own in the data is a field as any other.
func addParamFields(fields []paramField, t types.Type, seen map[types.Type]bool) []paramField {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return fields
	}
	seen[t] = true
	for i := range s.NumFields() {
		field, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		named := slices.ContainsFunc([]string{"form", "json", "param", "query"}, func(key string) bool { return tagName(tag, key) != "" })
		if field.Embedded() && !named {
			of := field.Type()
			if p, ok := types.Unalias(of).(*types.Pointer); ok {
				of = p.Elem()
			}
			fields = addParamFields(fields, of, seen)
		}
		if param := tagName(tag, "param"); param != "" && field.Exported() {
			fields = append(fields, paramField{field, param})
		}
	}
	return fields
}

// tagName returns the name that a tag gives a field, or "".
func tagName(tag reflect.StructTag, key string) string {
	name, _, _ := strings.Cut(tag.Get(key), ",")
	if name == "-" {
		return ""
	}
	return name
}

// key tells the field of a struct from all others of the module, whether the package was
// type-checked here or imported as it was compiled.
func (f paramField) key(u *unit) string {
	pos := u.fset.Position(f.field.Pos())
	return fmt.Sprint(f.field.Pkg().Path(), " ", f.field.Name(), " ", filepath.Base(pos.Filename), ":", pos.Line)
}

// readBinds notes for which routes Bind fills the fields of structs, and handlers get them as
// their input. One struct may be for several routes, of which some lack a parameter.
func (m *module) readBinds() {
	m.binds = map[string]boundField{}
	for _, u := range m.units {
		for _, call := range u.calls {
			if call.Kind != calls.Bind && call.Kind != calls.Handler {
				continue
			}
			fields, known := u.paramFields(call)
			m.openBinds = m.openBinds || !known
			if len(fields) == 0 {
				continue
			}
			at := u.places[call.Expr]
			if call.Kind == calls.Handler {
				at = codePlace{do: call.Expr}
			}
			routes, known := m.routesAt(u, at)
			for _, f := range fields {
				b := m.binds[f.key(u)]
				m.binds[f.key(u)] = boundField{append(b.routes, routes...), b.anyCall || !known}
			}
		}
	}
}

// checkBind looks at the tags of the struct that Bind fills. It reports at the field, if that
// is in the package. The tags of the input of a handler are left to Check.
func (c *checker) checkBind(call calls.Call) {
	fields, _ := c.paramFields(call)
	for _, f := range fields {
		b := c.module.binds[f.key(c.unit)]
		pos, what := call.Pos(), fmt.Sprintf("Bind: the field %s of package %s has param:%q", f.field.Name(), f.field.Pkg().Name(), f.param)
		if f.field.Pkg() == c.pkg {
			pos, what = f.field.Pos(), fmt.Sprintf("param:%q", f.param)
		}
		c.reportLack(pos, what, f.param, b.routes, !b.anyCall && !c.module.openBinds)
	}
}
