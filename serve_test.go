package flow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/servertest"
)

func TestServe(t *testing.T) {
	is := is.New(t)
	type key struct{}
	router, log := lone(func(req *Request) string { return fmt.Sprint(req.Context().Value(key{})) })
	file := servertest.SocketFile(t)
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "hello"))
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, "unix:"+file, router) }()
	servertest.Until(t, "it serves", func() bool { return strings.Contains(log.String(), "serving") })
	is.True(router.serving.Load() != nil) // it said what it has to say before the first request

	info, err := os.Lstat(file)
	is.NoErr(err)
	is.True(runtime.GOOS == "windows" || info.Mode() == fs.ModeSocket|0o660)
	client := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", file) }}
	resp, err := client.RoundTrip(httptest.NewRequest("GET", "http://a/x", nil))
	is.NoErr(err)
	is.Equal(servertest.SumUp(t, resp), "200 hello")
	client.CloseIdleConnections()
	stop()
	is.NoErr(servertest.Within(t, "it stops", done))
	_, err = os.Lstat(file)
	is.True(errors.Is(err, os.ErrNotExist)) // the socket is gone
}

func TestServeRefuses(t *testing.T) {
	faulty := New(flowtest.Files("router/a.http"))
	for _, tt := range []struct {
		name, addr string
		handler    http.Handler
		want       string
	}{
		{"nil", "127.0.0.1:0", nil, "flow: Serve: the handler is nil"},
		{"a nil Router", "127.0.0.1:0", (*Router)(nil), "flow: Serve: the handler is nil"},
		{"faults", "127.0.0.1:0", faulty, faulty.Check().Error()},
		{"no address", "", http.NotFoundHandler(), `flow: Serve: there is no address to listen on: give "host:port", ":8080" or "unix:/path/of/the.sock"`},
		{"no port", "nonsense", http.NotFoundHandler(), "flow: Serve: cannot listen on \"nonsense\": listen tcp: address nonsense: missing port in address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := Serve(t.Context(), tt.addr, tt.handler)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		router, _ := lone(func(req *Request) string { return fmt.Sprint(Draining(req.Context())) })
		s := servertest.InMemory(t, router, nil)
		client := s.Dial()
		client.Send(servertest.GetX)
		is.Equal(client.Answer(), "200 false")
		s.Stop()
		synctest.Wait()
		client.Send(servertest.GetX)
		is.Equal(client.Answer(), "200 true close")
		is.Equal(says(do(router, httptest.NewRequest("GET", "/x", nil))), "200 false") // of no server, or another
	})
}

// TestStalledUploadIsAnswered has a Router say what is wrong.
func TestStalledUploadIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		router, _ := lone(func(req *Request) string { return "never" })
		client := servertest.InMemory(t, router, nil).Dial()
		client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
		resp := client.Head()
		is.Equal(resp.StatusCode, http.StatusRequestTimeout)
		is.True(resp.Close)
	})
}
