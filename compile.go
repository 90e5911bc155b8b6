package flow

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pages"
	"example.com/flow/internal/pathvalue"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/routetree"
)

// A table is an application compiled: the tree and its registrations, ready to
// match and to answer. It does not change.
type table struct {
	err      error // every fault; a table that has some answers 500 to everything
	warnings error // every warning
	router   *Router
	matcher  *match.Table[endpoint] // nil for a Router inside another one, whose matcher has its endpoints
	around   *endpoint              // the endpoint that mounts the Router inside another one; nil if it is not mounted
	standard []step                 // the Router's standard middleware
	notFound *endpoint
	denied   handler // for cross-origin requests
	names    map[string]*routetree.Route
	assets   map[string]*asset // public files, by path below public/
	views    *pages.Views
	above    *pattern.Pattern // the prefix that the Router is mounted at; endpoints for what matches nothing have it as their path
	maxBody  int64            // in bytes, for routes that set none
	infos    []RouteInfo
	pool     sync.Pool // of *exchange
}

// A compiler compares the registrations of a Router with its tree, collects the faults,
// and fills the table.
type compiler struct {
	router   *Router
	tree     *routetree.Tree
	byPath   map[string]*routetree.Route
	byStem   map[string][]*routetree.Route
	uses     []use
	dirs     []*Dir // in order of registration
	bindings map[*routetree.Route]*binding
	mounts   []*Mounted
	inside   map[*Mounted]*compiler // the compilers of the Routers among the mounts
	// pathValues holds what the endpoints share, by the names.
	pathValues map[string]*pathvalue.Names
	table      *table
	faults     []fault.Fault
	// namesMissing: a function of With was not called, so that labels are unknown.
	namesMissing bool
}

// compile closes the registrations of a Router and turns them and its tree into its
// table, together with those of the Routers inside it.
func compile(r *Router) *table {
	c := newCompiler(r)
	c.checkDirectories()
	trie := &match.Trie[endpoint]{}
	c.finish(trie)
	if t := c.table; t.err == nil {
		t.matcher = match.Compile(trie, (*endpoint).answer, t.miss)
	}
	r.table.Store(c.table)
	return c.table
}

// newCompiler collects the registrations of a Router and the names of its routes, and
// those of the Routers inside it. Each of them may use names of the others. That is why
// all names are collected here, and none is used before finish.
func newCompiler(r *Router) *compiler {
	r.building.Store(true)
	if r.tree == nil { // a Router that New did not make
		r.tree = routetree.Read(nil, nil)
	}
	r.tree = r.tree.Below(r.prefix())
	c := &compiler{
		router:     r,
		tree:       r.tree,
		byPath:     map[string]*routetree.Route{},
		byStem:     map[string][]*routetree.Route{},
		bindings:   map[*routetree.Route]*binding{},
		inside:     map[*Mounted]*compiler{},
		pathValues: map[string]*pathvalue.Names{},
		table:      newTable(r),
		faults:     slices.Clone(r.tree.Faults),
	}
	for _, route := range r.tree.Routes {
		c.bindings[route] = &binding{}
		c.byPath[route.Path] = route
		c.byStem[route.Stem] = append(c.byStem[route.Stem], route)
	}
	if r.app != nil && !r.tree.Missing {
		r.app.statics.close()
		c.staticUses(&r.app.statics)
		c.add(&r.app.statics)
		given := c.runWiths(r.app.statics.withs)
		c.add(given)
	}
	r.own.close() // only now: functions of With may register with the Router, too
	c.readMounts()
	if r.tree.Missing { // each registration would be reported for its unknown path, which is not the mistake
		c.namesMissing = true
		return c
	}
	c.add(&r.own)
	c.checkBindings()
	c.readNames()
	return c
}

func newTable(r *Router) *table {
	t := &table{
		router:  r,
		names:   map[string]*routetree.Route{},
		above:   pattern.New(r.tree.Prefix),
		maxBody: cmp.Or(r.MaxBody, defaultMaxBody),
	}
	t.pool.New = func() any {
		x := &exchange{router: r}
		x.req.x = x
		return x
	}
	return t
}

// finish makes the table and the tables of the Routers inside, and puts the endpoints of
// all of them into the trie.
func (c *compiler) finish(trie *match.Trie[endpoint]) {
	r := c.router
	if r.tree.Missing {
		for _, m := range c.mounts {
			if m.inner != nil { // the Router inside may have faults, too
				c.finishInner(m, &match.Trie[endpoint]{}, nil)
			}
		}
	} else {
		c.build(trie)
	}
	c.table.err, c.table.warnings = fault.Join(c.faults), fault.Warnings(c.faults)
	r.own.release()
	r.building.Store(false)
	if r.app != nil {
		r.app.first.CompareAndSwap(nil, r)
	}
}

