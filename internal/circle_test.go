package internal_test

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// maxCircle is how many functions of the root may at most reach each other.
const maxCircle = 5

// A circle of functions can only be understood as a whole: none of them can be read, tested
// or changed alone. So no more than maxCircle functions of the root may use one another.
func TestNoLargeCircleOfFunctions(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command")
	}
	is := is.New(t)
	uses, err := functionUses("..")
	is.NoErr(err)
	for _, circle := range circles(uses) {
		if len(circle) > maxCircle {
			t.Errorf("%d functions use one another, more than %d:\n\t%s", len(circle), maxCircle, strings.Join(circle, "\n\t"))
		}
	}
}

func TestCircles(t *testing.T) {
	is := is.New(t)
	is.Equal(circles(map[string][]string{
		"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"d"}, "e": {"f"}, "f": nil,
	}), [][]string{{"a", "b", "c"}})
}

// functionUses returns the functions of the package in a directory, each with those that its
// body uses: calls of them, and mentions of them as values.
func functionUses(dir string) (map[string][]string, error) {
	fset := token.NewFileSet()
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".go") || strings.HasSuffix(n.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, n.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	exports, err := exportData(dir)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	pkg, err := config.Check("flow", fset, files, info)
	if err != nil {
		return nil, err
	}
	uses := map[string][]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from := info.Defs[f.Name].(*types.Func).FullName()
			uses[from] = nil
			ast.Inspect(f, func(n ast.Node) bool {
				if ident, ok := n.(*ast.Ident); ok {
					if to, ok := info.Uses[ident].(*types.Func); ok && to.Pkg() == pkg {
						uses[from] = append(uses[from], to.Origin().FullName())
					}
				}
				return true
			})
			uses[from] = slices.Compact(slices.Sorted(slices.Values(uses[from])))
		}
	}
	return uses, nil
}

// exportData returns the files of export data that the imports of a package need.
func exportData(dir string) (map[string]string, error) {
	list := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}}\t{{.Export}}", ".")
	list.Dir, list.Stderr = dir, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		path, file, _ := strings.Cut(s.Text(), "\t")
		files[path] = file
	}
	return files, nil
}

// circles returns the sets of functions that all reach each other, those of one function
// left out.
func circles(uses map[string][]string) (found [][]string) {
	reached := map[string]map[string]bool{}
	for from := range uses {
		reached[from] = map[string]bool{}
		for todo := []string{from}; len(todo) > 0; {
			f := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, to := range uses[f] {
				if !reached[from][to] {
					reached[from][to] = true
					todo = append(todo, to)
				}
			}
		}
	}
	done := map[string]bool{}
	for _, f := range slices.Sorted(maps.Keys(uses)) {
		if done[f] {
			continue
		}
		var circle []string
		for _, g := range slices.Sorted(maps.Keys(reached[f])) {
			if reached[g][f] {
				circle, done[g] = append(circle, g), true
			}
		}
		if len(circle) > 1 {
			found = append(found, circle)
		}
	}
	return found
}
