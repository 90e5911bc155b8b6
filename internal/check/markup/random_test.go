package markup

import (
	"html/template"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/pattern"
)

// pieces are what random templates consist of. The value of V is "v".
var pieces = []string{
	"<a ", "<A\n", "<input ", "<title>", "</title>", "<script>", "</script>", "<textarea ", "</textarea >", "</a>", "</p title='>'", ">", ">", ">", ">", "/>", "<!--", "-->", "--!>", "<!doctype html>", "<", " < ", "</",
	" href=", " name=", " rel=", " type=", " class=", " checked ", " data-x", " onclick=\"f()\"", "=", "\"", "\"", "'", "'", " ", "\n",
	"/b", "c", "d?e", "#f", "&amp;", "&quot;", "{{.V}}", "{{.V}}",
	`href="/b"`, `name='c'`, `rel=d`, ` href="{{.V}}" `,
	"{{if .A}}", "{{if .B}}", "{{if not .C}}", "{{with .A}}", "{{else}}", "{{else if .C}}", "{{end}}", "{{end}}", "{{end}}",
}

// anyPieces returns any pieces, most of which html/template refuses.
func anyPieces(random *rand.Rand) string {
	var b strings.Builder
	for range 2 + random.IntN(14) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	text := b.String()
	return text + strings.Repeat("{{end}}", max(0, strings.Count(text, "{{if")+strings.Count(text, "{{with")-strings.Count(text, "{{end}}")))
}

// tagsWithConditions returns tags with conditions around them, around attributes and in values.
func tagsWithConditions(random *rand.Rand) string {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	var either func(depth int, what func(depth int) string) string
	either = func(depth int, what func(depth int) string) string {
		if depth == 0 || random.IntN(2) == 0 {
			return what(depth)
		}
		text := one("{{if .A}}", "{{if .B}}", "{{if not .C}}", "{{with .A}}") + either(depth-1, what)
		if random.IntN(2) == 0 {
			text += one("{{else}}", "{{else}}", "{{else if .C}}") + either(depth-1, what)
		}
		return text + "{{end}}"
	}
	value := func(int) string { return one("b", "c", "/d", "?e", "{{.V}}", "&amp;", "") }
	attr := func(depth int) string {
		return one(" href", " name", " class", " rel", " data-x") + `="` + either(depth, value) + either(1, value) + `"` + one("", " checked", " ", "\n")
	}
	tag := func(depth int) string {
		text := "<" + one("a", "p", "title", "script")
		for range random.IntN(4) {
			text += either(depth, attr)
		}
		text += ">"
		if name, _, _ := strings.Cut(text[1:], " "); strings.HasPrefix(name, "title") || strings.HasPrefix(name, "script") {
			text += one("", "1;", "2<3;") + "</" + strings.TrimSuffix(name, ">") + ">"
		}
		return text + one("", "x", "<!-- <b> -->", "</p>")
	}
	return either(2, tag) + either(1, tag)
}

// A data is what a random template is executed with.
type data map[string]any

// holds reports whether a condition holds.
func (d data) holds(c Cond) bool { return d[strings.TrimLeft(c.Text, "$.")].(bool) != c.False }

// tags adds what the nodes say of tags to others. A tag may be one of several ways, if it is not known
// which.
func (d data) tags(all [][]Way, nodes []Node) [][]Way {
	for _, n := range nodes {
		switch n := n.(type) {
		case *Branch:
			if d.holds(n.Cond) {
				all = d.tags(all, n.Then)
			} else {
				all = d.tags(all, n.Else)
			}
		case *Tag:
			var ways []Way
			for _, w := range n.Ways {
				if !slices.ContainsFunc(w.When, func(c Cond) bool { return !d.holds(c) }) {
					ways = append(ways, w)
				}
			}
			all = append(all, ways)
		case *End:
			all = append(all, []Way{{Name: "/" + n.Name}})
		}
	}
	return all
}

// is reports whether a tag of a page is what a template says.
func (w Way) is(written Way) bool {
	if strings.Contains(w.Name, pattern.Hole) { // of too many ways, or two end tags
		return true
	}
	if w.Name != written.Name || !w.MoreAttrs && len(w.Attrs) != len(written.Attrs) {
		return false
	}
	for _, a := range w.Attrs {
		other, ok := written.Get(a.Name)
		if value := strings.ReplaceAll(a.Value, pattern.Hole, "v"); !ok && !w.MoreAttrs || ok && value != other.Value && !w.MoreAttrs {
			return false
		}
	}
	return true
}

