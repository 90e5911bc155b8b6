package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Set makes schemas that refer to each other.
type Set struct {
	components map[direction]*Component
	faults     []string              // of methods JSONSchema
	asked      map[reflect.Type]bool // by Faults
}

// A direction is a type as it is read or written.
type direction struct {
	t    reflect.Type
	read bool
}

// Faults returns what is wrong with the methods JSONSchema of a type and of those that it leads to. It
// looks at each type once: what was said of one is not said again for another that leads to it.
func (s *Set) Faults(t reflect.Type) []string {
	before := len(s.faults)
	s.ask(t)
	return s.faults[before:]
}

// ask makes the schemas of those types with JSONSchema that a type leads to.
func (s *Set) ask(t reflect.Type) {
	if s.asked[t] {
		return
	}
	if s.asked == nil {
		s.asked = map[reflect.Type]bool{}
	}
	s.asked[t] = true
	if describes(t) {
		s.Read(t)
		s.Written(t)
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		s.ask(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if f.IsExported() || f.Anonymous {
				s.ask(f.Type)
			}
		}
	}
}

// fault notes what is wrong with a JSONSchema, which is asked for what is read and for what is written.
func (s *Set) fault(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.faults, text) {
		s.faults = append(s.faults, text)
	}
}

// A Describer is a type that adds words of JSON Schema to what flow says of it. They are those of
// package encoding/json: map[string]any, []any, string, float64, bool and nil, and all that becomes
// one of these as JSON.
type Describer interface{ JSONSchema(schema map[string]any) }

var describer = reflect.TypeFor[Describer]()

// describes reports whether a type has JSONSchema.
func describes(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(describer)
}

// component returns a reference to the schema of a type with a name, which make makes at first.
func (s *Set) component(t reflect.Type, read bool, make func() *Schema) *Schema {
	if s.components == nil {
		s.components = map[direction]*Component{}
	}
	key := direction{t, read}
	c, ok := s.components[key]
	if !ok {
		c = &Component{Go: t, Read: read, Schema: &Schema{}}
		s.components[key] = c
		*c.Schema = *s.described(t, make())
	}
	return &Schema{Of: c}
}

// described returns what JSONSchema of a type makes of its schema.
func (s *Set) described(t reflect.Type, of *Schema) (with *Schema) {
	if !describes(t) {
		return of
	}
	with = of
	defer func() {
		if p := recover(); p != nil {
			s.fault("JSONSchema of %v panics: %v", t, p)
		}
	}()
	references := map[string]*Component{}
	for _, c := range components(of, nil) {
		c.Name = fmt.Sprintf("%s%d", nameOf(c.Go), len(references)) // until it gets the one of the document
		references[refTo+c.Name] = c
	}
	words, err := plain(of)
	if err == nil {
		reflect.New(t).Interface().(Describer).JSONSchema(words)
		var text []byte
		if text, err = json.Marshal(words); err == nil {
			made := &Schema{}
			if err = json.Unmarshal(text, made); err == nil {
				made.keep(of, references)
				with = made
			}
		}
	}
	if err != nil {
		s.fault("JSONSchema of %v makes no JSON Schema: %v", t, err)
	}
	return with
}

// plain returns a schema in the types that encoding/json makes of JSON.
func plain(s *Schema) (words map[string]any, err error) {
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &words)
	}
	return words, err
}

// keep puts back what JSON does not have: references, fields, and the order of the fields. of is what
// the schema was made of; it may be nil.
func (s *Schema) keep(of *Schema, references map[string]*Component) {
	if c := references[s.Ref]; c != nil {
		s.Of, s.Ref = c, ""
	}
	if of == nil {
		of = &Schema{}
	}
	for _, p := range s.Properties {
		if before := of.Properties.Find(p.Name); before != nil {
			p.Type, p.Path, p.AnyCase = before.Type, before.Path, before.AnyCase
			p.Schema.keep(before.Schema, references)
		}
	}
	slices.SortStableFunc(s.Properties, func(a, b *Property) int { return slices.Compare(a.Path, b.Path) })
	if s.Items != nil {
		s.Items.keep(of.Items, references)
	}
	if s.Values != nil {
		s.Values.keep(of.Values, references)
	}
	for _, part := range s.Parts() {
		part.keep(nil, references) // of what was added; the others have their references by now
	}
}

