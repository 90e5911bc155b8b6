package app

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

func TestHealth(t *testing.T) {
	is := is.New(t)
	a := do(newRouter(t, nil), newRequest("GET", "/healthz", ""))
	is.Equal(a.status, 200)
	is.Equal(a.body, "ok\n")
	is.Equal(a.header.Get("Cache-Control"), "no-store")
}

// dialUntil dials a socket until somebody listens on it, or until nobody does, and returns
// the last connection.
func dialUntil(t testing.TB, file string, listening bool) net.Conn {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		conn, err := net.Dial("unix", file)
		if (err == nil) == listening {
			return conn
		}
		if err == nil {
			conn.Close()
		}
	}
	t.Fatalf("listening on %s is not %v", file, listening)
	return nil
}

// TestHealthWhileDraining asks for the health of a server that stops, first on new
// connections until it accepts no more, then on one that was open before.
func TestHealthWhileDraining(t *testing.T) {
	is := is.New(t)
	dir, err := os.MkdirTemp("", "app") // the path of a socket must be short
	is.NoErr(err)
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "s")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- flow.Serve(ctx, "unix:"+file, newRouter(t, nil)) }()

	conn := dialUntil(t, file, true)
	defer conn.Close()
	ask := func(conn net.Conn) (int, string, bool) {
		r := bufio.NewReader(conn)
		if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body), resp.Close
	}
	status, body, closes := ask(conn)
	is.Equal(status, 200)
	is.Equal(body, "ok\n")
	is.Equal(closes, false)
	stop()
	for status == 200 {
		late, err := net.Dial("unix", file)
		is.NoErr(err)
		status, _, _ = ask(late)
		late.Close()
	}
	is.Equal(status, 503)
	dialUntil(t, file, false)
	status, body, closes = ask(conn)
	is.Equal(status, 503)
	is.Equal(body, "draining\n")
	is.Equal(closes, true)
	is.NoErr(<-done)
}
