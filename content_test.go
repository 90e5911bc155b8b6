package flow_test

import (
	"errors"
	"fmt"
	"html/template"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"
)

// front is what the format of the tests finds in a text, besides its HTML.
type front struct {
	Title string
	Date  string
}

// notes is a format: lines "Key: value" up to an empty line are the front matter; "# x" is a heading, "x -> y" a link,
// "!y" an image, and any other line HTML as it is.
func notes(src flow.Source) (html template.HTML, f front, err error) {
	var wrong []error
	link := func(to string) string {
		url, err := src.Link(to)
		wrong = append(wrong, err)
		return template.HTMLEscapeString(url)
	}
	var b strings.Builder
	inFront := true
	for i, line := range strings.Split(strings.ReplaceAll(src.Text, "\r\n", "\n"), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		before, to, isLink := strings.Cut(line, " -> ")
		switch {
		case inFront && key == "Title":
			f.Title = value
		case inFront && key == "Date":
			if f.Date = value; len(value) != len("2006-01-02") {
				wrong = append(wrong, fmt.Errorf("front matter: %w", src.ErrorAt(i+1, "%q is no date: write it as 2006-01-02", value)))
			}
		case inFront && line != "":
			wrong = append(wrong, src.ErrorAt(i+1, "the key %q is not known", key))
		case inFront:
			inFront = false
		case strings.HasPrefix(line, "# "):
			fmt.Fprintf(&b, "<h1>%s</h1>\n", template.HTMLEscapeString(line[2:]))
		case strings.HasPrefix(line, "!"):
			fmt.Fprintf(&b, "<p><img src=\"%s\" alt=\"\"></p>\n", link(line[1:]))
		case isLink:
			fmt.Fprintf(&b, "<p><a href=\"%s\">%s</a></p>\n", link(to), template.HTMLEscapeString(before))
		default:
			b.WriteString(line + "\n")
		}
	}
	return template.HTML(b.String()), f, errors.Join(wrong...)
}

// pages returns the tree of some pages and public files, with a layout that shows the title.
func noted(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{"router/+layout.html": {Data: []byte(`<title>{{.Title}}</title>{{template "content" .}}`)}}
	for name, text := range files {
		if !strings.HasPrefix(name, "public/") {
			name = "router/" + name
		}
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// withNotes returns a Router with the format .md.
func withNotes(files map[string]string) *flow.Router {
	r := flow.New(noted(files))
	r.Formats = map[string]flow.Format{".md": flow.FormatOf(notes)}
	return r
}

func TestPagesInFormats(t *testing.T) {
	r := withNotes(map[string]string{
		"index.md":        "Title: Home\n\n# Welcome\nthe guide -> docs/guide.md#top\n!logo.svg",
		"docs/guide.md":   "\ufeffTitle: {{.Title}} & more\r\n\r\n# {{range $x}}\r\n{{end}} {{\r\nback -> ../index.md",
		"docs/index.md":   "",
		"users/[id].md":   "Title: User\n\n# A user",
		"public/logo.svg": "<svg/>",
	})
	is.New(t).NoErr(r.Check())
	for path, want := range map[string]string{
		"/":           "<title>Home</title><h1>Welcome</h1>\n<p><a href=\"/docs/guide#top\">the guide</a></p>\n<p><img src=\"/logo.svg\" alt=\"\"></p>\n",
		"/docs/guide": "<title>{{.Title}} &amp; more</title><h1>{{range $x}}</h1>\n{{end}} {{\n<p><a href=\"/\">back</a></p>\n",
		"/docs":       "<title></title>",
		"/users/7":    "<title>User</title><h1>A user</h1>\n",
	} {
		t.Run(path, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, "GET", path)
			is.Equal(w.Code, 200)
			is.Equal(w.Body.String(), want)
			is.True(w.Header().Get("ETag") != "") // rendered once
		})
	}
}
