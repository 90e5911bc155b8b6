package flow_test

import (
	"errors"
	"fmt"
	"html"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/openapi"
)

// front is what the format of the tests finds in a text, besides its HTML.
type front struct {
	Title string
	Date  string
}

// notes is a format: lines "Key: value" up to an empty line are the front matter; "# x" is a heading, "## x" one
// of the fourth level, "x -> y" a link, "!y" an image, a line that begins with a blank code, and any other
// line HTML as it is.
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
		case strings.HasPrefix(line, " "):
			fmt.Fprintf(&b, "<pre>%s</pre>\n", template.HTMLEscapeString(line[1:]))
		case strings.HasPrefix(line, "## "):
			fmt.Fprintf(&b, "<h4 id=\"%s\">%s</h4>\n", strings.ToLower(line[3:4]), template.HTMLEscapeString(line[3:]))
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

func TestFaultsOfFormats(t *testing.T) {
	markdown := func(src flow.Source) (template.HTML, front, error) { return template.HTML(src.Text), front{}, nil }
	panics := func(src flow.Source) (template.HTML, front, error) {
		return template.HTML(src.Text[:98+len(src.Text)]), front{}, nil
	}
	fails := func(src flow.Source) (template.HTML, front, error) {
		return "", front{}, errors.Join(src.ErrorAt(0, "the whole"), fmt.Errorf("yaml:\n  a list: %w", src.ErrorAt(2, "of\nlines")), errors.New("no place"))
	}
	var kept error // an error about one page that is returned for another, too
	keeps := func(src flow.Source) (template.HTML, front, error) {
		if kept == nil {
			_, kept = src.Link("none.md")
		}
		return "", front{}, kept
	}
	for _, tt := range []struct {
		name    string
		formats map[string]flow.Format
		files   map[string]string
		want    string
	}{
		{"a foreign extension", nil, map[string]string{"a.txt": ""}, "router/a.txt: a route file ends in .html, .md (a page) or .http (an endpoint): other files belong in public/"},
		{"upper case", nil, map[string]string{"a.MD": ""}, "router/a.MD: a route file ends in .html, .md (a page) or .http (an endpoint): other files belong in public/"},
		{"no format", map[string]flow.Format{}, map[string]string{"a.md": ""}, `router/a.md: a route file ends in .html (a page) or .http (an endpoint): other files belong in public/, and Router.Formats[".md"] would make pages of these`},
		{"no function", map[string]flow.Format{".md": {}}, map[string]string{"a.md": ""}, `Router.Formats[".md"]: the format has no function: make it with flow.FormatOf`},
		{"a nil function", map[string]flow.Format{".md": flow.FormatOf[front](nil)}, nil, `Router.Formats[".md"]: the format has no function: make it with flow.FormatOf`},
		{"extensions", map[string]flow.Format{"": flow.FormatOf(markdown), ".": flow.FormatOf(markdown), ".MD": flow.FormatOf(markdown), ".a.md": flow.FormatOf(markdown), ".html": flow.FormatOf(markdown), ".http": flow.FormatOf(markdown), "md": flow.FormatOf(markdown)}, nil, `
Router.Formats[""]: this is no extension: it is a dot and lower-case letters, as in .md
Router.Formats["."]: this is no extension: it is a dot and lower-case letters, as in .md
Router.Formats[".MD"]: this is no extension: it is a dot and lower-case letters, as in .md
Router.Formats[".a.md"]: this is no extension: it is a dot and lower-case letters, as in .md
Router.Formats[".html"]: flow itself reads these files: give the format another extension, such as .md
Router.Formats[".http"]: flow itself reads these files: give the format another extension, such as .md
Router.Formats["md"]: this is no extension: it is a dot and lower-case letters, as in .md`},
		{"two types", map[string]flow.Format{".adoc": flow.FormatOf(markdown), ".md": flow.FormatOf(func(flow.Source) (template.HTML, string, error) { return "", "", nil })}, nil,
			`Router.Formats[".md"]: its pages have string as their data, and those of .adoc have flow_test.front: give all formats of a Router one type`},
		{"two files for one URL", nil, map[string]string{"a.html": "", "a.md": ""}, "router/a.html and router/a.md both answer /a: rename one of them"},
		{"the file and the index", nil, map[string]string{"a/index.md": "", "a.md": ""}, "router/a.md and router/a/index.md both answer /a: rename one of them"},
		{"a partial", nil, map[string]string{"+row.md": ""}, "router/+row.md: a file whose name begins with + is a template of its directory: call it +row.html"},
		{"a bad date, an unknown key", nil, map[string]string{"a.md": "Title: A\nDate: soon\nColour: red", "b.md": "\ufeffDate: 1\r\n"}, `
router/a.md:2: front matter: "soon" is no date: write it as 2006-01-02
router/a.md:3: the key "Colour" is not known
router/b.md:1: front matter: "1" is no date: write it as 2006-01-02`},
		{"a panic", map[string]flow.Format{".md": flow.FormatOf(panics)}, map[string]string{"a.md": "x"}, "router/a.md: the function of Router.Formats has panicked in content_test.go:0: runtime error: slice bounds out of range [:99] with length 1"},
		{"an error of another page", map[string]flow.Format{".md": flow.FormatOf(keeps)}, map[string]string{"a.md": "x", "b.md": "x"}, `
router/a.md: none.md leads to no file: there is no router/none.md
router/b.md: router/a.md: none.md leads to no file: there is no router/none.md`},
		{"errors", map[string]flow.Format{".md": flow.FormatOf(fails)}, map[string]string{"a.md": "x"}, `
router/a.md: no place
router/a.md: the whole
router/a.md:2: yaml: a list: of lines`},
		{"not UTF-8", nil, map[string]string{"a.md": "Title: A\n\nf\ufffd\ncaf\xe9"}, "router/a.md:4: the text is not UTF-8: save it so"},
		{"a wrong field in the layout", nil, map[string]string{"+layout.html": "<title>{{.Titel}}</title>{{template \"content\" .}}", "a.md": "", "b.md": "", "c.md": ""},
			`router/+layout.html:1:11: {{.Titel}}: flow_test.front has no field or method Titel: did you mean "Title"? (with the data of router/a.md and of 2 more)`},
		{"HTML that ends in a tag", nil, map[string]string{"a.md": "\n\n# A\n<p class=\"x\n\n"}, `router/a.md:4:1: the HTML of its format: ends within a tag, an attribute, a script or a style: "<p class=\"x"`},
		{"HTML that ends in a tag, of the format", map[string]flow.Format{".md": flow.FormatOf(func(flow.Source) (template.HTML, front, error) { return "<p>\n<b\n\n", front{}, nil })}, map[string]string{"a.md": "A"},
			`router/a.md: the HTML of its format: ends within a tag, an attribute, a script or a style: "<b"`},
		{"HTML with a wrong attribute", nil, map[string]string{"a.md": "\nA\n<p a=b\"c>"}, `router/a.md:3:6: the HTML of its format: "\"" in unquoted attr: "b\"c"`},
		{"a document in a layout", nil, map[string]string{"a.md": "\n\n<!doctype html>\n<p>A"}, `router/a.md:3: it begins with <!doctype, and is shown inside router/+layout.html: leave to the layout what stands around a page`},
		{"links", nil, map[string]string{"docs/a.md": "\nb -> guid.md\nc -> ../c.md\nme -> ../users/[id].md\nout -> ../../../x.md\nrow -> ../+row.html\nb -> ./guid.md#x\nb -> guid.md", "c.html": "", "users/[id].md": "", "+row.html": "", "docs/guide.md": ""}, `
router/docs/a.md:2:6: guid.md leads to no file: there is no router/docs/guid.md: did you mean "guide.md"?
router/docs/a.md:3:6: ../c.md leads to no file: there is no router/c.md: did you mean "../c.html"?
router/docs/a.md:4:7: the URL of router/users/[id].md has the parameter "id", so it is not one: link to the URL for a value
router/docs/a.md:5:8: ../../../x.md leads out of router/
router/docs/a.md:6:8: router/+row.html has no URL
router/docs/a.md:7:6: ./guid.md#x leads to no file: there is no router/docs/guid.md: did you mean "guide.md"?
router/docs/a.md:8:6: guid.md leads to no file: there is no router/docs/guid.md: did you mean "guide.md"?`},
		{"a dead link of the text, twice", nil, map[string]string{"a.md": "\nx -> /none\n\nx -> /none"}, `
router/a.md:2:6: href of <a>: nothing answers /none: if something else does, write the whole URL, with its host; or put the file into public/
router/a.md:4:6: href of <a>: nothing answers /none: if something else does, write the whole URL, with its host; or put the file into public/`},
		{"a dead link twice in a line", nil, map[string]string{"a.md": "\n<a href=\"/none\">x</a> <a href='/none'>x</a>"}, `
router/a.md:2:10: href of <a>: nothing answers /none: if something else does, write the whole URL, with its host; or put the file into public/
router/a.md:2:32: href of <a>: nothing answers /none: if something else does, write the whole URL, with its host; or put the file into public/`},
		{"a dead image", nil, map[string]string{"a.md": "\n!/none.png"}, `router/a.md:2:2: src of <img>: nothing answers /none.png: if something else does, write the whole URL, with its host; or put the file into public/`},
		{"a page by the name of its file", nil, map[string]string{"a.md": "\nx -> /docs/b.md\nx -> /docs/index.md#top\nx -> /none.md", "docs/b.md": "", "docs/index.md": ""}, `
router/a.md:2:6: href of <a>: nothing answers /docs/b.md: did you mean /docs/b?
router/a.md:3:6: href of <a>: nothing answers /docs/index.md: did you mean /docs?
router/a.md:4:6: href of <a>: nothing answers /none.md: if something else does, write the whole URL, with its host; or put the file into public/`},
		{"an error made of two", map[string]flow.Format{".md": flow.FormatOf(func(src flow.Source) (template.HTML, front, error) {
			return "", front{}, fmt.Errorf("front matter: %w, %w", errors.ErrUnsupported, src.ErrorAt(2, "a list"))
		})}, map[string]string{"a.md": "text"}, "router/a.md:2: front matter: unsupported operation, a list"},
		{"a dead link that the format shows twice", map[string]flow.Format{".md": flow.FormatOf(func(src flow.Source) (template.HTML, front, error) {
			html, front, err := notes(src)
			return html + "<nav>" + html + "</nav>", front, err
		})}, map[string]string{"a.md": "\nx -> /none"}, `router/a.md:2:6: href of <a>: nothing answers /none: if something else does, write the whole URL, with its host; or put the file into public/`},
		{"a dead link of the format", map[string]flow.Format{".md": flow.FormatOf(func(src flow.Source) (template.HTML, front, error) {
			return `<a href="/edit/a">Edit</a>` + template.HTML(src.Text), front{}, nil
		})}, map[string]string{"a.md": "text"}, `router/a.md: href of <a>: nothing answers /edit/a: if something else does, write the whole URL, with its host; or put the file into public/`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := withNotes(tt.files)
			if tt.formats != nil {
				r.Formats = tt.formats
			}
			err := r.Check()
			is.True(err != nil)
			is.Equal(regexp.MustCompile(`_test.go:\d+`).ReplaceAllString(err.Error(), "_test.go:0"), strings.TrimPrefix(tt.want, "\n"))
		})
	}
}

