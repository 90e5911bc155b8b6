package main

import (
	"path/filepath"
	"testing"
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
