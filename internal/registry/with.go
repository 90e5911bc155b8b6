package registry

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"example.com/flow/internal/fault"
)

// A with is a function that registers handlers once a value for it is provided.
type with[H, M any] struct {
	pos      fault.Position
	want     reflect.Type
	register func(*File[H, M], any) // nil if With was given nil
}

// AddStatic adds the static calls of a directory, and what their functions of With
// register when they are called with the values that were provided. It closes the registry.
func (p *Plan[H, M]) AddStatic(g *Registry[H, M], provided []any) {
	g.Close()
	p.checkUses(g)
	p.Add(g)
	p.addDeclared(g.declared)
	g.runs(true)
	given := p.runWiths(g.withs, provided)
	g.runs(false)
	p.Add(given)
}

// checkUses reports calls of flow.Use in a counterpart, where it looks as if it were
// for the file alone.
func (p *Plan[H, M]) checkUses(g *Registry[H, M]) {
	for _, u := range g.uses {
		if routes := p.byStem[strings.TrimSuffix(path.Base(u.Pos.File), ".go")]; len(routes) > 0 {
			p.fault(u.Pos, "flow.Use is for the whole application, and stands in the counterpart of %s: call it in another file, or use flow.At(%q).Use", routes[0].File, routes[0].Path)
		}
	}
}

// runWiths calls the functions of flow.With with the values that were provided,
// and returns what they registered.
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

// fits reports whether a provided value is what the function asks for.
func (w with[H, M]) fits(v any) bool {
	t := reflect.TypeOf(v)
	return t == w.want || w.want.Kind() == reflect.Interface && t.Implements(w.want)
}

// typesOf says what was provided.
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

// runWith calls a function of flow.With, and reports a panic. ok is false then: what the
// function would have registered is missing, which is no fault of its own.
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
