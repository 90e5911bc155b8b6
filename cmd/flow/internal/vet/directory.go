package vet

import (
	"bytes"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// checkEmbedded looks at the go:embed comments of what flow.New is given.
func (c *checker) checkEmbedded() {
	all := c.directives()
	seen := map[*types.Var]bool{}
	for _, call := range c.calls {
		if call.Kind != calls.New {
			continue
		}
		v := c.embedVar(call.Arg)
		if v == nil || seen[v] {
			continue
		}
		seen[v] = true
		for _, dir := range []string{routetree.RouterDir, routetree.PublicDir} {
			if disk.IsDir(filepath.Join(c.dir, dir)) {
				c.checkEmbeddedDir(v, all, dir)
			}
		}
	}
}

// checkEmbeddedDir looks at how a directory is embedded.
func (c *checker) checkEmbeddedDir(v *types.Var, all map[*types.Var][]directive, dir string) {
	var of *directive // that speaks of the directory
	for _, d := range all[v] {
		top, _, _ := strings.Cut(strings.TrimPrefix(d.pattern, "all:"), "/")
		if match, err := path.Match(top, dir); err == nil && match {
			of = &d
			break
		}
	}
	if of == nil {
		c.reportNotEmbedded(v, all, dir)
		return
	}
	whole := !strings.Contains(of.pattern, "/") && !strings.HasPrefix(of.pattern, "all:")
	switch lost := firstLost(c.dir, dir, all[v]); {
	case whole && lost != "":
		c.report(of.pos, "go:embed %s leaves out the names that begin with _ or ., such as %s: write all:%s", of.pattern, lost, dir)
	case whole && !embeds(all[v], dir+"/_"):
		c.report(of.pos, "go:embed %s leaves out the names that begin with _ or .: write all:%s", of.pattern, dir)
	case lost != "":
		c.report(of.pos, "go:embed %s leaves out %s: write all:%s", of.pattern, lost, dir)
	}
}

// reportNotEmbedded reports a directory of which the variable embeds nothing, unless
// another variable does, so that it is served in another way.
func (c *checker) reportNotEmbedded(v *types.Var, all map[*types.Var][]directive, dir string) {
	for other, ds := range all {
		if other != v && embeds(ds, dir) {
			return
		}
	}
	pos, loss := v.Pos(), "its files are not served"
	if ds := all[v]; len(ds) > 0 {
		pos = ds[0].pos
	}
	if dir == routetree.RouterDir {
		loss = "there are no routes"
	}
	c.report(pos, "%s/ is here, and %s, which flow.New gets, does not embed it, so that %s: write //go:embed %s", dir, v.Name(), loss, c.wholeDirective())
}

// firstLost returns the first file of a directory that flow would serve or read, and that
// is not embedded, or "".
func firstLost(root, dir string, ds []directive) string {
	tree := routetree.Parse(disk.Dir(root), nil)
	var files []string
	for _, s := range tree.Templates {
		files = append(files, s.InTree)
	}
	for _, r := range tree.Routes {
		files = append(files, r.InTree())
	}
	for _, p := range tree.Public {
		files = append(files, p.InTree)
	}
	slices.Sort(files)
	i := slices.IndexFunc(files, func(file string) bool { return strings.HasPrefix(file, dir+"/") && !embeds(ds, file) })
	if i < 0 {
		return ""
	}
	return files[i]
}

// embeds reports whether go:embed takes a file: one that a pattern matches, or that is in
// a directory which a pattern matches, unless a name below that begins with _ or a dot.
func embeds(ds []directive, file string) bool {
	for _, d := range ds {
		pattern, all := strings.CutPrefix(d.pattern, "all:")
		for at := file; at != "."; at = path.Dir(at) {
			if match, err := path.Match(pattern, at); err != nil || !match {
				continue
			}
			below := file[len(at):]
			if all || !strings.Contains(below, "/_") && !strings.Contains(below, "/.") {
				return true
			}
		}
	}
	return false
}

// wholeDirective returns what a directive for all that there is has.
func (c *checker) wholeDirective() string {
	text := "all:" + routetree.RouterDir
	if disk.IsDir(filepath.Join(c.dir, routetree.PublicDir)) {
		text += " all:" + routetree.PublicDir
	}
	return text
}

// checkDirectory looks for registrations that no Router gets, and for files that look like
// counterparts and are none.
func (c *checker) checkDirectory() {
	if c.news == 0 && !c.hasRouterElsewhere() {
		for _, call := range c.calls {
			if call.ForDirectory() {
				c.report(call.Expr.Pos(), "static calls are for the Routers that flow.New makes in the same directory, and none is made here: call it here, or register with At, In and Use of a Router")
				break
			}
		}
	}
	if c.app == nil {
		return
	}
	for _, f := range c.files {
		c.checkFile(f)
	}
	if c.app.formats {
		c.checkExtensions()
	}
}

// checkExtensions looks for files of the tree whose extension is that of no route file. What else
// may be wrong about a name, Check says: this depends on what the Go code has in Router.Formats.
func (c *checker) checkExtensions() {
	for _, f := range c.app.tree.Faults {
		extensions := c.app.tree.Extensions()
		if path.Base(f.File)[0] == '+' {
			extensions = []string{".html"}
		}
		file := filepath.FromSlash(f.File)
		if f.Warning || slices.Contains(extensions, path.Ext(f.File)) || disk.IsDir(file) {
			continue
		}
		// An analyzer reports positions, so the file gets one.
		pos := c.fset.AddFile(file, -1, 0).Pos(0)
		c.report(pos, "%s", strings.TrimPrefix(f.Text, f.File+": "))
	}
}

// hasRouterElsewhere reports whether a file that is not built here may make a Router.
func (c *checker) hasRouterElsewhere() bool {
	return slices.ContainsFunc(c.ignored, func(name string) bool {
		text, err := os.ReadFile(name)
		return !strings.HasSuffix(name, "_test.go") && (err != nil || bytes.Contains(text, []byte(calls.FlowPath)) && bytes.Contains(text, []byte("New")))
	})
}

// checkFile looks at a file with a dot in its name that holds handlers which nothing
// registers, and has no route file.
func (c *checker) checkFile(f *ast.File) {
	name := c.goFile(f)
	stem := strings.TrimSuffix(name, ".go")
	if !strings.Contains(stem, ".") || len(c.app.byStem[stem]) > 0 || ast.IsGenerated(f) {
		return
	}
	for _, call := range c.calls {
		if call.File == f && (call.Kind == calls.Path || call.Kind == calls.Handler || call.Kind != calls.Template && call.ForDirectory()) {
			return
		}
	}
	handlers := 0
	for _, d := range f.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok || !takesRequest(c.info.Defs[decl.Name]) {
			continue
		}
		handlers++
		named := decl.Recv != nil && slices.ContainsFunc(c.module.units, func(u *unit) bool { return u.byName })
		if obj := c.info.Defs[decl.Name]; named || len(c.uses[obj]) > 0 || c.module.usedElsewhere(c.unit, obj) {
			return
		}
	}
	if handlers == 0 {
		return
	}
	c.report(f.Name.Pos(), "%s looks like the counterpart of a route file, there is none, and nothing here is registered%s", name, fault.Suggest(name, c.counterparts(), ": rename it, or register with flow.At"))
}