// TestRelativeURLs: a relative URL that a format leaves as it is, and that nothing answers, is a warning.
func TestRelativeURLs(t *testing.T) {
	const nothing = "router/docs/a.md:3:"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"an image", map[string]string{"docs/a.md": "\n\n!missing.png"}, nothing + "2: warning: src of <img>: to browsers missing.png is /docs/missing.png, and nothing answers that: a file of that URL would be public/docs/missing.png"},
		{"an image of the page of a directory", map[string]string{"docs/index.md": "\n!missing.png?x"}, "router/docs/index.md:2:2: warning: src of <img>: to browsers missing.png is /missing.png, and nothing answers that: a file of that URL would be public/docs/missing.png"},
		{"an image in a group", map[string]string{"(site)/docs/a.md": "\n!b.png"}, "router/(site)/docs/a.md:2:2: warning: src of <img>: to browsers b.png is /docs/b.png, and nothing answers that: a file of that URL would be public/docs/b.png"},
		{"one that the format does not ask for", map[string]string{"docs/index.md": "\n<img src='a%20b.png' srcset='c.png 2x' alt=''>"}, `
router/docs/index.md:2:11: warning: src of <img>: to browsers a%20b.png is /a%20b.png, and nothing answers that: a file of that URL would be public/a b.png
router/docs/index.md:2:30: warning: srcset of <img>: to browsers c.png is /c.png, and nothing answers that: a file of that URL would be public/c.png`},
		{"an image that stands beside the page", map[string]string{"docs/index.md": "\n<img src=logo.png alt=''>", "public/docs/logo.png": ""}, "router/docs/index.md:2:10: warning: src of <img>: to browsers logo.png is /logo.png, and nothing answers that: write /docs/logo.png, or have the format give the link to Source.Link"},
		{"a link", map[string]string{"docs/a.md": "\n\nx -> ../nowhere#x"}, nothing + "6: warning: href of <a>: to browsers ../nowhere is /nowhere, and nothing answers that: if something else does, say so with rel=\"external\""},
		{"a misspelt link", map[string]string{"docs/a.md": "\n\nx -> guid", "docs/guide.md": ""}, nothing + "6: warning: href of <a>: to browsers guid is /docs/guid, and nothing answers that: did you mean /docs/guide?"},
		{"a link to a source file", map[string]string{"docs/a.md": "\n\n<a href='guide.md'>", "docs/guide.md": ""}, nothing + "10: warning: href of <a>: to browsers guide.md is /docs/guide.md, and nothing answers that: write /docs/guide, or have the format give the link to Source.Link"},
		{"a link to no source file", map[string]string{"docs/a.md": "\n\n<a href='giude.md'>", "docs/guide.md": ""}, nothing + "10: warning: href of <a>: to browsers giude.md is /docs/giude.md, and nothing answers that: giude.md leads to no file: there is no router/docs/giude.md: did you mean \"guide.md\"?"},
		{"each place", map[string]string{"docs/a.md": "\nx -> ./b\n\nx -> ./b"}, `
router/docs/a.md:2:6: warning: href of <a>: to browsers ./b is /docs/b, and nothing answers that: if something else does, say so with rel="external"
router/docs/a.md:4:6: warning: href of <a>: to browsers ./b is /docs/b, and nothing answers that: if something else does, say so with rel="external"`},
		{"what is answered", map[string]string{"docs/a.md": "\nx -> b\nx -> ../docs/\nx -> .\n!logo.png\nx -> #top\nx -> ?page=2\nx -> mailto:a@b\nx -> //c/d", "docs/b.html": "", "docs/index.md": "", "public/docs/logo.png": ""}, ""},
		{"elsewhere", map[string]string{"docs/a.md": "\n<a href='nowhere' rel='external'>"}, ""},
		{"a page with a parameter", map[string]string{"docs/[id].md": "\nx -> nowhere"}, ""},
		{"a page with two URLs", map[string]string{"docs/[[id]].md": "\nx -> nowhere"}, ""},
		{"a base in the page", map[string]string{"docs/a.md": "\n<base href='/x/'>\n\nx -> nowhere"}, ""},
		{"a base in the layout", map[string]string{"docs/+layout.html": "<base href='/x/'>{{template \"content\" .}}", "docs/a.md": "\nx -> nowhere"}, ""},
		{"a base in another layout", map[string]string{"blog/+layout.html": "<base href='/x/'>{{template \"content\" .}}", "docs/a.md": "\nx -> guid"}, `router/docs/a.md:2:6: warning: href of <a>: to browsers guid is /docs/guid, and nothing answers that: if something else does, say so with rel="external"`},
		{"a page that is no format's", map[string]string{"docs/a.html": "<a href='nowhere'>"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := withNotes(tt.files)
			is.NoErr(r.Check())
			is.Equal(errorText(r.Warnings()), strings.TrimPrefix(tt.want, "\n"))
		})
	}

	is := is.New(t)
	outer := flow.New(noted(map[string]string{"+layout.html": `{{template "content" .}}`, "index.html": ""}))
	outer.Mount("/inner", withNotes(map[string]string{"a.md": "\n<img src='b.png' alt=''>"}))
	is.NoErr(outer.Check())
	is.Equal(errorText(outer.Warnings()), `Mount("/inner"): router/a.md:2:11: warning: src of <img>: to browsers b.png is /inner/b.png, and nothing answers that: a file of that URL would be public/b.png`)
}

