package servertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// GetX is the shortest of requests.
const GetX = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

// A Client is a connection on which a test speaks HTTP/1 by hand.
type Client struct {
	net.Conn
	R *bufio.Reader // of the connection
	t testing.TB
}

// NewClient returns a Client for a connection.
func NewClient(t testing.TB, conn net.Conn) *Client {
	return &Client{conn, bufio.NewReader(conn), t}
}

// Send sends a text.
func (c *Client) Send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// Head reads an answer but for its body.
func (c *Client) Head() *http.Response {
	c.t.Helper()
	resp, err := http.ReadResponse(c.R, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp
}

// Answer reads an answer, and sums it up as SumUp does.
func (c *Client) Answer() string {
	c.t.Helper()
	return SumUp(c.t, c.Head())
}

// SumUp returns an answer in a line: its status, its body, and "close" if the
// connection is to be closed.
func SumUp(t testing.TB, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(body)))
	if resp.Close {
		text += " close"
	}
	return text
}

// EventStream is a handler that says "open", and "end" when its context ends.
func EventStream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "open\n")
	http.NewResponseController(w).Flush()
	<-r.Context().Done()
	io.WriteString(w, "end\n")
}
