package ondisk

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
)

// The costs of the differences between a path and a pattern. Their sum is the distance. A
// letter that is added, missing or replaced costs 1, and so do two letters that are swapped:
// see fault.Near.
const (
	farthest     = 3 // the largest distance of a suggestion
	otherReading = 1 // the path is read as the name of a file: see readings
	otherSegment = 2 // a segment is added or missing
	refusedValue = 1 // a matcher does not take a value
)

// Nearest returns a sentence that suggests a URL for a path without a route, or "" if no
// known URL is near. If several are equally near, the one with the fewest parameters counts. formats
// are the extensions of pages beside .html.
func Nearest(asked []string, known []site.Route, formats []string) string {
	best, file, params := likeness{cost: farthest + 1}, "", 0
	for i, reading := range readings(asked, formats) {
		for _, u := range known {
			l, ok := align(reading, u.Pattern.Segments, farthest-min(i, otherReading))
			if !ok || !l.shares && len(reading)+len(u.Pattern.Segments) > 0 {
				continue
			}
			l.cost += min(i, otherReading)
			if n := len(u.Pattern.Names); l.cost < best.cost || l.cost == best.cost && n < params {
				best, file, params = l, u.File, n
			}
		}
	}
	if best.cost > farthest {
		return ""
	}
	u := pattern.New(best.url).String()
	if best.refused != "" {
		return fmt.Sprintf("%s answers %s, and %s", file, u, best.refused)
	}
	return fmt.Sprintf("did you mean %s (%s)?", u, file)
}

// hashed matches the name of a public file with a hash: a page that was loaded from the
// production server may ask for it.
var hashed = regexp.MustCompile(`^(.*)\.[a-z2-7]{16}(\.[^.]*)?$`)

// readings returns the segments that a path may stand for. The first are its own. If it looks
// like the name of a file in the tree, or like a hashed URL, the second are those of that
// file's URL.
func readings(asked, formats []string) [][]string {
	all := [][]string{asked}
	if len(asked) == 0 {
		return all
	}
	named := slices.Clone(asked)
	if named[0] == routetree.RouterDir || named[0] == routetree.PublicDir {
		named = named[1:]
	}
	named = slices.DeleteFunc(named, func(s string) bool { return strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") })
	if n := len(named); n > 0 {
		last := &named[n-1]
		if parts := hashed.FindStringSubmatch(*last); parts != nil {
			*last = parts[1] + parts[2]
		}
		if ext := path.Ext(*last); ext == ".html" || ext == ".http" || slices.Contains(formats, ext) {
			*last = strings.TrimSuffix(*last, ext)
		}
		if *last == "index" {
			named = named[:n-1]
		}
	}
	if !slices.Equal(named, asked) {
		all = append(all, named)
	}
	return all
}

// A likeness is one way to align a path with a pattern.
type likeness struct {
	cost    int
	url     []pattern.Segment // the pattern, with values of the path for its parameters
	shares  bool              // a segment of the path matches literal text of the pattern
	refused string            // why a matcher does not take a value; "" if all do
}

// align returns the alignment of a path and a pattern with the lowest cost. It reports false
// if none costs at most limit. The limit also bounds the search.
func align(asked []string, segments []pattern.Segment, limit int) (best likeness, ok bool) {
	try := func(cost int, own []pattern.Segment, shares bool, refused string, asked []string, segments []pattern.Segment) {
		if cost > limit {
			return
		}
		rest, found := align(asked, segments, limit-cost)
		if !found || ok && best.cost <= cost+rest.cost {
			return
		}
		if refused == "" {
			refused = rest.refused
		}
		best, ok = likeness{cost + rest.cost, slices.Concat(own, rest.url), shares || rest.shares, refused}, true
	}
	switch {
	case len(asked) == 0 && len(segments) == 0:
		return likeness{}, true
	case len(asked) > 0 && len(segments) > 0:
		seg, value := segments[0], pattern.Segment{Text: asked[0]}
		switch seg.Kind {
		case pattern.Literal:
			if cost, near := fault.Near(asked[0], seg.Text); near {
				try(cost, segments[:1], true, "", asked[1:], segments[1:])
			}
		case pattern.Rest:
			var values []pattern.Segment
			for _, text := range asked {
				if !seg.Takes(text) {
					values = nil
					break
				}
				values = append(values, pattern.Segment{Text: text})
			}
			if values != nil {
				try(0, values, false, "", nil, nil)
			}
		case pattern.Param:
			if seg.Takes(asked[0]) {
				try(0, []pattern.Segment{value}, false, "", asked[1:], segments[1:])
			} else {
				try(refusedValue, segments[:1], false, fmt.Sprintf("%q does not match %q", asked[0], seg.Matcher.Name), asked[1:], segments[1:])
			}
		}
	}
	if len(segments) > 0 {
		try(otherSegment, segments[:1], false, "", asked, segments[1:])
	}
	if len(asked) > 0 {
		try(otherSegment, nil, false, "", asked[1:], segments)
	}
	return best, ok
}
