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
	typesOf map[*templates.Set]func() types
	linksIn map[*templates.File]func() *links.File
	proofOf map[*templates.Made]func() *Proof
}

// New returns the Checked of Views. It takes over the findings of before, which may be nil, about what
// the Views have taken over.
func New(v *templates.Views, app Application, before *Checked) *Checked {
	if before == nil {
		before = &Checked{}
	}
	c := &Checked{v, map[*templates.Set]func() types{}, map[*templates.File]func() *links.File{}, map[*templates.Made]func() *Proof{}}
	// The functions below must not keep the Views alive, which others replace.
	check := typecheck.Set{Funcs: v.Parsed.FuncTypes, Method: app.Method}
	hasLists := v.Entries() != nil
	for _, m := range v.Parsed.Made {
		once(c.typesOf, before.typesOf, m.Set, func() types { return typesOf(m, check, hasLists) })
		once(c.proofOf, before.proofOf, m, func() *Proof { return newProof(m, check, app.Policy) })
	}
	for _, f := range v.Parsed.Files {
		once(c.linksIn, before.linksIn, f, func() *links.File { return links.Scan(f.Trees(), f.URLs) })
	}
	return c
}

// once adds a function that finds something out when it is first called, unless there was one before.
func once[K comparable, V any](to, before map[K]func() V, key K, find func() V) {
	if to[key] = before[key]; to[key] == nil {
		to[key] = sync.OnceValue(find)
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
