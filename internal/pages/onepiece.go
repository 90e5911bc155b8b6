package pages

import (
	"bytes"
	"errors"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
)

// For each template that is called, html/template remembers in which place of the HTML
// it ends: in text, in a tag, in a script and so on. What it remembers is wrong if the
// template begins in another place than it ends: after the second call of a template
// that holds "</script>", it escapes as if it were still in the script. Nor does it see
// that two templates make one word, "<scr" and "ipt>".
//
// So it is only shown calls that begin and end in text, about which it remembers
// nothing wrong. All others are joined: in their place it is shown what the called
// template holds, as if the page were written in one piece. Afterwards the calls
// are put back, which give a template its dot and its variables. Each calls a copy
// of its own, the nodes of which have been escaped in place.

// A joiner makes of a set what html/template is shown.
type joiner struct {
	set       *set
	joined    map[callSite]bool
	all       bool // all calls are joined
	templates *template.Template
	copies    int
	size      int                 // of the templates, in bytes, about
	called    map[string]*stretch // templates that html/template calls, by name
	inside    []*joining          // what is being copied, from the outside in
	loops     []*stretch          // the loops around it, from the outside in
	stretches []*stretch
	hidden    []hiding
}

// A joining is a template of which a copy is made, with its calls joined.
type joining struct {
	name, copy string
	// turn is set if the template calls itself. The copy is what it calls then.
	turn *stretch
	// Text may stand right before a call of the copy, or right after.
	before, after bool
}

// A callSite is where a template calls another.
type callSite struct {
	file string
	pos  parse.Pos
}

// A call is a {{template}} that html/template is shown, or one by which a template calls
// itself.
type call struct {
	callSite
	callee string
	itself bool
}

// A stretch is what must begin and end in one place of the HTML: a call that is
// shown, a template that is called, a turn of a template that calls itself, and a
// turn of a loop with such calls in it, since html/template does not tell in which
// place it calls them in a second turn.
type stretch struct {
	probes []*parse.TemplateNode // at the begin and the end
	text   bool                  // the place must be text
	splits bool                  // it ends in the middle of a word
	calls  []*call               // that cannot remain if it does not hold
	ends   []*parse.ListNode     // of a turn: where probes go before break and continue
}

// A hiding is a list that is shown with other nodes than it has.
type hiding struct {
	list  *parse.ListNode
	nodes []parse.Node
}

const (
	// probe is an empty template. html/template calls it by its name in text, and by
	// another in each other place.
	probe = "+"
	// maxJoined is the largest size, in bytes, of what is shown. Only templates that call
	// two others, each of which calls two again, and so on, come to more.
	maxJoined = 16 << 20
)

var errTooLarge = errors.New("too large")

// escape returns one template of a set, and what it calls, escaped and ready to be
// executed once it has its functions.
func (s *set) escape(name string) (*template.Template, error) {
	joined := map[callSite]bool{}
	var first error
	for all := false; ; {
		j := &joiner{set: s, joined: joined, all: all, templates: template.New(""), called: map[string]*stretch{}}
		err := j.escape(name)
		astray, more := j.astray()
		switch {
		case err == nil && len(astray) == 0:
			return j.templates, nil
		case err == nil && more: // again, with these joined
		case err == nil:
			t := s.trees[astray[0].callee]
			return nil, fault.InLine(t.ParseName, lineOf(t, t.Root), "%q calls itself, and html/template cannot tell where it ends: let it end what it begins, and, within a tag, an attribute, a title, a script or a style, put no text next to the call", s.plainName(t.Name))
		case err == errTooLarge && first == nil:
			return nil, fault.In(s.inner, "templates that are called within tags, attributes, titles, scripts and styles call others, again and again, to more than %d MB: call fewer there", maxJoined>>20)
		case err == errTooLarge:
			return nil, first
		case all:
			return nil, err
		default: // html/template may have remembered something wrong
			all, first = true, err
		}
	}
}

// escape has html/template escape a template, which it does when the template is
// executed. A text is put before all other nodes, and refused when it is written, so
// that no other node is executed.
func (j *joiner) escape(name string) error {
	j.add(probe, &parse.Tree{Name: probe, ParseName: probe, Root: &parse.ListNode{NodeType: parse.NodeList}})
	j.call(name)
	root := j.templates.Lookup(name).Tree.Root
	root.Nodes = slices.Insert[[]parse.Node, parse.Node](root.Nodes, 0, &parse.TextNode{NodeType: parse.NodeText, Text: []byte("x")})
	if j.size > maxJoined {
		return errTooLarge
	}
	var fault *template.Error
	if err := j.templates.ExecuteTemplate(notNowWriter{}, name, nil); errors.As(err, &fault) {
		return fault
	}
	for _, h := range j.hidden {
		h.list.Nodes = h.nodes
	}
	return nil
}

