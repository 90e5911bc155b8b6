package flow

import (
	"fmt"
	"net/http"
	"path"
	"strings"

	"example.com/flow/internal/fault"

	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"
)

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

// staticUses reports flow.Use in a counterpart, where it looks like the file's own.
func (c *compiler) staticUses(g *registry) {
	for _, u := range g.uses {
		if routes := c.byStem[strings.TrimSuffix(path.Base(u.pos.File), ".go")]; len(routes) > 0 {
			c.fault(u.pos, "flow.Use is for the whole application, and stands in the counterpart of %s: call it in another file, or use flow.At(%q).Use", routes[0].File, routes[0].Path)
		}
	}
}

// add resolves the paths of one registry and sorts its registrations by what
// they are for. Registries are added in the order in which their middleware runs.
func (c *compiler) add(g *registry) {
	c.faults = append(c.faults, g.faults...)
	c.uses = append(c.uses, g.uses...)
	for _, d := range g.dirs {
		if !c.tree.Covers(d.path) {
			c.fault(d.pos, "In(%q): the tree has no such directory%s", d.path, c.tree.Hint(d.path))
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

func (c *compiler) bind(b *binding, r *routetree.Route, v *Verb) {
	b.begun = append(b.begun, v)
	if !v.done {
		c.fault(v.pos, "%s of %s is never finished: end it with Do or To", v.call(), r.File)
		return
	}
	if first := b.verb(v.method); first != nil {
		c.fault(v.pos, "%s of %s is registered a second time, after %v: keep one", v.call(), r.File, first.pos)
		return
	}
	if v.handler != nil { // else its form is reported
		b.verbs = append(b.verbs, v)
	}
}

// resolve returns the route that a File speaks of, or reports why there is none.
func (c *compiler) resolve(f *File) *routetree.Route {
	if f.counterpart == "" {
		r := c.byPath[f.path]
		if r == nil {
			c.fault(f.pos, "At(%q): the tree has no such route file%s", f.path, c.tree.Hint(f.path))
		}
		return r
	}
	return c.resolveStatic(f.pos, f.counterpart, f.what)
}

func (c *compiler) resolveStatic(pos fault.Position, goFile, what string) *routetree.Route {
	stem, isGo := strings.CutSuffix(goFile, ".go")
	routes := c.byStem[stem]
	switch {
	case !isGo || len(routes) == 0:
		c.fault(pos, "%s speaks of the route whose counterpart this file is, and no route file has the counterpart %s: rename one of them, or say the path with flow.At", what, goFile)
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

// runWiths calls the functions of flow.With with the values that were provided,
// and returns what they registered.
func (c *compiler) runWiths(withs []with) *registry {
	given := &registry{}
	defer given.close()
	for _, w := range withs {
		r := c.resolveStatic(w.pos, path.Base(w.pos.File), "flow.With")
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
			c.runWith(w, given.at(w.pos, r.Path), fits[0])
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
	return fmt.Sprintf("call flow.%s in %s/%s.go, or flow.At(%q).%[1]s in another file there", verb, c.router.app.dir(), r.Stem, r.Path)
}

// checkStore reports whatever of a store is no POST, and POST beside it.
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
