package flow_test

import (
	"errors"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

func TestDevShowsFaults(t *testing.T) {
	for _, tt := range []struct{ file, text, target, status, want string }{
		{"router/index.html", "\n{{if}}", "/", "500", "router/index.html:2: missing value for if"},
		{"router/index.html", "{{route `x`}}", "/", "500", "router/index.html:1: no route is called \"x\""},
		{"router/index.html", "\n\n{{index . 1}}", "/", "500", "router/index.html:3:3: executing"},
		{"router/index.html", "<a href='{{if .}}'{{end}}>", "/", "500", "router/index.html:1: {{if}} branches end in different contexts"},
		{"router/+layout.html", "no slot", "/users/1", "500", "router/+layout.html:1: the layout does not say where the page goes"},
		{"router/users/+row.html", "{{end}}", "/users/1", "500", "router/users/+row.html:1: unexpected {{end}}"},
		{"router/users/+row.html", "{{template `x`}}", "/row", "500", "router/users/+row.html cannot be rendered by itself: router/users/+row.html:1: no template is called \"x\""},
		{"router/users/+row.html", "{{end}}", "/", "200", "[home /app.css]"}, // another page does not mind
		{"router/users/+row.html", "{{end}}", "/none", "404", "[404 ]"},
		{"router/+error.html", "{{end}}", "/fails", "500", "router/+error.html:1: unexpected {{end}}"},
		{"router/+error.html", "{{index .Path 99}}", "/fails", "500", "router/+error.html:1:2: executing"},
	} {
		t.Run(tt.file+" "+tt.text+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			dir := onDisk(t, devTree())
			r, _ := devRouter(t, devTree(), dir)
			write(t, dir, tt.file, tt.text)
			w := visit(r, tt.target)
			is.Equal(w.Result().Status[:3], tt.status)
			is.True(strings.Contains(html.UnescapeString(w.Body.String()), tt.want)) // the page says so
			is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
		})
	}
}

// TestDevMarksWhatFailed: the page and the terminal point at the expression that failed, though
// errors of text/template count columns from 0.
func TestDevMarksWhatFailed(t *testing.T) {
	for _, tt := range []struct{ name, text, place, page, terminal string }{
		{"at the beginning of a line", "{{/* */}}\n{{\n.Nme}}", "router/index.html:3:1", "<mark>.Nme</mark>}}", "3 | .Nme}}\n    | ^^^^\n"},
		{"in a line", "<p>ä {{.Path}} {{.Nme}}</p>", "router/index.html:1:19", "{{.Path}} {{<mark>.Nme</mark>}}", "1 | <p>ä {{.Path}} {{.Nme}}</p>\n    |                  ^^^^\n"},
		{"a long one", "<p>{{.Path.Length.Of.Something.Else}}", "router/index.html:1:11", "{{<mark>.Path.Length.Of.Something.Else</mark>}}", "1 | <p>{{.Path.Length.Of.Something.Else}}\n    |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"},
		{"a call", "<p>{{1}} {{index .Path 99}}", "router/index.html:1:12", "{{<mark>index .Path 99</mark>}}", "1 | <p>{{1}} {{index .Path 99}}\n    |            ^^^^^^^^^^^^^^\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tree := flowtest.Pages(pagesOf("index.html: home"))
			dir := onDisk(t, tree)
			r := flow.New(tree)
			journalOf(r)
			r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Page(struct{ Path string }{"/"}) })
			r.Dev(dir)
			is.NoErr(r.Check())
			var terminal strings.Builder
			r.BeginDev(&terminal)
			write(t, dir, "router/index.html", tt.text)
			page := html.UnescapeString(visit(r, "/").Body.String())
			is.True(strings.Contains(page, tt.place))
			is.True(strings.Contains(page, tt.page))
			is.True(strings.Contains(terminal.String(), tt.place))
			is.True(strings.Contains(terminal.String(), tt.terminal))
			if t.Failed() {
				t.Logf("%s", terminal.String())
			}
		})
	}
}

