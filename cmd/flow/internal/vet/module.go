package vet

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/serve/routes/routetree"
)

// A module is what all packages of a module say of its applications. Packages that are not
// given are read from the source: an analyzer is given one package only, and the packages
// of handlers do not import those that register them. A module is only read once it is
// made.
type module struct {
	project.Module
	units []*unit // that import flow, or that those import
	apps  []*app
	open  bool // there are trees of which nothing is known
	// names are those of routes, automatic or given, with the routes that have them. A name
	// has none if it is given to a route that is not known.
	names map[string][]*routetree.Route
	// params are the parameters of prefixes that something is mounted at.
	params map[string]bool
	mounts []string // the names of what is mounted, "billing"
	// openNames: there are names that only the running program knows. openParams: the same
	// of the parameters of prefixes.
	openNames, openParams bool
	binds                 map[string]boundField // the fields that Bind fills from the route, by their keys
	openBinds             bool                  // Bind may fill structs that are not known
	declared              map[*routetree.Route][]declaredData
	openPages             bool                      // a handler may declare any page
	mentioned             map[string]map[*unit]bool // names behind a dot, and who writes them
	paths                 map[string]int            // constants such as "/x", less those in Redirect: how often
}

// readModule reads a module of which some packages are given, by their directories. What
// is given of other modules is only known to be there.
func readModule(at project.Module, given map[string]*unit) (*module, error) {
	m := &module{Module: at, names: map[string][]*routetree.Route{}, params: map[string]bool{}, mentioned: map[string]map[*unit]bool{}, paths: map[string]int{}}
	dirs, err := m.Packages()
	if err != nil {
		return nil, err
	}
	l := &loader{module: at, fset: token.NewFileSet(), given: given, known: map[string]*types.Package{}, units: map[string]*unit{}}
	for _, u := range given {
		if flow := flowOf(u.pkg); flow != nil {
			l.know(u.pkg.Imports(), flow)
		}
	}
	program := false
	used := map[string]bool{} // the import paths of what is given and imports flow, or is imported by that
	for _, dir := range dirs {
		files, isProgram := l.sources(dir)
		program = program || isProgram
		if u := given[dir]; u != nil {
			if flowOf(u.pkg) != nil {
				l.use(u.pkg, used)
			}
		} else if slices.ContainsFunc(files, func(s goSource) bool { return s.flow }) {
			l.load(dir)
		}
	}
	for _, dir := range dirs {
		u := l.units[dir]
		if g := given[dir]; g != nil && (u != nil || used[g.pkg.Path()]) {
			u = g
		}
		if u != nil {
			m.units = append(m.units, u)
		}
	}
	// Without a program in the module, the applications are run, or mounted, by others.
	m.openNames, m.openParams, m.open = !program || l.unbuiltNames, !program || l.unbuiltNames, l.unbuiltTree
	var own matchers.Set
	for _, u := range m.units {
		if u.app != nil {
			m.apps = append(m.apps, u.app)
		}
		m.open = m.open || u.open
		own.Read(u.files)
	}
	for _, a := range m.apps {
		own.Fill(a.tree, nil)
	}
	for _, u := range m.units {
		m.readNames(u)
	}
	for _, u := range m.units {
		m.openNames = m.openNames || len(m.mounts) > 0 && m.takesForeign(u)
	}
	m.readBinds()
	m.readDeclared()
	return m, nil
}

// readNames adds what a package says of names and of prefixes.
func (m *module) readNames(u *unit) {
	if u.app != nil {
		for stem, routes := range u.app.byStem {
			if len(routes) == 1 {
				m.names[stem] = append(m.names[stem], routes[0])
			}
		}
	}
	for _, c := range u.calls {
		switch c.Kind {
		case calls.Label:
			m.openNames = m.openNames || !c.Constant
			if r, ok := m.origin(u, receiver(c.Expr)); c.Constant && ok {
				m.names[c.Value] = append(m.names[c.Value], r)
			} else if c.Constant {
				m.names[c.Value] = append(m.names[c.Value], nil)
			}
		case calls.MountName:
			m.openNames = m.openNames || !c.Constant
			m.mounts = append(m.mounts, c.Value)
		case calls.Prefix:
			segments, err := routetree.ParsePrefix(c.Value)
			m.openParams = m.openParams || !c.Constant || err != nil
			for _, s := range segments {
				m.params[s.Text] = true
			}
		case calls.URL:
			m.paths[c.Value]--
		}
	}
	for _, f := range u.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if m.mentioned[n.Sel.Name] == nil {
					m.mentioned[n.Sel.Name] = map[*unit]bool{}
				}
				m.mentioned[n.Sel.Name][u] = true
			case *ast.BasicLit:
				if value, err := strconv.Unquote(n.Value); err == nil && strings.HasPrefix(value, "/") {
					m.paths[value]++
				}
			case *ast.CallExpr: // Name or Mount of something whose type could not be found out
				sel, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || u.info.Types[sel].Type != nil && u.info.Types[sel].Type != types.Typ[types.Invalid] {
					break
				}
				m.openNames = m.openNames || sel.Sel.Name == "Name" && len(n.Args) == 1
				m.openParams = m.openParams || sel.Sel.Name == "Mount" && len(n.Args) == 2
			}
			return true
		})
	}
}

