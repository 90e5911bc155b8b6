package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/site/httpfile"
)

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
		if isForm && httpfile.Expects2XX(e.Request) && in.Body != nil && !b.Content.has(e.sample.MediaType) {
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
		if httpfile.Expects2XX(e.Request) && json.Valid(e.sample.Body) && httpfile.IsJSON(e.sample.MediaType) {
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
	var codes []int
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
		case c.Subject == "header" && !httpfile.MayLack(c):
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
