package scaffold

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/build"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/internal/command"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/shell"
)

// New is the command "flow new".
var New = cli.Command{
	Name:  "new",
	Args:  "DIR",
	Short: "make an application",
	Long: `
Makes an application in a directory that does not exist or is empty; a repository (.git)
that was just made may be there, with a license, a README and a .gitattributes, which stay
as they are, and a .gitignore, which gets more lines. It builds and passes its tests: a page, a form, a JSON
endpoint, an error page, a style sheet, tests that ask for each route, settings for
editors, and AGENTS.md.

Its go.mod replaces example.com/flow by the checkout that this program was built from.
With -vendor the application has copies of flow and of what flow imports, so that it
builds on any machine that has Go.

With -docs it is a site: documentation and a blog of Markdown pages, with a sidebar, a feed
and a sitemap. goldmark, chroma and a YAML library are modules of the application then.

With -accounts people sign up, and sign in by a password, a passkey or a link in a mail. The
accounts are in a file of SQLite or in PostgreSQL. The drivers of both, golang.org/x/crypto, and
libraries for passkeys and mails are modules of the application then, which the go command
downloads, with -vendor too. In an application that exists, flow add -accounts does this.`,
	Setup: func(flags *flag.FlagSet) cli.Work {
		var n newApp
		flags.StringVar(&n.module, "module", "", "the `path` of its module; the name of the directory if not given")
		flags.StringVar(&n.flow, "flow", "", "the `directory` of the checkout of flow, if it is not where this\nprogram was built from")
		flags.BoolVar(&n.api, "api", false, "no pages: JSON endpoints and their tests")
		flags.BoolVar(&n.accounts, "accounts", false, "people sign up and sign in; needs modules of others, which the go\ncommand downloads")
		flags.BoolVar(&n.docs, "docs", false, "a site of Markdown pages: documentation and a blog; needs modules\nof others, which the go command downloads")
		flags.BoolVar(&n.vendor, "vendor", false, "copy flow and what it imports into third_party/")
		return n.run
	},
}

// A newApp is what the flags of "flow new" say.
type newApp struct {
	module, flow string
	api, docs    bool
	accounts     bool
	vendor       bool
}

func (n *newApp) run(ctx context.Context, p cli.Process, args, _ []string) error {
	if len(args) != 1 {
		return command.Usagef("new: say one directory, as in: flow new hello")
	}
	switch {
	case n.api && n.docs:
		return command.Usagef("new: -api has no pages, and -docs is nothing but pages: leave one of them out, and add the other part with flow add")
	case n.accounts && (n.api || n.docs):
		return command.Usagef("new: -accounts is an application of its own: leave it out, and run flow add -accounts in the new one")
	}
	dir := absolute(p.Dir, args[0])
	if err := checkEmpty(dir, args[0]); err != nil {
		return err
	}
	if err := n.checkModule(dir); err != nil {
		return err
	}
	if n.flow != "" {
		n.flow = absolute(p.Dir, n.flow)
	}
	library, err := findCheckout(n.flow)
	if err != nil {
		return err
	}
	if n.vendor {
		if library, err = library.vendor(ctx); err != nil {
			return err
		}
	}
	files, err := n.files(dir, library)
	if err != nil {
		return err
	}
	if err := n.checkName(dir, files); err != nil {
		return err
	}
	made, anew, err := beside(dir, files)
	if err != nil {
		return err
	}
	if err := write(made, anew); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s is made: %d files, module %s. Next:\n\n", args[0], len(made), n.module)
	if dir != p.Dir {
		fmt.Fprintf(p.Stdout, "\tcd %s\n", shell.Quote(filepath.ToSlash(args[0])))
	}
	if file := workspace(p, dir); file != "" {
		fmt.Fprintf(p.Stdout, "\tgo work use .    # since there is %s\n", file)
	}
	fmt.Fprint(p.Stdout, "\tflow dev         # http://localhost:8080, and the route map at /_flow\n\tgo test ./...\n")
	if slices.ContainsFunc(made, func(f file) bool { return f.name == filepath.Join(dir, "README.md") }) {
		says := "how to remove the sample"
		if n.accounts {
			says = "how to sign up for the first time, what production needs"
		}
		fmt.Fprintf(p.Stdout, "\nREADME.md says %s, and how the application leaves this machine.\n", says)
	}
	return nil
}

