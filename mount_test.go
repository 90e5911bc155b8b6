package flow_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func TestMountMatch(t *testing.T) {
	for _, tt := range []struct {
		mounts []string
		files  []string
		method string
		target string
		want   string
	}{
		// The prefix, and everything below it.
		{[]string{"/x"}, nil, "GET", "/x", "200 GET /x"},
		{[]string{"/x"}, nil, "GET", "/x/", "200 GET /x/"},
		{[]string{"/x"}, nil, "PURGE", "/x/a", "200 PURGE /x/a"},
		{[]string{"/x"}, nil, "OPTIONS", "/x/a", "200 OPTIONS /x/a"},
		{[]string{"/x"}, nil, "GET", "/xy", "404"},
		{[]string{"/x/y"}, nil, "GET", "/x", "404"},
		{[]string{"/"}, nil, "GET", "/", "200 GET /"},
		{[]string{"/"}, nil, "GET", "/a/", "200 GET /a/"},
		{[]string{"/50%"}, nil, "GET", "/50%25/a", "200 GET /50%25/a"},

		// How a URL is spelled below the prefix is the handler's affair.
		{[]string{"/x"}, nil, "GET", "/x//a", "200 GET /x//a"},
		{[]string{"/x"}, nil, "GET", "/x/b/%2e%2e/a", "200 GET /x/b/%2e%2e/a"},
		{[]string{"/x"}, nil, "GET", "/x/a%2Fb%2f", "200 GET /x/a%2Fb%2f"},
		// How the prefix is spelled is not.
		{[]string{"/x"}, nil, "GET", "//x/a", "308 Location /x/a"},
		{[]string{"/x"}, nil, "GET", "/y/../x/a/?q=1", "308 Location /x/a?q=1"},
		{[]string{"/x"}, nil, "GET", "/x/../y", "404"},
		{[]string{"/x"}, []string{"y.http GET"}, "GET", "/x/../y", "308 Location /y"},
		// Nor may the spelling lead out of the prefix, if only on the way.
		{[]string{"/x"}, nil, "GET", "/x/%2e%2e/y", "404"},
		{[]string{"/x"}, []string{"y.http GET"}, "GET", "/x/%2e%2E/y?q=%2e", "308 Location /y?q=%2e"},
		{[]string{"/x"}, []string{"y.http GET"}, "GET", "/x/..%2fy", "404"},
		{[]string{"/x"}, []string{"y.http GET"}, "GET", "/x/..%5Cy", "404"},
		{[]string{"/x"}, nil, "GET", "/x/%2e%2e/x/%79", "308 Location /x/%79"},
		{[]string{"/"}, nil, "GET", "/../a", "308 Location /a"},
		{[]string{"/"}, nil, "GET", "/a/%2e%2e", "200 GET /a/%2e%2e"},

		// It does not get what is another's in a spelling that it may read so.
		{[]string{"/x", "/x/y"}, nil, "GET", "/x/%2e/y/z", "308 Location /x/y/z"},
		{[]string{"/x", "/x/y"}, nil, "GET", "/x/a/%2e%2e/b/y", "200 GET /x/a/%2e%2e/b/y"},
		{[]string{"/x", "/x/y"}, nil, "GET", "/x/y%2fz", "404"},
		{[]string{"/x", "/x/y"}, nil, "GET", "/x%2fy/z", "404"},
		{[]string{"/x", "/x/y"}, nil, "GET", "/x/y%5Cz", "404"}, // which has no RawPath
		{[]string{"/x", "/x/y"}, nil, "GET", `/x/y\z`, "404"},
		{[]string{"/x", "/x/y"}, nil, "GET", "/x/%252e/y", "200 GET /x/%252e/y"}, // what is unescaped twice is not ours
		{[]string{"/x"}, []string{"x/y.http GET"}, "GET", "/x/%2e/y", "308 Location /x/y"},
		{[]string{"/x"}, []string{"x/y.http GET"}, "POST", "/x/%2e/y", "200 POST /x/%2e/y"}, // as it is for /x/y
		{[]string{"/x"}, []string{"x/y/[...z].http GET"}, "GET", "/x/y%2fz", "404"},
		{[]string{"/x"}, []string{"x/y/[...z].http GET"}, "GET", "/x/y/%2e%2e", "200 router/x/y/[...z].http GET z=.."},
		{[]string{"/x"}, []string{"x/y/z/s.http GET"}, "GET", "/x/y%5Cz/a%5Cb/../s", "404"}, // cleaned, and again with slashes

		// It ranks as a catch-all.
		{[]string{"/x"}, []string{"x/a.http GET"}, "GET", "/x/a", "200 router/x/a.http GET"},
		{[]string{"/x"}, []string{"x/a.http GET"}, "POST", "/x/a", "200 POST /x/a"},
		{[]string{"/x"}, []string{"x/a.http GET"}, "GET", "/x/a/", "308 Location /x/a"},
		{[]string{"/x"}, []string{"x/[id].http GET"}, "GET", "/x/a/b", "200 GET /x/a/b"},
		{[]string{"/x"}, []string{"[...all].http GET"}, "GET", "/x/b", "200 GET /x/b"},
		{[]string{"/"}, []string{"[...all].html GET"}, "GET", "/x/b", ""},
		{[]string{"/"}, []string{"index.http GET", "a.http GET"}, "GET", "/", "200 router/index.http GET"},
		{[]string{"/"}, []string{"index.http GET", "a.http GET"}, "GET", "/a/", "308 Location /a"},
		{[]string{"/x"}, []string{"x.http GET"}, "GET", "/x", "200 router/x.http GET"},
		{[]string{"/x"}, []string{"x.http ANY"}, "PUT", "/x", "200 router/x.http ANY"},
		{[]string{"/x", "/x/y"}, nil, "GET", "/x/y/z", "200 GET /x/y/z"},

		// Parameters of the prefix.
		{[]string{"/orgs/[org]"}, nil, "GET", "/orgs/a%20b", "200 GET /orgs/a%20b org=a b"},
		{[]string{"/orgs/[org]"}, nil, "GET", "/orgs/a/x/../../b/y", "308 Location /orgs/b/y"},
		{[]string{"/orgs/[org]"}, nil, "GET", "/orgs/a/c%2Fd", "200 GET /orgs/a/c%2Fd org=a"},
		{[]string{"/orgs/[org]"}, nil, "GET", "/orgs/a/%2e%2e/b/c", "308 Location /orgs/b/c"},
		{[]string{"/orgs/[org]"}, nil, "GET", "/orgs/%2e/b/c", "308 Location /orgs/b/c"},
		{[]string{"/orgs/[org]"}, nil, "GET", "/orgs/a%2Fb/c", "404"}, // it may read the organisation a
		{[]string{"/orgs/[org]"}, nil, "GET", "/orgs/a%5Cb/c", "404"},
		{[]string{"/orgs/[org]", "/orgs/a"}, nil, "GET", "/orgs/b/%2e%2e/a/c", "308 Location /orgs/a/c"},
		{[]string{"/orgs/[org]"}, nil, "GET", "/orgs", "404"},
		{[]string{"/[org]/[id]"}, nil, "GET", "/a/b/c/", "200 GET /a/b/c/ org=a id=b"},

		// A slash at its end is asked for.
		{[]string{"/x/"}, nil, "GET", "/x", "308 Location /x/"},
		{[]string{"/x/"}, nil, "GET", "/x?q=%2F", "308 Location /x/?q=%2F"},
		{[]string{"/[org]/"}, nil, "GET", "/a%20b", "308 Location /a%20b/"},
		{[]string{"/[org]/"}, nil, "GET", "/%2Fevil.example", "404"},
		{[]string{"/", "/x"}, nil, "GET", "/%2e//evil.example/%2e%2e/x", "308 Location /x"},
	} {
		t.Run(fmt.Sprint(tt.mounts, tt.files, tt.method, tt.target), func(t *testing.T) {
			is := is.New(t)
			r := unchecked(t, append(tt.files, "zzz.html")...)
			for _, prefix := range tt.mounts {
				r.Mount(prefix, http.HandlerFunc(asked))
			}
			if tt.want == "" {
				is.True(r.Check() != nil)
				return
			}
			is.NoErr(r.Check())
			is.Equal(says(serve(r, tt.method, tt.target)), tt.want)
		})
	}
}

