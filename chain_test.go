package flow_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
	"example.com/flow/internal/testkit/flowtest"
)

func TestHandlerThatReturnsNext(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/a.http"))
	log := logged(r)
	r.At("a").GET().Do(func(*flow.Request) flow.Response { return flow.Next() })
	is.Equal(serve(r, "GET", "/a").Code, 500)
	is.True(strings.Contains(log.String(), "a handler returned Next()"))
}

func TestMiddlewareMayAnswerTwiceOrNever(t *testing.T) {
	for _, tt := range []struct {
		name       string
		middleware func(http.Handler) http.Handler
		want       string
	}{
		{"retry", around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			next.ServeHTTP(w, r)
		}), "200 call 2"},
		{"another request", around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.Clone(r.Context()))
		}), "200 call 1"},
		{"an answer of its own", func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "mine") })
		}, "200 mine"},
		{"a request without context", around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.Background()))
		}), "500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/a.http"))
			logged(r)
			calls := 0
			r.At("a").GET().Use(wrap, tt.middleware, wrap).Do(func(*flow.Request) string {
				calls++
				return fmt.Sprint("call ", calls)
			})
			is.Equal(says(serve(r, "GET", "/a")), tt.want)
		})
	}
}

// TestHandlersThatOutliveTheirRequest runs handlers under http.TimeoutHandler
// that go on when it has answered, while other requests are served: none may
// see the data of another.
func TestHandlersThatOutliveTheirRequest(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/slow/[id].http", "router/fast/[id].http", "router/lent/[id].http"))
	logged(r)
	release := make(chan struct{})
	var late sync.WaitGroup
	timeout := func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "late") }
	linger := func(req *flow.Request) string {
		defer late.Done()
		id, want := req.Param("id"), req.URL.Query().Get("id")
		<-release
		if got := req.Param("id") + req.Input("id"); got != want+want || id != want {
			t.Errorf("request %s became %s", want, got)
		}
		return "slow " + id
	}
	r.At("slow/[id]").GET().Use(pass, timeout, pass).Do(linger)
	r.At("lent/[id]").GET().Do(func(req *flow.Request) flow.Response {
		return flow.Handler(timeout(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
			io.WriteString(w, linger(flow.From(hr.Context())))
		})))
	})
	r.At("fast/[id]").GET().Do(func(req *flow.Request) string { return "fast " + req.Param("id") })
	is.NoErr(r.Check())
	var clients sync.WaitGroup
	late.Add(2 * 50)
	for i := range 50 {
		clients.Go(func() {
			for _, path := range []string{"/slow/", "/lent/"} {
				if w := serve(r, "GET", fmt.Sprintf("%s%d?id=%d", path, i, i)); w.Code != 503 || w.Body.String() != "late" {
					t.Errorf("%d: %s", w.Code, w.Body)
				}
			}
			for range 20 {
				if w := serve(r, "GET", fmt.Sprintf("/fast/%d", i)); w.Body.String() != fmt.Sprintf("fast %d", i) {
					t.Errorf("%d: %s", i, w.Body)
				}
			}
		})
	}
	clients.Wait()
	close(release)
	late.Wait()
}

