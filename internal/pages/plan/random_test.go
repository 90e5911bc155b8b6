package plan_test

import (
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flow/internal/race"
)

var (
	templates = flag.Int("plan.templates", 0, "how many random templates TestRandomTemplates makes; 0 is 2,000, with FLOW_SLOW=1 20,000, with the race detector a tenth")
	seed      = flag.Uint64("plan.seed", 0, "the seed of TestRandomTemplates, 0 for a new one")
	values    = flag.Int("plan.values", 4, "how many random values TestRandomTemplates renders each template with")
)

// TestRandomTemplates renders random templates with random data both ways.
func TestRandomTemplates(t *testing.T) {
	n, s := *templates, *seed
	if n == 0 {
		n = 2_000
		if os.Getenv("FLOW_SLOW") != "" {
			n = 20_000
		}
		if race.Enabled {
			n /= 10
		}
	}
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("go test ./internal/pages/plan -run RandomTemplates -plan.seed %d -plan.templates %d -plan.values %d", s, n, *values)
	var refused, unplanned, pages, failed, tooLong, readOnce, readOnceFailed int
	reasons := map[string]int{}
	for i := range n {
		g := &generator{Rand: rand.New(rand.NewPCG(s, uint64(i)))}
		root := roots[i%len(roots)]
		source := g.source(root)
		b, err := newBoth(source, randomFuncs)
		if err != nil { // by the parser or html/template
			refused++
			continue
		}
		if b.plan == nil {
			unplanned++
			reasons[b.reason.Error()]++
		}
		for range *values {
			dataSeed := g.Uint64()
			r := b.render(t, func() any { log.reset(dataSeed); return randomData(root, dataSeed) })
			if slices.ContainsFunc(r.calls, func(call string) bool { return strings.HasPrefix(call, "cursor.") || strings.HasPrefix(call, "iter.") }) {
				readOnce++
				if r.err != nil {
					readOnceFailed++
				}
			}
			switch {
			case r.err == nil:
				pages++
			case r.err == errTooLong:
				tooLong++
			default:
				failed++
			}
		}
		if t.Failed() {
			t.Fatalf("root %v, -plan.seed %d, template %d", root, s, i)
		}
	}
	t.Logf("%d templates: %d refused by html/template, %d without a Plan; %d pages, %d failed, %d too long", n, refused, unplanned, pages, failed, tooLong)
	t.Logf("%d of these executions called iterators or cursors, %d of which failed", readOnce, readOnceFailed)
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%d %s", reasons[reason], reason)
	}
	if total := pages + failed; pages < total/2 || refused+unplanned > n/5 {
		t.Errorf("too few templates say something")
	}
}

// TestManyGoroutines renders random templates in several goroutines at a time, with data of
// different types. Nothing is recorded then.
func TestManyGoroutines(t *testing.T) {
	log = recorder{}
	const seeds = 6
	for i := range uint64(60) {
		g := &generator{Rand: rand.New(rand.NewPCG(2, i))}
		b, err := newBoth(g.source(roots[0]), randomFuncs)
		if err != nil || b.plan == nil {
			continue
		}
		given := func(seed uint64) any { return randomData(roots[seed%seeds], seed) }
		var want [seeds]rendering
		for seed := range uint64(seeds) {
			var page limited
			want[seed].err = execute(b.html, &page, given(seed))
			want[seed].page = page.String()
		}
		var all sync.WaitGroup
		for first := range uint64(8) {
			all.Go(func() {
				for n := range uint64(seeds) {
					seed := (first + n) % seeds
					got, err := b.append(nil, given(seed))
					if w := want[seed]; w.err != errTooLong && (err == nil) != (w.err == nil) || w.err == nil && !alike(string(got), w.page) {
						b.report(t, "%v, in one goroutine %v:\n%.500q\n%.500q", err, w.err, got, w.page)
					}
				}
			})
		}
		all.Wait()
	}
}