// TestPlacesOfManyFaults: each of many faults of one page has its place. With a search through the whole page for
// each of them, this takes minutes.
func TestPlacesOfManyFaults(t *testing.T) {
	is := is.New(t)
	const many = 20_000
	var text strings.Builder
	for i := range many {
		fmt.Fprintf(&text, "\n<a href=\"/none/%d?a\">x</a> a text with &lt;, which nothing of a link is in, on %d lines", i, i)
	}
	var all interface{ Unwrap() []error }
	is.True(errors.As(withNotes(map[string]string{"a.md": text.String()}).Check(), &all))
	is.Equal(len(all.Unwrap()), many)
	for i, err := range all.Unwrap() {
		want := fmt.Sprintf(`router/a.md:%d:10: href of <a>: nothing answers /none/%d:`, i+2, i)
		if !strings.HasPrefix(err.Error(), want) {
			t.Fatalf("%v: want %s", err, want)
		}
	}
}

// TestFormatsInDevelopment changes one file after the other, and asks after each.
func TestFormatsInDevelopment(t *testing.T) {
	is := is.New(t)
	tree := noted(map[string]string{
		"index.md":       "Title: Home\n\nguide -> guide.md",
		"guide.md":       "Title: Guide\n\nhome -> index.md\n!logo.png",
		"data.md":        "Title: Unseen\n\nData",
		"public/none.md": "",
	})
	dir := onDisk(t, tree)
	r := flow.New(tree)
	var converted []string
	r.Formats = map[string]flow.Format{".md": flow.FormatOf(func(src flow.Source) (template.HTML, front, error) {
		converted = append(converted, src.Path)
		return notes(src)
	})}
	r.At("data").GET().Do(func(*flow.Request) (front, error) { return front{Title: "Data"}, nil })
	r.Dev(dir)
	logged(r)
	is.NoErr(r.Check())
	get := func(path string) string {
		converted = nil
		w := visit(r, path)
		return w.Result().Status[:3] + " " + html.UnescapeString(w.Body.String())
	}
	is.Equal(get("/"), "200 <title>Home</title><p><a href=\"/guide\">guide</a></p>\n")
	is.Equal(get("/data"), "200 <title>Data</title>Data\n")
	is.Equal(get("/guide"), "200 <title>Guide</title><p><a href=\"/\">home</a></p>\n<p><img src=\"logo.png\" alt=\"\"></p>\n")

	write(t, dir, "router/index.md", "Title: New\n\nguide -> guide.md")
	is.Equal(get("/"), "200 <title>New</title><p><a href=\"/guide\">guide</a></p>\n")
	is.Equal(converted, []string{"index"})
	write(t, dir, "router/+layout.html", `{{.Date}} {{template "content" .}}`)
	is.Equal(get("/"), "200  <p><a href=\"/guide\">guide</a></p>\n")
	is.Equal(len(converted), 0)

	// Files that are new, or gone, change where links lead.
	write(t, dir, "public/logo.png", "png")
	is.True(strings.Contains(get("/guide"), `src="/logo.png"`))
	is.Equal(converted, []string{"guide"})
	is.NoErr(os.Remove(filepath.Join(dir, "router", "guide.md")))
	page := get("/")
	is.True(strings.Contains(page, "router/index.md:3:10"))
	is.True(strings.Contains(page, "guide.md leads to no file: there is no router/guide.md"))
	is.True(!strings.Contains(page, "no template is called"))
	write(t, dir, "router/guide.md", "Title: Guide\nDate: now")
	is.Equal(get("/"), "200  <p><a href=\"/guide\">guide</a></p>\n")
	page = get("/guide")
	is.True(strings.Contains(page, "router/guide.md:2"))
	is.True(strings.Contains(page, `front matter: "now" is no date`))
	is.True(strings.Contains(page, "Title: Guide")) // the lines around it

	is.True(strings.Contains(get("/_flow"), "In router/+layout.html")) // the route map says so of pages

	write(t, dir, "router/guide.md", "Title: Guide\n\nx -> /none")
	is.Equal(get("/guide"), "200  <p><a href=\"/none\">x</a></p>\n") // a dead link is no fault of the request
	faults, _ := r.WrongOnDisk()
	is.Equal(len(faults), 1)
	is.Equal(faults[0].String(), `router/guide.md:3:6: href of <a>: nothing answers /none: if something else does, write the whole URL, with its host; or put the file into public/`)
	is.Equal(len(faults[0].Source), 3)

	write(t, dir, "router/+layout.html", "\n{{.Titel}} {{template `content` .}}")
	is.True(strings.Contains(get("/"), "router/+layout.html:2"))
	write(t, dir, "router/+layout.html", `{{template "content" .}}`)
	is.True(strings.Contains(get("/guide.md"), "did you mean /guide (router/guide.md)?"))
	write(t, dir, "router/news.md", "Title: News")
	is.True(strings.Contains(get("/news"), "router/news.md is new on disk"))
}

