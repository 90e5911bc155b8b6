package templates

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/fault"
)

// The HTML of a page in a format is not what somebody has written, and its converter does not say which
// line a part of it comes from. So a place is looked for by what stands there: if the text of the page
// has it as often as the HTML, the n-th of one is the n-th of the other. The HTML is read without its
// escapes, so that code which the page shows counts in both.

// Position returns the line and the column in the text of an offset of the HTML. They are 0 if the place is
// not found.
func (c *Conversion) Position(offset int) (line, column int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.indexes()
	if end := strings.IndexAny(c.html[offset:], "\"'<> \t\r\n"); end > 0 {
		url := html.UnescapeString(c.html[offset : offset+end])
		if strings.ContainsAny(url, "/.") || c.links[url] != nil {
			return c.urlPosition(url, p.plain(c.html, offset))
		}
	}
	offset = max(0, strings.LastIndexByte(c.html[:min(offset+1, len(c.html))], '<'))
	tag := c.html[offset:]
	if end := strings.IndexByte(tag, '>'); end >= 0 {
		tag = tag[:end+1]
	}
	places, inHTML := p.text.all(tag), p.html.all(html.UnescapeString(tag))
	if len(places) == len(inHTML) {
		n, _ := slices.BinarySearch(inHTML, p.plain(c.html, offset))
		return c.nth(places, len(places), n)
	}
	content, _, _ := strings.Cut(c.html[offset+len(tag):], "<")
	return c.only(html.UnescapeString(content))
}

// urlPosition is position for a URL in a tag. offset is where the HTML without its escapes has it.
func (c *Conversion) urlPosition(url string, offset int) (line, column int) {
	inHTML := c.indexes().html.occurrences(url)
	n, _ := slices.BinarySearch(inHTML, offset)
	return c.nth(c.placesOf(url), len(inHTML), n)
}

// placesOf returns the offsets of a URL in the text, as it stands there or as a link that leads to it.
func (c *Conversion) placesOf(url string) []int {
	p := c.indexes()
	places := p.text.occurrences(url)
	if others := p.others[url]; others != nil {
		places = slices.Clone(places)
		for _, to := range others {
			places = append(places, p.text.occurrences(to)...)
		}
		slices.Sort(places)
	}
	return places
}

// PositionOf returns the position in the text of a URL at an offset of the HTML, or 0 if others could be
// meant.
func (c *Conversion) PositionOf(url string, offset int) (line, column int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.indexes()
	if places := c.placesOf(url); len(places) != 1 && len(places) != len(p.html.occurrences(url)) {
		return 0, 0
	}
	return c.urlPosition(url, p.plain(c.html, offset))
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
	return c.indexes().text.position(places[n])
}

// only returns the position of what both the text and what is read of the HTML have once.
func (c *Conversion) only(part string) (line, column int) {
	part = strings.TrimSpace(part)
	places := c.indexes().text.all(part)
	if len(places) != 1 || len(c.indexes().html.all(part)) != 1 {
		return 0, 0
	}
	return c.indexes().text.position(places[0])
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
	c.mu.Lock()
	defer c.mu.Unlock()
	line, column := c.only(part)
	return fault.InColumn(c.File, line, column, "the HTML of its format: %s", description)
}

// maxQuoted is the largest length, in bytes, of what a fault quotes of the HTML.
const maxQuoted = 120

// The indexes of a page are made when the first place in it is asked for: a page of some megabytes may have
// thousands of mistakes.
type indexes struct {
	text, html index // html has no escapes
	escapes    []escape
	others     map[string][]string // by a URL, the texts for which Link has returned it, other than itself
}

// An escape is where an & stands in the HTML, and what it begins in the HTML without escapes.
type escape struct{ at, plain int }

func (c *Conversion) indexes() *indexes {
	if c.found == nil {
		p := &indexes{text: newIndex(c.Text), others: map[string][]string{}}
		var plain strings.Builder
		for rest := c.html; rest != ""; {
			p.escapes = append(p.escapes, escape{len(c.html) - len(rest), plain.Len()})
			end := strings.IndexByte(rest[1:], '&') + 1 // no escape has one
			if end == 0 {
				end = len(rest)
			}
			plain.WriteString(html.UnescapeString(rest[:end]))
			rest = rest[end:]
		}
		p.html = newIndex(plain.String())
		for to, l := range c.links {
			if to != l.url {
				p.others[l.url] = append(p.others[l.url], to)
			}
		}
		c.found = p
	}
	return c.found
}

// plain returns the offset in the HTML without its escapes of an offset in the HTML.
func (p *indexes) plain(written string, offset int) int {
	i, exact := slices.BinarySearchFunc(p.escapes, offset, func(e escape, offset int) int { return e.at - offset })
	if !exact {
		i--
	}
	if i < 0 { // there is no HTML
		return 0
	}
	e := p.escapes[i]
	return e.plain + len(html.UnescapeString(written[e.at:offset]))
}
