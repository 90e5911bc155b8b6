package dev

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	// tempPrefix begins the names of the directories that tools make.
	tempPrefix = "flow-dev-"

	// alive is the name of the file in such a directory that shows whether its tool runs: see
	// holdAlive.
	alive = "alive"

	// maxSocketPath is how long the path of a directory may be in which sockets are made:
	// the system allows 104 bytes at least for those.
	maxSocketPath = 80
)

// tempDir makes the directory for everything that the tool makes. remove removes it. Those
// of tools that were killed, which could not do that, are removed before.
func tempDir() (dir string, remove func(), err error) {
	parent := os.Getenv("GOTMPDIR")
	if parent == "" {
		parent = os.TempDir()
	}
	if parent, err = filepath.Abs(parent); err != nil {
		return "", nil, err
	}
	if len(parent) > maxSocketPath-len(tempPrefix)-10 && runtime.GOOS != "windows" {
		parent = "/tmp"
	}
	sweep(parent)
	var held io.Closer
	dir, err = os.MkdirTemp(parent, tempPrefix)
	if err == nil {
		held, err = holdAlive(dir)
	}
	remove = func() {
		if held != nil {
			held.Close()
		}
		os.RemoveAll(dir)
	}
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("cannot make a directory for the program: %w", err)
	}
	return dir, remove, nil
}

// sweep removes the directories of tools that were killed. One that cannot be removed is
// not worth a word.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if dir := filepath.Join(parent, e.Name()); isLeft(dir) {
			os.RemoveAll(dir)
		}
	}
}
