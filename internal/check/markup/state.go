package markup

import (
	"html"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/serve/routes/pattern"
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
	end     bool   // the tag is an end tag
	use     use    // of the attribute, from afterName to value
	quote   byte   // in value: 0 if there is none
	element string // in rawText
	tag     Way    // from tagName to value
	attr    Attr   // from attrName to value
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
	return w.Place == o.Place && w.Name == o.Name && w.Open == o.Open && w.Scripts == o.Scripts && slices.EqualFunc(w.Attrs, o.Attrs, Attr.equal)
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
	page  bool
	table *Table
	tags  slab[tagOfOneWay]
	texts slab[Text]
	ends  slab[End]
}

// A tagOfOneWay is a Tag with the place for its way.
type tagOfOneWay struct {
	Tag
	way [1]Way
}

// A slab makes values of a type, several with one allocation.
type slab[T any] struct{ last []T }

func (s *slab[T]) put(v T) *T {
	if len(s.last) == cap(s.last) {
		s.last = make([]T, 0, min(2+2*len(s.last), 64))
	}
	s.last = append(s.last, v)
	return &s.last[len(s.last)-1]
}

// next reads the text from the index at up to the end of a tag, of a text or of a comment, or to the
// end of the text. It returns the node that ends there, or nil, and the index behind it. The state
// is changed. start is the place of the text.
func (l *lexer) next(s *state, text string, at int, start Place) (n Node, end int) {
	place := func(at int) Place { return Place{start.Source, start.Offset + at} }
	for at < len(text) {
		rest := text[at:]
		switch s.context {
		case content:
			i := l.open(rest)
			if i > 0 && l.table.whole {
				return l.texts.put(Text{Place: place(at), Text: rest[:i]}), at + i
			}
			if at += i; at == len(text) {
				break
			}
			at += l.begin(s, rest[i:], place(at))
			if first := s.context == comment; first {
				at += l.comment(s, text[at:], first)
			}
		case rawText:
			i, in := l.endOfRaw(s.element, rest), s.in()
			if i < len(rest) {
				*s = state{context: tagName, end: true, tag: Way{Place: place(at + i)}}
				end = len("</")
			}
			if i > 0 && l.table.whole {
				return l.texts.put(Text{Place: place(at), Text: rest[:i], In: in}), at + i + end
			}
			at += i + end
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
			i := endsTagName.index(rest)
			s.tag.Name += lower(rest[:i])
			if at += i; i < len(rest) {
				s.context = inTag
			}
		case inTag:
			at += betweenAttrs.length(rest)
			switch {
			case at == len(text):
			case text[at] == '>':
				return l.close(s), at + 1
			default:
				s.context, s.attr = attrName, Attr{Place: place(at)}
			}
		case attrName:
			i := 0
			if s.attr.Name == "" && rest[0] == '=' { // a name may begin with "="
				i = 1
			}
			i += endsAttrName.index(rest[i:])
			s.attr.Name += lower(rest[:i])
			if at += i; i < len(rest) {
				s.context, s.use = afterName, l.table.useOf(s.attr.Name)
			}
		case afterName:
			at += spaces.length(rest)
			switch {
			case at == len(text):
			case text[at] == '=':
				s.context = beforeValue
				at++
			default:
				l.endAttr(s)
			}
		case beforeValue:
			at += spaces.length(rest)
			switch {
			case at == len(text):
			case text[at] == '>': // no value
				l.endAttr(s)
			default:
				s.context, s.quote = value, 0
				if text[at] == '"' || text[at] == '\'' {
					s.quote = text[at]
					at++
				}
			}
		case value:
			i := 0
			if s.quote == 0 {
				i = endsValue.index(rest)
			} else if i = strings.IndexByte(rest, s.quote); i < 0 {
				i = len(rest)
			}
			if i > 0 && s.use >= filled {
				s.write(strings.ReplaceAll(html.UnescapeString(rest[:i]), pattern.Hole, "\ufffd"), nil, place(at))
			}
			if at += i; i < len(rest) {
				if s.quote != 0 {
					at++
				}
				l.endAttr(s)
			}
		}
	}
	return nil, at
}

