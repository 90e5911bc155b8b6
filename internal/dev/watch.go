package dev

import (
	"io/fs"
	"path"

	"example.com/flow/internal/disk"
)

// A stamp changes when a file does. One of a directory does not, since what is in it has
// stamps of its own.
type stamp struct {
	size int64
	time int64 // in nanoseconds
	mode fs.FileMode
}

// stamps returns the stamps of files by their names. What cannot be looked at counts as not
// there.
func stamps(s *disk.Snapshot) map[string]stamp {
	all := make(map[string]stamp, len(s.Entries))
	for _, e := range s.Entries {
		switch {
		case e.Info == nil:
		case e.Info.IsDir():
			all[e.Name] = stamp{mode: e.Info.Mode()}
		default:
			all[e.Name] = stamp{e.Info.Size(), e.Info.ModTime().UnixNano(), e.Info.Mode()}
		}
	}
	return all
}

// differs tells what differs between two snapshots: public style sheets, and others.
func differs(before, now *disk.Snapshot) (styles, others bool) {
	if before == now || before.Same(now) {
		return false, false
	}
	note := func(name string) {
		if path.Ext(name) == ".css" {
			styles = true
		} else {
			others = true
		}
	}
	old, current := stamps(before), stamps(now)
	for name, was := range old {
		if is, ok := current[name]; !ok || is != was {
			note(name)
		}
	}
	for name := range current {
		if _, ok := old[name]; !ok {
			note(name)
		}
	}
	return styles, others
}
