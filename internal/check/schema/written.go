package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/flow/internal/serve/wire/input"
)

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	timeType      = reflect.TypeFor[time.Time]()
	numberType    = reflect.TypeFor[json.Number]()
)

// Written returns the schema of what encoding/json writes of a value of a type.
func (s *Set) Written(t reflect.Type) *Schema { return s.written(t, false) }

// written is Written. Behind a pointer and in a slice, encoding/json finds the methods of the pointer,
// too: the value has an address.
func (s *Set) written(t reflect.Type, hasAddress bool) *Schema {
	switch own := encodesItself(t); {
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return nullable(s.written(t.Elem(), true))
	case t.Kind() == reflect.Interface:
		return &Schema{}
	case !own && encodesItself(reflect.PointerTo(t)):
		if !hasAddress {
			return &Schema{} // whether its own method writes it depends on where it stands
		}
		return s.named(t, false, func() *Schema { return ownWritten(t) })
	case own:
		return s.named(t, false, func() *Schema { return ownWritten(t) })
	}
	return s.named(t, false, func() *Schema { return s.writtenKind(t) })
}

// named returns the schema of a type: a component for a struct with a name, and for another type with a
// name that has JSONSchema.
func (s *Set) named(t reflect.Type, read bool, make func() *Schema) *Schema {
	isOpen := t.Kind() == reflect.Struct && !encodesItself(reflect.PointerTo(t)) && !input.DecodesItself(t)
	if t.Name() != "" && t.PkgPath() != "" && (isOpen || describes(t)) {
		return s.component(t, read, make)
	}
	return s.described(t, make())
}

func encodesItself(t reflect.Type) bool {
	return t.Implements(marshaler) || t.Implements(textMarshaler)
}

// writtenKind returns the schema of a type without methods for JSON.
func (s *Set) writtenKind(t reflect.Type) *Schema {
	switch t.Kind() {
	case reflect.Struct:
		return s.writtenStruct(t)
	case reflect.Map:
		return nilOf(t, &Schema{Type: Types{"object"}, Values: unlessAny(s.written(t.Elem(), false))})
	case reflect.Slice:
		if isBytes(t) {
			return nilOf(t, &Schema{Type: Types{"string"}, ContentEncoding: "base64"})
		}
		return nilOf(t, &Schema{Type: Types{"array"}, Items: unlessAny(s.written(t.Elem(), true))})
	case reflect.Array:
		n := t.Len()
		return &Schema{Type: Types{"array"}, Items: unlessAny(s.written(t.Elem(), false)), MinItems: &n, MaxItems: &n}
	}
	return scalar(t)
}

// isBytes reports whether encoding/json has a text in base 64 for a slice.
func isBytes(t reflect.Type) bool {
	return t.Elem().Kind() == reflect.Uint8 && !encodesItself(reflect.PointerTo(t.Elem()))
}

// unlessAny returns a schema, or nil for one that says nothing.
func unlessAny(s *Schema) *Schema {
	if s.IsAny() {
		return nil
	}
	return s
}

// nilOf adds null to the schema of a slice or a map if encoding/json writes it for nil.
func nilOf(t reflect.Type, s *Schema) *Schema {
	if text, ok := encoded(reflect.Zero(t)); !ok || string(text) == "null" {
		return nullable(s)
	}
	return s
}

// nullable adds null to what a schema allows.
func nullable(s *Schema) *Schema {
	switch {
	case s.IsAny(), s.isNullable():
		return s
	case s.Of == nil && len(s.Type) == 0: // it says it in another way
	case s.Of == nil && len(s.Enum) == 0 && len(s.More) == 0:
		if !slices.Contains(s.Type, "null") {
			s.Type = append(s.Type, "null")
		}
		return s
	}
	return &Schema{AnyOf: []*Schema{s, {Type: Types{"null"}}}}
}

// isNullable reports whether nullable has made anyOf of a schema.
func (s *Schema) isNullable() bool {
	return len(s.AnyOf) == 2 && slices.Equal(s.AnyOf[1].Type, Types{"null"})
}

// NotNull takes null away again, if the schema allows it since the value may be a pointer.
func (s *Schema) NotNull() {
	if s.isNullable() {
		inner := *s.AnyOf[0]
		*s = inner
		return
	}
	s.Type = slices.DeleteFunc(slices.Clone(s.Type), func(kind string) bool { return kind == "null" })
}

