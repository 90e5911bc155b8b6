package scaffold

import (
	"go/format"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/mod/modfile"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/internal/command"
)

const librarySums = "example.com/x v1.0.0 h1:x=\n"

// library lays a checkout with what "flow new" reads of one.
func library(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/flow\n\ngo 1.99\n\nrequire (\n\tgithub.com/julienschmidt/httprouter v1.2.3\n\tgithub.com/matryer/is v1.4.1\n)\n",
		"go.sum": librarySums,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		name, module, calls string
		args                []string
	}{
		{"the name of the directory", "hello", "hello", []string{"hello"}},
		{"a module", "example.org/x/shop", "shop", []string{"hello", "-module", "example.org/x/shop"}},
		{"a version", "example.org/shop/v2", "shop", []string{"hello", "-module", "example.org/shop/v2"}},
		{"a name that the template has", "example.org/newapp/newapp-x", "newapp-x", []string{"hello", "-module", "example.org/newapp/newapp-x"}},
		{"an API", "hello", "hello", []string{"hello", "-api"}},
		{"deeper", "deep", "deep", []string{"a/b/deep"}},
		{"beside a repository", "repo", "repo", []string{"repo"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, map[string]string{"repo/.git/config": "", "repo/LICENSE": "MIT"})
			flow := library(t)
			code, out, errs := run(root, append([]string{"new", "-flow", flow}, tt.args...)...)
			is.Equal(errs, "")
			is.Equal(code, command.OK)
			is.True(strings.Contains(out, "module "+tt.module+". Next:\n\n\tcd "+tt.args[0]+"\n"))
			files := contents(t, filepath.Join(root, tt.args[0]))
			is.Equal(files["go.mod"], "module "+tt.module+"\n\ngo 1.99\n\nrequire example.com/flow v0.0.0\n\nrequire github.com/julienschmidt/httprouter v1.2.3 // indirect\n\nreplace example.com/flow => "+modfile.AutoQuote(filepath.ToSlash(flow))+"\n")
			is.Equal(files["go.sum"], librarySums)
			is.True(strings.HasPrefix(files["README.md"], "# "+tt.calls+"\n"))
			is.True(strings.Contains(files["README.md"], "## On other machines\n"))
			is.True(strings.Contains(out, "README.md says how to remove the sample"))
			is.True(strings.HasPrefix(files["AGENTS.md"], "# "+tt.calls+","))
			is.True(strings.HasPrefix(files[".gitignore"], "/"+tt.calls+"\n"))
			is.True(strings.HasSuffix(files[".gitattributes"], "\n* text=auto eol=lf\n"))
			is.True(strings.Contains(files["main.go"], `"`+tt.module+`/app"`))
			api := strings.Contains(strings.Join(tt.args, " "), "-api")
			is.Equal(api, files["app/router/+layout.html"] == "")
			is.Equal(api, files["app/public/app.css"] == "")
			is.Equal(api, files[".vscode/settings.json"] == "")
			for name, text := range files {
				if tt.calls != "newapp-x" && strings.Contains(text, "newapp") {
					t.Errorf("%s has still the name of the template", name)
				}
				if strings.HasSuffix(name, ".go") {
					formatted, err := format.Source([]byte(text))
					is.NoErr(err)
					is.Equal(text, string(formatted))
				}
			}
		})
	}
	t.Run("a site of documentation", func(t *testing.T) {
		is := is.New(t)
		root := lay(t, nil)
		code, out, errs := run(root, "new", "newapp-x", "-docs", "-flow", library(t))
		is.Equal(errs, "")
		is.Equal(code, command.OK)
		is.True(strings.Contains(out, "module newapp-x. Next:"))
		files := contents(t, filepath.Join(root, "newapp-x"))
		m, err := modfile.Parse("go.mod", []byte(files["go.mod"]), nil)
		is.NoErr(err)
		for _, r := range m.Require {
			if r.Mod.Path != libraryPath && r.Mod.Path != matcherPath {
				is.True(strings.Contains(files["go.sum"], r.Mod.Path+" "+r.Mod.Version+" h1:"))
			}
		}
		is.True(len(m.Require) > 2)
		is.True(strings.Contains(files["go.sum"], librarySums)) // those of the library, too
		is.True(strings.Contains(files["main.go"], `"newapp-x/app"`))
		is.True(strings.Contains(files["README.md"], "## On other machines\n"))
		is.True(files["app/router/docs/index.md"] != "")
		for name := range files {
			is.True(!strings.Contains(name, "notes")) // which belong to the other samples
		}
	})
	t.Run("accounts", func(t *testing.T) {
		is := is.New(t)
		root := lay(t, map[string]string{"desk-x/.gitignore": "/bin\n"})
		flow := library(t)
		code, out, errs := run(root, "new", "desk-x", "-accounts", "-flow", flow)
		is.Equal(errs, "")
		is.Equal(code, command.OK)
		is.True(strings.HasSuffix(out, "\nREADME.md says how to sign up for the first time, what production needs, and how the application leaves this machine.\n"))
		files := contents(t, filepath.Join(root, "desk-x"))
		is.Equal(files[".gitignore"], "/bin\n/desk-x\n/desk-x.exe\n*.test\n*.out\n*.db\n*.db-shm\n*.db-wal\n")
		is.True(strings.Contains(files["main.go"], "return r, addAccounts(r)"))
		is.True(strings.Contains(files["accounts.go"], `"desk-x/accounts"`))
		is.True(strings.Contains(files["README.md"], "flow dev -- -admin ada@example.com"))
		is.True(strings.Contains(files["README.md"], "## On other machines\n"))
		is.True(files["app/router/+field.html"] != "")
		for name, text := range files {
			is.True(!strings.Contains(text, templateName))
			is.True(!strings.Contains(name, "notes")) // which belong to the other samples
		}
		is.True(len(withSums(nil, []byte(files["go.sum"]))) > 0)
		is.Equal(files["go.sum"], string(withSums(nil, []byte(files["go.sum"])))) // in the order of the go command
	})
	t.Run("in a repository just made", func(t *testing.T) {
		is := is.New(t)
		theirs := map[string]string{".git/config": "", ".gitignore": "# of Go\n*.test\n/vendor/", ".gitattributes": "* text=auto\n", "readme.md": "# Mine\n", "LICENSE.md": "MIT"}
		root := lay(t, theirs)
		code, out, errs := run(root, "new", ".", "-flow", library(t), "-module", "hello")
		is.Equal(errs, "")
		is.Equal(code, command.OK)
		is.True(strings.HasPrefix(out, ". is made: "))
		is.True(strings.Contains(out, " files, module hello. Next:\n\n\tflow dev"))
		is.True(!strings.Contains(out, "README.md")) // which is theirs
		files := contents(t, root)
		is.Equal(files[".gitignore"], "# of Go\n*.test\n/vendor/\n/hello\n/hello.exe\n*.out\n")
		is.Equal(files["README.md"], "")
		is.True(files["app/app.go"] != "")
		for name, text := range theirs {
			if name != ".gitignore" {
				is.Equal(files[name], text)
			}
		}
	})
	t.Run("with a copy of flow", func(t *testing.T) {
		is := is.New(t)
		of := map[string]string{".gitattributes": "* -text\n", "LICENSE": "MIT", "flow.go": "package flow\n"}
		root := lay(t, adding(map[string]string{"flow/go.mod": "module example.com/flow\n\ngo 1.26\n", "flow/go.sum": "", "flow/flow_test.go": "package flow\n"},
			"flow/.gitattributes", of[".gitattributes"], "flow/LICENSE", of["LICENSE"], "flow/flow.go", of["flow.go"]))
		code, _, errs := run(root, "new", "hello", "-vendor", "-flow", filepath.Join(root, "flow"))
		is.Equal(errs, "")
		is.Equal(code, command.OK)
		files := contents(t, filepath.Join(root, "hello", "third_party", "flow"))
		is.True(strings.HasPrefix(files["go.mod"], "module example.com/flow\n"))
		delete(files, "go.mod")
		is.Equal(files, of)
	})
	t.Run("in the working directory", func(t *testing.T) {
		is := is.New(t)
		root := lay(t, map[string]string{"here/LICENSE": ""})
		code, out, _ := run(filepath.Join(root, "here"), "new", ".", "-flow", library(t))
		is.Equal(code, command.OK)
		is.True(strings.HasPrefix(out, ". is made: "))
		is.True(strings.Contains(out, " files, module here. Next:\n\n\tflow dev"))
	})
}

