package flow

import (
	"net/http"
	"net/url"
	"strings"

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
)

// asRoute returns the endpoint as plain data.
func (e *endpoint) asRoute() *site.Route {
	r := &site.Route{Method: e.method(), Pattern: e.path, Name: e.name, File: e.owner.file, Tree: e.owner.route, Handler: e.handler.pos, Shape: e.handler.typed.shape(e.handler.status)}
	if hosts, ok := e.handler.std.(Hosts); ok {
		r.Hosts = map[string]*site.Map{}
		for name, of := range hosts {
			if of != nil && of.table.Load() != nil {
				r.Hosts[name] = of.table.Load().site
			}
		}
	}
	return r
}

// method returns the method that the endpoint is for, or site.Any.
func (e *endpoint) method() string {
	if method, _, ok := strings.Cut(e.pattern, " "); ok {
		return method
	}
	return site.Any
}

// linkFaults returns the faults of the links in the templates of a tree.
func linkFaults(checked *pages.Checked, t *routetree.Tree, routes *site.Map) []fault.Fault {
	sources, fields := checked.Links(site.PageURLs(t))
	return links.Check(sources, fields, routes.Find)
}

func init() { site.PlacesOf = placesIn }

// placesIn is site.PlacesOf. The templates of a Router are read again when they are first asked.
func placesIn(router any) func(path, text, what string) (file string, line, column int) {
	r, all := router.(*Router), map[*table]*pages.Checked{}
	return func(path, text, what string) (file string, line, column int) {
		t, name := r.compile(), "+error"
		if path != "" {
			p, _ := pattern.ParsePath(&http.Request{URL: &url.URL{Path: path}})
			e, _ := t.matcher.Find(http.MethodGet, p.Segments)
			switch {
			case e == nil:
				return "", 0, 0
			case !e.isPage():
				return e.owner.file, 0, 0
			}
			t, name = e.table, e.owner.route.Path
		}
		for _, inner := range r.withMounted() {
			if inner.table.Load() == t && all[t] == nil {
				all[t] = inner.checkedViews()
			}
		}
		return all[t].Place(name, text, what)
	}
}
