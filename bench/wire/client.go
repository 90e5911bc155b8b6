package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// patience is how long a client waits for an answer.
const patience = 10 * time.Second

// A Client asks one server for one path, over connections that are kept. It costs as
// little as it can: it writes the same bytes each time, and reads as many as the first
// answer had.
type Client struct {
	conns   []net.Conn
	request []byte
	answer  int // its length, in bytes
	buffer  []byte
}

// Dial opens connections, and checks the answer on each of them.
func Dial(addr, path, want string, connections int) (*Client, error) {
	c := &Client{request: []byte("GET " + path + " HTTP/1.1\r\nHost: example.com\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n")}
	for range connections {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.conns = append(c.conns, conn)
		if err := c.check(conn, want); err != nil {
			c.Close()
			return nil, fmt.Errorf("GET %s: %w", path, err)
		}
	}
	return c, nil
}

// check asks once, and remembers how long the answer was.
func (c *Client) check(conn net.Conn, want string) error {
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := conn.Write(c.request); err != nil {
		return err
	}
	read := &counter{r: conn}
	resp, err := http.ReadResponse(bufio.NewReader(read), nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK || string(body) != want || resp.Close:
		return fmt.Errorf("got status %d and %d bytes, want 200, %d bytes and a connection that is kept", resp.StatusCode, len(body), len(want))
	case c.answer != 0 && c.answer != read.n:
		return fmt.Errorf("got an answer of %d bytes, then one of %d", c.answer, read.n)
	}
	c.answer = read.n
	c.buffer = make([]byte, c.answer)
	return nil
}

// A counter counts what is read.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

// Ask sends so many requests over each connection, one at a time.
func (c *Client) Ask(rounds int) error {
	for _, conn := range c.conns {
		conn.SetDeadline(time.Now().Add(patience + time.Duration(rounds)*time.Millisecond))
	}
	for range rounds {
		for _, conn := range c.conns {
			if _, err := conn.Write(c.request); err != nil {
				return err
			}
		}
		for _, conn := range c.conns {
			if _, err := io.ReadFull(conn, c.buffer); err != nil {
				return err
			}
			if string(c.buffer[:15]) != "HTTP/1.1 200 OK" {
				return fmt.Errorf("got %q, want the answer as before", c.buffer)
			}
		}
	}
	return nil
}

// Close closes all connections.
func (c *Client) Close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}
