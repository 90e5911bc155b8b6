package rules

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/serve/wire/input"
)

// A Book adds the rules of Validate to the schemas of a document. Each type is asked once.
type Book struct {
	messages input.Messages
	examples map[reflect.Type][]reflect.Value
	rules    map[reflect.Type]map[string]Rule
	plain    map[*schema.Component]*schema.Schema // without rules
	sorts    func() []sort                        // the sorts of texts, which are made once
}

// NewBook returns a Book. Examples are pointers to structs that valid requests have filled, by the type
// of the struct.
func NewBook(messages input.Messages, examples map[reflect.Type][]reflect.Value) *Book {
	return &Book{messages, examples, map[reflect.Type]map[string]Rule{}, map[*schema.Component]*schema.Schema{}, sync.OnceValue(textSorts)}
}

// shape returns the schema of a component without rules.
func (b *Book) shape(c *schema.Component) *schema.Schema {
	if s, ok := b.plain[c]; ok {
		return s
	}
	return c.Schema
}

// of returns the rules of a type whose properties are known.
func (b *Book) of(t reflect.Type, ps schema.Properties) map[string]Rule {
	found, ok := b.rules[t]
	if !ok {
		found = b.ask(t, ps)
		b.rules[t] = found
	}
	return found
}

// Input returns the schemas of an input with the rules of its type. Those of a body that is a component
// are left to Components.
func (b *Book) Input(t reflect.Type, in schema.Input) schema.Input {
	var ps schema.Properties
	if in.Body != nil {
		ps = slices.Clip(b.behind(in.Body).Properties)
	}
	if in.Form != nil && in.Files {
		for _, p := range in.Form.Properties {
			if ps.Find(p.Name) == nil {
				ps = append(ps, p)
			}
		}
	}
	found := b.of(t, slices.Concat(ps, in.Query, in.Route))
	with := in
	if in.Body != nil && in.Body.Of == nil {
		with.Body = b.add(in.Body, "", found)
	}
	if in.Form != nil && in.Form.Of == nil {
		with.Form = b.add(in.Form, "", found)
	}
	for _, ps := range []*schema.Properties{&with.Data, &with.Query, &with.Route} {
		*ps = b.add(&schema.Schema{Properties: *ps}, "", found).Properties
	}
	return with
}

// IsRequired reports whether Validate refuses an input that lacks a field.
func (b *Book) IsRequired(t reflect.Type, name string) bool { return b.rules[t][name].Required }

// behind returns the schema without rules that a reference leads to, and any other schema itself.
func (b *Book) behind(s *schema.Schema) *schema.Schema {
	for s.Of != nil {
		s = b.shape(s.Of)
	}
	return s
}

// Components adds rules to the components that schemas lead to and Bind reads.
func (b *Book) Components(schemas ...*schema.Schema) {
	all := schema.Components(schemas...)
	for _, c := range all {
		if c.Read && c.Go.Kind() == reflect.Struct && len(c.Schema.Properties) > 0 {
			b.plain[c] = c.Schema
		}
	}
	for _, c := range all {
		if of := b.plain[c]; of != nil {
			c.Schema = b.add(of, "", b.of(c.Go, of.Properties))
		}
	}
}

// add returns a copy of the schema of a struct with rules. before is the path of the struct, with a dot.
func (b *Book) add(of *schema.Schema, before string, found map[string]Rule) *schema.Schema {
	with := *of
	with.Properties, with.Required = nil, nil
	for _, p := range of.Properties {
		key := before + p.Name
		r := found[key]
		added := *p
		added.Schema = b.inside(p.Schema, key, found)
		limited := *added.Schema
		r.limit(&limited)
		added.Schema = &limited
		if r.Required || slices.Contains(of.Required, p.Name) {
			with.Required = append(with.Required, p.Name)
		}
		with.Properties = append(with.Properties, &added)
	}
	return &with
}

// inside adds rules to what is inside of a field: a struct, or the rows of a list.
func (b *Book) inside(s *schema.Schema, key string, found map[string]Rule) *schema.Schema {
	switch {
	case len(s.AnyOf) == 2:
		with := *s
		with.AnyOf = []*schema.Schema{b.inside(s.AnyOf[0], key, found), s.AnyOf[1]}
		return &with
	case s.Items != nil:
		with := *s
		with.Items = b.inside(s.Items, key+".0", found)
		return &with
	case s.Of == nil:
		return b.add(s, key+".", found)
	}
	below := map[string]Rule{}
	for path, r := range found {
		if rest, ok := strings.CutPrefix(path, key+"."); ok {
			below[rest] = r
		}
	}
	of := b.shape(s.Of)
	if len(below) == 0 || s.Of.Go.Kind() != reflect.Struct {
		return s
	}
	own := b.of(s.Of.Go, of.Properties)
	if !saysMore(below, own) {
		return s
	}
	both := maps.Clone(own)
	for path, r := range below {
		both[path] = r.and(own[path])
	}
	with := *b.add(of, "", both)
	with.Description, with.Deprecated = s.Description, s.Deprecated
	if with.Description == "" {
		with.Description = of.Description
	}
	return &with
}

// saysMore reports whether rules say something that others do not.
func saysMore(rules, others map[string]Rule) bool {
	for path, r := range rules {
		if other := others[path]; !reflect.DeepEqual(r.and(other), other) {
			return true
		}
	}
	return false
}

// and returns a rule with what only another one says.
func (r Rule) and(other Rule) Rule {
	v, of := reflect.ValueOf(&r).Elem(), reflect.ValueOf(other)
	for i := range v.NumField() {
		if f := v.Field(i); f.IsZero() {
			f.Set(of.Field(i))
		}
	}
	return r
}

// limit adds a rule to the schema of its field. A limit of the type itself stays if it is narrower.
func (r Rule) limit(s *schema.Schema) {
	if r.NotNull {
		s.NotNull()
	}
	if r.Default != nil {
		s.Default = r.Default
	}
	to := s
	if len(s.AnyOf) == 2 && s.Of == nil {
		inner := *s.AnyOf[0]
		s.AnyOf = []*schema.Schema{&inner, s.AnyOf[1]}
		to = &inner
	}
	set := func(of **int, n *int) {
		if n != nil && *of == nil {
			*of = n
		}
	}
	set(&to.MinLength, r.MinLength)
	set(&to.MaxLength, r.MaxLength)
	set(&to.MinItems, r.MinItems)
	set(&to.MaxItems, r.MaxItems)
	if r.Minimum != "" {
		to.Minimum = r.Minimum
	}
	if r.Maximum != "" {
		to.Maximum = r.Maximum
	}
}
