// Package disk reads a directory in development, and follows no symbolic link that leads
// out of it. A [Watcher] tells what has changed there, without reading any file.
package disk

import (
	"errors"
	"io/fs"
	"os"
)

// A Dir is a directory of which no symbolic link leads out. It is opened anew for each
// file: an os.Root that stays open would go on to show the old directory once another
// has taken its place.
type Dir string

// Open opens a file, as the file systems of package os do.
func (d Dir) Open(name string) (fs.File, error) { return inRoot(d, fs.FS.Open, name) }

// Stat implements fs.StatFS.
func (d Dir) Stat(name string) (fs.FileInfo, error) { return inRoot(d, fs.Stat, name) }

// ReadDir implements fs.ReadDirFS.
func (d Dir) ReadDir(name string) ([]fs.DirEntry, error) { return inRoot(d, fs.ReadDir, name) }

// ReadFile implements fs.ReadFileFS.
func (d Dir) ReadFile(name string) ([]byte, error) { return inRoot(d, fs.ReadFile, name) }

func inRoot[T any](d Dir, read func(fs.FS, string) (T, error), name string) (T, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		var none T
		return none, err
	}
	defer root.Close() // a file that was opened in it stays open
	v, err := read(root.FS(), name)
	return v, leadsOut(root, name, err)
}

// leadsOut returns an error about a name in root, or ErrLeadsOut in place of that of package
// os, which does not export its own. To compare err with it, one is provoked here.
func leadsOut(root *os.Root, name string, err error) error {
	if err == nil {
		return nil
	}
	if _, outside := root.Stat(".."); errors.Is(err, errors.Unwrap(outside)) {
		return &fs.PathError{Op: "open", Path: name, Err: ErrLeadsOut}
	}
	return err
}

// ErrLeadsOut is the error for a link that is not followed.
var ErrLeadsOut = errors.New("a symbolic link that is absolute, or leads out of the directory of Dev, is not followed")

// IsDir reports whether a name of the operating system is that of a directory.
func IsDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
