package typecheck

import (
	"reflect"
	"text/template/parse"
)

// A body checks the text of one template with one value as its dot.
type body struct {
	*checker
	job
	from *parse.TemplateNode // the {{template}} whose dot is not that of its own template, or nil

	vars         []variable
	latest       map[string]int                // by name, the index in vars of the innermost variable; the first $ is not in it
	assigned     map[*parse.VariableNode]value // all that = gives to a variable, by its declaration
	grew         bool                          // assigned has got something new in this pass
	vague        bool                          // in this pass nothing is taken for known of variables
	allowsAbsent bool                          // what is evaluated may be absent by intent: a condition, an argument

	problems []finding
	named    []Field
	absent   []missingKey
	calls    []templateCall
}

// A templateCall is a {{template}} with the value that it gives.
type templateCall struct {
	node *parse.TemplateNode
	dot  value
}

// A variable is one that the template has declared, or $.
type variable struct {
	name  string
	decl  *parse.VariableNode // nil for $
	value value
	doubt bool // it may not have been declared, since and, or may have stopped before it
	outer int  // the index of the variable of this name around it, or -1
}

// maxPasses bounds how often a template is walked through. Variables that are assigned to each
// other in a chain take a pass for each of them, and a template written by hand has few.
var maxPasses = 16

// check walks through the template, and adds what it found to the checker.
//
// What = gives to a variable counts for all of its scope, since a loop comes back to what
// stands before. So the template is walked through again until nothing is added. If that takes
// too long, the last pass takes nothing for known of any variable.
func (b *body) check() {
	tree := b.set.Trees[b.name]
	b.assigned = map[*parse.VariableNode]value{}
	for pass := 0; pass == 0 || b.grew && !b.vague; pass++ {
		b.grew, b.vague = false, pass == maxPasses
		b.problems, b.named, b.absent, b.calls = nil, nil, nil, nil
		b.leave(0)
		b.declare("$", nil, b.dot)
		b.walk(b.dot, tree.Root)
	}
	b.found = append(b.found, b.problems...)
	b.fields = append(b.fields, b.named...)
	b.missing = append(b.missing, b.absent...)
	for _, c := range b.calls {
		from := c.node
		if c.dot == b.dot {
			from = b.from
		}
		b.add(job{c.node.Name, c.dot}, from)
	}
}

// walk looks at a node, and reports whether the rest of its list is never reached.
func (b *body) walk(dot value, n parse.Node) (ends bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		for _, n := range n.Nodes {
			if b.walk(dot, n) {
				return true
			}
		}
	case *parse.ActionNode:
		v := b.pipeline(dot, n.Pipe)
		b.readAll(v)
		if b.written != nil && len(n.Pipe.Decl) == 0 {
			text, reached := b.written[n]
			b.written[n] = v.isText() && (text || !reached)
		}
	case *parse.BreakNode, *parse.ContinueNode:
		return true
	case *parse.IfNode:
		return b.branch(dot, &n.BranchNode)
	case *parse.WithNode:
		return b.branch(dot, &n.BranchNode)
	case *parse.RangeNode:
		b.loop(dot, n)
	case *parse.TemplateNode:
		v := nothing
		if n.Pipe != nil {
			v = b.pipeline(dot, n.Pipe)
		}
		b.calls = append(b.calls, templateCall{n, v})
	}
	return false
}

// branch looks at {{if}} and {{with}}, and at those of their branches that can run.
func (b *body) branch(dot value, n *parse.BranchNode) (ends bool) {
	defer b.leave(len(b.vars))
	v := b.condition(dot, n.Pipe)
	if b.decided != nil {
		truth, reached := b.decided[n.Pipe]
		if !reached {
			truth = v.truth
		}
		b.decided[n.Pipe] = truth.or(v.truth)
	}
	mark := len(b.vars)
	ends = true
	if v.truth != no {
		b.narrow(n.Pipe, v.when(yes))
		inner := dot
		if n.NodeType == parse.NodeWith {
			inner = v.when(yes)
		}
		ends = b.walk(inner, n.List)
		b.leave(mark)
	}
	if v.truth != yes {
		b.narrow(n.Pipe, v.when(no))
		ends = n.ElseList != nil && b.walk(dot, n.ElseList) && ends
	}
	return ends
}

// loop looks at {{range}}.
func (b *body) loop(dot value, n *parse.RangeNode) {
	defer b.leave(len(b.vars))
	v := b.pipeline(dot, n.Pipe)
	mark := len(b.vars)
	b.readAll(v)
	r := iterate(v, len(n.Pipe.Decl))
	if r.wrong != "" {
		b.report(lastWord(n.Pipe, n.Pipe), "%s", r.wrong)
		v = value{}
		b.step(n.Pipe, iteration{})
	}
	if r.runs != no {
		b.step(n.Pipe, r)
		b.walk(r.elem, n.List)
		b.leave(mark)
	}
	if r.runs != yes && n.ElseList != nil {
		if !n.Pipe.IsAssign {
			for i := range n.Pipe.Decl {
				b.redeclare(mark-1-i, v)
			}
		}
		b.walk(dot, n.ElseList)
	}
}

