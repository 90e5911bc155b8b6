package links

import (
	"fmt"
	"slices"
	"strings"

	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/site"
)

// A filled is a form with its URL, and with what its handler reads, which is nil if that is not
// known.
type filled struct {
	*Form
	written *Form // without what templates that it calls say about it
	url     string
	fields  []Field // with the names of those that the Form has constants for
	called  []Field // those of the templates that it calls
	whose   string  // for messages: which form it is, if they are about another file
	*inputs.FormInput
}

// inputOf returns what reads a form that leads to a destination, or nil if that is not known.
func inputOf(d site.Destination, method string) *inputs.FormInput {
	if len(d.Routes) != 1 {
		return nil
	}
	return inputs.FormInputOf(d.Routes[0], method)
}

// isOnly reports whether the form has no other field of the name, as one that is sent instead.
func (f filled) isOnly(field Field) bool {
	isOther := func(other Field) bool { return other.Name == field.Name && other.Offset != field.Offset }
	return !slices.ContainsFunc(f.fields, isOther) && !slices.ContainsFunc(f.called, isOther)
}

// forms checks the forms of the source.
func (c *checker) forms() {
	var all []filled
	for _, f := range c.source.Links.Forms {
		if c.inTags[f.in] {
			continue
		}
		whole, called := c.whole(f)
		if t, url := c.form(whole); whole.Method != "" {
			all = append(all, filled{Form: whole, written: f, url: url, fields: c.resolve(nil, f.Fields), called: called, FormInput: inputOf(t, whole.Method)})
			c.unsaid(all[len(all)-1])
		}
	}
	warned, warnedForms := map[Field]bool{}, map[int]bool{}
	for _, f := range all {
		for _, field := range f.fields {
			if warned[field] {
				continue
			}
			warned[field] = true
			fits := func(f filled) bool { return slices.Contains(f.fields, field) && f.wrong(field) == "" }
			if why := f.wrong(field); why != "" && !slices.ContainsFunc(all, fits) { // behind {{if}}, a field may be in one of several forms
				c.warn(field.Offset, "%s", why)
			}
		}
		fits := func(other filled) bool { return other.Offset == f.Offset && other.withoutFiles() == "" }
		if why := f.withoutFiles(); why != "" && !warnedForms[f.Offset] && !slices.ContainsFunc(all, fits) {
			warnedForms[f.Offset] = true
			c.warn(f.Offset, "<form>: %s", why)
		}
	}
	for _, f := range all {
		for _, field := range f.unnamed {
			if why := f.namesNothing(field); why != "" {
				c.warn(field.Offset, "%s", why)
			}
		}
		for _, l := range f.limits {
			if why := f.differs(l); why != "" {
				c.warn(l.attr.Offset, "%s", why)
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
	if !f.Form.unsaid || f.Method != "GET" || f.FormInput != nil || !f.Multipart && !slices.ContainsFunc(f.Fields, isNamed) {
		return
	}
	post := inputOf(c.find("POST", f.url), "POST")
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
func (f filled) takesFile(field Field) bool { return f.FormInput != nil && f.File(field.Name) }

// wrong returns what is wrong about a field of a form, or "". A form of GET sends the name of a
// file, which may be meant.
func (f filled) wrong(field Field) string {
	isFile := field.Type == "file" && f.Method != "GET"
	switch {
	case f.Method == "GET" && f.takesFile(field):
		return sendsFiles + ` and method="post"` + strings.TrimSuffix(f.whose, ",")
	case f.Method != "GET" && !f.Multipart && (isFile || f.takesFile(field)):
		return sendsFiles + strings.TrimSuffix(f.whose, ",")
	case f.FormInput == nil:
	case isFile && f.Has(field.Name) && !f.takesFile(field):
		return fmt.Sprintf("%s reads %q as text: give its field the type *multipart.FileHeader", f.handler(), shown(field.Name))
	case isFile && len(f.Files()) == 0: // it may call FormFile
	case f.takesFile(field) && !isFile && field.Type != "hidden":
		return fmt.Sprintf(`%s reads %q as a file: write type="file"`, f.handler(), shown(field.Name))
	case field.Type == "checkbox" && f.isOnly(field) && f.IsAlwaysTrue(field.Name):
		return fmt.Sprintf("the checkbox %q cannot be unticked%s: browsers send nothing for it then, and Default of the handler's input sets it: set it in the handler for GET", shown(field.Name), strings.TrimSuffix(f.whose, ","))
	case f.Has(field.Name):
		if misfit := f.Misfit(field.Name, field.Type, field.Value, field.Lists); misfit != "" {
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

// namesNothing returns what is wrong about an input without a name, or "".
func (f filled) namesNothing(field Field) string {
	if f.FormInput == nil || !f.Has(field.Name) || !f.isOnly(field) {
		return ""
	}
	return fmt.Sprintf("%s reads %q, and browsers send nothing of an element without a name: write name=%[2]q", f.handler(), field.Name)
}

// differs returns how a limit differs from what the handler says, or "".
func (f filled) differs(l limit) string {
	if f.FormInput != nil {
		if differs := f.Limit(l.Name, l.attr.Name, l.attr.Value); differs != "" {
			return l.attr.Name + ": " + differs + strings.TrimSuffix(f.whose, ",")
		}
	}
	return ""
}

// withoutFiles returns what is wrong about a form that cannot send the files which its handler
// reads, or "". The field for a file may be in a partial. If the form itself has one, wrong tells.
func (f filled) withoutFiles() string {
	if f.FormInput == nil || f.Multipart || f.Method == "GET" {
		return ""
	}
	files := f.Files()
	if len(files) == 0 || slices.ContainsFunc(f.fields, func(field Field) bool { return field.Type == "file" || f.takesFile(field) }) {
		return ""
	}
	return fmt.Sprintf("%s reads %q as a file, and %s", f.handler(), files[0], sendsFiles)
}
