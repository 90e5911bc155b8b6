package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

// A diary is what has been done, in order.
type diary []string

// does returns a function that writes down that it runs, and returns an error.
func (d *diary) does(what string, err error) func(context.Context) error {
	return func(context.Context) error {
		*d = append(*d, what)
		return err
	}
}

// serving returns a function that serves nothing, and returns an error.
func (d *diary) serving(err error) func() error {
	return func() error {
		*d = append(*d, "serve")
		return err
	}
}

// quiet returns a Server that logs into a Log.
func quiet(drain time.Duration) (*server.Server, *servertest.Log) {
	log := &servertest.Log{}
	return &server.Server{Drain: drain, Log: slog.New(slog.NewTextHandler(log, nil))}, log
}

func TestStopsRunOnce(t *testing.T) {
	is := is.New(t)
	var d diary
	var stops server.Hooks
	for _, what := range []string{"a", "b", "c"} {
		stops.OnStop(what, d.does(what, nil))
	}
	srv, log := quiet(0)
	is.NoErr(stops.After(t.Context(), srv, d.serving(nil)))
	is.Equal(d, diary{"serve", "c", "b", "a"})
	err := stops.After(t.Context(), srv, d.serving(nil))
	is.True(err != nil)
	is.Equal(err.Error(), "flow: the application has stopped, and its functions of OnStart or OnStop have run: make a new Router to serve again")
	is.Equal(len(d), 4) // nothing has run
	is.Equal(log.String(), "")
}

// TestStopsAgain: who has nothing to stop may be served again.
func TestStopsAgain(t *testing.T) {
	is := is.New(t)
	var d diary
	var stops server.Hooks
	srv, _ := quiet(0)
	for range 2 {
		is.NoErr(stops.After(t.Context(), srv, d.serving(nil)))
	}
	is.NoErr(stops.After(t.Context(), srv, func() error {
		stops.OnStop("late", d.does("late", nil))
		return nil
	}))
	is.Equal(d, diary{"serve", "serve", "late"})
}

func TestStopsErrors(t *testing.T) {
	is := is.New(t)
	var d diary
	var stops server.Hooks
	stops.OnStop("first", d.does("first", io.ErrShortWrite))
	stops.OnStop("panics", func(context.Context) error { panic("oh no") })
	stops.OnStop("exits", func(context.Context) error { runtime.Goexit(); return nil })
	stops.OnStop("fine", d.does("fine", nil))
	stops.OnStop("last", d.does("last", io.ErrNoProgress))
	srv, log := quiet(0)
	err := stops.After(t.Context(), srv, d.serving(io.ErrUnexpectedEOF))
	is.Equal(d, diary{"serve", "last", "fine", "first"}) // whatever the others do
	is.True(err != nil)
	is.Equal(err.Error(), `
unexpected EOF
last: multiple Read calls return no data or error
exits: it has called runtime.Goexit
panics: panic: oh no
first: short write`[1:])
	for _, target := range []error{io.ErrUnexpectedEOF, io.ErrShortWrite, io.ErrNoProgress} {
		is.True(errors.Is(err, target))
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	is.Equal(len(lines), 4) // what serving returned is for its caller
	for i, want := range []string{"last: multiple", "exits: it has", "panics: panic: oh no", "first: short write"} {
		is.True(strings.Contains(lines[i], "level=ERROR"))
		is.True(strings.Contains(lines[i], want))
		is.Equal(strings.Contains(lines[i], "hooks_test.go:"), strings.HasPrefix(want, "panics")) // the stack
	}
}

// TestStopsOfPanic: a panic of what serves goes on, after the functions have run.
func TestStopsOfPanic(t *testing.T) {
	is := is.New(t)
	var d diary
	var stops server.Hooks
	stops.OnStop("stop", d.does("stop", nil))
	srv, _ := quiet(0)
	defer func() {
		is.Equal(recover(), "oh no")
		is.Equal(d, diary{"stop"})
	}()
	stops.After(t.Context(), srv, func() error { panic("oh no") })
}

// TestStartFails: after a function that fails, none is called, and another server that waits
// for the functions does not serve.
func TestStartFails(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(context.Context) error
		want string
		logs bool // the stack
	}{
		{"an error", func(context.Context) error { return io.ErrShortWrite }, "a: short write", false},
		{"a panic", func(context.Context) error { panic("no") }, "a: panic: no", true},
		{"Goexit", func(context.Context) error { runtime.Goexit(); return nil }, "a: it has called runtime.Goexit", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var d diary
			var hooks server.Hooks
			hooks.OnStart("a", tt.run)
			hooks.OnStart("b", d.does("b", nil))
			srv, log := quiet(0)
			for range 2 {
				proceed, err := hooks.Start(t.Context(), srv)
				is.True(!proceed && err != nil)
				is.Equal(err.Error(), tt.want)
			}
			is.Equal(len(d), 0)
			is.Equal(strings.Contains(log.String(), "hooks_test.go:"), tt.logs)
			is.Equal(strings.Count(log.String(), "level=ERROR"), strings.Count(log.String(), "stack="))
		})
	}
}

