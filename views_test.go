package flow_test

import (
	"fmt"
	"html/template"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func TestFuncsMayReplaceThoseOfTheLanguage(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{"a.html": "{{len 1}}"}))
	r.Funcs = template.FuncMap{"len": func(int) string { return "mine" }}
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/a")), "200 mine")
}

func TestViews(t *testing.T) {
	r := flow.New(flowtest.Pages(map[string]string{
		"about.html":      `About <a href="{{route "users.show" "id" 7 "tab" "x y"}}">7</a>`,
		"users/[id].html": `User {{.Name}} {{shout .Name}}`,
		"users/+row.html": `<tr><td>{{.}}</td></tr>`,
		"plain.http":      ``,
	}))
	r.Funcs = template.FuncMap{"shout": strings.ToUpper}
	type user struct{ Name string }
	r.At("users/[id]").GET().Name("users.show").Do(func(*flow.Request) flow.Response { return flow.Page(user{"<Ann>"}) })
	r.At("users/[id]").POST().Do(func(*flow.Request) flow.Response { return flow.Page(user{"Bob"}).Status(422).Header("X", "y") })
	r.At("users/[id]").PUT().Do(func(*flow.Request) flow.Response { return flow.View("users/+row", "<Cy>") })
	r.At("users/[id]").PATCH().Do(func(*flow.Request) flow.Response { return flow.View("users/row", nil) })
	r.At("users/[id]").DELETE().Do(func(*flow.Request) flow.Response { return flow.Page(1) })
	r.At("plain").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
	r.At("plain").POST().Do(func(*flow.Request) flow.Response { return flow.View("about", nil) })
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

func TestFuncsAreNotCalledAtStartUp(t *testing.T) {
	is := is.New(t)
	t.Setenv("FLOW_PLANS", "") // to compare, functions are called twice
	r := flow.New(flowtest.Pages(map[string]string{"index.html": "{{calls}} {{len routes}}"}))
	calls := 0
	r.Funcs = template.FuncMap{
		"calls":  func() int { calls++; return calls },
		"routes": r.Routes, // waits for Check, if Check waits for it
	}
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/")), "200 1 1")
}

func TestTemplatesKnowTheRequest(t *testing.T) {
	r := flow.New(flowtest.Pages(pagesOf(`+layout.html: {{with user}}{{.}}{{else}}nobody{{end}} at {{request.URL.Path}}: {{template "content" .}}
		users/[id].html: {{request.Param "id"}} {{.}}
		plain.html: {{template "+who"}}
		+who.html: {{user}} asked with {{request.Method}}
		+error.html: {{.Status}} for {{user}}`)))
	r.Authenticate = func(req *flow.Request) (any, error) {
		if name := req.Header.Get("Name"); name != "" {
			return name, nil
		}
		return nil, nil
	}
	r.At("users/[id]").GET().Do(func(req *flow.Request) flow.Response { return flow.Page("of data") })
	r.At("users/[id]").POST().Do(func(req *flow.Request) flow.Response { return flow.View("+who", nil) })
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ method, target, name, want string }{
		{"GET", "/users/7", "Ann", "200 Ann at /users/7: 7 of data"},
		{"GET", "/users/8", "", "200 nobody at /users/8: 8 of data"},
		{"GET", "/plain", "Bob", "200 Bob at /plain: Bob asked with GET"},
		{"GET", "/plain", "", "200 nobody at /plain:  asked with GET"},
		{"POST", "/users/7", "Cy", "200 Cy asked with POST"},
		{"GET", "/none", "Di", "404 Di at /none: 404 for Di"},
	} {
		t.Run(tt.method+" "+tt.target+" "+tt.name, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, tt.method, tt.target, "Name: "+tt.name, "Accept: text/html")
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
		})
	}
}

// TestTemplatesKnowTheirOwnRequest renders more pages at a time than there are
// instances, each of which waits in the middle for all the others.
func TestTemplatesKnowTheirOwnRequest(t *testing.T) {
	is := is.New(t)
	t.Setenv("FLOW_PLANS", "") // to compare, meet is called twice
	const n = 50
	r := flow.New(flowtest.Pages(map[string]string{"[id].html": `{{request.Param "id"}}{{meet}}{{user}}`}))
	var all sync.WaitGroup
	all.Add(n)
	r.Funcs = template.FuncMap{"meet": func() string { all.Done(); all.Wait(); return " " }}
	r.Authenticate = func(req *flow.Request) (any, error) { return req.Param("id"), nil }
	is.NoErr(r.Check())
	answers := make([]string, n)
	var done sync.WaitGroup
	for i := range n {
		done.Go(func() { answers[i] = says(serve(r, "GET", fmt.Sprintf("/%d", i))) })
	}
	done.Wait()
	for i, got := range answers {
		is.Equal(got, fmt.Sprintf("200 %d %d", i, i))
	}
}

