package app

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
)

func TestPages(t *testing.T) {
	is.New(t).NoErr(Router.Check())
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"/", 200, "<title>Home</title>"},
		{"/blog", 200, "<ul>\n<li><a href=\"/blog/second\">The second post</a>, 3 February 2026</li>\n<li><a href=\"/blog/hello\">Hello</a>, 12 January 2026</li>\n</ul>"},
		{"/blog/second", 200, "<p>\n\n<a rel=\"next\" href=\"/blog/hello\">Older: Hello</a>\n</p>"}, // and nothing newer
		{"/blog/hello", 200, `<a rel="prev" href="/blog/second">Newer: The second post</a>`},
		{"/blog/hello", 200, `<a href="/docs/writing#pictures">How it was written</a>`},
		{"/blog/hello", 200, `<a href="/tags/news">news</a>`},
		{"/docs/writing", 200, `<a href="/">Home</a> / <a href="/docs">Documentation</a> / </nav>`},
		{"/docs/writing", 200, `<li><a href="/docs/writing" aria-current="page">Writing</a></li>`},
		{"/docs/writing", 200, `<img src="/docs/line.svg" alt="A line">`},
		{"/about", 200, "<h1>About</h1>\n\n<p>Two people"},
		{"/tags/news", 200, "<h1>Posts about news</h1>"},
		{"/tags/none", 404, "no post has this tag"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			w := httptest.NewRecorder()
			Router.ServeHTTP(w, httptest.NewRequest("GET", tt.path, nil))
			is.Equal(w.Code, tt.status)
			if !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("want %s in\n%s", tt.want, w.Body)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"title: X\n", "x:1: begin with a line of ---"},
		{"---\ntitle: X\ntilte: Y\n---\n", "x:3: field tilte not found in type app.front"},
		{"---\r\ntitle: X\r\ndate: 12 January\r\n---\r\n", "x:3: parsing time"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			_, _, err := markdown(flow.Source{Path: "x", Text: tt.text})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
