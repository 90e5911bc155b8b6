package scaffold

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/cmd/flow/internal/cli"
)

// lay writes files into a directory of its own, and makes it the working directory.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	return root
}

// contents reads all files below a directory, and notes directories with a slash.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		below, _ := filepath.Rel(root, name)
		below = filepath.ToSlash(below)
		if d.IsDir() {
			all[below+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(name)
		all[below] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// changes returns the names of the files that differ.
func changes(before, after map[string]string) (names []string) {
	for name, text := range after {
		if old, ok := before[name]; (!ok || old != text) && !strings.HasSuffix(name, "/") {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, "without "+name)
		}
	}
	slices.Sort(names)
	return names
}

// run runs a command as the tool does.
func run(dir string, args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	p := cli.Process{Dir: dir, Getenv: func(string) string { return "" }, Stdout: &out, Stderr: &errs}
	code = cli.Run(context.Background(), p, []cli.Command{New, Add}, args)
	return code, out.String(), errs.String()
}

func TestCreate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		want  []string // what is there afterwards, if it works
	}{
		{"files and directories", []string{"a/b/c.txt", "a/d.txt", "e.txt"}, []string{"a/", "a/b/", "a/b/c.txt", "a/d.txt", "e.txt", "there.txt"}},
		{"a file that is there", []string{"a/b/c.txt", "there.txt"}, nil},
		{"a directory that is a file", []string{"a/b/c.txt", "there.txt/d.txt"}, nil},
		{"a file that is a directory", []string{"a/b/c.txt", "a/b"}, nil},
		{"a file twice", []string{"a/b/c.txt", "a/b/c.txt"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, map[string]string{"there.txt": "old"})
			var files []file
			for _, name := range tt.files {
				files = append(files, file{filepath.Join(root, filepath.FromSlash(name)), []byte("new")})
			}
			undo, err := create(files)
			if tt.want == nil {
				is.True(err != nil)
				is.Equal(contents(t, root), map[string]string{"there.txt": "old"}) // nothing is left
				return
			}
			is.NoErr(err)
			is.Equal(slices.Sorted(maps.Keys(contents(t, root))), tt.want)
			undo()
			is.Equal(contents(t, root), map[string]string{"there.txt": "old"})
		})
	}
}

func TestReplace(t *testing.T) {
	is := is.New(t)
	root := lay(t, map[string]string{"a.txt": "old"})
	is.NoErr(os.Chmod("a.txt", 0o640))
	before, err := os.Stat("a.txt")
	is.NoErr(err)
	is.NoErr(replace(filepath.Join(root, "a.txt"), []byte("new")))
	is.Equal(contents(t, root), map[string]string{"a.txt": "new"})
	info, err := os.Stat("a.txt")
	is.NoErr(err)
	is.Equal(info.Mode(), before.Mode()) // whoever could read it can read it
	is.True(replace(filepath.Join(root, "b.txt"), nil) != nil)
	if err := os.Symlink("a.txt", "link.txt"); err == nil {
		is.NoErr(replace(filepath.Join(root, "link.txt"), []byte("newer")))
		is.Equal(contents(t, root), map[string]string{"a.txt": "newer", "link.txt": "newer"})
		is.NoErr(replace(filepath.Join(root, "a.txt"), []byte("new")))
		target, err := os.Readlink("link.txt")
		is.NoErr(err)
		is.Equal(target, "a.txt") // it is a link still
		is.NoErr(os.Remove("link.txt"))
	}
	is.Equal(contents(t, root), map[string]string{"a.txt": "new"})
}
