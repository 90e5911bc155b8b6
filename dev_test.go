package flow_test

import (
	"context"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

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

func devRouter(t *testing.T, tree fstest.MapFS, dir string) (*flow.Router, *journal) {
	t.Helper()
	r := flow.New(tree)
	log := journalOf(r)
	r.At("users/[id]").GET().Do(func(req *flow.Request) flow.Response { return flow.Page(req.Param("id")) })
	r.At("row").GET().Do(func(*flow.Request) flow.Response { return flow.View("users/+row", 1) })
	r.At("fails").GET().Do(func(req *flow.Request) (string, error) { return "", flow.Error(404, "none") })
	r.Dev(dir)
	is.New(t).NoErr(r.Check())
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
			is.True(serve(r, "GET", tt.target).Code == 200) // before
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
			flowtest.Symlink(t, to, link)
			w := visit(r, tt.target)
			status, text, _ := strings.Cut(tt.want, " ")
			is.Equal(w.Result().Status[:3], status)
			got := html.UnescapeString(w.Body.String())
			is.True(strings.Contains(got, text)) // it says so
			is.True(!strings.Contains(got, "secret"))
		})
	}
}

// TestDevInADirectoryThatIsMadeAnew, as git makes one when it checks another commit out.
func TestDevInADirectoryThatIsMadeAnew(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	is.Equal(says(serve(r, "GET", "/app.css")), "200 body{}")
	is.NoErr(os.Rename(dir, dir+" of before"))
	is.Equal(serve(r, "GET", "/app.css").Code, 404)
	is.Equal(serve(r, "GET", "/").Code, 500)
	is.NoErr(os.CopyFS(dir, devTree()))
	write(t, dir, "public/app.css", "new{}")
	write(t, dir, "router/index.html", "new")
	is.Equal(says(serve(r, "GET", "/app.css")), "200 new{}")
	is.Equal(says(serve(r, "GET", "/")), "200 [new]")
}

func TestDevServesPublicFilesWithoutKeepingThem(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, devTree())
	r, _ := devRouter(t, devTree(), dir)
	write(t, dir, "public/app.css.gz", "an old one")
	w := serve(r, "GET", "/app.css", "Accept-Encoding: gzip")
	is.Equal(w.Body.String(), "body{}")
	is.Equal(w.Header().Get("Cache-Control"), "no-store")
	is.Equal(w.Header().Get("Content-Type"), "text/css; charset=utf-8")
	is.Equal(w.Header().Get("X-Content-Type-Options"), "nosniff")
	is.Equal(serve(r, "GET", "/app.css", "Range: bytes=1-2").Code, 206)
	w = serve(r, "GET", "/app.aaaaaaaaaaaaaaaa.css") // of a page that the binary without -dev has sent
	is.Equal(says(w), "200 body{}")
	is.Equal(w.Header().Get("Cache-Control"), "no-store")
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
				w := serve(r, "GET", []string{"/", "/users/7", "/none", "/app.css"}[i%4])
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
	r := flow.New(tree)
	log := journalOf(r)
	r.At("only.css").POST().Do(hello)
	r.Use(sets("X-Standard", "yes"), func(*flow.Request) flow.Response { return flow.Next().Header("X-Guard", "yes") })
	r.Dev(dir)
	is.NoErr(r.Check())
	is.Equal(serve(r, "GET", "/css/new.css").Code, 404)
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
			for _, req := range []*http.Request{request(tt.method, tt.target), request(tt.method, tt.target)} {
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
	is.Equal(says(serve(r, "GET", "/")), "200 /css/new.css")
	is.True(!strings.Contains(log.String(), "new.css")) // it waits for nothing

	is.NoErr(os.RemoveAll(filepath.Join(dir, "public", "css")))
	is.Equal(serve(r, "GET", "/css/new.css").Code, 404)
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
	flowtest.Symlink(t, filepath.Join(outside, "secret.css"), filepath.Join(dir, "public", "far.css"))
	flowtest.Symlink(t, outside, filepath.Join(dir, "public", "far"))
	flowtest.Symlink(t, "app.css", filepath.Join(dir, "public", "near.css"))
	for _, target := range []string{"/far.css", "/far/secret.css", "/near.css"} {
		w := serve(r, "GET", target)
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
	in := flow.New(inner)
	in.Dev(dir)
	out := flow.New(outer)
	journalOf(out)
	journalOf(in)
	out.Mount("/orgs/[org]/shop", in)
	is.NoErr(out.Check())
	is.Equal(says(serve(out, "GET", "/orgs/acme/shop")), "200 /orgs/acme/shop/new.css")
	is.Equal(says(serve(out, "GET", "/orgs/acme/shop/new.css")), "200 built{}")
	is.Equal(serve(out, "GET", "/orgs/acme/new.css").Body.String(), "outer")
	is.Equal(serve(out, "GET", "/new.css").Code, 404)
	w := serve(out, "GET", "/orgs/acme/shop/setings")
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
			is.True(strings.Contains(serve(r, "GET", target).Body.String(), want))
			is.Equal(do(r, remote(request("GET", target, "Accept: text/html"))).Body.String(), "[404 ]")
			is.True(!strings.Contains(serve(r, "GET", target, "X-Forwarded-For: 192.0.2.1").Body.String(), "router/"))
		})
	}
	is.True(!strings.Contains(visit(r, "/fails").Body.String(), "mean")) // its handler says 404
}

// TestDevAddsToPagesOnly compares the answers to a local request that is no navigation
// with those to one of another machine.
func TestDevAddsToPagesOnly(t *testing.T) {
	for _, target := range []string{"/", "/app.css", "/none", "/std", "/again"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			r, _ := failing(t)
			local, other := serve(r, "GET", target), do(r, remote(request("GET", target)))
			is.Equal(local.Code, other.Code)
			is.Equal(local.Body.String(), other.Body.String())
			is.Equal(local.Header(), other.Header())
		})
	}
	is := is.New(t)
	r, _ := failing(t)
	for _, target := range []string{"/", "/none", "/std", "/again"} {
		w := serve(r, "GET", target, "Sec-Fetch-Dest: document", "Accept: text/html")
		is.Equal(strings.Count(w.Body.String(), "<script"), 1) // a handler that has the Router answer, too
	}
}

func TestProductionHasNoFront(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/index.html": {Data: []byte("home")}})
	is.Equal(visit(r, "/").Body.String(), "home")
	is.Equal(serve(r, "GET", "/_flow").Code, 404)
}

// TestDevOfMountedRouters: -dev is for all of an application.
func TestDevOfMountedRouters(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, fstest.MapFS{"router/a.html": {Data: []byte("on disk")}})
	made := func(source string) *flow.Router {
		r := flow.New(flowtest.Files("router/a.html"))
		r.SetApp(filepath.ToSlash(source))
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
