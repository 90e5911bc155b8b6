package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
)

// An idUse is an id of an element, with all conditions under which the element has it.
type idUse struct {
	*element
	under guards
	at    markup.Place
	once  bool // the element has it in all of its ways
}

// usesOf returns the uses of an id, in the order of the page.
func (s *survey) usesOf(id string) (all []idUse) {
	for _, e := range s.ids.by[id] {
		if e.hidden {
			continue
		}
		var own []idUse
		others := 0
		for i := range e.Ways {
			w := &e.Ways[i]
			if a, ok := w.Get("id"); !ok || a.Value != id {
				others++
			} else if !w.Partly {
				own = append(own, idUse{e, append(slices.Clip(e.under), w.When...), a.Place, false})
			}
		}
		if others == 0 && len(own) > 0 {
			own = []idUse{{e, e.under, own[0].at, true}}
		}
		all = append(all, own...)
	}
	return all
}

// duplicates is about ids that several elements have.
func (s *survey) duplicates() {
	if s.Part {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(s.ids.by)) {
		if id == "" {
			continue
		}
		all := s.usesOf(id)
		for i, u := range all {
			if u.each != nil && u.once {
				s.found = append(s.found, s.warn(u.at, `the page has the id %q more than once: this is written for each element of {{range %s}}`, id, u.each.Pipe))
			}
			for _, before := range all[:i] {
				if before.element == u.element || !before.isWhere(u) && !u.isWhere(before) {
					continue
				}
				if before.at == u.at {
					s.found = append(s.found, s.warn(u.at, `the page has the id %q more than once: this is written for each call of the template`, id))
					break
				}
				at, other := u.at, before.at
				if !before.isWhere(u) {
					at, other = other, at
				}
				s.found = append(s.found, s.warn(at, `the page has the id %q twice: see %s`, id, s.place(other)))
				break
			}
		}
	}
}

// isWhere reports whether an id is used wherever another use of it is.
func (u idUse) isWhere(other idUse) bool {
	return u.isInLoopsOf(other.element) && other.under.holdAll(u.under)
}

// referring are the attributes that name ids of other elements.
var referring = []struct {
	attr, element string // element is "" for all
}{{"for", "label"}, {"list", "input"}, {"aria-labelledby", ""}, {"aria-describedby", ""}}

// references is about attributes that name ids which nothing has.
func (s *survey) references() {
	if s.Part || s.anyHTML || s.anyID {
		return
	}
	for _, e := range s.elements {
		if e.hidden {
			continue
		}
		var told []string
		for i := range e.Ways {
			w := &e.Ways[i]
			for _, r := range referring {
				a, ok := w.Get(r.attr)
				if !ok || r.element != "" && r.element != w.Name || strings.Contains(a.Value, pattern.Hole) {
					continue
				}
				for id := range strings.FieldsSeq(a.Value) {
					what := fmt.Sprintf(`%s of <%s>: nothing on the page has the id %q`, r.attr, w.Name, id)
					if !slices.Contains(told, what) && s.reference(e, a, id, what) {
						told = append(told, what)
					}
				}
			}
		}
	}
}

// reference reports whether it has told that nothing has an id.
func (s *survey) reference(e *element, a markup.Attr, id, what string) bool {
	if s.ids.mayCompute(id) {
		return false
	}
	all := ofWays(e.Ways)
	for _, o := range s.ids.by[id] {
		if a.Name != "for" { // what is named may be left out together with the text
			return false
		}
		if len(all) < maxConds {
			all = append(all, o.condsFor(e)...)
		}
	}
	words, ok := s.when(e.shown, all, func(g guards) bool {
		names := func(w *markup.Way) bool {
			return slices.Contains(strings.Fields(w.Value(a.Name)), id)
		}
		return e.mayBeThere(g, names) && !e.mayBeThere(g, func(w *markup.Way) bool { return w.Name != "" && !names(w) }) &&
			!slices.ContainsFunc(s.ids.by[id], func(o *element) bool { return o.mayHave("id", id, g) })
	})
	if ok {
		meant := ""
		if s.ids.by[id] == nil {
			meant = fault.Suggest(id, s.ids.by, "")
		}
		s.found = append(s.found, s.warn(a.Place, "%s%s%s", what, words, meant))
	}
	return ok
}
