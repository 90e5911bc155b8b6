package requests_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// TestApplicationOwnsErrors gets every kind of error in the format of the application.
func TestApplicationOwnsErrors(t *testing.T) {
	fails := func(err error) any { return func(*flow.Request) (flow.Response, error) { return flow.Response{}, err } }
	get := func(path string) *http.Request { return apptest.Request("GET", path) }
	foreign := func(path string) *http.Request {
		r := apptest.Request("POST", path)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		return r
	}
	for _, tt := range []struct {
		name    string
		request *http.Request
		want    string
		logged  string // the level of the one record, if there is one
	}{
		{"no route", get("/nothing"), `404 {"fields":{},"message":"Not Found"}`, ""},
		{"no route below a mount", get("/in/nothing"), `404 {"fields":{},"message":"Not Found"}`, ""},
		{"no method", apptest.Request("PATCH", "/body"), `405 Allow OPTIONS, POST {"fields":{},"message":"Method Not Allowed"}`, ""},
		{"malformed body", flowtest.Sending("POST", "/body", flowtest.JSON, "{"), `400 {"fields":{},"message":"the body is not valid JSON"}`, ""},
		{"large body", flowtest.Sending("POST", "/body", flowtest.JSON, `"`+strings.Repeat("x", 99)+`"`), `413 {"fields":{},"message":"the body is too large"}`, ""},
		{"unknown body", flowtest.Sending("POST", "/body", "text/csv", "a,b"), `415 {"fields":{},"message":"the body is neither JSON nor a form"}`, ""},
		{"invalid body", flowtest.Sending("POST", "/body", flowtest.JSON, `{"age":"x"}`), `422 {"fields":{"age":"must be a whole number"},"message":"Unprocessable Entity"}`, ""},
		{"another origin", foreign("/body"), `403 {"fields":{},"message":"this request comes from another origin"}`, ""},
		{"another origin below a mount", foreign("/in/x"), `403 {"fields":{},"message":"this request comes from another origin"}`, ""},
		{"Fail", get("/fail"), `410 Retry-After 9 {"fields":{},"message":"gone"}`, ""},
		{"Fail of 503", get("/down"), `503 {"fields":{},"message":"later"}`, "ERROR"},
		{"Fail of a guard", get("/guarded"), `401 {"fields":{},"message":"who?"}`, ""},
		{"Error", get("/error"), `404 {"fields":{},"message":"no such row"}`, "INFO"},
		{"an error with a status", get("/conflict"), `409 {"fields":{},"message":"Conflict"}`, "INFO"},
		{"an error", get("/unknown"), `500 {"fields":{},"message":"Internal Server Error"}`, "ERROR"},
		{"panic", get("/panic"), `500 {"fields":{},"message":"Internal Server Error"}`, "ERROR"},
		{"panic of net/http", get("/std"), `500 {"fields":{},"message":"Internal Server Error"}`, "ERROR"},
		{"Authenticate", get("/user"), `500 {"fields":{},"message":"Internal Server Error"}`, "ERROR"},
		{"zero Response of a guard", get("/open"), `500 {"fields":{},"message":"Internal Server Error"}`, "ERROR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/body.http", "router/fail.http", "router/down.http", "router/guarded.http", "router/error.http", "router/conflict.http", "router/unknown.http", "router/panic.http", "router/std.http", "router/user.http", "router/open.http"))
			inner := flow.New(flowtest.Files("router/x.http"))
			inner.At("x").POST().Do(func(*flow.Request) string { return "" })
			inner.OnError, r.OnError = apptest.OwnFormat, apptest.OwnFormat
			r.Mount("/in", inner)
			r.MaxBody = 50
			r.Authenticate = func(*flow.Request) (any, error) { return nil, errors.New("secret") }
			log := apptest.JournalOf(r)
			r.At("body").POST().Do(func(req *flow.Request) (flow.Response, error) {
				var in struct {
					Age int `json:"age"`
				}
				return flow.Response{}, req.Bind(&in)
			})
			ok := func(*flow.Request) string { return "" }
			r.At("fail").GET().Do(func(*flow.Request) flow.Response { return flow.Fail(410, "gone").Header("Retry-After", "9") })
			r.At("down").GET().Do(func(*flow.Request) flow.Response { return flow.Fail(503, "later") })
			r.At("guarded").GET().Use(func(*flow.Request) flow.Response { return flow.Fail(401, "who?") }).Do(ok)
			r.At("error").GET().Do(fails(flow.Error(404, "no such row", errors.New("secret"))))
			r.At("conflict").GET().Do(fails(fmt.Errorf("save: %w", apptest.Conflict{})))
			r.At("unknown").GET().Do(fails(errors.New("secret")))
			r.At("panic").GET().Do(func(*flow.Request) string { panic("secret") })
			r.At("std").GET().Do(func(http.ResponseWriter, *http.Request) { panic("secret") })
			r.At("user").GET().Do(func(req *flow.Request) string { req.User(); return "" })
			r.At("open").GET().Use(func(*flow.Request) flow.Response { return flow.Response{} }).Do(ok)
			w := apptest.Do(r, tt.request)
			got := apptest.Says(w)
			if after := w.Header().Get("Retry-After"); after != "" {
				got += " Retry-After " + after
			}
			is.Equal(got+" "+strings.TrimSpace(w.Body.String()), tt.want)
			is.Equal(w.Header().Get("Content-Type"), "application/json")
			levels := ""
			for _, record := range apptest.Records(t, log) {
				levels += record["level"].(string)
			}
			is.Equal(levels, tt.logged)
		})
	}
}

