package flow

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
)

// A Mounted is an http.Handler at a prefix of URLs: see Router.Mount.
type Mounted struct {
	outer   *Router
	inner   *Router // nil if the handler is no Router
	handler http.Handler
	pos     fault.Position
	text    string // the prefix as the application wrote it
	prefix  []pattern.Segment
	slash   bool // the prefix ends in a slash
	refused bool // Mount has reported a fault, and nothing is mounted
	label   string
	named   fault.Position // of the call of Name
	uses    []*use
	maxBody int64
	at      *endpoint // of the URLs below the prefix, once the outer Router is compiled
}

// Mount makes h answer all methods of the prefix and of the URLs below it. It ranks as a
// catch-all: a route file or a public file with such a URL goes before it. The prefix begins
// with a slash. Its segments are literal text or parameters, "/orgs/[org]", whose values h
// reads with Param or http.Request.PathValue. A second handler or a catch-all file at the
// same prefix is a fault.
//
// The middleware of Router.Use, of In("").Use and of Mounted.Use runs before h. h gets the
// whole path; http.StripPrefix removes the prefix. If the prefix ends in a slash, "/files/",
// a request for "/files" is redirected to it, as by http.ServeMux.
//
// Paths below the prefix are passed on as they are spelled, with one exception. Most
// handlers decode and clean the path, so that "/files/%2e/private/a" and
// "/files/private%2Fa" mean "/files/private/a" to them. That URL may belong to a route file
// or another handler, with guards of its own. If a handler could read a path as such a URL,
// or as one outside of the prefix, the request is redirected to the plain spelling. A path
// with an escaped slash or a backslash has no plain spelling, and is 404. A parameter of the
// prefix with one of these is 404 too, since a guard and h could read different values.
//
// A mounted Router is an application inside the application. It has its own fields, such as
// Authenticate, OnError, MaxBody and CrossOrigin, and answers 404 below its prefix itself.
// Its URLs begin with the prefix: those of Route, Asset and RedirectTo, of redirects to the
// canonical spelling, and http.Request.Pattern. While it answers a request, URLs for the same
// prefix take the values of its parameters from the request, unless the call gives others. A
// name that the mounted Router does not have is looked up in the Router around it. Check of
// the outermost Router reports the faults of all Routers.
//
// A Router can be mounted once, before it is checked, and cannot be served by itself then.
// A Router that is wrapped in middleware is an http.Handler like any other: use
// Mounted.Use, or Use of the mounted Router, in place of wrapping it.
func (r *Router) Mount(prefix string, h http.Handler) *Mounted {
	m := &Mounted{outer: r, handler: h, pos: fault.Caller(0), text: prefix}
	r.own.Change(m.pos, "Mount", func() {
		var err error
		m.prefix, err = routetree.ParsePrefix(prefix)
		m.slash = strings.HasSuffix(prefix, "/") && len(m.prefix) > 0
		inner, isRouter := h.(*Router)
		switch {
		case err != nil:
			m.refuse("%v", err)
		case forms.IsNil(h):
			m.refuse("the handler is nil")
		case isRouter && r.isInside(inner):
			m.refuse("a Router cannot be mounted inside itself")
		case isRouter:
			m.mountRouter(inner)
		}
		r.mounts = append(r.mounts, m)
	})
	return m
}

// mountRouter notes in a Router where it is mounted.
func (m *Mounted) mountRouter(inner *Router) {
	m.slash = false
	inner.own.Change(m.pos, "Mount", func() {
		if first := inner.mounted.Load(); first != nil {
			m.refuse("the Router is mounted at %q already, by %v: call New for another one", first.text, first.pos)
			return
		}
		inner.mounted.Store(m)
		inner.hooks.MoveTo(&m.outer.hooks)
		m.inner = inner
	})
}

// isInside reports whether r is other, or mounted inside it, at any depth.
func (r *Router) isInside(other *Router) bool {
	for ; r != nil; r = r.outer() {
		if r == other {
			return true
		}
	}
	return false
}

