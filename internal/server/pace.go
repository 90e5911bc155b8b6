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
	// heldBack is how many bytes of an answer net/http keeps at least before it sends
	// any (bufferBeforeChunkingSize in net/http/server.go; twice as much in HTTP/2).
	// Writes within that cannot wait for the client.
	heldBack = 2 << 10

	// never is so far away that a deadline then stands for none. In HTTP/2 the zero Time
	// removes the timer of a stream, and the next deadline makes a new one, even on a
	// stream that is closed by then: it would reset a stream that has ended long ago.
	never = 365 * 24 * time.Hour
)

// A writer is a ResponseWriter of net/http's server.
type writer interface {
	http.ResponseWriter
	io.StringWriter
	FlushError() error
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	EnableFullDuplex() error
}

// A pacer is the ResponseWriter of one request. It sets the deadlines of the
// connection anew for the pieces that are read or written.
type pacer struct {
	server *Server
	w      writer
	ctx    requestContext
	body   pacedBody

	isConn  bool // HTTP/1
	expects bool // the client waits for 100 Continue
	closes  bool // the client wants the connection to be closed

	begun    bool          // the header is decided
	sent     bool          // something may have been sent, and with it the header
	watched  bool          // see Server.watch
	ownWrite atomic.Bool   // the handler sets deadlines for writing by itself
	budget   time.Duration // how long writes may still wait
	written  int           // bytes that have not earned time yet
	since    time.Time     // when the write began that is under way
	until    time.Time     // the deadline for writing that holds; zero if none does
	unsent   int           // bytes written that net/http may hold back; heldBack if unknown
	hijacked net.Conn
}

// A connPacer is a pacer of HTTP/1, whose writers can do more.
type connPacer struct{ *pacer }

// pace returns the writer and the request that a handler gets in place of the
// server's. The server's own request must stay as it is: net/http looks at the type
// of its body to tell what is left of it.
func (s *Server) pace(w http.ResponseWriter, r *http.Request) (*pacer, http.ResponseWriter, *http.Request) {
	p := &pacer{server: s, w: w.(writer), closes: r.Close, budget: writeTime}
	if s.TLS == nil {
		p.isConn = true                             // since net/http speaks HTTP/2 only with TLS
		p.until = time.Now().Add(writeTime + slack) // it has just set the deadline of its WriteTimeout
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
		// In HTTP/2 a request that ends with its header has a Body, too.
		r.Body = http.NoBody
	default:
		if !p.isConn {
			p.w.SetReadDeadline(time.Time{}) // lifts that of ReadTimeout
		}
		p.expects = len(r.Header["Expect"]) > 0
		p.body.ReadCloser, p.body.state, p.body.budget = r.Body, bodyOpen, readTime
		r.Body = &p.body
	}
	if p.isConn {
		return p, connPacer{p}, r
	}
	return p, p, r
}

// Header returns the header of the writer below.
func (p *pacer) Header() http.Header { return p.w.Header() }

// Unwrap is for http.ResponseController. What is written to the writer below has the time
// that was granted last.
func (p *pacer) Unwrap() http.ResponseWriter { return p.w }

// begin adds what the server has to say to the header, before it is sent.
func (p *pacer) begin(status int) {
	if p.begun {
		return
	}
	p.begun = true
	h := p.w.Header()
	if status != http.StatusSwitchingProtocols && (p.server.draining.Load() || p.body.stays()) {
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

// WriteHeader decides the header. Informational answers are sent at once.
func (p *pacer) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		p.begin(status)
		p.w.WriteHeader(status)
		return
	}
	p.grantWrite()
	defer p.revokeWrite()
	p.w.WriteHeader(status)
}

func (p *pacer) Write(b []byte) (int, error) { return writePieces(p, b, writer.Write) }

// WriteString is Write without a copy.
func (p *pacer) WriteString(s string) (int, error) { return writePieces(p, s, writer.WriteString) }

func writePieces[T []byte | string](p *pacer, text T, write func(writer, T) (int, error)) (n int, err error) {
	p.begin(http.StatusOK)
	for {
		size := min(len(text), pieceSize)
		p.account(size)
		m, err := write(p.w, text[:size])
		p.settle(m)
		n, text = n+m, text[size:]
		if err != nil || len(text) == 0 {
			return n, err
		}
	}
}

