// Package links checks the URLs and the forms in templates: that something in the application
// answers them, with the method that the link or the form sends, and reads their fields. [Scan]
// finds them in the HTML of one template file, with a hole for each action. [Check] asks a [Site]
// what the URLs lead to, and returns the faults.
package links

import (
	"slices"
	"text/template/parse"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/pages/language"
)

// A File has the links and the forms of one template file.
type File struct {
	Links    []Link
	Relative []Link // those whose URL is a relative path, as it is written
	Forms    []*Form
	// outer has, for each template, what stands outside of its forms, as if in a form: that may be
	// around a call of the template.
	outer []*Form
	calls []templateCall
	moved bool // a <base> may lead the URLs to another server
	based bool // relative URLs may not be relative to that of the page
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
	within    int    // how many of {{if}}, {{with}} and {{range}} are around its tag
	limits    []limit
	unnamed   []Field // inputs without a name, with their IDs in its place
}

// A limit is an attribute of an element that limits the values of its field.
type limit struct {
	Field
	attr markup.Attr
}

// A Field is a field of a form with a name that is not computed, except for numbers of rows: each
// of them is a hole.
type Field struct {
	Offset int // of its name
	Name   string
	Type   string            // of an input, in lower case: "hidden", "file"
	Value  string            // that the markup has, if no action may write another one; "" if that is not known
	Lists  bool              // the element may send several values
	always bool              // outside of forms: it stands behind no condition
	at     *parse.StringNode // a constant, which names a field if it is in Named; nil for the name of an input
}

// A templateCall is a {{template}} in a template of the file.
type templateCall struct {
	from, to string
	text     bool    // in the text of a page, and not in a tag, a script or a comment
	forms    []*Form // those that may be around it; nil for none
	always   bool    // no condition stands between it and the beginning of the form
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

// Scan finds the links and the forms in the templates of a file. Their names and those in
// {{template}} are the ones that the templates of all files have together. urls has the URLs of the
// calls of {{route}}, with a pattern.Hole for each value.
func Scan(trees []*parse.Tree, urls map[*parse.CommandNode]string) *File {
	f := &File{outer: make([]*Form, 0, len(trees))}
	for _, t := range trees {
		outer := &Form{Method: anyMethod, own: true, in: t.Name}
		s := scanner{file: f, name: t.Name, urls: urls, outer: outer, around: []*Form{outer}}
		s.nodes(markup.Read(t, markup.Links, nil))
		f.outer = append(f.outer, outer)
	}
	f.Links, f.Relative = slices.Clone(f.Links), slices.Clone(f.Relative) // in lists of their length
	for i := range f.Links {
		if l := &f.Links[i]; l.form != nil {
			l.Method = l.form.plain // known once all fields of the form are: see scanner.field
		}
	}
	return f
}

// outside returns what stands outside of the forms of a template of the file.
func (f *File) outside(template string) *Form {
	i := slices.IndexFunc(f.outer, func(outer *Form) bool { return outer.in == template })
	return f.outer[i]
}

// maxForms is the number of forms that may be around a point. If there are more, none is known.
const maxForms = 16

// noForm is what is around a point behind the end of a form.
var noForm = []*Form{nil}

// A scanner visits the nodes of one template.
type scanner struct {
	file    *File
	name    string // of the template
	urls    map[*parse.CommandNode]string
	outer   *Form   // the one around the call of the template
	around  []*Form // the forms that may be around this point, nil for none; it is not changed
	within  int     // how many of {{if}}, {{with}} and {{range}} are around this point
	ranges  int     // how many of these are {{range}}
	several bool    // the tag, or the form around it, is one of several
	noted   int     // how often a field was noted outside of forms
}

// anyMethod is the method of the form around the call of a template.
const anyMethod = "ANY"

// nodes visits nodes.
func (sc *scanner) nodes(all []markup.Node) {
	for _, n := range all {
		switch n := n.(type) {
		case *markup.Tag:
			sc.tag(n)
		case *markup.End:
			if n.Name == "form" {
				sc.around = noForm
			}
		case *markup.Hole:
			sc.constants(n.Action.Pipe)
		case *markup.Assign:
			sc.constants(n.Pipe)
		case *markup.Call:
			sc.constants(n.Action.Pipe)
			sc.file.calls = append(sc.file.calls, templateCall{sc.name, n.Action.Name, n.In.Kind == markup.Content, sc.around, sc.isAlways()})
		case *markup.Branch:
			sc.constants(n.Pipe)
			sc.sides(n.Then, n.Else)
		case *markup.Loop:
			sc.constants(n.Pipe)
			before := sc.around
			sc.ranges++
			sc.sides(n.Body, n.Else)
			sc.ranges--
			sc.around = union(sc.around, before)
		}
	}
}

// isAlways reports whether no condition stands between this point and the beginning of the form.
func (sc *scanner) isAlways() bool {
	return !slices.ContainsFunc(sc.around, func(f *Form) bool { return f == nil || f.within != sc.within })
}

// sides visits both sides of an {{if}}, {{with}} or {{range}}.
func (sc *scanner) sides(then, otherwise []markup.Node) {
	before := sc.around
	sc.within++
	sc.nodes(then)
	after := sc.around
	sc.around = before
	sc.nodes(otherwise)
	sc.within--
	sc.around = union(after, sc.around)
}

// union returns the forms of a and b, each once.
func union(a, b []*Form) []*Form {
	if slices.Equal(a, b) {
		return a
	}
	all := slices.Clip(a)
	for _, f := range b {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	if len(all) > maxForms {
		return noForm
	}
	return all
}

// tag notes the links and the fields of a tag, and the form that it begins.
func (sc *scanner) tag(t *markup.Tag) {
	before := sc.around
	sc.several = len(t.Ways) > 1 || len(before) > 1
	if w := &t.Ways[0]; len(t.Ways) == 1 && (w.Partly || len(w.When) > 0) { // otherwise there is no tag
		sc.within++
		defer func() { sc.within-- }()
	}
	fields := len(sc.outer.Fields)
	sc.noted = 0
	for i := range t.Ways {
		w, after := &t.Ways[i], before
		if w.Name == "form" {
			after = noForm
		}
		if isOurs(w) {
			if w.Name == "form" {
				after = []*Form{sc.form(w)}
			}
			sc.links(w)
			switch w.Name {
			case "button", "input", "select", "textarea":
				for _, form := range before {
					sc.field(w, form)
				}
			}
		}
		if i > 0 {
			after = union(sc.around, after)
		}
		sc.around = after
	}
	if len(sc.outer.Fields) == fields+1 && sc.noted == len(t.Ways) && len(before) == 1 { // the same in all ways
		sc.outer.Fields[fields].always = sc.within == 0
	}
}

// constants notes the constants of a pipeline that may name fields of a form.
func (sc *scanner) constants(pipe *parse.PipeNode) {
	if pipe == nil { // that of a {{template}} without data
		return
	}
	language.EachNode(pipe, func(n parse.Node) {
		if n, ok := n.(*parse.StringNode); ok {
			for _, form := range sc.around {
				sc.note(form, Field{Offset: int(n.Pos), at: n, always: form == sc.outer && sc.isAlways() && len(sc.around) == 1})
			}
		}
	})
}

// note notes a field in a form.
func (sc *scanner) note(form *Form, f Field) {
	if form == sc.outer {
		sc.noted++
	}
	if form != nil && form != dialog && !slices.Contains(form.Fields, f) {
		form.Fields = append(form.Fields, f)
	}
}
