package flow_test

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"
)

// An article is what the format of these tests finds in a text: see notes.
type article struct {
	Title string
	Date  string
}

func (a article) Compare(b article) int { return strings.Compare(b.Date, a.Date) } // the newest first

func articles(src flow.Source) (template.HTML, article, error) {
	text, f, err := notes(src)
	return text, article(f), err
}

// listing returns a Router for files below router/, in which .md is the format articles. The
// files a.md and so on may be written as "Title 2026-01-02".
func listing(files map[string]string) *flow.Router {
	r := flow.New(listed(files))
	r.Formats = map[string]flow.Format{".md": flow.FormatOf(articles)}
	return r
}

func listed(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range files {
		if title, date, ok := strings.Cut(text, "|"); ok && strings.HasSuffix(name, ".md") {
			text = "Title: " + title + "\nDate: " + date + "\n\n# " + title + "\n"
		}
		tree["router/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// about is a layout that says what {{page}} is.
const about = `{{with page}}{{.URL}} {{.Path}} {{.Title}} {{if .Guarded}}guarded{{end}} {{.Front.Date}} parent{{with .Parent}} {{.URL}}{{end}} children{{range .Children}} {{.URL}}{{end}} ` +
	`prev{{with .Prev}} {{.URL}}{{end}} next{{with .Next}} {{.URL}}{{end}} trail{{range .Trail}} {{.URL}}{{end}}{{end}}` + "\n" + `{{template "content" .}}`

// someSite is a small site of documentation and a blog.
var someSite = map[string]string{
	"+layout.html":         about,
	"+error.html":          `{{define "title"}}Gone{{end}}{{.Status}}`,
	"index.html":           `{{define "title"}} Home &amp; more {{end}}Hello`,
	"about.html":           `{{define "title"}}About {{.}}{{end}}{{route "docs.a"}}`,
	"docs/index.md":        "Docs|2026-01-01",
	"docs/b.md":            "B|2026-01-02",
	"docs/a.md":            "A|2026-01-02",
	"docs/+error.html":     `{{.Status}}`,
	"blog/first.md":        "First|2026-02-01",
	"blog/second.md":       "Second|2026-02-02",
	"blog/_draft.md":       "Draft|2026-02-03",
	"(members)/secret.md":  "Secret|2026-01-01",
	"users/index.html":     `{{template "users/+row" .}}`,
	"users/[id].html":      `{{define "title"}}User{{end}}`,
	"users/store.html":     ``,
	"users/+row.html":      `row on {{page.Path}}`,
	"[[lang]]/help.html":   `help`,
	"files/[...rest].html": ``,
	"row.http":             ``,
}

// someRouter returns a Router of someSite with a guard.
func someRouter() *flow.Router {
	r := listing(someSite)
	r.In("(members)").Use(passes)
	r.At("users/store").POST().Do(func(*flow.Request) (flow.Response, error) { return flow.Page(nil), nil })
	r.At("row").GET().Do(func(*flow.Request) (flow.Response, error) { return flow.View("users/+row", nil), nil })
	return r
}

func passes(*flow.Request) (flow.Response, error) { return flow.Next(), nil }

func TestPageIsTheEntryOfThePage(t *testing.T) {
	r := someRouter()
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ method, path, want string }{
		{"GET", "/", "/ index Home & more parent children /blog/second /blog/first /secret /docs /help /about /users prev next trail Hello"},
		{"GET", "/about", "/about about parent / children prev next trail / /docs/a"},
		{"GET", "/docs", "/docs docs/index Docs 2026-01-01 parent / children /docs/a /docs/b prev next /docs/a trail /"},
		{"GET", "/docs/a", "/docs/a docs/a A 2026-01-02 parent /docs children prev /docs next /docs/b trail / /docs"},
		{"GET", "/docs/b", "/docs/b docs/b B 2026-01-02 parent /docs children prev /docs/a next trail / /docs"},
		{"GET", "/blog/second", "/blog/second blog/second Second 2026-02-02 parent / children prev next /blog/first trail /"},
		{"GET", "/blog/first", "/blog/first blog/first First 2026-02-01 parent / children prev /blog/second next trail /"},
		{"GET", "/secret", "/secret (members)/secret Secret guarded 2026-01-01 parent / children prev next trail /"},
		{"GET", "/users", "/users users/index parent / children prev next trail / row on users/index"},
		{"GET", "/users/7", "users/[id] User parent /users children prev next trail / /users"},
		{"POST", "/users", "users/store parent /users children prev next trail / /users"},
		{"GET", "/row", "row on users/+row"},
		{"GET", "/help", "/help [[lang]]/help parent / children prev next trail / help"},
		{"GET", "/de/help", "/help [[lang]]/help parent / children prev next trail / help"},
		{"GET", "/files/x/y", "files/[...rest] parent / children prev next trail /"},
		{"GET", "/nowhere", "+error Gone parent / children prev next trail / 404"},
		{"GET", "/docs/nowhere", "docs/+error parent /docs children prev next trail / /docs 404"},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			is := is.New(t)
			got, _, _ := strings.Cut(asBrowser(r, tt.method, tt.path).Body.String(), "<h1>") // which begins the page
			is.Equal(strings.Join(strings.Fields(html.UnescapeString(got)), " "), tt.want)
		})
	}
}

