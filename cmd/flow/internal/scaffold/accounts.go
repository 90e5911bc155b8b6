package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/files"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/command"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// accountsPart is the part of the template that "flow add -accounts" writes: the package
// accounts, the handlers and pages in app/, and files of package main.
const accountsPart = "accounts"

// runAccounts is "flow add -accounts". args may have the directory of the main package.
func (a *addition) runAccounts(p cli.Process, args []string) error {
	switch {
	case a.methods != "" || a.name != "" || a.page || a.endpoint:
		return command.Usagef("add: -accounts writes files of its own: it goes with no other flag")
	case len(args) > 1:
		return command.Usagef("add: with -accounts, say at most one argument, the directory of the main package that runs the application")
	}
	app, err := project.Find(p.Dir)
	if err != nil {
		return err
	}
	pkg, err := readPackage(app)
	if err != nil {
		return err
	}
	j := &join{app: app, pkg: pkg, tree: app.Tree(), fset: token.NewFileSet(), plan: &plan{app: app}}
	if j.main, err = j.findMain(p.Dir, args); err != nil {
		return err
	}
	if err := j.read(); err != nil {
		return err
	}
	if err := fault.Join(j.clashes()); err != nil {
		return fmt.Errorf("nothing is written, since the accounts do not fit yet:\n%w", err)
	}
	j.joinMain()
	j.joinTests()
	j.embed()
	for _, step := range []func() error{j.rewrite, j.joinModules, j.findLeft} {
		if err := step(); err != nil {
			return err
		}
	}
	j.finish(p)
	return j.plan.carryOut(p)
}

// A join is how the accounts come into an application.
type join struct {
	app    project.App
	pkg    *goPackage
	tree   *routetree.Tree
	main   string // the directory of the main package that runs the Router
	fset   *token.FileSet
	theirs []*goFile // the Go files of the application and of package main
	others []*goFile // those of other packages that import the application
	ours   []*placed
	plan   *plan
	left   []fault.Fault // what is left to the user
	joined string        // the first place where a test makes a Router, with accounts now
	tidy   bool          // the go command has to find versions of other modules
}

// A goFile is a Go file, parsed.
type goFile struct {
	name, shown string // the absolute name, and the one for messages
	text        []byte
	syntax      *ast.File
	edits       []files.Edit
	imports     []string // that the edits need
}

func (f *goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// A placed file is one of the template, as it is to be written.
type placed struct {
	from   string // its path in the template, below the part
	inTree string // that of a file of router/ or public/
	goFile        // without syntax if it is none of Go
}

// findMain returns the directory of the main package that runs the application: the one that
// is named, or the only one that imports it, or of several, the one in the working directory.
func (j *join) findMain(dir string, args []string) (string, error) {
	isMain, mains := map[string]bool{}, []string(nil)
	err := j.app.Module.EachFile(j.fset, "package main", func(dir string, f *ast.File) {
		built, err := build.Default.MatchFile(dir, filepath.Base(j.fset.File(f.Package).Name()))
		if f.Name.Name != "main" || err != nil || !built {
			return
		}
		isMain[dir] = true
		imports := slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(j.app.ImportPath()) })
		if (imports || dir == j.app.Dir) && !slices.Contains(mains, dir) {
			mains = append(mains, dir)
		}
	})
	if err != nil {
		return "", err
	}
	if len(args) == 1 {
		named := absolute(dir, args[0])
		if !isMain[named] {
			return "", command.Usagef("add: %s is not the directory of a main package of the module %s", args[0], j.app.Module.Path)
		}
		return named, nil
	}
	if slices.Contains(mains, dir) {
		return dir, nil
	}
	switch len(mains) {
	case 0:
		return "", fmt.Errorf("no main package of the module %s imports %s: say the directory of the one that runs it, as in \"flow add -accounts ./cmd/site\"", j.app.Module.Path, j.app.ImportPath())
	case 1:
		return mains[0], nil
	}
	var shown []string
	for _, m := range mains {
		below, _ := filepath.Rel(dir, m)
		shown = append(shown, "./"+filepath.ToSlash(below))
	}
	return "", command.Usagef("add: there are several main packages that import %s, %s: say which one gets the flags of the accounts, as in \"flow add -accounts %s\"", j.app.ImportPath(), strings.Join(shown, " and "), shown[0])
}