func TestBlock(t *testing.T) {
	r := flow.New(flowtest.Pages(pagesOf(`+layout.html: <body>{{block "title" .}}site{{end}}{{template "content" .}}{{block "foot" .}}{{end}}</body>
		posts.html: {{define "title"}}posts{{end}}<h1>Posts</h1>{{block "comments" .}}<li>{{.}} {{template "+mark"}}{{end}}{{define "toast"}}<p>{{.}}{{end}}<script>{{block "js" .}}if(a<b){{.}}{{end}}</script>
		+mark.html: !
		plain.http: `)))
	answer := func(req *flow.Request) flow.Response {
		switch name := req.Input("block"); req.Input("of") {
		case "page":
			return flow.Page("<a>").Status(201).Header("X", "1").Block(name)
		case "view":
			return flow.View("posts", "<b>").Block(name)
		default:
			return flow.Text("text").Block(name)
		}
	}
	r.At("posts").GET().Do(answer)
	r.At("plain").GET().Do(answer)
	log := logged(r)
	for _, tt := range []struct{ target, want, log string }{
		{"/posts?of=page&block=comments", "201 <li>&lt;a&gt; !", ""},
		{"/posts?of=page&block=toast", "201 <p>&lt;a&gt;", ""},
		{"/posts?of=page&block=title", "201 posts", ""},
		{"/plain?of=view&block=comments", "200 <li>&lt;b&gt; !", ""},
		{"/posts?of=page&block=none", "500", `Block(\"none\"): router/posts.html has no such {{define}} or {{block}}`},
		{"/posts?of=page&block=router/posts.html", "500", `router/posts.html has no such`},
		{"/posts?of=page&block=router/%2Blayout.html", "500", `router/posts.html has no such`},
		{"/posts?of=page&block=foot", "500", `router/posts.html has no such`},
		{"/posts?of=page&block=js", "500", `Block(\"js\"): it cannot be shown by itself: html/template:js: ends within a tag`},
		{"/posts?of=page", "500", `Block(\"\") takes the name of a block of a Page or a View`},
		{"/posts?of=text&block=comments", "500", `Block(\"comments\") takes the name of a block of a Page or a View`},
		{"/plain?of=page&block=comments", "500", "this route has none"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			log.Reset()
			w := serve(r, "GET", tt.target)
			got := fmt.Sprint(w.Code, " ", w.Body)
			if tt.log != "" {
				got = got[:3]
			}
			is.Equal(got, tt.want)
			is.True(strings.Contains(log.String(), tt.log))
		})
	}
}

func TestBlockChangesACopy(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{"a.html": `A{{define "b"}}B{{end}}`}))
	whole := flow.Page(nil)
	_ = whole.Block("b")
	r.At("a").GET().Do(func(*flow.Request) flow.Response { return whole })
	is.Equal(says(serve(r, "GET", "/a")), "200 A")
}

