package dev

import (
	"io"
	"os"
	"path/filepath"
)

// holdAlive makes the file alive in the directory of a tool, and holds it open: Windows removes no
// file that package os has opened, until the process that has opened it ends.
func holdAlive(dir string) (io.Closer, error) { return os.Create(filepath.Join(dir, alive)) }

// isLeft reports whether the tool of a directory has ended and left the directory behind. While
// the tool makes the directory, there is no file alive, and it is not left.
func isLeft(dir string) bool { return os.Remove(filepath.Join(dir, alive)) == nil }
