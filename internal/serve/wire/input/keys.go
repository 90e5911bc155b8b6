package input

import (
	"reflect"
	"strconv"
	"strings"
)

// Unknown stands in a key of a form for text that is not known, such as the number of a row in a
// template.
const Unknown = "\x00"

// A Target is what Bind fills from a key of a form.
type Target struct {
	Type     reflect.Type // nil if Unknown may stand for the name of a field
	Field    *Field       // of the struct itself: it is what Type is of, or the key leads into it
	Path     string       // the key as messages have it: with the names of fields, in their case
	FirstRow string       // Path with 0 for the number of each row
	written  string       // Path in the case of the tags form
}

func (to Target) member(f *Field) Target {
	return Target{f.Go.Type, to.Field, to.Path + "." + f.Name, to.FirstRow + "." + f.Name, to.written + "." + f.written()}
}

func (to Target) row(number string) Target {
	return Target{BehindPointers(to.Type).Elem(), to.Field, to.Path + "." + number, to.FirstRow + ".0", to.written + "." + number}
}

// written returns the name of a field inside of a struct in the case of its tag form, which may
// differ from the name that JSON has, if in nothing else.
func (f *Field) written() string {
	if name := TagName(f.Go.Tag, "form"); strings.EqualFold(name, f.Name) {
		return name
	}
	return f.Name
}

// FormTarget returns what Bind fills from a key of a form, in a struct type. query is set for a
// form that is sent as the query of a request without a body. A field without a tag is filled by
// its name in any case. Nothing is filled from a key that names a whole struct or a whole list of
// structs.
//
// If nothing is filled, ok is false. Then near has keys that may be meant: where a part of the key
// names no field, the same key with the name of each field that is there.
func FormTarget(t reflect.Type, query bool, key string) (to Target, near []string, ok bool) {
	p := PlanOf(t)
	if p.Data == nil {
		return to, nil, false
	}
	if i, found := p.Query.find(key); found && query {
		f := p.Query.List[i]
		return Target{f.Go.Type, f, f.Name, f.Name, f.Name}, nil, true
	}
	k := deepKey{rest: key}
	found := k.enterStruct(p.Data)
	switch {
	case strings.Contains(k.part, Unknown):
		return Target{}, nil, true
	case !found || query && p.Data.List[k.index].fromQuery:
		for _, name := range FormNames(t, query) {
			if i, isData := p.Data.named[name]; !k.more || isData && nests(p.Data.List[i].Go.Type) {
				near = append(near, k.with("", name))
			}
		}
		return Target{}, near, false
	case k.more && strings.Count(key, ".") >= maxParts:
		return Target{}, nil, false
	}
	f := p.Data.List[k.index]
	return Target{f.Go.Type, f, f.Name, f.Name, f.Name}.inside(k)
}

// inside goes on with the rest of a key.
func (to Target) inside(k deepKey) (of Target, near []string, ok bool) {
	switch {
	case !k.more && ConversionOf(to.Type).Kind != Unconvertible:
		return to, nil, true
	case !nests(to.Type) && k.more:
		return Target{}, []string{to.written}, false
	case !nests(to.Type):
		return Target{}, nil, false
	}
	t := BehindPointers(to.Type)
	if t.Kind() == reflect.Slice {
		if !k.more {
			return to.row("0").inside(k)
		}
		row := k
		switch isRow := row.enterList(); {
		case strings.Contains(row.part, Unknown) && !row.more: // it may write a dot and a name, too
			return Target{}, nil, true
		case !isRow && !strings.Contains(row.part, Unknown):
			for _, rest := range []deepKey{k, row} { // without the number of a row, or with another part for it
				if _, _, ok := to.row("0").inside(rest); ok {
					return Target{}, []string{to.written + ".0." + rest.rest}, false
				}
			}
			return Target{}, nil, false
		}
		return to.row(row.part).inside(row)
	}
	fs, member := FieldsInside(t), k
	switch {
	case k.more && member.enterStruct(fs):
		return to.member(fs.List[member.index]).inside(member)
	case k.more && strings.Contains(member.part, Unknown):
		return Target{}, nil, true
	}
	for _, f := range fs.List {
		near = append(near, member.with(to.written+".", f.written()))
	}
	return Target{}, near, false
}

// with returns the key with another name in place of the part.
func (k *deepKey) with(before, name string) string {
	if k.more {
		return before + name + "." + k.rest
	}
	return before + name
}

// FormValue returns the value that Bind fills from a key of a form in a struct: see FormTarget. The
// number of a row is its place in the list. ok is false if there is no such field or row, or if a
// pointer on the way is nil.
func FormValue(v reflect.Value, query bool, key string) (of reflect.Value, ok bool) {
	p := PlanOf(v.Type())
	if p.Data == nil || strings.Count(key, ".") >= maxParts {
		return of, false
	}
	k := deepKey{rest: key}
	if i, found := p.Query.find(key); found && query {
		return k.member(v, p.Query.List[i])
	}
	if !k.enterStruct(p.Data) {
		return of, false
	}
	return k.member(v, p.Data.List[k.index])
}

// member returns the value in a field of a struct that the rest of the key leads to.
func (k *deepKey) member(v reflect.Value, f *Field) (of reflect.Value, ok bool) {
	if v, ok = (*copies)(nil).field(v, f.Path, false); !ok {
		return of, false
	}
	return k.inside(v)
}

// inside returns the value in v that the rest of the key leads to, and v if there is no rest.
func (k *deepKey) inside(v reflect.Value) (of reflect.Value, ok bool) {
	if !k.more {
		return v, true
	}
	if !nests(v.Type()) {
		return of, false
	}
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return of, false
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		fs := FieldsInside(v.Type())
		if !k.enterStruct(fs) {
			return of, false
		}
		return k.member(v, fs.List[k.index])
	}
	isRow := k.enterList()
	i, err := strconv.Atoi(k.part)
	if !isRow || err != nil || i >= v.Len() {
		return of, false
	}
	return k.inside(v.Index(i))
}
