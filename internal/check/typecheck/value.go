package typecheck

import (
	"html/template"
	"reflect"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/language"
)

// A tri says yes, no or maybe, for all values of an expression. The opposite is -t, and min
// says whether both of two hold.
type tri int8

const (
	no    tri = iota - 1 // for none
	maybe                // for some, or it is not known
	yes                  // for all
)

// or returns what holds for an expression that has the value of one or the other.
func (t tri) or(u tri) tri {
	if t == u {
		return t
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
	text   bool         // of a type that is not known: it is text, and so is all that is in it
	dict   *dict        // the keys of a map that dict has made
	known  any          // of a constant its node, of a result what Set.Method has said; nil for others
}

// nothing is the reflect.Value that is not valid: that of nil, or of a missing key.
var nothing = value{absent: yes, addr: no, truth: no}

var (
	reflectValueType = reflect.TypeFor[reflect.Value]()
	anyTextType      = reflect.TypeFor[language.AnyText]()
	htmlType         = reflect.TypeFor[template.HTML]()
	intType          = reflect.TypeFor[int]()
	stringType       = reflect.TypeFor[string]()
	boolType         = reflect.TypeFor[bool]()
)

// isAny reports whether a static type tells nothing of a value: that of an interface without
// methods, and reflect.Value, which text/template takes for the value in it.
func isAny(t reflect.Type) bool {
	return t == nil || t == reflectValueType || t.Kind() == reflect.Interface && t.NumMethod() == 0
}

// valueOf returns a value of a static type that is not addressable.
func valueOf(t reflect.Type) value {
	if isAny(t) {
		return value{text: t == anyTextType}
	}
	return value{typ: t, absent: no, addr: no, truth: truthOf(t)}
}

// literal returns the value of type t that a constant of the template has become.
func literal(t reflect.Type, constant any, n parse.Node) value {
	truth, _ := template.IsTrue(constant)
	return value{typ: t, absent: no, addr: no, truth: triOf(truth), known: n}
}

// at returns the value with another addressability.
func (v value) at(addr tri) value {
	if v.typ != nil {
		v.addr = addr
	}
	return v
}

// orAbsent returns what is known of a value that may also be absent.
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
	if v == w {
		return v
	}
	text := v.isText() && w.isText()
	switch {
	case w.absent == yes:
		w.typ, w.addr, w.dict, w.known = v.typ, v.addr, v.dict, v.known
	case v.absent == yes:
		v.typ, v.addr, v.dict, v.known = w.typ, w.addr, w.dict, w.known
	case v.typ != w.typ:
		v.typ = nil
	}
	if v.dict != w.dict {
		v.dict = nil
	}
	if v.known != w.known {
		v.known = nil
	}
	return value{typ: v.typ, absent: v.absent.or(w.absent), addr: v.addr.or(w.addr), truth: v.truth.or(w.truth), text: text && v.typ == nil, dict: v.dict, known: v.known}
}

// isText reports whether the value is text when it is written. An interface with methods is, since
// template.HTML has none.
func (v value) isText() bool {
	t, _ := v.indirect()
	return v.text || v.absent == yes || t != nil && t != htmlType
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
	case v.fitsAsItIs(t) || t == reflectValueType:
		return true
	case v.absent == yes:
		return false
	case v.isInterface():
		return mayHold(v.typ, reflect.PointerTo(t))
	case v.typ.Kind() == reflect.Pointer && v.typ.Elem().AssignableTo(t):
		return true
	}
	return v.addr != no && reflect.PointerTo(v.typ).AssignableTo(t)
}

// fitsCall is fits for the arguments of {{call}} and the keys of {{index}} (prepareArg of
// text/template).
func (v value) fitsCall(t reflect.Type) bool {
	return v.fitsAsItIs(t) || v.absent != yes && isInteger(t) && (v.isInterface() || isInteger(v.typ))
}

// fitsAsItIs reports whether some value is one of type t, without its address, what it points
// to, or a conversion.
func (v value) fitsAsItIs(t reflect.Type) bool {
	switch {
	case v.absent != no && language.CanBeNil(t):
		return true
	case v.absent == yes:
		return false
	}
	return v.typ == nil || v.typ.AssignableTo(t) || v.isInterface() && mayHold(v.typ, t)
}

// mayHold reports whether a value of the interface type may hold something that can be
// assigned to t, and is true in doubt.
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

// isInteger reports whether values of a type are integers, which index and call convert.
func isInteger(t reflect.Type) bool { return language.Basic(t.Kind()).IsInteger() }

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
