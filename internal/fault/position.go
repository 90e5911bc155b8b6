package fault

import (
	"path"
	"runtime"
	"strconv"
)

// A Position is a line of Go code, as the compiler recorded it: a path on disk,
// or an import path in a build with -trimpath. Slashes are forward everywhere.
type Position struct {
	File string
	Line int
}

// Caller returns the position of the caller's caller, skip frames further up.
func Caller(skip int) Position {
	_, file, line, _ := runtime.Caller(skip + 2)
	return Position{file, line}
}

// Dir returns the directory of the file, which tells one application from another.
func (p Position) Dir() string { return path.Dir(p.File) }

// Short returns the file with its directory, which reads the same in every build.
func (p Position) Short() string {
	return path.Join(path.Base(path.Dir(p.File)), path.Base(p.File))
}

// String returns the short file and the line, or "" for no position.
func (p Position) String() string {
	if p.Line == 0 {
		return ""
	}
	return p.Short() + ":" + strconv.Itoa(p.Line)
}
