package flow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/dev/devlink"
	"example.com/flow/internal/dev/devpage"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/servertest"
)

// script is what development puts at the end of a page.
var script = regexp.MustCompile(`<script src="/_flow/reload.js"[^>]*></script>\n$`)

func devTree() fstest.MapFS {
	tree := flowtest.Pages(pagesOf(`+layout.html: [{{template "content" .}}]
		+error.html: {{.Status}} {{.Detail}}
		index.html: home {{asset "app.css"}}
		users/[id].html: user {{.}} {{template "users/+row" 1}}
		users/+row.html: row {{.}}
		row.http: 
		fails.http: `))
	tree["public/app.css"] = &fstest.MapFile{Data: []byte("body{}")}
	return tree
}

func devRouter(t *testing.T, tree fstest.MapFS, dir string) (*Router, *journal) {
	t.Helper()
	r := New(tree)
	log := journalOf(r)
	r.At("users/[id]").GET().Do(func(req *Request) Response { return Page(req.Param("id")) })
	r.At("row").GET().Do(func(*Request) Response { return View("users/+row", 1) })
	r.At("fails").GET().Do(func(req *Request) (string, error) { return "", Error(404, "none") })
	r.Dev(dir)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r, log
}

// TestDevReadsFromDisk changes one file after the other and asks after each.
func TestDevReadsFromDisk(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, log := devRouter(t, devTree(), dir)
	get := func(target string) string {
		w := visit(r, target)
		return w.Result().Status[:3] + " " + w.Body.String()
	}
	is.Equal(get("/"), "200 [home /app.css]")
	is.Equal(get("/users/7"), "200 [user 7 row 1]")
	is.Equal(get("/app.css"), "200 body{}")
	is.Equal(log.String(), "")

	write(t, dir, "router/index.html", "new home")
	is.Equal(get("/"), "200 [new home]")
	write(t, dir, "router/+layout.html", `({{template "content" .}})`)
	is.Equal(get("/"), "200 (new home)")
	write(t, dir, "router/users/+row.html", "line {{.}}")
	is.Equal(get("/users/7"), "200 (user 7 line 1)")
	write(t, dir, "router/users/+layout.html", `|{{template "content" .}}|`)
	is.Equal(get("/users/7"), "200 (|user 7 line 1|)")
	write(t, dir, "public/app.css", "p{}")
	is.Equal(get("/app.css"), "200 p{}")
	write(t, dir, "router/+error.html", "sorry {{.Status}}")
	is.Equal(get("/fails"), "404 (sorry 404)")
	is.Equal(log.String(), "") // nothing of this is worth a word
}

