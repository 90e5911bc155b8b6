package server

import (
	"net"
	"sync"
	"sync/atomic"
)

// The freshConns are the connections that have sent nothing yet.
type freshConns struct {
	conns sync.Map     // of net.Conn
	n     atomic.Int64 // how many there are, or a moment before
}

func (f *freshConns) add(conn net.Conn) {
	f.n.Add(1) // before it can be found, so that remove does not overlook it
	f.conns.Store(conn, nil)
}

// remove is called for each request, and mostly has nothing to do.
func (f *freshConns) remove(conn net.Conn) {
	if f.n.Load() == 0 {
		return
	}
	if _, found := f.conns.LoadAndDelete(conn); found {
		f.n.Add(-1)
	}
}

func (f *freshConns) close() {
	for conn := range f.conns.Range {
		conn.(net.Conn).Close()
	}
}
