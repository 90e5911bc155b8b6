// Package server serves an http.Handler at a pace, and stops gracefully.
//
// Connections come from the listeners of an address, or from those that a service
// manager passes (listen.go). The system holds little of what is sent on them (unsent.go),
// so that the server feels how slow a client is. An http.Server reads the requests. The handler does not
// get its ResponseWriter and its body, but those of this package (pace.go, body.go),
// which set the deadlines of the connection anew for the pieces that are written or
// read: so what is limited is how long a client makes no progress (limits.go). When the
// context of Serve ends, the listeners accept what waits for them and no more, streams
// of events and hijacked connections are told by the contexts of their requests
// (context.go), and then the Server waits until no connection is open and no handler runs
// (gauge.go), while there is time. What the application has to do after its last request
// is run by Stops (stop.go).
//
// A request that is small and quick costs little more than http.Server with time limits:
// what only some need is made when it is needed, and a deadline that is far enough away
// is not set anew.
package server

import (
	"context"
	"crypto/tls"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A Server is an http.Server that sets its clients a pace and stops gracefully. Its
// exported fields are set before it serves, which it does once.
type Server struct {
	Handler http.Handler
	Log     *slog.Logger
	TLS     *tls.Config   // nil for plain HTTP
	Drain   time.Duration // how long requests may take to end when it stops

	// SocketMode says who may connect to the path that ListenAndServe is given.
	SocketMode fs.FileMode
	// Opened, unless it is nil, is called when the listeners are open, with the URL of the
	// first one. Who is told so tells people, and what the Server would log of an ordinary
	// start and stop has the level Debug.
	Opened func(url string)
	// Closed, unless it is nil, is called when the Server stops and accepts no more
	// connections, before it waits for those that are open.
	Closed func()

	inherited bool // a service manager passed the listeners: connections that wait are for the next process

	http        *http.Server
	draining    atomic.Bool
	probed      atomic.Bool // a health check has called Draining
	requests    *gauge      // handlers that run
	connections *gauge      // that are open, but not hijacked
	fresh       freshConns
	drained     time.Time // when the time to drain ends; zero if it has not begun

	mu      sync.Mutex
	watched map[*pacer]bool // event streams and hijacked connections
}

type serverKey struct{} // of the *Server, in the contexts of its requests

// Draining reports whether the Server that answers the request of ctx is about to
// stop. A call means that there is a health check: when the Server stops, it then goes on
// to accept connections for a moment, so that load balancers see it fail. Draining
// is false for the requests of other servers.
func Draining(ctx context.Context) bool {
	s, ok := ctx.Value(serverKey{}).(*Server)
	if !ok {
		return false
	}
	if !s.probed.Load() {
		s.probed.Store(true)
	}
	return s.draining.Load()
}

// ListenAndServe is Serve for the listeners of an address: "host:port", or
// "unix:/path/of/the.sock", the path of a socket. Sockets that a service manager passes
// (LISTEN_FDS, sd_listen_fds(3)) are served in its place, by the first call in a
// program.
func (s *Server) ListenAndServe(ctx context.Context, addr string) error {
	listeners, inherited, err := listen(addr, s.SocketMode)
	if err != nil {
		return err
	}
	s.inherited = inherited
	return s.Serve(ctx, listeners...)
}

// Serve answers the requests of listeners until ctx ends, or until a listener fails, whose
// error it returns. Either way it first lets those finish that are under way. It closes
// the listeners.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	base, cancelAll := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelAll()
	s.prepare(context.WithValue(base, serverKey{}, s))

	failed := make(chan error, len(listeners))
	var lines []*stopLine
	level := slog.LevelInfo
	if s.Opened != nil {
		level = slog.LevelDebug
		s.Opened(urlOf(listeners[0].Addr(), s.TLS != nil))
	}
	for _, l := range listeners {
		line := &stopLine{Listener: l}
		lines = append(lines, line)
		s.Log.Log(ctx, level, "serving", "url", urlOf(l.Addr(), s.TLS != nil))
		go func() { failed <- s.accept(line) }()
	}
	var failure error
	accepting := len(lines)
	select {
	case failure = <-failed:
		accepting--
		s.Log.Error("a listener failed", "error", failure.Error())
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.Log.Log(ctx, level, "stopping", "requests", s.requests.n.Load())
	s.tellWatched()
	if s.probed.Load() && !s.inherited {
		time.Sleep(min(noticeTime, s.Drain))
	}
	for _, line := range lines {
		if s.inherited {
			line.Close()
		} else {
			line.stop()
		}
	}
	for range accepting {
		<-failed
	}
	if s.Closed != nil {
		s.Closed()
	}
	s.finish(cancelAll)
	s.Log.Log(ctx, level, "stopped")
	return failure
}

// drainedBy returns when the time to drain ends, which begins now if the Server has not
// drained.
func (s *Server) drainedBy() time.Time {
	if s.drained.IsZero() {
		return time.Now().Add(s.Drain)
	}
	return s.drained
}

// prepare makes the http.Server, whose requests get contexts of base.
func (s *Server) prepare(base context.Context) {
	s.requests, s.connections = newGauge(), newGauge()
	s.watched = map[*pacer]bool{}
	writeTimeout := writeTime + slack // see pace
	if s.TLS != nil {
		writeTimeout = never // so that streams of HTTP/2 begin with a timer, which ends none
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.answer),
		TLSConfig:         s.TLS,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerSize,
		WriteTimeout:      writeTimeout,
		// ReadTimeout is for bodies that no handler sees: those of "OPTIONS *", and of
		// what is answered 417. It limits streams of HTTP/2 too: see pace.
		ReadTimeout: readTime,
		// This is for clients of HTTP/2 that do not read from their connection at all.
		HTTP2:       &http.HTTP2Config{WriteByteTimeout: writeMost},
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return base },
		ConnState:   s.follow,
	}
}

