package templates

import (
	"strings"
	"text/template/parse"

	"example.com/flow/internal/pages/language"
)

// needs returns the first {{.Field}} that a template executes unconditionally, and its line;
// the line is 0 if there is none. Without data, html/template renders nothing for it.
//
// needs skips what may be optional: the bodies of {{if}}, {{with}} and {{range}}, tags, and
// the contents of <textarea>, since forms are empty at first. It also skips the templates of
// {{define}} and {{block}}, which may get other data.
func needs(t *parse.Tree) (field string, line int) {
	tag := "" // the last one, with the text after it
	for _, n := range t.Root.Nodes {
		if n, ok := n.(*parse.ActionNode); ok && isField(n.Pipe) {
			within := tag != "" && !strings.Contains(tag, ">")
			if !within && !strings.HasPrefix(strings.ToLower(tag), "<textarea") {
				return n.Pipe.String(), lineOf(t, n)
			}
		}
		language.EachAction(n, func(n parse.Node) {
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
