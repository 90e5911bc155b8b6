package server_test

import (
	"bytes"
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
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

// A protocol is a way to reach a server.
type protocol struct {
	name  string
	major int
	tls   bool

	foreign bool // the listener is of the application, and speaks TLS by itself
}

var protocols = []protocol{
	{"HTTP/1", 1, false, false},
	{"HTTP/2", 2, true, false},
	{"HTTP/1 with TLS", 1, true, false},
	{"HTTP/1 of a foreign listener", 1, false, true},
	{"HTTP/2 of a foreign listener", 2, true, true},
}

// serve serves h in memory and returns a client, which holds little of an answer that
// nobody reads, and the URL for it.
func (p protocol) serve(t *testing.T, h http.HandlerFunc) (*http.Transport, string) {
	scheme := "http://"
	if p.tls {
		scheme = "https://"
	}
	s := p.site(t, h)
	client := s.Transport()
	client.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: servertest.Narrow, MaxReceiveBufferPerConnection: servertest.Narrow}
	if p.major == 1 {
		client.Protocols = new(http.Protocols)
		client.Protocols.SetHTTP1(true)
	}
	return client, scheme + s.Addr + "/x"
}

func (p protocol) site(t *testing.T, h http.Handler) *servertest.Site {
	if !p.foreign && p.tls {
		return servertest.InMemory(t, h, servertest.Secure)
	}
	line := servertest.NewLine()
	var l net.Listener = line
	if p.tls {
		l = tls.NewListener(line, servertest.ServerTLS())
	}
	return servertest.Serve(t, l, line.Dial, h, func(s *server.Server) { s.Foreign = p.foreign })
}

// An upload is what a handler saw of a body.
type upload struct {
	n    int64
	took time.Duration
	err  error
}

// drains is a handler that reads the body and says what it saw.
func drains(seen chan<- upload) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		n, err := io.Copy(io.Discard, r.Body)
		seen <- upload{n, time.Since(begin), err}
	}
}

// TestUploads sends bodies piece by piece, and some that stop.
func TestUploads(t *testing.T) {
	for _, tt := range []struct {
		name          string
		pieces, piece int           // of the body
		pause         time.Duration // between them
		stops         bool          // after the pieces
		cut           time.Duration // 0 if it arrives
	}{
		{"for an hour, at the rate", 3600, 500, time.Second, false, 0},
		{"for minutes, almost at the rate", 200, 400, time.Second, false, 0},
		{"one pause that is almost too long", 1, 400, 59 * time.Second, false, 0},
		{"one that stops", 1, 400, 0, true, 60 * time.Second},
		{"one that never begins", 0, 0, 0, true, 60 * time.Second},
		{"a drip, below the rate", 4000, 1, time.Second, false, 60 * time.Second},
		{"half of the rate", 4000, 250, time.Second, false, 120 * time.Second},
	} {
		for _, p := range protocols {
			inBubble(t, p.name+" "+tt.name, func(t *testing.T, is *is.I) {
				seen := make(chan upload, 1)
				client, url := p.serve(t, drains(seen))
				body, w := io.Pipe()
				written := make(chan struct{})
				defer func() {
					body.Close()
					<-written
				}()
				go func() {
					defer close(written)
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
				begin, answered := time.Now(), make(chan error, 1)
				go func() {
					resp, err := client.RoundTrip(httptest.NewRequest("POST", url, body))
					if err == nil {
						resp.Body.Close()
					}
					answered <- err
				}()
				got := <-seen
				if tt.cut == 0 {
					is.NoErr(got.err)
					is.Equal(got.n, int64(tt.pieces*tt.piece))
					is.NoErr(<-answered)
					return
				}
				is.True(errors.Is(got.err, os.ErrDeadlineExceeded))
				is.Equal(got.took.Round(2*time.Second), tt.cut)
				if !tt.stops { // or the client waits for the rest of the body, too
					return
				}
				<-answered
				is.Equal(time.Since(begin), got.took) // it waits for nothing more
			})
		}
	}
}

// TestSlowHandlers spends more time in the handler than clients have.
func TestSlowHandlers(t *testing.T) {
	const long = time.Hour
	for _, p := range protocols {
		inBubble(t, p.name, func(t *testing.T, is *is.I) {
			cancelled := make(chan bool, 1)
			reads := make(chan int) // how much of the body is asked for
			client, url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
				linger := func() { // which is no fault of the client
					select {
					case <-r.Context().Done():
					case <-time.After(long):
					}
				}
				defer func() { cancelled <- r.Context().Err() != nil }()
				linger()
				reads <- 512
				var half [512]byte
				io.ReadFull(r.Body, half[:])
				linger()
				reads <- 100 << 10
				close(reads)
				rest, err := io.ReadAll(r.Body)
				linger()
				fmt.Fprintln(w, len(half)+len(rest), err)
				w.(http.Flusher).Flush()
				linger()
				w.Write(make([]byte, 2*server.HeldBack))
				linger()
				io.WriteString(w, "end")
			})
			body, w := io.Pipe()
			go func() {
				for n := range reads {
					w.Write(make([]byte, n))
				}
				w.Close()
			}()
			begin := time.Now()
			resp, err := client.RoundTrip(httptest.NewRequest("POST", url, body))
			is.NoErr(err)
			text := strings.ReplaceAll(servertest.SumUp(t, resp), "\x00", "")
			is.Equal(text, "200 102912 <nil>\nend")
			is.Equal(<-cancelled, false)
			is.Equal(time.Since(begin), 5*long)
		})
	}
}