// TestReadAsWritten compares what Read says of random templates with what a browser finds in
// the pages that html/template makes of them, whatever their conditions are.
func TestReadAsWritten(t *testing.T) {
	is := is.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	compared, several := 0, 0
	for i := range 12000 {
		text := anyPieces(random)
		if i%6 == 0 {
			text = tagsWithConditions(random)
		}
		trees, err := parseText(text)
		if err != nil || trees["a.html"] == nil || strings.Contains(text, "<{{") || strings.Contains(text, "</{{") { // see lexer.open
			continue
		}
		nodes := Read(trees["a.html"], Rules, nil)
		for outcome := range 8 {
			page, err := template.New("a.html").Parse(text)
			is.NoErr(err)
			data := data{"A": outcome&1 != 0, "B": outcome&2 != 0, "C": outcome&4 != 0, "V": "v"}
			var written strings.Builder
			if page.Execute(&written, data) != nil {
				break // contexts that differ
			}
			got := data.tags(nil, nodes)
			want := data.tags(nil, Page(written.String(), Rules))
			same := len(got) == len(want)
			for i := 0; same && i < len(got); i++ {
				exact := !slices.ContainsFunc(got[i], func(w Way) bool { return w.Partly })
				if exact && len(got[i]) != 1 {
					same = false
					break
				}
				same = slices.ContainsFunc(got[i], func(w Way) bool { return w.is(want[i][0]) })
				if exact && len(got[i][0].When) > 0 {
					several++
				}
			}
			if !same {
				t.Fatalf("%q with %v:\n%s\nis %q:\n%s", text, data, dump(nodes), written.String(), dump(Page(written.String(), Rules)))
			}
			compared++
		}
	}
	is.True(compared > 1000 && several > 100) // the templates are not all refused
}

// FuzzRead reads any template and any page. Each node begins where the text has it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`<a href="/a{{if .}}b{{else}}/c{{end}}">`, `<form method="post" {{.}}><input name="x"></form>`, `<!-- <a> --><script>"<a>"</script><!--><title>{{.}}</title>`,
		`{{range .}}<a {{if .}}href=/a{{break}}{{end}}>{{end}}`, `{{define "x"}}<a href="/b">{{template "x"}}{{end}}<p {{template "x"}}>`, "\ufeff<a href=\"&#47;a\">",
		`{{with $x := .A}}<{{if not $x}}a{{end}} b='c' {{$x = 1}}/>{{end}}</{{.}}>`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, text, Page(text, Rules))
		trees, err := parseText(text)
		if err != nil {
			t.Skip()
		}
		for _, tree := range trees {
			check(t, text, Read(tree, Links, nil))
			nodes := Read(tree, Rules, follow(trees))
			check(t, text, nodes)
			if got, want := texts(Build(nodes)), texts(nodes); got != want {
				t.Errorf("%q has the texts %q, not %q", text, got, want)
			}
		}
	})
}

// check fails if a node is not where it says.
func check(t *testing.T, text string, nodes []Node) {
	at := func(p Place, begin string) {
		if p.Offset < 0 || p.Offset > len(text) || !strings.HasPrefix(text[p.Offset:], begin) {
			t.Errorf("%q is not at %d of %q", begin, p.Offset, text)
		}
	}
	for _, n := range nodes {
		switch n := n.(type) {
		case *Tag:
			for _, w := range n.Ways {
				at(w.Place, "<")
				for _, a := range w.Attrs {
					at(a.Place, "")
					if strings.Count(a.Value, pattern.Hole) != len(a.Holes) {
						t.Errorf("%q has %d holes", a.Value, len(a.Holes))
					}
				}
			}
		case *End:
			at(n.Place, "</")
		case *Text:
			at(n.Place, n.Text)
		case *Branch:
			check(t, text, n.Then)
			check(t, text, n.Else)
		case *Loop:
			check(t, text, n.Body)
			check(t, text, n.Else)
		case *Call:
			check(t, text, n.Nodes)
		}
	}
}
