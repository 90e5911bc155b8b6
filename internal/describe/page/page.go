// Package page shows an OpenAPI document to people: one page of HTML with one style sheet, and
// without scripts.
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/describe/document"
	"example.com/flow/internal/serve/pages/csp"
)

var (
	//go:embed style.css
	style string
	//go:embed page.tmpl
	text string

	pageTemplate = template.Must(template.New("page").Parse(text))
)

// Policy returns the Content-Security-Policy of the page: nothing but its style sheet.
func Policy() string {
	return "default-src 'none'; style-src " + csp.HashSource(style) + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// HTML returns the page of a document. json is the URL of the document, and examplesOf returns
// the examples of an operation.
func HTML(d *document.Document, json string, examplesOf func(method, path string) []Example) ([]byte, error) {
	v := view{Style: template.CSS(style), Info: d.Info, Prose: paragraphs(d.Info.Description), JSON: json, Untyped: d.Untyped, SignIn: signIn(d)}
	for _, path := range d.Paths {
		for _, entry := range *path.Value {
			o := operationOf(d, strings.ToUpper(entry.Key), path.Key, entry.Value)
			o.Examples = examplesOf(o.Method, o.Path)
			for i, e := range o.Examples {
				if slices.Equal(e.Prose, o.Prose) { // those of the operation are those of its first example
					o.Examples[i].Prose = nil
				}
			}
			tag := "other"
			if len(entry.Value.Tags) > 0 {
				tag = entry.Value.Tags[0]
			}
			v.add(tag, o)
		}
	}
	for _, c := range d.Components.Schemas {
		v.Types = append(v.Types, describe(c.Key, c.Value))
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, v)
	return b.Bytes(), err
}

// A view is the data of the page.
type view struct {
	Style   template.CSS
	Info    document.Info
	Prose   []string
	JSON    string
	SignIn  []way
	Groups  []*group
	Types   []fieldOf
	Untyped []string
}

// A group has the operations of a tag.
type group struct {
	Name       string
	Operations []operation
}

func (v *view) add(tag string, o operation) {
	i := slices.IndexFunc(v.Groups, func(g *group) bool { return g.Name == tag })
	if i < 0 {
		i = len(v.Groups)
		v.Groups = append(v.Groups, &group{Name: tag})
	}
	v.Groups[i].Operations = append(v.Groups[i].Operations, o)
}

// IsLong reports whether the list of operations is too long to stand open.
func (v view) IsLong() bool {
	n := 0
	for _, g := range v.Groups {
		n += len(g.Operations)
	}
	return n > 40
}

// An operation is an article of the page.
type operation struct {
	ID, Method, Path, Title string
	Deprecated              bool
	Prose                   []string
	Who                     string // may ask
	Parameters              []fieldOf
	Bodies                  []content
	Answers                 []answer
	Examples                []Example
}

// A content is a body of a media type.
type content struct {
	Type     string
	Value    fieldOf
	Examples []sample
}

// A sample is an example of a body.
type sample struct{ Title, Text string }

// An answer is that of a status.
type answer struct {
	Status, Text string
	Headers      []string
	Bodies       []content
}

// A fieldOf is a field, a parameter or a type, with what is said of its values. The type is written
// as Before, the Type with its Link, and After: "a list of", Task, "or null".
type fieldOf struct {
	Name, In            string
	Before, Type, After string
	Link                bool // the Type is one of the page
	Required            bool
	Deprecated          bool
	Doc                 []string
	Notes               []string
	Fields              []fieldOf
}

// A way is one to sign in.
type way struct {
	Name, How string
	Doc       []string
}

// An Example is a request as people send it from a terminal.
type Example struct {
	Title   string
	Prose   []string
	Curl    string   // "" if only the answer to another request says what it sends
	Request string   // in place of Curl: "GET /tasks/{{added.response.body.$.id}}"
	Expects []string // "status == 200"
}

// NewExample returns an Example with its prose as paragraphs.
func NewExample(title, prose string) Example { return Example{Title: title, Prose: paragraphs(prose)} }

func paragraphs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n\n")
}

func signIn(d *document.Document) (ways []way) {
	for _, s := range d.Components.SecuritySchemes {
		how := "the " + s.Value.In + " " + s.Value.Name
		if s.Value.Type == "http" {
			how = "the header Authorization: Bearer …"
		}
		ways = append(ways, way{s.Key, how, paragraphs(s.Value.Description)})
	}
	return ways
}

func operationOf(d *document.Document, method, path string, of *document.Operation) operation {
	o := operation{ID: of.ID, Method: method, Path: path, Title: of.Summary, Deprecated: of.Deprecated, Prose: paragraphs(of.Description), Who: who(d, of)}
	for _, p := range of.Parameters {
		f := describe(p.Name, p.Schema)
		f.In, f.Required, f.Doc = p.In, p.Required, paragraphs(p.Description)
		f.Deprecated = p.Deprecated && !saysDeprecated(f.Doc)
		o.Parameters = append(o.Parameters, f)
	}
	if of.Body != nil {
		o.Bodies = contents(of.Body.Content)
		for i, c := range of.Body.Content {
			if s := c.Value.Schema; s != nil && s.Of != nil && i == 0 { // the first is JSON if there is JSON
				o.Bodies[i].Value.Fields = fields(s.Resolve())
			}
		}
	}
	for _, r := range of.Responses {
		a := answer{Status: r.Key, Text: r.Value.Description, Bodies: contents(r.Value.Content)}
		if code, err := strconv.Atoi(r.Key); err == nil && http.StatusText(code) != a.Text {
			a.Status += " " + http.StatusText(code)
		}
		for _, h := range r.Value.Headers {
			a.Headers = append(a.Headers, h.Key)
		}
		o.Answers = append(o.Answers, a)
	}
	return o
}

