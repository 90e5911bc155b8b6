package dev

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestTempDir: a tool removes the directories of tools that were killed, and nothing else.
func TestTempDir(t *testing.T) {
	is := is.New(t)
	parent, err := os.MkdirTemp("", "") // t.TempDir has names that are too long for a socket
	is.NoErr(err)
	defer os.RemoveAll(parent)
	t.Setenv("GOTMPDIR", parent)
	running, removeRunning, err := tempDir()
	is.NoErr(err)
	starting := filepath.Join(parent, tempPrefix+"starting") // its tool has made nothing in it yet
	is.NoErr(os.Mkdir(starting, 0o777))
	other := filepath.Join(parent, "other")
	is.NoErr(os.Mkdir(other, 0o777))
	is.NoErr(os.WriteFile(filepath.Join(other, alive), nil, 0o666))

	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), asKilled+"=1")
	out, err := killed.Output()
	is.NoErr(err)
	left := strings.TrimSuffix(strings.TrimSpace(string(out)), " <nil>")
	_, err = os.Stat(filepath.Join(left, alive))
	is.NoErr(err)

	want := []string{running, starting, other}
	for range 2 { // the second one finds nothing to remove
		next, removeNext, err := tempDir()
		is.NoErr(err)
		defer removeNext()
		want = append(want, next)
		found, err := filepath.Glob(filepath.Join(parent, "*"))
		is.NoErr(err)
		slices.Sort(want)
		is.Equal(found, want)
	}
	removeRunning()
	_, err = os.Stat(running)
	is.True(os.IsNotExist(err))
}
