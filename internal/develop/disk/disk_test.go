package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func TestDir(t *testing.T) {
	is := is.New(t)
	outside, inside := t.TempDir(), t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	is.NoErr(os.WriteFile(filepath.Join(inside, "a"), []byte("a"), 0o600))
	flowtest.Symlink(t, "a", filepath.Join(inside, "near"))
	flowtest.Symlink(t, filepath.Join(outside, "secret"), filepath.Join(inside, "far"))
	flowtest.Symlink(t, outside, filepath.Join(inside, "dir"))
	d := Dir(inside)
	for _, tt := range []struct {
		name string
		want error // of reading it
	}{
		{"a", nil}, {"near", nil}, {"far", ErrLeadsOut}, {"dir/secret", ErrLeadsOut}, {"none", fs.ErrNotExist},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			b, err := fs.ReadFile(d, tt.name)
			is.True(errors.Is(err, tt.want))
			is.Equal(string(b) == "a", tt.want == nil)
			_, err = fs.Stat(d, tt.name)
			is.True(errors.Is(err, tt.want))
		})
	}
	entries, err := fs.ReadDir(d, ".")
	is.NoErr(err)
	is.Equal(len(entries), 4)
	// Another directory may have taken the place of the first.
	is.NoErr(os.RemoveAll(inside))
	is.NoErr(os.Mkdir(inside, 0o700))
	is.NoErr(os.WriteFile(filepath.Join(inside, "a"), []byte("b"), 0o600))
	b, err := fs.ReadFile(d, "a")
	is.NoErr(err)
	is.Equal(string(b), "b")
}
