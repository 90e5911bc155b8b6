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

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/pages/plan"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// A templateFile is a parsed template file. Among the templates of a set it goes by its path,
// file, which is the name of no {{define}}. check changes calls of partials to that.
//
//	router/users/[id].html  name "users/[id]": a page
//	router/users/+row.html  name "users/+row": a partial
//	router/+layout.html     name "+layout"
type templateFile struct {
	name   string // what View and {{template}} take
	file   string
	shared bool   // it is from a shared tree of flow.New
	text   string // the source that it was parsed from
	// conversion is that of a page in a format, whose HTML was parsed in place of the source. It is nil
	// for other files.
	conversion *Conversion
	trees      map[string]*parse.Tree // its own, under file, and those of each define and block
	sorted     []*parse.Tree          // these, by their names
	broken     bool                   // it cannot be parsed
	faults     []fault.Fault          // of the file by itself; if there are any, no view uses the file
	notes      *notes                 // nil if there are none
	html       string
	isText     bool // it is one piece of HTML, without actions and definitions
	// partials and assets depend on which other files there are: see stillResolves.
	partials map[string]string // the files of the partials that it calls, by the names in {{template}}
	assets   []string          // the public files that it names
	calls    map[string]bool   // the templates that it calls, other than itself; partials by file
	links    *links.File       // the URLs in its HTML
}

// The names with a meaning of their own. Other files whose names begin with + are partials.
const (
	layoutName = "+layout"
	errorName  = "+error"
	slot       = "content" // the template that a layout calls where the page goes
)

func isPartial(name string) bool {
	base := path.Base(name)
	return base[0] == '+' && base != layoutName && base != errorName
}

func (f *templateFile) isLayout() bool { return path.Base(f.name) == layoutName }

// A library is all template files of a tree, with the functions that they may call.
type library struct {
	*functions
	tree         *routetree.Tree
	linked       *routetree.LinkIndex     // of tree; nil before the first use
	files        map[string]*templateFile // by name
	byFile       map[string]*templateFile
	partialFiles map[string]*templateFile // the partials among files, by name
	called       map[string]bool          // the names of all templates that are called anywhere
	// used has the files of the application's own tree, and the shared ones that they use. The
	// faults of other shared files do not matter.
	used          map[*templateFile]bool
	data          map[*templateFile][]Data // of Host.Data
	compiler      *plan.Compiler
	entries       Entries
	before        *Views                            // those to take over from
	sharedLayouts map[sharedLayoutKey]*sharedLayout // nil for pages that have none
	faults        []fault.Fault
}

// newLibrary returns a library for a tree, without files, which takes over from before.
func newLibrary(t *routetree.Tree, host Host, before *Views) *library {
	funcs, faults := newFunctions(host)
	return &library{
		functions:     funcs,
		tree:          t,
		faults:        faults,
		compiler:      plan.NewCompiler(funcs.callable),
		before:        before,
		sharedLayouts: map[sharedLayoutKey]*sharedLayout{},
		files:         map[string]*templateFile{},
		byFile:        map[string]*templateFile{},
		partialFiles:  map[string]*templateFile{},
		called:        map[string]bool{},
		used:          map[*templateFile]bool{},
	}
}

