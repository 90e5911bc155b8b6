package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// withFiles returns the files of a tree with more. All are empty: a tree is made of names.
func withFiles(files fs.FS, added []string) fs.FS {
	all := fstest.MapFS{}
	for _, name := range added {
		all[name] = &fstest.MapFile{}
	}
	for _, root := range []string{routetree.RouterDir, routetree.PublicDir} {
		_ = fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
			if err == nil {
				all[name] = &fstest.MapFile{Mode: d.Type()}
			}
			return nil // what cannot be read is a fault of the tree without the file, too
		})
	}
	return all
}

// treeWith returns the tree with files that are not there yet. What Check would say of it, and
// does not say now, is the error.
func treeWith(tree *routetree.Tree, pkg *goPackage, added ...string) (*routetree.Tree, error) {
	with := routetree.ParseIn(tree.Dir, withFiles(tree.Files, added), nil, tree.Formats)
	old := map[fault.Fault]bool{}
	for name := range with.Matchers {
		if pkg.strings[name] && pkg.matchers.Lacks(name) { // it may come from another package
			pkg.matchers.Add(name)
		}
	}
	any := func(string) bool { return true }
	for _, f := range append(tree.Faults, pkg.matchers.Fill(tree, any)...) {
		old[f] = true
	}
	faults := slices.DeleteFunc(append(with.Faults, pkg.matchers.Fill(with, any)...), func(f fault.Fault) bool { return old[f] })
	return with, fault.Join(faults)
}

// added returns the route of a file that is not there yet.
func added(app project.App, tree *routetree.Tree, pkg *goPackage, inTree string) (*routetree.Route, error) {
	after, err := treeWith(tree, pkg, inTree)
	if err != nil {
		return nil, err
	}
	for _, r := range after.Routes {
		if r.InTree() == inTree {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s: it would be no route: it lies in a directory that is none", app.Shown(inTree))
}

// check returns what speaks against the counterpart.
func (a *addition) check(app project.App, t *routetree.Tree, pkg *goPackage, c *counterpart) error {
	r := c.route
	inTree := r.InTree()
	goFile := r.Stem + ".go"
	for _, other := range t.Routes {
		switch {
		case other.InTree() == inTree:
			return c.exists(app, pkg, other.File)
		case other.Stem == r.Stem:
			return fmt.Errorf("%s would be the counterpart of %s and of %s: call this one otherwise", app.Shown(goFile), other.File, r.File)
		case a.name == other.Stem:
			return fmt.Errorf("-name: %q is the automatic name of %s: call this one otherwise", a.name, other.File)
		}
		if err := checkPosts(pkg, c, other); err != nil {
			return err
		}
	}
	if where := pkg.labels[a.name]; where != "" {
		return fmt.Errorf("-name: %q is the name of another route already, given at %s: call this one otherwise", a.name, where)
	}
	if where := pkg.labels[r.Stem]; where != "" {
		return fmt.Errorf("%s: Name: %q would be the automatic name of %s: change that name, or call this one otherwise", where, r.Stem, r.File)
	}
	if err := checkMounted(app, r, a.name); err != nil {
		return err
	}
	if where := pkg.uses[goFile]; where != "" {
		return fmt.Errorf("%s: flow.Use is for the whole application, and would stand in the counterpart of %s: call it in another file, or call this one otherwise", where, r.File)
	}
	if reason := routetree.WhyNotBuilt(goFile); reason != "" && !c.empty() {
		return fmt.Errorf("%s, and it would be the counterpart of %s: call this one otherwise, or write the route file yourself, and register with flow.At(%q) in a Go file of another name", reason, r.File, r.Path)
	}
	if _, err := os.Lstat(filepath.Join(app.Dir, goFile)); !errors.Is(err, fs.ErrNotExist) && !c.empty() {
		return fmt.Errorf("%s is there already: rename it if it is something else. If it is for %s, write that file yourself, and add what is missing of this:\n\n%s", app.Shown(goFile), r.File, c.formatted())
	}
	if _, err := os.Lstat(filepath.Join(app.Dir, filepath.FromSlash(inTree))); err == nil {
		return fmt.Errorf("%s is there already, and is no route", r.File)
	}
	return nil
}

// checkPosts returns an error if a store and another file would both answer POST on one URL.
func checkPosts(pkg *goPackage, c *counterpart, other *routetree.Route) error {
	if c.route.Store == other.Store || !slices.ContainsFunc(c.handlers, func(h handler) bool { return h.method == http.MethodPost }) {
		return nil
	}
	where := pkg.handled[other.Stem+".go"][http.MethodPost]
	if where == "" {
		return nil
	}
	for _, p := range c.route.Patterns {
		for _, q := range other.Patterns {
			if p.Key() == q.Key() {
				return fmt.Errorf("%s: %s and %s would both answer POST %s: keep one of them", where, other.File, c.route.File, p)
			}
		}
	}
	return nil
}

// exists says that a route file is there, and what to write for those of the methods that
// its counterpart does not handle.
func (c *counterpart) exists(app project.App, pkg *goPackage, shown string) error {
	goFile := c.route.Stem + ".go"
	handled := ""
	c.handlers = slices.DeleteFunc(c.handlers, func(h handler) bool {
		where := pkg.handled[goFile][h.method]
		if where != "" {
			handled += fmt.Sprintf(", and %s handles %s", where, h.method)
		}
		return where != ""
	})
	if c.empty() {
		return fmt.Errorf("%s is there already%s", shown, handled)
	}
	call := "write"
	if _, err := os.Lstat(filepath.Join(app.Dir, goFile)); err == nil {
		call = "add this to"
	}
	return fmt.Errorf("%s is there already%s. For what is missing, %s %s:\n\n%s", shown, handled, call, app.Shown(goFile), c.formatted())
}

// empty reports whether the route needs no counterpart.
func (c *counterpart) empty() bool { return len(c.handlers) == 0 && c.name == "" }

// formatted returns the text of the counterpart for a message.
func (c *counterpart) formatted() string {
	text, err := c.text()
	if err != nil {
		return c.body()
	}
	return strings.TrimSpace(string(text))
}
