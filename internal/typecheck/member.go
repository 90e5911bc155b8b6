package typecheck

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
	Index []int        // of a field, as FieldByIndex takes it
}

// Lookup returns what text/template finds for a name in values of type t, which is no
// pointer. Values that are addressable have the methods of *t, too.
func Lookup(t reflect.Type, addressable bool, name string) Member {
	if m, ok := methodType(t, addressable, name); ok {
		return Member{Kind: Method, Type: m}
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
		if stringType.AssignableTo(t.Key()) {
			return Member{Kind: Key, Type: t.Elem()}
		}
	}
	return Member{}
}

// methodType returns the type of a method, without its receiver.
func methodType(t reflect.Type, addressable bool, name string) (reflect.Type, bool) {
	if t.Kind() == reflect.Interface {
		m, ok := t.MethodByName(name)
		return m.Type, ok && m.IsExported()
	}
	all := reflect.PointerTo(t)
	m, ok := all.MethodByName(name)
	if !ok {
		return nil, false
	}
	if !addressable {
		if _, ok := t.MethodByName(name); !ok {
			return nil, false
		}
	}
	return reflect.Zero(all).Method(m.Index).Type(), true
}

// fieldAddr returns whether the field at an index path is addressable in a struct that
// is, or is not: behind an embedded pointer it is in any case.
func fieldAddr(t reflect.Type, addr tri, index []int) tri {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			t, addr = t.Elem(), yes
		}
	}
	return addr
}
