// Package develop_test holds what development shows of whole applications.
package develop_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

func (g *gate) pass(*flow.Request) flow.Response { return flow.Next() }

type gate struct{}

//go:noinline
func openTo(role string) func(*flow.Request) flow.Response {
	return func(r *flow.Request) flow.Response {
		if role == "" {
			return flow.Fail(http.StatusForbidden, "")
		}
		return flow.Next()
	}
}

func passOn(next http.Handler) http.Handler { return next }

// mappedFiles are those of mapped.
func mappedFiles() fstest.MapFS {
	tree := flowtest.Files("router/index.html", "router/+layout.html", "router/+error.html", "router/(admin)/+layout.html",
		"router/(admin)/users/[id=int].html", "router/(admin)/users/store.http", "router/[[lang]]/help.html", "router/users/[...rest].http", "public/app.css")
	for _, name := range []string{"router/+layout.html", "router/(admin)/+layout.html"} {
		tree[name].Data = []byte(`{{template "content" .}}`)
	}
	tree["router/users/[...rest].http"].Data = []byte("# All the rest.\n### Show a rest\n# It is short.\nGET /users/a/b?c=d\n# ?? status == 200\n###\n# @name rest\nPATCH /users/{{x}}/y")
	tree["router/+error.html"].Data = []byte("{{.Status}}")
	return tree
}

// mapped is an application that has all that the route map shows. The static calls of
// tests are for nobody, so that all positions are in this file.
func mapped() *flow.Router {
	do := func(*flow.Request) string { return "" }
	r := flow.New(mappedFiles())
	r.Use(flow.RequestID, flow.Logger(nil), passOn)
	r.In("(admin)").Use(openTo("admin"))
	r.At("users/[id]").Use((&gate{}).pass)
	r.At("users/[id]").GET().Name("users.show").Do(do)
	r.At("users/[id]").DELETE().Use(func(*flow.Request) flow.Response { return flow.Next() }).Do(do)
	r.At("users/store").POST().Do(do)
	r.At("users/[...rest]").ANY().Do(do)
	r.Mount("/files/", http.NotFoundHandler()).Use(openTo("files"))
	inner := flow.New(flowtest.Files("router/index.html", "router/[x].html"))
	inner.Use(openTo("inner"))
	r.Mount("/in/[org]", inner).Name("inner")
	return r
}

// TestRouteMap reads the page as text.
func TestRouteMap(t *testing.T) {
	is := is.New(t)
	r := mapped()
	dir := apptest.OnDisk(t, mappedFiles())
	r.Dev(dir)
	apptest.JournalOf(r)
	is.NoErr(r.Check())
	get := func(target string) string {
		w := apptest.Do(r, apptest.Request("GET", target))
		is.Equal(w.Code, http.StatusOK)
		return apptest.AsText(w.Body.String())
	}
	get("/help")
	text := get("/_flow?method=DELETE&path=/users/7")
	for _, want := range []string{
		"DELETE /users/7 is answered by router/(admin)/users/[id=int].html",
		"value of id \"7\" Before it these run, in this order, and may answer in its place: flow.RequestID middleware of Use, HERE",
		"flow.mapped guard of DELETE().Use, HERE What matches the path",
		"router/(admin)/users/[id=int].html /users/{id} GET, DELETE, HEAD it answers",
		`router/users/[...rest].http /users/{rest...} ANY segment 2: the parameter [id=int] goes before the catch-all [...rest]`,

		"in this order: flow.RequestID middleware of Use, HERE",
		"flow.Logger middleware of Use, HERE",
		"flow.passOn middleware of Use, HERE",
		"10 routes in 7 files",
		"Guards Method URL Handler Name public GET / the page as it is index Open / router/index.html",
		"flow.openTo, flow.(*gate).pass GET /users/{id} HERE users.show Edit HERE router/(admin)/users/[id=int].html",
		"flow.openTo, flow.(*gate).pass, flow.mapped DELETE /users/{id} HERE users.show",
		`flow.openTo guard of In("(admin)").Use, HERE flow.(*gate).pass guard of At("(admin)/users/[id=int]").Use, HERE flow.mapped guard of DELETE().Use, HERE`,
		"In router/+layout.html, then router/(admin)/+layout.html; errors in router/+error.html",
		"public GET /help the page as it is lang.help Open /help router/[[lang]]/help.html",
		"public GET /{lang}/help the page as it is lang.help router/[[lang]]/help.html",
		"flow.openTo ANY /files/ http.HandlerFunc of HERE Edit HERE flow.openTo guard of Mount(\"/files/\").Use, HERE",
		"Mounted at /in/{org} Mounted by HERE. Around it, the names of its routes begin with inner.",
		"flow.openTo GET /in/{org}/{x} the page as it is x router/[x].html",
		"1 file /app.css public/app.css",
		"public ANY /users/{rest...} HERE users.rest 2 examples Edit HERE router/users/[...rest].http All the rest. Show a rest GET /users/a/b?c=d expects 200 It is short. PATCH /users/{{x}}/y",
		"Request Status Took Answered by Time GET /help 200",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}

	is.Equal(len(r.Routes()), 10) // which the page, check and routes count alike

	// What was in no build yet is told, and layouts are those on disk.
	is.NoErr(os.WriteFile(filepath.Join(dir, "router", "new.html"), nil, 0o600))
	is.NoErr(os.Remove(filepath.Join(dir, "router", "+error.html")))
	text = get("/_flow")
	is.True(strings.Contains(text, "until the application is built with them and has no faults: router/new.html"))
	is.True(!strings.Contains(text, "errors in"))
	is.True(!strings.Contains(text, "is answered"))
	is.True(strings.Contains(get("/_flow?path=users"), `"users" is no path of a URL`))
	apptest.Write(t, dir, "public/docs/new.txt", "new")
	text = get("/_flow?path=/docs/new.txt")
	is.True(strings.Contains(text, "GET /docs/new.txt is answered by public/docs/new.txt"))
	is.True(strings.Contains(text, "GET, HEAD it answers, and is new on disk"))
	is.True(strings.Contains(text, "2 files"))
}