func TestConcurrentRequestsOfAllKinds(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/flow/[id].http", "router/std/[id].http", "router/guarded/[id].http", "router/page/[id].html", "router/boom/[id].http"))
	logged(r)
	r.Authenticate = func(req *flow.Request) (any, error) { return req.Input("user"), nil }
	echo := func(req *flow.Request) string { return fmt.Sprint(req.Param("id"), req.User(), req.Input("id")) }
	r.At("flow/[id]").ANY().Do(echo)
	r.At("std/[id]").ANY().Do(func(w http.ResponseWriter, hr *http.Request) { io.WriteString(w, echo(flow.From(hr.Context()))) })
	r.At("guarded/[id]").ANY().Use(pass, wrap, pass).Do(echo)
	r.At("boom/[id]").ANY().Do(func(req *flow.Request) string { panic(echo(req)) })
	is.NoErr(r.Check())
	srv := httptest.NewServer(r)
	defer srv.Close()
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Go(func() {
			for i := range 30 {
				id := fmt.Sprint(c*100 + i)
				for _, kind := range []string{"flow", "std", "guarded"} {
					resp, err := http.Post(srv.URL+"/"+kind+"/"+id+"?user=u"+id, "application/x-www-form-urlencoded", strings.NewReader("id="+id))
					if err != nil {
						t.Error(err)
						return
					}
					b, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if want := id + "u" + id + id; string(b) != want {
						t.Errorf("%s: got %q, want %q", kind, b, want)
					}
				}
				resp, err := http.Get(srv.URL + "/boom/" + id)
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
				if resp.StatusCode != 500 {
					t.Errorf("boom: %d", resp.StatusCode)
				}
			}
		})
	}
	clients.Wait()
}

func TestHotPathsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector no Request is used twice")
	}
	r := flow.New(flowtest.Files("router/about.http", "router/users/[id].http", "router/users/new.http", "router/docs/[...rest].http", "router/guarded.http"))
	r.At("about").GET().Do(hello)
	r.At("about").POST().Do(hello)
	r.At("users/[id]").GET().Do(hello)
	r.At("users/new").GET().Do(func(*flow.Request) flow.Response { return flow.Text("hello") })
	r.At("docs/[...rest]").GET().Do(func(*flow.Request) (flow.Response, error) { return flow.Text("hello"), nil })
	r.At("guarded").GET().Use(pass).Do(hello)
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ method, target string }{
		{"GET", "/about"}, {"POST", "/about"}, {"GET", "/users/new"}, {"GET", "/users/42"}, {"GET", "/docs/a/b/c"}, {"GET", "/guarded"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			req, err := http.NewRequest(tt.method, tt.target, nil)
			is.NoErr(err)
			w := &sink{Headers: http.Header{}}
			r.ServeHTTP(w, req)
			is.Equal(w.Wrote, len("hello"))
			is.Equal(testing.AllocsPerRun(1000, func() { r.ServeHTTP(w, req) }), 0.0)
		})
	}
}

func TestConcurrentNext(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, flow.From(r.Context()).Param("id")) },
		around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() { next.ServeHTTP(httptest.NewRecorder(), r.WithContext(r.Context())) })
			}
			both.Wait()
			io.WriteString(w, "both")
		}))
	is.Equal(says(do(r, sending("POST", "/x", "text/plain", "body"))), "200 both")
}

func TestNextWithAStatusIsNoNext(t *testing.T) {
	is := is.New(t)
	r, _ := lone(hello, func(*flow.Request) flow.Response { return flow.Next().Status(403) })
	is.Equal(do(r, httptest.NewRequest("GET", "/x", nil)).Code, 500)
}

// TestAbortedAuthenticateIsNotForgotten: the next request is asked anew.
func TestAbortedAuthenticateIsNotForgotten(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector no Request is used twice")
	}
	is := is.New(t)
	abort := true
	r, _ := lone(func(req *flow.Request) string {
		defer func() { recover() }()
		return fmt.Sprint(req.User())
	})
	r.Authenticate = func(*flow.Request) (any, error) {
		if abort {
			panic(http.ErrAbortHandler)
		}
		return "ann", nil
	}
	aborted := flowtest.PanicOf(func() { do(r, httptest.NewRequest("GET", "/x", nil)) }) // though the handler recovers
	is.Equal(aborted, http.ErrAbortHandler)
	abort = false
	for range 10 {
		is.Equal(says(do(r, httptest.NewRequest("GET", "/x", nil))), "200 ann")
	}
}