// TestHandlersOfFormats: a page of a format has handlers as others have.
func TestHandlersOfFormats(t *testing.T) {
	is := is.New(t)
	type post struct {
		front
		Count int
	}
	r := withNotes(map[string]string{
		"+layout.html":      `<title>{{.Title}}</title>{{template "content" .}}`,
		"+error.html":       "{{define \"x\"}}{{end}}{{.Status}}",
		"own.md":            "Title: Text\n\nOwn",
		"again.md":          "Title: Text\n\nAgain",
		"form.md":           "Title: Text\n\n<form method=\"post\"><input name=\"Title\"></form>",
		"guarded.md":        "Title: Text\n\nGuarded",
		"request.md":        "Title: Text\n\nRequest",
		"shown.http":        "",
		"errs/index.md":     "Title: Text\n\nErrs",
		"errs/+layout.html": `{{with request}}{{end}}{{template "content" .}}`,
	})
	r.At("own").GET().Do(func(*flow.Request) (post, error) { return post{front{Title: "Handler"}, 1}, nil })
	r.At("again").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil).Status(203) })
	r.At("form").POST().Do(func(_ *flow.Request, in front) (front, error) { return front{Title: "Sent " + in.Title}, nil })
	r.At("shown").GET().Do(func(*flow.Request) flow.Response { return flow.View("again", nil) })
	r.In("guarded").Use(func(req *flow.Request) flow.Response {
		if req.URL.RawQuery == "in" {
			return flow.Next()
		}
		return flow.Fail(403, "")
	})
	log := logged(r)
	is.NoErr(r.Check())

	wrong := withNotes(map[string]string{"own.md": ""})
	wrong.At("own").GET().Do(func(*flow.Request) (struct{ Name string }, error) { return struct{ Name string }{}, nil })
	is.Equal(wrong.Check().Error(), `router/+layout.html:1:11: {{.Title}}: struct { Name string } has no field or method Title (with the data of router/own.md)`)

	for _, tt := range []struct{ method, target, want string }{
		{"GET", "/own", "200 <title>Handler</title>Own\n"},
		{"GET", "/again", "203 <title>Text</title>Again\n"},
		{"GET", "/form", "200 <title>Text</title><form method=\"post\"><input name=\"Title\"></form>\n"},
		{"POST", "/form?Title=x", "200 <title>Sent x</title><form method=\"post\"><input name=\"Title\"></form>\n"},
		{"PUT", "/form", "405 "},
		{"GET", "/guarded?in", "200 <title>Text</title>Guarded\n"},
		{"GET", "/guarded", "403 "},
		{"GET", "/errs", "200 <title>Text</title>Errs\n"},
		{"GET", "/shown", "200 <title>Text</title>Again\n"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, tt.method, tt.target)
			got := fmt.Sprint(w.Code, " ", w.Body.String())
			if w.Code >= 400 {
				got = fmt.Sprint(w.Code, " ")
			}
			is.Equal(got, tt.want)
		})
	}
	is.Equal(log.String(), "")
}

