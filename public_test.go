package flow_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
)

// Files of more bytes are opened for each request: those of types that gzip makes
// smaller, and others.
const (
	maxHeldCompressible = 16 << 20
	maxHeld             = 1 << 20
)

func TestPublicFilesAreServed(t *testing.T) {
	r := flow.New(fstest.MapFS{
		"router/[...rest].http":    {},
		"router/index.html":        {Data: []byte("home")},
		"public/app.css":           {Data: []byte("body{}")},
		"public/_next/[id].js":     {Data: []byte("let a")},
		"public/index.html":        {Data: []byte("<p>public")},
		"public/.well-known/a.txt": {Data: []byte("known")},
		"public/.env":              {Data: []byte("secret")},
		"public/.git/config":       {Data: []byte("secret")},
		"public/a b.txt":           {Data: []byte("space")},
		"public/.well-known/.y":    {Data: []byte("known too")},
		"public/a/.git/.z":         {Data: []byte("secret")},
		"public/empty.txt":         {},
	})
	r.At("[...rest]").ANY().Do(func(req *flow.Request) string { return "rest " + req.Param("rest") })
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ method, target, want, contentType string }{
		{"GET", "/", "200 home", "text/html; charset=utf-8"},
		{"GET", "/app.css", "200 body{}", "text/css; charset=utf-8"},
		{"HEAD", "/app.css", "200 ", "text/css; charset=utf-8"},
		{"GET", "/_next/[id].js", "200 let a", "text/javascript; charset=utf-8"},
		{"GET", "/_next/5.js", "200 rest _next/5.js", "text/plain; charset=utf-8"},
		{"GET", "/index.html", "200 <p>public", "text/html; charset=utf-8"},
		{"GET", "/.well-known/a.txt", "200 known", "text/plain; charset=utf-8"},
		{"GET", "/.well-known/.y", "200 known too", "text/plain; charset=utf-8"},
		{"GET", "/a/.git/.z", "200 rest a/.git/.z", "text/plain; charset=utf-8"},
		{"GET", "/.env", "200 rest .env", "text/plain; charset=utf-8"},
		{"GET", "/.git/config", "200 rest .git/config", "text/plain; charset=utf-8"},
		{"GET", "/a%20b.txt", "200 space", "text/plain; charset=utf-8"},
		{"GET", "/empty.txt", "200 ", "text/plain; charset=utf-8"},
		{"GET", "/APP.CSS", "200 rest APP.CSS", "text/plain; charset=utf-8"},
		{"POST", "/app.css", "200 rest app.css", "text/plain; charset=utf-8"}, // the method takes part
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, tt.method, tt.target)
			is.Equal(says(w), tt.want)
			is.Equal(w.Header().Get("Content-Type"), tt.contentType)
		})
	}
}

func TestPublicFileAllowsGETAndHEAD(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/index.html": {}, "public/app.css": {}})
	is.Equal(says(serve(r, "POST", "/app.css")), "405 Allow GET, HEAD, OPTIONS")
	is.Equal(says(serve(r, "GET", "/app.css/")), "308 Location /app.css")
	asset, err := r.Asset("app.css")
	is.NoErr(err)
	is.Equal(says(serve(r, "POST", asset)), "405 Allow GET, HEAD, OPTIONS")
}

