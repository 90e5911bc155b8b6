package plan_test

import (
	"errors"
	"fmt"
	"html/template"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	texttemplate "text/template"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/pages/plan"
)

// data is what the templates of the tests render.
type data struct {
	S, Empty     string
	Special, URL string
	N            int
	N8           int8
	U            uint
	U8           uint8
	Ptr          uintptr
	F            float64
	C            complex128
	B            bool
	Named        named
	NamedInt     namedInt
	Stringer     stringer
	PtrStringer  ptrStringer
	Err          error
	NilErr       error
	HTML         template.HTML
	JS           template.JS
	CSS          template.CSS
	SafeURL      template.URL
	Bytes        []byte
	List         []string
	NoList       []string
	Any          any
	AnyNil       any
	Anys         []any
	PS           *string
	PNil         *string
	PP           **string
	Inner        inner
	PInner       *inner
	NilInner     *inner
	Rows         []inner
	PRows        []*inner
	Arr          [3]int
	M            map[string]string
	MAny         map[string]any
	MInt         map[int]string
	MNamed       map[named]int
	MKeys        map[any]string
	MNil         map[string]string
	Fn           func(int) string
	NilFn        func()
	Chan         chan int
	Seq          iter.Seq[int]
	Seq2         iter.Seq2[string, int]
	embedded     // promoted
	*deep        // nil
	hidden       string
	calls        *[]string
}

type (
	named       string
	namedInt    int
	stringer    struct{ s string }
	ptrStringer struct{ s string }
	embedded    struct{ Promoted string }
	deep        struct{ Deep string }
	inner       struct {
		Name string
		More map[string]int
		Next *inner
		log  *[]string
	}
)

func (s stringer) String() string     { return "<" + s.s + ">" }
func (s *ptrStringer) String() string { return "&" + s.s }
func (i inner) Hello() string         { i.note("Hello"); return "hello <" + i.Name + ">" }
func (i *inner) Rename() string       { return "renamed " + i.Name }
func (i *inner) IsNil() bool          { return i == nil }
func (i inner) Self() inner           { return i }
func (i inner) note(what string) {
	if i.log != nil {
		*i.log = append(*i.log, what)
	}
}
func (d data) Add(a, b int) int                    { return a + b }
func (d data) Join(sep string, s ...string) string { return strings.Join(s, sep) }
func (d data) Fails() (string, error)              { return "half", errors.New("it fails") }
func (d data) Works() (string, error)              { return "works", nil }
func (d data) Panics() string                      { panic("it panics") }
func (d data) Three() (int, int, int)              { return 1, 2, 3 }
func (d data) Nothing()                            {}
func (d data) TakesInner(i inner) string           { return i.Name }
func (d data) TakesPtr(i *inner) string            { return fmt.Sprint(i == nil) }
func (d data) TakesAny(v any) string               { return fmt.Sprintf("%T", v) }
func (d data) TakesFloat(f float32) float32        { return f }
func (d data) TakesU8(u uint8) uint8               { return u }
func (d data) Note(s string) string                { *d.calls = append(*d.calls, s); return s }

// newData returns data that notes the calls of its methods.
func newData(calls *[]string) *data {
	s := "pointed"
	ps := &s
	c := make(chan int, 3)
	for i := range 3 {
		c <- i
	}
	close(c)
	in := inner{"In & out", map[string]int{"a": 1, "b": 2}, &inner{Name: "next"}, calls}
	return &data{
		S: "plain", Special: `<a href="x">'&amp;'+` + "\x00é\xff", URL: "https://x.test/a b?q=ü&r=%41%4", N: -12, N8: 8, U: 300, U8: 'x', F: 1.5, C: 2i, B: true, Ptr: 7,
		Named: "na<m>ed", NamedInt: 77, Stringer: stringer{"str"}, PtrStringer: ptrStringer{"ptr"}, Err: errors.New("an <error>"),
		HTML: "<b>bold</b>", JS: "alert(1)", CSS: "color: red", SafeURL: "javascript:x(1)", Bytes: []byte("<by>"),
		List: []string{"a", "<b>", "c"}, Any: "any<", Anys: []any{"x", 1, nil, []int{4, 5}, in, &in, map[string]any{"k": "v<"}},
		PS: ps, PP: &ps, Inner: in, PInner: &in, Rows: []inner{in, in}, PRows: []*inner{&in, nil}, Arr: [3]int{7, 8, 9},
		M: map[string]string{"b": "2<", "a": "1", "c": ""}, MAny: map[string]any{"nil": nil, "s": "s<", "n": 5, "m": map[string]any{"x": "deep"}, "in": in, "true": true},
		MInt: map[int]string{10: "ten", 9: "nine", -1: "minus"}, MNamed: map[named]int{"z": 1, "y": 2}, MKeys: map[any]string{"s": "string", 2: "two", 1.5: "float"},
		Fn: func(i int) string { return fmt.Sprint("fn", i) }, Chan: c,
		Seq: func(yield func(int) bool) {
			defer func() { *calls = append(*calls, "deferred") }()
			for i := range 4 {
				if !yield(i) {
					*calls = append(*calls, "stopped")
					return
				}
			}
		},
		Seq2:     func(yield func(string, int) bool) { _ = yield("one", 1) && yield("two", 2) },
		embedded: embedded{"promoted <"}, hidden: "hidden", calls: calls,
	}
}

