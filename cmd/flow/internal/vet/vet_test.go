package vet

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"example.com/flow/cmd/flow/internal/typed"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/testkit/flowtest"
)

// lay writes the files of an archive, and a go.mod, into a directory of its own.
func lay(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	library, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(library, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.org/shop\n\ngo 1.26\n\nrequire example.com/flow v0.0.0\n\nrequire github.com/julienschmidt/httprouter v1.3.1-0.20240130105656-484018016424 // indirect\n\nreplace example.com/flow => "+strconv.Quote(filepath.ToSlash(library))+"\n")
	write("go.sum", string(sums))
	for _, f := range archive.Files {
		write(f.Name, strings.ReplaceAll(string(f.Data), "$FLOW", library))
	}
	return root
}

// findings returns what is wrong in the packages below a directory, one for each line.
func findings(t *testing.T, root string) string {
	t.Helper()
	found, err := Check(t.Context(), typed.Packages, root, []string{"./..."}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return lines(found)
}

// lines returns mistakes as flow vet prints them.
func lines(found []fault.Fault) string {
	if err := fault.Join(found); err != nil {
		return err.Error()
	}
	return ""
}

func TestSeeded(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	archive, err := txtar.ParseFile("testdata/seeded.txtar")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(findings(t, lay(t, archive)), "\n")
	want := []struct{ place, text string }{
		{"app/about.go:5", `flow.Use is for the whole application, and stands in the counterpart of app/router/about.html: call it in another file, or use flow.At("about").Use`},
		{"app/admin.reports.go:5", `flow.With: a group is in no name, so the counterpart of app/router/(admin)/reports.html is reports.go: rename this file`},
		{"app/app.go:15", `In("usres"): the tree has no such directory: did you mean "users"?`},
		{"app/app.go:16", `In("empty"): no route file is in that directory, so this would guard nothing: have the files been moved?`},
		{"app/app.go:17", `In("(admn)"): the tree has no such directory: did you mean "(admin)"?`},
		{"app/app.go:18", `At("users/id"): the tree has no such route file: app/router/users/[id].html is called "users/[id]"`},
		{"app/app.go:19", `At("abuot"): the tree has no such route file: did you mean "about"?`},
		{"app/app.go:23", `Param("user"): no route of the tree has such a parameter: there is "id", "lang", "no", "path"`},
		{"app/app.go:26", `View: no template is called "abbout": did you mean "about"?`},
		{"app/docs.path.go:10", `Segments("pth"): app/router/docs/[...path].html has no such parameter: did you mean "path"?`},
		{"app/languages.go:15", `Redirect: nothing answers /it/terms: if something else does, write the URL with its host`},
		{"app/languages.go:16", `RedirectTo: route "lang.terms" (app/router/[[lang=lang]]/terms.html): "it" cannot be the value of the parameter "lang": it does not match "lang"`},
		{"app/languages.go:17", `RedirectTo: route "lang.terms" (app/router/[[lang=lang]]/terms.html): "1099511627776" cannot be the value of the parameter "lang": it does not match "lang"`},
		{"app/news.go:9", `Page: the data of app/router/news.html is declared to be app.news, and this is map[string]any: use what flow.PageOf returns, or declare this type, too`},
		{"app/offers.go:18", `Page: the data of app/router/offers.html is declared to be app.offer, and this is app.likeOffer: use what flow.PageOf returns, or declare this type, too`},
		{"app/offers.go:20", `Page: the data of app/router/offers.html is declared to be app.offer, and this is nil: use what flow.PageOf returns, or declare this type, too`},
		{"app/offers.go:28", `Page: the data of app/router/offers.html is declared to be app.offer or string, and this is int: use what flow.PageOf returns, or declare this type, too`},
		{"app/offers.go:30", `Page: the data of app/router/offers.html is declared to be app.offer, and this is *app.likeOffer: use what flow.PageOf returns, or declare this type, too`},
		{"app/redirects.go:12", `Redirect: nothing answers /abuot: did you mean "/about"?`},
		{"app/redirects.go:13", `Redirect: nothing answers /users/7/nothing: if something else does, write the URL with its host`},
		{"app/redirects.go:14", `Redirect: /100% has a broken escape: write %25 for a percent sign`},
		{"app/teams.go:13", `ViewOf: no template is called "users/+rwo": did you mean "users/+row"?`},
		{"app/teams.go:22", `Param("team"): app/router/teams.html has no such parameter`},
		{"app/teams.go:23", `Block("nwes"): app/router/about.html has no such {{define}} or {{block}}: did you mean "news"?`},
		{"app/teams.go:25", `Block("lits"): app/router/teams.html has no such {{define}} or {{block}}: did you mean "list"?`},
		{"app/teams.go:29", `flow.Next() lets a request pass, which only a guard does, and this is a handler: return its answer, or register it with Use`},
		{"app/typed.go:5", `flow.PageOf speaks of the route whose counterpart this file is, and no route file has the counterpart typed.go: rename one of them, or say the path with flow.ViewOf`},
		{"app/user.id.go:5", `flow.POST speaks of the route whose counterpart this file is, and no route file has the counterpart user.id.go: did you mean "users.id.go"?`},
		{"app/users.id.edit.go:12", `flow.Next() lets a request pass, which only a guard does, and this is a handler: return its answer, or register it with Use`},
		{"app/users.id.edit.go:18", `param:"lnag": app/router/users/[id]/edit.html has no such parameter: there is "id"`},
		{"app/users.id.edit.go:24", `param:"ids": app/router/users/[id]/edit.html has no such parameter: did you mean "id"?`},
		{"app/users.id.edit.go:28", `flow.Next() lets a request pass, which only a guard does, and this is a handler: return its answer, or register it with Use`},
		{"app/users.id.edit.go:34", `Block("row"): app/router/users/[id]/edit.html has no such {{define}} or {{block}}: did you mean "rows"?`},
		{"app/users.id.edit.go:44", `Bind: the field User of package handlers has param:"user": app/router/users/[id]/edit.html has no such parameter: there is "id"`},
		{"app/users.id.edit.go:45", `flow.Next() lets a request pass, which only a guard does, and this is a handler: return its answer, or register it with Use`},
		{"app/users.id.edit.go:47", `Block("new"): no page that this may be of has such a {{define}} or {{block}}: did you mean "news"?`},
		{"app/users.id.go:10", `Param("idd"): app/router/users/[id].html has no such parameter: did you mean "id"?`},
		{"app/users.id.go:12", `Block("rows"): app/router/users/[id].html has no such {{define}} or {{block}}: did you mean "row"?`},
		{"app/users.id.go:14", `View: no template is called "users/+rwo": did you mean "users/+row"?`},
		{"app/users.id.go:16", `RedirectTo: no route is called "users.shwo": did you mean "users.show"?`},
		{"app/users.id.go:18", `RedirectTo: route "users.show" (app/router/users/[id].html): the parameter "id" is missing: "di" is none, and would go to the query`},
		{"app/users.id.go:20", `RedirectTo("users.show"): parameters are pairs of key and value, and 1 is odd`},
		{"app/users.id.go:23", `Route: route "users.show" (app/router/users/[id].html): the key 5 is a int, not a string`},
		{"app/users.id.go:24", `View: "+nav" may be "(admin)/+nav" or "(site)/+nav": write which group`},
		{"app/users.id.go:26", `Route: no route is called "admin.reports": a group is in no name, so app/router/(admin)/reports.html is called "reports"`},
		{"app/users.id.go:28", `Route: route "users.show" (app/router/users/[id].html): "" cannot be the value of the parameter "id", which is required: give it another, or make it optional, [[id]]`},
		{"app/users.id.go:30", `Asset: no public file is called "/css/app.css": write the path below public/, without a slash before it`},
		{"app/users.id.go:31", `Asset: no public file is called "css/ap.css": did you mean "css/app.css"?`},
		{"app/users.id.go:36", `Param("slug"): app/router/users/[id].html has no such parameter: there is "id"`},
		{"app/users.ids.go:1", `users.ids.go looks like the counterpart of a route file, there is none, and nothing here is registered: did you mean "users.id.go"?`},
		{"app/users.index.go:7", `Page renders the page of the route, and app/router/users/index.http is an endpoint, which has none: use View, or call the file .html`},
		{"bare/bare.go:9", `go:embed public/* leaves out public/js/_app.js: write all:public`},
		{"bare/bare.go:9", `go:embed router leaves out the names that begin with _ or ., such as router/.well-known/security.html: write all:router`},
		{"half/half.go:10", `public/ is here, and files, which flow.New gets, does not embed it, so that its files are not served: write //go:embed all:router all:public`},
		{"handlers/handlers.go:8", `Param("ids"): no route of the tree has such a parameter: did you mean "id"?`},
		{"handlers/handlers.go:14", `RedirectTo: no route is called "abuot": did you mean "about"?`},
		{"handlers/handlers.go:16", `static calls are for the Routers that flow.New makes in the same directory, and none is made here: call it here, or register with At, In and Use of a Router`},
		{"none/none.go:9", `router/ is here, and files, which flow.New gets, does not embed it, so that there are no routes: write //go:embed all:router all:public`},
	}
	for i, tt := range want {
		t.Run(tt.place, func(t *testing.T) {
			is := is.New(t)
			is.True(i < len(got))
			is.Equal(got[i], tt.place+": "+tt.text)
		})
	}
	is.New(t).Equal(len(got), len(want))
}

// TestModuleIsReadOnce counts what is made for a module: one module for all its packages, in
// which nothing that was loaded is type-checked again.
func TestModuleIsReadOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	is := is.New(t)
	archive, err := txtar.ParseFile("testdata/seeded.txtar")
	is.NoErr(err)
	pkgs, err := loadPackages(t.Context(), typed.Packages, lay(t, archive), []string{"./..."}, nil, nil)
	is.NoErr(err)
	checkers, err := newCheckers(pkgs)
	is.NoErr(err)
	modules, again := map[*module]bool{}, 0
	for _, c := range checkers {
		modules[c.module] = true
		is.True(slices.Contains(c.module.units, c.unit))
	}
	for m := range modules {
		for _, u := range m.units {
			if u.fset != pkgs[0].Fset {
				again++
			}
		}
	}
	is.True(len(checkers) > 1)
	is.Equal(len(modules), 1)
	is.Equal(again, 0)
}

// TestPackagesCheckedOneByOne looks at packages one by one, so that the others are read from their source, as
// they are for go vet.
func TestPackagesCheckedOneByOne(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	archive, err := txtar.ParseFile("testdata/seeded.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := lay(t, archive)
	all := strings.Split(findings(t, root), "\n")
	for _, dir := range []string{"app", "bare", "half", "handlers", "none"} {
		t.Run(dir, func(t *testing.T) {
			is := is.New(t)
			got, err := Check(t.Context(), typed.Packages, root, []string{"./" + dir}, nil, nil)
			is.NoErr(err)
			want := slices.DeleteFunc(slices.Clone(all), func(line string) bool { return !strings.HasPrefix(line, dir+"/") })
			is.True(len(want) > 0)
			is.Equal(lines(got), strings.Join(want, "\n"))
		})
	}
}

// TestTags has a file of which the flags of the build tell whether it is built. If it is
// not, it may give any name.
func TestTags(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	const finding = `handlers/handlers.go:5: RedirectTo: no route is called "nobody": name one with Name, or use an automatic name`
	for _, tt := range []struct{ constraint, flag, want string }{
		{"late", "-tags=late", finding},
		{"late", "-tags=", ""},
		{"!late", "-tags=late", ""},
		{"!late", "-tags=", finding},
	} {
		t.Run(tt.constraint+" "+tt.flag, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, txtar.Parse([]byte(`
-- main.go --
package main

import (
	"embed"

	"example.com/flow"
)

//go:embed all:router
var files embed.FS

func main() { flow.Main(flow.New(files)) }
-- router/about.html --
-- names.go --
//go:build `+tt.constraint+`

package main

import "example.com/flow"

func init() { flow.At("about").GET().Name("noble") }
-- handlers/handlers.go --
package handlers

import "example.com/flow"

func To(*flow.Request) flow.Response { return flow.RedirectTo("nobody") }
`)))
			got, err := Check(t.Context(), typed.Packages, root, []string{"./..."}, []string{tt.flag}, nil)
			is.NoErr(err)
			is.Equal(lines(got), tt.want)
		})
	}
}

