package match

import (
	"math"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
)

// takesAnySpelling reports whether the answer of the search takes its paths in any
// spelling: see Leaf.SetAnySpelling.
func (s *search[A]) takesAnySpelling() bool { return s.leaf.unclean != nil && s.answer == s.leaf.any }

// isUnambiguous reports whether a mounted handler reads the path as the search has matched
// it. The search takes "%2e%2e" or "a%2Fb" for one segment. Many handlers, such as
// http.FileServer, read the decoded path instead and clean it. So that they cannot get past
// the guards of other patterns, the path that they read must
//
//   - begin with the same segments of the mount's prefix, whose parameters guards have seen;
//   - not leave that prefix, even on the way, as /files/../files/a does;
//   - belong to the same handler in its plain spelling.
func (t *Table[A]) isUnambiguous(s *search[A], r *http.Request, p pattern.Path) bool {
	n := s.beforeRest()
	if !p.IsCanonical() && !p.IsCanonicalTo(n) {
		return false
	}
	isSame := func(path string, floor int) bool {
		read, ok := decodedSegments(path, floor)
		switch {
		case !ok || len(read) < n || !slices.Equal(read[:n], p.Segments[:n]):
			return false
		case slices.Equal(read, p.Segments):
			return true
		}
		owner := t.search(r.Method, read)
		return owner.answer != nil && owner.takesAnySpelling() && owner.leaf.unclean == s.leaf.unclean
	}
	if !isSame(r.URL.Path, n) {
		return false
	}
	// Some handlers take a backslash for a slash, either before they clean the path or
	// after. Both give the same path only if it has no "..", so that none is allowed.
	path := strings.ReplaceAll(r.URL.Path, `\`, "/")
	return path == r.URL.Path || isSame(path, math.MaxInt)
}

// decodedSegments cleans a decoded path: it returns the segments without empty ones, "."
// and "..". ok is false if a ".." would remove one of the first floor segments, or if there
// is no segment for it to remove.
func decodedSegments(path string, floor int) (segments []string, ok bool) {
	segments = make([]string, 0, 16)
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "", ".":
		case "..":
			if len(segments) <= floor {
				return nil, false
			}
			segments = segments[:len(segments)-1]
		default:
			segments = append(segments, segment)
		}
	}
	return segments, true
}

// ambiguousPath returns the Miss for a path that is not unambiguous. The Miss knows the
// plain spelling, in which escaped dots are dots, if some pattern matches that. A path with
// a backslash, or with an escaped slash in a segment, has no plain spelling.
func (t *Table[A]) ambiguousPath(s *search[A], r *http.Request, p pattern.Path) Miss[A] {
	m := Miss[A]{Path: p, By: s.within.by}
	if strings.Count(r.URL.Path, "/") > strings.Count(p.Asked, "/") || strings.Contains(r.URL.Path, `\`) {
		return m
	}
	plain := p.Plain()
	m.Known, m.Respelled = len(t.search(r.Method, plain.Segments).leaves) > 0, plain.Escaped
	return m
}
