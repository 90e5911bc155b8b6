package main

import (
	"testing"
	"testing/fstest"

	"example.com/flow"
)

func TestOriginOf(t *testing.T) {
	const here = "http://localhost:3000"
	for _, tt := range []struct {
		text, here string
		sendsMails bool
		want       string // "" for an error
	}{
		{"http://localhost:8080", here, false, "http://localhost:8080"},
		{"https://newapp.example", here, true, "https://newapp.example"},
		{"https://newapp.example", here, false, ""}, // links for signing in would be logged
		{"http://newapp.example", here, false, ""},
		{"http://192.0.2.7:8080", here, false, ""},
		{"http://localhost.example", here, false, ""},
		{"http://127.0.0.1:3000", here, false, "http://127.0.0.1:3000"},
		{"http://[::1]:3000", here, false, "http://[::1]:3000"},
		{"https://localhost:8443", here, false, "https://localhost:8443"},
		{"https://newapp.example/", here, true, "https://newapp.example"},
		{"https://newapp.example/sub", here, true, ""},
		{"https://newapp.example?x=1", here, true, ""},
		{"https://newapp.example#x", here, true, ""},
		{"https://ada:secret@newapp.example", here, true, ""},
		{"newapp.example", here, true, ""},
		{"ftp://newapp.example", here, true, ""},
		{"", here, false, here},
		{"", here, true, ""}, // mails would have links to the machine of whoever reads them
		{"", "http://192.0.2.7:8080", false, ""},
		{"", "", false, ""}, // behind a Unix socket, nobody but -url knows
	} {
		at, err := originOf(tt.text, tt.here, tt.sendsMails)
		if at.String() != tt.want || (err == nil) != (tt.want != "") {
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