// TestDescriptionAtAPage: what describes an API has no text to be converted.
func TestDescriptionAtAPage(t *testing.T) {
	r := withNotes(map[string]string{"api.md": ""})
	r.At("api").GET().Do(openapi.API{}.JSON())
	err := r.Check()
	is := is.New(t)
	is.True(err != nil)
	is.True(strings.HasSuffix(err.Error(), "router/api.md is a page, and what describes an API has no template: call the file router/api.http"))
}

func TestFormatsOfSeveralRouters(t *testing.T) {
	is := is.New(t)
	upper := flow.FormatOf(func(src flow.Source) (template.HTML, string, error) {
		link, err := src.Link("b.md")
		return template.HTML(strings.ToUpper(src.Text) + link), src.Path, err
	})
	shared := fstest.MapFS{"router/+layout.html": {Data: []byte(`({{template "content" .}})`)}, "router/+layout.md": {Data: []byte("no")}}
	inner := flow.New(flowtest.Files("router/b.md", "router/index.md"), shared)
	inner.Formats = map[string]flow.Format{".md": upper}
	third := flow.New(fstest.MapFS{"router/c.html": {Data: []byte("c {{template `+row` .}}")}, "router/+row.html": {Data: []byte("row")}})
	r := withNotes(map[string]string{"index.md": "Title: Outer\n\nx -> /inner/b"})
	r.Mount("/inner", inner)
	r.Mount("/third", third)
	is.NoErr(r.Check())
	is.Equal(serve(r, "GET", "/").Body.String(), "<title>Outer</title><p><a href=\"/inner/b\">x</a></p>\n")
	is.Equal(serve(r, "GET", "/inner").Body.String(), "(/inner/b)")
	is.Equal(serve(r, "GET", "/third/c").Body.String(), "c row")

	inner = flow.New(flowtest.Files("router/b.md"))
	r = withNotes(map[string]string{"index.html": ""})
	r.Mount("/inner", inner)
	is.Equal(r.Check().Error(), `Mount("/inner"): router/b.md: a route file ends in .html (a page) or .http (an endpoint): other files belong in public/, and Router.Formats[".md"] would make pages of these`)
}

