package flow

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// defaultDrain is how long requests may take to end when a server stops.
const defaultDrain = 30 * time.Second

// isDraining reports whether the server that answers the request of ctx is about to
// stop. Whoever asks is a health check.
func isDraining(ctx context.Context) bool {
	s, ok := ctx.Value(serverKey{}).(*server)
	if !ok {
		return false
	}
	if !s.probed.Load() {
		s.probed.Store(true)
	}
	return s.draining.Load()
}

type serverKey struct{} // of the *server

// A server is an http.Server that sets its clients a pace and stops gracefully.
type server struct {
	handler http.Handler
	log     *slog.Logger
	tls     *tls.Config // nil for plain HTTP
	drain   time.Duration
	limits  limits

	inherited bool // the listeners: what waits for them is for the next process

	http        *http.Server
	draining    atomic.Bool
	probed      atomic.Bool // by a health check
	requests    *gauge      // handlers that run
	connections *gauge      // that are open, but not hijacked
	fresh       sync.Map    // the net.Conns that have sent nothing yet

	mu      sync.Mutex
	watched map[*pacer]bool // event streams and hijacked connections
}

func (s *server) listenAndServe(ctx context.Context, addr string) error {
	listeners, inherited, err := listen(addr)
	if err != nil {
		return err
	}
	s.inherited = inherited
	return s.serve(ctx, listeners)
}

// serve answers requests until ctx ends or a listener fails. It closes the
// listeners.
func (s *server) serve(ctx context.Context, listeners []net.Listener) error {
	base, cancelAll := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelAll()
	s.prepare(context.WithValue(base, serverKey{}, s))

	failed := make(chan error, len(listeners))
	var lines []*stopLine
	for _, l := range listeners {
		line := &stopLine{Listener: l}
		lines = append(lines, line)
		s.log.Info("serving", "url", urlOf(l.Addr(), s.tls != nil))
		go func() { failed <- s.accept(line) }()
	}
	select {
	case err := <-failed:
		s.http.Close()
		return err
	case <-ctx.Done():
	}
	s.log.Info("stopping", "requests", s.requests.n.Load())
	s.draining.Store(true)
	s.tellWatched()
	if s.probed.Load() && !s.inherited {
		time.Sleep(min(s.limits.notice, s.drain))
	}
	for _, line := range lines {
		line.stop()
	}
	for range lines {
		<-failed
	}
	s.finish(cancelAll)
	s.log.Info("stopped")
	return nil
}

// prepare makes the http.Server, whose requests get contexts of base.
func (s *server) prepare(base context.Context) {
	s.requests, s.connections = newGauge(), newGauge()
	s.watched = map[*pacer]bool{}
	s.http = &http.Server{
		Handler:           s,
		TLSConfig:         s.tls,
		ReadHeaderTimeout: s.limits.header,
		IdleTimeout:       s.limits.idle,
		MaxHeaderBytes:    s.limits.headerBytes,
		// Never: see the constant. Without it streams of HTTP/2 begin without a timer.
		WriteTimeout: never,
		// Of bodies that no handler sees: those of "OPTIONS *", and of what is answered
		// 417. It would limit TLS handshakes too, and streams of HTTP/2: see pace.
		ReadTimeout: max(s.limits.read, s.limits.header),
		// A client of HTTP/2 that does not read from its connection at all.
		HTTP2:       &http.HTTP2Config{WriteByteTimeout: s.limits.write},
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return base },
		ConnState:   s.follow,
	}
}

func (s *server) accept(l net.Listener) error {
	if s.tls != nil {
		return s.http.ServeTLS(l, "", "")
	}
	return s.http.Serve(l)
}

// follow is the ConnState of the http.Server.
func (s *server) follow(conn net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.connections.add(1)
		s.fresh.Store(conn, nil)
		return
	}
	s.fresh.Delete(conn)
	if state == http.StateClosed || state == http.StateHijacked {
		s.connections.add(-1)
	}
}

// ServeHTTP answers a request at the pace of the server.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.add(1)
	defer s.requests.add(-1)
	p, pw, pr := s.pace(w, r)
	defer func() {
		p.finish()
		r.MultipartForm = pr.MultipartForm // whose files net/http removes
	}()
	s.handler.ServeHTTP(pw, pr)
}

// watch has a request told when the server stops, or at once if it stops already.
func (s *server) watch(p *pacer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched[p], p.watched = true, true
	if s.draining.Load() {
		p.cancel()
	}
}

func (s *server) forget(p *pacer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, p)
}

func (s *server) tellWatched() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.watched {
		p.cancel()
	}
}

// finish waits for the requests that are under way, while there is time.
func (s *server) finish(cancelAll context.CancelFunc) {
	grace, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	lame, cancel := context.WithTimeout(grace, s.limits.lame)
	defer cancel()
	s.connections.wait(lame)
	// Shutdown would wait for these, though it lets them send nothing any more.
	for conn := range s.fresh.Range {
		conn.(net.Conn).Close()
	}
	if s.http.Shutdown(grace) == nil && s.requests.wait(grace) {
		return
	}
	s.log.Warn("stopping cuts off requests that take too long", "requests", s.requests.n.Load(), "drain", s.drain)
	cancelAll()
	parting, cancel := context.WithTimeout(context.Background(), s.limits.parting)
	defer cancel()
	if s.http.Shutdown(parting) == nil && s.requests.wait(parting) {
		return
	}
	s.http.Close()
	s.closeHijacked()
}

// closeHijacked closes the connections of handlers that run all the same.
func (s *server) closeHijacked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.watched {
		if p.hijacked != nil {
			p.hijacked.Close()
		}
	}
}

// A gauge counts what there is, and tells when there is nothing any more.
type gauge struct {
	n    atomic.Int64
	zero chan struct{} // holds one notice
}

func newGauge() *gauge { return &gauge{zero: make(chan struct{}, 1)} }

func (g *gauge) add(n int64) {
	if g.n.Add(n) > 0 {
		return
	}
	select {
	case g.zero <- struct{}{}:
	default: // there is a notice already
	}
}

// wait waits until there is nothing, and reports false if ctx ends before. Only one
// goroutine may wait.
func (g *gauge) wait(ctx context.Context) bool {
	for g.n.Load() > 0 {
		select {
		case <-g.zero:
		case <-ctx.Done():
			return false
		}
	}
	return true
}
