package markup

import (
	"slices"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/serve/routes/pattern"
)

// An Item is a piece of a page that is read as elements: *Element, *Fork, *Repeat, *Text or *Hole.
type Item interface{ item() }

// An Element is a start tag with what is between it and its end tag.
//
//	{{if .A}}<a href="/">{{else}}<span>{{end}}x{{if .A}}</a>{{else}}</span>{{end}}  =>  a if .A, span unless .A, around x
type Element struct {
	Ways []Way // of the start tag; one without a name says that there is no such element then, only its content
	Kids []Item
	// EndUnknown says that it is not known where the element ends: Kids may be too few or too many.
	EndUnknown bool
	// ParentUnknown says that it is not known what the element stands in.
	ParentUnknown bool
	lossesAtStart int // those of the builder when the element began: if there are more at its end, that is not known
}

// A Fork is what a condition decides about.
type Fork struct {
	Cond       Cond // for Then
	Then, Else []Item
}

// A Repeat is the content of a {{range}}.
type Repeat struct {
	Pipe       *parse.PipeNode
	Body, Else []Item
	Jumps      bool // there is a {{break}} or {{continue}} in the body
}

func (*Element) item() {}
func (*Fork) item()    {}
func (*Repeat) item()  {}
func (*Text) item()    {}
func (*Hole) item()    {} // Action is nil for a call that Read did not follow

// Build makes elements of the nodes of a template or of a page. It puts end tags where browsers do: that of
// a list item may be left out, an end tag without a start tag is passed over. What begins or ends in
// one side of a condition has to do so in the other one, or else under the same condition elsewhere;
// where that is not so, EndUnknown and ParentUnknown say it of the elements concerned.
func Build(nodes []Node) []Item {
	l := (&builder{}).list(nodes, false)
	return l.unite(l.parts)
}

// A builder makes the elements of a page.
type builder struct {
	losses int // how often it was not known which elements are open
	jumps  int // how many {{break}} and {{continue}} there were
}

// A list is what the nodes of one list, such as a side of a condition, have made: parts, of which the
// first begins nothing.
type list struct {
	*builder
	parts  []part
	nested bool // end tags may end what is open around the list
}

// A part is a start tag or an end tag, with what follows it.
type part struct {
	open  *Element // it is still open
	ends  []Way    // of an end tag that ends nothing in its list
	items []Item
}

// list reads nodes.
func (b *builder) list(nodes []Node, nested bool) *list {
	l := &list{builder: b, parts: make([]part, 1), nested: nested}
	l.read(nodes)
	return l
}

func (l *list) read(nodes []Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *Tag:
			l.begin(n)
		case *End:
			if n.Name == pattern.Hole {
				l.lose()
				break
			}
			l.end([]Way{{Place: n.Place, Name: n.Name}})
		case *Text:
			l.add(n)
		case *Hole:
			if n.In.isShown() {
				l.add(n)
			}
		case *Call:
			switch {
			case n.Followed:
				l.read(n.Nodes)
			case n.In.isShown():
				l.add(&Hole{Place: n.Place, In: n.In})
			}
		case *Branch:
			losses, jumps := l.losses, l.jumps
			then, otherwise := l.list(n.Then, true), l.list(n.Else, true)
			l.fork(n.Cond, then.parts, otherwise.parts)
			if l.jumps > jumps && l.losses == losses {
				l.jump()
			}
		case *Loop:
			l.loop(n)
		case *Jump:
			l.jumps++
			l.jump()
		}
	}
}

// isShown reports whether a browser may show what stands there, or reads it as HTML.
func (in In) isShown() bool { return in.Kind != InTag && in.Kind != InComment }

// begin reads a start tag.
func (l *list) begin(t *Tag) {
	e := &Element{Ways: t.Ways}
	unknown, empty := 0, 0
	for _, w := range t.Ways {
		if w.Name == pattern.Hole {
			unknown++
		} else if isVoid[w.Name] {
			empty++
		}
	}
	switch {
	case unknown > 0 || empty != 0 && empty != len(t.Ways): // it is not known whether it has an end
		l.lose()
		e.EndUnknown = true
		fallthrough
	case empty > 0:
		e.lossesAtStart, e.ParentUnknown = l.losses, l.losses > 0
		l.add(e)
	default:
		l.open(e)
	}
}

// open adds an element that has begun.
func (l *list) open(e *Element) {
	e.lossesAtStart, e.ParentUnknown = l.losses, e.ParentUnknown || l.losses > 0
	l.implyBy(e, true)
	l.parts = append(l.parts, part{open: e})
}

// add adds an item.
func (l *list) add(i Item) {
	l.imply(i, true)
	last := &l.parts[len(l.parts)-1]
	last.items = append(last.items, i)
}