func TestDevShowsFaults(t *testing.T) {
	for _, tt := range []struct{ file, text, target, status, want string }{
		{"router/index.html", "\n{{if}}", "/", "500", "router/index.html:2: missing value for if"},
		{"router/index.html", "\n{{nothing}}", "/", "500", "router/index.html:2: function \"nothing\" not defined"},
		{"router/index.html", "{{route `x`}}", "/", "500", "router/index.html:1: no route is called \"x\""},
		{"router/index.html", "{{asset `x`}}", "/", "500", "router/index.html:1: no public file is called \"x\""},
		{"router/index.html", "\n\n{{index . 1}}", "/", "500", "router/index.html:3:3: executing"},
		{"router/index.html", "<a href='{{if .}}'{{end}}>", "/", "500", "router/index.html:1: {{if}} branches end in different contexts"},
		{"router/+layout.html", "no slot", "/users/1", "500", "router/+layout.html:1: the layout does not say where the page goes"},
		{"router/users/+row.html", "{{end}}", "/users/1", "500", "router/users/+row.html:1: unexpected {{end}}"},
		{"router/users/+row.html", "{{nothing}}", "/row", "500", "router/users/+row.html:1: function \"nothing\" not defined"},
		{"router/users/+row.html", "{{template `x`}}", "/row", "500", "router/users/+row.html cannot be rendered by itself: router/users/+row.html:1: no template is called \"x\""},
		{"router/users/+row.html", "{{end}}", "/", "200", "[home /app.css]"}, // another page does not mind
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
			r := New(tree)
			journalOf(r)
			r.At("index").GET().Do(func(*Request) Response { return Page(struct{ Path string }{"/"}) })
			r.Dev(dir)
			is.NoErr(r.Check())
			var terminal strings.Builder
			beginAll(routersOf(r))
			r.front.terminal = &terminal
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
	r := New(tree)
	r.At("login").GET().Do(func(*Request) Response {
		return Response{kind: kindView, more: &more{data: "x", view: &declaredView{stem: "login"}}} // that of PageOf
	})
	for name, view := range map[string]string{"a": "login", "b": "home", "c": "none", "d": "+layout"} {
		r.At(name).GET().Do(func(*Request) Response { return View(view, "x") })
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
			known := r.templateFaults()
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
			req := here(request("GET", "/"))
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

func panicWithName(*Request) string { panic("boom") }

// TestDevLogsPanics: the log has the frames that a person looks for, if the page has the others.
// A handler without a name is called by its route.
func TestDevLogsPanics(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf("users/[id].http: \nnested.http: \nnamed.http: \ntyped.http: \nstd.http: \nguarded.http: "))
	r := New(tree)
	log := journalOf(r)
	r.At("users/[id]").GET().Do(func(*Request) string { panic("boom") })
	r.At("nested").ANY().Do(func(*Request) string {
		slices.SortFunc([]int{1, 2}, func(int, int) int { panic("boom") })
		return ""
	})
	r.At("named").GET().Do(panicWithName)
	r.At("typed").GET().Do(func(*Request) (struct{}, error) { panic("boom") })
	r.At("std").GET().Do(func(http.ResponseWriter, *http.Request) { panic("boom") })
	r.At("guarded").Use(func(*Request) Response { panic("boom") })
	r.At("guarded").GET().Do(panicWithName)
	r.Dev(onDisk(t, tree))
	for _, tt := range []struct{ target, want string }{
		{"/users/7", `"at":"dev_test.go:HERE GET /users/{id}, `},
		{"/nested", `"at":"dev_test.go:HERE a function in GET /nested, dev_test.go:HERE GET /nested, `},
		{"/named", `"at":"dev_test.go:HERE flow.panicWithName, `},
		{"/typed", `"at":"dev_test.go:HERE GET /typed, `},
		{"/std", `"at":"dev_test.go:HERE GET /std, `},
		{"/guarded", `"at":"dev_test.go:HERE flow.TestDevLogsPanics.func`},
	} {
		visit(r, tt.target)
		last := regexp.MustCompile(`dev_test\.go:\d+`).ReplaceAllString(log.String()[strings.LastIndex(strings.TrimSpace(log.String()), "\n")+1:], "dev_test.go:HERE")
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
	r := New(flowtest.Pages(map[string]string{"a.html": "{{.None}}"}))
	r.At("a").GET().Do(func(*Request) Response { return Page(1) })
	log := logged(r)
	w := browse(r, "/a")
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
	w := ask(r, "/more")
	is.Equal(w.Code, 404)
	is.True(strings.Contains(w.Body.String(), "router/more.html is new on disk: it has a URL once the application is built with it and has no faults"))
	is.True(!strings.Contains(ask(r, "/other").Body.String(), "binary"))
	w = ask(r, "/")
	is.Equal(w.Code, 500)
	is.True(strings.Contains(html.UnescapeString(w.Body.String()), "router/index.html is gone"))
	is.Equal(ask(r, "/app.css").Code, 404)
	is.Equal(ask(r, "/users/1").Code, 200)
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
	w = ask(r, "/")
	is.True(strings.Contains(html.UnescapeString(w.Body.String()), "public/app.css is gone"))
}

func TestDevSaysNothingOnceAllIsAsInTheBinary(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, log := devRouter(t, devTree(), dir)
	write(t, dir, "router/more.html", "more")
	ask(r, "/none")
	before := log.String()
	is.True(before != "")
	is.NoErr(os.Remove(filepath.Join(dir, "router", "more.html")))
	w := ask(r, "/none")
	is.True(!strings.Contains(w.Body.String(), "binary"))
	is.Equal(log.String(), before)
}

func TestDevIsAFaultWithoutTheDirectory(t *testing.T) {
	is := is.New(t)
	r := New(devTree())
	r.Dev(t.TempDir())
	err := r.Check()
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "there is no directory router in it: give the directory of the Go file that embeds it"))
}

func TestDevShowsWhatCheckFinds(t *testing.T) {
	is := is.New(t)
	r := New(devTree())
	r.Dev(onDisk(t, devTree()))
	logged(r)
	w := visit(r, "/")
	is.Equal(w.Code, 500)
	is.True(strings.Contains(w.Body.String(), "router/fails.http: no handler is registered for it"))
}

// TestDevAndSymbolicLinks puts a link in place of a file or a directory of both.
func TestDevAndSymbolicLinks(t *testing.T) {
	const refused = "a symbolic link that is absolute, or leads out of the directory of Dev, is not followed"
	tree := devTree()
	for file, text := range map[string]string{
		"router/about.html": "about", "router/people/[id].html": "person",
		"public/b.css": "b{}", "public/css/x.css": "x{}", "public/other/x.css": "other{}",
	} {
		tree[file] = &fstest.MapFile{Data: []byte(text)}
	}
	outside := onDisk(t, fstest.MapFS{
		"app.css": {Data: []byte("secret")}, "x.css": {Data: []byte("secret")}, "index.html": {Data: []byte("secret")},
		"[id].html": {Data: []byte("secret")}, "users/[id].html": {Data: []byte("secret")},
	})
	for _, tt := range []struct {
		link, to string // to OUT, a directory outside
		absolute bool
		target   string
		want     string // "200 " and the text, or a part of it
	}{
		{"public/app.css", "public/b.css", false, "/app.css", "200 b{}"},
		{"public/app.css", "public/b.css", true, "/app.css", "404 public/app.css cannot be read from disk: " + refused},
		{"public/app.css", "OUT/app.css", false, "/app.css", "404 public/app.css cannot be read from disk: " + refused},
		{"public/app.css", "OUT/app.css", true, "/app.css", "404 public/app.css cannot be read from disk: " + refused},
		{"public/app.css", "public/none", false, "/app.css", "404 public/app.css cannot be read from disk: "},
		{"public/css", "public/other", false, "/css/x.css", "200 other{}"},
		{"public/css", "OUT", false, "/css/x.css", "404 public/css/x.css cannot be read from disk: " + refused},
		{"public", "OUT", false, "/app.css", "404 public/app.css cannot be read from disk: " + refused},
		// Of templates, go:embed and development take none.
		{"router/index.html", "router/about.html", false, "/", "500 router/index.html: go:embed takes regular files only"},
		{"router/index.html", "OUT/index.html", false, "/", "500 router/index.html: " + refused},
		{"router/users", "router/people", false, "/users/7", "500 router/users: go:embed takes regular files only"},
		{"router/users", "OUT/users", false, "/users/7", "500 router/users/[id].html: " + refused},
		{"router/users/+row.html", "OUT/index.html", false, "/row", "500 router/users/+row.html: go:embed takes regular files only"},
		{"router", "OUT", false, "/users/7", "500 router: cannot be read: open router: " + refused},
	} {
		t.Run(fmt.Sprint(tt.link, " to ", tt.to, " ", tt.absolute), func(t *testing.T) {
			is := is.New(t)
			dir := onDisk(t, tree)
			r, _ := devRouter(t, tree, dir)
			is.True(ask(r, tt.target).Code == 200) // before
			link := filepath.Join(dir, filepath.FromSlash(tt.link))
			to := filepath.Join(dir, filepath.FromSlash(tt.to))
			if below, ok := strings.CutPrefix(tt.to, "OUT"); ok {
				to = outside + filepath.FromSlash(below)
			}
			if !tt.absolute {
				var err error
				to, err = filepath.Rel(filepath.Dir(link), to)
				is.NoErr(err)
			}
			is.NoErr(os.RemoveAll(link))
			if err := os.Symlink(to, link); err != nil {
				t.Skip(err)
			}
			w := visit(r, tt.target)
			status, text, _ := strings.Cut(tt.want, " ")
			is.Equal(w.Result().Status[:3], status)
			got := html.UnescapeString(w.Body.String())
			is.True(strings.Contains(got, text)) // it says so
			is.True(!strings.Contains(got, "secret"))
		})
	}
}

func TestDevIsAFaultBehindALink(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(onDisk(t, devTree()), "router"), filepath.Join(dir, "router")); err != nil {
		t.Skip(err)
	}
	r := New(devTree())
	r.Dev(dir)
	err := r.Check()
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "router: a symbolic link that is absolute, or leads out of the directory of Dev, is not followed"))
}

