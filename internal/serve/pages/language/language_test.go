package language

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/matryer/is"
)

type (
	key   string
	shape interface {
		Area() float64
		hidden()
	}
	base  struct{ ID int }
	extra struct{}
	// A person has members of all kinds.
	person struct {
		*base
		extra
		Name   string
		secret string
	}
	counts map[string]int
)

func (b *base) Bump() int                 { return b.ID }
func (e *extra) Noted() bool              { return true }
func (p person) Greet(with string) string { return with + p.secret }
func (p *person) Rename(string) *person   { return p }
func (c counts) Total() int               { return len(c) }
func (c *counts) Grow() int               { return len(*c) }

// What text/template does for a name is what Lookup says.
func TestLookup(t *testing.T) {
	ofPerson, ofInt, ofString := reflect.TypeFor[person](), reflect.TypeFor[int](), reflect.TypeFor[string]()
	for _, tt := range []struct {
		typ         reflect.Type
		addressable bool
		name        string
		kind        MemberKind
		member      reflect.Type
	}{
		{ofPerson, false, "Name", Field, ofString},
		{ofPerson, false, "ID", Field, ofInt},
		{ofPerson, false, "secret", Unexported, ofString},
		{ofPerson, false, "Greet", Method, reflect.TypeFor[func(string) string]()},
		{ofPerson, false, "Rename", NoMember, nil},
		{ofPerson, true, "Rename", Method, reflect.TypeFor[func(string) *person]()},
		{reflect.TypeFor[*person](), false, "Rename", Method, reflect.TypeFor[func(string) *person]()}, // nil
		{reflect.TypeFor[*person](), false, "Name", NoMember, nil},
		{ofPerson, false, "Bump", Method, reflect.TypeFor[func() int]()}, // of the embedded *base
		{ofPerson, false, "Noted", NoMember, nil},                        // of *extra, embedded by value
		{ofPerson, true, "Noted", Method, reflect.TypeFor[func() bool]()},
		{ofPerson, true, "Nope", NoMember, nil},
		{reflect.TypeFor[counts](), false, "Total", Method, reflect.TypeFor[func() int]()},
		{reflect.TypeFor[counts](), false, "Grow", Key, ofInt},
		{reflect.TypeFor[counts](), true, "Grow", Method, reflect.TypeFor[func() int]()},
		{reflect.TypeFor[map[any]string](), false, "x", Key, ofString},
		{reflect.TypeFor[map[key]string](), false, "x", NoMember, nil},
		{reflect.TypeFor[shape](), false, "Area", Method, reflect.TypeFor[func() float64]()},
		{reflect.TypeFor[shape](), true, "Area", Method, reflect.TypeFor[func() float64]()},
		{reflect.TypeFor[shape](), false, "hidden", NoMember, nil},
		{ofInt, false, "x", NoMember, nil},
	} {
		t.Run(fmt.Sprint(tt.typ, ".", tt.name, tt.addressable), func(t *testing.T) {
			is := is.New(t)
			m := Lookup(tt.typ, tt.addressable, tt.name)
			is.Equal(m.Kind, tt.kind)
			is.Equal(m.Type, tt.member)
			if m.Kind == Field {
				is.Equal(tt.typ.FieldByIndex(m.Index).Name, tt.name)
			}
		})
	}
}

// execute executes a template of text/template with a function f.
func execute(text string, f any) error {
	t, err := template.New("").Funcs(template.FuncMap{"f": f}).Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(io.Discard, nil)
}

// The built-in functions are those that text/template has, and take as many arguments.
func TestBuiltins(t *testing.T) {
	for _, name := range slices.Sorted(Builtins()) {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			f, found := Builtin(name)
			is.True(found)
			for given := range 5 {
				text := "{{" + name + strings.Repeat(" 1", given) + "}}"
				_, err := template.New("").Parse(text)
				is.NoErr(err) // text/template has it
				err = execute(text, fmt.Sprint)
				refused := err != nil && strings.Contains(err.Error(), "wrong number of args for "+name+": want")
				is.Equal(refused, !TakesCount(f.Type(), given))
			}
		})
	}
	is := is.New(t)
	for _, other := range []string{"add", "dict", "default", "len2"} {
		_, err := template.New("").Parse("{{" + other + "}}")
		is.True(err != nil)
		_, found := Builtin(other)
		is.True(!found)
	}
}

// A function is called if text/template calls it.
func TestTakes(t *testing.T) {
	for _, f := range []any{
		func() string { return "" }, func() (string, error) { return "", nil }, func() (string, int) { return "", 0 }, func() {},
		func() (string, string, error) { return "", "", nil }, func(int) string { return "" }, func(...int) string { return "" },
		func(int, ...int) string { return "" }, func(int, int) string { return "" },
	} {
		for given := range 4 {
			t.Run(fmt.Sprintf("%T of %d", f, given), func(t *testing.T) {
				holder := map[string]any{"F": f}
				tmpl := template.Must(template.New("").Parse("{{call .F" + strings.Repeat(" 1", given) + "}}"))
				is.New(t).Equal(tmpl.Execute(io.Discard, holder) == nil, Takes(reflect.TypeOf(f), given))
			})
		}
	}
}

