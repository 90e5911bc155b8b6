package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// unixPrefix begins an address that is the path of a socket.
const unixPrefix = "unix:"

// DefaultSocketMode lets the owner and the group of a socket connect.
const DefaultSocketMode fs.FileMode = 0o660

// listen returns the listeners for an address: those that the program was started
// with, which are inherited, else one for "host:port" or "unix:/path/of/the.sock", a
// socket that gets a mode.
func listen(addr string, mode fs.FileMode) (listeners []net.Listener, inherited bool, err error) {
	listeners, err = inheritedListeners()
	if err != nil || len(listeners) > 0 {
		return listeners, true, err
	}
	l, err := listenOn(addr, mode)
	if err != nil {
		return nil, false, err
	}
	return []net.Listener{l}, false, nil
}

func listenOn(addr string, mode fs.FileMode) (net.Listener, error) {
	file, isUnix := strings.CutPrefix(addr, unixPrefix)
	switch {
	case isUnix && file != "":
		return listenUnix(file, mode)
	case isUnix, addr == "":
		return nil, errors.New(`there is no address to listen on: give "host:port", ":8080" or "unix:/path/of/the.sock"`)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", addr, err)
	}
	return l, nil
}

// listenUnix listens on a socket in the file system. A socket that is there and
// that nobody listens on was left by a server that could not clean up; anything
// else that is there stays. Of several programs that find one at the same time, the
// last one has the path.
func listenUnix(file string, mode fs.FileMode) (net.Listener, error) {
	if strings.HasPrefix(file, "@") {
		return nil, fmt.Errorf("%s%s is no path: on Linux, names that begin with @ are of sockets without a file, to which everybody may connect; give %[1]s./%[2]s for a file", unixPrefix, file)
	}
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s%s is no socket: remove it, or give another path", unixPrefix, file)
	default:
		if err := removeStale(file); err != nil {
			return nil, err
		}
	}
	return listenSocket(file, mode)
}

// removeStale removes a socket that nobody listens on.
func removeStale(file string) error {
	conn, err := net.DialTimeout("unix", file, time.Second)
	if err == nil {
		conn.Close()
		return fmt.Errorf("%s%s is taken: another program answers on it", unixPrefix, file)
	}
	// If the queue of a listener is full, dialing times out.
	var ne net.Error
	if errors.Is(err, fs.ErrPermission) || errors.As(err, &ne) && ne.Timeout() {
		return fmt.Errorf("%s%s may be in use by another program: %w", unixPrefix, file, err)
	}
	return os.Remove(file)
}

// firstInherited is the descriptor of the first socket that a service manager
// passes: sd_listen_fds(3), SD_LISTEN_FDS_START.
const firstInherited = 3

// inheritedListeners returns the sockets that a service manager opened for this
// process, as sd_listen_fds(3) defines. It unsets the variables that speak of them,
// so that children do not take them for theirs.
func inheritedListeners() ([]net.Listener, error) {
	pid, fds := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS")
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name)
	}
	if pid != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	n, err := strconv.ParseUint(fds, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("LISTEN_FDS is %q: it must be a number of sockets", fds)
	}
	var listeners []net.Listener
	for fd := firstInherited; fd < firstInherited+int(n); fd++ {
		l, err := inherit(fd)
		if err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("LISTEN_FDS is %d, but descriptor %d is no socket to listen on: %w", n, fd, err)
		}
		listeners = append(listeners, l)
	}
	return listeners, nil
}

func inherit(fd int) (net.Listener, error) {
	file := os.NewFile(uintptr(fd), "LISTEN_FD_"+strconv.Itoa(fd))
	if file == nil {
		return nil, fs.ErrInvalid
	}
	defer file.Close() // the listener has a descriptor of its own
	return net.FileListener(file)
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		l.Close()
	}
}

// urlOf returns a URL that a browser on this machine can open, or the address of
// a socket in the file system.
func urlOf(addr net.Addr, secure bool) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	switch a := addr.(type) {
	case *net.UnixAddr:
		return unixPrefix + a.Name
	case *net.TCPAddr:
		if a.IP.IsUnspecified() {
			return fmt.Sprintf("%s://localhost:%d", scheme, a.Port)
		}
	}
	return scheme + "://" + addr.String()
}
