package prove

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/routes/pattern"
)

// inside returns what is written behind a tag up to its end tag. written is false if that may be nothing,
// and known is false if it is not just the text.
func inside(content []markup.Node) (text string, written, known bool) {
	known = true
	for _, n := range content {
		switch n := n.(type) {
		case *markup.Text:
			text += n.Text
			// html/template removes comments.
			known, written = known && !strings.Contains(n.Text, "/*") && !strings.Contains(n.Text, "//") && !strings.Contains(n.Text, "<!--"), true
		case *markup.Hole:
			known, written = false, true
		case *markup.Call:
			_, more, _ := inside(n.Nodes)
			known, written = false, written || more
		case *markup.End, *markup.Tag:
			return text, written, known
		default:
			known = false
		}
	}
	return text, written, known
}

// A scriptKind is what browsers make of the content of a script.
type scriptKind uint8

const (
	dataBlock scriptKind = iota // nothing
	javaScript
	importMap
	speculationRules
)

// javaScriptType matches the media types of JavaScript (WHATWG MIME Sniffing, section 4.6).
var javaScriptType = regexp.MustCompile(`^((text|application)/(x-)?(java|ecma)script|text/(jscript|livescript|javascript1\.[0-5]))$`)

// kindOf returns the kind of a script. It reports false if an action decides.
func kindOf(w *markup.Way) (k scriptKind, known bool) {
	a, typed := w.Get("type")
	name := strings.ToLower(strings.TrimSpace(a.Value))
	switch {
	case strings.Contains(name, pattern.Hole), w.MoreAttrs && !typed:
		return dataBlock, false
	case a.Value == "", name == "module", javaScriptType.MatchString(name):
		return javaScript, true
	case name == "importmap":
		return importMap, true
	case name == "speculationrules":
		return speculationRules, true
	}
	return dataBlock, true
}

// Scripts says whether a page runs scripts.
type Scripts uint8

const (
	NoScript Scripts = iota
	// MaybeScript is the answer for a page with an action that may write HTML, attributes or the type
	// of a script.
	MaybeScript
	HasScript
)

// Scripts returns whether the page runs scripts of its own, under some condition at least: elements,
// attributes or javascript: URLs.
func (p *Page) Scripts() (s Scripts) {
	eachLive(p.Nodes, func(n markup.Node, at spot) {
		if at.inTemplate {
			return
		}
		if tag, ok := n.(*markup.Tag); ok {
			for i := range tag.Ways {
				s = max(s, scripts(&tag.Ways[i], at.rest))
			}
		} else if call, ok := n.(*markup.Call); p.writesHTML(n) || ok && !call.Followed {
			s = max(s, MaybeScript)
		}
	})
	return s
}

// scripts returns whether a tag runs a script. rest is what follows it.
func scripts(w *markup.Way, rest []markup.Node) (s Scripts) {
	if w.MoreAttrs || w.Has("srcdoc") {
		s = MaybeScript
	}
	if w.Name == "script" {
		_, written, _ := inside(rest)
		switch kind, known := kindOf(w); {
		case !known:
			s = MaybeScript
		case kind != dataBlock && (w.Has("src") || written):
			return HasScript
		}
	}
	for _, a := range w.Attrs {
		if events[a.Name] || runsCode(w, a) {
			return HasScript
		}
	}
	return s
}

// runsCode reports whether an attribute is a link or the like with a javascript: URL.
func runsCode(w *markup.Way, a markup.Attr) bool {
	return slices.Contains(strings.Fields(navigations[a.Name]), w.Name) && parseURL(a.Value).scheme == "javascript"
}

// A spot is where a node stands.
type spot struct {
	rest       []markup.Node // what follows it
	around     guards
	inTemplate bool // in <template>, where browsers make nothing of it but of some attributes
}

// eachLive visits the nodes that browsers act on. Those that run scripts make nothing of what stands
// in <noscript>.
func eachLive(nodes []markup.Node, visit func(markup.Node, spot)) {
	open := map[string]int{"template": 0, "noscript": 0}
	var each func([]markup.Node, guards)
	each = func(nodes []markup.Node, around guards) {
		for i, n := range nodes {
			if open["noscript"] == 0 {
				visit(n, spot{nodes[i+1:], around, open["template"] > 0})
			}
			switch n := n.(type) {
			case *markup.Tag:
				if _, ok := open[n.Ways[0].Name]; ok {
					open[n.Ways[0].Name]++
				}
			case *markup.End:
				if open[n.Name] > 0 {
					open[n.Name]--
				}
			case *markup.Branch:
				before := maps.Clone(open)
				each(n.Then, around.with(n.Cond))
				then := open
				open = before
				each(n.Else, around.with(n.Cond.Opposite()))
				for name := range open {
					open[name] = max(open[name], then[name])
				}
			case *markup.Loop:
				each(n.Body, around)
				each(n.Else, around)
			case *markup.Call:
				each(n.Nodes, around)
			}
		}
	}
	each(nodes, nil)
}
