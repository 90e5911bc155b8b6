package flow_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// misses are a Router with a route and one that leaves every error to the default by hand,
// so that it takes the long way to each answer.
func misses(t *testing.T, setUp func(*flow.Router)) (short, long *flow.Router) {
	t.Helper()
	for _, r := range []**flow.Router{&short, &long} {
		*r = flow.New(flowtest.Files("router/index.html", "router/users/[id].http"))
		(*r).At("users/[id]").GET().Do(func(*flow.Request) string { return "" })
		(*r).Logger = slog.New(slog.DiscardHandler)
		setUp(*r)
	}
	long.OnError = func(*flow.Request, error) flow.Response { return flow.Response{} }
	for _, r := range []*flow.Router{short, long} {
		is.New(t).NoErr(r.Check())
	}
	return short, long
}

// The 404 that was made once is the one that any other error is answered like.
func TestMissIsAnsweredLikeAnError(t *testing.T) {
	for _, tt := range []struct {
		name  string
		setUp func(*flow.Router)
	}{
		{"nothing", func(*flow.Router) {}},
		{"guards", func(r *flow.Router) {
			r.Use(func(*flow.Request) flow.Response { return flow.Text("never").Status(500) })
		}},
		{"Vary", func(r *flow.Router) { r.Use(sets("Vary", "Origin")) }},
		{"Vary of Accept", func(r *flow.Router) { r.Use(sets("Vary", "origin, accept")) }},
		{"an id and a log", func(r *flow.Router) { r.Use(flow.RequestID, flow.Logger(slog.New(slog.DiscardHandler))) }},
		{"a length", func(r *flow.Router) { r.Use(sets("Content-Length", "3")) }},
		{"a user who cannot be asked for", func(r *flow.Router) {
			r.Authenticate = func(*flow.Request) (any, error) { return nil, errors.New("down") }
			r.Use(before(func(r *http.Request) { flow.From(r.Context()).User() }))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			short, long := misses(t, tt.setUp)
			for _, target := range []string{"/wp-login.php", "/users/7/x", "/a//b", "/a%2Fb"} {
				for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "LOCK"} {
					for _, accepts := range []string{"", "*/*", "text/plain", "application/json", "text/html", "image/png"} {
						ask := func(r *flow.Router) *http.Response {
							req := request(method, target)
							req.Header.Set("X-Request-Id", "7")
							if accepts != "" {
								req.Header.Set("Accept", accepts)
							}
							return do(r, req).Result()
						}
						got, want := ask(short), ask(long)
						is.Equal(got.StatusCode, want.StatusCode)
						is.Equal(got.Header, want.Header)
						a, err := io.ReadAll(got.Body)
						is.NoErr(err)
						b, err := io.ReadAll(want.Body)
						is.NoErr(err)
						is.Equal(string(a), string(b))
					}
				}
			}
		})
	}
}

// Scanners ask for thousands of URLs that nobody has.
func TestMissesAllocateLittle(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	r, _ := misses(t, func(*flow.Router) {})
	for _, accepts := range []string{"*/*", "text/plain", "application/json"} {
		t.Run(accepts, func(t *testing.T) {
			is := is.New(t)
			req := request("GET", "/wp-login.php")
			req.Header.Set("Accept", accepts)
			w := httptest.NewRecorder()
			n := testing.AllocsPerRun(100, func() {
				clear(w.Header())
				w.Body.Reset()
				r.ServeHTTP(w, req)
			})
			is.Equal(w.Code, 404)
			is.True(n <= 3) // the values of two headers, and what the recorder notes
		})
	}
}

func TestPreflightMeetsTheFileItAsksFor(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/users/new.http", "router/users/[id].http"))
	r.At("users/new").GET().Do(hello)
	r.At("users/[id]").PUT().Do(hello)
	r.At("users/new").Use(markStd("new"))
	r.At("users/[id]").Use(markStd("id"))
	is.NoErr(r.Check())
	ask := func(method string) string {
		req := request("OPTIONS", "/users/new")
		req.Header.Set("Access-Control-Request-Method", method)
		w := do(r, req)
		is.Equal(w.Code, 204)
		return marks(w)
	}
	is.Equal(ask("GET"), "new")
	is.Equal(ask("PUT"), "id")
	is.Equal(ask("DELETE"), "new") // nobody answers it: the most specific file
}

