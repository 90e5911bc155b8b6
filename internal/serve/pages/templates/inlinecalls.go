package templates

import (
	"bytes"
	"errors"
	"html/template"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/fault"
)

// html/template escapes by context: the place in the HTML, such as text, a tag or a script.
// For each called template it remembers the context in which the template ends. That is
// wrong if the template ends in another context than it begins: after the second call of a
// template with "</script>", html/template escapes as if the script went on. Nor does
// html/template notice that two templates make one word, "<scr" and "ipt>".
//
// So html/template only sees calls that begin and end in text, for which it is right. All
// other calls are inlined: html/template sees the nodes of the called template in place of
// the call, as if the page were written in one piece. Afterwards the calls are put back,
// since a call gives a template its dot and its variables. Each inlined call then calls a
// copy of the template, whose nodes html/template has escaped in place.

// An inliner makes the templates that html/template escapes from those of a set.
type inliner struct {
	set       *Set
	inlined   map[callSite]bool // the calls to inline
	all       bool              // all calls are inlined
	templates *template.Template
	copies    int              // how many copies of templates were made
	size      int              // of the templates, in bytes, roughly
	called    map[string]*span // the templates that are called and not inlined, by name
	inside    []*expansion     // the templates that are being inlined, from the outside in
	loops     []*span          // the loops around the current node, from the outside in
	spans     []*span
	restore   []func() // give the lists back their own nodes, which html/template was not shown
}

// An expansion is a template whose nodes are being copied, with its calls inlined.
type expansion struct {
	name, copy string
	// recursion is the span of a recursive call of the template, nil if there is none. The
	// recursive call calls the copy.
	recursion *span
	// before and after say that text may stand directly before or after a call of the copy.
	before, after bool
}

// A callSite is the position of a {{template}} action.
type callSite struct {
	file string
	pos  parse.Pos
}

// A call is a {{template}} action that html/template sees, or a recursive one.
type call struct {
	callSite
	callee    string
	recursive bool
}

// A span is a part of the templates that must begin and end in the same context, or else
// html/template would escape wrongly. It is one of
//
//   - a call that html/template sees
//   - a template that is called and not inlined
//   - a recursive call of an inlined template
//   - one execution of the body of a loop with such calls: html/template does not say in
//     which context it sees them in the second execution
type span struct {
	probes []*parse.TemplateNode // at the beginning and at the end
	text   bool                  // the context must be text
	splits bool                  // it ends in the middle of a word
	calls  []*call               // to be inlined if the contexts differ
	ends   []*parse.ListNode     // of a loop: lists before break and continue that get a probe
}

const (
	// probe is the name of an empty template. Where html/template escapes a call of it, it
	// replaces the name by one that names the context, unless the context is text. So a call
	// tells the context.
	probe = "+"
	// braceDepth is in the name of a context within a JavaScript template literal.
	braceDepth = "_jsBraceDepth"
	// maxInlined is the largest size of inlined templates, in bytes. Only templates that call
	// two others, each of which calls two others, and so on, are larger.
	maxInlined = 16 << 20
)

var errTooLarge = errors.New("too large")

// escape returns a template of a set and the templates that it calls, escaped. They can be
// executed once they have their functions.
//
// It inlines the calls that do not begin and end in text, and tries again, until there are
// none left. If html/template reports an error, escape inlines all calls: the error may come
// from a wrong context.
func (s *Set) escape(name string) (*template.Template, error) {
	if !escapesInPlace() {
		return nil, fault.In(s.inner, "flow does not know html/template of %s: update flow, or build with an older version of Go", runtime.Version())
	}
	inlined := map[callSite]bool{}
	var first error
	for all := !namesContexts(); ; {
		in := &inliner{set: s, inlined: inlined, all: all, templates: template.New(""), called: map[string]*span{}}
		err := in.escape(name)
		mismatched, more := in.mismatched()
		switch {
		case err == nil && len(mismatched) == 0:
			return in.templates, nil
		case err == nil && more: // try again, with these calls inlined
		case err == nil:
			t := s.trees[mismatched[0].callee]
			name := t.Name
			if f := s.Files[name]; f != nil {
				name = f.Name
			}
			return nil, fault.InLine(t.ParseName, lineOf(t, t.Root), "%q calls itself, and html/template cannot tell where it ends: let it end what it begins, and, within a tag, an attribute, a title, a script or a style, put no text next to the call", name)
		case err == errTooLarge && first == nil:
			return nil, fault.In(s.inner, "templates that are called within tags, attributes, titles, scripts and styles call others, again and again, to more than %d MB: call fewer there", maxInlined>>20)
		case err == errTooLarge:
			return nil, first
		case all:
			return nil, err
		default:
			all, first = true, err
		}
	}
}

// escape makes html/template escape a template. That happens when the template is executed.
// The execution ends at its first write: a text node is put before all others, and the
// writer returns an error.
func (in *inliner) escape(name string) error {
	in.add(probe, &parse.Tree{Name: probe, ParseName: probe, Root: &parse.ListNode{NodeType: parse.NodeList}})
	in.call(name)
	root := in.templates.Lookup(name).Tree.Root
	root.Nodes = slices.Insert[[]parse.Node, parse.Node](root.Nodes, 0, &parse.TextNode{NodeType: parse.NodeText, Text: []byte("x")})
	if in.size > maxInlined {
		return errTooLarge
	}
	var fault *template.Error
	if err := in.templates.ExecuteTemplate(noWriter{}, name, nil); errors.As(err, &fault) {
		return fault
	}
	for _, restore := range in.restore {
		restore()
	}
	return nil
}

// A noWriter refuses to write, so that the execution of a template ends at its first write.
type noWriter struct{}

