package fault

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
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

// String returns the file, in a directory as DisplayDir has it, and the line, or "" for no
// position.
func (p Position) String() string { return p.in(DisplayDir(p.Dir())) }

// Stable returns the file with the name of its directory, and the line, which reads the
// same wherever the program was built and runs; or "" for no position.
func (p Position) Stable() string { return p.in(path.Base(p.Dir())) }

func (p Position) in(dir string) string {
	if p.Line == 0 {
		return ""
	}
	return path.Join(dir, path.Base(p.File)) + ":" + strconv.Itoa(p.Line)
}

// DisplayDir returns how a directory of Go files, as the compiler recorded it, is written in
// messages, so that a terminal finds it: from the working directory if it is below that,
// in a build with -trimpath from the root of the main module, and otherwise by its name
// alone. It is "" for the working directory or the root itself.
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
