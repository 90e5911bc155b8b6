package pages

import (
	"path"
	"strings"

	"example.com/flow/internal/fault"
)

// uncalled reports the partials of the application that no template calls. One whose name
// is nearly that of a +file with a meaning of its own is likely that file, and without it
// pages have no layout or no error page: that is a fault. Others may be for View alone,
// which only the running program knows: they are warnings.
// If a file cannot be parsed, nobody knows what it calls.
func (l *library) uncalled(called map[string]bool) {
	for _, f := range l.files {
		if f.broken {
			return
		}
	}
	for name, f := range l.files {
		if !isPartial(name) || f.shared || called[f.file] {
			continue
		}
		base := strings.ToLower(path.Base(name))
		near := fault.Suggest(base, map[string]bool{layoutName: true, errorName: true}, "")
		switch {
		case base == "+page":
			l.faults = append(l.faults, fault.In(f.file, "no template calls this partial, and it has no URL: a page is called by its URL, and the page of a directory index.html"))
		case near != "":
			l.faults = append(l.faults, fault.In(f.file, "no template calls this partial%s", near))
		default:
			l.faults = append(l.faults, fault.Warn(f.file, 0, "no template calls this partial: delete it, unless flow.View renders it"))
		}
	}
}
