package livereload

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/serve/pages/csp"
)

// The directives for scripts and for connections, each with its fallbacks.
var (
	forScripts     = []string{"script-src-elem", "script-src", "default-src"}
	forConnections = []string{"connect-src", "default-src"}
)

// nonceSource matches a source such as 'nonce-abc'.
var nonceSource = regexp.MustCompile(`(?i)^'nonce-([^']+)'?$`)

// nonceOf returns the first nonce with which the policy allows scripts, or "".
func nonceOf(p csp.Policy) string {
	if d := p.Find(forScripts...); d != nil {
		for _, source := range d.Sources {
			if m := nonceSource.FindStringSubmatch(source); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// allow changes the policies of a page so that they allow the script and its event stream. It
// returns the nonce for the script, or "" if it needs none. A policy that does not allow them
// gets their URLs and nothing else, so that all else is refused as in production.
func allow(h http.Header, origin string) (nonce string) {
	keys := []string{csp.Header, csp.Header + "-Report-Only"}
	all := map[string][]csp.Policy{}
	for _, key := range keys {
		for _, line := range h[key] {
			for text := range strings.SplitSeq(line, ",") {
				p := csp.Parse(text)
				if len(p) == 0 {
					continue
				}
				all[key] = append(all[key], p)
				if nonce == "" {
					nonce = nonceOf(p)
				}
			}
		}
	}
	for _, key := range keys {
		changed := false
		for i, p := range all[key] {
			script := origin + Prefix + "/reload.js"
			d := p.Find(forScripts...)
			switch {
			case d == nil || nonce != "" && slices.Contains(d.Sources, "'nonce-"+nonce+"'"):
				script = ""
			case hasKeyword(d.Sources, "'strict-dynamic'"): // browsers ignore URLs beside it, so the script needs a nonce
				if nonce == "" {
					nonce = rand.Text()
				}
				script = "'nonce-" + nonce + "'"
			}
			p, c1 := with(p, forScripts, "script-src", script)
			p, c2 := with(p, forConnections, "connect-src", origin+Prefix+"/events")
			all[key][i] = p
			changed = changed || c1 || c2
		}
		if changed {
			h.Del(key)
			for _, p := range all[key] {
				h.Add(key, p.String())
			}
		}
	}
	return nonce
}

// with returns the policy with one more source in a directive, and whether that has changed
// the policy. names are the directive and its fallbacks. If only default-src is there, with
// adds a directive with the name own, and copies the sources of default-src. It changes
// nothing if source is "", or if the policy allows the source already.
func with(p csp.Policy, names []string, own string, source string) (csp.Policy, bool) {
	d := p.Find(names...)
	if d == nil || source == "" || slices.Contains(d.Sources, source) || !hasKeyword(d.Sources, "'strict-dynamic'") && (hasKeyword(d.Sources, "'self'") || hasKeyword(d.Sources, "*")) {
		return p, false
	}
	kept := slices.DeleteFunc(slices.Clone(d.Sources), func(s string) bool { return strings.EqualFold(s, "'none'") })
	if d.Name == "default-src" {
		return append(slices.Clone(p), csp.Directive{Name: own, Sources: append(kept, source)}), true
	}
	d.Sources = append(kept, source)
	return p, true
}

// hasKeyword reports whether the sources contain a keyword, in any case.
func hasKeyword(sources []string, keyword string) bool {
	return slices.ContainsFunc(sources, func(s string) bool { return strings.EqualFold(s, keyword) })
}
