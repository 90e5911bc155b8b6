//go:build linux

package deploy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/testkit/servertest"
)

// A probe is an application that tells what reaches it.
type probe struct {
	died    atomic.Int64         // the requests to /die
	streams chan context.Context // of the event streams that began
	next    chan string          // the event that a stream sends next
	ended   chan string          // the downloads that ended, and why
}

// A seen request is one as the application sees it.
type seen struct {
	Host, URI, Remote string
	Header            http.Header
	Body              int64
}

func (p *probe) router() *flow.Router {
	r := flow.New(fstest.MapFS{
		"router/index.html":            {Data: []byte(strings.Repeat("<p>the same for everybody</p>\n", 100))},
		"router/readyz.http":           {},
		"router/seen/[[...path]].http": {},
		"router/events.http":           {},
		"router/socket.http":           {},
		"router/die.http":              {},
		"router/cookies.http":          {},
		"router/old.http":              {},
		"router/download.http":         {},
	})
	r.At("readyz").GET().Do(func(*flow.Request) string { return "ok" })
	r.At("seen/[[...path]]").ANY().Do(func(req *flow.Request) (flow.Response, error) {
		n, err := io.Copy(io.Discard, req.Body)
		return flow.JSON(seen{req.Host, req.RequestURI, req.RemoteAddr, req.Header, n}), err
	})
	r.At("events").GET().Do(http.HandlerFunc(p.events))
	r.At("socket").GET().Do(http.HandlerFunc(echo))
	r.At("die").ANY().Do(func(http.ResponseWriter, *http.Request) {
		p.died.Add(1)
		panic(http.ErrAbortHandler) // the connection ends without an answer
	})
	r.At("cookies").GET().Do(func(*flow.Request) flow.Response {
		answer := flow.Text("many")
		for i := range 3 {
			answer = answer.Cookie(&http.Cookie{Name: fmt.Sprint("c", i), Value: strings.Repeat("x", 3500)})
		}
		return answer
	})
	r.At("old").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/seen?a=1") })
	r.At("download").GET().Do(http.HandlerFunc(p.download))
	r.Use(flow.RequestID)
	r.Logger = slog.New(slog.DiscardHandler)
	return r
}

// events sends what it is told to, and nothing else, until the client is gone.
func (p *probe) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	p.streams <- r.Context()
	for {
		select {
		case <-r.Context().Done():
			return
		case event := <-p.next:
			fmt.Fprintf(w, "data: %s\n\n", event)
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}
}

// download sends zeros without end.
func (p *probe) download(w http.ResponseWriter, r *http.Request) {
	begin, zeros := time.Now(), make([]byte, 64<<10)
	var err error
	for err == nil {
		_, err = w.Write(zeros)
	}
	p.ended <- fmt.Sprintf("the download %s ended after %v: %v", r.URL.RawQuery, time.Since(begin), err)
}

// accepted returns the answer of a server to the key of a WebSocket (RFC 6455, 4.2.2).
func accepted(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// echo speaks the handshake of a WebSocket, and sends back what comes then.
func echo(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") || !strings.EqualFold(r.Header.Get("Connection"), "upgrade") {
		http.Error(w, "this is for WebSockets", http.StatusUpgradeRequired)
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		accepted(r.Header.Get("Sec-WebSocket-Key")))
	io.Copy(conn, rw)
}

// serve serves the application at an address until the test ends.
func (p *probe) serve(t *testing.T, addr string) {
	t.Helper()
	served(t, addr, p.router())
}

// served serves an application at an address until the test ends.
func served(t *testing.T, addr string, r *flow.Router) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- flow.Serve(ctx, addr, r) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestBehindProxies serves with each configuration an application that sees what the
// proxy makes of requests, and answers what a proxy could spoil.
func TestBehindProxies(t *testing.T) {
	for _, proxy := range proxies {
		for _, sockets := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/sockets=%v", proxy.program, sockets), func(t *testing.T) {
				needs(t, proxy.program)
				app := &probe{streams: make(chan context.Context, 1), next: make(chan string)}
				addrs := freeAddrs(t, 4)
				servers := addrs[1:]
				for i := range servers[:2] { // nobody serves at the third
					addr := servers[i]
					if sockets {
						servers[i] = filepath.Join(shortDir(t), "app.sock")
						addr = "unix:" + servers[i]
					}
					app.serve(t, addr)
				}
				front := proxy.started(t, addrs[0], servers)
				v := &view{app, "http://" + addrs[0], addrs[0], front, proxy}
				for _, tt := range views {
					t.Run(tt.name, func(t *testing.T) { tt.test(t, is.New(t), v) })
				}
			})
		}
	}
}

// shortDir returns a directory for sockets, whose names may not be long.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// A view is the application as clients of the proxy see it.
type view struct {
	app       *probe
	url, addr string // of the proxy
	front     *process
	proxy     proxy
}

