package main

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
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

// TestLinksLeadHere serves at a port that the system chooses, and has a link sent.
func TestLinksLeadHere(t *testing.T) {
	*database, *admin = filepath.Join(t.TempDir(), "test.db"), "ada@example.com"
	defer func(before *slog.Logger) { *admin = ""; slog.SetDefault(before) }(slog.Default())
	mails := make(mailbox, 1)
	slog.SetDefault(slog.New(slog.NewTextHandler(mails, nil)))
	r, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var served string
	r.OnStart(func(ctx context.Context) error { served = flow.URL(ctx); return nil })
	var jobs sync.WaitGroup
	jobs.Go(func() {
		if err := flow.Serve(ctx, "127.0.0.1:0", r); err != nil {
			t.Error(err)
			close(mails)
		}
	})
	mail := <-mails
	stop()
	jobs.Wait()
	if served == "" || !strings.Contains(mail, served+"/sign-up/password?token=") {
		t.Errorf("served at %q: %s", served, mail)
	}
}