// checkModule checks the path of the module, or takes it from the directory.
func (n *newApp) checkModule(dir string) error {
	flagged := n.module != ""
	if !flagged {
		n.module = filepath.Base(dir)
	}
	err := checkPath(n.module)
	switch {
	case err != nil && flagged:
		return command.Usagef("new: -module: %v", err)
	case err != nil:
		return fmt.Errorf("the name of the directory is no path of a module (%w): say one with -module, as in -module example.com/hello", err)
	case n.module == libraryPath:
		return errors.New("example.com/flow is the path of flow itself: say another with -module")
	case slices.Contains([]string{"all", "tool", "work"}, n.module):
		return fmt.Errorf("the go tool takes %s for a set of packages: say another path with -module, as in -module example.com/%[1]s", n.module)
	case isStandard(n.module):
		return fmt.Errorf("a package of Go's standard library is called %s: say another path with -module, as in -module example.com/%[1]s", n.module)
	}
	return nil
}

// checkPath returns what is wrong with the path of a module. Unlike one that is published,
// its first element needs no dot.
func checkPath(path string) error {
	if err := module.CheckImportPath(path); err != nil {
		return err
	}
	invalid, ok := errors.AsType[*module.InvalidPathError](module.CheckPath("example.com/" + path))
	if !ok {
		return nil
	}
	invalid.Path = path
	return invalid
}

// checkName returns an error if the application is called like one of its own files or
// directories: "go build" could not write its binary, and .gitignore would hide the source.
func (n *newApp) checkName(dir string, files []file) error {
	for _, f := range files {
		below, _ := filepath.Rel(dir, f.name)
		top, _, _ := strings.Cut(filepath.ToSlash(below), "/")
		if strings.EqualFold(top, n.name()) {
			return fmt.Errorf("the application has %s itself, so that its binary cannot be called %s: say a module that ends in another name with -module, as in -module example.com/hello", top, n.name())
		}
	}
	return nil
}

// isStandard reports whether the standard library has a directory of that name, as far as
// this program knows where the library is.
func isStandard(module string) bool {
	return module == "std" || build.Default.GOROOT != "" && disk.IsDir(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(module)))
}

// absolute returns a name that was given on the command line as an absolute one.
func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// ignoreFile names what git leaves alone, and attributesFile says how git checks files out. In the
// template they have no dot.
const (
	ignoreFile     = ".gitignore"
	attributesFile = ".gitattributes"
)

// besides reports whether a file may be in the directory of a new application: a repository
// is often made first, and what makes it offers a license, a README, a .gitignore and a
// .gitattributes.
func besides(name string) bool {
	return slices.Contains([]string{".git", ignoreFile, attributesFile, ".hg", ".jj"}, name) || isLicense(name) || isReadme(name)
}

func isLicense(name string) bool {
	return isCalled(name, "LICENSE", "LICENCE", "COPYING", "UNLICENSE", "NOTICE")
}

func isReadme(name string) bool { return isCalled(name, "README") }

// isCalled reports whether a file has one of some names, whatever its extension and case.
func isCalled(name string, names ...string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	return slices.Contains(names, stem)
}

// checkEmpty returns an error if no application can be made in dir, which is called shown.
func checkEmpty(dir, shown string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	for _, e := range entries {
		if !besides(e.Name()) {
			return fmt.Errorf("%s is not empty, it has %s: say a directory that does not exist, or an empty one", shown, e.Name())
		}
	}
	return nil
}

