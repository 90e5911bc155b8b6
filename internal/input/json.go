package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"unicode/utf8"
)

// maxDepth is how deep the lists and objects of a JSON body may be nested. No honest
// data comes near it; encoding/json takes 10,000, and code that walks over a decoded
// value calls itself once for each level.
const maxDepth = 200

// A JSON body may hold one value for each valueBytes of MaxBody, but always minValues:
// an empty object has two bytes, but takes about a hundred when it is decoded.
const (
	valueBytes = 64
	minValues  = 10_000
)

// checkJSON returns what is wrong with a body of JSON, whose limit is maxBody bytes: it
// is nested too deeply, holds too many values or is not valid. The limits go first,
// since json.Valid takes most of the time. An error about a limit has a cause for the
// log, since the limit may be too low for honest data.
func checkJSON(raw []byte, maxBody int64) error {
	maxValues := max(maxBody/valueBytes, minValues)
	depth, values := 0, int64(0)
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case ' ', '\t', '\r', '\n', ',':
		case ':':
			values-- // what is before it is a key
		case ']', '}':
			depth--
		case '[', '{':
			depth++
			values++
		default:
			values++
			i = scalarEnd(raw, i) - 1
		}
		if depth > maxDepth {
			return &Error{http.StatusBadRequest, "the body is nested too deeply",
				fmt.Errorf("JSON of %d bytes is nested more than %d deep", len(raw), maxDepth)}
		}
		if values > maxValues {
			return &Error{http.StatusBadRequest, "the body holds too many values",
				fmt.Errorf("JSON of %d bytes holds more than %d values, the most that a MaxBody of %d allows", len(raw), maxValues, maxBody)}
		}
	}
	if !json.Valid(raw) {
		return bad("the body is not valid JSON")
	}
	return nil
}

// scalarEnd returns where the text, number or word ends that begins at i.
func scalarEnd(raw []byte, i int) int {
	if raw[i] == '"' {
		for i++; i < len(raw); i++ {
			switch raw[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(raw)
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

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n') {
		i++
	}
	return i
}

func isObject(raw []byte) bool { return bytes.HasPrefix(raw[skipSpace(raw, 0):], []byte("{")) }

// members are the members of a valid JSON object in their order: each key as its text is,
// without quotes, and each value as it stands there.
func members(raw []byte) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func(key []byte, value json.RawMessage) bool) {
		for i := skipSpace(raw, 0); raw[i] != '}'; {
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
			if !yield(key, raw[begin:end:end]) {
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
	for key, value := range members(raw) {
		index[string(key)] = value
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