// TestDevInADirectoryThatIsMadeAnew, as git makes one when it checks another commit out.
func TestDevInADirectoryThatIsMadeAnew(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	is.Equal(says(ask(r, "/app.css")), "200 body{}")
	is.NoErr(os.Rename(dir, dir+" of before"))
	is.Equal(ask(r, "/app.css").Code, 404)
	is.Equal(ask(r, "/").Code, 500)
	is.NoErr(os.CopyFS(dir, devTree()))
	write(t, dir, "public/app.css", "new{}")
	write(t, dir, "router/index.html", "new")
	is.Equal(says(ask(r, "/app.css")), "200 new{}")
	is.Equal(says(ask(r, "/")), "200 [new]")
}

func TestDevServesPublicFilesWithoutKeepingThem(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	write(t, dir, "public/app.css.gz", "an old one")
	req := httptest.NewRequest("GET", "/app.css", nil)
	req.Header.Set("Accept-Encoding", "gzip")
	w := do(r, req)
	is.Equal(w.Body.String(), "body{}")
	is.Equal(w.Header().Get("Cache-Control"), "no-store")
	is.Equal(w.Header().Get("Content-Type"), "text/css; charset=utf-8")
	is.Equal(w.Header().Get("X-Content-Type-Options"), "nosniff")
	req.Header.Set("Range", "bytes=1-2")
	is.Equal(do(r, req).Code, 206)
	w = serve(r, "GET", "/app.aaaaaaaaaaaaaaaa.css") // of a page that the binary without -dev has sent
	is.Equal(says(w), "200 body{}")
	is.Equal(w.Header().Get("Cache-Control"), "no-store")
}

// TestDevFaultsOfOtherPages do not turn a 404 into a 500.
func TestDevFaultsOfOtherPages(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf("a.html: A\nb.html: B"))
	dir := onDisk(t, tree)
	r := New(tree)
	r.Dev(dir)
	is.NoErr(r.Check())
	write(t, dir, "router/b.html", "{{if}}")
	is.Equal(visit(r, "/none").Code, 404)
	is.Equal(says(ask(r, "/a")), "200 A")
}

// TestDevWhileFilesChange is for the race detector.
func TestDevWhileFilesChange(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 10 {
				if i == 0 {
					write(t, dir, "router/index.html", strings.Repeat("x", rand.IntN(9)))
					continue
				}
				w := ask(r, []string{"/", "/users/7", "/none", "/app.css"}[i%4])
				is.True(w.Code < 500)
			}
		})
	}
	all.Wait()
}

