package manifest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/reach"
)

// URL returns the URLs that segments match, in the notation of Route.URL. It tells apart what
// Pattern.String does not.
//
//	/users/[id]           /users/{}
//	/users/[id=int]       /users/{=int}
//	/docs/[...path=slug]  /docs/{...=slug}
func URL(segments []pattern.Segment) string {
	if len(segments) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, seg := range segments {
		b.WriteByte('/')
		if seg.Kind == pattern.Literal {
			b.WriteString(url.PathEscape(seg.Text))
			continue
		}
		b.WriteByte('{')
		if seg.Kind == pattern.Rest {
			b.WriteString("...")
		}
		if seg.Matcher != nil {
			b.WriteString("=" + seg.Matcher.Name)
		}
		b.WriteByte('}')
	}
	return b.String()
}

// parseURL returns the segments of a Route.URL.
func parseURL(text string) (segments []pattern.Segment, err error) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return nil, fmt.Errorf("%q is the URL of no route", text)
	}
	if rest == "" {
		return nil, nil
	}
	for _, part := range strings.Split(rest, "/") {
		seg := pattern.Segment{}
		if inside, isHole := strings.CutPrefix(part, "{"); isHole {
			seg.Kind = pattern.Param
			if inside, isHole = strings.CutSuffix(inside, "}"); !isHole {
				return nil, fmt.Errorf("%q is the URL of no route", text)
			}
			if after, isRest := strings.CutPrefix(inside, "..."); isRest {
				seg.Kind, inside = pattern.Rest, after
			}
			if name, constrained := strings.CutPrefix(inside, "="); constrained {
				seg.Matcher = &pattern.Matcher{Name: name}
			}
		} else if seg.Text, err = url.PathUnescape(part); err != nil {
			return nil, fmt.Errorf("%q is the URL of no route: %w", text, err)
		}
		segments = append(segments, seg)
	}
	return segments, nil
}

// WithHoles returns a URL, or the name of a field, with {} in place of each pattern.Hole.
func WithHoles(text string) string { return strings.ReplaceAll(text, pattern.Hole, "{}") }

// holes is WithHoles, backwards.
func holes(text string) string { return strings.ReplaceAll(text, "{}", pattern.Hole) }

// asked returns the URLs to ask for in place of those that segments match, with parameters for what may
// be any value. A catch-all is asked for with one segment and with two, since something else may answer
// one of them.
func asked(segments []pattern.Segment) [][]pattern.Segment {
	last := len(segments) - 1
	if last < 0 || segments[last].Kind != pattern.Rest {
		return [][]pattern.Segment{segments}
	}
	value := pattern.Segment{Kind: pattern.Param, Matcher: segments[last].Matcher}
	before := segments[:last:last]
	return [][]pattern.Segment{append(before, value), append(before, value, value)}
}

// meant returns the one of the routes that answer a URL for some values of its holes which a link leads to:
// the first that answers it for all values, or else the first.
func meant(url string, answers []*site.Route) *site.Route {
	path, _, _ := reach.ParsePath(url)
	asked := site.Segments(path)
	return answers[max(0, slices.IndexFunc(answers, func(r *site.Route) bool { return covers(r.Pattern.Segments, asked) }))]
}

// path returns the URL of segments with pattern.Hole for each parameter.
func path(segments []pattern.Segment) string {
	return holes(URL(withoutMatchers(segments)))
}

func withoutMatchers(segments []pattern.Segment) []pattern.Segment {
	segments = slices.Clone(segments)
	for i := range segments {
		segments[i].Matcher = nil
	}
	return segments
}

// covers reports whether a pattern matches each URL that others stand for, which end in no catch-all.
func covers(by, others []pattern.Segment) bool {
	for i, seg := range by {
		switch {
		case i == len(others):
			return false
		case seg.Kind == pattern.Rest:
			return !slices.ContainsFunc(others[i:], func(other pattern.Segment) bool { return !takes(seg, other) })
		case !takes(seg, others[i]):
			return false
		}
	}
	return len(by) == len(others)
}

// takes reports whether a segment matches each value that another one stands for. Two matchers of one
// name are taken to be the same, and one of another name to refuse some value.
func takes(seg, other pattern.Segment) bool {
	switch {
	case seg.Kind == pattern.Literal:
		return other.Kind == pattern.Literal && seg.Text == other.Text
	case other.Kind == pattern.Literal:
		return seg.Takes(other.Text)
	}
	return seg.Matcher == nil || other.Matcher != nil && seg.Matcher.Name == other.Matcher.Name
}
