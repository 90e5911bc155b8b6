package flow

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"

	"example.com/flow/internal/match"

	"example.com/flow/internal/forms"
)

// A vantage is where a URL is asked for: the segments of what answers the request,
// with the values of their parameters. Without a request there are none.
type vantage struct {
	segments []pattern.Segment
	values   match.Values
}

// vantageOf returns where a template asks for URLs.
func vantageOf(at any) vantage {
	switch at := at.(type) {
	case *Request:
		return at.x.vantage()
	case vantage:
		return at
	}
	return vantage{}
}

// own returns the values of the parameters of a prefix that v is below.
func (v vantage) own(prefix *pattern.Pattern) map[string][]string {
	values := map[string][]string{}
	for i, name := range prefix.Names {
		values[name] = []string{v.values[i].Value}
	}
	return values
}

// given returns the parameters that nobody has to name for a URL of r: those of the
// prefix that its Router is mounted at, as far as v begins with it.
func (v vantage) given(r *routetree.Route) map[string][]string {
	given := map[string][]string{}
	values := v.values
	for i, seg := range r.Patterns[0].Segments[:r.Depth] {
		if i == len(v.segments) || v.segments[i] != seg {
			break
		}
		if seg.Kind != pattern.Param {
			continue
		}
		if v := values[0].Value; !pattern.NoValue(v) { // else it is missing
			given[seg.Text] = []string{v}
		}
		values = values[1:]
	}
	return given
}

// routeURL returns the URL of a route, asked for at v, for parameters that are key and
// value pairs: Router.Route without the name.
func routeURL(r *routetree.Route, v vantage, name string, params []any) (string, error) {
	fail := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("flow: route %q (%s): %s", name, r.File, fmt.Sprintf(format, args...))
	}
	if len(params)%2 != 0 {
		return fail("parameters are pairs of key and value, and %d is odd", len(params))
	}
	longest := r.Patterns[len(r.Patterns)-1]
	given, inherited := map[string][]string{}, v.given(r)
	var query strings.Builder
	for i := 0; i < len(params); i += 2 {
		key, ok := params[i].(string)
		if !ok {
			return fail("the key %v is a %T, not a string", params[i], params[i])
		}
		seg, isParam := longest.Param(key)
		values, err := valueTexts(params[i+1], seg.Kind == pattern.Rest)
		if err != nil {
			return fail("%q: %v", key, err)
		}
		if !isParam {
			mark := "?"
			if query.Len() > 0 {
				mark = "&"
			}
			query.WriteString(mark + url.QueryEscape(key) + "=" + url.QueryEscape(values[0]))
			continue
		}
		if _, twice := given[key]; twice {
			return fail("the parameter %q is given twice", key)
		}
		if slices.ContainsFunc(values, pattern.NoValue) || len(values) == 0 {
			return fail("%q cannot be the value of the parameter %q: no canonical URL has such a segment", strings.Join(values, "/"), key)
		}
		given[key] = values
	}
	for key, values := range inherited {
		if _, ok := given[key]; !ok {
			given[key] = values
		}
	}
	p, missing := pattern.ForValues(r.Patterns, given)
	if missing != "" {
		return fail("the parameter %q is missing", missing)
	}
	return p.URL(given) + query.String(), nil
}

// valueTexts returns a parameter's value as text. That of a catch-all is a
// []string, or a string that is split at its slashes.
func valueTexts(v any, catchAll bool) ([]string, error) {
	if list, ok := v.([]string); ok {
		if !catchAll {
			return nil, fmt.Errorf("a []string is for a catch-all, and this is none")
		}
		return list, nil
	}
	text, err := valueText(v)
	if err != nil {
		return nil, err
	}
	if catchAll {
		return strings.Split(text, "/"), nil
	}
	return []string{text}, nil
}

func valueText(v any) (string, error) {
	if forms.IsNil(v) {
		return "", fmt.Errorf("the value is nil (%T)", v)
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String(), nil
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return r.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(r.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(r.Uint(), 10), nil
	}
	return "", fmt.Errorf("a value is a string, an integer or has String(), and this is a %T", v)
}
