package flow

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"

	"example.com/flow/internal/match"

	"example.com/flow/internal/forms"
)

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
	for _, e := range entries {
		r := e.route
		if m := e.mounted; m != nil {
			c.table.infos = append(c.table.infos, m.info(e.pattern, len(c.uses)+len(c.dirs[""])+len(m.uses))...)
			continue
		}
		b := c.bindings[r]
		outer := len(c.uses) + len(b.uses)
		for _, dir := range routetree.Layers(r.Path) {
			outer += len(c.dirs[dir])
		}
		info := RouteInfo{Pattern: e.pattern.String(), File: r.File, Middleware: outer}
		if len(c.byStem[r.Stem]) == 1 {
			info.Name = r.Stem
		}
		for _, v := range slices.Backward(b.verbs) {
			info.Name = cmp.Or(v.label, info.Name) // the first label, for verbs without one
		}
		var infos []RouteInfo
		if b.servesPage(r) {
			info.Method = http.MethodGet
			infos = append(infos, info)
		}
		for _, v := range b.verbs {
			of := info
			of.Method = strings.TrimSuffix(v.call(), "()")
			if v.method != match.AnyMethod {
				of.Method = v.method
			}
			of.Handler = v.handler.pos.String()
			of.Name = cmp.Or(v.label, of.Name)
			of.Middleware += len(v.uses)
			infos = append(infos, of)
		}
		slices.SortStableFunc(infos, func(a, b RouteInfo) int { return compareMethods(a.Method, b.Method) })
		c.table.infos = append(c.table.infos, infos...)
	}
}

// compareMethods puts the standard methods first and ANY last.
func compareMethods(a, b string) int {
	rank := func(method string) int {
		if method == "ANY" {
			return len(forms.Methods) + 1
		}
		if i := slices.Index(forms.Methods, method); i >= 0 {
			return i
		}
		return len(forms.Methods)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}
