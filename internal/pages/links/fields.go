package links

import (
	"fmt"
	"slices"
	"strings"
)

// A filled is a form with its URL, and with what its handler reads, which is nil if that is not
// known.
type filled struct {
	*Form
	url    string
	fields []Field // with the names of those that the Form has constants for
	whose  string  // for messages: which form it is, if they are about another file
	Input
}

// isOnly reports whether the form has no other field of the name, as one that is sent instead.
func (f filled) isOnly(field Field) bool {
	return !slices.ContainsFunc(f.fields, func(other Field) bool { return other.Name == field.Name && other.Offset != field.Offset })
}

// forms checks the forms of the source.
func (c *checker) forms() {
	var all []filled
	for _, f := range c.source.Links.Forms {
		if c.inTags[f.in] {
			continue
		}
		if t, url := c.form(f); f.Method != "" {
			all = append(all, filled{Form: f, url: url, fields: c.resolve(nil, f.Fields), Input: t.Input})
			c.unsaid(all[len(all)-1])
		}
	}
	told, toldForms := map[Field]bool{}, map[int]bool{}
	for _, f := range all {
		for _, field := range f.fields {
			if told[field] {
				continue
			}
			told[field] = true
			fits := func(f filled) bool { return slices.Contains(f.fields, field) && f.wrong(field) == "" }
			if why := f.wrong(field); why != "" && !slices.ContainsFunc(all, fits) { // behind {{if}}, a field may be in one of several forms
				c.warn(field.Offset, "%s", why)
			}
		}
		fits := func(other filled) bool { return other.Offset == f.Offset && other.withoutFiles() == "" }
		if why := f.withoutFiles(); why != "" && !toldForms[f.Offset] && !slices.ContainsFunc(all, fits) {
			toldForms[f.Offset] = true
			c.warn(f.Offset, "<form>: %s", why)
		}
	}
	for _, f := range all {
		if f.Input == nil {
			continue
		}
		for _, field := range f.unnamed {
			if f.Has(field.Name) && f.isOnly(field) {
				c.warn(field.Offset, "%s reads %q, and browsers send nothing of an element without a name: write name=%[2]q", f.handler(), field.Name)
			}
		}
		for _, l := range f.limits {
			if differs := f.Limit(l.Name, l.attr.Name, l.attr.Value); differs != "" {
				c.warn(l.attr.Offset, "%s: %s", l.attr.Name, differs)
			}
		}
	}
	c.calls(all)
}

// unsaid warns of a form that is sent with GET since it has no method, where only the handler for POST
// reads its fields. A form that searches has no enctype, and no fields of a Form that its handler does
// not read.
func (c *checker) unsaid(f filled) {
	isNamed := func(field Field) bool { return field.at != nil && len(c.named[field.at]) > 0 }
	if !f.Form.unsaid || f.Method != "GET" || f.Input != nil || !f.Multipart && !slices.ContainsFunc(f.Fields, isNamed) {
		return
	}
	post := c.find("POST", f.url).Input
	if post != nil && len(f.fields) > 0 && !slices.ContainsFunc(f.fields, func(field Field) bool { return !post.Has(field.Name) }) {
		c.warn(f.Offset, `<form>: it has no method, so that browsers send GET, and the handler of POST %s reads its fields: write method="post"`, shown(f.url))
	}
}

// resolve adds fields to others. A constant stands for the fields that it names.
func (c *checker) resolve(to, fields []Field) []Field {
	for _, f := range fields {
		if f.at == nil {
			to = append(to, f)
		} else {
			to = append(to, c.named[f.at]...)
		}
	}
	return to
}

// sendsFiles ends the messages about forms that would send the names of files.
const sendsFiles = `a form sends files only with enctype="multipart/form-data"`

// handler returns how messages call the handler of a form.
func (f filled) handler() string { return "the handler of " + f.Method + " " + shown(f.url) + f.whose }

// takesFile reports whether the handler reads a field as a file.
func (f filled) takesFile(field Field) bool { return f.Input != nil && f.File(field.Name) }

