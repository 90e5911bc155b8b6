package main

import (
	"testing"
	"testing/fstest"

	"example.com/flow"
)

// TestAddAccounts has what is refused. Nothing connects with a database yet.
func TestAddAccounts(t *testing.T) {
	defer func(before string) { *origin = before }(*origin)
	for _, tt := range []struct {
		origin, smtp string
		ok           bool
	}{
		{"http://localhost:8080", "", true},
		{"https://newapp.example", "smtps://user:secret@mail.example", true},
		{"https://newapp.example", "", false}, // links for signing in would be logged
		{"http://newapp.example", "", false},
		{"http://192.0.2.7:8080", "", false},
		{"http://localhost.example", "", false},
		{"http://127.0.0.1:3000", "", true},
		{"http://[::1]:3000", "", true},
		{"https://localhost:8443", "", true},
		{"https://newapp.example", "mail.example", false},
		{"newapp.example", "", false},
		{"ftp://newapp.example", "", false},
	} {
		*origin = tt.origin
		t.Setenv("SMTP_URL", tt.smtp)
		err := addAccounts(flow.New(fstest.MapFS{"router/index.html": {}}))
		if (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
