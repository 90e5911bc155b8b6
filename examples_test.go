package flow_test

import (
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
)

// shop returns a Router one of whose route files holds an example.
func shop(file, example string) *flow.Router {
	files := fstest.MapFS{
		"public/app.css":             {},
		"router/_files/photo.png":    {},
		"router/users/_files/a.json": {},
	}
	calls := map[string]string{
		"index": "GET", "users/index": "GET", "users/store": "POST", "users/[id=int]": "GET PUT", "users/new": "GET",
		"users/[id=int]/posts": "GET", "docs/[...path]": "GET", "any": "ANY",
	}
	for name := range calls {
		files["router/"+name+".http"] = &fstest.MapFile{}
	}
	files["router/"+file+".http"].Data = []byte(example)
	r := flow.New(files)
	for name, methods := range calls {
		for method := range strings.FieldsSeq(methods) {
			verb := r.At(name).ANY
			if method != "ANY" {
				verb = func() *flow.Verb { return r.At(name).Method(method) }
			}
			verb().Do(func(*flow.Request) string { return "hello" })
		}
	}
	return r
}

func TestExamplesAgainstRoutes(t *testing.T) {
	const step = "# @name a\nGET /users\n###\n"
	for _, tt := range []struct{ file, example, want string }{
		{"index", "GET /", ""},
		{"users/index", "GET http://localhost:8080/users?page=2", ""},
		{"users/index", "HEAD /users", ""},
		{"users/index", "OPTIONS /users", ""},
		{"users/index", "GET /users/", ""}, // is redirected
		{"users/index", "DELETE /users\n# ?? status == 405", ""},
		{"users/index", "DELETE /users", "DELETE /users: the file does not answer DELETE: register DELETE()"},
		{"users/index", "# @name a\nDELETE /users", "DELETE /users: the file does not answer DELETE"},
		{"users/index", "POST /users", "POST /users: router/users/store.http answers it: move the example there, or give it a # @name"},
		{"users/index", "# @name a\nPOST /users", ""},
		{"users/store", "POST /users", ""},
		{"users/[id=int]", "GET /users/7", ""},
		{"users/[id=int]", step + "PUT /users/{{a.response.body.$.id}}", ""},
		{"users/[id=int]", step + "GET {{a.response.headers.location}}", ""},
		{"users/[id=int]", "GET /users/ada", `GET /users/ada: nothing answers it: [id=int] does not take "ada"`},
		{"users/[id=int]", "GET /users/ada\n# ?? status == 404", ""},
		{"users/[id=int]", "GET /user/ada\n# ?? status == 404", "GET /user/ada: nothing answers it"},
		{"users/[id=int]", "GET /user/7", "GET /user/7: nothing answers it: did you mean /users/{id}?"},
		{"users/[id=int]", "GET /user/{{id}}/posts", "GET /user/{{id}}/posts: nothing answers it: did you mean /users/{id}/posts?"},
		{"users/[id=int]", "PATCH /users/1", "PATCH /users/1: the file does not answer PATCH: register PATCH()"},
		{"users/[id=int]", "GET /users/new", "GET /users/new: router/users/new.http answers it"},
		{"users/[id=int]", "GET /users/{{id}}", ""},
		{"users/[id=int]", "GET /app.css", "GET /app.css: public/app.css answers it"},
		{"users/[id=int]", "# @name a\nGET /ap.css", "GET /ap.css: nothing answers it: did you mean /app.css?"},
		{"users/[id=int]", "POST /app.css", "POST /app.css: nothing answers it with this method: the URL is that of public/app.css"},
		{"users/new", "GET /users/{{word}}", ""},
		{"docs/[...path]", "GET /docs/a/b", ""},
		{"docs/[...path]", "GET /docs/{{path}}", ""},
		{"docs/[...path]", "GET /docs", "GET /docs: nothing answers it"},
		{"any", "PATCH /any", ""},
		{"any", "PUT /any\n\n< ./_files/photo.png", ""},
		{"any", "PUT /any\n\n< ./_files/photo.jpg", "there is no file router/_files/photo.jpg"},
		{"any", "PUT /any\n\n< ./_files", "there is no file router/_files"},
		{"any", "PUT /any\n\n< ../../photo.png", "there is no file ../photo.png"},
		{"any", "get /any", "write the method in capitals"},
	} {
		t.Run(tt.file+" "+tt.example, func(t *testing.T) {
			is := is.New(t)
			err := shop(tt.file, tt.example).Check()
			if tt.want == "" {
				is.NoErr(err)
				return
			}
			is.True(err != nil)
			is.Equal(strings.Count(err.Error(), "\n"), 0)
			is.True(strings.HasPrefix(err.Error(), "router/"+tt.file+".http:"))
			_, text, _ := strings.Cut(err.Error(), ": ")
			if !strings.HasPrefix(text, tt.want) {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
		})
	}
}

// With another fault, what answers is not known. Mistakes in a file are told all the same.
func TestExamplesBesideOtherFaults(t *testing.T) {
	is := is.New(t)
	r := shop("any", "GET /nowhere\n# ?? status == 20O")
	r.At("missing").GET().Do(func(*flow.Request) string { return "" })
	err := r.Check()
	is.True(err != nil)
	is.True(!strings.Contains(err.Error(), "nothing answers"))
	is.True(strings.Contains(err.Error(), `"20O" is no status`))
	is.Equal(strings.Count(err.Error(), "\n"), 1)
}

// Examples of a mounted Router have their URLs with the prefix or without.
func TestExamplesOfMountedRouter(t *testing.T) {
	for _, tt := range []struct{ prefix, example, want string }{
		{"/shop", "GET /shop/any", ""},
		{"/shop", "GET /any", ""},
		{"/shop", "GET /shop/ayn", "GET /shop/ayn: nothing answers it: did you mean /shop/any?"},
		{"/shop", "# @name a\nGET /other", "GET /other: nothing answers it"},
		{"/shop", "# @name a\nGET /other\n###\nGET /shop/any", ""}, // a step in the Router around it
		{"/orgs/[org]", "GET /orgs/7/any", ""},
		{"/orgs/[org]", "GET /any", ""},
	} {
		t.Run(tt.prefix+" "+tt.example, func(t *testing.T) {
			is := is.New(t)
			outer := flow.New(fstest.MapFS{"router/other.http": {Data: []byte("GET /other")}})
			outer.At("other").GET().Do(func(*flow.Request) string { return "" })
			outer.Mount(tt.prefix, shop("any", tt.example))
			err := outer.Check()
			if tt.want == "" {
				is.NoErr(err)
				return
			}
			is.True(err != nil)
			is.Equal(strings.Count(err.Error(), tt.want), 1) // once
			is.Equal(strings.Count(err.Error(), "\n"), 0)
		})
	}
}

// Importing flow never imports the package testing, nor the one for tests.
func TestNoTestingInApplications(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command")
	}
	is := is.New(t)
	out, err := exec.Command("go", "list", "-deps", ".", "./cmd/app").Output()
	is.NoErr(err)
	deps := strings.Fields(string(out))
	is.True(len(deps) > 50)
	for _, dep := range deps {
		is.True(dep != "testing")
		is.True(dep != "net/http/httptest")
		is.True(dep != "example.com/flow/flowtest")
	}
}
