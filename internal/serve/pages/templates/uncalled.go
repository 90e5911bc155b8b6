package templates

import (
	"maps"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
)

// reportUncalled reports the partials of the application that no template calls. If the name
// is a misspelling of +layout or +error, that is a fault: pages would lack a layout or an
// error page. Otherwise it is a warning, since the program may render the partial by View.
//
// It does not report a partial that ViewOf declares, or whose name appears in a file that
// cannot be parsed.
func (l *library) reportUncalled() {
	unread := ""
	for _, f := range l.files {
		if f.broken {
			unread += f.text + "\n"
		}
	}
	for name, f := range l.partialFiles {
		if f.shared || l.called[f.file] || len(l.data[f]) > 0 || strings.Contains(unread, path.Base(name)) {
			continue
		}
		base := strings.ToLower(path.Base(name))
		switch {
		case base == "+page":
			l.faults = append(l.faults, fault.In(f.file, "no template calls this partial, and it has no URL: a page is called by its URL, and the page of a directory index.html"))
		case isTypo(base, layoutName) || isTypo(base, errorName):
			near := fault.Suggest(base, map[string]bool{layoutName: true, errorName: true}, "")
			l.faults = append(l.faults, fault.In(f.file, "no template calls this partial%s", near))
		default:
			l.faults = append(l.faults, fault.Warn(f.file, 0, "no template calls this partial: delete it, unless flow.View renders it"))
		}
	}
}

// isTypo reports whether a name differs from another one only in case, or in one letter that
// is missing, doubled or swapped with its neighbour. Other similar names, such as +errors or
// +flyout, and the singular of a plural, are likely to be intended.
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

// misspelt reports each {{define}} of a page or a layout that no template calls, and whose
// name is similar to that of a block in another file of the set. If the name is not a typo by
// isTypo, that is a warning, since the page may define the template for Response.Block.
func (b *setBuilder) misspelt(f *templateFile) {
	if len(f.trees) == 1 { // only its own
		return
	}
	blocks := map[string]bool{} // that other files call and this one does not define
	for _, other := range b.set.byFile {
		for name := range other.calls {
			if other != f && b.set.trees[name] != nil && b.set.byFile[name] == nil && f.trees[name] == nil {
				blocks[name] = true
			}
		}
	}
	for _, t := range f.sorted {
		name := t.Name
		if name == f.file || name == slot {
			continue
		}
		near := fault.Suggest(name, blocks, "")
		if near == "" {
			continue
		}
		if b.set.maybeMisspelt == nil { // few sets have such names
			b.set.maybeMisspelt = map[string]bool{}
		}
		b.set.maybeMisspelt[name] = b.called[name]
		line := lineOf(t, t.Root)
		switch typo := func(meant string) bool { return isTypo(name, meant) }; {
		case b.called[name]:
		case slices.ContainsFunc(slices.Collect(maps.Keys(blocks)), typo):
			b.faults = append(b.faults, fault.InLine(f.file, line, "{{define %q}}: no template asks for it%s", name, near))
		default:
			b.set.warnings = append(b.set.warnings, fault.Warn(f.file, line, "{{define %q}}: no template asks for it, only Block can show it%s", name, near))
		}
	}
}
