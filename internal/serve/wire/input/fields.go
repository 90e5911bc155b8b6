package input

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/flow/internal/fold"
)

// A source is a part of the request from which Bind fills fields. Its text is the name of the
// struct tag, if it has one.
type source string

const (
	fromData  source = "data"  // the body, or the query of a request without a body: tags form and json
	fromQuery source = "query" // the query, also beside a body
	fromRoute source = "param" // the parameters of the route
	fromJSON  source = "json"  // a JSON value inside of the body, by the rules of encoding/json
	asWritten source = "out"   // no source: what encoding/json writes, which knows only the tag json
)

// A plan says how Bind fills and validates a type. It is made once for each type.
type plan struct {
	data, query, route *fields
	checks             *checks // of a struct
	holdsChecks        bool    // of another type: its items may have Validate
	takesFiles         bool    // a field of data is for files
	mayHoldNaN         bool    // of a type that encoding/json fills as a whole: see the function of that name
	custom             bool    // it has UnmarshalJSON or UnmarshalText
	jsonOnly           bool    // a form or a query cannot fill it: it is no struct, or custom and without fields
	err                error   // why Bind cannot fill the type, or nil
	mistakes           []Mistake
	told               atomic.Bool // Bind has returned the mistakes
	required           required
}

var plans sync.Map // reflect.Type to *plan; bounded by the types in the program

// planOf returns the plan of a type. Its fields are nil if the type is no struct.
func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	p := &plan{custom: decodesItself(t), jsonOnly: t.Kind() != reflect.Struct}
	if t.Kind() == reflect.Struct {
		p.data, p.query, p.route = newFields(t, fromData), newFields(t, fromQuery), newFields(t, fromRoute)
		for _, f := range p.data.list {
			f.mayHoldNaN = mayHoldNaN(f.sf.Type, map[reflect.Type]bool{})
		}
		p.takesFiles = slices.ContainsFunc(p.data.list, (*field).isFile)
		p.checks = newChecks(t, fromData, p.data, p.query, p.route)
		p.jsonOnly = p.custom && len(p.data.list)+len(p.query.list)+len(p.route.list) == 0
	} else {
		p.holdsChecks = holdsChecks(t, map[reflect.Type]bool{})
		p.mayHoldNaN = mayHoldNaN(t, map[reflect.Type]bool{})
	}
	if name := misplacedTag(t, p.data, map[reflect.Type]bool{}); name != "" {
		p.err = fmt.Errorf("flow: Bind cannot fill %v: %s has a tag param or query, which is for fields of the struct itself and of those embedded in it, but JSON would fill it by its name: give it the tag json, with a name or with \"-\"", t, name)
	}
	p.mistakes = inspect(t, p)
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

// FormNames returns the names of the form fields from which Bind fills a struct type: of a
// body or, if query is set, of the query of a request without one. It returns nil if the type
// has none, or reads the body by itself.
func FormNames(t reflect.Type, query bool) (names []string) {
	p := planOf(t)
	if p.data == nil || p.custom || len(p.data.list) == 0 && !query {
		return nil
	}
	for _, f := range p.data.list {
		if !query || !f.fromQuery {
			names = append(names, f.name)
		}
	}
	if query {
		for _, f := range p.query.list {
			names = append(names, f.name)
		}
	}
	return names
}

// needsData reports whether Bind needs the body. A struct whose fields all have a tag param or
// query does not, and accepts any body.
func (p *plan) needsData() bool {
	return p.data == nil || len(p.data.list) > 0 || len(p.query.list)+len(p.route.list) == 0
}

// A field is a field that Bind fills, of a struct or of an embedded struct.
//
//	struct {
//		User                        // struct{ Name string }
//		Role string `json:"role"`
//	}
//
//	=> field{index: [0 0], name: "Name"}, field{index: [1], name: "role", tagged: true}
type field struct {
	sf         reflect.StructField
	index      []int // as for reflect.Value.FieldByIndex: sf.Index is that in its own struct
	name       string
	tagged     bool // name is from a tag, so that keys match it exactly, and not in any case
	converts   Conversion
	quoted     reflect.Type // for the JSON option ",string": see quotedType; else nil
	mayHoldNaN bool         // see the function of that name
	fromQuery  bool         // it has a tag query
	fromURL    bool         // it has a tag query or param
	ignored    bool         // it is not filled, but hides other fields
}

// fields are the fields of a type that Bind fills from a source.
type fields struct {
	list   []*field
	named  map[string]int // indexes in list, by name
	folded map[string]int // indexes of fields that match in any case, by fold.Case of the name
	nests  bool           // keys of a form may lead into one of the fields
	parts  int            // the most parts that a name has: "a.b" has two
}

func newFields(t reflect.Type, from source) *fields {
	fs := &fields{named: map[string]int{}, folded: map[string]int{}, parts: 1}
	all := allFields(t, from)
	for i, f := range all {
		hidden := func(other *field) bool { return other.hides(f, from == asWritten) }
		if f.ignored || slices.ContainsFunc(all[:i], hidden) || slices.ContainsFunc(all[i+1:], hidden) {
			continue
		}
		place := len(fs.list)
		f.converts = ConversionOf(f.sf.Type)
		fs.list = append(fs.list, f)
		fs.nests = fs.nests || (from == fromData || from == fromJSON) && nests(f.sf.Type)
		fs.parts = max(fs.parts, 1+strings.Count(f.name, "."))
		fs.named[f.name] = place
		if _, ok := fs.folded[fold.Case(f.name)]; !ok && (!f.tagged || from == fromJSON) {
			fs.folded[fold.Case(f.name)] = place
		}
	}
	return fs
}

