package livereload

import (
	"io/fs"
	"path"

	"example.com/flow/internal/dev/disk"
)

// A stamp is the state of a file that changes when the file does. The stamp of a directory
// has its mode only, since the files in it have stamps of their own.
type stamp struct {
	size int64
	time int64 // of the last change, in nanoseconds
	mode fs.FileMode
}

// stamps returns the stamps of the files in a snapshot, by name. It leaves out files whose
// state could not be read.
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

// differs reports whether two snapshots differ in style sheets, and in other files.
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
