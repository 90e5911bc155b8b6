package hostile_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// TestLoad has many clients ask for everything that a Router can do, at once, and
// looks whether each answer is the one to that very request. In the middle of it the
// servers are told to stop: each request is answered whole, or not begun.
func TestLoad(t *testing.T) {
	const (
		workers = 9
		rounds  = 5 // of each worker, before the servers stop
	)
	servertest.Slow(t)
	l := newLoad(t)
	is.New(t).NoErr(l.router.Check())
	packed := httptest.NewRequest("GET", "/large.css", nil)
	packed.Header.Set("Accept-Encoding", "gzip")
	l.router.ServeHTTP(httptest.NewRecorder(), packed) // while it is made, others get the file as it is
	plain := servertest.OnLoopback(t, l.router, nil)
	encrypted := servertest.OnLoopback(t, l.router, servertest.Secure)
	kept, unkept := plain.Transport(), plain.Transport()
	kept.MaxIdleConnsPerHost = workers
	unkept.DisableKeepAlives = true
	callers := []*loadClient{
		{load: l, client: kept, origin: "http://" + plain.Addr},
		{load: l, client: unkept, origin: "http://" + plain.Addr},
		{load: l, client: encrypted.Transport(), origin: "https://" + encrypted.Addr},
	}

	var warm, all sync.WaitGroup
	warm.Add(workers)
	for i := range workers {
		c := callers[i%len(callers)]
		all.Go(func() {
			enough := sync.OnceFunc(warm.Done)
			defer enough()
			for round := 0; c.round(fmt.Sprintf("w%d-%d", i, round), i); round++ {
				if round == rounds {
					enough()
				}
			}
		})
	}
	warm.Wait()
	for i := range workers { // which are under way for certain
		all.Go(func() { callers[i%len(callers)].send(heldAsk, fmt.Sprint("held-", i)) })
	}
	for range workers {
		servertest.Within(t, "a request is held", l.held)
	}
	l.stopping.Store(true)
	for _, s := range []*servertest.Site{plain, encrypted} {
		s.Stop()
		servertest.Until(t, "the server drains", func() bool { return strings.Contains(s.Log.String(), "stopping") })
	}
	close(l.release)
	for _, s := range []*servertest.Site{plain, encrypted} {
		if err := servertest.Within(t, "the server stops", s.Done); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	l.clones.Wait()
	l.conclude(workers)
}

// A load is a Router under load, and what it and its clients saw.
type load struct {
	t        *testing.T
	router   *flow.Router
	large    string
	stopping atomic.Bool
	clones   sync.WaitGroup // goroutines that outlive their requests
	held     chan string    // requests that wait
	release  chan struct{}  // for this

	mu       sync.Mutex
	begun    map[string]int  // requests by id, as the Router saw them
	logged   map[string]int  // likewise, as Logger told
	answered map[string]bool // likewise, as clients did
	refused  map[string]error
}

type loadUser struct{ name string }

func (u *loadUser) String() string { return u.name }

// errConflict is one that OnError answers.
var errConflict = errors.New("conflict")

// A note is what Bind is given.
type note struct {
	V    string `json:"v" form:"v"`
	N    int    `json:"n" form:"n"`
	Tags []string
}

// Validate refuses a note without a number.
func (n *note) Validate() error {
	if n.N == 0 {
		return flow.Invalid{"n": n.V}
	}
	return nil
}

func newLoad(t *testing.T) *load {
	l := &load{t: t, large: string(flowtest.Stylesheet(20 << 10)), held: make(chan string), release: make(chan struct{}), begun: map[string]int{}, logged: map[string]int{}, answered: map[string]bool{}, refused: map[string]error{}}
	tree := treeOf("public/small.txt: small", "public/large.css: "+l.large,
		"router/once.html: <p>once, {{asset \"small.txt\"}}</p>",
		"router/site/+layout.html: {{block \"title\" .}}{{end}}|{{(request).URL.Query.Get \"v\"}}|{{user}}|{{template \"content\" .}}",
		"router/site/+error.html: error {{.Status}} {{.Detail}} {{.Path}}",
		"router/site/[v].html: {{define \"title\"}}title {{.}}{{end}}page {{.}} {{route \"site.v\" \"v\" .}} {{block \"part\" .}}part {{.}}{{end}}",
		"router/site/views/+row.html: row {{.}} {{(request).URL.Query.Get \"v\"}}",
		"router/site/views/[v].http", "router/site/fail/[v].http", "router/many/[...rest].http", "router/many/[a]/[b]/index.http")
	for _, name := range []string{"string", "fallible", "json", "std", "stream", "events", "bind", "input", "upload", "raw",
		"guarded", "me", "error", "to", "panic", "cut", "slow", "clone", "held"} {
		tree["router/"+name+"/[v].http"] = &fstest.MapFile{}
	}
	r := flow.New(tree)
	l.router = r
	r.Logger = slog.New(slog.DiscardHandler)
	r.Authenticate = func(req *flow.Request) (any, error) {
		switch name := req.Header.Get("X-User"); name {
		case "":
			return nil, nil
		case "down":
			return nil, errConflict
		default:
			return &loadUser{name}, nil
		}
	}
	r.OnError = func(req *flow.Request, err error) flow.Response {
		if errors.Is(err, errConflict) {
			return flow.Text("conflict of " + req.Param("v")).Status(http.StatusConflict)
		}
		return flow.Response{}
	}
	r.Use(flow.RequestID, flow.Logger(slog.New(&logIDs{slog.DiscardHandler, l})), l.notes)
	l.registerForms()
	l.registerBodies()
	l.registerPages()
	l.registerFailures()
	l.registerMounts()
	return l
}

// notes is middleware that remembers which requests have begun.
func (l *load) notes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		l.begun[r.Header.Get("X-Request-Id")]++
		l.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// logIDs is a log that remembers the ids of requests.
type logIDs struct {
	slog.Handler
	load *load
}

func (*logIDs) Enabled(context.Context, slog.Level) bool { return true }

func (h *logIDs) Handle(_ context.Context, record slog.Record) error {
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "id" {
			h.load.mu.Lock()
			defer h.load.mu.Unlock()
			h.load.logged[a.Value.String()]++
		}
		return true
	})
	return nil
}

