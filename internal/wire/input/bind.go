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

// Params has the values of route parameters. flow.Request implements it.
type Params interface {
	Param(name string) string
	Segments(name string) []string
}

// Bind fills the value that dst points to from the body, or from the query of r if there is
// no body. Fields with the tag param or query are filled from the route or from the query.
// Then it calls the Validate methods of dst and of the structs inside. It returns messages
// about values that do not convert or are invalid, by path. The function messages extracts
// those from an error of Validate.
//
// strict is for the input of a typed handler: a parameter of the route that does not convert is
// an Error of status 404, since there is no such page. The mistakes in its type are faults of the
// handler. Nothing else has looked at other types: the first call for one also returns the
// mistakes in it, for the log.
func (b *Body) Bind(r *http.Request, route Params, dst any, strict bool, messages Messages) (invalid map[string]string, mistakes []Mistake, err error) {
	p := planOf(reflect.TypeOf(dst).Elem())
	if !strict && len(p.mistakes) > 0 && p.told.CompareAndSwap(false, true) {
		mistakes = p.mistakes
	}
	if p.err != nil {
		return nil, mistakes, p.err
	}
	v := reflect.ValueOf(dst).Elem()
	to := binding{dst: v, copies: newCopies(v), strict: strict}
	if err = b.fill(r, route, dst, p, &to); err != nil {
		return nil, mistakes, err
	}
	invalid, err = p.validate(dst, &to, messages)
	return invalid, mistakes, err
}

// fill is Bind without Validate.
func (b *Body) fill(r *http.Request, route Params, dst any, p *plan, to *binding) error {
	var c content
	if b != nil && (p.custom || p.needsData()) {
		c = b.content
	}
	whole := c.json && (p.custom || p.jsonOnly)
	switch {
	case whole:
		to.copies.detach(to.dst, c.raw[skipSpace(c.raw, 0):])
		if err := json.Unmarshal(c.raw, dst); err != nil {
			return bad("the body does not have the expected form")
		}
	case c.json && !c.object:
		return bad("the body is not a JSON object")
	case c.json:
	case p.jsonOnly && (c.form != nil || c.unparsed && !isEmpty(r)):
		return &Error{Status: http.StatusUnsupportedMediaType, Message: "the body is not JSON"}
	case p.jsonOnly:
		return bad("the body is empty, and JSON is expected")
	case c.unparsed && !isEmpty(r):
		return &Error{Status: http.StatusUnsupportedMediaType, Message: "the body is neither JSON nor a form"}
	}
	if p.jsonOnly {
		return nil
	}
	hasBody := c.json || c.form != nil
	var query url.Values
	if r.URL.RawQuery != "" && (!hasBody || len(p.query.list) > 0) {
		query = r.URL.Query()
	}
	to.route(p.route, route)
	if to.strict && len(to.invalid) > 0 && to.err == nil {
		return &Error{Status: http.StatusNotFound}
	}
	switch {
	case !hasBody:
		to.form(p.data, query, true)
	case !c.json:
		to.form(p.data, c.form, false)
	case !whole:
		to.object(p.data, c.raw)
	}
	to.form(p.query, query, false)
	return to.err
}

// A binding is one call of Bind.
type binding struct {
	dst         reflect.Value
	copies      *copies           // nil if dst was new
	filled      [][]int           // indexes of fields with a tag param or query that have got a value
	invalid     map[string]string // messages about what does not convert, by path; nil if there are none
	unconverted []string          // the keys that these messages are about
	strict      bool              // a parameter of the route that does not convert is an error
	err         error             // why a field cannot be filled whatever the request holds; nil for most types
}

// reject notes that the value of a key does not convert. path leads to what is wrong inside
// of the value, and is "" for all of it.
func (to *binding) reject(key, path, message string) {
	if to.invalid == nil {
		to.invalid = map[string]string{}
	}
	to.invalid[join(key, path)] = message
	to.unconverted = append(to.unconverted, key)
}

// field returns a field for filling. ok is false if a source that goes before has filled it,
// and if it cannot be filled: see binding.err.
func (to *binding) field(f *field) (v reflect.Value, ok bool) {
	if slices.ContainsFunc(to.filled, func(index []int) bool { return slices.Equal(index, f.index) }) {
		return v, false
	}
	if f.fromURL {
		to.filled = append(to.filled, f.index)
	}
	if v, ok = to.copies.field(to.dst, f.index, true); !ok {
		to.err = fmt.Errorf("flow: Bind cannot fill %q: it is in an embedded %v, which is nil and cannot be set from outside its package: embed the struct itself, or set the pointer before", f.name, v.Type())
	}
	return v, ok
}

