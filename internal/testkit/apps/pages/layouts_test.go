// Package pages_test renders the pages of whole applications: in layouts, for errors, by plans, and with mistakes in
// templates.
package pages_test

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// TestLayouts renders pages in the layouts of their directories. The templates of
// each row are written "file: text", one per line.
func TestLayouts(t *testing.T) {
	for _, tt := range []struct{ name, files, target, want string }{
		{"no layout", `a.html: A`, "/a", "A"},
		{"of the root", `+layout.html: [{{template "content" .}}]
			a.html: A`, "/a", "[A]"},
		{"nested", `+layout.html: 1[{{template "content" .}}]
			x/+layout.html: 2[{{template "content" .}}]
			x/y/+layout.html: 3[{{template "content" .}}]
			x/y/z.html: Z`, "/x/y/z", "1[2[3[Z]]]"},
		{"of groups", `(a)/+layout.html: <a>{{template "content" .}}</a>
			(a)/(b)/+layout.html: <b>{{template "content" .}}</b>
			(a)/(b)/x.html: X`, "/x", "<a><b>X</b></a>"},
		{"of the directory beside the page", `admin/+layout.html: <a>{{template "content" .}}</a>
			admin/x.html: X
			admin.html: A`, "/admin", "<a>A</a>"},
		{"of index, not of its name", `index/+layout.html: <i>{{template "content" .}}</i>
			index/x.html: X
			index.html: I`, "/", "I"},
		{"a block is filled by the page", `+layout.html: <title>{{block "title" .}}site{{end}}</title>{{template "content" .}}
			a.html: {{define "title"}}mine{{end}}A`, "/a", "<title>mine</title>A"},
		{"a block is filled at every depth", `+layout.html: [{{block "title" .}}site{{end}}]{{template "content" .}}
			x/+layout.html: ({{block "title" .}}x{{end}}){{template "content" .}}
			x/a.html: {{define "title"}}mine{{end}}A`, "/x/a", "[mine](mine)A"},
		{"an inner layout fills blocks of an outer one", `+layout.html: [{{block "title" .}}site{{end}}]{{template "content" .}}
			x/+layout.html: {{define "title"}}x{{end}}{{template "content" .}}
			x/a.html: A`, "/x/a", "[x]A"},
		{"a partial of a layout has blocks", `+head.html: <title>{{block "title" .}}site{{end}}</title>
			+layout.html: {{template "+head" .}}{{template "content" .}}
			a.html: {{define "title"}}mine{{end}}A`, "/a", "<title>mine</title>A"},
		{"pages do not collide", `+layout.html: [{{block "title" .}}site{{end}}]{{template "content" .}}
			a.html: {{define "title"}}a{{end}}A
			b.html: {{define "title"}}b{{end}}B
			title.html: {{define "title"}}t{{end}}T`, "/title", "[t]T"},
		{"a page called like a partial's directory", `users/+row.html: row
			users.html: {{template "users/+row" .}}`, "/users", "row"},
		{"the slot in a block", `+layout.html: ({{block "main" .}}[{{template "content" .}}]{{end}})
			a.html: A`, "/a", "([A])"},
		{"the slot as a block", `+layout.html: [{{block "content" .}}nothing{{end}}]
			a.html: A`, "/a", "[A]"},
		{"the slot twice", `+layout.html: {{template "content" .}}{{template "content" .}}
			a.html: A`, "/a", "AA"},
		{"partials of partials", `x/+a.html: a{{template "y/+b" .}}
			y/+b.html: b
			index.html: {{template "x/+a" .}}{{template "y/+b" .}}`, "/", "abb"},
		{"a partial that calls itself", `+tree.html: [{{range .}}{{template "+tree" .}}{{end}}]
			index.html: {{template "+tree" .}}`, "/", "[]"},
		{"a partial in an attribute", `+a.html: {{"<"}}x
			index.html: <p title="{{template "+a"}}">{{template "+a"}}</p>`, "/", `<p title="&lt;x">&lt;x</p>`},
		{"a partial that ends a script, twice", `+end.html: </script>
			a.html: <script>a = {{1}};{{template "+end"}}<script>b = {{2}};{{template "+end"}}<button onclick="f({{"1);g("}})">`, "/a",
			`<script>a =  1 ;</script><script>b =  2 ;</script><button onclick="f(&#34;1);g(&#34;)">`},
		{"a define that begins a script, twice", `a.html: {{define "s"}}<script>x = {{end}}{{template "s"}}{{"<"}}</script>{{template "s"}}{{"<"}}</script>`, "/a",
			`<script>x = "\u003c"</script><script>x = "\u003c"</script>`},
		{"blocks and the page of a layout that are halves", `+layout.html: {{block "a" .}}{{end}}{{template "content" .}}{{block "z" .}}{{end}}<p title="{{template "z" .}}">
			a.html: {{define "a"}}<script>f({{end}}{{"<"}}{{define "z"}});</script>{{end}}`, "/a", `<script>f("\u003c");</script><p title=");</script>">`},
		{"a word around an empty template in another", `+e.html: {{template "+f"}}
			+f.html: {{/* nothing */}}
			a.html: <{{template "+e"}}script>{{"<"}}</script>`, "/a", `<script>"\u003c"</script>`},
		{"a partial that calls itself in a title", `+t.html: {{.}}{{range .}} / {{template "+t" .}}{{end}}
			a.html: <title>{{template "+t" 2}}</title>{{template "+t" 1}}`, "/a", `<title>2 / 0 / 1 / 0</title>1 / 0`},
		{"a partial that needs another", `+a.html: {{define "x"}}x{{end}}{{template "+b"}}
			+b.html: {{template "x"}}
			index.html: I`, "/", "I"},
		{"a define of a partial that is called later", `+p.html: {{define "x"}}x{{end}}p
			index.html: {{template "x"}}{{template "+p"}}`, "/", "xp"},
		{"a block that a page fills with another partial", `+layout.html: {{block "nav" .}}{{template "+nav"}}{{end}}{{template "content" .}}
			+nav.html: {{define "item"}}1{{end}}{{template "item"}}
			+mine.html: {{define "item"}}2{{end}}{{template "item"}}
			a.html: {{define "nav"}}{{template "+mine"}}{{end}}A
			b.html: B`, "/a", "2A"},
		{"a byte order mark", "+layout.html: [{{template \"content\" .}}]\n\t\t\ta.html: \ufeffA", "/a", "[A]"},
		{"a name with a per cent sign", `50%.html: A`, "/50%25", "A"},
		{"what nobody reaches is not there", `+layout.html: {{block "nav" .}}{{template "missing" .}}{{end}}{{template "content" .}}
			a.html: {{define "nav"}}nav{{end}}A`, "/a", "navA"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(apptest.PagesOf(tt.files)))
			is.NoErr(r.Check())
			is.Equal(apptest.Says(apptest.Serve(r, "GET", tt.target)), "200 "+tt.want)
		})
	}
}

