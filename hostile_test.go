package flow

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"
)

// TestHostileClients attacks a server. During each attack a client that behaves well
// is answered rightly, and after it nothing is left: no connection, no goroutine, no
// memory.
func TestHostileClients(t *testing.T) {
	soon := 300 * time.Millisecond // in place of limits of many seconds
	if raceEnabled {
		soon *= 5 // or the client that behaves well is too slow for them
	}
	shortHeader := func(s *server) { s.limits.header, s.limits.idle = soon, soon }
	// net/http keeps what it has of a connection of HTTP/2 for the idle time, if
	// streams were open.
	shortWrite := func(s *server) { s.limits.idle, s.limits.write = soon, soon }
	shortRead := func(s *server) { s.limits.read, s.limits.discard = soon, soon }
	for _, tt := range []struct {
		name   string
		secure bool // HTTP/2 with TLS
		change func(*server)
		attack func(*siege)
	}{
		{"slow headers", false, shortHeader, slowHeaders},
		{"slow handshakes", true, shortHeader, slowHandshakes},
		{"slow headers of HTTP/2", true, shortHeader, slowHeadersHTTP2},
		{"slow bodies", false, shortRead, slowBodies},
		{"bodies over MaxBody", false, nil, largeBodies},
		{"large headers", false, nil, largeHeaders},
		{"large headers of HTTP/2", true, nil, largeHeadersHTTP2},
		{"malformed chunks", false, nil, malformedChunks},
		{"smuggled requests", false, nil, smuggledRequests},
		{"ever new requests", false, nil, newRequests},
		{"long paths", false, nil, longPaths},
		{"panics", false, nil, panics},
		{"clients that vanish", false, shortWrite, vanishing},
		{"rapid resets of HTTP/2", true, shortWrite, rapidResets},
		{"many streams of HTTP/2", true, shortWrite, manyStreams},
		{"closed windows of HTTP/2", true, shortWrite, closedWindows},
		{"a flood of pings of HTTP/2", true, shortWrite, floodOfPings},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := besieged(t, tt.secure, tt.change)
			s.round(0) // makes what is made once
			before := s.settle()
			answered := s.behave()
			tt.attack(s)
			answered()
			s.closeAll()
			if !t.Failed() {
				s.awaitSettled(before)
			}
		})
	}
}

// A siege is a server under attack.
type siege struct {
	*testServer
	t      *testing.T
	log    tally
	client *http.Transport // that behaves well
	origin string

	whole    atomic.Int64 // bodies that handlers took for whole
	smuggled atomic.Int64 // requests that no client meant
	long     atomic.Int64 // handlers that wait for the client
	most     atomic.Int64 // of these at one time

	mu    sync.Mutex
	conns []net.Conn
	read  sync.Map // address of a client to *atomic.Int64, bytes read from it
}

const (
	pageSize  = 64 << 10
	largeSize = 32 << 20 // more than the buffers of a connection hold
	maxBody   = 64 << 10
)

func besieged(t *testing.T, secure bool, change func(*server)) *siege {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cert, client := certified(t)
	s := &siege{t: t, client: client, origin: "http://" + l.Addr().String()}
	s.testServer = startedOn(t, &meteredListener{l, s}, s.router(), func(srv *server) {
		srv.log = slog.New(slog.NewTextHandler(&s.log, nil))
		if secure {
			s.origin = "https://" + l.Addr().String()
			srv.tls = &tls.Config{Certificates: []tls.Certificate{cert}}
		}
		if change != nil {
			change(srv)
		}
	})
	return s
}

// router has handlers of all kinds.
func (s *siege) router() *Router {
	tree := files("router/form.http", "router/json.http", "router/raw.http", "router/unread.http", "router/smuggled.http",
		"router/large.http", "router/events.http", "router/hijack.http", "router/docs/[...rest].http", "router/panic/[kind].http",
		"router/panic/guard/index.http", "router/panic/around/[when].http")
	tree["router/page/[id].html"] = &fstest.MapFile{Data: []byte("<p>{{.}}</p>")}
	tree["router/about.html"] = &fstest.MapFile{Data: []byte("<h1>about</h1>")}
	tree["router/panic/template.html"] = &fstest.MapFile{Data: []byte("<p>{{boom}}</p>")}
	tree["public/page.txt"] = &fstest.MapFile{Data: stylesheet(pageSize)}
	r := New(tree)
	r.MaxBody = maxBody
	r.Logger = slog.New(slog.NewTextHandler(&s.log, nil))
	r.Funcs = template.FuncMap{"boom": func() string { panic("template") }}
	r.At("page/[id]").GET().Do(func(req *Request) Response { return Page(req.Param("id")) })
	r.At("form").POST().Do(func(req *Request) string { return "form " + req.Input("v") })
	r.At("json").ANY().Do(func(req *Request) Response {
		s.whole.Add(1)
		return Text("whole " + req.Input("v"))
	})
	r.At("raw").ANY().Do(s.waiting(s.readAll))
	r.At("unread").ANY().Do(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "unread") })
	r.At("smuggled").ANY().Do(func(*Request) string {
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
	r.At("events").GET().Do(func(*Request) Response { return Handler(s.waiting(eventStream)) })
	r.At("hijack").GET().Do(s.waiting(hijacked))
	r.At("docs/[...rest]").GET().Do(func(req *Request) string { return fmt.Sprint(len(req.Segments("rest"))) })
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

// A meteredListener counts what is read of each connection.
type meteredListener struct {
	net.Listener
	siege *siege
}

type meteredConn struct {
	*net.TCPConn
	read *atomic.Int64
}

func (l *meteredListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := meteredConn{conn.(*net.TCPConn), new(atomic.Int64)}
	l.siege.read.Store(conn.RemoteAddr().String(), c.read)
	return c, nil
}

func (c meteredConn) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	c.read.Add(int64(n))
	return n, err
}

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
func (s *siege) dial() *rawClient {
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.conns = append(s.conns, conn)
	s.mu.Unlock()
	conn.SetDeadline(time.Now().Add(patience))
	return &rawClient{conn, s.t, bufio.NewReader(conn)}
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
		pause := time.NewTicker(5 * time.Millisecond)
		defer pause.Stop()
		for n := 1; s.round(n) && (n < least || !isOver(over)); n++ {
			<-pause.C
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
		s.ask("GET", "/page.txt", "", "200 "+strings.TrimSpace(string(stylesheet(pageSize)))) &&
		s.ask("GET", "/about", "", "200 <h1>about</h1>")
}

func (s *siege) ask(method, path, body, want string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.origin+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return false
	}
	req.Header.Set("Content-Type", formType)
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
	return footprint{runtime.NumGoroutine(), int64(m.HeapAlloc), s.connections.n.Load(), s.requests.n.Load()}
}

// settle returns the footprint once nobody is connected.
func (s *siege) settle() footprint {
	s.t.Helper()
	last := s.measure()
	until(s.t, "the server has no connections and a steady number of goroutines", func() bool {
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
	deadline := time.Now().Add(patience)
	for {
		now := s.measure()
		if now.connections == 0 && now.requests == 0 && s.long.Load() == 0 && now.goroutines <= before.goroutines+2 && now.heap <= before.heap+heapSlack {
			return
		}
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			stacks = stacks[:runtime.Stack(stacks, true)]
			s.t.Fatalf("before: %+v\nafter:  %+v\nlog: %v\n%s", before, now, &s.log, stacks)
		}
		time.Sleep(10 * time.Millisecond)
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
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		io.Copy(io.Discard, conn)
	}()
	for i := range len(text) {
		if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
			break
		}
		select {
		case <-closed:
			return true
		case <-time.After(pause):
		}
	}
	return isClosed(closed)
}

func isClosed(closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	case <-time.After(patience):
		return false
	}
}

