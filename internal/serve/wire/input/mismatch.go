package input

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"

	"example.com/flow/internal/serve/wire/reply"
)

// encoding/json reports where a value is that does not convert, but each version of Go has its own
// paths: "homes.zip" in Go 1.26 is "homes.1.zip" in Go 1.27. Clients rely on these paths. So once
// encoding/json has refused a value, Bind looks for the place itself.

// A mismatch is a JSON value that its Go type does not take.
type mismatch struct {
	// path leads to the value, in the form of the paths of Validate and of forms: "homes.1.zip".
	// The names of fields are those that the type declares, however the client has spelt them.
	path    string
	message reply.Message
}

// findMismatch returns the first mismatch inside of valid JSON for a value of type t, or nil if
// it finds none. It does not know what a pointer in an interface leads to.
func findMismatch(t reflect.Type, raw []byte) *mismatch {
	s := search{raw: raw}
	return s.result(s.value(t))
}

// findNaN returns the first mismatch that encoding/json takes: a float that is NaN or infinite.
func findNaN(t reflect.Type, raw []byte) *mismatch {
	s := search{raw: raw, onlyNaN: true}
	return s.result(s.value(t))
}

// A search reads a JSON value from its beginning, beside the Go type that it is for. Its methods
// return the message about the first mismatch, or nil.
type search struct {
	raw     []byte
	at      int      // where the next value begins, or the space before it
	path    []string // leads to that value, or to the mismatch once there is one
	own     int      // how many of the values around it have a type that decodes itself
	onlyNaN bool     // encoding/json takes the value
}

// maxOwn is how many types that decode themselves a search looks into, one inside of the other. Each
// of them decodes again what is inside of it.
const maxOwn = 4

func (s *search) result(message *reply.Message) *mismatch {
	if message == nil {
		return nil
	}
	return &mismatch{strings.Join(s.path, "."), *message}
}

// value reads the next value, which is for a type.
func (s *search) value(t reflect.Type) *reply.Message {
	s.at = skipSpace(s.raw, s.at)
	inner := BehindPointers(t)
	if !DecodesItself(inner) && s.hasParts(inner) {
		return s.parts(inner)
	}
	return s.leaf(t)
}

// hasParts reports whether the next value is a list or an object, and a type takes its parts one
// by one.
func (s *search) hasParts(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return s.raw[s.at] == '['
	case reflect.Struct, reflect.Map:
		return s.raw[s.at] == '{'
	}
	return isAny(t) && (s.raw[s.at] == '[' || s.raw[s.at] == '{')
}

// isAny reports whether t is an interface without methods, which takes what any takes.
func isAny(t reflect.Type) bool { return t.Kind() == reflect.Interface && t.NumMethod() == 0 }

// parts reads a list or an object.
func (s *search) parts(t reflect.Type) *reply.Message {
	isList := s.raw[s.at] == '['
	s.at++
	for i := 0; ; i++ {
		s.at = skipSpace(s.raw, s.at)
		if s.raw[s.at] == ',' {
			s.at = skipSpace(s.raw, s.at+1)
		}
		if c := s.raw[s.at]; c == ']' || c == '}' {
			s.at++
			return nil
		}
		var message *reply.Message
		s.path = append(s.path, "")
		if isList {
			message = s.item(t, i)
		} else {
			message = s.member(t)
		}
		if message != nil {
			return message
		}
		s.path = s.path[:len(s.path)-1]
	}
}

// item reads an item of a list.
func (s *search) item(t reflect.Type, i int) *reply.Message {
	s.name(strconv.Itoa(i))
	switch {
	case isAny(t):
		return s.value(t)
	case t.Kind() == reflect.Array && i >= t.Len(): // encoding/json drops it
		s.skip()
		return nil
	}
	return s.value(t.Elem())
}

// member reads a member of an object.
func (s *search) member(t reflect.Type) *reply.Message {
	end := textEnd(s.raw, s.at)
	key := unquote(s.raw[s.at:end])
	s.at = skipSpace(s.raw, skipSpace(s.raw, end)+1) // after the ":"
	s.name(key)
	switch t.Kind() {
	case reflect.Struct:
		fs := FieldsInside(t)
		i, ok := fs.find(key)
		if !ok {
			s.skip()
			return nil
		}
		f := fs.List[i]
		s.name(f.Name)
		if f.Quoted != nil {
			return s.quoted(f)
		}
		return s.value(f.Go.Type)
	case reflect.Map:
		if !s.takesKey(t.Key(), key) {
			return &reply.IsInvalid
		}
		return s.value(t.Elem())
	}
	return s.value(t) // any
}

// name sets the last part of the path.
func (s *search) name(part string) { s.path[len(s.path)-1] = part }

// skip returns the next value, which it skips.
func (s *search) skip() json.RawMessage {
	begin := s.at
	s.at = valueEnd(s.raw, begin)
	return s.raw[begin:s.at:s.at]
}

