package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// unixPrefix marks an address that is the path of a Unix socket.
const unixPrefix = "unix:"

// DefaultSocketMode allows the owner and the group of a socket to connect.
const DefaultSocketMode fs.FileMode = 0o660

// listen returns the sockets that a service manager has passed, if any: they are inherited.
// Otherwise it opens a listener for "host:port", or for "unix:/path/of/the.sock", a socket
// with the file mode.
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

// listenUnix listens on a socket in the file system. It replaces a socket on which no program
// listens, since a server that was killed leaves its socket behind. Anything else at the path
// is an error. If several programs replace a socket at the same time, the last one gets the
// path.
func listenUnix(file string, mode fs.FileMode) (net.Listener, error) {
	if strings.HasPrefix(file, "@") {
		return nil, fmt.Errorf("%s%s is no path: on Linux, a name that begins with @ is a socket without a file, to which everybody may connect; give %[1]s./%[2]s for a file", unixPrefix, file)
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

// removeStale removes a socket on which no program listens.
func removeStale(file string) error {
	conn, err := net.DialTimeout("unix", file, time.Second)
	if err == nil {
		conn.Close()
		return fmt.Errorf("%s%s is taken: another program answers on it", unixPrefix, file)
	}
	// A dial that times out means that a program listens, but its queue is full.
	var ne net.Error
	if errors.Is(err, fs.ErrPermission) || errors.As(err, &ne) && ne.Timeout() {
		return fmt.Errorf("%s%s may be in use by another program: %w", unixPrefix, file, err)
	}
	return os.Remove(file)
}

// firstInherited is the file descriptor of the first socket that a service manager passes
// (SD_LISTEN_FDS_START of sd_listen_fds(3)).
const firstInherited = 3

// inheritedListeners returns the sockets that a service manager has passed to this process,
// as sd_listen_fds(3) defines. It unsets the environment variables that name them, since
// child processes do not get the sockets.
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
			for _, l := range listeners {
				l.Close()
			}
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

// urlOf returns the URL of a listener for a browser on this machine. For a socket in the file
// system it returns the address with unixPrefix.
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

// urlAt returns where a browser on this machine finds what listens at an address, as the browser
// writes it: origins are compared as texts, and passkeys need a name for the host. It returns ""
// if the address does not tell: that of a Unix socket, or of a port that the system chooses.
func urlAt(addr string, secure bool) string {
	host, service, err := net.SplitHostPort(addr)
	if err != nil || strings.HasPrefix(addr, unixPrefix) {
		return ""
	}
	port, err := net.LookupPort("tcp", service)
	if err != nil || port == 0 {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() || ip.IsLoopback() {
		host = "localhost"
	}
	scheme, usual := "http", ":80"
	if secure {
		scheme, usual = "https", ":443"
	}
	at := strings.TrimSuffix(net.JoinHostPort(host, strconv.Itoa(port)), usual)
	return (&url.URL{Scheme: scheme, Host: at}).String()
}