// slowHeaders has clients send a byte now and then, or none.
func slowHeaders(s *siege) {
	const first = "GET /about HTTP/1.1\r\nHost: a\r\n"
	together(200, func(i int) {
		c := s.dial()
		defer c.Close()
		// It would take longer than the test may.
		text, before := "", ""
		switch i % 4 {
		case 0:
			text = "GET /" + strings.Repeat("x", 2000)
		case 1:
			text = first + "X: " + strings.Repeat("x", 2000)
		case 2: // on a connection that was good for a request
			before, text = first+"\r\n", first+"X: "+strings.Repeat("x", 2000)
		case 3: // silent
		}
		if before != "" {
			io.WriteString(c, before)
			if resp, err := http.ReadResponse(c.r, nil); err != nil || resp.StatusCode != 200 {
				s.t.Error("the first request: ", resp, err)
				return
			}
		}
		if !drip(c, text, 20*time.Millisecond) {
			s.t.Errorf("the server keeps the connection of client %d", i)
		}
	})
}

// slowHandshakes has clients that begin TLS and do not go on.
func slowHandshakes(s *siege) {
	together(100, func(i int) {
		c := s.dial()
		defer c.Close()
		text := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" // the head of a ClientHello
		if i%2 == 0 {
			text = ""
		}
		if !drip(c, text+strings.Repeat("x", i%2*400), 20*time.Millisecond) {
			s.t.Errorf("the server keeps the connection of client %d", i)
		}
	})
}

// The types and flags of frames (RFC 9113, sections 6 and 7).
const (
	frameData         = 0
	frameHeaders      = 1
	frameReset        = 3
	frameSettings     = 4
	framePing         = 6
	frameGoAway       = 7
	frameContinuation = 9

	flagEndStream  = 1
	flagAck        = 1
	flagEndHeaders = 4

	settingInitialWindow = 4
)

// A rawHTTP2 is a connection on which a test speaks HTTP/2 by hand.
type rawHTTP2 struct {
	*tls.Conn
	tcp  net.Conn
	w    *bufio.Writer
	next uint32 // stream
}

