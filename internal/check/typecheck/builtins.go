package typecheck

import (
	"fmt"
	"reflect"

	"example.com/flow/internal/serve/pages/language"
)

// results has functions that return the value of a call of a function of text/template, or what
// is wrong about it. Of a function that is not here, only the type of its result is known.
var results = map[string]func(args []value) (v value, wrong string){
	"not": not, "len": length, "index": index, "slice": slice, "call": callValue, "eq": equal, "ne": equal,
	"lt": less, "le": less, "gt": less, "ge": less,
}

// andOr returns the value of and, or, of type f: the first operand that decides, or the last.
// What stands behind an operand that always decides is not reached.
func (b *body) andOr(dot value, w word, f reflect.Type, a arguments) value {
	if a.none() {
		b.report(w, "%s", wrongCall(w.name, f, 0))
		return value{}
	}
	defer b.allowAbsent(b.allowAbsent(true))
	decides := triOf(w.name == "or")
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
	v.truth = -args[0].truth
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
			return value{text: v.text}, ""
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
	return v.absent != yes && (v.typ == nil || v.isInterface() || isInteger(v.typ))
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
	given := args[1:]
	if wrong := wrongCall(short(f), f, len(given)); wrong != "" {
		return value{}, wrong
	}
	for i, v := range given {
		if t := language.Param(f, i); !v.fitsCall(t) {
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
	j, k := language.Basic(a.typ.Kind()), language.Basic(b.typ.Kind())
	switch {
	case !j.Comparable(k):
	case j != language.NotBasic || k != language.NotBasic:
		return valueOf(boolType), ""
	case a.typ.Kind() != b.typ.Kind():
	case b.typ.Comparable() || language.CanBeNil(b.typ):
		return valueOf(boolType), ""
	}
	return value{}, cannotCompare(a, b)
}

// less is the rule of lt, le, gt and ge.
func less(args []value) (value, string) {
	var kinds [2]language.BasicKind
	for i, v := range args {
		switch {
		case v.absent == yes:
			return value{}, "nothing has no order"
		case v.typ == nil || v.isInterface():
			continue
		}
		kinds[i] = language.Basic(v.typ.Kind())
		if k := kinds[i]; k == language.NotBasic || k == language.Bool || k == language.Complex {
			return value{}, short(v.typ) + " has no order"
		}
	}
	if kinds[0] != language.NotBasic && kinds[1] != language.NotBasic && !kinds[0].Comparable(kinds[1]) {
		return value{}, cannotCompare(args[0], args[1])
	}
	return valueOf(boolType), ""
}
