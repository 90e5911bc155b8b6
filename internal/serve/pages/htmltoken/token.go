// Package htmltoken splits HTML into tokens as browsers do (HTML, section 13.2.5): texts, and what tags
// consist of. A text may end anywhere, as that of a template ends at an action: its State says where the
// next text goes on.
package htmltoken

import (
	"slices"
	"strings"
)

// A Kind is a kind of token.
type Kind uint8

const (
	None     Kind = iota // the text has no further token
	Text                 // between tags, or in an element whose content is text; with character references
	TagStart             // "<" or "</"
	TagName              // the name of a tag, or a part of it where a text begins or ends
	AttrName             // the same of an attribute; it ends the name if the state is AfterAttrName then
	Value                // of an attribute, or a part of it, with character references
	AttrEnd              // empty, behind an attribute and the quote of its value
	TagEnd               // ">", behind which Close has to be called
)

// A Context says what the next letter belongs to.
type Context uint8

const (
	InContent Context = iota
	InRawText         // of an element whose content is no HTML, such as script
	InComment
	InBogusComment // what browsers read as a comment up to the next ">", such as a doctype
	InTagName      // the contexts from here on are in a tag
	InTag          // in front of an attribute
	InAttrName
	AfterAttrName // "=" may follow
	BeforeValue
	InValue
)

// A State is what is known at one point of the HTML. The zero value is that of its beginning.
type State struct {
	Context Context
	IsEnd   bool  // the tag is an end tag
	quote   byte  // of InValue: 0 if there is none
	element uint8 // of InRawText: which of rawElements
}

// rawElements are the elements whose content is text up to their end tag. Browsers without scripts
// read noscript as HTML.
var rawElements = []string{"iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"}

// Element returns the name of the element whose text the state is in, or "" if it is in none.
func (s *State) Element() string {
	if s.Context != InRawText {
		return ""
	}
	return rawElements[s.element]
}

// Close ends the tag, which has this name.
func (s *State) Close(name string) {
	isEnd := s.IsEnd
	*s = State{}
	if isEnd {
		return
	}
	if i := slices.Index(rawElements, name); i >= 0 {
		s.Context, s.element = InRawText, uint8(i)
	}
}

// Next returns the first token of the text from the index at on, which is text[from:to], and changes the
// state to that behind it. finished says that the text is what a browser gets. If it is that of a
// template, html/template will remove comments up to "-->", in scripts, too, so that a browser never
// sees other ends of them.
func (s *State) Next(text string, at int, finished bool) (kind Kind, from, to int) {
	for at < len(text) {
		rest := text[at:]
		switch s.Context {
		case InContent:
			if i := nextTag(rest, finished); i > 0 {
				return Text, at, at + i
			}
			n := s.begin(rest)
			if s.Context == InTagName {
				return TagStart, at, at + n
			}
			if at += n; s.Context == InComment {
				at += s.comment(text[at:], finished, true)
			}
		case InRawText:
			if i := endOfRaw(s.Element(), rest, finished); i > 0 {
				return Text, at, at + i
			}
			*s = State{Context: InTagName, IsEnd: true}
			return TagStart, at, at + len("</")
		case InComment:
			at += s.comment(rest, finished, false)
		case InBogusComment:
			i := strings.IndexByte(rest, '>')
			if i < 0 {
				return None, len(text), len(text)
			}
			*s = State{}
			at += i + len(">")
		case InTagName:
			i := endsTagName.index(rest)
			if i < len(rest) {
				s.Context = InTag
			}
			if i > 0 {
				return TagName, at, at + i
			}
		case InTag:
			at += betweenAttrs.length(rest)
			switch {
			case at == len(text):
			case text[at] == '>':
				return TagEnd, at, at + 1
			default:
				s.Context = InAttrName
				return s.attrName(text, at, at+1) // a name may begin with "="
			}
		case InAttrName:
			return s.attrName(text, at, at)
		case AfterAttrName:
			at += spaces.length(rest)
			switch {
			case at == len(text):
			case text[at] == '=':
				s.Context = BeforeValue
				at++
			default:
				return s.attrEnd(at)
			}
		case BeforeValue:
			at += spaces.length(rest)
			switch {
			case at == len(text):
			case text[at] == '>': // no value
				return s.attrEnd(at)
			default:
				s.Context = InValue
				if text[at] == '"' || text[at] == '\'' {
					s.quote = text[at]
					at++
				}
			}
		case InValue:
			i := 0
			if s.quote == 0 {
				i = endsValue.index(rest)
			} else if i = strings.IndexByte(rest, s.quote); i < 0 {
				i = len(rest)
			}
			switch {
			case i > 0:
				return Value, at, at + i
			case s.quote != 0:
				at++
			}
			return s.attrEnd(at)
		}
	}
	return None, at, at
}

// attrName returns the token of a name from an index on, which goes on at another one.
func (s *State) attrName(text string, from, at int) (kind Kind, _, to int) {
	if to = at + endsAttrName.index(text[at:]); to < len(text) {
		s.Context = AfterAttrName
	}
	return AttrName, from, to
}

// attrEnd returns the token behind an attribute.
func (s *State) attrEnd(at int) (kind Kind, from, to int) {
	s.Context, s.quote = InTag, 0
	return AttrEnd, at, at
}

// begin reads the beginning of a tag or a comment, and returns its length.
func (s *State) begin(text string) int {
	isEnd := strings.HasPrefix(text, "</")
	n := len("<")
	if isEnd {
		n = len("</")
	}
	switch {
	case strings.HasPrefix(text, "<!--"):
		*s, n = State{Context: InComment}, len("<!--")
	case len(text) == n || isLetter(text[n]):
		*s = State{Context: InTagName, IsEnd: isEnd}
	default:
		*s = State{Context: InBogusComment}
	}
	return n
}

// comment reads on in a comment, and returns the length of what it has read. first says that the
// text begins directly behind "<!--".
func (s *State) comment(text string, finished, first bool) int {
	if finished && first {
		for _, end := range []string{">", "->"} { // <!--> and <!---> are whole comments
			if strings.HasPrefix(text, end) {
				*s = State{}
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
			if strings.HasPrefix(rest, end) && (finished || end == ">") {
				*s = State{}
				return i + len("--") + len(end)
			}
		}
	}
}
