package newaccounts

import (
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A mailServer speaks SMTP, and keeps what it gets.
type mailServer struct {
	hold func(client string) // called between getting a mail and saying so
	mu   sync.Mutex
	got  map[string][]letter
}

type letter struct {
	mail.Header
	text string
}

// listen returns an address of the server for one client, so that it tells them apart.
func (s *mailServer) listen(t *testing.T) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	addr = l.Addr().String()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(textproto.NewConn(conn), addr)
		}
	}()
	return addr
}

func (s *mailServer) serve(c *textproto.Conn, client string) {
	defer c.Close()
	c.PrintfLine("220 test")
	for {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		switch line {
		case "DATA":
			c.PrintfLine("354 go on")
			m, err := mail.ReadMessage(c.DotReader())
			if err != nil {
				return
			}
			text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
			if err != nil {
				return
			}
			to := strings.Trim(m.Header.Get("To"), "<>")
			s.mu.Lock()
			s.got[to] = append(s.got[to], letter{m.Header, string(text)})
			s.mu.Unlock()
			s.hold(client)
			c.PrintfLine("250 ok")
		case "QUIT":
			c.PrintfLine("221 bye")
			return
		default:
			c.PrintfLine("250 ok")
		}
	}
}

// to returns the mails to an address.
func (s *mailServer) to(address string) []letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[address]
}

func (s *mailServer) count() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, letters := range s.got {
		n += len(letters)
	}
	return n
}

var links = regexp.MustCompile(`https?://localhost[:0-9]*(/\S+)`)

// link returns path and query of the link in a mail.
func (l letter) link(t *testing.T) string {
	t.Helper()
	found := links.FindStringSubmatch(l.text)
	if found == nil {
		t.Fatal(fmt.Sprint("no link in ", l.text))
	}
	return found[1]
}