func (noWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// mismatched returns the calls of spans whose contexts differ. It marks those that can be
// inlined, and reports whether there are any: a recursive call cannot.
func (in *inliner) mismatched() (calls []*call, more bool) {
	for _, s := range in.spans {
		if s.holds() {
			continue
		}
		calls = append(calls, s.calls...)
		for _, c := range s.calls {
			if !c.recursive {
				in.inlined[c.callSite] = true
				more = true
			}
		}
	}
	return calls, more
}

// holds reports whether all probes of the span have the same context, and whether that is
// text if it must be.
func (s *span) holds() bool {
	if !namesContexts() {
		return !slices.ContainsFunc(s.calls, func(c *call) bool { return c.recursive })
	}
	for _, p := range s.probes {
		// A context within a JavaScript template literal holds the depths of braces, in a slice
		// that html/template changes afterwards: the names cannot be compared.
		if p.Name != s.probes[0].Name || s.text && p.Name != probe || strings.Contains(p.Name, braceDepth) {
			return false
		}
	}
	return !s.splits
}

// span adds a span.
func (in *inliner) span(calls ...*call) *span {
	s := &span{calls: calls}
	in.spans = append(in.spans, s)
	return s
}

// probeCall is a call of the empty template. The parser makes it, since a node that the parser
// did not make has no delimiters, and html/template panics when it prints the node in an error.
var probeCall = template.Must(template.New("").Parse(`{{template "` + probe + `"}}`)).Tree.Root.Nodes[0]

// probe adds a probe to the span: a node to put where the context is asked for.
func (s *span) probe() parse.Node {
	n := probeCall.Copy().(*parse.TemplateNode)
	s.probes = append(s.probes, n)
	return n
}

// add adds a template to those of html/template.
func (in *inliner) add(name string, t *parse.Tree) {
	template.Must(in.templates.AddParseTree(name, t)) // it fails only for templates that were executed
}

// call adds a template that is called and not inlined, unless it was added before.
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

// copy adds a copy of a template. It appends the nodes of the copy, with calls inlined, to
// the nodes that html/template is shown.
func (in *inliner) copy(c *expansion, shown []parse.Node) (*parse.ListNode, []parse.Node) {
	t := in.set.copy(c.name)
	in.add(c.copy, t)
	in.inside = append(in.inside, c)
	shown = in.inline(t, t.Root, shown)
	in.inside = in.inside[:len(in.inside)-1]
	return t.Root, shown
}

// inline appends the nodes of a list, with calls inlined, to the nodes that html/template is
// shown.
func (in *inliner) inline(t *parse.Tree, l *parse.ListNode, shown []parse.Node) []parse.Node {
	shown = slices.Grow(shown, len(l.Nodes)+1) // and a probe
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

// list inlines the calls of a list of its own, such as the body of an {{if}}.
func (in *inliner) list(t *parse.Tree, l *parse.ListNode) {
	if l != nil { // an else that is not there
		in.show(l, in.inline(t, l, nil))
	}
}

// show gives a list other nodes for html/template to see.
func (in *inliner) show(l *parse.ListNode, nodes []parse.Node) {
	own := l.Nodes
	in.restore = append(in.restore, func() { l.Nodes = own })
	l.Nodes = nodes
}

// loop is list for the body of a loop.
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

// template appends the i-th node of a list, which is a call, to the nodes that html/template
// is shown. If the call is inlined, it appends the nodes of the called template.
func (in *inliner) template(t *parse.Tree, l *parse.ListNode, i int, shown []parse.Node) []parse.Node {
	n := l.Nodes[i].(*parse.TemplateNode)
	c := &call{callSite: callSite{t.ParseName, n.Pos}, callee: n.Name}
	called := in.called[n.Name]
	cycle := called != nil && called.probes == nil // in.call is still adding it: it calls itself, directly or through others
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
			c.recursive = true
			if outer.recursion != nil {
				callee = outer
			}
		}
	}
	if callee == nil {
		in.copies++
		callee = &expansion{name: n.Name, copy: n.Name + "/+" + strconv.Itoa(in.copies)} // library.check refuses a {{define}} of such a name
	}
	n.Name = callee.copy
	if !c.recursive {
		_, shown = in.copy(callee, shown)
		return shown
	}

	for _, s := range in.loops {
		s.calls = append(s.calls, c)
	}
	callee.before = callee.before || len(shown) == 0 && l == t.Root || len(shown) > 0 && isOpen(shown[len(shown)-1])
	callee.after = callee.after || i == len(l.Nodes)-1 && l == t.Root || i < len(l.Nodes)-1 && isOpen(l.Nodes[i+1])
	recursion, split := callee.recursion, splitsWord(shown)
	if recursion != nil { // its nodes are being shown around this call
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

// isOpen reports whether a node may begin or end with a part of a word, which goes on in the
// node beside it.
func isOpen(n parse.Node) bool {
	switch n.(type) {
	case *parse.TextNode, *parse.TemplateNode:
		return true
	}
	return false
}

// appendNode appends a node to the nodes that html/template is shown. It joins two text nodes
// in a row, since html/template does not find words across two nodes.
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

// splitsWord reports whether nodes that end in text may end in the middle of the word that
// begins a tag, a comment or a doctype.
func splitsWord(nodes []parse.Node) bool {
	word, found := lastTag(nodes)
	return found && len(bytes.Trim(word, "/!-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) == 0
}

// likelyOutsideText reports whether nodes seem to end in another context than text, or in the
// middle of a word. It guesses: a call that is inlined without need is escaped rightly, too.
// For most calls that must be inlined, the guess saves an attempt with html/template.
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
