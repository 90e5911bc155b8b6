package match

import "example.com/flow/internal/serve/routes/pattern"

// A URLBase holds the parameters that URLs inherit from the current request: the segments of
// the request's pattern, and the values of its parameters. So a Router mounted at
// "/orgs/[org]" returns URLs with the org of the request. Outside of a request it is empty.
type URLBase struct {
	Segments []pattern.Segment
	Values   Values
}

// ValuesOf returns the values of the parameters of a prefix that the current request is
// below.
func (b URLBase) ValuesOf(prefix *pattern.Pattern) map[string][]string {
	values := map[string][]string{}
	for i, name := range prefix.Names {
		values[name] = []string{b.Values[i].Value}
	}
	return values
}

// Inherited returns the parameters of a URL that the caller may leave out: those of the prefix that the
// Router of its route is mounted at, up to the segment where the pattern of the current request differs.
func (b URLBase) Inherited(prefix []pattern.Segment) map[string][]string {
	inherited := map[string][]string{}
	values := b.Values
	for i, seg := range prefix {
		if i == len(b.Segments) || b.Segments[i] != seg {
			break
		}
		if seg.Kind != pattern.Param {
			continue
		}
		if v := values[0].Value; !pattern.EmptyOrDots(v) { // a parameter without a value is reported as missing
			inherited[seg.Text] = []string{v}
		}
		values = values[1:]
	}
	return inherited
}
