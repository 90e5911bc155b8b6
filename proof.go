package flow

import (
	"fmt"
	"strings"

	"example.com/flow/internal/check/lineends"
	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
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

// lateWarnings returns the warnings about the pages of r and of all Routers inside it, and then those about the
// line ends of their files. Check does not look for them, so that serving does not wait for it.
func (r *Router) lateWarnings() (warnings []fault.Fault) {
	var trees []*routetree.Tree
	r.eachInside(func(before string, r *Router) {
		trees = append(trees, r.tree)
		for _, f := range r.table.Load().prove(r.checkedViews()) {
			f.Text = before + f.Text
			warnings = append(warnings, f)
		}
	})
	return append(warnings, lineends.Check(trees)...)
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

// describeViews returns what check -v says: which templates of r and of the Routers mounted inside it have no
// plan, and of the pages of all Routers inside it.
func (r *Router) describeViews() string {
	var lines []string
	rendered := 0
	for _, r := range r.withMounted() {
		more, n := r.checkedViews().Views.Unplanned()
		lines, rendered = append(lines, more...), rendered+n
	}
	var all []pages.Proof
	r.eachInside(func(before string, r *Router) { all = append(all, r.checkedViews().Pages(before)...) })
	return fmt.Sprintf("plans render %d of %d templates\n%s%s", rendered-len(lines), rendered, strings.Join(lines, ""), pages.Describe(all))
}
