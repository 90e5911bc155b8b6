package input

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/fold"
)

// A Source is where the values of fields come from. Its text is the name of the struct tag, if it has
// one.
type Source string

const (
	FromData  Source = "data"  // the body, or the query of a request without a body: tags form and json
	FromQuery Source = "query" // the query, also beside a body
	FromRoute Source = "param" // the parameters of the route
	FromJSON  Source = "json"  // a JSON value inside of the body, by the rules of encoding/json
	AsWritten Source = "out"   // no source: what encoding/json writes, which knows only the tag json
)

// A Field is a field of a struct or of an embedded struct, with the key that it has in a source.
//
//	struct {
//		User                        // struct{ Name string }
//		Role string `json:"role"`
//	}
//
//	=> Field{Path: [0 0], Name: "Name"}, Field{Path: [1], Name: "role", Tagged: true}
type Field struct {
	Go       reflect.StructField // as it is declared
	Path     []int               // as for reflect.Value.FieldByIndex: Go.Index is the index in its own struct
	Name     string              // the key
	Tagged   bool                // Name is from a tag, so that keys match it exactly, and not in any case
	AnyCase  bool                // a key in another case fills the field, too
	Converts Conversion
	Quoted   reflect.Type // for the JSON option ",string": see quotedType; else nil
	FromURL  bool         // it has a tag query or param

	fromQuery  bool // it has a tag query
	mayHoldNaN bool // see the function of that name
	ignored    bool // it is not filled, but hides other fields
}

// Fields are the fields of a struct type for a source.
type Fields struct {
	List   []*Field // the least deep first
	Hidden []*Field // those that are not filled: others hide them, they hide each other, or the source is not theirs

	named  map[string]int // indexes in List, by name
	folded map[string]int // indexes of fields with AnyCase, by fold.Case of the name
	nests  bool           // keys of a form may lead into one of the fields
	parts  int            // the most parts that a name has: "a.b" has two
}

// FieldsOf returns the fields of a struct type for a source.
func FieldsOf(t reflect.Type, from Source) *Fields {
	fs := &Fields{named: map[string]int{}, folded: map[string]int{}, parts: 1}
	all := allFields(t, from)
	for i, f := range all {
		hidden := func(other *Field) bool { return other.hides(f, from == AsWritten) }
		if f.ignored || slices.ContainsFunc(all[:i], hidden) || slices.ContainsFunc(all[i+1:], hidden) {
			fs.Hidden = append(fs.Hidden, f)
			continue
		}
		f.Converts = ConversionOf(f.Go.Type)
		fs.nests = fs.nests || (from == FromData || from == FromJSON) && nests(f.Go.Type)
		fs.parts = max(fs.parts, 1+strings.Count(f.Name, "."))
		fs.named[f.Name] = len(fs.List)
		if _, taken := fs.folded[fold.Case(f.Name)]; !taken && (!f.Tagged || from == FromJSON) {
			f.AnyCase = true
			fs.folded[fold.Case(f.Name)] = len(fs.List)
		}
		fs.List = append(fs.List, f)
	}
	return fs
}

// AsDeclared returns the fields in the order of their declarations.
func (fs *Fields) AsDeclared() []*Field {
	return slices.SortedFunc(slices.Values(fs.List), func(a, b *Field) int { return slices.Compare(a.Path, b.Path) })
}

// hides reports whether f prevents g from being filled. The rules are those of Go and of
// encoding/json: a field hides deeper fields of the same name. Of two fields at the same
// depth one with a tag hides one without, and otherwise they hide each other. A name without
// a tag hides all its spellings, so that no spelling of a key fills a hidden field. If exact is set,
// it hides only its own, as in what encoding/json writes.
func (f *Field) hides(g *Field, exact bool) bool {
	if len(f.Path) == len(g.Path) {
		return f.Name == g.Name && (f.Tagged || !g.Tagged)
	}
	sameName := f.Name == g.Name || !exact && !(f.Tagged && g.Tagged) && strings.EqualFold(f.Name, g.Name)
	return sameName && len(f.Path) < len(g.Path)
}

