package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
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
	"example.com/flow/internal/race"
)

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

func (conflict) Error() string   { return "the row has changed: secret" }
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

// TestDevShowsErrorPageThatFails also if OnError answers with a Fail.
func TestDevShowsErrorPageThatFails(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf("+error.html: {{index .Status 1}}\nindex.html: home"))
	r := New(tree)
	r.Dev(onDisk(t, tree))
	r.OnError = func(*Request, error) Response { return Fail(404, "nothing here") }
	log := journalOf(r)
	w := visit(r, "/none")
	is.Equal(w.Code, 500)
	is.True(strings.Contains(w.Body.String(), "This request failed"))
	is.True(strings.Contains(log.String(), "the error page cannot be shown"))
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

// misses are a Router with a route and one that leaves every error to the default by hand,
// so that it takes the long way to each answer.
func misses(t *testing.T, setUp func(*Router)) (short, long *Router) {
	t.Helper()
	for _, r := range []**Router{&short, &long} {
		*r = New(flowtest.Files("router/index.html", "router/users/[id].http"))
		(*r).At("users/[id]").GET().Do(func(*Request) string { return "" })
		(*r).Logger = slog.New(slog.DiscardHandler)
		setUp(*r)
	}
	long.OnError = func(*Request, error) Response { return Response{} }
	for _, r := range []*Router{short, long} {
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
	}
	return short, long
}

// The 404 that was made once is the one that any other error is answered like.
func TestMissIsAnsweredLikeAnError(t *testing.T) {
	std := func(key, value string) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set(key, value)
				next.ServeHTTP(w, r)
			})
		}
	}
	for _, tt := range []struct {
		name  string
		setUp func(*Router)
	}{
		{"nothing", func(*Router) {}},
		{"guards", func(r *Router) { r.Use(func(*Request) Response { return Text("never").Status(500) }) }},
		{"Vary", func(r *Router) { r.Use(std("Vary", "Origin")) }},
		{"Vary of Accept", func(r *Router) { r.Use(std("Vary", "origin, accept")) }},
		{"an id and a log", func(r *Router) { r.Use(RequestID, Logger(slog.New(slog.DiscardHandler))) }},
		{"a length", func(r *Router) { r.Use(std("Content-Length", "3")) }},
		{"a user who cannot be asked for", func(r *Router) {
			r.Authenticate = func(*Request) (any, error) { return nil, errors.New("down") }
			r.Use(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					From(r.Context()).User()
					next.ServeHTTP(w, r)
				})
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			short, long := misses(t, tt.setUp)
			for _, target := range []string{"/wp-login.php", "/users/7/x", "/a//b", "/a%2Fb"} {
				for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "LOCK"} {
					for _, accepts := range []string{"", "*/*", "text/plain", "application/json", "text/html", "image/png"} {
						ask := func(r *Router) *http.Response {
							req := request(method, target)
							req.Header.Set("X-Request-Id", "7")
							if accepts != "" {
								req.Header.Set("Accept", accepts)
							}
							return do(r, req).Result()
						}
						got, want := ask(short), ask(long)
						is.Equal(got.StatusCode, want.StatusCode)
						is.Equal(got.Header, want.Header)
						a, err := io.ReadAll(got.Body)
						is.NoErr(err)
						b, err := io.ReadAll(want.Body)
						is.NoErr(err)
						is.Equal(string(a), string(b))
					}
				}
			}
		})
	}
}

// Scanners ask for thousands of URLs that nobody has.
func TestMissesAllocateLittle(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	r, _ := misses(t, func(*Router) {})
	for _, accepts := range []string{"*/*", "text/plain", "application/json"} {
		t.Run(accepts, func(t *testing.T) {
			is := is.New(t)
			req := request("GET", "/wp-login.php")
			req.Header.Set("Accept", accepts)
			w := httptest.NewRecorder()
			n := testing.AllocsPerRun(100, func() {
				clear(w.Header())
				w.Body.Reset()
				r.ServeHTTP(w, req)
			})
			is.Equal(w.Code, 404)
			is.True(n <= 3) // the values of two headers, and what the recorder notes
		})
	}
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
