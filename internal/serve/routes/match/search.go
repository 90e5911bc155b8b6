package match

import (
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/serve/routes/pattern"
)

// A search looks in a trie for the answer to a method of a path. Where the more specific
// patterns have no answer, it goes back and tries the less specific ones. It visits each
// node at most once.
type search[A any] struct {
	method string
	all    bool     // collect all leaves that match the path, also those after the answer
	path   []string // the segments, unescaped
	values Values   // of the parameters on the way; params adds that of the catch-all

	answer *A
	leaf   *Leaf[A] // of the answer
	rest   int      // the index of the first segment that the catch-all has matched, or -1

	leaves []*Leaf[A] // that match the path, in the trie that owns it
	within *Trie[A]   // the trie that owns the path: the outermost one, or a mounted one
}

// begin prepares a search, which may have been used before.
func (s *search[A]) begin(t *Trie[A], method string) {
	s.method, s.within, s.rest = method, t, -1
}

// A search in the pool still points to paths of earlier requests, since to clear what it has of
// them would cost more than the search of a short path. Clients can send longer ones, and must
// not make the memory grow for good: so a search goes back to the pool with no more segments
// than maxKept, and is not used for a longer request line than maxLine, in bytes.
const (
	maxKept = 64
	maxLine = 1 << 10
)

// end puts the search back into the pool of the table.
func (s *search[A]) end(t *Table[A]) {
	if cap(s.path) > maxKept {
		return
	}
	s.method, s.answer, s.leaf = "", nil, nil // begin sets the other fields
	s.path, s.values, s.leaves = s.path[:0], s.values[:0], s.leaves[:0]
	t.searches.Put(s)
}

// split sets the segments of a path without escaped slashes. It returns false if the path
// is not canonical.
func (s *search[A]) split(path string) bool {
	if path == "/" {
		return true
	}
	if path == "" || path[0] != '/' {
		return false
	}
	for path != "" {
		path = path[1:]
		end := strings.IndexByte(path, '/')
		if end < 0 {
			end = len(path)
		}
		if pattern.EmptyOrDots(path[:end]) {
			return false
		}
		s.path = append(s.path, path[:end])
		path = path[end:]
	}
	return true
}

// find searches a node and the nodes below it for the segments from the i-th on. It
// returns true if the search is over: there is an answer, or a mounted trie owns the path
// and has none.
func (s *search[A]) find(n *Node[A], i int) bool {
	if i == len(s.path) {
		return n.end != nil && s.try(n.end, -1) || n.mounted != nil && s.enter(n.mounted, i)
	}
	if len(n.literals) > 0 { // the length is cheaper than a look into an empty map
		if child := n.literals[s.path[i]]; child != nil && s.find(child, i+1) {
			return true
		}
	}
	if n.files != nil && i == len(s.path)-1 {
		if l := n.anyHash(s.path[i]); l != nil && s.try(l, -1) {
			return true
		}
	}
	for b := n.constrained; b != nil; b = b.next {
		if b.Param != nil && b.Matcher.Fits(s.path[i]) && s.capture(b.Param, i) {
			return true
		}
	}
	if n.param != nil && s.capture(n.param, i) {
		return true
	}
	for b := n.constrained; b != nil; b = b.next {
		if b.Rest != nil && b.fitsAll(s.path[i:]) && s.try(b.Rest, i) {
			return true
		}
	}
	return n.rest != nil && s.try(n.rest, i) || n.mounted != nil && s.enter(n.mounted, i)
}

// capture takes the i-th segment as the value of a parameter, and searches the node n
// behind the parameter.
func (s *search[A]) capture(n *Node[A], i int) bool {
	s.values = append(s.values, httprouter.Param{Value: s.path[i]})
	if s.find(n, i+1) {
		return true
	}
	s.values = s.values[:len(s.values)-1]
	return false
}

// try notes a leaf that matches the path. It returns true if the leaf has the answer.
func (s *search[A]) try(l *Leaf[A], rest int) bool {
	s.leaves = append(s.leaves, l)
	a := l.Answer(s.method)
	if a == nil || s.all {
		return false
	}
	s.answer, s.leaf, s.rest = a, l, rest
	return true
}

// enter searches a mounted trie. It owns the path, so that the search is over afterwards.
// A path that gives a parameter of the mount's prefix a value such as ".." has no answer:
// no URL could be built with that value.
func (s *search[A]) enter(t *Trie[A], i int) bool {
	if !s.all {
		s.leaves = s.leaves[:0]
	}
	if anyEmptyOrDots(s.values) {
		return true
	}
	s.within = t
	s.find(&t.root, i)
	return true
}

// beforeRest returns the number of segments before those that the catch-all has matched,
// or of all segments if the answer's pattern has no catch-all.
func (s *search[A]) beforeRest() int {
	if s.rest >= 0 {
		return s.rest
	}
	return len(s.path)
}

// params returns the values of the parameters. path is the decoded path of the request if
// it has no escaped slashes: then the value of a catch-all is a part of it. It is ""
// otherwise, and the value of a catch-all is joined from the segments.
func (s *search[A]) params(path string) Values {
	switch {
	case s.rest < 0:
	case path != "":
		for _, segment := range s.path[:s.rest] {
			path = path[len("/")+len(segment):]
		}
		s.values = append(s.values, httprouter.Param{Value: path})
	default:
		s.values = append(s.values, httprouter.Param{Value: "/" + strings.Join(s.path[s.rest:], "/")})
		for _, segment := range s.path[s.rest:] {
			s.values = append(s.values, httprouter.Param{Value: segment})
		}
	}
	return s.values
}
