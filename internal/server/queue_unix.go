//go:build unix

package server

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// acceptWaiting returns a connection that waits for a listener, or an error if there is
// none. It calls accept(2) itself, since the Accept of package net does not try once its
// deadline is over. Any later deadline might be over, too, before it tries.
func acceptWaiting(l net.Listener) (net.Conn, error) {
	s, ok := l.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil, err
	}
	var accepted int
	var acceptErr error
	if err := raw.Control(func(fd uintptr) { accepted, acceptErr = accept(int(fd)) }); err != nil {
		return nil, err
	}
	if acceptErr != nil {
		return nil, acceptErr
	}
	file := os.NewFile(uintptr(accepted), "")
	defer file.Close() // the connection has a descriptor of its own
	return net.FileConn(file)
}

// accept is accept(2), which does not wait on a descriptor of package net.
func accept(fd int) (int, error) {
	syscall.ForkLock.RLock() // or a child that starts just now may get the descriptor, too
	defer syscall.ForkLock.RUnlock()
	for {
		accepted, _, err := syscall.Accept(fd)
		switch err {
		case nil:
			syscall.CloseOnExec(accepted)
			return accepted, nil
		case syscall.EINTR, syscall.ECONNABORTED: // a client that left while it waited
		default:
			return -1, err
		}
	}
}