// open returns the index of the first "<" in a text that begins a tag or a comment, or the length of
// the text. In a template, an action may follow a "<" at the end of the text, and html/template
// escapes each "<" that begins neither a tag, nor a comment, nor a doctype.
func (l *lexer) open(text string) int {
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
func (l *lexer) begin(s *state, text string, place Place) int {
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
func (l *lexer) comment(s *state, text string, first bool) int {
	if l.page && first {
		for _, end := range []string{">", "->"} { // <!--> and <!---> are whole comments
			if strings.HasPrefix(text, end) {
				*s = state{}
				return len(end)
			}
		}
	}
	for i := 0; ; i++ {
		dashes := strings.Index(text[i:], "--")
		if dashes < 0 {
			return len(text)
		}
		i += dashes
		rest := text[i+len("--"):]
		for _, end := range []string{">", "!>"} {
			if strings.HasPrefix(rest, end) && (l.page || end == ">") {
				*s = state{}
				return i + len("--") + len(end)
			}
		}
	}
}

// endOfRaw returns the index of the end tag of an element in its content, or the length of the text.
// On a page, a script may hold a comment with a script in it, whose end tag does not end the outer
// one.
func (l *lexer) endOfRaw(element, text string) int {
	comment, inner := false, false
	for i := range len(text) {
		if text[i] != '<' && text[i] != '-' {
			continue
		}
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
		s.context, s.quote = value, 0
		fallthrough
	case value:
		if s.use >= filled {
			s.write(pattern.Hole, n, place)
		}
	}
}

// write adds text to the value of an attribute, or a hole.
func (s *state) write(text string, hole parse.Node, place Place) {
	a := &s.attr
	switch {
	case s.use == filled:
		if strings.TrimSpace(text) != "" {
			a.Value = Filled
		}
		return
	case a.Value == "":
		a.Place = place
	case s.use == url && strings.ContainsAny(a.Value, "?#"): // each condition in a query would double the ways
		return
	}
	if i := strings.IndexAny(text, "?#"); s.use == url && i >= 0 {
		text = text[:i+1]
	}
	a.Value += text
	if hole != nil {
		a.Holes = append(a.Holes, hole)
	}
}

// endAttr notes the attribute that ends.
func (l *lexer) endAttr(s *state) {
	name, w := s.attr.Name, &s.tag
	switch {
	case strings.Contains(name, pattern.Hole):
		w.Open = true
	case s.use == unused || w.index(name) >= 0:
	case s.use == script:
		w.Scripts = true
		if !l.table.whole {
			break
		}
		fallthrough
	default:
		w.Attrs = append(w.Attrs, s.attr)
	}
	s.context, s.attr, s.use = inTag, Attr{}, unused
}

// close returns the node of the tag that ends.
func (l *lexer) close(s *state) (n Node) {
	raw := ""
	if s.end {
		n = l.ends.put(End{s.tag.Place, s.tag.Name})
	} else {
		t := l.tags.put(tagOfOneWay{way: [1]Way{s.tag}})
		t.Ways = t.way[:]
		if slices.Contains(rawElements, s.tag.Name) {
			raw = s.tag.Name
		}
		n = &t.Tag
	}
	*s = state{}
	if raw != "" {
		s.context, s.element = rawText, raw
	}
	return n
}

// A byteSet is a set of bytes.
type byteSet [256]bool

var (
	spaces       = setOf(space)
	betweenAttrs = setOf(space + "/")
	endsTagName  = setOf(space + "/>")
	endsAttrName = setOf(space + "/>=")
	endsValue    = setOf(space + ">")
)

func setOf(bytes string) *byteSet {
	var s byteSet
	for i := range len(bytes) {
		s[bytes[i]] = true
	}
	return &s
}

// index returns the index of the first byte of the set in a text, or the length of the text.
func (s *byteSet) index(text string) int {
	for i := range len(text) {
		if s[text[i]] {
			return i
		}
	}
	return len(text)
}

// length returns the number of bytes of the set that a text begins with.
func (s *byteSet) length(text string) int {
	for i := range len(text) {
		if !s[text[i]] {
			return i
		}
	}
	return len(text)
}

// lower returns a name as HTML compares it: other letters than those of ASCII keep their case.
func lower(name string) string {
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			return strings.Map(func(c rune) rune {
				if 'A' <= c && c <= 'Z' {
					c |= 0x20
				}
				return c
			}, name)
		}
	}
	return name
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
