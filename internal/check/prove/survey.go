package prove

import (
	"slices"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
)

// An element is an element of a page, with what is around it.
type element struct {
	*markup.Element
	parent *element         // nil for the outermost ones
	under  guards           // the conditions under which it is there
	shown  guards           // those, and the ones under which no element around it is hidden
	loops  []*[]markup.Item // the bodies of the loops that it is in, from the outside in
	each   *markup.Repeat   // the innermost loop, if no condition or jump is in between
	hidden bool             // nobody perceives it, as long as no script shows it
}

// A survey is a page as a list of elements.
type survey struct {
	*Page
	items    []markup.Item
	elements []*element // in the order of the page
	ids      index      // the elements that may have an id
	labels   index      // the <label> elements, by their attribute for
	// anyHTML says that an action may write HTML, and anyHTMLInHead that it may do so in front of <body>.
	// anyID says that an action may write attributes, such as an id.
	anyHTML, anyHTMLInHead, anyID bool
	found                         []fault.Fault
}

// An index has elements by the value of an attribute.
type index struct {
	by       map[string][]*element
	computed []string // the values that actions write, with a pattern.Hole for each action
}

func (x *index) add(value string, e *element) {
	if strings.Contains(value, pattern.Hole) {
		x.computed = append(x.computed, value)
	} else if all := x.by[value]; len(all) == 0 || all[len(all)-1] != e {
		x.by[value] = append(all, e)
	}
}

// mayCompute reports whether an action may write a value, which may have holes itself.
func (x *index) mayCompute(value string) bool {
	return slices.ContainsFunc(x.computed, func(c string) bool { return mayBeEqual(c, value) })
}

// mayBeEqual reports whether two texts may be equal, in which a pattern.Hole stands for any text.
func mayBeEqual(a, b string) bool {
	beginA, endA := ends(a)
	beginB, endB := ends(b)
	return (strings.HasPrefix(beginA, beginB) || strings.HasPrefix(beginB, beginA)) && (strings.HasSuffix(endA, endB) || strings.HasSuffix(endB, endA))
}

// ends returns what is in front of the first hole in a text and behind the last one, each of which is all
// of the text if it has none.
func ends(text string) (begin, end string) {
	begin, _, _ = strings.Cut(text, pattern.Hole)
	return begin, text[strings.LastIndex(text, pattern.Hole)+1:]
}

// newSurvey makes the survey of a page.
func newSurvey(p *Page) *survey {
	s := &survey{Page: p, items: markup.Build(p.Nodes), ids: index{by: map[string][]*element{}}, labels: index{by: map[string][]*element{}}}
	s.list(s.items, element{})
	return s
}

// list adds the elements among items. at is the place of the items, without an Element.
func (s *survey) list(items []markup.Item, at element) {
	for _, i := range items {
		switch i := i.(type) {
		case *markup.Element:
			e := at
			e.Element = i
			s.add(&e)
		case *markup.Fork:
			s.list(i.Then, at.given(i.Cond))
			s.list(i.Else, at.given(i.Cond.Opposite()))
		case *markup.Repeat:
			body, otherwise := at, at
			body.loops, otherwise.loops = append(slices.Clip(at.loops), &i.Body), append(slices.Clip(at.loops), &i.Else)
			if body.each, otherwise.each = i, nil; i.Jumps {
				body.each = nil
			}
			s.list(i.Body, body)
			s.list(i.Else, otherwise)
		case *markup.Hole:
			if s.writesHTML(i) {
				s.anyHTML = true
				s.anyHTMLInHead = s.anyHTMLInHead || !at.isIn("body")
			}
		}
	}
}

// given returns a place behind one more condition.
func (e element) given(c markup.Cond) element {
	e.under, e.shown, e.each = e.under.with(c), e.shown.with(c), nil
	return e
}

