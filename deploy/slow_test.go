//go:build linux

package deploy_test

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"example.com/flow/internal/testkit/servertest"
)

// TestSlowClients has clients that take 2, 16 and 32 KiB a second of a download, from the
// application and through each proxy. The systems of all of them are this one, and hold
// megabytes, so that the application may see nothing of a client for more than a minute.
// It goes on to send all the same.
func TestSlowClients(t *testing.T) {
	servertest.Slow(t)
	app := &probe{ended: make(chan string, 12)}
	addrs := freeAddrs(t, 3)
	for _, addr := range addrs {
		app.serve(t, addr)
	}
	fronts := map[string]string{"direct": addrs[0]}
	for _, p := range proxies {
		needs(t, p.program)
		fronts[p.program] = freeAddrs(t, 1)[0]
		p.started(t, fronts[p.program], addrs)
	}
	over := time.Now().Add(75 * time.Second)
	var clients sync.WaitGroup
	for name, addr := range fronts {
		for _, rate := range []int{2 << 10, 16 << 10, 32 << 10} {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET /download?%s-%d HTTP/1.1\r\nHost: localhost\r\n\r\n", name, rate)
			clients.Go(func() { takeSlowly(t, conn, rate, over) })
		}
	}
	clients.Wait()
	for len(app.ended) > 0 {
		t.Error(<-app.ended)
	}
}

// takeSlowly reads at a rate, in bytes a second, for a time.
func takeSlowly(t *testing.T, conn net.Conn, rate int, until time.Time) {
	for ; time.Now().Before(until); time.Sleep(time.Second / 8) {
		if _, err := io.CopyN(io.Discard, conn, int64(rate/8)); err != nil {
			t.Errorf("a client of %d bytes a second: %v", rate, err)
			return
		}
	}
}
