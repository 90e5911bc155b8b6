package flow_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

func TestServe(t *testing.T) {
	is := is.New(t)
	type key struct{}
	router, log := lone(func(req *flow.Request) string { return fmt.Sprint(req.Context().Value(key{})) })
	file := servertest.SocketFile(t)
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "hello"))
	done := make(chan error, 1)
	go func() { done <- flow.Serve(ctx, "unix:"+file, router) }()
	servertest.Until(t, "it serves", func() bool { return strings.Contains(log.String(), "serving") })
	is.True(router.Begun()) // it said what it has to say before the first request

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
	faulty := flow.New(flowtest.Files("router/a.http"))
	for _, tt := range []struct {
		name, addr string
		handler    http.Handler
		want       string
	}{
		{"nil", "127.0.0.1:0", nil, "flow: Serve: the handler is nil"},
		{"a nil Router", "127.0.0.1:0", (*flow.Router)(nil), "flow: Serve: the handler is nil"},
		{"faults", "127.0.0.1:0", faulty, faulty.Check().Error()},
		{"no address", "", http.NotFoundHandler(), `flow: Serve: there is no address to listen on: give "host:port", ":8080" or "unix:/path/of/the.sock"`},
		{"no port", "nonsense", http.NotFoundHandler(), "flow: Serve: cannot listen on \"nonsense\": listen tcp: address nonsense: missing port in address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(errorText(flow.Serve(t.Context(), tt.addr, tt.handler)), tt.want)
		})
	}
}

// A countedListener counts how often it is closed. One that is broken accepts nobody.
type countedListener struct {
	net.Listener
	closed atomic.Int32
	broken error
}

func (l *countedListener) Accept() (net.Conn, error) {
	if l.broken != nil {
		return nil, l.broken
	}
	return l.Listener.Accept()
}

func (l *countedListener) Close() error {
	l.closed.Add(1)
	return l.Listener.Close()
}

func loopback(t testing.TB) *countedListener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &countedListener{Listener: l}
}

// TestServeListener serves at a listener that speaks TLS by itself.
func TestServeListener(t *testing.T) {
	is := is.New(t)
	router, log := lone(func(req *flow.Request) string {
		return fmt.Sprint(req.ProtoMajor, " ", req.TLS.NegotiatedProtocol)
	})
	var d diary
	router.OnStart(d.does("start", nil))
	router.OnStop(d.does("stop", nil))
	l := loopback(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- flow.ServeListener(ctx, tls.NewListener(l, servertest.ServerTLS()), router) }()

	client := &http.Transport{TLSClientConfig: servertest.ClientTLS(), ForceAttemptHTTP2: true}
	resp, err := client.RoundTrip(httptest.NewRequest("GET", "https://"+l.Addr().String()+"/x", nil))
	is.NoErr(err)
	is.Equal(servertest.SumUp(t, resp), "200 2 h2")
	stop()
	client.CloseIdleConnections()
	is.NoErr(servertest.Within(t, "it has stopped", done))
	is.Equal(d, diary{"start", "stop"})
	is.Equal(l.closed.Load(), int32(1))
	is.Equal(records(t, log)[0]["address"], l.Addr().String())
}

// TestServeListenerCloses: whatever ServeListener returns, the listener is closed, and once.
func TestServeListenerCloses(t *testing.T) {
	failing := sampleSite()
	failing.OnStart(func(context.Context) error { return io.ErrShortWrite })
	faulty := flow.New(flowtest.Files("router/a.http"))
	for _, tt := range []struct {
		name    string
		handler http.Handler
		broken  error
		want    string
	}{
		{"it stops", http.NotFoundHandler(), nil, "<nil>"},
		{"nil", nil, nil, "flow: ServeListener: the handler is nil"},
		{"faults", faulty, nil, faulty.Check().Error()},
		{"faults of Hosts", flow.Hosts{"": faulty}, nil, flow.Hosts{"": faulty}.Check().Error()},
		{"OnStart fails", failing, nil, "short write"},
		{"the listener fails", http.NotFoundHandler(), io.ErrNoProgress, "flow: ServeListener: multiple Read calls return no data or error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			l := loopback(t)
			l.broken = tt.broken
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if tt.want == "<nil>" {
				stop()
			}
			err := fmt.Sprint(flow.ServeListener(ctx, l, tt.handler))
			is.True(strings.HasSuffix(err, tt.want)) // that of OnStart begins with its place
			is.Equal(l.closed.Load(), int32(1))
		})
	}
	t.Run("nil listeners", func(t *testing.T) {
		is := is.New(t)
		for _, l := range []net.Listener{nil, (*net.TCPListener)(nil)} {
			is.Equal(fmt.Sprint(flow.ServeListener(t.Context(), l, sampleSite())), "flow: ServeListener: the listener is nil")
		}
	})
}

func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		router, _ := lone(func(req *flow.Request) string { return fmt.Sprint(flow.Draining(req.Context())) })
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
		router, _ := lone(func(req *flow.Request) string { return "never" })
		client := servertest.InMemory(t, router, nil).Dial()
		client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
		resp := client.Head()
		is.Equal(resp.StatusCode, http.StatusRequestTimeout)
		is.True(resp.Close)
	})
}
