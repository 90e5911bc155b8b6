package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"example.com/newapp/accounts"
)

// listen returns a listener on this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// A delivery is what a server has got from a client: its commands, and the mail.
type delivery struct {
	commands []string
	mail     *mail.Message
	text     string
}

// serveSMTP answers one client. answers are those that are not "250 ok", by the first word of
// a command, with "." for the end of a mail and "" for the beginning.
func serveSMTP(l net.Listener, answers map[string]string) <-chan delivery {
	got := make(chan delivery, 1)
	answer := func(word, otherwise string) string {
		if a := answers[word]; a != "" {
			return a
		}
		return otherwise
	}
	go func() {
		var d delivery
		defer func() { got <- d }()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		c := textproto.NewConn(conn)
		defer c.Close()
		c.PrintfLine("%s", answer("", "220 test"))
		for {
			line, err := c.ReadLine()
			if err != nil {
				return
			}
			d.commands = append(d.commands, line)
			word, _, _ := strings.Cut(line, " ")
			switch reply := answer(word, "250 ok"); {
			case reply == "hang up":
				return
			case word == "DATA" && reply == "250 ok":
				c.PrintfLine("354 go on")
				if d.mail, err = mail.ReadMessage(c.DotReader()); err != nil {
					return
				}
				text, err := io.ReadAll(quotedprintable.NewReader(d.mail.Body))
				if err != nil {
					return
				}
				d.text = string(text)
				c.PrintfLine("%s", answer(".", "250 ok"))
			case word == "QUIT" && reply == "250 ok":
				c.PrintfLine("221 bye")
				return
			default:
				c.PrintfLine("%s", reply)
			}
		}
	}()
	return got
}

func TestSender(t *testing.T) {
	l := listen(t)
	got := serveSMTP(l, nil)
	send, err := sender("smtp://"+l.Addr().String(), `Größe <desk@example.com>`)
	if err != nil {
		t.Fatal(err)
	}
	text := "Follow this link:\n\nhttps://newapp.example/" + strings.Repeat("long", 500) + "?token=A\n.\n..\nFrom here, Größe.\n"
	if err := send(t.Context(), accounts.Mail{ID: "ABC", To: "ada@example.com", Subject: "Größe\r\nBcc: eve@example.com", Text: text}); err != nil {
		t.Fatal(err)
	}
	d := <-got
	for _, want := range []string{"MAIL FROM:<desk@example.com>", "RCPT TO:<ada@example.com>"} {
		if !strings.Contains(strings.Join(d.commands, "\n"), want) {
			t.Errorf("%q is not in %q", want, d.commands)
		}
	}
	var words mime.WordDecoder
	for name, want := range map[string]string{
		"From": "Größe <desk@example.com>", "To": "<ada@example.com>", "Subject": "Größe\r\nBcc: eve@example.com", "Bcc": "",
		"Message-Id": "<ABC@example.com>", "Auto-Submitted": "auto-generated", "Content-Type": "text/plain; charset=UTF-8", "Mime-Version": "1.0", "User-Agent": "",
	} {
		if got, err := words.DecodeHeader(d.mail.Header.Get(name)); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := d.mail.Header.Date(); err != nil {
		t.Errorf("Date: %v", err)
	}
	if got := strings.ReplaceAll(d.text, "\r\n", "\n"); got != text {
		t.Errorf("the text is %q", got)
	}
}

// TestSenderFails tells what can be tried again from what cannot, and from what was sent.
func TestSenderFails(t *testing.T) {
	for _, tt := range []struct {
		command, answer string
		sent, refused   bool
	}{
		{"RCPT", "550 5.1.1 no such user", false, true},
		{"RCPT", "450 4.2.0 greylisted, come later", false, false},
		{"DATA", "554 5.7.1 not from you", false, true},
		{".", "554 5.6.0 looks like spam", false, true},
		{".", "451 4.3.0 the disk is full", false, false},
		{"MAIL", "550 5.7.1 unknown sender", false, false}, // which -from can mend
		{"", "554 no service here", false, false},
		{"EHLO", "hang up", false, false},
		{"DATA", "hang up", false, false},
		{"RSET", "hang up", true, false},
		{"QUIT", "hang up", true, false},
	} {
		l := listen(t)
		got := serveSMTP(l, map[string]string{tt.command: tt.answer})
		send, err := sender("smtp://"+l.Addr().String(), "desk@example.com")
		if err != nil {
			t.Fatal(err)
		}
		err = send(t.Context(), accounts.Mail{ID: "ABC", To: "ada@example.com", Subject: "s", Text: "t\n"})
		if (err == nil) != tt.sent || errors.Is(err, accounts.ErrRefused) != tt.refused {
			t.Errorf("%s %s: %v", tt.command, tt.answer, err)
		}
		<-got
	}
}

// TestSenderAddress has addresses that would be more than one.
func TestSenderAddress(t *testing.T) {
	send, err := sender("smtp://"+listen(t).Addr().String(), "desk@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"", "ada", "ada@example.com, eve@example.com", "ada@example.com\r\nBcc: eve@example.com", "ada@example.com>\r\nRCPT TO:<eve@example.com"} {
		if err := send(t.Context(), accounts.Mail{ID: "ABC", To: to, Subject: "s", Text: "t"}); err == nil {
			t.Errorf("sent to %q", to)
		}
	}
}

// TestSenderCertificate has a server whose certificate nobody has signed. It gets no password.
func TestSenderCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	plain := listen(t)
	l := tls.NewListener(plain, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: key}}})
	got := serveSMTP(l, nil)
	_, port, _ := net.SplitHostPort(plain.Addr().String())
	send, err := sender("smtps://desk:secret@localhost:"+port, "desk@example.com")
	if err != nil {
		t.Fatal(err)
	}
	var unknown x509.UnknownAuthorityError
	if err := send(t.Context(), accounts.Mail{To: "ada@example.com", Subject: "s", Text: "t"}); !errors.As(err, &unknown) || strings.Contains(err.Error(), "secret") {
		t.Errorf("sent: %v", err)
	}
	if d := <-got; d.commands != nil {
		t.Errorf("it was told %q", d.commands)
	}
}

func TestSenderRefusesBadServers(t *testing.T) {
	for _, server := range []string{"mail.example", "https://user:secret@mail.example", "smtp://", "smtp://mail.example:x", "smtp://mail.example:99999"} {
		_, err := sender(server, "desk@example.com")
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", server, err)
		}
	}
	for _, from := range []string{"", "desk", "desk@example.com\r\nBcc: eve@example.com"} {
		if _, err := sender("smtps://mail.example", from); err == nil {
			t.Errorf("-from %q", from)
		}
	}
}