// imply ends the elements that end where those of an item begin, such as a list item. surely says that
// the item is always there.
func (l *list) imply(i Item, surely bool) {
	switch i := i.(type) {
	case *Element:
		l.implyBy(i, surely)
	case *Fork:
		l.implyAny(i.Then)
		l.implyAny(i.Else)
	case *Repeat:
		l.implyAny(i.Body)
	}
}

// implyAny is imply for items that may be there.
func (l *list) implyAny(items []Item) {
	for _, i := range items {
		last := l.parts[len(l.parts)-1].open
		if last == nil || endedBy[last.name()] == nil {
			return
		}
		l.imply(i, false)
	}
}

// implyBy is imply for an element.
func (l *list) implyBy(next *Element, surely bool) {
	for i := len(l.parts) - 1; l.parts[i].open != nil; i-- {
		last := l.parts[i].open
		ends, all, absent := false, surely, false
		for _, w := range last.Ways {
			absent = absent || w.Name == ""
			for _, n := range next.Ways {
				ends = ends || endedBy[w.Name][n.Name]
				all = all && (w.Name == "" || endedBy[w.Name][n.Name])
			}
		}
		last.EndUnknown = last.EndUnknown || ends && !all
		switch {
		case ends && i == len(l.parts)-1:
			l.close(i)
		case !absent:
			return
		default:
			surely = false // the element around it is only ended if this one is absent
		}
	}
}

// name returns the first of the names that an element may have.
func (e *Element) name() string {
	for _, w := range e.Ways {
		if w.Name != "" {
			return w.Name
		}
	}
	return ""
}

// end reads an end tag.
func (l *list) end(ways []Way) {
	for i := len(l.parts) - 1; l.parts[i].open != nil; i-- {
		switch m := meet(l.parts[i].open.Ways, ways); {
		case m == ended:
			l.across(l.parts[i:], ways)
			l.close(i)
			return
		case m&ended != 0, m&stopped != 0 && m&passed != 0:
			l.lose()
			return
		case m&stopped != 0:
			return
		}
	}
	if l.nested {
		l.parts = append(l.parts, part{ends: ways})
	}
}

// across notes what is not known of elements if an end tag ends the first of them.
func (l *list) across(parts []part, ways []Way) {
	blocks := slices.ContainsFunc(parts[1:], func(p part) bool { return isSpecial[p.open.name()] })
	several := blocks && slices.ContainsFunc(ways, func(w Way) bool { return isFormatting[w.Name] }) // browsers make several elements of it
	for i, p := range parts {
		if several || i > 0 && meet(p.open.Ways, ways)&kept != 0 {
			p.open.EndUnknown = true
		}
	}
}

// What an end tag does to an open element.
const (
	ended   = 1 << iota
	kept    // it is not there
	stopped // it ends nothing, since it may not end this element
	passed  // it ends an element around this one
)

// meet returns what an end tag does to an open element, in each of their ways that can be together.
func meet(ways, ends []Way) (m int) {
	for _, w := range ways {
		for _, e := range ends {
			switch {
			case slices.ContainsFunc(e.When, func(c Cond) bool { return has(w.When, c.Opposite()) }), w.Name == "" && e.Name == "":
			case w.Name == e.Name || isHeading(w.Name) && isHeading(e.Name):
				m |= ended
			case e.Name == "":
				m |= kept
			case w.Name != "" && isBoundary(w.Name, e.Name):
				m |= stopped
			default:
				m |= passed
			}
		}
	}
	return m
}

// close ends the open elements from the i-th part on.
func (l *list) close(i int) {
	closed := append([]part{{}}, l.parts[i:]...)
	l.parts = l.parts[:i]
	last := &l.parts[i-1]
	last.items = append(last.items, l.unite(closed)...)
}

// unite returns the items of parts. Each start tag among them has an end behind the last part.
func (b *builder) unite(parts []part) []Item {
	for i := len(parts) - 1; i > 0; i-- {
		p, before := &parts[i], &parts[i-1]
		if p.open != nil {
			p.open.Kids, p.open.EndUnknown = p.items, p.open.EndUnknown || p.open.lossesAtStart != b.losses
			before.items = append(before.items, p.open)
		} else {
			before.items = append(before.items, p.items...)
		}
	}
	return parts[0].items
}

// lose notes that it is not known which elements are open.
func (l *list) lose() { l.losses++ }

// jump notes that the rest of a loop may be left out: what is open ends elsewhere.
func (l *list) jump() { l.leave(l.parts[1:]) }

// leave notes that it is not known which elements are open behind parts that may be left out or repeated,
// unless the parts only begin elements whose end tags may be left out.
func (l *list) leave(parts []part) {
	if slices.ContainsFunc(parts, func(p part) bool { return p.open == nil || !isImplied[p.open.name()] }) {
		l.lose()
	}
}

