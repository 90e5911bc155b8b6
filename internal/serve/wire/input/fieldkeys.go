package input

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"example.com/flow/internal/fault"
)

// FieldTarget returns what the key that Form.Field was given fills in a struct type, and whether only a
// form that is sent as a query has the key. If holes is set, Unknown may be in the key: see Target.
func FieldTarget(t reflect.Type, key string, holes bool) (to Target, query bool, err error) {
	to, near, ok := FormTarget(t, false, key)
	if query = !ok; query {
		to, near, ok = FormTarget(t, true, key)
	}
	if !ok || to.Type == nil && !holes {
		return to, query, fmt.Errorf("flow: a form of %v has no field %q%s", t, key, SuggestKey(key, near))
	}
	return to, query, nil
}

// FieldKey returns a key of a form from the parts that Form.Field was given.
func FieldKey(parts []any) (string, error) {
	var key strings.Builder
	for i, part := range parts {
		if i > 0 {
			key.WriteByte('.')
		}
		switch v := reflect.ValueOf(part); {
		case v.Kind() == reflect.String && len(parts) == 1:
			return v.String(), nil
		case v.Kind() == reflect.String:
			key.WriteString(v.String())
		case v.CanInt():
			key.WriteString(strconv.FormatInt(v.Int(), 10))
		case v.CanUint():
			key.WriteString(strconv.FormatUint(v.Uint(), 10))
		default:
			return "", fmt.Errorf("flow: Field takes the parts of a key, which are texts and numbers of rows, and not a %T", part)
		}
	}
	return key.String(), nil
}

// SuggestKey asks whether one of the keys that may be meant is, for a key that fills nothing. For a
// struct, or a list of them, that is a field in it.
func SuggestKey(key string, near []string) string {
	names, otherwise := map[string]bool{}, ""
	for _, name := range near {
		names[name] = true
	}
	if inside := FirstInside(near, key); inside != "" {
		otherwise = `: did you mean "` + inside + `"?`
	}
	return fault.Suggest(key, names, otherwise)
}

// FirstInside returns the first of the keys that may be meant which leads into what a key names: a
// struct or a list. It returns "" if there is none.
func FirstInside(near []string, key string) string {
	for _, name := range near {
		if strings.HasPrefix(name, key+".") {
			return name
		}
	}
	return ""
}
