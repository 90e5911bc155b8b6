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
	"example.com/flow/internal/forms"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/registry"
	"example.com/flow/internal/routetree"
)

// A Mounted is a handler that answers a whole branch of URLs: see Router.Mount.
type Mounted struct {
	outer   *Router
	inner   *Router // nil if the handler is no Router
	handler http.Handler
	pos     fault.Position
	text    string // the prefix as it was given
	prefix  []pattern.Segment
	slash   bool // the prefix ended in a slash
	refused bool // nothing is mounted, and a fault says why
	label   string
	named   fault.Position
	uses    []use
	maxBody int64
}

// Mount makes h answer every method of the prefix and of all URLs below it, other
// than those that a route file or a public file answers: it ranks as a catch-all.
// The prefix begins with a slash and is literal, but for parameters, "/orgs/[org]",
// which h reads with Param or http.Request.PathValue. Two handlers at one prefix are
// a fault, and so is a catch-all file there.
//
// The middleware of the Router, of In("") and of Mounted.Use runs before h. The path
// is left whole: http.StripPrefix takes the prefix off for those who want that. A
// prefix that ends in a slash, "/files/", is redirected to if the slash is missing,
// as in net/http's ServeMux.
//
// How the path is spelled below the prefix is for h to judge, as long as that leads
// nowhere else. Most handlers read the decoded path and clean it: to them
// "/files/%2e/private/a" and "/files/private%2Fa" are "/files/private/a", which may be
// for another handler or a file to answer, behind guards of its own. Such a path, and one
// that leads out of the prefix, if only on the way, is redirected to its plain spelling.
// If it holds an escaped slash or a backslash it has none, and is 404. So is a parameter
// of the prefix that holds one of these: a guard would read another value than h.
//
// A mounted Router is an application inside the application. It keeps its own
// settings, Authenticate, OnError, MaxBody, CrossOrigin and all others, and answers
// 404 for what it does not have. The URLs of its files carry the prefix: those of
// Route, Asset and RedirectTo, of redirects to the right spelling, and
// http.Request.Pattern. Within a request, the parameters of the prefix are those of
// its URL unless they are named. A name that the Router lacks is looked up in the one
// around it, which it has to be checked with. Check of that one reports the faults of
// both.
//
// A Router is mounted once, before it is checked, and is not served by itself then.
// One that is wrapped in middleware is a handler like any other: give the middleware
// to Mounted.Use, or to the Router.
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
		inner.stops.MoveTo(&m.outer.stops)
		m.inner = inner
	})
}

// isInside reports whether r is other, or mounted somewhere in it.
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

// outermost returns the Router that r is mounted in, however deep, or r.
func (r *Router) outermost() *Router {
	for r != nil && r.outer() != nil {
		r = r.outer()
	}
	return r
}

// Name gives the names of a mounted Router to the Router around it: after
// Name("billing"), its route "invoices.show" is "billing.invoices.show" there, and
// "invoices.show" for itself as before. A name that is taken is a fault. So is Name
// of a handler that is no Router, and has no names.
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

// Use adds middleware for what is mounted. It takes what File.Use takes.
func (m *Mounted) Use(middleware ...any) *Mounted {
	m.outer.own.UseIn(&m.uses, fault.Caller(0), "Use", middleware, parseMiddleware)
	return m
}

// MaxBody limits the body of a request, in bytes, in place of Router.MaxBody. Without
// it, a mounted Router has its own limits.
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

// fault reports a fault of the mount. Its callers are within a change of the registry of
// the outer Router, and so hold its lock.
func (m *Mounted) fault(pos fault.Position, format string, args ...any) {
	m.outer.own.Fault(pos, "Mount(%q): %s", m.text, fmt.Sprintf(format, args...))
}

// prefix returns where r is mounted, from the outermost Router on.
func (r *Router) prefix() []pattern.Segment {
	m := r.mounted.Load()
	if m == nil {
		return nil
	}
	return slices.Concat(m.outer.prefix(), m.prefix)
}

// patterns returns the two patterns of what is mounted in a Router whose own prefix is
// outer: the prefix itself, and all URLs below it.
func (m *Mounted) patterns(outer []pattern.Segment) (exact, below *pattern.Pattern) {
	exact = pattern.New(slices.Concat(outer, m.prefix))
	return exact, pattern.New(append(slices.Clip(exact.Segments), pattern.Segment{Kind: pattern.Rest}))
}

