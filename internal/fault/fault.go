// Package fault says what is wrong about an application before it serves: each [Fault]
// is one mistake and the place where it stands. Code that reads files or registrations
// adds faults and goes on, and [Join] puts all of them into one report in a fixed order.
// [Suggest] is for the end of a fault: "did you mean".
package fault

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
)

// A Fault is one mistake of an application. Its text says where, what, and what
// would be right.
type Fault struct {
	File    string // what the report is sorted by
	Line    int    // 0 for a name of the route directory
	Text    string
	Warning bool // it is worth knowing, and no reason not to serve
}

// Error is the text of the fault.
func (f Fault) Error() string { return f.Text }

// In returns a fault of a file of the route directory.
func In(file, format string, args ...any) Fault {
	return Fault{File: file, Text: file + ": " + fmt.Sprintf(format, args...)}
}

// InLine returns a fault of a line of a template.
func InLine(file string, line int, format string, args ...any) Fault {
	return Fault{File: file, Line: line, Text: fmt.Sprintf("%s:%d: %s", file, line, fmt.Sprintf(format, args...))}
}

// At returns a fault of a line of Go code.
func At(pos Position, format string, args ...any) Fault {
	return Fault{File: path.Join(DisplayDir(pos.Dir()), path.Base(pos.File)), Line: pos.Line, Text: pos.String() + ": " + fmt.Sprintf(format, args...)}
}

// Warn returns a fault that is only a warning, of a line of a template, or of a whole file
// if line is 0.
func Warn(file string, line int, format string, args ...any) Fault {
	where := file
	if line > 0 {
		where += ":" + strconv.Itoa(line)
	}
	return Fault{file, line, where + ": warning: " + fmt.Sprintf(format, args...), true}
}

// Join returns all faults that are no warnings as one error, one per line, in a fixed
// order: by file, line and text. It returns nil if there is none.
func Join(faults []Fault) error { return join(faults, false) }

// Of returns the faults of an error that Join has made.
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

// Warnings returns the warnings as Join returns the others.
func Warnings(faults []Fault) error { return join(faults, true) }

func join(faults []Fault, warnings bool) error {
	sorted := slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return f.Warning != warnings })
	slices.SortFunc(sorted, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	sorted = slices.Compact(sorted)
	errs := make([]error, len(sorted))
	for i, f := range sorted {
		errs[i] = f
	}
	return errors.Join(errs...)
}
