package plan

import (
	"cmp"
	"errors"
	"reflect"
	"strings"

	"example.com/flow/internal/serve/pages/language"
)

// A builtin is a call of a function of text/template itself that takes any value.
type builtin struct {
	name string
	// fast returns the result for frequent values; for others, or if it is nil, text/template
	// is asked.
	fast func(args []reflect.Value) (v reflect.Value, known bool)
	arguments
	at spot
}

func (b *builtin) eval(s *state, dot reflect.Value) reflect.Value {
	last, mark := b.evalLast(s, dot), len(s.args)
	b.push(s, b.at, dot, last, mark, nil)
	args := s.args[mark:]
	s.args = s.args[:mark]
	if b.fast != nil {
		if v, known := b.fast(args); known {
			return v
		}
	}
	q, err := ask(b.name, args...)
	if err != nil {
		s.failCall(b.at, b.name, b.named(s, err, args))
	}
	return q.value
}

// named returns an error of {{call}} with the name that the template has for what is called. In
// the question its name is .Function.
func (b *builtin) named(s *state, err error, args []reflect.Value) error {
	before, after, found := strings.Cut(err.Error(), " .Function")
	if b.name != "call" || !found {
		return err
	}
	name := args[0].String()
	if len(b.operands) > 0 {
		name = s.current.node(b.operands[0].at).String()
	}
	return errors.New(before + " " + name + after)
}

// An andOr is a call of and, or. It evaluates its operands until one decides.
type andOr struct {
	or bool
	arguments
}

func (a *andOr) eval(s *state, dot reflect.Value) (v reflect.Value) {
	last := a.evalLast(s, dot)
	for i := range a.operands {
		if v = a.operands[i].eval(s, dot, nil); isTrue(v) == a.or {
			return v
		}
	}
	if a.last != nil {
		return s.assignable(0, last, nil) // it does not fail
	}
	return v
}

// fast has the functions that are frequent, for the values that are.
var fast = map[string]func(args []reflect.Value) (v reflect.Value, known bool){
	"not":   func(args []reflect.Value) (reflect.Value, bool) { return reflect.ValueOf(!isTrue(args[0])), true },
	"len":   length,
	"index": index,
	"eq":    equal,
	"ne":    comparison(func(c int) bool { return c != 0 }),
	"lt":    comparison(func(c int) bool { return c < 0 }),
	"le":    comparison(func(c int) bool { return c <= 0 }),
	"gt":    comparison(func(c int) bool { return c > 0 }),
	"ge":    comparison(func(c int) bool { return c >= 0 }),
}

func length(args []reflect.Value) (n reflect.Value, known bool) {
	switch v, _ := indirect(args[0]); v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return reflect.ValueOf(v.Len()), true
	}
	return reflect.Value{}, false
}

// index is {{index}} of a slice with an integer, and of a map with a key of its type.
func index(args []reflect.Value) (elem reflect.Value, known bool) {
	if len(args) != 2 {
		return reflect.Value{}, false
	}
	v, _ := indirect(args[0])
	i := concrete(args[1])
	switch {
	case v.Kind() == reflect.Slice && i.CanInt() && i.Int() >= 0 && i.Int() < int64(v.Len()):
		return v.Index(int(i.Int())), true
	case v.Kind() == reflect.Map && i.IsValid() && i.Type() == v.Type().Key():
		if elem = v.MapIndex(i); !elem.IsValid() {
			elem = reflect.Zero(v.Type().Elem())
		}
		return elem, true
	}
	return reflect.Value{}, false
}

func equal(args []reflect.Value) (v reflect.Value, known bool) {
	any := false
	for _, arg := range args[1:] {
		v, w := concrete(args[0]), concrete(arg)
		c, known := compare(v, w)
		if v.Kind() == reflect.Bool && w.Kind() == reflect.Bool {
			known = true
			if v.Bool() != w.Bool() {
				c = 1
			}
		}
		if !known {
			return reflect.Value{}, false
		}
		any = any || c == 0
	}
	return reflect.ValueOf(any), len(args) > 1
}

// comparison returns a function that compares two values, and asks holds for the result.
func comparison(holds func(c int) bool) func(args []reflect.Value) (v reflect.Value, known bool) {
	return func(args []reflect.Value) (reflect.Value, bool) {
		c, known := compare(concrete(args[0]), concrete(args[1]))
		return reflect.ValueOf(known && holds(c)), known
	}
}

// compare compares two strings or numbers. What is not a number has no order.
func compare(v, w reflect.Value) (c int, known bool) {
	type kinds struct{ v, w language.BasicKind }
	switch (kinds{language.Basic(v.Kind()), language.Basic(w.Kind())}) {
	case kinds{language.String, language.String}:
		return cmp.Compare(v.String(), w.String()), true
	case kinds{language.Int, language.Int}:
		return cmp.Compare(v.Int(), w.Int()), true
	case kinds{language.Uint, language.Uint}:
		return cmp.Compare(v.Uint(), w.Uint()), true
	case kinds{language.Uint, language.Int}:
		c, known = compare(w, v)
		return -c, known
	case kinds{language.Int, language.Uint}:
		if v.Int() < 0 {
			return -1, true
		}
		return cmp.Compare(uint64(v.Int()), w.Uint()), true
	case kinds{language.Float, language.Float}:
		f, g := v.Float(), w.Float()
		return cmp.Compare(f, g), f == f && g == g
	}
	return 0, false
}

// concrete returns the value in an interface.
func concrete(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface {
		return v.Elem()
	}
	return v
}
