package markup

import (
	"slices"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/htmltoken"
	"example.com/flow/internal/serve/pages/language"
	"example.com/flow/internal/serve/routes/pattern"
)

// maxStates is the number of states that a reader follows at once. If there are more, nothing is
// known of the tag that they are in but its name.
const maxStates = 16

// maxFollowed is the size of called templates that a reader follows, in bytes. Only templates that
// call two others, each of which calls two others, and so on, are larger.
const maxFollowed = 1 << 20

// Read reads a template, as it is before html/template changes it, with the attributes of a table.
// callee returns the template that a call in another one calls, which is read in place of the call. The
// call is a hole if callee is nil or returns nil, or if the template calls itself.
func Read(t *parse.Tree, table *Table, callee func(from *parse.Tree, call *parse.TemplateNode) *parse.Tree) []Node {
	r := &reader{lexer: lexer{table: table}, callee: callee, read: make([]Node, 0, 2*len(t.Root.Nodes))}
	r.dot, r.dollar, r.variables = r.number(), r.number(), r.number()
	_, nodes := r.tree([]cursor{{}}, t, &Source{t.ParseName, t.Name})
	return nodes
}

// A cursor is a state, and an index in the text that is being read.
type cursor struct {
	state
	at int
}

// A reader reads a template and those that it calls.
type reader struct {
	lexer
	callee       func(*parse.Tree, *parse.TemplateNode) *parse.Tree
	jumped       []cursor                // those that leave a turn of the innermost loop
	inside       []*parse.Tree           // the templates that are being read, from the outside in
	source       *Source                 // of the innermost one
	sources      map[*parse.Tree]*Source // of those that were called
	followed     int                     // how much of called templates was read, in bytes
	valueNumbers                         // of what a condition may name
	last         int32                   // the number given last

	read     []Node // of the lists that are being read, from the outside in
	holes    slab[Hole]
	branches slab[Branch]
}

// number returns a new number.
func (r *reader) number() int32 {
	r.last++
	return r.last
}

// tree reads a template.
func (r *reader) tree(all []cursor, t *parse.Tree, source *Source) (after []cursor, nodes []Node) {
	outer := r.source
	r.inside, r.source = append(r.inside, t), source
	after, nodes = r.list(all, t.Root)
	r.inside, r.source = r.inside[:len(r.inside)-1], outer
	return after, nodes
}

// place returns the place of a node in the template that is being read.
func (r *reader) place(n parse.Node) Place { return Place{r.source, int(n.Position())} }

// list reads a list from each of the cursors on. It returns the cursors behind it, in the place of
// those that it was given; none if it is always left by a {{break}} or {{continue}}.
func (r *reader) list(all []cursor, list *parse.ListNode) (after []cursor, nodes []Node) {
	if list == nil { // a missing {{else}}
		return all, nil
	}
	first := len(r.read)
	for _, n := range list.Nodes {
		if len(all) == 0 { // it is never executed
			break
		}
		var more Node
		switch place := r.place(n); n := n.(type) {
		case *parse.TextNode:
			all = r.text(all, string(n.Text), place)
			continue
		case *parse.ActionNode:
			if len(n.Pipe.Decl) > 0 { // it writes nothing
				r.variables = r.number()
				more = &Assign{place, n.Pipe}
				break
			}
			more = r.holes.put(Hole{place, n, where(all)})
			all = hole(all, n, place)
		case *parse.IfNode:
			all, more = r.branch(all, &n.BranchNode, where(all))
		case *parse.WithNode:
			all, more = r.branch(all, &n.BranchNode, where(all))
		case *parse.RangeNode:
			all, more = r.loop(all, n, where(all))
		case *parse.TemplateNode:
			all, more = r.call(all, n, where(all))
		case *parse.BreakNode, *parse.ContinueNode:
			more = &Jump{place}
			r.jumped, all = append(r.jumped, all...), nil
		default:
			continue
		}
		r.read = append(r.read, more)
	}
	if read := r.read[first:]; len(read) > 0 {
		nodes = make([]Node, len(read))
		copy(nodes, read)
		r.read = r.read[:first]
	}
	return all, nodes
}

// where returns what the cursors stand in.
func where(all []cursor) In {
	in := all[0].in()
	for i := range all[1:] {
		if all[1+i].in() != in {
			return In{Kind: Unsure}
		}
	}
	return in
}

