package templates

import (
	"errors"
	"fmt"
	"html/template"
	"path"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/flow/internal/fault"
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

// HTML returns the HTML of the page.
func (c *Conversion) HTML() string { return c.html }

// HasAsked reports whether the format has asked Link for a text.
func (c *Conversion) HasAsked(to string) bool { return c.links[to] != nil }

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
func (l *library) convert(f *File) (faults []fault.Fault) {
	format := l.Formats[path.Ext(f.File)]
	if format.Convert == nil {
		return nil // which is reported elsewhere
	}
	c := &Conversion{File: f.File, Path: f.Name, Text: strings.TrimPrefix(f.Text, "\ufeff"), index: l.linkIndex()}
	f.Conversion = c
	if !utf8.ValidString(c.Text) {
		return []fault.Fault{fault.InLine(f.File, 1+strings.Count(c.Text[:firstInvalid(c.Text)], "\n"), "the text is not UTF-8: save it so")}
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