func (s *Server) accept(l net.Listener) error {
	if s.TLS != nil {
		return s.http.ServeTLS(l, "", "")
	}
	return s.http.Serve(l)
}

// follow is the ConnState of the http.Server.
func (s *Server) follow(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connections.add(1)
		s.fresh.add(conn)
	case http.StateActive:
		s.fresh.remove(conn)
	case http.StateClosed, http.StateHijacked:
		s.fresh.remove(conn)
		s.connections.add(-1)
	}
}

// answer answers a request at the pace of the server.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	s.requests.add(1)
	defer s.requests.add(-1)
	p, pw, pr := s.pace(w, r)
	defer func() {
		p.finish()
		r.MultipartForm = pr.MultipartForm // whose files net/http removes
	}()
	s.Handler.ServeHTTP(pw, pr)
}

// watch has a request told when the server stops, or at once if it stops already.
func (s *Server) watch(p *pacer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched[p], p.watched = true, true
	if s.draining.Load() {
		p.ctx.cancel()
	}
}

func (s *Server) forget(p *pacer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, p)
}

func (s *Server) tellWatched() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.watched {
		p.ctx.cancel()
	}
}

// finish waits for the requests that are under way, while there is time.
func (s *Server) finish(cancelAll context.CancelFunc) {
	s.drained = time.Now().Add(s.Drain)
	grace, cancel := context.WithDeadline(context.Background(), s.drained)
	defer cancel()
	lame, cancel := context.WithTimeout(grace, lameTime)
	defer cancel()
	s.connections.wait(lame)
	// Shutdown would wait for the connections that have sent nothing yet, though it would
	// not answer what they send.
	s.fresh.close()
	if s.http.Shutdown(grace) == nil && s.requests.wait(grace) {
		return
	}
	s.Log.Warn("stopping cuts off requests that take too long", "requests", s.requests.n.Load(), "drain", s.Drain)
	cancelAll()
	parting, cancel := context.WithTimeout(context.Background(), partingTime)
	defer cancel()
	if s.http.Shutdown(parting) == nil && s.requests.wait(parting) {
		return
	}
	s.http.Close()
	s.closeHijacked()
}

// closeHijacked closes hijacked connections whose handlers have not ended in spite of
// everything.
func (s *Server) closeHijacked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.watched {
		if p.hijacked != nil {
			p.hijacked.Close()
		}
	}
}
