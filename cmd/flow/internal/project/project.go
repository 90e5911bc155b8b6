// Package project finds the application that a command works on: the module around the
// working directory, and in it the package that embeds a directory of route files.
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"example.com/flow/internal/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/routetree"
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
	return routetree.ReadIn(fault.Place(filepath.ToSlash(a.Dir)), disk.Dir(a.Dir), nil)
}

// Shown returns how a file of the application, given by its path below Dir, is named in
// messages: from the working directory.
func (a App) Shown(file string) string {
	return filepath.ToSlash(filepath.Join(fault.Place(filepath.ToSlash(a.Dir)), filepath.FromSlash(file)))
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

// Find returns the application that a directory is in, or else the only one of its
// module.
func Find(dir string) (App, error) {
	m, err := FindModule(dir)
	if err != nil {
		return App{}, err
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
		var dirs []string
		for _, a := range apps {
			dirs = append(dirs, a.Shown(""))
		}
		return App{}, fmt.Errorf("there are several applications here, %s: go into the directory of one of them", strings.Join(dirs, " and "))
	}
	return apps[0], nil
}

// Apps returns the applications of the module, in the order of their directories.
func (m Module) Apps() ([]App, error) {
	dirs, err := m.Packages()
	if err != nil {
		return nil, err
	}
	var apps []App
	for _, dir := range dirs {
		if isApp(dir) {
			apps = append(apps, App{m, dir})
		}
	}
	return apps, nil
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
