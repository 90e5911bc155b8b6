package flow

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
)

// A describedRoute is the route of a Describer while the routes are compiled.
type describedRoute struct {
	*site.Description
	describer *site.Describer
	verb      *verb
}

// describe returns the handler for a route whose registration is a Describer, and notes where it
// is: describeRoutes completes the Description.
func (c *compiler) describe(r *routetree.Route, v *verb, d *site.Describer) http.Handler {
	if r.Page {
		c.fault(v.Pos, "%s is a page, and what describes an API has no template: call the file %s", r.File, strings.TrimSuffix(r.File, r.Ext())+".http")
	}
	router := c.router // and no more of the compiler is kept
	p := describedRoute{&site.Description{
		Tree: r, Dev: router.dev != nil, Read: router.fileNow, Messages: invalidOf,
		Map: func() *site.Map { return router.outermost().table.Load().site },
	}, d, v}
	c.described = append(c.described, p)
	return d.At(p.Description)
}

// dir returns the directory below router/ that the route is in.
func (p describedRoute) dir() string { return strings.TrimPrefix(path.Dir("/"+p.Tree.Path), "/") }

// describeRoutes completes the Descriptions of a Router and of those mounted inside it. It reports two
// descriptions or two pages of one directory, and a page without a description around it. before
// are the guards of the Routers around it.
func (c *compiler) describeRoutes(before []uintptr) {
	for _, m := range c.mounts {
		if m.inner != nil {
			c.inside[m].describeRoutes(slices.Concat(before, codesOf(c.plan.BeforeMounted(m.uses))))
		}
	}
	if len(c.described) == 0 {
		return
	}
	documents, pages := map[string]describedRoute{}, map[string]describedRoute{} // by directory
	for _, p := range c.described {
		kind, what := documents, "describes an API, and so does"
		if p.describer.Page {
			kind, what = pages, "is the page of an API, and so is"
		}
		if first, twice := kind[p.dir()]; twice {
			c.fault(p.verb.Pos, "%s %s %s in the same directory: keep one", p.Tree.File, what, first.Tree.File)
		} else {
			kind[p.dir()] = p
		}
	}
	all := c.operations(before)
	for _, p := range c.described {
		p.Operations = func() []site.Route { return c.table.below(p.dir(), all) }
		if p.describer.Page {
			c.findDocument(p, documents)
		} else {
			c.checkErrors(p, all)
		}
	}
}

// findDocument finds what the page of an API shows: the nearest description in its directory, or
// in one around it.
func (c *compiler) findDocument(p describedRoute, documents map[string]describedRoute) {
	for _, dir := range slices.Backward(routetree.Layers(path.Join(p.dir(), "index"))) {
		if d, ok := documents[dir]; ok {
			p.Document = d.Description
			return
		}
	}
	c.fault(p.verb.Pos, "%s is the page of an API, and no description is around it: answer with JSON() of the same API in a route file beside it, such as %s", p.Tree.File, path.Join(path.Dir(p.Tree.File), "openapi.json.http"))
}

// checkErrors warns of a description that says nothing of errors, since an OnError answers them.
func (c *compiler) checkErrors(p describedRoute, all []site.Route) {
	answersErrors := c.router.OnError != nil || slices.ContainsFunc(all, func(o site.Route) bool { return o.Tree == p.Tree && o.OnError != "" })
	if answersErrors && !p.describer.Errors {
		c.faults = append(c.faults, fault.WarnAt(p.verb.Pos, "%s says nothing of errors, since an OnError stands around it: give a value of the type that it answers with, as in openapi.API{Error: problem{}}", p.Tree.File))
	}
}

// below returns those of the operations of a Router that are in a directory or below, with its
// OnError, which is known by now.
func (t *table) below(dir string, all []site.Route) (below []site.Route) {
	for _, o := range all {
		if !slices.Contains(routetree.Layers(o.Tree.Path), dir) {
			continue
		}
		if o.OnError == "" && t.settings.onError != nil {
			o.OnError = "Router"
		}
		below = append(below, o)
	}
	return below
}

// operations returns all operations of a Router.
func (c *compiler) operations(before []uintptr) (all []site.Route) {
	for _, r := range c.tree.Routes {
		if r.Page {
			continue
		}
		onError := ""
		for _, dir := range routetree.Layers(r.Path) {
			if c.errorDirs[dir] {
				onError = path.Join(routetree.RouterDir, dir)
			}
		}
		for _, a := range c.plan.Answers(r) {
			all = append(all, site.Route{
				Method: a.Method, Pattern: r.Patterns[0], File: r.File, Tree: r, Name: a.Name, OnError: onError,
				Guards: slices.Concat(before, codesOf(a.Before)),
				Shape:  c.typedOf(r, a.Verb).shape(a.Verb.Code),
			})
		}
	}
	return all
}

// codesOf returns the code of the guards in a list of middleware.
func codesOf(uses []*use) (codes []uintptr) {
	for _, u := range uses {
		if m := u.Middleware; m.guard != nil {
			codes = append(codes, m.pc)
		}
	}
	return codes
}

// typedOf returns the typed handler of a verb with the answers that are declared for its route, or nil.
func (c *compiler) typedOf(r *routetree.Route, v *verb) *typed {
	h, others := v.Handler.typed, c.plan.Of(r).Answers
	if h == nil || len(others) == 0 {
		return h
	}
	with := *h
	with.others = others
	return &with
}

// shape returns what a handler says in its signature, and what is declared beside it. status is that of
// Verb.Status, or 0.
func (h *typed) shape(status int) site.Shape {
	if h == nil {
		return site.Shape{}
	}
	s := site.Shape{Typed: true, In: h.bound, Messages: invalidOf, Out: h.data(), Text: h.out == stringType, Decides: h.out == responseType}
	switch {
	case s.Decides:
	case h.out == nil:
		s.Status = cmp.Or(status, http.StatusNoContent)
	default:
		s.Status = cmp.Or(status, http.StatusOK)
	}
	for _, d := range h.others {
		s.Others = append(s.Others, site.Answer{Status: d.Status, Type: d.Data})
	}
	return s
}

// fileNow returns a route file as it is now, which in development may have changed. It is empty if it has
// faults.
func (r *Router) fileNow(route *routetree.Route) site.File {
	files := r.tree.Files
	if r.dev != nil {
		files = r.dev.disk.Files()
	}
	f, faults := site.ReadFile(r.tree, files, route)
	if f.File == nil || len(faults) > 0 {
		f.File = &httpfile.File{}
	}
	return f
}
