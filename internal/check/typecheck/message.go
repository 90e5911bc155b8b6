package typecheck

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
	"unicode"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
)

// A Pos is where a word stands in a template file.
type Pos struct {
	File   string
	Line   int // from 1
	Column int // in bytes, from 1
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// A Problem is an expression that fails whenever it is reached.
type Problem struct {
	Pos             // of the word that is wrong: for .User.Nme the N
	Template string // the name of the template that it stands in
	Expr     string // the expression, without braces
	Text     string // what is wrong about it, and what may be meant
	// Call is the {{template}} whose dot the expression works with, if that is not the dot
	// of the template that was checked.
	Call Pos
	// In is where the expression stands, if it works with a constant that stands elsewhere. The
	// constant is wrong then.
	In Pos
}

// String returns the whole problem, as in
//
//	router/users.html:2:19: {{.Nme}}: app.user has no field or method Nme: did you mean "Name"?
func (p Problem) String() string {
	in := ""
	if p.In != (Pos{}) {
		in = " in " + p.In.String()
	}
	text := fmt.Sprintf("%s: {{%s}}%s: %s", p.Pos, p.Expr, in, p.Text)
	if p.Call != (Pos{}) {
		text += ", with the dot of " + p.Call.String()
	}
	return text
}

// A Shared is a problem that several pages have: it stands in a layout or a partial.
type Shared struct {
	Problem
	Pages []string
}

// Merge returns the problems of all pages, each place once, in order of position. The text
// is that of the first page.
func Merge(pages map[string][]Problem) []Shared {
	at := map[Pos]*Shared{}
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		for _, p := range pages[page] {
			s := at[p.Pos]
			if s == nil {
				s = &Shared{Problem: p}
				at[p.Pos] = s
			}
			if !slices.Contains(s.Pages, page) {
				s.Pages = append(s.Pages, page)
			}
		}
	}
	merged := make([]Shared, 0, len(at))
	for _, s := range at {
		merged = append(merged, *s)
	}
	slices.SortFunc(merged, func(a, b Shared) int { return a.Pos.compare(b.Pos) })
	return merged
}

// A word is a name in an expression, about which a problem is told.
type word struct {
	expr  parse.Node // the expression, with all arguments
	node  parse.Node // the part of it that the name stands in
	name  string
	index int // of the name in namesOf the node, or wholeVariable
}

// report adds a problem.
func (b *body) report(w word, format string, args ...any) {
	b.problems = append(b.problems, b.finding(w, fmt.Sprintf(format, args...)))
}

// reportUndefined reports a variable that was declared in another branch only, or that =
// assigns without a declaration. The parser lets both pass.
func (b *body) reportUndefined(n *parse.VariableNode) {
	b.report(word{expr: n, node: n, index: wholeVariable}, "%s is not declared here: it takes a := that stands before, in this or a surrounding block", n.Ident[0])
}

func (b *body) finding(w word, text string) finding {
	p := Problem{Pos: b.pos(w), Template: b.name, Expr: w.expr.String(), Text: text}
	if b.from != nil {
		p.Call = b.pos(word{node: b.from})
	}
	return finding{p, w.expr}
}

// wholeVariable is the index that means $x itself, in $x.A.B.
const wholeVariable = -1

// namesOf returns the names behind the dots of a node.
func namesOf(n parse.Node) []string {
	switch n := n.(type) {
	case *parse.FieldNode:
		return n.Ident
	case *parse.VariableNode:
		return n.Ident[1:]
	case *parse.ChainNode:
		return n.Field
	}
	return nil
}

// pos returns where a word stands.
func (b *body) pos(w word) Pos {
	where, _ := b.set.Trees[b.name].ErrorContext(w.node)
	where, column := cutLast(where)
	file, line := cutLast(where)
	p := Pos{file, line, column + 1}
	names := namesOf(w.node)
	// The parser puts .A at its dot, but .A.B at the second one. It puts $x.A.B and (x).A.B
	// at the first, which stands behind another word.
	switch n := w.node.(type) {
	case *parse.FieldNode:
		if len(names) > 1 {
			p.Column -= len(names[0]) + 1
		}
	case *parse.VariableNode:
		if len(names) > 0 && w.index == wholeVariable {
			p.Column -= len(n.Ident[0])
		}
	}
	if len(names) > 0 && w.index != wholeVariable {
		p.Column++ // behind the first dot
		for _, name := range names[:w.index] {
			p.Column += len(name) + 1
		}
	}
	return p
}

// cutLast splits "x:12" into x and 12.
func cutLast(s string) (string, int) {
	i := strings.LastIndexByte(s, ':')
	n, _ := strconv.Atoi(s[i+1:])
	return s[:i], n
}

