package flow

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/race"
	"example.com/flow/internal/reply"
)

// A nilError says so if it is asked for its text while it is nil.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// TestFailuresAnswer: what has failed answers, whatever middleware and handlers make of it.
func TestFailuresAnswer(t *testing.T) {
	const (
		badRequest = `400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"the body is not valid JSON"}`
		failed     = `500 {"type":"about:blank","title":"Internal Server Error","status":500}`
	)
	down := func(*Request) (any, error) { return nil, errors.New("down") }
	secret := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }
	user := func(req *Request) string { return fmt.Sprint(req.User()) }
	asksForUser := before(func(r *http.Request) { From(r.Context()).User() })
	asksForInput := before(func(r *http.Request) { From(r.Context()).Input("a") })
	catches := func(req *Request) Response {
		func() { defer func() { recover() }(); req.User() }()
		return Next()
	}
	fine := func(*Request, error) Response { return Text("fine") }
	for _, tt := range []struct {
		name         string
		handler      any
		use          []any
		authenticate func(*Request) (any, error)
		onError      func(*Request, error) Response
		body         string
		want         string // status and body
		asked        int    // how often Authenticate is
		logged       string // what the one record holds, if there is one
	}{
		{name: "the error is a nil pointer", handler: func(*Request) (string, error) { return "", (*nilError)(nil) }, want: failed, logged: "nil pointer"},
		{name: "Authenticate, and middleware ignores it", handler: secret, use: []any{asksForUser}, authenticate: down, want: failed, asked: 1, logged: "down"},
		{name: "the body, and middleware ignores it", handler: secret, use: []any{asksForInput}, body: "{", want: badRequest},
		{name: "Authenticate, before the handler", handler: func(*Request) string {
			t.Error("the handler is called after Authenticate has failed")
			return ""
		}, use: []any{asksForUser}, authenticate: down, want: failed, asked: 1, logged: "down"},
		{name: "Authenticate panics, and a guard recovers", handler: user, use: []any{catches}, authenticate: func(*Request) (any, error) { panic("x") },
			want: failed, asked: 1, logged: "panic: x"},
		{name: "no failure: Authenticate clones", handler: user, authenticate: func(req *Request) (any, error) { req.Clone(); return "ada", nil }, want: "200 ada", asked: 1},
		{name: "a Handler that had a status", handler: func(*Request) Response {
			return Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })).Status(404)
		}, onError: fine, want: "500 fine", logged: "panic: x"},
		{name: "a handler that had announced a length", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000")
			panic("x")
		}, onError: fine, want: "500 fine", logged: "panic: x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(tt.handler, tt.use...)
			asked := 0
			r.OnError = tt.onError
			if tt.authenticate != nil {
				r.Authenticate = func(req *Request) (any, error) {
					asked++
					return tt.authenticate(req)
				}
			}
			w := do(r, sending("POST", "/x", jsonMedia, tt.body))
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
			is.Equal(w.Header().Get("Content-Length"), "") // net/http counts
			is.Equal(asked, tt.asked)
			all := records(t, log)
			if tt.logged == "" {
				is.Equal(len(all), 0)
				return
			}
			is.Equal(len(all), 1)
			is.True(strings.Contains(all[0]["error"].(string), tt.logged))
		})
	}
}

func TestFilesThatOthersParsedAreRemoved(t *testing.T) {
	parse := func(_ http.ResponseWriter, r *http.Request) { r.ParseMultipartForm(1) }
	body := parts("f@" + strings.Repeat("x", 9<<20))
	for _, tt := range []struct {
		name    string
		handler any
		use     []any
		want    int // 0 if the connection is aborted
	}{
		{"a net/http handler", parse, nil, 200},
		{"a net/http handler that aborts", func(w http.ResponseWriter, r *http.Request) {
			parse(w, r)
			panic(http.ErrAbortHandler)
		}, nil, 0},
		{"middleware that denies", hello, []any{func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				parse(w, r)
				http.Error(w, "no", http.StatusForbidden)
			})
		}}, 403},
		{"a guard that denies", func(http.ResponseWriter, *http.Request) {}, []any{wrap, func(req *Request) Response {
			if err := req.ParseMultipartForm(1); err != nil {
				t.Error(err)
			}
			return Fail(403, "")
		}}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			r, _ := lone(tt.handler, tt.use...)
			got := 0
			aborted := flowtest.PanicOf(func() { got = do(r, sending("POST", "/x", multiMedia, body)).Code })
			is.Equal(aborted == http.ErrAbortHandler, tt.want == 0)
			is.Equal(got, tt.want)
			left, err := os.ReadDir(dir)
			is.NoErr(err)
			is.Equal(len(left), 0)
		})
	}
}

