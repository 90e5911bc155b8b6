package scaffold

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/mod/modfile"

	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/flowtest"
)

const (
	shopMod  = "module example.com/shop\n\ngo 1.26.0\n\nrequire example.com/flow v0.0.0 // the router\n"
	shopGo   = "package app\n\nimport (\n\t\"embed\"\n\n\t\"example.com/flow\"\n)\n\n//go:embed all:router\nvar files embed.FS\n\ntype App struct{ Name string }\n\nfunc New(a *App) *flow.Router { return flow.New(files).Provide(a) }\n"
	shopMain = "package main\n\nimport (\n\t\"example.com/flow\"\n\t\"example.com/shop/app\"\n)\n\nfunc main() { flow.Main(app.New(&app.App{Name: \"Shop\"})) }\n"
)

// shop returns the files of an application, with others.
func shop(others ...string) map[string]string {
	return adding(map[string]string{"go.mod": shopMod, "main.go": shopMain, "app/app.go": shopGo, "app/router/index.html": "<h1>Shop</h1>\n", "app/router/+layout.html": layout}, others...)
}

// running returns the main.go of the shop with another function main, and what is behind it.
func running(main string) string {
	return "package main\n\nimport (\n\t\"context\"\n\t\"os\"\n\n\t\"example.com/flow\"\n\t\"example.com/shop/app\"\n)\n\n" + main
}

