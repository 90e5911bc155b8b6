package input

import (
	"maps"
	"mime/multipart"
	"reflect"
	"slices"
	"sync"

	"example.com/flow/internal/serve/wire/reply"
)

// Required reports whether a form has to have a value for a field of a struct type. It asks
// Validate of the type, which has no other way to say so: of a new struct, after Default, Validate
// has a message for the field, and it still has one if all other fields have some value. So neither
// of two fields is required of which a form needs any one.
//
// Validate is called at the first call for a type, for structs that no request has sent. If it
// panics, or returns an error without messages, nothing is required.
func Required(t reflect.Type, to Target, messages Messages) bool {
	return requiredPaths(t, messages)[to.FirstRow]
}

// RequiredNames returns the keys that a form has to have for a struct type, sorted, with 0 for the
// number of each row. query is that of FormTarget. See Required.
func RequiredNames(t reflect.Type, query bool, messages Messages) (names []string) {
	for path, required := range requiredPaths(t, messages) {
		if _, _, ok := FormTarget(t, query, path); ok && required {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	return names
}

// requiredPaths returns the fields of a type that a form has to have, by Target.FirstRow.
func requiredPaths(t reflect.Type, messages Messages) map[string]bool {
	p := planOf(t)
	p.required.once.Do(func() { p.required.paths = requiredOf(t, messages) })
	return p.required.paths
}

// required has the fields of a type that a form has to have, by Target.FirstRow.
type required struct {
	once  sync.Once
	paths map[string]bool
}

func requiredOf(t reflect.Type, messages Messages) map[string]bool {
	paths := map[string]bool{}
	for _, fill := range []filler{{}, {rows: true}} { // a new struct has no rows
		maps.Copy(paths, fill.complaints(t, messages))
	}
	for path := range paths {
		others := filler{rows: true, values: true, without: path}
		paths[path] = others.complaints(t, messages)[path]
	}
	return paths
}

// Misnamed returns the keys in the messages of Validate for a new struct of a type that are no fields,
// in order, each with those that may be meant.
func Misnamed(t reflect.Type, messages Messages) (keys []string, near [][]string) {
	fill := filler{rows: true}
	for _, key := range slices.Sorted(maps.Keys(fill.invalid(t, messages))) {
		if p := planOf(t); p.route != nil {
			if _, isParameter := p.route.find(key); isParameter {
				continue
			}
		}
		_, names, ofBody := FormTarget(t, false, key)
		if _, more, ofQuery := FormTarget(t, true, key); !ofBody && !ofQuery {
			keys, near = append(keys, key), append(near, append(names, more...))
		}
	}
	return keys, near
}

// A filler gives the fields of a new struct some value.
type filler struct {
	rows    bool   // each list of structs gets a row
	values  bool   // each field gets a value
	without string // but for this one
}

// complaints returns the fields that Validate has messages for, by Target.FirstRow.
func (fill filler) complaints(t reflect.Type, messages Messages) map[string]bool {
	paths := map[string]bool{}
	for key := range fill.invalid(t, messages) {
		for _, query := range []bool{false, true} {
			if of, _, ok := FormTarget(t, query, key); ok {
				paths[of.FirstRow] = true
			}
		}
	}
	return paths
}

// invalid returns the messages of Validate, or nil if it panics or fails.
func (fill filler) invalid(t reflect.Type, messages Messages) map[string]reply.Message {
	invalid, _ := new(Asker).Ask(func() reflect.Value { return fill.new(t) }, messages)
	return invalid
}

// An Asker asks Validate again and again.
type Asker struct{ invalid map[string]reply.Message }

// Ask asks Validate of a new struct that make returns a pointer to, and of the structs inside, for their
// messages, by path, which are valid until the next question. Validate may change what the struct points
// to. ok is false if one of them panics, as it may with values that no request has sent, or returns an
// error without messages.
func (a *Asker) Ask(make func() reflect.Value, messages Messages) (invalid map[string]reply.Message, ok bool) {
	defer func() {
		if recover() != nil {
			invalid, ok = nil, false
		}
	}()
	dst := make()
	clear(a.invalid)
	invalid, err := planOf(dst.Type().Elem()).validate(dst.Interface(), &binding{dst: dst.Elem(), invalid: a.invalid}, messages)
	if err != nil {
		return nil, false
	}
	a.invalid = invalid
	return invalid, true
}

// NewDefault returns a new struct, after Default: a pointer to it. ok is false if Default panics.
func NewDefault(t reflect.Type) (dst reflect.Value, ok bool) {
	defer func() {
		if recover() != nil {
			dst, ok = reflect.New(t), false
		}
	}()
	return newDefault(t), true
}

// Shares reports whether a copy of a value of type t may share memory with it.
func Shares(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	case reflect.Array:
		return Shares(t.Elem())
	case reflect.Struct:
		for sf := range t.Fields() {
			if (sf.IsExported() || sf.Anonymous) && Shares(sf.Type) {
				return true
			}
		}
	}
	return false
}

// CopyOf returns a copy of a struct, and of what it points to: of and the copy are pointers.
func CopyOf(of reflect.Value) reflect.Value {
	dst := reflect.New(of.Type().Elem())
	dst.Elem().Set(of.Elem())
	newCopies(dst.Elem()).detach(dst.Elem(), nil)
	return dst
}

// Filled returns a new struct in which each field has some value and each list of structs a row, but for
// fields of structs that are too far inside.
func Filled(t reflect.Type) reflect.Value {
	return filler{rows: true, values: true}.new(t)
}

// IsValidated reports whether a type, or what it holds, has Validate.
func IsValidated(t reflect.Type) bool {
	p := planOf(t)
	return p.holdsChecks || p.checks != nil && (reflect.PointerTo(t).Implements(validates) || len(p.checks.embedded)+len(p.checks.fields) > 0)
}

// newDefault returns a new struct, after Default.
func newDefault(t reflect.Type) reflect.Value {
	dst := reflect.New(t)
	if d, ok := dst.Interface().(defaulter); ok {
		d.Default()
	}
	return dst
}

// new returns a filled struct.
func (fill filler) new(t reflect.Type) reflect.Value {
	dst := newDefault(t)
	if fill.rows {
		fill.all(&binding{dst: dst.Elem()})
	}
	return dst
}

// maxFilled is how many structs a filler fills. Types that lead to each other, as the models of a
// database do, would make millions.
const maxFilled = 256

// A hollow is a struct that is to be filled. around are the types of the structs around it, and its
// own.
type hollow struct {
	v      reflect.Value
	fields *fields
	path   string
	around []reflect.Type
}

// all fills the input, and the structs inside of it: the outer ones first, so that the limit leaves out
// those that are farthest inside.
func (fill filler) all(to *binding) {
	t := to.dst.Type()
	p, structs := planOf(t), []hollow(nil)
	for _, fs := range []*fields{p.data, p.query, p.route} {
		structs = append(structs, hollow{to.dst, fs, "", []reflect.Type{t}})
	}
	for n := 0; n < min(len(structs), maxFilled); n++ {
		structs = fill.object(to, structs, structs[n])
	}
}

// object fills the fields of a struct. It adds the structs inside to others.
func (fill filler) object(to *binding, structs []hollow, s hollow) []hollow {
	for _, f := range s.fields.list {
		v, ok := (*copies)(nil).field(s.v, f.index, fill.values)
		at := join(s.path, f.name)
		switch {
		case !ok || at == fill.without:
		case f.converts.Converts() && fill.values:
			fill.value(to, v, f.converts)
		case f.isFile() && fill.values:
			fill.file(v)
		case nests(v.Type()):
			structs = fill.nested(structs, v, at, s.around)
		}
	}
	return structs
}

// nested adds a struct to others, or makes a list of one and adds that. Behind a struct inside of one
// of its own type, nothing is filled.
func (fill filler) nested(structs []hollow, v reflect.Value, path string, around []reflect.Type) []hollow {
	t := behindPointers(v.Type())
	switch isList := t.Kind() == reflect.Slice; {
	case isList && !ended(behindPointers(t.Elem()), around):
		v = newBehind(v)
		v.Set(reflect.MakeSlice(t, 1, 1))
		newBehind(v.Index(0))
		return fill.nested(structs, v.Index(0), path+".0", around)
	case !isList && !ended(t, around):
		for v.Kind() == reflect.Pointer {
			if v.IsNil() && !fill.values {
				return structs
			} else if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		structs = append(structs, hollow{v, fieldsInside(t), path, append(slices.Clip(around), t)})
	}
	return structs
}

// ended reports whether two of the structs around are of type t.
func ended(t reflect.Type, around []reflect.Type) bool {
	i := slices.Index(around, t)
	return i >= 0 && slices.Contains(around[i+1:], t)
}

// value gives a field a value that some text converts to. It stays empty if none of these does.
func (fill filler) value(to *binding, v reflect.Value, converts Conversion) {
	for _, text := range []string{"1", "a", "2026-01-02", "2026-01-02T03:04:05Z", "192.0.2.1"} {
		to.invalid = nil
		if to.values(v, converts, "", []string{text}); to.invalid == nil {
			return
		}
	}
	v.SetZero()
}

// file gives a field for files one that has no content.
func (fill filler) file(v reflect.Value) {
	file := reflect.ValueOf(&multipart.FileHeader{Filename: "a", Size: 1})
	if v.Kind() == reflect.Slice {
		file = reflect.Append(reflect.Zero(v.Type()), file)
	}
	v.Set(file)
}
