// Package server runs an http.Handler in an http.Server. It adds time limits that measure the
// progress of a client, and a graceful stop.
//
// The listeners are opened for an address, or were passed by a service manager (listen.go). A
// certificate in files is read again when it was renewed (certificate.go). A handler gets a
// ResponseWriter and a request body of this package (pace.go, body.go). They move the
// deadlines of the connection for each piece that is written or read, so that a client is cut
// off if it makes no progress for a time (limits.go), however large the transfer is. For this
// the kernel must not buffer much of a response (unsent.go).
//
// When the context of Serve ends, the listeners accept the connections that are queued and
// then close (queue.go). The Server cancels the contexts of event streams and of hijacked
// connections (context.go). Then it waits until no connection is open and no handler runs
// (gauge.go), for a limited time. Hooks runs the functions with which the application begins
// its jobs before the first request, and closes its stores after the last one (hooks.go).
//
// A small, quick request costs little more than with an http.Server that has time limits: a
// deadline is not set again if the last one is close enough, and a context gets its cancel
// function when it is asked for.
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

// A Server is an http.Server with limits by progress and a graceful stop. Its exported fields
// are set before Serve, which is called once.
type Server struct {
	Handler http.Handler
	Log     *slog.Logger
	TLS     *tls.Config   // nil for plain HTTP
	Drain   time.Duration // how long requests may take to end when the Server stops

	// Foreign says that the application has made the listeners of Serve. Their connections may
	// speak TLS, and HTTP/2, though the field TLS is nil.
	Foreign bool

	// SocketMode is the file mode of the Unix socket that ListenAndServe makes.
	SocketMode fs.FileMode
	// Opened, unless it is nil, is called with the URL of the first listener when all are
	// open. It is meant to print the URL, so the Server then logs an ordinary start and stop
	// at level Debug, in place of Info.
	Opened func(url string)
	// Closed, unless it is nil, is called while the Server stops: after the listeners are
	// closed, and before the Server waits for open connections.
	Closed func()

	inherited bool // a service manager passed the listeners: queued connections are for the next process

	http        *http.Server
	onlyHTTP1   bool // no connection speaks HTTP/2
	draining    atomic.Bool
	probed      atomic.Bool // Draining was called, so there is a health check
	requests    *gauge      // running handlers
	connections *gauge      // open connections that are not hijacked
	newConns    newConns
	// drained and isStopping need no lock: only the goroutine that calls Around, and in it Serve,
	// reads and writes them.
	drained    time.Time // when the time to drain ends; zero if it has not begun
	isStopping bool      // stopping was called

	mu      sync.Mutex      // held by requests that are watched, and when the Server stops
	watched map[*pacer]bool // event streams and hijacked connections
}

type (
	serverKey struct{} // the key of the *Server in the contexts of its requests
	urlKey    struct{} // the key of what URL returns
)

// Draining reports whether the Server that answers the request of ctx is stopping. Health
// checks call it. A Server for which it was called accepts connections for a moment longer
// when it stops, so that load balancers see the health check fail. Draining returns false for
// requests of other servers.
func Draining(ctx context.Context) bool {
	s, ok := ctx.Value(serverKey{}).(*Server)
	if !ok {
		return false
	}
	if !s.probed.Load() { // a Store for each request would slow down the others, which read the same memory
		s.probed.Store(true)
	}
	return s.draining.Load()
}

// WithURL returns a context for a Server that is to listen at an address, with TLS or without.
// URL returns where a browser on this machine finds it, also for contexts of its requests.
func WithURL(ctx context.Context, addr string, secure bool) context.Context {
	return context.WithValue(ctx, urlKey{}, urlAt(addr, secure))
}

// URL returns the URL of WithURL, or "" for other contexts, and for an address that does not
// tell it.
func URL(ctx context.Context) string {
	url, _ := ctx.Value(urlKey{}).(string)
	return url
}

// ListenAndServe is Serve for an address: "host:port", or "unix:/path/of/the.sock" for a
// socket in the file system. If a service manager has passed sockets (LISTEN_FDS,
// sd_listen_fds(3)), the first call in a program serves these, and ignores addr.
func (s *Server) ListenAndServe(ctx context.Context, addr string) error {
	listeners, inherited, err := listen(addr, s.SocketMode)
	if err != nil {
		return err
	}
	s.inherited = inherited
	return s.Serve(ctx, listeners...)
}

// Serve answers the requests of listeners until ctx ends or a listener fails. In both cases
// it waits for running requests, for the time of Drain, and closes the listeners. It returns
// the error of the listener that has failed.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	base, cancelAll := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelAll()
	s.prepare(context.WithValue(base, serverKey{}, s))

	failed := make(chan error, len(listeners))
	var lines []*drainingListener
	if s.Opened != nil {
		s.Opened(urlOf(listeners[0].Addr(), s.TLS != nil))
	}
	for _, l := range listeners {
		line := &drainingListener{Listener: l, opaque: s.Foreign && !isSocket(l)}
		lines = append(lines, line)
		s.logServing(ctx, l.Addr())
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
	s.draining.Store(true) // before cancelWatched: what watch adds from now on, it cancels itself
	s.stopping(ctx, "requests", s.requests.n.Load())
	s.cancelWatched()
	if s.probed.Load() && !s.inherited {
		time.Sleep(min(drainNotice, s.Drain))
	}
	for _, line := range lines {
		if s.inherited {
			line.Close()
		} else {
			line.stop()
		}
	}
	for range accepting { // a connection that is still accepted has to be counted before finish waits for all
		<-failed
	}
	if s.Closed != nil {
		s.Closed()
	}
	s.finish(cancelAll)
	return failure
}

