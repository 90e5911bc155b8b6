package app_test

import (
	"context"
	"encoding/json"
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/docs"
	"example.com/flow/ecosystem/site/app"
	"example.com/flow/export"
)

func get(target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	app.Router.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

// TestCheck: the site has no faults, and no warnings.
func TestCheck(t *testing.T) {
	is := is.New(t)
	is.NoErr(app.Router.Check()) // a Router that the command compiles holds no pages for the other tests
	args := os.Args
	t.Cleanup(func() { os.Args = args })
	os.Args = []string{"site", "check", "-warnings=fail"}
	is.Equal(flow.Run(t.Context(), func(context.Context) (*flow.Router, error) { return app.Router, nil }), 0)
}

var (
	tag     = regexp.MustCompile(`<[^>]*>`)
	article = regexp.MustCompile(`(?s)<article>.*</article>`)
)

// TestDocuments: each document is a page, which is rendered once, and has all of its text.
func TestDocuments(t *testing.T) {
	actions := 0
	err := fs.WalkDir(docs.Files, ".", func(name string, d fs.DirEntry, err error) error {
		document, isDocument := strings.CutSuffix(name, ".md")
		if err != nil || !isDocument {
			return err
		}
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			text, err := fs.ReadFile(docs.Files, name)
			is.NoErr(err)
			w := get("/docs" + strings.TrimSuffix("/"+document, "/index"))
			is.Equal(w.Code, http.StatusOK)
			is.True(w.Header().Get("ETag") != "") // it is rendered once
			title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
			is.True(strings.Contains(w.Body.String(), "<h1>"+html.EscapeString(title)+"</h1>"))
			is.True(strings.Contains(w.Body.String(), ` aria-current="page"`))
			shown := html.UnescapeString(tag.ReplaceAllString(article.FindString(w.Body.String()), ""))
			is.Equal(strings.Count(shown, "{{"), strings.Count(string(text), "{{")) // actions are text
			actions += strings.Count(shown, "{{")
		})
		return nil
	})
	is := is.New(t)
	is.NoErr(err)
	is.True(actions > 300)
}

var (
	link = regexp.MustCompile(` (?:href|src|action)="([^"]*)"`)
	id   = regexp.MustCompile(` id="([^"]*)"`)
)

// TestLinks follows every link of the site: it leads to a page, and to an element of it if it has
// a fragment, or to a file of the repository.
func TestLinks(t *testing.T) {
	is := is.New(t)
	type page struct {
		links []string
		ids   map[string]bool
	}
	pages := map[string]*page{}
	visit := func(target string) *page {
		if pages[target] != nil {
			return pages[target]
		}
		w := get(target)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", target, w.Code)
		}
		p := &page{ids: map[string]bool{}}
		pages[target] = p
		for _, m := range id.FindAllStringSubmatch(w.Body.String(), -1) {
			name := html.UnescapeString(m[1])
			if p.ids[name] {
				t.Errorf("%s has two elements of the id %q", target, name)
			}
			p.ids[name] = true
		}
		for _, m := range link.FindAllStringSubmatch(w.Body.String(), -1) {
			p.links = append(p.links, html.UnescapeString(m[1]))
		}
		return p
	}
	visit("/")
	for left, followed := []string{"/"}, map[string]bool{}; len(left) > 0; left = left[1:] {
		for _, to := range visit(left[0]).links {
			u, err := url.Parse(to)
			if err != nil {
				t.Errorf("%s: %v", left[0], err)
				continue
			}
			file, inRepository := strings.CutPrefix(to, "https://example.com/flow/")
			switch {
			case inRepository:
				file, _, _ = strings.Cut(file, "#")
				if _, err := os.Stat(filepath.Join("../../..", filepath.FromSlash(file))); err != nil {
					t.Errorf("%s: the link %q leads to no file of the repository", left[0], to)
				}
				continue
			case u.Scheme != "":
				continue
			case u.Path == "":
				u.Path = left[0]
			case !strings.HasPrefix(u.Path, "/"):
				t.Errorf("%s: the link %q is relative", left[0], to)
			}
			if p := visit(u.Path); u.Fragment != "" && !p.ids[u.Fragment] {
				t.Errorf("%s: the link %q leads to no element", left[0], to)
			}
			if !followed[u.Path] {
				followed[u.Path] = true
				left = append(left, u.Path)
			}
		}
	}
	is.True(len(pages) > 45)
}

