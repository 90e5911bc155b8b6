package routetree

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/flow/internal/serve/routes/pattern"
)

// ParsePrefix parses the prefix of Router.Mount.
//
//	/debug/pprof  => {literal, "debug"}, {literal, "pprof"}
//	/orgs/[org]   => {literal, "orgs"}, {param, "org"}
func ParsePrefix(prefix string) ([]pattern.Segment, error) {
	below, ok := strings.CutPrefix(prefix, "/")
	if !ok {
		return nil, fmt.Errorf("a prefix begins with a slash: write %q", "/"+prefix)
	}
	if below == "" {
		return nil, nil
	}
	var elements []element
	for name := range strings.SplitSeq(strings.TrimSuffix(below, "/"), "/") {
		e, err := parsePrefixElement(name)
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	shapes, err := expand(elements)
	if err != nil {
		return nil, err
	}
	return shapes[0], nil // the only one, since a prefix has no optional segments
}

// parsePrefixElement parses one segment of a prefix.
func parsePrefixElement(name string) (element, error) {
	switch {
	case pattern.EmptyOrDots(name):
		return element{}, fmt.Errorf("%q is no segment of a canonical URL", name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return element{}, fmt.Errorf("%q holds a control character, or bytes that are not UTF-8", name)
	case strings.Contains(name, `\`):
		return element{}, fmt.Errorf("%q holds a backslash, which many handlers take for a slash", name)
	case strings.ContainsAny(name, "{}:*"): // httprouter writes parameters with the last two
		return element{}, fmt.Errorf("%q holds one of {}:*: a parameter is written with brackets, as in %q", name, "/orgs/[org]")
	}
	e, err := parseElement(name, true)
	switch {
	case err != nil:
		return e, err
	case e.noSegment:
		return e, fmt.Errorf("%q: a group is in no URL: leave it out", name)
	case e.Matcher != nil:
		return e, fmt.Errorf("%q: a prefix has no matchers: write [%s], and look at the value in a guard", name, e.Text)
	case e.optional || e.Kind == pattern.Rest:
		return e, fmt.Errorf("%q: a prefix has neither optional parameters nor catch-alls: mount the handler at each prefix that it is to serve", name)
	}
	return e, nil
}