func TestOnError(t *testing.T) {
	boom := func(*flow.Request) (flow.Response, error) { panic("boom") }
	fails := func(*flow.Request) (flow.Response, error) {
		return flow.Response{}, flow.Error(418, "teapot", errors.New("the cause"))
	}
	for _, tt := range []struct {
		name    string
		handler any
		onError func(*flow.Request, error) flow.Response
		want    string
		logged  []string // a part of each record
	}{
		{"answers", fails, func(_ *flow.Request, err error) flow.Response { return flow.Text(err.Error()).Status(400) }, "400 418 teapot: the cause", []string{"the cause"}},
		{"no status", fails, func(*flow.Request, error) flow.Response { return flow.Text("fine") }, "418 fine", []string{"the cause"}},
		{"200", fails, func(*flow.Request, error) flow.Response { return flow.Text("fine").Status(200) }, "200 fine", []string{"the cause"}},
		{"leaves it", fails, func(*flow.Request, error) flow.Response { return flow.Response{} }, "418 I'm a teapot: teapot\n", []string{"the cause"}},
		{"Next", fails, func(*flow.Request, error) flow.Response { return flow.Next() }, "418 I'm a teapot: teapot\n", []string{"OnError returned Next()", "the cause"}},
		{"panics", fails, func(*flow.Request, error) flow.Response { panic("secret") }, "418 I'm a teapot: teapot\n", []string{"OnError: panic: secret", "the cause"}},
		{"cannot be encoded", fails, func(*flow.Request, error) flow.Response { return flow.JSON(make(chan int)) }, "418 I'm a teapot: teapot\n", []string{"OnError: flow: the response cannot be encoded", "the cause"}},
		{"redirect", fails, func(*flow.Request, error) flow.Response { return flow.Redirect("/login") }, "302 ", []string{"the cause"}},
		{"Fail", fails, func(*flow.Request, error) flow.Response { return flow.Fail(404, "no") }, "404 Not Found: no\n", []string{"the cause"}},
		{"Handler", fails, func(*flow.Request, error) flow.Response { return flow.Handler(http.NotFoundHandler()) }, "404 404 page not found\n", []string{"the cause"}},
		{"Handler without a status", fails, func(*flow.Request, error) flow.Response {
			return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("mine")) }))
		}, "418 mine", []string{"the cause"}},
		{"a panic", boom, func(_ *flow.Request, err error) flow.Response { return flow.Text(err.Error()).Status(503) }, "503 panic: boom", []string{"panic: boom"}},
		{"panics at a panic", boom, func(*flow.Request, error) flow.Response { panic("secret") }, "500 Internal Server Error\n", []string{"OnError: panic: secret", "panic: boom"}},
		{"bad body", func(*flow.Request) string { return "" }, func(_ *flow.Request, err error) flow.Response { return flow.Text("mine").Status(400) }, "400 mine", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := apptest.Lone(tt.handler)
			r.OnError = tt.onError
			req := httptest.NewRequest("GET", "/x", nil)
			if tt.name == "bad body" {
				req = flowtest.Sending("GET", "/x", flowtest.JSON, "{")
			}
			req.Header.Set("Accept", "text/plain")
			w := apptest.Do(r, req)
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
			all := apptest.Records(t, log)
			is.Equal(len(all), len(tt.logged))
			for i, part := range tt.logged {
				is.True(strings.Contains(all[i]["error"].(string), part))
			}
		})
	}
}