// TestDevServesNewPublicFiles that the binary lacks, by the rules of a build.
func TestDevServesNewPublicFiles(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf(`index.html: home
		docs/[page].html: a page of the docs
		taken.css.html: the route`))
	tree["router/only.css.http"] = &fstest.MapFile{}
	tree["public/app.css"] = &fstest.MapFile{Data: []byte("body{}")}
	dir := onDisk(t, tree)
	r := New(tree)
	log := journalOf(r)
	r.At("only.css").POST().Do(hello)
	r.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Standard", "yes")
			next.ServeHTTP(w, r)
		})
	}, func(*Request) Response { return Next().Header("X-Guard", "yes") })
	r.Dev(dir)
	is.NoErr(r.Check())
	is.Equal(ask(r, "/css/new.css").Code, 404)
	_, err := r.Asset("css/new.css")
	is.True(err != nil)

	for _, file := range []string{"css/new.css", "docs/new.css", "taken.css", "only.css", ".hidden.css", ".git/new.css", ".well-known/new.css", "a b%2f.css"} {
		write(t, dir, "public/"+file, "new{}")
	}
	for _, tt := range []struct {
		method, target, want string // "200 " and the text
	}{
		{"GET", "/css/new.css", "200 new{}"},
		{"HEAD", "/css/new.css", "200 "},
		{"POST", "/css/new.css", "404 "},
		{"GET", "/css/../css/new.css", "404 "}, // which says the right spelling
		{"GET", "/css%2fnew.css", "404 "},
		{"GET", "/css", "404 "},               // a directory
		{"GET", "/docs/new.css", "200 new{}"}, // literal text goes before a parameter
		{"GET", "/docs/new", "200 a page of the docs"},
		{"GET", "/taken.css", "200 the route"}, // a build would refuse it
		{"GET", "/only.css", "200 new{}"},
		{"POST", "/only.css", "200 hello"},
		{"GET", "/.hidden.css", "404 "},
		{"GET", "/.git/new.css", "404 "},
		{"GET", "/.well-known/new.css", "200 new{}"},
		{"GET", "/a%20b%252f.css", "200 new{}"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			for _, req := range []*http.Request{here(request(tt.method, tt.target)), request(tt.method, tt.target)} {
				w := do(r, req)
				status, text, _ := strings.Cut(tt.want, " ")
				is.Equal(w.Result().Status[:3], status)
				if status != "200" {
					continue
				}
				is.Equal(w.Body.String(), text)
				if text == "new{}" {
					is.Equal(w.Header().Get("Cache-Control"), "no-store")
					is.Equal(w.Header().Get("Content-Type"), "text/css; charset=utf-8")
					is.Equal(w.Header().Get("X-Content-Type-Options"), "nosniff")
					is.Equal(w.Header().Get("X-Standard"), "yes")
					is.Equal(w.Header().Get("X-Guard"), "")                                                    // public files have no guards
					is.True(req.Pattern == "GET "+req.URL.EscapedPath() || req.RemoteAddr == "127.0.0.1:1234") // where a copy has it
				}
			}
		})
	}

	u, err := r.Asset("css/new.css")
	is.NoErr(err)
	is.Equal(u, "/css/new.css")
	write(t, dir, "router/index.html", `{{asset "css/new.css"}}`)
	is.Equal(says(ask(r, "/")), "200 /css/new.css")
	is.True(!strings.Contains(log.String(), "new.css")) // it waits for nothing

	is.NoErr(os.RemoveAll(filepath.Join(dir, "public", "css")))
	is.Equal(ask(r, "/css/new.css").Code, 404)
	w := visit(r, "/")
	is.Equal(w.Code, 500)
	is.True(strings.Contains(html.UnescapeString(w.Body.String()), `no public file is called "css/new.css"`))
}

// TestDevNewPublicFilesAndSymbolicLinks: no link is embedded, so none is served.
func TestDevNewPublicFilesAndSymbolicLinks(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	outside := onDisk(t, fstest.MapFS{"secret.css": {Data: []byte("secret")}})
	if err := os.Symlink(filepath.Join(outside, "secret.css"), filepath.Join(dir, "public", "far.css")); err != nil {
		t.Skip(err)
	}
	is.NoErr(os.Symlink(outside, filepath.Join(dir, "public", "far")))
	is.NoErr(os.Symlink("app.css", filepath.Join(dir, "public", "near.css")))
	for _, target := range []string{"/far.css", "/far/secret.css", "/near.css"} {
		w := ask(r, target)
		is.Equal(w.Code, 404)
		is.True(!strings.Contains(w.Body.String(), "secret"))
	}
}

// TestDevNewPublicFilesOfMountedRouters are below the prefix, whose parameters they know.
func TestDevNewPublicFilesOfMountedRouters(t *testing.T) {
	is := is.New(t)
	outer, inner := flowtest.Pages(pagesOf("orgs/[org]/[page].html: outer")), flowtest.Pages(pagesOf("index.html: {{asset `new.css`}}\nsettings.html: S"))
	inner["public/new.css"] = &fstest.MapFile{Data: []byte("built{}")}
	dir := onDisk(t, inner)
	delete(inner, "public/new.css")
	in := New(inner)
	in.Dev(dir)
	out := New(outer)
	journalOf(out)
	journalOf(in)
	out.Mount("/orgs/[org]/shop", in)
	is.NoErr(out.Check())
	is.Equal(says(ask(out, "/orgs/acme/shop")), "200 /orgs/acme/shop/new.css")
	is.Equal(says(ask(out, "/orgs/acme/shop/new.css")), "200 built{}")
	is.Equal(ask(out, "/orgs/acme/new.css").Body.String(), "outer")
	is.Equal(ask(out, "/new.css").Code, 404)
	w := ask(out, "/orgs/acme/shop/setings")
	is.Equal(w.Code, 404)
	is.True(strings.Contains(w.Body.String(), "did you mean /orgs/acme/shop/settings (router/settings.html)?"))
}

