// Package pages says what is wrong about the templates of an application, beyond what keeps them
// from being rendered: with the types of their data, with their links and forms, and on each page
// as a whole. It is given the [templates.Views] of the application, and reads what these were parsed
// to. So it is asked before they forget that.
package pages

import (
	"maps"
	"slices"
	"sync"

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/check/typecheck"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/serve/pages/templates"
)

// An Application has what the checks need to know beside the templates.
type Application struct {
	Method func(typecheck.Call) typecheck.Verdict // see typecheck.Set
	Policy csp.Policy                             // of answers; nil if they have none
}

// Checked are Views with what is found about them. Each finding is made when it is first asked for,
// and is safe for concurrent use.
type Checked struct {
	Views   *templates.Views
	check   typecheck.Set // without templates
	policy  csp.Policy
	typesOf findings[*templates.Set, types]
	linksIn findings[*templates.File, *links.File]
	proofOf findings[*templates.Made, *Proof]
}

// New returns the Checked of Views. It takes over the findings of before, which may be nil, about what
// the Views have taken over.
func New(v *templates.Views, app Application, before *Checked) *Checked {
	c := &Checked{Views: v, check: typecheck.Set{Funcs: v.Parsed.FuncTypes, Method: app.Method}, policy: app.Policy}
	if before == nil {
		return c
	}
	for _, m := range v.Parsed.Made {
		c.typesOf.takeOver(&before.typesOf, m.Set)
		c.proofOf.takeOver(&before.proofOf, m)
	}
	for _, f := range v.Parsed.Files {
		c.linksIn.takeOver(&before.linksIn, f)
	}
	return c
}

// findings are what is found about several things, each of them once.
type findings[K comparable, V any] struct {
	mu sync.Mutex // for the map: a page is judged while others are
	of map[K]*finding[V]
}

type finding[V any] struct {
	once  sync.Once
	value V
}

// about returns what find finds about a thing, or has found before.
func (f *findings[K, V]) about(thing K, find func() V) V {
	f.mu.Lock()
	found := f.of[thing]
	if found == nil {
		found = &finding[V]{}
		f.put(thing, found)
	}
	f.mu.Unlock()
	found.once.Do(func() { found.value = find() })
	return found.value
}

// put notes a finding. The caller holds the lock, or is the only one that knows f.
func (f *findings[K, V]) put(thing K, found *finding[V]) {
	if f.of == nil {
		f.of = map[K]*finding[V]{}
	}
	f.of[thing] = found
}

// takeOver takes what was found about a thing before.
func (f *findings[K, V]) takeOver(before *findings[K, V], thing K) {
	before.mu.Lock()
	defer before.mu.Unlock()
	if found := before.of[thing]; found != nil {
		f.put(thing, found)
	}
}

// Faults returns what is wrong with the types of data, and about templates that nothing uses.
func (c *Checked) Faults() []fault.Fault {
	return slices.Concat(c.typeFaults(), c.uncalled(), c.bareErrorPages())
}

// madeNames returns the names of the views without faults, in order.
func (c *Checked) madeNames() []string { return slices.Sorted(maps.Keys(c.Views.Parsed.Made)) }

// position returns the line and the column in the text of a file of an offset in what was parsed. They
// are 0 if the place is not found.
func position(f *templates.File, offset int) (line, column int) {
	if f.Conversion == nil {
		return markup.Position(f.Text, offset)
	}
	return f.Conversion.Position(offset)
}
