package flow

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/servertest"
)

// staticMain is the main.go of the applications below: it prints the faults, or
// what the application answers.
const staticMain = `package main

import (
	"embed"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"

	"example.com/flow"
)

//go:embed all:router
var files embed.FS

type App struct{ greeting string }

func main() {
	for _, greeting := range []string{"hello", "goodbye"} {
		r := flow.New(files).Provide(&App{greeting})
		if _, err := flow.Route("users.show", "id", 1); err != nil {
			fmt.Println(err)
		}
		if err := r.Check(); err != nil {
			fmt.Println(err)
			return
		}
		r.Logger = slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "time" || a.Key == "directory" {
				return slog.Attr{}
			}
			return a
		}}))
		for _, target := range []string{"/users/42", "/about", "/", "/login"} {
			w := httptest.NewRecorder()
			r.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
			fmt.Println(target, w.Code, w.Header().Get("Early"), w.Body)
		}
		fmt.Println(flow.Route("users.show", "id", 1))
	}
}
`

// staticFiles is an application of static calls, in a package of its own.
func staticFiles() map[string]string {
	return map[string]string{
		"main.go":                  staticMain,
		"router/users/[id].http":   "",
		"router/about.http":        "",
		"router/index.http":        "",
		"router/(auth)/login.http": "",
		"users.id.go":              "package main\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.With(func(f *flow.File, a *App) {\n\t\tf.GET().Name(\"users.show\").Do(func(req *flow.Request) string { return a.greeting + \" \" + req.Param(\"id\") })\n\t})\n}\n",
		"about.go":                 "package main\n\nimport \"example.com/flow\"\n\n// Package variables come before init functions.\nvar _ = flow.GET().Do(func(*flow.Request) string { return \"about\" })\n",
		"index.go":                 "package main\n\nimport \"example.com/flow\"\n\nfunc init() { flow.ANY().Do(func(*flow.Request) string { return \"index\" }) }\n",
		"elsewhere.go":             "package main\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.Use(func(*flow.Request) flow.Response { return flow.Next().Header(\"Early\", \"yes\") })\n\tflow.In(\"(auth)\").Use(func(*flow.Request) flow.Response { return flow.Text(\"guarded\") })\n\tflow.At(\"login\").GET().Do(func(*flow.Request) string { return \"login\" })\n}\n",
		"main_test.go":             "package main\n\nimport \"testing\"\n\nfunc TestMain(t *testing.T) { main() }\n",
	}
}

const staticAnswers = `flow: Route: no Router of this directory was checked yet: call its Check first
/users/42 200 yes hello 42
/about 200 yes about
/ 200 yes index
/login 200 yes guarded
/users/1 <nil>
/users/42 200 yes goodbye 42
/about 200 yes about
/ 200 yes index
/login 200 yes guarded
/users/1 <nil>
`