// A constant becomes what it does in text/template.
func TestConstants(t *testing.T) {
	types := []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[uint](), reflect.TypeFor[float64](), reflect.TypeFor[complex128](), reflect.TypeFor[string](),
		reflect.TypeFor[[]int](), reflect.TypeFor[person](), reflect.TypeFor[*person](), reflect.TypeFor[shape](), reflect.TypeFor[reflect.Value](),
	}
	for _, text := range strings.Fields("0 1 -1 3e2 1.0 1.5 .5 0.5 0e1 0x10 0x1E 0X1E 0X1p4 0x1p4 1e19 1e-3 9223372036854775808 18446744073709551615 1i 2+0i 'a' 'e' \"s\" `raw` true false nil 1_000 -0.0") {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			root := template.Must(template.New("").Funcs(template.FuncMap{"f": fmt.Sprint}).Parse("{{f " + text + "}}")).Root
			constant := root.Nodes[0].(*parse.ActionNode).Pipe.Cmds[0].Args[1]
			var got any
			err := execute("{{f "+text+"}}", func(v any) string { got = v; return "" })
			is.Equal(Ideal(constant), got)
			is.Equal(err != nil, got == nil && text != "nil") // too large for an int
			for _, typ := range types {
				f := reflect.MakeFunc(reflect.FuncOf([]reflect.Type{typ}, types[5:6], false), func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf("")} })
				fits := KindsOf(constant).Has(Basic(typ.Kind()))
				switch {
				case text == "nil":
					is.True(KindsOf(constant).Has(NotBasic))
					fits = CanBeNil(typ)
				case typ == reflect.TypeFor[reflect.Value]():
					fits = Ideal(constant) != nil
				}
				is.Equal(execute("{{f "+text+"}}", f.Interface()) == nil, fits)
			}
		})
	}
	is.New(t).Equal(KindsOf(&parse.DotNode{}), Kinds(0))
}

// Two values can be compared if text/template compares them.
func TestComparable(t *testing.T) {
	values := []any{true, 1, int8(1), uint(1), uintptr(1), 1.5, float32(1.5), 1i, complex64(1i), "s", []int{}, template.HTMLEscaper}
	compare := template.Must(template.New("").Parse("{{eq .A .B}}"))
	for _, a := range values {
		for _, b := range values {
			t.Run(fmt.Sprintf("%T and %T", a, b), func(t *testing.T) {
				is := is.New(t)
				k, other := Basic(reflect.TypeOf(a).Kind()), Basic(reflect.TypeOf(b).Kind())
				is.Equal(k.IsInteger(), reflect.ValueOf(a).CanInt() || reflect.ValueOf(a).CanUint())
				if k != NotBasic || other != NotBasic {
					is.Equal(compare.Execute(io.Discard, map[string]any{"A": a, "B": b}) == nil, k.Comparable(other))
				}
			})
		}
	}
}

func TestParam(t *testing.T) {
	is := is.New(t)
	params := func(f any) string {
		var types []string
		t := reflect.TypeOf(f)
		for i := range 3 {
			if t.IsVariadic() || i < t.NumIn() {
				types = append(types, Param(t, i).String())
			}
		}
		return strings.Join(types, " ")
	}
	is.Equal(params(func(int, string, []bool) {}), "int string []bool")
	is.Equal(params(func(int, ...string) {}), "int string string")
	is.Equal(params(func(...[]string) {}), "[]string []string []string")
}

// EachNode comes to all nodes, and to each before those in it. EachAction leaves out pipelines.
func TestEachNode(t *testing.T) {
	is := is.New(t)
	var seen []string
	note := func(n parse.Node) { seen = append(seen, strings.TrimPrefix(fmt.Sprintf("%T", n), "*parse.")) }
	root := template.Must(template.New("").Funcs(template.FuncMap{"f": fmt.Sprint}).Parse(
		`{{if .A}}a{{else}}{{range $x := .B}}{{break}}{{end}}{{end}}{{with f 1 (.C | f).D}}{{template "t" .E}}{{template "t"}}{{end}}{{define "t"}}{{end}}`)).Root
	EachNode(root, note)
	is.Equal(strings.Join(seen, " "), "ListNode IfNode PipeNode CommandNode FieldNode ListNode TextNode "+
		"ListNode RangeNode PipeNode CommandNode FieldNode ListNode BreakNode "+
		"WithNode PipeNode CommandNode IdentifierNode NumberNode ChainNode PipeNode CommandNode FieldNode CommandNode IdentifierNode "+
		"ListNode TemplateNode PipeNode CommandNode FieldNode TemplateNode")
	seen = nil
	EachAction(root, note)
	is.Equal(strings.Join(seen, " "), "ListNode IfNode ListNode TextNode ListNode RangeNode ListNode BreakNode WithNode ListNode TemplateNode TemplateNode")
	EachNode(nil, func(parse.Node) { t.Error("nil is no node") })
}
