package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

// inBubble runs a sub-test in a bubble, where the clock stands still while anything
// happens: it can tell the very time that something takes, and is over at once.
func inBubble(t *testing.T, name string, f func(t *testing.T, is *is.I)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { f(t, is.New(t)) })
	})
}

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

// TestServe has the values of a context reach a handler.
func TestServe(t *testing.T) {
	is := is.New(t)
	type key struct{}
	line := servertest.NewLine()
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "hello"))
	s := &server.Server{Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Context().Value(key{}), " ", server.Draining(r.Context()))
	})}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, line) }()
	conn, err := line.Dial()
	is.NoErr(err)
	client := servertest.NewClient(t, conn)
	client.Send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	is.Equal(client.Answer(), "200 hello false close")
	stop()
	is.NoErr(servertest.Within(t, "it stops", done))
}

func TestServeFailsWithAListener(t *testing.T) {
	is := is.New(t)
	a, b := servertest.NewLine(), servertest.NewLine()
	s := &server.Server{Handler: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler)}
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), a, b) }()
	conn, err := b.Dial()
	is.NoErr(err)
	client := servertest.NewClient(t, conn)
	client.Send(servertest.GetX)
	is.Equal(client.Answer(), "404 404 page not found")
	a.Close()
	is.True(errors.Is(servertest.Within(t, "it fails", done), net.ErrClosed))
	_, err = b.Dial()
	is.True(err != nil) // the other listener is closed
}

func TestDrainingElsewhere(t *testing.T) {
	is := is.New(t)
	is.Equal(server.Draining(context.Background()), false)
}

// TestStop looks at each kind of request while a server stops.
func TestStop(t *testing.T) {
	inBubble(t, "HTTP/1", func(t *testing.T, is *is.I) {
		slow := newGate()
		mux := http.NewServeMux()
		mux.Handle("/slow", slow)
		mux.HandleFunc("/stream", servertest.EventStream)
		mux.HandleFunc("/x", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, server.Draining(r.Context()), " ", r.Context().Err())
		})
		s := servertest.InMemory(t, mux, nil)
		idle, busy, stream := s.Dial(), s.Dial(), s.Dial()
		idle.Send(servertest.GetX)
		is.Equal(idle.Answer(), "200 false <nil>")
		busy.Send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
		ctx := <-slow.entered
		stream.Send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
		resp := stream.Head()

		begin := time.Now()
		s.Stop()
		is.Equal(servertest.SumUp(t, resp), "200 open\nend") // whole
		is.Equal(time.Since(begin), time.Duration(0))        // told at once
		stream.Send(servertest.GetX)
		is.Equal(stream.Answer(), "200 true <nil> close") // its connection is good for one more
		time.Sleep(1500 * time.Millisecond)               // when load balancers know
		is.True(s.Refuses())
		idle.Send(servertest.GetX)
		is.Equal(idle.Answer(), "200 true <nil> close")
		is.NoErr(ctx.Err()) // of the slow request, which is not hurried
		close(slow.leave)
		is.Equal(busy.Answer(), "200 done close")
		is.NoErr(<-s.Done)
		is.True(!strings.Contains(s.Log.String(), "WARN"))
	})
	inBubble(t, "HTTP/2", func(t *testing.T, is *is.I) { // on one connection
		slow := newGate()
		mux := http.NewServeMux()
		mux.Handle("/slow", slow)
		mux.HandleFunc("/stream", servertest.EventStream)
		s := servertest.InMemory(t, mux, servertest.Secure)
		client := s.Transport()
		fetch := func(path string) *http.Response {
			resp, err := client.RoundTrip(httptest.NewRequest("GET", "https://"+s.Addr+path, nil))
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
		ctx := <-slow.entered
		begin := time.Now()
		s.Stop()
		is.Equal(servertest.SumUp(t, stream), "200 open\nend") // whole
		is.Equal(time.Since(begin), time.Duration(0))          // told at once
		is.NoErr(ctx.Err())                                    // the other is not
		close(slow.leave)
		is.Equal(servertest.SumUp(t, <-answers), "200 done")
		is.NoErr(<-s.Done)
	})
	inBubble(t, "a stream that begins late", func(t *testing.T, is *is.I) {
		slow := newGate()
		s := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			slow.entered <- r.Context()
			<-slow.leave
			servertest.EventStream(w, r)
		}), nil)
		client := s.Dial()
		client.Send(servertest.GetX)
		<-slow.entered
		begin := time.Now()
		s.Stop()
		synctest.Wait() // it has told those that there are
		close(slow.leave)
		is.Equal(client.Answer(), "200 open\nend close")
		is.Equal(time.Since(begin), time.Duration(0))
	})
	inBubble(t, "streams one after the other", func(t *testing.T, is *is.I) {
		s := servertest.InMemory(t, http.HandlerFunc(servertest.EventStream), nil)
		client := s.Dial()
		client.Send(servertest.GetX)
		resp := client.Head()
		begin := time.Now()
		s.Stop()
		is.Equal(servertest.SumUp(t, resp), "200 open\nend")
		client.Send(servertest.GetX)
		is.Equal(client.Answer(), "200 open\nend close")
		is.NoErr(<-s.Done)
		is.True(time.Since(begin) < time.Second)
	})
}

