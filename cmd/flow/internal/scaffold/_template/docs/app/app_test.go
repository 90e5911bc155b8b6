package app

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flow"
	"example.com/flow/flowtest"
)

// TestMain says which routes no test has asked for, with go test -v. The log of requests would
// stand between what fails.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	flowtest.Main(m, Router.Routes)
}

// TestExamples sends the requests in the .http files below router/.
func TestExamples(t *testing.T) {
	flowtest.Examples(t, func(*testing.T) *flow.Router { return Router })
}

// ask returns the answer to a request.
func ask(method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// TestRoutes asks for pages that have something special. "flow add" adds a row here.
func TestRoutes(t *testing.T) {
	for _, tt := range []struct {
		method, path string
		status       int
		want         string // what the answer has in it
	}{
		{"GET", "/", 200, `href="/blog/second-post"`},
		{"GET", "/app.css", 200, "color-scheme"},
		{"GET", "/no/such/page", 404, "Not Found"},

		{"GET", "/docs", 200, `rel="next" href="/docs/first-page"`},
		{"GET", "/docs/first-page", 200, `<a href="#its-front-matter">Its front matter</a>`},
		{"GET", "/docs/writing/links", 200, `<li><a href="/docs/writing">Writing</a></li>`}, // the trail
		{"GET", "/docs/writing/links", 200, `<img src="/docs/writing/tree.svg" alt="A tree`},
		{"GET", "/docs/writing/code", 200, `{{.Title}}`},
		{"GET", "/docs/writing/code", 200, `<span class="kd">func</span>`},

		{"GET", "/blog", 200, `<time datetime="2026-01-12">12 January 2026</time>`},
		{"GET", "/blog/hello", 200, `rel="prev" href="/blog/second-post"`},
		{"GET", "/feed.xml", 200, `href="http://localhost:8080/blog/hello"`},
		{"GET", "/sitemap.xml", 200, `<loc>http://localhost:8080/docs/writing</loc>`},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			w := ask(tt.method, tt.path)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %d, want %d and %q in\n%s", w.Code, tt.status, tt.want, w.Body)
			}
		})
	}
}

// TestPages asks for each page, but for those behind a guard, which would refuse the request, and
// those with actions, which may need more than one.
func TestPages(t *testing.T) {
	if err := Router.Check(); err != nil {
		t.Fatal(err)
	}
	pages, err := flow.Entries[front](Router, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Guarded || p.HTML == "" {
			continue
		}
		t.Run(p.URL, func(t *testing.T) {
			w := ask("GET", p.URL)
			if n := strings.Count(w.Body.String(), "<h1"); w.Code != 200 || n != 1 || p.Title == "" {
				t.Errorf("got %d, the title %q and %d headings of the first level", w.Code, p.Title, n)
			}
		})
	}
}

// TestTitle converts a page whose title is its heading.
func TestTitle(t *testing.T) {
	html, f, err := markdown(flow.Source{Path: "docs/x", Text: "# The *first* page\n\nText.\n"})
	if err != nil || f.Title != "The first page" || html != "<p>Text.</p>\n" {
		t.Errorf("got %q, %q, %v", f.Title, html, err)
	}
}

// TestAttributes converts a heading that has an ID of its own.
func TestAttributes(t *testing.T) {
	_, f, err := markdown(flow.Source{Path: "docs/x", Text: "# X\n\n## How it begins {#start}\n"})
	if err != nil || len(f.TOC) != 1 || f.TOC[0].ID != "start" || f.TOC[0].Text != "How it begins" {
		t.Errorf("got %v, %v", f.TOC, err)
	}
}

// TestShortcodesAsCode converts a page about shortcodes.
func TestShortcodesAsCode(t *testing.T) {
	_, _, err := markdown(flow.Source{Path: "docs/x", Text: "# X\n\nIn `{{< figure >}}`:\n\n\t{{% note %}}\n\n```\n{{< x >}}\n```\n"})
	if err != nil {
		t.Error(err)
	}
}

// TestMistakes converts pages with mistakes.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ path, text, want string }{
		{"docs/x", "text", "docs/x:1: the page has no title"},
		{"docs/x", "---\ntitle: X\n", "docs/x:1: the front matter does not end"},
		{"docs/x", "---\ntitle: X\ntilte: Y\n---\n", "docs/x:3: field tilte not found"},
		{"docs/x", "---\ntitle: X\ntilte: Y\norder: first\n---\n", "docs/x:4: cannot construct"}, // the second mistake
		{"docs/x", "---\ntitle: \"X\n---\n", "docs/x:2: found unexpected end"},
		{"blog/x", "---\ntitle: X\ndate: 31 January\n---\n", "blog/x:3: parsing time"},
		{"blog/x", "---\ntitle: X\n---\n", "blog/x:1: a post needs a date"},
		{"docs/x", "---\ntitle: X\n---\n\ntext\n\n# Y\n", "docs/x:7: the title is the heading of the first level"},
		{"docs/x", "---\ntitle: X\n---\n\nSee {{< figure src=\"a.png\" >}}\n", "docs/x:5: this is a shortcode"},
		{"docs/x", "---\ntitle: X\n---\n\n{{% note %}}\n", "docs/x:5: this is a shortcode"},
		{"docs/x", "---\ntitle: X\n---\n\n<b>bold</b>\n", "docs/x:5: this is raw HTML"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			_, _, err := markdown(flow.Source{Path: tt.path, Text: tt.text})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
