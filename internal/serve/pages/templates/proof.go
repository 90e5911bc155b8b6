package templates

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/check/prove"
	"example.com/flow/internal/check/typecheck"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/csp"
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

// prove makes the proof of a set with the types of its data.
func (h *functions) prove(s *set, f *templateFile, data []Data) *Proof {
	texts, check := texts{}, h.typecheck(s)
	told := 0 // actions, by the check that runs
	check.Writes = func(n *parse.ActionNode, text bool) {
		told++
		texts.note(n, text)
	}
	decided := map[*parse.PipeNode][2]bool{}
	check.Decides = func(pipe *parse.PipeNode, isTrue, isFalse bool) {
		before := decided[pipe]
		decided[pipe] = [2]bool{before[0] || isTrue, before[1] || isFalse}
	}
	page := func(name string, isPart bool) *prove.Page {
		types := []reflect.Type{}
		for _, d := range data {
			if cmp.Or(d.Block, s.outer) == name {
				types = append(types, d.Type)
			}
		}
		if len(types) == 0 {
			types = []reflect.Type{nil} // nothing is known of it
		}
		var fields []typecheck.Field
		isKnown := true // what the actions write: the check has not given up
		for _, t := range types {
			told = 0
			_, more := check.Check(name, t)
			fields, isKnown = append(fields, more...), isKnown && told > 0
		}
		callee := func(_ *parse.Tree, n *parse.TemplateNode) *parse.Tree { return check.Trees[n.Name] }
		return &prove.Page{
			File:  f.file,
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
			At:   func(at markup.Place) (line, column int) { return s.byFile[at.File].position(at.Offset) },
			Part: isPart,
		}
	}
	whole := page(s.outer, isPartial(f.name))
	p := &Proof{File: f.file, RunsNoScript: whole.Scripts() == prove.NoScript, Unknown: whole.Unknown(), name: f.name, named: whole.Named(), isPart: whole.Part}
	p.add(whole, h.Policy)
	for _, name := range s.fragments {
		p.add(page(name, true), h.Policy)
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
func (v *Views) proofs() (all []*Proof) {
	for _, name := range slices.Sorted(maps.Keys(v.made)) {
		f := v.files[name]
		if v.used[f] && !(isPartial(name) && v.called[f.file]) {
			all = append(all, v.made[name].proof())
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

// Prove returns what the rules of prove say of the views. isFixed reports whether a page is sent as it
// was rendered once, with hashes in the place of a nonce. What several pages have at one place is told
// once.
func (v *Views) Prove(isFixed func(name string) bool) (warnings []fault.Fault) {
	shared := map[string]*sharing{} // by the text without a page
	for _, p := range v.proofs() {
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

// Pages returns the proofs of the pages and the error pages.
func (v *Views) Pages() []*Proof {
	return slices.DeleteFunc(v.proofs(), func(p *Proof) bool { return p.isPart })
}