const downloadSize = 2 << 20

// A way is one to send an answer.
type way struct {
	name string
	send func(w http.ResponseWriter) error
}

func waysToSend(t *testing.T) []way {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, downloadSize), 0o600); err != nil {
		t.Fatal(err)
	}
	ofFile := func(send func(w http.ResponseWriter, f *os.File) error) func(http.ResponseWriter) error {
		return func(w http.ResponseWriter) error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			return send(w, f)
		}
	}
	return []way{
		{"Write", func(w http.ResponseWriter) error {
			_, err := w.Write(make([]byte, downloadSize))
			return err
		}},
		{"WriteString", func(w http.ResponseWriter) error {
			_, err := io.WriteString(w, strings.Repeat("\x00", downloadSize))
			return err
		}},
		{"small writes", func(w http.ResponseWriter) error {
			for range downloadSize >> 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return err
				}
			}
			return nil
		}},
		{"small writes that are flushed", func(w http.ResponseWriter) error {
			for range downloadSize >> 10 {
				io.WriteString(w, strings.Repeat("\x00", 1<<10))
				if err := http.NewResponseController(w).Flush(); err != nil {
					return err
				}
			}
			return nil
		}},
		{"Copy of a file", ofFile(func(w http.ResponseWriter, f *os.File) error {
			w.Header().Set("Content-Length", fmt.Sprint(downloadSize))
			_, err := io.Copy(w, f)
			return err
		})},
		{"CopyN of a file", ofFile(func(w http.ResponseWriter, f *os.File) error {
			_, err := io.CopyN(w, f, downloadSize)
			return err
		})},
		{"Copy of what is no file", func(w http.ResponseWriter) error {
			_, err := io.Copy(w, io.LimitReader(zeros{}, downloadSize))
			return err
		}},
	}
}

