// Package devpage renders flow's own pages in development. A [Page] is a whole page with the
// common style sheet. There are two: a [Report] renders the page of an error, and
// internal/develop/routemap the route map.
//
// A [Fault] has a text, and the source around its line. [Parse] finds the faults in the text
// of an error or in the output of the go command. [Excerpts] has faults of one line share its
// source, on pages and for a terminal ([Colors]). [Stack] parses the stack of a panic.
// [Describe] collects the data of a request, and [RecordOf] that of a log record, with secrets
// masked.
package devpage

import (
	_ "embed"
	"html/template"
	"strings"
	"sync"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/csp"
)

// Style is the style sheet of flow's pages, and of the faults that the script shows on the
// application's own pages.
//
//go:embed style.css
var Style string

// Policy is the Content-Security-Policy of flow's pages. It allows their style sheet, by its
// hash, and the script for live reload, which comes from the same origin.
var Policy = PolicyFor(Style)

// PolicyFor is Policy for a page with other style sheets.
func PolicyFor(styles ...string) string {
	policy := "default-src 'none'; style-src"
	for _, style := range styles {
		policy += " " + csp.HashSource(style)
	}
	return policy + "; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
}

// ContentType is the media type of flow's pages.
const ContentType = "text/html; charset=utf-8"

//go:embed page.html
var pageText string

var wholePage = Template(pageText)

// A Page is one of flow's own pages.
//
// The style sheet has rules for plain HTML: headings, paragraphs, lists, dl, tables, forms,
// code, details. Put content that may be wider than the page into an element with the class
// "scroll" and tabindex="0", so that it can be scrolled with the keyboard.
type Page struct {
	Title string
	Main  template.HTML // the content of the element main: it begins with the only h1 of the page
	Own   template.CSS  // a style sheet behind Style; may be ""
	NoMap bool          // the page has no link to the route map, since no application serves it
}

// Render returns the whole page.
func (p Page) Render() []byte {
	return []byte(wholePage(struct {
		Page
		Style template.CSS
	}{p, template.CSS(Style)}))
}

// Template returns a function that executes the template of a page. The template is parsed at
// the first call, so that production never does it. It has the function count: {{count 2 "route"}}
// is "2 routes".
func Template(text string) func(data any) template.HTML {
	parsed := sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Funcs(template.FuncMap{"count": fault.Count}).Parse(text))
	})
	return func(data any) template.HTML {
		var b strings.Builder
		if err := parsed().Execute(&b, data); err != nil {
			panic(err) // cannot happen: the text is fixed
		}
		return template.HTML(b.String())
	}
}