// TestDevSaysWhatIsNearest to clients on this machine; others get what production says.
func TestDevSaysWhatIsNearest(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	write(t, dir, "public/new.css", "")
	write(t, dir, "router/more.html", "more")
	for target, want := range map[string]string{
		"/user/7":         "did you mean /users/7 (router/users/[id].html)?",
		"/public/app.css": "did you mean /app.css (public/app.css)?",
		"/nwe.css":        "did you mean /new.css (public/new.css)?",
		"/index.html":     "did you mean / (router/index.html)?",
		"/more":           "router/more.html is new on disk: it has a URL once the application is built with it and has no faults",
		"/quite-another":  "",
	} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			w := visit(r, target)
			is.Equal(w.Code, 404)
			is.Equal(html.UnescapeString(w.Body.String()), "[404 "+want+"]")
			is.True(strings.Contains(ask(r, target).Body.String(), want))
			is.Equal(browse(r, target).Body.String(), "[404 ]")
			forwarded := here(request("GET", target))
			forwarded.Header.Set("X-Forwarded-For", "192.0.2.1")
			is.True(!strings.Contains(do(r, forwarded).Body.String(), "router/"))
		})
	}
	is.True(!strings.Contains(visit(r, "/fails").Body.String(), "mean")) // its handler says 404
}

// TestDevAfterEachSave saves a page in the ways that editors and tools do, and asks right after.
func TestDevAfterEachSave(t *testing.T) {
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	path := func(name string) string { return filepath.Join(dir, "router", filepath.FromSlash(name)) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour)
	must(os.Chtimes(path("index.html"), long, long))
	same := func(name, text string) { // of the same size and time as what was there
		t.Helper()
		write(t, dir, "router/"+name, text)
		must(os.Chtimes(path(name), long, long))
	}
	for _, tt := range []struct {
		name   string
		save   func()
		target string
		want   string
	}{
		{"in place", func() { same("index.html", "one") }, "/", "200 [one]"},
		{"again", func() { same("index.html", "two") }, "/", "200 [two]"},
		{"a file renamed over it", func() { same("next", "six"); must(os.Rename(path("next"), path("index.html"))) }, "/", "200 [six]"},
		{"renamed, and written anew", func() { must(os.Rename(path("index.html"), path("index.html~"))); same("index.html", "ten") }, "/", "200 [ten]"},
		{"the one before comes back", func() { must(os.Rename(path("index.html~"), path("index.html"))) }, "/", "200 [six]"},
		{"deleted", func() { must(os.Remove(path("index.html"))) }, "/", "500 "},
		{"back", func() { same("index.html", "two") }, "/", "200 [two]"},
		{"a layout of a directory", func() { same("users/+layout.html", `({{template "content" .}})`) }, "/users/7", "200 [(user 7 row 1)]"},
		{"its directory moves away", func() { must(os.Rename(path("users"), path("people"))) }, "/users/7", "500 "},
		{"and back", func() { must(os.Rename(path("people"), path("users"))) }, "/users/7", "200 [(user 7 row 1)]"},
		{"without its partial", func() { must(os.Rename(path("users/+row.html"), path("users/+old.html"))) }, "/users/7", "500 "},
		{"with it in a group", func() {
			must(os.Mkdir(path("users/(parts)"), 0o777))
			must(os.Rename(path("users/+old.html"), path("users/(parts)/+row.html")))
		}, "/users/7", "200 [(user 7 row 1)]"},
		{"a second one of the name, in the directory itself", func() { same("users/+row.html", "own") }, "/users/7", "200 [(user 7 own)]"},
		{"without the outermost layout", func() { must(os.Remove(path("+layout.html"))) }, "/users/7", "200 (user 7 own)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tt.save()
			w := visit(r, tt.target)
			got := w.Result().Status[:3] + " " + w.Body.String()
			is.True(got == tt.want || tt.want == "500 " && strings.HasPrefix(got, tt.want))
		})
	}
}

// TestFaultsOfMountedRoutersInDevelopment are told with those of the Router around them.
func TestFaultsOfMountedRoutersInDevelopment(t *testing.T) {
	is := is.New(t)
	inner := New(flowtest.Pages(pagesOf("a.html: {{none}}")))
	inner.Dev(onDisk(t, flowtest.Pages(pagesOf("a.html: {{none}}"))))
	r := New(flowtest.Pages(pagesOf("b.http: ")))
	r.Mount("/in", inner)
	err := r.Check()
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), `router/b.http: no handler is registered for it`))
	is.True(strings.Contains(err.Error(), `Mount("/in"): router/a.html:1: function "none" not defined: did you mean "nonce"?`))
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
		{"router/index.html", `<img src="/new.png">`, `router/index.html:1:11: src of <img>: nothing answers /new.png: if something else does, begin it with an action: {{"/new.png"}}`},
		{"public/new.png", "served without a build", ""},
	} {
		t.Run(tt.file+" "+tt.text, func(t *testing.T) {
			is := is.New(t)
			write(t, dir, tt.file, tt.text)
			said := ""
			for _, f := range r.templateFaults() {
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
	is.Equal(len(r.templateFaults()), 1)
}

// TestDevShowsErrorPageThatFails also if OnError answers with a Fail.
func TestDevShowsErrorPageThatFails(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf("+error.html: {{index .Status 1}}\nindex.html: home"))
	r := New(tree)
	r.Dev(onDisk(t, tree))
	r.OnError = func(*Request, error) Response { return Fail(404, "nothing here") }
	log := journalOf(r)
	w := visit(r, "/none")
	is.Equal(w.Code, 500)
	is.True(strings.Contains(w.Body.String(), "The request failed"))
	is.True(strings.Contains(log.String(), "the error page cannot be shown"))
}

// failing is an application in development whose requests fail.
func failing(t *testing.T) (*Router, string) {
	t.Helper()
	tree := fstest.MapFS{}
	for file, text := range map[string]string{
		"router/index.html": "home", "router/+error.html": "sorry {{.Status}} {{.Detail}}", "router/broken.html": "one\n{{index . 1}}\nthree", "router/fragment.http": "",
		"router/panics/[token].http": "", "router/error.http": "", "router/form.http": "", "router/again.http": "", "router/std.http": "", "public/app.css": "b{}",
	} {
		tree[file] = &fstest.MapFile{Data: []byte(text)}
	}
	dir := onDisk(t, tree)
	r := New(tree)
	r.At("panics/[token]").GET().Do(func(req *Request) string { return []string{}[len(req.Param("token"))] })
	r.At("error").GET().Do(func(*Request) (string, error) { return "", errors.New("dial tcp: refused") })
	r.At("fragment").GET().Do(func(*Request) Response { return View("broken", nil) })
	r.At("form").POST().Do(func(req *Request) (string, error) { return "", errors.New("no " + req.Input("name")) })
	r.At("again").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		inner := q.Clone(q.Context())
		inner.URL.Path = "/"
		r.ServeHTTP(w, inner)
	}))
	r.At("std").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { io.WriteString(w, "<html>std") }))
	r.Dev(dir)
	journalOf(r)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r, dir
}

