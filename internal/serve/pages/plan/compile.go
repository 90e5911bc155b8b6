package plan

import (
	"encoding/binary"
	"fmt"
	"html/template"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/language"
)

// A Compiler compiles templates with the same functions. Its Plans share the bodies of
// templates that are the same: trees with one Name and one ParseName must have the same source,
// and may differ only in what html/template has made of it, and in what they call. It is not
// safe for concurrent use.
type Compiler struct {
	funcs  Funcs
	bodies map[string]*body // by what they are compiled from: see variant
	key    []byte           // the memory of variant
}

// NewCompiler returns a Compiler for templates with these functions.
func NewCompiler(funcs Funcs) *Compiler { return &Compiler{funcs: funcs, bodies: map[string]*body{}} }

// Compile compiles the template of that name and what it calls. The templates must have been
// escaped by html/template. The error says in a phrase why html/template must render it instead.
//
// sources has the trees by their names, as they were before html/template changed copies of them:
// a page that fails finds in them what the error says. The Program keeps a tree that is not in
// sources as html/template has changed it, which is larger.
func (c *Compiler) Compile(escaped *template.Template, name string, sources map[string]*parse.Tree) (p *Program, err error) {
	p = &Program{}
	names := []string{name}
	for i := 0; i < len(names); i++ {
		t := escaped.Lookup(names[i])
		if t == nil || t.Tree == nil || t.Tree.Root == nil {
			return nil, fmt.Errorf("it calls %q in a place where html/template makes a copy of it", names[i])
		}
		b, callees, err := c.body(t.Tree, sources[t.Tree.Name])
		if err != nil {
			return nil, err
		}
		in := instance{body: b}
		for _, callee := range callees {
			number := slices.Index(names, callee)
			if number < 0 {
				number = len(names)
				names = append(names, callee)
			}
			in.calls = append(in.calls, number)
		}
		p.instances = append(p.instances, in)
	}
	p.instances = slices.Clip(p.instances)
	return p, nil
}

// body returns the body of a tree, and the names of the templates that it calls, by the
// number of the call. Copies of a tree that differ only in these names have the same body.
func (c *Compiler) body(t, source *parse.Tree) (b *body, callees []string, err error) {
	c.key = strconv.AppendQuote(strconv.AppendQuote(c.key[:0], t.Name), t.ParseName)
	c.key = variant(c.key, t.Root, &callees)
	if b := c.bodies[string(c.key)]; b != nil {
		return b, callees, nil
	}
	if source == nil || source.Name != t.Name || source.ParseName != t.ParseName {
		source = t
	}
	w := &writer{compiler: c, scope: []string{"$"}, callees: callees, body: &body{source: source, variables: 1}}
	defer func() {
		if r := recover(); r != nil {
			reason, ok := r.(unknown)
			if !ok {
				panic(r)
			}
			where, _ := t.ErrorContext(w.at) // file, line and column
			b, err = nil, fmt.Errorf("%s: %w", where[:strings.LastIndexByte(where, ':')], reason)
		}
	}()
	w.body.nodes = w.block(t.Root)
	c.bodies[string(c.key)] = w.body
	return w.body, callees, nil
}

// variant appends what html/template may have changed in a template: texts, and the functions
// that the commands of actions begin with, of which escapers are some. It also appends the names
// of the templates that it calls to callees, each once. Their numbers are in the key, and not the
// names.
func variant(key []byte, root *parse.ListNode, callees *[]string) []byte {
	language.EachAction(root, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.TextNode:
			key = binary.AppendUvarint(append(key, '"'), uint64(len(n.Text)))
			key = append(key, n.Text...)
		case *parse.ActionNode:
			for _, cmd := range n.Pipe.Cmds {
				key = append(key, ' ')
				if id, ok := cmd.Args[0].(*parse.IdentifierNode); ok {
					key = append(key, id.Ident...)
				}
			}
			key = append(key, '.')
		case *parse.TemplateNode:
			slot := slices.Index(*callees, n.Name)
			if slot < 0 {
				slot = len(*callees)
				*callees = append(*callees, n.Name)
			}
			key = binary.AppendUvarint(append(key, '#'), uint64(slot))
		}
	})
	return key
}

// unknown is the panic of a writer: it says what a Program does not know.
type unknown string

func (u unknown) Error() string { return string(u) }

// A writer makes the body of one tree.
type writer struct {
	compiler *Compiler
	body     *body
	callees  []string // the templates that it calls
	scope    []string // the names of the variables in scope; a variable has the number of its place
	nested   bool     // the pipeline stands in parentheses
	at       parse.Node
}

// block compiles a list with a scope of its own.
func (w *writer) block(l *parse.ListNode) (nodes list) {
	if l == nil {
		return nil
	}
	defer w.leave(len(w.scope))
	nodes = make(list, 0, len(l.Nodes))
	w.list(l, &nodes)
	return slices.Clip(nodes)
}

