package rules

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/serve/wire/input"
)

// An asking asks Validate of one type.
type asking struct {
	t        reflect.Type
	asker    input.Asker
	messages input.Messages
	spots    []*spot
	byKey    map[string]*spot // by key in lower case
	bases    []*base          // the filled one first
	variants []variant        // see varied
	sorts    func() []sort    // of texts
}

// A base is a struct that differs in one field for each question.
type base struct {
	of     reflect.Value  // a pointer to it; each question gets a copy, since Validate may change it
	lists  [][]int        // its fields that are lists of plain values
	deep   bool           // it leads to more than these lists
	spoken map[*spot]bool // Validate has had a message for the field: it comes as far as that
}

func newBase(of reflect.Value) *base {
	b := &base{spoken: map[*spot]bool{}}
	b.change(of)
	return b
}

// change gives a base another struct.
func (b *base) change(of reflect.Value) {
	b.of, b.lists, b.deep = of, nil, false
	b.look(of.Elem(), nil)
}

// look finds out what the fields of a struct lead to.
func (b *base) look(v reflect.Value, path []int) {
	for i := range v.NumField() {
		f, at := v.Field(i), append(slices.Clip(path), i)
		switch isShared := f.CanSet() && shares(f.Type()) && !f.IsZero(); {
		case !isShared:
		case f.Kind() == reflect.Struct:
			b.look(f, at)
		case f.Kind() == reflect.Slice && !shares(f.Type().Elem()):
			b.lists = append(b.lists, at)
		default:
			b.deep = true
		}
	}
}

// copy returns a copy of the struct, and of what it leads to.
func (b *base) copy() reflect.Value {
	if b.deep {
		return input.CopyOf(b.of)
	}
	c := reflect.New(b.of.Type().Elem())
	c.Elem().Set(b.of.Elem())
	for _, path := range b.lists {
		list := c.Elem().FieldByIndex(path)
		list.Set(reflect.AppendSlice(reflect.MakeSlice(list.Type(), 0, list.Len()), list))
	}
	return c
}

// shares reports whether a copy of a value of type t may share memory with it.
func shares(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	case reflect.Array:
		return shares(t.Elem())
	case reflect.Struct:
		for sf := range t.Fields() {
			if (sf.IsExported() || sf.Anonymous) && shares(sf.Type) {
				return true
			}
		}
	}
	return false
}

// A setter gives a field a value. ok is false if the field has no such value.
type setter func(v reflect.Value) (ok bool)

// An answer is what Validate says to a question.
type answer int

const (
	silent  answer = iota // it says nothing of the field, and may not have come as far
	takes                 // it takes the value
	refuses               // it has a message for the field, or the value does not convert
)

// ask asks about a field with a value, in a base. inside says that a message for what is inside of the
// field is one for the field, too.
func (a *asking) ask(b *base, s *spot, set setter, inside bool) answer {
	named, others, ok := a.complaints(b, s, set, inside)
	switch {
	case named:
		b.spoken[s] = true
		return refuses
	case !ok || others && !b.spoken[s]:
		return silent
	}
	return takes
}

// complaints asks Validate, and reports whether it has messages for the field and for others. ok is
// false if it fails.
func (a *asking) complaints(b *base, s *spot, set setter, inside bool) (named, others, ok bool) {
	reached, converts := true, true
	invalid, ok := a.asker.Ask(func() reflect.Value {
		dst := b.copy()
		var v reflect.Value
		if v, reached = s.reach(dst); reached {
			converts = set(v)
		}
		return dst
	}, a.messages)
	switch {
	case !reached:
		return false, false, false
	case !converts:
		return true, false, ok
	}
	for key := range invalid {
		of := a.find(key)
		switch {
		case of == s, inside && isInside(strings.ToLower(key), strings.ToLower(s.key)):
			named = true
		default:
			others = true
		}
	}
	return named, others, ok
}

// isInside reports whether the key of a message is below another one. Rows of a list stand for the first.
func isInside(key, outer string) bool { return strings.HasPrefix(key, outer+".") }

// find returns the field that the key of a message is for, or nil.
func (a *asking) find(key string) *spot {
	key = strings.ToLower(key)
	if s := a.byKey[key]; s != nil {
		return s
	}
	parts := strings.Split(key, ".")
	for i, part := range parts {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			parts[i] = "0"
		}
	}
	return a.byKey[strings.Join(parts, ".")]
}