// read reads the Go files of the application, those of package main and of others that import
// the application, and makes those of the accounts.
func (j *join) read() error {
	dirs, err := j.app.Module.Packages()
	if err != nil {
		return err
	}
	own := slices.Compact([]string{j.app.Dir, j.main}) // one package may be both
	for _, dir := range own {
		files, err := j.readDir(dir, "")
		if err != nil {
			return err
		}
		j.theirs = append(j.theirs, files...)
	}
	for _, dir := range dirs {
		if slices.Contains(own, dir) {
			continue
		}
		files, err := j.readDir(dir, strconv.Quote(j.app.ImportPath()))
		if err != nil {
			return err
		}
		j.others = append(j.others, files...)
	}
	return eachOf(accountsPart, func(below string, text []byte) error {
		if below == ignoreFile[1:] {
			return j.ignore(text)
		}
		f, err := j.place(below, text)
		if err == nil {
			j.ours = append(j.ours, f)
		}
		return err
	})
}

// readDir reads the Go files of a directory that have a text in them, tests among them. Files
// that no build has, such as programs for go generate, are left out.
func (j *join) readDir(dir, has string) (files []*goFile, err error) {
	sources, err := project.GoFiles(dir)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		f := &goFile{name: source.Name, text: source.Text}
		if !bytes.Contains(f.text, []byte(has)) || neverBuilt.Match(f.text) {
			continue
		}
		if err := j.parse(f); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// neverBuilt matches the line of a file that belongs to no package.
var neverBuilt = regexp.MustCompile(`(?m)^//go:build ignore\r?$`)

// ignore plans the lines of .gitignore at the root of the module, where the database of
// development is.
func (j *join) ignore(lines []byte) error {
	name := filepath.Join(j.app.Module.Dir, ignoreFile)
	before, err := os.ReadFile(name)
	switch after := withLines(string(before), string(lines)); {
	case errors.Is(err, fs.ErrNotExist):
		j.plan.files = append(j.plan.files, file{name: name, text: lines})
	case err != nil:
		return err
	case after != string(before):
		j.plan.anew = append(j.plan.anew, file{name, []byte(after), string(before)})
	}
	return nil
}

// parse parses the text of a Go file.
func (j *join) parse(f *goFile) (err error) {
	f.shown = shown(f.name)
	f.syntax, err = parser.ParseFile(j.fset, f.shown, f.text, parser.ParseComments|parser.SkipObjectResolution)
	return err
}

// shown returns how messages name a file that is there or will be: from the working directory.
func shown(name string) string {
	dir, rest := filepath.Split(name)
	for dir = filepath.Clean(dir); !disk.IsDir(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		rest = filepath.Join(filepath.Base(dir), rest)
	}
	return path.Join(fault.DisplayDir(filepath.ToSlash(dir)), filepath.ToSlash(rest))
}

// place returns a file of the template as this application has it.
func (j *join) place(below string, text []byte) (*placed, error) {
	f := &placed{from: below}
	dir, rest, _ := strings.Cut(below, "/")
	root := j.main
	switch {
	case rest == "": // of package main
		rest = dir
		if _, err := fs.Stat(template, "_template/"+accountsPart+"/app/"+rest); err == nil && j.main == j.app.Dir {
			stem := strings.TrimSuffix(strings.TrimSuffix(rest, ".go"), "_test")
			rest = stem + "_main" + strings.TrimPrefix(rest, stem)
		}
	case dir == "app":
		root = j.app.Dir
		if strings.HasPrefix(rest, routetree.RouterDir+"/") || strings.HasPrefix(rest, routetree.PublicDir+"/") {
			f.inTree = rest
		}
	default:
		root, rest = j.app.Module.Dir, below
	}
	f.name = filepath.Join(root, filepath.FromSlash(rest))
	f.text, f.shown = text, shown(f.name)
	if below == "accounts.go" { // the database of a new application is called as the application, and so may be one of yours
		f.text = bytes.Replace(text, []byte(strconv.Quote(templateName+".db")), []byte(strconv.Quote(accountsFile)), 1)
	}
	if path.Ext(below) != ".go" {
		f.text = []byte(named(string(text), j.app.Module.Path))
		return f, nil
	}
	if err := j.fill(&f.goFile); err != nil {
		return nil, err
	}
	return f, j.parse(&f.goFile)
}

// fill puts the names of the application into a Go file of the template: its package, and the
// import of package app, which goes where main and the application are one package.
func (j *join) fill(f *goFile) error {
	const app = "app"
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.name, f.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	var edits []files.Edit
	at := func(n ast.Node, text string) {
		edits = append(edits, files.Edit{From: fset.Position(n.Pos()).Offset, To: fset.Position(n.End()).Offset, Text: text})
	}
	if syntax.Name.Name == app {
		at(syntax.Name, j.pkg.name)
	}
	imports := false
	for _, s := range syntax.Imports {
		if s.Path.Value != strconv.Quote(templateModule+"/"+app) {
			continue
		}
		imports = true
		switch {
		case j.main == j.app.Dir:
			at(s, "")
		case path.Base(j.app.ImportPath()) == j.pkg.name:
			at(s, strconv.Quote(j.app.ImportPath()))
		default:
			at(s, j.pkg.name+" "+strconv.Quote(j.app.ImportPath()))
		}
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			switch x, ok := s.X.(*ast.Ident); {
			case !ok || x.Name != app || !imports:
			case j.main == j.app.Dir:
				at(s, s.Sel.Name)
			default:
				at(x, j.pkg.name)
			}
		}
		return true
	})
	f.text, err = format.Source([]byte(named(files.Edited(string(f.text), edits), j.app.Module.Path)))
	return err
}

