package templates

import (
	"errors"
	"html"
	"html/template"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/content"
)

// Lists says what the functions page and pages of templates return.
type Lists struct {
	Entry reflect.Type                                 // what page returns; pages returns a list of it
	Page  func(path string) (url string, guarded bool) // of a page of the binary: see content.Page
	Make  func([]content.Page) (Entries, error)        // an error is a mistake of the application, and does not keep it from making Entries
}

// Entries are those of all pages.
type Entries interface {
	Page(path string) any          // that of a page, a partial or an error page
	At(path string) (any, error)   // that of the page at a place: see content.Index
	Below(dir string) (any, error) // those of the pages below a directory: see content.Index
}

// entriesOf makes the entries of the files, which are parsed.
func (l *library) entriesOf(texts []Text) Entries {
	if l.Lists == nil {
		return nil
	}
	var pages []content.Page
	for _, text := range texts {
		f := l.files[text.Name]
		if f.isLayout() {
			continue
		}
		p := content.Page{Path: f.Name, HTML: template.HTML(f.html)}
		if f.notes != nil {
			p.Title, p.Front = f.notes.title, f.notes.front
		}
		if c := f.Conversion; c != nil {
			p.Front = c.front
		}
		p.URL, p.Guarded = l.Lists.Page(f.Name)
		pages = append(pages, p)
	}
	entries, err := l.Lists.Make(pages)
	if err != nil {
		l.faults = append(l.faults, fault.Fault{Text: err.Error()})
	}
	return entries
}

// notes are what lists have to do with a file. Most files have none.
type notes struct {
	title string // see readTitle
	front any    // of an .html page: see readFront
	asked []asked
}

// An asked is a call of page or pages with a path that is a constant.
type asked struct{ function, path string }

// note returns the notes of a file, to be changed.
func (f *File) note() *notes {
	if f.notes == nil {
		f.notes = &notes{}
	}
	return f.notes
}

// stillLists reports whether what a file asks page and pages for is still there.
func (l *library) stillLists(f *File) bool {
	return f.notes == nil || !slices.ContainsFunc(f.notes.asked, func(a asked) bool { return l.ask(a) != nil })
}

// ask returns the error of a call.
func (l *library) ask(a asked) (err error) {
	if a.function == "page" {
		_, err = l.entries.At(a.path)
	} else {
		_, err = l.entries.Below(a.path)
	}
	return err
}

// literal returns the text of a template that has no actions. If held is that text, it returns held in
// place of a copy.
func literal(t *parse.Tree, held string) (text string, ok bool) {
	if t == nil || t.Root == nil {
		return "", false
	}
	for i, n := range t.Root.Nodes {
		n, ok := n.(*parse.TextNode)
		switch {
		case !ok:
			return "", false
		case i == 0 && string(n.Text) == held:
			text = held
		default:
			text += string(n.Text)
		}
	}
	return text, true
}

// readText notes the HTML of a file, if it has no actions.
func (f *File) readText() {
	source, _, _ := f.source()
	own, isText := literal(f.trees[f.File], source)
	f.html, f.IsText = own, isText && len(f.trees) == 1 && len(f.trees[f.File].Root.Nodes) == 1
	if f.IsText {
		f.textAt = f.trees[f.File].Root.Nodes[0].Position()
	}
}

// readTitle notes the title of an .html page, unless actions are in it.
func (f *File) readTitle() {
	if title, _ := literal(f.trees["title"], ""); title != "" {
		f.note().title = html.UnescapeString(strings.TrimSpace(title))
	}
}

// frontName is the name of the template in which an .html page has its front matter.
const frontName = "front matter"

// readFront has the format of the Router read the front matter of an .html page, as if that were a page of
// its own. It takes the template away, which nothing renders.
func (l *library) readFront(f *File) []fault.Fault {
	t := f.trees[frontName]
	if t == nil {
		return nil
	}
	delete(f.trees, frontName)
	line := lineOf(t, t.Root)
	text, ok := literal(t, "")
	switch {
	case !ok:
		return []fault.Fault{fault.InLine(f.File, line, "{{define %q}} has actions, and is read before there is a request: write text there", frontName)}
	case len(l.Formats) > 1:
		return []fault.Fault{fault.InLine(f.File, line, "{{define %q}} is read by the format of the Router, and there are %d in Router.Formats: make this page one of them", frontName, len(l.Formats))}
	}
	trimmed := strings.TrimLeft(text, " \t\r\n")
	c := &Conversion{File: f.File, Path: f.Name, Text: strings.TrimRight(trimmed, " \t\r\n") + "\n", index: l.linkIndex()}
	c.above = line - 1 + strings.Count(text[:len(text)-len(trimmed)], "\n")
	for _, format := range l.Formats {
		if format.Convert == nil {
			return nil // which is reported elsewhere
		}
		if faults := c.run(format.Convert); len(faults) > 0 {
			return faults
		}
	}
	f.note().front = c.front
	return nil
}

// checkList returns a fault if a command asks page or pages for what is not there. It notes the call, if the
// path is a constant.
func (l *library) checkList(f *File, t *parse.Tree, cmd *parse.CommandNode) []fault.Fault {
	fn, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok || fn.Ident != "page" && fn.Ident != "pages" || l.entries == nil || len(cmd.Args) < 2 {
		return nil
	}
	line, column := positionOf(t, cmd.Args[1])
	if fn.Ident == "page" && len(cmd.Args) > 2 {
		return []fault.Fault{fault.InColumn(f.File, line, column, "{{%s}}: %v", cmd, errPaths)}
	}
	path, ok := cmd.Args[1].(*parse.StringNode)
	if !ok {
		return nil
	}
	a := asked{fn.Ident, path.Text}
	notes := f.note()
	notes.asked = append(notes.asked, a)
	if err := l.ask(a); err != nil {
		return []fault.Fault{fault.InColumn(f.File, line, column, "{{%s %q}}: %v", a.function, a.path, strings.TrimPrefix(err.Error(), "flow: "))}
	}
	return nil
}

var errPaths = errors.New("page takes one path, or none for the page that is rendered")
