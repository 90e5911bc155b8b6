package plan_test

import (
	"errors"
	"fmt"
	"html/template"
	"iter"
	"math/rand/v2"
	"reflect"
	"strings"

	"example.com/flow/internal/pages/plan"
)

// The types below are those of the data of random templates.

// log records the calls of functions and methods, and decides what they return. It is reset
// before each execution.
var log recorder

type recorder struct {
	calls []string
	*rand.Rand
}

func (r *recorder) reset(seed uint64) { *r = recorder{nil, rand.New(rand.NewPCG(seed, 3))} }

// call records a call.
func (r *recorder) call(name string, args ...any) {
	if len(r.calls) > 50_000 {
		panic("too many calls")
	}
	if r.Rand != nil { // not in tests of single values
		r.calls = append(r.calls, fmt.Sprint(append([]any{name}, args...)...))
	}
}

// rarely reports whether a function should do what is rare.
func (r *recorder) rarely() bool { return r.Rand != nil && r.IntN(60) == 0 }

type (
	word  string
	label string // a Stringer
	level int    // a Stringer of integers
	loud  struct{ Text string }
	oops  struct{ text string }
	coded struct{ A, B any }
	bag   map[string]any
	texts []string
)

func (l label) String() string { log.call("label.String"); return "<" + string(l) + ">" }
func (l level) String() string { log.call("level.String"); return fmt.Sprint("level ", int(l)) }
func (l *loud) String() string { log.call("loud.String"); return l.Text + "!" }
func (l loud) Twice() string   { log.call("loud.Twice"); return l.Text + l.Text }
func (o *oops) Error() string  { log.call("oops.Error"); return "oops <" + o.text + ">" }
func (t texts) First() string  { log.call("texts.First"); return strings.Join(t, "") }
func (c coded) MarshalJSON() ([]byte, error) {
	log.call("coded.MarshalJSON")
	return []byte(`{"coded":"</script>"}`), nil
}

// A base is embedded.
type base struct {
	ID    int
	Title string
	Where template.URL
}

func (b base) Key() string          { log.call("base.Key"); return b.Title }
func (b *base) Grow() int           { log.call("base.Grow", b.ID); b.ID++; return b.ID }
func (b *base) Same() *base         { log.call("base.Same"); return b }
func (b base) Add(n ...int) int     { log.call("base.Add", n); return b.ID + len(n) }
func (b base) Not(given bool) bool  { log.call("base.Not", given); return !given }
func (b base) Label(l label) label  { log.call("base.Label"); return l }
func (b base) Any(v any) any        { log.call("base.Any"); return v }
func (b base) Text(s string) string { log.call("base.Text", s); return s + b.Title }

// A rec is a struct with fields of many types.
type rec struct {
	base
	Name, Email string
	Age         int
	Ok          bool
	Word        word
	Label       label
	Level       level
	Loud        loud
	LoudP       *loud
	Coded       coded
	HTML        template.HTML
	URL         template.URL
	JS          template.JS
	JSStr       template.JSStr
	CSS         template.CSS
	Attr        template.HTMLAttr
	Srcset      template.Srcset
	Small       int8
	Rune        rune
	U           uint
	U8          uint8
	U64         uint64
	F           float64
	F32         float32
	C           complex128
	Tags        []string
	Texts       texts
	Ints        []int
	Bytes       []byte
	Labels      []label
	Map         map[string]string
	Counts      map[string]int
	ByWord      map[word]*rec
	ByInt       map[int]string
	ByFloat     map[float64]string
	Any         any
	Anys        []any
	Err         error
	Str         fmt.Stringer
	StrP        *string
	StrPP       **string
	IntP        *int
	Free        bag
	Next        *rec
	Kids        []rec
	KidPs       []*rec
	Fn          func(string) string
	FnAny       func(...any) any
	hidden      string
}

