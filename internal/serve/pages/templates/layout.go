package templates

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Set is a page with its layouts, or another template file by itself, together with all
// templates that they call. html/template escapes and executes a set as a whole.
type Set struct {
	Outer string                 // the name of the template to execute: the outermost layout
	inner string                 // the name of the page itself
	trees map[string]*parse.Tree // by name; pages share them, so escape copies them
	slots map[string]string      // the template that goes into the slot of a layout, by the file of the layout
	Calls map[string]bool        // the functions that the templates call
	// Fragments are the templates that the page defines and that no other calls. Only Block
	// renders them.
	Fragments []string
	faulty    bool // a file has faults of its own: the set is escaped to find more faults, and not rendered
	warnings  []fault.Fault
	Files     map[string]*File // by their paths
	// maybeMisspelt has the names that the page or a layout defines and that are similar to
	// those of blocks, and whether any template calls them: then they are not misspelt.
	maybeMisspelt map[string]bool
}

// assemble returns the set of f with its layouts, of which the innermost comes first. If
// there are faults, it returns no set. It leaves out the faults of single files.
//
// If several files define a name, the page goes before its layouts, an inner layout before
// an outer one, and all of them before partials.
func (l *library) assemble(f *File, layouts []*File) (*Set, []fault.Fault) {
	b := &setBuilder{
		library:   l,
		set:       &Set{Outer: f.File, inner: f.File, trees: map[string]*parse.Tree{}, slots: map[string]string{}, Calls: map[string]bool{}, Files: map[string]*File{}},
		owner:     map[string]*File{},
		undefined: map[string][]fault.Fault{},
	}
	files := append([]*File{f}, layouts...)
	for _, layout := range layouts {
		l.used[layout] = l.used[layout] || l.used[f]
	}
	if slices.ContainsFunc(files, func(f *File) bool { return f.Broken }) {
		return nil, nil
	}
	b.add(f, "")
	for i, layout := range layouts {
		if wrapped := files[i]; wrapped.beginsDocument() {
			line := 1
			if c := wrapped.Conversion; c != nil {
				line, _ = c.Position(strings.Index(c.html, "<"))
			}
			b.faults = append(b.faults, fault.InColumn(wrapped.File, line, 0, "it begins with <!doctype, and is shown inside %s: leave to the layout what stands around a page", layout.File))
		}
		b.add(layout, b.set.Outer)
		b.set.Outer = layout.File
	}
	b.include(b.set.Outer)
	for i, layout := range layouts {
		if wrapped := files[i]; b.set.trees[layout.File] != nil && b.set.trees[wrapped.File] == nil {
			b.neverShown(layout, wrapped)
		}
	}
	for _, t := range f.sorted {
		if b.set.trees[t.Name] == nil && b.owner[t.Name] != nil {
			b.set.Fragments = append(b.set.Fragments, t.Name)
			b.include(t.Name)
		}
	}
	for _, f := range files {
		b.misspelt(f)
	}
	for _, name := range slices.Sorted(maps.Keys(b.undefined)) {
		b.faults = append(b.faults, b.undefined[name]...)
	}
	if b.incomplete || len(b.faults) > 0 {
		return nil, b.faults
	}
	return b.set, nil
}

// beginsDocument reports whether a template makes a whole HTML document.
func (f *File) beginsDocument() bool {
	for _, n := range f.trees[f.File].Root.Nodes {
		text, ok := n.(*parse.TextNode)
		if !ok {
			return false
		}
		if start := bytes.TrimSpace(text.Text); len(start) > 0 {
			const doctype = "<!doctype"
			return len(start) > len(doctype) && strings.EqualFold(string(start[:len(doctype)]), doctype)
		}
	}
	return false
}

// A setBuilder assembles a set.
type setBuilder struct {
	*library
	set       *Set
	owner     map[string]*File         // the files that define the templates that may be called, by the names of these
	undefined map[string][]fault.Fault // faults of calls, by the name that no file has defined so far
	faults    []fault.Fault
	// incomplete: a template is missing, which was reported as another fault. Without it, the
	// set cannot be escaped: the context behind its call is not known.
	incomplete bool
}

// add makes the templates of a file available, except those whose names are taken. If the
// file is a layout, wraps is the name of the template that goes into its slot.
func (b *setBuilder) add(f *File, wraps string) {
	b.set.Files[f.File] = f
	if wraps != "" {
		b.set.slots[f.File] = wraps
	}
	b.set.faulty = b.set.faulty || len(f.faults) > 0
	for _, t := range f.sorted {
		if t.Name == slot {
			continue // a {{block "content" .}}, whose default no page needs
		}
		if first := b.owner[t.Name]; first != nil {
			if IsPartial(first.Name) && IsPartial(f.Name) {
				b.faults = append(b.faults, definedTwice(t.Name, first, f))
			}
			continue
		}
		b.owner[t.Name] = f
	}
	for _, t := range f.sorted {
		if b.undefined[t.Name] != nil {
			delete(b.undefined, t.Name)
			b.include(t.Name)
		}
	}
}