func (l *load) registerForms() {
	r := l.router
	r.At("string/[v]").GET().Name("string").Do(func(req *flow.Request) string { return "string " + req.Param("v") + " " + req.Input("v") })
	r.At("fallible/[v]").GET().Do(func(req *flow.Request) (string, error) {
		return "", flow.Error(http.StatusTeapot, "teapot "+req.Param("v"))
	})
	r.At("fallible/[v]").POST().Do(func(req *flow.Request) (flow.Response, error) {
		return flow.Text("created "+req.Param("v")).Status(http.StatusCreated).Header("X-V", req.Param("v")).Cookie(&http.Cookie{Name: "v", Value: req.Param("v")}), nil
	})
	r.At("json/[v]").GET().Do(func(req *flow.Request) flow.Response { return flow.Success(req.Only("v"), req.Param("v")) })
	r.At("std/[v]").ANY().Do(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "std %s %s %s %s", r.Method, r.PathValue("v"), flow.From(r.Context()).Param("v"), r.Pattern)
	})
	r.At("stream/[v]").GET().Do(func(req *flow.Request) flow.Response {
		return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 20 {
				fmt.Fprintf(w, "%s,", r.PathValue("v"))
				http.NewResponseController(w).Flush()
			}
		}))
	})
	r.At("events/[v]").GET().Do(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: %s %d\n\n", r.PathValue("v"), i)
			w.(http.Flusher).Flush()
		}
	})
	r.At("many/[...rest]").GET().Do(func(req *flow.Request) string { return strings.Join(req.Segments("rest"), "|") })
	r.At("many/[a]/[b]/index").GET().Do(func(req *flow.Request) string { return req.Param("b") + " " + req.Param("a") })
	r.At("slow/[v]").Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Second, "too slow") })
	r.At("slow/[v]").GET().Do(func(req *flow.Request) string {
		return "in time " + req.Param("v")
	})
	r.At("slow/[v]").POST().Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "too slow") }).Do(func(req *flow.Request) string {
		<-req.Context().Done() // and then it is late
		if v := req.Param("v"); v != req.Input("v") {
			l.t.Errorf("a late request for %s has the body of %s", v, req.Input("v"))
		}
		return "late"
	})
	r.At("held/[v]").POST().Do(func(req *flow.Request) flow.Response {
		return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, req.Param("v"))
			w.(http.Flusher).Flush()
			l.held <- req.Param("v")
			<-l.release
			io.WriteString(w, " "+req.Input("v"))
		}))
	})
	r.At("clone/[v]").POST().Do(func(req *flow.Request) string {
		c, v := req.Clone(), strings.Clone(req.Param("v"))
		l.clones.Go(func() {
			<-req.Context().Done() // of the request that was cloned
			raw, err := io.ReadAll(c.Body)
			got := fmt.Sprint(c.Param("v"), " ", c.Input("v"), " ", c.User(), " ", c.URL.Path, " ", string(raw), " ", err, " ", c.Context().Err())
			if want := fmt.Sprintf("%s %[1]s %[1]s /clone/%[1]s v=%[1]s <nil> <nil>", v); got != want {
				l.t.Errorf("a clone: got %s; want %s", got, want)
			}
		})
		return "cloned " + req.User().(*loadUser).name
	})
}

