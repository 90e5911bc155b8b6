package manifest

import (
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/check/links"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site"
)

// answerTo returns what answers a request in the new version that a Route answered in the old one. ok is
// false if that is not known.
func (c *comparison) answerTo(method, url, route string) (a *site.Route, ok bool) {
	answers, _ := c.now.Answers(c.host, method, url)
	if i := slices.IndexFunc(answers, func(a *site.Route) bool { return urlOf(a) == route }); i >= 0 {
		return answers[i], true
	}
	if len(answers) != 1 {
		return nil, false
	}
	return answers[0], true
}

// newlyRequired reports the fields that the handler of a Route requires now, if no form of the old
// version is known that is sent to it, nor one that has the field and an unknown URL. What other programs
// send is what the old handler has required.
func (c *comparison) newlyRequired(r Route, segments []pattern.Segment) {
	if r.Fields == nil || r.Method == anyMethod || slices.ContainsFunc(c.links[request{r.Method, r.URL}], func(l Link) bool { return l.Form }) {
		return
	}
	a, ok := c.answerTo(r.Method, path(asked(segments)[0]), r.URL)
	if !ok {
		return
	}
	for _, name := range required(a) {
		if slices.ContainsFunc(c.old.Links, func(l Link) bool { return l.Form && l.Route == "" && slices.ContainsFunc(l.Fields, sends(name)) }) {
			continue
		}
		if !slices.ContainsFunc(r.Required, same(name)) && (rowOf(name) == "" || slices.ContainsFunc(r.Fields, leadsTo(name))) {
			c.warn(r.File, "%s %s: this version requires %q, by %s: do without it as long as pages or clients of before are there", r.Method, r.Pattern, name, a.Handler)
		}
	}
}

// form reports what the new handler cannot do with the fields of an old form.
func (c *comparison) form(l Link) {
	if !l.Form || l.Method == "" || l.URL == "" {
		return
	}
	a, ok := c.answerTo(l.Method, holes(l.URL), l.Route)
	if !ok {
		return
	}
	old, _ := c.routeOf(l.Method, l.Route)
	sending := c.sending[request{l.Method, urlOf(a)}]
	in, gone, came := inputs.FormInputOf(a, l.Method), "", ""
	if in != nil {
		gone, came = renamed(l.Fields, sending, old, in)
	}
	for _, name := range required(a) {
		if gone != "" && same(came)(name) || slices.ContainsFunc(l.Fields, sends(name)) || slices.ContainsFunc(old.Required, same(name)) || rowOf(name) != "" && !slices.ContainsFunc(l.Fields, sendsRow(name)) {
			continue
		}
		// The names of some fields may not be known. So this wants evidence that the form has not had it.
		if wasUnread := old.Fields != nil && !slices.ContainsFunc(old.Fields, leadsTo(name)); wasUnread || slices.ContainsFunc(sending, sends(name)) {
			c.warn(l.File, "the form for %s %s does not send %q, which this version requires, by %s: do without it as long as pages or clients of before are there", l.Method, l.URL, name, a.Handler)
		}
	}
	if in == nil {
		return
	}
	if gone != "" {
		c.warn(l.File, "the form for %s %s sends %q, of which this version reads nothing, and %q in its place, by %s: read both as long as pages or clients of before are there", l.Method, l.URL, gone, came, a.Handler)
	}
	for i, f := range l.Fields {
		of := links.Field{Name: holes(f.Name), Type: f.Type, Value: f.Value, Lists: f.Lists}
		if why := unreadable(in, of, l.Method); why != "" && !slices.ContainsFunc(l.Fields[:i], sends(f.Name)) {
			c.warn(l.File, "the form for %s %s sends %q, which this version cannot read, by %s: %s", l.Method, l.URL, f.Name, a.Handler, why)
		}
	}
}

// unreadable says why a handler cannot read what a field of a form sends, or returns "".
func unreadable(in *inputs.FormInput, f links.Field, method string) string {
	switch isFile := f.Type == "file" && method != http.MethodGet; {
	case !in.Has(f.Name):
		return ""
	case isFile && !in.File(f.Name):
		return "it is a file, and this version reads a text"
	case !isFile && in.File(f.Name) && f.Type != "hidden":
		return "it is a text, and this version reads a file"
	}
	return in.Misfit(f.Name, f.Type, f.Value, f.Lists)
}

// renamed returns the one field of an old form that the old handler has read and the new one does not,
// and the one that the new form and the new handler have in its place. Otherwise it returns "".
func renamed(before, now []Field, old Route, in *inputs.FormInput) (gone, came string) {
	names := func(fields []Field, matter func(name string) bool) (names []string) {
		for _, f := range fields {
			if !slices.ContainsFunc(names, same(f.Name)) && matter(f.Name) {
				names = append(names, f.Name)
			}
		}
		return names
	}
	wasRead := func(name string) bool { return slices.ContainsFunc(old.Fields, leadsTo(name)) }
	left := names(before, func(name string) bool {
		return wasRead(name) && !in.Has(holes(name)) && !slices.ContainsFunc(now, sends(name))
	})
	new := names(now, func(name string) bool {
		return !wasRead(name) && in.Has(holes(name)) && !slices.ContainsFunc(before, sends(name))
	})
	if len(left) != 1 || len(new) != 1 {
		return "", ""
	}
	return left[0], new[0]
}

// firstRow returns the name of a field with 0 for the number of each row, which may be a hole.
func firstRow(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if part == "{}" || part != "" && strings.Trim(part, "0123456789") == "" {
			parts[i] = "0"
		}
	}
	return strings.Join(parts, ".")
}

// same returns a function that reports whether a name is of the same field. Go fields without a tag are
// filled by their names in any case.
func same(name string) func(other string) bool {
	return func(other string) bool { return strings.EqualFold(firstRow(name), firstRow(other)) }
}

func sends(name string) func(Field) bool {
	is := same(name)
	return func(f Field) bool { return is(f.Name) }
}

// leadsTo returns a function that reports whether a field is the one of a name, or a struct around it.
func leadsTo(name string) func(outer string) bool {
	return func(outer string) bool {
		return strings.EqualFold(outer, name) || len(name) > len(outer) && name[len(outer)] == '.' && strings.EqualFold(outer, name[:len(outer)])
	}
}

// rowOf returns the row that a name of Route.Required is in, such as "items.0.". It is "" if it is in none.
func rowOf(name string) string {
	i := strings.LastIndex(name, ".0.")
	if i < 0 {
		return ""
	}
	return name[:i+len(".0.")]
}

// sendsRow returns a function that reports whether a field is in the row of a name.
func sendsRow(name string) func(Field) bool {
	row := strings.ToLower(rowOf(name))
	return func(f Field) bool { return strings.HasPrefix(strings.ToLower(firstRow(f.Name)), row) }
}
