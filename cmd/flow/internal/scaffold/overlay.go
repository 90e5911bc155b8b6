package scaffold

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// An overlay is a directory with one more file, which is empty.
type overlay struct {
	fs.FS
	file string
}

// has reports whether the file is one of the directory, or lies in it further down, and
// returns the next name on the way.
func (o overlay) has(dir string) (entry, bool) {
	rest, ok := strings.CutPrefix(o.file, dir+"/")
	if dir == "." {
		rest, ok = o.file, true
	}
	name, _, more := strings.Cut(rest, "/")
	return entry{name, more}, ok
}

// Stat implements fs.StatFS.
func (o overlay) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(o.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, ok := o.has(name); ok || name == o.file {
			return entry{path.Base(name), ok}, nil
		}
	}
	return info, err
}

// ReadDir implements fs.ReadDirFS.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	added, ok := o.has(name)
	if !ok {
		return entries, err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return entries, err
	}
	i, found := slices.BinarySearchFunc(entries, added.name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
	if !found {
		entries = slices.Insert(entries, i, fs.DirEntry(added))
	}
	return entries, nil
}

// An entry is a name on the way to the file that is added.
type entry struct {
	name string
	dir  bool
}

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.dir }
func (e entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }
func (e entry) Size() int64                { return 0 }
func (e entry) ModTime() time.Time         { return time.Time{} }
func (e entry) Sys() any                   { return nil }

func (e entry) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
