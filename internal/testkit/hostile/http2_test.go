package hostile_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/flow/internal/testkit/servertest"
)

// slowHandshakes has clients that begin TLS and do not go on.
func slowHandshakes(s *siege) {
	together(100, func(i int) {
		c := s.dial()
		defer c.Close()
		text := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" // the head of a ClientHello
		if i%2 == 0 {
			text = ""
		}
		if !drip(c, text+strings.Repeat("x", i%2*400), time.Second) {
			s.t.Errorf("the server keeps the connection of client %d", i)
		}
	})
}

// dialHTTP2 connects, with settings that are pairs of a name and a value.
func (s *siege) dialHTTP2(settings ...uint32) *servertest.HTTP2 {
	return servertest.NewHTTP2(s.t, s.dial().Conn, settings...)
}

// slowHeadersHTTP2 has clients that stop after the preface, for which net/http gives
// 10 seconds, in a frame, and between the frames of a header.
func slowHeadersHTTP2(s *siege) {
	together(40, func(i int) {
		c := s.dialHTTP2()
		defer c.Close()
		text := ""
		switch i % 3 {
		case 0: // idle
		case 1:
			c.Send(servertest.Headers, servertest.EndStream, 1, servertest.HeaderOf("/about")[:5])
			text = strings.Repeat("\x00\x00\x00\x09\x00\x00\x00\x00\x01", 200) // empty CONTINUATION
		case 2:
			text = "\x00\x40\x00\x01\x05\x00\x00\x00\x01" + strings.Repeat("x", 2000) // HEADERS
		}
		c.Flush()
		if !drip(c.Conn, text, time.Second) {
			s.t.Errorf("the server keeps the connection of client %d", i)
		}
	})
}

// largeHeadersHTTP2 sends headers above the limit, in many frames.
func largeHeadersHTTP2(s *siege) {
	const most = 1 << 20 // that the server may read before it closes
	headers := []struct {
		name  string
		block []byte
	}{
		{"one header", servertest.HeaderOf("/about", "x", strings.Repeat("x", 8<<20))},
		{"many headers", servertest.HeaderOf("/about", slices.Repeat([]string{"x", strings.Repeat("x", 900)}, 8<<10)...)},
		{"800000 small headers", servertest.HeaderOf("/about", slices.Repeat([]string{"x", "y"}, 800_000)...)},
		{"a long path", servertest.HeaderOf("/" + strings.Repeat("x", 8<<20))},
	}
	together(len(headers), func(i int) {
		c := s.dialHTTP2()
		defer c.TCP.Close()
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			io.Copy(io.Discard, c.Conn)
		}()
		kind := byte(servertest.Headers)
		for piece := range slices.Chunk(headers[i].block, 16<<10) {
			if err := c.Send(kind, 0, 1, piece); err != nil {
				break
			}
			kind = servertest.Continuation
		}
		c.Flush()
		<-gone
		if n := s.readOf(c.TCP); n > most {
			s.t.Errorf("%s: the server read %d bytes", headers[i].name, n)
		}
	})
}

// alive reports whether the server still talks to c, or says why not: it waits for
// the answer to a ping.
func alive(c *servertest.HTTP2) string {
	c.Send(servertest.Ping, 0, 0, make([]byte, 8))
	c.Flush()
	for {
		f, err := c.Receive()
		switch {
		case err != nil:
			return "closed"
		case f.Kind == servertest.GoAway:
			return fmt.Sprint("closed: ", binary.BigEndian.Uint32(f.Payload[4:]))
		case f.Kind == servertest.Ping && f.Flags&servertest.Ack != 0:
			return "alive"
		}
	}
}

// enhanceYourCalm is the code of an error (RFC 9113, section 7).
const enhanceYourCalm = 11

// maxStreams is how many streams net/http serves on a connection at once.
const maxStreams = 250

// rapidResets opens streams and resets them at once.
func rapidResets(s *siege) {
	together(2, func(i int) {
		c := s.dialHTTP2()
		defer c.Close()
		state := make(chan string, 1)
		path := []string{"/events", "/large"}[i]
		for range 3000 {
			stream, err := c.Get(path)
			if err == nil {
				err = c.Send(servertest.Reset, 0, stream, []byte{0, 0, 0, 8})
			}
			if err != nil {
				break
			}
		}
		go func() { state <- alive(c) }()
		// Handlers that are told run on for a moment: they count against the streams.
		if got := <-state; got != "alive" && got != "closed" && got != fmt.Sprint("closed: ", enhanceYourCalm) {
			s.t.Errorf("%s: got %s", path, got)
		}
	})
	if n := s.most.Load(); n > 2*maxStreams {
		s.t.Errorf("%d handlers ran at once, for 2 connections", n)
	}
}

// manyStreams holds as many streams open as it can, and one more.
func manyStreams(s *siege) {
	const conns = 4
	var held sync.WaitGroup
	held.Add(conns)
	together(conns, func(int) {
		ready := sync.OnceFunc(held.Done)
		defer ready()
		c := s.dialHTTP2()
		defer c.Close()
		for range maxStreams {
			c.Get("/events")
		}
		c.Flush()
		answers, refused := 0, 0
		for more := true; more && refused == 0; {
			f, err := c.Receive()
			switch {
			case err != nil:
				s.t.Errorf("%d streams were answered: %v", answers, err)
				more = false
			case f.Kind == servertest.Headers:
				if answers++; answers == maxStreams {
					c.Get("/about") // one too many
					c.Flush()
				}
			case f.Kind == servertest.Reset:
				refused++
			}
		}
		if answers != maxStreams {
			s.t.Errorf("%d streams were answered, want %d", answers, maxStreams)
		}
		ready()
		held.Wait()
	})
	if n := s.most.Load(); n != conns*maxStreams {
		s.t.Errorf("%d handlers ran at once, want %d", n, conns*maxStreams)
	}
}

// closedWindows asks for answers and never lets the server send them.
func closedWindows(s *siege) {
	const streams = 50
	for _, tt := range []struct {
		name     string
		settings []uint32
	}{
		{"of each stream", []uint32{servertest.InitialWindow, 0}},
		{"of a byte", []uint32{servertest.InitialWindow, 1}},
		{"of the connection", []uint32{servertest.InitialWindow, 1 << 30}}, // which has 64 KB
	} {
		c := s.dialHTTP2(tt.settings...)
		for i := range streams {
			c.Get([]string{"/large", "/page.txt"}[i%2])
		}
		c.Flush()
		reset := 0
		for reset < streams {
			f, err := c.Receive()
			if err != nil {
				s.t.Errorf("%s: %d streams were reset: %v", tt.name, reset, err)
				break
			}
			if f.Kind == servertest.Reset {
				reset++
			}
		}
		c.Close()
	}
}

// floodOfPings asks for answers that it does not read.
func floodOfPings(s *siege) {
	together(4, func(i int) {
		c := s.dialHTTP2()
		defer c.TCP.Close()
		c.Get("/events") // or it would be idle, and closed for that
		if i%2 == 0 {    // which are answered together: there is nothing to queue
			for range 100_000 {
				c.Send(servertest.Settings, 0, 0, nil)
			}
			return
		}
		for range 2_000_000 {
			if c.Send(servertest.Ping, 0, 0, make([]byte, 8)) != nil {
				return
			}
		}
		s.t.Error("the server reads on for ever, and queues the answers")
	})
}
