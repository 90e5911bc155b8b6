package livereload

import (
	"path"

	"example.com/flow/internal/develop/disk"
)

// differs reports whether two snapshots differ in style sheets, and in other files.
func differs(before, now *disk.Snapshot) (styles, others bool) {
	if before == now || before.Same(now) {
		return false, false
	}
	compare := func(s, other *disk.Snapshot) {
		for _, e := range s.Entries {
			if f := other.Entry(e.Name); f != nil && f.Same(&e) {
				continue
			}
			if path.Ext(e.Name) == ".css" {
				styles = true
			} else {
				others = true
			}
		}
	}
	compare(before, now)
	compare(now, before) // which finds new files
	return styles, others
}