func TestOrderOfMiddleware(t *testing.T) {
	r := flow.New(flowtest.Files("router/admin.html", "router/admin/users/[id].http", "router/(g)/x.http", "router/index.html", "public/app.css"))
	r.At("admin/users/[id]").GET().Use(mark("verb1"), markStd("verb2")).Do(hello)
	r.At("admin/users/[id]").POST().Do(hello)
	r.At("admin/users/[id]").Use(mark("file1"), markStd("file2"))
	r.At("(g)/x").GET().Do(hello)
	r.In("admin/users").Use(markStd("users"))
	r.In("admin").Use(mark("admin1"), markStd("admin2"))
	r.In("(g)").Use(mark("group"))
	r.In("").Use(mark("all"))
	r.Use(mark("router1"), markStd("router2"))
	r.Use(mark("router3"))
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ method, target, want string }{
		{"GET", "/admin/users/1", "router1 router2 router3 all admin1 admin2 users file1 file2 verb1 verb2"},
		{"POST", "/admin/users/1", "router1 router2 router3 all admin1 admin2 users file1 file2"},
		{"GET", "/admin", "router1 router2 router3 all admin1 admin2"},
		{"GET", "/x", "router1 router2 router3 all group"},
		{"GET", "/", "router1 router2 router3 all"},
		// What no handler answers meets standard middleware only.
		{"GET", "/nothing", "router2"},
		{"GET", "/app.css", "router2"},
		{"GET", "/admin/", "router2"},
		{"PUT", "/admin/users/1", "router2 admin2 users file2"},
		{"OPTIONS", "/admin/users/1", "router2 admin2 users file2"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(marks(serve(r, tt.method, tt.target)), tt.want)
		})
	}
}

// What a chain costs: a net/http handler or middleware needs a copy of the request, path
// values and an exchange of its own, however many there are.
func TestChainsAllocateLittle(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector no Request is used twice")
	}
	std := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("id")) }
	own := func(r *flow.Request) string { return r.Param("id") }
	through := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
	}
	five := []any{through, through, through, through, through}
	discard, text := slog.New(slog.DiscardHandler), slog.New(slog.NewTextHandler(io.Discard, nil))
	for _, tt := range []struct {
		name     string
		register func(*flow.Router, *flow.File)
		handler  any
		id       string
		max      float64
	}{
		{"net/http handler", func(*flow.Router, *flow.File) {}, std, "", 4},
		{"Router.Use", func(r *flow.Router, _ *flow.File) { r.Use(five...) }, own, "", 4},
		{"Router.Use, net/http handler", func(r *flow.Router, _ *flow.File) { r.Use(five...) }, std, "", 4},
		{"In", func(r *flow.Router, _ *flow.File) { r.In("users").Use(five...) }, own, "", 4},
		{"File.Use", func(_ *flow.Router, f *flow.File) { f.Use(five...) }, own, "", 4},
		{"guards", func(r *flow.Router, _ *flow.File) { r.Use(pass, pass, pass, pass, pass) }, own, "", 0},
		{"RequestID", func(r *flow.Router, _ *flow.File) { r.Use(flow.RequestID) }, own, "", 1},
		{"Logger", func(r *flow.Router, _ *flow.File) { r.Use(flow.Logger(discard)) }, own, "", 1},
		{"both", func(r *flow.Router, _ *flow.File) { r.Use(flow.RequestID, flow.Logger(discard)) }, own, "", 2},
		{"both, with an id", func(r *flow.Router, _ *flow.File) { r.Use(flow.RequestID, flow.Logger(discard)) }, own, "given", 2},
		{"both, as text", func(r *flow.Router, _ *flow.File) { r.Use(flow.RequestID, flow.Logger(text)) }, own, "", 3},
		{"both, as text, with an id", func(r *flow.Router, _ *flow.File) { r.Use(flow.Logger(text), flow.RequestID) }, own, "given", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/users/[id].http"))
			f := r.At("users/[id]")
			tt.register(r, f)
			f.GET().Do(tt.handler)
			is.NoErr(r.Check())
			w := &sink{Headers: http.Header{}}
			arrived, err := http.NewRequest("GET", "/users/42", nil)
			is.NoErr(err)
			header := http.Header{}
			serve := func() {
				req := *arrived // each request is new
				clear(header)
				if tt.id != "" {
					header["X-Request-Id"] = []string{tt.id}
				}
				req.Header = header
				clear(w.Headers)
				w.Wrote = 0
				r.ServeHTTP(w, &req)
			}
			serve()
			is.Equal(w.Wrote, len("42"))
			harness := 1.0 // the request itself
			if tt.id != "" {
				harness++
			}
			allocs := testing.AllocsPerRun(500, serve) - harness
			is.True(allocs <= tt.max)
		})
	}
}