// scalar returns the schema of booleans, numbers and strings.
func scalar(t reflect.Type) *Schema {
	switch k := t.Kind(); {
	case t == numberType:
		return &Schema{Type: Types{"number"}}
	case k == reflect.Bool:
		return &Schema{Type: Types{"boolean"}}
	case k == reflect.String:
		return &Schema{Type: Types{"string"}}
	case k == reflect.Int32 || k == reflect.Int64:
		return &Schema{Type: Types{"integer"}, Format: k.String()}
	case k == reflect.Int8 || k == reflect.Int16:
		edge := int64(1) << (t.Bits() - 1)
		return &Schema{Type: Types{"integer"}, Minimum: numberOf(-edge), Maximum: numberOf(edge - 1)}
	case k == reflect.Int:
		return &Schema{Type: Types{"integer"}}
	case k == reflect.Uint8 || k == reflect.Uint16 || k == reflect.Uint32:
		return &Schema{Type: Types{"integer"}, Minimum: "0", Maximum: numberOf(int64(1)<<t.Bits() - 1)}
	case k == reflect.Uint || k == reflect.Uint64 || k == reflect.Uintptr:
		return &Schema{Type: Types{"integer"}, Minimum: "0"}
	case k == reflect.Float32:
		return &Schema{Type: Types{"number"}, Format: "float"}
	case k == reflect.Float64:
		return &Schema{Type: Types{"number"}, Format: "double"}
	}
	return &Schema{}
}

func numberOf(n int64) json.Number { return json.Number(fmt.Sprint(n)) }

func (s *Set) writtenStruct(t reflect.Type) *Schema {
	of := &Schema{Type: Types{"object"}}
	for _, f := range input.FieldsOf(t, input.AsWritten).AsDeclared() {
		value := s.written(f.Go.Type, false)
		if f.Quoted != nil {
			value = quoted(value)
		}
		switch text, there := zeroOf(f); {
		case !there || hasOption(f.Go.Tag, "omitzero") || behindPointer(t, f.Path):
			if canBeNil(f.Go.Type) && hasOption(f.Go.Tag, "omitempty", "omitzero") {
				value.NotNull()
			}
		default:
			of.Required = append(of.Required, f.Name)
			if string(text) == "null" && canBeNil(f.Go.Type) {
				value = nullable(value)
			}
		}
		of.Properties = append(of.Properties, property(f, value))
	}
	return of
}

// property returns the property of a field, with what its tag doc says.
func property(f *input.Field, of *Schema) *Property {
	if doc := f.Go.Tag.Get("doc"); doc != "" {
		of.Description = doc
		of.Deprecated = of.Deprecated || strings.HasPrefix(doc, "Deprecated: ")
	}
	return &Property{Name: f.Name, Schema: of, Type: f.Go.Type, Path: f.Path, AnyCase: f.AnyCase}
}

// quoted returns the schema of a value with the option ",string" of JSON.
func quoted(of *Schema) *Schema {
	text := &Schema{Type: Types{"string"}}
	if slices.Contains(of.Type, "null") {
		return nullable(text)
	}
	return text
}

func canBeNil(t reflect.Type) bool {
	return slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface}, t.Kind())
}

// hasOption reports whether a tag json has one of some options.
func hasOption(tag reflect.StructTag, options ...string) bool {
	_, has, _ := strings.Cut(tag.Get("json"), ",")
	return slices.ContainsFunc(strings.Split(has, ","), func(option string) bool { return slices.Contains(options, option) })
}

// behindPointer reports whether a field stands in an embedded pointer, which may be nil.
func behindPointer(t reflect.Type, path []int) bool {
	for _, i := range path[:len(path)-1] {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// zeroOf returns what encoding/json writes for the zero value of a field, with the options of its tag:
// there is false if that is nothing.
func zeroOf(f *input.Field) (text json.RawMessage, there bool) {
	_, options, _ := strings.Cut(f.Go.Tag.Get("json"), ",")
	alone := reflect.StructOf([]reflect.StructField{{Name: "V", Type: f.Go.Type, Tag: reflect.StructTag(`json:",` + options + `"`)}})
	all, ok := encoded(reflect.Zero(alone))
	if !ok {
		return nil, true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(all, &members) != nil {
		return nil, true
	}
	text, there = members["V"]
	return text, there
}

// encoded returns what encoding/json writes of a value. A method of the application may panic.
func encoded(v reflect.Value) (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	text, err := json.Marshal(v.Interface())
	return text, err == nil
}