// definedTwice returns the fault of two partials in one set that define the same name.
func definedTwice(name string, a, b *File) fault.Fault {
	if a.File > b.File {
		a, b = b, a
	}
	t := b.trees[name]
	return fault.InLine(b.File, lineOf(t, t.Root), "%q is defined by %s too, and one page uses both: call one of them otherwise", name, a.File)
}

// include adds a template and all that it calls to the set.
func (b *setBuilder) include(name string) {
	if b.set.trees[name] != nil {
		return
	}
	t := b.owner[name].trees[name]
	b.set.trees[name] = t
	language.EachNode(t.Root, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.IdentifierNode:
			b.set.Calls[n.Ident] = true
		case *parse.TemplateNode:
			callee := b.set.callee(t, n)
			p := b.byFile[callee]
			if p != nil && IsPartial(p.Name) {
				b.used[p] = b.used[p] || b.used[b.owner[b.set.inner]]
				if b.owner[callee] == nil && !p.Broken {
					b.add(p, "")
				}
			}
			switch {
			case b.owner[callee] != nil:
				b.include(callee)
			case callee == slot || path.Base(callee)[0] == '+': // library.check has reported it, or the file cannot be parsed
				b.incomplete = true
			default:
				b.undefined[callee] = append(b.undefined[callee], b.missing(t, n))
			}
		}
	})
}

// callee returns the name of the template that a call in a template of the set calls.
func (s *Set) callee(t *parse.Tree, n *parse.TemplateNode) string {
	if wrapped, ok := s.slots[t.ParseName]; ok && n.Name == slot {
		return wrapped
	}
	return n.Name
}

// copy returns a copy of a template of the set, whose calls have the names of their callees.
func (s *Set) copy(name string) *parse.Tree {
	t := s.trees[name].Copy()
	if s.slots[t.ParseName] != "" {
		eachCall(t, func(n *parse.TemplateNode) { n.Name = s.callee(t, n) })
	}
	return t
}

// Templates returns the templates of the set by name, to be read only. It copies those whose calls
// have not the names of their callees.
func (s *Set) Templates() map[string]*parse.Tree {
	all := maps.Clone(s.trees)
	for name, t := range all {
		if s.slots[t.ParseName] != "" {
			all[name] = s.copy(name)
		}
	}
	return all
}

// neverShown reports a layout whose slot is in a block that is never executed.
func (b *setBuilder) neverShown(layout, wrapped *File) {
	for _, t := range layout.sorted {
		if t.Name == slot {
			continue // {{block "content" .}} is the slot itself
		}
		var line int
		eachCall(t, func(n *parse.TemplateNode) {
			if n.Name == slot {
				line = lineOf(t, n)
			}
		})
		if line == 0 {
			continue
		}
		why := "nothing calls"
		if owner := b.owner[t.Name]; owner != layout {
			why = owner.File + " defines anew"
		}
		b.faults = append(b.faults, fault.InLine(layout.File, line, "nothing shows %s: {{template %q .}} stands in the block %q, which %s", wrapped.File, slot, t.Name, why))
		return
	}
}

// missing returns the fault of a call of a template that the set does not have.
func (b *setBuilder) missing(t *parse.Tree, n *parse.TemplateNode) fault.Fault {
	line := lineOf(t, n)
	if f := cmp.Or(b.files[n.Name], b.byFile[n.Name]); f != nil {
		return fault.InLine(t.ParseName, line, "{{template %q}}: %s is a page, and only +files can be called: move what both show to a partial", n.Name, f.File)
	}
	if t.ParseName != b.set.inner {
		return fault.InLine(t.ParseName, line, "no template is called %q, and %s does not define it: write {{block %[1]q .}}a default{{end}} here, or {{define %[1]q}} there", n.Name, b.set.inner)
	}
	return fault.InLine(t.ParseName, line, "no template is called %q: {{define}} it in this file, or call a partial by its path, as in \"users/+row\"", n.Name)
}

// layoutsOf returns the layouts of a page or an error page, the innermost first.
// Partials have none.
func (l *library) layoutsOf(name string) (layouts []*File) {
	if IsPartial(name) {
		return nil
	}
	for _, dir := range slices.Backward(routetree.Layers(name)) {
		if f := l.files[path.Join(dir, LayoutName)]; f != nil {
			layouts = append(layouts, f)
		}
	}
	return layouts
}