// beside returns those of the files of an application that are to be made beside what is in
// dir, and those to be written anew: a README and a .gitattributes stay as they are, and a
// .gitignore gets the lines that it lacks.
func beside(dir string, files []file) (made, anew []file, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	hasReadme := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isReadme(e.Name()) })
	for _, f := range files {
		if hasReadme && isReadme(filepath.Base(f.name)) && filepath.Dir(f.name) == dir {
			continue
		}
		text, err := os.ReadFile(f.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			made = append(made, f)
		case err != nil:
			return nil, nil, err
		case filepath.Base(f.name) == attributesFile: // in which a line more could undo one of theirs
		default: // only the .gitignore can be there
			if merged := withLines(string(text), string(f.text)); merged != string(text) {
				anew = append(anew, file{f.name, []byte(merged), string(text)})
			}
		}
	}
	return made, anew, nil
}

// withLines returns a text with the lines of another one that it lacks at its end.
func withLines(text, others string) string {
	has := map[string]bool{}
	end := "\n"
	for line := range strings.Lines(text) {
		has[strings.TrimSpace(line)] = true
		if strings.HasSuffix(line, "\r\n") {
			end = "\r\n"
		}
	}
	for line := range strings.Lines(others) {
		if line = strings.TrimSpace(line); has[line] {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += end
		}
		text += line + end
	}
	return text
}

// workspace returns the go.work that dir would be in, or "".
func workspace(p cli.Process, dir string) string {
	switch file := p.Getenv("GOWORK"); file {
	case "off":
		return ""
	case "", "auto":
	default:
		return file
	}
	for at := dir; ; at = filepath.Dir(at) {
		file := filepath.Join(at, "go.work")
		if _, err := os.Stat(file); err == nil {
			return file
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// files returns the files of the application.
func (n *newApp) files(dir string, library checkout) ([]file, error) {
	var files []file
	add := func(name string, text []byte) {
		files = append(files, file{name: filepath.Join(dir, filepath.FromSlash(name)), text: text})
	}
	parts := []string{"common", "sample", "html", "pages"}
	others := "" // the part whose modules it needs
	switch {
	case n.api:
		parts = []string{"common", "sample", "api"}
	case n.docs:
		parts = []string{"common", "docs"}
		others = "docs"
	case n.accounts:
		parts = []string{"common", "html", "members", "accounts"}
		others = "accounts"
	}
	var modules []*modfile.Require
	if others != "" {
		needs, err := modulesOf(others)
		if err != nil {
			return nil, err
		}
		library.goVersion, modules = newer(library.goVersion, needs.goVersion), needs.require
		library.sums = withSums(library.sums, needs.sums)
	}
	goMod, err := library.goMod(n.module, modules)
	if err != nil {
		return nil, err
	}
	add("go.mod", goMod)
	if library.sums != nil {
		add("go.sum", library.sums)
	}
	for _, f := range library.copies {
		add(f.name, f.text)
	}
	for _, part := range parts {
		err := eachOf(part, func(below string, text []byte) error {
			if below == "README.md" {
				from := "checkout"
				if n.vendor {
					from = "vendored"
				}
				machines, err := template.ReadFile("_template/machines/" + from + ".md")
				if err != nil {
					return err
				}
				text = slices.Concat(text, []byte("\n"), machines)
			}
			text, err := n.fill(below, text)
			if err != nil {
				return err
			}
			if slices.Contains([]string{ignoreFile[1:], attributesFile[1:], "httpyac.js"}, below) { // under its own name it would be one of this repository
				below = "." + below
			}
			ignored := slices.IndexFunc(files, func(f file) bool { return below == ignoreFile && filepath.Base(f.name) == ignoreFile })
			if ignored >= 0 { // of another part
				files[ignored].text = append(files[ignored].text, text...)
				return nil
			}
			add(below, text)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// fill puts the names of the application into a file of the template.
func (n *newApp) fill(name string, text []byte) ([]byte, error) {
	filled := []byte(named(string(text), n.module))
	if path.Ext(name) == ".go" {
		return format.Source(filled) // the imports have another order
	}
	return filled, nil
}

// name returns what the application is called.
func (n *newApp) name() string { return nameOf(n.module) }