// TestStopWithoutRequests has connections that nobody uses any more.
func TestStopWithoutRequests(t *testing.T) {
	inBubble(t, "closed", func(t *testing.T, is *is.I) {
		s := servertest.InMemory(t, http.NotFoundHandler(), nil)
		s.Dial().Close()
		synctest.Wait()
		begin := time.Now()
		s.Stop()
		is.NoErr(<-s.Done)
		is.Equal(time.Since(begin), time.Duration(0)) // it does not wait for requests that cannot come
	})
	inBubble(t, "open", func(t *testing.T, is *is.I) {
		s := servertest.InMemory(t, http.NotFoundHandler(), nil)
		idle, fresh := s.Dial(), s.Dial()
		idle.Send(servertest.GetX)
		is.Equal(idle.Answer(), "404 404 page not found")
		synctest.Wait()
		begin := time.Now()
		s.Stop()
		is.NoErr(<-s.Done)
		is.Equal(time.Since(begin).Truncate(time.Second), time.Second) // for a request that is on its way
		is.True(!strings.Contains(s.Log.String(), "cuts off"))         // net/http waits for those that are fresh
		for _, c := range []*servertest.Client{idle, fresh} {
			_, err := c.R.ReadByte()
			is.Equal(err, io.EOF)
		}
	})
}

func TestStopWhenTimeIsOver(t *testing.T) {
	inBubble(t, "a handler that looks at its context", func(t *testing.T, is *is.I) {
		s := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			fmt.Fprint(w, "sorry, ", r.Context().Err())
		}), func(s *server.Server) { s.Drain = 5 * time.Second })
		client := s.Dial()
		client.Send(servertest.GetX)
		synctest.Wait()
		begin := time.Now()
		s.Stop()
		is.Equal(client.Answer(), "200 sorry, context canceled close") // it had a moment to answer
		is.Equal(time.Since(begin), 5*time.Second)
		is.NoErr(<-s.Done)
		is.True(strings.Contains(s.Log.String(), "requests=1 drain=5s")) // it says how many
	})
	inBubble(t, "a deaf handler", func(t *testing.T, is *is.I) {
		deaf := newGate()
		defer close(deaf.leave)
		s := servertest.InMemory(t, deaf, func(s *server.Server) { s.Drain = 0 })
		client := s.Dial()
		client.Send(servertest.GetX)
		<-deaf.entered
		s.Stop()
		is.NoErr(<-s.Done)
		_, err := client.R.ReadByte()
		is.True(err != nil) // the connection is closed
	})
}