// TestFormats: the pages of the formats that the code gives to the Router are pages like others,
// but that what looks like an action in them is text. Files with other extensions are named.
func TestFormats(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for _, tt := range []struct{ name, formats, want string }{
		{"one", `Router.Formats = map[string]flow.Format{".md": flow.FormatOf(markdown)}`, `app/docs.intro.go:13: Block("text"): app/router/docs/intro.md has no such {{define}} or {{block}}
app/docs.intro.go:17: RedirectTo: no route is called "docs.more": name one with Name, or use an automatic name
app/router/+side.md: a file whose name begins with + is a template of its directory: call it +side.html
app/router/docs/more.txt: a route file ends in .html, .md (a page) or .http (an endpoint): other files belong in public/`},
		{"none", "", `app/docs.intro.go:6: flow.GET speaks of the route whose counterpart this file is, and no route file has the counterpart docs.intro.go: rename one of them, or say the path with flow.At
app/docs.intro.go:7: At("docs/intro"): the tree has no such route file: write the path below router/ with its brackets and without extension, as in "users/[id]"
app/docs.intro.go:11: View: no template is called "docs/intro": give the path below router/ without extension
app/docs.intro.go:15: RedirectTo: no route is called "docs.intro": name one with Name, or use an automatic name
app/docs.intro.go:17: RedirectTo: no route is called "docs.more": name one with Name, or use an automatic name
app/router/+side.md: a file whose name begins with + is a template of its directory: call it +side.html
app/router/docs/intro.md: a route file ends in .html (a page) or .http (an endpoint): other files belong in public/, and Router.Formats[".md"] would make pages of these
app/router/docs/more.txt: a route file ends in .html (a page) or .http (an endpoint): other files belong in public/`},
		{"not known", `Router.Formats = formats.All()`, `app/docs.intro.go:13: Block("text"): app/router/docs/intro.md has no such {{define}} or {{block}}
app/docs.intro.go:17: RedirectTo: no route is called "docs.more": name one with Name, or use an automatic name`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, txtar.Parse([]byte(`
-- main.go --
package main

import (
	"example.com/flow"
	"example.org/shop/app"
)

func main() { flow.Main(app.Router) }
-- formats/go.mod --
module example.org/formats
-- formats/formats.go --
package formats

import "example.com/flow"

func All() map[string]flow.Format { return nil }
-- app/app.go --
package app

import (
	"embed"
	"html/template"

	"example.com/flow"
	"example.org/formats"
)

//go:embed all:router
var files embed.FS

var Router = flow.New(files)

var _ = formats.All

func init() {
	`+tt.formats+`
}

func markdown(src flow.Source) (template.HTML, string, error) { return "", "", nil }
-- app/docs.intro.go --
package app

import "example.com/flow"

func init() {
	flow.GET().Do(func(req *flow.Request) (flow.Response, error) {
		flow.At("docs/intro")
		switch req.Method {
		case "A":
			return flow.Page(nil), nil
		case "B": return flow.View("docs/intro", nil), nil
		case "C":
			return flow.Page(nil).Block("text"), nil
		case "D":
			return flow.RedirectTo("docs.intro"), nil
		}
		return flow.RedirectTo("docs.more"), nil
	})
}
-- app/router/docs/intro.md --
{{define "text"}}text{{end}}
-- app/router/docs/more.txt --
-- app/router/+side.md --
`)))
			mod := filepath.Join(root, "go.mod")
			text, err := os.ReadFile(mod)
			is.NoErr(err)
			is.NoErr(os.WriteFile(mod, append(text, "\nrequire example.org/formats v0.0.0\n\nreplace example.org/formats => ./formats\n"...), 0o666))
			is.Equal(findings(t, root), tt.want)
		})
	}
}

