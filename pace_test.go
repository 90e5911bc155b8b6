package flow

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// A narrowListener has small buffers, so that a client that does not read is felt.
type narrowListener struct{ net.Listener }

const narrow = 128 << 10

func (l narrowListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		conn.(*net.TCPConn).SetWriteBuffer(narrow)
	}
	return conn, err
}

// A protocol is a way to reach a server whose clients have small buffers.
type protocol struct {
	name  string
	major int
}

var protocols = []protocol{{"HTTP/1", 1}, {"HTTP/2", 2}, {"HTTP/1 with TLS", 1}}

// start starts a server and returns a client of it, and its URL.
func (p protocol) start(t *testing.T, h http.Handler, change func(*server)) (*http.Transport, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cert, client := certified(t)
	conns := make(chan net.Conn, 1) // no test needs more
	client.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: narrow, MaxReceiveBufferPerConnection: 64 << 10}
	client.DialContext = func(_ context.Context, network, addr string) (net.Conn, error) {
		conn, err := net.Dial(network, addr)
		if err == nil {
			conn.(*net.TCPConn).SetReadBuffer(narrow)
			conns <- conn
		}
		return conn, err
	}
	if p.major == 1 {
		client.Protocols = new(http.Protocols)
		client.Protocols.SetHTTP1(true)
	}
	scheme := "http://"
	startedOn(t, narrowListener{l}, h, func(s *server) {
		s.limits.parting, s.limits.lame, s.drain = time.Millisecond, time.Millisecond, 0
		if p.name != "HTTP/1" {
			scheme = "https://"
			s.tls = &tls.Config{Certificates: []tls.Certificate{cert}}
		}
		change(s)
	})
	t.Cleanup(func() { // or the server says goodbye for 5 seconds to a client of TLS that does not read
		select {
		case conn := <-conns:
			conn.Close()
		default:
		}
	})
	return client, scheme + l.Addr().String() + "/x"
}

// An upload is what a handler saw of a body.
type upload struct {
	n   int64
	err error
}

// drains is a handler that reads the body and says what it saw.
func drains(seen chan<- upload) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		seen <- upload{n, err}
	}
}

// TestUploads sends bodies piece by piece, and some that stop.
func TestUploads(t *testing.T) {
	for _, tt := range []struct {
		name          string
		pieces, piece int           // of the body
		pause         time.Duration // between them
		stops         bool          // after the pieces
		budget        time.Duration
		whole         bool
	}{
		{"steady, for longer than the limit", 60, 400, 20 * time.Millisecond, false, time.Second, true},
		{"one that stops", 1, 400, 0, true, 50 * time.Millisecond, false},
		{"one that never begins", 0, 0, 0, true, 50 * time.Millisecond, false},
		{"a drip, below the rate", 4000, 1, 5 * time.Millisecond, false, 100 * time.Millisecond, false},
	} {
		for _, p := range protocols {
			t.Run(p.name+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				is := is.New(t)
				seen := make(chan upload, 1)
				client, url := p.start(t, drains(seen), func(s *server) { s.limits.read = tt.budget })
				body, w := io.Pipe()
				defer body.Close()
				go func() {
					for range tt.pieces {
						if _, err := w.Write(bytes.Repeat([]byte("x"), tt.piece)); err != nil {
							return
						}
						time.Sleep(tt.pause)
					}
					if !tt.stops {
						w.Close()
					}
				}()
				req := httptest.NewRequest("POST", url, body)
				answered := make(chan error, 1)
				go func() {
					resp, err := client.RoundTrip(req)
					if err == nil {
						resp.Body.Close()
					}
					answered <- err
				}()
				got := within(t, "the body ends", seen)
				if tt.whole {
					is.NoErr(within(t, "the upload is answered", answered))
					is.NoErr(got.err)
					is.Equal(got.n, int64(tt.pieces*tt.piece))
					return
				}
				is.True(errors.Is(got.err, os.ErrDeadlineExceeded))
				is.True(got.n < int64(max(tt.pieces*tt.piece, 401)))
			})
		}
	}
}

// TestStalledUploadIsAnswered has a Router say what is wrong.
func TestStalledUploadIsAnswered(t *testing.T) {
	is := is.New(t)
	router, _ := lone(func(req *Request) string { return "never" })
	s := started(t, router, func(s *server) { s.limits.read = 20 * time.Millisecond })
	client := dialed(t, s.addr)
	client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
	resp := client.head()
	is.Equal(resp.StatusCode, http.StatusRequestTimeout)
	is.True(resp.Close)
}

