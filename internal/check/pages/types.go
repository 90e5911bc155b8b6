package pages

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"text/template/parse"

	"example.com/flow/internal/check/typecheck"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/templates"
)

// CheckFile returns what cannot work in the templates of a file whatever their data are, such as
// {{request.Inptu "q"}}: see templates.Host.
func CheckFile(trees map[string]*parse.Tree, funcs map[string]reflect.Type) (faults []fault.Fault) {
	check, wrong := typecheck.Set{Trees: trees, Funcs: funcs}, map[string][]typecheck.Problem{}
	for name := range trees {
		if problems, _ := check.Check(name, nil); len(problems) > 0 {
			wrong[name] = problems
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		for _, p := range wrong[name] {
			if p.Template == name { // what it calls is checked by itself
				faults = append(faults, fault.Fault{File: p.File, Line: p.Line, Column: p.Column, Text: p.String()})
			}
		}
	}
	return faults
}

// types is what the check of types finds in a Set.
type types struct {
	problems []typecheck.Problem
	fields   []typecheck.Field // of forms
}

// typesOf checks the Set of a view with the types of its data.
func typesOf(m *templates.Made, check typecheck.Set, hasLists bool) (found types) {
	data := m.View.Data
	if len(data) == 0 && hasLists && (m.Set.Calls["page"] || m.Set.Calls["pages"]) {
		data = []templates.Data{{}} // it is not known, but the entries that partials get are
	}
	if len(data) == 0 {
		return types{}
	}
	check.Trees = m.Set.Templates()
	for _, d := range data {
		problems, fields := check.Check(cmp.Or(d.Block, m.Set.Outer), d.Type)
		found.problems, found.fields = append(found.problems, problems...), append(found.fields, fields...)
	}
	return found
}

// typesIn returns what the check of types finds in the Set of a view, by the name of that.
func (c *Checked) typesIn(name string) types {
	if m := c.Views.Parsed.Made[name]; m != nil {
		return c.typesOf.about(m.Set, func() types { return typesOf(m, c.check, c.Views.Entries() != nil) })
	}
	return types{}
}

// typeFaults returns the problems of all pages as faults: one in a layout or a partial once, with
// the pages that it concerns.
func (c *Checked) typeFaults() (faults []fault.Fault) {
	problems := map[string][]typecheck.Problem{}
	for name := range c.Views.Parsed.Made {
		problems[name] = c.typesIn(name).problems
	}
	for _, p := range typecheck.Merge(problems) {
		text := p.String()
		if page := c.Views.Parsed.Files[p.Pages[0]].File; len(p.Pages) > 1 || page != p.File {
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