// components adds the components that a schema refers to, each once, but not those that these refer to.
func components(s *Schema, found []*Component) []*Component {
	if s.Of != nil && !slices.Contains(found, s.Of) {
		found = append(found, s.Of)
	}
	for _, part := range s.Parts() {
		found = components(part, found)
	}
	return found
}

// Components returns all components that some schemas lead to.
func Components(schemas ...*Schema) (all []*Component) {
	for _, s := range schemas {
		all = components(s, all)
	}
	for i := 0; i < len(all); i++ {
		all = components(all[i].Schema, all)
	}
	return all
}

// Name gives names to all components that some schemas lead to, and returns them in the order of the
// names. A type is called as in Go, and with its package in front if two of them are called so. What is
// read of it has a schema of its own, with "Input" behind the name, if it differs from what is written.
func Name(schemas ...*Schema) []*Component {
	all := Components(schemas...)
	types := map[string]map[reflect.Type]bool{}
	for _, c := range all {
		name := nameOf(c.Go)
		if types[name] == nil {
			types[name] = map[reflect.Type]bool{}
		}
		types[name][c.Go] = true
	}
	for _, c := range all {
		if c.Name = nameOf(c.Go); len(types[c.Name]) > 1 {
			c.Name = packageOf(c.Go) + "." + c.Name
		}
	}
	number(all)
	differ, taken := differing(all), map[string]bool{}
	for _, c := range all {
		taken[c.Name] = true
	}
	var named []*Component
	for _, c := range all {
		switch {
		case c.Read && differ[c.Go]:
			for c.Name += "Input"; taken[c.Name]; c.Name += "_" { // a type may be called so
			}
			taken[c.Name] = true
		case c.Read && slices.ContainsFunc(all, func(other *Component) bool { return other.Go == c.Go && !other.Read }):
			continue // the other one stands for it
		}
		named = append(named, c)
	}
	slices.SortFunc(named, func(a, b *Component) int { return strings.Compare(a.Name, b.Name) })
	return named
}

// number tells types apart that have the same name in packages of the same name.
func number(all []*Component) {
	byPath := slices.SortedFunc(slices.Values(all), func(a, b *Component) int { return strings.Compare(pathOf(a.Go), pathOf(b.Go)) })
	types := map[string][]reflect.Type{}
	for _, c := range byPath {
		if !slices.Contains(types[c.Name], c.Go) {
			types[c.Name] = append(types[c.Name], c.Go)
		}
	}
	for _, c := range all {
		if i := slices.Index(types[c.Name], c.Go); i > 0 {
			c.Name = fmt.Sprintf("%s_%d", c.Name, i+1)
		}
	}
}

func pathOf(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// differing returns the types of which something else is read than written. Two references to the
// same type are the same until its schemas are found to differ, so it looks again and again.
func differing(all []*Component) map[reflect.Type]bool {
	written := map[reflect.Type]*Component{}
	for _, c := range all {
		if !c.Read {
			written[c.Go] = c
		}
	}
	differ := map[reflect.Type]bool{}
	for found := true; found; {
		found = false
		for _, c := range all {
			other := written[c.Go]
			if c.Read && other != nil && !differ[c.Go] && !same(c.Schema, other.Schema, differ) {
				differ[c.Go], found = true, true
			}
		}
	}
	return differ
}

// same reports whether two schemas say the same, if the types that do not differ do.
func same(a, b *Schema, differ map[reflect.Type]bool) bool {
	x, y := shallow(a), shallow(b)
	if (a.Of == nil) != (b.Of == nil) || a.Of != nil && (a.Of.Go != b.Of.Go || a.Of != b.Of && differ[a.Of.Go]) || x != y {
		return false
	}
	return slices.EqualFunc(a.Parts(), b.Parts(), func(a, b *Schema) bool { return same(a, b, differ) })
}

// shallow returns the words of a schema as text, with nothing in place of the schemas inside.
func shallow(s *Schema) string {
	c := *s
	c.Of, c.Values, c.Items, c.Not, c.AnyOf, c.OneOf, c.AllOf = nil, nil, nil, nil, nil, nil, nil
	c.Properties = nil
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	text, _ := json.Marshal(&c) // what it cannot write, the document cannot either
	return fmt.Sprintf("%s %q %v %v %d %d %d", text, names, s.Values != nil, s.Items != nil, len(s.AnyOf), len(s.OneOf), len(s.AllOf))
}
