package export_test

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/export"
)

// files returns the files below a directory, but for the list.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	is.New(t).NoErr(fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && name != ".flow-export" {
			var b []byte
			b, err = os.ReadFile(filepath.Join(dir, name))
			all[name] = string(b)
		}
		return err
	}))
	return all
}

func names(all map[string]string) string { return strings.Join(slices.Sorted(maps.Keys(all)), " ") }

// blog has pages that are found in each way.
func blog() *flow.Router {
	r := site(map[string]string{
		"+layout.html":      `<!doctype html><link rel="stylesheet" href="{{asset "app.css"}}"><link rel="alternate" href="/feed.xml"><a href="/">Home</a>{{template "content" .}}`,
		"+error.html":       `<h1>{{.Status}}</h1>`,
		"index.html":        `<script nonce="{{nonce}}">{{request.Method}}</script><a href="/posts/1">1</a> <a href="/old">old</a> <p hx-get="/more">`,
		"about.html":        `nothing leads here`,
		"posts/[id].html":   `<h1 id="h">{{request.Param "id"}}</h1>{{if eq (request.Param "id") "1"}}<a href="/posts/2#h">2</a>{{end}}`,
		"more.http":         "",
		"feed.xml.http":     "",
		"healthz.http":      "",
		"notes.http":        "",
		"old.http":          "",
		"older.html":        "",
		"contact.html":      `<form method="post"><button>Send</button></form><a href="/posts/9">9</a>`,
		"admin/index.html":  `secret {{template "x" .}}{{define "x"}}<a href="/admin/more">{{end}}`,
		"admin/more.html":   `secret`,
		"moved.html":        ``,
		"public/app.css":    `p { background: url(img/a.png) }`,
		"public/img/a.png":  "a",
		"public/img/b.png":  "b",
		"public/robots.txt": "User-agent: *\n",
	})
	r.ContentSecurityPolicy = "default-src 'self'; script-src 'nonce'"
	r.At("more").GET().Do(always("<p>more <a href='/posts/3'>"))
	r.At("feed.xml").GET().Do(func(*flow.Request) flow.Response {
		return flow.Text("<feed/>").Header("Content-Type", "application/atom+xml")
	})
	r.At("healthz").GET().Do(always("ok"))
	r.At("notes").POST().Do(always("ok"))
	r.At("contact").POST().Do(always("ok"))
	r.At("old").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/posts/2#h") })
	r.At("older").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/old") })
	r.At("moved").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/contact") })
	r.In("admin").Use(func(r *flow.Request) flow.Response { return flow.Fail(http.StatusForbidden, "") })
	return r
}

func TestSite(t *testing.T) {
	is := is.New(t)
	dir := filepath.Join(t.TempDir(), "a", "site")
	result, err := exported(t, blog(), export.Options{Dir: dir})
	is.NoErr(err)
	all := files(t, dir)
	is.Equal(names(all), "404.html about.html app.4si7jdatvrrlrqb6.css app.css feed.xml img/a.png img/b.png index.html more.html old.html older.html posts/1.html posts/2.html posts/3.html robots.txt")
	is.Equal(result.Files, slices.Sorted(maps.Keys(all)))
	is.Equal(result.Written, len(all))
	is.Equal(result.Removed, 0)
	is.True(strings.Contains(all["posts/2.html"], `<h1 id="h">2</h1>`))
	is.True(strings.Contains(all["404.html"], `<h1>404</h1>`))
	is.True(strings.Contains(all["index.html"], `<script nonce="">"GET"</script>`)) // rendered for each request
	is.True(strings.Contains(all["old.html"], `<meta http-equiv="refresh" content="0; url=/posts/2#h">`))
	is.True(strings.Contains(all["old.html"], `<link rel="canonical" href="/posts/2#h">`))
	is.Equal(all["feed.xml"], "<feed/>")
	is.Equal(strings.Join(result.NotExported, "\n"), `
GET /admin: it answers 403, since a guard refuses it: export_test.blog
GET /admin/more: it answers 403, since a guard refuses it: export_test.blog
GET /contact: it has a form that sends POST
POST /contact
GET /healthz: nothing links to it, and its URL has no extension
GET /moved: it redirects to /contact, which is not exported
POST /notes`[1:])
	for name, text := range all { // nothing of what a guard keeps
		if strings.Contains(text, "secret") {
			t.Errorf("%s has it", name)
		}
	}
}

