package requests_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

func TestMountChain(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/x.html"))
	inner.Use(apptest.MarkStd("inner"))
	r := flow.New(flowtest.Files("router/a.html"))
	r.Use(apptest.Mark("guard"), apptest.MarkStd("std"))
	r.In("").Use(apptest.Mark("in"))
	r.Mount("/in", inner).Use(apptest.Mark("mount1"), apptest.MarkStd("mount2"))
	r.Mount("/shut", http.HandlerFunc(apptest.Asked)).Use(func(*flow.Request) flow.Response { return flow.Fail(403, "") })

	is.Equal(apptest.Marks(apptest.Serve(r, "GET", "/in/x")), "guard std in mount1 mount2 inner")
	is.Equal(apptest.Marks(apptest.Serve(r, "GET", "/in/none")), "guard std in mount1 mount2 inner") // it is routed, here
	is.Equal(apptest.Serve(r, "GET", "/shut/x").Code, 403)
}

// TestMountSettings: a mounted Router keeps its own.
func TestMountSettings(t *testing.T) {
	is := is.New(t)
	say := func(req *flow.Request) (string, error) {
		if req.Input("fail") != "" {
			return "", errors.New("no")
		}
		return fmt.Sprintf("%v %v %s", req.User(), req.IsAuthenticated(), req.Input("a")), nil
	}
	inner := flow.New(flowtest.Files("router/x.http"))
	inner.MaxBody = 100
	inner.Authenticate = func(*flow.Request) (any, error) { return "inner", nil }
	inner.OnError = func(_ *flow.Request, err error) flow.Response { return flow.Text("inner: " + err.Error()) }
	inner.CrossOrigin.AddTrustedOrigin("https://friend.example")
	inner.At("x").ANY().Do(say)

	r := flow.New(flowtest.Files("router/x.http"))
	r.MaxBody = 10
	r.Authenticate = func(*flow.Request) (any, error) { return "outer", nil }
	r.OnError = func(_ *flow.Request, err error) flow.Response { return flow.Text("outer: " + err.Error()) }
	r.At("x").ANY().Do(say)
	r.Mount("/in", inner).Use(func(req *flow.Request) flow.Response {
		return flow.Next().Header("Outer", fmt.Sprint(req.User()))
	})
	r.Mount("/small", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, err)
	}))
	r.Mount("/large", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, err)
	})).MaxBody(20)
	is.NoErr(r.Check())

	form := func(target, body string) *http.Request { return flowtest.Sending("POST", target, flowtest.Form, body) }
	is.Equal(apptest.Do(r, form("/x", "a=1")).Body.String(), "outer true 1")
	w := apptest.Do(r, form("/in/x", "a=1"))
	is.Equal(w.Body.String(), "inner true 1")
	is.Equal(w.Header().Get("Outer"), "outer")
	is.Equal(apptest.Do(r, form("/in/x", "a="+strings.Repeat("1", 50))).Code, 200)                                  // the limit of the inner one
	is.Equal(apptest.Do(r, form("/in/x", "a="+strings.Repeat("1", 150))).Body.String()[:len("inner: ")], "inner: ") // and so is the answer
	is.Equal(apptest.Serve(r, "GET", "/in/x?fail=1").Body.String(), "inner: no")
	is.Equal(apptest.Do(r, form("/small/x", "a=123456789")).Body.String(), "http: request body too large")
	is.Equal(apptest.Do(r, form("/large/x", "a=123456789")).Body.String(), "<nil>")

	for _, tt := range []struct{ target, origin, want string }{
		{"/in/x", "friend", "200 inner true 1"},
		{"/x", "friend", "403 outer: 403 this request comes from another origin"},
		{"/in/x", "other", "403 inner: 403 this request comes from another origin"},
		{"/small/x", "other", "403 outer: 403 this request comes from another origin"}, // what is no Router is looked after
	} {
		foreign := form(tt.target, "a=1")
		foreign.Header.Set("Origin", "https://"+tt.origin+".example")
		w := apptest.Do(r, foreign)
		is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
	}
}