// leaf reads a value that has no parts, or whose type decodes the parts.
func (s *search) leaf(t reflect.Type) *reply.Message {
	begin := s.at
	raw := s.skip()
	if s.onlyNaN {
		return nil
	}
	v, converts := reflect.New(t), ConversionOf(t)
	if converts.plain && setPlain(v.Elem(), converts.Kind, raw) {
		return nil
	}
	err := json.Unmarshal(raw, v.Interface())
	if err == nil {
		return nil
	}
	inner := BehindPointers(t)
	p := reflect.PointerTo(inner)
	takesText := p.Implements(textUnmarshaler) || inner == jsonNumber || converts.Kind == Bytes
	switch {
	case inner != jsonNumber && decodesJSON(p):
		return s.ownMismatch(inner, begin, err)
	case raw[0] == '"' && takesText:
		return &reply.IsInvalid
	case isAny(inner): // all that it refuses are numbers that no float64 holds
		return &reply.MustBeNumber
	}
	return converts.must
}

// ownMismatch returns what is wrong with a value that begins at begin, and that the UnmarshalJSON
// method of its type has refused. Such a method often has encoding/json fill the fields of the
// type, and returns its error. If so, the mismatch is looked for among the fields.
func (s *search) ownMismatch(t reflect.Type, begin int, err error) *reply.Message {
	var reported *json.UnmarshalTypeError
	if !errors.As(err, &reported) || reported.Type == nil {
		return &reply.IsInvalid
	}
	must := ConversionOf(reported.Type).must
	end := s.at
	s.at = begin
	if !s.hasParts(t) {
		s.at = end
		if reported.Field == "" {
			return must
		}
		return &reply.IsInvalid
	}
	if s.own < maxOwn {
		depth := len(s.path)
		s.own++
		found := s.parts(t)
		s.own--
		if found != nil && found.English == must.English {
			return found
		}
		s.path = s.path[:depth]
	}
	s.at = end
	return &reply.IsInvalid
}

// takesKey reports whether a map takes a key.
func (s *search) takesKey(t reflect.Type, key string) bool {
	isText := t.Kind() == reflect.String && !reflect.PointerTo(t).Implements(textUnmarshaler)
	if isText || s.onlyNaN && !isFloat(t) {
		return true
	}
	object, err := json.Marshal(map[string]struct{}{key: {}})
	if err != nil {
		return false
	}
	m := reflect.New(reflect.MapOf(t, reflect.TypeFor[struct{}]()))
	if json.Unmarshal(object, m.Interface()) != nil {
		return false
	}
	for _, k := range m.Elem().MapKeys() {
		if isNaN(k) {
			return false
		}
	}
	return true
}

// quoted reads the value of a field that has the JSON option ",string".
func (s *search) quoted(f *Field) *reply.Message {
	raw := s.skip()
	if s.onlyNaN && !isFloat(BehindPointers(f.Go.Type)) {
		return nil
	}
	if _, ok := decodeQuoted(f.Quoted, reflect.Value{}, raw); ok {
		return nil
	}
	message := reply.MustBeQuoted(*f.Converts.must)
	return &message
}

// decodeQuoted returns what encoding/json makes of a value for a field that has the JSON option
// ",string". quoted is the field's quotedType, and before the value that the field has, if any.
//
// ok is false if the value does not convert, and also for "NaN" and "-Infinity", and then v is zero.
// encoding/json takes the second, since Go 1.27 also the first, although JSON has no such numbers: it
// fails to write them.
func decodeQuoted(quoted reflect.Type, before reflect.Value, raw json.RawMessage) (v reflect.Value, ok bool) {
	s := reflect.New(quoted)
	v = s.Elem().Field(0)
	if before.IsValid() {
		v.Set(before)
	}
	text := append(append([]byte(`{"V":`), raw...), '}')
	ok = json.Unmarshal(text, s.Interface()) == nil
	if isNaN(v) {
		v.SetZero()
		ok = false
	}
	return v, ok
}

// isNaN reports whether v is a float, or leads to one, that is NaN or infinite.
func isNaN(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0))
}

func isFloat(t reflect.Type) bool { return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 }

// mayHoldNaN reports whether encoding/json may make a float that is NaN or infinite inside of a
// value of type t: of a field that has the JSON option ",string", or of a key of a map. It is called once for each type that
// Bind fills.
func mayHoldNaN(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || DecodesItself(t) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Map:
		return isFloat(t.Key()) || mayHoldNaN(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return mayHoldNaN(t.Elem(), seen)
	case reflect.Struct:
		for _, f := range FieldsInside(t).List {
			if f.Quoted != nil && isFloat(BehindPointers(f.Go.Type)) || mayHoldNaN(f.Go.Type, seen) {
				return true
			}
		}
	}
	return false
}
