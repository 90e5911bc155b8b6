package input

import (
	"bufio"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
)

// Bind fills what dst, a pointer, points to from the body or, if there is none, from the
// query of r. It returns a message for each key whose value does not convert.
func (b *Body) Bind(r *http.Request, dst any) (invalid map[string]string, err error) {
	v := reflect.ValueOf(dst).Elem()
	isStruct := v.Kind() == reflect.Struct
	_, custom := dst.(json.Unmarshaler)
	var c content
	if b != nil {
		c = b.content
	}
	to := binding{}
	switch {
	case c.json && isStruct && !custom:
		if !c.object {
			return nil, bad("the body is not a JSON object")
		}
		err = to.object(v, c.raw)
	case c.json:
		if err := json.Unmarshal(c.raw, dst); err != nil {
			return nil, bad("the body does not have the expected form")
		}
	case !isStruct:
		return nil, fmt.Errorf("flow: Bind fills a %T from JSON only: give a pointer to a struct", dst)
	case c.other && !isEmpty(r):
		return nil, &Error{Status: http.StatusUnsupportedMediaType, Message: "the body is neither JSON nor a form"}
	case c.form != nil:
		err = to.form(v, c.form)
	default:
		err = to.form(v, r.URL.Query())
	}
	return to.invalid, err
}

// A binding fills a struct with what a request brings.
type binding struct {
	invalid map[string]string // messages about what does not convert, by key; nil if there are none
}

func (to *binding) reject(key, message string) {
	if to.invalid == nil {
		to.invalid = map[string]string{}
	}
	to.invalid[key] = message
}

// object fills a struct with the members of a valid JSON object.
func (to *binding) object(dst reflect.Value, raw []byte) error {
	fs := fieldsOf(dst.Type())
	var few [8]choice[json.RawMessage] // to keep those of most structs off the heap
	choices := slices.Grow(few[:0], len(fs.list))[:len(fs.list)]
	for name, value := range members(raw) {
		if place, ok := fs.find(string(name)); ok {
			key := fs.list[place].name
			if key != string(name) { // most are the very name, and need no copy
				key = string(name)
			}
			choices[place].offer(&fs.list[place], key, value)
		}
	}
	for i, c := range choices {
		if c.key == "" {
			continue
		}
		f, err := fs.list[i].of(dst)
		if err != nil {
			return err
		}
		to.json(f, fs.list[i].quoted, c.key, c.value)
	}
	return nil
}

// form fills a struct with the values of a form or a query.
func (to *binding) form(dst reflect.Value, form url.Values) error {
	fs := fieldsOf(dst.Type())
	choices := make([]choice[[]string], len(fs.list))
	for key, values := range form {
		if place, ok := fs.find(key); ok {
			choices[place].offer(&fs.list[place], key, values)
		}
	}
	for i, c := range choices {
		if c.key == "" {
			continue
		}
		f, err := fs.list[i].of(dst)
		if err != nil {
			return err
		}
		to.values(f, c.key, c.value)
	}
	return nil
}

// isEmpty reports whether a body that was not read is empty. If it has no
// Content-Length, only reading tells.
func isEmpty(r *http.Request) bool {
	if r.Body == nil {
		return true
	}
	body := bufio.NewReader(r.Body)
	_, err := body.Peek(1)
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	return err == io.EOF
}

// json fills a field with a value of JSON. quoted says that it may stand in quotes.
func (to *binding) json(f reflect.Value, quoted bool, key string, raw json.RawMessage) {
	dst := f.Addr().Interface()
	switch {
	case quoted && raw[0] == '"':
		raw = json.RawMessage(unquote(raw))
	case !quoted && setPlain(dst, raw):
		return
	}
	err := json.Unmarshal(raw, dst)
	if err == nil {
		return
	}
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		to.reject(key, "is not valid")
		return
	}
	if mismatch.Field != "" {
		key += "." + mismatch.Field
	}
	to.reject(key, "must be "+describe(mismatch.Type))
}

