package templates

import (
	"fmt"
	"io/fs"
	"maps"
	neturl "net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/pages/plan"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// A File is a parsed template file. Among the templates of a Set it goes by its path, File, which is
// the name of no {{define}}. check changes calls of partials to that.
//
//	router/users/[id].html  Name "users/[id]": a page
//	router/users/+row.html  Name "users/+row": a partial
//	router/+layout.html     Name "+layout"
type File struct {
	Name   string // what View and {{template}} take
	File   string
	Shared bool   // it is from a shared tree of flow.New
	Text   string // the source that it was parsed from
	// Conversion is that of a page in a format, whose HTML was parsed in place of the source. It is nil
	// for other files.
	Conversion *Conversion
	trees      map[string]*parse.Tree // its own, under File, and those of each define and block
	sorted     []*parse.Tree          // these, by their names
	Broken     bool                   // it cannot be parsed
	faults     []fault.Fault          // of the file by itself; if there are any, no view uses the file
	notes      *notes                 // nil if there are none
	html       string
	IsText     bool      // it is one piece of HTML, without actions and definitions
	textAt     parse.Pos // where that piece begins, as behind a comment
	// partials and Assets depend on which other files there are: see stillResolves.
	partials map[string]string // the files of the partials that it calls, by the names in {{template}}
	Assets   []string          // the public files that it names
	calls    map[string]bool   // the templates that it calls, other than itself; partials by file
	// URLs are those of the calls of {{route}}, with pattern.Hole in place of each value.
	URLs map[*parse.CommandNode]string
}

// The names with a meaning of their own. Other files whose names begin with + are partials.
const (
	LayoutName = "+layout"
	ErrorName  = "+error"
	slot       = "content" // the template that a layout calls where the page goes
)

// IsPartial reports whether the template of a name is a partial.
func IsPartial(name string) bool {
	base := path.Base(name)
	return base[0] == '+' && base != LayoutName && base != ErrorName
}

func (f *File) isLayout() bool { return path.Base(f.Name) == LayoutName }

// A library is all template files of a tree, with the functions that they may call.
type library struct {
	*functions
	tree         *routetree.Tree
	linked       *routetree.LinkIndex // of tree; nil before the first use
	files        map[string]*File     // by name
	byFile       map[string]*File
	partialFiles map[string]*File // the partials among files, by name
	called       map[string]bool  // the names of all templates that are called anywhere
	// used has the files of the application's own tree, and the shared ones that they use. The
	// faults of other shared files do not matter.
	used          map[*File]bool
	data          map[*File][]Data // of Host.Data
	compiler      *plan.Compiler
	entries       Entries
	before        Parsed                            // what to take over from
	sharedLayouts map[sharedLayoutKey]*sharedLayout // nil for pages that have none
	faults        []fault.Fault
}

// newLibrary returns a library for a tree, without files.
func newLibrary(t *routetree.Tree, host Host) *library {
	funcs, faults := newFunctions(host)
	return &library{
		functions:     funcs,
		tree:          t,
		faults:        faults,
		compiler:      plan.NewCompiler(funcs.callable),
		sharedLayouts: map[sharedLayoutKey]*sharedLayout{},
		files:         map[string]*File{},
		byFile:        map[string]*File{},
		partialFiles:  map[string]*File{},
		called:        map[string]bool{},
		used:          map[*File]bool{},
	}
}

// add adds a template file to the library.
func (l *library) add(f *File) {
	l.files[f.Name], l.byFile[f.File] = f, f
	if IsPartial(f.Name) {
		l.partialFiles[f.Name] = f
	}
}

// linkIndex returns the LinkIndex of the tree. Only pages in formats need it.
func (l *library) linkIndex() *routetree.LinkIndex {
	if l.linked == nil {
		l.linked = l.tree.IndexLinks()
	}
	return l.linked
}

// parseFile parses a template file. library.check finds what else is wrong about it.
func (l *library) parseFile(src Text) *File {
	f := &File{
		Name: src.Name, File: src.File, Shared: src.Shared, Text: src.Text,
		partials: map[string]string{}, calls: map[string]bool{}, URLs: map[*parse.CommandNode]string{},
	}
	if path.Ext(f.File) != ".html" {
		if f.faults = l.convert(f); len(f.faults) > 0 || f.Conversion == nil {
			f.Broken = true
			return f
		}
	}
	var err error
	if f.trees, err = f.parse(); err != nil {
		f.Broken = true
		if strings.HasSuffix(err.Error(), "unexpected EOF") {
			f.faults = openAtEnd(f.File, src.Text)
		}
		if len(f.faults) == 0 {
			f.faults = []fault.Fault{Fault(f.File, err)}
		}
	}
	if f.Conversion == nil && l.Lists != nil {
		f.readTitle()
		f.faults = append(f.faults, l.readFront(f)...)
	}
	f.readText()
	f.sorted = slices.SortedFunc(maps.Values(f.trees), func(a, b *parse.Tree) int { return strings.Compare(a.Name, b.Name) })
	return f
}

// source returns what is parsed of the file, and the delimiters of the actions in it; "" for those of
// templates.
func (f *File) source() (text, left, right string) {
	if c := f.Conversion; c != nil {
		d := noDelimiter(c.html)
		return c.html, d, d
	}
	return strings.TrimPrefix(f.Text, "\ufeff"), "", ""
}

// parse returns the templates of the file: its own, under its path, and those of each define and block.
func (f *File) parse() (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	name := strings.ReplaceAll(f.File, "%", "%%") // the parser uses it as a part of a format string
	t := parse.New(name)
	t.Mode = parse.SkipFuncCheck // check reports all of them
	text, left, right := f.source()
	_, err := t.Parse(text, left, right, trees)
	for _, t := range trees {
		t.ParseName = f.File
	}
	if own := trees[name]; name != f.File && own != nil {
		delete(trees, name)
		trees[f.File], own.Name = own, f.File
	}
	return trees, err
}

// Trees returns the templates of the file, in the order of their names. What is returned must not be
// changed.
func (f *File) Trees() []*parse.Tree {
	if !f.IsText {
		return f.sorted
	}
	t := f.text()
	t.Root.Nodes[0].(*parse.TextNode).Pos = f.textAt // not in text: parse looks for the line in a text that the tree has not
	return []*parse.Tree{t}
}

// text returns the template of a file that is nothing but text. It does not parse again, since a site may
// have thousands of such files.
func (f *File) text() *parse.Tree {
	text := &parse.TextNode{NodeType: parse.NodeText, Text: []byte(f.html)}
	return &parse.Tree{Name: f.File, ParseName: f.File, Root: &parse.ListNode{NodeType: parse.NodeList, Nodes: []parse.Node{text}}}
}

// check finds the faults of a file that do not depend on the set that it is in. It changes
// calls of partials to the names of their files.
func (l *library) check(f *File) {
	hasSlot := false
	for _, t := range f.sorted {
		name := t.Name
		report := func(n parse.Node, format string, args ...any) {
			f.faults = append(f.faults, fault.InLine(f.File, lineOf(t, n), format, args...))
		}
		switch {
		case name != f.File && path.Base(name)[0] == '+':
			report(t.Root, "{{define %q}}: names that begin with + are those of files: call it otherwise", name)
		case name == slot && !f.isLayout():
			report(t.Root, "%q is what layouts call the page itself: leave the {{define}} away, or call it otherwise", slot)
		}
		language.EachNode(t.Root, func(n parse.Node) {
			switch n := n.(type) {
			case *parse.IdentifierNode:
				switch {
				case !l.isFunc(n.Ident):
					report(n, "function %q not defined%s", n.Ident, l.suggestFunc(n.Ident))
				case n.Ident == "nonce" && l.NoNonce != "":
					report(n, "{{nonce}} has no value: %s", l.NoNonce)
				}
			case *parse.PipeNode:
				for i, cmd := range n.Cmds {
					f.faults = append(f.faults, l.checkList(f, t, cmd)...)
					url, err := l.checkCall(f, cmd, i > 0)
					if err != nil {
						report(cmd, "%v", strings.TrimPrefix(err.Error(), "flow: ")) // faults do not have the prefix
					}
					if url != "" {
						f.URLs[cmd] = url
					}
				}
			case *parse.TemplateNode:
				hasSlot = hasSlot || n.Name == slot && name != slot
				found := l.partials(n.Name)
				if err := l.checkTemplate(f, n, found); err != nil {
					report(n, "%v", err)
				}
				if len(found) == 1 {
					file := l.files[found[0]].File
					f.partials[n.Name] = file
					n.Name = file
				}
				if n.Name != f.File {
					f.calls[n.Name] = true
				}
			}
		})
	}
	if l.CheckFile != nil {
		f.faults = append(f.faults, l.CheckFile(f.trees, l.types)...)
	}
	if f.isLayout() && !hasSlot && len(f.faults) == 0 {
		f.faults = append(f.faults, fault.InLine(f.File, 1, "the layout does not say where the page goes: write {{template %q .}} there", slot))
	}
}

// partials returns the names of the partials that a name in {{template}} may stand for. The
// name may leave out groups.
func (l *library) partials(name string) []string {
	if !IsPartial(name) {
		return nil
	}
	return routetree.Find(l.partialFiles, name)
}

// checkTemplate returns an error if a {{template}} is wrong in any set. found are the
// partials that its name may stand for.
func (l *library) checkTemplate(f *File, n *parse.TemplateNode, found []string) error {
	name := n.Name
	base := path.Base(name)
	switch {
	case name == slot && !f.isLayout():
		return fmt.Errorf("{{template %q}} is where a layout puts the page, and this is no %s.html", slot, LayoutName)
	case name == slot && n.Pipe == nil:
		return fmt.Errorf("{{template %q}} gives the page no data: write {{template %[1]q .}}", slot)
	case base == LayoutName || base == ErrorName:
		return fmt.Errorf("{{template %q}}: %s.html is no partial: flow puts pages into layouts and answers with error pages by itself", name, name)
	case base[0] != '+' || len(found) == 1:
		return nil
	case len(found) > 1:
		return fmt.Errorf("{{template %q}}: %w", name, severalMeant(name, found))
	}
	if bare, ok := strings.CutSuffix(name, ".html"); ok && l.files[bare] != nil {
		return fmt.Errorf("no partial is called %q: leave .html away", name)
	}
	for _, other := range slices.Sorted(maps.Keys(l.partialFiles)) {
		if path.Base(other) == base {
			return fmt.Errorf("no partial is called %q: a partial is called by its whole path, as in %q", name, other)
		}
	}
	return fmt.Errorf("no partial is called %q%s", name, fault.Suggest(name, l.partialFiles, fmt.Sprintf(": there is no %s/%s.html", routetree.RouterDir, name)))
}

// checkCall checks a call such as {{route "name" "key" value}} or {{asset "file"}}, as far as
// its arguments are constants. For a route it returns the URL, with pattern.Hole in place of
// each value but "", which leaves out a parameter; the URL is "" if that is not known. piped
// says that a pipe adds a last argument.
func (l *library) checkCall(f *File, cmd *parse.CommandNode, piped bool) (url string, err error) {
	fn, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok || len(cmd.Args) < 2 {
		return "", nil
	}
	name, ok := cmd.Args[1].(*parse.StringNode)
	switch {
	case ok && fn.Ident == "asset":
		f.Assets = append(f.Assets, name.Text)
		_, err = l.Asset(l.Sample, name.Text)
	case ok && fn.Ident == "route":
		params := sampleParams(cmd.Args[2:], piped)
		url, err = l.Route(l.Sample, name.Text, params)
		switch {
		case err != nil && l.Excused(name.Text):
			err = nil
		case err == nil && forgetValues(params):
			url, err = l.Route(l.Sample, name.Text, params)
		}
	}
	return strings.ReplaceAll(url, neturl.PathEscape(pattern.Hole), pattern.Hole), err
}

// sampleParams returns the arguments of {{route}} behind the name: constants as they are, and
// routetree.Unknown for others.
func sampleParams(args []parse.Node, piped bool) (params []any) {
	for i, arg := range args {
		var param any = routetree.Unknown{}
		switch arg := arg.(type) {
		case *parse.StringNode:
			param = arg.Text
		case *parse.NumberNode:
			if arg.IsInt && i%2 != 0 {
				param = arg.Int64
			}
		}
		params = append(params, param)
	}
	if piped {
		params = append(params, routetree.Unknown{})
	}
	return params
}

// forgetValues puts routetree.Unknown in place of the values that are constants, but for "". It
// reports whether there were any.
func forgetValues(params []any) (found bool) {
	for i := 1; i < len(params); i += 2 {
		if params[i] != "" && params[i] != (routetree.Unknown{}) {
			params[i], found = routetree.Unknown{}, true
		}
	}
	return found
}

// A Text is a template file that is not parsed yet.
type Text struct {
	Name, File, Text string
	Shared           bool // it is from a shared tree of flow.New
}

// ReadTexts reads the template files of a tree, in the order of their names. It returns a
// fault for each file that it cannot read.
func ReadTexts(t *routetree.Tree) (texts []Text, faults []fault.Fault) {
	for _, name := range slices.Sorted(maps.Keys(t.Templates)) {
		text, err := ReadText(name, t.Templates[name])
		if err != nil {
			faults = append(faults, fault.In(text.File, "cannot be read: %v", err))
			continue
		}
		texts = append(texts, text)
	}
	return texts, faults
}

// ReadText reads one template file.
func ReadText(name string, src routetree.Source) (Text, error) {
	text, err := fs.ReadFile(src.Files, src.InTree)
	return Text{name, src.File, string(text), src.Shared}, err
}

// parseAll parses and checks template files. It takes over the files with the same text whose
// names still stand for the same files.
func (l *library) parseAll(texts []Text) {
	before := l.before
	for _, text := range texts {
		f := before.Files[text.Name]
		if f == nil || f.Text != text.Text || f.File != text.File || f.Shared != text.Shared || len(f.faults) > 0 || !l.stillLinks(f, before.Tree) {
			f = l.parseFile(text)
		}
		l.add(f)
	}
	l.entries = l.entriesOf(texts)
	for _, text := range texts {
		f := l.files[text.Name]
		if f == before.Files[text.Name] {
			if l.stillResolves(f) {
				continue
			}
			f = l.parseFile(text) // again, since check changes the trees
			l.add(f)
		}
		l.check(f)
	}
	for _, f := range l.files {
		l.used[f] = !f.Shared
		maps.Copy(l.called, f.calls)
	}
	l.findData()
}

// stillLinks reports whether the links of a file, which was read before in a tree, lead where they
// have led.
func (l *library) stillLinks(f *File, before *routetree.Tree) bool {
	return f.Conversion == nil || l.tree == before || f.Conversion.stillLinks(l.linkIndex())
}

// stillResolves reports whether the names in a file, which was checked before and has no
// faults, still stand for the same partials, and whether its public files and the directories of
// its lists still exist.
func (l *library) stillResolves(f *File) bool {
	for name, file := range f.partials {
		if found := l.partials(name); len(found) != 1 || l.files[found[0]].File != file {
			return false
		}
	}
	for _, name := range f.Assets {
		if _, err := l.Asset(l.Sample, name); err != nil {
			return false
		}
	}
	return l.stillLists(f)
}

// eachCall calls f for each {{template}} and {{block}} of a template.
func eachCall(t *parse.Tree, f func(*parse.TemplateNode)) {
	language.EachAction(t.Root, func(n parse.Node) {
		if n, ok := n.(*parse.TemplateNode); ok {
			f(n)
		}
	})
}

// lineOf returns the line of a node in its file.
func lineOf(t *parse.Tree, n parse.Node) int {
	line, _ := positionOf(t, n)
	return line
}

// positionOf returns the line and the column of a node in its file.
func positionOf(t *parse.Tree, n parse.Node) (line, column int) {
	where, _ := t.ErrorContext(n)
	at, offset, _ := strings.Cut(strings.TrimPrefix(where, t.ParseName+":"), ":")
	line, _ = strconv.Atoi(at)
	column, _ = strconv.Atoi(offset)
	return line, column + 1
}
