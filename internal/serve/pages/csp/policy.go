// Package csp has Content-Security-Policies. A [Policy] is parsed as browsers do. A [Template]
// is the policy of an application, in which 'nonce' stands for what differs between answers:
// a nonce, or the hashes of the scripts and styles of a page that is the same for everybody.
package csp

import (
	"slices"
	"strings"
)

// Header is the name of the header that holds a policy.
const Header = "Content-Security-Policy"

// A Directive says where one kind of content may come from.
type Directive struct {
	Name    string // in lower case
	Sources []string
}

// A Policy is the directives of a Content-Security-Policy.
type Policy []Directive

// Parse parses a policy. It skips what it does not understand, as browsers do.
func Parse(text string) (p Policy) {
	for _, d := range directives(text) {
		if p.Find(d.Name) == nil { // if a name is repeated, the first directive counts
			p = append(p, d)
		}
	}
	return p
}

// directives returns all directives of a policy.
func directives(text string) (all []Directive) {
	for part := range strings.SplitSeq(text, ";") {
		if fields := strings.Fields(part); len(fields) > 0 {
			all = append(all, Directive{strings.ToLower(fields[0]), fields[1:]})
		}
	}
	return all
}

// String returns the policy as the value of the header.
func (p Policy) String() string {
	var parts []string
	for _, d := range p {
		parts = append(parts, strings.Join(append([]string{d.Name}, d.Sources...), " "))
	}
	return strings.Join(parts, "; ")
}

// Find returns the directive with the first of the names that the policy has, or nil. The
// names are a directive and its fallbacks.
func (p Policy) Find(names ...string) *Directive {
	for _, name := range names {
		if i := slices.IndexFunc(p, func(d Directive) bool { return d.Name == name }); i >= 0 {
			return &p[i]
		}
	}
	return nil
}
