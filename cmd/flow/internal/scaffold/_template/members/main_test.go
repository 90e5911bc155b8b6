package main

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flow"
)

// TestBuild has what check and routes call: it needs no database.
func TestBuild(t *testing.T) {
	*database = filepath.Join(t.TempDir(), "missing", "test.db")
	r, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
}

// A mailbox is a log that waits for a mail.
type mailbox chan string

func (m mailbox) Write(record []byte) (int, error) {
	if bytes.Contains(record, []byte("?token=")) {
		m <- string(record)
	}
	return len(record), nil
}

// TestLinksLeadHere has a link sent at the start, before anything listens.
func TestLinksLeadHere(t *testing.T) {
	t.Setenv("SMTP_URL", "")
	*database, *admin = filepath.Join(t.TempDir(), "test.db"), "ada@example.com"
	defer func(before *slog.Logger) { *admin = ""; slog.SetDefault(before) }(slog.Default())
	mails := make(mailbox, 1)
	slog.SetDefault(slog.New(slog.NewTextHandler(mails, nil)))
	r, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var mail string
	r.OnStart(func(context.Context) error { mail = <-mails; stop(); return nil })
	if err := flow.Serve(ctx, ":3000", r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(mail, "http://localhost:3000/sign-up/password?token=") {
		t.Errorf("the mail is %s", mail)
	}
}
