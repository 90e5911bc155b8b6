package forms

import (
	"path"
	"regexp"
	"runtime"
	"strings"
)

// NameOf returns the name of the function at a pc, as people write it: "app.signedIn". That
// of a closure is the name of the function that has made it, "app.limit", or tells where it
// is written if none has: "a function in app".
func NameOf(pc uintptr) string {
	f := runtime.FuncForPC(pc)
	if f == nil {
		return "a function"
	}
	file, _ := f.FileLine(f.Entry())
	return readName(f.Name(), path.Dir(file))
}

var (
	// closure is what stands behind the name of the function that a closure is written in.
	closure = regexp.MustCompile(`\.func\d+(\.\d+)*$`)
	// nobody is what stands there if it is written in a package variable or an init function.
	nobody = regexp.MustCompile(`^(init|init\.\d+|glob\.)$`)
	// version is the last element of the import path of a later version of a module.
	version = regexp.MustCompile(`/v\d+$`)
)

// module is flow's own import path, and source the directory of its files. Its middleware
// is called flow's, whichever room has it.
const module = "example.com/flow"

var source = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(path.Dir(file)))
}()

// readName reads a name of the linker. dir is the directory of the file, which tells the
// package of a closure also where the function that has made it was inlined into another.
func readName(name, dir string) string {
	name = strings.ReplaceAll(strings.TrimSuffix(name, "-fm"), "[...]", "")
	slash := strings.LastIndexByte(name, '/') + 1
	base, local, _ := strings.Cut(name[slash:], ".")
	pkg := packageName(name[:slash] + base)
	maker := closure.ReplaceAllString(local, "")
	if maker == local {
		return pkg + "." + local
	}
	if nobody.MatchString(maker) {
		return "a function in " + pkg
	}
	parts := strings.Split(maker, ".") // the last is the maker, before it is what it was inlined into, or its type
	last := len(parts) - 1
	maker = parts[last]
	if last > 0 && strings.HasPrefix(parts[last-1], "(") {
		last--
		maker = parts[last] + "." + maker
	}
	if last > 0 {
		pkg = packageName(dir)
	}
	return pkg + "." + maker
}

// packageName returns what a package of an import path, or in a directory, is likely called.
func packageName(importPath string) string {
	for _, root := range []string{module, source} {
		if importPath == root || strings.HasPrefix(importPath, root+"/internal/") {
			return "flow"
		}
	}
	return path.Base(version.ReplaceAllString(importPath, ""))
}
