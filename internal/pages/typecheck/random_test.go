package typecheck

import (
	"errors"
	"fmt"
	"html/template"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/pages/language"
)

// The types below are those of the random templates: each rule meets some of their fields.

// chance decides what methods and functions return, so that none always returns the same.
var chance = rand.New(rand.NewPCG(0, 0))

func oneOf[T any](of ...T) T { return of[chance.IntN(len(of))] }

type (
	key    string
	digit  int
	text   string
	flags  [3]bool
	none   [0]person
	counts map[string]int
	names  []string
	shape  interface {
		Area() float64
		Scale(by int) shape
	}
	named interface{ Label() string }
)

func (text) Label() string         { return oneOf("", "text") }
func (n digit) Area() float64      { return float64(n) }
func (n digit) Scale(by int) shape { return oneOf[shape](n*digit(by), &box{}, nil) }
func (c counts) Total() int        { return len(c) }
func (c *counts) Grow() int        { return oneOf(0, 1) }
func (n names) First() (string, error) {
	if len(n) == 0 {
		return "", errors.New("no name")
	}
	return n[0], nil
}

type base struct {
	ID    int
	Title string
	Owner *person
	Face  box // addressable, as base is embedded by its pointer
}

func (b base) Key() string      { return oneOf("", "id") }
func (b *base) Bump() int       { return oneOf(0, 7) }
func (b *base) Self() *base     { return oneOf(b, nil) }
func (b base) Pair() (a, z int) { return 1, 2 }

type extra struct {
	Note  string
	Extra *extra
	Side  box    // not addressable, if the outer struct is not
	Title string // hides nothing: base has it at the same depth
}

func (e *extra) Noted() bool { return oneOf(true, false) }

type box struct{ W, H int }

func (b *box) Area() float64      { return oneOf(0.0, 2) }
func (b *box) Scale(by int) shape { return oneOf[shape](b, digit(by)) }
func (b box) Label() string       { return oneOf("", "box") }

type person struct {
	*base
	extra
	Name   string
	Age    int
	Nick   *string
	Ok     bool
	secret string
}

func (p person) Greet(with string) string    { return oneOf("", with, p.secret) }
func (p *person) Rename(to string) *person   { return oneOf(p, nil, &person{Name: to}) }
func (p person) Sum(n int, more ...int8) int { return oneOf(0, n+len(more)) }
func (p person) Maybe() (*person, error)     { return oneOf(nil, &p), oneOf(nil, errors.New("no")) }
func (p person) Void()                       {}
func (p person) Any(v any) any               { return oneOf(v, nil, any(p), "") }
func (p person) Raw(v reflect.Value) reflect.Value {
	return oneOf(v, reflect.Value{}, reflect.ValueOf(&p))
}
func (p person) Shape() shape                         { return oneOf[shape](nil, digit(1), &box{}) }
func (p person) Copy() person                         { return p }
func (p person) Likes(s shape, e error, l named) bool { return oneOf(true, false) }

type page struct {
	person
	Owner    person
	Boss     *person
	Deep     **person
	People   []person
	Staff    []*person
	ByName   map[string]person
	ByStaff  map[string]*person
	ByKey    map[key]person
	ByNumber map[int]string
	ByBool   map[bool]*page
	ByAny    map[any]string
	Free     map[string]any
	Lists    map[string][]person
	Names    names
	Tags     []string
	Counts   counts
	CountsP  *counts
	Flags    flags
	None     none
	Pair     [2]person
	PairP    *[2]person
	Any      any
	AnyP     *any
	Anys     []any
	Shape    shape
	ShapeP   *shape
	Shapes   []shape
	Named    named
	Err      error
	HTML     template.HTML
	Text     text
	Number   digit
	Small    int8
	U        uint
	U8       uint8
	F        float64
	F32      float32
	C        complex128
	Bytes    []byte
	Ok       bool
	Chan     chan person
	Send     chan<- int
	Recv     <-chan string
	Seq      iter.Seq[person]
	Seq2     iter.Seq2[string, *person]
	Fn       func(int) string
	FnAny    func(...any) (any, error)
	FnBad    func() (int, int)
	Value    reflect.Value
	Nested   struct {
		X, Y int
		In   struct{ Z []string }
	}
	Next *page
	*extra2
}

type extra2 struct {
	Second string
	Third  shape
}

func (e *extra2) Fourth() string { return oneOf("", "4") }

