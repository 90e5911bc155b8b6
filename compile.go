package flow

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/julienschmidt/httprouter"
)

// A table is an application compiled: the tree and its registrations, ready to
// match and to answer. It does not change.
type table struct {
	err      error // every fault; a table that has some answers 500 to everything
	root     *node
	trees    []*httprouter.Router
	standard []step // the Router's standard middleware
	notFound *endpoint
	denied   *endpoint // for cross-origin requests
	names    map[string]*route
	assets   map[string]*asset // public files, by path below public/
	views    *views
	above    *shape // the prefix that the Router is mounted at, also for what matches nothing
	outer    *table // of the Router that this one is inside, or nil
	maxBody  int64  // where nothing else is said
	infos    []RouteInfo
	pool     sync.Pool // of *exchange
}

// A compiler holds the registrations against the tree.
type compiler struct {
	router   *Router
	tree     *tree
	byPath   map[string]*route
	byStem   map[string][]*route
	uses     []use
	dirs     map[string][]use
	bindings map[*route]*binding
	mounts   []*Mounted
	inside   map[*Mounted]*compiler // of the Routers among them
	table    *table
	faults   []fault
	// namesMissing: a function of With was not called, so that labels are unknown.
	namesMissing bool
}

// compile closes the registrations of a Router and turns them and its tree into its
// table, together with those of the Routers inside it.
func compile(r *Router) *table {
	c := newCompiler(r)
	c.finish()
	return c.table
}

// newCompiler collects what is registered and how it is called. Names go both ways
// between a Router and those inside it, so that all are known before any is used.
func newCompiler(r *Router) *compiler {
	r.building.Store(true)
	if r.tree == nil { // a Router that New did not make
		r.tree = readTree(nil, nil)
	}
	r.tree.mount(r.prefix())
	c := &compiler{
		router:   r,
		tree:     r.tree,
		byPath:   r.tree.byPath(),
		byStem:   r.tree.byStem(),
		dirs:     map[string][]use{},
		bindings: map[*route]*binding{},
		inside:   map[*Mounted]*compiler{},
		table:    newTable(r),
		faults:   slices.Clone(r.tree.faults),
	}
	for _, route := range r.tree.routes {
		c.bindings[route] = &binding{}
	}
	if r.app != nil && !r.tree.missing {
		r.app.statics.close()
		c.staticUses(&r.app.statics)
		c.add(&r.app.statics)
		given := c.runWiths(r.app.statics.withs)
		c.add(given)
	}
	r.own.close() // now, since what With runs may have the Router too
	c.readMounts()
	if r.tree.missing { // every path would be unknown, which is not the fault
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
		root:    &node{},
		names:   map[string]*route{},
		above:   newShape("", nil, r.tree.prefix),
		maxBody: cmp.Or(r.MaxBody, defaultMaxBody),
	}
	t.pool.New = func() any {
		x := &exchange{router: r}
		x.req.x = x
		return x
	}
	return t
}

// finish makes the table, after those of the Routers inside.
func (c *compiler) finish() {
	r := c.router
	for _, m := range c.mounts {
		if m.inner != nil {
			c.finishInner(m)
		}
	}
	if !r.tree.missing {
		c.build()
	}
	if c.table.err = joinFaults(c.faults); c.table.err == nil {
		c.table.trees = dealTrees(c.table.root, c.methods())
	}
	r.table.Store(c.table)
	r.building.Store(false)
	if r.app != nil {
		r.app.first.CompareAndSwap(nil, r)
	}
}

func (c *compiler) build() {
	if r := c.router; r.MaxBody < 0 {
		c.faults = append(c.faults, fault{text: fmt.Sprintf("Router.MaxBody is %d: give a number of bytes, or 0 for %d", r.MaxBody, defaultMaxBody)})
	}
	c.readAssets()
	c.readViews()
	c.buildTrie()
	c.listRoutes()
}

func (c *compiler) fault(pos position, format string, args ...any) {
	c.faults = append(c.faults, faultAt(pos, format, args...))
}

