package typecheck

import (
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/language"
)

// literal returns the value of a constant, which takes the type of its parameter.
func (b *body) literal(p parameter, n parse.Node) value {
	ideal := language.Ideal(n)
	switch {
	case !isAny(p.typ) && !language.KindsOf(n).Has(language.Basic(p.typ.Kind())):
		b.report(word{expr: p.of.expr, node: n}, "%s is no %s, which %s takes", n, short(p.typ), p.of.name)
		return value{}
	case !isAny(p.typ):
		return literal(p.typ, ideal, n)
	case ideal == nil:
		b.report(word{expr: n, node: n}, "the number is too large for an int")
		return value{}
	}
	return literal(reflect.TypeOf(ideal), ideal, n)
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
				continue
			case *parse.IdentifierNode:
				_, calls = language.Builtin(n.Ident)
				calls = calls && b.set.Funcs[n.Ident] == nil
			case *parse.PipeNode:
				calls = b.isConstant(n)
			default:
				return false
			}
			if !calls {
				return false
			}
		}
	}
	return calls
}

// constant executes a constant pipeline, and returns v with its truth.
func (b *body) constant(p *parse.PipeNode, v value) value {
	t, err := template.New("").Parse("{{if " + p.String() + "}}true{{end}}")
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