// zeros is what has no end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestDownloads reads answers slowly, and too slowly, which is less than 64 KiB a minute.
// How the handler writes makes no difference.
func TestDownloads(t *testing.T) {
	for _, way := range waysToSend(t) {
		for _, p := range protocols {
			for _, tt := range []struct {
				name  string
				step  int64         // how much it reads at once
				pause time.Duration // after that
				cut   time.Duration // the handler knows by then; 0 if all arrives
			}{
				{"at twice the rate", 16 << 10, 15 * time.Second / 2, 0},
				{"at the rate", 16 << 10, 15 * time.Second, 0},
				{"at the rate, much at a time", 192 << 10, 3 * time.Minute, 0}, // as systems make room
				{"at 3/4 of the rate", 16 << 10, 20 * time.Second, 20 * time.Minute},
				{"at 3/8 of the rate", 16 << 10, 40 * time.Second, 7 * time.Minute},
				{"not at all", 16 << 10, time.Hour, 5 * time.Minute},
			} {
				inBubble(t, way.name+" "+p.name+" "+tt.name, func(t *testing.T, is *is.I) {
					var took time.Duration
					sent := make(chan error, 1)
					client, url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Content-Type", "application/octet-stream")
						begin := time.Now()
						err := way.send(w)
						took = time.Since(begin)
						sent <- err
					})
					resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
					is.NoErr(err)
					defer resp.Body.Close()
					var n int64
					for err == nil {
						var m int64
						m, err = io.CopyN(io.Discard, resp.Body, tt.step)
						n += m
						time.Sleep(tt.pause)
					}
					if tt.cut == 0 {
						is.Equal(err, io.EOF)
						is.Equal(n, int64(downloadSize))
						is.NoErr(<-sent)
						return
					}
					is.True(n < downloadSize)
					is.True(<-sent != nil)
					is.True(took <= tt.cut)
				})
			}
		}
	}
}

// TestSmallAnswers has a client that goes on to ask, and does not read what it is told:
// answers that net/http holds back until the handler has returned, and informational
// ones, which it sends at once.
func TestSmallAnswers(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"held back": func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 1<<10)) },
		"informational": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", strings.Repeat("x", 1<<10))
			for range 2 * servertest.Narrow >> 10 {
				w.WriteHeader(http.StatusEarlyHints)
			}
		},
	} {
		inBubble(t, name, func(t *testing.T, is *is.I) {
			var srv *server.Server
			client := servertest.InMemory(t, handler, func(s *server.Server) { srv = s }).Dial()
			client.Send(strings.Repeat(servertest.GetX, 2*servertest.Narrow>>10))
			time.Sleep(time.Minute)
			synctest.Wait()
			is.True(srv.Kept() > 0) // the server waits for the client
			time.Sleep(server.Slack)
			synctest.Wait()
			is.Equal(srv.Kept(), 0)
		})
	}
}

// TestPatience has clients that take nothing of a large answer but what fits on the way to
// them. They have their time from when it is sent, whatever was sent before, and when.
func TestPatience(t *testing.T) {
	large := func(w http.ResponseWriter) error {
		_, err := w.Write(make([]byte, downloadSize))
		return err
	}
	informs := func(w http.ResponseWriter) error {
		w.WriteHeader(http.StatusEarlyHints)
		return nil
	}
	flushes := func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() }
	flushesLate := func(w http.ResponseWriter) error {
		time.Sleep(10 * time.Second)
		return flushes(w)
	}
	nothing := func(http.ResponseWriter) error { return nil }
	for name, first := range map[string]func(w http.ResponseWriter) error{"at first": nothing, "after an informational answer": informs, "after a flush": flushes, "after a late flush": flushesLate} {
		for _, p := range protocols {
			for _, pause := range []time.Duration{0, server.Slack - 1, server.Slack, 2*server.Slack - 1, 30 * time.Second, time.Minute, time.Hour} {
				inBubble(t, fmt.Sprint(name, ", ", p.name, ", ", pause), func(t *testing.T, is *is.I) {
					took := make(chan time.Duration, 1)
					client, url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
						if err := first(w); err != nil {
							t.Error(err)
						}
						time.Sleep(pause)
						begin := time.Now()
						if err := large(w); err == nil {
							t.Error("all was sent")
						}
						took <- time.Since(begin)
					})
					resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
					is.NoErr(err)
					defer resp.Body.Close()
					got := <-took
					most := 2*time.Minute + server.Slack
					if p.major == 1 && p.tls {
						most += 5 * time.Second // TLS says goodbye
					}
					is.True(time.Minute <= got && got <= most)
				})
			}
		}
	}
}

