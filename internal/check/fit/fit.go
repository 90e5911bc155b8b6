// Package fit holds values of JSON against schemas: example requests and expectations of route
// files, and answers. It says what people would: `siez: is no field: did you mean "size"?`.
//
// It tells more than a validator: a key that an object of a struct does not have is wrong, though
// Bind ignores it, and formats say nothing.
package fit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/fault"
)

// A Wrong is something that does not fit.
type Wrong struct {
	Text   string // "items[0].siez: is no field"
	Offset int    // where it stands in the text of the value, in bytes
}

// Judge returns what is wrong with a value as a schema has it, in the order of the text. A text that is
// not JSON is wrong at its beginning.
func Judge(s *schema.Schema, text []byte) []Wrong {
	if !json.Valid(text) {
		return []Wrong{notJSON(text)}
	}
	j := judge{}
	j.value(s, parse(text), "")
	slices.SortStableFunc(j.found, func(a, b Wrong) int { return cmp.Compare(a.Offset, b.Offset) })
	return j.found
}

func notJSON(text []byte) (w Wrong) {
	var any json.RawMessage
	err := json.Unmarshal(text, &any)
	w.Text = fmt.Sprintf("is no JSON: %v", err)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		w.Offset = max(min(int(syntax.Offset)-1, len(text)-1), 0)
	}
	return w
}

// A judge collects what is wrong.
type judge struct{ found []Wrong }

// add notes what is wrong with the value at a path.
func (j *judge) add(offset int, path, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + ": " + text
	}
	j.found = append(j.found, Wrong{text, offset})
}

func (j *judge) value(s *schema.Schema, v value, path string) {
	if s.Of != nil {
		j.value(s.Of.Schema, v, path)
	}
	switch {
	case !s.Type.Allows(v.kind):
		is := kindName(v.kind)
		if v.kind == "number" && s.Type.Allows("integer") {
			is = short(v.text) // of which "a number" would not say what is wrong
		}
		j.add(v.offset, path, "is %s, and must be %s", is, KindNames(s.Type))
		return
	case len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, v.is):
		j.add(v.offset, path, "is %s, and must be %s", v.text, among(s.Enum))
	case s.More["const"] != nil && !v.is(s.More["const"]):
		j.add(v.offset, path, "is %s, and must be %s", v.text, among([]any{s.More["const"]}))
	}
	switch v.kind {
	case "object":
		j.object(s, v, path)
	case "array":
		for i, item := range v.items {
			if s.Items != nil {
				j.value(s.Items, item, fmt.Sprintf("%s[%d]", path, i))
			}
		}
		j.size(v, path, len(v.items), s.MinItems, s.MaxItems, "item")
	case "string":
		j.text(s, v, path)
	case "integer", "number":
		j.number(s, v, path)
	}
	j.combined(s, v, path)
}

// object judges the keys of an object.
func (j *judge) object(s *schema.Schema, v value, path string) {
	there := map[string]bool{}
	for _, m := range v.members {
		there[m.key] = true
		at := inside(path, m.key)
		switch p := s.Properties.Find(m.key); {
		case p != nil:
			j.value(p.Schema, m.value, at)
		case s.Values != nil:
			j.value(s.Values, m.value, at)
		case len(s.Properties) > 0 && isClosed(s):
			if p := inAnyCase(s, m.key); p != nil {
				j.value(p.Schema, m.value, at)
				there[p.Name] = true
				continue
			}
			names := map[string]bool{}
			for _, p := range s.Properties {
				names[p.Name] = true
			}
			j.add(m.offset, at, "is no field%s", fault.Suggest(m.key, names, ""))
		}
	}
	for _, name := range s.Required {
		if !there[name] {
			j.add(v.offset, path, "lacks %s", name)
		}
	}
}

// isClosed reports whether the properties of a schema are all that there are, since a struct has them.
func isClosed(s *schema.Schema) bool {
	return len(s.AnyOf)+len(s.OneOf)+len(s.AllOf) == 0 && s.More["patternProperties"] == nil
}

// inAnyCase returns the property that a key names in another case, if the field reads that.
func inAnyCase(s *schema.Schema, key string) *schema.Property {
	for _, p := range s.Properties {
		if p.AnyCase && strings.EqualFold(p.Name, key) {
			return p
		}
	}
	return nil
}

