package flow_test

import (
	"html"
	"html/template"
	"net/http/httptest"
	"strings"
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

// asBrowser answers a request that accepts HTML.
func asBrowser(r *flow.Router, method, path string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, nil)
	req.Header.Set("Accept", "text/html")
	return do(r, req)
}
