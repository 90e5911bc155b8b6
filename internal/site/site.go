// Package site is what an application answers, as plain data. A [Route] is what answers one method of
// one pattern, a [Map] finds the routes that answer a URL with holes, and a [File] has the example
// requests of a route file. The checks ask it, development, what describes an API, and the packages
// flowtest, openapi and export, for which the root has no API. It serves nothing, and judges nothing.
package site

import (
	"cmp"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Route is what answers one method of one pattern.
type Route struct {
	Method  string // "GET"; Any for the methods without a handler of their own
	Pattern *pattern.Pattern
	File    string           // for messages: the route file, the public file, or the call of Mount
	Tree    *routetree.Route // the route file; nil if it is none
	Handler fault.Position   // of the handler; zero for a page without one
	Shape
	Hosts map[string]*Map // of flow.Hosts: the Map of each host, by its name; nil for others
	Name  string          // of the route file; "" if two share it

	// The rest is known in a Description.
	Guards []uintptr // the code of the guards that run before, the outermost first
	// OnError is the directory below router/ whose function answers errors first, "router/api",
	// or else "Router" for that of the Router; "" if there is none.
	OnError string
}

// Any is the Method of what answers the methods without a handler of their own.
const Any = "ANY"

// IsPage reports whether the route file is that of a page.
func (r *Route) IsPage() bool { return r.Tree != nil && r.Tree.Page }

// IsMounted reports whether the route is that of a mounted handler other than a Router.
func (r *Route) IsMounted() bool { return r.Tree == nil && r.Method == Any }

// A Shape is what a handler says in its signature. It is zero for a handler that is not typed.
type Shape struct {
	Typed   bool
	In      reflect.Type // what a request fills; nil if nothing
	Out     reflect.Type // what is answered as JSON; nil if nothing, or if Decides
	Text    bool         // the answer is a text
	Decides bool         // the handler returns a Response
	Status  int          // of the answer; 0 if Decides
	Others  []Answer     // that are declared beside it
	// Messages returns the messages of an error that Validate of In has returned. ok is false for any
	// other error.
	Messages func(error) (messages map[string]string, ok bool)
}

// ShapeOf returns what a typed handler says in its signature, and what is declared beside it. status is that of
// Verb.Status, or 0.
func ShapeOf(h forms.Signature, status int, others []registry.Declared) Shape {
	s := Shape{Typed: true, In: h.Bound, Out: h.Data, Text: h.IsText()}
	s.Decides = h.Out != nil && h.Data == nil && !s.Text
	switch {
	case s.Decides:
	case h.Out == nil:
		s.Status = cmp.Or(status, http.StatusNoContent)
	default:
		s.Status = cmp.Or(status, http.StatusOK)
	}
	for _, d := range others {
		s.Others = append(s.Others, Answer{Status: d.Status, Type: d.Data})
	}
	return s
}

// An Answer is a status with the type of its JSON.
type Answer struct {
	Status int
	Type   reflect.Type
}

// TreeRoutes returns what is known of the routes and the public files of a tree: their patterns and files.
func TreeRoutes(t *routetree.Tree) (all []Route) {
	for _, r := range t.Routes {
		for _, p := range r.Patterns {
			all = append(all, Route{Pattern: p, File: r.File, Tree: r})
		}
	}
	for _, p := range t.Public {
		all = append(all, Route{Pattern: p.Pattern, File: p.File})
	}
	return all
}

// URL returns the URL of a pattern, with a pattern.Hole for each parameter.
func URL(p *pattern.Pattern) string {
	values := map[string][]string{}
	for _, name := range p.Names {
		values[name] = []string{pattern.Hole}
	}
	return strings.ReplaceAll(p.URL(values), url.PathEscape(pattern.Hole), pattern.Hole)
}

// PageURLs returns a function that returns the URLs of the page with a path in a tree.
func PageURLs(t *routetree.Tree) func(path string) []string {
	pages := map[string]*routetree.Route{}
	for _, r := range t.Routes {
		if r.Page {
			pages[r.Path] = r
		}
	}
	return func(path string) (urls []string) {
		if r := pages[path]; r != nil {
			for _, p := range r.Patterns {
				urls = append(urls, URL(p))
			}
		}
		return urls
	}
}
