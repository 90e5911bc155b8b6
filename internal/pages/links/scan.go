// Package links checks the URLs and the forms in templates: that something in the application
// answers them, with the method that the link or the form sends, and reads their fields. [Scan]
// reads the HTML of one template file, with a hole for each action. [Check] asks a [Site] what the
// URLs lead to, and returns the faults.
package links

import (
	"html"
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/pages/language"
	"example.com/flow/internal/routes/pattern"
)

// A File has the links and the forms of one template file.
type File struct {
	Links []Link
	Forms []*Form
	loose []looseField
	calls []call
	moved bool // a <base> may lead the URLs to another server
}

// A Link is a URL that begins with one slash, and the method of the requests for it.
type Link struct {
	Offset  int    // of the URL in the text of the file
	URL     string // with pattern.Hole for each action, and for each value in {{route}}
	Method  string // "" if it is not known
	Attr    string // that has the URL
	Element string
	Loads   bool   // it loads a part of the page, such as an image or a script, which is no page itself
	form    *Form  // the form that a browser without htmx sends to the URL, with its method; or nil
	in      string // the name of the template
}

// A Form is a form with the fields that the file has inside of it.
type Form struct {
	Offset    int    // of its tag
	Method    string // "" if it is not known
	URL       string // with holes; "" for the URL of the page itself
	Multipart bool   // it is sent as multipart/form-data, or may be
	Fields    []Field
	unsaid    bool   // its tag has no method, and neither htmx nor a script may send it
	own       bool   // it is sent to the URL of its page: it has no other, and no script that may send it
	plain     string // the method by which a browser without htmx sends it; "" if it is not known
	in        string // the name of the template
	ranges    int    // how many of {{range}} are around its tag
	limits    []limit
	unnamed   []Field // inputs without a name, with their IDs in its place
}

// A limit is an attribute of an element that limits the values of its field.
type limit struct {
	Field
	attr
}

// A Field is a field of a form with a name that is not computed, except for numbers of rows: each
// of them is a hole.
type Field struct {
	Offset int // of its name
	Name   string
	Type   string            // of an input, in lower case: "hidden", "file"
	Value  string            // that the markup has, if no action may write another one; "" if that is not known
	Lists  bool              // the element may send several values
	at     *parse.StringNode // a constant, which names a field if it is in Named; nil for the name of an input
}

// A looseField is a field that is in no form of its template, and always there. The form may be
// around a call of the template.
type looseField struct {
	Field
	in string // the name of the template
}

// A call is a {{template}} in a template of the file.
type call struct {
	from, to string
	text     bool  // in the text of a page, and not in a tag, a script or a comment
	offset   int   // of the call
	form     *Form // around it, or nil
	always   bool  // it stands behind no condition
}

// Named has the fields of forms that pages ask the Form of their handler for, by the constant that
// names them.
type Named map[*parse.StringNode][]Field

// Add adds a field. Of several types for one name, the last one counts.
func (n Named) Add(at *parse.StringNode, name, inputType string) {
	for i := range n[at] {
		if n[at][i].Name == name {
			n[at][i].Type = inputType
			return
		}
	}
	n[at] = append(n[at], Field{Offset: int(at.Pos), Name: name, Type: inputType})
}

// Scan reads the templates of a file. The names in the keys and in {{template}} are those
// that the templates of all files have together. urls has the URLs of the calls of {{route}},
// with a pattern.Hole for each value.
func Scan(trees map[string]*parse.Tree, urls map[*parse.CommandNode]string) *File {
	f := &File{}
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		s := scanner{file: f, name: name, urls: urls}
		s.list([]state{{}}, trees[name].Root)
	}
	for i := range f.Links {
		if l := &f.Links[i]; l.form != nil {
			l.Method = l.form.plain // known once all fields of the form are: see scanner.field
		}
	}
	return f
}

// maxStates is the number of states that a scanner follows at once. If there are more, the
// tag that they are in is not read.
const maxStates = 16