// roots are the types of the pages.
var roots = []reflect.Type{
	reflect.TypeFor[page](),
	reflect.TypeFor[*page](),
	reflect.TypeFor[person](),
	reflect.TypeFor[*person](),
	reflect.TypeFor[[]page](),
	reflect.TypeFor[map[string]page](),
	reflect.TypeFor[map[string]*person](),
	reflect.TypeFor[map[key][]person](),
	reflect.TypeFor[map[string]any](),
	reflect.TypeFor[shape](),
	reflect.TypeFor[any](),
	reflect.TypeFor[iter.Seq2[int, person]](),
	reflect.TypeFor[counts](),
	reflect.TypeFor[*counts](),
	reflect.TypeFor[[2]page](),
	reflect.TypeFor[digit](),
	reflect.TypeFor[[]any](),
	reflect.TypeFor[**page](),
	reflect.TypeFor[struct {
		page
		Wrong map[string]string
	}](),
}

// randomFuncs are functions that the templates call.
var randomFuncs = template.FuncMap{
	"dict":  shallowDict,
	"upper": func(s string) string { return oneOf("", strings.ToUpper(s)) },
	"add":   func(n int, more ...int) int { return oneOf(0, n+len(more)) },
	"small": func(n int8, f float32, u uint16) int8 { return oneOf(0, n) },
	"give": func() any {
		return oneOf[any](nil, "", "x", 1, person{}, &person{}, []int{1}, map[string]int{"ID": 1}, digit(2))
	},
	"choose":  func(a, b any) any { return oneOf(a, b) },
	"who":     func() person { return oneOf(person{}, person{Name: "who", base: &base{}}) },
	"whom":    func() *person { return oneOf(nil, &person{Name: "whom"}) },
	"form":    func() shape { return oneOf[shape](nil, digit(3), &box{}) },
	"count":   func(s shape) float64 { return oneOf(0.0, 1.5) },
	"label":   func(n named) string { return oneOf("", "label") },
	"personP": func(p *person) bool { return oneOf(true, false) },
	"personV": func(p person) string { return oneOf("", p.Name) },
	"table":   func(m map[string]person) int { return oneOf(0, len(m)) },
	"raw":     func(v reflect.Value) reflect.Value { return oneOf(v, reflect.Value{}) },
	"seq": func() iter.Seq[digit] {
		return func(yield func(digit) bool) { _ = chance.IntN(2) == 0 || yield(1) && yield(0) }
	},
	"fails": func(s string) (string, error) { return s, oneOf(nil, errors.New("fails")) },
	"fn":    func() func(string) *person { return func(s string) *person { return oneOf(nil, &person{Name: s}) } },
}

// shallowDict is Dict for templates that call themselves: a map that holds the one before
// twice would soon be too large to print.
func shallowDict(pairs ...any) (map[string]any, error) {
	m, err := Dict(pairs...)
	if depthOf(m) > 4 {
		return nil, errors.New("too deep")
	}
	return m, err
}

func depthOf(v any) int {
	m, ok := v.(map[string]any)
	if !ok {
		return 0
	}
	deepest := 0
	for _, v := range m {
		deepest = max(deepest, depthOf(v))
	}
	return deepest + 1
}

// funcTypes returns the types of functions.
func funcTypes(funcs template.FuncMap) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for name, f := range funcs {
		types[name] = reflect.TypeOf(f)
	}
	return types
}

// someNames are keys of random maps, and names that the templates ask for.
var someNames = []string{"Name", "ID", "Title", "Age", "Owner", "x", "Area", "Total", "People"}

// dynamic are the types of what random interfaces hold.
var dynamic = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[person](), reflect.TypeFor[*person](),
	reflect.TypeFor[[]person](), reflect.TypeFor[map[string]any](), reflect.TypeFor[digit](), reflect.TypeFor[*box](),
	reflect.TypeFor[text](), reflect.TypeFor[uint8](), reflect.TypeFor[bool](), reflect.TypeFor[counts](), reflect.TypeFor[[]any](),
	reflect.TypeFor[func(string) *person](), reflect.TypeFor[page](), reflect.TypeFor[float64](), reflect.TypeFor[box](), reflect.TypeFor[key](),
}