// TestDevTellsOnlyTheFault of a template that View and PageOf name: that a template with faults is
// not there is no fault of the handler. The page marks the fault with the text that open pages
// get, so that it is not shown above the page again.
func TestDevTellsOnlyTheFault(t *testing.T) {
	tree := flowtest.Pages(pagesOf(`login.html: login
		(in)/home.html: home
		+layout.html: {{template "content" .}}
		a.http: 
		b.http: 
		c.http: 
		d.http: `))
	dir := onDisk(t, tree)
	r := flow.New(tree)
	r.At("login").GET().Do(func(*flow.Request) flow.Response {
		return flow.DeclaredPage("login", "x")
	})
	for name, view := range map[string]string{"a": "login", "b": "home", "c": "none", "d": "+layout"} {
		r.At(name).GET().Do(func(*flow.Request) flow.Response { return flow.View(view, "x") })
	}
	r.Dev(dir)
	is.New(t).NoErr(r.Check())
	write(t, dir, "router/login.html", "\n{{nothing}}")
	write(t, dir, "router/(in)/home.html", "\n{{user.}}")
	faults := regexp.MustCompile(`data-fault="([^"]*)"`)
	for _, tt := range []struct{ target, more string }{
		{"/login", ""},
		{"/a", ""},
		{"/b", ""},
		{"/c", "\nflow: View: no template is called \"none\": give the path below router/ without extension"},
		{"/d", "\nflow: View: no template is called \"+layout\": give the path below router/ without extension"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			known := r.TemplateFaults()
			is.Equal(len(known), 2)
			var want, got []string
			for _, f := range known {
				want = append(want, f.String())
			}
			want[len(want)-1] += tt.more
			w := visit(r, tt.target)
			is.Equal(w.Code, 500)
			for _, m := range faults.FindAllStringSubmatch(w.Body.String(), -1) {
				got = append(got, html.UnescapeString(m[1]))
			}
			is.Equal(got, want)
		})
	}
}

// TestDevFaultsAsTheClientReads: the page of faults is for browsers.
func TestDevFaultsAsTheClientReads(t *testing.T) {
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	write(t, dir, "router/index.html", "\n{{nothing}}")
	for _, tt := range []struct{ name, accept, fetch, want string }{
		{"browser", "text/html,*/*;q=0.8", "document", "text/html; charset=utf-8"},
		{"old browser", "text/html,*/*;q=0.8", "", "text/html; charset=utf-8"},
		{"script of a page", "*/*", "empty", "text/html; charset=utf-8"},
		{"curl", "*/*", "", "text/plain; charset=utf-8"},
		{"JSON", "application/json, */*;q=0.1", "", "application/problem+json"},
		{"text", "text/plain", "", "text/plain; charset=utf-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			req := request("GET", "/")
			req.Header.Set("Accept", tt.accept)
			if tt.fetch != "" {
				req.Header.Set("Sec-Fetch-Dest", tt.fetch)
			}
			w := do(r, req)
			is.Equal(w.Code, 500)
			is.Equal(w.Header().Get("Content-Type"), tt.want)
			is.True(strings.Contains(w.Body.String(), "router/index.html"))
			is.Equal(strings.Contains(w.Body.String(), "<html"), strings.HasPrefix(tt.want, "text/html"))
		})
	}
}

func panicWithName(*flow.Request) string { panic("boom") }

// TestDevLogsPanics: the log has the frames that a person looks for, if the page has the others.
// A handler without a name is called by its route.
func TestDevLogsPanics(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf("users/[id].http: \nnested.http: \nnamed.http: \ntyped.http: \nstd.http: \nguarded.http: "))
	r := flow.New(tree)
	log := journalOf(r)
	r.At("users/[id]").GET().Do(func(*flow.Request) string { panic("boom") })
	r.At("nested").ANY().Do(func(*flow.Request) string {
		slices.SortFunc([]int{1, 2}, func(int, int) int { panic("boom") })
		return ""
	})
	r.At("named").GET().Do(panicWithName)
	r.At("typed").GET().Do(func(*flow.Request) (struct{}, error) { panic("boom") })
	r.At("std").GET().Do(func(http.ResponseWriter, *http.Request) { panic("boom") })
	r.At("guarded").Use(func(*flow.Request) flow.Response { panic("boom") })
	r.At("guarded").GET().Do(panicWithName)
	r.Dev(onDisk(t, tree))
	for _, tt := range []struct{ target, want string }{
		{"/users/7", `"at":"devfaults_test.go:HERE GET /users/{id}, `},
		{"/nested", `"at":"devfaults_test.go:HERE a function in GET /nested, devfaults_test.go:HERE GET /nested, `},
		{"/named", `"at":"devfaults_test.go:HERE flow_test.panicWithName, `},
		{"/typed", `"at":"devfaults_test.go:HERE GET /typed, `},
		{"/std", `"at":"devfaults_test.go:HERE GET /std, `},
		{"/guarded", `"at":"devfaults_test.go:HERE flow_test.TestDevLogsPanics.func`},
	} {
		visit(r, tt.target)
		last := regexp.MustCompile(`devfaults_test\.go:\d+`).ReplaceAllString(log.String()[strings.LastIndex(strings.TrimSpace(log.String()), "\n")+1:], "devfaults_test.go:HERE")
		if !strings.Contains(last, tt.want) || strings.Contains(last, `"stack"`) {
			t.Errorf("%s: %s", tt.target, last)
		}
	}
	req := httptest.NewRequest("GET", "/users/7", nil) // of another machine
	r.ServeHTTP(httptest.NewRecorder(), req)
	is.Equal(strings.Count(log.String(), `"stack"`), 1)
}

