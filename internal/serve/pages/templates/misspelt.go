package templates

import (
	"maps"
	"slices"

	"example.com/flow/internal/fault"
)

// misspelt reports each {{define}} of a page or a layout that no template calls, and whose
// name is similar to that of a block in another file of the set. If the name is not a typo by
// fault.IsTypo, that is a warning, since the page may define the template for Response.Block.
func (b *setBuilder) misspelt(f *File) {
	if len(f.trees) == 1 { // only its own
		return
	}
	blocks := map[string]bool{} // that other files call and this one does not define
	for _, other := range b.set.Files {
		for name := range other.calls {
			if other != f && b.set.trees[name] != nil && b.set.Files[name] == nil && f.trees[name] == nil {
				blocks[name] = true
			}
		}
	}
	for _, t := range f.sorted {
		name := t.Name
		if name == f.File || name == slot {
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
		switch typo := func(meant string) bool { return fault.IsTypo(name, meant) }; {
		case b.called[name]:
		case slices.ContainsFunc(slices.Collect(maps.Keys(blocks)), typo):
			b.faults = append(b.faults, fault.InLine(f.File, line, "{{define %q}}: no template asks for it%s", name, near))
		default:
			b.set.warnings = append(b.set.warnings, fault.Warn(f.File, line, "{{define %q}}: no template asks for it, only Block can show it%s", name, near))
		}
	}
}
