// Package language holds the rules of text/template that the check of types and the plans both
// follow: what a name behind a dot stands for, which functions there are and how they are
// called, what a constant becomes, what can be nil, and what can be compared. It knows types
// and nodes, and evaluates nothing.
package language

import "text/template/parse"

// EachNode calls f for each node of a template, from the outside in.
func EachNode(n parse.Node, f func(parse.Node)) {
	if l, isList := n.(*parse.ListNode); n == nil || isList && l == nil { // a missing {{else}}
		return
	}
	f(n)
	branch := func(b *parse.BranchNode) {
		EachNode(b.Pipe, f)
		EachNode(b.List, f)
		EachNode(b.ElseList, f)
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			EachNode(child, f)
		}
	case *parse.PipeNode:
		for _, cmd := range n.Cmds {
			EachNode(cmd, f)
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			EachNode(arg, f)
		}
	case *parse.ChainNode:
		EachNode(n.Node, f)
	case *parse.ActionNode:
		EachNode(n.Pipe, f)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			EachNode(n.Pipe, f)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	}
}
