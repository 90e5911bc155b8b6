package templates

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/pages/language"
	"example.com/flow/internal/pages/links"
	"example.com/flow/internal/pages/markup"
)

// The HTML of a page in a format is not what somebody has written, and its converter does not say which
// line a part of it comes from. So a place is looked for by what stands there: if the text of the page
// has it as often as the HTML, the n-th of one is the n-th of the other. The HTML is read without its
// escapes, so that code which the page shows counts in both.

// position returns the line and the column in the text of the file of an offset in what was parsed. They
// are 0 if the place is not found.
func (f *templateFile) position(offset int) (line, column int) {
	if f.conversion == nil {
		return markup.Position(f.text, offset)
	}
	return f.conversion.position(offset)
}

func (c *Conversion) position(offset int) (line, column int) {
	if end := strings.IndexAny(c.html[offset:], "\"'<> \t\r\n"); end > 0 && strings.Contains(c.html[offset:offset+end], "/") {
		return c.urlPosition(offset, c.html[offset:offset+end])
	}
	offset = max(0, strings.LastIndexByte(c.html[:min(offset+1, len(c.html))], '<'))
	tag := c.html[offset:]
	if end := strings.IndexByte(tag, '>'); end >= 0 {
		tag = tag[:end+1]
	}
	whole, before, unescaped := html.UnescapeString(c.html), html.UnescapeString(c.html[:offset]), html.UnescapeString(tag)
	if places := all(c.Text, tag); len(places) == strings.Count(whole, unescaped) {
		return c.nth(places, len(places), strings.Count(before, unescaped))
	}
	content, _, _ := strings.Cut(c.html[offset+len(tag):], "<")
	return c.only(html.UnescapeString(content))
}

// urlPosition is position for the offset of a URL in a tag, as the HTML has it.
func (c *Conversion) urlPosition(offset int, written string) (line, column int) {
	url := html.UnescapeString(written)
	return c.nth(c.placesOf(url), countURL(c.html, url), countURL(c.html[:offset], url))
}

// placesOf returns the offsets of a URL in the text, as it stands there or as a link that leads to it.
func (c *Conversion) placesOf(url string) []int {
	places := occurrences(c.Text, url)
	for to, l := range c.links {
		if l.url == url && to != url {
			places = append(places, occurrences(c.Text, to)...)
		}
	}
	slices.Sort(places)
	return places
}

// countURL returns how often a part of the HTML has a URL.
func countURL(part, url string) int { return len(occurrences(html.UnescapeString(part), url)) }

// Place returns the file that has a URL which the page of a name has when it is rendered, and where: the
// page itself, a layout or a partial. text and what are those of a links.URL. The line is 0 if no file
// has it, as when an action writes it, and if it is not sure where: then the file is that of the page.
func (v *Views) Place(name, text, what string) (file string, line, column int) {
	m := v.made[name]
	if m == nil {
		return "", 0, 0
	}
	in := m.set.around(m.file).byFile
	for _, file := range append([]string{m.file.file}, slices.Sorted(maps.Keys(in))...) {
		if line, column, found := in[file].find(text, what); found {
			return file, line, column
		}
	}
	return m.file.file, 0, 0
}

// find finds the first URL in what was parsed with a text and what links.URL says of it. The line is 0 if
// its place in the text of the file is not known.
func (f *templateFile) find(text, what string) (line, column int, found bool) {
	var all []links.URL
	if f.conversion != nil {
		all = links.OfPage(f.conversion.html).URLs
	} else {
		all = links.OfPage(f.withoutActions()).URLs
	}
	i := slices.IndexFunc(all, func(u links.URL) bool { return u.Text == text && u.What() == what })
	if i < 0 {
		return 0, 0, false
	}
	if f.conversion == nil {
		line, column = markup.Position(f.text, all[i].Offset)
	} else {
		line, column = f.conversion.exactly(text, all[i].Offset)
	}
	return line, column, true
}

// withoutActions returns the text of the file with zero bytes in the place of actions, which no URL has.
func (f *templateFile) withoutActions() string {
	text := strings.TrimPrefix(f.text, "\ufeff")
	t, trees := parse.New(f.file), map[string]*parse.Tree{} // parsed again, since html/template has changed the others
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(text, "", "", trees); err != nil {
		return ""
	}
	plain := make([]byte, len(text))
	for _, t := range trees {
		language.EachAction(t.Root, func(n parse.Node) {
			if n, ok := n.(*parse.TextNode); ok {
				copy(plain[n.Pos:], n.Text)
			}
		})
	}
	return string(plain)
}

// exactly returns the position in the text of a URL at an offset of the HTML, or 0 if others could be
// meant.
func (c *Conversion) exactly(url string, offset int) (line, column int) {
	places, inHTML := c.placesOf(url), countURL(c.html, url)
	if len(places) != 1 && len(places) != inHTML {
		return 0, 0
	}
	return c.nth(places, inHTML, countURL(c.html[:offset], url))
}

// nth returns the position of the n-th of some places in the text, from 0, if they are as many as the
// HTML has. Otherwise it is that of the first, which has the same mistake.
func (c *Conversion) nth(places []int, inHTML, n int) (line, column int) {
	switch {
	case len(places) == 0:
		return 0, 0
	case len(places) != inHTML:
		n = 0
	}
	return markup.Position(c.Text, places[n])
}

// only returns the position of what both the text and what is read of the HTML have once.
func (c *Conversion) only(part string) (line, column int) {
	part = strings.TrimSpace(part)
	if part == "" || strings.Count(c.Text, part) != 1 || strings.Count(html.UnescapeString(c.html), part) != 1 {
		return 0, 0
	}
	return markup.Position(c.Text, strings.Index(c.Text, part))
}

// escapeFault returns the fault for what html/template says of the HTML as a whole. That quotes what it is about,
// unless the HTML ends too early: then the fault quotes the last line.
func (c *Conversion) escapeFault(description string) fault.Fault {
	_, quoted, _ := strings.Cut(description, ": ")
	part, err := strconv.Unquote(quoted)
	if err != nil {
		lines := strings.Split(strings.TrimSpace(c.html), "\n")
		part = strings.TrimSpace(lines[len(lines)-1])
		description += fmt.Sprintf(": %q", part[max(0, len(part)-maxQuoted):])
	}
	line, column := c.only(part)
	return fault.InColumn(c.File, line, column, "the HTML of its format: %s", description)
}

// maxQuoted is the largest length, in bytes, of what a fault quotes of the HTML.
const maxQuoted = 120

// all returns the offsets of a part of a text, which is not empty.
func all(text, part string) (offsets []int) {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 || part == "" {
			return offsets
		}
		offsets = append(offsets, from+i)
		from += i + len(part)
	}
}

// occurrences returns the offsets of a URL in a text, and not those of a longer URL that contains it.
func occurrences(text, url string) []int {
	return slices.DeleteFunc(all(text, url), func(i int) bool {
		end := i + len(url)
		return i > 0 && inURL(text[i-1]) || end < len(text) && inURL(text[end])
	})
}

// inURL reports whether a byte beside a URL says that this is a part of something else.
func inURL(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80 || strings.IndexByte("-._~%/?#&+@:;", c) >= 0
}
