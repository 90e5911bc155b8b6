package input

import (
	"reflect"
	"slices"
	"unsafe"
)

// The struct that a handler binds to may be a copy of one that is stored. Both then point
// to the same memory, which other requests read. So Bind writes to none of it: a slice gets
// a new array, and a map or what a pointer leads to is copied before encoding/json fills it
// or Validate is called for it. What the body does not name and Validate does not visit is
// neither copied nor read.
//
// Some memory cannot be replaced from here, since only the package of the type can set the
// field: that of an embedded pointer to an unexported struct, and that of unexported fields.

// copies holds the copies that one call of Bind has made. A nil *copies makes none: it is
// that of a new struct, which points to nothing.
type copies struct {
	made map[memory]reflect.Value
}

// memory is what a pointer, a slice or a map leads to.
type memory struct {
	at  unsafe.Pointer // keeps the memory alive, so that its address is not used again
	t   reflect.Type
	len int // of a slice
}

func memoryOf(v reflect.Value) memory {
	m := memory{at: v.UnsafePointer(), t: v.Type()}
	if v.Kind() == reflect.Slice {
		m.len = v.Len()
	}
	return m
}

func newCopies(dst reflect.Value) *copies {
	if dst.IsZero() {
		return nil
	}
	root := dst.Addr() // which is the caller's own, and must not be copied
	return &copies{map[memory]reflect.Value{memoryOf(root): root}}
}

// replace makes a pointer, a slice or a map lead to a copy of what it led to. Two that led
// to the same memory lead to the same copy. isNew reports whether the copy was made now.
func (c *copies) replace(v reflect.Value) (isNew bool) {
	if c == nil || v.IsNil() || !v.CanSet() || v.Kind() == reflect.Pointer && IsOpaque(v.Type().Elem()) {
		return false
	}
	before := memoryOf(v)
	made, ok := c.made[before]
	if !ok {
		t := v.Type()
		switch v.Kind() {
		case reflect.Pointer:
			made = reflect.New(t.Elem())
			made.Elem().Set(v.Elem())
			made = made.Convert(t) // which may have a name
		case reflect.Slice:
			made = reflect.AppendSlice(reflect.MakeSlice(t, 0, v.Len()), v)
		case reflect.Map:
			made = reflect.MakeMapWithSize(t, v.Len())
			for entry := v.MapRange(); entry.Next(); {
				made.SetMapIndex(entry.Key(), entry.Value())
			}
		}
		c.made[before], c.made[memoryOf(made)] = made, made
	}
	v.Set(made)
	return !ok
}

// field returns the field of a struct that index leads to, as reflect.Value.FieldByIndex
// does, with copies of the embedded structs on the way. If fill is set, an embedded pointer that
// is nil gets a new struct. If it cannot be set, or fill is not, field returns that pointer, and
// ok is false.
func (c *copies) field(v reflect.Value, index []int, fill bool) (f reflect.Value, ok bool) {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !fill || !v.CanSet() {
					return v, false
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			c.replace(v)
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

// detach prepares v for encoding/json, which is to decode raw into it: what would be written
// to is copied or, where the value of raw takes its place, removed. A nil raw stands for any
// value, for a type that decodes itself: it may write to all that its fields lead to.
func (c *copies) detach(v reflect.Value, raw []byte) {
	if c == nil || v.IsZero() {
		return
	}
	isValue := raw != nil && raw[0] != 'n' // else null, which may leave v as it is
	switch v.Kind() {
	case reflect.Pointer:
		// Of a struct that was copied before, raw may name other fields now. All else was
		// detached then, and could point to itself.
		if c.replace(v) || raw != nil && v.Elem().Kind() == reflect.Struct {
			c.detach(v.Elem(), raw)
		}
	case reflect.Interface: // encoding/json fills what a pointer in it leads to, and replaces all else
		if e := v.Elem(); e.Kind() == reflect.Pointer && v.CanSet() {
			if e.Type().Elem().Kind() == reflect.Interface { // it may lead to itself, and encoding/json would follow it without end
				v.SetZero()
				return
			}
			p := reflect.New(e.Type()).Elem()
			p.Set(e)
			c.detach(p, raw)
			v.Set(p)
		}
	case reflect.Map: // encoding/json makes new items
		c.replace(v)
	case reflect.Slice, reflect.Array:
		switch {
		case isValue || raw != nil && v.Kind() == reflect.Slice && !DecodesItself(v.Type()):
			v.SetZero()
		case v.Kind() == reflect.Array || c.replace(v):
			for i := range v.Len() {
				c.detach(v.Index(i), nil)
			}
		}
	case reflect.Struct:
		c.detachStruct(v, raw, isValue)
	}
}

// CopyOf returns a copy of a struct, and of what it points to: of and the copy are pointers.
func CopyOf(of reflect.Value) reflect.Value {
	dst := reflect.New(of.Type().Elem())
	dst.Elem().Set(of.Elem())
	newCopies(dst.Elem()).detach(dst.Elem(), nil)
	return dst
}

func (c *copies) detachStruct(v reflect.Value, raw []byte, isValue bool) {
	t := v.Type()
	switch {
	case isValue && DecodesItself(t) && hidesMemory(t):
		v.SetZero()
	case raw == nil || DecodesItself(t):
		for i := range t.NumField() {
			if sf := t.Field(i); sf.IsExported() || sf.Anonymous {
				c.detach(v.Field(i), nil)
			}
		}
	case isObject(raw):
		fs := FieldsInside(t)
		for m := range members(raw, 0) {
			if i, ok := fs.find(string(m.key)); ok {
				if f, ok := c.field(v, fs.List[i].Path, false); ok {
					c.detach(f, raw[m.begin:m.end])
				}
			}
		}
	}
}

// IsOpaque reports whether t is a struct that Bind cannot fill since it has no exported
// fields, such as sync.Mutex or sql.DB. Those must not be copied.
func IsOpaque(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !DecodesItself(t) && !slices.ContainsFunc(reflect.VisibleFields(t), func(sf reflect.StructField) bool {
		return sf.IsExported() && !(sf.Anonymous && pointedTo(sf.Type).Kind() == reflect.Struct)
	})
}

// hidesMemory reports whether all fields of a struct are unexported, as in big.Int, and one
// is a slice, a map, or a struct of this kind. That memory can only be replaced by setting
// the struct to its zero value.
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

// DecodesItself reports whether values of type t decode themselves from JSON or text.
func DecodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return decodesJSON(p) || p.Implements(textUnmarshaler)
}