// TestGivenAndLeftOut: the options add URLs, and leave others out.
func TestGivenAndLeftOut(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	result, err := exported(t, blog(), export.Options{Dir: dir, URLs: []string{"/posts/7"}, Not: []string{"/about", "/healthz"}})
	is.NoErr(err)
	all := files(t, dir)
	is.True(strings.Contains(all["posts/7.html"], `<h1 id="h">7</h1>`))
	is.Equal(all["about.html"], "")
	is.True(slices.Contains(result.NotExported, "GET /about: it is left out, as the options say"))
}

func TestIndex(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	_, err := exported(t, blog(), export.Options{Dir: dir, Index: true})
	is.NoErr(err)
	is.Equal(names(files(t, dir)), "404.html about/index.html app.4si7jdatvrrlrqb6.css app.css feed.xml img/a.png img/b.png index.html more/index.html old/index.html older/index.html posts/1/index.html posts/2/index.html posts/3/index.html robots.txt")
}

// TestHosts: what the Router of a host has answered is exported.
func TestHosts(t *testing.T) {
	is := is.New(t)
	r := site(map[string]string{"index.html": ""})
	r.Mount("/", flow.Hosts{"": site(map[string]string{"a.html": "a"}), "b.example": site(map[string]string{"b.html": "b"})})
	result, err := exported(t, r, export.Options{})
	is.NoErr(err)
	is.Equal(result.Files, []string{"404.html", "a.html", "index.html"})
	is.Equal(result.NotExported, []string{"GET b.example/b"})
}

// TestRelativeLinks: with -index, relative links are what they were if the URL of a page stays, and those of
// redirects are written whole.
func TestRelativeLinks(t *testing.T) {
	is := is.New(t)
	r := site(map[string]string{"index.html": `<a href="a.html"></a><a href="old">`, "a.html.http": "", "b.html": "", "old.http": ""})
	r.At("a.html").GET().Do(always(`<a href="b">`))
	r.At("old").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "b")
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusSeeOther)
	}))
	dir := t.TempDir()
	_, err := exported(t, r, export.Options{Dir: dir, Index: true})
	is.NoErr(err)
	is.Equal(names(files(t, dir)), "404.html a.html b/index.html index.html old/index.html")
	is.True(strings.Contains(read(t, dir, "old/index.html"), `href="/b"`))
}

// TestSlashes: a redirect between two URLs that have one file is none.
func TestSlashes(t *testing.T) {
	for name, tt := range map[string]struct {
		options export.Options
		want    string
	}{
		"about.html":       {export.Options{}, "404.html about.html about/index.html index.html"},
		"about/index.html": {export.Options{Index: true}, "404.html about/index.html index.html"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			tt.options.Dir = t.TempDir()
			_, err := exported(t, site(map[string]string{"index.html": `<a href="/about/">`, "about.html": ""}), tt.options)
			is.NoErr(err)
			is.Equal(names(files(t, tt.options.Dir)), tt.want)
		})
	}
}

// TestBase: below a base, URLs have it wherever they are read, and compressed files hold the same as those
// that they stand beside.
func TestBase(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	_, err := exported(t, blog(), export.Options{Dir: dir, Base: "/repo/", Gzip: true})
	is.NoErr(err)
	all := files(t, dir)
	is.True(strings.Contains(all["index.html"], `href="/repo/app.4si7jdatvrrlrqb6.css"`))
	is.True(strings.Contains(all["index.html"], `<a href="/repo/posts/1">1</a> <a href="/repo/old">old</a> <p hx-get="/repo/more">`))
	is.True(strings.Contains(all["old.html"], `content="0; url=/repo/posts/2#h"`))
	is.Equal(all["app.css"], `p { background: url(img/a.png) }`)
	zipped := 0
	for name := range all {
		if plain, ok := strings.CutSuffix(name, ".gz"); ok {
			r, err := gzip.NewReader(strings.NewReader(all[name]))
			is.NoErr(err)
			b, err := io.ReadAll(r)
			is.NoErr(err)
			is.Equal(string(b), all[plain])
			zipped++
		}
	}
	is.True(zipped > 3)
	is.Equal(all["img/a.png.gz"], "")
}