// seen sends a request and returns what the application saw.
func (v *view) seen(t *testing.T, method, path string, body io.Reader, headers ...string) (s seen) {
	t.Helper()
	a := fetch(t, method, v.url+path, body, headers...)
	if a.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s, want 200: %.200s", method, path, a.Status, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// dial returns a connection to the proxy, on which a test speaks by hand.
func (v *view) dial(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", v.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(servertest.Patience))
	return conn, bufio.NewReader(conn)
}

var views = []struct {
	name string
	test func(*testing.T, *is.I, *view)
}{
	{"the host keeps its port", func(t *testing.T, is *is.I, v *view) {
		is.Equal(v.seen(t, "GET", "/seen", nil, "Host: shop.example:8443").Host, "shop.example:8443")
	}},
	{"forms of the own origin, and of another", func(t *testing.T, is *is.I, v *view) {
		for origin, status := range map[string]int{
			"http://shop.example:8443": 200, "http://shop.example": 403, "http://other.example:8443": 403,
		} {
			a := fetch(t, "POST", v.url+"/seen", strings.NewReader("a=1"), formType, "Host: shop.example:8443", "Origin: "+origin)
			is.Equal(a.StatusCode, status) // by Origin and Host, as for browsers without Sec-Fetch-Site
		}
		a := fetch(t, "POST", v.url+"/seen", strings.NewReader("a=1"), formType, "Sec-Fetch-Site: cross-site", "Origin: http://other.example")
		is.Equal(a.StatusCode, 403)
	}},
	{"the path and the query stay as they were spelled", func(t *testing.T, is *is.I, v *view) {
		for _, path := range []string{"/seen/a%2Fb", "/seen/a%2fb", "/seen/%e2%82%ac", "/seen/a+b%20c", "/seen/%3F%23", "/seen/a;b=1,c", "/seen?q=a+b%20c&x=%26&q=", "/seen/%25"} {
			is.Equal(v.seen(t, "GET", path, nil).URI, path)
		}
	}},
	{"clients forge no header of the proxy", func(t *testing.T, is *is.I, v *view) {
		s := v.seen(t, "GET", "/seen", nil, "Host: shop.example:8443",
			"X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https", "X-Forwarded-Host: other.example", "X-Request-Id: forged")
		is.Equal(s.Header.Values("X-Forwarded-For"), []string{"127.0.0.1"})
		is.Equal(s.Header.Values("X-Forwarded-Proto"), []string{"http"})
		is.Equal(s.Header.Values("X-Forwarded-Host"), []string{"shop.example:8443"})
		is.Equal(len(s.Header.Values("X-Request-Id")), 1)
		is.True(s.Header.Get("X-Request-Id") != "forged")
	}},
	{"the logs share the id of the request", func(t *testing.T, is *is.I, v *view) {
		a := fetch(t, "GET", v.url+"/readyz", nil)
		id := a.Header.Get("X-Request-Id")
		is.True(id != "")
		servertest.Until(t, "the proxy logs "+id, func() bool { return v.front.log.has(fmt.Sprintf(v.proxy.id, id), 0) })
		is.True(id != fetch(t, "GET", v.url+"/readyz", nil).Header.Get("X-Request-Id"))
	}},
	{"redirects and errors", func(t *testing.T, is *is.I, v *view) {
		a := fetch(t, "GET", v.url+"/old", nil)
		is.Equal(a.StatusCode, 302)
		is.Equal(a.Header.Get("Location"), "/seen?a=1")
		a = fetch(t, "GET", v.url+"/nobody", nil, "Accept: application/json")
		is.Equal(a.StatusCode, 404)
		is.Equal(a.Header.Get("Content-Type"), "application/problem+json")
		is.True(strings.Contains(a.body, `"status":404`))
		is.Equal(fetch(t, "POST", v.url+"/old", nil).Header.Get("Allow"), "GET, HEAD, OPTIONS")
	}},
	{"tags, compression, HEAD", func(t *testing.T, is *is.I, v *view) {
		plain := fetch(t, "GET", v.url+"/", nil, "Accept-Encoding: identity")
		zipped := fetch(t, "GET", v.url+"/", nil, "Accept-Encoding: gzip")
		is.Equal(zipped.Header.Get("Content-Encoding"), "gzip")
		is.True(len(zipped.body) < len(plain.body)/2)
		tag := plain.Header.Get("ETag")
		is.True(strings.HasPrefix(tag, `"`)) // a strong one
		is.Equal(fetch(t, "GET", v.url+"/", nil, "Accept-Encoding: identity", "If-None-Match: "+tag).StatusCode, 304)
		head := fetch(t, "HEAD", v.url+"/", nil, "Accept-Encoding: identity")
		is.Equal(head.ContentLength, int64(len(plain.body)))
	}},
	{"large bodies, with and without a length", func(t *testing.T, is *is.I, v *view) {
		const most = 10 << 20 // Router.MaxBody
		large := bytes.Repeat([]byte("x"), most+1)
		unsized := func(b []byte) io.Reader { return io.MultiReader(bytes.NewReader(b)) }
		is.Equal(v.seen(t, "PUT", "/seen", bytes.NewReader(large[:most])).Body, int64(most))
		is.Equal(v.seen(t, "PUT", "/seen", unsized(large[:most])).Body, int64(most))
		is.Equal(fetch(t, "PUT", v.url+"/seen", bytes.NewReader(large)).StatusCode, 413)
		is.Equal(fetch(t, "PUT", v.url+"/seen", unsized(large)).StatusCode, 413)
	}},
	{"an answer with 10 KiB of cookies", func(t *testing.T, is *is.I, v *view) {
		a := fetch(t, "GET", v.url+"/cookies", nil)
		is.Equal(a.StatusCode, 200)
		is.Equal(len(a.Cookies()), 3)
	}},
	{"requests share connections to the application", func(t *testing.T, is *is.I, v *view) {
		if _, _, err := net.SplitHostPort(v.seen(t, "GET", "/seen", nil).Remote); err != nil {
			t.Skip("clients of a socket have no addresses to tell them by")
		}
		var remotes []string
		conn, r := v.dial(t)
		for range 20 {
			fmt.Fprint(conn, "GET /seen HTTP/1.1\r\nHost: a\r\n\r\n")
			resp, err := http.ReadResponse(r, nil)
			is.NoErr(err)
			var s seen
			is.NoErr(json.NewDecoder(resp.Body).Decode(&s))
			resp.Body.Close()
			remotes = append(remotes, s.Remote)
		}
		slices.Sort(remotes)
		is.True(len(slices.Compact(remotes)) <= 4) // a few to each server
	}},
	{"events arrive at once, and end with the client", func(t *testing.T, is *is.I, v *view) {
		conn, r := v.dial(t)
		fmt.Fprint(conn, "GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
		var ctx context.Context
		select {
		case ctx = <-v.app.streams:
		case <-time.After(servertest.Patience):
			t.Fatal("no stream began")
		}
		var lines *bufio.Scanner
		for i := range 3 {
			select {
			case v.app.next <- fmt.Sprint(i): // not before the client has the one before
			case <-time.After(servertest.Patience):
				t.Fatal("the stream has ended")
			}
			if lines == nil {
				resp, err := http.ReadResponse(r, nil)
				is.NoErr(err)
				is.Equal(resp.Header.Get("Content-Type"), "text/event-stream")
				lines = bufio.NewScanner(resp.Body)
			}
			is.True(lines.Scan())
			is.Equal(lines.Text(), fmt.Sprintf("data: %d", i))
			is.True(lines.Scan())
		}
		conn.Close()
		select {
		case <-ctx.Done():
		case <-time.After(servertest.Patience):
			t.Fatal("the stream goes on without a client")
		}
	}},
	{"WebSockets", func(t *testing.T, is *is.I, v *view) {
		conn, r := v.dial(t)
		const key = "dGhlIHNhbXBsZSBub25jZQ=="
		fmt.Fprintf(conn, "GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n", key)
		resp, err := http.ReadResponse(r, nil)
		is.NoErr(err)
		is.Equal(resp.StatusCode, 101)
		is.Equal(resp.Header.Get("Sec-WebSocket-Accept"), accepted(key))
		for _, text := range []string{"one", "two"} {
			_, err := io.WriteString(conn, text)
			is.NoErr(err)
			b := make([]byte, len(text))
			_, err = io.ReadFull(r, b)
			is.NoErr(err)
			is.Equal(string(b), text)
		}
		is.Equal(fetch(t, "GET", v.url+"/socket", nil).StatusCode, 426) // without the handshake
	}},
	{"a server that is down costs no request", func(t *testing.T, is *is.I, v *view) {
		for range 9 { // three for each, if each was asked in turn
			is.Equal(v.seen(t, "POST", "/seen", strings.NewReader("abc")).Body, int64(3))
		}
	}},
	{"what was sent is not sent twice", func(t *testing.T, is *is.I, v *view) {
		for _, method := range []string{"POST", "PATCH"} {
			before := v.app.died.Load()
			a := fetch(t, method, v.url+"/die", strings.NewReader("abc"))
			is.Equal(a.StatusCode, 502)
			is.Equal(v.app.died.Load(), before+1)
		}
	}},
	{"long headers are refused and not cut", func(t *testing.T, is *is.I, v *view) {
		is.Equal(len(v.seen(t, "GET", "/seen", nil, "X-Long: "+strings.Repeat("x", 7<<10)).Header.Get("X-Long")), 7<<10)
		req, err := http.NewRequest("GET", v.url+"/seen", nil)
		is.NoErr(err)
		req.Header.Set("X-Long", strings.Repeat("x", 100<<10))
		resp, err := client.Do(req)
		if err == nil { // some close the connection
			resp.Body.Close()
			is.True(slices.Contains([]int{400, 431}, resp.StatusCode))
		}
		is.True(err == nil || !errors.Is(err, os.ErrDeadlineExceeded))
	}},
}