// dialHTTP2 connects, with settings that are pairs of a name and a value.
func (s *siege) dialHTTP2(settings ...uint32) *rawHTTP2 {
	tcp := s.dial().Conn
	config := s.client.TLSClientConfig.Clone()
	config.NextProtos, config.ServerName = []string{"h2"}, "127.0.0.1"
	c := &rawHTTP2{tls.Client(tcp, config), tcp, nil, 1}
	c.w = bufio.NewWriterSize(c.Conn, 16<<10)
	if err := c.Handshake(); err != nil {
		s.t.Error(err)
	}
	io.WriteString(c.w, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	var payload []byte
	for i := 0; i < len(settings); i += 2 {
		payload = binary.BigEndian.AppendUint16(payload, uint16(settings[i]))
		payload = binary.BigEndian.AppendUint32(payload, settings[i+1])
	}
	c.send(frameSettings, 0, 0, payload)
	return c
}

// send writes a frame, which Flush sends.
func (c *rawHTTP2) send(kind, flags byte, stream uint32, payload []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = append(head, flags)
	c.w.Write(binary.BigEndian.AppendUint32(head, stream))
	_, err := c.w.Write(payload)
	return err
}

// get begins a request, and returns its stream.
func (c *rawHTTP2) get(path string) (stream uint32, err error) {
	stream, c.next = c.next, c.next+2
	return stream, c.send(frameHeaders, flagEndStream|flagEndHeaders, stream, headerOf(path))
}

// A frame is one that was received.
type frame struct {
	kind, flags byte
	stream      uint32
	payload     []byte
}

func (c *rawHTTP2) receive() (f frame, err error) {
	var head [9]byte
	if _, err := io.ReadFull(c.Conn, head[:]); err != nil {
		return f, err
	}
	f.kind, f.flags = head[3], head[4]
	f.stream = binary.BigEndian.Uint32(head[5:])
	f.payload = make([]byte, binary.BigEndian.Uint32(head[:4])>>8)
	_, err = io.ReadFull(c.Conn, f.payload)
	return f, err
}

// headerOf returns the header of a GET, without any compression (RFC 7541, 6.2.2).
func headerOf(path string, fields ...string) []byte {
	return block(append([]string{":method", "GET", ":scheme", "https", ":authority", "a", ":path", path}, fields...)...)
}

func block(fields ...string) []byte {
	var b []byte
	for i, text := range fields {
		if i%2 == 0 {
			b = append(b, 0)
		}
		if len(text) < 127 {
			b = append(b, byte(len(text)))
		} else { // RFC 7541, section 5.1
			b = binary.AppendUvarint(append(b, 127), uint64(len(text)-127))
		}
		b = append(b, text...)
	}
	return b
}

// slowHeadersHTTP2 has clients that stop after the preface, for which net/http gives
// 10 seconds, in a frame, and between the frames of a header.
func slowHeadersHTTP2(s *siege) {
	together(40, func(i int) {
		c := s.dialHTTP2()
		defer c.Close()
		text := ""
		switch i % 3 {
		case 0: // idle
		case 1:
			c.send(frameHeaders, flagEndStream, 1, headerOf("/about")[:5])
			text = strings.Repeat("\x00\x00\x00\x09\x00\x00\x00\x00\x01", 200) // empty CONTINUATION
		case 2:
			text = "\x00\x40\x00\x01\x05\x00\x00\x00\x01" + strings.Repeat("x", 2000) // HEADERS
		}
		c.w.Flush()
		if !drip(c.Conn, text, 20*time.Millisecond) {
			s.t.Errorf("the server keeps the connection of client %d", i)
		}
	})
}

// slowBodies sends bodies byte by byte, and some that stop, to handlers that read
// them and to some that do not.
func slowBodies(s *siege) {
	paths := []string{"/json", "/raw", "/unread"}
	framings := []string{"Content-Length: 5000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1388\r\n"}
	together(120, func(i int) {
		c := s.dial()
		defer c.Close()
		io.WriteString(c, "POST "+paths[i%3]+" HTTP/1.1\r\nHost: a\r\nContent-Type: "+formType+"\r\n"+framings[i/3%2])
		drips := i/6%2 == 0
		go func() {
			io.WriteString(c, "v=")
			for n := 0; drips && n < 4000; n++ {
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond) // below the rate that is asked for
			}
		}()
		resp, err := http.ReadResponse(c.r, nil)
		if err != nil {
			if drips { // which the server resets when it closes the connection
				return
			}
			s.t.Errorf("%s %q: %v", paths[i%3], framings[i/3%2], err)
			return
		}
		want := []int{http.StatusRequestTimeout, http.StatusBadRequest, http.StatusOK}[i%3]
		if resp.StatusCode != want || !resp.Close {
			s.t.Errorf("%s %q: got %d, close=%v; want %d, close=true", paths[i%3], framings[i/3%2], resp.StatusCode, resp.Close, want)
		}
		io.Copy(io.Discard, c.r) // until the server closes
	})
	is.New(s.t).Equal(s.whole.Load(), int64(0))
}

// largeBodies sends more than a handler takes, some of it without end.
func largeBodies(s *siege) {
	const (
		endless = 64 << 20
		most    = 1 << 20 // that the server may read: the limit, the 256 KB of net/http, and buffers
	)
	file := "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.txt\"\r\n\r\n"
	field := "--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nx\r\n"
	uploads := []struct{ path, media, begin string }{
		{"/json", formType, "v="},
		{"/json", formType, strings.Repeat("a&", maxBody/2)},
		{"/json", jsonMedia, `{"v":"`},
		{"/json", jsonMedia, strings.Repeat("[", maxBody)},
		{"/json", multiMedia, file},
		{"/json", multiMedia, strings.Repeat(field, maxBody/len(field)+1)},
		{"/raw", "text/plain", ""},
		{"/raw", multiMedia, file},
	}
	framings := []struct {
		header  string
		endless bool
	}{
		{fmt.Sprint("Content-Length: ", maxBody+1), false},
		{fmt.Sprint("Content-Length: ", endless), true},
		{"Content-Length: 9223372036854775807", true},
		{"Transfer-Encoding: chunked", true},
	}
	together(len(uploads)*len(framings), func(i int) {
		u, f := uploads[i/len(framings)], framings[i%len(framings)]
		c := s.dial()
		defer c.Close()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			text := (u.begin + strings.Repeat("x", maxBody+1))[:maxBody+1]
			if f.header == "Transfer-Encoding: chunked" {
				text = fmt.Sprintf("%x\r\n%s\r\n", len(text), text)
			}
			_, err := fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\n%s\r\n\r\n%s", u.path, u.media, f.header, text)
			for n := 0; err == nil && f.endless; n += len(text) {
				if n > endless {
					s.t.Errorf("%s %s %s: the server reads on", u.path, u.media, f.header)
					return
				}
				_, err = io.WriteString(c, text)
			}
		}()
		resp, err := http.ReadResponse(c.r, nil)
		switch {
		case err != nil:
			s.t.Errorf("%s %s %s: %v", u.path, u.media, f.header, err)
		case resp.StatusCode != http.StatusRequestEntityTooLarge:
			s.t.Errorf("%s %s %s: got %d, want 413", u.path, u.media, f.header, resp.StatusCode)
		}
		<-sent // with an error: the server has closed the connection
		if n := s.readOf(c); n > most {
			s.t.Errorf("%s %s %s: the server read %d bytes", u.path, u.media, f.header, n)
		}
	})
	is.New(s.t).Equal(s.whole.Load(), int64(0))
}

