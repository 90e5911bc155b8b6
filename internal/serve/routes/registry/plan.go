package registry

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Plan is a tree and the registrations for its routes.
type Plan[H, M any] struct {
	Tree *routetree.Tree
	Uses []*Use[M]    // for the whole application
	Dirs []*Dir[H, M] // in order of registration
	// Declared are templates whose data has a type, each with its path as View.
	Declared []Declared
	Faults   []fault.Fault
	// NamesMissing reports whether some names are unknown, since a function of flow.With was not
	// called, or panicked.
	NamesMissing bool
	// Misplaced are names without a route because of a fault that is reported: the labels of
	// registrations without a route, and the automatic names of files that clash. Templates
	// that use them have no fault of their own.
	Misplaced map[string]bool

	app      string // the directory of the static calls, as the Go compiler recorded it; "" if there are none
	bindings map[*routetree.Route]*Binding[H, M]
	byPath   map[string]*routetree.Route
	byStem   map[string][]*routetree.Route // several if files have the same counterpart
	layers   routetree.LayerIndex
	byLayer  map[string][]*Dir[H, M] // those of Dirs that mean a layer, in their order
}

// NewPlan returns a Plan without registrations. app is the directory of the tree's static
// calls, as the Go compiler recorded it, or "" if there are none.
func NewPlan[H, M any](tree *routetree.Tree, app string) *Plan[H, M] {
	p := &Plan[H, M]{
		Tree:     tree,
		app:      app,
		bindings: map[*routetree.Route]*Binding[H, M]{},
		byPath:   map[string]*routetree.Route{},
		byStem:   map[string][]*routetree.Route{},
		layers:   tree.IndexLayers(),
		byLayer:  map[string][]*Dir[H, M]{},

		Misplaced: map[string]bool{},
	}
	for _, r := range tree.Routes {
		p.bindings[r] = &Binding[H, M]{route: r}
		p.byPath[r.Path] = r
		p.byStem[r.Stem] = append(p.byStem[r.Stem], r)
	}
	for _, r := range tree.Routes {
		if p.clashes(r) {
			p.bindings[r].failed, p.Misplaced[r.Stem] = true, true
		}
	}
	return p
}

// clashes reports whether another route has the same path, as edit.html and edit.http have. No
// registration can tell them apart. The tree has a fault for it.
func (p *Plan[H, M]) clashes(r *routetree.Route) bool {
	return slices.ContainsFunc(p.byStem[r.Stem], func(other *routetree.Route) bool { return other != r && other.Path == r.Path })
}

// A Binding holds the registrations for one route.
type Binding[H, M any] struct {
	Answers []Declared // that are declared beside those of the handlers, each with its own Status
	Uses    []*Use[M]
	Verbs   []*Verb[H, M] // those with a handler: one for each method, in order of registration
	Begun   []*Verb[H, M] // all, including those without a handler or with a fault
	Page    *Verb[H, M]   // the GET without a handler that gives a page a name or middleware; nil if there is none

	route  *routetree.Route
	failed bool // a fault that is reported explains why handlers are missing
}

// Of returns the registrations for a route.
func (p *Plan[H, M]) Of(r *routetree.Route) *Binding[H, M] { return p.bindings[r] }

// verb returns the verb of a method, or nil.
func (b *Binding[H, M]) verb(method string) *Verb[H, M] {
	for _, v := range b.Verbs {
		if v.Method == method {
			return v
		}
	}
	return nil
}

// servesPage reports whether the route is a page that needs no handler for GET, since none is
// registered.
func (b *Binding[H, M]) servesPage() bool {
	return b.route.Page && !b.route.Store && b.verb(http.MethodGet) == nil && b.verb(match.AnyMethod) == nil
}

// GivesNoData reports whether the page is rendered without data, since it has no handler by
// intent: see servesPage. It returns false if a fault explains why the handler is missing.
func (b *Binding[H, M]) GivesNoData() bool {
	wrong := slices.ContainsFunc(b.Begun, func(v *Verb[H, M]) bool {
		return v != b.Page && (v.Method == http.MethodGet || v.Method == match.AnyMethod)
	})
	return b.servesPage() && !b.failed && !wrong
}

