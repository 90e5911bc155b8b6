//go:build linux

package deploy_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/servertest"
)

var execLine = regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/app `)

// TestUnits has systemd read the units, with the binary where it was built.
func TestUnits(t *testing.T) {
	needs(t, "systemd-analyze")
	is := is.New(t)
	dir := t.TempDir()
	service, err := os.ReadFile("app.service")
	is.NoErr(err)
	is.Equal(len(execLine.FindAll(service, -1)), 1)
	service = execLine.ReplaceAllLiteral(service, []byte("ExecStart="+sample(t)+" "))
	is.NoErr(os.WriteFile(filepath.Join(dir, "app.service"), service, 0o600))
	socket, err := os.ReadFile("app.socket")
	is.NoErr(err)
	is.NoErr(os.WriteFile(filepath.Join(dir, "app.socket"), socket, 0o600))

	cmd := exec.Command("systemd-analyze", "verify", "--man=no", "app.service", "app.socket")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	is.Equal(string(out), "") // a key that is not known is only a warning
	is.NoErr(err)
}

// flags returns the arguments that app.service starts the application with.
func flags(t *testing.T) []string {
	t.Helper()
	service, err := os.ReadFile("app.service")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(service)) {
		if execLine.MatchString(line) {
			return strings.Fields(line)[1:]
		}
	}
	t.Fatalf("app.service has no line like %v", execLine)
	return nil
}

// activated starts the application as systemd does, with a socket as descriptor 3.
func activated(t *testing.T, socket *os.File) *process {
	t.Helper()
	const command = `export LISTEN_FDS=1 LISTEN_PID=$$; exec "$0" "$@"`
	cmd := exec.Command("sh", append([]string{"-c", command, sample(t)}, flags(t)...)...)
	cmd.Env = append(cmd.Environ(), secret)
	cmd.ExtraFiles = []*os.File{socket}
	p := started(t, cmd)
	p.logs(t, `"msg":"serving"`)
	return p
}

// TestRestartUnderActivation replaces the process while the socket stays open: its
// clients notice nothing.
func TestRestartUnderActivation(t *testing.T) {
	servertest.Slow(t)
	needs(t, "wrk")
	is := is.New(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	is.NoErr(err)
	defer socket.Close()
	addr := l.Addr().String()

	p := activated(t, socket)
	load := loaded(t, addr, login(t, addr))
	for range 6 {
		load.goesOn(t)
		p.stop(t)
		p = activated(t, socket)
	}
	load.goesOn(t)
	load.check(t)
	p.stop(t)
}

// TestSocketActivate lets a program of systemd hold the socket.
func TestSocketActivate(t *testing.T) {
	needs(t, "systemd-socket-activate")
	is := is.New(t)
	addr := freeAddrs(t, 1)[0]
	args := append([]string{"-l", addr, "-E", secret, sample(t)}, flags(t)...)
	p := started(t, exec.Command("systemd-socket-activate", args...))
	p.logs(t, "Listening on")
	is.True(!strings.Contains(p.log.String(), "serving")) // nobody has asked yet
	is.Equal(fetch(t, "GET", "http://"+addr+"/readyz", nil).StatusCode, http.StatusOK)
	p.logs(t, `"url":"http://`+addr+`"`) // and not at its default address
	p.stop(t)
}
