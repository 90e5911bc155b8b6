package app

import (
	"fmt"
	"math"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func get(target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestLayouts(t *testing.T) {
	for target, tt := range map[string]struct {
		status int
		has    []string
		hasNot []string
	}{
		"/":               {200, []string{"<nav>", "<title>Books</title>", "<h1>Welcome</h1>"}, []string{"admin"}},
		"/admin":          {200, []string{`class="admin"`, "<title>Administration</title>"}, []string{"<nav>"}},
		"/poster":         {200, []string{"<title>A poster</title>"}, []string{"<nav>", "admin"}},
		"/nobody":         {404, []string{"404 Not Found"}, []string{"<nav>", "admin"}},
		"/books/9":        {404, []string{"there is no such book"}, []string{"<nav>"}},
		"/books?page=x":   {422, []string{"422"}, []string{"<nav>"}},
		"/books?page=2":   {404, []string{"there is no such page"}, nil},
		"/books?page=0":   {404, []string{"there is no such page"}, nil},
		"/books?q=nobody": {200, []string{"There is none.", "page 1 of 1"}, []string{"rel="}},
	} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			w := get(target)
			is.Equal(w.Code, tt.status)
			is.Equal(strings.Count(w.Body.String(), "<!doctype"), 1)
			is.Equal(strings.Count(w.Body.String(), "viewport"), 1)
			for _, text := range tt.has {
				is.True(strings.Contains(w.Body.String(), text))
			}
			for _, text := range tt.hasNot {
				is.True(!strings.Contains(w.Body.String(), text))
			}
		})
	}
}

func fillBooks(t *testing.T) {
	for i := range 45 {
		books = append(books, book{i + 1, fmt.Sprintf("Go %d", i+1)})
	}
	t.Cleanup(func() { books = nil })
}

func TestPagination(t *testing.T) {
	fillBooks(t)
	const previous, next = `rel="prev" href="/books?q=Go&amp;page=%s"`, `rel="next" href="/books?q=Go&amp;page=%s"`
	for _, tt := range []struct{ query, first, last, previous, next string }{
		{"q=Go", "Go 1", "Go 20", "", "2"},
		{"q=Go&page=1", "Go 1", "Go 20", "", "2"},
		{"page=2&q=Go", "Go 21", "Go 40", "1", "3"},
		{"q=Go&page=3", "Go 41", "Go 45", "2", ""},
	} {
		t.Run(tt.query, func(t *testing.T) {
			is := is.New(t)
			text := get("/books?" + tt.query).Body.String()
			is.True(strings.Index(text, ">"+tt.first+"<") > 0)
			is.True(strings.Index(text, ">"+tt.last+"<") > 0)
			is.Equal(strings.Contains(text, fmt.Sprintf(previous, tt.previous)), tt.previous != "")
			is.Equal(strings.Contains(text, fmt.Sprintf(next, tt.next)), tt.next != "")
			is.True(strings.Contains(text, `name="q" value="Go"`))
		})
	}
	is := is.New(t)
	is.Equal(get("/books?page=4").Code, 404)
	is.Equal(get(fmt.Sprint("/books?page=", math.MaxInt)).Code, 404)
	is.True(strings.Contains(get("/books?page=2").Body.String(), `href="/books?q=&amp;page=3"`))
}

func TestSitemap(t *testing.T) {
	is := is.New(t)
	fillBooks(t)
	books = books[:1]
	w := get("/sitemap.xml")
	is.Equal(w.Header().Get("Content-Type"), "application/xml; charset=utf-8")
	is.Equal(w.Body.String(), `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://localhost:8080/</loc></url><url><loc>http://localhost:8080/books</loc></url><url><loc>http://localhost:8080/books/1</loc></url></urlset>`)
	is.True(strings.HasSuffix(get("/robots.txt").Body.String(), "\nSitemap: http://localhost:8080/sitemap.xml\n"))
}
