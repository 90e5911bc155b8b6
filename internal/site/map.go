package site

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"unicode/utf8"

	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site/reach"
)

// A Map finds the routes that answer a URL: those of the outermost Router, and of the Routers mounted
// inside it.
type Map struct {
	possible func(method string, path []reach.HoledSegment, slashes bool) []Match
	refusing func(method string, path []reach.HoledSegment) (r *Route, segment int, value string)
	disk     []Disk
	// Nearest returns a route whose pattern is most similar to a path with a method, for "did you mean".
	// It is nil if none is.
	Nearest func(method string, path []reach.HoledSegment) *Route
}

// A Match is a pattern that a URL matches for some values of its holes.
type Match struct {
	Answer *Route   // what answers the method that was asked for; nil if nothing does
	Routes []*Route // all of the pattern: that for GET first, the one for Any last
}

// Disk is the directory of a Router in development, whose files may differ from those of the binary.
type Disk interface {
	// IsUnbuilt reports whether a public file that is not in the binary has a URL.
	IsUnbuilt(path []pattern.Segment) bool
	// IsGone reports whether a file of the binary is no longer there.
	IsGone(file string) bool
}

// NewMap returns the Map of a trie. routeOf returns the route that an answer in the trie is.
func NewMap[A any](trie *match.Trie[A], routeOf func(*A) *Route) *Map {
	matchOf := func(l *match.Leaf[A], method string) (m Match) {
		answer, all := l.Answer(method), l.Answers()
		m.Routes = make([]*Route, len(all))
		for i, a := range all {
			if m.Routes[i] = routeOf(a); a == answer {
				m.Answer = m.Routes[i]
			}
		}
		return m
	}
	return &Map{
		possible: func(method string, path []reach.HoledSegment, slashes bool) (all []Match) {
			seen := map[*match.Leaf[A]]bool{}
			for _, l := range reach.Possible(trie, method, path, slashes) {
				if !seen[l] {
					seen[l], all = true, append(all, matchOf(l, method))
				}
			}
			return all
		},
		Nearest: func(method string, path []reach.HoledSegment) *Route {
			if l := reach.Nearest(trie, method, path); l != nil {
				return routeOf(l.Answers()[0])
			}
			return nil
		},
		refusing: func(method string, path []reach.HoledSegment) (*Route, int, string) {
			if l, i, value := reach.Refusing(trie, method, path); l != nil {
				return routeOf(l.Answers()[0]), i, value
			}
			return nil, 0, ""
		},
	}
}

// WithDisk returns the Map for the files that directories have now.
func (m *Map) WithDisk(disk ...Disk) *Map {
	with := *m
	with.disk = disk
	return &with
}

// A Destination is what a URL leads to.
type Destination struct {
	Routes    []*Route // what answers it for some values of its holes, in the order in which it is asked
	Unbuilt   bool     // a public file answers it that is on disk and not in the binary
	Broken    bool     // the URL has a broken escape
	Methods   []string // those that the URL answers, without HEAD and OPTIONS
	Refused   string   // if it is not answered: which matcher does not take a value of it; "" if none is the reason
	Near      string   // a pattern that may be meant; "" if none is near
	Slashes   bool     // it is answered only if what an action writes has a slash, or begins the query
	Canonical string   // the URL that requests are redirected to; "" if they are not
}

// Answered reports whether anything answers the URL.
func (d Destination) Answered() bool { return len(d.Routes) > 0 || d.Unbuilt }

// By returns the pattern that answers, or "".
func (d Destination) By() string {
	if len(d.Routes) == 0 {
		return ""
	}
	return d.Routes[0].Pattern.String()
}

// IsPage reports whether only pages answer.
func (d Destination) IsPage() bool {
	return len(d.Routes) > 0 && !slices.ContainsFunc(d.Routes, func(r *Route) bool { return !r.IsPage() })
}

// Find returns what a method of a URL leads to. The URL begins with one slash, has neither query nor
// fragment, and may have holes. The method "" stands for any.
func (m *Map) Find(method, url string) (d Destination) {
	path, canonical, ok := reach.ParsePath(url)
	if !ok {
		return Destination{Broken: true}
	}
	d.Routes, d.Methods, d.Slashes = m.asked(method, path)
	if len(d.Routes) == 0 {
		d.Unbuilt = slices.ContainsFunc(m.disk, func(on Disk) bool { return on.IsUnbuilt(Segments(path)) })
		if near := m.Nearest(method, path); near != nil && len(d.Methods) == 0 {
			d.Near = near.Pattern.String()
		}
		d.Refused = m.Refusal(method, path)
		return d
	}
	if !canonical && !d.Routes[0].IsMounted() {
		clean, _ := pattern.Clean(url)
		d.Canonical = clean.Escaped
	}
	d.Near = m.sibling(method, path, d.Routes[0])
	return d
}

