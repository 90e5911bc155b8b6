package fault

import (
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// A Position is a line of Go code. File is as the compiler recorded it: a path on disk, or in a
// build with -trimpath one that begins with the import path. Its slashes are forward ones on
// all systems. The zero Position is unknown.
type Position struct {
	File string
	Line int
}

// Caller returns the position of a call on the stack: for skip 0 the call of the function that
// calls Caller, for 1 the call of that one's caller, and so on.
func Caller(skip int) Position {
	_, file, line, _ := runtime.Caller(skip + 2)
	return Position{file, line}
}

// Panicked returns the position of the code that has panicked, for a deferred function that has
// recovered. It is the zero Position if nothing has panicked.
func Panicked() Position {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for panicked, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") {
			return Position{f.File, f.Line}
		}
		panicked = panicked || f.Function == "runtime.gopanic"
	}
	return Position{}
}

// PositionOf returns the position of a function's code. It is the zero Position if v is no
// function.
func PositionOf(v reflect.Value) Position {
	if v.Kind() != reflect.Func {
		return Position{}
	}
	f := runtime.FuncForPC(v.Pointer())
	if f == nil {
		return Position{}
	}
	file, line := f.FileLine(f.Entry())
	return Position{file, line}
}

// Dir returns the directory of the file, which tells one application from another.
func (p Position) Dir() string { return path.Dir(p.File) }

// String returns "app/users.id.go:12", with the directory of DisplayDir. It returns "" for the
// zero Position.
func (p Position) String() string { return p.in(DisplayDir(p.Dir())) }

// Stable is String with the last element of the directory only. So it is the same wherever the
// program was built and runs.
func (p Position) Stable() string { return p.in(path.Base(p.Dir())) }

func (p Position) in(dir string) string {
	if p.Line == 0 {
		return ""
	}
	return path.Join(dir, path.Base(p.File)) + ":" + strconv.Itoa(p.Line)
}

// DisplayDir returns a directory of Go files for messages. dir is as the compiler recorded it.
// The result is relative to the working directory, so that a terminal can open its files, or
// in a build with -trimpath relative to the root of the main module. It is "" for these two
// directories themselves, and the last element of dir for a directory outside of them.
func DisplayDir(dir string) string {
	native := filepath.FromSlash(dir)
	if !filepath.IsAbs(native) {
		if below, ok := strings.CutPrefix(dir+"/", MainModule()+"/"); ok {
			return strings.TrimSuffix(below, "/")
		}
		return path.Base(dir)
	}
	if _, err := os.Stat(native); err != nil { // the program was built on another machine
		return path.Base(dir)
	}
	wd, err := os.Getwd()
	if err != nil {
		return path.Base(dir)
	}
	below, err := filepath.Rel(wd, native)
	if err != nil || !filepath.IsLocal(below) {
		return path.Base(dir)
	}
	return strings.TrimPrefix(filepath.ToSlash(below), ".")
}

// MainModule returns the path of the main module, or "" if the program does not know it.
var MainModule = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Path
})