// TestDeafConnection has a client of HTTP/2 that grants a large window, and then does
// not read from its connection at all.
func TestDeafConnection(t *testing.T) {
	inBubble(t, "", func(t *testing.T, is *is.I) {
		sent := make(chan error, 1)
		begin := time.Now()
		s := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Write(make([]byte, 4<<20))
			_, err := w.Write(make([]byte, 4<<20))
			sent <- err
		}), servertest.Secure)
		c := servertest.NewHTTP2(t, s.Dial().Conn, servertest.InitialWindow, 1<<30)
		is.NoErr(c.Send(servertest.WindowUpdate, 0, 0, []byte{0x40, 0, 0, 0})) // of the connection
		c.Get("/x")
		is.NoErr(c.Flush())
		is.True(<-sent != nil)
		is.Equal(time.Since(begin).Truncate(time.Minute), server.WriteMost) // TLS may say goodbye for 5 seconds more
	})
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
			w.Write(bytes.Repeat([]byte(" "), 2*server.HeldBack))
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
			inBubble(t, tt.name+" "+framing, func(t *testing.T, is *is.I) {
				begin := time.Now()
				client := servertest.InMemory(t, http.HandlerFunc(tt.handler), nil).Dial()
				client.Send("POST /x HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n")
				is.Equal(client.Answer(), tt.want)
				_, err := client.R.ReadByte()
				is.Equal(err, io.EOF)                        // what comes late is not taken for a request
				is.True(time.Since(begin) <= 10*time.Second) // that is, twice the time for what nobody read
			})
		}
	}
}

// TestBodyReadAfterAnswer has handlers that read the body of a client that still waits for 100
// Continue, after they have answered. Go 1.27 refuses that. The connection ends all the same.
func TestBodyReadAfterAnswer(t *testing.T) {
	for _, tt := range []struct {
		name string
		read func(body io.ReadCloser)
	}{
		{"read", func(body io.ReadCloser) { io.ReadAll(body) }},
		{"read and closed", func(body io.ReadCloser) { io.ReadAll(body); body.Close() }},
		{"closed", func(body io.ReadCloser) { body.Close() }},
		{"closed and read", func(body io.ReadCloser) { body.Close(); io.ReadAll(body) }},
	} {
		inBubble(t, tt.name, func(t *testing.T, is *is.I) {
			client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "early")
				w.(http.Flusher).Flush()
				tt.read(r.Body)
			}), nil).Dial()
			client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
			is.Equal(client.Answer(), "200 early close")
			_, err := client.R.ReadByte()
			is.Equal(err, io.EOF)
		})
	}
}

// TestUnseenBodies: net/http answers some requests by itself, and reads what they
// bring. That has a limit too.
func TestUnseenBodies(t *testing.T) {
	for _, tt := range []struct{ name, head, want string }{
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", "HTTP/1.1 200 "},
		{"an unknown expectation", "POST /x HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 100\r\n\r\n", "HTTP/1.1 417 "},
	} {
		inBubble(t, tt.name, func(t *testing.T, is *is.I) {
			begin := time.Now()
			client := servertest.InMemory(t, http.NotFoundHandler(), nil).Dial()
			client.Send(tt.head) // and nothing more
			b, err := io.ReadAll(client)
			is.NoErr(err) // the server closes the connection
			is.True(len(b) == 0 || strings.HasPrefix(string(b), tt.want))
			is.Equal(time.Since(begin).Truncate(time.Minute), time.Minute)
		})
	}
}

