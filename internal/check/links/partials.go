package links

import (
	"fmt"
	"slices"
	"strings"
)

// A part is what a template has for a form around its call.
type part struct {
	source *Source
	*Form       // what stands outside of the forms of the template
	always bool // no condition is around the call
}

// parts adds what a call gives to the form around it to others: what the template has, and those that it
// calls. from is the file with the call.
func (c *checker) parts(to []part, from *Source, call templateCall, always bool, seen map[string]bool) []part {
	if !call.text || seen[call.to] || c.inTags[call.to] {
		return to
	}
	seen[call.to] = true
	for _, s := range c.meant(from, call.to) {
		outer := s.Links.outside(call.to)
		to = append(to, part{s, outer, always})
		for _, inner := range s.Links.calls {
			if slices.Contains(inner.forms, outer) {
				to = c.parts(to, s, inner, always && inner.always, seen)
			}
		}
	}
	return to
}

// meant returns the files whose template of a name a call in a file may mean: its own, and those of the
// pages that are made with the file.
func (c *checker) meant(from *Source, name string) (all []*Source) {
	having := c.having[name]
	if len(having) == 1 {
		return having
	}
	for _, s := range having {
		if s == from || s.With != nil && s.With(from.File) {
			all = append(all, s)
		}
	}
	return all
}

// having returns the files that have a template, by its name.
func having(sources []Source) map[string][]*Source {
	all := map[string][]*Source{}
	for i := range sources {
		for _, outer := range sources[i].Links.outer {
			all[outer.in] = append(all[outer.in], &sources[i])
		}
	}
	return all
}

// whole returns a form of the source with what the templates that it calls say about it, and the fields
// that it has from them.
func (c *checker) whole(f *Form) (whole *Form, fields []Field) {
	var parts []part
	for _, call := range c.source.Links.calls {
		if slices.Contains(call.forms, f) {
			parts = c.parts(parts, c.source, call, true, map[string]bool{})
		}
	}
	if len(parts) == 0 {
		return f, nil
	}
	with := *f
	for _, p := range parts {
		with.own, with.Multipart = with.own && p.own, with.Multipart || p.Multipart
		if p.Method == "" {
			with.Method, with.plain = "", ""
		}
		fields = c.resolve(fields, p.Fields)
	}
	return &with, fields
}

// calls asks what is wrong about what the forms of the source have from the templates that they call. all
// are the forms whose method is known.
func (c *checker) calls(all []filled) {
	for _, call := range c.source.Links.calls {
		isForm := func(f *Form) bool { return f != nil && f != dialog && f.Method != anyMethod }
		if !slices.ContainsFunc(call.forms, isForm) {
			continue
		}
		var forms []filled // more than one, if that depends on a condition
		for _, form := range call.forms {
			if i := slices.IndexFunc(all, func(f filled) bool { return f.written == form }); i >= 0 {
				f := all[i]
				line, _ := c.source.At(f.Offset)
				f.whose = fmt.Sprintf(", for the form in %s:%d,", c.source.File, line)
				forms = append(forms, f)
			}
		}
		if len(forms) < len(call.forms) {
			forms = nil
		}
		for _, p := range c.parts(nil, c.source, call, call.always, map[string]bool{}) {
			for _, written := range p.Fields {
				for _, field := range c.resolve(nil, []Field{written}) {
					c.judge(calledField{p.source, field, ""}, field.Offset, p.always && written.always, forms, func(f filled) string {
						why := f.wrong(field)
						if strings.HasPrefix(why, sendsFiles) && f.withoutFiles() != "" { // that is told at the form
							return ""
						}
						return why
					})
				}
			}
			for _, field := range p.unnamed {
				c.judge(calledField{p.source, field, "name"}, field.Offset, p.always, forms, func(f filled) string { return f.namesNothing(field) })
			}
			for _, l := range p.limits {
				c.judge(calledField{p.source, l.Field, l.attr.Name}, l.attr.Offset, p.always, forms, func(f filled) string { return f.differs(l) })
			}
		}
	}
}

// A calledField is a field of a template that forms call, or an attribute of the field.
type calledField struct {
	source *Source
	Field
	attr string
}

// A verdict is what forms find wrong about a field of a template that they call. The template may be called
// in several forms, with other handlers.
type verdict struct {
	calledField
	offset int
	fits   bool      // a form finds nothing wrong, or may
	wrong  []finding // that differ
}

// A finding is what is wrong for a form.
type finding struct {
	why    string
	inForm string // the same, with the form
	always bool   // it is so whatever the conditions are
}

// judge adds to the verdict about a field what forms find, one of which is around the call. forms is nil if
// that is not known.
func (c *checker) judge(what calledField, offset int, always bool, forms []filled, wrong func(filled) string) {
	v := c.verdicts[what]
	if v == nil {
		v = &verdict{calledField: what, offset: offset}
		c.verdicts[what] = v
		c.inOrder = append(c.inOrder, v)
	}
	if len(forms) == 0 || slices.ContainsFunc(forms, func(f filled) bool { return wrong(f) == "" }) {
		v.fits = true
		return
	}
	plain := forms[0]
	plain.whose = ""
	found := finding{why: wrong(plain), inForm: wrong(forms[0]), always: always}
	if i := slices.IndexFunc(v.wrong, func(f finding) bool { return f.why == found.why }); i < 0 {
		v.wrong = append(v.wrong, found)
	} else if always && !v.wrong[i].always {
		v.wrong[i] = found
	}
}

// reportVerdicts reports each finding once. Behind a condition, a field may be meant for one of several
// forms, so that it is right if it fits one of them.
func (c *checker) reportVerdicts() {
	for _, v := range c.inOrder {
		c.source = v.source
		for _, f := range v.wrong {
			if f.always || !v.fits {
				c.warn(v.offset, "%s", f.inForm)
			}
		}
	}
}
