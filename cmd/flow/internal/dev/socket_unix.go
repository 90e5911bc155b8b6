//go:build unix

package dev

import (
	"net"
	"os"
	"syscall"
)

// canPassSockets: a child inherits the descriptors of sockets.
const canPassSockets = true

// socketFile returns the socket of a listener as a file for children. It is not the File
// of the listener: to hand that to a child makes the socket wait in accept(2), for all
// processes that have it, and one that waits there cannot stop.
func socketFile(l *net.TCPListener) (*os.File, error) {
	raw, err := l.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var dupErr error
	if err := raw.Control(func(original uintptr) { fd, dupErr = dup(int(original)) }); err != nil {
		return nil, err
	}
	if dupErr != nil {
		return nil, os.NewSyscallError("dup", dupErr)
	}
	return os.NewFile(uintptr(fd), "socket"), nil
}

func dup(original int) (fd int, err error) {
	syscall.ForkLock.RLock() // or a child that starts just now may get the descriptor, too
	defer syscall.ForkLock.RUnlock()
	fd, err = syscall.Dup(original)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	return fd, err
}
