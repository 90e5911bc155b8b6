package input

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"unicode/utf8"
)

// valueEnd returns the end of the value at i of valid JSON.
func valueEnd(raw []byte, i int) int {
	c := checker{raw: raw, room: math.MaxInt64}
	return c.value(i, 0)
}

func isObject(raw []byte) bool { return bytes.HasPrefix(raw[skipSpace(raw, 0):], []byte("{")) }

// A member is a member of a JSON object.
type member struct {
	key        []byte // unquoted
	begin, end int    // the offsets of the value
}

// members yields the members of the JSON object at i of valid JSON, in their order.
func members(raw []byte, i int) iter.Seq[member] {
	return func(yield func(member) bool) {
		for i = skipSpace(raw, i); raw[i] != '}'; {
			begin := skipSpace(raw, i+1) // after the "{" or a ","
			if raw[begin] == '}' {
				break // the object is empty
			}
			end := textEnd(raw, begin)
			key := raw[begin+1 : end-1]
			if !isPlain(key) {
				key = []byte(unquote(raw[begin:end]))
			}
			begin = skipSpace(raw, skipSpace(raw, end)+1) // after the ":"
			end = valueEnd(raw, begin)
			if !yield(member{key, begin, end}) {
				return
			}
			i = skipSpace(raw, end)
		}
	}
}

// indexOf returns the values of a valid JSON object by key. If a key is repeated, the last
// value counts.
func indexOf(raw []byte) map[string]json.RawMessage {
	index := map[string]json.RawMessage{}
	for m := range members(raw, 0) {
		index[string(m.key)] = raw[m.begin:m.end:m.end]
	}
	return index
}

// isPlain reports whether a valid JSON string, given without its quotes, needs no decoding.
func isPlain(quoted []byte) bool { return bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) }

// unquote decodes a valid JSON string.
func unquote(raw []byte) string {
	if quoted := raw[1 : len(raw)-1]; isPlain(quoted) {
		return string(quoted)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "" // does not happen
	}
	return text
}

// decodeJSON decodes valid JSON. Numbers become json.Number, since a float64 would lose digits.
func decodeJSON(raw []byte) (v any) {
	if raw[0] == '"' {
		return unquote(raw)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil // does not happen
	}
	return v
}
