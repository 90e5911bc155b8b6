package input

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"
)

// What the fields of alikeTypes have.
type (
	flag      bool
	count     int
	textCount int // with UnmarshalText
	jsonCount int // with UnmarshalJSON
	ratio     float32
	word      string
	words     []string
	wordKey   string // with UnmarshalText, for the keys of maps
	pair      [2]int
	bytes8    []byte
	measured  struct {
		F float32 `json:",string"`
		L []*struct {
			F *float64 `json:",string"`
		}
	}
	nested struct {
		N int
		P *string
	}
	withText struct { // it has UnmarshalText by what it embeds
		netip.Addr
		N int
	}
	withJSON struct{ time.Time }
	itself   struct {
		N    int
		Next *itself
	}
)

func (c *textCount) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("empty")
	}
	*c = textCount(len(text))
	return nil
}

func (c *jsonCount) UnmarshalJSON(text []byte) error { *c = jsonCount(len(text)); return nil }

func (k *wordKey) UnmarshalText(text []byte) error {
	*k = wordKey("<" + string(text) + ">")
	return nil
}

// alikeTypes are types of fields, which Bind fills as encoding/json does.
var alikeTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[flag](), reflect.TypeFor[*bool](),
	reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
	reflect.TypeFor[count](), reflect.TypeFor[*int](), reflect.TypeFor[**int](), reflect.TypeFor[*count](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[ratio](), reflect.TypeFor[*float64](), reflect.TypeFor[complex128](),
	reflect.TypeFor[string](), reflect.TypeFor[word](), reflect.TypeFor[*string](), reflect.TypeFor[**string](),
	reflect.TypeFor[textCount](), reflect.TypeFor[*textCount](), reflect.TypeFor[jsonCount](), reflect.TypeFor[*jsonCount](),
	reflect.TypeFor[json.Number](), reflect.TypeFor[*json.Number](), reflect.TypeFor[json.RawMessage](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[*time.Time](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[netip.Addr](), reflect.TypeFor[*netip.Addr](), reflect.TypeFor[netip.Prefix](), reflect.TypeFor[big.Int](), reflect.TypeFor[*big.Int](),
	reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[*any](), reflect.TypeFor[chan int](), reflect.TypeFor[func()](),
	reflect.TypeFor[[]string](), reflect.TypeFor[words](), reflect.TypeFor[*[]string](), reflect.TypeFor[[]int](), reflect.TypeFor[[]*int](), reflect.TypeFor[[][]bool](),
	reflect.TypeFor[[]byte](), reflect.TypeFor[bytes8](), reflect.TypeFor[[]textCount](), reflect.TypeFor[[]netip.Addr](), reflect.TypeFor[[]any](),
	reflect.TypeFor[[2]int](), reflect.TypeFor[pair](), reflect.TypeFor[[0]string](), reflect.TypeFor[[3]byte](),
	reflect.TypeFor[map[string]int](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[int]string](), reflect.TypeFor[map[wordKey]bool](), reflect.TypeFor[map[netip.Addr]int](), reflect.TypeFor[map[bool]int](), reflect.TypeFor[*map[string]string](),
	reflect.TypeFor[struct{}](), reflect.TypeFor[nested](), reflect.TypeFor[*nested](), reflect.TypeFor[[]nested](), reflect.TypeFor[map[string]nested](), reflect.TypeFor[itself](),
	reflect.TypeFor[measured](), reflect.TypeFor[[]measured](), reflect.TypeFor[map[string]*measured](),
	reflect.TypeFor[withText](), reflect.TypeFor[*withText](), reflect.TypeFor[withJSON](),
}

// alikeShapes are structs with a field V of a type, and that type itself, if Bind decodes
// it as a whole: other structs take no null.
var alikeShapes = []func(t reflect.Type) reflect.Type{
	func(t reflect.Type) reflect.Type { return structOf(t, "") },
	func(t reflect.Type) reflect.Type { return structOf(t, `json:",string"`) },
	func(t reflect.Type) reflect.Type { return structOf(t, `json:"V,omitempty,string"`) },
	func(t reflect.Type) reflect.Type {
		if t.Kind() == reflect.Struct && !DecodesItself(t) {
			return nil
		}
		return t
	},
}

func structOf(t reflect.Type, tag reflect.StructTag) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "V", Type: t, Tag: tag}})
}

