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

// policy returns the Content-Security-Policy of devpage, which also allows the style sheet of
// the map.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return strings.Replace(devpage.Policy, "style-src ", "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"' ", 1)
}

// A Page is an http.Handler that serves the route map. The query may have a question:
// ?method=POST&path=/users/new.
type Page struct {
	Map     Map
	Explain func(Question) Explanation
	Recent  []dev.Request // the newest first

	// Faults are those of the files on disk, in templates and examples.
	Faults []devpage.Fault
	// Warnings are those that "flow dev" has found in the Go code.
	Warnings []devpage.Fault
}

// ServeHTTP serves the page.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v := view{Map: p.Map, Faults: p.Faults, Warnings: p.Warnings, Method: query.Get("method"), Path: query.Get("path")}
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

// A view is the data of the template.
type view struct {
	Map          Map
	Method, Path string // those of the question
	Problem      string // why the question cannot be answered; else ""
	Explanation  *Explanation
	Requests     []request
	Faults       []devpage.Fault
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
		panic(err) // cannot happen: the template is fixed
	}
	page := devpage.Shell("Route map", template.HTML(b.String()))
	return bytes.Replace(page, []byte("</head>"), []byte("<style>"+style+"</style>\n</head>"), 1)
}

// Summary returns a sentence with the numbers of handlers and route files.
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

// Methods returns the methods that the form offers.
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

// A part is a section of the page: the application, or one that is mounted in it.
type part struct {
	Map
	ID, Title, About string
	Common           []Middleware // the middleware with which the chain of each route begins
	Dirs             []dirView
}

// A dirView is a directory of a part.
type dirView struct {
	ID, Title, Note string
	Around          string // the templates around the pages, if they are the same for all; else ""
	Routes          []routeView
}

// A routeView is a route of a dirView.
type routeView struct {
	Route
	Around string       // the templates around the page; "" if dirView.Around has them
	Name   string       // the name of all methods; "" if they differ
	Own    []Middleware // the middleware behind part.Common
}

// parts appends the parts of the map, an application before those mounted in it.
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

// number sets the HTML ids of a part and its directories.
func (p *part) number(i int) {
	p.ID = fmt.Sprint("routes-", i)
	for j := range p.Dirs {
		p.Dirs[j].ID = fmt.Sprintf("%s-%d", p.ID, j)
	}
}

// common returns the middleware with which the chain of each route begins.
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

// view returns a directory for the template. It leaves out the first common middleware of
// each chain, which the part shows.
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
	if len(arounds) == 1 { // show it once for the directory
		for i := range v.Routes {
			v.Around, v.Routes[i].Around = cmp.Or(v.Around, v.Routes[i].Around), ""
		}
	}
	return v
}

// name returns the name of all methods of the route, or "" if they differ.
func (r Route) name() string {
	if len(r.Methods) == 0 || slices.ContainsFunc(r.Methods, func(m Method) bool { return m.Name != r.Methods[0].Name }) {
		return ""
	}
	return r.Methods[0].Name
}

// note returns what the brackets or parentheses of a directory mean, or "".
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

// around returns a text with the layouts and the error page of a page. It returns "" for a
// .http file.
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

// A request is a recorded request with methods for the template.
type request struct{ dev.Request }

// Why returns the URL of the explanation for the request.
func (r request) Why() string { return whyURL(r.Method, r.Path) }

// whyURL returns the URL of the route map that explains what answers a request.
func whyURL(method, path string) string {
	return "/_flow?" + url.Values{"method": {method}, "path": {path}}.Encode() + "#ask"
}

// Class returns the first digit of the status.
func (r request) Class() int { return r.Status / 100 }

// Duration returns the duration with three digits.
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

// Stamp returns the time in RFC 3339.
func (r request) Stamp() string { return r.Time.Format(time.RFC3339) }
