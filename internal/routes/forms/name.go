package forms

import (
	"path"
	"regexp"
	"runtime"
	"strings"
)

// NameOf returns the name of the function with a program counter as it is written in code:
// "app.signedIn". A closure has the name of the function that returns it, "app.limit". One in a
// package variable or an init function is "a function in app".
func NameOf(pc uintptr) string {
	f := runtime.FuncForPC(pc)
	if f == nil {
		return "a function"
	}
	file, _ := f.FileLine(f.Entry())
	return parseName(f.Name(), path.Dir(file))
}

// IsClosure reports whether the function with a program counter is a closure or the method of a
// value: functions with the same code may have different values, and so do different things.
func IsClosure(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f == nil || strings.HasSuffix(f.Name(), "-fm") || anyClosure.MatchString(f.Name())
}

var (
	// anyClosure matches the name of a closure, also of one that was inlined: "app.init.0.limit.2".
	anyClosure = regexp.MustCompile(`\.(func)?\d+$`)
	// closure matches the end of a closure's name. The name of the enclosing function precedes it.
	closure = regexp.MustCompile(`\.func\d+(\.\d+)*$`)
	// noMaker matches what precedes it for a closure in a package variable or an init function.
	noMaker = regexp.MustCompile(`^(init|init\.\d+|glob\.)$`)
	// version matches the major version at the end of an import path.
	version = regexp.MustCompile(`/v\d+$`)
)

// module is the import path of flow. Functions of its internal packages are named as if they
// were in the root package, which exports them.
const module = "example.com/flow"

// source is the directory of flow's files.
var source = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(path.Dir(path.Dir(file))))
}()

// parseName returns the name of a function for its name in the linker's notation, such as
// "example.com/shop/app.limit.func1". dir is the directory of the function's file. If the
// function that returns a closure was inlined into another package, dir tells its package.
func parseName(name, dir string) string {
	name = strings.ReplaceAll(strings.TrimSuffix(name, "-fm"), "[...]", "")
	slash := strings.LastIndexByte(name, '/') + 1
	base, local, _ := strings.Cut(name[slash:], ".")
	pkg := packageName(name[:slash] + base)
	maker := closure.ReplaceAllString(local, "")
	if maker == local {
		return pkg + "." + local
	}
	if noMaker.MatchString(maker) {
		return "a function in " + pkg
	}
	parts := strings.Split(maker, ".") // the last is the maker; its type or the function it was inlined into precedes it
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

// packageName returns the likely name of a package by its import path or its directory.
func packageName(importPath string) string {
	for _, root := range []string{module, source} {
		if importPath == root || strings.HasPrefix(importPath, root+"/internal/") {
			return "flow"
		}
	}
	return path.Base(version.ReplaceAllString(importPath, ""))
}