var alikeValues = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `007`, `1.0`, `1.5`, `1e2`, `1E400`, `127`, `128`, `255`, `256`, `-128`, `-129`, `65536`, `4294967296`,
	`9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `18446744073709551615`, `18446744073709551616`, `0.1`, `1e39`, `123456789012345678901234567890`,
	`""`, `" "`, `"a"`, `"1"`, `" 1"`, `"1 "`, `"\t1"`, `"-1"`, `"+1"`, `"--1"`, `"1.5"`, `"1e2"`, `"1_0"`, `"0x1"`, `"01"`, `"-"`, `"NaN"`, `"-Infinity"`, `"128"`, `"300"`,
	`"true"`, `" true"`, `"true "`, `"True"`, `"tru"`, `"t"`, `"truex"`, `"false"`, `"null"`, `" null"`, `"nul"`, `"nullx"`, `"n"`,
	`"\"\""`, `"\"a\""`, `" \"a\""`, `"\"a\" "`, `"\"a"`, `"a\""`, `"\"1\""`, `"\"null\""`, `"\"\\\"a\\\"\""`, `"\"\\u00e9\""`, `"\u0031"`, `"\ud800"`, `"\"\\ud800\""`, `"é"`, "\"\xff\"",
	`"192.0.2.1"`, `"\"192.0.2.1\""`, `" 192.0.2.1"`, `"10.0.0.0/8"`, `"2026-01-02T03:04:05Z"`, `"\"2026-01-02T03:04:05Z\""`, `"aGk="`, `"aGk"`,
	`[]`, `[null]`, `[1,2]`, `[1,2,3]`, `["a",null]`, `["a",1]`, `[[true],[]]`, `[{}]`, `[{"N":1},{"P":"x"}]`, `["192.0.2.1"]`, `[256]`, `"[]"`, `"[1]"`,
	`{}`, `{"a":1}`, `{"a":"b"}`, `{"1":"x"}`, `{"N":1}`, `{"n":1,"P":null}`, `{"N":1,"n":"x"}`, `{"N":"1"}`, `{"a":{"N":1}}`, `{"192.0.2.1":1}`, `{"true":1}`, `{"N":1,"Next":{"N":2,"Next":{}}}`, `"{}"`, `{"Addr":"192.0.2.1"}`,
	`{"F":"NaN"}`, `{"F":"1"}`, `{"F":1}`, `[{"L":[null,{"F":null}]},{"L":[{"F":"-Infinity"}]}]`, `{"a":{"L":[{"F":"1"}],"F":"x"}}`, `{"a":{"L":[{"F":"Inf"}]}}`, `{"N":1,"Addr":null}`, `{"Time":null}`,
}

// checkAlike binds a value, after another one, as encoding/json decodes them.
func checkAlike(t *testing.T, typ reflect.Type, shape int, before, value string) {
	dst := alikeShapes[shape](typ)
	if dst == nil || !json.Valid([]byte(value)) {
		return
	}
	if pointedTo(typ) == reflect.TypeFor[big.Int]() {
		before = "null" // it begins anew, and two that are 0 may differ inside
	}
	if k := pointedTo(typ).Kind(); k == reflect.Slice || k == reflect.Array {
		before = "null" // of which encoding/json would take over items
	}
	if dst != typ {
		before, value = `{"V":`+before+`}`, `{"V":`+value+`}`
	}
	got, want := reflect.New(dst), reflect.New(dst)
	for _, v := range []reflect.Value{got, want} {
		json.Unmarshal([]byte(before), v.Interface()) // in vain, where the type takes no such value
	}
	r := sending("POST", "/", jsonMedia, value)
	b, err := load(r)
	if err != nil {
		return // it is beyond the limits
	}
	invalid, _, err := b.Bind(r, noParams{}, got.Interface(), false, noMessages)
	wantErr := decode(value, want)
	// Go 1.26 refuses even an empty object for a map whose keys it cannot fill.
	if m, freshErr := findMismatch(dst, []byte(value)), decode(value, reflect.New(dst)); (m == nil) != (freshErr == nil) && typ != reflect.TypeFor[map[bool]int]() {
		t.Errorf("%v, %s: the mismatch is %v, and encoding/json says %v", dst, value, m, freshErr)
	}
	if (err == nil && len(invalid) == 0) != (wantErr == nil) {
		t.Errorf("%v, %s: Bind returns %v %v, and encoding/json %v", dst, value, err, invalid, wantErr)
	} else if wantErr == nil && !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Errorf("%v, %s after %s: got %#v, want %#v", dst, value, before, got.Elem(), want.Elem())
	}
}

// decode decodes a value as encoding/json does. It refuses the values that encoding/json cannot
// write: it takes "-Infinity" for a float with the option ",string", and since Go 1.27 also "NaN".
func decode(value string, to reflect.Value) error {
	if err := json.Unmarshal([]byte(value), to.Interface()); err != nil {
		return err
	}
	var unsupported *json.UnsupportedValueError
	if _, err := json.Marshal(to.Interface()); errors.As(err, &unsupported) {
		return err
	}
	return nil
}

// TestFieldsLikeEncodingJSON: a field of any type takes the values that encoding/json
// takes, with the option ",string" and without it, and is filled alike.
func TestFieldsLikeEncodingJSON(t *testing.T) {
	for _, typ := range alikeTypes {
		t.Run(typ.String(), func(t *testing.T) {
			for shape := range alikeShapes {
				for i, value := range alikeValues {
					checkAlike(t, typ, shape, "null", value)
					checkAlike(t, typ, shape, alikeValues[(7*i+3)%len(alikeValues)], value)
				}
			}
		})
	}
}

func FuzzFieldLikeEncodingJSON(f *testing.F) {
	for i, value := range alikeValues {
		f.Add(byte(i), byte(i), value, value)
	}
	f.Fuzz(func(t *testing.T, typ, shape byte, before, value string) {
		checkAlike(t, alikeTypes[int(typ)%len(alikeTypes)], int(shape)%len(alikeShapes), before, value)
	})
}
