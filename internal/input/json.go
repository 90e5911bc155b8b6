package input

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// scalarEnd returns where the text, number or word of valid JSON ends that begins at i.
func scalarEnd(raw []byte, i int) int {
	if raw[i] == '"' {
		for i++; ; i++ {
			i += bytes.IndexByte(raw[i:], '"')
			before := i
			for raw[before-1] == '\\' {
				before--
			}
			if (i-before)%2 == 0 { // else the quote is escaped
				return i + 1
			}
		}
	}
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case ' ', '\t', '\r', '\n', ',', ':', '[', ']', '{', '}', '"':
			return i
		}
	}
	return len(raw)
}

// valueEnd returns where the value ends that begins at i of valid JSON.
func valueEnd(raw []byte, i int) int {
	depth := 0
	for {
		switch raw[i] {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		case '[', '{':
			depth++
			i++
		case ']', '}':
			depth--
			i++
		default:
			i = scalarEnd(raw, i)
		}
		if depth == 0 {
			return i
		}
	}
}

func isObject(raw []byte) bool { return bytes.HasPrefix(raw[skipSpace(raw, 0):], []byte("{")) }

// A member is one of a JSON object.
type member struct {
	key        []byte // without quotes
	begin, end int    // of the value
}

// members are the members of the valid JSON object that begins at i, in their order.
func members(raw []byte, i int) iter.Seq[member] {
	return func(yield func(member) bool) {
		for i = skipSpace(raw, i); raw[i] != '}'; {
			begin := skipSpace(raw, i+1) // after the "{" or a ","
			if raw[begin] == '}' {
				break // there are none
			}
			end := scalarEnd(raw, begin)
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

// indexOf returns the members of a valid JSON object by their keys; of those with the
// same key, the last.
func indexOf(raw []byte) map[string]json.RawMessage {
	index := map[string]json.RawMessage{}
	for m := range members(raw, 0) {
		index[string(m.key)] = raw[m.begin:m.end:m.end]
	}
	return index
}

// isPlain reports whether what is between the quotes of a valid JSON string is the text
// itself.
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

// decodeJSON decodes valid JSON, with numbers as json.Number: a float64 would lose
// digits.
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
