package flow

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/wire/reply"
)

func TestErrorAnswers(t *testing.T) {
	cause := errors.New("secret")
	for _, tt := range []struct {
		name   string
		err    error
		status int
		text   string // for a client that takes text
		level  string // of the log record, "" for none
	}{
		{"Error", Error(404, "no such user"), 404, "Not Found: no such user\n", ""},
		{"Error without a message", Error(404, ""), 404, "Not Found\n", ""},
		{"Error with a cause", Error(409, "taken", cause), 409, "Conflict: taken\n", "INFO"},
		{"Error with nil causes", Error(409, "taken", nil, nil), 409, "Conflict: taken\n", ""},
		{"Error with two causes", Error(409, "taken", errors.New("x"), cause), 409, "Conflict: taken\n", "INFO"},
		{"Error of 503", Error(503, "later"), 503, "Service Unavailable: later\n", "ERROR"},
		{"status without a name", Error(499, "gone"), 499, "Error 499: gone\n", ""},
		{"Error of 200", Error(200, "secret"), 500, "Internal Server Error\n", "ERROR"},
		{"Error of 600", Error(600, "secret"), 500, "Internal Server Error\n", "ERROR"},
		{"Error of 0", Error(0, "secret"), 500, "Internal Server Error\n", "ERROR"},
		{"wrapped Error", fmt.Errorf("secret: %w", Error(404, "no such user")), 404, "Not Found: no such user\n", "INFO"},
		{"joined Error", errors.Join(cause, Error(404, "no such user")), 404, "Not Found: no such user\n", "INFO"},
		{"Error of an Error", Error(502, "bad gateway", Error(404, "secret")), 502, "Bad Gateway: bad gateway\n", "ERROR"},
		{"Invalid", Invalid{"b": "is <b>", "a": "is a"}, 422, "Unprocessable Entity: some fields are not valid\na: is a\nb: is <b>\n", ""},
		{"wrapped Invalid", fmt.Errorf("secret: %w", Invalid{"a": "is a"}), 422, "Unprocessable Entity: some fields are not valid\na: is a\n", "INFO"},
		{"MaxBytesError", fmt.Errorf("secret: %w", &http.MaxBytesError{Limit: 1}), 413, "Request Entity Too Large: the body is too large\n", "INFO"},
		{"any other", cause, 500, "Internal Server Error\n", "ERROR"},
		{"a file's", &os.PathError{Op: "open", Path: "secret", Err: os.ErrNotExist}, 500, "Internal Server Error\n", "ERROR"},
	} {
		for name, run := range map[string]struct {
			guard, handler func(*Request) (Response, error)
		}{
			"handler": {func(*Request) (Response, error) { return Next(), nil }, func(*Request) (Response, error) { return Text("secret"), tt.err }},
			"guard": {func(*Request) (Response, error) { return Next(), tt.err }, func(*Request) (Response, error) {
				t.Error("a guard that failed let in")
				return Response{}, nil
			}},
		} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				is := is.New(t)
				r, log := lone(run.handler, run.guard)
				req := httptest.NewRequest("GET", "/x", nil)
				req.Header.Set("Accept", "text/plain")
				w := do(r, req)
				is.Equal(w.Code, tt.status)
				is.Equal(StatusOf(tt.err), tt.status)
				is.Equal(w.Body.String(), tt.text)
				is.Equal(w.Header().Get("Vary"), "Accept")
				all := records(t, log)
				if tt.level == "" {
					is.Equal(len(all), 0)
					return
				}
				is.Equal(len(all), 1)
				is.Equal(all[0]["level"], tt.level)
				is.Equal(all[0]["msg"], map[string]string{"ERROR": "flow: request failed", "INFO": "flow: error answered"}[tt.level])
				is.Equal(all[0]["status"], float64(tt.status))
				is.Equal(all[0]["error"], tt.err.Error()) // all of it
				is.Equal(all[0]["pattern"], "/x")
			})
		}
	}
}

func TestErrorText(t *testing.T) {
	is := is.New(t)
	cause := errors.New("row 7")
	err := Error(404, "no such user", cause)
	is.Equal(err.Error(), "404 no such user: row 7")
	is.True(errors.Is(err, cause))
	is.Equal(Error(404, "").Error(), "404 Not Found")
	is.Equal(Invalid{"b": "is b", "a": "is a"}.Error(), "invalid input: a: is a; b: is b")
	is.Equal(Invalid{}.Error(), "invalid input")
}

func TestErrorFormats(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, tt := range []struct {
		name   string
		answer func(*Request) (Response, error)
		status int
		plain  string
		json   string
		html   []string
	}{
		{
			"Fail", func(*Request) (Response, error) { return Fail(409, "a <b> & c"), nil }, 409,
			"Conflict: a <b> & c\n",
			`{"type":"about:blank","title":"Conflict","status":409,"detail":"a \u003cb\u003e \u0026 c"}`,
			[]string{"<title>409 Conflict</title>", "<p>a &lt;b&gt; &amp; c</p>"},
		},
		{
			"Invalid", func(*Request) (Response, error) { return Response{}, Invalid{"<a>": "is <b>", "b": "is c"} }, 422,
			"Unprocessable Entity: some fields are not valid\n<a>: is <b>\nb: is c\n",
			`{"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"some fields are not valid","errors":{"\u003ca\u003e":"is \u003cb\u003e","b":"is c"}}`,
			[]string{"<title>422 Unprocessable Entity</title>", "<dt>&lt;a&gt;</dt><dd>is &lt;b&gt;</dd>"},
		},
		{
			"500", func(*Request) (Response, error) { return Response{}, errors.New("secret") }, 500,
			"Internal Server Error\n",
			`{"type":"about:blank","title":"Internal Server Error","status":500}`,
			[]string{"<title>500 Internal Server Error</title>"},
		},
	} {
		for _, accept := range []string{"text/plain", "application/json", browser} {
			t.Run(tt.name+"/"+accept, func(t *testing.T) {
				is := is.New(t)
				r, _ := lone(tt.answer)
				for _, method := range []string{"GET", "HEAD"} {
					req := httptest.NewRequest(method, "/x", nil)
					req.Header.Set("Accept", accept)
					w := do(r, req)
					is.Equal(w.Code, tt.status)
					is.Equal(w.Header()["Vary"], []string{"Accept"})
					text, contentType := w.Body.String(), w.Header().Get("Content-Type")
					is.True(!strings.Contains(text, "secret"))
					switch {
					case method == "HEAD":
						is.Equal(text, "")
						is.True(w.Header().Get("Content-Length") != "0")
					case accept == "text/plain":
						is.Equal(contentType, "text/plain; charset=utf-8")
						is.Equal(text, tt.plain)
					case accept == browser:
						is.Equal(contentType, "text/html; charset=utf-8")
						for _, part := range tt.html {
							is.True(strings.Contains(text, part))
						}
					default:
						is.Equal(contentType, "application/problem+json")
						is.Equal(text, tt.json)
					}
				}
			})
		}
	}
}