// joinModules plans the changes of go.mod and go.sum.
func (j *join) joinModules() error {
	needs, err := modulesOf(accountsPart)
	if err != nil {
		return err
	}
	made, anew, tidy, err := needs.addTo(j.app.Module)
	j.tidy = tidy
	j.plan.files, j.plan.anew = append(j.plan.files, made...), append(j.plan.anew, anew...)
	return err
}

// titleBlock matches the title of a page, for layouts that show none.
var titleBlock = regexp.MustCompile(`\{\{define "title"\}\}.*?\{\{end\}\}\n*`)

// finish plans the files of the accounts, with what their pages need around them, and what is
// said of all of them, in the working directory.
func (j *join) finish(p cli.Process) {
	around := layouts(j.tree, "(accounts)/x")
	hasTitle := len(around) == 0 || slices.ContainsFunc(around, func(text string) bool { return strings.Contains(text, `{{block "title"`) })
	field := j.field()
	for _, f := range j.ours {
		if path.Ext(f.from) == pageExt {
			if !hasTitle {
				f.text = titleBlock.ReplaceAll(f.text, nil)
			}
			f.text = bytes.ReplaceAll(f.text, []byte(`{{template "`+fieldName+`"`), []byte(`{{template "`+field+`"`))
		}
		j.plan.files = append(j.plan.files, file{name: f.name, text: f.text})
	}
	if len(around) == 0 {
		j.addLayouts()
	}
	var names []string
	for _, f := range slices.Concat(j.plan.files, j.plan.anew) {
		names = append(names, f.name)
	}
	j.plan.lines = summary(names)
	if len(j.plan.anew) > 0 {
		var changed []string
		for _, f := range j.plan.anew {
			changed = append(changed, shown(f.name))
		}
		slices.Sort(changed)
		j.plan.notes = slices.Insert(j.plan.notes, 0, "Changed: "+strings.Join(changed, ", ")+". All others are new.")
	}
	var left []string
	for _, f := range fault.Of(fault.Join(j.left)) {
		left = append(left, "\t"+strings.ReplaceAll(f.Text, "\n", "\n\t"))
	}
	if left != nil {
		j.plan.notes = append(j.plan.notes, "What is left to you:\n\n"+strings.Join(left, "\n"))
	}
	then := "Then "
	if up, err := filepath.Rel(p.Dir, j.app.Module.Dir); err == nil && up != "." {
		then += "cd " + filepath.ToSlash(up) + " && "
	}
	if workspace(p, j.app.Module.Dir) != "" { // its version of Go must not be older than that of go.mod
		then += "go work use && "
	}
	if j.tidy {
		then += "go mod tidy && "
	}
	if disk.IsDir(filepath.Join(j.app.Module.Dir, "vendor")) {
		then += "go mod vendor && "
	}
	program := "."
	if below, err := filepath.Rel(j.app.Module.Dir, j.main); err == nil && below != "." {
		program = "./" + filepath.ToSlash(below)
	}
	j.plan.notes = append(j.plan.notes, then+"go vet ./... && go test ./... && go run "+program+" check, and flow dev: sign up at /sign-up. In development, the links of mails are in the terminal, and at /_flow.",
		"The flag -admin ADDRESS makes the first admin. In production, the program needs -url, -from and SMTP_URL. "+accountsManual()+" tells of all that, and how to take the accounts out again.")
}

