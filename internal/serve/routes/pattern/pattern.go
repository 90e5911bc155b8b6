// Package pattern describes the URLs of routes. A [Pattern] is a list of segments, each a
// literal text, a parameter or a catch-all:
//
//	users/[id=int].html  =>  {Literal, "users"}, {Param, "id", int}  =>  /users/{id}
//
// The package finds a URL that two patterns share, tells which of two is the more specific,
// and builds the URL for given values. A [Path] is the path of a request, cleaned and split
// into segments. Nothing here knows files or handlers.
package pattern

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// A Kind says which texts a segment of a pattern matches. A smaller kind is more specific.
type Kind uint8

// The kinds of segments.
const (
	Literal Kind = iota // one text
	Param               // a parameter: any one segment
	Rest                // a catch-all: one or more segments, to the end of the path
)

// A Segment is one element of a pattern.
//
//	about      => {Literal, "about"}
//	[id]       => {Param, "id"}
//	[...rest]  => {Rest, "rest"}
//	[id=int]   => {Param, "id", int}
type Segment struct {
	Kind    Kind
	Text    string   // the literal text or the name of the parameter; "" for the catch-all of a mounted handler
	Matcher *Matcher // nil if any value matches; each segment of a catch-all has to match
}

// Takes reports whether a value matches the segment's matcher. Without one all values do.
func (s Segment) Takes(value string) bool { return s.Matcher == nil || s.Matcher.Fits(value) }

// A Pattern describes the paths of URLs, such as /users/{id}. It does not change.
type Pattern struct {
	Segments []Segment
	Names    []string // of the parameters, from left to right
}

// New returns the pattern of segments.
func New(segments []Segment) *Pattern {
	p := &Pattern{Segments: segments}
	for _, seg := range segments {
		if seg.Kind != Literal && seg.Text != "" {
			p.Names = append(p.Names, seg.Text)
		}
	}
	return p
}

// Below returns the pattern of prefix, followed by p.
func (p *Pattern) Below(prefix []Segment) *Pattern {
	return New(slices.Concat(prefix, p.Segments))
}

// String returns the pattern in the notation of net/http's ServeMux, which
// http.Request.Pattern uses. Literal text is escaped, so that braces in it do not look
// like those of a parameter.
func (p *Pattern) String() string {
	return p.format(func(seg Segment) string {
		switch {
		case seg.Kind == Param:
			return "{" + seg.Text + "}"
		case seg.Kind == Rest && seg.Text == "":
			return ""
		case seg.Kind == Rest:
			return "{" + seg.Text + "...}"
		}
		return url.PathEscape(seg.Text)
	})
}

// Key returns a text that is equal for two patterns if they match the same URLs, such as
// "/users/:int" for /users/[id=int]. No literal text begins with a colon or an asterisk: the
// names of files for go:embed must not.
func (p *Pattern) Key() string {
	return p.format(func(seg Segment) string {
		matcher := ""
		if seg.Matcher != nil {
			matcher = seg.Matcher.Name
		}
		switch seg.Kind {
		case Param:
			return ":" + matcher
		case Rest:
			return "*" + matcher
		}
		return seg.Text
	})
}

// URL returns the path for the values of all parameters, by name. It escapes them. A
// catch-all has a value for each segment, any other parameter has one.
func (p *Pattern) URL(values map[string][]string) string {
	return p.format(func(seg Segment) string {
		if seg.Kind == Literal {
			return url.PathEscape(seg.Text)
		}
		escaped := make([]string, len(values[seg.Text]))
		for i, v := range values[seg.Text] {
			escaped[i] = url.PathEscape(v)
		}
		return strings.Join(escaped, "/")
	})
}

// format joins the texts of the segments to a path.
func (p *Pattern) format(segmentText func(Segment) string) string {
	if len(p.Segments) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, seg := range p.Segments {
		b.WriteByte('/')
		b.WriteString(segmentText(seg))
	}
	return b.String()
}

// HasRest reports whether the pattern ends in a catch-all that has a name.
func (p *Pattern) HasRest() bool {
	n := len(p.Segments)
	return n > 0 && p.Segments[n-1].Kind == Rest && p.Segments[n-1].Text != ""
}

// Param returns the parameter or catch-all with a name. ok is false if there is none.
func (p *Pattern) Param(name string) (seg Segment, ok bool) {
	i := slices.IndexFunc(p.Segments, func(seg Segment) bool { return seg.Kind != Literal && seg.Text == name })
	if i < 0 {
		return Segment{}, false
	}
	return p.Segments[i], true
}

// ForValues returns the pattern that has exactly the parameters in values. If there is none,
// missing is the name of a parameter that lacks a value.
func ForValues(patterns []*Pattern, values map[string][]string) (_ *Pattern, missing string) {
	for _, p := range patterns {
		lacks, has := "", 0
		for _, name := range p.Names {
			if _, ok := values[name]; ok {
				has++
			} else if lacks == "" {
				lacks = name
			}
		}
		if has < len(values) {
			continue // p lacks one of the parameters: a longer pattern may have it
		}
		if lacks == "" {
			return p, ""
		}
		if missing == "" {
			missing = lacks
		}
	}
	return nil, missing
}

// Compare orders patterns: the more specific one first, literals in the order of their
// texts, and matchers in the order of their names.
func Compare(a, b *Pattern) int {
	return slices.CompareFunc(a.Segments, b.Segments, func(x, y Segment) int {
		switch {
		case x.Kind != y.Kind:
			return cmp.Compare(x.Kind, y.Kind)
		case x.Kind == Literal:
			return cmp.Compare(x.Text, y.Text)
		case x.Matcher != nil && y.Matcher != nil:
			return cmp.Compare(x.Matcher.Name, y.Matcher.Name)
		case x.Matcher != nil:
			return -1
		case y.Matcher != nil:
			return 1
		}
		return 0
	})
}

// Overlap returns a URL that both lists of segments match. ok is false if there is none. It
// assumes that some value matches any two matchers.
func Overlap(a, b []Segment) (u string, ok bool) {
	for i := 0; ; i++ {
		if i == len(a) || i == len(b) {
			return u, len(a) == len(b)
		}
		x, y := a[i], b[i]
		if x.Kind == Literal && y.Kind == Literal && x.Text != y.Text {
			return "", false
		}
		// A catch-all matches the remaining segments of the other list. At least one remains.
		if x.Kind == Rest {
			return u + Sample(b[i:]), true
		}
		if y.Kind == Rest {
			return u + Sample(a[i:]), true
		}
		if y.Kind == Literal {
			x = y
		}
		u += Sample([]Segment{x})
	}
}

// Sample returns a URL that the segments match, for messages: /users/x for /users/{id}. In
// place of a value that has to match, it has the parameter: /users/[id=int].
func Sample(segments []Segment) string {
	if len(segments) == 0 {
		return "/"
	}
	u := ""
	for _, s := range segments {
		switch {
		case s.Kind == Literal:
			u += "/" + url.PathEscape(s.Text)
		case s.Matcher != nil:
			u += "/[" + s.Text + "=" + s.Matcher.Name + "]"
		default:
			u += "/x"
		}
	}
	return u
}

// EmptyOrDots reports whether an unescaped segment is empty, "." or "..". A canonical URL has
// no such segment, so that no parameter has such a value.
func EmptyOrDots(segment string) bool {
	return len(segment) <= 2 && (segment == "" || segment == "." || segment == "..")
}
