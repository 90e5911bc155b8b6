package hostile_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/race"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// TestFraming sends what a generator makes up, much of it malformed, to a server of
// net/http, to flow.Serve, and to a Router in a server of net/http. They must take the
// same requests out of it, with the same bodies, refuse the same, and close the
// connection at the same place: what is known of net/http then holds for flow.
func TestFraming(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a connection that is reset loses the answers that have arrived")
	}
	n, at := 1600, 8
	if race.Enabled {
		n /= 5
	}
	g := framing{rand.New(rand.NewPCG(1, 2))}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = g.conversation()
	}
	plain := func(h http.Handler) string {
		s := httptest.NewUnstartedServer(markMethod(h))
		s.Config.MaxHeaderBytes = 64 << 10 // flow's decision: net/http takes 1 MiB
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.Start()
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	reference := plain(http.HandlerFunc(withoutFlow))
	servers := map[string]string{
		"flow.Serve":           servertest.OnLoopback(t, markMethod(framingRouter()), nil).Addr,
		"a Router in net/http": plain(framingRouter()),
	}
	var differ, refused, kept atomic.Int64
	together(at, func(worker int) {
		for i := worker; i < n && differ.Load() < 5; i += at {
			want := exchanged(t, reference, texts[i])
			for name, addr := range servers {
				if got := exchanged(t, addr, texts[i]); got != want {
					differ.Add(1)
					t.Errorf("conversation %d: %.2000q\nnet/http:\n%s\n%s:\n%s", i, texts[i], want, name, got)
				}
			}
			switch {
			case strings.Contains(want, "/std?last=1"):
				kept.Add(1)
			case strings.Contains(want, " close=true"):
				refused.Add(1)
			}
		}
	})
	t.Logf("of %d conversations %d came to their last request, and %d ended before it", n, kept.Load(), refused.Load())
	if is := is.New(t); differ.Load() == 0 { // a generator of nothing but nonsense, or without any, tests nothing
		is.True(kept.Load() > int64(n/4))
		is.True(refused.Load() > int64(n/4))
	}
}

// markMethod says in the answer whether it is one to HEAD, which has no body.
func markMethod(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Method", r.Method)
		h.ServeHTTP(w, r)
	})
}

// exchanged sends a text, says that it was all, and returns the answers, a line each.
func exchanged(t testing.TB, addr, text string) string {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(servertest.Patience))
	go func() { // a server that refuses a long text may not read it all
		io.WriteString(conn, text)
		conn.(*net.TCPConn).CloseWrite()
	}()
	all, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%.200q: the server neither answers nor closes the connection", text)
	}
	r := bufio.NewReaderSize(bytes.NewReader(all), len(all)+1)
	var answers strings.Builder
	for {
		head, _ := r.Peek(len(all))
		head, _, _ = bytes.Cut(head, []byte("\r\n\r\n"))
		req := &http.Request{Method: http.MethodGet}
		if bytes.Contains(head, []byte("\r\nX-Method: HEAD")) {
			req.Method = http.MethodHead
		}
		resp, err := http.ReadResponse(r, req)
		if err != nil {
			fmt.Fprint(&answers, "and ", r.Buffered(), " bytes")
			return answers.String()
		}
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK {
			body = nil // an explanation
		}
		fmt.Fprintf(&answers, "%d close=%v %v %s\n", resp.StatusCode, resp.Close, err, body)
	}
}

// seen reads up to n bytes of a body, and says what the request was.
func seen(r *http.Request, n int64) (status int, text string) {
	body, err := io.ReadAll(io.LimitReader(r.Body, n))
	if err != nil {
		return http.StatusBadRequest, ""
	}
	return http.StatusOK, fmt.Sprintf("%s %q of %q, %s, %d %v, close=%v, %q, %q: %q",
		r.Method, r.RequestURI, r.Host, r.Proto, r.ContentLength, r.TransferEncoding, r.Close, r.Header, r.Trailer, body)
}

const wholeBody = 1 << 20

// stdSeen is a net/http handler that answers what was seen.
func stdSeen(n int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, text := seen(r, n)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

// flowSeen is a handler of flow's own form.
func flowSeen(req *flow.Request) flow.Response {
	status, text := seen(req.Request, wholeBody)
	return flow.Text(text).Status(status)
}

// framingRouter has handlers that read the body, read a part of it, or do not read it.
func framingRouter() *flow.Router {
	tree := flowtest.Files("router/std.http", "router/flow.http", "router/guarded.http", "router/wrapped.http", "router/part.http", "router/unread.http")
	tree["router/page.html"] = &fstest.MapFile{Data: []byte("page")}
	r := flow.New(tree)
	r.At("std").ANY().Do(stdSeen(wholeBody))
	r.At("part").ANY().Do(stdSeen(3))
	r.At("unread").ANY().Do(stdSeen(0))
	r.At("flow").ANY().Do(flowSeen)
	r.At("guarded").ANY().Use(pass).Do(flowSeen)
	r.At("wrapped").ANY().Use(pass, copies).Do(flowSeen)
	inner := flow.New(flowtest.Files("router/in.http"))
	inner.At("in").ANY().Do(flowSeen)
	r.Mount("/mounted", inner)
	return r
}

// pass is a guard that lets everything through.
func pass(*flow.Request) flow.Response { return flow.Next() }

// copies is standard middleware that goes on with a copy of the request.
func copies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(r.Context()))
	})
}

