package flow

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
)

// urlBaseOf returns the URLBase for URLs in a template. at is the *Request that the template is rendered
// for; it is a URLBase while Check checks templates, and nil for a page that is rendered once and for all.
func urlBaseOf(at any) match.URLBase {
	switch at := at.(type) {
	case *Request:
		return at.x.urlBase()
	case match.URLBase:
		return at
	}
	return match.URLBase{}
}

// urlBase returns the URLBase of the request.
func (x *exchange) urlBase() match.URLBase {
	return match.URLBase{Segments: x.endpoint.path.Segments, Values: x.values}
}

// A RouteInfo describes the handler for one method of one pattern: see Router.Routes.
type RouteInfo struct {
	Method     string   `json:"method"`     // "GET"; "ANY" for the methods without a handler of their own
	Pattern    string   `json:"pattern"`    // "/users/{id}", in the notation of http.ServeMux
	File       string   `json:"file"`       // "router/users/[id].html", with its directory in front if the Router is mounted; "" for a mounted http.Handler
	Name       string   `json:"name"`       // the name of Verb.Name, else the automatic name; "" if two routes share that
	Handler    string   `json:"handler"`    // file and line of the handler, "app/users.id.go:12", or of the call of Mount; "" for a page without a handler
	Guards     []string `json:"guards"`     // the guards before the handler by name, "app.signedIn", in order and each once; empty and not nil if no guard runs
	Middleware int      `json:"middleware"` // the number of guards and standard middleware before the handler
}

// Routes returns the handlers of the application, the more specific patterns first. It
// includes those of mounted handlers, but no public files. It returns nil if there are
// faults, and while the routes are being compiled.
func (r *Router) Routes() []RouteInfo {
	if r.building.Load() || r.compile().err != nil {
		return nil
	}
	infos := slices.Clone(r.table.Load().infos())
	for i := range infos {
		infos[i].Guards = slices.Clone(infos[i].Guards)
	}
	return infos
}

// listRoutes makes the list of Routes, for a Router that is compiled and has no faults. Of two files with one
// pattern, that which comes first in the tree comes first.
func (r *Router) listRoutes(guards guardNames) (all []RouteInfo) {
	type entry struct {
		method  string
		pattern *pattern.Pattern
		file    int // the place of the file in the tree; a mount is behind all files
		infos   []RouteInfo
	}
	var entries []entry
	var last *routetree.Route
	file := 0
	for _, e := range r.table.Load().routes {
		if e.owner.route == nil {
			continue
		}
		if e.owner.route != last {
			last = e.owner.route
			file++
		}
		info := RouteInfo{Method: e.method(), Pattern: e.path.String(), File: e.owner.route.InTree(), Name: e.name, Guards: guards.ofAll(e.steps), Middleware: len(e.steps)}
		if e.handler.pos.Line > 0 {
			info.Handler = e.handler.pos.Stable()
		}
		entries = append(entries, entry{info.Method, e.path, file, []RouteInfo{info}})
	}
	for _, m := range r.mounts {
		entries = append(entries, entry{site.Any, m.at.path, file + 1, m.infos(guards)})
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(pattern.Compare(a.pattern, b.pattern), cmp.Compare(a.file, b.file), forms.CompareMethods(a.method, b.method))
	})
	for _, e := range entries {
		all = append(all, e.infos...)
	}
	return all
}

// patternsOf returns the patterns that match a path, or its canonical spelling.
func (r *Router) patternsOf(path string) map[string]bool {
	patterns := map[string]bool{}
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return patterns
	}
	p, _ := pattern.ParsePath(&http.Request{URL: u})
	for _, l := range r.table.Load().matcher.Matching(p.Segments) {
		for _, e := range l.Answers() {
			patterns[e.path.String()] = true
		}
	}
	return patterns
}

// route returns the URL of a named route, with the parameters that it inherits from base. It
// is the template function route.
func (t *table) route(base match.URLBase, name string, params []any) (string, error) {
	r := t.names[name]
	if r == nil {
		return "", fmt.Errorf("flow: no route is called %q%s", name, t.nameHint(name))
	}
	u, err := r.URL(base.Inherited(r.Patterns[0].Segments[:r.Depth]), params)
	if err != nil {
		return "", fmt.Errorf("flow: route %q (%s): %w", name, r.File, err)
	}
	return u, nil
}

// nameHint returns the end of an error about an unknown name: the name that was likely
// meant.
func (t *table) nameHint(name string) string {
	for _, known := range slices.Sorted(maps.Keys(t.names)) {
		r := t.names[known]
		label, automatic := strings.CutSuffix(known, r.Stem) // of a mounted Router, "billing.", or ""
		if automatic && name == label+routetree.GroupedStem(r.Path) {
			return fmt.Sprintf(": a group is in no name, so %s is called %q", r.File, known)
		}
	}
	return fault.Suggest(name, t.names, ": name one with Name, or use an automatic name")
}

// Route returns the URL of a named route. params are keys and values in turn:
//
//	Route("users.show", "id", 42)
//
// The name is one that Verb.Name has set, or the automatic name of a route file: its path
// with dots in place of slashes, without groups and brackets. For router/users/[id].html
// that is "users.id". If two files have the same automatic name, neither can be used.
//
// A value is a string, an integer, or has a method String() string; Route escapes it. The
// value of a catch-all is a []string, or a string that Route splits at slashes. A key that is
// not a parameter of the route becomes part of the query. The value "", or an empty []string,
// leaves out an optional parameter, and with it the optional parameters directly to its
// right.
//
// Route returns an error if the name is unknown, a parameter is missing, a matcher does not
// take a value, or a required value is "". The values "." and ".." are errors too: no URL can
// have such a segment. Route also fails while the routes are being compiled, in a function of
// With or in the constructor of middleware.
//
// If the Router is mounted at a prefix with parameters, these are parameters of the URL.
// Request.Route takes them from the request.
func (r *Router) Route(name string, params ...any) (string, error) {
	t, err := r.urls("Route", name)
	if err != nil {
		return "", err
	}
	return t.route(match.URLBase{}, name, params)
}

// urls returns the table for a call of Route or Asset with a name. It returns an error if
// the table is being compiled or has faults.
func (r *Router) urls(call, name string) (*table, error) {
	if r.building.Load() {
		return nil, fmt.Errorf("flow: %s(%q): the routes are being compiled, and have no URLs yet", call, name)
	}
	t := r.compile()
	if t.err != nil {
		return nil, fmt.Errorf("flow: %s(%q): the application has faults: %w", call, name, t.err)
	}
	return t, nil
}

// Route returns the URL of a named route, as Router.Route does. Parameters of the prefix that
// the Router is mounted at may be left out: their values are those of the request.
func (r *Request) Route(name string, params ...any) (string, error) {
	x := r.exchange()
	if x.endpoint.table == nil {
		return "", errors.New("flow: a Request of NewRequest has no Router, so there are no routes to name")
	}
	return x.endpoint.table.route(x.urlBase(), name, params)
}