// fill gives v a random value. Of depth 0 are values that hold no further ones.
func fill(v reflect.Value, depth int) {
	if depth < 0 {
		return
	}
	t := v.Type()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(oneOf(true, false))
	case reflect.String:
		v.SetString(oneOf("", "Name", "x", "<b>"))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(oneOf(0, 1.5))
	case reflect.Complex128:
		v.SetComplex(oneOf(0, 1i))
	case reflect.Pointer:
		if chance.IntN(4) > 0 {
			v.Set(reflect.New(t.Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		n := chance.IntN(4)
		if n == 3 {
			return
		}
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			fill(v.Index(i), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		if chance.IntN(4) == 0 {
			return
		}
		v.Set(reflect.MakeMap(t))
		for range chance.IntN(5) {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			fill(k, 1)
			fill(e, depth-1)
			if t.Key().Kind() == reflect.String {
				k.SetString(oneOf(someNames...))
			}
			if t.Key().Kind() == reflect.Interface && (!k.IsValid() || k.IsNil() || !k.Elem().Comparable()) {
				continue
			}
			v.SetMapIndex(k, e)
		}
	case reflect.Interface:
		if chance.IntN(5) == 0 {
			return
		}
		if t == reflect.TypeFor[error]() {
			v.Set(reflect.ValueOf(errors.New("random")))
			return
		}
		for range 20 {
			if d := oneOf(dynamic...); d.Implements(t) {
				e := reflect.New(d).Elem()
				fill(e, depth-1)
				v.Set(e)
				return
			}
		}
	case reflect.Chan:
		if chance.IntN(4) == 0 {
			return
		}
		c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 3)
		for range chance.IntN(3) {
			e := reflect.New(t.Elem()).Elem()
			fill(e, depth-1)
			c.Send(e)
		}
		c.Close()
		v.Set(c.Convert(t))
	case reflect.Func:
		v.Set(fillFunc(t, depth))
	case reflect.Struct:
		if t == reflectValueType {
			v.Set(reflect.ValueOf(oneOf(reflect.Value{}, reflect.ValueOf(1), reflect.ValueOf(&person{Name: "value"}))))
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous && f.Type.Kind() == reflect.Pointer && !f.IsExported() {
				continue // reflect does not set it: see setEmbedded
			}
			if f.Anonymous || f.IsExported() {
				fillField(v.Field(i), depth)
			}
		}
		setEmbedded(v.Addr().Interface(), depth)
	default:
		if v.CanInt() {
			v.SetInt(oneOf[int64](0, 1, 2, -1))
		} else if v.CanUint() {
			v.SetUint(oneOf[uint64](0, 1, 2))
		}
	}
}

// fillField fills a field, also one that is promoted from a struct of the tests.
func fillField(v reflect.Value, depth int) {
	if v.CanSet() {
		fill(v, depth-1)
	} else if v.Kind() == reflect.Struct {
		fill(reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem(), depth-1)
	}
}

// setEmbedded sets the embedded pointers of the structs of the tests.
func setEmbedded(v any, depth int) {
	switch v := v.(type) {
	case *person:
		if v.base = nil; chance.IntN(4) > 0 {
			v.base = &base{}
			fill(reflect.ValueOf(v.base).Elem(), depth-1)
		}
	case *page:
		if v.extra2 = nil; chance.IntN(4) > 0 {
			v.extra2 = &extra2{}
			fill(reflect.ValueOf(v.extra2).Elem(), depth-1)
		}
	}
}

// fillFunc returns a random function, or an iterator that is not nil: text/template itself
// panics when it ranges over nil.
func fillFunc(t reflect.Type, depth int) reflect.Value {
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		if t.NumOut() == 0 {
			yield := args[0]
			for range chance.IntN(3) {
				items := make([]reflect.Value, yield.Type().NumIn())
				for i := range items {
					items[i] = reflect.New(yield.Type().In(i)).Elem()
					fill(items[i], depth-1)
				}
				if !yield.Call(items)[0].Bool() {
					break
				}
			}
			return nil
		}
		results := make([]reflect.Value, t.NumOut())
		for i := range results {
			results[i] = reflect.New(t.Out(i)).Elem()
			fill(results[i], depth-1)
		}
		return results
	})
}

// A generator writes random templates. Most of what it writes fits the data, so that the
// rest is reached.
type generator struct {
	*rand.Rand
	vars    []typedVar
	defines []string
	loops   int
	known   map[string][]string // see names
	repeats bool                // what is written may be given back to itself: no text that grows each time
	out     strings.Builder
}

