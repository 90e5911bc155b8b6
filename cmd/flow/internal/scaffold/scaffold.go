// Package scaffold writes what is tedious to write by hand: "flow new" a whole
// application, and "flow add" a route file, its counterpart and a row of the test. Both
// check first and write then, overwrite nothing, and leave nothing behind if they fail.
package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A file is one to be made.
type file struct {
	name string // absolute
	text []byte
}

// create makes files, and the directories that they need. A file that exists is an error.
// After an error, nothing is left of what was made; undo does that later.
func create(files []file) (undo func(), err error) {
	var made []string
	undo = func() {
		for _, name := range slices.Backward(made) {
			os.Remove(name)
		}
	}
	for _, f := range files {
		dirs, err := makeDirs(filepath.Dir(f.name))
		made = append(made, dirs...)
		if err == nil {
			err = createFile(f, &made)
		}
		if err != nil {
			undo()
			return nil, err
		}
	}
	return undo, nil
}

func createFile(f file, made *[]string) error {
	w, err := os.OpenFile(f.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	*made = append(*made, f.name)
	_, err = w.Write(f.text)
	return errors.Join(err, w.Close())
}

// makeDirs makes a directory and those that it is in, and returns those that were not
// there, the outermost first, also with an error.
func makeDirs(dir string) (made []string, err error) {
	_, err = os.Stat(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err // if it is a file, making what is in it fails
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = makeDirs(parent); err != nil {
			return made, err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return made, err
	}
	return append(made, dir), nil
}

// replace writes a file anew in one step: whoever reads it meanwhile sees the old text or
// the new one. Of a symbolic link it replaces the file that it leads to.
func replace(name string, text []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	w, err := os.CreateTemp(filepath.Dir(name), ".flow-*")
	if err != nil {
		return err
	}
	defer os.Remove(w.Name()) // in vain once it is renamed
	_, err = w.Write(text)
	if err := errors.Join(err, w.Chmod(info.Mode().Perm()), w.Close()); err != nil {
		return err
	}
	return os.Rename(w.Name(), name)
}
