package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// lay writes empty files, but for go.mod, into a directory of its own.
func lay(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		text := ""
		if filepath.Base(file) == "go.mod" {
			text = "module example.org/" + filepath.Base(filepath.Dir(name)) + "\n"
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	one := []string{"m/go.mod", "m/main.go", "m/app/app.go", "m/app/router/users/a.html", "m/.git/x/router/a", "m/.git/x/a.go", "m/inner/go.mod", "m/inner/a.go", "m/inner/router/a.http"}
	two := append([]string{"m/shop/shop.go", "m/shop/router/a.html"}, one...)
	for _, tt := range []struct {
		name  string
		files []string
		dir   string
		want  string // the application, or
		err   string
	}{
		{"from the root of the module", one, "m", "m/app", ""},
		{"in the application", one, "m/app", "m/app", ""},
		{"in the tree", one, "m/app/router/users", "m/app", ""},
		{"in another module", one, "m/inner", "m/inner", ""},
		{"one of two", two, "m/shop/router", "m/shop", ""},
		{"two", two, "m", "", "there are several applications here, app and shop: go into the directory of one of them"},
		{"none", []string{"m/go.mod", "m/main.go", "m/router.go"}, "m", "", "no directory of the module example.org/m has a directory router beside Go files"},
		{"a package called router", []string{"m/go.mod", "m/main.go", "m/router/router.go"}, "m", "", "no directory of the module example.org/m has a directory router beside Go files"},
		{"no module", []string{"m/main.go"}, "m", "", "is in no Go module"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, tt.files...)
			dir := filepath.Join(root, filepath.FromSlash(tt.dir))
			t.Chdir(dir)
			app, err := Find(dir)
			if tt.err != "" {
				is.True(err != nil)
				is.True(strings.Contains(err.Error(), tt.err))
				return
			}
			is.NoErr(err)
			is.Equal(app.Dir, filepath.Join(root, filepath.FromSlash(tt.want)))
		})
	}
}

func TestApp(t *testing.T) {
	is := is.New(t)
	root := lay(t, "m/go.mod", "m/web/app/app.go", "m/web/app/router/users/[id].html")
	t.Chdir(filepath.Join(root, "m"))
	app, err := Find(filepath.Join(root, "m"))
	is.NoErr(err)
	is.Equal(app.ImportPath(), "example.org/m/web/app")
	is.Equal(app.Shown("users.id.go"), "web/app/users.id.go")
	is.Equal(app.Tree().Routes[0].File, "web/app/router/users/[id].html")
}

// TestSymlink finds the application of a module whose directory is a symbolic link.
func TestSymlink(t *testing.T) {
	is := is.New(t)
	root := lay(t, "m/go.mod", "m/main.go", "m/app/app.go", "m/app/router/a.html")
	link := filepath.Join(root, "link")
	if err := os.Symlink("m", link); err != nil {
		t.Skip(err)
	}
	t.Chdir(link)
	app, err := Find(link)
	is.NoErr(err)
	is.Equal(app.Dir, filepath.Join(link, "app"))
}

// TestUnreadable finds an application beside a directory of somebody else.
func TestUnreadable(t *testing.T) {
	is := is.New(t)
	root := lay(t, "m/go.mod", "m/main.go", "m/data/x/a.go", "m/app/app.go", "m/app/router/a.html")
	data := filepath.Join(root, "m", "data")
	is.NoErr(os.Chmod(data, 0))
	t.Cleanup(func() { os.Chmod(data, 0o700) })
	if _, err := os.ReadDir(data); err == nil {
		t.Skip("this user or system reads any directory")
	}
	app, err := Find(filepath.Join(root, "m"))
	is.NoErr(err)
	is.Equal(app.Dir, filepath.Join(root, "m", "app"))
}

func TestPackages(t *testing.T) {
	is := is.New(t)
	root := lay(t, "m/go.mod", "m/main.go", "m/app/app.go", "m/app/router/a.html", "m/app/public/a/b.js", "m/internal/router/router.go",
		"m/testdata/a/a.go", "m/_old/a.go", "m/.git/a.go", "m/vendor/a/a.go", "m/inner/go.mod", "m/inner/a.go", "m/docs/a.md")
	dirs, err := Module{Dir: filepath.Join(root, "m")}.Packages()
	is.NoErr(err)
	for i, dir := range dirs {
		dirs[i], err = filepath.Rel(root, dir)
		is.NoErr(err)
	}
	is.Equal(filepath.ToSlash(strings.Join(dirs, " ")), "m m/app m/internal/router")
}