// asked is answers for holes whose values may have slashes if nothing answers others, which slashes
// reports.
func (m *Map) asked(method string, path []reach.HoledSegment) (answers []*Route, methods []string, slashes bool) {
	answers, methods = m.answers(method, path, false)
	if len(answers) == 0 && hasHoles(path) {
		if some, others := m.answers(method, path, true); len(some) > 0 || len(methods) == 0 {
			return some, others, true
		}
	}
	return answers, methods, false
}

// answers returns what answers a method of a path for some values of its holes, and the methods that the
// path answers, without HEAD and OPTIONS. The method "" stands for any.
func (m *Map) answers(method string, path []reach.HoledSegment, slashes bool) (answers []*Route, methods []string) {
	known := map[string]bool{}
	for _, found := range m.possible(method, path, slashes) {
		r := found.Answer
		if method == "" {
			r = found.Routes[0]
		}
		if r != nil && slices.ContainsFunc(m.disk, func(on Disk) bool { return on.IsGone(r.File) }) {
			continue
		}
		for _, r := range found.Routes {
			known[r.Method] = true
		}
		if r != nil {
			answers = append(answers, r)
		}
	}
	delete(known, Any)
	delete(known, http.MethodHead)
	return answers, slices.Sorted(maps.Keys(known))
}

// Answers returns what answers a method of a URL of a host for some values of its holes, in the order in
// which it is asked, and the methods that the URL answers. The host is a name of flow.Hosts, or "".
func (m *Map) Answers(host, method, url string) (answers []*Route, methods []string) {
	path, _, ok := reach.ParsePath(url)
	if !ok {
		return nil, nil
	}
	found, methods, _ := m.asked(method, path)
	for _, r := range found {
		if r.Hosts == nil {
			answers = append(answers, r)
			continue
		}
		if inner := cmp.Or(r.Hosts[host], r.Hosts[""]); inner != nil {
			more, others := inner.Answers("", method, url)
			answers, methods = append(answers, more...), append(methods, others...)
		}
	}
	return answers, methods
}

// Refusal says which matcher keeps a path from an answer, or returns "".
func (m *Map) Refusal(method string, path []reach.HoledSegment) string {
	r, i, value := m.refusing(method, path)
	if r == nil {
		return ""
	}
	seg := r.Pattern.Segments[i]
	return fmt.Sprintf("[%s=%s] does not take %q", seg.Text, seg.Matcher.Name, value)
}

// sibling returns the pattern that may be meant by a path whose answer takes a segment for the
// value of a parameter: /imprint for /imprnt, which is a /{lang}. It returns "" if there is none.
func (m *Map) sibling(method string, path []reach.HoledSegment, answer *Route) string {
	if !slices.ContainsFunc(answer.Pattern.Segments, func(seg pattern.Segment) bool { return seg.Kind != pattern.Literal }) || hasHoles(path) {
		return ""
	}
	near := m.Nearest(method, path)
	if near == nil {
		return ""
	}
	for i, seg := range near.Pattern.Segments {
		if seg.Kind == pattern.Literal && seg.Text != path[i][0] && utf8.RuneCountInString(seg.Text) < 4 { // short words are often near
			return ""
		}
	}
	return near.Pattern.String()
}

func hasHoles(path []reach.HoledSegment) bool {
	return slices.ContainsFunc(path, func(t reach.HoledSegment) bool { return len(t) > 1 })
}

// Segments returns segments that match what a path is for some values of its holes.
func Segments(path []reach.HoledSegment) (segments []pattern.Segment) {
	for _, t := range path {
		if len(t) > 1 {
			segments = append(segments, pattern.Segment{Kind: pattern.Param})
		} else {
			segments = append(segments, pattern.Segment{Kind: pattern.Literal, Text: t[0]})
		}
	}
	return segments
}

// ShapeOf returns the Shape of the handler that answers a method of a path, which is zero for a page and
// for a path that nothing answers.
func (m *Map) ShapeOf(method, path string) (s Shape) {
	parsed, _, ok := reach.ParsePath(path)
	if !ok {
		return s
	}
	for _, found := range m.possible(method, parsed, false) {
		if r := found.Answer; r != nil && !r.IsPage() {
			s = r.Shape
		}
	}
	return s
}
