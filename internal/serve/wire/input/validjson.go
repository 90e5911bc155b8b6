package input

import (
	"fmt"
	"net/http"
	"strings"

	"example.com/flow/internal/serve/wire/reply"
)

// maxDepth is how deep the arrays and objects of a JSON body may be nested. Real data is far
// less deep. encoding/json allows 10,000, which is much for code that recurses into a decoded
// value.
const maxDepth = 200

// A JSON body may hold one value for each valueBytes of MaxBody, and minValues in any case.
// The limit bounds memory: an empty object has two bytes, and takes about a hundred when it
// is decoded.
const (
	valueBytes = 64
	minValues  = 10_000
)

// checkJSON returns an error if a body is no valid JSON, is nested too deeply, or holds too many
// values for a limit of maxBody bytes. An error about a limit has a Cause for the log, since
// the limit may be too low for the application.
func checkJSON(raw []byte, maxBody int64) error {
	c := checker{raw: raw, room: max(maxBody/valueBytes, minValues)}
	maxValues := c.room
	end := c.value(0, 0)
	switch {
	case c.tooDeep:
		return &Error{http.StatusBadRequest, reply.BodyTooDeep,
			fmt.Errorf("JSON of %d bytes is nested more than %d deep", len(raw), maxDepth)}
	case c.room < 0:
		return &Error{http.StatusBadRequest, reply.BodyTooManyValues,
			fmt.Errorf("JSON of %d bytes holds more than %d values, the most that a MaxBody of %d allows", len(raw), maxValues, maxBody)}
	case end < 0 || skipSpace(raw, end) < len(raw):
		return bad(reply.BodyNotJSON)
	}
	return nil
}

// A checker checks JSON in one pass. It accepts what json.Valid accepts, within the limits. Its
// methods, and the functions below, take the offset of a value and return the offset of its
// end, or -1 if the value is not valid or exceeds a limit.
type checker struct {
	raw     []byte
	room    int64 // how many more values are allowed; negative beyond the limit
	tooDeep bool
}

// value returns the end of the value at i, after white space. depth is the number of arrays
// and objects around it.
func (c *checker) value(i, depth int) int {
	i = skipSpace(c.raw, i)
	if c.room--; c.room < 0 || i == len(c.raw) {
		return -1
	}
	switch c.raw[i] {
	case '"':
		return textEnd(c.raw, i)
	case '[', '{':
		return c.list(i, depth+1)
	case 't':
		return wordEnd(c.raw, i, "true")
	case 'f':
		return wordEnd(c.raw, i, "false")
	case 'n':
		return wordEnd(c.raw, i, "null")
	}
	return numberEnd(c.raw, i)
}

// list returns the end of the array or object at i.
func (c *checker) list(i, depth int) int {
	if depth > maxDepth {
		c.tooDeep = true
		return -1
	}
	opens, closes := c.raw[i], c.raw[i]+2 // in ASCII, "]" is 2 behind "[", and "}" 2 behind "{"
	if i = skipSpace(c.raw, i+1); at(c.raw, i) == closes {
		return i + 1 // it is empty
	}
	for {
		if opens == '{' {
			if i = skipSpace(c.raw, i); at(c.raw, i) != '"' {
				return -1
			}
			if i = textEnd(c.raw, i); i < 0 {
				return -1
			}
			if i = skipSpace(c.raw, i); at(c.raw, i) != ':' {
				return -1
			}
			i++
		}
		if i = c.value(i, depth); i < 0 {
			return -1
		}
		i = skipSpace(c.raw, i)
		switch at(c.raw, i) {
		case closes:
			return i + 1
		case ',':
			i++
		default:
			return -1
		}
	}
}

// at returns the byte at i, or 0 if i is beyond the end. Valid JSON has no byte 0.
func at(raw []byte, i int) byte {
	if i < len(raw) {
		return raw[i]
	}
	return 0
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// textEnd returns the end of the string whose opening quote is at i.
func textEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		if isSpecial[raw[i]] {
			switch {
			case raw[i] == '"':
				return i + 1
			case raw[i] < ' ':
				return -1
			}
			if i = escapeEnd(raw, i) - 1; i < 0 {
				return -1
			}
		}
	}
	return -1
}

// isSpecial has the bytes of a string that need a closer look: quote, backslash, controls.
var isSpecial = func() (special [256]bool) {
	for b := range byte(' ') {
		special[b] = true
	}
	special['"'], special['\\'] = true, true
	return special
}()

// escapeEnd returns the end of the escape sequence whose backslash is at i.
func escapeEnd(raw []byte, i int) int {
	i++
	if at(raw, i) != 'u' {
		if strings.IndexByte(`"\/bfnrt`, at(raw, i)) < 0 {
			return -1
		}
		return i + 1
	}
	for range 4 {
		if i++; !isHex(at(raw, i)) {
			return -1
		}
	}
	return i + 1
}

func isHex(b byte) bool { return isDigit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func wordEnd(raw []byte, i int, word string) int {
	if end := i + len(word); end <= len(raw) && string(raw[i:end]) == word {
		return end
	}
	return -1
}

// numberEnd returns the end of the number at i.
func numberEnd(raw []byte, i int) int {
	if at(raw, i) == '-' {
		i++
	}
	if at(raw, i) == '0' {
		i++
	} else if i = digitsEnd(raw, i); i < 0 {
		return -1
	}
	if at(raw, i) == '.' {
		if i = digitsEnd(raw, i+1); i < 0 {
			return -1
		}
	}
	if b := at(raw, i); b == 'e' || b == 'E' {
		if b := at(raw, i+1); b == '+' || b == '-' {
			i++
		}
		i = digitsEnd(raw, i+1)
	}
	return i
}

// digitsEnd returns the end of the digits at i, of which there must be one at least.
func digitsEnd(raw []byte, i int) int {
	if !isDigit(at(raw, i)) {
		return -1
	}
	for isDigit(at(raw, i)) {
		i++
	}
	return i
}