func TestMountFaults(t *testing.T) {
	h := http.HandlerFunc(asked)
	golden := flowtest.OpenGolden(t, "faults/mounts.txt")
	for _, tt := range []struct {
		name  string
		mount func(r *flow.Router)
	}{
		{"no slash", func(r *flow.Router) { r.Mount("x", h) }},
		{"empty", func(r *flow.Router) { r.Mount("", h) }},
		{"two slashes", func(r *flow.Router) { r.Mount("/x//y", h) }},
		{"dots", func(r *flow.Router) { r.Mount("/x/..", h) }},
		{"braces", func(r *flow.Router) { r.Mount("/orgs/{org}", h) }},
		{"colon", func(r *flow.Router) { r.Mount("/:org", h) }},
		{"asterisk", func(r *flow.Router) { r.Mount("/x/*", h) }},
		{"backslash", func(r *flow.Router) { r.Mount(`/x\y`, h) }},
		{"group", func(r *flow.Router) { r.Mount("/(x)", h) }},
		{"optional", func(r *flow.Router) { r.Mount("/[[x]]", h) }},
		{"catch-all", func(r *flow.Router) { r.Mount("/[...x]", h) }},
		{"parameter twice", func(r *flow.Router) { r.Mount("/[x]/[x]", h) }},
		{"bad brackets", func(r *flow.Router) { r.Mount("/a[x]", h) }},
		{"nil", func(r *flow.Router) { r.Mount("/x", nil) }},
		{"nil Router", func(r *flow.Router) { r.Mount("/x", (*flow.Router)(nil)) }},
		{"slashes only", func(r *flow.Router) { r.Mount("//", h) }},
		{"no text", func(r *flow.Router) { r.Mount("/\xff", h) }},
		{"a parameter of what is around, mounted", func(r *flow.Router) {
			inner := flow.New(flowtest.Files("router/a.html"))
			r.Mount("/[org]", inner)
			inner.Mount("/x/[org]", h)
		}},
		{"twice", func(r *flow.Router) { r.Mount("/x", h); r.Mount("/x/", h) }},
		{"twice under other names", func(r *flow.Router) { r.Mount("/[a]", h); r.Mount("/[b]", h) }},
		{"a catch-all file", func(r *flow.Router) { r.Mount("/docs", h) }},
		{"inside itself", func(r *flow.Router) { r.Mount("/x", r) }},
		{"in a circle", func(r *flow.Router) {
			inner := flow.New(flowtest.Files("router/a.html"))
			r.Mount("/x", inner)
			inner.Mount("/y", r)
		}},
		{"one Router twice", func(r *flow.Router) {
			inner := flow.New(flowtest.Files("router/a.html"))
			r.Mount("/x", inner).Name("x")
			r.Mount("/y", inner).Name("y")
		}},
		{"name of a handler", func(r *flow.Router) { r.Mount("/x", h).Name("x") }},
		{"empty name", func(r *flow.Router) { r.Mount("/x", flow.New(flowtest.Files("router/a.html"))).Name("") }},
		{"two names", func(r *flow.Router) { r.Mount("/x", flow.New(flowtest.Files("router/a.html"))).Name("a").Name("b") }},
		{"taken name", func(r *flow.Router) { r.Mount("/x", flow.New(flowtest.Files("router/[...rest].html"))).Name("docs") }},
		{"middleware", func(r *flow.Router) { r.Mount("/x", h).Use(1) }},
		{"no limit", func(r *flow.Router) { r.Mount("/x", h).MaxBody(0) }},
		{"faults inside", func(r *flow.Router) {
			inner := flow.New(flowtest.Files("router/a.http", "router/b/[c.html"))
			r.Mount("/x", inner)
		}},
		{"no tree inside", func(r *flow.Router) { r.Mount("/x", flow.New(nil)) }},
		{"no tree inside, and a name out of place", func(r *flow.Router) {
			r.At("nothing").GET().Name("x").Do(hello)
			r.Mount("/x", flow.New(flowtest.Files("public/app.css")))
		}},
		{"a parameter of the prefix inside", func(r *flow.Router) { r.Mount("/[org]", flow.New(flowtest.Files("router/[org].html"))) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/docs/[...rest].html"))
			tt.mount(r)
			err := r.Check()
			is.True(err != nil)
			golden.Equal(t, tt.name, thisTest.ReplaceAllString(err.Error(), "HERE"))
			journalOf(r)
			is.Equal(serve(r, "GET", "/").Code, 500)
		})
	}
}

