package flow

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

// A testServer is a server that runs for a test.
type testServer struct {
	*server
	addr string
	log  *journal
	stop func()     // tells it to stop
	done chan error // what serve returned
}

// started serves h on a port of its own until the test ends.
func started(t testing.TB, h http.Handler, change func(*server)) *testServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startedOn(t, l, h, change)
}

func startedOn(t testing.TB, l net.Listener, h http.Handler, change func(*server)) *testServer {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	log := &journal{}
	s := &testServer{addr: l.Addr().String(), log: log, stop: stop, done: make(chan error, 1)}
	s.server = &server{handler: h, log: slog.New(slog.NewTextHandler(log, nil)), drain: patience, limits: defaultLimits}
	if change != nil {
		change(s.server)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.done <- s.serve(ctx, []net.Listener{l})
	}()
	t.Cleanup(func() {
		stop()
		within(t, "the server stops", ended)
	})
	return s
}

// within waits for a channel to be closed, or to give something.
func within[T any](t testing.TB, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("it did not happen: %s", what)
		panic("unreachable")
	}
}

// until waits for a condition.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen: %s", what)
		}
	}
}

// A client is a connection on which a test speaks HTTP/1 by hand.
type rawClient struct {
	net.Conn
	t testing.TB
	r *bufio.Reader
}

func dialed(t testing.TB, addr string) *rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return &rawClient{conn, t, bufio.NewReader(conn)}
}

func (c *rawClient) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// head reads an answer but for its body.
func (c *rawClient) head() *http.Response {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp
}

// answer reads an answer and sums it up in a line.
func (c *rawClient) answer() string {
	c.t.Helper()
	return sumUp(c.t, c.head())
}

func sumUp(t testing.TB, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(body)))
	if resp.Close {
		text += " close"
	}
	return text
}

const getX = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

// A gate is a handler that waits: it says that it is entered, and goes on when told.
type gate struct {
	entered chan context.Context
	leave   chan struct{}
}

func newGate() *gate { return &gate{make(chan context.Context, 10), make(chan struct{})} }

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.entered <- r.Context()
	<-g.leave
	io.WriteString(w, "done")
}

// eventStream is a handler that says "open", and "end" when its context ends.
func eventStream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "open\n")
	http.NewResponseController(w).Flush()
	<-r.Context().Done()
	io.WriteString(w, "end\n")
}

// certified returns a certificate, and a client that trusts it and speaks HTTP/2.
func certified(t testing.TB) (tls.Certificate, *http.Transport) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	client := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	t.Cleanup(client.CloseIdleConnections)
	return server.TLS.Certificates[0], client
}

func TestServe(t *testing.T) {
	is := is.New(t)
	router, log := lone(func(req *Request) string {
		value, _ := req.Context().Value(contextKey("greeting")).(string)
		return fmt.Sprint(value, " ", Draining(req.Context()))
	})
	file := socketFile(t)
	ctx, stop := context.WithCancel(context.WithValue(context.Background(), contextKey("greeting"), "hello"))
	defer stop()
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, "unix:"+file, router) }()
	until(t, "it serves", func() bool { return strings.Contains(log.String(), "serving") })

	client := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", file) }}
	resp, err := client.RoundTrip(httptest.NewRequest("GET", "http://a/x", nil))
	is.NoErr(err)
	is.Equal(sumUp(t, resp), "200 hello false")
	client.CloseIdleConnections()
	stop()
	is.NoErr(within(t, "it stops", done))
	_, err = os.Lstat(file)
	is.True(errors.Is(err, os.ErrNotExist)) // the socket is gone
}

type contextKey string

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

func TestServeFailsWithAListener(t *testing.T) {
	is := is.New(t)
	a, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	b, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	s := &server{handler: http.NotFoundHandler(), log: slog.New(slog.DiscardHandler), limits: defaultLimits}
	done := make(chan error, 1)
	go func() { done <- s.serve(context.Background(), []net.Listener{a, b}) }()
	client := dialed(t, b.Addr().String())
	client.send(getX)
	is.Equal(client.answer(), "404 404 page not found")
	a.Close()
	is.True(errors.Is(within(t, "it fails", done), net.ErrClosed))
	_, err = net.Dial("tcp", b.Addr().String())
	is.True(err != nil) // the other listener is closed
}

func TestDrainingElsewhere(t *testing.T) {
	is := is.New(t)
	is.Equal(Draining(context.Background()), false)
}

func TestStopWithNothingOpen(t *testing.T) {
	is := is.New(t)
	s := started(t, http.NotFoundHandler(), func(s *server) { s.limits.lame = time.Hour })
	dialed(t, s.addr).Close()
	s.stop()
	is.NoErr(within(t, "it stops", s.done)) // and does not wait for requests that cannot come
}

