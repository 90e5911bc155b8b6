package scaffold

import (
	"errors"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// clashes returns what of the application stands in the way of the accounts, all of it: files,
// URLs, names of routes, identifiers and flags.
func (j *join) clashes() []fault.Fault {
	if f, body := j.function("addAccounts"); body != nil {
		return []fault.Fault{fault.InLine(f.shown, j.fset.Position(body.Pos()).Line, "the accounts are there already, or another addAccounts")}
	}
	return slices.Concat(j.fileClashes(), j.treeClashes(), j.nameClashes(), j.identifierClashes(), j.flagClashes())
}

// fileClashes returns a fault for each file that is there already.
func (j *join) fileClashes() (faults []fault.Fault) {
	accounts := filepath.Join(j.app.Module.Dir, accountsPart)
	_, err := os.Lstat(accounts)
	isThere := !errors.Is(err, fs.ErrNotExist)
	if isThere {
		faults = append(faults, fault.In(shown(accounts), "it is there already, and would be the package of the accounts: call it otherwise"))
	}
	for _, f := range j.ours {
		if isThere && strings.HasPrefix(f.from, accountsPart+"/") {
			continue
		}
		if _, err := os.Lstat(f.name); !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, fault.In(f.shown, "it is there already: call it otherwise"))
		}
	}
	return faults
}

// treeClashes returns what Check would say of the tree with the files of the accounts, and does
// not say now.
func (j *join) treeClashes() (faults []fault.Fault) {
	for _, dir := range j.groups() {
		if j.tree.Dirs[dir] {
			faults = append(faults, fault.In(j.app.Shown(routetree.RouterDir+"/"+dir), "it is there already, and what is in it would get the guards of the accounts: call it otherwise"))
		}
	}
	var added []string
	for _, f := range j.ours {
		if f.inTree != "" && !slices.ContainsFunc(faults, func(g fault.Fault) bool { return strings.HasPrefix(f.shown, g.File+"/") }) {
			added = append(added, f.inTree)
		}
	}
	after, err := treeWith(j.tree, j.pkg, added...)
	faults = append(faults, fault.Of(err)...)
	own := map[string]bool{} // the routes of the accounts
	for _, r := range after.Routes {
		own[r.File] = slices.Contains(added, r.InTree())
	}
	for _, r := range after.Routes {
		for _, f := range j.ours {
			if !own[r.File] && f.syntax != nil && f.name == filepath.Join(j.app.Dir, filepath.FromSlash(r.Stem+".go")) {
				faults = append(faults, fault.In(r.File, "%s of the accounts would be its counterpart: call it otherwise", f.shown))
			}
		}
	}
	return faults
}

// nameClashes returns the routes whose names are those of routes of the accounts.
func (j *join) nameClashes() (faults []fault.Fault) {
	ours := &goPackage{labels: map[string]string{}, handled: map[string]map[string]string{}, uses: map[string]string{}, strings: map[string]bool{}}
	for _, f := range j.ours {
		if f.syntax != nil && !f.isTest() {
			ours.addCalls(j.fset, f.syntax, typesOf(j.fset, []*ast.File{f.syntax}))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours.labels)) {
		if where := j.pkg.labels[name]; where != "" {
			file, line, _ := strings.Cut(where, ":")
			n, _ := strconv.Atoi(line)
			faults = append(faults, fault.InLine(file, n, "%q is the name of a route of the accounts, too, at %s: give this one another", name, ours.labels[name]))
		}
		for _, r := range j.tree.Routes {
			if r.Stem == name {
				faults = append(faults, fault.In(r.File, "its automatic name is %q, which a route of the accounts gets at %s: call it otherwise", name, ours.labels[name]))
			}
		}
	}
	return faults
}

// A nameAt is where a name stands.
type nameAt struct {
	name string
	pos  token.Pos
}

// declarations returns what a file declares at package level, and what it imports.
func (f *goFile) declarations() (declared, imported []nameAt) {
	add := func(to *[]nameAt, name string, pos token.Pos) {
		if name != "_" && name != "init" && name != "." {
			*to = append(*to, nameAt{name, pos})
		}
	}
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(&declared, d.Name.Name, d.Name.Pos())
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(&declared, s.Name.Name, s.Name.Pos())
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(&declared, name.Name, name.Pos())
					}
				case *ast.ImportSpec:
					add(&imported, importName(s), s.Pos())
				}
			}
		}
	}
	return declared, imported
}

// identifierClashes returns the names that a package would declare twice, or declare and
// import.
func (j *join) identifierClashes() (faults []fault.Fault) {
	for _, dir := range slices.Compact([]string{j.app.Dir, j.main}) {
		if dir == filepath.Join(j.app.Module.Dir, accountsPart) {
			continue // which is to be called otherwise as a whole: see fileClashes
		}
		declared, imported := map[string]nameAt{}, map[string]nameAt{}
		for _, f := range slices.Backward(j.ours) { // so that of several places, the first one stays
			if f.syntax == nil || filepath.Dir(f.name) != dir {
				continue
			}
			d, i := f.declarations()
			for _, d := range d {
				declared[d.name] = d
			}
			for _, i := range i {
				imported[i.name] = i
			}
		}
		for _, f := range j.theirs {
			if name := f.syntax.Name.Name; filepath.Dir(f.name) != dir || strings.HasSuffix(name, "_test") && f.isTest() {
				continue // of another package
			}
			d, i := f.declarations()
			clash := func(theirs, ours nameAt, ok bool, how string) {
				if ok {
					faults = append(faults, fault.InLine(f.shown, j.fset.Position(theirs.pos).Line, "%s is %s here, and declared or imported at %s of the accounts: call it otherwise", theirs.name, how, shownLine(j.fset, ours.pos)))
				}
			}
			for _, d := range d {
				other, ok := declared[d.name]
				if !ok {
					other, ok = imported[d.name]
				}
				clash(d, other, ok, "declared")
			}
			for _, i := range i {
				other, ok := declared[i.name]
				clash(i, other, ok, "imported")
			}
		}
	}
	return faults
}

// flagClashes returns the flags of the program that are called like those of the accounts.
func (j *join) flagClashes() (faults []fault.Fault) {
	ours := map[string]token.Pos{}
	for _, f := range j.ours {
		if f.syntax != nil && filepath.Dir(f.name) == j.main && !f.isTest() {
			eachFlag(f.syntax, func(name string, pos token.Pos) { ours[name] = pos })
		}
	}
	fset := token.NewFileSet()
	_ = j.app.Module.EachFile(fset, "flag.", func(dir string, f *ast.File) { // read has read the module before
		if f.Name.Name == "main" && dir != j.main {
			return // of another program
		}
		eachFlag(f, func(name string, pos token.Pos) {
			if other, ok := ours[name]; ok {
				at := fset.Position(pos)
				faults = append(faults, fault.InLine(at.Filename, at.Line, "the flag -%s is registered here, and at %s of the accounts: call it otherwise", name, shownLine(j.fset, other)))
			}
		})
	})
	return faults
}

// eachFlag calls a function for each flag that a file registers with package flag.
func eachFlag(f *ast.File, do func(name string, pos token.Pos)) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 3 || !isOf(call.Fun, "flag") {
			return true
		}
		for _, arg := range call.Args[:2] { // of StringVar, the first is a pointer
			if lit, name := calls.Literal(arg); lit != nil {
				do(name, arg.Pos())
				break
			}
		}
		return true
	})
}
