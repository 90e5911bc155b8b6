// Package disk reads the application's directory in development. A [Dir] is a file system that
// follows no symbolic link out of its directory. A [Watcher] finds changes by the names, sizes
// and times of files, without reading them:
//
//	before := w.Look(start)
//	...
//	if now := w.Look(disk.Now()); !now.Same(before) {
//		// at least one file has changed
//	}
package disk

import (
	"errors"
	"io/fs"
	"os"
)

// A Dir is the file system of a directory, like os.DirFS, but a symbolic link that is absolute
// or leads out of the directory is an error: ErrLeadsOut. The directory is opened anew for
// each file, since an os.Root that stays open still shows the old directory after another one
// was moved into its place.
type Dir string

// Open implements fs.FS.
func (d Dir) Open(name string) (fs.File, error) { return inRoot(d, fs.FS.Open, name) }

// Stat implements fs.StatFS.
func (d Dir) Stat(name string) (fs.FileInfo, error) { return inRoot(d, fs.Stat, name) }

// ReadDir implements fs.ReadDirFS.
func (d Dir) ReadDir(name string) ([]fs.DirEntry, error) { return inRoot(d, fs.ReadDir, name) }

// ReadFile implements fs.ReadFileFS.
func (d Dir) ReadFile(name string) ([]byte, error) { return inRoot(d, fs.ReadFile, name) }

// inRoot calls read with the file system of an os.Root for the directory.
func inRoot[T any](d Dir, read func(fs.FS, string) (T, error), name string) (T, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		var none T
		return none, err
	}
	defer root.Close() // files opened in it stay open
	v, err := read(root.FS(), name)
	return v, leadsOut(root, name, err)
}

// leadsOut returns err, or ErrLeadsOut in place of the error of package os for a path that
// leaves root. Package os does not export that error, so that err is compared with the one of a
// path that certainly leaves root.
func leadsOut(root *os.Root, name string, err error) error {
	if err == nil {
		return nil
	}
	if _, outside := root.Stat(".."); errors.Is(err, errors.Unwrap(outside)) {
		return &fs.PathError{Op: "open", Path: name, Err: ErrLeadsOut}
	}
	return err
}

// ErrLeadsOut is the error for a symbolic link that a Dir does not follow.
var ErrLeadsOut = errors.New("a symbolic link that is absolute, or leads out of the directory of Dev, is not followed")

// IsDir reports whether a path of the operating system is a directory.
func IsDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
