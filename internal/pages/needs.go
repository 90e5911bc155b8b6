package pages

import (
	"strings"
	"text/template/parse"
)

// needs returns the first {{.Field}} that a template shows whatever the data is, and its
// line; 0 if there is none. html/template shows nothing for it if there is no data.
//
// What stands in {{if}}, {{with}} and {{range}} may be for data that is not always there.
// So may what stands within a tag or a <textarea>: forms are empty at first. The templates
// of {{define}} and {{block}} are not looked at, since they may get other data.
func needs(t *parse.Tree) (field string, line int) {
	tag := "" // the last one, with the text after it
	for _, n := range t.Root.Nodes {
		if n, ok := n.(*parse.ActionNode); ok && isField(n.Pipe) {
			within := tag != "" && !strings.Contains(tag, ">")
			if !within && !strings.HasPrefix(strings.ToLower(tag), "<textarea") {
				return n.Pipe.String(), lineOf(t, n)
			}
		}
		EachNode(n, func(n parse.Node) {
			if n, ok := n.(*parse.TextNode); ok {
				text := string(n.Text)
				if i := strings.LastIndexByte(text, '<'); i >= 0 {
					tag, text = "", text[i:]
				}
				tag += text
			}
		})
	}
	return "", 0
}

// isField reports whether a pipeline is a field of the data, or a method of one, and no
// function: a function may give a default.
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
