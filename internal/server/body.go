package server

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// The states of a pacedBody.
const (
	bodyEnded = iota // none, read to its end, or closed: a deadline set now would cut off the next request
	bodyOpen
	bodyFailed // its deadline is over, and is not lifted: nothing more must wait for the client
)

// A pacedBody is the body of a request, which a client must send at a pace.
type pacedBody struct {
	io.ReadCloser
	pacer *pacer

	mu     sync.Mutex // handlers may write while they read in another goroutine
	state  int
	begun  bool          // there was a Read
	budget time.Duration // how long Reads may still wait
	until  time.Time     // the deadline of the Read that is under way
	own    bool          // the handler sets deadlines by itself
	duplex bool          // net/http does not read the rest before it sends the header
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

// startRead sets the deadline of a Read, and reports whether endRead is to follow.
func (b *pacedBody) startRead() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != bodyOpen {
		return false
	}
	now := time.Now()
	if p := b.pacer; p.isConn && p.expects && !b.begun && !p.ownWrite.Load() {
		p.w.SetWriteDeadline(now.Add(writeTime + slack)) // for 100 Continue, which the first Read sends
	}
	b.begun = true
	if b.own {
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
	if !b.own {
		b.pacer.w.SetReadDeadline(time.Time{})
	}
}

// Close reads, in HTTP/1, up to 256 KB of what is left.
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

// disown leaves the deadlines to the handler.
func (b *pacedBody) disown() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.own = true
}

// stay notes that the handler wants to read on while it answers (full duplex).
func (b *pacedBody) stay() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.duplex = true
}

// stays reports whether some of the body may still be unread when the header is sent, in
// full duplex. After the handler net/http reads the rest, but only for a while, and
// would take what it has not read for the next request. So the connection must not be
// used again.
func (b *pacedBody) stays() bool {
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

// grantDiscard limits the reading that net/http does before it sends a header, and
// revokeDiscard lifts that again, for the Read that may be under way.
func (b *pacedBody) grantDiscard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.discards() {
		b.pacer.w.SetReadDeadline(time.Now().Add(discardTime))
	}
}

func (b *pacedBody) revokeDiscard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.discards() {
		b.pacer.w.SetReadDeadline(b.until)
	}
}

func (b *pacedBody) discards() bool {
	return b.state == bodyOpen && b.pacer.isConn && !b.own && !b.duplex
}

// finish limits the reading that net/http does after the handler. If the header
// was sent, net/http may have read the rest and closed the body already, and then
// waits for the next request: a deadline would cancel the context of the connection.
func (b *pacedBody) finish(sent bool) {
	b.mu.Lock()
	open := b.state == bodyOpen && b.pacer.isConn
	b.state = bodyEnded // a goroutine that reads on must not set deadlines any more
	if open {
		b.pacer.w.SetReadDeadline(time.Now().Add(discardTime))
	}
	b.mu.Unlock()
	// A client that waits for 100 Continue is never read from without having been told,
	// and the connection of a full-duplex answer is closed in any case.
	if !open || !sent || b.duplex || b.pacer.expects {
		return
	}
	// Reading no bytes only asks whether the body is at its end or closed. It must not wait
	// for the client, since what is left of the answer is not sent yet.
	if _, err := b.ReadCloser.Read(nil); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		b.pacer.w.SetReadDeadline(time.Time{})
	}
}
