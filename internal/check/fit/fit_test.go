package fit_test

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/check/fit"
	"example.com/flow/internal/check/schema"
)

type color string

func (color) JSONSchema(s map[string]any) { s["enum"] = []string{"red", "green"} }

type size struct {
	Width  int      `json:"width"`
	Height *float32 `json:"height"`
}

// A figure is one of two structs.
type figure struct{ size }

func (figure) JSONSchema(s map[string]any) {
	clear(s)
	s["oneOf"] = []any{
		map[string]any{"type": "object", "required": []string{"radius"}, "properties": map[string]any{"radius": map[string]any{"type": "number", "minimum": 0}}},
		map[string]any{"type": "string", "pattern": "^[a-z]+$"},
	}
}

type code string

func (code) JSONSchema(s map[string]any) { s["minLength"], s["maxLength"], s["const"] = 2, 4, "äöü" }

type item struct {
	Name   string         `json:"name"`
	Color  color          `json:"color,omitempty"`
	Size   *size          `json:"size"`
	Sizes  []size         `json:"sizes"`
	Count  uint8          `json:"count"`
	By     map[string]int `json:"by,omitempty"`
	Any    any            `json:"any,omitempty"`
	Figure *figure        `json:"figure,omitempty"`
	Code   code           `json:"code,omitempty"`
	Pair   []int          `json:"pair,omitempty"`
	Plain  bool
}

const whole = `{"name": "a", "size": null, "sizes": [], "count": 1, "Plain": true}`

// with returns the members of whole with others behind them.
func with(members string) string { return strings.TrimSuffix(whole, "}") + ", " + members + "}" }

func TestJudge(t *testing.T) {
	var s schema.Set
	for _, tt := range []struct{ text, want string }{
		{whole, ""},
		{with(`"siez": 1`), `siez: is no field: did you mean "size"?`},
		{with(`"wholly": 1, "others": 2`), "wholly: is no field\nothers: is no field"},
		{`{"name": "a"}`, "lacks size\nlacks sizes\nlacks count\nlacks Plain"},
		{with(`"plain": 1`), "plain: is a whole number, and must be a boolean"},
		{with(`"name": null`), "name: is null, and must be a string"},
		{with(`"size": {"width": "1", "height": null}`), "size.width: is a string, and must be a whole number"},
		{with(`"size": {"width": 1}`), "size: lacks height"},
		{with(`"size": 1`), "size: is a whole number, and must be an object or null"},
		{with(`"sizes": [{"width": 1, "height": 1}, {"width": 1.5, "heigth": 1}]`), "sizes[1]: lacks height\nsizes[1].width: is 1.5, and must be a whole number\nsizes[1].heigth: is no field: did you mean \"height\"?"},
		{with(`"sizes": {}`), "sizes: is an object, and must be a list or null"},
		{with(`"count": 256`), "count: is 256, and must be at most 255"},
		{with(`"count": -1`), "count: is -1, and must be at least 0"},
		{with(`"count": 1e1`), ""},
		{with(`"count": 1.0`), ""},
		{with(`"count": 1e999999999`), "count: is 1e999999999, and must be a whole number"},
		{with(`"color": "blue"`), `color: is "blue", and must be one of "red", "green"`},
		{with(`"color": "\u0072ed"`), ""},
		{with(`"by": {"a": 1, "b": "c"}`), "by.b: is a string, and must be a whole number"},
		{with(`"any": {"a": [1, null]}`), ""},
		{with(`"figure": {"radius": 1}`), ""},
		{with(`"figure": {"radius": -1}`), "figure.radius: is -1, and must be at least 0"},
		{with(`"figure": "abc"`), ""},
		{with(`"figure": "ABC"`), `figure: is "ABC", and must match ^[a-z]+$`},
		{with(`"code": "äöü"`), ""},
		{with(`"code": "a"`), "code: is \"a\", and must be \"äöü\"\ncode: has 1 character, and must have at least 2"},
		{with(`"code": "ababa"`), "code: is \"ababa\", and must be \"äöü\"\ncode: has 5 characters, and must have at most 4"},
		{`[1]`, "is a list, and must be an object"},
		{`{"name": "a",}`, "is no JSON: invalid character '}' looking for beginning of object key string"},
		{``, "is no JSON: unexpected end of JSON input"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			var got []string
			for _, w := range fit.Judge(s.Written(reflect.TypeFor[item]()), []byte(tt.text)) {
				got = append(got, w.Text)
			}
			is.Equal(strings.Join(got, "\n"), tt.want)
		})
	}
}

func TestJudgeSaysWhere(t *testing.T) {
	is := is.New(t)
	var s schema.Set
	text := "{\n  \"width\": 1,\n  \"heihgt\": 2,\n  \"height\":\n    \"3\"\n}"
	found := fit.Judge(s.Written(reflect.TypeFor[size]()), []byte(text))
	is.Equal(len(found), 2)
	is.True(strings.HasPrefix(text[found[0].Offset:], `"heihgt"`))
	is.True(strings.HasPrefix(text[found[1].Offset:], `"3"`))
}

type Size size

// A moment is a time, of which package quick cannot make one.
type moment struct{ time.Time }

func (moment) Generate(r *rand.Rand, _ int) reflect.Value {
	return reflect.ValueOf(moment{time.Unix(r.Int63n(1<<32), 0)})
}

// tree has what encoding/json treats specially.
type tree struct {
	Size
	Next  *tree            `json:"next,omitempty"`
	Nexts map[int8][]*tree `json:"nexts,omitzero"`
	Raw   []byte
	Time  moment
	At    []moment `json:"at"`
	Pair  [2]uint16
	Text  int64   `json:",string"`
	Rate  float64 `json:"rate,omitempty"`
	Rune  rune
	Query string `query:"q"`
}

// Whatever encoding/json writes fits.
func TestWrittenValuesFit(t *testing.T) {
	is := is.New(t)
	var s schema.Set
	of := s.Written(reflect.TypeFor[tree]())
	random := rand.New(rand.NewSource(1))
	for range 300 {
		v, ok := quick.Value(reflect.TypeFor[tree](), random)
		is.True(ok)
		text, err := json.Marshal(v.Interface())
		is.NoErr(err)
		is.Equal(fit.Judge(of, text), nil)
	}
}

func TestAtFindsThePlaceOfAField(t *testing.T) {
	var s schema.Set
	of := s.Written(reflect.TypeFor[item]())
	for _, tt := range []struct{ place, want, wrong string }{
		{"name", "a string", ""},
		{"nmae", "", `nmae: is no field: did you mean "name"?`},
		{"name length", "a whole number", ""},
		{"name first", "", "name: is no object, but a string"},
		{"[0]", "", "the body: is no list, but an object"},
		{"size", "an object or null", ""},
		{"size width", "a whole number", ""},
		{"size wdith", "", `size.wdith: is no field: did you mean "width"?`},
		{"sizes [0] height", "a number or null", ""},
		{"sizes [0] heigth", "", `sizes[0].heigth: is no field: did you mean "height"?`},
		{"sizes length", "a whole number", ""},
		{"by whatever", "a whole number", ""},
		{"any whatever else", "", ""},
		{"figure radius", "a number", ""},
		{"count", "a whole number", ""},
		{"Plain", "a boolean", ""},
	} {
		t.Run(tt.place, func(t *testing.T) {
			is := is.New(t)
			found, wrong := fit.At(of, strings.Fields(tt.place))
			is.Equal(wrong, tt.wrong)
			is.Equal(fit.KindNames(fit.Kinds(found)), tt.want)
		})
	}
}
