// Package match finds what answers a request: the most specific pattern that has
// something for its method. Patterns are put into a [Trie] with their answers, which
// [Compile] makes into a [Table]. A request then takes the first of three ways that
// leads to its answer: a table of URLs without parameters, an httprouter tree, and the
// trie itself, for patterns that httprouter cannot hold beside each other, for escaped
// slashes, and for what no pattern answers. What answers, and how, is left to those who
// call it.
package match

import (
	"net/http"
	"strings"
	"sync"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/pattern"
)

// A Table is a trie compiled. It does not change, and is safe for concurrent use.
type Table[A any] struct {
	trie     *Trie[A]
	literals map[string]*Leaf[A] // paths for which nothing is more specific
	tree     *httprouter.Router  // patterns that httprouter can hold together
	searches sync.Pool           // of *search[A]
	hit      func(*A, http.ResponseWriter, *http.Request, Values)
	miss     func(http.ResponseWriter, *http.Request, Miss[A])
}

// A Miss is a request that nothing answers as it is.
type Miss[A any] struct {
	Path      pattern.Path // if it is known, or By is not nil
	Known     bool         // it would be answered in another spelling or with another method
	Respelled string       // the other spelling, escaped
	Leaves    []*Leaf[A]   // that match the path, the most specific first
	By        *A           // what mounted the trie that owns the path; nil for the outermost
}

// Compile makes a trie, which is not changed any more, into a table that calls hit or
// miss for each request.
func Compile[A any](trie *Trie[A], hit func(*A, http.ResponseWriter, *http.Request, Values), miss func(http.ResponseWriter, *http.Request, Miss[A])) *Table[A] {
	t := &Table[A]{trie: trie, hit: hit, miss: miss}
	t.searches.New = func() any { return new(search[A]) }
	t.literals = map[string]*Leaf[A]{}
	trie.root.collectLiterals(trie, nil, t.literals)
	t.tree = &httprouter.Router{NotFound: http.HandlerFunc(t.walk)}
	t.register(t.literals)
	return t
}

// ServeHTTP calls hit or miss for a request, with nothing allocated for a hit.
func (t *Table[A]) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u := r.URL
	if u.RawPath != "" && u.EscapedPath() == u.RawPath {
		t.slowly(w, r) // something is escaped that Path cannot tell, such as a slash in a segment
		return
	}
	if l := t.literals[u.Path]; l != nil {
		if a := l.Answer(r.Method); a != nil {
			t.hit(a, w, r, nil)
			return
		}
	}
	t.tree.ServeHTTP(w, r)
}

// Find returns what answers a method of a path of these segments, and the values of its
// parameters, or nil if nothing answers it.
func (t *Table[A]) Find(method string, path []string) (*A, Values) {
	s := t.search(method, path)
	if s.answer == nil {
		return nil, nil
	}
	return s.answer, s.params("")
}

// Matching returns the leaves that match the segments of a path, as Trie.Matching does.
func (t *Table[A]) Matching(path []string) []*Leaf[A] { return t.trie.Matching(path) }

// walk looks in the trie for a path in which no slash is escaped.
func (t *Table[A]) walk(w http.ResponseWriter, r *http.Request) {
	s := t.searches.Get().(*search[A])
	s.begin(t.trie, r.Method)
	canonical := s.split(r.URL.Path)
	if canonical {
		s.find(&t.trie.root, 0)
	}
	switch {
	case s.answer != nil && !(s.isFree() && strings.Contains(r.URL.Path, `\`)):
		t.hit(s.answer, w, r, s.params(r.URL.Path))
		s.end(t)
	case canonical && s.answer == nil && len(s.leaves) == 0 && s.within == t.trie:
		s.end(t)
		t.miss(w, r, Miss[A]{}) // as slowly would say, but for the Path, which nobody owns
	default:
		s.end(t)
		t.slowly(w, r)
	}
}

// slowly cleans the path first. It looks in the trie for paths with escaped slashes and
// in other spellings, and for what to say where nothing answers.
func (t *Table[A]) slowly(w http.ResponseWriter, r *http.Request) {
	p, ok := pattern.ParsePath(r)
	if !ok {
		t.miss(w, r, Miss[A]{})
		return
	}
	s := t.search(r.Method, p.Segments)
	switch free := s.answer != nil && s.isFree(); {
	case free && !t.readsRight(s, r, p):
		t.miss(w, r, t.misread(s, r, p))
		return
	case s.answer != nil && p.IsCanonical():
		t.hit(s.answer, w, r, s.params(""))
		return
	case free:
		t.hit(s.leaf.below, w, r, s.params(""))
		return
	}
	m := Miss[A]{Path: p, Known: len(s.leaves) > 0, Leaves: s.leaves, By: s.within.by}
	if !p.IsCanonical() {
		m.Respelled = p.Escaped
	}
	t.miss(w, r, m)
}

// search searches for segments that the caller has made. The search is not used again.
func (t *Table[A]) search(method string, path []string) *search[A] {
	s := &search[A]{}
	s.begin(t.trie, method)
	s.path = path
	s.find(&t.trie.root, 0)
	return s
}

func (s *search[A]) begin(t *Trie[A], method string) {
	s.method, s.within, s.rest = method, t, -1
}

// maxKept is the greatest number of segments with which a search is kept to be used
// again. Clients can send longer paths, which must not stay in memory.
const maxKept = 64

func (s *search[A]) end(t *Table[A]) {
	if cap(s.path) > maxKept {
		return
	}
	clear(s.path)
	clear(s.kept)
	s.method, s.answer, s.leaf = "", nil, nil // begin sets the rest
	s.path, s.values, s.leaves, s.kept = s.path[:0], s.values[:0], s.leaves[:0], s.kept[:0]
	t.searches.Put(s)
}

// split sets the segments of a path in which no slash is escaped. It returns false if
// the path is not canonical.
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
		if pattern.NoValue(path[:end]) {
			return false
		}
		s.path = append(s.path, path[:end])
		path = path[end:]
	}
	return true
}

// prefix returns how many segments of the path stand before what a catch-all matches.
func (s *search[A]) prefix() int {
	if s.rest >= 0 {
		return s.rest
	}
	return len(s.path)
}

// params returns the values that were found. path is the whole path if it holds no
// escaped slashes, so that the value of a catch-all need not be put together.
func (s *search[A]) params(path string) Values {
	values := s.kept
	for _, i := range s.values {
		values = append(values, httprouter.Param{Value: s.path[i]})
	}
	switch {
	case s.rest < 0:
	case path != "":
		for _, segment := range s.path[:s.rest] {
			path = path[len("/")+len(segment):]
		}
		values = append(values, httprouter.Param{Value: path})
	default:
		values = append(values, httprouter.Param{Value: "/" + strings.Join(s.path[s.rest:], "/")})
		for _, segment := range s.path[s.rest:] {
			values = append(values, httprouter.Param{Value: segment})
		}
	}
	s.kept = values
	return values
}
