package requests_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
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
	down := func(*flow.Request) (any, error) { return nil, errors.New("down") }
	secret := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }
	user := func(req *flow.Request) string { return fmt.Sprint(req.User()) }
	asksForUser := apptest.Before(func(r *http.Request) { flow.From(r.Context()).User() })
	asksForInput := apptest.Before(func(r *http.Request) { flow.From(r.Context()).Input("a") })
	catches := func(req *flow.Request) flow.Response {
		func() { defer func() { recover() }(); req.User() }()
		return flow.Next()
	}
	fine := func(*flow.Request, error) flow.Response { return flow.Text("fine") }
	for _, tt := range []struct {
		name         string
		handler      any
		use          []any
		authenticate func(*flow.Request) (any, error)
		onError      func(*flow.Request, error) flow.Response
		body         string
		want         string // status and body
		asked        int    // how often Authenticate is
		logged       string // what the one record holds, if there is one
	}{
		{name: "the error is a nil pointer", handler: func(*flow.Request) (string, error) { return "", (*nilError)(nil) }, want: failed, logged: "nil pointer"},
		{name: "Authenticate, and middleware ignores it", handler: secret, use: []any{asksForUser}, authenticate: down, want: failed, asked: 1, logged: "down"},
		{name: "Authenticate, and the answer has a status of its own", handler: func(*flow.Request) flow.Response {
			return flow.Handler(http.HandlerFunc(apptest.Std(func(r *http.Request) { flow.From(r.Context()).User() }))).Status(404)
		}, authenticate: down, want: failed, asked: 1, logged: "down"},
		{name: "the body, and middleware ignores it", handler: secret, use: []any{asksForInput}, body: "{", want: badRequest},
		{name: "Authenticate, before the handler", handler: func(*flow.Request) string {
			t.Error("the handler is called after Authenticate has failed")
			return ""
		}, use: []any{asksForUser}, authenticate: down, want: failed, asked: 1, logged: "down"},
		{name: "Authenticate panics, and a guard recovers", handler: user, use: []any{catches}, authenticate: func(*flow.Request) (any, error) { panic("x") },
			want: failed, asked: 1, logged: "panic: x"},
		{name: "no failure: Authenticate clones", handler: user, authenticate: func(req *flow.Request) (any, error) { req.Clone(); return "ada", nil }, want: "200 ada", asked: 1},
		{name: "a Handler that had a status", handler: func(*flow.Request) flow.Response {
			return flow.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })).Status(404)
		}, onError: fine, want: "500 fine", logged: "panic: x"},
		{name: "a handler that had announced a length", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000")
			panic("x")
		}, onError: fine, want: "500 fine", logged: "panic: x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := apptest.Lone(tt.handler, tt.use...)
			asked := 0
			r.OnError = tt.onError
			if tt.authenticate != nil {
				r.Authenticate = func(req *flow.Request) (any, error) {
					asked++
					return tt.authenticate(req)
				}
			}
			w := apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.JSON, tt.body))
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
			is.Equal(w.Header().Get("Content-Length"), "") // net/http counts
			is.Equal(asked, tt.asked)
			all := apptest.Records(t, log)
			if tt.logged == "" {
				is.Equal(len(all), 0)
				return
			}
			is.Equal(len(all), 1)
			is.True(strings.Contains(all[0]["error"].(string), tt.logged))
		})
	}
}

