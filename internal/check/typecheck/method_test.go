package typecheck

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// A ticketForm has two fields, subject and due, and rows of them.
type ticketForm struct{ Value int }

func (ticketForm) Field(key ...any) (ticketField, error) { return ticketField{}, nil }

type ticketField struct{ Name string }

func (f ticketField) As(string) (ticketField, error) { return f, nil }

// askTicket is a Method for these.
func askTicket(c Call) Verdict {
	switch {
	case c.Receiver == reflect.TypeFor[ticketField]() && c.Name == "As" && len(c.Args) == 1:
		field, _ := c.Known.(string)
		if kind, ok := c.Args[0].Constant.(string); ok && kind != "date" {
			return Verdict{Wrong: fmt.Sprintf("no %s for %q", kind, field)}
		}
		return Verdict{Known: field, Field: field, Type: "date"}
	case c.Receiver != reflect.TypeFor[ticketForm]() || c.Name != "Field":
		return Verdict{}
	}
	var names []string
	for i, a := range c.Args {
		switch name := a.Constant.(type) {
		case nil:
			names = append(names, "?")
		case string:
			if i == len(c.Args)-1 && name != "subject" && name != "due" {
				return Verdict{Wrong: fmt.Sprintf("no field %q", name), Arg: i}
			}
			names = append(names, name)
		default:
			names = append(names, fmt.Sprint(name))
		}
	}
	if len(names) == 0 {
		return Verdict{Wrong: "no name", Arg: -1}
	}
	name := strings.Join(names, ".")
	return Verdict{Known: name, Field: name, Type: "text"}
}

type ticketPage struct {
	Form  ticketForm
	Rows  []string
	Other struct{ Form ticketForm }
}

// checkTickets checks a template with the fields of tickets.
func checkTickets(t *testing.T, source string) (problems []Problem, fields []Field) {
	t.Helper()
	trees, err := parseSource(source)
	if err != nil {
		t.Fatal(err)
	}
	funcs := map[string]reflect.Type{"dict": dictType, "print": reflect.TypeOf(fmt.Sprint), "any": reflect.TypeOf(func() any { return nil })}
	return (&Set{Trees: trees, Funcs: funcs, Method: askTicket}).Check("main", reflect.TypeFor[ticketPage]())
}