// TestSlowHandlers spends more time in the handler than clients have.
func TestSlowHandlers(t *testing.T) {
	const limit = 50 * time.Millisecond
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			cancelled := make(chan bool, 1)
			client, url := p.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				linger := func() { // which is no fault of the client
					select {
					case <-r.Context().Done():
					case <-time.After(3 * limit):
					}
				}
				defer func() { cancelled <- r.Context().Err() != nil }()
				var half [512]byte
				io.ReadFull(r.Body, half[:])
				linger()
				rest, err := io.ReadAll(r.Body)
				linger()
				fmt.Fprintln(w, len(half)+len(rest), err)
				w.(http.Flusher).Flush()
				linger()
				w.Write(make([]byte, 2*heldBack))
				linger()
				io.WriteString(w, "end")
			}), func(s *server) { s.limits.read, s.limits.write, s.limits.discard = limit, limit, limit })
			resp, err := client.RoundTrip(httptest.NewRequest("POST", url, bytes.NewReader(make([]byte, 100<<10))))
			is.NoErr(err)
			text := strings.ReplaceAll(sumUp(t, resp), "\x00", "")
			is.Equal(text, "200 102400 <nil>\nend")
			is.Equal(within(t, "the handler ends", cancelled), false)
		})
	}
}

// TestDownloads reads answers slowly, and not at all.
func TestDownloads(t *testing.T) {
	const size = 2 << 20
	const limit = 500 * time.Millisecond // for slow readers
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, way := range []struct {
		name string
		send func(w http.ResponseWriter) error
	}{
		{"Write", func(w http.ResponseWriter) error {
			_, err := w.Write(make([]byte, size))
			return err
		}},
		{"WriteString", func(w http.ResponseWriter) error {
			_, err := io.WriteString(w, strings.Repeat("\x00", size))
			return err
		}},
		{"a file", func(w http.ResponseWriter) error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, err = io.Copy(w, f)
			return err
		}},
		{"a file, by its length", func(w http.ResponseWriter) error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.CopyN(w, f, size)
			return err
		}},
		{"small writes", func(w http.ResponseWriter) error {
			for range size >> 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		for _, p := range protocols[:2] { // with TLS, net/http says goodbye for 5 seconds to one that stopped
			for _, stops := range []bool{false, true} {
				name := fmt.Sprintf("%s %s stops=%v", p.name, way.name, stops)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					is := is.New(t)
					sent := make(chan error, 1)
					client, url := p.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Content-Type", "application/octet-stream")
						sent <- way.send(w)
					}), func(s *server) {
						s.limits.write = limit
						if stops {
							s.limits.write = 50 * time.Millisecond
						}
					})
					resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
					is.NoErr(err)
					defer resp.Body.Close()
					if stops {
						is.True(within(t, "the handler is told", sent) != nil)
						return
					}
					began := time.Now()
					var n int64
					for err == nil {
						var m int64
						m, err = io.CopyN(io.Discard, resp.Body, 32<<10)
						n += m
						time.Sleep(15 * time.Millisecond)
					}
					is.Equal(err, io.EOF)
					is.Equal(n, int64(size))
					is.NoErr(within(t, "the handler ends", sent))
					is.True(time.Since(began) > limit) // or the test shows nothing
				})
			}
		}
	}
}

// A deafConn stops reading when told, as a client does that is suspended.
type deafConn struct {
	net.Conn
	deaf, gone chan struct{}
}

func (c deafConn) Read(b []byte) (int, error) {
	select {
	case <-c.deaf:
		<-c.gone
		return 0, io.EOF
	default:
		return c.Conn.Read(b)
	}
}

// TestDeafConnection has a client of HTTP/2 that grants a large window, and then does
// not read from its connection at all.
func TestDeafConnection(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	sent := make(chan error, 1)
	deaf, gone := make(chan struct{}), make(chan struct{})
	defer close(gone)
	client, url := protocol{"HTTP/2", 2}.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, 32<<20))
		_, err := w.Write(make([]byte, 32<<20))
		sent <- err
	}), func(s *server) { s.limits.write = 100 * time.Millisecond })
	client.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 1 << 30, MaxReceiveBufferPerConnection: 1 << 30}
	dial := client.DialContext
	client.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return deafConn{conn, deaf, gone}, err
	}
	resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
	is.NoErr(err)
	defer resp.Body.Close()
	close(deaf)
	is.True(within(t, "the handler is told", sent) != nil)
}