type typedVar struct {
	name string
	typ  reflect.Type
}

func pickOf[T any](g *generator, of []T) T { return of[g.IntN(len(of))] }

// source returns a template file with its {{define}}s.
func (g *generator) source(root reflect.Type) string {
	for i := range g.IntN(3) {
		g.defines = append(g.defines, "d"+strconv.Itoa(i))
	}
	g.vars = []typedVar{{"$", root}}
	g.list(root, 3)
	g.repeats = true // they may call themselves
	for _, name := range g.defines {
		dot := pickOf(g, roots)
		if g.IntN(2) == 0 {
			dot = dictType.Out(0)
		}
		g.vars = []typedVar{{"$", dot}}
		g.out.WriteString("{{define " + strconv.Quote(name) + "}}.") // see limit
		g.list(dot, 2)
		g.out.WriteString("{{end}}")
	}
	return g.out.String()
}

func (g *generator) list(dot reflect.Type, depth int) {
	for range 1 + g.IntN(3) {
		g.statement(dot, depth)
	}
}

func (g *generator) scoped(dot reflect.Type, depth int) {
	was := len(g.vars)
	g.list(dot, depth)
	g.vars = g.vars[:was]
}

func (g *generator) statement(dot reflect.Type, depth int) {
	was := len(g.vars)
	what := g.IntN(20)
	if depth == 0 {
		what = g.IntN(8)
	}
	switch {
	case what < 4:
		e, _ := g.pipeline(dot, 2)
		g.out.WriteString("{{" + e + "}}")
	case what < 6:
		e, t := g.pipeline(dot, 2)
		name := pickOf(g, []string{"$a", "$b", "$c"})
		g.out.WriteString("{{" + name + " := " + e + "}}")
		g.vars = append(g.vars, typedVar{name, t})
	case what < 7:
		if v := pickOf(g, g.vars); v.name != "$" || g.IntN(4) == 0 {
			was := g.repeats
			g.repeats = true
			e, _ := g.pipeline(dot, 2)
			g.repeats = was
			g.out.WriteString("{{" + v.name + " = " + e + "}}")
		}
	case what < 8:
		if g.loops > 0 && g.IntN(2) == 0 {
			e, _ := g.pipeline(dot, 1)
			g.out.WriteString("{{if " + e + "}}" + pickOf(g, []string{"{{break}}", "{{continue}}"}) + "{{end}}")
		}
	case what < 11, what < 14:
		word := "if"
		if what >= 11 {
			word = "with"
		}
		e, t := g.pipeline(dot, 2)
		decl := g.declaration(t)
		inner := dot
		if word == "with" {
			inner = t
		}
		g.out.WriteString("{{" + word + " " + decl + e + "}}")
		g.scoped(inner, depth-1)
		if g.IntN(2) == 0 {
			g.out.WriteString("{{else}}")
			g.scoped(dot, depth-1)
		}
		g.out.WriteString("{{end}}")
		g.vars = g.vars[:was]
	case what < 18:
		e, t := g.pipeline(dot, 2)
		r := iteration{}
		if t != nil {
			r = iterate(valueOf(t), 2)
			if r.wrong != "" {
				r = iterate(valueOf(t), 1)
			}
		}
		decl := ""
		switch g.IntN(5) {
		case 0:
			decl = g.declaration(r.elem.typ)
		case 1:
			decl = "$i, $e := "
			g.vars = append(g.vars, typedVar{"$i", r.key.typ}, typedVar{"$e", r.elem.typ})
		case 2:
			if v := pickOf(g, g.vars); v.name != "$" {
				decl = v.name + " = "
			}
		}
		g.out.WriteString("{{range " + decl + e + "}}.")
		g.loops++
		g.scoped(r.elem.typ, depth-1)
		g.loops--
		if g.IntN(3) == 0 {
			g.out.WriteString("{{else}}")
			g.scoped(dot, depth-1)
		}
		g.out.WriteString("{{end}}")
		g.vars = g.vars[:was]
	default:
		if len(g.defines) > 0 {
			e, _ := g.pipeline(dot, 2)
			if g.IntN(2) == 0 {
				e = g.dict(dot)
			}
			g.out.WriteString("{{template " + strconv.Quote(pickOf(g, g.defines)) + " " + pickOf(g, []string{e, e, ".", ""}) + "}}")
		}
	}
}