func TestHeaders(t *testing.T) {
	is := is.New(t)
	r := blog()
	r.Use(flow.RequestID, func(r *flow.Request) flow.Response {
		return flow.Next().Header("X-Frame-Options", "DENY")
	})
	dir := t.TempDir()
	_, err := exported(t, r, export.Options{Dir: dir, Headers: true, Base: "/repo"})
	is.NoErr(err)
	all := files(t, dir)
	is.Equal(all["_headers"], `
/repo/*
  X-Content-Type-Options: nosniff
/repo/
  Content-Security-Policy: default-src 'self'; script-src 'sha256-BPMqfl3fZ+hGB/QiQgGXSS52Qt5/E9TOlYnBsKRoPDo='
  X-Frame-Options: DENY
/repo/about
  Content-Security-Policy: default-src 'self'; script-src 'none'
  X-Frame-Options: DENY
/repo/app.4si7jdatvrrlrqb6.css
  Cache-Control: public, max-age=31536000, immutable
/repo/feed.xml
  Content-Type: application/atom+xml
  X-Frame-Options: DENY
/repo/more
  X-Frame-Options: DENY
/repo/posts/1
  Content-Security-Policy: default-src 'self'; script-src 'none'
  X-Frame-Options: DENY
/repo/posts/2
  Content-Security-Policy: default-src 'self'; script-src 'none'
  X-Frame-Options: DENY
/repo/posts/3
  Content-Security-Policy: default-src 'self'; script-src 'none'
  X-Frame-Options: DENY
`[1:])
	is.True(slices.Contains(slices.Sorted(maps.Keys(all)), ".nojekyll"))
}

// TestPolicies: the files have no policy that allows more than that of the application.
func TestPolicies(t *testing.T) {
	page := func(policies ...string) *flow.Router {
		r := site(map[string]string{"index.html": ""})
		r.At("index").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			nonce := fmt.Sprint("of-request-", counter.Add(1))
			w.Header().Set("Content-Type", "text/html")
			for _, p := range policies {
				w.Header().Add("Content-Security-Policy", strings.ReplaceAll(p, "NONCE", nonce))
			}
			fmt.Fprintf(w, "<script nonce=%q>a</script><script>b</script>", nonce)
		}))
		return r
	}
	is := is.New(t)
	dir := t.TempDir()
	_, err := exported(t, page("script-src 'nonce-NONCE'"), export.Options{Dir: dir, Headers: true})
	is.NoErr(err)
	sum := sha256.Sum256([]byte("a"))
	is.True(strings.Contains(read(t, dir, "_headers"), "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'\n")) // and not that of b

	_, err = exported(t, page("script-src 'nonce-NONCE'", "img-src 'none'"), export.Options{Headers: true})
	is.True(err != nil) // the nonce stays, and differs
}

// TestHeaderLines: a value is one line of _headers, and with -index, a page has its URL on the host.
func TestHeaderLines(t *testing.T) {
	is := is.New(t)
	r := site(map[string]string{"index.html": "", "about.html": "", "feed.xml.http": ""})
	r.At("about").GET().Do(func(*flow.Request) flow.Response {
		return flow.Page(nil).Header("X-A", "a\r\n/*\n  X-B: b")
	})
	r.At("feed.xml").GET().Do(func(*flow.Request) flow.Response { return flow.Text("").Header("Content-Type", "application/atom+xml") })
	dir := t.TempDir()
	_, err := exported(t, r, export.Options{Dir: dir, Headers: true, Index: true})
	is.NoErr(err)
	is.Equal(read(t, dir, "_headers"), `
/*
  X-Content-Type-Options: nosniff
/about/
  X-A: a  /*   X-B: b
/feed.xml
  Content-Type: application/atom+xml
`[1:])
}

// TestSecondExportWritesOnlyWhatChanged: an export that finds nothing new writes nothing, and one that finds less removes what it has
// written before, and nothing else.
func TestSecondExportWritesOnlyWhatChanged(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	_, err := exported(t, blog(), export.Options{Dir: dir})
	is.NoErr(err)
	before, list := files(t, dir), read(t, dir, ".flow-export")
	is.NoErr(os.WriteFile(filepath.Join(dir, "CNAME"), []byte("a.example\n"), 0o666))

	result, err := exported(t, blog(), export.Options{Dir: dir})
	is.NoErr(err)
	is.Equal(result.Written, 0)
	is.Equal(result.Removed, 0)

	is.NoErr(os.WriteFile(filepath.Join(dir, "index.html"), []byte("changed"), 0o666))
	result, err = exported(t, blog(), export.Options{Dir: dir, Not: []string{"/img/b.png", "/about"}})
	is.NoErr(err)
	is.Equal(result.Written, 1)
	is.Equal(result.Removed, 2)
	after := files(t, dir)
	is.Equal(after["CNAME"], "a.example\n")
	is.Equal(after["index.html"], before["index.html"])
	is.Equal(len(after), len(before)-1)

	result, err = exported(t, blog(), export.Options{Dir: dir, Index: true})
	is.NoErr(err)
	_, err = os.Stat(filepath.Join(dir, "about.html"))
	is.True(os.IsNotExist(err))

	_, err = exported(t, blog(), export.Options{Dir: dir}) // from directories to files
	is.NoErr(err)
	delete(after, "CNAME")
	is.Equal(read(t, dir, ".flow-export"), list)
	_, err = os.Stat(filepath.Join(dir, "about"))
	is.True(os.IsNotExist(err)) // the empty directory
	is.Equal(read(t, dir, "CNAME"), "a.example\n")
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	is.New(t).NoErr(err)
	return string(b)
}

