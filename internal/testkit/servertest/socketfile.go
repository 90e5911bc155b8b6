package servertest

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// noSocketFiles is the error of Windows without sockets in the file system (WSAEAFNOSUPPORT), such as
// Wine.
const noSocketFiles = syscall.Errno(10047)

// SocketFile returns a path that is short enough for a socket. It skips the test where the system has
// no such sockets.
func SocketFile(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "flow")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "s")
	l, err := net.Listen("unix", file)
	switch {
	case errors.Is(err, noSocketFiles):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	l.Close()
	return file
}
