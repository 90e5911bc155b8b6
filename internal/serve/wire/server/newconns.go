package server

import (
	"net"
	"sync"
	"sync/atomic"
)

// newConns are the connections in http.StateNew: they have sent nothing yet.
type newConns struct {
	conns sync.Map     // of net.Conn
	n     atomic.Int64 // at least as many as there are in conns
}

func (f *newConns) add(conn net.Conn) {
	f.n.Add(1) // before Store: remove looks for conn only if n is not 0
	f.conns.Store(conn, nil)
}

// remove is called for each request. On most calls there is nothing to remove.
func (f *newConns) remove(conn net.Conn) {
	if f.n.Load() == 0 {
		return
	}
	if _, found := f.conns.LoadAndDelete(conn); found {
		f.n.Add(-1)
	}
}

func (f *newConns) close() {
	for conn := range f.conns.Range {
		conn.(net.Conn).Close()
	}
}
