package document

import (
	"cmp"
	"reflect"
	"slices"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/describe/rules"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
)

// A maker makes one document.
type maker struct {
	api     API
	of      *site.Description
	set     schema.Set
	book    *rules.Book
	inputs  map[reflect.Type]schema.Input
	parts   []*part
	onError string // what answers errors of the document itself
}

// A part is an operation with its examples.
type part struct {
	site.Route
	examples []*example
	prefix   string // see site.File
}

// Make makes the document of a Description. It calls Validate of the types of inputs, for structs that no
// request has sent.
func Make(of *site.Description, api API) *Document {
	m := &maker{api: api, of: of, inputs: map[reflect.Type]schema.Input{}}
	for i := range api.SignIn {
		api.SignIn[i].Name = unique(keyOf(api.SignIn[i].Name), "_", func(name string) bool {
			return slices.ContainsFunc(api.SignIn[:i], func(before SignIn) bool { return before.Name == name })
		})
	}
	d := &Document{OpenAPI: "3.1.0"}
	about := m.read(d)
	d.Info = Info{Title: cmp.Or(api.Title, about.Title, "API"), Description: about.Prose, Version: api.Version}
	m.book = rules.NewBook(of.Messages, m.filled())
	for _, p := range m.parts {
		if _, known := m.inputs[p.In]; p.In != nil && !known {
			m.inputs[p.In] = m.book.Input(p.In, m.set.Input(p.In))
		}
	}
	m.paths(d)
	m.components(d)
	m.schemes(d)
	return d
}

// read reads the operations and their examples, and returns what the route file of the document says
// of the API.
func (m *maker) read(d *Document) (about httpfile.About) {
	for _, o := range m.of.Operations() {
		if o.Tree == m.of.Tree {
			m.onError = o.OnError
			about = httpfile.AboutFile(m.of.Read(o.Tree).File)
			continue
		}
		if !o.Typed || !slices.Contains(methods, o.Method) {
			for _, of := range o.Tree.Patterns {
				d.Untyped = append(d.Untyped, o.Method+" "+of.String())
			}
			continue
		}
		f := m.of.Read(o.Tree)
		p := &part{Route: o, prefix: f.Prefix}
		for _, e := range m.of.Examples(o, f) {
			p.examples = append(p.examples, &example{e, httpfile.SampleOf(f.File, e.Request, f.Open), httpfile.ConditionsOf(f.File, e.Request), e.Status()})
		}
		m.parts = append(m.parts, p)
	}
	return about
}

// components adds the rules to the types that have a name, and the types to the document.
func (m *maker) components(d *Document) {
	all := d.schemas()
	m.book.Components(all...)
	for _, c := range schema.Name(all...) {
		d.Components.Schemas.add(c.Name, c.Schema)
	}
}

// schemas returns all schemas of operations.
func (d *Document) schemas() (all []*schema.Schema) {
	for _, at := range d.Paths {
		for _, of := range *at.Value {
			for _, p := range of.Value.Parameters {
				all = append(all, p.Schema)
			}
			contents := []List[*Content]{}
			if of.Value.Body != nil {
				contents = append(contents, of.Value.Body.Content)
			}
			for _, r := range of.Value.Responses {
				contents = append(contents, r.Value.Content)
			}
			for _, list := range contents {
				for _, c := range list {
					if c.Value.Schema != nil {
						all = append(all, c.Value.Schema)
					}
				}
			}
		}
	}
	return all
}

// schemes adds the ways to sign in.
func (m *maker) schemes(d *Document) {
	for _, s := range m.api.SignIn {
		scheme := &Scheme{Type: "apiKey", Description: s.Doc}
		switch {
		case s.Bearer:
			scheme.Type, scheme.Scheme = "http", "bearer"
		case s.Cookie != "":
			scheme.In, scheme.Name = "cookie", s.Cookie
		default:
			scheme.In, scheme.Name = "header", cmp.Or(s.Header, "Authorization")
		}
		d.Components.SecuritySchemes.add(s.Name, scheme)
	}
	d.Components.SecuritySchemes.sort()
}