func TestMountRouter(t *testing.T) {
	is := is.New(t)
	inner := billing()
	r, _ := outerOf(t, "/billing", inner)
	is.NoErr(r.Check())
	is.NoErr(inner.Check())

	css, err := inner.Asset("app.css")
	is.NoErr(err)
	is.True(strings.HasPrefix(css, "/billing/app.")) // public files carry the prefix
	layout := `<nav href="/billing/invoices" home="/" css="` + css + `">`
	for _, tt := range []struct{ method, target, want string }{
		{"GET", "/billing", "200 " + layout + "all"},
		{"GET", "/billing/", "308 Location /billing"},
		{"GET", "/billing//invoices/", "308 Location /billing/invoices"},
		{"GET", "/billing/invoices", "200 " + layout + "invoices"},
		{"GET", "/billing/invoices/5", "200 " + layout + `invoice 5 <a href="/billing/invoices/7">`},
		{"GET", "/billing/pay", "302 Location /billing/invoices/9"},
		{"POST", "/billing/pay", "303 Location /elsewhere"},
		{"DELETE", "/billing/pay", "405 Allow GET, HEAD, OPTIONS, POST"},
		{"OPTIONS", "/billing/pay", "204 Allow GET, HEAD, OPTIONS, POST"},
		{"GET", css, "200 a{}"},
		{"GET", "/billing/app.css", "200 a{}"},
		{"GET", "/app.css", "404"},
		{"GET", "/invoices", "404"},
		{"GET", "/", "200 /billing/invoices/1?org=acme"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(says(serve(r, tt.method, tt.target)), tt.want)
		})
	}
	is.Equal(serve(r, "GET", "/billing/nothing", "Accept: text/html").Body.String(), layout+"404 in billing for /billing/nothing") // it answers 404 by itself
	is.Equal(serve(r, "GET", "/nothing", "Accept: text/html").Body.String(), "404 outside")
	is.Equal(serve(r, "GET", "/billing/invoices/1/none", "Accept: text/html").Body.String(), layout+"404 of an invoice")
}

