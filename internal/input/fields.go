package input

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/fold"
)

// A field is one that Bind fills, of a struct or of one that is embedded in it.
//
//	struct {
//		User                        // struct{ Name string }
//		Role string `json:"role"`
//	}
//
//	=> field{index: [0 0], name: "Name"}, field{index: [1], name: "role", tagged: true}
type field struct {
	index  []int // as for reflect.Value.FieldByIndex
	name   string
	tagged bool // name is a tag, which keys match to the letter
	quoted bool // a value of JSON may stand in quotes
	out    bool // it is a struct of an unexported type, cannot be set, and still hides others
}

// fields are what Bind fills of a type.
type fields struct {
	list   []field
	named  map[string]int // places in the list
	folded map[string]int // places of fields without a tag, by fold.Case of their names
}

var fieldsByType sync.Map // of reflect.Type to *fields: as many as the program binds to

func fieldsOf(t reflect.Type) *fields {
	if known, ok := fieldsByType.Load(t); ok {
		return known.(*fields)
	}
	fs := &fields{named: map[string]int{}, folded: map[string]int{}}
	all := allFields(t)
	for i := range all {
		f := &all[i]
		hidden := func(other field) bool { return other.hides(f) }
		if f.out || slices.ContainsFunc(all[:i], hidden) || slices.ContainsFunc(all[i+1:], hidden) {
			continue
		}
		place := len(fs.list)
		fs.list = append(fs.list, *f)
		fs.named[f.name] = place
		if _, ok := fs.folded[fold.Case(f.name)]; !ok && !f.tagged {
			fs.folded[fold.Case(f.name)] = place
		}
	}
	known, _ := fieldsByType.LoadOrStore(t, fs)
	return known.(*fields)
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
func allFields(t reflect.Type) []field {
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
				t := sf.Type
				if t.Name() == "" && t.Kind() == reflect.Pointer {
					t = t.Elem()
				}
				embeds := sf.Anonymous && t.Kind() == reflect.Struct
				name, ok := nameOf(sf.Tag)
				index := append(slices.Clip(e.index), i)
				switch {
				case !ok, !sf.IsExported() && !embeds:
				case embeds && name == "":
					next = append(next, embedded{t, index})
				default:
					all = append(all, field{
						index:  index,
						name:   cmp.Or(name, sf.Name),
						tagged: name != "",
						quoted: isQuoted(sf.Tag, t.Kind()),
						out:    !sf.IsExported(),
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

// nameOf returns the name that its tags give a field, or "". ok is false if a tag
// keeps the field out.
func nameOf(tag reflect.StructTag) (name string, ok bool) {
	for _, key := range []string{"form", "json"} {
		text := tag.Get(key)
		if text == "-" {
			return "", false
		}
		if name, _, _ = strings.Cut(text, ","); name != "" {
			break
		}
	}
	return name, true
}

// isQuoted reports whether a tag has the option ",string", and a field of that kind
// heeds it.
func isQuoted(tag reflect.StructTag, k reflect.Kind) bool {
	_, options, _ := strings.Cut(tag.Get("json"), ",")
	return (k <= reflect.Float64 || k == reflect.String) && slices.Contains(strings.Split(options, ","), "string")
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

// of returns the field in v. On the way there it makes embedded structs for pointers
// that are nil.
func (f *field) of(v reflect.Value) (reflect.Value, error) {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return v, fmt.Errorf("flow: Bind cannot fill %q: it is in an embedded %v, which is nil and cannot be set from outside its package: embed the struct itself, or set the pointer before", f.name, v.Type())
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, nil
}