// fork adds what the two sides of a condition have made.
func (l *list) fork(cond Cond, then, otherwise []part) {
	if len(then) == 1 {
		then = pad(then, otherwise)
	} else if len(otherwise) == 1 {
		otherwise = pad(otherwise, then)
	}
	fit := len(then) == len(otherwise)
	for i := 1; fit && i < len(then); i++ {
		a, b := &then[i], &otherwise[i]
		fit = (a.open == nil) == (b.open == nil) && len(a.ways())+len(b.ways()) <= maxStates
	}
	if !fit {
		l.lose()
		l.sides(cond, l.unite(then), l.unite(otherwise))
		return
	}
	l.sides(cond, then[0].items, otherwise[0].items)
	for i := 1; i < len(then); i++ {
		a, b := &then[i], &otherwise[i]
		ways := append(under(cond, a.ways()), under(cond.Opposite(), b.ways())...)
		if a.open != nil {
			l.open(&Element{Ways: ways, EndUnknown: a.open.EndUnknown || b.open.EndUnknown, ParentUnknown: a.open.ParentUnknown || b.open.ParentUnknown})
		} else {
			l.end(ways)
		}
		l.sides(cond, a.items, b.items)
	}
}

// sides adds a Fork, if there is something in it.
func (l *list) sides(cond Cond, then, otherwise []Item) {
	if len(then)+len(otherwise) > 0 {
		l.add(&Fork{cond, then, otherwise})
	}
}

// ways returns the ways of the tag of a part.
func (p *part) ways() []Way {
	if p.open != nil {
		return p.open.Ways
	}
	return p.ends
}

// pad gives a side of a condition without tags those that the other side has, without a name, if they only begin
// elements or only end some.
func pad(side, other []part) []part {
	for i := range other[1:] {
		p := part{ends: []Way{{}}}
		if open := other[1+i].open; open != nil {
			p = part{open: &Element{Ways: []Way{{Place: open.Ways[0].Place}}}}
		}
		if (p.open == nil) != (other[1].open == nil) {
			return side[:1]
		}
		side = append(side, p)
	}
	return side
}

// under returns ways with one more condition.
func under(cond Cond, ways []Way) []Way {
	all := slices.Clone(ways)
	for i := range all {
		if w := &all[i]; !has(w.When, cond) {
			w.When = append(slices.Clip(w.When), cond)
		}
	}
	return all
}

// loop reads a {{range}}. Browsers end a list item at the next one, which the next turn of the loop may
// begin.
func (l *list) loop(n *Loop) {
	jumps := l.jumps
	body := l.list(n.Body, true)
	r := &Repeat{Pipe: n.Pipe, Jumps: l.jumps > jumps}
	l.jumps = jumps
	otherwise := l.list(n.Else, true)
	l.leave(slices.Concat(body.parts[1:], otherwise.parts[1:]))
	r.Body, r.Else = l.unite(body.parts), l.unite(otherwise.parts)
	if len(r.Body)+len(r.Else) > 0 {
		l.add(r)
	}
}

// What HTML says of elements (sections 13.1.2 and 13.2.6).
var (
	isVoid       = Names("area base br col embed hr img input link meta param source track wbr")
	isImplied    = Names("li dt dd p option optgroup tr td th thead tbody tfoot colgroup rt rp") // their end tags may be left out
	isFormatting = Names("a b big code em font i nobr s small strike strong tt u")
	isSpecial    = Names("address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup " +
		"dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html " +
		"iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script " +
		"search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp")
	isScope      = Names("applet caption html table td th marquee object template")
	isTablePart  = Names("table caption colgroup tbody thead tfoot tr td th")
	endParagraph = Names("address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
		"header hgroup hr main menu nav ol p pre search section summary table ul")
	// endedBy has the elements that end where one of certain others begins.
	endedBy = map[string]map[string]bool{
		"p": endParagraph, "li": Names("li"), "dt": Names("dt dd"), "dd": Names("dt dd"), "rt": Names("rt rp"), "rp": Names("rt rp"),
		"option": Names("option optgroup"), "optgroup": Names("optgroup"), "head": Names("body"),
		"td": Names("td th tr tbody thead tfoot"), "th": Names("td th tr tbody thead tfoot"), "tr": Names("tr tbody thead tfoot"),
		"thead": Names("tbody tfoot"), "tbody": Names("tbody tfoot"), "tfoot": Names("tbody"),
		"caption": Names("colgroup thead tbody tfoot tr"), "colgroup": Names("thead tbody tfoot tr"),
	}
)

// Names returns the set of names that a text has between spaces.
func Names(text string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(text) {
		all[name] = true
	}
	return all
}

// isBoundary reports whether browsers look for the start of an end tag no further than an open element.
func isBoundary(open, end string) bool {
	switch {
	case isTablePart[end]:
		return open == "table" || open == "template"
	case !isSpecial[end] && !isFormatting[end]:
		return isSpecial[open] || isScope[open]
	case end == "li":
		return isScope[open] || open == "ul" || open == "ol"
	case end == "p":
		return isScope[open] || open == "button"
	}
	return isScope[open]
}

func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6'
}