// A constant is known wherever it goes: what it names is found, or the constant is wrong. The
// problem stands where the constant does.
func TestConstants(t *testing.T) {
	for _, tt := range []struct {
		source string // the constant that is wrong stands behind ^
		want   string // the text of the problem, or the names and types of fields
	}{
		{`{{.Form.Field "subject"}}`, `subject text`},
		{`{{.Form.Field ^"subjcet"}}`, `{{.Form.Field "subjcet"}}: no field "subjcet"`},
		{`{{"due" | .Form.Field}}{{^"x" | .Form.Field}}`, `{{.Form.Field}} in main:1:38: no field "x"`},
		{`{{.Form.Field "items" 0 "due"}}`, `items.0.due text`},
		{`{{range $i, $x := .Rows}}{{$.Form.Field "items" $i "due"}}{{end}}`, `items.?.due text`},
		{`{{range $i, $x := .Rows}}{{$.Form.Field "items" $i ^"x"}}{{end}}`, `{{$.Form.Field "items" $i "x"}}: no field "x"`},
		{`{{.Form.^Field}}`, `{{.Form.Field}}: no name`},
		{`{{$x := ^"x"}}{{.Form.Field $x}}`, `{{.Form.Field $x}} in main:1:22: no field "x"`},
		{`{{with ^"x"}}{{$.Form.Field .}}{{end}}`, `{{$.Form.Field .}} in main:1:22: no field "x"`},
		{`{{.Form.Field (^"x")}}`, `{{.Form.Field ("x")}} in main:1:9: no field "x"`},
		{`{{template "p" .}}{{define "p"}}{{.Form.Field ^"x"}}{{end}}`, `{{.Form.Field "x"}}: no field "x"`},
		{`{{template "p" .Form}}{{define "p"}}{{.Field ^"x"}}{{end}}`, `{{.Field "x"}}: no field "x", with the dot of main:1:12`},
		{`{{template "p" (dict "form" .Form "name" "due")}}{{template "p" (dict "form" .Form "name" ^"x")}}{{define "p"}}{{.form.Field .name}}{{end}}`, `{{.form.Field .name}} in main:1:119: no field "x"`},
		{`{{template "p" (dict "form" .Form "name" "due")}}{{template "p" (dict "form" .Form "name" "subject")}}{{define "p"}}{{.form.Field .name}}{{end}}`, `due text, subject text`},
		{`{{template "p" (dict "form" .Form "name" ^"x")}}{{define "p"}}{{template "q" .}}{{end}}{{define "q"}}{{(.form.Field .name).As "date"}}{{end}}`, `{{.form.Field .name}} in main:1:110: no field "x"`},
		{`{{(.Form.Field "due").As "date"}}`, `due text, due date`},
		{`{{(.Form.Field "due").As ^"dat"}}`, `{{(.Form.Field "due").As "dat"}}: no dat for "due"`},
		{`{{$f := .Form.Field "due"}}{{with $f}}{{.As ^"dat"}}{{end}}`, `{{.As "dat"}}: no dat for "due"`},
		{`{{template "p" (dict "of" (.Form.Field "due") "as" ^"dat")}}{{define "p"}}{{.of.As .as}}{{end}}`, `{{.of.As .as}} in main:1:80: no dat for "due"`},
		// What a constant becomes is not known, or not whether it is the one.
		{`{{$x := "x"}}{{if .Rows}}{{$x = "y"}}{{end}}{{.Form.Field $x}}`, `-`},
		{`{{$x := "x"}}{{range .Rows}}{{$.Form.Field $x}}{{$x = "due"}}{{end}}`, `-`},
		{`{{$d := dict "a" "b"}}{{$x := "x"}}{{if .Rows}}{{$x = $d.none}}{{end}}{{.Form.Field $x}}`, `-`},
		{`{{.Form.Field (print "x")}}{{.Form.Field any}}{{.Form.Field (or .Rows "x")}}`, `-`},
		{`{{$f := .Form.Field "due"}}{{if .Rows}}{{$f = .Form.Field "subject"}}{{end}}{{$f.As "date"}}`, `due text, subject text`},
		{`{{$f := .Form.Field "due"}}{{if .Rows}}{{$f = .Other.Form.Field "due"}}{{end}}{{$f.As "date"}}`, `due text, due text`},
	} {
		t.Run(tt.source, func(t *testing.T) {
			is := is.New(t)
			at := strings.Index(tt.source, "^")
			problems, fields := checkTickets(t, strings.Replace(tt.source, "^", "", 1))
			var got []string
			for _, f := range fields {
				if f.Name != "?" {
					got = append(got, f.Name+" "+f.Type)
				}
			}
			if at < 0 {
				is.Equal(len(problems), 0)
				is.Equal(strings.Join(got, ", "), strings.TrimPrefix(tt.want, "-"))
				return
			}
			is.Equal(len(problems), 1)
			where, text, _ := strings.Cut(problems[0].String(), ": ")
			is.Equal(where, fmt.Sprintf("main:1:%d", at+1))
			is.Equal(text, tt.want)
		})
	}
}

// Constants as the dot make a job for each of them, which end.
func TestEndlessConstants(t *testing.T) {
	is := is.New(t)
	problems, _ := checkTickets(t, `{{define "p"}}{{template "p" "a"}}{{template "p" "b"}}{{template "q" (dict "x" . "y" "c")}}{{end}}{{define "q"}}{{template "p" .y}}{{template "q" (dict "x" .x "y" .)}}{{end}}{{template "p" "d"}}`)
	is.Equal(len(problems), 0)
}
