package server

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// heldBack is how many bytes of a response net/http buffers at least before it sends any
	// (bufferBeforeChunkingSize in net/http/server.go; twice as much in HTTP/2). Writes of
	// these bytes do not wait for the client, so they need no deadline.
	heldBack = 2 << 10

	// never is the distance of a deadline that stands for none. The zero Time does not serve
	// in HTTP/2: it removes the timer of a stream, and the next deadline makes a new one even
	// if the stream is closed by then. That timer would reset the closed stream.
	never = 365 * 24 * time.Hour
)

// A writer is what the ResponseWriters of net/http's server implement.
type writer interface {
	http.ResponseWriter
	io.StringWriter
	FlushError() error
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	EnableFullDuplex() error
}

// A pacer is the ResponseWriter of one request. It moves the deadlines of the connection for
// the pieces that are read or written.
type pacer struct {
	server *Server
	w      writer
	ctx    requestContext
	body   pacedBody

	isConn  bool // HTTP/1
	expects bool // the client has sent "Expect: 100-continue"
	closes  bool // the client has sent "Connection: close"

	begun       bool          // Write, Flush, or WriteHeader with a final status was called
	sent        bool          // the header may have been sent to the client
	watched     bool          // see Server.watch
	manualWrite atomic.Bool   // the handler has called SetWriteDeadline, and the pacer no longer does; atomic, since the goroutine that reads the body asks
	budget      time.Duration // how long Writes may still wait
	written     int           // bytes since the budget was last raised, less than pieceSize
	since       time.Time     // the time of the last startWrite
	until       time.Time     // the current write deadline; zero if there is none
	unsent      int           // bytes that net/http may have in its buffer, heldBack+1 at most
	hijacked    net.Conn
}

// A connPacer is a pacer of HTTP/1. It also implements http.Hijacker and io.ReaderFrom. It is a type
// by itself, since code asks a ResponseWriter by its type what it can do. Package reply has such types
// for its Writer: one for both would have to call each method through an interface, in each request.
type connPacer struct{ *pacer }

// pace returns the ResponseWriter and the Request for the handler. It does not change the
// Body of r: after the handler, net/http looks at the type of the body to find out how much
// of it is unread.
func (s *Server) pace(w http.ResponseWriter, r *http.Request) (*pacer, http.ResponseWriter, *http.Request) {
	p := &pacer{server: s, w: w.(writer), closes: r.Close, budget: writeTime}
	if s.onlyHTTP1 {
		p.isConn = true
		p.until = time.Now().Add(writeTime + slack) // net/http has just set the deadline of WriteTimeout
	} else {
		_, p.isConn = w.(http.Hijacker)
	}
	p.ctx.Context = r.Context()
	ShareTrailer(r)
	r = r.WithContext(&p.ctx)
	p.body.pacer = p
	switch {
	case r.Body == nil || r.Body == http.NoBody:
	case !p.isConn && r.ContentLength == 0 && len(r.Header["Content-Length"]) == 0:
		// In HTTP/2 a request without a body has a Body as well.
		r.Body = http.NoBody
	default:
		if !p.isConn {
			p.w.SetReadDeadline(time.Time{}) // removes the deadline of ReadTimeout
		}
		p.expects = len(r.Header["Expect"]) > 0
		p.body.unread = p.expects
		p.body.ReadCloser, p.body.state, p.body.budget = r.Body, bodyOpen, readTime
		r.Body = &p.body
	}
	if p.isConn {
		return p, connPacer{p}, r
	}
	return p, p, r
}

// Header returns the header of the response.
func (p *pacer) Header() http.Header { return p.w.Header() }

// Unwrap is for http.ResponseController. Writes to the writer that it returns do not move the
// deadline.
func (p *pacer) Unwrap() http.ResponseWriter { return p.w }

// begin is called before the header is sent. It adds "Connection: close" where needed, and
// watches event streams.
func (p *pacer) begin(status int) {
	if p.begun {
		return
	}
	p.begun = true
	h := p.w.Header()
	if status != http.StatusSwitchingProtocols && (p.server.draining.Load() || p.body.leavesUnread()) {
		h.Set("Connection", "close") // in HTTP/2 it becomes GOAWAY
	}
	if types := h["Content-Type"]; len(types) > 0 && isEventStream(types[0]) {
		p.server.watch(p)
	}
}

const eventStream = "text/event-stream"

func isEventStream(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	return len(mediaType) >= len(eventStream) && strings.EqualFold(strings.TrimSpace(mediaType), eventStream)
}

// WriteHeader passes the status on. net/http sends informational responses (1xx) at once, so
// they get a deadline.
func (p *pacer) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		p.begin(status)
		p.w.WriteHeader(status)
		return
	}
	p.startWrite()
	defer p.endWrite()
	p.w.WriteHeader(status)
}

func (p *pacer) Write(b []byte) (int, error) { return writePieces(p, b, writer.Write) }

// WriteString is Write without a copy.
func (p *pacer) WriteString(s string) (int, error) { return writePieces(p, s, writer.WriteString) }

