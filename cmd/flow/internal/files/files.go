// Package files changes files on disk, all of them or none: [All] takes back what was done if
// anything fails or panics.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Changes are those that All has begun. If a method returns an error, the function that All
// has called should return it.
type Changes struct {
	undo []func() error // of what was done
}

// All calls do, which changes files by the methods of its argument. If do returns an error or
// panics, what it did is taken back. If that fails too, the error says so, and a panic has a
// NotUndone as its value.
func All(do func(c *Changes) error) (err error) {
	c := &Changes{}
	returned := false
	defer func() {
		if !returned {
			v := recover()
			if left := c.takeBack(); left != nil {
				v = NotUndone{v, left}
			}
			panic(v)
		}
		if err != nil {
			err = errors.Join(err, c.takeBack())
		}
	}()
	err = do(c)
	returned = true
	return err
}

// A NotUndone is the value of a panic after which not all changes could be taken back.
type NotUndone struct {
	Panic any // the value of the panic itself
	Left  error
}

// takeBack undoes what was done, the last first.
func (c *Changes) takeBack() (err error) {
	for _, back := range slices.Backward(c.undo) {
		if failed := back(); failed != nil {
			err = errors.Join(err, fmt.Errorf("and it could not be taken back: %w", failed))
		}
	}
	return err
}

// change does something that back undoes.
func (c *Changes) change(it, back func() error) error {
	if err := it(); err != nil {
		return err
	}
	c.undo = append(c.undo, back)
	return nil
}

// Create makes a file, and the directories that it needs. A file that exists is an error.
func (c *Changes) Create(name string, text []byte) error {
	if err := c.makeDirs(filepath.Dir(name)); err != nil {
		return err
	}
	w, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	c.undo = append(c.undo, func() error { return os.Remove(name) })
	_, err = w.Write(text)
	return errors.Join(err, w.Close())
}

// makeDirs makes a directory and those that it is in, as far as they are not there.
func (c *Changes) makeDirs(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err // if it is a file, making what is in it fails
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := c.makeDirs(parent); err != nil {
			return err
		}
	}
	return c.change(func() error { return os.Mkdir(dir, 0o777) }, func() error { return os.Remove(dir) })
}

// Replace writes a file anew. That it holds something else than before is an error.
func (c *Changes) Replace(name, before, text string) error {
	now, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if string(now) != before {
		return fmt.Errorf("%s was changed in the meantime: try again", name)
	}
	return c.change(func() error { return replace(name, text) }, func() error { return replace(name, before) })
}

// replace writes a file anew in one step: whoever reads it meanwhile sees the old text or
// the new one. Of a symbolic link it replaces the file that it leads to.
func replace(name, text string) error {
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
	_, err = w.WriteString(text)
	if err := errors.Join(err, w.Chmod(info.Mode().Perm()), w.Close()); err != nil {
		return err
	}
	return os.Rename(w.Name(), name)
}

// Rename gives a file or a directory another name, and makes the directories that it needs.
// A name that is taken is an error.
func (c *Changes) Rename(from, to string) error {
	if err := c.makeDirs(filepath.Dir(to)); err != nil {
		return err
	}
	old, err := os.Lstat(from)
	if err != nil {
		return err
	}
	// Where case does not count, a name that differs in case only is the file itself.
	if there, err := os.Lstat(to); err == nil && !os.SameFile(old, there) {
		return fmt.Errorf("%s exists already, and is not overwritten", to)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.change(func() error { return os.Rename(from, to) }, func() error { return os.Rename(to, from) })
}

// RemoveDir removes a directory, which has to be empty.
func (c *Changes) RemoveDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	return c.change(func() error { return os.Remove(dir) }, func() error { return os.Mkdir(dir, info.Mode().Perm()) })
}
