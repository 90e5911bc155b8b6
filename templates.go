package flow

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"text/template/parse"
)

// A templateFile is one template of the tree, parsed. In a set it goes by its
// file, which nobody calls a define; so do the partials that it calls.
//
//	router/users/[id].html  name "users/[id]": a page
//	router/users/+row.html  name "users/+row": a partial
//	router/+layout.html     name "+layout"
type templateFile struct {
	name   string // what View and {{template}} take
	file   string
	shared bool                   // it is from a further tree of New
	trees  map[string]*parse.Tree // its own, under file, and each define and block
	broken bool                   // it cannot be parsed
	bad    bool                   // it has faults, so that nothing is made with it
}

// These +files have a meaning of their own; the others are partials.
const (
	layoutName = "+layout"
	errorName  = "+error"
	// slot is what a layout calls the template that it wraps.
	slot = "content"
)

func isPartial(name string) bool {
	base := path.Base(name)
	return base[0] == '+' && base != layoutName && base != errorName
}

func (f *templateFile) isLayout() bool { return path.Base(f.name) == layoutName }

// A library is every template file of a tree, and what its templates may ask for.
type library struct {
	files    map[string]*templateFile // by name
	byFile   map[string]*templateFile
	funcs    template.FuncMap  // of every template, other than request and user
	own      template.FuncMap  // Router.Funcs among them
	names    map[string]*route // of routes; nil if they are not known
	builtins map[string]bool   // of text/template, those that were asked about
	faults   []fault
}

// newLibrary returns a library without files. own are Router.Funcs.
func newLibrary(own, flows template.FuncMap, names map[string]*route) *library {
	l := &library{files: map[string]*templateFile{}, byFile: map[string]*templateFile{}, names: names, builtins: map[string]bool{}}
	l.own, l.faults = checkFuncs(own)
	l.funcs = maps.Clone(flows)
	maps.Copy(l.funcs, l.own)
	return l
}

// parse adds a template file to the library.
func (l *library) parse(src templateText) {
	f := &templateFile{name: src.name, file: src.file, shared: src.shared, trees: map[string]*parse.Tree{}}
	l.files[f.name], l.byFile[f.file] = f, f
	// Errors of the parser take the name for a format.
	name := strings.ReplaceAll(f.file, "%", "%%")
	t := parse.New(name)
	t.Mode = parse.SkipFuncCheck // check reports all of them
	_, err := t.Parse(strings.TrimPrefix(src.text, "\ufeff"), "", "", f.trees)
	if err != nil {
		l.faults = append(l.faults, templateFault(f.file, err))
		f.bad, f.broken = true, true
	}
	for _, t := range f.trees {
		t.ParseName = f.file
	}
	if own := f.trees[name]; name != f.file && own != nil {
		delete(f.trees, name)
		f.trees[f.file], own.Name = own, f.file
	}
}

// check reports what is wrong about a file whatever set it is in.
func (l *library) check(f *templateFile) {
	hasSlot := false
	for _, name := range sortedKeys(f.trees) {
		t := f.trees[name]
		report := func(n parse.Node, format string, args ...any) {
			f.bad = true
			l.faults = append(l.faults, faultInLine(f.file, lineOf(t, n), format, args...))
		}
		switch {
		case name != f.file && path.Base(name)[0] == '+':
			report(t.Root, "{{define %q}}: names that begin with + are those of files: call it otherwise", name)
		case name == slot && !f.isLayout():
			report(t.Root, "%q is what layouts call the page itself: leave the {{define}} away, or call it otherwise", slot)
		}
		eachNode(t.Root, func(n parse.Node) {
			switch n := n.(type) {
			case *parse.IdentifierNode:
				if !l.isFunc(n.Ident) {
					report(n, "function %q not defined: add it to Router.Funcs", n.Ident)
				}
			case *parse.PipeNode:
				for i, cmd := range n.Cmds {
					if err := l.checkCall(cmd, i > 0); err != nil {
						report(cmd, "%v", err)
					}
				}
			case *parse.TemplateNode:
				hasSlot = hasSlot || n.Name == slot
				if err := l.checkTemplate(f, n); err != nil {
					report(n, "%v", err)
				}
				if p := l.files[n.Name]; p != nil && isPartial(n.Name) {
					n.Name = p.file
				}
			}
		})
	}
	if f.isLayout() && !hasSlot && !f.bad {
		f.bad = true
		l.faults = append(l.faults, faultIn(f.file, "the layout does not say where the page goes: write {{template %q .}} there", slot))
	}
}