// largeHeaders sends headers above the limit.
func largeHeaders(s *siege) {
	const most = 64<<10 + 16<<10 // that the server may read: the limit, the slack of net/http, and a buffer
	for _, tt := range []struct {
		name, text string
	}{
		{"one header", "X: " + strings.Repeat("x", 1<<20)},
		{"one name", strings.Repeat("x", 1<<20)},
		{"many headers", strings.Repeat("X-"+strings.Repeat("x", 100)+": "+strings.Repeat("y", 900)+"\r\n", 1<<10)},
		{"100000 small headers", strings.Repeat("X: y\r\n", 100_000)},
		{"continued lines", "X: y\r\n" + strings.Repeat(" z\r\n", 250_000)},
	} {
		c := s.dial()
		go io.WriteString(c, "GET /about HTTP/1.1\r\nHost: a\r\n"+tt.text+"\r\n\r\n")
		resp, err := http.ReadResponse(c.r, nil)
		if err != nil {
			s.t.Errorf("%s: %v", tt.name, err)
		} else if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge || !resp.Close {
			s.t.Errorf("%s: got %d, close=%v; want 431", tt.name, resp.StatusCode, resp.Close)
		}
		if n := s.readOf(c); n > most {
			s.t.Errorf("%s: the server read %d bytes", tt.name, n)
		}
		c.Close()
	}
}

// largeHeadersHTTP2 sends headers above the limit, in many frames.
func largeHeadersHTTP2(s *siege) {
	const most = 1 << 20 // that the server may read before it closes
	headers := []struct {
		name  string
		block []byte
	}{
		{"one header", headerOf("/about", "x", strings.Repeat("x", 8<<20))},
		{"many headers", headerOf("/about", slices.Repeat([]string{"x", strings.Repeat("x", 900)}, 8<<10)...)},
		{"800000 small headers", headerOf("/about", slices.Repeat([]string{"x", "y"}, 800_000)...)},
		{"a long path", headerOf("/" + strings.Repeat("x", 8<<20))},
	}
	together(len(headers), func(i int) {
		c := s.dialHTTP2()
		defer c.tcp.Close()
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			io.Copy(io.Discard, c.Conn)
		}()
		kind := byte(frameHeaders)
		for piece := range slices.Chunk(headers[i].block, 16<<10) {
			if err := c.send(kind, 0, 1, piece); err != nil {
				break
			}
			kind = frameContinuation
		}
		c.w.Flush()
		<-gone
		if n := s.readOf(c.tcp); n > most {
			s.t.Errorf("%s: the server read %d bytes", headers[i].name, n)
		}
	})
}

