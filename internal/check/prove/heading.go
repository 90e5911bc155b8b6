package prove

import (
	"slices"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/routes/pattern"
)

// A heading is the last heading in front of a place, or that there is none.
type heading struct {
	level int // 0 if there is none, unknownLevel if it is not known
	at    markup.Place
	when  []markup.Cond // it is the last one only then
	// apart says that the conditions are no evidence here: they are asked elsewhere than behind all conditions
	// and in all loops around the place, or a loop decides, too.
	apart bool
}

const unknownLevel = -1

// maxHeadings is the number of headings that may be the last one. If there are more, none is known.
const maxHeadings = 16

// headings is about headings that leave out a level.
func (s *survey) headings() {
	if !s.Part {
		s.order(s.items, []heading{{}}, nil)
	}
}

// order reads headings among items. last are those that may be the last one in front of them. It returns
// those that may be the last one behind them.
func (s *survey) order(items []markup.Item, last []heading, g guards) []heading {
	for _, i := range items {
		switch i := i.(type) {
		case *markup.Hole:
			if s.writesHTML(i) {
				last = []heading{{level: unknownLevel}}
			}
		case *markup.Fork:
			last = s.fork(i, last, g)
		case *markup.Repeat:
			body, otherwise := s.orderApart(i.Body, last, g), s.orderApart(i.Else, last, g)
			last = join(last, withoutConds(body, last), withoutConds(otherwise, last))
		case *markup.Element:
			last = s.orderIn(i, last, g)
		}
	}
	return last
}

// same reports whether no heading was read between two places.
func same(a, b []heading) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// join returns the headings of several ways to a place.
func join(last []heading, more ...[]heading) []heading {
	all := last
	for _, others := range more {
		if !same(last, others) {
			all = append(slices.Clip(all), others...)
		}
	}
	if len(all) > maxHeadings {
		return []heading{{level: unknownLevel}}
	}
	return all
}

// orderApart is order for a side of a condition, or for a loop.
func (s *survey) orderApart(items []markup.Item, last []heading, g guards) []heading {
	before := slices.Clone(last)
	for i := range before {
		before[i].apart = true
	}
	if after := s.order(items, before, g); !same(after, before) {
		return after
	}
	return last
}

// withoutConds returns the headings behind a loop, if last are those in front of it.
func withoutConds(after, last []heading) []heading {
	if same(after, last) {
		return after
	}
	all := slices.Clone(after)
	for i := range all {
		all[i].apart, all[i].when = true, nil
	}
	return all
}

// fork is order for the two sides of a condition.
func (s *survey) fork(f *markup.Fork, last []heading, g guards) []heading {
	var all []heading
	changed := false
	for _, side := range []struct {
		cond  markup.Cond
		items []markup.Item
	}{{f.Cond, f.Then}, {f.Cond.Opposite(), f.Else}} {
		g := g.with(side.cond)
		before := possible(last, g)
		after := s.orderApart(side.items, before, g)
		changed = changed || !same(before, after)
		for _, h := range after {
			if !guards(h.when).holds(side.cond) { // else it would grow with each {{if}} of one condition
				h.when = append(slices.Clip(h.when), side.cond)
			}
			all = append(all, h)
		}
	}
	if !changed {
		return last
	}
	return join(nil, all)
}

// possible returns the headings that may be the last one where the guards hold.
func possible(last []heading, g guards) []heading {
	if !slices.ContainsFunc(last, func(h heading) bool { return g.excludes(h.when) }) {
		return last
	}
	return slices.DeleteFunc(slices.Clone(last), func(h heading) bool { return g.excludes(h.when) })
}

// orderIn is order for an element.
func (s *survey) orderIn(e *markup.Element, last []heading, g guards) []heading {
	headings, hidden, apart, unknown := 0, 0, false, false
	for i := range e.Ways {
		w := &e.Ways[i]
		apart = apart || w.Has("popover") || w.Name == "dialog"
		unknown = unknown || strings.Contains(w.Name, "-")
		switch {
		case hides(w) || w.Name == "svg":
			hidden++
		case levelOf(w) != 0:
			headings++
		}
	}
	switch {
	case hidden == len(e.Ways):
		return last
	case headings > 0:
		return s.heading(e, last, g)
	case apart: // it is not shown together with what is around it
		s.order(e.Kids, []heading{{}}, g)
		return last
	case unknown:
		s.order(e.Kids, []heading{{level: unknownLevel}}, g)
		return []heading{{level: unknownLevel}}
	}
	return s.order(e.Kids, last, g)
}

// levelOf returns the level of a heading, and 0 for another element.
func levelOf(w *markup.Way) int {
	switch {
	case strings.Contains(w.Name+w.Value("role"), pattern.Hole), w.Value("role") == "heading":
		return unknownLevel
	case len(rulesOf[w.Name]) == 0 || rulesOf[w.Name][0] != emptyHeading || w.Has("role"):
		return 0
	case w.Has("aria-level"):
		return unknownLevel
	}
	return int(w.Name[1] - '0')
}

// heading reports a heading that leaves out a level. It returns those that may be the last one behind it.
func (s *survey) heading(e *markup.Element, last []heading, g guards) (after []heading) {
	conds := ofWays(e.Ways)
	for _, h := range last {
		if !h.apart {
			conds = append(conds, h.when...)
		}
	}
	var at markup.Place
	var own int
	var before heading
	words, ok := s.when(g, conds, func(g guards) bool {
		own = 0
		for i := range e.Ways {
			w := &e.Ways[i]
			if g.excludes(w.When) || hides(w) {
				continue
			}
			level := levelOf(w)
			for _, h := range possible(last, append(slices.Clip(g), w.When...)) {
				if h.level <= 0 || level <= h.level+1 {
					return false
				}
				at, own, before = w.Place, level, h
			}
		}
		return own > 0
	})
	if ok {
		page := ""
		if at.File != before.at.File {
			page = s.onPage(at)
		}
		s.found = append(s.found, s.warn(at, "<h%d> follows <h%d>%s: a level is left out%s", own, before.level, words, page))
	}
	for i := range e.Ways {
		w := &e.Ways[i]
		if level := levelOf(w); level != 0 && !hides(w) {
			after = append(after, heading{level: level, at: w.Place, when: w.When})
			continue
		}
		for _, h := range last {
			h.when = append(slices.Clip(h.when), w.When...)
			after = append(after, h)
		}
	}
	return join(nil, after)
}