// refuse notes that nothing is mounted, and reports why.
func (m *Mounted) refuse(format string, args ...any) {
	m.refused = true
	m.fault(m.pos, format, args...)
}

// outer returns the Router that r is mounted in, or nil.
func (r *Router) outer() *Router {
	if m := r.mounted.Load(); m != nil {
		return m.outer
	}
	return nil
}

// outermost returns the outermost of the Routers around r, or r if it is not mounted.
func (r *Router) outermost() *Router {
	for r != nil && r.outer() != nil {
		r = r.outer()
	}
	return r
}

// withMounted returns r and the Routers mounted inside it, at any depth.
func (r *Router) withMounted() []*Router {
	all := []*Router{r}
	for _, m := range r.mounts {
		if m.inner != nil {
			all = append(all, m.inner.withMounted()...)
		}
	}
	return all
}

// withMounted returns c and the compilers of the Routers mounted inside, at any depth: each behind that of
// the Router around it.
func (c *compiler) withMounted() []*compiler {
	all := []*compiler{c}
	for i := 0; i < len(all); i++ {
		for _, m := range all[i].mounts {
			if m.inner != nil {
				all = append(all, all[i].inside[m])
			}
		}
	}
	return all
}

// Name makes the names of a mounted Router known to the Router around it, with a prefix.
// After Name("billing"), the route "invoices.show" of the mounted Router is
// "billing.invoices.show" in the Router around it. Two routes of one name are a fault. So is
// a call for a handler that is not a Router.
func (m *Mounted) Name(label string) *Mounted {
	pos := fault.Caller(0)
	m.outer.own.Change(pos, "Name", func() {
		switch {
		case label == "":
			m.fault(pos, "Name: a label is not empty")
		case m.label != "" && m.label != label:
			m.fault(pos, "Name: this is called %q already", m.label)
		case m.inner == nil && !m.refused:
			m.fault(pos, "Name: the names are those of a mounted Router, and a %T has none", m.handler)
		}
		m.label, m.named = label, pos
	})
	return m
}

// Use adds middleware for the mounted handler, in the forms of File.Use.
func (m *Mounted) Use(middleware ...any) *Mounted {
	m.outer.own.UseIn(&m.uses, fault.Caller(0), fmt.Sprintf("Mount(%q).Use", m.text), middleware, parseMiddleware)
	return m
}

// MaxBody sets the largest body of a request, in bytes, in place of Router.MaxBody of the
// Router around the handler. A mounted Router also has its own limits: the lower one counts.
func (m *Mounted) MaxBody(bytes int64) *Mounted {
	pos := fault.Caller(0)
	m.outer.own.Change(pos, "MaxBody", func() {
		if err := registry.CheckMaxBody(bytes); err != nil {
			m.fault(pos, "%v", err)
			return
		}
		m.maxBody = bytes
	})
	return m
}

// fault reports a fault of the mount. The caller holds the lock of the outer Router's
// registry.
func (m *Mounted) fault(pos fault.Position, format string, args ...any) {
	m.outer.own.Fault(pos, "Mount(%q): %s", m.text, fmt.Sprintf(format, args...))
}

// prefix returns the whole prefix that r is mounted at, below the outermost Router.
func (r *Router) prefix() []pattern.Segment {
	m := r.mounted.Load()
	if m == nil {
		return nil
	}
	return slices.Concat(m.outer.prefix(), m.prefix)
}

// patterns returns the two patterns of a mount: that of the prefix itself, and that of all
// URLs below it.
func (m *Mounted) patterns() (exact, below *pattern.Pattern) {
	exact = pattern.New(slices.Concat(m.outer.prefix(), m.prefix))
	return exact, pattern.New(append(slices.Clip(exact.Segments), pattern.Segment{Kind: pattern.Rest}))
}