// TestFaultsAreNotShownToClients renders the same faults without Dev.
func TestFaultsAreNotShownToClients(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{"a.html": "{{.None}}"}))
	r.At("a").GET().Do(func(*flow.Request) flow.Response { return flow.Page(1) })
	log := logged(r)
	w := serve(r, "GET", "/a", "Accept: text/html")
	is.Equal(w.Code, 500)
	is.True(!strings.Contains(w.Body.String(), "router/"))
	is.True(strings.Contains(log.String(), "router/a.html:1"))
}

func TestDevSaysWhatDiffersFromTheBinary(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, log := devRouter(t, devTree(), dir)
	write(t, dir, "router/more.html", "more")
	write(t, dir, "public/b.css", "b{}")
	write(t, dir, "router/[x.html", "malformed")
	is.NoErr(os.Remove(filepath.Join(dir, "router", "index.html")))
	is.NoErr(os.Remove(filepath.Join(dir, "public", "app.css")))
	w := serve(r, "GET", "/more")
	is.Equal(w.Code, 404)
	is.True(strings.Contains(w.Body.String(), "router/more.html is new on disk: it has a URL once the application is built with it and has no faults"))
	is.True(!strings.Contains(serve(r, "GET", "/other").Body.String(), "binary"))
	w = serve(r, "GET", "/")
	is.Equal(w.Code, 500)
	is.True(strings.Contains(html.UnescapeString(w.Body.String()), "router/index.html is gone"))
	is.Equal(serve(r, "GET", "/app.css").Code, 404)
	is.Equal(serve(r, "GET", "/users/1").Code, 200)
	var found []map[string]any
	for _, record := range records(t, log) {
		if strings.Contains(record["msg"].(string), "not those of the binary") {
			found = append(found, record)
		}
	}
	is.Equal(len(found), 1)
	is.Equal(found[0]["new"], "router/more.html") // a public file needs no build
	is.Equal(found[0]["gone"], "public/app.css, router/index.html")
	is.True(strings.Contains(found[0]["faults"].(string), `router/[x.html: a parameter fills a whole segment`))

	write(t, dir, "router/index.html", `{{asset "app.css"}}`)
	w = serve(r, "GET", "/")
	is.True(strings.Contains(html.UnescapeString(w.Body.String()), "public/app.css is gone"))
}

func TestDevSaysNothingOnceAllIsAsInTheBinary(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, log := devRouter(t, devTree(), dir)
	write(t, dir, "router/more.html", "more")
	serve(r, "GET", "/none")
	before := log.String()
	is.True(before != "")
	is.NoErr(os.Remove(filepath.Join(dir, "router", "more.html")))
	w := serve(r, "GET", "/none")
	is.True(!strings.Contains(w.Body.String(), "binary"))
	is.Equal(log.String(), before)
}

func TestDevIsAFaultWithoutTheDirectory(t *testing.T) {
	is := is.New(t)
	r := flow.New(devTree())
	r.Dev(t.TempDir())
	report := errorText(r.Check())
	is.True(strings.Contains(report, "there is no directory router in it: give the directory of the Go file that embeds it"))
	is.True(!strings.Contains(report, "\nrouter: ")) // which are in the binary
}

func TestDevIsAFaultBehindALink(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	flowtest.Symlink(t, filepath.Join(onDisk(t, devTree()), "router"), filepath.Join(dir, "router"))
	r := flow.New(devTree())
	r.Dev(dir)
	is.True(strings.Contains(errorText(r.Check()), "router: a symbolic link that is absolute, or leads out of the directory of Dev, is not followed"))
}