// isFunc reports whether templates may call a function.
func (l *library) isFunc(name string) bool {
	if l.funcs[name] != nil || name == "request" || name == "user" {
		return true
	}
	known, asked := l.builtins[name]
	if !asked {
		_, err := texttemplate.New("").Parse("{{" + name + "}}")
		known = err == nil
		l.builtins[name] = known
	}
	return known
}

// checkTemplate finds what no set can make right about a {{template}}.
func (l *library) checkTemplate(f *templateFile, n *parse.TemplateNode) error {
	name := n.Name
	base := path.Base(name)
	switch {
	case name == slot && !f.isLayout():
		return fmt.Errorf("{{template %q}} is where a layout puts the page, and this is no %s.html", slot, layoutName)
	case name == slot && n.Pipe == nil:
		return fmt.Errorf("{{template %q}} gives the page no data: write {{template %[1]q .}}", slot)
	case base == layoutName || base == errorName:
		return fmt.Errorf("{{template %q}}: %s.html is no partial: flow puts pages into layouts and answers with error pages by itself", name, name)
	case base[0] != '+' || l.files[name] != nil:
		return nil
	}
	if bare, ok := strings.CutSuffix(name, ".html"); ok && l.files[bare] != nil {
		return fmt.Errorf("no partial is called %q: leave .html away", name)
	}
	partials := map[string]bool{}
	for _, other := range sortedKeys(l.files) {
		switch partials[other] = true; {
		case !isPartial(other):
			delete(partials, other)
		case path.Base(other) == base:
			return fmt.Errorf("no partial is called %q: a partial is called by its whole path, as in %q", name, other)
		}
	}
	return fmt.Errorf("no partial is called %q%s", name, suggest(name, partials, fmt.Sprintf(": there is no %s/%s.html", routerDir, name)))
}

// checkCall finds what is wrong about {{route "name" "key" value}} and
// {{asset "file"}}, as far as it is written in the template. piped says that a
// pipe adds a last argument.
func (l *library) checkCall(cmd *parse.CommandNode, piped bool) error {
	fn, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok || len(cmd.Args) < 2 {
		return nil
	}
	name, ok := cmd.Args[1].(*parse.StringNode)
	switch {
	case !ok || fn.Ident != "route" && fn.Ident != "asset":
		return nil
	case fn.Ident == "asset":
		_, err := l.funcs["asset"].(func(string) (string, error))(name.Text)
		return trimFlow(err)
	case l.names == nil:
		return nil
	}
	r := l.names[name.Text]
	if r == nil {
		return fmt.Errorf("no route is called %q%s", name.Text, suggest(name.Text, l.names, ": name one with Name, or use an automatic name"))
	}
	args := cmd.Args[2:]
	if piped {
		args = append(slices.Clip(args), cmd) // any node that is no text
	}
	params, known := sampleParams(args)
	if !known && len(params)%2 == 0 {
		return nil
	}
	_, err := r.url(name.Text, params)
	return trimFlow(err)
}

// trimFlow returns an error without the prefix that it has in the log.
func trimFlow(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "flow: "))
}

// sampleParams returns parameters of a route with a sample for each that only the
// running program knows. They are not known if a key is among these.
func sampleParams(args []parse.Node) (params []any, known bool) {
	known = true
	for i, arg := range args {
		if text, ok := arg.(*parse.StringNode); ok {
			params = append(params, text.Text)
			continue
		}
		known = known && i%2 != 0
		params = append(params, "x")
	}
	return params, known
}

// A set is what one template reaches: a page in its layouts, or a +file. It is
// what html/template holds, by name.
type set struct {
	outer string // the template to begin with
	inner string // the page itself
	trees map[string]*parse.Tree
	calls map[string]bool // the functions that they call
	// fragments are those that the page defines and only Block can reach.
	fragments []string
}

