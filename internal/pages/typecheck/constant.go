package typecheck

import (
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
)

// literal returns the value of a constant, which takes the type of its parameter.
func (b *body) literal(p parameter, n parse.Node) value {
	v, takes := constantOf(n)
	if p.typ == nil || p.typ == reflectValueType || p.typ.Kind() == reflect.Interface && p.typ.NumMethod() == 0 {
		if v.typ == nil {
			b.report(word{expr: n, node: n}, "the number is too large for an int")
		}
		return v
	}
	if !takes(Basic(p.typ.Kind())) {
		b.report(word{expr: p.of.expr, node: n}, "%s is no %s, which %s takes", n, short(p.typ), p.of.name)
		return value{}
	}
	return literal(p.typ, v.truth == yes)
}

// constantOf returns the value that a constant has by itself, and of which kinds it may be.
func constantOf(n parse.Node) (value, func(BasicKind) bool) {
	switch n := n.(type) {
	case *parse.BoolNode:
		return literal(boolType, n.True), func(k BasicKind) bool { return k == Bool }
	case *parse.StringNode:
		return literal(stringType, n.Text != ""), func(k BasicKind) bool { return k == String }
	case *parse.NumberNode:
		return number(n), func(k BasicKind) bool {
			return k == Int && n.IsInt || k == Uint && n.IsUint || k == Float && n.IsFloat || k == Complex && n.IsComplex
		}
	}
	return value{}, func(BasicKind) bool { return true }
}

// number returns the value that a number has where nothing asks for a type, or nothing
// known if it is too large (idealConstant of text/template).
func number(n *parse.NumberNode) value {
	switch {
	case n.IsComplex:
		return literal(reflect.TypeFor[complex128](), n.Complex128 != 0)
	case n.IsFloat && isFloat(n.Text):
		return literal(reflect.TypeFor[float64](), n.Float64 != 0)
	case n.IsInt && int64(int(n.Int64)) == n.Int64:
		return literal(intType, n.Int64 != 0)
	}
	return value{}
}

// isFloat reports whether a number is written as one that is no integer.
func isFloat(text string) bool {
	isHex := len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && !strings.ContainsAny(text, "pP")
	return !isHex && text[0] != '\'' && strings.ContainsAny(text, ".eEpP")
}

// isConstant reports whether a pipeline calls functions of text/template with constants,
// and nothing else.
func (b *body) isConstant(p *parse.PipeNode) bool {
	if len(p.Decl) > 0 {
		return false
	}
	calls := false
	for _, cmd := range p.Cmds {
		for _, n := range cmd.Args {
			switch n := n.(type) {
			case *parse.BoolNode, *parse.NumberNode, *parse.StringNode, *parse.NilNode:
			case *parse.IdentifierNode:
				if _, ok := builtins[n.Ident]; !ok || b.set.Funcs[n.Ident] != nil {
					return false
				}
				calls = true
			case *parse.PipeNode:
				if !b.isConstant(n) {
					return false
				}
				calls = true
			default:
				return false
			}
		}
	}
	return calls
}

// constant executes a constant pipeline, and returns v with its truth.
func (b *body) constant(p *parse.PipeNode, v value) value {
	text := &parse.ListNode{NodeType: parse.NodeList, Nodes: []parse.Node{&parse.TextNode{NodeType: parse.NodeText, Text: []byte("true")}}}
	branch := &parse.IfNode{BranchNode: parse.BranchNode{NodeType: parse.NodeIf, Pipe: p, List: text}}
	root := &parse.ListNode{NodeType: parse.NodeList, Nodes: []parse.Node{branch}}
	t, err := template.New("").AddParseTree("", &parse.Tree{Root: root})
	if err != nil {
		return v
	}
	var out strings.Builder
	if err := t.Execute(&out, nil); err != nil {
		if v.typ != nil { // no rule has reported it
			_, why, _ := strings.Cut(err.Error(), ">: ")
			b.report(lastWord(p, p), "%s", why)
		}
		return value{}
	}
	v.truth = triOf(out.Len() > 0)
	return v
}
