package match

import (
	"maps"
	"slices"
	"strconv"

	"example.com/flow/internal/pattern"
)

// A placement finds the patterns with parameters that httprouter holds for one method. A
// pattern is kept out for one of these reasons:
//
//   - Some path that it matches belongs to a more specific pattern, and that one is not in
//     the table of literals, which is asked first.
//   - httprouter would panic: a position in its paths has either literals, or one parameter,
//     or one catch-all.
//   - It does not pay: see pays.
//
// An overlap elsewhere in the application is no reason. An example:
//
//	/posts/new      in the table of literals
//	/posts/:id      held: of what it matches, only /posts/new belongs to another pattern
//	/posts/:id/edit held
//	/:slug          kept out: httprouter would panic, since /posts stands at its position
//	/*all           kept out: /posts/7 belongs to /posts/:id
//
// Where httprouter has to choose, literals go before a parameter, and a parameter before a
// catch-all, as in the order in which they match.
type placement[A any] struct {
	method string
	// literal are the leaves that the table of literals holds.
	literal map[*Leaf[A]]bool
}

// A way leads to a node by the segments of a path in httprouter's notation, in which the
// names of parameters are left out: /:0/edit leads to two nodes if there are
// [id=int]/edit.html and [slug]/edit.html.
type way[A any] struct {
	*node[A]
	fits []fit // what the values of the path have to match
	// rival: not all segments of the way are those of the path, as with /users/new for
	// /users/:1, or with /:0/:1 for /:0/edit. The patterns at the node match some paths that
	// those of the ways behind it match, too, and are more specific.
	rival bool
}

// hasWildcard reports whether a parameter or a catch-all may follow in the path.
func (w way[A]) hasWildcard() bool {
	return !w.rival && (w.param != nil || w.rest != nil || w.matched != nil)
}

// routesFor returns the routes of the httprouter tree for a method. literals are the leaves
// in the table of literals.
func routesFor[A any](trie *Trie[A], method string, literals map[string]*Leaf[A]) []route[A] {
	p := &placement[A]{method: method, literal: make(map[*Leaf[A]]bool, len(literals))}
	for _, l := range literals {
		p.literal[l] = true
	}
	return p.collect("", 0, 0, []way[A]{{node: &trie.root}})
}

// collect returns the routes whose paths begin with the given one. depth is how many
// segments that has, and captured how many of them are parameters. ways are all that it
// leads to, those with more specific patterns first.
func (p *placement[A]) collect(path string, depth, captured int, ways []way[A]) []route[A] {
	last := len(ways) - 1
	for last >= 0 && ways[last].rival {
		last-- // less specific than all that this path could hold
	}
	if last < 0 {
		return nil
	}
	ways = withMounted(ways[:last+1])

	var ending, below []route[A]
	if w, ok := p.first(ways); ok && !w.rival && captured > 0 {
		ending = append(ending, p.route(w.own, path, w.fits))
	}
	for _, text := range literalsAfter(ways) {
		below = append(below, p.collect(path+"/"+text, depth+1, captured, p.byText(ways, text))...)
	}
	if !slices.ContainsFunc(ways, way[A].hasWildcard) {
		return append(ending, below...)
	}
	if captured > 0 && !p.pays(below, ways, true) {
		below = nil
	}
	if len(below) == 0 {
		path := path + "/:" + strconv.Itoa(depth)
		below = p.collect(path, depth+1, captured+1, p.byParam(ways, captured))
		if !p.pays(below, ways, false) {
			below = nil
		}
		if len(below) > 0 && below[0].path != path {
			// A request for this very path would fail in httprouter, which then allocates.
			below = append([]route[A]{{path: path}}, below...)
		}
	}
	if len(below) == 0 {
		below = p.catchAll(path+"/*"+strconv.Itoa(depth), captured, ways)
	}
	return append(ending, below...)
}

// pays reports whether routes gain more than others lose: httprouter does not give its
// memory for values back if it has captured one and then finds nothing, so that each such
// request allocates, and is answered by the trie only then. This happens where a catch-all
// stands beside a parameter, and also, below a parameter, where a parameter stands beside
// literals. So there have to be more of these routes than of the patterns beside them:
//
//	/docs/:1/edit, /docs/:1/old    held beside /docs/*path
//	/docs/:1/edit                  alone it is not
//
// Patterns at other positions do not count.
func (p *placement[A]) pays(routes []route[A], ways []way[A], literals bool) bool {
	gain, loss := 0, 0
	for _, r := range routes {
		if r.answer != nil {
			gain++
		}
	}
	for _, w := range ways {
		if w.rival {
			continue
		}
		if literals {
			loss += p.count(w.param)
		}
		for b := w.matched; b != nil; b = b.next {
			if literals {
				loss += p.count(b.param)
			}
			loss += p.countLeaf(b.rest)
		}
		loss += p.countLeaf(w.rest)
	}
	return gain > loss
}

// first returns the first way to something that answers where the path ends.
func (p *placement[A]) first(ways []way[A]) (w way[A], ok bool) {
	for _, w := range ways {
		if p.countLeaf(w.own) > 0 {
			return w, true
		}
	}
	return w, false
}

// literalsAfter returns the literal segments that may follow the path, sorted.
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