func TestCrossOrigin(t *testing.T) {
	newRouter := func() *flow.Router {
		r := flow.New(flowtest.Files("router/a.html"))
		r.At("a").POST().Use(mark("guard")).Do(hello)
		r.Use(markStd("std"))
		return r
	}
	ask := func(r *flow.Router, method, origin, site string) *httptest.ResponseRecorder {
		req := request(method, "/a", "Origin: "+origin, "Sec-Fetch-Site: "+site)
		req.Host = "example.com"
		return do(r, req)
	}
	for _, tt := range []struct {
		method, origin, site string
		want                 int
		marks                string
	}{
		{"POST", "", "", 200, "std guard"},
		{"POST", "https://example.com", "same-origin", 200, "std guard"},
		{"POST", "https://evil.example", "cross-site", 403, "std"},
		{"POST", "https://evil.example", "", 403, "std"},
		{"GET", "https://evil.example", "cross-site", 200, "std"},
	} {
		t.Run(tt.method+" "+tt.origin+" "+tt.site, func(t *testing.T) {
			is := is.New(t)
			w := ask(newRouter(), tt.method, tt.origin, tt.site)
			is.Equal(w.Code, tt.want)
			is.Equal(marks(w), tt.marks)
		})
	}
	t.Run("trusted", func(t *testing.T) {
		is := is.New(t)
		r := newRouter()
		is.NoErr(r.CrossOrigin.AddTrustedOrigin("https://friend.example"))
		is.Equal(ask(r, "POST", "https://friend.example", "cross-site").Code, 200)
	})
	t.Run("deny handler", func(t *testing.T) {
		is := is.New(t)
		r := newRouter()
		r.OnError = ownFormat // which is not asked
		r.CrossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) }))
		w := ask(r, "POST", "https://evil.example", "cross-site")
		is.Equal(w.Code, 418)
		is.Equal(marks(w), "std")
	})
}

// TestCrossOriginMethods: a request from another origin is refused by its method, whichever
// handler would answer it.
func TestCrossOriginMethods(t *testing.T) {
	r := flow.New(flowtest.Files("router/any.http", "router/own.http"))
	r.At("any").ANY().Do(hello)
	r.At("own").HEAD().Do(hello)
	r.At("own").OPTIONS().Do(hello)
	r.At("own").Method("PROPFIND").Do(hello)
	for _, tt := range []struct {
		request string
		want    int
	}{
		{"GET /any", 200},
		{"HEAD /any", 200},
		{"OPTIONS /any", 200},
		{"POST /any", 403},
		{"DELETE /any", 403},
		{"PROPFIND /any", 403},
		{"HEAD /own", 200},
		{"OPTIONS /own", 200},
		{"PROPFIND /own", 403},
	} {
		t.Run(tt.request, func(t *testing.T) {
			is := is.New(t)
			method, target, _ := strings.Cut(tt.request, " ")
			is.Equal(serve(r, method, target, "Sec-Fetch-Site: cross-site").Code, tt.want)
		})
	}
}

func TestRedirectKeepsStrippedPrefix(t *testing.T) {
	r := registered(t, "index.http GET", "a/[b].http GET")
	for _, tt := range []struct{ prefix, target, want string }{
		{"/app", "/app/a/%2F/?q=1", "308 Location /app/a/%2F?q=1"},
		{"/app", "/app", "200 router/index.http GET"},
		{"/app", "/app//", "308 Location /app"},
		{"/x%2Fy", "/x%2Fy/a/b/", "308 Location /x%2Fy/a/b"},
		{"/app", "/app/a/b|c/", "308 Location /app/a/b%7Cc"},
		{"/app", "/app/a/é/", "308 Location /app/a/%C3%A9"},
		{"/", "//evil.example/../a/b/", "308 Location /a/b"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			prefix, err := url.PathUnescape(tt.prefix)
			is.NoErr(err)
			req := request("GET", tt.target)
			if prefix == tt.prefix {
				w := httptest.NewRecorder()
				http.StripPrefix(prefix, r).ServeHTTP(w, req)
				is.Equal(says(w), tt.want)
				return
			}
			// http.StripPrefix takes the same prefix off both spellings only.
			req.URL.Path = strings.TrimPrefix(req.URL.Path, prefix)
			req.URL.RawPath = strings.TrimPrefix(req.URL.RawPath, tt.prefix)
			w := do(r, req)
			is.Equal(says(w), tt.want)
		})
	}
}

