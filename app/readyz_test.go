package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

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

// A line is a listener without a network, so that a bubble of synctest knows when everybody waits.
type line struct {
	conns  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

func (l *line) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *line) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *line) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns nil if nobody can connect any more.
func (l *line) dial() net.Conn {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client
	case <-l.closed:
		return nil
	}
}

// TestReadyWhileDraining asks whether a server is ready that stops: on a new connection while
// it accepts some, then on one that was open before.
func TestReadyWhileDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		l, done := &line{conns: make(chan net.Conn), closed: make(chan struct{})}, make(chan error)
		go func() { done <- flow.ServeListener(ctx, l, newRouter(t, nil)) }()
		ask := func(conn net.Conn) string {
			_, err := io.WriteString(conn, "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
			is.NoErr(err)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			is.NoErr(err)
			body, err := io.ReadAll(resp.Body)
			is.NoErr(err)
			return fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(body)), " ", resp.Close)
		}
		before := l.dial()
		is.Equal(ask(before), "200 ok false")
		stop()
		synctest.Wait() // until it waits for load balancers to ask
		is.Equal(ask(l.dial()), "503 draining true")
		<-l.closed
		is.Equal(ask(before), "503 draining true")
		is.NoErr(<-done)
	})
}
