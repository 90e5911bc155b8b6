package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/describe/document"
	"example.com/flow/internal/describe/page"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/public"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
)

// Page returns a handler for Do that shows the description to people, without scripts: that which
// JSON answers with in the nearest directory around the route file. Each operation has an id, its
// operationId, for links. Examples are commands for a shell.
func (a API) Page() http.Handler {
	return &site.Describer{Page: true, At: func(of *site.Description) http.Handler {
		p := &shown{site: of}
		p.once = sync.OnceValue(p.make)
		return p
	}}
}

// shown is a page at its place in a Router.
type shown struct {
	site *site.Description
	once func() *public.Content
}

// ServeHTTP answers with the page.
func (p *shown) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content := p.make
	if !p.site.Dev {
		content = p.once
	}
	if refused := content().Serve(w, r, noCache); refused != 0 {
		http.Error(w, http.StatusText(refused), refused)
	}
}

func (p *shown) make() *public.Content {
	of := p.site.Document
	html, err := page.HTML(of.Described.(*described).get().Document, relative(p.site.Tree.Patterns[0], of.Tree.Patterns[0]), examplesOf(of))
	if err != nil {
		panic(err) // a 500, with the reason in the log
	}
	return public.NewPage("text/html; charset=utf-8", html, page.Policy())
}

// relative returns the URL of a route as another one links to it. Both begin with the same
// directory.
func relative(from, to *pattern.Pattern) string {
	same := 0
	for same < len(from.Segments)-1 && same < len(to.Segments)-1 && from.Segments[same] == to.Segments[same] {
		same++
	}
	up := strings.Repeat("../", max(len(from.Segments)-1-same, 0))
	return up + strings.TrimPrefix(pattern.New(to.Segments[same:]).String(), "/")
}

// examplesOf returns a function that returns the examples of an operation, by its method and its
// path in the document.
func examplesOf(of *site.Description) func(method, path string) []page.Example {
	all := map[string][]page.Example{}
	for _, o := range of.Operations() {
		f := of.Read(o.Tree)
		for _, e := range of.Examples(o, f) {
			key := o.Method + " " + document.Template(e.Pattern)
			all[key] = append(all[key], exampleOf(f, e.Request, o.Status))
		}
	}
	return func(method, path string) []page.Example { return all[method+" "+path] }
}

// exampleOf returns a request of a route file as the page shows it.
func exampleOf(f site.File, r *httpfile.Request, status int) page.Example {
	e := page.NewExample(r.Title, r.Prose)
	if e.Title == "" {
		e.Title = r.String()
	}
	e.Curl, e.Request = page.Curl(httpfile.SampleOf(f.File, r, f.Open), f.Prefix), r.String()
	for _, c := range httpfile.ConditionsOf(f.File, r) {
		words := []string{c.Subject, c.Header, httpfile.PlaceText(c.Place), c.Word, c.Text}
		words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
		e.Expects = append(e.Expects, strings.Join(words, " "))
	}
	if len(r.Expects) == 0 && status != 0 {
		e.Expects = []string{fmt.Sprintf("status == %d", status)}
	}
	return e
}