// randomBases is how many bases have random values.
const randomBases = 5

// makeBases makes the structs to ask about. Random values come from a fixed seed, so that each start
// finds the same.
func (a *asking) makeBases(examples []reflect.Value) {
	filled := newBase(input.Filler{Rows: true, Values: true}.New(a.t))
	a.pick(filled)
	zero, _ := newDefault(a.t)
	a.bases = []*base{filled, newBase(zero)}
	for _, example := range examples {
		a.bases = append(a.bases, newBase(example))
	}
	random := rand.New(rand.NewPCG(31, 32))
	for i := range randomBases {
		b := newBase(filled.copy())
		for _, s := range a.spots {
			if values := candidates(s); len(values) > 0 && random.IntN(randomBases) <= i { // few fields in the first, all in the last
				a.set(b, s, values[random.IntN(len(values))])
			}
		}
		a.bases = append(a.bases, b)
	}
}

// set gives a field of a base a value.
func (a *asking) set(b *base, s *spot, set setter) {
	defer func() { recover() }() // a method that decodes may panic
	changed := b.copy()
	if v, ok := s.reach(changed); ok && set(v) {
		b.change(changed)
	}
}

// pick chooses values that Validate has no message for, as far as it finds some.
func (a *asking) pick(b *base) {
	for _, s := range a.spots {
		values := candidates(s)
		if len(values) == 0 {
			continue
		}
		if a.ask(b, s, func(reflect.Value) bool { return true }, false) != refuses {
			continue
		}
		for _, set := range values {
			if a.ask(b, s, set, false) == takes {
				a.set(b, s, set)
				break
			}
		}
	}
}

// texts are values for fields that are texts: what applications ask for, and what they do not.
var texts = []string{"1", "", "a", "abcdefgh", "Abcdef1!", "abcdefghijklmnopqrst", "a@example.com", " ", strings.Repeat("ab ", 20), "12345", "https://example.com/a", "2026-01-02", "2026-01-02T03:04:05Z",
	"018f0000-0000-7000-8000-000000000000", "+4930123456", "en", "EUR", "DE", "#aabbcc", "12:00", "a-b", "example.com", "192.0.2.1", "A", "z", "é", "true", "0", "10", "-1"}

// numbers are values for fields that are numbers.
var numbers = []float64{1, 0, 2, -1, 10, 100, -100, 1000, 5, 3, -5, 20, 50, 18, 30, 2026, 0.5, 2.5, 1e6, 7}

// times are values for fields that are times.
var times = []string{"2026-01-02T03:04:05Z", "1990-01-01T00:00:00Z", "2100-01-01T00:00:00Z", "0001-01-01T00:00:00Z"}

// candidates returns values that a field may have.
func candidates(s *spot) (values []setter) {
	of := inner(s.schema)
	if len(of.Enum) > 0 {
		for _, v := range of.Enum {
			if text, err := json.Marshal(v); err == nil {
				values = append(values, setJSON(string(text)))
			}
		}
		return values
	}
	switch {
	case isTime(s.t):
		for _, text := range times {
			values = append(values, setJSON(quote(text)))
		}
		return values
	case s.more: // it has a value in the filled base
		return []setter{func(v reflect.Value) bool { v.SetZero(); return true }}
	case isQuoted(s) && behind(s.t).Kind() == reflect.Bool:
		of = &schema.Schema{Type: schema.Types{"boolean"}}
	case isQuoted(s):
		of = &schema.Schema{Type: schema.Types{"number"}}
	case of.IsAny():
		of = &schema.Schema{Type: schema.Types{"string", "object"}}
	}
	for _, kind := range of.Type {
		switch kind {
		case "string":
			for _, text := range texts {
				values = append(values, setText(text))
			}
		case "integer", "number":
			for _, n := range numbers {
				values = append(values, setNumber(n))
			}
		case "boolean":
			values = append(values, setJSON("true"), setJSON("false"))
		case "object": // a map, or any value
			for _, text := range []string{`{"a": "a"}`, `{"a": 1}`, `{"a": true}`, `{"a": {}}`, `{"a": []}`, `{}`} {
				values = append(values, setJSON(text))
			}
		case "array":
			for _, n := range []int{1, 0, 2, 3} {
				values = append(values, setItems(s, n, distinct))
			}
		}
	}
	return values
}