// route fills fields from the parameters of the route.
func (to *binding) route(fs *fields, params Params) {
	for _, f := range fs.list {
		text := params.Param(f.name)
		if text == "" { // the URL does not have the parameter: its value is never empty
			continue
		}
		v, ok := to.field(f)
		switch {
		case !ok:
		case isList(v.Type()):
			to.values(v, f.name, params.Segments(f.name))
		default:
			to.values(v, f.name, []string{text})
		}
	}
}

// object fills fields from the members of a valid JSON object.
func (to *binding) object(fs *fields, raw []byte) {
	var few [8]choice[json.RawMessage] // on the stack, enough for most structs
	choices := slices.Grow(few[:0], len(fs.list))[:len(fs.list)]
	for m := range members(raw, 0) {
		if place, ok := fs.find(string(m.key)); ok {
			key := fs.list[place].name
			if key != string(m.key) { // only another spelling needs an allocation
				key = string(m.key)
			}
			choices[place].offer(fs.list[place], key, raw[m.begin:m.end])
		}
	}
	for i, c := range choices {
		if c.key == "" {
			continue
		}
		v, ok := to.field(fs.list[i])
		if !ok {
			continue
		}
		to.copies.detach(v, c.value)
		if quoted := fs.list[i].quoted; quoted != nil {
			to.quoted(v, quoted, c.key, c.value)
		} else {
			to.json(v, c.key, c.value)
		}
	}
}

// form fills fields from a form or from the query. instead says that it is the query in place
// of a body. Fields with a tag query are left out then: they are filled by that name only.
func (to *binding) form(fs *fields, form url.Values, instead bool) {
	if len(form) == 0 {
		return
	}
	choices := make([]choice[[]string], len(fs.list))
	for key, values := range form {
		if place, ok := fs.find(key); ok {
			choices[place].offer(fs.list[place], key, values)
		}
	}
	for i, c := range choices {
		if c.key == "" || instead && fs.list[i].fromQuery {
			continue
		}
		if v, ok := to.field(fs.list[i]); ok {
			to.values(v, c.key, c.value)
		}
	}
}

// isEmpty reports whether a body that was not read is empty. It reads the first byte, since a
// body may have no Content-Length, and leaves the whole body in r.Body.
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

// quoted fills a field that has the JSON option ",string". It has encoding/json fill a struct
// of type alone, whose only field V has the same type and option, so that the same values are
// accepted.
func (to *binding) quoted(f reflect.Value, alone reflect.Type, key string, raw json.RawMessage) {
	s := reflect.New(alone)
	s.Elem().Field(0).Set(f)
	if err := json.Unmarshal(fmt.Appendf(nil, `{"V":%s}`, raw), s.Interface()); err != nil {
		to.reject(key, "", "must be "+describe(f.Type())+", in quotes")
	}
	f.Set(s.Elem().Field(0))
}

// json fills a field with a value of JSON. Of several values inside that do not convert,
// encoding/json reports the first, with the path of struct fields.
func (to *binding) json(f reflect.Value, key string, raw json.RawMessage) {
	dst := f.Addr().Interface()
	if setPlain(dst, raw) {
		return
	}
	err := json.Unmarshal(raw, dst)
	if err == nil {
		return
	}
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		to.reject(key, "", "is not valid")
		return
	}
	to.reject(key, mismatch.Field, "must be "+describe(mismatch.Type))
}

// setPlain sets a field of a frequent type, if the value converts. It does the same as
// encoding/json, and is quicker.
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

// isList reports whether a field of type t gets all values of a repeated key. Other fields get
// the first.
func isList(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && !reflect.PointerTo(t).Implements(textUnmarshaler)
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// values fills a field with the values of a key of a form, of the query or of the route. Empty
// values count only for strings.
func (to *binding) values(f reflect.Value, key string, values []string) {
	list := f.Kind() != reflect.Pointer && isList(f.Type())
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

// value fills a field, or an item of a slice, with one value.
func (to *binding) value(f reflect.Value, key, value string) {
	if f.Kind() == reflect.Pointer {
		p := reflect.New(f.Type().Elem())
		to.value(p.Elem(), key, value)
		f.Set(p)
		return
	}
	if isText(f) {
		to.copies.detach(f, []byte(`""`))
		if f.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(value)) != nil {
			to.reject(key, "", "is not valid")
		}
		return
	}
	err := strconv.ErrSyntax // for kinds that cannot be filled from text
	switch f.Kind() {
	case reflect.String:
		f.SetString(value)
		return
	case reflect.Bool:
		var b bool
		if b, err = strconv.ParseBool(value); value == "on" { // browsers send this for a checkbox
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
		to.reject(key, "", "must be "+describe(f.Type()))
	}
}

// describe names the values that type t accepts, for people who fill in a form.
func describe(t reflect.Type) string {
	t = pointedTo(t)
	if p := reflect.PointerTo(t); p.Implements(textUnmarshaler) && !p.Implements(unmarshaler) {
		return "text"
	}
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