func TestPanicsAreClean500s(t *testing.T) {
	sentinel := errors.New("secret sentinel")
	for _, tt := range []struct {
		name    string
		handler any
		logged  string
	}{
		{"text", func(*flow.Request) string { panic("secret") }, "panic: secret"},
		{"error", func(*flow.Request) string { panic(sentinel) }, "panic: secret sentinel"},
		{"an Error", func(*flow.Request) string { panic(flow.Error(404, "secret")) }, "panic: 404 secret"},
		{"JSON", func(*flow.Request) flow.Response {
			return flow.JSON(apptest.Marshaler(func() ([]byte, error) { panic("secret") }))
		}, "panic: secret"},
		{"nil", func(*flow.Request) string { panic(nil) }, "panic called with nil argument"},
		{"a runtime error", func(r *flow.Request) string { return r.Header["X"][3] }, "index out of range"},
		{"net/http", func(http.ResponseWriter, *http.Request) { panic("secret") }, "panic: secret"},
		{"Handler", func(*flow.Request) flow.Response {
			return flow.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
		}, "panic: secret"},
		{"guard", apptest.Hello, "panic: of a guard"},
		{"middleware", apptest.Hello, "panic: of middleware"},
		{"stale headers", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000")
			w.Header().Set("Content-Type", "image/png")
			panic("secret")
		}, "panic: secret"},
		{"a status that is none", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(1000) }, "invalid WriteHeader code 1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			seen := false
			r, log := apptest.Lone(tt.handler, apptest.Around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if tt.name == "middleware" {
					panic("of middleware")
				}
				next.ServeHTTP(w, r)
				seen = true // the panic did not pass
			}), func(*flow.Request) flow.Response {
				if tt.name == "guard" {
					panic("of a guard")
				}
				return flow.Next()
			})
			server := httptest.NewServer(r)
			defer server.Close()
			resp, err := http.Get(server.URL + "/x")
			is.NoErr(err)
			defer resp.Body.Close()
			is.Equal(seen, tt.name != "middleware")
			var p apptest.ProblemBody
			is.NoErr(json.NewDecoder(resp.Body).Decode(&p)) // whole
			is.Equal(p, apptest.ProblemBody{Type: "about:blank", Title: "Internal Server Error", Status: 500})
			is.Equal(resp.StatusCode, 500)
			is.Equal(resp.Header.Get("Content-Type"), "application/problem+json")
			all := apptest.Records(t, log)
			is.Equal(len(all), 1)
			is.True(strings.Contains(all[0]["error"].(string), tt.logged))
			stack, _ := all[0]["stack"].(string)
			is.True(strings.Contains(stack, "failures_test.go"))
		})
	}
}

func TestErrAbortHandlerPasses(t *testing.T) {
	abort := func(*flow.Request) string { panic(http.ErrAbortHandler) }
	for _, tt := range []struct {
		name    string
		handler any
		use     []any
		body    string
	}{
		{"handler", abort, nil, ""},
		{"handler with a body", abort, nil, "{}"},
		{"guard", apptest.Hello, []any{func(*flow.Request) flow.Response { panic(http.ErrAbortHandler) }}, ""},
		{"middleware", apptest.Hello, []any{apptest.Before(func(*http.Request) { panic(http.ErrAbortHandler) })}, ""},
		{"net/http handler", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil, ""},
		{"OnError", func(*flow.Request) (string, error) { return "", errors.New("x") }, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := apptest.Lone(tt.handler, tt.use...)
			r.OnError = func(*flow.Request, error) flow.Response { panic(http.ErrAbortHandler) }
			defer func() {
				is.Equal(recover(), http.ErrAbortHandler)
				is.Equal(log.String(), "")
			}()
			apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.JSON, tt.body))
		})
	}
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
			flow.From(r.Context()).User()
			io.WriteString(w, "anonymous")
		}, nil, 200, []string{"DOWN"}},
		{"middleware answered", apptest.Hello, []any{func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				flow.From(r.Context()).User()
				w.WriteHeader(401)
			})
		}}, 401, []string{"DOWN"}},
		{"the handler has an error of its own", func(req *flow.Request) (string, error) {
			req.User()
			return "", errors.New("DBERR")
		}, nil, 500, []string{"DBERR", "DOWN"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := apptest.Lone(tt.handler, tt.use...)
			log := apptest.Logged(r)
			r.Authenticate = func(*flow.Request) (any, error) { return nil, errors.New("DOWN") }
			is.Equal(apptest.Do(r, httptest.NewRequest("GET", "/x", nil)).Code, tt.want)
			is.Equal(strings.Count(log.String(), "\n"), len(tt.log)) // each once
			for _, text := range tt.log {
				is.True(strings.Contains(log.String(), text))
			}
		})
	}
}

// TestSecondFailureIsLogged asks for the user while a body is answered that cannot be read.
func TestSecondFailureIsLogged(t *testing.T) {
	is := is.New(t)
	r, log := apptest.Lone(func(*flow.Request) string { return "secret" })
	r.Authenticate = func(*flow.Request) (any, error) { return nil, errors.New("the key server is down") }
	r.OnError = func(req *flow.Request, err error) flow.Response { return flow.Text(fmt.Sprint(req.User())) }
	w := apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.JSON, "{"))
	is.Equal(w.Code, 400)
	is.Equal(w.Body.String(), "<nil>")
	said := apptest.Records(t, log)
	is.Equal(len(said), 1)
	is.Equal(said[0]["error"], "flow: Authenticate failed: the key server is down")
	is.Equal(said[0]["level"], "ERROR")
}