func TestMountRouterWithParameters(t *testing.T) {
	is := is.New(t)
	inner := billing()
	inner.Authenticate = func(req *flow.Request) (any, error) { return req.Param("org"), nil }
	inner.Funcs = map[string]any{"org": func(req *flow.Request) string { return req.Param("org") }}
	r, _ := outerOf(t, "/orgs/[org]", inner)
	is.NoErr(r.Check())

	for _, tt := range []struct{ target, want string }{
		{"/orgs/acme/invoices/5", `invoice acme5 <a href="/orgs/acme/invoices/7">`},
		{"/orgs/acme/invoices", `invoices`},
		{"/orgs/a%2Fb/invoices/5", `invoice a/b5 <a href="/orgs/a%2Fb/invoices/7">`},
		{"/orgs/acme/none", "404 in billing for /orgs/acme/none"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			org := strings.Split(tt.target, "/")[2]
			w := serve(r, "GET", tt.target, "Accept: text/html")
			is.True(strings.HasPrefix(w.Body.String(), `<nav href="/orgs/`+org+`/invoices" home="/" css="/orgs/`+org+`/app.`)) // all URLs are those of the request's prefix
			_, page, _ := strings.Cut(w.Body.String(), ">")
			is.Equal(page, tt.want)
		})
	}
	is.Equal(says(serve(r, "GET", "/orgs/acme/pay")), "302 Location /orgs/acme/invoices/9")
	is.Equal(says(serve(r, "GET", "/orgs/acme/")), "308 Location /orgs/acme")

	u, err := r.Route("billing.invoices.show", "org", "x", "id", 1)
	is.NoErr(err)
	is.Equal(u, "/orgs/x/invoices/1")
	_, err = r.Route("billing.invoices.show", "id", 1)
	is.Equal(err.Error(), `flow: route "billing.invoices.show" (router/invoices/[id].html): the parameter "org" is missing`)
	_, err = inner.Asset("app.css")
	is.Equal(err.Error(), `flow: asset "app.css": the parameters of /orgs/{org}, where the Router is mounted, are known in requests only: use Request.Asset, or {{asset}} in a template`)
}