// TestStop looks at each kind of request while a server stops.
func TestStop(t *testing.T) {
	is := is.New(t)
	slow := newGate()
	mux := http.NewServeMux()
	mux.Handle("/slow", slow)
	mux.HandleFunc("/stream", eventStream)
	mux.HandleFunc("/x", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, Draining(r.Context()), " ", r.Context().Err())
	})
	s := started(t, mux, func(s *server) { s.limits.lame = patience })

	idle, busy, stream := dialed(t, s.addr), dialed(t, s.addr), dialed(t, s.addr)
	idle.send(getX)
	is.Equal(idle.answer(), "200 false <nil>")
	busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
	ctx := within(t, "the slow request begins", slow.entered)
	stream.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
	resp := stream.head()

	s.stop()
	is.Equal(sumUp(t, resp), "200 open\nend") // told at once, and whole
	stream.send(getX)
	is.Equal(stream.answer(), "200 true <nil> close") // its connection is good for one more
	until(t, "connections are refused", func() bool {
		conn, err := net.Dial("tcp", s.addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	idle.send(getX)
	is.Equal(idle.answer(), "200 true <nil> close")
	is.NoErr(ctx.Err()) // of the slow request, which is not hurried
	close(slow.leave)
	is.Equal(busy.answer(), "200 done close")
	is.NoErr(within(t, "it stops", s.done))
	is.True(!strings.Contains(s.log.String(), "WARN"))
}

// TestStopWithIdleConnections has connections that nobody uses any more.
func TestStopWithIdleConnections(t *testing.T) {
	is := is.New(t)
	s := started(t, http.NotFoundHandler(), func(s *server) { s.limits.lame, s.drain = time.Millisecond, 2*time.Second })
	idle, fresh := dialed(t, s.addr), dialed(t, s.addr)
	idle.send(getX)
	is.Equal(idle.answer(), "404 404 page not found")
	until(t, "both are connected", func() bool { return s.connections.n.Load() == 2 })
	s.stop()
	is.NoErr(within(t, "it stops", s.done))
	is.True(!strings.Contains(s.log.String(), "cuts off")) // net/http waits for those that are fresh
	for _, c := range []*rawClient{idle, fresh} {
		_, err := c.r.ReadByte()
		is.Equal(err, io.EOF)
	}
}

func TestStopWhenTimeIsOver(t *testing.T) {
	is := is.New(t)
	cut := make(chan error, 1)
	entered := make(chan struct{})
	s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
		cut <- r.Context().Err()
		io.WriteString(w, "sorry")
	}), func(s *server) { s.drain, s.limits.parting = 20*time.Millisecond, patience })
	client := dialed(t, s.addr)
	client.send(getX)
	within(t, "the request begins", entered)
	s.stop()
	is.Equal(within(t, "the context ends", cut), context.Canceled)
	is.Equal(client.answer(), "200 sorry close") // it had a moment to answer
	is.NoErr(within(t, "it stops", s.done))
	is.True(strings.Contains(s.log.String(), "requests=1 drain=20ms")) // it says how many
}

func TestStopWithADeafHandler(t *testing.T) {
	is := is.New(t)
	deaf := newGate()
	defer close(deaf.leave)
	s := started(t, deaf, func(s *server) { s.drain, s.limits.parting = 0, time.Millisecond })
	client := dialed(t, s.addr)
	client.send(getX)
	within(t, "the request begins", deaf.entered)
	s.stop()
	is.NoErr(within(t, "it stops", s.done))
	_, err := client.r.ReadByte()
	is.True(err != nil) // the connection is closed
}

// TestStopHijacked has a handler that took its connection over.
func TestStopHijacked(t *testing.T) {
	for _, tt := range []struct {
		name string
		deaf bool
	}{{"it ends when told", false}, {"it does not", true}} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			leave := make(chan struct{})
			defer close(leave)
			s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				io.WriteString(conn, "hello\n")
				<-r.Context().Done()
				if tt.deaf {
					<-leave
					return
				}
				io.WriteString(conn, "bye\n")
				conn.Close()
			}), func(s *server) {
				if tt.deaf {
					s.drain, s.limits.parting = 0, time.Millisecond
				}
			})
			client := dialed(t, s.addr)
			client.send(getX)
			line, err := client.r.ReadString('\n')
			is.NoErr(err)
			is.Equal(line, "hello\n")
			s.stop()
			is.NoErr(within(t, "it stops", s.done))
			rest, err := io.ReadAll(client.r)
			is.NoErr(err) // the connection is closed
			is.Equal(string(rest) == "bye\n", !tt.deaf)
		})
	}
}