func (p *Plan[H, M]) fault(pos fault.Position, format string, args ...any) {
	p.Faults = append(p.Faults, fault.At(pos, format, args...))
}

// Add adds the registrations of a registry to the bindings of their routes. It reports those
// whose route or directory the tree lacks. Registries are added in the order in which their
// middleware runs.
func (p *Plan[H, M]) Add(g *Registry[H, M]) {
	p.Faults = append(p.Faults, g.faults...)
	p.Uses = append(p.Uses, g.uses...)
	for _, d := range g.dirs {
		switch meant := p.layers.Meant(d.Path); {
		case len(meant) > 0 || d.Path == "":
			p.Dirs = append(p.Dirs, d)
			for _, layer := range meant {
				p.byLayer[layer] = append(p.byLayer[layer], d)
			}
		case p.Tree.HasDir(d.Path):
			p.fault(d.pos, "In(%q): no route file is in that directory, so this would guard nothing: have the files been moved?", d.Path)
		default:
			p.fault(d.pos, "In(%q): the tree has no such directory%s", d.Path, p.Tree.HintDir(d.Path))
		}
	}
	for _, f := range g.files {
		r := p.resolve(f)
		if r == nil {
			for _, v := range f.Verbs {
				p.Misplaced[v.Label] = true
			}
			continue
		}
		b := p.bindings[r]
		for _, u := range f.uses {
			b.Uses = append(b.Uses, &Use[M]{u.Pos, fmt.Sprintf("At(%q).Use", r.Path), u.Middleware})
		}
		for _, v := range f.Verbs {
			p.bind(b, v)
		}
	}
}

// addDeclared adds what the application has declared of its templates and answers.
func (p *Plan[H, M]) addDeclared(declared []Declared) {
	for _, d := range declared {
		if d.View == "" {
			r := p.resolveStatic(d.Pos, path.Base(d.Pos.File), d.What)
			if r == nil {
				continue
			}
			if d.IsAnswer {
				p.addAnswer(r, d)
				continue
			}
			if !r.Page {
				p.fault(d.Pos, "%s declares the page of this counterpart, and %s is no page: answer with JSON, or declare a template with flow.ViewOf", d.What, r.File)
				continue
			}
			d.View = r.Path
		}
		p.Declared = append(p.Declared, d)
	}
}

// addAnswer adds an answer that the handlers of a route have beside the usual one.
func (p *Plan[H, M]) addAnswer(r *routetree.Route, d Declared) {
	b, status := p.bindings[r], d.Status
	switch {
	case status < 200 || status > 599:
		p.fault(d.Pos, "%s(%d) is no status of an answer with JSON: give one from 200 to 599", d.What, status)
		return
	case status == http.StatusNoContent || status == http.StatusResetContent || status == http.StatusNotModified:
		p.fault(d.Pos, "%s(%d): such an answer has no body (RFC 9110, section 15): answer with flow.Response{}.Status(%[2]d)", d.What, status)
		return
	}
	if first := slices.IndexFunc(b.Answers, func(other Declared) bool { return other.Status == status }); first >= 0 {
		p.fault(d.Pos, "%s(%d) declares this status a second time, after %v: keep one", d.What, status, b.Answers[first].Pos)
		return
	}
	b.Answers = append(b.Answers, d)
}

// bind adds a verb to the binding of its route.
func (p *Plan[H, M]) bind(b *Binding[H, M], v *Verb[H, M]) {
	b.Begun = append(b.Begun, v)
	if !v.done { // checkFinished reports it, if it needs a handler
		return
	}
	if first := b.verb(v.Method); first != nil {
		p.fault(v.Pos, "%s of %s is registered a second time, after %v: keep one", v.Call(), b.route.File, first.Pos)
		return
	}
	if v.Handler != nil { // if it is nil, Finish has reported the error
		b.Verbs = append(b.Verbs, v)
	}
}

