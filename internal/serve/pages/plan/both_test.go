package plan_test

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/pages/plan"
	"example.com/flow/internal/testkit/zoo"
)

// A both is a template, ready to be rendered by html/template and by a Program.
type both struct {
	source string
	html   *template.Template
	plan   *plan.Program // nil if html/template must render it
	reason error         // why
}

// at is the request of all executions.
const at = "the request"

// newBoth parses a template, and has html/template escape it. It returns an error if either
// of these fails, so that there is nothing to compare.
func newBoth(source string, funcs plan.Funcs) (*both, error) {
	t, err := template.New("main").Funcs(funcs.Fixed).Funcs(withoutFirst(funcs.Bound)).Parse(source)
	if err != nil {
		return nil, err
	}
	sources := map[string]*parse.Tree{}
	for _, t := range t.Templates() {
		if t.Tree != nil {
			sources[t.Name()] = t.Tree.Copy()
		}
	}
	var wrong *template.Error
	if err := execute(t, failingWriter{}, nil); errors.As(err, &wrong) { // the first execution escapes
		return nil, err
	}
	b := &both{source: source, html: t}
	b.plan, b.reason = plan.NewCompiler(funcs).Compile(t, "main", sources)
	return b, nil
}

// A failingWriter ends an execution at its first write.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// withoutFirst returns functions that pass at to others as their first argument.
func withoutFirst(bound template.FuncMap) template.FuncMap {
	funcs := template.FuncMap{}
	for name, f := range bound {
		v := reflect.ValueOf(f)
		t := v.Type()
		in := slices.Collect(t.Ins())[1:]
		without := reflect.FuncOf(in, slices.Collect(t.Outs()), t.IsVariadic())
		funcs[name] = reflect.MakeFunc(without, func(args []reflect.Value) []reflect.Value {
			args = append([]reflect.Value{reflect.ValueOf(at)}, args...)
			if t.IsVariadic() {
				return v.CallSlice(args)
			}
			return v.Call(args)
		}).Interface()
	}
	return funcs
}

// limited is a buffer for pages that are not too long. Loops in loops may make longer ones.
type limited struct{ bytes.Buffer }

var errTooLong = errors.New("too long")

func (l *limited) Write(p []byte) (int, error) {
	if l.Len() > 100_000 {
		return 0, errTooLong
	}
	return l.Buffer.Write(p)
}

// execute executes a template. A panic is an error.
func execute(t *template.Template, w io.Writer, data any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return t.Execute(w, data)
}

// append renders by the Program. A panic is an error.
func (b *both) append(dst []byte, data any) (page []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return b.plan.Append(dst, at, data)
}

// A rendering is what came of one execution.
type rendering struct {
	page  string
	err   error
	calls []string // what functions and methods of the application were called with, in order
}

// render renders data both ways, and reports what differs. data is called before each
// execution, so that it is the same for both. It returns the rendering of html/template.
func (b *both) render(t testing.TB, data func() any) rendering {
	t.Helper()
	var page limited
	d := data()
	want := rendering{err: execute(b.html, &page, d)}
	want.page, want.calls = page.String(), slices.Clone(zoo.Log.Calls)
	if b.plan == nil || want.err == errTooLong {
		return want
	}

	const before = "what was there"
	d = data()
	text, err := b.append([]byte(before), d)
	got := rendering{string(text), err, slices.Clone(zoo.Log.Calls)}
	switch {
	case got.err != nil && want.err == nil:
		b.report(t, "the Program fails (%v), html/template does not:\n%q", got.err, want.page)
	case got.err == nil && want.err != nil:
		b.report(t, "the Program gives a page, html/template fails: %v\n%q", want.err, got.page)
	case want.err == nil && !alike(got.page, before+want.page):
		g, w := pointer.ReplaceAllString(got.page, "0x"), pointer.ReplaceAllString(before+want.page, "0x")
		i := 0
		for i < min(len(g), len(w)) && g[i] == w[i] {
			i++
		}
		b.report(t, "the pages differ after %.200q:\n%.200q, and of html/template\n%.200q", g[max(0, i-200):i], g[i:], w[i:])
	case !slices.EqualFunc(got.calls, want.calls, alike):
		b.report(t, "the calls differ:\n%q, and of html/template\n%q", got.calls, want.calls)
	}
	if got.err != nil && want.err != nil {
		if difference := differ(got.err, want.err); difference != "" {
			b.report(t, "%s", difference)
		}
	}
	return want
}

// failure matches an error: its place, the template, the expression, and the reason.
var failure = regexp.MustCompile(`(?s)^template: (.*?:\d+:\d+): executing (".*?") at <(.*?)>: ([^<>].*)$`)

