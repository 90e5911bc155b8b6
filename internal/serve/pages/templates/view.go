package templates

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/pages/plan"
	"example.com/flow/internal/serve/routes/routetree"
)

// Views are the templates of an application, escaped and ready to be rendered.
type Views struct {
	byName     map[string]*View
	errorPages *routetree.Nearest[*View] // in their layouts; nil if no templates were read
	lost       bool                      // see Lost
	entries    Entries                   // nil if there are no Lists

	Parsed Parsed
}

// Parsed is what templates were parsed to. Only checks and the next NewViews need it. It must not be
// changed.
type Parsed struct {
	Files     map[string]*File        // by name
	Used      map[*File]bool          // see library
	Called    map[string]bool         // see library
	Data      map[*File][]Data        // of Host.Data
	Made      map[string]*Made        // the views without faults, by name
	FuncTypes map[string]reflect.Type // of the functions that templates may call; without those whose type is not known
	Tree      *routetree.Tree
	layouts   map[sharedLayoutKey]*sharedLayout // see library
}

// Forget lets go of what the templates were parsed to: as much memory again as the views. Afterwards,
// View, ErrorPage, Entries and Render work as before.
func (v *Views) Forget() { v.Parsed = Parsed{} }

// Made is a view without faults, with the files that it was made of. NewViews takes it over if these
// are the same.
type Made struct {
	View         *View
	File         *File
	Layouts      []*File
	Set          *Set          // several pages may share one: see Whole
	bare         *View         // for an error page: the view without layouts
	sharedLayout *sharedLayout // nil for a view that is not made with one
}

// Whole returns the Set of the view with its page.
func (m *Made) Whole() *Set { return m.Set.around(m.File) }

// A View is a template that can be rendered: a page or an error page in its layouts, or
// another file whose name begins with +, by itself.
type View struct {
	name  string // of its file
	File  string
	whole *executable
	fixed bool // see IsFixed
	// blocks are the templates that the page itself defines, by name. Each is escaped when it
	// is first rendered by itself, since few are; only the fragments of the set are escaped by
	// NewViews, for their faults.
	blocks       map[string]func() (*executable, error)
	err          error // why it cannot be rendered by itself
	compare      bool  // see ComparePlans
	Data         []Data
	front        any         // see Front
	misfitLogged atomic.Bool // see FirstMisfit
}

// ErrFaulty is the error of View for a template that is there and has faults, which NewViews
// has returned.
var ErrFaulty = errors.New("the template has faults")

// View returns the view of a template, by its path below router/ without extension. The
// path may leave out groups, if that leaves only one template.
func (v *Views) View(name string) (*View, error) {
	if view := v.byName[name]; view != nil {
		return view, nil
	}
	switch found := routetree.Find(v.byName, name); len(found) {
	case 0:
		for _, path := range routetree.Find(v.Parsed.Files, name) {
			if f := v.Parsed.Files[path]; v.Parsed.Used[f] && !f.isLayout() {
				return nil, ErrFaulty
			}
		}
		return nil, fmt.Errorf("no template is called %q: give the path below %s/ without extension", name, routetree.RouterDir)
	case 1:
		return v.byName[found[0]], nil
	default:
		return nil, severalMeant(name, found)
	}
}

// severalMeant returns the error for a name that may stand for several templates in groups.
func severalMeant(name string, paths []string) error {
	return fmt.Errorf("%q may be %q or %q: write which group", name, paths[0], paths[1])
}

// Lost reports whether the views lack an error page because it has faults. Only in
// development are such views used.
func (v *Views) Lost() bool { return v.lost }

// Unplanned returns a line for each file that html/template renders, since there is no plan
// for it or for what it calls, and how many files are rendered.
func (v *Views) Unplanned() (lines []string, rendered int) {
	for _, name := range slices.Sorted(maps.Keys(v.Parsed.Made)) {
		if view := v.Parsed.Made[name].View; view.whole.unplanned != nil {
			lines = append(lines, fmt.Sprintf("%s: rendered by html/template: %v\n", view.File, view.whole.unplanned))
		}
	}
	return lines, len(v.Parsed.Made)
}

// Front returns the data that the page is rendered with if it is given none: what its format has made
// of its text. It is nil for other pages.
func (v *View) Front() any { return v.front }

// Entries returns those of all pages; nil if there are none.
func (v *Views) Entries() Entries { return v.entries }

// IsFixed reports whether the view renders the same for any two requests with the same data,
// but for the nonce.
func (v *View) IsFixed() bool { return v.fixed }

