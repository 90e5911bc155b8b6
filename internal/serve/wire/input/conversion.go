package input

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"example.com/flow/internal/serve/wire/reply"
)

// A Conversion is how texts become values of a type, and values become texts again. The texts
// are those of forms, of the query and of the route.
type Conversion struct {
	Kind  Kind           // of the value, or of each item of a list; pointers do not count
	List  bool           // it takes all texts of a repeated key, where others take the first
	must  *reply.Message // what the client reads of a value that does not convert: "must be a whole number"
	plain bool           // a string, number or boolean of JSON converts by the same rules: see setPlain
}

// A Kind says what a text becomes.
type Kind uint8

const (
	Unconvertible Kind = iota // no text becomes such a value
	String
	Bool
	Integer
	Natural // a whole number that is not negative
	Number
	Bytes
	Time
	Unmarshals // another type with UnmarshalText
	File       // of a multipart form; no text becomes one
)

// byKind has the conversions of types without methods.
var byKind = [...]Conversion{
	reflect.Bool:          {Kind: Bool, must: &reply.MustBeBool},
	reflect.Int:           {Kind: Integer, must: &reply.MustBeInteger},
	reflect.Int8:          {Kind: Integer, must: inRange(math.MinInt8, math.MaxInt8)},
	reflect.Int16:         {Kind: Integer, must: inRange(math.MinInt16, math.MaxInt16)},
	reflect.Int32:         {Kind: Integer, must: inRange(math.MinInt32, math.MaxInt32)},
	reflect.Int64:         {Kind: Integer, must: &reply.MustBeInteger},
	reflect.Uint:          {Kind: Natural, must: &reply.MustBeNatural},
	reflect.Uint8:         {Kind: Natural, must: inRange(0, math.MaxUint8)},
	reflect.Uint16:        {Kind: Natural, must: inRange(0, math.MaxUint16)},
	reflect.Uint32:        {Kind: Natural, must: inRange(0, math.MaxUint32)},
	reflect.Uint64:        {Kind: Natural, must: &reply.MustBeNatural},
	reflect.Float32:       {Kind: Number, must: &reply.MustBeNumber},
	reflect.Float64:       {Kind: Number, must: &reply.MustBeNumber},
	reflect.String:        {Kind: String, must: &reply.MustBeText},
	reflect.Slice:         {must: &reply.MustBeList},
	reflect.Array:         {must: &reply.MustBeList},
	reflect.Map:           {must: &reply.MustBeObject},
	reflect.Struct:        {must: &reply.MustBeObject},
	reflect.UnsafePointer: {}, // the last one
}

// inRange returns the message for numbers of a type with limits.
func inRange(from, to int64) *reply.Message {
	m := reply.MustBeInRange(from, to)
	return &m
}

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonNumber      = reflect.TypeFor[json.Number]()
	timeType        = reflect.TypeFor[time.Time]()
)

// ConversionOf returns the conversion of a type.
func ConversionOf(t reflect.Type) Conversion {
	if isFile(t) {
		return Conversion{Kind: File, List: t != fileType, must: &reply.MustBeFile}
	}
	isPointer := t.Kind() == reflect.Pointer
	t = BehindPointers(t)
	p, c := reflect.PointerTo(t), byKind[t.Kind()]
	hasJSON := decodesJSON(p)
	if c.must == nil {
		c.must = &reply.MustBeOther
	}
	switch {
	case t == timeType:
		c.Kind = Time
	case p.Implements(textUnmarshaler):
		if c.Kind = Unmarshals; !hasJSON {
			c.must = &reply.MustBeText
		}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		c.Kind = Bytes
	case t.Kind() == reflect.Slice:
		c.List = true
		if e := BehindPointers(t.Elem()); e.Kind() != reflect.Slice || e.Elem().Kind() == reflect.Uint8 || reflect.PointerTo(e).Implements(textUnmarshaler) { // no list of lists
			c.Kind = ConversionOf(e).Kind
		}
	default:
		c.plain = c.Kind != Unconvertible && !isPointer && !hasJSON && t != jsonNumber
	}
	return c
}

// Converts reports whether texts become values of the type.
func (c Conversion) Converts() bool { return c.Kind.converts() }

func (k Kind) converts() bool { return k != Unconvertible && k != File }

// IsNumber reports whether values are whole or other numbers.
func (k Kind) IsNumber() bool { return k == Integer || k == Natural || k == Number }

// behindPointers returns the type that pointers lead to. It returns a pointer if they lead to
// no other type: type p *q; type q *p.
func BehindPointers(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Pointer {
		return t
	}
	for seen := map[reflect.Type]bool{}; t.Kind() == reflect.Pointer && !seen[t]; t = t.Elem() {
		seen[t] = true
	}
	return t
}

// values fills a field with the texts of a key.
func (to *binding) values(v reflect.Value, c Conversion, key string, texts []string) {
	texts = counting(v.Type(), c, texts)
	switch {
	case len(texts) == 0:
		return
	case !c.List || !c.Converts():
		to.value(v, c.Kind, key, texts[0])
		return
	}
	v = newBehind(v)
	items := reflect.MakeSlice(v.Type(), len(texts), len(texts))
	for i, text := range texts {
		to.value(items.Index(i), c.Kind, key, text)
	}
	v.Set(items)
}

