package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// every has a field of each kind that a form can fill, and some that none can.
type every struct {
	S    string
	B    bool
	I    int
	I8   int8
	I16  int16
	I64  int64
	U    uint
	U8   uint8
	U32  uint32
	U64  uint64
	F32  float32
	F64  float64
	P    *int
	PS   *string
	PL   *[]string
	L    []string
	LI   []int
	LB   []bool
	LP   []*int
	LT   []time.Time
	Raw  []byte
	T    time.Time
	TP   *time.Time
	Kind named8
	Up   upper
	Deep struct{ N int }
	M    map[string]int
	LL   [][]int
	A    [2]int
	Any  any
	C    chan int
	base
	Tagged   int `form:"form" json:"json"`
	JSON     int `json:"json-name,omitempty"`
	Option   int `form:",x" json:"option"`
	Out      int `form:"-" json:"out"`
	JSONOut  int `json:"-"`
	Quoted   int `json:"quoted,string"`
	internal int
}

type base struct {
	Base int
	More
}

type More struct{ Inner string }

type named8 int8

// upper is text that must be in capitals.
type upper string

func (u *upper) UnmarshalText(b []byte) error {
	if strings.ToUpper(string(b)) != string(b) {
		return errors.New("secret")
	}
	*u = upper(b)
	return nil
}

// bound binds a request and returns what is left of dst as JSON, without zero values, or
// what is wrong.
func bound(r *http.Request, dst any) string {
	invalid, err := bind(r, dst)
	switch {
	case err != nil:
		return err.Error()
	case len(invalid) > 0:
		return "invalid: " + said(invalid)
	}
	return asJSON(dst)
}

func TestBindForm(t *testing.T) {
	for _, tt := range []struct {
		form  string
		check func(e every) any
		want  any
	}{
		{"S=x", func(e every) any { return e.S }, "x"},
		{"s=any+case", func(e every) any { return e.S }, "any case"},
		{"s=lower&S=exact", func(e every) any { return e.S }, "exact"},
		{"S=", func(e every) any { return e.S }, ""},
		{"B=on", func(e every) any { return e.B }, true},
		{"B=1", func(e every) any { return e.B }, true},
		{"B=false", func(e every) any { return e.B }, false},
		{"I=-5", func(e every) any { return e.I }, -5},
		{"I=", func(e every) any { return e.I }, 7},
		{"I=1&I=2", func(e every) any { return e.I }, 1},
		{"I=&I=2", func(e every) any { return e.I }, 2},
		{"I8=-128", func(e every) any { return e.I8 }, int8(-128)},
		{"I64=9223372036854775807", func(e every) any { return e.I64 }, int64(math.MaxInt64)},
		{"U8=255", func(e every) any { return e.U8 }, uint8(255)},
		{"U64=18446744073709551615", func(e every) any { return e.U64 }, uint64(math.MaxUint64)},
		{"F32=1.5", func(e every) any { return e.F32 }, float32(1.5)},
		{"F64=1e3", func(e every) any { return e.F64 }, 1000.0},
		{"P=3", func(e every) any { return *e.P }, 3},
		{"P=", func(e every) any { return e.P == nil }, true},
		{"PS=x", func(e every) any { return *e.PS }, "x"},
		{"PL=x&PL=y", func(e every) any { return *e.PL }, []string{"x", "y"}},
		{"L=x&L=&L=y", func(e every) any { return e.L }, []string{"x", "", "y"}},
		{"LI=1&LI=&LI=2", func(e every) any { return e.LI }, []int{1, 2}},
		{"LI=", func(e every) any { return e.LI == nil }, true},
		{"LB=on&LB=0", func(e every) any { return e.LB }, []bool{true, false}},
		{"LP=4", func(e every) any { return *e.LP[0] }, 4},
		{"LT=2026-01-02T03:04:05Z", func(e every) any { return e.LT[0].Year() }, 2026},
		{"Raw=bytes", func(e every) any { return string(e.Raw) }, "bytes"},
		{"T=2026-01-02T03:04:05Z", func(e every) any { return e.T.Day() }, 2},
		{"TP=2026-01-02T03:04:05Z", func(e every) any { return e.TP.Second() }, 5},
		{"Kind=8", func(e every) any { return e.Kind }, named8(8)},
		{"Up=ABC", func(e every) any { return e.Up }, upper("ABC")},
		{"Base=9&Inner=in", func(e every) any { return fmt.Sprint(e.Base, " ", e.Inner) }, "9 in"},
		{"form=1&json=2&Tagged=3", func(e every) any { return e.Tagged }, 1},
		{"json=2&Tagged=3&Form=4", func(e every) any { return e.Tagged }, 0},
		{"json-name=5", func(e every) any { return e.JSON }, 5},
		{"option=6", func(e every) any { return e.Option }, 6},
		{"out=1&Out=1&-=1", func(e every) any { return e.Out }, 0},
		{"JSONOut=1", func(e every) any { return e.JSONOut }, 0},
		{"internal=1", func(e every) any { return e.internal }, 0},
	} {
		t.Run(tt.form, func(t *testing.T) {
			is := is.New(t)
			form, err := url.ParseQuery(tt.form)
			is.NoErr(err)
			var items []string
			for key, values := range form {
				for _, v := range values {
					items = append(items, key+"="+v)
				}
			}
			for _, r := range []*http.Request{
				sending("POST", "/?S=query", formType, tt.form),
				sending("DELETE", "/", multiMedia, parts(items...)),
				httptest.NewRequest("GET", "/?"+tt.form, nil),
				sending("POST", "/?"+tt.form, formType, ""),
				sending("POST", "/?"+tt.form, "text/plain", ""),
				httptest.NewRequest("GET", "/?"+tt.form, io.MultiReader()), // chunked, and empty after all
			} {
				e := every{I: 7}
				invalid, err := bind(r, &e)
				is.NoErr(err)
				is.Equal(said(invalid), "")
				is.Equal(tt.check(e), tt.want)
			}
		})
	}
}