func TestPageByItsPath(t *testing.T) {
	files := maps.Clone(someSite)
	files["list.html"] = `{{(page "").URL}} {{(page "docs").Title}} {{(page "docs/a").Title}} {{(page "secret").Path}} {{(page "(members)/secret").Path}} {{(page "help").URL}} {{(page "list").Is page}}{{$at := "blog/first"}} {{(page $at).Title}}`
	delete(files, "users/store.html") // which need handlers
	delete(files, "row.http")
	is := is.New(t)
	r := listing(files)
	is.NoErr(r.Check())
	rec := asBrowser(r, "GET", "/list")
	is.True(strings.HasSuffix(rec.Body.String(), "\n/ Docs A (members)/secret (members)/secret /help true First"))
	is.True(rec.Header().Get("ETag") != "") // it is rendered once

	outer := flow.New(listed(map[string]string{"index.html": ""}))
	outer.Mount("/inner", listing(files))
	is.NoErr(outer.Check())
	is.True(strings.HasSuffix(asBrowser(outer, "GET", "/inner/list").Body.String(), "\n/inner Docs A (members)/secret (members)/secret /inner/help true First"))
}

// asBrowser answers a request that accepts HTML.
func asBrowser(r *flow.Router, method, path string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, nil)
	req.Header.Set("Accept", "text/html")
	return do(r, req)
}