func writePieces[T []byte | string](p *pacer, text T, write func(writer, T) (int, error)) (n int, err error) {
	p.begin(http.StatusOK)
	for {
		size := min(len(text), pieceSize)
		p.beforeWrite(size)
		m, err := write(p.w, text[:size])
		p.afterWrite(m)
		n, text = n+m, text[size:]
		if err != nil || len(text) == 0 {
			return n, err
		}
	}
}

// beforeWrite is called before n bytes are written, and afterWrite with the number of bytes
// that were written. They set deadlines once net/http may send some of the bytes. afterWrite
// raises the budget for each whole piece.
func (p *pacer) beforeWrite(n int) {
	p.unsent = min(p.unsent+n, heldBack+1)
	if p.unsent > heldBack {
		p.startSend()
	}
}

func (p *pacer) afterWrite(n int) {
	if p.unsent > heldBack {
		p.endSend()
	}
	if p.written += n; p.written >= pieceSize {
		p.written -= pieceSize
		p.budget = min(p.budget+writeTime, writeMost)
	}
}

// startSend is called before something is sent to the client, and endSend afterwards. They
// set the write deadline. The first time, they also limit reading: before the header,
// net/http may read the rest of the request body.
func (p *pacer) startSend() {
	p.startWrite()
	if !p.sent {
		p.body.startDiscard()
	}
}

func (p *pacer) endSend() {
	p.endWrite()
	if !p.sent {
		p.sent = true
		p.body.endDiscard()
	}
}

// startWrite sets the write deadline to the end of the budget. It leaves the current deadline
// if that is no earlier and at most the slack later.
func (p *pacer) startWrite() {
	if p.manualWrite.Load() {
		return
	}
	p.since = time.Now()
	end := p.since.Add(p.budget)
	if later := p.until.Sub(end); 0 <= later && later <= slack {
		return
	}
	p.until = end.Add(slack)
	p.w.SetWriteDeadline(p.until)
}

// endWrite subtracts the time since startWrite from the budget. In HTTP/2 it also removes the
// deadline, which would reset the stream when it passes. In HTTP/1 a deadline that passes
// between two Writes has no effect, since the next startWrite sets another one.
func (p *pacer) endWrite() {
	if p.manualWrite.Load() {
		return
	}
	p.budget -= time.Since(p.since)
	if !p.isConn {
		p.until = time.Time{}
		p.w.SetWriteDeadline(time.Now().Add(never))
	}
}

// FlushError flushes the response. http.ResponseController prefers it to Flush.
func (p *pacer) FlushError() error {
	p.begin(http.StatusOK)
	p.startSend()
	defer p.endSend()
	err := p.w.FlushError()
	p.unsent = 0
	return err
}

// Flush is FlushError for callers that use an http.Flusher.
func (p *pacer) Flush() { p.FlushError() }

// SetReadDeadline is for http.ResponseController. From then on the pacer sets no read
// deadlines for this request; the zero Time means no limit.
func (p *pacer) SetReadDeadline(deadline time.Time) error {
	p.body.setManual()
	return p.w.SetReadDeadline(deadline)
}

// SetWriteDeadline is like SetReadDeadline, for writing.
func (p *pacer) SetWriteDeadline(deadline time.Time) error {
	p.manualWrite.Store(true)
	return p.w.SetWriteDeadline(deadline)
}

// EnableFullDuplex is for http.ResponseController. It fails after WriteHeader or Write.
func (p *pacer) EnableFullDuplex() error {
	if p.begun {
		return errors.New("flow: EnableFullDuplex comes too late: the answer has begun")
	}
	p.body.setDuplex()
	return p.w.EnableFullDuplex()
}

// ReadFrom is for io.Copy, which would allocate a buffer for each response. It does not use
// sendfile(2) for files: over loopback that is no faster than copying pieces of this size.
func (p connPacer) ReadFrom(src io.Reader) (int64, error) {
	buf := copyBuffers.Get().(*[pieceSize]byte)
	defer copyBuffers.Put(buf)
	return io.CopyBuffer(struct{ io.Writer }{p.pacer}, src, buf[:])
}

var copyBuffers = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// Hijack lets the handler take over the connection. The Server still cancels the context of
// the request when it stops.
func (p connPacer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := p.w.(http.Hijacker).Hijack() // removes all deadlines
	if err == nil {
		p.hijacked = conn
		p.server.watch(p.pacer)
	}
	return conn, rw, err
}

// finish is called when the handler has returned or panicked. After it net/http sends what is
// left in its buffers, and reads the rest of the request body.
func (p *pacer) finish() {
	if p.hijacked == nil {
		p.begin(http.StatusOK)
	}
	if p.watched {
		p.server.unwatch(p)
	}
	if p.hijacked != nil {
		return
	}
	p.startWrite()
	p.linger()
	p.body.finish(p.sent)
}

// linger makes net/http wait a moment before it closes a connection with an unread request
// body. If it closed at once, the system would reset the connection, and the client might
// lose the response. net/http only waits if an http.MaxBytesReader has reported a body that
// is too large, so linger lets one report that.
func (p *pacer) linger() {
	if p.isConn && p.closes && p.body.isOpen() {
		http.MaxBytesReader(p.w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
	}
}
