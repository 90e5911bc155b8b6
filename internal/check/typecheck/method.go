package typecheck

import (
	"reflect"
	"slices"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/language"
)

// A Call is a call of a method.
type Call struct {
	Receiver reflect.Type // behind all pointers
	Known    any          // the Known of the Verdict about the call whose result the receiver is, or nil
	Name     string
	Args     []Arg
}

// An Arg is an argument of a Call.
type Arg struct {
	Type     reflect.Type // nil if it is not known
	Constant any          // the constant that it is, wherever that stands; nil for others
}

// A Verdict is what [Set.Method] says about a call.
type Verdict struct {
	Known any    // of the result: it can be compared, and equal ones are the same
	Wrong string // why the call always fails, or ""
	Arg   int    // the index of the argument that is wrong, or -1
	// Field is the name of the field of a form that the call speaks of, and Type its type; "" if
	// it speaks of none.
	Field, Type string
}

// A Field is a field of a form that a template speaks of.
type Field struct {
	At         *parse.StringNode // the constant that names it, or the end of its name
	Name, Type string
}

// A result is what is known of the result of a method.
type result struct {
	known any               // as the Verdict has it
	at    *parse.StringNode // that of the Field, or nil
}

// method asks Set.Method about a call with arguments that fit. It returns what is known of the
// result, and is not ok if the call fails.
func (b *body) method(receiver value, t reflect.Type, w word, args []value, a arguments) (known any, ok bool) {
	if b.set.Method == nil {
		return nil, true
	}
	call := Call{Receiver: t, Name: w.name}
	of, _ := receiver.known.(result)
	call.Known = of.known
	at := of.at
	for _, v := range args {
		arg := Arg{Type: v.typ}
		if n, isNode := v.known.(parse.Node); isNode && v.absent == no {
			arg.Constant = language.Ideal(n)
			if s, isString := n.(*parse.StringNode); isString && of.at == nil {
				at = s
			}
		}
		call.Args = append(call.Args, arg)
	}
	verdict := b.set.Method(call)
	if verdict.Wrong != "" {
		b.reportCall(w, args, a, verdict)
		return nil, false
	}
	if verdict.Field != "" && at != nil {
		b.named = append(b.named, Field{at, verdict.Field, verdict.Type})
	}
	if verdict.Known == nil {
		return nil, true
	}
	return result{verdict.Known, at}, true
}

// reportCall reports what is wrong about a call: at the constant that is wrong, which may stand
// in the template that calls this one.
func (b *body) reportCall(w word, args []value, a arguments, verdict Verdict) {
	if verdict.Arg < 0 || verdict.Arg >= len(args) {
		b.report(w, "%s", verdict.Wrong)
		return
	}
	n, isNode := args[verdict.Arg].known.(parse.Node)
	switch {
	case isNode && slices.Contains(a.nodes, n):
		b.report(word{expr: w.expr, node: n}, "%s", verdict.Wrong)
	case isNode:
		f := b.finding(w, verdict.Wrong)
		f.In, f.Pos, f.Call = f.Pos, b.pos(word{node: n}), Pos{}
		b.problems = append(b.problems, f)
	case verdict.Arg < len(a.nodes):
		b.report(lastWord(w.expr, a.nodes[verdict.Arg]), "%s", verdict.Wrong)
	default:
		b.report(w, "%s", verdict.Wrong)
	}
}
