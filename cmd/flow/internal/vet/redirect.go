package vet

import (
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// checkRedirect looks at Redirect with a constant path: something of the application has to
// have that URL, unless the path stands elsewhere in the code. Which methods it answers is not
// looked at.
func (c *checker) checkRedirect(call calls.Call) {
	m := c.module
	if !call.Constant || !strings.HasPrefix(call.Value, "/") || strings.HasPrefix(call.Value, "//") || strings.HasPrefix(call.Value, `/\`) {
		return
	}
	if len(m.scope(c.unit, false)) == 0 || m.openParams || m.servesOthers() {
		return
	}
	url, _, _ := strings.Cut(call.Value, "#")
	url, _, _ = strings.Cut(url, "?")
	path, ok := pattern.Clean(url)
	if !ok {
		c.report(call.Pos(), "Redirect: %s has a broken escape: write %%25 for a percent sign", url)
		return
	}
	if m.paths[url] > 0 {
		return // middleware or a router of another kind may answer it
	}
	known := map[string]bool{}
	for _, p := range m.patterns() {
		if matchers.MayMatch(p.Segments, path.Segments) {
			return
		}
		known[p.String()] = true
	}
	c.report(call.Pos(), "Redirect: nothing answers %s%s", url, fault.Suggest(url, known, ": if something else does, write the URL with its host"))
}

// servesOthers reports whether the program may have a ServeMux, with handlers of other URLs
// beside the application.
func (m *module) servesOthers() bool {
	return len(m.mentioned["Handle"])+len(m.mentioned["HandleFunc"])+len(m.mentioned["StripPrefix"])+len(m.mentioned["NewServeMux"]) > 0
}

// patterns returns the patterns of all applications of the module, and of what is mounted.
// Below the prefix of a mount, all URLs are taken to be answered.
func (m *module) patterns() (all []*pattern.Pattern) {
	for _, a := range m.apps {
		for _, r := range a.tree.Routes {
			all = append(all, r.Patterns...)
		}
		for _, p := range a.tree.Public {
			all = append(all, p.Pattern)
		}
	}
	for _, u := range m.units {
		for _, call := range u.calls {
			if call.Kind != calls.Prefix {
				continue
			}
			if prefix, err := routetree.ParsePrefix(call.Value); err == nil {
				all = append(all, pattern.New(prefix), pattern.New(append(slices.Clip(prefix), pattern.Segment{Kind: pattern.Rest})))
			}
		}
	}
	return all
}
