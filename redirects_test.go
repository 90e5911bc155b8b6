package flow

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/servertest"
)

// browserReads returns the scheme and the host of where a browser goes that gets a
// Location from http://app.example/: what of the WHATWG URL standard matters for that.
func browserReads(location string) (scheme, host string) {
	const here, hereHost = "http", "app.example"
	text := strings.TrimFunc(location, func(c rune) bool { return c <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)

	name, rest, found := strings.Cut(text, ":")
	for i, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		found = found && (letter || i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'))
	}
	slash := func(s string) bool { return strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\`) }
	scheme = strings.ToLower(name)
	switch {
	case !found || name == "":
		if scheme, rest = here, text; !slash(rest) || !slash(rest[1:]) {
			return here, hereHost
		}
	case scheme == here && !strings.HasPrefix(rest, "//"):
		// The scheme is left out, so to speak: "http:x" is relative.
		if !slash(rest) || !slash(rest[1:]) {
			return here, hereHost
		}
	case scheme != "http" && scheme != "https" && scheme != "ws" && scheme != "wss" && scheme != "ftp":
		return scheme, ""
	}
	authority := strings.TrimLeft(rest, `/\`)
	if i := strings.IndexAny(authority, `/\?#`); i >= 0 {
		authority = authority[:i]
	}
	host = authority[strings.LastIndex(authority, "@")+1:]
	if i := strings.LastIndex(host, ":"); i > strings.LastIndex(host, "]") {
		host = host[:i]
	}
	if decoded, err := url.PathUnescape(host); err == nil {
		host = decoded
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	return scheme, strings.ToLower(host)
}

func TestBrowserReads(t *testing.T) {
	for _, tt := range []struct{ location, want string }{
		{"/a", "http app.example"},
		{"", "http app.example"},
		{"a//b", "http app.example"},
		{"?//b", "http app.example"},
		{"//b", "http b"},
		{`/\b`, "http b"},
		{`\\b`, "http b"},
		{" \x00\t/\t/b ", "http b"},
		{"/\n/b", "http b"},
		{"////b", "http b"},
		{"http:b", "http app.example"},
		{"http:/b", "http app.example"},
		{"http://b", "http b"},
		{`http:\\b`, "http b"},
		{`http:/\b`, "http b"},
		{"https:b", "https b"},
		{"https:/b", "https b"},
		{"HT\ntPs:/b", "https b"},
		{"https://a@b:80/", "https b"},
		{`https://a\@b/`, "https a"},
		{"https://a#@b", "https a"},
		{"https://a:b@c@d", "https d"},
		{"https://[::1]:80/", "https ::1"},
		{"https://%41/", "https a"},
		{"javascript:alert(1)", "javascript "},
		{"/.//b", "http app.example"},
		{"/%2f/b", "http app.example"},
		{":b", "http app.example"},
		{"1http://b", "http app.example"},
	} {
		t.Run(tt.location, func(t *testing.T) {
			is := is.New(t)
			scheme, host := browserReads(tt.location)
			is.Equal(scheme+" "+host, tt.want)
		})
	}
}

// hostilePieces are what hostile targets are made of.
var hostilePieces = []string{
	"/", "/", "//", "///", `\`, `/\`, `\/`, `\\`, ":", "@", "?", "#", "%", ".", "..", "/.", "/..", ";", "&", "=", "|", "[", "]", "[::1]", "[v1.x]",
	"http:", "https:", "http://", "https://", "HTTP://", "hTTps:/", "https:///", `https:\\`, "ftp://", "javascript:", "data:text/html,", "file:///", "ws://", "blob:", "mailto:a@",
	"evil.example", "good.example", "app.example", "EVIL.example", "1.2.3.4", "0x7f.1", "localhost", "a", "b", ":80", ":443", ":x", ":", "user:pass@", "good.example@", "@evil.example",
	"ex\u00e4mple.com", "\uff45vil.example", "\uff0f", "\uff0fevil.example", "\u2044", "\u3002", "\uff0e", "\u2100", "\u00ad", "\u200b", "\u202e", "\ufeff", "\u0131", "\u212a", "xn--exmple-cua.com", "\xff", "\xc0\xaf",
	"%2f", "%2F", "%5c", "%09", "%0a", "%0d%0aSet-Cookie: a=b", "%00", "%20", "%40", "%3a", "%23", "%3f", "%2e", "%2e%2e", "%c0%af", "%zz", "%", "%25", "%252f",
	" ", "  ", "\t", "\n", "\r", "\r\n", "\x00", "\x0b", "\x0c", "\x1f", "\x7f", "\u0085", "\u00a0", "\u2028", "\r\nLocation: //evil.example",
	strings.Repeat("/", 3000), strings.Repeat("a", 3000), strings.Repeat(`\`, 3000), strings.Repeat("@", 3000),
}

// hostileTarget returns a text of some pieces.
func hostileTarget(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(6) {
		b.WriteString(hostilePieces[random.IntN(len(hostilePieces))])
	}
	return b.String()
}

// checkRedirectTo redirects to a target and reports whether it was accepted: then a
// browser goes to the host that url.Parse finds in it, where a program looks before.
func checkRedirectTo(t *testing.T, r *Router, target string) (accepted bool) {
	t.Helper()
	w := do(r, httptest.NewRequest("GET", "/x?to="+url.QueryEscape(target), nil))
	lines := w.Header()["Location"]
	if w.Code == 500 && len(lines) == 0 {
		return false
	}
	if w.Code != 302 || len(lines) != 1 {
		t.Errorf("%.200q: %d %q", target, w.Code, lines)
		return false
	}
	location := lines[0]
	if strings.ContainsFunc(location, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		t.Errorf("%.200q: a header cannot hold %.200q", target, location)
	}
	wantScheme, wantHost := "http", "app.example"
	if !strings.HasPrefix(target, "/") {
		u, err := url.Parse(target)
		if err != nil {
			t.Errorf("%.200q is accepted, and is no URL: %v", target, err)
			return true
		}
		wantScheme, wantHost = u.Scheme, strings.ToLower(u.Hostname())
	}
	scheme, host := browserReads(location)
	if scheme != wantScheme || host != wantHost || scheme != "http" && scheme != "https" {
		t.Errorf("%.200q: a browser reads %s %.200q, want %s %.200q", target, scheme, host, wantScheme, wantHost)
	}
	return true
}

func redirecting() *Router {
	r, _ := lone(func(req *Request) Response { return Redirect(req.Input("to")) })
	return r
}

// TestRedirectsStayWhereTheProgramWrote: targets are generated, whole ones and what a
// client adds to the beginnings that programs write.
func TestRedirectsStayWhereTheProgramWrote(t *testing.T) {
	for _, tt := range []struct {
		begin, host string // host: "" if the client writes it too
	}{
		{"", ""},
		{"/", "app.example"},
		{"/go/", "app.example"},
		{"/login?next=", "app.example"},
		{"https://good.example/", "good.example"},
		{"https://good.example?next=", "good.example"},
		{"https://good.example#", "good.example"},
	} {
		t.Run(tt.begin, func(t *testing.T) {
			is := is.New(t)
			random := rand.New(rand.NewPCG(7, 11))
			r := redirecting()
			accepted, led := 0, 0 // away, if it had been accepted
			n := many(4000)
			for range n {
				target := tt.begin + hostileTarget(random)
				_, host := browserReads(target)
				if checkRedirectTo(t, r, target) {
					accepted++
					if tt.host != "" && host != tt.host {
						t.Errorf("%.200q is accepted, and leads to %.200q", target, host)
					}
				} else if host != "app.example" && host != tt.host {
					led++
				}
			}
			is.True(accepted > n/40)
			if tt.begin == "" || tt.begin == "/" {
				is.True(led > n*3/40) // the attacks are some
			}
		})
	}
}

// TestRedirectsToRoutesStayOnTheHost, whatever the values of their parameters are.
func TestRedirectsToRoutesStayOnTheHost(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/x.http", "router/[a].http", "router/[...rest].http"))
	journalOf(r)
	for path, key := range map[string]string{"[a]": "a", "[...rest]": "rest", "x": "q"} {
		r.At(path).GET().Name("to-" + key).Do(hello)
		r.At(path).POST().Do(func(req *Request) Response { return RedirectTo("to-"+key, key, req.Input("to")) })
	}
	is.NoErr(r.Check())
	random := rand.New(rand.NewPCG(13, 17))
	redirects := 0
	n := many(3000)
	for range n {
		for _, path := range []string{"/x", "/a", "/a/b"} {
			w := do(r, sending("POST", path, formType, "to="+url.QueryEscape(hostileTarget(random))))
			location := w.Header().Get("Location")
			if w.Code != 303 {
				is.Equal(w.Code, 500) // no URL can hold it
				is.Equal(location, "")
				continue
			}
			redirects++
			scheme, host := browserReads(location)
			is.Equal(scheme+" "+host, "http app.example")
		}
	}
	is.True(redirects > n)
}

func FuzzRedirect(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		f.Add(hostileTarget(random))
	}
	r := redirecting()
	f.Fuzz(func(t *testing.T, target string) { checkRedirectTo(t, r, target) })
}

// TestCanonicalRedirectsStayOnTheHost asks for other spellings of paths, over the
// wire: a Location leads to the same host, and to no further redirect.
func TestCanonicalRedirectsStayOnTheHost(t *testing.T) {
	site := func() *Router {
		r := New(flowtest.Files("router/index.http", "router/a.http", "router/evil.example.http", "router/[b]/[c].http", "router/docs/[...rest].http", "router/[b]/x/[...rest].http"))
		for _, path := range []string{"index", "a", "evil.example", "[b]/[c]", "docs/[...rest]", "[b]/x/[...rest]"} {
			r.At(path).GET().Do(hello)
		}
		r.Mount("/files/", http.NotFoundHandler())
		r.Mount("/in/[p]", New(flowtest.Files("router/index.html", "router/y.html")))
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
