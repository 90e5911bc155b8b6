package rows

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"time"

	"example.com/flow"
	"example.com/flow/bench/measure"
)

// The names of contestants that log.
const (
	LoggerName    = "flow, Logger"
	RequestIDName = "flow, RequestID"
	BothName      = "flow, Logger and RequestID"
	ByHandName    = "ServeMux, both by hand"
)

var loggingRows = []Row{
	{"logging/taken", "a line of the log and an id for each request; the log takes lines and drops them", func() measure.Group { return logging(dropping{}) }},
	{"logging/JSON", "the same, with lines written as JSON", func() measure.Group { return logging(slog.NewJSONHandler(io.Discard, nil)) }},
}

// dropping is a log that costs nothing, so that what remains is the middleware.
type dropping struct{}

func (dropping) Enabled(context.Context, slog.Level) bool  { return true }
func (dropping) Handle(context.Context, slog.Record) error { return nil }
func (dropping) WithAttrs([]slog.Attr) slog.Handler        { return dropping{} }
func (dropping) WithGroup(string) slog.Handler             { return dropping{} }

func logging(lines slog.Handler) measure.Group {
	log := slog.New(lines)
	logger := flow.Logger(log)
	return measure.Group{Base: ByHandName, Calls: aUser, Contestants: []measure.Contestant{
		{Name: flowName, Handler: flowUser(flowText, nil)},
		{Name: LoggerName, Handler: flowUser(flowText, func(r *flow.Router) { r.Use(logger) })},
		{Name: RequestIDName, Handler: flowUser(flowText, func(r *flow.Router) { r.Use(flow.RequestID) })},
		{Name: BothName, Handler: flowUser(flowText, func(r *flow.Router) { r.Use(flow.RequestID, logger) }), Calls: identified()},
		{Name: muxName, Handler: recovered(muxUser())},
		{Name: ByHandName, Handler: identify(logged(log, recovered(muxUser()))), Calls: identified()},
		{Name: httprouterName, Handler: httprouterUser()},
	}}
}

// identified is aUser, with an answer that has an id.
func identified() []measure.Call {
	call := aUser[0]
	call.Want.Header = map[string]string{"X-Request-Id": ""}
	return []measure.Call{call}
}

// identify is RequestID by hand.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if id == "" {
			id = rand.Text()
			r.Header.Set("X-Request-Id", id)
		}
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r)
	})
}

// A statusWriter remembers what was sent.
type statusWriter struct {
	http.ResponseWriter
	status, bytes int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// logged is Logger by hand.
func logged(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		sent := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(sent, r)
		log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("method", r.Method), slog.String("path", r.URL.EscapedPath()), slog.String("pattern", r.Pattern),
			slog.Int("status", sent.status), slog.Int("bytes", sent.bytes), slog.Duration("duration", time.Since(start)),
			slog.String("id", r.Header.Get("X-Request-Id")))
	})
}
