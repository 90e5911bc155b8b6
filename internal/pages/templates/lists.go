package templates

import (
	"html"
	"html/template"
	"reflect"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/pages/content"
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
		p := content.Page{Path: f.name, Title: f.title, HTML: template.HTML(f.html)}
		if c := f.conversion; c != nil {
			p.Front = c.front
		}
		p.URL, p.Guarded = l.Lists.Page(f.name)
		pages = append(pages, p)
	}
	entries, err := l.Lists.Make(pages)
	if err != nil {
		l.faults = append(l.faults, fault.Fault{Text: err.Error()})
	}
	return entries
}

// literal returns the text of a template that has no actions.
func literal(t *parse.Tree) (text string, ok bool) {
	if t == nil || t.Root == nil {
		return "", false
	}
	for _, n := range t.Root.Nodes {
		n, ok := n.(*parse.TextNode)
		if !ok {
			return "", false
		}
		text += string(n.Text)
	}
	return text, true
}

// readText notes what a file has that needs no data: its HTML, if it has no actions, and its title.
// source is what was parsed.
func (f *templateFile) readText(source string) {
	own, isText := literal(f.trees[f.file])
	if own == source {
		own = source // which is held already
	}
	f.html, f.isText = own, isText && len(f.trees) == 1 && len(f.trees[f.file].Root.Nodes) == 1
	title, _ := literal(f.trees["title"])
	f.title = html.UnescapeString(strings.TrimSpace(title))
}

// checkList returns a fault if a command lists the pages of a directory that has none. It notes the
// name of the directory, if that is a constant.
func (l *library) checkList(f *templateFile, t *parse.Tree, cmd *parse.CommandNode) []fault.Fault {
	fn, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok || fn.Ident != "pages" || l.entries == nil || len(cmd.Args) < 2 {
		return nil
	}
	dir, ok := cmd.Args[1].(*parse.StringNode)
	if !ok {
		return nil
	}
	f.dirs = append(f.dirs, dir.Text)
	_, err := l.entries.Below(dir.Text)
	if err == nil {
		return nil
	}
	line, column := positionOf(t, dir)
	return []fault.Fault{fault.InColumn(f.file, line, column, "{{pages %q}}: %v", dir.Text, strings.TrimPrefix(err.Error(), "flow: "))}
}