func funcs(calls *[]string) template.FuncMap {
	note := func(s string) { *calls = append(*calls, s) }
	return template.FuncMap{
		"note":   func(s string) string { note(s); return s },
		"count":  func() int { note("count"); return len(*calls) },
		"upper":  strings.ToUpper,
		"fail":   func() (string, error) { return "", errors.New("fails") },
		"boom":   func() string { panic("boom") },
		"nilAny": func() any { return nil },
		"anyOf":  func(v any) any { return v },
		"kind":   func(v any) string { return fmt.Sprintf("%T", v) },
		"sum": func(n ...int) (sum int) {
			for _, i := range n {
				sum += i
			}
			return sum
		},
		"safe":    func(s string) template.HTML { return template.HTML(s) },
		"list":    func(v ...any) []any { return v },
		"seq":     func(n int) iter.Seq[int] { return slices.Values([]int{1, 2, 3}[:n]) },
		"errOf":   func() error { return errors.New("e<") },
		"noErr":   func() error { return nil },
		"fnOf":    func() func(...int) int { return func(n ...int) int { note("called"); return len(n) } },
		"ptr":     func(s string) *string { return &s },
		"runes":   func(r rune) string { return string(r) },
		"takesPS": func(s *string) string { return "ps" },
		"bytes":   func(n int8, f float32, u uint16) string { return fmt.Sprint(n, f, u) },
	}
}

// address matches a pointer that is printed.
var address = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// same compares the plan of a template with html/template: the page and the calls of
// functions. If html/template fails, the plan must fail as well. It returns why there is no plan.
func same(t *testing.T, text string) error {
	t.Helper()
	is := is.New(t)
	var wantCalls, calls []string
	parsed, err := template.New("page").Funcs(funcs(&wantCalls)).Parse(text)
	is.NoErr(err)
	var b strings.Builder
	want, fails := "", parsed.Execute(&b, newData(&wantCalls))
	if fails == nil {
		want = b.String()
	}
	p, err := plan.NewCompiler(plan.Funcs{Fixed: funcs(&calls)}).Compile(parsed, "page", nil)
	if err != nil {
		return err
	}
	for range 2 { // the second time with what the first one has remembered
		calls = nil
		got, err := p.Append([]byte("before "), nil, newData(&calls))
		if fails != nil {
			is.Equal(string(got), "before ") // nothing is left of the page
			is.Equal(differ(err, fails), "")
			is.Equal(calls, wantCalls)
			continue
		}
		is.NoErr(err)
		is.Equal(address.ReplaceAllString(string(got), "0x"), address.ReplaceAllString("before "+want, "0x"))
		is.Equal(calls, wantCalls)
	}
	return nil
}

