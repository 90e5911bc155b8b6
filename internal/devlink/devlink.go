// Package devlink is how an application in development and the tool that started it speak
// with each other: lines of JSON over a Unix socket, whose path is in the environment
// variable [Variable]. Each line is a [Message]. Either side may leave at any time: the
// other one sees the end of the connection. An application that stops ends it when it
// accepts no more connections of clients, while it still answers those that it has. An
// [App] is the side of the application, and [Listen] begins that of the tool.
//
//	application: {"ready":true,"url":"http://localhost:8080"}   it is about to accept
//	                                                            and reads templates from "dirs"
//	             {"faults":[…]}                                 before that: Check has failed, and it exits;
//	                                                            after that: of its templates, or none
//	tool:        {"changed":true}                               files below router/ or public/ have changed
//	             {"faults":[…]}                                 to be shown on open pages, or gone if there is none
//	             {"warnings":[…]}                               to be shown on the route map
package devlink

import (
	"bufio"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"time"

	"example.com/flow/internal/devpage"
)

// Variable is the environment variable that holds the path of the socket.
const Variable = "FLOW_DEV"

const (
	// maxLine is how long a line may be, in bytes. A longer one is skipped: the report of
	// a large application with thousands of faults is well below.
	maxLine = 16 << 20

	// sendTime is how long the other side may take for a message. One that is stopped in
	// a debugger must not stop this side too.
	sendTime = 2 * time.Second
)

// A Message is what one side tells the other. Members that are not known are ignored.
type Message struct {
	Ready bool   `json:"ready,omitempty"`
	URL   string `json:"url,omitempty"` // with Ready: where the application answers
	// Dirs are the directories whose router/ and public/ the application reads from disk, with
	// Ready. It is nil if that is not known.
	Dirs []string `json:"dirs,omitempty"`
	// Faults is nil if the message does not speak of faults, and empty if there are none
	// any more.
	Faults []devpage.Fault `json:"faults,omitzero"`
	// Warnings is nil if the message does not speak of warnings, and empty if there are none.
	Warnings []devpage.Fault `json:"warnings,omitzero"`
	Changed  bool            `json:"changed,omitempty"`
}

// says reports whether the message says anything at all.
func (m Message) says() bool { return m.Ready || m.Faults != nil || m.Warnings != nil || m.Changed }

// A Conn is one side of a link. Send and Close may be called by several goroutines,
// Receive by one.
type Conn struct {
	conn   net.Conn
	reader *bufio.Reader
	mu     sync.Mutex // one line at a time
}

func newConn(c net.Conn) *Conn { return &Conn{conn: c, reader: bufio.NewReader(c)} }

// Send sends a message. It fails if the other side is gone, or does not take it in time.
func (c *Conn) Send(m Message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(sendTime)); err != nil {
		return err
	}
	if _, err = c.conn.Write(append(line, '\n')); err != nil {
		c.conn.Close() // half a line may have been sent, which nothing can follow
	}
	return err
}

// Receive returns the next message. Lines that are none are skipped. An error means that
// the other side is gone, and none comes any more.
func (c *Conn) Receive() (Message, error) {
	for {
		line, err := c.line()
		if err != nil {
			return Message{}, err
		}
		var m Message
		if json.Unmarshal(line, &m) == nil && m.says() {
			return m, nil
		}
	}
}

// line returns the next line, or an empty one in place of one that is too long. What
// stands behind the last newline was cut off, and is no line.
func (c *Conn) line() ([]byte, error) {
	var line []byte
	for long := false; ; {
		piece, err := c.reader.ReadSlice('\n')
		long = long || len(line)+len(piece) > maxLine
		if long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Close ends the link.
func (c *Conn) Close() error {
	return c.conn.Close()
}

// A Listener waits for one application, which the tool is about to start.
type Listener struct {
	l    net.Listener
	Path string // for the environment of the application
}

// Listen listens on a new socket in the file system, for one application.
func Listen(path string) (*Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	return &Listener{l, path}, nil
}

// Accept returns the link with the application once it has connected, and removes the
// socket. It fails after Close.
func (l *Listener) Accept() (*Conn, error) {
	c, err := l.l.Accept()
	l.l.Close()
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

// Close stops to wait, and removes the socket.
func (l *Listener) Close() error { return l.l.Close() }