// TestEndsOfAnswers do not wait for a body that the client sends late, or never.
func TestEndsOfAnswers(t *testing.T) {
	early := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
		io.WriteString(w, "last")
	}
	for _, tt := range []struct {
		name, request string
		handler       http.HandlerFunc
	}{
		// The client may send the rest only then.
		{"full duplex", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", func(w http.ResponseWriter, r *http.Request) {
			if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
				panic(err)
			}
			r.Body.Read(make([]byte, 1))
			early(w, r)
		}},
		{"an upload that is refused", "Content-Length: 1000000\r\n\r\n", early},
		{"one on a connection that ends", "Connection: close\r\nContent-Length: 10\r\n\r\n", early},
	} {
		inBubble(t, tt.name, func(t *testing.T, is *is.I) {
			begin := time.Now()
			client := servertest.InMemory(t, tt.handler, nil).Dial()
			client.Send("POST /x HTTP/1.1\r\nHost: a\r\n" + tt.request)
			is.Equal(client.Answer(), "200 first last close")
			is.Equal(time.Since(begin), time.Duration(0))
		})
	}
}

// TestDuplexComesTooLate: what is decided by then cannot be undone.
func TestDuplexComesTooLate(t *testing.T) {
	for _, p := range protocols {
		inBubble(t, p.name, func(t *testing.T, is *is.I) {
			client, url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusOK)
				fmt.Fprint(w, http.NewResponseController(w).EnableFullDuplex())
			})
			resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
			is.NoErr(err)
			is.Equal(servertest.SumUp(t, resp), "200 flow: EnableFullDuplex comes too late: the answer has begun")
		})
	}
}

// TestDeadlinesOfOthers are set while other goroutines read and write.
func TestDeadlinesOfOthers(t *testing.T) {
	inBubble(t, "while the body is read", func(t *testing.T, is *is.I) {
		client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			read := make(chan struct{})
			go func() { io.Copy(io.Discard, r.Body); close(read) }()
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour))
			<-read
		}), nil).Dial()
		client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
		is.Equal(client.Answer(), "200 ")
	})
	for _, p := range protocols {
		inBubble(t, "to end writing, "+p.name, func(t *testing.T, is *is.I) {
			ended := make(chan time.Duration, 1)
			client, url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
				begin := time.Now()
				time.AfterFunc(10*time.Second, func() { http.NewResponseController(w).SetWriteDeadline(time.Now()) })
				for {
					if _, err := w.Write(make([]byte, 1<<20)); err != nil {
						ended <- time.Since(begin)
						return
					}
				}
			})
			resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
			is.NoErr(err)
			defer resp.Body.Close() // which nobody reads
			took := <-ended
			is.True(10*time.Second <= took && took <= 15*time.Second) // TLS says goodbye for 5 seconds
		})
	}
}

// TestLateReads has handlers that read the body when the answer was sent already, as
// http.TimeoutHandler lets them: they must get an error, and nothing else.
func TestLateReads(t *testing.T) {
	for _, p := range protocols {
		inBubble(t, p.name, func(t *testing.T, is *is.I) {
			answered, ended := make(chan struct{}), make(chan string, 1)
			client, url := p.serve(t, http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer func() { ended <- fmt.Sprint(recover()) }()
				<-answered
				if n, err := io.Copy(io.Discard, r.Body); err == nil {
					t.Errorf("%d bytes were taken for the whole body", n)
				}
			}), time.Millisecond, "too slow").ServeHTTP)
			body, w := io.Pipe() // which never ends
			defer w.Close()
			resp, err := client.RoundTrip(httptest.NewRequest("POST", url, body))
			is.NoErr(err)
			io.Copy(io.Discard, resp.Body) // to its end: the handler that the server knows has returned
			resp.Body.Close()
			close(answered)
			is.Equal(<-ended, "<nil>") // it does not panic
		})
	}
	// It does not lift the limits of what follows on the connection, either.
	inBubble(t, "while the server waits for the next request", func(t *testing.T, is *is.I) {
		late := make(chan struct{})
		client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := r.Body
			go func() {
				time.Sleep(time.Second)
				body.Read(make([]byte, 10))
				close(late)
			}()
		}), nil).Dial()
		client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
		is.Equal(client.Answer(), "200 ")
		<-late
		_, err := client.R.ReadByte()
		is.Equal(err, io.EOF) // the connection was idle for too long
	})
}