func (c *compiler) build(trie *match.Trie[endpoint]) {
	if r := c.router; r.MaxBody < 0 {
		c.faults = append(c.faults, fault.Fault{Text: fmt.Sprintf("Router.MaxBody is %d: give a number of bytes, or 0 for %d", r.MaxBody, defaultMaxBody)})
	}
	c.faults = append(c.faults, c.tree.SetMatchers(c.router.Matchers, c.router.matcherPanicked)...)
	c.readAssets()
	c.readViews()
	c.fill(trie)
	c.listRoutes()
}

func (c *compiler) fault(pos fault.Position, format string, args ...any) {
	c.faults = append(c.faults, fault.At(pos, format, args...))
}

// steps returns the steps of middleware that is used at one place.
func (c *compiler) steps(uses []use) []step {
	steps := make([]step, 0, len(uses))
	for _, u := range uses {
		if u.guard != nil {
			steps = append(steps, step{guard: u.guard})
		} else {
			steps = append(steps, step{place: c.place(u)})
		}
	}
	return steps
}

func standardOnly(steps []step) []step {
	return slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.guard != nil })
}

// fill compiles every handler with its chain and puts it into the trie.
func (c *compiler) fill(trie *match.Trie[endpoint]) {
	t := c.table
	outer := c.steps(c.uses)
	t.standard = standardOnly(outer)
	t.notFound = t.unmatched(t.standard, nil, handler{flow: func(*Request) (Response, error) { return Fail(http.StatusNotFound, ""), nil }})
	t.denied = handler{std: c.router.CrossOrigin.Handler(http.HandlerFunc(c.router.deny))}

	dirs := map[*Dir][]step{}
	everywhere := slices.Clip(outer) // for what is mounted
	for _, d := range c.dirs {
		dirs[d] = c.steps(d.uses)
		if d.path == "" {
			everywhere = append(everywhere, dirs[d]...)
		}
	}
	for _, r := range c.tree.Routes {
		steps := slices.Clip(outer)
		for _, d := range c.dirsAround(r) {
			steps = append(steps, dirs[d]...)
		}
		c.addRoute(trie, r, append(steps, c.steps(c.bindings[r].uses)...))
	}
	for _, name := range slices.Sorted(maps.Keys(t.assets)) {
		a := t.assets[name]
		c.addPublic(trie, a.file, a.pattern, a.serves)
	}
	for _, m := range c.mounts {
		c.addMount(trie, m, append(slices.Clip(everywhere), c.steps(m.uses)...))
	}
	for _, name := range slices.Sorted(maps.Keys(t.assets)) {
		a := t.assets[name]
		if a.hashed == nil {
			continue
		}
		if other := trie.Leaf(a.hashed).Answer(http.MethodGet); other != nil {
			c.faults = append(c.faults, fault.In(other.owner.file, "it answers %s, which is the hashed URL of %s: rename it", pattern.Sample(a.hashed.Segments), a.file))
		}
		c.addPublic(trie, a.file, a.hashed, a.forever)
	}
}

func (c *compiler) addPublic(trie *match.Trie[endpoint], file string, p *pattern.Pattern, h handler) {
	o := &owner{file: file, standard: c.table.standard}
	trie.Leaf(p).Set(http.MethodGet, c.endpoint(o, p, http.MethodGet, o.standard, h, 0))
}

// addRoute adds a route's handlers, whose chain down to the file is steps.
func (c *compiler) addRoute(trie *match.Trie[endpoint], r *routetree.Route, steps []step) {
	b := c.bindings[r]
	chains := make([][]step, len(b.verbs))
	for i, v := range b.verbs {
		chains[i] = append(slices.Clip(steps), c.steps(v.uses)...)
	}
	o := &owner{r.File, r, standardOnly(steps)}
	page, pageSteps, pageMaxBody := handler{flow: plainPage}, steps, int64(0)
	if b.page != nil {
		pageSteps, pageMaxBody = append(slices.Clip(steps), c.steps(b.page.uses)...), b.page.maxBody
	}
	if c.checkData(r, b); b.servesPage(r) {
		page = c.renderOnce(r, hasGuard(pageSteps), page)
	}
	for _, p := range r.Patterns {
		l := trie.Leaf(p)
		for i, v := range b.verbs {
			l.Set(v.method, c.endpoint(o, p, v.method, chains[i], *v.handler, v.maxBody))
		}
		if b.servesPage(r) {
			l.Set(http.MethodGet, c.endpoint(o, p, http.MethodGet, pageSteps, page, pageMaxBody))
		}
	}
}

