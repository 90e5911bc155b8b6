package flow

import (
	"cmp"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site/bridge"
	"example.com/flow/internal/site/httpfile"
)

// A place is a Site while the routes are compiled.
type place struct {
	*bridge.Site
	describer *bridge.Describer
	verb      *verb
}

// describe returns the handler for a route whose registration is a Describer, and notes where it
// is: describeRoutes completes the Site.
func (c *compiler) describe(r *routetree.Route, v *verb, d *bridge.Describer) http.Handler {
	if r.Page {
		c.fault(v.Pos, "%s is a page, and what describes an API has no template: call the file %s", r.File, strings.TrimSuffix(r.File, r.Ext())+".http")
	}
	p := place{&bridge.Site{File: r.File, Path: r.Path, Patterns: r.Patterns, Dev: c.router.dev != nil, Messages: invalidOf}, d, v}
	c.places = append(c.places, p)
	return d.At(p.Site)
}

// dir returns the directory below router/ that a place is in.
func (p place) dir() string { return strings.TrimPrefix(path.Dir("/"+p.Path), "/") }

// describeRoutes completes the Sites of a Router and of those mounted inside it. It reports two
// descriptions or two pages of one directory, and a page without a description around it. before
// are the guards of the Routers around it.
func (c *compiler) describeRoutes(before []uintptr) {
	for _, m := range c.mounts {
		if m.inner != nil {
			c.inside[m].describeRoutes(slices.Concat(before, codesOf(c.plan.BeforeMounted(m.uses))))
		}
	}
	if len(c.places) == 0 {
		return
	}
	documents, pages := map[string]place{}, map[string]place{} // by directory
	for _, p := range c.places {
		kind, what := documents, "describes an API, and so does"
		if p.describer.Page {
			kind, what = pages, "is the page of an API, and so is"
		}
		if first, twice := kind[p.dir()]; twice {
			c.fault(p.verb.Pos, "%s %s %s in the same directory: keep one", p.File, what, first.File)
		} else {
			kind[p.dir()] = p
		}
	}
	all := c.operations(before)
	for _, p := range c.places {
		p.Operations = func() []bridge.Operation { return c.table.below(p.dir(), all) }
		if p.describer.Page {
			c.findDocument(p, documents)
		} else {
			c.checkErrors(p, all)
		}
	}
}

// findDocument finds what the page of an API shows: the nearest description in its directory, or
// in one around it.
func (c *compiler) findDocument(p place, documents map[string]place) {
	for _, dir := range slices.Backward(routetree.Layers(path.Join(p.dir(), "index"))) {
		if d, ok := documents[dir]; ok {
			p.Document = d.Site
			return
		}
	}
	c.fault(p.verb.Pos, "%s is the page of an API, and no description is around it: answer with JSON() of the same API in a route file beside it, such as %s", p.File, path.Join(path.Dir(p.File), "openapi.json.http"))
}

// checkErrors warns of a description that says nothing of errors, since an OnError answers them.
func (c *compiler) checkErrors(p place, all []bridge.Operation) {
	answersErrors := c.router.OnError != nil || slices.ContainsFunc(all, func(o bridge.Operation) bool { return o.Path == p.Path && o.OnError != "" })
	if answersErrors && !p.describer.Errors {
		c.faults = append(c.faults, fault.WarnAt(p.verb.Pos, "%s says nothing of errors, since an OnError stands around it: give a value of the type that it answers with, as in openapi.API{Error: problem{}}", p.File))
	}
}

// below returns those of the operations of a Router that are in a directory or below, with its
// OnError, which is known by now.
func (t *table) below(dir string, all []bridge.Operation) (below []bridge.Operation) {
	for _, o := range all {
		if !slices.Contains(routetree.Layers(o.Path), dir) {
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
func (c *compiler) operations(before []uintptr) (all []bridge.Operation) {
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
		router := c.router // and no more of the compiler is kept
		for _, a := range c.plan.Answers(r) {
			all = append(all, bridge.Operation{
				File: r.File, Path: r.Path, Patterns: r.Patterns, Method: a.Method, Name: a.Name,
				Guards:   slices.Concat(before, codesOf(a.Before)),
				OnError:  onError,
				Shape:    c.typedOf(r, a.Verb).shape(a.Verb.Code),
				Read:     func() *httpfile.File { return router.readNow(r) },
				Open:     func(name string) ([]byte, error) { return bodyFiles(router.filesNow(), r)(name) },
				Examples: func(f *httpfile.File) ([]bridge.Example, string) { return router.examplesIn(f, r, a.Method) },
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
func (h *typed) shape(status int) bridge.Shape {
	if h == nil {
		return bridge.Shape{}
	}
	s := bridge.Shape{Typed: true, In: h.bound, Out: h.data(), Text: h.out == stringType, Decides: h.out == responseType}
	switch {
	case s.Decides:
	case h.out == nil:
		s.Status = cmp.Or(status, http.StatusNoContent)
	default:
		s.Status = cmp.Or(status, http.StatusOK)
	}
	for _, d := range h.others {
		s.Others = append(s.Others, bridge.Answer{Status: d.Status, Type: d.Data})
	}
	return s
}

// filesNow returns the files of the tree, which in development may have changed.
func (r *Router) filesNow() fs.FS {
	if r.dev != nil {
		return r.dev.disk.Files()
	}
	return r.tree.Files
}

// readNow returns the examples of a route file as they are now. They are empty if the file has
// faults.
func (r *Router) readNow(route *routetree.Route) *httpfile.File {
	if f, faults := readExamples(r.filesNow(), route); f != nil && len(faults) == 0 {
		return f
	}
	return &httpfile.File{}
}

// examplesIn returns the requests in the file of a route that its handler for a method answers,
// and what their paths leave out.
func (r *Router) examplesIn(f *httpfile.File, route *routetree.Route, method string) (own []bridge.Example, prefix string) {
	prefix, urls := bridge.Prefix(f, mountPath(r.tree.Prefix)), r.outermost().table.Load().urls
	for _, req := range f.Requests {
		if req.Method != method {
			continue
		}
		if x, ok := urls.example(req, prefix); ok {
			if e := x.endpointOf(route); e != nil {
				own = append(own, bridge.Example{Request: req, Pattern: e.path})
			}
		}
	}
	return own, prefix
}
