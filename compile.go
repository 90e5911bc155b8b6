package flow

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/check/examples"
	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/logging"
	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/site"
)

// A table is the compiled form of a Router: its tree and its registrations, ready to match
// and to answer requests. It does not change once the Router serves.
type table struct {
	err      error // all faults; if it is not nil, every request is answered with 500
	warnings error // all warnings
	settings settings
	matcher  *match.Table[endpoint] // nil for a mounted Router, whose endpoints are in that of the outermost Router
	site     *site.Map              // of the outermost Router; nil for a mounted one
	around   *endpoint              // the endpoint that mounts the Router; nil if it is not mounted
	standard []step                 // the standard middleware of Router.Use
	notFound *endpoint
	denied   handler // answers requests from other origins
	names    map[string]*routetree.Route
	// Faults that are reported may keep names out of names. These are the ones in misplaced,
	// and any other if namesMissing is set. To use one of them is not reported as another fault.
	misplaced    map[string]bool
	namesMissing bool
	assets       map[string]*asset     // public files, by path below public/
	listed       map[string]listedPage // the pages that lists have, by path; nil if the Router has no formats
	views        *templates.Views
	checked      *pages.Checked                  // the views with what checks find; nil once forgetViews was called
	bare         map[string]bool                 // the pages without a handler, by path: nothing renders them but GET
	onErrors     *routetree.Nearest[onErrorFunc] // the functions of Dir.OnError; nil if there are none
	data         map[string][]templates.Data     // the types of the data of templates, by what View takes
	dir          string                          // of the static calls; "" for a Router of a test
	mountPrefix  *pattern.Pattern                // the prefix that the Router is mounted at; it is also the path of endpoints for requests without a route
	maxBody      int64                           // in bytes, for routes that set none
	routes       []*endpoint                     // of route files and of mounted handlers that are no Routers
	infos        func() []RouteInfo              // the list of Routes, made when it is first asked for
	compiler     *compiler                       // that has made the table; nil unless in development, or for the command routes -explain
	pool         sync.Pool                       // of *exchange
}

