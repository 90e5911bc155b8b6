package templates

import (
	"html/template"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/plan"
)

// A sharedLayout is the layouts around pages that are nothing but text, as most pages of documentation
// and blogs are. It is assembled, escaped and planned once, with an empty page. Each page
// is escaped by itself, and it is rendered by the plan of the layouts, with its text in the empty place.
//
// This is right for a page that begins and ends in text, where all layouts have it in text:
// html/template escapes the template of such a call as it does by itself, and goes on as if there
// were no call. Any other page is made with its layouts from the ground up, by library.view, and so
// is each page whose layouts have a fault: a sharedLayout only knows that there is one.
type sharedLayout struct {
	layouts []*File // the innermost first
	set     *Set    // with the template hole for the page
	program *plan.Program
	fixed   bool // see View.IsFixed
}

// hole is the name of the empty page in a sharedLayout. library.check refuses a {{define}} of such a name.
const hole = "+page"

// A sharedLayoutKey is what the pages of a sharedLayout have in common. The innermost layout tells the others.
type sharedLayoutKey struct {
	layout *File
	data   reflect.Type // nil if it is not known
}

// inSharedLayout makes the view of a page with the sharedLayout of its layouts. It returns nil if the page, or its
// layouts, are not of that kind.
func (l *library) inSharedLayout(f *File, layouts []*File) *Made {
	if !f.IsText || len(layouts) == 0 || path.Base(f.Name) == ErrorName || f.beginsDocument() || splitsWord(f.sorted[0].Root.Nodes) {
		return nil
	}
	shared := l.sharedLayout(layouts, l.data[f])
	if shared == nil {
		return nil
	}
	alone := &Set{inner: f.File, trees: f.trees}
	escaped, err := alone.escape(f.File)
	if err != nil {
		return nil
	}
	f.trees, f.sorted = nil, nil // nothing but f.html is in them
	html, _ := literal(escaped.Lookup(f.File).Tree, f.html)
	whole := &executable{name: shared.set.Outer}
	if l.Plans == ComparePlans {
		if whole, err = l.executable(shared.set.around(f), shared.set.Outer, l.compiler); err != nil {
			panic(err) // cannot happen: the layouts are right for the page
		}
	}
	whole.program = shared.program.Fill(hole, html)
	v := l.newView(f, shared.fixed)
	v.whole = whole
	return &Made{
		View:         v,
		File:         f,
		Layouts:      shared.layouts,
		sharedLayout: shared,
		Set:          shared.set,
	}
}

// sharedLayout returns the one of pages with these layouts and data, or nil.
func (l *library) sharedLayout(layouts []*File, data []Data) *sharedLayout {
	key := sharedLayoutKey{layout: layouts[0]}
	switch {
	case l.Plans == NoPlans || len(data) > 1 || len(data) == 1 && data[0].Block != "":
		return nil
	case len(data) == 1:
		key.data = data[0].Type
	}
	f, known := l.sharedLayouts[key]
	if !known {
		if f = l.before.layouts[key]; f == nil || !slices.Equal(f.layouts, layouts) || !l.isCurrentSet(f.set) {
			f = l.newSharedLayout(layouts, data)
		}
		l.sharedLayouts[key] = f
	}
	return f
}

// newSharedLayout makes one. It returns nil if there is a fault or no plan, or if a layout has the page
// elsewhere than in text.
func (l *library) newSharedLayout(layouts []*File, data []Data) *sharedLayout {
	empty := &parse.Tree{Name: hole, ParseName: hole, Root: &parse.ListNode{NodeType: parse.NodeList}}
	page := &File{Name: hole, File: hole, trees: map[string]*parse.Tree{hole: empty}, sorted: []*parse.Tree{empty}}
	s, _ := l.assemble(page, layouts)
	if s == nil || s.faulty {
		return nil
	}
	f := &sharedLayout{layouts: layouts, set: s, fixed: l.isFixed(s)}
	escaped, err := s.escape(s.Outer)
	if err != nil {
		return nil
	}
	isCopy := func(t *template.Template) bool { return strings.HasPrefix(t.Name(), hole) && t.Name() != hole }
	if slices.ContainsFunc(escaped.Templates(), isCopy) { // the call of the page is inlined
		return nil
	}
	if f.program, err = l.compiler.Compile(escaped, s.Outer, s.trees); err != nil {
		return nil
	}
	return f
}

// around returns the set with a page in it, if it is that of a sharedLayout.
func (s *Set) around(f *File) *Set {
	if s.inner != hole {
		return s
	}
	own := *s
	own.inner, own.trees, own.slots, own.Files = f.File, maps.Clone(s.trees), maps.Clone(s.slots), maps.Clone(s.Files)
	delete(own.trees, hole)
	delete(own.Files, hole)
	own.trees[f.File], own.Files[f.File] = f.text(), f
	for layout, wrapped := range own.slots {
		if wrapped == hole {
			own.slots[layout] = f.File
		}
	}
	return &own
}