// TestStartIsStopped stops a server while a function of OnStart runs. Those after it are not
// called, nothing is served, and those of OnStop are called in any case.
func TestStartIsStopped(t *testing.T) {
	for _, tt := range []struct {
		name  string
		drain time.Duration
		run   func(context.Context, <-chan struct{}) error
		takes time.Duration // after the stop
		want  string        // of the error
		said  string
	}{
		{"it ends with its context", 30 * time.Second, func(ctx context.Context, _ <-chan struct{}) error { <-ctx.Done(); return nil }, 0, "", "stopping closing stopped"},
		{"it returns the error of its context", 30 * time.Second, func(ctx context.Context, _ <-chan struct{}) error { <-ctx.Done(); return ctx.Err() }, 0, "main.go:14: OnStart: context canceled", "stopping closing stopped"},
		{"it ends in time", 30 * time.Second, func(context.Context, <-chan struct{}) error { time.Sleep(20 * time.Second); return nil }, 20 * time.Second, "", "stopping closing stopped"},
		{"it ignores its context", 30 * time.Second, func(_ context.Context, leave <-chan struct{}) error { <-leave; return nil }, 30 * time.Second, "main.go:14: OnStart: it has not returned when its context ended, and is left behind", "stopping flow: closing stopped"},
		{"without time to drain", 0, func(_ context.Context, leave <-chan struct{}) error { <-leave; return nil }, 5 * time.Second, "main.go:14: OnStart: it has not returned when its context ended, and is left behind", "stopping flow: closing stopped"},
		{"it panics", 30 * time.Second, func(ctx context.Context, _ <-chan struct{}) error { <-ctx.Done(); panic("no") }, 0, "main.go:14: OnStart: panic: no", "stopping flow: closing stopped"},
	} {
		inBubble(t, tt.name, func(t *testing.T, is *is.I) {
			var d diary
			var hooks server.Hooks
			leave := make(chan struct{})
			defer close(leave)
			srv, log := quiet(tt.drain)
			hooks.OnStart("main.go:14: OnStart", func(ctx context.Context) error { return tt.run(ctx, leave) })
			hooks.OnStart("later", d.does("later", nil))
			var left time.Duration
			hooks.OnStop("stop", func(ctx context.Context) error {
				srv.Log.Info("closing")
				by, _ := ctx.Deadline()
				left = time.Until(by)
				return d.does("stop", nil)(ctx)
			})
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				done <- server.Around(ctx, srv, []*server.Hooks{&hooks}, func() error {
					proceed, err := hooks.Start(ctx, srv)
					is.True(!proceed)
					return err
				})
			}()
			synctest.Wait()
			is.Equal(log.String(), "")
			begin := time.Now()
			stop()
			synctest.Wait()
			is.True(strings.Contains(log.String(), `msg=stopping waits="main.go:14: OnStart"`))
			err := <-done
			is.Equal(time.Since(begin), tt.takes)
			is.Equal(left, max(tt.drain-tt.takes, 5*time.Second))
			is.Equal(err == nil, tt.want == "")
			is.True(err == nil || err.Error() == tt.want)
			is.Equal(d, diary{"stop"})
			var said []string
			for line := range strings.Lines(log.String()) {
				_, msg, _ := strings.Cut(line, "msg=")
				said = append(said, strings.Trim(strings.Fields(msg)[0], `"`))
			}
			is.Equal(strings.Join(said, " "), tt.said)
			is.Equal(strings.Count(log.String(), "left behind"), strings.Count(tt.want, "left behind"))
		})
	}
}

