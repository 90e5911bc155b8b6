// Package fault reports the mistakes of an application that are found before it serves. A
// [Fault] is one mistake with its file and line. Code that reads files or registrations adds
// a fault and goes on:
//
//	faults = append(faults, fault.In("router/[id.html", "a parameter fills a whole segment"))
//
// [Join] makes all of them one error in a fixed order, which Check returns. [Suggest] writes
// the end of a fault about a misspelt name: "did you mean".
package fault

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
)

// A Fault is one mistake of an application.
type Fault struct {
	File    string // as messages name it; a report is sorted by it
	Line    int    // from 1; 0 for a fault of the whole file, such as its name
	Column  int    // in bytes, from 1; 0 if it is not known
	Text    string // file and line, the mistake, and what would be right
	Warning bool   // the application may serve; only the command check prints it
}

// Error returns the text of the fault.
func (f Fault) Error() string { return f.Text }

// In returns a fault of a file as a whole.
func In(file, format string, args ...any) Fault {
	return Fault{File: file, Text: file + ": " + fmt.Sprintf(format, args...)}
}

// InLine returns a fault of a line of a template.
func InLine(file string, line int, format string, args ...any) Fault {
	return Fault{File: file, Line: line, Text: fmt.Sprintf("%s:%d: %s", file, line, fmt.Sprintf(format, args...))}
}

// InColumn returns a fault of a column of a line of a template: of the line if column is 0, and of the
// whole file if line is 0.
func InColumn(file string, line, column int, format string, args ...any) Fault {
	switch {
	case line <= 0:
		return In(file, format, args...)
	case column <= 0:
		return InLine(file, line, format, args...)
	}
	return Fault{File: file, Line: line, Column: column, Text: fmt.Sprintf("%s:%d:%d: %s", file, line, column, fmt.Sprintf(format, args...))}
}

// At returns a fault of a position in Go code.
func At(pos Position, format string, args ...any) Fault {
	return Fault{File: path.Join(DisplayDir(pos.Dir()), path.Base(pos.File)), Line: pos.Line, Text: pos.String() + ": " + fmt.Sprintf(format, args...)}
}

// Warn returns a warning for a line of a template, or for a whole file if line is 0.
func Warn(file string, line int, format string, args ...any) Fault {
	return WarnColumn(file, line, 0, format, args...)
}

// WarnColumn returns a warning where InColumn returns a fault.
func WarnColumn(file string, line, column int, format string, args ...any) Fault {
	f := InColumn(file, line, column, "warning: "+format, args...)
	f.Warning = true
	return f
}

// WarnAt returns a warning for a position in Go code.
func WarnAt(pos Position, format string, args ...any) Fault {
	f := At(pos, "warning: "+format, args...)
	f.Warning = true
	return f
}

// Join returns the faults without the warnings as one error, one on each line, sorted by file,
// line, column and text. It returns nil if there are none.
func Join(faults []Fault) error { return join(faults, false) }

// Of returns the faults of an error of Join.
func Of(err error) (faults []Fault) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			if f, ok := err.(Fault); ok {
				faults = append(faults, f)
			}
		}
	}
	return faults
}

// Warnings is Join for the warnings.
func Warnings(faults []Fault) error { return join(faults, true) }

func join(faults []Fault, warnings bool) error {
	sorted := slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return f.Warning != warnings })
	slices.SortFunc(sorted, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Text, b.Text))
	})
	sorted = slices.Compact(sorted)
	errs := make([]error, len(sorted))
	for i, f := range sorted {
		errs[i] = f
	}
	return errors.Join(errs...)
}
