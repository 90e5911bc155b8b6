package templates

import (
	"html/template"
	"io"
	"strings"
	"sync"
	"text/template/parse"
)

// The inliner reads from the trees of html/template what that has decided. Where html/template
// writes it is not documented, and a new version of Go may change it. So each program looks at a
// few small templates first.

// escapesInPlace reports whether html/template adds escapers to the nodes that it is given. Without
// that, flow cannot tell whether a page is escaped rightly, and Check refuses all pages.
var escapesInPlace = sync.OnceValue(func() bool {
	tree := escaped(`{{.}}`)
	if tree == nil || len(tree.Root.Nodes) == 0 {
		return false
	}
	action, ok := tree.Root.Nodes[0].(*parse.ActionNode)
	return ok && len(action.Pipe.Cmds) == 2
})

// namesContexts reports whether html/template renames a call by the context in which it stands.
// Without that, all calls are inlined, which is slower, and recursive calls are refused.
var namesContexts = sync.OnceValue(func() bool {
	inScript := `<script>{{template "+"}}</script>`
	return calleeIn(`{{template "+"}}`) == probe &&
		calleeIn(inScript) != probe && calleeIn(inScript) == calleeIn(inScript+`<p>`) &&
		calleeIn(`<p title="{{template "+"}}">`) != probe &&
		strings.Contains(calleeIn("<script>`${ {{template \"+\"}} }`</script>"), braceDepth)
})

// escaped returns the tree of a text after html/template has escaped it, or nil if html/template
// panics.
func escaped(text string) (tree *parse.Tree) {
	defer func() {
		if recover() != nil {
			tree = nil
		}
	}()
	t := template.Must(template.New("").Parse(text + `{{define "` + probe + `"}}{{end}}`))
	t.Execute(io.Discard, nil)
	return t.Tree
}

// calleeIn returns the name that the call in a text has after html/template has escaped the text.
func calleeIn(text string) (name string) {
	if tree := escaped(text); tree != nil {
		eachCall(tree, func(n *parse.TemplateNode) { name = n.Name })
	}
	return name
}