// TestMountNames: names link two packages that do not import each other.
func TestMountNames(t *testing.T) {
	is := is.New(t)
	links := func(names ...string) func(*flow.Request) (string, error) {
		return func(req *flow.Request) (string, error) {
			var urls []string
			for _, name := range names {
				u, err := req.Route(name)
				if err != nil {
					u = err.Error()
				}
				urls = append(urls, u)
			}
			return strings.Join(urls, " "), nil
		}
	}
	names := []string{"who", "own", "a.own", "a.b.own", "b.own"}
	app := func(own string) *flow.Router {
		r := flow.New(flowtest.Files("router/who.http", "router/"+own+".http"))
		r.At("who").GET().Do(links(names...))
		r.At(own).GET().Name("own").Do(hello)
		return r
	}
	b := app("of-b")
	a := app("of-a")
	a.Mount("/b/[x]", b).Name("b")
	outer := app("of-outer")
	outer.Mount("/a", a).Name("a")
	is.NoErr(outer.Check())

	is.Equal(serve(outer, "GET", "/who").Body.String(),
		`/who /of-outer /a/of-a flow: route "a.b.own" (router/of-b.http): the parameter "x" is missing flow: no route is called "b.own": did you mean "a.own"?`)
	is.Equal(serve(outer, "GET", "/a/who").Body.String(),
		`/a/who /a/of-a /a/of-a flow: route "a.b.own" (router/of-b.http): the parameter "x" is missing flow: route "b.own" (router/of-b.http): the parameter "x" is missing`)
	is.Equal(serve(outer, "GET", "/a/b/1/who").Body.String(),
		`/a/b/1/who /a/b/1/of-b /a/of-a /a/b/1/of-b /a/b/1/of-b`)
}

func TestMountTemplateNames(t *testing.T) {
	is := is.New(t)
	inner := flow.New(sources(`a.html: {{route "users.id"}} {{route "nobody"}}`))
	r := flow.New(sources(`		users/[id].html: user
		b.html: {{route "in.a"}} {{route "in.b"}}`))
	r.Mount("/in", inner).Name("in")
	is.Equal(r.Check().Error(), `Mount("/in"): router/a.html:1: no route is called "nobody": name one with Name, or use an automatic name
Mount("/in"): router/a.html:1: route "users.id" (router/users/[id].html): the parameter "id" is missing
router/b.html:1: no route is called "in.b": did you mean "in.a"?`)
}

func TestMountPattern(t *testing.T) {
	deep := flow.New(flowtest.Files("router/d/[x].html"))
	inner := flow.New(flowtest.Files("router/users/[id].html"))
	inner.Mount("/deep", deep)
	r := flow.New(flowtest.Files("router/a.html"))
	var seen string
	r.Use(around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		seen = r.Pattern // before anything ran
		next.ServeHTTP(w, r.WithContext(r.Context()))
	}))
	r.Mount("/in/[org]", inner)
	r.Mount("/plain", http.HandlerFunc(asked))
	for _, tt := range []struct{ target, want string }{
		{"/a", "GET /a"},
		{"/in/x/users/5", "GET /in/{org}/users/{id}"},
		{"/in/x/deep/d/1", "GET /in/{org}/deep/d/{x}"},
		{"/in/x/deep/none", "/in/{org}/deep/"},
		{"/in/x/none", "/in/{org}/"},
		{"/plain/a", "/plain/"},
		{"/plain", "/plain/"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			req := request("GET", tt.target)
			r.ServeHTTP(httptest.NewRecorder(), req)
			is.Equal(req.Pattern, tt.want) // on the request that came in
			is.Equal(seen, tt.want)
		})
	}
}

