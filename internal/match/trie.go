package match

import (
	"net/http"

	"example.com/flow/internal/pattern"
)

// AnyMethod stands for every method that a pattern has no other answer for. It is
// no token, so that no request has it.
const AnyMethod = "(any)"

// A Trie holds patterns and what answers them, an *A for each method. It can hold and
// match all patterns, and the httprouter tree is made from it.
type Trie[A any] struct {
	root  node[A]
	by    *A  // what it is mounted by; nil for the outermost
	depth int // how many segments of its patterns are those of the prefix that it is mounted at
}

// A node is a position in URLs; the way to it is the segments so far.
type node[A any] struct {
	literals map[string]*node[A]
	matched  *branch[A] // parameters and catch-alls with matchers, by the matchers' names
	param    *node[A]
	own      *Leaf[A] // the URL that ends here
	rest     *Leaf[A] // a catch-all that begins here
	mounted  *Trie[A] // in this place, ranking behind a catch-all
}

// A branch is what only values that a matcher takes lead to.
type branch[A any] struct {
	matcher *pattern.Matcher
	param   *node[A]
	rest    *Leaf[A]
	next    *branch[A]
}

// branch returns the branch of a matcher, made if it is the first of that name.
func (n *node[A]) branch(m *pattern.Matcher) *branch[A] {
	at := &n.matched
	for *at != nil && (*at).matcher.Name < m.Name {
		at = &(*at).next
	}
	if *at == nil || (*at).matcher.Name != m.Name {
		*at = &branch[A]{matcher: m, next: *at}
	}
	return *at
}

// takesAll reports whether the matcher takes every one of some segments.
func (b *branch[A]) takesAll(path []string) bool {
	for _, segment := range path {
		if !b.matcher.Fits(segment) {
			return false
		}
	}
	return true
}

// A Leaf is where the URLs of a pattern end: what answers there, by method.
type Leaf[A any] struct {
	get    *A // what answers GET, apart from the others since most requests ask for it
	others []method[A]
	any    *A
	below  *A // see SetFree
}

type method[A any] struct {
	name   string
	answer *A
}

// Set makes a answer a method, in place of what did.
func (l *Leaf[A]) Set(name string, a *A) {
	switch name {
	case AnyMethod:
		l.any = a
		return
	case http.MethodGet:
		l.get = a
		return
	}
	for i := range l.others {
		if l.others[i].name == name {
			l.others[i].answer = a
			return
		}
	}
	l.others = append(l.others, method[A]{name, a})
}

// SetFree makes a answer every method that has no other answer, and makes it free: its
// URLs are answered in any spelling, without a redirect. In a spelling that is not
// canonical, such as /files/ for /files, below answers in its place.
func (l *Leaf[A]) SetFree(a, below *A) { l.any, l.below = a, below }

// Answer returns what answers a method, or nil: its own, for HEAD that of GET, or
// that of AnyMethod.
func (l *Leaf[A]) Answer(name string) *A {
	if name == http.MethodGet && l.get != nil {
		return l.get
	}
	return l.answerOther(name)
}

func (l *Leaf[A]) answerOther(name string) *A {
	for i := range l.others {
		if l.others[i].name == name {
			return l.others[i].answer
		}
	}
	if name == http.MethodHead && l.get != nil {
		return l.get
	}
	return l.any
}

// HasAny reports whether there is an answer for every method.
func (l *Leaf[A]) HasAny() bool { return l.any != nil }

// Answers returns all that answers at the leaf, that of GET first and that of AnyMethod
// last.
func (l *Leaf[A]) Answers() []*A {
	var all []*A
	if l.get != nil {
		all = append(all, l.get)
	}
	for _, m := range l.others {
		all = append(all, m.answer)
	}
	if l.any != nil {
		all = append(all, l.any)
	}
	return all
}

// Methods adds the methods that are answered by name, HEAD included, to a set.
func (l *Leaf[A]) Methods(set map[string]bool) {
	if l.get != nil {
		set[http.MethodGet], set[http.MethodHead] = true, true
	}
	for _, m := range l.others {
		set[m.name] = true
	}
}

// Leaf returns the leaf of a pattern, made if it is the first there.
func (t *Trie[A]) Leaf(p *pattern.Pattern) *Leaf[A] {
	n, rest := t.node(p.Segments)
	end := &n.own
	if rest {
		end = &n.rest
		if m := p.Segments[len(p.Segments)-1].Matcher; m != nil {
			end = &n.branch(m).rest
		}
	}
	if *end == nil {
		*end = &Leaf[A]{}
	}
	return *end
}

