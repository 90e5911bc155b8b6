package pages

import (
	"slices"
	"text/template/parse"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Need is the first field of its data that a template renders unconditionally, such as ".Title".
type Need struct {
	Field string
	Line  int // 0 if there is none
}

// Fault returns what is wrong with the page of a route that gets no data, given how to register a handler. It
// is a warning if that may be right, as for a page that is rendered by View only.
func (n Need) Fault(r *routetree.Route, mayBeRight bool, remedy string) fault.Fault {
	if mayBeRight {
		return fault.Warn(r.File, n.Line, "{{%s}} asks for data, and a page without a handler has none: %s, or write {{with .}} around it", n.Field, remedy)
	}
	return fault.InLine(r.File, n.Line, "{{%s}} asks for data, and no handler for GET gives any: %s, or write {{with .}} around it", n.Field, remedy)
}

// Needs returns what a template needs of its data.
func (c *Checked) Needs(name string) (n Need) {
	f := c.Views.Parsed.Files[name]
	if f == nil || f.Broken || f.IsText {
		return n
	}
	named := map[parse.Node]bool{}
	for _, field := range c.typesIn(name).fields {
		named[field.At] = true
	}
	own := slices.IndexFunc(f.Trees(), func(t *parse.Tree) bool { return t.Name == f.File })
	field, offset := needs(f.Trees()[own], named)
	if n.Field = field; field != "" {
		n.Line, _ = position(f, offset)
	}
	return n
}

// needs returns the first {{.Field}} that a template executes unconditionally, and its
// offset; "" if there is none. Without data, html/template renders nothing for it.
//
// needs skips what may be optional: the bodies of {{if}}, {{with}} and {{range}}, tags, and
// the contents of <textarea>, since forms are empty at first. It also skips the templates of
// {{define}} and {{block}}, which may get other data. A call of Field for a form does not count as
// optional in a tag, since the form has no fields then: named are the constants that such calls get,
// in this template or in one that it gives them to.
func needs(t *parse.Tree, named map[parse.Node]bool) (field string, offset int) {
	for _, n := range markup.Read(t, markup.Links, nil) {
		if asks := asksForField(pipeOf(n), named); asks != nil {
			return asks.String(), int(asks.Position())
		}
		if n, ok := n.(*markup.Hole); ok && isField(n.Action.Pipe) {
			if in := n.In; in.Kind == markup.Content || in.Kind == markup.Raw && in.Element != "textarea" {
				return n.Action.Pipe.String(), int(n.Action.Position())
			}
		}
	}
	return "", 0
}

// isField reports whether a pipeline is just a field of the data or a method. A pipeline with
// a function may give a default.
func isField(p *parse.PipeNode) bool {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return false
	}
	switch n := p.Cmds[0].Args[0].(type) {
	case *parse.FieldNode:
		return true
	case *parse.VariableNode:
		return n.Ident[0] == "$" && len(n.Ident) > 1
	}
	return false
}

// pipeOf returns the pipeline of a node, or nil.
func pipeOf(n markup.Node) *parse.PipeNode {
	switch n := n.(type) {
	case *markup.Hole:
		return n.Action.Pipe
	case *markup.Assign:
		return n.Pipe
	case *markup.Branch:
		return n.Pipe
	case *markup.Loop:
		return n.Pipe
	case *markup.Call:
		return n.Action.Pipe
	}
	return nil
}

// asksForField returns the call of a method Field of the data in a pipeline, or the call that passes
// on one of the constants. It returns nil if there is none.
func asksForField(p *parse.PipeNode, named map[parse.Node]bool) parse.Node {
	if p == nil {
		return nil
	}
	for _, cmd := range p.Cmds {
		switch n := cmd.Args[0].(type) {
		case *parse.FieldNode:
			if isField := n.Ident[len(n.Ident)-1] == "Field"; isField && len(cmd.Args) > 1 {
				return cmd
			}
		case *parse.VariableNode:
			if isField := n.Ident[len(n.Ident)-1] == "Field"; isField && n.Ident[0] == "$" && len(cmd.Args) > 1 {
				return cmd
			}
		}
		for _, arg := range cmd.Args {
			if named[arg] {
				return cmd
			}
			if chain, isChain := arg.(*parse.ChainNode); isChain {
				arg = chain.Node
			}
			if inner, isPipe := arg.(*parse.PipeNode); isPipe {
				if asks := asksForField(inner, named); asks != nil {
					return asks
				}
			}
		}
	}
	return nil
}
