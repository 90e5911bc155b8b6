package rows

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

// FailingName is flow with a page whose last row cannot be shown.
const FailingName = "flow, a page that fails"

// A site is a tree of pages as applications have them: areas with a layout and a partial of
// their own, in a common layout, with links, forms, and data whose types are declared.
type site struct {
	texts map[string]string // by the name of the file below router/, without .html
	pages []string          // those of them that are pages, in order
}

// An entry and a listing are the data of the pages.
type entry struct {
	ID          int
	Name, Email string
	Tags        []string
	Paid        bool
}

type listing struct {
	Title   string
	Items   []entry
	Page    int
	Wrong   flow.Invalid
	Current *entry
}

// What stands in each area, whose number is in place of #.
var areaTexts = map[string]string{
	"+layout": `<aside><a href="/area#">All</a><a href="/area#/new">New</a></aside><section>{{template "content" .}}</section>`,
	"+row": `<tr{{if .Paid}} class="paid"{{end}}><td><a href="/area#/{{.ID}}" title="{{.Name}}">{{.Name}}</a></td><td>{{.Email}}</td>` +
		`<td>{{range $i, $t := .Tags}}{{if $i}}, {{end}}{{$t}}{{end}}</td></tr>`,
	"index": `{{define "title"}}{{.Title}} of area #{{end}}<h1>{{.Title}}</h1><table>{{range .Items}}{{template "area#/+row" .}}{{else}}<tr><td>None yet.</td></tr>{{end}}</table>{{template "+pager" .}}`,
	"[id]": `{{define "title"}}{{.Current.Name}}{{end}}{{with .Current}}<h1>{{.Name}}</h1><dl><dt>Mail</dt><dd><a href="mailto:{{.Email}}">{{.Email}}</a></dd></dl>` +
		`<a href="/area#/{{.ID}}/edit">Edit</a>{{if eq .ID 7}}<b>lucky</b>{{end}}{{end}}`,
	"[id]/edit": `<h1>Edit</h1><form method="post" action="/area#/{{.Current.ID}}/edit">{{template "+field" (dict "name" "name" "label" "Name" "value" .Current.Name "wrong" .Wrong.name)}}` +
		`{{template "+field" (dict "name" "email" "label" "Mail" "value" .Current.Email "wrong" .Wrong.email)}}<button>Save</button></form>`,
	"new": `<h1>New</h1><form method="post" action="/area#/new">{{template "+field" (dict "name" "name" "label" "Name" "value" "" "wrong" .Wrong.name)}}<button>Add</button></form><script>let area = {{.Title}}</script>`,
	"about0": `{{define "title"}}About area #{{end}}<h1>About</h1><p>Text with a <a href="/area#">link</a> and <a href="{{route "area#"}}">another</a>, <img src="{{asset "app.css"}}" alt="">.</p><p>` +
		strings.Repeat("Lorem ipsum dolor sit amet. ", 20) + `</p>`,
}