// A scanner reads the HTML of one template.
type scanner struct {
	file    *File
	name    string // of the template
	urls    map[*parse.CommandNode]string
	within  int  // how many of {{if}}, {{with}} and {{range}} are around what is read
	ranges  int  // how many of these are {{range}}
	several bool // what is read is in one of several states
}

// A context says what the next letter of a template belongs to.
type context uint8

const (
	text context = iota
	comment
	rawText // of an element whose content is no HTML, such as script
	endTag  // also <!doctype> and the like: up to the next ">"
	tagName
	tag       // in front of an attribute
	attrName  //
	afterName // of an attribute: "=" may follow
	beforeValue
	value
)

// A state is what a scanner knows at one point of a template. Behind {{if}} there can be
// several, one for each way to that point.
type state struct {
	context context
	element string // from tagName to the end of the tag, and in rawText
	offset  int    // of the tag
	attrs   []attr // those that matter: see the map attrs
	unknown bool   // an action may write attributes
	scripts bool   // an attribute may be a script that does what the form would do
	attr    attr   // from attrName to value
	quote   byte   // in value: 0 if there is none
	form    *Form  // around this point
}

// An attr is an attribute of a tag.
type attr struct {
	name, value string
	offset      int // of the value
}

func (s state) equal(o state) bool {
	return s.context == o.context && s.element == o.element && s.offset == o.offset && s.unknown == o.unknown && s.scripts == o.scripts &&
		s.attr == o.attr && s.quote == o.quote && s.form == o.form && slices.Equal(s.attrs, o.attrs)
}

// list reads the nodes of a list, from each of the states on. It returns the states behind
// it.
func (sc *scanner) list(states []state, list *parse.ListNode) []state {
	if list == nil {
		return states
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			loose := len(sc.file.loose)
			sc.several = len(states) > 1
			for i := range states {
				states[i] = sc.text(states[i], string(n.Text), int(n.Pos))
			}
			sc.file.loose = inAll(sc.file.loose, loose, len(states))
			states = merge(states, nil)
		case *parse.ActionNode:
			sc.constants(states, n.Pipe)
			if len(n.Pipe.Decl) == 0 { // an assignment writes nothing
				states = holes(states, n, sc.urls[n.Pipe.Cmds[len(n.Pipe.Cmds)-1]])
			}
		case *parse.TemplateNode:
			sc.constants(states, n.Pipe)
			for _, s := range states {
				sc.file.calls = append(sc.file.calls, call{sc.name, n.Name, s.context == text, int(n.Pos), s.form, sc.within == 0})
			}
			states = holes(states, n, "")
		case *parse.IfNode:
			states = sc.branches(states, &n.BranchNode)
		case *parse.WithNode:
			states = sc.branches(states, &n.BranchNode)
		case *parse.RangeNode:
			sc.constants(states, n.Pipe)
			if slices.ContainsFunc(states, func(s state) bool { return s.context >= attrName || s.context == tagName }) {
				states = holes(states, n, "")
				continue
			}
			sc.ranges++
			states = merge(sc.lists(states, &n.BranchNode), states)
			sc.ranges--
		}
	}
	return states
}

// branches reads an {{if}} or {{with}}.
func (sc *scanner) branches(states []state, n *parse.BranchNode) []state {
	sc.constants(states, n.Pipe)
	return sc.lists(states, n)
}

// lists reads both sides of an {{if}}, {{with}} or {{range}}.
func (sc *scanner) lists(states []state, n *parse.BranchNode) []state {
	sc.within++
	defer func() { sc.within-- }()
	return merge(sc.list(slices.Clone(states), n.List), sc.list(slices.Clone(states), n.ElseList))
}