func (r rec) Upper() string { log.call("rec.Upper"); return strings.ToUpper(r.Name) }
func (r *rec) Ptr() string  { log.call("rec.Ptr"); return r.Email }
func (r *rec) Self() *rec   { log.call("rec.Self"); return r }
func (r rec) Copy() rec     { log.call("rec.Copy"); return r }
func (r rec) Greet(with, by string) string {
	log.call("rec.Greet", with, by)
	return with + r.hidden + by
}
func (r *rec) Set(n int) string      { log.call("rec.Set", n); r.Age = n; return "" }
func (r rec) Maybe() (string, error) { log.call("rec.Maybe"); return r.Name, sometimes() }
func (r rec) Raw(v reflect.Value) reflect.Value {
	log.call("rec.Raw")
	return v
}
func (r rec) Stringer(s fmt.Stringer) string { log.call("rec.Stringer"); return s.String() }
func (r rec) Panics() string {
	log.call("rec.Panics")
	if log.rarely() {
		panic("rec.Panics <>")
	}
	return "calm"
}

// sometimes rarely returns an error.
func sometimes() error {
	if log.rarely() {
		return errors.New("sometimes <>")
	}
	return nil
}

// A cursor is read once, as the rows of a database are. Some fail on the way.
type cursor struct {
	texts []string
	read  int
	fails int // the text that cannot be read, counted from 1
	how   int // an error, or a panic with an error, a text or nothing
}

func (c *cursor) Next() bool {
	log.call("cursor.Next", c.read)
	c.read++
	return c.read <= len(c.texts)
}

func (c *cursor) Show() (string, error) {
	log.call("cursor.Show", c.read)
	err := fmt.Errorf("cursor <%d>", c.read)
	switch {
	case c.read != c.fails:
		return c.texts[max(1, min(c.read, len(c.texts)))-1], nil
	case c.how == 0:
		return "half", err
	case c.how == 1:
		panic(err)
	case c.how == 2:
		panic(err.Error())
	}
	var none *cursor
	return none.texts[0], nil
}

func (c *cursor) All() iter.Seq[*cursor] {
	return func(yield func(*cursor) bool) {
		for c.Next() && yield(c) {
		}
	}
}

func (c *cursor) Numbered() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for c.Next() {
			text, err := c.Show()
			if err != nil {
				panic(err) // html/template panics as well
			}
			if !yield(c.read, text) {
				return
			}
		}
	}
}

// A result is data most of which can be read only once.
type result struct {
	Title  string
	Cursor *cursor
	List   []*cursor
	Rows   iter.Seq[*cursor]
	Pairs  iter.Seq2[string, *cursor]
	Words  iter.Seq[string]
	Chan   chan *cursor
	Texts  <-chan string
}

func (r *result) Query(title string) (*result, error) {
	log.call("result.Query", title)
	return r, sometimes()
}

func (r result) Found() (iter.Seq[*cursor], error) {
	log.call("result.Found")
	return r.Rows, sometimes()
}

type extra struct {
	Note  string
	Extra *extra
}

func (e *extra) Noted() bool { log.call("extra.Noted"); return e != nil }

// A site is the data of most templates.
type site struct {
	rec
	*extra
	People   []rec
	Staff    []*rec
	PeopleP  *[]rec
	Pair     [2]rec
	PairP    *[2]rec
	ByName   map[string]rec
	ByStaff  map[string]*rec
	ByBool   map[bool]string
	ByAny    map[any]string
	Lists    map[string][]string
	Seq      iter.Seq[rec]
	Words    iter.Seq[string]
	Pairs    iter.Seq2[string, *rec]
	Chan     chan string
	Recs     <-chan rec
	Deep     **rec
	AnyP     *any
	Recipe   struct{ X, Y struct{ Z []string } }
	PageLike any
}

// bagTypes are the types of the values of a bag.
var bagTypes = map[string]reflect.Type{
	"Name": reflect.TypeFor[string](), "Rec": reflect.TypeFor[rec](), "RecP": reflect.TypeFor[*rec](),
	"Recs": reflect.TypeFor[[]rec](), "N": reflect.TypeFor[int](), "Label": reflect.TypeFor[label](),
	"HTML": reflect.TypeFor[template.HTML](), "Map": reflect.TypeFor[map[string]string](), "Tags": reflect.TypeFor[[]string](),
	"Ok": reflect.TypeFor[bool](), "Any": reflect.TypeFor[any](),
}

// keyNames are the keys of random maps, and names of keys in random templates.
var keyNames = []string{"a", "b", "c", "Name"}

// someTexts are the texts of random data.
var someTexts = append([]string{"plain", "Ada", "x y", "Ada <Lovelace> & \"Co\"", "/a?b=c&d", "https://a.example/é"}, hard...)

// A filler makes random data.
type filler struct{ *rand.Rand }