// TestPagesWithoutCode are the same for everyone, and so are sent as a file is.
func TestPagesWithoutCode(t *testing.T) {
	long := strings.Repeat("a long page, ", 100)
	r := flow.New(flowtest.Pages(map[string]string{
		"+layout.html":            `<title>{{block "title" .}}site{{end}}</title>{{template "content" .}}`,
		"about.html":              `{{define "title"}}About{{end}}<a href="{{route "about"}}">` + long,
		"[[lang]]/help.html":      long,
		"(admin)/secret.html":     long,
		"who/+layout.html":        `{{with user}}{{.}}{{end}}{{template "content" .}}`,
		"who/index.html":          `no code, but its layout asks`,
		"time.html":               `{{now}}`,
		"deaf.html":               `A{{define "unused"}}{{user}}{{end}}`,
		"posted.html":             long,
		"any.html":                long,
		"answered/[id]/page.html": long,
	}))
	r.Funcs = template.FuncMap{"now": func() string { return "now" }}
	r.In("(admin)").Use(func(req *flow.Request) flow.Response {
		if req.Header.Get("Let") == "" {
			return flow.Redirect("/login")
		}
		return flow.Next().Header("X-Guard", "passed")
	})
	r.At("posted").POST().Do(func(*flow.Request) string { return "posted" })
	r.At("any").ANY().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
	is.New(t).NoErr(r.Check())
	tag := func(target string) string {
		return serve(r, "GET", target, "Let: in").Header().Get("ETag")
	}
	for _, tt := range []struct {
		target string
		header []string
		status int
		tagged bool
		coding string
	}{
		{"/about", nil, 200, true, ""},
		{"/about", []string{"Accept-Encoding", "gzip"}, 200, true, "gzip"},
		{"/about", []string{"If-None-Match", tag("/about")}, 304, true, ""},
		{"/about?x=1", []string{"If-None-Match", "W/" + tag("/about") + `, "b"`}, 304, true, ""},
		{"/about", []string{"If-None-Match", `"other"`}, 200, true, ""},
		{"/about", []string{"Range", "bytes=0-3"}, 206, true, ""},
		{"/help", []string{"If-None-Match", tag("/en/help")}, 304, true, ""},
		{"/en/help", nil, 200, true, ""},
		{"/answered/5/page", nil, 200, true, ""},
		{"/posted", nil, 200, true, ""},
		{"/secret", nil, 302, false, ""},
		{"/secret", []string{"If-None-Match", tag("/secret")}, 302, false, ""},
		{"/secret", []string{"Let", "in", "If-None-Match", tag("/secret")}, 304, true, ""},
		{"/secret", []string{"Let", "in"}, 200, true, ""},
		{"/who", []string{"Accept-Encoding", "gzip"}, 200, false, ""},
		{"/time", nil, 200, false, ""},
		{"/any", []string{"Accept-Encoding", "gzip"}, 200, false, ""},
		{"/deaf", nil, 200, false, ""}, // whatever Block could show counts
	} {
		t.Run(fmt.Sprint(tt.target, tt.header), func(t *testing.T) {
			is := is.New(t)
			for _, method := range []string{"GET", "HEAD"} {
				if method == "HEAD" && tt.status == 206 {
					continue // ranges are for GET
				}
				req := httptest.NewRequest(method, tt.target, nil)
				for i := 0; i < len(tt.header); i += 2 {
					req.Header.Set(tt.header[i], tt.header[i+1])
				}
				w := do(r, req)
				is.Equal(w.Code, tt.status)
				is.Equal(w.Header().Get("ETag") != "", tt.tagged)
				is.Equal(w.Header().Get("Content-Encoding"), tt.coding)
				if tt.tagged {
					want := "no-cache"
					if tt.target == "/secret" {
						want = "private, no-cache" // others may not see it
					}
					is.Equal(w.Header().Get("Cache-Control"), want)
				}
				if tt.status == 200 {
					is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
				}
			}
		})
	}
}

// TestPageIsNamed: GET without a handler gives a page a name and middleware. It stays
// rendered once.
func TestPageIsNamed(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{
		"about.html":  `about {{route "us"}} {{route "about"}} {{route "members"}}`,
		"secret.html": `secret`,
		"live.html":   `{{request.Method}}`,
	}))
	r.At("about").POST().Name("us").Do(hello)
	r.At("about").GET().Name("us")
	r.At("secret").GET().Name("members").MaxBody(3).Use(markStd("std"), func(req *flow.Request) flow.Response {
		if req.Input("key") != "yes" {
			return flow.Fail(403, "")
		}
		return flow.Next()
	})
	r.At("live").GET().Use(mark("guard"))
	is.NoErr(r.Check())
	w := serve(r, "GET", "/about")
	is.Equal(says(w), "200 about /about /about /secret")
	is.True(w.Header().Get("ETag") != "")
	is.Equal(serve(r, "GET", "/secret").Code, 403)
	is.Equal(serve(r, "HEAD", "/secret").Code, 403)
	w = serve(r, "GET", "/secret?key=yes")
	is.Equal(says(w), "200 secret")
	is.Equal(marks(w), "std")
	is.Equal(w.Header().Get("Cache-Control"), "private, no-cache") // a guard has let it through
	is.Equal(do(r, flowtest.Sending("GET", "/secret", "application/x-www-form-urlencoded", "key=yes")).Code, 413)
	is.Equal(says(serve(r, "GET", "/live")), "200 GET")
	is.Equal(marks(serve(r, "GET", "/live")), "guard")
	is.Equal(says(serve(r, "PUT", "/secret")), "405 Allow GET, HEAD, OPTIONS")
	var listed []string
	for _, i := range r.Routes() {
		listed = append(listed, fmt.Sprint(i.Method, " ", i.Pattern, " ", i.Name, " ", i.Handler != "", " ", i.Middleware))
	}
	is.Equal(listed, []string{"GET /about us false 0", "POST /about us true 0", "GET /live live false 1", "GET /secret members false 2"})
}
