package flow_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/check/manifest"
	"example.com/flow/internal/command"
)

// A release is a version of an application: its files, and its handlers by method and route file.
type release struct {
	files    map[string]string
	handlers map[string]any
	mounts   map[string]http.Handler
	billing  map[string]string // the files of a Router that is mounted at /orgs/[org]/billing
	hosts    map[string]map[string]string
	matchers map[string]func(string) bool
}

type signupForm struct {
	Name  string `form:"name"`
	Phone string `form:"phone"`
	Note  string `form:"note"`
	Items []struct {
		Name string `json:"name"`
	} `json:"items"`
}

func (f *signupForm) Validate() error { return requires("name", f.Name) }

type searchForm struct {
	Text string `query:"q"`
	Sort string `query:"sort"`
}

type apiOrder struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func (o *apiOrder) Validate() error { return requires("name", o.Name) }

// requires returns an Invalid with a message for each name whose value is "".
func requires(namesAndValues ...string) error {
	wrong := flow.Invalid{}
	for i := 0; i < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] == "" {
			wrong[namesAndValues[i]] = "is required"
		}
	}
	return wrong
}

// previousRelease returns the release that those of the tests differ from.
func previousRelease() *release {
	return &release{
		files: map[string]string{
			"router/+layout.html":           `<link rel="stylesheet" href="{{asset "app.css"}}"><a href="/about">About</a><a href="{{route "users.index"}}">Users</a>{{template "content" .}}`,
			"router/index.html":             `<img src="/logo.png" alt=""><a href="/users/new">New</a><a href="/posts/first">First</a>`,
			"router/about.html":             `<a href="/docs/guide/start">Docs</a><a href="/shop/cart" hx-get="/cart/count">Cart</a>`,
			"router/signup.html":            `<form method="post"><input name="name"><input name="phone">{{template "+note"}}<input name="items.0.name"></form>`,
			"router/+note.html":             `<textarea name="note"></textarea>`,
			"router/search.html":            `<form><input name="q"></form>`,
			"router/users/index.html":       `<a href="/users/{{1}}">One</a><form method="post" action="/users/{{1}}/delete"><button>x</button></form>`,
			"router/users/new.html":         `<form method="post" action="/users"><input name="name"></form>`,
			"router/users/[id].html":        `<button hx-delete="/users/{{1}}">x</button>`,
			"router/users/[id]/delete.http": "",
			"router/posts/[slug=slug].html": `<p>Post</p>`,
			"router/docs/[...path].html":    `<p>Docs</p>`,
			"router/[[lang=lang]]/help.html": `<form method="post" enctype="multipart/form-data" action="/upload"><input type="file" name="photo">
				<input type="radio" name="size" value="small"><input type="radio" name="size" value="large"></form>`,
			"router/upload.http":        "",
			"router/notes/index.html":   `{{template "notes/+new"}}`,
			"router/notes/+new.html":    `<form method="post"><input name="name">{{if true}}{{template "+note"}}{{end}}</form>`,
			"router/tags/index.html":    `{{template "tags/+form" "/tags"}}`,
			"router/tags/+form.html":    `<form method="post"{{if .}} action="{{.}}"{{end}}><input name="label"></form>`,
			"router/cart/count.http":    "",
			"router/api/orders.http":    "",
			"router/api/any.http":       "",
			"router/(shop)/prices.html": `<p>Prices</p>`,
			"public/app.css":            "b{}",
			"public/logo.png":           "png",
			"public/robots.txt":         "x",
		},
		handlers: map[string]any{
			"POST signup": takes[signupForm](), "GET search": takes[searchForm](),
			"POST users/index": hello, "DELETE users/[id]": hello, "POST users/[id]/delete": hello,
			"POST notes/index": takes[signupForm](),
			"POST upload":      takes[uploadForm](),
			"POST tags/index":  takes[tagForm](),
			"GET cart/count":   hello,
			"GET api/orders":   hello, "POST api/orders": takes[apiOrder](),
			"ANY api/any": hello,
		},
		mounts: map[string]http.Handler{"/shop/": http.NotFoundHandler()},
		billing: map[string]string{
			"router/index.html":             `<a href="{{route "invoices.id" "id" 7}}">Seven</a><img src="{{asset "bill.png"}}" alt="">`,
			"router/invoices/[id=int].html": `<p>Invoice</p>`,
			"public/bill.png":               "png",
		},
		matchers: map[string]func(string) bool{"lang": func(v string) bool { return len(v) == 2 }},
	}
}

type tagForm struct {
	Label string `form:"label"`
}

type uploadForm struct {
	Photo *multipart.FileHeader `form:"photo"`
	Size  string                `form:"size"`
}

// router returns the Router of a release.
func (v *release) router() *flow.Router {
	r := flow.New(releasedFiles(v.files))
	r.Matchers = v.matchers
	for _, what := range slices.Sorted(maps.Keys(v.handlers)) {
		method, path, _ := strings.Cut(what, " ")
		handle(r.At(path), method, v.handlers[what])
	}
	for _, prefix := range slices.Sorted(maps.Keys(v.mounts)) {
		r.Mount(prefix, v.mounts[prefix])
	}
	if v.billing != nil {
		r.Mount("/orgs/[org]/billing", flow.New(releasedFiles(v.billing)))
	}
	if v.hosts != nil {
		hosts := flow.Hosts{}
		for host, files := range v.hosts {
			hosts[host] = flow.New(releasedFiles(files))
		}
		r.Mount("/", hosts)
	}
	return r
}

