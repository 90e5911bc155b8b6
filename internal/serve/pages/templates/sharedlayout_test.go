package templates_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

// siteData is the data of pages.
type siteData struct{ Title string }

// siteViews returns the views of texts, with all that is said of them. A host without plans makes
// each page with its layouts from the ground up, and shares no layouts.
func siteViews(texts map[string]string, plans templates.Plans, before *pages.Checked) (*pages.Checked, []string) {
	tree := routetree.Parse(flowtest.Pages(texts), nil)
	data := map[string][]templates.Data{}
	for name := range texts {
		if name := strings.TrimSuffix(name, ".html"); strings.HasPrefix(name, "d/") && !strings.Contains(name, "+") {
			data[name] = []templates.Data{{Type: reflect.TypeFor[siteData]()}}
		}
	}
	read, _ := templates.ReadTexts(tree)
	var viewsBefore *templates.Views
	if before != nil {
		viewsBefore = before.Views
	}
	views, found := templates.NewViews(tree, read, templates.Host{
		Plans:     plans,
		CheckFile: pages.CheckFile,
		Route:     func(_ any, name string, _ []any) (string, error) { return "/" + name, nil },
		Asset:     func(_ any, name string) (string, error) { return "/" + name, nil },
		User:      func(any) any { return nil },
		Nonce:     func(any) string { return csp.Placeholder },
		Data:      data,
	}, viewsBefore)
	app := pages.Application{Policy: csp.Parse("script-src 'self' 'nonce'; img-src 'self'")}
	checked := pages.New(views, app, before)
	found = slices.Concat(found, checked.Faults(), checked.Warnings(func(string) bool { return false }))
	var said []string
	for _, f := range found {
		said = append(said, fmt.Sprint(f))
	}
	sources, fields := checked.Links(func(name string) []string { return []string{"/" + name} })
	for _, s := range sources {
		said = append(said, fmt.Sprint(s.File, len(s.Links.Links), len(fields), s.With != nil && s.With("router/+layout.html")))
	}
	return checked, said
}

