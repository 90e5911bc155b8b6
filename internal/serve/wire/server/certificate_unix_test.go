//go:build unix

package server_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/servertest"
)

// TestSlowDisk: only the handshake that looks at the files waits for the disk. If the present
// certificate has ended while nobody came, all that come at once wait, and are served the new
// one.
func TestSlowDisk(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pause time.Duration
		want  string // is shown to those that do not look
	}{
		{"the present one is valid", 10 * time.Minute, "1"},
		{"the present one has ended", 8 * time.Hour, "2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				dir, other := t.TempDir(), t.TempDir()
				inPlace(t, dir, servertest.NewCertificate(1, time.Now().Add(time.Hour)))
				inPlace(t, other, servertest.NewCertificate(3, far))
				s, elsewhere := serveFiles(t, dir), serveFiles(t, other)
				second := servertest.NewCertificate(2, far)
				inPlace(t, dir, second)
				key := pipe(t, dir)
				time.Sleep(tt.pause)

				looks, others := make(chan string, 1), make(chan string, 20)
				go func() { looks <- s.shown() }()
				disk, err := os.OpenFile(key, os.O_WRONLY, 0)
				is.NoErr(err) // now the first one reads
				for range cap(others) {
					go func() { others <- s.shown() }()
				}
				if tt.want == "1" {
					for range cap(others) {
						is.Equal(<-others, "1")
					}
				}
				for range 10 { // meanwhile the others have come
					is.Equal(elsewhere.shown(), "3")
				}
				_, text := servertest.PEM(t, second)
				_, err = disk.Write(text)
				is.NoErr(err)
				is.NoErr(disk.Close())
				is.Equal(<-looks, "2") // it serves what it has found
				if tt.want == "2" {
					for range cap(others) {
						is.Equal(<-others, "2")
					}
				}
			})
		})
	}
}

// pipe puts a pipe in the place of the key in a directory, and returns its path.
func pipe(t testing.TB, dir string) string {
	t.Helper()
	key := filepath.Join(dir, "key.pem")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(key, 0o600); err != nil {
		t.Fatal(err)
	}
	return key
}

// TestPipeIsReadOnce: a pipe has nothing to read a second time, and who opens it would wait.
func TestPipeIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		dir := t.TempDir()
		first := servertest.NewCertificate(1, far)
		inPlace(t, dir, first)
		key := pipe(t, dir)
		_, text := servertest.PEM(t, first)
		go os.WriteFile(key, text, 0o600)
		s := serveFiles(t, dir)
		time.Sleep(10 * time.Second)
		is.Equal(s.shown(), "1")
	})
}