// FuzzLayouts makes a directory in a directory for each byte, with what its bits
// say, and holds the page in the innermost one against what plain strings give.
func FuzzLayouts(f *testing.F) {
	const (
		isLayout = 1 << iota
		hasTitle
		hasPartial
		hasBlock // with the slot in it
	)
	f.Add([]byte{1, 2, 3}, byte(0))
	f.Add([]byte{7, 135, 71, 199}, byte(6))
	f.Add([]byte{0, 9, 4, 15, 8}, byte(2))
	f.Fuzz(func(t *testing.T, dirs []byte, page byte) {
		dirs = dirs[:min(len(dirs), 6)]
		texts := map[string]string{"+mark.html": "!"}
		dir, target, title := "", "/", "default"
		for i, bits := range dirs {
			n := strconv.Itoa(i)
			if i > 0 {
				dir += []string{"a" + n, "(g" + n + ")", "[p" + n + "]", "b" + n}[bits>>6] + "/"
				target += []string{"a" + n + "/", "", "value/", "b" + n + "/"}[bits>>6]
			}
			if bits&isLayout == 0 {
				continue
			}
			text := n + "("
			if bits&hasTitle != 0 {
				text += `{{block "title" .}}title` + n + `{{end}} `
				title = "title" + n // of a page that has none, the innermost
			}
			if bits&hasPartial != 0 {
				text += `{{template "+mark"}}`
			}
			content := `{{template "content" .}}`
			if bits&hasBlock != 0 {
				content = `{{block "block` + n + `" .}}` + content + `{{end}}`
			}
			texts[dir+"+layout.html"] = text + content + ")"
		}
		text, want := "page", "page"
		if page&hasTitle != 0 {
			text, title = `{{define "title"}}mine{{end}}`+text, "mine"
		}
		if page&hasPartial != 0 {
			text, want = text+`{{template "+mark"}}`, want+"!"
		}
		texts[dir+"page.html"] = text
		for i, bits := range slices.Backward(dirs) {
			if bits&isLayout == 0 {
				continue
			}
			before := strconv.Itoa(i) + "("
			if bits&hasTitle != 0 {
				before += title + " "
			}
			if bits&hasPartial != 0 {
				before += "!"
			}
			want = before + want + ")"
		}
		r := flow.New(flowtest.Pages(texts))
		if err := r.Check(); err != nil {
			t.Fatalf("%v: %v", texts, err)
		}
		if got := apptest.Says(apptest.Serve(r, "GET", target+"page")); got != "200 "+want {
			t.Errorf("%v: got %q, want %q", texts, got, "200 "+want)
		}
	})
}

