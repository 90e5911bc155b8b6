// Package project finds the application that a command works on: the module around the
// working directory, and in it the package that embeds a directory of route files.
package project

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Module is a Go module on disk.
type Module struct {
	Dir  string // that holds its go.mod, absolute
	Path string // as go.mod has it
}

// An App is a directory that holds router/ and the Go files beside it.
type App struct {
	Module Module
	Dir    string // absolute
}

// Tree reads the route files as they are on disk. Files are named from the working
// directory, as Check names them.
func (a App) Tree() *routetree.Tree {
	formats, _ := a.Formats()
	return routetree.ParseIn(fault.DisplayDir(filepath.ToSlash(a.Dir)), disk.Dir(a.Dir), nil, formats)
}

// Shown returns how a file of the application, given by its path below Dir, is named in
// messages: from the working directory.
func (a App) Shown(file string) string {
	return filepath.ToSlash(filepath.Join(fault.DisplayDir(filepath.ToSlash(a.Dir)), filepath.FromSlash(file)))
}

// ImportPath returns the import path of the Go package in Dir.
func (a App) ImportPath() string {
	below, err := filepath.Rel(a.Module.Dir, a.Dir)
	if err != nil || below == "." {
		return a.Module.Path
	}
	return a.Module.Path + "/" + filepath.ToSlash(below)
}

// FindModule returns the module that a directory is in.
func FindModule(dir string) (Module, error) {
	for at := dir; ; at = filepath.Dir(at) {
		file := filepath.Join(at, "go.mod")
		text, err := os.ReadFile(file)
		switch {
		case err == nil:
			path := modfile.ModulePath(text)
			if path == "" {
				return Module{}, fmt.Errorf("%s: there is no module path in it", file)
			}
			return Module{at, path}, nil
		case !errors.Is(err, fs.ErrNotExist):
			return Module{}, err
		case filepath.Dir(at) == at:
			return Module{}, fmt.Errorf("%s is in no Go module: go into the directory of an application, or make one with \"flow new\"", dir)
		}
	}
}

// FromRoot returns the absolute name of a file of router/ or public/ that is named from the
// root of the module, as tools of version control do. Other names it returns as they are,
// those that name such a file from dir included.
func (a App) FromRoot(dir, name string) string {
	if a.holds(dir, name) || !a.holds(a.Module.Dir, name) {
		return name
	}
	file := filepath.Join(a.Module.Dir, filepath.FromSlash(name))
	if strings.HasSuffix(name, "/") {
		file += string(filepath.Separator)
	}
	return file
}

// IsAbs reports whether a path begins elsewhere than in the working directory. Package filepath does not
// call a path absolute on Windows that begins with a slash: it is on the current drive.
func IsAbs(name string) bool {
	return filepath.IsAbs(name) || name != "" && os.IsPathSeparator(name[0])
}

// holds reports whether a name, absolute or from dir, is that of a file in router/ or
// public/. A relative name in the tree itself says neither, and may be any path below it.
func (a App) holds(dir, name string) bool {
	name = filepath.FromSlash(name)
	if !IsAbs(name) {
		if a.holds("", filepath.Join(dir, "x")) {
			return false
		}
		name = filepath.Join(dir, name)
	}
	below, err := filepath.Rel(a.Dir, name)
	root, rest, _ := strings.Cut(filepath.ToSlash(below), "/")
	return err == nil && rest != "" && (root == routetree.RouterDir || root == routetree.PublicDir)
}

// Find returns the application in whose tree the files with some names are, as arguments
// of a command have them: from dir, or from the root of the module. If none is, it is the
// application that dir is in, or else the only one of the module.
func Find(dir string, names ...string) (App, error) {
	m, err := FindModule(dir)
	if err != nil {
		return App{}, err
	}
	named, err := m.named(dir, names)
	switch {
	case err != nil:
		return App{}, err
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return App{}, fmt.Errorf("%s are of several applications, %s: name files of one", strings.Join(names, " and "), shownDirs(named))
	}
	for at := dir; ; at = filepath.Dir(at) {
		if isApp(at) {
			return App{m, at}, nil
		}
		if at == m.Dir {
			break
		}
	}
	apps, err := m.Apps()
	switch {
	case err != nil:
		return App{}, err
	case len(apps) == 0:
		return App{}, fmt.Errorf("no directory of the module %s has a directory %s beside Go files: make an application with \"flow new\"", m.Path, routetree.RouterDir)
	case len(apps) > 1:
		return App{}, fmt.Errorf("there are several applications here, %s: go into the directory of one of them, or write the path with it, as in %s", shownDirs(apps), apps[0].Shown(routetree.RouterDir+"/about"))
	}
	return apps[0], nil
}

