package templates

import (
	"maps"
	"path"
	"reflect"
	"slices"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// findData finds the files that the types of the host are for, and reports what is not there.
func (l *library) findData() {
	l.data = map[*File][]Data{}
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
			if d.Block != "" && !f.Broken && f.trees[d.Block] == nil {
				l.faults = append(l.faults, fault.At(d.Where, "%s has no {{define}} or {{block}} that is called %q%s", f.File, d.Block, fault.Suggest(d.Block, f.trees, "")))
				continue
			}
			l.data[f] = append(l.data[f], d)
		}
	}
	for name, f := range l.files {
		if path.Base(name) == ErrorName && l.ErrorData != nil {
			l.data[f] = append(l.data[f], Data{Type: l.ErrorData})
		}
	}
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
	for _, d := range v.Data {
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
