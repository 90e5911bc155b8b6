// Package schema says which JSON a Go type is, in the words of JSON Schema 2020-12: what
// encoding/json writes of it, and what Bind reads. A [Set] makes the schemas of one document, with
// a [Component] for each type that has a name. What no type says, such as limits, is not in them:
// see package rules.
package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// A Schema is what is said of a value. The zero Schema says nothing: any value fits.
type Schema struct {
	Of  *Component `json:"-"` // this is a reference to it; what stands beside it counts, too
	Ref string     `json:"$ref,omitempty"`

	Type            Types           `json:"type,omitempty"`
	Format          string          `json:"format,omitempty"`
	ContentEncoding string          `json:"contentEncoding,omitempty"`
	Description     string          `json:"description,omitempty"`
	Deprecated      bool            `json:"deprecated,omitempty"`
	Enum            []any           `json:"enum,omitempty"`
	Pattern         string          `json:"pattern,omitempty"`
	MinLength       *int            `json:"minLength,omitempty"`
	MaxLength       *int            `json:"maxLength,omitempty"`
	Minimum         json.Number     `json:"minimum,omitempty"`
	Maximum         json.Number     `json:"maximum,omitempty"`
	Properties      Properties      `json:"properties,omitempty"`
	Required        []string        `json:"required,omitempty"`
	Values          *Schema         `json:"additionalProperties,omitempty"`
	Items           *Schema         `json:"items,omitempty"`
	MinItems        *int            `json:"minItems,omitempty"`
	MaxItems        *int            `json:"maxItems,omitempty"`
	AnyOf           []*Schema       `json:"anyOf,omitempty"`
	OneOf           []*Schema       `json:"oneOf,omitempty"`
	AllOf           []*Schema       `json:"allOf,omitempty"`
	Not             *Schema         `json:"not,omitempty"`
	Default         json.RawMessage `json:"default,omitempty"`
	Examples        []any           `json:"examples,omitempty"`

	More map[string]any `json:"-"` // the other words that JSONSchema of the type has set
}

// A Component is the schema of a type that has a name.
type Component struct {
	Go     reflect.Type
	Read   bool   // it is what Bind reads, and not what encoding/json writes
	Name   string // in the document: see Set.Components
	Schema *Schema
}

// Types are the kinds of JSON that a value may have: "null", "boolean", "integer", "number",
// "string", "array", "object". Without any, it may have each.
type Types []string

// MarshalJSON writes one kind without a list, as people do.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// UnmarshalJSON reads one kind or a list.
func (t *Types) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*t = Types{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// Properties are those of an object, in the order of the fields.
type Properties []*Property

// A Property is a key of an object, with the field that has its value.
type Property struct {
	Name    string
	Schema  *Schema
	Type    reflect.Type // of the field; nil if only JSONSchema knows the property
	Path    []int        // of the field: see input.Field
	AnyCase bool         // a key in another case fills the field, too
}

// Find returns the property of a name, or nil.
func (ps Properties) Find(name string) *Property {
	for _, p := range ps {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// MarshalJSON writes an object in the order of the properties.
func (ps Properties) MarshalJSON() ([]byte, error) {
	return MarshalObject(len(ps), func(i int) (string, any) { return ps[i].Name, ps[i].Schema })
}

// MarshalObject returns an object with n members in their order, as JSON.
func MarshalObject(n int, member func(i int) (key string, value any)) ([]byte, error) {
	text := []byte{'{'}
	for i := range n {
		if i > 0 {
			text = append(text, ',')
		}
		k, v := member(i)
		key, err := json.Marshal(k)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, key...), ':'), value...)
	}
	return append(text, '}'), nil
}

// UnmarshalJSON reads an object, sorted by name.
func (ps *Properties) UnmarshalJSON(text []byte) error {
	var byName map[string]*Schema
	if err := json.Unmarshal(text, &byName); err != nil {
		return err
	}
	*ps = nil
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		*ps = append(*ps, &Property{Name: name, Schema: byName[name]})
	}
	return nil
}

// words is a Schema as encoding/json treats it without methods.
type words Schema

// MarshalJSON writes the words that are set, always in the same order.
func (s *Schema) MarshalJSON() ([]byte, error) {
	w := words(*s)
	if s.Of != nil {
		w.Ref = refTo + s.Of.Name
	}
	known, err := json.Marshal(w)
	if err != nil || len(s.More) == 0 {
		return known, err
	}
	more, err := json.Marshal(s.More)
	if err != nil || len(known) == len("{}") {
		return more, err
	}
	return slices.Concat(known[:len(known)-1], []byte{','}, more[1:]), nil
}

// UnmarshalJSON reads a schema that JSONSchema of a type has made. A word with a value of another
// type than it has in JSON Schema is an error.
func (s *Schema) UnmarshalJSON(text []byte) error {
	switch string(bytes.TrimSpace(text)) {
	case "true":
		return nil
	case "false":
		s.Not = &Schema{}
		return nil
	}
	if err := json.Unmarshal(text, (*words)(s)); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &s.More); err != nil {
		return err
	}
	for word := range reflect.TypeFor[words]().Fields() {
		delete(s.More, keyOf(word))
	}
	return nil
}

// keyOf returns the word of JSON Schema that a field is for.
func keyOf(f reflect.StructField) string {
	key, _, _ := bytes.Cut([]byte(f.Tag.Get("json")), []byte(","))
	return string(key)
}

// refTo is where a document has its components.
const refTo = "#/components/schemas/"

// Parts returns the schemas inside of a schema, but not what a reference leads to.
func (s *Schema) Parts() (parts []*Schema) {
	for _, p := range s.Properties {
		parts = append(parts, p.Schema)
	}
	parts = append(parts, s.Values, s.Items, s.Not)
	parts = slices.Concat(parts, s.AnyOf, s.OneOf, s.AllOf)
	return slices.DeleteFunc(parts, func(part *Schema) bool { return part == nil })
}

// IsAny reports whether nothing is said of a value.
func (s *Schema) IsAny() bool {
	return s.Of == nil && len(s.Type) == 0 && reflect.DeepEqual(*s, Schema{}) // the first two decide for nearly all
}

// Allows reports whether a value may be of a kind, as far as Type says.
func (t Types) Allows(kind string) bool {
	return len(t) == 0 || slices.Contains(t, kind) || kind == "integer" && slices.Contains(t, "number")
}

// Resolve returns the schema that a reference leads to, and any other schema itself.
func (s *Schema) Resolve() *Schema {
	for s.Of != nil {
		s = s.Of.Schema
	}
	return s
}