// wrong returns what is wrong about a field of a form, or "". A form of GET sends the name of a
// file, which may be meant.
func (f filled) wrong(field Field) string {
	isFile := field.Type == "file" && f.Method != "GET"
	switch {
	case f.Method == "GET" && f.takesFile(field):
		return sendsFiles + ` and method="post"` + strings.TrimSuffix(f.whose, ",")
	case f.Method != "GET" && !f.Multipart && (isFile || f.takesFile(field)):
		return sendsFiles + strings.TrimSuffix(f.whose, ",")
	case f.Input == nil:
	case isFile && f.Has(field.Name) && !f.takesFile(field):
		return fmt.Sprintf("%s reads %q as text: give its field the type *multipart.FileHeader", f.handler(), shown(field.Name))
	case isFile && len(f.Files()) == 0: // it may call FormFile
	case f.takesFile(field) && !isFile && field.Type != "hidden":
		return fmt.Sprintf(`%s reads %q as a file: write type="file"`, f.handler(), shown(field.Name))
	case field.Type == "checkbox" && f.isOnly(field) && f.IsAlwaysTrue(field.Name):
		return fmt.Sprintf("the checkbox %q cannot be unticked%s: browsers send nothing for it then, and Default of the handler's input sets it: set it in the handler for GET", shown(field.Name), strings.TrimSuffix(f.whose, ","))
	case f.Has(field.Name):
		if misfit := f.Misfit(field); misfit != "" {
			return fmt.Sprintf("%s cannot read %q of this element: %s", f.handler(), shown(field.Name), misfit)
		}
	case field.Type == "file" && f.Method == "GET":
	default:
		if near := f.Suggest(field.Name); near != "" || field.Type != "hidden" { // a hidden field may be for middleware
			return fmt.Sprintf("%s reads no field %q%s", f.handler(), shown(field.Name), shown(near))
		}
	}
	return ""
}

// withoutFiles returns what is wrong about a form that cannot send the files which its handler
// reads, or "". The field for a file may be in a partial. If the form itself has one, wrong tells.
func (f filled) withoutFiles() string {
	if f.Input == nil || f.Multipart || f.Method == "GET" {
		return ""
	}
	files := f.Files()
	if len(files) == 0 || slices.ContainsFunc(f.fields, func(field Field) bool { return field.Type == "file" || f.takesFile(field) }) {
		return ""
	}
	return fmt.Sprintf("%s reads %q as a file, and %s", f.handler(), files[0], sendsFiles)
}

// calls checks the fields that forms of the source have from the templates that they call. Only
// what is always there counts: behind a condition, a field may be for one of several forms.
func (c *checker) calls(all []filled) {
	page := c.source
	defer func() { c.source = page }()
	for _, call := range page.Links.calls {
		var forms []filled // more than one, if that depends on a condition
		for _, form := range call.forms {
			if i := slices.IndexFunc(all, func(f filled) bool { return f.Form == form }); i >= 0 && call.text && call.always {
				forms = append(forms, all[i])
			}
		}
		if len(forms) == len(call.forms) {
			c.called(page, forms, call.to)
		}
	}
}

// called checks the fields of a template that a form of a page calls.
func (c *checker) called(page *Source, forms []filled, name string) {
	reached := c.reach(nil, page, name, map[string]bool{})
	if slices.ContainsFunc(reached, func(r reachedField) bool { return r.Name == methodField }) {
		return
	}
	line, _ := page.position(forms[0].Offset)
	forms = slices.Clone(forms)
	for i := range forms {
		forms[i].whose = fmt.Sprintf(", for the form in %s:%d,", page.File, line)
	}
	for _, r := range reached {
		why := forms[0].wrong(r.Field)
		if why == "" || slices.ContainsFunc(forms, func(f filled) bool { return f.wrong(r.Field) == "" }) {
			continue
		}
		if strings.HasPrefix(why, sendsFiles) && forms[0].withoutFiles() != "" { // that is told at the form
			continue
		}
		c.source = r.source
		c.warn(r.Offset, "%s", why)
	}
}

// A reachedField is a field of a template that is called, with its file.
type reachedField struct {
	source *Source
	Field
}

// reach adds the fields of a template, and of those that it calls, to others. from is the file
// that calls it.
func (c *checker) reach(to []reachedField, from *Source, name string, seen map[string]bool) []reachedField {
	s := from
	switch having := c.having[name]; {
	case seen[name] || c.inTags[name]:
		return to
	case slices.Contains(having, from):
	case len(having) == 1:
		s = having[0]
	default: // a page decides which of them it is
		return to
	}
	seen[name] = true
	for _, f := range s.Links.loose {
		if f.in == name {
			for _, f := range c.resolve(nil, []Field{f.Field}) {
				to = append(to, reachedField{s, f})
			}
		}
	}
	for _, call := range s.Links.calls {
		if call.from == name && slices.Equal(call.forms, noForm) && call.text && call.always {
			to = c.reach(to, s, call.to, seen)
		}
	}
	return to
}

// having returns the files that have something of a template for the forms that call it.
func having(sources []Source) map[string][]*Source {
	all := map[string][]*Source{}
	for i := range sources {
		s := &sources[i]
		note := func(name string) {
			if !slices.Contains(all[name], s) {
				all[name] = append(all[name], s)
			}
		}
		for _, f := range s.Links.loose {
			note(f.in)
		}
		for _, call := range s.Links.calls {
			note(call.from)
		}
	}
	return all
}
