// Package reply is about answers, whoever makes them: a [Writer] remembers what was sent,
// a [Description] what the headers said of an answer that did not come, [Redirect]
// where a browser may be led, and a [Problem] is what a client is told of an error, in
// the media type that it likes.
package reply

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// A Writer is a ResponseWriter that remembers whether anything was sent. What
// follows a panic depends on it: a 500, or an aborted connection.
type Writer struct {
	http.ResponseWriter
	Bytes  int64 // of the body
	Status int32 // sent in place of 200, if not 0
	Code   int16 // the status that was sent
	Sent   bool
}

// A flushWriter is a Writer of a writer that can flush.
type flushWriter struct{ *Writer }

// A hijackWriter is a Writer of a writer that can flush and be hijacked, as
// HTTP/1 connections can.
type hijackWriter struct{ flushWriter }

// Track wraps w and offers what w offers. A writer that is tracked already is
// not wrapped again.
func Track(w http.ResponseWriter) (http.ResponseWriter, *Writer) {
	if t := tracked(w); t != nil {
		return w, t
	}
	return new(Writer).Track(w)
}

func tracked(w http.ResponseWriter) *Writer {
	switch w := w.(type) {
	case hijackWriter:
		return w.Writer
	case flushWriter:
		return w.Writer
	case *Writer:
		return w
	}
	return nil
}

// Track is the function Track with t, which is new, as the Writer to wrap w in.
func (t *Writer) Track(w http.ResponseWriter) (http.ResponseWriter, *Writer) {
	if t := tracked(w); t != nil {
		return w, t
	}
	t.ResponseWriter = w
	if _, ok := w.(http.Flusher); !ok {
		return t, t
	}
	if _, ok := w.(http.Hijacker); !ok {
		return flushWriter{t}, t
	}
	return hijackWriter{flushWriter{t}}, t
}

// Unwrap is for http.ResponseController.
func (t *Writer) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// WriteHeader sends the header, with Status in place of 200.
func (t *Writer) WriteHeader(status int) {
	if status == http.StatusOK && t.Status != 0 {
		status = int(t.Status)
	}
	t.ResponseWriter.WriteHeader(status) // panics for what is no status, and then sent nothing
	// Informational answers precede the one that counts; 101 is the last.
	if !t.Sent && (status >= 200 || status == http.StatusSwitchingProtocols) {
		t.Sent, t.Code = true, int16(status) // which has three digits
	}
}

// begin is called before the first byte of a body.
func (t *Writer) begin() {
	if t.Sent {
		return
	}
	if t.Status != 0 {
		t.WriteHeader(int(t.Status))
		return
	}
	t.Sent, t.Code = true, http.StatusOK
}

// Write sends a piece of the body.
func (t *Writer) Write(b []byte) (int, error) {
	t.begin()
	n, err := t.ResponseWriter.Write(b)
	t.Bytes += int64(n)
	return n, err
}

// WriteString is Write without a copy.
func (t *Writer) WriteString(s string) (int, error) {
	t.begin()
	n, err := io.WriteString(t.ResponseWriter, s)
	t.Bytes += int64(n)
	return n, err
}

// ReadFrom leaves the copying to the writer below, which may know a fast way.
func (t *Writer) ReadFrom(src io.Reader) (int64, error) {
	t.begin()
	n, err := io.Copy(t.ResponseWriter, src)
	t.Bytes += n
	return n, err
}

// FlushError flushes the answer. http.ResponseController prefers it to Flush.
func (t *Writer) FlushError() error {
	if !t.Sent && t.Status != 0 {
		t.WriteHeader(int(t.Status))
	}
	err := http.NewResponseController(t.ResponseWriter).Flush()
	if err == nil && !t.Sent {
		t.Sent, t.Code = true, http.StatusOK
	}
	return err
}

func (t flushWriter) Flush() { t.FlushError() }

func (t hijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := t.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil && !t.Sent { // whatever the handler answers by itself
		t.Sent, t.Code = true, http.StatusSwitchingProtocols
	}
	return conn, rw, err
}