func TestFailKeepsItsHeaders(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(*Request) Response {
		return Fail(401, "who?").Header("WWW-Authenticate", "Basic").Header("Vary", "Cookie").Cookie(&http.Cookie{Name: "c", Value: "1"})
	}, func(*Request) Response { return Next().Header("X-Guard", "1").Header("Vary", "Origin") })
	w := do(r, httptest.NewRequest("GET", "/x", nil))
	is.Equal(w.Code, 401)
	is.Equal(w.Header().Get("WWW-Authenticate"), "Basic")
	is.Equal(w.Header()["Vary"], []string{"Origin", "Cookie", "Accept"}) // what it does not name itself it depends on all the same
	is.Equal(w.Header()["Set-Cookie"], []string{"c=1"})
	is.Equal(w.Header().Get("X-Guard"), "1")
}

// ownFormat is how an API answers all its errors in a format of its own.
func ownFormat(_ *Request, err error) Response {
	message := http.StatusText(StatusOf(err))
	if public := (*HTTPError)(nil); errors.As(err, &public) && public.Message != "" {
		message = public.Message
	}
	fields := Invalid{}
	errors.As(err, &fields)
	return JSON(map[string]any{"message": message, "fields": fields})
}

// A conflict is an error of an application that knows its status.
type conflict struct{}

func (conflict) Error() string { return "the row has changed: secret" }

func (conflict) HTTPStatus() int { return 409 }

// TestApplicationOwnsErrors gets every kind of error in the format of the application.
func TestApplicationOwnsErrors(t *testing.T) {
	fails := func(err error) any { return func(*Request) (Response, error) { return Response{}, err } }
	get := func(path string) *http.Request { return request("GET", path) }
	foreign := func(path string) *http.Request {
		r := request("POST", path)
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
		{"no method", request("PATCH", "/body"), `405 Allow OPTIONS, POST {"fields":{},"message":"Method Not Allowed"}`, ""},
		{"malformed body", sending("POST", "/body", jsonMedia, "{"), `400 {"fields":{},"message":"the body is not valid JSON"}`, ""},
		{"large body", sending("POST", "/body", jsonMedia, `"`+strings.Repeat("x", 99)+`"`), `413 {"fields":{},"message":"the body is too large"}`, ""},
		{"unknown body", sending("POST", "/body", "text/csv", "a,b"), `415 {"fields":{},"message":"the body is neither JSON nor a form"}`, ""},
		{"invalid body", sending("POST", "/body", jsonMedia, `{"age":"x"}`), `422 {"fields":{"age":"must be a whole number"},"message":"Unprocessable Entity"}`, ""},
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
			r := New(flowtest.Files("router/body.http", "router/fail.http", "router/down.http", "router/guarded.http", "router/error.http", "router/conflict.http", "router/unknown.http", "router/panic.http", "router/std.http", "router/user.http", "router/open.http"))
			inner := New(flowtest.Files("router/x.http"))
			inner.At("x").POST().Do(func(*Request) string { return "" })
			inner.OnError, r.OnError = ownFormat, ownFormat
			r.Mount("/in", inner)
			r.MaxBody = 50
			r.Authenticate = func(*Request) (any, error) { return nil, errors.New("secret") }
			log := journalOf(r)
			r.At("body").POST().Do(func(req *Request) (Response, error) {
				var in struct {
					Age int `json:"age"`
				}
				return Response{}, req.Bind(&in)
			})
			ok := func(*Request) string { return "" }
			r.At("fail").GET().Do(func(*Request) Response { return Fail(410, "gone").Header("Retry-After", "9") })
			r.At("down").GET().Do(func(*Request) Response { return Fail(503, "later") })
			r.At("guarded").GET().Use(func(*Request) Response { return Fail(401, "who?") }).Do(ok)
			r.At("error").GET().Do(fails(Error(404, "no such row", errors.New("secret"))))
			r.At("conflict").GET().Do(fails(fmt.Errorf("save: %w", conflict{})))
			r.At("unknown").GET().Do(fails(errors.New("secret")))
			r.At("panic").GET().Do(func(*Request) string { panic("secret") })
			r.At("std").GET().Do(func(http.ResponseWriter, *http.Request) { panic("secret") })
			r.At("user").GET().Do(func(req *Request) string { req.User(); return "" })
			r.At("open").GET().Use(func(*Request) Response { return Response{} }).Do(ok)
			w := do(r, tt.request)
			got := says(w)
			if after := w.Header().Get("Retry-After"); after != "" {
				got += " Retry-After " + after
			}
			is.Equal(got+" "+strings.TrimSpace(w.Body.String()), tt.want)
			is.Equal(w.Header().Get("Content-Type"), "application/json")
			levels := ""
			for _, record := range records(t, log) {
				levels += record["level"].(string)
			}
			is.Equal(levels, tt.logged)
		})
	}
}

