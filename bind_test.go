package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
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

// bound binds a request and returns what is left of dst as JSON, without zero
// values, or the error.
func bound(r *http.Request, dst any) string {
	if err := NewRequest(r).Bind(dst); err != nil {
		return err.Error()
	}
	b, err := json.Marshal(dst)
	if err != nil {
		return err.Error()
	}
	return string(b)
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
				is.NoErr(NewRequest(r).Bind(&e))
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
			e := every{}
			err := NewRequest(sending("POST", "/", formType, tt.form)).Bind(&e)
			_, ok := err.(Invalid)
			is.True(ok)
			is.Equal(err.Error(), "invalid input: "+tt.want)
		})
	}
}

func TestBindJSON(t *testing.T) {
	type address struct {
		Street string
		Zip    int8 `json:"zip"`
	}
	type person struct {
		Name    string    `json:"name,omitempty" form:"full_name"`
		Age     int       `json:",omitempty"`
		Since   time.Time `json:"since,omitzero"`
		Tags    []string  `json:",omitempty"`
		Home    *address  `json:"home,omitempty"`
		Count   int64     `json:"count,string,omitempty"`
		Raw     []byte    `json:"raw,omitempty"`
		Any     any       `json:"any,omitempty"`
		Deleted bool      `json:"-"`
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

		{`{"age":"x"}`, "invalid input: age: must be a whole number"},
		{`{"age":1.5}`, "invalid input: age: must be a whole number"},
		{`{"age":1e99}`, "invalid input: age: must be a whole number"},
		{`{"full_name":5}`, "invalid input: full_name: must be text"},
		{`{"tags":"a"}`, "invalid input: tags: must be a list"},
		{`{"tags":["a",1]}`, "invalid input: tags: must be text"},
		{`{"home":[]}`, "invalid input: home: must be an object"},
		{`{"home":{"zip":128}}`, "invalid input: home.zip: must be a whole number from -128 to 127"},
		{`{"since":"yesterday"}`, "invalid input: since: is not valid"},
		{`{"count":"x"}`, "invalid input: count: is not valid"},
		{`{"count":7}`, `{"count":"7"}`},
		{`{"count":""}`, "invalid input: count: is not valid"},
		{`{"count":"[]"}`, "invalid input: count: must be a whole number"},
		{`{"raw":"!"}`, "invalid input: raw: is not valid"},
		{`{"age":"x","full_name":1}`, "invalid input: age: must be a whole number; full_name: must be text"},
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

// What is embedded in the structs that follow.
type (
	Plain  struct{ A, B string }
	Other  struct{ A, D string }
	User   struct{ Name, Role string }
	Member struct {
		Role string `json:"role"`
		Rank string
	}
	Ranked struct {
		Rank string `form:"rank" json:"rang"`
	}
	TagA struct {
		X string `json:"A"`
	}
	TagA2 struct {
		Y string `json:"A"`
	}
	Deep  struct{ Plain }
	Deep2 struct{ Plain }
	Node  struct {
		A string
		*Node
	}
	Ping struct {
		*Pong
		A string
	}
	Pong struct {
		*Ping
		B string
	}
	Loud struct {
		X string `json:"ROLE"`
	}
	Label   string
	a       string
	hidden  struct{ A, B string }
	Diamond struct{ Deep }
)

// shapes are structs in which fields hide each other, and how Bind and encoding/json
// see them alike.
var shapes = []struct {
	name string
	make func() any
	tags []string // the tags in the way of no other field: encoding/json takes them in any case
}{
	{"no tags", func() any { return &struct{ A, B string }{} }, nil},
	{"embedded", func() any { return &Deep{} }, nil},
	{"hidden", func() any {
		return &struct {
			Plain
			A string
		}{}
	}, nil},
	{"hidden before", func() any {
		return &struct {
			A string
			Plain
		}{}
	}, nil},
	{"hidden by the same tag", func() any {
		return &struct {
			Member
			Role string `json:"role"`
		}{}
	}, []string{"role"}},
	{"hidden by no tag in another case", func() any {
		return &struct {
			Loud
			X string `json:"role"`
		}{}
	}, []string{"role", "ROLE"}},
	{"a tag deeper inside", func() any {
		return &struct {
			TagA
			A string
		}{}
	}, nil},
	{"ambiguous", func() any {
		return &struct {
			Plain
			Other
		}{}
	}, nil},
	{"ambiguous hides deeper", func() any {
		return &struct {
			Plain
			Other
			Deep struct{ Plain }
			Diamond
		}{}
	}, nil},
	{"one tag among names", func() any {
		return &struct {
			Plain
			TagA
		}{}
	}, []string{"A"}},
	{"two tags", func() any {
		return &struct {
			Plain
			TagA
			*TagA2
		}{}
	}, nil},
	{"one struct twice", func() any {
		return &struct {
			Deep
			Deep2
			D string
		}{}
	}, nil},
	{"pointer", func() any {
		return &struct {
			*Plain
			D string
		}{}
	}, nil},
	{"pointer to hidden", func() any {
		return &struct {
			*Plain
			A, B string
		}{}
	}, nil},
	{"pointer that is set", func() any {
		return &struct {
			*Plain
			A string
		}{&Plain{"a", "b"}, "c"}
	}, nil},
	{"pointers to pointers", func() any { return &struct{ *Ping }{} }, nil},
	{"a list", func() any { return &Node{} }, nil},
	{"unexported", func() any {
		return &struct {
			hidden
			A string
		}{}
	}, nil},
	{"unexported pointer", func() any {
		return &struct {
			*hidden
			A string
		}{}
	}, nil},
	{"unexported pointer that is set", func() any {
		return &struct {
			*hidden
			A string
		}{&hidden{}, "a"}
	}, nil},
	{"no structs", func() any {
		return &struct {
			Label
			a
			Plain
			D string
		}{}
	}, nil},
	{"pointer to no struct", func() any { return &struct{ *Label }{} }, nil},
	{"interface", func() any { return &struct{ fmt.Stringer }{} }, nil},
	{"a tag makes it a field", func() any {
		return &struct {
			Plain  `json:"d"`
			*Other `json:"Name"`
			B      string
		}{}
	}, []string{"d", "Name"}},
	{"-", func() any {
		return &struct {
			Plain
			A string `json:"-"`
			//lint:ignore SA5008 a name that looks like none is what is tested
			Dash string `json:"-,"`
			User `json:"-"`
		}{}
	}, []string{"-"}},
	{"kinds", func() any {
		return &struct {
			A    int8
			B    *int
			D    []string
			Name map[string]any
			Role any
			Rank *Plain
			Deep [1]bool
		}{}
	}, nil},
	{",string", func() any {
		return &struct {
			N int `json:"A,string"`
			//lint:ignore SA5008 an option without a meaning is what is tested
			P **bool   `json:"B,string"`
			Q *bool    `json:"d,string"`
			S string   `json:"role,omitempty,string"`
			F *float32 `json:",string"`
			//lint:ignore SA5008 an option without a meaning is what is tested
			L []int `json:"Label,string"`
		}{}
	}, []string{"A", "B", "d", "role", "Label"}},
}

var (
	shapeKeys = []string{"A", "a", "B", "b", "D", "d", "Name", "name", "NAME", "Role", "role", "ROLE", "rank", "Rank", "X", "Y",
		"Plain", "plain", "Deep", "Node", "Label", "label", "hidden", "Stringer", "-", "Dash", "N", "F", "f", "", "none"}
	shapeValues = []string{`"x"`, `""`, `"1"`, `"true"`, `"null"`, `"\"x\""`, `"\"x"`, `1`, `-5`, `1.5`, `1e400`, `300`, `true`, `null`,
		`[]`, `["x",null]`, `["x",1]`, `[1]`, `[true]`, `{}`, `{"A":"x","b":"y"}`, `{"a":1,"B":"x"}`, `"[1]"`}
)

// FuzzBindLikeEncodingJSON: Bind fills what encoding/json fills, and of a form what
// it fills of JSON. Where Bind differs on purpose, the test steps aside:
//   - a tag matches to the letter, and form is a tag, too;
//   - of several spellings of a name one counts, and of a repeated key the last
//     alone, while encoding/json decodes each over the one before;
//   - it goes on after a value that does not convert and returns them all;
//   - a value of a field with ",string" may also stand without quotes, and a pointer
//     to one stays nil if it does not convert;
//   - see TestBindDiffers for those that concern single types.
func FuzzBindLikeEncodingJSON(f *testing.F) {
	for i := range shapes {
		for j := range shapeKeys {
			f.Add(byte(i), []byte{byte(j), byte(i + j), byte(j + 1), 0, byte(j + 5), 0})
		}
	}
	f.Fuzz(func(t *testing.T, number byte, choices []byte) {
		shape := shapes[int(number)%len(shapes)]
		var all, strict, texts []string // members
		form := url.Values{}
		for ; len(choices) > 1; choices = choices[2:] {
			key, value := shapeKeys[int(choices[0])%len(shapeKeys)], shapeValues[int(choices[1])%len(shapeValues)]
			same := func(other string) bool { return strings.EqualFold(key, other) }
			if slices.ContainsFunc(slices.Collect(maps.Keys(form)), same) || shape.name == ",string" && value[0] != '"' && value != "null" {
				continue
			}
			form[key] = []string{"x" + key}
			all = append(all, fmt.Sprintf("%q:%s", key, value))
			if slices.ContainsFunc(shape.tags, same) && !slices.Contains(shape.tags, key) {
				continue // what encoding/json would take for the tag
			}
			strict = append(strict, fmt.Sprintf("%q:%s", key, value))
			texts = append(texts, fmt.Sprintf("%q:%q", key, "x"+key))
		}
		check := func(media, body, text string) {
			got, want := shape.make(), shape.make()
			wantErr := json.Unmarshal([]byte(text), want)
			if media == formType && (wantErr != nil || shape.name == "kinds") {
				return // text converts to other types than JSON does
			}
			err := NewRequest(sending("POST", "/", media, body)).Bind(got)
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s %s: got error %v, want %v", shape.name, body, err, wantErr)
			}
			if _, ok := err.(Invalid); (err == nil || ok && shape.name != ",string") && !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s: got %s, want %s", shape.name, body, asJSON(got), asJSON(want))
			}
		}
		check(jsonMedia, "{"+strings.Join(all, ", ")+"}", "{"+strings.Join(strict, ",")+"}")
		check(formType, form.Encode(), "{"+strings.Join(texts, ",")+"}")
	})
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestBindDiffers: where a struct is filled otherwise than encoding/json would, a
// hidden field stays empty all the same.
func TestBindDiffers(t *testing.T) {
	type (
		nearTag struct {
			User
			X string `json:"role"`
		}
		nearName struct {
			Member
			Role string
		}
		sameDepth struct {
			User
			Member
		}
		spellings  struct{ ID, Id string }
		unexported struct {
			hidden `json:"in"`
			A      string
		}
		left    struct{ Diamond }
		right   struct{ Diamond }
		formTag struct {
			Ranked
			Rang string `form:"rang"`
		}
	)
	for _, tt := range []struct {
		name string
		dst  any
		keys string
		want string
	}{
		{"a tag hides all spellings of a name deeper inside", &nearTag{}, "role Role ROLE", "{{ } role}"},
		{"whichever come", &nearTag{}, "Role ROLE", "{{ } }"},
		{"a name hides the tags that it spells", &nearName{}, "role", "{{ } role}"},
		{"so that the very name goes first", &nearName{}, "role Role", "{{ } Role}"},
		{"but not at the same depth", &sameDepth{}, "role Role ROLE rank", "{{ Role} {role rank}}"},
		{"there, each goes to its own", &sameDepth{}, "role", "{{ } {role }}"},
		{"and what is not its own to the name", &sameDepth{}, "ROLE", "{{ ROLE} { }}"},
		{"two names to the letter", &spellings{}, "ID Id id", "{ID Id}"},
		{"or the first", &spellings{}, "id iD", "{iD }"},
		{"the very name before the first in order", &struct{ Role string }{}, "role Role ROLE", "{Role}"},
		{"an embedded struct that cannot be set", &unexported{}, "in A B", "{{ } A}"},
		{"a struct twice below two", &struct {
			left
			right
		}{}, "A B", "{{{{{ }}}} {{{{ }}}}}"},
		{"a form's tag deeper inside", &formTag{}, "rang rank", "{{rank} rang}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			form, object := url.Values{}, map[string]string{}
			for _, key := range strings.Fields(tt.keys) {
				form[key], object[key] = []string{key}, key
			}
			bodies := map[string]string{jsonMedia: asJSON(object), formType: form.Encode()}
			for i := range 20 { // maps have no order
				is := is.New(t)
				media := []string{jsonMedia, formType}[i%2]
				dst := reflect.New(reflect.TypeOf(tt.dst).Elem())
				is.NoErr(NewRequest(sending("POST", "/", media, bodies[media])).Bind(dst.Interface()))
				is.Equal(fmt.Sprint(dst.Elem()), tt.want)
			}
		})
	}
}