// astray returns the calls of stretches that do not hold, and has those joined that can
// be. more reports whether there are any of these.
func (j *joiner) astray() (calls []*call, more bool) {
	for _, s := range j.stretches {
		if s.holds() {
			continue
		}
		calls = append(calls, s.calls...)
		for _, c := range s.calls {
			if !c.itself {
				j.joined[c.callSite] = true
				more = true
			}
		}
	}
	return calls, more
}

// holds reports whether html/template has found all probes of s in one place, and that
// place is text if it must be.
func (s *stretch) holds() bool {
	for _, p := range s.probes {
		// The depths of braces in a template literal are a slice that html/template
		// changes after it has remembered it.
		if p.Name != s.probes[0].Name || s.text && p.Name != probe || strings.Contains(p.Name, "_jsBraceDepth") {
			return false
		}
	}
	return !s.splits
}

func (j *joiner) stretch(calls ...*call) *stretch {
	s := &stretch{calls: calls}
	j.stretches = append(j.stretches, s)
	return s
}

// probe returns a node that tells in which place of the HTML it is.
func (s *stretch) probe() parse.Node {
	n := &parse.TemplateNode{NodeType: parse.NodeTemplate, Name: probe}
	s.probes = append(s.probes, n)
	return n
}

func (j *joiner) add(name string, t *parse.Tree) {
	template.Must(j.templates.AddParseTree(name, t)) // fails for executed templates
}

// call has html/template call a template.
func (j *joiner) call(name string) *stretch {
	s := j.called[name]
	if s != nil {
		return s
	}
	s = j.stretch()
	s.text = true
	j.called[name] = s
	inside, loops := j.inside, j.loops
	j.inside, j.loops = nil, nil
	root, shown := j.copy(&joining{name: name, copy: name}, nil)
	j.inside, j.loops = inside, loops
	s.splits = splits(shown)
	j.show(root, append(shown, s.probe()))
	return s
}

// copy adds a copy of a template. It appends the nodes of it, with its calls joined,
// to what is shown.
func (j *joiner) copy(c *joining, shown []parse.Node) (*parse.ListNode, []parse.Node) {
	t := j.set.trees[c.name].Copy()
	j.add(c.copy, t)
	j.inside = append(j.inside, c)
	shown = j.join(t, t.Root, shown)
	j.inside = j.inside[:len(j.inside)-1]
	return t.Root, shown
}

// join appends the nodes of a list, with its calls joined, to what is shown.
func (j *joiner) join(t *parse.Tree, l *parse.ListNode, shown []parse.Node) []parse.Node {
	for i, n := range l.Nodes {
		j.size += 100
		switch n := n.(type) {
		case *parse.TextNode:
			j.size += len(n.Text)
		case *parse.IfNode:
			j.list(t, n.List)
			j.list(t, n.ElseList)
		case *parse.WithNode:
			j.list(t, n.List)
			j.list(t, n.ElseList)
		case *parse.RangeNode:
			j.loop(t, n.List)
			j.list(t, n.ElseList)
		case *parse.BreakNode, *parse.ContinueNode:
			end := &parse.ListNode{NodeType: parse.NodeList}
			loop := j.loops[len(j.loops)-1]
			loop.ends = append(loop.ends, end)
			shown = append(shown, end)
		case *parse.TemplateNode:
			shown = j.template(t, l, i, shown)
			continue
		}
		shown = appendNode(shown, n)
	}
	return shown
}

// list shows a list with its calls joined.
func (j *joiner) list(t *parse.Tree, l *parse.ListNode) {
	if l != nil { // an else that is not there
		j.show(l, j.join(t, l, nil))
	}
}

// show shows a list with other nodes than it has.
func (j *joiner) show(l *parse.ListNode, nodes []parse.Node) {
	j.hidden = append(j.hidden, hiding{l, l.Nodes})
	l.Nodes = nodes
}