// TestCodeWithoutFindings has code that is right, or of which the source does not tell that it is
// wrong.
func TestCodeWithoutFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	archives, err := filepath.Glob("testdata/silent/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("there are no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			is := is.New(t)
			archive, err := txtar.ParseFile(name)
			is.NoErr(err)
			is.Equal(findings(t, lay(t, archive)), "")
		})
	}
}

// TestCannotBuild: what is said is why the go command cannot build, once, and not what
// follows from that.
func TestCannotBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	broken := txtar.Parse([]byte(`
-- a/a.go --
package a

import (
	_ "encoding/xml"

	_ "example.org/shop/nowhere"
)
-- a/b.go --
package a

import _ "example.org/shop/nowhere"
-- b/b.go --
package b

import _ "example.org/shop/a"
`))
	sound := txtar.Parse([]byte("-- a/a.go --\npackage a\n"))
	for _, tt := range []struct {
		name    string
		archive *txtar.Archive
		flag    string
		want    string // the error begins so
	}{
		{"a package is not there", broken, "-tags=", "a/a.go:6: no required module provides package example.org/shop/nowhere; to add it:\n\tgo get example.org/shop/nowhere"},
		{"no tool runs", sound, "-toolexec=nowhere", "go: error obtaining buildID for go tool compile: exec: \"nowhere\": executable file not found"},
		{"a flag is none of the compiler", sound, "-gcflags=-nowhere", "flag provided but not defined: -nowhere\nusage: compile "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			_, err := Check(t.Context(), typed.Packages, lay(t, tt.archive), []string{"./..."}, []string{tt.flag}, nil)
			is.True(err != nil)
			t.Log(err)
			is.True(strings.HasPrefix(err.Error(), tt.want))
			is.True(!strings.Contains(err.Error(), "could not import"))
		})
	}
}

