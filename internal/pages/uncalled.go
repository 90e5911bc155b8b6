package pages

import (
	"maps"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
)

// uncalled reports the partials of the application that no template calls. One whose name
// is nearly that of a +file with a meaning of its own is likely that file, and without it
// pages have no layout or no error page: that is a fault. Others may be for View alone,
// which only the running program knows: they are warnings. Those of flow.ViewOf are known.
// A file that cannot be parsed may call any partial whose name stands in it.
func (l *library) reportUncalled() {
	unread := ""
	for _, f := range l.files {
		if f.broken {
			unread += f.text + "\n"
		}
	}
	for name, f := range l.files {
		if !isPartial(name) || f.shared || l.called[f.file] || len(l.data[f]) > 0 || strings.Contains(unread, path.Base(name)) {
			continue
		}
		base := strings.ToLower(path.Base(name))
		near := fault.Suggest(base, map[string]bool{layoutName: true, errorName: true}, "")
		switch {
		case base == "+page":
			l.faults = append(l.faults, fault.In(f.file, "no template calls this partial, and it has no URL: a page is called by its URL, and the page of a directory index.html"))
		case near != "" && (isTypo(base, layoutName) || isTypo(base, errorName)):
			l.faults = append(l.faults, fault.In(f.file, "no template calls this partial%s", near))
		default:
			l.faults = append(l.faults, fault.Warn(f.file, 0, "no template calls this partial: delete it, unless flow.View renders it"))
		}
	}
}

// isTypo reports whether a name is another one but for its case or one letter that is missing,
// doubled or swapped with its neighbour. Other near names, +errors or +flyout, and the singular
// of a plural, are likely to be meant.
func isTypo(name, meant string) bool {
	name, meant = strings.ToLower(name), strings.ToLower(meant)
	switch {
	case name == meant:
		return true
	case name+"s" == meant: // "row" beside "rows"
		return false
	}
	for i := range len(meant) {
		missing := meant[:i] + meant[i+1:]
		doubled := meant[:i] + meant[i:i+1] + meant[i:]
		swapped := ""
		if i+1 < len(meant) {
			swapped = meant[:i] + meant[i+1:i+2] + meant[i:i+1] + meant[i+2:]
		}
		if name == missing || name == doubled || name == swapped {
			return true
		}
	}
	return false
}

// misspelt returns a fault for each {{define}} of a page or a layout that nothing shows, and
// that is likely meant to fill a block of another file of the set. A page may define what
// only Block shows: so a name that is near, and no slip, is only warned about.
func (b *setBuilder) misspelt(f *templateFile) (faults []fault.Fault) {
	if len(f.trees) == 1 {
		return nil
	}
	asked := map[string]bool{} // of other files, and not filled by this one
	for _, other := range b.set.byFile {
		for name := range other.calls {
			if other != f && b.set.trees[name] != nil && b.set.byFile[name] == nil && f.trees[name] == nil {
				asked[name] = true
			}
		}
	}
	for name, t := range f.trees {
		if name == f.file || name == slot {
			continue
		}
		near := fault.Suggest(name, asked, "")
		if near != "" {
			b.set.doubts[name] = b.called[name]
		}
		slip := slices.ContainsFunc(slices.Collect(maps.Keys(asked)), func(meant string) bool { return isTypo(name, meant) })
		switch {
		case near == "" || b.called[name]:
		case slip:
			faults = append(faults, fault.InLine(f.file, lineOf(t, t.Root), "{{define %q}}: no template asks for it%s", name, near))
		default:
			faults = append(faults, fault.Warn(f.file, lineOf(t, t.Root), "{{define %q}}: no template asks for it, only Block can show it%s", name, near))
		}
	}
	return faults
}
