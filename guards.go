package flow

import (
	"slices"

	"example.com/flow/internal/check/unguarded"
	"example.com/flow/internal/serve/routes/forms"
)

// guardNames holds the names of guards, by the program counters of their functions, once they
// are known: most routes have the same few guards.
type guardNames map[uintptr]string

// of returns the name of a middleware. guard is false if it is standard middleware.
func (n guardNames) of(m middleware) (name string, guard bool) {
	if m.guard == nil {
		return "", false
	}
	name, known := n[m.pc]
	if !known {
		name = forms.NameOf(m.pc)
		n[m.pc] = name
	}
	return name, true
}

// sameGuard reports whether two guards are surely the same function. Closures that one function
// has made, as atMost(5) and atMost(7), have the same code.
func sameGuard(a, b middleware) bool { return a.pc == b.pc && !forms.IsClosure(a.pc) }

// checkGuards warns of files beside the group whose guards would be meant for them, too.
func (c *compiler) checkGuards() {
	c.faults = append(c.faults, unguarded.Check(c.plan, guardNames{}.of, sameGuard)...)
}

// ofAll returns the names of the guards of a chain, each once. It is never nil.
func (n guardNames) ofAll(steps []step) []string {
	names := []string{}
	for _, s := range steps {
		if name, guard := n.of(middleware{guard: s.guard, pc: s.pc}); guard {
			names = appendNew(names, name)
		}
	}
	return names
}

// appendNew returns list with those elements behind it that it lacks.
func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
