package zoo

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Template returns a random template for data of a type. Most of what it says fits the data.
//
// A wild one also says much that does not fit, calls the function dict but none of Bound, and
// has templates that call themselves without end. Each of these, and each turn of a loop,
// begins with a dot.
func Template(r *rand.Rand, root reflect.Type, wild bool) string {
	g := &generator{Rand: r, wild: wild}
	for range g.IntN(3) {
		dot := pick(g, reflect.TypeFor[Person](), reflect.TypeFor[*Person](), reflect.TypeFor[string](), pick(g, Roots...))
		if g.wrong(2) {
			dot = dictType
		}
		g.defines = append(g.defines, dot)
	}
	defines := g.defines
	for i, dot := range defines {
		if !wild {
			g.defines = defines[:i] // none calls itself, other than with what is below its dot
		}
		name := "t" + strconv.Itoa(i)
		g.write("{{define \"", name, "\"}}.")
		g.bounded = wild
		g.body(dot, 2)
		if dot == reflect.TypeFor[*Person]() {
			call := `{{template "` + name + `" .}}{{end}}`
			g.write(pick(g, "{{with .Next}}"+call, "{{range .KidPs}}{{if .}}"+call+"{{end}}"))
		}
		g.write("{{end}}")
	}
	g.defines, g.bounded = defines, false
	g.body(root, 3)
	return g.out.String()
}

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

// A generator writes random templates.
type generator struct {
	*rand.Rand
	wild    bool
	vars    []variable
	defines []reflect.Type // the types of the dots of templates that may be called: "t0", "t1" and so on
	bounded bool           // what is written may be given back to itself, so no text must grow each time
	loops   int
	out     strings.Builder
}

type variable struct {
	name string
	typ  reflect.Type // nil if only the value tells it
}

var dictType = reflect.TypeFor[map[string]any]()

// wrong reports whether to write something that does not fit, as a wild template does one of n times.
func (g *generator) wrong(n int) bool { return g.wild && g.IntN(n) == 0 }

func (g *generator) write(parts ...string) {
	for _, part := range parts {
		g.out.WriteString(part)
	}
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

var staticTexts = []string{"text ", "<p>a &amp; b</p>", "\n\t", "é<br>", "<!-- comment -->", "{{/* comment */}}", " {{- /* trimmed */ -}} ", "<hr title='x'>"}

// statement writes one statement that begins and ends in text.
func (g *generator) statement(dot reflect.Type, depth int) {
	n, vars := g.IntN(100), len(g.vars)
	switch {
	case n < 8:
		g.write(pick(g, staticTexts...))
	case n < 22:
		g.write("{{", g.printed(dot, 2), "}}")
	case n < 48:
		for i, part := range strings.Split(pick(g, pick(g, OwnPlaces...), pick(g, Places...)), "{{.}}") {
			if i > 0 {
				g.inPlace(dot)
			}
			g.write(part)
		}
	case n < 55:
		e, t := g.expr(dot, 2)
		g.vars = append(g.vars, variable{pick(g, "$a", "$b", "$c"), t})
		g.write("{{", g.vars[vars].name, " := ", e, "}}")
	case n < 59:
		if v := pick(g, g.vars...); v.name != "$" || g.wrong(4) {
			was := g.bounded
			g.bounded = true
			e, _ := g.exprOf(dot, 2, func(t reflect.Type) bool { return t == v.typ || g.wrong(3) })
			g.bounded = was
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
			switch {
			case g.wrong(2):
				e = g.dict(dot, 1)
			case g.wrong(8):
				e = ""
			}
			g.write("{{template \"t", strconv.Itoa(i), "\" ", e, "}}")
		}
	case depth == 0:
	case n < 78:
		g.write("{{if ", g.declared("$v", g.condition(dot, 2), nil), "}}")
		g.scoped(dot, depth-1)
		if g.IntN(3) == 0 {
			g.write("{{else if ", g.condition(dot, 1), "}}")
			g.scoped(dot, depth-1)
		}
		g.otherwise(dot, depth, vars)
	case n < 86:
		e, t := g.expr(dot, 2)
		g.write("{{with ", g.declared("$w", e, t), "}}")
		g.scoped(t, depth-1)
		if g.IntN(4) == 0 {
			e, t := g.expr(dot, 1)
			g.write("{{else with ", e, "}}")
			g.scoped(t, depth-1)
		}
		g.otherwise(dot, depth, vars)
	default:
		g.rangeOver(dot, depth)
	}
}

// otherwise writes an {{else}} or none, and the end of a statement that began with so many
// variables.
func (g *generator) otherwise(dot reflect.Type, depth, vars int) {
	if g.IntN(2) == 0 {
		g.write("{{else}}")
		g.scoped(dot, depth-1)
	}
	g.write("{{end}}")
	g.vars = g.vars[:vars]
}

// declared returns an expression, sometimes behind a variable that is set to it.
func (g *generator) declared(name, e string, t reflect.Type) string {
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
		g.write("{{if ", g.condition(dot, 1), "}}{{", g.printed(dot, 1), "}}{{else}}{{", g.printed(dot, 1), "}}{{end}}")
	case 1:
		e, t := g.expr(dot, 1)
		g.write("{{with ", e, "}}{{", g.printed(t, 1), "}}{{end}}")
	default:
		g.write("{{", g.printed(dot, 2), "}}")
	}
}