// roots are the types of the data.
var roots = []reflect.Type{
	reflect.TypeFor[*site](), reflect.TypeFor[*site](), reflect.TypeFor[site](), reflect.TypeFor[*rec](), reflect.TypeFor[rec](),
	reflect.TypeFor[bag](), reflect.TypeFor[[]rec](), reflect.TypeFor[map[string]*rec](), reflect.TypeFor[**site](), reflect.TypeFor[any](),
	reflect.TypeFor[*result](), reflect.TypeFor[*result](), reflect.TypeFor[result](),
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

// A generator writes random templates, most of which fit their data.
type generator struct {
	*rand.Rand
	vars    []variable
	defines []reflect.Type // the types of the dots of templates that may be called: "t0", "t1" and so on
	loops   int
	out     strings.Builder
}

type variable struct {
	name string
	typ  reflect.Type // nil if only the value tells it
}

func (g *generator) write(parts ...string) {
	for _, part := range parts {
		g.out.WriteString(part)
	}
}

// source returns the text of a template for data of a type.
func (g *generator) source(root reflect.Type) string {
	for range g.IntN(3) {
		g.defines = append(g.defines, pick(g, reflect.TypeFor[rec](), reflect.TypeFor[*rec](), reflect.TypeFor[string](), roots[g.IntN(len(roots))]))
	}
	defines := g.defines
	for i, dot := range defines {
		g.defines = defines[:i] // none calls itself, other than with what is below its dot
		g.write("{{define \"t", strconv.Itoa(i), "\"}}")
		g.body(dot, 2)
		if dot == reflect.TypeFor[*rec]() {
			g.write(pick(g, `{{with .Next}}{{template "t`, `{{range .KidPs}}{{if .}}{{template "t`), strconv.Itoa(i), `" .}}{{end}}`)
			if strings.HasSuffix(g.out.String(), `{{if .}}{{template "t`+strconv.Itoa(i)+`" .}}{{end}}`) {
				g.write("{{end}}")
			}
		}
		g.write("{{end}}")
	}
	g.defines = defines
	g.body(root, 3)
	return g.out.String()
}

// body writes a template with variables of its own.
func (g *generator) body(dot reflect.Type, depth int) {
	g.vars = []variable{{"$", dot}}
	for range 1 + g.IntN(5) {
		g.statement(dot, depth)
	}
}

// scoped writes a list whose variables end with it.
func (g *generator) scoped(dot reflect.Type, depth int) {
	n := len(g.vars)
	for range 1 + g.IntN(3) {
		g.statement(dot, depth)
	}
	g.vars = g.vars[:n]
}

// texts are static.
var staticTexts = []string{"text ", "<p>a &amp; b</p>", "\n\t", "é<br>", "<!-- comment -->", "{{/* comment */}}", " {{- /* trimmed */ -}} ", "<hr title='x'>"}

// statement writes one statement that begins and ends in text.
func (g *generator) statement(dot reflect.Type, depth int) {
	n := g.IntN(100)
	switch {
	case n < 8:
		g.write(pick(g, staticTexts...))
	case n < 22:
		g.write("{{", g.pipeline(dot, 2), "}}")
	case n < 48:
		place := pick(g, pick(g, ownPlaces...), pick(g, places...))
		for i, part := range strings.Split(place, "{{.}}") {
			if i > 0 {
				g.inPlace(dot)
			}
			g.write(part)
		}
	case n < 55:
		e, t := g.expr(dot, 2)
		name := pick(g, "$a", "$b", "$c")
		g.write("{{", name, " := ", e, "}}")
		g.vars = append(g.vars, variable{name, t})
	case n < 59:
		if v := pick(g, g.vars...); v.name != "$" {
			e, _ := g.exprOf(dot, 2, func(t reflect.Type) bool { return t == v.typ })
			g.write("{{", v.name, " = ", e, "}}")
		}
	case n < 63:
		if g.loops > 0 {
			g.write("{{if ", g.condition(dot, 1), "}}", pick(g, "{{break}}", "{{continue}}"), "{{end}}")
		}
	case n < 68:
		if len(g.defines) > 0 {
			i := g.IntN(len(g.defines))
			e, _ := g.exprOf(dot, 1, func(t reflect.Type) bool { return t == g.defines[i] })
			g.write("{{template \"t", strconv.Itoa(i), "\" ", e, "}}")
		}
	case depth == 0:
	case n < 78:
		vars := len(g.vars)
		g.write("{{if ", g.declared(dot, "$v", func() (string, reflect.Type) { return g.condition(dot, 2), nil }), "}}")
		g.scoped(dot, depth-1)
		if g.IntN(3) == 0 {
			g.write("{{else if ", g.condition(dot, 1), "}}")
			g.scoped(dot, depth-1)
		}
		g.otherwise(dot, depth)
		g.write("{{end}}")
		g.vars = g.vars[:vars]
	case n < 86:
		vars := len(g.vars)
		var t reflect.Type
		g.write("{{with ", g.declared(dot, "$w", func() (e string, _ reflect.Type) { e, t = g.expr(dot, 2); return e, t }), "}}")
		g.scoped(t, depth-1)
		if g.IntN(4) == 0 {
			e, t := g.expr(dot, 1)
			g.write("{{else with ", e, "}}")
			g.scoped(t, depth-1)
		}
		g.otherwise(dot, depth)
		g.write("{{end}}")
		g.vars = g.vars[:vars]
	default:
		g.rangeOver(dot, depth)
	}
}

func (g *generator) otherwise(dot reflect.Type, depth int) {
	if g.IntN(2) == 0 {
		g.write("{{else}}")
		g.scoped(dot, depth-1)
	}
}

// declared returns an expression, sometimes behind a variable that is set to it.
func (g *generator) declared(dot reflect.Type, name string, expr func() (string, reflect.Type)) string {
	e, t := expr()
	if g.IntN(4) > 0 {
		return e
	}
	g.vars = append(g.vars, variable{name, t})
	return name + " := " + e
}

// inPlace writes an action inside a tag or an element, and sometimes a branch around it.
func (g *generator) inPlace(dot reflect.Type) {
	switch g.IntN(8) {
	case 0:
		g.write("{{if ", g.condition(dot, 1), "}}{{", g.pipeline(dot, 1), "}}{{else}}{{", g.pipeline(dot, 1), "}}{{end}}")
	case 1:
		e, t := g.expr(dot, 1)
		g.write("{{with ", e, "}}{{", g.pipeline(t, 1), "}}{{end}}")
	default:
		g.write("{{", g.pipeline(dot, 2), "}}")
	}
}

// rangeOver writes a loop.
func (g *generator) rangeOver(dot reflect.Type, depth int) {
	e, t := g.exprOf(dot, 2, func(t reflect.Type) bool { _, _, ok := rangeTypes(t); return ok })
	key, elem, ok := rangeTypes(t)
	if !ok {
		e, key, elem = "ints 1 2", reflect.TypeFor[int](), reflect.TypeFor[int]()
	}
	vars, inner := len(g.vars), elem
	isOne := key == nil // integers and iter.Seq give one value at a time
	two := indirect(t) != nil && indirect(t).Kind() == reflect.Func && !isOne
	if two {
		inner = elem
	}
	g.write("{{range ")
	switch n := g.IntN(6); {
	case n == 0 && !isOne:
		g.vars = append(g.vars, variable{"$i", key}, variable{"$e", elem})
		g.write("$i, $e := ")
	case n == 1 && !two:
		g.vars = append(g.vars, variable{"$e", elem})
		g.write("$e := ")
	case n == 2 && !two:
		if v := pick(g, g.vars...); v.name != "$" && v.typ == elem {
			g.write(v.name, " = ")
		}
	case two:
		inner = key // without a variable, the dot is the first value
	}
	g.write(e, "}}")
	g.loops++
	g.scoped(inner, depth-1)
	g.loops--
	g.vars = g.vars[:vars]
	g.otherwise(dot, depth)
	g.write("{{end}}")
}

// rangeTypes returns the types that a loop over a type gives; no key for integers and
// iterators of one value.
func rangeTypes(t reflect.Type) (key, elem reflect.Type, ok bool) {
	if t = indirect(t); t == nil {
		return nil, nil, false
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Chan:
		return reflect.TypeFor[int](), t.Elem(), true
	case reflect.Map:
		return t.Key(), t.Elem(), true
	case reflect.Int:
		return nil, t, true
	case reflect.Func:
		if t.CanSeq2() {
			return t.In(0).In(0), t.In(0).In(1), true
		}
		if t.CanSeq() {
			return nil, t.In(0).In(0), true
		}
	}
	return nil, nil, false
}

// indirect returns the type behind pointers.
func indirect(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// pipeline returns what an action prints.
func (g *generator) pipeline(dot reflect.Type, depth int) string {
	e, t := g.exprOf(dot, depth, func(t reflect.Type) bool { // mostly what can be printed
		t = indirect(t)
		return t != nil && t.Kind() != reflect.Func && t.Kind() != reflect.Chan && (t.Kind() != reflect.Struct || g.IntN(5) == 0)
	})
	switch n := g.IntN(20); {
	case n == 0:
		return e + ` | printf "%v"`
	case n == 1 && t == reflect.TypeFor[string]():
		return e + pick(g, " | upper", " | raw", " | safeURL", ` | printf "%s:%q" "a"`, " | joined", " | fails", " | link")
	case n == 2:
		return e + pick(g, " | html", " | urlquery", " | same | html", " | same", " | print", " | println 1", " | value")
	}
	return e
}

// condition returns an expression for {{if}}.
func (g *generator) condition(dot reflect.Type, depth int) string {
	e, t := g.expr(dot, depth)
	switch g.IntN(8) {
	case 0:
		return "not (" + e + ")"
	case 1:
		o, _ := g.expr(dot, 1)
		return pick(g, "and", "or") + " (" + e + ") (" + o + ")"
	case 2, 3:
		if isBasic(t) {
			o, _ := g.exprOf(dot, 1, func(u reflect.Type) bool { return u == t })
			ops := []string{"eq", "ne"}
			if t.Kind() != reflect.Bool && t.Kind() != reflect.Complex128 {
				ops = append(ops, "lt", "le", "gt", "ge")
			}
			return pick(g, ops...) + " (" + e + ") (" + o + ")"
		}
	}
	return e
}

func isBasic(t reflect.Type) bool {
	if t == nil {
		return false
	}
	k := t.Kind()
	return k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr || k == reflect.String
}

// exprOf returns an expression whose type is one that is wanted, or, after some attempts, any
// other one.
func (g *generator) exprOf(dot reflect.Type, depth int, wanted func(reflect.Type) bool) (e string, t reflect.Type) {
	for range 25 {
		if e, t = g.expr(dot, depth); wanted(t) {
			return e, t
		}
	}
	for _, l := range literals {
		if wanted(l.typ) {
			return l.name, l.typ
		}
	}
	return e, t
}

// literals are constants, and functions that give values of types, which they stand for.
var literals = []variable{
	{`"text"`, reflect.TypeFor[string]()}, {"1", reflect.TypeFor[int]()}, {"true", reflect.TypeFor[bool]()}, {"aRec", reflect.TypeFor[rec]()},
	{"aRecP", reflect.TypeFor[*rec]()}, {"(list 1 `b`)", reflect.TypeFor[[]any]()}, {"1.5", reflect.TypeFor[float64]()},
	{`"<i>"`, reflect.TypeFor[string]()}, {"0", reflect.TypeFor[int]()}, {`'\x04'`, reflect.TypeFor[int]()}, {"-3", reflect.TypeFor[int]()},
	{"(nothing)", nil}, {`""`, reflect.TypeFor[string]()}, {"false", reflect.TypeFor[bool]()}, {"1i", reflect.TypeFor[complex128]()},
	{"(ints 1 2)", reflect.TypeFor[[]int]()}, {"who", nil}, {"visitor", reflect.TypeFor[*rec]()}, {"(seq)", reflect.TypeFor[iter.Seq[int]]()}, {"count", reflect.TypeFor[int]()},
}

// expr returns an operand or a call, in parentheses where it needs them, and its type.
func (g *generator) expr(dot reflect.Type, depth int) (string, reflect.Type) {
	n := g.IntN(100)
	if depth == 0 && n >= 70 {
		n = g.IntN(70)
	}
	switch {
	case n < 42:
		if path, t := g.path(dot, 1+g.IntN(3)); path != "" {
			return path, t
		}
		return ".", dot
	case n < 48:
		return ".", dot
	case n < 62:
		v := pick(g, g.vars...)
		path, t := g.path(v.typ, g.IntN(3))
		return v.name + path, t
	case n < 70:
		l := pick(g, literals...)
		return l.name, l.typ
	case n < 75:
		f := pick(g, "aRec", "aRecP", "visitor", "aRecP.Self", "visitor.Copy")
		path, t := g.path(reflect.TypeFor[*rec](), 1)
		return "(" + f + ")" + path, t
	case n < 82:
		return g.method(dot, depth)
	case n < 91:
		return g.builtin(dot, depth)
	}
	funcs := randomFuncs.Fixed
	if g.IntN(3) == 0 {
		funcs = randomFuncs.Bound
	}
	name := pick(g, sortedNames(funcs)...)
	f := reflect.TypeOf(funcs[name])
	ins := slices.Collect(f.Ins())
	if len(funcs) == len(randomFuncs.Bound) {
		ins = ins[1:]
	}
	out := f.Out(0)
	if out.Kind() == reflect.Interface || out == reflect.TypeFor[reflect.Value]() {
		out = nil
	}
	return "(" + name + g.arguments(dot, depth, ins, f.IsVariadic()) + ")", out
}

// arguments returns arguments for parameters.
func (g *generator) arguments(dot reflect.Type, depth int, params []reflect.Type, variadic bool) string {
	text := ""
	if variadic {
		last := params[len(params)-1].Elem()
		params = slices.Clone(params[:len(params)-1])
		for range g.IntN(3) {
			params = append(params, last)
		}
	}
	for _, p := range params {
		e, _ := g.exprOf(dot, depth-1, func(t reflect.Type) bool {
			return t != nil && (t.AssignableTo(p) || p == reflect.TypeFor[reflect.Value]())
		})
		switch {
		case isBasic(p) && p.Kind() != reflect.String && p.Kind() != reflect.Bool && g.IntN(2) == 0:
			e = pick(g, "1", "0", "7", `'\x05'`, "0x3", "2e0")
		case p == reflect.TypeFor[fmt.Stringer]():
			e, _ = g.exprOf(dot, depth-1, func(t reflect.Type) bool { return t == reflect.TypeFor[label]() || t == reflect.TypeFor[level]() })
			if e == "." || !strings.HasPrefix(e, ".") {
				e = "aRec.Label"
			}
		case p == reflect.TypeFor[*rec]() && g.IntN(4) == 0:
			e = pick(g, "noRec", "nil", "(noRec)")
		}
		text += " " + e
	}
	return text
}

// builtin returns a call of a function of text/template.
func (g *generator) builtin(dot reflect.Type, depth int) (string, reflect.Type) {
	isString := func(t reflect.Type) bool { return t == reflect.TypeFor[string]() }
	isList := func(t reflect.Type) bool { return t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) }
	a, at := g.expr(dot, depth-1)
	b, _ := g.expr(dot, depth-1)
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf("(printf %q %s %s)", pick(g, "%v|%v", "%s-%v", "%q %v", "<%v>%T"), a, b), reflect.TypeFor[string]()
	case 1:
		return "(print " + a + " " + b + ")", reflect.TypeFor[string]()
	case 2, 3:
		e, t := g.exprOf(dot, depth-1, func(t reflect.Type) bool { return isList(t) || isString(t) })
		if isList(t) || isString(t) {
			return "(len " + e + ")", reflect.TypeFor[int]()
		}
	case 4, 5:
		if e, t := g.exprOf(dot, depth-1, isList); isList(t) {
			switch {
			case t.Kind() == reflect.Slice:
				return "(index " + e + " 0)", t.Elem()
			case t.Key().Kind() == reflect.String && t.Key().PkgPath() == "":
				return "(index " + e + " " + strconv.Quote(pick(g, keyNames...)) + ")", t.Elem()
			case t.Key().Kind() == reflect.Int:
				return "(index " + e + " 1)", t.Elem()
			}
		}
	case 6:
		e, t := g.exprOf(dot, depth-1, func(t reflect.Type) bool { return isString(t) || isList(t) && t.Kind() == reflect.Slice })
		if isString(t) || isList(t) && t.Kind() == reflect.Slice {
			return "(slice " + e + pick(g, "", " 0", " 0 0") + ")", t
		}
	case 7:
		return "(" + pick(g, "and", "or") + " " + a + " " + b + pick(g, "", " 1", " .") + ")", nil
	case 8:
		return "(not " + a + ")", reflect.TypeFor[bool]()
	case 9:
		return "(" + pick(g, "html", "js", "urlquery") + " " + a + ")", reflect.TypeFor[string]()
	case 10:
		e, t := g.exprOf(dot, depth-1, func(t reflect.Type) bool { return t == reflect.TypeFor[func(string) string]() })
		if t != reflect.TypeFor[func(string) string]() {
			e = "fnOf"
		}
		return "(call " + e + g.arguments(dot, depth, []reflect.Type{reflect.TypeFor[string]()}, false) + ")", reflect.TypeFor[string]()
	case 11:
		if isBasic(at) {
			o, _ := g.exprOf(dot, depth-1, func(t reflect.Type) bool { return t == at })
			return "(" + pick(g, "eq", "ne") + " " + a + " " + o + ")", reflect.TypeFor[bool]()
		}
	}
	return a, at
}