// loop is list for what is executed any number of times.
func (j *joiner) loop(t *parse.Tree, l *parse.ListNode) {
	s := j.stretch()
	j.loops = append(j.loops, s)
	j.list(t, l)
	j.loops = j.loops[:len(j.loops)-1]
	if len(s.calls) == 0 {
		return
	}
	l.Nodes = append(slices.Insert(l.Nodes, 0, s.probe()), s.probe())
	for _, end := range s.ends {
		end.Nodes = append(end.Nodes, s.probe())
	}
}

// template appends the i-th node of a list, which is a call, to what is shown, or
// else what it calls.
func (j *joiner) template(t *parse.Tree, l *parse.ListNode, i int, shown []parse.Node) []parse.Node {
	n := l.Nodes[i].(*parse.TemplateNode)
	c := &call{callSite: callSite{t.ParseName, n.Pos}, callee: n.Name}
	called := j.called[n.Name]
	cycle := called != nil && called.probes == nil // it leads to this call
	if !j.all && !j.joined[c.callSite] && !cycle && !elsewhere(shown) || j.size > maxJoined {
		called, own := j.call(n.Name), j.stretch(c)
		called.calls = append(called.calls, c)
		own.text = true
		for _, s := range j.loops {
			s.text, s.calls = true, append(s.calls, c)
		}
		return append(shown, own.probe(), n)
	}

	var callee *joining
	for _, outer := range j.inside {
		if outer.name == n.Name {
			c.itself = true
			if outer.turn != nil {
				callee = outer
			}
		}
	}
	if callee == nil {
		j.copies++
		callee = &joining{name: n.Name, copy: n.Name + "/+" + strconv.Itoa(j.copies)} // a name that library.check lets nobody define
	}
	n.Name = callee.copy
	if !c.itself {
		_, shown = j.copy(callee, shown)
		return shown
	}

	for _, s := range j.loops {
		s.calls = append(s.calls, c)
	}
	callee.before = callee.before || len(shown) == 0 && l == t.Root || len(shown) > 0 && isOpen(shown[len(shown)-1])
	callee.after = callee.after || i == len(l.Nodes)-1 && l == t.Root || i < len(l.Nodes)-1 && isOpen(l.Nodes[i+1])
	turn, split := callee.turn, splits(shown)
	if turn != nil { // which shows what is called around this call
		turn.splits = turn.splits || split
		return append(shown, turn.probe())
	}
	turn = j.stretch(c)
	callee.turn = turn
	shown = append(shown, turn.probe())
	_, nodes := j.copy(callee, nil)
	turn.splits = turn.splits || split || splits(nodes)
	turn.text = callee.before && isOpen(nodes[0]) || callee.after && isOpen(nodes[len(nodes)-1])
	return append(append(shown, nodes...), turn.probe())
}

// isOpen reports whether a node may begin or end with text that belongs to a word
// beside it.
func isOpen(n parse.Node) bool {
	switch n.(type) {
	case *parse.TextNode, *parse.TemplateNode:
		return true
	}
	return false
}

// appendNode appends a node to what is shown. Text after text is moved into the first,
// since html/template does not look for words across two nodes.
func appendNode(shown []parse.Node, n parse.Node) []parse.Node {
	if text, ok := n.(*parse.TextNode); ok && len(shown) > 0 {
		if before, ok := shown[len(shown)-1].(*parse.TextNode); ok {
			before.Text = append(before.Text, text.Text...)
			text.Text = nil
			return shown
		}
	}
	return append(shown, n)
}

// splits reports whether nodes, if they end in text, may end in the middle of what
// begins a tag, a comment or a doctype.
func splits(nodes []parse.Node) bool {
	word, found := lastTag(nodes)
	return found && len(bytes.Trim(word, "/!-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) == 0
}

// elsewhere reports whether nodes look as if they ended elsewhere than in text, or in
// the middle of a word. It is never wrong to join what is called there. For most calls
// that go astray it saves having html/template find that out first.
func elsewhere(nodes []parse.Node) bool {
	tag, found := lastTag(nodes)
	return found && (bytes.IndexByte(tag, '>') < 0 || len(tag) >= 5 && bytes.EqualFold(tag[:5], []byte("title")))
}

// lastTag returns what follows the last < of the text in which nodes end.
func lastTag(nodes []parse.Node) (tag []byte, found bool) {
	if len(nodes) == 0 {
		return nil, false
	}
	text, ok := nodes[len(nodes)-1].(*parse.TextNode)
	if !ok {
		return nil, false
	}
	i := bytes.LastIndexByte(text.Text, '<')
	return text.Text[i+1:], i >= 0
}
