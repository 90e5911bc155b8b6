// Package logging holds the standard middleware that knows nothing of routes: one that
// logs a line for each request, and one that gives each request an id.
package logging

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"example.com/flow/internal/reply"
)

// Logger is flow.Logger.
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
		bytes = 0 // the server does not send them
	}
	switch {
	case t.Sent || v == http.ErrAbortHandler:
	case v != nil:
		status = http.StatusInternalServerError // which whoever contains the panic will send
	default:
		status = cmp.Or(t.Status, http.StatusOK) // which the server sends if nobody has written
	}
	args := []any{"method", r.Method, "path", r.URL.EscapedPath(), "pattern", r.Pattern, "status", status, "bytes", bytes, "duration", took}
	if id := IDOf(r); id != "" {
		args = append(args, "id", id)
	}
	if v != nil && (t.Sent || v == http.ErrAbortHandler) {
		args = append(args, "aborted", true)
	}
	cmp.Or(log, slog.Default()).InfoContext(r.Context(), "request", args...)
}