// TestUnreadBodies has handlers that leave a body which the client does not send.
func TestUnreadBodies(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler func(w http.ResponseWriter, r *http.Request)
		want    string
	}{
		{"nothing", func(http.ResponseWriter, *http.Request) {}, "200  close"},
		{"a small answer", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "small") }, "200 small close"},
		{"a flushed answer", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "flushed")
			w.(http.Flusher).Flush()
		}, "200 flushed close"},
		{"a large answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Write(bytes.Repeat([]byte(" "), 2*heldBack))
			io.WriteString(w, "large")
		}, "200 large close"},
		{"a closed body", func(w http.ResponseWriter, r *http.Request) {
			r.Body.Close()
			io.WriteString(w, "closed")
		}, "200 closed close"},
		{"full duplex", func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).EnableFullDuplex()
			io.WriteString(w, "duplex")
			w.(http.Flusher).Flush()
		}, "200 duplex close"},
	} {
		for _, framing := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked", "Content-Length: 1000\r\nExpect: 100-continue"} {
			t.Run(tt.name+" "+framing, func(t *testing.T) {
				t.Parallel()
				is := is.New(t)
				s := started(t, http.HandlerFunc(tt.handler), func(s *server) { s.limits.discard = 20 * time.Millisecond })
				client := dialed(t, s.addr)
				client.send("POST /x HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n")
				is.Equal(client.answer(), tt.want)
				_, err := client.r.ReadByte()
				is.True(err != nil) // what comes late is not taken for a request
			})
		}
	}
}

// TestUnseenBodies: net/http answers some requests by itself, and reads what they
// bring. That has a limit too.
func TestUnseenBodies(t *testing.T) {
	for _, tt := range []struct{ name, head, want string }{
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", "HTTP/1.1 200 "},
		{"an unknown expectation", "POST /x HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 100\r\n\r\n", "HTTP/1.1 417 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			s := started(t, http.NotFoundHandler(), func(s *server) { s.limits.read, s.limits.header = 50*time.Millisecond, 50*time.Millisecond })
			client := dialed(t, s.addr)
			client.send(tt.head) // and nothing more
			b, err := io.ReadAll(client)
			is.NoErr(err) // the server closes the connection
			is.True(len(b) == 0 || strings.HasPrefix(string(b), tt.want))
		})
	}
}

// TestDuplexEnds: the end of an answer does not wait for the rest of the body, which
// the client may send only then.
func TestDuplexEnds(t *testing.T) {
	is := is.New(t)
	s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		is.NoErr(rc.EnableFullDuplex())
		r.Body.Read(make([]byte, 1))
		io.WriteString(w, "first ")
		rc.Flush()
		io.WriteString(w, "last")
	}), func(s *server) { s.limits.discard = 2 * patience })
	client := dialed(t, s.addr)
	client.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
	is.Equal(client.answer(), "200 first last close")
}

// TestRefusedUploadsEnd: an answer that has begun does not wait for a body that nobody
// reads, and the client may not send.
func TestRefusedUploadsEnd(t *testing.T) {
	for _, head := range []string{"Content-Length: 1000000", "Connection: close\r\nContent-Length: 10"} {
		t.Run(head, func(t *testing.T) {
			is := is.New(t)
			s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "first ")
				w.(http.Flusher).Flush()
				io.WriteString(w, "last")
			}), func(s *server) { s.limits.discard = 2 * patience })
			client := dialed(t, s.addr)
			client.send("POST /x HTTP/1.1\r\nHost: a\r\n" + head + "\r\n\r\n")
			is.Equal(client.answer(), "200 first last close")
			client.Close()
		})
	}
}

// TestLateBeginners: the time that a handler takes before it reads is not the client's.
func TestLateBeginners(t *testing.T) {
	const limit = 200 * time.Millisecond
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			seen, slept := make(chan upload, 1), make(chan struct{})
			client, url := p.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(2 * limit)
				close(slept)
				drains(seen)(w, r)
			}), func(s *server) { s.limits.read, s.limits.header = limit, limit })
			body, w := io.Pipe()
			go func() {
				<-slept
				io.WriteString(w, "hello")
				w.Close()
			}()
			resp, err := client.RoundTrip(httptest.NewRequest("POST", url, body))
			is.NoErr(err)
			resp.Body.Close()
			is.Equal(within(t, "the body ends", seen), upload{5, nil})
		})
	}
}

