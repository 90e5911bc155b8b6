package markup

import (
	"html"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/routes/pattern"
)

// A context says what the next letter belongs to (HTML, section 13.2.5).
type context uint8

const (
	content context = iota
	rawText         // of an element whose content is no HTML, such as script
	comment
	bogus   // what browsers read as a comment up to the next ">", such as a doctype
	tagName // the contexts from here on are in a tag
	inTag   // in front of an attribute
	attrName
	afterName // of an attribute: "=" may follow
	beforeValue
	value
)

// A state is what is known at one point of the HTML. A template can be in several states at one
// point, one for each way to it.
type state struct {
	context context
	element string // in rawText
	end     bool   // the tag is an end tag
	tag     Way    // from tagName to value
	attr    Attr   // from attrName to value, with the name
	use     use    // of the value
	quote   byte   // in value: 0 if there is none
}

// in returns what a node stands in.
func (s *state) in() In {
	switch {
	case s.context == content:
		return In{}
	case s.context == rawText:
		return In{Raw, s.element}
	case s.context >= tagName:
		return In{Kind: InTag}
	}
	return In{Kind: InComment}
}

// equal reports whether two states differ in their conditions at most.
func (s *state) equal(o *state) bool {
	return s.context == o.context && s.element == o.element && s.end == o.end && s.quote == o.quote && s.attr.equal(o.attr) && s.tag.equal(&o.tag)
}

// equal reports whether two ways differ in their conditions at most.
func (w *Way) equal(o *Way) bool {
	return w.Place == o.Place && w.Name == o.Name && w.Open == o.Open && slices.EqualFunc(w.Attrs, o.Attrs, Attr.equal)
}

func (a Attr) equal(b Attr) bool {
	return a.Name == b.Name && a.Value == b.Value && a.Place == b.Place && slices.Equal(a.Holes, b.Holes)
}

const space = " \t\n\r\f"

// rawElements are the elements whose content is text up to their end tag. Browsers without scripts
// read noscript as HTML.
var rawElements = []string{"iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"}

// A lexer reads HTML from a state on.
type lexer struct {
	// page says that the HTML is what a browser gets. In a template, html/template removes comments up
	// to "-->", in scripts, too, so that a browser never sees other ends of them.
	page bool
}

// next reads the text from the index at up to the end of a tag, of a text or of a comment, or to the
// end of the text. It returns the node that ends there, or nil, and the index behind it. The state
// is changed. start is the place of the text.
func (l lexer) next(s *state, text string, at int, start Place) (n Node, end int) {
	place := func(at int) Place { return Place{start.File, start.Template, start.Offset + at} }
	for at < len(text) {
		rest := text[at:]
		switch s.context {
		case content:
			i := l.open(rest)
			if i > 0 {
				return &Text{Place: place(at), Text: rest[:i]}, at + i
			}
			at += l.begin(s, rest, place(at))
			if first := s.context == comment; first {
				at += l.comment(s, text[at:], first)
			}
		case rawText:
			i, in := l.endOfRaw(s.element, rest), s.in()
			if i < len(rest) {
				*s = state{context: tagName, end: true, tag: Way{Place: place(at + i)}}
				end = len("</")
			}
			if i > 0 {
				return &Text{Place: place(at), Text: rest[:i], In: in}, at + i + end
			}
			at += end
		case comment:
			at += l.comment(s, rest, false)
		case bogus:
			i := strings.IndexByte(rest, '>')
			if i < 0 {
				return nil, len(text)
			}
			*s = state{}
			at += i + len(">")
		case tagName:
			i := indexAny(rest, space+"/>")
			s.tag.Name += lower(rest[:i])
			if at += i; i < len(rest) {
				s.context = inTag
			}
		case inTag:
			trimmed := strings.TrimLeft(rest, space+"/")
			switch at += len(rest) - len(trimmed); {
			case trimmed == "":
			case trimmed[0] == '>':
				return s.close(), at + 1
			default:
				s.context, s.attr = attrName, Attr{Place: place(at)}
			}
		case attrName:
			i := 0
			if s.attr.Name == "" && rest[0] == '=' { // a name may begin with "="
				i = 1
			}
			i += indexAny(rest[i:], space+"/>=")
			s.attr.Name += lower(rest[:i])
			if at += i; i < len(rest) {
				s.context = afterName
			}
		case afterName:
			trimmed := strings.TrimLeft(rest, space)
			switch at += len(rest) - len(trimmed); {
			case trimmed == "":
			case trimmed[0] == '=':
				s.context = beforeValue
				at++
			default:
				s.endAttr()
			}
		case beforeValue:
			trimmed := strings.TrimLeft(rest, space)
			switch at += len(rest) - len(trimmed); {
			case trimmed == "":
			case trimmed[0] == '>': // no value
				s.endAttr()
			default:
				quote := byte(0)
				if trimmed[0] == '"' || trimmed[0] == '\'' {
					quote = trimmed[0]
					at++
				}
				s.beginValue(quote)
			}
		case value:
			ends := space + ">"
			if s.quote != 0 {
				ends = string(s.quote)
			}
			i := indexAny(rest, ends)
			if i > 0 && s.use >= valued {
				s.write(strings.ReplaceAll(html.UnescapeString(rest[:i]), pattern.Hole, "\ufffd"), nil, place(at))
			}
			if at += i; i < len(rest) {
				if s.quote != 0 {
					at++
				}
				s.endAttr()
			}
		}
	}
	return nil, at
}