// TestEmptyInvalidIsNoError: whoever returns it, and however it is wrapped, the Response
// beside it counts.
func TestEmptyInvalidIsNoError(t *testing.T) {
	wrapped := fmt.Errorf("save: %w", fmt.Errorf("check: %w", Invalid{}))
	for _, tt := range []struct {
		name string
		err  error
		want int // of a handler or a guard that returns 201 with the error
	}{
		{"nil", nil, 201},
		{"empty", Invalid{}, 201},
		{"nil map", Invalid(nil), 201},
		{"wrapped", wrapped, 201},
		{"joined", errors.Join(Invalid{}, wrapped), 201},
		{"with a field", Invalid{"a": "is odd"}, 422},
		{"joined with one that has a field", errors.Join(Invalid{}, Invalid{"a": "is odd"}), 422},
		{"joined with a status", errors.Join(Invalid{}, Error(409, "taken")), 409},
		{"joined with an error", errors.Join(errors.New("x"), Invalid{}), 500},
		{"joined with an error, and wrapped", fmt.Errorf("save: %w", errors.Join(Invalid{}, errors.New("x"))), 500},
		{"cause of a status", Error(409, "taken", Invalid{}), 409},
		{"its own error", errors.New("x"), 500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/response.http", "router/text.http", "router/std.http", "router/guard.http", "router/user.http", "router/panic.http"))
			log := journalOf(r)
			ok := func(*Request) string { return "ok" }
			created := func(*Request) (Response, error) { return Text("made").Status(201), tt.err }
			through := func(next http.Handler) http.Handler { return next }
			r.Authenticate = func(*Request) (any, error) { return "ada", tt.err }
			r.At("response").GET().Do(created)
			r.At("std").GET().Use(through).Do(created)
			r.At("text").GET().Do(func(*Request) (string, error) { return "made", tt.err })
			r.At("guard").GET().Use(created).Do(ok)
			r.At("user").GET().Do(func(req *Request) Response { return Text(fmt.Sprint(req.User())).Status(201) })
			r.At("panic").GET().Do(func(*Request) string { panic(tt.err) })
			for path, want := range map[string]int{"/response": tt.want, "/std": tt.want, "/text": tt.want, "/guard": tt.want, "/user": tt.want, "/panic": 500} {
				if path == "/text" && want == 201 {
					want = 200
				}
				w := do(r, request("GET", path))
				is.Equal(path+" "+fmt.Sprint(w.Code), path+" "+fmt.Sprint(want))
				if want == 201 && path == "/user" {
					is.Equal(w.Body.String(), "ada")
				}
			}
			if tt.want == 201 {
				is.Equal(len(records(t, log)), 1) // the panic
			}
		})
	}
}

// TestGuardWithEmptyInvalid: that it is no error opens nothing.
func TestGuardWithEmptyInvalid(t *testing.T) {
	for _, tt := range []struct {
		name string
		resp Response
		want int
	}{
		{"Next", Next(), 200},
		{"zero Response", Response{}, 500},
		{"Fail", Fail(401, ""), 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/x.http"))
			journalOf(r)
			r.At("x").GET().Use(func(*Request) (Response, error) { return tt.resp, Invalid{} }).Do(func(*Request) string { return "ok" })
			is.Equal(do(r, request("GET", "/x")).Code, tt.want)
		})
	}
}

// TestEmptyInvalidOfATemplate: what failed with it has no answer, so it is no mistake of
// the client.
func TestEmptyInvalidOfATemplate(t *testing.T) {
	is := is.New(t)
	r := New(fstest.MapFS{"router/x.html": {Data: []byte("{{fails}}")}})
	log := journalOf(r)
	r.Funcs = template.FuncMap{"fails": func() (string, error) { return "", Invalid{} }}
	is.Equal(do(r, request("GET", "/x")).Code, 500)
	is.Equal(len(records(t, log)), 1)
}

func TestHTTPError(t *testing.T) {
	is := is.New(t)
	cause := errors.New("secret")
	err := fmt.Errorf("show: %w", Error(404, "no such row", cause))
	public := (*HTTPError)(nil)
	is.True(errors.As(err, &public))
	is.Equal(public.Message, "no such row")
	is.True(errors.Is(err, cause))
	is.Equal(err.Error(), "show: 404 no such row: secret")
	for _, tt := range []struct {
		err    error
		status int
	}{
		{err, 404},
		{conflict{}, 409},
		{fmt.Errorf("a: %w", conflict{}), 409},
		{&HTTPError{Status: 410, Cause: conflict{}}, 410}, // the outermost counts
		{errors.Join(errors.New("x"), conflict{}), 409},
		{Invalid{"a": "b"}, 422},
		{&http.MaxBytesError{}, 413},
		{Error(200, "fine"), 500},
		{&HTTPError{}, 500},
		{(*HTTPError)(nil), 500},
		{errors.New("x"), 500},
	} {
		is.Equal(StatusOf(tt.err), tt.status)
	}
	r, log := lone(func(*Request) (Response, error) { return Response{}, (*HTTPError)(nil) })
	is.Equal(do(r, request("GET", "/x")).Code, 500)
	is.Equal(len(records(t, log)), 1)
}

// TestLevelIsOfTheAnswer of OnError, which may know an error better.
func TestLevelIsOfTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		err    error
		status int
		level  string
	}{
		{"unknown, answered 404", errors.New("no rows"), 404, "INFO"},
		{"404, answered 503", Error(404, "none"), 503, "ERROR"},
		{"404 that hides nothing", Error(404, "none"), 404, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(func(*Request) (Response, error) { return Response{}, tt.err })
			r.OnError = func(*Request, error) Response { return Text("x").Status(tt.status) }
			is.Equal(do(r, request("GET", "/x")).Code, tt.status)
			all := records(t, log)
			is.Equal(len(all), len(strings.Fields(tt.level)))
			for _, record := range all {
				is.Equal(record["level"], tt.level)
			}
		})
	}
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
			r := New(os.DirFS(dir))
			r.Dev(dir)
			r.At("x").GET().Do(func(*Request) (Response, error) { return Response{}, errors.New("the disk is full") })
			r.OnError = func(*Request, error) Response { return Text("mine").Status(tt.status) }
			journalOf(r)
			w := do(r, here(request("GET", "/x")))
			is.Equal(w.Code, tt.status)
			is.True(strings.Contains(w.Body.String(), tt.want))
		})
	}
}

// TestDenyHandlerOfTheApplication is asked in place of OnError.
func TestDenyHandlerOfTheApplication(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(*Request) string { return "" })
	r.OnError = ownFormat
	r.CrossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) }))
	req := request("POST", "/x")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	is.Equal(do(r, req).Code, 418)
}

