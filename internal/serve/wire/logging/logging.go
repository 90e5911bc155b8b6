// Package logging holds the two middlewares of flow: [Logger] logs a line for each request,
// and [RequestID] gives each request an id. They are net/http middleware and know no Router,
// so they also work with other routers.
package logging

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.com/flow/internal/serve/wire/reply"
)

// Logger is flow.Logger. The handlers that it makes are of the type *Logged. To make one
// panics if a path of except does not begin with a slash.
func Logger(log *slog.Logger, except ...string) func(http.Handler) http.Handler {
	except = slices.Clone(except) // the caller may change its list while requests are logged
	return func(next http.Handler) http.Handler {
		for _, path := range except {
			if !strings.HasPrefix(path, "/") {
				panic(fmt.Sprintf("Logger: no path of a URL begins with %q: write %q", path, "/"+path))
			}
		}
		return &Logged{log, except, next}
	}
}

// A Logged handler logs a line for each request that Next answers.
type Logged struct {
	log    *slog.Logger
	except []string // paths that are not logged
	Next   http.Handler
}

// leavesOut reports whether requests for a path are not logged. A path of except that ends in
// a slash stands for those below it, but for "/": who wants no line at all needs no Logger.
func (l *Logged) leavesOut(path string) bool {
	for _, e := range l.except {
		if path == e || e != "/" && strings.HasSuffix(e, "/") && strings.HasPrefix(path, e) {
			return true
		}
	}
	return false
}

// ServeHTTP has Next answer, and logs.
func (l *Logged) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.Around(r.Context(), w, r, func(w http.ResponseWriter) { l.Next.ServeHTTP(w, r) })
}

// Around is ServeHTTP with answer in place of Next. The slog.Handler gets ctx.
func (l *Logged) Around(ctx context.Context, w http.ResponseWriter, r *http.Request, answer func(http.ResponseWriter)) {
	start := time.Now()
	w, t := reply.Track(w)
	defer func() {
		v := recover()
		l.write(ctx, r, t, v, start)
		if v != nil {
			panic(v)
		}
	}()
	answer(w)
}

// source is the program counter for the source position of log records, once it is known.
// runtime.Callers takes longer than the rest of write.
var source atomic.Uintptr

// IsRequest reports whether a record of a log is the line of a Logger.
func IsRequest(r slog.Record) bool { return r.PC != 0 && r.PC == source.Load() }

// write logs a request. v is what its handler panicked with, or nil.
func (l *Logged) write(ctx context.Context, r *http.Request, t *reply.Writer, v any, start time.Time) {
	took := time.Since(start)
	h := cmp.Or(l.log, slog.Default()).Handler()
	if !h.Enabled(ctx, slog.LevelInfo) {
		return
	}
	status, bytes := int(t.Code), t.Bytes
	if r.Method == http.MethodHead {
		bytes = 0 // the server does not send them
	}
	switch {
	case t.Sent || v == http.ErrAbortHandler:
	case v != nil:
		status = http.StatusInternalServerError // the Router recovers the panic and sends this
	default:
		status = cmp.Or(int(t.Status), http.StatusOK) // the server sends this if the handler writes nothing
	}
	aborted := v != nil && (t.Sent || v == http.ErrAbortHandler)
	if !aborted && status < 500 && l.leavesOut(r.URL.Path) {
		return
	}
	if source.Load() == 0 {
		var pcs [1]uintptr
		runtime.Callers(1, pcs[:])
		source.Store(pcs[0])
	}
	attrs := append(make([]slog.Attr, 0, 8),
		slog.String("method", r.Method),
		slog.String("path", r.URL.EscapedPath()),
		slog.String("pattern", r.Pattern),
		slog.Int("status", status),
		slog.Int64("bytes", bytes),
		slog.Duration("duration", took))
	if id := IDOf(r); id != "" {
		attrs = append(attrs, slog.String("id", id))
	}
	if aborted {
		attrs = append(attrs, slog.Bool("aborted", true))
	}
	record := slog.NewRecord(start.Add(took), slog.LevelInfo, "request", source.Load())
	record.AddAttrs(attrs...)
	h.Handle(ctx, record)
}
