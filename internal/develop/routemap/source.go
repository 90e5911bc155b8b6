package routemap

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site/httpfile"
)

// A Source is what a Map is made of: the files of an application, and the registrations. H
// and M are its types of handlers and of middleware.
type Source[H, M any] struct {
	Tree    *routetree.Tree
	Plan    *registry.Plan[H, M]
	Before  []Middleware                      // that of the applications around this one
	Handler func(*H) fault.Position           // returns the position of a handler
	Name    func(M) (name string, guard bool) // returns the name of a middleware, and whether it is a guard
	Disk    fs.FS                             // the files on disk in development; otherwise nil
	Mounts  []Mount
	Inside  []Map
}

// NewMap returns the map of the routes. In development the layouts, the error pages, the examples
// and the public files are those on disk.
func (s Source[H, M]) NewMap() Map {
	m := Map{Prefix: prefixOf(s.Tree), Mounts: s.Mounts, Inside: s.Inside}
	now := s.Tree
	if s.Disk != nil {
		now = routetree.ParseIn(now.Dir, s.Disk, now.Shared, now.Formats).Below(now.Prefix)
	}
	built, onDisk := map[string]bool{}, map[string]*routetree.Route{}
	for _, r := range now.Routes {
		onDisk[r.File] = r
	}
	for _, r := range s.Tree.Routes {
		route := s.route(r)
		route.setTemplates(now)
		route.readExamples(now.Files, onDisk[r.File])
		m.Routes, built[r.File] = append(m.Routes, route), true
	}
	for _, r := range now.Routes {
		if !built[r.File] {
			m.Unbuilt = append(m.Unbuilt, r.File)
		}
	}
	for _, p := range now.Public {
		m.Public = append(m.Public, Public{p.File, p.Pattern.String(), linkOf(p.Pattern)})
	}
	for _, inside := range s.Inside {
		m.Unbuilt = append(m.Unbuilt, inside.Unbuilt...)
	}
	standard := slices.DeleteFunc(s.Middleware(s.Plan.Uses), func(m Middleware) bool { return m.Guard })
	m.forPublic = append(slices.Clip(s.Before), standard...)
	return m
}

// BeforeMounted returns the middleware before what is mounted, given that of the mount.
func (s Source[H, M]) BeforeMounted(own []*registry.Use[M]) []Middleware {
	return append(slices.Clip(s.Before), s.Middleware(s.Plan.BeforeMounted(own))...)
}

// prefixOf returns the pattern of the prefix that a tree is mounted at, or "".
func prefixOf(t *routetree.Tree) string {
	if len(t.Prefix) == 0 {
		return ""
	}
	return pattern.New(t.Prefix).String()
}

// linkOf returns the URL of a pattern without parameters, and "" for one with parameters.
func linkOf(p *pattern.Pattern) string {
	if len(p.Names) > 0 {
		return ""
	}
	return p.URL(nil)
}

// Middleware returns the descriptions of middleware.
func (s Source[H, M]) Middleware(uses []*registry.Use[M]) (all []Middleware) {
	for _, u := range uses {
		name, guard := s.Name(u.Middleware)
		all = append(all, Middleware{name, u.By, u.Pos.String(), guard})
	}
	return all
}

// route returns the description of a route.
func (s Source[H, M]) route(r *routetree.Route) Route {
	route := Route{File: r.File, Path: r.Path}
	for _, p := range r.Patterns {
		route.URLs = append(route.URLs, URL{p.String(), linkOf(p)})
	}
	before := s.Plan.Before(r)
	route.Middleware = append(slices.Clip(s.Before), s.Middleware(before)...)
	for _, a := range s.Plan.Answers(r) {
		method := Method{Method: a.Method, Name: a.Name, Middleware: s.Middleware(a.Before[len(before):])}
		if a.Verb.Handler != nil {
			method.Handler = s.Handler(a.Verb.Handler).String()
		}
		route.Methods = append(route.Methods, method)
	}
	slices.SortStableFunc(route.Methods, func(a, b Method) int { return forms.CompareMethods(a.Method, b.Method) })
	return route
}

// readExamples reads the examples of a route as it is in files. It does nothing for a page, and
// for nil: the file is gone.
func (r *Route) readExamples(files fs.FS, now *routetree.Route) {
	if now == nil || now.Page {
		return
	}
	text, err := fs.ReadFile(files, now.InTree())
	if err != nil {
		return // it was deleted a moment ago
	}
	f, _ := httpfile.Parse(r.File, text)
	r.Prose = f.Prose
	for _, req := range f.Requests {
		if req.Method == "" {
			continue // a fault of the file
		}
		e := Example{Title: req.Title, Prose: req.Prose, Method: req.Method, Path: req.Target.String(), Status: req.Status()}
		if asked, ok := req.Path(pattern.Hole); ok && !strings.Contains(asked, pattern.Hole) {
			e.Why = whyURL(e.Method, asked)
		}
		r.Examples = append(r.Examples, e)
	}
}

// setTemplates sets the layouts and the error page of a route to those of a tree.
func (r *Route) setTemplates(t *routetree.Tree) {
	for _, dir := range routetree.Layers(r.Path) {
		if layout, ok := t.Templates[path.Join(dir, "+layout")]; ok && !strings.HasSuffix(r.File, ".http") {
			r.Layouts = append(r.Layouts, layout.File)
		}
		if page, ok := t.Templates[path.Join(dir, "+error")]; ok {
			r.ErrorPage = page.File
		}
	}
}
