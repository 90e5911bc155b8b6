package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// leaveSocket makes a socket that nobody listens on, as a program leaves that is killed.
func leaveSocket(t testing.TB, file string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: file, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

func TestListenUnix(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t testing.TB, file string)
		want string // the error, with FILE for the path
	}{
		{"a new one", func(testing.TB, string) {}, ""},
		{"a stale one", leaveSocket, ""},
		{"one that is taken", func(t testing.TB, file string) {
			l, err := net.Listen("unix", file)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
		}, "unix:FILE is taken: another program answers on it"},
		{"a file", func(t testing.TB, file string) {
			if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "unix:FILE is no socket: remove it, or give another path"},
		{"a directory", func(t testing.TB, file string) {
			if err := os.Mkdir(file, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "unix:FILE is no socket: remove it, or give another path"},
		{"a link to a socket", func(t testing.TB, file string) {
			leaveSocket(t, file+".real")
			flowtest.Symlink(t, file+".real", file)
		}, "unix:FILE is no socket: remove it, or give another path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			file := servertest.SocketFile(t)
			tt.make(t, file)
			l, err := server.ListenOn("unix:"+file, server.DefaultSocketMode)
			if err != nil {
				is.Equal(strings.ReplaceAll(err.Error(), file, "FILE"), tt.want)
				_, err := os.Lstat(file)
				is.NoErr(err) // what is there stays
				return
			}
			defer l.Close()
			is.Equal(tt.want, "")
			conn, err := net.Dial("unix", file)
			is.NoErr(err)
			conn.Close()
		})
	}
}

func TestURLOf(t *testing.T) {
	for _, tt := range []struct {
		addr   net.Addr
		secure bool
		want   string
	}{
		{&net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}, false, "http://localhost:8080"},
		{&net.TCPAddr{IP: net.IPv4zero, Port: 8080}, false, "http://localhost:8080"},
		{&net.TCPAddr{IP: net.IPv4zero, Port: 8443}, true, "https://localhost:8443"},
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, false, "http://127.0.0.1:80"},
		{&net.TCPAddr{IP: net.IPv6loopback, Port: 8080}, false, "http://[::1]:8080"},
		{&net.UnixAddr{Name: "/run/app.sock", Net: "unix"}, false, "unix:/run/app.sock"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			is := is.New(t)
			is.Equal(server.URLOf(tt.addr, tt.secure), tt.want)
		})
	}
}

// TestURLAt has URLs as browsers write them.
func TestURLAt(t *testing.T) {
	for _, tt := range []struct {
		addr   string
		secure bool
		want   string
	}{
		{":8080", false, "http://localhost:8080"},
		{"0.0.0.0:8080", false, "http://localhost:8080"},
		{"[::]:8443", true, "https://localhost:8443"},
		{"127.0.0.1:3000", false, "http://localhost:3000"},
		{"[::1]:3000", false, "http://localhost:3000"},
		{"localhost:80", false, "http://localhost"},
		{":http", false, "http://localhost"},
		{":443", true, "https://localhost"},
		{":443", false, "http://localhost:443"},
		{":80", true, "https://localhost:80"},
		{"192.0.2.7:8080", false, "http://192.0.2.7:8080"},
		{"[2001:db8::7]:80", false, "http://[2001:db8::7]"},
		{"[fe80::1%eth0]:8080", false, "http://[fe80::1%25eth0]:8080"},
		{"desk.example:8080", false, "http://desk.example:8080"},
		{":0", false, ""},
		{"localhost:", false, ""},
		{":none", false, ""},
		{":65536", false, ""},
		{"localhost", false, ""},
		{"unix:/run/app.sock", false, ""},
		{"unix:80", false, ""},
		{"", false, ""},
	} {
		t.Run(tt.addr, func(t *testing.T) {
			is := is.New(t)
			is.Equal(server.URLAt(tt.addr, tt.secure), tt.want)
		})
	}
}

// TestInheritedListeners starts this test again, as a service manager would.
func TestInheritedListeners(t *testing.T) {
	if os.Getenv("FLOW_TEST_INHERIT") != "" {
		serveInherited()
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("sockets are not inherited")
	}
	for _, tt := range []struct {
		name, env string
		sockets   int
		want      string
	}{
		{"one", "LISTEN_FDS=1", 1, "1 []\n"},
		{"two", "LISTEN_FDS=2 LISTEN_FDNAMES=a:b", 2, "2 []\n"},
		{"for another process", "LISTEN_FDS=1 LISTEN_PID=1", 1, "0 []\n"},
		{"none", "LISTEN_FDS=0", 0, "0 []\n"},
		{"no number", "LISTEN_FDS=x", 0, "LISTEN_FDS is \"x\": it must be a number of sockets\n"},
		{"one that is not there", "LISTEN_FDS=2", 1, "LISTEN_FDS is 2, but descriptor 4 is no socket to listen on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			cmd := exec.Command("sh", "-c", `export LISTEN_PID=$$; export `+tt.env+`; exec "$0" -test.run='^TestInheritedListeners$'`, os.Args[0])
			cmd.Env = append(os.Environ(), "FLOW_TEST_INHERIT=1")
			var addrs []net.Addr
			for range tt.sockets {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				is.NoErr(err)
				addrs = append(addrs, l.Addr())
				file, err := l.(*net.TCPListener).File()
				is.NoErr(err)
				l.Close()
				defer file.Close()
				cmd.ExtraFiles = append(cmd.ExtraFiles, file)
			}
			stdin, err := cmd.StdinPipe()
			is.NoErr(err)
			stdout, err := cmd.StdoutPipe()
			is.NoErr(err)
			is.NoErr(cmd.Start())
			r := bufio.NewReader(stdout)
			line, err := r.ReadString('\n')
			is.NoErr(err)
			is.Equal(line[:min(len(line), len(tt.want))], tt.want)
			if strings.HasPrefix(tt.want, fmt.Sprint(len(addrs), " ")) {
				for _, addr := range addrs {
					conn, err := servertest.Dialer(addr)()
					is.NoErr(err)
					client := servertest.NewClient(t, conn)
					client.Send(servertest.GetX)
					is.Equal(client.Answer(), "404 404 page not found close")
				}
			}
			stdin.Close() // which ends it
			io.Copy(io.Discard, r)
			is.NoErr(cmd.Wait())
		})
	}
}

// serveInherited says how many sockets it was given and which variables it still
// has, and serves until its standard input ends.
func serveInherited() {
	listeners, err := server.InheritedListeners()
	if err != nil {
		fmt.Println(err)
		return
	}
	var left []string
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "LISTEN_") {
			left = append(left, v)
		}
	}
	fmt.Println(len(listeners), left)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	for _, l := range listeners {
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			http.NotFound(w, r)
		}))
	}
	<-ctx.Done()
}
