package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestLimitsOfJSON(t *testing.T) {
	nested := func(n int, begin, end string) string { return strings.Repeat(begin, n) + strings.Repeat(end, n) }
	list := func(n int, item string) string { // of n values, if the item is one and has no other in it
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n-1), ",") + "]"
	}
	for _, tt := range []struct {
		name    string
		limit   int64
		body    string
		message string
		cause   string
	}{
		{"lists", 0, nested(200, "[", "]"), "", ""},
		{"too deep lists", 0, nested(201, "[", "]"), "the body is nested too deeply", "JSON of 402 bytes is nested more than 200 deep"},
		{"objects", 0, strings.Repeat(`{"a":`, 199) + `{}` + strings.Repeat("}", 199), "", ""},
		{"too deep objects", 0, strings.Repeat(`{"a":`, 200) + `{}` + strings.Repeat("}", 200), "the body is nested too deeply", "JSON of 1202 bytes is nested more than 200 deep"},
		{"deeper than encoding/json goes", 0, nested(20_000, "[", "]"), "the body is nested too deeply", "JSON of 40000 bytes is nested more than 200 deep"},
		{"side by side", 0, list(5_000, "[[]]"), "", ""},
		{"brackets in a text", 0, `["` + strings.Repeat(`[{\"\\`, 300) + `"]`, "", ""},

		{"values", 0, list(163_840, "1"), "", ""},
		{"too many values", 0, list(163_841, "1"), "the body holds too many values", "JSON of 327681 bytes holds more than 163840 values, the most that a MaxBody of 10485760 allows"},
		{"empty objects", 0, `{"any":` + list(3_000_000, "{}") + `}`, "the body holds too many values", "JSON of 9000006 bytes holds more than 163840 values, the most that a MaxBody of 10485760 allows"},
		{"a larger MaxBody", 64 * 200_000, list(200_000, "null"), "", ""},
		{"too many for it", 64 * 200_000, list(200_001, "null"), "the body holds too many values", "JSON of 1000001 bytes holds more than 200000 values, the most that a MaxBody of 12800000 allows"},
		{"a smaller MaxBody", 100_000, list(10_000, `"a, b"`), "", ""},
		{"too many for any", 100_000, list(10_001, `"a, b"`), "the body holds too many values", "JSON of 70001 bytes holds more than 10000 values, the most that a MaxBody of 100000 allows"},
		{"members", 100_000, "{" + list(10_000, `"a" : {}`)[1:10_000*9-9] + "}", "", ""},
		{"too many members", 100_000, "{" + list(10_001, `"a" : {}`)[1:10_001*9-9] + "}", "the body holds too many values", "JSON of 90001 bytes holds more than 10000 values, the most that a MaxBody of 100000 allows"},
		{"white space", 100_000, strings.ReplaceAll(list(1_000, "-1.5e+3"), ",", " \t\r\n,  "), "", ""},
		{"texts with quotes", 100_000, list(1_000, `"\\\",\"\\"`), "", ""},
		{"words", 100_000, list(10_000, "true"), "", ""},
		{"not valid", 100_000, "[1 2]", "the body is not valid JSON", ""},
		{"cut off in an escape", 100_000, `["\`, "the body is not valid JSON", ""},
		{"closed before it is opened", 100_000, strings.Repeat("]", 300), "the body is not valid JSON", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := sending("POST", "/", jsonMedia, tt.body)
			err := New(nil, r, cmp.Or(tt.limit, 10<<20), true, false).Load(r, false)
			if tt.message == "" {
				is.NoErr(err)
				return
			}
			var bad *Error
			is.True(errors.As(err, &bad))
			is.Equal(bad.Status, 400)
			is.Equal(bad.Message.English, tt.message)
			if tt.cause == "" {
				is.NoErr(bad.Cause) // the client was told all
				return
			}
			is.Equal(bad.Cause.Error(), tt.cause)
		})
	}
	is := is.New(t)
	_, err := load(sending("POST", "/", jsonMedia, list(163_841, "1"))) // where there is no limit
	is.NoErr(err)
}

// TestOneKeyOfALargeBody: what is asked for is decoded, and nothing else.
func TestOneKeyOfALargeBody(t *testing.T) {
	body := `{"large":[` + strings.Repeat(`{"a":["b"]},`, 9_000) + `{}],"a":"1","b":[2],"c":{"d":3}}`
	for _, tt := range []struct {
		name string
		ask  func(b *Body, r *http.Request) any
		want string
	}{
		{"Inputs", func(b *Body, r *http.Request) any { return b.Inputs(r, "a") }, "[1]"},
		{"Inputs of a list", func(b *Body, r *http.Request) any { return b.Inputs(r, "b") }, "[2]"},
		{"Only", func(b *Body, r *http.Request) any { return b.Only(r, "a", "c", "none") }, "map[a:1 c:map[d:3]]"},
		{"many", func(b *Body, r *http.Request) any {
			for range 9 {
				b.Inputs(r, "a")
			}
			return b.Inputs(r, "a")
		}, "[1]"},
		{"none", func(b *Body, r *http.Request) any { return b.Inputs(r, "none") }, "[]"},
		{"Bind", func(b *Body, r *http.Request) any {
			var dst struct{ A string }
			if _, _, err := b.Bind(r, noParams{}, &dst, false, noMessages); err != nil {
				return err
			}
			return dst
		}, "{1}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			allocations := testing.AllocsPerRun(3, func() {
				r := sending("POST", "/", jsonMedia, body)
				b, err := load(r)
				is.NoErr(err)
				is.Equal(fmt.Sprint(tt.ask(b, r)), tt.want)
			})
			is.True(allocations < 200) // all of it takes more than 9,000
		})
	}
}

func TestInputsAfterAll(t *testing.T) {
	is := is.New(t)
	r := sending("POST", "/", jsonMedia, `{"a":"1","b":[{}]}`)
	b, err := load(r)
	is.NoErr(err)
	is.Equal(b.Inputs(r, "a"), []string{"1"})
	is.Equal(b.All(r), map[string]any{"a": "1", "b": []any{map[string]any{}}})
	is.Equal(b.Inputs(r, "b"), []string{"{}"})
	is.Equal(b.Inputs(r, "none"), nil)
	is.Equal(b.Only(r, "a", "none"), map[string]any{"a": "1"})
}

// FuzzMembers: the members of an object are what encoding/json finds, and each by
// itself is what it is in the whole.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{`{}`, " {\r\n} ", `{"a":1}`, `{"a" : [ "}" , {} ] , "b":"\\","a":null }`, `{"\u0061\ud800":"\"","` + "\xff" + `":1e5,"":{"":-0.1}}`, `[]`, `5`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := checkJSON(text, math.MaxInt64); (err == nil) != (json.Valid(text) && depthOf(text) <= maxDepth) {
			t.Fatalf("%q: got %v", text, err)
		} else if err != nil {
			return
		}
		var members map[string]json.RawMessage
		err := json.Unmarshal(text, &members)
		if got, want := isObject(text), err == nil && members != nil; got != want {
			t.Fatalf("%q: is an object: %v, want %v", text, got, want)
		}
		if !isObject(text) {
			return
		}
		got := indexOf(text)
		if !reflect.DeepEqual(got, members) {
			t.Errorf("%q: got %q, want %q", text, got, members)
		}
		var whole map[string]any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&whole); err != nil {
			t.Fatal(err)
		}
		for key, raw := range got {
			if v := decodeJSON(raw); !reflect.DeepEqual(v, whole[key]) {
				t.Errorf("%q, %q: got %v, want %v", text, key, v, whole[key])
			}
		}
	})
}