func TestOnError(t *testing.T) {
	boom := func(*Request) (Response, error) { panic("boom") }
	fails := func(*Request) (Response, error) { return Response{}, Error(418, "teapot", errors.New("the cause")) }
	for _, tt := range []struct {
		name    string
		handler any
		onError func(*Request, error) Response
		want    string
		logged  []string // a part of each record
	}{
		{"answers", fails, func(_ *Request, err error) Response { return Text(err.Error()).Status(400) }, "400 418 teapot: the cause", []string{"the cause"}},
		{"no status", fails, func(*Request, error) Response { return Text("fine") }, "418 fine", []string{"the cause"}},
		{"200", fails, func(*Request, error) Response { return Text("fine").Status(200) }, "200 fine", []string{"the cause"}},
		{"leaves it", fails, func(*Request, error) Response { return Response{} }, "418 I'm a teapot: teapot\n", []string{"the cause"}},
		{"Next", fails, func(*Request, error) Response { return Next() }, "418 I'm a teapot: teapot\n", []string{"OnError returned Next()", "the cause"}},
		{"panics", fails, func(*Request, error) Response { panic("secret") }, "418 I'm a teapot: teapot\n", []string{"OnError: panic: secret", "the cause"}},
		{"cannot be encoded", fails, func(*Request, error) Response { return JSON(make(chan int)) }, "418 I'm a teapot: teapot\n", []string{"OnError: flow: the response cannot be encoded", "the cause"}},
		{"redirect", fails, func(*Request, error) Response { return Redirect("/login") }, "302 ", []string{"the cause"}},
		{"Fail", fails, func(*Request, error) Response { return Fail(404, "no") }, "404 Not Found: no\n", []string{"the cause"}},
		{"Handler", fails, func(*Request, error) Response { return Handler(http.NotFoundHandler()) }, "404 404 page not found\n", []string{"the cause"}},
		{"Handler without a status", fails, func(*Request, error) Response {
			return Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("mine")) }))
		}, "418 mine", []string{"the cause"}},
		{"a panic", boom, func(_ *Request, err error) Response { return Text(err.Error()).Status(503) }, "503 panic: boom", []string{"panic: boom"}},
		{"panics at a panic", boom, func(*Request, error) Response { panic("secret") }, "500 Internal Server Error\n", []string{"OnError: panic: secret", "panic: boom"}},
		{"bad body", func(*Request) string { return "" }, func(_ *Request, err error) Response { return Text("mine").Status(400) }, "400 mine", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(tt.handler)
			r.OnError = tt.onError
			req := httptest.NewRequest("GET", "/x", nil)
			if tt.name == "bad body" {
				req = sending("GET", "/x", jsonMedia, "{")
			}
			req.Header.Set("Accept", "text/plain")
			w := do(r, req)
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
			all := records(t, log)
			is.Equal(len(all), len(tt.logged))
			for i, part := range tt.logged {
				is.True(strings.Contains(all[i]["error"].(string), part))
			}
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
		{"text", func(*Request) string { panic("secret") }, "panic: secret"},
		{"error", func(*Request) string { panic(sentinel) }, "panic: secret sentinel"},
		{"an Error", func(*Request) string { panic(Error(404, "secret")) }, "panic: 404 secret"},
		{"nil", func(*Request) string { panic(nil) }, "panic called with nil argument"},
		{"a runtime error", func(r *Request) string { return r.Header["X"][3] }, "index out of range"},
		{"net/http", func(http.ResponseWriter, *http.Request) { panic("secret") }, "panic: secret"},
		{"stale headers", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000")
			w.Header().Set("Content-Type", "image/png")
			panic("secret")
		}, "panic: secret"},
		{"a status that is none", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(1000) }, "invalid WriteHeader code 1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(tt.handler)
			server := httptest.NewServer(r)
			defer server.Close()
			resp, err := http.Get(server.URL + "/x")
			is.NoErr(err)
			defer resp.Body.Close()
			var p problemBody
			is.NoErr(json.NewDecoder(resp.Body).Decode(&p)) // whole
			is.Equal(p, problemBody{Type: "about:blank", Title: "Internal Server Error", Status: 500})
			is.Equal(resp.StatusCode, 500)
			is.Equal(resp.Header.Get("Content-Type"), "application/problem+json")
			all := records(t, log)
			is.Equal(len(all), 1)
			is.True(strings.Contains(all[0]["error"].(string), tt.logged))
			stack, _ := all[0]["stack"].(string)
			is.True(strings.Contains(stack, "errors_test.go"))
		})
	}
}

func TestOnErrorSeesWhatWasPanickedWith(t *testing.T) {
	is := is.New(t)
	sentinel := errors.New("sentinel")
	r, _ := lone(func(*Request) string { panic(sentinel) })
	found := false
	r.OnError = func(_ *Request, err error) Response { found = errors.Is(err, sentinel); return Response{} }
	is.Equal(do(r, httptest.NewRequest("GET", "/x", nil)).Code, 500)
	is.True(found)
}

func TestErrAbortHandlerPasses(t *testing.T) {
	abort := func(*Request) string { panic(http.ErrAbortHandler) }
	for _, tt := range []struct {
		name    string
		handler any
		use     []any
		body    string
	}{
		{"handler", abort, nil, ""},
		{"handler with a body", abort, nil, "{}"},
		{"guard", hello, []any{func(*Request) Response { panic(http.ErrAbortHandler) }}, ""},
		{"middleware", hello, []any{before(func(*http.Request) { panic(http.ErrAbortHandler) })}, ""},
		{"net/http handler", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil, ""},
		{"OnError", func(*Request) (string, error) { return "", errors.New("x") }, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(tt.handler, tt.use...)
			r.OnError = func(*Request, error) Response { panic(http.ErrAbortHandler) }
			defer func() {
				is.Equal(recover(), http.ErrAbortHandler)
				is.Equal(log.String(), "")
			}()
			do(r, sending("POST", "/x", jsonMedia, tt.body))
		})
	}
}

func TestErrorsOfPages(t *testing.T) {
	is := is.New(t)
	r := New(fstest.MapFS{"router/p.html": {Data: []byte("page")}})
	logged(r)
	r.At("p").GET().Do(func(*Request) (Response, error) { return Response{}, Error(404, "gone") })
	w := do(r, httptest.NewRequest("GET", "/p", nil)) // which accepts anything
	is.Equal(w.Code, 404)
	is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
}

