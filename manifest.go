package flow

import (
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
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site"
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
				s.Routes = append(s.Routes, e.inManifest(inner))
			}
		}
		for _, a := range t.assets {
			plain := manifest.WithHoles(site.URL(a.pattern))
			s.Assets[plain] = plain
			if a.hashed != nil {
				s.Assets[plain] = manifest.WithHoles(site.URL(a.hashed))
			}
		}
		sources, fields := inner.checkedViews().Links(site.PageURLs(inner.tree))
		asking := links.Requests(sources, fields)
		for _, source := range sources {
			for _, name := range source.Assets {
				if a := t.assets[name]; a != nil {
					asking = append(asking, links.Request{File: source.File, Method: http.MethodGet, URL: site.URL(a.pattern)})
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

// inManifest returns the endpoint of a Router for a manifest.
func (e *endpoint) inManifest(inner *Router) manifest.Route {
	of := e.asRoute()
	r := manifest.Route{Method: of.Method, Pattern: of.Pattern.String(), URL: manifest.URL(of.Pattern.Segments), Required: manifest.Required(of)}
	if of.Tree != nil {
		r.File = inner.stableFile(of.Tree.InTree())
	} else {
		r.File, _, _ = strings.Cut(of.File, " of ") // Mount("/files/")
	}
	switch in := of.Shape.In; {
	case in != nil && !input.DecodesItself(in):
		r.Fields = append([]string{}, input.FormNames(in, of.Method == http.MethodGet)...)
		slices.Sort(r.Fields)
	case of.IsPage() && of.Handler.Line == 0: // it has no handler
		r.Fields = []string{}
	}
	return r
}

// link returns a request of a page for a manifest. ok is false if nothing answers it: it may be for
// another server.
func (r *Router) link(host string, asked links.Request) (l manifest.Link, ok bool) {
	l = manifest.Link{Method: asked.Method, URL: manifest.WithHoles(asked.URL), Form: asked.Form, Fields: []manifest.Field{}}
	var in *inputs.FormInput
	if asked.URL != "" {
		answers, _ := r.table.Load().site.Answers(host, asked.Method, asked.URL)
		if len(answers) == 0 {
			return l, false
		}
		meant := manifest.Meant(asked.URL, answers)
		l.Route, in = manifest.URL(meant.Pattern.Segments), inputs.FormInputOf(meant, asked.Method)
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
	return manifest.Breaks(old, r.manifest(), r.table.Load().site), nil
}
