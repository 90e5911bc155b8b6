package flow

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
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
	var shapes []*shape
	for _, r := range c.tree.routes {
		shapes = append(shapes, r.shapes...)
	}
	mounted := map[*shape]*Mounted{}
	for _, m := range c.mounts {
		_, below := m.shapes(c.tree.prefix)
		shapes = append(shapes, below)
		mounted[below] = m
	}
	slices.SortStableFunc(shapes, compareShapes)
	for _, s := range shapes {
		if m := mounted[s]; m != nil {
			c.table.infos = append(c.table.infos, m.info(s, len(c.uses)+len(c.dirs[""])+len(m.uses))...)
			continue
		}
		b := c.bindings[s.route]
		outer := len(c.uses) + len(b.uses)
		for _, dir := range s.route.layers() {
			outer += len(c.dirs[dir])
		}
		info := RouteInfo{Pattern: s.pattern(), File: s.route.file, Middleware: outer}
		if len(c.byStem[s.route.stem]) == 1 {
			info.Name = s.route.stem
		}
		for _, v := range slices.Backward(b.verbs) {
			info.Name = cmp.Or(v.label, info.Name) // the first label, for verbs without one
		}
		var infos []RouteInfo
		if b.servesPage(s.route) {
			info.Method = http.MethodGet
			infos = append(infos, info)
		}
		for _, v := range b.verbs {
			of := info
			of.Method = strings.TrimSuffix(v.call(), "()")
			if v.method != anyMethod {
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

// compareShapes orders shapes as they are matched: the more specific first, and
// otherwise by text.
func compareShapes(a, b *shape) int {
	return slices.CompareFunc(a.segments, b.segments, func(x, y segment) int {
		if x.kind != y.kind || x.kind != literal {
			return cmp.Compare(x.kind, y.kind)
		}
		return cmp.Compare(x.text, y.text)
	})
}

// compareMethods puts the standard methods first and ANY last.
func compareMethods(a, b string) int {
	rank := func(method string) int {
		if method == "ANY" {
			return len(standardMethods) + 1
		}
		if i := slices.Index(standardMethods, method); i >= 0 {
			return i
		}
		return len(standardMethods)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}