func TestBindCannotSetAnEmbeddedPointer(t *testing.T) {
	is := is.New(t)
	dst := struct{ *hidden }{}
	err := NewRequest(sending("POST", "/", formType, "a=1")).Bind(&dst)
	is.True(err != nil)
	is.Equal(err.Error(), `flow: Bind cannot fill "A": it is in an embedded *flow.hidden, which is nil and cannot be set from outside its package: embed the struct itself, or set the pointer before`)
	is.Equal(StatusOf(err), 500)
	is.NoErr(NewRequest(sending("POST", "/", formType, "none=1")).Bind(&dst))
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
		{"map of a form", formType, `a=1`, &map[string]string{}, "flow: Bind fills a *map[string]string from JSON only: give a pointer to a struct"},
		{"struct", jsonMedia, `{}`, every{}, "flow: Bind needs a pointer to a struct, not a flow.every"},
		{"nil", jsonMedia, `{}`, nil, "flow: Bind needs a pointer to a struct, not a <nil>"},
		{"nil pointer", jsonMedia, `{}`, (*every)(nil), "flow: Bind needs a pointer to a struct, not a *flow.every"},
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
	r, _ := lone(func(req *Request) string {
		is.True(req.Bind(&both{}) != nil)
		b, err := io.ReadAll(req.Body)
		is.NoErr(err)
		return string(b)
	})
	is.Equal(do(r, sending("POST", "/x", "text/plain", "hello")).Body.String(), "hello")
}

