package typecheck

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/zoo"
)

// check returns the problems of a template, whose file is called main.
func check(t *testing.T, source string, data reflect.Type) []Problem {
	t.Helper()
	trees, err := parseSource(source)
	if err != nil {
		t.Fatal(err)
	}
	problems, _ := (&Set{Trees: trees, Funcs: zooTypes}).Check("main", data)
	return problems
}

var (
	ofPage    = reflect.TypeFor[zoo.Page]()
	ofPointer = reflect.TypeFor[*zoo.Page]()
	ofPerson  = reflect.TypeFor[zoo.Person]()
	ofForm    = reflect.TypeFor[form[zoo.Person]]()
	ofForms   = reflect.TypeFor[struct{ Form form[zoo.Person] }]()
)

// A form is like flow.Form: its map Wrong has any key.
type form[T any] struct {
	Value T
	Wrong map[string]string
}

// mistakes are templates with one mistake each. The wrong word stands behind ^, which is
// not a part of the template.
var mistakes = []struct {
	name, source string
	data         reflect.Type
	want         string // a part of the text, of which | is the end
}{
	// Fields and methods.
	{"field", `{{.^Nme}}`, ofPerson, `zoo.Person has no field or method Nme: did you mean "Name"?`},
	{"field of another case", `{{.^name}}`, ofPerson, `did you mean "Name"?`},
	{"short, of another case", `{{.^Url}}`, reflect.TypeFor[struct{ URL, Name string }](), `did you mean "URL"?`},
	{"of a type with an argument", `{{.^Nme}}`, reflect.TypeFor[form[zoo.Person]](), `typecheck.form[zoo.Person] has no field or method Nme`},
	{"nothing is near", `{{.^Zzzzz}}`, ofPerson, `zoo.Person has no field or method Zzzzz`},
	{"second of two", `{{.Owner.^Nme}}`, ofPage, `did you mean "Name"?`},
	{"first of two", `{{.^Ownr.Name}}`, ofPage, `did you mean "Owner"?`},
	{"second of three", `{{.Next.^Ownr.Name}}`, ofPage, `did you mean "Owner"?`},
	{"third of three", `{{.Next.Owner.^Nme}}`, ofPage, `did you mean "Name"?`},
	{"behind a pointer", `{{.Boss.^Nme}}`, ofPage, `zoo.Person has no field or method Nme`},
	{"behind two pointers", `{{.Deep.^Nme}}`, ofPage, `zoo.Person has no field or method Nme`},
	{"of $", `{{$.^Nme}}`, ofPerson, `did you mean "Name"?`},
	{"of $, second", `{{$.Owner.^Nme}}`, ofPage, `did you mean "Name"?`},
	{"of a variable", `{{$x := .Owner}}{{$x.^Nme}}`, ofPage, `did you mean "Name"?`},
	{"of a variable, third", `{{$x := .}}{{$x.Next.Owner.^Nme}}`, ofPage, `did you mean "Name"?`},
	{"of a pipeline", `{{(.Owner).^Nme}}`, ofPage, `did you mean "Name"?`},
	{"of a pipeline, second", `{{(.Next).Owner.^Nme}}`, ofPage, `did you mean "Name"?`},
	{"of a function's result", `{{(who).^Nme}}`, ofPage, `did you mean "Name"?`},
	{"of a method's result", `{{.Copy.^Nme}}`, ofPerson, `did you mean "Name"?`},
	{"of the one field that has it", `{{.Form.^Name.First}}`, ofForms, `has no field or method Name: did you mean ".Form.Value.Name"?`},
	{"of the one field, of the dot", `{{.^Nick}}`, ofForm, `did you mean ".Value.Nick"?`},
	{"of the one field, of a variable", `{{$x := .}}{{$x.Form.^Age}}`, ofForms, `did you mean "$x.Form.Value.Age"?`},
	{"of the one field, of a pipeline", `{{(.Form).^Age}}`, ofForms, `did you mean "(.Form).Value.Age"?`},
	{"method of the one field", `{{.^Copy.Name}}`, ofForm, `did you mean ".Value.Copy"?`},
	{"of the one field, by a pointer", `{{.^Greet "x"}}`, reflect.TypeFor[struct{ By *zoo.Person }](), `did you mean ".By.Greet"?`},
	{"of two fields", `{{.^Nick}}`, reflect.TypeFor[struct{ A, B zoo.Person }](), `struct { A zoo.Person; B zoo.Person } has no field or method Nick|`},
	{"key of a map", `{{.^Nick}}`, reflect.TypeFor[struct{ M map[string]string }](), `has no field or method Nick|`},
	{"of an unexported field", `{{.^Nick}}`, reflect.TypeFor[struct{ a zoo.Person }](), `has no field or method Nick|`},
	{"ambiguous field", `{{.^Title}}`, ofPerson, `zoo.Person has no field or method Title`},
	{"unexported", `{{.^secret}}`, ofPerson, `zoo.Person.secret is not exported`},
	{"a name as of a key", `{{.^of}}`, ofPerson, `zoo.Person has no field or method of: only a map has such a name, as dict makes one|`},
	{"of a number", `{{.Age.^Years}}`, ofPerson, `int has no field or method Years`},
	{"of a string", `{{.Name.^First}}`, ofPerson, `string has no field or method First`},
	{"a name as of a key, of a string", `{{.Name.^first}}`, ofPerson, `string has no field or method first|`},
	{"of a slice", `{{.People.^Len}}`, ofPage, `[]zoo.Person has no field or method Len`},
	{"method of a pointer, of the dot", `{{.^Rename "x"}}`, ofPerson, `Rename is a method of *zoo.Person, and this is no pointer: give a pointer`},
	{"method of a pointer, of a field", `{{.Owner.^Rename "x"}}`, ofPage, `give a pointer`},
	{"method of a pointer, of a map's entry", `{{range .ByName}}{{.^Rename "x"}}{{end}}`, ofPage, `give a pointer`},
	{"method of a pointer, of a result", `{{(who).^Rename "x"}}`, ofPage, `give a pointer`},
	{"method of a pointer, of an array's element", `{{range .Pair}}{{.^Rename "x"}}{{end}}`, ofPage, `give a pointer`},
	{"method of a pointer, of a field of an embedded struct", `{{.Side.^Area}}`, ofPerson, `give a pointer`},
	{"method without a result", `{{.^Void}}`, ofPerson, `Void does not return one value, or one and an error`},
	{"too few arguments", `{{.^Greet}}`, ofPerson, `Greet takes 1 argument, and gets 0`},
	{"too many arguments", `{{.^Greet "a" "b"}}`, ofPerson, `Greet takes 1 argument, and gets 2`},
	{"too few of a variadic method", `{{.^Sum}}`, ofPerson, `Sum takes at least 1 argument, and gets 0`},
	{"argument of a method", `{{.Greet .^Age}}`, ofPerson, `.Age is int, and Greet takes string`},
	{"constant for a method", `{{.Greet ^1}}`, ofPerson, `1 is no string, which Greet takes`},
	{"variadic argument", `{{.Sum 1 2 .^Name}}`, ofPerson, `.Name is string, and Sum takes int8`},
	{"argument of an interface", `{{.Likes .^Name nil nil}}`, ofPerson, `.Name is string, and Likes takes zoo.Shape`},
	{"method of an interface", `{{.Shape.^Scale}}`, ofPage, `Scale takes 1 argument, and gets 0`},
	{"argument of a method of an interface", `{{.Shape.Scale .^HTML}}`, ofPage, `.HTML is template.HTML, and Scale takes int`},
	{"argument of a field", `{{.^Name 1}}`, ofPerson, `Name is no method, and gets an argument`},
	{"argument of a field of a function", `{{.^Fn 1}}`, ofPage, `Fn is no method, and gets an argument`},
	{"argument of a key", `{{.Free.^x 1}}`, ofPage, `x is no method, and gets an argument`},
	{"field in a pipeline", `{{1 | .^Name}}`, ofPerson, `Name is no method, and gets an argument`},
	{"key of a map of named strings", `{{.ByKey.^x}}`, ofPage, `has no strings as keys`},
	{"key of a map of numbers", `{{.ByNumber.^x}}`, ofPage, `has no strings as keys`},
	{"key of a map with methods", `{{.Counts.Total.^X}}`, ofPage, `int has no field`},

	// Functions.
	{"too few for a function", `{{^upper}}`, ofPage, `upper takes 1 argument, and gets 0`},
	{"too many for a function", `{{^upper "a" "b"}}`, ofPage, `upper takes 1 argument, and gets 2`},
	{"argument of a function", `{{upper .^Age}}`, ofPerson, `.Age is int, and upper takes string`},
	{"second argument", `{{add .Age $.^Name}}`, ofPerson, `$.Name is string, and add takes int`},
	{"named type as an argument", `{{upper .^Text}}`, ofPage, `.Text is zoo.Label, and upper takes string`},
	{"argument that is a variable", `{{$x := 1}}{{upper ^$x}}`, ofPage, `$x is int, and upper takes string`},
	{"piped argument", `{{.Age | ^upper}}`, ofPerson, `upper takes string, and gets int`},
	{"constant argument", `{{upper ^true}}`, ofPage, `true is no string, which upper takes`},
	{"nil for a string", `{{upper ^nil}}`, ofPage, `nil is nothing, and upper takes string`},
	{"nil for a struct", `{{personV ^nil}}`, ofPage, `nil is nothing, and personV takes zoo.Person`},
	{"float for an int", `{{add ^1.5}}`, ofPage, `1.5 is no int, which add takes`},
	{"negative for an unsigned", `{{small 1 1 ^-1}}`, ofPage, `-1 is no uint16, which small takes`},
	{"slice for a pointer", `{{personP .^People}}`, ofPage, `.People is []zoo.Person, and personP takes *zoo.Person`},
	{"struct that has no address for a pointer", `{{personP .^Owner}}`, ofPage, `.Owner is zoo.Person, and personP takes *zoo.Person`},
	{"the dot for a string", `{{upper ^.}}`, ofPage, `. is zoo.Page, and upper takes string`},
	{"interface that cannot be a string", `{{upper .^Named}}`, ofPage, `.Named is zoo.named, and upper takes string`},
	{"nothing for a string", `{{template "p"}}{{define "p"}}{{upper ^.}}{{end}}`, ofPage, `. is nothing, and upper takes string`},
	{"field of nothing", `{{template "p"}}{{define "p"}}{{upper .A.^B}}{{end}}`, ofPage, `.A.B is nothing, and upper takes string`},
	{"function within a function", `{{upper (^upper)}}`, ofPage, `upper takes 1 argument, and gets 0`},

	// What text/template has itself.
	{"string and number", `{{if ^eq .Name 1}}{{end}}`, ofPerson, `string and int cannot be compared`},
	{"float and number", `{{if ^eq .F 1}}{{end}}`, ofPage, `float64 and int cannot be compared: a constant is a float if it is written with a point`},
	{"ne", `{{^ne .Name .Age}}`, ofPerson, `string and int cannot be compared`},
	{"eq of slices in structs", `{{^eq .Nested .Nested}}`, ofPage, `cannot be compared`},
	{"eq of pointer and string", `{{^eq .Nick "x"}}`, ofPerson, `*string and string cannot be compared`},
	{"eq of one", `{{^eq .Name}}`, ofPerson, `eq compares with something`},
	{"lt of structs", `{{^lt .Owner .Owner}}`, ofPage, `zoo.Person has no order`},
	{"gt of bools", `{{^gt .Ok true}}`, ofPage, `bool has no order`},
	{"le of string and number", `{{^le .Name 1}}`, ofPerson, `string and int cannot be compared`},
	{"ge of a slice", `{{^ge .Tags 1}}`, ofPage, `[]string has no order`},
	{"len of a number", `{{^len .Age}}`, ofPerson, `int has no length`},
	{"len of a struct", `{{^len .Owner}}`, ofPage, `zoo.Person has no length`},
	{"len of nothing", `{{^len nil}}`, ofPage, `len of nothing`},
	{"index of a struct", `{{^index .Owner 0}}`, ofPage, `zoo.Person has no index`},
	{"index by a string", `{{^index .Tags "x"}}`, ofPage, `string is no index of []string`},
	{"index by a number", `{{^index .ByName 1}}`, ofPage, `the keys of map[string]zoo.Person are no int`},
	{"index of an index", `{{^index .Lists "x" "y"}}`, ofPage, `string is no index of []zoo.Person`},
	{"element of an index", `{{(index .People 0).^Nme}}`, ofPage, `did you mean "Name"?`},
	{"slice of a number", `{{^slice .Age 1}}`, ofPerson, `int cannot be sliced`},
	{"slice of an array that has no address", `{{^slice .Pair 1}}`, ofPage, `give a slice, or a pointer to the array`},
	{"slice by a string", `{{^slice .Tags "x"}}`, ofPage, `string is no index`},
	{"three indexes of a string", `{{^slice .Name 0 1 2}}`, ofPerson, `at most 2 indexes`},
	{"call of a string", `{{^call .Name}}`, ofPerson, `string is no function`},
	{"call with too many", `{{^call .Fn 1 2}}`, ofPage, `func(int) string takes 1 argument, and gets 2`},
	{"call with another type", `{{^call .Fn "x"}}`, ofPage, `string is given for int`},
	{"call of a function with two results", `{{^call .FnBad}}`, ofPage, `does not return one value`},
	{"printf without a format", `{{^printf}}`, ofPage, `printf takes at least 1 argument, and gets 0`},
	{"printf of a number", `{{printf .^Age}}`, ofPerson, `.Age is int, and printf takes string`},
	{"not of two", `{{^not .Ok .Ok}}`, ofPage, `not takes 1 argument, and gets 2`},
	{"and of none", `{{^and}}`, ofPage, `and takes at least 1 argument, and gets 0`},
	{"operand of and", `{{and .Ok .^Nope}}`, ofPage, `has no field or method Nope`},
	{"result of or", `{{(or .Boss .Next.Boss).^Nme}}`, ofPage, `did you mean "Name"?`},
	{"constants that always fail", `{{^index "abc" 10}}`, ofPage, `index out of range: 10`},

	// Range, with, if, variables.
	{"range over a string", `{{range .^Name}}{{end}}`, ofPerson, `range cannot go through string`},
	{"range over a struct", `{{range .^Owner}}{{end}}`, ofPage, `range cannot go through zoo.Person`},
	{"range over a function", `{{range .^Fn}}{{end}}`, ofPage, `range cannot go through func(int) string`},
	{"range over a number with two variables", `{{range $i, $n := .^Age}}{{end}}`, ofPerson, `a number gives no second variable`},
	{"range over an iterator with two variables", `{{range $i, $n := .^Seq}}{{end}}`, ofPage, `gives no second variable`},
	{"what a wrong range gives is not known", `{{$y := 1}}{{range $i, $x := .^Owner}}{{.Nope}}{{$x.Nope}}{{else}}{{$x.Nope}}{{end}}`, ofPage, `range cannot go through`},
	{"what a wrong range assigns is not known", `{{$y := 1}}{{range $y = .^Owner}}{{else}}{{$y.Nope}}{{end}}{{$y.Nope}}`, ofPage, `range cannot go through`},
	{"in range", `{{range .People}}{{.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"in range over an iterator", `{{range .Seq}}{{.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"in range over keys and values", `{{range $k, $v := .Seq2}}{{$v.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"key of an iterator", `{{range $k, $v := .Seq2}}{{$k.^Nme}}{{end}}`, ofPage, `string has no field`},
	{"one variable gets the key of an iterator", `{{range .Seq2}}{{.^Nme}}{{end}}`, ofPage, `string has no field`},
	{"in range over a channel", `{{range .Chan}}{{.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"in range over a map", `{{range .ByName}}{{.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"index of range", `{{range $i, $p := .People}}{{$i.^Nme}}{{end}}`, ofPage, `int has no field`},
	{"element of range", `{{range $i, $p := .People}}{{$p.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"element of range over a number", `{{range .Age}}{{.^Nme}}{{end}}`, ofPerson, `int has no field`},
	{"else of range has the dot", `{{range .People}}{{else}}{{.^Nope}}{{end}}`, ofPage, `zoo.Page has no field`},
	{"in with", `{{with .Owner}}{{.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"in else of with", `{{with .Boss}}{{else}}{{.^Nope}}{{end}}`, ofPage, `zoo.Page has no field`},
	{"in else with", `{{with .Boss}}{{else with .Next}}{{.^Nope}}{{end}}`, ofPage, `zoo.Page has no field`},
	{"variable of with", `{{with $x := .Boss}}{{$x.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"condition", `{{if .^Nope}}{{end}}`, ofPage, `has no field or method Nope`},
	{"in if", `{{if .Ok}}{{.^Nope}}{{end}}`, ofPage, `has no field or method Nope`},
	{"in else if", `{{if .Ok}}{{else if .^Nope}}{{end}}`, ofPage, `has no field or method Nope`},
	{"variable that agrees", `{{$x := .Owner}}{{if .Ok}}{{$x = who}}{{end}}{{$x.^Nme}}`, ofPage, `did you mean "Name"?`},
	{"variable without a declaration", `{{^$x = 1}}`, ofPage, `$x is not declared here`},
	{"variable of another branch", `{{if .Ok}}{{$x := 1}}{{else}}{{^$x}}{{end}}`, ofPage, `$x is not declared here`},
	{"field of a variable of another branch", `{{if .Ok}}{{$x := .}}{{else}}{{^$x.Name.Y}}{{end}}`, ofPage, `$x is not declared here`},
	{"entry that is there", `{{with .ByName.x}}{{.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},

	// Words that are no functions.
	{"argument of a string", `{{^"x" 1}}`, ofPage, `"x" is no function, and gets an argument`},
	{"argument of the dot", `{{^. 1}}`, ofPage, `. is no function`},
	{"argument of a variable", `{{$x := 1}}{{^$x 1}}`, ofPage, `$x is no function`},
	{"argument of parentheses", `{{(^.Name) 1}}`, ofPerson, `is no function`},
	{"variable in a pipeline", `{{$x := 1}}{{1 | ^$x}}`, ofPage, `$x is no function`},
	{"nil alone", `{{^nil}}`, ofPage, `nil alone is no value`},
	{"too large", `{{print ^18446744073709551615}}`, ofPage, `too large for an int`},

	// Other templates.
	{"in a partial", `{{template "p" .Owner}}{{define "p"}}{{.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"in a block", `{{block "b" .Owner}}{{.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"$ of a partial", `{{template "p" .Owner}}{{define "p"}}{{$.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"what a partial gets", `{{template "p" .^Nope}}{{define "p"}}{{end}}`, ofPage, `has no field or method Nope`},
	{"value of dict", `{{template "p" dict "who" .Owner}}{{define "p"}}{{.who.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"value of dict in dict", `{{template "p" (dict "in" (dict "who" .Owner))}}{{define "p"}}{{.in.who.^Nme}}{{end}}`, ofPage, `did you mean "Name"?`},
	{"dict without a value", `{{^dict "x"}}`, ofPage, `its last key has no value`},
	{"dict with a number as key", `{{^dict 1 2}}`, ofPage, `dict takes strings as keys, and gets int`},
	{"misspelt key", `{{template "p" (dict "name" 1)}}{{define "p"}}{{.^nmae}}{{end}}`, ofPage, `the dict that it gets has no key "nmae": did you mean "name"?`},
	{"misspelt key of a field", `{{template "p" (dict "user" .Owner)}}{{define "p"}}{{.^usr.Name}}{{end}}`, ofPage, `did you mean "user"?`},
	{"misspelt key of a call", `{{template "p" (dict "nmae" 1)}}{{define "p"}}{{.^name}}{{end}}`, ofPage, `did you mean "nmae"?`},
	{"key that is nowhere, of a function that needs it", `{{template "p" (dict "x" 1)}}{{define "p"}}{{upper .^label}}{{end}}`, ofPage, `.label is nothing, and upper takes string`},

	// Positions.
	{"line", "a\nb{{.^Nme}}\n", ofPerson, `Nme`},
	{"behind text of several bytes", "é {{.^Nme}}", ofPerson, `Nme`},
	{"in a pipeline of several lines", "{{print\n  .Name\n  .^Nme}}", ofPerson, `Nme`},
	{"in a {{define}} behind others", "{{template \"p\" .}}\n{{define \"q\"}}\n{{end}}{{define \"p\"}}\n  {{.^Nme}}{{end}}", ofPerson, `Nme`},
	{"trimmed", "  {{- .^Nme -}}  ", ofPerson, `Nme`},
}

func TestMistakes(t *testing.T) {
	for _, tt := range mistakes {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			before, after, ok := strings.Cut(tt.source, "^")
			is.True(ok)
			problems := check(t, before+after, tt.data)
			if len(problems) != 1 {
				t.Fatalf("%s: %v", tt.source, problems)
			}
			p := problems[0]
			is.Equal(p.File, "main")
			is.Equal(p.Line, 1+strings.Count(before, "\n"))
			is.Equal(p.Column, len(before)-strings.LastIndex(before, "\n"))
			if !strings.Contains(p.Text+"|", tt.want) {
				t.Errorf("got %q, want %q", p.Text, tt.want)
			}
		})
	}
}

// rightOnes are templates that work with some data, so that nothing is reported.
var rightOnes = []struct {
	name, source string
	data         reflect.Type
}{
	{"fields", `{{.Name}} {{.Owner.Name}} {{.Boss.Name}} {{.Deep.Name}} {{.Nested.In.Z}}`, ofPage},
	{"promoted fields", `{{.ID}} {{.Note}} {{.Second}} {{.Owner.ID}} {{.Owner.Note}}`, ofPage},
	{"methods", `{{.Greet "x"}} {{.Sum 1}} {{.Sum 1 2 3}} {{.Maybe.Name}} {{.Raw 1}} {{.Key}}`, ofPerson},
	{"methods of the interface", `{{.Shape.Area}} {{(.Shape.Scale 2).Area}} {{.Named.Label}} {{.Err.Error}}`, ofPage},
	{"any may have any field", `{{.Any.X.Y}} {{.Any.X 1 2}} {{.AnyP.X}} {{range .Anys}}{{.X.Y}}{{end}}`, ofPage},
	{"what an interface holds may have any field", `{{.Shape.W}} {{.Shape.Foo 1}}`, ofPage},
	{"reflect.Value", `{{.Value.X}} {{(.Raw .).X}}`, ofPage},
	{"no data is known", `{{.X.Y}}{{range .Z}}{{.A}}{{end}}`, nil},
	{"an interface as the page", `{{.Area}}{{.Area 1}}{{.W}}{{with .}}{{.H}}{{end}}`, reflect.TypeFor[zoo.Shape]()},
	{"any as the page", `{{.Area}}`, reflect.TypeFor[any]()},

	// Trap 1: entries of maps may be absent, and then everything works.
	{"entry of a map", `{{.ByName.x.Nope.Nope}} {{.ByName.x.Age.Nope}} {{.ByName.x.Void}} {{.ByName.x.Greet}}`, ofPage},
	{"entry in else of range", `{{range $k, $v := .ByName}}{{else}}{{$.ByName.x.Nope}}{{end}}`, ofPage},
	{"range over what an entry is not", `{{range .ByName.x}}{{.Nope}}{{else}}{{.Name}}{{end}}`, ofPage},
	{"variable that is an entry", `{{$x := .ByName.x}}{{$x.Nope}}`, ofPage},
	{"entry as an argument that may be nil", `{{personP .ByName.x.Nope}}{{personP .Counts.x}}{{.Counts.x | count}}{{print .ByName.x.Nope}}`, ofPage},
	{"entries compared", `{{eq .ByNumber.x 1}}`, reflect.TypeFor[struct{ ByNumber map[string]string }]()},
	{"partial for an entry", `{{template "p" .ByName.x}}{{define "p"}}{{.Nope}}{{end}}`, ofPage},
	{"entry of an entry", `{{.x.Boss.Deep.Nope}}`, reflect.TypeFor[map[string]zoo.Page]()},
	// Trap 2: nil is false, and what with and if declare is true.
	{"and nil", `{{and nil .Nope}}`, ofPage},
	{"or in with", `{{with .Boss}}{{or . .Nope}}{{end}}`, ofPage},
	{"or of what if declares", `{{if $x := .Name}}{{or $x $.Nope}}{{end}}`, ofPerson},
	{"or of a struct", `{{or .Owner .Nope}}`, ofPage},
	{"or of a constant", `{{or 1 .Nope}}{{or "x" .Nope}}{{or true .Nope}}{{and 0 .Nope}}{{and "" .Nope}}{{and false .Nope}}`, ofPage},
	{"and of an empty array", `{{and .None .Nope}}`, ofPage},
	{"or of an array", `{{or .Flags .Nope}}`, ofPage},
	{"branches that cannot run", `{{if .Owner}}{{else}}{{.Nope}}{{end}}{{with .None}}{{.Nope}}{{end}}{{range .None}}{{.Nope}}{{end}}{{range .Pair}}{{else}}{{.Nope}}{{end}}`, ofPage},
	{"results of or that differ", `{{(or .Boss .Name).Nope}}`, ofPage},
	{"not of what is true", `{{if not .Owner}}{{.Nope}}{{end}}`, ofPage},
	// Trap 3: addressability decides about methods.
	{"of elements of slices", `{{range .People}}{{.Rename "x"}}{{end}}{{(index .People 0).Rename "x"}}{{range $i, $p := .People}}{{$p.Rename "x"}}{{end}}`, ofPage},
	{"behind a pointer", `{{.Owner.Rename "x"}}{{.Boss.Rename "x"}}{{(index .Pair 0).Rename "x"}}{{range .Pair}}{{.Rename "x"}}{{end}}{{(slice .Pair 1)}}`, ofPointer},
	{"behind an embedded pointer", `{{.Bump}}{{.Fourth}}{{.Face.Area}}{{.Owner.Face.Area}}`, ofPage},
	{"of an array behind a pointer", `{{range .PairP}}{{.Rename "x"}}{{end}}{{slice .PairP 1}}`, ofPage},
	{"through a variable", `{{$x := index .People 0}}{{$x.Rename "x"}}{{with $x}}{{.Rename "x"}}{{end}}`, ofPage},
	{"one of two", `{{$x := .Owner}}{{if .Ok}}{{$x = index .People 0}}{{end}}{{$x.Rename "x"}}`, ofPage},
	{"methods of a map", `{{.Counts.Total}}{{.Counts.Grow}}{{.CountsP.Grow}}`, ofPage},
	{"pointer for a struct and back", `{{personV .Boss}}{{range .People}}{{personP .}}{{end}}`, ofPage},
	// Trap 4: = in loops.
	{"variable that changes in a loop", `{{$x := .Owner}}{{range .Tags}}{{$x.Nope}}{{$x = 1}}{{end}}`, reflect.TypeFor[struct {
		Owner any
		Tags  []string
	}]()},
	{"variable of two types", `{{$x := .Owner}}{{range .Tags}}{{if eq . "x"}}{{$x.Nope}}{{end}}{{$x = $.Any}}{{end}}{{$x.Nope}}`, ofPage},
	{"range that assigns", `{{$x := .Owner}}{{range $x = .Tags}}{{end}}{{$x.Nope}}`, ofPage},
	{"range assigns the elements", `{{$x := .Anys}}{{range $x = .Anys}}{{end}}{{$x.Nope}}`, ofPage},
	{"range assigns the list first", `{{$x := 1}}{{range $x = .Lists}}{{else}}{{$x.Nope}}{{end}}`, ofPage},
	{"$ that is assigned", `{{$ = .Any}}{{$.Nope}}`, ofPage},
	{"a dict that a missing key may take the place of", `{{template "p" (dict "a" 1)}}{{define "p"}}{{$ = .b}}{{$.a.Name}}{{end}}`, ofPage},
	{"the same in a variable, and in a condition", `{{$d := dict "a" 1}}{{range .Tags}}{{$d.a.Name}}{{if not $d.a}}{{$.Name}}{{end}}{{$d = $d.b}}{{end}}`, ofPage},
	{"variable behind or", `{{$x := .Any}}{{or .Ok ($x := 1)}}{{$x.Nope}}`, ofPage},
	{"variable behind or that is assigned", `{{$x := .Boss}}{{if true}}{{or .Ok ($x := 1)}}{{$x = .Owner}}{{end}}{{$x.Name}}`, ofPage},
	// Trap 6: html/template prints everything.
	{"functions and channels", `{{.Fn}}{{.Chan}}{{.Seq}}`, ofPage},
	// Trap 7: a map of faults.
	{"wrong of a form", `{{.Wrong.name}}{{with .Wrong.name}}{{.}}{{end}}`, reflect.TypeFor[struct{ Wrong map[string]string }]()},
	// Trap 9: constant conditions hide dead code.
	{"constant conditions", `{{if false}}{{.Nope}}{{end}}{{if eq 1 2}}{{.Nope}}{{end}}{{if not true}}{{.Nope}}{{end}}{{with ""}}{{.Nope}}{{end}}{{if true}}{{else}}{{.Nope}}{{end}}{{if (print "")}}{{.Nope}}{{end}}`, ofPage},
	{"range over 0", `{{range 0}}{{.Nope}}{{end}}`, ofPage},
	// Never reported: nil pointers, missing indexes, errors of functions.
	{"nil, index, error", `{{.Next.Next.Next.Boss.Name}}{{index .Tags 100}}{{index .ByName "x"}}{{fails "x"}}{{slice .Tags 100}}{{.Names.First}}`, ofPage},

	{"break and continue", `{{range .Tags}}{{break}}{{.Nope}}{{end}}{{range .Tags}}{{if .}}{{continue}}{{else}}{{break}}{{end}}{{.Nope}}{{end}}`, ofPage},
	{"range", `{{range .Age}}{{.}}{{end}}{{range $i, $x := .Tags}}{{$i}}{{$x}}{{end}}{{range $k, $v := .Seq2}}{{$k}}{{$v.Name}}{{end}}{{range .Recv}}{{.}}{{end}}{{range .Send}}{{.Nope}}{{end}}`, ofPage},
	{"else of range has its variables", `{{range $i, $x := .Lists}}{{else}}{{$x.Nope}}{{$i.Nope}}{{end}}`, ofPage},
	{"range over what is behind pointers", `{{range .PairP}}{{.Name}}{{end}}{{range $.CountsP}}{{.}}{{end}}`, ofPage},
	{"range over an iterator as the page", `{{range .}}{{.Name}}{{end}}`, reflect.TypeFor[iter.Seq[zoo.Person]]()},
	{"eq", `{{eq .Age 1}}{{eq .Age .U}}{{eq .Name "x" 1}}{{eq .Boss nil}}{{eq .Name nil}}{{eq .Tags .Tags}}{{eq .Owner.ID 1}}{{eq .Any 1}}{{eq .Shape 1}}{{eq .Boss .Owner.Nick}}`, reflect.TypeFor[struct {
		zoo.Page
		Boss *zoo.Person
	}]()},
	{"lt", `{{lt .Age 1}}{{lt .U .Age}}{{ge .Name "x"}}{{gt .F 1.0}}{{lt .Any 1}}{{lt .Shape 1}}`, ofPage},
	{"len", `{{len .Name}}{{len .Tags}}{{len .Lists}}{{len .Chan}}{{len .PairP}}{{len .Any}}{{len .Shape}}`, ofPage},
	{"index", `{{index .Tags 1}}{{index .ByName "x"}}{{index .ByNumber 'x'}}{{index .Lists "x" 0}}{{index .Name 0}}{{index .ByAny 1}}{{index .Any 1 "x"}}{{index .Age}}{{index .Tags .U}}{{index .Tags .Shape}}`, ofPage},
	{"slice", `{{slice .Name 1 2}}{{slice .Tags 1 2 3}}{{slice .Any 1}}{{(slice .People 1 2)}}`, ofPage},
	{"call", `{{call .Fn 1}}{{call .Fn .Small}}{{call .FnAny}}{{call .FnAny 1 "x"}}{{call .Any 1}}{{(call fn "x").Name}}`, ofPage},
	{"print", `{{print}}{{printf "%d" 1}}{{println .}}{{html .}}{{js .}}{{urlquery .Name}}{{"x" | printf "%s"}}`, ofPage},
	{"numbers", `{{small 1 1 1}}{{small 'x' 1.5 0x1F}}{{small 1.0 1e3 2.0}}{{add -1}}`, ofPage},
	{"nil for what may be nil", `{{personP nil}}{{count nil}}{{table nil}}{{raw nil}}{{choose nil nil}}`, ofPage},
	{"interface that may be a number", `{{add .Any}}{{count .Any}}{{label .Shape}}{{personP .Any}}`, ofPage},
	{"unknown function", `{{nope .Name | nope 1}}`, ofPage},
	{"unknown template", `{{template "nope" .}}`, ofPage},
	{"a template that is never called", `{{define "p"}}{{.Nope}}{{end}}`, ofPage},
	{"a template that calls itself", `{{define "p"}}{{template "p" (dict "x" .)}}{{template "p" .}}{{end}}{{template "p" .}}`, ofPage},
	{"no data for a partial", `{{template "p"}}{{define "p"}}{{.X.Y}}{{range .Z}}{{.Nope}}{{end}}{{with .X}}{{.Nope}}{{end}}{{end}}`, ofPage},

	// What dict has not is absent. Only what looks like a misspelling is reported.
	{"optional key", `{{template "p" (dict "name" 1)}}{{define "p"}}{{.name}}{{.class}}{{with .class}}{{.}}{{end}}{{.class.X}}{{end}}`, ofPage},
	{"optional key like one that is read", `{{template "p" (dict "name" 1)}}{{define "p"}}{{.name}}{{.names}}{{end}}`, ofPage},
	{"condition", `{{template "p" (dict "name" 1)}}{{define "p"}}{{if .nam}}{{end}}{{with .nam}}{{end}}{{or .nam 1}}{{eq .nam 1}}{{print .nam}}{{.nam | print}}{{end}}`, ofPage},
	{"key that another reads", `{{template "p" (dict "name" 1)}}{{define "p"}}{{.nam}}{{template "q" .}}{{end}}{{define "q"}}{{.name}}{{end}}`, ofPage},
	{"the whole dict", `{{template "p" (dict "name" 1)}}{{define "p"}}{{.nam}}{{.}}{{end}}`, ofPage},
	{"the whole dict in range", `{{template "p" (dict "name" 1)}}{{define "p"}}{{.nam}}{{range $k, $v := .}}{{$v.X}}{{end}}{{end}}`, ofPage},
	{"index of a dict", `{{template "p" (dict "name" 1)}}{{define "p"}}{{.nam}}{{index . "name"}}{{end}}`, ofPage},
	{"keys that are not constant", `{{template "p" (dict .Name 1 "name" 2)}}{{define "p"}}{{.nam}}{{.Foo.Bar}}{{end}}`, ofPage},
	{"other keys for other calls", `{{template "p" (dict "a" .Owner)}}{{template "p" (dict "a" .Name "b" 1)}}{{define "p"}}{{.b}}{{with .b}}{{.}}{{else}}{{.a}}{{end}}{{end}}`, ofPage},
	{"a key that is given twice", `{{template "p" (dict "a" .Name "a" .Owner)}}{{define "p"}}{{.a.Name}}{{end}}`, ofPage},
	{"piped into dict", `{{template "p" (.Owner | dict "a")}}{{define "p"}}{{.a.Name}}{{end}}`, ofPage},
}

// TestChainsOfVariables: what = gives to a variable reaches others through many. That takes no
// longer than it has to, and a mistake beside them is found.
func TestChainsOfVariables(t *testing.T) {
	chain := func(n int, last string) string {
		var b strings.Builder
		for i := range n + 1 {
			fmt.Fprintf(&b, "{{$v%d := .Owner}}", i)
		}
		b.WriteString("{{range 2}}{{$v0.Nme}}")
		for i := range n {
			fmt.Fprintf(&b, "{{$v%d = $v%d}}", i, i+1)
		}
		fmt.Fprintf(&b, "{{$v%d = %s}}{{end}}{{.Nme}}", n, last)
		return b.String()
	}
	texts := func(problems []Problem) (texts []string) {
		for _, p := range problems {
			texts = append(texts, p.Expr)
		}
		return texts
	}
	for _, tt := range []struct {
		n    int
		last string
		want []string
	}{
		{1, "$.Owner", []string{"$v0.Nme", ".Nme"}}, // all that is assigned is of one type
		{5_000, "$.Owner", []string{"$v0.Nme", ".Nme"}},
		{1, "1", []string{".Nme"}},
		{12, "1", []string{".Nme"}},
		{5_000, "1", []string{".Nme"}},
	} {
		t.Run(fmt.Sprint(tt.n, " ", tt.last), func(t *testing.T) {
			is := is.New(t)
			is.Equal(texts(check(t, chain(tt.n, tt.last), ofPage)), tt.want)
		})
	}
}

func TestRightTemplatesHaveNoProblems(t *testing.T) {
	for _, tt := range rightOnes {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range check(t, tt.source, tt.data) {
				t.Error(p)
			}
		})
	}
}