// TestSmallChangesAreFound changes something in archives that are silent, so that their silence says
// something.
func TestSmallChangesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	rows := []struct{ archive, old, new, want string }{
		{"mounted", `b.In("invoices")`, `b.In("invoice")`, `app/app.go:17: In("invoice"): the tree has no such directory: did you mean "invoices"?`},
		{"mounted", `"billing.invoices.show", "org"`, `"billing.invoices.shwo", "org"`, `app/app.go:21: RedirectTo: no route is called "billing.invoices.shwo": did you mean "billing.invoices.show"?`},
		{"mounted", `req.Param("org"))`, `req.Param("og"))`, `billing/invoices.id.go:14: Param("og"): billing/router/invoices/[id].http has no such parameter: did you mean "org"?`},
		{"handlers", `return req.Param("list")`, `return req.Param("lsit")`, `app/app.go:24: Param("lsit"): no route of the tree has such a parameter: did you mean "list"?`},
		{"handlers", "func init() { flow.At(\"health\")", "func reg() { flow.At(\"helth\")", `app/health.check.go:7: At("helth"): the tree has no such route file: did you mean "health"?`},
		{"handlers", `req.Param(year)`, `req.Param(year+"s")`, `app/posts.year.slug.go:14: Param("years"): no route that this answers has such a parameter: did you mean "year"?`},
		{"handlers", `Block("title")`, `Block("titel")`, `app/posts.year.slug.go:15: Block("titel"): no page that this may be of has such a {{define}} or {{block}}: did you mean "title"?`},
		{"handlers", `"slug", "a", "page", 3`, `"slug", 1.5`, `app/posts.year.slug.go:17: RedirectTo: route "posts.year.slug" (app/router/posts/[year]/[slug].html): "slug": a value is a string, an integer or has String(), and this is a float64`},
		{"handlers", `r.At("users/[id]").DELETE()`, `r.At("user/[id]").DELETE()`, `main.go:15: At("user/[id]"): the tree has no such route file: did you mean "users/[id]"?`},
		{"handlers", `req.Asset("css/app.css")`, `req.Asset("app.css")`, `users/users.go:14: Asset: no public file is called "app.css": there is no public/app.css`},
		{"foreign", `flow.New(files)
	b := `, `flow.New(files)
	flow.GET()
	b := `, `main.go:15: flow.GET speaks of the route whose counterpart this file is, and no route file has the counterpart main.go: rename one of them, or say the path with flow.At`},
		{"dynamic", `return s.Show(req) + hook(req)`, `return s.Show(req) + hook(req) + req.Param("a")`, `main.go:25: Param("a"): router/x/[b].http has no such parameter: there is "b"`},
		{"answers", `return pass(req)`, `return flow.Next()`, `app/app.go:35: flow.Next() lets a request pass, which only a guard does, and this is a handler: return its answer, or register it with Use`},
		{"answers", `		answer = flow.Text("")
`, "", `app/index.go:13: flow.Next() lets a request pass, which only a guard does, and this is a handler: return its answer, or register it with Use`},
		{"answers", `param:"team"`, `param:"tema"`, `app/teams.index.go:11: param:"tema": no route that this answers has such a parameter: did you mean "team"?`},
		{"answers", `Block("list")`, `Block("lst")`, `app/teams.team.go:20: Block("lst"): no page that this may be of has such a {{define}} or {{block}}: did you mean "list"?`},
		{"dynamic", `req.Param("b") == ""`, `req.Param("a") == ""`, `main.go:28: Param("a"): router/x/[b].http has no such parameter: there is "b"`},
	}
	for _, name := range []string{"mounted", "handlers", "foreign", "dynamic", "answers"} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			archive, err := txtar.ParseFile("testdata/silent/" + name + ".txtar")
			is.NoErr(err)
			var want []string
			for _, tt := range rows {
				if tt.archive != name {
					continue
				}
				changed := 0
				for i, f := range archive.Files {
					changed += strings.Count(string(f.Data), tt.old)
					archive.Files[i].Data = []byte(strings.ReplaceAll(string(f.Data), tt.old, tt.new))
				}
				if changed != 1 {
					t.Fatalf("%q is there %d times, want 1", tt.old, changed)
				}
				want = append(want, tt.want)
			}
			is.Equal(findings(t, lay(t, archive)), strings.Join(want, "\n"))
		})
	}
}