func TestAddAccounts(t *testing.T) {
	const build = "\n// build returns the Router. It connects with nothing yet: check and routes need no database.\nfunc build(context.Context) (*flow.Router, error) {\n\tr := app.New(&app.App{Name: \"Shop\"})\n\treturn r, addAccounts(r)\n}\n"
	const newRouter = "package app\n\nimport \"testing\"\n\nfunc newRouter(t *testing.T) *flow.Router {\n\ta := &App{}\n\treturn New(a)\n}\n\nfunc TestMain(m *testing.M) { flowtest.Main(m, New(&App{}).Routes) }\n\nvar shared = New(nil)\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		args  string
		want  map[string]string // pieces of files
		out   []string          // what is said, in it
	}{
		{"an application of flow.Main", shop(), "", map[string]string{
			"main.go":                running("func main() { os.Exit(flow.Run(context.Background(), build)) }\n" + build),
			"app/accounts.go":        "package app\n\nimport (",
			"accounts/accounts.go":   "package accounts\n",
			"accounts.go":            "\t\"example.com/shop/accounts\"\n\t\"example.com/shop/app\"\n)",
			"app/accounts_test.go":   `siteOf(t, New(&App{Name: "Shop"}))`,
			"go.mod":                 "module example.com/shop\n\ngo 1.26.0\n\nrequire example.com/flow v0.0.0 // the router\n\nrequire (\n\tgithub.com/",
			"go.sum":                 "golang.org/x/crypto v",
			".gitignore":             "*.db\n",
			"app/router/+field.html": "A field of a form",
			"app/router/(accounts)/sign-in/index.html": "{{define \"title\"}}Sign in{{end}}",
		}, []string{
			"app/router/           ", "\nWhat is left to you:\n\n\tapp/app.go:14: the Router has no policy",
			"\tapp/router/+layout.html: the menu leads to no page of the accounts. Write in it:\n\t{{if request.IsAuthenticated}}<a href=\"{{route \"account\"}}\"", "\nChanged: app/app.go, go.mod, main.go. All others are new.\n",
			"\nThen go vet ./... && go test ./... && go run . check, and flow dev: sign up at /sign-up. In development, the links of mails are in the terminal, and at /_flow.\n\nThe flag -admin ADDRESS makes the first admin. In production, the program needs -url, -from and SMTP_URL. docs/accounts.md of flow tells of all that, and how to take the accounts out again.\n",
		}},
		{"flow.Run with a function", shop("main.go", running("func main() { os.Exit(flow.Run(context.Background(), make)) }\n\nfunc make(context.Context) (*flow.Router, error) {\n\tif false {\n\t\treturn nil, os.ErrExist\n\t}\n\treturn app.New(nil), nil // done\n}\n")), "", map[string]string{
			"main.go": "\t\treturn nil, os.ErrExist\n\t}\n\tr := app.New(nil)\n\treturn r, addAccounts(r) // done\n}\n",
		}, nil},
		{"flow.Run with a literal", shop("main.go", running("func main() {\n\tos.Exit(flow.Run(context.Background(), func(context.Context) (*flow.Router, error) {\n\t\trouter := app.New(nil)\n\t\trouter.OnStart(func(context.Context) error { return nil })\n\t\treturn router, nil\n\t}))\n}\n")), "", map[string]string{
			"main.go": "\t\treturn router, addAccounts(router)\n\t}))\n}\n",
		}, nil},
		{"flow.Run in another form", shop("main.go", running("func main() { os.Exit(flow.Run(context.Background(), build)) }\n\nfunc build(context.Context) (*flow.Router, error) {\n\tif len(os.Args) > 9 {\n\t\treturn app.New(nil), nil\n\t}\n\treturn app.New(nil), nil\n}\n")), "", map[string]string{
			"main.go": running("func main() { os.Exit(flow.Run(context.Background(), build)) }\n\nfunc build(context.Context) (*flow.Router, error) {\n\tif len(os.Args) > 9 {\n\t\treturn app.New(nil), nil\n\t}\n\treturn app.New(nil), nil\n}\n"),
		}, []string{"\tmain.go:15: write return r, addAccounts(r), with your Router for r\n\tmain.go:17: write return r, addAccounts(r), with your Router for r\n"}},
		{"flow.Main among others", shop("main.go", "package main\n\nimport (\n\t\"example.com/flow\"\n\t\"example.com/shop/app\"\n)\n\nfunc main() {\n\tprintln()\n\tflow.Main(app.New(nil))\n}\n"), "", map[string]string{
			"main.go": "\tflow.Main(app.New(nil))\n",
		}, []string{"\tmain.go:10: write flow.Run in place of flow.Main, with a function that makes the Router and ends with return r, addAccounts(r)\n"}},
		{"a program of go generate", shop("gen.go", "//go:build ignore\r\n\npackage main\n\nimport (\n\t\"example.com/flow\"\n\t\"example.com/shop/app\"\n)\n\nvar database = \"\"\n\nfunc main() { flow.Main(app.New(nil)) }\n", "app/gen.go", "//go:build ignore\n\npackage main\n\nfunc sessionOf() {}\n"), "", map[string]string{
			"main.go":     "addAccounts(r)",
			"accounts.go": `flag.String("db", "accounts.db", `,
		}, nil},
		{"names that many applications have", shop("app/names.go", "package app\n\nvar session, link, links, login, user, credentials, signature, form, deletion, deletePage, join int\n\nfunc newForm() {}\n"), "", map[string]string{
			"app/accounts.go": "func sessionOf(",
		}, nil},
		{"Routers of other packages", shop(
			"e2e/e2e_test.go", "package e2e\n\nimport \"example.com/shop/app\"\n\nfunc TestHome(t *testing.T) { app.New(nil) }\n",
			"internal/apptest/apptest.go", "package apptest\n\nimport web \"example.com/shop/app\"\n\nvar Router = web.New(&web.App{})\n",
			"cmd/other/main.go", shopMain,
		), ".", map[string]string{"main.go": "addAccounts(r)"}, []string{
			"\tcmd/other/main.go:8: the Router here has no accounts, and answers 500 without: give it some by app.UseAccounts, as siteOf in app/accounts_test.go and addAccounts in accounts.go do\n" +
				"\te2e/e2e_test.go:5: the Router here has no accounts, and answers 500 without: give it some by app.UseAccounts, as",
			"\tinternal/apptest/apptest.go:5: the Router here has no accounts, and answers 500 without: give it some by web.UseAccounts, as",
		}},
		{"a variable in other packages", shop("app/app.go", strings.Replace(shopGo, "func New(a *App) *flow.Router { return flow.New(files).Provide(a) }", "var Router = flow.New(files)", 1), "main.go", strings.Replace(shopMain, "app.New(&app.App{Name: \"Shop\"})", "app.Router", 1),
			"e2e/e2e_test.go", "package e2e\n\nimport \"example.com/shop/app\"\n\nfunc TestHome(t *testing.T) { app.Router.Check() }\n"), "", nil, []string{
			"\te2e/e2e_test.go:5: the Router here has no accounts",
		}},
		{"a workspace", shop("go.work", "go 1.26\n\nuse .\n"), "", nil, []string{"\nThen go work use && go vet ./..."}},
		{"neither of them", shop("main.go", "package main\n\nimport \"example.com/shop/app\"\n\nfunc main() { app.New(nil).Serve() }\n"), "", map[string]string{
			"main.go": "app.New(nil).Serve()",
		}, []string{"it calls neither flow.Main nor flow.Run: before the Router serves, write if err := addAccounts(r); err != nil { return err }, with your Router for r"}},
		{"tests that make a Router", shop("app/app_test.go", newRouter, "main_test.go", "package main\n\nimport site \"example.com/shop/app\"\n\nvar r = site.New(nil)\n", "app/out_test.go", "package app_test\n\nimport \"example.com/shop/app\"\n\nvar r = app.New(nil)\n"), "", map[string]string{
			"app/app_test.go":      "\treturn siteOf(t, New(a)).router\n}\n\nfunc TestMain(m *testing.M) { flowtest.Main(m, withAccounts(New(&App{})).Routes) }\n\nvar shared = New(nil)\n",
			"app/accounts_test.go": "siteOf(t, New(&App{}))",
		}, []string{"\tapp/app_test.go:12: the Router here has no accounts: write siteOf(t, r).router, with it for r\n", "\tapp/out_test.go:5: the Router here has no accounts", "\tmain_test.go:5: the Router here has no accounts"}},
		{"a Router that is a variable", shop("main.go", strings.Replace(shopMain, "app.New(&app.App{Name: \"Shop\"})", "app.Router", 1), "app/app.go", strings.Replace(shopGo, "func New(a *App) *flow.Router { return flow.New(files).Provide(a) }", "var Router = flow.New(files)", 1),
			"app/app_test.go", "package app\n\nfunc TestExamples(t *testing.T) { flowtest.Examples(t, func(*testing.T) *flow.Router { return Router }) }\n"), "", map[string]string{
			"main.go":              "\tr := app.Router\n\treturn r, addAccounts(r)\n",
			"app/app_test.go":      "func(t *testing.T) *flow.Router { return siteOf(t, Router).router }",
			"app/accounts_test.go": "\nfunc init() { withAccounts(Router) } // before a test asks it\n",
		}, nil},
		{"a Router that needs more", shop("main.go", running("func main() { os.Exit(flow.Run(context.Background(), build)) }\n\nfunc build(context.Context) (*flow.Router, error) {\n\tr := app.New(&app.App{Name: os.Args[0]})\n\treturn r, nil\n}\n")), "", map[string]string{
			"app/accounts_test.go": "\tt.Skip(\"it makes no Router yet: return siteOf(t, r) with one\")",
		}, []string{": have newSite make a Router as your tests do, and return siteOf(t, r): its tests are skipped until then\n"}},
		{"a package called otherwise, elsewhere", map[string]string{
			"go.mod": shopMod, "cmd/shop/main.go": strings.ReplaceAll(strings.ReplaceAll(shopMain, "example.com/shop/app", "example.com/shop/internal/web"), "app.", "site."), "cmd/other/main.go": "package main\n\nfunc main() {}\n",
			"internal/web/web.go": strings.Replace(shopGo, "package app", "package site", 1), "internal/web/router/index.html": "",
		}, "", map[string]string{
			"cmd/shop/accounts.go":                       "\t\"example.com/shop/accounts\"\n\tsite \"example.com/shop/internal/web\"\n)",
			"cmd/shop/smtp.go":                           "package main",
			"internal/web/accounts.go":                   "package site\n",
			"accounts/accounts.go":                       "package accounts\n",
			"internal/web/router/(members)/+layout.html": "<!doctype html>", // a page that is there may be a document of its own
		}, nil},
		{"one package", map[string]string{
			"go.mod": shopMod, "main.go": strings.Replace(strings.Replace(shopGo, "package app", "package main", 1), "type App struct{ Name string }\n\nfunc New(a *App) *flow.Router { return flow.New(files).Provide(a) }", "func main() { flow.Main(flow.New(files)) }", 1), "router/api.http": "",
		}, "", map[string]string{
			"main.go":               "//go:embed all:router all:public\nvar files embed.FS\n\nfunc main() { os.Exit(flow.Run(context.Background(), build)) }\n\n// build returns the Router. It connects with nothing yet: check and routes need no database.\nfunc build(context.Context) (*flow.Router, error) {\n\tr := flow.New(files)\n\treturn r, addAccounts(r)\n",
			"accounts.go":           "func UseAccounts(",
			"accounts_main.go":      "\tif err := UseAccounts(r, a); err != nil {",
			"accounts_main_test.go": "package main",
			"router/+layout.html":   "<!doctype html>",
		}, nil},
		{"line endings of Windows", shop("main.go", strings.ReplaceAll(shopMain, "\n", "\r\n"), "app/app.go", strings.ReplaceAll(shopGo, "\n", "\r\n")), "", map[string]string{
			"main.go":    strings.ReplaceAll(running("func main() { os.Exit(flow.Run(context.Background(), build)) }\n"+build), "\n", "\r\n"),
			"app/app.go": "\r\n//go:embed all:router all:public\r\nvar files embed.FS\r\n",
		}, nil},
		{"router/ without what begins with a dot", shop("app/app.go", strings.Replace(shopGo, "all:router", "router `public/*` words.json", 1)), "", map[string]string{
			"app/app.go": "//go:embed all:router `public/*` words.json\n",
		}, nil},
		{"router/ and public/ in two lines", shop("app/app.go", strings.Replace(shopGo, "all:router", "\"router\"\n//go:embed all:public", 1)), "", map[string]string{
			"app/app.go": "//go:embed \"all:router\"\n//go:embed all:public\n",
		}, nil},
		{"pieces of router/", shop("app/app.go", strings.Replace(shopGo, "all:router", "router/*.html public", 1), "app/words.go", "package app\n\nimport _ \"embed\"\n\n//go:embed words/router.txt\nvar words string\n"), "", map[string]string{
			"app/app.go": "//go:embed router/*.html public\n", "app/words.go": "//go:embed words/router.txt\n",
		}, []string{"\tapp/app.go:9: go:embed may leave out files of the accounts, such as those of .well-known: write //go:embed all:router all:public\n"}},
		{"a .well-known of its own", shop("app/router/.well-known/jwks.json.http", ""), "", map[string]string{
			"app/router/.well-known/change-password.http": "GET ",
		}, nil},
		{"all files", shop("app/app.go", strings.Replace(shopGo, "all:router", "all:*", 1)), "", map[string]string{"app/app.go": "//go:embed all:*\n"}, nil},
		{"the main package that is named", shop("cmd/second/main.go", shopMain), "cmd/second", map[string]string{
			"cmd/second/main.go": "addAccounts(r)", "cmd/second/smtp.go": "package main", "main.go": "flow.Main(",
		}, nil},
		{"another partial for fields, and a layout without a title", shop("app/router/+field.html", "{{.}}", "app/router/+layout.html", "{{if request.IsAuthenticated}}{{end}}{{template \"content\" .}}"), "", map[string]string{
			"app/router/+field.html":                   "{{.}}",
			"app/router/(accounts)/+field.html":        "A field of a form",
			"app/router/(accounts)/sign-in/index.html": `{{template "(accounts)/+field" (dict`,
		}, []string{"\nThe pages have the classes of a new application: check, detail, field, hint, lead, notice, quiet, row, rows, search and wrong. What \"flow new -accounts DIR\" writes as DIR/app/public/app.css has rules for them.\n"}},
		{"a partial for fields that ignores their type", shop("app/router/+field.html", "<label>{{.label}} <input name=\"{{.of.Name}}\" value=\"{{.of.Value}}\"></label> {{.of.Wrong}}{{.hint}}{{.autocomplete}}"), "", map[string]string{
			"app/router/(accounts)/+field.html":           "{{.of.Type}}",
			"app/router/(members)/account/+password.html": `{{template "(accounts)/+field" (dict`,
		}, nil},
		{"tests whose log is shown with them", shop("app/app_test.go", strings.Replace(newRouter, "a := &App{}\n\treturn New(a)", "return New(&App{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})", 1)), "", map[string]string{
			"app/accounts_test.go": "\treturn siteOf(t, New(&App{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}))\n}\n",
		}, nil},
		{"a Router of tests that needs more", shop("main.go", strings.Replace(shopMain, "app.New(&app.App{Name: \"Shop\"})", "app.New(nil, os.Args)", 1), "app/app.go", strings.Replace(shopGo, "func New(a *App)", "func New(a *App, args []string)", 1), "app/app_test.go", "package app\n\nfunc newRouter(t *testing.T) *flow.Router {\n\treturn New(&App{}, os.Args)\n}\n"), "", nil, []string{
			": have newSite make a Router as app/app_test.go:4 does, and return siteOf(t, r): its tests are skipped until then\n",
		}},
		{"an Authenticate, a policy and databases", shop("app/app.go", strings.Replace(shopGo, "return flow.New(files).Provide(a)", "\n\tr := flow.New(files)\n\tr.Authenticate = nil\n\tr.ContentSecurityPolicy = \"\"\n\treturn r\n", 1),
			"db.go", "package main\n\nimport \"database/sql\"\n\nvar db, _ = sql.Open(\"\", \"\")\n", "pool.go", "package main\n\nvar pool, _ = pgxpool.New(nil, \"\")\n"), "", nil, []string{
			"\tapp/app.go:16: the Router has an Authenticate already, and does not start with another: remove this one. Or keep it: take what asks for r.Authenticate, and what sets it, out of the function use in app/accounts.go, and have yours return the *accounts.Session of Accounts.Session(ctx, Accounts.Token(req.Request)), which the pages of the accounts need\n",
			"\tdb.go:5: the application has a database of its own, and the accounts have accounts.db beside it, unless -db says another. To have them in yours, open it by accounts.Open, or as that does, and give it to accounts.New in accounts.go: docs/accounts.md of flow has the changes, \"In your own database\"\n",
			"\tpool.go:3: the application has a database of its own, and the accounts have accounts.db beside it, unless -db says another. To have them in yours, make a *sql.DB of it by stdlib.OpenDBFromPool, and give it to accounts.New in accounts.go: docs/accounts.md of flow has the changes, \"In your own database\"\n",
		}},
		{"other modules, and a newer version", shop("go.mod", shopMod+"\nrequire (\n\texample.com/other v1.0.0\n\tgolang.org/x/crypto v0.999.0 // indirect\n\tgithub.com/jackc/pgx/v5 v5.0.0 // for the shop\n)\n", "go.sum", "github.com/a v1.10.0 h1:x=\ngithub.com/a v1.9.0 h1:x=\n", ".gitignore", "/shop"), "", map[string]string{
			"go.mod":     "\tgolang.org/x/crypto v0.999.0\n",
			"go.sum":     "github.com/a v1.9.0 h1:x=\ngithub.com/a v1.10.0 h1:x=\n",
			".gitignore": "/shop\n*.db\n",
		}, []string{"\nThen go mod tidy && go vet"}},
		{"a newer version of what is needed", shop("go.mod", shopMod+"\nrequire golang.org/x/crypto v0.999.0\n"), "", map[string]string{
			"go.mod": "\tgolang.org/x/crypto v0.999.0\n",
		}, []string{"\nThen go mod tidy && go vet"}},
		{"an older one", shop("go.mod", shopMod+"\nrequire golang.org/x/crypto v0.1.0\n"), "", nil, []string{"\nThen go vet"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, tt.files)
			code, out, errs := run(root, append([]string{"add", "-accounts"}, strings.Fields(tt.args)...)...)
			is.Equal(errs, "")
			is.Equal(code, command.OK)
			after := contents(t, root)
			for name, want := range tt.want {
				if !strings.Contains(after[name], want) {
					t.Errorf("%s is\n%s\nwant in it\n%s", name, after[name], want)
				}
			}
			for _, want := range tt.out {
				want = strings.ReplaceAll(want, "docs/accounts.md of flow", accountsManual())
				if !strings.Contains(out, want) {
					t.Errorf("it says\n%s\nwant in it\n%s", out, want)
				}
			}
			if tt.name == "an Authenticate, a policy and databases" {
				is.True(!strings.Contains(out, "no policy"))
			}
			m, err := modfile.Parse("go.mod", []byte(after["go.mod"]), nil)
			is.NoErr(err)
			needs, err := modulesOf(accountsPart)
			is.NoErr(err)
			for _, need := range needs.require {
				is.True(slices.ContainsFunc(m.Require, func(r *modfile.Require) bool {
					return r.Mod.Path == need.Mod.Path && (r.Mod.Version == need.Mod.Version || r.Mod.Version == "v0.999.0")
				}))
			}
			for name, text := range after {
				is.True(!strings.Contains(text, templateModule) && !strings.Contains(text, templateName)) // in no file
				is.True(filepath.Base(name) != ignoreFile[1:])
			}
		})
	}
}

