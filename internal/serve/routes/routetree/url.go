package routetree

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
)

// Unknown stands for a key or a value that is not known yet, as while a template is checked. The
// URL has an escaped pattern.Hole in place of such a value. With such a key it is a hole itself.
type Unknown struct{}

// URL returns the URL of the route. params are pairs of key and value, as for
// flow.Router.Route; a key that is no parameter of the route is one of the query. inherited
// has values for parameters that are not in params. An optional parameter with the value "" is
// left out of the URL: Request.Param returns "" for such a parameter, too.
func (r *Route) URL(inherited map[string][]string, params []any) (string, error) {
	fail := func(format string, args ...any) (string, error) { return "", fmt.Errorf(format, args...) }
	if len(params)%2 != 0 {
		return fail("parameters are pairs of key and value, and %d is odd", len(params))
	}
	shortest, longest := r.Patterns[0], r.Longest()
	given, leftOut := map[string][]string{}, map[string]bool{}
	var query strings.Builder
	for i := 0; i < len(params); i += 2 {
		key, ok := params[i].(string)
		if !ok {
			if params[i] == (Unknown{}) {
				return url.PathEscape(pattern.Hole), nil
			}
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
		if _, twice := given[key]; twice || leftOut[key] {
			return fail("the parameter %q is given twice", key)
		}
		if strings.Join(values, "") == "" && len(values) < 2 {
			if _, required := shortest.Param(key); required {
				return fail("%q cannot be the value of the parameter %q, which is required: give it another, or make it optional, [%s]", "", key, notation(seg))
			}
			leftOut[key] = true
			continue
		}
		if slices.ContainsFunc(values, pattern.EmptyOrDots) {
			return fail("%q cannot be the value of the parameter %q: no canonical URL has such a segment", strings.Join(values, "/"), key)
		}
		_, unknown := params[i+1].(Unknown)
		for _, value := range values {
			if !unknown && !seg.Takes(value) {
				return fail("%q cannot be the value of the parameter %q: it does not match %q", value, key, seg.Matcher.Name)
			}
		}
		given[key] = values
	}
	for key, values := range inherited {
		if _, ok := given[key]; !ok {
			given[key] = values
		}
	}
	p, missing := pattern.ForValues(r.Patterns, given)
	switch {
	case leftOut[missing]:
		return fail("the parameter %q is left out, since its value is \"\", and one to its right has a value: give both a value, or neither", missing)
	case missing != "":
		return fail("the parameter %q is missing", missing)
	}
	return p.URL(given) + query.String(), nil
}

// valueTexts returns the texts of a parameter's value: one, or for a catch-all those of a
// []string, or of a string split at its slashes.
func valueTexts(v any, catchAll bool) ([]string, error) {
	if _, ok := v.(Unknown); ok {
		return []string{pattern.Hole}, nil
	}
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

// valueText returns the text of a string, an integer or a fmt.Stringer.
func valueText(v any) (string, error) {
	if r := reflect.ValueOf(v); !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil() {
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
