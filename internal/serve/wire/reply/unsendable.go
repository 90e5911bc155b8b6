package reply

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
)

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	errorType     = reflect.TypeFor[error]()
	handlerType   = reflect.TypeFor[http.Handler]()
)

// Unsendable says what in a type JSON cannot show: a channel, a function, a complex number or a
// map by structs, which encoding/json refuses, and a response, an error or an http.Handler,
// which it shows as {}. It returns "" if there is nothing of the kind. A type that encodes
// itself shows what it likes, and so does an interface, such as any, by the value in it.
// response is the type of flow.Response.
func Unsendable(t, response reflect.Type) string {
	w := unsendable{response, map[reflect.Type]bool{}}
	return w.find(t, "")
}

// An unsendable is one search for what JSON cannot show.
type unsendable struct {
	response reflect.Type
	seen     map[reflect.Type]bool
}

// find searches a type. field is what messages call the field that it is in, if it is in one.
func (w *unsendable) find(t reflect.Type, field string) string {
	switch {
	case t == w.response:
		return said(field, "a flow.Response, which JSON shows as {}: return the flow.Response itself, or the data that is in it")
	case t == errorType:
		return said(field, "an error, which JSON shows as {} whatever it says: give its text, as err.Error() returns it")
	case t == handlerType:
		return said(field, "an http.Handler, which JSON shows as {}: return the flow.Response of flow.Handler")
	case w.seen[t] || encodesItself(t):
		return ""
	}
	w.seen[t] = true
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return refused(t, field)
	case reflect.Map:
		if k := t.Key(); k.Kind() != reflect.String && (k.Kind() < reflect.Int || k.Kind() > reflect.Uintptr) && !k.Implements(textMarshaler) {
			return refused(t, field)
		}
		return w.find(t.Elem(), field)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return w.find(t.Elem(), field)
	case reflect.Struct:
		for _, sf := range reflect.VisibleFields(t) {
			if !shown(t, sf) {
				continue
			}
			if why := w.find(sf.Type, fieldName(t, sf)); why != "" {
				return why
			}
		}
	}
	return ""
}

func said(field, what string) string {
	if field == "" {
		return "it is or holds " + what
	}
	return field + " is or holds " + what
}

func refused(t reflect.Type, field string) string {
	if field == "" {
		return fmt.Sprintf("encoding/json cannot encode a %v: return data of another type, or a flow.Response", t)
	}
	return fmt.Sprintf("encoding/json cannot encode %s, since it is or holds a %v: give it another type, or the tag json:\"-\"", field, t)
}

func fieldName(t reflect.Type, sf reflect.StructField) string {
	if t.Name() == "" { // its text would be all of its fields
		return "struct{…}." + sf.Name
	}
	return t.String() + "." + sf.Name
}

// encodesItself reports whether encoding/json asks values of a type, or pointers to them, for
// their JSON or text.
func encodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t.Implements(jsonMarshaler) || t.Implements(textMarshaler) || p.Implements(jsonMarshaler) || p.Implements(textMarshaler)
}

// shown reports whether encoding/json shows a field of a struct, or of one embedded in it, in
// all values. The options omitzero and omitempty say that some values have nothing in it; of
// functions and channels, only omitzero leaves any out.
func shown(t reflect.Type, sf reflect.StructField) bool {
	for i := range sf.Index[:len(sf.Index)-1] {
		if name, _, _ := strings.Cut(t.FieldByIndex(sf.Index[:i+1]).Tag.Get("json"), ","); name != "" {
			return false // the embedded struct is a field by itself, or left out
		}
	}
	tag := sf.Tag.Get("json")
	name, options, _ := strings.Cut(tag, ",")
	for option := range strings.SplitSeq(options, ",") {
		switch k := sf.Type.Kind(); {
		case option == "omitzero":
			return false
		case option == "omitempty" && (k == reflect.Pointer || k == reflect.Slice || k == reflect.Map):
			return false
		}
	}
	// The fields of an embedded struct are visible fields themselves.
	embeds := sf.Anonymous && name == "" && (sf.Type.Kind() == reflect.Struct || sf.Type.Kind() == reflect.Pointer && sf.Type.Elem().Kind() == reflect.Struct)
	return tag != "-" && sf.IsExported() && !embeds
}
