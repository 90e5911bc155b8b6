// Package zoo is for tests. It has a zoo of types, random data of them, and random templates for
// such data. One test holds plans against html/template with them, and another one what the
// check of types reports against what then fails.
package zoo

import (
	"errors"
	"fmt"
	"html/template"
	"iter"
	"math/rand/v2"
	"reflect"
	"strings"
)

// Log records the calls of functions and methods, and decides what they return.
var Log Recorder

// A Recorder that was never reset records nothing, and decides nothing. Several goroutines may
// use it.
type Recorder struct {
	Calls []string
	*rand.Rand
}

// Reset makes all that follows depend on a seed. An execution begins with it.
func (r *Recorder) Reset(seed uint64) { *r = Recorder{nil, rand.New(rand.NewPCG(seed, 3))} }

// call records a call.
func (r *Recorder) call(name string, args ...any) {
	if len(r.Calls) > 50_000 {
		panic("too many calls")
	}
	if r.Rand != nil {
		r.Calls = append(r.Calls, fmt.Sprint(append([]any{name}, args...)...))
	}
}

// rarely reports whether a function should do what is rare.
func (r *Recorder) rarely() bool { return r.Rand != nil && r.IntN(60) == 0 }

// sometimes rarely returns an error.
func sometimes() error {
	if Log.rarely() {
		return errors.New("sometimes <>")
	}
	return nil
}

// oneOf returns one of several values, so that no function always returns the same. The first
// one is the most frequent.
func oneOf[T any](of ...T) T {
	if Log.Rand == nil {
		return of[0]
	}
	return of[min(Log.IntN(len(of)), Log.IntN(len(of)))]
}

type (
	Word  string
	Label string // a Stringer
	Level int    // a Stringer of integers
	loud  struct{ Text string }
	oops  struct{ text string }
	coded struct{ A, B any }
	bag   map[string]any

	flags  [3]bool
	none   [0]Person
	counts map[string]int
	names  []string
	box    struct{ W, H int }

	// A Shape is an interface whose methods templates call.
	Shape interface {
		Area() float64
		Scale(by int) Shape
	}
	named interface{ Label() string }
)

func (l Label) String() string { Log.call("Label.String"); return "<" + string(l) + ">" }
func (l Label) Label() string  { Log.call("Label.Label"); return oneOf("text", "") }
func (l Level) String() string { Log.call("Level.String"); return fmt.Sprint("level ", int(l)) }
func (l Level) Area() float64  { Log.call("Level.Area"); return float64(l) }
func (l Level) Scale(by int) Shape {
	Log.call("Level.Scale", by)
	return oneOf[Shape](l*Level(by), &box{}, nil)
}
func (l *loud) String() string { Log.call("loud.String"); return l.Text + "!" }
func (l loud) Twice() string   { Log.call("loud.Twice"); return l.Text + l.Text }
func (o *oops) Error() string  { Log.call("oops.Error"); return "oops <" + o.text + ">" }
func (c coded) MarshalJSON() ([]byte, error) {
	Log.call("coded.MarshalJSON")
	return []byte(`{"coded":"</script>"}`), nil
}
func (c counts) Total() int { Log.call("counts.Total"); return len(c) }
func (c *counts) Grow() int { Log.call("counts.Grow"); return oneOf(1, 0) }
func (n names) First() (string, error) {
	Log.call("names.First")
	if len(n) == 0 {
		return "", errors.New("no name")
	}
	return n[0], nil
}
func (b *box) Area() float64 { Log.call("box.Area"); return oneOf(2.0, 0) }
func (b *box) Scale(by int) Shape {
	Log.call("box.Scale", by)
	return oneOf[Shape](b, Level(by))
}
func (b box) Label() string { Log.call("box.Label"); return oneOf("box", "") }

// A base is embedded by its pointer.
type base struct {
	ID    int
	Title string
	Where template.URL
	Owner *Person
	Face  box // addressable
}

func (b base) Key() string            { Log.call("base.Key"); return oneOf(b.Title, "", "id") }
func (b *base) Bump() int             { Log.call("base.Bump", b.ID); b.ID++; return b.ID }
func (b *base) Self() *base           { Log.call("base.Self"); return oneOf(b, nil) }
func (b base) Add(n ...int) int       { Log.call("base.Add", n); return b.ID + len(n) }
func (b base) Not(given bool) bool    { Log.call("base.Not", given); return !given }
func (b base) Titled(s string) string { Log.call("base.Titled", s); return s + b.Title }
func (b base) Pair() (a, z int)       { Log.call("base.Pair"); return 1, 2 }

// An extra is embedded in a Person.
type extra struct {
	Note  string
	Extra *extra
	Side  box    // not addressable, if the outer struct is not
	Title string // hides nothing: base has it at the same depth
}

func (e *extra) Noted() bool { Log.call("extra.Noted"); return e != nil && oneOf(true, false) }

