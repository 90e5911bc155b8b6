//go:build linux

package deploy_test

import (
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/export"
	"example.com/flow/internal/check/links"
	"example.com/flow/internal/testkit/servertest"
)

// exportable returns an application that can be exported: with nested pages, values of parameters, a feed,
// a redirect, and names that have to be escaped.
func exportable() *flow.Router {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"router/+layout.html":    `<!doctype html><html lang="en"><title>Site</title><link rel="stylesheet" href="{{asset "app.css"}}"><link rel="alternate" href="/feed.xml"><a href="/">Home</a> <a href="/about">About</a> <a href="/docs">Docs</a>{{template "content" .}}</html>`,
		"router/+error.html":     `<h1>{{.Title}}</h1>`,
		"router/index.html":      `<img src="/img/a.svg" alt=""> {{range list}}<a href="{{route "names" "name" .}}">{{.}}</a> {{end}}<a href="/old">old</a>`,
		"router/about.html":      `<h1 id="us">About</h1>` + strings.Repeat("<p>This is worth compressing.</p>\n", 50),
		"router/docs/index.html": `<a href="/docs/a/b">b</a>`,
		"router/docs/a/b.html":   `<a href="/about#us">about</a>`,
		"router/n/[name].html":   `<h1>{{request.Param "name"}}</h1>`,
		"router/feed.xml.http":   "",
		"router/old.http":        "",
		"public/app.css":         "body { background: url(img/a.svg) }\n" + strings.Repeat("p { margin: 1rem }\n", 50),
		"public/img/a.svg":       `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"public/data.json":       `{"a": 1}`,
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	r := flow.New(files)
	r.Funcs = map[string]any{"list": func() []string { return []string{"one", "zwei drei", "über", "100%", "a+b", "x.y"} }}
	r.At("n/[name]").GET().Name("names")
	r.At("feed.xml").GET().Do(func(*flow.Request) flow.Response {
		return flow.Text("<feed/>").Header("Content-Type", "application/atom+xml")
	})
	r.At("old").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/docs/a/b") })
	return r
}

// asAnswered asks a server and the application for all that the pages lead to, from "/" on, and for a page
// that is missing. What the server has is below a base. It returns how many pages are the same, and whether
// one of them was sent compressed.
func asAnswered(t *testing.T, r *flow.Router, server, base string) (pages int, compressed bool) {
	t.Helper()
	is := is.New(t)
	queue, seen := []string{"/", "/no/such/page", "/data.json"}, map[string]bool{}
	for len(queue) > 0 {
		at := queue[0]
		if queue = queue[1:]; seen[at] {
			continue
		}
		seen[at] = true
		t.Log(at)
		req := httptest.NewRequest("GET", at, nil)
		req.Header.Set("Accept", "text/html,*/*")
		want := httptest.NewRecorder()
		r.ServeHTTP(want, req)
		got := fetch(t, "GET", server+base+at, nil)
		if to := got.Header.Get("Location"); got.StatusCode == http.StatusMovedPermanently && strings.HasSuffix(to, at+"/") {
			got = fetch(t, "GET", server+base+at+"/", nil) // that of a directory with an index.html
		}
		follow := func(text string) {
			to, err := (&url.URL{Path: base + at}).Parse(text)
			is.NoErr(err)
			path, ok := strings.CutPrefix(to.EscapedPath(), base)
			is.True(ok) // it is below the base
			queue = append(queue, path)
		}
		if location := want.Header().Get("Location"); location != "" {
			is.True(strings.Contains(got.body, `content="0; url=`+base+location+`"`))
			follow(base + location)
			continue
		}
		is.Equal(got.StatusCode, want.Code)
		if at == "/no/such/page" && !strings.Contains(got.body, "Not Found</h1>") { // the server has its own
			continue
		}
		mediaType, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type"))
		wantType, _, _ := mime.ParseMediaType(want.Header().Get("Content-Type"))
		if at != "/feed.xml" || mediaType != "text/xml" && mediaType != "application/xml" { // by its extension
			is.Equal(mediaType, wantType)
		}
		compressed = compressed || got.Uncompressed
		var urls []links.URL
		wantBody := want.Body.String()
		switch mediaType {
		case "text/html":
			pages++
			urls, wantBody = links.OfPage(got.body).URLs, links.Below(base, wantBody)
		case "text/css":
			urls = links.OfStyle(got.body)
		}
		is.Equal(got.body, wantBody)
		for _, u := range urls {
			follow(u.Text)
		}
	}
	return pages, compressed
}

// TestExportBehindNginx serves an export with the configuration that docs/export.md shows.
func TestExportBehindNginx(t *testing.T) {
	for _, base := range []string{"", "/repo"} {
		t.Run("base "+base, func(t *testing.T) {
			needs(t, "nginx")
			is := is.New(t)
			root := shortDir(t)
			_, err := export.Site(t.Context(), exportable(), export.Options{Dir: filepath.Join(root, base), Base: base, Gzip: true})
			is.NoErr(err)
			addr := freeAddrs(t, 1)[0]
			server := proxies[slices.IndexFunc(proxies, func(p proxy) bool { return p.program == "nginx" })]
			server.file = "site.conf"
			server.edits = map[string]string{"listen 80;": "listen ADDR;", "root /srv/site;": "root " + root + ";", " /404.html": " " + base + "/404.html", " /feed.xml": " " + base + "/feed.xml"}
			server.around[0] += "include /etc/nginx/mime.types;\n"
			server.ready = base + "/"
			server.started(t, addr, nil)
			pages, compressed := asAnswered(t, exportable(), "http://"+addr, base)
			is.Equal(pages, 11)
			is.True(compressed)
			hashed, err := exportable().Asset("app.css")
			is.NoErr(err)
			is.Equal(fetch(t, "GET", "http://"+addr+base+hashed, nil).Header.Get("Cache-Control"), "public, max-age=31536000, immutable")
		})
	}
}

// TestExportBehindPython serves an export with a server that knows directories only.
func TestExportBehindPython(t *testing.T) {
	needs(t, "python3")
	is := is.New(t)
	dir := shortDir(t)
	_, err := export.Site(t.Context(), exportable(), export.Options{Dir: dir, Index: true})
	is.NoErr(err)
	addr := freeAddrs(t, 1)[0]
	host, port, _ := net.SplitHostPort(addr)
	server := started(t, exec.Command("python3", "-m", "http.server", port, "--bind", host, "--directory", dir))
	servertest.Until(t, "it serves", func() bool {
		server.runs(t)
		resp, err := client.Get("http://" + addr + "/")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	pages, _ := asAnswered(t, exportable(), "http://"+addr, "")
	is.Equal(pages, 10)
}