// goTool runs the go command on an application outside of the repository, which
// uses this one, without network.
func goTool(t *testing.T, app map[string]string, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	repo, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(mod), "\ngo ")
	dir := t.TempDir()
	app["go.sum"] = string(sum)
	app["go.mod"] = "module example.com/static\n\ngo " + requires + "\nrequire example.com/flow v0.0.0\n\nreplace example.com/flow => " + strconv.Quote(filepath.ToSlash(repo)) + "\n"
	for name, text := range app {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestStaticCalls(t *testing.T) {
	for _, args := range []string{"run -trimpath .", "run -race .", "run -cover ."} {
		t.Run("go "+args, func(t *testing.T) {
			is := is.New(t)
			if !strings.Contains(args, "-trimpath") {
				servertest.Slow(t) // these builds share nothing with others
			}
			out := goTool(t, staticFiles(), strings.Fields(args)...)
			out = strings.ReplaceAll(out, "warning: GOCOVERDIR not set, no coverage data emitted\n", "")
			is.Equal(out, staticAnswers)
		})
	}
	for _, args := range []string{"test -v -trimpath -race -coverpkg=./... ."} {
		t.Run("go "+args, func(t *testing.T) {
			is := is.New(t)
			servertest.Slow(t)
			is.True(strings.Contains(goTool(t, staticFiles(), strings.Fields(args)...), staticAnswers))
		})
	}
}

// TestFilesOfFaults: faults name files from the working directory, where a terminal finds
// them, and else by the directory that holds the tree. Routers inside others are told apart.
func TestFilesOfFaults(t *testing.T) {
	app := func(name string) string {
		return `package ` + name + `

import (
	"embed"

	"example.com/flow"
)

//go:embed all:router all:public
var files embed.FS

func New() *flow.Router {
	flow.At("none")
	return flow.New(files)
}
`
	}
	program := map[string]string{
		"main.go": `package main

import (
	"fmt"
	"os"

	"example.com/static/shop"
	"example.com/static/web/admin"
)

func main() {
	if len(os.Args) > 1 {
		os.Chdir(os.Args[1])
	}
	r := shop.New()
	r.Mount("/admin", admin.New())
	fmt.Println(r.Check())
}
`,
		"shop/app.go":                     app("shop"),
		"shop/router/users.html":          "U",
		"shop/router/users/index.html":    "U",
		"shop/router/a.html":              "\n{{route `nobody`}}",
		"shop/router/b.http":              "",
		"shop/router/[c.html":             "",
		"shop/public/users":               "",
		"web/admin/app.go":                app("admin"),
		"web/admin/router/(x)/a.html":     "{{template `+row`}}",
		"web/admin/router/(x)/users.css":  "",
		"web/admin/public/deep/down/.a.b": "",
	}
	const faults = `
Mount("/admin"): WEB/admin/app.go:13: At("none"): the tree has no such route file: write the path below router/ with its brackets and without extension, as in "users/[id]"
Mount("/admin"): WEB/admin/router/(x)/a.html:1: no partial is called "+row": there is no router/+row.html
Mount("/admin"): WEB/admin/router/(x)/users.css: a route file ends in .html (a page) or .http (an endpoint): other files belong in public/
shop/app.go:13: At("none"): the tree has no such route file: write the path below router/ with its brackets and without extension, as in "users/[id]"
shop/router/[c.html: a parameter fills a whole segment, and "[c" is not one of [id], [[id]], [...id], [[...id]]
shop/router/a.html:2: no route is called "nobody": name one with Name, or use an automatic name
shop/router/b.http: no handler is registered for it: call flow.GET().Do(…) in shop/b.go, or flow.At("b").GET().Do(…) in another file there
shop/router/users.html and shop/public/users both answer /users: rename one of them
shop/router/users.html and shop/router/users/index.html both answer /users: rename one of them
`
	for _, tt := range []struct{ args, shop, web string }{
		{"run .", "shop/", "web/"},
		{"run -trimpath .", "shop/", "web/"},
		{"run . shop", "", ""}, // shop is the working directory, and web is not below it
	} {
		t.Run("go "+tt.args, func(t *testing.T) {
			is := is.New(t)
			if tt.args != "run ." {
				servertest.Slow(t)
			}
			got := strings.Split(strings.TrimSpace(goTool(t, maps.Clone(program), strings.Fields(tt.args)...)), "\n")
			want := strings.Split(strings.TrimSpace(strings.NewReplacer("WEB/", tt.web, "shop/", tt.shop).Replace(faults)), "\n")
			slices.Sort(want) // the order is that of the names
			slices.Sort(got)
			is.Equal(strings.Join(got, "\n"), strings.Join(want, "\n"))
		})
	}
}

// TestRegistrationsForNobody has static calls in directories that make no Router, or make
// it late.
func TestRegistrationsForNobody(t *testing.T) {
	is := is.New(t)
	const newRouter = "flow.New(fstest.MapFS{\"router/a.html\": {}})"
	out := goTool(t, map[string]string{
		"main.go": `package main

import (
	"fmt"

	"example.com/flow"
	"example.com/static/app"
	"example.com/static/guards"
)

func main() {
	fmt.Println(app.New().Check())
	guards.Late()
	fmt.Println(app.New().Check())
	_, err := flow.Route("a")
	fmt.Println(err)
}
`,
		"app/app.go":       "package app\n\nimport (\n\t\"testing/fstest\"\n\n\t\"example.com/flow\"\n)\n\nfunc New() *flow.Router { return " + newRouter + " }\n",
		"guards/guards.go": "package guards\n\nimport (\n\t\"testing/fstest\"\n\n\t\"example.com/flow\"\n\t_ \"example.com/static/more\"\n)\n\nfunc init() { flow.In(\"\").Use(func(*flow.Request) flow.Response { return flow.Next() }) }\n\nfunc Late() { " + newRouter + " }\n",
		"more/a.go":        "package more\n\nimport \"example.com/flow\"\n\nvar (\n\t_ = flow.GET()\n\t_ = flow.POST()\n)\n",
	}, "run", "-trimpath", ".")
	const nobody = "static calls are for the Routers that flow.New makes in the same directory, and it has made none here: call it here before the first Check of the program, or register with At, In and Use of a Router\n"
	is.Equal(out, "guards/guards.go:10: "+nobody+"more/a.go:6: "+nobody+
		"more/a.go:6: "+nobody+
		"flow: Route: no Router of this directory was checked yet: call its Check first\n")
}

// TestGroupsOfTheSample runs the tests of the sample application after its files have moved
// into groups, and out of the ones they were in. The test that lists the files is left out.
func TestGroupsOfTheSample(t *testing.T) {
	servertest.Slow(t)
	for _, tt := range []struct {
		name string
		move func(file string) string
	}{
		{"as it is", func(file string) string { return file }},
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
			sample := map[string]string{}
			is.NoErr(fs.WalkDir(os.DirFS("."), "app", func(file string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(file)
				sample[tt.move(file)] = string(text)
				return err
			}))
			out := goTool(t, sample, "test", "-v", "-skip=^TestRouteTable$", "./app")
			is.True(strings.Contains(out, "--- PASS: TestAdminLayout")) // the tests have run
		})
	}
}