// TestClientsCannotBlameTheProgram has guards and handlers return what is a mistake by itself,
// once a body cannot be read or Authenticate has failed: the failure is the answer, and all
// that the log has to say.
func TestClientsCannotBlameTheProgram(t *testing.T) {
	guard := func(req *flow.Request) flow.Response {
		if req.Input("name") == "" && req.User() == nil {
			return flow.Response{}
		}
		return flow.Next()
	}
	handler := func(req *flow.Request) flow.Response { req.User(); return flow.Next() }
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
		auth    error
		body    string
		status  int
		log     string
	}{
		{"guard and body", []any{guard}, apptest.Hello, nil, `{"name"`, 400, ""},
		{"guard and Authenticate", []any{guard}, apptest.Hello, flow.Error(503, "later"), `{}`, 503, "flow: Authenticate failed: 503 later"},
		{"handler and Authenticate", nil, handler, flow.Error(503, "later"), `{}`, 503, "flow: Authenticate failed: 503 later"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := apptest.Lone(tt.handler, tt.use...)
			r.Authenticate = func(*flow.Request) (any, error) { return nil, tt.auth }
			is.Equal(apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.JSON, tt.body)).Code, tt.status)
			var said []string
			for _, record := range apptest.Records(t, log) {
				said = append(said, fmt.Sprint(record["error"]))
			}
			is.Equal(strings.Join(said, "; "), tt.log)
		})
	}
}

// TestClientsThatLeave are no fault of the application; contexts of its own are.
func TestClientsThatLeave(t *testing.T) {
	for _, tt := range []struct {
		name  string
		leave bool
		level string
		msg   string
	}{
		{"the client has left", true, "INFO", "flow: request canceled"},
		{"the client is there", false, "ERROR", "flow: request failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := apptest.Lone(func(*flow.Request) (string, error) { return "", fmt.Errorf("query: %w", context.Canceled) })
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if tt.leave {
				leave()
			}
			apptest.Do(r, apptest.Request("GET", "/x").WithContext(ctx))
			is.Equal(apptest.Records(t, log)[0]["level"], tt.level)
			is.Equal(apptest.Records(t, log)[0]["msg"], tt.msg)
		})
	}
}

// TestRefusedRedirectsAreSaidOnce: a client that chooses the targets cannot fill the log.
func TestRefusedRedirectsAreSaidOnce(t *testing.T) {
	back := func(req *flow.Request) flow.Response { return flow.Redirect(req.Input("to")) }
	build := func() (*flow.Router, *apptest.Journal) {
		r := flow.New(flowtest.Files("router/a.http", "router/[b].http"))
		r.At("a").GET().Do(back)
		r.At("[b]").ANY().Do(back)
		return r, apptest.JournalOf(r)
	}
	random := rand.New(rand.NewPCG(1, 2))
	ask := func(t *testing.T, r *flow.Router, path, target string) {
		t.Helper()
		if w := apptest.Do(r, httptest.NewRequest("GET", path+"?to="+url.QueryEscape(target), nil)); w.Code != 500 || w.Header().Get("Location") != "" {
			t.Errorf("%q: %d %v", target, w.Code, w.Header())
		}
	}
	paths := func(i int) string { return []string{"/a", fmt.Sprint("/", random.Uint64())}[i%2] }

	t.Run("one reason", func(t *testing.T) {
		is := is.New(t)
		r, log := build()
		for i := range 1000 {
			ask(t, r, paths(i), fmt.Sprintf("//%x.example/", random.Uint64()))
		}
		all := apptest.Records(t, log)
		is.Equal(len(all), 2)
		for i, pattern := range []string{"GET /a", "/{b}"} {
			is.Equal(all[i]["pattern"], pattern)
			is.Equal(all[i]["level"], "ERROR")
			text := all[i]["error"].(string)
			is.True(strings.Contains(text, "would leave for another host"))
			is.True(strings.Contains(text, "this is said once"))
			is.True(strings.Contains(text, "begins with one slash"))
		}
	})
	t.Run("all reasons", func(t *testing.T) {
		is := is.New(t)
		r, log := build()
		var clients sync.WaitGroup
		for i := range 8 {
			first := paths(i)
			clients.Go(func() {
				for n := range 100 {
					ask(t, r, first, []string{"//x", "/\t", "ftp://x/", ""}[n%4]+strings.Repeat("x", 50*n))
				}
			})
		}
		clients.Wait()
		is.Equal(len(apptest.Records(t, log)), 2*3)
		is.True(len(log.String()) < 6*1000) // however long the targets are
	})
	t.Run("where no route answers", func(t *testing.T) {
		is := is.New(t)
		r, log := build()
		r.Use(apptest.Before(func(*http.Request) { panic("x") }))
		r.OnError = func(req *flow.Request, _ error) flow.Response { return flow.Redirect(req.Input("to")) }
		for range 100 {
			for _, line := range []string{"GET /none/at/all", "POST /a/", "OPTIONS /a", "PUT /a"} {
				method, path, _ := strings.Cut(line, " ")
				is.Equal(apptest.Serve(r, method, path+"?to=//x").Code, 500)
			}
		}
		all := slices.DeleteFunc(apptest.Records(t, log), func(record map[string]any) bool { return record["error"] == "panic: x" })
		patterns := map[any]int{}
		for _, record := range all {
			is.True(strings.HasPrefix(record["error"].(string), "OnError: "))
			patterns[record["pattern"]]++
		}
		is.Equal(patterns, map[any]int{"": 1, "/{b}": 1})
	})
}