// A member is a field, a method or a key of a type.
type member struct {
	name   string
	typ    reflect.Type
	params []reflect.Type // of a method that needs arguments
	f      reflect.Type   // of a method
}

// knownMembers has what membersOf returns.
var knownMembers = map[reflect.Type][]member{}

// members returns what may stand behind a dot of a type.
func members(t reflect.Type, pointer bool) []member {
	b := indirect(t)
	if b == nil || b.Kind() == reflect.Interface {
		return nil
	}
	key := b
	if pointer {
		key = reflect.PointerTo(b)
	}
	found, known := knownMembers[key]
	if !known {
		found = membersOf(b, key)
		knownMembers[key] = found
	}
	return found
}

// membersOf returns the methods of a type, and the fields or keys of b.
func membersOf(b, in reflect.Type) (found []member) {
	for m := range in.Methods() {
		f := m.Type
		if m.Name == "String" || m.Name == "MarshalJSON" || f.NumOut() == 0 {
			continue
		}
		ins := slices.Collect(f.Ins())[1:]
		found = append(found, member{m.Name, f.Out(0), ins, f})
	}
	switch {
	case b == reflect.TypeFor[bag]():
		for _, name := range sortedNames(bagTypes) {
			found = append(found, member{name: name, typ: bagTypes[name]})
		}
	case b.Kind() == reflect.Map && b.Key().Kind() == reflect.String:
		for _, name := range keyNames {
			found = append(found, member{name: name, typ: b.Elem()})
		}
	case b.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(b) {
			if f.IsExported() {
				found = append(found, member{name: f.Name, typ: f.Type})
			}
		}
	}
	return found
}

