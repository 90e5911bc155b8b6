package rows

import (
	"bytes"
	"html/template"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v4"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/tree"
)

var pageRows = []Row{
	{"page/data", "a page in a layout with a list of 10 rows", dataPage},
	{"page/plain", "a page of 1.6 KB that needs no handler: flow renders it once", plainPage},
	{"page/gzip", "the same for a client that takes gzip", plainPageGzip},
}

const (
	templateName = "html/template each time"

	layout = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{block "title" .}}Site{{end}}</title></head>
<body><nav><a href="/">Home</a></nav><main>{{template "content" .}}</main></body>
</html>`
	listTitle = `{{define "title"}}{{.Title}} · Site{{end}}`
	listText  = `<h1>{{.Title}}</h1>
<ul>{{range .Users}}<li><a href="/users/{{.ID}}" title="{{.Name}}">{{.Name}}</a> {{.Email}}</li>
{{end}}</ul>`
)

// A list is what the page with data shows.
type list struct {
	Title string
	Users []listed
}

type listed struct {
	ID          int
	Name, Email string
}

func aList() list {
	l := list{Title: "Users"}
	for i := range 10 {
		l.Users = append(l.Users, listed{i, "Ada <Lovelace>", "ada@example.com"})
	}
	return l
}

// templates returns a page in its layout, as html/template has it.
func templates(text string) *template.Template {
	t := template.Must(template.New("layout").Parse(layout))
	template.Must(t.New("content").Parse(text))
	return t
}

// byHand renders into a buffer, so that a page that fails is a whole error.
func byHand(t *template.Template, data any) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
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

func dataPage() measure.Group {
	data := aList()
	t := template.Must(templates(listText).Parse(listTitle))
	r := flow.New(tree.New(map[string]string{"router/+layout.html": layout, "router/page.html": listTitle + listText}, time.Time{}))
	r.At("page").GET().Do(func(*flow.Request) flow.Response { return flow.Page(data) })
	return measure.Group{Base: templateName, Calls: []measure.Call{pageCall(execute(t, data), nil)}, Contestants: []measure.Contestant{
		{Name: flowName, Handler: ready(r)},
		{Name: templateName, Handler: byHand(t, data)},
		{Name: ginName, Handler: ginPage(t, data)},
		{Name: echoName, Handler: echoPage(t, data)},
	}}
}

// plainText is the page without code.
var plainText = "<h1>About</h1>\n" + strings.Repeat("<p>A page that shows nothing but itself, in a few words.</p>\n", 23)

func plainSite() (h http.Handler, t *template.Template, text string) {
	t = templates(plainText)
	r := flow.New(tree.New(map[string]string{"router/+layout.html": layout, "router/page.html": plainText}, time.Time{}))
	return ready(r), t, execute(t, nil)
}

func plainPage() measure.Group {
	site, t, text := plainSite()
	file := []measure.Call{pageCall(text, nil)}
	file[0].Path = "/page.html"
	return measure.Group{Base: fileServerName, Calls: []measure.Call{pageCall(text, nil)}, Contestants: []measure.Contestant{
		{Name: flowName, Handler: site},
		{Name: fileServerName, Handler: recovered(http.FileServerFS(tree.New(map[string]string{"page.html": text}, time.Time{}))), Calls: file},
		{Name: templateName, Handler: byHand(t, nil)},
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