// converse sends a text, says that it was all, and sums up the answers.
func (s *siege) converse(text string) string {
	c := s.dial()
	defer c.Close()
	c.send(text)
	c.Conn.(*net.TCPConn).CloseWrite()
	var answers []string
	for {
		resp, err := http.ReadResponse(c.r, nil)
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

// malformedChunks sends bodies whose chunks are wrong: no handler must take such a
// body for a whole one.
func malformedChunks(s *siege) {
	const head = " HTTP/1.1\r\nHost: a\r\nContent-Type: " + formType + "\r\nTransfer-Encoding: chunked\r\n\r\n"
	long := strings.Repeat("x", 8<<10)
	for _, tt := range []struct {
		name, chunks string
		whole        bool
	}{
		{"well formed", "5\r\nv=abc\r\n0\r\n\r\n", true},
		{"zeros before the size", "0005\r\nv=abc\r\n0\r\n\r\n", true},
		{"an extension", "5;a=b\r\nv=abc\r\n0\r\n\r\n", true},
		{"no hexadecimal", "g\r\nv=abc\r\n0\r\n\r\n", false},
		{"no size", "\r\nv=abc\r\n0\r\n\r\n", false},
		{"a negative size", "-5\r\nv=abc\r\n0\r\n\r\n", false},
		{"a sign", "+5\r\nv=abc\r\n0\r\n\r\n", false},
		{"a prefix", "0x5\r\nv=abc\r\n0\r\n\r\n", false},
		{"two sizes", "5 5\r\nv=abc\r\n0\r\n\r\n", false},
		{"5 if it wraps around", "10000000000000005\r\nv=abc\r\n0\r\n\r\n", false},
		{"-1 if it has a sign", "ffffffffffffffff\r\nv=abc\r\n0\r\n\r\n", false},
		{"more than will ever come", "7fffffffffffffff\r\nv=abc\r\n0\r\n\r\n", false},
		{"longer than its size", "4\r\nv=abc\r\n0\r\n\r\n", false},
		{"shorter than its size", "6\r\nv=abc\r\n0\r\n\r\n", false},
		{"no CRLF after the data", "5\r\nv=abc0\r\n\r\n", false},
		{"LF after the data", "5\r\nv=abc\n0\r\n\r\n", false},
		{"CR after the data", "5\r\nv=abc\r0\r\n\r\n", false},
		{"LF after the size", "5\nv=abc\r\n0\r\n\r\n", false},
		{"CR after the size", "5\rv=abc\r\n0\r\n\r\n", false},
		{"LF in an extension", "5;a\nv=abc\r\n0\r\n\r\n", false},
		{"no last chunk", "5\r\nv=abc\r\n", false},
		{"no end of the last chunk", "5\r\nv=abc\r\n0\r\n", false},
		{"no end of the trailer", "5\r\nv=abc\r\n0\r\nX: y\r\n", false},
		{"a trailer without a colon", "5\r\nv=abc\r\n0\r\ngarbage\r\n\r\n", false},
		{"a trailer without a name", "5\r\nv=abc\r\n0\r\n: y\r\n\r\n", false},
		{"a trailer with a space in its name", "5\r\nv=abc\r\n0\r\nContent Length: 5\r\n\r\n", true}, // which nobody reads
		{"a trailer that nobody announced", "5\r\nv=abc\r\n0\r\nContent-Length: 9\r\n\r\n", true},
		{"a long extension", "5;" + long + "\r\nv=abc\r\n0\r\n\r\n", false},
		{"a long trailer", "5\r\nv=abc\r\n0\r\nX: " + long + "\r\n\r\n", false},
		{"mostly extensions", strings.Repeat("1;"+long[:2000]+"\r\nx\r\n", 100) + "0\r\n\r\n", false},
	} {
		for path, answer := range map[string]string{"/json": "200 whole abc", "/raw": `200 whole "v=abc"`} {
			before := s.whole.Load()
			got := s.converse("POST " + path + head + tt.chunks)
			whole := s.whole.Load() - before
			switch {
			case tt.whole && (got != answer || whole != 1):
				s.t.Errorf("%s %s: got %q; want %q", path, tt.name, got, answer)
			case !tt.whole && (got != "" && got != "400" && got != "400 close" || whole != 0):
				s.t.Errorf("%s %s: got %q, and %d bodies for whole; want 400", path, tt.name, got, whole)
			}
		}
	}
}

// smuggledRequests sends what two readers may read as different requests: a proxy
// that takes for a part of the first what the server answers as a second one.
func smuggledRequests(s *siege) {
	const (
		post    = "POST /raw HTTP/1.1\r\nHost: a\r\n"
		second  = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
		chunked = "Transfer-Encoding: chunked\r\n"
		empty   = "0\r\n\r\n"
		refused = "400 close"
		unknown = "501 close" // of encodings that net/http does not know
	)
	length := fmt.Sprint("Content-Length: ", len(second), "\r\n")
	all := fmt.Sprint("Content-Length: ", len(empty+second), "\r\n")
	whole := fmt.Sprintf("200 whole %q", second)
	for _, tt := range []struct {
		name, text, want string
	}{
		// One length, and what is no length.
		{"a length", post + length + "\r\n" + second, whole},
		{"a length with a sign", post + "Content-Length: +35\r\n\r\n" + second, refused},
		{"a negative length", post + "Content-Length: -1\r\n\r\n" + second, refused},
		{"a length in hexadecimal", post + "Content-Length: 0x23\r\n\r\n" + second, refused},
		{"an empty length", post + "Content-Length:\r\n\r\n" + second, refused},
		{"a length of more than 64 bits", post + "Content-Length: 18446744073709551616\r\n\r\n" + second, refused},
		{"a length with a space", post + "Content-Length: 3 5\r\n\r\n" + second, refused},
		{"a length with letters", post + "Content-Length: 35a\r\n\r\n" + second, refused},

		// Two lengths are refused, unless they are equal fields (RFC 9112, section 6.3).
		{"two lengths", post + length + "Content-Length: 0\r\n\r\n" + second, refused},
		{"two lengths, the smaller first", post + "Content-Length: 0\r\n" + length + "\r\n" + second, refused},
		{"two equal lengths", post + length + length + "\r\n" + second, whole},
		{"a list of lengths", post + "Content-Length: 0, 35\r\n\r\n" + second, refused},
		{"a list of equal lengths", post + "Content-Length: 35, 35\r\n\r\n" + second, refused},
		{"lengths of other case", post + length + "content-length: 0\r\n\r\n" + second, refused},

		// Transfer-Encoding counts, and not a length beside it (RFC 9112, section 6.3):
		// a proxy must read it so too, or refuse it, and pass on no length. The server
		// should close the connection then (section 6.1), which net/http does not, and
		// it does not tell a handler that there was a length. So there is a second answer
		// to those who forward a length that they must not.
		{"chunks and a length", post + all + chunked + "\r\n" + empty + second, `200 whole "", 200 smuggled`},
		{"a length after chunks", post + chunked + all + "\r\n" + empty + second, `200 whole "", 200 smuggled`},
		{"chunks and a length that is none", post + "Content-Length: x\r\n" + chunked + "\r\n" + empty + second, refused},
		{"chunks and two lengths", post + all + "Content-Length: 0\r\n" + chunked + "\r\n" + empty + second, refused},
		// The other way, a proxy that goes by a length of 4 leaves the rest of a chunk.
		{"a chunk and a length within it", post + "Content-Length: 4\r\n" + chunked + "\r\n23\r\n" + second + "\r\n" + empty, whole},

		// One that is not just "chunked" is refused.
		{"chunked, identity", post + all + "Transfer-Encoding: chunked, identity\r\n\r\n" + empty + second, unknown},
		{"identity, chunked", post + all + "Transfer-Encoding: identity, chunked\r\n\r\n" + empty + second, unknown},
		{"identity", post + all + "Transfer-Encoding: identity\r\n\r\n" + empty + second, unknown},
		{"chunked twice", post + all + chunked + chunked + "\r\n" + empty + second, unknown},
		{"chunked, then another", post + all + chunked + "Transfer-Encoding: x\r\n\r\n" + empty + second, unknown},
		{"chunked in quotes", post + all + "Transfer-Encoding: \"chunked\"\r\n\r\n" + empty + second, unknown},
		{"chunked with a parameter", post + all + "Transfer-Encoding: chunked;q=1\r\n\r\n" + empty + second, unknown},
		{"chunked with a comma", post + all + "Transfer-Encoding: chunked,\r\n\r\n" + empty + second, unknown},
		{"xchunked", post + all + "Transfer-Encoding: xchunked\r\n\r\n" + empty + second, unknown},
		{"an empty encoding", post + all + "Transfer-Encoding:\r\n\r\n" + empty + second, unknown},
		{"chunked after a vertical tab", post + all + "Transfer-Encoding: \vchunked\r\n\r\n" + empty + second, refused},
		{"chunked before NUL", post + all + "Transfer-Encoding: chunked\x00\r\n\r\n" + empty + second, refused},
		// These are "chunked" (RFC 9110, sections 5.5 and 10.1.4), for proxies too.
		{"capitals", post + "Transfer-Encoding: CHUNKED\r\n\r\n" + empty, `200 whole ""`},
		{"spaces and tabs around it", post + "Transfer-Encoding: \t chunked \t\r\n\r\n" + empty, `200 whole ""`},
		{"no space before it", post + "Transfer-Encoding:chunked\r\n\r\n" + empty, `200 whole ""`},
		{"a name in capitals", post + "TRANSFER-ENCODING: chunked\r\n\r\n" + empty, `200 whole ""`},
		// A line that goes on is joined with a space (RFC 9112, section 5.2).
		{"a folded line", post + "Transfer-Encoding:\r\n chunked\r\n\r\n" + empty, `200 whole ""`},
		{"a folded line of two", post + all + "Transfer-Encoding: chunked\r\n x\r\n\r\n" + empty + second, unknown},
		// HTTP/1.0 has none: the length counts, or there is no body, and what follows is
		// no request. RFC 9112, section 6.1, calls the framing faulty.
		{"HTTP/1.0 with chunks and a length", "POST /raw HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n" + all + chunked + "\r\n" + empty + second, fmt.Sprintf("200 whole %q", empty+second)},
		{"HTTP/1.0 with chunks", "POST /raw HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n" + chunked + "\r\n23\r\n" + second + "\r\n" + empty, `200 whole "", ` + refused},

		// Names that are none, and would be if something were taken away, are refused
		// (RFC 9112, section 5.1).
		{"a space before the colon", post + "Content-Length : 35\r\n\r\n" + second, refused},
		{"a tab before the colon", post + "Content-Length\t: 35\r\n\r\n" + second, refused},
		{"a space before the colon of an encoding", post + all + "Transfer-Encoding : chunked\r\n\r\n" + empty + second, refused},
		{"a space before the first name", "POST /raw HTTP/1.1\r\n Transfer-Encoding: chunked\r\nHost: a\r\n" + all + "\r\n" + empty + second, refused},
		{"a space in a name", post + all + "Transfer Encoding: chunked\r\n\r\n" + empty + second, refused},
		{"NUL in a name", post + all + "Transfer-Encoding\x00: chunked\r\n\r\n" + empty + second, refused},
		{"a name without a colon", post + all + "Transfer-Encoding\r\n\r\n" + empty + second, refused},
		{"no name", post + all + ": chunked\r\n\r\n" + empty + second, refused},
		{"an underscore", post + all + "Transfer_Encoding: chunked\r\n\r\n" + empty + second, fmt.Sprintf("200 whole %q", empty+second)},

		// LF alone ends a line, as RFC 9112, section 2.2, allows. A proxy that does not
		// see a line there sees a value with LF in it, which it must refuse or replace
		// (RFC 9110, section 5.5). CR alone ends none, and is refused in values.
		{"LF for CRLF", strings.ReplaceAll(post+length+"\r\n", "\r\n", "\n") + second, whole},
		{"a length after LF", post + "X: y\n" + length + "\r\n" + second, whole},
		{"a length after CR", post + "X: y\r" + length + "\r\n" + second, refused},
		{"the end of the header as LF", post + length + "\n" + second, whole},
		{"the end of the header as CR", post + length + "\r" + second, refused},
		{"CR in a length", post + "Content-Length: 3\r5\r\n\r\n" + second, refused},
		{"NUL in a value", post + "X: \x00\r\n" + length + "\r\n" + second, refused},

		// The request line.
		{"two spaces", "POST  /raw HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, refused},
		{"a tab", "POST\t/raw HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, refused},
		{"CR in the target", "POST /raw\rx HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, refused},
		{"a version that is none", "POST /raw HTTP/1.1x\r\nHost: a\r\n" + length + "\r\n" + second, refused},
		{"no Host", "POST /raw HTTP/1.1\r\n" + length + "\r\n" + second, refused},
		{"two Hosts", post + "Host: b\r\n" + length + "\r\n" + second, refused},
		{"a Host with a space", "POST /raw HTTP/1.1\r\nHost: a b\r\n" + length + "\r\n" + second, refused},
		// A body of GET is one as well.
		{"GET with a body", "GET /raw HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, whole},
		{"a body that nobody reads", "GET /unread HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, "200 unread"},
		{"chunks that nobody reads", "GET /unread HTTP/1.1\r\nHost: a\r\n" + chunked + "\r\n23\r\n" + second + "\r\n" + empty, "200 unread"},
		{"a body that nobody answers", "GET /nothing HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, "404"},
		{"a body of OPTIONS", "OPTIONS /page/x HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, "204"},
	} {
		before := s.smuggled.Load()
		if got := s.converse(tt.text); got != tt.want {
			s.t.Errorf("%s: got %q; want %q", tt.name, got, tt.want)
		}
		if n := s.smuggled.Load() - before; n != int64(strings.Count(tt.want, "smuggled")-strings.Count(tt.want, "GET /smuggled")) {
			s.t.Errorf("%s: the second request was answered", tt.name)
		}
	}
}

// newRequests asks for what nobody asked for before.
func newRequests(s *siege) {
	const n, at, batch = 10_000, 4, 50
	long := strings.Repeat("x", 200) // so that what is kept of each shows
	together(at, func(worker int) {
		c := s.dial()
		defer c.Close()
		for first := worker; first < n; first += at * batch {
			var text strings.Builder
			for i := first; i < min(first+at*batch, n); i += at {
				fmt.Fprintf(&text, "GET /no/%d-%s HTTP/1.1\r\nHost: a\r\n\r\n", i, long)
				fmt.Fprintf(&text, "GET /page/%d-%s?k%d-%[2]s=%[3]d HTTP/1.1\r\nHost: h%[3]d\r\nX-%[3]d-%[2]s: %[3]d\r\nAccept-Encoding: c%[3]d\r\nCookie: c%[3]d=%[2]s\r\n\r\n", i, long, i)
			}
			go io.WriteString(c, text.String())
			for i := first; i < min(first+at*batch, n); i += at {
				for _, want := range []string{"404", fmt.Sprintf("200 <p>%d-%s</p>", i, long)} {
					resp, err := http.ReadResponse(c.r, nil)
					if err != nil {
						s.t.Error(err)
						return
					}
					body, err := io.ReadAll(resp.Body)
					if got := fmt.Sprint(resp.StatusCode, " ", string(body)); err != nil || !strings.HasPrefix(got, want) {
						s.t.Errorf("request %d: got %.100q, %v; want %.100q", i, got, err, want)
						return
					}
				}
			}
		}
	})
}

// longPaths asks for URLs that are almost as long as a header may be, and longer.
func longPaths(s *siege) {
	const size = 60 << 10
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	for _, tt := range []struct {
		name, path, want string
	}{
		{"a long segment", "/docs/" + fill("x"), "200 1"},
		{"a long parameter", "/page/" + fill("x"), "200 <p>" + fill("x") + "</p>"},
		{"a long escaped one", "/page/" + fill("%41"), "200 <p>" + strings.Repeat("A", size/3) + "</p>"},
		{"escaped slashes", "/docs/" + fill("%2F"), "200 1"},
		{"escaped dots", "/docs" + fill("/%2e%2e"), fmt.Sprint("200 ", size/7)},
		{"many segments", "/docs" + fill("/x"), fmt.Sprint("200 ", size/2)},
		{"many segments that nobody has", fill("/x"), "404"},
		{"many slashes", fill("/") + "about", "308 /about"},
		{"many slashes at the end", "/about" + fill("/"), "308 /about"},
		{"only slashes", fill("/"), "404"},
		{"dots", fill("/.") + "/about", "308 /about"},
		{"two dots", fill("/x/..") + "/about", "308 /about"},
		{"two dots at the root", fill("/..") + "/about", "308 /about"},
		{"three dots", fill("/...") + "/about", "404"},
		{"a bad escape", "/docs/" + fill("%zz"), "400"},
		{"a long query", "/about?" + fill("a=b&"), "200 <h1>about</h1>"},
		{"above the limit", "/docs/" + strings.Repeat("x", 80<<10), "431"},
		{"far above the limit", "/docs/" + strings.Repeat("/x", 512<<10), "431"},
	} {
		for range 3 {
			c := s.dial()
			go fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", tt.path)
			resp, err := http.ReadResponse(c.r, nil)
			if err != nil {
				s.t.Errorf("%s: %v", tt.name, err)
				return
			}
			got := strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Location")))
			if resp.StatusCode == http.StatusOK {
				body, _ := io.ReadAll(resp.Body)
				got += " " + string(body)
			}
			if got != tt.want {
				s.t.Errorf("%s: got %.100q; want %.100q", tt.name, got, tt.want)
			}
			c.Close()
		}
	}
}

// unencodable panics when it is encoded.
type unencodable struct{}

func (unencodable) MarshalText() ([]byte, error) { panic("encoding") }

// registerPanics registers handlers that panic, before the first byte of an answer,
// or, under names with "cut", after it.
func (s *siege) registerPanics(r *Router) {
	boom := func(*Request) Response { panic("boom") }
	cut := func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "cut")
		w.(http.Flusher).Flush()
		panic("boom")
	}
	kinds := map[string]func(*Request) Response{
		"form":     boom,
		"nil":      func(*Request) Response { panic((error)(nil)) },
		"runtime":  func(req *Request) Response { return Text(strings.Split(req.Method, ",")[1]) },
		"encoding": func(*Request) Response { return JSON(unencodable{}) },
		"std": func(*Request) Response {
			return Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
		},
		"cut": func(*Request) Response { return Handler(http.HandlerFunc(cut)) },
		"cut-unflushed": func(*Request) Response {
			return Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "cut")
				panic("boom")
			}))
		},
		"cut-stream": func(*Request) Response {
			return Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				cut(w, r)
			}))
		},
		"cut-abort": func(*Request) Response { panic(http.ErrAbortHandler) },
	}
	r.At("panic/[kind]").GET().Do(func(req *Request) Response { return kinds[req.Param("kind")](req) })
	r.At("panic/guard/index").Use(boom)
	r.At("panic/guard/index").GET().Do(hello)
	r.At("panic/around/[when]").Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.PathValue("when"), "cut") {
				next.ServeHTTP(w, r)
			}
			panic("boom")
		})
	})
	r.At("panic/around/[when]").GET().Do(hello)
}

