package match

import (
	"iter"
	"maps"
	"net/http"
	"slices"

	"example.com/flow/internal/serve/routes/pattern"
)

// AnyMethod stands for every method that a pattern has no other answer for. No request has
// it as its method, since it is not a token (RFC 9110, section 9.1).
const AnyMethod = "(any)"

// A Trie holds patterns with their answers: an *A for each method. It can hold all
// patterns, whether they overlap or not. A node is a position in URLs, and each segment of
// a pattern leads to the next node.
//
//	/users/new, /users/{id=int}, /users/{id}/posts
//
//	root ── "users" ─┬─ "new"         the Leaf of /users/new
//	                 ├─ {param=int}   the Leaf of /users/{id=int}
//	                 └─ {param} ───── "posts"   the Leaf of /users/{id}/posts
type Trie[A any] struct {
	root  Node[A]
	by    *A  // the answer of the mount, as Mount was given it; nil for the outermost trie
	depth int // the number of segments of the mount's prefix, which all patterns begin with
}

// A Node is a position in URLs. A search tries its fields in this order, but all
// parameters before the catch-alls.
type Node[A any] struct {
	end         *Leaf[A]            // of the pattern that ends here
	literals    map[string]*Node[A] // by segment
	files       map[string]*Leaf[A] // see AnyHash: by the segment without a hash
	constrained *Branch[A]          // a list, in the order of the matchers' names
	param       *Node[A]            // behind a parameter without a matcher
	rest        *Leaf[A]            // of the catch-all without a matcher that begins here
	mounted     *Trie[A]            // ranks behind a catch-all
}

// A Branch is the subtree behind a constrained parameter, and the catch-all with the same
// constraint: [id=int] and [...ids=int] have the matcher int.
type Branch[A any] struct {
	Matcher *pattern.Matcher // nil for that of a Node without constraints
	Param   *Node[A]         // nil if there is none
	Rest    *Leaf[A]         // of the catch-all; nil if there is none
	next    *Branch[A]
}

// branch returns the branch of a matcher. It adds one if the node has none.
func (n *Node[A]) branch(m *pattern.Matcher) *Branch[A] {
	at := &n.constrained
	for *at != nil && (*at).Matcher.Name < m.Name {
		at = &(*at).next
	}
	if *at == nil || (*at).Matcher.Name != m.Name {
		*at = &Branch[A]{Matcher: m, next: *at}
	}
	return *at
}

// Branches returns the branches of a node in the order of a search. The last is the
// parameter and the catch-all without matchers, of which either or both may be nil.
func (n *Node[A]) Branches() iter.Seq[Branch[A]] {
	return func(yield func(Branch[A]) bool) {
		for b := n.constrained; b != nil; b = b.next {
			if !yield(*b) {
				return
			}
		}
		yield(Branch[A]{Param: n.param, Rest: n.rest})
	}
}

// fitsAll reports whether all segments match.
func (b *Branch[A]) fitsAll(path []string) bool {
	for _, segment := range path {
		if !b.Matcher.Fits(segment) {
			return false
		}
	}
	return true
}

// A Leaf holds the answers of one pattern by method.
type Leaf[A any] struct {
	get     *A // not among others, since most requests are GET
	others  []method[A]
	any     *A // for AnyMethod
	unclean *A // see SetAnySpelling; nil for a leaf that redirects to the canonical path
}

type method[A any] struct {
	name   string
	answer *A
}

// Set sets the answer for a method, which may be AnyMethod.
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

// SetAnySpelling sets the answer for AnyMethod, and has it answer its paths in any
// spelling: there is no redirect to the canonical path. unclean answers a path that is not
// canonical, such as /files/ for /files. It is for mounted handlers other than Routers.
func (l *Leaf[A]) SetAnySpelling(a, unclean *A) { l.any, l.unclean = a, unclean }