// compareSites holds views against those that share no layouts, and returns how many pages
// share them. before are the views of other texts, from which views are taken over.
func compareSites(t *testing.T, texts map[string]string, before *pages.Checked) (checked *pages.Checked, sharing, faulty int) {
	t.Helper()
	checked, said := siteViews(texts, templates.UsePlans, before)
	unshared, want := siteViews(texts, templates.NoPlans, nil)
	views, judge := checked.Views, unshared.Views
	if !slices.Equal(said, want) {
		t.Errorf("%q\nsays\n%s\nwant\n%s", texts, strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	for name := range texts {
		name = strings.TrimSuffix(name, ".html")
		m, judged := views.Parsed.Made[name], judge.Parsed.Made[name]
		if (m == nil) != (judged == nil) {
			t.Errorf("%q\n%s is made: %v, want %v", texts, name, m != nil, judged != nil)
		}
		if m == nil || judged == nil {
			faulty++
			continue
		}
		if m.SharedLayout() != nil {
			sharing++
		}
		for _, data := range []any{nil, siteData{`<"T">`}} {
			got, err := templates.Rendered(views, m.View, "", data)
			want, wantErr := templates.Rendered(judge, judged.View, "", data)
			if got != want || (err == nil) != (wantErr == nil) || m.View.IsFixed() != judged.View.IsFixed() {
				t.Errorf("%q\n%s is\n%s %v\nwant\n%s %v", texts, name, got, err, want, wantErr)
			}
		}
	}
	return checked, sharing, faulty
}

// What pages and layouts are made of. Most of it is harmless, or few pages would have no faults.
var (
	pageScraps = []string{
		"<h1>Page</h1>", "<p>a &lt; b</p>", "text", "\n", `<a href="/x">x</a>`, "<!-- c -->", "<% x %>", "a < b", "<b", `<img src=/x.png alt="">`, "<br/>", `<a href='/y' title=t>y</a>`,
		"<script>let a = 1 // c\n</script>", "<style>p { }</style>", "<textarea>x", "</textarea>", "<script>", "</script>", "<plaintext>", "</body>", "</main></div>", "<", "<scr", "ipt>", "<!", "--", "-->",
		"<title>", "</title>", `<a href="`, `">`, "'", "<!doctype html>", "&am", "p;", "\ufeff", "\x00", "<h4>deep</h4>", `<p id="a">`, "<label>L</label>", "<input>", "{{/* c */}}", "{{.Title}}", "{{- `` -}} ",
		`{{define "title"}}T{{end}}`, "<form action='/f'><button>B</button></form>", `<button onclick="x()">B</button>`,
	}
	slotScraps = []string{
		`{{template "content" .}}`, `{{template "content" .}}`, `{{template "content" .}}`, `<main>{{template "content" .}}</main>`, `{{with .}}{{template "content" .}}{{end}}`,
		`{{if .}}{{template "content" .}}{{else}}{{template "content" nil}}{{end}}`, `<title>{{template "content" .}}</title>`, `<a href="{{template "content" .}}">x</a>`,
		`<script>{{template "content" .}}</script>`, `<{{template "content" .}}`, `{{template "content" .}}>`, `{{template "content" .}}script>{{.}}</script>`, `<p {{template "content" .}}>`,
		`{{range $i := 2}}{{template "content" $}}{{end}}`, `{{block "b" .}}{{template "content" .}}{{end}}`, `<textarea>{{template "content" .}}</textarea>`,
	}
	layoutScraps = []string{
		`<div>`, `</div>`, `<html lang="en"><title>{{block "title" .}}S{{end}}</title>`, `{{template "+nav" .}}`, `{{with .}}{{.Title}}{{end}}`, `{{with .}}{{.Ttle}}{{end}}`, "<h2>Layout</h2>", `<p id="a">`, "<!-- l -->",
		"<script>", "</script>", "<", `<label for="x">L</label>`, "{{user}}", `<script nonce="{{nonce}}">1</script>`, "a < b",
	}
)

// A siteMaker makes sites at random.
type siteMaker struct{ *rand.Rand }

func (m siteMaker) some(scraps []string, most int) (text string) {
	for range m.IntN(most + 1) {
		i := m.IntN(len(scraps))
		if m.IntN(3) > 0 {
			i = m.IntN((len(scraps) + 3) / 4)
		}
		text += scraps[i]
	}
	return text
}

func (m siteMaker) layout() string {
	return m.some(layoutScraps, 3) + slotScraps[min(m.IntN(len(slotScraps)), m.IntN(len(slotScraps)))] + m.some(layoutScraps, 2)
}

// edit gives some files of a site other texts.
func (m siteMaker) edit(texts map[string]string, each int) {
	for _, name := range []string{"+layout.html", "d/+layout.html", "d/e/+layout.html", "+nav.html", "+error.html", "a.html", "d/a.html", "d/b.html", "d/c.html", "d/e/a.html", "d/e/b.html"} {
		switch {
		case m.IntN(each) > 0:
		case name == "+nav.html":
			texts[name] = "<nav>" + m.some(pageScraps, 2) + "</nav>"
		case !strings.HasSuffix(name, "+layout.html"):
			texts[name] = m.some(pageScraps, 4)
		case name != "+layout.html" && m.IntN(3) == 0:
			delete(texts, name)
		default:
			texts[name] = m.layout()
		}
	}
}

// TestSharedLayouts makes sites at random, edits them, and holds them against html/template without
// shared layouts.
func TestSharedLayouts(t *testing.T) {
	n := 250
	if race.Enabled {
		n = 40
	}
	m := siteMaker{rand.New(rand.NewPCG(5, 6))}
	var all, sharing, faulty int
	for range n {
		texts := map[string]string{}
		m.edit(texts, 1)
		var checked *pages.Checked
		for range 3 {
			var in, wrong int
			checked, in, wrong = compareSites(t, texts, checked)
			all, sharing, faulty = all+len(texts), sharing+in, faulty+wrong
			m.edit(texts, 4)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("of %d pages %d in shared layouts, %d faulty", all, sharing, faulty)
	if sharing < all/10 || faulty < all/10 || faulty > all*2/3 {
		t.Errorf("of %d pages %d are in shared layouts, and %d have faults", all, sharing, faulty)
	}
}

// TestPagesInSharedLayouts says which pages share their layouts, and that all of them are what
// html/template makes of them in one piece.
func TestPagesInSharedLayouts(t *testing.T) {
	const inText = `<main>{{template "content" .}}</main>`
	for _, tt := range []struct {
		name         string
		layout, page string
		sharing      bool
		want         string
	}{
		{"text", inText, "<p>x", true, "<main><p>x</main>"},
		{"what html/template changes", inText, "<!-- c --><% <p title=t>", true, "<main>&lt;% <p title=t></main>"},
		{"a script with its end", inText, "<script>1 // c\n</script>", true, "<main><script>1 \n</script></main>"},
		{"behind a byte order mark", inText, "\ufeffx", true, "<main>x</main>"},
		{"ends what the layout begins", inText, "</main><main>", true, "<main></main><main></main>"},
		{"twice", inText + inText, "x", true, "<main>x</main><main>x</main>"},
		{"an action", inText, "{{1}}", false, "<main>1</main>"},
		{"two texts", inText, "a{{/* c */}}b", false, "<main>ab</main>"},
		{"nothing", inText, "", false, "<main></main>"},
		{"a title of its own", `<title>{{block "title" .}}S{{end}}</title>` + inText, `{{define "title"}}T{{end}}x`, false, "<title>T</title><main>x</main>"},
		{"the beginning of a tag", `{{template "content" .}}script>{{.}}</script>`, "<", false, "<script> null </script>"},
		{"behind the beginning of a tag", `<{{template "content" .}}`, "b>x", false, "<b>x"},
		{"in a title", `<title>{{template "content" .}}</title>`, "a<b", false, "<title>a&lt;b</title>"},
		{"in an attribute", `<a title="{{template "content" .}}">x</a>`, "<p>", false, `<a title="<p>">x</a>`},
		{"in an attribute and in text", `<a title="{{template "content" .}}">{{template "content" .}}</a>`, "<!--c-->x", false, `<a title="<!--c-->x">x</a>`},
		{"in a script", `<script>{{template "content" .}}</script>`, "1/* c */", false, "<script>1 </script>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			checked, _, _ := compareSites(t, map[string]string{"+layout.html": tt.layout, "a.html": tt.page}, nil)
			views := checked.Views
			m := views.Parsed.Made["a"]
			is.True(m != nil)
			is.Equal(m.SharedLayout() != nil, tt.sharing)
			got, err := templates.Rendered(views, m.View, "", nil)
			is.NoErr(err)
			is.Equal(got, tt.want)
		})
	}
}

// TestLayoutsAreShared counts the shared layouts of a site.
func TestLayoutsAreShared(t *testing.T) {
	is := is.New(t)
	texts := map[string]string{"+layout.html": `<html lang="en"><title>T</title>{{template "content" .}}`, "d/+layout.html": `<main>{{template "content" .}}</main>`}
	for i := range 20 {
		texts[fmt.Sprintf("p%d.html", i)], texts[fmt.Sprintf("d/p%d.html", i)] = "<h1>P</h1>", "<h1>P</h1>"
	}
	first, _ := siteViews(texts, templates.UsePlans, nil)
	layouts := map[any]int{}
	for _, m := range first.Views.Parsed.Made {
		layouts[m.SharedLayout()]++
	}
	is.Equal(layouts[nil], 0)
	is.Equal(len(layouts), 2)
	texts["d/p3.html"] += "<p>edited</p>"
	again, _ := siteViews(texts, templates.UsePlans, first)
	kept := 0
	for name, m := range again.Views.Parsed.Made {
		is.True(layouts[m.SharedLayout()] > 0) // an edited page has the layouts that were there
		if first.Views.Parsed.Made[name] == m {
			kept++
		}
	}
	is.Equal(kept, 39)
}

// TestUsedAfterAnEdit says that a shared layout counts as used as long as pages have it, whether
// these were made again or taken over.
func TestUsedAfterAnEdit(t *testing.T) {
	is := is.New(t)
	shared := flowtest.Pages(map[string]string{"+layout.html": `<html lang="en"><title>T</title><a href="/gone">x</a>{{template "content" .}}`})
	var views *templates.Views
	for i := range 3 { // after the last edit, all pages that have the layout are taken over
		tree := routetree.Parse(flowtest.Pages(map[string]string{"a.html": "a", "b.html": "{{1}}", "+p.html": strings.Repeat("p", max(1, i))}), []fs.FS{shared})
		texts, _ := templates.ReadTexts(tree)
		views, _ = templates.NewViews(tree, texts, templates.Host{}, views)
		sources, _ := pages.New(views, pages.Application{}, nil).Links(func(string) []string { return nil })
		is.True(slices.ContainsFunc(sources, func(s links.Source) bool { return len(s.Links.Links) == 1 }))
	}
}
