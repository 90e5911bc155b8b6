package flow

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// A tracker is a ResponseWriter that remembers whether anything was sent. What
// follows a panic depends on it: a 500, or an aborted connection.
type tracker struct {
	http.ResponseWriter
	sent   bool
	status int // sent in place of 200, if not 0: Handler(h).Status(…)
}

// A flushTracker is a tracker of a writer that can flush.
type flushTracker struct{ *tracker }

// A hijackTracker is a tracker of a writer that can flush and be hijacked, as
// HTTP/1 connections can.
type hijackTracker struct{ flushTracker }

// track wraps w and offers what w offers. A writer that is tracked already is
// not wrapped again.
func track(w http.ResponseWriter) (http.ResponseWriter, *tracker) {
	switch w := w.(type) {
	case *tracker:
		return w, w
	case flushTracker:
		return w, w.tracker
	case hijackTracker:
		return w, w.tracker
	}
	t := &tracker{ResponseWriter: w}
	if _, ok := w.(http.Flusher); !ok {
		return t, t
	}
	if _, ok := w.(http.Hijacker); !ok {
		return flushTracker{t}, t
	}
	return hijackTracker{flushTracker{t}}, t
}

// Unwrap is for http.ResponseController.
func (t *tracker) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *tracker) WriteHeader(status int) {
	if status == http.StatusOK && t.status != 0 {
		status = t.status
	}
	t.ResponseWriter.WriteHeader(status) // panics for what is no status, and then sent nothing
	// Informational answers precede the one that counts; 101 is the last.
	if status >= 200 || status == http.StatusSwitchingProtocols {
		t.sent = true
	}
}

// begin is called before the first byte of a body.
func (t *tracker) begin() {
	if !t.sent && t.status != 0 {
		t.WriteHeader(t.status)
	}
	t.sent = true
}

func (t *tracker) Write(b []byte) (int, error) {
	t.begin()
	return t.ResponseWriter.Write(b)
}

func (t *tracker) WriteString(s string) (int, error) {
	t.begin()
	return io.WriteString(t.ResponseWriter, s)
}

// ReadFrom leaves the copying to the writer below, which may know a fast way.
func (t *tracker) ReadFrom(src io.Reader) (int64, error) {
	t.begin()
	return io.Copy(t.ResponseWriter, src)
}

// FlushError is what http.ResponseController asks for first.
func (t *tracker) FlushError() error {
	if !t.sent && t.status != 0 {
		t.WriteHeader(t.status)
	}
	err := http.NewResponseController(t.ResponseWriter).Flush()
	t.sent = t.sent || err == nil
	return err
}

func (t flushTracker) Flush() { t.FlushError() }

func (t hijackTracker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := t.ResponseWriter.(http.Hijacker).Hijack()
	t.sent = t.sent || err == nil
	return conn, rw, err
}
