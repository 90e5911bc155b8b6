// Package prove says what is wrong on the pages of an application before anybody opens one: for
// people who cannot see a page, or use a keyboard, and under the policy that the Router sends. A
// [Page] is read as one, with its layouts and the templates that it calls, and with the conditions
// between them. So a label in a partial belongs to a field in the page.
//
// What is said is a warning, and true of each rendering, or of each in which one condition has one
// outcome, which the warning names. If that is not sure, nothing is said.
package prove

import (
	"fmt"
	"text/template/parse"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
)

// A Page is a page in its layouts with all templates that it calls, read as one.
type Page struct {
	File  string        // of the page, for messages
	Nodes []markup.Node // of the page in its layouts, with the templates that it calls
	// HTML reports whether an action may write HTML: the type of its value is unknown, an
	// interface, or template.HTML.
	HTML func(*parse.ActionNode) bool
	// Shown reports whether an action in the attribute type of an <input> writes a type that people
	// see, and never "hidden". It may be nil.
	Shown func(*parse.ActionNode) bool
	// Decides reports whether the pipeline of a condition may be true on the page, and whether it may be false. If
	// it is nil, each may be both.
	Decides func(*parse.PipeNode) (isTrue, isFalse bool)
	At      func(markup.Place) (line, column int)
	Part    bool // it is only a part of a page, such as a partial that no template calls: what is around it is not known
}

// warn returns a warning for a place in a template of the page.
func (p *Page) warn(at markup.Place, format string, args ...any) fault.Fault {
	line, column := p.At(at)
	return fault.WarnColumn(at.File, line, column, format, args...)
}

// Named is how a warning names the page, if it stands in another file and is about this page.
func (p *Page) Named() string { return " (on the page of " + p.File + ")" }

// writesHTML reports whether a node is an action that may write HTML, or a call of which nothing is known.
func (p *Page) writesHTML(n markup.Node) bool {
	var in markup.In
	switch n := n.(type) {
	case *markup.Hole:
		if in = n.In; n.Action != nil && !p.HTML(n.Action) {
			return false
		}
	case *markup.Call:
		in = n.In
		if n.Followed {
			return false
		}
	default:
		return false
	}
	return in.Kind == markup.Content || in.Kind == markup.Unsure
}

// Unknown returns an action that may write HTML on the page, with its place, as in "{{.Body}} in
// router/a.html:3:5". It returns "" if there is none. With such an action, the rules that need all of the
// page say nothing, such as that a label belongs to nothing.
func (p *Page) Unknown() (where string) {
	eachLive(p.Nodes, func(n markup.Node, at spot) {
		if where != "" || at.inTemplate || !p.writesHTML(n) {
			return
		}
		switch n := n.(type) {
		case *markup.Hole:
			where = p.said(n.Action, n.Place)
		case *markup.Call:
			where = p.said(n.Action, n.Place)
		}
	})
	return where
}

// place returns a place in the form "router/a.html:3", and the file alone if the line is not known.
func (p *Page) place(at markup.Place) string {
	if line, _ := p.At(at); line > 0 {
		return fmt.Sprintf("%s:%d", at.File, line)
	}
	return at.File
}

// said returns an action with its place.
func (p *Page) said(action parse.Node, at markup.Place) string {
	line, column := p.At(at)
	return fmt.Sprintf("%s in %s:%d:%d", action, at.File, line, column)
}
