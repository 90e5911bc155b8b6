//go:build unix

package server_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

// underUmask runs a test under the umask of somebody else.
func underUmask(t *testing.T, umask int) {
	t.Helper()
	old := syscall.Umask(umask)
	t.Cleanup(func() { syscall.Umask(old) })
}

func modeOf(t *testing.T, file string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// TestSocketModes: a socket has its mode whatever the umask is.
func TestSocketModes(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o660, 0o666, 0o777} {
		for _, umask := range []int{0, 0o022, 0o077} {
			for name, make := range map[string]func(testing.TB, string){"new": func(testing.TB, string) {}, "stale": leaveSocket} {
				t.Run(fmt.Sprintf("%s %04o, umask %03o", name, mode, umask), func(t *testing.T) {
					is := is.New(t)
					file := servertest.SocketFile(t)
					make(t, file)
					underUmask(t, umask)
					l, err := server.ListenOn("unix:"+file, mode)
					is.NoErr(err)
					is.Equal(modeOf(t, file), fs.ModeSocket|mode)
					is.Equal(l.Addr().String(), file)
					conn, err := net.Dial("unix", file)
					is.NoErr(err)
					accepted, err := l.Accept()
					is.NoErr(err)
					io.WriteString(conn, "hello")
					conn.Close()
					got, err := io.ReadAll(accepted)
					is.NoErr(err)
					is.Equal(string(got), "hello")
					is.NoErr(l.Close())
					_, err = os.Lstat(file)
					is.True(errors.Is(err, fs.ErrNotExist)) // the socket is gone
				})
			}
		}
	}
}

// TestSocketIsClosedAtFirst: nobody can connect before a socket has its mode.
func TestSocketIsClosedAtFirst(t *testing.T) {
	is := is.New(t)
	file := servertest.SocketFile(t)
	underUmask(t, 0)
	bound, err := server.BindSocket(file)
	is.NoErr(err)
	defer bound.Close()
	is.Equal(modeOf(t, file), fs.ModeSocket|0o777) // everybody may connect, but
	_, err = net.Dial("unix", file)
	is.True(errors.Is(err, syscall.ECONNREFUSED))
	l, err := server.ListenBound(bound, file, 0o660)
	is.NoErr(err)
	defer l.Close()
	is.Equal(modeOf(t, file), fs.ModeSocket|0o660)
	conn, err := net.Dial("unix", file)
	is.NoErr(err)
	conn.Close()
}

func TestSocketsThatCannotBe(t *testing.T) {
	none := filepath.Join(servertest.SocketFile(t), "s")
	long := strings.Repeat("x", 200)
	for _, tt := range []struct{ name, file, want string }{
		{"no directory", none, "listen unix " + none + ": bind: no such file or directory"},
		{"a long path", long, "listen unix " + long + ": bind: invalid argument"},
		{"no file", "@x", "unix:@x is no path: on Linux, a name that begins with @ is a socket without a file, to which everybody may connect; give unix:./@x for a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			_, err := server.ListenOn("unix:"+tt.file, server.DefaultSocketMode)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
	t.Run("one that is taken away", func(t *testing.T) { // before it has its mode
		is := is.New(t)
		file := servertest.SocketFile(t)
		bound, err := server.BindSocket(file)
		is.NoErr(err)
		defer bound.Close()
		is.NoErr(os.Remove(file))
		_, err = server.ListenBound(bound, file, 0o660)
		is.True(errors.Is(err, fs.ErrNotExist))
	})
}
