// Package match finds what answers a request: the most specific pattern that has an
// answer for the request's method. What an answer is, the caller decides: the package is
// generic over it, and the root uses its endpoints.
//
//	trie := &match.Trie[string]{}
//	show, create := "show a user", "make a user"
//	trie.Leaf(users).Set("GET", &show)       // users is the pattern /users/{id}
//	trie.Leaf(newUser).Set("POST", &create)  // newUser is /users/new
//	table := match.Compile(trie, hit, miss)
//
//	GET /users/7    calls hit with show and the value "7"
//	GET /users/new  calls hit with show and the value "new": /users/new has only POST
//	PUT /users/7    calls miss with the leaf of /users/{id}, whose methods Allow lists
//
// A [Trie] holds the patterns and their answers. [Compile] makes it into a [Table], which
// has three ways to find an answer, and takes the first that leads to one:
//
//   - a map of the paths without parameters;
//   - an httprouter tree, for the patterns that httprouter can hold beside each other: see
//     placement.go;
//   - the trie itself, which goes back where the more specific patterns have no answer. It
//     finds the patterns that httprouter cannot hold, and files by URLs with any hash. It
//     matches paths with escaped slashes, and makes the Miss of requests without an answer.
package match

import (
	"net/http"
	"strings"
	"sync"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/serve/routes/pattern"
)

// A Table is a compiled Trie. It does not change, and is safe for concurrent use.
type Table[A any] struct {
	trie     *Trie[A]
	literals literals[A]
	tree     *httprouter.Router
	searches sync.Pool // of *search[A]
	hit      func(*A, http.ResponseWriter, *http.Request, Values)
	miss     func(http.ResponseWriter, *http.Request, Miss[A])
}

// A Miss is what the Table knows about a request without an answer.
type Miss[A any] struct {
	Path      pattern.Path // may be unset if Known is false and By is nil
	Known     bool         // the path has an answer for another method or in another spelling
	Respelled string       // that other spelling, escaped; "" if the spelling is right
	Leaves    []*Leaf[A]   // that match the path, the most specific first
	By        *A           // the answer of the mount that owns the path; nil for the outermost trie
}

// Compile returns the Table of a trie, which must not change from then on. For each
// request the Table calls hit with the answer, or miss if there is none.
func Compile[A any](trie *Trie[A], hit func(*A, http.ResponseWriter, *http.Request, Values), miss func(http.ResponseWriter, *http.Request, Miss[A])) *Table[A] {
	t := &Table[A]{trie: trie, hit: hit, miss: miss, literals: collectLiterals(trie)}
	t.searches.New = func() any { return new(search[A]) }
	t.tree = &httprouter.Router{NotFound: http.HandlerFunc(t.walk)}
	t.register()
	return t
}

// ServeHTTP calls hit or miss for a request. It allocates nothing for a hit.
func (t *Table[A]) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u := r.URL
	if u.RawPath != "" && u.EscapedPath() == u.RawPath {
		t.matchUncleanPath(w, r) // Path alone does not tell an escaped slash from a separator
		return
	}
	if t.literals.mayHave(u.Path) {
		if l := t.literals.leaves[u.Path]; l != nil {
			if a := l.Answer(r.Method); a != nil {
				t.hit(a, w, r, nil)
				return
			}
		}
		if t.literals.looksHashed(u.Path) {
			t.walk(w, r) // httprouter knows the hashes of this version only
			return
		}
	}
	t.tree.ServeHTTP(w, r)
}

// Find returns the answer for a method of a path with these segments, and the values of
// the parameters. It returns nil if there is no answer.
func (t *Table[A]) Find(method string, path []string) (*A, Values) {
	s := t.search(method, path)
	if s.answer == nil {
		return nil, nil
	}
	return s.answer, s.params("")
}

// Matching returns the leaves that match a path with these segments: see Trie.Matching.
func (t *Table[A]) Matching(path []string) []*Leaf[A] { return t.trie.Matching(path) }

// walk searches the trie for a path without escaped slashes. httprouter calls it, as its
// NotFound, for each request that it has no route for.
func (t *Table[A]) walk(w http.ResponseWriter, r *http.Request) {
	if len(r.RequestURI) > maxLine {
		t.matchUncleanPath(w, r)
		return
	}
	s := t.searches.Get().(*search[A])
	s.begin(t.trie, r.Method)
	canonical := s.split(r.URL.Path)
	if canonical {
		s.find(&t.trie.root, 0)
	}
	switch {
	case s.answer != nil && !(s.takesAnySpelling() && strings.Contains(r.URL.Path, `\`)):
		t.hit(s.answer, w, r, s.params(r.URL.Path))
		s.end(t)
	case canonical && s.answer == nil && len(s.leaves) == 0 && s.within == t.trie:
		s.end(t)
		t.miss(w, r, Miss[A]{}) // the Miss of matchUncleanPath, but for the Path, and cheaper
	default:
		s.end(t)
		t.matchUncleanPath(w, r)
	}
}

// matchUncleanPath cleans the path of a request and searches the trie for it. It is for
// paths that are not canonical or have escaped slashes, for long ones, and for requests
// without an answer. It allocates, as these are rare.
func (t *Table[A]) matchUncleanPath(w http.ResponseWriter, r *http.Request) {
	p, ok := pattern.ParsePath(r)
	if !ok {
		t.miss(w, r, Miss[A]{})
		return
	}
	s := t.search(r.Method, p.Segments)
	switch anySpelling := s.answer != nil && s.takesAnySpelling(); {
	case anySpelling && !t.isUnambiguous(s, r, p):
		t.miss(w, r, t.ambiguousPath(s, r, p))
		return
	case s.answer != nil && p.IsCanonical():
		t.hit(s.answer, w, r, s.params(""))
		return
	case anySpelling:
		t.hit(s.leaf.unclean, w, r, s.params(""))
		return
	}
	m := Miss[A]{Path: p, Known: len(s.leaves) > 0, Leaves: s.leaves, By: s.within.by}
	if !p.IsCanonical() {
		m.Respelled = p.Escaped
	}
	t.miss(w, r, m)
}

// search searches the trie for a path with these segments. The search is not pooled.
func (t *Table[A]) search(method string, path []string) *search[A] {
	s := &search[A]{}
	s.begin(t.trie, method)
	s.path = path
	s.find(&t.trie.root, 0)
	return s
}