func (l *load) registerBodies() {
	r := l.router
	bind := func(req *flow.Request) (flow.Response, error) {
		var n note
		if err := req.Bind(&n); err != nil {
			return flow.Response{}, err
		}
		return flow.JSON(n), nil
	}
	r.At("bind/[v]").POST().Do(bind)
	r.At("bind/[v]").GET().Do(bind)
	r.At("input/[v]").POST().Do(func(req *flow.Request) string {
		raw, _ := io.ReadAll(req.Body)
		return fmt.Sprint(req.Inputs("v"), " ", req.FormValue("v"), " ", string(raw))
	})
	r.At("upload/[v]").POST().Do(func(req *flow.Request) (string, error) {
		f, head, err := req.FormFile("f")
		if err != nil {
			return "", err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		return fmt.Sprint(req.Input("v"), " ", head.Filename, " ", strings.TrimRight(string(text), "x"), " ", len(text)), err
	})
	r.At("raw/[v]").POST().MaxBody(30 << 10).Do(echo)
	r.At("guarded/[v]").Use(func(req *flow.Request) flow.Response {
		if req.Input("v") != req.Param("v") {
			return flow.Fail(http.StatusForbidden, "no "+req.Param("v"))
		}
		return flow.Next().Header("X-Guarded", req.Param("v"))
	})
	r.At("guarded/[v]").POST().Do(func(req *flow.Request) string { return "guarded " + req.Input("v") })
	r.At("guarded/[v]").PUT().Do(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PostFormValue("v")+" ")
		io.Copy(w, r.Body)
	})
	r.At("me/[v]").Use(func(req *flow.Request) flow.Response {
		if !req.IsAuthenticated() {
			return flow.Redirect("/string/"+req.Param("v"), http.StatusSeeOther)
		}
		return flow.Next()
	})
	r.At("me/[v]").GET().Do(func(req *flow.Request) string { return "me " + req.User().(*loadUser).name })
}

// echo answers with the body. Of HTTP/1 it must be read before the answer begins.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	w.Write(body)
}

func (l *load) registerPages() {
	r := l.router
	r.At("site/[v]").GET().Do(func(req *flow.Request) flow.Response { return flow.Page(req.Param("v")) })
	r.At("site/[v]").POST().Do(func(req *flow.Request) flow.Response {
		return flow.Page(req.Input("v")).Block("part").Status(http.StatusAccepted)
	})
	r.At("site/views/[v]").GET().Do(func(req *flow.Request) flow.Response { return flow.View("site/views/+row", req.Param("v")) })
	r.At("site/views/[v]").POST().Do(func(req *flow.Request) flow.Response { return flow.View("site/[v]", req.Param("v")) })
	r.At("site/fail/[v]").GET().Do(func(req *flow.Request) flow.Response { return flow.Fail(http.StatusGone, "gone "+req.Param("v")) })
	r.At("to/[v]").GET().Do(func(req *flow.Request) flow.Response {
		return flow.RedirectTo("string", "v", req.Param("v"), "q", req.Input("v"))
	})
	r.At("to/[v]").POST().Do(func(req *flow.Request) flow.Response { return flow.Redirect("/string/" + req.Input("v")) })
}

func (l *load) registerFailures() {
	r := l.router
	r.At("error/[v]").GET().Do(func(req *flow.Request) (string, error) { return "", fmt.Errorf("%w: %s", errConflict, req.Param("v")) })
	r.At("panic/[v]").GET().Do(func(req *flow.Request) string { panic(req.Param("v")) })
	r.At("panic/[v]").POST().Do(func(w http.ResponseWriter, r *http.Request) { panic(r.PathValue("v")) })
	r.At("cut/[v]").GET().Do(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("v"))
		w.(http.Flusher).Flush()
		panic("cut")
	})
}

