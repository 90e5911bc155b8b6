package flow

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/public"

	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"

	"example.com/flow/internal/match"

	"example.com/flow/internal/pages"

	"example.com/flow/internal/forms"
)

// A table is an application compiled: the tree and its registrations, ready to
// match and to answer. It does not change.
type table struct {
	err      error // every fault; a table that has some answers 500 to everything
	router   *Router
	matcher  *match.Table[endpoint] // nil for a Router inside another one, whose matcher has its endpoints
	around   *endpoint              // what a Router inside another one is mounted by
	standard []step                 // the Router's standard middleware
	notFound *endpoint
	denied   handler // for cross-origin requests
	names    map[string]*routetree.Route
	assets   map[string]*asset // public files, by path below public/
	views    *pages.Views
	above    *pattern.Pattern // the prefix that the Router is mounted at, also for what matches nothing
	maxBody  int64            // where nothing else is said
	infos    []RouteInfo
	pool     sync.Pool // of *exchange
}

// A compiler holds the registrations against the tree.
type compiler struct {
	router   *Router
	tree     *routetree.Tree
	byPath   map[string]*routetree.Route
	byStem   map[string][]*routetree.Route
	uses     []use
	dirs     map[string][]use
	bindings map[*routetree.Route]*binding
	mounts   []*Mounted
	inside   map[*Mounted]*compiler // of the Routers among them
	table    *table
	faults   []fault.Fault
	// namesMissing: a function of With was not called, so that labels are unknown.
	namesMissing bool
}

// compile closes the registrations of a Router and turns them and its tree into its
// table, together with those of the Routers inside it.
func compile(r *Router) *table {
	c := newCompiler(r)
	trie := &match.Trie[endpoint]{}
	c.finish(trie)
	if t := c.table; t.err == nil {
		t.matcher = match.Compile(trie, t.answer, t.miss)
	}
	r.table.Store(c.table)
	return c.table
}