// readMounts collects the mounts without faults, and makes a compiler for each mounted
// Router.
func (c *compiler) readMounts() {
	for _, m := range c.router.mounts {
		if m.refused {
			continue
		}
		c.mounts = append(c.mounts, m)
		for _, name := range pattern.New(m.prefix).Names {
			if slices.Contains(c.table.mountPrefix.Names, name) {
				c.fault(m.pos, "Mount(%q): the parameter %q is one of %s too, where the Router is mounted: call it otherwise", m.text, name, c.table.mountPrefix.String())
			}
		}
		if m.inner != nil {
			c.inside[m] = newCompiler(m.inner)
		}
		if hosts, ok := m.handler.(Hosts); ok {
			if wrong := m.whyNoHosts(hosts); wrong != "" {
				c.fault(m.pos, "Mount(%q): %s", m.text, wrong)
				continue
			}
			for _, f := range hosts.faults() {
				f.Text = fmt.Sprintf("Mount(%q): %s", m.text, f.Text)
				c.faults = append(c.faults, f)
			}
		}
	}
}

// readMountedNames adds the names of mounted Routers, with their labels, to those of this
// Router.
func (c *compiler) readMountedNames() {
	for _, m := range c.mounts {
		if m.label == "" || m.inner == nil {
			continue
		}
		c.table.namesMissing = c.table.namesMissing || c.inside[m].table.namesMissing
		for n := range c.inside[m].table.misplaced {
			c.table.misplaced[m.name(n)] = true
		}
		inner := c.inside[m].table.names
		for _, n := range slices.Sorted(maps.Keys(inner)) {
			name := m.name(n)
			if other := c.table.names[name]; other != nil {
				c.fault(m.named, "Name(%q): %q would be a name of %s, and is one of %s: call this one otherwise", m.label, name, inner[n].File, other.File)
				continue
			}
			c.table.names[name] = inner[n]
		}
	}
}

// name returns the name in the outer Router of a route whose name in the mounted Router is
// inner. It returns "" if there is none.
func (m *Mounted) name(inner string) string {
	if m.label == "" || inner == "" {
		return ""
	}
	return m.label + "." + inner
}

// infos returns the entries of a mount in Router.Routes: those of a mounted Router or of the
// Routers of Hosts, or one for another handler.
func (m *Mounted) infos(guards guardNames) (all []RouteInfo) {
	hosts, _ := m.handler.(Hosts)
	switch {
	case m.inner != nil:
		all = m.inner.infosInside(guards)
	case hosts == nil:
		all = []RouteInfo{{Method: site.Any, Pattern: m.at.path.String(), Handler: m.pos.Stable()}}
	}
	for _, host := range hosts.names() {
		for _, info := range hosts[host].infosInside(guards) {
			info.Pattern = host + info.Pattern
			all = append(all, info)
		}
	}
	for i := range all {
		all[i].Name = m.name(all[i].Name)
		all[i].Guards = appendNew(guards.ofAll(m.at.steps), all[i].Guards...)
		all[i].Middleware += len(m.at.steps)
	}
	return all
}

// infosInside returns the entries of r in Router.Routes of the Router that it is mounted in:
// with the directory of the application before route files, since other applications have files
// of the same path.
func (r *Router) infosInside(guards guardNames) []RouteInfo {
	infos := r.listRoutes(guards)
	for i := range infos {
		infos[i].File = r.inApp(infos[i].File)
	}
	return infos
}

// inApp returns the name of a file of the tree with the directory of the application.
func (r *Router) inApp(file string) string {
	if r.app != nil && strings.HasPrefix(file, routetree.RouterDir+"/") {
		return path.Base(r.app.path) + "/" + file
	}
	return file
}

// addMounts adds the endpoints of mounts to the trie, which has those of the files already.
func (c *compiler) addMounts() {
	for _, m := range c.mounts {
		c.addMount(m)
	}
}