// TestFaultsOfMountedRoutersInDevelopment are told with those of the Router around them.
func TestFaultsOfMountedRoutersInDevelopment(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Pages(pagesOf("a.html: {{none}}")))
	inner.Dev(onDisk(t, flowtest.Pages(pagesOf("a.html: {{none}}"))))
	r := flow.New(flowtest.Pages(pagesOf("b.http: ")))
	r.Mount("/in", inner)
	text := errorText(r.Check())
	is.True(strings.Contains(text, `router/b.http: no handler is registered for it`))
	is.True(strings.Contains(text, `Mount("/in"): router/a.html:1: function "none" not defined: did you mean "nonce"?`))
	is.True(inner.Check() != nil)
}

// TestDevTellsDeadLinks: development tells a link that leads nowhere, shows the page, and is
// silent once the link or what it leads to is there.
func TestDevTellsDeadLinks(t *testing.T) {
	tree := devTree()
	dir := onDisk(t, tree)
	r, _ := devRouter(t, tree, dir)
	for _, tt := range []struct{ file, text, want string }{
		{"router/index.html", `<a href="/usres/7">x</a>`, "router/index.html:1:10: href of <a>: nothing answers /usres/7: did you mean /users/{id}?"},
		{"router/index.html", `<a href="/users/7">x</a>`, ""},
		{"router/index.html", `<a href="/about">x</a>`, `router/index.html:1:10: href of <a>: nothing answers /about: if something else does, say so with rel="external"`},
		{"router/about.html", "it is on disk, and answers once it is built", ""},
		{"router/items/new.html", "it may be what a value leads to", ""},
		{"router/index.html", `<a href="/items/{{.}}">x</a>`, ""},
		{"router/index.html", `<img src="/new.png">`, `router/index.html:1:11: src of <img>: nothing answers /new.png: if something else does, begin it with an action: {{"/new.png"}}`},
		{"public/new.png", "served without a build", ""},
	} {
		t.Run(tt.file+" "+tt.text, func(t *testing.T) {
			is := is.New(t)
			write(t, dir, tt.file, tt.text)
			said := ""
			for _, f := range r.TemplateFaults() {
				said += f.String()
			}
			if i := strings.Index(said, "router/"); i > 0 {
				said = said[i:]
			}
			is.Equal(said, tt.want)
			is.Equal(visit(r, "/").Code, 200)
		})
	}
	is := is.New(t)
	is.NoErr(os.Remove(filepath.Join(dir, "public/new.png")))
	is.Equal(len(r.TemplateFaults()), 1)
}

// TestDevChecksTypes of pages: a wrong field is told with the templates on disk, its page
// shows it, and the others are as they were.
func TestDevChecksTypes(t *testing.T) {
	is := is.New(t)
	tree := fstest.MapFS{"router/a.html": {Data: []byte("{{.Name}}")}, "router/b.html": {Data: []byte("b {{.Name}}")}}
	dir := onDisk(t, tree)
	r := flow.New(tree)
	r.Dev(dir)
	logged(r)
	for _, path := range []string{"a", "b"} {
		r.At(path).GET().Do(func(*flow.Request) (struct{ Name string }, error) { return struct{ Name string }{"Ada"}, nil })
	}
	is.NoErr(r.Check())
	is.Equal(r.TemplateFaults(), nil)
	is.Equal(visit(r, "/b").Code, 200)
	write(t, dir, "router/a.html", "<p>\n{{.Nmae}}")
	faults := r.TemplateFaults()
	is.Equal(len(faults), 1)
	is.True(strings.Contains(faults[0].Text, `has no field or method Nmae: did you mean "Name"?`))
	is.Equal(faults[0].Line, 2)
	is.True(strings.Contains(html.UnescapeString(visit(r, "/a").Body.String()), faults[0].Text)) // in the same words
	is.Equal(visit(r, "/b").Code, 200)
	write(t, dir, "router/a.html", "<p>\n{{.Name}}")
	is.Equal(r.TemplateFaults(), nil)
	is.Equal(visit(r, "/a").Code, 200)
}

