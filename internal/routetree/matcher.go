package routetree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/pattern"
)

// matcher returns the matcher of that name, which all segments of the tree share.
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

// SetMatchers gives the matchers of the tree their functions: those of the application,
// by name, else those that are built in. It reports names that are neither. A function
// of the application that panics does not match, after panicked was called.
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
		for _, seg := range r.Patterns[len(r.Patterns)-1].Segments {
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

func contained(name string, fits func(string) bool, panicked func(name string, v any)) func(string) bool {
	var told sync.Once // clients choose the values, and could fill the log
	return func(value string) (ok bool) {
		defer func() {
			if v := recover(); v != nil {
				told.Do(func() { panicked(name, v) })
				ok = false
			}
		}()
		return fits(value)
	}
}

// tellNeighbours warns of parameters with different matchers in one place: a person who
// reads the tree may not know which of them comes first.
func (t *Tree) tellNeighbours() {
	type neighbour struct {
		segment pattern.Segment
		file    string
	}
	type place struct {
		prefix string
		kind   pattern.Kind
	}
	all := map[place][]neighbour{} // the first of each matcher
	for _, r := range t.Routes {
		for _, p := range r.Patterns {
			for i, seg := range p.Segments {
				if seg.Matcher == nil {
					continue
				}
				at := place{pattern.New(p.Segments[:i]).Key(), seg.Kind}
				known := false
				for _, n := range all[at] {
					known = known || n.segment.Matcher == seg.Matcher
				}
				if !known {
					all[at] = append(all[at], neighbour{seg, r.File})
				}
			}
		}
	}
	for _, neighbours := range all {
		for i, a := range neighbours {
			for _, b := range neighbours[:i] {
				first, second := a, b
				if first.segment.Matcher.Name > second.segment.Matcher.Name {
					first, second = second, first
				}
				t.Faults = append(t.Faults, fault.Warn(second.file, 0, "%s stands beside %s of %s: a value that both match is for %s, since matchers are tried in the order of their names",
					written(second.segment), written(first.segment), first.file, written(first.segment)))
			}
		}
	}
}

// written returns how a segment with a matcher is written in the tree.
func written(s pattern.Segment) string {
	dots := ""
	if s.Kind == pattern.Rest {
		dots = "..."
	}
	return fmt.Sprintf("[%s%s=%s]", dots, s.Text, s.Matcher.Name)
}
