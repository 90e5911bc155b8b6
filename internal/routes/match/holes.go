package match

import (
	"iter"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/routes/pattern"
)

// Hole is pattern.Hole.
const Hole = pattern.Hole

// A Text is a segment of a path with holes, unescaped: the known texts, with a hole between
// each two.
//
//	new            {"new"}
//	{{.ID}}        {"", ""}
//	user-{{.ID}}   {"user-", ""}
type Text []string

// ParsePath returns the segments of an escaped path with holes. canonical reports whether
// the path is spelled as the router spells it: otherwise requests for it are redirected. ok
// is false if the path has a broken escape, or does not begin with a slash.
func ParsePath(path string) (texts []Text, canonical, ok bool) {
	p, ok := pattern.Clean(path)
	if !ok {
		return nil, false, false
	}
	texts = make([]Text, len(p.Segments))
	for i, segment := range p.Segments {
		texts[i] = strings.Split(segment, pattern.Hole)
	}
	return texts, p.IsCanonical(), true
}

// known reports whether the text has no holes.
func (t Text) known() bool { return len(t) == 1 }

// onlyHoles reports whether nothing of the text is known.
func (t Text) onlyHoles() bool {
	return len(t) > 1 && !slices.ContainsFunc(t, func(s string) bool { return s != "" })
}

// canBe reports whether the text is s for some values of its holes.
func (t Text) canBe(s string) bool {
	if t.known() {
		return s == t[0]
	}
	last := t[len(t)-1]
	s, begins := strings.CutPrefix(s, t[0])
	s, ends := strings.CutSuffix(s, last)
	if !begins || !ends {
		return false
	}
	for _, between := range t[1 : len(t)-1] {
		_, after, found := strings.Cut(s, between)
		if !found {
			return false
		}
		s = after
	}
	return true
}

// canFit reports whether the text matches a matcher for some values of its holes. A text
// with holes is taken to match any matcher, and a matcher without a function to match any
// text. m may be nil.
func (t Text) canFit(m *pattern.Matcher) bool {
	return m == nil || m.Fits == nil || !t.known() || m.Fits(t[0])
}

// Possible returns the leaves that match a path for some values of its holes, in the order
// of a search. Without holes they are those of a search, but for those of AnyHash, since no
// link should have a hash of another version: the answer of the first leaf that has one for the
// method is the one of Find.
//
// A leaf is left out if a search ends before it, whatever the values are: behind an answer
// for the method, or in a mounted trie that owns the path. If method is "", only the latter
// counts.
//
// A value is any text within its segment. If slashes is set, it may also contain slashes, and
// be empty if it is the whole path. A leaf may then come more than once.
func (t *Trie[A]) Possible(method string, path []Text, slashes bool) iter.Seq[*Leaf[A]] {
	return func(yield func(*Leaf[A]) bool) {
		w := &walk[A]{method: method, path: path, slashes: slashes, yield: yield}
		w.visit(&t.root, at{})
	}
}

// Possible returns the leaves that may match a path with holes: see Trie.Possible.
func (t *Table[A]) Possible(method string, path []Text, slashes bool) iter.Seq[*Leaf[A]] {
	return t.trie.Possible(method, path, slashes)
}

// A walk finds the leaves that match a path with holes. It visits the nodes in the order of
// search.find. Its methods report whether a search that gets there ends there, whatever the
// values of the holes are.
type walk[A any] struct {
	method  string
	path    []Text
	slashes bool
	yield   func(*Leaf[A]) bool
	stopped bool              // by yield
	seen    map[visit[A]]bool // with slashes, where several ways lead to the same visit
}

// at is a position in the path of a walk: in front of the i-th segment or, if within is set,
// inside of it, behind a slash in the value of one of its holes.
type at struct {
	i      int
	within bool
	dots   bool // a parameter before it has the value "." or "..": see search.enter
}

// A visit is a node at a position of the path.
type visit[A any] struct {
	*node[A]
	at
}

// visit visits a node and the nodes below it.
func (w *walk[A]) visit(n *node[A], p at) bool {
	if w.stopped || w.slashes && !w.first(visit[A]{n, p}) {
		return w.stopped
	}
	if p.i == len(w.path) {
		return w.note(n.end) || w.enter(n.mounted, p)
	}
	t, next := w.path[p.i], p
	next.i, next.within = p.i+1, false
	if w.slashes && !t.known() {
		w.visitHoles(n, t, p, next)
		return w.stopped
	}
	return w.step(n, t, next) || w.visitRest(n, p)
}

// visitHoles visits what a segment whose holes may contain slashes leads to. Nothing is
// certain behind it.
func (w *walk[A]) visitHoles(n *node[A], t Text, p, next at) {
	within := p
	within.within = true
	if p.within {
		w.step(n, Text{"", t[len(t)-1]}, next)
		w.step(n, Text{"", ""}, within)
	} else {
		w.step(n, t, next)
		w.step(n, Text{t[0], ""}, within)
		if len(w.path) == 1 && t.onlyHoles() {
			w.visit(n, next) // there is no value, or it begins the query
		}
	}
	w.visitRest(n, p)
}

