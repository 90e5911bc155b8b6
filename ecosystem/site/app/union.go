package app

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// A union has the files of base, and those of other in its directory at, which base has, too.
type union struct {
	base, other fs.FS
	at          string
}

// Open implements fs.FS.
func (u union) Open(name string) (fs.File, error) {
	f, err := u.base.Open(name)
	if below, ok := u.below(name); ok && errors.Is(err, fs.ErrNotExist) {
		return u.other.Open(below)
	}
	return f, err
}

// ReadDir implements fs.ReadDirFS.
func (u union) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(u.base, name)
	below, ok := u.below(name)
	if !ok || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return entries, err
	}
	more, err := fs.ReadDir(u.other, below)
	entries = append(entries, more...)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

// below returns the name that a file has in other.
func (u union) below(name string) (string, bool) {
	if name == u.at {
		return ".", true
	}
	return strings.CutPrefix(name, u.at+"/")
}