// setPlain sets what most fields are, if the value fits: it is quicker than
// encoding/json, and does the same.
func setPlain(dst any, raw json.RawMessage) (ok bool) {
	isNumber := raw[0] == '-' || isDigit(raw[0])
	switch dst := dst.(type) {
	case *string:
		if raw[0] == '"' {
			*dst = unquote(raw)
			return true
		}
	case *bool:
		if raw[0] == 't' || raw[0] == 'f' {
			*dst = raw[0] == 't'
			return true
		}
	case *int:
		if n, err := strconv.Atoi(string(raw)); isNumber && err == nil {
			*dst = n
			return true
		}
	case *int64:
		if n, err := strconv.ParseInt(string(raw), 10, 64); isNumber && err == nil {
			*dst = n
			return true
		}
	case *float64:
		if n, err := strconv.ParseFloat(string(raw), 64); isNumber && err == nil {
			*dst = n
			return true
		}
	}
	return false
}

// values fills a field with the values of a key: a list with all of them, any other with
// the first.
func (to *binding) values(f reflect.Value, key string, values []string) {
	list := f.Kind() == reflect.Slice && f.Type().Elem().Kind() != reflect.Uint8 && !isText(f)
	if kind := f.Kind(); kind != reflect.String && !(list && f.Type().Elem().Kind() == reflect.String) {
		values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	}
	switch {
	case len(values) == 0:
	case f.Kind() == reflect.Pointer:
		p := reflect.New(f.Type().Elem())
		to.values(p.Elem(), key, values)
		f.Set(p)
	case list:
		items := reflect.MakeSlice(f.Type(), len(values), len(values))
		for i, value := range values {
			to.value(items.Index(i), key, value)
		}
		f.Set(items)
	default:
		to.value(f, key, values[0])
	}
}

func isText(f reflect.Value) bool {
	_, ok := f.Addr().Interface().(encoding.TextUnmarshaler)
	return ok
}

// value fills a field, or an item of a list, with one value.
func (to *binding) value(f reflect.Value, key, value string) {
	if f.Kind() == reflect.Pointer {
		p := reflect.New(f.Type().Elem())
		to.value(p.Elem(), key, value)
		f.Set(p)
		return
	}
	if isText(f) {
		if f.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(value)) != nil {
			to.reject(key, "is not valid")
		}
		return
	}
	err := strconv.ErrSyntax // for kinds to which no text converts
	switch f.Kind() {
	case reflect.String:
		f.SetString(value)
		return
	case reflect.Bool:
		var b bool
		if b, err = strconv.ParseBool(value); value == "on" { // what browsers send for a checkbox
			b, err = true, nil
		}
		f.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(value, 10, f.Type().Bits())
		f.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var n uint64
		n, err = strconv.ParseUint(value, 10, f.Type().Bits())
		f.SetUint(n)
	case reflect.Float32, reflect.Float64:
		var n float64
		if n, err = strconv.ParseFloat(value, f.Type().Bits()); math.IsNaN(n) || math.IsInf(n, 0) {
			err = strconv.ErrSyntax
		}
		f.SetFloat(n)
	case reflect.Slice:
		if f.Type().Elem().Kind() == reflect.Uint8 {
			f.SetBytes([]byte(value))
			return
		}
	}
	if err != nil {
		f.SetZero()
		to.reject(key, "must be "+describe(f.Type()))
	}
}

// describe says what a value of a type looks like to whoever fills in a form.
func describe(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int8, reflect.Int16, reflect.Int32:
		n := int64(1) << (t.Bits() - 1)
		return fmt.Sprintf("a whole number from %d to %d", -n, n-1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return fmt.Sprintf("a whole number from 0 to %d", int64(1)<<t.Bits()-1)
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint64:
		return "a whole number that is not negative"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "another kind of value"
}