// placeOutsideOfTries lets the Routers inside one without a tree report their faults. They have no URLs, since
// that has none.
func (c *compiler) placeOutsideOfTries() {
	c.routesMissing = true
	for _, m := range c.mounts {
		if m.inner != nil {
			c.place(m, &match.Trie[endpoint]{}, nil)
		}
	}
}

// addMount adds the endpoints of a mount. A file at the URL of the prefix itself keeps that URL.
func (c *compiler) addMount(m *Mounted) {
	exact, below := m.patterns()
	steps := c.steps(c.plan.BeforeMounted(m.uses))
	e := c.table.endpoint(&owner{file: fmt.Sprintf("Mount(%q) of %v", m.text, m.pos)}, below, match.AnyMethod, steps, handler{std: m.handler}, m.maxBody)
	m.at = e
	other := c.trie.CatchAll(exact.Segments)
	if other != nil {
		c.fault(m.pos, "Mount(%q): %s answers the same URLs: mount one of them elsewhere", m.text, other.owner.file)
		c.routesMissing = true
	}
	switch {
	case m.inner != nil:
		e.inner, e.maxBody = c.inside[m].table, m.maxBody // 0 means the limits of the mounted Router
		trie := c.trie
		if other != nil {
			trie = &match.Trie[endpoint]{} // a trie that nobody uses, to collect the faults of the mounted Router
		}
		c.place(m, trie.Mount(exact.Segments, e), e)
	case other == nil:
		c.trie.Leaf(below).SetAnySpelling(e, e)
		atPrefix := *e
		atPrefix.path = exact
		if m.slash {
			atPrefix.handler = handler{std: addSlash{}}
		}
		if l := c.trie.Leaf(exact); !l.HasAny() {
			l.SetAnySpelling(&atPrefix, e)
			c.table.routes = append(c.table.routes, &atPrefix)
		}
		c.table.routes = append(c.table.routes, e)
	}
}

// addSlash redirects to the URL of the request with a slash after the path.
type addSlash struct{}

func (addSlash) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	send(movedTo(pattern.Location(r, r.URL.EscapedPath()+"/")), w, r.Method == http.MethodHead)
}

// place tells the compiler of a mounted Router where its endpoints go, and which names it has: its own, and
// those of this Router that it does not have itself.
func (c *compiler) place(m *Mounted, trie *match.Trie[endpoint], around *endpoint) {
	inner := c.inside[m]
	inner.table.namesMissing = inner.table.namesMissing || c.table.namesMissing
	maps.Copy(inner.table.misplaced, c.table.misplaced)
	names := maps.Clone(c.table.names)
	maps.Copy(names, inner.table.names)
	inner.table.names, inner.table.around, inner.trie = names, around, trie
}

// mountParams returns the values of the parameters of the Router's prefix in a path, for
// requests without a route. If the path is shorter than the prefix, the missing values are "".
func (t *table) mountParams(path []string) match.Values {
	var values match.Values
	for i, seg := range t.mountPrefix.Segments {
		if seg.Kind == pattern.Param {
			value := httprouter.Param{}
			if i < len(path) {
				value.Value = path[i]
			}
			values = append(values, value)
		}
	}
	return values
}

// enter runs the chain of the next mounted Router, on the way from x.endpoint to x.target.
// It is the handler of an endpoint that mounts a Router.
func (x *exchange) enter(w http.ResponseWriter, r *http.Request) {
	e := x.target
	for e.around != x.endpoint {
		e = e.around
	}
	inner := e.newRetained()
	inner.values, inner.target, inner.body = x.values, x.target, x.body
	inner.personal.Store(x.personal.Load())
	if outer := From(r.Context()); outer != nil && outer.x == x {
		inner.req.promises = outer.promises
	}
	inner.Context = r.Context()
	match.SetPathValues(r, e.path, x.values)
	inner.req.Request = r.WithContext(inner)
	inner.contain(inner.tracker.Track(w))
}
