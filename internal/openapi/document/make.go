package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/examples/bridge"
	"example.com/flow/internal/examples/httpfile"
	"example.com/flow/internal/openapi/rules"
	"example.com/flow/internal/openapi/schema"
	"example.com/flow/internal/routes/pattern"
	"example.com/flow/internal/wire/input"
	"example.com/flow/internal/wire/reply"
)

// methods are those that OpenAPI has words for and that an application answers itself, in order.
var methods = []string{"GET", "PUT", "POST", "DELETE", "PATCH", "TRACE"}

// A maker makes one document.
type maker struct {
	api     API
	site    *bridge.Site
	set     schema.Set
	book    *rules.Book
	inputs  map[reflect.Type]schema.Input
	parts   []*part
	onError string // what answers errors of the document itself
}

// A part is an operation with its examples.
type part struct {
	bridge.Operation
	examples []*example
	prefix   string // that the paths of the examples leave out
}

// An example is a request of a route file with what it expects.
type example struct {
	bridge.Example
	sample     httpfile.Sample
	conditions []httpfile.Condition
	status     int // 0 for that of the handler
}

// isSuccess reports whether the example expects an answer that is no error.
func (e *example) isSuccess() bool { return e.status == 0 || e.status >= 200 && e.status < 300 }

// Make makes the document of a Site. It calls Validate of the types of inputs, for structs that no
// request has sent. messages extracts those from an error of it.
func Make(site *bridge.Site, api API, messages input.Messages) *Document {
	m := &maker{api: api, site: site, inputs: map[reflect.Type]schema.Input{}}
	for i := range api.SignIn {
		api.SignIn[i].Name = unique(keyOf(api.SignIn[i].Name), "_", func(name string) bool {
			return slices.ContainsFunc(api.SignIn[:i], func(before SignIn) bool { return before.Name == name })
		})
	}
	d := &Document{OpenAPI: "3.1.0"}
	about := m.read(d)
	d.Info = Info{Title: cmp.Or(api.Title, about.Title, "API"), Description: about.Prose, Version: api.Version}
	m.book = rules.NewBook(messages, m.filled())
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
	for _, o := range m.site.Operations() {
		if o.Path == m.site.Path {
			m.onError = o.OnError
			about = httpfile.AboutFile(o.Read())
			continue
		}
		if !o.Typed || !slices.Contains(methods, o.Method) {
			for _, of := range o.Patterns {
				d.Untyped = append(d.Untyped, o.Method+" "+of.String())
			}
			continue
		}
		f := o.Read()
		examples, prefix := o.Examples(f)
		p := &part{Operation: o, prefix: prefix}
		for _, e := range examples {
			p.examples = append(p.examples, &example{e, httpfile.SampleOf(f, e.Request, o.Open), httpfile.ConditionsOf(f, e.Request), e.Status()})
		}
		m.parts = append(m.parts, p)
	}
	return about
}

// values are the parameters of the path of an example.
type values map[string][]string

func (v values) Param(name string) string      { return strings.Join(v[name], "/") }
func (v values) Segments(name string) []string { return v[name] }

// filled returns what the examples fill, by its type.
func (m *maker) filled() map[reflect.Type][]reflect.Value {
	of := map[reflect.Type][]reflect.Value{}
	for _, p := range m.parts {
		for _, e := range p.examples {
			if p.In == nil || !e.isSuccess() || e.sample.Lacks || e.sample.Target == "" {
				continue
			}
			if dst, ok := p.filled(e); ok && len(of[p.In]) < maxExamples {
				of[p.In] = append(of[p.In], dst)
			}
		}
	}
	return of
}

// maxExamples is how many examples of a type Validate is asked about.
const maxExamples = 8

// filled returns what an example fills.
func (p *part) filled(e *example) (dst reflect.Value, ok bool) {
	target, err := url.Parse(e.sample.Target)
	if err != nil {
		return dst, false
	}
	r := &http.Request{Method: e.Method, URL: target, Header: http.Header{}, ContentLength: int64(len(e.sample.Body))}
	for _, field := range e.sample.Header {
		r.Header.Add(field[0], field[1])
	}
	r.Body = http.NoBody
	if len(e.sample.Body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(e.sample.Body))
	}
	path, _ := pattern.Clean(p.prefix + target.EscapedPath())
	return input.Example(p.In, r, valuesOf(e.Pattern, path.Segments))
}

