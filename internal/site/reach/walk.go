package reach

import (
	"slices"

	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
)

// A walk visits the leaves that a path with holes leads to. It is for questions about a path,
// which are asked before the program serves and in development. The leaves that a search gets
// to come in the order of a search. The methods of a walk report whether a search that gets
// there ends there, whatever the values of the holes are: the walk goes no further then.
//
// With near or refused, a walk also visits leaves that no search for the path gets to. There
// found and enter must not report an end, or the walk would miss leaves that a a searchs.
type walk[A any] struct {
	path    []HoledSegment
	slashes bool // the values of holes may contain slashes: see Possible
	near    bool // it follows all literals that are similar to those of the path: see HoledSegment.distance
	refused bool // it also follows matchers that refuse a value, and finds files by URLs with any hash

	found func(*match.Leaf[A], []pattern.Segment) (ends bool) // is given the trail, which the walk changes afterwards
	enter func(position) (enters, ends bool)                  // says what becomes of a mounted trie

	seen map[visit[A]]bool // with slashes, where several ways lead to the same visit
}

// A position is a place in the path of a walk: in front of the i-th segment or, if within is
// set, inside of it, behind a slash in the value of one of its holes.
type position struct {
	i      int
	within bool
	dots   bool              // a parameter before it has the value "." or "..": see search.enter
	trail  []pattern.Segment // that have led there, with mount points
}

// mountPoint is the kind of a segment that marks in a trail where a mounted trie begins. No
// segment of a path stands for it.
const mountPoint pattern.Kind = 255

// behind returns the position with a segment at the end of the trail, which the text t has led to.
func (p position) behind(seg pattern.Segment, t HoledSegment) position {
	p.trail = append(p.trail, seg)
	p.dots = p.dots || seg.Kind == pattern.Param && t.known() && pattern.EmptyOrDots(t[0])
	return p
}

// A visit is a node at a position.
type visit[A any] struct {
	n            *match.Node[A]
	i            int
	within, dots bool
}

// visit visits a node and the nodes below it.
func (w *walk[A]) visit(n *match.Node[A], p position) (ends bool) {
	if w.slashes {
		v := visit[A]{n, p.i, p.within, p.dots}
		if w.seen[v] {
			return false
		}
		w.seen[v] = true
	}
	if p.i == len(w.path) {
		return n.End() != nil && w.found(n.End(), p.trail) || w.mounted(n, p)
	}
	t, next := w.path[p.i], p
	next.i, next.within = p.i+1, false
	if w.slashes && !t.known() {
		w.visitHoles(n, t, p, next)
		return false // nothing is certain
	}
	return w.step(n, t, next) || w.rest(n, p)
}

// visitHoles visits what a segment whose holes may contain slashes leads to.
func (w *walk[A]) visitHoles(n *match.Node[A], t HoledSegment, p, next position) {
	within := p
	within.within = true
	if p.within {
		t = HoledSegment{"", t[len(t)-1]}
	}
	w.step(n, t, next)
	w.step(n, HoledSegment{t[0], ""}, within)
	if len(w.path) == 1 && t.onlyHoles() && !p.within {
		w.visit(n, next) // there is no value, or it begins the query
	}
	w.rest(n, p)
}

// step visits the nodes behind n that a segment t of the path leads to. next is the position
// behind t.
func (w *walk[A]) step(n *match.Node[A], t HoledSegment, next position) (ends bool) {
	for _, text := range w.literals(n, t) {
		if w.visit(n.Child(text), next.behind(pattern.Segment{Text: text}, t)) && t.known() {
			return true
		}
	}
	if w.refused && next.i == len(w.path) {
		if l := n.File(t[0]); l != nil {
			name, _ := pattern.Unhashed(t[0]) // as the segment of the trail, which differs from the literal above
			w.found(l, next.behind(pattern.Segment{Text: name}, t).trail)
		}
	}
	for b := range n.Branches() {
		if b.Param != nil && w.follows(b, t) && w.visit(b.Param, next.behind(segmentOf(b, pattern.Param), t)) && isCertain(b, t) {
			return true
		}
	}
	return false
}

// literals returns the literals behind n that the walk follows for a segment t, sorted.
func (w *walk[A]) literals(n *match.Node[A], t HoledSegment) (texts []string) {
	if t.known() && !w.near {
		if n.Child(t[0]) != nil {
			return t
		}
		return nil
	}
	for text := range n.Literals() {
		if _, near := t.distance(text); near {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return texts
}

// rest visits the catch-alls that begin at n, and the trie that is mounted there.
func (w *walk[A]) rest(n *match.Node[A], p position) (ends bool) {
	rest := w.path[p.i:]
	for b := range n.Branches() {
		if b.Rest != nil && w.follows(b, rest...) && w.found(b.Rest, p.behind(segmentOf(b, pattern.Rest), nil).trail) && isCertain(b, rest...) {
			return true
		}
	}
	return w.mounted(n, p)
}

// follows reports whether the walk follows a branch for texts.
func (w *walk[A]) follows(b match.Branch[A], texts ...HoledSegment) bool {
	return w.refused || !slices.ContainsFunc(texts, func(t HoledSegment) bool { return !t.canFit(b.Matcher) })
}

// isCertain reports whether a search follows a branch for texts that the walk followed it for,
// whatever the values of their holes are. For texts that its matcher refuses, which a walk
// follows with refused, nothing depends on it: there is no end behind them.
func isCertain[A any](b match.Branch[A], texts ...HoledSegment) bool {
	return b.Matcher == nil || !slices.ContainsFunc(texts, func(t HoledSegment) bool { return !t.known() })
}

// segmentOf returns a segment of a trail for a branch.
func segmentOf[A any](b match.Branch[A], kind pattern.Kind) pattern.Segment {
	return pattern.Segment{Kind: kind, Matcher: b.Matcher}
}

// mounted visits the trie that is mounted at n, if there is one.
func (w *walk[A]) mounted(n *match.Node[A], p position) (ends bool) {
	if n.Mounted() == nil {
		return false
	}
	p = p.behind(pattern.Segment{Kind: mountPoint}, nil)
	enters, ends := w.enter(p)
	return enters && w.visit(n.Mounted().Root(), p) || ends
}

// withoutMounts returns the segments of a trail without mount points: as many as there are
// segments in the path, or fewer if the last is a catch-all.
func withoutMounts(trail []pattern.Segment) []pattern.Segment {
	return slices.DeleteFunc(slices.Clone(trail), func(seg pattern.Segment) bool { return seg.Kind == mountPoint })
}
