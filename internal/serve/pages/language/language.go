// Package language holds the rules of text/template that the check of types and the plans both
// follow: what a name behind a dot stands for, which functions there are and how they are
// called, what a constant becomes, what can be nil, and what can be compared. It knows types
// and nodes, and evaluates nothing. [Dict] is the one function that templates have beside those.
package language

import "text/template/parse"

// EachNode calls f for each node of a template, from the outside in.
func EachNode(n parse.Node, f func(parse.Node)) { each(n, f, true) }

// EachAction calls f for each text and action of a template, and for the lists that these
// stand in. It leaves out what their pipelines consist of.
func EachAction(n parse.Node, f func(parse.Node)) { each(n, f, false) }

func each(n parse.Node, f func(parse.Node), pipes bool) {
	if l, isList := n.(*parse.ListNode); n == nil || isList && l == nil { // a missing {{else}}
		return
	}
	f(n)
	var pipe *parse.PipeNode
	var branch *parse.BranchNode
	switch n := n.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			each(child, f, pipes)
		}
	case *parse.PipeNode:
		for _, cmd := range n.Cmds {
			each(cmd, f, pipes)
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			each(arg, f, pipes)
		}
	case *parse.ChainNode:
		each(n.Node, f, pipes)
	case *parse.ActionNode:
		pipe = n.Pipe
	case *parse.TemplateNode:
		pipe = n.Pipe
	case *parse.IfNode:
		pipe, branch = n.Pipe, &n.BranchNode
	case *parse.RangeNode:
		pipe, branch = n.Pipe, &n.BranchNode
	case *parse.WithNode:
		pipe, branch = n.Pipe, &n.BranchNode
	}
	if pipe != nil && pipes {
		each(pipe, f, pipes)
	}
	if branch != nil {
		each(branch.List, f, pipes)
		each(branch.ElseList, f, pipes)
	}
}
