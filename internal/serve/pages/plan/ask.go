package plan

import (
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

// A question asks text/template for the value of a call of one of its functions. For that
// text/template executes a template of one line, with the question as its dot:
//
//	{{.Keep (slice .Function .A)}}
type question struct {
	// The first arguments are fields, since a field costs half of what the method Arg costs.
	// Errors of {{call}} have the name of the first one: see named.
	Function, A, B, C reflect.Value
	all               []reflect.Value // all arguments
	value             reflect.Value   // the answer
	entries           []entry         // the answer of range
}

// Arg returns an argument.
func (q *question) Arg(i int) reflect.Value { return q.all[i] }

// Keep takes the answer.
func (q *question) Keep(v reflect.Value) string { q.value = v; return "" }

// Add takes an entry of a map.
func (q *question) Add(key, value reflect.Value) string {
	q.entries = append(q.entries, entry{key, value})
	return ""
}

// A questionKey is what the template of a question is found by.
type questionKey struct {
	name string
	args int
}

// questions has a *template.Template for each questionKey.
var questions sync.Map

// ask returns what text/template makes of a call of a function, or of {{range}}. The error is
// that of the function.
func ask(name string, args ...reflect.Value) (*question, error) {
	key := questionKey{name, len(args)}
	t, ok := questions.Load(key)
	if !ok {
		t, _ = questions.LoadOrStore(key, newQuestion(key))
	}
	q := &question{all: args}
	for i, field := range []*reflect.Value{&q.Function, &q.A, &q.B, &q.C}[:min(len(args), 4)] {
		*field = args[i]
	}
	return q, cause(t.(*template.Template).Execute(io.Discard, q))
}

// newQuestion returns the template for questions of a key.
func newQuestion(key questionKey) *template.Template {
	text := "{{range $key, $value := .Arg 0}}{{$.Add $key $value}}{{end}}"
	if key.name != "range" {
		args := []string{" .Function", " .A", " .B", " .C"}[:min(key.args, 4)]
		for i := len(args); i < key.args; i++ {
			args = append(args, " (.Arg "+strconv.Itoa(i)+")")
		}
		text = "{{.Keep (" + key.name + strings.Join(args, "") + ")}}"
	}
	return template.Must(template.New("").Parse(text))
}
