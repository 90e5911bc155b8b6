package scaffold

import (
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
)

// TestOverlay compares trees with a file added and trees that have it.
func TestOverlay(t *testing.T) {
	for _, file := range []string{"router/users/[id].html", "router/a.html", "router/zz.http", "router/new/deep/x.html", "router/users.html"} {
		t.Run(file, func(t *testing.T) {
			is := is.New(t)
			base := fstest.MapFS{"router/index.html": {}, "router/users/index.html": {}, "public/app.css": {}}
			whole := maps.Clone(base)
			whole[file] = &fstest.MapFile{}
			is.Equal(walked(t, overlay{base, file}), walked(t, whole))
		})
	}
	t.Run("a file that is there", func(t *testing.T) {
		is := is.New(t)
		base := fstest.MapFS{"router/index.html": {Data: []byte("text")}}
		is.Equal(walked(t, overlay{base, "router/index.html"}), walked(t, base))
		info, err := fs.Stat(overlay{base, "router/index.html"}, "router/index.html")
		is.NoErr(err)
		is.Equal(info.Size(), int64(4))
	})
	t.Run("an empty directory", func(t *testing.T) {
		is := is.New(t)
		is.Equal(walked(t, overlay{fstest.MapFS{}, "router/a.html"}), []string{". d", "router d", "router/a.html -"})
	})
	t.Run("what is not there", func(t *testing.T) {
		is := is.New(t)
		_, err := fs.Stat(overlay{fstest.MapFS{}, "router/a.html"}, "public")
		is.True(err != nil)
		_, err = fs.ReadDir(overlay{fstest.MapFS{}, "router/a.html"}, "public")
		is.True(err != nil)
	})
}

// walked lists a file system.
func walked(t *testing.T, fsys fs.FS) (names []string) {
	t.Helper()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := fs.Stat(fsys, name)
		if err != nil || info.IsDir() != d.IsDir() || info.Mode().IsRegular() != d.Type().IsRegular() {
			t.Errorf("Stat(%q): %v, %v", name, info, err)
		}
		kind := " -"
		if d.IsDir() {
			kind = " d"
		}
		names = append(names, name+kind)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clip(names)
}
