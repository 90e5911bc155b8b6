package dev

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A watcher tells what changes in directories.
type watcher struct {
	fs      *fsnotify.Watcher
	watched map[string]bool // for the goroutine of the session
}

// newWatcher returns a watcher of no directory. touched is called by tell for each path
// that was written, made, renamed or removed; missed if there were more of them than the
// system could tell.
func newWatcher(tell func(func()), touched func(path string), missed func()) (*watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("cannot watch files: %w", err)
	}
	go func() {
		for e := range w.Events {
			if e.Op != fsnotify.Chmod && !ignoredFile(filepath.Base(e.Name)) {
				tell(func() { touched(e.Name) })
			}
		}
	}()
	go func() {
		for range w.Errors { // the overflow of a queue, as a rule
			tell(missed)
		}
	}()
	return &watcher{w, map[string]bool{}}, nil
}

// add watches directories. It calls touched for files of those that were not watched,
// if they have changed since then, so that nothing is missed that happened before.
func (w *watcher) add(dirs []string, since time.Time, touched func(path string)) error {
	for _, dir := range dirs {
		if w.watched[dir] {
			continue
		}
		switch err := w.fs.Add(dir); {
		case errors.Is(err, fs.ErrNotExist): // it is gone again
			continue
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EMFILE):
			return fmt.Errorf("cannot watch %s: the system lets a user watch no more directories (on Linux, see fs.inotify.max_user_watches and max_user_instances of sysctl): %w", dir, err)
		case err != nil:
			return fmt.Errorf("cannot watch %s: %w", dir, err)
		}
		w.watched[dir] = true
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // it is gone again
		}
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && !e.IsDir() && !info.ModTime().Before(since) {
				touched(filepath.Join(dir, e.Name()))
			}
		}
	}
	return nil
}

// forget notes that a path is gone: the system watches it no more, even if there will be
// a directory of that name again.
func (w *watcher) forget(path string) {
	for dir := range w.watched {
		if (fileSet{dir: true}).holds(path) {
			delete(w.watched, dir)
			_ = w.fs.Remove(dir) // a directory that was moved is still watched; a removed one is an error
		}
	}
}

func (w *watcher) close() { w.fs.Close() }
