package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

// TestReady has an application that needs a database.
func TestReady(t *testing.T) {
	gone := errors.New("connection refused")
	for _, tt := range []struct {
		name   string
		ready  func(context.Context) error
		status int
		body   string
	}{
		{"nothing is needed", nil, 200, "ok\n"},
		{"it is there", func(context.Context) error { return nil }, 200, "ok\n"},
		{"it is gone", func(context.Context) error { return gone }, 503, "not ready"},
		{"it does not answer", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 503, "not ready"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := newRouter(t, &App{Ready: tt.ready})
			a := do(r, newRequest("GET", "/readyz", ""))
			is.Equal(a.status, tt.status)
			is.True(strings.Contains(a.body, tt.body))
			is.True(!strings.Contains(a.body, "refused")) // that is for the log
			a = do(r, newRequest("GET", "/livez", ""))
			is.Equal(a.status, 200) // to start it again would not help
			is.Equal(a.header.Get("Cache-Control"), "no-store")
		})
	}
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

// TestReadyWhileDraining asks whether a server is ready that stops, first on new
// connections until it accepts no more, then on one that was open before.
func TestReadyWhileDraining(t *testing.T) {
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
		if _, err := io.WriteString(conn, "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
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
