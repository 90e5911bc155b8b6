package scaffold

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/serve/routes/routetree"
)

// checkMounted returns an error if a name of a new route is one that a route of another
// application of the module has, or would have, where the two are mounted into each other:
// with Mount("/billing", …).Name("billing") the route "show" of the inner application is
// "billing.show" for the outer one.
func checkMounted(app project.App, r *routetree.Route, given string) error {
	apps, err := app.Module.Apps()
	if err != nil || len(apps) < 2 {
		return err
	}
	mounts, err := mountNames(app)
	if err != nil || len(mounts) == 0 {
		return err
	}
	for _, other := range apps {
		if other.Dir == app.Dir {
			continue
		}
		taken := namesOf(other)
		for _, mount := range slices.Sorted(maps.Keys(mounts)) {
			where := mounts[mount]
			for _, name := range []string{r.Stem, given} {
				inner, below := strings.CutPrefix(name, mount+".")
				switch outer := mount + "." + name; {
				case name == "":
				case below && taken[inner] != "":
					return fmt.Errorf("%s: Name(%q): %q would be a name of %s, which is mounted, and of %s: call this one otherwise", where, mount, name, taken[inner], r.File)
				case taken[outer] != "":
					return fmt.Errorf("%s: Name(%q): %q would be a name of %s, which is mounted, and is one of %s: call this one otherwise", where, mount, outer, r.File, taken[outer])
				}
			}
		}
	}
	return nil
}

// namesOf returns the names of the routes of an application, automatic and given, with what
// has them. Of a package that cannot be read it knows the automatic ones.
func namesOf(app project.App) map[string]string {
	names := map[string]string{}
	for _, r := range app.Tree().Routes {
		names[r.Stem] = r.File
	}
	if pkg, err := readPackage(app); err == nil {
		for name, where := range pkg.labels {
			names[name] = "the route at " + where
		}
	}
	return names
}

// mountNames returns the names of what is mounted anywhere in the module, with the place:
// what Name is given, other than for a method of a route, in files that call Mount.
func mountNames(app project.App) (map[string]string, error) {
	names, fset := map[string]string{}, token.NewFileSet()
	return names, app.Module.EachFile(fset, "Mount(", func(_ string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called, ok := call.Fun.(*ast.SelectorExpr)
			if text, has := stringArg(call); ok && has && called.Sel.Name == "Name" && !isVerb(called.X) {
				names[text] = shownLine(fset, called.Sel.Pos())
			}
			return true
		})
	})
}
