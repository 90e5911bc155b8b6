package flow_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// many returns how many cases a test generates: all of them with FLOW_SLOW in the
// environment, as .ci/run has it, and else a quarter. With the race detector it is also a
// quarter, since it is slow, and one goroutine tries the cases.
func many(all int) int {
	if os.Getenv("FLOW_SLOW") == "" || race.Enabled {
		return all / 4
	}
	return all
}

const (
	jsonMedia  = "application/json"
	formType   = "application/x-www-form-urlencoded"
	multiMedia = "multipart/form-data; boundary=b"
)

var (
	sending = flowtest.Sending
	parts   = flowtest.Parts
)

// lone returns a Router of one route file, x, that answers every method with the
// handler, after the middleware, and the log that it writes.
func lone(handler any, use ...any) (*flow.Router, *journal) {
	r := flow.New(flowtest.Files("router/x.http"))
	r.Use(use...)
	r.At("x").ANY().Do(handler)
	return r, journalOf(r)
}

// journalOf makes r log into a journal, in JSON: see records.
func journalOf(r *flow.Router) *journal {
	log := &journal{}
	r.Logger = slog.New(slog.NewJSONHandler(log, nil))
	return log
}

// A journal is a log that may be read while others write.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func do(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// around returns standard middleware that does something in the place of the next handler.
func around(f func(next http.Handler, w http.ResponseWriter, r *http.Request)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(next, w, r) })
	}
}

// before returns standard middleware that does something before it goes on.
func before(f func(*http.Request)) func(http.Handler) http.Handler {
	return around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		f(r)
		next.ServeHTTP(w, r)
	})
}

// sets returns standard middleware that sets a header before it goes on.
func sets(key, value string) func(http.Handler) http.Handler {
	return around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		w.Header().Set(key, value)
		next.ServeHTTP(w, r)
	})
}

// std returns a net/http handler that does something with the request, and answers nothing.
func std(f func(*http.Request)) func(http.ResponseWriter, *http.Request) {
	return func(_ http.ResponseWriter, r *http.Request) { f(r) }
}

// wire sends text to a server as it is, with the sending side closed, and returns
// the status of the answer.
func wire(t *testing.T, server *httptest.Server, text string) int {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, text) // a server may answer and close before it has read all
	conn.(*net.TCPConn).CloseWrite()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// logged makes r write its log into a buffer.
func logged(r *flow.Router) *bytes.Buffer {
	b := &bytes.Buffer{}
	r.Logger = slog.New(slog.NewTextHandler(b, nil))
	return b
}

type marshaler func() ([]byte, error)

func (m marshaler) MarshalJSON() ([]byte, error) { return m() }

// onDisk writes files into a directory of its own.
func onDisk(t *testing.T, files fstest.MapFS) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write puts text into a file of the directory.
func write(t *testing.T, dir, file, text string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// records returns the records of a log that lone's Router wrote.
func records(t *testing.T, log *journal) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(log.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

// together calls f at the same time n times.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

func hello(*flow.Request) string { return "hello" }

func pass(*flow.Request) flow.Response { return flow.Next() }

// wrap is standard middleware that marks the answer.
func wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Trace", "wrap")
		next.ServeHTTP(w, r)
	})
}

// thisTest is a position in a file of these tests: "flow/names_test.go:12". The directory is
// called as the repository was cloned, and that name may have spaces.
var thisTest = func() *regexp.Regexp {
	dir, _ := os.Getwd() // without it, only names with spaces are not recognized
	return regexp.MustCompile(`[^\s"]*(` + regexp.QuoteMeta(filepath.Base(dir)) + `/)?[a-z]+_test\.go:\d+`)
}()

// report returns the faults of r, a line each, with HERE for positions in the tests.
func report(r *flow.Router) []string {
	err := r.Check()
	if err == nil {
		return nil
	}
	return strings.Split(thisTest.ReplaceAllString(err.Error(), "HERE"), "\n")
}

