package flow

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"path"
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

// A binding is what was registered for one route.
type binding struct {
	uses   []use
	verbs  []*Verb // one for each method, in order of registration
	begun  []*Verb // all of them, well or badly
	failed bool    // what would have registered it is reported
	named  bool    // by At: a counterpart is not needed
	static bool    // by a static call
}

func (b *binding) verb(method string) *Verb {
	for _, v := range b.verbs {
		if v.method == method {
			return v
		}
	}
	return nil
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

// staticUses reports flow.Use in a counterpart, where it looks like the file's own.
func (c *compiler) staticUses(g *registry) {
	for _, u := range g.uses {
		if routes := c.byStem[strings.TrimSuffix(path.Base(u.pos.file), ".go")]; len(routes) > 0 {
			c.fault(u.pos, "flow.Use is for the whole application, and stands in the counterpart of %s: call it in another file, or use flow.At(%q).Use", routes[0].file, routes[0].path)
		}
	}
}

// add resolves the paths of one registry and sorts its registrations by what
// they are for. Registries are added in the order in which their middleware runs.
func (c *compiler) add(g *registry) {
	c.faults = append(c.faults, g.faults...)
	c.uses = append(c.uses, g.uses...)
	for _, d := range g.dirs {
		if !c.isLayer(d.path) {
			c.fault(d.pos, "In(%q): the tree has no such directory%s", d.path, c.hint(d.path))
			continue
		}
		c.dirs[d.path] = append(c.dirs[d.path], d.uses...)
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

func (c *compiler) bind(b *binding, r *route, v *Verb) {
	b.begun = append(b.begun, v)
	if !v.done {
		c.fault(v.pos, "%s of %s is never finished: end it with Do or To", v.call(), r.file)
		return
	}
	if first := b.verb(v.method); first != nil {
		c.fault(v.pos, "%s of %s is registered a second time, after %v: keep one", v.call(), r.file, first.pos)
		return
	}
	if v.handler != nil { // else its form is reported
		b.verbs = append(b.verbs, v)
	}
}

// isLayer reports whether In covers anything for a path.
func (c *compiler) isLayer(dir string) bool {
	if dir == "" || c.tree.dirs[dir] {
		return true
	}
	r := c.byPath[dir]
	return r != nil && slices.Contains(r.layers(), dir)
}

// resolve returns the route that a File speaks of, or reports why there is none.
func (c *compiler) resolve(f *File) *route {
	if f.counterpart == "" {
		r := c.byPath[f.path]
		if r == nil {
			c.fault(f.pos, "At(%q): the tree has no such route file%s", f.path, c.hint(f.path))
		}
		return r
	}
	return c.resolveStatic(f.pos, f.counterpart, f.what)
}

func (c *compiler) resolveStatic(pos position, goFile, what string) *route {
	stem, isGo := strings.CutSuffix(goFile, ".go")
	routes := c.byStem[stem]
	switch {
	case !isGo || len(routes) == 0:
		c.fault(pos, "%s speaks of the route whose counterpart this file is, and no route file has the counterpart %s: rename one of them, or say the path with flow.At", what, goFile)
	case len(routes) > 1:
		c.fault(pos, "%s: this file is the counterpart of %s and of %s: say which with flow.At(%q) or flow.At(%q), in a file of another name", what, routes[0].file, routes[1].file, routes[0].path, routes[1].path)
	default:
		c.bindings[routes[0]].static = true
		if reason := setAside(goFile); reason != "" {
			c.fault(pos, "%s: %s: register with flow.At(%q) in a file of another name", what, reason, routes[0].path)
			c.bindings[routes[0]].failed = true
			return nil
		}
		return routes[0]
	}
	return nil
}

// hint says what a path that is not in the tree may have been meant to be.
func (c *compiler) hint(p string) string {
	clean := strings.Trim(p, "/")
	clean = strings.TrimPrefix(clean, routerDir+"/")
	clean = strings.TrimSuffix(strings.TrimSuffix(clean, ".html"), ".http")
	for _, r := range c.tree.routes {
		if bare(r.path) == bare(clean) || r.path == path.Join(clean, "index") {
			return fmt.Sprintf(": %s is called %q", r.file, r.path)
		}
	}
	for _, dir := range sortedKeys(c.tree.dirs) {
		if bare(dir) == bare(clean) {
			return fmt.Sprintf(": %s/%s is called %q", routerDir, dir, dir)
		}
	}
	return `: write the path below ` + routerDir + `/ with its brackets and without extension, as in "users/[id]"`
}

// bare returns a path without what is easily forgotten: brackets, parentheses, case.
func bare(path string) string {
	return strings.ToLower(strings.NewReplacer("[", "", "]", "", "(", "", ")", "", "...", "").Replace(path))
}

// runWiths calls the functions of flow.With with the values that were provided,
// and returns what they registered.
func (c *compiler) runWiths(withs []with) *registry {
	given := &registry{}
	defer given.close()
	for _, w := range withs {
		r := c.resolveStatic(w.pos, path.Base(w.pos.file), "flow.With")
		if r == nil {
			continue
		}
		if w.register == nil {
			c.fault(w.pos, "flow.With was given nil: give it a func(*flow.File, %v)", w.want)
			continue
		}
		var fits []any
		for _, v := range c.router.provided {
			if w.fits(v) {
				fits = append(fits, v)
			}
		}
		switch len(fits) {
		case 0:
			c.fault(w.pos, "flow.With asks for a %v, and %s: give one to Router.Provide", w.want, c.providedTypes())
		case 1:
			c.runWith(w, given.at(w.pos, r.path), fits[0])
			continue
		default:
			c.fault(w.pos, "flow.With asks for a %v, and a %T and a %T were provided: provide one", w.want, fits[0], fits[1])
		}
		c.bindings[r].failed, c.namesMissing = true, true
	}
	return given
}

// providedTypes says what Provide was given.
func (c *compiler) providedTypes() string {
	if len(c.router.provided) == 0 {
		return "nothing was provided"
	}
	var types []string
	for _, v := range c.router.provided {
		types = append(types, fmt.Sprintf("%T", v))
	}
	return "what was provided is " + strings.Join(types, ", ")
}

func (c *compiler) runWith(w with, f *File, v any) {
	defer func() {
		if p := recover(); p != nil {
			c.fault(w.pos, "flow.With: the function panicked: %v", p)
		}
	}()
	w.register(f, v)
}

// checkBindings reports routes that lack a handler, or have one that they must not.
func (c *compiler) checkBindings() {
	mains := map[string]*route{}
	for _, r := range c.tree.routes {
		if !r.store {
			for _, s := range r.shapes {
				mains[s.key()] = r
			}
		}
	}
	for _, r := range c.tree.routes {
		b := c.bindings[r]
		if reason := setAside(r.stem + ".go"); reason != "" && !b.named && !b.static {
			c.faults = append(c.faults, faultIn(r.file, "%s, and would be its counterpart: rename the route file, or register with flow.At(%q) in a file of another name", reason, r.path))
			continue
		}
		if r.store {
			c.checkStore(r, b, mains)
		}
		if len(b.begun) == 0 && !b.failed && (!r.page || r.store) {
			what := "no handler is registered for it"
			if r.store {
				what += ", and a file called store answers POST on the URL of its directory"
			}
			c.faults = append(c.faults, faultIn(r.file, "%s: %s", what, c.remedy(r)))
		}
	}
}

// remedy says how a handler for r is registered.
func (c *compiler) remedy(r *route) string {
	verb := "GET().Do(…)"
	if r.store {
		verb = "POST().Do(…)"
	}
	switch {
	case c.router.app == nil:
		return fmt.Sprintf("call At(%q).%s on this Router, which was made in a test file and so has no static calls", r.path, verb)
	case len(c.byStem[r.stem]) > 1:
		return fmt.Sprintf("call flow.At(%q).%s in %s", r.path, verb, c.router.app.dir)
	}
	return fmt.Sprintf("call flow.%s in %s/%s.go, or flow.At(%q).%[1]s in another file there", verb, c.router.app.dir, r.stem, r.path)
}

// checkStore reports whatever of a store is no POST, and POST beside it.
func (c *compiler) checkStore(store *route, b *binding, mains map[string]*route) {
	for _, v := range b.verbs {
		if v.method != http.MethodPost {
			c.fault(v.pos, "%s: %s serves POST and nothing but POST: register other methods for the index file beside it", v.call(), store.file)
		}
	}
	if len(b.verbs) > 0 && b.verb(http.MethodPost) == nil {
		c.faults = append(c.faults, faultIn(store.file, "no handler is registered for POST: %s", c.remedy(store)))
	}
	for _, s := range store.shapes {
		main := mains[s.key()]
		if main == nil {
			continue
		}
		if v := c.bindings[main].verb(http.MethodPost); v != nil {
			c.fault(v.pos, "%s and %s both answer POST %s: keep one of them", main.file, store.file, sampleURL(s.segments))
		}
		return
	}
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
