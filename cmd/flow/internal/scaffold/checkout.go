package scaffold

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// The library, and the one module that applications need beside it.
const (
	libraryPath = "example.com/flow"
	matcherPath = "github.com/julienschmidt/httprouter"
)

// A checkout is the directory that holds the source of the library. Applications are
// built with it or with copies of it, by a replace in their go.mod, as long as the library
// is unpublished.
type checkout struct {
	dir       string // absolute
	goVersion string // what its go.mod asks for
	matcher   string // the version of the module matcherPath
	sums      []byte // its go.sum; nil if every module is replaced
	replaces  []replacement
	copies    []file // of -vendor; their names are relative to the application
}

// A replacement is a module, and the directory that go.mod names in its place.
type replacement struct{ module, dir string }

// findCheckout reads the checkout in a directory; "" means the one that this program was
// built from.
func findCheckout(dir string) (checkout, error) {
	if dir == "" {
		var err error
		if dir, err = ownSource(); err != nil {
			return checkout{}, err
		}
	}
	c := checkout{dir: dir, replaces: []replacement{{libraryPath, filepath.ToSlash(dir)}}}
	goMod := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(goMod)
	if err != nil {
		return c, fmt.Errorf("the source of flow is not in %s (%w): say with -flow where it is", dir, err)
	}
	m, err := modfile.ParseLax(goMod, text, nil)
	if err != nil {
		return c, err
	}
	if m.Module == nil || m.Module.Mod.Path != libraryPath || m.Go == nil {
		return c, fmt.Errorf("%s is not the go.mod of %s: say with -flow where the source of flow is", goMod, libraryPath)
	}
	c.goVersion = m.Go.Version
	for _, r := range m.Require {
		if r.Mod.Path == matcherPath {
			c.matcher = r.Mod.Version
		}
	}
	c.sums, err = os.ReadFile(filepath.Join(dir, "go.sum"))
	return c, err
}

// ownSource returns where the source of the library was when this program was built.
func ownSource() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) { // -trimpath
		return "", fmt.Errorf("this program does not know where the source of flow is, since it was built with -trimpath: say so with -flow, the directory of the checkout")
	}
	return filepath.Join(filepath.Dir(file), "..", "..", "..", ".."), nil
}

// goMod returns the go.mod of an application that needs some modules beside the library, as
// "go mod tidy" would have it.
func (c checkout) goMod(path string, others []*modfile.Require) ([]byte, error) {
	m := new(modfile.File)
	requirements := append([]*modfile.Require{{Mod: module.Version{Path: libraryPath, Version: "v0.0.0"}}}, others...)
	if c.matcher != "" {
		requirements = append(requirements, &modfile.Require{Mod: module.Version{Path: matcherPath, Version: c.matcher}, Indirect: true})
	}
	if err := errors.Join(m.AddModuleStmt(path), m.AddGoStmt(c.goVersion)); err != nil {
		return nil, err
	}
	m.SetRequireSeparateIndirect(requirements)
	for _, r := range c.replaces {
		if err := m.AddReplace(r.module, "", r.dir, ""); err != nil {
			return nil, err
		}
	}
	m.Cleanup()
	return m.Format()
}