// TestCanonicalRedirectsStayOnTheHost asks for other spellings of paths, over the
// wire: a Location leads to the same host, and to no further redirect.
func TestCanonicalRedirectsStayOnTheHost(t *testing.T) {
	site := func() *flow.Router {
		r := flow.New(flowtest.Files("router/index.http", "router/a.http", "router/evil.example.http", "router/[b]/[c].http", "router/docs/[...rest].http", "router/[b]/x/[...rest].http"))
		for _, path := range []string{"index", "a", "evil.example", "[b]/[c]", "docs/[...rest]", "[b]/x/[...rest]"} {
			r.At(path).GET().Do(hello)
		}
		r.Mount("/files/", http.NotFoundHandler())
		r.Mount("/in/[p]", flow.New(flowtest.Files("router/index.html", "router/y.html")))
		return r
	}
	inside := site()
	for _, tt := range []struct {
		name    string
		handler http.Handler
		prefix  string
	}{
		{"plain", site(), ""},
		{"below StripPrefix", http.StripPrefix("/app", site()), "/app"},
		{"a Router that has middleware", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inside.ServeHTTP(w, r.WithContext(r.Context())) }), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.handler)
			defer server.Close()
			c := &canonicalClient{t: t, addr: server.Listener.Addr().String()}
			defer c.close()
			for _, target := range []string{
				"//evil.example", "///evil.example", `/\evil.example`, `/\/evil.example`, `\\evil.example`, `//\evil.example/`, "/%2f%2fevil.example", "/%2fevil.example//", "/%5cevil.example//", "/.//evil.example", "/..//evil.example",
				"/./%2fevil.example", "/a/..//evil.example", `/./\evil.example`, `/..\evil.example/`, "//evil.example/..", "//evil.example/%2e%2e/", "/evil.example//", "//evil.example/x//y", "//user@evil.example/", "/http:evil.example/", "/http://evil.example",
				"//http://evil.example/", "/./http:evil.example/x", "http://evil.example//x/", "http://evil.example", "http://evil.example//evil.example", "http:evil.example", "http:/evil.example", "http:///evil.example", "https://evil.example//", "HTTP://evil.example/a/",
				"/files", "//files", "/files/..//evil.example", "/in/%2fevil.example/", "/in//evil.example/", "/in/evil.example//", "/a/?//evil.example", "/a/?\\evil.example", "/a/#//evil.example", "/a/?", "//evil.example?x=/../", "/%09//evil.example", "/%0d%0aX:/..//evil.example/",
			} {
				c.check(target)
				c.check(tt.prefix + target)
			}
			random := rand.New(rand.NewPCG(3, 5))
			n := many(3000)
			for range n {
				target := hostileTarget(random)
				if len(target) > 9000 {
					continue
				}
				if random.IntN(4) > 0 {
					target = tt.prefix + "/" + target
				}
				c.check(target)
			}
			if c.redirects < n/15 {
				t.Errorf("only %d redirects", c.redirects)
			}
		})
	}
}

// A canonicalClient asks a server for targets as they are.
type canonicalClient struct {
	t         *testing.T
	addr      string
	conn      net.Conn
	r         *bufio.Reader
	redirects int
}

func (c *canonicalClient) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// ask returns the status and the Location of the answer to a GET, 0 if there is none.
func (c *canonicalClient) ask(target string) (status int, location string) {
	c.t.Helper()
	if c.conn == nil {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			c.t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(servertest.Patience))
		c.conn, c.r = conn, bufio.NewReader(conn)
	}
	fmt.Fprintf(c.conn, "GET %s HTTP/1.1\r\nHost: app.example\r\n\r\n", target)
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.close()
		return 0, ""
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.Close || resp.StatusCode == http.StatusBadRequest {
		c.close()
	}
	return resp.StatusCode, resp.Header.Get("Location")
}

// check asks for a target, and again for where it leads.
func (c *canonicalClient) check(target string) {
	c.t.Helper()
	if strings.ContainsAny(target, " \r\n") {
		return // more than a target
	}
	status, location := c.ask(target)
	if status != http.StatusPermanentRedirect {
		if location != "" || status >= 500 {
			c.t.Errorf("%.200q: %d %.200q", target, status, location)
		}
		return
	}
	c.redirects++
	if scheme, host := browserReads(location); scheme != "http" || host != "app.example" || !strings.HasPrefix(location, "/") {
		c.t.Errorf("%.200q leads to %.200q: %s %s", target, location, scheme, host)
	}
	again, next := c.ask(location)
	if slash := next == location+"/"; again == http.StatusPermanentRedirect && !slash || again == 0 { // a mount may want one
		c.t.Errorf("%.200q leads to %.200q: %d %.200q", target, location, again, next)
	}
}