// assemble returns the set of f in its layouts, of which the innermost is first. It
// returns nil if it cannot be made, with faults unless they are those of the files
// by themselves.
//
// Names are those of the innermost file: what a page defines goes before the
// blocks of its layouts, and both before those of partials.
func (l *library) assemble(f *templateFile, layouts []*templateFile) (*set, []fault) {
	b := &setBuilder{
		library:   l,
		set:       &set{outer: f.file, inner: f.file, trees: map[string]*parse.Tree{}, calls: map[string]bool{}},
		available: map[string]*parse.Tree{},
		owner:     map[string]*templateFile{},
		missed:    map[string][]fault{},
	}
	files := append([]*templateFile{f}, layouts...)
	if slices.ContainsFunc(files, func(f *templateFile) bool { return f.broken }) {
		return nil, nil
	}
	b.add(f, "")
	for i, layout := range layouts {
		if wrapped := files[i]; wrapped.beginsDocument() {
			b.faults = append(b.faults, faultIn(wrapped.file, "it begins with <!doctype, and is shown inside %s: leave to the layout what stands around a page", layout.file))
		}
		b.add(layout, b.set.outer)
		b.set.outer = layout.file
	}
	b.reach(b.set.outer)
	for i, layout := range layouts {
		if wrapped := files[i]; b.set.trees[layout.file] != nil && b.set.trees[wrapped.file] == nil {
			b.faults = append(b.faults, b.lost(layout, wrapped)...)
		}
	}
	for _, name := range sortedKeys(f.trees) {
		if b.set.trees[name] == nil && b.available[name] != nil {
			b.set.fragments = append(b.set.fragments, name)
			b.reach(name)
		}
	}
	for _, name := range sortedKeys(b.missed) {
		b.faults = append(b.faults, b.missed[name]...)
	}
	if b.bad || len(b.faults) > 0 {
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

// A setBuilder is a set on its way.
type setBuilder struct {
	*library
	set       *set
	available map[string]*parse.Tree   // what may be reached
	owner     map[string]*templateFile // who defines it
	missed    map[string][]fault       // names that nobody has defined so far
	faults    []fault
	bad       bool // a file of it has faults
}

// add makes the templates of a file available whose names are not taken. wraps is
// what the slot of a layout holds.
func (b *setBuilder) add(f *templateFile, wraps string) {
	b.bad = b.bad || f.bad
	for _, name := range sortedKeys(f.trees) {
		t := f.trees[name]
		if name == slot {
			continue // a {{block "content" .}}, whose default no page needs
		}
		if first := b.owner[name]; first != nil {
			if isPartial(first.name) && isPartial(f.name) {
				b.faults = append(b.faults, definedTwice(name, first, f))
			}
			continue
		}
		b.owner[name] = f
		if f.isLayout() || isPartial(f.name) { // other sets have it too
			t = t.Copy()
		}
		if f.isLayout() {
			eachNode(t.Root, func(n parse.Node) {
				if n, ok := n.(*parse.TemplateNode); ok && n.Name == slot {
					n.Name = wraps
				}
			})
		}
		b.available[name] = t
	}
	for name := range f.trees {
		if b.missed[name] != nil {
			delete(b.missed, name)
			b.reach(name)
		}
	}
}

// definedTwice is about a name that two partials of one set define.
func definedTwice(name string, a, b *templateFile) fault {
	if a.file > b.file {
		a, b = b, a
	}
	t := b.trees[name]
	return faultInLine(b.file, lineOf(t, t.Root), "%q is defined by %s too, and one page uses both: call one of them otherwise", name, a.file)
}

// reach takes a template, and all that it calls, into the set.
func (b *setBuilder) reach(name string) {
	t := b.available[name]
	if b.set.trees[name] != nil {
		return
	}
	b.set.trees[name] = t
	eachNode(t.Root, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.IdentifierNode:
			b.set.calls[n.Ident] = true
		case *parse.TemplateNode:
			if p := b.byFile[n.Name]; p != nil && b.owner[n.Name] == nil && !p.broken {
				b.add(p, "")
			}
			switch p := b.byFile[n.Name]; {
			case b.available[n.Name] != nil:
				b.reach(n.Name)
			case p != nil || n.Name == slot || path.Base(n.Name)[0] == '+': // check has reported it
				b.bad = true
			default:
				b.missed[n.Name] = append(b.missed[n.Name], b.missing(t, n))
			}
		}
	})
}