// account is called before n bytes are written, and settle when they are. They set no
// deadlines while net/http holds the bytes back. What is written earns time, in whole
// pieces, so that a small answer needs no deadline but that of its request.
func (p *pacer) account(n int) {
	p.unsent = min(p.unsent+n, heldBack+1)
	if p.unsent > heldBack {
		p.grant()
	}
}

func (p *pacer) settle(n int) {
	if p.unsent > heldBack {
		p.revoke()
	}
	if p.written += n; p.written >= pieceSize {
		p.written -= pieceSize
		p.budget = min(p.budget+writeTime, writeMost)
	}
}

// grant gives the client time to take what is sent next. The first time, net/http
// may read the rest of the body before it sends the header.
func (p *pacer) grant() {
	p.grantWrite()
	if !p.sent {
		p.body.grantDiscard()
	}
}

// revoke lifts what grant set.
func (p *pacer) revoke() {
	p.revokeWrite()
	if !p.sent {
		p.sent = true
		p.body.revokeDiscard()
	}
}

// grantWrite sets the deadline for writing to the end of the budget, unless the one that
// holds is no earlier and at most the slack later.
func (p *pacer) grantWrite() {
	if p.ownWrite.Load() {
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

// revokeWrite takes the time since grantWrite from the budget, and lifts the deadline. In
// HTTP/1 one that is over does no harm, since each write sets it anew; in HTTP/2 it resets
// the stream.
func (p *pacer) revokeWrite() {
	if p.ownWrite.Load() {
		return
	}
	p.budget -= time.Since(p.since)
	if !p.isConn {
		p.until = time.Time{}
		p.w.SetWriteDeadline(time.Now().Add(never))
	}
}

// FlushError flushes the answer. http.ResponseController prefers it to Flush.
func (p *pacer) FlushError() error {
	p.begin(http.StatusOK)
	p.grant()
	defer p.revoke()
	err := p.w.FlushError()
	p.unsent = 0
	return err
}

// Flush is FlushError for those who use the writer as an http.Flusher.
func (p *pacer) Flush() { p.FlushError() }

// SetReadDeadline is for http.ResponseController. It replaces the limits for
// reading for the rest of the request; the zero Time is no limit at all.
func (p *pacer) SetReadDeadline(deadline time.Time) error {
	p.body.disown()
	return p.w.SetReadDeadline(deadline)
}

// SetWriteDeadline is SetReadDeadline for writing.
func (p *pacer) SetWriteDeadline(deadline time.Time) error {
	p.ownWrite.Store(true)
	return p.w.SetWriteDeadline(deadline)
}

// EnableFullDuplex is for http.ResponseController. It is an error once the header is
// decided.
func (p *pacer) EnableFullDuplex() error {
	if p.begun {
		return errors.New("flow: EnableFullDuplex comes too late: the answer has begun")
	}
	p.body.stay()
	return p.w.EnableFullDuplex()
}

// ReadFrom is for io.Copy, which would need a buffer for each answer. There is no
// special way for files, which the system can copy by itself (sendfile(2)): over
// loopback that is no faster than pieces as large as these.
func (p connPacer) ReadFrom(src io.Reader) (int64, error) {
	buf := copyBuffers.Get().(*[pieceSize]byte)
	defer copyBuffers.Put(buf)
	return io.CopyBuffer(struct{ io.Writer }{p.pacer}, src, buf[:])
}

var copyBuffers = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// Hijack takes the connection over. The server still tells the handler, by the
// request's context, when it stops.
func (p connPacer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := p.w.(http.Hijacker).Hijack() // lifts all deadlines
	if err == nil {
		p.hijacked = conn
		p.server.watch(p.pacer)
	}
	return conn, rw, err
}

// finish is called when the handler has returned or panicked: net/http then sends
// what it held back, and reads what is left of the body.
func (p *pacer) finish() {
	if p.hijacked == nil {
		p.begin(http.StatusOK)
	}
	if p.watched {
		p.server.forget(p)
	}
	if p.hijacked != nil {
		return
	}
	p.grantWrite()
	p.linger()
	p.body.finish(p.sent)
}

// linger has net/http wait a little before it closes a connection of which it has not
// read all, so that the answer arrives. By itself net/http only does so if a body is too
// large, which an http.MaxBytesReader tells it. So one is made here that is too small.
func (p *pacer) linger() {
	if p.isConn && p.closes && p.body.isOpen() {
		http.MaxBytesReader(p.w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
	}
}