// scope returns the applications whose trees a package speaks of, either in calls for its
// own directory, or in others. It is empty if they are not known.
func (m *module) scope(u *unit, directory bool) []*app {
	switch {
	case u.open:
		return nil
	case u.app != nil && (directory || len(u.routers) == 0):
		return []*app{u.app}
	case directory || m.open || m.takesForeign(u):
		return nil
	}
	return m.apps
}

// takesForeign reports whether a package takes Routers from other modules, of which
// nothing is known.
func (m *module) takesForeign(u *unit) bool {
	for pkg := range u.routers {
		if !within(pkg.Path(), m.Path) {
			return true
		}
	}
	return false
}

func within(importPath, modulePath string) bool {
	importPath, _, _ = strings.Cut(importPath, " ") // "shop/app [shop/app.test]"
	return importPath == modulePath || strings.HasPrefix(importPath, modulePath+"/")
}

// A loader type-checks packages of a module from their source, as far as that goes: what
// they import from elsewhere is known only if a given package imports it, too. Of flow's
// own calls that leaves all that matters. They get the packages of the module from their
// source, too, never those that are given: what a given package imports may be there once
// more as the compiler left it, and types of the two do not fit together.
type loader struct {
	module project.Module
	fset   *token.FileSet
	given  map[string]*unit // by directory
	known  map[string]*types.Package
	units  map[string]*unit // by directory; nil for one that is being loaded
	// Files that are not built here, for their tags or their names, may make a Router, or
	// give names and prefixes.
	unbuiltTree, unbuiltNames bool
}

// know notes the packages that are there already, with what they import.
func (l *loader) know(pkgs []*types.Package, flow *types.Package) {
	l.known[calls.FlowPath] = flow
	for _, p := range pkgs {
		if l.known[p.Path()] == nil && p.Complete() && !within(p.Path(), l.module.Path) {
			l.known[p.Path()] = p
			l.know(p.Imports(), flow)
		}
	}
}

// use notes a package of the module, and those that it imports.
func (l *loader) use(p *types.Package, used map[string]bool) {
	if used[p.Path()] {
		return
	}
	used[p.Path()] = true
	for _, imported := range p.Imports() {
		if within(imported.Path(), l.module.Path) {
			l.use(imported, used)
		}
	}
}

// Import implements types.Importer. It returns an empty package for one that is not known.
func (l *loader) Import(importPath string) (*types.Package, error) {
	if p := l.known[importPath]; p != nil {
		return p, nil
	}
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if within(importPath, l.module.Path) {
		dir := filepath.Join(l.module.Dir, filepath.FromSlash(strings.TrimPrefix(importPath, l.module.Path)))
		if u := l.load(dir); u != nil {
			return u.pkg, nil
		}
	}
	p := types.NewPackage(importPath, path.Base(importPath))
	p.MarkComplete()
	l.known[importPath] = p
	return p, nil
}

// load returns the package in a directory, or nil if there is none, or if it is being
// loaded.
func (l *loader) load(dir string) *unit {
	if u, ok := l.units[dir]; ok {
		return u
	}
	l.units[dir] = nil
	sources, _ := l.sources(dir)
	var files []*ast.File
	for _, s := range sources {
		if f, _ := parser.ParseFile(l.fset, s.Name, s.Text, parser.ParseComments|parser.SkipObjectResolution); f != nil && (len(files) == 0 || f.Name.Name == files[0].Name.Name) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true} // the errors are the compiler's to tell
	importPath := path.Join(l.module.Path, filepath.ToSlash(strings.TrimPrefix(dir, l.module.Dir)))
	pkg, _ := config.Check(importPath, l.fset, files, info)
	l.units[dir] = newUnit(dir, l.fset, pkg, files, info)
	return l.units[dir]
}

// A goSource is one Go file of a package.
type goSource struct {
	project.GoFile
	flow bool // it imports flow
}

// What calls look like in files that are not built.
var (
	makesRouter = regexp.MustCompile(`\bNew\(`)
	givesNames  = regexp.MustCompile(`\b(Name|Mount)\(`)
)

// sources returns the Go files of a directory that are built here, without tests, and
// reports whether they are a program that may serve an application of the module.
func (l *loader) sources(dir string) (files []goSource, isProgram bool) {
	all, _ := project.GoFiles(dir) // what cannot be read says nothing
	for _, file := range all {
		name, text := filepath.Base(file.Name), file.Text
		if file.IsTest() {
			continue
		}
		flow := bytes.Contains(text, []byte(`"`+calls.FlowPath+`"`))
		if !l.built(dir, name) {
			l.unbuiltTree = l.unbuiltTree || flow && makesRouter.Match(text)
			l.unbuiltNames = l.unbuiltNames || flow && givesNames.Match(text)
			continue
		}
		files = append(files, goSource{file, flow})
		if flow || bytes.Contains(text, []byte(`"`+l.module.Path)) {
			f, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
			isProgram = isProgram || f != nil && f.Name.Name == "main"
		}
	}
	return files, isProgram
}

// built reports whether a Go file is built here. With flags for the build, what is given
// tells more than the file.
func (l *loader) built(dir, name string) bool {
	if u := l.given[dir]; u != nil {
		return slices.ContainsFunc(u.files, func(f *ast.File) bool { return u.goFile(f) == name })
	}
	match, err := build.Default.MatchFile(dir, name)
	return err == nil && match
}
