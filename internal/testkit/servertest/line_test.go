package servertest

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

// connected returns the ends of a connection in memory.
func connected(t *testing.T) (client, server net.Conn) {
	l := NewLine()
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- conn
	}()
	client, err := l.Dial()
	if err != nil {
		t.Fatal(err)
	}
	return client, <-accepted
}

func TestLine(t *testing.T) {
	for name, test := range map[string]func(is *is.I, a, b net.Conn){
		"holds what fits": func(is *is.I, a, b net.Conn) {
			a.SetWriteDeadline(time.Now().Add(time.Minute))
			begin := time.Now()
			n, err := a.Write(make([]byte, Narrow+1))
			is.Equal(n, Narrow)
			is.True(errors.Is(err, os.ErrDeadlineExceeded))
			is.Equal(time.Since(begin), time.Minute)
			a.SetWriteDeadline(time.Time{})
			go io.CopyN(io.Discard, b, Narrow+1)
			n, err = a.Write(make([]byte, 2))
			is.Equal(n, 2)
			is.NoErr(err)
		},
		"reads until a deadline": func(is *is.I, a, b net.Conn) {
			go a.Write([]byte("x"))
			n, err := b.Read(make([]byte, 2))
			is.Equal(n, 1)
			is.NoErr(err)
			time.AfterFunc(time.Minute, func() { b.SetReadDeadline(time.Now()) }) // as net/http wakes a Read
			_, err = b.Read(make([]byte, 2))
			is.True(errors.Is(err, os.ErrDeadlineExceeded))
			b.SetReadDeadline(time.Now().Add(time.Minute))
			b.SetReadDeadline(time.Time{})
			time.AfterFunc(time.Hour, func() { a.Write([]byte("y")) })
			_, err = b.Read(make([]byte, 2))
			is.NoErr(err)
		},
		"is closed": func(is *is.I, a, b net.Conn) {
			a.Write([]byte("last"))
			a.Close()
			got, err := io.ReadAll(b)
			is.NoErr(err)
			is.Equal(string(got), "last")
			_, err = b.Write([]byte("x"))
			is.True(errors.Is(err, syscall.EPIPE))
			_, err = a.Write([]byte("x"))
			is.True(errors.Is(err, net.ErrClosed))
			_, err = a.Read(make([]byte, 1))
			is.True(errors.Is(err, net.ErrClosed))
		},
		"is closed by half": func(is *is.I, a, b net.Conn) {
			a.(*Conn).CloseWrite()
			_, err := b.Read(make([]byte, 1))
			is.Equal(err, io.EOF)
			b.Write([]byte("answer"))
			b.Close()
			got, err := io.ReadAll(a)
			is.NoErr(err)
			is.Equal(string(got), "answer")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := connected(t)
				defer a.Close()
				defer b.Close()
				test(is.New(t), a, b)
			})
		})
	}
}

// TestDeadlinesThatAreOver are set by many at once, as net/http does to end Reads: see
// setDeadline.
func TestDeadlinesThatAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all sync.WaitGroup
		for range 8 {
			a, b := connected(t)
			all.Go(func() {
				defer a.Close()
				defer b.Close()
				for range 1000 {
					read := make(chan error)
					go func() {
						_, err := a.Read(make([]byte, 1))
						read <- err
					}()
					a.SetReadDeadline(time.Unix(1, 0))
					if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error(err)
					}
					a.SetReadDeadline(time.Time{})
				}
			})
		}
		all.Wait()
	})
}

func TestClosedLineRefuses(t *testing.T) {
	is := is.New(t)
	l := NewLine()
	l.Close()
	_, err := l.Accept()
	is.True(errors.Is(err, net.ErrClosed))
	_, err = l.Dial()
	is.True(errors.Is(err, syscall.ECONNREFUSED))
}
