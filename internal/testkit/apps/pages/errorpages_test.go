package pages_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

func TestErrorPages(t *testing.T) {
	tree := flowtest.Pages(apptest.PagesOf(`+layout.html: [{{block "title" .}}site{{end}} {{template "content" .}}]
		+error.html: {{define "title"}}{{.Title}}{{end}}{{.Status}} {{.Detail}} {{.Path}}{{range $k, $v := .Fields}} {{$k}} {{$v}}{{end}}
		index.html: home
		x.http: 
		users/+error.html: users {{.Status}} {{.Path}}
		users/+layout.html: ({{template "content" .}})
		users/[id]/+error.html: user {{request.Param "id"}} {{.Status}}
		users/[id]/posts.http: 
		users/index.http: 
		users/deep/down/x.http: 
		admin/+error.html: admin {{.Status}} {{.Detail}}
		admin.html: {{index . 5}}
		(site)/+error.html: site {{.Status}}
		(site)/blog/a.http: 
		(site)/shop/+error.html: shop {{.Status}}
		(site)/shop/a.http: 
		shop/b.http: 
		(site)/page.http: `))
	tree["public/css/app.css"] = &fstest.MapFile{Data: []byte("body{}")}
	r := flow.New(tree)
	status := func(req *flow.Request) (flow.Response, error) {
		switch req.Header.Get("Fail") {
		case "error":
			return flow.Response{}, errors.New("secret")
		case "panic":
			panic("secret")
		case "invalid":
			return flow.Response{}, flow.Invalid{"name": "is required"}
		case "guard":
			return flow.Fail(403, "not for you").Header("X", "1"), nil
		}
		return flow.Fail(418, "<short>"), nil
	}
	for _, path := range []string{"x", "users/[id]/posts", "users/index", "users/deep/down/x", "(site)/blog/a", "(site)/shop/a", "shop/b", "(site)/page"} {
		r.At(path).GET().Do(status)
	}
	r.At("admin").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
	apptest.Logged(r)
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ method, target, fail, want string }{
		{"GET", "/x", "", "418 [I&#39;m a teapot 418 &lt;short&gt; /x]"},
		{"GET", "/x", "error", "500 [Internal Server Error 500  /x]"},
		{"GET", "/x", "panic", "500 [Internal Server Error 500  /x]"},
		{"GET", "/x", "invalid", "422 [Unprocessable Entity 422 some fields are not valid /x name is required]"},
		{"GET", "/x", "guard", "403 [Forbidden 403 not for you /x]"},
		{"POST", "/x", "", "405 [Method Not Allowed 405  /x]"},
		{"GET", "/none", "", "404 [Not Found 404  /none]"},
		{"GET", "/none%2Fx/%3Cb%3E", "", "404 [Not Found 404  /none/x/&lt;b&gt;]"},
		{"GET", "/users", "", "418 [site (users 418 /users)]"},
		{"GET", "/users/1/posts", "", "418 [site (user 1 418)]"},
		{"POST", "/users/1/posts", "", "405 [site (user  405)]"},
		{"GET", "/users/1/none", "", "404 [site (users 404 /users/1/none)]"},
		{"GET", "/users/deep/down/x", "", "418 [site (users 418 /users/deep/down/x)]"},
		{"GET", "/admin", "", "500 [site admin 500 ]"}, // the page beside the directory
		{"GET", "/admin/none", "", "404 [site admin 404 ]"},
		{"GET", "/page", "", "418 [site site 418]"},
		{"GET", "/shop/a", "", "418 [site shop 418]"},
		{"GET", "/shop/b", "", "418 [I&#39;m a teapot 418 &lt;short&gt; /shop/b]"},
		{"GET", "/shop/none", "", "404 [site shop 404]"},
		{"POST", "/css/app.css", "", "405 [Method Not Allowed 405  /css/app.css]"},
		{"HEAD", "/none", "", "404 "},
	} {
		t.Run(tt.method+" "+tt.target+" "+tt.fail, func(t *testing.T) {
			is := is.New(t)
			w := apptest.Serve(r, tt.method, tt.target, "Accept: text/html", "Fail: "+tt.fail)
			is.Equal(strings.TrimSpace(w.Result().Status[:3]+" "+w.Body.String()), strings.TrimSpace(tt.want))
			is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
			is.Equal(w.Header().Get("Vary"), "Accept")
			is.Equal(w.Header().Get("X") != "", tt.fail == "guard")
			is.Equal(w.Header().Get("Allow") != "", w.Code == 405)
		})
	}
}

