//go:build unix

package server

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// acceptWaiting returns a connection that is queued for a listener, or an error if there is
// none. It calls accept(2) itself: Accept of package net fails without a look at the queue
// once its deadline is over, and a later deadline might also be over before it looks.
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

// accept is accept(2). It does not wait, since package net makes descriptors non-blocking.
func accept(fd int) (int, error) {
	syscall.ForkLock.RLock() // so that no child process starts before CloseOnExec
	defer syscall.ForkLock.RUnlock()
	for {
		accepted, _, err := syscall.Accept(fd)
		switch err {
		case nil:
			syscall.CloseOnExec(accepted)
			return accepted, nil
		case syscall.EINTR, syscall.ECONNABORTED: // ECONNABORTED: the client has left the queue
		default:
			return -1, err
		}
	}
}
