// Package examples checks the examples in route files: whether their file answers them, and whether they, and
// answers to them, agree with the types of the handler. These are the keys and the kinds of values, and nothing
// that only Validate knows.
package examples

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/internal/check/fit"
	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
)

// Types hold the schemas of types, which are made once.
type Types struct {
	set schema.Set
	in  map[reflect.Type]*schema.Schema // of a body of JSON; nil if the handler reads none
	out map[reflect.Type]*schema.Schema
}

// read returns the schema of the body of JSON that fills a type, or nil.
func (t *Types) read(in reflect.Type) *schema.Schema {
	body, known := t.in[in]
	if !known {
		if t.in == nil {
			t.in = map[reflect.Type]*schema.Schema{}
		}
		body = t.set.Input(in).Body
		t.in[in] = body
	}
	return body
}

// written returns the schema of an answer of a type.
func (t *Types) written(out reflect.Type) *schema.Schema {
	if t.out[out] == nil {
		if t.out == nil {
			t.out = map[reflect.Type]*schema.Schema{}
		}
		t.out[out] = t.set.Written(out)
	}
	return t.out[out]
}

// Faults returns what is wrong with the methods JSONSchema of the types of a Shape, if it was not said of
// another Shape before.
func (t *Types) Faults(of site.Shape) (faults []string) {
	types := []reflect.Type{of.In, of.Out}
	for _, other := range of.Others {
		types = append(types, other.Type)
	}
	for _, of := range types {
		if of != nil {
			faults = append(faults, t.set.Faults(of)...)
		}
	}
	return faults
}

// disagreements returns what of an example cannot be, as its handler has the Shape. It looks at examples
// that expect success: others may show what is refused.
func disagreements(f site.File, r *httpfile.Request, of site.Shape, types *Types) (faults []fault.Fault) {
	if !of.Typed || !httpfile.Expects2XX(r) {
		return nil
	}
	wrong := func(line int, what, text string) {
		faults = append(faults, fault.InLine(f.Name, line, "%s: %s: %s", r, what, text))
	}
	if of.In != nil {
		s := httpfile.SampleOf(f.File, r, f.Open)
		if body := types.read(of.In); body != nil && s.Body != nil && httpfile.IsJSON(s.MediaType) {
			for _, w := range fit.Judge(body, s.Body) {
				wrong(lineOf(r, s.Body, w.Offset), "the body", w.Text)
			}
		}
		faults = append(faults, texts(f.File, r, s, of.In)...)
	}
	out, declared := answer(of, r.Status())
	if !declared { // what else is expected can only be meant for the answer that there is
		out = of.Out
	}
	if out != nil || !declared {
		for _, c := range httpfile.ConditionsOf(f.File, r) {
			if !declared && c.Subject == "status" {
				wrong(c.Line, "the expected answer", undeclared(r.Status(), of))
			}
			if out == nil {
				continue
			}
			if text := condition(types.written(out), c); text != "" {
				wrong(c.Line, "the expected answer", text)
			}
		}
	}
	return faults
}

// answer returns the type of the JSON that a handler answers with a status, or nil if it says of
// none. declared reports whether it may answer with that status at all. A status of 0 is that of
// its Shape.
func answer(of site.Shape, status int) (out reflect.Type, declared bool) {
	if i := slices.IndexFunc(of.Others, func(a site.Answer) bool { return a.Status == status }); i >= 0 {
		return of.Others[i].Type, true
	}
	switch {
	case of.Decides:
		return nil, true
	case status == 0, status == of.Status:
		return of.Out, true
	}
	return nil, false
}

// lineOf returns the line of the file in which a byte of the body of a request stands. What
// stands in a file of its own counts as the line that names it.
func lineOf(r *httpfile.Request, body []byte, offset int) int {
	i := bytes.Count(body[:offset], []byte("\n"))
	for at, line := range r.Body {
		if line.File != "" || at == i {
			return line.Text.Line
		}
	}
	return r.Line
}

// condition returns what of an expectation cannot be, as the answer has a schema, or "".
func condition(s *schema.Schema, c httpfile.Condition) string {
	if c.Subject != "body" || c.Lacks || httpfile.MayLack(c) {
		return ""
	}
	found, wrong := fit.At(s, c.Place)
	if len(found) == 0 {
		return wrong
	}
	kinds := fit.Kinds(found)
	if kind := only[c.Word]; kind != "" {
		if kinds.Allows(kind) || kind == "number" && kinds.Allows("integer") {
			return ""
		}
		return fmt.Sprintf("%sis %s, so %s never holds", shown(c.Place), fit.KindNames(kinds), c.Word)
	}
	if c.Word != "==" {
		return ""
	}
	return equals(found, kinds, c)
}

// only has the kind of JSON that a condition holds for.
var only = map[string]string{"isArray": "array", "isString": "string", "isNumber": "number", "isBoolean": "boolean"}

// equals returns why a value is never that of an expectation, or "".
func equals(found []*schema.Schema, kinds schema.Types, c httpfile.Condition) string {
	text := []byte(c.Text)
	if text[0] != '{' && text[0] != '[' {
		_, err := strconv.ParseFloat(c.Text, 64)
		isNumber := !slices.ContainsFunc(kinds, func(kind string) bool { return kind != "number" && kind != "integer" })
		if isNumber && err != nil && len(kinds) > 0 {
			return fmt.Sprintf("%sis %s, and never %s", shown(c.Place), fit.KindNames(kinds), c.Text)
		}
		return ""
	}
	if kinds.Allows("string") && len(c.Place) > 0 {
		return ""
	}
	var first []fit.Wrong
	for _, s := range found {
		wrong := fit.Judge(s, text)
		if len(wrong) == 0 {
			return ""
		}
		if first == nil || len(wrong) < len(first) {
			first = wrong
		}
	}
	var said []string
	for _, w := range first {
		said = append(said, shown(c.Place)+w.Text)
	}
	return strings.Join(said, "; ")
}

// shown returns a place for messages: "owner.tags[0] ", or "" for the whole.
func shown(place []string) string {
	if len(place) == 0 {
		return ""
	}
	return httpfile.PlaceText(place) + " "
}

func undeclared(status int, of site.Shape) string {
	return fmt.Sprintf("the status is %d, and the handler declares %d: declare it with flow.JSONOf, or give the handler that status", status, of.Status)
}

// Answer returns what of the answer to an example its handler does not declare: a status below
// 300, or JSON that is not of its type. status is that of the answer.
func Answer(of site.Shape, types *Types, a *httpfile.Answer) (wrong []string) {
	if !of.Typed || a.Status >= 300 {
		return nil
	}
	out, declared := answer(of, a.Status)
	if !declared {
		return []string{undeclared(a.Status, of)}
	}
	if out == nil || len(a.Body) == 0 || a.Status == http.StatusNoContent || !httpfile.IsJSON(httpfile.MediaType(a.Header.Get("Content-Type"))) {
		return nil
	}
	for _, w := range fit.Judge(types.written(out), a.Body) {
		wrong = append(wrong, w.Text)
	}
	return wrong
}
