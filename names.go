package flow

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A vantage is where a URL is asked for: the segments of what answers the request,
// with the values of their parameters. Without a request there are none.
type vantage struct {
	segments []segment
	values   []string
}

// given returns the parameters that nobody has to name for a URL of r: those of the
// prefix that its Router is mounted at, as far as v begins with it.
func (v vantage) given(r *route) map[string][]string {
	given := map[string][]string{}
	values := v.values
	for i, seg := range r.shapes[0].segments[:r.depth] {
		if i == len(v.segments) || v.segments[i] != seg {
			break
		}
		if seg.kind != param {
			continue
		}
		if !noValue(values[0]) { // else it is missing
			given[seg.text] = values[:1]
		}
		values = values[1:]
	}
	return given
}

// url returns the URL of a route, asked for at v, for parameters that are key and
// value pairs: Router.Route without the name.
func (r *route) url(v vantage, name string, params []any) (string, error) {
	fail := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("flow: route %q (%s): %s", name, r.file, fmt.Sprintf(format, args...))
	}
	if len(params)%2 != 0 {
		return fail("parameters are pairs of key and value, and %d is odd", len(params))
	}
	longest := r.shapes[len(r.shapes)-1]
	given, inherited := map[string][]string{}, v.given(r)
	var query strings.Builder
	for i := 0; i < len(params); i += 2 {
		key, ok := params[i].(string)
		if !ok {
			return fail("the key %v is a %T, not a string", params[i], params[i])
		}
		seg, isParam := longest.segment(key)
		values, err := valueTexts(params[i+1], seg.kind == rest)
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
		if slices.ContainsFunc(values, noValue) || len(values) == 0 {
			return fail("%q cannot be the value of the parameter %q: no canonical URL has such a segment", strings.Join(values, "/"), key)
		}
		given[key] = values
	}
	for key, values := range inherited {
		if _, ok := given[key]; !ok {
			given[key] = values
		}
	}
	s, missing := r.shapeFor(given)
	if missing != "" {
		return fail("the parameter %q is missing", missing)
	}
	return s.url(given) + query.String(), nil
}

// url returns the URL of a shape whose parameters have the given values.
func (s *shape) url(given map[string][]string) string {
	return s.format(func(seg segment) string {
		if seg.kind == literal {
			return url.PathEscape(seg.text)
		}
		escaped := make([]string, len(given[seg.text]))
		for i, v := range given[seg.text] {
			escaped[i] = url.PathEscape(v)
		}
		return strings.Join(escaped, "/")
	})
}

// segment returns the parameter of that name.
func (s *shape) segment(name string) (segment, bool) {
	i := slices.IndexFunc(s.segments, func(seg segment) bool { return seg.kind != literal && seg.text == name })
	if i < 0 {
		return segment{}, false
	}
	return s.segments[i], true
}

// shapeFor returns the shape whose parameters are just those given, or else the
// name of the one that is missing for it.
func (r *route) shapeFor(given map[string][]string) (_ *shape, missing string) {
	for _, s := range r.shapes {
		lacks, has := "", 0
		for _, name := range s.names {
			if _, ok := given[name]; ok {
				has++
			} else if lacks == "" {
				lacks = name
			}
		}
		if has < len(given) {
			continue // s has no place for one of them: a longer shape may
		}
		if lacks == "" {
			return s, ""
		}
		if missing == "" {
			missing = lacks
		}
	}
	return nil, missing
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
	if isNil(v) {
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
