package match

import (
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/pattern"
)

// Values are those of a pattern's parameters, in their order, decoded. That of a
// catch-all begins with a slash. If one of its segments may hold a slash too, all of
// them follow one by one. Their memory is used again after the answer.
type Values = httprouter.Params

// Value returns the value of the i-th parameter of a pattern. The segments of a
// catch-all are joined with slashes.
func Value(p *pattern.Pattern, values Values, i int) string {
	if i == len(p.Names)-1 && p.HasRest() {
		return values[i].Value[1:]
	}
	return values[i].Value
}

// Segments returns the segments that the i-th parameter of a pattern has matched: one,
// or those of a catch-all.
func Segments(p *pattern.Pattern, values Values, i int) []string {
	if i < len(p.Names)-1 || !p.HasRest() {
		return []string{values[i].Value}
	}
	if all := values[len(p.Names):]; len(all) > 0 {
		segments := make([]string, len(all))
		for i, v := range all {
			segments[i] = v.Value
		}
		return segments
	}
	return strings.Split(Value(p, values, i), "/")
}
