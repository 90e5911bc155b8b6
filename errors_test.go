package flow_test

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
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
		{"Error", flow.Error(404, "no such user"), 404, "Not Found: no such user\n", ""},
		{"Error without a message", flow.Error(404, ""), 404, "Not Found\n", ""},
		{"Error with a cause", flow.Error(409, "taken", cause), 409, "Conflict: taken\n", "INFO"},
		{"Error with nil causes", flow.Error(409, "taken", nil, nil), 409, "Conflict: taken\n", ""},
		{"Error with two causes", flow.Error(409, "taken", errors.New("x"), cause), 409, "Conflict: taken\n", "INFO"},
		{"Error of 503", flow.Error(503, "later"), 503, "Service Unavailable: later\n", "ERROR"},
		{"status without a name", flow.Error(499, "gone"), 499, "Error 499: gone\n", ""},
		{"Error of 599", flow.Error(599, "odd"), 599, "Error 599: odd\n", "ERROR"},
		{"Error of 200", flow.Error(200, "secret"), 500, "Internal Server Error\n", "ERROR"},
		{"Error of 600", flow.Error(600, "secret"), 500, "Internal Server Error\n", "ERROR"},
		{"Error of 0", flow.Error(0, "secret"), 500, "Internal Server Error\n", "ERROR"},
		{"wrapped Error", fmt.Errorf("secret: %w", flow.Error(404, "no such user")), 404, "Not Found: no such user\n", "INFO"},
		{"joined Error", errors.Join(cause, flow.Error(404, "no such user")), 404, "Not Found: no such user\n", "INFO"},
		{"Error of an Error", flow.Error(502, "bad gateway", flow.Error(404, "secret")), 502, "Bad Gateway: bad gateway\n", "ERROR"},
		{"Invalid", flow.Invalid{"b": "is <b>", "a": "is a"}, 422, "Unprocessable Entity: some fields are not valid\na: is a\nb: is <b>\n", ""},
		{"wrapped Invalid", fmt.Errorf("secret: %w", flow.Invalid{"a": "is a"}), 422, "Unprocessable Entity: some fields are not valid\na: is a\n", "INFO"},
		{"MaxBytesError", fmt.Errorf("secret: %w", &http.MaxBytesError{Limit: 1}), 413, "Request Entity Too Large: the body is too large\n", "INFO"},
		{"any other", cause, 500, "Internal Server Error\n", "ERROR"},
		{"a file's", &os.PathError{Op: "open", Path: "secret", Err: os.ErrNotExist}, 500, "Internal Server Error\n", "ERROR"},
	} {
		for name, run := range map[string]struct {
			guard, handler func(*flow.Request) (flow.Response, error)
		}{
			"handler": {func(*flow.Request) (flow.Response, error) { return flow.Next(), nil }, func(*flow.Request) (flow.Response, error) { return flow.Text("secret"), tt.err }},
			"guard": {func(*flow.Request) (flow.Response, error) { return flow.Next(), tt.err }, func(*flow.Request) (flow.Response, error) {
				t.Error("a guard that failed let in")
				return flow.Response{}, nil
			}},
		} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				is := is.New(t)
				r, log := lone(run.handler, run.guard)
				w := serve(r, "GET", "/x", "Accept: text/plain")
				is.Equal(w.Code, tt.status)
				is.Equal(flow.StatusOf(tt.err), tt.status)
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
	err := fmt.Errorf("show: %w", flow.Error(404, "no such user", cause))
	is.Equal(err.Error(), "show: 404 no such user: row 7")
	is.True(errors.Is(err, cause))
	public := (*flow.HTTPError)(nil)
	is.True(errors.As(err, &public))
	is.Equal(public.Message, "no such user")
	is.Equal(flow.Error(404, "").Error(), "404 Not Found")
	is.Equal(flow.Invalid{"b": "is b", "a": "is a"}.Error(), "invalid input: a: is a; b: is b")
	is.Equal(flow.Invalid{}.Error(), "invalid input")
	is.Equal((*flow.HTTPError)(nil).Error(), "a nil *flow.HTTPError")
}

func TestErrorFormats(t *testing.T) {
	r, _ := lone(func(*flow.Request) (flow.Response, error) {
		return flow.Response{}, flow.Invalid{"<a>": "is <b>", "b": "is c"}
	})
	for _, tt := range []struct{ accept, contentType, holds string }{
		{"text/plain", "text/plain; charset=utf-8", "Unprocessable Entity: some fields are not valid\n<a>: is <b>\nb: is c\n"},
		{"application/json", "application/problem+json", `{"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"some fields are not valid","errors":{"\u003ca\u003e":"is \u003cb\u003e","b":"is c"}}`},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8", "<dt>&lt;a&gt;</dt><dd>is &lt;b&gt;</dd>"},
	} {
		t.Run(tt.accept, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, "GET", "/x", "Accept: "+tt.accept)
			is.Equal(w.Code, 422)
			is.Equal(w.Header()["Vary"], []string{"Accept"})
			is.Equal(w.Header().Get("Content-Type"), tt.contentType)
			is.True(strings.Contains(w.Body.String(), tt.holds))
		})
	}
}