// accountsManual returns how messages name docs/accounts.md: where it is, if the source of flow is there.
func accountsManual() string {
	if dir, err := ownSource(); err == nil {
		name := filepath.Join(dir, "docs", "accounts.md")
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return "docs/accounts.md of flow"
}

// field returns the partial that shows a field of a form: the one at the root of the tree, or
// if that is another one than "flow new" writes, one in the directory of the accounts.
func (j *join) field() string {
	name := fieldName
	if source, ok := j.tree.Templates[fieldName]; ok {
		text, _ := fs.ReadFile(source.Files, source.InTree) // Check says what is wrong about it
		if showsAll(text) {
			return name
		}
		name = "(accounts)/" + fieldName
	}
	j.addFile(routetree.RouterDir+"/"+name+pageExt, fieldText())
	j.plan.notes = append(j.plan.notes, "The pages have the classes of a new application: check, detail, field, hint, lead, notice, quiet, row, rows, search and wrong. What \"flow new -accounts DIR\" writes as DIR/app/public/app.css has rules for them.")
	return name
}

// showsAll reports whether a partial shows all that the pages of the accounts give it. One that
// ignores the type shows passwords.
func showsAll(partial []byte) bool {
	return showsField(partial) && !slices.ContainsFunc([]string{".of.Type", ".of.Value", ".of.Wrong", ".autocomplete", ".hint"}, func(what string) bool {
		return !bytes.Contains(partial, []byte(what))
	})
}

// addFile plans a file of the tree.
func (j *join) addFile(inTree string, text []byte) {
	j.plan.files = append(j.plan.files, file{name: filepath.Join(j.app.Dir, filepath.FromSlash(inTree)), text: text})
}

// addLayouts plans a layout for an application that has none: at the root if it has no pages,
// which are whole documents else, or in each directory of the accounts.
func (j *join) addLayouts() {
	dirs := []string{""}
	if slices.ContainsFunc(j.tree.Routes, func(r *routetree.Route) bool { return r.Page }) {
		dirs = j.groups()
	}
	for _, dir := range dirs {
		j.addFile(path.Join(routetree.RouterDir, dir, layoutName+pageExt), layoutText(nameOf(j.app.Module.Path), nil))
	}
}

// groups returns the groups at the root of the tree that the accounts make. They have guards.
func (j *join) groups() (dirs []string) {
	for _, f := range j.ours {
		rest, ok := strings.CutPrefix(f.inTree, routetree.RouterDir+"/")
		if dir, _, below := strings.Cut(rest, "/"); ok && below && routetree.IsGroup(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// summary returns a line for each directory, with the number of its files, and those of
// router/ together.
func summary(names []string) (lines []string) {
	count := map[string]int{}
	var dirs []string
	for _, name := range names {
		dir := path.Dir(shown(name))
		if i := strings.Index(dir+"/", routetree.RouterDir+"/"); i == 0 || i > 0 && dir[i-1] == '/' {
			dir = dir[:i] + routetree.RouterDir
		}
		if count[dir]++; count[dir] == 1 {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		lines = append(lines, fmt.Sprintf("%s/\t%s", dir, fault.Count(count[dir], "file")))
	}
	return lines
}
