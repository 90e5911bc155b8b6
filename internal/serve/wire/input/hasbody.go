package input

import (
	"io"
	"net/http"
)

// HasBody reports whether r has a body. It compares the type of the body with that of
// http.NoBody: to compare the values would be a call of the runtime for each request.
func HasBody(r *http.Request) bool { return r.Body != nil && !isA(r.Body, http.NoBody) }

// isA reports whether the type of body is T, that of the second argument, whose type has no
// name outside of net/http.
func isA[T io.ReadCloser](body io.ReadCloser, _ T) bool {
	_, ok := body.(T)
	return ok
}
