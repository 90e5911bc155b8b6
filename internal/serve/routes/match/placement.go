package match

import (
	"maps"
	"slices"
	"strconv"
)

// routesFor returns the routes of the httprouter tree for a method. literals are the leaves
// that the Table finds in its map.
//
// httprouter holds a pattern with parameters unless there is one of these reasons:
//
//   - A more specific pattern matches some of its paths, and is not in the map. httprouter
//     would give it these paths.
//   - httprouter would panic. After the same beginning, its paths may go on in one way
//     only: with literals, with one parameter, or with one catch-all.
//   - Requests for patterns beside it would allocate: see placement.routesAfter.
//
// Patterns that overlap elsewhere do not matter. An example:
//
//	/posts/new       in the map
//	/posts/:id       held: of its paths only /posts/new has a more specific pattern
//	/posts/:id/edit  held
//	/:slug           not held: httprouter would panic, since /posts stands beside it
//	/*all            not held: /posts/7 belongs to /posts/:id
func routesFor[A any](trie *Trie[A], method string, literals map[string]*Leaf[A]) []route[A] {
	p := &placement[A]{method: method, inMap: make(map[*Leaf[A]]bool, len(literals))}
	for _, l := range literals {
		p.inMap[l] = true
	}
	return p.routesFrom("", 0, 0, []way[A]{{Node: &trie.root}})
}

// A placement finds the routes for one method. Where it counts patterns, it leaves out
// those that are in the map or have no answer for the method.
type placement[A any] struct {
	method string
	inMap  map[*Leaf[A]]bool
}

// A way leads to a node of the trie. Several ways can match the same URLs as one path of
// httprouter: for /:0/edit there are the ways to [id=int]/edit.html, [slug]/edit.html and
// new/edit.html, of which the last one is a rival.
type way[A any] struct {
	*Node[A]
	constraints []constraint // of the parameters on the way
	// rival: the way is not the path itself, since one of them has a literal where the other
	// has a parameter or a catch-all. The patterns at the node match only some URLs of the
	// path, or match further ones, and so are no routes of that path.
	rival bool
}

// hasWildcard reports whether a parameter or a catch-all follows.
func (w way[A]) hasWildcard() bool {
	return !w.rival && (w.param != nil || w.rest != nil || w.constrained != nil)
}

// routesFrom returns the routes whose paths begin with path. It has depth segments, of which
// captured are parameters. ways are all ways that match URLs of the path, in the order in
// which a search takes them.
func (p *placement[A]) routesFrom(path string, depth, captured int, ways []way[A]) []route[A] {
	last := len(ways) - 1
	for last >= 0 && ways[last].rival {
		last-- // less specific than every pattern on this path, and so no obstacle
	}
	if last < 0 {
		return nil
	}
	ways = withMounted(ways[:last+1])
	var routes []route[A]
	if w, ok := p.first(ways); ok && !w.rival && captured > 0 {
		routes = append(routes, p.route(w.end, path, w.constraints))
	}
	return append(routes, p.routesAfter(path, depth, captured, ways)...)
}

// routesAfter returns the routes that go on after path: with literals if there are any, else
// with a parameter, else with a catch-all.
//
// httprouter never goes back. If a literal leads nowhere, it does not try the parameter
// beside it, and if the parameter leads nowhere, it does not try the catch-all. The request
// goes to the trie then. It also allocates if httprouter has captured a value before, since
// httprouter does not return the memory of that value to its pool. So literals are chosen
// below a parameter, and a parameter anywhere, only if they lead to more routes than there are
// patterns beside them:
//
//	/docs/:1/edit, /docs/:1/old   held: two beside one, /docs/*path
//	/docs/:1/edit                 alone not held: one beside one
func (p *placement[A]) routesAfter(path string, depth, captured int, ways []way[A]) []route[A] {
	var routes []route[A]
	for _, text := range literalsAfter(ways) {
		routes = append(routes, p.routesFrom(path+"/"+text, depth+1, captured, p.byText(ways, text))...)
	}
	if !slices.ContainsFunc(ways, way[A].hasWildcard) {
		return routes
	}
	params, catchAlls := p.countWildcards(ways)
	if len(routes) > 0 && (captured == 0 || answered(routes) > params+catchAlls) {
		return routes
	}
	param := path + "/:" + strconv.Itoa(depth)
	routes = p.routesFrom(param, depth+1, captured+1, p.byParam(ways, captured))
	if answered(routes) > catchAlls {
		if routes[0].path != param {
			// httprouter has no route for a URL that ends here, and so would allocate. This one
			// leaves the URL to the trie.
			routes = append([]route[A]{{path: param}}, routes...)
		}
		return routes
	}
	return p.catchAll(path+"/*"+strconv.Itoa(depth), captured, ways)
}

// answered returns how many of the routes have an answer.
func answered[A any](routes []route[A]) (n int) {
	for _, r := range routes {
		if r.answer != nil {
			n++
		}
	}
	return n
}

// countWildcards returns how many patterns go on after the ways that are no rivals with a
// parameter, and how many with a catch-all.
func (p *placement[A]) countWildcards(ways []way[A]) (params, catchAlls int) {
	for _, w := range ways {
		if w.rival {
			continue
		}
		for b := range w.Branches() {
			params += p.count(b.Param)
			catchAlls += p.countLeaf(b.Rest)
		}
	}
	return params, catchAlls
}

