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

// A set is a page with its layouts, or another template file by itself, together with all
// templates that they call. html/template escapes and executes a set as a whole.
type set struct {
	outer string                 // the name of the template to execute: the outermost layout
	inner string                 // the name of the page itself
	trees map[string]*parse.Tree // by name; pages share them, so escape copies them
	slots map[string]string      // the template that goes into the slot of a layout, by the file of the layout
	calls map[string]bool        // the functions that the templates call
	// fragments are the templates that the page defines and that no other calls. Only Block
	// renders them.
	fragments []string
	faulty    bool // a file has faults of its own: the set is escaped to find more faults, and not rendered
	warnings  []fault.Fault
	byFile    map[string]*templateFile // the files of the set
	// maybeMisspelt has the names that the page or a layout defines and that are similar to
	// those of blocks, and whether any template calls them: then they are not misspelt.
	maybeMisspelt map[string]bool
}

// assemble returns the set of f with its layouts, of which the innermost comes first. If
// there are faults, it returns no set. It leaves out the faults of single files.
//
// If several files define a name, the page goes before its layouts, an inner layout before
// an outer one, and all of them before partials.
func (l *library) assemble(f *templateFile, layouts []*templateFile) (*set, []fault.Fault) {
	b := &setBuilder{
		library:   l,
		set:       &set{outer: f.file, inner: f.file, trees: map[string]*parse.Tree{}, slots: map[string]string{}, calls: map[string]bool{}, byFile: map[string]*templateFile{}},
		owner:     map[string]*templateFile{},
		undefined: map[string][]fault.Fault{},
	}
	files := append([]*templateFile{f}, layouts...)
	for _, layout := range layouts {
		l.used[layout] = l.used[layout] || l.used[f]
	}
	if slices.ContainsFunc(files, func(f *templateFile) bool { return f.broken }) {
		return nil, nil
	}
	b.add(f, "")
	for i, layout := range layouts {
		if wrapped := files[i]; wrapped.beginsDocument() {
			line := 1
			if c := wrapped.conversion; c != nil {
				line, _ = c.position(strings.Index(c.html, "<"))
			}
			b.faults = append(b.faults, fault.InColumn(wrapped.file, line, 0, "it begins with <!doctype, and is shown inside %s: leave to the layout what stands around a page", layout.file))
		}
		b.add(layout, b.set.outer)
		b.set.outer = layout.file
	}
	b.include(b.set.outer)
	for i, layout := range layouts {
		if wrapped := files[i]; b.set.trees[layout.file] != nil && b.set.trees[wrapped.file] == nil {
			b.neverShown(layout, wrapped)
		}
	}
	for _, t := range f.sorted {
		if b.set.trees[t.Name] == nil && b.owner[t.Name] != nil {
			b.set.fragments = append(b.set.fragments, t.Name)
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
func (f *templateFile) beginsDocument() bool {
	for _, n := range f.trees[f.file].Root.Nodes {
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
	set       *set
	owner     map[string]*templateFile // the files that define the templates that may be called, by the names of these
	undefined map[string][]fault.Fault // faults of calls, by the name that no file has defined so far
	faults    []fault.Fault
	// incomplete: a template is missing, which was reported as another fault. Without it, the
	// set cannot be escaped: the context behind its call is not known.
	incomplete bool
}

// add makes the templates of a file available, except those whose names are taken. If the
// file is a layout, wraps is the name of the template that goes into its slot.
func (b *setBuilder) add(f *templateFile, wraps string) {
	b.set.byFile[f.file] = f
	if wraps != "" {
		b.set.slots[f.file] = wraps
	}
	b.set.faulty = b.set.faulty || len(f.faults) > 0
	for _, t := range f.sorted {
		if t.Name == slot {
			continue // a {{block "content" .}}, whose default no page needs
		}
		if first := b.owner[t.Name]; first != nil {
			if isPartial(first.name) && isPartial(f.name) {
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
func definedTwice(name string, a, b *templateFile) fault.Fault {
	if a.file > b.file {
		a, b = b, a
	}
	t := b.trees[name]
	return fault.InLine(b.file, lineOf(t, t.Root), "%q is defined by %s too, and one page uses both: call one of them otherwise", name, a.file)
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
			b.set.calls[n.Ident] = true
		case *parse.TemplateNode:
			callee := b.set.callee(t, n)
			p := b.byFile[callee]
			if p != nil && isPartial(p.name) {
				b.used[p] = b.used[p] || b.used[b.owner[b.set.inner]]
				if b.owner[callee] == nil && !p.broken {
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
func (s *set) callee(t *parse.Tree, n *parse.TemplateNode) string {
	if wrapped, ok := s.slots[t.ParseName]; ok && n.Name == slot {
		return wrapped
	}
	return n.Name
}

// copy returns a copy of a template of the set, whose calls have the names of their callees.
func (s *set) copy(name string) *parse.Tree {
	t := s.trees[name].Copy()
	if s.slots[t.ParseName] != "" {
		eachCall(t, func(n *parse.TemplateNode) { n.Name = s.callee(t, n) })
	}
	return t
}

// resolved returns what copy returns, to be read only: it makes no copy of a template whose
// calls have the right names already.
func (s *set) resolved(name string) *parse.Tree {
	if t := s.trees[name]; s.slots[t.ParseName] == "" {
		return t
	}
	return s.copy(name)
}

// neverShown reports a layout whose slot is in a block that is never executed.
func (b *setBuilder) neverShown(layout, wrapped *templateFile) {
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
			why = owner.file + " defines anew"
		}
		b.faults = append(b.faults, fault.InLine(layout.file, line, "nothing shows %s: {{template %q .}} stands in the block %q, which %s", wrapped.file, slot, t.Name, why))
		return
	}
}

// missing returns the fault of a call of a template that the set does not have.
func (b *setBuilder) missing(t *parse.Tree, n *parse.TemplateNode) fault.Fault {
	line := lineOf(t, n)
	if f := cmp.Or(b.files[n.Name], b.byFile[n.Name]); f != nil {
		return fault.InLine(t.ParseName, line, "{{template %q}}: %s is a page, and only +files can be called: move what both show to a partial", n.Name, f.file)
	}
	if t.ParseName != b.set.inner {
		return fault.InLine(t.ParseName, line, "no template is called %q, and %s does not define it: write {{block %[1]q .}}a default{{end}} here, or {{define %[1]q}} there", n.Name, b.set.inner)
	}
	return fault.InLine(t.ParseName, line, "no template is called %q: {{define}} it in this file, or call a partial by its path, as in \"users/+row\"", n.Name)
}

// layoutsOf returns the layouts of a page or an error page, the innermost first.
// Partials have none.
func (l *library) layoutsOf(name string) (layouts []*templateFile) {
	if isPartial(name) {
		return nil
	}
	for _, dir := range slices.Backward(routetree.Layers(name)) {
		if f := l.files[path.Join(dir, layoutName)]; f != nil {
			layouts = append(layouts, f)
		}
	}
	return layouts
}