// allFields returns the fields of a struct and of its embedded structs, the least deep first,
// and hidden ones included.
func allFields(t reflect.Type, from Source) []*Field {
	type embedded struct {
		t     reflect.Type
		index []int
	}
	var all []*Field
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
				role, name := from.RoleOf(sf)
				index := append(slices.Clip(e.index), i)
				switch role {
				case Embeds:
					next = append(next, embedded{pointedTo(sf.Type), index})
				case Filled, hides:
					all = append(all, &Field{
						Go:        sf,
						Path:      index,
						Name:      cmp.Or(name, sf.Name),
						Tagged:    name != "",
						Quoted:    quotedType(sf),
						fromQuery: TagName(sf.Tag, "query") != "",
						FromURL:   isFromURL(sf.Tag),
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

// A Role says what becomes of a field for a source.
type Role int

const (
	none   Role = iota // it does not count
	Filled             // it is filled
	hides              // it is not filled, but hides deeper fields of its name
	Embeds             // its fields count as fields of the outer struct
)

// RoleOf returns the role of a field, and the name in its tag, if any. A field with a tag param
// or query is not filled from the body by its Go name, but only by a tag form or json, so that
// a client cannot overwrite an id of the route.
func (from Source) RoleOf(sf reflect.StructField) (Role, string) {
	embedded := sf.Anonymous && pointedTo(sf.Type).Kind() == reflect.Struct
	name, out := TagName(sf.Tag, "json"), sf.Tag.Get("json") == "-"
	if from != FromJSON && from != AsWritten {
		if form := TagName(sf.Tag, "form"); form != "" {
			name = form
		}
		out = sf.Tag.Get("form") == "-" || TagName(sf.Tag, "form") == "" && out
	}
	placed := isFromURL(sf.Tag) && from != AsWritten
	embedded = embedded && name == "" && !placed
	isData := from == FromData || from == FromJSON || from == AsWritten
	switch {
	case !sf.IsExported() && (!sf.Anonymous || pointedTo(sf.Type).Kind() != reflect.Struct):
		return none, ""
	case isData && out:
		return none, ""
	case embedded:
		return Embeds, ""
	case isData && name == "" && placed:
		return hides, ""
	case isData:
		return Filled, name
	}
	if name = TagName(sf.Tag, string(from)); name == "" {
		return none, ""
	}
	return Filled, name
}

// TagName returns the name in a struct tag, without options. It is "" for "-".
func TagName(tag reflect.StructTag, key string) string {
	if text := tag.Get(key); text != "-" {
		name, _, _ := strings.Cut(text, ",")
		return name
	}
	return ""
}

// isFromURL reports whether a field has a tag param or query.
func isFromURL(tag reflect.StructTag) bool {
	return TagName(tag, "param") != "" || TagName(tag, "query") != ""
}

// misplacedTag looks for a field inside of t that has only a tag param or query. encoding/json
// does not know these tags, and would fill the field by its name. It returns type and name of
// the field, or "". fs has the fields of t itself, if t is a struct: there the tags are right.
func misplacedTag(t reflect.Type, fs *Fields, seen map[reflect.Type]bool) string {
	if seen[t] || DecodesItself(t) {
		return ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return misplacedTag(t.Elem(), nil, seen)
	case reflect.Struct:
		if fs == nil {
			fs = FieldsInside(t)
			for _, f := range fs.Hidden {
				if f.ignored && f.Go.IsExported() {
					return t.String() + "." + f.Go.Name
				}
			}
		}
		for _, f := range fs.List {
			if name := misplacedTag(f.Go.Type, nil, seen); name != "" {
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
func (fs *Fields) find(key string) (i int, ok bool) {
	if i, ok = fs.named[key]; !ok && len(fs.folded) > 0 {
		i, ok = fs.folded[fold.Case(key)]
	}
	return i, ok
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