// byText returns the ways that a literal segment leads to.
func (p *placement[A]) byText(ways []way[A], text string) (next []way[A]) {
	for _, w := range ways {
		if child := w.literals[text]; child != nil {
			next = append(next, way[A]{child, w.fits, w.rival})
		}
		for b := w.matched; b != nil; b = b.next {
			if b.param != nil && b.matcher.Fits(text) {
				next = append(next, way[A]{node: b.param, rival: true})
			}
		}
		if w.param != nil {
			next = append(next, way[A]{node: w.param, rival: true})
		}
		next = append(next, p.catchAlls(w, text)...)
	}
	return next
}

// byParam returns the ways that a parameter leads to.
func (p *placement[A]) byParam(ways []way[A], captured int) (next []way[A]) {
	for _, w := range ways {
		var rivals []string // the literals that lead somewhere, until they are added
		for text, child := range w.literals {
			if p.count(child) > 0 {
				rivals = append(rivals, text)
			}
		}
		addRivals := func(taken func(string) bool) {
			rivals = slices.DeleteFunc(rivals, func(text string) bool {
				if !taken(text) {
					return false
				}
				next = append(next, way[A]{node: w.literals[text], rival: true})
				return true
			})
		}
		for b := w.matched; b != nil; b = b.next {
			if b.param != nil {
				addRivals(b.matcher.Fits)
				fits := append(slices.Clip(w.fits), fit{captured, false, b.matcher})
				next = append(next, way[A]{b.param, fits, w.rival})
			}
		}
		addRivals(func(string) bool { return true })
		if w.param != nil {
			next = append(next, way[A]{w.param, w.fits, w.rival})
		}
		next = append(next, p.catchAlls(w, "")...)
	}
	return next
}

// catchAlls returns the ways to the catch-alls that begin at a way and have taken a
// segment: a literal, or the value of a parameter if text is "".
func (p *placement[A]) catchAlls(w way[A], text string) (next []way[A]) {
	for b := w.matched; b != nil; b = b.next {
		if p.countLeaf(b.rest) > 0 && (text == "" || b.matcher.Fits(text)) {
			next = append(next, way[A]{node: endless(b.rest, b.matcher), rival: true})
		}
	}
	if p.countLeaf(w.rest) > 0 {
		next = append(next, way[A]{node: endless(w.rest, nil), rival: true})
	}
	return next
}

// endless returns the node of a catch-all that has matched a segment and may match more.
func endless[A any](l *Leaf[A], m *pattern.Matcher) *node[A] {
	n := &node[A]{own: l}
	if m == nil {
		n.rest = l
	} else {
		n.matched = &branch[A]{matcher: m, rest: l}
	}
	return n
}

// withMounted adds the ways to what is mounted at the nodes. It owns all paths that lead
// there, so that the ways behind it lead to nothing that could be held.
func withMounted[A any](ways []way[A]) []way[A] {
	for i, w := range ways {
		if w.mounted != nil {
			inside := withMounted([]way[A]{{&w.mounted.root, w.fits, w.rival}})
			return append(slices.Clone(ways[:i+1]), inside...)
		}
	}
	return ways
}

// catchAll returns the route of the catch-all that begins here, if nothing more specific
// has a part of its paths.
func (p *placement[A]) catchAll(path string, captured int, ways []way[A]) []route[A] {
	for _, w := range ways {
		for b := w.matched; b != nil; b = b.next {
			if p.count(b.param) > 0 {
				return nil
			}
		}
		if p.count(w.param) > 0 {
			return nil
		}
		begins := func(l *Leaf[A], m *pattern.Matcher) (found bool, routes []route[A]) {
			for text, child := range w.literals {
				if p.count(child) > 0 && (m == nil || m.Fits(text)) {
					return true, nil
				}
			}
			switch {
			case p.countLeaf(l) == 0:
				return false, nil
			case w.rival:
				return true, nil
			}
			r := p.route(l, path, w.fits)
			r.rest = true
			if m != nil {
				r.fits = append(slices.Clip(r.fits), fit{captured, true, m})
			}
			return true, []route[A]{r}
		}
		for b := w.matched; b != nil; b = b.next {
			if found, routes := begins(b.rest, b.matcher); found {
				return routes
			}
		}
		if found, routes := begins(w.rest, nil); found {
			return routes
		}
	}
	return nil
}

// route returns the route of a leaf.
func (p *placement[A]) route(l *Leaf[A], path string, fits []fit) route[A] {
	a := l.Answer(p.method)
	return route[A]{path: path, answer: a, free: l.below != nil && a == l.any, fits: fits}
}

// count returns how many patterns at a node or below answer the method and are not in the
// table of literals. What is mounted counts as a pattern, since it owns its paths.
func (p *placement[A]) count(n *node[A]) int {
	if n == nil {
		return 0
	}
	sum := p.countLeaf(n.own) + p.countLeaf(n.rest) + p.count(n.param)
	for _, child := range n.literals {
		sum += p.count(child)
	}
	for b := n.matched; b != nil; b = b.next {
		sum += p.count(b.param) + p.countLeaf(b.rest)
	}
	if n.mounted != nil {
		sum += 1 + p.count(&n.mounted.root)
	}
	return sum
}

func (p *placement[A]) countLeaf(l *Leaf[A]) int {
	if l == nil || p.literal[l] || l.Answer(p.method) == nil {
		return 0
	}
	return 1
}