// A problemBody is problem+json as clients read it.
type problemBody struct {
	Type, Title, Detail string
	Status              int
	Errors              map[string]string
}

// TestRefusedRedirectsAreSaidOnce: a client that chooses the targets cannot fill the log.
func TestRefusedRedirectsAreSaidOnce(t *testing.T) {
	back := func(req *Request) Response { return Redirect(req.Input("to")) }
	build := func() (*Router, *journal) {
		r := New(flowtest.Files("router/a.http", "router/[b].http"))
		r.At("a").GET().Do(back)
		r.At("[b]").ANY().Do(back)
		return r, journalOf(r)
	}
	random := rand.New(rand.NewPCG(1, 2))
	ask := func(t *testing.T, r *Router, path, target string) {
		t.Helper()
		if w := do(r, httptest.NewRequest("GET", path+"?to="+url.QueryEscape(target), nil)); w.Code != 500 || w.Header().Get("Location") != "" {
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
		all := records(t, log)
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
		is.Equal(len(records(t, log)), 2*3)
		is.True(len(log.String()) < 6*1000) // however long the targets are
	})
	t.Run("where no route answers", func(t *testing.T) {
		is := is.New(t)
		r, log := build()
		r.Use(before(func(*http.Request) { panic("x") }))
		r.OnError = func(req *Request, _ error) Response { return Redirect(req.Input("to")) }
		for range 100 {
			for _, line := range []string{"GET /none/at/all", "POST /a/", "OPTIONS /a", "PUT /a"} {
				method, path, _ := strings.Cut(line, " ")
				is.Equal(serve(r, method, path+"?to=//x").Code, 500)
			}
		}
		all := slices.DeleteFunc(records(t, log), func(record map[string]any) bool { return record["error"] == "panic: x" })
		patterns := map[any]int{}
		for _, record := range all {
			is.True(strings.HasPrefix(record["error"].(string), "OnError: "))
			patterns[record["pattern"]]++
		}
		is.Equal(patterns, map[any]int{"": 1, "/{b}": 1})
	})
	t.Run("of the program", func(t *testing.T) {
		is := is.New(t)
		r, log := lone(func(*Request) Response { return Redirect("//x") })
		for range 3 {
			is.Equal(do(r, httptest.NewRequest("GET", "/x", nil)).Code, 500)
		}
		is.Equal(len(records(t, log)), 1)
	})
}

// TestErrorsThatWrapNilPointers are a 500 like any other, and end no connection.
func TestErrorsThatWrapNilPointers(t *testing.T) {
	var none *HTTPError
	var odd *oddError
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"wrapped", fmt.Errorf("x: %w", none)},
		{"joined", errors.Join(errors.New("db"), none)},
		{"cause", &HTTPError{Status: 404, Cause: odd}},
		{"of its own", odd},
		{"of its own, wrapped", fmt.Errorf("x: %w", odd)},
	} {
		for name, build := range map[string]func() (*Router, *journal){
			"handler": func() (*Router, *journal) {
				return lone(func(*Request) (Response, error) { return Response{}, tt.err })
			},
			"guard": func() (*Router, *journal) {
				return lone(func(*Request) string { return "" }, func(*Request) (Response, error) { return Response{}, tt.err })
			},
			"Authenticate": func() (*Router, *journal) {
				r, log := lone(func(req *Request) string { req.User(); return "" })
				r.Authenticate = func(*Request) (any, error) { return nil, tt.err }
				return r, log
			},
			"panic": func() (*Router, *journal) { return lone(func(*Request) string { panic(tt.err) }) },
		} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				is := is.New(t)
				r, log := build()
				w := do(r, request("GET", "/x"))
				is.Equal(w.Code, 500)
				is.True(!strings.Contains(w.Body.String(), "panic"))
				is.Equal(len(records(t, log)), 1)
			})
		}
	}
}

// An oddError cannot be asked what it wraps while it is nil.
type oddError struct{ cause error }

func (e *oddError) Error() string { return "odd" }

func (e *oddError) Unwrap() error { return e.cause }

