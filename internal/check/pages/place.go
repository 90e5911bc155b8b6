package pages

import (
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/pages/templates"
)

// Place returns the file that has a URL which the page of a name has when it is rendered, and where: the
// page itself, a layout or a partial. text and what are those of a links.URL. The line is 0 if no file
// has it, as when an action writes it, and if it is not sure where: then the file is that of the page.
func (c *Checked) Place(name, text, what string) (file string, line, column int) {
	m := c.Views.Parsed.Made[name]
	if m == nil {
		return "", 0, 0
	}
	in := m.Whole().Files
	for _, file := range append([]string{m.File.File}, slices.Sorted(maps.Keys(in))...) {
		if line, column, found := find(in[file], text, what); found {
			return file, line, column
		}
	}
	return m.File.File, 0, 0
}

// find finds the first URL in what was parsed of a file with a text and what links.URL says of it. The
// line is 0 if its place in the text of the file is not known.
func find(f *templates.File, text, what string) (line, column int, found bool) {
	var html string
	if f.Conversion != nil {
		html = f.Conversion.HTML()
	} else {
		html = withoutActions(f)
	}
	all := links.OfPage(html).URLs
	i := slices.IndexFunc(all, func(u links.URL) bool { return u.Text == text && u.What() == what })
	switch {
	case i < 0:
		return 0, 0, false
	case f.Conversion != nil:
		line, column = f.Conversion.PositionOf(text, all[i].Offset)
	default:
		line, column = markup.Position(f.Text, all[i].Offset)
	}
	return line, column, true
}

// withoutActions returns the text of a file with zero bytes in the place of actions, which no URL has.
func withoutActions(f *templates.File) string {
	plain := make([]byte, len(strings.TrimPrefix(f.Text, "\ufeff")))
	for _, t := range f.Trees() {
		language.EachAction(t.Root, func(n parse.Node) {
			if n, ok := n.(*parse.TextNode); ok {
				copy(plain[n.Pos:], n.Text)
			}
		})
	}
	return string(plain)
}