// TestOnErrorIsAskedAgain if it asks for the user, and Authenticate fails.
func TestOnErrorIsAskedAgain(t *testing.T) {
	is := is.New(t)
	r, log := apptest.Lone(func(*flow.Request) flow.Response { return flow.Fail(404, "none") })
	r.Authenticate = func(*flow.Request) (any, error) { return nil, flow.Error(503, "the key server is down") }
	r.OnError = func(req *flow.Request, err error) flow.Response {
		req.User()
		return apptest.OwnFormat(req, err)
	}
	w := apptest.Do(r, apptest.Request("GET", "/x"))
	is.Equal(w.Code, 503)
	is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"the key server is down"}`)
	is.Equal(len(apptest.Records(t, log)), 1)
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
			r, _ := apptest.Lone(func(req *flow.Request) (string, error) {
				req.User()
				return "", errors.New("x")
			})
			r.Authenticate = func(*flow.Request) (any, error) { return nil, tt.fail }
			asked := 0
			r.OnError = func(*flow.Request, error) flow.Response {
				asked++
				return flow.Handler(tt.handler)
			}
			w := apptest.Do(r, apptest.Request("GET", "/x"))
			is.Equal(w.Code, 500)
			is.True(!strings.Contains(w.Body.String(), "secret"))
			is.Equal(asked, 1)
		})
	}
}

func TestOnErrorSeesWhatWasPanickedWith(t *testing.T) {
	is := is.New(t)
	sentinel := errors.New("sentinel")
	r, _ := apptest.Lone(func(*flow.Request) string { panic(sentinel) })
	found := false
	r.OnError = func(_ *flow.Request, err error) flow.Response {
		found = errors.Is(err, sentinel)
		return flow.Response{}
	}
	is.Equal(apptest.Do(r, httptest.NewRequest("GET", "/x", nil)).Code, 500)
	is.True(found)
}

// TestFaultsGoBeforeOnError in development, where its answer is a 500 that hides them.
func TestFaultsGoBeforeOnError(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		want   string
	}{
		{"500", 500, "the disk is full"},
		{"another status", 409, "mine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := t.TempDir()
			is.NoErr(os.MkdirAll(filepath.Join(dir, "router"), 0o755))
			is.NoErr(os.WriteFile(filepath.Join(dir, "router", "x.http"), nil, 0o644))
			r := flow.New(os.DirFS(dir))
			r.Dev(dir)
			r.At("x").GET().Do(func(*flow.Request) (flow.Response, error) { return flow.Response{}, errors.New("the disk is full") })
			r.OnError = func(*flow.Request, error) flow.Response { return flow.Text("mine").Status(tt.status) }
			apptest.JournalOf(r)
			w := apptest.Do(r, apptest.Request("GET", "/x"))
			is.Equal(w.Code, tt.status)
			is.True(strings.Contains(w.Body.String(), tt.want))
		})
	}
}

// TestCrossOriginOfAnotherHandler refuses a request before the Router has answered any.
func TestCrossOriginOfAnotherHandler(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/x.http"))
	r.At("x").GET().Do(func(*flow.Request) string { return "x" })
	r.OnError = func(*flow.Request, error) flow.Response { return flow.Text("not from there") }
	h := r.CrossOrigin.Handler(http.NotFoundHandler())
	w := apptest.Serve(h, "POST", "/other", "Origin: http://evil.test")
	is.Equal(w.Code, 403)
	is.Equal(w.Body.String(), "not from there")
}

// TestDirOnError asks the OnError of the nearest directory, and so on outwards.
func TestDirOnError(t *testing.T) {
	r := flow.New(flowtest.Files("router/index.html", "router/x.http", "router/api.http", "router/api/users/[id].http", "router/api/v2/x.http",
		"router/(site)/shop/a.http", "router/[org]/api/x.http", "router/(a)/both/x.http", "router/both/(b)/y.http"))
	asked := ""
	answers := func(name string) func(*flow.Request, error) flow.Response {
		return func(req *flow.Request, err error) flow.Response {
			switch asked += name + " "; {
			case err.Error() == "418 pass" || err.Error() == "418 "+name:
				return flow.Response{}
			case err.Error() == "418 panic":
				panic(name)
			}
			return flow.Text(name + " " + req.Param("id") + req.Param("org"))
		}
	}
	for _, dir := range []string{"api", "shop", "[org]/api", "api/users", "both"} {
		r.In(dir).OnError(answers(dir))
	}
	r.Authenticate = func(*flow.Request) (any, error) { return nil, errors.New("no keys") }
	fails := func(req *flow.Request) (flow.Response, error) {
		switch how := req.URL.Query().Get("how"); how {
		case "panic of the handler":
			panic("secret")
		case "user":
			req.User()
		case "body":
			req.Input("x")
		default:
			return flow.Response{}, flow.Error(418, how)
		}
		return flow.Text("fine"), nil
	}
	for _, path := range []string{"x", "api", "api/users/[id]", "api/v2/x", "(site)/shop/a", "[org]/api/x", "(a)/both/x", "both/(b)/y"} {
		r.At(path).GET().Do(fails)
	}
	r.At("x").POST().Use(fails).Do(apptest.Hello)
	r.At("api").POST().Do(apptest.Hello)
	r.At("[org]/api/x").POST().Do(apptest.Hello)
	r.OnError = answers("Router")
	r.At("api/users/[id]").POST().Use(fails).Do(apptest.Hello)
	r.At("api/users/[id]").PUT().Do(func(w http.ResponseWriter, _ *http.Request) { panic("secret") })
	r.Mount("/api/old", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
	inner := flow.New(flowtest.Files("router/api/x.http", "router/y.http"))
	inner.At("api/x").GET().Do(fails)
	inner.At("y").GET().Do(fails)
	inner.In("api").OnError(answers("inner api"))
	r.Mount("/api/[org]/in", inner)
	apptest.Logged(r)
	apptest.Logged(inner)
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ method, target, asked, want string }{
		{"GET", "/api/users/7", "api/users", "418 api/users 7"},
		{"GET", "/api/users/7?how=panic+of+the+handler", "api/users", "500 api/users 7"},
		{"GET", "/api/users/7?how=user", "api/users", "500 api/users 7"},
		{"POST", "/api/users/7?how=guard", "api/users", "418 api/users 7"},
		{"PUT", "/api/users/7", "api/users", "500 api/users 7"},
		{"PATCH", "/api/users/7", "api/users", "405 api/users Allow GET, HEAD, OPTIONS, POST, PUT"},
		{"GET", "/api/users/7?how=api/users", "api/users api", "418 api 7"}, // the next one outwards
		{"GET", "/api/users/7?how=pass", "api/users api Router", "418 I'm a teapot: pass"},
		{"GET", "/api/users/7?how=panic", "api/users api Router", "418 I'm a teapot: panic"},
		{"GET", "/api/users", "api/users", "404 api/users"},
		{"GET", "/api/none", "api", "404 api"},
		{"GET", "/api", "api", "418 api"}, // the file beside the directory
		{"POST", "/api", "api", "400 api"},
		{"GET", "/api%2Fnone", "Router", "404 Router"},
		{"GET", "/api/old/x", "api", "500 api"},
		{"GET", "/none", "Router", "404 Router"},
		{"GET", "/shop/a", "shop", "418 shop"}, // the call leaves out the group
		{"GET", "/acme/api/x", "[org]/api", "418 [org]/api acme"},
		{"GET", "/both/x", "both", "418 both"},                               // two directories are meant
		{"GET", "/both/y?how=pass", "both Router", "418 I'm a teapot: pass"}, // both/(b) is meant, too, and not asked a second time
		{"CROSS", "/api/users/7", "api/users", "403 api/users 7"},
		{"CROSS", "/api/none", "api", "404 api"},
		{"GET", "/api/acme/in/api/x", "inner api", "418 inner api acme"},
		{"GET", "/api/acme/in/y", "", "418 I'm a teapot"}, // neither that of the outer directory nor of the outer Router
		{"GET", "/api/acme/in/none", "", "404 Not Found"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			asked = ""
			req := apptest.Request(tt.method, tt.target)
			switch tt.method {
			case "CROSS":
				req.Method = "POST"
				req.Header.Set("Sec-Fetch-Site", "cross-site")
			case "POST":
				req = flowtest.Sending("POST", tt.target, flowtest.JSON, "{")
			}
			req.Header.Set("Accept", "text/plain")
			w := apptest.Do(r, req)
			is.Equal(strings.TrimSpace(asked), tt.asked)
			got := fmt.Sprint(w.Code, " ", w.Body)
			if allow := w.Header().Get("Allow"); allow != "" {
				got += " Allow " + allow
			}
			is.Equal(strings.Join(strings.Fields(got), " "), tt.want)
		})
	}
}

// TestDirOnErrorAlone: without Router.OnError, the last answer is the default.
func TestDirOnErrorAlone(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/api/x.http"))
	r.At("api/x").GET().Do(apptest.Hello)
	r.In("api").OnError(func(_ *flow.Request, err error) flow.Response {
		if flow.StatusOf(err) == 405 {
			return flow.Response{}
		}
		return flow.JSON(err.Error())
	})
	is.Equal(apptest.Serve(r, "GET", "/api/none").Body.String(), `"404 Not Found"`+"\n")
	is.Equal(apptest.Serve(r, "GET", "/none").Body.String(), `{"type":"about:blank","title":"Not Found","status":404}`)
	is.Equal(apptest.Serve(r, "POST", "/api/x").Body.String(), `{"type":"about:blank","title":"Method Not Allowed","status":405}`)
}
