package pages

import (
	"fmt"
	"reflect"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
)

// checkRequest returns what is wrong about {{request.Input "q"}}: the names behind request
// are fields and methods of the type that the Host gives, as far as types tell.
func (h *functions) checkRequest(n *parse.ChainNode) error {
	if h.Request == nil || !isCallOf(n.Node, "request") {
		return nil
	}
	t := h.Request
	for i, name := range n.Field {
		next, known := member(t, name)
		if !known {
			return fmt.Errorf("request.%s: %s has no field or method %s%s", strings.Join(n.Field[:i+1], "."), t, name, suggestMember(t, name))
		}
		if next == nil {
			break
		}
		t = next
	}
	return nil
}

// isCallOf reports whether a node is the call of a function without arguments.
func isCallOf(n parse.Node, name string) bool {
	if p, ok := n.(*parse.PipeNode); ok && len(p.Decl) == 0 && len(p.Cmds) == 1 && len(p.Cmds[0].Args) == 1 {
		n = p.Cmds[0].Args[0]
	}
	fn, ok := n.(*parse.IdentifierNode)
	return ok && fn.Ident == name
}

// member returns the type of a field of t or of what a method of t returns, as text/template
// finds them, and whether t may have it. The type is nil where only the value tells it.
func member(t reflect.Type, name string) (next reflect.Type, known bool) {
	for _, in := range []reflect.Type{t, reflect.PointerTo(t)} {
		if m, ok := in.MethodByName(name); ok {
			if m.Type.NumOut() > 0 {
				next = m.Type.Out(0)
			}
			return next, true
		}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
		f, ok := t.FieldByName(name)
		return f.Type, ok && f.IsExported()
	case reflect.Map:
		return t.Elem(), true
	case reflect.Interface:
		return nil, true
	}
	return nil, false
}

// suggestMember says which field or method of t a name is likely to stand for.
func suggestMember(t reflect.Type, name string) string {
	names := map[string]bool{}
	for m := range t.Methods() {
		names[m.Name] = true
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if f.IsExported() {
				names[f.Name] = true
			}
		}
	}
	for other := range names {
		if strings.EqualFold(name, other) {
			return fault.Suggest(other, names, "")
		}
	}
	return fault.Suggest(name, names, "")
}