// TestStartOfSeveralServers: a server that waits for functions which another one calls stops
// by itself, and cannot serve if the other has stopped meanwhile.
func TestStartOfSeveralServers(t *testing.T) {
	inBubble(t, "", func(t *testing.T, is *is.I) {
		var d diary
		var hooks server.Hooks
		leave := make(chan struct{})
		hooks.OnStart("a", func(context.Context) error { <-leave; return nil })
		hooks.OnStart("b", d.does("b", nil))
		type result struct {
			proceed bool
			err     error
		}
		start := func() (stop context.CancelFunc, done chan result) {
			srv, _ := quiet(30 * time.Second)
			ctx, stop := context.WithCancel(t.Context())
			done = make(chan result, 1)
			go func() {
				proceed, err := hooks.Start(ctx, srv)
				done <- result{proceed, err}
			}()
			synctest.Wait()
			return stop, done
		}
		stop1, first := start()
		stop2, second := start()
		_, third := start()
		stop2()
		is.Equal(<-second, result{})
		stop1()
		synctest.Wait()
		close(leave)
		is.Equal(<-first, result{})
		is.Equal((<-third).err.Error(), "flow: the server that calls the functions of OnStart was stopped before it has called all of them")
		is.Equal(len(d), 0)
	})
}

// TestStopsAdded adds functions while others run, and when all of them have run.
func TestStopsAdded(t *testing.T) {
	is := is.New(t)
	var d diary
	var stops server.Hooks
	stops.OnStop("a", d.does("a", nil))
	stops.OnStop("b", func(context.Context) error {
		stops.OnStop("c", d.does("c", nil))
		stops.OnStop("d", d.does("d", nil))
		return nil
	})
	srv, log := quiet(0)
	is.NoErr(stops.After(t.Context(), srv, d.serving(nil)))
	is.Equal(d, diary{"serve", "d", "c", "a"})
	stops.OnStop("late", d.does("late", io.ErrShortWrite))
	is.Equal(d[4:], diary{"late"})
	is.True(strings.Contains(log.String(), "late: short write"))
}

// TestStopsOfSeveralServers waits for the last of them.
func TestStopsOfSeveralServers(t *testing.T) {
	is := is.New(t)
	var d diary
	var stops server.Hooks
	stops.OnStop("stop", d.does("stop", io.ErrShortWrite))
	srv, _ := quiet(0)
	err := stops.After(t.Context(), srv, func() error {
		is.NoErr(stops.After(t.Context(), srv, d.serving(nil)))
		is.Equal(stops.After(t.Context(), srv, d.serving(io.EOF)).Error(), "EOF") // which cannot serve
		return d.serving(nil)()
	})
	is.True(errors.Is(err, io.ErrShortWrite))
	is.Equal(d, diary{"serve", "serve", "serve", "stop"})
}

