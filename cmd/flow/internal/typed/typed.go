// Package typed reads packages of Go with their types, and has the go command compile as few of
// them as possible.
package typed

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Packages returns the packages that packages.Load returns in its mode LoadSyntax, with the same
// types and the same errors. That mode has the go command compile the packages themselves, too,
// since the compiler writes the types of what they import, and that is most of the time after
// each change of the code. Here it compiles what they import from elsewhere only, which hardly
// changes and is in its cache. They are type-checked from their source in any case.
//
// Code that might not compile is given to the compiler: its errors are among those of packages.
func Packages(cfg packages.Config, patterns ...string) ([]*packages.Package, error) {
	if cfg.Fset == nil {
		cfg.Fset = token.NewFileSet()
	}
	if pkgs := fromSource(cfg, patterns); pkgs != nil {
		return pkgs, nil
	}
	return Built(cfg, patterns...)
}

// Built returns the same, and has all of the packages compiled. That is faster for those that were
// just built, which the go command has in its cache.
func Built(cfg packages.Config, patterns ...string) ([]*packages.Package, error) {
	cfg.Mode = packages.LoadSyntax | packages.NeedModule | packages.NeedForTest
	return packages.Load(&cfg, patterns...)
}

// fromSource returns the packages, or nil if the compiler should look at them.
func fromSource(cfg packages.Config, patterns []string) []*packages.Package {
	if slices.ContainsFunc(cfg.BuildFlags, func(flag string) bool { return !strings.HasPrefix(flag, "-tags=") }) {
		return nil // a flag for the compiler may be wrong
	}
	cfg.Mode = packages.NeedName | packages.NeedFiles | packages.NeedEmbedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypesSizes | packages.NeedModule | packages.NeedForTest
	pkgs, err := packages.Load(&cfg, patterns...)
	if err != nil || len(pkgs) == 0 {
		return nil
	}
	c := &checker{fset: cfg.Fset, own: map[*packages.Package]bool{}, files: map[string]*ast.File{}, imported: map[string]*types.Package{"unsafe": types.Unsafe}}
	sound := true
	packages.Visit(pkgs, nil, func(p *packages.Package) { // what is imported comes first
		sound = sound && len(p.Errors) == 0
		c.own[p] = slices.Contains(pkgs, p)
		for _, imported := range p.Imports {
			c.own[p] = c.own[p] || c.own[imported] // types of a package that is there once more would not fit
		}
		sound = sound && (!c.own[p] || c.parse(p))
	})
	if !sound || !c.load(cfg) {
		return nil
	}
	packages.Visit(pkgs, nil, func(p *packages.Package) { sound = sound && (!c.own[p] || c.check(p)) })
	if !sound {
		return nil
	}
	return pkgs
}

// A checker type-checks packages.
type checker struct {
	fset     *token.FileSet
	own      map[*packages.Package]bool // those of the patterns, and what imports them: from their source
	files    map[string]*ast.File       // by name, since a test has those of its package once more
	imported map[string]*types.Package  // what they import from elsewhere, as the compiler has it
}

// isTestMain reports whether a package is the main function of a test, which the go command has
// written.
func isTestMain(p *packages.Package) bool { return p.ForTest == "" && strings.HasSuffix(p.ID, ".test") }

// parse parses a package, and reports whether nothing but its types can keep it from compiling.
func (c *checker) parse(p *packages.Package) bool {
	p.Fset, p.CompiledGoFiles = c.fset, p.GoFiles
	if isTestMain(p) {
		return true
	}
	for _, name := range p.GoFiles {
		f := c.files[name]
		if f == nil {
			var err error
			if f, err = parser.ParseFile(c.fset, name, nil, parser.ParseComments|parser.AllErrors); err != nil || mayNotCompile(f) {
				return false
			}
			c.files[name] = f
		}
		p.Syntax = append(p.Syntax, f)
	}
	return len(p.OtherFiles) == 0
}

// load has what the packages import from elsewhere compiled, if it is not yet.
func (c *checker) load(cfg packages.Config) bool {
	paths := map[string]bool{}
	for p, own := range c.own {
		for _, imported := range p.Imports {
			if own && !isTestMain(p) && !c.own[imported] && imported.PkgPath != "unsafe" {
				paths[imported.PkgPath] = true
			}
		}
	}
	if len(paths) == 0 {
		return true
	}
	cfg.Mode, cfg.Tests = packages.NeedName|packages.NeedImports|packages.NeedTypes|packages.NeedExportFile, false
	var patterns []string
	for path := range paths {
		patterns = append(patterns, path)
	}
	slices.Sort(patterns)
	pkgs, err := packages.Load(&cfg, patterns...)
	if err != nil {
		return false
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 || p.Types == nil || !p.Types.Complete() {
			return false
		}
		c.imported[p.PkgPath] = p.Types
	}
	return true
}

// check type-checks a package, and reports whether it has no errors.
func (c *checker) check(p *packages.Package) bool {
	if isTestMain(p) {
		return true
	}
	p.TypesInfo = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	config := types.Config{Sizes: p.TypesSizes, Importer: importer(func(path string) (*types.Package, error) {
		imported := p.Imports[path]
		switch {
		case imported == nil:
			return nil, fmt.Errorf("%s is not listed", path)
		case c.own[imported]:
			return imported.Types, nil
		case c.imported[imported.PkgPath] == nil:
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return c.imported[imported.PkgPath], nil
	})}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	var err error
	p.Types, err = config.Check(p.PkgPath, c.fset, p.Syntax, p.TypesInfo)
	return err == nil
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// mayNotCompile reports whether a file may have an error that is none of its types: a function
// without a body, a part in C, or a directive for the compiler, other than a go:embed at a
// variable that is an embed.FS.
func mayNotCompile(f *ast.File) bool {
	embeds, embedded := false, map[*ast.CommentGroup]bool{} // where go:embed may stand
	for _, s := range f.Imports {
		if s.Path.Value == `"C"` {
			return true
		}
		embeds = embeds || s.Path.Value == `"embed"`
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				v, ok := s.(*ast.ValueSpec)
				if ok && d.Tok == token.VAR && embeds && len(v.Names) == 1 && len(v.Values) == 0 && isFS(v.Type) {
					embedded[v.Doc] = true
					embedded[d.Doc] = !d.Lparen.IsValid()
				}
			}
		}
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			directive, ok := strings.CutPrefix(c.Text, "//go:")
			if !ok {
				continue
			}
			name, _, _ := strings.Cut(directive, " ")
			if name != "build" && name != "generate" && !(name == "embed" && embedded[g]) {
				return true
			}
		}
	}
	return false
}

// isFS reports whether the type of a variable is embed.FS.
func isFS(t ast.Expr) bool {
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "embed" && sel.Sel.Name == "FS"
}
