// Package hostile_test has clients of all kinds attack a server with a Router, and many
// ask for everything that it can do at once.
package hostile_test

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flow"
	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// A siege is a server under attack.
type siege struct {
	*servertest.Site
	t      *testing.T
	log    tally
	client *http.Transport // that behaves well
	origin string
	pause  time.Duration // between two looks at what goes on

	running  atomic.Int64 // handlers
	open     atomic.Int64 // connections
	whole    atomic.Int64 // bodies that handlers took for whole
	smuggled atomic.Int64 // requests that no client meant
	long     atomic.Int64 // handlers that wait for the client
	most     atomic.Int64 // of these at one time

	connect func() (net.Conn, error)
	mu      sync.Mutex
	conns   []net.Conn
	read    sync.Map // address of a client to *atomic.Int64, bytes read from it
}

const maxBody = 64 << 10

// page is more than a connection in memory holds.
var page = string(flowtest.Stylesheet(10_000))

// besieged serves over loopback, or, in a bubble, in memory.
func besieged(t *testing.T, secure, inMemory bool) *siege {
	t.Helper()
	s := &siege{t: t, pause: 10 * time.Millisecond}
	router := s.router()
	all := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.running.Add(1)
		defer s.running.Add(-1)
		router.ServeHTTP(w, r)
	})
	line := servertest.NewLine()
	var l net.Listener = line
	dial := line.Dial
	if inMemory {
		s.pause = 10 * time.Second
	} else {
		var err error
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		dial = servertest.Dialer(l.Addr())
	}
	s.connect = dial
	s.Site = servertest.Serve(t, &meteredListener{l, s}, dial, all, func(srv *server.Server) {
		srv.Log = slog.New(slog.NewTextHandler(&s.log, nil))
		if secure {
			servertest.Secure(srv)
		}
	})
	s.client, s.origin = s.Transport(), "http://"+s.Addr
	if secure {
		s.origin = "https://" + s.Addr
	}
	return s
}

// router has handlers of all kinds.
func (s *siege) router() *flow.Router {
	r := flow.New(treeOf("router/form.http", "router/json.http", "router/raw.http", "router/unread.http", "router/smuggled.http",
		"router/large.http", "router/events.http", "router/hijack.http", "router/docs/[...rest].http", "router/panic/[kind].http",
		"router/panic/guard/index.http", "router/panic/around/[when].http",
		"router/page/[id].html: <p>{{.}}</p>", "router/about.html: <h1>about</h1>", "router/panic/template.html: <p>{{boom}}</p>",
		"public/page.txt: "+page))
	r.MaxBody = maxBody
	r.Logger = slog.New(slog.NewTextHandler(&s.log, nil))
	r.Funcs = template.FuncMap{"boom": func() string { panic("template") }}
	r.At("page/[id]").GET().Do(func(req *flow.Request) flow.Response { return flow.Page(req.Param("id")) })
	r.At("form").POST().Do(func(req *flow.Request) string { return "form " + req.Input("v") })
	r.At("json").ANY().Do(func(req *flow.Request) flow.Response {
		s.whole.Add(1)
		return flow.Text("whole " + req.Input("v"))
	})
	r.At("raw").ANY().Do(s.waiting(s.readAll))
	r.At("unread").ANY().Do(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "unread") })
	r.At("smuggled").ANY().Do(func(*flow.Request) string {
		s.smuggled.Add(1)
		return "smuggled"
	})
	r.At("large").GET().Do(s.waiting(func(w http.ResponseWriter, r *http.Request) {
		for piece := make([]byte, 64<<10); r.Context().Err() == nil; {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}))
	r.At("events").GET().Do(func(*flow.Request) flow.Response { return flow.Handler(s.waiting(servertest.EventStream)) })
	r.At("hijack").GET().Do(s.waiting(hijacked))
	r.At("docs/[...rest]").GET().Do(func(req *flow.Request) string { return fmt.Sprint(len(req.Segments("rest"))) })
	s.registerPanics(r)
	return r
}

// waiting counts the handlers that run.
func (s *siege) waiting(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := s.long.Add(1)
		defer s.long.Add(-1)
		for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
		}
		h(w, r)
	}
}

func (s *siege) readAll(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, "cut", http.StatusBadRequest)
	default:
		s.whole.Add(1)
		fmt.Fprintf(w, "whole %q", body)
	}
}

// hijacked is a handler that says hello, and waits until the client is gone.
func hijacked(w http.ResponseWriter, r *http.Request) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	defer context.AfterFunc(r.Context(), func() { conn.Close() })()
	rw.WriteString("hello\n")
	rw.Flush()
	io.Copy(io.Discard, rw)
}

// A meteredListener counts the connections that are open, and what is read of each.
type meteredListener struct {
	net.Listener
	siege *siege
}

// A wire is a connection of a system's network, or one in memory.
type wire interface {
	net.Conn
	CloseWrite() error
}

type meteredConn struct {
	wire
	read  *atomic.Int64
	close func() error
}

func (l *meteredListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &meteredConn{wire: conn.(wire), read: new(atomic.Int64)}
	c.close = sync.OnceValue(func() error {
		defer l.siege.open.Add(-1)
		return c.wire.Close()
	})
	l.siege.open.Add(1)
	l.siege.read.Store(conn.RemoteAddr().String(), c.read)
	return c, nil
}

func (c *meteredConn) Read(b []byte) (int, error) {
	n, err := c.wire.Read(b)
	c.read.Add(int64(n))
	return n, err
}

func (c *meteredConn) Close() error { return c.close() }