func (l *load) registerMounts() {
	inner := flow.New(treeOf("router/item/[v].http", "router/to/[v].http"))
	inner.OnError = func(req *flow.Request, err error) flow.Response {
		return flow.Text("inner: " + err.Error()).Status(http.StatusConflict)
	}
	inner.At("item/[v]").GET().Name("item").Do(func(req *flow.Request) (string, error) {
		u, err := req.Route("item", "v", req.Param("v"))
		return fmt.Sprint(req.Param("org"), " ", req.Param("v"), " ", u, " ", req.Pattern), err
	})
	inner.At("item/[v]").POST().Do(func(req *flow.Request) (string, error) { return "", errors.New(req.Input("v")) })
	inner.At("to/[v]").GET().Do(func(req *flow.Request) flow.Response { return flow.RedirectTo("item", "v", req.Param("v")) })
	l.router.Mount("/orgs/[org]", inner).Name("orgs")
	l.router.Mount("/plain/[p]", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PathValue("p"), " ", r.URL.Path)
	})).Use(func(req *flow.Request) flow.Response { return flow.Next().Header("X-V", req.Param("p")) })
}

// An ask is a request, and the answer that it should get. In all of it $v stands for
// what makes the request another one than all others.
type ask struct {
	line   string   // method and target
	media  string   // of the body
	body   string   // of the request
	header []string // of the request
	want   string   // status and body, which may begin with "…" for any text
	holds  []string // header of the answer
}

const cutAnswer = "cut"

// heldAsk is answered in two parts, before and after the servers are told to stop.
var heldAsk = ask{line: "POST /held/$v", media: flowtest.Form, body: "v=$v", want: "200 $v $v"}

