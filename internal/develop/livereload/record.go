package livereload

import (
	"net/http"
	"sync"
	"time"

	"example.com/flow/internal/serve/wire/reply"
)

// A Request is the record of a request that was answered.
type Request struct {
	Time    time.Time // of its arrival
	Took    time.Duration
	Method  string // at most 1,000 bytes of it, as of Path
	Path    string // escaped, without the query, which may hold secrets
	Pattern string // of the route, "" if none matched
	Status  int    // 0 if the handler panicked before it sent one
	Aborted bool   // the handler panicked, and the connection was closed
}

// A Recorder keeps the last 500 requests, most of which may be for style sheets and images.
type Recorder struct {
	mu   sync.Mutex
	last [500]Request
	next int // the number of requests so far
}

// begin records the arrival of a request. It returns a function to call after the answer,
// with the request, whose pattern is known then, with the writer, and with whether the
// handler has returned.
func (rec *Recorder) begin(r *http.Request) func(r *http.Request, t *reply.Writer, returned bool) {
	q := Request{Time: time.Now(), Method: short(r.Method), Path: short(r.URL.EscapedPath())}
	return func(r *http.Request, t *reply.Writer, returned bool) {
		q.Took, q.Pattern, q.Status, q.Aborted = time.Since(q.Time), r.Pattern, int(t.Code), !returned
		if q.Status == 0 && returned {
			q.Status = http.StatusOK // the server sends it if the handler has not written
		}
		rec.mu.Lock()
		defer rec.mu.Unlock()
		rec.last[rec.next%len(rec.last)] = q
		rec.next++
	}
}

// short returns at most 1,000 bytes of a text, which is ASCII.
func short(text string) string {
	if len(text) > 1000 {
		return text[:1000] + "..."
	}
	return text
}

// Last returns the requests, the newest first.
func (rec *Recorder) Last() []Request {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	var all []Request
	for i := rec.next - 1; i >= max(0, rec.next-len(rec.last)); i-- {
		all = append(all, rec.last[i%len(rec.last)])
	}
	return all
}