func TestSameAsHTMLTemplate(t *testing.T) {
	for _, text := range []string{
		// Values in text.
		`{{.S}} {{.Empty}}| {{.Special}} {{.N}} {{.N8}} {{.U}} {{.U8}} {{.F}} {{.C}} {{.B}} {{.Ptr}}`,
		`{{.Named}} {{.NamedInt}} {{.Stringer}} {{.PtrStringer}} {{.Err}} {{.NilErr}}|`,
		`{{.HTML}} {{.JS}} {{.CSS}} {{.SafeURL}} {{.Bytes}} {{.List}} {{.Any}} {{.AnyNil}}| {{.Anys}}`,
		`{{.PS}} {{.PNil}} {{.PP}} {{.Inner}} {{.NilInner}} {{.Arr}} {{.M}} {{.MNil}}`,
		`{{.}}`, `{{.Fn}}`, `{{.Chan}}`, `{{.hidden}}`, `{{.Unknown}}`, `{{.S.Unknown}}`, `{{.Promoted}}`, `{{.Deep}}`, `{{.deep}}`,
		// Places.
		`<a title="{{.Special}}" href="{{.URL}}" class='{{.HTML}}' id={{.S}}>{{.URL}}</a><title>{{.Special}} {{.HTML}}</title><textarea>{{.Special}}</textarea>`,
		`<a href="/{{.URL}}/{{.N}}?{{.URL}}={{.N}}&x={{.Special}}#{{.S}}">`, `<a href="{{.SafeURL}}"><a href="/x/{{.SafeURL}}?{{.SafeURL}}">`,
		`<a href='{{.Special}}'><img src="{{.N}}" srcset="{{.URL}}, {{.S}} 2x"><p style="color: {{.CSS}}; {{.S}}: {{.N}}" onclick="f({{.Special}}, {{.N}})">`,
		`<script>x = {{.M}}; y = "{{.Special}}"; z = /{{.S}}/; t = {{.Inner}}</script><style>p { color: {{.S}} }</style><!-- {{.S}} -->`,
		`<input {{.S}}="x" {{.Named}}>`, `<meta http-equiv="refresh" content="1; url={{.URL}}">`, "<script>x = `a {{.S}} ${ {{.N}} }`</script>",
		`{{.Special | html}} {{html .Special}} {{html (.Special)}} {{html .MAny.none}} {{html 5}} {{urlquery .URL}} {{html .PtrStringer}} {{html .PS}} <a title="{{.Special | html}}" href="?{{.URL | urlquery}}">{{print "<" .N | html}}`,
		`{{js .Special}} {{print .S .N .Special}} {{printf "%q %05d %v" .S .N .List}} {{println .B}}`,
		// Fields, methods, maps.
		`{{.Inner.Name}} {{.PInner.Name}} {{.Inner.Next.Name}} {{.Inner.Next.Next}} {{.Inner.More.a}} {{.Inner.More.none}}`,
		`{{.Inner.Hello}} {{.PInner.Hello}} {{.Inner.Rename}} {{.PInner.Rename}} {{.Inner.Self.Self.Name}} {{.Inner.Self.Rename}}`,
		`{{.PInner.IsNil}} {{.NilInner.IsNil}}`, `{{.NilInner.Name}}`, `{{.NilInner.Hello}}`, `{{.Inner.Next.Next.Name}}`,
		`{{.MAny.s}} {{.MAny.n}} {{.MAny.nil}}| {{.MAny.none}}| {{.MAny.none.deeper}}| {{.MAny.m.x}} {{.MAny.m.y.z}} {{.MAny.in.Hello}}`, `{{.MAny.nil.x}}`, `{{.MAny.s.x}}`,
		`{{.MNamed.z}}`, `{{.MKeys.s}}`, `{{.MInt.x}}`, `{{.AnyNil.x}}`, `{{.NilErr.Error}}`, `{{.Err.Error}}`, `{{.Any.x}}`,
		`{{.Add 1 2}} {{.Add .N 2}} {{2 | .Add 1}} {{.Join "," "a" "b"}} {{.Join "-"}} {{.S | .Join "-" "x"}} {{.Works}}`,
		`{{.Fails}}`, `{{.Panics}}`, `{{.Three}}`, `{{.Nothing}}`, `{{.Add 1}}`, `{{.Add 1 2 3}}`, `{{.Add "1" 2}}`, `{{.Add nil 1}}`, `{{.Add 1.0 1}}`, `{{.Add 1.5 1}}`, `{{.Add 'a' 0x10}}`, `{{.S "arg"}}`, `{{1 | .S}}`, `{{.M.a 1}}`,
		`{{.TakesInner .Inner}} {{.TakesInner .PInner}} {{.TakesPtr .PInner}} {{.TakesPtr .Inner}} {{.TakesPtr nil}} {{.TakesPtr .NilInner}}`, `{{.TakesInner .NilInner}}`, `{{.TakesInner nil}}`, `{{.TakesInner .AnyNil}}`, `{{.TakesInner .MAny.in}}`, `{{.TakesPtr .MAny.nil}}`, `{{.TakesPtr .MAny.none}}`, `{{.TakesPtr .Inner.Self}}`,
		`{{.TakesAny .S}} {{.TakesAny 1}} {{.TakesAny 1.0}} {{.TakesAny 'a'}} {{.TakesAny 2i}} {{.TakesAny true}} {{.TakesAny nil}} {{.TakesAny .AnyNil}} {{.TakesAny .MAny.none}} {{.TakesAny .Any}}`,
		`{{.TakesFloat 1}} {{.TakesFloat 1.5}} {{.TakesU8 200}} {{.TakesU8 300}} {{.TakesU8 'a'}}`, `{{.TakesU8 -1}}`,
		`{{(index .Rows 0).Hello}} {{(.Inner).Name}} {{(anyOf .Inner).Name}} {{(.Inner.Self).Rename}}`, `{{(nilAny).X}}`, `{{("x").y}}`,
		// Functions.
		`{{upper .S}} {{.S | upper}} {{upper (printf "%d" .N)}} {{sum}} {{sum 1 2}} {{3 | sum 1 2}} {{note "a"}} {{count}} {{count}} {{safe .Special}}`,
		`{{fail}}`, `{{boom}}`, `{{nilAny}}|`, `{{kind nilAny}} {{kind (nilAny)}} {{kind .AnyNil}} {{nilAny | kind}} {{.MAny.none | kind}} {{kind .PInner}}`, `{{upper .Named}}`, `{{upper .N}}`, `{{upper .PS}} {{upper .PP}}`, `{{upper .PNil}}`, `{{upper .MAny.none}}`, `{{upper nilAny}}`, `{{upper .Any}} {{upper .MAny.s}}`,
		`{{errOf}} {{noErr}}| {{ptr "x<"}} {{list 1 "a<" nil}} {{runes 'x'}}`, `{{takesPS .S}} {{takesPS .PS}} {{takesPS nil}}`, `{{bytes 300 2 70000}}`, `{{bytes 1 1 -1}}`, `{{upper "lit" | printf "%s-%s" (upper "x")}}`,
		`{{printf "%v %v" (note "x") (note "y")}} {{note "z" | printf "%s%s" (note "w")}}`, `{{printf "%d%%" .N}}`, `{{call .Fn 3}} {{call fnOf 1 2}} {{call (fnOf)}} {{3 | call .Fn}}`, `{{call .Fn "x"}}`, `{{call nil}}`, `{{call .NilFn}}`, `{{call .S}}`,
		// and, or, not, comparisons.
		`{{and true .S}} {{and .Empty (note "no")}}| {{or .S (note "no")}} {{or .Empty (note "yes")}} {{and 1 2 3}} {{or 0 "" .N}} {{.S | and true}} {{.S | or .Empty}} {{and (note "a") (note "b") (note "c")}}`,
		`{{not .S}} {{not .Empty}} {{not nilAny}} {{not .MAny.none}} {{not .MAny.nil}} {{not 0}} {{not .Inner}} {{not .Arr}} {{not .C}} {{not .F}} {{not .Fn}} {{not .NilFn}} {{not .Chan}} {{not .MNil}} {{not .AnyNil}}`,
		`{{eq .S "plain"}} {{eq .N -12}} {{eq .U 300}} {{eq .N8 .U8}} {{eq .F 1.5}} {{eq .B true}} {{eq .C 2i}} {{eq .S "x" "plain"}} {{eq .Named "na<m>ed"}} {{eq .AnyNil nil}} {{eq .NilErr nil}} {{eq nil .S}}`,
		`{{eq .S 1}}`, `{{eq .F 1}}`, `{{eq .List .List}}`, `{{eq .Inner .Inner}}`, `{{eq .Stringer .Stringer}}`, `{{eq .PInner .PInner}} {{eq .NilInner .PInner}} {{eq .NilInner nil}} {{eq .NilFn nil}} {{eq .MNil nil}} {{eq .M nil}}`, `{{eq .Arr .Arr}} {{eq .Any "any<"}} {{eq .MAny.n 5}} {{eq .MAny.none nil}} {{eq .MAny.none 1}} {{eq 1 1 "x"}}`, `{{eq 1 2 "x"}}`, `{{eq 1}}`, `{{1 | eq 1}}`,
		`{{ne .S "x"}} {{ne 1 1}} {{lt 1 2}} {{lt .N .U}} {{lt .U .N}} {{le 1 1}} {{gt 2 1}} {{ge 1 2}} {{lt "a" "b"}} {{lt 1.5 2.5}} {{ge .F 1.5}} {{le .U8 .N8}} {{gt .U .N}}`, `{{lt 1 "x"}}`, `{{lt true false}}`, `{{lt 1 1.5}}`, `{{lt nil 1}}`, `{{ne nil nil}}`, `{{le .AnyNil 1}}`,
		// len, index, slice.
		`{{len .S}} {{len .List}} {{len .M}} {{len .Arr}} {{len .Chan}} {{len .NoList}} {{len .Any}} {{len .PS}} {{.List | len}}`, `{{len .N}}`, `{{len nil}}`, `{{len .PNil}}`, `{{len .AnyNil}}`, `{{len 3}}`,
		`{{index .List 1}} {{index .Arr 2}} {{index .M "a"}} {{index .M "none"}}| {{index .MInt 10}} {{index .MAny "s"}} {{index .MAny "none"}}| {{index .MKeys 2}} {{index .S 0}} {{index .MNamed "z"}}`, `{{index .MAny "m" "x"}} {{index .Anys 3 1}} {{index .List .U8}}`, `{{index .List 0x1}} {{index .List}} {{1 | index .List}} {{(index .Rows 1).Rename}}`, `{{index .MInt .N8}}| {{index .MInt .NamedInt}}|`,
		`{{index .List 9}}`, `{{index .List -1}}`, `{{index .List "x"}}`, `{{index .M 1}}`, `{{index nil 1}}`, `{{index .N 1}}`, `{{index .PNil 1}}`, `{{index .M nil}}`, `{{index .MKeys nil}}|`, `{{index .List nil}}`, `{{index .MNil "x"}}|`,
		`{{slice .S 1 3}} {{slice .List 1}} {{slice .List}} {{.S | slice}} {{slice .Bytes 1 2 3}}`, `{{slice .Arr 1}}`, `{{slice .S 1 2 3}}`, `{{slice .S 9}}`, `{{slice nil}}`,
		// Variables.
		`{{$x := .S}}{{$x}} {{$x = "y"}}{{$x}} {{$x := 3}}{{$x}} {{$.S}} {{$}}`, `{{$x := .Inner}}{{$x.Name}} {{$x.Hello}} {{$x.Next.Name}}`, `{{$x := 1}}{{if true}}{{$x = 2}}{{$x := 3}}{{$x}}{{end}}{{$x}}`,
		`{{$x := 1}}{{if true}}{{$x := 2}}{{else}}{{$x}}{{end}}{{$x}}`, `{{$x := 1}}{{if false}}{{$x := 2}}{{else}}{{$x}}{{end}}{{$x}}`, `{{$x := 0}}{{range .List}}{{$x = .}}{{end}}{{$x}}`, `{{$n := 0}}{{range $i, $e := .List}}{{$n = $i}}{{end}}{{$n}}`, `{{$ = 5}}{{$}}`, `{{$x := nilAny}}{{$x}}|{{kind $x}}`,
		`{{with $x := .S}}{{$x}}{{.}}{{end}}`, `{{with $x := .Empty}}{{$x}}{{else}}{{$x}}|{{.N}}{{end}}`, `{{if $x := .S}}{{$x}}{{.N}}{{end}}`, `{{$x := 1}}{{$y := $x}}{{$x = 2}}{{$y}}{{$x}}`, `{{$x := 0}}{{or false ($x = 1)}}{{$x}}{{and false ($x = 2)}}{{$x}}`,
		// if, with, else with.
		`{{if .S}}a{{end}}{{if .Empty}}b{{else}}c{{end}}{{if .AnyNil}}d{{else if .N}}e{{end}}{{with .Inner}}{{.Name}}{{$.S}}{{end}}{{with .Empty}}x{{else with .S}}{{.}}{{else}}z{{end}}`, `{{with .AnyNil}}{{else}}{{.S}}{{end}}`, `{{if nilAny}}x{{else}}y{{end}}`, `{{if .MAny.nil}}x{{else}}y{{end}}`, `{{with .MAny.m}}{{.x}}{{end}}`, `{{if and .S (eq .N -12)}}x{{end}}`, `{{if .NilInner}}x{{else}}y{{end}}`,
		// range.
		`{{range .List}}[{{.}}]{{end}}{{range .NoList}}x{{else}}none{{end}}{{range $i, $e := .List}}{{$i}}={{$e}}{{end}}{{range $e := .List}}{{$e}}{{end}}{{range .Arr}}{{.}}{{end}}`,
		`{{range .Rows}}{{.Hello}}{{.Rename}}{{end}}{{range .PRows}}{{if .}}{{.Rename}}{{end}}{{end}}{{range .Anys}}<{{.}}>{{end}}{{range .Anys}}{{kind .}}{{end}}`, `{{range .PRows}}{{.Name}}{{end}}`,
		`{{range .M}}{{.}}{{end}}{{range $k, $v := .M}}{{$k}}={{$v}},{{end}}{{range $k, $v := .MInt}}{{$k}}={{$v}},{{end}}{{range $k, $v := .MNamed}}{{$k}}={{$v}},{{end}}{{range .MNil}}{{else}}none{{end}}{{range $k, $v := .MAny}}{{$k}}={{$v}},{{end}}{{range $v := .MInt}}{{$v}}{{end}}`,
		`{{range .Chan}}{{.}},{{end}}`, `{{range $i, $e := .Chan}}{{$i}}{{$e}},{{else}}none{{end}}`, `{{range .Chan}}{{if eq . 1}}{{break}}{{end}}{{.}}{{end}}rest {{range .Chan}}{{.}}{{end}}`,
		`{{range .Seq}}{{.}}{{end}}`, `{{range $i := .Seq}}{{$i}}{{if eq $i 2}}{{break}}{{end}}{{end}}`, `{{range $i, $x := .Seq}}{{end}}`, `{{range $k, $v := .Seq2}}{{$k}}{{$v}}{{end}}{{range .Seq2}}{{.}}{{end}}{{range $k := .Seq2}}{{$k}}{{end}}{{range $k, $v := .Seq2}}{{break}}{{end}}`, `{{range seq 2}}{{.}}{{else}}none{{end}}{{range seq 0}}{{.}}{{else}}none{{end}}`, `{{range .Seq}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{end}}`,
		`{{range 3}}{{.}}{{end}}{{range $i := .N8}}{{$i}}{{end}}{{range 0}}{{else}}none{{end}}{{range .U8}}{{break}}{{end}}{{range .NamedInt}}{{.}}{{if gt . 3}}{{break}}{{end}}{{end}}`, `{{range $i, $e := 3}}{{end}}`, `{{range .S}}{{end}}`, `{{range .N}}x{{else}}none{{end}}`, `{{range .F}}{{end}}`, `{{range .Inner}}{{end}}`, `{{range .PNil}}{{end}}`, `{{range .AnyNil}}{{end}}`, `{{range nilAny}}{{else}}none{{end}}`, `{{range .MAny.none}}{{else}}none{{end}}`, `{{range .MAny.nil}}{{else}}none{{end}}`, `{{range .NilFn}}{{end}}`, `{{range .Fn}}{{end}}`,
		`{{range .List}}{{if eq . "<b>"}}{{continue}}{{end}}{{.}}{{end}}|{{range .List}}{{if eq . "<b>"}}{{break}}{{end}}{{.}}{{end}}|{{range $i, $e := .List}}{{range $j, $f := $.List}}{{if eq $j $i}}{{break}}{{end}}{{$f}}{{end}};{{end}}`, `{{range $i, $e := .M}}{{if eq $i "b"}}{{break}}{{end}}{{$e}}{{end}}`, `{{range .List}}{{range $.NoList}}{{else}}{{break}}x{{end}}{{.}}{{end}}|{{range .List}}{{range $.NoList}}{{else}}{{continue}}x{{end}}{{.}}{{end}}`, `{{range $x := .List}}{{else}}{{$x}}{{end}}{{range $x := .NoList}}{{else}}{{$x}}|{{end}}`, `{{$i := 9}}{{$e := 9}}{{range $i, $e = .List}}{{end}}{{$i}}{{$e}}`,
		// template.
		`{{define "row"}}<li>{{.}}{{$}}</li>{{end}}{{range .List}}{{template "row" .}}{{end}}{{template "row"}}|{{template "row" nilAny}}`, `{{define "r"}}{{.Name}}{{with .Next}}{{template "r" .}}{{end}}{{end}}{{template "r" .Inner}}`, `{{define "x"}}{{$y := 1}}{{$y}}{{end}}{{$y := 2}}{{template "x"}}{{$y}}{{template "x" $z := 3}}{{$z}}`, `{{block "b" .S}}<{{.}}>{{end}}{{template "b" 5}}`, `{{define "never"}}{{template "never" .}}{{end}}{{template "never" .}}`, `{{define "fails"}}{{fail}}{{end}}x{{template "fails"}}`,
		`{{/* a comment */}}a{{- /* another */ -}} b {{- "c" -}} d`, `a{{if false}}{{fail}}{{end}}b`, ``, `{{"lit<"}}{{1}}{{1.50}}{{true}}{{'a'}}{{0x1F}}{{1_000}}{{1e3}}{{2i}}`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(same(t, text)) // there is a plan
		})
	}
}

