package flow

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/forms"
	"example.com/flow/internal/logging"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pages"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/registry"
	"example.com/flow/internal/routetree"
)

// A table is an application compiled: the tree and its registrations, ready to
// match and to answer. It does not change.
type table struct {
	err      error // every fault; a table that has some answers 500 to everything
	warnings error // every warning
	settings settings
	matcher  *match.Table[endpoint] // nil for a Router inside another one, whose matcher has its endpoints
	around   *endpoint              // the endpoint that mounts the Router inside another one; nil if it is not mounted
	standard []step                 // the Router's standard middleware
	notFound *endpoint
	denied   handler // for cross-origin requests
	names    map[string]*routetree.Route
	// Some names are not known because of faults that are reported: misplaced, and any
	// others if namesMissing is set.
	misplaced    map[string]bool
	namesMissing bool
	assets       map[string]*asset // public files, by path below public/
	views        *pages.Views
	mountPrefix  *pattern.Pattern // the prefix that the Router is mounted at; endpoints for what matches nothing have it as their path
	maxBody      int64            // in bytes, for routes that set none
	infos        []RouteInfo
	routes       *routeMap // for the route map; only in development, and for routes -explain
	pool         sync.Pool // of *exchange
}

func newTable(r *Router) *table {
	t := &table{
		settings:    r.settings(),
		names:       map[string]*routetree.Route{},
		mountPrefix: pattern.New(r.tree.Prefix),
		maxBody:     cmp.Or(r.MaxBody, defaultMaxBody),
	}
	t.pool.New = func() any {
		x := &exchange{settings: &t.settings}
		x.req.x = x
		return x
	}
	return t
}

// defaultMaxBody is the largest body, in bytes, if neither Router.MaxBody nor the
// MaxBody of a route or a mount says otherwise.
const defaultMaxBody = 10 << 20

// outermost returns the table of the outermost Router around that of t.
func (t *table) outermost() *table {
	for t.around != nil {
		t = t.around.table
	}
	return t
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

// A compiler compares the registrations of a Router with its tree, collects the faults,
// and fills the table.
type compiler struct {
	router *Router
	tree   *routetree.Tree
	plan   *plan
	mounts []*Mounted
	inside map[*Mounted]*compiler // the compilers of the Routers among the mounts
	table  *table
	faults []fault.Fault
}

// compile closes the registrations of a Router and turns them and its tree into its
// table, together with those of the Routers inside it.
func compile(r *Router) *table {
	c := newCompiler(r)
	c.checkDirectories()
	trie := &match.Trie[endpoint]{}
	c.finish(trie)
	if c.table.err != nil {
		c.addDiskFaults()
	}
	if t := c.table; t.err == nil {
		t.matcher = match.Compile(trie, (*endpoint).answer, t.miss)
	}
	c.keepRouteMap()
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
		router: r,
		tree:   r.tree,
		plan:   registry.NewPlan[handler, middleware](r.tree, r.app.source()),
		inside: map[*Mounted]*compiler{},
		table:  newTable(r),
		faults: slices.Clone(r.tree.Faults),
	}
	if r.app != nil && !r.tree.Missing {
		c.plan.AddStatic(&r.app.statics, r.provided)
	}
	r.own.Close() // only now: functions of With may register with the Router, too
	c.readMounts()
	if r.tree.Missing { // each registration would be reported for its unknown path, which is not the mistake
		c.table.namesMissing = true
		return c
	}
	c.plan.Add(&r.own)
	c.plan.Check()
	c.table.names = c.plan.Names()
	c.faults = append(c.faults, c.plan.Faults...)
	c.table.misplaced = c.plan.Misplaced
	c.table.namesMissing = c.table.namesMissing || c.plan.NamesMissing
	c.readMountedNames()
	return c
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
	c.joinFaults()
	r.own.Release()
	r.building.Store(false)
	if r.app != nil {
		r.app.first.CompareAndSwap(nil, r)
	}
}

