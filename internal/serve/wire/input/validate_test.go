package input

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/fold"
	"example.com/flow/internal/serve/wire/reply"
)

// wrong is what is invalid for the structs of these tests.
type wrong map[string]string

func (w wrong) Error() string { return "wrong" }

// validated validates, and returns what is invalid.
func validated(dst any, unconverted map[string]reply.Message) (string, error) {
	v := reflect.ValueOf(dst).Elem()
	to := binding{dst: v, invalid: maps.Clone(unconverted), unconverted: map[string]bool{}}
	for key := range unconverted {
		to.unconverted[fold.Case(key)] = true
	}
	invalid, err := PlanOf(v.Type()).validate(dst, &to, func(err error) (map[string]string, bool) {
		w, ok := err.(wrong)
		return w, ok
	})
	return said(invalid), err
}

// calls are the structs whose Validate was called, in order.
var calls []string

func called(name string, keys ...string) error {
	calls = append(calls, name)
	w := wrong{}
	for _, key := range keys {
		w[key] = name
	}
	return w
}

type (
	Inner  struct{ Name string }
	ByVal  struct{ Name string }
	Second struct{ Name string }
	inner  struct{ Name string }
	Tree   struct {
		Name string
		Kids []*Tree `json:"kids"`
	}
	Wrap struct{ Inner }
	Own  struct {
		Inner
		In Inner `json:"in"`
	}
	Two struct {
		Inner
		*Second
	}
	Deeper  struct{ Two }
	Unnamed struct {
		inner
		Inner
	}
	Text   string
	Column []Inner
)

func (i *Inner) Validate() error  { return called("Inner "+i.Name, "name") }
func (v ByVal) Validate() error   { return called("ByVal "+v.Name, "name") }
func (s *Second) Validate() error { return called("Second "+s.Name, "name", "more") }
func (i inner) Validate() error   { return called("inner") }
func (o *Own) Validate() error    { return called("Own", "own", "in.name") }
func (t *Tree) Validate() error {
	if t.Name == "" {
		return wrong{"": "is empty"}
	}
	return nil
}
func (Text) Validate() error      { return errors.New("never called: it is no struct") }
func (c *Column) Validate() error { return called("Column", "column") }

func TestValidateInside(t *testing.T) {
	one := &Inner{"p"}
	for _, tt := range []struct {
		name  string
		dst   any
		want  string
		calls string
	}{
		{"nothing to call", &struct{ A, B string }{}, "", ""},
		{"value", &struct{ In Inner }{Inner{"a"}}, "In.name: Inner a", "Inner a"},
		{"tags", &struct {
			A Inner `json:"a_b,omitempty"`
			B Inner `form:"c" json:"d"`
			C struct {
				D Inner `form:"e" json:"f"`
			} `json:"g"`
		}{}, "a_b.name: Inner ; c.name: Inner ; g.f.name: Inner ", "Inner , Inner , Inner "},
		{"pointer", &struct{ In *Inner }{one}, "In.name: Inner p", "Inner p"},
		{"nil pointers", &struct {
			In   *Inner
			More []*Inner
			M    map[string]*Inner
		}{nil, []*Inner{nil, one}, map[string]*Inner{"a": nil}}, "More.1.name: Inner p", "Inner p"},
		{"method of a value", &struct {
			In ByVal
			P  **ByVal
		}{P: func() **ByVal { p := &ByVal{"p"}; return &p }()}, "In.name: ByVal ; P.name: ByVal p", "ByVal , ByVal p"},
		{"lists", &struct {
			L [][]Inner
			A [1]ByVal
		}{L: [][]Inner{{}, {{"a"}, {"b"}}}}, "A.0.name: ByVal ; L.1.0.name: Inner a; L.1.1.name: Inner b", "Inner a, Inner b, ByVal "},
		{"maps", &struct{ M map[string]Inner }{map[string]Inner{"k": {"m"}}}, "M.k.name: Inner m", "Inner m"},
		{"the struct itself", &Tree{"root", []*Tree{{"a", []*Tree{{}}}, {}}}, "kids.0.kids.0: is empty; kids.1: is empty", ""},
		{"no struct around", &[]Inner{{"a"}}, "0.name: Inner a", "Inner a"},
		{"a list with a method", &Column{{"a"}}, "0.name: Inner a; column: Column", "Column, Inner a"},
		{"pointer to a pointer", func() any { p := one; return &p }(), "name: Inner p", "Inner p"},
		{"left out", &struct {
			A Inner `json:"-"`
			b Inner
			C any
			D Text
			E []Text
		}{C: one, D: "x", E: []Text{"x"}}, "", ""},
		{"unexported inside", &struct{ A struct{ b Inner } }{}, "", ""},
		{"the same pointer twice", &struct{ A, B *Inner }{one, one}, "A.name: Inner p", "Inner p"},

		{"promoted", &Wrap{Inner{"w"}}, "name: Inner w", "Inner w"},
		{"promoted inside", &struct{ W *Wrap }{&Wrap{Inner{"w"}}}, "W.name: Inner w", "Inner w"},
		{"its own, which hides", &Own{}, "in.name: Own; own: Own", "Own, Inner "},
		{"several, of which Go takes none", &Two{Inner{"a"}, &Second{"b"}}, "more: Second b; name: Inner a", "Inner a, Second b"},
		{"one of them nil", &Two{Inner{"a"}, nil}, "name: Inner a", "Inner a"},
		{"deeper inside", &struct{ D Deeper }{Deeper{Two{Inner{"a"}, &Second{"b"}}}}, "D.more: Second b; D.name: Inner a", "Inner a, Second b"},
		{"embedded under a name", &struct {
			Two `json:"two"`
		}{Two{Inner: Inner{"a"}}}, "two.name: Inner a", "Inner a"},
		{"fields of what is embedded", &struct{ Own }{}, "in.name: Own; own: Own", "Own, Inner "},
		{"fields of an embedded pointer that is nil", &struct{ *Two }{}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			calls = nil
			got, err := validated(tt.dst, nil)
			is.NoErr(err)
			is.Equal(got, tt.want)
			is.Equal(strings.Join(calls, ", "), tt.calls)
		})
	}
}

