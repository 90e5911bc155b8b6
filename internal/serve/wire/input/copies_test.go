package input

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
)

// stored is what other requests read while a copy of it is bound to.
type stored struct {
	Tags    []string
	M       map[string]int
	Ptr     *int
	Deep    struct{ Tags []string }
	Near    *near
	List    []near
	Many    map[string]*near
	Pair    [2]*int
	Raw     json.RawMessage
	Any     any
	Big     *big.Int
	Bigs    []*big.Int
	Own     ownJSON
	Lock    *sync.Mutex
	Trimmed []trimmed
	Shorn   map[string]*trimmed
	Kept    []string `json:"-"`
	*Far
	Self *stored // nil
}

type near struct {
	A, B int
	L    []int
	Next *near
}

type Far struct {
	X, Y int
	Z    []int
}

// ownJSON fills itself, and keeps what is absent.
type ownJSON struct{ M map[string]int }

func (o *ownJSON) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &o.M) }

func makeStored() *stored {
	n, left, right := 1, 2, 3
	s := &stored{
		Tags: []string{"a", "b"}, M: map[string]int{"a": 1}, Ptr: &n, Near: &near{A: 1, B: 2, L: []int{1, 2, 3}, Next: &near{A: 3}},
		List: []near{{A: 1, L: []int{1}}}, Many: map[string]*near{"k": {A: 1}}, Pair: [2]*int{&left, &right},
		Raw: json.RawMessage(`"raw"`), Any: &near{A: 1}, Big: big.NewInt(1 << 40), Bigs: []*big.Int{big.NewInt(1 << 41)},
		Own: ownJSON{map[string]int{"a": 1}}, Lock: &sync.Mutex{}, Trimmed: []trimmed{{" t "}},
		Shorn: map[string]*trimmed{"s": {" s "}}, Kept: []string{"kept"}, Far: &Far{X: 1, Y: 2, Z: []int{1}},
	}
	s.Deep.Tags = []string{"d"}
	return s
}