// TestPlacesInFormats: a warning or a fault has the line of the text that it is about, or no line.
func TestPlacesInFormats(t *testing.T) {
	const noAlt = `: warning: <img> has no alt: describe the image, or write alt="" if it only adorns`
	for _, tt := range []struct{ name, text, want string }{
		{"a tag as it is written", "x\n <img src=\"/a.png\">\n<img src=\"/a.png\">", "router/a.md:5:1" + noAlt},
		{"a tag that the format has changed", "x\n<IMG src=\"/a.png\">", "router/a.md" + noAlt},
		{"a tag with an escape", "<img src=\"/a.png?a&amp;b\">", "router/a.md:3:1" + noAlt},
		{"a tag with an escape, also as code", " <img src=\"/a.png?a&b\">\n<img src=\"/a.png?a&amp;b\">", "router/a.md" + noAlt},
		{"a heading", "# A\n## Beta & gamma", "router/a.md:4:4: warning: <h4> follows <h1>: a level is left out"},
		{"a heading whose text stands elsewhere, too", "# A\n<p>Beta</p>\n## Beta", "router/a.md: warning: <h4> follows <h1>: a level is left out"},
		{"two headings of one text", "# A\n## Beta\n## Beta", "router/a.md: warning: <h4> follows <h1>: a level is left out\nrouter/a.md: warning: the page has the id \"b\" twice: see router/a.md"},
		{"an id", "<h1 id=\"a\">A</h1>\n<p id=\"a\">A</p>", "router/a.md:4:1: warning: the page has the id \"a\" twice: see router/a.md:3"},
		{"the policy", "<h1>A</h1>\n<p onclick=\"go()\">A</p>", "router/a.md:4:1: warning: the policy refuses onclick of <p>: put the code into a script with addEventListener (script-src 'self' 'nonce')"},
		{"a script that needs a nonce", "<h1>A</h1>\n<script src=\"https://example.org/x.js\"></script>", "router/a.md:4:14: warning: the policy refuses the script https://example.org/x.js, unless that is this site: put it into a template, with nonce=\"{{nonce}}\" (script-src 'self' 'nonce')"},
		{"an image of another server", "<h1>A</h1>\nx\n!https://example.org/x.png", "router/a.md:5:2: warning: the policy refuses the image https://example.org/x.png, unless that is this site: add img-src 'self' https://example.org (default-src 'self')"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := withNotes(map[string]string{"a.md": "Title: A\n\n" + tt.text, "public/a.png": "", "+layout.html": `<!doctype html><html lang="en"><title>{{.Title}}</title>{{template "content" .}}`})
			r.Formats = map[string]flow.Format{".md": flow.FormatOf(func(src flow.Source) (template.HTML, front, error) {
				html, front, err := notes(src)
				return template.HTML(strings.ReplaceAll(string(html), "<IMG", "<img")), front, err
			})}
			r.ContentSecurityPolicy = "default-src 'self'; script-src 'self' 'nonce'"
			is.Equal(strings.TrimSpace(runWith(t.Context(), r, nil, "check").stderr), tt.want)
		})
	}
}

