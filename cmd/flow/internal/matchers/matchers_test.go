package matchers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

// read returns what some code says, which stands in a function of a file that imports flow.
func read(t *testing.T, code, declarations string) *Set {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n\nimport \"example.com/flow\"\n\n"+declarations+"\n\nfunc init() {\n"+code+"\n}\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &Set{}
	s.Read([]*ast.File{f})
	return s
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ code, declarations, want string }{
		{`r.Matchers = map[string]func(string) bool{"lang": flow.OneOf("de", "fr"), "sku": isSKU}`, "", "lang de|fr, sku ?"},
		{`r.Matchers["lang"] = flow.OneOf("de")`, "", "lang de"},
		{`r.Matchers = table{"lang": flow.OneOf()}`, "", "lang "},
		{`app.Router.Matchers = all`, `var all = map[string]func(string) bool{"lang": flow.OneOf(languages...)}; var languages = []string{"de", french}; const french = "fr"`, "lang de|fr"},
		{`r.Matchers = map[string]func(string) bool{lang: isLang}`, `const lang = "lang"; var isLang = flow.OneOf("de")`, "lang de"},
		{`r.Matchers = map[string]func(string) bool{"lang": isLang}; isLang = nil`, `var isLang = flow.OneOf("de")`, "lang ?"},
		{`r.Matchers = map[string]func(string) bool{"lang": flow.OneOf(languages...)}; languages[0] = "it"`, `var languages = []string{"de"}`, "lang ?"},
		{`r.Matchers = map[string]func(string) bool{"lang": flow.OneOf(languages...)}`, `func f(languages []string) {}; var languages = []string{"de"}`, "lang ?"},
		{`r.Matchers = map[string]func(string) bool{"lang": other.OneOf("de")}`, "", "lang ?"},
		{`r.Matchers = map[string]func(string) bool{"lang": flow.OneOf("de", f())}`, "", "lang ?"},
		{`r.Matchers = map[string]func(string) bool{"lang": flow.OneOf(f()...)}`, "", "lang ?"},
		{`r.Matchers["lang"] = flow.OneOf("de"); s.Matchers["lang"] = flow.OneOf("fr")`, "", "lang ?"},
		{`r.Matchers["lang"] = flow.OneOf("de"); s.Matchers["lang"] = flow.OneOf("de")`, "", "lang de"},
		{`r.Matchers[name] = flow.OneOf("de")`, "", "and others"},
		{`r.Matchers = tables()`, "", "and others"},
		{`r.Matchers, err = tables()`, "", "and others"},
		{`maps.Copy(r.Matchers, more)`, "", "and others"},
		{`fill(&r.Matchers)`, "", "and others"},
		{`for name, m := range r.Matchers { print(name, m) }`, "", ""},
		{`r.Funcs = template.FuncMap{"lang": flow.OneOf("de")}`, "", ""},
	} {
		t.Run(tt.code, func(t *testing.T) {
			is := is.New(t)
			s := read(t, tt.code, tt.declarations)
			var got []string
			for _, name := range slices.Sorted(maps.Keys(s.lists)) {
				values := "?"
				if list := s.Values(name); list != nil {
					values = strings.Join(list, "|")
				}
				got = append(got, name+" "+values)
			}
			if s.open {
				got = append(got, "and others")
			}
			is.Equal(strings.Join(got, ", "), tt.want)
		})
	}
}

// A name other than flow, or none, is read like it.
func TestReadImport(t *testing.T) {
	is := is.New(t)
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n\nimport web \"example.com/flow\"\n\nfunc init() { r.Matchers[\"a\"] = web.OneOf(\"x\"); r.Matchers[\"b\"] = flow.OneOf(\"x\") }\n", 0)
	is.NoErr(err)
	s := &Set{}
	s.Read([]*ast.File{f})
	is.Equal(s.Values("a"), []string{"x"})
	is.Equal(s.Values("b"), nil)
	is.True(!s.Lacks("b"))
	is.True(s.Lacks("c"))
	is.True(!s.Lacks("int"))
}

func TestFill(t *testing.T) {
	for _, tt := range []struct{ code, file, want string }{
		{`r.Matchers["lang"] = flow.OneOf("de", "fr")`, "[lang=lang].html", "true false"},
		{`r.Matchers["lang"] = isLang`, "[lang=lang].html", "unknown"},
		{`r.Matchers = tables()`, "[lang=lang].html", "unknown"},
		{`r.Matchers["int"] = isNumber`, "[n=int].html", "unknown"},
		{`r.Matchers["int"] = flow.OneOf("de")`, "[n=int].html", "true false"},
		{"", "[n=slug].html", "true true"},
		{"", "[lang=lang].html", `router/[lang=lang].html: no matcher is called "lang": there are date, int, slug and uuid; add others to Router.Matchers`},
		{`r.Matchers["lang"] = isLang`, "[lang=langs].html", `router/[lang=langs].html: no matcher is called "langs": did you mean "lang"?`},
	} {
		t.Run(tt.code+" "+tt.file, func(t *testing.T) {
			is := is.New(t)
			tree := routetree.Parse(flowtest.Files("router/"+tt.file), nil)
			faults := read(t, tt.code, "").Fill(tree, nil)
			got := "unknown" // also after a fault: another module may add the matcher
			if m := tree.Routes[0].Patterns[0].Segments[0].Matcher; m.Fits != nil {
				got = fmt.Sprint(m.Fits("de"), m.Fits("it"))
			}
			if len(faults) > 0 {
				is.Equal(got, "unknown")
				got = fault.Join(faults).Error()
			}
			is.Equal(got, tt.want)
		})
	}
}

func TestMayMatch(t *testing.T) {
	for _, tt := range []struct {
		file, path string
		want       bool
	}{
		{"index.html", "", true},
		{"index.html", "a", false},
		{"users/[id].html", "users/7", true},
		{"users/[id].html", "users", false},
		{"users/[id=int].html", "users/\x00", true},
		{"users/[id].html", "\x00/7", false},
		{"users/[id].html", "teams/7", false},
		{"users/[id].html", "users/7/edit", false},
		{"[lang=lang]/help.html", "de/help", true},
		{"[lang=lang]/help.html", "it/help", false},
		{"[sku=sku].html", "any", true}, // no value of which is known
		{"docs/[...path].html", "docs/a/b", true},
		{"docs/[...path].html", "docs", false},
		{"docs/[...path=lang].html", "docs/de/fr", true},
		{"docs/[...path=lang].html", "docs/de/it", false},
	} {
		t.Run(tt.file+" "+tt.path, func(t *testing.T) {
			is := is.New(t)
			tree := routetree.Parse(flowtest.Files("router/"+tt.file), nil)
			set := read(t, `r.Matchers["lang"] = flow.OneOf("de", "fr")`, "")
			set.Fill(tree, nil)
			path := strings.FieldsFunc(tt.path, func(c rune) bool { return c == '/' })
			is.Equal(MayMatch(tree.Routes[0].Patterns[0].Segments, path), tt.want)
		})
	}
}
