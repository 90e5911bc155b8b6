package flow

import (
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
)

func TestPublicFilesAreServed(t *testing.T) {
	r := New(fstest.MapFS{
		"router/[...rest].http":    {},
		"router/index.html":        {Data: []byte("home")},
		"public/app.css":           {Data: []byte("body{}")},
		"public/_next/[id].js":     {Data: []byte("let a")},
		"public/index.html":        {Data: []byte("<p>public")},
		"public/.well-known/a.txt": {Data: []byte("known")},
		"public/.env":              {Data: []byte("secret")},
		"public/.git/config":       {Data: []byte("secret")},
		"public/a b.txt":           {Data: []byte("space")},
		"public/empty.txt":         {},
	})
	r.At("[...rest]").ANY().Do(func(req *Request) string { return "rest " + req.Param("rest") })
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, target, want, contentType string }{
		{"GET", "/", "200 home", "text/html; charset=utf-8"},
		{"GET", "/app.css", "200 body{}", "text/css; charset=utf-8"},
		{"HEAD", "/app.css", "200 ", "text/css; charset=utf-8"},
		{"GET", "/_next/[id].js", "200 let a", "text/javascript; charset=utf-8"},
		{"GET", "/_next/5.js", "200 rest _next/5.js", "text/plain; charset=utf-8"},
		{"GET", "/index.html", "200 <p>public", "text/html; charset=utf-8"},
		{"GET", "/.well-known/a.txt", "200 known", "text/plain; charset=utf-8"},
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
	r := New(fstest.MapFS{"router/index.html": {}, "public/app.css": {}})
	is.Equal(says(serve(r, "POST", "/app.css")), "405 Allow GET, HEAD, OPTIONS")
	is.Equal(says(serve(r, "GET", "/app.css/")), "308 Location /app.css")
}
