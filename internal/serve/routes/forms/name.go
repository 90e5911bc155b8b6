package forms

import (
	"path"
	"regexp"
	"runtime"
	"strings"
)

// NameOf returns the name of the function with a program counter as it is written in code:
// "app.signedIn". A closure has the name of the function that returns it, "app.limit", also where
// the compiler has inlined that one. One in a package variable or an init function is "a function
// in app".
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
	// closure matches an element that the compiler has given a closure, or counts init functions by.
	closure = regexp.MustCompile(`^(func)?\d+$`)
	// loopBody matches what the compiler appends to a function for the body of a loop over a function.
	loopBody = regexp.MustCompile(`-range\d+`)
	// version matches the major version at the end of an import path.
	version = regexp.MustCompile(`/v\d+$`)
)

// module is the import path of flow. Functions of its internal packages are named as if they
// were in the root package, which exports them.
const module = "example.com/flow"

// source is the directory of flow's files.
var source = func() string {
	_, file, _, _ := runtime.Caller(0)
	return file[:strings.LastIndex(file, "/internal/")]
}()

// parseName returns the name of a function for its name in the linker's notation, such as
// "example.com/shop/app.limit.func1". Where limit was inlined, the functions around the call precede
// it: "example.com/shop/app.init.0.func1.limit.2". They may be of another package, so dir, the
// directory of the function's file, tells the package. The notation does not tell a type from a
// function, so a closure of T.price is "app.price"; and it leaves out what stands between the type
// arguments of two functions, so a closure of one generic function that is inlined into another has
// the name of that one.
func parseName(name, dir string) string {
	name = strings.ReplaceAll(strings.TrimSuffix(name, "-fm"), "[...]", "")
	slash := strings.LastIndexByte(name, '/') + 1
	base, local, _ := strings.Cut(name[slash:], ".")
	pkg := packageName(name[:slash] + base)
	parts := strings.Split(loopBody.ReplaceAllString(local, ""), ".")
	last := len(parts) - 1
	for last > 0 && closure.MatchString(parts[last]) {
		last--
	}
	maker := parts[last]
	switch {
	case last == len(parts)-1:
		return pkg + "." + local
	case last > 0 && strings.HasPrefix(parts[last-1], "("):
		last--
		maker = parts[last] + "." + maker
	case maker == "init", maker == "": // "glob..func1" is a package variable
		return "a function in " + pkg
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