// Answer returns the answer for a method: the one that is set for it, else for HEAD the
// one for GET, else the one for AnyMethod. It returns nil if there is none.
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

// HasAny reports whether there is an answer for AnyMethod.
func (l *Leaf[A]) HasAny() bool { return l.any != nil }

// Answers returns all answers of the leaf: the one for GET first, the one for AnyMethod
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

// Methods adds the methods that have an answer to a set. AnyMethod is not added, and HEAD
// is if GET has an answer.
func (l *Leaf[A]) Methods(set map[string]bool) {
	if l.get != nil {
		set[http.MethodGet], set[http.MethodHead] = true, true
	}
	for _, m := range l.others {
		set[m.name] = true
	}
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

// Leaf returns the leaf of a pattern. It adds one if the trie has none.
func (t *Trie[A]) Leaf(p *pattern.Pattern) *Leaf[A] {
	n, rest := t.node(p.Segments)
	end := &n.end
	if rest {
		end = &n.rest
		if m := p.Segments[len(p.Segments)-1].Matcher; m != nil {
			end = &n.branch(m).Rest
		}
	}
	if *end == nil {
		*end = &Leaf[A]{}
	}
	return *end
}

// AnyHash returns the leaf of all hashed URLs of a file, whose own pattern is p: see
// pattern.Unhashed. It adds one if the trie has none. A literal segment goes before it, and it
// goes before parameters.
func (t *Trie[A]) AnyHash(p *pattern.Pattern) *Leaf[A] {
	last := len(p.Segments) - 1
	n, _ := t.node(p.Segments[:last])
	if n.files == nil {
		n.files = map[string]*Leaf[A]{}
	}
	name := p.Segments[last].Text
	if n.files[name] == nil {
		n.files[name] = &Leaf[A]{}
	}
	return n.files[name]
}

// anyHash returns the leaf of a file whose hashed URL may end in a segment. It returns nil if
// there is none.
func (n *Node[A]) anyHash(segment string) *Leaf[A] {
	if len(n.files) == 0 {
		return nil
	}
	name, _ := pattern.Unhashed(segment)
	return n.files[name]
}

// CatchAll returns the answer for all URLs below a prefix: the answer of the mount there, or
// the first answer of the catch-all there. It returns nil if there is neither.
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

// Mount returns a new trie for the patterns that begin with a prefix. In t it ranks as a
// catch-all behind that prefix: other patterns of t go before it. It owns the URLs that
// reach it: if it has no answer for one, t has none either. by is its answer in t, which
// Miss.By tells.
func (t *Trie[A]) Mount(prefix []pattern.Segment, by *A) *Trie[A] {
	n, _ := t.node(prefix)
	n.mounted = &Trie[A]{by: by, depth: len(prefix)}
	return n.mounted
}

// node returns the node that segments lead to, and adds the nodes that are missing. rest
// is true if the last segment is a catch-all: then the node is the one before it.
func (t *Trie[A]) node(segments []pattern.Segment) (n *Node[A], rest bool) {
	n = &t.root
	for _, seg := range segments[t.depth:] {
		switch seg.Kind {
		case pattern.Literal:
			child := n.literals[seg.Text]
			if child == nil {
				child = &Node[A]{}
				if n.literals == nil {
					n.literals = map[string]*Node[A]{}
				}
				n.literals[seg.Text] = child
			}
			n = child
		case pattern.Param:
			child := &n.param
			if seg.Matcher != nil {
				child = &n.branch(seg.Matcher).Param
			}
			if *child == nil {
				*child = &Node[A]{}
			}
			n = *child
		case pattern.Rest:
			return n, true
		}
	}
	return n, false
}

// Matching returns the leaves that match a path with these segments, the most specific
// first. The leaves of a mounted trie that owns the path are the last.
func (t *Trie[A]) Matching(path []string) []*Leaf[A] {
	s := &search[A]{path: path, within: t, all: true}
	s.find(&t.root, 0)
	return s.leaves
}