func TestOnErrorThatFailsToAnswer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc // that OnError answers with
		fail    error            // of Authenticate
	}{
		{"panics", func(http.ResponseWriter, *http.Request) { panic("secret") }, nil},
		{"says nothing after Authenticate failed", func(http.ResponseWriter, *http.Request) {}, errors.New("down")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(func(req *Request) (string, error) {
				req.User()
				return "", errors.New("x")
			})
			r.Authenticate = func(*Request) (any, error) { return nil, tt.fail }
			asked := 0
			r.OnError = func(*Request, error) Response {
				asked++
				return Handler(tt.handler)
			}
			w := do(r, request("GET", "/x"))
			is.Equal(w.Code, 500)
			is.True(!strings.Contains(w.Body.String(), "secret"))
			is.Equal(asked, 1)
		})
	}
}

// watched is a body that middleware put around another, as tracing does.
type watched struct{ io.ReadCloser }

func TestBodiesThatMiddlewareReplaced(t *testing.T) {
	watch := before(func(r *http.Request) { r.Body = watched{r.Body} })
	readAll := func(req *Request) Response {
		io.ReadAll(req.Body)
		return Next()
	}
	unzip := before(func(r *http.Request) {
		if z, err := gzip.NewReader(r.Body); err == nil {
			r.Body = z
		}
	})
	var zipped strings.Builder
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`))
	z.Close()
	var zippedForm strings.Builder
	z = gzip.NewWriter(&zippedForm)
	z.Write([]byte("a=1&role=%zz"))
	z.Close()
	length := func(req *Request) string { return fmt.Sprint(len(req.Input("a"))) }
	for _, tt := range []struct {
		name, contentType, body string
		limit                   int64
		handler                 any
		use                     []any
		want                    string
	}{
		{"watched", jsonMedia, `{"a":"xyz"}`, 100, length, []any{watch}, "200 3"},
		{"watched, and read by a guard", jsonMedia, `{"a":"xyz"}`, 100, length, []any{watch, readAll}, "200 3"},
		{"malformed, watched, and parsed", formType, "a=1&b=%zz", 100, length, []any{watch, before(func(r *http.Request) { r.FormValue("a") })}, "400"},
		{"unpacked", jsonMedia, zipped.String(), 2 << 20, length, []any{unzip}, "200 1048576"},
		{"unpacked beyond the limit", jsonMedia, zipped.String(), 1 << 20, length, []any{unzip}, "413"},
		{"read for a net/http handler, then asked for", jsonMedia, `{"a":"1"}`, 100,
			func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "let in") },
			[]any{before(func(r *http.Request) { io.ReadAll(r.Body) }), func(req *Request) Response {
				if req.Input("a") == "1" {
					return Fail(403, "")
				}
				return Next()
			}}, "403"},
		{"read by a net/http handler, then asked for", jsonMedia, `{"a":"1"}`, 100, func(_ http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body)
			From(r.Context()).Input("a")
		}, nil, "500"},
		{"watched, and read in part", formType, "a=1&b=2", 100, func(req *Request) string { return fmt.Sprint(req.All()) }, []any{watch, before(func(r *http.Request) {
			io.ReadFull(r.Body, make([]byte, 4))
		})}, "200 map[a:1 b:2]"},
		{"packed, and parsed by others", formType, zippedForm.String(), 100, length, []any{unzip, before(func(r *http.Request) { r.FormValue("a") })}, "500"},
		{"multipart that a guard streams", multiMedia, parts("a=1"), 1000, length, []any{func(req *Request) Response {
			req.MultipartReader()
			return Next()
		}}, "500"},
		{"more than the limit is announced", jsonMedia, strings.Repeat(" ", 101), 100, length, nil, "413"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(tt.handler, tt.use...)
			r.MaxBody = tt.limit
			req := sending("POST", "/x", tt.contentType, tt.body)
			if strings.HasPrefix(tt.body, "\x1f\x8b") {
				req.Header.Set("Content-Encoding", "gzip")
			}
			is.Equal(says(do(r, req)), tt.want)
			is.Equal(len(records(t, log)), strings.Count(tt.want, "500")) // once, and what is the client's fault not at all
		})
	}
}

func TestRetriedHandlerReadsTheBodyAgain(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(req *Request) string {
		b, _ := io.ReadAll(req.Body)
		return string(b)
	}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			next.ServeHTTP(w, r)
		})
	})
	is.Equal(says(do(r, sending("POST", "/x", jsonMedia, `{"a":1}`))), `200 {"a":1}`)
}

func TestConcurrentNext(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, From(r.Context()).Param("id")) },
		func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var both sync.WaitGroup
				for range 2 {
					both.Go(func() { next.ServeHTTP(httptest.NewRecorder(), r.WithContext(r.Context())) })
				}
				both.Wait()
				io.WriteString(w, "both")
			})
		})
	is.Equal(says(do(r, sending("POST", "/x", "text/plain", "body"))), "200 both")
}

func TestFailedAnswerLeavesNoHeaders(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Cache-Control", "public, immutable")
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("X-Trace", "kept")
		panic("x")
	})
	w := do(r, httptest.NewRequest("GET", "/x", nil))
	is.Equal(w.Code, 500)
	is.Equal(w.Header(), http.Header{"Content-Type": {"application/problem+json"}, "Vary": {"Accept"}, "X-Content-Type-Options": {"nosniff"}, "X-Trace": {"kept"}})
}

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
	fails := func(*Request) (Response, error) { return Response{}, errors.New("x") }
	panics := func(*Request) Response { panic("x") }
	panicsStd := func(w http.ResponseWriter, _ *http.Request) { promised(w.Header(), "handler"); panic("x") }
	returns := func(resp Response) func(*Request) Response { return func(*Request) Response { return resp } }
	answers := func(resp Response) func(r *Router) {
		return func(r *Router) { r.OnError = func(*Request, error) Response { return resp } }
	}
	down := func(r *Router) {
		r.Authenticate = func(*Request) (any, error) { return nil, errors.New("down") }
	}
	inside := func(change func(*Router)) func() *Router {
		return func() *Router {
			r, _ := lone(fails)
			change(r)
			return r
		}
	}
	nothing := func(http.ResponseWriter, *http.Request) {}
	for _, tt := range []struct {
		name    string
		handler any
		use     []any // after the guard
		change  func(*Router)
		header  string // of the request, and its body
		body    string
		want    int
		// mayCompress: a Content-Encoding is taken for one of middleware.
		mayCompress bool
	}{
		{"error", fails, nil, nil, "", "", 500, false},
		{"error that is a 404", func(*Request) (Response, error) { return Response{}, Error(404, "") }, nil, nil, "", "", 404, false},
		{"panic", panics, nil, nil, "", "", 500, false},
		{"Fail", returns(Fail(409, "")), nil, nil, "", "", 409, false},
		{"refused redirect", returns(Redirect("//x")), nil, nil, "", "", 500, false},
		{"unencodable JSON", returns(JSON(make(chan int))), nil, nil, "", "", 500, false},
		{"unknown template", returns(View("none", nil)), nil, nil, "", "", 500, false},
		{"Next of a handler", returns(Next()), nil, nil, "", "", 500, false},
		{"net/http handler panics", panicsStd, nil, nil, "", "", 500, false},
		{"Handler panics", returns(Handler(http.HandlerFunc(panicsStd)).Header("Etag", "handler")), nil, nil, "", "", 500, false},
		{"another guard fails", hello, []any{fails}, nil, "", "", 500, false},
		{"another guard panics", hello, []any{panics}, nil, "", "", 500, false},
		{"another guard denies", hello, []any{returns(Fail(403, ""))}, nil, "", "", 403, false},
		{"another guard returns nothing", hello, []any{returns(Response{})}, nil, "", "", 500, false},
		{"middleware panics", hello, []any{before(func(*http.Request) { panic("x") })}, nil, "", "", 500, false},
		{"bad body", hello, nil, nil, "Content-Type: application/json", "{", 400, false},
		{"large body", hello, nil, func(r *Router) { r.MaxBody = 1 }, "Content-Type: application/json", "{}", 413, false},
		{"Authenticate fails", func(req *Request) string { req.User(); return "" }, nil, down, "", "", 500, false},
		{"Authenticate fails, and nobody answers", nothing, []any{before(func(r *http.Request) { From(r.Context()).User() })}, down, "", "", 500, false},
		{"Authenticate fails in a net/http handler", func(_ http.ResponseWriter, r *http.Request) { From(r.Context()).User() }, nil, down, "", "", 500, false},
		{"middleware lost the context", hello, []any{func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(context.Background())) })
		}}, nil, "", "", 500, true},
		{"OnError answers", fails, nil, answers(Text("x").Status(503)), "", "", 503, false},
		{"OnError answers nothing", fails, nil, answers(Response{}.Status(503)), "", "", 503, false},
		{"OnError answers 200", fails, nil, answers(Text("x").Status(200)), "", "", 200, false},
		{"OnError redirects", fails, nil, answers(Redirect("/login")), "", "", 302, false},
		{"OnError has a Handler", fails, nil, answers(Handler(http.NotFoundHandler())), "", "", 404, false},
		{"OnError has a Handler that panics", fails, nil, answers(Handler(http.HandlerFunc(panicsStd))), "", "", 500, false},
		{"Router inside fails", inside(func(*Router) {}), nil, nil, "", "", 500, false},
		{"Router inside has middleware", inside(func(r *Router) { r.Use(wrap) }), nil, nil, "", "", 500, false},
		{"Router inside panics", inside(func(r *Router) { r.Use(before(func(*http.Request) { panic("x") })) }), nil, nil, "", "", 500, false},
		{"Router inside has OnError", inside(answers(Text("x").Status(503))), nil, nil, "", "", 503, false},
		{"Router inside has no such page", func() *Router { return New(flowtest.Files("router/index.html")) }, nil, nil, "", "", 404, false},
		{"no such coding", nil, nil, nil, "Accept-Encoding: *;q=0", "", 406, true},
		{"no such version", nil, nil, nil, `If-Match: "x"`, "", 412, true},
	} {
		for around, use := range map[string][]any{
			"": nil, "between middleware": {wrap, wrap}, "another request": {before(func(*http.Request) {}), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(r.Context())) })
			}},
		} {
			t.Run(tt.name+"/"+around, func(t *testing.T) {
				is := is.New(t)
				r := New(fstest.MapFS{"router/y.http": {}, "router/page.html": {Data: []byte("page")}})
				journalOf(r)
				target := "/y"
				guard := func(*Request) Response {
					resp := Next().Cookie(&http.Cookie{Name: "c", Value: "guard"}).Header("X-Kept-Guard", "guard")
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
				case func() *Router:
					target = "/in/x"
					r.Mount("/in", h()).Use(all...)
					r.At("y").GET().Do(hello)
				case nil:
					target = "/page"
					r.Use(all...)
					r.At("y").GET().Do(hello)
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
				w := do(r, req)
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
		"JSON 404": func(*Request) Response { return JSON("x").Status(404) },
		"net/http": http.NotFound,
		"Handler":  func(*Request) Response { return Handler(http.NotFoundHandler()) },
		"200":      hello,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(handler, func(*Request) Response { return Next().Header("Cache-Control", "max-age=60") })
			is.Equal(do(r, httptest.NewRequest("GET", "/x", nil)).Header().Get("Cache-Control"), "max-age=60")
		})
	}
}

// TestPanicOfMiddlewareLeavesNoHeaders: nothing is left that would have made them true.
func TestPanicOfMiddlewareLeavesNoHeaders(t *testing.T) {
	is := is.New(t)
	r, _ := lone(hello, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { promised(w.Header(), "inside"); panic("x") })
	})
	outside := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { // a compressing wrapper, say
		promised(w.Header(), "outside")
		r.ServeHTTP(w, req)
	})
	w := do(outside, httptest.NewRequest("GET", "/x", nil))
	is.Equal(w.Code, 500)
	is.Equal(leftOf(w, "inside"), []string{"Set-Cookie", "X-Kept-Inside"})
	kept := slices.Concat(reply.Described[:], []string{"Set-Cookie", "X-Kept-Outside"})
	kept = slices.DeleteFunc(kept, func(key string) bool { return key == "Content-Type" || key == "Content-Length" }) // the error has its own
	slices.Sort(kept)
	is.Equal(leftOf(w, "outside"), kept)
}

// TestFailureThatNobodyAnsweredLeavesNoHeaders: middleware that is done wraps nothing any more.
func TestFailureThatNobodyAnsweredLeavesNoHeaders(t *testing.T) {
	is := is.New(t)
	r, _ := lone(hello, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			promised(w.Header(), "inside")
			From(r.Context()).User()
		})
	})
	r.Authenticate = func(*Request) (any, error) { return nil, errors.New("down") }
	w := do(r, httptest.NewRequest("GET", "/x", nil))
	is.Equal(w.Code, 500)
	is.Equal(leftOf(w, "inside"), []string{"Set-Cookie", "X-Kept-Inside"})
}

// TestErrorsKeepTheirOwnHeaders, and those of middleware.
func TestErrorsKeepTheirOwnHeaders(t *testing.T) {
	caching := func(value string) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", value)
				next.ServeHTTP(w, r)
			})
		}
	}
	public := func(*Request) Response { return Next().Header("Cache-Control", "public") }
	fails := func(*Request) (Response, error) { return Response{}, errors.New("x") }
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
		onError func(*Request, error) Response
		want    string
	}{
		{"Fail", []any{public}, func(*Request) Response { return Fail(404, "").Header("Cache-Control", "max-age=60") }, nil, "max-age=60"},
		{"OnError", []any{public}, fails, func(*Request, error) Response { return Text("x").Status(503).Header("Cache-Control", "no-store") }, "no-store"},
		{"OnError's Handler", []any{public}, fails, func(*Request, error) Response {
			return Handler(http.NotFoundHandler()).Header("Cache-Control", "no-store")
		}, "no-store"},
		{"middleware before the guard", []any{caching("no-store"), public}, fails, nil, "no-store"},
		{"middleware after the guard", []any{public, caching("no-store")}, fails, nil, "no-store"},
		{"middleware after two guards", []any{public, public, caching("no-store")}, fails, nil, "no-store"},
		{"middleware that says the same", []any{caching("public"), public}, fails, nil, "public"},
		{"two guards", []any{caching("no-store"), public, wrap, func(*Request) Response { return Next().Header("Cache-Control", "private") }}, fails, nil, "no-store"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(tt.handler, tt.use...)
			r.OnError = tt.onError
			w := do(r, httptest.NewRequest("GET", "/x", nil))
			is.True(w.Code >= 400)
			is.Equal(w.Header().Get("Cache-Control"), tt.want)
		})
	}
}

// TestPromisesAreOfOneRequest, also where a Request is used again.
func TestPromisesAreOfOneRequest(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/guarded.http", "router/fails.http"))
	journalOf(r)
	r.At("guarded").GET().Use(func(*Request) Response { return Next().Header("Cache-Control", "max-age=60") }).Do(hello)
	r.At("fails").GET().Do(func(*Request) (Response, error) { return Response{}, errors.New("x") })
	for range 10 {
		serve(r, "GET", "/guarded")
		w := httptest.NewRecorder()
		w.Header().Set("Cache-Control", "max-age=60") // by what is around the Router
		r.ServeHTTP(w, request("GET", "/fails"))
		is.Equal(w.Header().Get("Cache-Control"), "max-age=60")
	}
}

// gzipAlways is middleware as people write it: what passes is compressed, and it says so
// at once.
func gzipAlways(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		next.ServeHTTP(zipping{w, z}, r)
		z.Close() // not if it panics
	})
}

type zipping struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (z zipping) Write(b []byte) (int, error) { return z.z.Write(b) }

// TestErrorsAreReadable: compressed if they say so, and not if they do not.
func TestErrorsAreReadable(t *testing.T) {
	boom := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })
	}
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
		packed  bool
	}{
		{"handler", []any{gzipAlways}, func(*Request) string { panic("x") }, true},
		{"net/http handler", []any{gzipAlways}, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "br"); panic("x") }, true},
		{"guard", []any{gzipAlways, func(*Request) Response { panic("x") }}, hello, true},
		{"middleware", []any{gzipAlways, boom}, hello, false},
		{"middleware around", []any{boom, gzipAlways}, hello, false},
		{"a handler that compresses", nil, gzipAlways(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })), false},
		{"middleware lost the context", []any{gzipAlways, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(context.Background())) })
		}}, hello, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(tt.handler, tt.use...)
			w := do(r, httptest.NewRequest("GET", "/x", nil))
			is.Equal(w.Code, 500)
			is.Equal(w.Header().Get("Content-Encoding") == "gzip", tt.packed)
			var body io.Reader = w.Body
			if tt.packed {
				var err error
				body, err = gzip.NewReader(w.Body)
				is.NoErr(err)
			}
			text, err := io.ReadAll(body)
			is.NoErr(err)
			is.Equal(string(text), `{"type":"about:blank","title":"Internal Server Error","status":500}`)
		})
	}
}

func TestHandlerThatWritesNothingHasItsStatus(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(*Request) Response {
		return Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).Status(404)
	})
	is.Equal(do(r, httptest.NewRequest("GET", "/x", nil)).Code, 404)
}

func TestNextWithAStatusIsNoNext(t *testing.T) {
	is := is.New(t)
	r, _ := lone(hello, func(*Request) Response { return Next().Status(403) })
	is.Equal(do(r, httptest.NewRequest("GET", "/x", nil)).Code, 500)
}

func TestAuthenticateMayAskItsClone(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(req *Request) string { return fmt.Sprint(req.User()) })
	r.Authenticate = func(req *Request) (any, error) { return fmt.Sprint("nobody is ", req.Clone().User()), nil }
	is.Equal(says(do(r, httptest.NewRequest("GET", "/x", nil))), "200 nobody is <nil>")
}

func TestMiddlewareThatAsksForRoutesWhenConstructed(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/a.http"))
	r.At("a").GET().Do(hello)
	r.Use(func(next http.Handler) http.Handler {
		_, err := r.Route("a")
		is.True(err != nil)          // rather than wait for Check, which waits for it
		is.Equal(len(r.Routes()), 0) // likewise
		return next
	})
	is.NoErr(r.Check())
}

func TestFailuresThatNobodyAnswersAreLogged(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler any
		use     []any
		want    int
		log     []string
	}{
		{"a net/http handler answered", func(w http.ResponseWriter, r *http.Request) {
			From(r.Context()).User()
			io.WriteString(w, "anonymous")
		}, nil, 200, []string{"DOWN"}},
		{"middleware answered", hello, []any{func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				From(r.Context()).User()
				w.WriteHeader(401)
			})
		}}, 401, []string{"DOWN"}},
		{"the handler has an error of its own", func(req *Request) (string, error) {
			req.User()
			return "", errors.New("DBERR")
		}, nil, 500, []string{"DBERR", "DOWN"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(tt.handler, tt.use...)
			log := logged(r)
			r.Authenticate = func(*Request) (any, error) { return nil, errors.New("DOWN") }
			is.Equal(do(r, httptest.NewRequest("GET", "/x", nil)).Code, tt.want)
			is.Equal(strings.Count(log.String(), "\n"), len(tt.log)) // each once
			for _, text := range tt.log {
				is.True(strings.Contains(log.String(), text))
			}
		})
	}
}

func TestHeadersOfMiddlewareStayOnAFailedAnswer(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public")
		panic("x")
	}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			next.ServeHTTP(w, r)
		})
	})
	is.Equal(do(r, httptest.NewRequest("GET", "/x", nil)).Header().Get("Cache-Control"), "no-store")
}

// TestAbortedAuthenticateIsNotForgotten: the next request is asked anew.
func TestAbortedAuthenticateIsNotForgotten(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector no Request is used twice")
	}
	is := is.New(t)
	abort := true
	r, _ := lone(func(req *Request) string {
		defer func() { recover() }()
		return fmt.Sprint(req.User())
	})
	r.Authenticate = func(*Request) (any, error) {
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

// TestClientsThatLeave are no fault of the application; contexts of its own are.
func TestClientsThatLeave(t *testing.T) {
	for _, tt := range []struct {
		name  string
		leave bool
		level string
	}{
		{"the client has left", true, "INFO"},
		{"the client is there", false, "ERROR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(func(*Request) (string, error) { return "", fmt.Errorf("query: %w", context.Canceled) })
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if tt.leave {
				leave()
			}
			do(r, request("GET", "/x").WithContext(ctx))
			is.Equal(records(t, log)[0]["level"], tt.level)
		})
	}
}

// A page whose counterpart no Go file could be is served like any other.
func TestPagesWithoutACounterpart(t *testing.T) {
	names := []string{"@me", "~x", "-x", "x_test", "x_linux", "x_windows_amd64", ".well-known/about"}
	r := New(flowtest.Files("router/index.html", "router/@me.html", "router/~x.html", "router/-x.html", "router/x_test.html", "router/x_linux.html", "router/x_windows_amd64.html", "router/.well-known/about.html"))
	for _, name := range append(names, "") {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(r.Check())
			is.Equal(serve(r, "GET", "/"+name).Code, 200)
		})
	}
}

// TestBodiesThatBreak are no fault of the application that reads them by itself.
func TestBodiesThatBreak(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cut   bool
		fails func(read error) error
		level string // of the one record, "" if there is none
	}{
		{"cut off", true, func(read error) error { return fmt.Errorf("import: %w", read) }, "INFO"},
		{"cut off, panics", true, func(read error) error { panic(read) }, "INFO"},
		{"cut off, and something else", true, func(error) error { return errors.New("down") }, "ERROR"},
		{"cut off, and well", true, func(error) error { return nil }, ""},
		{"whole", false, func(error) error { return io.ErrUnexpectedEOF }, "ERROR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(func(req *Request) (Response, error) {
				_, err := io.ReadAll(req.Body)
				is.Equal(err != nil, tt.cut)
				return Response{}, tt.fails(err)
			})
			var body io.Reader = strings.NewReader("abc")
			if tt.cut {
				body = io.MultiReader(body, iotest.ErrReader(io.ErrUnexpectedEOF))
			}
			do(r, httptest.NewRequest("POST", "/x", body))
			all := records(t, log)
			if tt.level == "" {
				is.Equal(len(all), 0)
				return
			}
			is.Equal(len(all), 1)
			is.Equal(all[0]["level"], tt.level)
		})
	}
}

// TestClientsCannotBlameTheProgram has guards and handlers return what is a mistake by itself,
// once a body cannot be read or Authenticate has failed: the failure is the answer, and all
// that the log has to say.
func TestClientsCannotBlameTheProgram(t *testing.T) {
	guard := func(req *Request) Response {
		if req.Input("name") == "" && req.User() == nil {
			return Response{}
		}
		return Next()
	}
	handler := func(req *Request) Response { req.User(); return Next() }
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
		auth    error
		body    string
		status  int
		log     string
	}{
		{"guard and body", []any{guard}, "", nil, `{"name"`, 400, ""},
		{"guard and Authenticate", []any{guard}, "", Error(503, "later"), `{}`, 503, "flow: Authenticate failed: 503 later"},
		{"handler and Authenticate", nil, handler, Error(503, "later"), `{}`, 503, "flow: Authenticate failed: 503 later"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			if tt.handler == "" {
				tt.handler = func(*Request) string { return "secret" }
			}
			r, log := lone(tt.handler, tt.use...)
			r.Authenticate = func(*Request) (any, error) { return nil, tt.auth }
			req := httptest.NewRequest("POST", "/x", strings.NewReader(tt.body))
			req.Header.Set("Content-Type", "application/json")
			is.Equal(do(r, req).Code, tt.status)
			var said []string
			for _, record := range records(t, log) {
				said = append(said, fmt.Sprint(record["error"]))
			}
			is.Equal(strings.Join(said, "; "), tt.log)
		})
	}
}

// TestSecondFailureIsLogged asks for the user while a body is answered that cannot be read.
func TestSecondFailureIsLogged(t *testing.T) {
	is := is.New(t)
	r, log := lone(func(*Request) string { return "secret" })
	r.Authenticate = func(*Request) (any, error) { return nil, errors.New("the key server is down") }
	r.OnError = func(req *Request, err error) Response { return Text(fmt.Sprint(req.User())) }
	req := httptest.NewRequest("POST", "/x", strings.NewReader("{"))
	req.Header.Set("Content-Type", "application/json")
	w := do(r, req)
	is.Equal(w.Code, 400)
	is.Equal(w.Body.String(), "<nil>")
	said := records(t, log)
	is.Equal(len(said), 1)
	is.Equal(said[0]["error"], "flow: Authenticate failed: the key server is down")
	is.Equal(said[0]["level"], "ERROR")
}
