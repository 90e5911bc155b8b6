package input

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/fold"
)

// A source is where the value of a field comes from.
type source string

const (
	fromData  source = "data"  // the body, or the query of a request without one
	fromQuery source = "query" // also beside a body; the name of the tag
	fromRoute source = "param" // its parameters; the name of the tag
	fromJSON  source = "json"  // what is nested in the data, as encoding/json has it
)

// A plan is what Bind fills of a struct type, by sources.
type plan struct {
	data, query, route *fields
	checks             *checks // of a struct
	holdsChecks        bool    // or else, whether there are any inside
	custom             bool    // it has UnmarshalJSON or UnmarshalText
	jsonOnly           bool    // neither a form nor a query can fill it: it is no struct, or custom and without fields
	err                error   // Bind refuses the type
}

var plans sync.Map // of reflect.Type to *plan: as many as the program binds to

// planOf returns the plan of any type. That of a type that is no struct has no fields.
func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	p := &plan{custom: fillsItself(t), jsonOnly: t.Kind() != reflect.Struct}
	if t.Kind() == reflect.Struct {
		p.data, p.query, p.route = newFields(t, fromData), newFields(t, fromQuery), newFields(t, fromRoute)
		p.checks = newChecks(t, fromData, p.data, p.query, p.route)
		p.jsonOnly = p.custom && len(p.data.list)+len(p.query.list)+len(p.route.list) == 0
	} else {
		p.holdsChecks = holdsChecks(t, map[reflect.Type]bool{})
	}
	if name := misplacedTag(t, p.data); name != "" {
		p.err = fmt.Errorf("flow: Bind cannot fill a %v: %s has a tag param or query, which is for fields of the struct itself and of those embedded in it, but JSON would fill it by its name: give it the tag json, with a name or with \"-\"", t, name)
	}
	known, _ := plans.LoadOrStore(t, p)
	return known.(*plan)
}

// CheckType returns an error for a struct type that Bind refuses.
func CheckType(t reflect.Type) error { return planOf(t).err }

// ParamNames returns the names of the route parameters that a struct type has tags for.
func ParamNames(t reflect.Type) (names []string) {
	for _, f := range planOf(t).route.list {
		names = append(names, f.name)
	}
	return names
}

// needsData reports whether the data counts, whatever is wrong with it: not for a struct
// that is filled from elsewhere only.
func (p *plan) needsData() bool {
	return p.data == nil || len(p.data.list) > 0 || len(p.query.list)+len(p.route.list) == 0
}

// A field is one that Bind fills, of a struct or of one that is embedded in it.
//
//	struct {
//		User                        // struct{ Name string }
//		Role string `json:"role"`
//	}
//
//	=> field{index: [0 0], name: "Name"}, field{index: [1], name: "role", tagged: true}
type field struct {
	index     []int // as for reflect.Value.FieldByIndex
	name      string
	tagged    bool         // name is a tag, which keys match to the letter
	quoted    reflect.Type // a struct that has this field alone, if a value of JSON stands in quotes; or nil
	fromQuery bool         // a tag says its name in the query
	fromURL   bool         // a tag says its name in the query or the route
	ignored   bool         // it is not filled, and still hides others
}

// fields are what Bind fills of a type from a source.
type fields struct {
	list   []field
	named  map[string]int // places in the list
	folded map[string]int // places of fields without a tag, by fold.Case of their names
}

func newFields(t reflect.Type, from source) *fields {
	fs := &fields{named: map[string]int{}, folded: map[string]int{}}
	all := allFields(t, from)
	for i := range all {
		f := &all[i]
		hidden := func(other field) bool { return other.hides(f) }
		if f.ignored || slices.ContainsFunc(all[:i], hidden) || slices.ContainsFunc(all[i+1:], hidden) {
			continue
		}
		place := len(fs.list)
		fs.list = append(fs.list, *f)
		fs.named[f.name] = place
		if _, ok := fs.folded[fold.Case(f.name)]; !ok && (!f.tagged || from == fromJSON) {
			fs.folded[fold.Case(f.name)] = place
		}
	}
	return fs
}

// hides reports whether f keeps g from being filled. These are Go's rules, and those
// of encoding/json: the field nearer to the outside hides those of its name deeper
// inside; of two at the same depth a tag hides what has none, and otherwise each hides
// the other. A name without a tag stands for all its spellings, so that no spelling of a
// key reaches a field that is hidden.
func (f *field) hides(g *field) bool {
	if len(f.index) == len(g.index) {
		return f.name == g.name && (f.tagged || !g.tagged)
	}
	sameName := f.name == g.name || !(f.tagged && g.tagged) && strings.EqualFold(f.name, g.name)
	return sameName && len(f.index) < len(g.index)
}

// allFields returns the fields of a struct and of those embedded in it, hidden ones
// included, and what is nearer to the outside first.
func allFields(t reflect.Type, from source) []field {
	type embedded struct {
		t     reflect.Type
		index []int
	}
	var all []field
	seen := map[reflect.Type]bool{} // types nearer to the outside: deeper ones are hidden, or contain themselves
	for level := []embedded{{t, nil}}; len(level) > 0; {
		var next []embedded
		times := map[reflect.Type]int{}
		for _, e := range level {
			if seen[e.t] || times[e.t] == 2 { // two are enough to hide each other
				continue
			}
			times[e.t]++
			for i := range e.t.NumField() {
				sf := e.t.Field(i)
				role, name := from.roleOf(sf)
				index := append(slices.Clip(e.index), i)
				switch role {
				case embeds:
					next = append(next, embedded{pointedTo(sf.Type), index})
				case filled, hides:
					all = append(all, field{
						index:     index,
						name:      cmp.Or(name, sf.Name),
						tagged:    name != "",
						quoted:    aloneIfQuoted(sf),
						fromQuery: nameOf(sf.Tag, "query") != "",
						fromURL:   isFromURL(sf.Tag),
						ignored:   role == hides || !sf.IsExported(),
					})
				}
			}
		}
		for t := range times {
			seen[t] = true
		}
		level = next
	}
	return all
}

