package match

import (
	"maps"
	"net/http"
	"slices"

	"example.com/flow/internal/routes/pattern"
)

// An Explanation tells which answer a request gets, and why the other patterns that match
// its path do not answer it.
type Explanation[A any] struct {
	Path       pattern.Path
	Answer     *A             // nil if the request has none
	Values     Values         // of the answer's parameters
	Miss       Miss[A]        // if Answer is nil
	Candidates []Candidate[A] // the most specific first
}

// A Candidate is a leaf whose pattern matches the path, or would without its matchers.
type Candidate[A any] struct {
	*Leaf[A]
	Verdict Verdict
	Segment int               // the index of the segment that decided: see Verdict
	Matcher *pattern.Matcher  // for Refused: the matcher that did
	trail   []pattern.Segment // from the root to the leaf: see explorer
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
func (t *Table[A]) Explain(r *http.Request) Explanation[A] {
	var e Explanation[A]
	asked := &Table[A]{
		trie: t.trie,
		hit:  func(a *A, _ http.ResponseWriter, _ *http.Request, values Values) { e.Answer, e.Values = a, values },
		miss: func(_ http.ResponseWriter, _ *http.Request, m Miss[A]) { e.Miss = m },
	}
	asked.matchUncleanPath(nil, r)
	p, ok := pattern.ParsePath(r)
	if !ok {
		return e
	}
	e.Path = p
	x := &explorer[A]{path: p.Segments}
	x.walk(&t.trie.root, 0)
	e.Candidates = x.found
	e.judge(r.Method, x.owner)
	return e
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
		case i == first && e.Answer == nil && c.unclean != nil && c.Leaf.Answer(method) == c.any:
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

// Allowed returns the value of Allow for leaves: their methods, HEAD and OPTIONS included,
// sorted.
func Allowed[A any](leaves []*Leaf[A]) []string {
	methods := map[string]bool{http.MethodOptions: true}
	for _, l := range leaves {
		l.Methods(methods)
	}
	return slices.Sorted(maps.Keys(methods))
}

// mountPoint is the kind of a segment that marks in a trail where a mounted trie begins. No
// segment of a path stands for it.
const mountPoint pattern.Kind = 255

// An explorer finds the candidates for a path. It visits the nodes in the order of
// search.find, and unlike a search goes on after an answer and past a matcher that refuses
// a value.
type explorer[A any] struct {
	path    []string
	trail   []pattern.Segment // from the root to the current node, with mount points
	refused *pattern.Matcher  // the first on the trail that refuses its value; nil if none does
	segment int               // the index of the segment that it refuses
	owner   []pattern.Segment // the trail of the mounted trie that owns the path
	owned   bool              // that trie was visited: a search ends there
	over    bool              // the search ends without an answer: see search.enter
	found   []Candidate[A]
}

// walk visits a node and the nodes below it for the segments from the i-th on.
func (x *explorer[A]) walk(n *node[A], i int) {
	if i == len(x.path) {
		x.note(n.end)
		x.enter(n.mounted, i)
		return
	}
	one, all := x.path[i:i+1], x.path[i:]
	if child := n.literals[one[0]]; child != nil {
		x.step(pattern.Segment{Text: one[0]}, i, one, func() { x.walk(child, i+1) })
	}
	if l := n.anyHash(one[0]); l != nil && len(all) == 1 {
		name, _ := pattern.Unhashed(one[0]) // as the segment of the trail, which differs from the literal above
		x.step(pattern.Segment{Text: name}, i, one, func() { x.note(l) })
	}
	for b := n.constrained; b != nil; b = b.next {
		if b.param != nil {
			x.step(pattern.Segment{Kind: pattern.Param, Matcher: b.matcher}, i, one, func() { x.walk(b.param, i+1) })
		}
	}
	if n.param != nil {
		x.step(pattern.Segment{Kind: pattern.Param}, i, one, func() { x.walk(n.param, i+1) })
	}
	for b := n.constrained; b != nil; b = b.next {
		if b.rest != nil {
			x.step(pattern.Segment{Kind: pattern.Rest, Matcher: b.matcher}, i, all, func() { x.note(b.rest) })
		}
	}
	if n.rest != nil {
		x.step(pattern.Segment{Kind: pattern.Rest}, i, all, func() { x.note(n.rest) })
	}
	x.enter(n.mounted, i)
}

// step visits what seg leads to. values are the segments of the path that seg has to match,
// from the i-th on.
func (x *explorer[A]) step(seg pattern.Segment, i int, values []string, visit func()) {
	if x.over {
		return
	}
	refuses := slices.IndexFunc(values, func(v string) bool { return !seg.Takes(v) })
	if refuses >= 0 && x.refused == nil {
		x.refused, x.segment = seg.Matcher, i+refuses
		defer func() { x.refused = nil }()
	}
	x.follow(seg, visit)
}

// follow visits with seg at the end of the trail.
func (x *explorer[A]) follow(seg pattern.Segment, visit func()) {
	n := len(x.trail)
	x.trail = append(x.trail, seg)
	visit()
	x.trail = x.trail[:n]
}

// enter visits a mounted trie. It owns the path unless a matcher on the trail refuses a
// value, or an earlier one owns it.
func (x *explorer[A]) enter(t *Trie[A], i int) {
	if t == nil || x.over {
		return
	}
	owns := x.refused == nil && !x.owned
	if owns && x.hasImpossibleValue() {
		x.over = true
		return
	}
	x.follow(pattern.Segment{Kind: mountPoint}, func() {
		if owns {
			x.owner = slices.Clone(x.trail)
		}
		x.walk(&t.root, i)
	})
	x.owned = x.owned || owns
}

// hasImpossibleValue reports whether a parameter on the trail has a value that no canonical
// URL can have, such as "..".
func (x *explorer[A]) hasImpossibleValue() bool {
	i := 0
	for _, seg := range x.trail {
		if seg.Kind == pattern.Param && pattern.EmptyOrDots(x.path[i]) {
			return true
		}
		if seg.Kind != mountPoint {
			i++
		}
	}
	return false
}

// note adds a leaf to the candidates. It may be nil.
func (x *explorer[A]) note(l *Leaf[A]) {
	if l != nil && !x.over {
		x.found = append(x.found, Candidate[A]{Leaf: l, Matcher: x.refused, Segment: x.segment, trail: slices.Clone(x.trail), late: x.owned})
	}
}
