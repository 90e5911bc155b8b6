package routetree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
)

// matcher returns the tree's matcher with a name. It adds one if there is none.
func (t *Tree) matcher(name string) *pattern.Matcher {
	m := t.Matchers[name]
	if m == nil {
		m = &pattern.Matcher{Name: name, Fits: pattern.BuiltIn(name)}
		if t.Matchers == nil {
			t.Matchers = map[string]*pattern.Matcher{}
		}
		t.Matchers[name] = m
	}
	return m
}

// SetMatchers sets the functions of the tree's matchers to those of the application, which
// are own. It returns faults for matchers that are neither in own nor built in. A value for
// which a function of own panics does not match, and panicked is called for the first one.
func (t *Tree) SetMatchers(own map[string]func(string) bool, panicked func(name string, v any)) (faults []fault.Fault) {
	known := map[string]bool{}
	for _, name := range pattern.BuiltIns() {
		known[name] = true
	}
	for name, fits := range own {
		known[name] = true
		switch m := t.Matchers[name]; {
		case fits == nil:
			faults = append(faults, fault.Fault{Text: fmt.Sprintf("Router.Matchers[%q] is nil: give it a func(string) bool", name)})
		case m != nil:
			m.Fits = contained(name, fits, panicked)
		}
	}
	for _, r := range t.Routes {
		for _, seg := range r.Longest().Segments {
			if m := seg.Matcher; m != nil && !known[m.Name] {
				m.Fits = func(string) bool { return false }
				faults = append(faults, fault.In(r.File, "no matcher is called %q%s", m.Name, fault.Suggest(m.Name, known, fmt.Sprintf(": there are %s; add others to Router.Matchers", listed(known)))))
			}
		}
	}
	return faults
}

// listed returns names as a sentence has them: "date, int and slug".
func listed(names map[string]bool) string {
	all := slices.Sorted(maps.Keys(names))
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// contained returns fits as a function that does not panic.
func contained(name string, fits func(string) bool, panicked func(name string, v any)) func(string) bool {
	var reported sync.Once // only once, since clients choose the values, and could fill the log
	return func(value string) (ok bool) {
		defer func() {
			if v := recover(); v != nil {
				reported.Do(func() { panicked(name, v) })
				ok = false
			}
		}()
		return fits(value)
	}
}

// warnOfSharedPlaces warns of parameters at the same position with different matchers, such
// as users/[id=int] and users/[name=slug]: the tree does not show which is tried first.
func (t *Tree) warnOfSharedPlaces() {
	type neighbour struct {
		segment pattern.Segment
		file    string
	}
	type place struct {
		prefix string
		kind   pattern.Kind
	}
	all := map[place][]neighbour{} // for each matcher the first segment that has it
	for _, r := range t.Routes {
		for _, p := range r.Patterns {
			for i, seg := range p.Segments {
				if seg.Matcher == nil {
					continue
				}
				at := place{pattern.New(p.Segments[:i]).Key(), seg.Kind}
				if !slices.ContainsFunc(all[at], func(n neighbour) bool { return n.segment.Matcher == seg.Matcher }) {
					all[at] = append(all[at], neighbour{seg, r.File})
				}
			}
		}
	}
	for _, neighbours := range all {
		slices.SortFunc(neighbours, func(a, b neighbour) int { return strings.Compare(a.segment.Matcher.Name, b.segment.Matcher.Name) })
		for i, second := range neighbours {
			for _, first := range neighbours[:i] {
				t.Faults = append(t.Faults, fault.Warn(second.file, 0, "%s stands beside %s of %s: a value that both match is for %[2]s, since matchers are tried in the order of their names",
					notation(second.segment), notation(first.segment), first.file))
			}
		}
	}
}
