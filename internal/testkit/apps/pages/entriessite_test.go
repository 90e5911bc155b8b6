package pages_test

import (
	"encoding/xml"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

type article struct{ Title, Date string }

func (a article) Compare(b article) int { return strings.Compare(b.Date, a.Date) } // the newest first

// articles is a format whose files are "Title|2026-01-02".
func articles(src flow.Source) (template.HTML, article, error) {
	title, date, _ := strings.Cut(src.Text, "|")
	return template.HTML("<h1>" + html.EscapeString(title) + "</h1>\n\n"), article{title, date}, nil
}

// handbook is the tree of a site: documentation in chapters, and a blog.
func handbook() fstest.MapFS {
	files := map[string]string{
		"+layout.html": `<!doctype html><html lang="en"><title>{{block "title" .}}{{page.Title}}{{end}}</title>
<nav aria-label="Trail">{{range page.Trail}}<a href="{{.URL}}">{{.Title}}</a> / {{end}}{{page.Title}}</nav>
<main>{{template "content" .}}</main>
{{with page.Prev}}<a rel="prev" href="{{.URL}}">{{.Title}}</a>{{end}}{{with page.Next}}<a rel="next" href="{{.URL}}">{{.Title}}</a>{{end}}`,
		"+error.html":       `{{define "title"}}Not here{{end}}<h1>{{.Status}}</h1>`,
		"docs/+layout.html": `<nav aria-label="Chapters">{{template "docs/+tree" (index (pages "docs") 0).Parent.Children}}</nav>{{template "content" .}}`,
		"docs/+tree.html":   `<ul>{{range .}}<li><a href="{{.URL}}"{{if .Is page}} aria-current="page"{{end}}>{{.Title}}</a>{{if .Holds page}}{{with .Children}}{{template "docs/+tree" .}}{{end}}{{end}}</li>{{end}}</ul>`,
		"index.html":        `{{define "title"}}Handbook{{end}}<h1>Handbook</h1>{{range $i, $post := pages "blog"}}{{if lt $i 3}}<a href="{{.URL}}">{{.Title}}</a>{{end}}{{end}}`,
		"blog/index.html":   `{{define "title"}}Blog{{end}}<h1>Blog</h1>{{range pages "blog"}}<p><a href="{{.URL}}">{{.Title}}</a> {{.Front.Date}}</p>{{end}}`,
		"blog/_next.md":     "Draft|2026-12-01",
		"staff/plans.md":    "Plans|2026-01-01",
		"docs/index.md":     "Documentation|2026-01-01",
		"sitemap.xml.http":  "",
		"feed.xml.http":     "",
	}
	for c := range 8 {
		files[fmt.Sprintf("docs/chapter-%d/index.md", c)] = fmt.Sprintf("Chapter %d|2026-01-01", c)
		for p := range 5 {
			files[fmt.Sprintf("docs/chapter-%d/part-%d.md", c, p)] = fmt.Sprintf("Part %d of %d|2026-01-01", p, c)
		}
	}
	for i := range 20 {
		files[fmt.Sprintf("blog/post-%02d.md", i)] = fmt.Sprintf("Post %d|2026-02-%02d", i, i+1)
	}
	return flowtest.Pages(files)
}

// handbookRouter is the Go code of the application, but for the feed and the sitemap.
func handbookRouter() *flow.Router {
	r := flow.New(handbook())
	r.Formats = map[string]flow.Format{".md": flow.FormatOf(articles)}
	r.In("staff").Use(func(*flow.Request) (flow.Response, error) { return flow.Fail(403, "staff only"), nil })
	r.At("feed.xml").GET().Do(func(*flow.Request) (flow.Response, error) { return feed(r) })
	r.At("sitemap.xml").GET().Do(func(*flow.Request) (flow.Response, error) { return sitemap(r) })
	return r
}

type atom struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Content atomText `xml:"content"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	HTML string `xml:",chardata"`
}

func feed(r *flow.Router) (flow.Response, error) {
	posts, err := flow.Entries[article](r, "blog")
	if err != nil {
		return flow.Response{}, err
	}
	all := atom{Title: "Blog"}
	for _, p := range posts[:min(10, len(posts))] {
		all.Entries = append(all.Entries, atomEntry{"https://example.com" + p.URL, p.Title, p.Front.Date + "T00:00:00Z", atomText{"html", string(p.HTML)}})
	}
	return asXML("application/atom+xml", all)
}

type urlset struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Locs    []string `xml:"url>loc"`
}

func sitemap(r *flow.Router) (flow.Response, error) {
	pages, err := flow.Entries[article](r, "")
	if err != nil {
		return flow.Response{}, err
	}
	var all urlset
	for _, p := range pages {
		if !p.Guarded {
			all.Locs = append(all.Locs, "https://example.com"+p.URL)
		}
	}
	return asXML("application/xml", all)
}

func asXML(mediaType string, v any) (flow.Response, error) {
	b, err := xml.MarshalIndent(v, "", "  ")
	return flow.Bytes(mediaType, append([]byte(xml.Header), b...)), err
}

// between returns the texts of the links of a page between two marks.
func between(page, begin, end string) (texts []string) {
	_, page, _ = strings.Cut(page, begin)
	page, _, _ = strings.Cut(page, end)
	for _, m := range regexp.MustCompile(`<a [^>]*>([^<]*)</a>`).FindAllStringSubmatch(page, -1) {
		texts = append(texts, html.UnescapeString(m[1]))
	}
	return texts
}

// TestSiteOfLists asks for all pages of a site, which its feed, its sitemap and its links lead to.
func TestSiteOfLists(t *testing.T) {
	is := is.New(t)
	r := handbookRouter()
	is.NoErr(r.Check())
	all, err := flow.Entries[article](r, "")
	is.NoErr(err)
	is.True(len(all) >= 60)
	get := func(path string) string { return apptest.Serve(r, "GET", path, "Accept: text/html").Body.String() }

	var reached []string // by following rel=next from the documentation
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`)
	prev := regexp.MustCompile(`rel="prev" href="([^"]*)"`)
	for at := "/docs"; at != ""; {
		page := get(at)
		if m := prev.FindStringSubmatch(page); len(reached) > 0 {
			is.Equal(m[1], reached[len(reached)-1])
		} else {
			is.True(m == nil)
		}
		reached = append(reached, at)
		at = ""
		if m := next.FindStringSubmatch(page); m != nil {
			at = m[1]
		}
	}
	docs, err := flow.Entries[article](r, "docs")
	is.NoErr(err)
	want := []string{"/docs"}
	for _, e := range docs {
		want = append(want, e.URL)
	}
	is.Equal(reached, want)
	is.Equal(len(reached), 1+8+8*5)

	for _, e := range all {
		w := apptest.Serve(r, "GET", e.URL, "Accept: text/html")
		if e.Guarded {
			is.Equal(w.Code, 403)
			continue
		}
		is.Equal(w.Code, 200)
		is.True(w.Header().Get("ETag") != "") // rendered once
		page := w.Body.String()
		is.True(strings.Contains(page, "<title>"+e.Title+"</title>"))
		if strings.HasPrefix(e.Path, "docs/") && e.URL != "/docs" {
			is.Equal(strings.Count(page, `aria-current="page"`), 1)
			is.True(strings.Contains(page, `<a href="`+e.URL+`" aria-current="page">`+e.Title))
		}
	}
	part := get("/docs/chapter-3/part-2")
	is.Equal(between(part, `aria-label="Trail"`, "</nav>"), []string{"Handbook", "Documentation", "Chapter 3"})
	is.Equal(between(part, `aria-label="Chapters"`, "</nav>"), []string{
		"Chapter 0", "Chapter 1", "Chapter 2", "Chapter 3", "Part 0 of 3", "Part 1 of 3", "Part 2 of 3", "Part 3 of 3", "Part 4 of 3", "Chapter 4", "Chapter 5", "Chapter 6", "Chapter 7",
	})
	is.Equal(between(get("/"), "<main>", "</main>"), []string{"Post 19", "Post 18", "Post 17"})
	is.Equal(len(between(get("/blog"), "<main>", "</main>")), 20)
	is.Equal(between(get("/blog/nowhere"), `aria-label="Trail"`, "</nav>"), []string{"Handbook"})
	is.True(!strings.Contains(get("/blog")+get("/feed.xml")+get("/sitemap.xml"), "Draft"))
	is.Equal(apptest.Serve(r, "GET", "/blog/_next").Code, 404)

	var sent atom
	is.NoErr(xml.Unmarshal([]byte(get("/feed.xml")), &sent))
	is.Equal(len(sent.Entries), 10)
	is.Equal(sent.Entries[0], atomEntry{"https://example.com/blog/post-19", "Post 19", "2026-02-20T00:00:00Z", atomText{"html", "<h1>Post 19</h1>\n\n"}})
	var listed urlset
	is.NoErr(xml.Unmarshal([]byte(get("/sitemap.xml")), &listed))
	is.Equal(len(listed.Locs), len(all)-1)
	is.True(slices.Contains(listed.Locs, "https://example.com/"))
	is.True(!slices.Contains(listed.Locs, "https://example.com/staff/plans"))
	for _, loc := range listed.Locs {
		u, err := url.Parse(loc)
		is.NoErr(err)
		is.Equal(apptest.Serve(r, "GET", u.Path).Code, 200)
	}
}
