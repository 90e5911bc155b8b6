package input

import (
	"encoding/json"
	"errors"
	"net/netip"
	"testing"

	"github.com/matryer/is"
)

// A customLine has its own UnmarshalJSON, as a type has that fills in what JSON leaves out.
type customLine struct {
	Qty   int `json:"qty"`
	Parts []struct{ N int }
	Of    struct {
		Size uint8 `json:"size"`
	} `json:"of"`
}

func (l *customLine) UnmarshalJSON(text []byte) error {
	type plain customLine
	if string(text) == "0" {
		return errors.New("no lines")
	}
	l.Qty = 1
	return json.Unmarshal(text, (*plain)(l))
}

// A noNull has an UnmarshalJSON that refuses null.
type noNull struct{ N int }

func (n *noNull) UnmarshalJSON(text []byte) error {
	type plain noNull
	if string(text) == "null" {
		return errors.New("null")
	}
	return json.Unmarshal(text, (*plain)(n))
}

type customMap map[string]struct{ N int }

func (m *customMap) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, (*map[string]struct{ N int })(m))
}

// A typeless has an UnmarshalJSON whose error has no type.
type typeless struct{}

func (*typeless) UnmarshalJSON([]byte) error { return &json.UnmarshalTypeError{Value: "x"} }

// A deep decodes itself, and so does what is inside of it.
type deep struct {
	Deep *deep
	N    int
}

func (d *deep) UnmarshalJSON(text []byte) error {
	type plain deep
	return json.Unmarshal(text, (*plain)(d))
}

// TestMismatchPaths holds the paths to values of JSON that do not convert. They are the same with
// each version of Go.
func TestMismatchPaths(t *testing.T) {
	type order struct {
		Lines  []customLine        `json:"lines"`
		Rows   [2]map[string]int   `json:"rows"`
		ByID   map[int]*customLine `json:"by_id"`
		ByAddr map[netip.Addr]bool
		Addrs  []*netip.Addr `json:"addrs"`
		Images [][]byte      `json:"images"`
		Sums   []json.Number `json:"sums"`
		Prices []struct {
			Amount *float64 `json:"amount,string"`
		} `json:"prices"`
		Any    any `json:"any"`
		Err    error
		Strict map[string]noNull `json:"strict"`
		Codes  customMap         `json:"codes"`
		Odd    typeless          `json:"odd"`
		Rates  map[float64]int   `json:"rates"`
		Deep   deep              `json:"deep"`
	}
	for _, tt := range []struct{ body, want string }{
		{`{"lines":[{"qty":1},{"qty":"x"}]}`, "lines.1.qty: must be a whole number"},
		{`{"lines":[{"OF":{"Size":256}}]}`, "lines.0.of.size: must be a whole number from 0 to 255"},
		{`{"lines":[{},{"Parts":[{"N":1},{"N":"x"}]}]}`, "lines.1.Parts.1.N: must be a whole number"},
		{`{"lines":[{},5]}`, "lines.1: must be an object"},
		{`{"lines":[{},0]}`, "lines.1: is not valid"},
		{`{"lines":{"0":{}}}`, "lines: must be a list"},
		{`{"rows":[{"1":1},{"2":1,"1":"x"}]}`, "rows.1.1: must be a whole number"},
		{`{"rows":[{},{},{"a":"encoding/json drops it"}],"by_id":{"1":[]}}`, "by_id.1: must be an object"},
		{`{"by_id":{"7":{"qty":1},"8":{"qty":{}}}}`, "by_id.8.qty: must be a whole number"},
		{`{"by_id":{"7":{},"x":{}}}`, "by_id.x: is not valid"},
		{`{"byaddr":{"192.0.2.1":true,"192.0.2":true}}`, "byaddr.192.0.2: is not valid"},
		{`{"addrs":["192.0.2.1",null,"x"]}`, "addrs.2: is not valid"},
		{`{"addrs":[7]}`, "addrs.0: must be text"},
		{`{"images":["aGk=","!"]}`, "images.1: is not valid"},
		{`{"images":["aGk=",[1,256]]}`, "images.1.1: must be a whole number from 0 to 255"},
		{`{"images":[true]}`, "images.0: must be a list"},
		{`{"sums":[1,"2","x"]}`, "sums.2: is not valid"},
		{`{"prices":[{"amount":"1.5"},{"AMOUNT":"x"}]}`, "prices.1.amount: must be a number, in quotes"},
		{`{"prices":[{"amount":1.5}]}`, "prices.0.amount: must be a number, in quotes"},
		{`{"prices":[{"amount":null},{"amount":"NaN"}]}`, "prices.1.amount: must be a number, in quotes"},
		{`{"any":{"a":[0,[{"b":1e400}]]}}`, "any.a.1.0.b: must be a number"},
		{`{"err":{}}`, "err: must be another kind of value"},
		{`{"strict":{"a":{"N":1},"b":{"N":"x"}}}`, "strict.b.N: must be a whole number"},
		{`{"strict":{"a":{"N":1},"b":null}}`, "strict.b: is not valid"},
		{`{"codes":{"a":{"N":1},"N":{"N":"x"}}}`, "codes.N.N: must be a whole number"},
		{`{"codes":{"a":[]}}`, "codes.a: must be an object"},
		{`{"codes":7}`, "codes: must be an object"},
		{`{"odd":{}}`, "odd: is not valid"},
		{`{"deep":{"Deep":{"Deep":{"N":"x"}}}}`, "deep.Deep.Deep.N: must be a whole number"},
		{`{"deep":{"Deep":{"Deep":{"Deep":{"Deep":{"Deep":{"N":"x"}}}}}}}`, "deep: is not valid"},
		{`{"unknown":[{}],"any":"\ud800","lines":[ {} , { "qty" : "\u0030" } ] }`, "lines.1.qty: must be a whole number"},
	} {
		t.Run(tt.body, func(t *testing.T) {
			is := is.New(t)
			is.Equal(bound(sending("POST", "/", jsonMedia, tt.body), &order{}), "invalid: "+tt.want)
		})
	}
}