// TestOnePieceEverywhere: in each kind of answer that templates give, one ends what
// others began, twice.
func TestOnePieceEverywhere(t *testing.T) {
	const (
		text = `<script>a = {{.}};{{template "+end"}}<script>b = {{.}};{{template "+end"}}<button onclick="f({{.}})">go</button><script>done()</script>`
		want = `<script>a = "\u003c";</script><script>b = "\u003c";</script><button onclick="f(&#34;\u003c&#34;)">go</button><script>done()</script>`
	)
	tree := func() map[string]string {
		return map[string]string{
			"page.html":     text,
			"fixed.html":    strings.ReplaceAll(text, "{{.}}", `{{"<"}}`),
			"asks.html":     `{{with user}}{{end}}` + text,
			"shared.html":   `{{template "+shared" .}}`,
			"block.html":    `{{define "b"}}` + text + `{{end}}`,
			"+part.html":    text,
			"e/+error.html": strings.ReplaceAll(text, "{{.}}", "{{.Detail}}"),
			"e/fails.http":  ``,
		}
	}
	shared := flowtest.Pages(map[string]string{"+shared.html": text, "+end.html": "</script>"})
	router := func(dir string) *flow.Router {
		r := flow.New(flowtest.Pages(tree()), shared)
		for _, name := range []string{"page", "asks", "shared"} {
			r.At(name).GET().Do(func(*flow.Request) flow.Response { return flow.Page("<") })
		}
		r.At("block").GET().Do(func(*flow.Request) flow.Response { return flow.Page("<").Block("b") })
		r.At("page").POST().Do(func(*flow.Request) flow.Response { return flow.View("+part", "<") })
		r.At("e/fails").GET().Do(func(*flow.Request) (string, error) { return "", flow.Error(404, "<") })
		if dir != "" {
			r.Dev(dir)
		}
		is.New(t).NoErr(r.Check())
		return r
	}
	for _, dir := range []string{"", apptest.OnDisk(t, flowtest.Pages(tree()))} {
		r := router(dir)
		for _, tt := range []struct{ method, target, status string }{
			{"GET", "/page", "200 "},
			{"POST", "/page", "200 "},
			{"GET", "/fixed", "200 "},
			{"GET", "/asks", "200 "},
			{"GET", "/shared", "200 "},
			{"GET", "/block", "200 "},
			{"GET", "/e/fails", "404 "},
		} {
			t.Run(fmt.Sprintf("%s %s, Dev(%q)", tt.method, tt.target, path.Base(dir)), func(t *testing.T) {
				is := is.New(t)
				w := apptest.Visit(r, tt.target)
				if tt.method != "GET" {
					w = apptest.Serve(r, tt.method, tt.target)
				}
				is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.status+want)
			})
		}
	}
}

func TestSharedTreesFillInPlusFiles(t *testing.T) {
	is := is.New(t)
	own := flowtest.Pages(map[string]string{"a.http": "", "+one.html": "own one"})
	shared := flowtest.Pages(map[string]string{"+one.html": "shared one", "+two.html": "shared two", "b.html": "no route"})
	r := flow.New(own, shared)
	r.At("a").GET().Do(func(req *flow.Request) flow.Response { return flow.View(req.Input("view"), nil) })
	is.NoErr(r.Check())
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/a?view=%2Bone")), "200 own one")
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/a?view=%2Btwo")), "200 shared two")
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/b")), "404")
}

// TestPartialsOfSharedTrees may need what only some applications define.
func TestPartialsOfSharedTrees(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(apptest.PagesOf("a.html: A")), flowtest.Pages(apptest.PagesOf(`+head.html: {{template "title" .}}`)))
	is.NoErr(r.Check())
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/a")), "200 A")
}

func TestPartialsThatNeedTheirPage(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(apptest.PagesOf(`+p.html: {{template "x" .}}
		a.html: {{template "+p" 1}}{{define "x"}}x{{.}}{{end}}
		b.http: `)))
	r.At("b").GET().Do(func(*flow.Request) flow.Response { return flow.View("+p", nil) })
	log := apptest.Logged(r)
	is.NoErr(r.Check())
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/a")), "200 x1")
	is.Equal(apptest.Serve(r, "GET", "/b").Code, 500)
	is.True(strings.Contains(log.String(), `router/+p.html cannot be rendered by itself`))
}
