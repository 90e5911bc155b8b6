package input

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/reply"
)

func TestTimesOfForms(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"2026-02-03T04:05:06Z", "2026-02-03T04:05:06Z"},
		{"2026-02-03T04:05:06.5+01:00", "2026-02-03T04:05:06.5+01:00"},
		{"2026-02-03T04:05:06-07:00", "2026-02-03T04:05:06-07:00"},
		{"2026-02-03", "2026-02-03T00:00:00Z"},
		{"2026-02-03T04:05", "2026-02-03T04:05:00Z"},
		{"2026-02-03T04:05:06", "2026-02-03T04:05:06Z"},
		{"2026-02-03T04:05:06.789", "2026-02-03T04:05:06.789Z"},
		{"2026-02", "2026-02-01T00:00:00Z"},
		{"10:30", "0000-01-01T10:30:00Z"},
		{"10:30:15.25", "0000-01-01T10:30:15.25Z"},
		{"2026-02-03T04:05:06,5Z", ""}, // no comma, which package time takes
		{"2026-02-03T04:05:06,5", ""},
		{"10:30:15,25", ""},
		{"2026-W01", "2025-12-29T00:00:00Z"},
		{"2026-W53", "2026-12-28T00:00:00Z"},
		{"2025-W52", "2025-12-22T00:00:00Z"},
		{"2025-W53", ""}, // it has 52
		{"2026-W00", ""},
		{"2026-W7", ""},
		{"2026-W007", ""},
		{"2026-02-30", ""},
		{"2026-2-3", ""},
		{"2026-13", ""},
		{"2026", ""},
		{"24:00", ""},
		{"9:30", ""},
		{"10:3", ""},
		{"10:30Z", ""},
		{"2026-02-03T4:05", ""},
		{"2026-02-03T04:05Z", ""},
		{"2026-02-03T04:05:06+01", ""},
		{"2026-02-03 04:05", ""},
		{" 2026-02-03", ""},
		{"yesterday", ""},
		{"today at two:", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			var dst struct {
				At time.Time
				In *time.Time `query:"in"`
				Of time.Time  `param:"of"`
			}
			b, err := load(sending("POST", "/", formType, "At="+url.QueryEscape(tt.text)))
			is.NoErr(err)
			r := sending("POST", "/?in="+url.QueryEscape(tt.text), formType, "")
			invalid, _, err := b.Bind(r, params{"of": tt.text}, &dst, false, noMessages)
			is.NoErr(err)
			if tt.want == "" {
				is.Equal(said(invalid), "At: is not valid; in: is not valid; of: is not valid")
				return
			}
			is.Equal(said(invalid), "")
			for _, got := range []time.Time{dst.At, *dst.In, dst.Of} {
				is.Equal(got.Format(time.RFC3339Nano), tt.want)
			}
		})
	}
}

// TestTimesOfJSON: they are those of encoding/json.
func TestTimesOfJSON(t *testing.T) {
	is := is.New(t)
	is.Equal(bound(sending("POST", "/", jsonMedia, `{"T":"2026-02-03"}`), &every{}), "invalid: T: is not valid")
}

