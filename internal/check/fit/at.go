package fit

import (
	"fmt"
	"strings"

	"example.com/flow/internal/check/schema"
	"example.com/flow/internal/fault"
)

// At returns the schemas that the value at a place may have, for an expectation. The parts of a place
// are keys and indexes, as "[0]"; "length" is also that of a text or of a list. Without any schema,
// nothing is said of the value, unless wrong says what of the place cannot be: `nmae: is no field: did
// you mean "name"?`.
func At(s *schema.Schema, place []string) (found []*schema.Schema, wrong string) {
	found = branches(s, nil)
	path := ""
	for _, part := range place {
		if len(found) == 0 {
			return nil, ""
		}
		outer := path
		if strings.HasPrefix(part, "[") {
			path += part
		} else {
			path = inside(path, part)
		}
		var next []*schema.Schema
		names, known := map[string]bool{}, false
		for _, branch := range found {
			at, open := step(branch, part, names)
			if open {
				return nil, ""
			}
			if at != nil {
				known, next = true, branches(at, next)
			}
		}
		switch {
		case known && hasAny(next):
			return nil, ""
		case known:
		case len(names) > 0:
			return nil, fmt.Sprintf("%s: is no field%s", path, fault.Suggest(part, names, ""))
		case strings.HasPrefix(part, "["):
			return nil, fmt.Sprintf("%s: is no list, but %s", nameAt(outer), KindNames(Kinds(found)))
		default:
			return nil, fmt.Sprintf("%s: is no object, but %s", nameAt(outer), KindNames(Kinds(found)))
		}
		found = next
	}
	if hasAny(found) {
		return nil, ""
	}
	return found, ""
}

func nameAt(path string) string {
	if path == "" {
		return "the body"
	}
	return path
}

// Kinds returns the kinds of JSON that the value at a place may have, or none if it may have each.
func Kinds(found []*schema.Schema) (kinds schema.Types) {
	for _, s := range found {
		if len(s.Type) == 0 {
			return nil
		}
		kinds = append(kinds, s.Type...)
	}
	return kinds
}

func hasAny(found []*schema.Schema) bool {
	for _, s := range found {
		if s.IsAny() {
			return true
		}
	}
	return false
}

// branches adds the schemas of which a value has to fit one.
func branches(s *schema.Schema, found []*schema.Schema) []*schema.Schema {
	s = s.Resolve()
	parts := append(append([]*schema.Schema(nil), s.AnyOf...), s.OneOf...)
	if len(parts) == 0 {
		return append(found, s)
	}
	if len(s.Properties) > 0 {
		found = append(found, s)
	}
	for _, part := range parts {
		found = branches(part, found)
	}
	return found
}

// step goes to a key or an item. names gets the keys that are there. open says that any may be there.
func step(s *schema.Schema, part string, names map[string]bool) (at *schema.Schema, open bool) {
	isIndex := strings.HasPrefix(part, "[")
	switch {
	case len(s.Type) == 0 && len(s.Properties) == 0, len(s.AllOf) > 0:
		return nil, true
	case part == "length" && (s.Type.Allows("string") || s.Type.Allows("array")) && s.Properties.Find(part) == nil:
		return &schema.Schema{Type: schema.Types{"integer"}}, false
	case isIndex && s.Type.Allows("array"):
		if s.Items == nil {
			return nil, true
		}
		return s.Items, false
	case isIndex || !s.Type.Allows("object"):
		return nil, false
	}
	for _, p := range s.Properties {
		if p.Name == part {
			return p.Schema, false
		}
		names[p.Name] = true
	}
	if s.Values != nil {
		return s.Values, false
	}
	return nil, len(s.Properties) == 0 || !isClosed(s)
}
