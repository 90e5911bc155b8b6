package public

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/accept"
)

// of returns all public files of a tree.
func of(tree fstest.MapFS) *Files { return NewFiles(tree, slices.Collect(maps.Keys(tree))) }

func TestFilesHaveFormsBesideThem(t *testing.T) {
	is := is.New(t)
	files := NewFiles(fstest.MapFS{
		"a.css":     {Data: []byte("a{}")},
		"a.css.br":  {Data: []byte("br")},
		"a.css.zst": {Data: []byte("zstd")},
		"a.css.gz":  {Data: []byte("hidden")},
		"a.css.txt": {Data: []byte("another file")},
	}, []string{"a.css", "a.css.br", "a.css.zst", "a.css.txt"})
	c, err := files.Content("a.css")
	is.NoErr(err)
	is.Equal(c.contentType, []string{"text/css; charset=utf-8"})
	is.Equal(string(c.representations[accept.Identity].body), "a{}")
	is.Equal(string(c.representations[accept.Brotli].body), "br")
	is.Equal(string(c.representations[accept.Zstd].body), "zstd")
	is.True(c.representations[accept.Gzip] == nil)
	is.True(c.Held())
	br, err := files.Content("a.css.br")
	is.NoErr(err)
	is.Equal(br.contentType, []string{"application/x-brotli"})
	is.True(&br.representations[accept.Identity].body[0] == &c.representations[accept.Brotli].body[0]) // it is held once
}

func TestFilesAreHeldUpToASize(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int
		held bool
	}{
		{"a.mp4", maxHeld, true},
		{"a.mp4", maxHeld + 1, false},
		{"a.css", maxHeld + 1, true},
		{"a.css", maxHeldCompressible, true},
		{"a.css", maxHeldCompressible + 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			c, err := of(fstest.MapFS{tt.name: {Data: make([]byte, tt.size)}, tt.name + ".br": {Data: []byte("br")}}).Content(tt.name)
			is.NoErr(err)
			is.Equal(c.Held(), tt.held)
			is.Equal(c.representations[accept.Identity].size, int64(tt.size))
			is.Equal(c.representations[accept.Brotli].files, nil) // which is small
		})
	}
}

// A sequence is a file system whose files can be read from their beginning only.
type sequence struct{ fs.FS }

func (s sequence) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return struct{ fs.File }{f}, err
}

func TestOpen(t *testing.T) {
	tree := fstest.MapFS{"a.txt": {Data: []byte("0123456789")}}
	for name, files := range map[string]fs.FS{"at any offset": tree, "read whole": sequence{tree}} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			f, err := Open(files, "a.txt")
			is.NoErr(err)
			b := make([]byte, 3)
			_, err = f.ReadAt(b, 4)
			is.NoErr(err)
			is.Equal(string(b), "456")
			is.Equal(f.Size(), int64(10))
			b, err = io.ReadAll(f)
			is.NoErr(err)
			is.True(bytes.Equal(b, tree["a.txt"].Data))
			is.NoErr(f.Close())
			_, err = Open(files, "none.txt")
			is.True(err != nil)
		})
	}
}
