package flow

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/julienschmidt/httprouter"
)

// A match is what a path led to. Its values belong to the endpoint's parameters.
//
// It is an http.ResponseWriter only so that a route of an httprouter tree can
// hand over what it is and what it captured: httprouter gives its parameters
// back to their pool if it calls the route itself, not from a Lookup.
type match struct {
	endpoint *endpoint
	values   []string // a catch-all's with its slashes, without the first
	rest     []string // the segments of a catch-all if one of them may hold a slash
	odd      bool     // the spelling of the URL is to be looked at: see capture
}

func (*match) Header() http.Header         { return nil }
func (*match) Write(b []byte) (int, error) { return len(b), nil }
func (*match) WriteHeader(int)             {}

// A leaf is the end of a URL shape: what answers there, by method.
type leaf struct {
	methods map[string]*endpoint
	any     *endpoint
	// standard is the standard middleware of each file at the leaf, the one that
	// is no store first: what 405 and OPTIONS run through.
	standard []fileSteps
}

// A fileSteps is the standard middleware of one file, down to the file itself.
type fileSteps struct {
	route *route
	steps []step
}

// answer returns the endpoint for a method, or nil.
func (l *leaf) answer(method string) *endpoint {
	if e := l.methods[method]; e != nil {
		return e
	}
	return l.any
}

// A node is a position in URLs; the way to it is the segments so far. The trie
// of nodes is the plain and right matcher, and what the httprouter trees are
// dealt from.
type node struct {
	literals map[string]*node
	param    *node
	rest     *leaf // a catch-all that begins here
	own      *leaf // the URL that ends here
}

// leafOf returns the leaf of a shape, made if it is the first there.
func (n *node) leafOf(s *shape) *leaf {
	for _, seg := range s.segments {
		switch seg.kind {
		case literal:
			child := n.literals[seg.text]
			if child == nil {
				child = &node{}
				if n.literals == nil {
					n.literals = map[string]*node{}
				}
				n.literals[seg.text] = child
			}
			n = child
		case param:
			if n.param == nil {
				n.param = &node{}
			}
			n = n.param
		case rest:
			if n.rest == nil {
				n.rest = &leaf{methods: map[string]*endpoint{}}
			}
			return n.rest
		}
	}
	if n.own == nil {
		n.own = &leaf{methods: map[string]*endpoint{}}
	}
	return n.own
}

// visit calls yield for each leaf that answers the path, the most specific
// first, with the segments that its parameters matched. It stops when yield
// returns false, and then returns false. Each node is visited at most once.
func (n *node) visit(path, values []string, yield func(l *leaf, values, rest []string) bool) bool {
	if len(path) == 0 {
		return n.own == nil || yield(n.own, values, nil)
	}
	if child := n.literals[path[0]]; child != nil && !child.visit(path[1:], values, yield) {
		return false
	}
	if n.param != nil && !n.param.visit(path[1:], append(values, path[0]), yield) {
		return false
	}
	return n.rest == nil || yield(n.rest, values, path)
}

// maxTrees is how many httprouter trees are asked before the trie is.
const maxTrees = 8

// deal puts the routes of one method below n into as few trees as possible, such
// that of two that overlap the more specific is always in an earlier one, and no
// tree holds two that httprouter cannot hold together. It returns how many trees
// that took, from base on.
//
// Literal siblings exclude each other and share trees. The parameter comes after
// all that any of them needs, the catch-all after the parameter.
func (n *node) deal(method, path string, depth, base int, add func(tree int, path string, e *endpoint)) (need int) {
	if n.own != nil {
		if e := n.own.answer(method); e != nil {
			add(base, orRoot(path), e)
			need = 1
		}
	}
	literals := 0
	for _, text := range sortedKeys(n.literals) {
		literals = max(literals, n.literals[text].deal(method, path+"/"+text, depth+1, base, add))
	}
	offset := literals
	if n.param != nil {
		offset += n.param.deal(method, path+"/:"+strconv.Itoa(depth), depth+1, base+offset, add)
	}
	if n.rest != nil {
		if e := n.rest.answer(method); e != nil {
			if path == "" {
				offset = max(offset, need) // httprouter cannot hold "/" beside "/*"
			}
			add(base+offset, path+"/*"+strconv.Itoa(depth), e)
			offset++
		}
	}
	return max(need, offset)
}

