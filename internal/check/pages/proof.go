package pages

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/check/prove"
	"example.com/flow/internal/check/typecheck"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/serve/pages/templates"
)

// A Proof is what the rules of prove say of a view. What they have read of it is large, and is not
// kept.
type Proof struct {
	File         string // of the view
	RunsNoScript bool
	Unknown      string // see prove.Page

	name, named string        // of the view, and how warnings name it: see prove.Page
	isPart      bool          // it is only a part of a page
	found       []fault.Fault // what the rules say that ask nothing but the page
	refused     []fault.Fault // what browsers refuse under the policy
	refusedOnce []fault.Fault // and what if the page is sent as it was rendered once
}

// texts are the actions of a set that are reached, with whether each writes text and no HTML.
type texts map[*parse.ActionNode]bool

// note notes an action, once for each check that reaches it.
func (t texts) note(n *parse.ActionNode, text bool) {
	known, reached := t[n]
	t[n] = text && (known || !reached)
}

// newProof makes the proof of a view with the types of its data.
func newProof(m *templates.Made, check typecheck.Set, policy csp.Policy) *Proof {
	s, f, texts := m.Whole(), m.File, texts{}
	check.Trees = s.Templates()
	reached := 0 // actions, by the check that runs
	check.Writes = func(n *parse.ActionNode, text bool) {
		reached++
		texts.note(n, text)
	}
	decided := map[*parse.PipeNode][2]bool{}
	check.Decides = func(pipe *parse.PipeNode, isTrue, isFalse bool) {
		before := decided[pipe]
		decided[pipe] = [2]bool{before[0] || isTrue, before[1] || isFalse}
	}
	page := func(name string, isPart bool) *prove.Page {
		types := []reflect.Type{}
		for _, d := range m.View.Data {
			if cmp.Or(d.Block, s.Outer) == name {
				types = append(types, d.Type)
			}
		}
		if len(types) == 0 {
			types = []reflect.Type{nil} // nothing is known of it
		}
		var fields []typecheck.Field
		isKnown := true // what the actions write: the check has not given up
		for _, t := range types {
			reached = 0
			_, more := check.Check(name, t)
			fields, isKnown = append(fields, more...), isKnown && reached > 0
		}
		callee := func(_ *parse.Tree, n *parse.TemplateNode) *parse.Tree { return check.Trees[n.Name] }
		return &prove.Page{
			File:  f.File,
			Nodes: markup.Read(check.Trees[name], markup.Rules, callee),
			HTML: func(n *parse.ActionNode) bool {
				isText, isReached := texts[n]
				return !isText && (isReached || !isKnown)
			},
			Shown: func(n *parse.ActionNode) bool { return readsType(n) && areShown(fields) },
			Decides: func(pipe *parse.PipeNode) (isTrue, isFalse bool) {
				of, ok := decided[pipe]
				return of[0] || !ok, of[1] || !ok
			},
			At:   func(at markup.Place) (line, column int) { return position(s.Files[at.File], at.Offset) },
			Part: isPart,
		}
	}
	whole := page(s.Outer, templates.IsPartial(f.Name))
	p := &Proof{File: f.File, RunsNoScript: whole.Scripts() == prove.NoScript, Unknown: whole.Unknown(), name: f.Name, named: whole.Named(), isPart: whole.Part}
	p.add(whole, policy)
	for _, name := range s.Fragments {
		p.add(page(name, true), policy)
	}
	return p
}

// add adds what the rules say of the page of the view, or of a template that only Block renders.
func (p *Proof) add(page *prove.Page, policy csp.Policy) {
	p.found = append(p.found, page.Accessibility()...)
	refused := page.Policy(policy, false)
	p.refused = append(p.refused, refused...)
	if !page.Part && len(refused) > 0 {
		refused = page.Policy(policy, true)
	}
	p.refusedOnce = append(p.refusedOnce, refused...)
}

// readsType reports whether the value of an action is the Type of something: of a field of a form, in a
// template for the fields of forms.
func readsType(n *parse.ActionNode) bool {
	if len(n.Pipe.Cmds) != 1 || len(n.Pipe.Cmds[0].Args) != 1 {
		return false
	}
	var names []string
	switch first := n.Pipe.Cmds[0].Args[0].(type) {
	case *parse.FieldNode:
		names = first.Ident
	case *parse.VariableNode:
		names = first.Ident
	}
	return len(names) > 1 && names[len(names)-1] == "Type"
}

// areShown reports whether a page speaks of fields of forms, of types that are known, and people see
// them all.
func areShown(fields []typecheck.Field) bool {
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(f typecheck.Field) bool { return f.Type == "" || f.Type == "hidden" })
}

// proofs returns the proofs of what is judged by itself, in order: not those of partials that are
// judged in the pages which call them, and of shared files that nothing uses.
func (c *Checked) proofs() (all []*Proof) {
	parsed := c.Views.Parsed
	for _, name := range c.madeNames() {
		m := parsed.Made[name]
		if parsed.Used[m.File] && !(templates.IsPartial(name) && parsed.Called[m.File.File]) {
			all = append(all, c.proofOf.about(m, func() *Proof { return newProof(m, c.check, c.policy) }))
		}
	}
	return all
}

// A sharing is a warning that several pages have: it stands in a layout or a partial.
type sharing struct {
	at   int // its index in all warnings
	of   *Proof
	more int // how many other pages have it
}

// Warnings returns what the rules of prove say of the views. isFixed reports whether a page is sent as it
// was rendered once, with hashes in the place of a nonce. What several pages have at one place is told
// once.
func (c *Checked) Warnings(isFixed func(name string) bool) (warnings []fault.Fault) {
	shared := map[string]*sharing{} // by the text without a page
	for _, p := range c.proofs() {
		for _, f := range p.found {
			key := strings.Replace(f.Text, p.named, "", 1)
			if first := shared[key]; first != nil {
				if first.of != p {
					first.more++
				}
				continue
			}
			if key != f.Text {
				shared[key] = &sharing{at: len(warnings), of: p}
			}
			warnings = append(warnings, f)
		}
		if len(p.refused) > 0 && isFixed(p.name) {
			warnings = append(warnings, p.refusedOnce...)
		} else {
			warnings = append(warnings, p.refused...)
		}
	}
	for _, first := range shared {
		if named := first.of.named; first.more > 0 {
			f := &warnings[first.at]
			f.Text = strings.Replace(f.Text, named, fmt.Sprintf("%s and of %d more)", strings.TrimSuffix(named, ")"), first.more), 1)
		}
	}
	return warnings
}

// Pages returns what Describe needs of the pages and the error pages, with a text before the names of their
// files.
func (c *Checked) Pages(before string) (all []Proof) {
	for _, p := range c.proofs() {
		if !p.isPart {
			all = append(all, Proof{File: before + p.File, RunsNoScript: p.RunsNoScript, Unknown: p.Unknown})
		}
	}
	return all
}

// Describe returns which pages run no script, and of which the rules say less; "" if there are no pages.
func Describe(pages []Proof) string {
	var without, inPart []string
	for _, p := range pages {
		if p.RunsNoScript {
			without = append(without, p.File+": runs no script\n")
		}
		if p.Unknown != "" {
			inPart = append(inPart, fmt.Sprintf("%s: judged in part: %s may write HTML\n", p.File, p.Unknown))
		}
	}
	if len(pages) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d pages run no script\n%s", len(without), len(pages), strings.Join(without, "")) +
		fmt.Sprintf("%d of %d pages are judged in part: an action of unknown type stands in them\n%s", len(inPart), len(pages), strings.Join(inPart, ""))
}
