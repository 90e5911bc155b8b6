package dev

import (
	"io/fs"
	"path"
	"strconv"
	"time"
)

// A snapshot is how files were at one time, by their names.
type snapshot map[string]stamp

// A stamp changes when a file does.
type stamp struct {
	size int64
	time time.Time
	mode fs.FileMode
}

// watched are the directories whose files are looked at.
var watched = []string{"router", "public"}

// snap looks at the files of several file systems. What cannot be read counts as not there.
func snap(all []fs.FS) snapshot {
	s := snapshot{}
	for i, files := range all {
		for _, dir := range watched {
			fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
				if err != nil {
					return nil
				}
				if info, err := d.Info(); err == nil {
					size, changed := info.Size(), info.ModTime()
					if d.IsDir() {
						size, changed = 0, time.Time{} // they change with what is in them
					}
					s[strconv.Itoa(i)+"/"+name] = stamp{size, changed, info.Mode()}
				}
				return nil
			})
		}
	}
	return s
}

// differs tells what differs between two snapshots: public style sheets, and others.
func (s snapshot) differs(now snapshot) (styles, others bool) {
	note := func(name string) {
		if path.Ext(name) == ".css" {
			styles = true
		} else {
			others = true
		}
	}
	for name, was := range s {
		if is, ok := now[name]; !ok || !is.time.Equal(was.time) || is.size != was.size || is.mode != was.mode {
			note(name)
		}
	}
	for name := range now {
		if _, ok := s[name]; !ok {
			note(name)
		}
	}
	return styles, others
}
