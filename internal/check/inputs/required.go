package inputs

import (
	"reflect"
	"slices"

	"example.com/flow/internal/serve/wire/input"
)

// RequiredNames returns the keys that a form has to have for a struct type, sorted, with 0 for the
// number of each row. query is that of input.FormTarget.
func RequiredNames(t reflect.Type, query bool, messages input.Messages) (names []string) {
	for path, required := range input.RequiredPaths(t, messages) {
		if _, _, ok := input.FormTarget(t, query, path); ok && required {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	return names
}
