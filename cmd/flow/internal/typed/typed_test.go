package typed

import (
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

// compiledInto names a directory. With it, the test binary runs the tools of the go command, and
// notes there what is compiled.
const compiledInto = "FLOW_TYPED_TEST_COMPILED"

func TestMain(m *testing.M) {
	into := os.Getenv(compiledInto)
	if into == "" {
		os.Exit(m.Run())
	}
	if i := slices.Index(os.Args, "-p"); i > 0 && !slices.Contains(os.Args, "-V=full") {
		os.WriteFile(filepath.Join(into, strings.ReplaceAll(os.Args[i+1], "/", ".")), nil, 0o666)
	}
	tool := exec.Command(os.Args[1], os.Args[2:]...)
	tool.Stdin, tool.Stdout, tool.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := tool.Run(); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// TestPackages compares packages with those of packages.Load, and asks the compiler whether it was
// called for them: what is sound is not compiled, and what is not has all errors.
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for _, tt := range []struct {
		name, files string
		patterns    string
		err         string // in an error; else the packages are not compiled
	}{
		{"sound", `
-- main.go --
//go:build !never

package main

import "example.org/shop/app"

func main() { app.Tree.Open(string(app.Of("x"))) }
-- app/app.go --
package app

import "embed"

//go:embed all:files
var Tree embed.FS

var (
	//go:embed files/a
	other embed.FS
)

type Set[T comparable] map[T]bool

func Of[T comparable](t T) T { return t }

//go:generate echo
const Name = "app"
-- app/files/a --
-- app/app_test.go --
package app

import "testing"

func TestOf(t *testing.T) { Of(1) }

func Shared() string { return "" }
-- app/out_test.go --
package app_test

import (
	"testing"

	"example.org/shop/app"
	"example.org/shop/help"
)

func TestOut(t *testing.T) { help.Help(app.Shared()) }
-- help/help.go --
package help

import "example.org/shop/app"

func Help(s string) app.Set[string] { return nil }
`, "./...", ""},
		{"what lies between", `
-- a/a.go --
package a

import (
	"example.org/shop/b"
	"example.org/shop/c"
)

var _ c.T = b.T()
-- b/b.go --
package b

import "example.org/shop/c"

func T() c.T { return 0 }
-- c/c.go --
package c

type T int
`, "./a ./c", ""},
		{"newer than go.mod", "-- go.mod --\nmodule example.org/shop\n\ngo 1.21\n-- a.go --\npackage a\n\nfunc f() {\n\tfor range 3 {\n\t}\n}\n", "./...", "requires go1.22"},
		{"embedded in two", "-- a.go --\npackage a\n\nimport \"embed\"\n\n//go:embed a.go\nvar a, b embed.FS\n", "./...", "go:embed cannot apply to multiple vars"},
		{"of another type", "-- a.go --\npackage a\n\nvar x int = \"\"\n", "./...", "cannot use"},
		{"not to be parsed", "-- a.go --\npackage a\n\nvar = 1\n", "./...", "expected"},
		{"an import that is not there", "-- a.go --\npackage a\n\nimport _ \"example.org/shop/b\"\n", "./...", "no required module provides package"},
		{"nothing to embed", "-- a.go --\npackage a\n\nimport \"embed\"\n\n//go:embed b\nvar a embed.FS\n", "./...", "no matching files found"},
		{"no body", "-- a.go --\npackage a\n\nfunc f()\n", "./...", "missing function body"},
		{"embedded with a value", "-- a.go --\npackage a\n\nimport \"embed\"\n\n//go:embed a.go\nvar a embed.FS = embed.FS{}\n", "./...", "go:embed cannot apply to var with initializer"},
		{"embedded in an FS of others", "-- a.go --\npackage a\n\nimport embed \"io/fs\"\n\n//go:embed a.go\nvar a embed.FS\n", "./...", "go:embed requires import"},
		{"embedded in a type", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\n//go:embed a.go\ntype a string\n", "./...", "misplaced go:embed directive"},
		{"embedded in a function", "-- a.go --\npackage a\n\nimport \"embed\"\n\nfunc f() {\n\t//go:embed a.go\n\tvar a embed.FS\n\t_ = a\n}\n", "./...", "go:embed cannot apply to var inside func"},
		{"a directive for the compiler", "-- a.go --\npackage a\n\n//go:linkname f g\nfunc f() {}\n", "./...", "only allowed in Go files that import \"unsafe\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir, compiled := t.TempDir(), t.TempDir()
			if !strings.Contains(tt.files, "-- go.mod --") {
				tt.files += "-- go.mod --\nmodule example.org/shop\n\ngo 1.26\n"
			}
			files, err := txtar.FS(txtar.Parse([]byte(tt.files)))
			is.NoErr(err)
			is.NoErr(os.CopyFS(dir, files))
			env := append(os.Environ(), "GOWORK=off", "GOFLAGS=")
			cfg := packages.Config{Dir: dir, Tests: true, Env: append(env, compiledInto+"="+compiled, "GOFLAGS="+strconv.Quote("-toolexec="+os.Args[0]))}
			got, err := Packages(cfg, strings.Fields(tt.patterns)...)
			is.NoErr(err)
			want, err := packages.Load(&packages.Config{Dir: dir, Tests: true, Env: env, Mode: packages.LoadSyntax | packages.NeedModule | packages.NeedForTest}, strings.Fields(tt.patterns)...)
			is.NoErr(err)
			is.Equal(show(got), show(want))
			own, err := fs.Glob(os.DirFS(compiled), "example.org*")
			is.NoErr(err)
			if tt.err == "" {
				is.Equal(own, nil)
			}
			is.True(strings.Contains(errorsOf(got), tt.err))
		})
	}
}

// TestFlags: a flag of the compiler may be wrong, which it alone says.
func TestFlags(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/shop\n"), 0o666))
	is.NoErr(os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o666))
	pkgs, err := Packages(packages.Config{Dir: dir, BuildFlags: []string{"-gcflags=-nowhere"}}, "./...")
	is.NoErr(err)
	is.True(strings.Contains(errorsOf(pkgs), "flag provided but not defined"))
}

func errorsOf(pkgs []*packages.Package) string {
	var all []string
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, err := range p.Errors {
			all = append(all, err.Error())
		}
	})
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// show returns the packages with all that they declare and use, and their errors.
func show(pkgs []*packages.Package) string {
	var b strings.Builder
	for _, p := range pkgs {
		if isTestMain(p) {
			continue
		}
		b.WriteString(p.ID + " " + p.PkgPath + " " + p.ForTest + " " + strings.Join(p.GoFiles, " ") + "\n")
		var names []string
		for _, f := range p.Syntax {
			names = append(names, p.Fset.Position(f.Package).String())
		}
		b.WriteString(strings.Join(names, " ") + "\n")
		if len(p.Errors) > 0 {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			b.WriteString(types.ObjectString(p.Types.Scope().Lookup(name), nil) + "\n")
		}
		var uses []string
		for id, obj := range p.TypesInfo.Uses {
			uses = append(uses, p.Fset.Position(id.Pos()).String()+" "+types.ObjectString(obj, nil))
		}
		slices.Sort(uses)
		b.WriteString(strings.Join(uses, "\n") + "\n")
	}
	return b.String() + errorsOf(pkgs)
}