func TestMistakesWithLists(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a field of the front matter", map[string]string{"x.html": "<p>\n  {{page.Front.Dat}}"}, `router/x.html:2:16: {{page.Front.Dat}}: flow_test.article has no field or method Dat: did you mean "Date"?`},
		{"a field of the front matter, in a layout", map[string]string{"+layout.html": `{{with page.Front}}{{.Tilte}}{{end}}{{template "content" .}}`}, `router/+layout.html:1:23: {{.Tilte}}: flow_test.article has no field or method Tilte: did you mean "Title"?`},
		{"a field of an entry", map[string]string{"x.html": `{{page.Titel}}`}, `router/x.html:1:8: {{page.Titel}}: flow.Entry[flow_test.article] has no field or method Titel: did you mean "Title"?`},
		{"a field of an entry in a list", map[string]string{"x.html": `{{range pages "blog"}}{{.Summary}}{{end}}`}, `router/x.html:1:26: {{.Summary}}: flow.Entry[flow_test.article] has no field or method Summary`},
		{"a field of the front matter, without Front", map[string]string{"x.html": `{{range pages "blog"}}{{.Date}}{{end}}`}, `router/x.html:1:26: {{.Date}}: flow.Entry[flow_test.article] has no field or method Date: did you mean ".Front.Date"?`},
		{"of a neighbour", map[string]string{"+layout.html": `{{with page.Next}}{{.Titel}}{{end}}{{template "content" .}}`}, `router/+layout.html:1:22: {{.Titel}}: flow.Entry[flow_test.article] has no field or method Titel: did you mean "Title"?`},
		{"of the trail", map[string]string{"x.html": `{{range page.Trail}}{{.Url}}{{end}}`}, `router/x.html:1:24: {{.Url}}: flow.Entry[flow_test.article] has no field or method Url: did you mean "URL"?`},
		{"in a partial that calls itself", map[string]string{"x.html": `{{template "+tree" (pages "blog")}}`, "+tree.html": "{{range .}}\n{{.Titel}}{{template \"+tree\" .Children}}{{end}}"}, `router/+tree.html:2:4: {{.Titel}}: flow.Entry[flow_test.article] has no field or method Titel: did you mean "Title"?, with the dot of router/x.html:1:12 (with the data of router/x.html)`},
		{"in a partial that calls itself, from a layout", map[string]string{"+layout.html": `{{template "+tree" page.Children}}{{template "content" .}}`, "+tree.html": "{{range .}}\n{{.Front.Titel}}{{template \"+tree\" .Children}}{{end}}"}, `router/+tree.html:2:10: {{.Front.Titel}}: flow_test.article has no field or method Titel: did you mean "Title"?, with the dot of router/+layout.html:1:12 (with the data of router/blog/first.md)`},
		{"a directory", map[string]string{"x.html": "\n<p>{{range pages \"blgo\"}}{{end}}"}, `router/x.html:2:18: {{pages "blgo"}}: there is no page without parameters below router/blgo/: did you mean "blog"?`},
		{"a directory on a page that is rendered for each request", map[string]string{"x.html": `{{request.Method}}{{len (pages "docs/blog")}}`}, `router/x.html:1:32: {{pages "docs/blog"}}: there is no page without parameters below router/docs/blog/`},
		{"a directory in a layout", map[string]string{"+layout.html": `{{$all := pages "/blog"}}{{template "content" .}}`}, `router/+layout.html:1:17: {{pages "/blog"}}: "/blog" is no path below router/: write "blog"`},
		{"a directory on a page with parameters", map[string]string{"[id].html": `{{with pages "users"}}{{end}}`, "users/[id].html": ""}, `router/[id].html:1:14: {{pages "users"}}: there is no page without parameters below router/users/`},
		{"a directory that is a variable, on a page that is rendered once", map[string]string{"x.html": "\n{{$dir := \"blgo\"}}{{range pages $dir}}{{end}}"}, `router/x.html:2: executing "router/x.html" at <pages $dir>: error calling pages: there is no page without parameters below router/blgo/: did you mean "blog"?`},
		{"a page", map[string]string{"x.html": `{{(page "blog/frist").URL}}`}, `router/x.html:1:9: {{page "blog/frist"}}: no page without parameters has that path: did you mean "blog/first"?`},
		{"a page on a page that is rendered for each request", map[string]string{"x.html": `{{request.Method}}{{with page "blog"}}{{end}}`}, `router/x.html:1:31: {{page "blog"}}: no page without parameters has that path`},
		{"a page with slashes", map[string]string{"+layout.html": `{{(page "/blog/first").URL}}{{template "content" .}}`}, `router/+layout.html:1:9: {{page "/blog/first"}}: "/blog/first" is no path of a page: write "blog/first"`},
		{"a page by its file", map[string]string{"docs/index.html": `{{(page "docs/index").URL}}`}, `router/docs/index.html:1:9: {{page "docs/index"}}: "docs/index" is no path of a page: write "docs"`},
		{"a page with parameters", map[string]string{"users/[id].html": `{{(page "users/[id]").URL}}`}, `router/users/[id].html:1:9: {{page "users/[id]"}}: no page without parameters has that path`},
		{"a page that is a variable, on a page that is rendered once", map[string]string{"x.html": "\n{{$at := \"blgo\"}}{{(page $at).URL}}"}, `router/x.html:2: executing "router/x.html" at <page $at>: error calling page: no page without parameters has that path`},
		{"two pages", map[string]string{"x.html": `{{request.Method}}{{(page "blog/first" "x").URL}}`}, `router/x.html:1:27: {{page "blog/first" "x"}}: page takes one path, or none for the page that is rendered`},
		{"a number as a page", map[string]string{"x.html": `{{(page 7).URL}}`}, `router/x.html:1:9: {{page 7}}: 7 is no string, which page takes`},
		{"a field of a page by its path", map[string]string{"x.html": `{{(page "blog/first").Titel}}`}, `router/x.html:1:23: {{(page "blog/first").Titel}}: flow.Entry[flow_test.article] has no field or method Titel: did you mean "Title"?`},
		{"no directory", map[string]string{"x.html": `{{range pages}}{{end}}`}, `router/x.html:1:9: {{pages}}: pages takes 1 argument, and gets 0`},
		{"a number", map[string]string{"x.html": `{{range pages 7}}{{end}}`}, `router/x.html:1:15: {{pages 7}}: 7 is no string, which pages takes`},
		{"is of another type", map[string]string{"x.html": `{{page.Is "x"}}`}, `router/x.html:1:11: {{page.Is "x"}}: "x" is no *flow.Entry[flow_test.article], which Is takes`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			files := map[string]string{"blog/first.md": "First|2026-02-01"}
			maps.Copy(files, tt.files)
			err := listing(files).Check()
			is.Equal(fmt.Sprint(err), tt.want)
		})
	}
}