// TestStopHTTP2 has requests of each kind on one connection.
func TestStopHTTP2(t *testing.T) {
	is := is.New(t)
	cert, client := certified(t)
	slow := newGate()
	mux := http.NewServeMux()
	mux.Handle("/slow", slow)
	mux.HandleFunc("/stream", eventStream)
	s := started(t, mux, func(s *server) { s.tls = &tls.Config{Certificates: []tls.Certificate{cert}} })
	fetch := func(path string) *http.Response {
		resp, err := client.RoundTrip(httptest.NewRequest("GET", "https://"+s.addr+path, nil))
		if err != nil {
			t.Error(err)
			return &http.Response{Body: http.NoBody}
		}
		return resp
	}
	stream := fetch("/stream")
	is.Equal(stream.ProtoMajor, 2)
	answers := make(chan *http.Response, 1)
	go func() { answers <- fetch("/slow") }()
	ctx := within(t, "the slow request begins", slow.entered)
	s.stop()
	is.Equal(sumUp(t, stream), "200 open\nend") // told at once, and whole
	is.NoErr(ctx.Err())                         // the other is not
	close(slow.leave)
	is.Equal(sumUp(t, within(t, "the slow request ends", answers)), "200 done")
	is.NoErr(within(t, "it stops", s.done))
}

// TestStopReachesLateStreams begins an event stream while the server stops.
func TestStopReachesLateStreams(t *testing.T) {
	is := is.New(t)
	slow := newGate()
	s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slow.entered <- r.Context()
		<-slow.leave
		eventStream(w, r)
	}), nil)
	client := dialed(t, s.addr)
	client.send(getX)
	within(t, "the request begins", slow.entered)
	s.stop()
	until(t, "it drains", s.draining.Load)
	close(slow.leave)
	is.Equal(client.answer(), "200 open\nend close")
}

// TestServerKeepsNothing looks for what requests and connections leave behind.
func TestServerKeepsNothing(t *testing.T) {
	is := is.New(t)
	s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
	}), nil)
	for range 3 {
		client := dialed(t, s.addr)
		client.send(getX)
		is.Equal(client.answer(), "200 ")
		client.Close()
	}
	until(t, "the connections are forgotten", func() bool { return s.connections.n.Load() == 0 })
	for range s.fresh.Range {
		t.Error("a connection is remembered")
	}
	is.Equal(len(s.watched), 0)
	is.Equal(s.requests.n.Load(), int64(0))
}

func TestBigHeader(t *testing.T) {
	is := is.New(t)
	s := started(t, http.NotFoundHandler(), nil)
	client := dialed(t, s.addr)
	client.send("GET /x HTTP/1.1\r\nHost: a\r\nBig: ")
	io.Copy(client, bytes.NewReader(bytes.Repeat([]byte("x"), defaultLimits.headerBytes+8<<10))) // it may answer before it has read all
	is.Equal(client.head().StatusCode, http.StatusRequestHeaderFieldsTooLarge)
}

// TestStopTellsEachStream, also one that follows another on its connection.
func TestStopTellsEachStream(t *testing.T) {
	is := is.New(t)
	s := started(t, http.HandlerFunc(eventStream), func(s *server) { s.limits.lame = patience })
	client := dialed(t, s.addr)
	client.send(getX)
	resp := client.head()
	s.stop()
	is.Equal(sumUp(t, resp), "200 open\nend")
	client.send(getX)
	is.Equal(client.answer(), "200 open\nend close")
	is.NoErr(within(t, "it stops", s.done))
}

// TestNotice: a server whose health is asked for goes on to accept until load
// balancers know.
func TestNotice(t *testing.T) {
	for _, asks := range []bool{true, false} {
		t.Run(fmt.Sprint(asks), func(t *testing.T) {
			is := is.New(t)
			s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asks {
					fmt.Fprint(w, Draining(r.Context()))
				}
			}), func(s *server) { s.limits.notice = 200 * time.Millisecond })
			client := dialed(t, s.addr)
			client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			client.answer()
			s.stop()
			until(t, "it drains", s.draining.Load)
			if asks {
				late := dialed(t, s.addr)
				late.send(getX)
				is.Equal(late.answer(), "200 true close")
			}
			is.NoErr(within(t, "it stops", s.done))
			_, err := net.Dial("tcp", s.addr)
			is.True(err != nil)
		})
	}
}

// slowLine is a listener that takes its time for each connection.
type slowLine struct{ *net.TCPListener }

func (l slowLine) Accept() (net.Conn, error) {
	time.Sleep(2 * time.Millisecond)
	return l.TCPListener.Accept()
}

// TestStopEmptiesTheQueue: who was connected when the server began to stop is answered.
func TestStopEmptiesTheQueue(t *testing.T) {
	is := is.New(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	s := startedOn(t, slowLine{l.(*net.TCPListener)}, http.NotFoundHandler(), nil)
	var clients []*rawClient
	for range 40 {
		client := dialed(t, s.addr)
		client.send(getX)
		clients = append(clients, client)
	}
	s.stop()
	for _, client := range clients {
		is.True(strings.HasPrefix(client.answer(), "404"))
	}
}
