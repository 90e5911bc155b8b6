package plan

import (
	"reflect"
	"sync"
	"sync/atomic"

	"example.com/flow/internal/serve/pages/language"
)

// A field is a name behind a dot. It stands for a field, a method, or a key of a map.
type field struct {
	of   expr // what stands before the dot
	name string
	// last is the member that was found last. Nearly always the next value has the same type.
	last atomic.Pointer[member]
	at   spot
	// isCommand: it is a command of a pipeline, so its value is unwrapped.
	isCommand bool
	// isReceiver: another name stands behind it, which asks only for what an interface holds.
	isReceiver bool
}

// A member is what a name stands for in values of a type.
type member struct {
	memberKey
	language.Member
	key reflect.Value // the name, as a key of a map
}

type memberKey struct {
	typ         reflect.Type
	addressable bool
	name        string
}

// members has a *member for each memberKey that was asked for.
var members sync.Map

func (f *field) eval(s *state, dot reflect.Value) reflect.Value {
	v, m := f.find(s, f.of.eval(s, dot), &noArguments)
	if m == nil {
		return reflect.Value{}
	}
	s.ofMap = false
	switch {
	case m.Kind == language.Field && len(m.Index) == 1:
		v = v.Field(m.Index[0])
	case m.Kind == language.Field:
		var err error
		if v, err = v.FieldByIndexErr(m.Index); err != nil { // an embedded pointer is nil
			s.fail(f.at, "%v", err)
		}
	case m.Kind == language.Method:
		v = s.invoke(f.at, f.name, v.Method(m.Index[0]), m.Type, len(s.args))
	case (f.isCommand || f.isReceiver) && m.typ == anyMap && v.CanInterface(): // a third of the time of MapIndex, and no allocation
		if e := v.Interface().(map[string]any)[f.name]; e != nil || f.isCommand {
			s.ofMap = true
			return reflect.ValueOf(e)
		}
		v = v.MapIndex(m.key) // which tells nil from a key that is absent
	default:
		v = v.MapIndex(m.key)
	}
	if f.isCommand {
		return unwrap(v)
	}
	return v
}

var noArguments arguments

var anyMap = reflect.TypeFor[map[string]any]()

// find returns the value that has the member, and the member in it. It returns no member for
// what is absent, which gives nothing for any name. If there is no such member for these
// arguments, the page fails.
func (f *field) find(s *state, of reflect.Value, a *arguments) (reflect.Value, *member) {
	if !of.IsValid() {
		return of, nil
	}
	v, isNil := indirect(of)
	typ, addressable := v.Type(), !isNil && v.CanAddr()
	m := f.last.Load()
	if m == nil || m.typ != typ || m.addressable != addressable {
		m = memberOf(memberKey{typ, addressable, f.name})
		f.last.Store(m)
	}
	switch m.Kind {
	case language.Field, language.Key:
		if a.given() == 0 {
			return v, m
		}
	case language.Method:
		if addressable {
			v = v.Addr()
		}
		if language.Takes(m.Type, a.given()) {
			return v, m
		}
	}
	if before, ok := f.of.(*field); ok && before.isReceiver && s.ofMap { // errors say that it is of type interface {}
		e := of.Interface()
		of = reflect.ValueOf(&e).Elem()
	}
	s.failMember(f, of, a)
	panic("unreachable")
}

// memberOf returns the member of a key.
func memberOf(key memberKey) *member {
	if m, ok := members.Load(key); ok {
		return m.(*member)
	}
	m := &member{memberKey: key, key: reflect.ValueOf(key.name)}
	if key.typ.Kind() != reflect.Interface { // one that is nil has no members
		m.Member = language.Lookup(key.typ, key.addressable, key.name)
	}
	members.Store(key, m)
	return m
}

// indirect returns the value behind all pointers and interfaces. If it is nil, it returns
// the pointer or interface that is.
func indirect(v reflect.Value) (_ reflect.Value, isNil bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return v, true
		}
		v = v.Elem()
	}
	return v, false
}
