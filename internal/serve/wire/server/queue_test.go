package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

// A systemListener is one of package net.
type systemListener interface {
	net.Listener
	syscall.Conn
	SetDeadline(time.Time) error
	File() (*os.File, error)
}

// A heldLine is a listener of a machine so busy that Accept does not come to begin until
// it is let go. It says when it is told to stop, or closed.
type heldLine struct {
	systemListener
	told, goOn chan struct{}
	tell       func()
}

func held(l systemListener) heldLine {
	told := make(chan struct{})
	return heldLine{l, told, make(chan struct{}), sync.OnceFunc(func() { close(told) })}
}

func (l heldLine) Accept() (net.Conn, error) {
	<-l.goOn
	return l.systemListener.Accept()
}

func (l heldLine) SetDeadline(t time.Time) error {
	defer l.tell()
	return l.systemListener.SetDeadline(t)
}

func (l heldLine) Close() error {
	defer l.tell()
	return l.systemListener.Close()
}

func listening(t *testing.T, network string) systemListener {
	t.Helper()
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = servertest.SocketFile(t)
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	return l.(systemListener)
}

// queued waits until a number of clients are in the queue of a listener. A connection
// of TCP may be on its way there when its client has it.
func queued(t *testing.T, addr net.Addr, n int) {
	t.Helper()
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return
	}
	line := fmt.Sprintf(": 0100007F:%04X 00000000:0000 0A 00000000:%08X ", tcp.Port, n) // proc_net_tcp(5)
	servertest.Until(t, "the clients wait in the queue", func() bool {
		text, err := os.ReadFile("/proc/net/tcp")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), line)
	})
}

// TestStopEmptiesTheQueue: who is connected when the server begins to stop is answered,
// however late it is when the listener accepts again.
func TestStopEmptiesTheQueue(t *testing.T) {
	const clients = 40
	for _, network := range []string{"unix", "tcp"} {
		t.Run(network, func(t *testing.T) {
			if network == "tcp" && runtime.GOOS != "linux" {
				t.Skip("nothing tells how many connections wait")
			}
			is := is.New(t)
			l := held(listening(t, network))
			s := servertest.Serve(t, l, servertest.Dialer(l.Addr()), http.NotFoundHandler(), nil)
			var waiting []*servertest.Client
			for range clients {
				client := s.Dial()
				client.Send(servertest.GetX)
				waiting = append(waiting, client)
			}
			queued(t, l.Addr(), clients)
			s.Stop()
			servertest.Within(t, "the listener is told", l.told)
			time.Sleep(20 * time.Millisecond) // any time at all
			close(l.goOn)
			for _, client := range waiting {
				is.Equal(client.Answer(), "404 404 page not found close")
				client.Close()
			}
			is.NoErr(servertest.Within(t, "it stops", s.Done))
			is.True(!strings.Contains(s.Log.String(), "WARN"))
		})
	}
}

// TestStopLeavesTheQueueOfOthers: what waits for a socket that was inherited is for the
// next process.
func TestStopLeavesTheQueueOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sockets are not inherited")
	}
	is := is.New(t)
	l := held(listening(t, "unix"))
	file, err := l.File()
	is.NoErr(err)
	next, err := net.FileListener(file)
	is.NoErr(err)
	defer next.Close()
	file.Close()
	s := servertest.Serve(t, l, servertest.Dialer(l.Addr()), http.NotFoundHandler(), (*server.Server).Inherit)
	client := s.Dial()
	client.Send(servertest.GetX)
	s.Stop()
	servertest.Within(t, "the listener is told", l.told)
	close(l.goOn)
	is.NoErr(servertest.Within(t, "it stops", s.Done))
	next.(systemListener).SetDeadline(time.Now().Add(servertest.Patience)) // or it would wait for ever
	conn, err := next.Accept()
	is.NoErr(err)
	defer conn.Close()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	is.NoErr(err)
	is.Equal(req.URL.Path, "/x")
}

// TestNothingComesPastAForeignListener: a client in the queue of a listener that speaks TLS,
// or lets few in, is not answered without either when the server stops.
func TestNothingComesPastAForeignListener(t *testing.T) {
	is := is.New(t)
	l := held(listening(t, "unix"))
	s := servertest.Serve(t, l, servertest.Dialer(l.Addr()), http.NotFoundHandler(), func(s *server.Server) { s.Foreign = true })
	client := s.Dial()
	client.Send(servertest.GetX)
	s.Stop()
	servertest.Within(t, "the listener is closed", l.told)
	close(l.goOn)
	is.NoErr(servertest.Within(t, "it stops", s.Done))
	_, err := client.Read(make([]byte, 1))
	is.True(err != nil)
}
