package prove

import (
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/routes/pattern"
)

// unlabelled is about fields that do not say what belongs into them.
var unlabelled = &rule{
	says: func(s *survey, e *element, w *markup.Way, g guards) (what, remedy string) {
		what = "<" + w.Name + ">"
		if kind := typeOf(w); w.Name == "input" {
			value, written := w.Get("value")
			switch {
			case value.Value == "" && (kind == "button" || written && (kind == "submit" || kind == "reset")) && !isNamed(w) && !s.mayHaveLabel(e, w):
				return `<input type="` + kind + `"> has no name`, ": write a value"
			case kind == "hidden", isButton[kind], strings.Contains(kind, pattern.Hole) && !s.isShown(w):
				return "", ""
			}
		}
		if s.Part || e.ParentUnknown || w.MoreAttrs || isFilled(w, "aria-label", "title", "placeholder") || isWritten(w) || isPresentational(w) || s.isNamedBy(w, g) {
			return "", ""
		}
		around, emptyAround := labelAround(e, g)
		behind, emptyFor := s.labelFor(w, g)
		switch {
		case around || behind:
			return "", ""
		case emptyAround:
			return what + " has no name", ": the <label> around it is empty"
		case emptyFor:
			return what + " has no name", ": the <label> for it is empty"
		}
		return what + " has no label", ": put a <label> around it or give one its id, or write aria-label"
	},
	conds: func(s *survey, e *element) (all []markup.Cond) {
		for p := e.parent; p != nil; p = p.parent {
			if slices.ContainsFunc(p.Ways, func(w markup.Way) bool { return isLabel(&w) }) {
				all = append(all, p.condsFor(e, p.Kids...)...)
				break
			}
		}
		for i := range e.Ways {
			w := &e.Ways[i]
			for _, l := range few(s.labels.by[w.Value("id")]) {
				all = append(all, l.condsFor(e, l.Kids...)...)
			}
			for id := range strings.FieldsSeq(w.Value("aria-labelledby")) {
				for _, o := range few(s.ids.by[id]) {
					all = append(all, o.condsFor(e)...)
				}
			}
		}
		return all
	},
}

// few returns the first of elements, since no rule tries more than maxConds conditions.
func few(all []*element) []*element { return all[:min(maxConds, len(all))] }

// isShown reports whether an action writes the whole type of an <input>, and surely one that people see.
func (s *survey) isShown(w *markup.Way) bool {
	kind, _ := w.Get("type")
	if kind.Value != pattern.Hole || len(kind.Holes) != 1 || s.Shown == nil {
		return false
	}
	n, isAction := kind.Holes[0].(*parse.ActionNode)
	return isAction && s.Shown(n)
}

func isLabel(w *markup.Way) bool { return w.Name == "label" }

// labelAround reports whether there may be a label around a field that is not empty, where the guards hold,
// or else whether there is one that is empty.
func labelAround(e *element, g guards) (filled, empty bool) {
	for p := e.parent; p != nil; p = p.parent {
		if !p.mayBeThere(g, isLabel) {
			continue
		}
		if p.EndUnknown || p.mayBeThere(g, isSwapped) || p.mayBeThere(g, func(w *markup.Way) bool { return !isLabel(w) }) || !isEmpty(p.Kids, g) {
			return true, false
		}
		return false, true
	}
	return false, false
}

// labelFor is labelAround for labels that name the id of a field.
func (s *survey) labelFor(w *markup.Way, g guards) (filled, empty bool) {
	id := w.Value("id")
	if id == "" {
		return false, false
	}
	if s.anyHTML || s.labels.mayCompute(id) {
		return true, false
	}
	if strings.Contains(id, pattern.Hole) {
		for value := range s.labels.by {
			if mayBeEqual(value, id) {
				return true, false
			}
		}
	}
	for _, l := range s.labels.by[id] {
		if l.mayBeThere(g, isLabel) {
			if l.EndUnknown || l.mayBeThere(g, isSwapped) || !isEmpty(l.Kids, g) {
				return true, false
			}
			empty = true
		}
	}
	return false, empty
}

// isNamedBy reports whether something that aria-labelledby names may be there where the guards hold. If
// nothing on the page has the id, that is told of the reference.
func (s *survey) isNamedBy(w *markup.Way, g guards) bool {
	for id := range strings.FieldsSeq(w.Value("aria-labelledby")) {
		all := s.ids.by[id]
		if s.anyHTML || s.anyID || len(all) == 0 || s.ids.mayCompute(id) || slices.ContainsFunc(all, func(o *element) bool { return o.mayHave("id", id, g) }) {
			return true
		}
	}
	return false
}

// mayHaveLabel reports whether there may be a label for an element, be it empty or not.
func (s *survey) mayHaveLabel(e *element, w *markup.Way) bool {
	for p := e.parent; p != nil; p = p.parent {
		if p.mayBeThere(e.shown, isLabel) {
			return true
		}
	}
	filled, empty := s.labelFor(w, e.shown)
	return filled || empty
}