// TestStopHijacked has a handler that took its connection over.
func TestStopHijacked(t *testing.T) {
	for name, deaf := range map[string]bool{"it ends when told": false, "it does not": true} {
		inBubble(t, name, func(t *testing.T, is *is.I) {
			leave := make(chan struct{})
			defer close(leave)
			s := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				io.WriteString(conn, "hello\n")
				<-r.Context().Done()
				if deaf {
					<-leave
					return
				}
				io.WriteString(conn, "bye\n")
				conn.Close()
			}), nil)
			client := s.Dial()
			client.Send(servertest.GetX)
			line, err := client.R.ReadString('\n')
			is.NoErr(err)
			is.Equal(line, "hello\n")
			begin := time.Now()
			s.Stop()
			is.NoErr(<-s.Done)
			if deaf {
				is.Equal(time.Since(begin).Truncate(time.Second), server.DefaultDrain)
			} else {
				is.Equal(time.Since(begin), time.Duration(0))
			}
			rest, err := io.ReadAll(client.R)
			is.NoErr(err) // the connection is closed
			is.Equal(string(rest) == "bye\n", !deaf)
		})
	}
}

// TestServerKeepsNothing looks for what requests and connections leave behind.
func TestServerKeepsNothing(t *testing.T) {
	inBubble(t, "", func(t *testing.T, is *is.I) {
		var srv *server.Server
		s := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
		}), func(s *server.Server) { srv = s })
		for range 3 {
			client := s.Dial()
			client.Send(servertest.GetX)
			is.Equal(client.Answer(), "200 ")
			synctest.Wait()
			is.Equal(srv.Kept(), 1) // the connection
			client.Close()
			synctest.Wait()
			is.Equal(srv.Kept(), 0)
		}
	})
}

// TestSilentClientsAreLeft: a client has a time for a header, and one for the next request.
func TestSilentClientsAreLeft(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		after      time.Duration
	}{
		{"nothing", "", 10 * time.Second},
		{"half a header", "GET /x HTTP/1.1\r\nHost:", 10 * time.Second},
		{"a request", servertest.GetX, 2 * time.Minute},
		{"half a second one", servertest.GetX + "GET /x", 10 * time.Second},
	} {
		inBubble(t, tt.name, func(t *testing.T, is *is.I) {
			begin := time.Now()
			client := servertest.InMemory(t, http.NotFoundHandler(), nil).Dial()
			client.Send(tt.text)
			io.Copy(io.Discard, client)
			is.Equal(time.Since(begin), tt.after)
		})
	}
}

func TestBigHeader(t *testing.T) {
	inBubble(t, "", func(t *testing.T, is *is.I) {
		client := servertest.InMemory(t, http.NotFoundHandler(), nil).Dial()
		client.Send("GET /x HTTP/1.1\r\nHost: a\r\nBig: ")
		go client.Write(bytes.Repeat([]byte("x"), 72<<10)) // it may answer before it has read all
		is.Equal(client.Head().StatusCode, http.StatusRequestHeaderFieldsTooLarge)
	})
}

// TestNotice: a server whose health is asked for goes on to accept until load
// balancers know.
func TestNotice(t *testing.T) {
	for _, asks := range []bool{true, false} {
		inBubble(t, fmt.Sprint(asks), func(t *testing.T, is *is.I) {
			s := servertest.InMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asks {
					fmt.Fprint(w, server.Draining(r.Context()))
				}
			}), nil)
			client := s.Dial()
			client.Send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			client.Answer()
			begin := time.Now()
			s.Stop()
			synctest.Wait()
			if asks {
				late := s.Dial()
				late.Send(servertest.GetX)
				is.Equal(late.Answer(), "200 true close")
			}
			is.NoErr(<-s.Done)
			is.Equal(time.Since(begin) >= time.Second, asks)
			is.True(s.Refuses())
		})
	}
}
