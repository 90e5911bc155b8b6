package input

import (
	"reflect"
	"strconv"
	"strings"
)

// Unknown stands in a key of a form for text that is not known, such as the number of a row in a
// template.
const Unknown = "\x00"

// FormType returns the type of what Bind fills from a key of a form, in a struct type: of a
// body or, if query is set, of the query of a request without one. A field without a tag is
// filled by its name in any case. FormType returns nil, true if Unknown may stand for the name
// of a field.
//
// If nothing is filled, ok is false, and near has keys that may be meant: the key with each name
// that there is in the place of the part that names nothing.
func FormType(t reflect.Type, query bool, key string) (of reflect.Type, near []string, ok bool) {
	p := planOf(t)
	if place, found := p.query.find(key); found && query {
		return p.query.list[place].sf.Type, nil, true
	}
	k := deepKey{rest: key}
	found := k.enterStruct(p.data)
	switch {
	case strings.Contains(k.part, Unknown):
		return nil, nil, true
	case !found || query && p.data.list[k.place].fromQuery:
		for _, name := range FormNames(t, query) {
			if place, isData := p.data.named[name]; !k.more || isData && nests(p.data.list[place].sf.Type) {
				near = append(near, k.with("", name))
			}
		}
		return nil, near, false
	case k.more && strings.Count(key, ".") >= maxParts:
		return nil, nil, false
	}
	f := p.data.list[k.place]
	return typeInside(f.sf.Type, f.name, k)
}

// typeInside goes on from a type that key leads to with the path before.
func typeInside(t reflect.Type, before string, k deepKey) (of reflect.Type, near []string, ok bool) {
	if !k.more {
		return t, nil, true
	}
	if !nests(t) {
		return nil, []string{before}, false
	}
	if t = behindPointers(t); t.Kind() == reflect.Slice {
		row := k
		switch isRow := row.enterList(); {
		case strings.Contains(row.part, Unknown) && !row.more: // it may write a dot and a name, too
			return nil, nil, true
		case !isRow && !strings.Contains(row.part, Unknown):
			return nil, []string{before + ".0." + k.rest}, false
		}
		return typeInside(t.Elem(), before+"."+row.part, row)
	}
	fs := fieldsInside(t)
	if found := k.enterStruct(fs); strings.Contains(k.part, Unknown) {
		return nil, nil, true
	} else if !found {
		for _, f := range fs.list {
			near = append(near, k.with(before+".", f.name))
		}
		return nil, near, false
	}
	f := fs.list[k.place]
	return typeInside(f.sf.Type, before+"."+f.name, k)
}

// with returns the key with another name in place of the part.
func (k *deepKey) with(before, name string) string {
	if k.more {
		return before + name + "." + k.rest
	}
	return before + name
}

// FormValue returns what Bind fills from a key of a form in a struct: see FormType. The number of
// a row is its place in the list. ok is false if there is no such field or row, or if a pointer on
// the way is nil.
func FormValue(v reflect.Value, key string) (of reflect.Value, ok bool) {
	k := deepKey{rest: key, more: true}
	fs := planOf(v.Type()).data
	for k.more {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return of, false
			}
			v = v.Elem()
		}
		if fs == nil && !nests(v.Type()) {
			return of, false
		}
		if v.Kind() == reflect.Slice {
			i := 0
			if ok = k.enterList(); ok {
				var err error
				i, err = strconv.Atoi(k.part)
				ok = err == nil && i < v.Len()
			}
			if !ok {
				return of, false
			}
			v = v.Index(i)
			continue
		}
		if fs == nil {
			fs = fieldsInside(v.Type())
		}
		if !k.enterStruct(fs) {
			return of, false
		}
		if v, ok = (*copies)(nil).field(v, fs.list[k.place].index, false); !ok {
			return of, false
		}
		fs = nil
	}
	return v, true
}