// text reads a text from each of the cursors on. The one that is furthest behind goes first, so that
// they meet at the end of their tag.
func (r *reader) text(all []cursor, text string, start Place) []cursor {
	first, several := len(r.read), len(all) > 1
	end := -1 // of the last node
	for {
		i, last := 0, 0
		for j := range all {
			switch {
			case all[j].at < all[i].at:
				i = j
			case all[j].at > all[last].at:
				last = j
			}
		}
		c := &all[i]
		if several && c.at == all[last].at {
			all = merge(all)
			c = &all[0]
		}
		if c.at >= len(text) {
			break
		}
		var n Node
		n, c.at = r.next(&c.state, text, c.at, start)
		if n != nil && (c.at != end || !joinTags(r.read[len(r.read)-1], n)) {
			r.read, end = append(r.read, n), c.at
		}
	}
	for i := range all {
		all[i].at = 0
	}
	if !several {
		return all
	}
	for _, n := range r.read[first:] {
		if tag, ok := n.(*Tag); ok {
			tag.Ways = reduce(tag.Ways, func(w *Way) *Way { return w }, (*Way).equal)
		}
	}
	return all
}

// joinTags adds a tag to another one, which ends where the tag does. It reports false if that is no tag
// of the kind.
func joinTags(last, n Node) bool {
	switch last := last.(type) {
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
	if len(all) <= 1 {
		return all
	}
	all = reduce(all, func(c *cursor) *Way { return &c.tag }, func(c, o *cursor) bool { return c.equal(&o.state) })
	if len(all) > maxStates {
		name := all[0].tag.Name
		if slices.ContainsFunc(all, func(c cursor) bool { return c.Context <= htmltoken.InTagName || c.tag.Name != name }) {
			name = pattern.Hole
		}
		all = all[:1] // it stands for all of them, with a tag of which nothing but its name is known
		if c := &all[0]; c.isInTag() {
			c.tag, c.attr, c.use = Way{Place: c.tag.Place, Name: name, MoreAttrs: true}, Attr{Name: pattern.Hole}, unused
		}
	}
	return all
}

// fork returns copies of cursors. What one of two copies adds to its slices is not seen by the other.
func fork(all []cursor) []cursor {
	for i := range all {
		c := &all[i]
		c.attr.Holes, c.tag.Attrs = slices.Clip(c.attr.Holes), slices.Clip(c.tag.Attrs)
	}
	return slices.Clone(all)
}

// branch reads an {{if}} or {{with}}.
func (r *reader) branch(all []cursor, n *parse.BranchNode, in In) ([]cursor, Node) {
	isWith := n.NodeType == parse.NodeWith
	b := r.branches.put(Branch{Place: r.place(n), Pipe: n.Pipe, In: in})
	before := r.valueNumbers
	if len(n.Pipe.Decl) > 0 {
		r.variables = r.number()
	}
	if isWith {
		r.dot = r.number()
	}
	then, nodes := r.list(fork(all), n.List)
	b.Then, r.dot = nodes, before.dot
	otherwise, nodes := r.list(all, n.ElseList)
	b.Else = nodes
	r.leave(before)
	outside := len(then) == 1 && len(otherwise) == 1 && !then[0].isInTag() && then[0].equal(&otherwise[0].state) // as most are
	if r.table.whole || !outside {
		b.Cond = condOf(n.Pipe, before)
		b.Cond.Pipe, b.Cond.Not, b.Cond.WithoutElse = n.Pipe, b.Cond.False, isWith && n.ElseList == nil
	}
	if outside {
		return then, b
	}
	return merge(append(given(then, b.Cond), given(otherwise, b.Cond.Opposite())...)), b
}

// leave ends the scope of variables. If one of them was set in it, none is known to be as before.
func (r *reader) leave(before valueNumbers) {
	if r.dot = before.dot; r.variables != before.variables {
		r.variables = r.number()
	}
}

// loop reads a {{range}}.
func (r *reader) loop(all []cursor, n *parse.RangeNode, in In) ([]cursor, Node) {
	l := &Loop{Place: r.place(n), Pipe: n.Pipe, In: in}
	if slices.ContainsFunc(all, func(c cursor) bool { return c.Context >= htmltoken.InAttrName || c.Context == htmltoken.InTagName }) {
		return hole(all, n, l.Place), l
	}
	before := r.valueNumbers
	r.dot, r.variables = r.number(), r.number() // in the second turn, the variables may be others
	outer := r.jumped
	r.jumped = nil
	body, nodes := r.list(fork(all), n.List)
	l.Body, body, r.jumped = nodes, append(body, r.jumped...), outer
	r.leave(before)
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
	c := &Call{Place: r.place(n), Action: n, In: in}
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
	before := r.valueNumbers
	if n.Pipe == nil || n.Pipe.String() != "." {
		r.dot = r.number()
	}
	r.dollar, r.variables = r.number(), r.number()
	if r.sources == nil {
		r.sources = map[*parse.Tree]*Source{}
	}
	if r.sources[called] == nil {
		r.sources[called] = &Source{called.ParseName, called.Name}
	}
	all, c.Nodes = r.tree(all, called, r.sources[called])
	c.Followed = true
	r.valueNumbers = before // a template does not set those of others
	return all, c
}
