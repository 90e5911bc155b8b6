package match

import (
	"slices"

	"example.com/flow/internal/serve/routes/pattern"
)

// A walk visits the leaves that a path with holes leads to. It is for questions about a path,
// which are asked before the program serves and in development. The leaves that a search gets
// to come in the order of search.find. The methods of a walk report whether a search that gets
// there ends there, whatever the values of the holes are: the walk goes no further then.
//
// With near or refused, a walk also visits leaves that no search for the path gets to. There
// found and enter must not report an end, or the walk would miss leaves that a search finds.
type walk[A any] struct {
	path    []HoledSegment
	slashes bool // the values of holes may contain slashes: see Trie.Possible
	near    bool // it follows all literals that are similar to those of the path: see HoledSegment.distance
	refused bool // it also follows matchers that refuse a value, and finds files by URLs with any hash

	found func(*Leaf[A], []pattern.Segment) (ends bool) // is given the trail, which the walk changes afterwards
	enter func(position) (enters, ends bool)            // says what becomes of a mounted trie

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
	n            *node[A]
	i            int
	within, dots bool
}

// visit visits a node and the nodes below it.
func (w *walk[A]) visit(n *node[A], p position) (ends bool) {
	if w.slashes {
		v := visit[A]{n, p.i, p.within, p.dots}
		if w.seen[v] {
			return false
		}
		w.seen[v] = true
	}
	if p.i == len(w.path) {
		return n.end != nil && w.found(n.end, p.trail) || w.mounted(n, p)
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
func (w *walk[A]) visitHoles(n *node[A], t HoledSegment, p, next position) {
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
func (w *walk[A]) step(n *node[A], t HoledSegment, next position) (ends bool) {
	for _, text := range w.literals(n, t) {
		if w.visit(n.literals[text], next.behind(pattern.Segment{Text: text}, t)) && t.known() {
			return true
		}
	}
	if w.refused && next.i == len(w.path) {
		if l := n.anyHash(t[0]); l != nil {
			name, _ := pattern.Unhashed(t[0]) // as the segment of the trail, which differs from the literal above
			w.found(l, next.behind(pattern.Segment{Text: name}, t).trail)
		}
	}
	for b := range n.branches() {
		if b.param != nil && w.follows(b, t) && w.visit(b.param, next.behind(b.segment(pattern.Param), t)) && b.isCertain(t) {
			return true
		}
	}
	return false
}

// literals returns the literals behind n that the walk follows for a segment t, sorted.
func (w *walk[A]) literals(n *node[A], t HoledSegment) (texts []string) {
	if t.known() && !w.near {
		if n.literals[t[0]] != nil {
			return t
		}
		return nil
	}
	for text := range n.literals {
		if _, near := t.distance(text); near {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return texts
}

// rest visits the catch-alls that begin at n, and the trie that is mounted there.
func (w *walk[A]) rest(n *node[A], p position) (ends bool) {
	rest := w.path[p.i:]
	for b := range n.branches() {
		if b.rest != nil && w.follows(b, rest...) && w.found(b.rest, p.behind(b.segment(pattern.Rest), nil).trail) && b.isCertain(rest...) {
			return true
		}
	}
	return w.mounted(n, p)
}

// follows reports whether the walk follows a branch for texts.
func (w *walk[A]) follows(b branch[A], texts ...HoledSegment) bool {
	return w.refused || !slices.ContainsFunc(texts, func(t HoledSegment) bool { return !t.canFit(b.matcher) })
}

// isCertain reports whether a search follows a branch for texts that the walk followed it for,
// whatever the values of their holes are. For texts that its matcher refuses, which a walk
// follows with refused, nothing depends on it: there is no end behind them.
func (b branch[A]) isCertain(texts ...HoledSegment) bool {
	return b.matcher == nil || !slices.ContainsFunc(texts, func(t HoledSegment) bool { return !t.known() })
}

// segment returns a segment of a trail for the branch.
func (b branch[A]) segment(kind pattern.Kind) pattern.Segment {
	return pattern.Segment{Kind: kind, Matcher: b.matcher}
}

// mounted visits the trie that is mounted at n, if there is one.
func (w *walk[A]) mounted(n *node[A], p position) (ends bool) {
	if n.mounted == nil {
		return false
	}
	p = p.behind(pattern.Segment{Kind: mountPoint}, nil)
	enters, ends := w.enter(p)
	return enters && w.visit(&n.mounted.root, p) || ends
}

// withoutMounts returns the segments of a trail without mount points: as many as there are
// segments in the path, or fewer if the last is a catch-all.
func withoutMounts(trail []pattern.Segment) []pattern.Segment {
	return slices.DeleteFunc(slices.Clone(trail), func(seg pattern.Segment) bool { return seg.Kind == mountPoint })
}
