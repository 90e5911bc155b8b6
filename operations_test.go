package flow_test

import (
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/site"
	"example.com/flow/internal/testkit/flowtest"
)

// describer returns what the package openapi gives Do: it answers with its operations, one a line,
// or as a page with the pattern of its document.
func describer(page bool) *site.Describer {
	return &site.Describer{Page: page, At: func(s *site.Description) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if page {
				fmt.Fprint(w, s.Document.Tree.Patterns[0])
				return
			}
			for _, o := range s.Operations() {
				fmt.Fprintln(w, operationLine(s, o))
			}
		})
	}}
}

// operationLine returns an operation as a line.
func operationLine(of *site.Description, o site.Route) string {
	var patterns, guards []string
	for _, p := range o.Tree.Patterns {
		patterns = append(patterns, p.Key())
	}
	for _, pc := range o.Guards {
		for name, guard := range map[string]any{"outer": guardOuter, "router": guardRouter, "dir": guardDir, "file": guardFile, "verb": guardVerb} {
			if reflect.ValueOf(guard).Pointer() == pc {
				guards = append(guards, name)
			}
		}
	}
	f := of.Read(o.Tree)
	title := f.Title
	for _, r := range of.Examples(o, f) {
		title += f.Prefix + r.Title
	}
	line := fmt.Sprintf("%s %s %s name=%s guards=%s onError=%s %q", o.Method, strings.Join(patterns, ","), o.File, o.Name, strings.Join(guards, ","), o.OnError, title)
	if o.Typed {
		line += fmt.Sprintf(" in=%v out=%v text=%v decides=%v status=%d", o.In, o.Out, o.Text, o.Decides, o.Status)
	}
	return line
}

func guardOuter(*flow.Request) flow.Response  { return flow.Next() }
func guardRouter(*flow.Request) flow.Response { return flow.Next() }
func guardDir(*flow.Request) flow.Response    { return flow.Next() }
func guardFile(*flow.Request) flow.Response   { return flow.Next() }
func guardVerb(*flow.Request) flow.Response   { return flow.Next() }

type (
	opIn struct {
		ID int `param:"id"`
	}
	opItem struct{ Size int }
)

// apiRouter has an API with two documents, and what is no part of them.
func apiRouter() *flow.Router {
	r := flow.New(fstest.MapFS{
		"router/index.html":                 &fstest.MapFile{},
		"router/health.http":                &fstest.MapFile{},
		"router/api.http":                   &fstest.MapFile{},
		"router/api/openapi.json.http":      &fstest.MapFile{Data: []byte("### Things")},
		"router/api/docs.http":              &fstest.MapFile{},
		"router/api/items/[id=int].http":    &fstest.MapFile{Data: []byte("### Show\nGET /api/items/1\n### Sign in\n# @name in\nGET /health\n### Remove\nDELETE /api/items/{{in.response.body.$.id}}")},
		"router/api/items/store.http":       &fstest.MapFile{},
		"router/api/[[lang]]/words.http":    &fstest.MapFile{},
		"router/api/v2/openapi.json.http":   &fstest.MapFile{},
		"router/api/v2/deep/docs.http":      &fstest.MapFile{},
		"router/api/v2/deep/raw.http":       &fstest.MapFile{},
		"router/api/v2/deep/[...rest].http": &fstest.MapFile{},
	})
	do := func(file string, f func(*flow.File)) { f(r.At(file)) }
	r.Use(guardRouter)
	r.In("api/items").Use(guardDir)
	r.In("api/items").OnError(func(*flow.Request, error) flow.Response { return flow.Response{} })
	do("health", func(f *flow.File) { f.GET().Do(func(*flow.Request) string { return "" }) })
	do("api", func(f *flow.File) { f.GET().Do(func(*flow.Request) string { return "" }) })
	do("api/openapi.json", func(f *flow.File) { f.GET().Do(describer(false)) })
	do("api/docs", func(f *flow.File) { f.GET().Do(describer(true)) })
	do("api/items/[id=int]", func(f *flow.File) {
		f.Use(guardFile)
		f.GET().Name("item").Do(func(*flow.Request, opIn) (opItem, error) { return opItem{}, nil })
		f.DELETE().Use(guardVerb).Do(func(*flow.Request, opIn) error { return nil })
	})
	do("api/items/store", func(f *flow.File) {
		f.POST().Status(201).Do(func(*flow.Request, flow.Form[opBody]) (*opItem, error) { return nil, nil })
	})
	do("api/[[lang]]/words", func(f *flow.File) {
		f.GET().Do(func(*flow.Request, struct{}) (string, error) { return "", nil })
		f.ANY().Do(func(*flow.Request, struct{}) (flow.Response, error) { return flow.Response{}, nil })
	})
	do("api/v2/openapi.json", func(f *flow.File) { f.GET().Do(describer(false)) })
	do("api/v2/deep/docs", func(f *flow.File) { f.GET().Do(describer(true)) })
	do("api/v2/deep/raw", func(f *flow.File) { f.GET().Do(http.NotFoundHandler()) })
	do("api/v2/deep/[...rest]", func(f *flow.File) { f.GET().Do(func(*flow.Request) (opItem, error) { return opItem{}, nil }) })
	return r
}

