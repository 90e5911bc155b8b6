package main

import (
	"context"
	"path/filepath"
	"testing"
)

// TestBuild has what check and routes call, without a database, and what is refused.
func TestBuild(t *testing.T) {
	*database = filepath.Join(t.TempDir(), "test.db")
	for _, tt := range []struct {
		origin, smtp string
		ok           bool
	}{
		{"http://localhost:8080", "", true},
		{"https://newapp.example", "smtps://user:secret@mail.example", true},
		{"https://newapp.example", "", false}, // links for signing in would be printed
		{"https://newapp.example", "mail.example", false},
		{"newapp.example", "", false},
		{"ftp://newapp.example", "", false},
	} {
		*origin = tt.origin
		t.Setenv("SMTP_URL", tt.smtp)
		r, err := build(context.Background())
		if (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
		if err == nil {
			if err := r.Check(); err != nil {
				t.Errorf("%+v: %v", tt, err)
			}
		}
	}
}