// TestPublicPathsAreNotFileNames asks in spellings that a file system would take
// for a name: each is the file, a redirect to it, or a 4xx.
func TestPublicPathsAreNotFileNames(t *testing.T) {
	r := flow.New(fstest.MapFS{
		"router/index.html":      {Data: []byte("home")},
		"router/secret.html":     {Data: []byte("{{define `x`}}source{{end}}page")},
		"public/css/app.css":     {Data: []byte("body{}")},
		"public/css/.hidden":     {Data: []byte("secret")},
		"public/.git/config":     {Data: []byte("secret")},
		"public/.well-known/key": {Data: []byte("key")},
	})
	for _, tt := range []struct{ target, want string }{
		{"/css/app.css", "200 body{}"},
		{"/css%2Fapp.css", "404"},
		{"/CSS/app.css", "404"},
		{"/css", "404"},
		{"/css/app.css%00", "404"},
		{"/%00", "404"},
		{"/css%5Capp.css", "404"},
		{"/css\\app.css", "404"},
		{"/css//app.css", "308 Location /css/app.css"},
		{"/css/x/../app.css", "308 Location /css/app.css"},
		{"/css/x/%2e%2e/app.css", "404"},
		{"/../router/secret.html", "404"},
		{"/..%2frouter%2fsecret.html", "404"},
		{"/css/..%5c..%5crouter/secret.html", "404"},
		{"/router/secret.html", "404"},
		{"/public/css/app.css", "404"},
		{"/css/.hidden", "404"},
		{"/.git/config", "404"},
		{"/.well-known/key", "200 key"},
		{"/css/app.css::$DATA", "404"},
		{"/css/app.css.", "404"},
		{"/css/app.css%20", "404"},
		{"/css/app.c%73s", "200 body{}"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(says(serve(r, "GET", tt.target)), tt.want)
		})
	}
}

func TestAsset(t *testing.T) {
	r := flow.New(fstest.MapFS{
		"router/index.html":      {Data: []byte(`<link href="{{asset "css/app.min.css"}}">`)},
		"router/[...rest].http":  {},
		"public/css/app.min.css": {Data: []byte("body{}")},
		"public/a b.js":          {Data: []byte("let a")},
		"public/LICENSE":         {Data: []byte("free")},
		"public/.well-known/.x":  {Data: []byte("x")},
		"public/empty.txt":       {},
	})
	r.At("[...rest]").GET().Do(func(*flow.Request) string { return "rest" })
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ name, before, after, body string }{
		{"css/app.min.css", "/css/app.min.", ".css", "body{}"},
		{"a b.js", "/a%20b.", ".js", "let a"},
		{"LICENSE", "/LICENSE.", "", "free"},
		{".well-known/.x", "/.well-known/.", ".x", "x"},
		{"empty.txt", "/empty.", ".txt", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			u, err := r.Asset(tt.name)
			is.NoErr(err)
			is.True(strings.HasPrefix(u, tt.before) && strings.HasSuffix(u, tt.after))
			is.Equal(len(u), len(tt.before)+16+len(tt.after))
			w, plain := serve(r, "GET", u), serve(r, "GET", "/"+strings.ReplaceAll(tt.name, " ", "%20"))
			is.Equal(w.Code, 200)
			is.Equal(w.Body.String(), tt.body)
			is.Equal(w.Header().Get("Cache-Control"), "public, max-age=31536000, immutable")
			is.Equal(plain.Header().Get("Cache-Control"), "no-cache")
			w.Header().Del("Cache-Control")
			plain.Header().Del("Cache-Control")
			is.Equal(w.Header(), plain.Header())
			is.Equal(w.Body.String(), plain.Body.String())
		})
	}
	t.Run("in a template", func(t *testing.T) {
		is := is.New(t)
		u, err := r.Asset("css/app.min.css")
		is.NoErr(err)
		is.Equal(says(serve(r, "GET", "/")), `200 <link href="`+u+`">`)
	})
	for name, want := range map[string]string{
		"none.css":         `flow: no public file is called "none.css": there is no public/none.css`,
		"/css/app.min.css": `flow: no public file is called "/css/app.min.css": write the path below public/, without a slash before it`,
		"LICENCE":          `flow: no public file is called "LICENCE": did you mean "LICENSE"?`,
		"":                 `flow: no public file is called "": there is no public/`,
	} {
		t.Run("unknown "+name, func(t *testing.T) {
			is := is.New(t)
			_, err := r.Asset(name)
			is.True(err != nil)
			is.Equal(err.Error(), want)
		})
	}
}

func TestAssetOfABrokenApplication(t *testing.T) {
	is := is.New(t)
	_, err := flow.New(fstest.MapFS{"router/a.http": {}, "public/a.css": {}}).Asset("a.css")
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "the application has faults"))
}

