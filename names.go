package flow

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/forms"
	"example.com/flow/internal/match"
	"example.com/flow/internal/ondisk"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/reply"
	"example.com/flow/internal/routemap"
	"example.com/flow/internal/routetree"
)

// A vantage is the place from which a URL is asked for: the segments of the pattern that
// answers the current request, and the values of their parameters. Outside of a request
// it is empty.
type vantage struct {
	segments []pattern.Segment
	values   match.Values
}

// vantageOf returns the vantage of a template that is rendered at: for a *Request, for a
// vantage itself when templates are checked, or for neither.
func vantageOf(at any) vantage {
	switch at := at.(type) {
	case *Request:
		return at.x.vantage()
	case vantage:
		return at
	}
	return vantage{}
}

// own returns the values of the parameters of a prefix, which v is below.
func (v vantage) own(prefix *pattern.Pattern) map[string][]string {
	values := map[string][]string{}
	for i, name := range prefix.Names {
		values[name] = []string{v.values[i].Value}
	}
	return values
}

// given returns the parameters of a URL of r that the caller need not name: those of the
// prefix that the Router of r is mounted at, as far as the current request is below the
// same prefix.
func (v vantage) given(r *routetree.Route) map[string][]string {
	given := map[string][]string{}
	values := v.values
	for i, seg := range r.Patterns[0].Segments[:r.Depth] {
		if i == len(v.segments) || v.segments[i] != seg {
			break
		}
		if seg.Kind != pattern.Param {
			continue
		}
		if v := values[0].Value; !pattern.NoValue(v) { // else it is reported as missing
			given[seg.Text] = []string{v}
		}
		values = values[1:]
	}
	return given
}

