package match

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/pattern"
)

// collectLiterals adds to leaves, by their paths, the leaves at and below n whose patterns
// have no parameters, unless a more specific pattern of the trie matches the path. path
// holds the segments that lead to n.
func (n *node[A]) collectLiterals(trie *Trie[A], path []string, leaves map[string]*Leaf[A]) {
	if n.end != nil && trie.mostSpecific(path) == n.end {
		leaves["/"+strings.Join(path, "/")] = n.end
	}
	for text, child := range n.literals {
		child.collectLiterals(trie, append(path, text), leaves)
	}
	if n.mounted != nil {
		n.mounted.root.collectLiterals(trie, path, leaves)
	}
}

// mostSpecific returns the most specific leaf that matches a path, or nil.
func (t *Trie[A]) mostSpecific(path []string) *Leaf[A] {
	if leaves := t.Matching(path); len(leaves) > 0 {
		return leaves[0]
	}
	return nil
}

// treeMethods are the methods that have an httprouter tree. Other methods are rare enough
// for the trie. A tree for HEAD would hold all that the tree for GET does once more.
var treeMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// register adds the routes of each method to its httprouter tree.
func (t *Table[A]) register() {
	for _, method := range treeMethods {
		for _, r := range routesFor(t.trie, method, t.literals) {
			t.tree.Handle(method, r.path, t.handle(r))
		}
	}
}

// handle returns the httprouter handle of a route. The handle checks what httprouter does
// not: that no value is empty, "." or "..", that the values match their matchers, and that
// no backslash reaches a handler that may take it for a slash. If a check fails, the trie
// is searched. handle is not inlined, since a request takes 3 % longer (measured) if the
// closure is in generic code.
//
//go:noinline
func (t *Table[A]) handle(r route[A]) httprouter.Handle {
	answer, rest, anySpelling, constraints := r.answer, r.rest, r.anySpelling, r.constraints
	if answer == nil {
		return func(w http.ResponseWriter, req *http.Request, _ httprouter.Params) { t.walk(w, req) }
	}
	return func(w http.ResponseWriter, req *http.Request, values httprouter.Params) {
		for i := range values {
			if pattern.EmptyOrDots(values[i].Value) || rest && i == len(values)-1 && !isCanonicalRest(values[i].Value) {
				t.matchUncleanPath(w, req)
				return
			}
		}
		if anySpelling && strings.Contains(req.URL.Path, `\`) {
			t.matchUncleanPath(w, req)
			return
		}
		for i := range constraints {
			if !constraints[i].holds(values) {
				t.walk(w, req)
				return
			}
		}
		t.hit(answer, w, req, values)
	}
}

// isCanonicalRest reports whether the value of a catch-all, which begins with a slash, is
// canonical.
func isCanonicalRest(value string) bool {
	for segment := range strings.SplitSeq(value[1:], "/") {
		if pattern.EmptyOrDots(segment) {
			return false
		}
	}
	return true
}

// A route is one path of an httprouter tree.
type route[A any] struct {
	path        string // in httprouter's notation: /users/:1
	answer      *A     // nil if the trie is searched for all requests: see placement.routesFrom
	rest        bool   // the last parameter is a catch-all
	anySpelling bool   // see Leaf.SetAnySpelling
	constraints []constraint
}

// A constraint is a matcher of a route.
type constraint struct {
	value   int  // the index of the value that has to match
	rest    bool // it is the value of a catch-all: each segment has to match
	matcher *pattern.Matcher
}

// holds reports whether the value matches.
func (c constraint) holds(values httprouter.Params) bool {
	value := values[c.value].Value
	if !c.rest {
		return c.matcher.Fits(value)
	}
	for segment := range strings.SplitSeq(value[1:], "/") {
		if !c.matcher.Fits(segment) {
			return false
		}
	}
	return true
}