func TestNoRouteMap(t *testing.T) {
	is := is.New(t)
	r := mapped()
	is.NoErr(r.Check())
	is.Equal(apptest.Serve(r, "GET", "/_flow").Code, http.StatusNotFound)
}

// A Router with faults shows them in place of its map.
func TestRouteMapOfFaults(t *testing.T) {
	is := is.New(t)
	files := flowtest.Files("router/index.http")
	r := flow.New(files)
	r.Dev(apptest.OnDisk(t, files))
	apptest.JournalOf(r)
	req := apptest.Request("GET", "/_flow")
	req.Header.Set("Accept", "text/html")
	w := apptest.Do(r, req)
	is.Equal(w.Code, http.StatusInternalServerError)
	is.True(strings.Contains(w.Body.String(), "The application has faults"))
	is.True(strings.Contains(w.Body.String(), `data-fault="router/index.http: no handler is registered for it`))
}

func TestExplainCommand(t *testing.T) {
	for _, tt := range []struct{ request, want string }{
		{"GET /users/7", `
GET /users/7
is answered by router/(admin)/users/[id=int].html

  URL      /users/{id}
  name     users.show
  handler  HERE
  {id}     "7"

Before it these run, in this order, and may answer in its place:

  1. flow.RequestID     middleware of Use                          HERE
  2. flow.Logger        middleware of Use                          HERE
  3. flow.passOn        middleware of Use                          HERE
  4. flow.openTo        guard of In("(admin)").Use                 HERE
  5. flow.(*gate).pass  guard of At("(admin)/users/[id=int]").Use  HERE

These match the path, the most specific first:

> router/(admin)/users/[id=int].html  /users/{id}       GET, DELETE, HEAD  it answers
  router/users/[...rest].http         /users/{rest...}  ANY                segment 2: the parameter [id=int] goes before the catch-all [...rest]
`},
		{"POST /users/", `
POST /users/
is redirected to /users, with 308
A URL has one spelling, and this is another one of it.

These match the path, the most specific first:

  router/(admin)/users/store.http  /users  POST  it answers in the right spelling
`},
		{"PUT /", `
PUT /
is answered with 405, Allow: GET, HEAD, OPTIONS
Files match the path, and none of them has PUT.

These match the path, the most specific first:

  router/index.html  /  GET, HEAD  it has no PUT
`},
		{"OPTIONS /", `
OPTIONS /
is answered with 204, Allow: GET, HEAD, OPTIONS
No file that matches the path has a handler for OPTIONS, so flow answers what the others allow.

These match the path, the most specific first:

  router/index.html  /  GET, HEAD  it has no OPTIONS
`},
		{"/a/b?c", `
GET /a/b?c
is answered with 404
No file has such a URL.
`},
		{"PATCH /files", `
PATCH /files
is redirected to /files/, with 308
What is mounted there has the URLs below its prefix, and was given it with a slash at the end.

These match the path, the most specific first:

> Mount("/files/") of HERE  /files  ANY  it answers
`},
		{"/files/x%2Fy", `
GET /files/x%2Fy
is answered by Mount("/files/") of HERE

  URL  /files/

Before it these run, in this order, and may answer in its place:

  1. flow.RequestID  middleware of Use              HERE
  2. flow.Logger     middleware of Use              HERE
  3. flow.passOn     middleware of Use              HERE
  4. flow.openTo     guard of Mount("/files/").Use  HERE

These match the path, the most specific first:

> Mount("/files/") of HERE  /files/  ANY  it answers
`},
		{"/files/x%2F../../y", `
GET /files/x%2F../../y
is answered with 404
What is mounted there could read the path as another one, and it has no plain spelling that is answered.

These match the path, the most specific first:

  Mount("/files/") of HERE  /files/  ANY  it could read the path, spelled like this, as another one
`},
		{"/in/acme/7", `
GET /in/acme/7
is answered by router/[x].html

  URL      /in/{org}/{x}
  name     inner.x
  handler  none: the page is shown as it is
  inside   Mount("/in/[org]") of HERE
  {org}    "acme"
  {x}      "7"

Before it these run, in this order, and may answer in its place:

  1. flow.RequestID  middleware of Use  HERE
  2. flow.Logger     middleware of Use  HERE
  3. flow.passOn     middleware of Use  HERE
  4. flow.openTo     guard of Use       HERE

These match the path, the most specific first:

> router/[x].html  /in/{org}/{x}  GET, HEAD  it answers
`},
		{"/in/acme/7/8", `
GET /in/acme/7/8
is answered with 404
The path belongs to Mount("/in/[org]") of HERE, and nothing in that matches.
`},
	} {
		t.Run(tt.request, func(t *testing.T) {
			is := is.New(t)
			got := runExplain(t, tt.request)
			is.Equal(got.Code, command.OK)
			is.Equal(apptest.InTest.ReplaceAllString(got.Stdout, "HERE"), tt.want[1:])
			is.Equal(got.Stderr, "")
		})
	}
}