// TestValidateInACircle: a program may have put in what no client can send.
func TestValidateInACircle(t *testing.T) {
	is := is.New(t)
	tree := &Tree{Name: "root"}
	tree.Kids = []*Tree{tree, {Name: ""}}
	got, err := validated(tree, nil)
	is.NoErr(err)
	is.Equal(got, "kids.1: is empty")
}

func TestValidateHiddenFields(t *testing.T) {
	is := is.New(t)
	type base struct{ In Inner }
	got, err := validated(&struct {
		base
		In *ByVal
	}{In: &ByVal{"seen"}}, nil)
	is.NoErr(err)
	is.Equal(got, "In.name: ByVal seen") // no client can fill the other one
}

func TestValidateOneMessageEach(t *testing.T) {
	dst := &struct {
		In   Inner
		List []Inner `json:"list"`
		Two  Second
	}{List: make([]Inner, 2)}
	for _, tt := range []struct{ unconverted, want string }{
		{"", "In.name: Inner ; Two.more: Second ; Two.name: Second ; list.0.name: Inner ; list.1.name: Inner "},
		{"list.1.name", "In.name: Inner ; Two.more: Second ; Two.name: Second ; list.0.name: Inner ; list.1.name: x"},
		{"list", "In.name: Inner ; Two.more: Second ; Two.name: Second ; list: x"},
		{"list.1", "In.name: Inner ; Two.more: Second ; Two.name: Second ; list.0.name: Inner ; list.1: x"},
		{"in.NAME two", "in.NAME: x; list.0.name: Inner ; list.1.name: Inner ; two: x"},
		{"Tw Two.mor", "In.name: Inner ; Tw: x; Two.mor: x; Two.more: Second ; Two.name: Second ; list.0.name: Inner ; list.1.name: Inner "},
	} {
		t.Run(tt.unconverted, func(t *testing.T) {
			is := is.New(t)
			unconverted := map[string]reply.Message{}
			for _, key := range strings.Fields(tt.unconverted) {
				unconverted[key] = reply.Message{English: "x"}
			}
			got, err := validated(dst, unconverted)
			is.NoErr(err)
			parts := strings.Split(got, "; ")
			slices.Sort(parts)
			want := strings.Split(tt.want, "; ")
			slices.Sort(want)
			is.Equal(parts, want)
		})
	}
}

// broken cannot be validated.
type broken struct{ err error }

func (b broken) Validate() error { return b.err }

func TestValidateThatFails(t *testing.T) {
	is := is.New(t)
	down := errors.New("the database is down")
	_, err := validated(&struct{ A []broken }{[]broken{{nil}, {down}}}, map[string]reply.Message{"x": {English: "y"}})
	is.Equal(err, down)
	_, err = validated(&struct{ M map[int]*broken }{map[int]*broken{1: {down}}}, nil)
	is.Equal(err, down)
	_, err = validated(&Unnamed{}, nil)
	is.True(err != nil)
	is.Equal(err.Error(), "flow: Validate of input.inner cannot be called, since the type is unexported and embedded in input.Unnamed beside others that have the method: export the type, or give input.Unnamed a Validate that calls theirs")
}

// trimmed changes itself.
type trimmed struct{ Name string }

func (t *trimmed) Validate() error { t.Name = strings.TrimSpace(t.Name); return nil }

func TestValidateMayChange(t *testing.T) {
	is := is.New(t)
	dst := struct {
		A []trimmed
		M map[string]trimmed
		P *trimmed
	}{[]trimmed{{" a "}}, map[string]trimmed{"k": {" m "}}, &trimmed{" p "}}
	_, err := validated(&dst, nil)
	is.NoErr(err)
	is.Equal(dst.A[0].Name+dst.M["k"].Name+dst.P.Name, "amp")
}

type Many []string

func (m Many) Validate() error { return called("Many", m...) }

// TestValidateManyKeys has as many messages as keys that did not convert. If each message were
// compared with each key, the test would take longer than go test waits.
func TestValidateManyKeys(t *testing.T) {
	is := is.New(t)
	unconverted := map[string]reply.Message{}
	var dst Many
	for i := range 200_000 {
		key := fmt.Sprintf("%016d", i)
		unconverted[key] = reply.MustBeNumber
		dst = append(dst, key+"0")
	}
	dst = append(dst, "0000000000000000.inside")
	invalid, err := validated(&dst, unconverted)
	is.NoErr(err)
	is.Equal(strings.Count(invalid, "must be a number"), len(unconverted))
	is.Equal(strings.Count(invalid, "Many"), len(unconverted))
}