func TestIsEventStream(t *testing.T) {
	for _, tt := range []struct {
		contentType string
		want        bool
	}{
		{"text/event-stream", true}, {"text/event-stream; charset=utf-8", true}, {"Text/Event-Stream", true}, {" text/event-stream ;", true},
		{"text/event-streams", false}, {"text/plain", false}, {"", false},
	} {
		t.Run(tt.contentType, func(t *testing.T) {
			is := is.New(t)
			is.Equal(server.IsEventStream(tt.contentType), tt.want)
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
			t.Parallel()
			is := is.New(t)
			s := servertest.OnLoopback(t, tt.handler, nil)
			transport := s.Transport()
			transport.DisableKeepAlives = true
			client := &http.Client{Transport: transport}
			body := make([]byte, 3<<20)
			for range 20 {
				resp, err := client.Post("http://"+s.Addr, "application/octet-stream", bytes.NewReader(body))
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
	linger := func(r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(time.Hour):
		}
	}
	for _, tt := range []struct {
		name    string
		handler func(w http.ResponseWriter, r *http.Request)
	}{
		{"unread", func(http.ResponseWriter, *http.Request) {}},
		{"read by the server for its header", func(w http.ResponseWriter, r *http.Request) {
			w.Write(bytes.Repeat([]byte(" "), 2*server.HeldBack))
			linger(r)
			w.Write(bytes.Repeat([]byte(" "), 2*server.HeldBack))
		}},
		{"read", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }},
		{"closed", func(w http.ResponseWriter, r *http.Request) { r.Body.Close() }},
		{"half read", func(w http.ResponseWriter, r *http.Request) { io.ReadFull(r.Body, make([]byte, 5)) }},
	} {
		for _, framing := range []string{"Content-Length: 10\r\n\r\n0123456789", "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"} {
			inBubble(t, tt.name+" "+framing[:8], func(t *testing.T, is *is.I) {
				client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == "POST" {
						tt.handler(w, r)
					}
					linger(r)
					fmt.Fprint(w, r.Context().Err())
				}), nil).Dial()
				for range 2 {
					client.Send("POST /x HTTP/1.1\r\nHost: a\r\n" + framing)
					is.Equal(client.Answer(), "200 <nil>")
					client.Send(servertest.GetX)
					is.Equal(client.Answer(), "200 <nil>")
				}
			})
		}
	}
}

// TestContinue has clients that wait to be asked for the body, whenever the handler reads it.
func TestContinue(t *testing.T) {
	for _, pause := range []time.Duration{0, time.Hour} {
		for name, prepare := range map[string]func(w http.ResponseWriter) error{
			"": func(http.ResponseWriter) error { return nil },
			"own deadlines ": func(w http.ResponseWriter) error {
				return http.NewResponseController(w).SetReadDeadline(time.Time{})
			},
		} {
			inBubble(t, fmt.Sprint(name, pause), func(t *testing.T, is *is.I) {
				seen := make(chan upload, 1)
				client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if err := prepare(w); err != nil {
						t.Error(err)
					}
					time.Sleep(pause)
					drains(seen)(w, r)
				}), nil).Dial()
				client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
				is.Equal(client.Head().StatusCode, http.StatusContinue)
				client.Send("hello")
				is.Equal(client.Answer(), "200 ")
				is.Equal(<-seen, upload{n: 5})
			})
		}
	}
}