// TestDevShowsAPage with the source, the stack and the request.
func TestDevShowsAPage(t *testing.T) {
	for _, tt := range []struct {
		target string
		wants  []string
	}{
		{"/broken", []string{"GET /broken failed", "<h1>error calling index: index of untyped nil</h1>", "<code>router/broken.html:2:3</code>", `<span class="row marked" data-line="2"><span>{{<mark>index . 1</mark>}}`, "<dd><code>GET /broken</code></dd>", "<dd><code>router/broken.html</code></dd>"}},
		{"/error", []string{"GET /error failed", "<h1>dial tcp: refused</h1>", `<dd class="place"><a href="vscode://file/`, "dev_test.go:", "<dd><code>GET /error</code></dd>"}},
		{"/panics/s3cret?q=1&password=s3cret", []string{"GET /panics/{token} panicked", "<h1>panic: runtime error: index out of range [6] with length 0</h1>",
			"<code>dev_test.go:", `<span class="row marked"`, "<li><code>GET /panics/{token}</code>", "frames of Go, flow and other packages", "/panics/•••?q=1&amp;password=•••", "<dt>token</dt>"}},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			r, _ := failing(t)
			w := do(r, func() *http.Request {
				req := here(request("GET", tt.target))
				req.Header.Set("Accept", "text/html")
				req.Header.Set("Authorization", "Bearer s3cret")
				return req
			}())
			is.Equal(w.Code, 500)
			is.Equal(w.Header().Get("Content-Type"), devpage.ContentType)
			is.Equal(w.Header().Get("Content-Security-Policy"), devpage.Policy) // which allows the script already
			is.Equal(w.Header().Get("Vary"), "Accept")
			is.True(script.Match(w.Body.Bytes()))
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
		req := here(httptest.NewRequest("POST", "/form", strings.NewReader(body)))
		req.Header.Set("Content-Type", map[bool]string{true: "application/json", false: "application/x-www-form-urlencoded"}[body[0] == '{'])
		req.Header.Set("Accept", "text/html")
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
					req := here(request("GET", target))
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
	r := New(devTree())
	r.Dev(onDisk(t, devTree()))
	logged(r)
	is.True(!strings.Contains(browse(r, "/").Body.String(), "router/"))
	text := visit(r, "/").Body.String()
	is.True(strings.Contains(text, "The application has faults"))
	is.True(strings.Contains(text, "router/users/[id].html") || strings.Contains(text, "router/row.http")) // all of them
	is.True(strings.Contains(text, "router/fails.http"))
}

// TestDevAddsToPagesOnly compares the answers to a local request that is no navigation
// with those to one of another machine.
func TestDevAddsToPagesOnly(t *testing.T) {
	for _, target := range []string{"/", "/app.css", "/none", "/std", "/again"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			r, _ := failing(t)
			local, other := ask(r, target), serve(r, "GET", target)
			is.Equal(local.Code, other.Code)
			is.Equal(local.Body.String(), other.Body.String())
			is.Equal(local.Header(), other.Header())
		})
	}
	is := is.New(t)
	r, _ := failing(t)
	for _, target := range []string{"/", "/none", "/std", "/again"} {
		req := here(request("GET", target))
		req.Header.Set("Sec-Fetch-Dest", "document")
		req.Header.Set("Accept", "text/html")
		is.Equal(strings.Count(do(r, req).Body.String(), "<script"), 1) // a handler that has the Router answer, too
	}
}

// TestProductionHasNoFront and keeps its table at hand.
func TestProductionHasNoFront(t *testing.T) {
	is := is.New(t)
	r := New(fstest.MapFS{"router/index.html": {Data: []byte("home")}})
	is.Equal(visit(r, "/").Body.String(), "home")
	is.True(r.front == nil && r.serving.Load() != nil)
	is.Equal(ask(r, "/_flow").Code, 404)
}

