package registry

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"example.com/flow/internal/fault"
)

// A with is one call of flow.With.
type with[H, M any] struct {
	pos      fault.Position
	want     reflect.Type           // of the value that the function needs
	register func(*File[H, M], any) // nil if With was given nil
}

// AddStatic adds the static calls of a directory. It calls the functions of flow.With with the
// provided values, and adds their registrations. It closes the registry.
func (p *Plan[H, M]) AddStatic(g *Registry[H, M], provided []any) {
	g.Close()
	p.checkUses(g)
	p.Add(g)
	p.addDeclared(g.declared)
	g.setInWith(true)
	given := p.runWiths(g.withs, provided)
	g.setInWith(false)
	p.Add(given)
}

// checkUses reports calls of flow.Use in a counterpart. They apply to the whole application,
// and look as if they applied to one route file.
func (p *Plan[H, M]) checkUses(g *Registry[H, M]) {
	for _, u := range g.uses {
		if routes := p.byStem[strings.TrimSuffix(path.Base(u.Pos.File), ".go")]; len(routes) > 0 {
			p.fault(u.Pos, "flow.Use is for the whole application, and stands in the counterpart of %s: call it in another file, or use flow.At(%q).Use", routes[0].File, routes[0].Path)
		}
	}
}

// runWiths calls the functions of flow.With, and returns a registry of their registrations.
func (p *Plan[H, M]) runWiths(withs []with[H, M], provided []any) *Registry[H, M] {
	given := &Registry[H, M]{}
	defer given.Close()
	for _, w := range withs {
		r := p.resolveStatic(w.pos, path.Base(w.pos.File), "flow.With")
		if r == nil {
			p.NamesMissing = true
			continue
		}
		if w.register == nil {
			p.fault(w.pos, "flow.With was given nil: give it a func(*flow.File, %v)", w.want)
			continue
		}
		var fits []any
		for _, v := range provided {
			if w.fits(v) {
				fits = append(fits, v)
			}
		}
		switch len(fits) {
		case 0:
			p.fault(w.pos, "flow.With asks for a %v, and %s: give one to Router.Provide", w.want, typesOf(provided))
		case 1:
			if p.runWith(w, given.At(w.pos, r.Path), fits[0]) {
				continue
			}
		default:
			p.fault(w.pos, "flow.With asks for a %v, and a %T and a %T were provided: provide one", w.want, fits[0], fits[1])
		}
		p.bindings[r].failed, p.NamesMissing = true, true
	}
	return given
}

// fits reports whether a provided value has the type that the function needs, or implements
// it.
func (w with[H, M]) fits(v any) bool {
	t := reflect.TypeOf(v)
	return t == w.want || w.want.Kind() == reflect.Interface && t.Implements(w.want)
}

// typesOf returns a clause about the types of the provided values, for a fault.
func typesOf(provided []any) string {
	if len(provided) == 0 {
		return "nothing was provided"
	}
	var types []string
	for _, v := range provided {
		types = append(types, fmt.Sprintf("%T", v))
	}
	return "what was provided is " + strings.Join(types, ", ")
}

// runWith calls a function of flow.With. If the function panics, runWith reports that and
// returns false.
func (p *Plan[H, M]) runWith(w with[H, M], f *File[H, M], v any) (ok bool) {
	defer func() {
		switch panicked := recover().(type) {
		case nil:
		case fault.Fault:
			p.Faults = append(p.Faults, panicked)
		default:
			p.fault(w.pos, "flow.With: the function panicked: %v", panicked)
		}
	}()
	w.register(f, v)
	return true
}
