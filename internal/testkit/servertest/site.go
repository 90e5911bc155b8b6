// Package servertest has what tests of servers share: servers, clients that speak HTTP
// by hand, a network in memory for what takes time, and waiting for what happens.
package servertest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"example.com/flow/internal/serve/wire/server"
)

// A Site is a server that runs for a test.
type Site struct {
	Addr string
	Log  *Log
	Stop func()       // tells it to stop
	Done <-chan error // what Serve returned

	t    testing.TB
	dial func() (net.Conn, error)
}

// InMemory serves h on a Line.
func InMemory(t testing.TB, h http.Handler, change func(*server.Server)) *Site {
	line := NewLine()
	return Serve(t, line, line.Dial, h, change)
}

// OnLoopback serves h on a port of its own.
func OnLoopback(t testing.TB, h http.Handler, change func(*server.Server)) *Site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return Serve(t, l, Dialer(l.Addr()), h, change)
}

// Dialer returns a function that connects to an address of the system's network, for
// as long as a test may take.
func Dialer(addr net.Addr) func() (net.Conn, error) {
	return func() (net.Conn, error) {
		conn, err := net.Dial(addr.Network(), addr.String())
		if err == nil {
			conn.SetDeadline(time.Now().Add(Patience))
		}
		return conn, err
	}
}

// Serve serves h on a listener until the test ends. The function dial connects to it,
// and change makes the server another one than usual, if it is not nil.
func Serve(t testing.TB, l net.Listener, dial func() (net.Conn, error), h http.Handler, change func(*server.Server)) *Site {
	ctx, stop := context.WithCancel(context.Background())
	done, ended := make(chan error, 1), make(chan struct{})
	s := &Site{Addr: l.Addr().String(), Log: &Log{}, Stop: stop, Done: done, t: t, dial: dial}
	srv := &server.Server{Handler: h, Log: slog.New(slog.NewTextHandler(s.Log, nil)), Drain: server.DefaultDrain}
	if change != nil {
		change(srv)
	}
	go func() {
		defer close(ended)
		done <- srv.Serve(ctx, l)
	}()
	t.Cleanup(func() {
		stop()
		Within(t, "the server stops", ended)
	})
	return s
}

// Dial connects a Client until the end of the test.
func (s *Site) Dial() *Client {
	s.t.Helper()
	conn, err := s.dial()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return NewClient(s.t, conn)
}

// Refuses reports whether nobody can connect.
func (s *Site) Refuses() bool {
	conn, err := s.dial()
	if err == nil {
		conn.Close()
	}
	return err != nil
}

// Transport returns a client of the server, which trusts its certificate and, with
// TLS, speaks HTTP/2.
func (s *Site) Transport() *http.Transport {
	client := &http.Transport{
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return s.dial() },
		TLSClientConfig:   ClientTLS(),
		ForceAttemptHTTP2: true,
	}
	s.t.Cleanup(client.CloseIdleConnections)
	return client
}

// A Log holds what a server logs. It may be read while others write.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Secure is a change that gives a server TLS.
func Secure(s *server.Server) {
	s.TLS = &tls.Config{Certificates: []tls.Certificate{Certificate()}}
}

// ServerTLS returns the configuration of listeners that speak TLS by themselves.
func ServerTLS() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{Certificate()}, NextProtos: []string{"h2", "http/1.1"}}
}

// ClientTLS returns the configuration of clients that trust the Certificate.
func ClientTLS() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(Certificate().Leaf)
	return &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
}
