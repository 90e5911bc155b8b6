package flow

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/check/links"
	"example.com/flow/internal/check/manifest"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/input"
)

// manifest returns what the application answers, and what its pages ask for. It is the same from every
// directory.
func (r *Router) manifest() *manifest.Manifest {
	m := &manifest.Manifest{Format: manifest.Format, Program: mainPackage(), Site: r.site("", r)}
	for _, hosts := range r.mountedHosts() {
		m.Hosts = map[string]manifest.Site{}
		for _, host := range hosts.names() {
			m.Hosts[host] = r.site(host, hosts[host])
		}
	}
	return m
}

// mainPackage returns the import path of the program. It is "" if that is not known, as in a build of
// single files.
func mainPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path == "command-line-arguments" {
		return ""
	}
	return info.Path
}

// site returns what a Router and those mounted inside it have: r itself, or the one of a host in it.
func (r *Router) site(host string, of *Router) manifest.Site {
	s := manifest.Site{Routes: []manifest.Route{}, Links: []manifest.Link{}, Assets: map[string]string{}}
	for _, inner := range of.withMounted() {
		t := inner.table.Load()
		for _, e := range t.routes {
			if _, isHosts := e.handler.std.(Hosts); !isHosts {
				s.Routes = append(s.Routes, e.asRoute(inner))
			}
		}
		for _, a := range t.assets {
			plain := manifest.WithHoles(urlWithHoles(a.pattern))
			s.Assets[plain] = plain
			if a.hashed != nil {
				s.Assets[plain] = manifest.WithHoles(urlWithHoles(a.hashed))
			}
		}
		sources, fields := inner.wholeViews().Links(urlsOfPages(inner.tree))
		asking := links.Requests(sources, fields)
		for _, source := range sources {
			for _, name := range source.Assets {
				if a := t.assets[name]; a != nil {
					asking = append(asking, links.Request{File: source.File, Method: http.MethodGet, URL: urlWithHoles(a.pattern)})
				}
			}
		}
		for _, asked := range asking {
			if l, ok := r.link(host, asked); ok {
				l.File = inner.stableFile(asked.File)
				s.Links = append(s.Links, l)
			}
		}
	}
	s.Sort()
	return s
}

// stableFile returns the name of a template for messages without what depends on the working directory.
// If the Router is mounted, the name begins with the directory of its application.
func (r *Router) stableFile(shown string) string {
	file := shown
	if r.tree.Dir != "" {
		file = strings.TrimPrefix(shown, r.tree.Dir+"/")
	}
	if r.outer() == nil {
		return file
	}
	return r.inApp(file)
}

// method returns the method that the endpoint answers; "ANY" stands for those without one of their own.
func (e *endpoint) method() string {
	if method, _, ok := strings.Cut(e.pattern, " "); ok {
		return method
	}
	return "ANY"
}

// asRoute returns the endpoint of a Router for a manifest.
func (e *endpoint) asRoute(inner *Router) manifest.Route {
	r := manifest.Route{Method: e.method(), Pattern: e.path.String(), URL: manifest.URL(e.path.Segments), Required: e.required()}
	if route := e.owner.route; route != nil {
		r.File = inner.stableFile(route.InTree())
	} else {
		r.File, _, _ = strings.Cut(e.owner.file, " of ") // Mount("/files/")
	}
	switch typed := e.handler.typed; {
	case typed != nil && typed.in != nil && !input.DecodesItself(typed.bound):
		r.Fields = append([]string{}, input.FormNames(typed.bound, e.readsQuery())...)
		slices.Sort(r.Fields)
	case e.isPage() && e.handler.pos.Line == 0: // it has no handler
		r.Fields = []string{}
	}
	return r
}

// readsQuery reports whether a form for the endpoint is sent as a query.
func (e *endpoint) readsQuery() bool { return e.method() == http.MethodGet }

// required returns the fields that a typed handler requires.
func (e *endpoint) required() []string {
	if typed := e.handler.typed; typed != nil && typed.in != nil {
		return append([]string{}, inputs.RequiredNames(typed.bound, e.readsQuery(), invalidOf)...)
	}
	return []string{}
}

// link returns a request of a page for a manifest. ok is false if nothing answers it: it may be for
// another server.
func (r *Router) link(host string, asked links.Request) (l manifest.Link, ok bool) {
	l = manifest.Link{Method: asked.Method, URL: manifest.WithHoles(asked.URL), Form: asked.Form, Fields: []manifest.Field{}}
	var in links.Input
	if asked.URL != "" {
		path, _, ok := match.ParsePath(asked.URL)
		answers, _ := r.answers(host, asked.Method, path)
		if !ok || len(answers) == 0 {
			return l, false
		}
		var patterns []*pattern.Pattern
		for _, e := range answers {
			patterns = append(patterns, e.path)
		}
		e := answers[manifest.Meant(overlapping(path), patterns)]
		l.Route, in = manifest.URL(e.path.Segments), formInputOf(e, asked.Method)
	}
	for _, f := range asked.Fields {
		field := manifest.Field{Name: manifest.WithHoles(f.Name)}
		if in == nil || manifest.Unreadable(in, f, asked.Method) == "" { // else the check warns of it today
			field = manifest.Field{Name: field.Name, Type: f.Type, Value: f.Value, Lists: f.Lists}
		}
		if !slices.Contains(l.Fields, field) {
			l.Fields = append(l.Fields, field)
		}
	}
	return l, true
}

// answers returns what answers a method of a path of a host for some values of its holes, and the methods
// that the path answers.
func (r *Router) answers(host, method string, path []match.HoledSegment) (answers []*endpoint, methods []string) {
	found, methods, _ := r.table.Load().urls.asked(method, path)
	for _, e := range found {
		hosts, ok := e.handler.std.(Hosts)
		if !ok {
			answers = append(answers, e)
			continue
		}
		if inner := cmp.Or(hosts[host], hosts[""]); inner != nil {
			more, others := inner.answers("", method, path)
			answers, methods = append(answers, more...), append(methods, others...)
		}
	}
	return answers, methods
}

// A version is the application as it is now, for manifest.Breaks.
type version struct{ *Router }

func (v version) Answers(host, method, url string) (answers []manifest.Answer, methods []string) {
	path, _, ok := match.ParsePath(url)
	if !ok {
		return nil, nil
	}
	found, methods := v.answers(host, method, path)
	for _, e := range found {
		answers = append(answers, manifest.Answer{File: e.owner.file, Handler: e.handler.pos.String(), Segments: e.path.Segments, Required: e.required(), Input: formInputOf(e, method)})
	}
	return answers, methods
}

// breaksSince returns warnings of the requests that the version of a manifest in a file expects to be
// answered, and that are not.
func (r *Router) breaksSince(file string) ([]fault.Fault, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("-previous: %w", err)
	}
	old, err := manifest.Parse(text, mainPackage())
	if err != nil {
		return nil, fmt.Errorf("-previous=%s: %w", file, err)
	}
	return manifest.Breaks(old, r.manifest(), version{r}), nil
}
