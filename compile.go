package flow

import (
	"cmp"
	"fmt"
	"html/template"
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
	maxBody  int64 // where nothing else is said
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
	table    *table
	faults   []fault
	// namesMissing: a function of With was not called, so that labels are unknown.
	namesMissing bool
}

// compile closes the registrations and turns them and the tree into a table.
func compile(r *Router) *table {
	if r.tree == nil { // a Router that New did not make
		r.tree = readTree(nil, nil)
	}
	c := &compiler{
		router:   r,
		tree:     r.tree,
		byPath:   r.tree.byPath(),
		byStem:   r.tree.byStem(),
		dirs:     map[string][]use{},
		bindings: map[*route]*binding{},
		table:    &table{root: &node{}, names: map[string]*route{}, maxBody: cmp.Or(r.MaxBody, defaultMaxBody)},
		faults:   slices.Clone(r.tree.faults),
	}
	if r.tree.missing { // every path would be unknown, which is not the fault
		c.table.err = joinFaults(c.faults)
		return c.table
	}
	for _, route := range r.tree.routes {
		c.bindings[route] = &binding{}
	}
	if r.app != nil {
		r.app.statics.close()
		c.staticUses(&r.app.statics)
		c.add(&r.app.statics)
		given := c.runWiths(r.app.statics.withs)
		c.add(given)
	}
	r.own.close()
	c.add(&r.own)

	if r.MaxBody < 0 {
		c.faults = append(c.faults, fault{text: fmt.Sprintf("Router.MaxBody is %d: give a number of bytes, or 0 for %d", r.MaxBody, defaultMaxBody)})
	}
	c.checkBindings()
	c.readNames()
	c.readAssets()
	c.readViews()
	c.buildTrie()
	c.listRoutes()
	if c.table.err = joinFaults(c.faults); c.table.err == nil {
		c.table.trees = dealTrees(c.table.root, c.methods())
	}
	c.table.pool.New = func() any {
		x := &exchange{router: r}
		x.req.x = x
		return x
	}
	return c.table
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
	names := c.table.names
	if c.namesMissing {
		names = nil
	}
	l := newLibrary(c.router.Funcs, template.FuncMap{"route": c.table.route, "asset": c.table.asset}, names)
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
	pure := h.std == nil && !slices.ContainsFunc(steps, func(s step) bool { return s.place != nil })
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
	return &endpoint{shape: &shape{}, route: r, steps: steps, handler: h, maxBody: t.maxBody, pure: h.flow != nil && len(steps) == 0, miss: true}
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