// errorText returns the text of an error, or "" if there is none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// mark returns a guard that adds to the header Trace.
func mark(name string) func(*flow.Request) flow.Response {
	return func(*flow.Request) flow.Response { return flow.Next().Cookie(&http.Cookie{Name: name, Value: "1"}) }
}

// marks returns the names that mark left, in order.
func marks(w *httptest.ResponseRecorder) string {
	var names []string
	for _, c := range w.Result().Cookies() {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

// markStd is mark as standard middleware.
func markStd(name string) func(http.Handler) http.Handler {
	return around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: name, Value: "1"})
		next.ServeHTTP(w, r)
	})
}

// answers returns a handler that says which file and method it was registered
// for and what the parameters are: "router/[id].http GET id=42 rest=a|b".
func answers(r *routetree.Route, method string) func(*flow.Request) string {
	return func(req *flow.Request) string {
		text := r.File + " " + method
		for _, seg := range r.Patterns[len(r.Patterns)-1].Segments {
			switch {
			case seg.Kind == pattern.Param:
				text += " " + seg.Text + "=" + req.Param(seg.Text)
			case seg.Kind == pattern.Rest:
				text += " " + seg.Text + "=" + strings.Join(req.Segments(seg.Text), "|")
			}
		}
		return text
	}
}

// registered makes a Router for the route files that have handlers, each for
// the methods given after its name: "users/[id].http GET PUT".
func registered(tb testing.TB, lines ...string) *flow.Router {
	tb.Helper()
	r := unchecked(tb, lines...)
	if err := r.Check(); err != nil {
		tb.Fatal(err)
	}
	return r
}

// unchecked is registered without the Check, so that there may be more.
func unchecked(tb testing.TB, lines ...string) *flow.Router {
	tb.Helper()
	tree := fstest.MapFS{}
	for _, line := range lines {
		tree["router/"+strings.Fields(line)[0]] = &fstest.MapFile{}
	}
	r := flow.New(tree)
	routes := map[string]*routetree.Route{}
	for _, rt := range r.Tree().Routes {
		routes[rt.File] = rt
	}
	for _, line := range lines {
		words := strings.Fields(line)
		rt := routes["router/"+words[0]]
		if rt == nil {
			tb.Fatalf("%s is no route: %v", words[0], fault.Join(r.Tree().Faults))
		}
		for _, method := range words[1:] {
			if method == "ANY" {
				r.At(rt.Path).ANY().Do(answers(rt, method))
			} else {
				r.At(rt.Path).Method(method).Do(answers(rt, method))
			}
		}
	}
	return r
}

// request returns a request of this machine for a target as a server would see it: escapes,
// dots and all. Headers are written "Name: value".
func request(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	u, err := url.ParseRequestURI(target)
	if err != nil {
		panic(err)
	}
	r.URL, r.RequestURI = u, target
	r.RemoteAddr, r.Host = "127.0.0.1:1234", "localhost:8080"
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// serve asks h with a request.
func serve(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	return do(h, request(method, target, headers...))
}

// says sums an answer up in a line.
func says(w *httptest.ResponseRecorder) string {
	text := fmt.Sprint(w.Code)
	for _, key := range []string{"Allow", "Location"} {
		if v := w.Header().Get(key); v != "" {
			text += " " + key + " " + v
		}
	}
	if w.Code == http.StatusOK {
		text += " " + w.Body.String()
	}
	return text
}

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

type user struct{ name string }

// pagesOf returns a tree of templates that are written "file: text", one per line.
func pagesOf(lines string) map[string]string {
	texts := map[string]string{}
	for line := range strings.SplitSeq(lines, "\n") {
		file, text, _ := strings.Cut(strings.TrimLeft(line, "\t"), ": ")
		texts[file] = text
	}
	return texts
}

// dial connects to a server by hand until the end of the test.
func dial(t testing.TB, addr string) *servertest.Client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return servertest.NewClient(t, conn)
}
