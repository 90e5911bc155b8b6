package typecheck

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/zoo"
)

func TestProblem(t *testing.T) {
	is := is.New(t)
	source := "{{template \"row\" .}}\n{{range .People}}\n {{template \"row\" .}}{{end}}{{define \"row\"}}{{.Nme}}{{template \"cell\" .}}{{end}}{{define \"cell\"}}{{.Agee}}{{end}}"
	problems := check(t, source, ofPerson)
	is.Equal(len(problems), 3)
	// The same dot is checked once, and a template gets the whole way of its dot.
	is.Equal(problems[0].String(), `main:2:10: {{.People}}: zoo.Person has no field or method People`)
	is.Equal(problems[0].Call, Pos{})
	is.Equal(problems[1].String(), `main:3:48: {{.Nme}}: zoo.Person has no field or method Nme: did you mean "Name"?`)
	is.Equal(problems[1].Template, "row")
	is.Equal(problems[2].String(), `main:3:101: {{.Agee}}: zoo.Person has no field or method Agee: did you mean "Age"?`)
	is.Equal(problems[2].Template, "cell")

	problems = check(t, `{{template "row" .Owner}}{{define "row"}}{{template "cell" .}}{{end}}{{define "cell"}}{{.Nme}}{{end}}`, ofPage)
	is.Equal(len(problems), 1)
	is.Equal(problems[0].String(), `main:1:90: {{.Nme}}: zoo.Person has no field or method Nme: did you mean "Name"?, with the dot of main:1:12`)
	is.Equal(problems[0].Call, Pos{"main", 1, 12})
}

// A problem that two dots have is reported for each, in a fixed order.
func TestSeveralDots(t *testing.T) {
	is := is.New(t)
	source := `{{.Zz}}{{template "p" .Owner}}{{template "p" .Nested}}{{template "p" .Boss}}{{define "p"}}{{.Name}}{{.Nope}}{{end}}`
	var texts []string
	for _, p := range check(t, source, ofPage) {
		texts = append(texts, p.Expr+" "+strings.Fields(p.Text)[0])
	}
	is.Equal(texts, []string{".Zz zoo.Page", ".Name struct", ".Nope struct", ".Nope zoo.Person"})
}

func TestMerge(t *testing.T) {
	is := is.New(t)
	layout := Problem{Pos: Pos{"+layout", 3, 1}, Text: "a has no Title"}
	other := layout
	other.Text = "b has no Title"
	own := Problem{Pos: Pos{"a", 1, 1}, Text: "x"}
	late := Problem{Pos: Pos{"+layout", 10, 1}, Text: "y"}
	merged := Merge(map[string][]Problem{"b": {other, late}, "a": {own, layout}, "c": {layout, layout}, "d": nil})
	is.Equal(merged, []Shared{
		{layout, []string{"a", "b", "c"}},
		{late, []string{"b"}},
		{own, []string{"a"}},
	})
	is.Equal(len(Merge(nil)), 0)
}

// Check takes a set as it is, and says the same each time.
func TestCheckTwice(t *testing.T) {
	is := is.New(t)
	trees, err := parseSource(`{{template "p" (dict "x" .Owner)}}{{.A}}{{.B}}{{define "p"}}{{.x.E}}{{$y := 1}}{{$y = .x}}{{$y.D}}{{end}}`)
	is.NoErr(err)
	before := trees["main"].Root.String() + trees["p"].Root.String()
	s := &Set{Trees: trees, Funcs: zooTypes}
	first, _ := s.Check("main", ofPage)
	is.Equal(len(first), 3)
	for range 20 {
		again, _ := s.Check("main", ofPage)
		is.True(slices.Equal(again, first))
	}
	is.Equal(trees["main"].Root.String()+trees["p"].Root.String(), before)
	none, _ := s.Check("nope", ofPage)
	is.Equal(len(none), 0)
}

// Templates that call each other with ever new maps come to an end.
func TestEndless(t *testing.T) {
	for _, source := range []string{
		`{{define "p"}}{{template "p" (dict "x" .)}}{{end}}{{template "p" .}}`,
		`{{define "p"}}{{template "p" (dict "x" . "y" .)}}{{template "p" (dict "y" .)}}{{template "p" (dict "z" . "u" .x)}}{{end}}{{template "p" .}}`,
		`{{define "p"}}{{template "p" (dict "x" (slice .Pair) "y" $)}}{{template "p" .y}}{{end}}{{template "p" .}}`,
		`{{$x := dict "a" .}}{{range .Tags}}{{$x = dict "a" $x}}{{end}}{{$x.a.a.a.a.Name}}`,
		`{{$x := .Boss}}{{$y := 1}}{{$z := "a"}}{{range .Tags}}{{$x = $y}}{{$y = $z}}{{$z = $.Any}}{{end}}{{$x.Nope}}`,
	} {
		t.Run(source, func(t *testing.T) {
			is := is.New(t)
			is.True(len(check(t, source, ofPointer)) < 10)
		})
	}
}

// BenchmarkCheck measures what Check costs at start-up for a page with a partial.
func BenchmarkCheck(b *testing.B) {
	trees, err := parseSource(`<h1>{{.Title}}</h1>{{if .Ok}}<p>{{.Owner.Name}} {{len .People}}</p>{{end}}
{{range $i, $p := .People}}<li>{{$i}} {{template "row" $p}}</li>{{else}}none{{end}}
{{with .Boss}}{{.Name}} {{.Greet "you"}}{{end}}{{if and .Ok (eq .Owner.Age 3)}}{{upper .Owner.Name}}{{end}}
{{define "row"}}<a href="/people/{{.ID}}">{{.Name}}</a> {{if gt .Age 3}}{{.Age}}{{end}} {{printf "%d" .ID}}{{end}}`)
	if err != nil {
		b.Fatal(err)
	}
	type data struct {
		Title  string
		Ok     bool
		Owner  zoo.Person
		Boss   *zoo.Person
		People []zoo.Person
	}
	s := &Set{Trees: trees, Funcs: zooTypes}
	b.ReportAllocs()
	for b.Loop() {
		if problems, _ := s.Check("main", reflect.TypeFor[data]()); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}