func (c *compiler) joinFaults() {
	c.table.err, c.table.warnings = fault.Join(c.faults), fault.Warnings(c.faults)
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

// matcherPanicked logs that a matcher panicked: no handler has got the request yet.
func (r *Router) matcherPanicked(name string, v any) {
	r.logger().Error("flow: a matcher has panicked, and its value does not match; this is said once", "matcher", name, "error", fmt.Sprint(v), "stack", string(debug.Stack()))
}

func (c *compiler) fault(pos fault.Position, format string, args ...any) {
	c.faults = append(c.faults, fault.At(pos, format, args...))
}

// fill compiles every handler with its chain and puts it into the trie.
func (c *compiler) fill(trie *match.Trie[endpoint]) {
	t := c.table
	outer := c.steps(c.plan.Uses)
	t.standard = standardOnly(outer)
	t.notFound = t.unmatched(t.standard, nil, handler{flow: notFound})
	t.denied = handler{std: c.router.CrossOrigin.Handler(http.HandlerFunc(c.router.deny))}

	dirs := map[*directory][]step{}
	everywhere := slices.Clip(outer) // for what is mounted
	for _, d := range c.plan.Dirs {
		dirs[d] = c.steps(d.Uses)
		if d.Path == "" {
			everywhere = append(everywhere, dirs[d]...)
		}
	}
	for _, r := range c.tree.Routes {
		steps := slices.Clip(outer)
		for _, d := range c.plan.Around(r) {
			steps = append(steps, dirs[d]...)
		}
		c.addRoute(trie, r, append(steps, c.steps(c.plan.Of(r).Uses)...))
	}
	c.addPublic(trie)
	for _, m := range c.mounts {
		c.addMount(trie, m, append(slices.Clip(everywhere), c.steps(m.uses)...))
	}
	c.addHashed(trie)
}

// addRoute adds a route's handlers, whose chain down to the file is steps.
func (c *compiler) addRoute(trie *match.Trie[endpoint], r *routetree.Route, steps []step) {
	b := c.plan.Of(r)
	chains := make([][]step, len(b.Verbs))
	for i, v := range b.Verbs {
		chains[i] = append(slices.Clip(steps), c.steps(v.Uses)...)
	}
	o := &owner{r.File, r, standardOnly(steps)}
	page, pageSteps, pageMaxBody := handler{flow: plainPage}, steps, int64(0)
	if b.Page != nil {
		pageSteps, pageMaxBody = append(slices.Clip(steps), c.steps(b.Page.Uses)...), b.Page.MaxBody
	}
	if c.checkData(r, b); b.ServesPage() {
		page = c.renderOnce(r, hasGuard(pageSteps), page)
	}
	for _, p := range r.Patterns {
		l := trie.Leaf(p)
		for i, v := range b.Verbs {
			l.Set(v.Method, c.endpoint(o, p, v.Method, chains[i], *v.Handler, v.MaxBody))
		}
		if b.ServesPage() {
			l.Set(http.MethodGet, c.endpoint(o, p, http.MethodGet, pageSteps, page, pageMaxBody))
		}
	}
}

// steps returns the steps of middleware that was registered together.
func (c *compiler) steps(uses []use) []step {
	steps := make([]step, 0, len(uses))
	for _, u := range uses {
		if u.Middleware.guard != nil {
			steps = append(steps, step{guard: u.Middleware.guard})
		} else {
			steps = append(steps, step{std: c.stdMiddleware(u)})
		}
	}
	return steps
}

func standardOnly(steps []step) []step {
	return slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.guard != nil })
}

func hasGuard(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.guard != nil })
}

// stdMiddleware constructs standard middleware, and reports what goes wrong. RequestID and Logger,
// which nearly every application has, are run without what the code of others may need.
func (c *compiler) stdMiddleware(u use) *stdMiddleware {
	p := &stdMiddleware{settings: &c.table.settings}
	h, err := construct(u.Middleware.standard, p)
	if err != nil {
		c.fault(u.Pos, "Use: %v", err)
	}
	p.handler, p.needsContext = h, true
	switch h := h.(type) { // other middleware may have called these two, around more than p
	case *logging.Identified:
		p.needsContext = h.Next != http.Handler(p)
	case *logging.Logged:
		p.needsContext, p.log = h.Next != http.Handler(p), h
	}
	return p
}

// construct calls middleware with what comes next.
func construct(middleware func(http.Handler) http.Handler, next http.Handler) (h http.Handler, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the middleware panicked when it was constructed: %v", v)
		}
	}()
	if h = middleware(next); forms.IsNil(h) {
		return nil, errors.New("the middleware returned a nil handler")
	}
	return h, nil
}

// endpoint returns the endpoint for a method of a pattern, with what net/http code among its
// steps and its handler needs.
func (c *compiler) endpoint(o *owner, p *pattern.Pattern, method string, steps []step, h handler, maxBody int64) *endpoint {
	t := c.table
	for i, s := range steps {
		if s.std != nil {
			s.std.step = i
		}
	}
	needsContext := t.needsContext(steps, h)
	poolable := !needsContext && !hasLogger(steps)
	return &endpoint{
		table:        t,
		owner:        o,
		pattern:      strings.TrimPrefix(method+" "+p.String(), match.AnyMethod+" "),
		path:         p,
		steps:        steps,
		handler:      h,
		maxBody:      t.limit(maxBody),
		poolable:     poolable,
		noMiddleware: poolable && len(steps) == 0,
		needsContext: needsContext,
		keepsBody:    h.flow != nil || hasGuard(steps) || t.guarded(),
		around:       t.around,
	}
}

// unmatched returns an endpoint for a request that no route answers.
func (t *table) unmatched(steps []step, r *routetree.Route, h handler) *endpoint {
	needsContext := t.needsContext(steps, h)
	poolable := !needsContext && !hasLogger(steps)
	return &endpoint{table: t, owner: &owner{route: r}, path: t.mountPrefix, steps: steps, handler: h, maxBody: t.limit(0), poolable: poolable, needsContext: needsContext, keepsBody: t.guarded(), miss: true, around: t.around}
}

// needsContext reports whether an endpoint with these steps and this handler runs net/http
// code that may ask for path values, or for the Request. For a mounted Router it always does:
// the context of its requests may hold the Request of the Router around it, which From must
// not find.
func (t *table) needsContext(steps []step, h handler) bool {
	return t.around != nil || h.std != nil || slices.ContainsFunc(steps, func(s step) bool { return s.std != nil && s.std.needsContext })
}

// hasLogger reports whether one of the steps is a Logger, which passes the Request to a
// slog.Handler, in its context.
func hasLogger(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.std != nil && s.std.log != nil })
}
