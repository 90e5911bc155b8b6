package flow

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// A kind says what a segment of a URL may hold. A smaller kind is more specific.
type kind uint8

const (
	literal kind = iota // this very text
	param               // one segment
	rest                // one or more segments, to the end
)

// A segment is one element of a URL's path.
//
//	about      => {literal, "about"}
//	[id]       => {param, "id"}
//	[...rest]  => {rest, "rest"}
type segment struct {
	kind kind
	text string // the literal text, or the parameter's name
}

// An element is what one name of the tree, a directory's or a file's without
// its extension, contributes to the URL.
//
//	about         => {segment: {literal, "about"}}
//	[[lang]]      => {segment: {param, "lang"}, optional: true}
//	(admin)       => {silent: true}
//	index, store  => {silent: true}, for files only
type element struct {
	segment
	optional bool
	silent   bool // in no URL
}

// A shape is one form that the URLs of a file have: /users/{id}.
type shape struct {
	file     string
	route    *route // nil for a public file and for what is mounted
	segments []segment
	names    []string // its parameters, in order
}

// pattern returns the shape in the notation of net/http's ServeMux, which
// http.Request.Pattern uses. Literal text is escaped, so that braces in it are none.
func (s *shape) pattern() string {
	return s.format(func(seg segment) string {
		switch seg.kind {
		case param:
			return "{" + seg.text + "}"
		case rest:
			if seg.text == "" { // below what is mounted
				return ""
			}
			return "{" + seg.text + "...}"
		}
		return url.PathEscape(seg.text)
	})
}

// key is equal for two shapes if they answer the same URLs. No file name holds
// a colon or an asterisk: checkName.
func (s *shape) key() string {
	return s.format(func(seg segment) string {
		switch seg.kind {
		case param:
			return ":"
		case rest:
			return "*"
		}
		return seg.text
	})
}

func (s *shape) format(segmentText func(segment) string) string {
	if len(s.segments) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, seg := range s.segments {
		b.WriteByte('/')
		b.WriteString(segmentText(seg))
	}
	return b.String()
}

func (s *shape) hasRest() bool {
	return len(s.segments) > 0 && s.segments[len(s.segments)-1].kind == rest
}

func newShape(file string, r *route, segments []segment) *shape {
	s := &shape{file: file, route: r, segments: segments}
	for _, seg := range segments {
		if seg.kind != literal && seg.text != "" { // the rest below what is mounted has no name
			s.names = append(s.names, seg.text)
		}
	}
	return s
}

// parseElement parses the name of a directory, or of a file without its extension.
func parseElement(name string, dir bool) (element, error) {
	switch {
	case !dir && (name == "index" || name == "store"):
		return element{silent: true}, nil
	case strings.HasPrefix(name, "("):
		return parseGroup(name, dir)
	case strings.ContainsAny(name, "[]"):
		return parseBrackets(name)
	}
	return element{segment: segment{literal, name}}, nil
}

func parseGroup(name string, dir bool) (element, error) {
	inner := strings.TrimSuffix(name[1:], ")")
	switch {
	case !dir:
		return element{}, errors.New("parentheses group the files of a directory, and this is a file: make it a directory, or call it by its URL")
	case !strings.HasSuffix(name, ")") || inner == "" || strings.ContainsAny(inner, "()[]"):
		return element{}, fmt.Errorf("%q is not the name of a group: one looks like (admin)", name)
	}
	return element{silent: true}, nil
}

func parseBrackets(name string) (element, error) {
	inner, optional := name, false
	if strings.HasPrefix(inner, "[[") && strings.HasSuffix(inner, "]]") {
		inner, optional = inner[1:len(inner)-1], true
	}
	if !strings.HasPrefix(inner, "[") || !strings.HasSuffix(inner, "]") || len(inner) < 2 {
		return element{}, fmt.Errorf("a parameter fills a whole segment, and %q is not one of [id], [[id]], [...id], [[...id]]", name)
	}
	inner = inner[1 : len(inner)-1]
	k := param
	if strings.HasPrefix(inner, "...") {
		inner, k = inner[len("..."):], rest
	}
	if !isIdentifier(inner) {
		return element{}, fmt.Errorf("%q is not a parameter's name: a parameter is called by a Go identifier, as in [id], [[id]], [...id], [[...id]]", inner)
	}
	return element{segment: segment{k, inner}, optional: optional}, nil
}

// isIdentifier reports whether s is a Go identifier. Keywords are, the blank
// identifier is not.
func isIdentifier(s string) bool {
	if s == "" || s == "_" {
		return false
	}
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return true
}

// maxShapes is how many URL shapes the optional segments of one file may give.
const maxShapes = 64

// expand returns the URL shapes of a path: one, or one more for each optional
// segment that may be there. Neighbouring optionals fill from the left.
func expand(elements []element) ([][]segment, error) {
	elements = slices.DeleteFunc(slices.Clone(elements), func(e element) bool { return e.silent })
	seen := map[string]bool{}
	for i, e := range elements {
		if e.kind == rest && i != len(elements)-1 {
			return nil, fmt.Errorf("the catch-all [...%s] takes the rest of the URL: nothing can follow it", e.text)
		}
		if e.kind != literal && seen[e.text] {
			return nil, fmt.Errorf("the parameter %q stands twice in one path: give each a name of its own", e.text)
		}
		seen[e.text] = seen[e.text] || e.kind != literal
	}
	shapes := [][]segment{{}}
	for i := 0; i < len(elements); {
		if !elements[i].optional {
			for j := range shapes {
				shapes[j] = append(shapes[j], elements[i].segment)
			}
			i++
			continue
		}
		var run []segment // of neighbouring optionals
		for ; i < len(elements) && elements[i].optional; i++ {
			run = append(run, elements[i].segment)
		}
		var longer [][]segment
		for n := 0; n <= len(run); n++ {
			for _, s := range shapes {
				longer = append(longer, append(slices.Clone(s), run[:n]...))
			}
		}
		if shapes = longer; len(shapes) > maxShapes {
			return nil, fmt.Errorf("the optional segments give more than %d URLs: use fewer", maxShapes)
		}
	}
	return shapes, nil
}

// ambiguity returns an error if one URL can be read in two ways by the shapes of one file.
func ambiguity(shapes []*shape) error {
	for i, a := range shapes {
		for _, b := range shapes[:i] {
			if u, ok := overlap(a.segments, b.segments); ok {
				return fmt.Errorf("the optional segment makes %s readable in two ways, as %s and as %s: write two files instead, one with the segment and one without", u, b.pattern(), a.pattern())
			}
		}
	}
	return nil
}

// overlap returns a URL that both lists of segments answer, if there is one.
func overlap(a, b []segment) (string, bool) {
	u := ""
	for i := 0; ; i++ {
		if i == len(a) || i == len(b) {
			return u, len(a) == len(b)
		}
		x, y := a[i], b[i]
		if x.kind == literal && y.kind == literal && x.text != y.text {
			return "", false
		}
		// A catch-all takes whatever the other has left, which is one segment at least.
		if x.kind == rest {
			return u + sampleURL(b[i:]), true
		}
		if y.kind == rest {
			return u + sampleURL(a[i:]), true
		}
		if y.kind == literal {
			x = y
		}
		u += sampleURL([]segment{x})
	}
}

// sampleURL returns a URL that the segments answer.
func sampleURL(segments []segment) string {
	if len(segments) == 0 {
		return "/"
	}
	u := ""
	for _, s := range segments {
		if s.kind == literal {
			u += "/" + url.PathEscape(s.text)
		} else {
			u += "/x"
		}
	}
	return u
}
