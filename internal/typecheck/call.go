package typecheck

import (
	"reflect"
	"text/template/parse"
)

// Arguments are what a command gives to its function or method: those that stand behind
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
		b.report(n, n, 0, "nil alone is no value")
		return value{}
	}
	word := cmd.Args[0]
	if !a.none() {
		b.report(cmd, word, variableItself, "%s is no function, and gets an argument", word)
		return value{}
	}
	switch n := word.(type) {
	case *parse.PipeNode:
		return b.pipeline(dot, n)
	case *parse.VariableNode:
		return b.variableOf(n)
	case *parse.DotNode:
		return dot
	}
	return b.literal(parameter{}, word)
}

// variableOf returns the value of the variable that a node begins with.
func (b *body) variableOf(n *parse.VariableNode) value {
	for i := len(b.vars) - 1; i >= 0; i-- {
		if b.vars[i].name == n.Ident[0] {
			return b.vars[i].value
		}
	}
	b.reportUndefined(n)
	return value{}
}

// chain returns the value of .A.B.C of a receiver. The arguments are for the last name,
// and at is the expression with its arguments.
func (b *body) chain(dot, receiver value, at, n parse.Node, names []string, a arguments) value {
	last := len(names) - 1
	for i := range last {
		receiver = b.field(dot, receiver, at, n, names, i, arguments{})
	}
	return b.field(dot, receiver, at, n, names, last, a)
}

// field returns the value of one name of a chain.
func (b *body) field(dot, receiver value, at, n parse.Node, names []string, i int, a arguments) value {
	if receiver.absent == yes {
		return nothing // without a look at the arguments
	}
	t, addr := receiver.indirect()
	if t == nil {
		b.anyArgs(dot, a)
		return value{}
	}
	name := names[i]
	if receiver.dict != nil && a.none() {
		return b.key(receiver.dict, at, n, i, name)
	}
	// What is absent may have any field, and gives nothing for it.
	present := receiver.absent == no
	m := Lookup(t, addr != no, name)
	var v value
	switch m.Kind {
	case Method:
		switch {
		case addr == maybe && Lookup(t, false, name).Kind != Method:
			b.anyArgs(dot, a)
			return value{}
		case !present:
			b.anyArgs(dot, a)
		default:
			if _, ok := b.call(dot, at, n, i, name, m.Type, a); !ok {
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
				b.report(at, n, i, "%s is no method, and gets an argument", name)
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
			b.report(at, n, i, "%s", noMember(t, addr != no, name, m))
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
	t, own := b.set.Funcs[n.Ident]
	f, isBuiltin := builtins[n.Ident]
	switch {
	case own:
		args, ok := b.call(dot, at, n, 0, n.Ident, t, a)
		switch {
		case !ok || t.NumOut() == 0:
			return value{}
		case n.Ident == "dict" && t == dictType:
			return b.makeDict(at, n, args, a)
		}
		return valueOf(t.Out(0))
	case !isBuiltin:
		b.anyArgs(dot, a)
		return value{}
	case n.Ident == "and" || n.Ident == "or":
		return b.andOr(dot, at, n, a)
	}
	args, ok := b.call(dot, at, n, 0, n.Ident, f.typ, a)
	if !ok {
		return value{}
	}
	if f.result == nil {
		return valueOf(f.typ.Out(0))
	}
	v, wrong := f.result(args)
	if wrong != "" {
		b.report(at, n, 0, "%s", wrong)
		return value{}
	}
	return v
}

// call looks at the arguments of a function or method, and returns their values. It is not
// ok if the call fails.
func (b *body) call(dot value, at, n parse.Node, i int, name string, f reflect.Type, a arguments) (args []value, ok bool) {
	given := len(a.nodes)
	if a.piped {
		given++
	}
	fixed := f.NumIn()
	if f.IsVariadic() {
		fixed--
	}
	if given < fixed || given > fixed && !f.IsVariadic() {
		b.report(at, n, i, "%s", wrongCount(name, fixed, f.IsVariadic(), given))
		return nil, false
	}
	if wrong := wrongResults(name, f); wrong != "" {
		b.report(at, n, i, "%s", wrong)
		return nil, false
	}
	was := b.tested
	b.tested = true
	args = make([]value, 0, given)
	before := len(b.problems)
	for j, arg := range a.nodes {
		args = append(args, b.arg(dot, parameter{param(f, j), at, name}, arg))
	}
	b.tested = was
	if a.piped {
		t := param(f, given-1)
		if !a.final.fits(t) {
			b.report(at, n, i, "%s takes %s, and gets %s", name, short(t), a.final)
		}
		b.readAll(a.final)
		args = append(args, a.final)
	}
	return args, len(b.problems) == before
}

// param returns the type of parameter i of a function.
func param(f reflect.Type, i int) reflect.Type {
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
	at  parse.Node // the call
	of  string     // what is called
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
		word, i := lastWord(n)
		b.report(p.at, word, i, "%s is %s, and %s takes %s", n, v, p.of, short(p.typ))
	}
	return v
}

// literal returns the value of a constant, which takes the type of its parameter.
func (b *body) literal(p parameter, n parse.Node) value {
	v, takes := constantOf(n)
	if p.typ == nil || p.typ == reflectValueType || p.typ.Kind() == reflect.Interface && p.typ.NumMethod() == 0 {
		if v.typ == nil {
			b.report(n, n, 0, "the number is too large for an int")
		}
		return v
	}
	if !takes(Basic(p.typ.Kind())) {
		b.report(p.at, n, 0, "%s is no %s, which %s takes", n, short(p.typ), p.of)
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