// commonTexts stand beside the areas.
var commonTexts = map[string]string{
	"+layout": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{block "title" .}}Site{{end}}</title><link rel="stylesheet" href="{{asset "app.css"}}"></head>` +
		`<body>{{template "+nav" .}}<main>{{template "content" .}}</main><footer><a href="/">Home</a> <a href="/area0">First</a></footer></body></html>`,
	"+nav":   `<nav><a href="/">Home</a>{{range $i := 3}} <a href="/area{{$i}}">Area {{$i}}</a>{{end}}{{with user}}<a href="/login">{{.}}</a>{{end}}</nav>`,
	"+field": `<label for="{{.name}}">{{.label}}</label><input id="{{.name}}" name="{{.name}}" value="{{.value}}"{{with .wrong}} aria-invalid="true"{{end}}>{{with .wrong}}<p>{{.}}</p>{{end}}`,
	"+pager": `{{if gt .Page 1}}<a href="?page={{.Page}}" rel="prev">Back</a>{{end}}<a href="?page={{.Page}}" rel="next">On</a>`,
	"index":  "home",
	"login":  "login",
}

// newSite returns a site of about n pages: ten for each area, of which six are texts.
func newSite(n int) *site {
	s := &site{texts: maps.Clone(commonTexts)}
	for area := range (n + 9) / 10 {
		dir := fmt.Sprintf("area%d/", area)
		add := func(name, text string) { s.texts[dir+name] = strings.ReplaceAll(text, "#", fmt.Sprint(area)) }
		for name, text := range areaTexts {
			add(name, text)
		}
		for i := range 5 {
			add(fmt.Sprintf("about%d", i+1), areaTexts["about0"])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		if !strings.Contains(name, "+") {
			s.pages = append(s.pages, name)
		}
	}
	return s
}

// flow returns a function that makes the site ready with flow.
func (s *site) flow() func() http.Handler {
	files := map[string]string{"public/app.css": "p {}"}
	for name, text := range s.texts {
		files["router/"+name+".html"] = text
	}
	fsys := tree.New(files, time.Time{})
	return func() http.Handler {
		r := flow.New(fsys)
		for _, name := range s.pages {
			dir, page, ok := strings.Cut(name, "/")
			if !ok || strings.HasPrefix(page, "about") {
				continue
			}
			get := r.At(name).GET()
			if page == "index" {
				get = get.Name(dir)
			}
			get.Do(func(*flow.Request, struct{}) (listing, error) { return listing{}, nil })
			if page == "new" || page == "[id]/edit" {
				r.At(name).POST().Do(func(*flow.Request) flow.Response { return flow.Redirect("/") })
			}
		}
		return ready(r)
	}
}

// siteFuncs stand for those of flow.
var siteFuncs = template.FuncMap{
	"route": func(...any) string { return "" }, "asset": func(string) string { return "" },
	"user": func() any { return nil }, "dict": func(...any) map[string]any { return nil },
}

// templates has html/template parse each file once, and escape each page with its layouts and
// with the partials of its area. It keeps them.
func (s *site) templates() (all []*template.Template) {
	outer := template.Must(template.New("+layout").Funcs(siteFuncs).Parse(strings.ReplaceAll(s.texts["+layout"], `"content"`, `"inner"`)))
	for _, name := range []string{"+nav", "+field", "+pager"} {
		template.Must(outer.New(name).Parse(s.texts[name]))
	}
	areas := map[string]*template.Template{}
	for _, name := range s.pages {
		dir, _, ok := strings.Cut(name, "/")
		if !ok {
			continue
		}
		if areas[dir] == nil {
			areas[dir] = template.Must(outer.Clone())
			template.Must(areas[dir].New("inner").Parse(s.texts[dir+"/+layout"]))
			template.Must(areas[dir].New(dir + "/+row").Parse(s.texts[dir+"/+row"]))
		}
		t := template.Must(areas[dir].Clone())
		template.Must(t.New("content").Parse(s.texts[name]))
		if err := t.Execute(stopped{}, nil); err != errStopped {
			panic(err)
		}
		all = append(all, t)
	}
	return all
}

// stopped ends the execution of a template at its first write, behind its escaping.
type stopped struct{}

var errStopped = errors.New("stopped")

func (stopped) Write([]byte) (int, error) { return 0, errStopped }

// checkSite compares the start-up of a site with what html/template takes for its templates.
func checkSite() measure.Group {
	s := newSite(400)
	return measure.Group{Base: TemplateName, Rounds: 11, Contestants: []measure.Contestant{
		{Name: flowName, Cost: starting(s.flow())},
		{Name: TemplateName, Cost: func(n int) (float64, error) {
			start := time.Now()
			for range n {
				runtime.KeepAlive(s.templates())
			}
			return float64(time.Since(start)), nil
		}},
	}}
}

// A lateRow can be shown, or fails.
type lateRow struct {
	Name string
	err  error
}

func (r lateRow) Show() (string, error) { return r.Name, r.err }

// failingPage compares a page whose last row fails with one that does not. Both answers are
// thrown away, since they differ.
func failingPage() measure.Group {
	build := func(err error) http.Handler {
		var list []lateRow
		for range 10 {
			list = append(list, lateRow{"Ada <Lovelace>", nil})
		}
		list[9].err = err
		r := flow.New(pageTree(map[string]string{
			"router/+layout.html": layout,
			"router/page.html":    `<h1>Users</h1><ul>{{range .}}<li><a href="/users/{{.Name}}" title="{{.Name}}">{{.Name}}</a> {{.Show}}</li>{{end}}</ul>`,
		}))
		r.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
		r.At("page").GET().Do(func(*flow.Request) flow.Response { return flow.Page(list) })
		if err := r.Check(); err != nil {
			panic(err)
		}
		want := http.StatusOK
		if err != nil {
			want = http.StatusInternalServerError
		}
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			thrown := &thrownAway{header: http.Header{}}
			r.ServeHTTP(thrown, req)
			w.WriteHeader(200 + thrown.status - want)
		})
	}
	return measure.Group{Base: flowName, Calls: []measure.Call{{Method: "GET", Path: "/page", Want: measure.Answer{Status: 200}}}, Contestants: []measure.Contestant{
		{Name: flowName, Handler: build(nil)},
		{Name: FailingName, Handler: build(errors.New("the row is lost"))},
	}}
}

// thrownAway keeps the status of an answer, and nothing else.
type thrownAway struct {
	header http.Header
	status int
}

func (t *thrownAway) Header() http.Header         { return t.header }
func (t *thrownAway) Write(b []byte) (int, error) { t.WriteHeader(200); return len(b), nil }
func (t *thrownAway) WriteHeader(status int) {
	if t.status == 0 {
		t.status = status
	}
}