func TestUnplanned(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{{$x := 0}}{{and false ($x := 1)}}{{$x}}`, "a variable in parentheses"},
		{`{{18446744073709551615}}`, "is no value by itself"},
		{`{{html .S .N}}`, "several values"},
		{`{{.TakesAny 18446744073709551615}}`, "is no value by itself"},
		{`{{nil}}`, "is no value by itself"},
		{`<title>{{template "t" .}}</title>{{define "t"}}{{.S}}{{end}}`, "makes a copy"},
		{`{{if .B}}{{else}}{{upper}}{{end}}`, `"upper" gets another number of arguments`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			err := same(t, tt.text)
			is.True(err != nil)
			is.True(strings.Contains(err.Error(), tt.want)) // got: see the error
		})
	}
}

func TestFunctionsGetTheRequest(t *testing.T) {
	is := is.New(t)
	fixed := template.FuncMap{"who": func(sep string) string { return "nobody" }, "request": func() any { return nil }, "asset": func(string) (string, error) { return "", nil }}
	parsed := template.Must(template.New("page").Funcs(fixed).Parse(`{{who ": "}} {{"; " | who}} {{request}}{{if eq request "Bob"}}{{asset "fails"}}{{else}}{{asset "a.css"}}{{end}}|`))
	is.NoErr(parsed.Execute(new(strings.Builder), nil))
	c := plan.NewCompiler(plan.Funcs{Fixed: fixed, Bound: template.FuncMap{
		"who":     func(at any, sep string) string { return fmt.Sprint(at, sep, at) },
		"request": func(at any) any { return at },
		"asset": func(at any, name string) (string, error) {
			if name == "fails" {
				return "", errors.New(name)
			}
			return fmt.Sprint(" /", name, " for ", at), nil
		},
	}})
	p, err := c.Compile(parsed, "page", nil)
	is.NoErr(err)
	got, err := p.Append(nil, "Ann", nil)
	is.NoErr(err)
	is.Equal(string(got), "Ann: Ann Ann; Ann Ann /a.css for Ann|")
	got, err = p.Append(nil, nil, nil)
	is.NoErr(err)
	is.Equal(string(got), "&lt;nil&gt;: &lt;nil&gt; &lt;nil&gt;; &lt;nil&gt;  /a.css for &lt;nil&gt;|")
	_, err = p.Append(nil, "Bob", nil)
	is.Equal(err.Error(), `template: page:1:64: executing "page" at <asset "fails">: error calling asset: fails`)
}

// TestFunctionsTakeTheNamesOfOthers gives functions of the application the names of those of
// text/template, which they replace.
func TestFunctionsTakeTheNamesOfOthers(t *testing.T) {
	calls := 0
	fixed := template.FuncMap{
		"and":   func(a, b any) string { calls++; return fmt.Sprint(a, " and ", b) },
		"eq":    func(v any) string { return fmt.Sprint("eq ", v) },
		"slice": func(v reflect.Value) string { return v.Kind().String() },
		"html":  func(v any) template.HTML { return template.HTML(fmt.Sprint("<b>", v)) },
		"say":   func(s fmt.Stringer) string { return s.String() },
	}
	for _, tt := range []struct {
		text    string
		planned bool
	}{
		{`{{and false 1}} {{eq 5}} {{5 | eq}} {{slice .}} {{slice (index . 0)}} {{slice nil}} {{range .}}{{slice .}}{{say .}}{{end}}`, true},
		{`{{index . 0 | html}}`, false}, // html/template takes it for an escaper
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			data := []any{stringer{"s"}, stringer{"<t>"}}
			parsed := template.Must(template.New("page").Funcs(fixed).Parse(tt.text))
			calls = 0
			var want strings.Builder
			is.NoErr(parsed.Execute(&want, data))
			once := calls
			p, err := plan.NewCompiler(plan.Funcs{Fixed: fixed}).Compile(parsed, "page", nil)
			is.Equal(err == nil, tt.planned)
			if err == nil {
				got, err := p.Append(nil, nil, data)
				is.NoErr(err)
				is.Equal(string(got), want.String())
				is.Equal(calls, 2*once)
			}
		})
	}
}

// TestPlansAreForAllGoroutines renders values of different types through one plan at a time.
func TestPlansAreForAllGoroutines(t *testing.T) {
	is := is.New(t)
	parsed := template.Must(template.New("page").Parse(`{{.Name}} {{range .List}}{{.Name}}{{end}} <script>{{.Name}}</script>`))
	values := []any{
		struct {
			Name string
			List []inner
		}{"struct", []inner{{Name: "a"}}},
		map[string]any{"Name": "map", "List": []map[string]int{{"Name": 1}}},
		&struct {
			List []any
			Name int
		}{[]any{inner{Name: "b"}, map[string]string{"Name": "c"}}, 7},
	}
	var want []string
	for _, v := range values {
		var b strings.Builder
		is.NoErr(parsed.Execute(&b, v))
		want = append(want, b.String())
	}
	p, err := plan.NewCompiler(plan.Funcs{}).Compile(parsed, "page", nil)
	is.NoErr(err)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 300 {
				got, err := p.Append(nil, nil, values[(g+i)%3])
				if err != nil || string(got) != want[(g+i)%3] {
					t.Errorf("%v: got %s, want %s", err, got, want[(g+i)%3])
					return
				}
			}
		})
	}
	all.Wait()
}

// TestPlansShareBodies compiles two pages in one layout: they share its memory, and each has
// its own content.
func TestPlansShareBodies(t *testing.T) {
	is := is.New(t)
	c := plan.NewCompiler(plan.Funcs{})
	render := func(content string) string {
		parsed := template.Must(template.New("layout").Parse(`<main>{{template "` + content + `" .}}</main>`))
		template.Must(parsed.New(content).Parse(content + ": {{.}}"))
		is.NoErr(parsed.Execute(new(strings.Builder), nil))
		p, err := c.Compile(parsed, "layout", nil)
		is.NoErr(err)
		got, err := p.Append(nil, nil, "x")
		is.NoErr(err)
		return string(got)
	}
	is.Equal(render("one"), "<main>one: x</main>")
	is.Equal(render("two"), "<main>two: x</main>")
}

// TestPlansShareNoMore compiles templates of one name that differ in a text of the same length, in
// a function, or in the order of a text and a call.
func TestPlansShareNoMore(t *testing.T) {
	is := is.New(t)
	c := plan.NewCompiler(plan.Funcs{})
	for _, page := range []string{
		`<p>{{.Z | print}}</p>`,
		`<b>{{.Z | print}}</b>`,
		`<p>{{.Z | println}}</p>`,
		`{{template "a"}}{{if .X}}}{{if .Y}}{{template "b"}}{{end}}{{end}}`,
		`{{template "a"}}{{if .X}}{{template "b"}}{{end}}{{if .Y}}}{{end}}`,
	} {
		parsed := template.Must(template.New("page").Parse(`{{define "a"}}A{{end}}{{define "b"}}B{{end}}` + page))
		var want strings.Builder
		data := map[string]bool{"X": false, "Y": true}
		is.NoErr(parsed.Execute(&want, data))
		p, err := c.Compile(parsed, "page", nil)
		is.NoErr(err)
		got, err := p.Append(nil, nil, data)
		is.NoErr(err)
		is.Equal(string(got), want.String())
	}
}

func TestRecursionEndsWhereItDoesInTextTemplate(t *testing.T) {
	is := is.New(t)
	text := `{{define "down"}}{{if .}}{{template "down" (slice . 1)}}{{end}}{{end}}{{template "down" .}}done`
	parsed := template.Must(template.New("page").Parse(text))
	for depth, ok := range map[int]bool{10: true, 500: true} {
		var b strings.Builder
		err := parsed.Execute(&b, strings.Repeat("x", depth))
		is.Equal(err == nil, ok)
		p, err := plan.NewCompiler(plan.Funcs{}).Compile(parsed, "page", nil)
		is.NoErr(err)
		got, err := p.Append(nil, nil, strings.Repeat("x", depth))
		is.Equal(err == nil, ok)
		is.Equal(string(got), b.String())
	}
}

// TestRecursionWithoutEnd renders data that contain themselves. html/template would take
// minutes for them.
func TestRecursionWithoutEnd(t *testing.T) {
	type tree struct {
		Slice []*tree
		Seq   iter.Seq[*tree]
	}
	root := &tree{}
	root.Slice, root.Seq = []*tree{root}, func(yield func(*tree) bool) { yield(root) }
	for _, tt := range []struct{ name, loops, ends string }{
		{"slice", "{{range .Slice}}", "{{end}}"},
		{"iterator", "{{range .Seq}}", "{{end}}"},
		{"iterators in iterators", "{{range .Seq}}{{range .Seq}}{{range .Seq}}", "{{end}}{{end}}{{end}}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			parsed := template.Must(template.New("page").Parse(`{{define "down"}}` + tt.loops + "\n" + `{{template "down" .}}` + tt.ends + `{{end}}{{template "down" .}}`))
			is.NoErr(parsed.Execute(new(strings.Builder), &tree{Seq: func(func(*tree) bool) {}}))
			p, err := plan.NewCompiler(plan.Funcs{}).Compile(parsed, "page", nil)
			is.NoErr(err)
			_, err = p.Append(nil, nil, root)
			is.True(errors.Is(err, plan.ErrTooDeep))
			is.Equal(err.Error(), `template: page:2:11: executing "down" at <{{template "down" .}}>: exceeded maximum template depth: do the data contain themselves?`)
		})
	}
}

// TestErrors shows the errors of pages that fail, which are those of html/template.
func TestErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a\n  {{.Nme}}", `page:2:4: executing "page" at <.Nme>: can't evaluate field Nme in type *plan_test.data`},
		{`{{.Inner.Name.X}}`, `page:1:8: executing "page" at <.Inner.Name.X>: can't evaluate field X in type string`},
		{`{{.NilInner.Name}}`, `page:1:11: executing "page" at <.NilInner.Name>: nil pointer evaluating *plan_test.inner.Name`},
		{`{{.NilErr.Error}}`, `page:1:9: executing "page" at <.NilErr.Error>: nil pointer evaluating error.Error`},
		{`{{.hidden}}`, `page:1:2: executing "page" at <.hidden>: hidden is an unexported field of struct type *plan_test.data`},
		{`{{.Deep}}`, `page:1:2: executing "page" at <.Deep>: reflect: indirection through nil pointer to embedded struct field deep`},
		{`{{.S 1}}`, `page:1:2: executing "page" at <.S>: S has arguments but cannot be invoked as function`},
		{`{{.M.a 1}}`, `page:1:4: executing "page" at <.M.a>: a is not a method but has arguments`},
		{`{{.Fails}}`, `page:1:2: executing "page" at <.Fails>: error calling Fails: it fails`},
		{`{{1 | .Add 2 | .Panics}}`, `page:1:15: executing "page" at <.Panics>: wrong number of args for Panics: want 0 got 1`},
		{`{{.Join}}`, `page:1:2: executing "page" at <.Join>: wrong number of args for Join: want at least 1 got 0`},
		{`{{.Three}}`, `page:1:2: executing "page" at <.Three>: function Three has 3 return values; should be 1 or 2`},
		{`{{.Panics}}`, `page:1:2: executing "page" at <.Panics>: error calling Panics: it panics`},
		{`{{boom | upper}}`, `page:1:2: executing "page" at <boom>: error calling boom: boom`},
		{`{{upper .N}}`, `page:1:8: executing "page" at <.N>: wrong type for value; expected string; got int`},
		{`{{.TakesU8 "x"}}`, `page:1:11: executing "page" at <"x">: expected unsigned integer; found "x"`},
		{`{{.TakesInner nil}}`, `page:1:14: executing "page" at <nil>: cannot assign nil to plan_test.inner`},
		{`{{.TakesInner .NilInner}}`, `page:1:14: executing "page" at <.NilInner>: dereference of nil pointer of type plan_test.inner`},
		{`{{upper .AnyNil}}`, `page:1:8: executing "page" at <.AnyNil>: wrong type for value; expected string; got interface {}`},
		{`{{slice .List 9}}`, `page:1:2: executing "page" at <slice .List 9>: error calling slice: index out of range: 9`},
		{`{{call .S 1}}`, `page:1:2: executing "page" at <call .S 1>: error calling call: non-function .S of type string`},
		{`{{call .Fn}}`, `page:1:2: executing "page" at <call .Fn>: error calling call: wrong number of args for .Fn: got 0 want 1`},
		{`{{.S | call}}`, `page:1:7: executing "page" at <call>: error calling call: non-function plain of type string`},
		{`{{lt .S 1}}`, `page:1:2: executing "page" at <lt .S 1>: error calling lt: incompatible types for comparison: string and int`},
		{`{{range .F}}{{end}}`, `page:1:8: executing "page" at <.F>: range can't iterate over 1.5`},
		{`{{range $i, $x := 3}}{{end}}`, `page:1:18: executing "page" at <3>: can't use 3 to iterate over more than one variable`},
		{`{{define "row"}}{{"é"}} {{.Name.X}}{{end}}{{range .Rows}}{{template "row" .}}{{end}}`, `page:1:32: executing "row" at <.Name.X>: can't evaluate field X in type string`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(same(t, tt.text))
			var calls []string
			parsed := template.Must(template.New("page").Funcs(funcs(&calls)).Parse(tt.text))
			parsed.Execute(new(strings.Builder), newData(&calls)) // which escapes
			p, err := plan.NewCompiler(plan.Funcs{Fixed: funcs(&calls)}).Compile(parsed, "page", nil)
			is.NoErr(err)
			_, err = p.Append(nil, nil, newData(&calls))
			is.Equal(err.Error(), "template: "+tt.want)
			is.True(errors.As(err, new(texttemplate.ExecError)))
		})
	}
}

