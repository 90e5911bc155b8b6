// Package reach finds what a URL may lead to, beyond the one answer that a request gets. [Possible],
// [Nearest] and [Refusing] are for URLs with holes, as templates have them. [Explain] says of a request why the
// other patterns that match its path do not answer it.
package reach

import (
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
)

// A HoledSegment is a segment of a path with holes, unescaped: the known texts, with a hole between
// each two.
//
//	new            {"new"}
//	{{.ID}}        {"", ""}
//	user-{{.ID}}   {"user-", ""}
type HoledSegment []string

// ParsePath returns the segments of an escaped path with holes. canonical reports whether
// the path is spelled as the router spells it: otherwise requests for it are redirected. ok
// is false if the path has a broken escape, or does not begin with a slash.
func ParsePath(path string) (texts []HoledSegment, canonical, ok bool) {
	p, ok := pattern.Clean(path)
	if !ok {
		return nil, false, false
	}
	texts = make([]HoledSegment, len(p.Segments))
	for i, segment := range p.Segments {
		texts[i] = strings.Split(segment, pattern.Hole)
	}
	return texts, p.IsCanonical(), true
}

// known reports whether the text has no holes.
func (t HoledSegment) known() bool { return len(t) == 1 }

// onlyHoles reports whether nothing of the text is known.
func (t HoledSegment) onlyHoles() bool {
	return len(t) > 1 && !slices.ContainsFunc(t, func(s string) bool { return s != "" })
}

// canBe reports whether the text is s for some values of its holes.
func (t HoledSegment) canBe(s string) bool {
	if t.known() {
		return s == t[0]
	}
	last := t[len(t)-1]
	s, begins := strings.CutPrefix(s, t[0])
	s, ends := strings.CutSuffix(s, last)
	if !begins || !ends {
		return false
	}
	for _, between := range t[1 : len(t)-1] {
		_, after, found := strings.Cut(s, between)
		if !found {
			return false
		}
		s = after
	}
	return true
}

// canFit reports whether the text matches a matcher for some values of its holes. A text
// with holes is taken to match any matcher, and a matcher without a function to match any
// text. m may be nil.
func (t HoledSegment) canFit(m *pattern.Matcher) bool {
	return m == nil || m.Fits == nil || !t.known() || m.Fits(t[0])
}

// Possible returns the leaves that match a path for some values of its holes, in the order
// of a search. Without holes they are those of a search, but for those of AnyHash, since no
// link should have a hash of another version: the answer of the first leaf that has one for the
// method is the one of Find.
//
// A leaf is left out if a search ends before it, whatever the values are: behind an answer
// for the method, or in a mounted trie that owns the path. If method is "", only the latter
// counts.
//
// A value is any text within its segment. If slashes is set, it may also contain slashes, and
// be empty if it is the whole path. A leaf may then come more than once.
func Possible[A any](t *match.Trie[A], method string, path []HoledSegment, slashes bool) (leaves []*match.Leaf[A]) {
	w := walk[A]{path: path, slashes: slashes, seen: map[visit[A]]bool{}}
	w.found = func(l *match.Leaf[A], _ []pattern.Segment) bool {
		leaves = append(leaves, l)
		return method != "" && l.Answer(method) != nil
	}
	w.enter = func(p position) (enters, ends bool) { return !p.dots, true }
	w.visit(t.Root(), position{})
	return leaves
}

// Nearest returns the leaf whose pattern is most similar to a path, and does not match it, for
// "did you mean": it has an answer for the method, and one or more of its literal segments are
// spelled a little differently in the path. Of two that are equally similar, it is the one
// with more literal segments. It is nil if none is similar. If method is "", any leaf counts.
//
// Nearest compares the path with all literals beside those of the path, so it is for paths
// that are wrong.
func Nearest[A any](t *match.Trie[A], method string, path []HoledSegment) (best *match.Leaf[A]) {
	var like likeness
	w := walk[A]{path: path, near: true}
	w.found = func(l *match.Leaf[A], trail []pattern.Segment) bool {
		found := likenessOf(trail, path)
		if found.distance > 0 && (method == "" || l.Answer(method) != nil) && (best == nil || found.isCloser(like)) {
			best, like = l, found
		}
		return false
	}
	w.enter = func(position) (enters, ends bool) { return true, false }
	w.visit(t.Root(), position{})
	return best
}

// Refusing returns the first leaf in the order of a search that would match a path, with an answer for the
// method, but for a matcher: that of the segment of its pattern, which does not take the value. The leaf
// is nil if there is none. If method is "", any leaf counts. Without a literal segment in front of the
// matcher that the path has, too, the pattern is hardly meant: [lang=lang] refuses almost any path.
func Refusing[A any](t *match.Trie[A], method string, path []HoledSegment) (refusing *match.Leaf[A], segment int, value string) {
	w := walk[A]{path: path, refused: true}
	w.found = func(l *match.Leaf[A], trail []pattern.Segment) bool {
		if method != "" && l.Answer(method) == nil {
			return false
		}
		meant := false
		for i, seg := range withoutMounts(trail) {
			meant = meant || seg.Kind == pattern.Literal && path[i].known()
			texts := path[i : i+1]
			if seg.Kind == pattern.Rest {
				texts = path[i:]
			}
			if n := slices.IndexFunc(texts, func(t HoledSegment) bool { return !t.canFit(seg.Matcher) }); n >= 0 {
				if !meant {
					return false
				}
				refusing, segment, value = l, i, texts[n][0]
				return true
			}
		}
		return false
	}
	w.enter = func(position) (enters, ends bool) { return true, false }
	w.visit(t.Root(), position{})
	return refusing, segment, value
}

// A likeness says how similar a pattern is to a path.
type likeness struct {
	distance int // of all literal segments of the pattern to those of the path: see fault.Distance
	literals int // the number of those segments, less the number of those that are holes in the path
}

func likenessOf(trail []pattern.Segment, path []HoledSegment) (like likeness) {
	for i, seg := range withoutMounts(trail) {
		switch {
		case seg.Kind != pattern.Literal:
		case path[i].known():
			d, _ := path[i].distance(seg.Text)
			like.distance += d
			like.literals++
		default:
			like.literals-- // a parameter is more likely to be meant
		}
	}
	return like
}

func (a likeness) isCloser(b likeness) bool {
	return a.distance < b.distance || a.distance == b.distance && a.literals > b.literals
}

// distance returns how far the text is from a literal segment. ok is false if they are not
// similar: see fault.Near.
func (t HoledSegment) distance(literal string) (d int, ok bool) {
	if !t.known() {
		return 0, t.canBe(literal)
	}
	return fault.Near(t[0], literal)
}