func hasGuard(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.guard != nil })
}

func (c *compiler) endpoint(o *owner, p *pattern.Pattern, method string, steps []step, h handler, maxBody int64) *endpoint {
	t := c.table
	for i, s := range steps {
		if s.place != nil {
			s.place.step = i
		}
	}
	foreign := t.isForeign(steps, h)
	pure := !foreign && !hasLogger(steps)
	e := &endpoint{
		table:     t,
		owner:     o,
		pattern:   strings.TrimPrefix(method+" "+p.String(), match.AnyMethod+" "),
		path:      p,
		steps:     steps,
		handler:   h,
		maxBody:   t.limit(maxBody),
		pure:      pure,
		direct:    pure && len(steps) == 0,
		foreign:   foreign,
		keepsBody: h.flow != nil || hasGuard(steps) || t.guarded(),
		around:    t.around,
	}
	if foreign && t.around == nil && o.route != nil && len(p.Names) > 0 && !mayMatch(p, h) {
		e.pathValues = c.pathValuesOf(p.Names)
	}
	return e
}

// unmatched returns an endpoint for a request that no route answers.
func (t *table) unmatched(steps []step, r *routetree.Route, h handler) *endpoint {
	foreign := t.isForeign(steps, h)
	pure := !foreign && !hasLogger(steps)
	return &endpoint{table: t, owner: &owner{route: r}, path: t.above, steps: steps, handler: h, maxBody: t.limit(0), pure: pure, foreign: foreign, keepsBody: t.guarded(), miss: true, around: t.around}
}

// limit returns how large a body may be, in bytes: own, or the limit of the table if own
// is 0. Each mount around may lower it.
func (t *table) limit(own int64) int64 {
	limit := cmp.Or(own, t.maxBody)
	for e := t.around; e != nil; e = e.around {
		if e.maxBody > 0 {
			limit = min(limit, e.maxBody)
		}
	}
	return limit
}

// guarded reports whether a guard of a Router around this one runs first, which may ask
// for the body.
func (t *table) guarded() bool {
	for e := t.around; e != nil; e = e.around {
		if hasGuard(e.steps) {
			return true
		}
	}
	return false
}

// A binding is what was registered for one route.
type binding struct {
	uses   []use
	verbs  []*Verb // one for each method, in order of registration
	begun  []*Verb // all of them, also those that are unfinished or wrong
	page   *Verb   // the GET without a handler that gives the page its name and middleware, if there is one
	failed bool    // the handlers are missing because of a fault that is reported already
	named  bool    // At was called for it: a counterpart is not needed
	static bool    // a static call in its counterpart was made
}

func (b *binding) verb(method string) *Verb {
	for _, v := range b.verbs {
		if v.method == method {
			return v
		}
	}
	return nil
}

// add resolves the paths of one registry and sorts its registrations by what
// they are for. Registries are added in the order in which their middleware runs.
func (c *compiler) add(g *registry) {
	c.faults = append(c.faults, g.faults...)
	c.uses = append(c.uses, g.uses...)
	for _, d := range g.dirs {
		if !c.tree.Covers(d.path) && c.tree.HasDir(d.path) {
			c.fault(d.pos, "In(%q): no route file is in that directory, so this would guard nothing: have the files been moved?", d.path)
			continue
		}
		if !c.tree.Covers(d.path) {
			c.fault(d.pos, "In(%q): the tree has no such directory%s", d.path, c.tree.Hint(d.path))
			continue
		}
		c.dirs = append(c.dirs, d)
	}
	for _, f := range g.files {
		r := c.resolve(f)
		if r == nil {
			continue
		}
		b := c.bindings[r]
		b.uses = append(b.uses, f.uses...)
		b.static = b.static || f.counterpart != ""
		b.named = b.named || f.counterpart == ""
		for _, v := range f.verbs {
			c.bind(b, r, v)
		}
	}
}

func (c *compiler) bind(b *binding, r *routetree.Route, v *Verb) {
	b.begun = append(b.begun, v)
	if !v.done { // checkFinished tells whether it has to be
		return
	}
	if first := b.verb(v.method); first != nil {
		c.fault(v.pos, "%s of %s is registered a second time, after %v: keep one", v.call(), r.File, first.pos)
		return
	}
	if v.handler != nil { // otherwise it is reported why Do or To refused the handler
		b.verbs = append(b.verbs, v)
	}
}

