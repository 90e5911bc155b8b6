package server

import (
	"net"
	"sync/atomic"
	"time"
)

// maxQueue is how many connections wait for a listener at most: systems allow fewer
// (net.core.somaxconn).
const maxQueue = 1 << 16

// A stopLine is a listener that can be told to accept no more than the connections
// that wait for it already. If it were closed at once, the system would reset those.
type stopLine struct {
	net.Listener
	told  atomic.Bool
	taken int // how many connections it has accepted since then
}

// Accept returns the next connection.
func (l *stopLine) Accept() (net.Conn, error) {
	conn, err := l.accept()
	if err == nil {
		limitUnsent(conn)
	}
	return conn, err
}

// accept returns the next connection. Once the listener is told to stop, it still
// returns all that wait by then, however long that takes. The system gives them in the
// order in which they came, so that they are among the next maxQueue. After that many
// accept fails: clients that go on to come cannot keep the listener from its end.
func (l *stopLine) accept() (net.Conn, error) {
	if !l.told.Load() {
		conn, err := l.Listener.Accept()
		if err == nil || !l.told.Load() {
			return conn, err
		}
	}
	if l.taken++; l.taken > maxQueue {
		return nil, net.ErrClosed
	}
	conn, err := acceptWaiting(l.Listener)
	if err != nil {
		return nil, net.ErrClosed // any other error might have http.Server try again
	}
	return conn, nil
}

// stop makes Accept fail as soon as nothing waits any more. After Close it fails at once.
func (l *stopLine) stop() {
	l.told.Store(true)
	d, ok := l.Listener.(interface{ SetDeadline(time.Time) error })
	if !ok || d.SetDeadline(time.Unix(0, 0)) != nil { // which wakes Accept
		l.Listener.Close()
	}
}
