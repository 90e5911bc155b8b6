package language

import "fmt"

// Dict returns a map of keys and values that are given in turn. It is the function dict of
// every template, with which a partial gets several values:
//
//	{{template "+field" (dict "name" .Name "wide" true)}}
func Dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("the key %v has no value", pairs[len(pairs)-1])
	}
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("the key %v is no string", pairs[i])
		}
		m[key] = pairs[i+1]
	}
	return m, nil
}

// AnyText is the type that the check of types takes for the result of a function that returns
// anything but HTML. The fields and the elements of such a value are no HTML either.
type AnyText any