// views makes a view of each template, and collects the faults.
func (l *library) views(t *routetree.Tree) *Views {
	errorPages := map[string]*View{} // by directory
	v := &Views{byName: map[string]*View{}, entries: l.entries, Parsed: Parsed{
		Files: l.files, Used: l.used, Called: l.called, Data: l.data, Made: map[string]*Made{}, FuncTypes: l.types, Tree: t, layouts: l.sharedLayouts,
	}}
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		f := l.files[name]
		if f.isLayout() {
			continue
		}
		dir, isError := path.Dir("/" + name)[1:], path.Base(name) == ErrorName
		l.used[f] = l.used[f] || isError && (dir == "" || t.Dirs[dir])
		m, faults := l.before.Made[name], []fault.Fault(nil)
		if layouts := l.layoutsOf(name); !l.isCurrent(m, layouts) { // a current view has no faults
			m, faults = l.view(f, layouts)
		}
		switch {
		case m != nil:
			v.Parsed.Made[name], v.byName[name] = m, m.View
			for _, p := range m.Set.Files {
				l.used[p] = l.used[p] || l.used[f]
			}
			l.faults = append(l.faults, m.Set.warnings...)
			if isError {
				v.byName[name], errorPages[dir] = m.bare, m.View
			}
		case len(faults) > 0 && (IsPartial(name) && l.called[f.File] || !l.used[f]): // no fault yet, since a partial may call what its pages define
			v.byName[name] = &View{name: f.Name, File: f.File, err: fault.Join(faults)}
		default:
			v.lost = v.lost || isError
			l.faults = append(l.faults, faults...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		if f := l.files[name]; l.used[f] {
			l.faults = append(l.faults, f.faults...)
		}
	}
	v.errorPages = routetree.NewNearest(t, errorPages)
	return v
}

// isCurrent reports whether a view that was made before would be the same now. m may be nil.
func (l *library) isCurrent(m *Made, layouts []*File) bool {
	if m == nil || !slices.Equal(layouts, m.Layouts) || l.files[m.File.Name] != m.File {
		return false
	}
	if m.sharedLayout != nil {
		return l.sharedLayout(layouts, l.data[m.File]) == m.sharedLayout
	}
	return l.isCurrentSet(m.Set)
}

// isCurrentSet reports whether a set that was made before would be the same now.
func (l *library) isCurrentSet(s *Set) bool {
	for _, f := range s.Files {
		if l.files[f.Name] != f && f.File != hole {
			return false
		}
	}
	for name, called := range s.maybeMisspelt {
		if l.called[name] != called {
			return false
		}
	}
	return true
}

// view makes the view of a file. If there are faults, it returns no view, and leaves out the
// faults of single files.
func (l *library) view(f *File, layouts []*File) (*Made, []fault.Fault) {
	if f.IsText && f.trees == nil { // as it was in a sharedLayout before
		t := f.text()
		f.trees, f.sorted = map[string]*parse.Tree{f.File: t}, []*parse.Tree{t}
	}
	if m := l.inSharedLayout(f, layouts); m != nil {
		return m, nil
	}
	s, faults := l.assemble(f, layouts)
	if s == nil {
		return nil, faults
	}
	v := l.newView(f, l.isFixed(s))
	whole, err := l.executable(s, s.Outer, l.compiler)
	if err != nil {
		return nil, s.escapeFaults(append([]*File{f}, layouts...), err)
	}
	v.whole = whole
	h := l.functions // the closures below must not keep the library alive, nor the files of the set
	rest := &Set{Outer: s.Outer, inner: s.inner, trees: s.trees, slots: s.slots}
	for name := range f.trees {
		of := rest
		switch {
		case slices.Contains(s.Fragments, name):
			of = s // for the faults; the closure is called right away, and then lets go of it
		case name == f.File:
			continue
		}
		if v.blocks == nil {
			v.blocks = map[string]func() (*executable, error){}
		}
		v.blocks[name] = sync.OnceValues(func() (*executable, error) { return h.executable(of, name, plan.NewCompiler(h.callable)) })
	}
	for _, name := range s.Fragments { // they can only be rendered by themselves, so a fault is one of the page
		if _, err := v.blocks[name](); err != nil {
			faults = append(faults, s.escapeFaults(nil, err)...)
		}
	}
	if s.faulty || len(faults) > 0 {
		return nil, faults
	}
	m := &Made{View: v, File: f, Layouts: layouts, Set: s}
	if path.Base(f.Name) == ErrorName {
		whole, err := h.executable(s, f.File, l.compiler)
		m.bare = &View{name: f.Name, File: f.File, whole: whole, err: err}
	}
	return m, nil
}

// newView returns the view of a file without what renders it.
func (l *library) newView(f *File, fixed bool) *View {
	v := &View{name: f.Name, File: f.File, fixed: fixed, compare: l.Plans == ComparePlans, Data: l.data[f]}
	if f.Conversion != nil {
		v.front = f.Conversion.front
	}
	return v
}

// without returns a copy of the set in which one template is empty.
func (s *Set) without(name string) *Set {
	rest := *s
	rest.trees = maps.Clone(s.trees)
	rest.trees[name] = &parse.Tree{Name: name, ParseName: name, Root: &parse.ListNode{NodeType: parse.NodeList}}
	return &rest
}

// escapeFaults returns the faults behind an error of html/template. That often reports an
// error in another file than the one that causes it. So escapeFaults escapes each file by
// itself, and each layout without a page. It returns the faults of the files that fail, or
// else the fault where html/template reports it.
func (s *Set) escapeFaults(files []*File, err error) (faults []fault.Fault) {
	var own fault.Fault
	if errors.As(err, &own) {
		return []fault.Fault{own}
	}
	for i, f := range files {
		if s.trees[f.File] == nil { // no template calls it
			continue
		}
		alone := s
		if i > 0 {
			alone = s.without(files[i-1].File)
		}
		if _, err := alone.escape(f.File); err != nil {
			own := s.escapeFault(err)
			if i == 0 {
				own.Text += s.suspects()
			}
			faults = append(faults, own)
		}
	}
	if len(faults) > 0 {
		return faults
	}
	whole := s.escapeFault(err)
	if whole.File != s.inner {
		whole.Text += ", with " + s.inner + " in it"
	}
	return []fault.Fault{whole}
}

// suspects returns the end of a message that names the partials of a set whose HTML ends
// within a tag, an attribute, a script or a style.
func (s *Set) suspects() string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(s.trees)) {
		if p := s.Files[name]; p == nil || !IsPartial(p.Name) || name == s.inner {
			continue
		}
		var escaping *template.Error
		if _, err := s.escape(name); errors.As(err, &escaping) && escaping.ErrorCode == template.ErrEndContext {
			text += "; " + name + " does not end what it begins"
		}
	}
	return text
}

