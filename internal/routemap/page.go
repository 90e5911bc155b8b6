package routemap

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/flow/internal/dev"
	"example.com/flow/internal/devpage"
	"example.com/flow/internal/forms"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string

	pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("").Parse(pageText)) })
)

// policy is that of devpage, with the style sheet of the map.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return strings.Replace(devpage.Policy, "style-src ", "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"' ", 1)
}

// A Page serves the route map, as an http.Handler. Its query may ask what answers a method
// of a path: ?method=POST&path=/users/new.
type Page struct {
	Map     Map
	Explain func(Question) Explanation
	Recent  []dev.Request // the newest first

	// Warnings are what the tool has found in the Go code.
	Warnings []devpage.Fault
}

// ServeHTTP answers with the page.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v := view{Map: p.Map, Warnings: p.Warnings, Method: query.Get("method"), Path: query.Get("path")}
	for _, q := range p.Recent {
		v.Requests = append(v.Requests, request{q})
	}
	if query.Has("path") {
		q, err := NewQuestion(v.Method, v.Path)
		if err != nil {
			v.Problem = err.Error()
		} else {
			e := p.Explain(q)
			v.Method, v.Explanation = q.Method, &e
		}
	}
	w.Header().Set("Content-Type", devpage.ContentType)
	w.Header().Set("Content-Security-Policy", policy())
	w.Header().Set("Cache-Control", "no-store")
	w.Write(v.render())
}

// A view is what the template gets.
type view struct {
	Map          Map
	Method, Path string // as they were asked
	Problem      string // with the question; "" if there is none
	Explanation  *Explanation
	Requests     []request
	Warnings     []devpage.Fault
	Parts        []part
}

func (v view) render() []byte {
	v.Method = cmp.Or(v.Method, http.MethodGet)
	v.Parts = v.Map.parts(true, nil)
	for i := range v.Parts {
		v.Parts[i].number(i)
	}
	var b bytes.Buffer
	if err := pageTemplate().ExecuteTemplate(&b, "page", v); err != nil {
		panic(err) // does not happen: the template is fixed
	}
	page := devpage.Shell("Route map", template.HTML(b.String()))
	return bytes.Replace(page, []byte("</head>"), []byte("<style>"+style+"</style>\n</head>"), 1)
}

// Summary says how much there is.
func (v view) Summary() string {
	routes, files := 0, 0
	for _, p := range v.Parts {
		for _, d := range p.Dirs {
			files += len(d.Routes)
			for _, r := range d.Routes {
				routes += len(r.Methods)
			}
		}
	}
	return fmt.Sprintf("%s in %s. Methods, names and guards are those of the binary that runs, layouts, error pages and public files those on disk.", count(routes, "handler"), count(files, "route file"))
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Methods are those that the form offers.
func (v view) Methods() []string {
	methods := slices.Clone(forms.Methods)
	add := func(m string) {
		if m != "ANY" && forms.CheckMethod(m) == nil && !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
	}
	for _, p := range v.Parts {
		for _, d := range p.Dirs {
			for _, r := range d.Routes {
				for _, m := range r.Methods {
					add(m.Method)
				}
			}
		}
	}
	add(v.Method)
	return methods
}

// A part is the application, or one that is mounted in it.
type part struct {
	Map
	ID, Title, About string
	Common           []Middleware // that all routes have, before their own
	Dirs             []dirView
}

type dirView struct {
	ID, Title, Note string
	Around          string // the templates of all pages
	Routes          []routeView
}

type routeView struct {
	Route
	Around string
	Name   string       // that all methods share; "" if they do not
	Own    []Middleware // after what all have
}

// parts returns the parts of the map, each before those inside it.
func (m Map) parts(outermost bool, parts []part) []part {
	p := part{Map: m, Title: "Routes"}
	if !outermost {
		p.Title = "Mounted at " + m.Prefix
		p.About = "Mounted by " + m.At + "."
		if m.Name != "" {
			p.About += " Around it, the names of its routes begin with " + m.Name + "."
		}
	}
	p.Common = m.common()
	for _, d := range m.Dirs() {
		p.Dirs = append(p.Dirs, d.view(len(p.Common)))
	}
	parts = append(parts, p)
	for _, inside := range m.Inside {
		parts = inside.parts(false, parts)
	}
	return parts
}

// number gives a part and its directories their ids.
func (p *part) number(i int) {
	p.ID = fmt.Sprint("routes-", i)
	for j := range p.Dirs {
		p.Dirs[j].ID = fmt.Sprintf("%s-%d", p.ID, j)
	}
}

// common returns the middleware with which the chains of all routes begin.
func (m Map) common() []Middleware {
	if len(m.Routes) == 0 {
		return nil
	}
	common := m.Routes[0].Middleware
	for _, r := range m.Routes {
		n := 0
		for n < min(len(common), len(r.Middleware)) && common[n] == r.Middleware[n] {
			n++
		}
		common = common[:n]
	}
	return common
}

// view prepares a directory for the template. The first common pieces of middleware are
// shown elsewhere.
func (d Dir) view(common int) dirView {
	v := dirView{Title: cmp.Or(d.Path, "router") + "/", Note: d.note()}
	arounds := map[string]bool{}
	for _, r := range d.Routes {
		shown := routeView{Route: r, Around: r.around(), Own: r.Middleware[common:]}
		for _, m := range r.Methods {
			for _, u := range m.Middleware {
				shown.Own = append(slices.Clip(shown.Own), u)
			}
		}
		shown.Name = r.name()
		if shown.Around != "" {
			arounds[shown.Around] = true
		}
		v.Routes = append(v.Routes, shown)
	}
	if len(arounds) == 1 { // then it is said once
		for i := range v.Routes {
			v.Around, v.Routes[i].Around = cmp.Or(v.Around, v.Routes[i].Around), ""
		}
	}
	return v
}

// name returns the name that all methods have, or "".
func (r Route) name() string {
	if len(r.Methods) == 0 || slices.ContainsFunc(r.Methods, func(m Method) bool { return m.Name != r.Methods[0].Name }) {
		return ""
	}
	return r.Methods[0].Name
}

// note says what is special about the name of a directory.
func (d Dir) note() string {
	base := d.Path[strings.LastIndexByte(d.Path, '/')+1:]
	switch {
	case strings.HasPrefix(base, "("):
		return "a group, which is in no URL"
	case strings.HasPrefix(base, "[["):
		return "may be left out of the URL"
	case strings.HasPrefix(base, "["):
		return "a parameter"
	}
	return ""
}

// around says which templates are around a page. Endpoints have none.
func (r Route) around() string {
	if !strings.HasSuffix(r.File, ".html") {
		return ""
	}
	text := "No layout"
	if len(r.Layouts) > 0 {
		text = "In " + strings.Join(r.Layouts, ", then ")
	}
	if r.ErrorPage != "" {
		text += "; errors in " + r.ErrorPage
	}
	return text
}

// A request is one that the template shows.
type request struct{ dev.Request }

// Why returns the URL of its explanation.
func (r request) Why() string {
	return "/_flow?" + url.Values{"method": {r.Method}, "path": {r.Path}}.Encode() + "#ask"
}

// Class returns the first digit of the status.
func (r request) Class() int { return r.Status / 100 }

// Duration returns how long it took, in three digits.
func (r request) Duration() string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if r.Took >= unit {
			return r.Took.Round(unit / 100).String()
		}
	}
	return r.Took.String()
}

// Clock returns the time of the day.
func (r request) Clock() string { return r.Time.Format("15:04:05") }

// Stamp returns the time as machines read it.
func (r request) Stamp() string { return r.Time.Format(time.RFC3339) }