// A Person has fields of many types.
type Person struct {
	*base
	extra
	Name, Email string
	Age         int
	Nick        *string
	Ok          bool
	Word        Word
	Label       Label
	Level       Level
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
	Names       names
	Ints        []int
	Bytes       []byte
	Labels      []Label
	Map         map[string]string
	Counts      counts
	ByWord      map[Word]*Person
	ByInt       map[int]string
	ByFloat     map[float64]string
	Any         any
	Anys        []any
	Err         error
	Str         fmt.Stringer
	StrPP       **string
	IntP        *int
	Free        bag
	Next        *Person
	Kids        []Person
	KidPs       []*Person
	Fn          func(string) string
	FnAny       func(...any) any
	secret      string
}

func (p Person) Upper() string { Log.call("Person.Upper"); return strings.ToUpper(p.Name) }
func (p *Person) Ptr() string  { Log.call("Person.Ptr"); return p.Email }
func (p Person) Copy() Person  { Log.call("Person.Copy"); return p }
func (p Person) Void()         { Log.call("Person.Void") }
func (p Person) Greet(with string) string {
	Log.call("Person.Greet", with)
	return oneOf(with+p.secret+p.Name, "")
}
func (p *Person) Rename(to string) *Person {
	Log.call("Person.Rename", to)
	p.Name = to
	return oneOf(p, nil, &Person{Name: to})
}
func (p Person) Join(a, b string) string { Log.call("Person.Join", a, b); return a + p.Name + b }
func (p Person) Sum(n int, more ...int8) int {
	Log.call("Person.Sum", n, more)
	return oneOf(n+len(more), 0)
}
func (p Person) Maybe() (*Person, error) {
	Log.call("Person.Maybe")
	return oneOf(&p, nil), sometimes()
}
func (p Person) Give(v any) any { Log.call("Person.Give"); return oneOf(v, any(p), nil, "") }
func (p Person) Raw(v reflect.Value) reflect.Value {
	Log.call("Person.Raw")
	return oneOf(v, reflect.ValueOf(&p), reflect.Value{})
}
func (p Person) Stringer(s fmt.Stringer) string { Log.call("Person.Stringer"); return s.String() }
func (p Person) Shape() Shape                   { Log.call("Person.Shape"); return oneOf[Shape](Level(1), &box{}, nil) }
func (p Person) Likes(s Shape, e error, l named) bool {
	Log.call("Person.Likes", s == nil, e == nil, l == nil)
	return oneOf(true, false)
}
func (p Person) Panics() string {
	Log.call("Person.Panics")
	if Log.rarely() {
		panic("Person.Panics <>")
	}
	return "calm"
}

// A more is embedded in a Page by its pointer.
type more struct {
	Second string
	Third  Shape
}

func (m *more) Fourth() string { Log.call("more.Fourth"); return oneOf("4", "") }

// A Page is the data of most templates.
type Page struct {
	Person
	*more
	Owner    Person
	Boss     *Person
	Deep     **Person
	People   []Person
	PeopleP  *[]Person
	Staff    []*Person
	ByName   map[string]Person
	ByStaff  map[string]*Person
	ByKey    map[Word]Person
	ByNumber map[int]string
	ByBool   map[bool]*Page
	ByAny    map[any]string
	Lists    map[string][]Person
	CountsP  *counts
	Flags    flags
	None     none
	Pair     [2]Person
	PairP    *[2]Person
	AnyP     *any
	Shape    Shape
	ShapeP   *Shape
	Shapes   []Shape
	Named    named
	Text     Label
	Chan     chan Person
	Send     chan<- int
	Recv     <-chan string
	Seq      iter.Seq[Person]
	Seq2     iter.Seq2[string, *Person]
	Words    iter.Seq[string]
	Fn       func(int) string
	FnAny    func(...any) (any, error)
	FnBad    func() (int, int)
	Value    reflect.Value
	Nested   struct {
		X, Y int
		In   struct{ Z []string }
	}
	Next *Page
}

// A cursor is read once, as the rows of a database are. Some fail on the way.
type cursor struct {
	texts []string
	read  int
	fails int // the text that cannot be read, counted from 1
	how   int // an error, or a panic with an error, a text or nothing
}

func (c *cursor) Next() bool {
	Log.call("cursor.Next", c.read)
	c.read++
	return c.read <= len(c.texts)
}

func (c *cursor) Show() (string, error) {
	Log.call("cursor.Show", c.read)
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
	Log.call("result.Query", title)
	return r, sometimes()
}

func (r result) Found() (iter.Seq[*cursor], error) {
	Log.call("result.Found")
	return r.Rows, sometimes()
}