func (l *load) asks() []ask {
	multi := flowtest.Parts("v=$v", "f@$v"+strings.Repeat("x", 5000))
	large := strings.Repeat("0123456789$v", 1000)
	return []ask{
		{line: "GET /string/$v?v=q$v", want: "200 string $v q$v"},
		{line: "HEAD /string/$v", want: "200 ", holds: []string{"Content-Type: text/plain; charset=utf-8"}},
		{line: "GET /string/a%2F$v", want: "200 string a/$v"},
		{line: "OPTIONS /string/$v", want: "204 ", holds: []string{"Allow: GET, HEAD, OPTIONS"}},
		{line: "PATCH /string/$v", want: "405 …", holds: []string{"Allow: GET, HEAD, OPTIONS"}},
		{line: "GET /string/$v/", want: "308 ", holds: []string{"Location: /string/$v"}},
		{line: "GET //string/./$v?q=$v", want: "308 ", holds: []string{"Location: /string/$v?q=$v"}},
		{line: "GET /fallible/$v", want: "418 …teapot $v"},
		{line: "POST /fallible/$v", want: "201 created $v", holds: []string{"X-V: $v", "Set-Cookie: v=$v"}},
		{line: "GET /json/$v?v=q$v", want: `200 {"success":true,"message":"$v","data":{"v":"q$v"}}`},
		{line: "GET /std/$v", want: "200 std GET $v $v /std/{v}"},
		{line: "PURGE /std/$v", want: "200 std PURGE $v $v /std/{v}"},
		{line: "GET /stream/$v", want: "200 " + strings.Repeat("$v,", 20)},
		{line: "GET /events/$v", want: "200 data: $v 0\n\ndata: $v 1\n\ndata: $v 2", holds: []string{"Content-Type: text/event-stream"}},
		{line: "GET /many/$v/b/c%2F$v", want: "200 $v|b|c/$v"},
		{line: "GET /many/a$v/b$v", want: "200 b$v a$v"},
		{line: "GET /slow/$v", want: "200 in time $v"},
		{line: "POST /slow/$v", media: flowtest.Form, body: "v=$v", want: "503 too slow"},
		{line: "POST /clone/$v", media: flowtest.Form, body: "v=$v", header: []string{"X-User: $v"}, want: "200 cloned $v"},

		{line: "POST /bind/$v", media: flowtest.JSON, body: `{"v":"$v","n":7,"Tags":["$v","b"]}`, want: `200 {"v":"$v","n":7,"Tags":["$v","b"]}`},
		{line: "POST /bind/$v", media: flowtest.Form, body: "v=$v&n=8&Tags=$v&Tags=c", want: `200 {"v":"$v","n":8,"Tags":["$v","c"]}`},
		{line: "POST /bind/$v", media: flowtest.Multipart, body: flowtest.Parts("v=$v", "n=9", "Tags=$v"), want: `200 {"v":"$v","n":9,"Tags":["$v"]}`},
		{line: "GET /bind/$v?v=$v&n=1", want: `200 {"v":"$v","n":1,"Tags":null}`},
		{line: "GET /bind/$v?v=$v", want: `422 …"n":"$v"`},
		{line: "POST /bind/$v", media: flowtest.JSON, body: `{"v":"$v"`, want: "400 …"},
		{line: "POST /input/$v", media: flowtest.Form, body: "v=$v&v=2&w=" + large, want: "200 [$v 2] $v v=$v&v=2&w=" + large},
		{line: "POST /upload/$v", media: flowtest.Multipart, body: multi, want: "200 $v f.txt $v 50…"},
		{line: "POST /raw/$v", media: "text/plain", body: large, want: "200 " + large},
		{line: "POST /raw/$v", media: "text/plain", body: large + large, want: "413 …"},
		{line: "POST /guarded/$v", media: flowtest.Form, body: "v=$v", want: "200 guarded $v", holds: []string{"X-Guarded: $v"}},
		{line: "PUT /guarded/$v", media: flowtest.Form, body: "v=$v&w=1", want: "200 $v v=$v&w=1", holds: []string{"X-Guarded: $v"}},
		{line: "POST /guarded/$v", media: flowtest.JSON, body: `{"v":"other"}`, want: "403 …no $v"},
		{line: "POST /guarded/$v", media: flowtest.Form, body: "v=$v", header: []string{"Origin: https://evil.example"}, want: "403 …"},
		{line: "GET /me/$v", header: []string{"X-User: u$v"}, want: "200 me u$v"},
		{line: "GET /me/$v", want: "303 ", holds: []string{"Location: /string/$v"}},
		{line: "GET /me/$v", header: []string{"X-User: down"}, want: "409 conflict of $v"},

		{line: "GET /once", want: "200 <p>once, /small." + "…"},
		{line: "GET /small.txt", want: "200 small"},
		{line: "GET /large.css", want: "200 " + l.large},
		{line: "GET /large.css", header: []string{"Accept-Encoding: gzip"}, want: "200 " + l.large, holds: []string{"Content-Encoding: gzip"}},
		{line: "GET /large.css", header: []string{"Range: bytes=1000-2999", "Accept-Encoding: identity"}, want: "206 " + l.large[1000:3000], holds: []string{fmt.Sprint("Content-Range: bytes 1000-2999/", len(l.large))}},
		{line: "GET /large.css", header: []string{"If-None-Match: *"}, want: "304 "},
		{line: "GET /site/$v?v=q$v", header: []string{"X-User: u$v"}, want: "200 title $v|q$v|u$v|page $v /site/$v part $v"},
		{line: "POST /site/$v", media: flowtest.Form, body: "v=p$v", want: "202 part p$v"},
		{line: "GET /site/views/$v?v=q$v", want: "200 row $v q$v"},
		{line: "POST /site/views/$v?v=q$v", header: []string{"X-User: u$v"}, want: "200 title $v|q$v|u$v|page $v /site/$v part $v"},
		{line: "GET /site/fail/$v?v=q$v", header: []string{"Accept: text/html"}, want: "410 |q$v||error 410 gone $v /site/fail/$v"},
		{line: "GET /site/no/$v?v=q$v", header: []string{"Accept: text/html", "X-User: u$v"}, want: "404 |q$v|u$v|error 404  /site/no/$v"},
		{line: "GET /to/$v?v=q$v", want: "302 ", holds: []string{"Location: /string/$v?q=q$v"}},
		{line: "POST /to/$v", media: flowtest.Form, body: "v=f$v", want: "303 ", holds: []string{"Location: /string/f$v"}},

		{line: "GET /error/$v", want: "409 conflict of $v"},
		{line: "GET /panic/$v", want: "500 …"},
		{line: "POST /panic/$v", media: "text/plain", body: "$v", want: "500 …"},
		{line: "GET /cut/$v", want: cutAnswer},
		{line: "GET /no/$v", want: "404 …"},

		{line: "GET /orgs/o$v/item/$v", want: "200 o$v $v /orgs/o$v/item/$v GET /orgs/{org}/item/{v}"},
		{line: "POST /orgs/o$v/item/$v", media: flowtest.Form, body: "v=$v", want: "409 inner: $v"},
		{line: "GET /orgs/o$v/to/$v", want: "302 ", holds: []string{"Location: /orgs/o$v/item/$v"}},
		{line: "GET /orgs/o$v/no/$v", want: "409 inner: 404 Not Found"},
		{line: "GET /plain/$v/a//$v", want: "200 $v /plain/$v/a//$v", holds: []string{"X-V: $v"}},
	}
}