// hides reports whether f prevents g from being filled. The rules are those of Go and of
// encoding/json: a field hides deeper fields of the same name. Of two fields at the same
// depth one with a tag hides one without, and otherwise they hide each other. A name without
// a tag hides all its spellings, so that no spelling of a key fills a hidden field. If exact is set,
// it hides only its own, as in what encoding/json writes.
func (f *field) hides(g *field, exact bool) bool {
	if len(f.index) == len(g.index) {
		return f.name == g.name && (f.tagged || !g.tagged)
	}
	sameName := f.name == g.name || !exact && !(f.tagged && g.tagged) && strings.EqualFold(f.name, g.name)
	return sameName && len(f.index) < len(g.index)
}

// allFields returns the fields of a struct and of its embedded structs, the least deep first,
// and hidden ones included.
func allFields(t reflect.Type, from source) []*field {
	type embedded struct {
		t     reflect.Type
		index []int
	}
	var all []*field
	seen := map[reflect.Type]bool{} // types of less depth: they hide their fields further inside, also in recursive types
	for level := []embedded{{t, nil}}; len(level) > 0; {
		var next []embedded
		times := map[reflect.Type]int{}
		for _, e := range level {
			if seen[e.t] || times[e.t] == 2 { // two of the same type hide each other's fields
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
					all = append(all, &field{
						sf:        sf,
						index:     index,
						name:      cmp.Or(name, sf.Name),
						tagged:    name != "",
						quoted:    quotedType(sf),
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

// pointedTo returns the element type of an unnamed pointer type, and other types unchanged.
func pointedTo(t reflect.Type) reflect.Type {
	if t.Name() == "" && t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// A role says what becomes of a field for a source.
type role int

const (
	none   role = iota // it does not count
	filled             // it is filled
	hides              // it is not filled, but hides deeper fields of its name
	embeds             // its fields count as fields of the outer struct
)

// roleOf returns the role of a field, and the name in its tag, if any. A field with a tag param
// or query is not filled from the body by its Go name, but only by a tag form or json, so that
// a client cannot overwrite an id of the route.
func (from source) roleOf(sf reflect.StructField) (role, string) {
	embedded := sf.Anonymous && pointedTo(sf.Type).Kind() == reflect.Struct
	name, out := nameOf(sf.Tag, "json"), sf.Tag.Get("json") == "-"
	if from != fromJSON && from != asWritten {
		if form := nameOf(sf.Tag, "form"); form != "" {
			name = form
		}
		out = sf.Tag.Get("form") == "-" || nameOf(sf.Tag, "form") == "" && out
	}
	placed := isFromURL(sf.Tag) && from != asWritten
	embedded = embedded && name == "" && !placed
	isData := from == fromData || from == fromJSON || from == asWritten
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

// nameOf returns the name in a struct tag, without options. It is "" for "-".
func nameOf(tag reflect.StructTag, key string) string {
	if text := tag.Get(key); text != "-" {
		name, _, _ := strings.Cut(text, ",")
		return name
	}
	return ""
}

// isFromURL reports whether a field has a tag param or query.
func isFromURL(tag reflect.StructTag) bool {
	return nameOf(tag, "param") != "" || nameOf(tag, "query") != ""
}

// misplacedTag looks for a field inside of t that has only a tag param or query. encoding/json
// does not know these tags, and would fill the field by its name. It returns type and name of
// the field, or "". fs has the fields of t itself, if t is a struct: there the tags are right.
func misplacedTag(t reflect.Type, fs *fields, seen map[reflect.Type]bool) string {
	if seen[t] || decodesItself(t) {
		return ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return misplacedTag(t.Elem(), nil, seen)
	case reflect.Struct:
		if fs == nil {
			for _, f := range allFields(t, fromJSON) {
				if f.ignored && f.sf.IsExported() {
					return t.String() + "." + f.sf.Name
				}
			}
			fs = newFields(t, fromJSON)
		}
		for _, f := range fs.list {
			if name := misplacedTag(f.sf.Type, nil, seen); name != "" {
				return name
			}
		}
	}
	return ""
}

// jsonDecoders are the interfaces of types that decode themselves from JSON.
var jsonDecoders = []reflect.Type{reflect.TypeFor[json.Unmarshaler]()}

// decodesJSON reports whether a type of pointers decodes itself from JSON.
func decodesJSON(p reflect.Type) bool { return slices.ContainsFunc(jsonDecoders, p.Implements) }

// quotedType returns struct{ V T } with the JSON option ",string" for a field of type T that
// has this option, if encoding/json supports it for T. It returns nil for other fields.
func quotedType(sf reflect.StructField) reflect.Type {
	_, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
	k := pointedTo(sf.Type).Kind()
	if k > reflect.Float64 && k != reflect.String || !slices.Contains(strings.Split(options, ","), "string") {
		return nil
	}
	return reflect.StructOf([]reflect.StructField{{Name: "V", Type: sf.Type, Tag: `json:",string"`}})
}

// find returns the index in list of the field that a key names.
func (fs *fields) find(key string) (place int, ok bool) {
	if place, ok = fs.named[key]; !ok && len(fs.folded) > 0 {
		place, ok = fs.folded[fold.Case(key)]
	}
	return place, ok
}

// A choice is the value that counts for a field. If a key comes in several spellings, that is
// the exact name, else the first in byte order. If JSON repeats a key, it is the last.
type choice[V any] struct {
	key   string // "" if there is no value
	value V
}

func (c *choice[V]) offer(name, key string, value V) {
	if key == name || c.key != name && (c.key == "" || key <= c.key) {
		c.key, c.value = key, value
	}
}
