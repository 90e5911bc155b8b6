package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

// lay writes files into a directory of its own: go.mod, Go files called site.go, which make a
// Router, and empty ones.
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
		if filepath.Base(file) == "site.go" {
			text = "package app\n\nimport web \"example.com/flow\"\n\nvar Router = web.New(files)\n"
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFindLocatesTheApplication(t *testing.T) {
	one := []string{"m/go.mod", "m/main.go", "m/app/app.go", "m/app/router/users/a.html", "m/.git/x/router/a", "m/.git/x/a.go", "m/inner/go.mod", "m/inner/a.go", "m/inner/router/a.http"}
	two := append([]string{"m/shop/shop.go", "m/shop/router/a.html"}, one...)
	theme := []string{"m/go.mod", "m/main.go", "m/app/site.go", "m/app/router/a.html", "m/theme/theme.go", "m/theme/router/+layout.html"}
	for _, tt := range []struct {
		name  string
		files []string
		dir   string
		want  string // the application, or
		err   string
		names []string
	}{
		{"from the root of the module", one, "m", "m/app", "", nil},
		{"in the application", one, "m/app", "m/app", "", nil},
		{"in the tree", one, "m/app/router/users", "m/app", "", nil},
		{"in another module", one, "m/inner", "m/inner", "", nil},
		{"one of two", two, "m/shop/router", "m/shop", "", nil},
		{"two", two, "m", "", "there are several applications here, app and shop: go into the directory of one of them, or write the path with it, as in app/router/about", nil},
		{"two, and the path of a new file in one", two, "m", "m/shop", "", []string{"shop/router/b.html"}},
		{"two, and a public file", two, "m", "m/shop", "", []string{"./shop/public/b.css"}},
		{"two, and an absolute path", two, "m", "m/shop", "", []string{"/m/shop/router/b.html"}},
		{"two, and the path of one in the other", two, "m/app", "m/shop", "", []string{"shop/router/b.html"}},
		{"two, and the path from the other", two, "m/app", "m/shop", "", []string{"../shop/router/b.html"}},
		{"two, and a path below router", two, "m", "", "there are several applications here", []string{"shop/b"}},
		{"two, and a directory", two, "m", "", "there are several applications here", []string{"shop/router"}},
		{"two files of one", two, "m", "m/app", "", []string{"app/router/a.html", "app/router/b.html"}},
		{"a file of each", two, "m", "", "app/router/a.html and shop/router/a.html are of several applications, app and shop: name files of one", []string{"app/router/a.html", "shop/router/a.html"}},
		{"the path from the tree itself", two, "m/app/router", "m/app", "", []string{"router/b.html"}},
		{"shared templates", theme, "m", "m/app", "", nil},
		{"shared templates, by their path", theme, "m", "m/theme", "", []string{"theme/router/+row.html"}},
		{"in shared templates", theme, "m/theme", "m/theme", "", nil},
		{"at the root and below", []string{"m/go.mod", "m/site.go", "m/router/a.html", "m/admin/site.go", "m/admin/router/a.html"}, "m", "m/admin", "", []string{"admin/router/b"}},
		{"at the root, in the one below", []string{"m/go.mod", "m/site.go", "m/router/a.html", "m/admin/site.go", "m/admin/router/a.html"}, "m/admin", "m/admin", "", []string{"router/b"}},
		{"none", []string{"m/go.mod", "m/main.go", "m/router.go"}, "m", "", "no directory of the module example.org/m has a directory router beside Go files", nil},
		{"a package called router", []string{"m/go.mod", "m/main.go", "m/router/router.go"}, "m", "", "no directory of the module example.org/m has a directory router beside Go files", nil},
		{"no module", []string{"m/main.go"}, "m", "", "is in no Go module", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, tt.files...)
			dir := filepath.Join(root, filepath.FromSlash(tt.dir))
			t.Chdir(dir)
			for i, name := range tt.names {
				if strings.HasPrefix(name, "/") {
					tt.names[i] = root + name
				}
			}
			app, err := Find(dir, tt.names...)
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

func TestFromRoot(t *testing.T) {
	root := lay(t, "m/go.mod", "m/app/site.go", "m/app/router/a.html")
	a := App{Module{Dir: filepath.Join(root, "m")}, filepath.Join(root, "m", "app")}
	for _, tt := range []struct{ dir, name, want string }{
		{"m/app", "app/router/(auth)/forgot.html", "ROOT/m/app/router/(auth)/forgot.html"},
		{"m/app", "app/router/users/", "ROOT/m/app/router/users/"},
		{"m/app/router/users", "app/public/a.css", "ROOT/m/app/public/a.css"},
		{"m/cmd", "app/router/x", "ROOT/m/app/router/x"},
		{"m", "app/router/x", "app/router/x"}, // so it is from here
		{"m/app", "router/app/router/x", "router/app/router/x"},
		{"m/app", "app/router", "app/router"},
		{"m/app", "app/x", "app/x"},
		{"m/app", "/app/router/x", "/app/router/x"},
		{"m/app", "users/[id]", "users/[id]"},
		{"m/app/router", "x", "x"},
		{"m/app", ".", "."},
		{"m/app", "", ""},
	} {
		t.Run(tt.name+" in "+tt.dir, func(t *testing.T) {
			is := is.New(t)
			got := a.FromRoot(filepath.Join(root, filepath.FromSlash(tt.dir)), tt.name)
			is.Equal(strings.Replace(filepath.ToSlash(got), filepath.ToSlash(root), "ROOT", 1), tt.want)
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
	flowtest.Symlink(t, "m", link)
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