// Of guards that follow each other the first that does not let the request through ends it.
func TestRunOfGuards(t *testing.T) {
	for _, tt := range []struct {
		name string
		deny func(*flow.Request) (flow.Response, error)
		want string
		log  string
	}{
		{"answer", func(*flow.Request) (flow.Response, error) { return flow.Text("no").Status(401), nil }, "401 no", ""},
		{"error", func(*flow.Request) (flow.Response, error) { return flow.Next(), flow.Error(403, "no") }, "403 Forbidden: no\n", ""},
		{"panic", func(*flow.Request) (flow.Response, error) { panic("secret") }, "500 Internal Server Error\n", "secret"},
		{"zero", func(*flow.Request) (flow.Response, error) { return flow.Response{}, nil }, "500 Internal Server Error\n", "a guard returned the zero Response"},
		{"deliberate 204", func(*flow.Request) (flow.Response, error) { return flow.Response{}.Status(204), nil }, "204 ", ""},
		{"redirect", func(*flow.Request) (flow.Response, error) { return flow.Redirect("/login"), nil }, "302 ", ""},
		{"what cannot be encoded", func(*flow.Request) (flow.Response, error) { return flow.JSON(func() {}), nil }, "500 Internal Server Error\n", "cannot be encoded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var calls []string
			guard := func(name string) func(*flow.Request) flow.Response {
				return func(*flow.Request) flow.Response {
					calls = append(calls, name)
					return flow.Next().Header("Cache-Control", "max-age=9").Header("Seen", name)
				}
			}
			outside := 0
			counts := around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r)
				outside++ // no panic passes
			})
			r := flow.New(flowtest.Files("router/a.http"))
			log := logged(r)
			r.At("a").GET().Use(guard("1"), counts, guard("2"), guard("3"), tt.deny, guard("4"), counts).Do(hello)
			w := serve(r, "GET", "/a", "Accept: text/plain")
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
			is.Equal(calls, []string{"1", "2", "3"})
			is.Equal(w.Header().Get("Seen"), "3")
			is.Equal(outside, 1)
			is.True(strings.Contains(log.String(), tt.log))
			is.Equal(w.Header().Get("Cache-Control") == "", w.Code >= 403) // which was promised for another answer
		})
	}
}

// TestLengthOfGuard: a length that a guard has set is not that of a text.
func TestLengthOfGuard(t *testing.T) {
	for _, tt := range []struct {
		name string
		use  []any
	}{
		{"a guard", []any{func(*flow.Request) flow.Response { return flow.Next().Header("Content-Length", "5000") }}},
		{"RequestID before it", []any{flow.RequestID, func(*flow.Request) flow.Response { return flow.Next().Header("Content-Length", "5000") }}},
		{"standard middleware in place of nosniff", []any{around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			w.Header().Del("X-Content-Type-Options")
			w.Header().Set("Content-Length", "5000")
			next.ServeHTTP(w, r)
		})}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/a.http"))
			r.Use(tt.use...)
			r.At("a").GET().Do(hello)
			w := serve(r, "GET", "/a")
			is.Equal(w.Code, 200)
			is.Equal(w.Header()["Content-Length"], nil)
		})
	}
}
