package prove

import (
	"html"
	"slices"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/routes/pattern"
)

// isNamed reports whether an attribute gives an element a name, or may do so.
func isNamed(w *markup.Way) bool {
	return w.MoreAttrs || isFilled(w, "aria-label", "aria-labelledby", "title") || isWritten(w)
}

// isFilled reports whether one of the attributes has a value.
func isFilled(w *markup.Way, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return w.Value(name) != "" })
}

// isWritten reports whether scripts may write content or attributes of an element as soon as the page is
// there, as libraries do for such attributes.
func isWritten(w *markup.Way) bool {
	return slices.ContainsFunc(w.Attrs, func(a markup.Attr) bool {
		return slices.ContainsFunc(writers, func(prefix string) bool { return strings.HasPrefix(a.Name, prefix) })
	})
}

// writers are the beginnings of the names of these attributes.
var writers = []string{
	":", "x-bind", "x-text", "x-html", "v-bind", "v-text", "v-html", // Alpine and Vue
	"data-text", "data-html", "data-bind", "data-attr", "data-i18n", "data-l10n", // others
}

// isSwapped reports whether htmx may swap content into an element before somebody uses the element. It
// writes no attributes, so that this says nothing about fields and images.
func isSwapped(w *markup.Way) bool {
	byItself, asks := false, sentByHTMX(w)
	for _, a := range w.Attrs {
		switch name, _, modified := strings.Cut(htmxName(a.Name), ":"); name {
		case "sse-swap", "hx-sse", "hx-ws":
			return true
		case "hx-action":
			asks = true
		case "hx-trigger":
			byItself = byItself || modified || happensByItself(a.Value)
		}
	}
	return asks && byItself
}

// happensByItself reports whether one of the events of hx-trigger may happen while nobody uses the element.
func happensByItself(events string) bool {
	for event := range strings.SplitSeq(events, ",") {
		event = strings.TrimSpace(event)
		name := event[:len(event)-len(strings.TrimLeft(event, "abcdefghijklmnopqrstuvwxyz"))]
		if !isOfUser[name] || strings.Contains(event, "from:") || strings.Contains(event, pattern.Hole) {
			return true
		}
	}
	return false
}

// isOfUser has events that happen when somebody uses the element.
var isOfUser = markup.Names("click dblclick change input submit keydown keyup keypress focus blur mousedown mouseup mouseenter mouseleave mouseover touchstart touchend")

// isPresentational reports whether an element has no meaning of its own, or another one.
func isPresentational(w *markup.Way) bool {
	role := w.Value("role")
	return role == "none" || role == "presentation" || strings.Contains(role, pattern.Hole)
}

// Elements in which there is no text that names what is around them, and those whose content is not
// known.
var (
	isSilent = markup.Names("br hr wbr script style template noscript select datalist textarea input img meta link source track col area")
	isOpaque = markup.Names("object iframe video audio canvas embed math slot selectedcontent")
)

// isEmpty reports whether items surely have no text, and no image with one, where the guards hold.
func isEmpty(items []markup.Item, g guards) bool {
	return !slices.ContainsFunc(items, func(i markup.Item) bool { return !isEmptyItem(i, g) })
}

func isEmptyItem(i markup.Item, g guards) bool {
	switch i := i.(type) {
	case *markup.Text:
		return strings.TrimSpace(html.UnescapeString(i.Text)) == ""
	case *markup.Fork:
		return (g.holds(i.Cond.Opposite()) || isEmpty(i.Then, g.with(i.Cond))) && (g.holds(i.Cond) || isEmpty(i.Else, g.with(i.Cond.Opposite())))
	case *markup.Repeat:
		return isEmpty(i.Body, g) && isEmpty(i.Else, g)
	case *markup.Element:
		if i.EndUnknown {
			return false
		}
		for _, w := range i.Ways {
			if !g.excludes(w.When) && !isEmptyWay(&w, i.Kids, g) {
				return false
			}
		}
		return true
	}
	return false
}

// isEmptyWay is isEmpty for an element of this way.
func isEmptyWay(w *markup.Way, kids []markup.Item, g guards) bool {
	switch {
	case hides(w):
		return true
	case isNamed(w), isSwapped(w), isOpaque[w.Name], strings.Contains(w.Name, "-"), strings.Contains(w.Name, pattern.Hole):
		return false
	case w.Name == "img":
		return w.Has("alt") && !isFilled(w, "alt") // of one without alt, the rule for images tells
	case w.Name == "input" && (isButton[strings.ToLower(w.Value("type"))] || strings.Contains(w.Value("type"), pattern.Hole)):
		return false
	}
	return isSilent[w.Name] || isEmpty(kids, g)
}

// isButton has the types of <input> that are buttons.
var isButton = markup.Names("submit reset button image")

// conds returns the first of the conditions among items, but not those in loops, which may have another
// outcome each time.
func conds(items []markup.Item) (all []markup.Cond) {
	for _, i := range items {
		if len(all) >= maxConds {
			break
		}
		switch i := i.(type) {
		case *markup.Fork:
			all = append(append(append(all, i.Cond), conds(i.Then)...), conds(i.Else)...)
		case *markup.Element:
			all = append(append(all, ofWays(i.Ways)...), conds(i.Kids)...)
		}
	}
	return all
}

// ofWays returns the conditions of ways.
func ofWays(ways []markup.Way) (all []markup.Cond) {
	for _, w := range ways {
		all = append(all, w.When...)
	}
	return all
}