func TestEmbeds(t *testing.T) {
	for _, tt := range []struct {
		patterns string
		file     string
		want     bool
	}{
		{"router", "router/a.html", true},
		{"router", "router/users/[id].html", true},
		{"router", "router/users/+row.html", true},
		{"router", "router/.well-known/a.html", false},
		{"router", "router/_a.html", false},
		{"router", "router/_a/b.html", false},
		{"router", "public/a", false},
		{"all:router", "router/_a/.b.html", true},
		{"router/*", "router/.well-known/a.html", true},
		{"router/*", "router/.well-known/_a.html", false},
		{"router/*.html", "router/a/b.html", false},
		{"router/*.html router/*/*.html", "router/a/b.html", true},
		{"*", "router/a.html", true},
		{"[", "router/a.html", false},
	} {
		t.Run(tt.patterns+" "+tt.file, func(t *testing.T) {
			is := is.New(t)
			var ds []directive
			for pattern := range strings.FieldsSeq(tt.patterns) {
				ds = append(ds, directive{pattern: pattern})
			}
			is.Equal(embeds(ds, tt.file), tt.want)
		})
	}
}

func TestParseDirectives(t *testing.T) {
	for _, tt := range []struct{ comment, want string }{
		{"//go:embed router", "router"},
		{"//go:embed all:router  all:public/", "all:router all:public"},
		{"//go:embed \"a b\" `c d`\te", "a b|c d|e"},
		{"//go:embedded router", ""},
		{"// go:embed router", ""},
		{"//go:embed", ""},
	} {
		t.Run(tt.comment, func(t *testing.T) {
			is := is.New(t)
			var got []string
			for _, d := range parseDirectives(&ast.CommentGroup{List: []*ast.Comment{{Text: tt.comment}}}) {
				got = append(got, d.pattern)
			}
			separator := " "
			if strings.Contains(tt.want, "|") {
				separator = "|"
			}
			is.Equal(strings.Join(got, separator), tt.want)
		})
	}
}

func FuzzParseDirectives(f *testing.F) {
	f.Add("//go:embed all:router \"a b\" `c`")
	f.Add("//go:embed \"a")
	f.Fuzz(func(t *testing.T, comment string) {
		for _, d := range parseDirectives(&ast.CommentGroup{List: []*ast.Comment{{Text: comment}}}) {
			if d.pattern == "" {
				t.Errorf("%q has an empty pattern", comment)
			}
			embeds([]directive{d}, "router/users/[id].html")
		}
	})
}

// A panic is an error that says that it is a bug of flow: "go vet" prints it and goes on.
func TestPanic(t *testing.T) {
	is := is.New(t)
	flowtest.SetTempDir(t, t.TempDir())
	_, err := run(&analysis.Pass{Pkg: types.NewPackage("example.com/x", "x"), Files: []*ast.File{{}}}) // without positions
	is.True(err != nil)
	is.True(strings.HasPrefix(err.Error(), "flow vet: this is a bug of flow, and nothing was changed: "))
}
