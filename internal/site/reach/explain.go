package reach

import (
	"net/http"
	"slices"

	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
)

// An Explanation tells which answer a request gets, and why the other patterns that match
// its path do not answer it.
type Explanation[A any] struct {
	Path       pattern.Path
	Answer     *A             // nil if the request has none
	Values     match.Values   // of the answer's parameters
	Miss       match.Miss[A]  // if Answer is nil
	Candidates []Candidate[A] // the most specific first
}

// A Candidate is a leaf whose pattern matches the path, or would without its matchers.
type Candidate[A any] struct {
	*match.Leaf[A]
	Verdict Verdict
	Segment int               // the index of the segment that decided: see Verdict
	Matcher *pattern.Matcher  // for Refused: the matcher that did
	trail   []pattern.Segment // from the root to the leaf: see position
	late    bool              // the search has ended before it: a mounted trie owns the path
}

// A Verdict says why a candidate answers, or does not.
type Verdict uint8

// The verdicts.
const (
	Answers      Verdict = iota // it answers, if need be after a redirect to Miss.Respelled
	LacksMethod                 // it is more specific, but has no answer for the method
	LessSpecific                // the segment is more specific in the answer, or in the mount that owns the path
	Mounted                     // it is in a mounted trie, which ranks as a catch-all from the segment on
	Refused                     // the segment does not match the matcher
	Ambiguous                   // its handler could read the path as another one: see isUnambiguous
)

// Explain returns the Explanation of a request. It searches the trie, whose answer is the
// one of ServeHTTP.
func Explain[A any](t *match.Table[A], r *http.Request) (e Explanation[A]) {
	e.Answer, e.Values, e.Miss = t.Ask(r)
	p, ok := pattern.ParsePath(r)
	if !ok {
		return e
	}
	e.Path = p
	e.judge(r.Method, e.collect(t.Trie()))
	return e
}

// collect collects the candidates for the path. It returns the trail of the mounted trie that
// owns the path, if there is one: the last one that a search would enter. A search ends behind
// it, so candidates outside of it that come later are late.
func (e *Explanation[A]) collect(t *match.Trie[A]) (owner []pattern.Segment) {
	w := walk[A]{refused: true}
	for _, segment := range e.Path.Segments {
		w.path = append(w.path, HoledSegment{segment})
	}
	isLate := func(trail []pattern.Segment) bool {
		return len(trail) < len(owner) || !slices.Equal(trail[:len(owner)], owner)
	}
	w.found = func(l *match.Leaf[A], trail []pattern.Segment) bool {
		m, segment := refusal(trail, e.Path.Segments)
		e.Candidates = append(e.Candidates, Candidate[A]{Leaf: l, Matcher: m, Segment: segment, trail: slices.Clone(trail), late: isLate(trail)})
		return false
	}
	w.enter = func(p position) (enters, ends bool) {
		if m, _ := refusal(p.trail, e.Path.Segments); m != nil || isLate(p.trail) {
			return true, false
		}
		if p.dots {
			return false, true
		}
		owner = slices.Clone(p.trail)
		return true, false
	}
	w.visit(t.Root(), position{})
	return owner
}

// refusal returns the first matcher on a trail that refuses a segment of the path, and the
// index of the segment. It returns nil if none does.
func refusal(trail []pattern.Segment, path []string) (*pattern.Matcher, int) {
	for i, seg := range withoutMounts(trail) {
		values := path[i : i+1]
		if seg.Kind == pattern.Rest {
			values = path[i:]
		}
		if n := slices.IndexFunc(values, func(v string) bool { return !seg.Takes(v) }); n >= 0 {
			return seg.Matcher, i + n
		}
	}
	return nil, 0
}

// judge sets the verdicts of the candidates. owner is the trail of the mounted trie that
// owns the path, if there is one.
func (e *Explanation[A]) judge(method string, owner []pattern.Segment) {
	first := slices.IndexFunc(e.Candidates, func(c Candidate[A]) bool {
		return c.Matcher == nil && !c.late && c.Leaf.Answer(method) != nil
	})
	if first >= 0 {
		owner = e.Candidates[first].trail
	}
	for i := range e.Candidates {
		switch c := &e.Candidates[i]; {
		case c.Matcher != nil:
			c.Verdict = Refused
		case i == first && e.Answer == nil && c.IsAnySpelling(method):
			c.Verdict = Ambiguous
		case i == first:
			c.Verdict = Answers
		case c.late || first >= 0 && i > first:
			c.Verdict, c.Segment = divergence(owner, c.trail)
		default:
			c.Verdict = LacksMethod
		}
	}
}

// divergence returns why the second of two trails comes after the first, and the index of
// the first segment in which they differ.
func divergence(first, second []pattern.Segment) (Verdict, int) {
	segment := 0
	for i, seg := range second {
		switch {
		case i < len(first) && first[i] == seg:
		case seg.Kind == mountPoint:
			return Mounted, segment
		default:
			return LessSpecific, segment
		}
		if seg.Kind != mountPoint {
			segment++
		}
	}
	return LessSpecific, segment
}