// TestForeignDirectories: nothing of somebody else is overwritten, and no link leads out.
func TestForeignDirectories(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not everybody may make symbolic links there")
	}
	outside := t.TempDir()
	write := func(name, text string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666) }
	}
	link := func(to, name string) func(string) error {
		return func(dir string) error { return os.Symlink(to, filepath.Join(dir, name)) }
	}
	mkdir := func(name string) func(string) error {
		return func(dir string) error { return os.Mkdir(filepath.Join(dir, name), 0o777) }
	}
	const head = "# The files that an export has written here, and that the next one may replace or remove.\n"
	list := write(".flow-export", head)
	for _, tt := range []struct {
		name string
		make []func(string) error
		want string // DIR is the directory; "" if nothing is wrong
	}{
		{"a file", []func(string) error{write("x", "")}, "export: DIR holds x, and no .flow-export: it is not the directory of an export: put what belongs to the site into public/, or choose an empty directory"},
		{"a list that was interrupted", []func(string) error{write(".flow-export.tmp-x", "")}, ""},
		{"a repository", []func(string) error{mkdir(".git")}, ""},
		{"a list of somebody else", []func(string) error{write(".flow-export", "x")}, "export: .flow-export in DIR is not the list of an export: choose another directory"},
		{"a file of the same name", []func(string) error{list, write("index.html", "mine")}, "/: index.html cannot be written to DIR: a file of somebody else has that name"},
		{"a file with the same bytes", []func(string) error{list, write("robots.txt", "User-agent: *\n")}, ""},
		{"a file where a directory must be", []func(string) error{list, write("img", "")}, "/img/a.png: img/a.png cannot be written to DIR: img is a file of somebody else\n/img/b.png: img/b.png cannot be written to DIR: img is a file of somebody else"},
		{"a directory where a file must be", []func(string) error{list, mkdir("index.html"), write("index.html/x", "")}, "/: index.html cannot be written to DIR: it is a directory, and index.html/x is a file of somebody else"},
		{"a link out", []func(string) error{list, link(outside, "img")}, "/img/a.png: img/a.png cannot be written to DIR: img is a symbolic link that leads out of the directory, or nowhere\n/img/b.png: img/b.png cannot be written to DIR: img is a symbolic link that leads out of the directory, or nowhere"},
		{"a link to a file", []func(string) error{list, link(filepath.Join(outside, "x"), "robots.txt")}, "/robots.txt: robots.txt cannot be written to DIR: a symbolic link or another file that is none has that name"},
		{"a list with names outside", []func(string) error{write(".flow-export", head+"../x\n/etc/x\na/../../x\n")}, ""},
		{"a list whose file is behind a link", []func(string) error{write(".flow-export", head+"away/x\n"), link(outside, "away")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := t.TempDir()
			for _, f := range tt.make {
				is.NoErr(f(dir))
			}
			is.NoErr(os.WriteFile(filepath.Join(outside, "x"), []byte("kept"), 0o666))
			is.NoErr(os.WriteFile(filepath.Join(dir, "..", "x"), []byte("kept"), 0o666))
			before := files(t, dir)
			_, err := exported(t, blog(), export.Options{Dir: dir})
			if tt.want == "" {
				is.NoErr(err)
			} else {
				is.True(err != nil)
				is.Equal(strings.ReplaceAll(err.Error(), dir, "DIR"), tt.want)
				is.Equal(files(t, dir), before)
			}
			is.Equal(names(files(t, outside)), "x")
			is.Equal(read(t, outside, "x"), "kept")
			is.Equal(read(t, dir, "../x"), "kept")
		})
	}
}

// TestEndOfContext: a context that ends, ends an export.
func TestEndOfContext(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := site(map[string]string{"index.html": ""})
	r.At("index").GET().Do(func(*flow.Request) flow.Response {
		cancel()
		return flow.Text("")
	})
	dir := filepath.Join(t.TempDir(), "site")
	_, err := export.Site(ctx, r, export.Options{Dir: dir})
	is.True(err != nil)
	is.Equal(err.Error(), "export: interrupted, and nothing is written: 1 URL so far, the last one /: context canceled")
	_, err = os.Stat(dir)
	is.True(os.IsNotExist(err))
}
