package server

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// maxQueue is more than the connections that can be queued for a listener: systems allow
// fewer (net.core.somaxconn).
const maxQueue = 1 << 16

// A drainingListener is a listener that stops gracefully: after stop it accepts the
// connections that are queued by then, and no more. Close would reset those connections.
type drainingListener struct {
	net.Listener
	opaque   bool // its Accept may do more than accept, as one of TLS does: nothing goes past it
	stopping atomic.Bool
	closing  sync.Once
	late     int // connections that it has accepted since stop
}

// Accept returns the next connection.
func (l *drainingListener) Accept() (net.Conn, error) {
	conn, err := l.accept()
	if err == nil {
		limitUnsent(below(conn))
	}
	return conn, err
}

// below returns the connection of the system that carries one of TLS.
func below(conn net.Conn) net.Conn {
	for {
		above, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = above.NetConn()
	}
}

// accept returns the next connection. After stop it returns queued connections until there
// are none. The system queues them in their order of arrival, so those from before stop are
// among the next maxQueue. After that many accept fails, so that new clients cannot keep the
// listener open.
func (l *drainingListener) accept() (net.Conn, error) {
	if !l.stopping.Load() {
		conn, err := l.Listener.Accept()
		if err == nil || !l.stopping.Load() {
			return conn, err
		}
	}
	if l.late++; l.opaque || l.late > maxQueue {
		return nil, net.ErrClosed
	}
	conn, err := acceptWaiting(l.Listener)
	if err != nil {
		return nil, net.ErrClosed // http.Server tries again after some other errors
	}
	return conn, nil
}

// isSocket reports whether l is a listener of package net, and not one that embeds it.
func isSocket(l net.Listener) bool {
	switch l.(type) {
	case *net.TCPListener, *net.UnixListener:
		return true
	}
	return false
}

// stop makes Accept fail as soon as no connection is queued.
func (l *drainingListener) stop() {
	l.stopping.Store(true)
	d, ok := l.Listener.(interface{ SetDeadline(time.Time) error })
	if !ok || l.opaque || d.SetDeadline(time.Unix(0, 0)) != nil { // a deadline in the past wakes Accept
		l.Close()
	}
}

// Close closes the listener once. That of an application may not expect more.
func (l *drainingListener) Close() (err error) {
	l.closing.Do(func() { err = l.Listener.Close() })
	return err
}
