package input

import (
	"mime/multipart"
	"reflect"
	"slices"
)

// A Filler gives the fields of a new struct some value, to ask Validate what it says of that.
type Filler struct {
	Rows    bool   // each list of structs gets a row
	Values  bool   // each field gets a value, but for fields of structs that are too far inside
	Without string // the Target.FirstRow of a field that gets none
}

// New returns a pointer to a filled struct, in which Default was called before.
func (fill Filler) New(t reflect.Type) reflect.Value {
	dst := NewDefault(t)
	if fill.Rows {
		fill.all(dst.Elem())
	}
	return dst
}

// NewDefault returns a pointer to a new struct, after Default.
func NewDefault(t reflect.Type) reflect.Value {
	dst := reflect.New(t)
	if d, ok := dst.Interface().(interface{ Default() }); ok {
		d.Default()
	}
	return dst
}

// maxFilled is how many structs a Filler fills. Types that lead to each other, as the models of a
// database do, would make millions.
const maxFilled = 256

// A hollow is a struct that is to be filled. around are the types of the structs around it, and its
// own.
type hollow struct {
	v      reflect.Value
	fields *Fields
	path   string
	around []reflect.Type
}

// all fills the input, and the structs inside of it: the outer ones first, so that the limit leaves out
// those that are farthest inside.
func (fill Filler) all(dst reflect.Value) {
	t := dst.Type()
	p, structs := PlanOf(t), []hollow(nil)
	for _, fs := range []*Fields{p.Data, p.Query, p.Route} {
		structs = append(structs, hollow{dst, fs, "", []reflect.Type{t}})
	}
	for n := 0; n < min(len(structs), maxFilled); n++ {
		structs = fill.object(structs, structs[n])
	}
}

// object fills the fields of a struct. It adds the structs inside to others.
func (fill Filler) object(structs []hollow, s hollow) []hollow {
	for _, f := range s.fields.List {
		v, ok := (*copies)(nil).field(s.v, f.Path, fill.Values)
		path := join(s.path, f.Name)
		switch {
		case !ok || path == fill.Without:
		case f.Converts.Converts() && fill.Values:
			setSome(v)
		case f.IsFile() && fill.Values:
			setFile(v)
		case nests(v.Type()):
			structs = fill.nested(structs, v, path, s.around)
		}
	}
	return structs
}

// nested adds a struct to others, or makes a list of one and adds that. Behind a struct inside of one
// of its own type, nothing is filled.
func (fill Filler) nested(structs []hollow, v reflect.Value, path string, around []reflect.Type) []hollow {
	t := BehindPointers(v.Type())
	switch isList := t.Kind() == reflect.Slice; {
	case isList && !isTwiceIn(around, BehindPointers(t.Elem())):
		v = newBehind(v)
		v.Set(reflect.MakeSlice(t, 1, 1))
		newBehind(v.Index(0))
		return fill.nested(structs, v.Index(0), path+".0", around)
	case !isList && !isTwiceIn(around, t):
		for v.Kind() == reflect.Pointer {
			if v.IsNil() && !fill.Values {
				return structs
			} else if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		structs = append(structs, hollow{v, FieldsInside(t), path, append(slices.Clip(around), t)})
	}
	return structs
}

func isTwiceIn(types []reflect.Type, t reflect.Type) bool {
	i := slices.Index(types, t)
	return i >= 0 && slices.Contains(types[i+1:], t)
}

// setSome gives a field a value that some text converts to. It stays empty if none of these does.
func setSome(v reflect.Value) {
	for _, text := range []string{"1", "a", "2026-01-02", "2026-01-02T03:04:05Z", "192.0.2.1"} {
		if _, ok := Convert(v, text); ok {
			return
		}
	}
	v.SetZero()
}

// setFile gives a field for files one that has no content.
func setFile(v reflect.Value) {
	file := reflect.ValueOf(&multipart.FileHeader{Filename: "a", Size: 1})
	if v.Kind() == reflect.Slice {
		file = reflect.Append(reflect.Zero(v.Type()), file)
	}
	v.Set(file)
}