// panics asks for answers that panic, as fast as it can.
func panics(s *siege) {
	const each = 125
	paths := []string{"form", "nil", "runtime", "encoding", "std", "template", "guard", "around/early", "cut", "cut-unflushed", "cut-stream", "cut-abort", "around/cut"}
	s.log.mu.Lock()
	records := s.log.records
	s.log.mu.Unlock()
	together(4, func(worker int) {
		client := &http.Transport{TLSClientConfig: s.client.TLSClientConfig.Clone(), ForceAttemptHTTP2: true}
		defer client.CloseIdleConnections()
		for i := range each * len(paths) / 4 {
			path := paths[(i+worker)%len(paths)]
			resp, err := client.RoundTrip(httptest.NewRequest("GET", s.origin+"/panic/"+path, nil))
			got := ""
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				got = fmt.Sprint(resp.StatusCode)
			}
			if cut := strings.Contains(path, "cut"); cut && err == nil || !cut && (err != nil || got != "500") {
				s.t.Errorf("%s: got %s, %v", path, got, err)
				return
			}
		}
	})
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if n := s.log.records - records; n > each*len(paths) || s.log.largest > 16<<10 {
		s.t.Errorf("%d panics: %d records, %d bytes in one of them: %s", each*len(paths), n, s.log.largest, s.log.last)
	}
}

