package requests_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// promised returns headers of which none may be left on an error, each with a value.
func promised(h http.Header, value string) {
	for _, key := range reply.Described {
		h.Set(key, value)
	}
	h.Set("X-Kept-"+value, value)
	h.Add("Set-Cookie", "c="+value)
}

// leftOf returns the headers of an answer that have the value of promised.
func leftOf(w *httptest.ResponseRecorder, value string) []string {
	var left []string
	for key, values := range w.Header() {
		if slices.Contains(values, value) || slices.Contains(values, "c="+value) {
			left = append(left, key)
		}
	}
	slices.Sort(left)
	return left
}

// TestPromisesOfGuards: what a guard says of the answer that it lets through is not
// said of an error, wherever it comes from; its other headers are.
func TestPromisesOfGuards(t *testing.T) {
	fails := func(*flow.Request) (flow.Response, error) { return flow.Response{}, errors.New("x") }
	panics := func(*flow.Request) flow.Response { panic("x") }
	panicsStd := func(w http.ResponseWriter, _ *http.Request) { promised(w.Header(), "handler"); panic("x") }
	returns := func(resp flow.Response) func(*flow.Request) flow.Response {
		return func(*flow.Request) flow.Response { return resp }
	}
	answers := func(resp flow.Response) func(r *flow.Router) {
		return func(r *flow.Router) { r.OnError = func(*flow.Request, error) flow.Response { return resp } }
	}
	down := func(r *flow.Router) {
		r.Authenticate = func(*flow.Request) (any, error) { return nil, errors.New("down") }
	}
	inside := func(change func(*flow.Router)) func() *flow.Router {
		return func() *flow.Router {
			r, _ := apptest.Lone(fails)
			change(r)
			return r
		}
	}
	nothing := func(http.ResponseWriter, *http.Request) {}
	for _, tt := range []struct {
		name    string
		handler any
		use     []any // after the guard
		change  func(*flow.Router)
		header  string // of the request, and its body
		body    string
		want    int
		// mayCompress: a Content-Encoding is taken for one of middleware.
		mayCompress bool
	}{
		{"error", fails, nil, nil, "", "", 500, false},
		{"error that is a 404", func(*flow.Request) (flow.Response, error) { return flow.Response{}, flow.Error(404, "") }, nil, nil, "", "", 404, false},
		{"panic", panics, nil, nil, "", "", 500, false},
		{"Fail", returns(flow.Fail(409, "")), nil, nil, "", "", 409, false},
		{"unencodable JSON", returns(flow.JSON(make(chan int))), nil, nil, "", "", 500, false},
		{"net/http handler panics", panicsStd, nil, nil, "", "", 500, false},
		{"Handler panics", returns(flow.Handler(http.HandlerFunc(panicsStd)).Header("Etag", "handler")), nil, nil, "", "", 500, false},
		{"another guard fails", apptest.Hello, []any{fails}, nil, "", "", 500, false},
		{"another guard panics", apptest.Hello, []any{panics}, nil, "", "", 500, false},
		{"another guard denies", apptest.Hello, []any{returns(flow.Fail(403, ""))}, nil, "", "", 403, false},
		{"middleware panics", apptest.Hello, []any{apptest.Before(func(*http.Request) { panic("x") })}, nil, "", "", 500, false},
		{"bad body", apptest.Hello, nil, nil, "Content-Type: application/json", "{", 400, false},
		{"large body", apptest.Hello, nil, func(r *flow.Router) { r.MaxBody = 1 }, "Content-Type: application/json", "{}", 413, false},
		{"Authenticate fails", func(req *flow.Request) string { req.User(); return "" }, nil, down, "", "", 500, false},
		{"Authenticate fails, and nobody answers", nothing, []any{apptest.Before(func(r *http.Request) { flow.From(r.Context()).User() })}, down, "", "", 500, false},
		{"Authenticate fails in a net/http handler", func(_ http.ResponseWriter, r *http.Request) { flow.From(r.Context()).User() }, nil, down, "", "", 500, false},
		{"middleware lost the context", apptest.Hello, []any{func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(context.Background())) })
		}}, nil, "", "", 500, true},
		{"OnError answers", fails, nil, answers(flow.Text("x").Status(503)), "", "", 503, false},
		{"OnError answers 200", fails, nil, answers(flow.Text("x").Status(200)), "", "", 200, false},
		{"OnError redirects", fails, nil, answers(flow.Redirect("/login")), "", "", 302, false},
		{"OnError has a Handler", fails, nil, answers(flow.Handler(http.NotFoundHandler())), "", "", 404, false},
		{"OnError has a Handler that panics", fails, nil, answers(flow.Handler(http.HandlerFunc(panicsStd))), "", "", 500, false},
		{"Router inside fails", inside(func(*flow.Router) {}), nil, nil, "", "", 500, false},
		{"Router inside has middleware", inside(func(r *flow.Router) { r.Use(apptest.Wrap) }), nil, nil, "", "", 500, false},
		{"Router inside panics", inside(func(r *flow.Router) { r.Use(apptest.Before(func(*http.Request) { panic("x") })) }), nil, nil, "", "", 500, false},
		{"Router inside has no such page", func() *flow.Router { return flow.New(flowtest.Files("router/index.html")) }, nil, nil, "", "", 404, false},
		{"no such coding", nil, nil, nil, "Accept-Encoding: *;q=0", "", 406, true},
		{"no such version", nil, nil, nil, `If-Match: "x"`, "", 412, true},
	} {
		for around, use := range map[string][]any{
			"": nil, "between middleware": {apptest.Wrap, apptest.Wrap}, "another request": {apptest.Before(func(*http.Request) {}), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(r.Context())) })
			}},
		} {
			t.Run(tt.name+"/"+around, func(t *testing.T) {
				is := is.New(t)
				r := flow.New(fstest.MapFS{"router/y.http": {}, "router/page.html": {Data: []byte("page")}})
				apptest.JournalOf(r)
				target := "/y"
				guard := func(*flow.Request) flow.Response {
					resp := flow.Next().Cookie(&http.Cookie{Name: "c", Value: "guard"}).Header("X-Kept-Guard", "guard")
					for _, key := range reply.Described {
						if key != "Content-Encoding" || !tt.mayCompress {
							resp = resp.Header(strings.ToLower(key), "guard")
						}
					}
					return resp
				}
				all := slices.Concat([]any{guard}, use, tt.use)
				if len(use) > 0 {
					all = slices.Concat(use[:1], []any{guard}, use[1:], tt.use)
				}
				switch h := tt.handler.(type) {
				case func() *flow.Router:
					target = "/in/x"
					r.Mount("/in", h()).Use(all...)
					r.At("y").GET().Do(apptest.Hello)
				case nil:
					target = "/page"
					r.Use(all...)
					r.At("y").GET().Do(apptest.Hello)
				default:
					r.Use(all...)
					r.At("y").ANY().Do(h)
				}
				if tt.change != nil {
					tt.change(r)
				}
				is.NoErr(r.Check())
				req := httptest.NewRequest("GET", target, strings.NewReader(tt.body))
				if name, value, ok := strings.Cut(tt.header, ": "); ok {
					req.Header.Set(name, value)
				}
				w := apptest.Do(r, req)
				is.Equal(w.Code, tt.want)
				is.Equal(leftOf(w, "guard"), []string{"Set-Cookie", "X-Kept-Guard"})
				for _, key := range leftOf(w, "handler") {
					is.True(key == "X-Kept-Handler" || key == "Set-Cookie")
				}
			})
		}
	}
}

