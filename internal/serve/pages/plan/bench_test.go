package plan_test

import (
	"html/template"
	"strings"
	"testing"

	"example.com/flow/internal/serve/pages/plan"
)

// BenchmarkPlan renders with a plan, and with html/template into a buffer that is kept.
func BenchmarkPlan(b *testing.B) {
	type user struct {
		ID          int
		Name, Email string
	}
	type page struct {
		Title string
		Users []user
		Map   []map[string]any
		Dates []stringer
	}
	p := page{Title: "Users"}
	for i := range 10 {
		p.Users = append(p.Users, user{i, "Ada <Lovelace>", "ada@example.com"})
		p.Map = append(p.Map, map[string]any{"ID": i, "Name": "Ada <Lovelace>"})
		p.Dates = append(p.Dates, stringer{"date"})
	}
	fixed := template.FuncMap{
		"route": func(name string, params ...any) (string, error) { return "/users/7", nil },
		"upper": strings.ToUpper,
		"user":  func() any { return &p.Users[0] },
	}
	for _, bb := range []struct{ name, text string }{
		{"fields", `<title>{{.Title}}</title><h1>{{.Title}}</h1><ul>{{range .Users}}<li><a href="/users/{{.ID}}" title="{{.Name}}">{{.Name}}</a> {{.Email}}</li>{{end}}</ul>`},
		{"maps", `<ul>{{range .Map}}<li><a href="/users/{{.ID}}" title="{{.Name}}">{{.Name}}</a></li>{{end}}</ul>`},
		{"conditions", `{{range .Users}}{{if and .Name (gt .ID 5)}}{{.ID}}{{else if eq .Name "x"}}x{{end}}{{with .Email}}{{.}}{{end}}{{if not .ID}}0{{end}}{{end}}`},
		{"functions", `{{range .Users}}<a href="{{route "users.show" "id" .ID}}">{{upper .Name}}</a>{{printf "%d" .ID}}{{len .Email}}{{with user}}{{.Name}}{{end}}{{end}}`},
		{"methods", `{{range .Dates}}{{.String}}{{end}}`},
		{"stringers", `{{range .Dates}}{{.}}{{end}}`},
		{"scripts", `{{range .Users}}<script>x = {{.Name}}</script>{{end}}`},
		{"partials", `{{define "row"}}<li>{{.Name}}</li>{{end}}{{range .Users}}{{template "row" .}}{{end}}`},
		{"urls", `{{range .Users}}<a href="{{.Email}}?q={{.Name}}">{{end}}`},
	} {
		parsed := template.Must(template.New("page").Funcs(fixed).Parse(bb.text))
		var w strings.Builder
		parsed.Execute(&w, p)
		c, err := plan.NewCompiler(plan.Funcs{Fixed: fixed}).Compile(parsed, "page", nil)
		if err != nil {
			b.Fatal(err)
		}
		data := any(p)
		b.Run(bb.name+"/plan", func(b *testing.B) {
			b.ReportAllocs()
			var page []byte
			for b.Loop() {
				page, _ = c.Append(page[:0], nil, data)
			}
		})
		b.Run(bb.name+"/template", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.Reset()
				parsed.Execute(&w, data)
			}
		})
	}
}