func inside(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (j *judge) text(s *schema.Schema, v value, path string) {
	if s.MinLength == nil && s.MaxLength == nil && s.Pattern == "" {
		return
	}
	text := unquoted(v.text)
	j.size(v, path, utf8.RuneCountInString(text), s.MinLength, s.MaxLength, "character")
	if s.Pattern == "" {
		return
	}
	if of, err := regexp.Compile(s.Pattern); err == nil && !of.MatchString(text) { // JSON Schema has those of JavaScript
		j.add(v.offset, path, "is %s, and must match %s", v.text, s.Pattern)
	}
}

// size judges a length.
func (j *judge) size(v value, path string, n int, least, most *int, of string) {
	switch {
	case least != nil && n < *least:
		j.add(v.offset, path, "has %s, and must have at least %d", fault.Count(n, of), *least)
	case most != nil && n > *most:
		j.add(v.offset, path, "has %s, and must have at most %d", fault.Count(n, of), *most)
	}
}

func (j *judge) number(s *schema.Schema, v value, path string) {
	if s.Minimum == "" && s.Maximum == "" {
		return
	}
	n, ok := numberOf(json.Number(v.text))
	if !ok {
		return
	}
	if least, ok := numberOf(s.Minimum); ok && n.Cmp(least) < 0 {
		j.add(v.offset, path, "is %s, and must be at least %s", v.text, s.Minimum)
	}
	if most, ok := numberOf(s.Maximum); ok && n.Cmp(most) > 0 {
		j.add(v.offset, path, "is %s, and must be at most %s", v.text, s.Maximum)
	}
}

// numberOf returns the value of a number. ok is false for one with an exponent that would take a lot of
// memory, and for none.
func numberOf(n json.Number) (of *big.Rat, ok bool) {
	if _, exponent, has := strings.Cut(strings.ToLower(string(n)), "e"); has && len(exponent) > 4 {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}

func isWhole(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	of, ok := numberOf(n)
	return ok && of.IsInt()
}

// combined judges anyOf, oneOf, allOf and not. Of several that could fit, and don't, it tells what is
// wrong with the one for values of this kind.
func (j *judge) combined(s *schema.Schema, v value, path string) {
	for _, part := range s.AllOf {
		j.value(part, v, path)
	}
	if s.Not != nil && len(judged(s.Not, v, path)) == 0 {
		j.add(v.offset, path, "is %s, which must not be", short(v.text))
	}
	for _, parts := range [][]*schema.Schema{s.AnyOf, s.OneOf} {
		if len(parts) == 0 {
			continue
		}
		var ofKind []*schema.Schema
		fits := false
		for _, part := range parts {
			fits = fits || len(judged(part, v, path)) == 0
			if part.Resolve().Type.Allows(v.kind) {
				ofKind = append(ofKind, part)
			}
		}
		switch {
		case fits:
		case len(ofKind) == 1:
			j.found = append(j.found, judged(ofKind[0], v, path)...)
		case len(ofKind) == 0:
			var kinds schema.Types
			for _, part := range parts {
				kinds = append(kinds, part.Resolve().Type...)
			}
			j.add(v.offset, path, "is %s, and must be %s", kindName(v.kind), KindNames(kinds))
		default:
			j.add(v.offset, path, "is none of the values that the type describes")
		}
	}
}

func judged(s *schema.Schema, v value, path string) []Wrong {
	alone := judge{}
	alone.value(s, v, path)
	return alone.found
}

// is reports whether a value is one of a schema.
func (v value) is(other any) bool {
	text, err := json.Marshal(other)
	return err == nil && equal(v, parse(text))
}

// equal compares values as JSON Schema does: members in any order, and numbers by their value.
func equal(a, b value) bool {
	if a.kind != b.kind || len(a.items) != len(b.items) || len(a.members) != len(b.members) {
		return false
	}
	switch a.kind {
	case "array":
		return slices.EqualFunc(a.items, b.items, equal)
	case "object":
		return !slices.ContainsFunc(a.members, func(m member) bool {
			return !slices.ContainsFunc(b.members, func(other member) bool { return m.key == other.key && equal(m.value, other.value) })
		})
	case "integer", "number":
		x, _ := numberOf(json.Number(a.text))
		y, _ := numberOf(json.Number(b.text))
		return x != nil && y != nil && x.Cmp(y) == 0
	case "string":
		return unquoted(a.text) == unquoted(b.text)
	}
	return bytes.Equal(a.text, b.text)
}

// among lists values for messages.
func among(values []any) string {
	var texts []string
	for _, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			text = []byte("?") // does not happen: it was JSON
		}
		texts = append(texts, short(text))
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "one of " + strings.Join(texts, ", ")
}

// short returns a JSON text for messages.
func short(text []byte) string {
	if runes := []rune(string(text)); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return string(text)
}

var articles = map[string]string{"null": "null", "boolean": "a boolean", "integer": "a whole number", "number": "a number", "string": "a string", "array": "a list", "object": "an object"}

func kindName(kind string) string { return articles[kind] }

// KindNames joins kinds for messages, with "or".
func KindNames(kinds schema.Types) string {
	var names []string
	for _, kind := range kinds {
		if name := articles[kind]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
