package document

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
)

// methods are those that OpenAPI has words for and that an application answers itself, in order.
var methods = []string{"GET", "PUT", "POST", "DELETE", "PATCH", "TRACE"}

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
		for _, of := range p.Tree.Patterns {
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
		tags = append(tags, o.Tags...)
	}
	slices.Sort(tags)
	for _, tag := range slices.Compact(tags) {
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
	name := func(p *place) string { return cmp.Or(p.Name, strings.ReplaceAll(p.Tree.Path, "/", ".")) }
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

// tag returns the first directory or file of an operation below that of the document, without parameters
// and groups, or "".
func (m *maker) tag(o *part) string {
	dir := path.Dir("/" + m.of.Tree.Path)
	below := strings.TrimPrefix(strings.TrimPrefix("/"+o.Tree.Path, dir), "/")
	for part := range strings.SplitSeq(below, "/") {
		if part != "api" && part != "index" && !strings.ContainsAny(part, "[]()") {
			return part
		}
	}
	return ""
}
