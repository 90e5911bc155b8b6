package match

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/pattern"
)

// collectLiterals notes the leaves below n that a path without parameters leads to, where
// nothing more specific in the trie matches the path.
func (n *node[A]) collectLiterals(trie *Trie[A], path []string, leaves map[string]*Leaf[A]) {
	if n.own != nil && trie.first(path) == n.own {
		leaves["/"+strings.Join(path, "/")] = n.own
	}
	for text, child := range n.literals {
		child.collectLiterals(trie, append(path, text), leaves)
	}
	if n.mounted != nil {
		n.mounted.root.collectLiterals(trie, path, leaves)
	}
}

// first returns the most specific leaf that matches a path.
func (t *Trie[A]) first(path []string) *Leaf[A] {
	if leaves := t.Matching(path); len(leaves) > 0 {
		return leaves[0]
	}
	return nil
}

// treeMethods are the methods that have an httprouter tree. The others are rare enough
// for the trie, and HEAD would double the memory.
var treeMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// register puts into the httprouter trees what they can hold: see placement.
func (t *Table[A]) register(literals map[string]*Leaf[A]) {
	for _, method := range treeMethods {
		for _, r := range routesFor(t.trie, method, literals) {
			t.tree.Handle(method, r.path, t.handle(r))
		}
	}
}

// handle returns the httprouter handle of a route. It leaves requests that may be no
// hits to the trie: httprouter lets values be empty, "." and "..", and a free answer
// could take a backslash for a slash. If the closure is inlined into generic code, a
// request costs 3 % more (measured), so handle is not inlined.
//
//go:noinline
func (t *Table[A]) handle(r route[A]) httprouter.Handle {
	answer, rest, free, fits := r.answer, r.rest, r.free, r.fits
	if answer == nil {
		return func(w http.ResponseWriter, req *http.Request, _ httprouter.Params) { t.walk(w, req) }
	}
	return func(w http.ResponseWriter, req *http.Request, values httprouter.Params) {
		for i := range values {
			if pattern.NoValue(values[i].Value) || rest && i == len(values)-1 && !isCanonicalRest(values[i].Value) {
				t.slowly(w, req)
				return
			}
		}
		if free && strings.Contains(req.URL.Path, `\`) {
			t.slowly(w, req)
			return
		}
		for i := range fits {
			if !fits[i].takes(values) {
				t.walk(w, req)
				return
			}
		}
		t.hit(answer, w, req, values)
	}
}

// isCanonicalRest reports whether what a catch-all matched is canonical, from the
// slash before it on.
func isCanonicalRest(value string) bool {
	for segment := range strings.SplitSeq(value[1:], "/") {
		if pattern.NoValue(segment) {
			return false
		}
	}
	return true
}

// A route is what is put into an httprouter tree.
type route[A any] struct {
	path   string // in httprouter's notation
	answer *A     // nil if all requests go on to the trie
	rest   bool   // the last parameter is a catch-all
	free   bool   // see Leaf.SetFree
	fits   []fit
}

// A fit is a value that has to match.
type fit struct {
	value   int // which of the values
	rest    bool
	matcher *pattern.Matcher
}

func (f fit) takes(values httprouter.Params) bool {
	value := values[f.value].Value
	if !f.rest {
		return f.matcher.Fits(value)
	}
	for segment := range strings.SplitSeq(value[1:], "/") {
		if !f.matcher.Fits(segment) {
			return false
		}
	}
	return true
}
