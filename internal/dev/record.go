package dev

import (
	"net/http"
	"sync"
	"time"

	"example.com/flow/internal/reply"
)

// A Request is one that was answered.
type Request struct {
	Time    time.Time // when it came
	Took    time.Duration
	Method  string // as Path, of 1,000 bytes at most
	Path    string // escaped, without the query, which may hold secrets
	Pattern string // of the route, "" if none matched
	Status  int    // 0 if the answer was cut off before it began
	Aborted bool   // the answer was cut off
}

// A Recorder remembers the last hundred requests.
type Recorder struct {
	mu   sync.Mutex
	last [100]Request
	next int // how many there were
}

// begin returns what is called when the request is over: with the request, whose pattern
// is known then, and with what was sent.
func (rec *Recorder) begin(r *http.Request) func(r *http.Request, t *reply.Writer, returned bool) {
	q := Request{Time: time.Now(), Method: short(r.Method), Path: short(r.URL.EscapedPath())}
	return func(r *http.Request, t *reply.Writer, returned bool) {
		q.Took, q.Pattern, q.Status, q.Aborted = time.Since(q.Time), r.Pattern, int(t.Code), !returned
		if q.Status == 0 && returned {
			q.Status = http.StatusOK // which the server sends if nobody has written
		}
		rec.mu.Lock()
		defer rec.mu.Unlock()
		rec.last[rec.next%len(rec.last)] = q
		rec.next++
	}
}

// short returns at most 1,000 bytes of a text, which all are ASCII.
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
