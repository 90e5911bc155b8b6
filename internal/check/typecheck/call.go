package typecheck

import (
	"reflect"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/language"
)

// arguments are what a command gives to its function or method: those that stand behind
// it, and the value of the command before it in the pipeline.
type arguments struct {
	nodes []parse.Node
	piped bool
	final value
}

// none reports whether there are no arguments.
func (a arguments) none() bool { return len(a.nodes) == 0 && !a.piped }

// allowAbsent sets allowsAbsent, and returns what it was, for a defer that sets it back.
func (b *body) allowAbsent(is bool) (was bool) {
	was, b.allowsAbsent = b.allowsAbsent, is
	return was
}

// condition is pipeline for what may well be absent.
func (b *body) condition(dot value, p *parse.PipeNode) value {
	defer b.allowAbsent(b.allowAbsent(true))
	return b.pipeline(dot, p)
}

// pipeline returns the value of a pipeline, and declares its variables.
func (b *body) pipeline(dot value, p *parse.PipeNode) value {
	if len(p.Cmds) > 1 {
		defer b.allowAbsent(b.allowAbsent(true))
	}
	var v value
	for i, cmd := range p.Cmds {
		v = b.command(dot, cmd, cmd.Args[0], arguments{cmd.Args[1:], i > 0, v})
	}
	if b.isConstant(p) {
		v = b.constant(p, v)
	}
	for _, d := range p.Decl {
		switch {
		case !p.IsAssign:
			b.declare(d.Ident[0], d, v)
		case !b.assign(d.Ident[0], v):
			b.reportUndefined(d)
			b.declare(d.Ident[0], d, value{})
		}
	}
	return v
}

// command returns the value of a command that begins with a word, or of a word that is an
// argument. at is the whole of it.
func (b *body) command(dot value, at, first parse.Node, a arguments) value {
	switch n := first.(type) {
	case *parse.FieldNode:
		return b.chain(dot, dot, at, n, n.Ident, a)
	case *parse.ChainNode:
		return b.chain(dot, b.arg(dot, parameter{}, n.Node), at, n, n.Field, a)
	case *parse.IdentifierNode:
		return b.function(dot, at, n, a)
	case *parse.VariableNode:
		if len(n.Ident) > 1 {
			return b.chain(dot, b.variableOf(n), at, n, n.Ident[1:], a)
		}
	case *parse.NilNode:
		b.report(word{expr: n, node: n}, "nil alone is no value")
		return value{}
	}
	if !a.none() {
		b.report(word{expr: at, node: first}, "%s is no function, and gets an argument", first)
		return value{}
	}
	switch n := first.(type) {
	case *parse.PipeNode:
		return b.pipeline(dot, n)
	case *parse.VariableNode:
		return b.variableOf(n)
	case *parse.DotNode:
		return dot
	}
	return b.literal(parameter{}, first)
}

// variableOf returns the value of the variable that a node begins with.
func (b *body) variableOf(n *parse.VariableNode) value {
	if i := b.find(n.Ident[0]); i >= 0 {
		return b.vars[i].value
	}
	b.reportUndefined(n)
	return value{}
}

// chain returns the value of .A.B.C of a receiver. The arguments are for the last name,
// and at is the expression with its arguments.
func (b *body) chain(dot, receiver value, at, n parse.Node, names []string, a arguments) value {
	last := len(names) - 1
	for i := range last {
		receiver = b.field(dot, receiver, word{at, n, names[i], i}, arguments{})
	}
	return b.field(dot, receiver, word{at, n, names[last], last}, a)
}

