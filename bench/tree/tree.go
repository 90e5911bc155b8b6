// Package tree is a file system in memory that knows its directories.
// testing/fstest.MapFS reads the names of all of its files for each directory, which with
// 10,000 files takes longer than all that is measured here.
package tree

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// An FS is a tree of files. It is made by New and only read after that.
type FS map[string]*node

// A node is a file or a directory: the fs.FileInfo and fs.DirEntry of itself.
type node struct {
	name     string
	text     string
	modified time.Time
	entries  []fs.DirEntry // of a directory, in order
	dir      bool
}

// New returns a tree with these files, by their paths. They were modified at the given
// time, which is zero for files as go:embed has them.
func New(texts map[string]string, modified time.Time) FS {
	t := FS{".": {name: ".", dir: true, modified: modified}}
	for file, text := range texts {
		t.add(file, &node{name: path.Base(file), text: text, modified: modified})
	}
	for _, n := range t {
		slices.SortFunc(n.entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return t
}

// add adds a node and the directories that it is in.
func (t FS) add(file string, n *node) {
	t[file] = n
	dir := path.Dir(file)
	if t[dir] == nil {
		t.add(dir, &node{name: path.Base(dir), dir: true, modified: n.modified})
	}
	t[dir].entries = append(t[dir].entries, n)
}

func (t FS) find(op, name string) (*node, error) {
	if n := t[name]; n != nil {
		return n, nil
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// Open implements fs.FS.
func (t FS) Open(name string) (fs.File, error) {
	n, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	return &file{node: n}, nil
}

// ReadDir implements fs.ReadDirFS.
func (t FS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.entries), nil
}

// ReadFile implements fs.ReadFileFS.
func (t FS) ReadFile(name string) ([]byte, error) {
	n, err := t.find("readfile", name)
	if err != nil {
		return nil, err
	}
	return []byte(n.text), nil
}

// Stat implements fs.StatFS.
func (t FS) Stat(name string) (fs.FileInfo, error) {
	n, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return int64(len(n.text)) }
func (n *node) ModTime() time.Time         { return n.modified }
func (n *node) IsDir() bool                { return n.dir }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) Sys() any                   { return nil }

func (n *node) Mode() fs.FileMode {
	if n.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// A file is an open file or directory.
type file struct {
	node *node
	at   int // in the text, or in the entries
}

func (f *file) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *file) Close() error               { return nil }

func (f *file) Read(b []byte) (int, error) {
	if f.at >= len(f.node.text) {
		return 0, io.EOF
	}
	n := copy(b, f.node.text[f.at:])
	f.at += n
	return n, nil
}

// Seek implements io.Seeker, which http.FileServerFS needs.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += int64(f.at)
	case io.SeekEnd:
		offset += int64(len(f.node.text))
	}
	if offset < 0 {
		return 0, &fs.PathError{Op: "seek", Path: f.node.name, Err: fs.ErrInvalid}
	}
	f.at = int(offset)
	return offset, nil
}

// ReadDir implements fs.ReadDirFile.
func (f *file) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := f.node.entries[f.at:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	f.at += len(rest)
	return slices.Clone(rest), nil
}