// randomData returns random data, the same for the same seed.
func randomData(root reflect.Type, seed uint64) any {
	v := reflect.New(root).Elem()
	filler{rand.New(rand.NewPCG(seed, 4))}.fill(v, 3)
	return v.Interface()
}

// dynamic are the types of what random interfaces hold.
var dynamic = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[label](), reflect.TypeFor[level](), reflect.TypeFor[*loud](),
	reflect.TypeFor[*oops](), reflect.TypeFor[rec](), reflect.TypeFor[*rec](), reflect.TypeFor[template.HTML](), reflect.TypeFor[template.URL](),
	reflect.TypeFor[[]string](), reflect.TypeFor[map[string]int](), reflect.TypeFor[coded](), reflect.TypeFor[float64](), reflect.TypeFor[bool](),
	reflect.TypeFor[template.JS](), reflect.TypeFor[word](), reflect.TypeFor[bag](), reflect.TypeFor[loud](), reflect.TypeFor[base](),
}

// fill gives v a random value.
func (f filler) fill(v reflect.Value, depth int) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.String:
		v.SetString(someTexts[min(f.IntN(len(someTexts)), f.IntN(len(someTexts)))])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, 1.5, -2, 1e21, 0.1}[f.IntN(6)])
	case reflect.Complex128:
		v.SetComplex(complex(float64(f.IntN(2)), 1))
	case reflect.Pointer:
		if depth > 0 && f.IntN(12) > 0 {
			v.Set(reflect.New(t.Elem()))
			f.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if n := f.IntN(4); n > 0 && depth > 0 {
			v.Set(reflect.MakeSlice(t, n, n))
			for i := range n {
				f.fill(v.Index(i), depth-1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		f.fillMap(v, depth)
	case reflect.Interface:
		for range 30 {
			if d := dynamic[f.IntN(len(dynamic))]; depth > 0 && d.Implements(t) && f.IntN(8) > 0 {
				e := reflect.New(d).Elem()
				f.fill(e, depth-1)
				v.Set(e)
				return
			}
		}
	case reflect.Chan:
		c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 3)
		for range f.IntN(4) {
			e := reflect.New(t.Elem()).Elem()
			f.fill(e, depth-1)
			c.Send(e)
		}
		c.Close()
		v.Set(c.Convert(t))
	case reflect.Func:
		f.fillFunc(v, depth)
	case reflect.Struct:
		f.fillStruct(v, depth)
	default:
		if v.CanInt() {
			v.SetInt([]int64{0, 1, 2, 3, -1, 5}[f.IntN(6)])
		} else {
			v.SetUint([]uint64{0, 1, 2, 200}[f.IntN(4)])
		}
	}
}

func (f filler) fillMap(v reflect.Value, depth int) {
	t := v.Type()
	if depth <= 0 || f.IntN(10) == 0 {
		return
	}
	v.Set(reflect.MakeMap(t))
	if t == reflect.TypeFor[bag]() {
		for _, name := range sortedNames(bagTypes) {
			e := reflect.New(bagTypes[name]).Elem()
			if f.fill(e, depth-1); f.IntN(15) > 0 {
				v.SetMapIndex(reflect.ValueOf(name), e)
			}
		}
		return
	}
	for range f.IntN(5) {
		k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		f.fill(e, depth-1)
		switch t.Key().Kind() {
		case reflect.String:
			k.SetString(keyNames[f.IntN(len(keyNames))])
		case reflect.Interface:
			k.Set(reflect.ValueOf([]any{1, "a", true, 1.5, word("w"), level(2)}[f.IntN(6)]))
		default:
			f.fill(k, 0)
		}
		v.SetMapIndex(k, e)
	}
}

func (f filler) fillStruct(v reflect.Value, depth int) {
	if r, ok := v.Addr().Interface().(*rec); ok {
		f.fill(reflect.ValueOf(&r.base).Elem(), depth)
		r.hidden = "hidden"
	}
	if c, ok := v.Addr().Interface().(*cursor); ok {
		*c = cursor{[]string{"a", "<b>", "c"}, 0, f.IntN(8), f.IntN(4)}
	}
	if p, ok := v.Addr().Interface().(*site); ok {
		f.fill(reflect.ValueOf(&p.rec).Elem(), depth)
		f.fill(reflect.ValueOf(&p.extra).Elem(), depth)
	}
	for i := range v.NumField() {
		if v.Field(i).CanSet() {
			f.fill(v.Field(i), depth-1)
		}
	}
}

// fillFunc makes functions, which are never nil, and iterators. Half of these give the same
// each time; the others are empty the second time, and sometimes panic.
func (f filler) fillFunc(v reflect.Value, depth int) {
	t := v.Type()
	name := t.String()
	if t.NumOut() > 0 {
		v.Set(reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
			log.call(name, args[0].Kind())
			if t.IsVariadic() {
				if args[0].Len() == 0 {
					return []reflect.Value{reflect.Zero(t.Out(0))}
				}
				return []reflect.Value{args[0].Index(0)}
			}
			return args[:1]
		}))
		return
	}
	yield := t.In(0)
	var items [][]reflect.Value
	for range f.IntN(4) {
		var item []reflect.Value
		for in := range yield.Ins() {
			e := reflect.New(in).Elem()
			f.fill(e, depth-1)
			item = append(item, e)
		}
		items = append(items, item)
	}
	once, panics := f.IntN(2) == 0, f.IntN(20)
	v.Set(reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		left := items
		if once {
			items = nil
		}
		for i, item := range left {
			log.call(name, i)
			if once && i == panics {
				panic("an iterator <>")
			}
			if !args[0].Call(item)[0].Bool() {
				log.call(name, "stopped")
				break
			}
		}
		return nil
	}))
}

