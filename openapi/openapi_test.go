package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/flowtest"
	"example.com/flow/openapi"
	"example.com/flow/openapi/testdata/jobs"
)

type task struct {
	ID    int       `json:"id" doc:"Never changes."`
	Title string    `json:"title"`
	Tags  []string  `json:"tags"`
	Due   time.Time `json:"due"`
}

type newTask struct {
	Title string   `json:"title" doc:"What is to be done."`
	Tags  []string `json:"tags"`
}

var asked atomic.Int64

func (n newTask) Validate() error {
	asked.Add(1)
	invalid := flow.Invalid{}
	if n.Title == "" {
		invalid["title"] = "is missing"
	}
	if len(n.Title) > 100 {
		invalid["title"] = "is too long"
	}
	if len(n.Tags) > 5 {
		invalid["tags"] = "are too many"
	}
	return invalid
}

type list struct {
	Limit int    `query:"limit" doc:"How many."`
	Sort  string `query:"sort"`
}

func (l *list) Default() { l.Limit = 20 }

func (l list) Validate() error {
	if l.Limit < 1 || l.Limit > 50 {
		return flow.Invalid{"limit": "is out of range"}
	}
	return nil
}

type one struct {
	ID int `param:"id"`
}

type change struct {
	ID    int    `param:"id"`
	Title string `json:"title"`
}

type fault struct {
	Error string `json:"error"`
}

func signedIn(*flow.Request) flow.Response { return flow.Next() }

// tree are the route files of the application.
var tree = map[string]string{
	"api/openapi.json": "### Tasks\n# A place for things to do.\n",
	"api/tasks/index": `### Whoever sends no title is told
POST /api/tasks
Content-Type: application/json

{"title": ""}

# ?? status == 422

### A new task
# Its number is in the answer.
#
# Deprecated: use /api/jobs.
POST /api/tasks
Content-Type: application/json

{"title": "Water the plants"}

# ?? status == 201
# ?? header location startsWith /api/tasks/
# ?? body title == Water the plants

### All tasks
GET /api/tasks?limit=3
`,
	"api/tasks/[id=int]":      "### One task\nGET /api/tasks/1\n\n# ?? body == {\"id\": 1, \"title\": \"a\", \"tags\": [], \"due\": \"2026-01-02T03:04:05Z\"}\n",
	"api/tasks/[name]":        "",
	"api/files/[...path]":     "",
	"api/months/[[year=int]]": "",
	"api/echo":                "",
	"other":                   "",
	"outside":                 "",
}

type outside struct {
	Secret string
}

// router returns the application, with changes to it.
func router(also func(*flow.Router), files fstest.MapFS) *flow.Router {
	if files == nil {
		files = treeFS()
	}
	r := flow.New(files)
	api := openapi.API{Version: "1.0", SignIn: []openapi.SignIn{{Name: "token", Header: "Authorization", Guards: []any{signedIn}}}}
	if also != nil {
		also(r)
	}
	r.At("api/openapi.json").GET().Do(api.JSON())
	tasks := r.At("api/tasks/index")
	tasks.GET().Do(func(*flow.Request, list) ([]task, error) { return nil, nil })
	tasks.POST().Use(signedIn).Status(201).Do(func(*flow.Request, newTask) (task, error) { return task{}, nil })
	id := r.At("api/tasks/[id=int]")
	id.GET().Do(func(*flow.Request, one) (task, error) { return task{ID: 1}, nil })
	id.PATCH().Do(func(*flow.Request, change) (task, error) { return task{}, nil })
	id.DELETE().Do(func(*flow.Request, one) error { return nil })
	r.At("api/tasks/[name]").GET().Do(func(*flow.Request) (string, error) { return "", nil })
	r.At("api/files/[...path]").GET().Do(func(*flow.Request) (flow.Response, error) { return flow.Text(""), nil })
	r.At("api/months/[[year=int]]").GET().Do(func(*flow.Request) ([]int, error) { return nil, nil })
	r.At("api/echo").ANY().Do(func(*flow.Request) flow.Response { return flow.Text("") })
	r.At("outside").GET().Do(func(*flow.Request, outside) (outside, error) { return outside{}, nil })
	return r
}

func treeFS() fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range tree {
		files["router/"+name+".http"] = &fstest.MapFile{Data: []byte(text)}
	}
	delete(files, "router/other.http")
	return files
}