// TestLinksTogether: a format may look for links in several goroutines, until its function returns.
func TestLinksTogether(t *testing.T) {
	is := is.New(t)
	r := withNotes(map[string]string{"a.md": "", "b.md": ""})
	var kept flow.Source
	r.Formats[".md"] = flow.FormatOf(func(src flow.Source) (template.HTML, front, error) {
		kept = src
		together(8, func(i int) {
			if url, err := src.Link(fmt.Sprintf("b.md#%d", i%4)); err != nil || url != fmt.Sprintf("/b#%d", i%4) {
				t.Errorf("Link: got %q, %v", url, err)
			}
		})
		return "", front{}, nil
	})
	is.NoErr(r.Check())
	url, err := kept.Link("b.md")
	is.Equal(url, "")
	is.Equal(err.Error(), `Link("b.md"): router/b.md is converted already: call it in the function of the format`)
}

// TestSourceOfATest: a converter can be tested without a Router.
func TestSourceOfATest(t *testing.T) {
	is := is.New(t)
	html, f, err := notes(flow.Source{Path: "docs/a", Text: "Title: A\n\nx -> b.md"})
	is.NoErr(err)
	is.Equal(string(html), "<p><a href=\"b.md\">x</a></p>\n")
	is.Equal(f.Title, "A")
	_, _, err = notes(flow.Source{Path: "docs/a", Text: "Date: 1"})
	is.Equal(err.Error(), `front matter: docs/a:1: "1" is no date: write it as 2006-01-02`)
}

