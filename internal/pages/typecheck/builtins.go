package typecheck

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"text/template"
)

// A builtin is a function of text/template itself.
type builtin struct {
	typ reflect.Type
	// result returns the value of a call, or what is wrong about it. nil stands for the
	// type of the result alone.
	result func(args []value) (v value, wrong string)
}

type rv = reflect.Value

var builtins = map[string]builtin{
	"and":      {reflect.TypeFor[func(rv, ...rv) rv](), nil}, // see andOr
	"or":       {reflect.TypeFor[func(rv, ...rv) rv](), nil},
	"not":      {reflect.TypeFor[func(rv) bool](), not},
	"len":      {reflect.TypeFor[func(rv) int](), length},
	"index":    {reflect.TypeFor[func(rv, ...rv) rv](), index},
	"slice":    {reflect.TypeFor[func(rv, ...rv) rv](), slice},
	"call":     {reflect.TypeFor[func(rv, ...rv) rv](), callValue},
	"eq":       {reflect.TypeFor[func(rv, ...rv) bool](), equal},
	"ne":       {reflect.TypeFor[func(rv, rv) bool](), equal},
	"lt":       {reflect.TypeFor[func(rv, rv) bool](), less},
	"le":       {reflect.TypeFor[func(rv, rv) bool](), less},
	"gt":       {reflect.TypeFor[func(rv, rv) bool](), less},
	"ge":       {reflect.TypeFor[func(rv, rv) bool](), less},
	"print":    {reflect.TypeOf(fmt.Sprint), nil},
	"printf":   {reflect.TypeOf(fmt.Sprintf), nil},
	"println":  {reflect.TypeOf(fmt.Sprintln), nil},
	"html":     {reflect.TypeOf(template.HTMLEscaper), nil},
	"js":       {reflect.TypeOf(template.JSEscaper), nil},
	"urlquery": {reflect.TypeOf(template.URLQueryEscaper), nil},
}

// Builtin returns the type of a function of text/template itself.
func Builtin(name string) (t reflect.Type, found bool) {
	b, found := builtins[name]
	return b.typ, found
}

// Builtins returns the names of these functions.
func Builtins() iter.Seq[string] { return maps.Keys(builtins) }

// andOr returns the value of and, or: the first operand that decides, or the last. What
// stands behind an operand that always decides is not reached.
func (b *body) andOr(dot value, w word, a arguments) value {
	if a.none() {
		b.report(w, "%s", wrongCount(w.name, 1, true, 0))
		return value{}
	}
	decides := triOf(w.name == "or")
	was := b.tested
	b.tested = true
	defer func() { b.tested = was }()
	var results []value
	for i, arg := range a.nodes {
		declared := len(b.vars)
		v := b.arg(dot, parameter{reflectValueType, w}, arg)
		if i > 0 {
			for j := range b.vars[declared:] {
				b.vars[declared+j].value, b.vars[declared+j].doubt = value{}, true
			}
		}
		switch {
		case v.truth == decides || !a.piped && i == len(a.nodes)-1:
			return oneOfAll(append(results, v))
		case v.truth == maybe:
			results = append(results, v.when(decides))
		}
	}
	return oneOfAll(append(results, a.final))
}

// oneOfAll returns what is known of a value that is one of several.
func oneOfAll(values []value) value {
	v := values[0]
	for _, w := range values[1:] {
		v = v.or(w)
	}
	return v
}

func not(args []value) (value, string) {
	v := valueOf(boolType)
	v.truth = args[0].truth.not()
	return v, ""
}

func length(args []value) (value, string) {
	t, _ := args[0].indirect()
	switch {
	case args[0].absent == yes:
		return value{}, "len of nothing"
	case t == nil || t.Kind() == reflect.Interface:
	case t.Kind() == reflect.Array || t.Kind() == reflect.Chan || t.Kind() == reflect.Map || t.Kind() == reflect.Slice || t.Kind() == reflect.String:
	default:
		return value{}, short(t) + " has no length"
	}
	return valueOf(intType), ""
}

