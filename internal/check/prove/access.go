package prove

import (
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
)

// Accessibility returns warnings about what keeps people from using the page who do not see it, or
// who use the keyboard.
func (p *Page) Accessibility() []fault.Fault {
	s := newSurvey(p)
	for _, e := range s.elements {
		if e.hidden {
			continue
		}
		var all []*rule
		for i := range e.Ways {
			for _, r := range rulesOf[e.Ways[i].Name] {
				if !slices.Contains(all, r) {
					all = append(all, r)
				}
			}
			if e.Ways[i].Has("tabindex") && !slices.Contains(all, tabIndex) {
				all = append(all, tabIndex)
			}
		}
		for _, r := range all {
			s.judge(e, r)
		}
	}
	s.title()
	s.duplicates()
	s.references()
	s.headings()
	return s.found
}

// A rule says what is wrong about an element.
type rule struct {
	// says returns what is wrong about an element of this way wherever the guards hold, in two parts
	// between which a condition is told. It returns nothing if that is not sure.
	says func(s *survey, e *element, w *markup.Way, g guards) (what, remedy string)
	// conds returns the conditions that may matter, but for those of the ways of the element. It may be nil.
	conds func(s *survey, e *element) []markup.Cond
}

// judge says what a rule says about an element each time, or under one condition.
func (s *survey) judge(e *element, r *rule) {
	var at markup.Place
	var what, remedy string
	all := ofWays(e.Ways)
	if r.conds != nil {
		all = append(all, r.conds(s, e)...)
	}
	words, ok := s.when(e.shown, all, func(g guards) bool {
		what = ""
		for i := range e.Ways {
			w := &e.Ways[i]
			if w.Name == "" || hides(w) || g.excludes(w.When) {
				continue
			}
			if r != tabIndex && !slices.Contains(rulesOf[w.Name], r) {
				return false
			}
			first, second := r.says(s, e, w, g)
			if first == "" {
				return false
			}
			if what == "" {
				at, what, remedy = w.Place, first, second
			}
		}
		return what != ""
	})
	if ok {
		s.found = append(s.found, s.warn(at, "%s%s%s", what, words, remedy))
	}
}

// rulesOf has the rules for an element, by its name.
var rulesOf = map[string][]*rule{
	"img":      {image},
	"input":    {image, unlabelled, nested},
	"select":   {unlabelled, nested},
	"textarea": {unlabelled, nested},
	"button":   {unnamed, nested},
	"a":        {unnamed, nested},
	"summary":  {unnamed},
	"h1":       {emptyHeading}, "h2": {emptyHeading}, "h3": {emptyHeading}, "h4": {emptyHeading}, "h5": {emptyHeading}, "h6": {emptyHeading},
	"html":   {language},
	"iframe": {frame},
	"meta":   {viewport, refresh},
}

// image is about images without a description.
var image = &rule{says: func(_ *survey, _ *element, w *markup.Way, _ guards) (what, remedy string) {
	switch {
	case isNamed(w) || isPresentational(w):
	case w.Name == "img" && !w.Has("alt"):
		return "<img> has no alt", `: describe the image, or write alt="" if it only adorns`
	case w.Name == "input" && typeOf(w) == "image" && !isFilled(w, "alt"):
		return `<input type="image"> has no alt`, ": write what the button does"
	}
	return "", ""
}}

// typeOf returns the type of an <input>, with a pattern.Hole if an action decides.
func typeOf(w *markup.Way) string { return strings.ToLower(strings.TrimSpace(w.Value("type"))) }

// unnamed is about buttons and links in which there is nothing to read.
var unnamed = &rule{says: func(s *survey, e *element, w *markup.Way, g guards) (what, remedy string) {
	if w.Name == "a" && !w.Has("href") || w.Name == "summary" && (e.parent == nil || e.parent.Ways[0].Name != "details") || e.EndUnknown || isNamed(w) || isSwapped(w) || isPresentational(w) || !isEmpty(e.Kids, g) {
		return "", ""
	}
	if w.Name == "button" && s.mayHaveLabel(e, w) {
		return "", ""
	}
	return "<" + w.Name + "> has no name", ": write text into it, or aria-label"
}, conds: func(_ *survey, e *element) []markup.Cond { return conds(e.Kids) }}

// emptyHeading is about headings in which there is nothing to read.
var emptyHeading = &rule{says: func(_ *survey, e *element, w *markup.Way, g guards) (what, remedy string) {
	if w.Has("role") || e.EndUnknown || isNamed(w) || isSwapped(w) || !isEmpty(e.Kids, g) {
		return "", ""
	}
	return "<" + w.Name + "> is empty", ": write text into it"
}, conds: unnamed.conds}

// language is about pages that do not say their language.
var language = &rule{says: func(_ *survey, _ *element, w *markup.Way, _ guards) (what, remedy string) {
	if w.Has("xml:lang") || w.MoreAttrs || isFilled(w, "lang") || isWritten(w) {
		return "", ""
	}
	return "<html> has no lang", `: write lang="en" or the like`
}}

// frame is about frames that do not say what they show.
var frame = &rule{says: func(_ *survey, _ *element, w *markup.Way, _ guards) (what, remedy string) {
	if index, ok := w.Get("tabindex"); isNamed(w) || isPresentational(w) || ok && index.Value != "0" {
		return "", ""
	}
	return "<iframe> has no title", ": say what it shows"
}}

