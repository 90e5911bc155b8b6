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
		case near != "" && nearlyMeant(base):
			l.faults = append(l.faults, fault.In(f.file, "no template calls this partial%s", near))
		default:
			l.faults = append(l.faults, fault.Warn(f.file, 0, "no template calls this partial: delete it, unless flow.View renders it"))
		}
	}
}

// nearlyMeant reports whether a name is that of a layout or an error page but for its case
// or one letter that is missing, doubled or swapped with its neighbour. Other near names,
// +errors or +flyout, are likely to be meant.
func nearlyMeant(base string) bool {
	for _, meant := range []string{layoutName, errorName} {
		if base == meant {
			return true
		}
		for i := 1; i < len(meant); i++ {
			missing := meant[:i] + meant[i+1:]
			doubled := meant[:i] + meant[i:i+1] + meant[i:]
			swapped := ""
			if i+1 < len(meant) {
				swapped = meant[:i] + meant[i+1:i+2] + meant[i:i+1] + meant[i+2:]
			}
			if base == missing || base == doubled || base == swapped {
				return true
			}
		}
	}
	return false
}