type opBody struct{ Size int }

// bodyAt returns the body of the answer to a GET.
func bodyAt(h http.Handler, url string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	return w.Body.String()
}

func TestOperations(t *testing.T) {
	is := is.New(t)
	r := apiRouter()
	is.NoErr(r.Check())
	is.Equal(bodyAt(r, "/api/openapi.json"), `
GET /api router/api.http name=api guards=router onError= ""
GET /api/words,/api/:/words router/api/[[lang]]/words.http name=api.lang.words guards=router onError= "" in=struct {} out=<nil> text=true decides=false status=200
ANY /api/words,/api/:/words router/api/[[lang]]/words.http name=api.lang.words guards=router onError= "" in=struct {} out=<nil> text=false decides=true status=0
GET /api/docs router/api/docs.http name=api.docs guards=router onError= ""
GET /api/items/:int router/api/items/[id=int].http name=item guards=router,dir,file onError=router/api/items "Show" in=flow_test.opIn out=flow_test.opItem text=false decides=false status=200
DELETE /api/items/:int router/api/items/[id=int].http name=item guards=router,dir,file,verb onError=router/api/items "Remove" in=flow_test.opIn out=<nil> text=false decides=false status=204
POST /api/items router/api/items/store.http name=api.items.store guards=router,dir onError=router/api/items "" in=flow_test.opBody out=*flow_test.opItem text=false decides=false status=201
GET /api/openapi.json router/api/openapi.json.http name=api.openapi.json guards=router onError= "Things"
GET /api/v2/deep/* router/api/v2/deep/[...rest].http name=api.v2.deep.rest guards=router onError= "" in=<nil> out=flow_test.opItem text=false decides=false status=200
GET /api/v2/deep/docs router/api/v2/deep/docs.http name=api.v2.deep.docs guards=router onError= ""
GET /api/v2/deep/raw router/api/v2/deep/raw.http name=api.v2.deep.raw guards=router onError= ""
GET /api/v2/openapi.json router/api/v2/openapi.json.http name=api.v2.openapi.json guards=router onError= ""
`[1:])
	is.Equal(strings.Count(bodyAt(r, "/api/v2/openapi.json"), "\n"), 4) // what is above is not in it
	is.Equal(bodyAt(r, "/api/docs"), "/api/openapi.json")
	is.Equal(bodyAt(r, "/api/v2/deep/docs"), "/api/v2/openapi.json") // that of the directory around it
}

// OnError may be set after Check, and the URLs of a mounted Router begin with its prefix.
func TestOperationsOfAMountedRouter(t *testing.T) {
	is := is.New(t)
	inner, outer := apiRouter(), flow.New(flowtest.Files("router/index.html"))
	outer.Use(guardOuter)
	outer.Mount("/orgs/[org]", inner).Use(guardVerb)
	is.NoErr(outer.Check())
	inner.OnError = func(*flow.Request, error) flow.Response { return flow.Response{} }
	said := bodyAt(outer, "/orgs/x/api/openapi.json")
	is.True(strings.Contains(said, "GET /orgs/:/api/docs router/api/docs.http name=api.docs guards=outer,verb,router onError=Router"))
	is.True(strings.Contains(said, "guards=outer,verb,router,dir,file onError=router/api/items \"/orgs/\\x00Show\"")) // the nearest one
	is.Equal(bodyAt(outer, "/orgs/x/api/docs"), "/orgs/{org}/api/openapi.json")
}

