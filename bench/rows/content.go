package rows

import (
	"fmt"
	"html"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"time"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

var contentRows = []Row{
	{"content/check", "start-up of flow with 300 pages in a format, with sidebars of 100 links", func() measure.Group {
		build := flowContent(300)
		return measure.Group{Base: PlansOffName, Rounds: 11, Contestants: []measure.Contestant{
			{Name: flowName, Cost: starting(build)},
			{Name: PlansOffName, Cost: starting(func() http.Handler { return withoutPlans(build) })},
		}}
	}},
	{"content/heap", "heap kept for each of 3,000 such pages of 9 KB, in bytes", func() measure.Group {
		const size = 3000
		build := flowContent(size)
		return measure.Group{Base: PlansOffName, Unit: "B", Rounds: 1, Contestants: []measure.Contestant{
			{Name: flowName, Cost: keeping(build, size)},
			{Name: PlansOffName, Cost: keeping(func() http.Handler { return withoutPlans(build) }, size)},
		}}
	}},
}

// section is how many pages a directory of a site of contents has.
const section = 100

// contentTexts are the layouts of a site of contents. Those of a directory show links to all of its
// pages.
var contentTexts = map[string]string{
	"router/+layout.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{page.Title}}</title><link rel="stylesheet" href="{{asset "app.css"}}"></head>` +
		`<body>{{template "+nav" .}}{{template "content" .}}<footer><a href="/">Home</a></footer></body></html>`,
	"router/+nav.html":          `<nav aria-label="Site"><a href="/">Home</a>{{range page.Trail}} <a href="{{.URL}}">{{.Title}}</a>{{end}}</nav>`,
	"router/docs/+sidebar.html": `{{$here := page}}<aside><nav aria-label="Section"><ul>{{range .}}<li><a href="{{.URL}}"{{if .Is $here}} aria-current="page"{{end}}>{{.Title}}</a></li>{{end}}</ul></nav></aside>`,
	"router/docs/+layout.html":  `<main>{{template "content" .}}{{with page.Next}}<a rel="next" href="{{.URL}}">{{.Title}}</a>{{end}}</main>`,
	"router/index.html":         `<main><h1>Site</h1></main>`,
	"public/app.css":            "p {}",
}

// contentTree returns a site of n pages of contents, in directories of a hundred with a sidebar.
func contentTree(n int) tree.FS {
	texts := map[string]string{}
	for name, text := range contentTexts {
		texts[name] = text
	}
	for i := range n {
		dir := fmt.Sprintf("docs/s%d", i/section)
		texts[fmt.Sprintf("router/%s/p%d.md", dir, i)] = fmt.Sprintf("title: Page %d of the documentation\n\n# Page %[1]d\n\n", i) + strings.Repeat(fmt.Sprintf(
			"## A section of page %d\n\nSome words with a [link](p%[1]d.md), as documentation has them, one after the other, until the paragraph is long enough to be read.\n\n    if x < y && y > z {\n", i), 12)
		texts["router/"+dir+"/+layout.html"] = fmt.Sprintf(`{{template "docs/+sidebar" pages %q}}{{template "content" .}}`, dir)
	}
	return tree.New(texts, time.Time{})
}

// contentFront is the data of the pages.
type contentFront struct{ Title string }

var contentLink = regexp.MustCompile(`\[([^]]*)\]\(([^)]*)\)`)

// convertContent is a format of its own, with headings, links, paragraphs and code: what libraries for
// Markdown cost is none of flow's.
func convertContent(src flow.Source) (text template.HTML, front contentFront, err error) {
	head, body, _ := strings.Cut(src.Text, "\n\n")
	front.Title = strings.TrimPrefix(head, "title: ")
	var b strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		tag, inner := "p", block
		for _, t := range [][2]string{{"## ", "h2"}, {"# ", "h1"}, {"    ", "pre"}} {
			if rest, ok := strings.CutPrefix(block, t[0]); ok {
				tag, inner = t[1], rest
				break
			}
		}
		inner = contentLink.ReplaceAllStringFunc(html.EscapeString(inner), func(l string) string {
			m := contentLink.FindStringSubmatch(l)
			url, wrong := src.Link(m[2])
			if wrong != nil {
				err = wrong
			}
			return `<a href="` + url + `">` + m[1] + "</a>"
		})
		fmt.Fprintf(&b, "<%s>%s</%[1]s>\n", tag, inner)
	}
	return template.HTML(b.String()), front, err
}

// flowContent returns a function that makes a site of n pages of contents ready with flow.
func flowContent(n int) func() http.Handler {
	files := contentTree(n)
	return func() http.Handler {
		r := flow.New(files)
		r.Formats = map[string]flow.Format{".md": flow.FormatOf(convertContent)}
		return ready(r)
	}
}