// TestOwnDeadlines has handlers that set deadlines by themselves.
func TestOwnDeadlines(t *testing.T) {
	for _, p := range protocols {
		inBubble(t, "none, "+p.name, func(t *testing.T, is *is.I) {
			seen := make(chan upload, 1)
			client, url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
				rc := http.NewResponseController(w)
				if err := errors.Join(rc.SetReadDeadline(time.Time{}), rc.SetWriteDeadline(time.Time{})); err != nil {
					t.Error(err)
				}
				drains(seen)(w, r)
				w.Write(make([]byte, downloadSize))
			})
			body, w := io.Pipe()
			go func() {
				time.Sleep(time.Hour)
				io.WriteString(w, "late")
				w.Close()
			}()
			resp, err := client.RoundTrip(httptest.NewRequest("POST", url, body))
			is.NoErr(err)
			defer resp.Body.Close()
			time.Sleep(time.Hour)
			n, err := io.Copy(io.Discard, resp.Body)
			is.NoErr(err)
			is.Equal(n, int64(downloadSize))
			is.Equal(<-seen, upload{n: 4, took: time.Hour})
		})
		inBubble(t, "some seconds, "+p.name, func(t *testing.T, is *is.I) {
			seen, sent := make(chan upload, 1), make(chan time.Duration, 1)
			client, url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
				rc, begin := http.NewResponseController(w), time.Now()
				if err := errors.Join(rc.SetReadDeadline(begin.Add(10*time.Second)), rc.SetWriteDeadline(begin.Add(20*time.Second))); err != nil {
					t.Error(err)
				}
				drains(seen)(w, r)
				for {
					if _, err := w.Write(make([]byte, 1<<10)); err != nil {
						sent <- time.Since(begin)
						return
					}
				}
			})
			body, w := io.Pipe()
			defer w.Close()
			go io.WriteString(w, "and no more")
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				if resp, err := client.RoundTrip(httptest.NewRequest("POST", url, body)); err == nil {
					defer resp.Body.Close() // which nobody reads
					<-sent
				}
			}()
			got := <-seen
			is.True(errors.Is(got.err, os.ErrDeadlineExceeded))
			is.Equal(got.took, 10*time.Second)
			<-answered
		})
	}
	inBubble(t, "for what the server reads by itself", func(t *testing.T, is *is.I) {
		client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetReadDeadline(time.Time{})
			w.Write(bytes.Repeat([]byte(" "), 2*server.HeldBack))
		}), nil).Dial()
		client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
		time.Sleep(30 * time.Second)
		client.Send("hello")
		is.Equal(client.Answer(), "200 ") // and the connection is used again
	})
}

// TestDuplex reads while it writes, and waits for the body no less for that.
func TestDuplex(t *testing.T) {
	inBubble(t, "", func(t *testing.T, is *is.I) {
		seen := make(chan upload, 1)
		client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			is.NoErr(rc.EnableFullDuplex())
			read := make(chan struct{})
			go func() {
				defer close(read)
				drains(seen)(w, r)
			}()
			time.Sleep(time.Second)
			io.WriteString(w, "early")
			is.NoErr(rc.Flush())
			<-read
		}), nil).Dial()
		client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
		resp := client.Head()
		time.Sleep(50 * time.Second)
		client.Send("hello")
		is.Equal(servertest.SumUp(t, resp), "200 early close")
		is.Equal(<-seen, upload{n: 5, took: 51 * time.Second})
	})
}

// TestDuplexDoesNotStretchWrites has a client that takes nothing and goes on to send: what
// the handler reads gives it no more time for what it writes.
func TestDuplexDoesNotStretchWrites(t *testing.T) {
	for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
		inBubble(t, expect, func(t *testing.T, is *is.I) {
			sent := make(chan time.Duration, 1)
			client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				is.NoErr(http.NewResponseController(w).EnableFullDuplex())
				read := make(chan struct{})
				go func() {
					defer close(read)
					io.Copy(io.Discard, r.Body)
				}()
				begin := time.Now()
				for {
					if _, err := w.Write(make([]byte, server.HeldBack)); err != nil {
						break
					}
				}
				sent <- time.Since(begin)
				<-read
			}), nil).Dial()
			client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n" + expect + "\r\n")
			drips := make(chan struct{})
			go func() {
				defer close(drips)
				for range 1000 {
					if _, err := client.Write(make([]byte, 600)); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			}()
			is.True(<-sent <= server.WriteMost+server.Slack)
			client.Close()
			<-drips
		})
	}
}