// vanishing has clients that go away in the middle of each kind of request, with RST,
// or with FIN and without reading on.
func vanishing(s *siege) {
	const upload = " HTTP/1.1\r\nHost: a\r\nContent-Type: " + formType + "\r\nContent-Length: 60000\r\n\r\nv=abc"
	for _, tt := range []struct {
		name, text string
		until      string // in the answer, before the client goes away
	}{
		{"an upload", "POST /raw" + upload, ""},
		{"an upload of a form", "POST /json" + upload, ""},
		{"an upload that nobody reads", "POST /unread" + upload, ""},
		{"a download", "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", "\x00"},
		{"an event stream", "GET /events HTTP/1.1\r\nHost: a\r\n\r\n", "open"},
		{"a hijacked connection", "GET /hijack HTTP/1.1\r\nHost: a\r\n\r\n", "hello"},
		{"requests one after the other", strings.Repeat("GET /large HTTP/1.1\r\nHost: a\r\n\r\n", 20), "\x00"},
	} {
		together(20, func(i int) {
			c := s.dial()
			tcp := c.Conn.(*net.TCPConn)
			tcp.SetReadBuffer(narrow)
			io.WriteString(c, tt.text)
			if tt.until != "" {
				if _, err := c.r.ReadString(tt.until[len(tt.until)-1]); err != nil {
					s.t.Errorf("%s: %v", tt.name, err)
				}
			}
			if i%2 == 0 {
				tcp.SetLinger(0)
				tcp.Close()
				return
			}
			tcp.CloseWrite() // and stays, but does not read
		})
		until(s.t, tt.name+": the handlers end", func() bool { return s.long.Load() == 0 })
		s.closeAll()
	}
	is.New(s.t).Equal(s.whole.Load(), int64(0))
}