// lastWord returns the word of n, a part of expr, that says most about its value.
func lastWord(expr, n parse.Node) word {
	if p, ok := n.(*parse.PipeNode); ok {
		return lastWord(expr, p.Cmds[len(p.Cmds)-1].Args[0])
	}
	return word{expr: expr, node: n, index: len(namesOf(n)) - 1}
}

// String describes a value in a message.
func (v value) String() string {
	switch {
	case v.absent == yes:
		return "nothing"
	case v.typ == nil:
		return "any"
	}
	return short(v.typ)
}

// short returns the name of a type, or its kind if it has none that people want to read.
func short(t reflect.Type) string {
	if name := pathsOfPackages.ReplaceAllString(t.String(), "$1"); len(name) < 60 {
		return name
	}
	return "a " + t.Kind().String() + " without a name"
}

// pathsOfPackages matches the paths in front of the packages of arguments of a type, as in
// flow.Entry[example.com/app.front].
var pathsOfPackages = regexp.MustCompile(`([\[,*\]])[^\[\],*]*/`)

// noMember says why a value has no field or method of the name of a word.
func noMember(t reflect.Type, addressable bool, w word, m language.Member) string {
	name, names := w.name, members(t, addressable)
	meant := name
	for _, member := range slices.Sorted(maps.Keys(names)) {
		if strings.EqualFold(member, name) { // {{.Url}} is .URL, though two of three letters differ
			meant = member
		}
	}
	hint := fault.Suggest(meant, names, "")
	if field := oneWith(t, addressable, name); field != "" {
		hint = fmt.Sprintf(": did you mean %q?", w.through(field))
	}
	switch {
	case m.Kind == language.Unexported && hint == "":
		return fmt.Sprintf("%s.%s is not exported: templates see only names that begin with a capital letter", short(t), name)
	case m.Kind == language.Unexported:
		return fmt.Sprintf("%s.%s is not exported%s", short(t), name, hint)
	case language.Lookup(t, true, name).Kind == language.Method:
		return fmt.Sprintf("%s is a method of *%s, and this is no pointer: give a pointer", name, short(t))
	case t.Kind() == reflect.Map:
		return fmt.Sprintf("%s has no strings as keys, and no method %s%s", short(t), name, hint)
	case t.Kind() == reflect.Struct && hint == "" && !unicode.IsUpper([]rune(name)[0]):
		hint = ": only a map has such a name, as dict makes one"
	}
	return fmt.Sprintf("%s has no field or method %s%s", short(t), name, hint)
}

// oneWith returns the field of a struct whose value has a field or a method of a name, as the
// field Value of a flow.Form has those of the input. It returns "" if there is not exactly one.
func oneWith(t reflect.Type, addressable bool, name string) (field string) {
	if t.Kind() != reflect.Struct {
		return ""
	}
	for f := range t.Fields() {
		of, addressable := f.Type, addressable
		for of.Kind() == reflect.Pointer {
			of, addressable = of.Elem(), true
		}
		if m := language.Lookup(of, addressable, name); !f.IsExported() || m.Kind != language.Field && m.Kind != language.Method {
			continue
		}
		if field != "" {
			return ""
		}
		field = f.Name
	}
	return field
}

// through returns the expression up to the word, with a field before it: for the Name of
// .Form.Name.First and the field Value, it is ".Form.Value.Name".
func (w word) through(field string) string {
	names := namesOf(w.node)
	of := strings.TrimSuffix(w.node.String(), "."+strings.Join(names, "."))
	names = slices.Insert(slices.Clone(names[:w.index+1]), w.index, field)
	return of + "." + strings.Join(names, ".")
}

// members returns the names that templates may ask a value for.
func members(t reflect.Type, addressable bool) map[string]bool {
	names := map[string]bool{}
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if f.IsExported() {
				names[f.Name] = true
			}
		}
	}
	if addressable {
		t = reflect.PointerTo(t)
	}
	for i := range t.NumMethod() {
		names[t.Method(i).Name] = true
	}
	return names
}

// wrongCall says why text/template does not call a function with so many arguments, or "".
func wrongCall(name string, f reflect.Type, given int) string {
	switch {
	case language.Takes(f, given):
		return ""
	case language.TakesCount(f, given):
		return name + " does not return one value, or one and an error"
	}
	fixed, least, s := f.NumIn(), "", "s"
	if f.IsVariadic() {
		fixed, least = fixed-1, "at least "
	}
	if fixed == 1 {
		s = ""
	}
	return fmt.Sprintf("%s takes %s%d argument%s, and gets %d", name, least, fixed, s, given)
}

// cannotCompare says that two values cannot be compared.
func cannotCompare(a, b value) string {
	j, k := language.Basic(a.typ.Kind()), language.Basic(b.typ.Kind())
	hint := ""
	if j == language.Float && k.IsInteger() || k == language.Float && j.IsInteger() {
		hint = ": a constant is a float if it is written with a point, as in 1.0"
	}
	return fmt.Sprintf("%s and %s cannot be compared%s", a, b, hint)
}