func TestStaticFaults(t *testing.T) {
	is := is.New(t)
	app := staticFiles()
	app["router/a.b.http"], app["router/a/b.http"] = "", ""
	app["a.b.go"] = "package main\n\nimport \"example.com/flow\"\n\nvar _ = flow.GET()\n"
	app["router/x_"+runtime.GOOS+".http"] = ""
	app["x_"+runtime.GOOS+".go"] = "package main\n\nimport \"example.com/flow\"\n\nvar _ = flow.POST().Do(func(*flow.Request) string { return \"\" })\n"
	app["router/twice.html"], app["router/twice.http"] = "", ""
	app["twice.go"] = "package main\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.GET().Do(func(*flow.Request) string { return \"\" })\n\tflow.POST().Do(func(*flow.Request) string { return \"\" })\n}\n"
	app["stray.go"] = "package main\n\nimport \"example.com/flow\"\n\nvar _ = flow.Method(\"LOCK\")\n"
	app["about.go"] = "package main\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.Use(func(*flow.Request) flow.Response { return flow.Next() })\n\tflow.GET().Do(1)\n\tflow.With(func(f *flow.File, s string) { f.PUT().Do(1) })\n}\n"
	app["router/late.http"] = ""
	app["router/(admin)/dash.http"] = ""
	app["admin.dash.go"] = "package main\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.GET().Do(func(*flow.Request) string { return \"\" })\n}\n"
	app["late.go"] = "package main\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.With(func(f *flow.File, _ any) {\n\t\tf.GET().Do(nil)\n\t\tflow.GET()\n\t})\n\tflow.With[*App](nil)\n}\n"
	out := goTool(t, app, "run", ".")
	_, out, _ = strings.Cut(out, "\n") // of Route, before Check
	lines := strings.Split(strings.TrimSpace(out), "\n")
	is.Equal(strings.ReplaceAll(strings.Join(lines, "\n"), runtime.GOOS, "OS"), strings.TrimSpace(`
a.b.go:5: flow.GET(): this file is the counterpart of router/a.b.http and of router/a/b.http: say which with flow.At("a.b") or flow.At("a/b"), in a file of another name
about.go:6: flow.Use is for the whole application, and stands in the counterpart of router/about.http: call it in another file, or use flow.At("about").Use
about.go:7: Do: int is no handler; a handler is one of func(*flow.Request) flow.Response; func(*flow.Request) string; func(*flow.Request) (flow.Response, error); func(*flow.Request) (string, error); http.Handler; func(http.ResponseWriter, *http.Request)
about.go:8: flow.With asks for a string, and what was provided is *main.App: give one to Router.Provide
admin.dash.go:6: flow.GET(): a group is in no name, so the counterpart of router/(admin)/dash.http is dash.go: rename this file
late.go:7: Do: the handler is nil; a handler is one of func(*flow.Request) flow.Response; func(*flow.Request) string; func(*flow.Request) (flow.Response, error); func(*flow.Request) (string, error); http.Handler; func(http.ResponseWriter, *http.Request)
late.go:8: flow.GET() is called inside flow.With: call it on the *flow.File that the function is given, as in f.GET(), or outside if it is not for that file
late.go:10: flow.With was given nil: give it a func(*flow.File, *main.App)
router/a.b.http: no handler is registered for it: call flow.At("a.b").GET().Do(…) in 001
router/a/b.http: no handler is registered for it: call flow.At("a/b").GET().Do(…) in 001
router/twice.html and router/twice.http both answer /twice: rename one of them
stray.go:5: flow.Method("LOCK") speaks of the route whose counterpart this file is, and no route file has the counterpart stray.go: rename one of them, or say the path with flow.At
x_OS.go:5: flow.POST(): the go tool builds x_OS.go for OS only: register with flow.At("x_OS") in a file of another name
`))
}