// ofAccounts matches the place of something in the files of the accounts, whose lines change.
var ofAccounts = regexp.MustCompile(`:\d+( of the accounts|: give this|: call it otherwise\n)`)

func TestAddAccountsFaults(t *testing.T) {
	const fit = "nothing is written, since the accounts do not fit yet:\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		args  string
		code  int
		want  string
	}{
		{"another flag", shop(), "-page", command.Usage, "add: -accounts writes files of its own: it goes with no other flag\n"},
		{"two directories", shop(), "a b", command.Usage, "add: with -accounts, say at most one argument, the directory of the main package that runs the application\n"},
		{"a directory without package main", shop(), "app", command.Usage, "add: app is not the directory of a main package of the module example.com/shop\n"},
		{"no main package", shop("main.go", "package main\n\nfunc main() {}\n"), "", command.Failure, "no main package of the module example.com/shop imports example.com/shop/app: say the directory of the one that runs it, as in \"flow add -accounts ./cmd/site\"\n"},
		{"several", map[string]string{"go.mod": shopMod, "app/app.go": shopGo, "app/router/index.html": "", "cmd/a/main.go": shopMain, "cmd/b/main.go": shopMain}, "", command.Usage, "add: there are several main packages that import example.com/shop/app, ./cmd/a and ./cmd/b: say which one gets the flags of the accounts, as in \"flow add -accounts ./cmd/a\"\n"},
		{"a go.mod that is none", shop("go.mod", "module example.com/shop\nrequire\n"), "", command.Failure, "go.mod:2: usage: require module/path v1.2.3\n"},
		{"accounts", shop("accounts.go", "package main\n\nfunc addAccounts() {}\n"), "", command.Failure, fit + "accounts.go:3: the accounts are there already, or another addAccounts\n"},
		{"an application that is called like them", map[string]string{"go.mod": shopMod, "accounts/app.go": strings.Replace(shopGo, "package app", "package accounts", 1), "accounts/router/index.html": "", "main.go": strings.Replace(strings.ReplaceAll(shopMain, "app.", "accounts."), "shop/app", "shop/accounts", 1)}, "", command.Failure, fit + "accounts: it is there already, and would be the package of the accounts: call it otherwise\n"},
		{"all that is in the way", shop(
			"accounts/x.go", "package accounts\n", "app/links.go", "package app\n", "app/router/(members)/x.html", "", "app/router/accounts.html", "", "app/router/sign-in.html", "",
			"app/users.go", "package app\n\nimport \"example.com/members/v2\"\n\ntype (\n\tpasswordForm struct{}\n\taccounts int\n)\n\nfunc init() { flow.At(\"index\").GET().Name(\"sign-up\") }\n",
			"flags.go", "package main\n\nimport \"flag\"\n\nvar database = flag.String(\"url\", \"\", \"\")\n\nfunc init() { flag.StringVar(database, \"db\", \"\", \"\") }\n\nfunc mail() {}\n", "cmd/other/main.go", "package main\n\nvar x = flag.String(\"db\", \"\", \"\")\n",
		), ".", command.Failure, fit +
			"accounts: it is there already, and would be the package of the accounts: call it otherwise\n" +
			"app/links.go: it is there already: call it otherwise\n" +
			"app/router/(accounts)/sign-in/index.html and app/router/sign-in.html both answer /sign-in: rename one of them\n" +
			"app/router/(members): it is there already, and what is in it would get the guards of the accounts: call it otherwise\n" +
			"app/router/accounts.html: app/accounts.go of the accounts would be its counterpart: call it otherwise\n" +
			"app/router/sign-in.html: its automatic name is \"sign-in\", which a route of the accounts gets at app/sign-in.index.go:N: call it otherwise\n" +
			"app/users.go:3: members is imported here, and declared or imported at app/accounts.go:N of the accounts: call it otherwise\n" +
			"app/users.go:6: passwordForm is declared here, and declared or imported at app/passwords.go:N of the accounts: call it otherwise\n" +
			"app/users.go:7: accounts is declared here, and declared or imported at app/account.confirm.go:N of the accounts: call it otherwise\n" +
			"app/users.go:10: \"sign-up\" is the name of a route of the accounts, too, at app/sign-up.index.go:N: give this one another\n" +
			"flags.go:5: database is declared here, and declared or imported at accounts.go:N of the accounts: call it otherwise\n" +
			"flags.go:5: the flag -url is registered here, and at accounts.go:N of the accounts: call it otherwise\n" +
			"flags.go:7: the flag -db is registered here, and at accounts.go:N of the accounts: call it otherwise\n" +
			"flags.go:9: mail is declared here, and declared or imported at smtp.go:N of the accounts: call it otherwise\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, tt.files)
			before := contents(t, root)
			code, out, errs := run(root, append([]string{"add", "-accounts"}, strings.Fields(tt.args)...)...)
			is.Equal(out, "")
			want := tt.want
			if tt.code == command.Usage {
				want = "flow: " + want + "\"flow help\" tells the commands and their flags.\n"
			}
			if got := ofAccounts.ReplaceAllString(strings.ReplaceAll(errs, root+string(filepath.Separator), ""), ":N$1"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			is.Equal(code, tt.code)
			is.Equal(contents(t, root), before)
		})
	}
	t.Run("in a directory below", func(t *testing.T) {
		is := is.New(t)
		root := lay(t, map[string]string{"go.mod": shopMod, "app/app.go": shopGo, "app/router/index.html": "", "cmd/shop/main.go": shopMain})
		code, out, errs := run(filepath.Join(root, "app", "router"), "add", "-accounts")
		is.Equal(errs, "")
		is.Equal(code, command.OK)
		is.True(strings.Contains(out, "\nThen cd ../.. && go vet ./... && go test ./... && go run ./cmd/shop check, and flow dev"))
	})
	t.Run("in the middle", func(t *testing.T) {
		is := is.New(t)
		root := lay(t, shop())
		flowtest.Symlink(t, "nowhere", filepath.Join(root, "go.sum")) // is not there, and cannot be made
		before := changes(nil, nil)
		code, _, errs := run(root, "add", "-accounts")
		is.Equal(code, command.Failure)
		is.True(strings.Contains(errs, "go.sum"))
		is.NoErr(os.Remove(filepath.Join(root, "go.sum")))
		is.Equal(changes(shop(), contents(t, root)), before)
	})
}

func TestAccountsManual(t *testing.T) {
	is := is.New(t)
	if _, err := ownSource(); err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile(accountsManual())
	is.NoErr(err)
	is.True(strings.HasPrefix(string(text), "# Accounts\n"))
	is.True(filepath.IsAbs(accountsManual())) // it is found from any directory
}
