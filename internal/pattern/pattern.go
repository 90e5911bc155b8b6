// Package pattern says what the URLs of a route look like: a [Pattern] is a list of
// segments, each a literal text, a parameter or a catch-all. It tells which URLs two
// patterns share, which of them is the more specific, and the URL for given values;
// a [Path] is the other side, what a request asks for, cleaned and split in the same
// way. Nothing here knows of files or of handlers.
package pattern

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// A Kind says what a segment of a URL may hold. A smaller kind is more specific.
type Kind uint8

// The kinds of segments.
const (
	Literal Kind = iota // this very text
	Param               // one segment
	Rest                // one or more segments, to the end
)

// A Segment is one element of a URL's path.
//
//	about      => {Literal, "about"}
//	[id]       => {Param, "id"}
//	[...rest]  => {Rest, "rest"}
//	[id=int]   => {Param, "id", int}
type Segment struct {
	Kind    Kind
	Text    string   // the literal text, or the parameter's name; the Rest of what is mounted has no name
	Matcher *Matcher // of the parameter; each segment of a catch-all has to match
}

// Takes reports whether the segment, if it is a parameter, may have a value.
func (s Segment) Takes(value string) bool { return s.Matcher == nil || s.Matcher.Fits(value) }

// A Pattern is one form that URLs have: /users/{id}. It does not change.
type Pattern struct {
	Segments []Segment
	Names    []string // of its parameters, in order
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

// Below returns the pattern that has a prefix before p.
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

// Key returns a text that is equal for two patterns if they match the same URLs. It
// writes parameters as a colon and catch-alls as an asterisk, with the matcher after
// them, which no literal text is.
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

// URL returns the URL for values of all parameters, which it escapes. Only a
// catch-all has several.
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

// HasRest reports whether the last of the names is that of a catch-all.
func (p *Pattern) HasRest() bool {
	n := len(p.Segments)
	return n > 0 && p.Segments[n-1].Kind == Rest && p.Segments[n-1].Text != ""
}

// Param returns the segment of the parameter of that name.
func (p *Pattern) Param(name string) (seg Segment, ok bool) {
	i := slices.IndexFunc(p.Segments, func(seg Segment) bool { return seg.Kind != Literal && seg.Text == name })
	if i < 0 {
		return Segment{}, false
	}
	return p.Segments[i], true
}

// ForValues returns the one of the patterns whose parameters are just those that have
// values. If there is none, missing is the name of a parameter that would need a value.
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
			continue // p has no place for one of them: a longer pattern may
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

// Compare orders patterns as they are matched: the more specific first, and
// otherwise by text.
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

// Overlap returns a URL that both lists of segments match, if there is one. It takes
// each value to match each matcher.
func Overlap(a, b []Segment) (u string, ok bool) {
	for i := 0; ; i++ {
		if i == len(a) || i == len(b) {
			return u, len(a) == len(b)
		}
		x, y := a[i], b[i]
		if x.Kind == Literal && y.Kind == Literal && x.Text != y.Text {
			return "", false
		}
		// A catch-all takes whatever the other has left, which is one segment at least.
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

// Sample returns a URL that the segments match. Where a value has to match, it says so
// in place of a value: /users/[id=int].
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

// EmptyOrDots reports whether an unescaped segment cannot be in a canonical URL: it is
// empty, "." or "..".
func EmptyOrDots(segment string) bool {
	return len(segment) <= 2 && (segment == "" || segment == "." || segment == "..")
}
