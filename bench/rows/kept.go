package rows

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"example.com/flow"
	"example.com/flow/bench/measure"
	"example.com/flow/bench/wire"
)

// The names of contestants that serve a handler which does nothing but answer.
const (
	BareServeName    = "bare handler, flow.Serve"
	BareTimeoutsName = "bare handler, http.Server with four timeouts"
)

// A server serves a handler at an address, until the program ends.
type server struct {
	name    string
	handler func() http.Handler
	serve   func(addr string, h http.Handler) error
}

var servers = []server{
	{"bare handler, http.Server", bare, withoutTimeouts},
	{"flow, http.Server", app, withoutTimeouts},
	{BareTimeoutsName, bare, withTimeouts},
	{"flow, http.Server with four timeouts", app, withTimeouts},
	{BareServeName, bare, flowServe},
	{"flow, flow.Serve", app, flowServe},
}

// kept has servers in this process, each asked over one connection that is kept.
func kept() measure.Group {
	g := measure.Group{Base: BareTimeoutsName, Counted: 300}
	for _, s := range servers {
		var c *wire.Client
		g.Contestants = append(g.Contestants, measure.Contestant{Name: s.name, Cost: func(n int) (float64, error) {
			if c == nil {
				var err error
				if c, err = s.start(); err != nil {
					return 0, err
				}
			}
			begun := time.Now()
			err := c.Ask(n)
			return float64(time.Since(begun)), err
		}})
	}
	return g
}

// start starts the server, and returns a client.
func (s server) start() (*wire.Client, error) {
	addr, err := wire.FreeAddr()
	if err != nil {
		return nil, err
	}
	h, failed := s.handler(), make(chan error, 1)
	go func() { failed <- s.serve(addr, h) }()
	for begun := time.Now(); ; {
		c, err := wire.Dial(addr, "/users/7", "7", 1)
		if err == nil || time.Since(begun) > 30*time.Second {
			return c, err
		}
		select {
		case err := <-failed:
			return nil, err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func bare() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "7")
	})
}

func app() http.Handler { return flowUser(flowText, nil) }

func withoutTimeouts(addr string, h http.Handler) error { return http.ListenAndServe(addr, h) }

func withTimeouts(addr string, h http.Handler) error {
	return (&http.Server{
		Addr: addr, Handler: h,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}).ListenAndServe()
}

func flowServe(addr string, h http.Handler) error {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // which a handler that is no Router logs with
	return flow.Serve(context.Background(), addr, h)
}
