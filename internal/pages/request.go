package pages

import (
	"fmt"
	"reflect"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
)

// checkRequest checks the names behind request, as in {{request.Input "q"}}: they must be
// fields and methods of Host.Request. It stops at a name whose type is not known.
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

// isCallOf reports whether a node calls a function by its name, without arguments.
func isCallOf(n parse.Node, name string) bool {
	if p, ok := n.(*parse.PipeNode); ok && len(p.Decl) == 0 && len(p.Cmds) == 1 && len(p.Cmds[0].Args) == 1 {
		n = p.Cmds[0].Args[0]
	}
	fn, ok := n.(*parse.IdentifierNode)
	return ok && fn.Ident == name
}

// member returns the type of a field of t, or of the result of a method, by the rules of
// text/template. It reports whether t can have such a member. The type is nil if only the
// value tells it.
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

// suggestMember returns the end of an error about an unknown member: the name that was likely
// meant.
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