// first returns the first way to the end of a pattern.
func (p *placement[A]) first(ways []way[A]) (w way[A], ok bool) {
	for _, w := range ways {
		if p.countLeaf(w.end) > 0 {
			return w, true
		}
	}
	return w, false
}

// literalsAfter returns the literal segments that follow the ways that are no rivals, sorted.
func literalsAfter[A any](ways []way[A]) []string {
	all := map[string]bool{}
	for _, w := range ways {
		if !w.rival {
			for text := range w.literals {
				all[text] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// byText returns the ways behind a literal segment of the path.
func (p *placement[A]) byText(ways []way[A], text string) (next []way[A]) {
	for _, w := range ways {
		if child := w.literals[text]; child != nil {
			next = append(next, way[A]{child, w.constraints, w.rival})
		}
		for b := range w.Branches() {
			if b.Param != nil && b.fits(text) {
				next = append(next, way[A]{Node: b.Param, rival: true})
			}
		}
		for b := range w.Branches() {
			if b.fits(text) {
				next = p.appendRest(next, b)
			}
		}
	}
	return next
}

// byParam returns the ways behind a parameter of the path. captured is the index of its
// value. Literals are rivals, each in front of the first branch that its text fits.
func (p *placement[A]) byParam(ways []way[A], captured int) (next []way[A]) {
	for _, w := range ways {
		var rivals []string
		for text, child := range w.literals {
			if p.count(child) > 0 {
				rivals = append(rivals, text)
			}
		}
		for b := range w.Branches() {
			if b.Param == nil && b.Matcher != nil {
				continue
			}
			rivals = slices.DeleteFunc(rivals, func(text string) bool {
				if !b.fits(text) {
					return false
				}
				next = append(next, way[A]{Node: w.literals[text], rival: true})
				return true
			})
			if b.Param != nil {
				next = append(next, way[A]{b.Param, b.constrain(w.constraints, captured, false), w.rival})
			}
		}
		for b := range w.Branches() {
			next = p.appendRest(next, b)
		}
	}
	return next
}

// appendRest appends the way behind the catch-all of a branch that has matched one segment,
// and may match further ones.
func (p *placement[A]) appendRest(ways []way[A], b Branch[A]) []way[A] {
	if p.countLeaf(b.Rest) == 0 {
		return ways
	}
	n := &Node[A]{end: b.Rest}
	if b.Matcher == nil {
		n.rest = b.Rest
	} else {
		n.constrained = &Branch[A]{Matcher: b.Matcher, Rest: b.Rest}
	}
	return append(ways, way[A]{Node: n, rival: true})
}

// withMounted adds the ways to mounted tries. A mounted trie owns all URLs that reach it, so
// that the ways after the first one are left out.
func withMounted[A any](ways []way[A]) []way[A] {
	for i, w := range ways {
		if w.mounted != nil {
			inside := withMounted([]way[A]{{&w.mounted.root, w.constraints, w.rival}})
			return append(slices.Clone(ways[:i+1]), inside...)
		}
	}
	return ways
}

// catchAll returns the route of the first catch-all that follows, unless a more specific
// pattern matches some of its URLs.
func (p *placement[A]) catchAll(path string, captured int, ways []way[A]) []route[A] {
	for _, w := range ways {
		for b := range w.Branches() {
			if p.count(b.Param) > 0 {
				return nil
			}
		}
		for b := range w.Branches() {
			for text, child := range w.literals {
				if p.count(child) > 0 && b.fits(text) {
					return nil
				}
			}
			switch {
			case p.countLeaf(b.Rest) == 0:
				continue
			case w.rival:
				return nil
			}
			r := p.route(b.Rest, path, b.constrain(w.constraints, captured, true))
			r.rest = true
			return []route[A]{r}
		}
	}
	return nil
}

// route returns the route of a leaf.
func (p *placement[A]) route(l *Leaf[A], path string, constraints []constraint) route[A] {
	a := l.Answer(p.method)
	return route[A]{path: path, answer: a, anySpelling: l.unclean != nil && a == l.any, constraints: constraints}
}

// count returns how many patterns end at a node or below. A mounted trie counts as one more,
// since it owns URLs that none of its patterns match. n may be nil.
func (p *placement[A]) count(n *Node[A]) int {
	if n == nil {
		return 0
	}
	sum := p.countLeaf(n.end)
	for _, child := range n.literals {
		sum += p.count(child)
	}
	for b := range n.Branches() {
		sum += p.count(b.Param) + p.countLeaf(b.Rest)
	}
	if n.mounted != nil {
		sum += 1 + p.count(&n.mounted.root)
	}
	return sum
}

// countLeaf returns 1 for the leaf of a pattern that counts, and otherwise 0. l may be nil.
func (p *placement[A]) countLeaf(l *Leaf[A]) int {
	if l == nil || p.inMap[l] || l.Answer(p.method) == nil {
		return 0
	}
	return 1
}

// fits reports whether a segment may be a value of the branch.
func (b Branch[A]) fits(text string) bool { return b.Matcher == nil || b.Matcher.Fits(text) }

// constrain returns the constraints before the branch and its own: the value with this index
// has to match. rest is true if it is the value of the catch-all.
func (b Branch[A]) constrain(before []constraint, value int, rest bool) []constraint {
	if b.Matcher == nil {
		return before
	}
	return append(slices.Clip(before), constraint{value, rest, b.Matcher})
}