func (g *generator) declaration(t reflect.Type) string {
	if g.IntN(3) > 0 {
		return ""
	}
	name := pickOf(g, []string{"$a", "$b", "$x"})
	g.vars = append(g.vars, typedVar{name, t})
	return name + " := "
}

func (g *generator) dict(dot reflect.Type) string {
	var s strings.Builder
	s.WriteString("dict")
	for range 1 + g.IntN(3) {
		e, _ := g.operand(dot, 1)
		s.WriteString(" " + strconv.Quote(pickOf(g, someNames)) + " " + e)
	}
	return s.String()
}

// pipeline returns a pipeline and what its type may be.
func (g *generator) pipeline(dot reflect.Type, depth int) (string, reflect.Type) {
	e, t := g.command(dot, depth)
	for g.IntN(12) == 0 {
		f, params, result := g.function()
		for _, p := range params[:max(0, len(params)-1)] {
			f += " " + g.argument(dot, p, 1)
		}
		e, t = e+" | "+f, result
	}
	return e, t
}

// functions are the names of all functions of the templates.
var functions = append(sortedKeys(randomFuncs), slices.Sorted(language.Builtins())...)

// printing are the functions whose result may be longer than what they are given.
var printing = []string{"print", "printf", "println", "html", "js", "urlquery"}

// function returns a function, what it takes and what it returns.
func (g *generator) function() (name string, params []reflect.Type, result reflect.Type) {
	for name = pickOf(g, functions); g.repeats && slices.Contains(printing, name); {
		name = pickOf(g, functions)
	}
	t := reflect.TypeOf(randomFuncs[name])
	if t == nil {
		f, _ := language.Builtin(name)
		t = f.Type()
	}
	return name, g.params(t), valueOf(t.Out(0)).typ
}

// params returns the types of arguments for a function, now and then of another number.
func (g *generator) params(f reflect.Type) []reflect.Type {
	n := f.NumIn()
	if f.IsVariadic() {
		n += g.IntN(3) - 1
	}
	if g.IntN(60) == 0 {
		n = g.IntN(4)
	}
	params := make([]reflect.Type, n)
	for i := range params {
		if i < f.NumIn() || f.IsVariadic() {
			params[i] = valueOf(language.Param(f, i)).typ
		}
	}
	return params
}

func (g *generator) command(dot reflect.Type, depth int) (string, reflect.Type) {
	switch n := g.IntN(20); {
	case n < 13 || depth == 0:
		return g.operand(dot, depth)
	case n < 14:
		return g.dict(dot), dictType.Out(0)
	case n < 15:
		if e, t, ok := g.method(dot, depth); ok {
			return e, t
		}
		fallthrough
	case n < 16:
		e, t := g.operand(dot, depth-1)
		for range 5 {
			if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Array) {
				break
			}
			e, t = g.operand(dot, depth-1)
		}
		i := "0"
		switch {
		case g.IntN(6) == 0:
			i, _ = g.operand(dot, depth-1)
		case t != nil && t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
			i = strconv.Quote(pickOf(g, someNames))
		}
		if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Array) {
			return "index " + e + " " + i, t.Elem()
		}
		return "index " + e + " " + i, nil
	}
	e, params, result := g.function()
	for _, p := range params {
		e += " " + g.argument(dot, p, depth)
	}
	return e, result
}

// method returns a call of a method of the dot, or of one of its fields.
func (g *generator) method(dot reflect.Type, depth int) (string, reflect.Type, bool) {
	for range 20 {
		path, t := g.path(dot, g.IntN(3))
		b, addr := valueOf(t).indirect()
		if b == nil {
			continue
		}
		name := pickOf(g, append(sortedKeys(members(b, (addr != no || g.IntN(2) == 0) && b.Kind() != reflect.Interface)), ""))
		m := language.Lookup(b, true, name)
		if m.Kind != language.Method || m.Type.NumIn() == 0 || m.Type.NumOut() == 0 {
			continue
		}
		e := path + "." + name
		for _, p := range g.params(m.Type) {
			e += " " + g.argument(dot, p, depth)
		}
		return e, valueOf(m.Type.Out(0)).typ, true
	}
	return "", nil, false
}