// A loadClient is a client of one of the servers.
type loadClient struct {
	load   *load
	client *http.Transport
	origin string
}

// round sends each request once, from another one on for each worker. It reports
// whether the server takes more.
func (c *loadClient) round(name string, worker int) bool {
	asks := c.load.asks()
	for i := range asks {
		n := (i + worker*7) % len(asks)
		if !c.send(asks[n], fmt.Sprintf("%s-%d", name, n)) {
			return false
		}
	}
	return !c.load.t.Failed()
}

// send sends a request and checks its answer. It reports whether the server takes
// more.
func (c *loadClient) send(a ask, v string) bool {
	l := c.load
	fill := func(text string) string { return strings.ReplaceAll(text, "$v", v) }
	ctx, cancel := context.WithTimeout(context.Background(), servertest.Patience)
	defer cancel()
	method, target, _ := strings.Cut(fill(a.line), " ")
	req := httptest.NewRequestWithContext(ctx, method, c.origin+target, strings.NewReader(fill(a.body)))
	if a.body == "" {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	if a.media != "" {
		req.Header.Set("Content-Type", a.media)
	}
	for _, field := range a.header {
		key, value, _ := strings.Cut(fill(field), ": ")
		req.Header.Set(key, value)
	}
	req.Header.Set("X-Request-Id", v)
	resp, err := c.client.RoundTrip(req)
	switch {
	case err != nil && a.want == cutAnswer && l.hasBegun(v): // the header was lost, too
		return true
	case err != nil && l.stopping.Load():
		l.refuse(v, err)
		return false
	case err != nil:
		l.t.Errorf("%s: %v", fill(a.line), err)
		return false
	}
	defer resp.Body.Close()
	got, err := textOf(resp)
	if a.want == cutAnswer {
		if err == nil {
			l.t.Errorf("%s: got the whole of %q, which panicked", fill(a.line), got)
		}
		return true
	}
	if err != nil || !matches(got, fill(a.want)) {
		l.t.Errorf("%s: got %.300q, %v; want %.300q", fill(a.line), got, err, fill(a.want))
	}
	for _, field := range append(a.holds, "X-Request-Id: $v") {
		key, value, _ := strings.Cut(fill(field), ": ")
		if got := resp.Header.Get(key); got != value {
			l.t.Errorf("%s: got %s: %q; want %q", fill(a.line), key, got, value)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered[v] = true
	return true
}

// textOf returns the status and the body of an answer, unpacked.
func textOf(resp *http.Response) (string, error) {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		if body, err = io.ReadAll(z); err != nil {
			return "", err
		}
	}
	text := string(body)
	if n := len(text); n < 1<<10 { // files are compared as they are
		text = strings.TrimSpace(text)
	}
	return fmt.Sprint(resp.StatusCode, " ", text), nil
}

// matches reports whether got is want, in which "…" stands for any text.
func matches(got, want string) bool {
	begin, end, open := strings.Cut(want, "…")
	if !open {
		return got == want
	}
	return strings.HasPrefix(got, begin) && strings.Contains(got[len(begin):], end)
}

func (l *load) hasBegun(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun[id] > 0
}

func (l *load) refuse(id string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[id] = err
}

// conclude looks at what the servers and the clients saw, once all is over.
func (l *load) conclude(workers int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, err := range l.refused {
		if l.begun[id] > 0 {
			l.t.Errorf("request %s was begun and not answered: %v", id, err)
		}
	}
	for id := range l.answered {
		if l.begun[id] != 1 || l.logged[id] != 1 {
			l.t.Errorf("request %s was answered, begun %d times and logged %d times", id, l.begun[id], l.logged[id])
		}
	}
	if !l.t.Failed() && len(l.refused) != workers {
		l.t.Errorf("%d requests were refused in the end, want one of each of %d workers", len(l.refused), workers)
	}
	l.t.Logf("%d requests were answered", len(l.answered))
}