// TestMountAnswersAlike: a Router says, mounted, what it says alone.
func TestMountAnswersAlike(t *testing.T) {
	tree := []string{"router/index.http", "router/a.http", "router/a/[p].http", "router/[p]/b.http", "router/[[o]]/c.http", "router/d/[...rest].http"}
	app := func() *flow.Router {
		r := flow.New(flowtest.Files(tree...))
		for _, rt := range r.Tree().Routes {
			r.At(rt.Path).GET().Do(answers(rt, "GET"))
		}
		return r
	}
	alone, inner, deep := app(), app(), app()
	between := flow.New(flowtest.Files("router/z.html"))
	between.Mount("/y/[o2]", deep)
	outer := flow.New(flowtest.Files("router/z.html"))
	outer.Mount("/x/[o1]", inner)
	outer.Mount("/[o1]", between)
	paths := []string{""}
	for range 3 {
		for _, p := range slices.Clone(paths) {
			for _, segment := range []string{"", "a", "b", "c", "d", "%2F", "%2e", ".", "x%20y", "a%2Fb"} {
				paths = append(paths, p+"/"+segment)
			}
		}
	}
	withoutPrefix := strings.NewReplacer(" o1=1", "", " o1=2", "", " o2=3", "")
	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths[1:]))) {
		for _, method := range []string{"GET", "OPTIONS", "POST"} {
			want := says(serve(alone, method, path))
			for _, prefix := range []string{"/x/1", "/2/y/3"} {
				got := withoutPrefix.Replace(says(serve(outer, method, prefix+path)))
				got = strings.Replace(got, "Location "+prefix, "Location ", 1)
				if got == "308 Location " || path == "/" { // the index, which is the prefix without a slash
					got, want = strings.TrimSuffix(got, "/"), strings.TrimSuffix(want, "/")
				}
				if got != want && path != "/" {
					t.Errorf("%s %s%s: got %q, alone %q", method, prefix, path, got, want)
				}
			}
		}
	}
}

// TestMountOverlap: what is mounted inside gets nothing that is another's outside, nor the
// other way round.
func TestMountOverlap(t *testing.T) {
	h := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, name+" "+r.URL.EscapedPath()) })
	}
	deep := flow.New(flowtest.Files("router/[id].http"))
	deep.At("[id]").GET().Do(func(req *flow.Request) string { return "deep " + req.Param("id") })
	deep.Mount("/files", h("deep files"))
	inner := flow.New(flowtest.Files("router/files/page.http"))
	inner.At("files/page").GET().Do(hello)
	inner.Mount("/files", h("inner files"))
	inner.Mount("/deep/[x]", deep)
	r := flow.New(flowtest.Files("router/in/files/route.http", "public/in/files/pub.txt", "public/app.css"))
	r.At("in/files/route").GET().Do(hello)
	r.Mount("/", h("outer"))
	r.Mount("/in", inner)
	r.Mount("/in/files/private", h("private"))
	for _, tt := range []struct{ target, want string }{
		{"/in/files/a%2fb", "200 inner files /in/files/a%2fb"},
		{"/in/files/%2e/private/s", "308 Location /in/files/private/s"},
		{"/in/files/private%2fs", "404"},
		{"/in/files/%2e/route", "308 Location /in/files/route"},
		{"/in/files/%2e/page", "308 Location /in/files/page"},
		{"/in/files/x%2f..%2fpage", "404"},
		{"/in/files/%2e%2e/%2e%2e/app.css", "308 Location /app.css"},
		{"/in/files/%2e%2e/none", "404"}, // and not the outer handler's
		{"/x/%2e%2e/in/files/page", "308 Location /in/files/page"},
		{"/x/%2e%2e/in/none", "404"},
		{"//in/files/%2e/private/s", "308 Location /in/files/private/s"}, // once
		{"//in/none", "404"},
		{"/in/deep/%2e%2e/files/a", "404"}, // no URL has such a prefix
		{"/in/deep/1%2f2/a", "200 deep a"},
		{"/in/deep/1%2f2/files/a", "404"},
		{"/in/deep/1/files/%2e%2e/%2e%2e/2/files/a", "308 Location /in/deep/2/files/a"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(says(serve(r, "GET", tt.target)), tt.want)
		})
	}
	is := is.New(t)
	for _, u := range []*url.URL{ // as middleware leaves them
		{Path: "/in/files/./private/s", RawPath: "/in/files/s"},
		{Path: "/in/files/../files/private/s", RawPath: "/in/files/%2e%2e"},
		{Path: "/in/files//private/s"},
	} {
		req := request("GET", "/in/files/s")
		req.URL = u
		is.Equal(says(do(r, req)), "308 Location /in/files/private/s")
	}
}

