package templates

import (
	"errors"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"path"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Format converts the pages with an extension of their own, such as ".md". The HTML that it makes
// is literal: what looks like an action in it is text.
type Format struct {
	Front   reflect.Type // of the data of its pages; nil if Convert is
	Convert func(*Conversion) (html template.HTML, front any, err error)
}

// A Conversion is one of a page of a format, while it is being made and afterwards.
type Conversion struct {
	File string // for messages
	Path string // of the file below router/, without extension
	Text string // of the file, without a byte order mark

	above int // the lines of the file above Text, which is a part of an .html page
	html  string
	front any // the data of the page, unless a handler gives it other data

	mu    sync.Mutex // for the fields below: goroutines of a format may call Link, and development checks several things at once
	links map[string]*link
	index *routetree.LinkIndex // nil once the conversion is made
	found *indexes             // see indexes
}

// A link is what Conversion.Link has answered for a text.
type link struct {
	url   string
	wrong string // why there is no URL; else ""
	asked int    // how often the text was given
}

// Link returns the URL of what the text links to: see routetree.LinkIndex.
func (c *Conversion) Link(to string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index == nil {
		return "", fmt.Errorf("Link(%q): %s is converted already: call it in the function of the format", to, c.File)
	}
	l := c.links[to]
	if l == nil {
		l = &link{}
		var err error
		if l.url, err = c.index.URL(c.Path, to); err != nil {
			l.wrong = err.Error()
		}
		if c.links == nil {
			c.links = map[string]*link{}
		}
		c.links[to] = l
	}
	l.asked++
	if l.wrong != "" {
		return "", &Mistake{File: c.File, Text: l.wrong, to: to, nth: l.asked - 1}
	}
	return l.url, nil
}

// stillLinks reports whether the links of the text lead where they have led.
func (c *Conversion) stillLinks(x *routetree.LinkIndex) bool {
	for to, l := range c.links {
		if url, err := x.URL(c.Path, to); err != nil || url != l.url {
			return false
		}
	}
	return true
}

// missing says what would be right in place of a link of the HTML whose URL is relative and leads nowhere, or
// returns "". asked is what browsers make of the URL.
func (c *Conversion) missing(x *routetree.LinkIndex, t *routetree.Tree, l links.Link, asked string) string {
	right, err := x.URL(c.Path, l.URL)
	switch {
	case err != nil:
		return err.Error()
	case right != l.URL:
		return fmt.Sprintf("write %s, or have the format give the link to Source.Link", right)
	case !l.Loads:
		return ""
	}
	file, _, _ := routetree.Linked(c.Path, l.URL)
	below, ok := strings.CutPrefix(file, routetree.RouterDir+"/")
	written, _, _ := strings.Cut(c.html[l.Offset:], `"`)
	if c.links[html.UnescapeString(written)] == nil { // the format does not ask for it, so that only its URL counts
		decoded, _ := url.PathUnescape(asked)
		below, ok = strings.CutPrefix(decoded, strings.TrimSuffix(pattern.New(t.Prefix).URL(nil), "/")+"/")
	}
	if !ok {
		return ""
	}
	names := routetree.InPublic(below) // the last is without groups, as URLs are
	return "a file of that URL would be " + t.Shown(names[len(names)-1])
}

// A Mistake is an error at a line of the text of a page of a format, or in it as a whole if the line is
// 0. That of a link is at the nth place, from 0, where the text has it.
type Mistake struct {
	File string
	Line int
	Text string
	to   string
	nth  int
}

func (m *Mistake) Error() string { return fault.InColumn(m.File, m.Line, 0, "%s", m.Text).Text }

// place returns the line and the column of a mistake.
func (c *Conversion) place(m *Mistake) (line, column int) {
	if m.to == "" {
		return m.Line, 0
	}
	return c.nth(c.indexes().text.occurrences(m.to), c.links[m.to].asked, m.nth)
}

// faults returns the faults of an error of a conversion: one for each error that is joined in it. What
// fmt.Errorf makes of several is one error, with a text of its own.
func (c *Conversion) faults(err error) (faults []fault.Fault) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && err.Error() == fmt.Sprint(errors.Join(joined.Unwrap()...)) {
		for _, err := range joined.Unwrap() {
			faults = append(faults, c.faults(err)...)
		}
		return faults
	}
	text, line, column := err.Error(), 0, 0
	if m := (*Mistake)(nil); errors.As(err, &m) && m.File == c.File { // it may be wrapped in a text of the application
		text = strings.Replace(text, m.Error(), m.Text, 1)
		line, column = c.place(m)
	}
	if line > 0 {
		line += c.above
	}
	return []fault.Fault{fault.InColumn(c.File, line, column, "%s", strings.Join(strings.Fields(text), " "))}
}

// run calls the function of a format.
func (c *Conversion) run(convert func(*Conversion) (template.HTML, any, error)) (faults []fault.Fault) {
	defer func() {
		if v := recover(); v != nil {
			faults = []fault.Fault{fault.In(c.File, "the function of Router.Formats has panicked in %v: %v", fault.Panicked(), v)}
		}
	}()
	html, front, err := convert(c)
	c.mu.Lock() // what the function has left running may still call Link
	defer c.mu.Unlock()
	c.index = nil
	if err != nil {
		return c.faults(err)
	}
	c.html, c.front = strings.Clone(string(html)), front // which may be a part of something larger
	return nil
}

// convert makes the conversion of a page of a format.
func (l *library) convert(f *templateFile) (faults []fault.Fault) {
	format := l.Formats[path.Ext(f.file)]
	if format.Convert == nil {
		return nil // which is reported elsewhere
	}
	c := &Conversion{File: f.file, Path: f.name, Text: strings.TrimPrefix(f.text, "\ufeff"), index: l.linkIndex()}
	f.conversion = c
	if !utf8.ValidString(c.Text) {
		return []fault.Fault{fault.InLine(f.file, 1+strings.Count(c.Text[:firstInvalid(c.Text)], "\n"), "the text is not UTF-8: save it so")}
	}
	return c.run(format.Convert)
}

// noDelimiter returns a delimiter of actions that a text does not have.
func noDelimiter(text string) string {
	for d := "\x00"; ; d += "\x00" {
		if !strings.Contains(text, d) {
			return d
		}
	}
}

// firstInvalid returns the offset of the first bytes of a text that are not UTF-8.
func firstInvalid(text string) int {
	for i, c := range text {
		if c == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return len(text)
}
