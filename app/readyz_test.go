package app

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/servertest"
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

// TestReadyWhileDraining asks whether a server is ready that stops: on a new connection while
// it accepts some, then on one that was open before.
func TestReadyWhileDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := servertest.InMemory(t, newRouter(t, nil), nil)
		ask := func(c *servertest.Client) string {
			c.Send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
			return c.Answer()
		}
		before := s.Dial()
		is.Equal(ask(before), "200 ok")
		s.Stop()
		synctest.Wait() // until it waits for load balancers to ask
		is.Equal(ask(s.Dial()), "503 draining close")
		for !s.Refuses() {
			time.Sleep(time.Millisecond) // less than what an open connection is then given
		}
		is.Equal(ask(before), "503 draining close")
		is.NoErr(servertest.Within(t, "it stops", s.Done))
	})
}