func TestBindFormInvalid(t *testing.T) {
	for _, tt := range []struct{ form, want string }{
		{"B=maybe", "B: must be true or false"},
		{"I=x", "I: must be a whole number"},
		{"I=1.0", "I: must be a whole number"},
		{"I=%201", "I: must be a whole number"},
		{"i=x", "i: must be a whole number"}, // the key is the client's
		{"I8=128", "I8: must be a whole number from -128 to 127"},
		{"I8=-129", "I8: must be a whole number from -128 to 127"},
		{"I16=1e9", "I16: must be a whole number from -32768 to 32767"},
		{"I64=9223372036854775808", "I64: must be a whole number"},
		{"U=-1", "U: must be a whole number that is not negative"},
		{"U8=256", "U8: must be a whole number from 0 to 255"},
		{"U32=4294967296", "U32: must be a whole number from 0 to 4294967295"},
		{"U64=18446744073709551616", "U64: must be a whole number that is not negative"},
		{"F32=1e39", "F32: must be a number"},
		{"F64=NaN", "F64: must be a number"},
		{"F64=-Inf", "F64: must be a number"},
		{"F64=1e999", "F64: must be a number"},
		{"P=x", "P: must be a whole number"},
		{"LI=1&LI=x", "LI: must be a whole number"},
		{"LP=x", "LP: must be a whole number"},
		{"T=yesterday", "T: is not valid"},
		{"LT=x", "LT: is not valid"},
		{"Up=abc", "Up: is not valid"},
		{"Kind=200", "Kind: must be a whole number from -128 to 127"},
		{"Deep=1", "Deep: must be an object"},
		{"M=1", "M: must be an object"},
		{"LL=1", "LL: must be a list"},
		{"A=1", "A: must be a list"},
		{"C=1", "C: must be another kind of value"},
		{"I=x&B=x", "B: must be true or false; I: must be a whole number"},
	} {
		t.Run(tt.form, func(t *testing.T) {
			is := is.New(t)
			invalid, err := bind(sending("POST", "/", formType, tt.form), &every{})
			is.NoErr(err)
			is.Equal(said(invalid), tt.want)
		})
	}
}

