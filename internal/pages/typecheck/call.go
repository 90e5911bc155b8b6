package typecheck

import (
	"reflect"
	"text/template/parse"
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

// pipeline returns the value of a pipeline, and declares its variables.
func (b *body) pipeline(dot value, p *parse.PipeNode) value {
	was := b.tested
	b.tested = was || len(p.Cmds) > 1
	var v value
	for i, cmd := range p.Cmds {
		v = b.command(dot, cmd, arguments{cmd.Args[1:], i > 0, v})
	}
	b.tested = was
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

// condition is pipeline for what may well be absent.
func (b *body) condition(dot value, p *parse.PipeNode) value {
	was := b.tested
	b.tested = true
	v := b.pipeline(dot, p)
	b.tested = was
	return v
}

// command returns the value of a command.
func (b *body) command(dot value, cmd *parse.CommandNode, a arguments) value {
	switch n := cmd.Args[0].(type) {
	case *parse.FieldNode:
		return b.chain(dot, dot, cmd, n, n.Ident, a)
	case *parse.ChainNode:
		return b.chain(dot, b.arg(dot, parameter{}, n.Node), cmd, n, n.Field, a)
	case *parse.IdentifierNode:
		return b.function(dot, cmd, n, a)
	case *parse.VariableNode:
		if len(n.Ident) > 1 {
			return b.chain(dot, b.variableOf(n), cmd, n, n.Ident[1:], a)
		}
	case *parse.NilNode:
		b.report(word{expr: n, node: n}, "nil alone is no value")
		return value{}
	}
	first := cmd.Args[0]
	if !a.none() {
		b.report(word{expr: cmd, node: first}, "%s is no function, and gets an argument", first)
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
		b.anyArgs(dot, a)
		return value{}
	}
	if receiver.dict != nil && a.none() {
		return b.key(receiver.dict, w)
	}
	// What is absent may have any field, and gives nothing for it.
	present := receiver.absent == no
	m := Lookup(t, addr != no, w.name)
	var v value
	switch m.Kind {
	case Method:
		switch {
		case addr == maybe && Lookup(t, false, w.name).Kind != Method:
			b.anyArgs(dot, a)
			return value{}
		case !present:
			b.anyArgs(dot, a)
		default:
			if _, ok := b.call(dot, w, m.Type, a); !ok {
				return value{}
			}
		}
		if m.Type.NumOut() == 0 {
			return value{}
		}
		v = valueOf(m.Type.Out(0))
	case Field, Key:
		if !a.none() {
			if present {
				b.report(w, "%s is no method, and gets an argument", w.name)
			}
			return value{}
		}
		v = valueOf(m.Type)
		if m.Kind == Field {
			v = v.at(fieldAddr(t, addr, m.Index))
		} else {
			v = v.orAbsent()
		}
	default:
		if t.Kind() == reflect.Interface {
			b.anyArgs(dot, a)
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

// function returns the value of a call of a function.
func (b *body) function(dot value, at parse.Node, n *parse.IdentifierNode, a arguments) value {
	w := word{at, n, n.Ident, 0}
	t, own := b.set.Funcs[n.Ident]
	f, isBuiltin := builtins[n.Ident]
	switch {
	case own:
		args, ok := b.call(dot, w, t, a)
		switch {
		case !ok || t.NumOut() == 0:
			return value{}
		case n.Ident == "dict" && t == dictType:
			return b.makeDict(w, args, a)
		}
		return valueOf(t.Out(0))
	case !isBuiltin:
		b.anyArgs(dot, a)
		return value{}
	case n.Ident == "and" || n.Ident == "or":
		return b.andOr(dot, w, a)
	}
	args, ok := b.call(dot, w, f.typ, a)
	if !ok {
		return value{}
	}
	if f.result == nil {
		return valueOf(f.typ.Out(0))
	}
	v, wrong := f.result(args)
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
	fixed := f.NumIn()
	if f.IsVariadic() {
		fixed--
	}
	if given < fixed || given > fixed && !f.IsVariadic() {
		b.report(w, "%s", wrongCount(w.name, fixed, f.IsVariadic(), given))
		return nil, false
	}
	if wrong := wrongResults(w.name, f); wrong != "" {
		b.report(w, "%s", wrong)
		return nil, false
	}
	was := b.tested
	b.tested = true
	args = make([]value, 0, given)
	before := len(b.problems)
	for j, arg := range a.nodes {
		args = append(args, b.arg(dot, parameter{Param(f, j), w}, arg))
	}
	b.tested = was
	if a.piped {
		t := Param(f, given-1)
		if !a.final.fits(t) {
			b.report(w, "%s takes %s, and gets %s", w.name, short(t), a.final)
		}
		b.readAll(a.final)
		args = append(args, a.final)
	}
	return args, len(b.problems) == before
}

// Param returns the type of parameter i of a function.
func Param(f reflect.Type, i int) reflect.Type {
	if last := f.NumIn() - 1; f.IsVariadic() && i >= last {
		return f.In(last).Elem()
	}
	return f.In(i)
}

// anyArgs looks at the arguments of a function that is not known.
func (b *body) anyArgs(dot value, a arguments) {
	was := b.tested
	b.tested = true
	for _, arg := range a.nodes {
		b.arg(dot, parameter{}, arg)
	}
	b.tested = was
}

// A parameter is what an argument is given for. The zero value is one that is not known.
type parameter struct {
	typ reflect.Type
	of  word // what is called
}

// arg returns the value of an argument.
func (b *body) arg(dot value, p parameter, n parse.Node) value {
	var v value
	switch n := n.(type) {
	case *parse.NilNode:
		v = nothing
	case *parse.DotNode:
		v = dot
	case *parse.FieldNode:
		v = b.chain(dot, dot, n, n, n.Ident, arguments{})
	case *parse.VariableNode:
		if v = b.variableOf(n); len(n.Ident) > 1 {
			v = b.chain(dot, v, n, n, n.Ident[1:], arguments{})
		}
	case *parse.ChainNode:
		v = b.chain(dot, b.arg(dot, parameter{}, n.Node), n, n, n.Field, arguments{})
	case *parse.PipeNode:
		v = b.pipeline(dot, n)
	case *parse.IdentifierNode:
		v = b.function(dot, n, n, arguments{})
	default:
		return b.literal(p, n)
	}
	b.readAll(v)
	if p.typ != nil && !v.fits(p.typ) {
		b.report(lastWord(p.of.expr, n), "%s is %s, and %s takes %s", n, v, p.of.name, short(p.typ))
	}
	return v
}