// An oddError cannot be asked what it wraps while it is nil.
type oddError struct{ cause error }

func (e *oddError) Error() string { return "odd" }

func (e *oddError) Unwrap() error { return e.cause }

// TestErrorsThatWrapNilPointers are a 500 like any other, and end no connection.
func TestErrorsThatWrapNilPointers(t *testing.T) {
	var none *flow.HTTPError
	var odd *oddError
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"wrapped", fmt.Errorf("x: %w", none)},
		{"joined", errors.Join(errors.New("db"), none)},
		{"cause", &flow.HTTPError{Status: 404, Cause: odd}},
		{"of its own", odd},
		{"of its own, wrapped", fmt.Errorf("x: %w", odd)},
	} {
		for name, build := range map[string]func() (*flow.Router, *apptest.Journal){
			"handler": func() (*flow.Router, *apptest.Journal) {
				return apptest.Lone(func(*flow.Request) (flow.Response, error) { return flow.Response{}, tt.err })
			},
			"guard": func() (*flow.Router, *apptest.Journal) {
				return apptest.Lone(func(*flow.Request) string { return "" }, func(*flow.Request) (flow.Response, error) { return flow.Response{}, tt.err })
			},
			"Authenticate": func() (*flow.Router, *apptest.Journal) {
				r, log := apptest.Lone(func(req *flow.Request) string { req.User(); return "" })
				r.Authenticate = func(*flow.Request) (any, error) { return nil, tt.err }
				return r, log
			},
			"panic": func() (*flow.Router, *apptest.Journal) {
				return apptest.Lone(func(*flow.Request) string { panic(tt.err) })
			},
		} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				is := is.New(t)
				r, log := build()
				w := apptest.Do(r, apptest.Request("GET", "/x"))
				is.Equal(w.Code, 500)
				is.True(!strings.Contains(w.Body.String(), "panic"))
				is.Equal(len(apptest.Records(t, log)), 1)
			})
		}
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
		{"handler", []any{gzipAlways}, func(*flow.Request) string { panic("x") }, true},
		{"net/http handler", []any{gzipAlways}, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "br"); panic("x") }, true},
		{"guard", []any{gzipAlways, func(*flow.Request) flow.Response { panic("x") }}, apptest.Hello, true},
		{"middleware", []any{gzipAlways, boom}, apptest.Hello, false},
		{"middleware around", []any{boom, gzipAlways}, apptest.Hello, false},
		{"a handler that compresses", nil, gzipAlways(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })), false},
		{"middleware lost the context", []any{gzipAlways, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(context.Background())) })
		}}, apptest.Hello, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := apptest.Lone(tt.handler, tt.use...)
			w := apptest.Do(r, httptest.NewRequest("GET", "/x", nil))
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
