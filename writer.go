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
	status int   // sent in place of 200, if not 0: Handler(h).Status(…)
	code   int   // what was sent
	bytes  int64 // of the body
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
	if !t.sent && (status >= 200 || status == http.StatusSwitchingProtocols) {
		t.sent, t.code = true, status
	}
}

// begin is called before the first byte of a body.
func (t *tracker) begin() {
	if t.sent {
		return
	}
	if t.status != 0 {
		t.WriteHeader(t.status)
		return
	}
	t.sent, t.code = true, http.StatusOK
}

func (t *tracker) Write(b []byte) (int, error) {
	t.begin()
	n, err := t.ResponseWriter.Write(b)
	t.bytes += int64(n)
	return n, err
}

func (t *tracker) WriteString(s string) (int, error) {
	t.begin()
	n, err := io.WriteString(t.ResponseWriter, s)
	t.bytes += int64(n)
	return n, err
}

// ReadFrom leaves the copying to the writer below, which may know a fast way.
func (t *tracker) ReadFrom(src io.Reader) (int64, error) {
	t.begin()
	n, err := io.Copy(t.ResponseWriter, src)
	t.bytes += n
	return n, err
}

// FlushError is what http.ResponseController asks for first.
func (t *tracker) FlushError() error {
	if !t.sent && t.status != 0 {
		t.WriteHeader(t.status)
	}
	err := http.NewResponseController(t.ResponseWriter).Flush()
	if err == nil && !t.sent {
		t.sent, t.code = true, http.StatusOK
	}
	return err
}

func (t flushTracker) Flush() { t.FlushError() }

func (t hijackTracker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := t.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil && !t.sent { // whatever the handler answers by itself
		t.sent, t.code = true, http.StatusSwitchingProtocols
	}
	return conn, rw, err
}