func orRoot(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// dealTrees returns the httprouter trees for the given methods.
//
// A tree that has captured a parameter and then has no route does not give the
// parameters back to its pool: a request that falls through to the next tree that
// way allocates them anew. One that a literal leads to another tree does not.
func dealTrees(root *node, methods []string) []*httprouter.Router {
	var trees []*httprouter.Router
	for _, method := range methods {
		root.deal(method, "", 0, 0, func(i int, path string, e *endpoint) {
			if i >= maxTrees {
				return
			}
			for len(trees) <= i {
				trees = append(trees, &httprouter.Router{NotFound: http.HandlerFunc(noMatch)})
			}
			trees[i].Handle(method, path, capture(e))
		})
	}
	return trees
}

func noMatch(http.ResponseWriter, *http.Request) {}

// capture returns the handle that leaves e and the values in the match, and says
// there if the URL is not canonical: httprouter matches empty segments, and "."
// and ".." are none of its business. So it does if a mount could take a backslash for
// a slash.
func capture(e *endpoint) httprouter.Handle {
	if len(e.shape.names) == 0 && !e.shape.hasRest() {
		return func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
			w.(*match).endpoint = e
		}
	}
	catchAll, readsPath := e.shape.hasRest(), e.readsPath()
	return func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
		m := w.(*match)
		m.endpoint = e
		values := m.values
		for i := range ps {
			v := ps[i].Value
			if noValue(v) {
				m.odd = true
			}
			values = append(values, v)
		}
		m.values = values
		if catchAll {
			last := &values[len(values)-1]
			*last = (*last)[1:] // httprouter's begins with the slash
			m.odd = m.odd || !canonicalRest(*last)
		}
		if readsPath && strings.Contains(r.URL.Path, `\`) {
			m.odd = true
		}
	}
}

func canonicalRest(value string) bool {
	for segment := range strings.SplitSeq(value, "/") {
		if noValue(segment) {
			return false
		}
	}
	return true
}

// noValue reports whether an unescaped segment has no place in a canonical URL.
func noValue(segment string) bool {
	return len(segment) <= 2 && (segment == "" || segment == "." || segment == "..")
}

// find sets m to what answers r. It always finds something, if only a 404.
func (t *table) find(m *match, r *http.Request) {
	// The path of a URL without escapes that matter: each of its slashes separates.
	if u := r.URL; u.RawPath == "" || u.EscapedPath() != u.RawPath {
		for _, tree := range t.trees {
			tree.ServeHTTP(m, r)
			if m.endpoint == nil {
				continue
			}
			if !m.odd {
				return
			}
			*m = match{values: m.values[:0]}
			break
		}
	}
	t.findSlowly(m, r)
}

// findSlowly asks the trie: for escaped slashes, for what the trees do not hold,
// and for what answers if no route does.
func (t *table) findSlowly(m *match, r *http.Request) {
	p, ok := parsePath(r)
	if !ok {
		m.endpoint = t.notFound
		m.values = append(m.values, t.inherited(nil)...)
		return
	}
	var leaves []*leaf
	misread := false
	t.root.visit(p.values, nil, func(l *leaf, values, rest []string) bool {
		leaves = append(leaves, l)
		e := l.answer(r.Method)
		if e == nil {
			return true
		}
		if e.readsPath() && !t.readsRight(e, r, p) {
			misread = true
			return false
		}
		if !p.canonical {
			e = e.below // how its URLs are spelled is its own affair
			if e == nil {
				return false
			}
		}
		m.endpoint = e
		m.values = append(m.values, values...)
		if e.shape.hasRest() {
			m.values = append(m.values, strings.Join(rest, "/"))
			m.rest = rest
		}
		return false
	})
	if m.endpoint != nil {
		return
	}
	m.values = append(m.values, t.inherited(p.values)...)
	switch {
	case misread:
		m.endpoint = t.respelled(r, p)
	case len(leaves) == 0:
		m.endpoint = t.notFound
	case !p.canonical:
		m.endpoint = t.redirect(location(r, p.escaped))
	default:
		m.endpoint = t.otherMethod(r, leaves)
	}
}

// inherited returns the values that the parameters of the Router's prefix have in a
// path, for what no route answers.
func (t *table) inherited(path []string) []string {
	var values []string
	for i, seg := range t.above.segments {
		switch {
		case seg.kind != param:
		case i < len(path):
			values = append(values, path[i])
		default: // the Router was asked for what is not its own
			values = append(values, "")
		}
	}
	return values
}

// A requestPath is the path of a request, cleaned.
type requestPath struct {
	asked     string   // as it came, escaped
	escaped   string   // "/users/%2F"
	values    []string // its segments, unescaped: "users", "/"
	canonical bool     // it was so spelled already
}

// parsePath cleans the escaped path of a request: no empty segments, no trailing
// slash, no "." and "..". ok is false if it has no path.
func parsePath(r *http.Request) (p requestPath, ok bool) {
	escaped := r.URL.EscapedPath()
	if escaped == "" && r.Method != http.MethodConnect {
		escaped = "/" // as in "GET http://host", and below http.StripPrefix
	}
	if !strings.HasPrefix(escaped, "/") {
		return p, false
	}
	return cleanPath(escaped, func(segment string) string { return segment })
}

// cleanPath cleans an escaped path. read says how a segment is read that may be dots.
func cleanPath(escaped string, read func(segment string) string) (p requestPath, ok bool) {
	segments := make([]string, 0, strings.Count(escaped, "/"))
	for segment := range strings.SplitSeq(escaped[1:], "/") {
		switch read(segment) {
		case "", ".":
		case "..":
			segments = segments[:max(len(segments)-1, 0)]
		default:
			segments = append(segments, segment)
		}
	}
	p.asked = escaped
	p.escaped = "/" + strings.Join(segments, "/")
	p.canonical = p.escaped == escaped
	for i, s := range segments {
		value, err := url.PathUnescape(s)
		if err != nil {
			return p, false // does not happen: EscapedPath is well formed
		}
		segments[i] = value
	}
	p.values = segments
	return p, true
}

// below reports whether the first n segments of the path were spelled as they are to
// be, and a slash followed.
func (p requestPath) below(n int) bool {
	prefix := p.escaped + "/"
	for i, c := range prefix {
		if c != '/' {
			continue
		}
		if n == 0 {
			return strings.HasPrefix(p.asked, prefix[:i+1])
		}
		n--
	}
	return false
}

// location returns the URL of a redirect to the canonical spelling of a path. It
// keeps a prefix that http.StripPrefix took off, which RequestURI still has.
func location(r *http.Request, canonical string) string {
	prefix := ""
	if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
		prefix = u.EscapedPath()
	}
	// A path that was rewritten otherwise is no suffix, and has no prefix.
	prefix, stripped := strings.CutSuffix(prefix, r.URL.EscapedPath())
	if !stripped {
		prefix = ""
	}
	target := strings.TrimRight(prefix, "/") + canonical
	if canonical == "/" { // the index, below a prefix too
		target = strings.TrimRight(target, "/")
	}
	// Two slashes would lead to another host.
	target = "/" + strings.TrimLeft(target, `/\`)
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		target += "?" + r.URL.RawQuery
	}
	return target
}

// redirect returns the endpoint for another spelling of a URL.
func (t *table) redirect(target string) *endpoint {
	return t.unmatched(t.standard, nil, handler{flow: func(*Request) (Response, error) {
		return Response{status: http.StatusPermanentRedirect}.Header("Location", target), nil
	}})
}

// otherMethod returns the endpoint for a path that is known, but not with the
// method: the answer to OPTIONS, or 405.
func (t *table) otherMethod(r *http.Request, leaves []*leaf) *endpoint {
	allowed := map[string]bool{http.MethodOptions: true}
	for _, l := range leaves {
		for method := range l.methods {
			allowed[method] = true
		}
	}
	allow := strings.Join(slices.Sorted(maps.Keys(allowed)), ", ")
	file := leaves[0].standard[0]
	if r.Method != http.MethodOptions {
		return t.unmatched(file.steps, file.route, handler{flow: func(*Request) (Response, error) {
			return Fail(http.StatusMethodNotAllowed, "").Header("Allow", allow), nil
		}})
	}
	if wanted := r.Header.Get("Access-Control-Request-Method"); wanted != "" {
		if i := slices.IndexFunc(leaves, func(l *leaf) bool { return l.answer(wanted) != nil }); i >= 0 {
			file = leaves[i].fileFor(wanted)
		}
	}
	return t.unmatched(file.steps, file.route, handler{flow: func(*Request) (Response, error) {
		return Response{status: http.StatusNoContent}.Header("Allow", allow), nil
	}})
}

// fileFor returns the file that answers a method at l, else the first.
func (l *leaf) fileFor(method string) fileSteps {
	if e := l.answer(method); e != nil {
		for _, f := range l.standard {
			if f.route == e.route {
				return f
			}
		}
	}
	return l.standard[0]
}
