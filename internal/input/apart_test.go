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

// TestBindApart: a struct that shares memory with another one leaves that as it is, and has
// what encoding/json would have made of it.
func TestBindApart(t *testing.T) {
	for _, tt := range []struct{ name, body string }{
		{"nothing", `{}`},
		{"slice", `{"Tags":["CHANGED"]}`},
		{"map", `{"M":{"b":2}}`},
		{"pointer", `{"Ptr":7}`},
		{"in a nested struct", `{"Deep":{"Tags":["x"]}}`},
		{"pointed-to struct", `{"Near":{"B":9,"L":[7],"Next":{"B":8}}}`},
		{"list of structs", `{"List":[{"B":5,"L":[6]},{"A":3}]}`},
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

func TestBindApartForm(t *testing.T) {
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

func TestBindApartFormOfCustomJSON(t *testing.T) {
	is := is.New(t)
	original := customFar{&Far{X: 1}}
	got := original
	_, err := bind(sending("POST", "/", formType, "X=2"), &got)
	is.NoErr(err)
	is.Equal(got.X, 2)
	is.Equal(original.X, 1)
}

func TestBindApartWithoutAStruct(t *testing.T) {
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

// TestBindApartInACircle: what points back to itself does so afterwards, too.
func TestBindApartInACircle(t *testing.T) {
	is := is.New(t)
	type node struct {
		Name string
		Next *node
		All  []*node
		Any  map[string]any
	}
	ring := &node{Name: "a"}
	ring.Next = &node{Name: "b", Next: ring}
	ring.All = []*node{ring, ring.Next}
	ring.Any = map[string]any{}
	ring.Any["self"] = &ring.Any
	dst := struct{ Ring *node }{ring}
	_, err := bind(sending("POST", "/", jsonMedia, `{"Ring":{"Name":"x"}}`), &dst)
	is.NoErr(err)
	is.Equal(dst.Ring.Name+ring.Name, "xa")
	is.True(dst.Ring.Next.Next == dst.Ring)
	is.True(dst.Ring.All[0] == dst.Ring)
}

// TestBindApartCostsNothing: a new struct has nothing to be copied.
func TestBindApartCostsNothing(t *testing.T) {
	is := is.New(t)
	var dst stored
	p := planOf(reflect.TypeFor[stored]())
	is.Equal(testing.AllocsPerRun(100, func() {
		to := binding{dst: reflect.ValueOf(&dst).Elem()}
		to.prepare(p)
		for _, f := range p.data.list {
			if v, ok := to.reach(f.index); ok && f.holds {
				to.ready(v, false)
			}
		}
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
