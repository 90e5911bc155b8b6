package input

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
)

// A struct that is bound to may be a copy of one that is stored: then both point to the
// same memory, which other requests read. So nothing is written there: what a slice, a
// map or a pointer holds is copied before JSON is decoded into it or Validate is called
// for it. What is nil needs no copy, so a new struct costs nothing.
//
// Some things cannot be copied from here, since only their own package can set them: an
// embedded pointer to an unexported struct, and what unexported fields point to. A type
// such as big.Int, which has nothing else, begins anew where the request has a value for
// the field; inside of nested structs it is left to itself.

// memory is what a slice, a map or a pointer points to.
type memory struct {
	at  uintptr
	t   reflect.Type
	len int // of a slice
}

// prepare copies what the fields of a struct are filled through, and what Validate is
// called for.
func (to *binding) prepare(p *plan) {
	for _, index := range p.through {
		if v, ok := to.reach(index); ok && v.CanSet() && !v.IsNil() {
			to.copyPointer(v)
		}
	}
	for _, index := range p.visited {
		if v, ok := to.reach(index); ok {
			to.apart(v)
		}
	}
}

// reach returns a field, unless an embedded pointer on the way is nil.
func (to *binding) reach(index []int) (v reflect.Value, ok bool) {
	v = to.dst
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

// known returns the copy that was made of memory before. Two pointers to one thing stay
// such, also if they make a circle.
func (to *binding) known(m memory) (reflect.Value, bool) {
	if root := to.dst.Addr(); m == (memory{root.Pointer(), root.Type(), 0}) {
		return root, true
	}
	v, ok := to.copies[m]
	return v, ok
}

func (to *binding) note(m memory, v reflect.Value) {
	if to.copies == nil {
		to.copies = map[memory]reflect.Value{}
	}
	to.copies[m] = v
}

// copyPointer makes a pointer point to a copy. isNew reports that what is inside of that
// is not copied yet.
func (to *binding) copyPointer(v reflect.Value) (isNew bool) {
	m := memory{v.Pointer(), v.Type(), 0}
	if known, ok := to.known(m); ok {
		v.Set(known)
		return false
	}
	p := reflect.New(v.Type().Elem())
	p.Elem().Set(v.Elem())
	p = p.Convert(v.Type()) // which may have a name
	to.note(m, p)
	v.Set(p)
	return true
}

// apart copies all that v, which can be set, points to and JSON can write to.
func (to *binding) apart(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.CanSet() && isFillable(v.Type().Elem()) && to.copyPointer(v) {
			to.apart(v.Elem())
		}
	case reflect.Interface:
		if e := v.Elem(); e.Kind() == reflect.Pointer { // encoding/json puts something new in the place of all else
			p := reflect.New(e.Type()).Elem()
			p.Set(e)
			to.apart(p)
			v.Set(p)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		m := memory{v.Pointer(), v.Type(), v.Len()}
		if known, ok := to.known(m); ok && v.Len() > 0 {
			v.Set(known)
			return
		}
		items := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(items, v)
		to.note(m, items)
		v.Set(items)
		to.items(v)
	case reflect.Array:
		to.items(v)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		m := memory{v.Pointer(), v.Type(), 0}
		if known, ok := to.known(m); ok {
			v.Set(known)
			return
		}
		all := reflect.MakeMapWithSize(v.Type(), v.Len())
		to.note(m, all)
		holds := holdsMemory(v.Type().Elem())
		for entry := v.MapRange(); entry.Next(); {
			item := entry.Value()
			if holds {
				item = reflect.New(v.Type().Elem()).Elem()
				item.Set(entry.Value())
				to.apart(item)
			}
			all.SetMapIndex(entry.Key(), item)
		}
		v.Set(all)
	case reflect.Struct:
		for _, i := range holdingsOf(v.Type()) {
			to.apart(v.Field(i))
		}
	}
}

func (to *binding) items(v reflect.Value) {
	if !holdsMemory(v.Type().Elem()) {
		return
	}
	for i := range v.Len() {
		to.apart(v.Index(i))
	}
}

var holdings sync.Map // of reflect.Type to []int, of structs: as many as the program binds to

// holdingsOf returns the places of the fields of a struct that may point to memory JSON can
// write to.
func holdingsOf(t reflect.Type) []int {
	if known, ok := holdings.Load(t); ok {
		return known.([]int)
	}
	var all []int
	for i := range t.NumField() {
		sf := t.Field(i)
		role, _ := fromJSON.roleOf(sf)
		if (role == embeds || sf.IsExported() && (role == filled || fillsItself(t))) && holdsMemory(sf.Type) {
			all = append(all, i)
		}
	}
	holdings.Store(t, all)
	return all
}

// holdsMemory reports whether a value of type t may point to memory that JSON can write to.
func holdsMemory(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Interface:
		return true
	case reflect.Pointer:
		return isFillable(t.Elem())
	case reflect.Array:
		return holdsMemory(t.Elem())
	case reflect.Struct:
		return len(holdingsOf(t)) > 0
	}
	return false
}

