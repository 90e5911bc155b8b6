package servertest

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"testing"
)

// The types, flags and settings of frames (RFC 9113, sections 6 and 7).
const (
	Headers      = 1
	Reset        = 3
	Settings     = 4
	Ping         = 6
	GoAway       = 7
	WindowUpdate = 8
	Continuation = 9

	EndStream  = 1
	Ack        = 1
	EndHeaders = 4

	InitialWindow = 4
)

// An HTTP2 is a connection on which a test speaks HTTP/2 by hand.
type HTTP2 struct {
	*tls.Conn
	TCP  net.Conn // below TLS
	w    *bufio.Writer
	next uint32 // the stream of the next request
}

// NewHTTP2 begins HTTP/2 on a connection, with settings that are pairs of a name and a
// value.
func NewHTTP2(t testing.TB, conn net.Conn, settings ...uint32) *HTTP2 {
	config := ClientTLS()
	config.NextProtos = []string{"h2"}
	c := &HTTP2{tls.Client(conn, config), conn, nil, 1}
	c.w = bufio.NewWriterSize(c.Conn, 16<<10)
	if err := c.Handshake(); err != nil {
		t.Error(err)
	}
	io.WriteString(c.w, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	var payload []byte
	for i := 0; i < len(settings); i += 2 {
		payload = binary.BigEndian.AppendUint16(payload, uint16(settings[i]))
		payload = binary.BigEndian.AppendUint32(payload, settings[i+1])
	}
	c.Send(Settings, 0, 0, payload)
	return c
}

// Send writes a frame, which Flush sends.
func (c *HTTP2) Send(kind, flags byte, stream uint32, payload []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = append(head, flags)
	c.w.Write(binary.BigEndian.AppendUint32(head, stream))
	_, err := c.w.Write(payload)
	return err
}

// Flush sends what was written.
func (c *HTTP2) Flush() error { return c.w.Flush() }

// Get begins a request, and returns its stream.
func (c *HTTP2) Get(path string) (stream uint32, err error) {
	stream, c.next = c.next, c.next+2
	return stream, c.Send(Headers, EndStream|EndHeaders, stream, HeaderOf(path))
}

// A Frame is one that was received.
type Frame struct {
	Kind, Flags byte
	Stream      uint32
	Payload     []byte
}

// Receive reads a frame.
func (c *HTTP2) Receive() (f Frame, err error) {
	var head [9]byte
	if _, err := io.ReadFull(c.Conn, head[:]); err != nil {
		return f, err
	}
	f.Kind, f.Flags = head[3], head[4]
	f.Stream = binary.BigEndian.Uint32(head[5:])
	f.Payload = make([]byte, binary.BigEndian.Uint32(head[:4])>>8)
	_, err = io.ReadFull(c.Conn, f.Payload)
	return f, err
}

// HeaderOf returns the header of a GET, with more fields, each a name and a value. It
// is not compressed (RFC 7541, section 6.2.2).
func HeaderOf(path string, fields ...string) []byte {
	fields = append([]string{":method", "GET", ":scheme", "https", ":authority", "a", ":path", path}, fields...)
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