// In development the text of a route file is read anew.
func TestOperationsInDevelopment(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	write(t, dir, "router/openapi.json.http", "### First\nGET /openapi.json")
	r := flow.New(fstest.MapFS{"router/openapi.json.http": &fstest.MapFile{}})
	r.Dev(dir)
	r.At("openapi.json").GET().Do(describer(false))
	is.NoErr(r.Check())
	is.True(strings.Contains(bodyAt(r, "/openapi.json"), `"First"`))
	write(t, dir, "router/openapi.json.http", "### Second\nGET /openapi.json")
	is.True(strings.Contains(bodyAt(r, "/openapi.json"), `"Second"`))
	write(t, dir, "router/openapi.json.http", "### Third\nGTE /openapi.json")
	is.True(strings.Contains(bodyAt(r, "/openapi.json"), `""`)) // with a fault
}

func TestMisplacedDescriptions(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]bool // whether it is a page
		want  []string
	}{
		{"two in one directory", map[string]bool{"api/a.http": false, "api/b.http": false, "api/c/d.http": false}, []string{
			"router/api/b.http describes an API, and so does router/api/a.http in the same directory: keep one",
		}},
		{"two pages", map[string]bool{"a.http": false, "b.http": true, "c.http": true}, []string{
			"router/c.http is the page of an API, and so is router/b.http in the same directory: keep one",
		}},
		{"a page alone", map[string]bool{"api/docs.http": true, "api/v1/openapi.json.http": false}, []string{
			"router/api/docs.http is the page of an API, and no description is around it: answer with JSON() of the same API in a route file beside it, such as router/api/openapi.json.http",
		}},
		{"a template", map[string]bool{"docs.html": true, "openapi.json.http": false}, []string{
			"router/docs.html is a page, and what describes an API has no template: call the file router/docs.http",
		}},
		{"a page of a format", map[string]bool{"docs.md": true, "openapi.json.http": false}, []string{
			"router/docs.md is a page, and what describes an API has no template: call the file router/docs.http",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			files := fstest.MapFS{}
			for name := range tt.files {
				files["router/"+name] = &fstest.MapFile{}
			}
			r := flow.New(files)
			r.Formats = map[string]flow.Format{".md": flow.FormatOf(func(flow.Source) (template.HTML, string, error) { return "", "", nil })}
			for name, page := range tt.files {
				r.At(strings.TrimSuffix(name, path.Ext(name))).GET().Do(describer(page))
			}
			err := r.Check()
			is.True(err != nil)
			is.Equal(strings.Count(err.Error(), "\n"), len(tt.want)-1)
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s\nis not in\n%v", want, err)
				}
			}
		})
	}
}

// A description says nothing of errors if an OnError answers them with a type that it does not know.
func TestDescriptionWithoutErrors(t *testing.T) {
	onError := func(*flow.Request, error) flow.Response { return flow.Text("error") }
	for _, tt := range []struct {
		name string
		add  func(*flow.Router, *site.Describer)
		want bool
	}{
		{"no OnError", func(*flow.Router, *site.Describer) {}, false},
		{"that of the Router", func(r *flow.Router, _ *site.Describer) { r.OnError = onError }, true},
		{"that of its directory", func(r *flow.Router, _ *site.Describer) { r.In("api").OnError(onError) }, true},
		{"that of another directory", func(r *flow.Router, _ *site.Describer) { r.In("other").OnError(onError) }, false},
		{"with a type", func(r *flow.Router, d *site.Describer) { r.OnError, d.Errors = onError, true }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(fstest.MapFS{"router/api/openapi.json.http": {}, "router/other/a.http": {}})
			d := describer(false)
			tt.add(r, d)
			r.At("api/openapi.json").GET().Do(d)
			r.At("other/a").GET().Do(func(*flow.Request) string { return "" })
			is.NoErr(r.Check())
			err := r.Warnings()
			is.Equal(err != nil, tt.want)
			if err != nil {
				is.True(strings.Contains(err.Error(), "operations_test.go:"))
				is.True(strings.Contains(err.Error(), ": warning: router/api/openapi.json.http says nothing of errors, since an OnError stands around it: "))
			}
		})
	}
}

// A Describer that stands inside of another handler says so.
func TestWrappedDescriber(t *testing.T) {
	is := is.New(t)
	w := httptest.NewRecorder()
	describer(false).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	is.Equal(w.Code, 500)
}