// newCompiler collects what is registered and how it is called. Names go both ways
// between a Router and those inside it, so that all are known before any is used.
func newCompiler(r *Router) *compiler {
	r.building.Store(true)
	if r.tree == nil { // a Router that New did not make
		r.tree = routetree.Read(nil, nil)
	}
	r.tree = r.tree.Below(r.prefix())
	c := &compiler{
		router:   r,
		tree:     r.tree,
		byPath:   map[string]*routetree.Route{},
		byStem:   map[string][]*routetree.Route{},
		dirs:     map[string][]use{},
		bindings: map[*routetree.Route]*binding{},
		inside:   map[*Mounted]*compiler{},
		table:    newTable(r),
		faults:   slices.Clone(r.tree.Faults),
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
	r.own.close() // now, since what With runs may have the Router too
	c.readMounts()
	if r.tree.Missing { // every path would be unknown, which is not the fault
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

// finish makes the table, with those of the Routers inside, and puts the endpoints of
// all into the trie.
func (c *compiler) finish(trie *match.Trie[endpoint]) {
	r := c.router
	if r.tree.Missing {
		for _, m := range c.mounts {
			if m.inner != nil { // it may have faults, too
				c.finishInner(m, &match.Trie[endpoint]{}, nil)
			}
		}
	} else {
		c.build(trie)
	}
	c.table.err = fault.Join(c.faults)
	r.building.Store(false)
	if r.app != nil {
		r.app.first.CompareAndSwap(nil, r)
	}
}

func (c *compiler) build(trie *match.Trie[endpoint]) {
	if r := c.router; r.MaxBody < 0 {
		c.faults = append(c.faults, fault.Fault{Text: fmt.Sprintf("Router.MaxBody is %d: give a number of bytes, or 0 for %d", r.MaxBody, defaultMaxBody)})
	}
	c.readAssets()
	c.readViews()
	c.fill(trie)
	c.listRoutes()
}

func (c *compiler) fault(pos fault.Position, format string, args ...any) {
	c.faults = append(c.faults, fault.At(pos, format, args...))
}

// readViews makes the templates ready.
func (c *compiler) readViews() {
	c.table.views = &pages.Views{}
	if c.router.inDev() {
		return // they are read for each request
	}
	texts, faults := pages.Read(c.tree)
	views, more := pages.Make(c.tree, texts, c.table.host(c.namesMissing))
	c.table.views = views
	c.faults = append(append(c.faults, faults...), more...)
}

// readNames collects labels and automatic names.
func (c *compiler) readNames() {
	names, labelled := c.table.names, map[string]fault.Position{}
	for stem, routes := range c.byStem {
		if len(routes) == 1 {
			names[stem] = routes[0]
		}
	}
	for _, r := range c.tree.Routes {
		for _, v := range c.bindings[r].begun {
			if v.label == "" {
				continue
			}
			owner, taken := names[v.label]
			switch first, byLabel := labelled[v.label]; {
			case taken && owner != r && byLabel:
				c.fault(v.named, "Name: %q is the name of %s already, given at %v: call this one otherwise", v.label, owner.File, first)
			case taken && owner != r:
				c.fault(v.named, "Name: %q is the automatic name of %s: call this one otherwise", v.label, owner.File)
			default:
				names[v.label], labelled[v.label] = r, v.named
			}
		}
	}
	c.readMountedNames()
}

// steps constructs middleware at one place.
func (c *compiler) steps(uses []use) []step {
	steps := make([]step, 0, len(uses))
	for _, u := range uses {
		if u.guard != nil {
			steps = append(steps, step{guard: u.guard})
			continue
		}
		p := &place{router: c.router}
		if err := p.construct(u.standard); err != nil {
			c.fault(u.pos, "Use: %v", err)
		}
		steps = append(steps, step{place: p})
	}
	return steps
}

func (p *place) construct(middleware func(http.Handler) http.Handler) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the middleware panicked when it was constructed: %v", v)
		}
	}()
	if p.handler = middleware(p); forms.IsNil(p.handler) {
		return fmt.Errorf("the middleware returned a nil handler")
	}
	return nil
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
	t.denied = handler{std: c.router.CrossOrigin.Handler(http.HandlerFunc(forbidden))}

	dirs := map[string][]step{}
	for dir, uses := range c.dirs {
		dirs[dir] = c.steps(uses)
	}
	for _, r := range c.tree.Routes {
		steps := slices.Clip(outer)
		for _, dir := range routetree.Layers(r.Path) {
			steps = append(steps, dirs[dir]...)
		}
		c.addRoute(trie, r, append(steps, c.steps(c.bindings[r].uses)...))
	}
	for _, name := range slices.Sorted(maps.Keys(t.assets)) {
		a := t.assets[name]
		c.addPublic(trie, a.file, a.pattern, a.serves)
	}
	for _, m := range c.mounts {
		c.addMount(trie, m, slices.Concat(outer, dirs[""], c.steps(m.uses)))
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

// forbidden is never reached, unless an origin becomes trusted between the check
// that refused a request and the answer.
func forbidden(w http.ResponseWriter, r *http.Request) {
	http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
}

// addRoute adds a route's handlers, whose chain down to the file is steps.
func (c *compiler) addRoute(trie *match.Trie[endpoint], r *routetree.Route, steps []step) {
	b := c.bindings[r]
	chains := make([][]step, len(b.verbs))
	for i, v := range b.verbs {
		chains[i] = append(slices.Clip(steps), c.steps(v.uses)...)
	}
	o := &owner{r.File, r, standardOnly(steps)}
	page := handler{flow: plainPage}
	if b.servesPage(r) {
		page = c.renderOnce(r, hasGuard(steps), page)
	}
	for _, p := range r.Patterns {
		l := trie.Leaf(p)
		for i, v := range b.verbs {
			l.Set(v.method, c.endpoint(o, p, v.method, chains[i], *v.handler, v.maxBody))
		}
		if b.servesPage(r) {
			l.Set(http.MethodGet, c.endpoint(o, p, http.MethodGet, steps, page, 0))
		}
	}
}

// servesPage reports whether the page of r is served without a handler.
func (b *binding) servesPage(r *routetree.Route) bool {
	return r.Page && !r.Store && b.verb(http.MethodGet) == nil && b.verb(match.AnyMethod) == nil
}

func plainPage(*Request) (Response, error) { return Page(nil), nil }

// renderOnce returns the handler of a page that is the same for all requests:
// what it renders to. Nobody but the client keeps what a guard has let through.
func (c *compiler) renderOnce(r *routetree.Route, guarded bool, otherwise handler) handler {
	v := c.table.views.View(r.Path)
	if v == nil || !v.IsFixed() || c.namesMissing {
		return otherwise
	}
	html, err := v.Render(nil, "", nil)
	if err != nil {
		c.faults = append(c.faults, pages.Fault(r.File, err))
		return otherwise
	}
	cache := revalidate
	if guarded {
		cache = privately
	}
	return handler{content: public.New(htmlType[0], []byte(html)), cache: cache}
}

func hasGuard(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.guard != nil })
}

func (c *compiler) endpoint(o *owner, p *pattern.Pattern, method string, steps []step, h handler, maxBody int64) *endpoint {
	t := c.table
	// What is mounted may be asked with the Request of the Router around it in the
	// context, where From would find that one.
	pure := t.around == nil && h.std == nil && !slices.ContainsFunc(steps, func(s step) bool { return s.place != nil })
	return &endpoint{
		table:          t,
		owner:          o,
		pattern:        strings.TrimPrefix(method+" "+p.String(), match.AnyMethod+" "),
		path:           p,
		steps:          steps,
		handler:        h,
		maxBody:        t.limit(maxBody),
		pure:           pure,
		direct:         h.flow != nil && pure && len(steps) == 0,
		setsPathValues: !pure && len(p.Names) > 0,
		keepsBody:      h.flow != nil || hasGuard(steps) || t.guarded(),
		around:         t.around,
	}
}

// unmatched returns an endpoint for a request that no route answers.
func (t *table) unmatched(steps []step, r *routetree.Route, h handler) *endpoint {
	pure := t.around == nil && h.flow != nil && len(steps) == 0
	return &endpoint{table: t, owner: &owner{route: r}, path: t.above, steps: steps, handler: h, maxBody: t.limit(0), pure: pure, keepsBody: t.guarded(), miss: true, around: t.around}
}

// limit returns how large a body may be, in bytes. Each mount may lower it.
func (t *table) limit(own int64) int64 {
	limit := cmp.Or(own, t.maxBody)
	for e := t.around; e != nil; e = e.around {
		if e.maxBody > 0 {
			limit = min(limit, e.maxBody)
		}
	}
	return limit
}

// guarded reports whether there is a guard in a Router around, which may want a body.
func (t *table) guarded() bool {
	for e := t.around; e != nil; e = e.around {
		if hasGuard(e.steps) {
			return true
		}
	}
	return false
}