// inherited returns the values that the parameters of the Router's prefix have in a
// path, for what no route answers. A path that is not below the prefix has none for them.
func (t *table) inherited(path []string) match.Values {
	var values match.Values
	for i, seg := range t.above.Segments {
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

// A RouteInfo describes one handler of one URL shape, as Router.Routes lists it.
type RouteInfo struct {
	Method     string `json:"method"`     // "GET"; "ANY" for every other method
	Pattern    string `json:"pattern"`    // "/users/{id}", in the notation of net/http's ServeMux
	File       string `json:"file"`       // "router/users/[id].html", with its directory if its Router is mounted; "" for other handlers
	Name       string `json:"name"`       // the label, else the automatic name; "" if two routes share it
	Handler    string `json:"handler"`    // "app/users.id.go:12", or where Mount is called; "" for a page without a handler
	Middleware int    `json:"middleware"` // how many run before the handler
}

// listRoutes describes the table in matching order.
func (c *compiler) listRoutes() {
	type entry struct {
		pattern *pattern.Pattern
		route   *routetree.Route
		mounted *Mounted // in place of a route
	}
	var entries []entry
	for _, r := range c.tree.Routes {
		for _, p := range r.Patterns {
			entries = append(entries, entry{p, r, nil})
		}
	}
	for _, m := range c.mounts {
		_, below := m.patterns(c.tree.Prefix)
		entries = append(entries, entry{below, nil, m})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return pattern.Compare(a.pattern, b.pattern) })
	everywhere := 0
	for _, d := range c.plan.Dirs {
		if d.Path == "" {
			everywhere += len(d.Uses)
		}
	}
	for _, e := range entries {
		r := e.route
		if m := e.mounted; m != nil {
			c.table.infos = append(c.table.infos, m.info(e.pattern, len(c.plan.Uses)+everywhere+len(m.uses))...)
			continue
		}
		b := c.plan.Of(r)
		outer := len(c.plan.Uses) + len(b.Uses)
		for _, d := range c.plan.Around(r) {
			outer += len(d.Uses)
		}
		info := RouteInfo{Pattern: e.pattern.String(), File: r.InTree(), Name: c.plan.Name(r), Middleware: outer}
		var infos []RouteInfo
		if b.ServesPage() {
			of := info
			of.Method = http.MethodGet
			if b.Page != nil {
				of.Name = cmp.Or(b.Page.Label, of.Name)
				of.Middleware += len(b.Page.Uses)
			}
			infos = append(infos, of)
		}
		for _, v := range b.Verbs {
			of := info
			of.Method = strings.TrimSuffix(v.Call(), "()")
			if v.Method != match.AnyMethod {
				of.Method = v.Method
			}
			of.Handler = v.Handler.pos.Stable()
			of.Name = cmp.Or(v.Label, of.Name)
			of.Middleware += len(v.Uses)
			infos = append(infos, of)
		}
		slices.SortStableFunc(infos, func(a, b RouteInfo) int { return forms.CompareMethods(a.Method, b.Method) })
		c.table.infos = append(c.table.infos, infos...)
	}
}

// explain says what answers a request of the Router, which is the outermost.
func (r *Router) explain(q routemap.Question) routemap.Explanation {
	t := r.table.Load()
	e := routemap.Explain(q, t.matcher.Explain(q.Request()), t.describe)
	if r.front != nil {
		if found := t.findNew(q.Request()); found != nil {
			e = e.InFront(t.describe(found))
		}
	}
	if t.routes != nil && e.Outcome == routemap.Answered {
		e.Before = t.routes.Before(*e.Answer, q.Method)
	}
	return e
}

// routeMap describes the application and what is mounted in it, for the route map of
// development. before runs before it.
func (c *compiler) routeMap(before []routemap.Middleware) routemap.Map {
	s := routemap.Source[handler, middleware]{
		Tree:    c.tree,
		Plan:    c.plan,
		Before:  before,
		Handler: func(h *handler) fault.Position { return h.pos },
		Name:    func(m middleware) (string, bool) { return forms.NameOf(m.pc), m.guard != nil },
	}
	if d := c.router.disk; d != nil {
		s.Disk = d.Files()
	}
	all := s.Make()
	for _, m := range c.mounts {
		at := fmt.Sprintf("Mount(%q)", m.text)
		before := append(s.Everywhere(), s.Middleware(at+".Use", m.uses)...)
		if m.inner == nil {
			_, below := m.patterns(c.tree.Prefix)
			all.Mounts = append(all.Mounts, routemap.Mount{Pattern: below.String(), Handler: fmt.Sprintf("%T", m.handler), At: m.pos.String(), Middleware: before})
			continue
		}
		inside := c.inside[m].routeMap(before)
		inside.Name, inside.At = m.label, m.pos.String()
		all.Inside = append(all.Inside, inside)
	}
	return all
}

// serveMap serves the route map of the outermost Router, in development.
func (r *Router) serveMap(w http.ResponseWriter, req *http.Request) {
	t := r.table.Load()
	if t.err != nil {
		send(r.faulty(req), w, req.Method == http.MethodHead)
		return
	}
	routemap.Page{Map: t.routes.Refresh(), Explain: r.explain, Recent: r.front.Requests.Last(), Warnings: r.front.Hub.Warnings()}.ServeHTTP(w, req)
}

// describe says what an endpoint is, for people.
func (t *table) describe(e *endpoint) routemap.Endpoint {
	d := routemap.Endpoint{File: e.owner.file, Pattern: e.path.String(), Path: e.path}
	_, addsSlash := e.handler.std.(addSlash)
	switch {
	case addsSlash:
		d.Kind = routemap.AddSlash
	case e.owner.route != nil:
		d.Handler = e.handler.pos.String()
	case strings.HasPrefix(e.pattern, "/"): // it answers any method, as public files do not
		d.Kind = routemap.MountedHandler
	default:
		d.Kind = routemap.PublicFile
	}
	for _, info := range t.infos {
		if e.pattern == strings.TrimPrefix(info.Method+" "+info.Pattern, "ANY ") && strings.HasSuffix(d.File, info.File) {
			d.Name = info.Name
		}
	}
	if e.around != nil {
		d.Inside = e.around.owner.file
	}
	return d
}

// patternsOf returns the patterns of the routes that answer a path, in one spelling
// or another.
func (r *Router) patternsOf(path string) map[string]bool {
	patterns := map[string]bool{}
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return patterns
	}
	p, _ := pattern.ParsePath(&http.Request{URL: u})
	for _, l := range r.table.Load().matcher.Matching(p.Segments) {
		for _, e := range l.Answers() {
			patterns[e.path.String()] = true
		}
	}
	return patterns
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

// route is the template function route: it returns the URL of a named route, asked for
// from v.
func (t *table) route(v vantage, name string, params []any) (string, error) {
	r := t.names[name]
	if r == nil {
		return "", fmt.Errorf("flow: no route is called %q%s", name, t.nameHint(name))
	}
	u, err := r.URL(v.given(r), params)
	if err != nil {
		return "", fmt.Errorf("flow: route %q (%s): %w", name, r.File, err)
	}
	return u, nil
}

// nameHint says what a name that no route has was likely meant to be, as the end of an
// error.
func (t *table) nameHint(name string) string {
	for _, known := range slices.Sorted(maps.Keys(t.names)) {
		r := t.names[known]
		label, automatic := strings.CutSuffix(known, r.Stem) // of a mounted Router, "billing.", or ""
		if automatic && name == label+routetree.GroupedStem(r.Path) {
			return fmt.Sprintf(": a group is in no name, so %s is called %q", r.File, known)
		}
	}
	return fault.Suggest(name, t.names, ": name one with Name, or use an automatic name")
}

// Route returns the URL of a named route, for parameters that are pairs of key and
// value: Route("users.show", "id", 42). Names are those that Verb.Name gives. Each route
// file has an automatic name too, unless two share it: its path with dots for slashes,
// without groups and brackets, "users.id". Values are strings, integers, or have String(); they
// are escaped. A catch-all takes a []string, or a string that is split at slashes. A key
// that is no parameter becomes part of the query.
//
// The value "" leaves an optional parameter out, as does an empty []string: Param has it
// for one that is not in the URL. Its optional neighbours to the right are left out, too.
//
// An unknown name, a parameter that is missing, a value that its matcher does not take,
// and the values "" of a required parameter, "." and "..", which no URL can hold as a
// segment, are errors. So is a call while the routes are being compiled, from a function of
// With or when middleware is constructed.
//
// The prefix that a Router is mounted at may have parameters: they belong to the URL,
// and Request.Route knows them already.
func (r *Router) Route(name string, params ...any) (string, error) {
	return r.routeAt(vantage{}, name, params)
}

func (r *Router) routeAt(v vantage, name string, params []any) (string, error) {
	t, err := r.urls("Route", name)
	if err != nil {
		return "", err
	}
	return t.route(v, name, params)
}

// urls returns the table for a call of Route or Asset, which asks for the URL of a name,
// or an error if there are no URLs.
func (r *Router) urls(call, name string) (*table, error) {
	if r.building.Load() {
		return nil, fmt.Errorf("flow: %s(%q): the routes are being compiled, and have no URLs yet", call, name)
	}
	t := r.compile()
	if t.err != nil {
		return nil, fmt.Errorf("flow: %s(%q): the application has faults: %w", call, name, t.err)
	}
	return t, nil
}

// asset is the template function asset: it returns the URL of a public file, asked for
// from v. The URL holds a hash of the content, unless the file is read from disk.
func (t *table) asset(v vantage, name string) (string, error) {
	a := t.assets[name]
	if a == nil && t.router.inDev() {
		if p := t.router.disk.NewFile(t.router.tree, name); p != nil {
			a = &asset{pattern: p.Pattern}
		}
	}
	switch {
	case a != nil && len(v.values) < len(t.above.Names):
		return "", fmt.Errorf("flow: asset %q: the parameters of %s, where the Router is mounted, are known in requests only: use Request.Asset, or {{asset}} in a template", name, t.above.String())
	case a != nil:
		return cmp.Or(a.hashed, a.pattern).URL(v.own(t.above)), nil
	case t.assets[strings.TrimLeft(name, "/")] != nil:
		return "", fmt.Errorf("flow: no public file is called %q: write the path below %s/, without a slash before it", name, routetree.PublicDir)
	}
	otherwise := fmt.Sprintf(": there is no %s/%s", routetree.PublicDir, name)
	if len(t.assets) == 0 {
		otherwise += fmt.Sprintf(", nor anything else below %s/: is it embedded, with //go:embed all:%s all:%[1]s?", routetree.PublicDir, routetree.RouterDir)
	}
	return "", fmt.Errorf("flow: no public file is called %q%s", name, fault.Suggest(name, t.assets, otherwise))
}

// Asset returns the URL of a public file, "css/app.css", by its path below public/.
// The URL holds a hash of the content and is served with leave to keep it for a
// year, so that a client asks for the file once until it changes. A file that is
// not there is an error. So is any if the Router is mounted at a prefix with
// parameters, which only requests know: see Request.Asset.
func (r *Router) Asset(name string) (string, error) { return r.assetAt(vantage{}, name) }

func (r *Router) assetAt(v vantage, name string) (string, error) {
	t, err := r.urls("Asset", name)
	if err != nil {
		return "", err
	}
	return t.asset(v, name)
}

// knownURLs returns the URLs that r and the Routers inside answer now, in development.
func (r *Router) knownURLs() []ondisk.URL {
	urls := ondisk.URLs(r.tree)
	if r.inDev() {
		urls = r.disk.URLs(r.tree)
	}
	for _, m := range r.mounts {
		if m.inner != nil {
			urls = append(urls, m.inner.knownURLs()...)
		} else {
			exact, _ := m.patterns(r.tree.Prefix)
			urls = append(urls, ondisk.URL{Pattern: exact, File: "Mount of " + m.pos.String()})
		}
	}
	return urls
}

// Routes lists the handlers in the order in which URLs are matched: the more
// specific first. What is mounted is among them, public files are not. It is empty
// if there are faults, and while the routes are being compiled.
func (r *Router) Routes() []RouteInfo {
	if r.building.Load() {
		return nil
	}
	t := r.compile()
	if t.err != nil {
		return nil
	}
	return slices.Clone(t.infos)
}

// Route returns the URL of a named route, as Router.Route does.
func (r *Request) Route(name string, params ...any) (string, error) {
	x := r.exchange()
	if x.router == nil {
		return "", errors.New("flow: a Request of NewRequest has no Router, so there are no routes to name")
	}
	return x.router.routeAt(x.vantage(), name, params)
}

// Asset returns the URL of a public file, as Router.Asset does. It also knows the
// parameters of the prefix that the Router is mounted at.
func (r *Request) Asset(name string) (string, error) {
	x := r.exchange()
	if x.router == nil {
		return "", errors.New("flow: a Request of NewRequest has no Router, so there are no public files")
	}
	return x.router.assetAt(x.vantage(), name)
}

// Route is Router.Route of the first Router of the calling directory that was checked.
// It returns an error if none was checked yet.
func Route(name string, params ...any) (string, error) {
	r := applicationOf(fault.Caller(0)).first.Load()
	if r == nil {
		return "", errors.New("flow: Route: no Router of this directory was checked yet: call its Check first")
	}
	return r.Route(name, params...)
}

// encodeRedirect turns a redirect into an empty body with a Location.
func encodeRedirect(r Response, req *Request) (Response, error) {
	status, location, err := reply.Redirect(req.Method, int(r.status), r.text)
	if err != nil {
		return Response{}, err
	}
	return r.Status(status).body(kindZero, "").with(location), nil
}
