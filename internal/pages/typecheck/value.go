package typecheck

import "reflect"

// A tri is what is known of a question about all values of an expression.
type tri uint8

const (
	maybe tri = iota // it is true for some values, or not known
	no
	yes
)

// or returns what is known of a value that is one of two.
func (t tri) or(u tri) tri {
	if t == u {
		return t
	}
	return maybe
}

// and returns yes if both are, and no if one is.
func (t tri) and(u tri) tri {
	switch {
	case t == no || u == no:
		return no
	case t == yes && u == yes:
		return yes
	}
	return maybe
}

// not returns the opposite.
func (t tri) not() tri {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return maybe
}

func triOf(b bool) tri {
	if b {
		return yes
	}
	return no
}

// A value is what is known of the reflect.Value that text/template has when it has
// evaluated an expression. The zero value says that nothing is known.
type value struct {
	typ    reflect.Type // nil if it is not known, or if there is no value
	absent tri          // whether there is no value, as for a key that a map does not have
	addr   tri          // whether it is addressable, so that it has the methods of its pointer
	truth  tri          // what {{if}} makes of it
	dict   *dict        // the keys of a map that dict has made
}

// nothing is the reflect.Value that is not valid: that of nil, or of a missing key.
var nothing = value{absent: yes, addr: no, truth: no}

var (
	errorType        = reflect.TypeFor[error]()
	reflectValueType = reflect.TypeFor[reflect.Value]()
	intType          = reflect.TypeFor[int]()
	stringType       = reflect.TypeFor[string]()
	boolType         = reflect.TypeFor[bool]()
)

// valueOf returns a value of a static type that is not addressable. Of an interface
// without methods nothing is known, and neither of a reflect.Value, which text/template
// takes for the value in it.
func valueOf(t reflect.Type) value {
	if t == nil || t == reflectValueType || t.Kind() == reflect.Interface && t.NumMethod() == 0 {
		return value{}
	}
	return value{typ: t, absent: no, addr: no, truth: truthOf(t)}
}

// literal returns a value that is written in the template.
func literal(t reflect.Type, truth bool) value {
	return value{typ: t, absent: no, addr: no, truth: triOf(truth)}
}

// at returns the value with another addressability.
func (v value) at(addr tri) value {
	if v.typ != nil {
		v.addr = addr
	}
	return v
}

// orAbsent returns the value, or nothing.
func (v value) orAbsent() value { return v.or(nothing) }

// when returns what is known of the value after {{if}} has asked for its truth.
func (v value) when(truth tri) value {
	if truth == yes {
		v.absent = no
	}
	v.truth = truth
	return v
}

// or returns what is known of a value that is v or w.
func (v value) or(w value) value {
	switch {
	case v == w:
		return v
	case w.absent == yes:
		w.typ, w.addr, w.dict = v.typ, v.addr, v.dict
	case v.absent == yes:
		v.typ, v.addr, v.dict = w.typ, w.addr, w.dict
	case v.typ != w.typ:
		v.typ = nil
	}
	if v.dict != w.dict {
		v.dict = nil
	}
	return value{typ: v.typ, absent: v.absent.or(w.absent), addr: v.addr.or(w.addr), truth: v.truth.or(w.truth), dict: v.dict}
}

// isInterface reports whether all that is known of the value is an interface that it
// implements.
func (v value) isInterface() bool { return v.typ != nil && v.typ.Kind() == reflect.Interface }

// indirect returns the value behind all pointers, as text/template does before it looks
// for a field: its type, or nil if that is not known, and whether it is addressable.
func (v value) indirect() (reflect.Type, tri) {
	t, addr := v.typ, v.addr
	for t != nil && t.Kind() == reflect.Pointer {
		t, addr = t.Elem(), yes
	}
	if t != nil && t.Kind() == reflect.Interface && t.NumMethod() == 0 {
		return nil, maybe
	}
	return t, addr
}

// fits reports whether some value can be given as an argument of type t (validateType of
// text/template).
func (v value) fits(t reflect.Type) bool {
	switch {
	case v.absent == yes:
		return canBeNil(t)
	case v.typ == nil || t == reflectValueType || v.typ.AssignableTo(t):
		return true
	case v.absent == maybe && canBeNil(t):
		return true
	case v.isInterface():
		return mayHold(v.typ, t) || mayHold(v.typ, reflect.PointerTo(t))
	case v.typ.Kind() == reflect.Pointer && v.typ.Elem().AssignableTo(t):
		return true
	}
	return v.addr != no && reflect.PointerTo(v.typ).AssignableTo(t)
}

// fitsCall is fits for the arguments of {{call}} and the keys of {{index}} (prepareArg of
// text/template).
func (v value) fitsCall(t reflect.Type) bool {
	switch {
	case v.absent == yes:
		return canBeNil(t)
	case v.typ == nil || v.typ.AssignableTo(t) || isInt(v.typ.Kind()) && isInt(t.Kind()):
		return true
	case v.absent == maybe && canBeNil(t):
		return true
	}
	return v.isInterface() && (isInt(t.Kind()) || mayHold(v.typ, t))
}

// mayHold reports whether a value of the interface type may hold something that can be
// assigned to t. It says so in doubt.
func mayHold(interfaceType, t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Struct:
		return true
	case reflect.Pointer:
		if t.Name() != "" {
			return true
		}
	}
	return t.Implements(interfaceType)
}

// canBeNil reports whether nil can be given for an argument of type t.
func canBeNil(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return true
	}
	return t == reflectValueType
}

// isInt reports whether values of a kind are integers, which index and call convert.
func isInt(k reflect.Kind) bool {
	b := Basic(k)
	return b == Int || b == Uint
}

// truthOf returns what {{if}} makes of values of a type, if that is the same for all.
func truthOf(t reflect.Type) tri {
	switch t.Kind() {
	case reflect.Struct:
		return yes
	case reflect.Array:
		return triOf(t.Len() > 0)
	}
	return maybe
}

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

// Comparable reports whether two values of these kinds can be compared: two of one kind,
// or two integers.
func (b BasicKind) Comparable(other BasicKind) bool {
	return b == other || b == Int && other == Uint || b == Uint && other == Int
}
