package schema

import (
	"encoding/json"
	"errors"
	"math/big"
	"math/rand"
	randv2 "math/rand/v2"
	"mime/multipart"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

type color string

func (color) JSONSchema(s map[string]any) { s["enum"] = []string{"red", "green"} }

// stamp is written as seconds, and read from seconds only.
type stamp struct{ time.Time }

func (s stamp) MarshalJSON() ([]byte, error) { return json.Marshal(s.Unix()) }
func (s *stamp) UnmarshalJSON(text []byte) error {
	var n int64
	err := json.Unmarshal(text, &n)
	s.Time = time.Unix(n, 0)
	return err
}

// optional tells null from what was left out.
type optional[T any] struct {
	Set, Null bool
	Value     T
}

func (o optional[T]) MarshalJSON() ([]byte, error) {
	if o.Null || !o.Set {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

func (o *optional[T]) UnmarshalJSON(text []byte) error {
	o.Set = true
	if o.Null = string(text) == "null"; o.Null {
		return nil
	}
	return json.Unmarshal(text, &o.Value)
}

// evenText takes only texts of even length.
type evenText string

func (e *evenText) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	if *e = evenText(s); len(s)%2 != 0 || s == "" {
		return errors.New("odd")
	}
	return nil
}

type unasked struct{}

func (unasked) MarshalJSON() ([]byte, error) { panic("asked") }
func (*unasked) UnmarshalJSON([]byte) error  { panic("asked") }

type node struct {
	Name string  `json:"name"`
	Next *node   `json:"next"`
	Kids []*node `json:"kids,omitempty"`
}

type base struct {
	ID int64 `json:"id" doc:"Never changes."`
}

type maybe struct {
	Note string `json:"note"`
}

type item struct {
	base
	*maybe
	Title   string            `json:"title" doc:"Deprecated: use name."`
	Color   color             `json:"color,omitempty"`
	Price   float64           `json:"price,string"`
	Tags    []string          `json:"tags"`
	More    []string          `json:"more,omitempty"`
	Map     map[string]int    `json:"map,omitzero"`
	Any     any               `json:"any"`
	At      time.Time         `json:"at,omitempty"`
	When    stamp             `json:"when"`
	Gone    *time.Time        `json:"gone"`
	Left    *int8             `json:"left,omitempty"`
	Pair    [2]uint8          `json:"pair"`
	Raw     []byte            `json:"raw"`
	Hidden  string            `json:"-"`
	Limit   int               `query:"limit"`
	Network netip.Addr        `json:"network"`
	Big     *big.Int          `json:"big"`
	Nick    optional[string]  `json:"nick"`
	Even    evenText          `json:"even"`
	Odd     unasked           `json:"odd"`
	Where   struct{ X int32 } `json:"where"`
	Free    json.RawMessage   `json:"free"`
}

type mixed struct {
	ID    string    `param:"id"`
	Page  uint      `query:"page" doc:"From 0."`
	Since time.Time `query:"since"`
	Title string    `json:"title"`
	Tags  []string  `json:"tags"`
	Place struct {
		City string `json:"city"`
	} `json:"place"`
}

type upload struct {
	Photo *multipart.FileHeader `form:"photo"`
	Title string                `form:"title"`
}

type signIn struct {
	Name  string `json:"name"`
	Stay  bool   `json:"stay"`
	Count uint8  `form:"count"`
}

type wrongWord struct{ A int }

func (wrongWord) JSONSchema(s map[string]any) { s["required"] = 1 }

type panics struct{ A int }

func (panics) JSONSchema(s map[string]any) { panic("no") }

// A shape is one of two structs.
type shape struct {
	Kind string `json:"kind"`
	Of   *item2 `json:"of"`
}

type item2 struct{ Color color }

func (shape) JSONSchema(s map[string]any) {
	s["description"] = "A shape."
	s["x-internal"] = true
	s["minProperties"] = 1
	kind := s["properties"].(map[string]any)["kind"].(map[string]any)
	kind["const"] = "circle"
}

type page[T any] struct {
	Items []T `json:"items"`
}

// text returns a schema with its components, a line each.
func text(t *testing.T, schemas ...*Schema) string {
	t.Helper()
	all := Name(schemas...)
	var b strings.Builder
	for _, s := range schemas {
		line, err := json.Marshal(s)
		if err != nil {
			t.Error(err)
		}
		b.Write(append(line, '\n'))
	}
	for _, c := range all {
		line, err := json.Marshal(c.Schema)
		if err != nil {
			t.Error(err)
		}
		b.WriteString(c.Name + " " + string(line) + "\n")
	}
	return b.String()
}

// input returns the parts of an Input in turn.
func parts(in Input) []*Schema {
	var all []*Schema
	for _, s := range []*Schema{in.Body, in.Form} {
		if s == nil {
			s = &Schema{Description: "none"}
		}
		all = append(all, s)
	}
	for _, ps := range []Properties{in.Data, in.Query, in.Route} {
		all = append(all, &Schema{Properties: ps})
	}
	return all
}

func TestSchemasOfTypes(t *testing.T) {
	var s Set
	for _, tt := range []struct {
		name string
		of   []*Schema
		want string
	}{
		{"written", []*Schema{s.Written(reflect.TypeFor[item]())}, `
{"$ref":"#/components/schemas/item"}
color {"type":"string","enum":["red","green"]}
item {"type":"object","properties":{"id":{"type":"integer","format":"int64","description":"Never changes."},"note":{"type":"string"},"title":{"type":"string","description":"Deprecated: use name.","deprecated":true},"color":{"$ref":"#/components/schemas/color"},"price":{"type":"string"},"tags":{"type":["array","null"],"items":{"type":"string"}},"more":{"type":"array","items":{"type":"string"}},"map":{"type":"object","additionalProperties":{"type":"integer"}},"any":{},"at":{"type":"string","format":"date-time"},"when":{"type":"integer"},"gone":{"type":["string","null"],"format":"date-time"},"left":{"type":"integer","minimum":-128,"maximum":127},"pair":{"type":"array","items":{"type":"integer","minimum":0,"maximum":255},"minItems":2,"maxItems":2},"raw":{"type":["string","null"],"contentEncoding":"base64"},"Limit":{"type":"integer"},"network":{"type":"string"},"big":{"type":["integer","null"]},"nick":{"type":["string","null"]},"even":{"type":"string"},"odd":{},"where":{"type":"object","properties":{"X":{"type":"integer","format":"int32"}},"required":["X"]},"free":{}},"required":["id","title","price","tags","any","at","when","gone","pair","raw","Limit","network","big","nick","even","odd","where","free"]}
`},
		{"read", []*Schema{s.Read(reflect.TypeFor[item]())}, `
{"$ref":"#/components/schemas/item"}
color {"type":"string","enum":["red","green"]}
item {"type":"object","properties":{"id":{"type":"integer","format":"int64","description":"Never changes."},"note":{"type":"string"},"title":{"type":"string","description":"Deprecated: use name.","deprecated":true},"color":{"$ref":"#/components/schemas/color"},"price":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"more":{"type":"array","items":{"type":"string"}},"map":{"type":"object","additionalProperties":{"type":"integer"}},"any":{},"at":{"type":"string","format":"date-time"},"when":{"type":["integer","null"]},"gone":{"type":["string","null"],"format":"date-time"},"left":{"type":["integer","null"],"minimum":-128,"maximum":127},"pair":{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}},"raw":{"type":"string","contentEncoding":"base64"},"network":{"type":"string"},"big":{"type":["integer","null"]},"nick":{"type":["string","null"]},"even":{"type":"string"},"odd":{},"where":{"type":"object","properties":{"X":{"type":"integer","format":"int32"}}},"free":{}}}
`},
		{"recursive", []*Schema{s.Written(reflect.TypeFor[[]node]())}, `
{"type":["array","null"],"items":{"$ref":"#/components/schemas/node"}}
node {"type":"object","properties":{"name":{"type":"string"},"next":{"anyOf":[{"$ref":"#/components/schemas/node"},{"type":"null"}]},"kids":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/node"},{"type":"null"}]}}},"required":["name","next"]}
`},
		{"recursive in both directions", []*Schema{s.Written(reflect.TypeFor[node]()), s.Read(reflect.TypeFor[node]())}, `
{"$ref":"#/components/schemas/node"}
{"$ref":"#/components/schemas/nodeInput"}
node {"type":"object","properties":{"name":{"type":"string"},"next":{"anyOf":[{"$ref":"#/components/schemas/node"},{"type":"null"}]},"kids":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/node"},{"type":"null"}]}}},"required":["name","next"]}
nodeInput {"type":"object","properties":{"name":{"type":"string"},"next":{"anyOf":[{"$ref":"#/components/schemas/nodeInput"},{"type":"null"}]},"kids":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/nodeInput"},{"type":"null"}]}}}}
`},
		{"generic", []*Schema{s.Written(reflect.TypeFor[page[color]]()), s.Written(reflect.TypeFor[page[map[string]netip.Addr]]())}, `
{"$ref":"#/components/schemas/page_color"}
{"$ref":"#/components/schemas/page_map_string_Addr"}
color {"type":"string","enum":["red","green"]}
page_color {"type":"object","properties":{"items":{"type":["array","null"],"items":{"$ref":"#/components/schemas/color"}}},"required":["items"]}
page_map_string_Addr {"type":"object","properties":{"items":{"type":["array","null"],"items":{"type":["object","null"],"additionalProperties":{"type":"string"}}}},"required":["items"]}
`},
		{"one name in two packages", []*Schema{s.Written(reflect.TypeFor[rand.Rand]()), s.Written(reflect.TypeFor[randv2.Rand]())}, `
{"$ref":"#/components/schemas/rand.Rand"}
{"$ref":"#/components/schemas/rand.Rand_2"}
rand.Rand {"type":"object"}
rand.Rand_2 {"type":"object"}
`},
		{"input", parts(s.Input(reflect.TypeFor[mixed]())), `
{"type":"object","properties":{"title":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"place":{"type":"object","properties":{"city":{"type":"string"}}}}}
{"description":"none"}
{"properties":{"title":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"place.city":{"type":"string"}}}
{"properties":{"page":{"type":"integer","description":"From 0.","minimum":0},"since":{"type":"string","examples":["2026-01-02","2026-01-02T15:04:05Z"]}}}
{"properties":{"id":{"type":"string"}}}
`},
		{"input with files", parts(s.Input(reflect.TypeFor[upload]())), `
{"type":"object","properties":{"title":{"type":"string"}}}
{"type":"object","properties":{"photo":{"type":"string","format":"binary"},"title":{"type":"string"}}}
{"properties":{"title":{"type":"string"}}}
{}
{}
`},
		{"input that a form fills", parts(s.Input(reflect.TypeFor[signIn]())), `
{"type":"object","properties":{"name":{"type":"string"},"stay":{"type":"boolean"},"count":{"type":"integer","minimum":0,"maximum":255}}}
{"type":"object","properties":{"name":{"type":"string"},"stay":{"type":"boolean"},"count":{"type":"integer","minimum":0,"maximum":255}}}
{"properties":{"name":{"type":"string"},"stay":{"type":"boolean"},"count":{"type":"integer","minimum":0,"maximum":255}}}
{}
{}
`},
		{"input without fields", parts(s.Input(reflect.TypeFor[struct{}]())), `
{"description":"none"}
{"description":"none"}
{}
{}
{}
`},
		{"input that decodes itself", parts(s.Input(reflect.TypeFor[optional[int]]())), `
{"type":["integer","null"]}
{"description":"none"}
{}
{}
{}
`},
		{"wrong JSONSchema", []*Schema{s.Written(reflect.TypeFor[wrongWord]()), s.Written(reflect.TypeFor[panics]())}, `
{"$ref":"#/components/schemas/wrongWord"}
{"$ref":"#/components/schemas/panics"}
panics {"type":"object","properties":{"A":{"type":"integer"}},"required":["A"]}
wrongWord {"type":"object","properties":{"A":{"type":"integer"}},"required":["A"]}
`},
		{"changed by JSONSchema", []*Schema{s.Written(reflect.TypeFor[shape]())}, `
{"$ref":"#/components/schemas/shape"}
color {"type":"string","enum":["red","green"]}
item2 {"type":"object","properties":{"Color":{"$ref":"#/components/schemas/color"}},"required":["Color"]}
shape {"type":"object","description":"A shape.","properties":{"kind":{"type":"string","const":"circle"},"of":{"anyOf":[{"$ref":"#/components/schemas/item2"},{"type":"null"}]}},"required":["kind","of"],"minProperties":1,"x-internal":true}
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal("\n"+text(t, tt.of...), tt.want)
		})
	}
}

func TestFaultsOfJSONSchema(t *testing.T) {
	is := is.New(t)
	var s Set
	type list struct {
		Next  *list
		Words map[string][]*wrongWord
	}
	found := s.Faults(reflect.TypeFor[list]())
	is.Equal(len(found), 1)
	is.True(strings.HasPrefix(found[0], "JSONSchema of schema.wrongWord makes no JSON Schema: "))
	is.Equal(s.Faults(reflect.TypeFor[[2]panics]()), []string{"JSONSchema of schema.panics panics: no"})
	is.Equal(len(s.Faults(reflect.TypeFor[[]panics]())), 0) // it was said
}

// A type whose name has no letter that OpenAPI allows gets another one.
func TestNameOfOtherLetters(t *testing.T) {
	is := is.New(t)
	type 価格 struct{ A int }
	var s Set
	all := Name(s.Written(reflect.TypeFor[価格]()))
	is.Equal(len(all), 1)
	is.Equal(all[0].Name, "Type")
}