// first reports whether a visit is the first one there.
func (w *walk[A]) first(v visit[A]) bool {
	if w.seen[v] {
		return false
	}
	if w.seen == nil {
		w.seen = map[visit[A]]bool{}
	}
	w.seen[v] = true
	return true
}

// step visits the nodes behind n that a segment t of the path leads to. next is the position
// behind t.
func (w *walk[A]) step(n *node[A], t Text, next at) bool {
	if t.known() {
		if child := n.literals[t[0]]; child != nil && w.visit(child, next) {
			return true
		}
		next.dots = next.dots || pattern.EmptyOrDots(t[0])
	} else {
		for _, text := range n.literalsWhere(t.canBe) {
			w.visit(n.literals[text], next)
		}
	}
	for b := n.constrained; b != nil; b = b.next {
		if b.param != nil && t.canFit(b.matcher) && w.visit(b.param, next) && t.known() {
			return true
		}
	}
	return n.param != nil && w.visit(n.param, next)
}

// literalsWhere returns the literals behind a node that a function returns true for, sorted.
func (n *node[A]) literalsWhere(is func(string) bool) (texts []string) {
	for text := range n.literals {
		if is(text) {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return texts
}

// visitRest visits the catch-alls that begin at n, and the trie that is mounted there.
func (w *walk[A]) visitRest(n *node[A], p at) bool {
	rest := w.path[p.i:]
	for b := n.constrained; b != nil; b = b.next {
		fits := b.rest != nil && !slices.ContainsFunc(rest, func(t Text) bool { return !t.canFit(b.matcher) })
		if fits && w.note(b.rest) && !slices.ContainsFunc(rest, func(t Text) bool { return !t.known() }) {
			return true
		}
	}
	return w.note(n.rest) || w.enter(n.mounted, p)
}

// enter visits a mounted trie, which owns the path. t may be nil.
func (w *walk[A]) enter(t *Trie[A], p at) bool {
	if t != nil && !p.dots {
		w.visit(&t.root, p)
	}
	return t != nil
}

// note yields a leaf, which may be nil.
func (w *walk[A]) note(l *Leaf[A]) bool {
	if l == nil || w.stopped {
		return w.stopped
	}
	w.stopped = !w.yield(l)
	return w.stopped || w.method != "" && l.Answer(w.method) != nil
}

// Nearest returns the leaf whose pattern is most similar to a path, and does not match it, for
// "did you mean": it has an answer for the method, and one or more of its literal segments are
// spelled a little differently in the path. Of two that are equally similar, it is the one
// with more literal segments. It is nil if none is similar. If method is "", any leaf counts.
//
// Nearest compares the path with all literals beside those of the path, so it is for paths
// that are wrong.
func (t *Trie[A]) Nearest(method string, path []Text) *Leaf[A] {
	s := &similar[A]{method: method, path: path}
	s.visit(&t.root, 0, likeness{})
	return s.best
}

// Nearest returns the leaf whose pattern is most similar to a path: see Trie.Nearest.
func (t *Table[A]) Nearest(method string, path []Text) *Leaf[A] { return t.trie.Nearest(method, path) }

// similar looks for the leaf whose pattern is most similar to a path.
type similar[A any] struct {
	method string
	path   []Text
	best   *Leaf[A]
	likeness
}

// A likeness says how similar a pattern is to a path.
type likeness struct {
	distance int // of all literal segments of the pattern to those of the path: see fault.Distance
	literals int // the number of those segments, less the number of those that are holes in the path
}

// visit looks at a node and the nodes below it.
func (s *similar[A]) visit(n *node[A], i int, like likeness) {
	if s.best != nil && like.distance > s.distance {
		return
	}
	if n.mounted != nil {
		defer s.visit(&n.mounted.root, i, like)
	}
	if i == len(s.path) {
		s.note(n.end, like)
		return
	}
	t := s.path[i]
	isNear := func(text string) bool {
		_, near := t.distance(text)
		return near
	}
	for _, text := range n.literalsWhere(isNear) {
		d, _ := t.distance(text)
		behind := likeness{like.distance + d, like.literals + 1}
		if !t.known() {
			behind.literals = like.literals - 1 // a parameter is more likely to be meant
		}
		s.visit(n.literals[text], i+1, behind)
	}
	for b := n.constrained; b != nil; b = b.next {
		if b.param != nil && t.canFit(b.matcher) {
			s.visit(b.param, i+1, like)
		}
	}
	if n.param != nil {
		s.visit(n.param, i+1, like)
	}
	s.note(n.rest, like)
}

// distance returns how far the text is from a literal segment. ok is false if they are not
// similar: see fault.Near.
func (t Text) distance(literal string) (d int, ok bool) {
	if !t.known() {
		return 0, t.canBe(literal)
	}
	if t[0] == literal {
		return 0, true
	}
	return fault.Near(t[0], literal)
}

// note notes a leaf, which may be nil, if it is better than the one so far.
func (s *similar[A]) note(l *Leaf[A], like likeness) {
	if l == nil || like.distance == 0 || s.method != "" && l.Answer(s.method) == nil {
		return
	}
	if s.best == nil || like.distance < s.distance || like.distance == s.distance && like.literals > s.literals {
		s.best, s.likeness = l, like
	}
}
