package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A front is what clients connect to. Where the system allows it, that is a socket which
// each program gets in turn, and the tool itself answers only while there is no program:
// what clients send meanwhile, if the program is about to come, waits in the queue of the
// socket. Elsewhere the tool is a proxy, which holds requests while they wait.
type front struct {
	listener net.Listener
	socket   *os.File // for programs; nil for a proxy
	standIn  *standIn
	server   *http.Server // of the stand-in; nil while it does not serve
}

// addressInUse is the error of Windows for syscall.EADDRINUSE. Other systems have no error of that
// number.
const addressInUse = syscall.Errno(10048)

// openFront listens on an address.
func openFront(addr string, proxy bool) (*front, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, addressInUse) {
		return nil, fmt.Errorf("%s is taken: another program listens there. Stop it, or give another address, as with -addr localhost:8081", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w: -addr takes host:port, and the variable PORT a port", addr, err)
	}
	f := &front{listener: l, standIn: newStandIn(proxy)}
	if proxy {
		f.serve(l)
		return f, nil
	}
	if f.socket, err = socketFile(l.(*net.TCPListener)); err != nil {
		l.Close()
		return nil, err
	}
	return f, nil
}

// url is where a browser on this machine finds the front. of is the URL that a program has
// told, or "", and says whether it speaks TLS.
func (f *front) url(of string) string {
	addr := f.listener.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() || addr.IP.IsLoopback() {
		host = "localhost"
	}
	scheme := "http://"
	if f.socket != nil && strings.HasPrefix(of, "https:") {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}

// args returns what a program has to be given as its address.
func (f *front) args() []string {
	if f.socket == nil {
		return []string{"-addr", "127.0.0.1:0"}
	}
	return nil
}

// port is the port where browsers find the front, which the program cannot know: its flags do not
// have it, and behind a proxy it listens at another one.
func (f *front) port() int { return f.listener.Addr().(*net.TCPAddr).Port }

// serve has the stand-in answer.
func (f *front) serve(l net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	f.server = &http.Server{
		Handler:           f.standIn,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	f.server.RegisterOnShutdown(cancel) // event streams
	go f.server.Serve(l)                // which fails when it is shut down
}

// fail has clients see what is wrong, until a program answers.
func (f *front) fail(r report) error {
	f.standIn.change(state{report: r.handler()})
	if f.server != nil {
		return nil
	}
	l, err := net.FileListener(f.socket)
	if err != nil {
		return err
	}
	f.serve(l)
	return nil
}

// hold has requests wait for the next program. Those that connect to a socket wait there.
func (f *front) hold() {
	if f.socket == nil {
		f.standIn.change(state{})
	}
}

// pass has a program answer at a URL, which is for a proxy alone.
func (f *front) pass(url string) error {
	if err := f.standIn.pass(url); err != nil {
		return err
	}
	if f.socket != nil {
		f.stop()
	}
	return nil
}

// stop ends the stand-in. Who is connected with it is sent to the program.
func (f *front) stop() {
	if f.server == nil {
		return
	}
	server := f.server
	f.server = nil
	shutDown := func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	}
	if f.socket == nil { // nobody else answers, so that this is the end
		shutDown()
		return
	}
	go shutDown()
}

func (f *front) close() {
	f.standIn.change(state{report: http.NotFoundHandler()}) // for requests that wait
	f.stop()
	f.listener.Close()
	if f.socket != nil {
		f.socket.Close()
	}
}

// A state is what the stand-in does with a request. It holds one while it has nothing to do
// with it.
type state struct {
	report http.Handler // shows why no program answers
	target *target      // where it sends requests as a proxy
	passed bool         // a program answers: whoever is still here has to come again
	over   context.Context
	end    context.CancelFunc // ends over, when there is another state
}

// A standIn answers in place of a program, or in front of it.
type standIn struct {
	proxy bool
	mu    sync.Mutex
	now   state
}

func newStandIn(proxy bool) *standIn {
	s := &standIn{proxy: proxy}
	s.now.over, s.now.end = context.WithCancel(context.Background())
	return s
}

// change replaces the state. Whoever waits for that goes on.
func (s *standIn) change(to state) {
	to.over, to.end = context.WithCancel(context.Background())
	s.mu.Lock()
	before := s.now
	s.now = to
	s.mu.Unlock()
	before.end()
	if before.target != nil {
		before.target.leave()
	}
}

func (s *standIn) look() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// pass has requests go to a program.
func (s *standIn) pass(url string) error {
	if !s.proxy {
		s.change(state{passed: true})
		return nil
	}
	t, err := newTarget(url)
	if err == nil {
		s.change(state{target: t})
	}
	return err
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.proxy { // the next connection is the program's, if there is one then
		w.Header().Set("Connection", "close")
	}
	for {
		now := s.look()
		switch {
		case now.passed:
			// The method and the body stay, and so does the URL, to which the client comes again.
			// With more than one slash at its beginning, it would be a URL of another host.
			w.Header().Set("Location", "/"+strings.TrimLeft(r.URL.RequestURI(), `/\`))
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		case now.report != nil:
			now.show(w, r)
			return
		case now.target != nil && now.target.answer(w, r):
			return
		}
		select { // until the next program is there
		case <-now.over.Done():
		case <-r.Context().Done():
			return
		}
	}
}

// show shows the report, for as long as that is the newest: then an event stream of the page
// ends.
func (now state) show(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(now.over, cancel)()
	now.report.ServeHTTP(w, r.WithContext(ctx))
}