// readViews makes the templates ready.
func (c *compiler) readViews() {
	c.table.views = &views{}
	if c.router.inDev() {
		return // they are read for each request
	}
	l := newLibrary(c.router.Funcs, c.table)
	if c.namesMissing {
		l.names = nil
	}
	texts, faults := readTemplates(c.tree)
	l.parseAll(texts)
	c.table.views = l.views(c.tree)
	c.faults = append(append(c.faults, faults...), l.faults...)
}

// readNames collects labels and automatic names.
func (c *compiler) readNames() {
	names, labelled := c.table.names, map[string]position{}
	for stem, routes := range c.byStem {
		if len(routes) == 1 {
			names[stem] = routes[0]
		}
	}
	for _, r := range c.tree.routes {
		for _, v := range c.bindings[r].begun {
			if v.label == "" {
				continue
			}
			owner, taken := names[v.label]
			switch first, byLabel := labelled[v.label]; {
			case taken && owner != r && byLabel:
				c.fault(v.named, "Name: %q is the name of %s already, given at %v: call this one otherwise", v.label, owner.file, first)
			case taken && owner != r:
				c.fault(v.named, "Name: %q is the automatic name of %s: call this one otherwise", v.label, owner.file)
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
	if p.handler = middleware(p); isNil(p.handler) {
		return fmt.Errorf("the middleware returned a nil handler")
	}
	return nil
}

func standardOnly(steps []step) []step {
	return slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.guard != nil })
}

// buildTrie compiles every handler with its chain and puts it into the trie.
func (c *compiler) buildTrie() {
	t := c.table
	outer := c.steps(c.uses)
	t.standard = standardOnly(outer)
	t.notFound = t.unmatched(t.standard, nil, handler{flow: func(*Request) (Response, error) { return Fail(http.StatusNotFound, ""), nil }})
	t.denied = t.unmatched(t.standard, nil, handler{std: c.router.CrossOrigin.Handler(http.HandlerFunc(forbidden))})

	dirs := map[string][]step{}
	for dir, uses := range c.dirs {
		dirs[dir] = c.steps(uses)
	}
	for _, r := range c.tree.routes {
		steps := slices.Clip(outer)
		for _, dir := range r.layers() {
			steps = append(steps, dirs[dir]...)
		}
		c.addRoute(r, append(steps, c.steps(c.bindings[r].uses)...))
	}
	for _, name := range sortedKeys(t.assets) {
		c.addPublic(t.assets[name].shape, t.assets[name].serves)
	}
	for _, m := range c.mounts {
		c.addMount(m, slices.Concat(outer, dirs[""], c.steps(m.uses)))
	}
	for _, name := range sortedKeys(t.assets) {
		a := t.assets[name]
		if a.hashed == nil {
			continue
		}
		if other := t.root.leafOf(a.hashed).methods[http.MethodGet]; other != nil {
			c.faults = append(c.faults, faultIn(other.shape.file, "it answers %s, which is the hashed URL of %s: rename it", sampleURL(a.hashed.segments), a.shape.file))
		}
		c.addPublic(a.hashed, a.forever)
	}
	t.root.eachLeaf(func(l *leaf) {
		if e := l.methods[http.MethodGet]; e != nil && l.methods[http.MethodHead] == nil {
			l.methods[http.MethodHead] = e
		}
	})
}

func (c *compiler) addPublic(s *shape, h handler) {
	t := c.table
	l := t.root.leafOf(s)
	l.methods[http.MethodGet] = c.endpoint(s, http.MethodGet, t.standard, h, 0)
	l.standard = append(l.standard, fileSteps{nil, t.standard})
}

// forbidden is never reached, unless an origin becomes trusted between the check
// that refused a request and the answer.
func forbidden(w http.ResponseWriter, r *http.Request) {
	http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
}

// addRoute adds a route's handlers, whose chain down to the file is steps.
func (c *compiler) addRoute(r *route, steps []step) {
	b := c.bindings[r]
	chains := make([][]step, len(b.verbs))
	for i, v := range b.verbs {
		chains[i] = append(slices.Clip(steps), c.steps(v.uses)...)
	}
	standard := fileSteps{r, standardOnly(steps)}
	page := handler{flow: plainPage}
	if b.servesPage(r) {
		page = c.renderOnce(r, hasGuard(steps), page)
	}
	for _, s := range r.shapes {
		l := c.table.root.leafOf(s)
		if r.store {
			l.standard = append(l.standard, standard)
		} else {
			l.standard = slices.Insert(l.standard, 0, standard)
		}
		for i, v := range b.verbs {
			e := c.endpoint(s, v.method, chains[i], *v.handler, v.maxBody)
			if v.method == anyMethod {
				l.any = e
			} else {
				l.methods[v.method] = e
			}
		}
		if b.servesPage(r) {
			l.methods[http.MethodGet] = c.endpoint(s, http.MethodGet, steps, page, 0)
		}
	}
}

// servesPage reports whether the page of r is served without a handler.
func (b *binding) servesPage(r *route) bool {
	return r.page && !r.store && b.verb(http.MethodGet) == nil && b.verb(anyMethod) == nil
}

func plainPage(*Request) (Response, error) { return Page(nil), nil }

// renderOnce returns the handler of a page that is the same for all requests:
// what it renders to. Nobody but the client keeps what a guard has let through.
func (c *compiler) renderOnce(r *route, guarded bool, otherwise handler) handler {
	v := c.table.views.byName[r.path]
	if v == nil || !v.fixed || c.namesMissing {
		return otherwise
	}
	html, err := v.render(nil, "", nil)
	if err != nil {
		c.faults = append(c.faults, templateFault(r.file, err))
		return otherwise
	}
	cache := revalidate
	if guarded {
		cache = privately
	}
	return handler{content: newContent(htmlType[0], newForm(codingIdentity, []byte(html))), cache: cache}
}

func hasGuard(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.guard != nil })
}

