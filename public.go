package flow

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/public"
	"example.com/flow/internal/reply"
	"example.com/flow/internal/routetree"
)

// An asset is a public file: app.css is /app.css, and also /app.<hash>.css, which
// never changes.
type asset struct {
	file    string
	pattern *pattern.Pattern
	hashed  *pattern.Pattern // nil in development
	serves  handler
	forever handler // of hashed
}

// The values of Cache-Control. With revalidate caches ask each time whether the content
// has changed. With privately only the client's own cache keeps it, and asks too. With
// immutable caches keep it for a year and do not ask.
var (
	revalidate = []string{"no-cache"}
	privately  = []string{"private, no-cache"}
	immutable  = []string{"public, max-age=31536000, immutable"}
)

// Asset returns the URL of a public file, "css/app.css", by its path below public/.
// The URL holds a hash of the content and is served with leave to keep it for a
// year, so that a client asks for the file once until it changes. A file that is
// not there is an error. So is any if the Router is mounted at a prefix with
// parameters, which only requests know: see Request.Asset.
func (r *Router) Asset(name string) (string, error) {
	t, err := r.urls("Asset", name)
	if err != nil {
		return "", err
	}
	return t.asset(urlBase{}, name)
}

// Asset returns the URL of a public file, as Router.Asset does. It also knows the
// parameters of the prefix that the Router is mounted at.
func (r *Request) Asset(name string) (string, error) {
	x := r.exchange()
	if x.endpoint.table == nil {
		return "", errors.New("flow: a Request of NewRequest has no Router, so there are no public files")
	}
	return x.endpoint.table.asset(x.urlBase(), name)
}

// asset is the template function asset: it returns the URL of a public file, asked for
// from v. The URL holds a hash of the content, unless the file is read from disk.
func (t *table) asset(v urlBase, name string) (string, error) {
	a := t.assets[name]
	if a == nil && t.settings.dev != nil {
		if p := t.settings.dev.newPublicFile(name); p != nil {
			a = &asset{pattern: p}
		}
	}
	switch {
	case a != nil && len(v.values) < len(t.mountPrefix.Names):
		return "", fmt.Errorf("flow: asset %q: the parameters of %s, where the Router is mounted, are known in requests only: use Request.Asset, or {{asset}} in a template", name, t.mountPrefix.String())
	case a != nil:
		return cmp.Or(a.hashed, a.pattern).URL(v.valuesOf(t.mountPrefix)), nil
	case t.assets[strings.TrimLeft(name, "/")] != nil:
		return "", fmt.Errorf("flow: no public file is called %q: write the path below %s/, without a slash before it", name, routetree.PublicDir)
	}
	otherwise := fmt.Sprintf(": there is no %s/%s", routetree.PublicDir, name)
	if len(t.assets) == 0 {
		otherwise += fmt.Sprintf(", nor anything else below %s/: is it embedded, with //go:embed all:%s all:%[1]s?", routetree.PublicDir, routetree.RouterDir)
	}
	return "", fmt.Errorf("flow: no public file is called %q%s", name, fault.Suggest(name, t.assets, otherwise))
}

// readAssets reads the public files.
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
			a.serves.flow = c.router.dev.publicFile(p)
			continue
		}
		content, err := files.Content(p.InTree)
		if err != nil {
			c.faults = append(c.faults, fault.In(p.File, "%v", err))
			continue
		}
		a.hashed = hashedPattern(p.Pattern, content.Hash())
		a.serves, a.forever = contentHandler(content, revalidate), contentHandler(content, immutable)
	}
}

// addPublic puts the public files into the trie, by their own URLs.
func (c *compiler) addPublic(trie *match.Trie[endpoint]) {
	for _, name := range slices.Sorted(maps.Keys(c.table.assets)) {
		a := c.table.assets[name]
		c.addAsset(trie, a, a.pattern, a.serves)
	}
}

// addHashed puts them in by their hashed URLs, which nothing else may have.
func (c *compiler) addHashed(trie *match.Trie[endpoint]) {
	for _, name := range slices.Sorted(maps.Keys(c.table.assets)) {
		a := c.table.assets[name]
		if a.hashed == nil {
			continue
		}
		if other := trie.Leaf(a.hashed).Answer(http.MethodGet); other != nil {
			c.faults = append(c.faults, fault.In(other.owner.file, "it answers %s, which is the hashed URL of %s: rename it", pattern.Sample(a.hashed.Segments), a.file))
		}
		c.addAsset(trie, a, a.hashed, a.forever)
	}
}

func (c *compiler) addAsset(trie *match.Trie[endpoint], a *asset, p *pattern.Pattern, h handler) {
	o := &owner{file: a.file, standard: c.table.standard}
	trie.Leaf(p).Set(http.MethodGet, c.endpoint(o, p, http.MethodGet, o.standard, h, 0))
}

// hashedPattern returns the pattern of a file with a hash of its content before the
// extension.
func hashedPattern(p *pattern.Pattern, hash string) *pattern.Pattern {
	segments := slices.Clone(p.Segments)
	name := &segments[len(segments)-1].Text
	ext := path.Ext(*name)
	*name = strings.TrimSuffix(*name, ext) + "." + hash + ext
	return pattern.New(segments)
}

// contentHandler returns the handler that serves a content with a Cache-Control. A
// content that is not held in memory panics if its file cannot be opened, and is served
// as a net/http handler is, where panics are contained.
func contentHandler(content *public.Content, cache []string) handler {
	h := handler{content: content, cache: cache}
	if content.Held() {
		return h
	}
	return handler{std: http.HandlerFunc(h.serveContent)}
}

// serveContent answers with the content, or with the error that it leads to.
func (h *handler) serveContent(w http.ResponseWriter, r *http.Request) {
	if status := h.content.Serve(w, r, h.cache); status >= http.StatusBadRequest {
		new(reply.Description).Restore(w.Header()) // what middleware has said of the content is not about the error
		send(Text(http.StatusText(status)+"\n").Status(status), w, r.Method == http.MethodHead)
	}
}