// checked fails as it is told.
type checked struct {
	N   int
	err error
}

func (c *checked) Validate() error { return c.err }

// value has Validate on the value.
type value struct{ N int }

func (v value) Validate() error { return Invalid{"N": fmt.Sprint(v.N)} }

func TestValidate(t *testing.T) {
	down := errors.New("the database is down")
	var none Invalid
	for _, tt := range []struct {
		name, query string
		err, want   error
	}{
		{"nil", "N=1", nil, nil},
		{"nil Invalid", "N=1", none, nil},
		{"empty Invalid", "N=1", Invalid{}, nil},
		{"Invalid", "N=1", Invalid{"N": "is odd"}, Invalid{"N": "is odd"}},
		{"both", "N=x", Invalid{"N": "is zero", "M": "is missing"}, Invalid{"N": "must be a whole number", "M": "is missing"}},
		{"conversion only", "N=x", nil, Invalid{"N": "must be a whole number"}},
		{"other error", "N=1", down, down},
		{"other error goes first", "N=x", down, down},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			given, _ := tt.err.(Invalid)
			given = maps.Clone(given)
			is.Equal(NewRequest(httptest.NewRequest("GET", "/?"+tt.query, nil)).Bind(&checked{err: tt.err}), tt.want)
			if after, ok := tt.err.(Invalid); ok {
				is.Equal(after, given) // Bind changed what is not its own
			}
		})
	}
	is := is.New(t)
	is.Equal(NewRequest(httptest.NewRequest("GET", "/?N=4", nil)).Bind(&value{}), Invalid{"N": "4"})
	is.Equal(NewRequest(sending("POST", "/", jsonMedia, `{"N":5}`)).Bind(&value{}), Invalid{"N": "5"})
}

