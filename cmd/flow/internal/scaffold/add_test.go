package scaffold

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
)

const (
	goMod   = "module shop\n"
	appGo   = "package app\n\nvar Router = flow.New(files)\n"
	formats = "package app\n\nimport \"example.com/flow\"\n\nfunc init() { Router.Formats = map[string]flow.Format{\".md\": markdown, \".txt\": text} }\n"
	layout  = "<title>{{block \"title\" .}}Shop{{end}}</title>{{template \"content\" .}}"
	tests   = "package app\n\nfunc TestRoutes(t *testing.T) {\n\tfor _, tt := range []struct {\n\t\tmethod, path string\n\t\tstatus       int\n\t}{\n\t\t{\"GET\", \"/\", 200},\n\t} {\n\t}\n}\n"
)

// app returns the files of an application, with others.
func app(others ...string) map[string]string {
	files := map[string]string{"go.mod": goMod, "app/app.go": appGo, "app/app_test.go": tests, "app/router/index.html": "", "app/router/+layout.html": layout}
	for i := 0; i < len(others); i += 2 {
		files["app/"+others[i]] = others[i+1]
	}
	return files
}

// desk returns the files of an application in which a group is guarded, with others.
func desk(others ...string) map[string]string {
	return app(append([]string{
		"desk.go", `package app

import "time"

const deskDir = "desk"

func init() {
	flow.In("(staff)").Use(signedIn)
	flow.In(deskDir).Use(signedIn)
	flow.In("api").OnError(apiError)
	now.In(time.UTC).Format("15:04")
}
`,
		"router/(staff)/staff/index.html", "", "router/(staff)/staff/[id=int].html", "",
		"router/desk/index.html", "", "router/api/index.html", "",
	}, others...)...)
}

// manual returns the files of an application with formats, and with others.
func manual(others ...string) map[string]string {
	return app(append([]string{
		"formats.go", formats,
		"router/manual/index.html", "", "router/manual/first.md", "", "router/manual/second.md", "", "router/manual/[page].html", "", "router/notes/index.md", "", "router/mixed/a.md", "", "router/mixed/b.html", "",
	}, others...)...)
}

// adding returns files with others.
func adding(files map[string]string, others ...string) map[string]string {
	for i := 0; i < len(others); i += 2 {
		files[others[i]] = others[i+1]
	}
	return files
}

