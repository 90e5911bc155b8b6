package language

import "reflect"

// A BasicKind is one of the kinds of values that eq and lt tell apart.
type BasicKind uint8

const (
	NotBasic BasicKind = iota // compared as == does, if at all
	Bool
	Int
	Uint
	Float
	Complex
	String
)

// Basic returns what values of a kind are compared as.
func Basic(k reflect.Kind) BasicKind {
	switch k {
	case reflect.Bool:
		return Bool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return Uint
	case reflect.Float32, reflect.Float64:
		return Float
	case reflect.Complex64, reflect.Complex128:
		return Complex
	case reflect.String:
		return String
	}
	return NotBasic
}

// IsInteger reports whether values of the kind are integers, signed or not.
func (b BasicKind) IsInteger() bool { return b == Int || b == Uint }

// Comparable reports whether two values of these kinds can be compared: two of one kind,
// or two integers.
func (b BasicKind) Comparable(other BasicKind) bool {
	return b == other || b.IsInteger() && other.IsInteger()
}

// CanBeNil reports whether nil can be given for a parameter of type t.
func CanBeNil(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return true
	}
	return t == reflect.TypeFor[reflect.Value]()
}
