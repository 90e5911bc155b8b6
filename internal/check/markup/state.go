package markup

import (
	"html"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/htmltoken"
	"example.com/flow/internal/serve/routes/pattern"
)

// A state is what is known at one point of the HTML. A template can be in several states at one
// point, one for each way to it.
type state struct {
	htmltoken.State
	use  use  // of the attribute, from htmltoken.AfterAttrName to InValue
	tag  Way  // from htmltoken.InTagName to InValue
	attr Attr // from htmltoken.InAttrName to InValue
}

// in returns what a node stands in.
func (s *state) in() In {
	switch {
	case s.Context == htmltoken.InContent:
		return In{}
	case s.Context == htmltoken.InRawText:
		return In{Raw, s.Element()}
	case s.isInTag():
		return In{Kind: InTag}
	}
	return In{Kind: InComment}
}

func (s *state) isInTag() bool { return s.Context >= htmltoken.InTagName }

// equal reports whether two states differ in their conditions at most.
func (s *state) equal(o *state) bool {
	return s.State == o.State && s.attr.equal(o.attr) && s.tag.equal(&o.tag)
}

// equal reports whether two ways differ in their conditions at most.
func (w *Way) equal(o *Way) bool {
	return w.Place == o.Place && w.Name == o.Name && w.MoreAttrs == o.MoreAttrs && w.Scripts == o.Scripts && slices.EqualFunc(w.Attrs, o.Attrs, Attr.equal)
}

func (a Attr) equal(b Attr) bool {
	return a.Name == b.Name && a.Value == b.Value && a.Place == b.Place && slices.Equal(a.Holes, b.Holes)
}

// A lexer makes nodes of the tokens of HTML.
type lexer struct {
	finished bool // the HTML is what a browser gets
	table    *Table
	tags     slab[tagOfOneWay]
	texts    slab[Text]
	ends     slab[End]
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

// next reads the text from the index at up to the end of a tag or of a text, or to the end of all. It
// returns the node that ends there, or nil, and the index behind it. The state is changed. start is the
// place of the text.
func (l *lexer) next(s *state, text string, at int, start Place) (n Node, end int) {
	for at < len(text) {
		kind, from, to := s.Next(text, at, l.finished)
		place := Place{start.Source, start.Offset + from}
		at = to
		switch kind {
		case htmltoken.Text:
			if l.table.whole {
				return l.texts.put(Text{Place: place, Text: text[from:to], In: s.in()}), to
			}
		case htmltoken.TagStart:
			s.tag = Way{Place: place}
		case htmltoken.TagName:
			s.tag.Name += htmltoken.Lower(text[from:to])
		case htmltoken.AttrName:
			if s.attr.Source == nil { // it begins
				s.attr.Place = place
			}
			s.attr.Name += htmltoken.Lower(text[from:to])
			if s.Context == htmltoken.AfterAttrName {
				s.use = l.table.useOf(s.attr.Name)
			}
		case htmltoken.Value:
			if s.use >= filled {
				s.write(strings.ReplaceAll(html.UnescapeString(text[from:to]), pattern.Hole, "\ufffd"), nil, place)
			}
		case htmltoken.AttrEnd:
			l.endAttr(s)
		case htmltoken.TagEnd:
			return l.close(s), to
		}
	}
	return nil, at
}

// hole notes an action, a call or a loop, which writes what is not known.
func (s *state) hole(n parse.Node, place Place) {
	switch s.Context {
	case htmltoken.InTagName:
		s.tag.Name += pattern.Hole
	case htmltoken.InAttrName:
		s.attr.Name += pattern.Hole
	case htmltoken.InTag, htmltoken.AfterAttrName:
		s.tag.MoreAttrs = true
	case htmltoken.BeforeValue:
		s.Context = htmltoken.InValue
		fallthrough
	case htmltoken.InValue:
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
		w.MoreAttrs = true
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
	s.attr, s.use = Attr{}, unused
}

// close returns the node of the tag that ends.
func (l *lexer) close(s *state) (n Node) {
	if s.IsEnd {
		n = l.ends.put(End{s.tag.Place, s.tag.Name})
	} else {
		t := l.tags.put(tagOfOneWay{way: [1]Way{s.tag}})
		t.Ways = t.way[:]
		n = &t.Tag
	}
	s.Close(s.tag.Name)
	s.tag = Way{}
	return n
}