// TestDevTellsOpenPages of a fault in the answer to a script.
func TestDevTellsOpenPages(t *testing.T) {
	is := is.New(t)
	r, dir := failing(t)
	s := httptest.NewServer(r)
	defer s.Close()
	resp, err := http.Get(s.URL + "/_flow/events")
	is.NoErr(err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	is.True(strings.Contains(next(), `"excerpts":null`))
	_, err = http.Get(s.URL + "/fragment")
	is.NoErr(err)
	event := next()
	is.True(strings.Contains(event, `"file":"router/broken.html","line":2`))
	is.True(strings.Contains(event, `"headline":"error calling index: index of untyped nil"`))
	is.True(strings.Contains(event, `{"number":2,"pieces":[{"text":"{{"},{"text":"index . 1","wrong":true},{"text":"}}"}],"marked":true}`))
	write(t, dir, "router/broken.html", "mended")
	is.True(strings.Contains(next(), `"excerpts":null`))
}

// TestStartedByTool runs the command serve as "flow dev" does.
func TestStartedByTool(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	for _, tt := range []struct {
		name, file string
		fault      string
	}{
		{"ready", "index.html", ""},
		{"with a fault", "{id}.html", "router/{id}.html"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			l, err := devlink.Listen(servertest.SocketFile(t))
			is.NoErr(err)
			defer l.Close()
			t.Setenv(devlink.Variable, l.Path)
			dir := onDisk(t, flowtest.Pages(map[string]string{tt.file: "hello"}))
			var stderr servertest.Log
			code := make(chan int, 1)
			go func() {
				args := []string{"app", "serve", "-addr", "127.0.0.1:0", "-dev=" + dir}
				r := New(flowtest.Pages(map[string]string{tt.file: "hello"}))
				code <- runProcess(t.Context(), built(r), command.Process{Args: args, Getenv: os.Getenv, Stdout: io.Discard, Stderr: &stderr})
			}()
			tool, err := l.Accept()
			is.NoErr(err)
			defer tool.Close()
			m, err := tool.Receive()
			is.NoErr(err)
			if tt.fault != "" {
				is.Equal(len(m.Faults), 1)
				is.True(strings.HasSuffix(m.Faults[0].File, tt.fault))
				is.Equal(servertest.Within(t, "it ends", code), command.Failure)
				is.Equal(stderr.String(), "") // the tool says it
				return
			}
			is.True(m.Ready)
			is.Equal(m.Dirs, []string{dir})
			resp, err := http.Get(m.URL)
			is.NoErr(err)
			is.Equal(servertest.SumUp(t, resp), "200 hello")
			for _, step := range []struct{ text, want string }{
				{"", ""}, // at the start
				{"hello {{end}}", "router/index.html:1: unexpected {{end}}"},
				{"hello", ""},
			} {
				if step.text != "" {
					write(t, dir, "router/index.html", step.text)
					is.NoErr(tool.Send(devlink.Message{Changed: true}))
				}
				m, err := tool.Receive()
				is.NoErr(err)
				is.True(m.Faults != nil) // also if there are none
				said := ""
				for _, f := range m.Faults {
					said += f.String()
				}
				is.True(strings.HasSuffix(said, step.want) && (said == "") == (step.want == ""))
			}
			is.NoErr(tool.Send(devlink.Message{Warnings: []devpage.Fault{{Text: "x < y", File: "app/a.go", Line: 3}}}))
			for shown := ""; !strings.Contains(shown, `<code>app/a.go:3</code> x &lt; y`); time.Sleep(5 * time.Millisecond) {
				resp, err := http.Get(m.URL + "/_flow") // until the message is there
				is.NoErr(err)
				shown = servertest.SumUp(t, resp)
			}
			tool.Close() // as if the tool was killed
			is.Equal(servertest.Within(t, "it stops", code), command.OK)
			is.Equal(stderr.String(), "") // nothing of what is ordinary
		})
	}
}

// TestToolHearsThatNoneIsAccepted: an application that stops ends the link when it accepts
// no more connections, and not only when its last request is answered.
func TestToolHearsThatNoneIsAccepted(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	is := is.New(t)
	l, err := devlink.Listen(servertest.SocketFile(t))
	is.NoErr(err)
	defer l.Close()
	t.Setenv(devlink.Variable, l.Path)
	files := flowtest.Pages(map[string]string{"slow.http": ""})
	dir := onDisk(t, files)
	r := New(files)
	begun, goOn := make(chan bool), make(chan bool)
	r.At("slow").GET().Do(func(*Request) string {
		begun <- true
		<-goOn
		return "slow"
	})
	ctx, stop := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		args := []string{"app", "serve", "-addr", "127.0.0.1:0", "-dev=" + dir}
		code <- runProcess(ctx, built(r), command.Process{Args: args, Getenv: os.Getenv, Stdout: io.Discard, Stderr: io.Discard})
	}()
	tool, err := l.Accept()
	is.NoErr(err)
	defer tool.Close()
	ready, err := tool.Receive()
	is.NoErr(err)
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Get(ready.URL + "/slow")
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- servertest.SumUp(t, resp)
	}()
	servertest.Within(t, "the request begins", begun)
	stop()
	over := make(chan bool)
	go func() {
		for err == nil {
			_, err = tool.Receive()
		}
		close(over)
	}()
	servertest.Within(t, "the link is over", over)
	_, err = net.Dial("tcp", strings.TrimPrefix(ready.URL, "http://"))
	is.True(err != nil)
	close(goOn)
	is.Equal(servertest.Within(t, "the request ends", answer), "200 slow close")
	is.Equal(servertest.Within(t, "it stops", code), command.OK)
}

