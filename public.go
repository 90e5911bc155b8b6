package flow

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/public"
	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/site"
)

// An asset is a public file. It has two URLs: /app.css, and /app.<hash>.css with a hash of
// the content. With another hash in it, the URL is that of another version of the application,
// of which a process may run beside this one: it has the present content too, which nobody
// keeps.
type asset struct {
	file            string
	pattern         *pattern.Pattern
	handler         handler
	hashed          *pattern.Pattern // nil in development
	handlerOfHashed handler
	handlerOfOthers handler // for the URLs with another hash
}

// The values of Cache-Control.
var (
	revalidate        = []string{"no-cache"}                            // any cache may keep the content, and asks each time whether it has changed
	revalidatePrivate = []string{"private, no-cache"}                   // the same for the client's own cache only
	immutable         = []string{"public, max-age=31536000, immutable"} // any cache may keep the content for a year without asking
	noStore           = []string{"no-store"}                            // no cache may keep the content
)

// Asset returns the URL of a public file, by its path below public/: "css/app.css". The URL
// contains a hash of the content, and its response may be cached for a year: clients request
// the file again only after it has changed. An unknown file is an error. If the Router is
// mounted at a prefix with parameters, Asset always returns an error: use Request.Asset.
func (r *Router) Asset(name string) (string, error) {
	t, err := r.urls("Asset", name)
	if err != nil {
		return "", err
	}
	return t.asset(match.URLBase{}, name)
}

// Asset returns the URL of a public file, as Router.Asset does. Parameters of the prefix that
// the Router is mounted at have the values of the request.
func (r *Request) Asset(name string) (string, error) {
	x := r.exchange()
	if x.endpoint.table == nil {
		return "", errors.New("flow: a Request of NewRequest has no Router, so there are no public files")
	}
	return x.endpoint.table.asset(x.urlBase(), name)
}

// asset returns the URL of a public file, with the parameters that it inherits from base. In
// development, the URL has no hash. It is the template function asset.
func (t *table) asset(base match.URLBase, name string) (string, error) {
	a := t.assets[name]
	if dev := t.settings.dev; a == nil && dev != nil {
		if p := dev.disk.UnbuiltPublic(dev.router.tree, name); p != nil {
			a = &asset{pattern: p.Pattern}
		}
	}
	switch {
	case a != nil && len(base.Values) < len(t.mountPrefix.Names):
		return "", fmt.Errorf("flow: asset %q: the parameters of %s, where the Router is mounted, are known in requests only: use Request.Asset, or {{asset}} in a template", name, t.mountPrefix.String())
	case a != nil:
		return cmp.Or(a.hashed, a.pattern).URL(base.ValuesOf(t.mountPrefix)), nil
	case t.assets[strings.TrimLeft(name, "/")] != nil:
		return "", fmt.Errorf("flow: no public file is called %q: write the path below %s/, without a slash before it", name, routetree.PublicDir)
	}
	otherwise := fmt.Sprintf(": there is no %s/%s", routetree.PublicDir, name)
	if len(t.assets) == 0 {
		otherwise += fmt.Sprintf(", nor anything else below %s/: is it embedded, with //go:embed all:%s all:%[1]s?", routetree.PublicDir, routetree.RouterDir)
	}
	return "", fmt.Errorf("flow: no public file is called %q%s", name, fault.Suggest(name, t.assets, otherwise))
}

func init() { site.PublicOf = publicFiles }

// publicFiles is site.PublicOf. It returns nil if the application has faults.
func publicFiles(router any) (all []site.PublicFile) {
	for _, r := range router.(*Router).withMounted() {
		t := r.compile()
		for _, name := range slices.Sorted(maps.Keys(t.assets)) {
			a := t.assets[name]
			if len(a.pattern.Names) == 0 {
				all = append(all, site.PublicFile{URL: a.pattern.URL(nil), Hashed: cmp.Or(a.hashed, a.pattern).URL(nil)})
			}
		}
	}
	return all
}

// readAssets reads the public files into the table.
func (c *compiler) readAssets() {
	c.table.assets = make(map[string]*asset, len(c.tree.Public))
	var names []string
	for _, p := range c.tree.Public {
		names = append(names, p.InTree)
	}
	files := public.NewFiles(c.tree.Files, names)
	for _, p := range c.tree.Public {
		a := &asset{file: p.File, pattern: p.Pattern}
		c.table.assets[p.Name()] = a
		if c.router.dev != nil {
			a.handler.flow = c.router.dev.publicFile(p) // with no-store
			a.handlerOfOthers = a.handler
			continue
		}
		content, err := files.Content(p.InTree)
		if err != nil {
			c.faults = append(c.faults, fault.In(p.File, "%v", err))
			continue
		}
		a.hashed = p.Pattern.Hashed(content.Hash())
		a.handler, a.handlerOfHashed = contentHandler(content, revalidate), contentHandler(content, immutable)
		a.handlerOfOthers = unkeptHandler(content)
	}
}