// TestStopsAtOnce has many goroutines add functions while the application stops. Each of
// them runs, once.
func TestStopsAtOnce(t *testing.T) {
	is := is.New(t)
	const n = 100
	ran := make(chan int, 2*n)
	var stops, inside server.Hooks
	inside.MoveTo(&stops)
	added := make(chan struct{}, n)
	for i := range n {
		go func() {
			stops.OnStop("outside", func(context.Context) error { ran <- 2 * i; return nil })
			inside.OnStop("inside", func(context.Context) error { ran <- 2*i + 1; return nil })
			added <- struct{}{}
		}()
	}
	srv, _ := quiet(0)
	is.NoErr(stops.After(t.Context(), srv, func() error { <-added; return nil }))
	for range n - 1 {
		<-added
	}
	close(ran)
	var all []int
	for i := range ran {
		all = append(all, i)
	}
	slices.Sort(all)
	is.Equal(len(all), 2*n)
	is.Equal(len(slices.Compact(all)), 2*n)
}

// TestStopsInside has applications inside of others, which are put together late.
func TestStopsInside(t *testing.T) {
	is := is.New(t)
	var d diary
	var outer, middle, inner server.Hooks
	add := func(s *server.Hooks, what string) { s.OnStop(what, d.does(what, nil)) }
	add(&inner, "1 inner")
	add(&outer, "2 outer")
	add(&middle, "3 middle")
	add(&inner, "4 inner")
	inner.MoveTo(&middle)
	add(&inner, "5 inner")
	middle.MoveTo(&outer)
	add(&outer, "6 outer")
	add(&inner, "7 inner")
	srv, _ := quiet(0)
	is.NoErr(middle.After(t.Context(), srv, d.serving(nil))) // whichever of them is served
	is.Equal(d, diary{"serve", "7 inner", "6 outer", "5 inner", "4 inner", "3 middle", "2 outer", "1 inner"})
}

// TestStopsTime: functions have the time that requests have left, and a moment in any
// case.
func TestStopsTime(t *testing.T) {
	for _, tt := range []struct {
		name          string
		drain, slow   time.Duration // of the last request
		stops         bool          // the server stops, and does not fail
		first, second time.Duration // until the contexts end, of functions that wait for it
	}{
		{"quick requests", 30 * time.Second, 0, true, 30 * time.Second, 5 * time.Second},
		{"a slow one", 30 * time.Second, 20 * time.Second, true, 10 * time.Second, 5 * time.Second},
		{"one that takes all the time", 30 * time.Second, 40 * time.Second, true, 5 * time.Second, 5 * time.Second},
		{"no time", 0, 0, true, 5 * time.Second, 5 * time.Second},
		{"it cannot serve", 30 * time.Second, 0, false, 30 * time.Second, 5 * time.Second},
	} {
		inBubble(t, tt.name, func(t *testing.T, is *is.I) {
			var stops server.Hooks
			var waited []time.Duration
			for range 2 {
				stops.OnStop("waits", func(ctx context.Context) error {
					begin := time.Now()
					<-ctx.Done()
					// net/http looks twice a second whether requests have ended: up to a second less.
					waited = append(waited, (time.Since(begin) + 999*time.Millisecond).Truncate(time.Second))
					return nil
				})
			}
			line := servertest.NewLine()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			entered := make(chan struct{})
			srv, log := quiet(tt.drain)
			srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "close")
				w.(http.Flusher).Flush()
				close(entered)
				time.Sleep(tt.slow)
			})
			done := make(chan error, 1)
			go func() {
				done <- stops.After(ctx, srv, func() error {
					if tt.stops {
						return srv.Serve(ctx, line)
					}
					return io.ErrShortWrite
				})
			}()
			if tt.stops {
				conn, err := line.Dial()
				is.NoErr(err)
				client := servertest.NewClient(t, conn)
				client.Send(servertest.GetX)
				<-entered
				stop()
				is.NoErr(<-done)
				client.Close()
			} else {
				is.Equal((<-done).Error(), "short write")
			}
			is.Equal(waited, []time.Duration{tt.first, tt.second})
			is.True(tt.slow <= tt.drain || strings.Contains(log.String(), "cuts off"))
			time.Sleep(tt.slow) // until a handler that was cut off has ended
		})
	}
}