// TestDeadlinesOfOthers are set while other goroutines read and write.
func TestDeadlinesOfOthers(t *testing.T) {
	t.Run("while the body is read", func(t *testing.T) {
		is := is.New(t)
		s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			read := make(chan struct{})
			go func() { io.Copy(io.Discard, r.Body); close(read) }()
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
			<-read
		}), nil)
		client := dialed(t, s.addr)
		client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
		is.Equal(client.answer(), "200 ")
	})
	t.Run("to end writing", func(t *testing.T) {
		ended := make(chan error, 1)
		s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.AfterFunc(10*time.Millisecond, func() { http.NewResponseController(w).SetWriteDeadline(time.Now()) })
			for {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					ended <- err
					return
				}
			}
		}), nil)
		dialed(t, s.addr).send(getX) // and does not read
		within(t, "the handler ends", ended)
	})
}

// TestLateReadsLeaveTheNextRequestAlone: a goroutine that reads on after the handler
// does not lift the limits of what follows on the connection.
func TestLateReadsLeaveTheNextRequestAlone(t *testing.T) {
	is := is.New(t)
	late := make(chan struct{})
	s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, read := r.Body, make(chan struct{})
		go func() {
			<-read
			time.Sleep(20 * time.Millisecond) // until the server waits for the next request
			body.Read(make([]byte, 10))
			close(late)
		}()
		close(read)
	}), func(s *server) { s.limits.idle = 100 * time.Millisecond })
	client := dialed(t, s.addr)
	client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
	is.Equal(client.answer(), "200 ")
	within(t, "the late read", late)
	_, err := client.r.ReadByte()
	is.Equal(err, io.EOF) // the connection was idle for too long
}

func TestIsEventStream(t *testing.T) {
	for _, tt := range []struct {
		contentType string
		want        bool
	}{
		{"text/event-stream", true}, {"text/event-stream; charset=utf-8", true}, {"Text/Event-Stream", true},
		{"text/event-streams", false}, {"text/plain", false}, {"", false},
	} {
		t.Run(tt.contentType, func(t *testing.T) {
			is := is.New(t)
			is.Equal(isEventStream(tt.contentType), tt.want)
		})
	}
}

// TestAnswersToLargeBodies arrive although the server does not read the bodies: it
// waits a little before it closes, or the system would take back what it has sent.
func TestAnswersToLargeBodies(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"read in part", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 1<<20))
			w.WriteHeader(413)
		}},
		{"not read", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(413) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			s := started(t, tt.handler, nil)
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			body := make([]byte, 3<<20)
			for range 20 {
				resp, err := client.Post("http://"+s.addr, "application/octet-stream", bytes.NewReader(body))
				is.NoErr(err)
				resp.Body.Close()
				is.Equal(resp.StatusCode, 413)
			}
		})
	}
}

// TestConnectionsAfterBodies has bodies that net/http reads in the handler's place,
// and uses the connection again, whose deadline must be over by then.
func TestConnectionsAfterBodies(t *testing.T) {
	const limit = 20 * time.Millisecond
	for _, tt := range []struct {
		name    string
		handler func(w http.ResponseWriter, r *http.Request)
	}{
		{"unread", func(http.ResponseWriter, *http.Request) {}},
		{"read by the server for its header", func(w http.ResponseWriter, r *http.Request) {
			w.Write(bytes.Repeat([]byte(" "), 2*heldBack))
			select {
			case <-r.Context().Done():
			case <-time.After(3 * limit):
			}
			w.Write(bytes.Repeat([]byte(" "), 2*heldBack))
		}},
		{"read", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }},
		{"closed", func(w http.ResponseWriter, r *http.Request) { r.Body.Close() }},
		{"half read", func(w http.ResponseWriter, r *http.Request) { io.ReadFull(r.Body, make([]byte, 5)) }},
	} {
		for _, framing := range []string{"Content-Length: 10\r\n\r\n0123456789", "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"} {
			t.Run(tt.name+" "+framing[:8], func(t *testing.T) {
				t.Parallel()
				is := is.New(t)
				s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == "POST" {
						tt.handler(w, r)
					}
					select {
					case <-r.Context().Done():
					case <-time.After(3 * limit):
					}
					fmt.Fprint(w, r.Context().Err())
				}), func(s *server) { s.limits.discard, s.limits.read = limit, limit })
				client := dialed(t, s.addr)
				for range 2 {
					client.send("POST /x HTTP/1.1\r\nHost: a\r\n" + framing)
					is.Equal(client.answer(), "200 <nil>")
					client.send(getX)
					is.Equal(client.answer(), "200 <nil>")
				}
			})
		}
	}
}

func TestContinue(t *testing.T) {
	is := is.New(t)
	seen := make(chan upload, 1)
	s := started(t, drains(seen), nil)
	client := dialed(t, s.addr)
	client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
	is.Equal(client.head().StatusCode, http.StatusContinue)
	client.send("hello")
	is.Equal(client.answer(), "200 ")
	is.Equal(within(t, "the body ends", seen), upload{5, nil})
}