// rangeOver writes a loop.
func (g *generator) rangeOver(dot reflect.Type, depth int) {
	e, t := g.exprOf(dot, 2, func(t reflect.Type) bool {
		_, _, ok := rangeTypes(t)
		return ok || t != nil && t.Kind() == reflect.Interface && g.wrong(2) // only its value tells
	})
	key, elem, ok := rangeTypes(t)
	if !ok && !g.wild {
		e, key, elem = "ints 1 2", reflect.TypeFor[int](), reflect.TypeFor[int]()
	}
	vars, inner := len(g.vars), elem
	isOne := key == nil && !g.wrong(8) // integers and iter.Seq give one value at a time
	two := indirect(t) != nil && indirect(t).Kind() == reflect.Func && key != nil
	g.write("{{range ")
	switch n := g.IntN(6); {
	case n == 0 && !isOne:
		g.vars = append(g.vars, variable{"$i", key}, variable{"$e", elem})
		g.write("$i, $e := ")
	case n == 1 && !two:
		g.vars = append(g.vars, variable{"$e", elem})
		g.write("$e := ")
	case n == 2 && !two:
		if v := pick(g, g.vars...); v.name != "$" && (v.typ == elem || g.wrong(2)) {
			g.write(v.name, " = ")
		}
	case two:
		inner = key // without a variable, the dot is the first value
	}
	g.write(e, "}}.")
	g.loops++
	g.scoped(inner, depth-1)
	g.loops--
	g.otherwise(dot, depth, vars)
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

// printed returns what an action prints.
func (g *generator) printed(dot reflect.Type, depth int) string {
	e, t := g.exprOf(dot, depth, func(t reflect.Type) bool { // mostly what can be printed
		t = indirect(t)
		return t != nil && t.Kind() != reflect.Func && t.Kind() != reflect.Chan && (t.Kind() != reflect.Struct || g.IntN(5) == 0)
	})
	switch n := g.IntN(20); {
	case n == 0:
		return e + ` | printf "%v"`
	case n == 1 && isString(t):
		return e + pick(g, " | upper", " | safe", " | safeURL", ` | printf "%s:%q" "a"`, " | joined", " | fails", " | len")
	case n == 2:
		return e + pick(g, " | html", " | urlquery", " | same | html", " | same", " | print", " | println 1", " | raw")
	}
	return e
}

// condition returns an expression for {{if}}.
func (g *generator) condition(dot reflect.Type, depth int) string {
	e, t := g.expr(dot, depth)
	switch g.IntN(8) {
	case 0:
		return "not " + operand(e)
	case 1:
		o, _ := g.expr(dot, 1)
		return pick(g, "and", "or") + " " + operand(e) + " " + operand(o)
	case 2, 3:
		if isBasic(t) || g.wrong(2) {
			o, _ := g.exprOf(dot, 1, func(u reflect.Type) bool { return u == t })
			ops := []string{"eq", "ne"}
			if isBasic(t) && t.Kind() != reflect.Bool && t.Kind() != reflect.Complex128 || g.wrong(2) {
				ops = append(ops, "lt", "le", "gt", "ge")
			}
			return pick(g, ops...) + " " + operand(e) + " " + operand(o)
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

func isString(t reflect.Type) bool { return t == reflect.TypeFor[string]() }

func isList(t reflect.Type) bool {
	return t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Array)
}

// isFunc reports whether t is a function that templates may call.
func isFunc(t reflect.Type) bool { return t != nil && t.Kind() == reflect.Func && t.NumOut() > 0 }

// exprOf returns an expression whose type is one that is wanted, or, after some attempts, any
// other one.
func (g *generator) exprOf(dot reflect.Type, depth int, wanted func(reflect.Type) bool) (e string, t reflect.Type) {
	if g.wrong(4) {
		return g.expr(dot, depth)
	}
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
	{`"text"`, reflect.TypeFor[string]()}, {"1", reflect.TypeFor[int]()}, {"true", reflect.TypeFor[bool]()}, {"who", reflect.TypeFor[Person]()},
	{"whom", reflect.TypeFor[*Person]()}, {"list 1 `b`", reflect.TypeFor[[]any]()}, {"1.5", reflect.TypeFor[float64]()},
	{`"<i>"`, reflect.TypeFor[string]()}, {"0", reflect.TypeFor[int]()}, {`'\x04'`, reflect.TypeFor[int]()}, {"-3", reflect.TypeFor[int]()},
	{"nothing", nil}, {`""`, reflect.TypeFor[string]()}, {`"Name"`, reflect.TypeFor[string]()}, {"false", reflect.TypeFor[bool]()}, {"1i", reflect.TypeFor[complex128]()},
	{"ints 1 2", reflect.TypeFor[[]int]()}, {"give", nil}, {"seq", reflect.TypeFor[func(func(int) bool)]()}, {"counted", reflect.TypeFor[int]()},
	{"form", reflect.TypeFor[Shape]()}, {"fn", reflect.TypeFor[func(string) *Person]()}, {"fnOf", reflect.TypeFor[func(string) string]()},
}

// grows matches expressions whose text may be longer than what they are given.
var grows = regexp.MustCompile(`\b(print|printf|println|html|js|urlquery|joined|list|link)\b`)

// expr returns a command, and its type.
func (g *generator) expr(dot reflect.Type, depth int) (e string, t reflect.Type) {
	for {
		if e, t = g.command(dot, depth); !g.bounded || !grows.MatchString(e) {
			return e, t
		}
	}
}

// operand puts an expression into parentheses, if it needs them.
func operand(e string) string {
	if strings.Contains(e, " ") {
		return "(" + e + ")"
	}
	return e
}

func (g *generator) command(dot reflect.Type, depth int) (string, reflect.Type) {
	n := g.IntN(100)
	if depth == 0 && n >= 67 {
		n = g.IntN(67)
	}
	switch {
	case n < 40:
		if path, t := g.path(dot, 1+g.IntN(3)); path != "" {
			return path, t
		}
		return ".", dot
	case n < 45:
		return ".", dot
	case n < 59:
		v := pick(g, g.vars...)
		path, t := g.path(v.typ, g.IntN(3))
		return v.name + path, t
	case n < 67:
		l := pick(g, literals...)
		return l.name, l.typ
	case n < 75:
		e, t := g.expr(dot, depth-1)
		if path, t := g.path(t, 1+g.IntN(2)); path != "" && e != "." {
			return "(" + e + ")" + path, t
		}
		return e, t
	case n < 82:
		return g.method(dot, depth)
	case n < 91:
		return g.builtin(dot, depth)
	case g.wrong(3):
		return g.dict(dot, depth), dictType
	}
	funcs, at := Funcs, 0
	if !g.wild && g.IntN(3) == 0 {
		funcs, at = Bound, 1
	}
	name := pick(g, sorted(funcs)...)
	f := reflect.TypeOf(funcs[name])
	return g.call(name, g.arguments(dot, depth, slices.Collect(f.Ins())[at:], f.IsVariadic())), known(f.Out(0))
}

// known returns a type, or nil if only the value tells it.
func known(t reflect.Type) reflect.Type {
	if t == reflect.TypeFor[reflect.Value]() || t.Kind() == reflect.Interface && t.NumMethod() == 0 {
		return nil
	}
	return t
}

// call returns a call of a function or method, sometimes with its last argument before it. Of
// several ones only in wild templates: if the last one does not fit, html/template says that the
// one before it does not, which is no example to follow.
func (g *generator) call(name string, args []string) string {
	if n := len(args) - 1; (n == 0 || n > 0 && g.wild) && g.IntN(8) == 0 && args[n] != "nil" {
		return strings.Join(append([]string{args[n], "|", name}, args[:n]...), " ")
	}
	return strings.Join(append([]string{name}, args...), " ")
}

// dict returns a call of dict.
func (g *generator) dict(dot reflect.Type, depth int) string {
	var args []string
	for range 1 + g.IntN(3) {
		e, _ := g.expr(dot, depth-1)
		args = append(args, strconv.Quote(pick(g, keyNames...)), operand(e))
	}
	return g.call("dict", args)
}

// arguments returns arguments for parameters.
func (g *generator) arguments(dot reflect.Type, depth int, params []reflect.Type, variadic bool) (args []string) {
	if variadic {
		last := params[len(params)-1].Elem()
		params = slices.Clone(params[:len(params)-1])
		for range g.IntN(3) {
			params = append(params, last)
		}
	}
	if g.wrong(10) {
		params = append(slices.Clone(params), reflect.TypeFor[int]())[g.IntN(2):]
	}
	for _, p := range params {
		e, _ := g.exprOf(dot, depth-1, func(t reflect.Type) bool {
			return t != nil && (t.AssignableTo(p) || p == reflect.TypeFor[reflect.Value]())
		})
		switch {
		case isBasic(p) && p.Kind() != reflect.String && p.Kind() != reflect.Bool && g.IntN(2) == 0:
			e = pick(g, "1", "0", "7", `'\x05'`, "0x3", "2e0")
		case p.Kind() == reflect.Pointer && g.IntN(4) == 0, p.Kind() == reflect.Interface && g.IntN(12) == 0:
			e = "nil"
		}
		args = append(args, operand(e))
	}
	return args
}

// builtin returns a call of a function of text/template.
func (g *generator) builtin(dot reflect.Type, depth int) (string, reflect.Type) {
	first, at := g.expr(dot, depth-1)
	second, _ := g.expr(dot, depth-1)
	a, b := operand(first), operand(second)
	switch g.IntN(12) {
	case 0:
		return g.call("printf", []string{strconv.Quote(pick(g, "%v|%v", "%s-%v", "%q %v", "<%v>%T")), a, b}), reflect.TypeFor[string]()
	case 1:
		return g.call("print", []string{a, b}), reflect.TypeFor[string]()
	case 2, 3:
		e, t := g.exprOf(dot, depth-1, func(t reflect.Type) bool { return isList(t) || isString(t) })
		if isList(t) || isString(t) || g.wild {
			return g.call("len", []string{operand(e)}), reflect.TypeFor[int]()
		}
	case 4, 5:
		e, t := g.exprOf(dot, depth-1, isList)
		switch {
		case g.wrong(12):
			return g.call("index", []string{operand(e), a}), nil
		case isList(t) && t.Kind() != reflect.Map:
			return g.call("index", []string{operand(e), "0"}), t.Elem()
		case isList(t) && t.Key().Kind() == reflect.String && (t.Key().PkgPath() == "" || g.wild):
			return g.call("index", []string{operand(e), strconv.Quote(pick(g, keyNames...))}), t.Elem()
		case isList(t) && t.Key().Kind() == reflect.Int || g.wild:
			return g.call("index", []string{operand(e), "1"}), nil
		}
	case 6:
		isSlice := func(t reflect.Type) bool { return isString(t) || isList(t) && t.Kind() == reflect.Slice }
		if e, t := g.exprOf(dot, depth-1, isSlice); isSlice(t) || g.wild {
			return "slice " + operand(e) + pick(g, "", " 0", " 0 0"), t
		}
	case 7:
		args := []string{a, b, pick(g, "1", ".")}
		return g.call(pick(g, "and", "or"), args[:2+g.IntN(2)]), pick(g, nil, nil, at)
	case 8:
		return g.call("not", []string{a}), reflect.TypeFor[bool]()
	case 9:
		return g.call(pick(g, "html", "js", "urlquery"), []string{a}), reflect.TypeFor[string]()
	case 10:
		e, t := g.exprOf(dot, depth-1, isFunc)
		if !isFunc(t) && !g.wrong(4) {
			e, t = "fnOf", reflect.TypeFor[func(string) string]()
		}
		if !isFunc(t) {
			return g.call("call", []string{operand(e), a}), nil
		}
		args := g.arguments(dot, depth, slices.Collect(t.Ins()), t.IsVariadic())
		return g.call("call", append([]string{operand(e)}, args...)), known(t.Out(0))
	case 11:
		if isBasic(at) || g.wrong(2) {
			o, _ := g.exprOf(dot, depth-1, func(t reflect.Type) bool { return t == at })
			return g.call(pick(g, "eq", "ne"), []string{a, operand(o)}), reflect.TypeFor[bool]()
		}
	}
	return first, at
}

// A member is a field, a method or a key of a type.
type member struct {
	name   string
	typ    reflect.Type
	params []reflect.Type // of a method that needs arguments
	f      reflect.Type   // of a method
}

// works reports whether a member can be had without arguments.
func (m member) works() bool {
	if m.f == nil {
		return true
	}
	one := m.f.NumOut() == 1 || m.f.NumOut() == 2 && m.f.Out(1) == reflect.TypeFor[error]()
	return one && (len(m.params) == 0 || m.f.IsVariadic() && len(m.params) == 1)
}

// knownMembers has what membersOf returns.
var knownMembers = map[reflect.Type][]member{}

// members returns what may stand behind a dot of a type.
func members(t reflect.Type, pointer bool) []member {
	b := indirect(t)
	if b == nil {
		return nil
	}
	key := b
	if pointer && b.Kind() != reflect.Interface {
		key = reflect.PointerTo(b)
	}
	found, ok := knownMembers[key]
	if !ok {
		found = membersOf(b, key)
		knownMembers[key] = found
	}
	return found
}

// membersOf returns the methods of a type, and the fields or keys of b.
func membersOf(b, in reflect.Type) (found []member) {
	for m := range in.Methods() {
		if m.Name == "String" || m.Name == "MarshalJSON" {
			continue
		}
		made := member{name: m.Name, params: slices.Collect(m.Type.Ins()), f: m.Type}
		if in.Kind() != reflect.Interface {
			made.params = made.params[1:] // without the receiver
		}
		if m.Type.NumOut() > 0 {
			made.typ = known(m.Type.Out(0))
		}
		found = append(found, made)
	}
	switch {
	case b == reflect.TypeFor[bag]():
		for _, name := range sorted(bagTypes) {
			found = append(found, member{name: name, typ: known(bagTypes[name])})
		}
	case b.Kind() == reflect.Map && b.Key().Kind() == reflect.String:
		for _, name := range keyNames {
			found = append(found, member{name: name, typ: known(b.Elem())})
		}
	case b.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(b) {
			if f.IsExported() {
				found = append(found, member{name: f.Name, typ: known(f.Type)})
			}
		}
	}
	return found
}

// path returns names that lead from a value to others, and their type. A method that does not
// work without arguments ends it: mostly it is not chosen.
func (g *generator) path(t reflect.Type, n int) (string, reflect.Type) {
	path := ""
	for range n {
		found := members(t, t != nil && t.Kind() == reflect.Pointer || g.IntN(12) == 0 || g.wrong(3))
		if t == nil && g.wrong(2) || g.wrong(10) {
			path, t = path+"."+pick(g, keyNames...), nil
			continue
		}
		if len(found) == 0 {
			break
		}
		m := pick(g, found...)
		if !m.works() && !g.wrong(6) {
			break
		}
		path, t = path+"."+m.name, m.typ
		if g.IntN(200) == 0 {
			path += ".Wrong"
		}
		if !m.works() {
			break
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
		for _, m := range members(t, t != nil && t.Kind() == reflect.Pointer || g.wrong(2)) {
			if len(m.params) > 0 {
				with = append(with, m)
			}
		}
		if len(with) == 0 {
			continue
		}
		m := pick(g, with...)
		return g.call(v.name+path+"."+m.name, g.arguments(dot, depth, m.params, m.f.IsVariadic())), m.typ
	}
	return ".", dot
}