// pointedTo returns the type that an unnamed pointer points to, and others as they are.
func pointedTo(t reflect.Type) reflect.Type {
	if t.Name() == "" && t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// A role is what a field is for a source.
type role int

const (
	none   role = iota
	filled      // from the source
	hides       // not filled, but hides what has its name and is deeper inside
	embeds      // a struct whose fields count as those of the struct around it
)

// roleOf returns the role of a field, and the name that its tags give it, if any. A field
// that a tag says to be from the route or the query is filled from the data only if
// another tag names it there: what a client sends must not get into it by its name.
func (from source) roleOf(sf reflect.StructField) (role, string) {
	embedded := sf.Anonymous && pointedTo(sf.Type).Kind() == reflect.Struct
	name, out := nameOf(sf.Tag, "json"), sf.Tag.Get("json") == "-"
	if from != fromJSON {
		if form := nameOf(sf.Tag, "form"); form != "" {
			name = form
		}
		out = sf.Tag.Get("form") == "-" || nameOf(sf.Tag, "form") == "" && out
	}
	placed := isFromURL(sf.Tag)
	embedded = embedded && name == "" && !placed
	isData := from == fromData || from == fromJSON
	switch {
	case !sf.IsExported() && (!sf.Anonymous || pointedTo(sf.Type).Kind() != reflect.Struct):
		return none, ""
	case isData && out:
		return none, ""
	case embedded:
		return embeds, ""
	case isData && name == "" && placed:
		return hides, ""
	case isData:
		return filled, name
	}
	if name = nameOf(sf.Tag, string(from)); name == "" {
		return none, ""
	}
	return filled, name
}

// nameOf returns the name that a tag gives a field, or "".
func nameOf(tag reflect.StructTag, key string) string {
	if text := tag.Get(key); text != "-" {
		name, _, _ := strings.Cut(text, ",")
		return name
	}
	return ""
}

// isFromURL reports whether a tag says that a field is from the route or the query.
func isFromURL(tag reflect.StructTag) bool {
	return nameOf(tag, "param") != "" || nameOf(tag, "query") != ""
}

// misplacedTag returns a field that JSON would fill by its name though its only tag says that
// it is from the route or the query, by its type and name: encoding/json does not know
// these tags. It looks at what is inside of t, and data has the fields of t itself, if
// it is a struct.
func misplacedTag(t reflect.Type, data *fields) string {
	seen := map[reflect.Type]bool{}
	var inside func(t reflect.Type, fs *fields) string
	inside = func(t reflect.Type, fs *fields) string {
		if seen[t] || fillsItself(t) {
			return ""
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			return inside(t.Elem(), nil)
		case reflect.Struct:
			if fs == nil {
				for _, f := range allFields(t, fromJSON) {
					if sf := t.FieldByIndex(f.index); f.ignored && sf.IsExported() {
						return t.String() + "." + sf.Name
					}
				}
				fs = newFields(t, fromJSON)
			}
			for _, f := range fs.list {
				if name := inside(t.FieldByIndex(f.index).Type, nil); name != "" {
					return name
				}
			}
		}
		return ""
	}
	return inside(t, data)
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// aloneIfQuoted returns the type of a struct that has the field alone, under the name V,
// if its tag has the option ",string" and encoding/json heeds that. It is nil for others.
func aloneIfQuoted(sf reflect.StructField) reflect.Type {
	_, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
	k := pointedTo(sf.Type).Kind()
	if k > reflect.Float64 && k != reflect.String || !slices.Contains(strings.Split(options, ","), "string") {
		return nil
	}
	return reflect.StructOf([]reflect.StructField{{Name: "V", Type: sf.Type, Tag: `json:",string"`}})
}

// find returns the place in the list of the field that a key stands for.
func (fs *fields) find(key string) (place int, ok bool) {
	if place, ok = fs.named[key]; !ok && len(fs.folded) > 0 {
		place, ok = fs.folded[fold.Case(key)]
	}
	return place, ok
}

// A choice is what the data has for a field: of several spellings of its name the one that
// is exactly the name, else the first in byte order; of a key that is repeated, the last.
type choice[V any] struct {
	key   string // "" if there is nothing
	value V
}

func (c *choice[V]) offer(f *field, key string, value V) {
	if key == f.name || c.key != f.name && (c.key == "" || key <= c.key) {
		c.key, c.value = key, value
	}
}

// of returns the field in v. Embedded pointers on the way get copies of what they point to,
// or new structs if they are nil.
func (f *field) of(v reflect.Value, copies *copies) (reflect.Value, error) {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return v, fmt.Errorf("flow: Bind cannot fill %q: it is in an embedded %v, which is nil and cannot be set from outside its package: embed the struct itself, or set the pointer before", f.name, v.Type())
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			copies.replace(v)
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, nil
}