// resolve returns the route that a File stands for, or reports why there is none.
func (c *compiler) resolve(f *File) *routetree.Route {
	if f.counterpart == "" {
		if found := routetree.Find(c.byPath, f.path); len(found) > 0 { // more than one have the same URL, which is a fault
			return c.byPath[found[0]]
		}
		c.fault(f.pos, "At(%q): the tree has no such route file%s", f.path, c.tree.Hint(f.path))
		return nil
	}
	return c.resolveStatic(f.pos, f.counterpart, f.what)
}

func (c *compiler) resolveStatic(pos fault.Position, goFile, what string) *routetree.Route {
	stem, isGo := strings.CutSuffix(goFile, ".go")
	routes := c.byStem[stem]
	switch old := c.withGroups(stem); {
	case isGo && len(routes) == 0 && old != nil:
		c.fault(pos, "%s: a group is in no name, so the counterpart of %s is %s.go: rename this file", what, old.File, old.Stem)
		c.bindings[old].failed = true
	case !isGo || len(routes) == 0:
		c.fault(pos, "%s speaks of the route whose counterpart this file is, and no route file has the counterpart %s: rename one of them, or say the path with %s", what, goFile, sayPath(what))
	case len(routes) > 1:
		c.fault(pos, "%s: this file is the counterpart of %s and of %s: say which with flow.At(%q) or flow.At(%q), in a file of another name", what, routes[0].File, routes[1].File, routes[0].Path, routes[1].Path)
	default:
		c.bindings[routes[0]].static = true
		if reason := routetree.SetAside(goFile); reason != "" {
			c.fault(pos, "%s: %s: register with flow.At(%q) in a file of another name", what, reason, routes[0].Path)
			c.bindings[routes[0]].failed = true
			return nil
		}
		return routes[0]
	}
	return nil
}

// sayPath returns how a call says the path of its route by itself.
func sayPath(what string) string {
	if what == "flow.With" {
		return "Router.At, where the value is at hand"
	}
	return "flow.At"
}

// checkBindings reports routes that lack a handler, or have one that they must not.
func (c *compiler) checkBindings() {
	mains := map[string]*routetree.Route{}
	for _, r := range c.tree.Routes {
		if !r.Store {
			for _, s := range r.Patterns {
				mains[s.Key()] = r
			}
		}
	}
	for _, r := range c.tree.Routes {
		b := c.bindings[r]
		c.checkFinished(r, b)
		if reason := routetree.SetAside(r.Stem + ".go"); reason != "" && !b.named && !b.static {
			c.faults = append(c.faults, fault.In(r.File, "%s, and would be its counterpart: rename the route file, or register with flow.At(%q) in a file of another name", reason, r.Path))
			continue
		}
		if r.Store {
			c.checkStore(r, b, mains)
		}
		if len(b.begun) == 0 && !b.failed && (!r.Page || r.Store) {
			what := "no handler is registered for it"
			if r.Store {
				what += ", and a file called store answers POST on the URL of its directory"
			}
			c.faults = append(c.faults, fault.In(r.File, "%s: %s", what, c.remedy(r)))
		}
	}
}

// remedy says how a handler for r is registered.
func (c *compiler) remedy(r *routetree.Route) string {
	verb := "GET().Do(…)"
	if r.Store {
		verb = "POST().Do(…)"
	}
	switch {
	case c.router.app == nil:
		return fmt.Sprintf("call At(%q).%s on this Router, which was made in a test file and so has no static calls", r.Path, verb)
	case len(c.byStem[r.Stem]) > 1:
		return fmt.Sprintf("call flow.At(%q).%s in %s", r.Path, verb, c.router.app.dir())
	}
	goFile := path.Join(fault.Place(c.router.app.path), r.Stem+".go")
	return fmt.Sprintf("call flow.%s in %s, or flow.At(%q).%[1]s in another file there", verb, goFile, r.Path)
}

// checkStore reports methods other than POST that are registered for a store, a store
// without POST, and POST that is registered for the file beside the store.
func (c *compiler) checkStore(store *routetree.Route, b *binding, mains map[string]*routetree.Route) {
	for _, v := range b.verbs {
		if v.method != http.MethodPost {
			c.fault(v.pos, "%s: %s serves POST and nothing but POST: register other methods for the index file beside it", v.call(), store.File)
		}
	}
	if len(b.verbs) > 0 && b.verb(http.MethodPost) == nil {
		c.faults = append(c.faults, fault.In(store.File, "no handler is registered for POST: %s", c.remedy(store)))
	}
	for _, s := range store.Patterns {
		main := mains[s.Key()]
		if main == nil {
			continue
		}
		if v := c.bindings[main].verb(http.MethodPost); v != nil {
			c.fault(v.pos, "%s and %s both answer POST %s: keep one of them", main.File, store.File, pattern.Sample(s.Segments))
		}
		return
	}
}