// readOf returns how many bytes the server has read from a client.
func (s *siege) readOf(client net.Conn) int64 {
	n, ok := s.read.Load(client.LocalAddr().String())
	if !ok {
		return 0
	}
	return n.(*atomic.Int64).Load()
}

// A tally is a log of which only the size is kept, and the last record.
type tally struct {
	mu      sync.Mutex
	records int
	bytes   int
	largest int
	last    string
}

func (l *tally) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records++
	l.bytes += len(b)
	l.largest = max(l.largest, len(b))
	l.last = string(b)
	return len(b), nil
}

func (l *tally) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%d records, %d bytes, %d at most, the last one %s", l.records, l.bytes, l.largest, l.last)
}

// dial connects to the server until the end of the attack.
func (s *siege) dial() *servertest.Client {
	conn, err := s.connect()
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, conn)
	return servertest.NewClient(s.t, conn)
}

// closeAll closes what dial opened.
func (s *siege) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
	s.conns = nil
}

// behave has a client ask one request after the other, in some rounds, until the
// function is called that it returns.
func (s *siege) behave() (stop func()) {
	const least = 3
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for n := 1; s.round(n) && (n < least || !isOver(over)); n++ {
			time.Sleep(s.pause)
		}
	}()
	return func() {
		close(over)
		<-done
	}
}

func isOver(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// round asks for a page, with a form and for a file, and reports whether all of them
// were answered rightly.
func (s *siege) round(n int) bool {
	v := fmt.Sprint("v", n)
	return s.ask("GET", "/page/"+v, "", "200 <p>"+v+"</p>") &&
		s.ask("POST", "/form", "v="+v, "200 form "+v) &&
		s.ask("GET", "/page.txt", "", "200 "+strings.TrimSpace(page)) &&
		s.ask("GET", "/about", "", "200 <h1>about</h1>")
}

func (s *siege) ask(method, path, body, want string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), servertest.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.origin+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return false
	}
	req.Header.Set("Content-Type", flowtest.Form)
	// The server may close a connection that is idle just when a request is sent on it.
	req.Header.Set("Idempotency-Key", path)
	resp, err := s.client.RoundTrip(req)
	if err != nil {
		s.t.Errorf("%s %s: %v; log: %v", method, path, err, &s.log)
		return false
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if got := fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(text))); err != nil || got != want {
		s.t.Errorf("%s %s: got %.200q, %v; want %.200q; log: %v", method, path, got, err, want, &s.log)
		return false
	}
	return true
}

// A footprint is what a server needs.
type footprint struct {
	goroutines  int
	heap        int64 // bytes
	connections int64
	requests    int64
}

// heapSlack is what may stay, in bytes, for the pools and tables of net/http.
const heapSlack = 1 << 20

func (s *siege) measure() footprint {
	s.client.CloseIdleConnections()
	runtime.GC()
	runtime.GC() // what pools hold goes with the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{runtime.NumGoroutine(), int64(m.HeapAlloc), s.open.Load(), s.running.Load()}
}

// settle returns the footprint once nobody is connected.
func (s *siege) settle() footprint {
	s.t.Helper()
	last := s.measure()
	s.await("nobody is connected, and the number of goroutines is steady", func() bool {
		now := s.measure()
		steady := now.connections == 0 && now.requests == 0 && now.goroutines == last.goroutines
		last = now
		return steady
	})
	return last
}

// awaitSettled waits until the footprint is about what it was.
func (s *siege) awaitSettled(before footprint) {
	s.t.Helper()
	var now footprint
	defer func() {
		if s.t.Failed() {
			stacks := make([]byte, 64<<10)
			stacks = stacks[:runtime.Stack(stacks, true)]
			s.t.Logf("before: %+v\nafter:  %+v\nlog: %v\n%s", before, now, &s.log, stacks)
		}
	}()
	s.await("nothing is left of the attack", func() bool {
		now = s.measure()
		return now.connections == 0 && now.requests == 0 && s.long.Load() == 0 && now.goroutines <= before.goroutines+2 && now.heap <= before.heap+heapSlack
	})
}

// await waits for a condition that holds once connections that are idle are closed.
func (s *siege) await(what string, holds func() bool) {
	s.t.Helper()
	for began := time.Now(); !holds(); time.Sleep(s.pause) {
		if time.Since(began) > 2*servertest.Patience {
			s.t.Fatalf("it did not happen: %s", what)
		}
	}
}

// together calls f n times at once, and waits.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// drip sends a text byte by byte until the connection is closed, and reports whether
// the server did that.
func drip(conn net.Conn, text string, pause time.Duration) bool {
	conn.SetReadDeadline(time.Now().Add(time.Duration(len(text))*pause + servertest.Patience))
	closed := make(chan struct{})
	var err error
	go func() {
		defer close(closed)
		_, err = io.Copy(io.Discard, conn)
	}()
	for i := 0; i < len(text) && !isOver(closed); i++ {
		if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
			break
		}
		time.Sleep(pause)
	}
	<-closed
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// converse sends a text, says that it was all, and sums up the answers.
func (s *siege) converse(text string) string {
	c := s.dial()
	defer c.Close()
	c.Send(text)
	c.Conn.(wire).CloseWrite()
	var answers []string
	for {
		resp, err := http.ReadResponse(c.R, nil)
		if err != nil {
			return strings.Join(answers, ", ")
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			body = []byte(err.Error())
		}
		answer := fmt.Sprint(resp.StatusCode)
		if resp.StatusCode == 200 {
			answer += " " + string(body)
		}
		if resp.Close {
			answer += " close"
		}
		answers = append(answers, answer)
	}
}