// A mistake in an example is told, and stops nothing: not the start, not the endpoint.
func TestDevTellsOfExamples(t *testing.T) {
	is := is.New(t)
	files := fstest.MapFS{"router/a.http": {Data: []byte("GET /b")}, "public/x": {}}
	dir := onDisk(t, files)
	outer, inner := flow.New(files), flow.New(fstest.MapFS{"router/c.http": {Data: []byte("GET /in/c")}})
	outer.Dev(dir)
	outer.At("a").GET().Do(hello)
	inner.At("c").GET().Do(hello)
	outer.Mount("/in", inner)
	journalOf(outer)
	is.NoErr(outer.Check())
	faults := outer.TemplateFaults()
	is.Equal(len(faults), 1)
	is.Equal(faults[0].Place(), "router/a.http:1")
	is.Equal(says(visit(outer, "/a")), "200 hello")
	is.True(strings.Contains(visit(outer, "/_flow").Body.String(), "GET /b: nothing answers it"))
	write(t, dir, "router/a.http", "GET /a\n# ?? status = 200")
	is.Equal(outer.TemplateFaults()[0].Line, 2)
	write(t, dir, "router/a.http", "GET /a\n# ?? status == 200")
	is.Equal(outer.TemplateFaults(), nil)
	is.True(!strings.Contains(visit(outer, "/_flow").Body.String(), "id=\"faults\""))
}

// TestDevShowsErrorPageThatFails also if OnError answers with a Fail.
func TestDevShowsErrorPageThatFails(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf("+error.html: {{index .Status 1}}\nindex.html: home"))
	r := flow.New(tree)
	r.Dev(onDisk(t, tree))
	r.OnError = func(*flow.Request, error) flow.Response { return flow.Fail(404, "nothing here") }
	log := journalOf(r)
	w := visit(r, "/none")
	is.Equal(w.Code, 500)
	is.True(strings.Contains(w.Body.String(), "The request failed"))
	is.True(strings.Contains(log.String(), "the error page cannot be shown"))
}

// failing is an application in development whose requests fail.
func failing(t *testing.T) (*flow.Router, string) {
	t.Helper()
	tree := fstest.MapFS{}
	for file, text := range map[string]string{
		"router/index.html": "home", "router/+error.html": "sorry {{.Status}} {{.Detail}}", "router/broken.html": "one\n{{index . 1}}\nthree", "router/fragment.http": "",
		"router/panics/[token].http": "", "router/error.http": "", "router/form.http": "", "router/again.http": "", "router/std.http": "", "public/app.css": "b{}",
	} {
		tree[file] = &fstest.MapFile{Data: []byte(text)}
	}
	dir := onDisk(t, tree)
	r := flow.New(tree)
	r.At("panics/[token]").GET().Do(func(req *flow.Request) string { return []string{}[len(req.Param("token"))] })
	r.At("error").GET().Do(func(*flow.Request) (string, error) { return "", errors.New("dial tcp: refused") })
	r.At("fragment").GET().Do(func(*flow.Request) flow.Response { return flow.View("broken", nil) })
	r.At("form").POST().Do(func(req *flow.Request) (string, error) { return "", errors.New("no " + req.Input("name")) })
	r.At("again").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		inner := q.Clone(q.Context())
		inner.URL.Path = "/"
		r.ServeHTTP(w, inner)
	}))
	r.At("std").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { io.WriteString(w, "<html>std") }))
	r.Dev(dir)
	journalOf(r)
	is.New(t).NoErr(r.Check())
	return r, dir
}

// TestDevShowsAPage with the source, the stack and the request.
func TestDevShowsAPage(t *testing.T) {
	for _, tt := range []struct {
		target string
		wants  []string
	}{
		{"/broken", []string{"GET /broken failed", "<h1>error calling index: index of untyped nil</h1>", "<code>router/broken.html:2:3</code>", `<span class="row marked" data-line="2"><span>{{<mark>index . 1</mark>}}`, "<dd><code>GET /broken</code></dd>", "<dd><code>router/broken.html</code></dd>"}},
		{"/error", []string{"GET /error failed", "<h1>dial tcp: refused</h1>", `<dd class="place"><a href="vscode://file/`, "devfaults_test.go:", "<dd><code>GET /error</code></dd>"}},
		{"/panics/s3cret?q=1&password=s3cret", []string{"GET /panics/{token} panicked", "<h1>panic: runtime error: index out of range [6] with length 0</h1>",
			"<code>devfaults_test.go:", `<span class="row marked"`, "<li><code>GET /panics/{token}</code>", "frames of Go, flow and other packages", "/panics/•••?q=1&amp;password=•••", "<dt>token</dt>"}},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			r, _ := failing(t)
			w := do(r, func() *http.Request {
				req := request("GET", tt.target)
				req.Header.Set("Accept", "text/html")
				req.Header.Set("Authorization", "Bearer s3cret")
				return req
			}())
			is.Equal(w.Code, 500)
			is.Equal(w.Header().Get("Content-Type"), devpage.ContentType)
			is.Equal(w.Header().Get("Content-Security-Policy"), devpage.Policy) // which allows the script already
			is.Equal(w.Header().Get("Vary"), "Accept")
			is.True(apptest.Script.Match(w.Body.Bytes()))
			for _, want := range tt.wants {
				is.True(strings.Contains(w.Body.String(), want))
			}
			is.True(!strings.Contains(w.Body.String(), "s3cret"))
		})
	}
}

