package fit

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
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

// parse reads a text that is known to be valid JSON. It is a reader of its own, since that of
// encoding/json takes eight times as long, and Check reads each example.
func parse(text []byte) value {
	r := reader{text: text}
	return r.value()
}

// A reader is at a place of a valid text.
type reader struct {
	text []byte
	at   int
}

// next returns the byte that the next token begins with.
func (r *reader) next() byte {
	for strings.IndexByte(" \t\r\n,:", r.text[r.at]) >= 0 {
		r.at++
	}
	return r.text[r.at]
}

// value reads the next value.
func (r *reader) value() (v value) {
	begin := r.next()
	v.offset = r.at
	switch begin {
	case 'n':
		v.kind = "null"
		r.at += len("null")
	case 't':
		v.kind = "boolean"
		r.at += len("true")
	case 'f':
		v.kind = "boolean"
		r.at += len("false")
	case '"':
		v.kind = "string"
		r.string()
	case '[':
		v.kind = "array"
		for r.at++; r.next() != ']'; {
			v.items = append(v.items, r.value())
		}
		r.at++
	case '{':
		v.kind = "object"
		for r.at++; r.next() != '}'; {
			m := member{offset: r.at}
			m.key = unquoted(r.string())
			m.value = r.value()
			v.members = append(v.members, m)
		}
		r.at++
	default:
		for r.at < len(r.text) && strings.IndexByte("+-.eE0123456789", r.text[r.at]) >= 0 {
			r.at++
		}
		v.kind = "number"
		if isWhole(json.Number(r.text[v.offset:r.at])) {
			v.kind = "integer"
		}
	}
	v.text = r.text[v.offset:r.at]
	return v
}

// string reads a string, and returns it as it is written.
func (r *reader) string() []byte {
	begin := r.at
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	return r.text[begin:r.at]
}

// unquoted returns the text of a string of JSON.
func unquoted(written []byte) (text string) {
	if bytes.IndexByte(written, '\\') < 0 && utf8.Valid(written) {
		return string(written[1 : len(written)-1])
	}
	if json.Unmarshal(written, &text) != nil {
		return "" // does not happen
	}
	return text
}