// logServing logs that the Server serves at an address. Of a foreign listener it does not know
// whether its URL begins with https.
func (s *Server) logServing(ctx context.Context, addr net.Addr) {
	key, value := "url", urlOf(addr, s.TLS != nil)
	if s.Foreign {
		key, value = "address", addr.String()
	}
	s.Log.Log(ctx, s.level(), "serving", key, value)
}

// level is the level of records about an ordinary start and stop.
func (s *Server) level() slog.Level {
	if s.Opened != nil {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// stopping logs that the Server stops, or that the application does before it has started. It
// logs once.
func (s *Server) stopping(ctx context.Context, args ...any) {
	if s.isStopping {
		return
	}
	s.isStopping = true
	s.Log.Log(ctx, s.level(), "stopping", args...)
}

// stopped logs that all is over, unless the Server could not serve.
func (s *Server) stopped(ctx context.Context) {
	if s.isStopping {
		s.Log.Log(ctx, s.level(), "stopped")
	}
}

// drainedBy returns when the time to drain ends. For a Server that has not begun to drain, it
// is counted from now.
func (s *Server) drainedBy() time.Time {
	if s.drained.IsZero() {
		return time.Now().Add(s.Drain)
	}
	return s.drained
}

// prepare makes the http.Server. The contexts of its requests are children of base.
func (s *Server) prepare(base context.Context) {
	s.requests, s.connections = newGauge(), newGauge()
	s.watched = map[*pacer]bool{}
	s.onlyHTTP1 = s.TLS == nil && !s.Foreign // net/http serves HTTP/2 only with TLS
	writeTimeout := writeTime + slack        // see pace
	if !s.onlyHTTP1 {
		writeTimeout = never // a stream of HTTP/2 needs a timer from the beginning: see never
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.answer),
		TLSConfig:         s.TLS,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerSize,
		WriteTimeout:      writeTimeout,
		// ReadTimeout limits bodies of requests that net/http answers by itself: "OPTIONS *",
		// and those with a 417. pace lifts it for streams of HTTP/2.
		ReadTimeout: readTime,
		// WriteByteTimeout limits clients of HTTP/2 that read nothing from the connection.
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

// follow is the ConnState of the http.Server. It counts connections.
func (s *Server) follow(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connections.add(1)
		s.newConns.add(conn)
	case http.StateActive:
		s.newConns.remove(conn)
	case http.StateClosed, http.StateHijacked:
		s.newConns.remove(conn)
		s.connections.add(-1)
	}
}

// answer is the Handler of the http.Server: it calls s.Handler with a pacer.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	s.requests.add(1)
	defer s.requests.add(-1)
	p, pw, pr := s.pace(w, r)
	defer func() {
		p.finish()
		r.MultipartForm = pr.MultipartForm // net/http removes the files of its own request only
	}()
	s.Handler.ServeHTTP(pw, pr)
}

// watch has the context of a request cancelled when the Server stops, or now if it is
// stopping already.
func (s *Server) watch(p *pacer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched[p], p.watched = true, true
	if s.draining.Load() {
		p.ctx.cancel()
	}
}

func (s *Server) unwatch(p *pacer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, p)
}

func (s *Server) cancelWatched() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.watched {
		p.ctx.cancel()
	}
}

// finish waits for running requests for the time of Drain. Then it cancels their contexts,
// and soon closes their connections.
func (s *Server) finish(cancelAll context.CancelFunc) {
	s.drained = time.Now().Add(s.Drain)
	grace, cancel := context.WithDeadline(context.Background(), s.drained)
	defer cancel()
	lame, cancel := context.WithTimeout(grace, lameDuck)
	defer cancel()
	s.connections.wait(lame)
	// Shutdown waits five seconds for connections that have sent nothing yet, and would not
	// answer a request on them.
	s.newConns.close()
	if s.http.Shutdown(grace) == nil && s.requests.wait(grace) {
		return
	}
	s.Log.Warn("stopping cuts off requests that take too long", "requests", s.requests.n.Load(), "drain", s.Drain)
	cancelAll()
	parting, cancel := context.WithTimeout(context.Background(), cancelGrace)
	defer cancel()
	if s.http.Shutdown(parting) == nil && s.requests.wait(parting) {
		return
	}
	s.http.Close()
	s.closeHijacked()
}

// closeHijacked closes the hijacked connections whose handlers still run.
func (s *Server) closeHijacked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.watched {
		if p.hijacked != nil {
			p.hijacked.Close()
		}
	}
}