func TestMountDev(t *testing.T) {
	is := is.New(t)
	inner := billing()
	dir := onDisk(t, fstest.MapFS{
		"router/index.html":          {Data: []byte(`changed {{route "invoices.show" "id" 1}} {{asset "app.css"}}`)},
		"router/invoices/[id].html":  {Data: []byte(`x`)},
		"router/invoices/index.html": {Data: []byte(`x`)},
		"router/pay.http":            {},
		"router/new.html":            {Data: []byte(`x`)},
		"public/app.css":             {Data: []byte(`b{}`)},
	})
	inner.Dev(dir)
	journalOf(inner)
	r, _ := outerOf(t, "/orgs/[org]", inner)
	is.NoErr(r.Check())
	is.Equal(says(serve(r, "GET", "/orgs/acme")), "200 changed /orgs/acme/invoices/1 /orgs/acme/app.css")
	is.Equal(says(serve(r, "GET", "/orgs/acme/app.css")), "200 b{}")
	is.True(strings.Contains(visit(r, "/orgs/acme/new").Body.String(), "router/new.html is new")) // the hint knows the prefix
}

func TestMountRoutes(t *testing.T) {
	is := is.New(t)
	inner := billing()
	inner.SetApp("billing")
	r, m := outerOf(t, "/billing", inner)
	m.Use(pass)
	r.Mount("/debug/pprof", http.HandlerFunc(asked))
	r.Use(pass)
	var b strings.Builder
	for _, i := range r.Routes() {
		fmt.Fprintln(&b, i.Method, i.Pattern, i.File, i.Name, i.Middleware)
	}
	is.Equal(b.String(), `GET / router/index.html home 1
GET /billing billing/router/index.html billing.index 2
GET /billing/invoices billing/router/invoices/index.html billing.invoices.index 2
GET /billing/invoices/{id} billing/router/invoices/[id].html billing.invoices.show 2
GET /billing/pay billing/router/pay.http billing.pay 2
POST /billing/pay billing/router/pay.http billing.pay 2
ANY /debug/pprof/   1
GET /users/{id} router/users/[id].html users.id 1
`)
}

func TestMountTooLate(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/a.html"))
	is.NoErr(inner.Check())
	r := flow.New(flowtest.Files("router/a.html"))
	is.True(strings.Contains(fmt.Sprint(flowtest.PanicOf(func() { r.Mount("/x", inner) })), "Mount comes too late"))
	is.NoErr(r.Check())
	is.True(strings.Contains(fmt.Sprint(flowtest.PanicOf(func() { r.Mount("/x", http.HandlerFunc(asked)) })), "Mount comes too late"))
}

// TestMountInnerFirst: whichever of them is asked first compiles both.
func TestMountInnerFirst(t *testing.T) {
	is := is.New(t)
	inner := billing()
	outerOf(t, "/billing", inner)
	u, err := inner.Route("invoices.show", "id", 3)
	is.NoErr(err)
	is.Equal(u, "/billing/invoices/3")
	is.Equal(says(serve(inner, "GET", "/elsewhere")), "404") // it is not asked by itself, and bears it
}

// TestMountIsCompiledWithAll: a mounted Router has no URLs before the last fault of the
// application is found, which is that of a link in a template.
func TestMountIsCompiledWithAll(t *testing.T) {
	is := is.New(t)
	inner := flow.New(sources("index.html: <a href=\"/lost\">\na.http: "))
	inner.At("a").GET().Do(empty)
	outer := flow.New(flowtest.Files("router/[id=id].http"))
	outer.At("[id]").GET().Do(empty)
	outer.Mount("/in", inner)
	var early error
	outer.Matchers = map[string]func(string) bool{"id": func(string) bool {
		_, early = inner.Route("a")
		return false
	}}
	err := outer.Check()
	is.True(err != nil)
	is.Equal(errorText(early), `flow: Route("a"): the routes are being compiled, and have no URLs yet`)
	is.Equal("Mount(\"/in\"): "+inner.Check().Error(), err.Error())
}

func TestServeChecksTheRouterAround(t *testing.T) {
	is := is.New(t)
	outer, inner := flow.New(flowtest.Files("router/a.http")), flow.New(flowtest.Files("router/b.http"))
	outer.Mount("/in", inner)
	inner.At("b").GET().Do(hello)
	err := flow.Serve(t.Context(), "127.0.0.1:0", inner)
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "router/a.http: no handler is registered for it"))
}