// TestOwnDeadlines has handlers that set deadlines by themselves.
func TestOwnDeadlines(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			seen := make(chan upload, 1)
			body, w := io.Pipe()
			client, url := p.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rc := http.NewResponseController(w)
				if err := errors.Join(rc.SetReadDeadline(time.Time{}), rc.SetWriteDeadline(time.Time{})); err != nil {
					t.Error(err)
				}
				drains(seen)(w, r)
				w.Write(make([]byte, 2<<20))
			}), func(s *server) { s.limits.read, s.limits.write = 100*time.Millisecond, 100*time.Millisecond })
			go func() {
				time.Sleep(300 * time.Millisecond)
				io.WriteString(w, "late")
				w.Close()
			}()
			resp, err := client.RoundTrip(httptest.NewRequest("POST", url, body))
			is.NoErr(err)
			defer resp.Body.Close()
			time.Sleep(300 * time.Millisecond)
			n, err := io.Copy(io.Discard, resp.Body)
			is.NoErr(err)
			is.Equal(n, int64(2<<20))
			is.Equal(within(t, "the body ends", seen), upload{4, nil})
		})
	}
}

// TestUploadedFilesAreRemoved parses a form in a net/http handler.
func TestUploadedFilesAreRemoved(t *testing.T) {
	is := is.New(t)
	var name string
	s := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseMultipartForm(0)
		f, err := r.MultipartForm.File["f"][0].Open()
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		name = f.(*os.File).Name()
	}), nil)
	text := parts("f@" + strings.Repeat("x", 20<<20))
	client := dialed(t, s.addr)
	client.send(fmt.Sprintf("POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", multiMedia, len(text), text))
	is.Equal(client.answer(), "200  close")
	client.r.ReadByte() // the connection is closed after that
	is.True(name != "")
	_, err := os.Stat(name)
	is.True(errors.Is(err, os.ErrNotExist))
}

// TestWriters compares what writers offer with those of net/http.
func TestWriters(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			is := is.New(t)
			client, url := p.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, flusher := w.(http.Flusher)
				_, hijacker := w.(http.Hijacker)
				_, from := w.(io.ReaderFrom)
				_, text := w.(io.StringWriter)
				rc := http.NewResponseController(w)
				w.WriteHeader(http.StatusEarlyHints)
				fmt.Fprint(w, flusher, hijacker, from, text, rc.EnableFullDuplex(), rc.SetReadDeadline(time.Time{}), rc.Flush())
			}), func(*server) {})
			resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
			is.NoErr(err)
			is.Equal(sumUp(t, resp), map[int]string{1: "200 true true true true <nil> <nil> <nil>", 2: "200 true false false true <nil> <nil> <nil>"}[p.major])
		})
	}
}

// BenchmarkServer compares a paced server with http.Server, over loopback.
func BenchmarkServer(b *testing.B) {
	file := filepath.Join(b.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 10<<20), 0o600); err != nil {
		b.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /small", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 20<<10)) })
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	mux.HandleFunc("POST /body", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
	cert, client := certified(b)
	plain := httptest.NewServer(mux)
	defer plain.Close()
	plain2 := httptest.NewUnstartedServer(mux)
	plain2.EnableHTTP2 = true
	plain2.StartTLS()
	defer plain2.Close()
	paced := started(b, mux, nil)
	paced2 := started(b, mux, func(s *server) { s.tls = &tls.Config{Certificates: []tls.Certificate{cert}} })
	for _, path := range []string{"GET /small", "GET /page", "GET /file", "POST /body"} {
		for _, to := range [][2]string{
			{"HTTP1/plain", plain.URL}, {"HTTP1/paced", "http://" + paced.addr},
			{"HTTP2/plain", plain2.URL}, {"HTTP2/paced", "https://" + paced2.addr},
		} {
			method, path, _ := strings.Cut(path, " ")
			b.Run(path[1:]+"/"+to[0], func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var body io.Reader
					if method == "POST" {
						body = bytes.NewReader(make([]byte, 100<<10))
					}
					req, err := http.NewRequest(method, to[1]+path, body)
					if err != nil {
						b.Fatal(err)
					}
					resp, err := client.RoundTrip(req)
					if err != nil {
						b.Fatal(err)
					}
					if n, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK || method == "GET" && n == 0 {
						b.Fatal(resp.Status, n, err)
					}
					resp.Body.Close()
				}
			})
		}
	}
}