// who says who may ask.
func who(d *document.Document, of *document.Operation) string {
	if len(d.Components.SecuritySchemes) == 0 {
		return ""
	}
	var needed []string
	for _, one := range of.Security {
		if len(one) == 0 {
			return "Everybody may ask."
		}
		for name := range one {
			needed = append(needed, name)
		}
	}
	if len(needed) == 0 {
		return "Everybody may ask."
	}
	slices.Sort(needed)
	return "Who asks has to sign in: " + strings.Join(needed, ", ") + "."
}

func contents(all document.List[*document.Content]) (bodies []content) {
	for _, c := range all {
		b := content{Type: c.Key}
		if c.Value.Schema != nil {
			b.Value = describe("", c.Value.Schema)
		}
		for _, e := range c.Value.Examples {
			b.Examples = append(b.Examples, sample{e.Value.Summary, string(e.Value.Value)})
		}
		bodies = append(bodies, b)
	}
	return bodies
}

var kinds = map[string]string{"integer": "whole number", "boolean": "true or false", "array": "list"}

// describe says what a schema says of a value.
func describe(name string, s *schema.Schema) fieldOf {
	f := fieldOf{Name: name, Doc: paragraphs(s.Description)}
	f.Deprecated = s.Deprecated && !saysDeprecated(f.Doc)
	f.Notes = notes(s)
	isNull := func(part *schema.Schema) bool { return slices.Equal(part.Type, schema.Types{"null"}) }
	switch choices := slices.Concat(s.AnyOf, s.OneOf); {
	case s.Of != nil:
		f.Type, f.Link = s.Of.Name, true
	case len(choices) == 2 && isNull(choices[1]):
		inner := describe("", choices[0])
		f.Before, f.Type, f.Link, f.Fields = inner.Before, inner.Type, inner.Link, inner.Fields
		f.After = strings.TrimSpace(inner.After + " or null")
		f.Notes = append(f.Notes, inner.Notes...)
	case len(choices) > 0:
		f.Type = "one of"
		for _, part := range choices {
			inner := describe("", part)
			inner.Name = "or"
			f.Fields = append(f.Fields, inner)
		}
	case s.Type.Allows("array") && s.Items != nil:
		inner := describe("", s.Items)
		f.Before, f.Type, f.Link, f.After, f.Fields = "list of "+inner.Before, inner.Type, inner.Link, inner.After, inner.Fields
		f.Notes = append(f.Notes, inner.Notes...)
	case s.Values != nil:
		inner := describe("", s.Values)
		f.Before, f.Type, f.Link, f.After, f.Fields = "object of "+inner.Before, inner.Type, inner.Link, inner.After, inner.Fields
		f.Notes = append(f.Notes, inner.Notes...)
	default:
		var names []string
		for _, t := range s.Type {
			if t != "null" {
				names = append(names, kindName(t))
			}
		}
		f.Type = strings.Join(names, " or ")
		if len(names) == 0 {
			f.Type = "any value"
		}
		f.Fields = fields(s)
	}
	if slices.Contains(s.Type, "null") && len(s.Type) > 1 {
		f.After = strings.TrimSpace(f.After + " or null")
	}
	return f
}

// saysDeprecated reports whether a paragraph says it, so that no mark has to.
func saysDeprecated(doc []string) bool {
	return slices.ContainsFunc(doc, func(text string) bool { return strings.HasPrefix(text, "Deprecated: ") })
}

func kindName(t string) string {
	if name, ok := kinds[t]; ok {
		return name
	}
	return t
}

func fields(s *schema.Schema) (all []fieldOf) {
	for _, p := range s.Properties {
		f := describe(p.Name, p.Schema)
		f.Required = slices.Contains(s.Required, p.Name)
		all = append(all, f)
	}
	return all
}

// notes returns the limits of a value.
func notes(s *schema.Schema) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if s.Format != "" {
		add("%s", s.Format)
	}
	between := func(least, most *int, of string) {
		if last := cmp.Or(most, least); last != nil && *last == 1 {
			of = strings.TrimSuffix(of, "s")
		}
		switch {
		case least != nil && most != nil:
			add("%d to %d %s", *least, *most, of)
		case least != nil:
			add("at least %d %s", *least, of)
		case most != nil:
			add("at most %d %s", *most, of)
		}
	}
	between(s.MinLength, s.MaxLength, "characters")
	between(s.MinItems, s.MaxItems, "items")
	if s.Minimum != "" {
		add("at least %s", s.Minimum)
	}
	if s.Maximum != "" {
		add("at most %s", s.Maximum)
	}
	if s.Pattern != "" {
		add("matches %s", s.Pattern)
	}
	for i, e := range s.Examples { // of a time in a form, which takes several formats
		if i == 0 {
			add("such as %v", e)
		} else {
			all[len(all)-1] += fmt.Sprintf(" or %v", e)
		}
	}
	for i, e := range s.Enum {
		if i == 0 {
			add("one of %v", e)
		} else {
			all[len(all)-1] += fmt.Sprintf(", %v", e)
		}
	}
	if len(s.Default) > 0 {
		add("default %s", s.Default)
	}
	return all
}
