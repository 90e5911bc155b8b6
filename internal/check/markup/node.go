// Package markup reads HTML once for all that ask about it. [Page] reads a page as browsers do.
// [Read] reads a template before html/template changes it: an action is a hole in the HTML,
// and a condition is a branch. [Build] makes elements of both. What the HTML means for links, policies or people is not its subject.
package markup

import (
	"strings"
	"text/template/parse"
)

// A Node is a piece of HTML: *Tag, *End, *Text, *Hole, *Assign, *Branch, *Loop, *Call or *Jump. The
// nodes of a page or of a template stand in the order of its text. Comments have no nodes, and a tag
// has one once it has ended: what is inside of it, such as a Hole, comes before it.
type Node interface{ node() }

// A Place is where something begins.
type Place struct {
	*Source
	Offset int // in bytes, in the text of the file
}

// A Source is a template. Places in one template that is read once have the same Source.
type Source struct {
	File     string // for messages
	Template string // the name of the template in the file
}

// Position returns the line and the column of an offset in a text, from 1. A byte order mark does not
// count.
func Position(text string, offset int) (line, column int) {
	before := strings.TrimPrefix(text, "\ufeff")[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndex(before, "\n")
}

// A Tag is a start tag. Where a template has conditions in a tag, it has a way for each outcome
// that matters.
//
//	<a {{if .URL}}href="/x"{{end}}>  =>  a with href if .URL, a without href unless .URL
type Tag struct{ Ways []Way }

// A Way is what a start tag can be.
type Way struct {
	Place
	Name  string // in lower case; with a pattern.Hole for each action in it
	Attrs []Attr // those of the Table; of two with one name, the first counts
	When  []Cond // all of them hold when the tag is this way; none if it may always be
	// Partly says that the tag may also be another way although all of When hold: its conditions
	// cannot be told as a list.
	Partly bool
	// MoreAttrs says that an action may write more attributes.
	MoreAttrs bool
	Scripts   bool // an attribute is a script or for one, other than those with a value in the Table
}

// An Attr is an attribute of a Way.
type Attr struct {
	Name  string       // in lower case
	Value string       // without character references, with a pattern.Hole for each of Holes
	Holes []parse.Node // the actions, calls and loops in the value
	Place              // of the value; of the name if there is no value
}

// Filled is the value of an attribute of which only matters that somebody can read something in it, such
// as alt. If there is nothing but white space in it, the value is "".
const Filled = "…"

// Get returns an attribute of the way. It reports false if the way does not have it.
func (w *Way) Get(name string) (a Attr, ok bool) {
	if i := w.index(name); i >= 0 {
		return w.Attrs[i], true
	}
	return Attr{}, false
}

// Has reports whether the way has an attribute.
func (w *Way) Has(name string) bool { return w.index(name) >= 0 }

// Value returns the value of an attribute, and "" if the way does not have it.
func (w *Way) Value(name string) string {
	a, _ := w.Get(name)
	return a.Value
}

// index returns the index of an attribute, or -1.
func (w *Way) index(name string) int {
	for i := range w.Attrs {
		if w.Attrs[i].Name == name {
			return i
		}
	}
	return -1
}

// An End is an end tag.
type End struct {
	Place
	Name string // as that of a Way
}

// A Text is text between tags, or in an element whose content is text.
type Text struct {
	Place
	Text string // with character references
	In   In
}

// A Hole is an action that writes something, or may.
type Hole struct {
	Place
	Action *parse.ActionNode
	In     In
}

// An Assign is an action that sets a variable, and writes nothing.
type Assign struct {
	Place
	Pipe *parse.PipeNode
}

// A Branch is an {{if}} or {{with}}.
type Branch struct {
	Place
	Cond       Cond // for Then
	Pipe       *parse.PipeNode
	Then, Else []Node
	In         In
}

// A Loop is a {{range}}.
type Loop struct {
	Place
	Pipe       *parse.PipeNode
	Body, Else []Node // of a loop in a name or a value of a tag: nil, it is one hole
	In         In
}

// A Call is a {{template}} or {{block}}.
type Call struct {
	Place
	Action   *parse.TemplateNode
	Followed bool // Nodes are those of the template
	Nodes    []Node
	In       In
}

// A Jump is a {{break}} or {{continue}}.
type Jump struct{ Place }

func (*Tag) node()    {}
func (*End) node()    {}
func (*Text) node()   {}
func (*Hole) node()   {}
func (*Assign) node() {}
func (*Branch) node() {}
func (*Loop) node()   {}
func (*Call) node()   {}
func (*Jump) node()   {}

// An In says what a node stands in.
type In struct {
	Kind    Kind
	Element string // of Raw
}

// A Kind is a kind of place in HTML.
type Kind uint8

const (
	Content   Kind = iota // between tags
	Raw                   // in an element whose content is text, such as script or title
	InTag                 // in a tag
	InComment             // in a comment, a doctype or the like, which browsers do not show
	Unsure                // depends on a condition
)

// A Cond is a condition with an outcome.
type Cond struct {
	Key
	False bool // the outcome
	// WithoutElse says that it is a {{with}} without {{else}}, which is no evidence that the value is ever
	// missing: it may only give the dot.
	WithoutElse bool
	Pipe        *parse.PipeNode // of the {{if}} or {{with}}
	Not         bool            // Pipe says "not" of what Key is about
}

// A Key tells conditions apart: those with one key have the same outcome.
type Key struct {
	Text string // of the pipeline, without "not"
	valueNumbers
}

// valueNumbers has a number for the value of the dot, one for that of $, and one for those of all other variables.
// Where one of them may have changed, its number is another one.
type valueNumbers struct{ dot, dollar, variables int32 }
