// Package programs_test builds applications and holds what they print against what their
// archives want. It is for what only a program of its own can show: static calls, which
// run before main, and the files that faults name.
//
// An archive testdata/NAME.txtar holds the files of the program NAME. Two kinds of files
// in it are no part of the program:
//
//	-- want --       what it prints when it starts in the root of the module
//	-- want DIR --   what it prints when it starts in its directory DIR: not of a build
//	                 with -trimpath, which does not know where its files are
//
// $GOOS stands for the operating system, in names and texts. "go test -update" writes what
// the programs print into the archives.
package programs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"

	_ "example.com/flow" // the go command then runs these tests again when they have changed
	_ "example.com/flow/export"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// TestPrograms builds the programs in the ways that matter to static calls: -trimpath
// changes the names of the files that a call knows, -race and -cover change its code.
// The one with -trimpath is the cheapest if it was built before, since its packages do
// not depend on the directory that they are built in.
func TestPrograms(t *testing.T) {
	for _, flags := range []string{"-trimpath", "", "-race", "-cover"} {
		t.Run("go build "+flags, func(t *testing.T) {
			if flags != "-trimpath" {
				servertest.Slow(t)
			}
			archives := readArchives(t)
			dir := newModule(t, archives)
			goTool(t, dir, append(strings.Fields("build -ldflags=-w -o bin/ "+flags), "./...")...)
			for _, a := range archives {
				t.Run(a.name, func(t *testing.T) { a.run(t, dir, flags != "-trimpath") })
			}
		})
	}
}

// TestStaticCallsUnderTest: in a test binary, static calls stand in a package of another name.
func TestStaticCallsUnderTest(t *testing.T) {
	servertest.Slow(t)
	is := is.New(t)
	archives := readArchives(t)
	dir := newModule(t, archives)
	out := goTool(t, dir, strings.Fields("test -v -vet=off -trimpath -coverpkg=./... ./static")...)
	for _, a := range archives {
		if want := a.text("want"); a.name == "static" {
			is.True(want != "" && strings.Contains(out, want))
		}
	}
}

// TestGroupsOfTheSample runs the tests of the sample application after its files have moved
// into groups, and out of the ones they were in. The test that lists the files is left out.
func TestGroupsOfTheSample(t *testing.T) {
	servertest.Slow(t)
	for _, tt := range []struct {
		name string
		move func(file string) string
	}{
		{"users in a group", func(file string) string {
			return strings.Replace(file, "app/router/users", "app/router/(people)/users", 1)
		}},
		{"all but the root's +files in groups", func(file string) string {
			if strings.HasPrefix(file, "app/router/+") {
				return file
			}
			return strings.Replace(file, "app/router/", "app/router/(site)/(all)/", 1)
		}},
		{"logins in no group", func(file string) string { return strings.Replace(file, "(auth)/", "", 1) }},
		{"a group within the directory", func(file string) string {
			return strings.Replace(file, "app/router/blog/[year]", "app/router/blog/(posts)/[year]", 1)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			sample := archive{name: "sample"}
			repo := os.DirFS(filepath.Join("..", "..", ".."))
			is.NoErr(fs.WalkDir(repo, "app", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := fs.ReadFile(repo, name)
				sample.Files = append(sample.Files, flowtest.ArchiveFile{Name: tt.move(name), Text: string(text)})
				return err
			}))
			out := goTool(t, newModule(t, []*archive{&sample}), "test", "-v", "-vet=off", "-skip=^TestRouteTable$", "./sample/app")
			is.True(strings.Contains(out, "--- PASS: TestAdminLayout")) // the tests have run
		})
	}
}

// newModule writes the programs into a module outside of the repository that uses this
// one, each below the directory of its name, and returns where it is.
func newModule(t *testing.T, programs []*archive) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs")
	}
	is := is.New(t)
	repo, err := filepath.Abs(filepath.Join("..", "..", ".."))
	is.NoErr(err)
	mod, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	is.NoErr(err)
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	is.NoErr(err)
	_, requires, _ := strings.Cut(string(mod), "\ngo ")
	files := []flowtest.ArchiveFile{
		{Name: "go.mod", Text: "module example.com/programs\n\ngo " + requires + "\nrequire example.com/flow v0.0.0\n\nreplace example.com/flow => " + strconv.Quote(filepath.ToSlash(repo)) + "\n"},
		{Name: "go.sum", Text: string(sum)},
	}
	for _, p := range programs {
		for _, f := range p.Files {
			if _, isWant := startsIn(f.Name); !isWant {
				files = append(files, flowtest.ArchiveFile{Name: p.name + "/" + f.Name, Text: f.Text})
			}
		}
	}
	dir = t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		is.NoErr(os.MkdirAll(filepath.Dir(name), 0o755))
		is.NoErr(os.WriteFile(name, []byte(f.Text), 0o644))
	}
	return dir
}

// goTool runs the go command in a directory, without network, and returns what it prints.
func goTool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// run starts the program, which is built in module/bin, once for each of its wanted
// outputs, and only for that in the root of the module unless it knows its directories.
func (a *archive) run(t *testing.T, module string, knows bool) {
	is := is.New(t)
	runs, changed := 0, false
	for i, f := range a.Files {
		start, ok := startsIn(f.Name)
		if !ok || start != "" && !knows {
			continue
		}
		runs++
		cmd := exec.Command(filepath.Join(module, "bin", a.name))
		cmd.Dir = module
		if start != "" {
			cmd.Dir = filepath.Join(module, a.name, filepath.FromSlash(start))
		}
		cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir()) // else those of -cover warn
		out, err := cmd.CombinedOutput()
		is.NoErr(err)
		if flowtest.Update() && f.Text != string(out) {
			a.Files[i].Text, changed = string(out), true
			continue
		}
		is.Equal(string(out), f.Text)
	}
	is.True(runs > 0) // an archive says what it wants
	if changed {
		is.NoErr(os.WriteFile(a.path(), []byte(strings.ReplaceAll(a.String(), runtime.GOOS, "$GOOS")), 0o644))
	}
}

// An archive is a program and what it should print.
type archive struct {
	name string // of the program
	flowtest.Archive
}

// startsIn says in which directory of the program it starts, if the file of this name is
// what it should print there.
func startsIn(name string) (dir string, ok bool) {
	rest, ok := strings.CutPrefix(name, "want")
	return strings.TrimSpace(rest), ok
}

// text returns the text of a file, or "" if there is none of that name.
func (a *archive) text(name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Text
		}
	}
	return ""
}

// path returns the file that the archive is in.
func (a *archive) path() string { return filepath.Join("testdata", a.name+".txtar") }

// readArchives reads all archives.
func readArchives(t *testing.T) []*archive {
	t.Helper()
	is := is.New(t)
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	is.NoErr(err)
	is.True(len(paths) > 0)
	var all []*archive
	for _, path := range paths {
		text, err := os.ReadFile(path)
		is.NoErr(err)
		a := flowtest.ParseArchive(strings.ReplaceAll(string(text), "$GOOS", runtime.GOOS))
		all = append(all, &archive{strings.TrimSuffix(filepath.Base(path), ".txtar"), a})
	}
	return all
}
