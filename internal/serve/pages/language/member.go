package language

import "reflect"

// A MemberKind says what a name after a dot stands for.
type MemberKind uint8

const (
	NoMember MemberKind = iota
	Method
	Field
	Unexported // a field that templates cannot see
	Key        // of a map
)

// A Member is what a name after a dot stands for in values of a type.
type Member struct {
	Kind  MemberKind
	Type  reflect.Type // of the field or the element; of the method, without its receiver
	Index []int        // of a field, as FieldByIndex takes it; of a method, as Method takes it
}

// Lookup returns what text/template finds for a name in values of type t, in which it has
// followed all pointers but one that is nil. Values that are addressable have the methods of
// *t, too.
func Lookup(t reflect.Type, addressable bool, name string) Member {
	in, isInterface := t, t.Kind() == reflect.Interface
	if addressable && !isInterface {
		in = reflect.PointerTo(t)
	}
	if m, ok := in.MethodByName(name); ok && m.IsExported() {
		f := m.Type
		if !isInterface { // its first parameter is the receiver
			f = reflect.Zero(in).Method(m.Index).Type()
		}
		return Member{Kind: Method, Type: f, Index: []int{m.Index}}
	}
	switch t.Kind() {
	case reflect.Struct:
		f, ok := t.FieldByName(name)
		switch {
		case ok && f.IsExported():
			return Member{Kind: Field, Type: f.Type, Index: f.Index}
		case ok:
			return Member{Kind: Unexported, Type: f.Type}
		}
	case reflect.Map:
		if reflect.TypeFor[string]().AssignableTo(t.Key()) {
			return Member{Kind: Key, Type: t.Elem()}
		}
	}
	return Member{}
}
