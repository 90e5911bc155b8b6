package flow

import (
	"bytes"
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

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/race"
)

// logged makes r write its log into a buffer.
func logged(r *Router) *bytes.Buffer {
	b := &bytes.Buffer{}
	r.Logger = slog.New(slog.NewTextHandler(b, nil))
	return b
}

func TestChainContainsPanics(t *testing.T) {
	boom := func(*Request) Response { panic("secret") }
	boomStd := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") })
	}
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
	}{
		{"handler", nil, boom},
		{"net/http handler", nil, func(http.ResponseWriter, *http.Request) { panic("secret") }},
		{"Handler", nil, func(*Request) Response {
			return Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
		}},
		{"guard", []any{boom}, hello},
		{"middleware", []any{boomStd}, hello},
		{"JSON", nil, func(*Request) Response { return JSON(marshaler(func() ([]byte, error) { panic("secret") })) }},
		{"an error value", nil, func(*Request) Response { panic(fmt.Errorf("secret")) }},
		{"a 404 that is panicked with", nil, func(*Request) Response { panic(Error(404, "secret")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/a.http"))
			log := logged(r)
			seen := 0
			r.Use(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					next.ServeHTTP(w, req)
					seen = 500 // reached: the panic did not pass
				})
			})
			r.At("a").GET().Use(tt.use...).Do(tt.handler)
			w := serve(r, "GET", "/a")
			is.Equal(w.Code, 500)
			is.True(!strings.Contains(w.Body.String(), "secret"))
			is.True(strings.Contains(log.String(), "secret"))
			is.True(strings.Contains(log.String(), "chain_test.go")) // the stack
			is.Equal(strings.Count(log.String(), "\n"), 1)           // one record
			if tt.name != "middleware" {
				is.Equal(seen, 500)
			}
		})
	}
}

type marshaler func() ([]byte, error)

func (m marshaler) MarshalJSON() ([]byte, error) { return m() }

func TestGuardsDoNotFailOpen(t *testing.T) {
	for _, tt := range []struct {
		name  string
		guard any
		want  int
		log   string
	}{
		{"zero response", func(*Request) Response { return Response{} }, 500, "a guard returned the zero Response"},
		{"error", func(*Request) (Response, error) { return Next(), Error(403, "no") }, 403, ""},
		{"answer", func(*Request) Response { return Text("no").Status(401) }, 401, ""},
		{"deliberate 204", func(*Request) Response { return Response{}.Status(204) }, 204, ""},
		{"redirect", func(*Request) Response { return Redirect("/login") }, 302, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/a.http"))
			log := logged(r)
			r.Use(tt.guard)
			r.At("a").GET().Do(func(*Request) string {
				t.Error("the handler was called")
				return ""
			})
			is.Equal(serve(r, "GET", "/a").Code, tt.want)
			is.True(strings.Contains(log.String(), tt.log))
		})
	}
}

func TestHandlerThatReturnsNext(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/a.http"))
	log := logged(r)
	r.At("a").GET().Do(func(*Request) Response { return Next() })
	is.Equal(serve(r, "GET", "/a").Code, 500)
	is.True(strings.Contains(log.String(), "a handler returned Next()"))
}

func TestNextSetsHeadersFirst(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/a.http"))
	r.Use(func(*Request) Response { return Next().Header("A", "guard").Header("B", "guard") })
	r.At("a").GET().Do(func(*Request) Response { return Text("").Header("B", "handler") })
	w := serve(r, "GET", "/a")
	is.Equal(w.Header()["A"], []string{"guard"})
	is.Equal(w.Header()["B"], []string{"handler"})
}