// TestBindCopies: a struct that shares memory with another one leaves that as it is, and has
// what encoding/json would have made of it.
func TestBindCopies(t *testing.T) {
	for _, tt := range []struct{ name, body string }{
		{"nothing", `{}`},
		{"slice", `{"Tags":["CHANGED"]}`},
		{"map", `{"M":{"b":2}}`},
		{"pointer", `{"Ptr":7}`},
		{"in a nested struct", `{"Deep":{"Tags":["x"]}}`},
		{"pointed-to struct", `{"Near":{"B":9,"L":[7],"Next":{"B":8}}}`},
		{"list of structs", `{"List":[{"A":0,"B":5,"L":[6]},{"A":3}]}`},
		{"map of pointers", `{"Many":{"k":{"B":5},"l":{"A":1}}}`},
		{"array", `{"Pair":[5,6]}`},
		{"raw JSON", `{"Raw":"new"}`},
		{"interface", `{"Any":{"B":5}}`},
		{"hidden memory", `{"Big":5,"Bigs":[6]}`},
		{"UnmarshalJSON", `{"Own":{"b":2}}`},
		{"embedded", `{"Y":7,"Z":[8]}`},
		{"null", `{"Tags":null,"M":null,"Ptr":null,"Near":null,"Raw":null,"Any":null,"Big":null,"Own":null}`},
		{"a new struct", `{"Self":{"Tags":["x"]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			original, want := makeStored(), makeStored()
			is.NoErr(json.Unmarshal([]byte(tt.body), want))
			for i := range want.Trimmed { // as Validate does
				want.Trimmed[i].Validate()
			}
			for _, item := range want.Shorn {
				item.Validate()
			}
			got := *original
			invalid, err := bind(sending("POST", "/", jsonMedia, tt.body), &got)
			is.NoErr(err)
			is.Equal(len(invalid), 0)
			if !reflect.DeepEqual(&got, want) {
				t.Errorf("got %s, want %s", asJSON(got), asJSON(want))
			}
			if !reflect.DeepEqual(original, makeStored()) {
				t.Errorf("the original has become %s", asJSON(original))
			}
			is.True(got.Lock == original.Lock) // JSON cannot fill it, so it is not copied
			is.True(&got.Kept[0] == &original.Kept[0])
		})
	}
}

func TestBindCopiesForAForm(t *testing.T) {
	is := is.New(t)
	original := makeStored()
	got := *original
	_, err := bind(sending("POST", "/", formType, "Tags=x&Ptr=7&Y=8&Big=9"), &got)
	is.NoErr(err)
	is.Equal(*got.Ptr+got.Y, 15)
	is.Equal(got.X, 1)
	is.Equal(got.Big.String(), "9")
	is.True(reflect.DeepEqual(original, makeStored()))
}

// customFar has UnmarshalJSON, which a form does not ask.
type customFar struct{ *Far }

func (*customFar) UnmarshalJSON([]byte) error { return nil }

func TestBindCopiesForAFormOfCustomJSON(t *testing.T) {
	is := is.New(t)
	original := customFar{&Far{X: 1}}
	got := original
	_, err := bind(sending("POST", "/", formType, "X=2"), &got)
	is.NoErr(err)
	is.Equal(got.X, 2)
	is.Equal(original.X, 1)
}

func TestBindCopiesWithoutAStruct(t *testing.T) {
	is := is.New(t)
	list, byName := []int{1, 2}, map[string]int{"a": 1}
	l, m := list, byName
	_, err := bind(sending("POST", "/", jsonMedia, " [5]"), &l)
	is.NoErr(err)
	_, err = bind(sending("POST", "/", jsonMedia, `{"b":2}`), &m)
	is.NoErr(err)
	is.Equal(l, []int{5})
	is.Equal(m, map[string]int{"a": 1, "b": 2})
	is.Equal(list, []int{1, 2})
	is.Equal(byName, map[string]int{"a": 1})
}

// TestBindCopiesOfACircle: memory that leads back to itself is copied as far as the body
// names it, and no further.
func TestBindCopiesOfACircle(t *testing.T) {
	is := is.New(t)
	type node struct {
		Name string
		Next *node
		All  []*node
		Any  any
		Own  *selfish
	}
	ring := &node{Name: "a", Own: &selfish{Tags: []string{"t"}}}
	ring.Own.Self = ring.Own
	ring.Next = &node{Name: "b", Next: ring}
	ring.All = []*node{ring, ring.Next}
	ring.Any = &ring.Any
	dst := struct{ Ring, Same *node }{ring, ring}
	_, err := bind(sending("POST", "/", jsonMedia, `{"Ring":{"Name":"x","Next":{"Next":{"All":[null]}},"Own":{"Tags":["u"]},"Any":5},"Same":{"Next":{"Name":"y"}}}`), &dst)
	is.NoErr(err)
	is.True(dst.Same == dst.Ring)
	is.True(dst.Ring.Next.Next == dst.Ring)
	is.True(dst.Ring.Own.Self == dst.Ring.Own)
	is.Equal(dst.Ring.Name+dst.Ring.Next.Name+dst.Ring.Own.Tags[0], "xyu")
	is.Equal(dst.Ring.All, []*node{nil})
	is.Equal(ring.Name+ring.Next.Name+ring.Own.Tags[0], "abt")
	is.True(ring.Next.Next == ring && ring.All[0] == ring && ring.Any == any(&ring.Any) && ring.Own.Self == ring.Own)
}

// selfish decodes itself, and has fields that encoding/json could fill.
type selfish struct {
	Tags []string
	Self *selfish
	List [1][]*int
}

func (s *selfish) UnmarshalJSON(text []byte) error {
	type plain selfish
	return json.Unmarshal(text, (*plain)(s))
}

// TestBindCopiesForTypesThatDecodeThemselves: whatever such a type writes to is a copy, and
// it still finds what it had.
func TestBindCopiesForTypesThatDecodeThemselves(t *testing.T) {
	is := is.New(t)
	one := 1
	original := struct{ Own *selfish }{&selfish{Tags: []string{"a"}, Self: &selfish{Tags: []string{"b"}}, List: [1][]*int{{&one}}}}
	got := original
	_, err := bind(sending("POST", "/", jsonMedia, `{"Own":{"Self":{"Tags":["c"]},"List":[[2]]}}`), &got)
	is.NoErr(err)
	is.Equal(got.Own.Tags[0]+got.Own.Self.Tags[0], "ac")
	is.Equal(*got.Own.List[0][0], 2)
	is.Equal(original.Own.Self.Tags[0], "b")
	is.Equal(one, 1)
}

// TestBindReplacesLists: a list of JSON takes nothing over from the list of the struct.
func TestBindReplacesLists(t *testing.T) {
	is := is.New(t)
	type stored struct {
		List  []near
		Pair  [2]near
		Inner struct{ List []near }
		Kept  []near
		UUID  [1]byte
	}
	list := []near{{A: 1}, {A: 2}}
	dst := stored{List: list, Pair: [2]near{{A: 1}, {A: 2}}, Kept: list, UUID: [1]byte{7}}
	dst.Inner.List = list
	_, err := bind(sending("POST", "/", jsonMedia, `{"List":[{"B":5}],"Pair":[{"B":5}],"Inner":{"List":[{"B":5},null]},"UUID":null}`), &dst)
	is.NoErr(err)
	is.Equal(dst.List, []near{{B: 5}})
	is.Equal(dst.Pair, [2]near{{B: 5}})
	is.Equal(dst.Inner.List, []near{{B: 5}, {}})
	is.Equal(dst.Kept, list)
	is.Equal(dst.UUID, [1]byte{7}) // encoding/json leaves it for null
	is.Equal(list, []near{{A: 1}, {A: 2}})

	whole := list // a list that is no field
	_, err = bind(sending("POST", "/", jsonMedia, `[{"B":5}]`), &whole)
	is.NoErr(err)
	is.Equal(whole, []near{{B: 5}})
	pointers := []*near{{A: 1}}
	_, err = bind(sending("POST", "/", jsonMedia, `[{"B":5}]`), &pointers)
	is.NoErr(err)
	is.Equal(*pointers[0], near{B: 5})
}

// FromURL is filled from elsewhere than JSON.
type FromURL struct {
	Page int `query:"page"`
	Form int `json:"-" form:"form"`
}

// TestBindCopiesAnEmbeddedPointer whose fields JSON cannot fill.
func TestBindCopiesAnEmbeddedPointer(t *testing.T) {
	is := is.New(t)
	original := struct{ *FromURL }{&FromURL{1, 1}}
	got := original
	_, err := bind(sending("POST", "/?page=2", formType, "form=3"), &got)
	is.NoErr(err)
	is.Equal(*got.FromURL, FromURL{2, 3})
	is.Equal(*original.FromURL, FromURL{1, 1})
}

// TestBindLeavesLocks: what JSON cannot fill is not copied, even if the body names it.
func TestBindLeavesLocks(t *testing.T) {
	is := is.New(t)
	type guarded struct {
		sync.Mutex
		n int
	}
	original := struct {
		Lock  *sync.Mutex
		Cache *guarded
		Near  near
	}{&sync.Mutex{}, &guarded{n: 1}, near{A: 1}}
	got := original
	_, err := bind(sending("POST", "/", jsonMedia, `{"Lock":{},"Cache":{"n":2},"Near":{"A":2}}`), &got)
	is.NoErr(err)
	is.Equal(got.Near.A, 2)
	is.True(got.Lock == original.Lock)
	is.True(got.Cache == original.Cache)
}

// TestBindCopiesWhatTheBodyNames: what it does not name stays shared.
func TestBindCopiesWhatTheBodyNames(t *testing.T) {
	is := is.New(t)
	original := makeStored()
	got := *original
	_, err := bind(sending("POST", "/", jsonMedia, `{"Near":{"A":5}}`), &got)
	is.NoErr(err)
	is.True(got.Near != original.Near)
	is.True(got.Near.Next == original.Near.Next)
	is.True(&got.Near.L[0] == &original.Near.L[0])
	is.True(&got.Tags[0] == &original.Tags[0])
	is.True(got.Ptr == original.Ptr)
}

// TestBindToANewStructCopiesNothing: it holds nothing that others could read.
func TestBindToANewStructCopiesNothing(t *testing.T) {
	is := is.New(t)
	var dst stored
	v := reflect.ValueOf(&dst).Elem()
	raw, field := []byte(`{"Tags":[]}`), v.FieldByName("Near")
	is.Equal(testing.AllocsPerRun(100, func() {
		c := newCopies(v)
		c.detach(field, raw)
		c.detach(v, raw)
		c.replace(field)
	}), 0.0)
}

// TestStoredWhileBound: who reads what is stored does not race with Bind.
func TestStoredWhileBound(t *testing.T) {
	is := is.New(t)
	original := makeStored()
	var readers sync.WaitGroup
	readers.Go(func() {
		for range 100 {
			if _, err := json.Marshal(original); err != nil {
				t.Error(err)
			}
		}
	})
	for range 100 {
		got := *original
		_, err := bind(sending("POST", "/", jsonMedia, `{"Tags":["x"],"M":{"b":1},"Ptr":1,"Near":{"A":2},"Many":{"k":{"A":2}},"Big":1,"X":2}`), &got)
		is.NoErr(err)
		is.Equal(strings.Join(got.Tags, ""), "x")
	}
	readers.Wait()
}
