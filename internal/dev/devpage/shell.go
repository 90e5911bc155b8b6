// Package devpage renders flow's own pages in development. [Shell] returns a whole page with
// the common style sheet. There are two pages: a [Report] renders the page of an error, and
// internal/dev/routemap the route map.
//
// A [Fault] has a text, and the source around its line. [Parse] finds the faults in the text
// of an error or in the output of the go command. [Excerpts] has faults of one line share its
// source, on pages and for a terminal ([Colors]). [Stack] parses the stack of a panic.
// [Describe] collects the data of a request, with secrets masked.
package devpage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"
	"sync"
)

// Style is the style sheet of flow's pages, and of the faults that the script shows on the
// application's own pages.
//
//go:embed style.css
var Style string

// Policy is the Content-Security-Policy of flow's pages. It allows their style sheet, by its
// hash, and the script for live reload, which comes from the same origin.
var Policy = func() string {
	sum := sha256.Sum256([]byte(Style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
}()

// ContentType is the media type of flow's pages.
const ContentType = "text/html; charset=utf-8"

// Shell returns a whole page. main is the content of the element main, and begins with the
// only h1 of the page.
//
// The style sheet has rules for plain HTML: headings, paragraphs, lists, dl, tables, forms,
// code, details. Put content that may be wider than the page into an element with the class
// "scroll" and tabindex="0", so that it can be scrolled with the keyboard.
func Shell(title string, main template.HTML) []byte { return page(title, main, true) }

// page is Shell, with a link to the route map if there is one.
func page(title string, main template.HTML, hasMap bool) []byte {
	var b strings.Builder
	err := shell().Execute(&b, struct {
		Title string
		Style template.CSS
		Main  template.HTML
		Map   bool
	}{title, template.CSS(Style), main, hasMap})
	if err != nil {
		panic(err) // cannot happen: the template is fixed
	}
	return []byte(b.String())
}

// shell returns the parsed template. It is parsed at the first call, so that production never
// does it.
var shell = sync.OnceValue(func() *template.Template { return template.Must(template.New("shell").Parse(shellText)) })

const shellText = `<!doctype html>
<html lang="en" data-flow-page>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}</title>
<style>{{.Style}}</style>
</head>
<body>
<header class="top"><p><strong>flow</strong> <span>development</span></p>
{{if .Map}}<nav aria-label="Development"><a href="/_flow">Route map</a></nav>{{end}}</header>
<main>
{{.Main}}</main>
<footer><p>Only development shows this page, and only to this machine.</p></footer>
</body>
</html>
`
