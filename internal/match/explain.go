package match

import (
	"maps"
	"net/http"
	"slices"

	"example.com/flow/internal/pattern"
)

// An Explanation says what answers a request, and why that and nothing else.
type Explanation[A any] struct {
	Path       pattern.Path
	Answer     *A      // nil if nothing answers the request as it is
	Values     Values  // of the parameters of the answer
	Miss       Miss[A] // if Answer is nil
	Candidates []Candidate[A]
}

// A Candidate is a leaf that matches the path, or would if its matchers took the values.
type Candidate[A any] struct {
	*Leaf[A]
	Verdict Verdict
	Segment int              // which segment of the path decided, from 0
	Matcher *pattern.Matcher // that has Refused
	trail   []pattern.Segment
	late    bool // it comes after what is mounted and owns the path
}

// A Verdict says why a candidate answers, or does not.
type Verdict uint8

// The verdicts.
const (
	Answers      Verdict = iota // or it would, in the spelling that the Miss knows
	LacksMethod                 // it goes before the others, and has nothing for the method
	LessSpecific                // than what answers, or than what is mounted and owns the path: the segment decided
	Mounted                     // from the segment on it is in what is mounted, which ranks as a catch-all there
	Refused                     // a matcher does not take the segment
	Misreads                    // it could take the path, spelled as it is, for another one
)

// Explain says what ServeHTTP does with a request, and which patterns match its path, the
// most specific first. It lets the trie search, whose answer is that of the quicker ways.
func (t *Table[A]) Explain(r *http.Request) Explanation[A] {
	var e Explanation[A]
	asked := &Table[A]{
		trie: t.trie,
		hit:  func(a *A, _ http.ResponseWriter, _ *http.Request, values Values) { e.Answer, e.Values = a, values },
		miss: func(_ http.ResponseWriter, _ *http.Request, m Miss[A]) { e.Miss = m },
	}
	asked.slowly(nil, r)
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

// judge gives the candidates their verdicts. owner is the way to what is mounted and owns
// the path.
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
		case i == first && e.Answer == nil && c.below != nil && c.Leaf.Answer(method) == c.any:
			c.Verdict = Misreads
		case i == first:
			c.Verdict = Answers
		case c.late || first >= 0 && i > first:
			c.Verdict, c.Segment = parting(owner, c.trail)
		default:
			c.Verdict = LacksMethod
		}
	}
}

// parting returns why the second of two ways through the trie is behind the first, and
// the segment at which they part.
func parting(first, second []pattern.Segment) (Verdict, int) {
	segment := 0
	for i, seg := range second {
		switch {
		case i < len(first) && first[i] == seg:
		case seg.Kind == gate:
			return Mounted, segment
		default:
			return LessSpecific, segment
		}
		if seg.Kind != gate {
			segment++
		}
	}
	return LessSpecific, segment
}

// Allowed returns the methods that leaves answer by name, sorted, HEAD and OPTIONS
// included: what Allow says.
func Allowed[A any](leaves []*Leaf[A]) []string {
	methods := map[string]bool{http.MethodOptions: true}
	for _, l := range leaves {
		l.Methods(methods)
	}
	return slices.Sorted(maps.Keys(methods))
}

// gate stands in a trail where it leads into what is mounted.
const gate pattern.Kind = 255

// An explorer visits the nodes that a path leads to, in the order of search.find. It does
// not stop at an answer, and also goes where a matcher refuses a value.
type explorer[A any] struct {
	path    []string
	trail   []pattern.Segment // the way to the node, with gates in it
	refused *pattern.Matcher  // that has closed the way
	segment int               // at which it did
	owner   []pattern.Segment // the way to what is mounted and owns the path
	owned   bool              // that was visited
	over    bool              // nothing answers: a parameter before what is mounted has a value that no URL has
	found   []Candidate[A]
}

func (x *explorer[A]) walk(n *node[A], i int) {
	if i == len(x.path) {
		x.note(n.own)
		x.enter(n.mounted, i)
		return
	}
	one, all := x.path[i:i+1], x.path[i:]
	if child := n.literals[one[0]]; child != nil {
		x.step(pattern.Segment{Text: one[0]}, i, one, func() { x.walk(child, i+1) })
	}
	for b := n.matched; b != nil; b = b.next {
		if b.param != nil {
			x.step(pattern.Segment{Kind: pattern.Param, Matcher: b.matcher}, i, one, func() { x.walk(b.param, i+1) })
		}
	}
	if n.param != nil {
		x.step(pattern.Segment{Kind: pattern.Param}, i, one, func() { x.walk(n.param, i+1) })
	}
	for b := n.matched; b != nil; b = b.next {
		if b.rest != nil {
			x.step(pattern.Segment{Kind: pattern.Rest, Matcher: b.matcher}, i, all, func() { x.note(b.rest) })
		}
	}
	if n.rest != nil {
		x.step(pattern.Segment{Kind: pattern.Rest}, i, all, func() { x.note(n.rest) })
	}
	x.enter(n.mounted, i)
}

// step visits what the i-th segment leads to, if it stands for these values.
func (x *explorer[A]) step(seg pattern.Segment, i int, values []string, visit func()) {
	if x.over {
		return
	}
	refuses := slices.IndexFunc(values, func(v string) bool { return !seg.Takes(v) })
	if closes := refuses >= 0 && x.refused == nil; closes {
		x.refused, x.segment = seg.Matcher, i+refuses
		defer func() { x.refused = nil }()
	}
	x.follow(seg, visit)
}

func (x *explorer[A]) follow(seg pattern.Segment, visit func()) {
	n := len(x.trail)
	x.trail = append(x.trail, seg)
	visit()
	x.trail = x.trail[:n]
}

// enter visits what is mounted, which owns the path unless a matcher has closed the way.
func (x *explorer[A]) enter(t *Trie[A], i int) {
	if t == nil || x.over {
		return
	}
	owns := x.refused == nil && !x.owned
	if owns && x.lacksValue() {
		x.over = true
		return
	}
	x.follow(pattern.Segment{Kind: gate}, func() {
		if owns {
			x.owner = slices.Clone(x.trail)
		}
		x.walk(&t.root, i)
	})
	x.owned = x.owned || owns
}

// lacksValue reports whether a parameter on the way has a value that no URL has.
func (x *explorer[A]) lacksValue() bool {
	i := 0
	for _, seg := range x.trail {
		if seg.Kind == pattern.Param && pattern.NoValue(x.path[i]) {
			return true
		}
		if seg.Kind != gate {
			i++
		}
	}
	return false
}

func (x *explorer[A]) note(l *Leaf[A]) {
	if l != nil && !x.over {
		x.found = append(x.found, Candidate[A]{Leaf: l, Matcher: x.refused, Segment: x.segment, trail: slices.Clone(x.trail), late: x.owned})
	}
}
