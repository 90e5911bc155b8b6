package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"

	"example.com/flow/internal/fold"
	"example.com/flow/internal/wire/reply"
)

// encoding/json says where a value is that does not convert, but each version of Go says it in
// its own way: "homes.zip" in Go 1.26 is "homes.1.zip" in Go 1.27. Clients rely on these paths. So
// once encoding/json has refused a value, Bind looks for the place itself.

// A mismatch is a JSON value that its Go type does not take.
type mismatch struct {
	// path leads to the value, in the form of the paths of Validate and of forms: "homes.1.zip".
	// The names of fields are those that the type declares, however the client has spelt them.
	path    string
	message reply.Message
}

// findMismatch returns the first mismatch inside of valid JSON for a value of type t, or nil if
// there is none. It finds none in what a pointer in an interface leads to, since t does not tell
// the type of that.
func findMismatch(t reflect.Type, raw []byte) *mismatch {
	s := search{raw, json.NewDecoder(bytes.NewReader(raw))}
	return s.value(t)
}

// A search reads a JSON value once, from its beginning, beside the Go type that it is for.
type search struct {
	raw     []byte
	decoder *json.Decoder
}

// next returns the first byte of the value that the decoder reads next.
func (s *search) next() byte {
	return bytes.TrimLeft(s.raw[s.decoder.InputOffset():], " \t\r\n,:")[0]
}

// value returns the first mismatch in the next value, or nil.
func (s *search) value(t reflect.Type) *mismatch {
	inner, next := behindPointers(t), s.next()
	isAny := inner.Kind() == reflect.Interface && inner.NumMethod() == 0
	takesList := isAny || inner.Kind() == reflect.Slice || inner.Kind() == reflect.Array
	takesObject := isAny || inner.Kind() == reflect.Struct || inner.Kind() == reflect.Map
	switch {
	case decodesItself(inner):
	case next == '[' && takesList:
		return s.list(inner)
	case next == '{' && takesObject:
		return s.object(inner)
	}
	return s.whole(t)
}

// list returns the first mismatch in a list.
func (s *search) list(t reflect.Type) *mismatch {
	item := t
	if t.Kind() != reflect.Interface {
		item = t.Elem()
	}
	s.decoder.Token()
	for i := 0; s.decoder.More(); i++ {
		if t.Kind() == reflect.Array && i >= t.Len() { // encoding/json drops these
			s.skip()
		} else if m := s.value(item); m != nil {
			return m.inside(strconv.Itoa(i))
		}
	}
	s.decoder.Token()
	return nil
}

// object returns the first mismatch in an object.
func (s *search) object(t reflect.Type) *mismatch {
	s.decoder.Token()
	for s.decoder.More() {
		token, _ := s.decoder.Token()
		key, _ := token.(string)
		var m *mismatch
		switch t.Kind() {
		case reflect.Struct:
			fs := fieldsInside(t)
			place, ok := fs.find(key)
			if !ok {
				s.skip()
				continue
			}
			f := fs.list[place]
			if key = f.name; f.quoted != nil {
				m = quotedMismatch(f, s.skip())
			} else {
				m = s.value(f.sf.Type)
			}
		case reflect.Map:
			if m = keyMismatch(t, key); m == nil {
				m = s.value(t.Elem())
			}
		default: // any
			m = s.value(t)
		}
		if m != nil {
			return m.inside(key)
		}
	}
	s.decoder.Token()
	return nil
}

// skip returns the next value, which it skips.
func (s *search) skip() (raw json.RawMessage) {
	s.decoder.Decode(&raw) // it is valid
	return raw
}

