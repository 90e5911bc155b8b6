// Package devpage is how flow's own pages look, which only development shows: [Shell] puts
// a page together, with one style sheet for all of them. The pages are the fault page,
// which a [Report] renders, and the route map, which internal/routemap writes.
//
// A [Fault] is what is wrong, with the source around its line. [Parse] makes faults of the
// text of an error or of what the go command has printed, [Stack] makes frames of the
// stack of a panic, and [Describe] tells of a request what can be shown to others.
package devpage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"
	"sync"
)

// Style is the style sheet of all pages and of the overlay on the application's own pages.
//
//go:embed style.css
var Style string

// Policy is the Content-Security-Policy that flow's pages are sent with. It allows their
// style sheet by its hash, and of the server the script that loads them again.
var Policy = func() string {
	sum := sha256.Sum256([]byte(Style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
}()

// ContentType is the media type of flow's pages.
const ContentType = "text/html; charset=utf-8"

// Shell returns a whole page. The title is for the browser's tab. Main is what stands in
// the main landmark, and begins with the one h1 of the page.
//
// The style sheet dresses plain HTML: headings, paragraphs, lists, dl, tables, forms, code,
// details. What may be wider than the page stands in an element of the class "scroll" that
// can have the focus (tabindex="0"), so that the keyboard can move it.
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
		panic(err) // does not happen: the template is fixed
	}
	return []byte(b.String())
}

// shell is parsed when it is needed, as all that production does not need.
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