// list appends the nodes of a list. It joins texts that follow each other.
func (w *writer) list(l *parse.ListNode, nodes *list) {
	for _, n := range l.Nodes {
		w.at = n
		switch n := n.(type) {
		case *parse.CommentNode:
		case *parse.ListNode:
			w.list(n, nodes)
		case *parse.TextNode:
			if i := len(*nodes) - 1; i >= 0 {
				if before, ok := (*nodes)[i].(text); ok {
					(*nodes)[i] = before + text(n.Text)
					continue
				}
			}
			*nodes = append(*nodes, text(n.Text))
		default:
			*nodes = append(*nodes, w.node(n))
		}
	}
}

// node compiles what is no text.
func (w *writer) node(n parse.Node) node {
	switch n := n.(type) {
	case *parse.ActionNode:
		return w.action(n)
	case *parse.BreakNode:
		return toBreak
	case *parse.ContinueNode:
		return toContinue
	case *parse.IfNode:
		defer w.leave(len(w.scope))
		return &branch{cond: w.pipe(n.Pipe), then: w.block(n.List), elseThen: w.block(n.ElseList)}
	case *parse.WithNode:
		defer w.leave(len(w.scope))
		return &branch{cond: w.pipe(n.Pipe), sets: true, then: w.block(n.List), elseThen: w.block(n.ElseList)}
	case *parse.RangeNode:
		defer w.leave(len(w.scope))
		l := &loop{at: spotOf(deciding(n.Pipe)), over: w.pipe(n.Pipe), index: -1, elem: -1}
		switch decl := n.Pipe.Decl; len(decl) {
		case 1:
			l.elem = int32(w.variable(decl[0]))
		case 2:
			l.index, l.elem = int32(w.variable(decl[0])), int32(w.variable(decl[1]))
		}
		l.body, l.elseThen = w.block(n.List), w.block(n.ElseList)
		return l
	case *parse.TemplateNode:
		c := &call{at: spotOf(n), slot: int32(slices.Index(w.callees, n.Name))}
		if n.Pipe != nil {
			c.dot = w.pipe(n.Pipe)
		}
		return c
	}
	panic(unknown(fmt.Sprintf("%s is no action that is known", n)))
}

// deciding returns the part of a word that its value comes from, for errors: of a pipeline the
// last command, or the only word of that.
func deciding(n parse.Node) parse.Node {
	p, ok := n.(*parse.PipeNode)
	if !ok {
		return n
	}
	last := p.Cmds[len(p.Cmds)-1]
	if len(last.Args) == 1 {
		return deciding(last.Args[0])
	}
	return last
}

// leave ends the scope of variables.
func (w *writer) leave(mark int) { w.scope = w.scope[:mark] }

// variable returns the number of a variable.
func (w *writer) variable(n *parse.VariableNode) int {
	for i := len(w.scope) - 1; i >= 0; i-- {
		if w.scope[i] == n.Ident[0] {
			return i
		}
	}
	panic(unknown(n.Ident[0] + " is not declared"))
}

// action compiles an action with its escapers.
func (w *writer) action(n *parse.ActionNode) node {
	if len(n.Pipe.Decl) > 0 {
		return w.pipe(n.Pipe).(*assign)
	}
	cmds := n.Pipe.Cmds
	words := ""
	for len(cmds) > 1 && w.isEscaper(cmds[len(cmds)-1]) {
		words = "|" + cmds[len(cmds)-1].Args[0].String() + words
		cmds = cmds[:len(cmds)-1]
	}
	if words == "" {
		panic(unknown(fmt.Sprintf("%s has no escaper", n)))
	}
	if first := cmds[0]; len(cmds) == 1 && first.Args[0].String() == "_eval_args_" && len(first.Args) == 2 {
		words = "|_eval_args_" + words // html/template writes {{html .X}} as {{_eval_args_ .X | html}}
		return &action{command{w.value(first.Args[1])}, chainOf(words), spotOf(first.Args[1])}
	}
	return &action{w.commands(cmds), chainOf(words), spotOfPipe(cmds)}
}

// isEscaper reports whether a command is an escaper: one of html/template, or html or
// urlquery, which html/template takes for its own.
func (w *writer) isEscaper(c *parse.CommandNode) bool {
	id, ok := c.Args[0].(*parse.IdentifierNode)
	if !ok || len(c.Args) > 1 {
		return false
	}
	predefined := id.Ident == "html" || id.Ident == "urlquery"
	return strings.HasPrefix(id.Ident, "_html_template_") || predefined && w.compiler.funcs.Fixed[id.Ident] == nil
}

