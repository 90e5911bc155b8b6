package input

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A key of a form may lead into a struct, as "address.street" does, and to a row of a list of
// structs, as "items.0.name" does. Inside of such a field the names are those of encoding/json,
// as in the paths of messages. The number of a row only says in which order rows come: 2 and 5
// are the first and the second row, so that no number makes a list longer than the form is.

// maxParts is how many parts a key may have. A recursive type would take any number of them.
const maxParts = 16

// A deepKey is a key of a form on its way to the value that it names.
type deepKey struct {
	key   string
	texts []string
	part  string // of the key, which names a field or a row
	rest  string // of the key, behind part
	more  bool   // there is a rest
	place int    // of the field in its struct; for a row, how many digits row has
	row   string // the digits of a row, without leading zeros
}

// cut takes the next part from the rest of the key.
func (k *deepKey) cut() { k.part, k.rest, k.more = strings.Cut(k.rest, ".") }

// enterStruct finds the field that the rest of the key names. A name may have dots.
func (k *deepKey) enterStruct(fs *fields) (ok bool) {
	if k.place, ok = fs.named[k.rest]; ok {
		k.part, k.rest, k.more = k.rest, "", false
		return true
	}
	k.cut()
	k.place, ok = fs.find(k.part)
	return ok
}

// enterList finds the row that the rest of the key names.
func (k *deepKey) enterList() (ok bool) {
	k.cut()
	k.row = strings.TrimLeft(k.part, "0")
	k.place = len(k.row)
	return isRow(k.part)
}

// isRow reports whether part of a key is the number of a row.
func isRow(part string) bool { return part != "" && strings.Trim(part, "0123456789") == "" }

// compare orders keys by their field or row. Those of one are in byte order, so that of several
// spellings always the same one counts.
func (k deepKey) compare(other deepKey) int {
	return cmp.Or(cmp.Compare(k.place, other.place), strings.Compare(k.row, other.row), strings.Compare(k.key, other.key))
}

// group returns those of the sorted keys that belong to the first field or row, and the others. An
// iterator would have to be on the heap, and the binding with it.
func group(keys []deepKey) (first, rest []deepKey) {
	n := 0
	for n < len(keys) && keys[n].place == keys[0].place && keys[n].row == keys[0].row {
		n++
	}
	return keys[:n], keys[n:]
}

// inStruct returns the keys that name a field, sorted. It writes to keys.
func inStruct(keys []deepKey, fs *fields) []deepKey {
	known := keys[:0]
	for _, k := range keys {
		if k.enterStruct(fs) {
			known = append(known, k)
		}
	}
	slices.SortFunc(known, deepKey.compare)
	return known
}

// inList returns the keys that name a row, sorted. It writes to keys.
func inList(keys []deepKey) []deepKey {
	known := keys[:0]
	for _, k := range keys {
		if k.enterList() {
			known = append(known, k)
		}
	}
	slices.SortFunc(known, deepKey.compare)
	return known
}

// split returns the texts of those keys that end at a field or row, and the keys that lead inside
// of it. spelled is the part of a key that counts before others. It writes to keys.
func split(keys []deepKey, spelled string) (own choice[[]string], inside []deepKey) {
	inside = keys[:0]
	for _, k := range keys {
		if k.more {
			inside = append(inside, k)
		} else {
			own.offer(spelled, k.part, k.texts)
		}
	}
	return own, inside
}

// deep returns a key of a form that leads into a field. ok is false if no field has its first part.
func (fs *fields) deep(key string, texts []string) (k deepKey, ok bool) {
	if !fs.nests || strings.Count(key, ".") >= maxParts {
		return k, false
	}
	k = deepKey{key: key, texts: texts, rest: key}
	return k, k.enterStruct(fs) && k.more
}

// members fills the fields of a struct inside of the input.
func (to *binding) members(v reflect.Value, keys []deepKey) {
	fs := fieldsInside(v.Type())
	for first, rest := group(inStruct(keys, fs)); len(first) > 0; first, rest = group(rest) {
		f := fs.list[first[0].place]
		if v, ok := to.member(v, f); ok {
			to.deep(v, f.converts, f.name, f.name, first)
		}
	}
}

// rows fills a list of structs, or of lists.
func (to *binding) rows(v reflect.Value, keys []deepKey) {
	known, n := inList(keys), 0
	for first, rest := group(known); len(first) > 0; first, rest = group(rest) {
		n++
	}
	if n == 0 {
		return
	}
	items := reflect.MakeSlice(v.Type(), n, n)
	converts, i := ConversionOf(v.Type().Elem()), 0
	for first, rest := group(known); len(first) > 0; first, rest = group(rest) {
		to.deep(items.Index(i), converts, strconv.Itoa(i), first[0].part, first)
		i++
	}
	v.Set(items)
}

// deep fills a field or a row with keys that name it, or something inside of it. name is what
// messages call it, and spelled the part of a key that counts before others.
func (to *binding) deep(v reflect.Value, converts Conversion, name, spelled string, keys []deepKey) {
	outer := len(to.path)
	if outer > 0 {
		to.path = append(to.path, '.')
	}
	to.path = append(to.path, name...)
	defer func() { to.path = to.path[:outer] }()

	own, inside := split(keys, spelled)
	if own.key != "" {
		to.values(v, converts, "", own.value)
	}
	if len(inside) == 0 || !nests(v.Type()) {
		return
	}
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		} else {
			to.copies.replace(v)
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice {
		to.rows(v, inside)
	} else {
		to.members(v, inside)
	}
}

// nests reports whether keys of a form lead into values of type t: a struct that does not decode
// itself, a pointer to one, or a list of them.
func nests(t reflect.Type) bool {
	for range maxParts {
		t = behindPointers(t)
		switch {
		case decodesItself(t):
			return false
		case t.Kind() == reflect.Struct:
			return true
		case t.Kind() != reflect.Slice:
			return false
		}
		t = t.Elem()
	}
	return false // a list of itself
}

var fieldsByType sync.Map // reflect.Type to *fields, for structs inside of others; bounded by the types in the program

// fieldsInside returns the fields of a struct inside of an input.
func fieldsInside(t reflect.Type) *fields {
	if fs, ok := fieldsByType.Load(t); ok {
		return fs.(*fields)
	}
	fs, _ := fieldsByType.LoadOrStore(t, newFields(t, fromJSON))
	return fs.(*fields)
}
