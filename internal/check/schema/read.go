package schema

import (
	"encoding/json"
	"reflect"
	"slices"

	"example.com/flow/internal/serve/wire/input"
)

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// Read returns the schema of the JSON that Bind fills a value of a type from, inside of an input.
// Nothing is required: what a request leaves out stays as it is. Null, which encoding/json takes for
// any type and ignores, is in the schema only where it is a value.
func (s *Set) Read(t reflect.Type) *Schema {
	pointer := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return nullable(s.Read(t.Elem()))
	case t.Kind() == reflect.Interface:
		return &Schema{}
	case pointer.Implements(unmarshaler):
		return s.named(t, true, func() *Schema { return ownRead(t) })
	case input.DecodesItself(t): // from a text only
		return s.named(t, true, func() *Schema { return &Schema{Type: Types{"string"}} })
	}
	return s.named(t, true, func() *Schema { return s.readKind(t) })
}

// readKind returns the schema of a type without methods for JSON.
func (s *Set) readKind(t reflect.Type) *Schema {
	switch t.Kind() {
	case reflect.String:
		if t == numberType { // encoding/json takes both
			return &Schema{Type: Types{"number", "string"}}
		}
	case reflect.Struct:
		return s.readStruct(input.FieldsInside(t).AsDeclared())
	case reflect.Map:
		return &Schema{Type: Types{"object"}, Values: unlessAny(s.Read(t.Elem()))}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !input.DecodesItself(t.Elem()) {
			return &Schema{Type: Types{"string"}, ContentEncoding: "base64"}
		}
		return &Schema{Type: Types{"array"}, Items: unlessAny(s.Read(t.Elem()))}
	case reflect.Array: // items that are too many, or too few, are ignored
		return &Schema{Type: Types{"array"}, Items: unlessAny(s.Read(t.Elem()))}
	}
	return scalar(t)
}

func (s *Set) readStruct(fields []*input.Field) *Schema {
	of := &Schema{Type: Types{"object"}}
	for _, f := range fields {
		if f.IsFile() {
			continue // JSON has none
		}
		value := s.Read(f.Go.Type)
		if f.Quoted != nil {
			value = quoted(value)
		}
		of.Properties = append(of.Properties, property(f, value))
	}
	return of
}

// An Input is what a request gives a handler.
type Input struct {
	Body  *Schema    // as JSON; nil if the handler reads no body
	Form  *Schema    // the same as a form; nil if a form cannot fill all of it
	Files bool       // Form has files, so that it is a multipart form
	Data  Properties // the same in the query of a request without a body
	Query Properties
	Route Properties
}

// Input returns what Bind fills an input from, a struct.
func (s *Set) Input(t reflect.Type) Input {
	plan := input.PlanOf(t)
	data, query, route := plan.Data.AsDeclared(), plan.Query.AsDeclared(), plan.Route.AsDeclared()
	in := Input{Query: s.texts(query), Route: s.texts(route)}
	if len(data) == 0 && len(query)+len(route) > 0 && !plan.Decodes {
		return in
	}
	isPure := len(query)+len(route) == 0
	switch {
	case plan.Decodes || isPure && t.NumField() > 0 && plainNames(t, data):
		in.Body = s.Read(t)
	case t.NumField() > 0:
		in.Body = s.described(t, s.readStruct(data))
	}
	if plan.Decodes {
		return in
	}
	in.Data = s.deepTexts(data, "", nil)
	if flat := s.texts(data); len(flat) == len(data) && len(flat) > 0 {
		in.Form, in.Files = in.Body, plan.TakesFiles
		if in.Files || !sameTexts(in.Body.Resolve(), flat) {
			in.Form = &Schema{Type: Types{"object"}, Properties: flat}
		}
	}
	return in
}

// plainNames reports whether JSON fills the fields of an input by the names that it has inside of others,
// too: a tag form may give them other ones.
func plainNames(t reflect.Type, data []*input.Field) bool {
	inside := input.FieldsInside(t).AsDeclared()
	if len(inside) != len(data) {
		return false
	}
	for i, f := range data {
		if f.Name != inside[i].Name || f.IsFile() {
			return false
		}
	}
	return true
}

// sameTexts reports whether the properties of a body are the same in a form.
func sameTexts(body *Schema, flat Properties) bool {
	if len(body.Properties) != len(flat) {
		return false
	}
	for i, p := range flat {
		if !same(p.Schema, body.Properties[i].Schema, nil) {
			return false
		}
	}
	return true
}

// texts returns the properties of those fields that Bind fills from one text, or from several of one key.
func (s *Set) texts(fields []*input.Field) (ps Properties) {
	for _, f := range fields {
		if of := s.text(f.Go.Type); of != nil {
			ps = append(ps, property(f, of))
		}
	}
	return ps
}

// deepTexts adds the fields of structs inside, whose keys have dots. A list of structs has no number of
// rows, and is left out.
func (s *Set) deepTexts(fields []*input.Field, before string, around []reflect.Type) (ps Properties) {
	for _, f := range fields {
		t := f.Go.Type
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		isInside := t.Kind() == reflect.Struct && !input.DecodesItself(t)
		if of := s.text(f.Go.Type); of != nil && !(isInside && of.Format == "binary") {
			p := property(f, of)
			p.Name = before + f.Name
			ps = append(ps, p)
		} else if isInside && of == nil && !slices.Contains(around, t) {
			for _, p := range s.deepTexts(input.FieldsInside(t).AsDeclared(), before+f.Name+".", append(slices.Clip(around), t)) {
				p.Path = nil // no path leads through pointers
				ps = append(ps, p)
			}
		}
	}
	return ps
}

// text returns the schema of a field in a form, a query or a URL, or nil if no text fills it.
func (s *Set) text(t reflect.Type) *Schema {
	c := input.ConversionOf(t)
	if !c.Converts() && c.Kind != input.File {
		return nil
	}
	for t.Kind() == reflect.Pointer && c.Kind != input.File {
		t = t.Elem()
	}
	if c.List {
		item := t.Elem()
		for item.Kind() == reflect.Pointer && c.Kind != input.File {
			item = item.Elem()
		}
		return s.described(t, &Schema{Type: Types{"array"}, Items: s.oneText(item, c.Kind)})
	}
	return s.oneText(t, c.Kind)
}

func (s *Set) oneText(t reflect.Type, kind input.Kind) *Schema {
	of := &Schema{Type: Types{"string"}}
	switch kind {
	case input.File:
		of.Format = "binary"
	case input.Time: // also without a zone, as inputs of HTML send it
		of.Examples = []any{"2026-01-02", "2026-01-02T15:04:05Z"}
	case input.Bool, input.Integer, input.Natural, input.Number:
		of = scalar(t)
	case input.String:
		if describes(t) && input.ConversionOf(t).Kind == input.String {
			return s.Read(t)
		}
	}
	return s.described(t, of)
}
