package match

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/serve/routes/pattern"
)

// treeMethods are the methods that have an httprouter tree. Other methods are rare enough
// for the trie. A tree for HEAD would hold all that the tree for GET does once more.
var treeMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// register adds the routes of each method to its httprouter tree.
func (t *Table[A]) register() {
	for _, method := range treeMethods {
		for _, r := range routesFor(t.trie, method, t.literals.leaves) {
			t.tree.Handle(method, r.path, t.handle(r))
		}
	}
}

// handle returns the httprouter handle of a route. It checks what httprouter does not: that
// no value is empty, "." or "..", that the values match their matchers, and that no backslash
// reaches a handler that may take it for a slash. If a check fails, the trie is searched. Most
// routes need the first check only, and have a handle without the others. handle is not
// inlined, since a request takes 3 % longer (measured) if the closure is in generic code.
//
//go:noinline
func (t *Table[A]) handle(r route[A]) httprouter.Handle {
	answer, rest, anySpelling, constraints := r.answer, r.rest, r.anySpelling, r.constraints
	if answer == nil {
		return func(w http.ResponseWriter, req *http.Request, _ httprouter.Params) { t.walk(w, req) }
	}
	if !rest && !anySpelling && len(constraints) == 0 {
		return func(w http.ResponseWriter, req *http.Request, values httprouter.Params) {
			if anyEmptyOrDots(values) {
				t.matchUncleanPath(w, req)
				return
			}
			t.hit(answer, w, req, values)
		}
	}
	return func(w http.ResponseWriter, req *http.Request, values httprouter.Params) {
		switch {
		case anyEmptyOrDots(values),
			rest && !isCanonicalRest(values[len(values)-1].Value),
			anySpelling && strings.Contains(req.URL.Path, `\`):
			t.matchUncleanPath(w, req)
		case !holdAll(constraints, values):
			t.walk(w, req)
		default:
			t.hit(answer, w, req, values)
		}
	}
}

// anyEmptyOrDots reports whether a value is empty, "." or "..".
func anyEmptyOrDots(values httprouter.Params) bool {
	for i := range values {
		if pattern.EmptyOrDots(values[i].Value) {
			return true
		}
	}
	return false
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

// holdAll reports whether all values match that have to.
func holdAll(constraints []constraint, values httprouter.Params) bool {
	for _, c := range constraints {
		if !c.holds(values) {
			return false
		}
	}
	return true
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
