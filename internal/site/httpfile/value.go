package httpfile

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// An Answer is the answer to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	decoded bool
	root    any // of the body, once decoded
}

// A value is one of JSON: nil, bool, float64, string, []any or *object; or undefined. As in
// JavaScript, which judges expectations in httpyac, numbers are floating-point numbers and the
// members of an object keep their order.

// An object is an object of JSON.
type object struct {
	keys    []string // in the order of the text
	members map[string]any
}

// undefined is the value of what is not there.
var undefined any = new(struct{ _ int })

// A place leads to a value within another: the keys and indexes of "errors[0].name" are
// "errors", "[0]" and "name".
type place []string

var (
	placeText = regexp.MustCompile(`^(?:[A-Za-z0-9_-]+|\[\d{1,9}\])(?:\.[A-Za-z0-9_-]+|\[\d{1,9}\])*$`)
	placeItem = regexp.MustCompile(`[A-Za-z0-9_-]+|\[\d+\]`)
)

// parsePlace parses a place such as "user.roles[0]".
func parsePlace(text string) (p place, ok bool) {
	if !placeText.MatchString(text) {
		return nil, false
	}
	return placeItem.FindAllString(text, -1), true
}

// at returns the value at a place of the body. It is undefined if there is none, or the body
// is not JSON.
func (a *Answer) at(p place) any {
	v := a.decode()
	for _, key := range p {
		digits, isIndex := strings.CutPrefix(key, "[")
		index, _ := strconv.Atoi(strings.TrimSuffix(digits, "]"))
		if isIndex {
			key = strconv.Itoa(index) // without leading zeros
		}
		switch of := v.(type) {
		case *object:
			member, ok := of.members[key]
			if !ok {
				return undefined
			}
			v = member
		case []any:
			switch {
			case key == "length":
				v = float64(len(of))
			case !isIndex || index >= len(of):
				return undefined
			default:
				v = of[index]
			}
		case string:
			if key != "length" {
				return undefined
			}
			v = float64(len(utf16.Encode([]rune(of))))
		default:
			return undefined
		}
	}
	return v
}

// decode returns the body as a value, or undefined if its media type is not JSON or it is
// malformed.
func (a *Answer) decode() any {
	if !a.decoded {
		a.decoded, a.root = true, undefined
		mediaType, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
		if mediaType == "application/json" || mediaType == "text/json" || strings.Contains(mediaType, "+json") {
			a.root = decodeJSON(a.Body)
		}
	}
	return a.root
}

// decodeJSON returns the value of a JSON text, or undefined if it is malformed.
func decodeJSON(text []byte) any {
	if !json.Valid(text) { // it also limits the depth of nested values
		return undefined
	}
	d := json.NewDecoder(bytes.NewReader(text))
	return nextValue(d)
}

// nextValue reads a value of a text that is known to be valid.
func nextValue(d *json.Decoder) any {
	token, err := d.Token()
	if err != nil {
		return math.Inf(1) // a number that no float64 can hold
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, nextValue(d))
		}
		d.Token()
		return list
	case json.Delim('{'):
		o := &object{members: map[string]any{}}
		for d.More() {
			key, _ := d.Token()
			name, _ := key.(string)
			if _, twice := o.members[name]; !twice {
				o.keys = append(o.keys, name)
			}
			o.members[name] = nextValue(d)
		}
		d.Token()
		return o
	}
	return token
}

// stringify returns a value as JSON, without spaces.
func stringify(v any) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case *object:
		for i, key := range v.keys {
			b.WriteByte("{,"[min(i, 1)])
			writeScalar(b, key)
			b.WriteByte(':')
			write(b, v.members[key])
		}
		if len(v.keys) == 0 {
			b.WriteByte('{')
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, item)
		}
		b.WriteByte(']')
	default:
		writeScalar(b, v)
	}
}

func writeScalar(b *strings.Builder, v any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		io.WriteString(b, "null")
		return
	}
	b.WriteString(strings.TrimSuffix(text.String(), "\n"))
}

// toText returns a value as the text in which conditions such as includes look. It reports
// false for a value that is none: "", false, null, and what is not there.
func toText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, v != ""
	case float64, []any, *object:
		return stringify(v), true
	case bool:
		return "true", v
	}
	return "", false
}

var number = regexp.MustCompile(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`)

// toNumber returns the number that a value is, or that its text begins with.
func toNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(number.FindString(strings.TrimSpace(v)), 64)
		return n, err == nil
	}
	return 0, false
}

// isTruthy reports whether a value is true, or anything but false, 0, "", null and undefined.
func isTruthy(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	}
	return v != nil && v != undefined
}
