package typecheck

import (
	"html/template"
	"reflect"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/testkit/zoo"
)

// TestWrites: of each template, the action that ends in "html" may write HTML, and no other one.
func TestWrites(t *testing.T) {
	type data struct {
		Any    any
		HTML   template.HTML
		Deep   **template.HTML
		Attr   template.HTMLAttr
		Err    error
		Person *zoo.Person
		Map    map[string]any
		Texts  []string
		HTMLs  []template.HTML
	}
	funcs := map[string]reflect.Type{
		"user": reflect.TypeFor[func() language.AnyText](),
		"t":    reflect.TypeFor[func(string) any](),
		"s":    reflect.TypeFor[func(string) string](),
		"dict": dictType,
	}
	of := reflect.TypeFor[data]()
	for _, tt := range []struct {
		name, source string
		data         reflect.Type
	}{
		{"types", `{{.Any}}html{{.HTML}}html{{.Deep}}html{{.Attr}}{{.Err}}{{.Person.Name}}{{.Person}}{{1}}{{"a"}}`, of},
		{"of a map", `{{.Map.a}}html{{.Map.a.b}}html`, of},
		{"of an unknown dot", `{{.A}}html{{.}}html{{printf "%s" .A}}{{len .A}}`, nil},
		{"functions", `{{t "a"}}html{{s "a"}}{{t "a" | html}}{{other}}html`, nil},
		{"the user", `{{user}}{{user.Name}}{{user.A.B}}{{(user).A}}{{user.Can "x"}}{{index user "a"}}{{print user}}`, nil},
		{"the user as dot", `{{with user}}{{.Name}}{{.}}{{range .Roles}}{{.}}{{end}}{{end}}{{with user.Name}}{{.}}{{end}}`, nil},
		{"the user in a variable", `{{$u := user}}{{$u.Name}}{{range $i, $r := $u.Roles}}{{$r}}{{$i}}{{end}}`, nil},
		{"the user or another", `{{or user.Name "a"}}{{or user.Name .Any}}html{{or .Texts .Err}}`, of},
		{"two types of text", `{{$x := 1}}{{if .Any}}{{$x = "a"}}{{end}}{{$x}}`, of},
		{"text and HTML", `{{$x := 1}}{{range .Texts}}{{$x}}html{{$x = $.HTML}}{{end}}`, of},
		{"ranges", `{{range .Texts}}{{.}}{{end}}{{range .HTMLs}}{{.}}html{{end}}`, of},
		{"what is absent", `{{with $x := dict "a" 1}}{{.a}}{{.b}}{{end}}`, nil},
		{"what is declared writes nothing", `{{$x := .Any}}{{$x}}html`, of},
		{"a call with text, and one with HTML", `{{define "a"}}{{.}}html{{end}}{{template "a" 1}}{{template "a" .HTML}}`, of},
		{"calls with texts", `{{define "a"}}{{.}}{{end}}{{template "a" 1}}{{template "a" "x"}}{{template "a" user}}`, of},
		{"what is not reached is not told", `{{if false}}{{.HTML}}{{end}}`, of},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			trees, err := parseSource(tt.source)
			is.NoErr(err)
			want, got := map[string]bool{}, map[string]bool{}
			place := func(n parse.Node) string { return tt.source[n.Position():] }
			for _, tree := range trees {
				each(tree.Root, func(n parse.Node) {
					if at, ok := n.(*parse.ActionNode); ok && len(at.Pipe.Decl) == 0 {
						_, behind, _ := strings.Cut(place(at), "}}")
						want[place(at)] = !strings.HasPrefix(behind, "html")
					}
				})
			}
			if strings.Contains(tt.source, "{{if false}}") {
				clear(want)
			}
			s := Set{Trees: trees, Funcs: funcs, Writes: func(n *parse.ActionNode, text bool) { got[place(n)] = text }}
			problems, _ := s.Check("main", tt.data)
			is.Equal(len(problems), 0)
			is.Equal(got, want)
		})
	}
}

// TestWritesUnknown: if there is too much to look at, nothing is told.
func TestWritesUnknown(t *testing.T) {
	is := is.New(t)
	source := `{{template "a" dict}}{{define "a"}}{{len .}}`
	for _, key := range "abcdefghijklmno" {
		source += `{{if .}}{{template "a" (dict "` + string(key) + `" .)}}{{else}}{{template "a" (dict "` + string(key) + `" 1)}}{{end}}`
	}
	trees, err := parseSource(source + `{{end}}`)
	is.NoErr(err)
	told := false
	(&Set{Trees: trees, Funcs: map[string]reflect.Type{"dict": dictType}, Writes: func(*parse.ActionNode, bool) { told = true }}).Check("main", nil)
	is.True(!told)
}