// wellFormed reports whether the standard library's own parsers take a body.
func wellFormed(mediaType string, body []byte) bool {
	switch mediaType {
	case jsonMedia:
		return len(body) == 0 || json.Valid(body) && depthOf(body) <= maxDepth
	case formType:
		_, err := url.ParseQuery(string(body))
		return err == nil
	case multiMedia:
		form, err := multipart.NewReader(strings.NewReader(string(body)), "b").ReadForm(1 << 20)
		if err == nil {
			form.RemoveAll()
		}
		return err == nil
	}
	return true
}

// depthOf returns how deep valid JSON is nested.
func depthOf(text []byte) int {
	depth, deepest := 0, 0
	for d := json.NewDecoder(bytes.NewReader(text)); ; deepest = max(deepest, depth) {
		switch token, err := d.Token(); token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		default:
			if err != nil {
				return deepest
			}
		}
	}
}

// FuzzBody: a handler runs if and only if the body is well formed, and Bind and
// its like take whatever comes.
func FuzzBody(f *testing.F) {
	medias := []string{jsonMedia, formType, multiMedia, "text/plain"}
	f.Add(byte(0), []byte(strings.Repeat("[", maxDepth+1)+strings.Repeat("]", maxDepth+1)))
	for i, body := range []string{`{"I":1,"Deep":{"N":"x"},"L":["a",null],"Quoted":"5","T":0}`, "I=1&L=a&L=b&LL=1&PL=&Raw=%00", parts("I=1", "L=", "f@x"), "x"} {
		f.Add(byte(i), []byte(body))
	}
	f.Fuzz(func(t *testing.T, media byte, body []byte) {
		mediaType := medias[int(media)%len(medias)]
		for _, reader := range append(readers[:len(readers):len(readers)], consumers[0]) {
			called := false
			r, log := lone(func(req *Request) Response {
				called = true
				e, list := every{}, []any{}
				req.Bind(&e)
				req.Bind(&list)
				for key := range req.All() {
					req.Input(key)
				}
				return JSON(req.Clone().All())
			}, reader.use...)
			if reader.name == consumers[0].name && mediaType == multiMedia {
				continue // which it uses up
			}
			w := do(r, sending("POST", "/x", mediaType, string(body)))
			if want := wellFormed(mediaType, body); called != want || want != (w.Code == 200) {
				t.Errorf("%s, %s %q: called %v, want %v: %d %s", reader.name, mediaType, body, called, want, w.Code, w.Body)
			}
			if strings.Contains(log.String(), "panic") {
				t.Errorf("%s %q: %s", mediaType, body, log)
			}
		}
	})
}
