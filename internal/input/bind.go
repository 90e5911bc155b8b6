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
	"reflect"
	"slices"
	"strconv"
)

// Bind fills what dst, a pointer, points to from the body or, if there is none, from the
// query of r. For each key whose value does not convert it adds a message to invalid.
func (b *Body) Bind(r *http.Request, dst any, invalid map[string]string) error {
	v := reflect.ValueOf(dst).Elem()
	isStruct := v.Kind() == reflect.Struct
	_, custom := dst.(json.Unmarshaler)
	var c content
	var members map[string]json.RawMessage
	if b != nil {
		b.mu.Lock()
		if c = b.content; isStruct && !custom {
			members = b.index()
		}
		b.mu.Unlock()
	}
	switch {
	case c.json && isStruct && !custom:
		if !c.object {
			return bad("the body is not a JSON object")
		}
		return eachField(v, members, func(f reflect.Value, quoted bool, key string, raw json.RawMessage) {
			bindJSON(f, quoted, key, raw, invalid)
		})
	case c.json:
		if err := json.Unmarshal(c.raw, dst); err != nil {
			return bad("the body does not have the expected form")
		}
		return nil
	case !isStruct:
		return fmt.Errorf("flow: Bind fills a %T from JSON only: give a pointer to a struct", dst)
	case c.other && !isEmpty(r):
		return &Error{Status: http.StatusUnsupportedMediaType, Message: "the body is neither JSON nor a form"}
	}
	form := c.form
	if form == nil {
		form = r.URL.Query()
	}
	return eachField(v, form, func(f reflect.Value, _ bool, key string, values []string) {
		bindForm(f, key, values, invalid)
	})
}

// eachField calls bind for the fields of a struct that the data has a key for.
func eachField[V any](dst reflect.Value, data map[string]V, bind func(f reflect.Value, quoted bool, key string, value V)) error {
	fs := fieldsOf(dst.Type())
	keys := make([]string, len(fs.list))
	findKeys(fs, data, keys)
	for i, key := range keys {
		if key == "" {
			continue
		}
		f, err := fs.list[i].of(dst)
		if err != nil {
			return err
		}
		bind(f, fs.list[i].quoted, key, data[key])
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

// bindJSON fills a field with a value of JSON. quoted says that it may stand in quotes.
func bindJSON(f reflect.Value, quoted bool, key string, raw json.RawMessage, invalid map[string]string) {
	dst := f.Addr().Interface()
	if raw[0] == '"' {
		text, isString := dst.(*string)
		switch {
		case quoted:
			raw = json.RawMessage(unquote(raw))
		case isString: // what most fields are
			*text = unquote(raw)
			return
		}
	}
	err := json.Unmarshal(raw, dst)
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch):
		if mismatch.Field != "" {
			key += "." + mismatch.Field
		}
		invalid[key] = "must be " + describe(mismatch.Type)
	case err != nil:
		invalid[key] = "is not valid"
	}
}

// bindForm fills a field with the values of a key: a list with all of them, any
// other with the first.
func bindForm(f reflect.Value, key string, values []string, invalid map[string]string) {
	list := f.Kind() == reflect.Slice && f.Type().Elem().Kind() != reflect.Uint8 && !isText(f)
	if kind := f.Kind(); kind != reflect.String && !(list && f.Type().Elem().Kind() == reflect.String) {
		values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	}
	switch {
	case len(values) == 0:
	case f.Kind() == reflect.Pointer:
		p := reflect.New(f.Type().Elem())
		bindForm(p.Elem(), key, values, invalid)
		f.Set(p)
	case list:
		items := reflect.MakeSlice(f.Type(), len(values), len(values))
		for i, value := range values {
			bindValue(items.Index(i), key, value, invalid)
		}
		f.Set(items)
	default:
		bindValue(f, key, values[0], invalid)
	}
}

func isText(f reflect.Value) bool {
	_, ok := f.Addr().Interface().(encoding.TextUnmarshaler)
	return ok
}

// bindValue converts one value.
func bindValue(f reflect.Value, key, value string, invalid map[string]string) {
	if f.Kind() == reflect.Pointer {
		p := reflect.New(f.Type().Elem())
		bindValue(p.Elem(), key, value, invalid)
		f.Set(p)
		return
	}
	if isText(f) {
		if f.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(value)) != nil {
			invalid[key] = "is not valid"
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
		invalid[key] = "must be " + describe(f.Type())
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
