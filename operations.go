package flow

import (
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
)

// describe returns the handler for a route whose registration is a Describer, and notes where it
// is: describeRoutes completes the Description.
func (c *compiler) describe(r *routetree.Route, v *verb, d *site.Describer) http.Handler {
	if r.Page {
		c.fault(v.Pos, "%s is a page, and what describes an API has no template: call the file %s", r.File, strings.TrimSuffix(r.File, r.Ext())+".http")
	}
	router := c.router // and no more of the compiler is kept
	at := &site.Description{
		Describer: d, Pos: v.Pos, Tree: r, Dev: router.dev != nil, Read: router.fileNow, Messages: invalidOf,
		Map: func() *site.Map { return router.outermost().table.Load().site },
	}
	c.described = append(c.described, at)
	return d.At(at)
}

// describeRoutes completes the Descriptions of a Router and of those mounted inside it. before are the
// guards of the Routers around it.
func (c *compiler) describeRoutes(before []uintptr) {
	for _, m := range c.mounts {
		if m.inner != nil {
			c.inside[m].describeRoutes(slices.Concat(before, codesOf(c.plan.BeforeMounted(m.uses))))
		}
	}
	if len(c.described) > 0 {
		router := c.router
		c.faults = append(c.faults, site.Complete(c.described, c.operations(before), c.errorDirs, func() bool { return router.OnError != nil })...)
	}
}

// operations returns all operations of a Router.
func (c *compiler) operations(before []uintptr) (all []site.Route) {
	for _, r := range c.tree.Routes {
		if r.Page {
			continue
		}
		for _, a := range c.plan.Answers(r) {
			all = append(all, site.Route{
				Method: a.Method, Pattern: r.Patterns[0], File: r.File, Tree: r, Name: a.Name,
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
