package flow

import (
	"fmt"
	"strings"

	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/fault"
)

// eachInside calls f for r, the Routers mounted inside it, and those of Hosts that are mounted in
// them, with what stands before the text of a fault of theirs.
func (r *Router) eachInside(f func(before string, r *Router)) {
	seen := map[*Router]bool{}
	var visit func(before string, r *Router)
	visit = func(before string, r *Router) {
		if r == nil || seen[r] || r.table.Load() == nil {
			return
		}
		seen[r] = true
		f(before, r)
		for _, m := range r.mounts {
			before := before + fmt.Sprintf("Mount(%q): ", m.text)
			if m.inner != nil {
				visit(before, m.inner)
			}
			if hosts, ok := m.handler.(Hosts); ok && !m.refused {
				for _, host := range hosts.names() {
					visit(before+fmt.Sprintf("Hosts[%q]: ", host), hosts[host])
				}
			}
		}
	}
	visit("", r)
}

// proved returns the warnings about the pages of r and of all Routers inside it. Check does not
// look for them, so that serving does not wait for it.
func (r *Router) proved() (warnings []fault.Fault) {
	r.eachInside(func(before string, r *Router) {
		for _, f := range r.table.Load().prove(r.checkedViews()) {
			f.Text = before + f.Text
			warnings = append(warnings, f)
		}
	})
	return warnings
}

// prove returns the warnings about the pages of the Router, given its templates.
func (t *table) prove(checked *pages.Checked) []fault.Fault {
	return checked.Warnings(func(name string) bool {
		views := checked.Views
		v, err := views.View(name)
		if err != nil || !t.bare[name] || !v.IsFixed() {
			return false
		}
		_, ok, err := t.fixedPage(views, v)
		return ok && err == nil
	})
}

// describePages returns what check -v says of the pages of r and of all Routers inside it: those that
// run no script, and those of which the rules say less.
func (r *Router) describePages() string {
	pages := 0
	var without, inPart []string
	r.eachInside(func(before string, r *Router) {
		for _, p := range r.checkedViews().Pages() {
			pages++
			if p.RunsNoScript {
				without = append(without, fmt.Sprintf("%s%s: runs no script\n", before, p.File))
			}
			if p.Unknown != "" {
				inPart = append(inPart, fmt.Sprintf("%s%s: judged in part: %s may write HTML\n", before, p.File, p.Unknown))
			}
		}
	})
	if pages == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d pages run no script\n%s", len(without), pages, strings.Join(without, "")) +
		fmt.Sprintf("%d of %d pages are judged in part: an action of unknown type stands in them\n%s", len(inPart), pages, strings.Join(inPart, ""))
}
