package plan

import (
	"html/template"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"
)

// A question is an expression whose value html/template is asked for, with its operands.
// html/template executes a template of one line for it, such as
//
//	{{.Keep (slice (.Arg 0) (.Arg 1))}}
//	{{.Keep (.Arg 0 | _html_template_urlfilter | _html_template_attrescaper)}}
//
// In parentheses, html/template adds no escapers of its own.
type question struct {
	args    []reflect.Value
	value   reflect.Value // the answer
	entries []entry       // the answer of range
}

func (q *question) Arg(i int) reflect.Value     { return q.args[i] }
func (q *question) Keep(v reflect.Value) string { q.value = v; return "" }
func (q *question) Add(k, v reflect.Value) string {
	q.entries = append(q.entries, entry{k, v})
	return ""
}

// A questionKey is what the template of a question is found by. words is the name of a
// function, or a chain of escapers that begins with a |.
type questionKey struct {
	words string
	args  int
}

// questions has a *template.Template for each questionKey. There are as many as there are
// different chains and functions in all templates, which are few.
var questions sync.Map

// ask returns what html/template makes of a function, of a chain of escapers, or of
// {{range}}. If that fails, the page fails.
func ask(words string, args ...reflect.Value) *question {
	key := questionKey{words, len(args)}
	t, ok := questions.Load(key)
	if !ok {
		t, _ = questions.LoadOrStore(key, newQuestion(key))
	}
	q := &question{args: args}
	if t.(*template.Template).Execute(io.Discard, q) != nil {
		decline()
	}
	return q
}

// newQuestion returns the template for questions of a key.
func newQuestion(key questionKey) *template.Template {
	text := "{{range $k, $v := .Arg 0}}{{$.Add $k $v}}{{end}}"
	switch {
	case key.words[0] == '|':
		text = "{{.Keep (.Arg 0 " + key.words + ")}}"
	case key.words != "range":
		var args strings.Builder
		for i := range key.args {
			args.WriteString(" (.Arg " + strconv.Itoa(i) + ")")
		}
		text = "{{.Keep (" + key.words + args.String() + ")}}"
	}
	return newTemplate(text)
}

// newTemplate returns a template that may call the escapers of html/template.
func newTemplate(text string) *template.Template {
	tree := parse.New("plan")
	tree.Mode = parse.SkipFuncCheck // html/template adds its escapers when it escapes
	if _, err := tree.Parse(text, "", "", map[string]*parse.Tree{}); err != nil {
		panic(err) // cannot happen: the words come from a template that was parsed
	}
	return template.Must(template.New("").AddParseTree("plan", tree))
}