// TestMountBody: whoever looks at a body outside, the mounted Router answers as it
// would by itself.
func TestMountBody(t *testing.T) {
	readers := map[string]func(r *http.Request){
		"nobody":    func(*http.Request) {},
		"Input":     func(r *http.Request) { flow.From(r.Context()).Input("a") },
		"FormValue": func(r *http.Request) { r.FormValue("a") },
		"ReadAll":   func(r *http.Request) { io.ReadAll(r.Body) },
		"a byte":    func(r *http.Request) { r.Body.Read(make([]byte, 1)) },
	}
	for name, read := range readers {
		guard := func(req *flow.Request) flow.Response {
			if name != "Input" {
				read(req.Request)
			} else {
				req.Input("a")
			}
			return flow.Next()
		}
		for _, tt := range []struct{ name, contentType, body string }{
			{"form", flowtest.Form, "a=1&b=2"},
			{"malformed form", flowtest.Form, "a=1&b=%zz"},
			{"large form", flowtest.Form, "a=1&b=" + strings.Repeat("2", 5000)},
			{"JSON", flowtest.JSON, `{"a":"1","b":"2"}`},
			{"malformed JSON", flowtest.JSON, `{"a":"1","b":`},
			{"multipart", flowtest.Multipart, flowtest.Parts("a=1", "b=2")},
			{"truncated multipart", flowtest.Multipart, flowtest.Parts("a=1", "b=2")[:60]},
			{"large multipart", flowtest.Multipart, flowtest.Parts("a=1", "b="+strings.Repeat("2", 5000))},
			{"other", "text/plain", "a=1"},
		} {
			t.Run(name+" "+tt.name, func(t *testing.T) {
				is := is.New(t)
				send := func(h http.Handler, target string) string {
					r := flowtest.Sending("POST", target, tt.contentType, tt.body)
					r.ContentLength = -1 // as of a chunked body, so that only reading tells
					return apptest.Says(apptest.Do(h, r))
				}
				app := func() *flow.Router {
					r := flow.New(flowtest.Files("router/x.http", "router/large.http"))
					r.MaxBody = 1000
					r.At("x").POST().Do(func(req *flow.Request) string { return req.Input("a") + req.Input("b") })
					r.At("large").POST().MaxBody(1 << 20).Do(apptest.Hello)
					apptest.JournalOf(r)
					return r
				}
				for _, use := range []any{apptest.Before(read), guard} {
					alone, outer, inner := app(), app(), app()
					alone.Use(use)
					outer.Mount("/in", inner).Use(use)
					is.NoErr(outer.Check())
					is.Equal(send(outer, "/in/x"), send(alone, "/x"))
				}
			})
		}
	}
}

// TestMountLimit: a guard outside holds no more of a body than what answers inside
// would.
func TestMountLimit(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/small.http", "router/large.http"))
	inner.MaxBody = 100
	inner.At("small").POST().Do(apptest.Hello)
	inner.At("large").POST().MaxBody(10_000).Do(apptest.Hello)
	r := flow.New(flowtest.Files("router/a.html"))
	r.MaxBody = 10
	r.Mount("/in", inner).Use(func(req *flow.Request) flow.Response { req.Input("a"); return flow.Next() })
	for _, tt := range []struct {
		target string
		size   int
		code   int
	}{
		{"/in/small", 90, 200}, {"/in/small", 200, 413}, {"/in/large", 9000, 200}, {"/in/large", 11_000, 413}, {"/in/none", 90, 404}, {"/in/none", 200, 413},
	} {
		body := &apptest.CountingReader{Reader: strings.NewReader("a=" + strings.Repeat("1", tt.size-2) + strings.Repeat("&", 1<<20))}
		req := httptest.NewRequest("POST", tt.target, body)
		if tt.code < 400 || tt.target == "/in/none" && tt.size == 90 {
			req = flowtest.Sending("POST", tt.target, flowtest.Form, "a="+strings.Repeat("1", tt.size-2))
		}
		req.Header.Set("Content-Type", flowtest.Form)
		is.Equal(apptest.Do(r, req).Code, tt.code)
		is.True(body.N < 64<<10) // and the rest is not read
	}
}