// readMounts collects what is mounted, and makes the compilers of the Routers among it.
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
	}
}

// readMountedNames adds the names of the Routers inside to those of this one.
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

// name returns what the outer Router calls a route that the inner one calls inner, or ""
// if it has no name there.
func (m *Mounted) name(inner string) string {
	if m.label == "" || inner == "" {
		return ""
	}
	return m.label + "." + inner
}

// info describes what is mounted, as Router.Routes lists it: the routes of a Router,
// or one handler. outer is how much middleware runs before it.
func (m *Mounted) info(below *pattern.Pattern, outer int) []RouteInfo {
	if m.inner == nil {
		return []RouteInfo{{Method: "ANY", Pattern: below.String(), Handler: m.pos.Stable(), Middleware: outer}}
	}
	infos := slices.Clone(m.inner.table.Load().infos)
	for i := range infos {
		if m.inner.app != nil && strings.HasPrefix(infos[i].File, routetree.RouterDir+"/") { // to tell it from the files of other applications
			infos[i].File = path.Base(m.inner.app.path) + "/" + infos[i].File
		}
		infos[i].Name = m.name(infos[i].Name)
		infos[i].Middleware += outer
	}
	return infos
}

// addMount puts what is mounted into the trie. The files are there already: if one
// answers the URL of the prefix itself, it stays.
func (c *compiler) addMount(trie *match.Trie[endpoint], m *Mounted, steps []step) {
	exact, below := m.patterns(c.tree.Prefix)
	e := c.endpoint(&owner{file: fmt.Sprintf("Mount(%q) of %v", m.text, m.pos)}, below, match.AnyMethod, steps, handler{std: m.handler}, m.maxBody)
	other := trie.CatchAll(exact.Segments)
	if other != nil {
		c.fault(m.pos, "Mount(%q): %s answers the same URLs: mount one of them elsewhere", m.text, other.owner.file)
	}
	switch {
	case m.inner != nil:
		e.inner, e.maxBody = c.inside[m].table, m.maxBody // if it is 0, only the limits of the Router inside hold
		if other != nil {
			trie = &match.Trie[endpoint]{} // the Router inside may have faults, too
		}
		c.finishInner(m, trie.Mount(exact.Segments, e), e)
	case other == nil:
		trie.Leaf(below).SetAnySpelling(e, e)
		at := *e
		at.path = exact
		if m.slash {
			at.handler = handler{std: addSlash{}}
		}
		if l := trie.Leaf(exact); !l.HasAny() {
			l.SetAnySpelling(&at, e)
		}
	}
}

// addSlash redirects to the same URL with a slash after the path.
type addSlash struct{}

func (addSlash) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	send(movedTo(pattern.Location(r, r.URL.EscapedPath()+"/")), w, r.Method == http.MethodHead)
}

// finishInner makes the table of a Router inside this one. It may use the names of this
// one that it does not have itself.
func (c *compiler) finishInner(m *Mounted, trie *match.Trie[endpoint], around *endpoint) {
	inner := c.inside[m]
	inner.table.namesMissing = inner.table.namesMissing || c.table.namesMissing
	maps.Copy(inner.table.misplaced, c.table.misplaced)
	names := maps.Clone(c.table.names)
	maps.Copy(names, inner.table.names)
	inner.table.names, inner.table.around = names, around
	inner.finish(trie)
	m.inner.table.Store(inner.table)
	c.addInner(m, inner.faults)
}

// addInner adds faults of a Router inside this one.
func (c *compiler) addInner(m *Mounted, faults []fault.Fault) {
	for _, f := range faults {
		f.Text = fmt.Sprintf("Mount(%q): %s", m.text, f.Text)
		c.faults = append(c.faults, f)
	}
}

// mountParams returns the values that the parameters of the Router's prefix have in a
// path, for what no route answers. A path that is not below the prefix has none for them.
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

// enter goes on with the chain of the next Router inside, on the way to the one that has
// the target.
func (x *exchange) enter(w http.ResponseWriter, r *http.Request) {
	e := x.target
	for e.around != x.endpoint {
		e = e.around
	}
	inner := e.newRetained()
	inner.values, inner.target, inner.body = x.values, x.target, x.body
	if outer := From(r.Context()); outer != nil && outer.x == x {
		inner.req.promises = outer.promises
	}
	inner.Context = r.Context()
	setPathValues(r, e.path, x.values)
	inner.req.Request = r.WithContext(inner)
	inner.contain(inner.tracker.Track(w))
}