// counting returns those of the texts of a key that count: one, or all of a list. Empty texts count
// only for strings: for a file, a browser sends one if none was chosen, and its name if the form has
// no enctype.
func counting(t reflect.Type, c Conversion, texts []string) []string {
	emptyCounts := t.Kind() == reflect.String || c.List && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String
	switch {
	case !c.List || !c.Converts():
		i := slices.IndexFunc(texts, func(text string) bool { return emptyCounts || text != "" })
		if i < 0 {
			return nil
		}
		return texts[i : i+1]
	case !emptyCounts && slices.Contains(texts, ""):
		return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	}
	return texts
}

// newBehind returns what the pointers in v lead to. They get new values to point to.
func newBehind(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	return v
}

// Convert fills a field with the text of a key, as Bind does. ok is false if it does not convert: then
// wrong says what it must be.
func Convert(v reflect.Value, text string) (wrong reply.Message, ok bool) {
	var to binding
	to.values(v, ConversionOf(v.Type()), "", []string{text})
	wrong, isWrong := to.invalid[""]
	return wrong, !isWrong
}

// value fills a field, or an item of a list, with one text.
func (to *binding) value(v reflect.Value, kind Kind, key, text string) {
	if !kind.converts() {
		v.SetZero()
		to.reject(key, "", *ConversionOf(v.Type()).must)
		return
	}
	v = newBehind(v)
	switch kind {
	case String:
		v.SetString(text)
	case Bytes:
		v.SetBytes([]byte(text))
	case Time:
		t, ok := parseTime(text)
		if !ok {
			to.reject(key, "", reply.IsInvalid)
		}
		*v.Addr().Interface().(*time.Time) = t
	case Unmarshals:
		to.copies.detach(v, []byte(`""`))
		if v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) != nil {
			to.reject(key, "", reply.IsInvalid)
		}
	default:
		if !setScalar(v, kind, text) {
			v.SetZero()
			to.reject(key, "", *ConversionOf(v.Type()).must)
		}
	}
}

// setScalar sets a boolean or a number, if the text is one that the type of v holds.
func setScalar(v reflect.Value, kind Kind, text string) bool {
	switch kind {
	case Bool:
		b, ok := parseBool(text)
		if ok {
			v.SetBool(b)
		}
		return ok
	case Integer:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err == nil {
			v.SetInt(n)
		}
		return err == nil
	case Natural:
		n, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err == nil {
			v.SetUint(n)
		}
		return err == nil
	case Number:
		n, err := strconv.ParseFloat(text, v.Type().Bits())
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return false
		}
		v.SetFloat(n)
		return true
	}
	return false
}

// parseBool reads a boolean. Browsers send "on" for a checkbox.
func parseBool(text string) (b, ok bool) {
	if text == "on" {
		return true, true
	}
	b, err := strconv.ParseBool(text)
	return b, err == nil
}

// setPlain sets a value of a plain conversion from JSON, if it converts. It does the same as
// encoding/json, and is quicker.
func setPlain(v reflect.Value, kind Kind, raw json.RawMessage) bool {
	switch first := raw[0]; {
	case first == '"' && kind == String:
		v.SetString(unquote(raw))
		return true
	case first == 't' || first == 'f':
		return kind == Bool && setScalar(v, kind, string(raw))
	case first == '-' || isDigit(first):
		return kind != Bool && setScalar(v, kind, string(raw))
	}
	return false
}

// Texts returns the texts from which a conversion makes v again: one for each item of a list,
// and none for what has no text, such as a nil pointer. A time has the layout of an input of the
// type: "date", "datetime-local", "month", "time", "week", and RFC 3339 for other types.
func Texts(v reflect.Value, inputType string) []string {
	c := ConversionOf(v.Type())
	if !c.Converts() {
		return nil
	}
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if !c.List {
		if text, ok := textOf(v, c.Kind, inputType); ok {
			return []string{text}
		}
		return nil
	}
	var texts []string
	for i := range v.Len() {
		texts = append(texts, Texts(v.Index(i), inputType)...)
	}
	return texts
}

// textOf returns the text of a value that is no pointer. ok is false if it has none.
func textOf(v reflect.Value, kind Kind, inputType string) (text string, ok bool) {
	switch kind {
	case Unmarshals:
		p := reflect.New(v.Type()) // MarshalText may be a method of the pointer, and v not addressable
		p.Elem().Set(v)
		if m, ok := p.Interface().(encoding.TextMarshaler); ok {
			text, err := m.MarshalText()
			return string(text), err == nil
		}
		return textOf(v, byKind[v.Kind()].Kind, inputType)
	case Time:
		text = formatTime(v.Interface().(time.Time), inputType)
		return text, text != ""
	case String:
		return v.String(), true
	case Bytes:
		return string(v.Bytes()), true
	case Bool:
		return strconv.FormatBool(v.Bool()), true
	case Integer:
		return strconv.FormatInt(v.Int(), 10), true
	case Natural:
		return strconv.FormatUint(v.Uint(), 10), true
	case Number:
		return formatNumber(v.Float(), v.Type().Bits())
	}
	return "", false
}

// formatNumber writes a number as encoding/json and browsers do: with an exponent only if it is
// very large or very small.
func formatNumber(n float64, bits int) (text string, ok bool) {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return "", false
	}
	format := byte('f')
	if size := math.Abs(n); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(n, format, -1, bits), true
}
