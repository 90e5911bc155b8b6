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
	Index []int        // of a field, as FieldByIndex takes it; of a method, as Method takes it
}

// Lookup returns what text/template finds for a name in values of type t, which is no
// pointer. Values that are addressable have the methods of *t, too.
func Lookup(t reflect.Type, addressable bool, name string) Member {
	if m, index, ok := method(t, addressable, name); ok {
		return Member{Kind: Method, Type: m, Index: []int{index}}
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

// method returns the type of a method, without its receiver, and its index: in the methods of
// *t if the value is addressable, else in those of t.
func method(t reflect.Type, addressable bool, name string) (reflect.Type, int, bool) {
	if t.Kind() == reflect.Interface {
		m, ok := t.MethodByName(name)
		return m.Type, m.Index, ok && m.IsExported()
	}
	all := reflect.PointerTo(t)
	m, ok := all.MethodByName(name)
	if !ok {
		return nil, 0, false
	}
	index := m.Index
	if !addressable {
		own, ok := t.MethodByName(name)
		if !ok {
			return nil, 0, false
		}
		index = own.Index
	}
	return reflect.Zero(all).Method(m.Index).Type(), index, true
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
