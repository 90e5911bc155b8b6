package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// The states of a pacedBody.
const (
	bodyEnded = iota // there is none, or it was read to its end or closed: a deadline would cut off the next request
	bodyOpen
	bodyFailed // a Read has timed out; the deadline stays, so that no later Read waits
)

// A pacedBody is the body of a request. Its Reads set read deadlines.
type pacedBody struct {
	io.ReadCloser
	pacer *pacer

	mu     sync.Mutex // a handler may write in another goroutine than it reads
	state  int
	begun  bool          // Read was called
	budget time.Duration // how long Reads may still wait
	until  time.Time     // the deadline of the current Read; zero if there is none
	manual bool          // the handler has called SetReadDeadline, and Read no longer does
	duplex bool          // EnableFullDuplex was called: net/http does not read the rest before it sends the header

	// unread says that the request has "Expect: 100-continue", and that no Read has reached the
	// body of net/http. Since Go 1.27, net/http refuses Reads once the answer has begun, and Close
	// reads nothing. net/http reads the rest after the handler, without a limit of its own, and
	// then closes the connection.
	unread bool
}

func (b *pacedBody) Read(buf []byte) (int, error) {
	if !b.startRead() {
		return b.ReadCloser.Read(buf)
	}
	start := time.Now()
	n, err := b.ReadCloser.Read(buf)
	b.endRead(n, err, time.Since(start))
	return n, err
}

// startRead sets the deadline of a Read, and reports whether the caller must call endRead.
func (b *pacedBody) startRead() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != bodyOpen {
		return false
	}
	now := time.Now()
	if p := b.pacer; p.isConn && p.expects && !b.begun && !p.manualWrite.Load() {
		p.w.SetWriteDeadline(now.Add(writeTime + slack)) // the first Read sends 100 Continue
	}
	b.begun = true
	if b.manual {
		return true
	}
	b.until = now.Add(b.budget)
	b.pacer.w.SetReadDeadline(b.until)
	return true
}

func (b *pacedBody) endRead(n int, err error, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	earned := time.Duration(n) * time.Second / time.Duration(readRate)
	b.budget = min(b.budget-took+earned, readTime)
	b.until = time.Time{}
	if !errors.Is(err, http.ErrBodyReadAfterClose) {
		b.unread = false
	}
	if b.state != bodyOpen {
		return
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		b.state = bodyFailed
		return
	}
	if err != nil {
		b.state = bodyEnded
	}
	if !b.manual {
		b.pacer.w.SetReadDeadline(time.Time{})
	}
}

// Close closes the body. In HTTP/1 that reads up to 256 KB of its rest, for discardTime at
// most.
func (b *pacedBody) Close() error {
	b.mu.Lock()
	discards := b.state == bodyOpen && b.pacer.isConn
	if discards {
		b.pacer.w.SetReadDeadline(time.Now().Add(discardTime))
	}
	b.state = bodyEnded
	b.mu.Unlock()
	err := b.ReadCloser.Close()
	if discards {
		b.pacer.w.SetReadDeadline(time.Time{})
	}
	return err
}

// setManual leaves the read deadlines to the handler.
func (b *pacedBody) setManual() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.manual = true
}

// setDuplex notes that the handler reads the request while it writes the response.
func (b *pacedBody) setDuplex() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.duplex = true
}

// leavesUnread reports whether, in full duplex, some of the body may be unread after the
// response. net/http reads the rest after the handler, but not all of a long one, and would
// take the remaining bytes for the next request. So the connection must be closed.
func (b *pacedBody) leavesUnread() bool {
	if b.ReadCloser == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.duplex && b.pacer.isConn && b.state != bodyEnded
}

func (b *pacedBody) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state != bodyEnded
}

// startDiscard sets the deadline for the rest of the body that net/http reads before it sends
// the header. endDiscard restores the deadline of a Read in another goroutine.
func (b *pacedBody) startDiscard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.discards() {
		b.pacer.w.SetReadDeadline(time.Now().Add(discardTime))
	}
}

func (b *pacedBody) endDiscard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.discards() {
		b.pacer.w.SetReadDeadline(b.until)
	}
}

func (b *pacedBody) discards() bool {
	return b.state == bodyOpen && b.pacer.isConn && !b.manual && !b.duplex
}

// finish sets the deadline for the rest of the body that net/http reads after the handler. If
// the header was sent, net/http may have read the rest before, and is waiting for the next
// request: a deadline that passes then would cancel the context of the connection.
func (b *pacedBody) finish(sent bool) {
	b.mu.Lock()
	open := (b.state == bodyOpen || b.unread) && b.pacer.isConn
	b.state = bodyEnded // so that a goroutine of the handler that still reads sets no deadlines
	if open {
		b.pacer.w.SetReadDeadline(time.Now().Add(discardTime))
	}
	b.mu.Unlock()
	// net/http does not read the body of a client that still waits for 100 Continue. In full
	// duplex the connection is closed.
	if !open || !sent || b.duplex || b.pacer.expects {
		return
	}
	// A Read of 0 bytes returns an error if the body has ended or is closed. It does not wait
	// for the client, who may be waiting for the rest of the response.
	if _, err := b.ReadCloser.Read(nil); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		b.pacer.w.SetReadDeadline(time.Time{})
	}
}
