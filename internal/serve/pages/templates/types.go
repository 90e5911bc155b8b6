package templates

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"text/template/parse"

	"example.com/flow/internal/check/typecheck"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// findData finds the files that the types of the host are for, and reports what is not there.
func (l *library) findData() {
	l.data = map[*templateFile][]Data{}
	for _, name := range slices.Sorted(maps.Keys(l.Data)) {
		found := routetree.Find(l.files, name)
		for _, d := range l.Data[name] {
			switch {
			case len(found) == 0 && d.Where == (fault.Position{}): // the data of a format, and in development the page is gone
				continue
			case len(found) == 0:
				l.faults = append(l.faults, fault.At(d.Where, "no template is called %q%s", name, fault.Suggest(name, l.files, "")))
				continue
			case len(found) > 1:
				l.faults = append(l.faults, fault.At(d.Where, "%v", severalMeant(name, found)))
				continue
			}
			f := l.files[found[0]]
			if d.Block != "" && !f.broken && f.trees[d.Block] == nil {
				l.faults = append(l.faults, fault.At(d.Where, "%s has no {{define}} or {{block}} that is called %q%s", f.file, d.Block, fault.Suggest(d.Block, f.trees, "")))
				continue
			}
			l.data[f] = append(l.data[f], d)
		}
	}
	for name, f := range l.files {
		if path.Base(name) == errorName && l.ErrorData != nil {
			l.data[f] = append(l.data[f], Data{Type: l.ErrorData})
		}
	}
}

// checkAlone returns what cannot work in a file whatever its data are, such as
// {{request.Inptu "q"}}.
func (l *library) checkAlone(f *templateFile) (faults []fault.Fault) {
	check := typecheck.Set{Trees: f.trees, Funcs: l.types}
	for _, t := range f.sorted {
		problems, _ := check.Check(t.Name, nil)
		for _, p := range problems {
			if p.Template == t.Name { // what it calls is checked by itself
				faults = append(faults, fault.Fault{File: p.File, Line: p.Line, Column: p.Column, Text: p.String()})
			}
		}
	}
	return faults
}

// typecheck returns the check of types for a set.
func (h *functions) typecheck(s *set) typecheck.Set {
	check := typecheck.Set{Trees: map[string]*parse.Tree{}, Funcs: h.types, Method: h.Method}
	for name := range s.trees {
		check.Trees[name] = s.resolved(name)
	}
	return check
}

// checkTypes returns what cannot work in a set with the types of its data, and the fields of forms
// that the set speaks of.
func (l *library) checkTypes(s *set, data []Data) (problems []typecheck.Problem, fields []typecheck.Field) {
	if len(data) == 0 && l.Lists != nil && (s.calls["page"] || s.calls["pages"]) {
		data = []Data{{}} // it is not known, but the entries that partials get are
	}
	if len(data) == 0 {
		return nil, nil
	}
	check := l.typecheck(s)
	for _, d := range data {
		p, named := check.Check(cmp.Or(d.Block, s.outer), d.Type)
		problems, fields = append(problems, p...), append(fields, named...)
	}
	return problems, fields
}

// Misfit returns what the application has said of the data of a view, or of a block of it, if
// none of it fits the data that the view is rendered with: what the check of types has found
// right may fail then. It returns nil if something fits, or nothing was said.
//
// A pointer fits where its element was declared, since templates treat both alike. Nothing was
// said of a block that was not declared by itself: the page may give it other data than its own.
func (v *View) Misfit(block string, data any) (said []Data) {
	t := reflect.TypeOf(data)
	own := false
	for _, d := range v.data {
		switch {
		case d.Block != "" && d.Block != block:
			continue
		case d.Type == t, t != nil && t.Kind() == reflect.Pointer && t.Elem() == d.Type,
			d.Type.Kind() == reflect.Interface && (t == nil || t.Implements(d.Type)):
			return nil
		}
		own = own || d.Block == block
		said = append(said, d)
	}
	if !own {
		return nil
	}
	return said
}

// FirstMisfit reports whether it is called for the first time, so that the application logs one
// misfit of each view.
func (v *View) FirstMisfit() bool { return v.misfitLogged.CompareAndSwap(false, true) }

// File returns the file of the view, as messages name it.
func (v *View) File() string { return v.file }

// typeFaults returns the problems of all pages as faults: one in a layout or a partial once,
// with the pages that it concerns.
func (l *library) typeFaults(problems map[string][]typecheck.Problem) (faults []fault.Fault) {
	for _, p := range typecheck.Merge(problems) {
		text := p.String()
		if page := l.files[p.Pages[0]].file; len(p.Pages) > 1 || page != p.File {
			text += " (with the data of " + page
			if more := len(p.Pages) - 1; more > 0 {
				text += fmt.Sprintf(" and of %d more", more)
			}
			text += ")"
		}
		faults = append(faults, fault.Fault{File: p.File, Line: p.Line, Column: p.Column, Text: text})
	}
	return faults
}
