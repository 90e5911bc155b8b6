package links

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/matryer/is"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site"
)

// scan reads a template.
func scan(text string) (*File, error) {
	trees := map[string]*parse.Tree{}
	t := parse.New("a.html")
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(text, "", "", trees); err != nil {
		return nil, err
	}
	return Scan(slices.SortedFunc(maps.Values(trees), func(a, b *parse.Tree) int { return strings.Compare(a.Name, b.Name) }), nil), nil
}

func TestScan(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`<a href="/a">`, "GET /a"},
		{`<a href=/a/{{.}}/b>`, "GET /a/{}/b"},
		{`<a href="/{{if .A}}a{{else}}b{{end}}{{with .B}}/c{{end}}">`, "GET /a/c, GET /b/c, GET /a, GET /b"},
		{`<a href="/{{if .}}a{{else}}b{{end}}{{with .}}/c{{end}}">`, "GET /a/c, GET /b"},
		{`<a {{if .A}}href="/a"{{end}} {{if .B}}rel="external"{{end}}>`, "GET /a"},
		{`<a {{if .}}href="/a"{{end}} {{if .}}rel="external"{{end}}>`, ""},
		{`<a href="/a{{range .}}/{{.}}{{end}}">`, "GET /a{}"},
		{`<form action="/a"><button formaction="/b" formmethod="post"></button></form><button formaction="/c"></button>`, "GET /a, POST /b,  /c"},
		{`<form method="post" action="/a">{{if .}}</form>{{else}}<button formaction="/b">{{end}}<button formaction="/c">`, "POST /a, POST /b,  /c, POST /c"},
		{`<img srcset="/a.png?x=1,2 1x , /b,w_2.png 2x,/c.png">`, "GET /a.png, GET /b,w_2.png, GET /c.png"},
		{"<a href=\" /a\n/b\t \">", "GET /a/b"},
		{`<a href="/a&amp;b?c">`, "GET /a&b"},
		{`<a href="/a\b">`, "GET /a/b"},
		{`<a href="\a\b?\c">`, "GET /a/b"},
		{`<a ping="/a /b">`, "POST /a, POST /b"},
		{`<meta http-equiv=refresh content="1,url='/a/{{.}}?b'">`, "GET /a/{}"},
		{`<form method=dialog action="/a"><button formaction="/b"><button formaction="/c" formmethod=get><button form=f formaction="/d">`, "GET /c,  /d"},
		{`<input hx-post="/a" data-hx-get="/b">`, "POST /a, GET /b"},
		{`<a href="/a" href="/b">`, "GET /a"},
		{`{{$x := "y"}}<a href="/a{{$y := 1}}/b">`, "GET /a/b"},
		{`<h{{.}} href="/a"><{{.}} href="/b"></{{.}}><a href="/c">`, "GET /c"},
		{`<a href="/a`, ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			f, err := scan(tt.text)
			is.NoErr(err)
			var got []string
			for _, l := range f.Links {
				got = append(got, l.Method+" "+strings.ReplaceAll(l.URL, pattern.Hole, "{}"))
			}
			is.Equal(strings.Join(got, ", "), tt.want)
		})
	}
}

// nothing answers no link.
func nothing(method, url string) site.Destination { return site.Destination{Methods: []string{"PUT"}} }

// FuzzScan reads any template. Each URL that it finds begins where the text has a slash, or an
// entity or a space before one. The offset of a URL in a list is that of the list, and that of
// the URL in a content that of the content.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`<a href="/a{{if .}}b{{else}}/c{{end}}">`, `<form method="post" {{.}}><input name="x"><button formaction='/b'></form>`, `<img srcset="/a 1x, /b 2x"><!-- <a href="/x"> --><script>"<a href=/x>"</script>`,
		`{{range .}}<a {{if .}}href=/a{{break}}{{end}}>{{end}}`, `{{define "x"}}<a href="/b">{{end}}<p {{template "x"}}>`, "<svg><use href='/a#b'/></svg><base href=//x>", "\ufeff<a href=\"&#47;a\">",
		`<meta http-equiv="refresh" content="1; url=/a"><a href="\b" ping="/c /d"><form method="dialog" action="/e"><button formaction="/f"><i sse-connect="/g">`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.TrimPrefix(text, "\ufeff") // offsets do not count it
		file, err := scan(text)
		if err != nil {
			t.Skip()
		}
		for _, l := range file.Links {
			if !isPath(l.URL) || strings.ContainsAny(l.URL, "?") {
				t.Errorf("%q is no path", l.URL)
			}
			if l.Offset < 0 || l.Offset >= len(text) || l.Attr != "ping" && !isSrcset(l.Attr) && l.Attr != "content" && !strings.ContainsRune("/\\& \t\n\r\f", rune(text[l.Offset])) {
				t.Errorf("%q is not at %d", l.URL, l.Offset)
			}
		}
		for _, fault := range Check([]Source{{File: "a.html", At: func(offset int) (int, int) { return markup.Position(text, offset) }, Links: file, URLs: []string{"/a"}}}, nil, nothing) {
			if fault.Line < 1 || fault.Column < 1 {
				t.Errorf("%s", fault.Text)
			}
		}
	})
}