// withoutFlow is what framingRouter would be without flow.
func withoutFlow(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/std":
		stdSeen(wholeBody)(w, r)
	case "/part":
		stdSeen(3)(w, r)
	case "/unread":
		stdSeen(0)(w, r)
	case "/flow", "/guarded", "/wrapped", "/mounted/in":
		// A Router reads a form before its handler is called, and checks it.
		mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if strings.EqualFold(strings.TrimSpace(mediaType), "application/x-www-form-urlencoded") {
			body, err := io.ReadAll(r.Body)
			if _, malformed := url.ParseQuery(string(body)); err != nil || malformed != nil {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		stdSeen(wholeBody)(w, r)
	case "/page":
		switch r.Method {
		case "GET", "HEAD":
			io.WriteString(w, "page")
		case "OPTIONS":
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	default:
		for _, d := range decisions {
			if d.holds(r.URL.Path) {
				w.WriteHeader(d.status)
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
	}
}

// decisions are those of flow's answers that another application would give otherwise.
// None is about framing: what follows such a request is compared like all else.
var decisions = []struct {
	reason string
	holds  func(path string) bool
	status int
}{
	{"a page has one URL, and other spellings of it are redirected", func(path string) bool {
		return slices.Contains([]string{"//std", "/std/", "/./std", "/x/../std"}, path)
	}, http.StatusPermanentRedirect},
	{"what is no path has no route: *, and the host and port of CONNECT", func(path string) bool {
		return !strings.HasPrefix(path, "/")
	}, http.StatusNotFound},
}

// framing makes requests up.
type framing struct{ *rand.Rand }

// conversation returns one to three requests, in which about one thing is not as it
// should be, and one that is well formed.
func (g framing) conversation() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(g.request())
	}
	return b.String() + "GET /std?last=1 HTTP/1.1\r\nHost: a\r\n\r\n"
}

func (g framing) one(texts ...string) string { return texts[g.IntN(len(texts))] }

// rarely reports true where something is to be odd.
func (g framing) rarely() bool { return g.IntN(32) == 0 }

// or returns a text that is as it should be or, rarely, one of the others.
func (g framing) or(usual string, odd ...string) string {
	if g.rarely() {
		return g.one(odd...)
	}
	return usual
}

// end ends a line.
func (g framing) end() string {
	if g.rarely() {
		return g.or("\n", "\r", "\r\r\n", "", " \r\n", "\x00\r\n")
	}
	return "\r\n"
}

func (g framing) long() string {
	return strings.Repeat("x", []int{1 << 10, 4 << 10, 5 << 10, 64 << 10, 80 << 10}[g.IntN(5)])
}

func (g framing) request() string {
	method := g.or(g.one("GET", "POST", "POST", "PUT"), "HEAD", "OPTIONS", "CONNECT", "TRACE", "PRI", "get", "X", "", "P OST", "POST\x00", "P\xd6ST", "(", "POST:")
	target := g.one("/std", "/flow", "/guarded", "/wrapped", "/mounted/in", "/part", "/unread", "/page", "/none")
	target = g.or(g.or(target, "*", "http://a/std", "http://b/flow?x", "/%73td", "/std/"), "*", "a:80", "http://a/std", "http://b/flow?x", "HTTP://b/std", "https://a:1/std", "http://u@a/std", "http://", "http:///std", "http:std",
		"//std", "/std/", "/./std", "/x/../std", "//b/std", "/%73td", "/%zz", "/std#f", "/std?a b", "/s td", "std", "", "/\x00", "/\x7f", "/std?\xe9", "/std?"+g.long(), "/"+g.long())
	proto := g.or("HTTP/1.1", "HTTP/1.0", "HTTP/1.0", "HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/1.10", "HTTP/11", "http/1.1", "HTTP/1.1 ", "HTTP/1.1\t", "HTTP", "")
	switch usual := g.IntN(2) == 0; {
	case proto == "HTTP/2.0" && usual:
		method, target = "PRI", "*"
	case target == "*" && usual:
		method = "OPTIONS"
	case method == "CONNECT" && usual:
		target = g.one("a:80", "[::1]:80", "a")
	}
	line := g.or("", "\r\n", "\n", " ", "\r") + method + g.or(" ", "  ", "\t", "") + target + g.or(" ", "  ", "\t", "") + proto + g.end()
	headers, body := g.framed()
	headers = append(headers,
		g.or("Host: a", "", "Host: a\r\nHost: a", "Host: a\r\nHost: b", "Host: a, b", "Host: a b", "Host:", "host:a", "Host : a", "Host: a/b", "Host: a@b", "Host: [::1]:80", "Host: a\x00", "Host: \xe9", "Host: a\r\n b"),
		g.or("", "Connection: close", "Connection: keep-alive", "Connection: Close, x", "Connection: Transfer-Encoding", "Connection: Content-Length", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings"),
		g.or(g.one("", "", "", "Expect: 100-continue"), "Expect: 100-Continue", "Expect: 100-continue, 100-continue", "Expect: 100-continue\r\nExpect: x", "Expect: 101-switch", "Expect:"),
		g.or("Content-Type: text/plain", "Content-Type: "+flowtest.Form, "Content-Type: "+flowtest.Form, "Content-Type: "+flowtest.Form),
		g.or("", "X Y: z", "X : y", "X\t: y", ": y", "X", "X\x00: y", "X: \x00", "X: a\rb", "X: y\r\n z", "X: y\r\n\tz", "X: y\r\n Content-Length: 3", "X: y\n\n", "X\xe9: y", "X: \xe9", "X_Y: z", "X: "+g.long(), g.long()+": y", strings.Repeat("X: y\r\n", 2000)+"X: y"),
	)
	g.Shuffle(len(headers), func(i, j int) { headers[i], headers[j] = headers[j], headers[i] })
	for _, h := range headers {
		if h != "" {
			line += g.or("", " ") + h + g.end()
		}
	}
	return line + g.end() + body
}

// framed returns a body, and the header lines that say how long it is.
func (g framing) framed() (headers []string, body string) {
	data := g.one("", "v=1", "v=1&w="+strings.Repeat("x", 20), "GET /std?inside=1 HTTP/1.1\r\nHost: a\r\n\r\n")
	length := fmt.Sprint("Content-Length: ", len(data))
	chunked := "Transfer-Encoding: chunked"
	switch g.IntN(8) {
	case 0:
		return nil, ""
	case 1, 2, 3:
		return []string{g.or(length, g.badLength(len(data)), length+"\r\n"+g.badLength(len(data)), g.badLength(len(data))+"\r\n"+length, length+"\r\n"+length, chunked+"\r\n"+length)}, data
	default:
		headers = []string{
			g.or(chunked, "Transfer-Encoding: Chunked", "transfer-encoding:chunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity",
				"Transfer-Encoding: xchunked", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding:", "Transfer-Encoding: \vchunked", "Transfer-Encoding: chunked\x00", "Transfer-Encoding : chunked",
				"Transfer-Encoding:\r\n chunked", chunked+"\r\n"+chunked, chunked+"\r\n"+length, length+"\r\n"+chunked, chunked+"\r\nContent-Length: 3", chunked+"\r\n"+g.badLength(3)),
			g.or("", "Trailer: T", "Trailer: t, U", "Trailer: Content-Length", "Trailer: ", "Trailer: T\r\nTrailer: U", "Trailer: a b"),
		}
		return headers, g.chunks(data)
	}
}

// badLength returns a Content-Length that is none, or not the right one.
func (g framing) badLength(n int) string {
	return "Content-Length: " + g.one(fmt.Sprint(n+1), fmt.Sprint(max(n-1, 0)), "0", fmt.Sprint("+", n), "-1", fmt.Sprint("0x", n), "", " ", fmt.Sprintf("%d, %d", n, n), fmt.Sprintf("0%d", n), fmt.Sprintf("%d ", n), fmt.Sprintf("%d\t", n),
		"9223372036854775807", "9223372036854775808", "18446744073709551616", "1 2", fmt.Sprint(n, "a"), "1_0", "1e1", "\"3\"", fmt.Sprint(n, "\x00"), "\xd9\xa3")
}

// chunks returns a chunked body.
func (g framing) chunks(data string) string {
	var b strings.Builder
	for data != "" {
		n := 1 + g.IntN(len(data))
		size := fmt.Sprintf("%x", n)
		size = g.or(size, "0"+size, strings.ToUpper(size), "+"+size, "-"+size, "0x"+size, " "+size, size+" ", size+"\t", size+" "+size, fmt.Sprintf("%x", n+1), fmt.Sprintf("%x", n-1), "", "g", size+"\x00", "\x00"+size, "1_0",
			"ffffffffffffffff", "7fffffffffffffff", "8000000000000000", fmt.Sprintf("1%016x", n), strings.Repeat("0", 20)+size)
		size += g.or("", ";", ";a", ";a=b", ";a=\"b\"", ";a=\"b;\r\n\"", " ;a", ";\x00", ";a\rb", ";a\nb", ";"+g.long(), ",")
		b.WriteString(size + g.end() + data[:n] + g.end())
		data = data[n:]
	}
	b.WriteString(g.or("0", "00", "000000000000000000000", "-0", "+0", "0x0", "", "0;a=b", "0 ") + g.end())
	trailer := g.or("", "T: v", "T: v\r\nU: w", "T : v", " T: v", "T v", ": v", "T: \x00", "T: v\r\n w", "Content-Length: 9", "Transfer-Encoding: chunked", "Host: b", "T v: w", "T: "+g.long())
	if trailer != "" {
		trailer += g.end()
	}
	return b.String() + trailer + g.end()
}