func get(t *testing.T, h http.Handler, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/api/openapi.json", nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

// lines returns a document with a line for each operation and for each component.
func lines(t *testing.T, text []byte) string {
	t.Helper()
	is := is.New(t)
	var d struct {
		Info       json.RawMessage
		Tags       json.RawMessage
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas, SecuritySchemes map[string]json.RawMessage }
		Untyped    json.RawMessage `json:"x-flow-untyped"`
	}
	is.NoErr(json.Unmarshal(text, &d))
	var b strings.Builder
	fmt.Fprintf(&b, "\ninfo %s\ntags %s\n", d.Info, d.Tags)
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			fmt.Fprintf(&b, "%s %s %s\n", method, path, d.Paths[path][method])
		}
	}
	for _, all := range []map[string]json.RawMessage{d.Components.Schemas, d.Components.SecuritySchemes} {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(&b, "%s %s\n", name, all[name])
		}
	}
	fmt.Fprintf(&b, "untyped %s\n", string(d.Untyped)) // of a RawMessage that is nil, fmt makes "null" with Go 1.27
	problem := `{"description":"An error.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/ProblemJSON"}}}}`
	return strings.ReplaceAll(b.String(), problem, "PROBLEM")
}

func TestJSON(t *testing.T) {
	is := is.New(t)
	r := router(nil, nil)
	is.NoErr(r.Check())
	w := get(t, r)
	is.Equal(w.Code, 200)
	is.Equal(w.Header().Get("Content-Type"), "application/vnd.oai.openapi+json;version=3.1")
	is.Equal(w.Header().Get("Cache-Control"), "no-cache")
	is.Equal(get(t, r, "If-None-Match", w.Header().Get("ETag")).Code, 304)
	is.Equal(lines(t, w.Body.Bytes()), wholeJSON)
	checkStructure(t, w.Body.Bytes())
	for range 20 { // the same bytes in each program
		is.Equal(get(t, router(nil, nil)).Body.String(), w.Body.String())
	}
	for _, name := range []string{"outside", "Secret"} {
		is.True(!strings.Contains(w.Body.String(), name))
	}
}

const wholeJSON = `
info {"title":"Tasks","description":"A place for things to do.","version":"1.0"}
tags [{"name":"months"},{"name":"tasks"}]
get /api/months {"operationId":"api.months.year","tags":["months"],"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"type":["array","null"],"items":{"type":"integer"}}}}},"default":PROBLEM},"security":[{},{"token":[]}]}
get /api/months/{year} {"operationId":"api.months.year_2","tags":["months"],"parameters":[{"name":"year","in":"path","required":true,"schema":{"type":"integer","format":"int64"}}],"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"type":["array","null"],"items":{"type":"integer"}}}}},"default":PROBLEM},"security":[{},{"token":[]}]}
get /api/tasks {"operationId":"api.tasks.index.get","tags":["tasks"],"summary":"All tasks","parameters":[{"name":"limit","in":"query","description":"How many.","schema":{"type":"integer","minimum":1,"maximum":50,"default":20}},{"name":"sort","in":"query","schema":{"type":"string"}}],"responses":{"200":{"description":"All tasks","content":{"application/json":{"schema":{"type":["array","null"],"items":{"$ref":"#/components/schemas/task"}}}}},"default":PROBLEM},"security":[{},{"token":[]}]}
post /api/tasks {"operationId":"api.tasks.index.post","tags":["tasks"],"summary":"A new task","description":"Its number is in the answer.\n\nDeprecated: use /api/jobs.","deprecated":true,"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/newTask"},"examples":{"a-new-task":{"summary":"A new task","value":{"title":"Water the plants"}}}},"application/x-www-form-urlencoded":{"schema":{"$ref":"#/components/schemas/newTask"}}}},"responses":{"201":{"description":"A new task","headers":{"Location":{"schema":{"type":"string"}}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/task"}}}},"422":{"description":"Whoever sends no title is told","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/ProblemJSON"}}}},"default":PROBLEM},"security":[{"token":[]}]}
delete /api/tasks/{id} {"operationId":"api.tasks.id.delete","tags":["tasks"],"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],"responses":{"204":{"description":"No Content"},"default":PROBLEM},"security":[{},{"token":[]}]}
get /api/tasks/{id} {"operationId":"api.tasks.id.get","tags":["tasks"],"summary":"One task","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],"responses":{"200":{"description":"One task","content":{"application/json":{"schema":{"$ref":"#/components/schemas/task"},"examples":{"one-task":{"summary":"One task","value":{"id":1,"title":"a","tags":[],"due":"2026-01-02T03:04:05Z"}}}}}},"default":PROBLEM},"security":[{},{"token":[]}]}
patch /api/tasks/{id} {"operationId":"api.tasks.id.patch","tags":["tasks"],"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"title":{"type":"string"}}}},"application/x-www-form-urlencoded":{"schema":{"type":"object","properties":{"title":{"type":"string"}}}}}},"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/task"}}}},"default":PROBLEM},"security":[{},{"token":[]}]}
ProblemJSON {"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"object","additionalProperties":{"type":"string"}},"codes":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type","title","status"]}
newTask {"type":"object","properties":{"title":{"type":"string","description":"What is to be done.","minLength":1,"maxLength":100},"tags":{"type":"array","items":{"type":"string"},"maxItems":5}},"required":["title"]}
task {"type":"object","properties":{"id":{"type":"integer","description":"Never changes."},"title":{"type":"string"},"tags":{"type":["array","null"],"items":{"type":"string"}},"due":{"type":"string","format":"date-time"}},"required":["id","title","tags","due"]}
token {"type":"apiKey","in":"header","name":"Authorization"}
untyped ["ANY /api/echo","GET /api/files/{path...}","GET /api/tasks/{name}"]
`

