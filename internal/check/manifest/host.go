package manifest

import (
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/check/links"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site"
)

// Program returns the import path of the program. It is "" if that is not known, as in a build of single
// files.
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path == "command-line-arguments" {
		return ""
	}
	return info.Path
}

// A Router is what the Host has of one Router: its own, or one that is mounted inside it.
type Router struct {
	Routes []*site.Route
	Assets map[string]Asset // public files, by path below public/
	Pages  []links.Source
	Fields links.Named
	File   func(shown string) string // returns the name of a file without what depends on the working directory
}

// An Asset has the patterns of a public file.
type Asset struct {
	Pattern *pattern.Pattern
	Hashed  *pattern.Pattern // nil in development
}

// NewHost returns what the Routers of a host have. routes are those of the application.
func NewHost(name string, routes *site.Map, routers []Router) Host {
	h := Host{Routes: []Route{}, Links: []Link{}, Assets: map[string]string{}}
	for _, of := range routers {
		for _, r := range of.Routes {
			if r.Hosts == nil {
				h.Routes = append(h.Routes, of.route(r))
			}
		}
		for _, a := range of.Assets {
			plain := WithHoles(site.URL(a.Pattern))
			h.Assets[plain] = plain
			if a.Hashed != nil {
				h.Assets[plain] = WithHoles(site.URL(a.Hashed))
			}
		}
		for _, asked := range of.requests() {
			if l, ok := linkOf(asked, name, routes); ok {
				l.File = of.File(asked.File)
				h.Links = append(h.Links, l)
			}
		}
	}
	h.sort()
	return h
}

// route returns a route in the words of a manifest.
func (of Router) route(r *site.Route) Route {
	line := Route{Method: r.Method, Pattern: r.Pattern.String(), URL: urlOf(r), Required: required(r)}
	if r.Tree != nil {
		line.File = of.File(r.Tree.InTree())
	} else {
		line.File, _, _ = strings.Cut(r.File, " of ") // Mount("/files/")
	}
	switch {
	case r.In != nil && !input.DecodesItself(r.In):
		line.Fields = append([]string{}, input.FormNames(r.In, r.Method == http.MethodGet)...)
		slices.Sort(line.Fields)
	case r.IsPage() && r.Handler.Line == 0: // it has no handler
		line.Fields = []string{}
	}
	return line
}

// requests returns what the pages make browsers ask for.
func (of Router) requests() []links.Request {
	asking := links.Requests(of.Pages, of.Fields)
	for _, page := range of.Pages {
		for _, name := range page.Assets {
			if a, ok := of.Assets[name]; ok {
				asking = append(asking, links.Request{File: page.File, Method: http.MethodGet, URL: site.URL(a.Pattern)})
			}
		}
	}
	return asking
}

// linkOf returns a request of a page of a host. ok is false if nothing answers it: it may be for another
// server.
func linkOf(asked links.Request, host string, routes *site.Map) (l Link, ok bool) {
	l = Link{Method: asked.Method, URL: WithHoles(asked.URL), Form: asked.Form, Fields: []Field{}}
	var in *inputs.FormInput
	if asked.URL != "" {
		answers, _ := routes.Answers(host, asked.Method, asked.URL)
		if len(answers) == 0 {
			return l, false
		}
		r := meant(asked.URL, answers)
		l.Route, in = urlOf(r), inputs.FormInputOf(r, asked.Method)
	}
	for _, f := range asked.Fields {
		field := Field{Name: WithHoles(f.Name)}
		if in == nil || unreadable(in, f, asked.Method) == "" { // else the check warns of it today
			field = Field{Name: field.Name, Type: f.Type, Value: f.Value, Lists: f.Lists}
		}
		if !slices.Contains(l.Fields, field) {
			l.Fields = append(l.Fields, field)
		}
	}
	return l, true
}
