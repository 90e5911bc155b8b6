// Package routerules has rules for tests of what finds routes: patterns with methods in a short notation,
// and random ones. It does not import match, whose own tests use it.
package routerules

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
)

// matchers are the matchers of the tests. TargetOf makes paths with values that they match.
var matchers = map[string]*pattern.Matcher{
	"ab":   {Name: "ab", Fits: func(v string) bool { return v == "a" || v == "b" }},
	"long": {Name: "long", Fits: func(v string) bool { return len(v) > 1 }},
	"x":    {Name: "x", Fits: func(v string) bool { return v == "x" || v == "a" }},
}

// Pattern parses the notation of the tests: "users/:id/:x=long/*rest".
func Pattern(text string) *pattern.Pattern {
	var segments []pattern.Segment
	for s := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '/' }) {
		name, matcher, _ := strings.Cut(s[1:], "=")
		switch s[0] {
		case ':':
			segments = append(segments, pattern.Segment{Kind: pattern.Param, Text: name, Matcher: matchers[matcher]})
		case '*':
			segments = append(segments, pattern.Segment{Kind: pattern.Rest, Text: name, Matcher: matchers[matcher]})
		default:
			segments = append(segments, pattern.Segment{Kind: pattern.Literal, Text: s})
		}
	}
	return pattern.New(segments)
}

// A Rule is a pattern with one method. It is its own answer.
type Rule struct {
	Text   string // "GET users/:id"
	Method string
	*pattern.Pattern
	Mount string // the prefix below which it is mounted, or ""
}

// AnyMethod is match.AnyMethod.
const AnyMethod = "(any)"

// Parse parses a rule. "GET a > b" is one for /a/b, mounted at /a.
func Parse(text string) Rule {
	method, p, _ := strings.Cut(text, " ")
	mount, below, mounted := strings.Cut(p, " > ")
	if mounted {
		p = mount + "/" + below
	} else {
		mount = ""
	}
	if method == "ANY" {
		method = AnyMethod
	}
	return Rule{text, method, Pattern(p), mount}
}

// ParseAll parses several rules.
func ParseAll(list []string) (rules []Rule) {
	for _, text := range list {
		rules = append(rules, Parse(text))
	}
	return rules
}

// Texts returns the rules in the notation of the tests.
func Texts(rules []Rule) (all []string) {
	for _, r := range rules {
		all = append(all, r.Text)
	}
	return all
}

// Fill adds rules to a trie, each as its own answer. A rule of the method FILE stands for a file by URLs with
// any hash.
func Fill[T interface {
	Mount([]pattern.Segment, *Rule) T
	Leaf(*pattern.Pattern) L
	AnyHash(*pattern.Pattern) L
}, L interface{ Set(string, *Rule) }](trie T, rules []Rule) {
	mounted := map[string]T{}
	for i, r := range rules {
		in := trie
		if r.Mount != "" {
			if _, known := mounted[r.Mount]; !known {
				mounted[r.Mount] = trie.Mount(Pattern(r.Mount).Segments, &Rule{Text: "mount " + r.Mount, Pattern: Pattern(r.Mount)})
			}
			in = mounted[r.Mount]
		}
		if r.Method == "FILE" {
			in.AnyHash(r.Pattern).Set(http.MethodGet, &rules[i])
			continue
		}
		in.Leaf(r.Pattern).Set(r.Method, &rules[i])
	}
}

// Matches reports whether a pattern matches a path with these segments. It is slow and plainly right.
func Matches(p *pattern.Pattern, path []string) bool {
	for i, seg := range p.Segments {
		takes := func(v string) bool { return seg.Matcher == nil || seg.Matcher.Fits(v) }
		switch {
		case seg.Kind == pattern.Rest:
			for _, v := range path[min(i, len(path)):] {
				if !takes(v) {
					return false
				}
			}
			return len(path) > i || seg.Text == ""
		case i >= len(path), seg.Kind == pattern.Literal && seg.Text != path[i], seg.Kind == pattern.Param && !takes(path[i]):
			return false
		}
	}
	return len(path) == len(p.Segments)
}

// Place returns a text by which segments at one position are ordered: the more specific is
// the smaller one.
func Place(seg pattern.Segment) string {
	switch {
	case seg.Matcher != nil:
		return fmt.Sprint(seg.Kind, seg.Matcher.Name)
	case seg.Kind == pattern.Literal:
		return fmt.Sprint(seg.Kind)
	}
	return fmt.Sprint(seg.Kind, "~") // after every name
}

// FromBytes makes rules of bytes: at most one for each method of a pattern, and no catch-all
// at the prefix of a mount.
func FromBytes(data []byte) []Rule {
	names := []string{"a", "b", ":p", "a", ":p", "c d", ":p=ab", ":p=long"}
	last := []string{"", "a", ":p", "*r", "x", "b", ":p=x", "*r=long", ":p=ab", "*r=ab"}
	methods := []string{"GET", "POST", "ANY", "HEAD", "LOCK", "GET"}
	mounts := []string{"", "", "", "a", ":p/b", "b"}
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	var rules []Rule
	taken := map[string]bool{}
	for len(data) > 0 && len(rules) < 40 {
		var segments []string
		for range next() % 4 {
			segments = append(segments, names[next()%len(names)])
		}
		if s := last[next()%len(last)]; s != "" {
			segments = append(segments, s)
		}
		text := methods[next()%len(methods)] + " "
		mount := mounts[next()%len(mounts)]
		if mount != "" {
			text += mount + " > "
		}
		r := Parse(text + strings.Join(segments, "/"))
		key := r.Mount + " " + r.Method + " " + r.Key()
		if taken[key] || r.Mount == "" && r.HasRest() && slices.Contains(mounts, strings.TrimSuffix(strings.Join(segments, "/"), "/*r")) {
			continue
		}
		taken[key] = true
		rules = append(rules, r)
	}
	return rules
}

// TargetOf makes a path of bytes. Most of its segments are in rules, too.
func TargetOf(data []byte) string {
	segments := []string{"a", "b", "x", "c%20d", "a", "b", "y", "x", "a%2Fb", "", ".", "..", "%2e"}
	target := ""
	for _, b := range data[:min(len(data), 5)] {
		i := int(b) % 64
		if i >= len(segments) {
			i %= 8 // odd spellings are rare
		}
		target += "/" + segments[i]
	}
	if target == "" {
		return "/"
	}
	return target
}

// RandomBytes returns n random bytes.
func RandomBytes(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}