func TestWorkspace(t *testing.T) {
	root := lay(t, map[string]string{"in/go.work": "", "in/deep/x": "", "out/x": ""})
	around := filepath.Join(root, "in", "go.work")
	for _, tt := range []struct{ gowork, dir, want string }{
		{"", "in/new", around},
		{"", "in/deep/new", around},
		{"auto", "in/new", around},
		{"off", "in/new", ""},
		{"/other/go.work", "out/new", "/other/go.work"},
		{"", "out/new", ""},
	} {
		t.Run(tt.gowork+" "+tt.dir, func(t *testing.T) {
			is := is.New(t)
			p := cli.Process{Getenv: func(string) string { return tt.gowork }}
			is.Equal(workspace(p, filepath.Join(root, filepath.FromSlash(tt.dir))), tt.want)
		})
	}
	is := is.New(t)
	_, out, _ := run(filepath.Join(root, "in"), "new", "hello", "-flow", library(t))
	is.True(strings.Contains(out, "\tgo work use .    # since there is "+around+"\n"))
}

func TestNewFaults(t *testing.T) {
	notDirectory := syscall.ENOTDIR
	if runtime.GOOS == "windows" {
		notDirectory = 3 // ERROR_PATH_NOT_FOUND
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", command.Usage, "new: say one directory, as in: flow new hello"},
		{"a b", command.Usage, "new: say one directory"},
		{"x -api -docs", command.Usage, "new: -api has no pages, and -docs is nothing but pages: leave one of them out"},
		{"x -accounts -docs", command.Usage, "new: -accounts is an application of its own: leave it out, and run flow add -accounts in the new one"},
		{"x -api -accounts", command.Usage, "new: -accounts is an application of its own: leave it out, and run flow add -accounts in the new one"},
		{"full", command.Failure, "full is not empty, it has notes.txt: say a directory that does not exist, or an empty one"},
		{"full/notes.txt", command.Failure, notDirectory.Error()},
		{"full/notes.txt/x", command.Failure, notDirectory.Error()},
		{"Ünicode", command.Failure, "the name of the directory is no path of a module"},
		{"x -module a//b", command.Usage, "new: -module: malformed import path"},
		{"x -module ./y", command.Usage, "new: -module: malformed import path"},
		{".x", command.Failure, `the name of the directory is no path of a module (malformed module path ".x": leading dot in path element): say one with -module`},
		{"x -module example.com/.x", command.Usage, `new: -module: malformed module path "example.com/.x": leading dot in path element`},
		{"c++", command.Failure, `malformed module path "c++": invalid char '+'`},
		{"all", command.Failure, "the go tool takes all for a set of packages: say another path with -module, as in -module example.com/all"},
		{"x -module example.com/flow", command.Failure, "example.com/flow is the path of flow itself"},
		{"errors", command.Failure, "a package of Go's standard library is called errors: say another path with -module, as in -module example.com/errors"},
		{"x -module std", command.Failure, "a package of Go's standard library is called std"},
		{"app -flow good", command.Failure, "the application has app itself, so that its binary cannot be called app: say a module that ends in another name with -module, as in -module example.com/hello"},
		{"Notes -flow good", command.Failure, "the application has notes itself, so that its binary cannot be called Notes"},
		{"x -module example.com/readme.md/v2 -flow good", command.Failure, "the application has README.md itself"},
		{"x -flow full", command.Failure, "the source of flow is not in "},
		{"x -flow other", command.Failure, "go.mod is not the go.mod of example.com/flow: say with -flow where the source of flow is"},
		{"x -flow broken", command.Failure, "go.mod:1: "},
		{"x -flow bare", command.Failure, "go.sum"},
		{"x -flow good -vendor", command.Failure, "-vendor: go list in "},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, map[string]string{
				"full/notes.txt": "", "other/go.mod": "module example.com/other\n\ngo 1.26\n",
				"broken/go.mod": "module\n", "bare/go.mod": "module example.com/flow\n\ngo 1.26\n",
				"good/go.mod": "module example.com/flow\n\ngo 1.26\n", "good/go.sum": "",
			})
			before := contents(t, root)
			code, out, errs := run(root, append([]string{"new"}, strings.Fields(tt.args)...)...)
			is.Equal(out, "")
			if !strings.Contains(errs, tt.want) {
				t.Errorf("got %q, want in it %q", errs, tt.want)
			}
			is.Equal(code, tt.code)
			is.Equal(contents(t, root), before) // nothing is made
		})
	}
}

// TestOwnCheckout reads the checkout that this test was built from.
func TestOwnCheckout(t *testing.T) {
	is := is.New(t)
	c, err := findCheckout("")
	if err != nil && strings.Contains(err.Error(), "-trimpath") {
		t.Skip(err)
	}
	is.NoErr(err)
	is.True(c.matcher != "")
	is.True(strings.Contains(string(c.sums), matcherPath+" "+c.matcher+" h1:"))
}

// The file for httpyac is the one of the sample.
func TestNewWritesTheFileOfHttpyac(t *testing.T) {
	is := is.New(t)
	of, err := os.ReadFile("../../../../.httpyac.js")
	is.NoErr(err)
	root := lay(t, nil)
	code, _, errs := run(root, "new", "hello", "-flow", library(t))
	is.Equal(code, command.OK)
	is.Equal(errs, "")
	is.Equal(contents(t, root)["hello/.httpyac.js"], string(of))
}