// resolve returns the route of a File. If there is none, it reports that and returns nil.
func (p *Plan[H, M]) resolve(f *File[H, M]) *routetree.Route {
	if f.counterpart == "" {
		return p.resolvePath(f.pos, f.Path)
	}
	return p.resolveStatic(f.pos, f.counterpart, f.what)
}

// resolvePath returns the route that the argument of At means. If there is none, or if there
// are several with different matchers, it reports that and returns nil.
func (p *Plan[H, M]) resolvePath(pos fault.Position, path string) *routetree.Route {
	found := routetree.Find(p.byPath, path)
	if len(found) == 0 {
		p.fault(pos, "At(%q): the tree has no such route file%s", path, p.Tree.HintFile(path))
		return nil
	}
	first := p.byPath[found[0]]
	for _, other := range found[1:] {
		// Files that differ only in their groups have the same URLs: the tree has a fault for that.
		if r := p.byPath[other]; r.Patterns[0].Key() != first.Patterns[0].Key() {
			p.fault(pos, "At(%q): both %s and %s are meant: give the path of one of them with its matcher, as in At(%q)", path, first.File, r.File, first.Path)
			p.bindings[first].failed, p.bindings[r].failed = true, true
			return nil
		}
	}
	return first
}

// resolveStatic returns the route whose counterpart is goFile. If there is none, or if the
// go tool does not always build goFile, it reports that and returns nil. what is the call.
func (p *Plan[H, M]) resolveStatic(pos fault.Position, goFile, what string) *routetree.Route {
	stem, isGo := strings.CutSuffix(goFile, ".go")
	routes := p.byStem[stem]
	switch old := p.withGroups(stem); {
	case isGo && len(routes) == 0 && old != nil:
		p.fault(pos, "%s: a group is in no name, so the counterpart of %s is %s.go: rename this file", what, old.File, old.Stem)
		p.bindings[old].failed = true
	case !isGo || len(routes) == 0:
		p.fault(pos, "%s speaks of the route whose counterpart this file is, and no route file has the counterpart %s: rename one of them, or %s", what, goFile, otherwise(what))
	case p.clashes(routes[0]):
	case len(routes) > 1:
		p.fault(pos, "%s: this file is the counterpart of %s and of %s: say which with flow.At(%q) or flow.At(%q), in a file of another name", what, routes[0].File, routes[1].File, routes[0].Path, routes[1].Path)
	default:
		if reason := routetree.WhyNotBuilt(goFile); reason != "" {
			p.fault(pos, "%s: %s: register with flow.At(%q) in a file of another name", what, reason, routes[0].Path)
			p.bindings[routes[0]].failed = true
			return nil
		}
		return routes[0]
	}
	return nil
}

// otherwise returns what to write in place of a static call, in a file that is no counterpart.
func otherwise(what string) string {
	switch what {
	case "flow.With":
		return "say the path with Router.At, where the value is at hand"
	case "flow.PageOf":
		return "say the path with flow.ViewOf"
	case "flow.JSONOf":
		return "answer with flow.JSON, which declares nothing"
	}
	return "say the path with flow.At"
}

// withGroups returns the route with a GroupedStem, or nil.
func (p *Plan[H, M]) withGroups(stem string) *routetree.Route {
	i := slices.IndexFunc(p.Tree.Routes, func(r *routetree.Route) bool { return routetree.GroupedStem(r.Path) == stem })
	if i < 0 {
		return nil
	}
	return p.Tree.Routes[i]
}

// Check reports routes that lack a handler or have one too many. It is called once all
// registries are added.
func (p *Plan[H, M]) Check() {
	mains := map[string]*routetree.Route{}
	for _, r := range p.Tree.Routes {
		if !r.Store {
			for _, s := range r.Patterns {
				mains[s.Key()] = r
			}
		}
	}
	for _, r := range p.Tree.Routes {
		b := p.bindings[r]
		p.checkFinished(r, b)
		if r.Store {
			p.checkStore(r, b, mains)
		}
		if len(b.Begun) == 0 && !b.failed && (!r.Page || r.Store) {
			what := "no handler is registered for it"
			if r.Store {
				what += ", and a file called store answers POST on the URL of its directory"
			}
			p.Faults = append(p.Faults, fault.In(r.File, "%s: %s", what, p.Remedy(r)))
		}
	}
}