func TestHashedURLsThatAreTaken(t *testing.T) {
	is := is.New(t)
	tree := fstest.MapFS{"router/index.html": {}, "public/a.css": {Data: []byte("a{}")}}
	u, err := flow.New(tree).Asset("a.css")
	is.NoErr(err)
	tree["public"+u] = &fstest.MapFile{Data: []byte("other")}
	is.Equal(errorText(flow.New(tree).Check()), "public"+u+": it answers "+u+", which is the hashed URL of public/a.css: rename it")
	delete(tree, "public"+u)
	tree["router"+u+".html"] = &fstest.MapFile{}
	is.Equal(errorText(flow.New(tree).Check()), "router"+u+".html: it answers "+u+", which is the hashed URL of public/a.css: rename it")
}

func TestSiblingsThatAreEmpty(t *testing.T) {
	is := is.New(t)
	is.Equal(errorText(flow.New(fstest.MapFS{"router/index.html": {}, "public/a.css": {Data: []byte("a{}")}, "public/a.css.br": {}}).Check()), "public/a.css: public/a.css.br is empty, and would be sent in its place: make it anew, or remove it")
}

func TestPublicFilesThatCannotBeRead(t *testing.T) {
	is := is.New(t)
	tree := fstest.MapFS{"router/index.html": {Data: []byte(`{{asset "a.css"}}`)}, "public/a.css": {Data: []byte("a{}")}, "public/b.css": {}, "public/b.css.br": {Data: []byte("b")}}
	is.Equal(errorText(flow.New(broken{tree, "public/a.css"}).Check()), "public/a.css: cannot be read: open public/a.css: disk on fire")
	is.Equal(errorText(flow.New(broken{tree, "public/b.css.br"}).Check()), `public/b.css: public/b.css.br, its compressed form, cannot be read: open public/b.css.br: disk on fire
public/b.css.br: cannot be read: open public/b.css.br: disk on fire`)
}

// TestSiblings are forms of a file that lie beside it. They are sent in place of files that are
// too large to be held, too, and are held or not by the size of their own.
func TestSiblings(t *testing.T) {
	css, program := strings.Repeat("body{} ", 200), strings.Repeat("\x00asm", maxHeldCompressible/4+1)
	packed := strings.Repeat("br", maxHeld)
	r := flow.New(fstest.MapFS{
		"router/index.html":    {},
		"public/app.css":       {Data: []byte(css)},
		"public/app.css.br":    {Data: []byte("brotli")},
		"public/app.css.zst":   {Data: []byte("z-standard")},
		"public/app.wasm":      {Data: []byte(program)},
		"public/app.wasm.br":   {Data: []byte(packed)},
		"public/app.wasm.gz":   {Data: []byte("small")},
		"public/lonely.txt.gz": {Data: []byte("lonely")},
	})
	for _, tt := range []struct{ target, accept, coding, body string }{
		{"/app.css", "br;q=0.5, zstd", "zstd", "z-standard"},
		{"/app.css", "", "", css},
		{"/app.css.br", "br, gzip", "", "brotli"},
		{"/app.wasm", "br", "br", packed},
		{"/app.wasm", "gzip", "gzip", "small"},
		{"/app.wasm", "zstd", "", program},
		{"/lonely.txt.gz", "gzip", "", "lonely"},
	} {
		t.Run(tt.target+" "+tt.accept, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, "GET", tt.target, "Accept-Encoding: "+tt.accept)
			is.Equal(w.Code, 200)
			is.Equal(w.Header().Get("Content-Encoding"), tt.coding)
			is.True(w.Body.String() == tt.body)
		})
	}
	is.New(t).Equal(serve(r, "GET", "/lonely.txt", "Accept-Encoding: gzip").Code, 404)
}