// nested is about buttons, links and controls in a link or a button.
var nested = &rule{says: func(_ *survey, e *element, w *markup.Way, g guards) (what, remedy string) {
	if e.ParentUnknown || !isInteractive(w) {
		return "", ""
	}
	for p := e.parent; p != nil; p = p.parent {
		outer := ""
		for _, w := range p.Ways {
			if g.excludes(w.When) {
				continue
			}
			if w.Name != "button" && !(w.Name == "a" && w.Has("href")) {
				outer = ""
				break
			}
			outer = w.Name
		}
		if outer != "" {
			if p.EndUnknown {
				return "", ""
			}
			return "<" + w.Name + "> stands in <" + outer + ">", ", and only one of them can be used"
		}
	}
	return "", ""
}, conds: func(_ *survey, e *element) (all []markup.Cond) {
	for p := e.parent; p != nil; p = p.parent {
		for _, w := range p.Ways {
			if w.Name == "a" || w.Name == "button" {
				all = append(all, p.condsFor(e)...)
				break
			}
		}
	}
	return all
}}

// isInteractive reports whether an element is surely one that people press or fill in.
func isInteractive(w *markup.Way) bool {
	switch w.Name {
	case "a":
		return w.Has("href")
	case "input":
		kind := typeOf(w)
		return kind != "hidden" && !w.MoreAttrs && !strings.Contains(kind, pattern.Hole)
	}
	return true
}

// tabIndex is about elements that the key Tab reaches before all others.
var tabIndex = &rule{says: func(_ *survey, _ *element, w *markup.Way, _ guards) (what, remedy string) {
	index := strings.TrimSpace(w.Value("tabindex"))
	if n, err := strconv.Atoi(index); err != nil || n <= 0 {
		return "", ""
	}
	return `tabindex="` + index + `" puts the element before all others`, `: write tabindex="0", and put it where it is to be reached`
}}

// viewport is about pages that cannot be enlarged.
var viewport = &rule{says: func(_ *survey, _ *element, w *markup.Way, _ guards) (what, remedy string) {
	if !strings.EqualFold(strings.TrimSpace(w.Value("name")), "viewport") {
		return "", ""
	}
	for part := range strings.FieldsFuncSeq(w.Value("content"), func(c rune) bool { return c == ',' || c == ';' }) {
		key, value, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(part, " ", "")), "=")
		number, err := strconv.ParseFloat(value, 64)
		switch {
		case key == "user-scalable" && (value == "no" || err == nil && -1 < number && number < 1),
			key == "maximum-scale" && err == nil && 0 <= number && number < 2:
			return "the viewport forbids zoom", ": leave " + strings.TrimSpace(part) + " out"
		}
	}
	return "", ""
}}

// longestStay is the number of seconds from which on a page may leave by itself (WCAG 2.2.1).
const longestStay = 20 * 60 * 60

// refresh is about pages that leave while somebody reads.
var refresh = &rule{says: func(_ *survey, _ *element, w *markup.Way, _ guards) (what, remedy string) {
	if !strings.EqualFold(strings.TrimSpace(w.Value("http-equiv")), "refresh") {
		return "", ""
	}
	seconds, _, _ := strings.Cut(strings.NewReplacer(",", ";", " ", ";").Replace(strings.TrimSpace(w.Value("content"))), ";")
	if n, err := strconv.ParseFloat(seconds, 64); err != nil || n < 1 || n > longestStay {
		return "", ""
	}
	return "the page leaves by itself", ": write a link, or content=\"0\", since some people read slowly"
}}

// title is about pages without a title.
func (s *survey) title() {
	if s.Part {
		return
	}
	var titles []*element
	var root *element
	for _, e := range s.elements {
		switch {
		case slices.ContainsFunc(e.Ways, func(w markup.Way) bool { return w.Name == "title" }) && !e.isIn("svg"):
			titles = append(titles, e)
		case e.Ways[0].Name == "html" && root == nil:
			root = e
		}
	}
	for i, t := range titles {
		if slices.ContainsFunc(titles[:i], func(first *element) bool { return first.isThere(t.under) }) {
			continue // browsers take the first one
		}
		all := append(ofWays(t.Ways), conds(t.Kids)...)
		if words, ok := s.when(t.shown, all, func(g guards) bool { return !t.EndUnknown && t.isThere(g) && isEmpty(t.Kids, g) }); ok {
			s.found = append(s.found, s.warn(t.Ways[0].Place, "<title> is empty%s%s: define what goes there", words, s.onPage(t.Ways[0].Place)))
		}
	}
	if root == nil || s.anyHTMLInHead {
		return
	}
	var all []markup.Cond
	for _, t := range titles {
		all = append(all, t.condsFor(root)...)
	}
	if words, ok := s.when(root.shown, all, func(g guards) bool {
		return !slices.ContainsFunc(titles, func(t *element) bool { return t.mayBeThere(g, func(w *markup.Way) bool { return w.Name == "title" }) })
	}); ok {
		at := root.Ways[0].Place
		s.found = append(s.found, s.warn(at, "<html>: the page has no <title>%s%s", words, s.onPage(at)))
	}
}

// onPage returns words that name the page, if a place is not in its file.
func (s *survey) onPage(at markup.Place) string {
	if at.File == s.File {
		return ""
	}
	return s.Named()
}
