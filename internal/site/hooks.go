package site

import (
	"context"
	"sync/atomic"
)

// The packages flowtest, openapi and export need of a Router what its API does not have, and the root imports
// no package testing. So the root sets these functions, and flowtest sets Asked before Routers are compiled.

// ExamplesOf returns the route files of a *flow.Router that have examples and no faults, and its Map.
var ExamplesOf func(router any) ([]File, *Map)

// Asked is called for each request that an endpoint answers, unless it is nil. The pattern is
// that of http.Request.Pattern, and file the name of the route file in its tree, or "".
var Asked func(pattern, file string)

// A PublicFile is a public file with its URLs.
type PublicFile struct {
	URL    string
	Hashed string // the URL with a hash, or the same in development
}

// PublicOf returns the public files of a *flow.Router, and of those mounted in it where no value of a
// parameter is needed for the URL.
var PublicOf func(router any) []PublicFile

// PlacesOf returns a function for a *flow.Router. It returns the file that answers GET of a path, or the
// layout or partial of it that has a URL of the answer, and where. text is the URL, and what is what has
// it, as links.URL says. The path "" is for the error page of the root. The line is 0 if it is not known
// which file has the URL, and the file is "" if none answers.
var PlacesOf func(router any) func(path, text, what string) (file string, line, column int)

type refusedKey struct{}

// WithRefusal returns a context for a request that tells by refused whether a guard has answered it.
func WithRefusal(ctx context.Context, refused *atomic.Bool) context.Context {
	return context.WithValue(ctx, refusedKey{}, refused)
}

// NoteRefusal notes that a guard answers the request of a context.
func NoteRefusal(ctx context.Context) {
	if refused, ok := ctx.Value(refusedKey{}).(*atomic.Bool); ok {
		refused.Store(true)
	}
}
