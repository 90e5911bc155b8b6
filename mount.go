package flow

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Mounted is a handler that answers a whole branch of URLs: see Router.Mount.
type Mounted struct {
	outer   *Router
	inner   *Router // nil if the handler is no Router
	handler http.Handler
	pos     position
	text    string // the prefix as it was given
	prefix  []segment
	slash   bool // the prefix ended in one
	refused bool // and reported
	label   string
	named   position
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
	m := &Mounted{outer: r, handler: h, pos: caller(0), text: prefix}
	r.own.change(m.pos, "Mount", func() {
		var err error
		m.prefix, err = parsePrefix(prefix)
		m.slash = strings.HasSuffix(prefix, "/") && len(m.prefix) > 0
		inner, isRouter := h.(*Router)
		switch {
		case err != nil:
			m.refuse("%v", err)
		case isNil(h):
			m.refuse("the handler is nil")
		case isRouter && r.isInside(inner):
			m.refuse("a Router cannot be mounted inside itself")
		case isRouter:
			m.mountRouter(inner)
		}
		r.own.mounts = append(r.own.mounts, m)
	})
	return m
}

// mountRouter notes in a Router where it is mounted.
func (m *Mounted) mountRouter(inner *Router) {
	m.slash = false
	inner.own.change(m.pos, "Mount", func() {
		if first := inner.mounted.Load(); first != nil {
			m.refuse("the Router is mounted at %q already, by %v: call New for another one", first.text, first.pos)
			return
		}
		inner.mounted.Store(m)
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

// refuse reports that nothing is mounted.
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

// prefix returns where r is mounted, from the outermost Router on.
func (r *Router) prefix() []segment {
	m := r.mounted.Load()
	if m == nil {
		return nil
	}
	return slices.Concat(m.outer.prefix(), m.prefix)
}

// parsePrefix parses what Mount is given.
//
//	/debug/pprof  => {literal, "debug"}, {literal, "pprof"}
//	/orgs/[org]   => {literal, "orgs"}, {param, "org"}
func parsePrefix(prefix string) ([]segment, error) {
	below, ok := strings.CutPrefix(prefix, "/")
	if !ok {
		return nil, fmt.Errorf("a prefix begins with a slash: write %q", "/"+prefix)
	}
	if below == "" {
		return nil, nil
	}
	var segments []segment
	for name := range strings.SplitSeq(strings.TrimSuffix(below, "/"), "/") {
		e, err := parsePrefixElement(name)
		if err != nil {
			return nil, err
		}
		segments = append(segments, e.segment)
	}
	if _, err := expand(elementsOf(segments)); err != nil {
		return nil, err
	}
	return segments, nil
}

func parsePrefixElement(name string) (element, error) {
	switch {
	case noValue(name):
		return element{}, fmt.Errorf("%q is no segment of a canonical URL", name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return element{}, fmt.Errorf("%q is no text", name)
	case strings.Contains(name, `\`):
		return element{}, fmt.Errorf("%q holds a backslash, which many handlers take for a slash", name)
	case strings.ContainsAny(name, "{}:*"): // the last two are httprouter's
		return element{}, fmt.Errorf("%q holds one of {}:*: a parameter is written with brackets, as in %q", name, "/orgs/[org]")
	}
	e, err := parseElement(name, true)
	switch {
	case err != nil:
		return e, err
	case e.silent:
		return e, fmt.Errorf("%q: a group is in no URL: leave it away", name)
	case e.optional || e.kind == rest:
		return e, fmt.Errorf("%q: a prefix has one spelling: mount the handler at each that it is to answer", name)
	}
	return e, nil
}

func elementsOf(segments []segment) []element {
	elements := make([]element, len(segments))
	for i, seg := range segments {
		elements[i].segment = seg
	}
	return elements
}

// Name gives the names of a mounted Router to the Router around it: after
// Name("billing"), its route "invoices.show" is "billing.invoices.show" there, and
// "invoices.show" for itself as before. A name that is taken is a fault. So is Name
// of a handler that is no Router, and has no names.
func (m *Mounted) Name(label string) *Mounted {
	pos := caller(0)
	m.outer.own.change(pos, "Name", func() {
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
	m.outer.own.use(caller(0), "Use", &m.uses, middleware)
	return m
}

// MaxBody limits the body of a request, in bytes, in place of Router.MaxBody. Without
// it, a mounted Router has its own limits.
func (m *Mounted) MaxBody(bytes int64) *Mounted {
	pos := caller(0)
	m.outer.own.change(pos, "MaxBody", func() {
		if err := checkMaxBody(bytes); err != nil {
			m.fault(pos, "%v", err)
			return
		}
		m.maxBody = bytes
	})
	return m
}

// fault is called while the registry of the outer Router is changed.
func (m *Mounted) fault(pos position, format string, args ...any) {
	m.outer.own.faults = append(m.outer.own.faults, faultAt(pos, "Mount(%q): %s", m.text, fmt.Sprintf(format, args...)))
}

// name returns what a name of the inner Router is in the outer one.
func (m *Mounted) name(inner string) string {
	if m.label == "" || inner == "" {
		return ""
	}
	return m.label + "." + inner
}

// shapes returns the two shapes of what is mounted in a Router that has a prefix
// itself: the very prefix, and all below it.
func (m *Mounted) shapes(outer []segment) (exact, below *shape) {
	file := fmt.Sprintf("Mount(%q) of %v", m.text, m.pos)
	exact = newShape(file, nil, slices.Concat(outer, m.prefix))
	return exact, newShape(file, nil, append(slices.Clip(exact.segments), segment{rest, ""}))
}

// addMount puts what is mounted into the trie, after the files: they win where they
// answer the very prefix.
func (c *compiler) addMount(m *Mounted, steps []step) {
	exact, below := m.shapes(c.tree.prefix)
	h := handler{std: m.handler}
	e := c.endpoint(below, anyMethod, steps, h, m.maxBody)
	e.below = e
	l := c.table.root.leafOf(below)
	if other := l.owner(); other != nil {
		c.fault(m.pos, "Mount(%q): %s answers the same URLs: mount one of them elsewhere", m.text, other.file)
		return
	}
	l.any = e
	if m.inner != nil { // what answers inside says what there is to say about the body
		e.inner, e.keepsBody, e.maxBody = m.inner, true, m.maxBody
	}

	at := *e
	at.shape = exact
	if m.slash {
		at.handler = handler{std: http.HandlerFunc(addSlash)}
	}
	if l := c.table.root.leafOf(exact); l.any == nil {
		l.any = &at
	}
}

// owner returns the shape of something that answers at l, if anything does.
func (l *leaf) owner() *shape {
	for _, method := range sortedKeys(l.methods) {
		return l.methods[method].shape
	}
	if l.any != nil {
		return l.any.shape
	}
	return nil
}

// readsPath reports whether e is what is mounted and reads the path by itself, in
// whatever way. A Router is not: it goes by the segments.
func (e *endpoint) readsPath() bool { return e.below != nil && e.inner == nil }

// readsRight reports whether the handler of e can be asked for a path as it is spelled.
// Handlers such as net/http's read the decoded path and clean it: a segment that is
// "%2e%2e" or "a%2Fb" is more to them than the one that was matched. They must find the
// prefix as it was matched, since guards know its parameters, must not be led out of it,
// and must not be led to what is not theirs in the plain spelling.
func (t *table) readsRight(e *endpoint, r *http.Request, p requestPath) bool {
	n := len(e.below.shape.segments) - 1 // of the prefix
	if !p.canonical && !p.below(n) {
		return false
	}
	right := func(path string, floor int) bool {
		seen, ok := clean(path, floor)
		switch {
		case !ok || len(seen) < n || !slices.Equal(seen[:n], p.values[:n]):
			return false
		case slices.Equal(seen, p.values):
			return true
		}
		owner, _ := t.outermost().owner(r.Method, seen)
		return owner != nil && owner.below == e.below
	}
	if !right(r.URL.Path, n) {
		return false
	}
	// Some take a backslash for a slash, before they clean the path or after. Only without
	// ".." is that the same.
	path := strings.ReplaceAll(r.URL.Path, `\`, "/")
	return path == r.URL.Path || right(path, math.MaxInt)
}

// clean returns the segments of a decoded path without the empty ones and the dots. ok is
// false if ".." takes away one of the first floor segments, or has none to take away.
func clean(path string, floor int) (segments []string, ok bool) {
	segments = make([]string, 0, 16)
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "", ".":
		case "..":
			if len(segments) <= floor {
				return nil, false
			}
			segments = segments[:len(segments)-1]
		default:
			segments = append(segments, segment)
		}
	}
	return segments, true
}

func (t *table) outermost() *table {
	for t.outer != nil {
		t = t.outer
	}
	return t
}

// owner returns what answers a path that is spelled plainly, here or in a Router inside,
// or nil. known reports whether something answers it at all, if with another method.
func (t *table) owner(method string, path []string) (e *endpoint, known bool) {
	t.root.visit(path, nil, func(l *leaf, _, _ []string) bool {
		e, known = l.answer(method), true
		return e == nil
	})
	if e != nil && e.inner != nil {
		return e.inner.table.Load().owner(method, path)
	}
	return e, known
}

var unescapeDots = strings.NewReplacer("%2e", ".", "%2E", ".").Replace

// respelled returns the endpoint for a path that the handler of a mount could misread: a
// redirect to its plain spelling if something answers that, else 404. What holds a slash
// in a segment, or a backslash, has none.
func (t *table) respelled(r *http.Request, p requestPath) *endpoint {
	if strings.Count(r.URL.Path, "/") > strings.Count(p.asked, "/") || strings.Contains(r.URL.Path, `\`) {
		return t.notFound
	}
	plain, _ := cleanPath(p.asked, unescapeDots)
	if _, known := t.outermost().owner(r.Method, plain.values); !known {
		return t.notFound
	}
	return t.redirect(location(r, plain.escaped))
}

// addSlash redirects to the same URL with a slash after the path.
func addSlash(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Location", location(r, r.URL.EscapedPath()+"/"))
	w.WriteHeader(http.StatusPermanentRedirect)
}

// readMounts begins to compile the Routers inside.
func (c *compiler) readMounts() {
	for _, m := range c.router.own.mounts {
		if m.refused {
			continue
		}
		c.mounts = append(c.mounts, m)
		for _, name := range newShape("", nil, m.prefix).names {
			if slices.Contains(c.table.above.names, name) {
				c.fault(m.pos, "Mount(%q): the parameter %q is one of %s too, where the Router is mounted: call it otherwise", m.text, name, c.table.above.pattern())
			}
		}
		if m.inner != nil {
			c.inside[m] = newCompiler(m.inner)
			c.inside[m].table.outer = c.table
		}
	}
}

// readMountedNames adds the names of the Routers inside to those of this one.
func (c *compiler) readMountedNames() {
	for _, m := range c.mounts {
		if m.label == "" || m.inner == nil {
			continue
		}
		c.namesMissing = c.namesMissing || c.inside[m].namesMissing
		inner := c.inside[m].table.names
		for _, n := range sortedKeys(inner) {
			name := m.name(n)
			if other := c.table.names[name]; other != nil {
				c.fault(m.named, "Name(%q): %q would be a name of %s, and is one of %s: call this one otherwise", m.label, name, inner[n].file, other.file)
				continue
			}
			c.table.names[name] = inner[n]
		}
	}
}

// finishInner makes the table of a Router inside, where names that it lacks are
// those of this one.
func (c *compiler) finishInner(m *Mounted) {
	inner := c.inside[m]
	inner.namesMissing = inner.namesMissing || c.namesMissing
	names := maps.Clone(c.table.names)
	maps.Copy(names, inner.table.names)
	inner.table.names = names
	inner.finish()
	for _, f := range inner.faults {
		f.text = fmt.Sprintf("Mount(%q): %s", m.text, f.text)
		c.faults = append(c.faults, f)
	}
}

// info describes what is mounted, as Router.Routes lists it: the routes of a Router,
// or one handler. outer is how much middleware runs before it.
func (m *Mounted) info(below *shape, outer int) []RouteInfo {
	if m.inner == nil {
		return []RouteInfo{{Method: "ANY", Pattern: below.pattern(), Handler: m.pos.String(), Middleware: outer}}
	}
	infos := slices.Clone(m.inner.table.Load().infos)
	for i := range infos {
		if m.inner.app != nil && strings.HasPrefix(infos[i].File, routerDir+"/") { // as others have too
			infos[i].File = m.inner.app.dir() + "/" + infos[i].File
		}
		infos[i].Name = m.name(infos[i].Name)
		infos[i].Middleware += outer
	}
	return infos
}

// An entrance is what a Router inside another one says of a request before any chain
// runs.
type entrance struct {
	pattern string // "" if it has no route for it
	maxBody int64
	refused *handler // the answer, if the origin of the request is not trusted
}

// enter looks for what will answer a request in a Router inside another one. Path
// values are set in the request that came in: its copies, of which some may be in
// other goroutines by and by, share the map that holds them.
func (r *Router) enter(req *http.Request) entrance {
	t := r.serving.Load()
	if t == nil {
		if t = r.begin(); t == nil {
			return entrance{} // the Router around has its faults too, and does not serve
		}
	}
	x := t.pool.Get().(*exchange)
	defer t.recycle(x)
	t.find(&x.match, req)
	e := x.endpoint
	if e.inner != nil {
		in := e.inner.enter(req)
		in.pattern, in.maxBody = cmp.Or(in.pattern, e.pattern), cmp.Or(e.maxBody, in.maxBody)
		return in
	}
	x.setPathValues(req)
	in := entrance{pattern: e.pattern, maxBody: e.maxBody}
	if !e.miss && r.refuses(req) {
		in.refused = &t.denied.handler
	}
	return in
}

// enter prepares the exchange of a request that a Router inside is to answer. The
// values of a prefix are those of a URL that could be made, or there is none such.
func (x *exchange) enter(t *table, req *http.Request) {
	e := x.endpoint
	if slices.ContainsFunc(x.values[:len(e.shape.names)], noValue) {
		x.endpoint = t.notFound
		return
	}
	in := e.inner.enter(req)
	req.Pattern = cmp.Or(in.pattern, e.pattern)
	if in.refused != nil {
		x.endpoint = t.unmatched(t.standard, nil, *in.refused)
		return
	}
	x.maxBody = cmp.Or(e.maxBody, in.maxBody)
}