// TestAnswersOfTheProgramKeepWhatGuardsPromised: they are no errors of flow's.
func TestAnswersOfTheProgramKeepWhatGuardsPromised(t *testing.T) {
	for name, handler := range map[string]any{
		"JSON 404": func(*flow.Request) flow.Response { return flow.JSON("x").Status(404) },
		"net/http": http.NotFound,
		"Handler":  func(*flow.Request) flow.Response { return flow.Handler(http.NotFoundHandler()) },
		"200":      apptest.Hello,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			r, _ := apptest.Lone(handler, func(*flow.Request) flow.Response { return flow.Next().Header("Cache-Control", "max-age=60") })
			is.Equal(apptest.Do(r, httptest.NewRequest("GET", "/x", nil)).Header().Get("Cache-Control"), "max-age=60")
		})
	}
}

// TestPanicOfMiddlewareLeavesNoHeaders: nothing is left that would have made them true.
func TestPanicOfMiddlewareLeavesNoHeaders(t *testing.T) {
	is := is.New(t)
	r, _ := apptest.Lone(apptest.Hello, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { promised(w.Header(), "inside"); panic("x") })
	})
	outside := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { // a compressing wrapper, say
		promised(w.Header(), "outside")
		r.ServeHTTP(w, req)
	})
	w := apptest.Do(outside, httptest.NewRequest("GET", "/x", nil))
	is.Equal(w.Code, 500)
	is.Equal(leftOf(w, "inside"), []string{"Set-Cookie", "X-Kept-Inside"})
	kept := slices.Concat(reply.Described[:], []string{"Set-Cookie", "X-Kept-Outside"})
	kept = slices.DeleteFunc(kept, func(key string) bool {
		// The error has its own, and is private, since a cookie is set.
		return key == "Content-Type" || key == "Content-Length" || key == "Cache-Control"
	})
	slices.Sort(kept)
	is.Equal(leftOf(w, "outside"), kept)
}

