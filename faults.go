package flow

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
)

// A fault is one mistake of the application, found before it serves. Its text
// says where, what, and what would be right.
type fault struct {
	file string // what the report is sorted by
	line int    // 0 for a name of the route directory
	text string
}

func (f fault) Error() string { return f.text }

// faultIn returns a fault of a file of the route directory.
func faultIn(file, format string, args ...any) fault {
	return fault{file: file, text: file + ": " + fmt.Sprintf(format, args...)}
}

// faultInLine returns a fault of a line of a template.
func faultInLine(file string, line int, format string, args ...any) fault {
	return fault{file: file, line: line, text: fmt.Sprintf("%s:%d: %s", file, line, fmt.Sprintf(format, args...))}
}

// faultAt returns a fault of a line of Go code.
func faultAt(pos position, format string, args ...any) fault {
	return fault{file: pos.short(), line: pos.line, text: pos.String() + ": " + fmt.Sprintf(format, args...)}
}

// joinFaults returns all faults as one error, one per line, in a fixed order:
// by file, line and text. It returns nil if there is none.
func joinFaults(faults []fault) error {
	sorted := slices.Clone(faults)
	slices.SortFunc(sorted, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text))
	})
	sorted = slices.Compact(sorted)
	errs := make([]error, len(sorted))
	for i, f := range sorted {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// A position is a line of Go code, as the compiler recorded it: a path on disk,
// or an import path in a build with -trimpath. Slashes are forward everywhere.
type position struct {
	file string
	line int
}

// caller returns the position of the caller's caller, skip frames further up.
func caller(skip int) position {
	_, file, line, _ := runtime.Caller(skip + 2)
	return position{file, line}
}

// dir tells one application from another: it is the directory of the file.
func (p position) dir() string { return path.Dir(p.file) }

// short is the file with its directory, which reads the same in every build.
func (p position) short() string {
	return path.Join(path.Base(path.Dir(p.file)), path.Base(p.file))
}

func (p position) String() string {
	if p.line == 0 {
		return ""
	}
	return p.short() + ":" + strconv.Itoa(p.line)
}

// isNil reports whether v is nil, or an interface that holds a nil pointer,
// function, map or the like.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Func, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return r.IsNil()
	}
	return false
}
