package flow

import (
	"log/slog"
	"net/http"

	"example.com/flow/internal/logging"
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
func Logger(log *slog.Logger) func(http.Handler) http.Handler { return logging.Logger(log) }

// RequestID is standard middleware that gives each request an id: the one in its
// header X-Request-Id, as a proxy may have set it, or else a random one. The id is in
// that header of the request from then on, for handlers and logs, and in the answer.
// An id that is longer than 128 bytes, or holds others than letters, digits and
// -._~:/+=@, is replaced.
func RequestID(next http.Handler) http.Handler { return logging.RequestID(next) }