// newTable returns a table that has what does not depend on registrations.
func newTable(r *Router) *table {
	t := &table{
		dir:         r.app.source(),
		settings:    settings{crossOrigin: &r.CrossOrigin, dev: r.dev},
		names:       map[string]*routetree.Route{},
		misplaced:   map[string]bool{},
		infos:       sync.OnceValue(func() []RouteInfo { return r.listRoutes(guardNames{}) }),
		views:       &templates.Views{},
		checked:     pages.New(&templates.Views{}, pages.Application{}, nil),
		bare:        map[string]bool{},
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

// limit returns the largest body in bytes: own or, if that is 0, the limit of the table.
// The limits of the mounts around the Router may lower it.
func (t *table) limit(own int64) int64 {
	limit := cmp.Or(own, t.maxBody)
	for e := t.around; e != nil; e = e.around {
		if e.maxBody > 0 {
			limit = min(limit, e.maxBody)
		}
	}
	return limit
}

// guarded reports whether a guard of a Router around this one runs first. It may ask for the
// body.
func (t *table) guarded() bool {
	for e := t.around; e != nil; e = e.around {
		if hasGuard(e.steps) {
			return true
		}
	}
	return false
}

// A compiler makes the table of a Router from its tree and its registrations, and collects
// the faults.
type compiler struct {
	router *Router
	tree   *routetree.Tree
	plan   *plan
	trie   *match.Trie[endpoint]  // gets the endpoints; that of a mounted Router is a part of the one around it
	mounts []*Mounted             // those without faults
	inside map[*Mounted]*compiler // the compilers of mounted Routers
	table  *table
	// standard has the standard middleware that is constructed.
	standard map[*use]*stdMiddleware
	faults   []fault.Fault // of this Router alone: see allFaults
	// inspected are the inputs of handlers whose mistakes are reported.
	inspected map[reflect.Type]bool
	types     examples.Types // whose methods JSONSchema were asked
	described []*site.Description
	errorDirs map[string]bool // the directories that have an OnError
	fixed     []fixedRoute    // the routes whose pages renderFixed renders
	// routesMissing: a fault may keep routes out of the trie. Then links are not checked, since a
	// right one could look dead.
	routesMissing bool
}

// compile closes the registrations of a Router, and makes its table and those of the Routers mounted
// inside it. These are all passes of the compilation, in their order; each is in the file of its noun.
func compile(r *Router) *table {
	c := newCompiler(r)
	c.checkDirectories()
	c.checkPlans()

	// A Router is built before those inside it: it gives them names, and places in its trie.
	c.trie = &match.Trie[endpoint]{}
	all := c.withMounted()
	for _, c := range all {
		if c.tree.Missing {
			c.placeOutsideOfTries()
			continue
		}
		c.checkMaxBody()
		c.readMatchers()
		c.readAssets()
		c.readPolicy()
		c.readPageData()
		c.readListed()
		c.readViews()
		c.addRoutes()
		c.addPublic()
		c.addMounts()
		c.addHashed()
		c.checkGuards()
	}

	// All endpoints are known: these passes ask which of them answers a URL.
	routes := site.NewMap(c.trie, (*endpoint).asRoute)
	c.table.site = routes
	linksAreKnown := !slices.ContainsFunc(all, func(c *compiler) bool { return c.routesMissing })
	for _, c := range all {
		c.describeRoutes()
		var broken []fault.Fault
		if linksAreKnown {
			broken = linkFaults(c.table.checked, c.tree, routes)
		}
		c.forgetViews()
		c.renderFixed()
		c.faults = append(c.faults, broken...)
	}
	if fault.Join(c.allFaults()) != nil {
		c.addExampleFaults(nil)
		c.addDiskFaults()
	} else {
		c.addExampleFaults(routes)
	}
	keeps := r.keepsCompiler || len(r.inDev()) > 0
	for _, c := range all {
		if keeps {
			c.table.compiler = c
		}
		faults := c.allFaults()
		c.table.err, c.table.warnings = fault.Join(faults), fault.Warnings(faults)
	}
	if t := c.table; t.err == nil {
		t.matcher = match.Compile(c.trie, onHit(), t.miss)
	}
	for _, c := range all { // now that the tables are complete: another goroutine may have asked a mounted Router for its own
		c.publish()
	}
	return c.table
}

// publish ends the compilation of the Router: from now on it has its table.
func (c *compiler) publish() {
	r := c.router
	r.own.Release()
	r.table.Store(c.table)
	r.building.Store(false)
	if r.app != nil {
		r.app.first.CompareAndSwap(nil, r)
	}
}

// newCompiler collects the registrations and the names of a Router, and of the Routers
// mounted inside it. Names are used only when all of them are there, since each Router may use names of the
// others.
func newCompiler(r *Router) *compiler {
	r.building.Store(true)
	if r.tree == nil { // a Router that New did not make
		r.tree = &routetree.Tree{}
	}
	var faults []fault.Fault
	r.tree, faults = r.parse()
	c := &compiler{
		router:    r,
		tree:      r.tree,
		plan:      registry.NewPlan[handler, middleware](r.tree, r.app.source()),
		inside:    map[*Mounted]*compiler{},
		standard:  map[*use]*stdMiddleware{},
		table:     newTable(r),
		inspected: map[reflect.Type]bool{},
		faults:    append(faults, r.tree.Faults...),
	}
	if r.app != nil && !r.tree.Missing {
		c.plan.AddStatic(&r.app.statics, r.provided)
	}
	r.own.Close() // only now, since functions of With may register with the Router
	c.readMounts()
	if r.tree.Missing { // there is one fault, that of the tree; without this, each registration would be one for its unknown path
		c.table.namesMissing = true
		return c
	}
	c.plan.Add(&r.own)
	c.plan.Check()
	c.readOnErrors()
	c.table.names = c.plan.Names()
	c.faults = append(c.faults, c.plan.Faults...)
	c.table.misplaced = c.plan.Misplaced
	c.table.namesMissing = c.table.namesMissing || c.plan.NamesMissing
	c.readMountedNames()
	return c
}

// allFaults returns the faults of the Router and of those mounted inside it.
func (c *compiler) allFaults() []fault.Fault {
	all := slices.Clone(c.faults)
	for _, m := range c.mounts {
		if m.inner == nil {
			continue
		}
		for _, f := range c.inside[m].allFaults() {
			f.Text = fmt.Sprintf("Mount(%q): %s", m.text, f.Text)
			all = append(all, f)
		}
	}
	return all
}

// checkMaxBody reports a limit that cannot be one.
func (c *compiler) checkMaxBody() {
	if r := c.router; r.MaxBody < 0 {
		c.faults = append(c.faults, fault.Fault{Text: fmt.Sprintf("Router.MaxBody is %d: give a number of bytes, or 0 for %d", r.MaxBody, defaultMaxBody)})
	}
}

// readMatchers finds the matchers that the names of files ask for. If anything is wrong by now, routes may
// be missing.
func (c *compiler) readMatchers() {
	c.faults = append(c.faults, c.tree.SetMatchers(c.router.Matchers, c.router.matcherPanicked)...)
	c.routesMissing = c.routesMissing || fault.Join(c.faults) != nil
}

// matcherPanicked logs a panic of a matcher. There is no exchange to log it with: the
// request has no endpoint yet.
func (r *Router) matcherPanicked(name string, v any) {
	r.logger().Error("flow: a matcher has panicked, and its value does not match; this is said once", "matcher", name, "error", fmt.Sprint(v), "stack", string(debug.Stack()))
}

// fault adds a fault at the position of a registration.
func (c *compiler) fault(pos fault.Position, format string, args ...any) {
	c.faults = append(c.faults, fault.At(pos, format, args...))
}

// addRoutes makes the endpoints of routes, and what answers where no route does.
func (c *compiler) addRoutes() {
	t := c.table
	t.standard = standardOnly(c.steps(c.plan.Uses))
	t.notFound = t.unmatched(t.standard, nil, handler{flow: notFound})
	t.denied = handler{std: c.router.CrossOrigin.Handler(http.HandlerFunc(t.denyOrigin))}
	for _, r := range c.tree.Routes {
		c.addRoute(r)
	}
}

// addRoute adds the endpoints of a route to the trie.
func (c *compiler) addRoute(r *routetree.Route) {
	o := &owner{r.File, r, standardOnly(c.steps(c.plan.Before(r)))}
	answers := c.plan.Answers(r)
	chains, handlers := make([][]step, len(answers)), make([]handler, len(answers))
	for i, a := range answers {
		chains[i] = c.steps(a.Before)
		if a.Verb.Handler != nil {
			handlers[i] = c.handlerOf(r, a.Verb)
		} else {
			handlers[i] = handler{flow: plainPage}
		}
	}
	if r.Page && !slices.ContainsFunc(answers, func(a answer) bool { return a.Verb.Handler != nil }) {
		c.table.bare[r.Path] = true
	}
	var plain []*endpoint
	for _, p := range r.Patterns {
		l := c.trie.Leaf(p)
		for i, a := range answers {
			e := c.table.endpoint(o, p, a.Verb.Method, chains[i], handlers[i], a.Verb.MaxBody)
			e.name = a.Name
			l.Set(a.Verb.Method, e)
			c.table.routes = append(c.table.routes, e)
			if a.Verb.Handler == nil {
				plain = append(plain, e)
			}
		}
	}
	needed := c.neededBy(r, c.table.checked)
	if len(plain) > 0 && c.isFixed(r) {
		c.fixed = append(c.fixed, fixedRoute{r, needed, plain})
	} else {
		c.checkData(r, needed, nil)
	}
}

// steps returns the steps of middleware. Standard middleware is constructed for the first chain
// that it is in.
func (c *compiler) steps(uses []*use) []step {
	steps := make([]step, len(uses))
	for i, u := range uses {
		steps[i].guard, steps[i].pc = u.Middleware.guard, u.Middleware.pc
		if steps[i].guard != nil {
			continue
		}
		if c.standard[u] == nil {
			c.standard[u] = c.stdMiddleware(u)
		}
		steps[i].std = c.standard[u]
		steps[i].std.step = i
	}
	return steps
}

// standardOnly returns the steps that are standard middleware.
func standardOnly(steps []step) []step {
	return slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.guard != nil })
}

