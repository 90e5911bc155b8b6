package scaffold

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/develop/disk"
)

// vendorDir is the directory of an application that holds the copies of "flow new -vendor".
// It is not called vendor: the go command would take all modules from there then, so that
// another one could not be added without the checkout.
const vendorDir = "third_party"

// vendor returns the checkout as a copy of what applications need of it, with the modules
// that it imports: files without their tests, for every system, and their licenses.
func (c checkout) vendor(ctx context.Context) (checkout, error) {
	pkgs, err := c.packages(ctx)
	if err != nil {
		return c, err
	}
	copied := map[string]bool{} // the paths of the modules
	for _, p := range pkgs {
		copied[p.Module.Path] = true
	}
	c.replaces, c.sums = nil, nil
	begun := map[string]bool{}
	for _, p := range pkgs {
		to := path.Join(vendorDir, path.Base(p.Module.Path))
		if !begun[p.Module.Path] {
			begun[p.Module.Path] = true
			c.replaces = append(c.replaces, replacement{p.Module.Path, "./" + to})
			if err := c.copyModule(p, to, copied); err != nil {
				return c, err
			}
		}
		below, err := filepath.Rel(p.Module.Dir, p.Dir)
		if err != nil {
			return c, err
		}
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.EmbedFiles, p.OtherFiles) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			if err := c.copyFile(filepath.Join(p.Dir, name), path.Join(to, filepath.ToSlash(below), filepath.ToSlash(name))); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// packages lists the packages that applications import, and all that those import of modules.
func (c checkout) packages(ctx context.Context) ([]project.Package, error) {
	roots := []string{"."}
	if disk.IsDir(filepath.Join(c.dir, "flowtest")) {
		roots = append(roots, "./flowtest")
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Dir,GoFiles,IgnoredGoFiles,EmbedFiles,OtherFiles,Module"}, roots...)...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), "GOWORK=off")
	pkgs, err := project.List(cmd)
	if err != nil {
		return nil, fmt.Errorf("-vendor: go list in %s: %w", c.dir, err)
	}
	return slices.DeleteFunc(pkgs, func(p project.Package) bool { return p.Module == nil }), nil // of the standard library
}

// copyModule copies the license of a package's module, its go.mod without the requirements that
// only tests have, and its .gitattributes: git checks out the copies as it does the module.
func (c *checkout) copyModule(p project.Package, to string, copied map[string]bool) error {
	text, err := os.ReadFile(p.Module.GoMod)
	if err != nil {
		return err
	}
	m, err := modfile.Parse(p.Module.GoMod, text, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(m.Require) {
		if !copied[r.Mod.Path] {
			if err := m.DropRequire(r.Mod.Path); err != nil {
				return err
			}
		}
	}
	m.Cleanup()
	if text, err = m.Format(); err != nil {
		return err
	}
	c.copies = append(c.copies, file{name: path.Join(to, "go.mod"), text: text})
	entries, err := os.ReadDir(p.Module.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isLicense(e.Name()) || e.Name() == attributesFile {
			if err := c.copyFile(filepath.Join(p.Module.Dir, e.Name()), path.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checkout) copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	c.copies = append(c.copies, file{name: to, text: text})
	return err
}
