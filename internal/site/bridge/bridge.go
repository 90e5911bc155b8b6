// Package bridge connects the packages flowtest, openapi and export with the root package, none of
// which may depend on the other's secrets: the root imports no package testing, and has no methods
// for one of them alone. The root sets Of and Public; flowtest sets Asked, before Routers are
// compiled; openapi makes Describers, which the root recognises.
package bridge

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site/httpfile"
)

// A File is a route file with examples.
type File struct {
	*httpfile.File
	Path   string                            // below router/, without extension
	Prefix string                            // that its paths leave out: see Prefix
	Open   func(name string) ([]byte, error) // returns the content of a file that a body names
	// ShapeOf returns the Shape of the handler that answers a request with this path.
	ShapeOf func(method, path string) Shape
}

// Prefix returns what the paths of the examples of a file leave out, for a Router that is
// mounted at prefix: nothing if one of them is below the prefix, and otherwise the prefix. A
// pattern.Hole in the prefix stands for any segment.
func Prefix(f *httpfile.File, prefix string) string {
	of := strings.Split(prefix, "/")
	for _, r := range f.Requests {
		path, _ := r.Path(pattern.Hole)
		segments := strings.Split(path, "/")
		if len(segments) >= len(of) && !slices.ContainsFunc(of, func(seg string) bool {
			is := segments[0]
			segments = segments[1:]
			return seg != pattern.Hole && seg != is
		}) {
			return ""
		}
	}
	return prefix
}

// Of returns the route files of a *flow.Router that hold examples.
var Of func(router any) []File

// Asked is called for each request that an endpoint answers, unless it is nil. The pattern is
// that of http.Request.Pattern, and file the name of the route file in its tree, or "".
var Asked func(pattern, file string)

// A PublicFile is a public file with its URLs.
type PublicFile struct {
	URL    string
	Hashed string // the URL with a hash, or the same in development
}

// Public returns the public files of a *flow.Router, and of those mounted in it where no value of a
// parameter is needed for the URL.
var Public func(router any) []PublicFile

// Places returns a function for a *flow.Router. It returns the file that answers GET of a path, or the
// layout or partial of it that has a URL of the answer, and where. text is the URL, and what is what has
// it, as links.URL says. The path "" is for the error page of the root. The line is 0 if it is not known
// which file has the URL, and the file is "" if none answers.
var Places func(router any) func(path, text, what string) (file string, line, column int)

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