// checkStructure holds a document against what OpenAPI 3.1 asks for, as far as it can be wrong here: all
// references lead somewhere, each parameter of a path is in it and described, ids are unique, each
// operation has answers with descriptions, and schemas have only words with values of their types.
func checkStructure(t *testing.T, text []byte) {
	t.Helper()
	is := is.New(t)
	var d map[string]any
	is.NoErr(json.Unmarshal(text, &d))
	is.Equal(d["openapi"], "3.1.0")
	components, _ := d["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	schemes, _ := components["securitySchemes"].(map[string]any)
	for name := range schemas {
		is.True(regexp.MustCompile(`^[a-zA-Z0-9._-]+$`).MatchString(name))
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name, of := strings.CutPrefix(ref, "#/components/schemas/")
				is.True(of && schemas[name] != nil)
			}
			if required, ok := v["required"].([]any); ok {
				properties, _ := v["properties"].(map[string]any)
				for _, key := range required {
					is.True(properties[key.(string)] != nil)
				}
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(d)
	ids := map[string]bool{}
	for path, item := range d["paths"].(map[string]any) {
		for _, of := range item.(map[string]any) {
			o := of.(map[string]any)
			id := o["operationId"].(string)
			is.True(!ids[id])
			ids[id] = true
			inPath := map[string]bool{}
			parameters, _ := o["parameters"].([]any)
			for _, p := range parameters {
				p := p.(map[string]any)
				is.True(p["schema"] != nil)
				if p["in"] == "path" {
					is.Equal(p["required"], true)
					inPath["{"+p["name"].(string)+"}"] = true
				}
			}
			names := regexp.MustCompile(`\{[^}]*\}`).FindAllString(path, -1)
			is.Equal(len(names), len(inPath))
			for _, name := range names {
				is.True(inPath[name])
			}
			responses := o["responses"].(map[string]any)
			is.True(len(responses) > 0)
			for _, r := range responses {
				is.True(r.(map[string]any)["description"] != "")
			}
			security, _ := o["security"].([]any)
			for _, needed := range security {
				for name := range needed.(map[string]any) {
					is.True(schemes[name] != nil)
				}
			}
		}
	}
}

func TestBuiltOnce(t *testing.T) {
	is := is.New(t)
	r := router(nil, nil)
	is.NoErr(r.Check())
	afterCheck := asked.Load()
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() { get(t, r) })
	}
	wg.Wait()
	first := asked.Load() - afterCheck
	is.True(first > 0)
	get(t, r)
	is.Equal(asked.Load()-afterCheck, first)
}

// at answers with a document of one operation.
func at(t *testing.T, file, text string, add func(*flow.Router, *flow.File)) string {
	t.Helper()
	is := is.New(t)
	r := flow.New(fstest.MapFS{
		"router/v1/openapi.json.http": {},
		"router/v1/" + file + ".http": {Data: []byte(text)},
	})
	r.At("v1/openapi.json").GET().Do(openapi.API{Title: "T", Version: "1", Error: fault{}}.JSON())
	add(r, r.At("v1/"+file))
	is.NoErr(r.Check())
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/v1/openapi.json", nil))
	is.Equal(w.Code, 200)
	checkStructure(t, w.Body.Bytes())
	of := lines(t, w.Body.Bytes())
	_, of, _ = strings.Cut(of, "tags ")
	return "\n" + of
}