func TestBindJSON(t *testing.T) {
	type address struct {
		Street string
		Zip    int8 `json:"zip"`
	}
	type person struct {
		Name  string               `json:"name,omitempty" form:"full_name"`
		Age   int                  `json:",omitempty"`
		Since time.Time            `json:"since,omitzero"`
		Tags  []string             `json:",omitempty"`
		Home  *address             `json:"home,omitempty"`
		Homes []*address           `json:"homes,omitempty"`
		By    map[string][]address `json:"by,omitempty"`
		Parts []struct {
			Of [][]struct{ N int } `json:"of"`
		} `json:"parts,omitempty"`
		Count   int64  `json:"count,string,omitempty"`
		Raw     []byte `json:"raw,omitempty"`
		Any     any    `json:"any,omitempty"`
		Deleted bool   `json:"-"`
	}
	for _, tt := range []struct{ body, want string }{
		{`{}`, `{}`},
		{`{"full_name":"Ada","AGE":3,"tags":["a"]}`, `{"name":"Ada","Age":3,"Tags":["a"]}`},
		{`{"name":"json","Full_Name":"case"}`, `{}`}, // tags are to the letter, and form's goes first
		{`{"age":null,"home":null}`, `{}`},
		{`{"home":{"street":"x","zip":5}}`, `{"home":{"Street":"x","zip":5}}`},
		{`{"count":"9007199254740993"}`, `{"count":"9007199254740993"}`},
		{`{"count":null}`, `{}`},
		{`{"raw":"aGk="}`, `{"raw":"aGk="}`},
		{`{"any":[1,{"x":null}]}`, `{"any":[1,{"x":null}]}`},
		{`{"since":"2026-01-02T03:04:05Z"}`, `{"since":"2026-01-02T03:04:05Z"}`},
		{`{"Deleted":true,"-":true,"unknown":1}`, `{}`},
		{`{"age":1,"age":2}`, `{"Age":2}`},
		{`{"age":1,"age":null}`, `{}`},
		{`{"home":{"street":"x"},"home":{"zip":5}}`, `{"home":{"Street":"","zip":5}}`},
		{`{"age":1,"Age":2,"AGE":3}`, `{"Age":2}`},
		{`{"age":1,"aGE":2,"agE":3}`, `{"Age":2}`},
		{"{\"ta\u017f\":1,\"tag\u017f\":[\"a\"]}", `{"Tags":["a"]}`}, // a long s
		{`{"\u0061ge":1," age":2}`, `{"Age":1}`},
		{" {\r\n\t\"age\" : 1 , \"tags\" : [ \"}\" ] }\n", `{"Age":1,"Tags":["}"]}`},

		{`{"age":"x"}`, "invalid: age: must be a whole number"},
		{`{"age":1.5}`, "invalid: age: must be a whole number"},
		{`{"age":1e99}`, "invalid: age: must be a whole number"},
		{`{"full_name":5}`, "invalid: full_name: must be text"},
		{`{"tags":"a"}`, "invalid: tags: must be a list"},
		{`{"tags":["a",1]}`, "invalid: tags.1: must be text"},
		{`{"home":[]}`, "invalid: home: must be an object"},
		{`{"any":1e400}`, "invalid: any: must be a number"}, // its offset is behind the end
		{`{"any":[1e400,{"x":1e400}]}`, "invalid: any.0: must be a number"},
		{`{"home":{"zip":128}}`, "invalid: home.zip: must be a whole number from -128 to 127"},
		{`{"home":{"ZIP":"x"}}`, "invalid: home.zip: must be a whole number from -128 to 127"},
		{`{"homes":[{"zip":1},{"street":"[{","zip" : true}]}`, "invalid: homes.1.zip: must be a whole number from -128 to 127"},
		{`{"homes":[null, {"zip":[ ]}]}`, "invalid: homes.1.zip: must be a whole number from -128 to 127"},
		{`{"homes":[5]}`, "invalid: homes.0: must be an object"},
		{`{"by":{"a":[],"b.c":[{},{"zip":{"zip":1}}]}}`, "invalid: by.b.c.1.zip: must be a whole number from -128 to 127"},
		{`{"parts":[{"of":[[{"N":1}],[{},{"N":2,"N":"x"}]]}]}`, "invalid: parts.0.of.1.1.N: must be a whole number"},
		{`{"parts":[{"of":[[{"N":1}],[{},5]]}]}`, "invalid: parts.0.of.1.1: must be an object"},
		{`{"home":{"zip":"x","street":5,"more":true},"age":"x"}`, "invalid: age: must be a whole number; home.zip: must be a whole number from -128 to 127"},
		{`{"homes":[{"zip":[1,{"zip":"x"}]},{"zip":1},5,{"zip":2,"street":{}}]}`, "invalid: homes.0.zip: must be a whole number from -128 to 127"},
		{`{"tags":[1,{},true,"x"]}`, "invalid: tags.0: must be text"},
		{`{"since":"yesterday"}`, "invalid: since: is not valid"},
		{`{"count":"x"}`, "invalid: count: must be a whole number, in quotes"},
		{`{"count":7}`, "invalid: count: must be a whole number, in quotes"},
		{`{"count":""}`, "invalid: count: must be a whole number, in quotes"},
		{`{"count":" 7"}`, "invalid: count: must be a whole number, in quotes"},
		{`{"count":"[]"}`, "invalid: count: must be a whole number, in quotes"},
		{`{"raw":"!"}`, "invalid: raw: is not valid"},
		{`{"age":"x","full_name":1}`, "invalid: age: must be a whole number; full_name: must be text"},
		{`[]`, "400 the body is not a JSON object"},
		{`null`, "400 the body is not a JSON object"},
		{`"x"`, "400 the body is not a JSON object"},
		{`{`, "400 the body is not valid JSON"},
	} {
		t.Run(tt.body, func(t *testing.T) {
			is := is.New(t)
			is.Equal(bound(sending("POST", "/?age=99", jsonMedia, tt.body), &person{}), tt.want)
		})
	}
}

// both is "a,b" in JSON, and keeps the parts.
type both struct{ A, B string }

func (b *both) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	b.A, b.B, _ = strings.Cut(s, ",")
	return nil
}

