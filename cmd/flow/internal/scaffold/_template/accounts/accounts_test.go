package main

import (
	"testing"
	"testing/fstest"

	"example.com/flow"
)

func TestOriginOf(t *testing.T) {
	for _, tt := range []struct {
		text       string
		sendsMails bool
		ok         bool
	}{
		{"http://localhost:8080", false, true},
		{"https://newapp.example", true, true},
		{"https://newapp.example", false, false}, // links for signing in would be logged
		{"http://newapp.example", false, false},
		{"http://192.0.2.7:8080", false, false},
		{"http://localhost.example", false, false},
		{"http://127.0.0.1:3000", false, true},
		{"http://[::1]:3000", false, true},
		{"https://localhost:8443", false, true},
		{"newapp.example", true, false},
		{"ftp://newapp.example", true, false},
		{"", true, false}, // behind a Unix socket, nobody but -url knows
	} {
		at, err := originOf(tt.text, tt.sendsMails)
		if (err == nil) != tt.ok || err == nil && at.String() != tt.text {
			t.Errorf("%+v: %v, %v", tt, &at, err)
		}
	}
}

// TestAddAccounts has what needs no server. Nothing connects with a database yet.
func TestAddAccounts(t *testing.T) {
	for server, ok := range map[string]bool{"": true, "smtps://user:secret@mail.example": true, "mail.example": false} {
		t.Setenv("SMTP_URL", server)
		if err := addAccounts(flow.New(fstest.MapFS{"router/index.html": {}})); (err == nil) != ok {
			t.Errorf("SMTP_URL=%s: %v", server, err)
		}
	}
}
