package match

import (
	"math"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/pattern"
)

// isFree reports whether the answer that was found takes its URLs in any spelling: see
// Leaf.SetFree.
func (s *search[A]) isFree() bool { return s.leaf.below != nil && s.answer == s.leaf.any }

// readsRight reports whether the free answer that was found may get a path as it is
// spelled. Handlers such as net/http's read the decoded path and clean it: they do not
// take "%2e%2e" or "a%2Fb" for the one segment that was matched. They must find the
// prefix as it was matched, since guards know its parameters, must not be led out of it,
// and must not be led to what is not theirs in the plain spelling.
func (t *Table[A]) readsRight(s *search[A], r *http.Request, p pattern.Path) bool {
	n := s.prefix()
	if !p.IsCanonical() && !p.IsCanonicalTo(n) {
		return false
	}
	right := func(path string, floor int) bool {
		seen, ok := decodedSegments(path, floor)
		switch {
		case !ok || len(seen) < n || !slices.Equal(seen[:n], p.Segments[:n]):
			return false
		case slices.Equal(seen, p.Segments):
			return true
		}
		owner := t.search(r.Method, seen)
		return owner.answer != nil && owner.isFree() && owner.leaf.below == s.leaf.below
	}
	if !right(r.URL.Path, n) {
		return false
	}
	// Some handlers take a backslash for a slash, before they clean the path or after. The
	// two give the same path only if there is no ".." in it.
	path := strings.ReplaceAll(r.URL.Path, `\`, "/")
	return path == r.URL.Path || right(path, math.MaxInt)
}

// decodedSegments returns the segments of a decoded path without the empty ones and the
// dots. ok is false if ".." takes away one of the first floor segments, or has none to
// take away.
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

// misread returns the miss for a path that a free answer could misread. It is known, in
// its plain spelling, if something answers that. A path with a backslash, or with an
// escaped slash in a segment, has no plain spelling.
func (t *Table[A]) misread(s *search[A], r *http.Request, p pattern.Path) Miss[A] {
	m := Miss[A]{Path: p, By: s.within.by}
	if strings.Count(r.URL.Path, "/") > strings.Count(p.Asked, "/") || strings.Contains(r.URL.Path, `\`) {
		return m
	}
	plain := p.Plain()
	m.Known, m.Respelled = len(t.search(r.Method, plain.Segments).leaves) > 0, plain.Escaped
	return m
}