// TestPublicFilesKeepTheContentTypeOfMiddleware: those in memory, those that are opened for
// each request, and those of development, as net/http's files do. Pages do not.
func TestPublicFilesKeepTheContentTypeOfMiddleware(t *testing.T) {
	tree := fstest.MapFS{
		"router/index.html": {Data: []byte("<p>rendered once")},
		"public/app.css":    {Data: []byte("b{}")},
		"public/film.mp4":   {Data: make([]byte, maxHeld+1)},
	}
	for _, dev := range []bool{false, true} {
		for _, tt := range []struct {
			target string
			types  []string // of middleware
			want   []string
		}{
			{"/app.css", []string{"application/geo+json"}, []string{"application/geo+json"}},
			{"/app.css", nil, nil},
			{"/film.mp4", []string{"application/geo+json"}, []string{"application/geo+json"}},
			{"/film.mp4", nil, nil},
			{"/", []string{"application/geo+json"}, []string{"text/html; charset=utf-8"}},
		} {
			t.Run(fmt.Sprint(dev, tt.target, tt.types), func(t *testing.T) {
				is := is.New(t)
				r := flow.New(tree)
				if dev {
					r.Dev(onDisk(t, tree))
				}
				r.Use(around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
					w.Header()["Content-Type"] = tt.types
					next.ServeHTTP(w, r)
				}))
				is.Equal(serve(r, "GET", tt.target).Header()["Content-Type"], tt.want)
			})
		}
	}
}

// TestLargeFilesAreNotHeld serves one from where it lies.
func TestLargeFilesAreNotHeld(t *testing.T) {
	is := is.New(t)
	large := strings.Repeat("0123456789", maxHeld/10+1)
	tree := fstest.MapFS{"router/index.html": {}, "public/film.mp4": {Data: []byte(large)}}
	r := flow.New(tree)
	u, err := r.Asset("film.mp4")
	is.NoErr(err)
	w := serve(r, "GET", u)
	is.Equal(w.Code, 200)
	is.True(w.Body.String() == large)
	is.Equal(w.Header().Get("Content-Type"), "video/mp4")
	is.Equal(w.Header().Get("Cache-Control"), "public, max-age=31536000, immutable")
	is.Equal(serve(r, "GET", u, "Range: bytes=1000001-1000003").Body.String(), "123")

	delete(tree, "public/film.mp4")
	logged(r)
	is.Equal(serve(r, "GET", "/film.mp4").Code, 500) // never half a file
}

// TestMiddlewareOfPublicFiles may say how long they are kept, and what else the
// answer depends on.
func TestMiddlewareOfPublicFiles(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/index.html": {}, "public/a.css": {Data: bytes.Repeat([]byte("a{}"), 100)}})
	r.Use(around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("Vary", "Origin")
		next.ServeHTTP(w, r)
	}))
	w := serve(r, "GET", "/a.css")
	is.Equal(w.Header()["Cache-Control"], []string{"max-age=60"})
	is.Equal(w.Header()["Vary"], []string{"Origin", "Accept-Encoding"})
}

// TestBodiesOfRequestsForFiles are nobody's business.
func TestBodiesOfRequestsForFiles(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/page.html": {Data: []byte("page")}, "public/a.css": {Data: []byte("a{}")}})
	is.Equal(says(do(r, sending("GET", "/a.css", "application/json", "{"))), "200 a{}")
	is.Equal(says(do(r, sending("GET", "/page", "application/json", "{"))), "200 page")
}

func TestFilesAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	text := strings.Repeat("a long text, ", 1600)
	r := flow.New(fstest.MapFS{"router/page.html": {Data: []byte(text)}, "public/a.css": {Data: []byte(text)}})
	is.New(t).NoErr(r.Check())
	for _, target := range []string{"/page", "/a.css"} {
		for _, header := range []string{"", "Accept-Encoding: gzip, deflate, br, zstd", `If-None-Match: ` + serve(r, "GET", target).Header().Get("ETag")} {
			t.Run(target+" "+header, func(t *testing.T) {
				is := is.New(t)
				req := httptest.NewRequest("GET", target, nil)
				if key, value, ok := strings.Cut(header, ": "); ok {
					req.Header.Set(key, value)
				}
				w := &sink{Headers: http.Header{}}
				is.Equal(testing.AllocsPerRun(100, func() {
					clear(w.Headers)
					r.ServeHTTP(w, req)
				}), 0.0)
			})
		}
	}
}

