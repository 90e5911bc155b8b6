package export

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
)

// TestTwoAtOnce: of two exports to one directory at the same time, none writes a part of the other's files,
// and one that another has disturbed says so.
func TestTwoAtOnce(t *testing.T) {
	is := is.New(t)
	name := t.TempDir()
	write := func(files []file) error {
		d, err := openDir(name)
		is.NoErr(err)
		d.compare(files)
		_, _, err = d.write(context.Background(), files)
		return err
	}
	of := func(letter string) (files []file) {
		for i := range 20 {
			files = append(files, file{fmt.Sprint("f", i), "", content(strings.Repeat(letter, 100_000+i))})
		}
		return files
	}
	for range 5 {
		var wg sync.WaitGroup
		for _, letter := range []string{"a", "b"} {
			wg.Go(func() { write(of(letter)) }) // an error is as good
		}
		wg.Wait()
		for i := range 20 {
			b, err := os.ReadFile(filepath.Join(name, fmt.Sprint("f", i)))
			if err == nil && (len(b) != 100_000+i || bytes.Count(b, b[:1]) != len(b)) {
				t.Fatalf("f%d has %d bytes, %d of them %q", i, len(b), bytes.Count(b, b[:1]), b[:1])
			}
		}
	}

	err := write([]file{{"x", "", func() ([]byte, error) { return nil, write([]file{{"y", "", content("")}}) }}})
	is.True(err != nil)
	is.Equal(err.Error(), fmt.Sprintf("another export has written to %s at the same time: repeat one of them", name))
}

// TestEmptyDirectory: a directory that an interrupted export has left empty does not keep a file from being
// written.
func TestEmptyDirectory(t *testing.T) {
	is := is.New(t)
	name := t.TempDir()
	exportTo(t, name, nil)
	is.NoErr(os.MkdirAll(filepath.Join(name, "about", "us"), 0o777))
	written, _ := exportTo(t, name, []file{{"about", "", content("x")}})
	is.Equal(written, 1)
}

// TestFailedWrite: an export that cannot write a file leaves no part of it.
func TestFailedWrite(t *testing.T) {
	is := is.New(t)
	name := t.TempDir()
	d, err := openDir(name)
	is.NoErr(err)
	root, err := os.OpenRoot(name)
	is.NoErr(err)
	defer root.Close()
	is.True(d.put(root, "no/such/directory", []byte("x")) != nil)
	entries, err := fs.ReadDir(root.FS(), ".")
	is.NoErr(err)
	is.Equal(len(entries), 0)
}
