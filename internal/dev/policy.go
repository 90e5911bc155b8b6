package dev

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
)

// A directive is a directive of a Content-Security-Policy.
type directive struct {
	name    string
	sources []string
}

// A policy is a Content-Security-Policy. A page may have several, and must satisfy them all.
type policy []directive

// parsePolicy parses a policy. It skips what it does not understand, as browsers do.
func parsePolicy(text string) (p policy) {
	for part := range strings.SplitSeq(text, ";") {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			continue
		}
		name := strings.ToLower(fields[0])
		if p.find(name) == nil { // if a name is repeated, the first directive counts
			p = append(p, directive{name, fields[1:]})
		}
	}
	return p
}

func (p policy) String() string {
	var parts []string
	for _, d := range p {
		parts = append(parts, strings.Join(append([]string{d.name}, d.sources...), " "))
	}
	return strings.Join(parts, "; ")
}

// find returns the directive with the first of the names that the policy has, or nil. The
// names are a directive and its fallbacks.
func (p policy) find(names ...string) *directive {
	for _, name := range names {
		for i := range p {
			if p[i].name == name {
				return &p[i]
			}
		}
	}
	return nil
}

// The directives for scripts and for connections, each with its fallbacks.
var (
	forScripts     = []string{"script-src-elem", "script-src", "default-src"}
	forConnections = []string{"connect-src", "default-src"}
)

// nonce returns the first nonce with which the policy allows scripts, or "".
func (p policy) nonce() string {
	if d := p.find(forScripts...); d != nil {
		for _, source := range d.sources {
			if nonce, ok := cutNonce(source); ok {
				return nonce
			}
		}
	}
	return ""
}

// cutNonce returns the nonce of a source such as 'nonce-abc'.
func cutNonce(source string) (string, bool) {
	if len(source) < len("'nonce-'") || !strings.EqualFold(source[:len("'nonce-")], "'nonce-") {
		return "", false
	}
	return strings.TrimSuffix(source[len("'nonce-"):], "'"), true
}

// allow changes the policies of a page so that they allow the script and its event stream. It
// returns the nonce for the script, or "" if it needs none. A policy that does not allow them
// gets their URLs and nothing else, so that all else is refused as in production.
func allow(h http.Header, origin string) (nonce string) {
	keys := []string{"Content-Security-Policy", "Content-Security-Policy-Report-Only"}
	all := map[string][]policy{}
	for _, key := range keys {
		for _, line := range h[key] {
			for text := range strings.SplitSeq(line, ",") {
				p := parsePolicy(text)
				if len(p) == 0 {
					continue
				}
				all[key] = append(all[key], p)
				if nonce == "" {
					nonce = p.nonce()
				}
			}
		}
	}
	for _, key := range keys {
		changed := false
		for i, p := range all[key] {
			script := origin + Prefix + "/reload.js"
			d := p.find(forScripts...)
			switch {
			case d == nil || nonce != "" && slices.Contains(d.sources, "'nonce-"+nonce+"'"):
				script = ""
			case hasKeyword(d.sources, "'strict-dynamic'"): // browsers ignore URLs beside it, so the script needs a nonce
				if nonce == "" {
					nonce = rand.Text()
				}
				script = "'nonce-" + nonce + "'"
			}
			p, c1 := p.with(forScripts, "script-src", script)
			p, c2 := p.with(forConnections, "connect-src", origin+Prefix+"/events")
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
func (p policy) with(names []string, own string, source string) (policy, bool) {
	d := p.find(names...)
	if d == nil || source == "" || slices.Contains(d.sources, source) || !hasKeyword(d.sources, "'strict-dynamic'") && (hasKeyword(d.sources, "'self'") || hasKeyword(d.sources, "*")) {
		return p, false
	}
	kept := slices.DeleteFunc(slices.Clone(d.sources), func(s string) bool { return strings.EqualFold(s, "'none'") })
	if d.name == "default-src" {
		return append(slices.Clone(p), directive{own, append(kept, source)}), true
	}
	d.sources = append(kept, source)
	return p, true
}

// hasKeyword reports whether the sources contain a keyword, in any case.
func hasKeyword(sources []string, keyword string) bool {
	return slices.ContainsFunc(sources, func(s string) bool { return strings.EqualFold(s, keyword) })
}