// takesRequest reports whether a function has a *flow.Request among its parameters.
func takesRequest(obj types.Object) bool {
	f, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	for v := range f.Signature().Params().Variables() {
		if isFlowType(v.Type(), "Request") {
			return true
		}
	}
	return false
}

// counterparts are the names of the files that would be counterparts.
func (c *checker) counterparts() map[string]bool {
	all := map[string]bool{}
	for stem := range c.app.byStem {
		all[stem+".go"] = true
	}
	return all
}

// checkStatic looks at the name of the file that a static call stands in.
func (c *checker) checkStatic(call calls.Call) {
	if c.app == nil {
		return
	}
	pos, what := call.Expr.Pos(), call.Name()
	name := c.goFile(call.File)
	if name != filepath.Base(c.fset.Position(pos).Filename) { // a line directive: the compiler records another file
		return
	}
	stem := strings.TrimSuffix(name, ".go")
	routes := c.app.byStem[stem]
	if call.Kind == calls.Use {
		if len(routes) > 0 {
			c.report(pos, "flow.Use is for the whole application, and stands in the counterpart of %s: call it in another file, or use flow.At(%q).Use", routes[0].File, routes[0].Path)
		}
		return
	}
	switch old := c.withGroups(stem); {
	case len(routes) == 0 && old != nil:
		c.report(pos, "%s: a group is in no name, so the counterpart of %s is %s.go: rename this file", what, old.File, old.Stem)
	case len(routes) == 0:
		c.report(pos, "%s speaks of the route whose counterpart this file is, and no route file has the counterpart %s%s", what, name, fault.Suggest(name, c.counterparts(), ": rename one of them, or "+otherwise(call)))
	case len(routes) > 1 && routes[0].Path == routes[1].Path:
		c.report(pos, "%s: this file is the counterpart of %s and of %s, which have one path: rename one of them", what, routes[0].File, routes[1].File)
	case len(routes) > 1:
		c.report(pos, "%s: this file is the counterpart of %s and of %s: say which with flow.At(%q) or flow.At(%q), in a file of another name", what, routes[0].File, routes[1].File, routes[0].Path, routes[1].Path)
	case routetree.WhyNotBuilt(name) != "":
		c.report(pos, "%s: %s: register with flow.At(%q) in a file of another name", what, routetree.WhyNotBuilt(name), routes[0].Path)
	}
}

// withGroups returns the route whose counterpart would be called so if groups were in
// names, or nil.
func (c *checker) withGroups(stem string) *routetree.Route {
	for _, p := range slices.Sorted(maps.Keys(c.app.byPath)) {
		if routetree.GroupedStem(p) == stem {
			return c.app.byPath[p]
		}
	}
	return nil
}

// otherwise returns what to write in place of a static call, in a file that is no counterpart.
func otherwise(call calls.Call) string {
	switch call.Func.Name() {
	case "With":
		return "say the path with Router.At, where the value is at hand"
	case "PageOf":
		return "say the path with flow.ViewOf"
	case "JSONOf":
		return "answer with flow.JSON, which declares nothing"
	}
	return "say the path with flow.At"
}