// urls returns the URLs of entries.
func urls[F any](entries []*flow.Entry[F]) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.URL)
	}
	return strings.Join(all, " ")
}

func TestEntries(t *testing.T) {
	r := someRouter()
	for _, tt := range []struct{ dir, want string }{
		{"", "/ /blog/second /blog/first /secret /docs /docs/a /docs/b /help /about /users"},
		{"docs", "/docs/a /docs/b"},
		{"blog", "/blog/second /blog/first"},
		{"(members)", "/secret"},
		{"users", ""},
	} {
		t.Run(tt.dir, func(t *testing.T) {
			is := is.New(t)
			got, err := flow.Entries[article](r, tt.dir)
			is.NoErr(err)
			is.Equal(urls(got), tt.want)
			if len(got) > 1 { // the list is the caller's own
				slices.Reverse(got)
				again, err := flow.Entries[article](r, tt.dir)
				is.NoErr(err)
				is.Equal(urls(again), tt.want)
			}
		})
	}
}

func TestEntriesThatAreNotThere(t *testing.T) {
	for _, tt := range []struct {
		name string
		ask  func() error
		want string
	}{
		{"no such directory", func() error { _, err := flow.Entries[article](someRouter(), "bolg"); return err },
			`flow: Entries("bolg"): there is no page without parameters below router/bolg/: did you mean "blog"?`},
		{"no formats", func() error { _, err := flow.Entries[article](flow.New(listed(nil)), ""); return err },
			`flow: Entries(""): the application has faults: router: the files given to flow.New hold no such directory: embed it with //go:embed all:router`},
		{"no formats, and no faults", func() error {
			_, err := flow.Entries[article](flow.New(listed(map[string]string{"index.html": ""})), "")
			return err
		}, `flow: Entries(""): the Router has no Formats`},
		{"another type", func() error { _, err := flow.Entries[front](someRouter(), "blog"); return err },
			`flow: Entries("blog"): the Formats of the Router find flow_test.article in a page, and this asks for flow_test.front`},
		{"faults", func() error {
			_, err := flow.Entries[article](listing(map[string]string{"a.md": "Date: now"}), "")
			return err
		}, `flow: Entries(""): the application has faults: router/a.md:1: front matter: "now" is no date: write it as 2006-01-02`},
		{"while Check runs", func() (err error) {
			r := someRouter()
			r.Use(func(next http.Handler) http.Handler {
				_, err = flow.Entries[article](r, "blog")
				return next
			})
			r.Check()
			return err
		}, `flow: Entries("blog"): the pages are being compiled: call it later, such as in a handler`},
		{"of a Router inside, while Check runs", func() (err error) {
			outer, inner := someRouter(), someRouter()
			outer.Mount("/inner", inner)
			outer.Use(func(next http.Handler) http.Handler {
				_, err = flow.Entries[article](inner, "blog")
				return next
			})
			outer.Check()
			return err
		}, `flow: Entries("blog"): the pages are being compiled: call it later, such as in a handler`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := tt.ask()
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

func TestEntriesOnceRoutersAreCompiled(t *testing.T) {
	is := is.New(t)
	outer, inner := someRouter(), someRouter()
	outer.Mount("/inner", inner).Use(passes)
	got, err := flow.Entries[article](inner, "docs") // compiles both
	is.NoErr(err)
	is.Equal(urls(got), "/inner/docs/a /inner/docs/b")
	is.True(got[0].Guarded)
	is.Equal(urls(got[0].Trail()), "/inner /inner/docs")
	got, err = flow.Entries[article](outer, "docs")
	is.NoErr(err)
	is.Equal(urls(got), "/docs/a /docs/b")
	is.True(!got[0].Guarded)
	body := serve(outer, "GET", "/inner/docs/a").Body.String()
	is.True(strings.HasPrefix(html.UnescapeString(body), "/inner/docs/a docs/a A guarded"))

	ofTenant := someRouter()
	outer = flow.New(listed(map[string]string{"index.html": ""}))
	outer.Mount("/[tenant]", ofTenant)
	is.NoErr(outer.Check())
	all, err := flow.Entries[article](ofTenant, "")
	is.NoErr(err)
	is.Equal(urls(all), "") // all URLs have a parameter
	is.True(strings.HasPrefix(serve(outer, "GET", "/x/docs/a").Body.String(), " docs/a A "))
}

// found makes a format of a function that finds something in a text, whose HTML is the text.
func found[F any](find func(text string) F) flow.Format {
	return flow.FormatOf(func(src flow.Source) (template.HTML, F, error) { return template.HTML(src.Text), find(src.Text), nil })
}

// entriesIn returns the titles of the pages of a Router with a format, in order.
func entriesIn[F any](files map[string]string, find func(text string) F) (titles string, err error) {
	r := flow.New(listed(files))
	r.Formats = map[string]flow.Format{".txt": found(find)}
	all, err := flow.Entries[F](r, "")
	for i, e := range all {
		if i > 0 {
			titles += " "
		}
		titles += e.Title
	}
	return titles, err
}

type (
	titled   string
	embedded struct{ *inner }
	inner    struct{ Title titled }
	byLength struct{ Title string }
	byText   struct{ Title string }
	untitled struct{ Title int }
	panicky  struct{ Title string }
)

func (a byLength) Compare(b byLength) int { return cmp.Compare(len(a.Title), len(b.Title)) }
func (a *byText) Compare(b *byText) int   { return strings.Compare(a.Title, b.Title) }
func (a panicky) Compare(panicky) int     { panic("no order in " + a.Title) }

func TestTypesOfFrontMatter(t *testing.T) {
	files := map[string]string{"x/a.txt": "ccc", "x/b.txt": "a", "x/c.txt": "bb", "x/d.html": `{{define "title"}}D &lt; E{{end}}`}
	for _, tt := range []struct {
		name       string
		find       func() (string, error)
		want, fail string
	}{
		{"no title", func() (string, error) { return entriesIn(files, func(text string) int { return len(text) }) }, "   D < E", ""},
		{"a title of another type", func() (string, error) { return entriesIn(files, func(text string) untitled { return untitled{} }) }, "   D < E", ""},
		{"an embedded title", func() (string, error) {
			return entriesIn(files, func(text string) embedded {
				if text == "a" {
					return embedded{}
				}
				return embedded{&inner{titled(text)}}
			})
		}, "ccc  bb D < E", ""},
		{"in order", func() (string, error) { return entriesIn(files, func(text string) byLength { return byLength{text} }) }, "D < E a bb ccc", ""},
		{"pointers in order", func() (string, error) { return entriesIn(files, func(text string) *byText { return &byText{text} }) }, "D < E a bb ccc", ""},
		{"pointers, one of which is nil", func() (string, error) {
			return entriesIn(files, func(text string) *byText {
				if text == "a" {
					return nil
				}
				return &byText{text}
			})
		}, " D < E bb ccc", ""},
		{"an interface", func() (string, error) { return entriesIn(files, func(text string) any { return byLength{text} }) }, "   D < E", ""},
		{"an order that panics", func() (string, error) { return entriesIn(files, func(text string) panicky { return panicky{text} }) }, "",
			`flow: Entries(""): the application has faults: Router.Formats: the method Compare of flow_test.panicky has panicked: no order in a`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got, err := tt.find()
			is.Equal(got, tt.want)
			is.Equal(fmt.Sprint(err), cmp.Or(tt.fail, "<nil>"))
		})
	}
}

func TestHTMLOfEntries(t *testing.T) {
	is := is.New(t)
	r := listing(map[string]string{
		"+layout.html": `<main>{{template "content" .}}</main>`,
		"a.md":         "A|2026-01-01",
		"b.html":       `{{define "title"}}B{{end}}<p>b &amp; c</p>`,
		"c.html":       `<p>{{route "b"}}</p>`,
		"d.html":       `{{define "title"}}{{page.Path}}{{end}}{{/* no action */}}<p>d</p>`,
	})
	all, err := flow.Entries[article](r, "")
	is.NoErr(err)
	var got []string
	for _, e := range all {
		got = append(got, e.URL+" "+e.Title+" "+string(e.HTML))
	}
	is.Equal(got, []string{"/a A <h1>A</h1>\n\n", "/b B <p>b &amp; c</p>", "/c  ", "/d  <p>d</p>"})
}

// TestEntriesOfTwoTypes: a Router with such formats has a fault, and makes its entries all the same.
func TestEntriesOfTwoTypes(t *testing.T) {
	is := is.New(t)
	r := listing(map[string]string{"a.md": "A|2026-01-01", "b.txt": "B", "c.html": `{{range pages ""}}{{.Title}}{{end}}`})
	r.Formats[".txt"] = found(func(string) int { return 1 })
	err := r.Check()
	is.True(err != nil)
	is.Equal(strings.Count(err.Error(), "\n"), 0)
	is.True(strings.Contains(err.Error(), `Router.Formats[".txt"]: `))
}

// TestFuncsCalledPage: an application without formats has these names for itself.
func TestFuncsCalledPage(t *testing.T) {
	is := is.New(t)
	funcs := template.FuncMap{"page": func() int { return 3 }, "pages": func(string) int { return 7 }}
	files := map[string]string{"+layout.html": `{{template "content" .}}`, "index.html": `{{page}} of {{pages "x"}}`}
	r := flow.New(listed(files))
	r.Funcs = funcs
	is.NoErr(r.Check())
	is.Equal(serve(r, "GET", "/").Body.String(), "3 of 7")

	r = listing(files)
	r.Funcs = funcs
	is.Equal(r.Check().Error(), `Router.Funcs: "page" is a function of every template already: call this one otherwise
Router.Funcs: "pages" is a function of every template already: call this one otherwise
router/index.html:1:21: {{pages "x"}}: there is no page without parameters below router/x/`)

	r = flow.New(listed(files))
	is.Equal(r.Check().Error(), `router/index.html:1: function "page" not defined: add it to Router.Funcs
router/index.html:1: function "pages" not defined: add it to Router.Funcs`)
}

// TestListsInDevelopment edits a title, while others ask for pages that show it: the page itself, one
// that lists it, a neighbour, an .html page and a handler. No answer is older than the request.
func TestListsInDevelopment(t *testing.T) {
	is := is.New(t)
	files := map[string]string{
		"+layout.html":      `{{with page.Next}}[{{.Title}}]{{end}}{{template "content" .}}`,
		"blog/index.md":     "Blog|2026-01-01",
		"blog/a.md":         "0|2026-01-02",
		"list/index.html":   `{{range pages "blog"}}[{{.Title}}]{{end}}`,
		"list/request.html": `{{request.Method}}{{range (index (pages "blog") 0).Parent.Children}}[{{.Title}}]{{end}}`,
		"list/title.html":   `{{define "title"}}x{{end}}`,
		"list.json.http":    "",
	}
	dir := onDisk(t, listed(files))
	r := listing(files)
	r.At("list.json").GET().Do(func(*flow.Request) (flow.Response, error) {
		all, err := flow.Entries[article](r, "blog")
		if err != nil {
			return flow.Response{}, err
		}
		return flow.Text("[" + all[0].Title + "]"), nil
	})
	r.Dev(dir)
	journalOf(r)
	is.NoErr(r.Check())
	var written atomic.Int64
	title := regexp.MustCompile(`\[(\d+)\]`)
	var all sync.WaitGroup
	for _, target := range []string{"/blog", "/list", "/list/request", "/list.json"} {
		all.Go(func() {
			for last := int64(0); last < 20; {
				last = written.Load()
				w := serve(r, "GET", target)
				shown := title.FindStringSubmatch(w.Body.String())
				if w.Code != 200 || shown == nil {
					t.Errorf("%s: got %d %s", target, w.Code, w.Body)
					return
				}
				if n, err := strconv.ParseInt(shown[1], 10, 64); err != nil || n < last {
					t.Errorf("%s: got %d, after %d was written", target, n, last)
					return
				}
			}
		})
	}
	for i := 1; i <= 20; i++ {
		write(t, dir, "a.md", fmt.Sprintf("Title: %d\n", i))
		is.NoErr(os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "router/blog/a.md"))) // at once, so that nobody reads half of it
		written.Store(int64(i))
	}
	all.Wait()

	// Titles of .html pages, faults, and pages that come and go.
	get := func(target string) string { return visit(r, target).Body.String() }
	write(t, dir, "router/list/index.html", `{{range pages "list"}}{{.Title}}, {{end}}`)
	is.True(strings.Contains(get("/list"), ", x, "))
	write(t, dir, "router/list/title.html", `{{define "title"}}y{{end}}`)
	is.True(strings.Contains(get("/list"), ", y, "))
	is.NoErr(os.Remove(filepath.Join(dir, "router/list/title.html")))
	is.True(!strings.Contains(get("/list"), "y, "))
	is.True(strings.Contains(get("/list/request"), "GET[20]"))
	is.NoErr(os.RemoveAll(filepath.Join(dir, "router/blog")))
	is.True(strings.Contains(get("/list/request"), `there is no page without parameters below router/blog/`))
	write(t, dir, "router/blog/a.md", "Title: 21\n")
	is.True(!strings.Contains(get("/list/request"), `without parameters`))
	_, err := flow.Entries[article](r, "blog")
	is.NoErr(err)
	write(t, dir, "router/blog/a.md", "Date: now\n")
	is.True(strings.Contains(get("/blog/a"), "is no date"))
	is.Equal(visit(r, "/list").Code, 200) // the mistake is on another page
}

