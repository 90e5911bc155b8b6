package export

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
)

const (
	// listName is the file that lists the files of an export. It is written before they are, so that
	// an export that was interrupted can be repeated.
	listName = ".flow-export"
	// tempName begins the name under which a file is written before it gets its own, so that nobody sees a
	// part of it. The rest is random: no other export at the same time writes to the same file.
	tempName = ".flow-export.tmp-"
	listHead = "# The files that an export has written here, and that the next one may replace or remove.\n"
)

// A dir is the directory that is exported to.
type dir struct {
	name    string
	temp    string
	before  map[string]bool // the files of the export before, as its list has them
	changed map[string]bool // the files that are not there as they should be
}

// openDir reads the list of a directory. A directory without a list must be empty but for what git keeps
// there, and for the list of an export that was interrupted before it had its name.
func openDir(name string) (*dir, error) {
	d := &dir{name: name, temp: tempName + rand.Text(), before: map[string]bool{}, changed: map[string]bool{}}
	root, err := os.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	list, err := root.ReadFile(listName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		entries, err := fs.ReadDir(root.FS(), ".")
		if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() != ".git" && !strings.HasPrefix(e.Name(), tempName) }); i >= 0 {
			return nil, fmt.Errorf("%s holds %s, and no %s: it is not the directory of an export: put what belongs to the site into public/, or choose an empty directory", name, entries[i].Name(), listName)
		}
		return d, err
	case err != nil:
		return nil, err
	case !strings.HasPrefix(string(list), listHead):
		return nil, fmt.Errorf("%s in %s is not the list of an export: choose another directory", listName, name)
	}
	for line := range strings.Lines(strings.TrimPrefix(string(list), listHead)) {
		if file := strings.TrimSuffix(line, "\n"); file != line && wrongName(file) == "" {
			d.before[file] = true
		}
	}
	return d, nil
}

// list returns the text of the list.
func list(names map[string]bool) []byte {
	var b strings.Builder
	b.WriteString(listHead)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		b.WriteString(name + "\n")
	}
	return []byte(b.String())
}

// compare finds the files that have to be written, and returns faults of what stands in their way.
func (d *dir) compare(files []file) (faults []fault.Fault) {
	now := map[string]bool{}
	for _, f := range files {
		now[f.name] = true
	}
	root, err := os.OpenRoot(d.name)
	if err != nil { // it is not there yet
		d.changed = now
		return nil
	}
	defer root.Close()
	for name := range d.before {
		if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() { // it is no file of an export any more
			delete(d.before, name)
		}
	}
	for _, f := range files {
		why, same := d.inTheWay(root, f, now)
		if d.changed[f.name] = !same; why != "" {
			faults = append(faults, fault.In(f.of, "%s cannot be written to %s: %s", f.name, d.name, why))
		}
	}
	return faults
}

// inTheWay says what keeps a file from being written, or returns "". same reports whether it is there
// already. now has the names of all files.
func (d *dir) inTheWay(root *os.Root, f file, now map[string]bool) (why string, same bool) {
	for parent := path.Dir(f.name); parent != "."; parent = path.Dir(parent) {
		switch info, err := root.Lstat(parent); {
		case err != nil: // it is not there, or not reached: see below
		case info.Mode()&fs.ModeSymlink != 0:
			if _, err := root.Stat(parent); err != nil {
				return fmt.Sprintf("%s is a symbolic link that leads out of the directory, or nowhere", parent), false
			}
		case !info.IsDir() && !d.goes(parent, now):
			return parent + " is a file of somebody else", false
		case !info.IsDir():
			return "", false
		}
	}
	info, err := root.Lstat(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false
	case err != nil:
		return err.Error(), false
	case info.IsDir():
		err := fs.WalkDir(root.FS(), f.name, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && !d.goes(name, now) {
				err = fmt.Errorf("it is a directory, and %s is a file of somebody else", name)
			}
			return err
		})
		if err != nil {
			return err.Error(), false
		}
		return "", false
	case !info.Mode().IsRegular():
		return "a symbolic link or another file that is none has that name", false
	}
	is, err := root.ReadFile(f.name)
	if err != nil {
		return err.Error(), false
	}
	content, err := f.content()
	if err != nil {
		return err.Error(), false
	}
	if bytes.Equal(is, content) {
		return "", true
	}
	if !d.before[f.name] {
		return "a file of somebody else has that name", false
	}
	return "", false
}

// goes reports whether a file is one of the export before, and none of this one.
func (d *dir) goes(name string, now map[string]bool) bool { return d.before[name] && !now[name] }

// write writes the files that have changed, and removes those of the export before that are gone.
func (d *dir) write(ctx context.Context, files []file) (written, removed int, err error) {
	if err := os.MkdirAll(d.name, 0o777); err != nil {
		return 0, 0, err
	}
	root, err := os.OpenRoot(d.name)
	if err != nil {
		return 0, 0, err
	}
	defer root.Close()
	now, both := map[string]bool{}, maps.Clone(d.before)
	for _, f := range files {
		now[f.name], both[f.name] = true, true
	}
	left, err := fs.Glob(root.FS(), tempName+"*") // of exports that were interrupted
	for _, name := range left {
		err = errors.Join(err, root.Remove(name))
	}
	if err != nil {
		return 0, 0, err
	}
	if err := d.put(root, listName, list(both)); err != nil {
		return 0, 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(d.before)) {
		if now[name] {
			continue
		}
		switch err := root.Remove(name); {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist):
			return written, removed, err
		}
		for parent := path.Dir(name); parent != "." && root.Remove(parent) == nil; { // which fails unless it is empty
			parent = path.Dir(parent)
		}
	}
	for _, f := range files {
		if !d.changed[f.name] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return written, removed, context.Cause(ctx)
		}
		content, err := f.content()
		if err != nil {
			return written, removed, err
		}
		if err := root.MkdirAll(path.Dir(f.name), 0o777); err != nil {
			return written, removed, err
		}
		if info, err := root.Lstat(f.name); err == nil && info.IsDir() { // without files: see inTheWay
			if err := root.RemoveAll(f.name); err != nil {
				return written, removed, err
			}
		}
		if err := d.put(root, f.name, content); err != nil {
			return written, removed, err
		}
		written++
	}
	if is, err := root.ReadFile(listName); err != nil || !bytes.Equal(is, list(both)) {
		return written, removed, fmt.Errorf("another export has written to %s at the same time: repeat one of them", d.name)
	}
	return written, removed, d.put(root, listName, list(now))
}

// put writes a file. The list is left as it is if it is there with this content.
func (d *dir) put(root *os.Root, name string, content []byte) error {
	if name == listName {
		if is, err := root.ReadFile(name); err == nil && bytes.Equal(is, content) {
			return nil
		}
	}
	err := root.WriteFile(d.temp, content, 0o666)
	if err == nil {
		err = root.Rename(d.temp, name)
	}
	if err != nil {
		root.Remove(d.temp) // such as a part of it on a full disk
	}
	return err
}