// TestExplainCandidates: each file that matches a path says why it answers or does not.
func TestExplainCandidates(t *testing.T) {
	for _, tt := range []struct {
		files, mount, request string
		want                  string // of each candidate
	}{
		{"users/[id=int].http GET, users/[...rest].http GET", "", "/users/ada",
			`segment 2: the parameter [id=int] does not take "ada"; it answers`},
		{"a/b.http GET, a/[x].http GET, [y]/b.http GET", "", "/a/b",
			`it answers; segment 2: the text "b" goes before the parameter [x]; segment 1: the text "a" goes before the parameter [y]`},
		{"users/index.http ANY, users/store.http POST", "", "POST /users",
			"it answers; it shares the URL with router/users/store.http, which has POST"},
		{"a/[...rest].http GET", "/a/b", "/a/b/c",
			`it answers; segment 2: the text "b" goes before the catch-all [...rest]`},
		{"a/[x]/c.http GET", "/a/[y]", "/a/b/c",
			"it answers; segment 3: the text \"c\" goes before what is mounted"},
	} {
		t.Run(tt.files+" "+tt.request, func(t *testing.T) {
			is := is.New(t)
			r := apptest.Unchecked(t, strings.Split(tt.files, ", ")...)
			if tt.mount != "" {
				r.Mount(tt.mount, http.NotFoundHandler())
			}
			var e struct{ Candidates []struct{ Why string } }
			is.NoErr(json.Unmarshal([]byte(explainOf(t, r, tt.request, "-json").Stdout), &e))
			var got []string
			for _, c := range e.Candidates {
				got = append(got, c.Why)
			}
			is.Equal(strings.Join(got, "; "), tt.want)
		})
	}
}

