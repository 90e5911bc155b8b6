// Package devlink is the protocol between an application in development and the tool that
// has started it, "flow dev". The two send lines of JSON over a Unix domain socket, whose
// path is in the environment variable [Variable]. Each line is a [Message]. An [App] is the
// application's end of the link. The tool calls [Listen] to get its own.
//
//	from the application
//	{"ready":true,"url":"…","dirs":[…]}   it is about to accept connections, and reads files from dirs
//	{"faults":[…]}                        before ready: the faults of Check, after which it exits
//	                                      after ready: the faults of its templates; [] for none
//	{"faults":[…],"warnings":[…]}         after ready: its templates have these warnings, too
//	{"log":[…]}                           it is about to close the connection, and has logged this
//	from the tool
//	{"changed":true}                      files below router/ or public/ have changed
//	{"faults":[…]}                        open pages show these faults; [] removes them
//	{"warnings":[…]}                      the route map shows these warnings
//	{"log":[…]}                           the application that answered before has logged this
//
// Either end may close the connection at any time, and the other end notices that. An
// application that stops closes it when it accepts no more connections of clients, while it
// still answers requests.
package devlink

import (
	"bufio"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"time"

	"example.com/flow/internal/develop/devpage"
)

// Variable is the environment variable that holds the path of the socket.
const Variable = "FLOW_DEV"

const (
	// maxLine is the largest length of a line, in bytes. Longer lines are skipped. Thousands
	// of faults fit in one.
	maxLine = 16 << 20

	// sendTimeout is how long a message may take to send. A process that is stopped in a
	// debugger must not block the other.
	sendTimeout = 2 * time.Second
)

// A Message is one line. A receiver ignores members that it does not know.
type Message struct {
	Ready bool   `json:"ready,omitempty"`
	URL   string `json:"url,omitempty"` // with Ready: the URL of the application
	// Dirs are sent with Ready: the directories whose router/ and public/ the application reads
	// from disk. It is nil if they are not known.
	Dirs []string `json:"dirs,omitempty"`
	// Faults is nil if the message is not about faults. It is empty if there are none any more.
	Faults []devpage.Fault `json:"faults,omitzero"`
	// Warnings, of the tool, is nil if the message is not about warnings. It is empty if there are none.
	Warnings []devpage.Fault  `json:"warnings,omitzero"`
	Log      []devpage.Record `json:"log,omitempty"` // the oldest first
	Changed  bool             `json:"changed,omitempty"`
}

// isEmpty reports whether the message has no member that the receiver knows.
func (m Message) isEmpty() bool {
	return !m.Ready && m.Faults == nil && m.Warnings == nil && m.Log == nil && !m.Changed
}

// A Conn is one end of a link. Several goroutines may call Send and Close, only one may call
// Receive.
type Conn struct {
	conn   net.Conn
	reader *bufio.Reader
	mu     sync.Mutex // held while a line is written
}

func newConn(c net.Conn) *Conn { return &Conn{conn: c, reader: bufio.NewReader(c)} }

// Send sends a message. It returns an error if the connection is closed, or if the other end
// does not receive the message within 2 seconds.
func (c *Conn) Send(m Message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	if _, err = c.conn.Write(append(line, '\n')); err != nil {
		c.conn.Close() // a part of the line may have been sent, and another line must not follow it
	}
	return err
}

// Receive returns the next message. It skips lines that are not messages. It returns an error
// once the connection is closed.
func (c *Conn) Receive() (Message, error) {
	for {
		line, err := c.line()
		if err != nil {
			return Message{}, err
		}
		var m Message
		if json.Unmarshal(line, &m) == nil && !m.isEmpty() {
			return m, nil
		}
	}
}

// line returns the next line. In place of a line that is too long, it returns an empty one.
// It drops bytes behind the last newline, which are a truncated line.
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

// Close closes the connection.
func (c *Conn) Close() error {
	return c.conn.Close()
}

// A Listener waits for the connection of an application that the tool is about to start.
type Listener struct {
	l    net.Listener
	Path string // the value of Variable for the application
}

// Listen listens for one application on a new socket at a path in the file system.
func Listen(path string) (*Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	return &Listener{l, path}, nil
}

// Accept waits for the application and returns the tool's end of the link. Then it removes
// the socket. It returns an error after Close.
func (l *Listener) Accept() (*Conn, error) {
	c, err := l.l.Accept()
	l.l.Close()
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

// Close makes Accept return, and removes the socket.
func (l *Listener) Close() error { return l.l.Close() }
