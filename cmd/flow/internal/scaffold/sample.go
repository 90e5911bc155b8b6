package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// sampleURL returns the path of a URL that a new route answers, and no file of the tree
// does that is more specific. It is "" if none is known: it takes the application to know
// what its own matchers take, unless they are lists, so optional parameters are left out if
// that is all that helps.
func sampleURL(t *routetree.Tree, r *routetree.Route, known *matchers.Set) string {
	for _, leaveOut := range []bool{false, true} {
		for n := range len(letters) {
			var pairs []any
			for _, s := range paramsOf(r) {
				if _, required := r.Patterns[0].Param(s.Text); required || !leaveOut {
					pairs = append(pairs, s.Text, sampleValue(s, n, known))
				}
			}
			u, err := r.URL(nil, pairs)
			if err == nil && answers(t, r, u) {
				return u
			}
		}
	}
	return ""
}

const letters = "xyzabcdef"

// sampleValue returns the n-th value that a parameter takes, or "", which none does.
func sampleValue(s pattern.Segment, n int, known *matchers.Set) string {
	letter, number := letters[n:n+1], fmt.Sprint(n+1)
	switch {
	case s.Matcher == nil && (s.Text == "id" || strings.HasSuffix(s.Text, "ID")):
		return number
	case s.Matcher == nil && s.Kind == pattern.Rest && n > 0: // beside [slug], it takes what is longer
		return letter + "/" + letter
	case s.Matcher == nil:
		return letter
	}
	if list := known.Values(s.Matcher.Name); n < len(list) {
		return list[n]
	}
	if known.Has(s.Matcher.Name) {
		return ""
	}
	switch s.Matcher.Name {
	case "int":
		return number
	case "slug":
		return letter
	case "date":
		return "2006-01-0" + number
	case "uuid":
		return "f81d4fae-7dec-11d0-a765-00a0c91e6bf" + number
	}
	return ""
}

// answers reports whether a new route answers the path of a URL, or would redirect it to the
// canonical one.
func answers(t *routetree.Tree, r *routetree.Route, path string) bool {
	p, ok := pattern.Clean(path)
	return ok && slices.ContainsFunc(r.Patterns, func(own *pattern.Pattern) bool {
		return matchers.MayMatch(own.Segments, p.Segments) && !isBefore(t, own, p.Segments)
	})
}

// isBefore reports whether a file of the tree, or a public one, matches these values and is
// more specific than a pattern.
func isBefore(t *routetree.Tree, own *pattern.Pattern, values []string) bool {
	before := func(p *pattern.Pattern) bool {
		return pattern.Compare(p, own) < 0 && matchers.MayMatch(p.Segments, values)
	}
	return slices.ContainsFunc(t.Routes, func(other *routetree.Route) bool {
		return !other.Store && slices.ContainsFunc(other.Patterns, before)
	}) || slices.ContainsFunc(t.Public, func(p *routetree.Public) bool { return before(p.Pattern) })
}
