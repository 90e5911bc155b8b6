package flow

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/public"
	"example.com/flow/internal/routetree"

	"example.com/flow/internal/reply"
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

// What a Cache-Control says: ask each time, that and keep it from others, or never ask.
var (
	revalidate = []string{"no-cache"}
	privately  = []string{"private, no-cache"}
	immutable  = []string{"public, max-age=31536000, immutable"}
)

// readAssets reads the public files.
func (c *compiler) readAssets() {
	c.table.assets = make(map[string]*asset, len(c.tree.Public))
	var names []string
	for _, p := range c.tree.Public {
		names = append(names, p.File)
	}
	files := public.NewFiles(c.tree.Files, names)
	for _, p := range c.tree.Public {
		a := &asset{file: p.File, pattern: p.Pattern}
		c.table.assets[p.Name()] = a
		if d := c.router.disk; d != nil {
			a.serves.flow = d.public(a.file)
			continue
		}
		content, err := files.Content(p.File)
		if err != nil {
			c.faults = append(c.faults, fault.In(p.File, "%v", err))
			continue
		}
		a.hashed = hashedPattern(p.Pattern, content.Hash())
		a.serves, a.forever = contentHandler(content, revalidate), contentHandler(content, immutable)
	}
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

// contentHandler serves a content with a Cache-Control. Opening a file may fail, which
// is contained where net/http's handlers are.
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
		refuse(w, r, status)
	}
}

// refuse answers with a status and its name.
func refuse(w http.ResponseWriter, r *http.Request, status int) {
	new(reply.Description).Restore(w.Header()) // what middleware said of the file
	Text(http.StatusText(status)+"\n").Status(status).send(w, r.Method == http.MethodHead)
}

// asset is the template function of that name, asked at v: the URL of a public
// file, which names its content unless it is read from disk.
func (t *table) asset(v vantage, name string) (string, error) {
	a := t.assets[name]
	switch {
	case a != nil && len(v.values) < len(t.above.Names):
		return "", fmt.Errorf("flow: asset %q: the parameters of %s, where the Router is mounted, are known in requests only: use Request.Asset, or {{asset}} in a template", name, t.above.String())
	case a != nil:
		return cmp.Or(a.hashed, a.pattern).URL(v.own(t.above)), nil
	case t.assets[strings.TrimLeft(name, "/")] != nil:
		return "", fmt.Errorf("flow: no public file is called %q: write the path below %s/, without a slash before it", name, routetree.PublicDir)
	}
	otherwise := fmt.Sprintf(": there is no %s/%s", routetree.PublicDir, name)
	if len(t.assets) == 0 {
		otherwise += fmt.Sprintf(", nor anything else below %s/: is it embedded, with //go:embed all:%s all:%[1]s?", routetree.PublicDir, routetree.RouterDir)
	}
	return "", fmt.Errorf("flow: no public file is called %q%s", name, fault.Suggest(name, t.assets, otherwise))
}

// Asset returns the URL of a public file, "css/app.css", by its path below public/.
// The URL holds a hash of the content and is served with leave to keep it for a
// year, so that a client asks for the file once until it changes. A file that is
// not there is an error. So is any if the Router is mounted at a prefix with
// parameters, which only requests know: see Request.Asset.
func (r *Router) Asset(name string) (string, error) { return r.assetAt(vantage{}, name) }

func (r *Router) assetAt(v vantage, name string) (string, error) {
	t, err := r.urls("Asset", name)
	if err != nil {
		return "", err
	}
	return t.asset(v, name)
}