// TestUploadedFilesAreRemoved parses a form in the handler.
func TestUploadedFilesAreRemoved(t *testing.T) {
	inBubble(t, "", func(t *testing.T, is *is.I) {
		var name string
		client := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.ParseMultipartForm(0) // which keeps no file in memory
			f, _, err := r.FormFile("f")
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			name = f.(*os.File).Name()
		}), nil).Dial()
		text := "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.txt\"\r\n\r\ntext\r\n--b--\r\n"
		client.Send(fmt.Sprintf("POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
		is.Equal(client.Answer(), "200  close")
		client.R.ReadByte() // the connection is closed after that
		is.True(name != "")
		_, err := os.Stat(name)
		is.True(errors.Is(err, os.ErrNotExist))
	})
}

// TestWriters compares what writers offer with those of net/http.
func TestWriters(t *testing.T) {
	for _, p := range protocols {
		inBubble(t, p.name, func(t *testing.T, is *is.I) {
			client, url := p.serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, flusher := w.(http.Flusher)
				_, hijacker := w.(http.Hijacker)
				_, from := w.(io.ReaderFrom)
				_, text := w.(io.StringWriter)
				rc := http.NewResponseController(w)
				w.WriteHeader(http.StatusEarlyHints)
				fmt.Fprint(w, flusher, hijacker, from, text, r.Body == http.NoBody, rc.EnableFullDuplex(), rc.SetReadDeadline(time.Time{}), rc.Flush())
			})
			resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
			is.NoErr(err)
			is.Equal(servertest.SumUp(t, resp), map[int]string{1: "200 true true true true true <nil> <nil> <nil>", 2: "200 true false false true true <nil> <nil> <nil>"}[p.major])
		})
	}
}

// TestHeldBack: net/http sends nothing to a client before a handler has written more than HeldBack
// bytes. Such writes get no deadline.
func TestHeldBack(t *testing.T) {
	inBubble(t, "HTTP/1", func(t *testing.T, is *is.I) {
		line, client := net.Pipe() // which holds nothing back itself
		wrote := make(chan struct{})
		listener := &oneConn{conn: line, closed: make(chan struct{})}
		plain := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Write(make([]byte, server.HeldBack))
			close(wrote)
		})}
		go plain.Serve(listener)
		io.WriteString(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		<-wrote // or else the bubble ends with a deadlock: the handler waits for a client that does not read
		is.NoErr(client.Close())
		is.NoErr(plain.Close())
	})
}

// A oneConn is a net.Listener with one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (conn net.Conn, err error) {
	if conn, l.conn = l.conn, nil; conn != nil {
		return conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	close(l.closed)
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

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
	plain := httptest.NewServer(mux)
	defer plain.Close()
	plain2 := httptest.NewUnstartedServer(mux)
	plain2.EnableHTTP2 = true
	plain2.TLS = &tls.Config{Certificates: []tls.Certificate{servertest.Certificate()}}
	plain2.StartTLS()
	defer plain2.Close()
	paced, paced2 := servertest.OnLoopback(b, mux, nil), servertest.OnLoopback(b, mux, servertest.Secure)
	client := &http.Transport{TLSClientConfig: servertest.ClientTLS(), ForceAttemptHTTP2: true}
	defer client.CloseIdleConnections()
	for _, path := range []string{"GET /small", "GET /page", "GET /file", "POST /body"} {
		for _, to := range [][2]string{
			{"HTTP1/plain", plain.URL}, {"HTTP1/paced", "http://" + paced.Addr},
			{"HTTP2/plain", plain2.URL}, {"HTTP2/paced", "https://" + paced2.Addr},
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
