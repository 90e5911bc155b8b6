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
// nothing wrong. All others are inlined: in their place it is shown what the called
// template holds, as if the page were written in one piece. Afterwards the calls
// are put back, which give a template its dot and its variables. Each calls a copy
// of its own, the nodes of which have been escaped in place.

// A inliner makes of a set what html/template is shown.
type inliner struct {
	set       *set
	inlined   map[callSite]bool
	all       bool // all calls are inlined
	templates *template.Template
	copies    int
	size      int              // of the templates, in bytes, about
	called    map[string]*span // templates that html/template calls, by name
	inside    []*expansion     // what is being copied, from the outside in
	loops     []*span          // the loops around it, from the outside in
	spans     []*span
	saved     []savedNodes
}

// A expansion is a template of which a copy is made, with its calls inlined.
type expansion struct {
	name, copy string
	// recursion is set if the template calls itself. The copy is what it calls then.
	recursion *span
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

// A span is what must begin and end in one place of the HTML: a call that is
// shown, a template that is called, a recursion of a template that calls itself, and a
// recursion of a loop with such calls in it, since html/template does not tell in which
// place it calls them in a second recursion.
type span struct {
	probes []*parse.TemplateNode // at the begin and the end
	text   bool                  // the place must be text
	splits bool                  // it ends in the middle of a word
	calls  []*call               // that cannot remain if it does not hold
	ends   []*parse.ListNode     // of a recursion: where probes go before break and continue
}

// A savedNodes is a list that is shown with other nodes than it has.
type savedNodes struct {
	list  *parse.ListNode
	nodes []parse.Node
}

const (
	// probe is an empty template. html/template calls it by its name in text, and by
	// another in each other place.
	probe = "+"
	// maxInlined is the largest size, in bytes, of what is shown. Only templates that call
	// two others, each of which calls two again, and so on, come to more.
	maxInlined = 16 << 20
)

var errTooLarge = errors.New("too large")

// escape returns one template of a set, and what it calls, escaped and ready to be
// executed once it has its functions.
func (s *set) escape(name string) (*template.Template, error) {
	inlined := map[callSite]bool{}
	var first error
	for all := false; ; {
		in := &inliner{set: s, inlined: inlined, all: all, templates: template.New(""), called: map[string]*span{}}
		err := in.escape(name)
		mismatched, more := in.mismatched()
		switch {
		case err == nil && len(mismatched) == 0:
			return in.templates, nil
		case err == nil && more: // again, with these inlined
		case err == nil:
			t := s.trees[mismatched[0].callee]
			return nil, fault.InLine(t.ParseName, lineOf(t, t.Root), "%q calls itself, and html/template cannot tell where it ends: let it end what it begins, and, within a tag, an attribute, a title, a script or a style, put no text next to the call", s.plainName(t.Name))
		case err == errTooLarge && first == nil:
			return nil, fault.In(s.inner, "templates that are called within tags, attributes, titles, scripts and styles call others, again and again, to more than %d MB: call fewer there", maxInlined>>20)
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
func (in *inliner) escape(name string) error {
	in.add(probe, &parse.Tree{Name: probe, ParseName: probe, Root: &parse.ListNode{NodeType: parse.NodeList}})
	in.call(name)
	root := in.templates.Lookup(name).Tree.Root
	root.Nodes = slices.Insert[[]parse.Node, parse.Node](root.Nodes, 0, &parse.TextNode{NodeType: parse.NodeText, Text: []byte("x")})
	if in.size > maxInlined {
		return errTooLarge
	}
	var fault *template.Error
	if err := in.templates.ExecuteTemplate(placeholderWriter{}, name, nil); errors.As(err, &fault) {
		return fault
	}
	for _, h := range in.saved {
		h.list.Nodes = h.nodes
	}
	return nil
}

// mismatched returns the calls of spans that do not hold, and has those inlined that can
// be. more reports whether there are any of these.
func (in *inliner) mismatched() (calls []*call, more bool) {
	for _, s := range in.spans {
		if s.holds() {
			continue
		}
		calls = append(calls, s.calls...)
		for _, c := range s.calls {
			if !c.itself {
				in.inlined[c.callSite] = true
				more = true
			}
		}
	}
	return calls, more
}

// holds reports whether html/template has found all probes of s in one place, and that
// place is text if it must be.
func (s *span) holds() bool {
	for _, p := range s.probes {
		// The depths of braces in a template literal are a slice that html/template
		// changes after it has remembered it.
		if p.Name != s.probes[0].Name || s.text && p.Name != probe || strings.Contains(p.Name, "_jsBraceDepth") {
			return false
		}
	}
	return !s.splits
}

func (in *inliner) span(calls ...*call) *span {
	s := &span{calls: calls}
	in.spans = append(in.spans, s)
	return s
}

// probe returns a node that tells in which place of the HTML it is.
func (s *span) probe() parse.Node {
	n := &parse.TemplateNode{NodeType: parse.NodeTemplate, Name: probe}
	s.probes = append(s.probes, n)
	return n
}

func (in *inliner) add(name string, t *parse.Tree) {
	template.Must(in.templates.AddParseTree(name, t)) // fails for executed templates
}

// call has html/template call a template.
func (in *inliner) call(name string) *span {
	s := in.called[name]
	if s != nil {
		return s
	}
	s = in.span()
	s.text = true
	in.called[name] = s
	inside, loops := in.inside, in.loops
	in.inside, in.loops = nil, nil
	root, shown := in.copy(&expansion{name: name, copy: name}, nil)
	in.inside, in.loops = inside, loops
	s.splits = splitsWord(shown)
	in.show(root, append(shown, s.probe()))
	return s
}

// copy adds a copy of a template. It appends the nodes of it, with its calls inlined,
// to what is shown.
func (in *inliner) copy(c *expansion, shown []parse.Node) (*parse.ListNode, []parse.Node) {
	t := in.set.trees[c.name].Copy()
	in.add(c.copy, t)
	in.inside = append(in.inside, c)
	shown = in.inline(t, t.Root, shown)
	in.inside = in.inside[:len(in.inside)-1]
	return t.Root, shown
}

// join appends the nodes of a list, with its calls inlined, to what is shown.
func (in *inliner) inline(t *parse.Tree, l *parse.ListNode, shown []parse.Node) []parse.Node {
	for i, n := range l.Nodes {
		in.size += 100
		switch n := n.(type) {
		case *parse.TextNode:
			in.size += len(n.Text)
		case *parse.IfNode:
			in.list(t, n.List)
			in.list(t, n.ElseList)
		case *parse.WithNode:
			in.list(t, n.List)
			in.list(t, n.ElseList)
		case *parse.RangeNode:
			in.loop(t, n.List)
			in.list(t, n.ElseList)
		case *parse.BreakNode, *parse.ContinueNode:
			end := &parse.ListNode{NodeType: parse.NodeList}
			loop := in.loops[len(in.loops)-1]
			loop.ends = append(loop.ends, end)
			shown = append(shown, end)
		case *parse.TemplateNode:
			shown = in.template(t, l, i, shown)
			continue
		}
		shown = appendNode(shown, n)
	}
	return shown
}

// list shows a list with its calls inlined.
func (in *inliner) list(t *parse.Tree, l *parse.ListNode) {
	if l != nil { // an else that is not there
		in.show(l, in.inline(t, l, nil))
	}
}

// show shows a list with other nodes than it has.
func (in *inliner) show(l *parse.ListNode, nodes []parse.Node) {
	in.saved = append(in.saved, savedNodes{l, l.Nodes})
	l.Nodes = nodes
}

// loop is list for what is executed any number of times.
func (in *inliner) loop(t *parse.Tree, l *parse.ListNode) {
	s := in.span()
	in.loops = append(in.loops, s)
	in.list(t, l)
	in.loops = in.loops[:len(in.loops)-1]
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
func (in *inliner) template(t *parse.Tree, l *parse.ListNode, i int, shown []parse.Node) []parse.Node {
	n := l.Nodes[i].(*parse.TemplateNode)
	c := &call{callSite: callSite{t.ParseName, n.Pos}, callee: n.Name}
	called := in.called[n.Name]
	cycle := called != nil && called.probes == nil // it leads to this call
	if !in.all && !in.inlined[c.callSite] && !cycle && !likelyOutsideText(shown) || in.size > maxInlined {
		called, own := in.call(n.Name), in.span(c)
		called.calls = append(called.calls, c)
		own.text = true
		for _, s := range in.loops {
			s.text, s.calls = true, append(s.calls, c)
		}
		return append(shown, own.probe(), n)
	}

	var callee *expansion
	for _, outer := range in.inside {
		if outer.name == n.Name {
			c.itself = true
			if outer.recursion != nil {
				callee = outer
			}
		}
	}
	if callee == nil {
		in.copies++
		callee = &expansion{name: n.Name, copy: n.Name + "/+" + strconv.Itoa(in.copies)} // a name that library.check lets nobody define
	}
	n.Name = callee.copy
	if !c.itself {
		_, shown = in.copy(callee, shown)
		return shown
	}

	for _, s := range in.loops {
		s.calls = append(s.calls, c)
	}
	callee.before = callee.before || len(shown) == 0 && l == t.Root || len(shown) > 0 && isOpen(shown[len(shown)-1])
	callee.after = callee.after || i == len(l.Nodes)-1 && l == t.Root || i < len(l.Nodes)-1 && isOpen(l.Nodes[i+1])
	recursion, split := callee.recursion, splitsWord(shown)
	if recursion != nil { // which shows what is called around this call
		recursion.splits = recursion.splits || split
		return append(shown, recursion.probe())
	}
	recursion = in.span(c)
	callee.recursion = recursion
	shown = append(shown, recursion.probe())
	_, nodes := in.copy(callee, nil)
	recursion.splits = recursion.splits || split || splitsWord(nodes)
	recursion.text = callee.before && isOpen(nodes[0]) || callee.after && isOpen(nodes[len(nodes)-1])
	return append(append(shown, nodes...), recursion.probe())
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
func splitsWord(nodes []parse.Node) bool {
	word, found := lastTag(nodes)
	return found && len(bytes.Trim(word, "/!-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) == 0
}

// elsewhere reports whether nodes look as if they ended elsewhere than in text, or in
// the middle of a word. It is never wrong to join what is called there. For most calls
// that go mismatched it saves having html/template find that out first.
func likelyOutsideText(nodes []parse.Node) bool {
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
