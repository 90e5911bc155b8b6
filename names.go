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
	"example.com/flow/internal/forms"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/routetree"
)

// A urlBase is what a URL inherits from the current request: the segments of the pattern
// that answers it, and the values of their parameters. A Router below "/orgs/[org]" so makes
// the URLs of its routes with the org of the request. Outside of a request it is empty.
type urlBase struct {
	segments []pattern.Segment
	values   match.Values
}

// urlBaseOf returns the urlBase of a template. at is the *Request that the template is
// rendered for, or a urlBase while Check tries templates, or else nil.
func urlBaseOf(at any) urlBase {
	switch at := at.(type) {
	case *Request:
		return at.x.urlBase()
	case urlBase:
		return at
	}
	return urlBase{}
}

// urlBase returns what URLs inherit from the request.
func (x *exchange) urlBase() urlBase { return urlBase{x.endpoint.path.Segments, x.values} }

// valuesOf returns the values that the parameters of a prefix have in v.
func (v urlBase) valuesOf(prefix *pattern.Pattern) map[string][]string {
	values := map[string][]string{}
	for i, name := range prefix.Names {
		values[name] = []string{v.values[i].Value}
	}
	return values
}

// given returns the parameters of a URL of r that the caller need not name: those of the
// prefix that the Router of r is mounted at, as far as the current request is below the
// same prefix.
func (v urlBase) given(r *routetree.Route) map[string][]string {
	given := map[string][]string{}
	values := v.values
	for i, seg := range r.Patterns[0].Segments[:r.Depth] {
		if i == len(v.segments) || v.segments[i] != seg {
			break
		}
		if seg.Kind != pattern.Param {
			continue
		}
		if v := values[0].Value; !pattern.EmptyOrDots(v) { // else it is reported as missing
			given[seg.Text] = []string{v}
		}
		values = values[1:]
	}
	return given
}

// A RouteInfo describes one handler of one URL shape, as Router.Routes lists it.
type RouteInfo struct {
	Method     string `json:"method"`     // "GET"; "ANY" for every other method
	Pattern    string `json:"pattern"`    // "/users/{id}", in the notation of net/http's ServeMux
	File       string `json:"file"`       // "router/users/[id].html", with its directory if its Router is mounted; "" for other handlers
	Name       string `json:"name"`       // the label, else the automatic name; "" if two routes share it
	Handler    string `json:"handler"`    // "app/users.id.go:12", or where Mount is called; "" for a page without a handler
	Middleware int    `json:"middleware"` // how many run before the handler
}

// listRoutes describes the table in matching order.
func (c *compiler) listRoutes() {
	type entry struct {
		pattern *pattern.Pattern
		route   *routetree.Route
		mounted *Mounted // in place of a route
	}
	var entries []entry
	for _, r := range c.tree.Routes {
		for _, p := range r.Patterns {
			entries = append(entries, entry{p, r, nil})
		}
	}
	for _, m := range c.mounts {
		_, below := m.patterns(c.tree.Prefix)
		entries = append(entries, entry{below, nil, m})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return pattern.Compare(a.pattern, b.pattern) })
	everywhere := 0
	for _, d := range c.plan.Dirs {
		if d.Path == "" {
			everywhere += len(d.Uses)
		}
	}
	for _, e := range entries {
		r := e.route
		if m := e.mounted; m != nil {
			c.table.infos = append(c.table.infos, m.info(e.pattern, len(c.plan.Uses)+everywhere+len(m.uses))...)
			continue
		}
		b := c.plan.Of(r)
		outer := len(c.plan.Uses) + len(b.Uses)
		for _, d := range c.plan.Around(r) {
			outer += len(d.Uses)
		}
		info := RouteInfo{Pattern: e.pattern.String(), File: r.InTree(), Name: c.plan.Name(r), Middleware: outer}
		var infos []RouteInfo
		if b.ServesPage() {
			of := info
			of.Method = http.MethodGet
			if b.Page != nil {
				of.Name = cmp.Or(b.Page.Label, of.Name)
				of.Middleware += len(b.Page.Uses)
			}
			infos = append(infos, of)
		}
		for _, v := range b.Verbs {
			of := info
			of.Method = strings.TrimSuffix(v.Call(), "()")
			if v.Method != match.AnyMethod {
				of.Method = v.Method
			}
			of.Handler = v.Handler.pos.Stable()
			of.Name = cmp.Or(v.Label, of.Name)
			of.Middleware += len(v.Uses)
			infos = append(infos, of)
		}
		slices.SortStableFunc(infos, func(a, b RouteInfo) int { return forms.CompareMethods(a.Method, b.Method) })
		c.table.infos = append(c.table.infos, infos...)
	}
}

// Routes lists the handlers in the order in which URLs are matched: the more
// specific first. What is mounted is among them, public files are not. It is empty
// if there are faults, and while the routes are being compiled.
func (r *Router) Routes() []RouteInfo {
	if r.building.Load() {
		return nil
	}
	t := r.compile()
	if t.err != nil {
		return nil
	}
	return slices.Clone(t.infos)
}

// patternsOf returns the patterns of the routes that answer a path, in one spelling
// or another.
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

// route is the template function route: it returns the URL of a named route, asked for
// from v.
func (t *table) route(v urlBase, name string, params []any) (string, error) {
	r := t.names[name]
	if r == nil {
		return "", fmt.Errorf("flow: no route is called %q%s", name, t.nameHint(name))
	}
	u, err := r.URL(v.given(r), params)
	if err != nil {
		return "", fmt.Errorf("flow: route %q (%s): %w", name, r.File, err)
	}
	return u, nil
}

// nameHint says what a name that no route has was likely meant to be, as the end of an
// error.
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

// Route returns the URL of a named route, for parameters that are pairs of key and
// value: Route("users.show", "id", 42). Names are those that Verb.Name gives. Each route
// file has an automatic name too, unless two share it: its path with dots for slashes,
// without groups and brackets, "users.id". Values are strings, integers, or have String(); they
// are escaped. A catch-all takes a []string, or a string that is split at slashes. A key
// that is no parameter becomes part of the query.
//
// The value "" leaves an optional parameter out, as does an empty []string: Param has it
// for one that is not in the URL. Its optional neighbours to the right are left out, too.
//
// An unknown name, a parameter that is missing, a value that its matcher does not take,
// and the values "" of a required parameter, "." and "..", which no URL can hold as a
// segment, are errors. So is a call while the routes are being compiled, from a function of
// With or when middleware is constructed.
//
// The prefix that a Router is mounted at may have parameters: they belong to the URL,
// and Request.Route knows them already.
func (r *Router) Route(name string, params ...any) (string, error) {
	t, err := r.urls("Route", name)
	if err != nil {
		return "", err
	}
	return t.route(urlBase{}, name, params)
}

// urls returns the table for a call of Route or Asset, which asks for the URL of a name,
// or an error if there are no URLs.
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

// Route returns the URL of a named route, as Router.Route does.
func (r *Request) Route(name string, params ...any) (string, error) {
	x := r.exchange()
	if x.endpoint.table == nil {
		return "", errors.New("flow: a Request of NewRequest has no Router, so there are no routes to name")
	}
	return x.endpoint.table.route(x.urlBase(), name, params)
}
