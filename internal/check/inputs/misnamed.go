package inputs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"example.com/flow/internal/serve/wire/input"
)

// misnamed returns a warning for each message of Validate, for a new struct of a type, whose key is
// nearly a field. Any other key may be that of a list, or for the page to show.
func misnamed(t reflect.Type, messages input.Messages) (found []Mistake) {
	invalid, _ := new(input.Asker).Ask(func() reflect.Value { return input.Filler{Rows: true}.New(t) }, messages)
	for _, key := range slices.Sorted(maps.Keys(invalid)) {
		_, near, ofBody := input.FormTarget(t, false, key)
		_, more, ofQuery := input.FormTarget(t, true, key)
		if ofBody || ofQuery || hasName(input.PlanOf(t).Route, key) {
			continue
		}
		near = append(near, more...)
		if hint := input.SuggestKey(key, near); hint != "" && input.FirstInside(near, key) == "" {
			found = append(found, Mistake{Text: fmt.Sprintf("Validate of %v has a message for %q, which is no field%s", t, key, hint), Warning: true})
		}
	}
	return found
}
