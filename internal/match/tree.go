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
		for _, r := range t.trie.root.harvest(name, "", 0, 0).routes {
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
	answer, rest, free, fits := r.answer, r.rest, r.free, r.fits
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
	answer *A
	rest   bool // the last parameter is a catch-all
	free   bool // see Leaf.SetFree
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

// fit notes that a value of all routes has to match.
func (c *crop[A]) fit(f fit) {
	for i := range c.routes {
		c.routes[i].fits = append(c.routes[i].fits, f)
	}
}

// harvest returns the crop below n, which a path in httprouter's notation leads to.
// captured is how many parameters the path has.
//
// If httprouter has captured a value and then finds nothing, it does not give the memory
// for values back to its pool, and each such request allocates. So nothing is planted
// below a parameter if some of it is contested.
func (n *node[A]) harvest(method, path string, depth, captured int) crop[A] {
	var own, literals, mounted crop[A]
	if n.own != nil && captured > 0 {
		own = single(n.own, method, path, false)
	}
	for _, text := range slices.Sorted(maps.Keys(n.literals)) {
		literals.add(n.literals[text].harvest(method, path+"/"+text, depth+1, captured))
	}
	if n.mounted != nil {
		mounted = n.mounted.root.harvest(method, path, depth, captured)
	}
	crops := []crop[A]{literals, mounted}
	for b := n.matched; b != nil; b = b.next {
		crops = append(crops, b.harvest(method, path, depth, captured)...)
	}
	plain := branch[A]{param: n.param, rest: n.rest}
	crops = append(crops, plain.harvest(method, path, depth, captured)...)
	var all crop[A]
	branches := 0
	for _, c := range crops {
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

// harvest returns the crops of a parameter and of a catch-all.
func (b *branch[A]) harvest(method, path string, depth, captured int) (crops []crop[A]) {
	if b.param != nil {
		c := b.param.harvest(method, path+"/:"+strconv.Itoa(depth), depth+1, captured+1)
		if c.contested {
			c.routes = nil
		}
		crops = append(crops, c)
	}
	if b.rest != nil {
		crops = append(crops, single(b.rest, method, path+"/*"+strconv.Itoa(depth), true))
	}
	if b.matcher != nil {
		for i := range crops {
			crops[i].fit(fit{captured, b.rest != nil && i == len(crops)-1, b.matcher})
		}
	}
	return crops
}

// single returns the crop of one leaf.
func single[A any](l *Leaf[A], method, path string, rest bool) crop[A] {
	a := l.Answer(method)
	if a == nil {
		return crop[A]{}
	}
	return crop[A]{routes: []route[A]{{path: path, answer: a, rest: rest, free: l.below != nil && a == l.any}}, found: true}
}