// randomFuncs are functions that random templates call.
var randomFuncs = plan.Funcs{
	Fixed: template.FuncMap{
		"upper":   func(s string) string { log.call("upper", s); return strings.ToUpper(s) },
		"add":     func(n int, more ...int) int { log.call("add", n, more); return n + len(more) },
		"joined":  func(sep string, of ...any) string { log.call("joined", sep, len(of)); return fmt.Sprint(of...) + sep },
		"same":    func(v any) any { log.call("same"); return v },
		"value":   func(v reflect.Value) reflect.Value { log.call("value"); return v },
		"nothing": func() any { log.call("nothing"); return nil },
		"aRec":    func() rec { log.call("aRec"); return rec{Name: "aRec", Tags: []string{"<"}} },
		"aRecP":   func() *rec { log.call("aRecP"); return &rec{Name: "aRecP", Kids: []rec{{Name: "kid"}}} },
		"noRec":   func() *rec { log.call("noRec"); return nil },
		"raw":     func(s string) template.HTML { log.call("raw", s); return template.HTML(s) },
		"safeURL": func(s string) template.URL { log.call("safeURL", s); return template.URL(s) },
		"fails":   func(s string) (string, error) { log.call("fails", s); return s, sometimes() },
		"count":   func() int { log.call("count"); return len(log.calls) % 5 },
		"list":    func(of ...any) []any { log.call("list", len(of)); return of },
		"ints":    func(n ...int) []int { log.call("ints", n); return n },
		"seq": func() iter.Seq[int] {
			return func(yield func(int) bool) {
				for i := range 3 {
					if log.call("seq", i); !yield(i) {
						return
					}
				}
			}
		},
		"fnOf":    func() func(string) string { log.call("fnOf"); return strings.ToUpper },
		"small":   func(n int8, u uint16, f float32) string { log.call("small", n, u, f); return fmt.Sprint(n, u, f) },
		"isOk":    func(b bool) bool { log.call("isOk", b); return b },
		"str":     func(s fmt.Stringer) string { log.call("str"); return s.String() },
		"ofRec":   func(r rec) string { log.call("ofRec"); return r.Name },
		"ofRecP":  func(r *rec) bool { log.call("ofRecP"); return r != nil },
		"ofWords": func(of ...word) string { log.call("ofWords", len(of)); return fmt.Sprint(of) },
	},
	Bound: template.FuncMap{
		"who": func(at any) any { log.call("who", at); return at },
		"visitor": func(at any) *rec {
			log.call("visitor", at)
			return &rec{Name: fmt.Sprint(at), Next: &rec{Name: "next"}}
		},
		"link": func(at any, name string, params ...any) (string, error) {
			log.call("link", at, name, len(params))
			return "/" + name + "?" + fmt.Sprint(params...), sometimes()
		},
		"greet": func(at any, r *rec) template.HTML { log.call("greet", at, r != nil); return "<b>hello</b>" },
	},
}