// TestFilesOnTheWire holds what a server sends against one literal: request line
// and headers, then status and headers. Lengths and tags of gzip depend on the
// version of Go.
func TestFilesOnTheWire(t *testing.T) {
	is := is.New(t)
	css := strings.Repeat("body { margin: 0 }\n", 100)
	r := flow.New(fstest.MapFS{
		"router/about.html":  {Data: []byte(strings.Repeat("about us, ", 100))},
		"public/app.css":     {Data: []byte(css)},
		"public/app.css.br":  {Data: []byte("pretend brotli")},
		"public/photo.avif":  {Data: []byte("pretend photo")},
		"public/about.txt":   {Data: []byte("short")},
		"public/data/a.json": {Data: []byte("{}")},
	})
	is.NoErr(r.Check())
	server := httptest.NewServer(r)
	defer server.Close()
	tag := serve(r, "GET", "/app.css").Header().Get("ETag")
	hashed, err := r.Asset("app.css")
	is.NoErr(err)
	names := strings.NewReplacer(tag, "TAG", hashed, "HASHED")

	var got strings.Builder
	for _, row := range []string{
		"GET /app.css",
		"HEAD /app.css",
		"GET /app.css|If-None-Match: TAG",
		"GET /app.css|Range: bytes=0-3",
		"GET /app.css|Range: bytes=0-3|If-Range: \"other\"",
		"GET /app.css|Range: bytes=9999-",
		"GET /app.css|Accept-Encoding: br, gzip",
		"GET /app.css|Accept-Encoding: gzip",
		"GET /app.css|Accept-Encoding: identity;q=0",
		"GET HASHED",
		"GET /photo.avif|Accept-Encoding: gzip",
		"GET /about|Accept-Encoding: gzip",
		"GET /data/a.json",
		"GET /data/A.json",
		"POST /app.css",
	} {
		lines := strings.Split(row, "|")
		method, target, _ := strings.Cut(lines[0], " ")
		req, err := http.NewRequest(method, server.URL+strings.Replace(target, "HASHED", hashed, 1), nil)
		is.NoErr(err)
		req.Header.Set("Accept-Encoding", "identity")
		for _, line := range lines[1:] {
			key, value, _ := strings.Cut(line, ": ")
			req.Header.Set(key, strings.Replace(value, "TAG", tag, 1))
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		is.NoErr(err)
		body, err := io.ReadAll(resp.Body)
		is.NoErr(err)
		resp.Body.Close()
		if method == "GET" && resp.StatusCode != 304 {
			is.Equal(int64(len(body)), resp.ContentLength)
		}
		resp.Header.Del("Date")
		if resp.Header.Get("Content-Encoding") == "gzip" {
			resp.Header.Set("Content-Length", "…")
		}
		fmt.Fprintf(&got, "%s\n  %s\n", row, resp.Status)
		for _, key := range slices.Sorted(maps.Keys(resp.Header)) {
			if value := names.Replace(strings.Join(resp.Header[key], ", ")); key != "Etag" || value == "TAG" {
				fmt.Fprintf(&got, "  %s: %s\n", key, value)
			} else {
				fmt.Fprintf(&got, "  %s: another\n", key)
			}
		}
	}
	want, err := os.ReadFile("testdata/wire.txt")
	is.NoErr(err)
	is.Equal(got.String(), string(want))
}

// TestLargeFilesThatChange while they are served end the connection, and the log
// says why: a truncated file never looks whole.
func TestLargeFilesThatChange(t *testing.T) {
	is := is.New(t)
	tree := fstest.MapFS{"router/index.html": {}, "public/film.mp4": {Data: make([]byte, maxHeld+1)}}
	r := flow.New(tree)
	log := journalOf(r)
	is.NoErr(r.Check())
	server := httptest.NewServer(r)
	defer server.Close()
	tree["public/film.mp4"] = &fstest.MapFile{Data: make([]byte, 1000)}
	resp, err := http.Get(server.URL + "/film.mp4")
	is.NoErr(err)
	_, err = io.ReadAll(resp.Body)
	is.True(err != nil)
	resp.Body.Close()
	all := records(t, log)
	is.Equal(len(all), 1)
	is.True(strings.Contains(all[0]["error"].(string), "public/film.mp4 cannot be read to the end of the 1048577 bytes that it had"))
}

// TestMiddlewareSurvivesClientsThatLeave in the middle of a large file.
func TestMiddlewareSurvivesClientsThatLeave(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/index.html": {}, "public/film.mp4": {Data: make([]byte, 64<<20)}})
	passed := make(chan any, 1)
	r.Use(before(func(r *http.Request) {
		defer func() { passed <- recover() }()
	}))
	server := httptest.NewServer(r)
	defer server.Close()
	resp, err := http.Get(server.URL + "/film.mp4")
	is.NoErr(err)
	resp.Body.Close()
	is.Equal(<-passed, nil)
}

// TestExpectations asks with Expect: 100-continue for what reads no body. The
// client is answered without having sent it.
func TestExpectations(t *testing.T) {
	r := flow.New(fstest.MapFS{"router/index.html": {}, "router/guarded.http": {}, "public/a.css": {Data: []byte("a{}")}, "public/film.mp4": {Data: make([]byte, maxHeld+1)}})
	r.At("guarded").Use(func(*flow.Request) flow.Response { return flow.Fail(401, "") })
	r.At("guarded").POST().Do(func(*flow.Request) string { return "" })
	r.Use(func(next http.Handler) http.Handler { return next })
	server := httptest.NewServer(r)
	defer server.Close()
	for _, tt := range []struct{ line, want string }{
		{"GET /none", "404"}, {"POST /a.css", "405"}, {"GET /a.css", "200"}, {"GET /film.mp4", "200"}, {"POST /guarded", "401"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			is := is.New(t)
			c := dial(t, server.Listener.Addr().String())
			c.Send(tt.line + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
			is.Equal(c.Answer()[:3], tt.want)
		})
	}
}

// broken is a file system in which one file or directory cannot be opened.
type broken struct {
	files fstest.MapFS
	name  string
}

func (b broken) Open(name string) (fs.File, error) {
	if name == b.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("disk on fire")}
	}
	return b.files.Open(name)
}