// TestFrontMatterOfHTML: an .html page may have the front matter of a page in the format.
func TestFrontMatterOfHTML(t *testing.T) {
	is := is.New(t)
	r := listing(map[string]string{
		"+layout.html": `{{page.Front.Date}} {{template "content" .}}{{block "extra" .}}{{end}}`,
		"a.html":       "{{define \"front matter\"}}\n  Title: A < {\nDate: 2026-01-02\n{{end}}a",
		"b.md":         "B|2026-01-03",
		"c.html":       `{{define "title"}}C{{end}}{{define "front matter"}}Date: 2026-01-04{{end}}{{request.Method}}`,
		"d.html":       `{{define "front matter"}}{{end}}{{define "title"}}D{{end}}d`,
	})
	is.NoErr(r.Check())
	all, err := flow.Entries[article](r, "")
	is.NoErr(err)
	var got []string
	for _, e := range all {
		got = append(got, e.Title+" "+e.Front.Date+" "+string(e.HTML))
	}
	is.Equal(got, []string{"C 2026-01-04 ", "B 2026-01-03 <h1>B</h1>\n\n", "A < { 2026-01-02 a", "D  d"})
	is.Equal(serve(r, "GET", "/a").Body.String(), "2026-01-02 a")
	is.Equal(serve(r, "GET", "/c").Body.String(), "2026-01-04 GET")

	for _, tt := range []struct{ text, want string }{
		{"<p>\n{{define \"front matter\"}}\n\nTitle: A\nDate: now\n{{end}}", `router/a.html:5: front matter: "now" is no date: write it as 2006-01-02`},
		{"\n{{define \"front matter\"}}Titel: A{{end}}", `router/a.html:2: the key "Titel" is not known`},
		{"\n{{define \"front matter\"}}Title: {{.}}{{end}}", `router/a.html:2: {{define "front matter"}} has actions, and is read before there is a request: write text there`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			is.Equal(fmt.Sprint(listing(map[string]string{"a.html": tt.text}).Check()), tt.want)
		})
	}
	r = listing(map[string]string{"a.html": `{{define "front matter"}}Title: A{{end}}`})
	r.Formats[".txt"] = r.Formats[".md"]
	is.Equal(r.Check().Error(), `router/a.html:1: {{define "front matter"}} is read by the format of the Router, and there are 2 in Router.Formats: make this page one of them`)
	r = flow.New(listed(map[string]string{"a.html": `{{define "front matter"}}Title: A{{end}}{{template "front matter"}}`})) // a name as any other
	is.NoErr(r.Check())
	is.Equal(serve(r, "GET", "/a").Body.String(), "Title: A")
}