func handle(f *flow.File, method string, h any) {
	verbs := map[string]func() *flow.Verb{"GET": f.GET, "POST": f.POST, "PUT": f.PUT, "PATCH": f.PATCH, "DELETE": f.DELETE, "ANY": f.ANY}
	verbs[method]().Do(h)
}

func releasedFiles(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range files {
		if strings.HasSuffix(name, ".http") && text == "" {
			text = "# x"
		}
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// manifestOf writes the manifest of a release into a file, and returns its name.
func manifestOf(t *testing.T, v *release) string {
	t.Helper()
	is := is.New(t)
	got := runWith(t.Context(), v.router(), nil, "manifest")
	is.Equal(got.stderr, "")
	is.Equal(got.code, command.OK)
	file := filepath.Join(t.TempDir(), "old.json")
	is.NoErr(os.WriteFile(file, []byte(got.stdout), 0o600))
	return file
}

var positionInTest = regexp.MustCompile(`\w+_test\.go:\d+`)

// brokenSince returns the lines that check -previous prints of a release, without their advice.
func brokenSince(t *testing.T, now, before *release) []string {
	t.Helper()
	is := is.New(t)
	got := runWith(t.Context(), now.router(), nil, "check -previous "+manifestOf(t, before))
	is.Equal(got.code, command.OK)
	is.True(strings.HasPrefix(got.stdout, "no faults"))
	var lines []string
	for line := range strings.Lines(got.stderr) {
		line, isWarning := strings.CutSuffix(strings.TrimSuffix(line, "\n"), ": keep it as long as pages or clients of before are there, or redirect")
		if !isWarning {
			line, _, _ = strings.Cut(line, ": do without it")
			line, _, _ = strings.Cut(line, ": read both")
		}
		if place, text, ok := strings.Cut(line, ": warning: "); ok && strings.Contains(text, "this version") {
			text = positionInTest.ReplaceAllString(strings.ReplaceAll(text, "router/", ""), "manifest_test.go:1")
			lines = append(lines, strings.TrimPrefix(place, "router/")+": "+text)
		}
	}
	return lines
}

// remove removes files of a release, with their handlers.
func (v *release) remove(files ...string) {
	for _, file := range files {
		delete(v.files, file)
		path := strings.TrimSuffix(strings.TrimPrefix(file, "router/"), filepath.Ext(file))
		maps.DeleteFunc(v.handlers, func(what string, _ any) bool { return strings.HasSuffix(what, " "+path) })
	}
}

// move moves a file of a release, with its handlers.
func (v *release) move(file, to string) {
	path := func(file string) string {
		return strings.TrimSuffix(strings.TrimPrefix(file, "router/"), filepath.Ext(file))
	}
	v.files[to] = v.files[file]
	delete(v.files, file)
	for what, h := range maps.Clone(v.handlers) {
		if method, of, _ := strings.Cut(what, " "); of == path(file) {
			delete(v.handlers, what)
			v.handlers[method+" "+path(to)] = h
		}
	}
}

// edit replaces a text in a file of a release.
func (v *release) edit(file, old, new string) {
	if !strings.Contains(v.files[file], old) {
		panic(file + " has no " + old)
	}
	v.files[file] = strings.Replace(v.files[file], old, new, 1)
}

// answer gives a route other handlers.
func (v *release) answer(path string, handlers map[string]any) {
	maps.DeleteFunc(v.handlers, func(what string, _ any) bool { return strings.HasSuffix(what, " "+path) })
	for method, h := range handlers {
		v.handlers[method+" "+path] = h
	}
}

// Signups of later versions.
type (
	signupTel struct {
		Name, Note, Tel string
		Items           []struct{ Name string }
	}
	signupMustTel   struct{ signupTel }
	signupMustNote  struct{ signupForm }
	signupMustItem  struct{ signupForm }
	signupMustPhone struct{ signupForm }
	signupMore      struct {
		signupForm
		City string `form:"city"`
	}
	signupMustCity struct{ signupMore }
	signupLess     struct{ Name, Note string }
	apiMustCount   struct {
		Name  string `form:"name"`
		Count int    `form:"count"`
	}
	apiMustCity struct {
		apiOrder
		City string `json:"city"`
	}
	searchMust   struct{ searchForm }
	tagMustLabel struct{ tagForm }
	uploadText   struct{ Photo, Size string }
	uploadNumber struct {
		Photo *multipart.FileHeader
		Size  int
	}
)

func (f *signupTel) Validate() error       { return requires("Name", f.Name) }
func (f *signupMustTel) Validate() error   { return requires("Name", f.Name, "Tel", f.Tel) }
func (f *signupMustNote) Validate() error  { return requires("name", f.Name, "note", f.Note) }
func (f *signupMustPhone) Validate() error { return requires("name", f.Name, "phone", f.Phone) }
func (f *signupMustItem) Validate() error {
	if len(f.Items) > 0 && f.Items[0].Name == "" {
		return flow.Invalid{"items.0.name": "is required"}
	}
	return requires("name", f.Name)
}
func (f *signupMustCity) Validate() error { return requires("name", f.Name, "city", f.City) }
func (f *tagMustLabel) Validate() error   { return requires("label", f.Label) }
func (f *searchMust) Validate() error     { return requires("q", f.Text) }
func (o *apiMustCity) Validate() error    { return requires("name", o.Name, "city", o.City) }
func (o *apiMustCount) Validate() error {
	if o.Count == 0 {
		return flow.Invalid{"count": "is required"}
	}
	return nil
}

// signup lets the form of a release send other fields to another handler.
func (v *release) signup(form string, h any) {
	v.files["router/signup.html"] = `<form method="post">` + form + `</form>`
	v.answer("signup", map[string]any{"POST": h})
}

const signupFields = `<input name="name"><input name="phone">{{template "+note"}}<input name="items.0.name">`

// requestsOfPages matches what pages ask for.
var requestsOfPages = regexp.MustCompile(`(?:(href|src|action|hx-get|hx-delete|hx-post))="(/[^"?#]*)`)

// lostLinks returns the requests of the pages of a release that it answers, and a later one does not.
func lostLinks(t *testing.T, now, before *release) (lost []string) {
	t.Helper()
	is := is.New(t)
	old, later, asked := before.router(), now.router(), 0
	for _, info := range old.Routes() {
		page := regexp.MustCompile(`/[^/]*{[^}]*}`).ReplaceAllString(info.Pattern, "/1")
		if info.Method != "GET" || info.Pattern[0] != '/' {
			continue
		}
		for _, m := range requestsOfPages.FindAllStringSubmatch(serve(old, "GET", page).Body.String(), -1) {
			method := map[string]string{"action": "POST", "hx-delete": "DELETE", "hx-post": "POST"}[m[1]]
			answered := func(r *flow.Router) bool {
				code := serve(r, cmp.Or(method, "GET"), m[2]).Code
				return code != http.StatusNotFound && code != http.StatusMethodNotAllowed
			}
			if asked++; answered(old) && !answered(later) {
				lost = append(lost, m[0])
			}
		}
	}
	is.True(asked > 10)
	return lost
}

// Each change of the release before, with what breaks while both versions answer: requests of the
// release before in the new one, and after a rollback the other way round.
func TestPreviousVersion(t *testing.T) {
	const gone, layout = ": nothing answers it in this version", "; +layout.html leads to it"
	for _, tt := range []struct {
		name          string
		change        func(v *release)
		forward, back []string
	}{
		// What breaks a request of the version before.
		{"a page is removed", func(v *release) {
			v.remove("router/about.html")
			v.edit("router/+layout.html", `<a href="/about">About</a>`, "")
		}, []string{"about.html: GET /about" + gone + layout}, nil},
		{"a page that nothing links to is removed", func(v *release) { v.remove("router/(shop)/prices.html") },
			[]string{"(shop)/prices.html: GET /prices" + gone}, nil},
		{"a page moves", func(v *release) {
			v.move("router/search.html", "router/find.html")
		}, []string{"search.html: GET /search" + gone}, []string{"find.html: GET /find" + gone}},
		{"a directory moves", func(v *release) {
			v.move("router/api/orders.http", "router/api/v2/orders.http")
		}, []string{"api/orders.http: GET /api/orders" + gone, "api/orders.http: POST /api/orders" + gone},
			[]string{"api/v2/orders.http: GET /api/v2/orders" + gone, "api/v2/orders.http: POST /api/v2/orders" + gone}},
		{"a page moves below a parameter", func(v *release) {
			v.move("router/search.html", "router/[[lang=lang]]/search.html")
			v.edit("router/[[lang=lang]]/search.html", "<form>", `<form action="/search">`)
		}, nil, []string{"[[lang=lang]]/search.html: GET /{lang}/search" + gone + ", but for the URLs of docs/[...path].html"}},
		{"a method becomes another", func(v *release) {
			v.answer("users/[id]/delete", map[string]any{"DELETE": hello})
			v.edit("router/users/index.html", `<form method="post" action="/users/{{1}}/delete">`, `<form hx-delete="/users/{{1}}/delete">`)
		}, []string{"users/[id]/delete.http: POST /users/{id}/delete: this version answers DELETE there, and not POST; users/index.html leads to it"},
			[]string{"users/[id]/delete.http: DELETE /users/{id}/delete: this version answers POST there, and not DELETE; users/index.html leads to it"}},
		{"a page has no more POST", func(v *release) {
			v.answer("users/index", nil)
			v.remove("router/users/new.html")
			v.files["router/users/new.html"] = "x"
		}, []string{"users/index.html: POST /users: this version answers GET there, and not POST; users/new.html leads to it"}, nil},
		{"what htmx asks for is removed", func(v *release) {
			v.remove("router/cart/count.http")
			v.edit("router/about.html", ` hx-get="/cart/count"`, "")
		}, []string{"cart/count.http: GET /cart/count" + gone + "; about.html leads to it"}, nil},
		{"what htmx sends has no handler more", func(v *release) {
			v.answer("users/[id]", nil)
			v.files["router/users/[id].html"] = "x"
		}, []string{"users/[id].html: DELETE /users/{id}: this version answers GET there, and not DELETE"}, nil},
		{"a parameter gets a matcher", func(v *release) {
			v.move("router/users/[id].html", "router/users/[id=int].html")
		}, []string{
			"users/[id].html: DELETE /users/{id}: this version answers it for some values only, by users/[id=int].html",
			"users/[id].html: GET /users/{id}: this version answers it for some values only, by users/[id=int].html; users/index.html leads to it",
		}, nil},
		{"a parameter gets another matcher", func(v *release) {
			v.move("router/posts/[slug=slug].html", "router/posts/[slug=uuid].html")
			v.edit("router/index.html", "/posts/first", "/posts/{{1}}")
		}, []string{"posts/[slug=slug].html: GET /posts/{slug}: this version answers it for some values only, by posts/[slug=uuid].html; index.html leads to it"},
			[]string{"posts/[slug=uuid].html: GET /posts/{slug}: this version answers it for some values only, by posts/[slug=slug].html; index.html leads to it"}},
		{"a parameter of a page becomes two pages", func(v *release) {
			v.remove("router/posts/[slug=slug].html")
			v.files["router/posts/first.html"], v.files["router/posts/second.html"] = "x", "x"
		}, []string{"posts/[slug=slug].html: GET /posts/{slug}: nothing answers it in this version, but for the URLs of posts/first.html; index.html leads to it"},
			nil},
		{"an optional parameter becomes one that is required", func(v *release) {
			v.move("router/[[lang=lang]]/help.html", "router/[lang=lang]/help.html")
		}, []string{"[[lang=lang]]/help.html: GET /help" + gone}, nil},
		{"a catch-all takes one segment only", func(v *release) {
			v.move("router/docs/[...path].html", "router/docs/[path].html")
			v.edit("router/about.html", "/docs/guide/start", "/docs/start")
		}, []string{"docs/[...path].html: GET /docs/{path...}" + gone + "; about.html leads to it"}, nil},
		{"a catch-all begins deeper", func(v *release) {
			v.move("router/docs/[...path].html", "router/docs/[part]/[...path].html")
		}, []string{"docs/[...path].html: GET /docs/{path...}" + gone + "; about.html leads to it"}, nil},
		{"a page beside a parameter is removed", func(v *release) {
			v.remove("router/users/new.html")
			v.edit("router/index.html", "/users/new", "/users")
		}, []string{"users/new.html: GET /users/new: this version answers it by users/[id].html, which has been there for other URLs (/users/{id}); index.html leads to it"}, nil},
		{"a public file is removed", func(v *release) {
			v.remove("public/logo.png")
			v.edit("router/index.html", `<img src="/logo.png" alt="">`, "")
		}, []string{"index.html: GET /logo.png" + gone}, nil},
		{"a public file is called otherwise", func(v *release) {
			v.move("public/app.css", "public/site.css")
			v.edit("router/+layout.html", "app.css", "site.css")
		}, []string{"+layout.html: GET /app.css" + gone}, []string{"+layout.html: GET /site.css" + gone}},
		{"a mounted handler is removed", func(v *release) {
			v.mounts = nil
			v.edit("router/about.html", "/shop/cart", "/search")
		}, []string{`Mount("/shop/"): GET, POST, PUT, PATCH, DELETE /shop/` + gone + "; about.html leads to it", `Mount("/shop/"): GET, POST, PUT, PATCH, DELETE /shop` + gone}, nil},
		{"a mounted Router is removed", func(v *release) { v.billing = nil }, []string{
			"index.html: GET /orgs/{org}/billing" + gone,
			"index.html: GET /orgs/{}/billing/bill.png" + gone,
			"invoices/[id=int].html: GET /orgs/{org}/billing/invoices/{id}" + gone + "; index.html leads to it",
		}, nil},
		{"a page of a mounted Router is removed", func(v *release) {
			delete(v.billing, "router/invoices/[id=int].html")
			v.billing["router/index.html"] = "x"
		}, []string{
			"invoices/[id=int].html: GET /orgs/{org}/billing/invoices/{id}" + gone + "; index.html leads to it",
		}, nil},
		{"an endpoint for any method has one for GET only", func(v *release) {
			v.answer("api/any", map[string]any{"GET": hello})
		}, []string{
			"api/any.http: DELETE /api/any: this version answers GET there, and not DELETE",
			"api/any.http: PATCH /api/any: this version answers GET there, and not PATCH",
			"api/any.http: POST /api/any: this version answers GET there, and not POST",
			"api/any.http: PUT /api/any: this version answers GET there, and not PUT",
		}, nil},
		{"a field that is required has another name", func(v *release) {
			v.signup(strings.Replace(signupFields, "phone", "tel", 1), takes[signupMustTel]())
		}, []string{`signup.html: the form for POST /signup sends "phone", of which this version reads nothing, and "tel" in its place, by manifest_test.go:1`},
			[]string{`signup.html: the form for POST /signup sends "tel", of which this version reads nothing, and "phone" in its place, by manifest_test.go:1`}},
		{"a field has another name", func(v *release) {
			v.signup(strings.Replace(signupFields, "phone", "tel", 1), takes[signupTel]())
		}, []string{`signup.html: the form for POST /signup sends "phone", of which this version reads nothing, and "tel" in its place, by manifest_test.go:1`},
			[]string{`signup.html: the form for POST /signup sends "tel", of which this version reads nothing, and "phone" in its place, by manifest_test.go:1`}},
		{"a new field is required", func(v *release) {
			v.signup(signupFields+`<input name="city">`, takes[signupMustCity]())
		}, []string{`signup.html: the form for POST /signup does not send "city", which this version requires, by manifest_test.go:1`}, nil},
		{"a form that is sent by htmx gets a field that is required", func(v *release) {
			v.signup(signupFields, takes[signupForm]())
			v.edit("router/signup.html", `<form method="post">`, `<form hx-post="/signup"><input name="city">`)
			v.answer("signup", map[string]any{"POST": takes[signupMustCity]()})
		}, []string{`signup.html: the form for POST /signup does not send "city", which this version requires, by manifest_test.go:1`}, nil},
		{"an endpoint requires a new field", func(v *release) {
			v.answer("api/orders", map[string]any{"GET": hello, "POST": takes[apiMustCity]()})
		}, []string{`api/orders.http: POST /api/orders: this version requires "city", by manifest_test.go:1`}, nil},
		{"an endpoint requires what it has only read", func(v *release) {
			v.answer("api/orders", map[string]any{"GET": hello, "POST": takes[apiMustCount]()})
		}, []string{`api/orders.http: POST /api/orders: this version requires "count", by manifest_test.go:1`},
			[]string{`api/orders.http: POST /api/orders: this version requires "name", by manifest_test.go:1`}},
		{"a page requires a query", func(v *release) {
			v.answer("(shop)/prices", map[string]any{"GET": takes[searchMust]()})
		}, []string{`(shop)/prices.html: GET /prices: this version requires "q", by manifest_test.go:1`}, nil},
		{"a file becomes a text", func(v *release) {
			v.answer("upload", map[string]any{"POST": takes[uploadText]()})
			v.edit("router/[[lang=lang]]/help.html", `<input type="file" name="photo">`, `<input name="photo">`)
		}, []string{`[[lang=lang]]/help.html: the form for POST /upload sends "photo", which this version cannot read, by manifest_test.go:1: it is a file, and this version reads a text`},
			[]string{`[[lang=lang]]/help.html: the form for POST /upload sends "photo", which this version cannot read, by manifest_test.go:1: it is a text, and this version reads a file`}},
		{"a choice becomes a number", func(v *release) {
			v.answer("upload", map[string]any{"POST": takes[uploadNumber]()})
			v.edit("router/[[lang=lang]]/help.html", `value="small"`, `value="1"`)
			v.edit("router/[[lang=lang]]/help.html", `value="large"`, `value="2"`)
		}, []string{`[[lang=lang]]/help.html: the form for POST /upload sends "size", which this version cannot read, by manifest_test.go:1: its type is int, and it never has the value "large"`}, nil},
		{"a host is removed", func(v *release) {
			v.hosts = map[string]map[string]string{"": {"router/x.html": "x"}, "admin.example.com": {"router/x.html": "x"}}
		}, nil, []string{"x.html: GET /x" + gone}},

		// What does not.
		{"nothing", func(*release) {}, nil, nil},
		{"a page is new", func(v *release) { v.files["router/news.html"] = `<a href="/about">x</a>` }, nil, []string{"news.html: GET /news" + gone}},
		{"a page beside a parameter is new", func(v *release) { v.files["router/users/me.html"] = "x" }, nil,
			[]string{"users/me.html: GET /users/me: this version answers it by users/[id].html, which has been there for other URLs (/users/{id})"}},
		{"a page is removed, and redirects", func(v *release) {
			v.remove("router/(shop)/prices.html")
			v.files["router/prices.http"] = ""
			v.answer("prices", map[string]any{"GET": func(*flow.Request) flow.Response { return flow.Redirect("/about") }})
		}, nil, nil},
		{"a file moves into a group", func(v *release) { v.move("router/about.html", "router/(site)/about.html") }, nil, nil},
		{"a page becomes a directory", func(v *release) { v.move("router/about.html", "router/about/index.html") }, nil, nil},
		{"a parameter is called otherwise", func(v *release) {
			v.move("router/users/[id].html", "router/users/[user].html")
			v.move("router/users/[id]/delete.http", "router/users/[user]/delete.http")
		}, nil, nil},
		{"a matcher is removed", func(v *release) {
			v.move("router/posts/[slug=slug].html", "router/posts/[slug].html")
		}, nil, []string{"posts/[slug].html: GET /posts/{slug}: this version answers it for some values only, by posts/[slug=slug].html; index.html leads to it"}},
		{"pages become a parameter", func(v *release) {
			v.remove("router/(shop)/prices.html")
			v.files["router/[page].html"] = "x"
		}, nil, []string{"[page].html: GET /{page}: nothing answers it in this version, but for the URLs of about.html"}},
		{"the content of a public file changes", func(v *release) { v.files["public/app.css"] = "i{}" }, nil, nil},
		{"a public file that nothing links to is removed", func(v *release) { v.remove("public/robots.txt") }, nil, nil},
		{"a method is new", func(v *release) { v.handlers["PUT api/orders"] = hello }, nil,
			[]string{"api/orders.http: PUT /api/orders: this version answers GET, POST there, and not PUT"}},
		{"the methods become any", func(v *release) { v.answer("api/orders", map[string]any{"ANY": hello}) }, nil, []string{
			"api/orders.http: DELETE /api/orders: this version answers GET, POST there, and not DELETE",
			"api/orders.http: PATCH /api/orders: this version answers GET, POST there, and not PATCH",
			"api/orders.http: PUT /api/orders: this version answers GET, POST there, and not PUT",
		}},
		{"a field is new", func(v *release) { v.signup(signupFields+`<input name="city">`, takes[signupMore]()) }, nil, nil},
		{"a field is removed", func(v *release) { v.signup(`<input name="name">{{template "+note"}}`, takes[signupLess]()) }, nil, nil},
		{"a field that was sent is required", func(v *release) { v.signup(signupFields, takes[signupMustNote]()) }, nil, nil},
		{"a field of each row is required", func(v *release) { v.signup(signupFields, takes[signupMustItem]()) }, nil, nil},
		{"a form with a URL that is not known sends what is required", func(v *release) {
			v.answer("tags/index", map[string]any{"POST": takes[tagMustLabel]()})
		}, nil, nil},
		{"a search requires what its form sends", func(v *release) { v.answer("search", map[string]any{"GET": takes[searchMust]()}) }, nil, nil},
		{"a field moves into a partial", func(v *release) {
			v.files["router/+contact.html"] = `<input name="name"><input name="phone">`
			v.signup(`{{template "+contact"}}{{template "+note"}}<input name="items.0.name">`, takes[signupForm]())
		}, nil, nil},
		{"a field moves into a partial that gets its name", func(v *release) {
			v.files["router/+input.html"] = `<input name="{{.}}">`
			v.signup(`<input name="name">{{template "+input" "phone"}}{{template "+note"}}<input name="items.0.name">`, takes[signupMustNote]())
		}, nil, nil},
		{"a field moves into a partial behind a condition, in another one", func(v *release) {
			v.files["router/+contact.html"] = `{{if .}}<input name="phone">{{end}}{{template "+note"}}`
			v.signup(`<input name="name">{{with 1}}{{template "+contact" .}}{{end}}<input name="items.0.name">`, takes[signupMustPhone]())
		}, nil, nil},
		{"a field moves into a block of the layout", func(v *release) {
			v.edit("router/+layout.html", `{{template "content" .}}`, `{{template "content" .}}{{block "aside" .}}{{end}}`)
			v.signup(`<input name="name">{{template "phone" .}}{{template "+note"}}<input name="items.0.name">`, takes[signupForm]())
			v.files["router/signup.html"] += `{{define "phone"}}<input name="phone">{{end}}`
		}, nil, nil},
		{"a form without a URL moves into a partial", func(v *release) {
			v.files["router/+signup.html"] = v.files["router/signup.html"]
			v.files["router/signup.html"] = `{{template "+signup"}}`
		}, nil, nil},
		{"a form in a partial gets a field that is required", func(v *release) {
			v.edit("router/notes/+new.html", `<form method="post">`, `<form method="post"><input name="city">`)
			v.answer("notes/index", map[string]any{"POST": takes[signupMustCity]()})
		}, []string{`notes/+new.html: the form for POST /notes does not send "city", which this version requires, by manifest_test.go:1`}, nil},
		{"a form in a partial sends what is required", func(v *release) {
			v.answer("notes/index", map[string]any{"POST": takes[signupMustNote]()})
		}, nil, nil},
		{"a form moves into a partial", func(v *release) {
			v.files["router/users/+new.html"] = v.files["router/users/new.html"]
			v.files["router/users/new.html"] = `{{template "users/+new"}}`
		}, nil, nil},
		{"a handler gets a type", func(v *release) { v.answer("users/index", map[string]any{"POST": takes[signupLess]()}) }, nil, nil},
		{"a handler loses its type", func(v *release) { v.answer("signup", map[string]any{"POST": hello}) }, nil, nil},
		{"a page is written in other words", func(v *release) { v.edit("router/about.html", "Docs", "Documents") }, nil, nil},
		{"a link is removed", func(v *release) { v.edit("router/+layout.html", `<a href="/about">About</a>`, "") }, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			now, before := previousRelease(), previousRelease()
			tt.change(now)
			is.Equal(brokenSince(t, now, before), tt.forward)
			is.Equal(brokenSince(t, before, now), tt.back)
			is.Equal(len(lostLinks(t, now, before)) > 0 && tt.forward == nil, false) // silence is right
			is.Equal(len(lostLinks(t, before, now)) > 0 && tt.back == nil, false)
		})
	}
}

// A file that is no manifest of this program, or none that it can read, is an error.
func TestPreviousThatIsNone(t *testing.T) {
	const none = "it is no manifest, which the command manifest writes: "
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", none + "unexpected end of JSON input"},
		{"no JSON", "routes:\n", none + "invalid character 'r' looking for beginning of value"},
		{"cut off", `{"format": 1, "routes": [`, none + "unexpected end of JSON input"},
		{"a byte order mark, as shells on Windows write it", "\ufeff{}", none + "it has no format"},
		{"other JSON", `{"name": "flow"}`, none + "it has no format"},
		{"a list", `[]`, none + "it is other JSON"},
		{"a list of routes", `[{"method": "GET", "pattern": "/"}]`, none + "it is other JSON"},
		{"another type", `{"format": 1, "routes": {}}`, none + "it is other JSON"},
		{"a URL that is none", `{"format": 1, "routes": [{"method": "GET", "url": "about"}]}`, none + `"about" is the URL of no route`},
		{"a URL with an open brace", `{"format": 1, "routes": [{"method": "GET", "url": "/{x"}]}`, none + `"/{x" is the URL of no route`},
		{"a URL with a broken escape", `{"format": 1, "routes": [{"method": "GET", "url": "/%x"}]}`, none + `"/%x" is the URL of no route: invalid URL escape "%x"`},
		{"a later format", `{"format": 2}`, "its format is 2, of a later version of flow, and this one knows 1: compare it with a program of that version"},
		{"another program", `{"format": 1, "program": "example.com/other"}`, "it is of the program example.com/other, and this is example.com/flow.test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			file := filepath.Join(t.TempDir(), "old.json")
			is.NoErr(os.WriteFile(file, []byte(tt.text), 0o600))
			for _, args := range []string{"check -previous ", "check -json -previous "} {
				is.Equal(runWith(t.Context(), previousRelease().router(), nil, args+file), result{command.Failure, "", "app: -previous=" + file + ": " + tt.want + "\n"})
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		is := is.New(t)
		t.Chdir(t.TempDir())
		got := runWith(t.Context(), previousRelease().router(), nil, "check -previous old.json")
		is.Equal(got.code, command.Failure)
		is.True(strings.HasPrefix(got.stderr, "app: -previous: open old.json: "))
	})
	t.Run("faults of the application come first", func(t *testing.T) {
		is := is.New(t)
		got := runWith(t.Context(), faultySite(), nil, "check -previous "+manifestOf(t, previousRelease()))
		is.Equal(got.code, command.Failure)
		is.True(strings.Contains(got.stderr, "no handler is registered for it"))
		is.True(!strings.Contains(got.stderr, "in this version"))
		is.Equal(runWith(t.Context(), faultySite(), nil, "manifest").code, command.Failure)
	})
}

// Programs read what is broken as they read all warnings.
func TestPreviousAsJSON(t *testing.T) {
	is := is.New(t)
	now := previousRelease()
	now.remove("router/(shop)/prices.html")
	got := runWith(t.Context(), now.router(), nil, "check -json -previous "+manifestOf(t, previousRelease()))
	is.Equal(got.code, command.OK)
	var found []map[string]any
	is.NoErr(json.Unmarshal([]byte(got.stdout), &found))
	found = slices.DeleteFunc(found, func(f map[string]any) bool { return f["file"] != "router/(shop)/prices.html" })
	is.Equal(found, []map[string]any{{
		"file": "router/(shop)/prices.html", "line": 0.0, "column": 0.0, "severity": "warning",
		"text": "GET /prices: nothing answers it in this version: keep it as long as pages or clients of before are there, or redirect",
	}})
	got = runWith(t.Context(), now.router(), nil, "check -warnings=fail -previous "+manifestOf(t, previousRelease()))
	is.Equal(got.code, command.Failure)
}

// A manifest is the same in each run and from each directory. Nothing in it is broken for the
// program that has written it.
func TestManifest(t *testing.T) {
	is := is.New(t)
	router := func() *flow.Router {
		v := previousRelease()
		v.hosts = map[string]map[string]string{
			"":                  {"router/index.html": "x", "router/items.html": `<a href="/">x</a><img src="/wide.png" alt="">`, "public/wide.png": "x"},
			"admin.example.com": {"router/admin.html": `<a href="/admin">x</a><form action="/admin"></form>`},
		}
		delete(v.files, "router/index.html")
		return v.router()
	}
	first := runWith(t.Context(), router(), nil, "manifest")
	is.Equal(first.code, command.OK)
	is.Equal(first.stderr, "")
	for range 3 {
		t.Chdir(t.TempDir())
		is.Equal(runWith(t.Context(), router(), nil, "manifest"), first)
	}
	is.NoErr(os.WriteFile("old.json", []byte(first.stdout), 0o600))
	got := runWith(t.Context(), router(), nil, "check -json -previous old.json")
	is.Equal(got.code, command.OK)
	is.True(!strings.Contains(got.stdout, "version"))
	is.True(strings.Contains(first.stdout, `"admin.example.com": {`))
}

// A manifest reads a page with the partials and blocks that it is made of: a form says the same wherever
// its fields stand.
func TestManifestOfPartials(t *testing.T) {
	for _, tt := range []struct{ name, page, partial string }{
		{"in the page", `<form method="post"><input name="name"><input name="phone"></form>`, ""},
		{"a field in a partial", `<form method="post"><input name="name">{{template "+part"}}</form>`, `<input name="phone">`},
		{"behind a condition", `<form method="post"><input name="name">{{if true}}{{template "+part"}}{{end}}</form>`, `{{with 1}}<input name="phone">{{end}}`},
		{"in a partial of a partial", `<form method="post">{{template "+part"}}</form>`, `<input name="name">{{template "+phone"}}`},
		{"in a block", `{{define "field"}}<input name="phone">{{end}}<form method="post">{{template "+part" .}}</form>`, `<input name="name">{{template "field" .}}`},
		{"the form", `{{template "+part"}}`, `<form method="post"><input name="name"><input name="phone"></form>`},
		{"around what the page defines", `{{template "+part" .}}{{define "field"}}<input name="name"><input name="phone">{{end}}`, `<form method="post">{{template "field" .}}</form>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			v := &release{
				files:    map[string]string{"router/new.html": tt.page, "router/+phone.html": `<input name="phone">`},
				handlers: map[string]any{"POST new": takes[signupForm]()},
			}
			if tt.partial != "" {
				v.files["router/+part.html"] = tt.partial
			}
			var m manifest.Manifest
			got := runWith(t.Context(), v.router(), nil, "manifest")
			is.Equal(got.stderr, "")
			is.NoErr(json.Unmarshal([]byte(got.stdout), &m))
			is.Equal(len(m.Links), 1)
			m.Links[0].File = ""
			is.Equal(m.Links[0], manifest.Link{Method: "POST", URL: "/new", Route: "/new", Form: true, Fields: []manifest.Field{{Name: "name"}, {Name: "phone"}}})
		})
	}
}

// A link with an escape leads to the pattern that takes all of its values, as one without does.
func TestManifestOfALinkWithAnEscape(t *testing.T) {
	for _, dir := range []string{"files", "my files"} {
		t.Run(dir, func(t *testing.T) {
			is := is.New(t)
			escaped := "/" + strings.ReplaceAll(dir, " ", "%20")
			v := &release{files: map[string]string{
				"router/index.html":                `<a href="` + escaped + `/{{1}}">x</a>`,
				"router/" + dir + "/[id=int].html": "x",
				"router/" + dir + "/[name].html":   "x",
			}}
			var m manifest.Manifest
			is.NoErr(json.Unmarshal([]byte(runWith(t.Context(), v.router(), nil, "manifest").stdout), &m))
			is.Equal(len(m.Links), 1)
			is.Equal(m.Links[0].Route, escaped+"/{}")
		})
	}
}

// A manifest of the application as it has been tells what its parts are.
func TestManifestOfASmallSite(t *testing.T) {
	is := is.New(t)
	v := &release{
		files: map[string]string{
			"router/users/[id=int].html": `<a href="{{route "users.id" "id" 7}}?tab=1">x</a><form method="post"><input name="name"><input type="radio" name="size" value="s"></form>`,
			"public/app.css":             "b{}",
		},
		handlers: map[string]any{"POST users/[id=int]": takes[signupForm]()},
	}
	is.Equal(runWith(t.Context(), v.router(), nil, "manifest"), result{command.OK, `{
	"format": 1,
	"program": "example.com/flow.test",
	"routes": [
		{
			"method": "GET",
			"pattern": "/users/{id}",
			"url": "/users/{=int}",
			"file": "router/users/[id=int].html",
			"fields": [],
			"required": []
		},
		{
			"method": "POST",
			"pattern": "/users/{id}",
			"url": "/users/{=int}",
			"file": "router/users/[id=int].html",
			"fields": [
				"items",
				"name",
				"note",
				"phone"
			],
			"required": [
				"name"
			]
		}
	],
	"links": [
		{
			"file": "router/users/[id=int].html",
			"method": "GET",
			"url": "/users/{}",
			"route": "/users/{=int}",
			"form": false,
			"fields": []
		},
		{
			"file": "router/users/[id=int].html",
			"method": "POST",
			"url": "/users/{}",
			"route": "/users/{=int}",
			"form": true,
			"fields": [
				{
					"name": "name"
				},
				{
					"name": "size",
					"type": "radio",
					"value": "s"
				}
			]
		}
	],
	"assets": {
		"/app.css": "/app.rekm7twapnnfjgkj.css"
	}
}
`, ""})
}

// What a Router of Hosts answers is asked of the Router that its host has now.
func TestPreviousVersionOfHosts(t *testing.T) {
	is := is.New(t)
	release := func(main, admin map[string]string) *release {
		v := previousRelease()
		delete(v.files, "router/index.html")
		v.billing = nil
		if v.hosts = map[string]map[string]string{"": main}; admin != nil {
			v.hosts["admin.example.com"] = admin
		}
		return v
	}
	both := release(map[string]string{"router/index.html": "x", "router/a.html": "x"}, map[string]string{"router/index.html": "x", "router/b.html": `<a href="/">x</a>`})
	is.Equal(brokenSince(t, both, both), nil)
	less := release(map[string]string{"router/index.html": "x"}, map[string]string{"router/index.html": "x", "router/a.html": "x"})
	is.Equal(brokenSince(t, less, both), []string{"a.html: GET /a: nothing answers it in this version", "b.html: GET /b: nothing answers it in this version"})
	one := release(map[string]string{"router/index.html": "x", "router/a.html": "x"}, nil)
	is.Equal(brokenSince(t, one, both), []string{"b.html: GET /b: nothing answers it in this version"}) // the others' Router answers
}