// handlerOf returns the handler of a verb of a route, and reports what its types do not fit.
func (c *compiler) handlerOf(r *routetree.Route, v *verb) handler {
	h := *v.Handler
	h.status, h.typed = v.Code, c.typedOf(r, v)
	if d, ok := h.std.(*site.Describer); ok {
		h.std = c.describe(r, v, d)
	}
	if v.Code != 0 {
		if err := h.typed.signature().CheckStatus(v.Code); err != nil {
			c.fault(v.Pos, "%s: %v", v.Call(), err)
		}
	}
	if h.typed != nil {
		if out := h.typed.Data; out != nil && !r.Page {
			if why := reply.Unsendable(out, responseType); why != "" {
				c.fault(h.pos, "the handler returns %v as its data, and %s", out, why)
			}
		}
		c.checkInput(r, h)
		if !r.Page {
			for _, wrong := range c.types.Faults(h.typed.shape(v.Code)) {
				c.fault(h.pos, "the handler has a type whose schema cannot be made: %s", wrong)
			}
		}
		h.flow = h.typed.flow(r.Page, v.Code)
	}
	return h
}

// checkInput reports the mistakes in the type of a handler's input, once for each type, and those in its
// fields for parameters of the route.
func (c *compiler) checkInput(r *routetree.Route, h handler) {
	t := h.typed.Bound
	if t == nil {
		return
	}
	found := inputs.ParamMistakes(t, r)
	if !c.inspected[t] {
		c.inspected[t] = true
		found = slices.Concat(found, inputs.Mistakes(t), inputs.ValidateMistakes(t, invalidOf))
	}
	for _, m := range found {
		c.faults = append(c.faults, m.Fault(h.pos))
	}
}