func TestMiddlewareMayAnswerTwiceOrNever(t *testing.T) {
	for _, tt := range []struct {
		name       string
		middleware func(http.Handler) http.Handler
		want       string
	}{
		{"retry", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(httptest.NewRecorder(), r)
				next.ServeHTTP(w, r)
			})
		}, "200 call 2"},
		{"another request", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r.Clone(r.Context()))
			})
		}, "200 call 1"},
		{"an answer of its own", func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "mine") })
		}, "200 mine"},
		{"a request without context", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r.WithContext(context.Background()))
			})
		}, "500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/a.http"))
			logged(r)
			calls := 0
			r.At("a").GET().Use(wrap, tt.middleware, wrap).Do(func(*Request) string {
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
	r := New(flowtest.Files("router/slow/[id].http", "router/fast/[id].http", "router/lent/[id].http"))
	logged(r)
	release := make(chan struct{})
	var late sync.WaitGroup
	timeout := func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "late") }
	linger := func(req *Request) string {
		defer late.Done()
		id, want := req.Param("id"), req.URL.Query().Get("id")
		<-release
		if got := req.Param("id") + req.Input("id"); got != want+want || id != want {
			t.Errorf("request %s became %s", want, got)
		}
		return "slow " + id
	}
	r.At("slow/[id]").GET().Use(pass, timeout, pass).Do(linger)
	r.At("lent/[id]").GET().Do(func(req *Request) Response {
		return Handler(timeout(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
			io.WriteString(w, linger(From(hr.Context())))
		})))
	})
	r.At("fast/[id]").GET().Do(func(req *Request) string { return "fast " + req.Param("id") })
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
	r := New(flowtest.Files("router/flow/[id].http", "router/std/[id].http", "router/guarded/[id].http", "router/page/[id].html", "router/boom/[id].http"))
	logged(r)
	r.Authenticate = func(req *Request) (any, error) { return req.Input("user"), nil }
	echo := func(req *Request) string { return fmt.Sprint(req.Param("id"), req.User(), req.Input("id")) }
	r.At("flow/[id]").ANY().Do(echo)
	r.At("std/[id]").ANY().Do(func(w http.ResponseWriter, hr *http.Request) { io.WriteString(w, echo(From(hr.Context()))) })
	r.At("guarded/[id]").ANY().Use(pass, wrap, pass).Do(echo)
	r.At("boom/[id]").ANY().Do(func(req *Request) string { panic(echo(req)) })
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

func TestFirstRequestsCompileOnce(t *testing.T) {
	is := is.New(t)
	made := 0
	r := New(flowtest.Files("router/a.http"))
	r.Use(func(next http.Handler) http.Handler { made++; return next })
	r.At("a").GET().Do(hello)
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() { serve(r, "GET", "/a") })
	}
	clients.Wait()
	is.Equal(made, 1)
}

func TestFaultsAreLoggedOnce(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/a.http"))
	log := logged(r)
	for range 3 {
		is.Equal(serve(r, "GET", "/a").Code, 500)
	}
	is.Equal(strings.Count(log.String(), "no handler is registered"), 1)
}

func TestHotPathsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector no Request is used twice")
	}
	r := New(flowtest.Files("router/about.http", "router/users/[id].http", "router/users/new.http", "router/docs/[...rest].http", "router/guarded.http"))
	r.At("about").GET().Do(hello)
	r.At("about").POST().Do(hello)
	r.At("users/[id]").GET().Do(hello)
	r.At("users/new").GET().Do(func(*Request) Response { return Text("hello") })
	r.At("docs/[...rest]").GET().Do(func(*Request) (Response, error) { return Text("hello"), nil })
	r.At("guarded").GET().Use(pass).Do(hello)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, target string }{
		{"GET", "/about"}, {"POST", "/about"}, {"GET", "/users/new"}, {"GET", "/users/42"}, {"GET", "/docs/a/b/c"}, {"GET", "/guarded"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			req, err := http.NewRequest(tt.method, tt.target, nil)
			is.NoErr(err)
			w := &sink{header: http.Header{}}
			r.ServeHTTP(w, req)
			is.Equal(w.wrote, len("hello"))
			is.Equal(testing.AllocsPerRun(1000, func() { r.ServeHTTP(w, req) }), 0.0)
		})
	}
}