// TestAssetWhileTheFirstRequestComes asks for a URL in another goroutine: the race detector
// watches.
func TestAssetWhileTheFirstRequestComes(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/index.html": {Data: []byte("home")}})
	is.NoErr(r.Check())
	asked := make(chan error)
	go func() {
		_, err := r.Asset("app.css")
		asked <- err
	}()
	is.Equal(do(r, httptest.NewRequest("GET", "/", nil)).Code, 200)
	is.True(<-asked != nil)
}

// TestFilesOfAnotherVersion asks for files by URLs with hashes that are not those of their
// content.
func TestFilesOfAnotherVersion(t *testing.T) {
	const old = ".aaaaaaaaaaaaaaaa"
	css := strings.Repeat("a{}", 100)
	film := strings.Repeat("0123456789", maxHeld/10+1)
	shop := flow.New(fstest.MapFS{"router/[page].http": {}, "public/app.css": {Data: []byte("shop{}")}, "public/over.css": {Data: []byte("inner{}")}})
	shop.At("[page]").GET().Do(func(req *flow.Request) string { return "shop " + req.Param("page") })
	org := flow.New(fstest.MapFS{"router/[page].http": {}, "public/logo.svg": {Data: []byte("<svg>")}})
	org.At("[page]").GET().Do(func(req *flow.Request) string { return req.Param("org") + " " + req.Param("page") })
	r := flow.New(fstest.MapFS{
		"router/index.html":               {Data: []byte("home")},
		"router/[...rest].http":           {},
		"router/taken" + old + ".js.http": {},
		"public/app.css":                  {Data: []byte(css)},
		"public/taken.js":                 {Data: []byte("let a")},
		"public/app" + old + ".js":        {Data: []byte("literal")},
		"public/app.js":                   {Data: []byte("let b")},
		"public/README":                   {Data: []byte("read me")},
		"public/film.mp4":                 {Data: []byte(film)},
		"public/shop/over.css":            {Data: []byte("outer{}")},
	})
	r.At("[...rest]").ANY().Do(func(req *flow.Request) string { return "rest " + req.Param("rest") })
	r.At("taken" + old + ".js").GET().Do(func(*flow.Request) string { return "route" })
	r.Mount("/shop", shop)
	r.Mount("/orgs/[org]", org)
	r.Use(sets("Cache-Control", "public, max-age=60"))
	is.New(t).NoErr(r.Check())
	over, err := shop.Asset("over.css")
	if err != nil {
		t.Fatal(err)
	}
	const unkept, kept = "no-store", "public, max-age=60"
	for _, tt := range []struct{ method, target, want, cache string }{
		{"GET", "/app" + old + ".css", "200 " + css, unkept},
		{"POST", "/app" + old + ".css", "200 rest app" + old + ".css", kept}, // the method takes part
		{"GET", "/app.css", "200 " + css, kept},
		{"GET", "/README" + old, "200 read me", unkept},
		{"GET", "/film" + old + ".mp4", "200 " + film, unkept},
		{"GET", "/taken" + old + ".js", "200 route", kept},
		{"GET", "/app" + old + ".js", "200 literal", kept},
		{"GET", "/shop/app" + old + ".css", "200 shop{}", unkept},
		{"GET", over, "200 inner{}", kept}, // the file of that name outside does not take it
		{"GET", "/shop/over.css", "200 outer{}", kept},
		{"GET", "/orgs/acme/logo" + old + ".svg", "200 <svg>", unkept},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, tt.method, tt.target)
			is.True(says(w) == tt.want)
			is.Equal(w.Header()["Cache-Control"], []string{tt.cache})
		})
	}
	t.Run("not modified", func(t *testing.T) {
		is := is.New(t)
		tag := serve(r, "GET", "/app.css").Header().Get("ETag")
		w := serve(r, "GET", "/app"+old+".css", "If-None-Match: "+tag)
		is.Equal(w.Code, 304)
		is.Equal(w.Header().Get("Cache-Control"), unkept)
	})
}