// Remedy returns the end of a fault: how to register a handler for a route.
func (p *Plan[H, M]) Remedy(r *routetree.Route) string {
	verb := "GET().Do(…)"
	if r.Store {
		verb = "POST().Do(…)"
	}
	switch {
	case p.app == "":
		return fmt.Sprintf("call At(%q).%s on this Router, which was made in a test file and so has no static calls", r.Path, verb)
	case len(p.byStem[r.Stem]) > 1:
		return fmt.Sprintf("call flow.At(%q).%s in %s", r.Path, verb, path.Base(p.app))
	case routetree.WhyNotBuilt(r.Stem+".go") != "":
		return fmt.Sprintf("call flow.At(%q).%s in %s, in a file of another name, since %s", r.Path, verb, path.Base(p.app), routetree.WhyNotBuilt(r.Stem+".go"))
	}
	goFile := path.Join(fault.DisplayDir(p.app), r.Stem+".go")
	return fmt.Sprintf("call flow.%s in %s, or flow.At(%q).%[1]s in another file there", verb, goFile, r.Path)
}

// checkStore reports handlers of a store for methods other than POST, a store without a
// handler for POST, and a handler for POST of the route file beside the store. mains are the
// routes other than stores, by the keys of their patterns.
func (p *Plan[H, M]) checkStore(store *routetree.Route, b *Binding[H, M], mains map[string]*routetree.Route) {
	for _, v := range b.Verbs {
		if v.Method != http.MethodPost {
			p.fault(v.Pos, "%s: %s serves POST and nothing but POST: register other methods for the index file beside it", v.Call(), store.File)
		}
	}
	if len(b.Verbs) > 0 && b.verb(http.MethodPost) == nil {
		p.Faults = append(p.Faults, fault.In(store.File, "no handler is registered for POST: %s", p.Remedy(store)))
	}
	for _, s := range store.Patterns {
		main := mains[s.Key()]
		if main == nil {
			continue
		}
		if v := p.bindings[main].verb(http.MethodPost); v != nil {
			p.fault(v.Pos, "%s and %s both answer POST %s: keep one of them", main.File, store.File, pattern.Sample(s.Segments))
		}
		return
	}
}

// checkFinished reports verbs that do not end with Do or To. A page without a handler may have
// one: its GET sets the name of the page or adds middleware, and becomes Binding.Page.
func (p *Plan[H, M]) checkFinished(r *routetree.Route, b *Binding[H, M]) {
	for _, v := range b.Begun {
		if v.done {
			continue
		}
		ofPage, otherwise := v.Method == http.MethodGet && b.servesPage(), ""
		if ofPage {
			otherwise = ", or give the page a name or middleware with it"
		}
		switch {
		case !ofPage || v.Label == "" && len(v.Uses) == 0:
			p.fault(v.Pos, "%s of %s is never finished: end it with Do or To%s", v.Call(), r.File, otherwise)
		case b.Page != nil:
			p.fault(v.Pos, "%s of %s is begun a second time, after %v: keep one", v.Call(), r.File, b.Page.Pos)
		default:
			b.Page = v
		}
	}
}

// An Answer is what answers one method of a route.
type Answer[H, M any] struct {
	Verb   *Verb[H, M] // its Handler is nil for a page that is rendered without one
	Method string      // "GET"; "ANY" for the methods without a handler of their own
	Name   string      // that of Verb.Name, else that of Plan.Name
	Before []*Use[M]   // the middleware that runs before the handler, in order: that of Plan.Before, and of the Verb
}