// hasGuard reports whether a step is a guard.
func hasGuard(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.guard != nil })
}

// stdMiddleware constructs standard middleware, and adds a fault if that fails. It recognizes
// RequestID and Logger, which nearly every application uses and which do not need a context.
func (c *compiler) stdMiddleware(u *use) *stdMiddleware {
	m := &stdMiddleware{settings: &c.table.settings}
	h, err := construct(u.Middleware.standard, m)
	if err != nil {
		c.fault(u.Pos, "Use: %v", err)
	}
	m.handler, m.needsContext = h, true
	switch h := h.(type) { // if Next is not m, it is other middleware, which may need a context
	case *logging.Identified:
		m.needsContext = h.Next != http.Handler(m)
	case *logging.Logged:
		m.needsContext, m.log = h.Next != http.Handler(m), h
	}
	return m
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

// endpoint returns the endpoint for a method of a pattern.
func (t *table) endpoint(o *owner, p *pattern.Pattern, method string, steps []step, h handler, maxBody int64) *endpoint {
	e := t.newEndpoint(o, p, steps, h, maxBody)
	e.pattern = strings.TrimPrefix(method+" "+p.String(), match.AnyMethod+" ")
	e.safe = method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
	return e
}

// unmatched returns an endpoint for a request without a route. The error page is the one
// nearest to r or, if r is nil, to the URL of the request.
func (t *table) unmatched(steps []step, r *routetree.Route, h handler) *endpoint {
	e := t.newEndpoint(&owner{route: r}, t.mountPrefix, steps, h, 0)
	e.miss, e.keepsBody = true, t.guarded()
	return e
}

// newEndpoint returns an endpoint for a path.
func (t *table) newEndpoint(o *owner, p *pattern.Pattern, steps []step, h handler, maxBody int64) *endpoint {
	e := &endpoint{table: t, owner: o, path: p, steps: steps, maxBody: t.limit(maxBody), around: t.around}
	e.answerBy(h)
	return e
}

// answerBy sets the handler of the endpoint, and what depends on it.
func (e *endpoint) answerBy(h handler) {
	e.handler = h
	e.way = e.table.way(e.steps, h)
	e.keepsBody = h.flow != nil || hasGuard(e.steps) || e.table.guarded()
	e.asksFiles = h.typed.isForm() && h.typed.takesFiles()
}

// way returns the way of an endpoint with these steps and this handler. It is always
// wayRetained for a mounted Router: From must not find the Request of the Router around it.
func (t *table) way(steps []step, h handler) way {
	uses := func(is func(*stdMiddleware) bool) bool {
		return slices.ContainsFunc(steps, func(s step) bool { return s.std != nil && is(s.std) })
	}
	switch {
	case t.around != nil, h.std != nil, uses(func(m *stdMiddleware) bool { return m.needsContext }):
		return wayRetained
	case uses(func(m *stdMiddleware) bool { return m.log != nil }):
		return wayLogged
	case len(steps) > 0:
		return wayPooled
	case h.content != nil:
		return wayFixed
	}
	return wayDirect
}