func (c *compiler) endpoint(s *shape, method string, steps []step, h handler, maxBody int64) *endpoint {
	// What is mounted may be asked with the Request of the Router around it in the
	// context, where From would find that one.
	pure := c.router.outer() == nil && h.std == nil && !slices.ContainsFunc(steps, func(s step) bool { return s.place != nil })
	return &endpoint{
		pattern:        strings.TrimPrefix(method+" "+s.pattern(), anyMethod+" "),
		shape:          s,
		route:          s.route,
		steps:          steps,
		handler:        h,
		maxBody:        cmp.Or(maxBody, c.table.maxBody),
		pure:           pure,
		direct:         h.flow != nil && pure && len(steps) == 0,
		setsPathValues: !pure && len(s.names) > 0,
		keepsBody:      h.flow != nil || hasGuard(steps),
	}
}

// unmatched returns an endpoint for a request that no route answers.
func (t *table) unmatched(steps []step, r *route, h handler) *endpoint {
	return &endpoint{shape: t.above, route: r, steps: steps, handler: h, maxBody: t.maxBody, pure: h.flow != nil && len(steps) == 0, miss: true}
}

// methods returns the methods that are dealt into trees, the most common first:
// httprouter finds the one that it was told first a little faster. Other methods
// reach an ANY through the trie.
func (c *compiler) methods() []string {
	methods := map[string]bool{}
	c.table.root.eachLeaf(func(l *leaf) {
		for method := range l.methods {
			methods[method] = true
		}
		if l.any != nil {
			for _, method := range standardMethods {
				methods[method] = true
			}
		}
	})
	return slices.SortedFunc(maps.Keys(methods), compareMethods)
}

func (n *node) eachLeaf(f func(*leaf)) {
	for _, l := range []*leaf{n.own, n.rest} {
		if l != nil {
			f(l)
		}
	}
	for _, child := range n.literals {
		child.eachLeaf(f)
	}
	if n.param != nil {
		n.param.eachLeaf(f)
	}
}
