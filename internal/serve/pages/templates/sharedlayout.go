package templates

import (
	"html/template"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/check/typecheck"
	"example.com/flow/internal/serve/pages/plan"
)

// A sharedLayout is the layouts around pages that are nothing but text, as most pages of documentation
// and blogs are. It is assembled, checked, escaped and planned once, with an empty page. Each page
// is escaped by itself, and it is rendered by the plan of the layouts, with its text in the empty place.
//
// This is right for a page that begins and ends in text, where all layouts have it in text:
// html/template escapes the template of such a call as it does by itself, and goes on as if there
// were no call. Any other page is made with its layouts from the ground up, by library.view, and so
// is each page whose layouts have a fault: a sharedLayout only knows that there is one.
type sharedLayout struct {
	layouts  []*templateFile // the innermost first
	set      *set            // with the template hole for the page
	program  *plan.Program
	fixed    bool                // see View.IsFixed
	problems []typecheck.Problem // with the type of its data
	fields   []typecheck.Field   // of forms
}

// hole is the name of the empty page in a sharedLayout. library.check refuses a {{define}} of such a name.
const hole = "+page"

// A sharedLayoutKey is what the pages of a sharedLayout have in common. The innermost layout tells the others.
type sharedLayoutKey struct {
	layout *templateFile
	data   reflect.Type // nil if it is not known
}

// inSharedLayout makes the view of a page with the sharedLayout of its layouts. It returns nil if the page, or its
// layouts, are not of that kind.
func (l *library) inSharedLayout(f *templateFile, layouts []*templateFile) *madeView {
	if !f.isText || len(layouts) == 0 || path.Base(f.name) == errorName || f.beginsDocument() || splitsWord(f.sorted[0].Root.Nodes) {
		return nil
	}
	shared := l.sharedLayout(layouts, l.data[f])
	if shared == nil {
		return nil
	}
	alone := &set{inner: f.file, trees: f.trees}
	escaped, err := alone.escape(f.file)
	if err != nil {
		return nil
	}
	f.trees, f.sorted = nil, nil // nothing but f.html is in them
	html, _ := literal(escaped.Lookup(f.file).Tree, f.html)
	whole := &executable{name: shared.set.outer}
	if l.Plans == ComparePlans {
		if whole, err = l.executable(shared.set.around(f), shared.set.outer, l.compiler); err != nil {
			panic(err) // cannot happen: the layouts are right for the page
		}
	}
	whole.program = shared.program.Fill(hole, html)
	v := l.newView(f, shared.fixed)
	v.whole = whole
	return &madeView{
		view:         v,
		file:         f,
		layouts:      shared.layouts,
		sharedLayout: shared,
		problems:     shared.problems,
		fields:       shared.fields,
		set:          shared.set,
		functions:    l.functions,
	}
}

// textTree returns the tree of a file that is nothing but text.
func (f *templateFile) textTree() *parse.Tree {
	text := &parse.TextNode{NodeType: parse.NodeText, Text: []byte(f.html)}
	return &parse.Tree{Name: f.file, ParseName: f.file, Root: &parse.ListNode{NodeType: parse.NodeList, Nodes: []parse.Node{text}}}
}

// sharedLayout returns the one of pages with these layouts and data, or nil.
func (l *library) sharedLayout(layouts []*templateFile, data []Data) *sharedLayout {
	key := sharedLayoutKey{layout: layouts[0]}
	switch {
	case l.Plans == NoPlans || len(data) > 1 || len(data) == 1 && data[0].Block != "":
		return nil
	case len(data) == 1:
		key.data = data[0].Type
	}
	f, known := l.sharedLayouts[key]
	if !known {
		if f = l.before.sharedLayouts[key]; f == nil || !slices.Equal(f.layouts, layouts) || !l.isCurrentSet(f.set) {
			f = l.newSharedLayout(layouts, data)
		}
		l.sharedLayouts[key] = f
	}
	return f
}

// newSharedLayout makes one. It returns nil if there is a fault or no plan, or if a layout has the page
// elsewhere than in text.
func (l *library) newSharedLayout(layouts []*templateFile, data []Data) *sharedLayout {
	empty := &parse.Tree{Name: hole, ParseName: hole, Root: &parse.ListNode{NodeType: parse.NodeList}}
	page := &templateFile{name: hole, file: hole, trees: map[string]*parse.Tree{hole: empty}, sorted: []*parse.Tree{empty}}
	s, _ := l.assemble(page, layouts)
	if s == nil || s.faulty {
		return nil
	}
	f := &sharedLayout{layouts: layouts, set: s, fixed: l.isFixed(s)}
	f.problems, f.fields = l.checkTypes(s, data)
	escaped, err := s.escape(s.outer)
	if err != nil {
		return nil
	}
	isCopy := func(t *template.Template) bool { return strings.HasPrefix(t.Name(), hole) && t.Name() != hole }
	if slices.ContainsFunc(escaped.Templates(), isCopy) { // the call of the page is inlined
		return nil
	}
	if f.program, err = l.compiler.Compile(escaped, s.outer, s.trees); err != nil {
		return nil
	}
	return f
}

// around returns the set with a page in it, if it is that of a sharedLayout.
func (s *set) around(f *templateFile) *set {
	if s.inner != hole {
		return s
	}
	own := *s
	own.inner, own.trees, own.slots, own.byFile = f.file, maps.Clone(s.trees), maps.Clone(s.slots), maps.Clone(s.byFile)
	delete(own.trees, hole)
	delete(own.byFile, hole)
	own.trees[f.file], own.byFile[f.file] = f.textTree(), f
	for layout, wrapped := range own.slots {
		if wrapped == hole {
			own.slots[layout] = f.file
		}
	}
	return &own
}