// add adds a template file to the library.
func (l *library) add(f *templateFile) {
	l.files[f.name], l.byFile[f.file] = f, f
	if isPartial(f.name) {
		l.partialFiles[f.name] = f
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
func (l *library) parseFile(src Text) *templateFile {
	f := &templateFile{
		name: src.Name, file: src.File, shared: src.Shared, text: src.Text,
		trees: map[string]*parse.Tree{}, partials: map[string]string{}, calls: map[string]bool{},
	}
	// The parser uses the name as a part of a format string.
	name := strings.ReplaceAll(f.file, "%", "%%")
	t := parse.New(name)
	t.Mode = parse.SkipFuncCheck // check reports all of them
	text, left, right := strings.TrimPrefix(src.Text, "\ufeff"), "", ""
	if path.Ext(f.file) != ".html" {
		if f.faults = l.convert(f); len(f.faults) > 0 || f.conversion == nil {
			f.broken = true
			return f
		}
		text = f.conversion.html
		left, right = noDelimiter(text), noDelimiter(text)
	}
	_, err := t.Parse(text, left, right, f.trees)
	if err != nil {
		f.broken = true
		if strings.HasSuffix(err.Error(), "unexpected EOF") {
			f.faults = openAtEnd(f.file, src.Text)
		}
		if len(f.faults) == 0 {
			f.faults = []fault.Fault{Fault(f.file, err)}
		}
	}
	for _, t := range f.trees {
		t.ParseName = f.file
	}
	if own := f.trees[name]; name != f.file && own != nil {
		delete(f.trees, name)
		f.trees[f.file], own.Name = own, f.file
	}
	if f.conversion == nil && l.Lists != nil {
		f.readTitle()
		f.faults = append(f.faults, l.readFront(f)...)
	}
	f.readText(text)
	f.sorted = slices.SortedFunc(maps.Values(f.trees), func(a, b *parse.Tree) int { return strings.Compare(a.Name, b.Name) })
	return f
}

// check finds the faults of a file that do not depend on the set that it is in. It changes
// calls of partials to the names of their files.
func (l *library) check(f *templateFile) {
	hasSlot, urls := false, map[*parse.CommandNode]string{}
	for _, t := range f.sorted {
		name := t.Name
		report := func(n parse.Node, format string, args ...any) {
			f.faults = append(f.faults, fault.InLine(f.file, lineOf(t, n), format, args...))
		}
		switch {
		case name != f.file && path.Base(name)[0] == '+':
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
						urls[cmd] = url
					}
				}
			case *parse.TemplateNode:
				hasSlot = hasSlot || n.Name == slot && name != slot
				found := l.partials(n.Name)
				if err := l.checkTemplate(f, n, found); err != nil {
					report(n, "%v", err)
				}
				if len(found) == 1 {
					file := l.files[found[0]].file
					f.partials[n.Name] = file
					n.Name = file
				}
				if n.Name != f.file {
					f.calls[n.Name] = true
				}
			}
		})
	}
	f.faults = append(f.faults, l.checkAlone(f)...)
	if f.isLayout() && !hasSlot && len(f.faults) == 0 {
		f.faults = append(f.faults, fault.InLine(f.file, 1, "the layout does not say where the page goes: write {{template %q .}} there", slot))
	}
	f.links = links.Scan(f.sorted, urls) // now, since html/template changes the trees
}

// partials returns the names of the partials that a name in {{template}} may stand for. The
// name may leave out groups.
func (l *library) partials(name string) []string {
	if !isPartial(name) {
		return nil
	}
	return routetree.Find(l.partialFiles, name)
}

// checkTemplate returns an error if a {{template}} is wrong in any set. found are the
// partials that its name may stand for.
func (l *library) checkTemplate(f *templateFile, n *parse.TemplateNode, found []string) error {
	name := n.Name
	base := path.Base(name)
	switch {
	case name == slot && !f.isLayout():
		return fmt.Errorf("{{template %q}} is where a layout puts the page, and this is no %s.html", slot, layoutName)
	case name == slot && n.Pipe == nil:
		return fmt.Errorf("{{template %q}} gives the page no data: write {{template %[1]q .}}", slot)
	case base == layoutName || base == errorName:
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
func (l *library) checkCall(f *templateFile, cmd *parse.CommandNode, piped bool) (url string, err error) {
	fn, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok || len(cmd.Args) < 2 {
		return "", nil
	}
	name, ok := cmd.Args[1].(*parse.StringNode)
	switch {
	case ok && fn.Ident == "asset":
		f.assets = append(f.assets, name.Text)
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
		f := before.files[text.Name]
		if f == nil || f.text != text.Text || f.file != text.File || f.shared != text.Shared || len(f.faults) > 0 || !l.stillLinks(f, before.tree) {
			f = l.parseFile(text)
		}
		l.add(f)
	}
	l.entries = l.entriesOf(texts)
	for _, text := range texts {
		f := l.files[text.Name]
		if f == before.files[text.Name] {
			if l.stillResolves(f) {
				continue
			}
			f = l.parseFile(text) // again, since check changes the trees
			l.add(f)
		}
		l.check(f)
	}
	for _, f := range l.files {
		l.used[f] = !f.shared
		maps.Copy(l.called, f.calls)
	}
	l.findData()
}

// stillLinks reports whether the links of a file, which was read before in a tree, lead where they
// have led.
func (l *library) stillLinks(f *templateFile, before *routetree.Tree) bool {
	return f.conversion == nil || l.tree == before || f.conversion.stillLinks(l.linkIndex())
}

// stillResolves reports whether the names in a file, which was checked before and has no
// faults, still stand for the same partials, and whether its public files and the directories of
// its lists still exist.
func (l *library) stillResolves(f *templateFile) bool {
	for name, file := range f.partials {
		if found := l.partials(name); len(found) != 1 || l.files[found[0]].file != file {
			return false
		}
	}
	for _, name := range f.assets {
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