func TestDevShowsAForm(t *testing.T) {
	is := is.New(t)
	r, _ := failing(t)
	for _, body := range []string{"name=Ada&password=s3cret", `{"name": "Ada", "password": "s3cret"}`} {
		req := request("POST", "/form", "Accept: text/html", "Content-Type: "+map[bool]string{true: jsonMedia, false: formType}[body[0] == '{'])
		req.Body = io.NopCloser(strings.NewReader(body))
		text := do(r, req).Body.String()
		is.True(strings.Contains(text, "<dt>name</dt><dd>Ada</dd>"))
		is.True(strings.Contains(text, "<dt>password</dt>"))
		is.True(!strings.Contains(text, "s3cret"))
		is.True(strings.Contains(text, "data-post"))
	}
}

// TestDevAnswersOthersAsProductionDoes: those that are not on this machine, or come through
// a proxy, or under a name that is not of this machine.
func TestDevAnswersOthersAsProductionDoes(t *testing.T) {
	others := map[string]func(*http.Request){
		"another machine": func(r *http.Request) { r.RemoteAddr = "192.0.2.1:1234" },
		"another name":    func(r *http.Request) { r.Host = "evil.example" },
		"another page":    func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"a proxy":         func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") },
	}
	for _, target := range []string{"/", "/broken", "/error", "/panics/x", "/none", "/new", "/app.css", "/gone.css", "/std", "/_flow", "/_flow/events", "/_flow/reload.js"} {
		for name, change := range others {
			t.Run(target+" "+name, func(t *testing.T) {
				is := is.New(t)
				r, dir := failing(t)
				write(t, dir, "router/new.html", "new")
				for _, accept := range []string{"text/html", "application/json", "*/*"} {
					req := request("GET", target)
					req.Header.Set("Accept", accept)
					change(req)
					w := do(r, req)
					got := w.Body.String()
					for _, never := range []string{"<script", "broken.html", "refused", "index out of range", "is new", "router/", "EventSource", "event-stream"} {
						is.True(!strings.Contains(got+w.Header().Get("Content-Type"), never))
					}
					if accept == "text/html" && w.Code >= 500 {
						is.Equal(got, "sorry 500 ") // the error page of the application
					}
				}
			})
		}
	}
}

func TestDevHidesFaultsOfTheApplicationFromOthers(t *testing.T) {
	is := is.New(t)
	r := flow.New(devTree())
	r.Dev(onDisk(t, devTree()))
	logged(r)
	is.True(!strings.Contains(do(r, remote(request("GET", "/", "Accept: text/html"))).Body.String(), "router/"))
	text := visit(r, "/").Body.String()
	is.True(strings.Contains(text, "The application has faults"))
	is.True(strings.Contains(text, "router/users/[id].html") || strings.Contains(text, "router/row.http")) // all of them
	is.True(strings.Contains(text, "router/fails.http"))
}

// TestDevWarnsOfPagesWithoutData: development warns of a page that shows data and has no handler, as
// the command check does.
func TestDevWarnsOfPagesWithoutData(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf("page.html: page"))
	dir := onDisk(t, tree)
	r := flow.New(tree)
	r.Dev(dir)
	is.NoErr(r.Check())
	_, before := r.WrongOnDisk()
	write(t, dir, "router/page.html", "\n[{{.Nope}}]")
	faults, after := r.WrongOnDisk()
	is.Equal(len(faults), 0)
	is.Equal(len(before), 0)
	is.Equal(len(after), 1)
	is.True(strings.HasPrefix(after[0].String(), "router/page.html:2: warning: {{.Nope}} asks for data, and a page without a handler has none: "))
}