func runExplain(t *testing.T, request string, more ...string) apptest.Result {
	return explainOf(t, mapped(), request, more...)
}

func explainOf(t *testing.T, r *flow.Router, request string, more ...string) apptest.Result {
	return apptest.RunBuild(t.Context(), apptest.Built(r), nil, append([]string{"routes", "-explain", request}, more...)...)
}

func TestExplainCommandMistakes(t *testing.T) {
	for _, tt := range []struct {
		request string
		more    []string
		want    string
	}{
		{"users", nil, `-explain: "users" is no path of a URL: write one that begins with a slash, as in "/users/new"`},
		{"", nil, `-explain: there is no path: write a method and a path, as in -explain "POST /users/new"`},
		{"B@D /", nil, `-explain: "B@D" is not a method (RFC 9110, section 5.6.2)`},
		{"POST", []string{"/users"}, `unexpected argument "/users": method and path are one argument, as in -explain "POST /users"`},
		{"/", []string{"-path", "/"}, `-explain says method and path by itself`},
		{"/", []string{"-method", "GET"}, `-explain says method and path by itself`},
	} {
		t.Run(tt.request+strings.Join(tt.more, " "), func(t *testing.T) {
			is := is.New(t)
			got := runExplain(t, tt.request, tt.more...)
			is.Equal(got.Code, command.Usage)
			is.Equal(got.Stdout, "")
			is.True(strings.HasPrefix(got.Stderr, "app: "+tt.want))
		})
	}
}

func TestExplainAsJSON(t *testing.T) {
	is := is.New(t)
	r := apptest.Unchecked(t, "users/[id].http GET")
	r.In("users").Use(openTo("admin"))
	got := explainOf(t, r, "/users/7", "-json")
	is.Equal(got.Code, command.OK)
	is.Equal(apptest.InTest.ReplaceAllString(got.Stdout, "HERE"), `
{
	"method": "GET",
	"path": "/users/7",
	"outcome": "answered",
	"answer": {
		"file": "router/users/[id].http",
		"pattern": "/users/{id}",
		"methods": [
			"GET",
			"HEAD"
		],
		"name": "users.id",
		"handler": "HERE"
	},
	"values": [
		{
			"name": "id",
			"value": "7"
		}
	],
	"before": [
		{
			"name": "flow.openTo",
			"by": "In(\"users\").Use",
			"at": "HERE",
			"guard": true
		}
	],
	"candidates": [
		{
			"file": "router/users/[id].http",
			"pattern": "/users/{id}",
			"methods": [
				"GET",
				"HEAD"
			],
			"name": "users.id",
			"handler": "HERE",
			"answers": true,
			"why": "it answers"
		}
	]
}
`[1:])
}

// TestExplainedBefore: as much is listed as runs.
func TestExplainedBefore(t *testing.T) {
	is := is.New(t)
	for _, info := range mapped().Routes() {
		target := strings.NewReplacer("{id}", "7", "{lang}", "de", "{org}", "acme", "{x}", "y", "{rest...}", "ada").Replace(info.Pattern)
		var e struct {
			Answer struct{ Pattern string }
			Before []struct{}
		}
		is.NoErr(json.Unmarshal([]byte(runExplain(t, strings.Replace(info.Method, "ANY", "PATCH", 1)+" "+target, "-json").Stdout), &e))
		is.Equal(e.Answer.Pattern, info.Pattern)
		is.Equal(len(e.Before), info.Middleware)
	}
}

// A program that has compiled its routes before the command keeps nothing of the map, and
// an application without middleware has nothing to list.
func TestNothingExplainedBefore(t *testing.T) {
	for _, tt := range []struct {
		name   string
		router func() *flow.Router
		want   string
	}{
		{"compiled before", func() *flow.Router { r := mapped(); r.Check(); return r }, "Guards and middleware are not listed: the program has called Check before the command.\n"},
		{"none", func() *flow.Router { return flow.New(flowtest.Files("router/index.html")) }, "No guard and no middleware runs before it.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got := explainOf(t, tt.router(), "/")
			is.Equal(got.Code, command.OK)
			is.True(strings.Contains(got.Stdout, tt.want))
			is.True(strings.Contains(explainOf(t, tt.router(), "/", "-json").Stdout, `"before": []`) == (tt.name == "none"))
		})
	}
}