// TestMountFrom: helpers that ask the context get the Request of the Router that
// answers.
func TestMountFrom(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/[id].http"))
	inner.Authenticate = func(*flow.Request) (any, error) { return "inner", nil }
	inner.At("[id]").GET().Do(func(req *flow.Request) string {
		from := flow.From(req.Context())
		return fmt.Sprint(from.Param("id"), from.Param("org"), from.User())
	})
	r := flow.New(flowtest.Files("router/a.html"))
	r.Authenticate = func(*flow.Request) (any, error) { return "outer", nil }
	r.Use(apptest.Wrap)
	r.Mount("/[org]", inner)
	is.Equal(apptest.Serve(r, "GET", "/x/5").Body.String(), "5xinner")
}

// TestMountPathValues are known outside too, and not written once others may read.
func TestMountPathValues(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/[id].http"))
	inner.At("[id]").GET().Do(func(w http.ResponseWriter, r *http.Request) { apptest.Asked(w, r) })
	r := flow.New(flowtest.Files("router/a.html"))
	var seen string
	r.Use(apptest.Around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		for range 100 { // while the handler, which is late, still runs
			seen = r.PathValue("org") + r.PathValue("id") + r.PathValue("")
		}
	}), func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "late") })
	ended := make(chan bool, 1)
	r.Mount("/[org]", inner).Use(func(req *flow.Request) flow.Response {
		<-req.Context().Done()
		ended <- true
		return flow.Next()
	})
	is.Equal(apptest.Serve(r, "GET", "/x/5").Code, 503)
	<-ended
	is.Equal(seen, "x5")
}

// TestMountOddValues: there is no URL for them, so nothing answers inside.
func TestMountOddValues(t *testing.T) {
	is := is.New(t)
	r, _ := apptest.OuterOf(t, "/orgs/[org]", apptest.Billing())
	log := apptest.JournalOf(r)
	for _, target := range []string{"/orgs/%2e/invoices", "/orgs/%2E%2e/none", "/orgs/%2e%2e", "/orgs/%2e/"} {
		is.Equal(apptest.Serve(r, "GET", target, "Accept: text/html").Body.String(), "404 outside")
	}
	is.Equal(log.String(), "") // nobody can fill it
}

// TestMountRedirectsBodies: a slash that is missing is told before a body is looked at.
func TestMountRedirectsBodies(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/a.html"))
	r.Mount("/files/", http.HandlerFunc(apptest.Asked))
	is.Equal(apptest.Says(apptest.Do(r, flowtest.Sending("POST", "/files?x=1", flowtest.JSON, "{"))), "308 Location /files/?x=1")
}

// TestMountCrossOrigin: no guard runs for a request that is refused.
func TestMountCrossOrigin(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/x.http"))
	inner.At("x").POST().Do(apptest.Hello)
	inner.CrossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) }))
	r := flow.New(flowtest.Files("router/a.html"))
	ran := false
	r.Mount("/in", inner).Use(func(*flow.Request) flow.Response { ran = true; return flow.Next() })
	is.Equal(apptest.Serve(r, "POST", "/in/x", "Sec-Fetch-Site: cross-site").Code, 418)
	is.True(!ran)
}

// TestMountInherits: what is mounted below one organisation links to it, also from
// outside of its Router.
func TestMountInherits(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Files("router/a.http", "public/app.css"))
	inner.At("a").GET().Do(func(req *flow.Request) (string, error) { return req.Asset("app.css") })
	r := flow.New(flowtest.Files("router/orgs/[org]/settings.http"))
	r.Mount("/orgs/[org]", inner).Name("in").Use(func(req *flow.Request) flow.Response {
		if req.URL.Query().Has("login") {
			return flow.RedirectTo("in.a")
		}
		return flow.Next()
	})
	r.At("orgs/[org]/settings").GET().Do(func(*flow.Request) flow.Response { return flow.RedirectTo("in.a") })
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/orgs/1/zz?login")), "302 Location /orgs/1/a")
	is.Equal(apptest.Says(apptest.Serve(r, "GET", "/orgs/1/settings")), "302 Location /orgs/1/a")
	is.True(strings.HasPrefix(apptest.Serve(r, "GET", "/orgs/1/a").Body.String(), "/orgs/1/app."))
}

