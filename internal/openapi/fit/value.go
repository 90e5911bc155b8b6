package fit

import (
	"bytes"
	"encoding/json"
)

// A value is one of JSON, with the place where it stands in the text.
type value struct {
	offset  int
	kind    string // as in schema.Types; a whole number is an integer
	text    []byte // as it is written
	items   []value
	members []member
}

// A member is a key of an object, with its value.
type member struct {
	key    string
	offset int // of the key
	value  value
}

// parse reads a text that is known to be valid JSON.
func parse(text []byte) value {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return next(d, text)
}

// next reads the next value.
func next(d *json.Decoder, text []byte) (v value) {
	v.offset = skip(text, int(d.InputOffset()))
	token, err := d.Token()
	if err != nil {
		return v // does not happen
	}
	switch t := token.(type) {
	case nil:
		v.kind = "null"
	case bool:
		v.kind = "boolean"
	case string:
		v.kind = "string"
	case json.Number:
		v.kind = "number"
		if isWhole(t) {
			v.kind = "integer"
		}
	case json.Delim:
		v.kind = "array"
		if t == '{' {
			v.kind = "object"
		}
		for d.More() {
			m := member{offset: skip(text, int(d.InputOffset()))}
			if t == '{' {
				key, _ := d.Token()
				m.key, _ = key.(string)
			}
			m.value = next(d, text)
			if t == '{' {
				v.members = append(v.members, m)
			} else {
				v.items = append(v.items, m.value)
			}
		}
		d.Token()
	}
	v.text = text[v.offset:d.InputOffset()]
	return v
}

// skip returns where the next token begins, behind what separates it from the one before.
func skip(text []byte, offset int) int {
	return len(text) - len(bytes.TrimLeft(text[offset:], " \t\r\n,:"))
}