// TestTextsComeBack: the texts of a value fill an equal value, for each type of an input that
// holds all of it.
func TestTextsComeBack(t *testing.T) {
	at := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	seven, text := 7, "x"
	far, ok := new(big.Int).SetString("123456789012345678901234567890", 10)
	is.New(t).True(ok)
	for _, tt := range []struct {
		value     any
		inputType string
		want      string
	}{
		{true, "checkbox", "true"},
		{false, "checkbox", "false"},
		{-7, "number", "-7"},
		{int8(-128), "number", "-128"},
		{int64(math.MinInt64), "number", "-9223372036854775808"},
		{uint8(255), "number", "255"},
		{uint64(math.MaxUint64), "number", "18446744073709551615"},
		{named8(8), "number", "8"},
		{1.5, "number", "1.5"},
		{float32(0.1), "number", "0.1"},
		{0.0, "number", "0"},
		{1e20, "number", "100000000000000000000"},
		{1e300, "number", "1e+300"},
		{5e-324, "number", "5e-324"},
		{" a <b> ", "text", " a <b> "},
		{"", "text", ""},
		{upper("ABC"), "text", "ABC"},
		{[]byte("bytes"), "text", "bytes"},
		{&seven, "number", "7"},
		{&text, "text", "x"},
		{[]string{"a", "", "b"}, "select", "a||b"},
		{[]int{1, 2}, "checkbox", "1|2"},
		{[]*int{&seven}, "checkbox", "7"},
		{&[]string{"a", "b"}, "select", "a|b"},
		{netip.MustParseAddr("192.0.2.1"), "text", "192.0.2.1"},
		{*far, "text", far.String()},
		{far, "text", far.String()},
		{at("2026-02-03T00:00:00Z"), "date", "2026-02-03"},
		{at("2026-02-01T00:00:00Z"), "month", "2026-02"},
		{at("2026-12-28T00:00:00Z"), "week", "2026-W53"},
		{at("2025-12-29T00:00:00Z"), "week", "2026-W01"},
		{at("0000-01-01T10:30:00Z"), "time", "10:30"},
		{at("0000-01-01T00:00:05Z"), "time", "00:00:05"},
		{at("2026-02-03T04:05:00Z"), "datetime-local", "2026-02-03T04:05"},
		{at("2026-02-03T04:05:06Z"), "datetime-local", "2026-02-03T04:05:06"},
		{at("2026-02-03T04:05:06.789Z"), "hidden", "2026-02-03T04:05:06.789Z"},
		{[]time.Time{at("2026-02-03T00:00:00Z"), at("2026-02-04T00:00:00Z")}, "date", "2026-02-03|2026-02-04"},
		{time.Time{}, "date", "none"},
		{(*time.Time)(nil), "date", "none"},
		{(*int)(nil), "number", "none"},
		{math.NaN(), "number", "none"},
		{struct{ A int }{1}, "text", "none"},
		{[][]int{{1}}, "text", "none"},
		{unshown("x"), "text", "none"},
		{both{"a", "b"}, "text", "none"},
	} {
		t.Run(fmt.Sprintf("%T %s %s", tt.value, tt.inputType, tt.want), func(t *testing.T) {
			is := is.New(t)
			texts := Texts(reflect.ValueOf(tt.value), tt.inputType)
			if tt.want == "none" {
				is.Equal(len(texts), 0)
				return
			}
			is.Equal(strings.Join(texts, "|"), tt.want)
			dst := reflect.New(structOf(reflect.TypeOf(tt.value), ""))
			invalid, err := bind(sending("POST", "/", formType, url.Values{"V": texts}.Encode()), dst.Interface())
			is.NoErr(err)
			is.Equal(said(invalid), "")
			is.Equal(dst.Elem().Field(0).Interface(), tt.value)
		})
	}
	t.Run("in UTC", func(t *testing.T) {
		is := is.New(t)
		is.Equal(Texts(reflect.ValueOf(at("2026-02-03T00:30:00+02:00")), "date"), []string{"2026-02-02"})
	})
}

// unshown is a text that cannot be shown.
type unshown string

func (unshown) MarshalText() ([]byte, error) { return []byte("x"), errors.New("secret") }
func (*unshown) UnmarshalText([]byte) error  { return nil }

// An endless pointer leads to no value.
type endlessPointer *endlessPointer

func TestEndlessPointer(t *testing.T) {
	is := is.New(t)
	var dst struct {
		P endlessPointer
		L []endlessPointer
	}
	invalid, err := bind(sending("POST", "/", formType, "P=1&L=1&P.x=1&L.0.x=1"), &dst)
	is.NoErr(err)
	is.Equal(said(invalid), "L: must be a list; P: must be another kind of value")
}

// TestTimesComeBack: what an input of a type shows of a time is what it sends, and is shown again.
func TestTimesComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	first, last := time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC).Unix()
	for _, inputType := range []string{"date", "month", "week", "time", "datetime-local", "hidden"} {
		t.Run(inputType, func(t *testing.T) {
			is := is.New(t)
			for range 5_000 {
				at := time.Unix(first+random.Int64N(last-first), 0)
				text := formatTime(at, inputType)
				again, ok := parseTime(text)
				is.True(ok)
				is.Equal(formatTime(again, inputType), text)
				if inputType == "hidden" || inputType == "datetime-local" {
					is.True(again.Equal(at))
				}
			}
		})
	}
}

func TestConversionsOfTypes(t *testing.T) {
	type endless *endless
	for _, tt := range []struct {
		of   any
		want Conversion
	}{
		{new(***int), Conversion{Kind: Integer, must: &reply.MustBeInteger}},
		{new([]*string), Conversion{Kind: String, List: true, must: &reply.MustBeList}},
		{new([][]string), Conversion{List: true, must: &reply.MustBeList}},
		{new([]struct{}), Conversion{List: true, must: &reply.MustBeList}},
		{new([][]byte), Conversion{Kind: Bytes, List: true, must: &reply.MustBeList}},
		{new(time.Time), Conversion{Kind: Time, must: &reply.MustBeObject}},
		{new([]netip.Addr), Conversion{Kind: Unmarshals, List: true, must: &reply.MustBeList}},
		{new(func()), Conversion{must: &reply.MustBeOther}},
		{new(endless), Conversion{must: &reply.MustBeOther}},
	} {
		t.Run(fmt.Sprintf("%T", tt.of), func(t *testing.T) {
			is := is.New(t)
			c := ConversionOf(reflect.TypeOf(tt.of).Elem())
			is.Equal(c, tt.want)
			is.Equal(c.Converts(), tt.want.Kind != Unconvertible)
		})
	}
}
