package routemap

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/livereload"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/routetree"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string

	pageMain = devpage.Template(pageText)
)

// A Page is an http.Handler that serves the route map. The query may have a question:
// ?method=POST&path=/users/new.
type Page struct {
	Map     Map
	Total   int // the number of routes, as the commands check and routes count them
	Explain func(Question) Explanation
	Recent  []livereload.Request // the newest first
	Log     []devpage.Record     // the oldest first
	Sources []string             // the directories below which the files of handlers are looked for

	// Faults and Warnings are those of the files on disk, in templates and examples.
	Faults, Warnings []devpage.Fault
	// Vetted are the warnings that "flow dev" has found in the Go code.
	Vetted []devpage.Fault
}

// ServeHTTP serves the page.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v := view{Page: p, Method: cmp.Or(query.Get("method"), http.MethodGet), Path: query.Get("path"), Parts: p.parts(p.Map, nil)}
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
	w.Header().Set("Content-Security-Policy", devpage.PolicyFor(style, devpage.Style))
	w.Header().Set("Cache-Control", "no-store")
	w.Write(devpage.Page{Title: "Route map", Main: pageMain(v), Own: template.CSS(style)}.Render())
}

// A view is the data of the template.
type view struct {
	Page
	Method, Path string // those of the question
	Problem      string // why the question cannot be answered; else ""
	Explanation  *Explanation
	Parts        []part
}

// Files returns the number of route files.
func (v view) Files() (n int) {
	for _, p := range v.Parts {
		n += p.Map.Files
	}
	return n
}

// Methods returns the methods that the form offers.
func (v view) Methods() []string {
	methods := slices.Clone(forms.Methods)
	add := func(m string) {
		if forms.CheckMethod(m) == nil && !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
	}
	for _, p := range v.Parts {
		for _, l := range p.Lines {
			add(l.Method)
		}
	}
	add(v.Method)
	return methods
}

// Requests returns the last requests for what is no public file, at most a hundred.
func (v view) Requests() (shown []livereload.Request) {
	public := map[string]bool{}
	for _, part := range v.Parts {
		for _, p := range part.Public {
			public[http.MethodGet+" "+p.Pattern.String()] = true
		}
	}
	shown = slices.DeleteFunc(slices.Clone(v.Recent), func(r livereload.Request) bool { return public[r.Pattern] })
	return shown[:min(len(shown), 100)]
}

// Logged returns what was logged, the newest first.
func (v view) Logged() []devpage.Record {
	newest := slices.Clone(v.Log)
	slices.Reverse(newest)
	return newest
}

// A part is a section of the page: the application, or one that is mounted in it.
type part struct {
	Map
	ID, Title, About string
	Common           []Middleware // the middleware with which the chain of each route begins
	Lines            []line
}

// Link returns the URL of a public file, or "" if it has parameters.
func (p part) Link(file *routetree.Public) string { return linkOf(file.Pattern) }

// A line is a Line on the page.
type line struct {
	Line
	Handler devpage.Spot
	Guards  []string     // by name; empty if the route is public
	Own     []Middleware // the middleware behind part.Common
}

// parts appends the parts of a map, an application before those mounted in it.
func (p Page) parts(m Map, parts []part) []part {
	s := part{Map: m, ID: fmt.Sprint("routes-", len(parts)), Title: "Routes", Common: m.common()}
	if len(parts) > 0 {
		s.Title = "Mounted at " + m.Prefix
		s.About = "Mounted by " + m.At + "."
		if m.Name != "" {
			s.About += " Around it, the names of its routes begin with " + m.Name + "."
		}
	}
	for _, l := range m.Lines {
		before := l.Before()
		s.Lines = append(s.Lines, line{l, devpage.SpotOf(l.Handler.String(), p.Sources...), guards(before), before[shared(s.Common, before):]})
	}
	slices.SortStableFunc(s.Lines, func(a, b line) int {
		return cmp.Or(slices.Compare(a.segments(), b.segments()), forms.CompareMethods(a.Method, b.Method))
	})
	parts = append(parts, s)
	for _, inside := range m.Inside {
		parts = p.parts(inside, parts)
	}
	return parts
}

// segments returns the segments of the URL, for sorting. An index sorts first, and a parameter
// after literal text, since "{" sorts after letters.
func (l line) segments() []string { return strings.Split(l.Pattern.String(), "/") }

// guards returns the names of the guards, each once.
func guards(before []Middleware) (names []string) {
	for _, m := range before {
		if m.Guard && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// common returns the middleware with which the chain of each route file begins.
func (m Map) common() (common []Middleware) {
	for i, l := range m.Lines {
		switch {
		case l.IsMounted():
		case i == 0:
			common = l.OfFile
		default:
			common = common[:shared(common, l.OfFile)]
		}
	}
	return common
}

// shared returns how many of the first elements are the same.
func shared(a, b []Middleware) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Why returns the URL of the explanation for a request.
func (v view) Why(method, path string) string { return whyURL(method, path) }

// whyURL returns the URL of the route map that explains what answers a request.
func whyURL(method, path string) string {
	return "/_flow?" + url.Values{"method": {method}, "path": {path}}.Encode() + "#ask"
}

// Short returns a duration with three digits.
func (v view) Short(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}