// Answers returns what answers the methods of a route, in order of registration.
func (p *Plan[H, M]) Answers(r *routetree.Route) (all []Answer[H, M]) {
	b := p.bindings[r]
	verbs := b.Verbs
	if b.servesPage() {
		verbs = append(slices.Clip(verbs), cmp.Or(b.Page, &Verb[H, M]{Method: http.MethodGet}))
	}
	before := slices.Clip(p.Before(r))
	for _, v := range verbs {
		a := Answer[H, M]{v, v.Method, cmp.Or(v.Label, p.Name(r)), append(before, v.Uses...)}
		if v.Method == match.AnyMethod {
			a.Method = "ANY"
		}
		all = append(all, a)
	}
	return all
}

// Before returns the middleware that runs before all handlers of a route, in order.
func (p *Plan[H, M]) Before(r *routetree.Route) []*Use[M] {
	all := slices.Clone(p.Uses)
	for _, d := range p.Around(r.Path) {
		all = append(all, d.Uses...)
	}
	return append(all, p.bindings[r].Uses...)
}

// BeforeMounted returns the middleware that runs before a mounted handler, in order: that of
// the whole application, that of In(""), and own.
func (p *Plan[H, M]) BeforeMounted(own []*Use[M]) []*Use[M] {
	all := slices.Clone(p.Uses)
	for _, d := range p.Dirs {
		if d.Path == "" {
			all = append(all, d.Uses...)
		}
	}
	return append(all, own...)
}

// Around returns the directories whose middleware runs for the file with a path, the outermost
// first, and for the same directory in the order of registration. A directory that means several
// Layers of the file counts as the outermost of them.
func (p *Plan[H, M]) Around(file string) (around []*Dir[H, M]) {
	for _, layer := range routetree.Layers(file) {
		for _, d := range p.byLayer[layer] {
			if !slices.Contains(around, d) {
				around = append(around, d)
			}
		}
	}
	return around
}

// OnErrors returns the functions of OnError by the directories that they are for. It reports
// a directory that has several.
func (p *Plan[H, M]) OnErrors() map[string]any {
	first, functions := map[string]onError{}, map[string]any{}
	for _, d := range p.Dirs {
		for _, o := range d.onError {
			for _, dir := range p.layers.Outermost(d.Path) {
				if other, taken := first[dir]; taken {
					p.fault(o.pos, "In(%q).OnError: %s has one already, given at %v: keep one", d.Path, p.Tree.Shown(path.Join(routetree.RouterDir, dir)), other.pos)
					break
				}
				first[dir], functions[dir] = o, o.f
			}
		}
	}
	return functions
}

// Names returns the routes by their labels and automatic names. It reports names that two
// routes have. Routes that share an automatic name do not have it.
func (p *Plan[H, M]) Names() map[string]*routetree.Route {
	names, labelled := map[string]*routetree.Route{}, map[string]fault.Position{}
	for stem, routes := range p.byStem {
		if len(routes) == 1 {
			names[stem] = routes[0]
		}
	}
	for _, r := range p.Tree.Routes {
		for _, v := range p.bindings[r].Begun {
			if v.Label == "" {
				continue
			}
			owner, taken := names[v.Label]
			switch first, byLabel := labelled[v.Label]; {
			case taken && owner != r && byLabel:
				p.fault(v.named, "Name: %q is the name of %s already, given at %v: call this one otherwise", v.Label, owner.File, first)
			case taken && owner != r:
				p.fault(v.named, "Name: %q is the automatic name of %s: call this one otherwise", v.Label, owner.File)
			default:
				names[v.Label], labelled[v.Label] = r, v.named
			}
		}
	}
	return names
}

// Name returns the name of a route for the methods without a label: its first label, else its
// automatic name, else "" if another route has the same one.
func (p *Plan[H, M]) Name(r *routetree.Route) string {
	for _, v := range p.bindings[r].Begun {
		if v.Label != "" {
			return v.Label
		}
	}
	if len(p.byStem[r.Stem]) > 1 {
		return ""
	}
	return r.Stem
}