func TestFailKeepsItsHeaders(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(*flow.Request) flow.Response {
		return flow.Fail(401, "who?").Header("WWW-Authenticate", "Basic").Header("Vary", "Cookie").Cookie(&http.Cookie{Name: "c", Value: "1"})
	}, func(*flow.Request) flow.Response { return flow.Next().Header("X-Guard", "1").Header("Vary", "Origin") })
	w := do(r, httptest.NewRequest("GET", "/x", nil))
	is.Equal(w.Code, 401)
	is.Equal(w.Header().Get("WWW-Authenticate"), "Basic")
	is.Equal(w.Header()["Vary"], []string{"Origin", "Cookie", "Accept"}) // what it does not name itself it depends on all the same
	is.Equal(w.Header()["Set-Cookie"], []string{"c=1"})
	is.Equal(w.Header().Get("X-Guard"), "1")
}

// TestEmptyInvalidIsNoError: whoever returns it, and however it is wrapped, the Response
// beside it counts.
func TestEmptyInvalidIsNoError(t *testing.T) {
	wrapped := fmt.Errorf("save: %w", fmt.Errorf("check: %w", flow.Invalid{}))
	for _, tt := range []struct {
		name string
		err  error
		want int // of a handler or a guard that returns 201 with the error
	}{
		{"nil", nil, 201},
		{"empty", flow.Invalid{}, 201},
		{"nil map", flow.Invalid(nil), 201},
		{"wrapped", wrapped, 201},
		{"joined", errors.Join(flow.Invalid{}, wrapped), 201},
		{"with a field", flow.Invalid{"a": "is odd"}, 422},
		{"joined with one that has a field", errors.Join(flow.Invalid{}, flow.Invalid{"a": "is odd"}), 422},
		{"joined with a status", errors.Join(flow.Invalid{}, flow.Error(409, "taken")), 409},
		{"joined with an error", errors.Join(errors.New("x"), flow.Invalid{}), 500},
		{"joined with an error, and wrapped", fmt.Errorf("save: %w", errors.Join(flow.Invalid{}, errors.New("x"))), 500},
		{"cause of a status", flow.Error(409, "taken", flow.Invalid{}), 409},
		{"its own error", errors.New("x"), 500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/response.http", "router/text.http", "router/std.http", "router/guard.http", "router/user.http", "router/panic.http"))
			log := journalOf(r)
			ok := func(*flow.Request) string { return "ok" }
			created := func(*flow.Request) (flow.Response, error) { return flow.Text("made").Status(201), tt.err }
			through := func(next http.Handler) http.Handler { return next }
			r.Authenticate = func(*flow.Request) (any, error) { return "ada", tt.err }
			r.At("response").GET().Do(created)
			r.At("std").GET().Use(through).Do(created)
			r.At("text").GET().Do(func(*flow.Request) (string, error) { return "made", tt.err })
			r.At("guard").GET().Use(created).Do(ok)
			r.At("user").GET().Do(func(req *flow.Request) flow.Response { return flow.Text(fmt.Sprint(req.User())).Status(201) })
			r.At("panic").GET().Do(func(*flow.Request) string { panic(tt.err) })
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
		resp flow.Response
		want int
	}{
		{"Next", flow.Next(), 200},
		{"zero Response", flow.Response{}, 500},
		{"Fail", flow.Fail(401, ""), 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/x.http"))
			journalOf(r)
			r.At("x").GET().Use(func(*flow.Request) (flow.Response, error) { return tt.resp, flow.Invalid{} }).Do(func(*flow.Request) string { return "ok" })
			is.Equal(do(r, request("GET", "/x")).Code, tt.want)
		})
	}
}

// TestEmptyInvalidOfATemplate: what failed with it has no answer, so it is no mistake of
// the client.
func TestEmptyInvalidOfATemplate(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/x.html": {Data: []byte("{{fails}}")}})
	log := journalOf(r)
	r.Funcs = template.FuncMap{"fails": func() (string, error) { return "", flow.Invalid{} }}
	is.Equal(do(r, request("GET", "/x")).Code, 500)
	is.Equal(len(records(t, log)), 1)
}

func TestStatusOf(t *testing.T) {
	is := is.New(t)
	for _, tt := range []struct {
		err    error
		status int
	}{
		{conflict{}, 409},
		{fmt.Errorf("a: %w", conflict{}), 409},
		{&flow.HTTPError{Status: 410, Cause: conflict{}}, 410}, // the outermost counts
		{errors.Join(errors.New("x"), conflict{}), 409},
		{&flow.HTTPError{}, 500},
		{(*flow.HTTPError)(nil), 500},
	} {
		is.Equal(flow.StatusOf(tt.err), tt.status)
	}
	r, log := lone(func(*flow.Request) (flow.Response, error) { return flow.Response{}, (*flow.HTTPError)(nil) })
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
		{"404, answered 503", flow.Error(404, "none"), 503, "ERROR"},
		{"404 that hides nothing", flow.Error(404, "none"), 404, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(func(*flow.Request) (flow.Response, error) { return flow.Response{}, tt.err })
			r.OnError = func(*flow.Request, error) flow.Response { return flow.Text("x").Status(tt.status) }
			is.Equal(do(r, request("GET", "/x")).Code, tt.status)
			all := records(t, log)
			is.Equal(len(all), len(strings.Fields(tt.level)))
			for _, record := range all {
				is.Equal(record["level"], tt.level)
			}
		})
	}
}
