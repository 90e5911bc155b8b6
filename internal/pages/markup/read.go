package markup

import (
	"slices"
	"text/template/parse"

	"example.com/flow/internal/pages/language"
	"example.com/flow/internal/routes/pattern"
)

// maxStates is the number of states that a reader follows at once. If there are more, nothing is
// known of the tag that they are in.
const maxStates = 16

// maxFollowed is the size of called templates that a reader follows, in bytes. Only templates that
// call two others, each of which calls two others, and so on, are larger.
const maxFollowed = 1 << 20

// Read reads a template, as it is before html/template changes it. callee returns the template that a
// call in another one calls, which is read in place of the call. The call is a hole if callee is nil
// or returns nil, or if the template calls itself.
func Read(t *parse.Tree, callee func(from *parse.Tree, call *parse.TemplateNode) *parse.Tree) []Node {
	r := &reader{callee: callee}
	r.dot, r.dollar, r.variables = r.number(), r.number(), r.number()
	_, nodes := r.tree([]cursor{{}}, t)
	return nodes
}

// A cursor is a state, and an index in the text that is being read.
type cursor struct {
	state
	at int
}

// A reader reads a template and those that it calls.
type reader struct {
	callee   func(*parse.Tree, *parse.TemplateNode) *parse.Tree
	inside   []*parse.Tree // the templates that are being read, from the outside in
	followed int           // how much of called templates was read, in bytes
	// The numbers of the values that a condition may name: a new one where the value may be another.
	dot, dollar, variables int
	last                   int // the number given last
}

// number returns a new number.
func (r *reader) number() int {
	r.last++
	return r.last
}

// tree reads a template.
func (r *reader) tree(all []cursor, t *parse.Tree) ([]cursor, []Node) {
	r.inside = append(r.inside, t)
	defer func() { r.inside = r.inside[:len(r.inside)-1] }()
	return r.list(all, t.Root)
}

// place returns the place of a node in the template that is being read.
func (r *reader) place(n parse.Node) Place {
	t := r.inside[len(r.inside)-1]
	return Place{t.ParseName, t.Name, int(n.Position())}
}

// list reads a list from each of the cursors on. It returns the cursors behind it, in the place of
// those that it was given.
func (r *reader) list(all []cursor, list *parse.ListNode) (after []cursor, nodes []Node) {
	if list == nil { // a missing {{else}}
		return all, nil
	}
	for _, n := range list.Nodes {
		in, place := where(all), r.place(n)
		var more Node
		switch n := n.(type) {
		case *parse.TextNode:
			var read []Node
			all, read = text(all, string(n.Text), place)
			nodes = append(nodes, read...)
			continue
		case *parse.ActionNode:
			if len(n.Pipe.Decl) > 0 { // it writes nothing
				r.variables = r.number()
				continue
			}
			all = hole(all, n, place)
			more = &Hole{place, n, in}
		case *parse.IfNode:
			all, more = r.branch(all, &n.BranchNode, in)
		case *parse.WithNode:
			all, more = r.branch(all, &n.BranchNode, in)
		case *parse.RangeNode:
			all, more = r.loop(all, n, in)
		case *parse.TemplateNode:
			all, more = r.call(all, n, in)
		case *parse.BreakNode, *parse.ContinueNode:
			more = &Jump{place}
		default:
			continue
		}
		nodes = append(nodes, more)
	}
	return all, nodes
}

// where returns what the cursors stand in.
func where(all []cursor) In {
	in := all[0].in()
	for _, c := range all {
		if c.in() != in {
			return In{Kind: Unsure}
		}
	}
	return in
}

// text reads a text from each of the cursors on. The one that is furthest behind goes first, so that
// they meet at the end of their tag.
func text(all []cursor, text string, start Place) (_ []cursor, nodes []Node) {
	end := -1 // of the last node
	for {
		i := 0
		for j := range all {
			if all[j].at < all[i].at {
				i = j
			}
		}
		c := &all[i]
		if c.at >= len(text) {
			break
		}
		var n Node
		n, c.at = lexer{}.next(&c.state, text, c.at, start)
		if n != nil && (c.at != end || !joinTags(nodes, n)) {
			nodes, end = append(nodes, n), c.at
		}
		if !slices.ContainsFunc(all, func(c cursor) bool { return c.at != all[0].at }) {
			all = merge(all)
		}
	}
	for i := range all {
		all[i].at = 0
	}
	for _, n := range nodes {
		if tag, ok := n.(*Tag); ok {
			tag.Ways = reduce(tag.Ways, func(w *Way) *Way { return w }, (*Way).equal)
		}
	}
	return merge(all), nodes
}