func TestAdd(t *testing.T) {
	const provides = "package app\n\ntype Shop int\n\nfunc New(shop *Shop) *flow.Router { return flow.New(files).Provide(shop) }\n"
	const users = "package app\n\nimport \"example.com/flow\"\n\nfunc init() { flow.GET().Name(\"users\").Do(listUsers) }\n\nfunc listUsers(*flow.Request) string { return \"\" }\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		args  []string
		want  map[string]string // the files that change, or pieces of them
		out   string            // what is said, in it
	}{
		{"a page", app(), []string{"about"}, map[string]string{
			"app/router/about.html": "{{define \"title\"}}About{{end}}\n\n<h1>About</h1>\n",
			"app/app_test.go":       "\t\t{\"GET\", \"/\", 200},\n\t\t{\"GET\", \"/about\", 200},\n\t} {",
		}, "app/router/about.html  the page /about\napp/app_test.go        1 row\n"},
		{"a page whose counterpart no Go file could be", app(), []string{"@me"}, map[string]string{
			"app/router/@me.html": "", "app/app_test.go": "\t\t{\"GET\", \"/@me\", 200},\n",
		}, "app/router/@me.html  the page /@me\n"},
		{"a page with a name", app(), []string{"about", "-name", "us"}, map[string]string{
			"app/router/about.html": "",
			"app/about.go":          "package app\n\nimport \"example.com/flow\"\n\nfunc init() { flow.GET().Name(\"us\") }\n",
			"app/app_test.go":       "",
		}, `app/about.go           its name, "us"`},
		{"a page with a handler", app(), []string{"-methods", "get", "about"}, map[string]string{
			"app/router/about.html": "<h1>{{.Title}}</h1>\n",
			"app/about.go":          "func init() { flow.GET().Do(showAbout) }\n\ntype showAboutData struct {\n\tTitle string\n}\n\n// showAbout answers GET /about.\nfunc showAbout(*flow.Request) (showAboutData, error) {\n\treturn showAboutData{Title: \"About\"}, nil\n}\n",
			"app/app_test.go":       "",
		}, "GET showAbout"},
		{"a page with a parameter", app(), []string{"users/[id]", "-methods", "put,get,put", "-name", "users.show"}, map[string]string{
			"app/router/users/[id].html": "{{define \"title\"}}User{{end}}\n\n<h1>User {{.ID}}</h1>\n",
			"app/users.id.go":            "import (\n\t\"net/http\"\n\n\t\"example.com/flow\"\n)\n\nfunc init() {\n\tflow.GET().Name(\"users.show\").Do(showUser)\n\tflow.PUT().Do(updateUser)\n}\n\ntype showUserIn struct {\n\tID string `param:\"id\"`\n}\n\ntype showUserData struct {\n\tID string\n}\n\n// showUser answers GET /users/{id}.\nfunc showUser(_ *flow.Request, in showUserIn) (showUserData, error) {\n\treturn showUserData{ID: in.ID}, nil\n}\n\ntype updateUserIn struct {\n\tID string `param:\"id\"`\n}\n\n// updateUser answers PUT /users/{id}.\nfunc updateUser(_ *flow.Request, in updateUserIn) (flow.Response, error) {\n\treturn flow.Fail(http.StatusNotImplemented, \"this is not written yet\"), nil\n}\n",
			"app/app_test.go":            "\t\t{\"GET\", \"/users/1\", 200},\n\t\t{\"PUT\", \"/users/1\", 501},\n",
		}, "app/users.id.go             GET showUser, PUT updateUser\n"},
		{"a page with a form", app(), []string{"contact", "-methods", "get,post"}, map[string]string{
			"app/router/contact.html": "<h1>{{.Title}}</h1>\n<form method=\"post\">\n{{with $field := .Form.Field \"text\"}}<label for=\"{{.ID}}\">Text</label>\n<input id=\"{{.ID}}\" name=\"{{.Name}}\" type=\"{{.Type}}\" value=\"{{.Value}}\"{{if .Required}} required{{end}}{{if .Wrong}} aria-invalid=\"true\" aria-describedby=\"{{.ID}}-wrong\"{{end}}>\n{{with .Wrong}}<p id=\"{{$field.ID}}-wrong\">Text {{.}}.</p>\n{{end}}{{end}}<button>Send</button>\n</form>\n",
			"app/contact.go":          "func init() {\n\tflow.GET().Do(showContact)\n\tflow.POST().Do(postContact)\n}\n\nvar showContactPage = flow.PageOf[showContactData]()\n\ntype showContactData struct {\n\tTitle string\n\tForm  flow.Form[postContactIn]\n}\n\n// showContact answers GET /contact.\nfunc showContact(*flow.Request) (showContactData, error) {\n\treturn showContactData{Title: \"Contact\"}, nil\n}\n\ntype postContactIn struct {\n\tText string `form:\"text\"`\n}\n\n// Validate is called before postContact.\nfunc (in postContactIn) Validate() error {\n\tif in.Text == \"\" {\n\t\treturn flow.Invalid{\"text\": \"is required\"}\n\t}\n\treturn nil\n}\n\n// postContact answers POST /contact. It shows the form again if something is wrong with it.\nfunc postContact(_ *flow.Request, in flow.Form[postContactIn]) (flow.Response, error) {\n\tif in.Wrong != nil {\n\t\treturn showContactPage(showContactData{Title: \"Contact\", Form: in}).Status(http.StatusUnprocessableEntity), nil\n\t}\n\treturn flow.Fail(http.StatusNotImplemented, \"this is not written yet\"), nil\n}\n",
			"app/app_test.go":         "\t\t{\"GET\", \"/contact\", 200},\n\t\t{\"POST\", \"/contact\", 422},\n",
		}, "GET showContact, POST postContact"},
		{"a form where there is a partial for fields", app("router/+field.html", "{{.of.Name}} {{.label}}"), []string{"notes/[id]/edit", "-methods", "get,post"}, map[string]string{
			"app/router/notes/[id]/edit.html": "</h1>\n<form method=\"post\">\n{{template \"+field\" (dict \"of\" (.Form.Field \"text\") \"label\" \"Text\")}}\n<button>Send</button>\n</form>\n",
			"app/notes.id.edit.go":            "Page(showNoteEditData{ID: in.Value.ID, Form: in})", "app/app_test.go": "{\"POST\", \"/notes/1/edit\", 422},",
		}, ""},
		{"a form where the partial for fields is another one", app("router/+field.html", "{{.Name}}"), []string{"contact", "-methods", "get,post"}, map[string]string{
			"app/router/contact.html": "{{with $field := .Form.Field \"text\"}}", "app/contact.go": "", "app/app_test.go": "",
		}, ""},
		{"a form with parameters that are called like its fields", app(), []string{"[form]/[text]", "-methods", "get,post"}, map[string]string{
			"app/router/[form]/[text].html": ".Form2.Field \"text2\"", "app/form.text.go": "\tForm  string `param:\"form\"`\n\tText  string `param:\"text\"`\n\tText2 string `form:\"text2\"`\n", "app/app_test.go": "",
		}, ""},
		{"a form beside a page of that name", app("types.go", "package app\n\nvar showContactPage int\n"), []string{"contact", "-methods", "get,post"}, map[string]string{
			"app/router/contact.html": "", "app/contact.go": "var showContact2Page = flow.PageOf[showContact2Data]()", "app/app_test.go": "",
		}, ""},
		{"an endpoint", app(), []string{"users/[id]", "-endpoint"}, map[string]string{
			"app/router/users/[id].http": "GET http://localhost:8080/users/1\n",
			"app/users.id.go":            "type showUserOut struct {\n\tID string `json:\"id\"`\n}\n\n// showUser answers GET /users/{id}.\nfunc showUser(_ *flow.Request, in showUserIn) (showUserOut, error) {\n\treturn showUserOut{ID: in.ID}, nil\n}\n",
			"app/app_test.go":            "",
		}, "the endpoint /users/{id}"},
		{"by its extension", app(), []string{"/users.http"}, map[string]string{
			"app/router/users.http": "", "app/users.go": "func listUsers(*flow.Request) ([]string, error) {\n\treturn []string{}, nil\n}\n", "app/app_test.go": "",
		}, ""},
		{"near endpoints", app("router/api/x.http", "", "x.go", users), []string{"api/new/[id]"}, map[string]string{
			"app/router/api/new/[id].http": "", "app/api.new.id.go": "", "app/app_test.go": "",
		}, ""},
		{"near pages", app("router/api/x.http", "", "router/blog/index.html", ""), []string{"blog/[slug]"}, map[string]string{
			"app/router/blog/[slug].html": "", "app/blog.slug.go": "", "app/app_test.go": "\"/blog/x\", 200",
		}, ""},
		{"near an endpoint that shows nothing", app("router/marks/[id].html", "", "router/marks/[id]/delete.http", "", "marks.id.delete.go", "package app\n\nfunc init() { flow.POST().Do(remove) }\n"), []string{"marks/[id]/edit", "-methods", "get,post"}, map[string]string{
			"app/router/marks/[id]/edit.html": "", "app/marks.id.edit.go": "", "app/app_test.go": "\"/marks/1/edit\", 200",
		}, ""},
		{"near endpoints that show nothing", app("router/api/store.http", "", "router/api/x.http", "", "api.x.go", "package app\n\nfunc init() { flow.POST().Do(add) }\n"), []string{"api/y"}, map[string]string{
			"app/router/api/y.html": "", "app/app_test.go": "",
		}, ""},
		{"in the directory of a page", app("router/marks/[id].html", "", "router/marks/[id]/export.http", ""), []string{"marks/[id]/edit"}, map[string]string{
			"app/router/marks/[id]/edit.html": "", "app/marks.id.edit.go": "", "app/app_test.go": "",
		}, ""},
		{"in the directory of an endpoint", app("router/api/users.http", ""), []string{"api/users/[id]"}, map[string]string{
			"app/router/api/users/[id].http": "", "app/api.users.id.go": "", "app/app_test.go": "",
		}, ""},
		{"without GET", app(), []string{"logout", "-methods", "post"}, map[string]string{
			"app/router/logout.http": "POST http://localhost:8080/logout\n", "app/logout.go": "flow.POST().Do(postLogout)", "app/app_test.go": "{\"POST\", \"/logout\", 501},",
		}, ""},
		{"a page without a handler for GET", app(), []string{"login", "-methods", "post", "-page"}, map[string]string{
			"app/router/login.html": "", "app/login.go": "flow.POST().Do(postLogin)", "app/app_test.go": "\t\t{\"GET\", \"/login\", 200},\n\t\t{\"POST\", \"/login\", 501},",
		}, ""},
		{"a store", app("router/users/index.html", "", "users.index.go", users), []string{"users/store"}, map[string]string{
			"app/router/users/store.http": "", "app/users.store.go": "flow.POST().Do(createUser)", "app/app_test.go": "{\"POST\", \"/users\", 501},",
		}, ""},
		{"an endpoint whose examples are tested", app("examples_test.go", "package app\n\nfunc TestExamples(t *testing.T) { flowtest.Examples(t, newRouter) }\n"), []string{"feed.xml.http"}, map[string]string{
			"app/router/feed.xml.http": "GET http://localhost:8080/feed.xml\n\n# ?? status == 200\n", "app/feed.xml.go": "",
		}, "app/router/feed.xml.http  the endpoint /feed.xml\napp/feed.xml.go           GET"},
		{"an endpoint behind middleware", app("app_.go", "package app\n\nfunc init() { flow.In(\"\").Use(signedIn) }\n"), []string{"feed.http"}, map[string]string{
			"app/router/feed.http": "# Take this away once the request has what the middleware asks for:\n# @disabled\nGET http://localhost:8080/feed\n\n# ?? status == 200\n", "app/feed.go": "",
		}, "No row was added to the tests: the middleware of In(\"\") at app/app_.go:3 may answer before the handler. The requests, and the status that the file answers:\n\n\t{\"GET\", \"/feed\", 200},\n"},
		{"all methods", app(), []string{"x.http", "-methods", "any,options,head,delete,patch,put,post,get"}, map[string]string{
			"app/router/x.http": "", "app/x.go": "\tflow.OPTIONS().Do(optionsX)\n\tflow.ANY().Do(answerX)\n}", "app/app_test.go": "{\"OPTIONS\", \"/x\", 204},\n\t\t{\"PROPFIND\", \"/x\", 501},",
		}, "GET showX, POST postX, PUT updateX, PATCH patchX, DELETE deleteX, HEAD headX, OPTIONS optionsX, ANY answerX"},
		{"all other methods", app(), []string{"x.http", "-methods", "get,any"}, map[string]string{
			"app/router/x.http": "GET http://localhost:8080/x\n\n# ?? status == 200\n\n###\nPOST http://localhost:8080/x\n\n# ?? status == 501\n", "app/x.go": "// answerX answers every other method of /x.\n", "app/app_test.go": "{\"GET\", \"/x\", 200},\n\t\t{\"POST\", \"/x\", 501},\n",
		}, ""},
		{"any method", app(), []string{"x.html", "-methods", "any"}, map[string]string{
			"app/router/x.html": "", "app/x.go": "// answerX answers every method of /x.\n", "app/app_test.go": "{\"GET\", \"/x\", 501},\n",
		}, ""},
		{"beside a file that is not built", app("zgen.go", "//go:build ignore\n\npackage main\n\nfunc main() {}\n"), []string{"x", "-methods", "get"}, map[string]string{
			"app/router/x.html": "", "app/x.go": "package app\n", "app/app_test.go": "",
		}, ""},
		{"a catch-all", app(), []string{"docs/[[...path]]"}, map[string]string{
			"app/router/docs/[[...path]].html": "<h1>Doc {{.Path}}</h1>", "app/docs.path.go": "// showDoc answers GET /docs/{path...}.", "app/app_test.go": "\"/docs/x\"",
		}, ""},
		{"an optional in a group", app(), []string{"(site)/[[lang]]/help"}, map[string]string{
			"app/router/(site)/[[lang]]/help.html": "", "app/lang.help.go": "", "app/app_test.go": "\"/x/help\"",
		}, ""},
		{"a catch-all that makes tests false", app("app_test.go", strings.Replace(tests, "\t\t{\"GET\", \"/\", 200},\n", "\t\t{\"GET\", \"/\", 404},\n\t\t{\"GET\", \"/no/where?q\", 404},\n\t\t{path: \"/no\", status: http.StatusNotFound, method: \"POST\"},\n\t\t{\"GET\", \"/docs/404\", 404},\n\t\t{\"GET\", \"/yes\", 200},\n\t\t{\"GET\", where, 404},\n", 1)+"\nvar others = []struct {\n\turl  string\n\tcode int\n}{{\"/there\", 404}}\n", "router/docs/[slug].html", ""), []string{"[...all]", "-methods", "get,put"}, map[string]string{
			"app/router/[...all].html": "", "app/all.go": "", "app/app_test.go": "",
		}, "\n\nThe tests want 404 for what the file answers now, and fail until you change that:\n\n" +
			"\tapp/app_test.go:9: GET /no/where is 200 now, by app/router/[...all].html: change the row, or let showAll answer 404 for what it does not know\n" +
			"\tapp/app_test.go:10: POST /no is 405 now, by app/router/[...all].html: change the row\n" +
			"\tapp/app_test.go:23: GET /there is 200 now, by app/router/[...all].html: change the row, or let showAll answer 404 for what it does not know\n"},
		{"a page that makes a test false", app("app_test.go", strings.Replace(tests, "\"/\", 200", "\"/about/\", 404", 1)), []string{"about"}, map[string]string{
			"app/router/about.html": "", "app/app_test.go": "",
		}, "\tapp/app_test.go:8: GET /about/ is 308 now, by app/router/about.html: change the row\n"},
		{"numbers", app(), []string{"years/[year=int]/[...ids=int]"}, map[string]string{
			"app/router/years/[year=int]/[...ids=int].html": "", "app/years.year.ids.go": "\tYear int    `param:\"year\"`\n\tIds  string `param:\"ids\"`\n", "app/app_test.go": "",
		}, ""},
		{"parameters that no field can be called like", app(), []string{"x/[__]/[user_id]/[userId]"}, map[string]string{
			"app/router/x/[__]/[user_id]/[userId].html": "{{.Param}} {{.UserID}} {{.UserId}}", "app/x.__.user_id.userId.go": "\tParam  string `param:\"__\"`\n\tUserID string `param:\"user_id\"`\n\tUserId string `param:\"userId\"`\n", "app/app_test.go": "",
		}, ""},
		{"parameters that are called alike", app(), []string{"[user]/[User]"}, map[string]string{
			"app/router/[user]/[User].html": "{{.User}} {{.User2}}", "app/user.User.go": "showUserUserData{User: in.User, User2: in.User2}", "app/app_test.go": "",
		}, ""},
		{"beside a type of that name", app("types.go", "package app\n\ntype showUserIn struct{}\n"), []string{"users/[id]"}, map[string]string{
			"app/router/users/[id].html": "", "app/users.id.go": "func showUserByID(_ *flow.Request, in showUserByIDIn)", "app/app_test.go": "",
		}, ""},
		{"a matcher", app(), []string{"orders/[day=date]"}, map[string]string{
			"app/router/orders/[day=date].html": "", "app/orders.day.go": "", "app/app_test.go": "\"/orders/2006-01-01\"",
		}, ""},
		{"a matcher of the application", app("matchers.go", "package app\n\nfunc init() { Router.Matchers = matchers{\"sku\": isSKU} }\n"), []string{"items/[no=sku]"}, map[string]string{
			"app/router/items/[no=sku].html": "", "app/items.no.go": "",
		}, "No row was added to the tests: no URL is known that it answers. The requests, and the status that the file answers:\n\n\t{\"GET\", \"/…\", 200},\n"},
		{"no layout", map[string]string{"go.mod": goMod, "app.go": appGo, "router/x/+layout.html": layout}, []string{"about"}, map[string]string{
			"router/about.html": "<!doctype html>",
		}, "No row was added to the tests: no test of the application has a function TestRoutes with a table."},
		{"a layout without a title", app("router/+layout.html", `{{template "content" .}}`), []string{"about"}, map[string]string{
			"app/router/about.html": "<h1>About</h1>\n", "app/app_test.go": "",
		}, ""},
		{"below a guard", app("router/admin/index.html", "", "guard.go", "package app\n\nfunc init() {\n\tflow.In(\"admin\").Use(signedIn)\n}\n"), []string{"admin/users/[id]"}, map[string]string{
			"app/router/admin/users/[id].html": "", "app/admin.users.id.go": "",
		}, "No row was added to the tests: the middleware of In(\"admin\") at app/guard.go:4 may answer before the handler."},
		{"a directory that is spelled nearly as one that is there", app("router/notes/index.html", ""), []string{"nots/x"}, map[string]string{
			"app/router/nots/x.html": "", "app/app_test.go": "",
		}, "\n\napp/router/nots is a new directory: did you mean \"notes\"?\n"},
		{"a partial in such a directory", app("router/(g)/notes/index.html", ""), []string{"note/x/+row"}, map[string]string{
			"app/router/note/x/+row.html": "",
		}, "\n\napp/router/note is a new directory: did you mean \"notes\"?\n"},
		// The directory is found in its groups, and so has its guards.
		{"in a guarded group", desk(), []string{"staff/reports"}, map[string]string{
			"app/router/(staff)/staff/reports.html": "<h1>Reports</h1>",
		}, "app/router/(staff)/staff/reports.html  the page /staff/reports\n\nNo row was added to the tests: the middleware of In(\"(staff)\") at app/desk.go:8 may answer before the handler. The requests, and the status that the file answers:\n\n\t{\"GET\", \"/staff/reports\", 200},\n"},
		{"an endpoint in a guarded group", desk(), []string{"staff/export.http"}, map[string]string{
			"app/router/(staff)/staff/export.http": "# @disabled\n", "app/staff.export.go": "",
		}, "No row was added to the tests: the middleware"},
		{"an endpoint in a guarded group, whose examples are tested", desk("examples_test.go", "package app\n\nfunc TestExamples(t *testing.T) { flowtest.Examples(t, newRouter) }\n"), []string{"staff/export.http"}, map[string]string{
			"app/router/(staff)/staff/export.http": "# @disabled\n", "app/staff.export.go": "",
		}, "app/staff.export.go                   GET showStaffExport\n\nThe examples in app/router/(staff)/staff/export.http are disabled, since the middleware of In(\"(staff)\") at app/desk.go:8 may answer before the handler: give them what it asks for, and take \"# @disabled\" away.\n"},
		{"a layout of a guarded group", desk(), []string{"staff/+layout"}, map[string]string{
			"app/router/(staff)/staff/+layout.html": "<section>",
		}, "app/router/(staff)/staff/+layout.html  the layout of its directory and below\n"},
		{"a partial of a guarded group", desk(), []string{"/staff/+row"}, map[string]string{
			"app/router/(staff)/staff/+row.html": "",
		}, ""},
		{"behind a matcher", desk(), []string{"staff/[id]/notes"}, map[string]string{
			"app/router/(staff)/staff/[id=int]/notes.html": "", "app/staff.id.notes.go": "ID int",
		}, "{\"GET\", \"/staff/1/notes\", 200},"},
		{"the exact directory", desk(), []string{"./staff/reports"}, map[string]string{
			"app/router/staff/reports.html": "", "app/app_test.go": "{\"GET\", \"/staff/reports\", 200},",
		}, "app/app_test.go                1 row\n\nIt is public, and does not have the middleware of In(\"(staff)\") at app/desk.go:8, which app/router/(staff)/staff/[id=int].html beside it has. If it should: flow mv ./staff/reports \"(staff)/staff/\"\n"},
		{"the exact file", desk(), []string{"app/router/staff/reports.html"}, map[string]string{
			"app/router/staff/reports.html": "", "app/app_test.go": "",
		}, "It is public, and does not have the middleware of In(\"(staff)\") at app/desk.go:8"},
		{"beside a guarded file in a group of its own", desk("more.go", "package app\n\nfunc init() { flow.In(\"(new)\").Use(limit) }\n"), []string{"(new)/staff/reports"}, map[string]string{
			"app/router/(new)/staff/reports.html": "",
		}, "\n\nIt does not have the middleware of In(\"(staff)\") at app/desk.go:8, which app/router/(staff)/staff/[id=int].html beside it has. If it should: flow mv \"./(new)/staff/reports\" \"(staff)/staff/\"\n"},
		{"a public page beside the guarded directory", desk(), []string{"about"}, map[string]string{
			"app/router/about.html": "", "app/app_test.go": "{\"GET\", \"/about\", 200},",
		}, "app/app_test.go        1 row\n"},
		{"below a directory that a constant names", desk(), []string{"desk/queue"}, map[string]string{
			"app/router/desk/queue.html": "",
		}, "the middleware of In(deskDir) at app/desk.go:9 may answer before the handler"},
		{"below a directory that has an error page of its own", desk(), []string{"api/queue", "-page"}, map[string]string{
			"app/router/api/queue.html": "", "app/app_test.go": "",
		}, ""},
		{"below a directory that only the program knows", app("all.go", "package app\n\nfunc init() {\n\tfor _, dir := range dirs {\n\t\tflow.In(dir).Use(signedIn)\n\t}\n}\n"), []string{"queue"}, map[string]string{
			"app/router/queue.html": "",
		}, "the middleware of In(dir) at app/all.go:5 may answer before the handler"},
		{"below a directory that main guards", adding(desk(), "main.go", "package main\n\nimport \"example.com/flow\"\n\nconst dir = \"api\"\n\nfunc main() {\n\tr := app.New()\n\tr.In(dir).Use(limit)\n\tr.In(other()).Use(limit)\n\tflow.Main(r)\n}\n"), []string{"api/queue", "-page"}, map[string]string{
			"app/router/api/queue.html": "",
		}, "the middleware of In(dir) at main.go:9 may answer before the handler"},
		{"below a directory that main guards, above a mistake", adding(desk(), "main.go", "package main\n\nimport \"example.com/flow\"\n\nfunc main() {\n\tr := app.New()\n\tr.In(\"api\").Use(limit)\n\tflow.Main(r\n}\n"), []string{"api/queue", "-page"}, map[string]string{
			"app/router/api/queue.html": "",
		}, "the middleware of In(\"api\") at main.go:7 may answer before the handler"},
		{"below a directory that another application guards", adding(desk(), "shop/shop.go", "package shop\n\nimport \"example.com/flow\"\n\nvar Router = flow.New(files)\n\nfunc init() { Router.In(\"api\").Use(limit) }\n", "shop/router/api/index.html", ""), []string{"app/router/api/queue.html"}, map[string]string{
			"app/router/api/queue.html": "", "app/app_test.go": "",
		}, ""},
		{"a test that cannot take it", app("app_test.go", "package app\n\nfunc TestRoutes(t *testing.T) {}\n"), []string{"about"}, map[string]string{
			"app/router/about.html": "",
		}, "No row was added to the tests: TestRoutes of app/app_test.go cannot take them: its table has not the fields method, path and status."},
		{"with what is provided", app("users.index.go", "package app\n\ntype Shop int\n\nfunc init() {\n\tflow.With(func(f *flow.File, shop *Shop) { f.GET().Do(shop.list) })\n}\n", "router/users/index.html", ""), []string{"users/[id]", "-methods", "get,delete"}, map[string]string{
			"app/router/users/[id].html": "",
			"app/users.id.go":            "func init() {\n\tflow.With(func(f *flow.File, shop *Shop) {\n\t\tf.GET().Do(shop.showUser)\n\t\tf.DELETE().Do(shop.deleteUser)\n\t})\n}\n\ntype showUserIn struct {\n\tID string `param:\"id\"`\n}\n\ntype showUserData struct {\n\tID string\n}\n\n// showUser answers GET /users/{id}.\nfunc (shop *Shop) showUser(_ *flow.Request, in showUserIn)",
			"app/app_test.go":            "",
		}, ""},
		{"with what New provides", app("app.go", provides), []string{"users/[id]"}, map[string]string{
			"app/router/users/[id].html": "",
			"app/users.id.go":            "func init() { flow.With(func(f *flow.File, shop *Shop) { f.GET().Do(shop.showUser) }) }\n\ntype showUserIn struct {\n\tID string `param:\"id\"`\n}\n\ntype showUserData struct {\n\tID string\n}\n\n// showUser answers GET /users/{id}.\nfunc (shop *Shop) showUser(_ *flow.Request, in showUserIn)",
			"app/app_test.go":            "",
		}, ""},
		{"with what New provides, beside one that does not ask", app("app.go", provides, "users.index.go", users, "router/users/index.html", ""), []string{"users/[id]"}, map[string]string{
			"app/router/users/[id].html": "", "app/users.id.go": "flow.With(func(f *flow.File, shop *Shop)", "app/app_test.go": "",
		}, ""},
		{"with what New provides, and nobody asks for", app("app.go", provides, "users.index.go", users, "router/users/index.html", "", "x.go", strings.ReplaceAll(users, "listUsers", "showX"), "router/x.http", ""), []string{"users/[id]"}, map[string]string{
			"app/router/users/[id].html": "", "app/users.id.go": "func init() { flow.GET().Do(showUser) }", "app/app_test.go": "",
		}, ""},
		{"a matcher that is a list", app("matchers.go", "package app\n\nimport \"example.com/flow\"\n\nfunc init() { Router.Matchers[\"lang\"] = flow.OneOf(\"de\", \"fr\") }\n", "router/de/help.html", ""), []string{"[lang=lang]/help"}, map[string]string{
			"app/router/[lang=lang]/help.html": "", "app/lang.help.go": "", "app/app_test.go": "{\"GET\", \"/fr/help\", 200},",
		}, ""},
		{"an optional with a matcher of the application", app("app.go", appGo+"\nfunc init() { Router.Matchers = map[string]func(string) bool{\"lang\": isLang} }\n"), []string{"[[lang=lang]]/help"}, map[string]string{
			"app/router/[[lang=lang]]/help.html": "", "app/lang.help.go": "", "app/app_test.go": "{\"GET\", \"/help\", 200},",
		}, ""},
		{"with what another package declares", app("users.index.go", "package app\n\nfunc init() {\n\tflow.With(func(f *flow.File, db *DB) { f.GET().Do(db.list) })\n}\n", "router/users/index.html", ""), []string{"users/[id]"}, map[string]string{
			"app/router/users/[id].html": "", "app/users.id.go": "func init() { flow.GET().Do(showUser) }", "app/app_test.go": "",
		}, ""},
		{"a path without brackets that is meant", app("router/posts/[id].html", ""), []string{"posts/id/comments.html"}, map[string]string{
			"app/router/posts/id/comments.html": "", "app/app_test.go": "",
		}, ""},
		{"a layout", app("router/users/index.html", ""), []string{"users/+layout"}, map[string]string{
			"app/router/users/+layout.html": "<section>\n{{template \"content\" .}}\n</section>\n",
		}, "app/router/users/+layout.html  the layout of its directory and below\n"},
		{"the first layout", map[string]string{"go.mod": goMod, "app/app.go": appGo, "app/router/index.html": "<p>", "app/router/users/[id].html": "<!doctype html>", "app/router/users/+layout.html": layout}, []string{"posts/+layout.html"}, map[string]string{
			"app/router/posts/+layout.html": "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{{block \"title\" .}}shop{{end}}</title>\n</head>\n<body>\n<main>\n{{template \"content\" .}}\n</main>\n</body>\n</html>\n",
		}, ""},
		{"an error page", app(), []string{"-page", "+error"}, map[string]string{
			"app/router/+error.html": "{{define \"title\"}}{{.Title}}{{end}}\n\n<h1>{{.Status}} {{.Title}}</h1>\n",
		}, "app/router/+error.html  the error page of its directory and below\n"},
		{"the partial for fields", app(), []string{"+field"}, map[string]string{
			"app/router/+field.html": "<label for=\"{{.of.ID}}\">{{.label}}",
		}, `a partial: {{template "+field" (dict "of" (.Form.Field "name") "label" "Name")}}`},
		{"a partial", app("router/(g)/[id]/x.html", ""), []string{"(g)/[id]/+row"}, map[string]string{
			"app/router/(g)/[id]/+row.html": "<p>{{.}}</p>\n",
		}, `a partial: {{template "(g)/[id]/+row" .}}`},
		{"a page of a format", manual(), []string{"blog/first-steps.md"}, map[string]string{
			"app/router/blog/first-steps.md": "# First steps\n", "app/app_test.go": "\t\t{\"GET\", \"/blog/first-steps\", 200},\n",
		}, "app/router/blog/first-steps.md  the page /blog/first-steps\n"},
		{"a page of a format, with a flag", manual(), []string{"-page", "about.txt"}, map[string]string{
			"app/router/about.txt": "About\n", "app/app_test.go": "",
		}, "the page /about\n"},
		{"beside pages of a format", manual(), []string{"manual/third"}, map[string]string{"app/router/manual/third.md": "# Third\n", "app/app_test.go": ""}, ""},
		{"below pages of a format", manual(), []string{"manual/more/third"}, map[string]string{"app/router/manual/more/third.md": "# Third\n", "app/app_test.go": ""}, ""},
		{"beside an index of a format", manual(), []string{"notes/first"}, map[string]string{"app/router/notes/first.md": "", "app/app_test.go": ""}, ""},
		{"beside pages of a format and others", manual(), []string{"mixed/c"}, map[string]string{"app/router/mixed/c.html": "", "app/app_test.go": ""}, ""},
		{"a template beside pages of a format", manual(), []string{"manual/third", "-page"}, map[string]string{"app/router/manual/third.html": "", "app/app_test.go": ""}, ""},
		{"a page with a handler beside pages of a format", manual(), []string{"manual/third", "-methods", "get"}, map[string]string{
			"app/router/manual/third.html": "<h1>{{.Title}}</h1>", "app/manual.third.go": "", "app/app_test.go": "",
		}, ""},
		{"a page with a parameter beside pages of a format", manual(), []string{"notes/[id]"}, map[string]string{
			"app/router/notes/[id].html": "", "app/notes.id.go": "", "app/app_test.go": "",
		}, ""},
		{"beside pages with front matter", manual("router/manual/first.md", "---\ntitle: One\norder: 1\n---\n", "router/manual/more/a.txt", "---\ntitle: Two\ndate: x\n---\n"), []string{"manual/more/b-c.md"}, map[string]string{
			"app/router/manual/more/b-c.md": "---\ntitle: B c\n---\n", "app/app_test.go": "",
		}, ""},
		{"a page of a format with a handler", manual(), []string{"notes/[id].md", "-methods", "get"}, map[string]string{
			"app/router/notes/[id].md": "# Note\n", "app/notes.id.go": "flow.GET().Do(showNote)", "app/app_test.go": "",
		}, "app/notes.id.go           GET showNote\n"},
		{"a page of a format with a parameter", manual(), []string{"notes/[id].md"}, map[string]string{"app/router/notes/[id].md": "", "app/app_test.go": ""}, ""},
		{"an endpoint called like a page of a format that there is not", app(), []string{"about.md", "-endpoint"}, map[string]string{
			"app/router/about.md.http": "", "app/about.md.go": "", "app/app_test.go": "",
		}, "the endpoint /about.md\n"},
		{"names that are taken", app("other.go", "package app\n\ntype showUser int\n\nvar showUserByID, x = 1, 2\n", "other_test.go", "package app\n\nfunc updateUser() {}\n"), []string{"users/[id]", "-methods", "get,put"}, map[string]string{
			"app/router/users/[id].html": "", "app/users.id.go": "flow.GET().Do(showUsersID)\n\tflow.PUT().Do(updateUserByID)", "app/app_test.go": "",
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, tt.files)
			before := contents(t, root)
			code, out, errs := run(root, append([]string{"add"}, tt.args...)...)
			is.Equal(errs, "")
			is.Equal(code, command.OK)
			if !strings.Contains(out, tt.out) {
				t.Errorf("said\n%s\nwant in it\n%s", out, tt.out)
			}
			after := contents(t, root)
			is.Equal(changes(before, after), sortedKeys(tt.want))
			for name, piece := range tt.want {
				if !strings.Contains(after[name], piece) {
					t.Errorf("%s is\n%s\nwant in it\n%s", name, after[name], piece)
				}
			}
			// What is there now is refused a second time.
			code, _, errs = run(root, append([]string{"add"}, tt.args...)...)
			is.Equal(code, command.Failure)
			is.True(strings.Contains(errs, " is there already"))
			is.Equal(contents(t, root), after)
		})
	}
}

