// Package rules finds out what Validate of a type refuses, by asking it: which fields are required,
// how long a text may be, how large a number. It says only what is true of all that it has asked: what
// it says is refused, Bind refuses.
//
// Validate can be any code, so a single answer means little. "An e-mail address or a phone number"
// refuses a struct without an address, and does not require one. "To is not before From" seems to be a
// limit. So each field is asked about in several bases: a new struct, one in which all fields have a
// value that Validate takes, some with random values, and the example requests. Where one base
// contradicts, nothing is said.
package rules

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/serve/wire/input"
)

// A Rule is what Validate says of one field.
type Rule struct {
	Required bool // Validate refuses what lacks it
	NotNull  bool // Validate refuses null
	// Limits of a text, a list or a number.
	MinLength, MaxLength *int
	MinItems, MaxItems   *int
	Minimum, Maximum     json.Number
	Default              json.RawMessage // that Default sets, if it is not the zero value
}

func (r Rule) isEmpty() bool { return reflect.DeepEqual(r, Rule{}) }

// ask returns the rules of a struct type by the paths of its fields: "items.0.name" is that of each row.
// of has the properties of all that a request fills.
func (b *Book) ask(t reflect.Type, of schema.Properties) map[string]Rule {
	found := map[string]Rule{}
	a := &asking{t: t, messages: b.messages, byKey: map[string]*spot{}, sorts: b.sorts}
	a.walk(of, nil, "", []reflect.Type{t})
	for key, text := range a.defaults(time.Now) {
		found[key] = Rule{Default: text}
	}
	if itself, inside := input.PlanOf(t).Validates(); !itself && !inside {
		return found
	}
	a.makeBases(b.examples[t])
	for _, s := range a.spots {
		r := found[s.key]
		r.Required = a.isRequired(s)
		r.NotNull = a.refusesNull(s)
		switch kind := s.kind(); {
		case kind == "string":
			r.MinLength, r.MaxLength = a.lengths(s)
		case kind == "array":
			r.MinItems, r.MaxItems = a.items(s)
		case kind == "integer" || kind == "number":
			r.Minimum, r.Maximum = a.numbers(s)
		}
		if !r.isEmpty() {
			found[s.key] = r
		}
	}
	return found
}

// A spot is a field of the struct, or of one inside of it.
type spot struct {
	key    string
	steps  []step // from the outermost struct
	schema *schema.Schema
	t      reflect.Type
	more   bool // fields are inside of it
}

// A step leads to a field or, if path is nil, to the first row of a list.
type step struct{ path []int }

// kind returns the kind of JSON that limits are about, or "".
func (s *spot) kind() string {
	of := inner(s.schema)
	kinds := slices.DeleteFunc(slices.Clone(of.Type), func(kind string) bool { return kind == "null" })
	if len(kinds) != 1 || of.Format == "date-time" || of.Format == "binary" || of.ContentEncoding != "" || len(of.Enum) > 0 || isQuoted(s) || isTime(s.t) {
		return ""
	}
	return kinds[0]
}

// isQuoted reports whether the text of a field is a number or a boolean of Go.
func isQuoted(s *spot) bool {
	k := behind(s.t).Kind()
	return slices.Contains(s.schema.Type, "string") && k >= reflect.Bool && k <= reflect.Float64 && !input.DecodesItself(behind(s.t))
}

func isTime(t reflect.Type) bool { return behind(t).PkgPath() == "time" && behind(t).Name() == "Time" }

// behind returns the type that pointers lead to.
func behind(t reflect.Type) reflect.Type {
	for range 8 {
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	return t
}

// walk finds the spots. around are the types of the structs around them: inside of a struct in one of its
// own type there are none.
func (a *asking) walk(of schema.Properties, steps []step, before string, around []reflect.Type) {
	for _, p := range of {
		if p.Path == nil || len(a.spots) >= maxSpots {
			continue
		}
		s := &spot{key: before + p.Name, schema: p.Schema, t: p.Type, steps: append(slices.Clip(steps), step{p.Path})}
		a.add(s)
		a.inside(s, around)
	}
}

// maxSpots is how many fields a type is asked about. Types that lead to each other would have many.
const maxSpots = 256

func (a *asking) add(s *spot) {
	a.spots = append(a.spots, s)
	a.byKey[strings.ToLower(s.key)] = s
}

// inside finds the spots inside of one.
func (a *asking) inside(s *spot, around []reflect.Type) {
	of := inner(s.schema)
	switch t := behind(s.t); {
	case t.Kind() == reflect.Struct && len(of.Properties) > 0 && !slices.Contains(around, t):
		s.more = true
		a.walk(of.Properties, s.steps, s.key+".", append(slices.Clip(around), t))
	case t.Kind() == reflect.Slice && of.Items != nil && behind(t.Elem()).Kind() == reflect.Struct && !input.DecodesItself(behind(t.Elem())):
		s.more = true
		row := &spot{key: s.key + ".0", schema: of.Items, t: t.Elem(), steps: append(slices.Clip(s.steps), step{})}
		a.inside(row, around)
	}
}

// inner returns the schema behind references and pointers.
func inner(s *schema.Schema) *schema.Schema {
	s = s.Resolve()
	if len(s.AnyOf) == 2 {
		return s.AnyOf[0].Resolve()
	}
	return s
}

// reach returns the value at a spot. ok is false if a pointer on the way is nil, or a list has no row.
func (s *spot) reach(dst reflect.Value) (v reflect.Value, ok bool) {
	v = dst.Elem()
	for _, step := range s.steps {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		if step.path == nil {
			if v.Len() == 0 {
				return v, false
			}
			v = v.Index(0)
			continue
		}
		for i, n := range step.path {
			if i > 0 && v.Kind() == reflect.Pointer {
				if v.IsNil() {
					return v, false
				}
				v = v.Elem()
			}
			v = v.Field(n)
		}
	}
	return v, v.CanSet()
}