// pipe compiles a pipeline, and puts the variables that it declares into the scope.
func (w *writer) pipe(p *parse.PipeNode) expr {
	e := w.commands(p.Cmds)
	if len(p.Decl) == 0 {
		return e
	}
	if w.nested && !p.IsAssign {
		panic(unknown(fmt.Sprintf("(%s) declares a variable in parentheses", p))) // its scope depends on whether it is reached
	}
	a := &assign{value: e}
	for _, d := range p.Decl {
		if !p.IsAssign {
			w.scope = append(w.scope, d.Ident[0])
			w.body.variables = max(w.body.variables, len(w.scope))
		}
		a.variables = append(a.variables, w.variable(d))
	}
	return a
}

// commands compiles the commands of a pipeline.
func (w *writer) commands(cmds []*parse.CommandNode) (last expr) {
	for _, cmd := range cmds {
		last = w.command(cmd, cmd.Args, last)
		switch e := last.(type) {
		case *field:
			e.isCommand = true
		case *function:
			e.isCommand = true
		case literal, *assign, command: // it is no interface{}
		default:
			last = command{e}
		}
	}
	return last
}

// command compiles a command, which is all of a node: its first word, which gets the others
// as arguments, and last as the value of the command before it, unless that is nil.
func (w *writer) command(all parse.Node, words []parse.Node, last expr) expr {
	switch n := words[0].(type) {
	case *parse.FieldNode:
		return w.chain(n, dotExpr{}, n.Ident, words[1:], last)
	case *parse.ChainNode:
		return w.chain(n, w.value(n.Node), n.Field, words[1:], last)
	case *parse.VariableNode:
		if len(n.Ident) > 1 {
			return w.chain(n, variable(w.variable(n)), n.Ident[1:], words[1:], last)
		}
	case *parse.IdentifierNode:
		return w.function(all, n.Ident, words[1:], last)
	}
	if len(words) > 1 || last != nil {
		panic(unknown(fmt.Sprintf("%s is no function, and gets an argument", words[0])))
	}
	return w.value(words[0])
}

// value compiles a word that has a value by itself.
func (w *writer) value(n parse.Node) expr {
	switch n := n.(type) {
	case *parse.DotNode:
		return dotExpr{}
	case *parse.FieldNode, *parse.ChainNode, *parse.IdentifierNode:
		return w.command(n, []parse.Node{n}, nil)
	case *parse.VariableNode:
		if len(n.Ident) > 1 {
			return w.command(n, []parse.Node{n}, nil)
		}
		return variable(w.variable(n))
	case *parse.PipeNode:
		was := w.nested
		w.nested = true
		defer func() { w.nested = was }()
		return w.pipe(n)
	}
	if number, ok := n.(*parse.NumberNode); ok && number.IsComplex && number.IsFloat {
		panic(unknown(fmt.Sprintf("%s is a complex number that may become another one", n)))
	}
	if v := language.Ideal(n); v != nil {
		return literal{reflect.ValueOf(v)}
	}
	panic(unknown(fmt.Sprintf("%s is no value by itself", n)))
}

// chain compiles .A.B.C behind a value. The last name gets the arguments.
func (w *writer) chain(at parse.Node, of expr, names []string, args []parse.Node, last expr) expr {
	for _, name := range names[:len(names)-1] {
		of = &field{at: spotOf(at), of: of, name: name, isReceiver: true}
	}
	name := names[len(names)-1]
	if len(args) == 0 && last == nil {
		return &field{at: spotOf(at), of: of, name: name}
	}
	return &method{field{at: spotOf(at), of: of, name: name}, arguments{w.operands(args), last}}
}

// operands compiles the arguments of a call.
func (w *writer) operands(args []parse.Node) []operand {
	var operands []operand
	for _, n := range args {
		o := operand{literal{}, spotOf(deciding(n)), language.KindsOf(n)}
		if n.Type() != parse.NodeNil {
			o.value = w.value(n)
		}
		operands = append(operands, o)
	}
	return operands
}

// function compiles a call of a function, which is all of a node.
func (w *writer) function(at parse.Node, name string, args []parse.Node, last expr) expr {
	a := arguments{w.operands(args), last}
	given := a.given()
	fun, ok := language.Builtin(name)
	fixed, bound := w.compiler.funcs.Fixed[name], w.compiler.funcs.Bound[name]
	switch {
	case bound != nil:
		fun = reflect.ValueOf(bound)
		given++
	case fixed != nil:
		fun = reflect.ValueOf(fixed)
	case name == "_eval_args_":
		panic(unknown("html and urlquery get several values"))
	case !ok:
		panic(unknown(fmt.Sprintf("the function %q is not known", name)))
	}
	switch {
	case !language.Takes(fun.Type(), given):
		panic(unknown(fmt.Sprintf("%q gets another number of arguments than it takes", name)))
	case !fun.IsNil():
		return &function{arguments: a, at: spotOf(at), name: name, fun: fun, bound: bound != nil, direct: direct(fun.Interface())}
	case name == "and" || name == "or":
		return &andOr{name == "or", a}
	}
	return &builtin{name, fast[name], a, spotOf(at)}
}
