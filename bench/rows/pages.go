package rows

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v4"

	"example.com/flow"
	"example.com/flow/bench/generated"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

var pageRows = []Row{
	{"page/data", "a page in a layout with a list of 10 rows", dataPage},
	{"page/plain", "a page of 1.6 KB that needs no handler: flow renders it once", plainPage},
	{"page/gzip", "the same for a client that takes gzip", plainPageGzip},
	{"page/failing", "a page of 10 rows, the last of which fails, and the answer that says so", failingPage},
	{"page/check", "start-up of flow with a site of 400 pages, and html/template parsing and escaping them", checkSite},
	{"page/start-up", "start-up of flow with 1,000 pages in a layout with a partial", startPages},
	{"page/heap", "heap kept for each of 5,000 pages in a layout with a partial, in bytes", keepPages},
}

// The names of contestants of pages.
const (
	TemplateName = "html/template"
	PlansOffName = "flow without plans" // FLOW_PLANS=off: flow with html/template
	TemplName    = "templ"
	QuickName    = "quicktemplate"
)

// The page and its layout have no white space that templ leaves out, so that all contestants
// answer the same bytes.
const (
	layout = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{block "title" .}}Site{{end}}</title></head>` +
		`<body><nav><a href="/">Home</a></nav><main>{{template "content" .}}</main></body></html>`
	listTitle = `{{define "title"}}{{.Title}} · Site{{end}}`
	listText  = `<h1>{{.Title}}</h1>` +
		`<ul>{{range .Users}}<li><a href="/users/{{.ID}}" title="{{.Name}}">{{.Name}}</a> {{.Email}}</li>{{end}}</ul>`
)

// aList is what the page with data shows.
var aList = generated.List{Title: "Users"}

func init() {
	for i := range 10 {
		aList.Users = append(aList.Users, generated.User{ID: i, Name: "Ada <Lovelace>", Email: "ada@example.com"})
	}
}

// templates returns a page in its layout, as html/template has it.
func templates(text string) *template.Template {
	t := template.Must(template.New("layout").Parse(layout))
	template.Must(t.New("content").Parse(text))
	return t
}

// buffers are those that byHand renders into.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// byHand renders into a buffer that is kept, so that a page that fails is a whole error.
func byHand(t *template.Template, data any) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		b := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(b)
		b.Reset()
		if err := t.Execute(b, data); err != nil {
			http.Error(w, "the page fails", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(b.Bytes())
	})
	return recovered(mux)
}

// ginPage is c.HTML of gin's documentation.
func ginPage(t *template.Template, data any) http.Handler {
	r := newGin()
	r.SetHTMLTemplate(t)
	r.GET("/page", func(c *gin.Context) { c.HTML(http.StatusOK, "layout", data) })
	return r
}

// echoRenderer is the renderer of echo's documentation.
type echoRenderer struct{ templates *template.Template }

func (r *echoRenderer) Render(w io.Writer, name string, data any, _ echo.Context) error {
	return r.templates.ExecuteTemplate(w, name, data)
}

func echoPage(t *template.Template, data any) http.Handler {
	e := newEcho()
	e.Renderer = &echoRenderer{t}
	e.GET("/page", func(c echo.Context) error { return c.Render(http.StatusOK, "layout", data) })
	return e
}

// execute returns what a page has to look like.
func execute(t *template.Template, data any) string {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		panic(err)
	}
	return b.String()
}

func pageCall(text string, header map[string]string) measure.Call {
	return measure.Call{Method: "GET", Path: "/page", Header: header, Want: measure.Answer{
		Status: 200, Body: text, Header: map[string]string{"Content-Type": "text/html; charset=utf-8"},
	}}
}

// listTemplate is the page with data as html/template has it.
func listTemplate() *template.Template {
	return template.Must(templates(listText).Parse(listTitle))
}

// pageTree returns a tree of pages, with those that their links lead to.
func pageTree(texts map[string]string) tree.FS {
	texts["router/index.html"], texts["router/users/[id].html"] = "home", "a user"
	return tree.New(texts, time.Time{})
}

func flowList() http.Handler {
	r := flow.New(pageTree(map[string]string{"router/+layout.html": layout, "router/page.html": listTitle + listText}))
	r.At("page").GET().Do(func(*flow.Request) flow.Response { return flow.Page(aList) })
	return ready(r)
}

// withoutPlans has html/template render the pages of an application that build makes ready.
func withoutPlans(build func() http.Handler) http.Handler {
	const plans = "FLOW_PLANS"
	before, set := os.LookupEnv(plans)
	os.Setenv(plans, "off")
	if set {
		defer os.Setenv(plans, before)
	} else {
		defer os.Unsetenv(plans)
	}
	return build()
}

// templList and quickList call what is generated as the documentation of the generators says,
// with no buffer of their own: an error may come after a part of the page.
func templList() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		generated.Templ(aList).Render(r.Context(), w)
	})
	return recovered(mux)
}

func quickList() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		generated.WriteLayout(w, generated.Quick{List: aList})
	})
	return recovered(mux)
}

// A Page is a contestant that answers GET /page. New makes it ready.
type Page struct {
	Name string
	New  func() http.Handler
}

// Lists are the contestants of the page with data, of which flow is the first. Each answers
// ListText.
var Lists = []Page{
	{flowName, flowList},
	{PlansOffName, func() http.Handler { return withoutPlans(flowList) }},
	{TemplateName, func() http.Handler { return byHand(listTemplate(), aList) }},
	{ginName, func() http.Handler { return ginPage(listTemplate(), aList) }},
	{echoName, func() http.Handler { return echoPage(listTemplate(), aList) }},
	{TemplName, templList},
	{QuickName, quickList},
}

// ListText returns the page with data as it has to look.
func ListText() string { return execute(listTemplate(), aList) }

func dataPage() measure.Group {
	g := measure.Group{Base: TemplateName, Calls: []measure.Call{pageCall(ListText(), nil)}}
	for _, p := range Lists {
		g.Contestants = append(g.Contestants, measure.Contestant{Name: p.Name, Handler: p.New()})
	}
	return g
}

// plainText is the page without code.
var plainText = "<h1>About</h1>\n" + strings.Repeat("<p>A page that shows nothing but itself, in a few words.</p>\n", 23)

func plainSite() (h http.Handler, t *template.Template, text string) {
	t = templates(plainText)
	r := flow.New(pageTree(map[string]string{"router/+layout.html": layout, "router/page.html": plainText}))
	return ready(r), t, execute(t, nil)
}

func plainPage() measure.Group {
	site, t, text := plainSite()
	file := []measure.Call{pageCall(text, nil)}
	file[0].Path = "/page.html"
	return measure.Group{Base: fileServerName, Calls: []measure.Call{pageCall(text, nil)}, Contestants: []measure.Contestant{
		{Name: flowName, Handler: site},
		{Name: fileServerName, Handler: recovered(http.FileServerFS(tree.New(map[string]string{"page.html": text}, time.Time{}))), Calls: file},
		{Name: TemplateName, Handler: byHand(t, nil)},
		{Name: ginName, Handler: ginPage(t, nil)},
		{Name: echoName, Handler: echoPage(t, nil)},
	}}
}

func plainPageGzip() measure.Group {
	site, _, text := plainSite()
	file := []measure.Call{pageCall(text, takesGzip)}
	file[0].Path = "/page.html"
	server := http.FileServerFS(tree.New(map[string]string{"page.html": text}, time.Time{}))
	return measure.Group{Base: chiCompressName, Counted: 2, Calls: []measure.Call{pageCall(text, takesGzip)}, Contestants: []measure.Contestant{
		{Name: flowName, Handler: site},
		{Name: chiCompressName, Handler: compressed(server), Calls: file},
	}}
}

// manyPages returns a function that makes flow with n pages ready, each with a handler and a
// list of its own, in a layout that calls a partial.
func manyPages(n int) func() http.Handler {
	texts := map[string]string{
		"router/+layout.html": strings.Replace(layout, `<a href="/">Home</a>`, `{{template "+nav" .}}`, 1),
		"router/+nav.html":    `<a href="/">Home</a> {{with .Title}}<a href="#{{.}}" title="{{.}}">{{.}}</a>{{end}}`,
	}
	var paths []string
	for i := range n {
		path := fmt.Sprintf("area%d/page%d", i/100, i)
		texts["router/"+path+".html"] = listTitle + listText + fmt.Sprintf("<p>Page %d</p>", i)
		paths = append(paths, path)
	}
	files := pageTree(texts)
	return func() http.Handler {
		r := flow.New(files)
		for _, path := range paths {
			r.At(path).GET().Do(func(*flow.Request) flow.Response { return flow.Page(aList) })
		}
		return ready(r)
	}
}

// startPages and keepPages compare flow with and without plans. Each piece takes long, and
// the heap is the same in each round.
func startPages() measure.Group {
	build := manyPages(1000)
	return measure.Group{Base: PlansOffName, Rounds: 11, Contestants: []measure.Contestant{
		{Name: flowName, Cost: starting(build)},
		{Name: PlansOffName, Cost: starting(func() http.Handler { return withoutPlans(build) })},
	}}
}

func keepPages() measure.Group {
	const size = 5000
	build := manyPages(size)
	return measure.Group{Base: PlansOffName, Unit: "B", Rounds: 1, Contestants: []measure.Contestant{
		{Name: flowName, Cost: keeping(build, size)},
		{Name: PlansOffName, Cost: keeping(func() http.Handler { return withoutPlans(build) }, size)},
	}}
}