func shownDirs(apps []App) string {
	var dirs []string
	for _, a := range apps {
		dirs = append(dirs, cmp.Or(a.Shown(""), "."))
	}
	return strings.Join(dirs, " and ")
}

// named returns the packages in whose trees the files with some names are.
func (m Module) named(dir string, names []string) ([]App, error) {
	if len(names) == 0 {
		return nil, nil
	}
	all, err := m.trees()
	var named []App
	for _, name := range names {
		i := -1
		for _, from := range []string{dir, m.Dir} {
			if i < 0 {
				i = slices.IndexFunc(all, func(a App) bool { return a.holds(from, name) })
			}
		}
		if i >= 0 && !slices.Contains(named, all[i]) {
			named = append(named, all[i])
		}
	}
	return named, err
}

// Apps returns the applications of the module, in the order of their directories. A package
// with router/ that makes no Router is none: it holds templates that others share. If no
// package here makes one, each may be an application.
func (m Module) Apps() ([]App, error) {
	all, err := m.trees()
	if apps := slices.DeleteFunc(slices.Clone(all), func(a App) bool { return !a.makesRouter() }); len(apps) > 0 {
		return apps, err
	}
	return all, err
}

// trees returns the packages of the module that hold router/, in the order of their
// directories.
func (m Module) trees() ([]App, error) {
	dirs, err := m.Packages()
	if err != nil {
		return nil, err
	}
	var all []App
	for _, dir := range dirs {
		if isApp(dir) {
			all = append(all, App{m, dir})
		}
	}
	return all, nil
}

// makesRouter reports whether a Go file of the package, no test, calls flow.New. Files that
// do not parse count as far as they do.
func (a App) makesRouter() (found bool) {
	_ = eachFile(a.Dir, token.NewFileSet(), "New", func(f *ast.File) { found = found || callsNew(f) }) // what cannot be read says nothing
	return found
}

// callsNew reports whether a file calls New of flow.
func callsNew(f *ast.File) (found bool) {
	flow := calls.ImportName(f)
	ast.Inspect(f, func(n ast.Node) bool {
		if called, ok := n.(*ast.SelectorExpr); ok && called.Sel.Name == "New" {
			pkg, ok := called.X.(*ast.Ident)
			found = found || ok && pkg.Name == flow
		}
		return !found
	})
	return found
}

// Packages returns the directories of the module that hold Go files, in order. Directories
// that the go tool ignores or that cannot be read, and other modules, are left out.
func (m Module) Packages() ([]string, error) {
	dirs := map[string]bool{}
	// As an fs.FS, the directory of the module may be a symbolic link itself, which
	// filepath.WalkDir would not enter.
	err := fs.WalkDir(os.DirFS(m.Dir), ".", func(below string, d fs.DirEntry, err error) error {
		file := filepath.Join(m.Dir, filepath.FromSlash(below))
		switch {
		case errors.Is(err, fs.ErrPermission) && below != ".": // the data of a database, say, and no package
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && below != "." && ignored(file, d.Name()):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(file, ".go"):
			dirs[filepath.Dir(file)] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(dirs)), err
}

// ignored reports whether a directory is not part of the module, or holds no packages
// that "./..." means. A directory called router or public is a package if it holds Go files.
func ignored(dir, name string) bool {
	switch {
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "_"), slices.Contains([]string{"testdata", "vendor", "node_modules"}, name):
		return true
	case name == routetree.RouterDir, name == routetree.PublicDir:
		return !holdsGo(dir)
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// isApp reports whether a directory holds router/, which is no Go package, and a Go file.
func isApp(dir string) bool {
	tree := filepath.Join(dir, routetree.RouterDir)
	return disk.IsDir(tree) && !holdsGo(tree) && holdsGo(dir)
}

func holdsGo(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
}