func TestBindToOtherTypes(t *testing.T) {
	for _, tt := range []struct {
		name, contentType, body string
		dst                     any
		want                    string
	}{
		{"list", jsonMedia, `[1,2]`, &[]int{}, "[1,2]"},
		{"map", jsonMedia, `{"a":1}`, &map[string]int{}, `{"a":1}`},
		{"any", jsonMedia, `5`, new(any), `5`},
		{"UnmarshalJSON", jsonMedia, `"x,y"`, &both{}, `{"A":"x","B":"y"}`},
		{"wrong list", jsonMedia, `{}`, &[]int{}, "400 the body does not have the expected form"},
		{"wrong text", jsonMedia, `"x"`, &netip.Addr{}, "400 the body does not have the expected form"},
		{"UnmarshalText", jsonMedia, `"192.0.2.1"`, &netip.Addr{}, `"192.0.2.1"`},
		{"embedded UnmarshalText", jsonMedia, `{"N":5}`, &withText{}, "400 the body does not have the expected form"},
		{"embedded UnmarshalText, as text", jsonMedia, `"192.0.2.1"`, &withText{}, `"192.0.2.1"`},
		{"embedded UnmarshalText, of a form", formType, `N=5`, &struct {
			*upper
			N int
		}{}, `{"N":5}`},
		{"null", jsonMedia, `null`, &map[string]int{}, `null`},
		{"form for a map", formType, `a=1`, &map[string]string{}, "415 the body is not JSON"},
		{"multipart form for a list", multiMedia, parts("a=1"), &[]string{}, "415 the body is not JSON"},
		{"text for a list", "text/plain", `x`, &[]string{}, "415 the body is not JSON"},
		{"text for a pointer", "text/plain", `x`, new(*every), "415 the body is not JSON"},
		{"form for a text", formType, `a=1`, &netip.Addr{}, "415 the body is not JSON"},
		{"empty JSON for a list", jsonMedia, ``, &[]string{}, "400 the body is empty, and JSON is expected"},
		{"empty form for a map", formType, ``, &map[string]string{}, "400 the body is empty, and JSON is expected"},
		{"empty text for a map", "text/plain", ``, &map[string]string{}, "400 the body is empty, and JSON is expected"},
		{"empty JSON for a text", jsonMedia, ``, &netip.Addr{}, "400 the body is empty, and JSON is expected"},
		{"other media type", "text/plain", "x", &both{}, "415 the body is neither JSON nor a form"},
		{"no media type", "", "x", &both{}, "415 the body is neither JSON nor a form"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(bound(sending("POST", "/", tt.contentType, tt.body), tt.dst), tt.want)
		})
	}
}

func TestBodyOfAnotherTypeSurvivesBind(t *testing.T) {
	is := is.New(t)
	r := sending("POST", "/", "text/plain", "hello")
	_, err := bind(r, &both{})
	is.True(err != nil)
	is.Equal(text(r), "hello")
}

// TestNoBody: a request without a body has its query.
func TestNoBody(t *testing.T) {
	is := is.New(t)
	r, dst := httptest.NewRequest("GET", "/?A=1", nil), Plain{}
	var b *Body
	is.NoErr(b.Load(r, true))
	_, _, err := b.Bind(r, noParams{}, &dst, false, noMessages)
	is.NoErr(err)
	is.Equal(dst, Plain{A: "1"})
	is.Equal(b.Inputs(r, "A"), []string{"1"})
	is.Equal(b.All(r), map[string]any{"A": "1"})
	is.Equal(b.Only(r, "A", "B"), map[string]any{"A": "1"})
	b.Stream()
	b.End()
	is.NoErr(b.Clone().Load(r, false))
	is.Equal(b.Reader(), http.NoBody)
	is.True(!b.AwaitsTrailers())
}

// TestTextIsExpected: a type with UnmarshalText takes text, whatever it is made of.
func TestTextIsExpected(t *testing.T) {
	type codes struct {
		Up   upper
		Many []*upper
		Base struct{ Addr netip.Addr }
	}
	for _, tt := range []struct{ body, want string }{
		{`{"Up":["A"]}`, "invalid: Up: must be text"},
		{`{"Up":{}}`, "invalid: Up: must be text"},
		{`{"Up":5}`, "invalid: Up: must be text"},
		{`{"Up":"a"}`, "invalid: Up: is not valid"},
		{`{"Many":["A",[]]}`, "invalid: Many.1: must be text"},
		{`{"Base":{"Addr":[1]}}`, "invalid: Base.Addr: must be text"},
	} {
		t.Run(tt.body, func(t *testing.T) {
			is := is.New(t)
			is.Equal(bound(sending("POST", "/", jsonMedia, tt.body), &codes{}), tt.want)
		})
	}
}
