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

// describeRoutes completes the Descriptions of a Router.
func (c *compiler) describeRoutes() {
	if len(c.described) == 0 {
		return
	}
	var operations []site.Route
	for _, e := range c.table.routes {
		if r := e.owner.route; r == nil || r.Page || e.path != r.Patterns[0] {
			continue
		}
		o := *e.asRoute()
		for at := e; at != nil; at = at.around {
			o.Guards = slices.Concat(guardsOf(at.steps), o.Guards)
		}
		operations = append(operations, o)
	}
	router := c.router
	c.faults = append(c.faults, site.Complete(c.described, operations, c.errorDirs, func() bool { return router.OnError != nil })...)
}

// guardsOf returns the code of the guards of a chain.
func guardsOf(steps []step) (codes []uintptr) {
	for _, s := range steps {
		if s.guard != nil {
			codes = append(codes, s.pc)
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