// path returns names that lead from a value to others, and their type.
func (g *generator) path(t reflect.Type, n int) (string, reflect.Type) {
	path := ""
	for range n {
		found := members(t, t != nil && t.Kind() == reflect.Pointer || g.IntN(12) == 0)
		if len(found) == 0 {
			break
		}
		m := pick(g, found...)
		if len(m.params) > 0 && !(m.f.IsVariadic() && len(m.params) == 1) {
			break
		}
		path += "." + m.name
		if t = m.typ; t == reflect.TypeFor[reflect.Value]() {
			t = nil
		}
		if g.IntN(200) == 0 {
			path += ".Wrong"
		}
	}
	return path, t
}

// method returns a call of a method with arguments.
func (g *generator) method(dot reflect.Type, depth int) (string, reflect.Type) {
	for range 10 {
		v := pick(g, append(slices.Clone(g.vars), variable{"", dot})...)
		path, t := g.path(v.typ, g.IntN(2))
		var with []member
		for _, m := range members(t, t != nil && t.Kind() == reflect.Pointer) {
			if len(m.params) > 0 {
				with = append(with, m)
			}
		}
		if len(with) == 0 {
			continue
		}
		m := pick(g, with...)
		out := m.typ
		if out.Kind() == reflect.Interface || out == reflect.TypeFor[reflect.Value]() {
			out = nil
		}
		return "(" + v.name + path + "." + m.name + g.arguments(dot, depth, m.params, m.f.IsVariadic()) + ")", out
	}
	return ".", dot
}