// valuesOf returns the values of the parameters of a pattern in a path with these segments, or nil if
// the path has too few or too many of them.
func valuesOf(of *pattern.Pattern, path []string) values {
	n := len(of.Segments)
	if len(path) != n && !(of.HasRest() && len(path) > n) {
		return nil
	}
	found := values{}
	for i, seg := range of.Segments {
		switch seg.Kind {
		case pattern.Param:
			found[seg.Text] = path[i : i+1]
		case pattern.Rest:
			found[seg.Text] = path[i:]
		}
	}
	return found
}

// A place is one pattern of an operation.
type place struct {
	*part
	of *pattern.Pattern
}

// paths adds the operations. Of patterns that are one path for OpenAPI, which knows neither matchers nor
// catch-alls, the most specific one stays.
func (m *maker) paths(d *Document) {
	byPath := map[string][]*place{} // by the path without the names of parameters
	for _, p := range m.parts {
		for _, of := range p.Patterns {
			key := nameless(of)
			byPath[key] = append(byPath[key], &place{p, of})
		}
	}
	var kept []*place
	for _, same := range byPath {
		slices.SortStableFunc(same, func(a, b *place) int {
			return cmp.Or(pattern.Compare(a.of, b.of), strings.Compare(a.of.String(), b.of.String()), cmp.Compare(slices.Index(methods, a.Method), slices.Index(methods, b.Method)))
		})
		first := same[0].of
		for _, p := range same {
			if p.of.Key() == first.Key() && Template(p.of) == Template(first) {
				kept = append(kept, p)
			} else {
				d.Untyped = append(d.Untyped, p.Method+" "+p.of.String())
			}
		}
	}
	slices.Sort(d.Untyped)
	d.Untyped = slices.Compact(d.Untyped)
	slices.SortFunc(kept, func(a, b *place) int {
		return cmp.Or(strings.Compare(Template(a.of), Template(b.of)), cmp.Compare(slices.Index(methods, a.Method), slices.Index(methods, b.Method)))
	})
	ids, tags := m.ids(kept), []string{}
	for i, p := range kept {
		at := Template(p.of)
		if n := len(d.Paths); n == 0 || d.Paths[n-1].Key != at {
			d.Paths.add(at, &Path{})
		}
		o := m.operation(p, ids[i])
		d.Paths[len(d.Paths)-1].Value.add(strings.ToLower(p.Method), o)
		for _, tag := range o.Tags {
			if !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	slices.Sort(tags)
	for _, tag := range tags {
		d.Tags = append(d.Tags, Tag{tag})
	}
}

// Template returns the path of a pattern as OpenAPI writes it.
func Template(of *pattern.Pattern) string { return strings.ReplaceAll(of.String(), "...}", "}") }

// nameless returns the path of a pattern without the names of parameters.
func nameless(of *pattern.Pattern) string {
	var b strings.Builder
	for _, seg := range of.Segments {
		b.WriteByte('/')
		if seg.Kind == pattern.Literal {
			b.WriteString(url.PathEscape(seg.Text))
		} else {
			b.WriteString("{}")
		}
	}
	return b.String()
}

// ids returns the names of operations: that of the route, with the method if several methods have it, and
// with a number if it answers at several paths.
func (m *maker) ids(kept []*place) []string {
	methodsOf := map[string]map[string]bool{}
	name := func(p *place) string { return cmp.Or(p.Name, strings.ReplaceAll(p.Path, "/", ".")) }
	for _, p := range kept {
		if methodsOf[name(p)] == nil {
			methodsOf[name(p)] = map[string]bool{}
		}
		methodsOf[name(p)][p.Method] = true
	}
	var ids []string
	for _, p := range kept {
		id := name(p)
		if len(methodsOf[id]) > 1 {
			id += "." + strings.ToLower(p.Method)
		}
		ids = append(ids, unique(id, "_", func(id string) bool { return slices.Contains(ids, id) }))
	}
	return ids
}

// unique returns a name, with a number behind it if it is taken.
func unique(name, before string, taken func(string) bool) string {
	with := name
	for n := 2; taken(with); n++ {
		with = fmt.Sprint(name, before, n)
	}
	return with
}

// tag returns the first directory or file of an operation below that of the document, without parameters
// and groups, or "".
func (m *maker) tag(o *part) string {
	dir := path.Dir("/" + m.site.Path)
	below := strings.TrimPrefix(strings.TrimPrefix("/"+o.Path, dir), "/")
	for part := range strings.SplitSeq(below, "/") {
		if part != "api" && part != "index" && !strings.ContainsAny(part, "[]()") {
			return part
		}
	}
	return ""
}

// operation makes an operation.
func (m *maker) operation(p *place, id string) *Operation {
	about := httpfile.AboutRequests(requestsOf(p.examples))
	o := &Operation{ID: id, Summary: about.Title, Description: about.Prose, Deprecated: about.Deprecated != ""}
	if tag := m.tag(p.part); tag != "" {
		o.Tags = []string{tag}
	}
	in := m.inputs[p.In]
	o.Parameters = m.parameters(p, in)
	if p.Method == "POST" || p.Method == "PUT" || p.Method == "PATCH" {
		o.Body = m.body(p.part, in)
	}
	m.responses(p.part, o)
	o.Security = m.security(p.part)
	return o
}

func requestsOf(examples []*example) (all []*httpfile.Request) {
	for _, e := range examples {
		all = append(all, e.Request)
	}
	return all
}

// parameters returns those of the path and of the query.
func (m *maker) parameters(p *place, in schema.Input) (all []Parameter) {
	add := func(where string, property *schema.Property, required bool) {
		of := *property.Schema
		parameter := Parameter{Name: property.Name, In: where, Description: of.Description, Deprecated: of.Deprecated, Required: required, Schema: &of}
		of.Description, of.Deprecated = "", false
		all = append(all, parameter)
	}
	for _, name := range p.of.Names {
		seg, _ := p.of.Param(name)
		property := in.Route.Find(name)
		if property == nil || seg.Kind == pattern.Rest && property.Schema.Items != nil {
			property = &schema.Property{Name: name, Schema: ofMatcher(seg.Matcher)}
		}
		if seg.Kind == pattern.Rest {
			of := *property.Schema
			of.Description = strings.TrimSpace(of.Description + " It may have slashes: it is the rest of the path.")
			property = &schema.Property{Name: name, Schema: &of}
		}
		add("path", property, true)
	}
	query := in.Query
	if p.Method == "GET" || p.Method == "DELETE" {
		query = slices.Concat(in.Query, in.Data)
	}
	for _, property := range query {
		add("query", property, m.book.IsRequired(p.In, property.Name))
	}
	return all
}

// ofMatcher returns the schema of the values that a matcher takes.
func ofMatcher(of *pattern.Matcher) *schema.Schema {
	s := &schema.Schema{Type: schema.Types{"string"}}
	if of == nil {
		return s
	}
	switch of.Name {
	case "int":
		return &schema.Schema{Type: schema.Types{"integer"}, Format: "int64"}
	case "uuid", "date":
		s.Format = of.Name
	case "slug":
		s.Pattern = "^[a-z0-9]+(-[a-z0-9]+)*$"
	}
	return s
}

const (
	jsonType      = "application/json"
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// body returns what a request may send, or nil if the handler reads nothing of it.
func (m *maker) body(p *part, in schema.Input) *Body {
	b := &Body{}
	if in.Body != nil && !in.Files {
		b.Content.add(jsonType, &Content{Schema: in.Body, Examples: m.bodies(p)})
	}
	switch {
	case in.Files:
		b.Content.add(multipartType, &Content{Schema: in.Form})
	case in.Form != nil:
		b.Content.add(formType, &Content{Schema: in.Form})
	}
	for _, e := range p.examples {
		isForm := e.sample.MediaType == formType || e.sample.MediaType == multipartType
		if isForm && e.isSuccess() && in.Body != nil && !b.Content.has(e.sample.MediaType) {
			b.Content.add(e.sample.MediaType, &Content{Schema: cmp.Or(in.Form, &schema.Schema{Type: schema.Types{"object"}})})
		}
	}
	if len(b.Content) == 0 {
		return nil
	}
	for _, of := range []*schema.Schema{in.Body, in.Form} {
		if of != nil && slices.ContainsFunc(of.Resolve().Properties, func(property *schema.Property) bool { return m.book.IsRequired(p.In, property.Name) }) {
			b.Required = true
		}
	}
	return b
}

// bodies returns the JSON that examples send.
func (m *maker) bodies(p *part) (all List[*Example]) {
	for _, e := range p.examples {
		if e.isSuccess() && json.Valid(e.sample.Body) && httpfile.IsJSON(e.sample.MediaType) {
			addExample(&all, e.Title, e.sample.Body)
		}
	}
	return all
}

// addExample adds an example under a key of its own.
func addExample(to *List[*Example], title string, text []byte) {
	to.add(unique(cmp.Or(slug(title), "example"), "-", to.has), &Example{title, text})
}

// responses adds the answers: that of the handler, those that are declared, and those that an example
// expects. Others are errors.
func (m *maker) responses(p *part, o *Operation) {
	status := map[int]*Response{}
	if p.Status != 0 {
		status[p.Status] = &Response{Description: http.StatusText(p.Status), Content: m.content(p.Out, p.Text)}
	}
	for _, other := range p.Others {
		status[other.Status] = &Response{Description: http.StatusText(other.Status), Content: m.content(other.Type, false)}
	}
	described := map[int]bool{}
	for _, e := range p.examples {
		code := cmp.Or(e.status, p.Status)
		if code == 0 {
			continue
		}
		r := status[code]
		if r == nil {
			r = &Response{Description: http.StatusText(code)}
			if code >= http.StatusBadRequest {
				r.Content = m.errors(p)
			}
			status[code] = r
		}
		if e.Title != "" && !described[code] {
			r.Description, described[code] = e.Title, true
		}
		r.expect(e)
	}
	codes := make([]int, 0, len(status))
	for code := range status {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		r := status[code]
		r.Description = cmp.Or(r.Description, fmt.Sprint(code))
		o.Responses.add(fmt.Sprint(code), r)
	}
	if p.Decides && len(codes) == 0 {
		o.Responses.add("2XX", &Response{Description: "The handler decides."})
	}
	o.Responses.add("default", &Response{Description: "An error.", Content: m.errors(p)})
}

// content returns the body of an answer of a type.
func (m *maker) content(out reflect.Type, isText bool) (all List[*Content]) {
	switch {
	case isText:
		all.add("text/plain", &Content{Schema: &schema.Schema{Type: schema.Types{"string"}}})
	case out != nil:
		all.add(jsonType, &Content{Schema: m.set.Written(out)})
	}
	return all
}

// errors returns the body of errors, as far as it is known: that of flow, or that of the function for the
// document.
func (m *maker) errors(p *part) (all List[*Content]) {
	switch {
	case p.OnError == "":
		all.add("application/problem+json", &Content{Schema: m.set.Written(reflect.TypeFor[reply.ProblemJSON]())})
	case p.OnError == m.onError && m.api.Error != nil:
		all = m.content(m.api.Error, false)
	}
	return all
}

// expect adds what an example expects: headers, and the whole body as an example.
func (r *Response) expect(e *example) {
	for _, c := range e.conditions {
		switch {
		case c.Subject == "header" && c.Word != "isFalse" && c.Word != "!=" && c.Text != "undefined":
			name := http.CanonicalHeaderKey(c.Header)
			if name != "Content-Type" && !r.Headers.has(name) {
				r.Headers.add(name, &Header{&schema.Schema{Type: schema.Types{"string"}}})
			}
		case c.Subject == "body" && c.Place == nil && c.Word == "==" && !c.Lacks && json.Valid([]byte(c.Text)):
			if content := r.Content.get(jsonType); content != nil {
				addExample(&content.Examples, e.Title, []byte(c.Text))
			}
		}
	}
	r.Headers.sort()
}

// security returns what an operation needs: a guard of a scheme in its chain needs that, and any handler
// may look at who is signed in.
func (m *maker) security(p *part) (all []map[string][]string) {
	needed := map[string][]string{}
	for _, s := range m.api.SignIn {
		if slices.ContainsFunc(s.Guards, func(code uintptr) bool { return slices.Contains(p.Guards, code) }) {
			needed[s.Name] = []string{}
		}
	}
	if len(needed) > 0 {
		return []map[string][]string{needed}
	}
	if len(m.api.SignIn) == 0 {
		return nil
	}
	all = append(all, map[string][]string{})
	for _, s := range m.api.SignIn {
		all = append(all, map[string][]string{s.Name: {}})
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
