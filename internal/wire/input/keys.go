package input

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Unknown stands in a key of a form for text that is not known, such as the number of a row in a
// template.
const Unknown = "\x00"

// A Target is what Bind fills from a key of a form.
type Target struct {
	Type reflect.Type // nil if Unknown may stand for the name of a field
	Path string       // the key as messages have it: with the names of fields, in their case
}

// FormTarget returns what Bind fills from a key of a form, in a struct type. query is set for a
// form that is sent as the query of a request without a body. A field without a tag is filled by
// its name in any case. Nothing is filled from a key that names a whole struct or a whole list of
// structs.
//
// If nothing is filled, ok is false. Then near has keys that may be meant: where a part of the key
// names no field, the same key with the name of each field that is there.
func FormTarget(t reflect.Type, query bool, key string) (to Target, near []string, ok bool) {
	p := planOf(t)
	if p.data == nil {
		return to, nil, false
	}
	if place, found := p.query.find(key); found && query {
		f := p.query.list[place]
		return Target{f.sf.Type, f.name}, nil, true
	}
	k := deepKey{rest: key}
	found := k.enterStruct(p.data)
	switch {
	case strings.Contains(k.part, Unknown):
		return Target{}, nil, true
	case !found || query && p.data.list[k.place].fromQuery:
		for _, name := range FormNames(t, query) {
			if place, isData := p.data.named[name]; !k.more || isData && nests(p.data.list[place].sf.Type) {
				near = append(near, k.with("", name))
			}
		}
		return Target{}, near, false
	case k.more && strings.Count(key, ".") >= maxParts:
		return Target{}, nil, false
	}
	f := p.data.list[k.place]
	return targetInside(f.sf.Type, f.name, k)
}

// targetInside goes on from a type that the path before leads to.
func targetInside(t reflect.Type, before string, k deepKey) (to Target, near []string, ok bool) {
	switch {
	case !k.more && ConversionOf(t).Kind != Unconvertible:
		return Target{t, before}, nil, true
	case !nests(t) && k.more:
		return Target{}, []string{before}, false
	case !nests(t):
		return Target{}, nil, false
	}
	if t = behindPointers(t); t.Kind() == reflect.Slice {
		if !k.more {
			return targetInside(t.Elem(), before+".0", k)
		}
		row := k
		switch isRow := row.enterList(); {
		case strings.Contains(row.part, Unknown) && !row.more: // it may write a dot and a name, too
			return Target{}, nil, true
		case !isRow && !strings.Contains(row.part, Unknown):
			return Target{}, []string{before + ".0." + k.rest}, false
		}
		return targetInside(t.Elem(), before+"."+row.part, row)
	}
	fs, member := fieldsInside(t), k
	switch {
	case k.more && member.enterStruct(fs):
		f := fs.list[member.place]
		return targetInside(f.sf.Type, before+"."+f.name, member)
	case k.more && strings.Contains(member.part, Unknown):
		return Target{}, nil, true
	}
	for _, f := range fs.list {
		near = append(near, member.with(before+".", f.name))
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
	p := planOf(v.Type())
	if p.data == nil || strings.Count(key, ".") >= maxParts {
		return of, false
	}
	k := deepKey{rest: key}
	if place, found := p.query.find(key); found && query {
		return k.member(v, p.query.list[place])
	}
	if !k.enterStruct(p.data) {
		return of, false
	}
	return k.member(v, p.data.list[k.place])
}

// member returns the value in a field of a struct that the rest of the key leads to.
func (k *deepKey) member(v reflect.Value, f *field) (of reflect.Value, ok bool) {
	if v, ok = (*copies)(nil).field(v, f.index, false); !ok {
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
		fs := fieldsInside(v.Type())
		if !k.enterStruct(fs) {
			return of, false
		}
		return k.member(v, fs.list[k.place])
	}
	isRow := k.enterList()
	i, err := strconv.Atoi(k.part)
	if !isRow || err != nil || i >= v.Len() {
		return of, false
	}
	return k.inside(v.Index(i))
}

// Sent returns the texts that count of a form for a struct type, by the paths that messages have:
// those of "items.5.name" under "items.1.name" if it is in the second row. query is as for
// FormTarget.
func Sent(t reflect.Type, query bool, form url.Values) map[string][]string {
	p, sent := planOf(t), map[string][]string{}
	if p.data == nil {
		return sent
	}
	var deep []deepKey
	for key, texts := range form {
		k := deepKey{key: key, texts: texts, rest: key}
		if strings.Count(key, ".") < maxParts && k.enterStruct(p.data) && !(query && p.data.list[k.place].fromQuery) {
			deep = append(deep, k)
		}
		if place, ok := p.query.named[key]; ok && query {
			sent[p.query.list[place].name] = texts
		}
	}
	slices.SortFunc(deep, deepKey.compare)
	for first, rest := group(deep); len(first) > 0; first, rest = group(rest) {
		f := p.data.list[first[0].place]
		addSent(sent, f.sf.Type, f.name, first)
	}
	return sent
}

// addSent adds the texts of keys that name what path leads to, or something inside of it: see
// binding.deep.
func addSent(sent map[string][]string, t reflect.Type, path string, keys []deepKey) {
	own, inside := split(keys)
	if own != nil {
		sent[path] = own
	}
	if len(inside) == 0 || !nests(t) {
		return
	}
	if t = behindPointers(t); t.Kind() == reflect.Slice {
		rows, i := inList(inside), 0
		for first, rest := group(rows); len(first) > 0; first, rest = group(rest) {
			addSent(sent, t.Elem(), path+"."+strconv.Itoa(i), first)
			i++
		}
		return
	}
	fs := fieldsInside(t)
	members := inStruct(inside, fs)
	for first, rest := group(members); len(first) > 0; first, rest = group(rest) {
		f := fs.list[first[0].place]
		addSent(sent, f.sf.Type, path+"."+f.name, first)
	}
}
