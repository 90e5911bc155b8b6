package match

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/serve/routes/pattern"
)

// Values are the decoded values of a pattern's parameters, in the order of the pattern. The
// value of a catch-all begins with a slash. If one of its segments may contain a slash, the
// segments follow one by one as further values. The memory is reused once hit has returned.
//
//	/{a}/{rest...} for /x/y/z     "x", "/y/z"
//	/{a}/{rest...} for /x/y%2Fz   "x", "/y/z", "y/z"
type Values = httprouter.Params

// Value returns the value of the i-th parameter of a pattern. The value of a catch-all is
// its segments joined with slashes.
func Value(p *pattern.Pattern, values Values, i int) string {
	if i == len(p.Names)-1 && p.HasRest() {
		return values[i].Value[1:]
	}
	return values[i].Value
}

// Segments returns the segments that the i-th parameter of a pattern has matched. A
// catch-all has matched one or more, any other parameter one.
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

// SetPathValues sets the path values of a request that matches a pattern.
func SetPathValues(r *http.Request, p *pattern.Pattern, values Values) {
	for i, name := range p.Names {
		if v := Value(p, values, i); r.PathValue(name) != v { // to set a value allocates
			r.SetPathValue(name, v)
		}
	}
}
