package language

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"text/template"
)

// The types of the functions that text/template has for itself.
type (
	value      = reflect.Value
	unary      func(value) bool
	comparison func(value, value) bool
	several    func(value, ...value) value
)

// builtins are the functions of text/template. Those that only text/template can call are nil.
var builtins = map[string]any{
	"and":      several(nil),
	"or":       several(nil),
	"not":      unary(nil),
	"len":      (func(value) int)(nil),
	"index":    several(nil),
	"slice":    several(nil),
	"call":     several(nil),
	"eq":       (func(value, ...value) bool)(nil),
	"ne":       comparison(nil),
	"lt":       comparison(nil),
	"le":       comparison(nil),
	"gt":       comparison(nil),
	"ge":       comparison(nil),
	"print":    fmt.Sprint,
	"printf":   fmt.Sprintf,
	"println":  fmt.Sprintln,
	"html":     template.HTMLEscaper,
	"js":       template.JSEscaper,
	"urlquery": template.URLQueryEscaper,
}

// Builtin returns a function of text/template itself. It is nil, and has a type, if only
// text/template can call it.
func Builtin(name string) (f reflect.Value, found bool) {
	b, found := builtins[name]
	return reflect.ValueOf(b), found
}

// Builtins returns the names of these functions.
func Builtins() iter.Seq[string] { return maps.Keys(builtins) }

// Param returns the type of parameter i of a function.
func Param(f reflect.Type, i int) reflect.Type {
	if last := f.NumIn() - 1; f.IsVariadic() && i >= last {
		return f.In(last).Elem()
	}
	return f.In(i)
}

// Takes reports whether text/template calls a function of a type with so many arguments, and
// takes what it returns: a value, or a value and an error.
func Takes(f reflect.Type, given int) bool {
	out := f.NumOut()
	return TakesCount(f, given) && (out == 1 || out == 2 && f.Out(1) == reflect.TypeFor[error]())
}

// TakesCount reports whether a function of a type takes so many arguments.
func TakesCount(f reflect.Type, given int) bool {
	if f.IsVariadic() {
		return given >= f.NumIn()-1
	}
	return given == f.NumIn()
}
