package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"
)

// A type with a method for JSON tells nothing of what that takes and writes. So it is asked.

// samples are values of each kind of JSON. A type may take only some texts, as dates and colors.
var samples = []struct {
	kind  string
	texts []string
}{
	{"null", []string{`null`}},
	{"boolean", []string{`true`, `false`}},
	{"integer", []string{`1`, `0`, `2`, `-1`, `1767225600`, `1767225600000`}},
	{"number", []string{`1.5`, `0.25`, `-2.5`}},
	{"string", []string{`""`, `"a"`, `"ab"`, `"1"`, `"1.5"`, `"10"`, `"true"`, `"é"`, `"A"`, `"abcd"`, `"2026-01-02T03:04:05Z"`, `"2026-01-02"`, `"03:04"`, `"03:04:05"`, `"2026-01"`,
		`"018f0000-0000-7000-8000-000000000000"`, `"192.0.2.1"`, `"192.0.2.0/24"`, `"2001:db8::1"`, `"a@example.com"`, `"https://example.com/"`, `"example.com"`, `"/a"`,
		`"1h"`, `"1s"`, `"PT1H"`, `"#aabbcc"`, `"en"`, `"en-US"`, `"EUR"`, `"1 EUR"`, `"12.34"`, `"50%"`, `"1,2"`, `"1/2"`, `"1.0.0"`, `"YQ=="`, `"00"`, `"deadbeef"`, `"UTC"`, `"Europe/Berlin"`, `"+4930123456"`}},
	{"array", []string{`[]`, `[1]`, `["a"]`, `[1,2]`, `[1.5,2.5]`, `["a","b"]`, `[{}]`, `[null]`}},
	{"object", []string{`{}`, `{"a":1}`, `{"a":"b"}`}},
}

// kindOf returns the kind of a JSON text that encoding/json has written.
func kindOf(text []byte) string {
	switch text[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return "string"
	case '[':
		return "array"
	case '{':
		return "object"
	}
	var whole int64
	if json.Unmarshal(text, &whole) == nil {
		return "integer"
	}
	return "number"
}

// typesOf returns kinds in a fixed order, without integer if there is number. All of them say nothing.
func typesOf(kinds map[string]bool) (types Types) {
	for _, s := range samples {
		if kinds[s.kind] && (s.kind != "integer" || !kinds["number"]) {
			types = append(types, s.kind)
		}
	}
	if i := slices.Index(types, "null"); i == 0 && len(types) > 1 {
		types = append(types[1:], "null")
	}
	if len(types) == len(samples)-1 {
		return nil
	}
	return types
}

// ownWritten returns the kinds of JSON that a type with a method for it has written for its zero value,
// and for what it can read. A type that has only one for null, or none, says nothing.
func ownWritten(t reflect.Type) *Schema {
	if t == timeType {
		return &Schema{Type: Types{"string"}, Format: "date-time"}
	}
	kinds, dates := map[string]bool{}, true
	note := func(v reflect.Value) {
		if text, ok := encoded(v); ok {
			kinds[kindOf(text)] = true
			dates = dates && isDateTime(text)
		}
	}
	note(reflect.New(t))
	for _, s := range samples {
		for _, text := range s.texts {
			if v := reflect.New(t); decodes(v, text) {
				note(v)
			}
		}
	}
	return ownSchema(kinds, dates && kinds["string"])
}

func ownSchema(kinds map[string]bool, dates bool) *Schema {
	of := &Schema{Type: typesOf(kinds)}
	if len(of.Type) == 0 || slices.Equal(of.Type, Types{"null"}) {
		return &Schema{}
	}
	if dates {
		of.Format = "date-time"
	}
	return of
}

// isDateTime reports whether a JSON text is a time in RFC 3339, or null.
func isDateTime(text []byte) bool {
	var s *string
	if json.Unmarshal(text, &s) != nil {
		return false
	}
	if s == nil {
		return true
	}
	_, err := time.Parse(time.RFC3339, *s)
	return err == nil
}

// decodes reports whether a type takes a JSON text, which it may do by panicking.
func decodes(v reflect.Value, text string) (takes bool) {
	defer func() {
		if recover() != nil {
			takes = false
		}
	}()
	return json.Unmarshal([]byte(text), v.Interface()) == nil
}

// ownRead returns the kinds of JSON that a type with a method for it takes. It takes null only if that
// is a value of its own: by convention, a method ignores it.
func ownRead(t reflect.Type) *Schema {
	if t == timeType {
		return &Schema{Type: Types{"string"}, Format: "date-time"}
	}
	kinds, dates := map[string]bool{}, true
	texts := map[string]string{}
	note := func(kind, text string) {
		if decodes(reflect.New(t), text) {
			kinds[kind] = true
			if kind == "string" {
				dates = dates && isDateTime([]byte(text))
			}
			texts[kind] = text
		}
	}
	for _, s := range samples {
		for _, text := range s.texts {
			note(s.kind, text)
		}
	}
	if text, ok := encoded(reflect.New(t)); ok {
		note(kindOf(text), string(text))
	}
	if kinds["null"] && !meansNull(t) {
		delete(kinds, "null")
	}
	return ownSchema(kinds, dates && kinds["string"])
}

// meansNull reports whether null is a value of a type: it changes what was there before, or the type
// writes null.
func meansNull(t reflect.Type) bool {
	v := reflect.New(t)
	if text, ok := encoded(v); ok && string(text) == "null" {
		return true
	}
	return decodes(v, "null") && !v.Elem().IsZero()
}