// Roots are the types of the data.
var Roots = []reflect.Type{
	reflect.TypeFor[*Page](), reflect.TypeFor[Page](), reflect.TypeFor[*Person](), reflect.TypeFor[Person](), reflect.TypeFor[*result](),
	reflect.TypeFor[[]Page](), reflect.TypeFor[map[string]Page](), reflect.TypeFor[map[string]*Person](), reflect.TypeFor[map[Word][]Person](),
	reflect.TypeFor[*Page](), reflect.TypeFor[Page](), reflect.TypeFor[Shape](), reflect.TypeFor[any](), reflect.TypeFor[*result](),
	reflect.TypeFor[iter.Seq2[int, Person]](), reflect.TypeFor[counts](), reflect.TypeFor[*counts](), reflect.TypeFor[[2]Page](), reflect.TypeFor[Level](),
	reflect.TypeFor[*result](), reflect.TypeFor[*Page](), reflect.TypeFor[Page](), reflect.TypeFor[bag](), reflect.TypeFor[[]any](), reflect.TypeFor[**Page](), reflect.TypeFor[result](), reflect.TypeFor[*result](),
	reflect.TypeFor[struct {
		Page
		Wrong map[string]string
	}](),
}

// Funcs are functions that the templates call.
var Funcs = template.FuncMap{
	"upper":   func(s string) string { Log.call("upper", s); return oneOf(strings.ToUpper(s), "") },
	"add":     func(n int, more ...int) int { Log.call("add", n, more); return oneOf(n+len(more), 0) },
	"joined":  func(sep string, of ...any) string { Log.call("joined", sep, len(of)); return fmt.Sprint(of...) + sep },
	"same":    func(v any) any { Log.call("same"); return v },
	"choose":  func(a, b any) any { Log.call("choose"); return oneOf(a, b) },
	"raw":     func(v reflect.Value) reflect.Value { Log.call("raw"); return oneOf(v, v, reflect.Value{}) },
	"nothing": func() any { Log.call("nothing"); return nil },
	"give": func() any {
		Log.call("give")
		return oneOf[any]("x", 1, Person{}, &Person{}, []int{1}, map[string]int{"ID": 1}, Level(2), nil, "")
	},
	"who": func() Person {
		Log.call("who")
		return oneOf(Person{Name: "who", Tags: []string{"<"}, base: &base{}}, Person{})
	},
	"whom": func() *Person {
		Log.call("whom")
		return oneOf(&Person{Name: "whom", Kids: []Person{{Name: "kid"}}}, nil)
	},
	"safe":    func(s string) template.HTML { Log.call("safe", s); return template.HTML(s) },
	"safeURL": func(s string) template.URL { Log.call("safeURL", s); return template.URL(s) },
	"fails":   func(s string) (string, error) { Log.call("fails", s); return s, sometimes() },
	"counted": func() int { Log.call("counted"); return len(Log.Calls) % 5 },
	"list":    func(of ...any) []any { Log.call("list", len(of)); return of },
	"ints":    func(n ...int) []int { Log.call("ints", n); return n },
	"seq": func() iter.Seq[int] {
		return func(yield func(int) bool) {
			for i := range oneOf(3, 0) {
				if Log.call("seq", i); !yield(i) {
					return
				}
			}
		}
	},
	"fn": func() func(string) *Person {
		return func(s string) *Person { Log.call("fn", s); return oneOf(&Person{Name: s}, nil) }
	},
	"fnOf":    func() func(string) string { Log.call("fnOf"); return strings.ToUpper },
	"small":   func(n int8, f float32, u uint16) int8 { Log.call("small", n, f, u); return n + int8(u) },
	"isOk":    func(b bool) bool { Log.call("isOk", b); return b },
	"str":     func(s fmt.Stringer) string { Log.call("str"); return s.String() },
	"form":    func() Shape { Log.call("form"); return oneOf[Shape](Level(3), &box{}, nil) },
	"count":   func(s Shape) float64 { Log.call("count", s == nil); return oneOf(1.5, 0) },
	"label":   func(n named) string { Log.call("label", n == nil); return oneOf("label", "") },
	"personV": func(p Person) string { Log.call("personV"); return p.Name },
	"personP": func(p *Person) bool { Log.call("personP"); return p != nil && oneOf(true, false) },
	"table":   func(m map[string]Person) int { Log.call("table"); return oneOf(len(m), 0) },
	"ofWords": func(of ...Word) string { Log.call("ofWords", len(of)); return fmt.Sprint(of) },
}

// Bound are functions that get something of the execution before their arguments.
var Bound = template.FuncMap{
	"asked": func(at any) any { Log.call("asked", at); return at },
	"visitor": func(at any) *Person {
		Log.call("visitor", at)
		return &Person{Name: fmt.Sprint(at), Next: &Person{Name: "next"}}
	},
	"link": func(at any, name string, params ...any) (string, error) {
		Log.call("link", at, name, len(params))
		return "/" + name + "?" + fmt.Sprint(params...), sometimes()
	},
	"greet": func(at any, p *Person) template.HTML { Log.call("greet", at, p != nil); return "<b>hello</b>" },
}
