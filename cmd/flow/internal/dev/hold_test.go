//go:build unix

package dev

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// holdScript runs a command for the go tool, by its flag -toolexec. While there is a file
// "closed", a compiler notes that it has come, and waits.
const holdScript = `
dir=$(dirname "$0")
if [ -e "$dir/closed" ] && [ "$2" != -V=full ]; then
	echo >>"$dir/came"
	while [ -e "$dir/closed" ]; do sleep 0.01; done
fi
exec "$@"
`

// A hold keeps the compilers of builds waiting while it is closed.
type hold struct {
	t   *testing.T
	dir string
}

// newHold returns one that is open.
func newHold(t *testing.T) hold {
	t.Helper()
	h := hold{t, t.TempDir()}
	h.write("hold.sh", holdScript)
	t.Cleanup(h.open) // for whatever waits still
	return h
}

// flag returns the flag for the go tool.
func (h hold) flag() string { return `"-toolexec=sh ` + h.path("hold.sh") + `"` }

func (h hold) path(name string) string { return filepath.Join(h.dir, name) }

func (h hold) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(h.path(name), []byte(text), 0o666); err != nil {
		h.t.Fatal(err)
	}
}

func (h hold) close() {
	h.t.Helper()
	h.write("came", "")
	h.write("closed", "")
}

func (h hold) open() { os.Remove(h.path("closed")) }

// until waits until a number of compilers have come since the hold was closed. Each build has one
// of them: that of the only package that has changed.
func (h hold) until(compilers int) {
	h.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if came, _ := os.ReadFile(h.path("came")); len(came) >= compilers {
			return
		}
	}
	h.t.Fatalf("fewer than %d builds have come to their compiler", compilers)
}

// TestSavesDuringBuild: a build that a save has outdated says nothing of what it would have found.
func TestSavesDuringBuild(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	held := newHold(t)
	s.start("-build", held.flag())

	held.close()
	s.version("v1")
	held.until(1)
	s.write("app/version.go", "package app\n\nconst Version = missing\n")
	held.until(2)
	s.version("v2")
	held.until(3)
	held.open()
	s.out.until(t, "flow: app/version.go changed: built in ")
	is.True(!strings.Contains(s.out.String(), "failed")) // no fault was told that is none any more
	s.shows("/", "<p>v2</p>")

	held.close()
	s.write("app/version.go", "package app\n\nvar Version = missing\n")
	held.until(1)
	s.write("app/late.go", "package app\n\nvar missing = \"v3\"\n")
	s.out.until(t, "flow: app/version.go changed: overtaken by the next change")
	held.open()
	s.out.until(t, "flow: app/late.go changed: built in ")
	s.shows("/", "<p>v3</p>")
}
