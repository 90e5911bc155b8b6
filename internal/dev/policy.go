package dev

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
)

// A directive is a part of a Content-Security-Policy: its name and what it allows.
type directive struct {
	name    string
	sources []string
}

// A policy is one Content-Security-Policy. A page may have several, and all of them count.
type policy []directive

func parsePolicy(text string) (p policy) {
	for part := range strings.SplitSeq(text, ";") {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			continue
		}
		name := strings.ToLower(fields[0])
		if p.find(name) == nil { // of two with one name the first counts
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

// find returns the first directive that is there, of several names that stand for each other.
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

var (
	forScripts     = []string{"script-src-elem", "script-src", "default-src"}
	forConnections = []string{"connect-src", "default-src"}
)

// nonce returns the nonce of the scripts that a policy allows, or "".
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

func cutNonce(source string) (string, bool) {
	if len(source) < len("'nonce-'") || !strings.EqualFold(source[:len("'nonce-")], "'nonce-") {
		return "", false
	}
	return strings.TrimSuffix(source[len("'nonce-"):], "'"), true
}

// allow sees to it that the policies of a page allow the script and its event stream, and
// returns the nonce that the script needs, or "". A policy that does not allow them as it
// is gets their URLs, and nothing more, so that the page behaves as it will without them.
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
			case hasKeyword(d.sources, "'strict-dynamic'"): // which URLs do not count beside
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

// with returns the policy with one more source, unless that is "", for what the names stand for, and whether
// it had to be changed. What it says of everything (default-src) is copied to a directive
// of its own name first.
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

func hasKeyword(sources []string, keyword string) bool {
	return slices.ContainsFunc(sources, func(s string) bool { return strings.EqualFold(s, keyword) })
}
