//go:build !windows

package dev

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// holdAlive makes the file alive in the directory of a tool: a socket, at which nobody answers
// once the tool has ended.
func holdAlive(dir string) (io.Closer, error) {
	// Until it has its name, the socket may be one at which nobody answers yet.
	unnamed := filepath.Join(dir, "new")
	l, err := net.Listen("unix", unnamed)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(unnamed, filepath.Join(dir, alive)); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// isLeft reports whether the tool of a directory has ended and left the directory behind. While
// the tool makes the directory, there is no file alive, and it is not left.
func isLeft(dir string) bool {
	conn, err := net.Dial("unix", filepath.Join(dir, alive))
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
