package routetree

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.com/flow/internal/serve/routes/pattern"
)

// An element is the parsed name of a directory, or of a file without its extension.
//
//	about         => {Segment: {Literal, "about"}}
//	[[lang]]      => {Segment: {Param, "lang"}, optional: true}
//	[id=int]      => {Segment: {Param, "id", int}}
//	(admin)       => {noSegment: true}
//	index, store  => {noSegment: true}, for files only
type element struct {
	pattern.Segment
	optional  bool
	noSegment bool // the URL has no segment for it
}

// parseElement parses the name of a directory, or of a file without its extension.
func parseElement(name string, dir bool) (element, error) {
	switch {
	case !dir && (name == "index" || name == "store"):
		return element{noSegment: true}, nil
	case strings.HasPrefix(name, "("):
		return parseGroup(name, dir)
	case strings.ContainsAny(name, "[]"):
		return parseBrackets(name)
	case bracesIn(name) != "":
		return element{}, bracesFault(name, bracesIn(name))
	}
	return element{Segment: pattern.Segment{Kind: pattern.Literal, Text: name}}, nil
}

// parseGroup parses a name that begins with a parenthesis.
func parseGroup(name string, dir bool) (element, error) {
	inner := strings.TrimSuffix(name[1:], ")")
	switch {
	case !dir:
		return element{}, errors.New("parentheses group the files of a directory, and this is a file: make it a directory, or call it by its URL")
	case !strings.HasSuffix(name, ")") || inner == "" || strings.ContainsAny(inner, "()[]"):
		return element{}, fmt.Errorf("%q is not the name of a group: one looks like (admin)", name)
	}
	return element{noSegment: true}, nil
}

// parseBrackets parses a name that contains a bracket.
func parseBrackets(name string) (element, error) {
	inner, optional := name, false
	if strings.HasPrefix(inner, "[[") && strings.HasSuffix(inner, "]]") {
		inner, optional = inner[1:len(inner)-1], true
	}
	if !strings.HasPrefix(inner, "[") || !strings.HasSuffix(inner, "]") || len(inner) < 2 {
		return element{}, fmt.Errorf("a parameter fills a whole segment, and %q is not one of [id], [[id]], [...id], [[...id]]", name)
	}
	inner = inner[1 : len(inner)-1]
	k := pattern.Param
	if strings.HasPrefix(inner, "...") {
		inner, k = inner[len("..."):], pattern.Rest
	}
	inner, matcher, has := strings.Cut(inner, "=")
	if has && !isIdentifier(matcher) {
		return element{}, fmt.Errorf("%q is not the name of a matcher: a matcher is called by a Go identifier, as in [id=int]", matcher)
	}
	if !isIdentifier(inner) {
		return element{}, fmt.Errorf("%q is not a parameter's name: a parameter is called by a Go identifier, as in [id], [[id]], [...id], [[...id]]", inner)
	}
	e := element{Segment: pattern.Segment{Kind: k, Text: inner}, optional: optional}
	if has {
		e.Matcher = &pattern.Matcher{Name: matcher}
	}
	return e, nil
}

// notation returns a parameter in the notation of the tree: "[id]", "[id=int]", "[...rest]".
func notation(seg pattern.Segment) string {
	name := seg.Text
	if seg.Kind == pattern.Rest {
		name = "..." + name
	}
	if seg.Matcher != nil {
		name += "=" + seg.Matcher.Name
	}
	return "[" + name + "]"
}

// bracesIn returns the text in braces in a name, including the braces: "{id}" for
// "user-{id}". It returns "" if there are none.
func bracesIn(name string) string {
	_, after, _ := strings.Cut(name, "{")
	inner, _, ok := strings.Cut(after, "}")
	if !ok {
		return ""
	}
	return "{" + inner + "}"
}

// bracesFault returns the error for a name with a parameter in the notation of ServeMux. It
// would be literal text.
func bracesFault(name, braces string) error {
	inner, dots := strings.CutSuffix(strings.Trim(braces, "{}"), "...")
	if !isIdentifier(inner) {
		inner = "id"
	}
	if dots {
		inner = "..." + inner
	}
	whole := ""
	if name != braces {
		whole = ", and fills a whole segment"
	}
	return fmt.Errorf("a parameter is written with brackets%s: write [%s] in place of %q", whole, inner, name)
}

// isIdentifier reports whether s is a Go identifier other than "_". Keywords count.
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

// maxShapes is the largest number of shapes that a path may have.
const maxShapes = 64

// expand returns the shapes of a path: the lists of segments that its URLs have, the
// shortest first and the longest last. A path without optional segments has one shape.
// Adjacent optional segments are filled from the left, so that [[a]]/[[b]] has three: /, /{a}
// and /{a}/{b}.
func expand(elements []element) ([][]pattern.Segment, error) {
	elements = slices.DeleteFunc(slices.Clone(elements), func(e element) bool { return e.noSegment })
	seen := map[string]bool{}
	for i, e := range elements {
		if e.Kind == pattern.Rest && i != len(elements)-1 {
			return nil, fmt.Errorf("the catch-all [...%s] takes the rest of the URL: nothing can follow it", e.Text)
		}
		if e.Kind != pattern.Literal && seen[e.Text] {
			return nil, fmt.Errorf("the parameter %q stands twice in one path: give each a name of its own", e.Text)
		}
		seen[e.Text] = seen[e.Text] || e.Kind != pattern.Literal
	}
	shapes := [][]pattern.Segment{{}}
	for i := 0; i < len(elements); {
		if !elements[i].optional {
			for j := range shapes {
				shapes[j] = append(shapes[j], elements[i].Segment)
			}
			i++
			continue
		}
		var run []pattern.Segment // adjacent optional segments
		for ; i < len(elements) && elements[i].optional; i++ {
			run = append(run, elements[i].Segment)
		}
		var longer [][]pattern.Segment
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

// ambiguity returns an error if two shapes of one file match the same URL.
func ambiguity(shapes []*pattern.Pattern) error {
	for i, a := range shapes {
		for _, b := range shapes[:i] {
			if u, ok := pattern.Overlap(a.Segments, b.Segments); ok {
				return fmt.Errorf("the optional segment makes %s readable in two ways, as %s and as %s: write two files instead, one with the segment and one without", u, b, a)
			}
		}
	}
	return nil
}
