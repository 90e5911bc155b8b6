package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"example.com/newapp/accounts"
)

// serveSMTP answers one client, and sends what it has got.
func serveSMTP(l net.Listener, got chan<- string) {
	conn, err := l.Accept()
	if err != nil {
		got <- err.Error()
		return
	}
	defer conn.Close()
	var text strings.Builder
	defer func() { got <- text.String() }()
	fmt.Fprint(conn, "220 test\r\n")
	inData := false
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		text.WriteString(line + "\n")
		switch {
		case inData && line == ".":
			inData = false
			fmt.Fprint(conn, "250 ok\r\n")
		case inData:
		case line == "DATA":
			inData = true
			fmt.Fprint(conn, "354 go on\r\n")
		case line == "QUIT":
			fmt.Fprint(conn, "221 bye\r\n")
			return
		default:
			fmt.Fprint(conn, "250 ok\r\n")
		}
	}
}

func TestSender(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan string, 1)
	go serveSMTP(l, got)
	send, err := sender("smtp://"+l.Addr().String(), "Desk <desk@example.com>")
	if err != nil {
		t.Fatal(err)
	}
	if err := send(t.Context(), accounts.Mail{ID: "ABC", To: "ada@example.com", Subject: "Your account", Text: "Follow this link:\n"}); err != nil {
		t.Fatal(err)
	}
	text := <-got
	for _, want := range []string{
		"MAIL FROM:<desk@example.com>", "RCPT TO:<ada@example.com>", "\nTo: <ada@example.com>\n", "\nSubject: Your account\n",
		"\nMessage-ID: <ABC@newapp>\n", "\nAuto-Submitted: auto-generated\n", "\nContent-Type: text/plain; charset=UTF-8\n", "\n\nFollow this link:\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestSenderOfNothing(t *testing.T) {
	for _, server := range []string{"mail.example", "https://user:secret@mail.example", "smtp://", "smtp://mail.example:x", "smtp://mail.example:99999"} {
		_, err := sender(server, "desk@example.com")
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", server, err)
		}
	}
	if _, err := sender("smtps://mail.example", "desk"); err == nil {
		t.Error("an address without a host")
	}
}