// CatchAll returns something that answers all URLs below a prefix, or nil.
func (t *Trie[A]) CatchAll(prefix []pattern.Segment) *A {
	n, _ := t.node(prefix)
	switch {
	case n.mounted != nil:
		return n.mounted.by
	case n.rest != nil:
		return n.rest.Answers()[0]
	}
	return nil
}

// Mount returns a trie for all patterns that begin with a prefix, which ranks as a
// catch-all there: what t has itself goes before. It owns these URLs, also those that
// it has no answer for.
func (t *Trie[A]) Mount(prefix []pattern.Segment, by *A) *Trie[A] {
	n, _ := t.node(prefix)
	n.mounted = &Trie[A]{by: by, depth: len(prefix)}
	return n.mounted
}

// node returns the node that segments lead to, and whether a catch-all begins there.
func (t *Trie[A]) node(segments []pattern.Segment) (n *node[A], rest bool) {
	n = &t.root
	for _, seg := range segments[t.depth:] {
		switch seg.Kind {
		case pattern.Literal:
			child := n.literals[seg.Text]
			if child == nil {
				child = &node[A]{}
				if n.literals == nil {
					n.literals = map[string]*node[A]{}
				}
				n.literals[seg.Text] = child
			}
			n = child
		case pattern.Param:
			child := &n.param
			if seg.Matcher != nil {
				child = &n.branch(seg.Matcher).param
			}
			if *child == nil {
				*child = &node[A]{}
			}
			n = *child
		case pattern.Rest:
			return n, true
		}
	}
	return n, false
}

// Matching returns the leaves that match the segments of a path, the most specific
// first, until what is mounted owns it.
func (t *Trie[A]) Matching(path []string) []*Leaf[A] {
	s := &search[A]{path: path, within: t, all: true}
	s.find(&t.root, 0)
	return s.leaves
}

// A search looks for what answers a method of a path. It goes back where a more
// specific branch has nothing, and visits each node at most once.
type search[A any] struct {
	method string
	all    bool     // go on after an answer, for the leaves
	path   []string // the segments
	values []int    // which of them parameters have matched
	kept   Values   // room for the values

	answer *A
	leaf   *Leaf[A]
	rest   int // where the catch-all begins that has matched, or -1

	leaves []*Leaf[A] // that match the path in what owns it
	within *Trie[A]   // that owns the path: the outermost, or one that is mounted
}

// find searches from a node on, at the i-th segment, and reports whether it is over:
// with an answer, or without one in a trie that owns the path.
func (s *search[A]) find(n *node[A], i int) bool {
	if i == len(s.path) {
		return n.own != nil && s.try(n.own, -1) || n.mounted != nil && s.enter(n.mounted, i)
	}
	if len(n.literals) > 0 { // to ask an empty map costs more
		if child := n.literals[s.path[i]]; child != nil && s.find(child, i+1) {
			return true
		}
	}
	for b := n.matched; b != nil; b = b.next {
		if b.param != nil && b.matcher.Fits(s.path[i]) && s.capture(b.param, i) {
			return true
		}
	}
	if n.param != nil && s.capture(n.param, i) {
		return true
	}
	for b := n.matched; b != nil; b = b.next {
		if b.rest != nil && b.takesAll(s.path[i:]) && s.try(b.rest, i) {
			return true
		}
	}
	return n.rest != nil && s.try(n.rest, i) || n.mounted != nil && s.enter(n.mounted, i)
}

// capture searches from a node on that the i-th segment leads to as a parameter's value.
func (s *search[A]) capture(n *node[A], i int) bool {
	s.values = append(s.values, i)
	if s.find(n, i+1) {
		return true
	}
	s.values = s.values[:len(s.values)-1]
	return false
}

func (s *search[A]) try(l *Leaf[A], rest int) bool {
	s.leaves = append(s.leaves, l)
	a := l.Answer(s.method)
	if a == nil || s.all {
		return false
	}
	s.answer, s.leaf, s.rest = a, l, rest
	return true
}

// enter goes on in a trie that owns the path, unless a parameter before it has a
// value of which no URL could be made.
func (s *search[A]) enter(t *Trie[A], i int) bool {
	if !s.all {
		s.leaves = s.leaves[:0]
	}
	for _, v := range s.values {
		if pattern.NoValue(s.path[v]) {
			return true
		}
	}
	s.within = t
	s.find(&t.root, i)
	return true
}