func sortedKeys(m map[string]string) []string { return changes(nil, m) }

func TestAddFaults(t *testing.T) {
	const index = "package app\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.GET().Name(\"users\").Do(listUsers)\n\tflow.POST().Do(addUser)\n}\n"
	files := app(
		"router/users/index.html", "", "users.index.go", index,
		"router/posts/[id].html", "", "router/plain.html", "",
		"router/(shop)/cart.html", "", "router/(shop)/wares/old.html", "", "router/wares/sold.html", "", "router/notes/store.http", "",
		"notes.store.go", "package app\n\nfunc init() { flow.POST().Use(guard).Name(\"items.id\").Do(add) }\n",
		"stray.go", "package app\n", "guard.go", "package app\n\nfunc init() { flow.Use(guard) }\n", "public/app.css", "",
		"router/whole/[id].html", "{{/* a */}}\n<!DOCTYPE html>", "router/whole/x/+error.html", "<!doctype html>", "router/whole/y.html", "<p>", "router/whole/+row.html", "<!doctype",
		"router/half.html", "", "half.go", "package app\n\nfunc init() { flow.GET().Do(showHalf) }\n",
		"router/main.html", "", "main.go", "package app\n\nfunc helper() {}\n",
		"router/old", "", // is a fault already, and no reason to refuse others
		"formats.go", formats, "router/manual/first.md", "",
	)
	files["users/i"] = ""
	files["x"] = ""
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", command.Usage, `add: say the path of the route file below router/, in quotes if it has brackets, as in: flow add "users/[id]"`},
		{"a b", command.Usage, "add: say one path, not 2 (a b): quote it if it has brackets"},
		{"a -page -endpoint", command.Usage, "add: -page and -endpoint exclude each other"},
		{"a -methods get,pots", command.Usage, `add: -methods: there is no call flow.POTS: did you mean "POST"?`},
		{"a -methods propfind", command.Usage, "add: -methods: there is no call flow.PROPFIND: for another method, write flow.Method in the counterpart"},
		{"a.html -endpoint", command.Usage, "add: the extension .html is not what the flag says"},
		{"a.http -page", command.Usage, "add: the extension .http is not what the flag says"},
		{"a/store -page", command.Usage, "add: a file called store answers POST and nothing else: it is no page"},
		{"store -methods get", command.Usage, "add: a file called store serves POST and nothing but POST"},
		{"users/{id}", command.Usage, `add: a parameter is written with brackets: flow add "users/[id]"`},
		// What the shell has made of brackets.
		{"users/i", command.Usage, `add: users/i is the name of a file here, which a shell puts in the place of "users/[id]" without quotes: write flow add "users/[id]", or users/i.html if that is meant`},
		{"users/d users/i", command.Usage, "add: users/i is the name of a file here"},
		{"x", command.Usage, "add: x is the name of a file here"},
		{"posts/id/comments", command.Failure, `there is app/router/posts/[id].html already: if "posts/[id]/comments" is meant, quote it, so that the shell leaves the brackets alone: flow add "posts/[id]/comments"; or write posts/id/comments.html`},
		// What Check would say.
		{"users", command.Failure, "app/router/users.html and app/router/users/index.html both answer /users: rename one of them\n"},
		{"posts/[slug]", command.Failure, "app/router/posts/[id].html and app/router/posts/[slug].html both answer /posts/x: rename one of them\n"},
		{"plain.http", command.Failure, "app/router/plain.html and app/router/plain.http both answer /plain: rename one of them\n"},
		{"cart", command.Failure, "app/router/(shop)/cart.html is there already"},
		{"./cart", command.Failure, "app/router/(shop)/cart.html and app/router/cart.html both answer /cart"},
		{"app.css", command.Failure, "app/router/app.css.html and app/public/app.css both answer /app.css"},
		{"wares/x", command.Failure, "wares/x may be in several directories: write \"(shop)/wares/x\" or ./wares/x\n"},
		{"wares/+row", command.Failure, "wares/+row may be in several directories: write \"(shop)/wares/+row\" or ./wares/+row\n"},
		{"user-[id]", command.Failure, `app/router/user-[id].html: a parameter fills a whole segment, and "user-[id]" is not one of`},
		{"[id]/x/[id]", command.Failure, `app/router/[id]/x/[id].html: the parameter "id" stands twice in one path`},
		{"[...a]/b", command.Failure, "the catch-all [...a] takes the rest of the URL"},
		{"a/b:c", command.Failure, "app/router/a/b:c.html: the name holds ':', which go:embed refuses"},
		{"(admin)", command.Failure, "app/router/(admin).html: parentheses group the files of a directory"},
		{"Users/x", command.Failure, "differs only in case"},
		{"con", command.Failure, `"con" is a device on Windows`},
		{"[id=imt]", command.Failure, `app/router/[id=imt].html: no matcher is called "imt": did you mean "int"?`},
		// Templates of their directories.
		{"+layout", command.Failure, "app/router/+layout.html is there already\n"},
		{"+row -methods get", command.Usage, "add: +row is a template of its directory, without a URL: it has no methods, no name, and the extension .html"},
		{"+row.http", command.Usage, "add: +row is a template of its directory"},
		{"users/+page", command.Usage, "add: a page has no + in front: write flow add users/index"},
		{"users/+Layout", command.Usage, "add: write +layout, in small letters"},
		{"Users/+row", command.Failure, "differs only in case"},
		{"whole/+layout", command.Failure, "app/router/whole/[id].html: it begins with <!doctype, and would be shown inside app/router/whole/+layout.html: take out of it what stands around the page first, or write the layout yourself\napp/router/whole/x/+error.html: it begins with <!doctype"},
		// The counterpart.
		{"users.index", command.Failure, "app/users.index.go would be the counterpart of app/router/users/index.html and of app/router/users.index.html: call this one otherwise"},
		{"a_test -methods get", command.Failure, `the go tool builds a_test.go for tests only, and it would be the counterpart of app/router/a_test.html: call this one otherwise, or write the route file yourself, and register with flow.At("a_test")`},
		{"@me -name me", command.Failure, `the go tool refuses @me.go, which begins with @, and it would be the counterpart of app/router/@me.html`},
		{"stray -methods get", command.Failure, "app/stray.go is there already: rename it if it is something else. If it is for app/router/stray.html, write that file yourself, and add what is missing of this:\n\npackage app\n"},
		{"guard", command.Failure, "app/guard.go:3: flow.Use is for the whole application, and would stand in the counterpart of app/router/guard.html: call it in another file"},
		{"index", command.Failure, "app/router/index.html is there already\n"},
		{"plain -methods get", command.Failure, "app/router/plain.html is there already. For what is missing, write app/plain.go:\n\npackage app\n\nimport \"example.com/flow\"\n\nfunc init() { flow.GET().Do(showPlain) }\n"},
		{"main -methods get", command.Failure, "app/router/main.html is there already. For what is missing, add this to app/main.go:\n"},
		{"users/index -methods get,post", command.Failure, "app/router/users/index.html is there already, and app/users.index.go:6 handles GET, and app/users.index.go:7 handles POST\n"},
		{"half -methods get,post", command.Failure, "app/router/half.html is there already, and app/half.go:3 handles GET. For what is missing, add this to app/half.go:\n\npackage app\n\nimport (\n\t\"net/http\"\n\n\t\"example.com/flow\"\n)\n\nfunc init() { flow.POST().Do(postHalf) }\n\n// postHalf answers POST /half.\nfunc postHalf(*flow.Request) flow.Response {\n\treturn flow.Fail(http.StatusNotImplemented, \"this is not written yet\")\n}\n"},
		{"users/index -methods post,delete", command.Failure, "app/router/users/index.html is there already, and app/users.index.go:7 handles POST. For what is missing, add this to app/users.index.go:\n\npackage app\n"},
		{"users/store", command.Failure, "app/users.index.go:7: app/router/users/index.html and app/router/users/store.http would both answer POST /users: keep one of them"},
		{"notes/index -methods post", command.Failure, "app/notes.store.go:3: app/router/notes/store.http and app/router/notes/index.http would both answer POST /notes: keep one of them"},
		// Names.
		{"a -name users", command.Failure, `-name: "users" is the name of another route already, given at app/users.index.go:6: call this one otherwise`},
		{"a -name cart", command.Failure, `-name: "cart" is the automatic name of app/router/(shop)/cart.html: call this one otherwise`},
		{"items/[id]", command.Failure, `app/notes.store.go:3: Name: "items.id" would be the automatic name of app/router/items/[id].html: change that name, or call this one otherwise`},
		// Formats.
		{"manual/first", command.Failure, "app/router/manual/first.md is there already\n"},
		{"manual/first.html", command.Failure, "app/router/manual/first.html and app/router/manual/first.md both answer /manual/first: rename one of them\n"},
		{"a.md -endpoint", command.Usage, "add: the extension .md is not what the flag says"},
		{"a/store.md", command.Usage, "add: a file called store answers POST and nothing else: it is no page"},
		{"+row.md", command.Usage, "add: +row is a template of its directory, without a URL: it has no methods, no name, and the extension .html"},
		{"a.md -methods get,post", command.Usage, "add: a page with handlers for GET and POST gets a form, and what looks like an action in router/a.md is text: write a.html"},
		{"blog/a.markdown", command.Usage, "add: Router.Formats has no .markdown: write blog/a, or say -endpoint if the URL is to end so"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			root := lay(t, files)
			before := contents(t, root)
			code, out, errs := run(root, append([]string{"add"}, strings.Fields(tt.args)...)...)
			is.Equal(out, "")
			if !strings.Contains(errs, tt.want) {
				t.Errorf("got\n%s\nwant in it\n%s", errs, tt.want)
			}
			is.Equal(code, tt.code)
			is.Equal(contents(t, root), before) // nothing is made
		})
	}
	t.Run("mounted", func(t *testing.T) {
		mounted := app("router/billing.index.html", "", "users.go", "package app\n\nfunc init() { flow.At(\"index\").GET().Name(\"billing.refund\") }\n")
		mounted["main.go"] = "package main\n\nfunc New() {\n\tr := app.New()\n\tr.Mount(\"/billing\", billing.New()).\n\t\tName(\"billing\")\n}\n"
		mounted["billing/billing.go"] = "package billing\n\nfunc init() { flow.At(\"pay\").GET().Name(\"paid\") }\n"
		mounted["billing/router/pay.html"] = ""
		for _, tt := range []struct{ dir, args, want string }{
			{"app", "billing.pay", `main.go:6: Name("billing"): "billing.pay" would be a name of billing/router/pay.html, which is mounted, and of router/billing.pay.html: call this one otherwise`},
			{"app", "x -name billing.paid", `main.go:6: Name("billing"): "billing.paid" would be a name of the route at billing/billing.go:3, which is mounted`},
			{"billing", "index", `main.go:6: Name("billing"): "billing.index" would be a name of router/index.html, which is mounted, and is one of app/router/billing.index.html: call this one otherwise`},
			{"billing", "x -name refund", `"billing.refund" would be a name of router/x.html, which is mounted, and is one of the route at app/users.go:3`},
			{"app", "billing.paying", ""},
			{"app", "pay", ""},
			{"billing", "billing", ""},
		} {
			t.Run(tt.dir+" "+tt.args, func(t *testing.T) {
				is := is.New(t)
				dir := filepath.Join(lay(t, mounted), tt.dir)
				t.Chdir(dir)
				code, _, errs := run(dir, append([]string{"add"}, strings.Fields(tt.args)...)...)
				is.Equal(code == command.OK, tt.want == "")
				if !strings.Contains(errs, tt.want) {
					t.Errorf("got\n%s\nwant in it\n%s", errs, tt.want)
				}
			})
		}
	})
	t.Run("Go that does not parse", func(t *testing.T) {
		is := is.New(t)
		broken := maps.Clone(files)
		broken["app/broken.go"] = "package app\n\nfunc {\n"
		root := lay(t, broken)
		code, _, errs := run(root, "add", "a")
		is.Equal(code, command.Failure)
		is.True(strings.Contains(errs, "app/broken.go:3:6: expected"))
	})
	t.Run("tests alone", func(t *testing.T) {
		is := is.New(t)
		root := lay(t, map[string]string{"go.mod": goMod, "app/app_test.go": tests, "app/router/index.html": ""})
		_, _, errs := run(root, "add", "a")
		is.Equal(errs, "app has no Go files but tests: write the one that embeds router\n")
	})
	t.Run("by its absolute name", func(t *testing.T) {
		is := is.New(t)
		root := lay(t, app())
		code, out, errs := run(root, "add", filepath.Join(root, "app", "router", "users", "[id].html"))
		is.Equal(errs, "")
		is.Equal(code, command.OK)
		is.True(strings.HasPrefix(out, "app/router/users/[id].html  the page /users/{id}\n"))
	})
	t.Run("from another directory", func(t *testing.T) {
		is := is.New(t)
		root := lay(t, files)
		dir := filepath.Join(root, "app", "router", "users")
		t.Chdir(dir)
		code, _, errs := run(dir, "add", "users")
		is.Equal(code, command.Failure)
		is.Equal(errs, "app/router/users.html and app/router/users/index.html both answer /users: rename one of them\n")
	})
}