// TestOrder: index.md says where a page stands in the tree, and what comes next.
func TestOrder(t *testing.T) {
	for _, tt := range []struct{ target, want string }{
		{"/docs", `<a rel="next" href="/docs/tools">`},
		{"/docs/tools", `<a rel="next" href="/docs/routes">`},
		{"/docs/routes", `<a rel="prev" href="/docs/tools">`},
		{"/docs/recipes", `<a rel="next" href="/docs/recipes/pages">`},
		{"/docs/recipes/forms", `<li><a href="/docs/recipes">Recipes</a></li>`},
		{"/docs/recipes/forms", `<figcaption id="file-app-notes.go">app/notes.go</figcaption>`},
		{"/docs/recipes/forms", `<a href="#file-app-notes.go"><code>app/notes.go</code></a>`},
		{"/docs/recipes/forms", `<title>Forms · Recipes · flow</title>`},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			is.True(strings.Contains(get(tt.target).Body.String(), tt.want))
		})
	}
}

func TestSearch(t *testing.T) {
	for _, tt := range []struct{ query, says, first string }{
		{"", "", ""},
		{" -", "", ""},
		{"guards", "", "/docs/middleware#guards"},
		{"GUARDS", "", "/docs/middleware#guards"},
		{"optimistic lock", "", "/docs/recipes"},
		{"flow.dev", "", "/docs/development#flow-dev"},
		{"no-such-word-anywhere-xyzzy", "0 results", ""},
		{"<script>", "", ""},
		{strings.Repeat("route ", 10000), "", "/docs/routes"},
	} {
		t.Run(tt.query[:min(len(tt.query), 30)], func(t *testing.T) {
			is := is.New(t)
			w := get("/search?q=" + url.QueryEscape(tt.query))
			is.Equal(w.Code, http.StatusOK)
			_, results, _ := strings.Cut(w.Body.String(), `<div id="page-found">`)
			if tt.says != "" || tt.query == "" {
				is.True(strings.Contains(results, `<p role="status">`+tt.says+`</p>`))
			}
			first := ""
			if m := link.FindStringSubmatch(results); m != nil {
				first = m[1]
			}
			if tt.first != "" || tt.says != "" {
				is.Equal(first, tt.first)
			}
			is.True(!strings.Contains(w.Body.String(), "<script>"))
		})
	}
}

func TestIndex(t *testing.T) {
	is := is.New(t)
	w := get("/search.json")
	is.Equal(w.Code, http.StatusOK)
	is.Equal(w.Header().Get("Content-Type"), "application/json")
	var sections []struct{ URL, Page, Heading, Text string }
	is.NoErr(json.Unmarshal(w.Body.Bytes(), &sections))
	is.True(len(sections) > 150)
	for _, s := range sections {
		if s.URL == "docs/recipes/forms#checkboxes-and-selects" {
			is.Equal(s.Page, "Recipes › Forms")
			is.Equal(s.Heading, "Checkboxes and selects")
			is.True(strings.Contains(s.Text, "checkbox"))
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/search.json", nil)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	again := httptest.NewRecorder()
	app.Router.ServeHTTP(again, r)
	is.Equal(again.Code, http.StatusNotModified)
}

// TestExport: all of the site can be files.
func TestExport(t *testing.T) {
	is := is.New(t)
	result, err := export.Site(t.Context(), app.Router, export.Options{Dir: t.TempDir(), Base: "/flow", Headers: true})
	is.NoErr(err)
	is.Equal(len(result.NotExported), 0)
	for _, file := range []string{"index.html", "404.html", "search.html", "search.json", "docs.html", "docs/routes.html", "docs/recipes/forms.html"} {
		is.True(slices.Contains(result.Files, file)) // it was written
	}
}