// alive reports whether the server still talks to c, or says why not: it waits for
// the answer to a ping.
func (c *rawHTTP2) alive() string {
	c.send(framePing, 0, 0, make([]byte, 8))
	c.w.Flush()
	for {
		f, err := c.receive()
		switch {
		case err != nil:
			return "closed"
		case f.kind == frameGoAway:
			return fmt.Sprint("closed: ", binary.BigEndian.Uint32(f.payload[4:]))
		case f.kind == framePing && f.flags&flagAck != 0:
			return "alive"
		}
	}
}

// enhanceYourCalm is the code of an error (RFC 9113, section 7).
const enhanceYourCalm = 11

// maxStreams is how many streams net/http serves on a connection at once.
const maxStreams = 250

// rapidResets opens streams and resets them at once.
func rapidResets(s *siege) {
	together(2, func(i int) {
		c := s.dialHTTP2()
		defer c.Close()
		state := make(chan string, 1)
		path := []string{"/events", "/large"}[i]
		for range 3000 {
			stream, err := c.get(path)
			if err == nil {
				err = c.send(frameReset, 0, stream, []byte{0, 0, 0, 8})
			}
			if err != nil {
				break
			}
		}
		go func() { state <- c.alive() }()
		// Handlers that are told run on for a moment: they count against the streams.
		if got := <-state; got != "alive" && got != "closed" && got != fmt.Sprint("closed: ", enhanceYourCalm) {
			s.t.Errorf("%s: got %s", path, got)
		}
	})
	if n := s.most.Load(); n > 2*maxStreams {
		s.t.Errorf("%d handlers ran at once, for 2 connections", n)
	}
}

// manyStreams holds as many streams open as it can, and one more.
func manyStreams(s *siege) {
	const conns = 4
	var held sync.WaitGroup
	held.Add(conns)
	together(conns, func(int) {
		ready := sync.OnceFunc(held.Done)
		defer ready()
		c := s.dialHTTP2()
		defer c.Close()
		for range maxStreams {
			c.get("/events")
		}
		c.w.Flush()
		answers, refused := 0, 0
		for more := true; more && refused == 0; {
			f, err := c.receive()
			switch {
			case err != nil:
				s.t.Errorf("%d streams were answered: %v", answers, err)
				more = false
			case f.kind == frameHeaders:
				if answers++; answers == maxStreams {
					c.get("/about") // one too many
					c.w.Flush()
				}
			case f.kind == frameReset:
				refused++
			}
		}
		if answers != maxStreams {
			s.t.Errorf("%d streams were answered, want %d", answers, maxStreams)
		}
		ready()
		held.Wait()
	})
	if n := s.most.Load(); n != conns*maxStreams {
		s.t.Errorf("%d handlers ran at once, want %d", n, conns*maxStreams)
	}
}

// closedWindows asks for answers and never lets the server send them.
func closedWindows(s *siege) {
	const streams = 50
	for _, tt := range []struct {
		name     string
		settings []uint32
	}{
		{"of each stream", []uint32{settingInitialWindow, 0}},
		{"of a byte", []uint32{settingInitialWindow, 1}},
		{"of the connection", []uint32{settingInitialWindow, 1 << 30}}, // which has 64 KB
	} {
		c := s.dialHTTP2(tt.settings...)
		for i := range streams {
			c.get([]string{"/large", "/page.txt"}[i%2])
		}
		c.w.Flush()
		reset := 0
		for reset < streams {
			f, err := c.receive()
			if err != nil {
				s.t.Errorf("%s: %d streams were reset: %v", tt.name, reset, err)
				break
			}
			if f.kind == frameReset {
				reset++
			}
		}
		c.Close()
	}
}

// floodOfPings asks for answers that it does not read.
func floodOfPings(s *siege) {
	together(4, func(i int) {
		c := s.dialHTTP2()
		defer c.tcp.Close()
		c.tcp.(*net.TCPConn).SetReadBuffer(narrow)
		c.tcp.SetDeadline(time.Now().Add(3 * time.Second)) // if the server just takes no more
		c.get("/events")                                   // or it would be idle, and closed for that
		if i%2 == 0 {                                      // which are answered together: there is nothing to queue
			for range 100_000 {
				c.send(frameSettings, 0, 0, nil)
			}
			return
		}
		for range 2_000_000 {
			if c.send(framePing, 0, 0, make([]byte, 8)) != nil {
				return
			}
		}
		s.t.Error("the server reads on for ever, and queues the answers")
	})
}
