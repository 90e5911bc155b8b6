package move

import (
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Apply does what the plan says. If anything fails, all that was done is taken back, and
// the error says what failed.
func (p *Plan) Apply() (err error) {
	var undo []func() error
	defer func() {
		if err == nil {
			return
		}
		err = fmt.Errorf("nothing was moved: %w", err)
		for _, back := range slices.Backward(undo) {
			if failed := back(); failed != nil {
				err = errors.Join(err, fmt.Errorf("and it could not be taken back: %w", failed))
			}
		}
	}()
	done := func(back func() error) { undo = append(undo, back) }
	for _, file := range sortedKeys(p.Edits) {
		if err := p.write(file, done); err != nil {
			return err
		}
	}
	for _, r := range p.Renames {
		if err := r.apply(done); err != nil {
			return err
		}
	}
	for _, dir := range p.Emptied {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if err := os.Remove(dir); err != nil {
			return err
		}
		done(func() error { return os.Mkdir(dir, info.Mode().Perm()) })
	}
	return nil
}

// write writes a file anew with its edits, if it is still what they are for.
func (p *Plan) write(file string, done func(func() error)) error {
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if string(before) != p.texts[file] {
		return fmt.Errorf("%s was changed in the meantime: try again", Shown(file))
	}
	text := edited(p.texts[file], p.Edits[file])
	if strings.HasSuffix(file, ".go") && formatted(string(before)) == string(before) {
		text = formatted(text) // names of another length may stand in columns
	}
	if err := replace(file, text); err != nil {
		return err
	}
	done(func() error { return replace(file, string(before)) })
	return nil
}

// formatted returns Go code as gofmt writes it, if it can be parsed.
func formatted(code string) string {
	b, err := format.Source([]byte(code))
	if err != nil {
		return code
	}
	return string(b)
}

// replace writes a file in one step, with the mode that it has: who reads it finds the old
// text or the new one.
func replace(file, text string) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(target), ".flow-mv-*")
	if err != nil {
		return err
	}
	_, err = temp.WriteString(text)
	err = errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}

// edited returns a text with edits, which do not overlap.
func edited(text string, edits []Edit) string {
	edits = slices.SortedFunc(slices.Values(edits), func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return string(append(out, text[at:]...))
}

// apply renames one file or directory, and makes the directories that it needs.
func (r Rename) apply(done func(func() error)) error {
	if err := makeDirs(filepath.Dir(r.To), done); err != nil {
		return err
	}
	old, err := os.Lstat(r.From)
	if err != nil {
		return err
	}
	// Where case does not count, a name that differs in case only is the file itself.
	if there, err := os.Lstat(r.To); err == nil && !os.SameFile(old, there) {
		return fmt.Errorf("%s exists already, and is not overwritten", Shown(r.To))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(r.From, r.To); err != nil {
		return err
	}
	done(func() error { return os.Rename(r.To, r.From) })
	return nil
}

// makeDirs makes a directory with those around it.
func makeDirs(dir string, done func(func() error)) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeDirs(filepath.Dir(dir), done); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	done(func() error { return os.Remove(dir) })
	return nil
}