// add adds an element and those in it.
func (s *survey) add(e *element) {
	s.elements = append(s.elements, e)
	inside := element{parent: e, under: e.under, shown: e.shown, loops: e.loops, each: e.each, hidden: e.hidden}
	var visible []*markup.Way
	for i := range e.Ways {
		w := &e.Ways[i]
		if !hides(w) {
			visible = append(visible, w)
		}
		if id, ok := w.Get("id"); ok {
			s.ids.add(id.Value, e)
		} else {
			s.anyID = s.anyID || w.MoreAttrs
		}
		if a, ok := w.Get("for"); ok && isLabel(w) {
			s.labels.add(a.Value, e)
		}
	}
	switch len(visible) {
	case 0:
		inside.hidden = true
	case 1:
		if len(e.Ways) > 1 {
			inside.shown = append(slices.Clip(e.shown), visible[0].When...)
		}
	}
	e.hidden = inside.hidden
	s.list(e.Kids, inside)
}

// isThere reports whether an element surely is there wherever the guards hold, as far as loops go that may
// have no turns.
func (e *element) isThere(g guards) bool {
	return g.holdAll(e.under) && !slices.ContainsFunc(e.Ways, func(w markup.Way) bool { return w.Name == "" && !g.excludes(w.When) })
}

// mayBeThere reports whether an element may be there, in a way for which has is true, where the guards
// hold.
func (e *element) mayBeThere(g guards, has func(*markup.Way) bool) bool {
	if g.excludes(e.under) {
		return false
	}
	for i := range e.Ways {
		if w := &e.Ways[i]; !g.excludes(w.When) && has(w) {
			return true
		}
	}
	return false
}

// mayHave reports whether an element may be there with a value of an attribute, where the guards hold.
func (e *element) mayHave(name, value string, g guards) bool {
	return e.mayBeThere(g, func(w *markup.Way) bool {
		a, ok := w.Get(name)
		return ok && a.Value == value
	})
}

// condsFor returns the conditions of an element and of items in it that are asked wherever another element
// is. Others are no evidence for that place: {{if .List}} is never false where {{range .List}} has a turn,
// nor {{if eq .K "a"}} where {{if eq .K "b"}} holds.
func (e *element) condsFor(other *element, content ...markup.Item) []markup.Cond {
	if !slices.Equal(e.loops, other.loops) {
		return nil
	}
	shared := 0 // the number of the conditions of e up to the last one that is around the other element, too
	for _, c := range other.shown {
		i := slices.IndexFunc(e.under, c.Is)
		if i < 0 {
			return nil
		}
		shared = max(shared, i+1)
	}
	return slices.Concat(ofWays(e.Ways), e.under[shared:], conds(content))
}

// isInLoopsOf reports whether another element stands in all loops that e stands in.
func (e *element) isInLoopsOf(other *element) bool {
	return len(e.loops) <= len(other.loops) && slices.Equal(e.loops, other.loops[:len(e.loops)])
}

// isIn reports whether one of the elements around may have a name.
func (e *element) isIn(name string) bool {
	for p := e.parent; p != nil; p = p.parent {
		if slices.ContainsFunc(p.Ways, func(w markup.Way) bool { return w.Name == name }) {
			return true
		}
	}
	return false
}

// hides reports whether an element of this way is hidden from people, with all that is in it, or may
// be, as an action decides.
func hides(w *markup.Way) bool {
	for _, a := range w.Attrs {
		switch a.Name {
		case "hidden", "inert":
			return true
		case "aria-hidden":
			if a.Value == "true" || strings.Contains(a.Value, pattern.Hole) {
				return true
			}
		case "style":
			for declaration := range strings.SplitSeq(a.Value, ";") {
				property, value, _ := strings.Cut(strings.ToLower(declaration), ":")
				property, value = strings.TrimSpace(property), strings.TrimSpace(value)
				if strings.Contains(property, pattern.Hole) || isHiding[property+":"+strings.TrimSuffix(value, "!important")] ||
					strings.Contains(value, pattern.Hole) && (property == "display" || property == "visibility") {
					return true
				}
			}
		}
	}
	return w.Name == "template" || w.Name == "noscript"
}

var isHiding = map[string]bool{"display:none": true, "visibility:hidden": true, "visibility:collapse": true}