// differ tells in what the error of a Program differs from that of html/template, if it does. That
// of html/template sometimes names a part of the expression that fails: "x" in ("x").y. It has
// no place for an escaper that fails, since it calls a method of the value. Of templates without
// end a Program also says what may be wrong.
func differ(got, want error) string {
	g := failure.FindStringSubmatch(pointer.ReplaceAllString(got.Error(), "0x"))
	w := failure.FindStringSubmatch(pointer.ReplaceAllString(want.Error(), "0x"))
	switch {
	case g == nil || w == nil:
		if alike(got.Error(), want.Error()) { // a panic, or an error with addresses
			return ""
		}
	case errors.Is(got, plan.ErrTooDeep) && strings.HasPrefix(w[4], "exceeded maximum template depth"):
		return ""
	case g[2] != w[2] || g[4] != w[4]:
	case g[3] == w[3] && g[1] == w[1], g[3] != w[3] && strings.Contains(g[3], w[3]), strings.HasPrefix(w[3], "_html_template_"):
		return ""
	}
	return fmt.Sprintf("the Program fails with\n%v\nhtml/template with\n%v", got, want)
}

func (b *both) report(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Errorf("%s\n\n%s", b.source, fmt.Sprintf(format, args...))
}

// pointer matches an address, as fmt prints it.
var pointer = regexp.MustCompile(`(?i)0x[0-9a-f]{6,}(x[0-9a-f]+)*`)

// alike compares texts without their addresses, since each execution has data of its own.
func alike(a, b string) bool {
	return a == b || pointer.ReplaceAllString(a, "0x") == pointer.ReplaceAllString(b, "0x")
}

// always returns a function for both.render that always returns the same value.
func always(v any) func() any { return func() any { return v } }

// TestFunctionsInPlaceOfBuiltins renders templates whose functions have the names of those of
// text/template.
func TestFunctionsInPlaceOfBuiltins(t *testing.T) {
	given := func(name string) func(...any) string {
		return func(args ...any) string { return fmt.Sprint("<", name, args, ">") }
	}
	funcs := template.FuncMap{"eq": func(a, b int) string { return "eq" }}
	for _, name := range []string{"len", "and", "or", "not", "html", "js", "urlquery", "print", "index", "slice", "call", "printf"} {
		funcs[name] = given(name)
	}
	for _, source := range []string{
		`{{len 1}} {{and 0 1}} {{or 1 0}} {{not 1}} {{eq 1 1}} {{print}} {{index 1}} {{slice 1}} {{call 1}} {{printf 1}}`,
		`{{eq 1 2 3}}`, `{{if and 0 0}}a{{end}}{{with not 1}}{{.}}{{end}}`, `{{. | html}} {{html .}} {{. | js}} {{. | urlquery}}`,
		`<p title="{{. | html}}">{{print . | html}}</p><a href="{{. | urlquery}}">`, `<script>a = {{. | js}}</script>`,
	} {
		t.Run(source, func(t *testing.T) {
			is := is.New(t)
			b, err := newBoth(source, plan.Funcs{Fixed: funcs})
			is.NoErr(err)
			b.render(t, always("<x>"))
		})
	}
}

// TestConstants gives all kinds of constants to parameters of all kinds of types.
func TestConstants(t *testing.T) {
	funcs := template.FuncMap{}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[float64](), reflect.TypeFor[float32](), reflect.TypeFor[complex128](), reflect.TypeFor[complex64](), reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[any](),
		reflect.TypeFor[zoo.Word](), reflect.TypeFor[zoo.Level](), reflect.TypeFor[template.HTML](), reflect.TypeFor[*int](), reflect.TypeFor[[]int](), reflect.TypeFor[error](), reflect.TypeFor[map[string]int](),
	} {
		f := reflect.FuncOf([]reflect.Type{typ}, []reflect.Type{reflect.TypeFor[string]()}, false)
		funcs["f"+strconv.Itoa(len(funcs))] = reflect.MakeFunc(f, func(args []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(fmt.Sprintf("%T %[1]v", args[0].Interface()))}
		}).Interface()
	}
	for name := range funcs {
		for _, constant := range strings.Fields("0 1 -1 255 256 -129 3e2 1.0 1.5 .5 0x10 0x1p4 0x1.8p1 1e19 1e20 1e39 1e-3 9223372036854775807 9223372036854775808 18446744073709551615 -9223372036854775808 " +
			"0i 1i 2+0i 1.5+0i 1+2i 'a' '\\n' '日' \"s\" `raw` true false nil 1_000 0b1 0o7 16777217 -0 -0.0 +1") {
			for _, form := range []string{"{{%s %s}}", "{{%[2]s | %[1]s}}", "{{%s (%s)}}", "{{with $x := %[2]s}}{{%[1]s $x}}{{end}}"} {
				b, err := newBoth(fmt.Sprintf(form, name, constant), plan.Funcs{Fixed: funcs})
				if err == nil { // nil does not fit everywhere
					b.render(t, always(nil))
				}
			}
		}
	}
}
