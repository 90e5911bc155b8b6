package match

import (
	"math"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/pattern"
)

// isFree reports whether what was found judges by itself how its URLs are spelled.
func (s *search[A]) isFree() bool { return s.leaf.below != nil && s.answer == s.leaf.any }

// readsRight reports whether what was found, and is free, can be asked for a path as it
// is spelled. Handlers such as net/http's read the decoded path and clean it: a segment
// that is "%2e%2e" or "a%2Fb" is more to them than the one that was matched. They must
// find the prefix as it was matched, since guards know its parameters, must not be led
// out of it, and must not be led to what is not theirs in the plain spelling.
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
	// Some take a backslash for a slash, before they clean the path or after. Only without
	// ".." is that the same.
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

// misread returns the miss for a path that what is free could misread. It is known in
// its plain spelling if something answers that. What holds a slash in a segment, or a
// backslash, has none.
func (t *Table[A]) misread(s *search[A], r *http.Request, p pattern.Path) Miss[A] {
	m := Miss[A]{Path: p, By: s.within.by}
	if strings.Count(r.URL.Path, "/") > strings.Count(p.Asked, "/") || strings.Contains(r.URL.Path, `\`) {
		return m
	}
	plain := p.Plain()
	m.Known, m.Respelled = len(t.search(r.Method, plain.Segments).leaves) > 0, plain.Escaped
	return m
}
