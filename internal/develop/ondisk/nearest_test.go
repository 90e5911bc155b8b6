package ondisk

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
	"example.com/flow/internal/testkit/flowtest"
)

func TestNearest(t *testing.T) {
	tree := routetree.Parse(flowtest.Files(
		"router/index.html", "router/about.html", "router/users/index.html", "router/users/new.html", "router/users/[id].html",
		"router/users/[id]/edit.html", "router/orders/[n=int].html", "router/docs/[...page].html", "router/(admin)/reports.html",
		"public/css/app.css", "public/logo.svg",
	), nil)
	tree.SetMatchers(nil, nil)
	for _, tt := range []struct{ asked, want string }{
		// Letters.
		{"/abuot", "did you mean /about (router/about.html)?"},
		{"/abou", "did you mean /about (router/about.html)?"},
		{"/About", "did you mean /about (router/about.html)?"},
		{"/ABOUT", "did you mean /about (router/about.html)?"},
		{"/user", "did you mean /users (router/users/index.html)?"},
		{"/usres/new", "did you mean /users/new (router/users/new.html)?"},
		{"/usres/nwe", "did you mean /users/nwe (router/users/[id].html)?"},
		{"/user/7/edit", "did you mean /users/7/edit (router/users/[id]/edit.html)?"},
		{"/users/7/edt", "did you mean /users/7/edit (router/users/[id]/edit.html)?"},
		{"/user/a b/edit", "did you mean /users/a%20b/edit (router/users/[id]/edit.html)?"},
		{"/doc/a/b/c", "did you mean /docs/a/b/c (router/docs/[...page].html)?"},
		{"/css/ap.css", "did you mean /css/app.css (public/css/app.css)?"},
		// Segments.
		{"/docs", "did you mean /docs/{page...} (router/docs/[...page].html)?"},
		{"/users/7/8", "did you mean /users/7 (router/users/[id].html)?"},
		{"/app.css", "did you mean /css/app.css (public/css/app.css)?"},
		{"/admin/users/new", "did you mean /users/new (router/users/new.html)?"},
		// Names of files, and hashed URLs of production.
		{"/index.html", "did you mean / (router/index.html)?"},
		{"/about.html", "did you mean /about (router/about.html)?"},
		{"/router/users/new.html", "did you mean /users/new (router/users/new.html)?"},
		{"/about/index", "did you mean /about (router/about.html)?"},
		{"/(admin)/reports", "did you mean /reports (router/(admin)/reports.html)?"},
		{"/public/css/app.css", "did you mean /css/app.css (public/css/app.css)?"},
		{"/css/app.4ugmjvqtcgfftyxn.css", "did you mean /css/app.css (public/css/app.css)?"},
		// Matchers.
		{"/orders/seven", `router/orders/[n=int].html answers /orders/{n}, and "seven" does not match "int"`},
		{"/order/seven", `router/orders/[n=int].html answers /orders/{n}, and "seven" does not match "int"`},
		{"/order/7", "did you mean /orders/7 (router/orders/[n=int].html)?"},
		// Other URLs.
		{"/x", ""},
		{"/favicon.ico", ""},
		{"/something/else", ""},
		{"/logo.jpeg", ""},
		{"/a/b/c/d/e/f", ""},
		{"/" + strings.Repeat("users/", 2000), ""},
		{"/" + strings.Repeat("users", 20000), ""},
	} {
		t.Run(tt.asked[:min(len(tt.asked), 40)], func(t *testing.T) {
			is := is.New(t)
			r := httptest.NewRequest("GET", "/", nil)
			r.URL.Path = tt.asked
			p, ok := pattern.ParsePath(r)
			is.True(ok)
			is.Equal(Nearest(p.Segments, site.TreeRoutes(tree), tree.Formats), tt.want)
		})
	}
	is := is.New(t)
	is.Equal(Nearest(nil, site.TreeRoutes(routetree.Parse(flowtest.Files("router/about.html", "router/[id].html"), nil)), nil), "") // "/"
}