// TestOnErrorIsAskedAgain if it asks for the user, and Authenticate fails.
func TestOnErrorIsAskedAgain(t *testing.T) {
	is := is.New(t)
	r, log := lone(func(*Request) Response { return Fail(404, "none") })
	r.Authenticate = func(*Request) (any, error) { return nil, Error(503, "the key server is down") }
	r.OnError = func(req *Request, err error) Response {
		req.User()
		return ownFormat(req, err)
	}
	w := do(r, request("GET", "/x"))
	is.Equal(w.Code, 503)
	is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"the key server is down"}`)
	is.Equal(len(records(t, log)), 1)
}

// TestCrossOriginOfAnotherHandler refuses a request before the Router has answered any.
func TestCrossOriginOfAnotherHandler(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/x.http"))
	r.At("x").GET().Do(func(*Request) string { return "x" })
	r.OnError = func(*Request, error) Response { return Text("not from there") }
	h := r.CrossOrigin.Handler(http.NotFoundHandler())
	req := httptest.NewRequest("POST", "/other", nil)
	req.Header.Set("Origin", "http://evil.test")
	w := do(h, req)
	is.Equal(w.Code, 403)
	is.Equal(w.Body.String(), "not from there")
}

func TestErrorPages(t *testing.T) {
	tree := flowtest.Pages(pagesOf(`+layout.html: [{{block "title" .}}site{{end}} {{template "content" .}}]
		+error.html: {{define "title"}}{{.Title}}{{end}}{{.Status}} {{.Detail}} {{.Path}}{{range $k, $v := .Fields}} {{$k}} {{$v}}{{end}}
		index.html: home
		x.http: 
		users/+error.html: users {{.Status}} {{.Path}}
		users/+layout.html: ({{template "content" .}})
		users/[id]/+error.html: user {{request.Param "id"}} {{.Status}}
		users/[id]/posts.http: 
		users/index.http: 
		users/deep/down/x.http: 
		admin/+error.html: admin {{.Status}} {{.Detail}}
		admin.html: {{index . 5}}
		(site)/+error.html: site {{.Status}}
		(site)/blog/a.http: 
		(site)/shop/+error.html: shop {{.Status}}
		(site)/shop/a.http: 
		shop/b.http: 
		(site)/page.http: `))
	tree["public/css/app.css"] = &fstest.MapFile{Data: []byte("body{}")}
	r := New(tree)
	status := func(req *Request) (Response, error) {
		switch req.Header.Get("Fail") {
		case "error":
			return Response{}, errors.New("secret")
		case "panic":
			panic("secret")
		case "invalid":
			return Response{}, Invalid{"name": "is required"}
		case "guard":
			return Fail(403, "not for you").Header("X", "1"), nil
		}
		return Fail(418, "<short>"), nil
	}
	for _, path := range []string{"x", "users/[id]/posts", "users/index", "users/deep/down/x", "(site)/blog/a", "(site)/shop/a", "shop/b", "(site)/page"} {
		r.At(path).GET().Do(status)
	}
	r.At("admin").GET().Do(func(*Request) Response { return Page(nil) })
	logged(r)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, target, fail, want string }{
		{"GET", "/x", "", "418 [I&#39;m a teapot 418 &lt;short&gt; /x]"},
		{"GET", "/x", "error", "500 [Internal Server Error 500  /x]"},
		{"GET", "/x", "panic", "500 [Internal Server Error 500  /x]"},
		{"GET", "/x", "invalid", "422 [Unprocessable Entity 422 some fields are not valid /x name is required]"},
		{"GET", "/x", "guard", "403 [Forbidden 403 not for you /x]"},
		{"POST", "/x", "", "405 [Method Not Allowed 405  /x]"},
		{"POST", "/", "", "405 [Method Not Allowed 405  /]"},
		{"GET", "/none", "", "404 [Not Found 404  /none]"},
		{"GET", "/none%2Fx/%3Cb%3E", "", "404 [Not Found 404  /none/x/&lt;b&gt;]"},
		{"GET", "/users", "", "418 [site (users 418 /users)]"},
		{"GET", "/users/1/posts", "", "418 [site (user 1 418)]"},
		{"POST", "/users/1/posts", "", "405 [site (user  405)]"},
		{"GET", "/users/1/none", "", "404 [site (users 404 /users/1/none)]"},
		{"GET", "/users/deep/down/none", "", "404 [site (users 404 /users/deep/down/none)]"},
		{"GET", "/users/deep/down/x", "", "418 [site (users 418 /users/deep/down/x)]"},
		{"GET", "/users%2Fdeep", "", "404 [Not Found 404  /users/deep]"},
		{"GET", "/usersx", "", "404 [Not Found 404  /usersx]"},
		{"GET", "/admin", "", "500 [site admin 500 ]"}, // the page beside the directory
		{"GET", "/admin/none", "", "404 [site admin 404 ]"},
		{"GET", "/page", "", "418 [site site 418]"},
		{"GET", "/blog/none", "", "404 [site site 404]"},
		{"GET", "/shop/a", "", "418 [site shop 418]"},
		{"GET", "/shop/b", "", "418 [I&#39;m a teapot 418 &lt;short&gt; /shop/b]"},
		{"GET", "/shop/none", "", "404 [site shop 404]"},
		{"GET", "/css/none", "", "404 [Not Found 404  /css/none]"},
		{"POST", "/css/app.css", "", "405 [Method Not Allowed 405  /css/app.css]"},
		{"HEAD", "/none", "", "404 "},
	} {
		t.Run(tt.method+" "+tt.target+" "+tt.fail, func(t *testing.T) {
			is := is.New(t)
			req := httptest.NewRequest(tt.method, tt.target, nil)
			req.Header.Set("Accept", "text/html")
			req.Header.Set("Fail", tt.fail)
			w := do(r, req)
			is.Equal(strings.TrimSpace(w.Result().Status[:3]+" "+w.Body.String()), strings.TrimSpace(tt.want))
			is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
			is.Equal(w.Header().Get("Vary"), "Accept")
			is.Equal(w.Header().Get("X") != "", tt.fail == "guard")
			is.Equal(w.Header().Get("Allow") != "", w.Code == 405)
		})
	}
}

// TestDirOnError asks the OnError of the nearest directory, and so on outwards.
func TestDirOnError(t *testing.T) {
	r := New(flowtest.Files("router/index.html", "router/x.http", "router/api.http", "router/api/users/[id].http", "router/api/v2/x.http",
		"router/(site)/shop/a.http", "router/[org]/api/x.http", "router/(a)/both/x.http", "router/both/(b)/y.http"))
	asked := ""
	answers := func(name string) func(*Request, error) Response {
		return func(req *Request, err error) Response {
			switch asked += name + " "; {
			case err.Error() == "418 pass" || err.Error() == "418 "+name:
				return Response{}
			case err.Error() == "418 panic":
				panic(name)
			}
			return Text(name + " " + req.Param("id") + req.Param("org"))
		}
	}
	for _, dir := range []string{"api", "shop", "[org]/api", "api/users", "both"} {
		r.In(dir).OnError(answers(dir))
	}
	r.Authenticate = func(*Request) (any, error) { return nil, errors.New("no keys") }
	fails := func(req *Request) (Response, error) {
		switch how := req.URL.Query().Get("how"); how {
		case "panic of the handler":
			panic("secret")
		case "user":
			req.User()
		case "body":
			req.Input("x")
		default:
			return Response{}, Error(418, how)
		}
		return Text("fine"), nil
	}
	for _, path := range []string{"x", "api", "api/users/[id]", "api/v2/x", "(site)/shop/a", "[org]/api/x", "(a)/both/x", "both/(b)/y"} {
		r.At(path).GET().Do(fails)
	}
	r.At("x").POST().Use(fails).Do(hello)
	r.At("api").POST().Do(hello)
	r.At("[org]/api/x").POST().Do(hello)
	r.OnError = answers("Router")
	r.At("api/users/[id]").POST().Use(fails).Do(hello)
	r.At("api/users/[id]").PUT().Do(func(w http.ResponseWriter, _ *http.Request) { panic("secret") })
	r.Mount("/api/old", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
	inner := New(flowtest.Files("router/api/x.http", "router/y.http"))
	inner.At("api/x").GET().Do(fails)
	inner.At("y").GET().Do(fails)
	inner.In("api").OnError(answers("inner api"))
	r.Mount("/api/[org]/in", inner)
	logged(r)
	logged(inner)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
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
		{"GET", "/api/users/7/none", "api/users", "404 api/users"},
		{"GET", "/api/none", "api", "404 api"},
		{"GET", "/api/v2/none", "api", "404 api"}, // v2 has none of its own
		{"GET", "/api", "api", "418 api"},         // the file beside the directory
		{"POST", "/api", "api", "400 api"},
		{"GET", "/api%2Fnone", "Router", "404 Router"},
		{"GET", "/apis", "Router", "404 Router"},
		{"GET", "/api/old/x", "api", "500 api"},
		{"GET", "/x", "Router", "418 Router"},
		{"GET", "/none", "Router", "404 Router"},
		{"GET", "/shop/a", "shop", "418 shop"}, // the call leaves out the group
		{"GET", "/shop/none", "shop", "404 shop"},
		{"GET", "/acme/api/x", "[org]/api", "418 [org]/api acme"},
		{"GET", "/acme/api/none", "Router", "404 Router"},
		{"GET", "/both/x", "both", "418 both"}, // two directories are meant
		{"GET", "/both/y", "both", "418 both"},
		{"GET", "/both/y?how=pass", "both Router", "418 I'm a teapot: pass"}, // both/(b) is meant, too, and not asked a second time
		{"CROSS", "/api/users/7", "api/users", "403 api/users 7"},
		{"CROSS", "/acme/api/x", "[org]/api", "403 [org]/api acme"},
		{"CROSS", "/x", "Router", "403 Router"},
		{"CROSS", "/api/none", "api", "404 api"},
		{"GET", "/api/acme/in/api/x", "inner api", "418 inner api acme"},
		{"GET", "/api/acme/in/api/none", "inner api", "404 inner api acme"},
		{"GET", "/api/acme/in/y", "", "418 I'm a teapot"}, // neither that of the outer directory nor of the outer Router
		{"GET", "/api/acme/in/none", "", "404 Not Found"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			asked = ""
			req := request(tt.method, tt.target)
			switch tt.method {
			case "CROSS":
				req.Method = "POST"
				req.Header.Set("Sec-Fetch-Site", "cross-site")
			case "POST":
				req = sending("POST", tt.target, jsonMedia, "{")
			}
			req.Header.Set("Accept", "text/plain")
			w := do(r, req)
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
	r := New(flowtest.Files("router/api/x.http"))
	r.At("api/x").GET().Do(hello)
	r.In("api").OnError(func(_ *Request, err error) Response {
		if StatusOf(err) == 405 {
			return Response{}
		}
		return JSON(err.Error())
	})
	is.Equal(serve(r, "GET", "/api/none").Body.String(), `"404 Not Found"`+"\n")
	is.Equal(serve(r, "GET", "/none").Body.String(), `{"type":"about:blank","title":"Not Found","status":404}`)
	is.Equal(serve(r, "POST", "/api/x").Body.String(), `{"type":"about:blank","title":"Method Not Allowed","status":405}`)
}

// TestErrorPagesAreForThoseWhoPreferHTML leaves the others what they had.
func TestErrorPagesAreForThoseWhoPreferHTML(t *testing.T) {
	r := New(flowtest.Pages(pagesOf("+error.html: page\nindex.html: {{.}}{{fail}}\nx.http: ")))
	r.Funcs = map[string]any{"fail": func() (string, error) { return "", errors.New("secret") }}
	r.At("x").GET().Do(func(*Request) (string, error) { return "", Error(404, "none") })
	logged(r)
	for _, tt := range []struct{ target, accept, want string }{
		{"/x", "", `404 {"type":"about:blank","title":"Not Found","status":404,"detail":"none"}`},
		{"/x", "text/html", "404 page"},
		{"/x", "text/plain", "404 Not Found: none\n"},
		{"/", "", "500 page"},
		{"/", "application/json", `500 {"type":"about:blank","title":"Internal Server Error","status":500}`},
		{"/none", "*/*", `404 {"type":"about:blank","title":"Not Found","status":404}`},
	} {
		t.Run(tt.target+" "+tt.accept, func(t *testing.T) {
			is := is.New(t)
			req := httptest.NewRequest("GET", tt.target, nil)
			req.Header.Set("Accept", tt.accept)
			w := do(r, req)
			is.Equal(w.Result().Status[:3]+" "+w.Body.String(), tt.want)
		})
	}
}

// TestErrorPagesThatFail are answered with text, and are one record in the log.
func TestErrorPagesThatFail(t *testing.T) {
	r := New(flowtest.Pages(pagesOf("+error.html: half a page {{index .Path 500}}\nx.http: ")))
	r.At("x").GET().Do(func(req *Request) (Response, error) {
		switch req.Input("how") {
		case "fail":
			return Fail(404, "none").Header("X", "1"), nil
		case "error":
			return Response{}, Error(404, "none")
		case "panic":
			panic("secret")
		}
		return Response{}, errors.New("secret")
	})
	log := journalOf(r)
	seen := 0
	for _, tt := range []struct{ target, want, cause string }{
		{"/x?how=fail", "404 Not Found: none\n", ""},
		{"/x?how=error", "404 Not Found: none\n", ""},
		{"/none", "404 Not Found\n", ""},
		{"/x", "500 Internal Server Error\n", "secret"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			w := browse(r, tt.target)
			is.Equal(w.Result().Status[:3]+" "+w.Body.String(), tt.want)
			is.Equal(w.Header().Get("Content-Type"), "text/plain; charset=utf-8")
			all := records(t, log)[seen:]
			seen += len(all)
			is.Equal(len(all), 1)
			is.Equal(all[0]["level"], "ERROR")
			text := all[0]["error"].(string)
			is.True(strings.Contains(text, "router/+error.html:1:"))
			is.True(strings.Contains(text, tt.cause))
		})
	}
}

// TestErrorPagesAskForTheUser finds that Authenticate fails only while the error
// page is rendered: that error is the answer, once.
func TestErrorPagesAskForTheUser(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(*Request) (Response, error)
	}{
		{"Fail", func(*Request) (Response, error) { return Fail(404, "none"), nil }},
		{"an error", func(*Request) (Response, error) { return Response{}, Error(404, "none") }},
		{"nothing matched", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(pagesOf("+error.html: {{.Status}} {{user}}\nx.http: ")))
			asked := 0
			r.Authenticate = func(*Request) (any, error) { asked++; return nil, errors.New("the key server is down") }
			target := "/none"
			if tt.answer != nil {
				r.At("x").GET().Do(tt.answer)
				target = "/x"
			} else {
				r.At("x").GET().Do(http.NotFoundHandler())
			}
			log := journalOf(r)
			w := browse(r, target)
			is.Equal(w.Code, 500)
			is.Equal(w.Body.String(), "500 ")
			is.Equal(asked, 1)
			all := records(t, log)
			is.Equal(len(all), 1)
			is.True(strings.Contains(all[0]["error"].(string), "the key server is down"))
		})
	}
}

func TestErrorPageOfASharedTree(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(pagesOf("users/x.html: X")), flowtest.Pages(pagesOf("+error.html: shared\nusers/+error.html: shared users\nother/+error.html: other")))
	for target, want := range map[string]string{"/none": "404 shared", "/users/none": "404 shared users", "/other/none": "404 shared"} {
		w := browse(r, target)
		is.Equal(w.Result().Status[:3]+" "+w.Body.String(), want)
	}
}

// TestErrorPagesAreChecked with the layouts that they stand in: their dot is known.
func TestErrorPagesAreChecked(t *testing.T) {
	for _, tt := range []struct{ layout, page, want string }{
		{`<!doctype html>{{block "title" .}}{{end}}{{template "content" .}}`, `{{.Status}} {{.Title}} {{.Detail}} {{.Path}} {{range $k, $v := .Fields}}{{$k}}{{$v}}{{end}}{{.Fields.name}}`, ""},
		{`{{template "content" .}}`, `{{.Stauts}}`, `router/+error.html:1:4: {{.Stauts}}: flow.errorPage has no field or method Stauts: did you mean "Status"?`},
		{`{{.PageTitle}}{{template "content" .}}`, `{{.Status}}`, `router/+layout.html:1:4: {{.PageTitle}}: flow.errorPage has no field or method PageTitle (with the data of router/+error.html)`},
	} {
		t.Run(tt.layout+tt.page, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(map[string]string{"+layout.html": tt.layout, "+error.html": tt.page, "a.html": "A"}))
			err := r.Check()
			if tt.want == "" {
				is.NoErr(err)
				is.Equal(browse(r, "/none").Body.String(), "<!doctype html>404 Not Found  /none ")
				return
			}
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

// TestDict: a partial gets several values, whose keys are checked.
func TestDict(t *testing.T) {
	for _, tt := range []struct{ page, want string }{
		{`{{template "+field" (dict "label" "Name" "value" "Ada")}}`, "Name Ada"},
		{`{{template "+field" (dict "lable" "Name" "value" "Ada")}}`, `router/+field.html:1:4: {{.label}}: the dict that it gets has no key "label": did you mean "lable"?, with the dot of router/index.html:1:12`},
		{`{{template "+field" (dict "label")}}`, "router/index.html:1:"},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(map[string]string{"+field.html": "{{.label}} {{.value}}", "index.html": tt.page}))
			r.At("index").GET().Do(func(*Request) (struct{ X int }, error) { return struct{ X int }{}, nil })
			got := ""
			if err := r.Check(); err != nil {
				got = err.Error()
			} else {
				got = serve(r, "GET", "/").Body.String()
			}
			if !strings.HasPrefix(got, tt.want) {
				is.Equal(got, tt.want)
			}
		})
	}
}

// TestFailureOfAuthenticateIsSaidOnce whatever was going on when the error page
// asked who the user is.
func TestFailureOfAuthenticateIsSaidOnce(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  func(*Request) (Response, error)
		onError func(*Request, error) Response
		records int
		status  int
	}{
		{"a panic", func(*Request) (Response, error) { panic("boom") }, nil, 1, 500},
		{"an error", func(*Request) (Response, error) { return Response{}, errors.New("boom") }, nil, 1, 500},
		{"OnError", func(*Request) (Response, error) { return Response{}, errors.New("boom") },
			func(*Request, error) Response { return Fail(404, "none") }, 1, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Pages(pagesOf("+error.html: {{.Status}} {{user}}\nx.http: ")))
			asked := 0
			r.Authenticate = func(*Request) (any, error) { return nil, errors.New("the key server is down") }
			if tt.onError != nil {
				r.OnError = func(req *Request, err error) Response { asked++; return tt.onError(req, err) }
			}
			r.At("x").GET().Do(tt.answer)
			log := journalOf(r)
			w := browse(r, "/x")
			is.Equal(w.Code, tt.status)
			is.Equal(w.Body.String(), fmt.Sprint(tt.status, " "))
			is.True(asked <= 2) // the second time about Authenticate
			all := records(t, log)
			is.Equal(len(all), tt.records)
			text := all[len(all)-1]["error"].(string)
			is.True(strings.Contains(text, "the key server is down"))
			is.True(strings.Contains(text, "boom"))
		})
	}
}

// TestErrorsOfFunctionsInErrorPages are no answers.
func TestErrorsOfFunctionsInErrorPages(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(pagesOf("+error.html: {{find}}\na.html: {{find}}")))
	r.Funcs = map[string]any{"find": func() (string, error) { return "", Error(410, "gone") }}
	log := journalOf(r)
	w := browse(r, "/none")
	is.Equal(w.Code, 404)
	is.Equal(w.Body.String(), "Not Found\n")
	is.Equal(records(t, log)[0]["level"], "ERROR")
	is.Equal(do(r, httptest.NewRequest("GET", "/a", nil)).Code, 410) // of a page they are
}

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
			r, log := lone(func(*Request) (string, error) { return "", fmt.Errorf("query: %w", context.Canceled) })
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if tt.leave {
				leave()
			}
			do(r, request("GET", "/x").WithContext(ctx))
			is.Equal(records(t, log)[0]["level"], tt.level)
			is.Equal(records(t, log)[0]["msg"], tt.msg)
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