// constants notes the constants of a pipeline that may name fields of a form.
func (sc *scanner) constants(states []state, pipe *parse.PipeNode) {
	if pipe == nil { // that of a {{template}} without data
		return
	}
	language.EachNode(pipe, func(n parse.Node) {
		if n, ok := n.(*parse.StringNode); ok {
			for _, s := range states {
				sc.note(s.form, Field{Offset: int(n.Pos), at: n})
			}
		}
	})
}

// inAll returns the fields up to an index, and of the others those that each of a number of states
// has noted.
func inAll(fields []looseField, from, states int) []looseField {
	if states == 1 || len(fields) == from {
		return fields
	}
	times := map[looseField]int{}
	for _, f := range fields[from:] {
		times[f]++
	}
	kept := fields[:from]
	for _, f := range fields[from:] {
		if times[f] == states {
			kept, times[f] = append(kept, f), 0
		}
	}
	return kept
}

// note notes a field in a form, or in none.
func (sc *scanner) note(form *Form, f Field) {
	switch {
	case form == dialog:
	case form != nil && !slices.Contains(form.Fields, f):
		form.Fields = append(form.Fields, f)
	case form == nil && sc.within == 0:
		sc.file.loose = append(sc.file.loose, looseField{f, sc.name})
	}
}

// merge returns the states of a and b, each once.
func merge(a, b []state) (all []state) {
	if len(a) == 1 && len(b) == 0 {
		return a
	}
	for _, s := range append(a, b...) {
		if !slices.ContainsFunc(all, s.equal) {
			all = append(all, s)
		}
	}
	if len(all) > maxStates {
		all = all[:1] // it stands for all of them, with a tag of which nothing is known
		all[0].unknown, all[0].attrs, all[0].element, all[0].form = true, nil, pattern.Hole, nil
	}
	return all
}

// holes returns the states behind an action, or another node, which writes what is not known.
// If it is a call of {{route}}, url is what it writes: the beginning of a URL is known then.
func holes(states []state, n parse.Node, url string) []state {
	for i := range states {
		switch s := &states[i]; s.context {
		case tagName:
			s.element += pattern.Hole
		case attrName:
			s.attr.name += pattern.Hole
		case tag, afterName:
			s.unknown = true
		case beforeValue, value:
			s.context = value
			written := pattern.Hole
			if s.attr.value == "" && isURL(s.attr.name) && url != "" {
				written = url
			}
			s.write(written, int(n.Position()))
		}
	}
	return merge(states, nil)
}

// write adds text to the value of an attribute. The query and the fragment of a URL do not
// matter.
func (s *state) write(text string, offset int) {
	switch {
	case s.attr.value == "":
		s.attr.offset = offset
	case isURL(s.attr.name) && !isList(s.attr.name) && path(s.attr.value) != s.attr.value:
		return
	}
	s.attr.value += text
}

// path returns a URL without query and fragment.
func path(url string) string { return url[:indexAny(url, "?#")] }

const space = " \t\n\r\f"