// argument returns an operand that may fit a parameter.
func (g *generator) argument(dot, p reflect.Type, depth int) string {
	if p == nil || g.IntN(40) == 0 {
		e, _ := g.operand(dot, depth-1)
		return e
	}
	for range 12 { // look for a name of the dot that fits
		if e, t := g.chain(dot); t != nil && valueOf(t).fits(p) {
			return e
		}
	}
	switch {
	case p.Kind() == reflect.String:
		return strconv.Quote(pickOf(g, []string{"", "x", "%d"}))
	case language.Basic(p.Kind()) != language.NotBasic && p.Kind() != reflect.Bool:
		return pickOf(g, []string{"0", "1", "2", "'a'", "0x2", "1.0", "-1"})
	case p == reflect.TypeFor[person]() || p == reflect.TypeFor[*person]():
		return pickOf(g, []string{"whom", "(whom)", "who"})
	case p.Kind() == reflect.Interface:
		return pickOf(g, []string{"form", "nil"})
	}
	return "give"
}

func (g *generator) operand(dot reflect.Type, depth int) (string, reflect.Type) {
	switch n := g.IntN(20); {
	case n < 11:
		return g.chain(dot)
	case n < 13:
		return ".", dot
	case n < 15:
		v := pickOf(g, g.vars)
		path, t := g.path(v.typ, g.IntN(3))
		return v.name + path, t
	case n < 17 && depth > 0:
		e, t := g.pipeline(dot, depth-1)
		if g.IntN(3) == 0 {
			path, t := g.path(t, 1)
			return "(" + e + ")" + path, t
		}
		return "(" + e + ")", t
	case n < 18 && depth > 0:
		f := pickOf(g, []string{"who", "whom", "give", "form", "fn", "seq"})
		path, t := g.path(reflect.TypeOf(randomFuncs[f]).Out(0), 1+g.IntN(2))
		return "(" + f + ")" + path, t
	}
	l := pickOf(g, literals)
	return l.name, l.typ
}

// literals are constants, and their types.
var literals = []typedVar{
	{"0", intType}, {"1", intType}, {"2", intType}, {"-1", intType}, {"'x'", intType}, {"0x1F", intType},
	{"1.5", reflect.TypeFor[float64]()}, {"1i", reflect.TypeFor[complex128]()},
	{`""`, stringType}, {`"x"`, stringType}, {`"Name"`, stringType},
	{"true", boolType}, {"false", boolType}, {"(nil)", nil}, {"give", nil},
}

// chain returns .A.B of the dot.
func (g *generator) chain(dot reflect.Type) (string, reflect.Type) {
	path, t := g.path(dot, 1+g.IntN(3))
	if path == "" {
		return ".", dot
	}
	return path, t
}

// names returns what may stand behind a value of a type, all of it or what works.
func (g *generator) names(t reflect.Type, addressable, all bool) []string {
	key := fmt.Sprint(t, addressable, all)
	if names, ok := g.known[key]; ok {
		return names
	}
	var names []string
	for _, name := range sortedKeys(members(t, addressable)) {
		if m := language.Lookup(t, true, name); all || m.Kind == language.Field || m.Kind == language.Method && m.Type.NumIn() == 0 && m.Type.NumOut() == 1 {
			names = append(names, name)
		}
	}
	if t.Kind() == reflect.Map && t.Key().Kind() == reflect.String {
		names = append(names, someNames...)
	}
	g.known[key] = names
	return names
}

// path returns names that lead from a value of a type to others, and their type. A method
// that takes arguments ends it, without them: mostly it is not chosen.
func (g *generator) path(t reflect.Type, n int) (string, reflect.Type) {
	path := ""
	for range n {
		b, addr := valueOf(t).indirect()
		var names []string
		if b != nil {
			names = g.names(b, b.Kind() != reflect.Interface && (addr == yes || g.IntN(3) == 0), g.IntN(30) == 0)
		} else {
			names = someNames
		}
		if g.IntN(40) == 0 {
			names = someNames
		}
		if len(names) == 0 {
			return path, t
		}
		name := pickOf(g, names)
		path += "." + name
		t = nil
		if b != nil {
			switch m := language.Lookup(b, true, name); {
			case m.Kind == language.Field || m.Kind == language.Key:
				t = valueOf(m.Type).typ
			case m.Kind == language.Method && m.Type.NumOut() > 0:
				t = valueOf(m.Type.Out(0)).typ
				if m.Type.NumIn() > 0 && g.IntN(3) > 0 {
					return path, t
				}
			}
		}
		if t == nil {
			break
		}
	}
	return path, t
}
