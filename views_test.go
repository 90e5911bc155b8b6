package flow

import (
	"html/template"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
)

func pages(texts map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range texts {
		m["router/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestViews(t *testing.T) {
	r := New(pages(map[string]string{
		"about.html":      `About <a href="{{route "users.show" "id" 7 "tab" "x y"}}">7</a>`,
		"users/[id].html": `User {{.Name}} {{shout .Name}}`,
		"users/+row.html": `<tr><td>{{.}}</td></tr>`,
		"plain.http":      ``,
	}))
	r.Funcs = template.FuncMap{"shout": strings.ToUpper}
	type user struct{ Name string }
	r.At("users/[id]").GET().Name("users.show").Do(func(*Request) Response { return Page(user{"<Ann>"}) })
	r.At("users/[id]").POST().Do(func(*Request) Response { return Page(user{"Bob"}).Status(422).Header("X", "y") })
	r.At("users/[id]").PUT().Do(func(*Request) Response { return View("users/+row", "<Cy>") })
	r.At("users/[id]").PATCH().Do(func(*Request) Response { return View("users/row", nil) })
	r.At("users/[id]").DELETE().Do(func(*Request) Response { return Page(1) })
	r.At("plain").GET().Do(func(*Request) Response { return Page(nil) })
	r.At("plain").POST().Do(func(*Request) Response { return View("about", nil) })
	log := logged(r)
	for _, tt := range []struct {
		method, target string
		status         int
		want           string
		log            string
	}{
		{"GET", "/about", 200, `About <a href="/users/7?tab=x&#43;y">7</a>`, ""},
		{"HEAD", "/about", 200, "", ""},
		{"POST", "/plain", 200, `About <a href="/users/7?tab=x&#43;y">7</a>`, ""},
		{"GET", "/users/1", 200, "User &lt;Ann&gt; &lt;ANN&gt;", ""},
		{"POST", "/users/1", 422, "User Bob BOB", ""},
		{"PUT", "/users/1", 200, "<tr><td>&lt;Cy&gt;</td></tr>", ""},
		{"PATCH", "/users/1", 500, "", `no template is called \"users/row\"`},
		{"DELETE", "/users/1", 500, "", "can't evaluate field Name"},
		{"GET", "/plain", 500, "", "this route has none"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			log.Reset()
			w := serve(r, tt.method, tt.target)
			is.Equal(w.Code, tt.status)
			if tt.status != 500 {
				is.Equal(w.Body.String(), tt.want)
				is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
			}
			is.True(strings.Contains(log.String(), tt.log))
			is.True(tt.log != "" || log.Len() == 0)
		})
	}
}

func TestViewFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"syntax", "one\n{{if}}", "router/a.html:2: missing value for if"},
		{"unknown function", "{{nothing}}", `router/a.html:1: function "nothing" not defined`},
		{"unknown route", "\n\n{{with 1}}{{. | print (route `b`)}}{{end}}", `router/a.html:3: no route is called "b": name one with Name, or use an automatic name`},
		{"unknown route in a block", "{{block `x` .}}{{if route \"b\"}}{{end}}{{end}}", `router/a.html:1: no route is called "b": name one with Name, or use an automatic name`},
		{"not escapable", "\n<a href='{{if .}}'{{end}}>", "router/a.html:2: {{if}} branches end in different contexts"},
		{"unknown template", "{{template \"x\"}}", `router/a.html:1: no such template "x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := New(pages(map[string]string{"a.html": tt.text})).Check()
			is.True(err != nil)
			is.True(strings.HasPrefix(err.Error(), tt.want)) // got: see the name
			is.True(!strings.Contains(err.Error(), "\n"))
		})
	}
}

func TestFuncsAreNotCalledAtStartUp(t *testing.T) {
	is := is.New(t)
	r := New(pages(map[string]string{"index.html": "{{calls}} {{len routes}}"}))
	calls := 0
	r.Funcs = template.FuncMap{
		"calls":  func() int { calls++; return calls },
		"routes": r.Routes, // waits for Check, if Check waits for it
	}
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/")), "200 1 1")
}

func TestSharedTreesFillInPlusFiles(t *testing.T) {
	is := is.New(t)
	own := pages(map[string]string{"a.http": "", "+one.html": "own one"})
	shared := pages(map[string]string{"+one.html": "shared one", "+two.html": "shared two", "b.html": "no route"})
	r := New(own, shared)
	r.At("a").GET().Do(func(req *Request) Response { return View(req.Input("view"), nil) })
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/a?view=%2Bone")), "200 own one")
	is.Equal(says(serve(r, "GET", "/a?view=%2Btwo")), "200 shared two")
	is.Equal(says(serve(r, "GET", "/b")), "404")
}
