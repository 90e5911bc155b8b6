package plan_test

import (
	"html/template"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/plan"
)

const layout = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{.Title}} · Site</title></head>
<body><nav><a href="/">Home</a></nav><main>{{template "content" .}}</main></body>
</html>`
const listText = `<h1>{{.Title}}</h1>
<ul>{{range .Users}}<li><a href="/users/{{.ID}}" title="{{.Name}}">{{.Name}}</a> {{.Email}}</li>
{{end}}</ul>`

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

func page(tb testing.TB) *template.Template {
	t := template.Must(template.New("layout").Parse(layout))
	template.Must(t.New("content").Parse(listText))
	return t
}

func TestPage(t *testing.T) {
	is := is.New(t)
	tmpl := page(t)
	var b strings.Builder
	is.NoErr(tmpl.Execute(&b, aList()))
	p, err := plan.Compile(tmpl, "layout", plan.Funcs{})
	is.NoErr(err)
	got, err := p.Append(nil, nil, aList())
	is.NoErr(err)
	is.Equal(string(got), b.String())
}

func BenchmarkPage(b *testing.B) {
	tmpl := page(b)
	data := any(aList())
	var w strings.Builder
	tmpl.Execute(&w, data)
	p, _ := plan.Compile(tmpl, "layout", plan.Funcs{})
	b.Run("plan", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			buf, _ = p.Append(buf[:0], nil, data)
		}
	})
	b.Run("template", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.Reset()
			tmpl.Execute(&w, data)
		}
	})
}