// addPublic adds the public files to the trie, at their URLs without a hash.
func (c *compiler) addPublic() {
	for _, name := range slices.Sorted(maps.Keys(c.table.assets)) {
		a := c.table.assets[name]
		c.addAsset(c.trie.Leaf(a.pattern), a, a.pattern, a.handler)
	}
}

// addHashed adds the public files to the trie, at their URLs with a hash. It comes last: any
// endpoint that has such a URL already is a fault.
func (c *compiler) addHashed() {
	inside := c.publicURLsInside()
	for _, name := range slices.Sorted(maps.Keys(c.table.assets)) {
		a := c.table.assets[name]
		if a.hashed != nil {
			if other := c.trie.Leaf(a.hashed).Answer(http.MethodGet); other != nil {
				c.faults = append(c.faults, fault.In(other.owner.file, "it answers %s, which is the hashed URL of %s: rename it", pattern.Sample(a.hashed.Segments), a.file))
			}
			c.addAsset(c.trie.Leaf(a.hashed), a, a.hashed, a.handlerOfHashed)
		}
		if !inside[a.pattern.Key()] {
			c.addAsset(c.trie.AnyHash(a.pattern), a, a.pattern, a.handlerOfOthers)
		}
	}
}

// publicURLsInside returns the URLs of the public files of mounted Routers, as Pattern.Key has
// them. A file of this Router may have the same URL, and goes before them there. But the
// hashed URL of a file inside is still the one of that file.
func (c *compiler) publicURLsInside() map[string]bool {
	urls := map[string]bool{}
	for _, inner := range c.inside {
		for _, p := range inner.tree.Public {
			urls[p.Pattern.Key()] = true
		}
		maps.Copy(urls, inner.publicURLsInside())
	}
	return urls
}

// addAsset adds an endpoint for a public file to a leaf of the trie.
func (c *compiler) addAsset(l *match.Leaf[endpoint], a *asset, p *pattern.Pattern, h handler) {
	o := &owner{file: a.file, standard: c.table.standard}
	e := c.table.endpoint(o, p, http.MethodGet, o.standard, h, 0)
	e.public = true
	l.Set(http.MethodGet, e)
}

// contentHandler returns the handler that serves a content with a Cache-Control. If the
// content is not held in memory, the handler panics when its file cannot be opened. So it is
// a net/http handler, whose panics are recovered.
func contentHandler(content *public.Content, cache []string) handler {
	h := handler{content: content, cache: cache}
	if content.Held() {
		return h
	}
	return handler{std: h.contentServer()}
}

// unkeptHandler returns the handler that serves a content which no cache keeps, whatever
// Cache-Control middleware has set.
func unkeptHandler(content *public.Content) handler {
	serve := handler{content: content, cache: noStore}.contentServer()
	return handler{std: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Cache-Control"] = noStore
		serve(w, r)
	})}
}

// contentServer returns the net/http handler that serves the content.
func (h handler) contentServer() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { h.serveContent(w, r, From(r.Context())) }
}

// serveContent answers r with the content, or with an error such as 416 for its ranges. req is
// the Request of r.
func (h *handler) serveContent(w http.ResponseWriter, r *http.Request, req *Request) {
	if status := h.content.Serve(w, r, h.cache); status != 0 {
		req.refuseContent(w, status)
	}
}

// refuseContent answers with the name of a status. The content needs no exchange, and this does.
func (e *endpoint) refuseContent(w http.ResponseWriter, r *http.Request, values match.Values, status int) {
	x := &exchange{settings: &e.table.settings, endpoint: e, values: values}
	x.req = Request{Request: r, x: x}
	x.req.refuseContent(w, status)
}

// refuseContent answers with the name of a status, as text.
func (r *Request) refuseContent(w http.ResponseWriter, status int) {
	if status != http.StatusRequestedRangeNotSatisfiable { // for which http.ServeContent has set the headers
		new(reply.Description).Restore(w.Header()) // those that middleware has set about the content do not fit the error
	}
	send(Text(r.translate(reply.TitleOf(status))+"\n").Status(status), w, r.Method == http.MethodHead)
}