type upload struct {
	Photo *multipart.FileHeader `form:"photo" doc:"A picture."`
	Title string                `form:"title"`
}

func (u upload) Validate() error {
	if u.Photo == nil {
		return flow.Invalid{"photo": "is missing"}
	}
	return nil
}

type address struct {
	City string `json:"city"`
}

type search struct {
	Text  string   `json:"text"`
	Tags  []string `json:"tags"`
	Place address  `json:"place"`
}

func (s search) Validate() error {
	if s.Text == "" {
		return flow.Invalid{"text": "is missing"}
	}
	if s.Place.City == "x" || len(s.Place.City) > 9 {
		return flow.Invalid{"place.city": "is no city"}
	}
	return nil
}

// A contact needs a way to reach it, unless it is a robot, which only an example knows.
type contact struct {
	Kind  string `json:"kind"`
	Email string `json:"email"`
}

func (c contact) Validate() error {
	if c.Kind != "robot" && c.Email == "" {
		return flow.Invalid{"email": "is missing"}
	}
	return nil
}

func TestOperations(t *testing.T) {
	onError := func(*flow.Request, error) flow.Response { return flow.JSON(fault{}) }
	for _, tt := range []struct {
		name, file, text string
		add              func(*flow.Router, *flow.File)
		want             string
	}{
		{"files", "photos", "", func(_ *flow.Router, f *flow.File) {
			f.POST().Do(func(*flow.Request, upload) error { return nil })
		}, `
[{"name":"photos"}]
post /v1/photos {"operationId":"v1.photos","tags":["photos"],"requestBody":{"required":true,"content":{"multipart/form-data":{"schema":{"type":"object","properties":{"photo":{"type":"string","format":"binary","description":"A picture."},"title":{"type":"string"}},"required":["photo"]}}}},"responses":{"204":{"description":"No Content"},"default":PROBLEM}}
ProblemJSON {"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"object","additionalProperties":{"type":"string"}},"codes":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type","title","status"]}
untyped 
`},
		{"an example with another media type", "search", "POST /v1/search\nContent-Type: application/x-www-form-urlencoded\n\ntext=a&place.city=b\n", func(_ *flow.Router, f *flow.File) {
			f.POST().Do(func(*flow.Request, search) (string, error) { return "", nil })
		}, `
[{"name":"search"}]
post /v1/search {"operationId":"v1.search","tags":["search"],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/search"}},"application/x-www-form-urlencoded":{"schema":{"type":"object"}}}},"responses":{"200":{"description":"OK","content":{"text/plain":{"schema":{"type":"string"}}}},"default":PROBLEM}}
ProblemJSON {"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"object","additionalProperties":{"type":"string"}},"codes":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type","title","status"]}
search {"type":"object","properties":{"text":{"type":"string","minLength":1},"tags":{"type":"array","items":{"type":"string"}},"place":{"type":"object","properties":{"city":{"type":"string","maxLength":9}}}},"required":["text"]}
untyped 
`},
		{"data in the query", "search", "", func(_ *flow.Router, f *flow.File) {
			f.GET().Do(func(*flow.Request, search) ([]address, error) { return nil, nil })
		}, `
[{"name":"search"}]
get /v1/search {"operationId":"v1.search","tags":["search"],"parameters":[{"name":"text","in":"query","required":true,"schema":{"type":"string","minLength":1}},{"name":"tags","in":"query","schema":{"type":"array","items":{"type":"string"}}},{"name":"place.city","in":"query","schema":{"type":"string","maxLength":9}}],"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"type":["array","null"],"items":{"$ref":"#/components/schemas/address"}}}}},"default":PROBLEM}}
ProblemJSON {"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"object","additionalProperties":{"type":"string"}},"codes":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type","title","status"]}
address {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}
untyped 
`},
		{"what an example shows is not required", "contacts", "POST /v1/contacts\nContent-Type: application/json\n\n{\"kind\": \"robot\"}\n", func(_ *flow.Router, f *flow.File) {
			f.POST().Do(func(*flow.Request, contact) error { return nil })
		}, `
[{"name":"contacts"}]
post /v1/contacts {"operationId":"v1.contacts","tags":["contacts"],"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/contact"},"examples":{"example":{"value":{"kind":"robot"}}}},"application/x-www-form-urlencoded":{"schema":{"$ref":"#/components/schemas/contact"}}}},"responses":{"204":{"description":"No Content"},"default":PROBLEM}}
ProblemJSON {"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"object","additionalProperties":{"type":"string"}},"codes":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type","title","status"]}
contact {"type":"object","properties":{"kind":{"type":"string"},"email":{"type":"string"}}}
untyped 
`},
		{"OnError around the document", "a", "", func(r *flow.Router, f *flow.File) {
			r.In("v1").OnError(onError)
			f.GET().Do(func(*flow.Request) (address, error) { return address{}, nil })
		}, `
[{"name":"a"}]
get /v1/a {"operationId":"v1.a","tags":["a"],"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/address"}}}},"default":{"description":"An error.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/fault"}}}}}}
address {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}
fault {"type":"object","properties":{"error":{"type":"string"}},"required":["error"]}
untyped 
`},
		{"a nearer OnError", "b/a", "", func(r *flow.Router, f *flow.File) {
			r.OnError = onError
			r.In("v1/b").OnError(onError)
			f.GET().Do(func(*flow.Request) (address, error) { return address{}, nil })
		}, `
[{"name":"b"}]
get /v1/b/a {"operationId":"v1.b.a","tags":["b"],"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/address"}}}},"default":{"description":"An error."}}}
address {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}
untyped 
`},
		{"a Response", "a", "### Somewhere else\n# @no-redirect\nGET /v1/a\n\n# ?? status == 303\n# ?? header location == /b\n", func(_ *flow.Router, f *flow.File) {
			f.GET().Do(func(*flow.Request, address) (flow.Response, error) { return flow.Redirect("/b"), nil })
		}, `
[{"name":"a"}]
get /v1/a {"operationId":"v1.a","tags":["a"],"summary":"Somewhere else","parameters":[{"name":"city","in":"query","schema":{"type":"string"}}],"responses":{"303":{"description":"Somewhere else","headers":{"Location":{"schema":{"type":"string"}}}},"default":PROBLEM}}
ProblemJSON {"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"object","additionalProperties":{"type":"string"}},"codes":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type","title","status"]}
untyped 
`},
		{"a Response without an example", "a", "", func(_ *flow.Router, f *flow.File) {
			f.GET().Do(func(*flow.Request, address) (flow.Response, error) { return flow.Redirect("/b"), nil })
		}, `
[{"name":"a"}]
get /v1/a {"operationId":"v1.a","tags":["a"],"parameters":[{"name":"city","in":"query","schema":{"type":"string"}}],"responses":{"2XX":{"description":"The handler decides."},"default":PROBLEM}}
ProblemJSON {"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"object","additionalProperties":{"type":"string"}},"codes":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type","title","status"]}
untyped 
`},
		{"a catch-all", "f/[...path]", "", func(_ *flow.Router, f *flow.File) {
			f.GET().Do(func(*flow.Request, address) (string, error) { return "", nil })
		}, `
[{"name":"f"}]
get /v1/f/{path} {"operationId":"v1.f.path","tags":["f"],"parameters":[{"name":"path","in":"path","description":"It may have slashes: it is the rest of the path.","required":true,"schema":{"type":"string"}},{"name":"city","in":"query","schema":{"type":"string"}}],"responses":{"200":{"description":"OK","content":{"text/plain":{"schema":{"type":"string"}}}},"default":PROBLEM}}
ProblemJSON {"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"object","additionalProperties":{"type":"string"}},"codes":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type","title","status"]}
untyped 
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(at(t, tt.file, tt.text, tt.add), tt.want)
		})
	}
}

// A mounted Router has a document of its own, whose paths begin with the prefix, and that around it says
// nothing of it. A guard of the mount counts.
func TestMounted(t *testing.T) {
	is := is.New(t)
	inner := flow.New(fstest.MapFS{"router/openapi.json.http": {}, "router/things.http": {}})
	inner.At("openapi.json").GET().Do(openapi.API{Version: "1", SignIn: []openapi.SignIn{{Name: "session", Cookie: "sid", Guards: []any{signedIn}}}}.JSON())
	inner.At("things").GET().Do(func(*flow.Request) ([]address, error) { return nil, nil })
	outer := flow.New(fstest.MapFS{"router/openapi.json.http": {}, "router/own.http": {}})
	outer.At("openapi.json").GET().Do(openapi.API{Version: "1"}.JSON())
	outer.At("own").GET().Do(func(*flow.Request) (address, error) { return address{}, nil })
	outer.Mount("/teams/[team]", inner).Use(signedIn)
	is.NoErr(outer.Check())
	paths := func(url string) (all []string, body string) {
		w := httptest.NewRecorder()
		outer.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
		is.Equal(w.Code, 200)
		checkStructure(t, w.Body.Bytes())
		var d struct{ Paths map[string]any }
		is.NoErr(json.Unmarshal(w.Body.Bytes(), &d))
		return slices.Sorted(maps.Keys(d.Paths)), w.Body.String()
	}
	all, _ := paths("/openapi.json")
	is.Equal(all, []string{"/own"})
	all, body := paths("/teams/1/openapi.json")
	is.Equal(all, []string{"/teams/{team}/things"})
	is.True(strings.Contains(body, `"security":[{"session":[]}]`))
	is.True(strings.Contains(body, `{"type":"apiKey","in":"cookie","name":"sid"}`))
}

// Ways to sign in have names of their own, with letters that OpenAPI allows there.
func TestNamesOfSignIn(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/openapi.json.http": {}})
	r.At("openapi.json").GET().Do(openapi.API{SignIn: []openapi.SignIn{{Name: "API key", Header: "X-Key"}, {Bearer: true}, {Cookie: "sid"}}}.JSON())
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	checkStructure(t, w.Body.Bytes())
	is.True(strings.Contains(w.Body.String(), `"securitySchemes":{"API_key":{"type":"apiKey","in":"header","name":"X-Key"},"signIn":{"type":"http","scheme":"bearer"},"signIn_2":{"type":"apiKey","in":"cookie","name":"sid"}}`))
}

// In development, prose that was saved is in the next answer.
func TestDevelopment(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	files := os.DirFS(dir)
	is.NoErr(os.MkdirAll(filepath.Join(dir, "router"), 0o755))
	write := func(name, text string) {
		is.NoErr(os.WriteFile(filepath.Join(dir, "router", name), []byte(text), 0o644))
	}
	write("openapi.json.http", "### First\n")
	write("a.http", "### One\nGET /a\n")
	r := flow.New(files)
	r.At("openapi.json").GET().Do(openapi.API{Version: "1"}.JSON())
	r.At("a").GET().Do(func(*flow.Request) (address, error) { return address{}, nil })
	r.Dev(dir)
	is.NoErr(r.Check())
	ask := func() string {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
		return w.Body.String()
	}
	is.True(strings.Contains(ask(), `"title":"First"`) && strings.Contains(ask(), `"summary":"One"`))
	write("openapi.json.http", "### Second title\n")
	write("a.http", "### Another one\nGET /a\n")
	is.True(strings.Contains(ask(), `"title":"Second title"`) && strings.Contains(ask(), `"summary":"Another one"`))
}

// A declared answer has its type, and a test holds the examples against it.
func TestJSONOf(t *testing.T) {
	is := is.New(t)
	is.NoErr(jobs.Router.Check())
	w := httptest.NewRecorder()
	jobs.Router.ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	checkStructure(t, w.Body.Bytes())
	is.True(strings.Contains(w.Body.String(), `"200":{"description":"A job that is done"},"202":{"description":"A job that has to wait","content":{"application/json":{"schema":{"$ref":"#/components/schemas/queue"}}}}`))
	flowtest.Examples(t, func(*testing.T) *flow.Router { return jobs.Router })
}

// A program with a description asks Validate no more than others before that is asked for.
func TestNotAskedBefore(t *testing.T) {
	is := is.New(t)
	calls := func(describe bool) int64 {
		before := asked.Load()
		r := flow.New(fstest.MapFS{"router/openapi.json.http": {}, "router/tasks.http": {}})
		r.At("tasks").POST().Do(func(*flow.Request, newTask) error { return nil })
		if describe {
			r.At("openapi.json").GET().Do(openapi.API{}.JSON())
		} else {
			r.At("openapi.json").GET().Do(func(*flow.Request) string { return "" })
		}
		is.NoErr(r.Check())
		return asked.Load() - before
	}
	is.Equal(calls(true), calls(false))
}