// lost says why a layout that has a slot does not show what it wraps.
func (b *setBuilder) lost(layout, wrapped *templateFile) []fault {
	for _, name := range sortedKeys(layout.trees) {
		var line int
		eachNode(layout.trees[name].Root, func(n parse.Node) {
			if n, ok := n.(*parse.TemplateNode); ok && n.Name == slot {
				line = lineOf(layout.trees[name], n)
			}
		})
		if line == 0 {
			continue
		}
		why := "nothing calls"
		if owner := b.owner[name]; owner != layout {
			why = owner.file + " defines anew"
		}
		return []fault{faultInLine(layout.file, line, "nothing shows %s: {{template %q .}} stands in the block %q, which %s", wrapped.file, slot, name, why)}
	}
	return nil
}

// missing says what is wrong about a name that no template of the set has.
func (b *setBuilder) missing(t *parse.Tree, n *parse.TemplateNode) fault {
	line := lineOf(t, n)
	if f := b.files[n.Name]; f != nil {
		return faultInLine(t.ParseName, line, "{{template %q}}: %s is a page, and only +files can be called: move what both show to a partial", n.Name, f.file)
	}
	if t.ParseName != b.set.inner {
		return faultInLine(t.ParseName, line, "no template is called %q, and %s does not define it: write {{block %[1]q .}}a default{{end}} here, or {{define %[1]q}} there", n.Name, b.set.inner)
	}
	return faultInLine(t.ParseName, line, "no template is called %q: {{define}} it in this file, or call a partial by its path, as in \"users/+row\"", n.Name)
}

// A templateText is a template file that is not parsed yet.
type templateText struct {
	name, file, text string
	shared           bool
}

// readTemplates returns the template files of a tree, by name.
func readTemplates(t *tree) (texts []templateText, faults []fault) {
	for _, name := range sortedKeys(t.templates) {
		src := t.templates[name]
		text, err := fs.ReadFile(src.files, src.file)
		if err != nil {
			faults = append(faults, faultIn(src.file, "cannot be read: %v", err))
			continue
		}
		texts = append(texts, templateText{name, src.file, string(text), src.shared})
	}
	return texts, faults
}

// parseAll parses and checks template files.
func (l *library) parseAll(texts []templateText) {
	for _, text := range texts {
		l.parse(text)
	}
	for _, name := range sortedKeys(l.files) {
		l.check(l.files[name])
	}
}

// layoutsOf returns the layouts of a page or an error page, the innermost first.
func (l *library) layoutsOf(name string) []*templateFile {
	var layouts []*templateFile
	for _, dir := range slices.Backward(layersOf(name)) {
		if f := l.files[path.Join(dir, layoutName)]; f != nil {
			layouts = append(layouts, f)
		}
	}
	return layouts
}

// lineOf returns the line of a node in its file.
func lineOf(t *parse.Tree, n parse.Node) int {
	where, _ := t.ErrorContext(n)
	line, _, _ := strings.Cut(strings.TrimPrefix(where, t.ParseName+":"), ":")
	i, _ := strconv.Atoi(line)
	return i
}

// eachNode calls f for each node of a template, from the outside in.
func eachNode(n parse.Node, f func(parse.Node)) {
	if isNil(n) { // an else that is not there
		return
	}
	f(n)
	branch := func(b *parse.BranchNode) {
		eachNode(b.Pipe, f)
		eachNode(b.List, f)
		eachNode(b.ElseList, f)
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			eachNode(child, f)
		}
	case *parse.PipeNode:
		for _, cmd := range n.Cmds {
			eachNode(cmd, f)
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			eachNode(arg, f)
		}
	case *parse.ChainNode:
		eachNode(n.Node, f)
	case *parse.ActionNode:
		eachNode(n.Pipe, f)
	case *parse.TemplateNode:
		eachNode(n.Pipe, f)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	}
}
