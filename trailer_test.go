package flow

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/race"
	"example.com/flow/internal/servertest"
)

// trailersOf reads a body to its end, and says what came after it.
func trailersOf(r *http.Request) string {
	_, err := io.Copy(io.Discard, r.Body)
	return fmt.Sprint(r.Trailer, " ", err)
}

func saysTrailers(w http.ResponseWriter, r *http.Request) { io.WriteString(w, trailersOf(r)) }

// copies is middleware that goes on with copies of the request, made before its body
// is read.
func copies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(r.Context()))
	})
}

// TestTrailers sends trailers that were announced, and some that were not, which
// net/http gives to its own request only.
func TestTrailers(t *testing.T) {
	flowForm := func(req *Request) string { return trailersOf(req.Request) }
	std := http.HandlerFunc(saysTrailers)
	timeout := func(next http.Handler) http.Handler { return http.TimeoutHandler(next, servertest.Patience, "") }
	guarded := func(use ...any) *Router {
		r, _ := lone(flowForm, use...)
		return r
	}
	standard := func(use ...any) *Router {
		r, _ := lone(std, use...)
		return r
	}
	mounted := func(inner http.Handler) *Router {
		r := New(flowtest.Files("router/index.html"))
		r.Mount("/", inner)
		return r
	}
	params := New(flowtest.Files("router/[p].http"))
	params.At("[p]").POST().Do(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("p")[1:]+trailersOf(r))
	})
	handler, _ := lone(func(*Request) Response { return Handler(std) })
	clone, _ := lone(func(req *Request) string {
		trailersOf(req.Request)
		c := req.Clone().Clone()
		req.Trailer.Set("T", "changed") // which a clone has for itself
		return trailersOf(c.Request)
	})
	for _, tt := range []struct {
		name    string
		handler http.Handler
	}{
		{"a handler", std},
		{"a handler of flow's forms", guarded()},
		{"and a guard", guarded(pass)},
		{"and a guard that makes a copy", guarded(func(req *Request) Response {
			req.Request = req.WithContext(req.Context())
			return Next()
		})},
		{"and standard middleware", guarded(wrap)},
		{"a standard handler", standard()},
		{"and middleware that makes copies", standard(copies, copies)},
		{"and TimeoutHandler", standard(timeout)},
		{"a path value", params},
		{"the answer of a handler", handler},
		{"a mounted handler", mounted(std)},
		{"a mounted Router", mounted(guarded())},
		{"a mounted Router with middleware", mounted(mounted(standard(copies)))},
		{"a clone", clone},
	} {
		plain := httptest.NewServer(tt.handler)
		defer plain.Close()
		for server, addr := range map[string]string{"net/http": plain.Listener.Addr().String(), "Serve": servertest.OnLoopback(t, tt.handler, nil).Addr} {
			for media, body := range map[string]string{"text/plain": "11", formType: "11", jsonMedia: "11", multiMedia: parts("a=1")} {
				for _, head := range []string{"", "Trailer: T\r\n", "Expect: 100-continue\r\n", "Expect: 100-continue\r\nTrailer: T\r\n"} {
					t.Run(tt.name+", "+server+", "+media+", "+head, func(t *testing.T) {
						is := is.New(t)
						c := dial(t, addr)
						c.Send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Type: " + media + "\r\n" + head + "\r\n")
						if strings.Contains(head, "Expect") {
							is.Equal(c.Answer(), "100 ")
						}
						c.Send(fmt.Sprintf("%x\r\n%s\r\n0\r\nT: v\r\n\r\n", len(body), body))
						is.Equal(c.Answer(), "200 map[T:[v]] <nil>")
					})
				}
			}
		}
	}
}

// TestBrokenTrailers: nobody knows where a request with such a trailer ends, so that
// what follows it on the connection is no request. net/http tells by the type of the
// body that its own request has.
func TestBrokenTrailers(t *testing.T) {
	for _, h := range []struct {
		name    string
		handler any
	}{
		{"flow", func(req *Request) string { return trailersOf(req.Request) }},
		{"std", http.HandlerFunc(saysTrailers)},
		{"unread", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})},
	} {
		r, _ := lone(h.handler)
		plain := httptest.NewServer(r)
		defer plain.Close()
		for server, addr := range map[string]string{"net/http": plain.Listener.Addr().String(), "Serve": servertest.OnLoopback(t, r, nil).Addr} {
			for _, trailer := range []string{": v", "no colon", " T: v", "T: \x00"} {
				t.Run(h.name+", "+server+", "+trailer, func(t *testing.T) {
					is := is.New(t)
					c := dial(t, addr)
					c.Send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" + trailer + "\r\n" + servertest.GetX + servertest.GetX)
					is.True(strings.HasSuffix(c.Answer(), " close"))
					_, err := c.R.ReadByte()
					is.Equal(err, io.EOF) // there is no other answer
				})
			}
		}
	}
}

// TestTrailersOfHTTP2, where net/http passes on those that were announced.
func TestTrailersOfHTTP2(t *testing.T) {
	is := is.New(t)
	r, _ := lone(saysTrailers, copies)
	site := servertest.OnLoopback(t, r, servertest.Secure)
	req := httptest.NewRequest("POST", "https://"+site.Addr+"/x", strings.NewReader("1"))
	req.Trailer = http.Header{"T": {"v"}}
	resp, err := site.Transport().RoundTrip(req)
	is.NoErr(err)
	is.Equal(resp.ProtoMajor, 2)
	is.Equal(servertest.SumUp(t, resp), "200 map[T:[v]] <nil>")
}

// TestCloneBeforeTrailers: a clone has those of a body that was read, and nothing that
// may still be written to.
func TestCloneBeforeTrailers(t *testing.T) {
	for _, head := range []string{"", "Trailer: T\r\n"} {
		t.Run(head, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(func(req *Request) string {
				c := req.Clone()
				trailersOf(req.Request)
				return trailersOf(c.Request) + ", " + trailersOf(req.Clone().Request)
			})
			c := servertest.OnLoopback(t, r, nil).Dial()
			c.Send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + head + "\r\n1\r\nx\r\n0\r\nT: v\r\n\r\n")
			is.Equal(c.Answer(), "200 map[] <nil>, map[T:[v]] <nil>")
		})
	}
}

// TestCloneWhileTrailersCome has a handler, which its middleware does not wait for,
// clone its request while net/http reads the rest of the body.
func TestCloneWhileTrailersCome(t *testing.T) {
	if !race.Enabled {
		t.Skip("found under the race detector only")
	}
	is := is.New(t)
	cloned := make(chan struct{})
	r, _ := lone(func(req *Request) string {
		defer close(cloned)
		for until := time.Now().Add(50 * time.Millisecond); time.Now().Before(until); {
			req.Clone()
		}
		return ""
	}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			go next.ServeHTTP(httptest.NewRecorder(), r)
			io.WriteString(w, "done")
		})
	})
	c := servertest.OnLoopback(t, r, nil).Dial()
	c.Send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n1\r\nx\r\n0\r\nT: v\r\n\r\n")
	is.Equal(c.Answer(), "200 done")
	servertest.Within(t, "the handler has cloned its request", cloned)
}

// dial connects to a server by hand until the end of the test.
func dial(t testing.TB, addr string) *servertest.Client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return servertest.NewClient(t, conn)
}