// TestMismatchBehindInterface: the type of the field does not tell what a pointer in it leads to.
func TestMismatchBehindInterface(t *testing.T) {
	is := is.New(t)
	dst := struct{ Any any }{&struct{ N []int }{}}
	is.Equal(bound(sending("POST", "/", jsonMedia, `{"Any":{"N":[1,"x"]}}`), &dst), "invalid: Any: is not valid")
}

// TestNaNIsNoNumber: a NaN would pass the limits of Validate, and no JSON can hold it.
func TestNaNIsNoNumber(t *testing.T) {
	type price struct {
		Amount float64 `json:",string"`
	}
	for _, text := range []string{"NaN", "Infinity", "-Infinity", "Inf", "-nan"} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			value := `{"Amount":"` + text + `"}`
			is.Equal(bound(sending("POST", "/", jsonMedia, value), &price{}), "invalid: Amount: must be a number, in quotes")
			is.Equal(bound(sending("POST", "/", jsonMedia, `{"In":`+value+`}`), &struct{ In *price }{}), "invalid: In.Amount: must be a number, in quotes")
			is.Equal(bound(sending("POST", "/", jsonMedia, `[`+value+`]`), &[]price{}), "400 the body does not have the expected form")
		})
	}
}

// TestLookForNaNRefusesNothingElse has values that encoding/json takes, for types that may hold a NaN.
func TestLookForNaNRefusesNothingElse(t *testing.T) {
	type in struct {
		F      float64 `json:",string"`
		M      map[string]noNull
		S      any
		Custom [1]deep
		Count  int `json:",string"`
	}
	is := is.New(t)
	dst := struct{ In in }{in{S: &[]int{}}}
	is.Equal(bound(sending("POST", "/", jsonMedia, `{"In":{"F":"1.5","M":{"a":{"N":1}},"S":[1],"Custom":[{"N":2},0],"Count":"7"}}`), &dst),
		`{"In":{"F":"1.5","M":{"a":{"N":1}},"S":[1],"Custom":[{"Deep":null,"N":2}],"Count":"7"}}`)
}

// TestNaNIsNoKey: Go 1.26 takes no floats as keys.
func TestNaNIsNoKey(t *testing.T) {
	is := is.New(t)
	dst := struct{ Rates map[float64]int }{}
	got := bound(sending("POST", "/", jsonMedia, `{"Rates":{"NaN":1}}`), &dst)
	is.Equal(got, "invalid: Rates.NaN: is not valid")
	is.Equal(len(dst.Rates), 0)
}