// TestFailureThatNobodyAnsweredLeavesNoHeaders: middleware that is done wraps nothing any more.
func TestFailureThatNobodyAnsweredLeavesNoHeaders(t *testing.T) {
	is := is.New(t)
	r, _ := apptest.Lone(apptest.Hello, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			promised(w.Header(), "inside")
			flow.From(r.Context()).User()
		})
	})
	r.Authenticate = func(*flow.Request) (any, error) { return nil, errors.New("down") }
	w := apptest.Do(r, httptest.NewRequest("GET", "/x", nil))
	is.Equal(w.Code, 500)
	is.Equal(leftOf(w, "inside"), []string{"Set-Cookie", "X-Kept-Inside"})
}

func TestFailedAnswerLeavesNoHeaders(t *testing.T) {
	is := is.New(t)
	r, _ := apptest.Lone(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Cache-Control", "public, immutable")
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("X-Trace", "kept")
		panic("x")
	})
	w := apptest.Do(r, httptest.NewRequest("GET", "/x", nil))
	is.Equal(w.Code, 500)
	is.Equal(w.Header(), http.Header{"Content-Type": {"application/problem+json"}, "Vary": {"Accept"}, "X-Content-Type-Options": {"nosniff"}, "X-Trace": {"kept"}})
}

func TestHeadersOfMiddlewareStayOnAFailedAnswer(t *testing.T) {
	is := is.New(t)
	r, _ := apptest.Lone(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public")
		panic("x")
	}, apptest.Sets("Cache-Control", "no-store"))
	is.Equal(apptest.Do(r, httptest.NewRequest("GET", "/x", nil)).Header().Get("Cache-Control"), "no-store")
}

// TestErrorsKeepTheirOwnHeaders, and those of middleware.
func TestErrorsKeepTheirOwnHeaders(t *testing.T) {
	public := func(*flow.Request) flow.Response { return flow.Next().Header("Cache-Control", "public") }
	fails := func(*flow.Request) (flow.Response, error) { return flow.Response{}, errors.New("x") }
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
		onError func(*flow.Request, error) flow.Response
		want    string
	}{
		{"Fail", []any{public}, func(*flow.Request) flow.Response { return flow.Fail(404, "").Header("Cache-Control", "max-age=60") }, nil, "max-age=60"},
		{"OnError", []any{public}, fails, func(*flow.Request, error) flow.Response {
			return flow.Text("x").Status(503).Header("Cache-Control", "no-store")
		}, "no-store"},
		{"OnError's Handler", []any{public}, fails, func(*flow.Request, error) flow.Response {
			return flow.Handler(http.NotFoundHandler()).Header("Cache-Control", "no-store")
		}, "no-store"},
		{"middleware before the guard", []any{apptest.Sets("Cache-Control", "no-store"), public}, fails, nil, "no-store"},
		{"middleware after the guard", []any{public, apptest.Sets("Cache-Control", "no-store")}, fails, nil, "no-store"},
		{"middleware that says the same", []any{apptest.Sets("Cache-Control", "public"), public}, fails, nil, "public"},
		{"two guards", []any{apptest.Sets("Cache-Control", "no-store"), public, apptest.Wrap, func(*flow.Request) flow.Response { return flow.Next().Header("Cache-Control", "private") }}, fails, nil, "no-store"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := apptest.Lone(tt.handler, tt.use...)
			r.OnError = tt.onError
			w := apptest.Do(r, httptest.NewRequest("GET", "/x", nil))
			is.True(w.Code >= 400)
			is.Equal(w.Header().Get("Cache-Control"), tt.want)
		})
	}
}

// TestPromisesAreOfOneRequest, also where a Request is used again.
func TestPromisesAreOfOneRequest(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/guarded.http", "router/fails.http"))
	apptest.JournalOf(r)
	r.At("guarded").GET().Use(func(*flow.Request) flow.Response { return flow.Next().Header("Cache-Control", "max-age=60") }).Do(apptest.Hello)
	r.At("fails").GET().Do(func(*flow.Request) (flow.Response, error) { return flow.Response{}, errors.New("x") })
	for range 10 {
		apptest.Serve(r, "GET", "/guarded")
		w := httptest.NewRecorder()
		w.Header().Set("Cache-Control", "max-age=60") // by what is around the Router
		r.ServeHTTP(w, apptest.Request("GET", "/fails"))
		is.Equal(w.Header().Get("Cache-Control"), "max-age=60")
	}
}