// TestDevListensOnLocalhost, also if the program calls Dev by itself.
func TestDevListensOnLocalhost(t *testing.T) {
	dir := onDisk(t, flowtest.Pages(map[string]string{"index.html": "on disk"}))
	for _, tt := range []struct {
		name, arg string
		dev       bool
		local     bool
	}{
		{"the flag", "-dev=" + dir, false, true},
		{"Router.Dev", "-log=json", true, true},
		{"neither", "-log=json", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(map[string]string{"index.html": "embedded"}))
			if tt.dev {
				r.Dev(dir)
			}
			log := journalOf(r)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			defer slog.SetDefault(slog.Default())
			code := make(chan int, 1)
			go func() {
				getenv := func(string) string { return "0" } // PORT
				code <- runProcess(ctx, built(r), command.Process{Args: []string{"app", "-drain=0", tt.arg}, Getenv: getenv, Stdout: io.Discard, Stderr: io.Discard})
			}()
			servertest.Until(t, "it serves, or fails", func() bool { return log.String() != "" || len(code) > 0 })
			printed, err := url.Parse(records(t, log)[0]["url"].(string))
			is.NoErr(err)
			// Of a server on every interface, the log says localhost, which is no IP address.
			is.Equal(net.ParseIP(printed.Hostname()).IsLoopback(), tt.local)
			for _, host := range []string{printed.Hostname(), "localhost", "127.0.0.1"} {
				resp, err := http.Get("http://" + net.JoinHostPort(host, printed.Port()))
				is.NoErr(err)
				resp.Body.Close()
				is.Equal(resp.StatusCode, 200)
			}
			stop()
			is.Equal(servertest.Within(t, "it stops", code), command.OK)
		})
	}
}

// TestDevOfMountedRouters: -dev is for all of an application.
func TestDevOfMountedRouters(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, fstest.MapFS{"router/a.html": {Data: []byte("on disk")}})
	made := func(source string) *Router {
		r := New(flowtest.Files("router/a.html"))
		r.app = applicationOf(fault.Position{File: filepath.ToSlash(filepath.Join(source, "app.go"))})
		return r
	}
	outer, inner, gone := made(dir), made(dir), made(filepath.Join(dir, "gone"))
	outer.Mount("/in", inner)
	inner.Mount("/gone", gone)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	is.Equal(runWith(ctx, outer, nil, "-dev -addr 127.0.0.1:0 -drain 0s").code, 0)
	is.Equal(says(serve(outer, "GET", "/a")), "200 on disk")
	is.Equal(says(serve(outer, "GET", "/in/a")), "200 on disk")
	is.Equal(says(serve(outer, "GET", "/in/gone/a")), "200 ") // as it was built
}

// TestDevChecksTypes of pages: a wrong field is told with the templates on disk, its page
// shows it, and the others are as they were.
func TestDevChecksTypes(t *testing.T) {
	is := is.New(t)
	tree := fstest.MapFS{"router/a.html": {Data: []byte("{{.Name}}")}, "router/b.html": {Data: []byte("b {{.Name}}")}}
	dir := onDisk(t, tree)
	r := New(tree)
	r.Dev(dir)
	logged(r)
	for _, path := range []string{"a", "b"} {
		r.At(path).GET().Do(func(*Request) (struct{ Name string }, error) { return struct{ Name string }{"Ada"}, nil })
	}
	is.NoErr(r.Check())
	is.Equal(r.templateFaults(), nil)
	is.Equal(visit(r, "/b").Code, 200)
	write(t, dir, "router/a.html", "<p>\n{{.Nmae}}")
	faults := r.templateFaults()
	is.Equal(len(faults), 1)
	is.True(strings.Contains(faults[0].Text, `has no field or method Nmae: did you mean "Name"?`))
	is.Equal(faults[0].Line, 2)
	is.True(strings.Contains(html.UnescapeString(visit(r, "/a").Body.String()), faults[0].Text)) // in the same words
	is.Equal(visit(r, "/b").Code, 200)
	write(t, dir, "router/a.html", "<p>\n{{.Name}}")
	is.Equal(r.templateFaults(), nil)
	is.Equal(visit(r, "/a").Code, 200)
}

// A mistake in an example is told, and stops nothing: not the start, not the endpoint.
func TestDevTellsOfExamples(t *testing.T) {
	is := is.New(t)
	files := fstest.MapFS{"router/a.http": {Data: []byte("GET /b")}, "public/x": {}}
	dir := onDisk(t, files)
	outer, inner := New(files), New(fstest.MapFS{"router/c.http": {Data: []byte("GET /in/c")}})
	outer.Dev(dir)
	outer.At("a").GET().Do(hello)
	inner.At("c").GET().Do(hello)
	outer.Mount("/in", inner)
	journalOf(outer)
	is.NoErr(outer.Check())
	faults := outer.templateFaults()
	is.Equal(len(faults), 1)
	is.Equal(faults[0].Place(), "router/a.http:1")
	is.Equal(says(visit(outer, "/a")), "200 hello")
	is.True(strings.Contains(visit(outer, "/_flow").Body.String(), "GET /b: nothing answers it"))
	write(t, dir, "router/a.http", "GET /a\n# ?? status = 200")
	is.Equal(outer.templateFaults()[0].Line, 2)
	write(t, dir, "router/a.http", "GET /a\n# ?? status == 200")
	is.Equal(outer.templateFaults(), nil)
	is.True(!strings.Contains(visit(outer, "/_flow").Body.String(), "id=\"faults\""))
}