func index(args []value) (value, string) {
	v := args[0]
	if v.absent == yes {
		return value{}, "index of nothing"
	}
	for _, i := range args[1:] {
		t, addr := v.indirect()
		if t == nil || t.Kind() == reflect.Interface {
			return value{}, ""
		}
		switch t.Kind() {
		case reflect.Map:
			if !i.fitsCall(t.Key()) {
				return value{}, fmt.Sprintf("the keys of %s are no %s", short(t), i)
			}
			v = valueOf(t.Elem())
			continue
		case reflect.Slice:
			v = valueOf(t.Elem()).at(yes)
		case reflect.Array:
			v = valueOf(t.Elem()).at(addr)
		case reflect.String:
			v = valueOf(reflect.TypeFor[uint8]())
		default:
			return value{}, short(t) + " has no index"
		}
		if !i.mayIndex() {
			return value{}, fmt.Sprintf("%s is no index of %s", i, short(t))
		}
	}
	if len(args) > 1 {
		return v, ""
	}
	v.absent = no
	return v, ""
}

// mayIndex reports whether the value may be the index of a slice.
func (v value) mayIndex() bool {
	return v.absent != yes && (v.typ == nil || v.isInterface() || isInt(v.typ.Kind()))
}

func slice(args []value) (value, string) {
	v := args[0]
	t, addr := v.indirect()
	switch {
	case v.absent == yes:
		return value{}, "slice of nothing"
	case len(args) > 4:
		return value{}, fmt.Sprintf("slice takes at most 3 indexes, and gets %d", len(args)-1)
	case t == nil || t.Kind() == reflect.Interface:
		t = nil
	case t.Kind() == reflect.String && len(args) > 3:
		return value{}, "slice takes at most 2 indexes of " + short(t)
	case t.Kind() == reflect.String || t.Kind() == reflect.Slice:
	case t.Kind() == reflect.Array && addr == no:
		return value{}, short(t) + " cannot be sliced: give a slice, or a pointer to the array"
	case t.Kind() == reflect.Array:
		t = reflect.SliceOf(t.Elem())
	default:
		return value{}, short(t) + " cannot be sliced"
	}
	for _, i := range args[1:] {
		if !i.mayIndex() {
			return value{}, i.String() + " is no index"
		}
	}
	return valueOf(t), ""
}

// callValue is the rule of {{call}}.
func callValue(args []value) (value, string) {
	f := args[0].typ
	switch {
	case args[0].absent == yes:
		return value{}, "call of nothing"
	case f == nil || f.Kind() == reflect.Interface:
		return value{}, ""
	case f.Kind() != reflect.Func:
		return value{}, short(f) + " is no function"
	}
	fixed := f.NumIn()
	if f.IsVariadic() {
		fixed--
	}
	given := args[1:]
	if len(given) < fixed || len(given) > fixed && !f.IsVariadic() {
		return value{}, wrongCount(short(f), fixed, f.IsVariadic(), len(given))
	}
	if wrong := wrongResults(short(f), f); wrong != "" {
		return value{}, wrong
	}
	for i, v := range given {
		if t := Param(f, i); !v.fitsCall(t) {
			return value{}, fmt.Sprintf("%s is given for %s", v, short(t))
		}
	}
	return valueOf(f.Out(0)), ""
}

// equal is the rule of eq and ne. Of several values, only the first is always compared.
func equal(args []value) (value, string) {
	if len(args) == 1 {
		return value{}, "eq compares with something, and gets one value"
	}
	a, b := args[0], args[1]
	if a.absent != no || b.absent != no || a.typ == nil || b.typ == nil || a.isInterface() || b.isInterface() {
		return valueOf(boolType), ""
	}
	j, k := Basic(a.typ.Kind()), Basic(b.typ.Kind())
	switch {
	case !j.Comparable(k):
	case j != NotBasic || k != NotBasic:
		return valueOf(boolType), ""
	case a.typ.Kind() != b.typ.Kind():
	case b.typ.Comparable() || canBeNil(b.typ):
		return valueOf(boolType), ""
	}
	return value{}, cannotCompare(a, b)
}

// less is the rule of lt, le, gt and ge.
func less(args []value) (value, string) {
	var kinds [2]BasicKind
	for i, v := range args {
		switch {
		case v.absent == yes:
			return value{}, "nothing has no order"
		case v.typ == nil || v.isInterface():
			continue
		}
		kinds[i] = Basic(v.typ.Kind())
		if k := kinds[i]; k == NotBasic || k == Bool || k == Complex {
			return value{}, short(v.typ) + " has no order"
		}
	}
	if kinds[0] != NotBasic && kinds[1] != NotBasic && !kinds[0].Comparable(kinds[1]) {
		return value{}, cannotCompare(args[0], args[1])
	}
	return valueOf(boolType), ""
}
