package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
)

type shopUser struct {
	Name string
	Home struct{ City string }
}

func (shopUser) Greeting(word string) string { return word }

type shopData struct {
	Users  []shopUser
	Query  string
	Best   *shopUser
	ByName map[string]shopUser
}

// TestMisspelt misspells the word in brackets of each template. The report has one line, of
// that word, and says what it should be.
func TestMisspelt(t *testing.T) {
	for _, text := range []string{
		`{{.[Query]}}`,
		`<a href="/page?q={{.[Query]}}">x</a>`,
		`<script>const users = {{.[Users]}}</script>`,
		`{{/* a comment */}}ünicode {{.[Query]}}`,
		`{{if .[Query]}}x{{end}}`,
		`{{if not .[Query]}}x{{end}}`,
		`{{if .Query}}{{else if .[Best]}}x{{end}}`,
		`{{if and .Query .[Best]}}x{{end}}`,
		`{{if eq .[Query] "x"}}x{{end}}`,
		`{{with .[Best]}}x{{end}}`,
		`{{with .Best}}{{.[Name]}}{{end}}`,
		`{{with .Best}}{{else}}{{.[Query]}}{{end}}`,
		`{{range .[Users]}}x{{end}}`,
		"{{range .Users}}\n  {{.[Name]}}{{end}}",
		`{{range .Users}}{{$.[Query]}}{{end}}`,
		`{{range $i, $u := .Users}}{{$u.[Name]}}{{end}}`,
		`{{range .ByName}}{{.[Name]}}{{end}}`,
		`{{range .Users}}{{.[Greeting] "x"}}{{end}}`,
		`{{.Best.[Greeting] "x"}}`,
		`{{.[Best].Home.City}}`,
		`{{.Best.[Home].City}}`,
		`{{.Best.Home.[City]}}`,
		`{{$q := .[Query]}}{{$q}}`,
		`{{.[Query] | shout}}`,
		`{{shout .[Query]}}`,
		`{{printf "%s" .[Query]}}`,
		`{{len .[Users]}}`,
		`{{(index .Users 0).[Name]}}`,
		`{{template "+row" .[Best]}}`,
		`{{block "list" .[Users]}}x{{end}}`,
		`{{block "list" .Users}}{{range .}}{{.[Name]}}{{end}}{{end}}`,
		`{{define "part"}}{{.[Name]}}{{end}}{{template "part" .Best}}`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			before, rest, _ := strings.Cut(text, "[")
			word, after, _ := strings.Cut(rest, "]")
			check := func(word string) error {
				r := flow.New(fstest.MapFS{
					"router/page.html": {Data: []byte("<h1>Shop</h1>\n" + before + word + after)},
					"router/+row.html": {Data: []byte(`{{.Name}}`)},
				})
				r.Funcs = map[string]any{"shout": strings.ToUpper}
				r.At("page").GET().Do(func(*flow.Request) (shopData, error) { return shopData{}, nil })
				return r.Check()
			}
			is.NoErr(check(word))
			err := check(word[:len(word)-1] + "q")
			is.True(err != nil)
			line, column := 2+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
			where := fmt.Sprintf("router/page.html:%d:%d: ", line, column)
			if report := err.Error(); !strings.HasPrefix(report, where) || strings.Contains(report, "\n") ||
				!strings.Contains(report, fmt.Sprintf("did you mean %q?", word)) {
				t.Errorf("%s\nwant %s and %q", report, where, word)
			}
		})
	}
}
