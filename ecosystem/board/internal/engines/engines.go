// Package engines starts PostgreSQL, Redis and an object store for tests.
package engines

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// missing skips a test whose program is not installed, except in CI, where it fails.
func missing(t testing.TB, program string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s is not installed", program)
}

// Postgres starts a server with an empty cluster, which ends with the test. It returns the
// URL of a database without its name, to which the name is added.
func Postgres(t testing.TB) (url string) {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian keeps it out of PATH
	if len(found) == 0 {
		missing(t, "postgresql")
	}
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "pg") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := owner(t, dir)
	run := func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, program), args...)
		cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
		return cmd
	}
	data := filepath.Join(dir, "data")
	if out, err := run("initdb", "-D", data, "-U", "test", "-A", "trust", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	// A row that is committed outlives kill -9 of the application, but this server need not
	// outlive the machine.
	server := run("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200")
	start(t, server, syscall.SIGQUIT)
	url = "postgres:///%s?user=test&host=" + dir
	await(t, "postgres", func() bool {
		return run("psql", fmt.Sprintf(url, "postgres"), "-c", "SELECT 1").Run() == nil
	})
	return url
}

// owner returns who may run PostgreSQL, which refuses root, and gives that user the directory.
func owner(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, errUID := strconv.Atoi(u.Uid)
	gid, errGID := strconv.Atoi(u.Gid)
	if err := errors.Join(errUID, errGID, os.Chown(dir, uid, gid)); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// Redis starts a server that keeps nothing, and returns its URL.
func Redis(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		missing(t, "redis-server")
	}
	socket := filepath.Join(t.TempDir(), "r")
	start(t, exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"), syscall.SIGTERM)
	await(t, "redis-server", func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "unix://" + socket
}

// ObjectStore starts a server with an empty bucket, and returns its address.
func ObjectStore(t testing.TB, bucket string) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// FreeAddr returns an address that nobody listens on. Its port is below those that the system gives
// away by itself: nobody else gets it before a process listens there.
func FreeAddr(t testing.TB) string {
	t.Helper()
	for range 1000 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err == nil {
			l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// start runs a program until the test ends.
func start(t testing.TB, cmd *exec.Cmd, end os.Signal) {
	t.Helper()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(end)
		cmd.Wait()
		if t.Failed() {
			lines := strings.Split(out.String(), "\n")
			t.Log(slices.Concat([]string{cmd.Path}, lines[max(0, len(lines)-20):]))
		}
	})
}

// await waits until a server answers.
func await(t testing.TB, name string, ready func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !ready(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not answer", name)
		}
	}
}
