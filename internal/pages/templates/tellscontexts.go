package templates

import (
	"errors"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"
)

// tellsContexts reports whether html/template still notes its decisions in the trees that it is
// given, where the inliner looks for them. That is the inside of html/template, which a new
// version of Go may change. Then pages are as html/template alone makes them.
var tellsContexts = sync.OnceValue(func() (tells bool) {
	defer func() {
		if recover() != nil {
			tells = false
		}
	}()
	inText, _ := noted(`{{.}}{{template "+"}}`)
	inScript, again := noted(`<script>{{template "+"}}{{template "+"}}</script>`)
	inValue, _ := noted(`<p title="{{template "+"}}">`)
	inLiteral, _ := noted("<script>`${ {{template \"+\"}} }`</script>")
	return inText == probe && inScript == again && inScript != probe && inValue != probe && inValue != inScript &&
		strings.Contains(inLiteral, braceDepth)
})

// noted has html/template escape a text, and returns the names that its first and its last call have
// then. They are "" if an action has no escaper in the tree.
func noted(text string) (first, last string) {
	t := template.Must(template.New("").Parse(text + `{{define "` + probe + `"}}{{end}}`))
	t.Execute(io.Discard, nil)
	for _, n := range t.Tree.Root.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Cmds) < 2 {
				return "", ""
			}
		case *parse.TemplateNode:
			if first == "" {
				first = n.Name
			}
			last = n.Name
		}
	}
	return first, last
}

// escapeAlone is escape without the inliner: html/template gets the templates as they are.
func (s *set) escapeAlone(name string) (*template.Template, error) {
	templates := template.New("")
	for name := range s.trees {
		template.Must(templates.AddParseTree(name, s.copy(name)))
	}
	// A template that begins with text, so that the execution ends before it calls a function.
	begin := template.Must(templates.New(probe).Parse(`x{{template ` + strconv.Quote(name) + `}}`))
	var fault *template.Error
	if err := begin.Execute(noWriter{}, nil); errors.As(err, &fault) {
		if fault.Name == probe {
			fault.Name = name
		}
		return nil, fault
	}
	return templates, nil
}