// open returns the index of the first "<" in a text that begins a tag or a comment, or the length of
// the text. In a template, an action may follow a "<" at the end of the text, and html/template
// escapes each "<" that begins neither a tag, nor a comment, nor a doctype.
func (l lexer) open(text string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			return len(text)
		}
		at += i
		rest := text[at+len("<"):]
		name := strings.TrimPrefix(rest, "/")
		switch {
		case name == "":
			if !l.page {
				return at
			}
		case isLetter(name[0]), strings.HasPrefix(rest, "!--"), isDoctype(rest), l.page && strings.IndexByte("/!?", rest[0]) >= 0:
			return at
		}
	}
}

func isDoctype(text string) bool {
	const doctype = "!doctype"
	return len(text) >= len(doctype) && lower(text[:len(doctype)]) == doctype
}

// begin reads the beginning of a tag or a comment, and returns its length.
func (l lexer) begin(s *state, text string, place Place) int {
	end := strings.HasPrefix(text, "</")
	n := len("<")
	if end {
		n = len("</")
	}
	switch {
	case strings.HasPrefix(text, "<!--"):
		*s, n = state{context: comment}, len("<!--")
	case len(text) == n || isLetter(text[n]):
		*s = state{context: tagName, end: end, tag: Way{Place: place}}
	default:
		*s = state{context: bogus}
	}
	return n
}

// comment reads on in a comment, and returns the length of what it has read. first says that the
// text begins directly behind "<!--".
func (l lexer) comment(s *state, text string, first bool) int {
	ends := []string{"-->"}
	if l.page {
		ends = append(ends, "--!>")
		for _, end := range []string{">", "->"} { // <!--> and <!---> are whole comments
			if first && strings.HasPrefix(text, end) {
				*s = state{}
				return len(end)
			}
		}
	}
	for i := range len(text) {
		for _, end := range ends {
			if strings.HasPrefix(text[i:], end) {
				*s = state{}
				return i + len(end)
			}
		}
	}
	return len(text)
}

// endOfRaw returns the index of the end tag of an element in its content, or the length of the text.
// On a page, a script may hold a comment with a script in it, whose end tag does not end the outer
// one.
func (l lexer) endOfRaw(element, text string) int {
	comment, inner := false, false
	for i := range len(text) {
		rest := text[i:]
		switch {
		case l.page && element == "script" && !comment && strings.HasPrefix(rest, "<!--"):
			comment = !strings.HasPrefix(rest, "<!-->") && !strings.HasPrefix(rest, "<!--->")
		case comment && strings.HasPrefix(rest, "-->"):
			comment, inner = false, false
		case comment && !inner && isTag(rest, "<script"):
			inner = true
		case isTag(rest, "</"+element):
			if !inner {
				return i
			}
			inner = false
		}
	}
	return len(text)
}

// isTag reports whether a text begins with a tag.
func isTag(text, tag string) bool {
	return len(text) > len(tag) && text[0] == '<' && lower(text[:len(tag)]) == tag && strings.IndexByte(space+"/>", text[len(tag)]) >= 0
}

// hole notes an action, a call or a loop, which writes what is not known.
func (s *state) hole(n parse.Node, place Place) {
	switch s.context {
	case tagName:
		s.tag.Name += pattern.Hole
	case attrName:
		s.attr.Name += pattern.Hole
	case inTag, afterName:
		s.tag.Open = true
	case beforeValue:
		s.beginValue(0)
		fallthrough
	case value:
		if s.use >= valued {
			s.write(pattern.Hole, n, place)
		}
	}
}

func (s *state) beginValue(quote byte) {
	s.context, s.quote, s.use = value, quote, useOf(s.attr.Name)
}

// write adds text to the value of an attribute, or a hole.
func (s *state) write(text string, hole parse.Node, place Place) {
	a := &s.attr
	switch {
	case a.Value == "":
		a.Place = place
	case s.use == url && strings.ContainsAny(a.Value, "?#"): // each condition in a query would double the ways
		return
	}
	if i := indexAny(text, "?#"); s.use == url && i < len(text) {
		text = text[:i+1]
	}
	a.Value += text
	if hole != nil {
		a.Holes = append(slices.Clip(a.Holes), hole)
	}
}

// endAttr notes the attribute that ends.
func (s *state) endAttr() {
	a, w := s.attr, &s.tag
	s.context, s.attr, s.quote, s.use = inTag, Attr{}, 0, unused
	if strings.Contains(a.Name, pattern.Hole) {
		w.Open = true
		return
	}
	if _, taken := w.Get(a.Name); !taken && useOf(a.Name) != unused {
		w.Attrs = append(slices.Clip(w.Attrs), a)
	}
}

// close returns the node of the tag that ends.
func (s *state) close() Node {
	tag, end := s.tag, s.end
	*s = state{}
	if end {
		return &End{tag.Place, tag.Name}
	}
	if slices.Contains(rawElements, tag.Name) {
		*s = state{context: rawText, element: tag.Name}
	}
	return &Tag{[]Way{tag}}
}

// indexAny is strings.IndexAny, but returns the length of the text if none is there.
func indexAny(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}

// lower returns a name as HTML compares it: other letters than those of ASCII keep their case.
func lower(name string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		return c
	}, name)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