// TestErrorPagesAreForThoseWhoPreferHTML leaves the others what they had.
func TestErrorPagesAreForThoseWhoPreferHTML(t *testing.T) {
	r := flow.New(flowtest.Pages(apptest.PagesOf("+error.html: page\nindex.html: {{.}}{{fail}}\nx.http: ")))
	r.Funcs = map[string]any{"fail": func() (string, error) { return "", errors.New("secret") }}
	r.At("x").GET().Do(func(*flow.Request) (string, error) { return "", flow.Error(404, "none") })
	apptest.Logged(r)
	for _, tt := range []struct{ target, accept, want string }{
		{"/x", "", `404 {"type":"about:blank","title":"Not Found","status":404,"detail":"none"}`},
		{"/x", "text/html", "404 page"},
		{"/x", "text/plain", "404 Not Found: none\n"},
		{"/", "", "500 page"},
		{"/", "application/json", `500 {"type":"about:blank","title":"Internal Server Error","status":500}`},
		{"/none", "*/*", `404 {"type":"about:blank","title":"Not Found","status":404}`},
	} {
		t.Run(tt.target+" "+tt.accept, func(t *testing.T) {
			is := is.New(t)
			w := apptest.Serve(r, "GET", tt.target, "Accept: "+tt.accept)
			is.Equal(w.Result().Status[:3]+" "+w.Body.String(), tt.want)
		})
	}
}

func TestErrorsOfPages(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/p.html": {Data: []byte("page")}})
	apptest.Logged(r)
	r.At("p").GET().Do(func(*flow.Request) (flow.Response, error) { return flow.Response{}, flow.Error(404, "gone") })
	w := apptest.Do(r, httptest.NewRequest("GET", "/p", nil)) // which accepts anything
	is.Equal(w.Code, 404)
	is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
}

func TestErrorPageByItself(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(apptest.PagesOf(`+layout.html: <body>{{template "content" .}}</body>
		+error.html: {{.Status}}
		a.http: `)))
	r.At("a").GET().Do(func(*flow.Request) flow.Response { return flow.View("+error", map[string]int{"Status": 1}) })
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/a")), "200 1")
}

func TestErrorPageOfASharedTree(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(apptest.PagesOf("users/x.html: X")), flowtest.Pages(apptest.PagesOf("+error.html: shared\nusers/+error.html: shared users\nother/+error.html: other")))
	for target, want := range map[string]string{"/none": "404 shared", "/users/none": "404 shared users", "/other/none": "404 shared"} {
		w := apptest.Serve(r, "GET", target, "Accept: text/html")
		is.Equal(w.Result().Status[:3]+" "+w.Body.String(), want)
	}
}

