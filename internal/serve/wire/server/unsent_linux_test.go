package server_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

// TestSystemHoldsLittle has a client that does not read. What the system holds for it is
// little, so that a slow client is not taken for one that takes nothing.
func TestSystemHoldsLittle(t *testing.T) {
	const most = 1 << 20 // without the limit, Linux holds three times as much
	for _, tt := range []struct {
		name      string
		inherited bool
		tls       bool
		foreign   bool
	}{
		{"plain", false, false, false},
		{"TLS", false, true, false},
		{"a listener of a service manager", true, false, false},
		{"a listener of TLS", false, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			l := listening(t, "tcp")
			if tt.inherited {
				file, err := l.File()
				is.NoErr(err)
				l.Close()
				inherited, err := net.FileListener(file)
				is.NoErr(err)
				file.Close()
				l = inherited.(systemListener)
			}
			var held atomic.Int64
			var accepts net.Listener = l
			change := func(*server.Server) {}
			switch {
			case tt.foreign:
				accepts, change = tls.NewListener(l, servertest.ServerTLS()), func(s *server.Server) { s.Foreign = true }
			case tt.tls:
				change = servertest.Secure
			}
			s := servertest.Serve(t, accepts, servertest.Dialer(l.Addr()), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for {
					n, err := w.Write(make([]byte, 4<<10))
					held.Add(int64(n))
					if err != nil {
						return
					}
				}
			}), change)
			client := s.Dial()
			defer client.Close()
			var conn io.Writer = client
			if tt.tls {
				conn = tls.Client(client, servertest.ClientTLS())
			}
			io.WriteString(conn, servertest.GetX)
			for before := int64(-1); before != held.Load() || before == 0; time.Sleep(100 * time.Millisecond) {
				before = held.Load()
			}
			t.Logf("the system holds %d KiB", held.Load()>>10)
			is.True(held.Load() <= most)
		})
	}
}
