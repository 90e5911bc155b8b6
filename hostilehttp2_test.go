package flow

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
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
		if !drip(c, text+strings.Repeat("x", i%2*400), 20*time.Millisecond) {
			s.t.Errorf("the server keeps the connection of client %d", i)
		}
	})
}

// The types and flags of frames (RFC 9113, sections 6 and 7).
const (
	frameData         = 0
	frameHeaders      = 1
	frameReset        = 3
	frameSettings     = 4
	framePing         = 6
	frameGoAway       = 7
	frameContinuation = 9

	flagEndStream  = 1
	flagAck        = 1
	flagEndHeaders = 4

	settingInitialWindow = 4
)

// A rawHTTP2 is a connection on which a test speaks HTTP/2 by hand.
type rawHTTP2 struct {
	*tls.Conn
	tcp  net.Conn
	w    *bufio.Writer
	next uint32 // stream
}

// dialHTTP2 connects, with settings that are pairs of a name and a value.
func (s *siege) dialHTTP2(settings ...uint32) *rawHTTP2 {
	tcp := s.dial().Conn
	config := s.client.TLSClientConfig.Clone()
	config.NextProtos, config.ServerName = []string{"h2"}, "127.0.0.1"
	c := &rawHTTP2{tls.Client(tcp, config), tcp, nil, 1}
	c.w = bufio.NewWriterSize(c.Conn, 16<<10)
	if err := c.Handshake(); err != nil {
		s.t.Error(err)
	}
	io.WriteString(c.w, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	var payload []byte
	for i := 0; i < len(settings); i += 2 {
		payload = binary.BigEndian.AppendUint16(payload, uint16(settings[i]))
		payload = binary.BigEndian.AppendUint32(payload, settings[i+1])
	}
	c.send(frameSettings, 0, 0, payload)
	return c
}

// send writes a frame, which Flush sends.
func (c *rawHTTP2) send(kind, flags byte, stream uint32, payload []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = append(head, flags)
	c.w.Write(binary.BigEndian.AppendUint32(head, stream))
	_, err := c.w.Write(payload)
	return err
}

// get begins a request, and returns its stream.
func (c *rawHTTP2) get(path string) (stream uint32, err error) {
	stream, c.next = c.next, c.next+2
	return stream, c.send(frameHeaders, flagEndStream|flagEndHeaders, stream, headerOf(path))
}

// A frame is one that was received.
type frame struct {
	kind, flags byte
	stream      uint32
	payload     []byte
}

func (c *rawHTTP2) receive() (f frame, err error) {
	var head [9]byte
	if _, err := io.ReadFull(c.Conn, head[:]); err != nil {
		return f, err
	}
	f.kind, f.flags = head[3], head[4]
	f.stream = binary.BigEndian.Uint32(head[5:])
	f.payload = make([]byte, binary.BigEndian.Uint32(head[:4])>>8)
	_, err = io.ReadFull(c.Conn, f.payload)
	return f, err
}

// headerOf returns the header of a GET, without any compression (RFC 7541, 6.2.2).
func headerOf(path string, fields ...string) []byte {
	return block(append([]string{":method", "GET", ":scheme", "https", ":authority", "a", ":path", path}, fields...)...)
}

func block(fields ...string) []byte {
	var b []byte
	for i, text := range fields {
		if i%2 == 0 {
			b = append(b, 0)
		}
		if len(text) < 127 {
			b = append(b, byte(len(text)))
		} else { // RFC 7541, section 5.1
			b = binary.AppendUvarint(append(b, 127), uint64(len(text)-127))
		}
		b = append(b, text...)
	}
	return b
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
			c.send(frameHeaders, flagEndStream, 1, headerOf("/about")[:5])
			text = strings.Repeat("\x00\x00\x00\x09\x00\x00\x00\x00\x01", 200) // empty CONTINUATION
		case 2:
			text = "\x00\x40\x00\x01\x05\x00\x00\x00\x01" + strings.Repeat("x", 2000) // HEADERS
		}
		c.w.Flush()
		if !drip(c.Conn, text, 20*time.Millisecond) {
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
		{"one header", headerOf("/about", "x", strings.Repeat("x", 8<<20))},
		{"many headers", headerOf("/about", slices.Repeat([]string{"x", strings.Repeat("x", 900)}, 8<<10)...)},
		{"800000 small headers", headerOf("/about", slices.Repeat([]string{"x", "y"}, 800_000)...)},
		{"a long path", headerOf("/" + strings.Repeat("x", 8<<20))},
	}
	together(len(headers), func(i int) {
		c := s.dialHTTP2()
		defer c.tcp.Close()
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			io.Copy(io.Discard, c.Conn)
		}()
		kind := byte(frameHeaders)
		for piece := range slices.Chunk(headers[i].block, 16<<10) {
			if err := c.send(kind, 0, 1, piece); err != nil {
				break
			}
			kind = frameContinuation
		}
		c.w.Flush()
		<-gone
		if n := s.readOf(c.tcp); n > most {
			s.t.Errorf("%s: the server read %d bytes", headers[i].name, n)
		}
	})
}

// alive reports whether the server still talks to c, or says why not: it waits for
// the answer to a ping.
func (c *rawHTTP2) alive() string {
	c.send(framePing, 0, 0, make([]byte, 8))
	c.w.Flush()
	for {
		f, err := c.receive()
		switch {
		case err != nil:
			return "closed"
		case f.kind == frameGoAway:
			return fmt.Sprint("closed: ", binary.BigEndian.Uint32(f.payload[4:]))
		case f.kind == framePing && f.flags&flagAck != 0:
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
			stream, err := c.get(path)
			if err == nil {
				err = c.send(frameReset, 0, stream, []byte{0, 0, 0, 8})
			}
			if err != nil {
				break
			}
		}
		go func() { state <- c.alive() }()
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
			c.get("/events")
		}
		c.w.Flush()
		answers, refused := 0, 0
		for more := true; more && refused == 0; {
			f, err := c.receive()
			switch {
			case err != nil:
				s.t.Errorf("%d streams were answered: %v", answers, err)
				more = false
			case f.kind == frameHeaders:
				if answers++; answers == maxStreams {
					c.get("/about") // one too many
					c.w.Flush()
				}
			case f.kind == frameReset:
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
		{"of each stream", []uint32{settingInitialWindow, 0}},
		{"of a byte", []uint32{settingInitialWindow, 1}},
		{"of the connection", []uint32{settingInitialWindow, 1 << 30}}, // which has 64 KB
	} {
		c := s.dialHTTP2(tt.settings...)
		for i := range streams {
			c.get([]string{"/large", "/page.txt"}[i%2])
		}
		c.w.Flush()
		reset := 0
		for reset < streams {
			f, err := c.receive()
			if err != nil {
				s.t.Errorf("%s: %d streams were reset: %v", tt.name, reset, err)
				break
			}
			if f.kind == frameReset {
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
		defer c.tcp.Close()
		c.tcp.(*net.TCPConn).SetReadBuffer(narrow)
		c.tcp.SetDeadline(time.Now().Add(3 * time.Second)) // if the server just takes no more
		c.get("/events")                                   // or it would be idle, and closed for that
		if i%2 == 0 {                                      // which are answered together: there is nothing to queue
			for range 100_000 {
				c.send(frameSettings, 0, 0, nil)
			}
			return
		}
		for range 2_000_000 {
			if c.send(framePing, 0, 0, make([]byte, 8)) != nil {
				return
			}
		}
		s.t.Error("the server reads on for ever, and queues the answers")
	})
}
