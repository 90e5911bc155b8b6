package routemap

import (
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
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
	Mounted []Line                            // the mounted handlers that are not Routers
	Inside  []Map                             // the mounted Routers
}

// NewMap returns the map of the routes. In development the layouts, the error pages, the examples
// and the public files are those on disk.
func (s Source[H, M]) NewMap() Map {
	now := s.Tree
	if s.Disk != nil {
		now = routetree.ParseIn(now.Dir, s.Disk, now.Shared, now.Formats).Below(now.Prefix)
	}
	m := Map{Files: len(s.Tree.Routes), Inside: s.Inside, Public: now.Public}
	if len(s.Tree.Prefix) > 0 {
		m.Prefix = pattern.New(s.Tree.Prefix).String()
	}
	built, onDisk := map[string]bool{}, map[string]*routetree.Route{}
	for _, r := range now.Routes {
		onDisk[r.File] = r
	}
	for _, r := range s.Tree.Routes {
		built[r.File] = true
		m.Lines = append(m.Lines, s.lines(r, now, onDisk[r.File])...)
	}
	m.Lines = append(m.Lines, s.Mounted...)
	for _, r := range now.Routes {
		if !built[r.File] {
			m.Unbuilt = append(m.Unbuilt, r.File)
		}
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

// Middleware returns the descriptions of middleware.
func (s Source[H, M]) Middleware(uses []*registry.Use[M]) (all []Middleware) {
	for _, u := range uses {
		name, guard := s.Name(u.Middleware)
		all = append(all, Middleware{name, u.By, u.Pos.String(), guard})
	}
	return all
}

// lines returns the lines of a route file, given the tree on disk, and the route there, which is nil if
// the file is gone.
func (s Source[H, M]) lines(r *routetree.Route, now *routetree.Tree, onDisk *routetree.Route) (lines []Line) {
	prose, examples := readExamples(now.Files, onDisk)
	before, templates := s.Plan.Before(r), around(r, now)
	ofFile := append(slices.Clip(s.Before), s.Middleware(before)...)
	answers := s.Plan.Answers(r)
	methods := map[string]bool{}
	for _, a := range answers {
		methods[a.Method] = true
	}
	for i, p := range r.Patterns {
		for _, a := range answers {
			l := Line{
				Route:    site.Route{Method: a.Method, Pattern: p, File: r.File, Tree: r, Name: a.Name},
				OfFile:   ofFile,
				OfMethod: s.Middleware(a.Before[len(before):]),
				Around:   templates,
			}
			if a.Verb.Handler != nil {
				l.Handler = s.Handler(a.Verb.Handler)
			} else {
				l.What = "the page as it is"
			}
			if i == 0 { // an optional segment has further URLs, of which there is no more to say
				l.Prose = prose
				for _, e := range examples {
					if answering(methods, e.Method) == a.Method {
						l.Examples = append(l.Examples, e)
					}
				}
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// answering returns which of the methods with a handler answers a method: itself, GET for HEAD, or "ANY".
func answering(methods map[string]bool, method string) string {
	switch {
	case methods[method]:
		return method
	case method == http.MethodHead && methods[http.MethodGet]:
		return http.MethodGet
	}
	return site.Any
}

// readExamples reads the prose and the examples of a route as it is in files. There are none of a page, nor
// of nil.
func readExamples(files fs.FS, r *routetree.Route) (prose string, examples []Example) {
	if r == nil || r.Page {
		return "", nil
	}
	text, err := fs.ReadFile(files, r.InTree())
	if err != nil {
		return "", nil // it was deleted a moment ago
	}
	f, _ := httpfile.Parse(r.File, text)
	for _, req := range f.Requests {
		if req.Method == "" {
			continue // a fault of the file
		}
		e := Example{Title: req.Title, Prose: req.Prose, Method: req.Method, Path: req.Target.String(), Status: req.Status()}
		if asked, ok := req.Path(pattern.Hole); ok && !strings.Contains(asked, pattern.Hole) {
			e.Why = whyURL(e.Method, asked)
		}
		examples = append(examples, e)
	}
	return f.Prose, examples
}

// around returns a text with the layouts and the error page of a page, in a tree. It returns "" for a
// .http file.
func around(r *routetree.Route, t *routetree.Tree) string {
	if strings.HasSuffix(r.File, ".http") {
		return ""
	}
	var layouts []string
	errorPage := ""
	for _, dir := range routetree.Layers(r.Path) {
		if layout, ok := t.Templates[path.Join(dir, "+layout")]; ok {
			layouts = append(layouts, layout.File)
		}
		if page, ok := t.Templates[path.Join(dir, "+error")]; ok {
			errorPage = "; errors in " + page.File
		}
	}
	if layouts == nil {
		return "No layout" + errorPage
	}
	return "In " + strings.Join(layouts, ", then ") + errorPage
}