// TestNotFoundOfAHashedURL must not be kept: another version may have the file.
func TestNotFoundOfAHashedURL(t *testing.T) {
	const hash = ".aaaaaaaaaaaaaaaa"
	kept := func(*flow.Request, error) flow.Response {
		return flow.Text("sorry").Header("Cache-Control", "max-age=60")
	}
	for _, onError := range []func(*flow.Request, error) flow.Response{nil, kept} {
		r := flow.New(fstest.MapFS{"router/posts/[slug].http": {}, "router/own/[slug].http": {}, "public/app.css": {}})
		r.At("posts/[slug]").GET().Do(func(*flow.Request) (flow.Response, error) { return flow.Response{}, flow.Error(404, "no such post") })
		r.At("own/[slug]").GET().Do(func(*flow.Request) flow.Response {
			return flow.Text("gone").Status(404).Header("Cache-Control", "max-age=60")
		})
		r.Use(sets("Cache-Control", "public, max-age=60"))
		r.OnError = onError
		is.New(t).NoErr(r.Check())
		for _, tt := range []struct {
			target string
			keeps  bool
		}{
			{"/other" + hash + ".js", false},
			{"/deep/other" + hash, false},
			{"/posts/other" + hash + ".css", false},
			{"/own/other" + hash + ".css", false},
			{"/other.js", true},
			{"/posts/app.css", true},
			{"/app" + hash + ".css/deep", true},
		} {
			for _, accept := range []string{"text/html", "application/json", "text/plain"} {
				t.Run(fmt.Sprint(onError != nil, tt.target, accept), func(t *testing.T) {
					is := is.New(t)
					w := serve(r, "GET", tt.target, "Accept: "+accept)
					is.Equal(w.Code, 404)
					is.Equal(w.Header().Get("Cache-Control") != "no-store", tt.keeps)
				})
			}
		}
	}
}