// TestStopsLeaveBehind has a function that does not look at its context. The others run
// all the same.
func TestStopsLeaveBehind(t *testing.T) {
	inBubble(t, "", func(t *testing.T, is *is.I) {
		var d diary
		var stops server.Hooks
		leave := make(chan struct{})
		stops.OnStop("store", d.does("store", nil))
		stops.OnStop("deaf", func(context.Context) error { <-leave; return nil })
		srv, log := quiet(7 * time.Second)
		begin := time.Now()
		err := stops.After(t.Context(), srv, d.serving(nil))
		is.True(err != nil)
		is.Equal(err.Error(), "deaf: it has not returned when its context ended, and is left behind")
		is.Equal(time.Since(begin), 7500*time.Millisecond)
		is.Equal(d, diary{"serve", "store"})
		is.True(strings.Contains(log.String(), "left behind"))
		close(leave)
	})
}

// TestStopsContext: it has the values of that of the server, and does not end with it.
func TestStopsContext(t *testing.T) {
	is := is.New(t)
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "hello"))
	cancel()
	var stops server.Hooks
	stops.OnStop("", func(ctx context.Context) error { return fmt.Errorf("%v %v", ctx.Value(key{}), ctx.Err()) })
	srv, _ := quiet(0)
	is.Equal(stops.After(ctx, srv, func() error { return nil }).Error(), ": hello <nil>")
}

// TestListenerFailsLate has a listener fail while a request runs. It is answered, by a
// server that still stops when it should.
func TestListenerFailsLate(t *testing.T) {
	inBubble(t, "", func(t *testing.T, is *is.I) {
		slow := newGate()
		a, b := servertest.NewLine(), servertest.NewLine()
		srv, log := quiet(time.Minute)
		srv.Handler = slow
		done := make(chan error, 1)
		go func() { done <- srv.Serve(t.Context(), a, b) }()
		conn, err := b.Dial()
		is.NoErr(err)
		client := servertest.NewClient(t, conn)
		client.Send(servertest.GetX)
		<-slow.entered
		a.Close()
		synctest.Wait()
		is.Equal(len(done), 0) // it waits
		close(slow.leave)
		is.Equal(client.Answer(), "200 done close")
		is.True(<-done != nil)
		is.True(strings.Contains(log.String(), "a listener failed"))
		client.Close()
	})
}

// TestStopsAfterTheLastRequest waits for each kind of handler.
func TestStopsAfterTheLastRequest(t *testing.T) {
	for name, begin := range map[string]func(w http.ResponseWriter) io.Closer{
		"a request": func(w http.ResponseWriter) io.Closer { return io.NopCloser(nil) },
		"an event stream": func(w http.ResponseWriter) io.Closer {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			return io.NopCloser(nil)
		},
		"a hijacked connection": func(w http.ResponseWriter) io.Closer {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			return conn
		},
	} {
		inBubble(t, name, func(t *testing.T, is *is.I) {
			var d diary
			var stops server.Hooks
			stops.OnStop("stop", d.does("stop", nil))
			line := servertest.NewLine()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			srv, log := quiet(time.Minute)
			entered := make(chan struct{})
			srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer begin(w).Close()
				close(entered)
				time.Sleep(20 * time.Second)
				d = append(d, "the handler ends")
			})
			done := make(chan error, 1)
			go func() { done <- stops.After(ctx, srv, func() error { return srv.Serve(ctx, line) }) }()
			conn, err := line.Dial()
			is.NoErr(err)
			client := servertest.NewClient(t, conn)
			client.Send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			<-entered
			stop()
			is.NoErr(<-done)
			is.Equal(d, diary{"the handler ends", "stop"})
			is.True(!strings.Contains(log.String(), "cuts off"))
			client.Close()
		})
	}
}
