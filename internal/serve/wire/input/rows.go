package input

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/flow/internal/serve/wire/reply"
)

// A key of a form may lead into a struct, as "address.street" does, and to a row of a list of
// structs, as "items.0.name" does. Inside of such a field the names are those of encoding/json,
// as in the paths of messages. The number of a row only says in which order rows come: 2 and 5
// are the first and the second row, so that no number makes a list longer than the form is.

// A struct behind a pointer that is nil is made only if one of the texts for it is not empty: browsers
// also send the inputs of an address that nobody filled in. A row is always made.

// maxParts is how many parts a key may have. A recursive type would take any number of them.
const maxParts = 16

// maxMade is how many rows, and structs behind pointers, a form makes. A key of 16 parts could make
// 15 of them.
const maxMade = minValues

// A deepKey is a key of a form on its way to the value that it names.
type deepKey struct {
	key   string
	texts []string
	part  string // of the key, which names a field or a row
	rest  string // of the key, behind part
	more  bool   // there is a rest
	index int    // the index in fields.list of the field that part names; 0 for a row
	row   string // the number of the row that part names, without leading zeros; "" for a field
	loose uint   // a bit for each part so far, the last one lowest: it is set if the part spells a name in another way
}

// cut takes the next n parts from a key, and all of them if there are not so many.
func cut(key string, n int) (part, rest string, more bool) {
	for i := range len(key) {
		if key[i] == '.' {
			if n--; n == 0 {
				return key[:i], key[i+1:], true
			}
		}
	}
	return key, "", false
}

// spelled notes how the part should be spelled.
func (k *deepKey) spelled(name string) {
	k.loose <<= 1
	if k.part != name {
		k.loose |= 1
	}
}

// enterStruct finds the field that the rest of the key begins with. A name may have dots: of
// several such fields the one with the most dots counts.
func (k *deepKey) enterStruct(fs *Fields) (ok bool) {
	key := k.rest
	for n := fs.parts; n > 0 && !ok; n-- {
		k.part, k.rest, k.more = cut(key, n)
		k.index, ok = fs.find(k.part)
	}
	if k.row = ""; ok {
		k.spelled(fs.List[k.index].Name)
	}
	return ok
}

// enterList finds the row that the rest of the key names.
func (k *deepKey) enterList() (ok bool) {
	k.part, k.rest, k.more = cut(k.rest, 1)
	k.index, k.row = 0, strings.TrimLeft(k.part, "0")
	if k.row == "" {
		k.row = "0"
	}
	k.spelled(k.row)
	return isRow(k.part)
}

// isRow reports whether part of a key is the number of a row.
func isRow(part string) bool { return part != "" && strings.Trim(part, "0123456789") == "" }

// compare orders keys by their field or row. Of those that name the same value, the one that counts
// comes first: the one whose parts are the names themselves from the first part on, and then the
// first one in byte order.
func (k deepKey) compare(other deepKey) int {
	switch {
	case k.index != other.index:
		return cmp.Compare(k.index, other.index)
	case len(k.row) != len(other.row):
		return cmp.Compare(len(k.row), len(other.row))
	case k.row != other.row:
		return strings.Compare(k.row, other.row)
	case k.loose != other.loose:
		return cmp.Compare(k.loose, other.loose)
	}
	return strings.Compare(k.key, other.key)
}

// group returns those of the sorted keys that belong to the first field or row, and the others. An
// iterator would have to be on the heap, and the binding with it.
func group(keys []deepKey) (first, rest []deepKey) {
	n := 0
	for n < len(keys) && keys[n].index == keys[0].index && keys[n].row == keys[0].row {
		n++
	}
	return keys[:n], keys[n:]
}

// inStruct returns the keys that name a field, sorted. It writes to keys.
func inStruct(keys []deepKey, fs *Fields) []deepKey {
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

// split returns the texts of the first of the sorted keys that end at their field or row, and those
// keys that lead inside of it. It writes to keys.
func split(keys []deepKey) (own []string, inside []deepKey) {
	inside = keys[:0]
	for _, k := range keys {
		switch {
		case k.more:
			inside = append(inside, k)
		case own == nil:
			own = k.texts
		}
	}
	return own, inside
}

// deep returns a key of a form that leads into a field. ok is false if no field has its first part.
func (fs *Fields) deep(key string, texts []string) (k deepKey, ok bool) {
	if !fs.nests || strings.Count(key, ".") >= maxParts {
		return k, false
	}
	k = deepKey{key: key, texts: texts, rest: key}
	return k, k.enterStruct(fs) && k.more
}

// members fills the fields of a struct inside of the input.
func (to *binding) members(v reflect.Value, keys []deepKey) {
	fs := FieldsInside(v.Type())
	for first, rest := group(inStruct(keys, fs)); len(first) > 0; first, rest = group(rest) {
		f := fs.List[first[0].index]
		if v, ok := to.copies.field(v, f.Path, true); ok {
			to.deep(v, f.Converts, f.Name, first)
		} else { // encoding/json cannot set the embedded pointer either
			to.reject(f.Name, "", reply.IsInvalid)
		}
	}
}

// rows fills a list of structs, or of lists.
func (to *binding) rows(v reflect.Value, keys []deepKey) {
	known, n := inList(keys), 0
	for first, rest := group(known); len(first) > 0; first, rest = group(rest) {
		n++
	}
	if n == 0 || !to.room(n) {
		return
	}
	items := reflect.MakeSlice(v.Type(), n, n)
	converts, i := ConversionOf(v.Type().Elem()), 0
	for first, rest := group(known); len(first) > 0; first, rest = group(rest) {
		to.deep(newBehind(items.Index(i)), converts, strconv.Itoa(i), first)
		i++
	}
	v.Set(items)
}

// deep fills a field or a row with keys that name it, or something inside of it. name is what
// messages call it.
func (to *binding) deep(v reflect.Value, converts Conversion, name string, keys []deepKey) {
	outer := len(to.path)
	if outer > 0 {
		to.path = append(to.path, '.')
	}
	to.path = append(to.path, name...)
	defer func() { to.path = to.path[:outer] }()

	own, inside := split(keys)
	if own != nil {
		to.values(v, converts, "", own)
		if to.shows {
			to.sent[string(to.path)] = own
		}
	}
	if len(inside) == 0 || !nests(v.Type()) {
		return
	}
	for v.Kind() == reflect.Pointer {
		switch {
		case !v.IsNil():
			to.copies.replace(v)
		case isBlank(inside) || !to.room(1):
			return
		default:
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice {
		to.rows(v, inside)
	} else {
		to.members(v, inside)
	}
}

// isBlank reports whether all texts of the keys are empty.
func isBlank(keys []deepKey) bool {
	return !slices.ContainsFunc(keys, func(k deepKey) bool {
		return slices.ContainsFunc(k.texts, func(text string) bool { return text != "" })
	})
}

// room reports whether n more rows or structs may be made. If not, the form is refused.
func (to *binding) room(n int) bool {
	to.made += n
	return to.made <= maxMade
}

// nests reports whether keys of a form lead into values of type t: a struct that does not decode
// itself and is no file, a pointer to one, or a list of them.
func nests(t reflect.Type) bool {
	for range maxParts {
		t = BehindPointers(t)
		switch {
		case DecodesItself(t), t == headerType:
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
func FieldsInside(t reflect.Type) *Fields {
	if fs, ok := fieldsByType.Load(t); ok {
		return fs.(*Fields)
	}
	fs, _ := fieldsByType.LoadOrStore(t, FieldsOf(t, FromJSON))
	return fs.(*Fields)
}