// escapeFault returns the fault for an error of escaping.
func (s *Set) escapeFault(err error) fault.Fault {
	var own fault.Fault
	var escaping *template.Error
	if errors.As(err, &own) {
		return own
	}
	if !errors.As(err, &escaping) {
		return Fault(s.inner, err)
	}
	name, _, _ := strings.Cut(escaping.Name, "$htmltemplate_") // how html/template names a copy for another context
	t := s.trees[cmp.Or(name, s.inner)]
	if t == nil || escaping.Node != nil {
		return Fault(s.inner, escaping)
	}
	if f := s.Files[t.ParseName]; f != nil && f.Conversion != nil {
		return f.Conversion.escapeFault(plainEscaping(escaping.Description))
	}
	line := cmp.Or(escaping.Line, lineOfText(t, escaping.Description))
	return fault.InLine(t.ParseName, line, "%s", plainEscaping(escaping.Description))
}

// lineOfText returns the line of the text that an error of html/template quotes. If the text
// is not found, it returns the last line of the template.
func lineOfText(t *parse.Tree, description string) int {
	_, quoted, _ := strings.Cut(description, ": ")
	text, err := strconv.Unquote(quoted)
	last, found := 1, 0
	language.EachAction(t.Root, func(n parse.Node) {
		if n, ok := n.(*parse.TextNode); ok {
			i := bytes.Index(n.Text, []byte(text))
			if err == nil && i >= 0 && found == 0 {
				found = lineOf(t, n) + bytes.Count(n.Text[:i], []byte("\n"))
			}
			last = lineOf(t, n) + bytes.Count(n.Text, []byte("\n"))
		}
	})
	return cmp.Or(found, last)
}

// templateLine matches an error of text/template or html/template, with file, line and text.
var templateLine = regexp.MustCompile(`^(?:html/)?template: ?(.*?):(\d+)(?::\d+)?: (?:template: )?(.*)$`)

// Fault returns the fault for an error of text/template or html/template. Its file is the
// one that the error names, or else the given one.
func Fault(file string, err error) fault.Fault {
	text := plainEscaping(strings.ReplaceAll(err.Error(), "\n", " "))
	if m := templateLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[2])
		return fault.InLine(m[1], line, "%s", m[3])
	}
	return fault.In(file, "%s", text)
}

// contexts matches the parts of an error that name a context: the description that
// html/template adds, and the suffixes that html/template and the inliner add to the names of
// templates.
var contexts = regexp.MustCompile(`: \{state\w+ .*$|\$htmltemplate_\w+|(executing ".*)/\+\d+(" at)`)

// plainEscaping returns an error of html/template in words that do not need its source.
func plainEscaping(text string) string {
	text = contexts.ReplaceAllString(text, "$1$2")
	return strings.Replace(text, "ends in a non-text context", "ends within a tag, an attribute, a script or a style", 1)
}