// TestFormatsInDevelopmentTogether: while several clients ask, an edit is in the next answer to each.
func TestFormatsInDevelopmentTogether(t *testing.T) {
	is := is.New(t)
	tree := noted(map[string]string{"a.md": "Title: 0\n\nb -> b.md", "b.md": "Title: B\n\na -> a.md"})
	dir := onDisk(t, tree)
	r := flow.New(tree)
	r.Formats = map[string]flow.Format{".md": flow.FormatOf(notes)}
	r.Dev(dir)
	is.NoErr(r.Check())
	for i := range 20 {
		title := fmt.Sprint("<title>", i, "</title>")
		write(t, dir, "router/a.md", fmt.Sprintf("Title: %d\n\nb -> b.md", i))
		var all sync.WaitGroup
		stale := make(chan string, 8)
		for range cap(stale) {
			all.Go(func() {
				if got := visit(r, "/a").Body.String(); !strings.HasPrefix(got, title) {
					stale <- got
				}
				visit(r, "/b")
			})
		}
		all.Wait()
		close(stale)
		for got := range stale {
			t.Fatalf("after edit %d: %s", i, got)
		}
	}
}

// A measuring front says how large the heap is when the first page is rendered.
type measuring struct{ first *uint64 }

func (m measuring) Measure() string {
	if *m.first == 0 {
		*m.first = liveHeap()
	}
	return ""
}

// liveHeap returns how many bytes of the heap are in use. The second collection frees what pools held.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestPagesAreRenderedLast: Check holds what it has read of the links of pages, or the pages that it has
// rendered, and never both. Here the links take several times as much memory.
func TestPagesAreRenderedLast(t *testing.T) {
	is := is.New(t)
	files := fstest.MapFS{"router/+layout.html": {Data: []byte(`{{.Measure}}{{template "content" .}}`)}}
	for i := range 200 { // megabytes, in which what other tests have left does not count
		files[fmt.Sprintf("router/p%d.md", i)] = &fstest.MapFile{Data: []byte(strings.Repeat(`<a href="/p1">x</a>`, 1200))}
	}
	var first uint64
	r := flow.New(files)
	r.Formats = map[string]flow.Format{".md": flow.FormatOf(func(src flow.Source) (template.HTML, measuring, error) {
		return template.HTML(src.Text), measuring{&first}, nil
	})}
	is.NoErr(r.Check())
	after := liveHeap()
	is.True(first > 0)     // the pages are rendered by Check
	is.True(first < after) // and nothing else is held by then
	runtime.KeepAlive(r)
}
