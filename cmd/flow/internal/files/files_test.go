package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

// lay writes files, given by name and text, into a directory of its own, which it returns.
func lay(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(root, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// contents returns the names of all files and directories below one, with the texts of files.
func contents(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintf(&b, "%s/\n", name)
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		fmt.Fprintf(&b, "%s %s\n", name, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// everything makes a change of each kind, and then the one that a test is about.
func everything(root string, last func(c *Changes) error) func(c *Changes) error {
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	return func(c *Changes) error {
		for _, err := range []error{
			c.Create(at("new/deep/a.txt"), []byte("a")),
			c.Create(at("new/b.txt"), []byte("b")),
			c.Replace(at("there.txt"), "old", "new"),
			c.Rename(at("gone/c.txt"), at("moved/here/c.txt")),
			c.RemoveDir(at("gone")),
			c.Rename(at("dir"), at("moved/dir")),
		} {
			if err != nil {
				return fmt.Errorf("before the last change: %w", err)
			}
		}
		return last(c)
	}
}

var laid = []string{"there.txt", "old", "gone/c.txt", "c", "dir/d.txt", "d"}

func TestAll(t *testing.T) {
	is := is.New(t)
	root := lay(t, laid...)
	is.NoErr(All(everything(root, func(*Changes) error { return nil })))
	is.Equal(contents(t, root), "./\nmoved/\nmoved/dir/\nmoved/dir/d.txt d\nmoved/here/\nmoved/here/c.txt c\nnew/\nnew/b.txt b\nnew/deep/\nnew/deep/a.txt a\nthere.txt new\n")
}

func TestAllTakesBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		last func(c *Changes, at func(string) string) error
		want string // what the error has in it
	}{
		{"an error of another kind", func(*Changes, func(string) string) error { return errors.New("enough") }, "enough"},
		{"a file that is there", func(c *Changes, at func(string) string) error { return c.Create(at("there.txt"), nil) }, "there.txt"},
		{"a file that is made already", func(c *Changes, at func(string) string) error { return c.Create(at("new/b.txt"), nil) }, "b.txt"},
		{"a directory that is a file", func(c *Changes, at func(string) string) error { return c.Create(at("there.txt/x.txt"), nil) }, "there.txt"},
		{"a file that is a directory", func(c *Changes, at func(string) string) error { return c.Create(at("new"), nil) }, "new"},
		{"a file with another text", func(c *Changes, at func(string) string) error { return c.Replace(at("moved/dir/d.txt"), "e", "f") }, "d.txt was changed in the meantime"},
		{"a file to write anew that is not there", func(c *Changes, at func(string) string) error { return c.Replace(at("no.txt"), "", "f") }, "no.txt"},
		{"a name that is taken", func(c *Changes, at func(string) string) error { return c.Rename(at("new/b.txt"), at("there.txt")) }, "there.txt exists already, and is not overwritten"},
		{"nothing to rename", func(c *Changes, at func(string) string) error { return c.Rename(at("no.txt"), at("far/x.txt")) }, "no.txt"},
		{"a directory that is not empty", func(c *Changes, at func(string) string) error { return c.RemoveDir(at("new")) }, "new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, laid...)
			before := contents(t, root)
			err := All(everything(root, func(c *Changes) error {
				return tt.last(c, func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) })
			}))
			is.True(err != nil)
			is.True(strings.Contains(err.Error(), tt.want))
			is.True(!strings.Contains(err.Error(), "before the last"))
			is.Equal(contents(t, root), before) // nothing is left
		})
	}
}

// panics returns what a call panics with.
func panics(do func()) (v any) {
	defer func() { v = recover() }()
	do()
	return nil
}

func TestAllTakesBackAfterAPanic(t *testing.T) {
	is := is.New(t)
	root := lay(t, laid...)
	before := contents(t, root)
	is.Equal(panics(func() { _ = All(everything(root, func(*Changes) error { panic("oops") })) }), "oops")
	is.Equal(contents(t, root), before)
}

// What cannot be taken back is said: here something else stands in a directory that is new.
func TestNotUndone(t *testing.T) {
	late := func(root string) {
		if err := os.WriteFile(filepath.Join(root, "new", "late.txt"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	is := is.New(t)
	root := lay(t, laid...)
	err := All(everything(root, func(*Changes) error { late(root); return errors.New("enough") }))
	is.True(strings.HasPrefix(err.Error(), "enough\nand it could not be taken back: "))

	root = lay(t, laid...)
	v, ok := panics(func() { _ = All(everything(root, func(*Changes) error { late(root); panic("oops") })) }).(NotUndone)
	is.True(ok)
	is.Equal(v.Panic, "oops")
	is.True(strings.Contains(v.Left.Error(), "new"))
}

func TestReplaceKeepsMode(t *testing.T) {
	is := is.New(t)
	root := lay(t, "a.txt", "old")
	name := filepath.Join(root, "a.txt")
	is.NoErr(os.Chmod(name, 0o640))
	before, err := os.Stat(name)
	is.NoErr(err)
	is.NoErr(replace(name, "new"))
	is.Equal(contents(t, root), "./\na.txt new\n")
	info, err := os.Stat(name)
	is.NoErr(err)
	is.Equal(info.Mode(), before.Mode()) // whoever could read it can read it
	is.True(replace(filepath.Join(root, "b.txt"), "") != nil)
	t.Run("through a link", func(t *testing.T) {
		is := is.New(t)
		link := filepath.Join(root, "link.txt")
		flowtest.Symlink(t, "a.txt", link)
		is.NoErr(replace(link, "newer"))
		is.Equal(contents(t, root), "./\na.txt newer\nlink.txt newer\n")
		target, err := os.Readlink(link)
		is.NoErr(err)
		is.Equal(target, "a.txt") // it is a link still
	})
}
