package flow

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"example.com/flow/internal/reply"
)

// Logger returns standard middleware that logs a line for each request once it is
// answered: method, path as it was escaped, pattern of the route, status, bytes of
// the body, duration (nanoseconds in JSON), and the id in its X-Request-Id, which RequestID sees to. nil is
// slog.Default() at that time. The level is Info, whatever the status: what failed is
// logged by the Router.
//
// A connection that was ended within an answer has aborted=true, and status 0 if
// nothing was sent; one that the handler took over has status 101. What a client
// sends cannot forge a line: the path is escaped, and queries and headers are not
// logged.
func Logger(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			w, t := reply.Track(w)
			defer func() {
				v := recover()
				logRequest(log, r, t, v, time.Since(start))
				if v != nil {
					panic(v)
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// logRequest logs a request that was answered, or panicked with v.
func logRequest(log *slog.Logger, r *http.Request, t *reply.Writer, v any, took time.Duration) {
	status, bytes := t.Code, t.Bytes
	if r.Method == http.MethodHead {
		bytes = 0 // the server keeps them
	}
	switch {
	case t.Sent || v == http.ErrAbortHandler:
	case v != nil:
		status = http.StatusInternalServerError // by whoever contains it
	default:
		status = cmp.Or(t.Status, http.StatusOK) // by the server, if nobody writes
	}
	args := []any{"method", r.Method, "path", r.URL.EscapedPath(), "pattern", r.Pattern, "status", status, "bytes", bytes, "duration", took}
	if id := requestIDOf(r); id != "" {
		args = append(args, "id", id)
	}
	if v != nil && (t.Sent || v == http.ErrAbortHandler) {
		args = append(args, "aborted", true)
	}
	cmp.Or(log, slog.Default()).InfoContext(r.Context(), "request", args...)
}
