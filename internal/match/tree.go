package match

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
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

// planted are the methods that have an httprouter tree. The others are rare enough
// for the trie, and HEAD would double the memory.
var planted = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// plant puts into the httprouter tree what it can hold.
func (t *Table[A]) plant() {
	for _, name := range planted {
		for _, r := range t.trie.root.harvest(name, "", 0, false).routes {
			t.tree.Handle(name, r.path, t.handle(r))
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
	answer, rest, free := r.answer, r.rest, r.free
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
	answer *A
	rest   bool // the last parameter is a catch-all
	free   bool // see Leaf.SetFree
}

// A crop is what the trie has below a node for one method, in patterns that have
// parameters.
type crop[A any] struct {
	routes []route[A]
	found  bool // the trie answers such paths, if not with one of the routes
	// contested: a path that has captured a value may have to go back to another
	// branch, which httprouter cannot do. Such patterns are left to the trie.
	contested bool
}

func (c *crop[A]) add(other crop[A]) {
	c.routes = append(c.routes, other.routes...)
	c.found = c.found || other.found
	c.contested = c.contested || other.contested
}

// harvest returns the crop below n, which a path in httprouter's notation leads to.
// captured says that the path has a parameter.
//
// If httprouter has captured a value and then finds nothing, it does not give the memory
// for values back to its pool, and each such request allocates. So nothing is planted
// below a parameter if some of it is contested.
func (n *node[A]) harvest(method, path string, depth int, captured bool) crop[A] {
	var own, literals, params, rest, mounted crop[A]
	if n.own != nil && captured {
		own = single(n.own, method, path, false)
	}
	for _, text := range slices.Sorted(maps.Keys(n.literals)) {
		literals.add(n.literals[text].harvest(method, path+"/"+text, depth+1, captured))
	}
	if n.param != nil {
		params = n.param.harvest(method, path+"/:"+strconv.Itoa(depth), depth+1, true)
		if params.contested {
			params.routes = nil
		}
	}
	if n.rest != nil {
		rest = single(n.rest, method, path+"/*"+strconv.Itoa(depth), true)
	}
	if n.mounted != nil {
		mounted = n.mounted.root.harvest(method, path, depth, captured)
	}
	var all crop[A]
	branches := 0
	for _, c := range []crop[A]{literals, params, rest, mounted} {
		all.add(c)
		if c.found {
			branches++
		}
	}
	if branches > 1 || own.found && mounted.found {
		all.contested, all.routes = true, nil
	}
	all.add(own)
	// What is mounted owns what is below it, also where it has no such pattern.
	all.found = all.found || n.mounted != nil
	return all
}

// single returns the crop of one leaf.
func single[A any](l *Leaf[A], method, path string, rest bool) crop[A] {
	a := l.Answer(method)
	if a == nil {
		return crop[A]{}
	}
	return crop[A]{routes: []route[A]{{path, a, rest, l.below != nil && a == l.any}}, found: true}
}