// An iteration is what {{range}} does with a value.
type iteration struct {
	key, elem value
	runs      tri    // whether it comes to an element
	wrong     string // why it fails
}

// iterate returns what {{range}} does with a value and a number of variables.
func iterate(v value, vars int) iteration {
	if v.absent == yes {
		return iteration{runs: no}
	}
	t, addr := v.indirect()
	if t == nil || t.Kind() == reflect.Interface {
		return iteration{key: value{text: v.text}, elem: value{text: v.text}}
	}
	r := iteration{key: valueOf(intType)}
	if t == v.typ {
		r.runs = v.truth
	}
	switch {
	case isInteger(t):
		r.elem, r.runs = valueOf(t), min(r.runs, maybe) // not if it is negative
		if vars > 1 {
			r.wrong = "a number gives no second variable"
		}
	case t.Kind() == reflect.Slice:
		r.elem = valueOf(t.Elem()).at(yes)
	case t.Kind() == reflect.Array:
		r.elem, r.runs = valueOf(t.Elem()).at(addr), truthOf(t)
	case t.Kind() == reflect.Map:
		r.key, r.elem = valueOf(t.Key()), valueOf(t.Elem())
	case t.Kind() == reflect.Chan:
		r.elem, r.runs = valueOf(t.Elem()), min(r.runs, maybe)
		if t.ChanDir() == reflect.SendDir {
			r.runs = no // one that is nil has no elements, any other fails
		}
	case t.CanSeq() && t.Kind() == reflect.Func:
		r.elem, r.runs = valueOf(t.In(0).In(0)), maybe
		if vars > 1 {
			r.wrong = short(t) + " gives no second variable"
		}
	case t.CanSeq2() && t.Kind() == reflect.Func:
		r.key, r.elem, r.runs = valueOf(t.In(0).In(0)), valueOf(t.In(0).In(1)), maybe
		if vars < 2 {
			r.elem = r.key
		}
	default:
		r.wrong = "range cannot go through " + short(t)
	}
	switch {
	case v.absent == no && r.wrong != "":
		return iteration{wrong: r.wrong}
	case r.wrong != "":
		return iteration{runs: no} // what is absent works, and has no elements
	case v.absent != no:
		r.runs = min(r.runs, maybe)
	}
	return r
}

// declare adds a variable.
func (b *body) declare(name string, decl *parse.VariableNode, v value) {
	outer := -1
	if i := len(b.vars); i > 0 {
		if b.latest == nil {
			b.latest = map[string]int{}
		}
		outer = b.find(name)
		b.latest[name] = i
	}
	b.vars = append(b.vars, variable{name: name, decl: decl, value: b.withAssigned(decl, v), outer: outer})
}

// find returns the index of the variable that a name stands for, or -1.
func (b *body) find(name string) int {
	if i, ok := b.latest[name]; ok {
		return i
	}
	if name == "$" {
		return 0
	}
	return -1
}

// leave ends the scope of the variables from an index on.
func (b *body) leave(mark int) {
	for i := len(b.vars) - 1; i >= max(mark, 1); i-- {
		b.latest[b.vars[i].name] = b.vars[i].outer
	}
	b.vars = b.vars[:mark]
}

// narrow gives the variable that a condition has declared the value that it has in one
// of the branches.
func (b *body) narrow(p *parse.PipeNode, v value) {
	if len(p.Decl) > 0 && !p.IsAssign {
		b.redeclare(len(b.vars)-1, v)
	}
}

// step gives the variables of {{range}} the values that they have in its body.
func (b *body) step(p *parse.PipeNode, r iteration) {
	items := []value{r.key, r.elem}[2-len(p.Decl):]
	for i, d := range p.Decl {
		if p.IsAssign {
			b.assign(d.Ident[0], items[i])
		} else {
			b.redeclare(len(b.vars)-len(p.Decl)+i, items[i])
		}
	}
}

// redeclare gives a variable another value where it is declared.
func (b *body) redeclare(i int, v value) { b.vars[i].value = b.withAssigned(b.vars[i].decl, v) }

// withAssigned returns what is known of a variable that its declaration gives the value v, and
// = perhaps others.
func (b *body) withAssigned(decl *parse.VariableNode, v value) value {
	if b.vague {
		return value{}
	}
	if other, ok := b.assigned[decl]; ok {
		return v.or(other)
	}
	return v
}

// assign notes that a variable may have a value.
func (b *body) assign(name string, v value) (ok bool) {
	for i := b.find(name); i >= 0; i = b.vars[i].outer {
		o := &b.vars[i]
		known, was := b.assigned[o.decl]
		all := v
		if was {
			all = known.or(v)
		}
		if !was || all != known {
			b.assigned[o.decl], b.grew = all, true
		}
		o.value = o.value.or(all)
		if !o.doubt {
			return true
		}
		ok = true
	}
	return ok
}