// TestErrorsWrapThoseOfFunctions: what a function or method fails with can be found in the
// error of the page, and an iterator that panics is not caught.
func TestErrorsWrapThoseOfFunctions(t *testing.T) {
	is := is.New(t)
	lost := errors.New("lost")
	funcs := template.FuncMap{
		"fails":  func() (string, error) { return "", lost },
		"panics": func() string { panic(lost) },
		"value":  func() any { return panicsAsJSON{lost} },
		"same":   func(v any) any { return v },
		"fn":     func() any { return func() (int, error) { return 0, lost } },
		"rows":   func() iter.Seq[int] { return func(func(int) bool) { panic(lost) } },
	}
	render := func(text string) error {
		parsed := template.Must(template.New("page").Funcs(funcs).Parse(text))
		parsed.Execute(failingWriter{}, nil)
		p, err := plan.NewCompiler(plan.Funcs{Fixed: funcs}).Compile(parsed, "page", nil)
		is.NoErr(err)
		_, err = p.Append(nil, nil, nil)
		return err
	}
	for _, text := range []string{`{{fails}}`, `{{panics}}`, `{{call fn}}`, `{{range 2}}{{len fails}}{{end}}`, `<script>x = {{value}}</script>`} {
		is.True(errors.Is(render("x"+text), lost))
	}
	is.Equal(render("x\n<script>x = {{value}}</script>").Error(), `template: page:2:14: executing "page" at <value>: error calling _html_template_jsvalescaper: lost`)
	is.Equal(render("<script>x = {{(value) | same}}</script>").Error(), `template: page:1:14: executing "page" at <(value) | same>: error calling _html_template_jsvalescaper: lost`)
	defer func() { is.Equal(recover(), lost) }()
	render("x{{range rows}}{{end}}")
}

type panicsAsJSON struct{ with error }

func (p panicsAsJSON) MarshalJSON() ([]byte, error) { panic(p.with) }