// TestMountEcosystem: what handles a branch of URLs by itself works as elsewhere.
func TestMountEcosystem(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	tree := fstest.MapFS{
		"index.html":     {Data: []byte("root")},
		"sub/index.html": {Data: []byte("sub")},
		"a b.txt":        {Data: []byte("text")},
		"private/s.txt":  {Data: []byte("secret")},
	}
	fileServer := http.StripPrefix("/files", http.FileServerFS(tree))
	r := flow.New(flowtest.Files("router/index.html"))
	r.Mount("/debug/pprof", mux)
	r.Mount("/files/", fileServer)
	r.Mount("/files/private/", fileServer).Use(func(*flow.Request) flow.Response { return flow.Fail(403, "") })
	server := httptest.NewServer(r)
	defer server.Close()
	server.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

	for _, tt := range []struct{ target, want string }{
		{"/debug/pprof", "307 /debug/pprof/"},
		{"/debug/pprof/", "200 heap"},
		{"/debug/pprof/cmdline", "200 "},
		{"/files", "308 /files/"},
		{"/files/", "200 root"},
		{"/files/sub", "301 sub/"},
		{"/files/sub/", "200 sub"},
		{"/files/a%20b.txt", "200 text"},
		{"/files/none", "404 "},
		{"/files/../index.html", "404 "},
		{"/files/..%2findex.html", "404 "},
		{"/files/private/s.txt", "403 "},
		{"/files/%2e/private/s.txt", "308 /files/private/s.txt"},
		{"/files/private%2fs.txt", "404 "},
		{"/files/sub/%2e%2e/a%20b.txt", "200 text"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			resp, err := server.Client().Get(server.URL + tt.target)
			is.NoErr(err)
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			is.NoErr(err)
			code, text, _ := strings.Cut(tt.want, " ")
			is.Equal(fmt.Sprint(resp.StatusCode), code)
			if resp.StatusCode/100 == 3 {
				is.Equal(resp.Header.Get("Location"), text)
				return
			}
			is.True(strings.Contains(string(b), text))
		})
	}
}

// TestMountOutlived: a mounted Router may run in another goroutine than the outer one.
func TestMountOutlived(t *testing.T) {
	synctest.Test(t, testMountOutlived) // where the time of the outer one is over when the other waits
}

func testMountOutlived(t *testing.T) {
	is := is.New(t)
	release, ended := make(chan struct{}), make(chan string, 1)
	inner := flow.New(flowtest.Files("router/[id].http"))
	inner.At("[id]").GET().Do(func(w http.ResponseWriter, r *http.Request) {
		<-release
		ended <- r.Pattern + " " + r.PathValue("id") + " " + r.PathValue("org")
	})
	r := flow.New(flowtest.Files("router/a.html"))
	r.Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "late") })
	r.Mount("/[org]", inner)
	req := apptest.Request("GET", "/x/5")
	w := apptest.Do(r, req)
	is.Equal(w.Code, 503)
	is.Equal(req.Pattern, "GET /{org}/{id}")
	close(release)
	is.Equal(<-ended, "GET /{org}/{id} 5 x")
}

// TestMountedRouterServedByItself answers as the one around it, and never calls itself.
func TestMountedRouterServedByItself(t *testing.T) {
	is := is.New(t)
	outer, inner := flow.New(flowtest.Files("router/a.http")), flow.New(flowtest.Files("router/b.http"))
	outer.Mount("/in", inner)
	outer.At("a").GET().Do(http.HandlerFunc(inner.ServeHTTP))
	inner.At("b").GET().Do(apptest.Hello)
	log := apptest.JournalOf(outer)
	is.Equal(apptest.Serve(inner, "GET", "/in/b").Code, 200)
	is.Equal(apptest.Serve(inner, "GET", "/b").Code, 404)
	is.Equal(log.String(), "")
	is.Equal(apptest.Serve(outer, "GET", "/a").Code, 500)
	is.Equal(len(apptest.Records(t, log)), 1)
}

// TestMountedRouterWithARequestOfNoRouter is called by the handler of a test, whose Request
// belongs to no Router.
func TestMountedRouterWithARequestOfNoRouter(t *testing.T) {
	is := is.New(t)
	inner := flow.New(flowtest.Pages(apptest.PagesOf("about.html: about")))
	flow.New(flowtest.Pages(apptest.PagesOf("index.html: home"))).Mount("/m", inner)
	w := httptest.NewRecorder()
	flow.Handler(inner).Write(w, flow.NewRequest(httptest.NewRequest("GET", "/m/about", nil)))
	is.Equal(w.Code, 200)
	is.Equal(w.Body.String(), "about")
}
