package lineends_test

import (
	"html/template"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// TestConvertedFiles has the command check warn of files that git may have converted to CRLF: once,
// whatever their number.
func TestConvertedFiles(t *testing.T) {
	const cure = " end in CRLF, and a clone with LF would build other bytes and hashed URLs: add the line * text=auto eol=lf to .gitattributes, run git add --renormalize ., commit, and clone again\n"
	for _, tt := range []struct{ name, outer, inner, want string }{ // the files with CRLF
		{"none", "", "", ""},
		{"a page", "router/index.html", "", "router/index.html: warning: lines of this file" + cure},
		{"a page in a format", "router/words.md", "", "router/words.md: warning: lines of this file" + cure},
		{"a public file", "public/app.css", "", "public/app.css: warning: lines of this file" + cure},
		{"an extension in upper case", "public/APP.JS", "", "public/APP.JS: warning: lines of this file" + cure},
		{"several", "router/index.html public/b.svg public/a.json", "", "public/a.json: warning: lines of this file and of 2 more" + cure},
		{"files of a mounted Router", "", "router/in.html public/in.css", "public/in.css: warning: lines of this file and of 1 more" + cure},
		{"a file of two Routers", "router/+error.html", "", "router/+error.html: warning: lines of this file" + cure},
		{"examples of requests", "router/api.http", "", ""},
		{"formats with CRLF, and no text", "public/a.ics public/a.csv public/robots.txt public/a.png public/a.css.gz", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			outer := flowtest.Pages(map[string]string{"index.html": "\n", "words.md": "\n", "api.http": "GET /api\n", "+error.html": "<!doctype html>\n"})
			inner := flowtest.Pages(map[string]string{"in.html": "\n"})
			convert(outer, tt.outer)
			convert(inner, tt.inner)
			r := flow.New(outer)
			r.Formats = map[string]flow.Format{".md": flow.FormatOf(func(src flow.Source) (template.HTML, struct{}, error) {
				return template.HTML(src.Text), struct{}{}, nil
			})}
			r.At("api").GET().Do(func(*flow.Request) string { return "" })
			r.Mount("/in", flow.New(inner, outer))
			is.NoErr(r.Check())
			is.Equal(apptest.Run(t.Context(), r, "check"), apptest.Result{Code: command.OK, Stdout: "no faults in 4 routes\n", Stderr: tt.want})
		})
	}
}

// convert has the lines of some files end in CRLF. It makes those that the tree lacks.
func convert(tree fstest.MapFS, names string) {
	for _, name := range strings.Fields(names) {
		text := "\n"
		if f := tree[name]; f != nil {
			text = string(f.Data)
		}
		tree[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "\n", "\r\n"))}
	}
}