// text reads a text from a state on. offset is that of the text in the file.
func (sc *scanner) text(s state, all string, offset int) state {
	for rest := all; rest != ""; {
		at := offset + len(all) - len(rest)
		switch s.context {
		case text:
			i := strings.IndexByte(rest, '<')
			if i < 0 {
				return s
			}
			s, rest = s.open(rest[i+1:], at+i)
		case comment:
			i := strings.Index(rest, "-->")
			if i < 0 {
				return s
			}
			s.context, rest = text, rest[i+len("-->"):]
		case rawText:
			i := indexEnd(rest, s.element)
			if i < 0 {
				return s
			}
			s.context, rest = endTag, rest[i:]
		case endTag:
			i := strings.IndexByte(rest, '>')
			if i < 0 {
				return s
			}
			s, rest = state{form: s.form}, rest[i+1:]
		case tagName:
			i := indexAny(rest, space+"/>")
			s.element, rest = s.element+strings.ToLower(rest[:i]), rest[i:]
			if rest != "" {
				s.context = tag
			}
		case tag:
			rest = strings.TrimLeft(rest, space+"/")
			switch {
			case rest == "":
			case rest[0] == '>':
				s, rest = sc.endOfTag(s), rest[1:]
			default:
				s.context, s.attr = attrName, attr{offset: offset + len(all) - len(rest)}
			}
		case attrName:
			i := 0
			if s.attr.name == "" && rest[0] == '=' { // a name may begin with "="
				i = 1
			}
			i += indexAny(rest[i:], space+"/>=")
			s.attr.name, rest = s.attr.name+strings.ToLower(rest[:i]), rest[i:]
			if rest != "" {
				s.context = afterName
			}
		case afterName:
			rest = strings.TrimLeft(rest, space)
			switch {
			case rest == "":
			case rest[0] == '=':
				s.context, rest = beforeValue, rest[1:]
			default:
				s = s.endOfAttr()
			}
		case beforeValue:
			rest = strings.TrimLeft(rest, space)
			switch {
			case rest == "":
			case rest[0] == '>': // no value
				s = s.endOfAttr()
			default:
				if s.context, s.quote = value, 0; rest[0] == '"' || rest[0] == '\'' {
					s.quote, rest = rest[0], rest[1:]
				}
			}
		case value:
			ends := space + ">"
			if s.quote != 0 {
				ends = string(s.quote)
			}
			i := indexAny(rest, ends)
			if i > 0 {
				s.write(html.UnescapeString(rest[:i]), at)
			}
			if rest = rest[i:]; rest == "" {
				return s
			}
			if s.quote != 0 {
				rest = rest[1:]
			}
			s = s.endOfAttr()
		}
	}
	return s
}

// open reads what follows a "<".
func (s state) open(rest string, offset int) (state, string) {
	switch {
	case strings.HasPrefix(rest, "!--"):
		s.context = comment
		return s, rest[len("!"):] // with the dashes, since <!--> is a whole comment
	case rest == "":
		s.context, s.offset = tagName, offset // of an action
	case rest[0] == '/':
		s.context, s.element = endTag, strings.ToLower(rest[1:1+indexAny(rest[1:], space+"/>")])
		if s.element == "form" {
			s.form = nil
		}
	case rest[0] == '!' || rest[0] == '?':
		s.context = endTag
	case 'a' <= rest[0]|0x20 && rest[0]|0x20 <= 'z':
		s.context, s.offset = tagName, offset
	}
	return s, rest
}

// indexAny is strings.IndexAny, but returns the length of the text if none is there.
func indexAny(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}

// indexEnd returns the index of the end tag of an element in its content, or -1.
func indexEnd(text, element string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], "</")
		if i < 0 {
			return -1
		}
		from += i + len("</")
		if name := text[from:]; len(name) >= len(element) && strings.EqualFold(name[:len(element)], element) {
			return from - len("</")
		}
	}
}

// rawElements are the elements whose content is no HTML.
var rawElements = []string{"iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"}

// endOfAttr returns the state behind an attribute.
func (s state) endOfAttr() state {
	a := s.attr
	_, matters := attrs[a.name]
	s.context, s.attr, s.quote = tag, attr{}, 0
	switch {
	case strings.Contains(a.name, pattern.Hole):
		s.unknown = true
	case slices.ContainsFunc(s.attrs, func(o attr) bool { return o.name == a.name }): // the first one counts
	case matters:
		s.attrs = append(slices.Clip(s.attrs), a)
	case strings.HasPrefix(a.name, "on") || strings.HasPrefix(a.name, "data-") || strings.ContainsAny(a.name, ":@") || strings.HasPrefix(a.name, "hx-") || strings.HasPrefix(a.name, "x-"):
		s.scripts = true
	}
	return s
}

// get returns the value of an attribute. ok is false if the tag does not have it.
func (s state) get(name string) (a attr, ok bool) {
	i := slices.IndexFunc(s.attrs, func(a attr) bool { return a.name == name })
	if i < 0 {
		return attr{}, false
	}
	return s.attrs[i], true
}
