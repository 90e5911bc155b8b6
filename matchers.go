package flow

import "slices"

// OneOf returns a matcher that takes these values and no others, for [Router.Matchers]:
//
//	r.Matchers = map[string]func(string) bool{"lang": flow.OneOf("de", "fr")}
//
// The tool flow reads the values in the Go source, where it cannot call a function. So they
// are best written as literals, or as a []string{…} of the package that nothing changes:
// flow.OneOf(languages...). Without values it takes none.
func OneOf(values ...string) func(value string) bool {
	values = slices.Clone(values)
	return func(value string) bool { return slices.Contains(values, value) }
}