// isFillable reports whether JSON can write to a value of type t. What it cannot write to,
// such as a sync.Mutex or an sql.DB, must not even be copied.
func isFillable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	case reflect.Struct:
		if fillsItself(t) {
			return true
		}
		for i := range t.NumField() {
			sf := t.Field(i)
			role, _ := fromJSON.roleOf(sf)
			if role == filled && sf.IsExported() || role == embeds && (sf.Type.Kind() == reflect.Pointer || isFillable(sf.Type)) {
				return true
			}
		}
		return false
	}
	return true
}

func fillsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(unmarshaler) || p.Implements(textUnmarshaler)
}

// beginsAnew reports whether a value of type t, or each of a list, fills itself from JSON or
// text and keeps slices or maps in unexported fields, and nothing in others.
func beginsAnew(t reflect.Type) bool {
	for range 3 { // a type may be a list of itself
		if k := t.Kind(); k == reflect.Pointer || k == reflect.Slice || k == reflect.Array {
			t = t.Elem()
		}
	}
	return t.Kind() == reflect.Struct && fillsItself(t) && hidesMemory(t)
}

// hidesMemory reports whether all fields of a struct are unexported, and one is a slice, a
// map, or a struct of this kind.
func hidesMemory(t reflect.Type) (hides bool) {
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.IsExported() {
			return false
		}
		k := sf.Type.Kind()
		hides = hides || k == reflect.Slice || k == reflect.Map || k == reflect.Struct && hidesMemory(sf.Type)
	}
	return hides
}

// ready makes v ready for a value that the request has for it, and which may be null.
func (to *binding) ready(v reflect.Value, null bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		if v.IsNil() { // as in a new struct
			return
		}
	}
	if !null && beginsAnew(v.Type()) {
		v.SetZero()
	} else {
		to.apart(v)
	}
}

// layOut notes what prepare copies, so that json copies the rest.
func (p *plan) layOut(t reflect.Type) {
	seen := func(all [][]int, index []int) bool {
		return slices.ContainsFunc(all, func(other []int) bool { return slices.Equal(index, other) })
	}
	for _, f := range p.checks.fields {
		if holdsMemory(t.FieldByIndex(f.index).Type) {
			p.visited = append(p.visited, f.index)
		}
	}
	for _, fs := range []*fields{p.data, p.query, p.route} {
		for i := range fs.list {
			f := &fs.list[i]
			own := t.FieldByIndex(f.index).Type
			f.holds = beginsAnew(own) || holdsMemory(own) && !seen(p.visited, f.index)
			for n := 1; n < len(f.index); n++ {
				if outer := f.index[:n]; t.FieldByIndex(outer).Type.Kind() == reflect.Pointer && !seen(p.through, outer) {
					p.through = append(p.through, outer)
				}
			}
		}
	}
	slices.SortStableFunc(p.through, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
}

func isNull(raw json.RawMessage) bool { return raw[0] == 'n' }