// whole returns a mismatch if a value does not convert that has no parts, or whose type decodes
// the parts.
func (s *search) whole(t reflect.Type) *mismatch {
	raw := s.skip()
	err := json.Unmarshal(raw, reflect.New(t).Interface())
	if err == nil {
		return nil
	}
	inner := behindPointers(t)
	p := reflect.PointerTo(inner)
	isText := raw[0] == '"'
	takesText := p.Implements(textUnmarshaler) || inner == jsonNumber || ConversionOf(inner).Kind == Bytes
	var reported *json.UnmarshalTypeError
	switch {
	case p.Implements(unmarshaler) && errors.As(err, &reported):
		return reportedMismatch(raw, reported)
	case p.Implements(unmarshaler), isText && takesText:
		return &mismatch{message: reply.IsInvalid}
	case inner.Kind() == reflect.Interface && inner.NumMethod() == 0: // all that it refuses are numbers that no float64 holds
		return &mismatch{message: reply.MustBeNumber}
	}
	return &mismatch{message: *ConversionOf(t).must}
}

// inside returns the mismatch with the path that it has in the value around it.
func (m *mismatch) inside(key string) *mismatch {
	m.path = join(key, m.path)
	return m
}

// reportedMismatch is the mismatch that an UnmarshalJSON method reports, as it does if it has
// encoding/json decode a part of its value. Inside of lists the versions of Go report different
// paths, so the mismatch is then that of the list.
func reportedMismatch(raw []byte, reported *json.UnmarshalTypeError) *mismatch {
	m := &mismatch{message: *ConversionOf(reported.Type).must}
	if reported.Field == "" {
		return m
	}
parts:
	for part := range strings.SplitSeq(reported.Field, ".") {
		if isObject(raw) {
			for member := range members(raw, 0) {
				if fold.Case(string(member.key)) == fold.Case(part) {
					m.path = join(m.path, string(member.key))
					raw = raw[member.begin:member.end]
					continue parts
				}
			}
		}
		m.message = reply.IsInvalid
		break
	}
	return m
}

// keyMismatch returns a mismatch if a map of type t does not take a key.
func keyMismatch(t reflect.Type, key string) *mismatch {
	object, err := json.Marshal(map[string]any{key: nil})
	if err == nil {
		err = json.Unmarshal(object, reflect.New(t).Interface())
	}
	if err == nil {
		return nil
	}
	return &mismatch{message: reply.IsInvalid}
}

// quotedMismatch returns a mismatch if a field that has the JSON option ",string" does not take a
// value.
func quotedMismatch(f *field, raw json.RawMessage) *mismatch {
	if _, ok := decodeQuoted(f.quoted, reflect.Value{}, raw); ok {
		return nil
	}
	return &mismatch{message: reply.MustBeQuoted(*f.converts.must)}
}

// decodeQuoted returns what encoding/json makes of a value for a field that has the JSON option
// ",string". quoted is the field's quotedType, and before the value that the field has, if any.
//
// ok is false if the value does not convert, and also for "NaN" and "Infinity". encoding/json has
// taken these since Go 1.27, although they are no numbers of JSON: it fails to write them.
func decodeQuoted(quoted reflect.Type, before reflect.Value, raw json.RawMessage) (v reflect.Value, ok bool) {
	s := reflect.New(quoted)
	v = s.Elem().Field(0)
	if before.IsValid() {
		v.Set(before)
	}
	text := append(append([]byte(`{"V":`), raw...), '}')
	return v, json.Unmarshal(text, s.Interface()) == nil && !isNaN(v)
}

// isNaN reports whether v is a float, or leads to one, that is NaN or infinite.
func isNaN(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0))
}

// holdsQuotedFloats reports whether a value of type t can hold a float of a field that has the
// JSON option ",string". It is called once for each type that Bind fills.
func holdsQuotedFloats(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || decodesItself(t) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsQuotedFloats(t.Elem(), seen)
	case reflect.Struct:
		for _, f := range fieldsInside(t).list {
			kind := behindPointers(f.sf.Type).Kind()
			isFloat := kind == reflect.Float32 || kind == reflect.Float64
			if f.quoted != nil && isFloat || holdsQuotedFloats(f.sf.Type, seen) {
				return true
			}
		}
	}
	return false
}