// field returns the value of one name of a chain.
func (b *body) field(dot, receiver value, w word, a arguments) value {
	if receiver.absent == yes {
		return nothing // without a look at the arguments
	}
	t, addr := receiver.indirect()
	if t == nil {
		b.operands(dot, nil, w, a)
		return value{text: receiver.text}
	}
	// What is absent may have any field, and gives nothing for it.
	present := receiver.absent == no
	if receiver.dict != nil && a.none() {
		v := b.key(receiver.dict, w)
		if !present {
			v = v.orAbsent()
		}
		return v
	}
	m := language.Lookup(t, addr != no, w.name)
	var v value
	var known any
	switch m.Kind {
	case language.Method:
		switch {
		case addr == maybe && language.Lookup(t, false, w.name).Kind != language.Method:
			b.operands(dot, nil, w, a)
			return value{}
		case !present:
			b.operands(dot, nil, w, a)
		default:
			args, ok := b.call(dot, w, m.Type, a)
			if !ok {
				return value{}
			}
			known, ok = b.method(receiver, t, w, args, a)
			if !ok {
				return value{}
			}
		}
		if m.Type.NumOut() == 0 {
			return value{}
		}
		v = valueOf(m.Type.Out(0))
		v.known = known
	case language.Field, language.Key:
		if !a.none() {
			if present {
				b.report(w, "%s is no method, and gets an argument", w.name)
			}
			return value{}
		}
		v = valueOf(m.Type)
		if m.Kind == language.Field {
			v = v.at(fieldAddr(t, addr, m.Index))
		} else {
			v = v.orAbsent()
		}
	default:
		if t.Kind() == reflect.Interface {
			b.operands(dot, nil, w, a)
		} else if present {
			b.report(w, "%s", noMember(t, addr != no, w, m))
		}
		return value{}
	}
	if !present {
		v = v.orAbsent()
	}
	return v
}

// fieldAddr returns whether the field at an index path is addressable in a struct that
// is, or is not: behind an embedded pointer it is in any case.
func fieldAddr(t reflect.Type, addr tri, index []int) tri {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			t, addr = t.Elem(), yes
		}
	}
	return addr
}

// function returns the value of a call of a function.
func (b *body) function(dot value, at parse.Node, n *parse.IdentifierNode, a arguments) value {
	w := word{at, n, n.Ident, 0}
	t, own := b.set.Funcs[n.Ident]
	if !own {
		f, isBuiltin := language.Builtin(n.Ident)
		switch {
		case !isBuiltin:
			b.operands(dot, nil, w, a)
			return value{}
		case n.Ident == "and" || n.Ident == "or":
			return b.andOr(dot, w, f.Type(), a)
		}
		t = f.Type()
	}
	args, ok := b.call(dot, w, t, a)
	result := results[n.Ident]
	switch {
	case !ok:
		return value{}
	case own && n.Ident == "dict" && t == dictType:
		return b.makeDict(w, args, a)
	case own || result == nil:
		return valueOf(t.Out(0))
	}
	v, wrong := result(args)
	if wrong != "" {
		b.report(w, "%s", wrong)
		return value{}
	}
	return v
}

// call looks at the arguments of a function or method, and returns their values. It is not
// ok if the call fails.
func (b *body) call(dot value, w word, f reflect.Type, a arguments) (args []value, ok bool) {
	given := len(a.nodes)
	if a.piped {
		given++
	}
	if wrong := wrongCall(w.name, f, given); wrong != "" {
		b.report(w, "%s", wrong)
		return nil, false
	}
	before := len(b.problems)
	args = b.operands(dot, f, w, a)
	if a.piped {
		t := language.Param(f, given-1)
		if !a.final.fits(t) {
			b.report(w, "%s takes %s, and gets %s", w.name, short(t), a.final)
		}
		b.readAll(a.final)
		args = append(args, a.final)
	}
	return args, len(b.problems) == before
}

// operands returns the values of the arguments that stand behind the word for a function of type
// f, or nil for one that is not known.
func (b *body) operands(dot value, f reflect.Type, w word, a arguments) []value {
	defer b.allowAbsent(b.allowAbsent(true))
	values := make([]value, 0, len(a.nodes)+1)
	for i, n := range a.nodes {
		var p parameter
		if f != nil {
			p = parameter{language.Param(f, i), w}
		}
		values = append(values, b.arg(dot, p, n))
	}
	return values
}

// A parameter is what an argument is given for. The zero value is one that is not known.
type parameter struct {
	typ reflect.Type
	of  word // what is called
}

// arg returns the value of an argument.
func (b *body) arg(dot value, p parameter, n parse.Node) value {
	var v value
	switch n.(type) {
	case *parse.BoolNode, *parse.NumberNode, *parse.StringNode:
		return b.literal(p, n)
	case *parse.NilNode:
		v = nothing
	default:
		v = b.command(dot, n, n, arguments{})
	}
	b.readAll(v)
	if p.typ != nil && !v.fits(p.typ) {
		b.report(lastWord(p.of.expr, n), "%s is %s, and %s takes %s", n, v, p.of.name, short(p.typ))
	}
	return v
}
