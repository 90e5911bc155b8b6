package app

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

// TestDrained stops a server while most jobs still wait: all of them are run, and before
// the server is said to have stopped.
func TestDrained(t *testing.T) {
	is := is.New(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)

	sent, release := make(chan string, 10), make(chan struct{})
	sendMail = func(ctx context.Context, to string) error {
		if to == "panic@example.com" {
			panic("for the log")
		}
		<-release
		sent <- to
		return ctx.Err()
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- flow.ServeListener(ctx, listener, Router) }()

	post := func(email string) int {
		resp, err := http.Post("http://"+listener.Addr().String()+"/members", "application/json", strings.NewReader(`{"email":"`+email+`"}`))
		is.NoErr(err)
		resp.Body.Close()
		return resp.StatusCode
	}
	is.Equal(post("nobody"), 422)
	is.Equal(post("panic@example.com"), 202)
	for _, to := range []string{"a@b", "c@d", "e@f", "g@h"} {
		is.Equal(post(to), 202)
	}
	stop()
	select {
	case err := <-ended:
		t.Fatalf("it stopped before the jobs were run: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	is.NoErr(<-ended)
	is.Equal(len(sent), 4)
}

func TestFull(t *testing.T) {
	is := is.New(t)
	q := &queue{waiting: make(chan job, 1)}
	is.NoErr(q.add(nil))
	err := q.add(nil)
	is.Equal(flow.StatusOf(err), 503)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q.workers.Add(1) // one that does not return
	defer q.workers.Done()
	is.True(strings.HasPrefix(q.drain(ctx).Error(), "jobs still run, and 1 wait: "))
}
