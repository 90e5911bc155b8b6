package server

import (
	"net"
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
	stopping atomic.Bool
	late     int // connections that it has accepted since stop
}

// Accept returns the next connection.
func (l *drainingListener) Accept() (net.Conn, error) {
	conn, err := l.accept()
	if err == nil {
		limitUnsent(conn)
	}
	return conn, err
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
	if l.late++; l.late > maxQueue {
		return nil, net.ErrClosed
	}
	conn, err := acceptWaiting(l.Listener)
	if err != nil {
		return nil, net.ErrClosed // http.Server tries again after some other errors
	}
	return conn, nil
}

// stop makes Accept fail as soon as no connection is queued.
func (l *drainingListener) stop() {
	l.stopping.Store(true)
	d, ok := l.Listener.(interface{ SetDeadline(time.Time) error })
	if !ok || d.SetDeadline(time.Unix(0, 0)) != nil { // a deadline in the past wakes Accept
		l.Listener.Close()
	}
}
