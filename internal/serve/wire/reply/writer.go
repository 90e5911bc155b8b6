// Package reply helps to write responses, for code that knows no Router as well. A [Writer]
// remembers what was sent. [Send] sends a body with its headers, and [JSON] encodes one. A
// [Problem] is an error as HTML, problem+json or text, and a [Message] is one of flow's own
// texts in it. [Redirect] refuses targets that would lead a browser to another host by mistake.
// A [Description] and a [Promise] remember headers, to take them back if an error is sent in
// place of the response.
package reply

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// A Writer is a ResponseWriter that remembers whether anything was sent. If the handler
// panics, that decides between a 500 and an aborted connection.
type Writer struct {
	http.ResponseWriter
	Bytes  int64 // of the body
	Status int32 // sent in place of 200, if not 0
	Code   int16 // the status that was sent; 200 also if the handler has only written
	Sent   bool  // the header of a final response, or the connection was hijacked
	// Before, unless it is nil, is called with the status before the header of a final response
	// is sent, and may change the header.
	Before func(h http.Header, status int)
}

// A flushWriter is a Writer of a writer that can flush.
type flushWriter struct{ *Writer }

// A hijackWriter is a Writer of a writer that can flush and be hijacked, as
// HTTP/1 connections can.
type hijackWriter struct{ flushWriter }

// Track wraps w in a Writer. The wrapper implements http.Flusher and http.Hijacker if w does.
// If w is such a wrapper already, Track returns w itself.
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

// Track is the function Track, but wraps w in t, which must be new, in place of a new
// Writer.
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
	if t.Before != nil && !t.Sent && status >= 200 {
		t.Before(t.Header(), status)
	}
	t.ResponseWriter.WriteHeader(status) // panics for an invalid status, before anything is sent
	// A final response follows informational ones (1xx), but none follows a 101.
	if !t.Sent && (status >= 200 || status == http.StatusSwitchingProtocols) {
		t.Sent, t.Code = true, int16(status) // net/http panics for more than three digits
	}
}

// begin is called before each piece of the body. The first call notes that the header is
// sent, and sends it by itself if Status replaces 200.
func (t *Writer) begin() {
	if t.Sent {
		return
	}
	if t.Status != 0 || t.Before != nil {
		t.WriteHeader(http.StatusOK)
		return
	}
	t.Sent, t.Code = true, http.StatusOK
}

// Write writes a piece of the body.
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

// ReadFrom lets the wrapped writer copy, since it may implement io.ReaderFrom.
func (t *Writer) ReadFrom(src io.Reader) (int64, error) {
	t.begin()
	n, err := io.Copy(t.ResponseWriter, src)
	t.Bytes += n
	return n, err
}

// FlushError flushes the response. http.ResponseController prefers it to Flush.
func (t *Writer) FlushError() error {
	if !t.Sent && (t.Status != 0 || t.Before != nil) {
		t.WriteHeader(http.StatusOK)
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
	if err == nil && !t.Sent { // the Writer does not see what the handler writes to conn
		t.Sent, t.Code = true, http.StatusSwitchingProtocols
	}
	return conn, rw, err
}