// joinTags adds a tag to the last node, which ends where the tag does. It reports false if that is no
// tag of the kind.
func joinTags(nodes []Node, n Node) bool {
	switch last := nodes[len(nodes)-1].(type) {
	case *Tag:
		if tag, ok := n.(*Tag); ok {
			last.Ways = append(last.Ways, tag.Ways...)
			return true
		}
	case *End:
		if end, ok := n.(*End); ok {
			if end.Name != last.Name {
				last.Name = pattern.Hole
			}
			return true
		}
	}
	return false
}

// hole notes an action, a call or a loop, which writes what is not known.
func hole(all []cursor, n parse.Node, place Place) []cursor {
	for i := range all {
		all[i].hole(n, place)
	}
	return merge(all)
}

// merge returns the cursors, those that differ in their conditions only as one.
func merge(all []cursor) []cursor {
	all = reduce(all, func(c *cursor) *Way { return &c.tag }, func(c, o *cursor) bool { return c.equal(&o.state) })
	if len(all) > maxStates {
		all = all[:1] // it stands for all of them, with a tag of which nothing is known
		if c := &all[0]; c.context >= tagName {
			c.tag, c.attr, c.use = Way{Place: c.tag.Place, Name: pattern.Hole, Open: true}, Attr{Name: pattern.Hole}, unused
		}
	}
	return all
}

// branch reads an {{if}} or {{with}}.
func (r *reader) branch(all []cursor, n *parse.BranchNode, in In) ([]cursor, Node) {
	isWith := n.NodeType == parse.NodeWith
	b := &Branch{Place: r.place(n), Pipe: n.Pipe, In: in, Cond: r.cond(n.Pipe)}
	b.Cond.Lone = isWith && n.ElseList == nil
	defer r.leave(r.dot, r.variables)
	if len(n.Pipe.Decl) > 0 {
		r.variables = r.number()
	}
	dot := r.dot
	if isWith {
		r.dot = r.number()
	}
	then, nodes := r.list(slices.Clone(all), n.List)
	b.Then, r.dot = nodes, dot
	otherwise, nodes := r.list(all, n.ElseList)
	b.Else = nodes
	return merge(append(given(then, b.Cond), given(otherwise, b.Cond.opposite())...)), b
}

// leave ends the scope of variables. If one of them was set in it, none is known to be as before.
func (r *reader) leave(dot, variables int) {
	if r.dot = dot; r.variables != variables {
		r.variables = r.number()
	}
}

// loop reads a {{range}}.
func (r *reader) loop(all []cursor, n *parse.RangeNode, in In) ([]cursor, Node) {
	l := &Loop{Place: r.place(n), Pipe: n.Pipe, In: in}
	if slices.ContainsFunc(all, func(c cursor) bool { return c.context >= attrName || c.context == tagName }) {
		return hole(all, n, l.Place), l
	}
	dot, variables := r.dot, r.variables
	r.dot, r.variables = r.number(), r.number() // in the second turn, the variables may be others
	body, nodes := r.list(slices.Clone(all), n.List)
	l.Body = nodes
	r.leave(dot, variables)
	otherwise, nodes := r.list(all, n.ElseList)
	l.Else = nodes
	after := merge(append(body, otherwise...))
	if len(after) > 1 { // how often the body is executed is no condition
		for i := range after {
			after[i].tag.Partly = true
		}
	}
	return after, l
}

// call reads a {{template}}.
func (r *reader) call(all []cursor, n *parse.TemplateNode, in In) ([]cursor, Node) {
	c := &Call{Place: r.place(n), Name: n.Name, Pipe: n.Pipe, In: in}
	var called *parse.Tree
	if r.callee != nil {
		called = r.callee(r.inside[len(r.inside)-1], n)
	}
	if called == nil || slices.Contains(r.inside, called) || r.followed > maxFollowed {
		return hole(all, n, c.Place), c
	}
	language.EachAction(called.Root, func(n parse.Node) {
		if text, ok := n.(*parse.TextNode); ok {
			r.followed += len(text.Text)
		}
		r.followed++
	})
	dot, dollar, variables := r.dot, r.dollar, r.variables
	if n.Pipe == nil || n.Pipe.String() != "." {
		r.dot = r.number()
	}
	r.dollar, r.variables = r.number(), r.number()
	all, c.Nodes = r.tree(all, called)
	c.Followed = true
	r.dot, r.dollar, r.variables = dot, dollar, variables // a template does not set those of others
	return all, c
}