// fresh returns what pointers lead to, after they got something new to lead to.
func fresh(v reflect.Value) reflect.Value {
	for range 8 {
		if v.Kind() != reflect.Pointer {
			break
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	return v
}

func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// setJSON sets a value by its own method, or by the rules of encoding/json.
func setJSON(text string) setter {
	return func(v reflect.Value) (ok bool) {
		v.SetZero()
		return json.Unmarshal([]byte(text), v.Addr().Interface()) == nil
	}
}

func setText(text string) setter {
	return func(v reflect.Value) bool {
		v.SetZero()
		if of := fresh(v); of.Kind() == reflect.String && !input.DecodesItself(of.Type()) {
			of.SetString(text)
			return true
		}
		return setJSON(quote(text))(v)
	}
}

func setNumber(n float64) setter { return func(v reflect.Value) bool { return putNumber(v, n) } }

// putNumber is what setNumber does. It is a function of its own, or else the compiler would write it at
// each call of setNumber.
func putNumber(v reflect.Value, n float64) bool {
	v.SetZero()
	of := fresh(v)
	switch k := of.Kind(); {
	case input.DecodesItself(of.Type()):
	case of.CanInt() && n == float64(int64(n)) && !of.OverflowInt(int64(n)):
		of.SetInt(int64(n))
		return true
	case of.CanUint() && n >= 0 && n == float64(uint64(n)) && !of.OverflowUint(uint64(n)):
		of.SetUint(uint64(n))
		return true
	case k == reflect.Float64 || k == reflect.Float32 && !of.OverflowFloat(n):
		of.SetFloat(n)
		return true
	case of.CanInt() || of.CanUint():
		return false
	}
	text, err := json.Marshal(n)
	return err == nil && setJSON(string(text))(v)
}

func setNull(v reflect.Value) bool {
	v.SetZero()
	return json.Unmarshal([]byte("null"), v.Addr().Interface()) == nil
}

// setAbsent leaves a field as it is without the request.
func (a *asking) setAbsent(s *spot) setter {
	return func(v reflect.Value) bool {
		v.SetZero()
		if dst, ok := newDefault(a.t); ok && !strings.Contains(s.key, ".0.") {
			if before, ok := s.reach(dst); ok {
				v.Set(before)
			}
		}
		return true
	}
}

// contradicts reports whether Validate takes a value in some base.
func (a *asking) contradicts(s *spot, set setter, inside bool) bool {
	for _, b := range a.bases {
		if a.ask(b, s, set, inside) == takes {
			return true
		}
	}
	return false
}

// A variant is the filled base with another value in one field, which Validate takes there.
type variant struct {
	*base
	of *spot
}

// Each field has some variants, and a type has as many as that.
const (
	fieldVariants = 8
	maxVariants   = 256
)

// varied reports whether Validate takes a value if one of the other fields has another value: "to is not
// before from" depends on it.
func (a *asking) varied(s *spot, set setter, inside bool) bool {
	if a.variants == nil {
		a.variants = []variant{}
		for _, of := range a.spots {
			values := candidates(of)
			for _, value := range values[:min(len(values), fieldVariants)] {
				if b := newBase(a.bases[0].of); len(a.variants) < maxVariants && a.ask(b, of, value, false) != refuses {
					a.set(b, of, value)
					a.variants = append(a.variants, variant{b, of})
				}
			}
		}
	}
	return slices.ContainsFunc(a.variants, func(v variant) bool {
		return v.of != s && a.ask(v.base, s, set, inside) == takes
	})
}

// isRequired reports whether Validate refuses what lacks a field: in the filled base, and in no base it
// takes it.
func (a *asking) isRequired(s *spot) bool {
	absent := a.setAbsent(s)
	inside := s.more && behind(s.t).Kind() == reflect.Struct
	return a.ask(a.bases[0], s, absent, inside) == refuses && !a.contradicts(s, absent, inside) && !a.varied(s, absent, inside)
}

// refusesNull reports whether Validate refuses null, which the schema allows.
func (a *asking) refusesNull(s *spot) bool {
	isNullable := func(of *schema.Schema) bool {
		return len(of.Type) > 0 && of.Type.Allows("null") || len(of.AnyOf) == 2 && of.AnyOf[1].Type.Allows("null")
	}
	return isNullable(s.schema.Resolve()) && a.ask(a.bases[0], s, setNull, false) == refuses && !a.contradicts(s, setNull, false) && !a.varied(s, setNull, false)
}
