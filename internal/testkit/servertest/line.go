package servertest

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// A Line is a listener in memory. With it, time in a bubble of testing/synctest passes
// while clients and servers wait for each other: a test sees limits of minutes at once,
// however busy the machine is.
type Line struct {
	queue  chan net.Conn
	closed chan struct{}
	close  func()
	dialed sync.Mutex
	port   int // of the client that dialed last
}

// NewLine returns a Line.
func NewLine() *Line {
	l := &Line{queue: make(chan net.Conn), closed: make(chan struct{}), port: 1 << 15}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// Accept returns the connection of the next client that dials.
func (l *Line) Accept() (net.Conn, error) {
	select {
	case conn := <-l.queue:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close makes Dial fail from now on.
func (l *Line) Close() error {
	l.close()
	return nil
}

// Addr returns an address that certificates of this package are for.
func (l *Line) Addr() net.Addr { return address(80) }

func address(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }

// Dial returns a connection, a *Conn, as soon as it is accepted.
func (l *Line) Dial() (net.Conn, error) {
	l.dialed.Lock()
	l.port++
	port := l.port
	l.dialed.Unlock()
	up, down := newStream(), newStream()
	client := &Conn{in: down, out: up, local: address(port), remote: l.Addr()}
	select {
	case l.queue <- &Conn{in: up, out: down, local: client.remote, remote: client.local}:
		return client, nil
	case <-l.closed:
		return nil, syscall.ECONNREFUSED
	}
}

// A Conn is one end of a connection in memory.
type Conn struct {
	in, out       *stream
	local, remote net.Addr
}

// Read, Write and the rest are those of a net.Conn.
func (c *Conn) Read(b []byte) (int, error)         { return c.in.read(b) }
func (c *Conn) Write(b []byte) (int, error)        { return c.out.write(b) }
func (c *Conn) LocalAddr() net.Addr                { return c.local }
func (c *Conn) RemoteAddr() net.Addr               { return c.remote }
func (c *Conn) SetReadDeadline(t time.Time) error  { return c.in.setDeadline(&c.in.readBy, t) }
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.out.setDeadline(&c.out.writeBy, t) }

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// Close lets the other end read what was written, and take no more.
func (c *Conn) Close() error {
	c.in.change(func(s *stream) { s.deaf = true })
	return c.CloseWrite()
}

// CloseWrite lets the other end read what was written, and then an EOF.
func (c *Conn) CloseWrite() error {
	c.out.change(func(s *stream) { s.ended = true })
	return nil
}

// Narrow is how many bytes a connection holds in each direction. It is little, so that
// an end that does not read is felt.
const Narrow = 64 << 10

// A stream is one direction of a connection.
type stream struct {
	mu      sync.Mutex
	changed *sync.Cond
	held    []byte

	ended bool // nothing more is written
	deaf  bool // nothing more is read

	readBy, writeBy deadline
}

type deadline struct {
	time  time.Time
	timer *time.Timer
}

func (d deadline) isOver() bool { return !d.time.IsZero() && !time.Now().Before(d.time) }

func newStream() *stream {
	s := &stream{}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *stream) change(f func(*stream)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
	s.changed.Broadcast()
}

func (s *stream) setDeadline(d *deadline, t time.Time) error {
	s.change(func(s *stream) { // which wakes whoever waits, if the time is over already
		if d.timer != nil {
			d.timer.Stop()
		}
		*d = deadline{time: t}
		// In a bubble a timer that is over runs at once, in the goroutine that starts it. If
		// two do so at the same time, the race detector of Go 1.26 crashes: "ThreadSanitizer:
		// CHECK failed". net/http sets many such deadlines, to end a Read.
		if left := time.Until(t); !t.IsZero() && left > 0 {
			d.timer = time.AfterFunc(left, func() { s.change(func(*stream) {}) })
		}
	})
	return nil
}

func (s *stream) read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.deaf:
			return 0, net.ErrClosed
		case s.readBy.isOver():
			return 0, os.ErrDeadlineExceeded
		case len(s.held) > 0 || len(b) == 0:
			n := copy(b, s.held)
			s.held = s.held[n:]
			s.changed.Broadcast()
			return n, nil
		case s.ended:
			return 0, io.EOF
		}
		s.changed.Wait()
	}
}

func (s *stream) write(b []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.ended:
			return n, net.ErrClosed
		case s.deaf:
			return n, syscall.EPIPE
		case s.writeBy.isOver():
			return n, os.ErrDeadlineExceeded
		case len(b) == 0:
			return n, nil
		}
		if size := min(len(b), Narrow-len(s.held)); size > 0 {
			s.held = append(s.held, b[:size]...)
			n, b = n+size, b[size:]
			s.changed.Broadcast()
			continue
		}
		s.changed.Wait()
	}
}
