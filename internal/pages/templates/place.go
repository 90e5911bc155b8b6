package templates

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/fault"
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
	places := occurrences(c.Text, url)
	for to, l := range c.links {
		if l.url == url && to != url {
			places = append(places, occurrences(c.Text, to)...)
		}
	}
	slices.Sort(places)
	return c.nth(places, len(occurrences(html.UnescapeString(c.html), url)), len(occurrences(html.UnescapeString(c.html[:offset]), url)))
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
