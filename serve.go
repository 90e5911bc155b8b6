package flow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"example.com/flow/internal/forms"
	"example.com/flow/internal/server"
)

// Serve answers requests at an address with h until ctx ends, and then lets those
// that are under way finish for 30 seconds. It returns nil after that, and otherwise
// why it cannot serve. If h is a *Router, its faults are such an error. Main does the
// same as a command, with flags.
//
// The address is "host:port", or "unix:/path/of/the.sock", the path of a socket.
// Sockets that a service manager passes (LISTEN_FDS, sd_listen_fds(3)) are served in
// its place, by the first Serve of the program. Serve speaks HTTP/1.1 without TLS;
// Main has flags for a certificate.
//
// Clients have 10 seconds for a header, of 64 KiB at most, and may leave a connection
// unused for 2 minutes. A body or an answer may take as long as it likes while it
// makes progress: a client may keep the reading of a body waiting for a minute in
// all, each 500 bytes earn back a second of that, and it must take each 64 KiB of an
// answer within a minute. A handler that sets deadlines with http.ResponseController
// has those in place of these.
//
// The context of a request has the values of ctx, but does not end with it. When ctx
// ends, Serve accepts no more connections, answers tell the client to close its
// connection, and connections without a request are given a second for one more. The
// contexts of event streams (text/event-stream) and of hijacked connections are
// cancelled at once, those of other requests after the 30 seconds. Hijacked connections
// are waited for as long as their handlers run.
//
// An application that has asked Draining has a health check. It then goes on to accept
// connections for a second, so that load balancers see it fail, unless the sockets are
// those of a service manager, which keeps them open.
//
// Serve logs with the Logger of a Router, else with slog.Default.
func Serve(ctx context.Context, addr string, h http.Handler) error {
	if forms.IsNil(h) {
		return errors.New("flow: Serve: the handler is nil")
	}
	log := slog.Default()
	if r, ok := h.(*Router); ok {
		if err := r.Check(); err != nil {
			return err
		}
		r.begin() // says now what it would with the first request
		log = r.logger()
	}
	s := &server.Server{Handler: h, Log: log, Drain: server.DefaultDrain}
	if err := s.ListenAndServe(ctx, addr); err != nil {
		return fmt.Errorf("flow: Serve: %w", err)
	}
	return nil
}

// Draining reports whether the server that answers the request of ctx is about to
// stop: Serve or Main. A health check then fails, so that a load balancer sends its
// requests elsewhere. It is false for the requests of other servers.
func Draining(ctx context.Context) bool { return server.Draining(ctx) }
