//go:build unix

package server

import (
	"io/fs"
	"net"
	"os"
	"syscall"
)

// listenSocket listens on a new socket in the file system. It sets the file mode between
// bind(2) and listen(2), while the system refuses every connection. net.Listen would call
// both at once. The umask would limit the mode too, but it counts for the whole process,
// which may be making other files.
func listenSocket(file string, mode fs.FileMode) (net.Listener, error) {
	bound, err := bindSocket(file)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: "unix", Addr: &net.UnixAddr{Name: file, Net: "unix"}, Err: err}
	}
	defer bound.Close() // the listener has a descriptor of its own
	l, err := listenBound(bound, file, mode)
	if err != nil {
		os.Remove(file)
		return nil, err
	}
	return l, nil
}

// bindSocket makes a socket in the file system, without listen(2).
func bindSocket(file string) (*os.File, error) {
	syscall.ForkLock.RLock() // so that no child process starts before CloseOnExec
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: file}); err != nil {
		syscall.Close(fd)
		return nil, os.NewSyscallError("bind", err)
	}
	return os.NewFile(uintptr(fd), file), nil
}

// listenBound sets the file mode of a socket, and then listens on it.
func listenBound(bound *os.File, file string, mode fs.FileMode) (net.Listener, error) {
	if err := os.Chmod(file, mode); err != nil {
		return nil, err
	}
	if err := syscall.Listen(int(bound.Fd()), maxQueue-1); err != nil {
		return nil, os.NewSyscallError("listen", err)
	}
	l, err := net.FileListener(bound)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(true)
	return l, nil
}