// TestErrorPagesAreChecked with the layouts that they stand in: their dot is known.
func TestErrorPagesAreChecked(t *testing.T) {
	for _, tt := range []struct{ layout, page, want string }{
		{`<!doctype html>{{block "title" .}}{{end}}{{template "content" .}}`, `{{.Status}} {{.Title}} {{.Detail}} {{.Path}} {{range $k, $v := .Fields}}{{$k}}{{$v}}{{end}}{{.Fields.name}}`, ""},
		{`{{template "content" .}}`, `{{.Stauts}}`, `router/+error.html:1:4: {{.Stauts}}: flow.errorPage has no field or method Stauts: did you mean "Status"?`},
		{`{{.PageTitle}}{{template "content" .}}`, `{{.Status}}`, `router/+layout.html:1:4: {{.PageTitle}}: flow.errorPage has no field or method PageTitle (with the data of router/+error.html)`},
	} {
		t.Run(tt.layout+tt.page, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(map[string]string{"+layout.html": tt.layout, "+error.html": tt.page, "a.html": "A"}))
			err := r.Check()
			if tt.want == "" {
				is.NoErr(err)
				is.Equal(apptest.Serve(r, "GET", "/none", "Accept: text/html").Body.String(), "<!doctype html>404 Not Found  /none ")
				return
			}
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

// TestErrorPagesThatFail are answered with text, and are one record in the log.
func TestErrorPagesThatFail(t *testing.T) {
	r := flow.New(flowtest.Pages(apptest.PagesOf("+error.html: half a page {{index .Path 500}}\nx.http: ")))
	r.At("x").GET().Do(func(req *flow.Request) (flow.Response, error) {
		switch req.Input("how") {
		case "fail":
			return flow.Fail(404, "none").Header("X", "1"), nil
		case "error":
			return flow.Response{}, flow.Error(404, "none")
		case "panic":
			panic("secret")
		}
		return flow.Response{}, errors.New("secret")
	})
	log := apptest.JournalOf(r)
	seen := 0
	for _, tt := range []struct{ target, want, cause string }{
		{"/x?how=fail", "404 Not Found: none\n", ""},
		{"/x?how=error", "404 Not Found: none\n", ""},
		{"/none", "404 Not Found\n", ""},
		{"/x", "500 Internal Server Error\n", "secret"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			w := apptest.Serve(r, "GET", tt.target, "Accept: text/html")
			is.Equal(w.Result().Status[:3]+" "+w.Body.String(), tt.want)
			is.Equal(w.Header().Get("Content-Type"), "text/plain; charset=utf-8")
			all := apptest.Records(t, log)[seen:]
			seen += len(all)
			is.Equal(len(all), 1)
			is.Equal(all[0]["level"], "ERROR")
			text := all[0]["error"].(string)
			is.True(strings.Contains(text, "router/+error.html:1:"))
			is.True(strings.Contains(text, tt.cause))
		})
	}
}

// TestErrorPagesAskForTheUser finds that Authenticate fails only while the error page is
// rendered: that error is the answer, and is said once, with what was going on.
func TestErrorPagesAskForTheUser(t *testing.T) {
	fails := func(*flow.Request) (flow.Response, error) { return flow.Response{}, errors.New("boom") }
	for _, tt := range []struct {
		name    string
		answer  func(*flow.Request) (flow.Response, error)
		onError func(*flow.Request, error) flow.Response
		status  int
		said    string // beside the failure of Authenticate
	}{
		{"Fail", func(*flow.Request) (flow.Response, error) { return flow.Fail(404, "none"), nil }, nil, 500, ""},
		{"a 404", func(*flow.Request) (flow.Response, error) { return flow.Response{}, flow.Error(404, "none") }, nil, 500, ""},
		{"nothing matched", nil, nil, 500, ""},
		{"a panic", func(*flow.Request) (flow.Response, error) { panic("boom") }, nil, 500, "boom"},
		{"an error", fails, nil, 500, "boom"},
		{"OnError", fails, func(*flow.Request, error) flow.Response { return flow.Fail(404, "none") }, 404, "boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(apptest.PagesOf("+error.html: {{.Status}} {{user}}\nx.http: ")))
			asked, errorsSeen := 0, 0
			r.Authenticate = func(*flow.Request) (any, error) { asked++; return nil, errors.New("the key server is down") }
			if tt.onError != nil {
				r.OnError = func(req *flow.Request, err error) flow.Response { errorsSeen++; return tt.onError(req, err) }
			}
			target := "/x"
			if tt.answer == nil {
				target, tt.answer = "/none", fails
			}
			r.At("x").GET().Do(tt.answer)
			log := apptest.JournalOf(r)
			w := apptest.Serve(r, "GET", target, "Accept: text/html")
			is.Equal(w.Code, tt.status)
			is.Equal(w.Body.String(), fmt.Sprint(tt.status, " "))
			is.Equal(asked, 1)
			is.True(errorsSeen <= 2) // the second time about Authenticate
			all := apptest.Records(t, log)
			is.Equal(len(all), 1)
			text := all[0]["error"].(string)
			is.True(strings.Contains(text, "the key server is down"))
			is.True(strings.Contains(text, tt.said))
		})
	}
}

// TestErrorsOfFunctionsInErrorPages are no answers.
func TestErrorsOfFunctionsInErrorPages(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(apptest.PagesOf("+error.html: {{find}}\na.html: {{find}}")))
	r.Funcs = map[string]any{"find": func() (string, error) { return "", flow.Error(410, "gone") }}
	log := apptest.JournalOf(r)
	w := apptest.Serve(r, "GET", "/none", "Accept: text/html")
	is.Equal(w.Code, 404)
	is.Equal(w.Body.String(), "Not Found\n")
	is.Equal(apptest.Records(t, log)[0]["level"], "ERROR")
	is.Equal(apptest.Do(r, httptest.NewRequest("GET", "/a", nil)).Code, 410) // of a page they are
}
